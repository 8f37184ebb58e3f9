//! Converts animations to clips.

use super::extras::Extras;
use super::keys::{KeyInterpolation, KeySource, folded};
use super::nodes::{in_mirror, unit_rotation};
use super::plan::{JointPlace, Plan};
use super::scene_extras::{ClipPlayback, FileData};
use super::times::{self, Rate, Times};
use super::{ImportOptions, charge_push, lose};
use crate::document::rules::{CHANNEL_IGNORED, EMPTY_CLIP, NOT_FINITE, ROTATIONS_SCALED};
use crate::document::{Animation, Channel, Document, Interpolation, Property, Sampler};
use meshwright_core::math::{Trs64, quat};
use meshwright_core::{FieldPath, ReadError, SortedSet};
use meshwright_scene::{
    Channel as Keys, Clip, Interpolation as Rule, Local, Loss, Motion, SkeletonId, Track,
};

/// Returns the clips, and the animation of each.
pub(super) fn read(
    document: &Document<'_>,
    plan: &Plan,
    (told, options): (&FileData, &ImportOptions<'_>),
    losses: &mut Vec<Loss>,
) -> Result<(Vec<Clip>, Vec<usize>), ReadError> {
    let (mut clips, mut animations) = (Vec::new(), Vec::new());
    let extras = Extras::new(document, "animations")?;
    for (a, animation) in document.animations().iter().enumerate() {
        let mut stated = told.clip(&animation.name, extras.value(a));
        let mut reader = Reader { document, plan, a, animation, losses, seen: SortedSet::new(), group: None };
        let Some((tracks, rate, frames)) = reader.tracks(options.rate, &mut stated)? else { continue };
        // If the keys are at another stated rate, frames keep their numbers and the clip gets the playback
        // rate.
        let rate = stated.rate.filter(|_| stated.keyed(options.rate).is_some()).unwrap_or(rate);
        let Some(group) = reader.group else { continue };
        let name = if animation.name.is_empty() { format!("clip_{a}") } else { animation.name.to_string() };
        let found = frames;
        let (frames, looping) = stated.frames(rate, frames, || closes(&tracks, found.saturating_sub(1)));
        let mut tracks = tracks;
        if looping {
            hold(document, a, &mut tracks, found.saturating_sub(1))?;
        }
        let path = FieldPath::ROOT.field("animations");
        document.charge::<u8>(&path.index(a), "names", name.len())?;
        charge_push::<(Clip, usize)>(document, &path, "clips")?;
        let mut clip = Clip::new(name, SkeletonId(group), rate, Motion::Tracks(tracks))
            .with_frames(frames)
            .with_looping(looping)
            .with_start(stated.start)
            .with_interpolation(Rule::Spherical);
        clip.extras = stated.rest(extras.get(a)?);
        clips.push(clip);
        animations.push(a);
    }
    Ok((clips, animations))
}

/// The maximum relative difference between the last and the first pose of a loop. Compressors change values
/// by some thousandths.
const CLOSED: f32 = 1e-3;

/// Returns true if the keys of a loop at its last frame repeat the first pose, or hold the previous one: then the
/// period ends there, and this frame is not counted.
fn closes(tracks: &[Track], last: u32) -> bool {
    fn distance<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
        a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
    }
    fn ends<const N: usize>(
        keys: &Keys<[f32; N]>,
        last: f32,
        near: impl Fn(&[f32; N], &[f32; N]) -> bool,
    ) -> bool {
        let ([first, ..], [.., before, end]) = (&keys.values[..], &keys.values[..]) else { return true };
        let is_there = keys.frames.last().is_some_and(|frame| (frame - last).abs() <= 1e-3);
        !is_there || near(end, first) || near(end, before)
    }
    #[expect(clippy::cast_precision_loss, reason = "frames are below 2^24")]
    let last = last as f32;
    let size = |values: &[[f32; 3]]| values.iter().fold(0.0, |most, v| distance(v, &[0.0; 3]).max(most));
    let size =
        |of: fn(&Track) -> &Keys<[f32; 3]>| tracks.iter().fold(0.0, |most, t| size(&of(t).values).max(most));
    let (place, scale) = (CLOSED * size(|t| &t.translation), CLOSED * size(|t| &t.scale));
    tracks.iter().all(|track| {
        let turned = |a: &[f32; 4], b: &[f32; 4]| distance(a, b).min(distance(a, &b.map(|b| -b))) <= CLOSED;
        ends(&track.translation, last, |a, b| distance(a, b) <= place)
            && ends(&track.rotation, last, turned)
            && ends(&track.scale, last, |a, b| distance(a, b) <= scale)
    })
}

