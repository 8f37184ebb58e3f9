//! Binds meshes to another skeleton, in its proportions.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint; skins whose ranges are checked before"
)]

use crate::align::Pair;
use crate::body::{Part, Side};
use crate::geometry::ratio;
use crate::retargeter::Retargeter;
use alloc::vec::Vec;
use meshwright_rig::glam::{DAffine3, DMat3, DVec3};
use meshwright_scene::{Budget, ConvertError, Influence, Mesh, SkeletonId};

/// The maximum factor by which a bone is stretched or compressed relative to the rest of the body.
const MOST_STRETCH: f64 = 4.0;

/// Moves vertices from the bind pose of the source to that of the target.
#[derive(Debug)]
pub(crate) struct Rebinding {
    /// The joint of the target that replaces each joint of the source.
    targets: Vec<u32>,
    /// The transform of each joint of the source from the source's bind pose to the target's, in model space.
    moves: Vec<DAffine3>,
    /// The inverse transforms.
    returns: Vec<DAffine3>,
    /// The source's bind pose.
    bind: Vec<DAffine3>,
}

impl Rebinding {
    /// Prepares the change of skeleton. `bind` is the source's bind pose, `target_bind` the same pose of the target.
    pub(crate) fn new(retargeter: &Retargeter, bind: &[DAffine3], target_bind: &[DAffine3]) -> Self {
        let pair = retargeter.pair();
        let count = pair.source.joint_count();
        let mut taker = alloc::vec![None; count];
        for &target in &pair.target.order {
            if let Some(source) = pair.map.source(target) {
                taker[source].get_or_insert(target);
            }
        }
        let mut moves = alloc::vec![DAffine3::IDENTITY; count];
        let mut targets = alloc::vec![0_u32; count];
        let trunk = Trunk::new(&pair, retargeter.body_scale, [bind, target_bind]);
        // Parents may come after their children.
        let top =
            (0..count).filter(|j| taker[*j].is_some()).min_by_key(|j| pair.source.ancestors(*j).count());
        for joint in 0..count {
            // An unmapped joint is replaced by its nearest mapped ancestor, or else by the topmost joint.
            let above = core::iter::once(joint).chain(pair.source.ancestors(joint));
            let Some(mapped) = above.into_iter().find(|j| taker[*j].is_some()).or(top) else { continue };
            let target = taker[mapped].unwrap_or_default();
            let part = pair.parts.part(target).map(|p| p.part);
            let in_trunk = pair.parts.spine.contains(&target)
                || matches!(part, Some(Part::Root | Part::Hips | Part::Shoulder));
            moves[joint] = match &trunk {
                Some(trunk) if in_trunk => {
                    let places = [bind[mapped].translation, target_bind[target].translation];
                    trunk.movement(places, retargeter.body_scale)
                }
                _ => movement(&pair, retargeter, target, [bind, target_bind]).unwrap_or(DAffine3::IDENTITY),
            };
            targets[joint] = u32::try_from(target).unwrap_or_default();
        }
        let returns = moves.iter().map(DAffine3::inverse).collect();
        Self { targets, moves, returns, bind: bind.to_vec() }
    }

