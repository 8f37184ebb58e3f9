//! The native skeletons with their edits.

use crate::comparison::Comparison;
use crate::correspond::joints::{bind, filled};
use crate::correspond::new_joint_indices::{Placed, nearest_kept};
use crate::joint_index::{At, ListIndex, ancestors};
use crate::options::Absent;
use crate::patch::model::{JointPatch, Patch};
use crate::report::{JointChange, Part, Recovery, State};
use crate::tolerance::Exactness;
use crate::tools::names::{is_filler, stem};
use crate::tools::three::name_of;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, add, distance, length, scale, sub};
use meshwright_core::text::similar;
use meshwright_core::{LimitExceeded, Order as _, SortedMap, SortedSet};
use meshwright_scene::{ConvertError, Joint, Local, Skeleton};

/// The pose of the native skeleton in which a tool bound the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The bind pose.
    Bind,
    /// The bind pose without the scales of its joints.
    Unscaled,
    /// The rest pose.
    Rest,
}

/// The poses of a native skeleton in model space, in the order of [`Bound`].
struct Poses([Vec<Affine64>; 3]);

impl Poses {
    fn new(skeleton: &Skeleton, work: &Comparison<'_, '_>) -> Result<Option<Self>, LimitExceeded> {
        let n = skeleton.joints.len();
        let Some(order) = skeleton.order() else { return Ok(None) };
        work.budget.charge_items("joints", n as u64, size_of::<[Affine64; 3]>())?;
        let mut poses = [(); 3].map(|()| alloc::vec![Affine64::IDENTITY; n]);
        for j in order {
            let Some(joint) = skeleton.joints.get(j) else { continue };
            let above = |pose: &Vec<Affine64>| joint.parent.and_then(|p| pose.get(p)).copied();
            let [bind_above, unscaled_above, rest_above] =
                poses.each_ref().map(|pose| above(pose).unwrap_or(Affine64::IDENTITY));
            let world = bind(skeleton, j).unwrap_or(Affine64::IDENTITY);
            let own = bind_above.inverse().unwrap_or(Affine64::IDENTITY).after(&world);
            let own = Trs64 { scale: [1.0; 3], ..Trs64::from_affine(&own) };
            let own =
                [world, unscaled_above.after(&own.to_affine()), rest_above.after(&joint.rest.to_affine64())];
            for (pose, own) in poses.iter_mut().zip(own) {
                pose.get_mut(j).into_iter().for_each(|slot| *slot = own);
            }
        }
        Ok(Some(Self(poses)))
    }

    fn get(&self, bound: Bound) -> &[Affine64] {
        let [bind, unscaled, rest] = &self.0;
        match bound {
            Bound::Bind => bind,
            Bound::Unscaled => unscaled,
            Bound::Rest => rest,
        }
    }
}

/// Adds the skeletons to the result.
pub(crate) fn add_skeletons(work: &Comparison<'_, '_>, patch: &mut Patch) -> Result<Placed, ConvertError> {
    let mut placed = Placed {
        edited: filled(&work.edited.skeletons, None, work.budget)?,
        native: filled(&work.native.skeletons, None, work.budget)?,
        result: Vec::new(),
        bound: filled(&work.edited.skeletons, None, work.budget)?,
        stored: filled(&work.edited.skeletons, None, work.budget)?,
        moved: SortedSet::new(),
    };
    for (s, (native, exported)) in work.native.skeletons.iter().zip(&work.exported.skeletons).enumerate() {
        let mut of = One {
            work,
            s,
            native,
            exported,
            stored: work.budget.reserve("joints", native.joints.len())?,
            joints: Vec::new(),
            from: Vec::new(),
            changes: Vec::new(),
            shifts: SortedMap::new(),
        };
        let stored = |joint| {
            let edited = work.bones.edited(At { skeleton: s, joint })?;
            let here = bind(work.edited.skeletons.get(edited.skeleton)?, edited.joint)?;
            Some((here, work.bones.factor(edited.skeleton)))
        };
        of.stored.extend((0..native.joints.len()).map(stored));
        let poses = Poses::new(exported, work)?;
        let bound = poses.as_ref().map_or(Bound::Bind, |poses| of.bound(poses));
        let first = patch.report.joints.len();
        of.keep(&mut placed, &mut patch.report)?;
        if let Some(poses) = &poses {
            of.edit(poses, bound, &mut placed, &mut patch.report)?;
        }
        of.settle()?;
        let pose = poses.as_ref().map_or(&[][..], |poses| poses.get(bound));
        of.add(pose, &mut placed, &mut patch.report)?;
        of.hang_from_new(&placed, patch.report.joints.get_mut(first..).unwrap_or_default())?;
        let (joints, from) = (of.joints, of.from);
        patch.joints.push(of.changes);
        if let Some(skeleton) = patch.scene.skeletons.get_mut(s) {
            skeleton.joints = joints;
        }
        placed.result.push(from);
    }
    foreign(work, patch, &mut placed)?;
    Ok(placed)
}

