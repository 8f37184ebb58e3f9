//! Clips as animations.

use crate::export::extras;
use crate::export::geometry::{is_scaled, named, unit_rotation};
use crate::export::keys::{alike, at, between, furthest, locals, mix};
use crate::export::output::{Bounds, Output, Use};
use crate::export::skeleton::Joints;
use crate::math::{SHEAR_NOISE, blend, decompose, degrees_apart, dot, lerp, narrow, rotation, slerp, wide};
use gltf_json::animation::{Animation, Channel, Interpolation as Sampling, Property, Sampler, Target};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Index, Node};
use meshwright_scene::{
    Affine, Channel as Keys, Clip, ConvertError, Interpolation, LimitExceeded, Loss, Motion, PoseSet, Scene,
    Skeleton, Track, Trs,
};
use std::collections::BTreeSet;

/// Differences between keys, in degrees, below which they are not reported: where the keys are of neighbouring
/// frames, and where they are further apart.
const REPORTED_NEAR: f64 = 0.5;
const REPORTED_FAR: f64 = 0.1;

/// Writes the clips and returns those that became animations.
pub(crate) fn write(
    out: &mut Output,
    scene: &Scene,
    skeletons: &[Option<Joints>],
    close_loops: bool,
    losses: &mut Vec<Loss>,
) -> Result<Vec<usize>, ConvertError> {
    let mut written = Vec::new();
    for (i, clip) in scene.clips.iter().enumerate() {
        let path = format!("clips[{i}]");
        let joints = skeletons.get(clip.skeleton.0).and_then(Option::as_ref).filter(|j| !j.nodes.is_empty());
        let skeleton = scene.skeletons.get(clip.skeleton.0);
        let (Some(joints), Some(skeleton), true) = (joints, skeleton, clip.frames > 0) else {
            losses.push(Loss::new("empty-clip", path, "a clip without frames or joints was left out"));
            continue;
        };
        out.charge_objects(1, clip.name.len())?;
        let extras = extras::of(&out.memory, clip.extras.as_ref())?;
        let close = (close_loops && clip.looping).then_some(clip.frames);
        let mut writer = Writer {
            out,
            clip,
            joints,
            path,
            close,
            animation: Animation {
                extensions: None,
                extras,
                channels: Vec::new(),
                name: named(&clip.name),
                samplers: Vec::new(),
            },
            targets: BTreeSet::new(),
            held: None,
            end: 0.0,
            stretch: false,
            tally: Tally::default(),
        };
        match &clip.motion {
            Motion::Poses { set, frames } => {
                if let Some(set) = scene.pose_sets.get(set.0) {
                    writer.poses(skeleton, set, frames)?;
                }
            }
            Motion::Tracks(tracks) => writer.tracks(skeleton, tracks)?,
        }
        writer.keep_length()?;
        writer.tally.report(&writer.path, losses);
        let animation = writer.animation;
        out.push(animation)?;
        written.push(i);
    }
    Ok(written)
}

/// What a frame takes while the channels of one joint are made: its number, time, matrix and parts.
const FRAME: usize = 120;

/// What placing a joint in a pose counts as. It keeps nothing, but work has to have an end as well.
const PLACED: usize = 16;

/// An empty vector with room for `count` items that were charged already.
fn room<T>(what: &'static str, count: usize) -> Result<Vec<T>, ConvertError> {
    let mut items = Vec::new();
    let wanted = (count as u64).saturating_mul(size_of::<T>() as u64);
    items.try_reserve_exact(count).map_err(|_| LimitExceeded::bytes(what, wanted, 0))?;
    Ok(items)
}

/// What the animation of a clip does not hold.
#[derive(Default)]
struct Tally {
    sheared: usize,
    shear: f64,
    turned: f64,
    nudged: usize,
    unit: usize,
    replaced: usize,
    cut: usize,
}

