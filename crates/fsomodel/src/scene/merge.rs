//! Applies a patch to the original model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

use super::companion::texture_of;
use super::from_scene::{FsoSceneOptions, Traced, convert};
use crate::metadata::{self, Metadata};
use crate::model::{ChunkId, FsoModel};
use crate::ranges::within;
use crate::view::Vertex;
use alloc::vec::Vec;
use meshwright_edit::apply::{Corner, Corners, Surface, VertexPlace};
use meshwright_edit::{Attributes, Patch};
use meshwright_scene::{Budget, ConvertError, Converted, FromSceneOptions, Material, Scene};

/// The vertices of a model, and the vertices of each triangle of each mesh.
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

    fn vertex(&self, at: u32) -> Option<Vertex> {
        self.vertices.get(at as usize).copied()
    }
}

impl FsoModel<'static> {
    /// Applies a patch of `native`, the scene of this model, in the model's dialect. As long as meshes have the same
    /// triangles, the layout is unchanged. Otherwise meshes get a new layout, with the original's values for unedited
    /// vertices.
    ///
    /// # Errors
    /// As [`from_scene`](Self::from_scene) for the edited scene.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        options: &FromSceneOptions<FsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = &options.budget();
        let mut options = options.clone();
        options.format.dialect = self.dialect;
        let Converted { value: new, losses, .. } = convert(&patch.scene, &options, budget)?;
        let losses = patch.losses_of_edits(losses);
        let (old, is) = (Drawn::new(self, budget)?, Drawn::new(&new.model, budget)?);
        let mut work = FsoMerge { original: self, native, patch, new: &new, old, is, in_place: true };
        let made = work.merged(budget)?;
        Ok(Converted::new(made, losses))
    }
}

/// The original, and the converted edited scene.
struct FsoMerge<'a> {
    original: &'a FsoModel<'static>,
    native: &'a Scene,
    patch: &'a Patch,
    new: &'a Traced,
    old: Drawn,
    is: Drawn,
    /// True if meshes have the same triangles as before, so that the layout stays.
    in_place: bool,
}

