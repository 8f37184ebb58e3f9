//! Evaluation of animations, in double precision and in the engine's order of operations.

use crate::model::{Bmd, Bone};
use crate::packed::{MaterialKind, Vertex};
use crate::stream::Keys;
use alloc::vec::Vec;
use meshwright_core::math::quat::{self, Quat};
use meshwright_core::math::{Affine64, Trs64, add, lerp, narrow, unit, wide};
use meshwright_core::num::{QuatF8, Se32};

/// Returns a rotation word as a unit quaternion x, y, z, w; the identity if all parts are zero.
pub(crate) fn rotation(word: QuatF8) -> Quat {
    unit(word.decode_raw().map(f64::from)).unwrap_or(quat::IDENTITY)
}

pub(crate) fn triple(word: Se32) -> [f64; 3] {
    word.decode().map(f64::from)
}

/// Maps the time of a clip to keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timing {
    pub(crate) frames: u32,
    pub(crate) looping: bool,
}

/// A time on a key, or between two keys.
enum KeySpan<T> {
    On(T),
    /// The earlier key, the later key, and the position between them, 0 to 1.
    Between(T, T, f64),
}

impl Timing {
    /// Returns the keys around frame `t`. In a looping clip `t` wraps around, otherwise it is clamped.
    fn locate<T: Copy>(self, keys: &[(u32, T)], t: f64) -> Option<KeySpan<T>> {
        let (first, last) = (keys.first()?, keys.last()?);
        if keys.len() == 1 {
            return Some(KeySpan::On(first.1));
        }
        let n = f64::from(self.frames);
        let t = if self.looping { wrap(t, n) } else { t };
        let after = keys.partition_point(|k| f64::from(k.0) <= t);
        let before = after.checked_sub(1).and_then(|i| keys.get(i));
        match (before, keys.get(after)) {
            (Some(a), _) if f64::from(a.0) == t => Some(KeySpan::On(a.1)),
            (Some(a), Some(b)) => {
                let f = (t - f64::from(a.0)) / (f64::from(b.0) - f64::from(a.0));
                Some(KeySpan::Between(a.1, b.1, f))
            }
            _ if !self.looping => Some(KeySpan::On(if after == 0 { first.1 } else { last.1 })),
            _ => {
                let from = f64::from(last.0);
                let t = if t < from { t + n } else { t };
                let gap = f64::from(first.0) + n - from;
                Some(KeySpan::Between(last.1, first.1, if gap > 0.0 { (t - from) / gap } else { 0.0 }))
            }
        }
    }

    pub(crate) fn rotation(self, keys: &[(u32, Quat)], t: f64) -> Option<Quat> {
        Some(match self.locate(keys, t)? {
            KeySpan::On(q) => q,
            // Exactly opposite rotations have no midpoint: the earlier one is used.
            KeySpan::Between(a, b, f) => unit(lerp(a, b, f)).unwrap_or(a),
        })
    }

    pub(crate) fn triple(self, keys: &[(u32, [f64; 3])], t: f64) -> Option<[f64; 3]> {
        Some(match self.locate(keys, t)? {
            KeySpan::On(v) => v,
            KeySpan::Between(a, b, f) => lerp(a, b, f),
        })
    }
}

/// Wraps `t` into 0..n.
fn wrap(t: f64, n: f64) -> f64 {
    if n <= 0.0 || !t.is_finite() {
        return 0.0;
    }
    let r = t % n;
    if r < 0.0 { r + n } else { r }
}

/// The decoded keys of one bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Curves {
    pub(crate) rotation: Vec<(u32, Quat)>,
    pub(crate) translation: Vec<(u32, [f64; 3])>,
    pub(crate) scale: Vec<(u32, [f64; 3])>,
}

impl Curves {
    pub(crate) fn decode(keys: &Keys) -> Self {
        Self {
            rotation: keys.rotation.iter().map(|k| (k.0, rotation(k.1))).collect(),
            translation: keys.translation.iter().map(|k| (k.0, triple(k.1))).collect(),
            scale: keys.scale.iter().map(|k| (k.0, triple(k.1))).collect(),
        }
    }