/// Adds keys such that values are constant before the first and after the last key of a channel, even if the
/// clip loops.
fn hold(document: &Document<'_>, a: usize, tracks: &mut [Track], last: u32) -> Result<(), ReadError> {
    fn edges<T: Copy>(keys: &mut Keys<T>, last: f32) {
        let (Some(first), Some(end)) = (keys.values.first().copied(), keys.values.last().copied()) else {
            return;
        };
        if keys.values.len() < 2 {
            return;
        }
        if keys.frames.first().is_some_and(|f| *f > 0.0) {
            keys.frames.insert(0, 0.0);
            keys.values.insert(0, first);
        }
        if keys.frames.last().is_some_and(|f| *f < last) {
            keys.push(last, end);
        }
    }
    let all = FieldPath::ROOT.field("animations");
    // A full list grows to twice its length.
    let keys = tracks.iter().map(keys_of).fold(0, usize::saturating_add);
    document.charge::<[f32; 5]>(&all.index(a), "keys", keys.saturating_mul(2))?;
    #[expect(clippy::cast_precision_loss, reason = "frames are below 2^24")]
    let last = last as f32;
    for track in tracks {
        edges(&mut track.translation, last);
        edges(&mut track.rotation, last);
        edges(&mut track.scale, last);
    }
    Ok(())
}

fn keys_of(track: &Track) -> usize {
    let counts = [track.translation.frames.len(), track.rotation.frames.len(), track.scale.frames.len()];
    counts.into_iter().fold(0, usize::saturating_add)
}

struct Reader<'r, 'd, 'a> {
    document: &'d Document<'a>,
    plan: &'r Plan,
    a: usize,
    animation: &'r Animation<'a>,
    losses: &'r mut Vec<Loss>,
    /// The joints and channels that earlier channels animate.
    seen: SortedSet<(usize, u8)>,
    group: Option<usize>,
}

