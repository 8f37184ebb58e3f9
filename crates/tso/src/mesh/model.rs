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
    /// Everything in it.
    pub geometry: Geometry,
    /// Bytes after the last field, which a lenient reader keeps; no known file has any.
    pub trailing: Vec<u8>,
}

impl From<Geometry> for Mesh {
    fn from(geometry: Geometry) -> Self {
        Self { geometry, trailing: Vec::new() }
    }
}

/// Triangles around bones.
///
/// Space of all vertices: of the bone that owns them, left-handed, +Y up, +Z to the front of the figure, 3 units to
/// the metre. Faces are clockwise seen from outside. Texture coordinates start at the top left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    /// Names of the bones that bindings refer to.
    pub bones: Vec<Name>,
    /// Triangles over [`real`](Self::real).
    pub faces: Vec<[u32; 3]>,
    /// Which vertices belong to which bone.
    pub bindings: Vec<Binding>,
    /// The vertices that are drawn, in runs per bone.
    pub real: Vec<RealVertex>,
    /// The vertices that pull at real ones, in runs per bone.
    pub blends: Vec<BlendVertex>,
    /// The stored number of all vertices.
    pub total: Total,
}

/// A bone's runs of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Index into [`Geometry::bones`].
    pub bone: u32,
    /// First of its real vertices.
    pub first_real: u32,
    /// Number of its real vertices.
    pub real_count: u32,
    /// First of its blend vertices, counted among the blend vertices; means nothing where there are none, and is
    /// then [`BLEND_UNUSED`] in real files.
    pub first_blend: u32,
    /// Number of its blend vertices.
    pub blend_count: u32,
}

/// A vertex that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RealVertex {
    /// Texture coordinates.
    pub uv: [F32; 2],
    /// Position in the owning bone's space.
    pub position: [F32; 3],
    /// Normal in the owning bone's space; of length 3 in files written by FreeSO.
    pub normal: [F32; 3],
}

/// A vertex that pulls a real one towards its own place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlendVertex {
    /// The strength of the pull: 0 is not at all, 1 all the way.
    pub weight: Q1_15,
    /// The real vertex.
    pub target: u32,
    /// Position in the owning bone's space.
    pub position: [F32; 3],
    /// Normal in the owning bone's space.
    pub normal: [F32; 3],
}

impl BlendVertex {
    /// The weight as a number from 0 to 1; a larger one counts as 1.
    pub fn pull(&self) -> f64 {
        f64::from(self.weight.clamped().decode())
    }
}

/// The field that counts all vertices. No reader needs it, and files disagree on what it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Total {
    /// Real and blend vertices, as the format is described.
    #[default]
    All,
    /// Real vertices only, as FreeSO writes it.
    RealOnly,
    /// Neither; the stored value. Kept by lenient reading.
    Other(u32),
}
