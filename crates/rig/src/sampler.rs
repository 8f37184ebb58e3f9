//! A clip prepared.
#![allow(clippy::arithmetic_side_effects, reason = "floats in vectors and matrices")]

use crate::error::RigError;
use crate::interpolation::{self, Parts};
use crate::matrix::Matrix;
use crate::rig::Rig;
use crate::timing::Timing;
use alloc::format;
use alloc::vec::Vec;
use meshwright_scene::{Channel, Clip, Interpolation, Motion, PoseSet, Scene, Track, Trs};

/// How two poses are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blend {
    /// The elements of local matrices are blended. Fast; limbs shrink in wide turns.
    Matrix,
    /// Local matrices are taken apart; translation and scale are blended, and rotations linearly with
    /// renormalisation, the short way.
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
    source: Source<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum Source<'a> {
    Poses {
        set: &'a PoseSet,
        frames: &'a [u32],
    },
    /// The channels of each joint that has keys.
    Tracks(Vec<Keys<'a>>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'a> {
    pub(crate) joint: usize,
    pub(crate) translation: &'a Channel<[f32; 3]>,
    pub(crate) rotation: &'a Channel<[f32; 4]>,
    pub(crate) scale: &'a Channel<[f32; 3]>,
}

impl<'a> Sampler<'a> {
    /// Prepares a clip of a scene.
    ///
    /// Of several tracks for one joint, the last that has keys for a channel counts.
    ///
    /// # Errors
    ///
    /// Where the clip does not exist or does not fit its skeleton.
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
                (Source::Poses { set, frames }, frames.len())
            }
            Motion::Tracks(tracks) => {
                let keys = keys(tracks, joints).ok_or_else(|| fault("names a missing joint"))?;
                (Source::Tracks(keys), clip.frames as usize)
            }
        };
        let timing = Timing { frames, rate: clip.rate, looping: clip.looping };
        Ok(Self { clip, timing, rule: clip.interpolation, source })
    }

    /// The same clip, blended by another rule than its own.
    #[must_use]
    pub const fn with_blend(mut self, blend: Blend) -> Self {
        self.rule = blend.rule();
        self
    }

    /// The clip.
    pub const fn clip(&self) -> &'a Clip {
        self.clip
    }

    /// Local matrices at a frame, which may lie between two: a looping clip repeats with the period `frames`,
    /// another is held before its first and behind its last frame. A frame that is not a number is frame 0, and
    /// so is an infinite one of a looping clip. A clip without frames gives the rest pose.
    ///
    /// At a whole frame of a clip of poses the result is the pose as it is stored.
    ///
    /// # Errors
    ///
    /// Where `rig` is not the skeleton of the clip, or `locals` has not one matrix per joint.
    pub fn sample<M: Matrix>(&self, rig: &Rig, frame: f64, locals: &mut [M]) -> Result<(), RigError> {
        rig.copy_rest_to(locals)?;
        if self.timing.frames == 0 {
            return Ok(());
        }
        let frame = self.timing.place(frame);
        match &self.source {
            Source::Poses { set, frames } => {
                RigError::length("poses", rig.joint_count(), set.joints)?;
                self.sample_poses(set, frames, frame, locals);
            }
            Source::Tracks(keys) => {
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

    /// The same at a time in seconds, by the rate of the clip.
    ///
    /// # Errors
    ///
    /// As [`sample`](Self::sample).
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

    pub(crate) const fn source(&self) -> &Source<'a> {
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
                // Signs of quaternions that come from matrices mean nothing: the short way.
                Interpolation::Linear | Interpolation::LinearShort => {
                    rigid(a, b, t, Interpolation::LinearShort)
                }
                Interpolation::Spherical => rigid(a, b, t, Interpolation::Spherical),
            };
        }
    }

    fn keyed(&self, keys: &Keys<'_>, rest: &Trs, frame: f64, period: Option<f64>) -> Option<Parts> {
        let translation = interpolation::vector(keys.translation, frame, period);
        let rotation = interpolation::rotation(keys.rotation, frame, period, self.rule);
        let scale = interpolation::vector(keys.scale, frame, period);
        // A joint whose tracks are all empty keeps its rest matrix, shear included.
        if translation.is_none() && rotation.is_none() && scale.is_none() {
            return None;
        }
        let rest = Parts::from(rest);
        Some(Parts {
            translation: translation.unwrap_or(rest.translation),
            rotation: rotation.unwrap_or(rest.rotation),
            scale: scale.unwrap_or(rest.scale),
        })
    }
}

/// The channels of each joint that has keys; `None` where a track names a missing joint.
fn keys(tracks: &[Track], joints: usize) -> Option<Vec<Keys<'_>>> {
    let mut keys: Vec<Option<Keys<'_>>> = alloc::vec![None; joints];
    for track in tracks {
        let slot = keys.get_mut(track.joint)?;
        let old = slot.unwrap_or(Keys {
            joint: track.joint,
            translation: &track.translation,
            rotation: &track.rotation,
            scale: &track.scale,
        });
        *slot = Some(Keys {
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
    let parts = Parts {
        translation: lerp(a.translation, b.translation),
        rotation: interpolation::blend_rotation(quat(a.rotation), quat(b.rotation), t, rule),
        scale: lerp(a.scale, b.scale),
    };
    M::from_f64(&parts.to_matrix())
}
