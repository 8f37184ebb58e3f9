//! The content of an IQM file.

use crate::layout::Layout;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::layout::Retained;
use meshwright_core::{F32, bit_fields};

bit_fields! {
    /// The flags of an anim.
    pub(crate) mod anim_flags: 32 {
        /// Bits without a known meaning.
        UNKNOWN = 31..1;
        /// True if the clip loops.
        LOOP = 0..0;
    }
}

/// An Inter-Quake Model of version 2 or 1.
///
/// Every field has the bits of the file. Counts and offsets are not fields. The layout of the file is stored
/// privately, so that an unedited model is written byte for byte. Space: right-handed, z up, without a unit;
/// x is forward in games of the Quake family.
#[derive(Clone, PartialEq, Eq)]
pub struct Iqm {
    /// The version, 2 or 1.
    pub version: u32,
    /// Flags of the header, without known meanings.
    pub flags: u32,
    /// All strings as stored, each with a zero byte at its end.
    pub text: Vec<u8>,
    /// The meshes, which are ranges of vertices and triangles.
    pub meshes: Vec<IqmMesh>,
    /// The number of vertices. Each array has a value for every vertex.
    pub vertex_count: u32,
    /// The vertex arrays.
    pub arrays: Vec<VertexArray>,
    /// The triangles, **clockwise** from outside. Indices refer to the vertices of the file.
    pub triangles: Vec<[u32; 3]>,
    /// The neighbours of each triangle across the edges v0 v1, v1 v2, v2 v0. [`Iqm::NO_NEIGHBOUR`] if an edge has no
    /// neighbour, or several.
    pub adjacency: Option<Vec<[u32; 3]>>,
    /// The joints in the rest pose, parents before their children.
    pub joints: Vec<IqmJoint>,
    /// The encoding of the channels of each joint in the frames.
    pub poses: Vec<IqmPose>,
    /// The clips, which are ranges of frames.
    pub anims: Vec<IqmAnim>,
    /// The number of frames; they take no bytes if no channel is stored.
    pub frame_count: u32,
    /// The stored channels, frame by frame and pose by pose. The masks select the stored channels.
    pub frames: Vec<u16>,
    /// The bounds of each frame, if the file has them.
    pub bounds: Option<Vec<IqmBounds>>,
    /// A comment with any content.
    pub comment: Vec<u8>,
    /// The extensions of other tools, in the order of the list.
    pub extensions: Vec<IqmExtension>,
    pub(crate) layout: Retained<Layout>,
}

impl Default for Iqm {
    fn default() -> Self {
        Self {
            version: 2,
            flags: 0,
            text: Vec::new(),
            meshes: Vec::new(),
            vertex_count: 0,
            arrays: Vec::new(),
            triangles: Vec::new(),
            adjacency: None,
            joints: Vec::new(),
            poses: Vec::new(),
            anims: Vec::new(),
            frame_count: 0,
            frames: Vec::new(),
            bounds: None,
            comment: Vec::new(),
            extensions: Vec::new(),
            layout: Retained::None,
        }
    }
}

impl fmt::Debug for Iqm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iqm")
            .field("version", &self.version)
            .field("meshes", &self.meshes)
            .field("arrays", &self.arrays)
            .field("vertices", &self.vertex_count)
            .field("triangles", &self.triangles.len())
            .field("joints", &self.joints.len())
            .field("poses", &self.poses.len())
            .field("anims", &self.anims)
            .field("frames", &self.frame_count)
            .field("extensions", &self.extensions)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// A string, identified by the offset of its first byte in the text. It may begin inside another string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub u32);

/// A mesh: a range of vertices and a range of triangles, drawn with one material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IqmMesh {
    /// The name.
    pub name: TextId,
    /// The name of a texture or a shader.
    pub material: TextId,
    /// The first vertex.
    pub first_vertex: u32,
    /// The number of vertices.
    pub vertex_count: u32,
    /// The first triangle.
    pub first_triangle: u32,
    /// The number of triangles.
    pub triangle_count: u32,
}

