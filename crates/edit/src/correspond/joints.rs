//! Matches edited joints to native ones, and finds the rotation that tools applied to their axes.

use crate::correspond::marks;
use crate::joint_index::{At, ListIndex, joints};
use crate::tools::fbx::is_leaf_of;
use crate::tools::three::name_of;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::quat::{self, Quat};
use meshwright_core::math::{Affine64, Trs64, distance};
use meshwright_core::{Budget, LimitExceeded, SortedMap};
use meshwright_scene::{Marks, Scene, Skeleton};

/// Largest difference of equal bind poses, relative to the size of the model.
const SAME_BIND: f64 = 1e-6;

/// A transform that differs from its decomposition by more than this has shear.
const SHEARED: f64 = 1e-4;

/// A joint of the edited scene.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bone {
    /// The native joint.
    pub(crate) native: Option<At>,
    /// The rotation of its axes to the native ones; `None` if they did not change.
    pub(crate) turn: Option<Quat>,
    /// A tool added it, and it has no effect.
    pub(crate) drop: bool,
}

/// The surroundings of a joint.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// It moves vertices.
    used: bool,
    /// It has children.
    inner: bool,
    /// It is an ancestor of a native joint.
    above: bool,
    /// It is a descendant of a native joint.
    below: bool,
}

/// The matches between the joints of the edited and the native scene, by skeleton.
#[derive(Debug)]
pub(crate) struct Bones {
    pub(crate) edited: Vec<Vec<Bone>>,
    /// The edited joint of each native joint.
    pub(crate) native: Vec<Vec<Option<At>>>,
    /// The edited scene has no joints, for example because a mesh was exported without its armature. Then its lack of
    /// weights is not an edit.
    pub(crate) silent: bool,
    /// The scale that an edited skeleton had compared to the native one, before it was moved into the translations.
    pub(crate) factors: SortedMap<usize, f64>,
}

impl Bones {
    pub(crate) fn get(&self, at: At) -> Bone {
        at.get(&self.edited).copied().unwrap_or_default()
    }

    pub(crate) fn factor(&self, skeleton: usize) -> f64 {
        self.factors.get(&skeleton).copied().unwrap_or(1.0)
    }

    pub(crate) fn edited(&self, native: At) -> Option<At> {
        native.value_in(&self.native)
    }

    /// Matches the joints of two scenes: by identity, by name, by the name that a tool derived from it, then by
    /// position.
    pub(crate) fn new(
        edited: &Scene,
        exported: &Scene,
        (extent, marks): (f64, Option<&Marks>),
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let mut bones = Self {
            edited: filled(&edited.skeletons, Bone::default(), budget)?,
            native: filled(&exported.skeletons, None, budget)?,
            silent: edited.skeletons.iter().all(|s| s.joints.is_empty()),
            factors: SortedMap::new(),
        };
        let joints = edited.skeletons.iter().chain(&exported.skeletons).map(|s| s.joints.len() as u64);
        // Names are stored as keys twice.
        budget.charge_items("joints", joints.sum(), size_of::<[(String, At); 6]>())?;
        // Several skeletons may have joints of the same names.
        let near = |a: Option<Affine64>, b: Option<Affine64>| {
            a.zip(b).is_some_and(|(a, b)| distance(a.w, b.w) <= 1e-4 * extent)
        };
        if let Some(marks) = marks {
            for (at, native) in marks::pairs(marks, edited, exported) {
                bones.pair(at, native);
            }
        }
        bones.by_name(edited, exported, |name| name.into(), &near);
        bones.by_name(edited, exported, |name| name.into(), &|_, _| true);
        bones.by_name(edited, exported, name_of, &|_, _| true);
        bones.by_place(edited, exported, extent, budget)?;
        bones.dropped(edited, budget)?;
        Ok(bones)
    }

    fn pair(&mut self, edited: At, native: At) {
        if let (Some(bone), Some(slot)) = (edited.get_mut(&mut self.edited), native.get_mut(&mut self.native))
        {
            bone.native = Some(native);
            *slot = Some(edited);
        }
    }

