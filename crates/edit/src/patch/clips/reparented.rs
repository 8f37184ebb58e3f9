//! Clips that the edited scene lacks, of joints that have other parents now.

use super::Maker;
use crate::correspond::poses::differs;
use crate::joint_index::ancestors;
use crate::report::ClipChange;
use alloc::vec::Vec;
use meshwright_core::math::Affine64;
use meshwright_core::{SortedMap, SortedSet};
use meshwright_scene::{ConvertError, Joint, Sampler};

impl Maker<'_, '_, '_> {
    /// Returns the poses of joints with other parents in a clip that the edited scene lacks: in each frame, such a joint
    /// stays where it was.
    pub(super) fn reparented(
        &self,
        c: usize,
        change: &mut ClipChange,
    ) -> Result<SortedMap<(u32, usize), Affine64>, ConvertError> {
        let mut edits = SortedMap::new();
        let exported = Sampler::new(self.work.exported, c, self.work.budget)?;
        let s = exported.clip().skeleton.0;
        let to = self.scene.skeletons.get(s).map_or(&[][..], |s| &s.joints);
        let native = self.placed.native.get(s).map_or(&[][..], Vec::as_slice);
        let place = |n: usize| native.get(n).copied().flatten().map(|at| at.joint);
        let hangs = |(n, joint): (usize, &Joint)| {
            let result = place(n)?;
            let parent = to.get(result)?.parent;
            (joint.parent.map(place) != parent.map(Some)).then_some((n, result, parent))
        };
        let hung: Vec<_> = exported.skeleton().joints.iter().enumerate().filter_map(hangs).collect();
        let changes = self.joints.get(s).map_or(&[][..], Vec::as_slice);
        let (mut locals, mut worlds, mut joints) = (Vec::new(), Vec::new(), SortedSet::new());
        let whole = || exported.whole_frames().take(if hung.is_empty() { 0 } else { usize::MAX });
        for (number, frame) in (0_u32..).zip(whole()) {
            exported.locals(frame, &mut locals)?;
            exported.model(frame, &mut worlds)?;
            self.work.budget.work("joints", (hung.len() as u64).saturating_mul(to.len() as u64))?;
            self.work.budget.charge_items("poses", hung.len() as u64, size_of::<[Affine64; 2]>())?;
            let before = edits.len();
            for &(n, result, above) in &hung {
                let (Some(there), Some(world)) = (locals.get(n), worlds.get(n)) else { continue };
                // New joints between the joint and a native one rest.
                let mut parent = Affine64::IDENTITY;
                for (joint, own) in ancestors(to, above).filter_map(|p| to.get(p).zip(changes.get(p))) {
                    let known = own.original.and_then(|n| worlds.get(n));
                    parent = known.copied().unwrap_or_else(|| joint.rest.to_affine64()).after(&parent);
                    if known.is_some() {
                        break;
                    }
                }
                let Some(here) = parent.inverse().map(|inverse| inverse.after(world)) else { continue };
                if let Some((angle, moved)) = differs(&here, there, None, &self.tolerance) {
                    change.grow(angle, moved);
                    edits.insert((number, result), here);
                    joints.insert(result);
                }
            }
            if edits.len() > before {
                change.frames.push(number);
            }
        }
        self.tell(&exported, &joints, change);
        Ok(edits)
    }
}
