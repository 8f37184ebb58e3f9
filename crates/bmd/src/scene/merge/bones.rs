//! Bones and their indices in the result.

use super::BmdMerge;
use crate::model::{Bmd, Bone, Clip};
use crate::scene::bones::has_base;
use crate::transform::BoneTransform;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::Affine64;
use meshwright_core::num::F8A;
use meshwright_edit::apply::{Origin, Records};
use meshwright_edit::{JointPatch, Poses};
use meshwright_scene::ConvertError;

/// The bones of the result: normal bones, then the pseudo-bones of the original.
pub(super) struct MergedBones {
    pub(super) records: Records,
    bones: Vec<Bone>,
    /// Number of normal bones of the original.
    normal: usize,
    /// The joint of each new bone, and its edits.
    joints: Vec<Option<(usize, JointPatch)>>,
    /// The bones of the conversion that replace pseudo-bones.
    helpers: SortedMap<u8, Helper>,
    /// True if the joint of the original's first bone became another bone.
    pub(super) moved: bool,
}

/// A bone of the conversion that replaces a pseudo-bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Helper {
    /// The original's pseudo-bone.
    pub(super) pseudo: u8,
    /// The only bone of the original with which it moves; `None` if it moves like the pseudo-bone.
    part: Option<u8>,
    /// True if it no longer moves with that bone. It becomes a bone, which the pseudo-bone follows instead.
    alone: bool,
}

impl MergedBones {
    pub(super) fn new(work: &BmdMerge<'_>) -> Result<Self, ConvertError> {
        let BmdMerge { original, made, budget, .. } = *work;
        let normal = original.normal_bones();
        let was_base = work.home.is_none_or(|id| has_base(work.native, id));
        let is_base = made.model.bones.is_empty() || made.bones.contains(&0);
        if is_base && !was_base {
            let message = "the edited scene lacks the first bone of the model";
            return Err(ConvertError::unsupported("bones[0]", message));
        }
        // The first bone never moves. If its joint does, an additional bone below it moves.
        let moved = was_base && !is_base;
        let mut joints = budget.filled("bones", made.model.bones.len(), None)?;
        for (j, bone) in made.bones.iter().enumerate() {
            let change = work.joints.get(j).copied().unwrap_or_default();
            joints.get_mut(*bone).into_iter().for_each(|slot| *slot = Some((j, change)));
        }
        let joint = |bone: usize| joints.get(bone).copied().flatten();
        let of =
            |bone: usize| joint(bone).and_then(|(_, change)| change.original).filter(|_| work.home.is_some());
        let found = |bone: usize| match of(bone) {
            Some(0) if bone > 0 => None,
            Some(o) => Some(o).filter(|o| *o < normal),
            None => Some(0).filter(|_| bone == 0 && work.home.is_some()),
        };
        let helpers = helpers(work, normal);
        let helper = |bone: usize| u8::try_from(bone).ok().and_then(|bone| helpers.get(&bone));
        // The result has no bone for a replacement of a pseudo-bone, or for the first bone that a conversion adds.
        let is_new = |bone: usize| match helper(bone) {
            Some(helper) => helper.alone,
            None => of(bone).is_none_or(|o| o == 0 && moved),
        };
        let kept = |o: &Origin| o.original.is_some() || o.made.is_some_and(is_new);
        let shown = |_| work.home.is_some();
        let found: Vec<_> = (0..made.model.bones.len()).map(found).collect();
        // A conversion puts parents first.
        let number = |bone: usize| joint(bone).map(|(j, _)| j);
        let records = Records::ordered(normal, shown, &found, number, budget)?.filtered(kept);
        let mut all = Self { records, bones: Vec::new(), normal, joints, helpers, moved };
        let count = original.bones.len().saturating_add(all.records.list.len());
        let mut bones = budget.reserve("bones", count)?;
        bones.extend(all.records.list.iter().filter_map(|origin| all.bone(origin, work)));
        for (p, pseudo) in original.bones.iter().enumerate().skip(normal) {
            let followed = pseudo.transform.followed();
            let mut parts = followed;
            for (id, weight) in &mut parts {
                match all.part(p, *id) {
                    Some(number) => *id = number,
                    None if weight.decode() == 0.0 => {}
                    None => (*id, *weight) = (0, F8A::ZERO),
                }
            }
            let transform =
                if parts == followed { pseudo.transform } else { BoneTransform::following(parts) };
            bones.push(Bone { transform, ..pseudo.clone() });
        }
        all.bones = bones;
        Ok(all)
    }

