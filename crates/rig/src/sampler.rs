//! Sampling of clips by the rules of their formats.
#![allow(clippy::arithmetic_side_effects, reason = "floats in vectors and matrices")]

use crate::error::RigError;
use crate::interpolation::{self, TrsParts};
use crate::matrix::Matrix;
use crate::rig::Rig;
use crate::timing::Timing;
use alloc::format;
use alloc::vec::Vec;
use meshwright_scene::{Channel, Clip, Interpolation, Motion, PoseSet, Scene, Track, Trs};

/// A rule for blending two poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blend {
    /// Blends the elements of local matrices. Fast, but limbs shrink in wide turns.
    Matrix,
    /// Blends translation, rotation and scale. Rotations are blended linearly, the short way, and normalised.
    #[default]
    Rigid,
}

impl Blend {
    pub(crate) const fn rule(self) -> Interpolation {
        match self {
            Self::Matrix => Interpolation::Matrix,
            Self::Rigid => Interpolation::LinearShort,
        }
    }
}

/// Computes the local matrices of a clip at any frame.
#[derive(Clone, Debug)]
pub struct Sampler<'a> {
    clip: &'a Clip,
    timing: Timing,
    rule: Interpolation,
    source: MotionSource<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum MotionSource<'a> {
    Poses {
        set: &'a PoseSet,
        frames: &'a [u32],
    },
    /// The channels of joints with keys.
    Tracks(Vec<JointChannels<'a>>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct JointChannels<'a> {
    pub(crate) joint: usize,
    pub(crate) translation: &'a Channel<[f32; 3]>,
    pub(crate) rotation: &'a Channel<[f32; 4]>,
    pub(crate) scale: &'a Channel<[f32; 3]>,
}

impl<'a> Sampler<'a> {
    /// Prepares a clip of a scene.
    ///
    /// If a joint has several tracks, the last one with keys for a channel counts.
    ///
    /// # Errors
    ///
    /// If the clip does not exist or does not fit its skeleton.
    pub fn new(scene: &'a Scene, clip: usize) -> Result<Self, RigError> {
        let fault = |message| RigError::invalid(format!("clips[{clip}]"), message);
        let clip = scene.clips.get(clip).ok_or_else(|| fault("does not exist"))?;
        let skeleton =
            scene.skeletons.get(clip.skeleton.0).ok_or_else(|| fault("names a missing skeleton"))?;
        let joints = skeleton.joints.len();
        let (source, frames) = match &clip.motion {
            Motion::Poses { set, frames } => {
                let set = scene.pose_sets.get(set.0).ok_or_else(|| fault("names missing poses"))?;
                let known = frames.iter().all(|&f| set.pose(f as usize).is_some());
                if set.joints != joints || !known {
                    return Err(fault("poses do not fit the skeleton"));
                }
                (MotionSource::Poses { set, frames }, frames.len())
            }
            Motion::Tracks(tracks) => {
                let keys = keys(tracks, joints).ok_or_else(|| fault("names a missing joint"))?;
                (MotionSource::Tracks(keys), clip.frames as usize)
            }
        };
        let timing = Timing { frames, rate: clip.rate, looping: clip.looping };
        Ok(Self { clip, timing, rule: clip.interpolation, source })
    }

    /// Sets another rule of blending.
    #[must_use]
    pub const fn with_blend(mut self, blend: Blend) -> Self {
        self.rule = blend.rule();
        self
    }

    /// Returns the clip.
    pub const fn clip(&self) -> &'a Clip {
        self.clip
    }

    /// Writes local matrices at a frame, which may be fractional. A looping clip repeats after `frames` frames;
    /// another is clamped at both ends. NaN counts as frame 0, and so does infinity in a loop. A clip without frames
    /// gives the rest pose.
    ///
    /// At a whole frame of a clip of poses, the result is the stored pose.
    ///
    /// # Errors
    ///
    /// If `rig` is not the skeleton of the clip, or if `locals` does not have one matrix per joint.
    pub fn sample<M: Matrix>(&self, rig: &Rig, frame: f64, locals: &mut [M]) -> Result<(), RigError> {
        rig.copy_rest_to(locals)?;
        if self.timing.frames == 0 {
            return Ok(());
        }
        let frame = self.timing.place(frame);
        match &self.source {
            MotionSource::Poses { set, frames } => {
                RigError::length("poses", rig.joint_count(), set.joints)?;
                self.sample_poses(set, frames, frame, locals);
            }
            MotionSource::Tracks(keys) => {
                let period = self.timing.looping.then_some(self.timing.period());
                for key in keys {
                    let rest = rig
                        .rest_parts()
                        .get(key.joint)
                        .ok_or_else(|| RigError::invalid("rig", "is not the skeleton of the clip"))?;
                    let parts = self.keyed(key, rest, frame, period);
                    if let (Some(parts), Some(out)) = (parts, locals.get_mut(key.joint)) {
                        *out = M::from_f64(&parts.to_matrix());
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes local matrices at a time in seconds; see [`sample`](Self::sample).
    ///
    /// # Errors
    ///
    /// The same as for [`sample`](Self::sample).
    pub fn sample_seconds<M: Matrix>(
        &self,
        rig: &Rig,
        seconds: f64,
        locals: &mut [M],
    ) -> Result<(), RigError> {
        self.sample(rig, self.clip.frame_at(seconds), locals)
    }

    pub(crate) const fn timing(&self) -> Timing {
        self.timing
    }

    pub(crate) const fn source(&self) -> &MotionSource<'a> {
        &self.source
    }

    pub(crate) const fn rule(&self) -> Interpolation {
        self.rule
    }

    fn sample_poses<M: Matrix>(&self, set: &PoseSet, frames: &[u32], frame: f64, locals: &mut [M]) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the frame was placed inside the clip, and cutting it to a whole number is meant"
        )]
        let first = frame as usize;
        #[expect(clippy::cast_precision_loss, reason = "a count of frames is below 2^32")]
        let t = frame - first as f64;
        let pose = |f: usize| set.pose(*frames.get(f)? as usize);
        let Some(a) = pose(first) else { return };
        let next = Some(first.saturating_add(1)).filter(|next| *next < frames.len()).unwrap_or(0);
        let b = if t > 0.0 { pose(next) } else { None };
        let Some(b) = b else {
            for (out, a) in locals.iter_mut().zip(a) {
                *out = M::from_affine(a);
            }
            return;
        };
        for (out, (a, b)) in locals.iter_mut().zip(a.iter().zip(b)) {
            *out = match self.rule {
                Interpolation::Matrix => M::from_affine(a).lerp(&M::from_affine(b), t),
                // The sign of a quaternion from a matrix is arbitrary, so rotations take the short way.
                Interpolation::Linear | Interpolation::LinearShort => {
                    rigid(a, b, t, Interpolation::LinearShort)
                }
                Interpolation::Spherical => rigid(a, b, t, Interpolation::Spherical),
            };
        }
    }

    fn keyed(
        &self,
        keys: &JointChannels<'_>,
        rest: &Trs,
        frame: f64,
        period: Option<f64>,
    ) -> Option<TrsParts> {
        let translation = interpolation::vector(keys.translation, frame, period);
        let rotation = interpolation::rotation(keys.rotation, frame, period, self.rule);
        let scale = interpolation::vector(keys.scale, frame, period);
        // A joint without keys keeps its rest matrix, with shear.
        if translation.is_none() && rotation.is_none() && scale.is_none() {
            return None;
        }
        let rest = TrsParts::from(rest);
        Some(TrsParts {
            translation: translation.unwrap_or(rest.translation),
            rotation: rotation.unwrap_or(rest.rotation),
            scale: scale.unwrap_or(rest.scale),
        })
    }
}

/// Returns the channels of joints with keys; `None` if a track refers to a missing joint.
fn keys(tracks: &[Track], joints: usize) -> Option<Vec<JointChannels<'_>>> {
    let mut keys: Vec<Option<JointChannels<'_>>> = alloc::vec![None; joints];
    for track in tracks {
        let slot = keys.get_mut(track.joint)?;
        let old = slot.unwrap_or(JointChannels {
            joint: track.joint,
            translation: &track.translation,
            rotation: &track.rotation,
            scale: &track.scale,
        });
        *slot = Some(JointChannels {
            joint: track.joint,
            translation: last(old.translation, &track.translation),
            rotation: last(old.rotation, &track.rotation),
            scale: last(old.scale, &track.scale),
        });
    }
    Some(keys.into_iter().flatten().collect())
}

fn last<'a, T>(old: &'a Channel<T>, new: &'a Channel<T>) -> &'a Channel<T> {
    if new.is_empty() || new.frames.is_empty() { old } else { new }
}

/// Blends two local matrices part by part.
pub(crate) fn rigid<M: Matrix>(
    a: &meshwright_scene::Affine,
    b: &meshwright_scene::Affine,
    t: f64,
    rule: Interpolation,
) -> M {
    let (a, b) = (Trs::from_affine(a).0, Trs::from_affine(b).0);
    let lerp = |a, b| interpolation::wide(a) * (1.0 - t) + interpolation::wide(b) * t;
    let quat = |q: [f32; 4]| glam::DQuat::from_array(q.map(f64::from));
    let parts = TrsParts {
        translation: lerp(a.translation, b.translation),
        rotation: interpolation::blend_rotation(quat(a.rotation), quat(b.rotation), t, rule),
        scale: lerp(a.scale, b.scale),
    };
    M::from_f64(&parts.to_matrix())
}
