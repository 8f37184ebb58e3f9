//! Writes one clip as an animation.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "vectors of fixed size and neighbouring keys; counts of what is in memory"
)]

use crate::export::channels::Channels;
use crate::export::curves::{ChannelPath, Curve, Keys as CurveKeys, one_hemisphere};
use crate::export::dropped_motion::Tally;
use crate::export::extras;
use crate::export::geometry::{is_scaled, unit_rotation};
use crate::export::keys::{furthest, is_same_blend, key_at, locals, mix};
use crate::export::options::ExportOptions;
use crate::export::output::{BoundsChoice, Output, room};
use crate::export::poses::Poses;
use crate::export::skeleton::Joints;
use crate::math::{SHEAR_NOISE, blend, decompose, degrees_apart, lerp, narrow, rotation, slerp, wide};
use meshwright_core::Order as _;
use meshwright_core::SortedMap;
use meshwright_scene::{Affine, Channel as Keys, Clip, ConvertError, Motion, Skeleton, Track, Trs};
use std::num::NonZeroU16;

/// The differences between keys, in degrees, up to which they are not reported: for keys of neighbouring frames, and
/// for keys that are further apart.
const REPORTED_NEAR: f64 = 0.5;
const REPORTED_FAR: f64 = 0.1;

/// The memory of a frame while the channels of one joint are computed: its number, time, matrix and parts.
const FRAME: usize = 120;

/// The memory of a curve in addition to its keys, and the maximum memory of each key.
const CURVE: usize = 160;
const KEY: usize = 20;

/// The steps of work for placing a joint in a pose, and for making a key. Clips with the same poses make their keys
/// separately, although these are stored once.
const PLACED: u64 = 64;
const MADE: u64 = 128;

/// The conversion of a clip to an animation.
pub(crate) struct Writer<'a, 's> {
    out: &'a mut Output<'s>,
    clip: &'a Clip,
    joints: &'a Joints,
    path: &'a str,
    /// The frame at which the first pose is repeated.
    close: Option<u32>,
    /// The number of frames per second of keys.
    rate: f64,
    frames_at: Option<NonZeroU16>,
    /// The channels by joint and part.
    curves: SortedMap<(usize, ChannelPath), Curve>,
    /// The memory of the curves in bytes.
    held: usize,
    tally: Tally,
}

