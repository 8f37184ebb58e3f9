//! Bones, and their numbers in the result.

use super::work::Work;
use crate::model::{Bmd, Bone};
use crate::scene::from_scene::Traced;
use crate::transform::BoneTransform;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::num::F8A;
use meshwright_edit::three_way::{Match, Trio, Trios, pick};
use meshwright_scene::{Budget, ConvertError, LimitExceeded};

/// The bones of the result: normal ones, then the pseudo-bones, which are the native ones.
pub(super) struct MergedBones {
    pub(super) trios: Trios,
    bones: Vec<Bone>,
    /// How many native bones are no pseudo-bones.
    normal: usize,
    /// The bones of before, and of after, that stand in for pseudo-bones.
    helpers: [BTreeMap<u8, Helper>; 2],
    /// The joint of the native first bone has another bone now.
    pub(super) moved: bool,
}

/// What a bone stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Helper {
    /// The native pseudo-bone.
    pub(super) pseudo: u8,
    /// The one native bone that it moves with; none where it moves as the pseudo-bone does.
    part: Option<u8>,
}

impl MergedBones {
    pub(super) fn of(work: &Work<'_>) -> Result<Self, ConvertError> {
        let Work { native, before, after, ref joints, budget, .. } = *work;
        let normal = native.normal_bones();
        if has_base(after) && !has_base(before) {
            let message = "the first bone of the model is none of the edited scene";
            return Err(ConvertError::unsupported("bones[0]", message));
        }
        // The first bone never moves: where its joint does, a bone between it and the others does so.
        let moved = has_base(before) && !has_base(after);
        let there = of_native(native, before, normal, budget)?;
        let mut bone_of: Match = budget.filled("bones", before.bones.len(), None)?;
        for (j, bone) in before.bones.iter().enumerate() {
            if let Some(slot) = bone_of.get_mut(j) {
                *slot = Some(*bone);
            }
        }
        let mut found: Match = budget.filled("bones", after.model.bones.len(), None)?;
        if let Some(base) = found.first_mut() {
            *base = (!before.model.bones.is_empty()).then_some(0);
        }
        for (bone, joint) in after.bones.iter().zip(joints) {
            let was = joint.and_then(|j| bone_of.get(j).copied().flatten()).filter(|b| !moved || *b > 0);
            if let Some(slot) = found.get_mut(*bone).filter(|_| was.is_some()) {
                *slot = was;
            }
        }
        let helpers = helpers(native, before, after, joints, normal);
        // Bones that stand in for a pseudo-bone are none of the result.
        let trios = Trios::of(normal, &there, &found, false, budget)?;
        let mut all = Self { trios, bones: Vec::new(), normal, helpers, moved };
        all.bones = budget.reserve("bones", native.bones.len().saturating_add(all.trios.records.len()))?;
        for trio in all.trios.records.clone() {
            let bone = all.bone(&trio, native, &before.model, &after.model);
            all.bones.extend(bone);
        }
        for pseudo in native.bones.iter().skip(normal) {
            let followed = pseudo.transform.followed();
            let mut parts = followed;
            for (id, weight) in &mut parts {
                match all.trios.of_native(usize::from(*id)).and_then(|n| u8::try_from(n).ok()) {
                    Some(number) => *id = number,
                    None if weight.decode() == 0.0 => {}
                    None => (*id, *weight) = (0, F8A::ZERO),
                }
            }
            let transform =
                if parts == followed { pseudo.transform } else { BoneTransform::following(parts) };
            all.bones.push(Bone { transform, ..pseudo.clone() });
        }
        Ok(all)
    }

    /// A normal bone of the result.
    fn bone(&self, trio: &Trio, native: &Bmd, before: &Bmd, after: &Bmd) -> Option<Bone> {
        let get = |model: &Bmd, at: Option<usize>| at.and_then(|at| model.bones.get(at)).cloned();
        let (n, b, a) = (get(native, trio.native), get(before, trio.before), get(after, trio.after));
        let place = |at: Option<usize>| at.and_then(|at| u8::try_from(at).ok());
        let new = a.as_ref().map(|a| place(self.trios.of_after(a.parent.into())).unwrap_or(0));
        let Some(n) = n else { return a.map(|a| Bone { parent: new.unwrap_or(0), solid: 0, ..a }) };
        let kept = place(self.trios.of_native(n.parent.into()));
        let (Some(b), Some(a), Some(new)) = (b, a, new) else {
            return Some(Bone { parent: kept.unwrap_or(0), ..n });
        };
        let was = place(self.trios.of_before(b.parent.into())).unwrap_or(0);
        // The base hangs from nothing, whatever it says.
        let parent =
            if trio.native == Some(0) { n.parent } else { kept.filter(|_| was == new).unwrap_or(new) };
        Some(Bone {
            transform: pick(n.transform, &b.transform, a.transform),
            name: pick(n.name, &b.name, a.name),
            parent,
            ..n
        })
    }

