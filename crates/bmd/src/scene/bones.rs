//! Bones from joints.

use super::names::name;
use crate::math::{self, narrow};
use crate::model::{Bmd, Bone};
use crate::pose::Base;
use crate::transform::BoneTransform;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::num::{F8A, QuatF8, Se32};
use meshwright_scene::{AxisMap, ConvertError, Local, Loss, Motion, Scene, Skeleton, SkeletonId, Trs};

/// Bones that a vertex can name, the base included: 0xFF marks pseudo-bones.
const MOST: usize = 255;
/// A rest scale this near to 1 is none.
const SCALE_NOISE: f32 = 1e-4;

/// The bones of a model under construction.
pub(super) struct Bones {
    pub(super) skeleton: SkeletonId,
    pub(super) bones: Vec<Bone>,
    /// The bone of each joint.
    pub(super) bone_of: Vec<usize>,
    /// For each joint the product of the rest scales above it, which the format has no place for.
    pub(super) scale_above: Vec<[f32; 3]>,
    /// For each joint its own rest scale.
    pub(super) scale: Vec<[f32; 3]>,
    /// Rest matrices of the bones as they were rounded.
    pub(super) rest: Vec<[[f64; 4]; 3]>,
}

impl Bones {
    /// The joints of a skeleton as bones, parents first, joints that follow others last.
    pub(super) fn of(
        scene: &Scene,
        skeleton: SkeletonId,
        axes: &AxisMap,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        let path = format!("skeletons[{}]", skeleton.0);
        let invalid = |message: &str| ConvertError::invalid(path.as_str(), message);
        let source = scene.skeletons.get(skeleton.0).ok_or_else(|| invalid("does not exist"))?;
        let order = source.order().ok_or_else(|| invalid("joints form a cycle"))?;
        let n = source.joints.len();
        let base = order.first().copied().filter(|j| is_base(scene, skeleton, *j));
        let follows = |j: &usize| source.joints.get(*j).is_some_and(|j| !j.follows.is_empty());
        let normal = order.iter().copied().filter(|j| !follows(j) && Some(*j) != base);
        let placed: Vec<usize> = normal.chain(order.iter().copied().filter(follows)).collect();
        if placed.len() >= MOST {
            let message = format!("{} bones, the format has {MOST}", placed.len().saturating_add(1));
            return Err(ConvertError::unsupported(path, message));
        }
        let mut this = Self {
            skeleton,
            bones: Vec::with_capacity(n.saturating_add(1)),
            bone_of: alloc::vec![0; n],
            scale_above: alloc::vec![[1.0; 3]; n],
            scale: alloc::vec![[1.0; 3]; n],
            rest: Vec::new(),
        };
        let base_name = base.and_then(|j| source.joints.get(j)).map_or("base", |j| j.name.as_str());
        this.bones.push(Bone { name: Some(name(base_name, &path, losses)), ..Bone::default() });
        let (mut scaled, mut sheared) = (0_usize, 0.0_f32);
        let mut followed: BTreeMap<usize, Vec<(u8, f32)>> = BTreeMap::new();
        for j in placed {
            let Some(joint) = source.joints.get(j) else { continue };
            let id = this.bones.len();
            if let Some(slot) = this.bone_of.get_mut(j) {
                *slot = id;
            }
            if !joint.follows.is_empty() {
                let parts = this.spread(&joint.follows, &followed);
                let bone = pseudo(&joint.name, &parts, &path, losses);
                followed.insert(j, parts);
                this.bones.push(bone);
                continue;
            }
            let (trs, shear) = match &joint.rest {
                Local::Trs(t) => (*t, 0.0),
                Local::Affine(m) => Trs::from_affine(m),
            };
            sheared = sheared.max(shear);
            let trs = axes.trs(&trs);
            let above = joint.parent.and_then(|p| {
                let (a, s) = (this.scale_above.get(p)?, this.scale.get(p)?);
                Some(core::array::from_fn(|i| a[i] * s[i]))
            });
            let above = above.unwrap_or([1.0; 3]);
            scaled =
                scaled.saturating_add(usize::from(trs.scale.iter().any(|s| (s - 1.0).abs() > SCALE_NOISE)));
            if let (Some(a), Some(s)) = (this.scale_above.get_mut(j), this.scale.get_mut(j)) {
                (*a, *s) = (above, trs.scale);
            }
            let origin = core::array::from_fn(|i| trs.translation[i] * above[i]);
            let rotation = match QuatF8::encode(trs.rotation) {
                // The original tool stores no rotation as zero.
                QuatF8::IDENTITY => QuatF8::from_bits(0),
                word => word,
            };
            let parent = joint.parent.map(|p| leader(source, p));
            if parent != joint.parent {
                let message = "hangs from a joint that follows others; hung from the heaviest of those";
                losses.push(Loss::new("parent-follows", format!("{path}.joints[{j}]"), message));
            }
            let parent = parent.and_then(|p| this.bone_of.get(p)).copied().unwrap_or(0);
            this.bones.push(Bone {
                transform: BoneTransform::new(Se32::encode(origin), rotation),
                name: Some(name(&joint.name, &format!("{path}.joints[{j}]"), losses)),
                parent: u8::try_from(parent).unwrap_or(0),
                ..Bone::default()
            });
        }
        if scaled > 0 {
            let message = format!("{scaled} joints are scaled at rest; their children were moved instead");
            losses.push(Loss::new("joint-scale", path.as_str(), message));
        }
        if sheared > 1e-5 {
            let message = "joints shear at rest; largest part dropped, of their size";
            losses.push(Loss::measured("joint-shear", path.as_str(), message, f64::from(sheared)));
        }
        let posed = Bmd { bones: this.bones.clone(), ..Bmd::default() };
        let rest = posed.rest().ok_or_else(|| invalid("joints form a cycle"))?;
        this.rest = rest.pose(0.0).matrices().to_vec();
        Ok(this)
    }

