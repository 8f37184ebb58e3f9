//! Converts a clip of a scene for an existing skeleton: with its bones, in its order and with its names.

use super::bones::{Bones, rotation_error};
use super::keys::{Frames, Keys};
use super::transforms;
use crate::name::Name;
use crate::pose::BonePose;
use crate::skel::Skel;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, distance, narrow, quat};
use meshwright_core::{F32, f32s};
use meshwright_scene::{AxisMap, Budget, ConvertError, Loss, Sampler};

/// The largest distance of equal bones, in units of the file, and the largest difference of their rotations, as
/// quaternions.
const ALIKE: [f64; 2] = [1e-4, 1e-5];

impl Bones<'_> {
    /// Returns true if the scene's joints have the rest poses and parents of the bones, so that keys of one are keys
    /// of the other.
    fn are_alike(&self, sampler: &Sampler<'_, '_>, axes: &AxisMap) -> bool {
        let joints = &sampler.skeleton().joints;
        let rests = self.skel.rest();
        let mut bones = self
            .joints
            .iter()
            .zip(&self.parents)
            .zip(&rests)
            .filter_map(|((joint, parent), rest)| Some((joints.get((*joint)?)?, *parent, rest)));
        bones.all(|(joint, parent, rest)| {
            let hangs = joint.parent == parent.and_then(|p| self.joints.get(p).copied().flatten());
            let own = axes.trs64(&joint.rest.to_trs64());
            let rest = Trs64::from_affine(&rest.matrix());
            let turned = rotation_error(rest.rotation, own.rotation);
            let hangs = hangs && (joint.parent.is_some() || parent.is_none());
            hangs && distance(own.translation, rest.translation) <= ALIKE[0] && turned <= ALIKE[1]
        })
    }

    /// Computes keys with which bones have the poses of their joints in every frame, whatever the joints' parents
    /// are. A bone without a joint rests on its parent. Poses count in the [spaces](super::bones::Spaces) of bones.
    fn stand(
        &self,
        sampler: &Sampler<'_, '_>,
        frames: Frames,
        axes: &AxisMap,
        budget: &Budget,
    ) -> Result<Vec<Keys>, ConvertError> {
        let source = sampler.skeleton();
        let order = source.parents_first(budget)?;
        let (mut bones, mut locals) = (transforms::bones(source, budget)?, Vec::new());
        let n = self.skel.bones.len();
        let rests: Vec<_> = self.skel.rest().iter().map(BonePose::matrix).collect();
        let apart = self.spaces(source, axes, budget)?.in_joint;
        let mut keys = alloc::vec![Keys::default(); n];
        for (keys, _) in keys.iter_mut().zip(&apart).filter(|(_, apart)| apart.is_some()) {
            keys.reserve(true, true, frames, budget)?;
        }
        budget.work("keys", u64::from(frames.count).saturating_mul(4 * (n + source.joints.len()) as u64))?;
        let (mut model, mut stands) = (Vec::new(), alloc::vec![Affine64::IDENTITY; n]);
        for frame in frames.times() {
            sampler.locals(frame, &mut locals)?;
            bones.to_rigid_bones(&mut locals, budget)?;
            model.clone_from(&locals);
            for &j in order.joints() {
                let above = source.joints.get(j).and_then(|joint| model.get(joint.parent?)).copied();
                if let (Some(above), Some(slot)) = (above, model.get_mut(j)) {
                    *slot = above.after(slot);
                }
            }
            for &b in &self.order {
                let above = self.parents.get(b).copied().flatten().and_then(|p| stands.get(p)).copied();
                let above = above.unwrap_or_default();
                let joint = self.joints.get(b).copied().flatten().and_then(|j| model.get(j));
                let moved = joint.zip(apart.get(b).and_then(Option::as_ref));
                let local = match moved {
                    Some((joint, apart)) => {
                        above.inverse().unwrap_or_default().after(&axes.affine64(joint).after(apart))
                    }
                    None => rests.get(b).copied().unwrap_or_default(),
                };
                if let Some(slot) = stands.get_mut(b) {
                    *slot = above.after(&local);
                }
                if let (Some(keys), Some(_)) = (keys.get_mut(b), moved) {
                    let trs = Trs64::from_affine(&local);
                    let last =
                        keys.rotations.last().map_or(quat::IDENTITY, |q| q.map(F32::get).map(f64::from));
                    keys.translations.push(f32s(narrow(trs.translation)));
                    keys.rotations.push(f32s(narrow(quat::toward(last, quat::conjugate(trs.rotation)))));
                }
            }
        }
        Ok(keys)
    }
}

/// Returns the keys of a scene's joints as those of a skeleton's bones, by the names of these and in their order.
#[expect(clippy::too_many_arguments, reason = "a clip, what moves by it, and where it goes")]
pub(crate) fn keys(
    skel: &Skel,
    mut own: Vec<Keys>,
    names: &[Name],
    sampler: &Sampler<'_, '_>,
    frames: Frames,
    axes: &AxisMap,
    budget: &Budget,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Vec<(Name, Keys)>, ConvertError> {
    let (bones, strangers) = Bones::assign(skel, names, budget)?;
    let is_moved = |j: &&usize| own.get(**j).is_some_and(|keys| !keys.is_empty());
    let strange = strangers.iter().filter(is_moved).count();
    if strange > 0 {
        let message = "the skeleton has no such bones";
        losses.push(Loss::new("motion-dropped", path, message).with_count(strange, "bone", "bones"));
    }
    let still: Vec<bool> = own.iter().map(Keys::is_empty).collect();
    let mut keys = if bones.are_alike(sampler, axes) {
        let of = |joint: &Option<usize>| joint.and_then(|j| own.get_mut(j).map(core::mem::take));
        bones.joints.iter().map(of).map(Option::unwrap_or_default).collect()
    } else {
        let keys = bones.stand(sampler, frames, axes, budget)?;
        let message =
            "rest poses or parents of joints differ from the skeleton's; clips were fitted to the skeleton";
        losses.push(Loss::note("skeleton-differs", path, message));
        keys
    };
    for ((bone, keys), joint) in skel.bones.iter().zip(&mut keys).zip(&bones.joints) {
        let rest = bone.rest();
        let near = |t: &[F32; 3]| distance(t.map(F32::get).map(f64::from), rest.translation) <= ALIKE[0];
        let same = |q: &[F32; 4]| rotation_error(rest.rotation, q.map(F32::get).map(f64::from)) <= ALIKE[1];
        let stays = keys.translations.iter().all(near);
        // A bone does not move if its joint does not.
        if stays && joint.is_some_and(|j| still.get(j) == Some(&true)) && keys.rotations.iter().all(same) {
            *keys = Keys::default();
        }
        if stays && bone.can_translate == 0 {
            keys.translations = Vec::new();
        }
    }
    Ok(skel.bones.iter().map(|bone| bone.name.clone()).zip(keys).collect())
}
