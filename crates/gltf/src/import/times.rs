//! The times of keys, and the rate at which they are frames.

use crate::document::rules::{KEY_TIMES, KEY_TIMES_ODD, LIMIT, NOT_FINITE};
use crate::document::{Animation, Document, Interpolation};
use meshwright_core::{FieldPath, ReadError};

/// Rates that are tried, and how many seconds off its frame a key may be.
const RATES: [f32; 8] = [10.0, 12.0, 15.0, 20.0, 24.0, 25.0, 30.0, 60.0];
const OFF_FRAME: f64 = 1e-4;

/// The rate where none of them fits.
const ANY_RATE: f32 = 30.0;

/// Frames beyond this have no number of their own in 32 bits.
const FRAMES: f64 = 16_777_216.0;

/// The keys of a sampler that count.
pub(super) struct Times {
    pub(super) seconds: Vec<f64>,
    /// The number of each in the sampler.
    pub(super) keys: Vec<usize>,
}

/// The times of the samplers of an animation, by sampler; of those that no channel uses, nothing.
pub(super) fn read(
    document: &Document<'_>,
    a: usize,
    animation: &Animation<'_>,
) -> Result<Vec<Option<Times>>, ReadError> {
    let all = FieldPath::ROOT.field("animations");
    let path = all.index(a);
    let mut used = document.room(&path, "samplers", animation.samplers.len())?;
    used.resize(animation.samplers.len(), false);
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
            document.warn(KEY_TIMES_ODD, &path, ("animations", a), || "equal or negative times");
        }
        times.push(Some(Times { seconds, keys }));
    }
    Ok(times)
}

/// The least rate at which all keys are frames, else a common one.
pub(super) fn rate(times: &[Option<Times>]) -> f32 {
    let all = || times.iter().flatten().flat_map(|t| &t.seconds);
    let fits = |rate: &&f32| {
        let rate = f64::from(**rate);
        all().all(|t| (t * rate - (t * rate).round()).abs() <= OFF_FRAME * rate)
    };
    RATES.iter().find(fits).copied().unwrap_or(ANY_RATE)
}

/// The number of frames up to the last key.
pub(super) fn frames(
    document: &Document<'_>,
    a: usize,
    times: &[Option<Times>],
    rate: f32,
) -> Result<u32, ReadError> {
    let end = times.iter().flatten().filter_map(|t| t.seconds.last()).fold(0.0, |end: f64, t| end.max(*t));
    let last = (super::keys::frame(end, f64::from(rate)) - 1e-3).ceil().max(0.0);
    if last >= FRAMES {
        let all = FieldPath::ROOT.field("animations");
        let message = format!("{end} s at {rate} frames per second");
        return Err(document.fault(LIMIT, &all.index(a), ("animations", a), message));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^24")]
    let last = last as u32;
    Ok(last.saturating_add(1))
}

/// The values that the keys which count have in a sampler.
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
