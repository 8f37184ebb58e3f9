//! The order of joints, and the pose in which vertices are bound to them.

use crate::convert::ConvertError;
use crate::model::Scene;
use crate::model::ids::SkeletonId;
use crate::skeleton::{Joint, Skeleton};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, scale};
use meshwright_core::{Budget, LimitExceeded};

/// The rest pose counts as the bind pose if `inverse bind * rest` differs from the identity by at most this:
/// the error of a chain of joints after rounding to 32 bits.
const SAME_POSE: f64 = 1.0e-4;

/// A new order of joints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    joints: Vec<usize>,
    places: Vec<usize>,
}

impl Order {
    /// Returns the joints in their new order, by their numbers in the skeleton.
    #[must_use]
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Returns the new number of a joint.
    #[must_use]
    pub fn place(&self, joint: usize) -> Option<usize> {
        self.places.get(joint).copied()
    }

    /// Returns the new number of a joint's parent.
    #[must_use]
    pub fn parent(&self, joint: &Joint) -> Option<usize> {
        joint.parent.and_then(|p| self.place(p))
    }
}

impl Skeleton {
    /// Returns the joints, parents first: in their own order if that is possible, otherwise in that of
    /// [`order`](Self::order).
    ///
    /// # Errors
    /// If joints form a cycle or refer to a missing joint, or if the budget does not suffice for the lists.
    pub fn parents_first(&self, budget: &Budget) -> Result<Order, ConvertError> {
        let n = self.joints.len();
        budget.charge_items("joints", n as u64, size_of::<[usize; 4]>())?;
        let cycle = || ConvertError::invalid("joints", "they form a cycle or name a missing joint");
        let found = self.order().ok_or_else(cycle)?;
        let sorted = self.joints.iter().enumerate().all(|(i, j)| j.parent.is_none_or(|p| p < i));
        let joints: Vec<_> = if sorted { (0..n).collect() } else { found };
        let mut places = alloc::vec![0; n];
        for (place, joint) in joints.iter().enumerate() {
            if let Some(slot) = places.get_mut(*joint) {
                *slot = place;
            }
        }
        Ok(Order { joints, places })
    }

    /// Returns the local matrices of the rest pose in 64 bits.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub fn rest_locals(&self, budget: &Budget) -> Result<Vec<Affine64>, LimitExceeded> {
        let mut locals = budget.reserve("joints", self.joints.len())?;
        locals.extend(self.joints.iter().map(|j| j.rest.to_affine64()));
        Ok(locals)
    }
}

/// Converts local matrices to model space, in place. `order` is that of [`Skeleton::order`].
pub(crate) fn to_model(skeleton: &Skeleton, order: &[usize], locals: &mut [Affine64]) {
    for &i in order {
        let Some((joint, local)) = skeleton.joints.get(i).zip(locals.get(i).copied()) else { continue };
        let matrix = if joint.follows.is_empty() {
            joint.parent.and_then(|p| locals.get(p)).map_or(local, |parent| parent.after(&local))
        } else {
            mean(&joint.follows, locals)
        };
        if let Some(slot) = locals.get_mut(i) {
            *slot = matrix;
        }
    }
}

/// Returns the weighted mean of some of the matrices; the identity if the weights sum to zero.
fn mean(parts: &[(usize, f32)], matrices: &[Affine64]) -> Affine64 {
    let mut sum = Affine64 { x: [0.0; 3], y: [0.0; 3], z: [0.0; 3], w: [0.0; 3] };
    let mut total = 0.0_f64;
    for (m, w) in parts.iter().filter_map(|(j, w)| Some((matrices.get(*j)?, f64::from(*w)))) {
        let more = |a, b: [f64; 3]| add(a, scale(b, w));
        sum = Affine64 { x: more(sum.x, m.x), y: more(sum.y, m.y), z: more(sum.z, m.z), w: more(sum.w, m.w) };
        total += w;
    }
    let over = |v: [f64; 3]| v.map(|c| c / total);
    if total == 0.0 {
        return Affine64::IDENTITY;
    }
    Affine64 { x: over(sum.x), y: over(sum.y), z: over(sum.z), w: over(sum.w) }
}

/// The pose in which a skeleton's vertices are bound.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BindPose {
    /// Matrices in model space.
    pub model: Vec<Affine64>,
    /// Matrices relative to the joints' parents.
    pub locals: Vec<Affine64>,
    /// Matrices from model space to each joint's space; `None` for a joint that flattens space.
    pub inverses: Vec<Option<Affine64>>,
    /// True if it differs from the rest pose.
    pub differs_from_rest: bool,
}

