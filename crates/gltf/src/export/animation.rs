//! Clips as animations.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "vectors of fixed size and neighbouring keys; counts of what is in memory"
)]

use crate::export::animation_json::Animation;
use crate::export::curves::{Curve, Keys as CurveKeys, Part, one_hemisphere, same_rotation};
use crate::export::extras::{self, rounded};
use crate::export::geometry::{is_scaled, unit_rotation};
use crate::export::keys::{alike, at, furthest, locals, mix, worst_between};
use crate::export::options::ExportOptions;
use crate::export::output::{Bounds, Output, room};
use crate::export::poses::Poses;
use crate::export::skeleton::Joints;
use crate::export::tally::Tally;
use crate::math::{SHEAR_NOISE, blend, decompose, degrees_apart, lerp, narrow, rotation, slerp, wide};
use meshwright_scene::{
    Affine, Channel as Keys, Clip, ConvertError, LimitExceeded, Loss, Motion, Scene, Skeleton, Track, Trs,
};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::num::NonZeroU16;

/// Differences between keys, in degrees, below which they are not reported: where the keys are of neighbouring
/// frames, and where they are further apart.
const REPORTED_NEAR: f64 = 0.5;
const REPORTED_FAR: f64 = 0.1;

/// Writes the clips and returns those that became animations.
///
/// An editor that goes from clip to clip leaves what a clip has no keys for where the last one put it. So where a
/// skeleton has several clips, each has a key for whatever any of them moves.
pub(crate) fn write(
    out: &mut Output<'_>,
    scene: &Scene,
    skeletons: &[Option<Joints>],
    options: &ExportOptions,
    losses: &mut Vec<Loss>,
) -> Result<Vec<usize>, ConvertError> {
    let mut written = out.memory.reserve("clips", scene.clips.len())?;
    let mut moving = Vec::new();
    for (i, clip) in scene.clips.iter().enumerate() {
        let joints = skeletons.get(clip.skeleton.0).and_then(Option::as_ref).filter(|j| !j.nodes.is_empty());
        match (joints, scene.skeletons.get(clip.skeleton.0)) {
            (Some(joints), Some(skeleton)) if clip.frames > 0 => {
                moving.push(Moving { clip, joints, skeleton });
                written.push(i);
            }
            _ => {
                let path = format!("clips[{i}]");
                losses.push(Loss::new("empty-clip", path, "a clip without frames or joints was left out"));
            }
        }
    }
    let mut poses = taken_apart(out, scene, &moving)?;
    let wanted = wanted(out, &moving, &poses)?;
    for (of, &i) in moving.iter().zip(&written) {
        let close = (options.close_loops && of.clip.looping).then_some(of.clip.frames);
        let mut writer = Writer {
            out,
            clip: of.clip,
            joints: of.joints,
            path: format!("clips[{i}]"),
            close,
            rate: options.frames_at.map_or(f64::from(of.clip.rate), |rate| f64::from(rate.get())),
            frames_at: options.frames_at,
            curves: BTreeMap::new(),
            held: 0,
            tally: Tally::default(),
        };
        match &of.clip.motion {
            Motion::Poses { set, frames } => {
                if let Some(poses) = poses.get_mut(&set.0) {
                    writer.poses(of.skeleton, poses, frames)?;
                }
            }
            Motion::Tracks(tracks) => writer.tracks(of.skeleton, tracks)?,
        }
        writer.rest(wanted.get(&of.clip.skeleton.0).map_or(&[], Vec::as_slice))?;
        writer.keep_length()?;
        writer.finish()?.report(&format!("clips[{i}]"), losses);
    }
    worst_between(losses, &scene.clips);
    losses.extend(open_loops(&moving, options.close_loops));
    losses.extend(editor_rate(&moving, options.frames_at));
    Ok(written)
}

/// A clip that becomes an animation, and what it moves.
struct Moving<'a> {
    clip: &'a Clip,
    joints: &'a Joints,
    skeleton: &'a Skeleton,
}

