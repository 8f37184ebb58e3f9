//! Evenly spaced keys of clips that a tool sampled.

use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded, Order as _};
use meshwright_scene::{Channel, Clip, Motion, Track};

/// Keys closer than this are the two sides of a jump.
const JUMP: f32 = 1e-2;

/// Returns the number of evenly spaced keys and the distance between two in frames, or `None` if the spacing is uneven.
/// The two sides of a jump count as one key. A last key that repeats the value before it does not count if it is closer
/// than a step, or if it is at the frame `round` where the clip repeats.
fn grid<T: PartialEq>(keys: &Channel<T>, round: Option<f64>) -> Option<(u32, f64)> {
    let behind = |k: usize| keys.frames.get(k.saturating_add(1));
    let counts = |k: usize, frame: f32| behind(k).is_none_or(|next| next - frame > JUMP);
    let all = || {
        let own = keys.frames.iter().zip(&keys.values).enumerate();
        own.filter(|(k, (frame, _))| counts(*k, **frame))
            .map(|(_, (frame, value))| (f64::from(*frame), value))
    };
    let (count, before, last) =
        all().fold((0_u32, None, None), |(n, _, last), key| (n.saturating_add(1), last, Some(key)));
    let even = |count: u32, end: f64| {
        let step = end / f64::from(count.saturating_sub(1).max(1));
        let is_even = |(k, (frame, _)): (u32, (f64, _))| (frame - f64::from(k) * step).abs() <= 1e-2 * step;
        (count <= 2 || (0..count).zip(all()).all(is_even)).then_some((count, step))
    };
    let end = last.map_or(0.0, |(frame, _)| frame);
    let (Some((before, value)), Some((last, held)), Some((first, _)), Some((second, _))) =
        (before, last, all().next(), all().nth(1))
    else {
        return even(count, end);
    };
    let shorter = || even(count.saturating_sub(1), before);
    if value == held && last - before < 0.99 * (second - first) {
        return shorter();
    }
    even(count, end).or_else(|| shorter().filter(|_| value == held && round == Some(last)))
}

/// Evenly spaced keys.
pub(crate) struct Steps<'c> {
    pub(crate) count: u32,
    /// Frames between two keys.
    pub(crate) step: f64,
    /// The key frames of one of the channels.
    keys: &'c [f32],
}

impl Steps<'_> {
    /// Returns the frame of a key as it is stored, because a slightly different frame may have another value.
    pub(crate) fn frame(&self, k: u32) -> f64 {
        let there = f64::from(k) * self.step;
        let stored = self.keys.get(k as usize).map(|frame| f64::from(*frame));
        stored.filter(|frame| (frame - there).abs() <= 1e-2 * self.step).unwrap_or(there)
    }
}

/// Returns the spacing of a clip's channels with more than two keys, if it is even and the same for all.
pub(crate) fn steps(clip: &Clip) -> Option<Steps<'_>> {
    let Motion::Tracks(tracks) = &clip.motion else { return None };
    let round = clip.looping.then_some(f64::from(clip.frames));
    let mut found: Option<Steps<'_>> = None;
    for track in tracks {
        let Track { translation, rotation, scale, .. } = track;
        let own = [grid(translation, round)?, grid(rotation, round)?, grid(scale, round)?];
        let keys = [&translation.frames, &rotation.frames, &scale.frames];
        for ((count, step), keys) in own.into_iter().zip(keys).filter(|((count, _), _)| *count > 2) {
            match &found {
                Some(one) if one.count != count || (step - one.step).abs() > 1e-2 * one.step => return None,
                Some(_) => {}
                None => found = Some(Steps { count, step, keys }),
            }
        }
    }
    found.filter(|steps| steps.step > 0.0)
}

/// Returns the key frames between whole frames. Those after the end of a looping clip are left out.
pub(crate) fn between(clip: &Clip, budget: &Budget) -> Result<Vec<f64>, LimitExceeded> {
    let Motion::Tracks(tracks) = &clip.motion else { return Ok(Vec::new()) };
    let mut found: Vec<f32> = Vec::new();
    for track in tracks {
        for keys in [&track.translation.frames, &track.rotation.frames, &track.scale.frames] {
            let off = |frame: &&f32| (**frame % 1.0).abs() > 1e-3 && (**frame % 1.0).abs() < 1.0 - 1e-3;
            budget.work("keys", keys.len() as u64)?;
            let count = keys.iter().filter(off).count();
            budget.charge_items("keys", count as u64, size_of::<[f64; 2]>())?;
            found.extend(keys.iter().filter(off));
        }
        // Most tracks share their key frames.
        found.order_by(f32::total_cmp);
        found.dedup();
    }
    let most = f64::from(clip.frames);
    Ok(found.into_iter().map(f64::from).filter(|frame| !clip.looping || *frame < most).collect())
}
