//! Channels of a clip before they are written.

use crate::document::Property;
use crate::math::{dot, wide};
use meshwright_scene::Trs;

/// The part of a joint that a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ChannelPath {
    Translation,
    Rotation,
    Scale,
}

impl ChannelPath {
    pub(crate) const ALL: [Self; 3] = [Self::Translation, Self::Rotation, Self::Scale];

    /// Returns the glTF name.
    pub(crate) const fn property(self) -> Property {
        match self {
            Self::Translation => Property::Translation,
            Self::Rotation => Property::Rotation,
            Self::Scale => Property::Scale,
        }
    }
}

/// Keys of one value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Keys<const N: usize> {
    pub(crate) times: Vec<f32>,
    pub(crate) values: Vec<[f32; N]>,
}

/// The keys of a channel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Curve {
    Vectors(Keys<3>),
    Rotations(Keys<4>),
}

impl<const N: usize> Keys<N> {
    /// Makes a curve with a constant value.
    pub(crate) fn constant(value: [f32; N]) -> Self {
        Self { times: vec![0.0], values: vec![value] }
    }

    /// Drops redundant keys: within runs of equal values, and before and after the outer runs, where the outer keys
    /// hold. A constant value keeps one key at the start. If no three neighbours are equal, all keys are kept: times
    /// that other channels have too cost nothing.
    pub(crate) fn sparse(times: &[f32], mut values: Vec<[f32; N]>) -> Self {
        let Some(first) = values.first().copied() else {
            return Self { times: Vec::new(), values };
        };
        if values.iter().all(|v| *v == first) {
            return Self::constant(first);
        }
        let three = |w: &[[f32; N]]| w.iter().all(|v| w.first() == Some(v));
        if !values.windows(3).any(three) {
            return Self { times: times.get(..values.len()).unwrap_or_default().to_vec(), values };
        }
        let is = |i: usize, v: &[f32; N]| values.get(i).is_none_or(|other| other == v);
        let needed = |(i, v): (usize, &[f32; N])| !(is(i.wrapping_sub(1), v) && is(i.wrapping_add(1), v));
        let kept: Vec<bool> = values.iter().enumerate().map(needed).collect();
        let mut marks = kept.iter();
        values.retain(|_| marks.next().copied().unwrap_or(true));
        let times = times.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(t, _)| *t).collect();
        Self { times, values }
    }

    /// Adds keys at 0 and at `end` with the values of the outer keys.
    fn stretch(&mut self, end: f32) {
        if let (Some(first), Some(true)) =
            (self.values.first().copied(), self.times.first().map(|t| *t > 0.0))
        {
            self.times.insert(0, 0.0);
            self.values.insert(0, first);
        }
        if let (Some(last), Some(true)) = (self.values.last().copied(), self.times.last().map(|t| *t < end)) {
            self.times.push(end);
            self.values.push(last);
        }
    }
}

impl Curve {
    /// Returns a part of a transform that never changes.
    pub(crate) fn constant(of: &Trs, part: ChannelPath) -> Self {
        match part {
            ChannelPath::Translation => Self::Vectors(Keys::constant(of.translation)),
            ChannelPath::Rotation => Self::Rotations(Keys::constant(of.rotation)),
            ChannelPath::Scale => Self::Vectors(Keys::constant(of.scale)),
        }
    }

    pub(crate) fn times(&self) -> &[f32] {
        match self {
            Self::Vectors(keys) => &keys.times,
            Self::Rotations(keys) => &keys.times,
        }
    }

    /// Returns true if it has keys at 0 and at `end`.
    pub(crate) fn spans(&self, end: f32) -> bool {
        let times = self.times();
        times.first() == Some(&0.0) && times.last().is_some_and(|last| *last >= end)
    }

    /// Adds keys at 0 and at `end`.
    pub(crate) fn stretch(&mut self, end: f32) {
        match self {
            Self::Vectors(keys) => keys.stretch(end),
            Self::Rotations(keys) => keys.stretch(end),
        }
    }
}

/// Flips signs so that neighbouring quaternions are in the same hemisphere, and the first in that of `before`.
pub(crate) fn one_hemisphere(values: &mut [[f32; 4]], mut before: [f32; 4]) {
    for q in values {
        if dot(wide(*q), wide(before)) < 0.0 {
            *q = q.map(|c| -c);
        }
        before = *q;
    }
}

/// Returns true if quaternions are the same rotation, bit for bit except for their sign.
pub(crate) fn same_rotation(a: [f32; 4], b: [f32; 4]) -> bool {
    a == b || a == b.map(|c| -c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(values: &[u8]) -> (Vec<f32>, Vec<f32>) {
        let times: Vec<f32> = (0..100_u8).map(f32::from).take(values.len()).collect();
        let keys = Keys::sparse(&times, values.iter().map(|v| [f32::from(*v)]).collect());
        (keys.times, keys.values.into_iter().map(|[v]| v).collect())
    }

    #[test]
    fn keys_within_and_outside_runs_are_dropped() {
        assert_eq!(sparse(&[1, 2, 3]), (vec![0.0, 1.0, 2.0], vec![1.0, 2.0, 3.0]));
        assert_eq!(
            sparse(&[1, 1, 1, 2, 2, 2, 2, 1, 1]),
            (vec![2.0, 3.0, 6.0, 7.0], vec![1.0, 2.0, 2.0, 1.0])
        );
        assert_eq!(sparse(&[1, 1, 2, 2]), (vec![0.0, 1.0, 2.0, 3.0], vec![1.0, 1.0, 2.0, 2.0]));
        assert_eq!(sparse(&[5, 5, 5]), (vec![0.0], vec![5.0]));
        assert_eq!(sparse(&[5]), (vec![0.0], vec![5.0]));
        assert_eq!(sparse(&[]), (vec![], vec![]));
    }

    #[test]
    fn a_curve_is_stretched_where_its_keys_hold() {
        let mut curve = Curve::Vectors(Keys { times: vec![1.0, 2.0], values: vec![[1.0; 3], [2.0; 3]] });
        assert!(!curve.spans(2.0));
        curve.stretch(3.0);
        assert!(curve.spans(3.0));
        let Curve::Vectors(keys) = &curve else { return };
        assert_eq!(keys.times, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(keys.values, [[1.0; 3], [1.0; 3], [2.0; 3], [2.0; 3]]);
        let mut still = Curve::constant(&Trs::IDENTITY, ChannelPath::Rotation);
        assert!(still.spans(0.0));
        still.stretch(0.0);
        assert_eq!(still.times(), [0.0]);
    }
}
