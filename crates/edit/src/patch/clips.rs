//! Clips at their native frames, with their edits.

mod reparented;

use crate::comparison::Comparison;
use crate::correspond::new_joint_indices::Placed;
use crate::correspond::poses::{Length, Poser, SAME_TIME, differs, nearest_whole};
use crate::correspond::sampled::{Sampled, Samples, nearest_frame};
use crate::joint_index::At;
use crate::options::Absent;
use crate::patch::constant_channels;
use crate::patch::model::{ClipPatch, JointPatch, Patch, Poses};
use crate::report::{ClipChange, Part, Recovery, State};
use crate::tolerance::{Exactness, Tolerance};
use crate::tools::fbx::clip_name;
use crate::tools::names::stem;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64};
use meshwright_core::{Order as _, SortedMap, SortedSet};
use meshwright_scene::{
    Clip, ConvertError, Extra, Interpolation, Motion, PoseSet, PoseSetId, Sampler, Scene, SkeletonId, Track,
};

/// Adds the clips to the result.
pub(crate) fn add_clips(
    work: &Comparison<'_, '_>,
    placed: &Placed,
    meshes: Exactness,
    patch: &mut Patch,
) -> Result<(), ConvertError> {
    let Patch { scene, report, joints, .. } = patch;
    let mut pairs = pairs(work);
    let own = exactness(work, placed, &pairs)?;
    // If there are few poses, the vertices decide.
    let told = own.is_few() && own.is_near() && meshes.is_lossless();
    let tolerance = if own.is_lossless() || told { work.strict } else { work.tolerance };
    let samples = Sampled { work, placed, tolerance, skeletons: &scene.skeletons };
    renamed(&samples, &mut pairs)?;
    let of = |c| pairs.iter().position(|native| *native == Some(c));
    patch.correspondence.clips = (0..work.native.clips.len()).map(of).collect();
    let natives = core::mem::take(&mut scene.clips);
    // Number of frames of clips that show each pose.
    let mut shown: SortedMap<(usize, u32), usize> = SortedMap::new();
    for clip in &natives {
        if let Motion::Poses { set, frames } = &clip.motion {
            work.budget.charge_items("poses", frames.len() as u64, size_of::<[usize; 6]>())?;
            for frame in frames {
                let count = shown.entry((set.0, *frame)).or_default();
                *count = count.saturating_add(1);
            }
        }
    }
    let mut maker = Maker { work, placed, tolerance, scene, joints, shown, patches: Vec::new() };
    maker.reshape()?;
    for (c, native) in natives.into_iter().enumerate() {
        let mut part = Part { name: native.name.clone(), ..Part::default() };
        match of(c) {
            Some(e) => {
                part.change = maker.native(c, e, native)?;
                // A missing end that was restored does not count as an edit.
                if part.change != (ClipChange { cut: part.change.cut, ..ClipChange::default() }) {
                    part.state = State::Edited;
                }
                maker.known(c, &part.change);
            }
            None if maker.stays(c) => {
                part.change.absent = true;
                let edits = maker.reparented(c, &mut part.change)?;
                if edits.is_empty() {
                    maker.keep(native);
                } else {
                    part.state = State::Edited;
                    maker.edited(native, &edits);
                }
                maker.known(c, &part.change);
            }
            None => part.state = State::Gone,
        }
        report.clips.push(part);
    }
    for (e, _) in pairs.iter().enumerate().filter(|(_, native)| native.is_none()) {
        maker.foreign(e, report)?;
    }
    patch.clips = maker.patches;
    Ok(())
}

impl ClipChange {
    /// Adds the change of a pose, in radians and the scene's unit.
    fn grow(&mut self, angle: f64, moved: f64) {
        self.degrees = self.degrees.max(angle * 180.0 / core::f64::consts::PI);
        self.furthest = self.furthest.max(moved);
    }
}

