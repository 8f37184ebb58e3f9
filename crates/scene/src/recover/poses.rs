//! Poses of edited clips with the native axes, and how they differ from native ones.

use super::skeleton::{Placed, nearest_kept};
use super::{At, Place, Tolerance, Work};
use crate::convert::ConvertError;
use crate::motion::Clip;
use crate::sample::Sampler;
use crate::skeleton::Skeleton;
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;
use meshwright_core::math::quat;
use meshwright_core::math::{Affine64, Trs64, distance};

/// Seconds that ends of clips differ by without meaning it.
pub(super) const SAME_TIME: f64 = 1e-4;

/// The longest step of a tool that cuts clips to its own whole frames, in seconds.
const LONGEST_STEP: f64 = 1.0 / 23.9;

/// How much of a native clip an edited one lasts.
pub(super) struct Length {
    /// Seconds to its last frame.
    pub(super) open: f64,
    /// Seconds at the end of the native clip that it does not have; below 0 where it is longer.
    pub(super) missing: f64,
}

impl Length {
    pub(super) fn new(exported: &Sampler<'_, '_>, edited: &Sampler<'_, '_>) -> Self {
        let last = |clip: &Clip| clip.seconds(f64::from(clip.frames.saturating_sub(1)));
        let (was, is) = (exported.clip(), edited.clip());
        let open = last(is);
        let ends =
            [was.duration_seconds() - open, was.duration_seconds() - is.duration_seconds(), last(was) - open];
        let missing = ends.into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
        Self { open, missing }
    }

    fn is_same(&self) -> bool {
        self.missing.abs() <= SAME_TIME
    }

    /// Tools with a rate of their own cut what is behind their last whole frame.
    pub(super) fn is_cut(&self) -> bool {
        !self.is_same() && self.missing > 0.0 && self.missing < LONGEST_STEP
    }

    pub(super) fn is_near(&self) -> bool {
        self.is_same() || self.is_cut()
    }
}

/// Where an edited clip has the joints of the result.
pub(super) struct Poser<'w, 's, 'b> {
    work: &'w Work<'s, 'b>,
    placed: &'w Placed,
    pub(super) sampler: Sampler<'s, 'b>,
    /// The edited skeleton.
    pub(super) skeleton: usize,
    source: &'s Skeleton,
    locals: Vec<Affine64>,
    worlds: Vec<Affine64>,
}

impl<'w, 's, 'b> Poser<'w, 's, 'b> {
    pub(super) fn new(
        work: &'w Work<'s, 'b>,
        placed: &'w Placed,
        e: usize,
    ) -> Result<Option<Self>, ConvertError> {
        let sampler = Sampler::new(work.edited, e, work.budget)?;
        let skeleton = sampler.clip().skeleton.0;
        let Some(source) = work.edited.skeletons.get(skeleton) else { return Ok(None) };
        Ok(Some(Self { work, placed, sampler, skeleton, source, locals: Vec::new(), worlds: Vec::new() }))
    }

    pub(super) fn at(&mut self, seconds: f64) -> Result<(), LimitExceeded> {
        let frame = self.sampler.clip().frame_at(seconds);
        // Times of keys are of 32 bits: what is next to a frame is that frame.
        let whole = nearest_whole(frame);
        let frame = if (frame - whole).abs() < 1e-3 { whole } else { frame };
        self.sampler.locals(frame, &mut self.locals)?;
        self.sampler.model(frame, &mut self.worlds)
    }

    /// A joint of the edited skeleton in model space, with the native axes.
    fn world(&self, joint: usize) -> Option<Affine64> {
        let world = *self.worlds.get(joint)?;
        let bone = self.work.bones.get(At { skeleton: self.skeleton, joint });
        Some(match bone.turn {
            Some(turn) => world.after(&Trs64 { rotation: turn, ..Trs64::IDENTITY }.to_affine()),
            None => world,
        })
    }

    /// A joint of the edited skeleton on the joint of the result above it.
    pub(super) fn local(&self, joint: usize) -> Option<Affine64> {
        let at = At { skeleton: self.skeleton, joint };
        let parent = self.source.joints.get(joint)?.parent;
        let turned = |joint: usize| self.work.bones.get(At { joint, ..at }).turn.is_some();
        let own = at.of(&self.placed.edited).copied().flatten()?.skeleton;
        let above = nearest_kept(self.source, at, self.placed)
            .filter(|a| a.skeleton == own)
            .and_then(|a| a.of(&self.placed.result).copied().flatten());
        let above = above.map(|a| a.joint);
        if above == parent && !turned(joint) && !parent.is_some_and(turned) {
            return self.locals.get(joint).copied();
        }
        let world = self.world(joint)?;
        match above {
            Some(above) => Some(self.world(above)?.inverse()?.after(&world)),
            None => Some(world),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "saturates, and frames are few"
)]
pub(super) fn nearest_whole(frame: f64) -> f64 {
    (frame + 0.5) as i64 as f64
}

/// How a joint in a pose differs from where it was: nothing where it does not.
pub(super) fn differs(here: &Affine64, there: &Affine64, tolerance: &Tolerance) -> Option<(f64, f64)> {
    let (a, b) = (Trs64::from_affine(here), Trs64::from_affine(there));
    let angle = quat::angle(a.rotation, b.rotation);
    let moved = distance(a.translation, b.translation);
    let scaled =
        a.scale.iter().zip(b.scale).map(|(a, b)| (a - b).abs() / b.abs().max(1e-6)).fold(0.0, f64::max);
    let exact = here == there;
    let same =
        exact || angle <= tolerance.rotation && moved <= tolerance.translation && scaled <= tolerance.scale;
    (!same).then_some((angle, moved))
}