impl Reader<'_, '_, '_> {
    fn warn(&self, c: usize, message: &'static str) {
        let all = FieldPath::ROOT.field("animations");
        let animation = all.index(self.a);
        let channels = animation.field("channels");
        self.document.warn(CHANNEL_IGNORED, &channels.index(c), ("animations", self.a), message);
    }

    /// Detects the rate from the times of keys.
    fn detect_rate(&mut self, times: &[Option<Times>]) -> Result<Rate, ReadError> {
        let (rate, off) = Rate::detect(self.document, self.a, times)?;
        if let Some(off) = off {
            let per_second = rate.value;
            let message = format!(
                "no frame rate has a frame for every key: {per_second} frames per second used; --fps sets another"
            );
            let note = Loss::note("no-rate", format!("animations[{}]", self.a), message);
            self.losses.push(note.with_amount(off, "seconds off a frame"));
        }
        Ok(rate)
    }

    /// Returns the tracks, their rate and the number of frames with keys; `None` if no joint moves.
    fn tracks(
        &mut self,
        rate: Option<f32>,
        stated: &mut ClipPlayback,
    ) -> Result<Option<(Vec<Track>, f32, u32)>, ReadError> {
        let times = times::read(self.document, self.a, self.animation)?;
        stated.check_rate(times::end(&times));
        let rate = match rate.or(stated.keyed(rate)).or(stated.rate) {
            Some(said) => Rate::exact(said),
            None => self.detect_rate(&times)?,
        };
        let (frames, added) = times::frames(self.document, self.a, &times, rate)?;
        if added > 0.0 && stated.frames.is_none() {
            let message = "the last key is between two frames: the clip was extended to the next frame";
            let note = Loss::note("clip-lengthened", format!("animations[{}]", self.a), message);
            self.losses.push(note.with_amount(added, "seconds"));
        }
        let mut tracks: Vec<Track> = Vec::new();
        let mut slots: meshwright_core::SortedMap<usize, usize> = meshwright_core::SortedMap::new();
        for (c, channel) in self.animation.channels.iter().enumerate() {
            let Some((place, node)) = self.target(c, channel) else { continue };
            let sampler = self.animation.samplers.get(channel.sampler);
            let times = times.get(channel.sampler).and_then(Option::as_ref);
            let (Some(sampler), Some(times)) = (sampler, times) else { continue };
            self.group = Some(place.group);
            let slot = *slots.entry(place.joint).or_insert(tracks.len());
            if slot == tracks.len() {
                // The memory includes the entries of the joint and its channels in maps.
                let all = FieldPath::ROOT.field("animations");
                charge_push::<(Track, [usize; 8])>(self.document, &all, "tracks")?;
                tracks.push(Track { joint: place.joint, ..Track::default() });
            }
            let Some(track) = tracks.get_mut(slot) else { continue };
            self.channel(track, node, channel.property, (sampler, channel.sampler), times, rate)?;
        }
        if tracks.is_empty() {
            let all = FieldPath::ROOT.field("animations");
            self.document.warn(EMPTY_CLIP, &all.index(self.a), ("animations", self.a), "moves no node");
            return Ok(None);
        }
        Ok(Some((tracks, rate.value, frames)))
    }

    /// Returns the joint that a channel animates, if the channel is used.
    fn target(&mut self, c: usize, channel: &Channel) -> Option<(JointPlace, usize)> {
        let property = match channel.property {
            Property::Translation => 0,
            Property::Rotation => 1,
            Property::Scale => 2,
            Property::Weights => {
                let message = "morph targets do not move; their default weights are used";
                lose(self.losses, "morph-targets", &|| format!("animations[{}]", self.a), message);
                return None;
            }
            Property::Pointer => {
                self.warn(c, "animates a property of an extension");
                return None;
            }
        };
        let Some(node) = channel.node else {
            self.warn(c, "moves no node");
            return None;
        };
        if !self.seen.insert((node, property)) {
            self.warn(c, "animates the same property as an earlier channel");
            return None;
        }
        if let Some(Local::Affine(_)) = self.plan.locals.get(node) {
            self.warn(c, "animates a node that has a matrix");
        }
        let place = self.plan.place(node);
        if place.is_none() && self.plan.is_active(node) {
            let message = "animations of nodes that draw nothing were dropped";
            lose(self.losses, "node-animation", &|| format!("animations[{}]", self.a), message);
        }
        place.map(|place| (place, node))
    }

    fn channel(
        &self,
        track: &mut Track,
        node: usize,
        property: Property,
        sampler: (&Sampler, usize),
        times: &Times,
        rate: Rate,
    ) -> Result<(), ReadError> {
        let above = self.plan.folded(self.document, node);
        let mirrored = self.plan.is_mirrored(node);
        let seen = |local: Trs64| if mirrored { in_mirror(&local) } else { local };
        let folded = |local: Trs64| above.map_or(seen(local), |above| folded(&above, &seen(local)));
        let translation = |translation| folded(Trs64 { translation, ..Trs64::IDENTITY }).translation;
        let rotation = |rotation| {
            let own = seen(Trs64 { rotation, ..Trs64::IDENTITY }).rotation;
            above.map_or(own, |above| quat::product(above.rotation, own))
        };
        let scale = |scale| folded(Trs64 { scale, ..Trs64::IDENTITY }).scale;
        match property {
            Property::Translation => self.keys(&mut track.translation, sampler, times, rate, &translation),
            Property::Rotation => self.keys(&mut track.rotation, sampler, times, rate, &rotation),
            _ => self.keys(&mut track.scale, sampler, times, rate, &scale),
        }
    }

    fn keys<const N: usize>(
        &self,
        channel: &mut Keys<[f32; N]>,
        (sampler, s): (&Sampler, usize),
        times: &Times,
        rate: Rate,
        map: &dyn Fn([f64; N]) -> [f64; N],
    ) -> Result<(), ReadError> {
        let all = FieldPath::ROOT.field("animations");
        let animation = all.index(self.a);
        let samplers = animation.field("samplers");
        let sampler_path = samplers.index(s);
        let path = sampler_path.field("output");
        let values = self.document.read_f32::<N>(sampler.output)?;
        if let Some(k) = values.iter().position(|v| !v.iter().all(|c| c.is_finite())) {
            let place = ("animations", self.a);
            return Err(self.document.fault(NOT_FINITE, &path.index(k), place, "is not finite"));
        }
        let values = times::values(times, values, sampler.interpolation);
        let way = match sampler.interpolation {
            Interpolation::Linear => KeyInterpolation::Straight,
            Interpolation::Step => KeyInterpolation::Step,
            Interpolation::CubicSpline => KeyInterpolation::Spline,
        };
        let turns = N == 4;
        let values = if turns { self.turns(values, way, &path) } else { values };
        let source = KeySource { times: &times.seconds, values: &values, rate, way, turns };
        let count = source.linear_keys();
        channel.frames = self.document.room(&path, "keys", count)?;
        channel.values = self.document.room(&path, "keys", count)?;
        source.linear(channel, map);
        if channel.values.iter().flatten().all(|c| c.is_finite()) {
            return Ok(());
        }
        Err(self.document.fault(NOT_FINITE, &path, ("animations", self.a), "is not finite"))
    }

    /// Returns quaternions as rotations; those of length 0 become the identity.
    fn turns<const N: usize>(
        &self,
        mut values: Vec<[f32; N]>,
        way: KeyInterpolation,
        path: &FieldPath<'_>,
    ) -> Vec<[f32; N]> {
        let mut odd = 0_usize;
        let (first, each) = if way == KeyInterpolation::Spline { (1, 3) } else { (0, 1) };
        for value in values.iter_mut().skip(first).step_by(each) {
            let [x, y, z, w] = std::array::from_fn(|i| value.get(i).copied().unwrap_or(0.0));
            let (unit, is_odd) = unit_rotation([x, y, z, w]);
            odd = odd.saturating_add(usize::from(is_odd));
            if [x, y, z, w] == [0.0; 4] {
                value.iter_mut().zip(unit).for_each(|(to, c)| *to = c);
            }
        }
        if odd > 0 {
            let message = format!("{odd} quaternions are not of length 1");
            self.document.warn(ROTATIONS_SCALED, path, ("animations", self.a), message);
        }
        values
    }
}
