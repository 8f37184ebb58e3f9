//! Reads the times of keys, and detects the rate at which they are whole frames.

use crate::document::rules::{KEY_TIMES, KEY_TIMES_ODD, LIMIT, NOT_FINITE};
use crate::document::{Animation, Document, Interpolation};
use meshwright_core::{FieldPath, ReadError};

/// The lowest and the highest frame rate to try. Games use whole rates and half ones.
const RATES: [f64; 2] = [1.0, 240.0];
const STEP: f64 = 0.5;

/// With fewer key times than this, the rate is not detectable. Such clips get a rate that an engine can
/// blend at.
const FEW: usize = 4;
const FEW_RATE: f64 = 10.0;

/// The maximum distance of a key from its frame, in seconds and as a part of a frame. The first pair allows
/// for rounding to 32 bits, the second for writers that round to milliseconds or add up steps.
const OFF_FRAME: [[f64; 2]; 2] = [[1e-6, 0.03], [6e-4, 0.03]];

/// The relative error of a time in 32 bits.
const ROUNDING: f64 = 2e-7;

/// The rate if the keys fit no rate.
const ANY_RATE: f32 = 30.0;

/// Larger frame numbers are not distinct in 32 bits.
const FRAMES: f64 = 16_777_216.0;

/// The usable keys of a sampler.
pub(super) struct Times {
    pub(super) seconds: Vec<f64>,
    /// The index of each key in the sampler.
    pub(super) keys: Vec<usize>,
}

/// Reads the times of an animation's samplers; `None` for samplers that no channel uses.
pub(super) fn read(
    document: &Document<'_>,
    a: usize,
    animation: &Animation<'_>,
) -> Result<Vec<Option<Times>>, ReadError> {
    let all = FieldPath::ROOT.field("animations");
    let path = all.index(a);
    let mut used = document.filled(&path, "samplers", animation.samplers.len())?;
    for channel in animation.channels.iter().filter(|c| c.node.is_some()) {
        if let Some(used) = used.get_mut(channel.sampler) {
            *used = true;
        }
    }
    let mut times = document.room(&path, "samplers", animation.samplers.len())?;
    for (s, (sampler, used)) in animation.samplers.iter().zip(used).enumerate() {
        if !used {
            times.push(None);
            continue;
        }
        let samplers = path.field("samplers");
        let sampler_path = samplers.index(s);
        let path = sampler_path.field("input");
        let raw = document.read_f32::<1>(sampler.input)?.into_flattened();
        let mut seconds: Vec<f64> = document.room(&path, "keys", raw.len())?;
        let mut keys: Vec<usize> = document.room(&path, "keys", raw.len())?;
        let mut odd = raw.first().is_some_and(|t| *t < 0.0);
        for (k, time) in raw.into_iter().enumerate() {
            let fault = |rule, message: &'static str| {
                Err(document.fault(rule, &path.index(k), ("animations", a), message))
            };
            if !time.is_finite() {
                return fault(NOT_FINITE, "is not finite");
            }
            let time = f64::from(time);
            match seconds.last() {
                Some(last) if *last > time => return fault(KEY_TIMES, "falls"),
                Some(last) if *last >= time => {
                    odd = true;
                    seconds.pop();
                    keys.pop();
                }
                _ => {}
            }
            seconds.push(time);
            keys.push(k);
        }
        if odd {
            document.warn(KEY_TIMES_ODD, &path, ("animations", a), "equal or negative times");
        }
        times.push(Some(Times { seconds, keys }));
    }
    Ok(times)
}

/// Frames per second of a clip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) value: f32,
    /// The distance from a whole frame within which a key belongs to that frame.
    slack: f64,
}

impl Rate {
    /// Returns a given rate: keys keep their times.
    pub(super) const fn exact(value: f32) -> Self {
        Self { value, slack: 0.0 }
    }

