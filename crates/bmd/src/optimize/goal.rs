//! The values that a channel must approximate at whole frames.

use super::pose_comparison::PoseTargets;
use super::work_limit::WorkLimit;
use crate::pose::{BoneSample, rotation, triple};
use crate::stream::Keys;
use alloc::vec::Vec;
use meshwright_core::math::quat::Quat;
use meshwright_core::math::{dot, narrow, sin, unit};
use meshwright_core::num::{QuatF8, Se32};

/// A key that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) frame: u32,
    pub(crate) word: u32,
    pub(crate) value: Value,
}

/// A quaternion, or three numbers and a zero.
pub(crate) type Value = [f64; 4];

/// Returns three numbers as a value.
pub(crate) const fn to_value([x, y, z]: [f64; 3]) -> Value {
    [x, y, z, 0.0]
}

/// A channel of a bone's motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Channel {
    Rotation,
    Translation,
    Scale,
}

impl Channel {
    pub(super) const ALL: [Self; 3] = [Self::Rotation, Self::Translation, Self::Scale];

    pub(crate) fn value_in(self, sample: &BoneSample) -> Value {
        match self {
            Self::Rotation => sample.rotation,
            Self::Translation => to_value(sample.translation),
            Self::Scale => to_value(sample.scale),
        }
    }

    /// Returns the sample with another value, which need not be normalised.
    fn replace_in(self, sample: &BoneSample, value: Value) -> BoneSample {
        let [x, y, z, _] = value;
        match self {
            Self::Rotation => {
                BoneSample { rotation: unit(value).unwrap_or(BoneSample::REST.rotation), ..*sample }
            }
            Self::Translation => BoneSample { translation: [x, y, z], ..*sample },
            Self::Scale => BoneSample { scale: [x, y, z], ..*sample },
        }
    }

    pub(super) fn keys_in(self, keys: &Keys) -> Vec<Candidate> {
        let list = match self {
            Self::Rotation => {
                let key =
                    |k: &(u32, QuatF8)| Candidate { frame: k.0, word: k.1.to_bits(), value: rotation(k.1) };
                return keys.rotation.iter().map(key).collect();
            }
            Self::Translation => &keys.translation,
            Self::Scale => &keys.scale,
        };
        let key =
            |k: &(u32, Se32)| Candidate { frame: k.0, word: k.1.to_bits(), value: to_value(triple(k.1)) };
        list.iter().map(key).collect()
    }

    pub(super) fn replace_keys(self, keys: &mut Keys, chosen: &[Candidate]) {
        let list = match self {
            Self::Rotation => {
                keys.rotation = rotation_keys(chosen);
                return;
            }
            Self::Translation => &mut keys.translation,
            Self::Scale => &mut keys.scale,
        };
        *list = triple_keys(chosen);
    }
}

pub(super) fn rotation_keys(chosen: &[Candidate]) -> Vec<(u32, QuatF8)> {
    chosen.iter().map(|k| (k.frame, QuatF8::from_bits(k.word))).collect()
}

pub(super) fn triple_keys(chosen: &[Candidate]) -> Vec<(u32, Se32)> {
    chosen.iter().map(|k| (k.frame, Se32::from_bits(k.word))).collect()
}

/// Nearly opposite rotations blend to one whose squared length is below this. Its direction is that of rounding errors.
const OPPOSITE: f64 = 1e-6;

/// The errors that a channel itself may have.
pub(crate) enum Tolerance {
    /// Any error.
    Any,
    /// The same values, bit for bit in single precision.
    Same { values: Vec<[u32; 4]>, unit: bool },
    /// Rotations within an angle. `cosine` is the square of the cosine of half the angle.
    Turned { values: Vec<Quat>, cosine: f64 },
    /// Points within a distance.
    Near { values: Vec<Value>, distance: f64 },
}

