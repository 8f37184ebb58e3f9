//! At which equal distances the keys of a clip lie that a tool sampled.

use crate::motion::{Channel, Clip, Motion};

/// The frames of keys at equal distances; one that holds the last value for less than such a distance does not count.
fn even<T: PartialEq>(keys: &Channel<T>) -> Option<&[f32]> {
    let count = keys.frames.len();
    let ([first, second, ..], [.., before, last]) = (&keys.frames[..], &keys.frames[..]) else {
        return Some(&keys.frames);
    };
    let short = f64::from(last - before) < 0.99 * f64::from(second - first);
    let held = keys.values.last() == keys.values.get(count.checked_sub(2)?);
    let own = if short && held { keys.frames.get(..count.checked_sub(1)?)? } else { &keys.frames[..] };
    let (_, step) = grid(own)?;
    let at = |(k, frame): (u32, &f32)| (f64::from(*frame) - f64::from(k) * step).abs() <= 1e-2 * step;
    (own.len() <= 2 || (0_u32..).zip(own).all(at)).then_some(own)
}

/// How many keys there are, and how many frames lie between two.
fn grid(frames: &[f32]) -> Option<(u32, f64)> {
    let count = u32::try_from(frames.len()).ok()?;
    Some((count, f64::from(*frames.last()?) / f64::from(count.checked_sub(1)?.max(1))))
}

/// How many keys the channels of a clip have that have more than two, and how many frames lie between them, where all
/// of these have equally many at equal distances.
pub(super) fn steps(clip: &Clip) -> Option<(u32, f64)> {
    let Motion::Tracks(tracks) = &clip.motion else { return None };
    let mut found: Option<(u32, f64)> = None;
    for track in tracks {
        let own = [even(&track.translation)?, even(&track.rotation)?, even(&track.scale)?];
        for (count, step) in own.into_iter().filter(|list| list.len() > 2).filter_map(grid) {
            match found {
                Some((other, by)) if other != count || (step - by).abs() > 1e-2 * by => return None,
                _ => found = Some((count, step)),
            }
        }
    }
    found.filter(|(_, step)| *step > 0.0)
}