/// The movement of a joint's bind pose.
#[derive(Clone, Copy, Debug, Default)]
struct Move {
    /// The position in the file.
    seen: [f64; 3],
    /// The position in the native model.
    by: [f64; 3],
}

/// A native skeleton on its way into the result.
struct One<'w, 's, 'b> {
    work: &'w Comparison<'s, 'b>,
    s: usize,
    native: &'s Skeleton,
    exported: &'s Skeleton,
    /// The bind pose of each native joint in the edited file, and the scale of its skeleton there.
    stored: Vec<Option<(Affine64, f64)>>,
    joints: Vec<Joint>,
    from: Vec<Option<At>>,
    changes: Vec<JointPatch>,
    /// Movements of joints of the result.
    shifts: SortedMap<usize, [f64; 3]>,
}

impl One<'_, '_, '_> {
    /// Adds the native joints that still exist.
    fn keep(&mut self, placed: &mut Placed, report: &mut Recovery) -> Result<(), ConvertError> {
        let at = |joint| At { skeleton: self.s, joint };
        let partner = |j: usize| self.work.bones.edited(at(j));
        let n = self.native.joints.len();
        let met = (0..n).any(|j| partner(j).is_some());
        let drops = self.work.options.absent == Absent::Gone && met;
        let most = self.work.edited.skeletons.iter().map(|s| s.joints.len()).fold(n, usize::saturating_add);
        self.joints = self.work.budget.reserve("joints", most)?;
        for (j, joint) in self.native.joints.iter().enumerate() {
            let edited = partner(j);
            let mut part = Part { name: joint.name.clone(), ..Part::default() };
            if edited.is_none() && drops {
                part.state = State::Gone;
                report.joints.push(part);
                continue;
            }
            let result = At { skeleton: self.s, joint: self.joints.len() };
            at(j).set(&mut placed.native, result);
            edited.into_iter().for_each(|e| e.set(&mut placed.edited, result));
            self.joints.push(joint.clone());
            self.from.push(edited);
            self.changes.push(JointPatch { original: Some(j), ..JointPatch::default() });
            report.joints.push(part);
        }
        let to = placed.native.get(self.s).map_or(&[][..], Vec::as_slice);
        let new = |j: usize| to.get(j).copied().flatten().map(|at| at.joint);
        for joint in &mut self.joints {
            // If the parent was removed, the nearest remaining ancestor replaces it.
            joint.parent = ancestors(&self.native.joints, joint.parent).find_map(new);
            joint.follows.retain_mut(|(j, _)| new(*j).map(|n| *j = n).is_some());
        }
        Ok(())
    }

    /// Applies the edits of joints that exist in both scenes.
    fn edit(
        &mut self,
        poses: &Poses,
        bound: Bound,
        placed: &mut Placed,
        report: &mut Recovery,
    ) -> Result<(), ConvertError> {
        let work = self.work;
        let most = self.most(poses.get(bound));
        let moves = self.moves(poses, bound, most)?;
        let first = report.joints.len().saturating_sub(self.native.joints.len());
        for j in 0..self.native.joints.len() {
            let at = At { skeleton: self.s, joint: j };
            let (Some(edited), Some(result)) = (work.bones.edited(at), at.value_in(&placed.native)) else {
                continue;
            };
            let skeleton = work.edited.skeletons.get(edited.skeleton);
            let Some((skeleton, joint)) = skeleton.and_then(|s| Some((s, s.joints.get(edited.joint)?)))
            else {
                continue;
            };
            let (Some(here), Some(there)) = (bind(skeleton, edited.joint), poses.get(bound).get(j)) else {
                continue;
            };
            let mut change = JointChange::default();
            let old = self.exported.joints.get(j);
            // A scene that adds to a model renames no joint.
            if work.options.absent == Absent::Gone
                && old.is_some_and(|old| {
                    let named = !old.name.is_empty() || !is_filler(&joint.name);
                    // If several joints have one name, tools number all but the first.
                    let numbered =
                        name_of(stem(&joint.name)) == name_of(&old.name) && self.is_shared(&old.name);
                    named && !numbered && name_of(&old.name) != name_of(&joint.name)
                })
            {
                change.renamed = Some(joint.name.clone());
            }
            let Move { seen, by } = moves.get(j).copied().unwrap_or_default();
            change.moved = length(seen);
            work.budget.work("joints", skeleton.joints.len() as u64)?;
            let above = nearest_kept(skeleton, edited, placed).filter(|a| a.skeleton == self.s);
            let natives = placed.native.get(self.s).map_or(&[][..], Vec::as_slice);
            // The children of a removed joint are attached to its parent.
            let mut above_old = ancestors(&self.exported.joints, old.and_then(|old| old.parent));
            let was = above_old.find_map(|p| Some(natives.get(p).copied().flatten()?.joint));
            let hangs = above.map(|a| a.joint);
            change.parent = hangs != was && (hangs.is_none() || !self.follows());
            let Some(own) = self.joints.get_mut(result.joint) else { continue };
            if let Some(name) = &change.renamed {
                own.name.clone_from(name);
            }
            if change.parent {
                own.parent = hangs;
            }
            let edits = change != JointChange::default();
            if edits && let Some(part) = report.joints.get_mut(first.saturating_add(j)) {
                (part.state, part.change) = (State::Edited, change.clone());
            }
            if let Some(own) = self.changes.get_mut(result.joint) {
                own.renamed = change.renamed.is_some();
                own.parent = change.parent;
            }
            let moved = by != [0.0; 3];
            if moved {
                work.budget.charge_items("joints", 2, 64)?;
                self.shifts.insert(result.joint, by);
                placed.moved.insert(at);
            }
            if bound != Bound::Bind {
                let place = there.after(&old.map_or(Affine64::IDENTITY, |old| old.inverse_bind.wide()));
                // A joint that was moved is stored at its new position.
                let home = add(poses.get(Bound::Bind).get(j).map_or([0.0; 3], |m| m.w), by);
                let stored = Affine64 { w: sub(here.w, place.vector(home)), ..place };
                edited.set(&mut placed.bound, place);
                edited.set(&mut placed.stored, if moved { stored } else { place });
            }
        }
        Ok(())
    }

    /// Returns true if several joints of the export have this name.
    fn is_shared(&self, name: &str) -> bool {
        let joints = self.work.exported.skeletons.iter().flat_map(|s| &s.joints);
        joints.filter(|j| j.name == name).nth(1).is_some()
    }

    /// Returns the largest movement of a joint that is not an edit.
    fn most(&self, pose: &[Affine64]) -> f64 {
        let most = self.work.tolerance.translation;
        let mut exactness = Exactness::default();
        let far = |(stored, there): (&Option<(Affine64, f64)>, &Affine64)| {
            stored.map(|(here, _)| distance(here.w, there.w)).filter(|far| *far <= most)
        };
        self.stored.iter().zip(pose).filter_map(far).for_each(|far| exactness.add(far == 0.0));
        if exactness.is_lossless() && !exactness.is_few() { self.work.strict.translation } else { most }
    }

    /// Returns the pose that matches the file's bind pose at most joints: at their positions, or at their distances from
    /// the first joint if the skeleton was moved or scaled. If several do, the one with most equal sizes.
    fn bound(&self, poses: &Poses) -> Bound {
        let here = &self.stored;
        let first = here.iter().position(Option::is_some).unwrap_or_default();
        let fits = |bound: Bound| {
            let pose = poses.get(bound);
            let start = here.get(first).copied().flatten().zip(pose.get(first));
            let (mut near, mut apart, mut large) = (0_usize, 0_usize, 0_usize);
            for ((here, factor), there) in here.iter().zip(pose).filter_map(|(a, b)| Some(((*a)?, b))) {
                let most = self.work.tolerance.translation;
                let is_near = distance(here.w, there.w) <= most;
                let lengths =
                    start.map(|((a, _), b)| (distance(a.w, here.w), factor * distance(b.w, there.w)));
                let is_apart = lengths.is_some_and(|(a, b)| (a - b).abs() <= most * factor);
                near = near.saturating_add(usize::from(is_near));
                apart = apart.saturating_add(usize::from(is_apart));
                large = large.saturating_add(usize::from((is_near || is_apart) && as_large(&here, there)));
            }
            (near, apart, large)
        };
        let best = [Bound::Unscaled, Bound::Rest].into_iter().max_by_key(|b| fits(*b));
        best.filter(|b| fits(*b) > fits(Bound::Bind)).unwrap_or(Bound::Bind)
    }

    /// Returns the movement of each native joint. If the file has another bind pose, a joint moves with its parent: what
    /// the parent's scale does to it is only in the native bind pose.
    fn moves(&self, poses: &Poses, bound: Bound, most: f64) -> Result<Vec<Move>, LimitExceeded> {
        let mut moves = self.work.budget.filled("joints", self.native.joints.len(), Move::default())?;
        for j in self.exported.order().unwrap_or_default() {
            let Some(there) = poses.get(bound).get(j) else { continue };
            let parent = self.exported.joints.get(j).and_then(|joint| joint.parent);
            let above = parent.and_then(|p| moves.get(p)).copied().unwrap_or_default();
            let seen = match self.stored.get(j).copied().flatten() {
                Some((here, _)) => {
                    Some(sub(here.w, there.w)).filter(|by| length(*by) > most).unwrap_or_default()
                }
                None => above.seen,
            };
            let own = parent.and_then(|p| {
                Some(poses.get(Bound::Bind).get(p)?.after(&poses.get(bound).get(p)?.inverse()?))
            });
            let by = match own.filter(|_| bound != Bound::Bind) {
                Some(own) => add(above.by, own.vector(sub(seen, above.seen))),
                None => seen,
            };
            let by = Some(by).filter(|by| seen != [0.0; 3] || length(*by) > most).unwrap_or_default();
            moves.get_mut(j).into_iter().for_each(|slot| *slot = Move { seen, by });
        }
        Ok(moves)
    }

    /// Moves joints that were edited, and keeps the world transforms of others, whatever their new parents are.
    fn settle(&mut self) -> Result<(), ConvertError> {
        let Some(poses) = Poses::new(self.native, self.work)? else { return Ok(()) };
        let mut made = Skeleton { joints: core::mem::take(&mut self.joints), ..Skeleton::default() };
        let order = made.order().unwrap_or_default();
        let mut worlds = self.work.budget.filled("joints", made.joints.len(), Affine64::IDENTITY)?;
        for r in order {
            let Some((own, change)) = made.joints.get_mut(r).zip(self.changes.get_mut(r)) else { continue };
            let Some(j) = change.original else { continue };
            let by = self.shifts.get(&r).copied();
            let to = |m: &Affine64| Affine64 { w: add(m.w, by.unwrap_or_default()), ..*m };
            let Some((bound, rest)) = poses.get(Bound::Bind).get(j).zip(poses.get(Bound::Rest).get(j)) else {
                continue;
            };
            // A scaled skeleton is also larger where it rests in another pose than it is bound in.
            let grown = self.stored.get(j).copied().flatten().map_or(0.0, |(_, factor)| factor - 1.0);
            let apart = Some(scale(sub(rest.w, bound.w), grown));
            let apart = apart.filter(|by| length(*by) > self.work.tolerance.translation).unwrap_or_default();
            let want = Affine64 { w: add(to(rest).w, apart), ..*rest };
            worlds.get_mut(r).into_iter().for_each(|slot| *slot = want);
            // The parent has not moved, unless it is another one.
            let hung = self.native.joints.get(j).and_then(|n| n.parent);
            let above = own.parent.and_then(|p| worlds.get(p)).copied();
            let stands = hung.and_then(|p| poses.get(Bound::Rest).get(p)).copied() == above;
            if by.is_none() && apart == [0.0; 3] && stands && !change.parent {
                continue;
            }
            change.rest = true;
            if by.is_some()
                && let Some(inverse) = to(bound).inverse()
            {
                own.inverse_bind = inverse.narrow();
            }
            if let Some(above) = above.unwrap_or(Affine64::IDENTITY).inverse() {
                own.rest = rest_of(&above.after(&want));
            }
        }
        self.joints = made.joints;
        Ok(())
    }

    /// Returns true if joints follow others. Those are their ancestors too, so a new parent may close a cycle. Without them
    /// it closes none: the edited file has no cycle, and joints that are not in it become no new parents.
    fn follows(&self) -> bool {
        self.joints.iter().any(|j| !j.follows.is_empty())
    }

    /// Returns the rest transform of a new joint relative to its parent, which may have other axes and another size in
    /// the file.
    fn on_parent(&self, at: At, parent: Option<usize>, (placed, pose): (&Placed, &[Affine64])) -> Affine64 {
        let skeleton = self.work.edited.skeletons.get(at.skeleton).map_or(&[][..], |s| &s.joints);
        let world = rest_world(skeleton, at.joint);
        let Some(parent) = parent else { return world };
        let from = self.from.get(parent).copied().flatten().filter(|e| e.skeleton == at.skeleton);
        let Some(from) = from else {
            let above = rest_world(&self.joints, parent).inverse();
            return above.unwrap_or(Affine64::IDENTITY).after(&world);
        };
        let above = rest_world(skeleton, from.joint).inverse();
        let local = above.unwrap_or(Affine64::IDENTITY).after(&world);
        let result = At { skeleton: self.s, joint: parent };
        let natives = placed.native.get(self.s).map_or(&[][..], Vec::as_slice);
        let native = natives.iter().position(|n| *n == Some(result));
        let here = skeleton.get(from.joint).and_then(|joint| joint.inverse_bind.wide().inverse());
        let turn = native.and_then(|n| Some(pose.get(n)?.inverse()?.after(&here?)));
        // A new joint moves with its parent.
        turn.map_or(local, |turn| Affine64 { w: [0.0; 3], ..turn }.after(&local))
    }

    /// Adds joints that the native skeleton lacks.
    fn add(
        &mut self,
        pose: &[Affine64],
        placed: &mut Placed,
        report: &mut Recovery,
    ) -> Result<(), ConvertError> {
        let work = self.work;
        for (e, skeleton) in work.edited.skeletons.iter().enumerate() {
            let own = |j: &usize| work.bones.get(At { skeleton: e, joint: *j });
            let belongs =
                (0..skeleton.joints.len()).any(|j| own(&j).native.is_some_and(|n| n.skeleton == self.s));
            let Some(order) = skeleton.order().filter(|_| belongs) else { continue };
            for j in order {
                let at = At { skeleton: e, joint: j };
                let bone = work.bones.get(at);
                let Some(joint) = skeleton.joints.get(j).filter(|_| bone.native.is_none() && !bone.drop)
                else {
                    continue;
                };
                work.budget.work("joints", (skeleton.joints.len() as u64).saturating_mul(8))?;
                let parent =
                    nearest_kept(skeleton, at, placed).filter(|p| p.skeleton == self.s).map(|p| p.joint);
                let local = self.on_parent(at, parent, (placed, pose));
                let new = Joint {
                    parent,
                    rest: Local::Trs(Trs64::from_affine(&local).narrow()),
                    follows: Vec::new(),
                    solid: None,
                    ..joint.clone()
                };
                let result = At { skeleton: self.s, joint: self.joints.len() };
                at.set(&mut placed.edited, result);
                let change =
                    JointChange { nearest: nearest(&joint.name, self.native), ..JointChange::default() };
                report.joints.push(Part { name: joint.name.clone(), state: State::New, change });
                self.joints.push(new);
                self.from.push(Some(at));
                self.changes.push(JointPatch::default());
            }
        }
        Ok(())
    }

    /// Makes new joints the parents of native ones, which keep their world transforms. `parts` are the joints of the
    /// report, the native ones first.
    fn hang_from_new(
        &mut self,
        placed: &Placed,
        parts: &mut [Part<JointChange>],
    ) -> Result<(), ConvertError> {
        let follows = self.follows();
        let is_new = |changes: &[JointPatch], r: usize| changes.get(r).is_some_and(|c| c.original.is_none());
        for r in 0..self.joints.len() {
            let Some(edited) = self.from.get(r).copied().flatten() else { continue };
            let Some(j) = self.changes.get(r).and_then(|change| change.original) else { continue };
            let Some(skeleton) = self.work.edited.skeletons.get(edited.skeleton) else { continue };
            self.work
                .budget
                .work("joints", (skeleton.joints.len() as u64).saturating_add(self.joints.len() as u64))?;
            let above = nearest_kept(skeleton, edited, placed).filter(|a| a.skeleton == self.s);
            let Some(above) = above.map(|a| a.joint).filter(|a| is_new(&self.changes, *a)) else { continue };
            // Between a joint and its parent, a new joint closes no cycle.
            let was = self.joints.get(r).and_then(|joint| joint.parent);
            let known = ancestors(&self.joints, Some(above)).find(|a| !is_new(&self.changes, *a));
            let (world, place) = (rest_world(&self.joints, r), rest_world(&self.joints, above));
            let Some(inverse) = place.inverse().filter(|_| !follows || known == was) else { continue };
            if let Some((joint, change)) = self.joints.get_mut(r).zip(self.changes.get_mut(r)) {
                (joint.parent, joint.rest) = (Some(above), rest_of(&inverse.after(&world)));
                (change.parent, change.rest) = (true, true);
            }
            if let Some(part) = parts.get_mut(j) {
                (part.state, part.change.parent) = (State::Edited, true);
            }
        }
        Ok(())
    }
}