    /// The bones that a joint follows, joints that follow others themselves replaced by those.
    fn spread(&self, follows: &[(usize, f32)], followed: &BTreeMap<usize, Vec<(u8, f32)>>) -> Vec<(u8, f32)> {
        let mut sum: BTreeMap<u8, f32> = BTreeMap::new();
        for (j, weight) in follows {
            match followed.get(j) {
                Some(parts) => {
                    let total: f32 = parts.iter().map(|p| p.1).sum();
                    let share = if total == 0.0 { 0.0 } else { weight / total };
                    for (bone, w) in parts {
                        *sum.entry(*bone).or_insert(0.0) += share * w;
                    }
                }
                None => {
                    let bone = self.bone_of.get(*j).and_then(|b| u8::try_from(*b).ok());
                    *sum.entry(bone.unwrap_or(0)).or_insert(0.0) += weight;
                }
            }
        }
        sum.into_iter().filter(|p| p.1.is_finite()).collect()
    }

    /// A bone's base transform as it was rounded.
    pub(super) fn base(&self, bone: usize) -> Base {
        self.bones.get(bone).map_or(Base { rotation: [0.0, 0.0, 0.0, 1.0], origin: [0.0; 3] }, Base::of)
    }

    /// A point and a direction of the model's space in the space of a bone.
    pub(super) fn local(&self, bone: usize, p: [f32; 3], n: [f32; 3]) -> ([f32; 3], [f32; 3]) {
        let identity = (p, n);
        let Some(m) = self.rest.get(bone).filter(|_| bone > 0) else { return identity };
        let Some(inverse) = inverse(m) else { return identity };
        let point = math::point(&inverse, p.map(f64::from)).map(narrow);
        (point, math::vector(&inverse, n.map(f64::from)).map(narrow))
    }
}