/// Returns the native clip of each edited one by name: the whole name, or the part after the skeleton's name.
fn pairs(work: &Comparison<'_, '_>) -> Vec<Option<usize>> {
    let mut pairs = alloc::vec![None; work.edited.clips.len()];
    let keys: [fn(&str) -> &str; 3] = [|name| name, clip_name, stem];
    for (k, key) in keys.into_iter().enumerate() {
        for (e, clip) in work.edited.clips.iter().enumerate() {
            let (name, free) = (key(&clip.name), |n: usize| !pairs.contains(&Some(n)));
            let mut natives = work.exported.clips.iter().enumerate();
            // Numbers at the end of names distinguish clips with the same name.
            let is = |n: usize| free(n) && (k < 2 || is_shared(work.exported, n));
            let found = natives.position(|(n, native)| native.name == name && is(n));
            if let Some(slot) = pairs.get_mut(e).filter(|slot| slot.is_none()) {
                *slot = found;
            }
        }
    }
    pairs
}

/// Returns true if several clips have the name of a clip.
fn is_shared(scene: &Scene, clip: usize) -> bool {
    let name = scene.clips.get(clip).map(|clip| &clip.name);
    scene.clips.iter().filter(|other| Some(&other.name) == name).nth(1).is_some()
}

/// Copies the changed extras of an edited clip, such as events. Extras that tools drop or add are not edits.
fn says(own: &mut Option<Extra>, exported: &Clip, edited: &Clip) -> bool {
    let (Some(Extra::Map(was)), Some(Extra::Map(is)), Some(Extra::Map(own))) =
        (&exported.extras, &edited.extras, own)
    else {
        return false;
    };
    let mut other = false;
    for (key, value) in is {
        let known = was.iter().any(|(name, was)| name == key && !is_same_value(was, value));
        if let Some((_, to)) = own.iter_mut().find(|(name, _)| known && name == key) {
            to.clone_from(value);
            other = true;
        }
    }
    other
}

/// Returns true if two values are equal, whatever the number format.
fn is_same_value(a: &Extra, b: &Extra) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "integers that were written as floats are small enough")]
    let number = |e: &Extra| match e {
        Extra::Int(i) => Some(*i as f64),
        Extra::Float(f) => Some(*f),
        _ => None,
    };
    match (a, b) {
        (Extra::List(a), Extra::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_value(a, b))
        }
        (Extra::Map(a), Extra::Map(b)) => {
            // Tools keep the order of fields. For maps with few fields, another order is equal too.
            let near = |n: usize| {
                if a.len() > 64 { b.get(n..).unwrap_or_default().iter().take(1) } else { b.iter().take(64) }
            };
            let same = |(n, (key, value)): (usize, &(String, Extra))| {
                near(n).any(|(k, v)| k == key && is_same_value(value, v))
            };
            a.len() == b.len() && a.iter().enumerate().all(same)
        }
        _ => a == b || number(a).zip(number(b)).is_some_and(|(a, b)| a == b || a.is_nan() && b.is_nan()),
    }
}

/// Number of frames of a clip that are compared bit for bit.
const TELLING: f64 = 16.0;

/// Counts the poses of moving joints that are bit-identical to the exported ones.
fn exactness(
    work: &Comparison<'_, '_>,
    placed: &Placed,
    pairs: &[Option<usize>],
) -> Result<Exactness, ConvertError> {
    let mut found = Exactness::default();
    let (mut first, mut pose) = (Vec::new(), Vec::new());
    for (e, c) in pairs.iter().enumerate().filter_map(|(e, c)| Some((e, (*c)?))) {
        let exported = Sampler::new(work.exported, c, work.budget)?;
        let Some(mut poser) = Poser::new(work, placed, e)? else { continue };
        if poser.leans() {
            found = found.and(Exactness::COMPUTED);
        }
        exported.locals(0.0, &mut first)?;
        let last = f64::from(exported.clip().frames.saturating_sub(1));
        let step = (last / TELLING).max(1.0);
        let mut at = 0.0;
        while at <= last {
            let frame = nearest_whole(at);
            at += step;
            poser.seek(exported.clip().seconds(frame))?;
            exported.locals(frame, &mut pose)?;
            work.budget.work("joints", pose.len() as u64)?;
            poser.compare(&exported, &pose, &first, &mut found);
        }
    }
    Ok(found)
}

