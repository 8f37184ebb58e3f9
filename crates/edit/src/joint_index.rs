//! The index of a joint in the skeletons of a scene.

use alloc::vec::Vec;

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
}

impl ListIndex for At {
    fn get<T>(self, lists: &[Vec<T>]) -> Option<&T> {
        lists.get(self.skeleton)?.get(self.joint)
    }

    fn get_mut<T>(self, lists: &mut [Vec<T>]) -> Option<&mut T> {
        lists.get_mut(self.skeleton)?.get_mut(self.joint)
    }
}