/// A joint that does not follow others: the joint itself, or the heaviest of those it follows.
fn leader(skeleton: &Skeleton, mut joint: usize) -> usize {
    // An ordered skeleton has no cycles, so this ends before it has named every joint.
    for _ in 0..skeleton.joints.len() {
        let follows = skeleton.joints.get(joint).map_or(&[][..], |j| &j.follows);
        match follows.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((heaviest, _)) => joint = *heaviest,
            None => break,
        }
    }
    joint
}

/// A pseudo-bone of some bones and weights.
fn pseudo(joint: &str, follows: &[(u8, f32)], path: &str, losses: &mut Vec<Loss>) -> Bone {
    let mut parts = follows.to_vec();
    parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    if parts.len() > 4 {
        let message = format!("joint {joint:?} follows {} others; the four heaviest kept", parts.len());
        losses.push(Loss::new("follows-dropped", path, message));
    }
    parts.truncate(4);
    // Only the shares count; the largest takes 1, well inside the range.
    let top = parts.first().map_or(1.0, |p| p.1.abs()).max(f32::MIN_POSITIVE);
    let mut stored = [(0, F8A::ZERO); 4];
    for (slot, (id, weight)) in stored.iter_mut().zip(parts) {
        *slot = (id, F8A::encode(weight / top));
    }
    // Weights that cancel out make no mean: the first bone alone is left.
    let sum: f64 = stored.iter().map(|p| f64::from(p.1.decode())).sum();
    if sum == 0.0 {
        stored = [(stored[0].0, F8A::ONE), (0, F8A::ZERO), (0, F8A::ZERO), (0, F8A::ZERO)];
        losses.push(Loss::new("follows-cancel", path, format!("the weights of joint {joint:?} sum to zero")));
    }
    Bone {
        transform: BoneTransform::following(stored),
        name: Some(name(joint, path, losses)),
        parent: Bone::PSEUDO,
        ..Bone::default()
    }
}

/// The inverse of an affine transform in rows.
fn inverse(m: &[[f64; 4]; 3]) -> Option<[[f64; 4]; 3]> {
    let c = |r: usize, k: usize| {
        let (r1, r2, k1, k2) = ((r + 1) % 3, (r + 2) % 3, (k + 1) % 3, (k + 2) % 3);
        m[r1][k1] * m[r2][k2] - m[r1][k2] * m[r2][k1]
    };
    let det = m[0][0] * c(0, 0) + m[0][1] * c(0, 1) + m[0][2] * c(0, 2);
    if det.abs() < 1e-12 {
        return None;
    }
    let row = |k: usize| {
        let [a, b, d] = [c(0, k) / det, c(1, k) / det, c(2, k) / det];
        [a, b, d, -(a * m[0][3] + b * m[1][3] + d * m[2][3])]
    };
    Some([row(0), row(1), row(2)])
}

/// Whether a joint is what the format's bone 0 is: at the origin, never moved, at the root.
fn is_base(scene: &Scene, skeleton: SkeletonId, joint: usize) -> bool {
    let Some(source) = scene.skeletons.get(skeleton.0) else { return false };
    let Some(j) = source.joints.get(joint) else { return false };
    let still = j.parent.is_none() && j.follows.is_empty() && j.rest == Local::Trs(Trs::IDENTITY);
    let moved: BTreeSet<usize> = scene
        .clips
        .iter()
        .filter(|c| c.skeleton == skeleton)
        .flat_map(|c| match &c.motion {
            // A pose set holds a matrix for every joint.
            Motion::Poses { .. } => alloc::vec![joint],
            Motion::Tracks(tracks) => {
                let has_keys = |t: &&meshwright_scene::Track| {
                    !t.translation.is_empty() || !t.rotation.is_empty() || !t.scale.is_empty()
                };
                tracks.iter().filter(has_keys).map(|t| t.joint).collect()
            }
        })
        .collect();
    still && !moved.contains(&joint)
}
