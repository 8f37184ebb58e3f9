//! Converts the keys of one property of a node to keys with linear interpolation.

use super::times::Rate;
use meshwright_core::math::quat::{product, rotate};
use meshwright_core::math::{Trs64, add, length, lerp, narrow, unit, wide};
use meshwright_scene::Channel;

/// The maximum error of linear keys of a cubic spline, relative to the largest value of its keys.
pub const SPLINE_ERROR: f64 = 2e-6;

/// The difference of a quaternion's length from 1 up to which its bits are kept.
const EXACT: f64 = 1e-6;

/// The maximum number of keys that replace a spline between two of its keys.
const SPLINE_KEYS: u16 = 1024;

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyInterpolation {
    Straight,
    Step,
    Spline,
}

/// Returns a transform below another one that translates, rotates and scales evenly, as a single transform.
pub(super) fn folded(above: &Trs64, local: &Trs64) -> Trs64 {
    let [size, ..] = above.scale;
    let turned = rotate(above.rotation, local.translation.map(|c| c * size));
    Trs64 {
        translation: add(above.translation, turned),
        rotation: product(above.rotation, local.rotation),
        scale: local.scale.map(|c| c * size),
    }
}

/// The times and values of a sampler. Times are in seconds and strictly ascending. A key of a spline has its
/// tangents before and after its value.
pub(super) struct KeySource<'v, const N: usize> {
    pub(super) times: &'v [f64],
    pub(super) values: &'v [[f32; N]],
    pub(super) rate: Rate,
    pub(super) way: KeyInterpolation,
    /// True if the values are unit quaternions.
    pub(super) turns: bool,
}

impl<const N: usize> KeySource<'_, N> {
    /// Returns the number of keys that [`linear`](Self::linear) returns.
    pub(super) fn linear_keys(&self) -> usize {
        match self.way {
            KeyInterpolation::Straight => self.times.len(),
            KeyInterpolation::Step => self.times.len().saturating_mul(2),
            KeyInterpolation::Spline => {
                let spans = (0..self.times.len().saturating_sub(1)).map(|k| usize::from(self.parts(k)));
                spans.fold(1, usize::saturating_add)
            }
        }
    }

    /// Adds the keys; `map` converts each value.
    pub(super) fn linear(&self, channel: &mut Channel<[f32; N]>, map: &dyn Fn([f64; N]) -> [f64; N]) {
        let mut push = |frame: f64, v: [f64; N]| {
            let exact = !self.turns || (length(v) - 1.0).abs() <= EXACT;
            let v = if exact { v } else { unit(v).unwrap_or(v) };
            push_key(channel, frame, narrow(map(v)));
        };
        for k in 0..self.times.len() {
            let (Some(&time), Some(v)) = (self.times.get(k), self.value(k)) else { continue };
            push(self.rate.frame(time), v);
            let Some(&end) = self.times.get(k.saturating_add(1)) else { continue };
            match self.way {
                KeyInterpolation::Straight => {}
                KeyInterpolation::Step => push(before(self.rate.frame(end)), v),
                KeyInterpolation::Spline => {
                    let parts = self.parts(k);
                    for part in 1..parts {
                        let t = f64::from(part) / f64::from(parts);
                        push((time * (1.0 - t) + end * t) * f64::from(self.rate.value), self.spline(k, t));
                    }
                }
            }
        }
        cut(channel, self.turns);
    }

    fn value(&self, k: usize) -> Option<[f64; N]> {
        let at = if self.way == KeyInterpolation::Spline { k.saturating_mul(3).saturating_add(1) } else { k };
        self.values.get(at).map(|v| wide(*v))
    }

    /// Returns the start, its tangent, the end and its tangent of the span after key `k`. The sampler's
    /// tangents are per second; these are for the whole span.
    fn span(&self, k: usize) -> [[f64; N]; 4] {
        let at = k.saturating_mul(3);
        let get = |offset| self.values.get(at.saturating_add(offset)).map_or([0.0; N], |v| wide(*v));
        let length = self.seconds(k);
        [get(1), get(2).map(|c| c * length), get(4), get(3).map(|c| c * length)]
    }

    fn seconds(&self, k: usize) -> f64 {
        match (self.times.get(k), self.times.get(k.saturating_add(1))) {
            (Some(a), Some(b)) => b - a,
            _ => 0.0,
        }
    }

    fn spline(&self, k: usize, t: f64) -> [f64; N] {
        let [a, m, b, n] = self.span(k);
        let (t2, t3) = (t * t, t * t * t);
        let by = [2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2];
        let mut out = [0.0; N];
        for ((((to, a), m), b), n) in out.iter_mut().zip(a).zip(m).zip(b).zip(n) {
            let [wa, wm, wb, wn] = by;
            *to = wa * a + wm * m + wb * b + wn * n;
        }
        out
    }

    /// Returns the number of linear parts between key `k` and the next one.
    fn parts(&self, k: usize) -> u16 {
        let [a, m, b, n] = self.span(k);
        let size = a.iter().chain(&b).fold(f64::MIN_POSITIVE, |l, c| l.max(c.abs()));
        // The error of a straight line is at most an eighth of the second derivative, which is largest at an
        // end.
        let bends = a.iter().zip(m).zip(b).zip(n).map(|(((a, m), b), n)| {
            let (start, end) = (6.0 * (b - a) - 4.0 * m - 2.0 * n, 6.0 * (a - b) + 2.0 * m + 4.0 * n);
            start.abs().max(end.abs())
        });
        let parts = (bends.fold(0.0, f64::max) / (8.0 * SPLINE_ERROR * size)).sqrt().ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the limit"
        )]
        let parts = parts.clamp(1.0, f64::from(SPLINE_KEYS)) as u16;
        parts
    }
}