    /// Returns the rest matrices of the bones of the result.
    pub(super) fn rest_matrices(&self) -> Vec<Affine64> {
        let model = Bmd::default().with_bones(self.bones.clone(), Vec::new());
        model.rest().map(|motion| motion.pose(0.0).matrices().to_vec()).unwrap_or_default()
    }

    /// Returns the joint of a made bone, and its edits.
    pub(super) fn joint(&self, bone: usize) -> Option<(usize, JointPatch)> {
        self.joints.get(bone).copied().flatten()
    }

    /// Returns a normal bone of the result.
    fn bone(&self, origin: &Origin, work: &BmdMerge<'_>) -> Option<Bone> {
        let get = |model: &Bmd, at: Option<usize>| at.and_then(|at| model.bones.get(at)).cloned();
        let (old, new) = (get(work.original, origin.original), get(&work.made.model, origin.made));
        let place = |at: Option<usize>| at.and_then(|at| u8::try_from(at).ok());
        let made = new.as_ref().map(|new| place(self.records.of_made(new.parent.into())).unwrap_or(0));
        let Some(old) = old else {
            return new.map(|new| Bone { parent: made.unwrap_or(0), solid: 0, ..new });
        };
        let kept = place(self.records.of_original(old.parent.into()));
        let (Some(new), Some(made)) = (new, made) else {
            return Some(Bone { parent: kept.unwrap_or(0), ..old });
        };
        let change = origin.made.and_then(|m| self.joint(m)).map(|(_, change)| change).unwrap_or_default();
        let other = change.parent || self.moved && old.parent == 0;
        // The base bone has no effective parent, whatever the file says.
        let is_base = origin.original == Some(0);
        Some(Bone {
            transform: if change.rest || work.scaled && !is_base { new.transform } else { old.transform },
            name: if change.renamed { new.name } else { old.name },
            parent: if is_base { old.parent } else { kept.filter(|_| !other).unwrap_or(made) },
            ..old
        })
    }

    /// Returns the finished bones with their bound meshes.
    pub(super) fn solids(self, original: &Bmd, made: &Bmd, meshes: &Records) -> Vec<Bone> {
        let normal = self.records.list.len();
        let solid = |(i, bone): (usize, Bone)| {
            let origin = self.records.list.get(i).copied().unwrap_or_default();
            let own = match (origin.original, origin.made) {
                _ if i >= normal => original.bones.get(i.saturating_sub(normal).saturating_add(self.normal)),
                (Some(n), _) => original.bones.get(n),
                (None, Some(m)) => {
                    let solid = made.bones.get(m).map_or(0, |b| b.solid);
                    let place = meshes.of_made(solid.into()).filter(|_| solid > 0);
                    return Bone { solid: place.and_then(|p| u8::try_from(p).ok()).unwrap_or(0), ..bone };
                }
                (None, None) => None,
            };
            let solid = own.map_or(0, |b| b.solid);
            let place = meshes.of_original(solid.into()).filter(|_| solid > 0);
            Bone { solid: place.and_then(|p| u8::try_from(p).ok()).unwrap_or(0), ..bone }
        };
        self.bones.into_iter().enumerate().map(solid).collect()
    }

    /// Returns the new index of a bone of the original.
    pub(super) fn of_original(&self, bone: u8) -> Option<u8> {
        let at = match usize::from(bone).checked_sub(self.normal) {
            Some(pseudo) => Some(self.records.list.len().saturating_add(pseudo)),
            None => self.records.of_original(bone.into()),
        };
        at.and_then(|at| u8::try_from(at).ok())
    }

    /// Returns true if a bone of the original is a pseudo-bone, or if a bone of the conversion replaces one.
    pub(super) fn has_pseudo(&self, original: u8, made: u8) -> bool {
        usize::from(original) >= self.normal || self.helper(made).is_some()
    }

