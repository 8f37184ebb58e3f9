//! Clips: named motions of a skeleton.

use crate::model::extra::Extra;
use crate::model::ids::SkeletonId;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::Affine;

/// An index into [`Scene::pose_sets`](crate::Scene::pose_sets).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoseSetId(pub usize);

/// Complete poses of one skeleton, shared by the clips that use them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseSet {
    /// The number of joints in a pose.
    pub joints: usize,
    /// Local matrices, pose by pose: joint `j` of pose `p` is `locals[p * joints + j]`.
    pub locals: Vec<Affine>,
}

impl PoseSet {
    /// Returns the local matrices of one pose.
    pub fn pose(&self, index: usize) -> Option<&[Affine]> {
        let start = index.checked_mul(self.joints)?;
        self.locals.get(start..start.checked_add(self.joints)?)
    }

    /// Returns the number of poses.
    pub fn len(&self) -> usize {
        self.locals.len().checked_div(self.joints).unwrap_or(0)
    }

    /// Returns true if the number of poses is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A named motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Clip {
    /// The clip's name.
    pub name: String,
    /// The skeleton it moves.
    pub skeleton: SkeletonId,
    /// Frames per second.
    pub rate: f32,
    /// The number of frames. A looping clip blends the last frame into the first, so its period is `frames /
    /// rate`. Another clip ends at frame `frames - 1`.
    pub frames: u32,
    /// True if the clip loops.
    pub looping: bool,
    /// The file's frame number of the first frame; 0 if the format counts the frames of each clip
    /// separately.
    pub start: u32,
    /// The interpolation between two keys.
    pub interpolation: Interpolation,
    /// The motion itself.
    pub motion: Motion,
    /// Native fields, such as events.
    pub extras: Option<Extra>,
}

impl Clip {
    /// Returns a clip that plays once and blends rotations linearly, the short way. If the motion has
    /// tracks, the last key is the last frame.
    #[must_use]
    pub fn new(name: impl Into<String>, skeleton: SkeletonId, rate: f32, motion: Motion) -> Self {
        let frames = motion.frames();
        let name = name.into();
        let interpolation = Interpolation::LinearShort;
        Self { name, skeleton, rate, frames, looping: false, start: 0, interpolation, motion, extras: None }
    }

    meshwright_core::setters! {
        /// Sets the number of frames.
        with_frames(frames: u32): frames;
        /// Sets whether the clip loops.
        with_looping(looping: bool): looping;
        /// Sets the file's frame number of the first frame.
        with_start(start: u32): start;
        /// Sets the native fields.
        with_extras(extras: impl Into<Option<Extra>>): extras;
    }

    /// Sets the interpolation.
    #[must_use]
    pub const fn with_interpolation(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self
    }

    /// Returns the time of a frame, in seconds.
    #[must_use]
    pub fn seconds(&self, frame: f64) -> f64 {
        frame / f64::from(self.rate)
    }

    /// Returns the frame at a time in seconds. It may be between two whole frames.
    #[must_use]
    pub fn frame_at(&self, seconds: f64) -> f64 {
        seconds * f64::from(self.rate)
    }

    /// Returns the end of the clip as a frame: for a looping clip the frame at which it starts again,
    /// otherwise the last frame.
    #[must_use]
    pub fn end(&self) -> u32 {
        if self.looping { self.frames } else { self.frames.saturating_sub(1) }
    }

    /// Returns the duration of the clip, in seconds.
    #[must_use]
    pub fn duration_seconds(&self) -> f64 {
        self.seconds(f64::from(self.end()))
    }
}

/// The interpolation of rotations between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Components are blended linearly and renormalised. The signs of the keys decide the direction, even if
    /// it is the long way.
    Linear,
    /// As `Linear`, but signs are changed such that the short way is taken.
    #[default]
    LinearShort,
    /// Spherical interpolation, the short way.
    Spherical,
    /// The elements of local matrices are blended linearly.
    Matrix,
}

/// The kind of motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// A complete pose for every frame.
    Poses {
        /// The set of poses.
        set: PoseSetId,
        /// The pose of each frame.
        frames: Vec<u32>,
    },
    /// Keys per joint and channel.
    Tracks(Vec<Track>),
}

impl Motion {
    /// Returns the number of frames, up to the last pose or key.
    #[must_use]
    pub fn frames(&self) -> u32 {
        match self {
            Self::Poses { frames, .. } => u32::try_from(frames.len()).unwrap_or(u32::MAX),
            Self::Tracks(tracks) => {
                let last = |t: &Track| {
                    let ends = [&t.translation.frames, &t.rotation.frames, &t.scale.frames].map(|f| f.last());
                    ends.into_iter().flatten().fold(f32::NEG_INFINITY, |m, f| m.max(*f))
                };
                let end = tracks.iter().map(last).fold(f32::NEG_INFINITY, f32::max);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates; no key gives 0"
                )]
                let count = (f64::from(end) + 1.0).max(0.0) as u32;
                count
            }
        }
    }
}

/// The keys of one joint. A channel without keys keeps the joint's rest value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// The joint.
    pub joint: usize,
    /// Translations relative to the parent.
    pub translation: Channel<[f32; 3]>,
    /// Rotations `[x, y, z, w]` relative to the parent, of unit length.
    pub rotation: Channel<[f32; 4]>,
    /// Scales.
    pub scale: Channel<[f32; 3]>,
}

/// Keys of one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channel<T> {
    /// The frame of each key, in strictly ascending order.
    pub frames: Vec<f32>,
    /// The value of each key.
    pub values: Vec<T>,
}

impl<T> Channel<T> {
    /// Returns a channel without keys.
    pub const fn new() -> Self {
        Self { frames: Vec::new(), values: Vec::new() }
    }

    /// Appends a key.
    pub fn push(&mut self, frame: f32, value: T) {
        self.frames.push(frame);
        self.values.push(value);
    }

    /// Returns true if the number of keys is 0.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