/// Drops the keys before frame 0.
fn cut<const N: usize>(channel: &mut Channel<[f32; N]>, turns: bool) {
    let early = channel.frames.partition_point(|f| *f < 0.0);
    let Some(last) = early.checked_sub(1) else { return };
    let pair = |k: usize| Some((f64::from(*channel.frames.get(k)?), wide(*channel.values.get(k)?)));
    let Some((from, a)) = pair(last) else { return };
    let value = match pair(early) {
        Some((to, b)) => {
            let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let b = if turns && dot < 0.0 { b.map(|c| -c) } else { b };
            let v = lerp(a, b, -from / (to - from));
            if turns { unit(v).unwrap_or(a) } else { v }
        }
        None => a,
    };
    let starts = channel.frames.get(early) == Some(&0.0);
    let drop = if starts { early } else { last };
    channel.frames.drain(..drop);
    channel.values.drain(..drop);
    if let (false, Some(frame), Some(first)) =
        (starts, channel.frames.first_mut(), channel.values.first_mut())
    {
        *frame = 0.0;
        *first = narrow(value);
    }
}

/// Returns the last time before a frame.
fn before(frame: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "rounded to the stored precision")]
    let stored = frame as f32;
    f64::from(stored.next_down())
}

/// Appends a key. An earlier key at the same frame moves to the last time before the frame, or is replaced if that time has
/// a key.
fn push_key<const N: usize>(channel: &mut Channel<[f32; N]>, frame: f64, value: [f32; N]) {
    #[expect(clippy::cast_possible_truncation, reason = "rounded to the stored precision")]
    let frame = frame as f32;
    let (earlier, last) = match &mut channel.frames[..] {
        [.., earlier, last] => (*earlier, last),
        [last] => (f32::NEG_INFINITY, last),
        [] => return channel.push(frame, value),
    };
    if *last < frame {
        return channel.push(frame, value);
    }
    let before = last.min(frame).next_down();
    if earlier < before {
        *last = before;
        channel.push(frame, value);
    } else if let Some(value_of_last) = channel.values.last_mut() {
        *value_of_last = value;
    }
}