/// The meaning of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayKind(pub u32);

impl ArrayKind {
    /// Positions in model space in the rest pose.
    pub const POSITION: Self = Self(0);
    /// Texture coordinates; `v` = 0 is the top of the image.
    pub const TEXCOORD: Self = Self(1);
    /// Normals.
    pub const NORMAL: Self = Self(2);
    /// Tangents; the bitangent is the cross product of normal and tangent, times the fourth component.
    pub const TANGENT: Self = Self(3);
    /// Joint numbers.
    pub const BLEND_INDEXES: Self = Self(4);
    /// Joint weights.
    pub const BLEND_WEIGHTS: Self = Self(5);
    /// Colours.
    pub const COLOR: Self = Self(6);
    /// The first custom kind. The rest of its number is the offset of its name in the text.
    pub const CUSTOM: u32 = 16;

    /// Returns the name of a custom kind.
    #[must_use]
    pub const fn custom(self) -> Option<TextId> {
        match self.0.checked_sub(Self::CUSTOM) {
            Some(name) => Some(TextId(name)),
            None => None,
        }
    }

    /// Returns true for the kinds that the format defines.
    #[must_use]
    pub const fn is_known(self) -> bool {
        self.0 <= Self::COLOR.0
    }
}

/// The storage format of the components of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayFormat(pub u32);

impl ArrayFormat {
    /// Signed 8-bit integers.
    pub const I8: Self = Self(0);
    /// Unsigned 8-bit integers.
    pub const U8: Self = Self(1);
    /// Signed 16-bit integers.
    pub const I16: Self = Self(2);
    /// Unsigned 16-bit integers.
    pub const U16: Self = Self(3);
    /// Signed 32-bit integers.
    pub const I32: Self = Self(4);
    /// Unsigned 32-bit integers.
    pub const U32: Self = Self(5);
    /// IEEE 754 binary16.
    pub const HALF: Self = Self(6);
    /// IEEE 754 binary32.
    pub const FLOAT: Self = Self(7);
    /// IEEE 754 binary64.
    pub const DOUBLE: Self = Self(8);

    /// Returns the size of a component in bytes; `None` for an unknown format.
    #[must_use]
    pub const fn width(self) -> Option<u32> {
        match self.0 {
            0 | 1 => Some(1),
            2 | 3 | 6 => Some(2),
            4 | 5 | 7 => Some(4),
            8 => Some(8),
            _ => None,
        }
    }

    /// Returns true for floating-point formats.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self.0, 6..=8)
    }
}

/// A vertex array: a value for each vertex, as stored bytes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct VertexArray {
    /// The meaning of the values.
    pub kind: ArrayKind,
    /// Flags, without known meanings.
    pub flags: u32,
    /// The storage format of components.
    pub format: ArrayFormat,
    /// The number of components of a value.
    pub components: u32,
    /// The values, one after the other.
    pub data: Vec<u8>,
}

impl fmt::Debug for VertexArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VertexArray")
            .field("kind", &self.kind.0)
            .field("format", &self.format.0)
            .field("components", &self.components)
            .field("bytes", &self.data.len())
            .finish_non_exhaustive()
    }
}

/// A joint in the rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IqmJoint {
    /// The name.
    pub name: TextId,
    /// The number of the parent joint; negative for a root.
    pub parent: i32,
    /// Translation relative to the parent.
    pub translate: [F32; 3],
    /// Rotation x, y, z, w. A file of version 1 stores the first three; see [`Iqm::rotation_of_version_1`].
    pub rotate: [F32; 4],
    /// Scale, applied first.
    pub scale: [F32; 3],
}

/// The encoding of the ten channels of a joint in the frames: translation, rotation x y z w, scale. A file
/// of version 1 has nine: without the last of the rotation, so those of the scale are one earlier, and the
/// tenth is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IqmPose {
    /// The number of the parent joint; negative for a root.
    pub parent: i32,
    /// A bit for each channel that the frames store.
    pub mask: u32,
    /// The value of a channel if its stored number is 0, or if it is not stored.
    pub offset: [F32; 10],
    /// The size of one step of the stored number.
    pub scale: [F32; 10],
}

