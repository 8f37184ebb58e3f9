//! Fewer keys.

use super::options::{Errors, OptimizeOptions, apart};
use super::path::{Candidate, Goal, choose};
use crate::math::{Quat, degrees};
use crate::model::{Clip, identity};
use crate::pose::{Curves, Timing, rotation, triple};
use crate::stream::{Keys, Stream};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::math::{dot, narrow, sin, unit};
use meshwright_core::num::{F8A, QuatF8, Se32};

/// Rounds of fitting the channels of a bone to one another's tags.
const ROUNDS: usize = 3;
/// Words tried for each rotation: neighbours of the nearest that err in other directions. Long clips try fewer,
/// so that the number of candidates stays the same.
const WORDS: usize = 6;
const CANDIDATES: usize = 768;

/// A stream, and what became of it.
type OldAndNew = (Arc<Stream>, Arc<Stream>);

/// Fits every clip anew; streams that clips of the same length share stay shared.
pub(super) fn reduce(clips: &mut [Clip], options: &OptimizeOptions, errors: &mut Errors) {
    // Old streams are kept until the end: an address must not be taken again while it stands for one of them.
    let mut done: BTreeMap<(usize, u8, bool), OldAndNew> = BTreeMap::new();
    let mut same: BTreeMap<Vec<u8>, Arc<Stream>> = BTreeMap::new();
    for clip in clips {
        let key = (identity(&clip.stream), clip.frames, clip.rate.is_looping());
        if let Some((_, known)) = done.get(&key) {
            clip.stream = Arc::clone(known);
            continue;
        }
        let timing = Timing { frames: u32::from(clip.frames), looping: clip.rate.is_looping() };
        let mut stream = Stream::new();
        for bone in 0..clip.stream.bone_count() {
            // Keys of bone 0 have no effect.
            let keys = if bone == 0 { Keys::default() } else { clip.stream.keys(bone) };
            let reduced = reduce_bone(&keys, timing, options, errors);
            stream.push_bone(&reduced.to_steps());
        }
        let bytes = crate::write::stream_bytes(&stream);
        let stream = Arc::clone(same.entry(bytes).or_insert_with(|| Arc::new(stream)));
        let old = core::mem::replace(&mut clip.stream, Arc::clone(&stream));
        done.insert(key, (old, stream));
    }
}

fn reduce_bone(keys: &Keys, timing: Timing, options: &OptimizeOptions, errors: &mut Errors) -> Keys {
    let within = |frame: u32| frame < timing.frames;
    let sound = keys.rotation.iter().all(|k| within(k.0))
        && keys.translation.iter().chain(&keys.scale).all(|k| within(k.0));
    if keys.is_empty() || !sound {
        return keys.clone();
    }
    let old = Curves::of(keys);
    let source = if options.engine_safe { off_last_frame(keys, timing.frames) } else { keys.clone() };
    let last = if options.engine_safe { timing.frames.saturating_sub(1).max(1) } else { timing.frames };
    let fit = Fit { timing, last, options };
    let mut best = source.clone();
    let mut now = Keys::default();
    for _ in 0..ROUNDS {
        now.rotation = fit.rotations(&source, &tags(&now.translation, &now.scale, timing.frames));
        now.translation = fit.triples(
            &source.translation,
            options.distance,
            [0.0; 3],
            &tags(&now.rotation, &now.scale, timing.frames),
        );
        now.scale = fit.triples(
            &source.scale,
            options.scale,
            [1.0; 3],
            &tags(&now.rotation, &now.translation, timing.frames),
        );
        if size(&now) >= size(&best) {
            break;
        }
        best = now.clone();
    }
    measure(&old, &Curves::of(&best), timing, errors);
    best
}

fn size(keys: &Keys) -> usize {
    keys.to_steps().iter().map(|s| s.size()).sum()
}

/// Frames at which one of two channels has a key.
fn tags<A, B>(a: &[(u32, A)], b: &[(u32, B)], frames: u32) -> Vec<bool> {
    let mut tags = alloc::vec![false; frames as usize];
    for frame in a.iter().map(|k| k.0).chain(b.iter().map(|k| k.0)) {
        if let Some(t) = tags.get_mut(frame as usize) {
            *t = true;
        }
    }
    tags
}

