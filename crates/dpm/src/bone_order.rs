//! Orders bones such that parents come before their children.

use crate::bone::{Bone, BonePose};
use alloc::vec::Vec;

/// Returns the old indices of bones in an order with parents first, with as few changes as possible.
///
/// # Errors
/// Returns the index of a bone whose parent is missing, or which is its own ancestor.
pub(crate) fn parents_first(bones: &[Bone]) -> Result<Vec<u32>, usize> {
    let mut order = Vec::with_capacity(bones.len());
    // 0: not visited; 1: waiting for its parents; 2: done.
    let mut marks = alloc::vec![0_u8; bones.len()];
    let mut waiting = Vec::new();
    for start in 0..bones.len() {
        let mut next = Some(start);
        while let Some(i) = next.take() {
            match marks.get_mut(i) {
                None => return Err(waiting.last().copied().unwrap_or(start)),
                Some(1) => return Err(i),
                Some(mark @ 0) => {
                    *mark = 1;
                    waiting.push(i);
                    next = bones.get(i).and_then(Bone::parent);
                }
                Some(_) => {}
            }
        }
        while let Some(i) = waiting.pop() {
            order.push(u32::try_from(i).unwrap_or(u32::MAX));
            if let Some(mark) = marks.get_mut(i) {
                *mark = 2;
            }
        }
    }
    Ok(order)
}

/// New indices for the remaining bones, and for everything that refers to them.
pub(crate) struct Renumbering {
    /// The old index of each remaining bone.
    order: Vec<u32>,
    /// The new index of each old bone.
    numbers: Vec<Option<u32>>,
}

impl Renumbering {
    /// Keeps the bones in `order`. `bones` is their number before.
    pub(crate) fn new(order: Vec<u32>, bones: usize) -> Self {
        let mut numbers = alloc::vec![None; bones];
        for (new, &old) in order.iter().enumerate() {
            if let Some(number) = numbers.get_mut(old as usize) {
                *number = u32::try_from(new).ok();
            }
        }
        Self { order, numbers }
    }

    /// Returns true if every bone keeps its index.
    pub(crate) fn is_identity(&self) -> bool {
        self.order.len() == self.numbers.len() && self.order.is_sorted()
    }

    /// Returns the new index of a bone, or the old one if the bone was removed.
    pub(crate) fn new_number(&self, bone: u32) -> u32 {
        self.numbers.get(bone as usize).copied().flatten().unwrap_or(bone)
    }

    pub(crate) fn bones(&self, bones: &[Bone]) -> Vec<Bone> {
        let bone = |&old: &u32| {
            let bone = bones.get(old as usize)?;
            let parent = bone.parent().and_then(|p| u32::try_from(p).ok()).map(|p| self.new_number(p));
            let parent = parent.and_then(|p| i32::try_from(p).ok());
            Some(Bone { parent: parent.unwrap_or(bone.parent), ..*bone })
        };
        self.order.iter().filter_map(bone).collect()
    }

    /// Converts poses of all old bones to poses of the new ones.
    pub(crate) fn poses(&self, poses: &mut Vec<BonePose>) {
        let (old, new) = (self.numbers.len(), self.order.len());
        let mut pose = Vec::with_capacity(new);
        let (mut from, mut to) = (0_usize, 0_usize);
        while let Some(all) = poses.get(from..from.saturating_add(old)).filter(|all| !all.is_empty()) {
            pose.clear();
            pose.extend(self.order.iter().filter_map(|&old| all.get(old as usize)));
            if let Some(place) = poses.get_mut(to..to.saturating_add(pose.len())) {
                place.copy_from_slice(&pose);
            }
            from = from.saturating_add(old);
            to = to.saturating_add(new);
        }
        poses.truncate(to);
    }
}

/// The memory for sorting per bone: marks, indices, bones, a pose.
pub(crate) const SORTING: usize = 128;

/// Returns true if every parent comes before its children.
pub(crate) fn is_in_order(bones: &[Bone]) -> bool {
    bones.iter().enumerate().all(|(i, bone)| bone.parent().is_none_or(|parent| parent < i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bone::Name;
    use alloc::vec;

    fn order(parents: &[i32]) -> Result<Vec<u32>, usize> {
        parents_first(&parents.iter().map(|&p| Bone::new(Name::default(), p)).collect::<Vec<_>>())
    }

    #[test]
    fn bones_are_moved_as_little_as_can_be() {
        assert_eq!(order(&[-1, 0, 1, 0]), Ok(vec![0, 1, 2, 3]));
        assert_eq!(order(&[2, 0, -1, 1]), Ok(vec![2, 0, 1, 3]));
        assert_eq!(order(&[3, -1, 0, 2, 1]), Err(0), "a circle");
        assert_eq!(order(&[-1, 1]), Err(1));
        assert_eq!(order(&[-1, 9]), Err(1), "missing");
        assert_eq!(order(&[]), Ok(vec![]));
        let chain: Vec<i32> = (1..=100_000).map(|p| if p == 100_000 { -1 } else { p }).collect();
        assert_eq!(order(&chain).map(|o| o[0]), Ok(99_999));
    }

    #[test]
    fn numbers_follow() {
        let bones: Vec<_> = [2, 0, -1].iter().map(|&p| Bone::new(Name::default(), p)).collect();
        let moved = Renumbering::new(vec![2, 0, 1], 3);
        let parents = |bones: &[Bone]| bones.iter().map(|b| b.parent).collect::<Vec<_>>();
        assert_eq!(parents(&moved.bones(&bones)), [-1, 0, 1]);
        assert_eq!((moved.new_number(1), moved.is_identity()), (2, false));
        let poses: Vec<_> = (0..6_u8).map(|i| BonePose::from([[f32::from(i); 4]; 3])).collect();
        let moved_by = |by: &Renumbering| {
            let mut poses = poses.clone();
            by.poses(&mut poses);
            poses.iter().map(|p| p.rows()[0][0]).collect::<Vec<_>>()
        };
        assert_eq!(moved_by(&moved), [2.0, 0.0, 1.0, 5.0, 3.0, 4.0]);
        assert_eq!(moved_by(&Renumbering::new(vec![0, 2], 3)), [0.0, 2.0, 3.0, 5.0]);
    }
}