    /// Binds a mesh to the target's skeleton.
    pub(crate) fn apply(&self, mesh: &mut Mesh, to: SkeletonId, budget: &Budget) -> Result<(), ConvertError> {
        let Some(mut skin) = mesh.skin.take() else { return Ok(()) };
        budget.charge_items("influences", skin.influences.len() as u64, size_of::<Influence>())?;
        for v in 0..mesh.positions.len() {
            let range = skin.range(v);
            let parts = &skin.influences[range.clone()];
            let local = skin.local.get(range).unwrap_or(&[]);
            let vertex = Vertex {
                position: wide(mesh.positions[v]),
                normal: mesh.normals.get(v).copied().map(wide).unwrap_or_default(),
            };
            let moved = if local.is_empty() { self.blend(parts, &vertex) } else { self.gather(parts, local) };
            let Some((moved, linear)) = moved else { continue };
            mesh.positions[v] = moved.position.as_vec3().into();
            if let Some(normal) = mesh.normals.get_mut(v) {
                *normal = moved.normal.normalize_or(wide(*normal)).as_vec3().into();
            }
            if let Some(tangent) = mesh.tangents.get_mut(v) {
                let [x, y, z, w] = *tangent;
                let turned = (linear * wide([x, y, z])).normalize_or(wide([x, y, z])).as_vec3();
                *tangent = [turned.x, turned.y, turned.z, w];
            }
        }
        // The vertices are in model space now; the writers of joint-space formats convert them again.
        skin.local = Vec::new();
        let (mut starts, mut influences) = (alloc::vec![0_u32], Vec::with_capacity(skin.influences.len()));
        for v in 0..mesh.positions.len() {
            let first = influences.len();
            for part in &skin.influences[skin.range(v)] {
                let joint = self.targets[part.joint as usize];
                let own = influences[first..].iter_mut().find(|i: &&mut Influence| i.joint == joint);
                match own {
                    Some(own) => own.weight += part.weight,
                    None => influences.push(Influence { joint, weight: part.weight }),
                }
            }
            starts.push(u32::try_from(influences.len()).unwrap_or(u32::MAX));
        }
        (skin.starts, skin.influences, skin.skeleton) = (starts, influences, to);
        mesh.skin = Some(skin);
        Ok(())
    }

    /// Blends the transforms of a vertex's joints; `None` if it has no weight. The blend of the transforms
    /// and the blend of their inverses are not inverse to each other. The mean of both is used, so that
    /// retargeting back nearly restores the mesh.
    fn blend(&self, parts: &[Influence], vertex: &Vertex) -> Option<(Vertex, DMat3)> {
        let total: f64 = parts.iter().map(|p| f64::from(p.weight)).sum();
        if total == 0.0 || !total.is_finite() {
            return None;
        }
        let mean = |of: &[DAffine3]| {
            let mut sum = DAffine3::ZERO;
            for part in parts.iter().filter(|p| p.weight != 0.0) {
                let share = f64::from(part.weight) / total;
                let m = &of[part.joint as usize];
                sum.matrix3 += m.matrix3 * share;
                sum.translation += m.translation * share;
            }
            sum
        };
        let there = mean(&self.moves);
        let back = mean(&self.returns).inverse();
        let moved = match back.is_finite() {
            true => DAffine3 {
                matrix3: (there.matrix3 + back.matrix3) * 0.5,
                translation: (there.translation + back.translation) * 0.5,
            },
            false => there,
        };
        let normal = normal_matrix(&moved.matrix3) * vertex.normal;
        Some((Vertex { position: moved.transform_point3(vertex.position), normal }, moved.matrix3))
    }

