//! Clips as ranges of frames.

use crate::clips::FrameClip;
use alloc::vec::Vec;
use meshwright_scene::merge::{Frames, Match, Runs, named, pick};
use meshwright_scene::{Budget, Clip, LimitExceeded, Scene};

/// The clips of the three models. Native ones are ranges of the native model's frames.
pub(super) struct Clips<'a> {
    pub native: Vec<FrameClip>,
    pub before: &'a [FrameClip],
    pub after: &'a [FrameClip],
    /// For each clip of after the native one.
    pub found: Match,
}

/// Bytes of a name that was read as Latin-1.
fn bytes(name: &str) -> Vec<u8> {
    name.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

impl<'a> Clips<'a> {
    /// The clips as ranges of frames.
    pub(super) fn runs(&self) -> Runs {
        let list = |clips: &[FrameClip]| clips.iter().map(FrameClip::frames).collect();
        let (native, before, after) = (list(&self.native), list(self.before), list(self.after));
        Runs { native, before, after, found: self.found.clone() }
    }

    /// The clips of a native scene and what was made of them and of the edited ones, in their order.
    pub(super) fn of(
        scene: &Scene,
        before: &'a [FrameClip],
        after: &'a [FrameClip],
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let mut native: Vec<FrameClip> = budget.reserve("clips", scene.clips.len())?;
        budget.charge_items("clips", (before.len() + after.len()) as u64, size_of::<&[u8]>() * 2)?;
        let clip = |c: &Clip| FrameClip {
            name: bytes(&c.name),
            start: c.start,
            length: c.frames,
            fps: c.rate,
            looping: c.looping,
        };
        native.extend(scene.clips.iter().filter(|c| c.motion.frames() > 0).map(clip));
        let names = |clips: &'a [FrameClip]| clips.iter().map(|c| c.name.as_slice()).collect::<Vec<_>>();
        let alike = |b: usize, a: usize| {
            before.get(b).zip(after.get(a)).is_some_and(|(b, a)| {
                (b.length, b.fps.to_bits(), b.looping) == (a.length, a.fps.to_bits(), a.looping)
            })
        };
        let found = named(&names(before), &names(after), alike, budget)?;
        Ok(Self { native, before, after, found })
    }

    /// The clips of the result, with what of the native ones was not edited.
    pub(super) fn merged(&self, frames: &Frames) -> Vec<MergedClip> {
        let clip = |(a, (after, start)): (usize, (&FrameClip, &u32))| {
            let found = self.found.get(a).copied().flatten();
            let was = found.and_then(|c| Some((c, self.native.get(c)?.clone())));
            let Some(((_, native), before)) = was.as_ref().zip(found.and_then(|c| self.before.get(c))) else {
                return MergedClip { clip: FrameClip { start: *start, ..after.clone() }, was: None };
            };
            let fps = pick(native.fps.to_bits(), &before.fps.to_bits(), after.fps.to_bits());
            let clip = FrameClip {
                name: pick(native.name.clone(), &before.name, after.name.clone()),
                start: *start,
                length: after.length,
                fps: f32::from_bits(fps),
                looping: pick(native.looping, &before.looping, after.looping),
            };
            MergedClip { clip, was }
        };
        self.after.iter().zip(&frames.starts).enumerate().map(clip).collect()
    }
}

impl MergedClip {
    /// A clip, and the one that it was.
    #[must_use]
    pub const fn new(clip: FrameClip, was: Option<(usize, FrameClip)>) -> Self {
        Self { clip, was }
    }
}

/// A clip of the result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedClip {
    /// The clip; its frames are those of the result.
    pub clip: FrameClip,
    /// The clip of the native scene that it was, by number and as it was there.
    pub was: Option<(usize, FrameClip)>,
}