/// The existing loader loses its place behind a key on the last frame: such keys move one frame forward, or go
/// where there is one already. A clip of one frame has nowhere else to put them.
fn off_last_frame(keys: &Keys, frames: u32) -> Keys {
    fn moved<T: Copy>(keys: &[(u32, T)], last: u32) -> Vec<(u32, T)> {
        let mut keys = keys.to_vec();
        if last > 0
            && let Some((frame, value)) = keys.pop_if(|k| k.0 == last)
            && keys.last().is_none_or(|k| k.0 < frame - 1)
        {
            keys.push((frame - 1, value));
        }
        keys
    }
    let last = frames.saturating_sub(1);
    Keys {
        rotation: moved(&keys.rotation, last),
        translation: moved(&keys.translation, last),
        scale: moved(&keys.scale, last),
    }
}

/// Reduces the channels of one bone.
struct Fit<'o> {
    timing: Timing,
    /// Keys lie before this frame.
    last: u32,
    options: &'o OptimizeOptions,
}

/// Words for whole-frame rotations that stay within an angle, in degrees; the angle doubles until some choice
/// does.
#[cfg(feature = "scene")]
pub(crate) fn fit_rotations(
    values: &[Quat],
    timing: Timing,
    mut angle: f64,
    tags: &[bool],
) -> Vec<(u32, QuatF8)> {
    for _ in 0..DOUBLINGS {
        let goal = Turned::new(values.to_vec(), angle);
        if values.iter().zip(0..).all(|(_, f)| goal.accepts(f, [0.0, 0.0, 0.0, 1.0])) {
            return Vec::new();
        }
        let candidates = rotation_candidates(values, &[], timing.frames, &goal);
        if let Some(chosen) = choose(&candidates, &goal, timing.frames, timing.looping, tags) {
            return picked(&candidates, &chosen, QuatF8::from_bits);
        }
        angle = (angle * 2.0).max(SMALL);
    }
    (0..).zip(values).map(|(f, q)| (f, QuatF8::encode(narrow(*q)))).collect()
}

/// Words for whole-frame points that stay within a distance; the distance doubles until some choice does.
#[cfg(feature = "scene")]
pub(crate) fn fit_triples(
    values: &[[f64; 3]],
    default: [f64; 3],
    timing: Timing,
    mut distance: f64,
    tags: &[bool],
) -> Vec<(u32, Se32)> {
    for _ in 0..DOUBLINGS {
        let goal = Near { values: values.to_vec(), distance };
        if (0..timing.frames).all(|f| goal.accepts(f, default)) {
            return Vec::new();
        }
        let candidates = triple_candidates(values, timing.frames);
        if let Some(chosen) = choose(&candidates, &goal, timing.frames, timing.looping, tags) {
            return picked(&candidates, &chosen, Se32::from_bits);
        }
        distance = (distance * 2.0).max(SMALL);
    }
    (0..).zip(values).map(|(f, v)| (f, Se32::encode(narrow(*v)))).collect()
}

/// How often a bound that cannot be kept is doubled, and what a bound of zero becomes.
#[cfg(feature = "scene")]
const DOUBLINGS: usize = 16;
#[cfg(feature = "scene")]
const SMALL: f64 = 0.01;

/// The nearest word at every whole frame before `last`.
fn triple_candidates(values: &[[f64; 3]], last: u32) -> Vec<Candidate<3>> {
    let candidate = |(frame, v): (u32, &[f64; 3])| {
        let word = Se32::encode(narrow(*v));
        Candidate { frame, word: word.to_bits(), value: triple(word) }
    };
    (0..last).zip(values).map(candidate).collect()
}

/// The same values, bit for bit in single precision.
struct Same<const N: usize> {
    values: Vec<[u32; N]>,
    unit: bool,
}

impl Goal<4> for Same<4> {
    fn accepts(&self, frame: u32, value: Quat) -> bool {
        let value = if self.unit { unit(value).unwrap_or(value) } else { value };
        self.values.get(frame as usize) == Some(&narrow(value).map(f32::to_bits))
    }
}

impl Goal<3> for Same<3> {
    fn accepts(&self, frame: u32, value: [f64; 3]) -> bool {
        self.values.get(frame as usize) == Some(&narrow(value).map(f32::to_bits))
    }
}

/// Rotations within an angle.
struct Turned {
    values: Vec<Quat>,
    /// The square of the cosine of half the angle.
    cosine: f64,
}

