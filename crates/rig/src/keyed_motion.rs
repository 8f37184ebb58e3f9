//! Keys in the layout of players: groups of eight joints, and each list of key frames once.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint of the skeleton they were made for, and lanes below eight"
)]

use crate::error::RigError;
use crate::joint_pose::{Group, Lanes};
use crate::kernels::lanes;
use crate::rig::Rig;
use crate::sampler::JointChannels;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_scene::{Channel, Interpolation};

/// The index of the translation channel. The index of the scale channel is 2.
pub(crate) const TRANSLATION: usize = 0;
pub(crate) const ROTATION: usize = 1;

/// The keys of a clip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyedMotion {
    /// The lists of key frames, each once. Many joints share a list.
    pub(crate) timelines: Vec<Timeline>,
    /// The keys of every group of eight joints, by channel.
    pub(crate) channels: [Vec<ChannelGroup>; 3],
    /// The number of groups whose joints have separate lists.
    pub(crate) separate: usize,
}

/// A list of key frames, and the joint channels that use it separately.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    pub(crate) frames: Vec<f32>,
    pub(crate) users: Vec<TimelineUser>,
}

/// One channel of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimelineUser {
    pub(crate) channel: usize,
    pub(crate) group: usize,
    pub(crate) lane: usize,
}

/// One channel of eight joints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ChannelGroup {
    /// No joint has keys: the rest value.
    Constant([Lanes; 4]),
    /// All joints with keys share a list of frames. The others have their rest value at each key.
    Shared { line: usize, values: Vec<[Lanes; 4]> },
    /// Joints have separate lists of frames. `place` is the index of their state in the player.
    Separate { place: usize, rest: [Lanes; 4], tracks: [Vec<[f32; 4]>; 8] },
}

/// The channel of a group of eight joints during the preparation.
struct GroupInfo {
    channel: usize,
    group: usize,
    rest: [Lanes; 4],
    rule: Interpolation,
}

/// The keys of one channel of one joint.
struct Track {
    frames: Vec<f32>,
    values: Vec<[f32; 4]>,
}