    /// Returns the new index of a made bone.
    pub(super) fn of_made(&self, bone: u8) -> Option<u8> {
        match self.helper(bone) {
            Some(helper) => self.of_original(helper.pseudo),
            None => self.records.of_made(bone.into()).and_then(|at| u8::try_from(at).ok()),
        }
    }

    /// Returns the new index of the bone with which a made bone moves.
    pub(super) fn moves_with(&self, bone: u8) -> Option<u8> {
        match self.helper(bone) {
            Some(Helper { pseudo, part: Some(part), .. }) => self.part(pseudo.into(), part),
            _ => self.of_made(bone),
        }
    }

    /// Returns the new index of the bone that a pseudo-bone follows for the bone `part` of the original.
    fn part(&self, pseudo: usize, part: u8) -> Option<u8> {
        let own = |helper: &Helper| usize::from(helper.pseudo) == pseudo && helper.part == Some(part);
        let at = match self.helpers.iter().find(|(_, helper)| helper.alone && own(helper)) {
            Some((bone, _)) => self.records.of_made(usize::from(*bone)),
            None => self.records.of_original(usize::from(part)),
        };
        at.and_then(|at| u8::try_from(at).ok())
    }

    /// Returns the bones that a pseudo-bone follows, with their weights as fractions of the total.
    pub(super) fn followed(&self, original: &Bmd, pseudo: u8) -> Vec<(Option<u8>, f64)> {
        let parts =
            original.bones.get(usize::from(pseudo)).map(|b| b.transform.followed()).unwrap_or_default();
        let total: f64 = parts.iter().map(|p| f64::from(p.1.decode())).sum();
        let parts = parts.iter().filter(|p| p.1.decode() != 0.0);
        let part =
            |(id, weight): &(u8, F8A)| (self.part(pseudo.into(), *id), f64::from(weight.decode()) / total);
        parts.map(part).collect()
    }

    /// Returns the pseudo-bone that a bone of the conversion replaces.
    pub(super) fn helper(&self, bone: u8) -> Option<Helper> {
        self.helpers.get(&bone).copied()
    }

    /// Returns true if any bone of the conversion replaces a pseudo-bone.
    pub(super) fn has_helpers(&self) -> bool {
        !self.helpers.is_empty()
    }
}

/// Finds the bones of the conversion that replace pseudo-bones of the original.
fn helpers(work: &BmdMerge<'_>, normal: usize) -> SortedMap<u8, Helper> {
    let joints = work.home.and_then(|id| work.native.skeletons.get(id.0)).map_or(&[][..], |s| &s.joints);
    let mut of_joint: SortedMap<usize, Helper> = SortedMap::new();
    let mut joint = normal;
    for (p, pseudo) in work.original.bones.iter().enumerate().skip(normal) {
        // In the file's own space the joint follows others as the bone does.
        let follows = joints.get(joint).is_some_and(|j| !j.follows.is_empty());
        let parts = pseudo.transform.followed().into_iter().filter(|part| part.1.decode() != 0.0);
        let parts: Vec<Option<u8>> =
            if follows { alloc::vec![None] } else { parts.map(|part| Some(part.0)).collect() };
        for part in parts {
            of_joint
                .extend(u8::try_from(p).ok().map(|pseudo| (joint, Helper { pseudo, part, alone: false })));
            joint = joint.saturating_add(1);
        }
    }
    let made = &work.made.model;
    let keyed = |joint: usize, bone: usize| {
        let clip = |(clip, number): (&Clip, &usize)| {
            let own = work.patch.clips.get(*number).map_or(&Poses::Unchanged, |own| &own.poses);
            let changed = (0..clip.frames.into()).any(|frame| own.is_changed(frame, joint));
            changed && bone < clip.stream.bone_count() && !clip.stream.bone(bone).is_empty()
        };
        made.clips.iter().zip(&work.made.clips).any(clip)
    };
    let of = |((joint, bone), change): ((usize, &usize), &JointPatch)| {
        let helper = of_joint.get(&change.original?).copied()?;
        let alone = helper.part.is_some() && (change.rest || change.parent || keyed(joint, *bone));
        Some((u8::try_from(*bone).ok()?, Helper { alone, ..helper }))
    };
    work.made.bones.iter().enumerate().zip(work.joints).filter_map(of).collect()
}
