//! Joints, and their numbers in the result.

use super::text::Text;
use super::work::Work;
use crate::model::{Iqm, IqmJoint};
use alloc::vec::Vec;
use core::cell::Cell;
use meshwright_core::F32;
use meshwright_edit::three_way::{self as merge, Match, Trio, Trios, pick};
use meshwright_scene::{ConvertError, LimitExceeded};

pub(super) struct MergedJoints<'a> {
    models: [&'a Iqm; 3],
    pub(super) trios: Trios,
    /// Something follows a joint that only the conversion has.
    lacks: Cell<bool>,
}

/// How many joints a model has: one of poses alone has as many as those.
fn count(model: &Iqm) -> usize {
    model.joints.len().max(model.poses.len())
}

/// The joint that one hangs from.
fn parent(model: &Iqm, joint: usize) -> Option<usize> {
    let own = model.joints.get(joint).map(|j| j.parent);
    let own = own.or_else(|| model.poses.get(joint).map(|p| p.parent));
    own.and_then(|p| usize::try_from(p).ok())
}

impl<'a> MergedJoints<'a> {
    pub(super) fn of(work: &Work<'a>, made_up: bool) -> Result<Self, LimitExceeded> {
        let (before, after, budget) = (work.before, work.after, work.budget);
        let models = [work.native, &before.model, &after.model];
        let all: usize = models.iter().map(|m| count(m)).sum();
        budget.charge_items("joints", all as u64, 4 * size_of::<Option<usize>>())?;
        // The joints of the native scene are those of the model.
        let native = work.scenes[0].skeletons.first().cloned().unwrap_or_default();
        let natives = merge::joints(&native, &before.skeleton, budget)?;
        let there: Match = before.joints.iter().map(|j| natives.get((*j)?).copied().flatten()).collect();
        let mut places: Match = budget.filled("joints", before.skeleton.joints.len(), None)?;
        for (place, joint) in before.joints.iter().enumerate() {
            if let Some(slot) = joint.and_then(|j| places.get_mut(j)) {
                *slot = Some(place);
            }
        }
        let pairs = merge::joints(&before.skeleton, &after.skeleton, budget)?;
        let made = before.joints.iter().position(Option::is_none);
        let found = |joint: &Option<usize>| match joint {
            Some(j) => places.get(pairs.get(*j).copied().flatten()?).copied().flatten(),
            None => made,
        };
        let edited: Match = after.joints.iter().map(found).collect();
        let trios = Trios::of(count(work.native), &there, &edited, made_up, budget)?;
        Ok(Self { models, trios, lacks: Cell::new(false) })
    }

    /// Whether a number was asked for that there is not.
    pub(super) fn lacks(&self) -> bool {
        self.lacks.get()
    }

    /// The number of a joint of a model, by the model's number.
    pub(super) fn number(&self, model: usize, joint: u32) -> Option<u32> {
        let joint = joint as usize;
        let at = match model {
            0 => self.trios.of_native(joint),
            1 => self.trios.of_before(joint),
            _ => self.trios.of_after(joint),
        };
        at.and_then(|at| u32::try_from(at).ok())
    }

    /// The number of a joint that a native vertex follows; of one that there never was its own.
    pub(super) fn kept(&self, joint: u32) -> u32 {
        match self.models.first().map(|m| count(m)) {
            Some(count) if (joint as usize) < count => self.found(0, joint),
            _ => joint,
        }
    }

    /// The number of a joint of a model that has to be there.
    pub(super) fn found(&self, model: usize, joint: u32) -> u32 {
        let number = self.number(model, joint);
        self.lacks.set(self.lacks.get() || number.is_none());
        number.unwrap_or(0)
    }

    /// The number of the joint that one of the result hangs from, which is `native` in the native model.
    fn hangs(&self, trio: &Trio, native: Option<i32>) -> i32 {
        let number = |model: usize, own: Option<usize>| self.number(model, u32::try_from(own?).ok()?);
        let of = |model: usize, joint: Option<usize>| number(model, parent(self.models[model], joint?));
        let stays = of(1, trio.before) == of(2, trio.after) || trio.after.is_none();
        let (number, kept) = match native.filter(|_| stays) {
            Some(own) => (number(0, usize::try_from(own).ok()), own),
            None => (of(2, trio.after), -1),
        };
        // Roots may have any negative number.
        number.and_then(|n| i32::try_from(n).ok()).unwrap_or(kept.min(-1))
    }

