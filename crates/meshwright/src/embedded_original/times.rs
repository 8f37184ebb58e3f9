//! Restores the native rate of clips that an editor exported at its own rate.

use meshwright_core::SortedSet;
use meshwright_edit::Patch;
use meshwright_scene::{Clip, ConvertError, Loss, Motion, Scene};
use std::num::NonZeroU16;

/// The difference of the ends of two clips that does not count, in seconds.
const SAME_TIME: f64 = 1e-4;

/// The rate at which Blender samples, unless told otherwise.
const EDITOR_RATE: f64 = 24.0;

/// Restores the native rate of clips that the native scene has too, if their keys have another rate: the one given,
/// otherwise 24 if the durations of all clips agree with it.
pub(super) fn undo(edited: &mut Scene, native: &Scene, said: Option<NonZeroU16>) {
    let pairs: Vec<_> =
        edited.clips.iter().enumerate().filter_map(|(e, c)| Some((e, partner(c, native)?))).collect();
    let rate = match said {
        Some(rate) => f64::from(rate.get()),
        None if all_at(EDITOR_RATE, edited, &pairs) => EDITOR_RATE,
        None => return,
    };
    for (e, partner) in pairs {
        if let Some(clip) = edited.clips.get_mut(e) {
            played(clip, rate, partner.rate);
        }
    }
}

/// Returns the native clip of a name, with or without the name of a skeleton before it.
fn partner<'s>(clip: &Clip, native: &'s Scene) -> Option<&'s Clip> {
    let bare = clip.name.rsplit_once('|').map_or(clip.name.as_str(), |(_, own)| own);
    let of = |name: &str| native.clips.iter().find(|c| c.name == name);
    of(&clip.name).or_else(|| of(bare))
}

/// Returns true if every clip has its native frames at this rate, and some would not have them at its own.
fn all_at(rate: f64, edited: &Scene, pairs: &[(usize, &Clip)]) -> bool {
    let mut other = false;
    for (e, native) in pairs {
        let Some(clip) = edited.clips.get(*e) else { continue };
        let seconds = clip.seconds(f64::from(clip.frames.saturating_sub(1)));
        let frames = f64::from(native.frames.saturating_sub(1));
        if (seconds - frames / rate).abs() > SAME_TIME {
            return false;
        }
        other |= (seconds - frames / f64::from(native.rate)).abs() > 1.0 / rate;
    }
    other
}

/// Converts keys at one rate to frames of another.
pub(super) fn played(clip: &mut Clip, keyed: f64, rate: f32) {
    let factor = keyed / f64::from(clip.rate);
    #[expect(clippy::cast_possible_truncation, reason = "frames are held in 32 bits")]
    let moved = |frames: &mut Vec<f32>| frames.iter_mut().for_each(|f| *f = (f64::from(*f) * factor) as f32);
    if factor != 1.0
        && let Motion::Tracks(tracks) = &mut clip.motion
    {
        for track in tracks {
            moved(&mut track.translation.frames);
            moved(&mut track.rotation.frames);
            moved(&mut track.scale.frames);
        }
        let last = (f64::from(clip.frames.saturating_sub(1)) * factor).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let last = last as u32;
        clip.frames = last.saturating_add(1);
    }
    clip.rate = rate;
}

/// Returns the clips of an edited scene that are new, by their numbers there and in the scene of the patch.
fn new_clips(edited: &Scene, patch: &Patch) -> Vec<usize> {
    let new = patch.clips.iter().zip(&patch.scene.clips).filter(|(own, _)| own.original.is_none());
    let names: SortedSet<&str> = new.map(|(_, clip)| clip.name.as_str()).collect();
    let clips = edited.clips.iter().enumerate();
    clips.filter(|(_, clip)| names.contains(clip.name.as_str())).map(|(e, _)| e).collect()
}

/// Finds renamed clips by their motion: keys at an editor's rate are converted to the rate of a missing clip with the
/// same number of frames.
pub(super) fn renamed(
    edited: &mut Scene,
    native: &Scene,
    keyed: f64,
    patch: &mut Patch,
    find: impl Fn(&Scene) -> Result<Patch, ConvertError>,
) -> Result<(), ConvertError> {
    let there: SortedSet<usize> = patch.clips.iter().filter_map(|own| own.original).collect();
    let gone: Vec<&Clip> =
        native.clips.iter().enumerate().filter(|(n, _)| !there.contains(n)).map(|(_, clip)| clip).collect();
    let rates: SortedSet<u32> = gone.iter().map(|clip| clip.rate.to_bits()).collect();
    for rate in rates {
        let new = new_clips(edited, patch);
        let fits = |clip: &Clip| gone.iter().any(|n| n.rate.to_bits() == rate && n.frames == clip.frames);
        let tried: Vec<(usize, Clip)> = new
            .into_iter()
            .filter_map(|e| Some((e, edited.clips.get(e).filter(|c| fits(c))?.clone())))
            .collect();
        if tried.is_empty() {
            continue;
        }
        for (e, _) in &tried {
            edited.clips.get_mut(*e).into_iter().for_each(|clip| played(clip, keyed, f32::from_bits(rate)));
        }
        let made = find(edited)?;
        let still = new_clips(edited, &made);
        let wrong: Vec<_> = tried.iter().filter(|(e, _)| still.contains(e)).collect();
        for (e, was) in &wrong {
            edited.clips.get_mut(*e).into_iter().for_each(|clip| clip.clone_from(was));
        }
        if wrong.len() < tried.len() {
            *patch = if wrong.is_empty() { made } else { find(edited)? };
        }
    }
    Ok(())
}

/// Converts new clips from an editor's rate to the common rate of the original's clips. Their duration stays.
pub(super) fn resampled(
    edited: &mut Scene,
    native: &Scene,
    keyed: f64,
    patch: &mut Patch,
    find: impl Fn(&Scene) -> Result<Patch, ConvertError>,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    let Some(rate) = native.clips.first().map(|clip| clip.rate) else { return Ok(()) };
    if native.clips.iter().any(|clip| clip.rate.to_bits() != rate.to_bits()) || f64::from(rate) == keyed {
        return Ok(());
    }
    let mut count = 0_usize;
    for e in new_clips(edited, patch) {
        let Some(clip) = edited.clips.get_mut(e).filter(|clip| f64::from(clip.rate) == keyed) else {
            continue;
        };
        played(clip, f64::from(rate), rate);
        count = count.saturating_add(1);
    }
    if count > 0 {
        *patch = find(edited)?;
        let message = format!("new clips got {rate} frames per second, the rate of the original's clips");
        losses.push(Loss::note("clip-resampled", "clips", message).with_count(count, "clip", "clips"));
    }
    Ok(())
}
