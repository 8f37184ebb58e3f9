//! Meshes: vertices, triangles, and their binding to bones.

pub(crate) mod bounds;
mod prune;
pub(crate) mod surface;

use crate::material::alpha::AlphaLevels;
use crate::material::color::ColorEncoding;
use crate::model::extra::Extra;
use crate::model::ids::{MaterialId, SkeletonId};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, narrow, scale, wide};

/// Triangles of one material over one array of vertices. An attribute that the mesh lacks is an empty
/// vector; every other attribute has an entry per vertex.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Mesh {
    /// The mesh's name.
    pub name: String,
    /// The material.
    pub material: Option<MaterialId>,
    /// Positions in model space, in the bind pose if there is a skin.
    pub positions: Vec<[f32; 3]>,
    /// Normals in model space, in the bind pose if there is a skin.
    pub normals: Vec<[f32; 3]>,
    /// Tangents; the fourth component is the handedness of the bitangent, 1 or -1.
    pub tangents: Vec<[f32; 4]>,
    /// Texture coordinates.
    pub uvs: Vec<[f32; 2]>,
    /// Vertex colours, RGBA.
    pub colors: Vec<[u8; 4]>,
    /// The encoding of the colours.
    pub color_encoding: ColorEncoding,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// The binding to a skeleton.
    pub skin: Option<Skin>,
    /// Native fields.
    pub extras: Option<Extra>,
}

/// The positions and normals of a mesh in one pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshPose {
    /// Positions in model space.
    pub positions: Vec<[f32; 3]>,
    /// Normals in model space; empty if the mesh has none.
    pub normals: Vec<[f32; 3]>,
}

impl Mesh {
    /// Creates a mesh of positions and triangles.
    #[must_use]
    pub fn new(name: impl Into<String>, positions: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self { name: name.into(), positions, triangles, ..Self::default() }
    }

    meshwright_core::setters! {
        /// Sets the name.
        with_name(name: impl Into<String>): name;
        /// Sets the material.
        with_material(material: impl Into<Option<MaterialId>>): material;
        /// Sets the positions.
        with_positions(positions: Vec<[f32; 3]>): positions;
        /// Sets the normals.
        with_normals(normals: Vec<[f32; 3]>): normals;
        /// Sets the tangents.
        with_tangents(tangents: Vec<[f32; 4]>): tangents;
        /// Sets the texture coordinates.
        with_uvs(uvs: Vec<[f32; 2]>): uvs;
        /// Sets the vertex colours.
        with_colors(colors: Vec<[u8; 4]>): colors;
        /// Sets the encoding of the colours.
        with_color_encoding(color_encoding: ColorEncoding): color_encoding;
        /// Sets the triangles.
        with_triangles(triangles: Vec<[u32; 3]>): triangles;
        /// Sets the binding to a skeleton.
        with_skin(skin: impl Into<Option<Skin>>): skin;
        /// Sets the native fields.
        with_extras(extras: impl Into<Option<Extra>>): extras;
    }

    /// Returns the class of its vertices' alpha values.
    pub fn alpha_levels(&self) -> AlphaLevels {
        AlphaLevels::classify(self.colors.iter().map(|[.., a]| *a))
    }

    /// Returns true if bones move the mesh.
    pub const fn is_skinned(&self) -> bool {
        self.skin.is_some()
    }
}

/// The bones and weights of each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// The skeleton that the influences refer to.
    pub skeleton: SkeletonId,
    /// Vertex `v` has the influences `starts[v] .. starts[v + 1]`; one entry more than there are vertices.
    pub starts: Vec<u32>,
    /// All influences, in the file's order.
    pub influences: Vec<Influence>,
    /// Only for formats that store vertices in bone space: for each influence, the weighted position and
    /// normal in the space of its joint. Then a vertex is the sum of `R * position + weight * t` over its
    /// influences, with `R` and `t` the joint's linear part and translation in model space. The mesh's
    /// positions are that sum in the bind pose. Empty if the format stores vertices in model space; then the
    /// bind matrices of the skeleton apply.
    pub local: Vec<LocalVertex>,
}

/// The influence of one bone on one vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// The joint.
    pub joint: u32,
    /// The weight. In a well-made file, the weights of a vertex sum to 1.
    pub weight: f32,
}

/// A vertex in the space of one bone, multiplied by the influence's weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalVertex {
    /// Weighted position in the joint's space.
    pub position: [f32; 3],
    /// Weighted normal in the joint's space.
    pub normal: [f32; 3],
}

impl LocalVertex {
    /// Converts a vertex from model space to the space of a joint with the inverse bind matrix `inverse`.
    /// `total` is the sum of the vertex's weights. Whatever that sum is, the parts of all influences add up
    /// to the vertex.
    pub fn new(inverse: &Affine64, [position, normal]: [[f32; 3]; 2], weight: f32, total: f64) -> Self {
        let weight = f64::from(weight);
        let whole = !total.is_normal() || (total - 1.0).abs() <= 1.0e-3;
        let position = wide(position);
        let (position, share) = if whole {
            (scale(inverse.point(position), weight), weight)
        } else {
            // The joint's translation counts with the weight, the vertex with its share of the total weight.
            let share = weight / total;
            (add(scale(inverse.vector(position), share), scale(inverse.w, weight)), share)
        };
        Self { position: narrow(position), normal: narrow(scale(inverse.vector(wide(normal)), share)) }
    }
}

impl Skin {
    /// Returns an empty binding. For each vertex, push its influences and call
    /// [`end_vertex`](Self::end_vertex).
    pub fn new(skeleton: SkeletonId) -> Self {
        Self { skeleton, starts: alloc::vec![0], influences: Vec::new(), local: Vec::new() }
    }

    /// Returns the number of bound vertices.
    pub fn vertex_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Ends the current vertex. It has the influences that were pushed since the last call.
    #[inline]
    pub fn end_vertex(&mut self) {
        self.starts.push(u32::try_from(self.influences.len()).unwrap_or(u32::MAX));
    }

    /// Returns the range of influences of a vertex; empty if the vertex does not exist.
    #[inline]
    pub fn range(&self, vertex: usize) -> core::ops::Range<usize> {
        match (self.starts.get(vertex), self.starts.get(vertex.saturating_add(1))) {
            (Some(&a), Some(&b)) if a <= b && b as usize <= self.influences.len() => a as usize..b as usize,
            _ => 0..0,
        }
    }

    /// Returns the influences of a vertex.
    #[inline]
    pub fn influences(&self, vertex: usize) -> &[Influence] {
        self.influences.get(self.range(vertex)).unwrap_or_default()
    }

    /// Returns the maximum number of influences of a vertex.
    pub fn max_influences(&self) -> usize {
        let ends = self.starts.iter().skip(1);
        self.starts.iter().zip(ends).map(|(start, end)| end.saturating_sub(*start)).max().unwrap_or(0)
            as usize
    }
}