impl BindPose {
    /// Computes the bind pose from the inverse bind matrices of a skeleton. Only joints that move vertices
    /// count, and only those of skins that bind in model space. The other joints keep their rest pose
    /// relative to their parents.
    ///
    /// # Errors
    /// If the skeleton does not exist or its joints do not form a tree, if the pose of a joint cannot be computed
    /// because its parent is flat, or if the budget does not suffice for the matrices.
    pub fn solve(scene: &Scene, id: SkeletonId, budget: &Budget) -> Result<Self, ConvertError> {
        let path = || format!("skeletons[{}]", id.0);
        let invalid = || ConvertError::invalid(path(), "does not exist or its joints form no tree");
        let skeleton = scene.skeletons.get(id.0).ok_or_else(invalid)?;
        let n = skeleton.joints.len();
        budget.charge_items("joints", n as u64, size_of::<[usize; 4]>())?;
        let order = skeleton.order().ok_or_else(invalid)?;
        let stated = stated_matrices(scene, id, skeleton, budget)?;
        let mut locals = skeleton.rest_locals(budget)?;
        let mut model = budget.reserve("joints", n)?;
        model.extend(&locals);
        to_model(skeleton, &order, &mut model);
        let off = |(m, s): (&Affine64, &Option<Affine64>)| s.is_some_and(|s| !inverts(&s, m));
        let differs_from_rest = model.iter().zip(&stated).any(off);
        if differs_from_rest {
            place(skeleton, &order, &stated, &mut locals, &mut model)
                .map_err(|j| flattened(&format!("{}.joints[{j}]", path())))?;
        }
        let mut inverses = budget.reserve("joints", n)?;
        inverses.extend(model.iter().map(Affine64::inverse));
        Ok(Self { model, locals, inverses, differs_from_rest })
    }
}

fn flattened(path: &str) -> ConvertError {
    ConvertError::unsupported(path, "its parent flattens space in the bind pose")
}

/// Returns the inverse bind matrices of the joints that a weight refers to; `None` for other joints.
fn stated_matrices(
    scene: &Scene,
    id: SkeletonId,
    skeleton: &Skeleton,
    budget: &Budget,
) -> Result<Vec<Option<Affine64>>, LimitExceeded> {
    let mut stated = budget.filled("joints", skeleton.joints.len(), None)?;
    let skins = scene.meshes.iter().filter_map(|m| m.skin.as_ref());
    for skin in skins.filter(|s| s.skeleton == id && s.local.is_empty()) {
        for i in skin.influences.iter().filter(|i| i.weight != 0.0) {
            let at = i.joint as usize;
            if let Some((slot, joint)) = stated.get_mut(at).zip(skeleton.joints.get(at)) {
                slot.get_or_insert_with(|| joint.inverse_bind.wide());
            }
        }
    }
    Ok(stated)
}

/// Places joints according to their bind matrices. The error is the joint whose parent has no inverse.
fn place(
    skeleton: &Skeleton,
    order: &[usize],
    stated: &[Option<Affine64>],
    locals: &mut [Affine64],
    model: &mut [Affine64],
) -> Result<(), usize> {
    for &i in order {
        let Some((joint, local)) = skeleton.joints.get(i).zip(locals.get(i).copied()) else { continue };
        let parent = joint.parent.and_then(|p| model.get(p)).copied();
        let bound = stated.get(i).copied().flatten().and_then(|s| s.inverse());
        let world = match bound {
            Some(world) => world,
            None if joint.follows.is_empty() => parent.map_or(local, |p| p.after(&local)),
            None => mean(&joint.follows, model),
        };
        if bound.is_some() {
            let own = match parent {
                Some(parent) => parent.inverse().ok_or(i)?.after(&world),
                None => world,
            };
            if let Some(slot) = locals.get_mut(i) {
                *slot = own;
            }
        }
        if let Some(slot) = model.get_mut(i) {
            *slot = world;
        }
    }
    Ok(())
}

