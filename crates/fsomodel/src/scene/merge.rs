//! An edited scene in the model that it came from: the model, what is made of the native scene, and what is made of the
//! edited one.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

use crate::metadata::{Material, Mesh, Metadata, Node};
use crate::model::{ChunkId, FsoModel};
use crate::ranges::within;
use crate::view::Vertex;
use alloc::vec::Vec;
use meshwright_edit::three_way::{Corners, Match, Place, digest, named, pick, sequence};
use meshwright_scene::{Budget, ConvertError};

/// Three corners each.
type Triangles = Vec<[u32; 3]>;

/// The vertices of a model, and the corners of each mesh by them.
struct Drawn {
    vertices: Vec<Vertex>,
    meshes: Vec<Vec<[u32; 3]>>,
}

impl Drawn {
    fn new(model: &FsoModel<'_>, budget: &Budget) -> Result<Self, ConvertError> {
        let indices = model.indices();
        budget.charge_items("vertices", model.vertices().len() as u64, size_of::<Vertex>() + 64)?;
        let corners: u64 = model.ranges().map(|r| r.count).sum();
        budget.charge_items("indices", corners.saturating_add(indices.len() as u64), 48)?;
        let all: Vec<u32> = indices.iter().collect();
        let mesh = |range: crate::ranges::MeshRange| {
            let (first, end) = within(&range, all.len()).unwrap_or_default();
            let own = all[first..end].as_chunks::<3>().0.iter();
            own.map(|t| t.map(|v| v.wrapping_add(range.base_index))).collect()
        };
        Ok(Self { vertices: model.vertices().iter().collect(), meshes: model.ranges().map(mesh).collect() })
    }

    fn vertex(&self, at: Option<u32>) -> Option<Vertex> {
        self.vertices.get(at? as usize).copied()
    }

    fn key(&self, triangle: &[u32; 3], dialect: crate::Dialect) -> u64 {
        let words = |v: &u32| {
            let vertex = self.vertex(Some(*v)).unwrap_or_default();
            vertex.floats(dialect).map(meshwright_core::F32::to_bits).collect::<Vec<_>>()
        };
        digest(triangle.iter().flat_map(words))
    }
}

impl FsoModel<'static> {
    /// Applies the differences between `before` and `after` to the model. `before` is the conversion of the original
    /// scene, `after` that of the edited scene, both in this model's dialect. `found` has the mesh of `before` for
    /// each mesh of `after`.
    ///
    /// The position, texture coordinates, normal, tangent and bitangent of each vertex are compared separately; of
    /// the companion file, the names of materials, textures, meshes and nodes, and the transforms of nodes. As long
    /// as meshes have the same triangles, the layout is unchanged. Otherwise meshes get a new layout, with native
    /// values for unedited vertices.
    ///
    /// # Errors
    /// If the scene and the model have different meshes, or if the budget is spent.
    pub fn merge(
        &self,
        before: &Self,
        after: &Self,
        found: &[Option<usize>],
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        if before == after {
            return Ok(self.clone());
        }
        let [native, was, is] =
            [Drawn::new(self, budget)?, Drawn::new(before, budget)?, Drawn::new(after, budget)?];
        let counts = |d: &Drawn| d.meshes.iter().map(Vec::len).collect::<Vec<_>>();
        if counts(&native) != counts(&was) || is.meshes.len() != found.len() {
            return Err(ConvertError::unsupported("meshes", "the scene has other meshes than the model"));
        }
        let mut corners = Corners::new(native.vertices.len(), budget)?;
        let mut places: Vec<Vec<[Place; 3]>> = budget.reserve("meshes", is.meshes.len())?;
        let mut in_place = is.meshes.len() == native.meshes.len();
        for (a, (new, found)) in is.meshes.iter().zip(found).enumerate() {
            let old = found.map(|b| (&native.meshes[b], &was.meshes[b]));
            in_place &= *found == Some(a) && old.is_some_and(|(n, _)| n.len() == new.len());
            places.push(self.place_corners([&native, &was, &is], old, new, &mut corners, budget)?);
        }
        let mut used = budget.filled("vertices", native.vertices.len(), false)?;
        for v in native.meshes.iter().flatten().flatten() {
            if let Some(used) = used.get_mut(*v as usize) {
                *used = true;
            }
        }
        let unused = |v: usize| (!used[v]).then(|| native.vertices[v]);
        let (rows, numbers) = corners.finish(unused);
        let number = |list: &Vec<[Place; 3]>| -> Vec<[u32; 3]> {
            list.iter().map(|t| t.map(|place| numbers.of(place))).collect()
        };
        let numbered: Vec<Vec<[u32; 3]>> = places.iter().map(number).collect();
        in_place &= rows.len() == native.vertices.len() && numbered == native.meshes;
        let mut made = self.clone();
        if in_place {
            made.set_vertices(&rows);
            if let Some(rest) = self.chunk(ChunkId::VDAT).and_then(|old| {
                let whole = rows.len() * self.dialect.vertex_size();
                old.get(whole..).filter(|rest| !rest.is_empty())
            }) {
                let mut data = made.chunk(ChunkId::VDAT).unwrap_or_default().to_vec();
                data.extend_from_slice(rest);
                made.set_chunk(ChunkId::VDAT, data);
            }
        } else {
            // The vertices of after with the values that the corners have in the result.
            let mut vertices = is.vertices.clone();
            for (new, own) in is.meshes.iter().zip(&numbered) {
                for (v, row) in new.as_flattened().iter().zip(own.as_flattened()) {
                    if let Some((to, from)) = vertices.get_mut(*v as usize).zip(rows.get(*row as usize)) {
                        *to = *from;
                    }
                }
            }
            made.set_vertices(&vertices);
            for id in [ChunkId::INDX, ChunkId::MESH] {
                if let Some(data) = after.chunk(id) {
                    made.set_chunk(id, data.to_vec());
                }
            }
        }
        if let (Some(native), Some(before), Some(after)) = (&self.metadata, &before.metadata, &after.metadata)
        {
            made.metadata = Some(native.merge(before, after, in_place, found, budget)?);
        }
        Ok(made)
    }

    /// The vertices of the corners of a mesh.
    fn place_corners(
        &self,
        [native, was, is]: [&Drawn; 3],
        old: Option<(&Triangles, &Triangles)>,
        new: &[[u32; 3]],
        corners: &mut Corners<Vertex>,
        budget: &Budget,
    ) -> Result<Vec<[Place; 3]>, ConvertError> {
        let dialect = self.dialect;
        let found: Match = match old {
            Some((_, before)) => {
                let old: Vec<u64> = before.iter().map(|t| was.key(t, dialect)).collect();
                let new: Vec<u64> = new.iter().map(|t| is.key(t, dialect)).collect();
                sequence(&old, &new, budget)?
            }
            None => budget.filled("triangles", new.len(), None)?,
        };
        let mut places = budget.reserve("triangles", new.len())?;
        for (triangle, found) in new.iter().zip(found) {
            let pair = old.zip(found).map(|((n, b), at)| (n[at], b[at]));
            places.push([0, 1, 2].map(|k: usize| {
                let (n, b) = (pair.map(|p| p.0[k]), pair.map(|p| p.1[k]));
                let a = triangle[k];
                let row = || {
                    let after = is.vertex(Some(a)).unwrap_or_default();
                    match native.vertex(n).zip(was.vertex(b)) {
                        Some((native, before)) => merged(native, before, after),
                        None => after,
                    }
                };
                corners.place(n.map(|n| n as usize), a as usize, row)
            }));
        }
        Ok(places)
    }
}

