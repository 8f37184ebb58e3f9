//! Joints and their indices in the result.

use super::{IqmMerge, Text};
use crate::model::{Iqm, IqmJoint};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_edit::apply::Origin;
use meshwright_scene::ConvertError;

/// Number of joints of a model; for a model with only poses, the number of poses.
pub(super) fn count(model: &Iqm) -> usize {
    model.joints.len().max(model.poses.len())
}

/// Decodes a stored parent.
fn decode_parent(parent: i32) -> Option<usize> {
    usize::try_from(parent).ok()
}

impl IqmMerge<'_> {
    /// Returns the index of a joint that a vertex of the original follows. An index without a joint stays.
    pub(super) fn new_index(&self, joint: u32) -> Option<u32> {
        if (joint as usize) < count(self.original) { self.joints.of_original(joint) } else { Some(joint) }
    }

    /// Returns the stored parent of a joint of the result, which is `original` in the original.
    fn stored_parent(&self, joint: usize, original: Option<i32>) -> i32 {
        let made = self.joints.records.list.get(joint).and_then(|o| o.made);
        let made = made.and_then(|m| self.made.model.poses.get(m)).and_then(|p| decode_parent(p.parent));
        let number = self.joints.parent(joint, original.and_then(decode_parent), made);
        // Roots may have any negative number.
        number.and_then(|n| i32::try_from(n).ok()).unwrap_or_else(|| original.unwrap_or(-1).min(-1))
    }

    /// Returns the stored parent of a joint of the result.
    fn parent(&self, joint: usize, origin: &Origin) -> i32 {
        let own = |n: usize| self.original.joints.get(n).map(|j| j.parent);
        let pose = |n: usize| self.original.poses.get(n).map(|p| p.parent);
        self.stored_parent(joint, origin.original.and_then(|n| own(n).or_else(|| pose(n))))
    }

    /// Returns the stored parent of a pose of the result, which may differ from that of its joint.
    pub(super) fn parent_of_pose(&self, joint: usize, origin: &Origin) -> i32 {
        match origin.original.and_then(|n| self.original.poses.get(n)) {
            Some(pose) => self.stored_parent(joint, Some(pose.parent)),
            None => self.parent(joint, origin),
        }
    }

    /// Adds joints to a model with only poses, if some have other names or rest poses now, or if its first frame, which
    /// is their rest pose, changed.
    pub(super) fn hold_rest(&self, model: &mut Iqm, text: &mut Text<'_>) -> Result<(), ConvertError> {
        let (original, made) = (self.original, &self.made.model);
        let (was, is) = (original.frame_channels_at(0), model.frame_channels_at(0));
        let row = |rows: &Option<Vec<[f32; 10]>>, at: Option<usize>| rows.as_ref()?.get(at?).copied();
        let bits = |row: Option<[f32; 10]>| row.map(|row| row.map(f32::to_bits));
        let records = &self.joints.records.list;
        let moves = |(at, origin): (usize, &Origin)| {
            origin.original.is_some() && bits(row(&was, origin.original)) != bits(row(&is, Some(at)))
        };
        let named =
            |(at, origin): (usize, &Origin)| origin.original.is_none() || self.joints.change(at).renamed;
        let rests = |at: usize| self.joints.change(at).rest;
        let renamed = !self.made.nameless && records.iter().enumerate().any(named);
        let moves = |(at, origin): (usize, &Origin)| moves((at, origin)) || rests(at);
        if !original.joints.is_empty() || !renamed && !records.iter().enumerate().any(moves) {
            return Ok(());
        }
        for (at, origin) in records.iter().enumerate() {
            let own = origin.made.and_then(|m| made.joints.get(m)).copied().unwrap_or_default();
            let name = text.add(made.str(own.name))?;
            let mut joint = IqmJoint { name, parent: self.parent(at, origin), ..own };
            let kept = row(&was, origin.original).filter(|_| !rests(at));
            if let Some([a, b, c, x, y, z, w, d, e, f]) = kept {
                joint.translate = [a, b, c].map(F32::new);
                joint.rotate = [x, y, z, w].map(F32::new);
                joint.scale = [d, e, f].map(F32::new);
            }
            model.joints.push(joint);
        }
        Ok(())
    }

    /// Writes the joints into a model.
    pub(super) fn put_joints(&self, model: &mut Iqm, text: &mut Text<'_>) -> Result<(), ConvertError> {
        let (original, made) = (self.original, &self.made.model);
        let records = self.joints.records.list.iter().enumerate();
        let parents: Vec<i32> = records.clone().map(|(j, origin)| self.parent(j, origin)).collect();
        let later = parents.iter().enumerate().any(|(j, p)| decode_parent(*p).is_some_and(|p| p >= j));
        if later {
            let message = "a new joint has an index after its children";
            return Err(ConvertError::unsupported("joints", message));
        }
        // A model with only poses stays without joints as long as possible.
        if original.joints.is_empty() && !original.poses.is_empty() {
            return Ok(());
        }
        model.joints = Vec::with_capacity(parents.len());
        for ((j, origin), parent) in records.zip(parents) {
            let get = |model: &Iqm, at: Option<usize>| at.and_then(|at| model.joints.get(at)).copied();
            let (old, new) = (get(original, origin.original), get(made, origin.made));
            let change = self.joints.change(j);
            model.joints.push(match (old, new) {
                (Some(old), Some(new)) => {
                    let place = if change.rest || self.baked { new } else { old };
                    let name = if change.renamed { text.add(made.str(new.name))? } else { old.name };
                    IqmJoint { name, parent, ..place }
                }
                (None, Some(new)) => IqmJoint { name: text.add(made.str(new.name))?, parent, ..new },
                (old, None) => IqmJoint { parent, ..old.unwrap_or_default() },
            });
        }
        Ok(())
    }

    /// Returns true if all joints are those of the original, with the same rest poses.
    pub(super) fn has_same_rest(&self) -> bool {
        let moved = |j: usize| self.joints.change(j).rest || self.joints.change(j).parent;
        self.joints.records.is_original() && !(0..self.joints.records.list.len()).any(moved)
    }
}
