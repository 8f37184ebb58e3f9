//! The dump of FSOMODEL files and their metadata: vertices with tangents, the table of meshes, chunks, nodes.

use super::item::{Fields, Item, fields};
use crate::formats::Companions;
use crate::formats::dump_part::{Dumped, Own};
use meshwright_fsomodel::{
    Chunk, ChunkId, Dialect, FsoModel, Material, Mesh, MeshRange, Metadata, Node, Vertex,
};
use std::borrow::Cow;

impl Dumped for FsoModel<'static> {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        let mut native = fields! {
            version: self.version,
            dialect: self.dialect.name(),
            chunks: Item::each(&self.chunks, |c| chunk(self.dialect, c)),
            total_vertices: self.vertices().len(),
            total_indices: self.indices().len(),
            meshes: Item::list(move || {
                let offsets = self.entries().map(|e| Some(e.offset)).chain(std::iter::repeat(None));
                parts(self).zip(offsets).map(|(part, offset)| entry(self, part, offset))
            }),
            vertices: Item::list(move || self.vertices().iter().map(|v| vertex(&v, self.dialect))),
            indices: Item::list(move || self.indices().iter()),
        };
        if let Some(m) = &self.metadata {
            native.push(("materials".into(), Item::each(&m.materials, material)));
            native.push(("nodes".into(), Item::each(&m.nodes, node)));
        }
        // Meshes may share vertices and indices; each lists its own.
        let listed = |(i, range, (start, end)): ListedMesh| {
            let rows = (end.saturating_sub(start) as u64).saturating_add(range.count);
            let name = material_name(self, i).map_or(0, str::len);
            rows.saturating_mul(ROW).saturating_add(name as u64)
        };
        Own {
            meshes: Some(Item::list(move || parts(self).map(|part| mesh(self, part)))),
            repeated: parts(self).map(listed).fold(0, u64::saturating_add),
            native,
            ..Own::default()
        }
    }
}

/// The bytes that a listed vertex counts.
const ROW: u64 = 32;

/// The number of a mesh, its range of indices, and the vertices that it spans.
type ListedMesh = (usize, MeshRange, (usize, usize));

impl Dumped for Metadata {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        Own {
            meshes: Some(Item::empty()),
            native: fields! {
                materials: Item::each(&self.materials, material),
                meshes: Item::each(&self.meshes, metadata_mesh),
                nodes: Item::each(&self.nodes, node),
            },
            ..Own::default()
        }
    }
}

fn parts<'m>(model: &'m FsoModel<'static>) -> impl Iterator<Item = ListedMesh> + 'm {
    model.ranges().zip(model.slices()).enumerate().map(|(i, (range, span))| (i, range, span))
}

/// Returns the vertices that a mesh spans, as they are stored; triangles count from the first of them.
fn mesh<'m>(model: &'m FsoModel<'static>, (i, range, (start, end)): ListedMesh) -> Fields<'m> {
    let vertices = model.vertices().slice(start, end);
    let low = u32::try_from(start).unwrap_or(u32::MAX).saturating_sub(range.base_index);
    let first = usize::try_from(range.first).unwrap_or(usize::MAX);
    let count = usize::try_from(range.count).unwrap_or(usize::MAX);
    let indices = model.indices().slice(first, first.saturating_add(count));
    let triangles = move || {
        let mut corners = indices.iter().map(move |v| v.saturating_sub(low));
        std::iter::from_fn(move || Some([corners.next()?, corners.next()?, corners.next()?]))
    };
    let pose = move || {
        fields! {
            clip: Item::Null,
            frame: Item::Null,
            positions: Item::list(move || vertices.iter().map(|v| v.position)),
            normals: Item::list(move || vertices.iter().map(|v| v.normal)),
        }
    };
    fields! {
        material: material_name(model, i),
        vertex_count: vertices.len(),
        triangle_count: indices.len() / 3,
        triangles: Item::list(triangles),
        uvs: Item::list(move || vertices.iter().map(|v| { let [u, v, _] = v.uv; [u, v] })),
        colors: Item::Null,
        poses: Item::list(move || [pose()]),
    }
}

/// Returns the name of a mesh's material, otherwise that of its texture.
fn material_name<'m>(model: &'m FsoModel<'static>, mesh: usize) -> Option<&'m str> {
    let metadata = model.metadata.as_ref()?;
    let material = metadata.materials.get(metadata.meshes.get(mesh)?.material_index as usize)?;
    Some(material.name.as_deref().or(material.diffuse_texture.as_deref()).unwrap_or_default())
}

fn entry<'m>(
    model: &'m FsoModel<'static>,
    (i, range, (start, end)): ListedMesh,
    raw_offset: Option<u64>,
) -> Fields<'m> {
    let named = model.metadata.as_ref().and_then(|m| m.meshes.get(i));
    let claimed = |hint: fn((u32, u32)) -> u32| range.claimed.map(hint);
    fields! {
        name: named.and_then(|m| m.name.as_deref()),
        material_index: named.map(|m| m.material_index),
        raw_offset: raw_offset,
        first_index: range.first,
        count: range.count,
        base_index: range.base_index,
        min_index: claimed(|c| c.0),
        max_index: claimed(|c| c.1),
        vertex_slice: Item::list(move || [start, end]),
    }
}

/// Lists the fields of a chunk. Unknown chunks are dumped in full.
fn chunk<'m>(dialect: Dialect, chunk: &'m Chunk<'static>) -> Fields<'m> {
    let unknown = match chunk.id {
        ChunkId::VDAT | ChunkId::INDX => false,
        ChunkId::MESH => dialect != Dialect::Seed44,
        _ => true,
    };
    fields! {
        id: meshwright_core::text::latin1(&chunk.id.0),
        length: chunk.data.len(),
        data: unknown.then(|| Item::Hex(Cow::Borrowed(&chunk.data))),
    }
}

fn vertex<'m>(v: &Vertex, dialect: Dialect) -> Fields<'m> {
    let [s, t, third] = v.uv;
    let mut fields = fields! {
        position: v.position,
        uv: if dialect == Dialect::Gl3 { Item::from([s, t, third]) } else { [s, t].into() },
        normal: v.normal,
        tangent: v.tangent,
    };
    if dialect != Dialect::Seed44 {
        fields.extend(fields! { bitangent: v.bitangent });
    }
    fields
}

fn material(material: &Material) -> Fields<'_> {
    fields! { name: material.name.as_ref(), diffuse_texture: material.diffuse_texture.as_ref() }
}

fn metadata_mesh(mesh: &Mesh) -> Fields<'_> {
    fields! {
        name: mesh.name.as_ref(),
        offset: mesh.offset,
        count: mesh.count,
        base_index: mesh.base_index,
        min_index: mesh.min_index,
        max_index: mesh.max_index,
        material_index: mesh.material_index,
    }
}

/// Lists the fields of a node, with the columns of its matrix relative to the parent.
fn node(node: &Node) -> Fields<'_> {
    fields! {
        name: node.name.as_ref(),
        parent: node.parent,
        columns: Item::values(&node.transform),
        meshes: Item::values(&node.meshes),
    }
}
