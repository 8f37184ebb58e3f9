//! Finds candidate words for keys: words near the values that a channel must have at whole frames.

use super::goal::{Candidate, Goal, Value, to_value};
#[cfg(feature = "scene")]
use super::goal::{Channel, Tolerance, rotation_keys, triple_keys};
#[cfg(feature = "scene")]
use super::{key_path::choose, work_limit::WorkLimit};
#[cfg(feature = "scene")]
use crate::pose::{BoneSample, Timing};
use crate::pose::{rotation, triple};
use crate::stream::NO_KEY;
use alloc::vec::Vec;
use meshwright_core::math::quat::Quat;
use meshwright_core::math::{dot, narrow};
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

/// Returns the nearest word at every whole frame before `last`.
pub(super) fn triple_candidates(values: &[Value], last: u32) -> Vec<Candidate> {
    let candidate = |(frame, &[x, y, z, _]): (u32, &Value)| {
        let word = Se32::encode(narrow([x, y, z]));
        Candidate { frame, word: word.to_bits(), value: to_value(triple(word)) }
    };
    (0..last).zip(values).map(candidate).collect()
}

/// Returns candidates for every whole frame before `last`: `count` words near the value, and the stored
/// words. Signs are chosen such that neighbouring frames are in one hemisphere.
pub(super) fn rotation_candidates(
    values: &[Quat],
    stored: &[Candidate],
    last: u32,
    count: usize,
    goal: &Goal<'_>,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut before: Option<Quat> = None;
    let mut stored = stored.iter().peekable();
    for (frame, value) in (0..last).zip(values) {
        let flip = before.is_some_and(|b| dot(b, *value) < 0.0);
        let value = if flip { value.map(|c| -c) } else { *value };
        before = Some(value);
        let mut words = neighbours(value, count);
        while let Some(key) = stored.next_if(|k| k.frame <= frame) {
            words.insert(0, key.word);
        }
        let mut here = Vec::new();
        for word in words {
            let mut decoded = rotation(QuatF8::from_bits(word));
            let mut word = word;
            if dot(decoded, value) < 0.0 {
                word ^= 0x8080_8080;
                decoded = decoded.map(|c| -c);
            }
            let new = here.iter().all(|c: &Candidate| c.word != word);
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

/// The number of times that a bound is doubled if it cannot be met. The next constant replaces a bound of 0.
#[cfg(feature = "scene")]
const DOUBLINGS: usize = 16;
#[cfg(feature = "scene")]
const SMALL: f64 = 0.01;
/// The maximum steps of work to choose the keys of a channel.
#[cfg(feature = "scene")]
const STEPS: u64 = 40_000_000;

/// Returns keys at whole frames that stay within a bound: an angle in degrees for rotations, a distance for
/// other channels. Doubles a bound that cannot be met; `None` if that does not help.
#[cfg(feature = "scene")]
fn fit(
    channel: Channel,
    values: &[Value],
    rest: Value,
    timing: Timing,
    mut bound: f64,
    tags: &[bool],
) -> Option<Vec<Candidate>> {
    let turns = channel == Channel::Rotation;
    for _ in 0..DOUBLINGS {
        let goal = Goal::from(if turns {
            Tolerance::turn_within(values.to_vec(), bound)
        } else {
            Tolerance::Near { values: values.to_vec(), distance: bound }
        });
        if (0..timing.frames).all(|f| goal.accepts(f, rest)) {
            return Some(Vec::new());
        }
        let candidates = if turns {
            rotation_candidates(values, &[], timing.frames, words_of(values.len()), &goal)
        } else {
            triple_candidates(values, timing.frames)
        };
        let found = choose(&candidates, &goal, timing, tags, &WorkLimit::new(STEPS));
        if found.is_some() {
            return found;
        }
        bound = (bound * 2.0).max(SMALL);
    }
    None
}

/// Returns words for rotations at whole frames that stay within an angle, in degrees. If there are none, the
/// angle is doubled.
#[cfg(feature = "scene")]
pub(crate) fn fit_rotations(
    values: &[Quat],
    timing: Timing,
    angle: f64,
    tags: &[bool],
) -> Vec<(u32, QuatF8)> {
    match fit(Channel::Rotation, values, BoneSample::REST.rotation, timing, angle, tags) {
        Some(chosen) => rotation_keys(&chosen),
        None => (0..).zip(values).map(|(f, q)| (f, QuatF8::encode(narrow(*q)))).collect(),
    }
}

/// Returns words for points at whole frames that stay within a distance. If there are none, the distance is
/// doubled.
#[cfg(feature = "scene")]
pub(crate) fn fit_triples(
    values: &[[f64; 3]],
    default: [f64; 3],
    timing: Timing,
    distance: f64,
    tags: &[bool],
) -> Vec<(u32, Se32)> {
    let values: Vec<Value> = values.iter().map(|v| to_value(*v)).collect();
    let chosen = fit(Channel::Translation, &values, to_value(default), timing, distance, tags);
    triple_keys(&chosen.unwrap_or_else(|| triple_candidates(&values, timing.frames)))
}