/// A clip: a range of the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IqmAnim {
    /// The name.
    pub name: TextId,
    /// The first frame.
    pub first_frame: u32,
    /// The number of frames.
    pub frame_count: u32,
    /// Frames per second.
    pub framerate: F32,
    /// Flags.
    pub flags: AnimFlags,
}

/// Flags of an [`IqmAnim`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AnimFlags(pub u32);

impl AnimFlags {
    /// True if the last frame blends into the first.
    pub const LOOP: Self = Self(anim_flags::LOOP.mask32());

    /// Returns true if all bits of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Bits without a known meaning.
    #[must_use]
    pub const fn unknown(self) -> u32 {
        self.0 & anim_flags::UNKNOWN.mask32()
    }
}

impl fmt::Debug for AnimFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The bounds of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IqmBounds {
    /// The minimum coordinates.
    pub mins: [F32; 3],
    /// The maximum coordinates.
    pub maxs: [F32; 3],
    /// The radius of an upright cylinder around the origin.
    pub xyradius: F32,
    /// The radius of a sphere around the origin.
    pub radius: F32,
}

impl IqmBounds {
    /// Returns all eight numbers in file order.
    pub fn values(&self) -> impl Iterator<Item = F32> + Clone {
        self.mins.into_iter().chain(self.maxs).chain([self.xyradius, self.radius])
    }
}

/// An extension: a block of bytes from another tool.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct IqmExtension {
    /// The name.
    pub name: TextId,
    /// The content.
    pub data: Vec<u8>,
}

impl fmt::Debug for IqmExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} bytes", self.name, self.data.len())
    }
}

impl Iqm {
    /// Marks an edge without a neighbour in [`Iqm::adjacency`].
    pub const NO_NEIGHBOUR: u32 = u32::MAX;

    /// Returns a string without its terminator; empty if it is outside the text.
    #[must_use]
    pub fn str(&self, id: TextId) -> &[u8] {
        let rest = self.text.get(id.0 as usize..).unwrap_or_default();
        rest.split(|b| *b == 0).next().unwrap_or_default()
    }

    /// Returns the first array of a kind.
    #[must_use]
    pub fn array(&self, kind: ArrayKind) -> Option<&VertexArray> {
        self.arrays.iter().find(|a| a.kind == kind)
    }

    /// Returns the triangles of a mesh, with vertex indices of the file; empty if they do not exist.
    #[must_use]
    pub fn triangles_of(&self, mesh: &IqmMesh) -> &[[u32; 3]] {
        let first = mesh.first_triangle as usize;
        let last = first.saturating_add(mesh.triangle_count as usize);
        self.triangles.get(first..last).unwrap_or_default()
    }

    /// Returns the number of channels of a pose in this version: 9 or 10.
    #[must_use]
    pub const fn channels(&self) -> usize {
        if self.version == 1 { 9 } else { 10 }
    }

    /// Returns the number of values that a frame stores.
    #[must_use]
    pub fn frame_channels(&self) -> usize {
        self.poses.iter().map(|p| p.stored(self.channels())).sum()
    }

    /// Discards the layout of the file, so that the model is written in the layout of the format's own tool.
    pub fn discard_layout(&mut self) {
        self.layout = Retained::None;
    }

    /// Returns true if a writer keeps the layout of the model's file, and this differs from that of the
    /// format's own tool.
    #[must_use]
    pub fn has_own_layout(&self) -> bool {
        self.layout.original().is_some()
    }
}

impl IqmPose {
    /// Returns the number of stored channels among the first `channels` channels.
    pub(crate) fn stored(&self, channels: usize) -> usize {
        (0..channels).filter(|c| self.stores(*c)).count()
    }

    /// Returns whether frames store a channel.
    #[must_use]
    pub fn stores(&self, channel: usize) -> bool {
        u32::try_from(channel).is_ok_and(|c| self.mask.checked_shr(c).is_some_and(|m| m & 1 != 0))
    }
}
