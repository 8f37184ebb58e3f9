//! The report of a retargeting: mapped bones and errors.

use crate::map::Basis;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::Loss;

/// The report of a retargeting.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Each bone of the target.
    pub bones: Vec<BoneReport>,
    /// Bones of the source that have keys but move nothing.
    pub unused: Vec<String>,
    /// The ends of limbs and the head, if the source has clips.
    pub ends: Vec<EndReport>,
    /// The factor by which the motion of the whole figure was multiplied.
    pub scale: f64,
}

/// The source of one target bone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoneReport {
    /// The target bone.
    pub target: String,
    /// The source bone; `None` if the target bone keeps its rest pose.
    pub source: Option<String>,
    /// The reason for the mapping.
    pub basis: Option<Basis>,
}

/// The distance of one end of a limb from the source's path, scaled to the target's size.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndReport {
    /// The bone.
    pub bone: String,
    /// The largest distance, as a part of the target's height.
    pub largest: f64,
    /// The mean distance, as a part of the target's height.
    pub mean: f64,
}

impl Report {
    /// Returns the notes and losses of a retargeting.
    pub fn losses(&self) -> Vec<Loss> {
        let mapped = self.bones.iter().filter_map(|bone| {
            let message = format!("follows `{}` ({})", bone.source.as_ref()?, bone.basis?);
            Some(Loss::note("retarget-bone", bone.target.clone(), message))
        });
        let mut losses: Vec<Loss> = mapped.collect();
        for bone in self.bones.iter().filter(|bone| bone.source.is_none()) {
            let message = "keeps its rest pose; no bone of the source was mapped to it";
            losses.push(Loss::note("retarget-bone-at-rest", bone.target.clone(), message));
        }
        for name in &self.unused {
            let message = "moves in the source, and no bone of the target was mapped to it";
            losses.push(Loss::new("retarget-bone-dropped", name.clone(), message));
        }
        if self.scale != 1.0 && !self.bones.is_empty() {
            let message = format!("the motion of the whole figure is multiplied by {:.4}", self.scale);
            losses.push(Loss::note("retarget-scale", "", message));
        }
        for end in &self.ends {
            let message = "differs from the source's path, scaled to the target's size";
            let loss = Loss::note("retarget-end", end.bone.clone(), message);
            // Below this, it is only a rounding error.
            let largest = if end.largest < 1e-7 { 0.0 } else { end.largest };
            losses.push(loss.with_amount(largest * 100.0, "% of the height"));
        }
        losses
    }
}
