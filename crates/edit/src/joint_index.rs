//! The index of a joint in the skeletons of a scene.

use alloc::vec::Vec;
use meshwright_scene::{Joint, Skeleton};

/// A joint of a skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The skeleton.
    pub skeleton: usize,
    /// Index in the skeleton.
    pub joint: usize,
}

/// An index into one list per skeleton.
pub(crate) trait ListIndex {
    fn get<T>(self, lists: &[Vec<T>]) -> Option<&T>;
    fn get_mut<T>(self, lists: &mut [Vec<T>]) -> Option<&mut T>;

    /// Returns the value of the joint in a list of optional values.
    fn value_in<T: Copy>(self, lists: &[Vec<Option<T>>]) -> Option<T>
    where
        Self: Sized,
    {
        self.get(lists).copied().flatten()
    }

    /// Sets the value in a list of optional values.
    fn set<T: Copy>(self, lists: &mut [Vec<Option<T>>], value: T)
    where
        Self: Sized,
    {
        self.get_mut(lists).into_iter().for_each(|slot| *slot = Some(value));
    }
}

impl ListIndex for At {
    fn get<T>(self, lists: &[Vec<T>]) -> Option<&T> {
        lists.get(self.skeleton)?.get(self.joint)
    }

    fn get_mut<T>(self, lists: &mut [Vec<T>]) -> Option<&mut T> {
        lists.get_mut(self.skeleton)?.get_mut(self.joint)
    }
}

/// Returns a joint and its ancestors, the nearest first.
pub(crate) fn ancestors(joints: &[Joint], joint: Option<usize>) -> impl Iterator<Item = usize> {
    core::iter::successors(joint, |j| joints.get(*j)?.parent).take(joints.len())
}

/// Returns all joints of some skeletons.
pub(crate) fn joints(skeletons: &[Skeleton]) -> impl Iterator<Item = (At, &Joint)> {
    skeletons.iter().enumerate().flat_map(|(skeleton, s)| {
        s.joints.iter().enumerate().map(move |(joint, j)| (At { skeleton, joint }, j))
    })
}
