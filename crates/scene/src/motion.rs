//! Clips: named motions of a skeleton.

use crate::extra::Extra;
use crate::model::SkeletonId;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::Affine;

/// An index into [`Scene::pose_sets`](crate::Scene::pose_sets).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoseSetId(pub usize);

/// Complete poses of one skeleton, shared by the clips that use them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseSet {
    /// How many joints a pose has.
    pub joints: usize,
    /// Local matrices, pose by pose: joint `j` of pose `p` is `locals[p * joints + j]`.
    pub locals: Vec<Affine>,
}

impl PoseSet {
    /// The local matrices of one pose.
    pub fn pose(&self, index: usize) -> Option<&[Affine]> {
        let start = index.checked_mul(self.joints)?;
        self.locals.get(start..start.checked_add(self.joints)?)
    }

    /// How many poses there are.
    pub fn len(&self) -> usize {
        self.locals.len().checked_div(self.joints).unwrap_or(0)
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A named motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// The clip's name.
    pub name: String,
    /// The skeleton it moves.
    pub skeleton: SkeletonId,
    /// Frames per second.
    pub rate: f32,
    /// How many frames there are. A looping clip blends the last into the first, so that its period is
    /// `frames / rate`; another ends at frame `frames - 1`.
    pub frames: u32,
    /// Whether it loops.
    pub looping: bool,
    /// How values between two keys are found.
    pub interpolation: Interpolation,
    /// The motion itself.
    pub motion: Motion,
    /// Native fields, such as events.
    pub extras: Option<Extra>,
}

impl Clip {
    /// The time at a frame, in seconds.
    #[must_use]
    pub fn seconds(&self, frame: f64) -> f64 {
        frame / f64::from(self.rate)
    }

    /// The frame at a time in seconds, which may lie between two.
    #[must_use]
    pub fn frame_at(&self, seconds: f64) -> f64 {
        seconds * f64::from(self.rate)
    }

    /// The last frame: where a looping clip has come round, or where another ends.
    #[must_use]
    pub fn end(&self) -> u32 {
        if self.looping { self.frames } else { self.frames.saturating_sub(1) }
    }

    /// How long the clip takes once, in seconds.
    #[must_use]
    pub fn duration_seconds(&self) -> f64 {
        self.seconds(f64::from(self.end()))
    }
}

/// How a format finds rotations between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Components are blended linearly and renormalised, the way the keys' signs say, the long way included.
    Linear,
    /// As `Linear`, with signs changed so that the short way is taken.
    #[default]
    LinearShort,
    /// Spherical, the short way.
    Spherical,
    /// The elements of local matrices are blended.
    Matrix,
}

/// What moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// A complete pose for every frame.
    Poses {
        /// Where the poses are.
        set: PoseSetId,
        /// The pose of each frame.
        frames: Vec<u32>,
    },
    /// Keys per joint and channel.
    Tracks(Vec<Track>),
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
    /// The frame of each key, strictly rising.
    pub frames: Vec<f32>,
    /// The value of each key.
    pub values: Vec<T>,
}

impl<T> Channel<T> {
    /// A channel without keys.
    pub const fn new() -> Self {
        Self { frames: Vec::new(), values: Vec::new() }
    }

    /// Adds a key behind all others.
    pub fn push(&mut self, frame: f32, value: T) {
        self.frames.push(frame);
        self.values.push(value);
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