impl Goal<4> for Turned {
    fn accepts(&self, frame: u32, value: Quat) -> bool {
        let Some(want) = self.values.get(frame as usize) else { return false };
        let cosine = dot(*want, value);
        cosine * cosine >= self.cosine * dot(value, value)
    }
}

/// Points within a distance.
struct Near {
    values: Vec<[f64; 3]>,
    distance: f64,
}

impl Goal<3> for Near {
    fn accepts(&self, frame: u32, value: [f64; 3]) -> bool {
        let Some(want) = self.values.get(frame as usize) else { return false };
        let square: f64 = want.iter().zip(value).map(|(a, b)| (a - b) * (a - b)).sum();
        square <= self.distance * self.distance
    }
}

fn picked<T: Copy, const N: usize>(
    keys: &[Candidate<N>],
    chosen: &[usize],
    word: impl Fn(u32) -> T,
) -> Vec<(u32, T)> {
    chosen.iter().filter_map(|i| keys.get(*i)).map(|k| (k.frame, word(k.word))).collect()
}

impl Fit<'_> {
    fn rotations(&self, keys: &Keys, tags: &[bool]) -> Vec<(u32, QuatF8)> {
        let keys = &keys.rotation;
        let curve: Vec<(u32, Quat)> = keys.iter().map(|k| (k.0, rotation(k.1))).collect();
        let at = |f: u32| self.timing.rotation(&curve, f64::from(f)).unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let values: Vec<Quat> = (0..self.timing.frames).map(at).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let (n, looping) = (self.timing.frames, self.timing.looping);
        if self.options.angle > 0.0 {
            let goal = Turned::new(values.clone(), self.options.angle);
            if (0..n).all(|f| goal.accepts(f, [0.0, 0.0, 0.0, 1.0])) {
                return Vec::new();
            }
            let words: Vec<(u32, u32)> = keys.iter().map(|k| (k.0, k.1.to_bits())).collect();
            let candidates = rotation_candidates(&values, &words, self.last, &goal);
            if let Some(chosen) = choose(&candidates, &goal, n, looping, tags) {
                return picked(&candidates, &chosen, QuatF8::from_bits);
            }
        }
        let bits = values.iter().map(|q| narrow(*q).map(f32::to_bits)).collect();
        let goal = Same::<4> { values: bits, unit: true };
        if (0..n).all(|f| goal.accepts(f, [0.0, 0.0, 0.0, 1.0])) {
            return Vec::new();
        }
        let candidate =
            |k: &(u32, QuatF8)| Candidate { frame: k.0, word: k.1.to_bits(), value: rotation(k.1) };
        let candidates: Vec<_> = keys.iter().map(candidate).collect();
        match choose(&candidates, &goal, n, looping, tags) {
            Some(chosen) => picked(&candidates, &chosen, QuatF8::from_bits),
            None => keys.clone(),
        }
    }

    fn triples(
        &self,
        keys: &[(u32, Se32)],
        tolerance: f64,
        default: [f64; 3],
        tags: &[bool],
    ) -> Vec<(u32, Se32)> {
        let curve: Vec<(u32, [f64; 3])> = keys.iter().map(|k| (k.0, triple(k.1))).collect();
        let at = |f: u32| self.timing.triple(&curve, f64::from(f)).unwrap_or(default);
        let values: Vec<[f64; 3]> = (0..self.timing.frames).map(at).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let (n, looping) = (self.timing.frames, self.timing.looping);
        let stored = keys.iter().map(|k| Candidate { frame: k.0, word: k.1.to_bits(), value: triple(k.1) });
        if tolerance > 0.0 {
            let goal = Near { values: values.clone(), distance: tolerance };
            if (0..n).all(|f| goal.accepts(f, default)) {
                return Vec::new();
            }
            let fresh = triple_candidates(&values, self.last).into_iter();
            let mut candidates: Vec<_> = fresh.chain(stored.clone()).collect();
            candidates.sort_by_key(|c| (c.frame, c.word));
            candidates.dedup();
            if let Some(chosen) = choose(&candidates, &goal, n, looping, tags) {
                return picked(&candidates, &chosen, Se32::from_bits);
            }
        }
        let goal =
            Same::<3> { values: values.iter().map(|v| narrow(*v).map(f32::to_bits)).collect(), unit: false };
        if (0..n).all(|f| goal.accepts(f, default)) {
            return Vec::new();
        }
        let candidates: Vec<_> = stored.collect();
        match choose(&candidates, &goal, n, looping, tags) {
            Some(chosen) => picked(&candidates, &chosen, Se32::from_bits),
            None => keys.to_vec(),
        }
    }
}