    /// Computes the position of a vertex that is stored in the space of each of its joints.
    fn gather(
        &self,
        parts: &[Influence],
        local: &[meshwright_scene::LocalVertex],
    ) -> Option<(Vertex, DMat3)> {
        let total: f64 = parts.iter().map(|p| f64::from(p.weight)).sum();
        let mut vertex = Vertex::default();
        let mut linear = DMat3::ZERO;
        for (part, local) in parts.iter().zip(local) {
            let joint = part.joint as usize;
            let m = self.moves[joint] * self.bind[joint];
            let weight = f64::from(part.weight);
            vertex.position += m.matrix3 * wide(local.position) + m.translation * weight;
            vertex.normal +=
                normal_matrix(&self.moves[joint].matrix3) * (self.bind[joint].matrix3 * wide(local.normal));
            linear += self.moves[joint].matrix3 * weight;
        }
        (total != 0.0 && total.is_finite()).then(|| {
            vertex.position /= total;
            (vertex, linear)
        })
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Vertex {
    position: DVec3,
    normal: DVec3,
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}

/// Returns the matrix for normals, except for their length.
fn normal_matrix(m: &DMat3) -> DMat3 {
    let inverse = m.inverse().transpose();
    if inverse.is_finite() { inverse } else { *m }
}

/// The line from between the legs to between the arms, in the bind poses of the source and of the target.
/// Skeletons divide the trunk into joints in many ways, so the surface follows this line instead of the
/// joints.
#[derive(Clone, Copy, Debug)]
struct Trunk {
    /// The lower ends of the source's and the target's line.
    low: [DVec3; 2],
    /// The vectors from the lower to the upper end of the source's and the target's line.
    up: [DVec3; 2],
    /// The target's width divided by the source's, at the hips and at the shoulders.
    widths: [f64; 2],
    across: DVec3,
}

impl Trunk {
    fn new(pair: &Pair<'_>, body: f64, bind: [&[DAffine3]; 2]) -> Option<Self> {
        let places = |part: Part| {
            let [left, right] = [Side::Left, Side::Right].map(|side| pair.joint(part, side));
            let both = [left?, right?];
            let source = [pair.map.source(both[0])?, pair.map.source(both[1])?];
            Some([source.map(|j| bind[0][j].translation), both.map(|j| bind[1][j].translation)])
        };
        let (legs, arms) = (places(Part::UpperLeg)?, places(Part::UpperArm)?);
        let middle = |[left, right]: [DVec3; 2]| (left + right) * 0.5;
        let (low, high) = (legs.map(middle), arms.map(middle));
        let up = [high[0] - low[0], high[1] - low[1]];
        let across =
            (legs[0][0] - legs[0][1]).normalize_or_zero() + (legs[1][0] - legs[1][1]).normalize_or_zero();
        let width = |part| within(pair.width_ratio(part).unwrap_or(body), body);
        let widths = [width(Part::UpperLeg), width(Part::UpperArm)];
        let long = up.iter().all(|up| up.length_squared() > 0.0);
        long.then_some(Self { low, up, widths, across })
    }

    /// Returns the transform of the surface around a joint of the trunk.
    fn movement(&self, places: [DVec3; 2], body: f64) -> DAffine3 {
        let share = |i: usize| (places[i] - self.low[i]).dot(self.up[i]) / self.up[i].length_squared();
        let share = ((share(0) + share(1)) / 2.0).clamp(0.0, 1.0);
        let length = within(self.up[1].length() / self.up[0].length(), body);
        let width = self.widths[0] + (self.widths[1] - self.widths[0]) * share;
        let matrix3 =
            stretch(body, self.up[0].normalize() + self.up[1].normalize(), length, self.across, width);
        let [from, to] = [0, 1].map(|i| self.low[i] + self.up[i] * share);
        DAffine3 { matrix3, translation: to - matrix3 * from }
    }
}

/// Keeps a stretch within bounds.
fn within(scale: f64, body: f64) -> f64 {
    scale.clamp(body / MOST_STRETCH, body * MOST_STRETCH)
}

/// Returns the scale of a surface: `length` along a bone, `width` along another axis, and the body's scale
/// otherwise. Swapping source and target gives the inverse.
fn stretch(body: f64, along: DVec3, length: f64, across: DVec3, width: f64) -> DMat3 {
    let outer =
        |axis: DVec3, scale: f64| DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z) * scale;
    let along = along.normalize_or_zero();
    let across = across.reject_from(if along == DVec3::ZERO { DVec3::Y } else { along }).normalize_or_zero();
    DMat3::from_diagonal(DVec3::splat(body)) + outer(along, length - body) + outer(across, width - body)
}

/// Returns the transform of the surface around a mapped joint, from the source's bind pose to the target's.
fn movement(
    pair: &Pair<'_>,
    retargeter: &Retargeter,
    target: usize,
    bind: [&[DAffine3]; 2],
) -> Option<DAffine3> {
    let body = retargeter.body_scale;
    let places =
        |joint: usize| Some([bind[0][pair.map.source(joint)?].translation, bind[1][joint].translation]);
    let here = places(target)?;
    let next = pair.next(target, &retargeter.anchors).and_then(places);
    let bone = next.map(|next| [next[0] - here[0], next[1] - here[1]]);
    let matrix3 = match bone {
        Some([from, to]) if from.length() > 0.0 && to.length() > 0.0 => {
            let length = within(ratio(to.length(), from.length()).unwrap_or(body), body);
            stretch(body, from.normalize() + to.normalize(), length, DVec3::ZERO, body)
        }
        _ => DMat3::from_diagonal(DVec3::splat(body)),
    };
    Some(DAffine3 { matrix3, translation: here[1] - matrix3 * here[0] })
}
