//! The index of a joint in the skeletons of a scene.

use alloc::vec::Vec;

/// A joint by its skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct At {
    pub(crate) skeleton: usize,
    pub(crate) joint: usize,
}

/// An index into lists of lists.
pub(crate) trait Place {
    fn of<T>(self, lists: &[Vec<T>]) -> Option<&T>;
    fn of_mut<T>(self, lists: &mut [Vec<T>]) -> Option<&mut T>;
}

impl Place for At {
    fn of<T>(self, lists: &[Vec<T>]) -> Option<&T> {
        lists.get(self.skeleton)?.get(self.joint)
    }

    fn of_mut<T>(self, lists: &mut [Vec<T>]) -> Option<&mut T> {
        lists.get_mut(self.skeleton)?.get_mut(self.joint)
    }
}