impl Tally {
    fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        if self.sheared > 0 {
            let loss = Loss::new("joint-shear", path, "joints shear, which glTF cannot say");
            let loss =
                loss.of(self.sheared, "pose of a joint", "poses of joints").by(self.shear, "of their size");
            losses.push(loss.noise_below(Loss::NOISE));
        }
        if self.turned > 0.0 {
            let message = "rotations between keys are blended otherwise than by glTF";
            losses.push(Loss::new("interpolation", path, message).by(self.turned, "degrees"));
        }
        if self.nudged > 0 {
            let loss =
                Loss::new("key-times", path, "keys moved to the next time that 32 bits can distinguish");
            losses.push(loss.of(self.nudged, "key", "keys"));
        }
        if self.unit > 0 {
            let loss = Loss::note("rotations-scaled", path, "rotations were made to have length 1");
            losses.push(loss.of(self.unit, "key", "keys"));
        }
        if self.replaced > 0 {
            let loss =
                Loss::new("channels-replaced", path, "channels are replaced by later ones of the same joint");
            losses.push(loss.of(self.replaced, "channel", "channels"));
        }
        if self.cut > 0 {
            let loss = Loss::new("keys-cut", path, "keys behind the last frame were left out");
            losses.push(loss.of(self.cut, "key", "keys"));
        }
    }
}

/// A constant channel that waits for the clip's length to be known.
struct Held {
    node: Index<Node>,
    property: Property,
    start: f32,
    value: Value,
}

#[derive(Clone, Copy)]
enum Value {
    Vector([f32; 3]),
    Rotation([f32; 4]),
}

struct Writer<'a> {
    out: &'a mut Output,
    clip: &'a Clip,
    joints: &'a Joints,
    path: String,
    /// The frame at which the first pose is repeated.
    close: Option<u32>,
    animation: Animation,
    targets: BTreeSet<(usize, u8)>,
    held: Option<Held>,
    /// The last time of any key.
    end: f32,
    /// The next channel has to reach the last frame, because no other can carry the clip's length.
    stretch: bool,
    tally: Tally,
}