    /// Matches joints with equal names in order, if their bind poses satisfy `fits`.
    fn by_name(
        &mut self,
        edited: &Scene,
        exported: &Scene,
        key: fn(&str) -> String,
        fits: &dyn Fn(Option<Affine64>, Option<Affine64>) -> bool,
    ) {
        /// Most joints of one name that are compared.
        const LOOKED_AT: usize = 16;
        let mut free: SortedMap<String, VecDeque<At>> = SortedMap::new();
        for (at, joint) in joints(&exported.skeletons) {
            if self.edited(at).is_none() {
                free.entry(key(&joint.name)).or_default().push_back(at);
            }
        }
        let place = |scene: &Scene, at: At| scene.skeletons.get(at.skeleton).and_then(|s| bind(s, at.joint));
        for (at, joint) in joints(&edited.skeletons) {
            if self.get(at).native.is_some() {
                continue;
            }
            let Some(list) = free.get_mut(&key(&joint.name)) else { continue };
            let here = place(edited, at);
            let fit = |native: &At| fits(here, place(exported, *native));
            // The joint with the same index is preferred.
            let own = list.binary_search(&at).ok().filter(|_| fit(&at));
            let found = own.or_else(|| list.iter().take(LOOKED_AT).position(fit));
            if let Some(native) = found.and_then(|n| list.remove(n)) {
                self.pair(at, native);
            }
        }
    }

    /// Matches an edited joint whose parent is matched, or that is a root, to the unmatched native child of the same
    /// parent at the same position.
    fn by_place(
        &mut self,
        edited: &Scene,
        exported: &Scene,
        extent: f64,
        budget: &Budget,
    ) -> Result<(), LimitExceeded> {
        let all = exported.skeletons.iter().map(|s| s.joints.len() as u64).sum();
        for (s, skeleton) in edited.skeletons.iter().enumerate() {
            let Some(order) = skeleton.order() else { continue };
            for j in order {
                let at = At { skeleton: s, joint: j };
                let Some(joint) = skeleton.joints.get(j).filter(|_| self.get(at).native.is_none()) else {
                    continue;
                };
                let parent = joint.parent.and_then(|p| self.get(At { joint: p, ..at }).native);
                if joint.parent.is_some() && parent.is_none() {
                    continue;
                }
                budget.work("joints", all)?;
                let here = bind(skeleton, j);
                let mut siblings = joints(&exported.skeletons).filter(|(native, candidate)| {
                    let above = candidate.parent.map(|p| At { joint: p, ..*native });
                    self.edited(*native).is_none() && above == parent
                });
                let near = |(native, _): &(At, _)| {
                    let there = exported.skeletons.get(native.skeleton).and_then(|s| bind(s, native.joint));
                    let (Some(a), Some(b)) = (here, there) else { return false };
                    distance(a.w, b.w) <= 1e-4 * extent
                };
                let found = siblings.find(near).map(|(native, _)| native);
                if let Some(native) = found {
                    self.pair(at, native);
                }
            }
        }
        Ok(())
    }

    /// Marks joints to drop: leaves that an exporter adds at the ends of bones, and nodes above the skeleton that move
    /// nothing.
    fn dropped(&mut self, edited: &Scene, budget: &Budget) -> Result<(), LimitExceeded> {
        for (s, skeleton) in edited.skeletons.iter().enumerate() {
            let Some(order) = skeleton.order() else { continue };
            let marks = self.marks(edited, s, &order, budget)?;
            for (j, (joint, mark)) in skeleton.joints.iter().zip(marks).enumerate() {
                let at = At { skeleton: s, joint: j };
                let over = joint.parent.and_then(|p| skeleton.joints.get(p));
                let tip = !mark.inner && over.is_some_and(|bone| is_leaf_of(&joint.name, &bone.name));
                let armature = mark.above && !mark.below;
                if let Some(bone) = at.get_mut(&mut self.edited) {
                    bone.drop = bone.native.is_none() && !mark.used && (tip || armature);
                }
            }
        }
        Ok(())
    }

    /// Returns the surroundings of each joint. `order` has parents first.
    fn marks(
        &self,
        edited: &Scene,
        s: usize,
        order: &[usize],
        budget: &Budget,
    ) -> Result<Vec<Mark>, LimitExceeded> {
        let Some(skeleton) = edited.skeletons.get(s) else { return Ok(Vec::new()) };
        let mut marks = budget.filled("joints", skeleton.joints.len(), Mark::default())?;
        for skin in edited.meshes.iter().filter_map(|m| m.skin.as_ref()).filter(|k| k.skeleton.0 == s) {
            for i in skin.influences.iter().filter(|i| i.weight != 0.0) {
                if let Some(mark) = marks.get_mut(i.joint as usize) {
                    mark.used = true;
                }
            }
        }
        let is_native = |joint: usize| self.get(At { skeleton: s, joint }).native.is_some();
        let parent = |joint: usize| skeleton.joints.get(joint).and_then(|j| j.parent);
        for &j in order {
            let Some(p) = parent(j) else { continue };
            let below = is_native(p) || marks.get(p).is_some_and(|m| m.below);
            if let Some(mark) = marks.get_mut(j) {
                mark.below = below;
            }
        }
        for &j in order.iter().rev() {
            let Some(p) = parent(j) else { continue };
            let above = is_native(j) || marks.get(j).is_some_and(|m| m.above);
            if let Some(mark) = marks.get_mut(p) {
                mark.inner = true;
                mark.above |= above;
            }
        }
        Ok(marks)
    }