    /// The number of the joint that a joint of the result hangs from.
    fn parent(&self, trio: &Trio) -> i32 {
        let native = self.models[0];
        let own = |n: usize| native.joints.get(n).map(|j| j.parent);
        self.hangs(trio, trio.native.and_then(|n| own(n).or_else(|| Some(native.poses.get(n)?.parent))))
    }

    /// The number of the joint that a pose of the result hangs from, which may be another than that of its joint.
    pub(super) fn parent_of_pose(&self, trio: &Trio) -> i32 {
        match trio.native.and_then(|n| self.models[0].poses.get(n)) {
            Some(pose) => self.hangs(trio, Some(pose.parent)),
            None => self.parent(trio),
        }
    }

    /// Gives a model of poses alone joints, where some have other names now, or where its first frame, as which they rest,
    /// is another.
    pub(super) fn hold_rest(&self, model: &mut Iqm, text: &mut Text<'_>) -> Result<(), ConvertError> {
        let [native, before, after] = self.models;
        let names = |m: &'a Iqm| m.joints.iter().map(|j| m.str(j.name));
        let (was, is) = (native.frame_channels_at(0), model.frame_channels_at(0));
        let row = |rows: &Option<Vec<[f32; 10]>>, at: Option<usize>| rows.as_ref()?.get(at?).copied();
        let rests = |trio: &Trio| row(&was, trio.native);
        let bits = |row: Option<[f32; 10]>| row.map(|row| row.map(f32::to_bits));
        let mut records = self.trios.records.iter().enumerate();
        let moves = |(at, trio): (usize, &Trio)| {
            trio.native.is_some() && bits(rests(trio)) != bits(row(&is, Some(at)))
        };
        let renamed = !after.joints.is_empty() && !names(before).eq(names(after));
        if !native.joints.is_empty() || !renamed && !records.any(moves) {
            return Ok(());
        }
        for trio in &self.trios.records {
            let own = trio.after.and_then(|a| after.joints.get(a)).copied().unwrap_or_default();
            let name = text.put(after.str(own.name))?;
            let mut joint = IqmJoint { name, parent: self.parent(trio), ..own };
            if let Some([a, b, c, x, y, z, w, d, e, f]) = rests(trio) {
                joint.translate = [a, b, c].map(F32::new);
                joint.rotate = [x, y, z, w].map(F32::new);
                joint.scale = [d, e, f].map(F32::new);
            }
            model.joints.push(joint);
        }
        Ok(())
    }

    /// Puts the joints into a model.
    pub(super) fn put(&self, model: &mut Iqm, text: &mut Text<'_>) -> Result<(), ConvertError> {
        let [native, before, after] = self.models;
        let parents: Vec<i32> = self.trios.records.iter().map(|trio| self.parent(trio)).collect();
        let later = parents.iter().enumerate().any(|(j, p)| usize::try_from(*p).is_ok_and(|p| p >= j));
        if later {
            let message = "a new joint comes behind those that hang from it";
            return Err(ConvertError::unsupported("joints", message));
        }
        // Poses alone go without joints as long as they can.
        if native.joints.is_empty() && !native.poses.is_empty() {
            return Ok(());
        }
        let mut joints = Vec::with_capacity(parents.len());
        for (trio, parent) in self.trios.records.iter().zip(parents) {
            let get = |model: &Iqm, at: Option<usize>| at.and_then(|at| model.joints.get(at)).copied();
            let (n, b, a) = (get(native, trio.native), get(before, trio.before), get(after, trio.after));
            let name = |a: IqmJoint| after.str(a.name);
            joints.push(match (n, b, a) {
                (Some(n), Some(b), Some(a)) => IqmJoint {
                    name: if before.str(b.name) == name(a) { n.name } else { text.put(name(a))? },
                    parent,
                    translate: pick(n.translate, &b.translate, a.translate),
                    rotate: pick(n.rotate, &b.rotate, a.rotate),
                    scale: pick(n.scale, &b.scale, a.scale),
                },
                (None, _, Some(a)) => IqmJoint { name: text.put(name(a))?, parent, ..a },
                (n, ..) => IqmJoint { parent, ..n.unwrap_or_default() },
            });
        }
        model.joints = joints;
        Ok(())
    }
}
