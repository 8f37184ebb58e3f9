//! The content of a mesh.

use crate::name::Name;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::num::Q1_15;

/// The first blend vertex that real files store for a binding without blend vertices.
pub const BLEND_UNUSED: u32 = u32::MAX;

/// A `.mesh` file of The Sims Online, version 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mesh {
    /// The content.
    pub geometry: Geometry,
    /// Bytes after the last field, which a lenient reader keeps. No known file has any.
    pub trailing: Vec<u8>,
}

impl From<Geometry> for Mesh {
    fn from(geometry: Geometry) -> Self {
        Self { geometry, trailing: Vec::new() }
    }
}

/// Triangles that are attached to bones.
///
/// Vertices are in the space of the bone that owns them: left-handed, +Y up, +Z to the front of the character, 3 units
/// to the metre. Faces are clockwise seen from outside. Texture coordinates start at the top left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    /// Names of the bones that bindings refer to.
    pub bones: Vec<Name>,
    /// Triangles over [`real`](Self::real).
    pub faces: Vec<[u32; 3]>,
    /// The vertices of each bone.
    pub bindings: Vec<Binding>,
    /// The drawn vertices, in runs per bone.
    pub real: Vec<RealVertex>,
    /// Vertices that move real vertices to a second bone, in runs per bone.
    pub blends: Vec<BlendVertex>,
    /// The stored number of all vertices.
    pub total: Total,
}

/// The vertices of a bone, as two ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Index into [`Geometry::bones`].
    pub bone: u32,
    /// First of its real vertices.
    pub first_real: u32,
    /// Number of its real vertices.
    pub real_count: u32,
    /// First of its blend vertices, as an index among the blend vertices. Without blend vertices it has no meaning;
    /// real files store [`BLEND_UNUSED`].
    pub first_blend: u32,
    /// Number of its blend vertices.
    pub blend_count: u32,
}

/// A drawn vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RealVertex {
    /// Texture coordinates.
    pub uv: [F32; 2],
    /// Position in the owning bone's space.
    pub position: [F32; 3],
    /// Normal in the owning bone's space. FreeSO writes normals of length 3.
    pub normal: [F32; 3],
}

/// A second position of a real vertex, relative to another bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlendVertex {
    /// The weight of this position: 0 has no effect, 1 replaces the real vertex's position.
    pub weight: Q1_15,
    /// The real vertex.
    pub target: u32,
    /// Position in the owning bone's space.
    pub position: [F32; 3],
    /// Normal in the owning bone's space.
    pub normal: [F32; 3],
}

impl BlendVertex {
    /// Returns the weight as a number from 0 to 1. Larger values are clamped.
    pub fn pull(&self) -> f64 {
        f64::from(self.weight.clamped().decode())
    }
}

/// The stored number of all vertices. No reader needs it, and files count differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Total {
    /// Real and blend vertices, as the format specifies.
    #[default]
    All,
    /// Only real vertices, as FreeSO writes it.
    RealOnly,
    /// Another stored value, which a lenient reader keeps.
    Other(u32),
}