/// Returns a rest transform, with its parts if it has no shear.
fn rest_of(local: &Affine64) -> Local {
    let trs = Trs64::from_affine(local);
    if trs.misfit(local) <= 1e-6 { Local::Trs(trs.narrow()) } else { Local::Affine(local.narrow()) }
}

/// Returns true if two matrices scale space equally, whatever their axes.
fn as_large(a: &Affine64, b: &Affine64) -> bool {
    let [a, b] = [a, b].map(|m| {
        let mut lengths = [m.x, m.y, m.z].map(length);
        lengths.order_by(f64::total_cmp);
        lengths
    });
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-3 * b)
}

/// Returns the rest transform of a joint in model space.
fn rest_world(joints: &[Joint], joint: usize) -> Affine64 {
    let above = ancestors(joints, Some(joint)).filter_map(|j| joints.get(j));
    above.fold(Affine64::IDENTITY, |world, joint| joint.rest.to_affine64().after(&world))
}

/// Adds skeletons without any native joint.
fn foreign(work: &Comparison<'_, '_>, patch: &mut Patch, placed: &mut Placed) -> Result<(), ConvertError> {
    let Patch { scene, report, .. } = patch;
    for (e, skeleton) in work.edited.skeletons.iter().enumerate() {
        let bones = work.bones.edited.get(e).map_or(&[][..], Vec::as_slice);
        let moves = work.edited.meshes.iter().any(|m| m.skin.as_ref().is_some_and(|k| k.skeleton.0 == e));
        if bones.iter().any(|b| b.native.is_some()) || !moves {
            continue;
        }
        work.budget.charge_items("joints", skeleton.joints.len() as u64, size_of::<Joint>())?;
        let new = scene.skeletons.len();
        let mut from = work.budget.reserve("joints", skeleton.joints.len())?;
        for (joint, own) in skeleton.joints.iter().enumerate() {
            let at = At { skeleton: e, joint };
            at.set(&mut placed.edited, At { skeleton: new, joint });
            from.push(Some(at));
            let near = work.native.skeletons.first().map(|s| nearest(&own.name, s)).unwrap_or_default();
            let change = JointChange { nearest: near, ..JointChange::default() };
            report.joints.push(Part { name: own.name.clone(), state: State::New, change });
        }
        scene.skeletons.push(skeleton.clone());
        patch.joints.push(alloc::vec![JointPatch::default(); from.len()]);
        placed.result.push(from);
    }
    Ok(())
}

/// Returns the native names that are most similar to a name.
fn nearest(name: &str, skeleton: &Skeleton) -> Vec<String> {
    let names = skeleton.joints.iter().map(|joint| joint.name.as_str());
    similar(name, names).into_iter().map(String::from).collect()
}