    /// Returns the lowest rate at which all keys are at whole frames: a whole rate, a half one, or one from
    /// the smallest distance of keys. If there is none, it returns a common rate, and the largest distance
    /// of a key from its frame in seconds.
    ///
    /// # Errors
    /// If trying many rates takes more work than the limits allow.
    pub(super) fn detect(
        document: &Document<'_>,
        a: usize,
        times: &[Option<Times>],
    ) -> Result<(Self, Option<f64>), ReadError> {
        let path = FieldPath::ROOT.field("animations");
        let lists = || times.iter().flatten().map(|t| t.seconds.as_slice());
        let off = |rate: f64, t: f64| (t * rate - (t * rate).round()).abs() / rate;
        let mut different: Vec<f64> = Vec::with_capacity(FEW);
        let (mut end, mut gap, mut worst) = (0.0_f64, f64::INFINITY, 0.0_f64);
        for list in lists() {
            for (k, &t) in list.iter().enumerate() {
                end = end.max(t);
                worst = worst.max(off(ANY_RATE.into(), t));
                gap = list.get(k.saturating_add(1)).map_or(gap, |next| gap.min(next - t));
                if different.len() < FEW && !different.contains(&t) {
                    different.push(t);
                }
            }
        }
        let [least, most] = RATES;
        let least = if different.len() < FEW { FEW_RATE } else { least };
        // Other rates, such as 29.97.
        let spaced = Some((end / gap.min(end)).round() / end).filter(|rate| (least..=most).contains(rate));
        for [seconds, part] in OFF_FRAME {
            let steps = std::iter::successors(Some(least), |rate| Some(rate + STEP));
            for rate in steps.take_while(|rate| *rate <= most).chain(spaced) {
                let most = seconds.min(part / rate);
                let mut fit = 0_usize;
                let misfit = lists().find_map(|list| {
                    let at = list.iter().position(|t| off(rate, *t) > most + ROUNDING * t);
                    fit = fit.saturating_add(at.unwrap_or(list.len()));
                    at
                });
                document.work(&path.index(a), "rates of keys", misfit.map_or(0, |_| fit))?;
                if misfit.is_none() {
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "few digits, or no key is exact in it"
                    )]
                    let value = rate as f32;
                    return Ok((Self { value, slack: most * rate }, None));
                }
            }
        }
        Ok((Self::exact(ANY_RATE), Some(worst)))
    }

    /// Returns the frame of a time. It is a whole frame if the difference is only rounding.
    pub(super) fn frame(self, time: f64) -> f64 {
        let frame = time * f64::from(self.value);
        let whole = frame.round();
        if (frame - whole).abs() <= self.slack.max(1e-5) + ROUNDING * whole { whole } else { frame }
    }
}

/// Returns the time of the last key, in seconds.
pub(super) fn end(times: &[Option<Times>]) -> f64 {
    times.iter().flatten().filter_map(|t| t.seconds.last()).fold(0.0, |end: f64, t| end.max(*t))
}

/// Returns the number of frames up to the last key, and the seconds from the last key to the last frame.
pub(super) fn frames(
    document: &Document<'_>,
    a: usize,
    times: &[Option<Times>],
    rate: Rate,
) -> Result<(u32, f64), ReadError> {
    let end = end(times);
    let exact = rate.frame(end);
    let last = (exact - 1e-3).ceil().max(0.0);
    if last >= FRAMES {
        let all = FieldPath::ROOT.field("animations");
        let message = format!("{end} s at {} frames per second", rate.value);
        return Err(document.fault(LIMIT, &all.index(a), ("animations", a), message));
    }
    let added = Some(last - exact).filter(|part| *part > 1e-3).unwrap_or(0.0) / f64::from(rate.value);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^24")]
    let last = last as u32;
    Ok((last.saturating_add(1), added))
}

/// Returns the values of the usable keys in a sampler.
pub(super) fn values<const N: usize>(
    times: &Times,
    all: Vec<[f32; N]>,
    interpolation: Interpolation,
) -> Vec<[f32; N]> {
    let each: usize = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    if times.keys.len().checked_mul(each) == Some(all.len()) {
        return all;
    }
    let of = |k: &usize| all.get(k.saturating_mul(each)..).and_then(|v| v.get(..each)).unwrap_or_default();
    times.keys.iter().flat_map(of).copied().collect()
}
