//! Finds candidate words for keys: words near the values that a channel must have at whole frames.

use super::key_path::{Candidate, Goal};
#[cfg(feature = "scene")]
use super::{key_path::choose, work_limit::WorkLimit};
#[cfg(feature = "scene")]
use crate::pose::Timing;
use crate::pose::{rotation, triple};
use crate::stream::NO_KEY;
use alloc::vec::Vec;
use meshwright_core::math::quat::Quat;
use meshwright_core::math::{dot, narrow, sin, unit};
use meshwright_core::num::{F8A, QuatF8, Se32};

/// The number of words tried for each rotation: the nearest, and neighbours with other errors. Long clips
/// try fewer, so that the total number of candidates stays the same.
const WORDS: usize = 6;
const CANDIDATES: usize = 768;

/// Steps of work to find a nearest word, a rotation with its neighbours, or a triple.
pub(super) const NEAREST: u64 = 400;
pub(super) const NEIGHBOURS: u64 = 1_600;
pub(super) const TRIPLE: u64 = 100;

/// Returns the number of words that are tried for each rotation of a clip.
pub(super) fn words_of(frames: usize) -> usize {
    (CANDIDATES / frames.max(1)).clamp(1, WORDS)
}

/// A goal that accepts only the same values, bit for bit in single precision.
pub(super) struct Same<const N: usize> {
    pub(super) values: Vec<[u32; N]>,
    pub(super) unit: bool,
}

impl<const N: usize> Same<N> {
    pub(super) fn new(values: impl Iterator<Item = [f64; N]>, unit: bool) -> Self {
        Self { values: values.map(|v| narrow(v).map(f32::to_bits)).collect(), unit }
    }
}

impl<const N: usize> Goal<N> for Same<N> {
    fn accepts(&self, frame: u32, value: [f64; N]) -> bool {
        let value = if self.unit { unit(value).unwrap_or(value) } else { value };
        self.values.get(frame as usize) == Some(&narrow(value).map(f32::to_bits))
    }
}

/// Nearly opposite rotations blend to one whose squared length is below this. Its direction is that of rounding errors.
const OPPOSITE: f64 = 1e-6;

/// A goal that accepts rotations within an angle.
pub(super) struct Turned {
    pub(super) values: Vec<Quat>,
    /// The square of the cosine of half the angle.
    cosine: f64,
}

impl Turned {
    pub(super) fn new(values: Vec<Quat>, degrees: f64) -> Self {
        let half = degrees.clamp(0.0, 180.0) * (core::f64::consts::PI / 360.0);
        let sine = sin(half);
        Self { values, cosine: 1.0 - sine * sine }
    }
}

impl Goal<4> for Turned {
    fn accepts(&self, frame: u32, value: Quat) -> bool {
        let Some(want) = self.values.get(frame as usize) else { return false };
        let (cosine, square) = (dot(*want, value), dot(value, value));
        square > OPPOSITE && cosine * cosine >= self.cosine * square
    }
}

/// A goal that accepts points within a distance.
pub(super) struct Near {
    pub(super) values: Vec<[f64; 3]>,
    pub(super) distance: f64,
}

impl Goal<3> for Near {
    fn accepts(&self, frame: u32, value: [f64; 3]) -> bool {
        let Some(want) = self.values.get(frame as usize) else { return false };
        let square: f64 = want.iter().zip(value).map(|(a, b)| (a - b) * (a - b)).sum();
        square <= self.distance * self.distance
    }
}

/// Returns the nearest word at every whole frame before `last`.
pub(super) fn triple_candidates(values: &[[f64; 3]], last: u32) -> Vec<Candidate<3>> {
    let candidate = |(frame, v): (u32, &[f64; 3])| {
        let word = Se32::encode(narrow(*v));
        Candidate { frame, word: word.to_bits(), value: triple(word) }
    };
    (0..last).zip(values).map(candidate).collect()
}

/// Returns candidates for every whole frame before `last`: `count` words near the value, and the stored
/// words. Signs are chosen such that neighbouring frames are in one hemisphere.
pub(super) fn rotation_candidates(
    values: &[Quat],
    stored: &[(u32, u32)],
    last: u32,
    count: usize,
    goal: &impl Goal<4>,
) -> Vec<Candidate<4>> {
    let mut candidates = Vec::new();
    let mut before: Option<Quat> = None;
    let mut stored = stored.iter().peekable();
    for (frame, value) in (0..last).zip(values) {
        let flip = before.is_some_and(|b| dot(b, *value) < 0.0);
        let value = if flip { value.map(|c| -c) } else { *value };
        before = Some(value);
        let mut words = neighbours(value, count);
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
            if new && word != NO_KEY && goal.accepts(frame, decoded) {
                here.push(Candidate { frame, word, value: decoded });
            }
        }
        candidates.append(&mut here);
    }
    candidates
}

/// Returns the nearest word and others around it in order of distance, `count` in all.
fn neighbours(value: Quat, count: usize) -> Vec<u32> {
    if count == 0 {
        return Vec::new();
    }
    let nearest = QuatF8::encode(narrow(value));
    let mut words = alloc::vec![nearest.to_bits()];
    if count == 1 {
        return words;
    }
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
    words.extend(found.into_iter().map(|f| f.1).filter(|w| *w != nearest.to_bits()).take(count - 1));
    words
}

/// Returns a part with its magnitude moved one code up or down.
fn step(part: F8A, by: i32) -> F8A {
    let (sign, magnitude) = (part.to_bits() & 0x80, i32::from(part.to_bits() & 0x7f));
    let moved = u8::try_from((magnitude + by).clamp(0, 0x7f)).unwrap_or(0);
    F8A::from_bits(sign | moved)
}

#[cfg(feature = "scene")]
fn picked<T: Copy, const N: usize>(
    keys: &[Candidate<N>],
    chosen: &[usize],
    word: impl Fn(u32) -> T,
) -> Vec<(u32, T)> {
    chosen.iter().filter_map(|i| keys.get(*i)).map(|k| (k.frame, word(k.word))).collect()
}

/// The number of times that a bound is doubled if it cannot be met. The next constant replaces a bound of 0.
#[cfg(feature = "scene")]
const DOUBLINGS: usize = 16;
#[cfg(feature = "scene")]
const SMALL: f64 = 0.01;
/// The maximum steps of work to choose the keys of a channel.
#[cfg(feature = "scene")]
const STEPS: u64 = 40_000_000;

/// Returns words for rotations at whole frames that stay within an angle, in degrees. If there are none, the
/// angle is doubled.
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
        let candidates = rotation_candidates(values, &[], timing.frames, words_of(values.len()), &goal);
        let work = WorkLimit::new(STEPS);
        if let Some(chosen) = choose(&candidates, &goal, timing.frames, timing.looping, tags, &work) {
            return picked(&candidates, &chosen, QuatF8::from_bits);
        }
        angle = (angle * 2.0).max(SMALL);
    }
    (0..).zip(values).map(|(f, q)| (f, QuatF8::encode(narrow(*q)))).collect()
}

/// Returns words for points at whole frames that stay within a distance. If there are none, the distance is
/// doubled.
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
        let work = WorkLimit::new(STEPS);
        if let Some(chosen) = choose(&candidates, &goal, timing.frames, timing.looping, tags, &work) {
            return picked(&candidates, &chosen, Se32::from_bits);
        }
        distance = (distance * 2.0).max(SMALL);
    }
    (0..).zip(values).map(|(f, v)| (f, Se32::encode(narrow(*v)))).collect()
}
