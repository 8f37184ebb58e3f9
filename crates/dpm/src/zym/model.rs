//! The content of a ZYM file.

use super::layout::ZymLayout;
use crate::bone::{Bone, BonePose, Name};
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::layout::Retained;
use meshwright_core::{F32, bit_fields};

bit_fields! {
    /// The flags of a scene.
    pub(crate) mod scene_flags: 32 {
        /// Bits without a known meaning.
        UNKNOWN = 31..1;
        /// True if the clip plays only once.
        NO_LOOP = 0..0;
    }
}

/// A Zymotic model, type 1: skeletal poses.
///
/// Every field has the bits of the file. The layout of the file is stored as in [`Dpm`](crate::Dpm). Space:
/// right-handed, x forward, y left, z up, without a unit.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Zym {
    /// The stored bounds of all scenes.
    pub bounds: ZymBounds,
    /// The clips. Pose 0, the first pose of the first scene, is the bind pose.
    pub scenes: Vec<ZymScene>,
    /// The poses one after the other, each with a matrix per bone: bone `b` of pose `p` is at `p *
    /// bones.len() + b`.
    pub poses: Vec<BonePose>,
    /// The bones, parents before their children. Bit 0 of the flags means that the bone is shared.
    pub bones: Vec<Bone>,
    /// Influences per vertex: 1 in every known file, and in every file that a strict reader accepts.
    pub counts: Vec<u32>,
    /// The influences of vertex 0, then those of vertex 1, and so on.
    pub influences: Vec<ZymInfluence>,
    /// Texture coordinates, one per vertex; `v` = 0 is the **bottom** of the image.
    pub texcoords: Vec<[F32; 2]>,
    /// The triangles by shader. All shaders share the vertices.
    pub runs: Vec<ZymRun>,
    /// A byte for each triangle of all runs, for use by game code.
    pub trizone: Vec<u8>,
    pub(crate) layout: Retained<ZymLayout>,
}

impl fmt::Debug for Zym {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zym")
            .field("bounds", &self.bounds)
            .field("scenes", &self.scenes)
            .field("bones", &self.bones)
            .field("poses", &self.pose_count())
            .field("vertices", &self.counts.len())
            .field("runs", &self.runs)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// A bounding box, and a radius.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZymBounds {
    /// The minimum coordinates.
    pub mins: [F32; 3],
    /// The maximum coordinates.
    pub maxs: [F32; 3],
    /// The **square** of the radius of a sphere around the origin.
    pub radius_squared: F32,
}

impl ZymBounds {
    /// Returns all seven numbers in file order.
    pub fn values(&self) -> impl Iterator<Item = F32> + Clone {
        self.mins.into_iter().chain(self.maxs).chain([self.radius_squared])
    }
}

/// A clip: a range of poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZymScene {
    /// The name.
    pub name: Name,
    /// The stored bounds of its poses.
    pub bounds: ZymBounds,
    /// Poses per second.
    pub framerate: F32,
    /// Flags.
    pub flags: SceneFlags,
    /// The first pose.
    pub start: u32,
    /// The number of poses, at least 1.
    pub length: u32,
}

/// Flags of a [`ZymScene`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SceneFlags(pub u32);

impl SceneFlags {
    /// True if the clip stops at its last pose.
    pub const NO_LOOP: Self = Self(scene_flags::NO_LOOP.mask32());

    /// Returns true if all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the bits without a known meaning.
    pub const fn unknown(self) -> u32 {
        self.0 & scene_flags::UNKNOWN.mask32()
    }
}

impl fmt::Debug for SceneFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The influence of a bone on a vertex: the position in the bone's space. If a vertex has several
/// influences, their weights are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ZymInfluence {
    /// The number of the bone.
    pub bone: u32,
    /// The position in the bone's space.
    pub origin: [F32; 3],
}

/// Triangles of one shader.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ZymRun {
    /// The shader; may be empty.
    pub shader: Name,
    /// The triangles, counter-clockwise from outside. Indices refer to the vertices of the file.
    pub triangles: Vec<[u32; 3]>,
}

impl fmt::Debug for ZymRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZymRun")
            .field("shader", &self.shader)
            .field("triangles", &self.triangles.len())
            .finish()
    }
}

impl Zym {
    /// Returns a pose as a matrix per bone; `None` if the pose does not exist.
    pub fn pose(&self, index: usize) -> Option<&[BonePose]> {
        let start = index.checked_mul(self.bones.len())?;
        self.poses.get(start..start.checked_add(self.bones.len())?)
    }

    /// Returns the number of poses.
    pub fn pose_count(&self) -> usize {
        self.poses.len().checked_div(self.bones.len()).unwrap_or(0)
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.counts.len()
    }

    /// Returns the number of triangles of all runs.
    pub fn triangle_count(&self) -> usize {
        self.runs.iter().map(|r| r.triangles.len()).sum()
    }

    /// Returns the influences of each vertex. A count beyond the end of the list is reduced to the rest of
    /// the list.
    pub fn vertices(&self) -> impl Iterator<Item = &[ZymInfluence]> {
        let mut rest = self.influences.as_slice();
        self.counts.iter().map(move |&count| {
            let (own, next) = rest.split_at_checked(count as usize).unwrap_or((rest, &[]));
            rest = next;
            own
        })
    }

    /// Discards the layout of the file, so that the model is written with its lumps in the usual order after
    /// the header.
    pub fn discard_layout(&mut self) {
        self.layout = Retained::None;
    }

    /// Returns true if the model would be written in its file's layout, and this differs from the usual one.
    pub fn has_own_layout(&self) -> bool {
        self.layout.original().is_some()
    }
}