    /// Returns the values of the channels at frame `t`. Channels without keys have the rest value.
    pub(crate) fn sample(&self, timing: Timing, t: f64) -> BoneSample {
        BoneSample {
            rotation: timing.rotation(&self.rotation, t).unwrap_or(quat::IDENTITY),
            translation: timing.triple(&self.translation, t).unwrap_or([0.0; 3]),
            scale: timing.triple(&self.scale, t).unwrap_or([1.0; 3]),
        }
    }
}

/// A bone's transform relative to its parent: base rotation and origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Base {
    pub(crate) rotation: Quat,
    pub(crate) origin: [f64; 3],
}

impl Base {
    pub(crate) fn decode(bone: &Bone) -> Self {
        Self { rotation: rotation(bone.transform.rotation()), origin: triple(bone.transform.origin()) }
    }

    /// Returns the transform relative to the parent, with the motion of a clip applied.
    pub(crate) fn apply(&self, by: &BoneSample) -> Affine64 {
        let rotation = unit(quat::product(by.rotation, self.rotation)).unwrap_or(quat::IDENTITY);
        let translation = add(self.origin, by.translation);
        Trs64 { translation, rotation, scale: by.scale }.to_affine()
    }
}

/// A clip, or the rest pose, ready to be sampled. Keys are decoded once, when it is created.
#[derive(Clone, Debug)]
pub struct Motion<'m> {
    bones: &'m [Bone],
    /// Bones, parents first and pseudo-bones last.
    order: Vec<u32>,
    bases: Vec<Base>,
    curves: Vec<Curves>,
    timing: Timing,
}

/// The motion of a bone at one time of a clip, relative to its base transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSample {
    /// A unit quaternion x, y, z, w, applied after the base rotation.
    pub rotation: [f64; 4],
    /// Added to the base origin, in the space of the parent.
    pub translation: [f64; 3],
    /// Applied before the rotations, per axis of the bone.
    pub scale: [f64; 3],
}

impl BoneSample {
    /// The values of a bone without keys.
    pub(crate) const REST: Self = Self { rotation: quat::IDENTITY, translation: [0.0; 3], scale: [1.0; 3] };
}

impl Bmd {
    /// Returns the rest pose as a motion without keys. `None` if the bones form a cycle or refer to missing
    /// bones.
    pub fn rest(&self) -> Option<Motion<'_>> {
        Some(Motion {
            bones: &self.bones,
            order: order(&self.bones)?,
            bases: self.bones.iter().map(Base::decode).collect(),
            curves: Vec::new(),
            timing: Timing { frames: 1, looping: false },
        })
    }

    /// Returns a clip for sampling. `None` if it does not exist, or as in [`rest`](Self::rest).
    pub fn motion(&self, clip: usize) -> Option<Motion<'_>> {
        let clip = self.clips.get(clip)?;
        let mut motion = self.rest()?;
        // Bone 0 is the base: keys for it have no effect.
        motion.curves = (0..clip.stream.bone_count())
            .map(|b| if b == 0 { Curves::default() } else { Curves::decode(&clip.stream.keys(b)) })
            .collect();
        motion.timing = Timing { frames: u32::from(clip.frames), looping: clip.rate.is_looping() };
        Some(motion)
    }
}

impl Motion<'_> {
    /// Returns the pose of all bones at frame `t`, which may be fractional. In a looping clip `t` wraps
    /// around, otherwise it is clamped.
    pub fn pose(&self, t: f64) -> Pose {
        let mut matrices = alloc::vec![Affine64::IDENTITY; self.bones.len()];
        for &i in &self.order {
            let i = i as usize;
            let Some(bone) = self.bones.get(i) else { continue };
            let matrix = if i == 0 {
                Affine64::IDENTITY
            } else if bone.is_pseudo() {
                follow(bone, &matrices)
            } else {
                let parent = matrices.get(usize::from(bone.parent)).copied().unwrap_or_default();
                parent.after(&self.local(i, t))
            };
            if let Some(m) = matrices.get_mut(i) {
                *m = matrix;
            }
        }
        Pose { matrices }
    }

    /// Returns the motion of a bone at frame `t`, without its base transform. Bones without keys rest.
    pub fn sample(&self, bone: usize, t: f64) -> BoneSample {
        self.curves.get(bone).map_or(BoneSample::REST, |c| c.sample(self.timing, t))
    }

    /// Returns a bone's transform relative to its parent.
    fn local(&self, bone: usize, t: f64) -> Affine64 {
        let Some(base) = self.bases.get(bone) else { return Affine64::IDENTITY };
        base.apply(&self.sample(bone, t))
    }
}