/// What a map has for a key; made where it has nothing yet.
fn entry<K: Ord, V>(
    map: &mut BTreeMap<K, V>,
    key: K,
    make: impl FnOnce() -> Result<V, LimitExceeded>,
) -> Result<&mut V, LimitExceeded> {
    Ok(match map.entry(key) {
        Entry::Occupied(there) => there.into_mut(),
        Entry::Vacant(free) => free.insert(make()?),
    })
}

/// The pose sets of the clips, by their numbers.
fn taken_apart<'a>(
    out: &Output<'_>,
    scene: &'a Scene,
    moving: &[Moving<'_>],
) -> Result<BTreeMap<usize, Poses<'a>>, ConvertError> {
    let mut used: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    for of in moving {
        let Motion::Poses { set, frames } = &of.clip.motion else { continue };
        let Some(poses) = scene.pose_sets.get(set.0) else { continue };
        let marks = entry(&mut used, set.0, || out.memory.filled("poses", poses.len(), false))?;
        out.memory.work("frames", frames.len() as u64)?;
        for frame in frames {
            if let Some(mark) = marks.get_mut(*frame as usize) {
                *mark = true;
            }
        }
    }
    let made = used.into_iter().filter_map(|(set, used)| {
        let poses = scene.pose_sets.get(set)?;
        Some(Poses::new(poses, &used, &out.memory).map(|poses| (set, poses)))
    });
    Ok(made.collect::<Result<_, _>>()?)
}