    /// Computes the rotation that a tool applied to the axes of each joint, from the bind matrices.
    pub(crate) fn turns(
        &mut self,
        edited: &Scene,
        exported: &Scene,
        extent: f64,
        budget: &Budget,
    ) -> Result<(), LimitExceeded> {
        let mut axes = budget.reserve("joints", exported.skeletons.len())?;
        for skeleton in &exported.skeletons {
            axes.push(axes_of(skeleton, budget)?);
        }
        for (s, skeleton) in edited.skeletons.iter().enumerate() {
            for j in 0..skeleton.joints.len() {
                let at = At { skeleton: s, joint: j };
                let Some(native) = self.get(at).native else { continue };
                let there = exported.skeletons.get(native.skeleton).and_then(|s| bind(s, native.joint));
                let (Some(here), Some(there)) = (bind(skeleton, j), there) else { continue };
                let Some(axes) = native.get(&axes) else { continue };
                let turn = quat::product(quat::conjugate(Trs64::from_affine(&here).rotation), *axes);
                // A joint that only moved keeps its axes, also if its ancestors shear it.
                let moved = Affine64 { w: there.w, ..here };
                if let Some(bone) = at.get_mut(&mut self.edited)
                    && !is_near_transform(&moved, &there, extent)
                {
                    bone.turn = Some(turn).filter(|q| quat::angle(*q, quat::IDENTITY) > SAME_BIND);
                }
            }
        }
        Ok(())
    }
}

/// Returns the rotation of each joint in the bind pose. A joint that is sheared by the scales of its ancestors gets the
/// rotation that it would have without them, because tools that cannot store shear keep that rotation.
fn axes_of(skeleton: &Skeleton, budget: &Budget) -> Result<Vec<Quat>, LimitExceeded> {
    let mut axes = budget.filled("joints", skeleton.joints.len(), quat::IDENTITY)?;
    let mut sheared = false;
    for j in skeleton.order().unwrap_or_default() {
        let Some(own) = bind(skeleton, j) else { continue };
        let trs = Trs64::from_affine(&own);
        sheared |= trs.misfit(&own) > SHEARED;
        let parent = skeleton.joints.get(j).and_then(|joint| joint.parent);
        let above = parent.and_then(|p| Some((axes.get(p).copied()?, bind(skeleton, p)?)));
        let turned = match above.filter(|_| sheared) {
            Some((above, bound)) => bound
                .inverse()
                .map(|back| quat::product(above, Trs64::from_affine(&back.after(&own)).rotation)),
            None => None,
        };
        axes.get_mut(j).into_iter().for_each(|slot| *slot = turned.unwrap_or(trs.rotation));
    }
    Ok(axes)
}

/// Returns a list per skeleton, with a value for each joint.
pub(crate) fn filled<T: Clone>(
    skeletons: &[Skeleton],
    value: T,
    budget: &Budget,
) -> Result<Vec<Vec<T>>, LimitExceeded> {
    let mut lists = budget.reserve("joints", skeletons.len())?;
    for skeleton in skeletons {
        lists.push(budget.filled("joints", skeleton.joints.len(), value.clone())?);
    }
    Ok(lists)
}

/// Returns the bind pose of a joint in model space.
pub(crate) fn bind(skeleton: &Skeleton, joint: usize) -> Option<Affine64> {
    skeleton.joints.get(joint)?.inverse_bind.wide().inverse()
}

/// Returns true if two transforms are nearly equal, relative to the size of the model.
pub(crate) fn is_near_transform(a: &Affine64, b: &Affine64, extent: f64) -> bool {
    let (p, q) = (a.to_array(), b.to_array());
    let mut pairs = p.iter().zip(q);
    let linear = pairs.by_ref().take(9).all(|(a, b)| (a - b).abs() <= SAME_BIND * b.abs().max(1.0));
    linear && pairs.all(|(a, b)| (a - b).abs() <= SAME_BIND * extent)
}