impl Tolerance {
    pub(crate) fn match_bits(values: &[Value], unit: bool) -> Self {
        Self::Same { values: values.iter().map(|v| bits(*v)).collect(), unit }
    }

    pub(crate) fn turn_within(values: Vec<Quat>, degrees: f64) -> Self {
        let half = degrees.clamp(0.0, 180.0) * (core::f64::consts::PI / 360.0);
        let sine = sin(half);
        Self::Turned { values, cosine: 1.0 - sine * sine }
    }

    fn accepts(&self, frame: u32, value: Value) -> bool {
        match self {
            Self::Any => true,
            Self::Same { values, unit: normalize } => {
                let value = if *normalize { unit(value).unwrap_or(value) } else { value };
                values.get(frame as usize) == Some(&bits(value))
            }
            Self::Turned { values, cosine } => is_turned_within(values, *cosine, frame, value),
            Self::Near { values, distance } => is_near(values, *distance, frame, value),
        }
    }
}

#[inline]
fn is_turned_within(values: &[Quat], cosine: f64, frame: u32, value: Quat) -> bool {
    let Some(want) = values.get(frame as usize) else { return false };
    let (turned, square) = (dot(*want, value), dot(value, value));
    // Searches spend their time here, and `max` would also test for NaN.
    turned * turned >= cosine * if square > OPPOSITE { square } else { OPPOSITE }
}

#[inline]
fn is_near(values: &[Value], distance: f64, frame: u32, value: Value) -> bool {
    let Some(want) = values.get(frame as usize) else { return false };
    let square: f64 = (0..3).map(|i| (want[i] - value[i]) * (want[i] - value[i])).sum();
    square <= distance * distance
}

fn bits(value: Value) -> [u32; 4] {
    narrow(value).map(f32::to_bits)
}

/// The values that a channel must approximate.
pub(crate) struct Goal<'p> {
    pub(crate) tolerance: Tolerance,
    pub(crate) posed: Option<PosedGoal<'p>>,
}

/// A bound on the positions of everything that the bone moves.
pub(crate) struct PosedGoal<'p> {
    pub(super) channel: Channel,
    pub(super) place: &'p PoseTargets,
    pub(super) distance: f64,
    /// The motion of the bone with the keys chosen so far.
    pub(super) now: &'p [BoneSample],
}

impl Goal<'_> {
    /// Returns true if `value`, which need not be normalised, is good enough at a frame.
    pub(crate) fn accepts(&self, frame: u32, value: Value) -> bool {
        if !self.tolerance.accepts(frame, value) {
            return false;
        }
        let Some(posed) = &self.posed else { return true };
        let Some(sample) = posed.now.get(frame as usize) else { return false };
        posed.place.is_near(frame, &posed.channel.replace_in(sample, value), posed.distance)
    }

    /// Returns true if the work suffices to test all values, each at its frame, and all are good enough.
    pub(super) fn accepts_all(
        &self,
        mut values: impl Iterator<Item = (u32, Value)>,
        work: &WorkLimit,
    ) -> bool {
        // Searches spend most of their time here: loops that know their test are faster.
        match (&self.tolerance, &self.posed) {
            (Tolerance::Turned { values: wanted, cosine }, None) => {
                values.all(|(f, v)| work.spend(1) && is_turned_within(wanted, *cosine, f, v))
            }
            (Tolerance::Near { values: wanted, distance }, None) => {
                values.all(|(f, v)| work.spend(1) && is_near(wanted, *distance, f, v))
            }
            _ => values.all(|(f, v)| work.spend(self.cost()) && self.accepts(f, v)),
        }
    }

    /// Returns the steps of work for one call of [`accepts`](Self::accepts).
    pub(crate) fn cost(&self) -> u64 {
        if self.posed.is_some() { PoseTargets::COST } else { 1 }
    }
}

impl From<Tolerance> for Goal<'_> {
    fn from(tolerance: Tolerance) -> Self {
        Self { tolerance, posed: None }
    }
}