impl FsoMerge<'_> {
    fn merged(&mut self, budget: &Budget) -> Result<FsoModel<'static>, ConvertError> {
        let mut corners = Corners::new(self.old.vertices.len(), budget)?;
        let places = self.places(&mut corners, budget)?;
        let drawn = self.old.meshes.iter().flatten().copied();
        let (rows, numbers) = corners.numbered(drawn, |v| self.old.vertices[v]);
        let numbered: Vec<Vec<[u32; 3]>> = places.iter().map(|list| numbers.triangles(list)).collect();
        self.in_place &= rows.len() == self.old.vertices.len() && numbered == self.old.meshes;
        let mut made = self.original.clone();
        if self.in_place {
            made.set_vertices(&rows);
            if let Some(rest) = self.original.chunk(ChunkId::VDAT).and_then(|old| {
                let whole = rows.len() * self.original.dialect.vertex_size();
                old.get(whole..).filter(|rest| !rest.is_empty())
            }) {
                let mut data = made.chunk(ChunkId::VDAT).unwrap_or_default().to_vec();
                data.extend_from_slice(rest);
                made.set_chunk(ChunkId::VDAT, data);
            }
        } else {
            // The vertices of the edited scene, with the values that they have in the result.
            let mut vertices = self.is.vertices.clone();
            for (new, own) in self.is.meshes.iter().zip(&numbered) {
                for (v, row) in new.as_flattened().iter().zip(own.as_flattened()) {
                    if let Some((to, from)) = vertices.get_mut(*v as usize).zip(rows.get(*row as usize)) {
                        *to = *from;
                    }
                }
            }
            made.set_vertices(&vertices);
            for id in [ChunkId::INDX, ChunkId::MESH] {
                if let Some(data) = self.new.model.chunk(id) {
                    made.set_chunk(id, data.to_vec());
                }
            }
        }
        made.metadata = match (&self.original.metadata, &self.new.model.metadata) {
            (Some(old), Some(new)) => Some(self.metadata(old, new)),
            (None, Some(new)) if self.is_placed() => Some(new.clone()),
            (own, _) => own.clone(),
        };
        Ok(made)
    }

    /// Returns the vertices of the corners of each mesh, and records whether the triangles of a mesh
    /// changed.
    fn places(
        &mut self,
        corners: &mut Corners<Vertex>,
        budget: &Budget,
    ) -> Result<Vec<Vec<[VertexPlace; 3]>>, ConvertError> {
        let (old, is) = (&self.old, &self.is);
        // Only the companion file has nodes. Without it, vertices are where their node draws them.
        let bakes_nodes = self.new.model.metadata.is_none();
        let row = |c: &Corner| {
            let made = is.vertex(c.made).unwrap_or_default();
            let mut changed = c.changed;
            if bakes_nodes && changed.has(Attributes::PLACED) {
                changed |= Attributes::POSITION | Attributes::NORMAL;
            }
            c.original.and_then(|v| old.vertex(v)).map_or(made, |kept| merged(kept, made, changed))
        };
        let count = is.meshes.iter().map(Vec::len).sum();
        let mut all: Vec<[VertexPlace; 3]> = budget.reserve("triangles", count)?;
        let all_new: Vec<[u32; 3]> = is.meshes.iter().flatten().copied().collect();
        let (mut first, mut same) = (0, is.meshes.len() == old.meshes.len());
        for (place, (count, source)) in self.new.drawn.iter().enumerate() {
            let new = all_new.get(first..first + count).unwrap_or_default();
            first += count;
            let original = source.and_then(|m| self.patch.meshes.get(m)?.original);
            let before = original.and_then(|n| old.meshes.get(n)).map_or(&[][..], Vec::as_slice);
            same &= original == Some(place) && before.len() == new.len();
            all.extend(corners.place_mesh(&Surface::new(self.patch, *source), before, new, row));
        }
        self.in_place = same && self.new.drawn.len() == old.meshes.len();
        let mut all = all.into_iter();
        Ok(is.meshes.iter().map(|mesh| all.by_ref().take(mesh.len()).collect()).collect())
    }

    /// Merges the companion files: the original's records with their edits, followed by new records.
    fn metadata(&self, old: &Metadata, new: &Metadata) -> Metadata {
        let mut made = old.clone();
        made.materials = self.materials(old);
        let number = |m: usize| u32::try_from(m).unwrap_or(u32::MAX);
        let plain = number(made.materials.len());
        let mut without = false;
        let mesh = |(at, own): (usize, &metadata::Mesh)| {
            let source = self.new.drawn.get(at).and_then(|(_, source)| *source);
            let patch = source.and_then(|m| self.patch.meshes.get(m));
            let kept = patch.and_then(|p| Some((p, old.meshes.get(p.original?)?)));
            let material = source.and_then(|m| self.patch.scene.meshes.get(m)?.material);
            let kept_index = kept.filter(|(patch, _)| !patch.material).map(|(_, kept)| kept.material_index);
            let index = kept_index.or_else(|| material.map(|m| number(m.0)));
            without |= index.is_none();
            let name = kept.filter(|(patch, _)| !patch.renamed).map_or(&own.name, |(_, kept)| &kept.name);
            let place = kept.filter(|_| self.in_place).map_or(own, |(_, kept)| kept);
            metadata::Mesh { name: name.clone(), material_index: index.unwrap_or(plain), ..place.clone() }
        };
        made.meshes = new.meshes.iter().enumerate().map(mesh).collect();
        // Every mesh must have a material.
        made.materials.extend(new.materials.last().filter(|_| without).cloned());
        let as_many = self.patch.scene.nodes.len() == self.native.nodes.len();
        made.nodes = match as_many && old.nodes.len() == self.native.nodes.len() {
            true => (0..old.nodes.len()).map(|n| self.node(n, &old.nodes[n], new)).collect(),
            false if old.nodes.is_empty() && as_many && self.in_place && !self.is_placed() => Vec::new(),
            false => new.nodes.clone(),
        };
        made
    }

    /// Returns true if a node has another transform.
    fn is_placed(&self) -> bool {
        let locals = |scene: &Scene| scene.nodes.iter().map(|node| node.local).collect::<Vec<_>>();
        locals(self.native) != locals(&self.patch.scene)
    }

    fn materials(&self, old: &Metadata) -> Vec<metadata::Material> {
        // The loader rejects NUL.
        let named = |name: &str| Some(name.replace('\0', "_"));
        let texture = |material: &Material| named(texture_of(material).unwrap_or(&material.name));
        let one = |(m, scene): (usize, &Material)| {
            let own = metadata::Material { name: named(&scene.name), diffuse_texture: texture(scene) };
            let Some((kept, was)) = old.materials.get(m).zip(self.native.materials.get(m)) else {
                return own;
            };
            metadata::Material {
                name: if was.name == scene.name { kept.name.clone() } else { own.name },
                diffuse_texture: match texture(was) == own.diffuse_texture {
                    true => kept.diffuse_texture.clone(),
                    false => own.diffuse_texture,
                },
            }
        };
        self.patch.scene.materials.iter().enumerate().map(one).collect()
    }

    /// Merges a node of the original. Its number is the same in the edited scene.
    fn node(&self, n: usize, kept: &metadata::Node, new: &Metadata) -> metadata::Node {
        let (was, is) = (&self.native.nodes[n], &self.patch.scene.nodes[n]);
        let Some(made) = self.new.nodes.get(n).copied().flatten().and_then(|at| new.nodes.get(at)) else {
            return kept.clone();
        };
        let same = self.in_place && was.meshes == is.meshes;
        metadata::Node {
            name: if was.name == is.name { kept.name.clone() } else { made.name.clone() },
            parent: if was.parent == is.parent { kept.parent } else { is.parent.map(|p| p.0) },
            transform: if was.local == is.local { kept.transform } else { made.transform },
            meshes: if same { kept.meshes.clone() } else { made.meshes.clone() },
        }
    }
}

/// Returns a vertex with its edited attributes.
fn merged(kept: Vertex, made: Vertex, changed: Attributes) -> Vertex {
    let turned = changed.has(Attributes::NORMAL);
    Vertex {
        position: if changed.has(Attributes::POSITION) { made.position } else { kept.position },
        uv: if changed.has(Attributes::UV) { made.uv } else { kept.uv },
        normal: if turned { made.normal } else { kept.normal },
        bitangent: if turned { made.bitangent } else { kept.bitangent },
        ..kept
    }
}