/// The channels that every clip of a skeleton has, by the skeleton's number: what an importer's bones cannot hold at
/// rest, and with several clips whatever one of them moves away from the rest pose.
fn wanted(
    out: &Output<'_>,
    moving: &[Moving<'_>],
    poses: &BTreeMap<usize, Poses<'_>>,
) -> Result<BTreeMap<usize, Vec<[bool; 3]>>, ConvertError> {
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    let mut wanted: BTreeMap<usize, Vec<[bool; 3]>> = BTreeMap::new();
    for of in moving {
        *count.entry(of.clip.skeleton.0).or_default() += 1;
        entry(&mut wanted, of.clip.skeleton.0, || {
            let mut keyed = out.memory.reserve("joints", of.joints.keyed.len())?;
            keyed.extend(&of.joints.keyed);
            Ok(keyed)
        })?;
    }
    // Clips of one set show its poses many times over.
    let mut seen = BTreeMap::new();
    for of in moving.iter().filter(|of| count.get(&of.clip.skeleton.0).is_some_and(|n| *n > 1)) {
        let Some(wanted) = wanted.get_mut(&of.clip.skeleton.0) else { continue };
        let follows = of.skeleton.joints.iter().map(|joint| !joint.follows.is_empty());
        wanted.iter_mut().zip(follows).filter(|(_, follows)| *follows).for_each(|(w, _)| *w = [true; 3]);
        match &of.clip.motion {
            Motion::Poses { set, frames } => {
                let Some(poses) = poses.get(&set.0) else { continue };
                let key = (of.clip.skeleton.0, set.0);
                let seen = entry(&mut seen, key, || out.memory.filled("poses", poses.set().len(), false))?;
                moved_by_poses(out, of.joints, poses, frames, seen, wanted)?;
            }
            Motion::Tracks(tracks) => moved_by_tracks(of.joints, tracks, wanted),
        }
    }
    Ok(wanted)
}

/// Marks what poses move away from the rest pose. Those that were seen before say nothing new.
fn moved_by_poses(
    out: &Output<'_>,
    joints: &Joints,
    poses: &Poses<'_>,
    frames: &[u32],
    seen: &mut [bool],
    moved: &mut [[bool; 3]],
) -> Result<(), ConvertError> {
    for &frame in frames {
        let Some(seen) = seen.get_mut(frame as usize).filter(|seen| !**seen) else { continue };
        *seen = true;
        out.memory.work("joints placed", joints.rest.len() as u64)?;
        let pairs = poses.pose(frame).unwrap_or_default().iter().zip(&joints.rest);
        for ([translation, rotation, scale], (at, rest)) in
            moved.iter_mut().map(<[bool; 3]>::each_mut).zip(pairs)
        {
            *translation |= at.translation != rest.translation;
            *rotation |= !same_rotation(at.rotation, rest.rotation);
            *scale |= at.scale != rest.scale;
        }
    }
    Ok(())
}

/// Marks what tracks move away from the rest pose.
fn moved_by_tracks(joints: &Joints, tracks: &[Track], moved: &mut [[bool; 3]]) {
    for track in tracks {
        let Some(rest) = joints.rest.get(track.joint) else { continue };
        let Some([translation, rotation, scale]) = moved.get_mut(track.joint) else { continue };
        *translation |= track.translation.values.iter().any(|v| *v != rest.translation);
        *rotation |= track.rotation.values.iter().any(|q| !same_rotation(unit_rotation(*q), rest.rotation));
        *scale |= track.scale.values.iter().any(|v| *v != rest.scale);
    }
}

/// Says by how much loops play longer than they are written.
fn open_loops(moving: &[Moving<'_>], closed: bool) -> Option<Loss> {
    let open = || moving.iter().map(|of| of.clip).filter(|c| c.looping && c.frames > 1 && !closed);
    let longest = open().max_by(|a, b| b.rate.total_cmp(&a.rate).then(b.name.cmp(&a.name)))?;
    let message = format!(
        "loops blend their last frame into the first: {:?} takes {} s in its game and {} s as it is written; \
         --close-loops repeats the first frame at the end",
        longest.name,
        rounded(longest.duration_seconds()),
        rounded(longest.seconds(f64::from(longest.frames.saturating_sub(1)))),
    );
    let note = Loss::note("loop-period", "clips", message).of(open().count(), "loop", "loops");
    Some(note.by(rounded(longest.seconds(1.0)), "seconds"))
}

/// The rate at which Blender samples whatever it is given, unless told otherwise.
const EDITOR_RATE: f32 = 24.0;

/// Says which rate an editor must have that samples at its own, so that it meets every key.
fn editor_rate(moving: &[Moving<'_>], frames_at: Option<NonZeroU16>) -> Option<Loss> {
    let mut rates: Vec<f32> = moving.iter().filter(|of| of.clip.frames > 1).map(|of| of.clip.rate).collect();
    rates.sort_by(f32::total_cmp);
    rates.dedup();
    let way = match rates.as_slice() {
        [] | [EDITOR_RATE] => return None,
        [rate] => {
            format!("set its scene to {rate} frames per second before importing, or pass --frames-at 24")
        }
        _ => format!("clips have {} rates, of which its scene has one: pass --frames-at 24", rates.len()),
    };
    let message =
        format!("Blender samples clips at the rate of its scene, 24 at first, and cuts their ends: {way}");
    frames_at.is_none().then(|| Loss::note("editor-rate", "clips", message).of(moving.len(), "clip", "clips"))
}

/// What a frame takes while the channels of one joint are made: its number, time, matrix and parts.
const FRAME: usize = 120;

/// What a curve takes besides its keys, and what each of those takes at most.
const CURVE: usize = 160;
const KEY: usize = 20;

/// Steps of work that placing a joint in a pose counts as, and making a key: of many clips that show the same poses
/// the keys are made for each, and stored once.
const PLACED: u64 = 64;
const MADE: u64 = 128;

struct Writer<'a, 's> {
    out: &'a mut Output<'s>,
    clip: &'a Clip,
    joints: &'a Joints,
    path: String,
    /// The frame at which the first pose is repeated.
    close: Option<u32>,
    /// Frames that a second of keys has.
    rate: f64,
    frames_at: Option<NonZeroU16>,
    /// The channels by joint and part.
    curves: BTreeMap<(usize, Part), Curve>,
    /// Bytes that the curves take.
    held: usize,
    tally: Tally,
}

impl Writer<'_, '_> {
    /// The last frame of the animation; of a closed loop, the end of its period.
    fn last_frame(&self) -> u32 {
        self.close.unwrap_or(self.clip.frames.saturating_sub(1))
    }

    /// Times of frames, strictly rising in 32 bits.
    fn times(&mut self, frames: impl ExactSizeIterator<Item = f64>) -> Result<Vec<f32>, ConvertError> {
        let mut times: Vec<f32> = room("key times", frames.len())?;
        for frame in frames {
            let [mut time] = narrow([frame / self.rate]);
            if let Some(&before) = times.last()
                && time <= before
            {
                time = before.next_up();
                self.tally.nudged += 1;
            }
            if !time.is_finite() {
                return Err(ConvertError::invalid(self.path.as_str(), "the time of a key is not finite"));
            }
            times.push(time);
        }
        Ok(times)
    }

    /// Charges room to work in beside the curves that are there.
    fn room_for(&mut self, what: &'static str, count: usize, size: usize) -> Result<(), ConvertError> {
        self.out.scratch(what, self.held.saturating_add(count.saturating_mul(size)), 1)
    }

    fn insert(&mut self, joint: usize, part: Part, curve: Curve) -> Result<(), ConvertError> {
        let size = curve.times().len().saturating_mul(KEY).saturating_add(CURVE);
        self.held = self.held.saturating_add(size);
        self.room_for("keys", 0, 1)?;
        self.curves.insert((joint, part), curve);
        Ok(())
    }

    /// A channel of vectors, unless it never leaves the rest value.
    fn vectors(
        &mut self,
        joint: usize,
        part: Part,
        times: &[f32],
        values: Vec<[f32; 3]>,
        rest: [f32; 3],
    ) -> Result<(), ConvertError> {
        self.out.memory.work("keys", (values.len() as u64).saturating_mul(MADE))?;
        let keys = CurveKeys::sparse(times, values);
        if keys.values.is_empty() || keys.values == [rest] {
            return Ok(());
        }
        self.insert(joint, part, Curve::Vectors(keys))
    }

    /// A channel of rotations, unless it never leaves the rest value. Neighbours are brought into one
    /// hemisphere.
    fn rotations(
        &mut self,
        joint: usize,
        times: &[f32],
        mut values: Vec<[f32; 4]>,
        rest: [f32; 4],
    ) -> Result<(), ConvertError> {
        self.out.memory.work("keys", (values.len() as u64).saturating_mul(MADE))?;
        one_hemisphere(&mut values, rest);
        let keys = CurveKeys::sparse(times, values);
        if keys.values.is_empty() || keys.values == [rest] {
            return Ok(());
        }
        self.insert(joint, Part::Rotation, Curve::Rotations(keys))
    }

    /// A key for every channel that is wanted and not there yet.
    fn rest(&mut self, wanted: &[[bool; 3]]) -> Result<(), ConvertError> {
        let joints = self.joints;
        for (joint, (wanted, rest)) in wanted.iter().zip(&joints.rest).enumerate() {
            for (part, _) in Part::ALL.into_iter().zip(wanted).filter(|(_, wanted)| **wanted) {
                if !self.curves.contains_key(&(joint, part)) {
                    self.insert(joint, part, Curve::constant(rest, part))?;
                }
            }
        }
        Ok(())
    }

    /// Lets the animation begin and end with its clip, and have at least one channel.
    fn keep_length(&mut self) -> Result<(), ConvertError> {
        let [end] = narrow([f64::from(self.last_frame()) / self.rate]);
        if !end.is_finite() {
            return Err(ConvertError::invalid(self.path.as_str(), "the end of the clip is not finite"));
        }
        if self.curves.is_empty() {
            let rest = self.joints.rest.first().copied().unwrap_or_default();
            self.insert(0, Part::Translation, Curve::constant(&rest, Part::Translation))?;
        }
        if self.curves.values().any(|curve| curve.spans(end)) {
            return Ok(());
        }
        let still = self.curves.iter().find(|(_, curve)| curve.times().len() == 1).map(|(key, _)| *key);
        let any = still.or_else(|| self.curves.keys().next().copied());
        if let Some(curve) = any.and_then(|key| self.curves.get_mut(&key)) {
            curve.stretch(end);
        }
        Ok(())
    }

    /// Writes the channels.
    fn finish(self) -> Result<Tally, ConvertError> {
        let Self { out, clip, joints, curves, tally, frames_at, .. } = self;
        let extras = extras::of_clip(&out.memory, clip, frames_at)?;
        let mut animation = Animation::new(out, &clip.name)?;
        for ((joint, part), curve) in curves {
            let Some(node) = joints.nodes.get(joint) else { continue };
            let (times, _) = curve.times().as_chunks();
            let input = out.keys::<1>("key times", times, Bounds::Written)?;
            let output = match &curve {
                Curve::Vectors(keys) => out.keys("keys", &keys.values, Bounds::Omitted)?,
                Curve::Rotations(keys) => out.keys("keys", &keys.values, Bounds::Omitted)?,
            };
            animation.channel(out, (input, output), *node, part.path())?;
        }
        animation.end(out, extras);
        Ok(tally)
    }

    fn poses(
        &mut self,
        skeleton: &Skeleton,
        poses: &mut Poses<'_>,
        frames: &[u32],
    ) -> Result<(), ConvertError> {
        let count = frames.len().saturating_add(1);
        self.room_for("poses", count, FRAME)?;
        self.out.memory.work("frames", (count as u64).saturating_mul(u64::from(count.max(2).ilog2())))?;
        let mut order: Vec<u32> = room("frames", count)?;
        order.extend(frames);
        if self.close.is_some() {
            order.extend(frames.first());
        }
        // Whole numbers up to 2^32.
        let times = self.times((0..order.len()).map(|f| f as f64))?;
        // Frames can share poses many times over: whether a joint moves at all is asked of the poses alone.
        let mut used: Vec<u32> = room("frames", count)?;
        used.extend(&order);
        used.sort_unstable();
        used.dedup();
        self.measure(skeleton, poses, &order, &used)?;
        let joints = skeleton.joints.len() as u64;
        self.out.memory.work("joints placed", joints.saturating_mul(3 * used.len() as u64))?;
        for (j, joint) in skeleton.joints.iter().enumerate() {
            let (Some(rest), true) = (self.joints.rest.get(j).copied(), joint.follows.is_empty()) else {
                continue;
            };
            let all = poses.column(j, &order, &used, |t| t.translation)?;
            self.vectors(j, Part::Translation, &times, all, rest.translation)?;
            let all = poses.column(j, &order, &used, |t| t.rotation)?;
            self.rotations(j, &times, all, rest.rotation)?;
            let all = poses.column(j, &order, &used, |t| t.scale)?;
            self.vectors(j, Part::Scale, &times, all, rest.scale)?;
        }
        let places: Vec<usize> = order.iter().filter_map(|p| used.binary_search(p).ok()).collect();
        let models = used.iter().filter_map(|&p| poses.set().pose(p as usize));
        self.followers(skeleton, &times, &places, used.len(), models.map(<[Affine]>::to_vec))
    }

    /// What poses hold that translations, rotations and scales do not, and what lies between them.
    fn measure(
        &mut self,
        skeleton: &Skeleton,
        poses: &mut Poses<'_>,
        order: &[u32],
        used: &[u32],
    ) -> Result<(), ConvertError> {
        for shear in used.iter().map(|p| poses.shear(*p)) {
            self.tally.sheared += shear.joints;
            self.tally.shear = self.tally.shear.max(shear.most);
        }
        let mut pairs: Vec<(u32, u32)> = room("frames", order.len())?;
        pairs.extend(order.iter().copied().zip(order.iter().copied().skip(1)));
        pairs.sort_unstable();
        pairs.dedup();
        for pair in pairs {
            let rule = self.clip.interpolation;
            let away = poses.away(pair, rule, &skeleton.joints, &self.out.memory)?;
            if away > REPORTED_NEAR {
                self.tally.turned = self.tally.turned.max(away);
            }
        }
        Ok(())
    }

    /// Channels of the joints that follow others, from the local matrices of all joints in `count` poses. `places` says
    /// which of these each key shows.
    fn followers(
        &mut self,
        skeleton: &Skeleton,
        times: &[f32],
        places: &[usize],
        count: usize,
        poses: impl Iterator<Item = Vec<Affine>>,
    ) -> Result<(), ConvertError> {
        let of = |(j, joint): (usize, &meshwright_scene::Joint)| (!joint.follows.is_empty()).then_some(j);
        let followers: Vec<usize> = skeleton.joints.iter().enumerate().filter_map(of).collect();
        if followers.is_empty() {
            return Ok(());
        }
        let placed = followers.len().saturating_mul(count);
        let keys = places.len().saturating_mul(FRAME);
        self.room_for("poses", placed.saturating_mul(size_of::<Affine>()).saturating_add(keys), 1)?;
        // Every joint is placed in every pose for the sake of a few.
        let steps = (skeleton.joints.len() as u64).saturating_mul(count as u64).saturating_mul(PLACED);
        self.out.memory.work("joints placed", steps)?;
        let mut models: Vec<Affine> = room("poses", placed)?;
        for locals in poses {
            let model = skeleton
                .to_model(&locals)
                .ok_or_else(|| ConvertError::invalid(self.path.as_str(), "joints form a cycle"))?;
            models.extend(followers.iter().filter_map(|&f| model.get(f)));
        }
        for (k, &joint) in followers.iter().enumerate() {
            let Some(rest) = self.joints.rest.get(joint).copied() else { continue };
            let mut own = room("poses", count)?;
            for m in models.iter().skip(k).step_by(followers.len()) {
                let (trs, error) = decompose(m);
                self.tally.sheared += usize::from(error > SHEAR_NOISE);
                self.tally.shear = self.tally.shear.max(if error > SHEAR_NOISE { error } else { 0.0 });
                own.push(trs);
            }
            let at = || places.iter().filter_map(|&p: &usize| own.get(p)).copied();
            let vectors = |part: fn(Trs) -> [f32; 3]| at().map(part).collect::<Vec<_>>();
            let (t, s) = (vectors(|t| t.translation), vectors(|t| t.scale));
            let r = at().map(|t| t.rotation).collect();
            self.vectors(joint, Part::Translation, times, t, rest.translation)?;
            self.rotations(joint, times, r, rest.rotation)?;
            self.vectors(joint, Part::Scale, times, s, rest.scale)?;
        }
        Ok(())
    }

    fn tracks(&mut self, skeleton: &Skeleton, tracks: &[Track]) -> Result<(), ConvertError> {
        let mut channels: Vec<[Option<usize>; 3]> =
            self.out.memory.reserve("tracks", skeleton.joints.len())?;
        channels.resize(skeleton.joints.len(), [None; 3]);
        for (t, track) in tracks.iter().enumerate() {
            let Some(slots) = channels.get_mut(track.joint) else { continue };
            let has = [!track.translation.is_empty(), !track.rotation.is_empty(), !track.scale.is_empty()];
            for (slot, has) in slots.iter_mut().zip(has) {
                if has && slot.replace(t).is_some() {
                    self.tally.replaced += 1;
                }
            }
        }
        for (j, slots) in channels.iter().enumerate() {
            let follows = skeleton.joints.get(j).is_some_and(|joint| !joint.follows.is_empty());
            let Some(rest) = self.joints.rest.get(j).copied().filter(|_| !follows) else { continue };
            let track = |slot: Option<usize>| slot.and_then(|t| tracks.get(t));
            if let Some(track) = track(slots[0]) {
                let (times, values) = self.vector_keys(&track.translation)?;
                self.vectors(j, Part::Translation, &times, values, rest.translation)?;
            }
            if let Some(track) = track(slots[1]) {
                let (times, values) = self.rotation_keys(&track.rotation)?;
                self.rotations(j, &times, values, rest.rotation)?;
            }
            if let Some(track) = track(slots[2]) {
                let (times, values) = self.vector_keys(&track.scale)?;
                self.vectors(j, Part::Scale, &times, values, rest.scale)?;
            }
        }
        if skeleton.joints.iter().any(|j| !j.follows.is_empty()) {
            let frames = self.clip.frames.saturating_add(u32::from(self.close.is_some()));
            self.room_for("frames", frames as usize, FRAME)?;
            let times = self.times((0..frames as usize).map(|f| f as f64))?;
            let clip = self.clip;
            let poses = (0..frames).map(|f| locals(skeleton, tracks, &channels, f, clip));
            let places: Vec<usize> = (0..frames as usize).collect();
            self.followers(skeleton, &times, &places, places.len(), poses)?;
        }
        Ok(())
    }

    /// Keys of a channel with their times, up to the last frame that is shown. glTF holds what lies before the
    /// first key and behind the last; where the clip does not, because it blends the last key into the first
    /// or on to a key that is never reached, a key is added at its edge.
    fn keys<T: Copy>(
        &mut self,
        keys: &Keys<T>,
        mix: impl Fn(T, T, f64) -> T,
    ) -> Result<(Vec<f32>, Vec<T>), ConvertError> {
        let n = keys.values.len();
        let count = n.saturating_add(2);
        self.room_for("keys", count, FRAME)?;
        let (mut frames, mut values) = (room("keys", count)?, room("keys", count)?);
        let end = f64::from(self.last_frame());
        let shown = keys.frames.partition_point(|f| f64::from(*f) <= end);
        self.tally.cut += n - shown;
        let period = self.clip.looping.then_some(f64::from(self.clip.frames));
        let blends = self.clip.looping && n > 1;
        let value = |frame| at(keys, frame, period, &mix);
        let first = keys.frames.first().copied().unwrap_or(0.0);
        if (blends && first > 0.0) || shown == 0 {
            frames.extend(value(0.0).map(|_| 0.0));
            values.extend(value(0.0));
        }
        frames.extend(keys.frames.iter().take(shown).map(|f| f64::from(*f)));
        values.extend(keys.values.iter().take(shown));
        let open = n > 1 && frames.last().is_some_and(|last| *last < end);
        if open && (blends || shown < n) {
            // A closed loop ends as it begins, bit for bit.
            let last = value(if self.close.is_some() && shown == n { 0.0 } else { end });
            frames.extend(last.map(|_| end));
            values.extend(last);
        }
        Ok((self.times(frames.into_iter())?, values))
    }

    fn vector_keys(&mut self, keys: &Keys<[f32; 3]>) -> Result<(Vec<f32>, Vec<[f32; 3]>), ConvertError> {
        self.keys(keys, |a, b, t| narrow(lerp(wide(a), wide(b), t)))
    }

    fn rotation_keys(&mut self, keys: &Keys<[f32; 4]>) -> Result<(Vec<f32>, Vec<[f32; 4]>), ConvertError> {
        let rule = self.clip.interpolation;
        let (times, mut values) = self.keys(keys, |a, b, t| mix(a, b, t, rule))?;
        for q in &mut values {
            self.tally.unit += usize::from(is_scaled(*q));
            *q = unit_rotation(*q);
        }
        let pairs =
            keys.values.windows(2).zip(keys.frames.windows(2)).map(|(q, f)| (q[0], q[1], f[1] - f[0]));
        for (a, b, frames) in pairs.chain(self.wrapped(keys)) {
            let (a, b) = (wide(unit_rotation(a)), wide(unit_rotation(b)));
            let reported = if frames > 1.0 { REPORTED_FAR } else { REPORTED_NEAR };
            if alike(a, b, rule) {
                continue;
            }
            let away = furthest(|t| degrees_apart(blend(a, b, t, rule), rotation(slerp(a, b, t))));
            if away > reported {
                self.tally.turned = self.tally.turned.max(away);
            }
        }
        Ok((times, values))
    }

    /// The last and the first key of a loop and the frames between them, where the animation shows any of these.
    fn wrapped<T: Copy>(&self, keys: &Keys<T>) -> Option<(T, T, f32)> {
        let (first, last) = (keys.frames.first()?, keys.frames.last()?);
        #[expect(clippy::cast_precision_loss, reason = "a measure of how far apart two keys are")]
        let gap = self.clip.frames as f32 - last + first;
        let hidden = if self.close.is_some() { 0.0 } else { 1.0 };
        (self.clip.looping && gap > hidden).then_some((*keys.values.last()?, *keys.values.first()?, gap))
    }
}
