//! Clips whose keys lie at the rate of an editor instead of their own.

use meshwright_scene::{Clip, Motion, Scene};
use std::num::NonZeroU16;

/// Seconds that ends of clips differ by without meaning it.
const SAME_TIME: f64 = 1e-4;

/// The rate at which Blender samples, unless told otherwise.
const EDITOR_RATE: f64 = 24.0;

/// Gives the clips that the native scene has too their native rate, where their keys lie at another: at the one that is
/// said, else at 24 where all of them are as long as that makes them.
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

/// The native clip of a name, as it is or behind that of a skeleton.
fn partner<'s>(clip: &Clip, native: &'s Scene) -> Option<&'s Clip> {
    let bare = clip.name.rsplit_once('|').map_or(clip.name.as_str(), |(_, own)| own);
    let of = |name: &str| native.clips.iter().find(|c| c.name == name);
    of(&clip.name).or_else(|| of(bare))
}

/// True where every clip has its native frames at this rate, and some would not have them at its own.
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

/// Lets keys that lie at one rate be frames of another.
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