fn merged(native: Vertex, before: Vertex, after: Vertex) -> Vertex {
    Vertex {
        position: pick(native.position, &before.position, after.position),
        uv: pick(native.uv, &before.uv, after.uv),
        normal: pick(native.normal, &before.normal, after.normal),
        tangent: pick(native.tangent, &before.tangent, after.tangent),
        bitangent: pick(native.bitangent, &before.bitangent, after.bitangent),
    }
}

impl Metadata {
    /// The companion with what was edited of it; `in_place` is true where meshes are where they were.
    fn merge(
        &self,
        before: &Self,
        after: &Self,
        in_place: bool,
        found: &[Option<usize>],
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        if before == after && in_place {
            return Ok(self.clone());
        }
        fn names(materials: &[Material]) -> Vec<Option<&str>> {
            materials.iter().map(|m| m.name.as_deref()).collect()
        }
        let as_many = before.materials.len() == after.materials.len();
        let materials =
            named(&names(&before.materials), &names(&after.materials), |b, a| as_many && b == a, budget)?;
        let material = |(a, found): (&Material, &Option<usize>)| {
            let old = found.and_then(|b| self.materials.get(b).zip(before.materials.get(b)));
            old.map_or_else(
                || a.clone(),
                |(n, b)| Material {
                    name: pick(n.name.clone(), &b.name, a.name.clone()),
                    diffuse_texture: pick(
                        n.diffuse_texture.clone(),
                        &b.diffuse_texture,
                        a.diffuse_texture.clone(),
                    ),
                },
            )
        };
        let mesh = |(a, found): (&Mesh, &Option<usize>)| {
            let old = found.and_then(|b| self.meshes.get(b).zip(before.meshes.get(b)));
            let Some((n, b)) = old else { return a.clone() };
            let place = if in_place { n } else { a };
            Mesh {
                name: pick(n.name.clone(), &b.name, a.name.clone()),
                material_index: pick(n.material_index, &b.material_index, a.material_index),
                ..place.clone()
            }
        };
        let same_nodes = self.nodes.len() == before.nodes.len() && before.nodes.len() == after.nodes.len();
        let node = |((n, b), a): ((&Node, &Node), &Node)| Node {
            name: pick(n.name.clone(), &b.name, a.name.clone()),
            parent: pick(n.parent, &b.parent, a.parent),
            transform: pick(n.transform, &b.transform, a.transform),
            meshes: pick(n.meshes.clone(), &b.meshes, a.meshes.clone()),
        };
        let nodes = if same_nodes {
            self.nodes.iter().zip(&before.nodes).zip(&after.nodes).map(node).collect()
        } else {
            after.nodes.clone()
        };
        let mut made = self.clone();
        made.materials = after.materials.iter().zip(&materials).map(material).collect();
        made.meshes = after.meshes.iter().zip(found).map(mesh).collect();
        made.nodes = nodes;
        Ok(made)
    }
}
