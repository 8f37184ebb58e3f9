//! The parents of a skeleton's bones, and their poses.
#![allow(clippy::indexing_slicing, reason = "indices that the same function made")]

use super::model::{Bone, Skel};
use crate::name::{Name, NameIndex};
use crate::pose::BonePose;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::Affine64;

impl Bone {
    /// Returns the rest pose.
    pub fn rest(&self) -> BonePose {
        BonePose {
            translation: self.translation.map(F32::get).map(f64::from),
            rotation: self.rotation.map(F32::get).map(f64::from),
        }
    }
}

impl Skel {
    /// Returns the bone of this name: with the same spelling, otherwise ignoring letter case.
    pub fn find(&self, name: &Name) -> Option<usize> {
        let same = |exact: bool| {
            self.bones.iter().position(|b| if exact { b.name == *name } else { b.name.matches(name) })
        };
        same(true).or_else(|| same(false))
    }

    pub(crate) fn index(&self) -> NameIndex<'_> {
        NameIndex::new(self.bones.iter().map(|b| &b.name))
    }

    /// Returns the parent of every bone.
    ///
    /// If rules are broken: a bone whose parent does not exist is a root, and the first bone of a circle of parents
    /// is a root.
    pub fn parents(&self) -> Vec<Option<usize>> {
        self.resolve(&self.index()).0
    }

    /// Returns parents without cycles, and the bones whose parent was removed for this.
    pub(crate) fn resolve(&self, index: &NameIndex<'_>) -> (Vec<Option<usize>>, Vec<usize>) {
        let named = self.bones.iter().map(|b| b.parent_name().and_then(|p| index.find(p)));
        let walk = Walk::new(named.collect());
        (walk.parents, walk.cut)
    }

    /// Returns the rest pose of all bones.
    pub fn rest(&self) -> Vec<BonePose> {
        self.bones.iter().map(Bone::rest).collect()
    }

    /// Returns the model-space matrices of all bones in a pose; bones without a pose are at rest.
    pub fn world(&self, pose: &[BonePose]) -> Vec<Affine64> {
        let parents = self.parents();
        let local = |i: usize| match (pose.get(i), self.bones.get(i)) {
            (Some(p), _) => p.matrix(),
            (None, Some(b)) => b.rest().matrix(),
            (None, None) => Affine64::IDENTITY,
        };
        let mut world: Vec<Option<Affine64>> = alloc::vec![None; parents.len()];
        let mut chain = Vec::new();
        for start in 0..parents.len() {
            let mut at = Some(start);
            while let Some(i) = at.filter(|i| world[*i].is_none()) {
                chain.push(i);
                at = parents[i];
            }
            let mut above = at.and_then(|i| world[i]);
            while let Some(i) = chain.pop() {
                let matrix = above.map_or_else(|| local(i), |m| m.after(&local(i)));
                world[i] = Some(matrix);
                above = Some(matrix);
            }
        }
        world.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Returns the bone of each name, as [`find`](Self::find) does.
    pub fn find_all<'n>(&self, names: impl IntoIterator<Item = &'n Name>) -> Vec<Option<usize>> {
        let index = self.index();
        names.into_iter().map(|name| index.find(name)).collect()
    }

    /// Returns the matrices for the bones that a mesh names, of all bones' matrices; the identity for a bone that the
    /// skeleton does not have.
    pub fn matrices_for(&self, names: &[Name], world: &[Affine64]) -> Vec<Affine64> {
        let matrix = |bone: Option<usize>| bone.and_then(|i| world.get(i)).copied().unwrap_or_default();
        self.find_all(names).into_iter().map(matrix).collect()
    }
}

/// The tree of bones, without circles.
#[derive(Debug)]
pub(crate) struct Walk {
    pub(crate) parents: Vec<Option<usize>>,
    /// Bones that became roots because they were their own ancestors.
    pub(crate) cut: Vec<usize>,
}

impl Walk {
    /// Makes the first bone of every circle a root.
    pub(crate) fn new(mut parents: Vec<Option<usize>>) -> Self {
        // The number of the walk that first came by; a walk that meets its own number has closed a circle.
        let mut walked = alloc::vec![usize::MAX; parents.len()];
        let mut cut = Vec::new();
        for start in 0..parents.len() {
            let mut at = Some(start);
            while let Some(i) = at.filter(|i| walked[*i] == usize::MAX) {
                walked[i] = start;
                at = parents[i];
            }
            let Some(met) = at.filter(|i| walked[*i] == start) else { continue };
            let (mut first, mut i) = (met, parents[met]);
            while let Some(next) = i.filter(|i| *i != met) {
                first = first.min(next);
                i = parents[next];
            }
            parents[first] = None;
            cut.push(first);
        }
        Self { parents, cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::f32s;

    fn skel(bones: &[(&str, &str)]) -> Skel {
        let bone = |(name, parent): &(&str, &str)| Bone {
            name: Name::from(*name),
            parent: Name::from(*parent),
            translation: f32s([1.0, 0.0, 0.0]),
            rotation: f32s([0.0, 0.0, 0.0, -1.0]),
            ..Bone::default()
        };
        Skel { bones: bones.iter().map(bone).collect(), ..Skel::default() }
    }

    #[test]
    fn children_may_come_first_and_case_does_not_matter() {
        let s = skel(&[("hand", "ARM"), ("Arm", "root"), ("ROOT", "NULL")]);
        assert_eq!(s.parents(), [Some(1), Some(2), None]);
        let world = s.world(&s.rest());
        assert_eq!(world[0].point([0.0; 3]), [3.0, 0.0, 0.0]);
        assert_eq!(s.matrices_for(&[Name::from("HAND"), Name::from("x")], &world)[1], Affine64::IDENTITY);
    }

    #[test]
    fn circles_are_cut_once() {
        let s = skel(&[("a", "b"), ("b", "c"), ("c", "b"), ("d", "d"), ("e", "a")]);
        assert_eq!(
            s.resolve(&s.index()),
            (alloc::vec![Some(1), None, Some(1), None, Some(0)], alloc::vec![1, 3])
        );
        assert_eq!(s.world(&s.rest())[4].point([0.0; 3]), [3.0, 0.0, 0.0]);
    }
}