    /// The finished bones, with the meshes that bound them.
    pub(super) fn solids(self, native: &Bmd, after: &Bmd, meshes: &Trios) -> Vec<Bone> {
        let normal = self.trios.records.len();
        let solid = |(i, bone): (usize, Bone)| {
            let trio = self.trios.records.get(i);
            let own = match (trio.and_then(|t| t.native), trio.and_then(|t| t.after)) {
                _ if i >= normal => native.bones.get(i.saturating_sub(normal).saturating_add(self.normal)),
                (Some(n), _) => native.bones.get(n),
                (None, Some(a)) => {
                    let solid = after.bones.get(a).map_or(0, |b| b.solid);
                    let place = meshes.of_after(solid.into()).filter(|_| solid > 0);
                    return Bone { solid: place.and_then(|p| u8::try_from(p).ok()).unwrap_or(0), ..bone };
                }
                (None, None) => None,
            };
            let solid = own.map_or(0, |b| b.solid);
            let place = meshes.of_native(solid.into()).filter(|_| solid > 0);
            Bone { solid: place.and_then(|p| u8::try_from(p).ok()).unwrap_or(0), ..bone }
        };
        self.bones.into_iter().enumerate().map(solid).collect()
    }

    /// The number of a native bone.
    pub(super) fn of_native(&self, bone: u8) -> Option<u8> {
        let at = match usize::from(bone).checked_sub(self.normal) {
            Some(pseudo) => Some(self.trios.records.len().saturating_add(pseudo)),
            None => self.trios.of_native(bone.into()),
        };
        at.and_then(|at| u8::try_from(at).ok())
    }

    /// The number of a bone of before (0) or after (1).
    pub(super) fn number(&self, model: usize, bone: u8) -> Option<u8> {
        if let Some(helper) = self.helper(model, bone) {
            return self.of_native(helper.pseudo);
        }
        let at =
            if model == 0 { self.trios.of_before(bone.into()) } else { self.trios.of_after(bone.into()) };
        at.and_then(|at| u8::try_from(at).ok())
    }

    /// The number of the bone that a bone of after moves with.
    pub(super) fn moves_with(&self, bone: u8) -> Option<u8> {
        match self.helper(1, bone).and_then(|h| h.part) {
            Some(part) => self.of_native(part),
            None => self.number(1, bone),
        }
    }

    /// What a pseudo-bone follows, by their numbers, as parts of the whole.
    pub(super) fn followed(&self, native: &Bmd, pseudo: u8) -> Vec<(Option<u8>, f64)> {
        let parts = native.bones.get(usize::from(pseudo)).map(|b| b.transform.followed()).unwrap_or_default();
        let total: f64 = parts.iter().map(|p| f64::from(p.1.decode())).sum();
        let parts = parts.iter().filter(|p| p.1.decode() != 0.0);
        parts.map(|(id, weight)| (self.of_native(*id), f64::from(weight.decode()) / total)).collect()
    }

    /// What a bone of before (0) or after (1) stands in for.
    pub(super) fn helper(&self, model: usize, bone: u8) -> Option<Helper> {
        self.helpers.get(model).and_then(|h| h.get(&bone)).copied()
    }

    /// Whether any bone of after stands in for a pseudo-bone.
    pub(super) fn has_helpers(&self) -> bool {
        self.helpers.last().is_some_and(|h| !h.is_empty())
    }
}

/// Whether the first bone of a model is a joint of its scene, and none that was put before all.
fn has_base(traced: &Traced) -> bool {
    traced.model.bones.is_empty() || traced.bones.contains(&0)
}

/// For each bone of before the native one: joints are the normal bones in their order, and behind them what stands in for
/// pseudo-bones.
fn of_native(native: &Bmd, before: &Traced, normal: usize, budget: &Budget) -> Result<Match, LimitExceeded> {
    let mut there: Match = budget.filled("bones", before.model.bones.len(), None)?;
    if !native.bones.is_empty()
        && !has_base(before)
        && let Some(base) = there.first_mut()
    {
        *base = Some(0);
    }
    for (j, bone) in before.bones.iter().enumerate().take(normal) {
        let taken = j == 0 && !has_base(before);
        if let Some(slot) = there.get_mut(*bone).filter(|_| !taken) {
            *slot = Some(j);
        }
    }
    Ok(there)
}

/// The bones of before and after that stand in for native pseudo-bones.
fn helpers(
    native: &Bmd,
    before: &Traced,
    after: &Traced,
    joints: &[Option<usize>],
    normal: usize,
) -> [BTreeMap<u8, Helper>; 2] {
    let mut of_joint: BTreeMap<usize, Helper> = BTreeMap::new();
    let mut joint = normal;
    for (p, pseudo) in native.bones.iter().enumerate().skip(normal) {
        // In the file's own space the joint follows others as the bone does.
        let follows = before.skeleton.joints.get(joint).is_some_and(|j| !j.follows.is_empty());
        let parts = pseudo.transform.followed().into_iter().filter(|part| part.1.decode() != 0.0);
        let parts: Vec<Option<u8>> =
            if follows { alloc::vec![None] } else { parts.map(|part| Some(part.0)).collect() };
        for part in parts {
            of_joint.extend(u8::try_from(p).ok().map(|pseudo| (joint, Helper { pseudo, part })));
            joint = joint.saturating_add(1);
        }
    }
    let mut helpers = [BTreeMap::new(), BTreeMap::new()];
    let [of_before, of_after] = &mut helpers;
    let number = |bone: &usize| u8::try_from(*bone).ok();
    for (j, bone) in before.bones.iter().enumerate() {
        of_before.extend(number(bone).zip(of_joint.get(&j).copied()));
    }
    for (bone, j) in after.bones.iter().zip(joints) {
        of_after.extend(number(bone).zip(j.and_then(|j| of_joint.get(&j).copied())));
    }
    helpers
}