impl KeyedMotion {
    /// Prepares the keys of joints. Joints without keys have their rest pose.
    pub(crate) fn new(rig: &Rig, keys: &[JointChannels<'_>], rule: Interpolation) -> Result<Self, RigError> {
        let groups = rig.rest_groups();
        let mut tracks = [(); 3].map(|()| {
            let mut all: Vec<[Option<Track>; 8]> = Vec::new();
            all.resize_with(groups.len(), Default::default);
            all
        });
        for k in keys {
            let place = rig.slot(k.joint).filter(|slot| slot / 8 < groups.len());
            let slot = place.ok_or_else(|| RigError::invalid("sampler", "is not of this skeleton"))?;
            let three = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
            let [translation, rotation, scale] = tracks.each_mut().map(|t| &mut t[slot / 8][slot % 8]);
            set_track(translation, k.translation, three);
            set_track(rotation, k.rotation, |q| q);
            set_track(scale, k.scale, three);
        }
        let mut motion = Self { timelines: Vec::new(), channels: Default::default(), separate: 0 };
        let mut known = BTreeMap::new();
        for (channel, tracks) in tracks.into_iter().enumerate() {
            for (group, (rest, tracks)) in groups.iter().zip(tracks).enumerate() {
                let about = GroupInfo { channel, group, rest: channel_values(rest, channel), rule };
                let arranged = motion.channel_group(&mut known, &about, tracks);
                motion.channels[channel].push(arranged);
            }
        }
        Ok(motion)
    }

    /// Arranges one channel of eight joints. `known` finds timelines by their bits.
    fn channel_group(
        &mut self,
        known: &mut BTreeMap<Vec<u32>, usize>,
        about: &GroupInfo,
        tracks: [Option<Track>; 8],
    ) -> ChannelGroup {
        let GroupInfo { channel, group, rest, rule } = about;
        let (channel, group) = (*channel, *group);
        let mut lines = [None; 8];
        for (line, track) in lines.iter_mut().zip(&tracks) {
            *line = track.as_ref().map(|track| self.timeline(known, &track.frames));
        }
        let mut used = lines.iter().flatten();
        let Some(&line) = used.next() else {
            return ChannelGroup::Constant(constant_value(rest, channel, *rule));
        };
        let values = tracks.map(|track| track.map(|t| t.values).unwrap_or_default());
        let opposite = channel == ROTATION && values.iter().any(|keys| has_opposites(keys));
        if used.any(|other| *other != line) || opposite {
            for (lane, line) in lines.iter().enumerate() {
                if let Some(line) = line {
                    self.timelines[*line].users.push(TimelineUser { channel, group, lane });
                }
            }
            let place = self.separate;
            self.separate += 1;
            return ChannelGroup::Separate { place, rest: *rest, tracks: values };
        }
        let rows = (0..self.timelines[line].frames.len()).map(|key| {
            let mut row = *rest;
            for (lane, keys) in values.iter().enumerate() {
                let Some(value) = keys.get(key) else { continue };
                row.iter_mut().zip(value).for_each(|(lanes, v)| lanes.0[lane] = *v);
            }
            row
        });
        ChannelGroup::Shared { line, values: rows.collect() }
    }

    /// Returns the index of a list of frames.
    fn timeline(&mut self, known: &mut BTreeMap<Vec<u32>, usize>, frames: &[f32]) -> usize {
        let bits = frames.iter().map(|f| f.to_bits()).collect();
        *known.entry(bits).or_insert_with(|| {
            self.timelines.push(Timeline { frames: frames.to_vec(), users: Vec::new() });
            self.timelines.len() - 1
        })
    }
}

fn set_track<T: Copy>(to: &mut Option<Track>, channel: &Channel<T>, value: impl Fn(T) -> [f32; 4]) {
    let (frames, values): (Vec<_>, Vec<_>) =
        channel.frames.iter().zip(&channel.values).map(|(f, v)| (*f, value(*v))).unzip();
    if !frames.is_empty() {
        *to = Some(Track { frames, values });
    }
}

/// Returns the values of one channel. Vectors have a fourth component of zero.
fn channel_values(g: &Group, channel: usize) -> [Lanes; 4] {
    let three = |[x, y, z]: [Lanes; 3]| [x, y, z, Lanes::default()];
    match channel {
        TRANSLATION => three(g.translation),
        ROTATION => g.rotation,
        _ => three(g.scale),
    }
}

/// Blends a value with itself, as the player does for keys.
fn constant_value(rest: &[Lanes; 4], channel: usize, rule: Interpolation) -> [Lanes; 4] {
    match (channel, rule) {
        (ROTATION, Interpolation::Spherical) => lanes::spherical(rest, rest, &Lanes::default()),
        (ROTATION, _) => lanes::nlerp(rest, rest, &Lanes::default(), rule != Interpolation::Linear),
        _ => *rest,
    }
}

/// Returns true if two neighbouring quaternions are exactly opposite, including the last and the first. They
/// have no mean, so the earlier one is used.
fn has_opposites(keys: &[[f32; 4]]) -> bool {
    let after = keys.iter().skip(1).chain(keys.first());
    keys.iter().zip(after).any(|(a, b)| is_opposite(a, b))
}

pub(crate) fn is_opposite(a: &[f32; 4], b: &[f32; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| *b == -*a)
}

/// The keys around a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyInterval {
    /// The number of keys at or before the frame.
    count: usize,
    /// The range of frames with these keys.
    pub(crate) from: f32,
    pub(crate) until: f32,
    /// The indices of the keys before and after the frame.
    pub(crate) before: usize,
    pub(crate) after: usize,
    /// The frame of the key before.
    pub(crate) start: f32,
    /// 1 / the number of frames between the two keys.
    pub(crate) inverse: f32,
}

impl KeyInterval {
    /// The state before the first search.
    pub(crate) const UNKNOWN: Self = Self {
        count: 0,
        from: f32::INFINITY,
        until: f32::NEG_INFINITY,
        before: 0,
        after: 0,
        start: 0.0,
        inverse: 0.0,
    };

    #[inline]
    pub(crate) fn holds(&self, frame: f32) -> bool {
        self.from <= frame && frame < self.until
    }

    /// Finds the keys around a frame. The next keys are tried first.
    pub(crate) fn find(&self, frames: &[f32], frame: f32, period: Option<f32>) -> Self {
        let key = |i: usize| frames.get(i).copied().unwrap_or(f32::INFINITY);
        let holds = |n: usize| n <= frames.len() && (n == 0 || key(n - 1) <= frame) && frame < key(n);
        let next = self.count + 1;
        let n = if holds(next) { next } else { frames.partition_point(|&k| k <= frame) };
        let last = frames.len().saturating_sub(1);
        let (mut from, mut until) = (if n == 0 { f32::NEG_INFINITY } else { key(n - 1) }, key(n));
        let (mut before, mut after, mut start, mut length) = (n.max(1) - 1, n.min(last), from, 0.0);
        if n > 0 && n <= last {
            length = key(n) - key(n - 1);
        } else if let Some(period) = period {
            // The frame is between the last key and the first key of the next round.
            let gap = key(0) + period - key(last);
            let wrapped = key(last) - period;
            if n == 0 && frame < wrapped {
                until = until.min(wrapped);
            } else if last > 0 && gap > 0.0 {
                (before, after, length) = (last, 0, gap);
                start = if n == 0 { wrapped } else { key(last) };
                from = start;
            }
        }
        let inverse = if length > 0.0 {
            1.0 / length
        } else {
            (after, start) = (before, 0.0);
            0.0
        };
        Self { count: n, from, until, before, after, start, inverse }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Animation, LocalPose, Player, Sampler};
    use alloc::string::String;
    use meshwright_scene::{Clip, Joint, Local, Motion, Scene, Skeleton, SkeletonId, Track as Keys};