impl Writer<'_> {
    /// The last frame of the animation; of a closed loop, the end of its period.
    fn last_frame(&self) -> u32 {
        self.close.unwrap_or(self.clip.frames.saturating_sub(1))
    }

    /// Times of frames, strictly rising in 32 bits.
    fn times(&mut self, frames: impl ExactSizeIterator<Item = f64>) -> Result<Vec<f32>, ConvertError> {
        let rate = f64::from(self.clip.rate);
        let mut times: Vec<f32> = room("key times", frames.len())?;
        for frame in frames {
            let [mut time] = narrow([frame / rate]);
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

    fn sampler(
        &mut self,
        node: Index<Node>,
        property: Property,
        times: &[f32],
        values: Index<gltf_json::Accessor>,
    ) -> Result<(), ConvertError> {
        self.out.charge_objects(1, 0)?;
        let input = self.out.times(times)?;
        if let Some(last) = times.last() {
            self.end = self.end.max(*last);
        }
        let sampler = Sampler {
            extensions: None,
            extras: None,
            input,
            interpolation: Valid(Sampling::Linear),
            output: values,
        };
        let index = u32::try_from(self.animation.samplers.len())
            .map_err(|_| ConvertError::unsupported(self.path.as_str(), "more than 2^32 channels"))?;
        self.animation.samplers.push(sampler);
        self.animation.channels.push(Channel {
            sampler: Index::new(index),
            target: Target { extensions: None, extras: None, node, path: Valid(property) },
            extensions: None,
            extras: None,
        });
        Ok(())
    }

    /// A channel of vectors, unless it never leaves the rest value.
    fn vectors(
        &mut self,
        joint: usize,
        property: Property,
        times: &[f32],
        values: &[[f32; 3]],
        rest: [f32; 3],
    ) -> Result<(), ConvertError> {
        let Some((node, first)) = self.joints.nodes.get(joint).copied().zip(values.first().copied()) else {
            return Ok(());
        };
        if values.iter().all(|v| *v == first) {
            return if first == rest {
                Ok(())
            } else {
                self.constant(joint, node, property, times, Value::Vector(first))
            };
        }
        self.targets.insert((joint, property as u8));
        let values = self.out.floats("keys", values, Use::Other, Bounds::Omitted)?;
        self.sampler(node, property, times, values)
    }

    /// A channel of rotations, unless it never leaves the rest value. Neighbours are brought into one
    /// hemisphere.
    fn rotations(
        &mut self,
        joint: usize,
        times: &[f32],
        values: &mut [[f32; 4]],
        rest: [f32; 4],
    ) -> Result<(), ConvertError> {
        let mut before = rest;
        for q in values.iter_mut() {
            if dot(wide(*q), wide(before)) < 0.0 {
                *q = q.map(|c| -c);
            }
            before = *q;
        }
        let Some((node, first)) = self.joints.nodes.get(joint).copied().zip(values.first().copied()) else {
            return Ok(());
        };
        if values.iter().all(|v| *v == first) {
            return if first == rest {
                Ok(())
            } else {
                self.constant(joint, node, Property::Rotation, times, Value::Rotation(first))
            };
        }
        self.targets.insert((joint, Property::Rotation as u8));
        let values = self.out.floats("keys", values, Use::Other, Bounds::Omitted)?;
        self.sampler(node, Property::Rotation, times, values)
    }

    /// A channel with one value. The first such channel is held back: it may have to carry the clip's length.
    fn constant(
        &mut self,
        joint: usize,
        node: Index<Node>,
        property: Property,
        times: &[f32],
        value: Value,
    ) -> Result<(), ConvertError> {
        self.targets.insert((joint, property as u8));
        let start = times.first().copied().unwrap_or(0.0);
        let held = Held { node, property, start, value };
        if self.held.is_none() {
            self.held = Some(held);
            return Ok(());
        }
        self.write_held(&held, None)
    }

    fn write_held(&mut self, held: &Held, end: Option<f32>) -> Result<(), ConvertError> {
        let end = end.filter(|e| *e > held.start);
        let keys = if end.is_some() { 2 } else { 1 };
        let values = match held.value {
            Value::Vector(v) => self.out.floats("keys", &vec![v; keys], Use::Other, Bounds::Omitted)?,
            Value::Rotation(q) => self.out.floats("keys", &vec![q; keys], Use::Other, Bounds::Omitted)?,
        };
        let times: Vec<f32> = std::iter::once(held.start).chain(end).collect();
        self.sampler(held.node, held.property, &times, values)
    }

    /// Lets the animation end where the clip ends, and have at least one channel.
    fn keep_length(&mut self) -> Result<(), ConvertError> {
        let [end] = narrow([f64::from(self.last_frame()) / f64::from(self.clip.rate)]);
        if !end.is_finite() {
            return Err(ConvertError::invalid(self.path.as_str(), "the end of the clip is not finite"));
        }
        let missing = (end > self.end).then_some(end);
        if let Some(held) = self.held.take() {
            return self.write_held(&held, missing);
        }
        if missing.is_none() && !self.animation.channels.is_empty() {
            return Ok(());
        }
        // Some channel that is not there yet says that its joint rests.
        for (joint, (&node, rest)) in self.joints.nodes.iter().zip(&self.joints.rest).enumerate() {
            let free = [
                (Property::Translation, Value::Vector(rest.translation)),
                (Property::Rotation, Value::Rotation(rest.rotation)),
                (Property::Scale, Value::Vector(rest.scale)),
            ];
            for (property, value) in free {
                if !self.targets.contains(&(joint, property as u8)) {
                    return self.write_held(&Held { node, property, start: 0.0, value }, missing);
                }
            }
        }
        Ok(())
    }

    /// Charges work that may leave nothing behind: many clips can share poses in which nothing moves.
    fn placed(&self, joints: usize, poses: usize) -> Result<(), ConvertError> {
        Ok(self.out.memory.charge_items("joints placed", joints.saturating_mul(poses) as u64, PLACED)?)
    }

    fn poses(&mut self, skeleton: &Skeleton, set: &PoseSet, frames: &[u32]) -> Result<(), ConvertError> {
        let count = frames.len().saturating_add(1);
        self.out.scratch("poses", count, FRAME)?;
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
        self.placed(skeleton.joints.len(), used.len())?;
        for (j, joint) in skeleton.joints.iter().enumerate() {
            if !joint.follows.is_empty() {
                continue;
            }
            let at = |p: u32| set.pose(p as usize)?.get(j);
            let first = order.first().and_then(|p| at(*p));
            let moves = used.iter().any(|p| at(*p) != first);
            let order = if moves { &*order } else { order.get(..1).unwrap_or_default() };
            let times = times.get(..order.len()).unwrap_or_default();
            let mut locals = room("poses", order.len())?;
            locals.extend(order.iter().filter_map(|&p| at(p)));
            self.matrices(j, times, &locals, Some(self.clip.interpolation))?;
        }
        let poses = order.iter().filter_map(|&p| set.pose(p as usize));
        self.followers(skeleton, &times, poses.map(<[Affine]>::to_vec))
    }

    /// Channels of a joint from a matrix per key. `rule` says how the format blends them, where it matters.
    fn matrices(
        &mut self,
        joint: usize,
        times: &[f32],
        locals: &[Affine],
        rule: Option<Interpolation>,
    ) -> Result<(), ConvertError> {
        let Some(rest) = self.joints.rest.get(joint).copied() else { return Ok(()) };
        let n = locals.len();
        let (mut t, mut r, mut s) = (room("keys", n)?, room("keys", n)?, room("keys", n)?);
        let mut before: Option<(Affine, Trs)> = None;
        for m in locals {
            // Frames that stand still cost next to nothing, and files can hold very many of them.
            if let Some((same, trs)) = &before
                && same == m
            {
                t.push(trs.translation);
                r.push(trs.rotation);
                s.push(trs.scale);
                continue;
            }
            let (trs, error) = decompose(m);
            if error > SHEAR_NOISE {
                self.tally.sheared += 1;
                self.tally.shear = self.tally.shear.max(error);
            }
            if let (Some((a, at)), Some(rule)) = (&before, rule) {
                let away = between(a, m, at, &trs, rule);
                if away > REPORTED_NEAR {
                    self.tally.turned = self.tally.turned.max(away);
                }
            }
            t.push(trs.translation);
            r.push(trs.rotation);
            s.push(trs.scale);
            before = Some((*m, trs));
        }
        self.vectors(joint, Property::Translation, times, &t, rest.translation)?;
        self.rotations(joint, times, &mut r, rest.rotation)?;
        self.vectors(joint, Property::Scale, times, &s, rest.scale)
    }

    /// Channels of the joints that follow others, from the local matrices of all joints at every key.
    fn followers(
        &mut self,
        skeleton: &Skeleton,
        times: &[f32],
        poses: impl Iterator<Item = Vec<Affine>>,
    ) -> Result<(), ConvertError> {
        let of = |(j, joint): (usize, &meshwright_scene::Joint)| (!joint.follows.is_empty()).then_some(j);
        let followers: Vec<usize> = skeleton.joints.iter().enumerate().filter_map(of).collect();
        if followers.is_empty() {
            return Ok(());
        }
        let count = followers.len().saturating_mul(times.len());
        let scratch =
            count.saturating_mul(size_of::<Affine>()).saturating_add(times.len().saturating_mul(FRAME));
        self.out.scratch("poses", scratch, 1)?;
        // Every joint is placed at every key for the sake of a few.
        self.placed(skeleton.joints.len(), times.len())?;
        let mut models: Vec<Affine> = room("poses", count)?;
        for locals in poses {
            let model = skeleton
                .to_model(&locals)
                .ok_or_else(|| ConvertError::invalid(self.path.as_str(), "joints form a cycle"))?;
            models.extend(followers.iter().filter_map(|&f| model.get(f)));
        }
        for (k, &joint) in followers.iter().enumerate() {
            let mut own = room("poses", times.len())?;
            own.extend(models.iter().skip(k).step_by(followers.len()));
            self.matrices(joint, times, &own, None)?;
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
        // Where every joint has all its channels already, one of them has to say how long the clip is.
        if channels.as_flattened().iter().all(Option::is_some) {
            self.stretch = true;
        }
        for (j, slots) in channels.iter().enumerate() {
            let follows = skeleton.joints.get(j).is_some_and(|joint| !joint.follows.is_empty());
            let Some(rest) = self.joints.rest.get(j).copied().filter(|_| !follows) else { continue };
            let track = |slot: Option<usize>| slot.and_then(|t| tracks.get(t));
            if let Some(track) = track(slots[0]) {
                let (times, values) = self.vector_keys(&track.translation)?;
                self.vectors(j, Property::Translation, &times, &values, rest.translation)?;
            }
            if let Some(track) = track(slots[1]) {
                let (times, mut values) = self.rotation_keys(&track.rotation)?;
                self.rotations(j, &times, &mut values, rest.rotation)?;
            }
            if let Some(track) = track(slots[2]) {
                let (times, values) = self.vector_keys(&track.scale)?;
                self.vectors(j, Property::Scale, &times, &values, rest.scale)?;
            }
        }
        if skeleton.joints.iter().any(|j| !j.follows.is_empty()) {
            let frames = self.clip.frames.saturating_add(u32::from(self.close.is_some()));
            self.out.scratch("frames", frames as usize, FRAME)?;
            let times = self.times((0..frames as usize).map(|f| f as f64))?;
            let (clip, rests) = (self.clip, skeleton);
            let poses = (0..frames).map(|f| locals(rests, tracks, &channels, f, clip));
            self.followers(skeleton, &times, poses)?;
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
        self.out.scratch("keys", count, FRAME)?;
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
        if open && (blends || shown < n || self.stretch) {
            self.stretch = false;
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