/// Returns the weighted mean of the final matrices of the bones that a pseudo-bone follows.
pub(crate) fn follow(bone: &Bone, matrices: &[Affine64]) -> Affine64 {
    let (mut sum, mut total) = ([[0.0; 4]; 3], 0.0);
    for (id, weight) in bone.transform.followed() {
        let weight = f64::from(weight.decode());
        let Some(m) = matrices.get(usize::from(id)).filter(|_| weight != 0.0) else { continue };
        for (sums, row) in sum.iter_mut().zip(m.to_rows()) {
            for (s, c) in sums.iter_mut().zip(row) {
                *s += weight * c;
            }
        }
        total += weight;
    }
    if total == 0.0 {
        return Affine64::IDENTITY;
    }
    Affine64::from_rows(sum.map(|r| r.map(|c| c / total)))
}

/// Returns the bones, parents first and pseudo-bones last.
pub(crate) fn order(bones: &[Bone]) -> Option<Vec<u32>> {
    let parent = |i: usize, bone: &Bone| (i > 0).then(|| usize::from(bone.parent)).filter(|p| *p > 0);
    let mut order = Vec::with_capacity(bones.len());
    let mut done = alloc::vec![false; bones.len()];
    let mut open = Vec::new();
    let (pseudo, normal): (Vec<_>, Vec<_>) =
        bones.iter().enumerate().partition(|(i, b)| *i > 0 && b.is_pseudo());
    for (start, _) in normal {
        let mut at = start;
        while !*done.get(at)? {
            open.push(at);
            // A chain longer than the number of bones is a cycle.
            if open.len() > bones.len() {
                return None;
            }
            match parent(at, bones.get(at)?) {
                Some(p) => at = p,
                None => break,
            }
        }
        while let Some(i) = open.pop() {
            *done.get_mut(i)? = true;
            order.push(u32::try_from(i).ok()?);
        }
    }
    for (i, _) in pseudo {
        order.push(u32::try_from(i).ok()?);
    }
    Some(order)
}

/// All bones at one moment, in model space.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    matrices: Vec<Affine64>,
}

impl Pose {
    /// Returns the bones' transforms to model space.
    pub fn matrices(&self) -> &[Affine64] {
        &self.matrices
    }

    fn matrix(&self, bone: u8) -> Option<&Affine64> {
        // Vertices on bone 0 do not move. A static model has no bones.
        if bone == 0 { None } else { self.matrices.get(usize::from(bone)) }
    }

    /// Returns the transform from the vertices of a bone's solid to model space. These vertices are relative to that bone,
    /// whatever bone they name.
    pub fn solid(&self, bone: u8) -> Affine64 {
        self.matrix(bone).copied().unwrap_or_default()
    }

    /// Returns the position in model space of a vertex of the mesh that bounds a bone.
    pub fn solid_position(&self, bone: u8, vertex: Vertex) -> [f32; 3] {
        self.point(bone, vertex.position())
    }

    /// Returns a vertex's position in model space.
    pub fn position(&self, vertex: Vertex) -> [f32; 3] {
        self.point(vertex.bone(), vertex.position())
    }

    /// Transforms a point from the space of a bone to model space.
    pub(crate) fn point(&self, bone: u8, p: [f32; 3]) -> [f32; 3] {
        self.matrix(bone).map_or(p, |m| narrow(m.point(wide(p))))
    }

    /// Transforms a direction from the space of a bone to model space.
    pub(crate) fn vector(&self, bone: u8, v: [f32; 3]) -> [f32; 3] {
        self.matrix(bone).map_or(v, |m| narrow(m.vector(wide(v))))
    }

    /// Returns a vertex's normal in model space, not normalised.
    pub fn normal(&self, vertex: Vertex, material: MaterialKind) -> [f32; 3] {
        self.vector(vertex.bone(), vertex.normal(material))
    }
}