impl<'a, 's> Writer<'a, 's> {
    pub(crate) fn new(
        out: &'a mut Output<'s>,
        clip: &'a Clip,
        joints: &'a Joints,
        (path, options): (&'a str, &ExportOptions),
    ) -> Self {
        Self {
            out,
            clip,
            joints,
            path,
            close: (options.close_loops && clip.looping).then_some(clip.frames),
            rate: options.frames_at.map_or(f64::from(clip.rate), |rate| f64::from(rate.get())),
            frames_at: options.frames_at,
            curves: SortedMap::new(),
            held: 0,
            tally: Tally::default(),
        }
    }

    /// Writes the clip, for a clip of poses with those of its set. Each requested channel has a key.
    pub(crate) fn write(
        mut self,
        skeleton: &Skeleton,
        poses: Option<&mut Poses<'_>>,
        wanted: &[[bool; 3]],
    ) -> Result<Tally, ConvertError> {
        let clip = self.clip;
        match (&clip.motion, poses) {
            (Motion::Poses { frames, .. }, Some(poses)) => self.poses(skeleton, poses, frames)?,
            (Motion::Poses { .. }, None) => {}
            (Motion::Tracks(tracks), _) => self.tracks(skeleton, tracks)?,
        }
        self.rest(wanted)?;
        self.keep_length()?;
        self.finish()
    }

    /// Returns the last frame of the animation; of a closed loop, the end of its period.
    fn last_frame(&self) -> u32 {
        self.close.unwrap_or(self.clip.frames.saturating_sub(1))
    }

    /// Returns the times of frames, strictly increasing in 32 bits.
    fn times(&mut self, frames: &mut dyn ExactSizeIterator<Item = f64>) -> Result<Vec<f32>, ConvertError> {
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
                return Err(ConvertError::invalid(self.path, "the time of a key is not finite"));
            }
            times.push(time);
        }
        Ok(times)
    }

    /// Charges working memory in addition to the existing curves.
    fn room_for(&mut self, what: &'static str, count: usize, size: usize) -> Result<(), ConvertError> {
        self.out.scratch(what, self.held.saturating_add(count.saturating_mul(size)), 1)
    }

    fn insert(&mut self, joint: usize, part: ChannelPath, curve: Curve) -> Result<(), ConvertError> {
        let size = curve.times().len().saturating_mul(KEY).saturating_add(CURVE);
        self.held = self.held.saturating_add(size);
        self.room_for("keys", 0, 1)?;
        self.curves.insert((joint, part), curve);
        Ok(())
    }

    /// Writes a channel of vectors, unless all values equal the rest value.
    fn vectors(
        &mut self,
        joint: usize,
        part: ChannelPath,
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

    /// Writes a channel of rotations, unless all values equal the rest value. Neighbouring quaternions get signs in
    /// the same hemisphere.
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
        self.insert(joint, ChannelPath::Rotation, Curve::Rotations(keys))
    }

    /// Adds a key to every requested channel that has none.
    fn rest(&mut self, wanted: &[[bool; 3]]) -> Result<(), ConvertError> {
        let joints = self.joints;
        for (joint, (wanted, rest)) in wanted.iter().zip(&joints.rest).enumerate() {
            for (part, _) in ChannelPath::ALL.into_iter().zip(wanted).filter(|(_, wanted)| **wanted) {
                if !self.curves.contains_key(&(joint, part)) {
                    self.insert(joint, part, Curve::constant(rest, part))?;
                }
            }
        }
        Ok(())
    }

    /// Ensures that the animation begins and ends with its clip, and has at least one channel.
    fn keep_length(&mut self) -> Result<(), ConvertError> {
        let [end] = narrow([f64::from(self.last_frame()) / self.rate]);
        if !end.is_finite() {
            return Err(ConvertError::invalid(self.path, "the end of the clip is not finite"));
        }
        if self.curves.is_empty() {
            let rest = self.joints.rest.first().copied().unwrap_or_default();
            self.insert(0, ChannelPath::Translation, Curve::constant(&rest, ChannelPath::Translation))?;
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
        let mut channels = Channels::new(out, &clip.name, extras)?;
        for ((joint, part), curve) in curves {
            let Some(node) = joints.nodes.get(joint) else { continue };
            let (times, _) = curve.times().as_chunks();
            let input = out.keys::<1>("key times", times, BoundsChoice::Written)?;
            let output = match &curve {
                Curve::Vectors(keys) => out.keys("keys", &keys.values, BoundsChoice::Omitted)?,
                Curve::Rotations(keys) => out.keys("keys", &keys.values, BoundsChoice::Omitted)?,
            };
            channels.add(out, (input, output), *node, part.property())?;
        }
        channels.end(out);
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
        let times = self.times(&mut (0..order.len()).map(|f| f as f64))?;
        // Frames can share poses many times: only the poses decide whether a joint moves at all.
        let mut used: Vec<u32> = room("frames", count)?;
        used.extend(&order);
        used.order();
        used.dedup();
        self.measure(skeleton, poses, &order, &used)?;
        let joints = skeleton.joints.len() as u64;
        self.out.memory.work("joints placed", joints.saturating_mul(3 * used.len() as u64))?;
        for (j, joint) in skeleton.joints.iter().enumerate() {
            let (Some(rest), true) = (self.joints.rest.get(j).copied(), joint.follows.is_empty()) else {
                continue;
            };
            let all = poses.column(j, &order, &used, |t| t.translation)?;
            self.vectors(j, ChannelPath::Translation, &times, all, rest.translation)?;
            let all = poses.column(j, &order, &used, |t| t.rotation)?;
            self.rotations(j, &times, all, rest.rotation)?;
            let all = poses.column(j, &order, &used, |t| t.scale)?;
            self.vectors(j, ChannelPath::Scale, &times, all, rest.scale)?;
        }
        let places: Vec<usize> = order.iter().filter_map(|p| used.binary_search(p).ok()).collect();
        let mut models = used.iter().filter_map(|&p| Some(poses.set().pose(p as usize)?.to_vec()));
        self.followers(skeleton, &times, &places, used.len(), &mut models)
    }

    /// Measures the parts of poses that translations, rotations and scales cannot hold, and the error between poses.
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
        pairs.order();
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

    /// Writes the channels of joints that follow others, from the local matrices of all joints in `count` poses.
    /// `places` gives the pose of each key.
    fn followers(
        &mut self,
        skeleton: &Skeleton,
        times: &[f32],
        places: &[usize],
        count: usize,
        poses: &mut dyn Iterator<Item = Vec<Affine>>,
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
                .ok_or_else(|| ConvertError::invalid(self.path, "joints form a cycle"))?;
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
            self.vectors(joint, ChannelPath::Translation, times, t, rest.translation)?;
            self.rotations(joint, times, r, rest.rotation)?;
            self.vectors(joint, ChannelPath::Scale, times, s, rest.scale)?;
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
                self.vectors(j, ChannelPath::Translation, &times, values, rest.translation)?;
            }
            if let Some(track) = track(slots[1]) {
                let (times, values) = self.rotation_keys(&track.rotation)?;
                self.rotations(j, &times, values, rest.rotation)?;
            }
            if let Some(track) = track(slots[2]) {
                let (times, values) = self.vector_keys(&track.scale)?;
                self.vectors(j, ChannelPath::Scale, &times, values, rest.scale)?;
            }
        }
        if skeleton.joints.iter().any(|j| !j.follows.is_empty()) {
            let frames = self.clip.frames.saturating_add(u32::from(self.close.is_some()));
            self.room_for("frames", frames as usize, FRAME)?;
            let times = self.times(&mut (0..frames as usize).map(|f| f as f64))?;
            let clip = self.clip;
            let mut poses = (0..frames).map(|f| locals(skeleton, tracks, &channels, f, clip));
            let places: Vec<usize> = (0..frames as usize).collect();
            self.followers(skeleton, &times, &places, places.len(), &mut poses)?;
        }
        Ok(())
    }

    /// Returns the keys of a channel with their times, up to the last frame that is shown. glTF holds the values before the
    /// first key and after the last one. If the clip blends the last key into the first, or on to a key that is never
    /// reached, a key is added at its edge.
    fn keys<T: Copy>(
        &mut self,
        keys: &Keys<T>,
        mix: &dyn Fn(T, T, f64) -> T,
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
        let value = |frame| key_at(keys, frame, period, mix);
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
        Ok((self.times(&mut frames.into_iter())?, values))
    }

    fn vector_keys(&mut self, keys: &Keys<[f32; 3]>) -> Result<(Vec<f32>, Vec<[f32; 3]>), ConvertError> {
        self.keys(keys, &|a, b, t| narrow(lerp(wide(a), wide(b), t)))
    }

    fn rotation_keys(&mut self, keys: &Keys<[f32; 4]>) -> Result<(Vec<f32>, Vec<[f32; 4]>), ConvertError> {
        let rule = self.clip.interpolation;
        let (times, mut values) = self.keys(keys, &|a, b, t| mix(a, b, t, rule))?;
        for q in &mut values {
            self.tally.unit += usize::from(is_scaled(*q));
            *q = unit_rotation(*q);
        }
        let pairs =
            keys.values.windows(2).zip(keys.frames.windows(2)).map(|(q, f)| (q[0], q[1], f[1] - f[0]));
        for (a, b, frames) in pairs.chain(self.wrapped(keys)) {
            let (a, b) = (wide(unit_rotation(a)), wide(unit_rotation(b)));
            let reported = if frames > 1.0 { REPORTED_FAR } else { REPORTED_NEAR };
            if is_same_blend(a, b, rule) {
                continue;
            }
            let away = furthest(|t| degrees_apart(blend(a, b, t, rule), rotation(slerp(a, b, t))));
            if away > reported {
                self.tally.turned = self.tally.turned.max(away);
            }
        }
        Ok((times, values))
    }

    /// Returns the last and the first key of a loop and the frames between them, if the animation contains any of
    /// these frames.
    fn wrapped<T: Copy>(&self, keys: &Keys<T>) -> Option<(T, T, f32)> {
        let (first, last) = (keys.frames.first()?, keys.frames.last()?);
        #[expect(clippy::cast_precision_loss, reason = "a measure of how far apart two keys are")]
        let gap = self.clip.frames as f32 - last + first;
        let hidden = if self.close.is_some() { 0.0 } else { 1.0 };
        (self.clip.looping && gap > hidden).then_some((*keys.values.last()?, *keys.values.first()?, gap))
    }
}