    fn turn(frames: &[f32], opposite: bool) -> Channel<[f32; 4]> {
        let mut channel = Channel::new();
        for (i, frame) in (0_u8..).zip(frames) {
            let sign = if opposite && i % 2 == 1 { -1.0 } else { 1.0 };
            let (s, c) = if opposite { (0.6, 0.8) } else { (f32::from(i) * 0.1, 1.0) };
            channel.push(*frame, [s * sign, 0.0, 0.0, c * sign]);
        }
        channel
    }

    fn scene(rotations: &[Channel<[f32; 4]>]) -> Scene {
        let joint = |j: usize| Joint::new(String::new(), j.checked_sub(1), Local::default());
        let mut skeleton = Skeleton { name: String::new(), joints: (0..11).map(joint).collect() };
        skeleton.bind_rest().unwrap();
        let tracks = rotations.iter().enumerate();
        let tracks = tracks.map(|(joint, r)| Keys { joint, rotation: r.clone(), ..Keys::default() });
        let clip = Clip::new("", SkeletonId(0), 10.0, Motion::Tracks(tracks.collect()))
            .with_frames(10)
            .with_looping(true);
        Scene::default().with_skeletons(alloc::vec![skeleton]).with_clips(alloc::vec![clip])
    }

    fn animation(scene: &Scene) -> (Rig, Animation) {
        let rig = Rig::new(&scene.skeletons[0]).unwrap();
        let sampler = Sampler::new(scene, 0).unwrap().with_blend(crate::Blend::Rigid);
        let animation = Animation::new(&rig, &sampler).unwrap();
        (rig, animation)
    }

    fn kinds(animation: &Animation) -> (usize, [usize; 3]) {
        let crate::animation::Motion::Keyed(keys) = &animation.motion else { panic!("has keys") };
        let count = |f: fn(&ChannelGroup) -> bool| keys.channels.iter().flatten().filter(|e| f(e)).count();
        let still = count(|e| matches!(e, ChannelGroup::Constant(_)));
        let together = count(|e| matches!(e, ChannelGroup::Shared { .. }));
        (keys.timelines.len(), [still, together, count(|e| matches!(e, ChannelGroup::Separate { .. }))])
    }

    #[test]
    fn joints_with_keys_at_the_same_frames_are_together() {
        let every = turn(&[0.0, 3.0, 4.0, 8.0], false);
        let (_, same) = animation(&scene(&[]));
        assert_eq!(kinds(&same), (0, [6, 0, 0]));
        let (_, same) = animation(&scene(&[every.clone(), every.clone(), Channel::new(), every.clone()]));
        assert_eq!(kinds(&same), (1, [5, 1, 0]));
        let (_, own) = animation(&scene(&[every.clone(), turn(&[1.0, 9.0], false)]));
        assert_eq!(kinds(&own), (2, [5, 0, 1]));
        // Opposite neighbours need separate lists.
        let (_, opposite) = animation(&scene(&[every, turn(&[0.0, 3.0, 4.0, 8.0], true)]));
        assert_eq!(kinds(&opposite), (1, [5, 0, 1]));
    }

    #[test]
    fn the_last_frame_of_a_player_does_not_matter() {
        let frames: [&[f32]; 4] =
            [&[0.0, 3.0, 4.0, 8.0], &[2.0], &[1.0, 1.5, 9.5, 12.0], &[0.0, 3.0, 4.0, 8.0]];
        for count in 1..=4 {
            let scene = scene(&frames.map(|f| turn(f, false))[..count]);
            let (rig, animation) = animation(&scene);
            let mut player = Player::new(&animation);
            let (mut pose, mut fresh) = (LocalPose::new(&rig), LocalPose::new(&rig));
            for i in 0..400_u16 {
                // Forward, backward, and over the end.
                let frame = f64::from(i) * [0.37, -0.21, 3.3, 0.01][usize::from(i) % 4];
                player.sample(frame, &mut pose).unwrap();
                Player::new(&animation).sample(frame, &mut fresh).unwrap();
                assert_eq!(pose, fresh, "{frame}");
            }
        }
    }
}