/// Returns true if `a` applied after `b` is nearly the identity, relative to the size of `b`'s translation.
fn inverts(a: &Affine64, b: &Affine64) -> bool {
    let both = a.after(b);
    let far = b.w.iter().map(|c| c.abs()).fold(1.0, f64::max);
    let off = |v: [f64; 3], unit: [f64; 3], size: f64| {
        v.iter().zip(unit).all(|(v, u)| (v - u).abs() / size <= SAME_POSE)
    };
    let unit = Affine64::IDENTITY;
    off(both.x, unit.x, 1.0)
        && off(both.y, unit.y, 1.0)
        && off(both.z, unit.z, 1.0)
        && off(both.w, unit.w, far)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Influence, Mesh, Skin};
    use crate::skeleton::Local;
    use crate::testing::strategy::wild_scene;
    use alloc::vec;
    use meshwright_core::Limits;
    use meshwright_core::math::{Affine, Trs};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    fn joint(parent: Option<usize>, x: f32) -> Joint {
        Joint::new("j", parent, Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY }))
    }

    #[test]
    fn children_follow_their_parents() {
        let skeleton = Skeleton {
            joints: vec![joint(Some(2), 0.0), joint(Some(0), 0.0), joint(None, 0.0)],
            ..Skeleton::default()
        };
        let order = skeleton.parents_first(&budget()).unwrap();
        assert_eq!(order.joints(), [2, 0, 1]);
        assert_eq!([0, 1, 2].map(|j| order.place(j)), [Some(1), Some(2), Some(0)]);
        assert_eq!(order.parent(&skeleton.joints[1]), Some(1));
        let sorted = Skeleton {
            joints: vec![joint(None, 0.0), joint(None, 0.0), joint(Some(0), 0.0)],
            ..Skeleton::default()
        };
        assert_eq!(sorted.parents_first(&budget()).unwrap().joints(), [0, 1, 2]);
        let cycle = Skeleton { joints: vec![joint(Some(0), 0.0)], ..Skeleton::default() };
        assert!(matches!(cycle.parents_first(&budget()), Err(ConvertError::Invalid { .. })));
        let none = Budget::new(Limits::default().with_memory(8));
        assert!(matches!(sorted.parents_first(&none), Err(ConvertError::Limit(_))));
    }

    /// Returns a chain of two joints at x = 1 and 2 in the rest pose, and a mesh bound to the second at x =
    /// 5.
    fn bound_elsewhere(weight: f32) -> Scene {
        let mut skeleton =
            Skeleton { joints: vec![joint(None, 1.0), joint(Some(0), 1.0)], ..Skeleton::default() };
        skeleton.bind_rest();
        skeleton.joints[1].inverse_bind = Affine { w: [-5.0, 0.0, 0.0], ..Affine::IDENTITY };
        let mut skin = Skin::new(SkeletonId(0));
        skin.influences.push(Influence { joint: 1, weight });
        skin.end_vertex();
        let mesh = Mesh { positions: vec![[5.0, 0.0, 0.0]], skin: Some(skin), ..Mesh::default() };
        Scene { meshes: vec![mesh], skeletons: vec![skeleton], ..Scene::default() }
    }

    #[test]
    fn bind_matrices_are_honoured_where_they_move_vertices() {
        let bind = BindPose::solve(&bound_elsewhere(1.0), SkeletonId(0), &budget()).unwrap();
        assert!(bind.differs_from_rest);
        assert_eq!([bind.model[0].w[0], bind.model[1].w[0]], [1.0, 5.0]);
        assert_eq!([bind.locals[0].w[0], bind.locals[1].w[0]], [1.0, 4.0]);
        assert_eq!(bind.inverses[1].unwrap().point([5.0, 0.0, 0.0]), [0.0; 3]);
        let unused = BindPose::solve(&bound_elsewhere(0.0), SkeletonId(0), &budget()).unwrap();
        assert!(!unused.differs_from_rest);
        assert_eq!(unused.model[1].w[0], 2.0);
        assert!(BindPose::solve(&Scene::default(), SkeletonId(0), &budget()).is_err());
    }

    proptest! {
        #[test]
        fn any_skeleton_has_a_bind_pose_or_an_error(scene in wild_scene()) {
            for (i, skeleton) in scene.skeletons.iter().enumerate() {
                let Ok(bind) = BindPose::solve(&scene, SkeletonId(i), &budget()) else { continue };
                prop_assert_eq!(bind.model.len(), skeleton.joints.len());
                if !bind.differs_from_rest {
                    let rest = skeleton.rest_model().unwrap();
                    for (a, b) in bind.model.iter().zip(&rest) {
                        let (a, b) = (a.narrow().to_array(), b.to_array());
                        let size = b.iter().fold(1.0_f32, |m, c| m.max(c.abs()));
                        prop_assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= size * 1e-4));
                    }
                }
            }
        }
    }
}