/// Matches the remaining clips that show the same motion under another name.
fn renamed(samples: &Sampled<'_, '_, '_>, pairs: &mut [Option<usize>]) -> Result<(), ConvertError> {
    let Sampled { work, placed, .. } = *samples;
    for e in 0..pairs.len() {
        for c in 0..work.exported.clips.len() {
            if pairs.get(e) != Some(&None) || pairs.contains(&Some(c)) {
                continue;
            }
            let exported = Sampler::new(work.exported, c, work.budget)?;
            let Some(mut poser) = Poser::new(work, placed, e)? else { continue };
            if Length::new(&exported, &poser.sampler).is_near()
                && samples.is_shown(c, &exported, &mut poser)?
                && let Some(slot) = pairs.get_mut(e)
            {
                *slot = Some(c);
            }
        }
    }
    Ok(())
}

struct Maker<'w, 's, 'b> {
    work: &'w Comparison<'s, 'b>,
    placed: &'w Placed,
    /// The tolerances for poses.
    tolerance: Tolerance,
    scene: &'w mut Scene,
    /// The changes of the joints of the result.
    joints: &'w [Vec<JointPatch>],
    shown: SortedMap<(usize, u32), usize>,
    patches: Vec<ClipPatch>,
}

impl<'s, 'b> Maker<'_, 's, 'b> {
    /// Returns the input for comparing poses.
    fn samples(&self) -> Sampled<'_, 's, 'b> {
        let Self { work, placed, tolerance, .. } = *self;
        Sampled { work, placed, tolerance, skeletons: &self.scene.skeletons }
    }

    /// Records the native clip of the last clip, and its changes.
    fn known(&mut self, c: usize, change: &ClipChange) {
        if let Some(own) = self.patches.last_mut() {
            own.original = Some(c);
            (own.renamed, own.extras) = (change.renamed.is_some(), change.says);
        }
    }

    /// Gives native poses the joints of the result: removed joints are dropped, new ones get their rest pose.
    fn reshape(&mut self) -> Result<(), ConvertError> {
        for set in 0..self.scene.pose_sets.len() {
            let clip = self
                .work
                .native
                .clips
                .iter()
                .find(|c| matches!(&c.motion, Motion::Poses { set: s, .. } if s.0 == set));
            let Some(skeleton) = clip.map(|c| c.skeleton.0) else { continue };
            let (Some(to), Some(native)) =
                (self.scene.skeletons.get(skeleton), self.placed.native.get(skeleton))
            else {
                continue;
            };
            let still = to.joints.len() == native.len()
                && native.iter().enumerate().all(|(j, at)| at.is_some_and(|a| a.joint == j));
            let Some(old) = self.scene.pose_sets.get(set).filter(|_| !still) else { continue };
            let count = to.joints.len();
            let mut locals = self.work.budget.reserve("poses", count.saturating_mul(old.len()))?;
            for pose in 0..old.len() {
                let Some(pose) = old.pose(pose) else { continue };
                let from = locals.len();
                locals.extend(to.joints.iter().map(|j| j.rest.to_affine()));
                for (matrix, at) in pose.iter().zip(native) {
                    let slot = at.and_then(|at| locals.get_mut(from.checked_add(at.joint)?));
                    if let Some(slot) = slot {
                        *slot = *matrix;
                    }
                }
            }
            if let Some(slot) = self.scene.pose_sets.get_mut(set) {
                *slot = PoseSet { joints: count, locals };
            }
        }
        Ok(())
    }

    /// Returns true if a native clip stays although no edited clip matches it.
    fn stays(&self, c: usize) -> bool {
        if self.work.options.absent == Absent::Kept
            || self.work.edited.clips.is_empty() && self.work.edited.skeletons.is_empty()
        {
            return true;
        }
        if self.work.options.keeps_still_clips {
            return false;
        }
        // Tools drop clips without motion.
        let Ok(sampler) = Sampler::new(self.work.exported, c, self.work.budget) else { return true };
        let (mut first, mut pose) = (Vec::new(), Vec::new());
        let is_still = |frame| {
            if sampler.locals(frame, if first.is_empty() { &mut first } else { &mut pose }).is_err() {
                return true;
            }
            let moves = |(a, b): (&Affine64, &Affine64)| differs(b, a, None, &self.tolerance).is_some();
            !first.iter().zip(&pose).any(moves)
        };
        sampler.whole_frames().all(is_still)
    }

    /// Adds an unedited native clip with the joints of the result.
    fn keep(&mut self, mut clip: Clip) {
        let native = self.placed.native.get(clip.skeleton.0).map_or(&[][..], Vec::as_slice);
        if let Motion::Tracks(tracks) = &mut clip.motion {
            tracks.retain_mut(|t| {
                let at = native.get(t.joint).copied().flatten();
                t.joint = at.map_or(t.joint, |at| at.joint);
                at.is_some()
            });
        }
        self.push(clip, Poses::Unchanged);
    }

    fn push(&mut self, clip: Clip, poses: Poses) {
        self.scene.clips.push(clip);
        self.patches.push(ClipPatch { poses, ..ClipPatch::default() });
    }

    /// Adds a native clip with its edits.
    fn native(&mut self, c: usize, e: usize, mut clip: Clip) -> Result<ClipChange, ConvertError> {
        let mut change = ClipChange::default();
        let exported = Sampler::new(self.work.exported, c, self.work.budget)?;
        let Some(mut poser) = Poser::new(self.work, self.placed, e)? else {
            self.keep(clip);
            return Ok(change);
        };
        let length = Length::new(&exported, &poser.sampler);
        change.cut = if length.is_cut() { length.missing } else { 0.0 };
        let name = &poser.sampler.clip().name;
        let shared = is_shared(self.work.exported, c);
        // If several clips have one name, tools number all but the first.
        let numbered = shared && stem(name) == exported.clip().name;
        let known = self.work.exported.clips.iter().any(|n| clip_name(name) == n.name);
        if exported.clip().name != *name && !known && !numbered {
            change.renamed = Some(name.clone());
            clip.name.clone_from(name);
        }
        change.says = says(&mut clip.extras, exported.clip(), poser.sampler.clip());
        if Length::is_longer_by_one(exported.clip(), poser.sampler.clip()) {
            return self.replaced(clip, e, change);
        }
        if length.is_near() && self.samples().is_shown(c, &exported, &mut poser)? {
            self.keep(clip);
            return Ok(change);
        }
        let samples = self.samples().find_samples(c, &exported, &mut poser)?;
        if let Some(samples) = &samples {
            change.cut = samples.cut;
        } else if !length.is_near() {
            return self.replaced(clip, e, change);
        }
        let end = samples.as_ref().map_or(length.open, |samples| samples.end);
        let edits = self.edits(&exported, &mut poser, (end, samples.as_ref()), &mut change)?;
        if edits.is_empty() {
            self.keep(clip);
        } else {
            self.edited(clip, &edits);
        }
        Ok(change)
    }

    /// Returns the changed poses at native frames, up to the end of the edited clip. For a clip sampled between frames,
    /// it returns those next to samples that differ.
    fn edits(
        &self,
        exported: &Sampler<'s, '_>,
        poser: &mut Poser<'_, 's, '_>,
        (end, samples): (f64, Option<&Samples>),
        change: &mut ClipChange,
    ) -> Result<SortedMap<(u32, usize), Affine64>, ConvertError> {
        let mut edits = SortedMap::new();
        let mut joints = SortedSet::new();
        // Edits between frames count as edits of the nearest frame.
        for (joint, seconds, (angle, moved)) in samples.iter().flat_map(|s| &s.off) {
            change.frames.push(nearest_frame(exported, *seconds));
            joints.insert(*joint);
            change.grow(*angle, *moved);
        }
        let mut pose = Vec::new();
        for frame in exported.whole_frames() {
            let seconds = exported.clip().seconds(frame);
            // After the end of a clip that a tool cut, the native pose stays.
            if seconds > end + SAME_TIME && change.cut > 0.0 {
                continue;
            }
            poser.seek(seconds)?;
            exported.locals(frame, &mut pose)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a frame of a clip")]
            let number = frame as u32;
            let before = edits.len();
            self.samples().differences(exported, poser, (&pose, &[]), &mut |at, here, (angle, moved)| {
                if samples.is_some_and(|samples| !samples.are_off(at.joint, seconds)) {
                    return;
                }
                edits.insert((number, at.joint), here);
                joints.insert(at.joint);
                change.grow(angle, moved);
            });
            let met = edits.len().saturating_sub(before);
            self.work.budget.charge_items("poses", met as u64, size_of::<Affine64>().saturating_mul(2))?;
            if met > 0 {
                change.frames.push(number);
            }
        }
        self.tell(exported, &joints, change);
        Ok(edits)
    }

    /// Completes the changes of a clip with the names of the joints that move otherwise.
    fn tell(&self, exported: &Sampler<'_, '_>, joints: &SortedSet<usize>, change: &mut ClipChange) {
        change.frames.order();
        change.frames.dedup();
        change.throughout = change.frames.len() == exported.frames();
        let skeleton = self.scene.skeletons.get(exported.clip().skeleton.0);
        let name = |j: &usize| skeleton.and_then(|s| s.joints.get(*j)).map(|j| j.name.clone());
        change.joints = joints.iter().filter_map(name).collect();
    }

    /// Adds a native clip with changed poses.
    fn edited(&mut self, mut clip: Clip, edits: &SortedMap<(u32, usize), Affine64>) {
        let frames: SortedSet<u32> = edits.keys().map(|(frame, _)| *frame).collect();
        match &mut clip.motion {
            Motion::Poses { set, frames: poses } => {
                let Some(all) = self.scene.pose_sets.get_mut(set.0) else { return };
                for frame in frames {
                    let Some(slot) = poses.get_mut(frame as usize) else { continue };
                    let joints = all.joints;
                    let shared = self.shown.get(&(set.0, *slot)).copied().unwrap_or(0) > 1;
                    if shared {
                        // Other frames still show the native pose.
                        let own = all.pose(*slot as usize).unwrap_or_default().to_vec();
                        *slot = u32::try_from(all.len()).unwrap_or(u32::MAX);
                        all.locals.extend(own);
                    }
                    let first = (*slot as usize).saturating_mul(joints);
                    for ((_, joint), local) in edits.range((frame, 0)..=(frame, usize::MAX)) {
                        if let Some(matrix) = all.locals.get_mut(first.saturating_add(*joint)) {
                            *matrix = local.narrow();
                        }
                    }
                }
                self.push(clip, Poses::Unchanged);
            }
            Motion::Tracks(_) => {
                self.keep(clip);
                self.rekeyed(edits);
            }
        }
        if let Some(own) = self.patches.last_mut() {
            own.poses = Poses::Changed(edits.keys().copied().collect());
        }
    }

    /// Gives the edited joints of the last clip a key at every frame.
    fn rekeyed(&mut self, edits: &SortedMap<(u32, usize), Affine64>) {
        let joints: SortedSet<usize> = edits.keys().map(|(_, joint)| *joint).collect();
        let mut new: Vec<Track> = Vec::new();
        {
            let Some(last) = self.scene.clips.len().checked_sub(1) else { return };
            let Ok(sampler) = Sampler::new(self.scene, last, self.work.budget) else { return };
            for &joint in &joints {
                let mut track = Track { joint, ..Track::default() };
                let at = |frame: u32| match edits.get(&(frame, joint)) {
                    Some(local) => Trs64::from_affine(local),
                    None => sampler.trs(joint, f64::from(frame)),
                };
                let frames = 0..u32::try_from(sampler.frames()).unwrap_or(0);
                let rests = sampler.skeleton().joints.get(joint).map(|j| j.rest.to_trs64().scale);
                let scaled = |s: [f64; 3]| s.iter().any(|s| (s - 1.0).abs() > 1e-5);
                // Either all frames have a scale, or none.
                let has_scale = rests.is_some_and(|rest| rest != [1.0; 3])
                    || frames.clone().any(|frame| scaled(at(frame).scale));
                for frame in frames {
                    let trs = at(frame).narrow();
                    #[expect(clippy::cast_precision_loss, reason = "frames of clips are below 2^24")]
                    let frame = frame as f32;
                    track.translation.push(frame, trs.translation);
                    track.rotation.push(frame, trs.rotation);
                    if has_scale {
                        track.scale.push(frame, trs.scale);
                    }
                }
                new.push(track);
            }
        }
        if let Some(Clip { motion: Motion::Tracks(tracks), .. }) = self.scene.clips.last_mut() {
            tracks.retain(|t| !joints.contains(&t.joint));
            tracks.extend(new);
            tracks.order_by_key(|t| t.joint);
        }
    }

    /// Replaces a native clip whose length changed with the edited one.
    fn replaced(
        &mut self,
        native: Clip,
        e: usize,
        mut change: ClipChange,
    ) -> Result<ClipChange, ConvertError> {
        let skeleton = native.skeleton;
        if let Some(mut clip) = self.edited_poses(e, skeleton.0)? {
            change.length = Some(clip.frames);
            clip.name.clone_from(&native.name);
            (clip.start, clip.extras) = (native.start, native.extras);
            clip.looping |= native.looping && clip.looping;
            self.push(clip, Poses::New);
        } else {
            self.keep(native);
        }
        Ok(change)
    }

    /// Adds a clip that the native model lacks.
    fn foreign(&mut self, e: usize, report: &mut Recovery) -> Result<(), ConvertError> {
        let Some(source) = self.work.edited.clips.get(e) else { return Ok(()) };
        let of = self.placed.edited.get(source.skeleton.0).and_then(|list| list.iter().flatten().next());
        let Some(skeleton) = of.map(|at| at.skeleton) else { return Ok(()) };
        let part = Part { name: source.name.clone(), state: State::New, ..Part::default() };
        if let Some(clip) = self.edited_poses(e, skeleton)? {
            report.clips.push(part);
            self.push(clip, Poses::New);
        }
        Ok(())
    }

    /// Returns an edited clip as poses of a skeleton of the result, at its own frames.
    fn edited_poses(&mut self, e: usize, skeleton: usize) -> Result<Option<Clip>, ConvertError> {
        let Some(mut poser) = Poser::new(self.work, self.placed, e)? else { return Ok(None) };
        let Some(to) = self.scene.skeletons.get(skeleton) else { return Ok(None) };
        let source = poser.sampler.clip();
        let joints = to.joints.len();
        let count = poser.sampler.frames();
        let mut locals = self.work.budget.reserve("poses", joints.saturating_mul(count))?;
        for frame in 0..u32::try_from(count).unwrap_or(0) {
            poser.seek(source.seconds(f64::from(frame)))?;
            locals.extend(to.joints.iter().enumerate().map(|(joint, own)| {
                let here = poser.source(At { skeleton, joint }).and_then(|e| poser.local(e));
                here.map_or_else(|| own.rest.to_affine(), |m| m.narrow())
            }));
        }
        self.work.budget.work("joints", locals.len() as u64)?;
        constant_channels::hold(&mut locals, &to.joints, &self.tolerance);
        let set = PoseSetId(self.scene.pose_sets.len());
        let frames = (0..u32::try_from(count).unwrap_or(0)).collect();
        self.scene.pose_sets.push(PoseSet { joints, locals });
        let mut clip =
            Clip::new(source.name.clone(), SkeletonId(skeleton), source.rate, Motion::Poses { set, frames });
        clip.looping = source.looping;
        clip.extras.clone_from(&source.extras);
        Ok(Some(clip.with_interpolation(Interpolation::LinearShort)))
    }
}
