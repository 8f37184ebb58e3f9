//! Encodes meshes as the chunks of a dialect.

use crate::dialect::Dialect;
use crate::model::{ChunkId, FsoModel, MeshEntry};
use crate::view::Vertex;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::math::{cross, narrow, wide};
use meshwright_core::{SortedSet, f32s};
use meshwright_scene::flatten::Instance;
use meshwright_scene::{Budget, ConvertError, Drawable, LimitExceeded, Loss, Mesh, MeshId, Scene};

/// The vertices, the indices and the table of meshes, in the order of the meshes.
pub(super) struct Streams<'b> {
    dialect: Dialect,
    budget: &'b Budget,
    vertices: Vec<u8>,
    indices: Vec<u8>,
    pub(super) entries: Vec<MeshEntry>,
}

impl<'b> Streams<'b> {
    pub(super) fn new(
        meshes: &[Drawable<'_>],
        dialect: Dialect,
        budget: &'b Budget,
    ) -> Result<Self, ConvertError> {
        let sum = |of: fn(&Mesh) -> usize| meshes.iter().map(|d| of(&d.mesh)).fold(0, usize::saturating_add);
        let vertices = sum(|m| m.positions.len()).saturating_mul(dialect.vertex_size());
        let corners = sum(|m| m.triangles.as_flattened().len());
        let mut streams = Self {
            dialect,
            budget,
            vertices: budget.reserve("vertices", vertices)?,
            indices: budget.reserve("indices", corners.saturating_mul(dialect.index_size()))?,
            entries: budget.reserve("meshes", meshes.len())?,
        };
        for drawable in meshes {
            streams.mesh(&drawable.mesh, &drawable.path())?;
        }
        Ok(streams)
    }

    fn mesh(&mut self, mesh: &Mesh, path: &str) -> Result<(), ConvertError> {
        let beyond = || {
            let bits = self.dialect.index_size().saturating_mul(8);
            ConvertError::unsupported(path, format!("more vertices than indices of {bits} bits can number"))
        };
        let base = self.vertices.len().checked_div(self.dialect.vertex_size()).unwrap_or(0);
        let end = base.saturating_add(mesh.positions.len());
        // Without a table there is no base index, so all meshes share the range of an index.
        if self.dialect == Dialect::Doc56 && end > most_vertices(self.dialect) {
            return Err(beyond());
        }
        u32::try_from(end).map_err(|_| beyond())?;
        let base = u32::try_from(base).map_err(|_| beyond())?;
        let first = self.indices.len();
        self.put_vertices(mesh);
        let corners = mesh.triangles.as_flattened();
        self.put_indices(corners, if self.dialect == Dialect::Doc56 { base } else { 0 });
        let count = u32::try_from(corners.len())
            .map_err(|_| ConvertError::unsupported(path, "more indices than 32 bits can count"))?;
        // Offsets are in bytes in the description, and in indices in the implementation.
        let unit = if self.dialect == Dialect::Seed44 { 1 } else { self.dialect.index_size() };
        self.entries.push(MeshEntry {
            offset: first.checked_div(unit).unwrap_or(0) as u64,
            count,
            base_index: base,
            min_index: corners.iter().copied().min().unwrap_or(0),
            max_index: corners.iter().copied().max().unwrap_or(0),
        });
        Ok(())
    }

    fn put_vertices(&mut self, mesh: &Mesh) {
        // Flattened meshes always have normals and tangents.
        for (i, (position, normal)) in mesh.positions.iter().zip(&mesh.normals).enumerate() {
            let [u, v] = mesh.uvs.get(i).copied().unwrap_or_default();
            let [tx, ty, tz, side] = mesh.tangents.get(i).copied().unwrap_or([1.0, 0.0, 0.0, 1.0]);
            let tangent = [tx, ty, tz];
            let across = narrow(cross(wide(*normal), wide(tangent)));
            let vertex = Vertex {
                position: f32s(*position),
                uv: f32s([u, v, 0.0]),
                normal: f32s(*normal),
                tangent: f32s(tangent),
                bitangent: f32s(across.map(|c| c * side)),
            };
            for float in vertex.floats(self.dialect) {
                self.vertices.extend_from_slice(&float.to_bits().to_le_bytes());
            }
        }
    }

    fn put_indices(&mut self, corners: &[u32], shift: u32) {
        for corner in corners {
            let [a, b, c, d] = corner.saturating_add(shift).to_le_bytes();
            match self.dialect.index_size() {
                4 => self.indices.extend_from_slice(&[a, b, c, d]),
                _ => self.indices.extend_from_slice(&[a, b]),
            }
        }
    }

    /// Returns a model of these chunks, and the table of meshes separately.
    pub(super) fn into_model(self) -> Result<(FsoModel<'static>, Vec<MeshEntry>), ConvertError> {
        let mut model = FsoModel::new(self.dialect);
        model.set_chunk(ChunkId::VDAT, self.vertices);
        model.set_chunk(ChunkId::INDX, self.indices);
        if self.dialect == Dialect::Seed44 {
            self.budget.charge_items("meshes", self.entries.len() as u64, MeshEntry::SIZE)?;
            model.set_meshes(&self.entries);
        }
        Ok((model, self.entries))
    }
}

/// Charges the list of meshes, whose capacity doubles as it grows.
pub(super) fn charge_meshes(count: usize, budget: &Budget) -> Result<(), LimitExceeded> {
    let each = size_of::<Drawable<'_>>().saturating_add(size_of::<Instance>());
    budget.charge_items("meshes", count as u64, each.saturating_mul(2))
}

/// Returns the maximum number of vertices of a mesh.
pub(super) const fn most_vertices(dialect: Dialect) -> usize {
    match dialect {
        Dialect::Seed44 => u32::MAX as usize,
        Dialect::Doc56 | Dialect::Gl3 => 1 << 16,
    }
}

/// Reports data that the conversion invented, once per mesh.
pub(super) fn report_made_up(scene: &Scene, meshes: &[Drawable<'_>], losses: &mut Vec<Loss>) {
    let used: SortedSet<_> = meshes.iter().filter_map(Drawable::id).collect();
    for MeshId(i) in used {
        let Some(mesh) = scene.meshes.get(i).filter(|m| !m.positions.is_empty()) else { continue };
        let path = || format!("meshes[{i}]");
        if mesh.uvs.is_empty() {
            losses.push(Loss::note("uvs-missing", path(), "texture coordinates are 0"));
        }
    }
}