impl Turned {
    fn new(values: Vec<Quat>, degrees: f64) -> Self {
        let half = degrees.clamp(0.0, 180.0) * (core::f64::consts::PI / 360.0);
        let sine = sin(half);
        Self { values, cosine: 1.0 - sine * sine }
    }
}

/// Words for every whole frame: those near the value, and the stored ones, with signs that keep neighbours in
/// one hemisphere.
fn rotation_candidates(
    values: &[Quat],
    stored: &[(u32, u32)],
    last: u32,
    goal: &Turned,
) -> Vec<Candidate<4>> {
    let mut candidates = Vec::new();
    let mut before: Option<Quat> = None;
    let mut stored = stored.iter().peekable();
    for (frame, value) in (0..last).zip(values) {
        let flip = before.is_some_and(|b| dot(b, *value) < 0.0);
        let value = if flip { value.map(|c| -c) } else { *value };
        before = Some(value);
        let mut words = neighbours(value, (CANDIDATES / values.len().max(1)).clamp(1, WORDS));
        while let Some((_, word)) = stored.next_if(|k| k.0 <= frame) {
            words.insert(0, *word);
        }
        let mut here = Vec::new();
        for word in words {
            let mut decoded = rotation(QuatF8::from_bits(word));
            let mut word = word;
            if dot(decoded, value) < 0.0 {
                word ^= 0x8080_8080;
                decoded = decoded.map(|c| -c);
            }
            let new = here.iter().all(|c: &Candidate<4>| c.word != word);
            if new && word != crate::stream::NO_KEY && goal.accepts(frame, decoded) {
                here.push(Candidate { frame, word, value: decoded });
            }
        }
        candidates.append(&mut here);
    }
    candidates
}

/// The nearest word, and others around it by rising distance.
fn neighbours(value: Quat, count: usize) -> Vec<u32> {
    let nearest = QuatF8::encode(narrow(value));
    let parts = nearest.parts();
    let mut found: Vec<(f64, u32)> = Vec::new();
    for n in 0..81_u32 {
        let shift = |i: u32| i32::try_from(n / 3_u32.pow(i) % 3).unwrap_or(0) - 1;
        let moved = [0, 1, 2, 3].map(|i: u32| step(parts[i as usize], shift(i)));
        let word = QuatF8::from_parts(moved);
        let cosine = dot(rotation(word), value);
        found.push((1.0 - cosine * cosine, word.to_bits()));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.dedup_by_key(|f| f.1);
    let mut words = alloc::vec![nearest.to_bits()];
    words.extend(found.into_iter().map(|f| f.1).filter(|w| *w != nearest.to_bits()).take(count - 1));
    words
}

/// A part with its magnitude one code up or down.
fn step(part: F8A, by: i32) -> F8A {
    let (sign, magnitude) = (part.to_bits() & 0x80, i32::from(part.to_bits() & 0x7f));
    let moved = u8::try_from((magnitude + by).clamp(0, 0x7f)).unwrap_or(0);
    F8A::from_bits(sign | moved)
}

/// The largest differences at whole frames.
fn measure(old: &Curves, new: &Curves, timing: Timing, errors: &mut Errors) {
    let rest = [0.0, 0.0, 0.0, 1.0];
    for f in (0..timing.frames).map(f64::from) {
        let turn = |c: &Curves| timing.rotation(&c.rotation, f).unwrap_or(rest);
        let (a, b) = (turn(old), turn(new));
        if a != b {
            errors.angle = errors.angle.max(degrees(a, b));
        }
        let place = |c: &Curves| timing.triple(&c.translation, f).unwrap_or([0.0; 3]);
        errors.distance = errors.distance.max(apart(place(old), place(new)));
        let scale = |c: &Curves| timing.triple(&c.scale, f).unwrap_or([1.0; 3]);
        errors.scale = errors.scale.max(apart(scale(old), scale(new)));
    }
}
