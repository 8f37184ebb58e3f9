//! Merges meshes: the values of all vertex arrays, and triangles.

use super::{IqmMerge, Text};
use crate::model::{ArrayFormat, ArrayKind, Iqm, IqmMesh, VertexArray};
use crate::scene::neighbours::neighbours;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::math::narrow;
use meshwright_core::num::F16;
use meshwright_edit::Attributes;
use meshwright_edit::apply::{Origin, Records, Surface};
use meshwright_scene::{ConvertError, Loss};

/// A vertex of the result, by its indices in both models.
#[derive(Clone, Copy, Default)]
struct Vertex {
    original: Option<usize>,
    made: Option<usize>,
    changed: Attributes,
}

/// A mesh of the result. Its triangles use its own vertex indices.
struct MergedMesh {
    mesh: IqmMesh,
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
    /// The original triangle of each triangle.
    faces: Vec<Option<usize>>,
}

/// The meshes of the result, and the source of each vertex.
#[derive(Default)]
struct Layout {
    meshes: Vec<IqmMesh>,
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
}

fn range(first: u32, count: u32) -> core::ops::Range<usize> {
    first as usize..(first as usize).saturating_add(count as usize)
}

/// Returns the triangles of a mesh with its own vertex indices.
fn triangles(model: &Iqm, mesh: &IqmMesh) -> Vec<[u32; 3]> {
    let own = model.triangles_of(mesh).iter();
    own.map(|t| t.map(|v| v.wrapping_sub(mesh.first_vertex))).collect()
}

impl IqmMerge<'_> {
    /// Writes the meshes into a model. Returns their origins, and whether the vertices are at their old indices.
    pub(super) fn put_meshes(
        &self,
        model: &mut Iqm,
        text: &mut Text<'_>,
        losses: &mut Vec<Loss>,
    ) -> Result<(Records, bool), ConvertError> {
        let records = self.mesh_records()?;
        let mut parts = Vec::with_capacity(records.list.len());
        for origin in &records.list {
            parts.push(self.mesh(origin, text)?);
        }
        self.write_meshes(&records, &parts, model, losses)?;
        let kinds = [ArrayKind::POSITION, ArrayKind::BLEND_INDEXES];
        let edited = |v: &Vertex| v.original.is_none() || kinds.iter().any(|kind| self.is_edited(*kind, v));
        let still = records.is_original() && !parts.iter().flat_map(|p| &p.vertices).any(edited);
        Ok((records, still))
    }

    /// Lists the meshes of the result. Meshes without triangles are invisible, and stay.
    fn mesh_records(&self) -> Result<Records, ConvertError> {
        let all = self.original.meshes.len() + self.made.model.meshes.len();
        self.budget.charge_items("meshes", all as u64, 2 * size_of::<usize>() + size_of::<MergedMesh>())?;
        let of = |mesh: &Option<usize>| self.patch.meshes.get((*mesh)?)?.original;
        let found: Vec<_> = self.made.meshes.iter().map(of).collect();
        let shown = |n: usize| self.patch.original_meshes.get(n).is_some_and(|m| m.triangles > 0);
        Ok(Records::new(self.original.meshes.len(), shown, &found, self.budget)?)
    }

    fn mesh(&self, origin: &Origin, text: &mut Text<'_>) -> Result<MergedMesh, ConvertError> {
        let made = &self.made.model;
        let old = origin.original.and_then(|n| self.original.meshes.get(n)).copied();
        let new = origin.made.and_then(|m| made.meshes.get(m)).copied();
        let source = origin.made.and_then(|m| self.made.meshes.get(m)).copied().flatten();
        let mut mesh = old.or(new).unwrap_or_default();
        if let Some(new) = new {
            let renamed = source.and_then(|m| self.patch.meshes.get(m)).is_none_or(|own| own.renamed);
            if renamed || old.is_none() {
                mesh.name = text.add(made.str(new.name))?;
            }
            if old.is_none() || source.is_none_or(|m| self.patch.is_surface_renamed(m)) {
                mesh.material = text.add(made.str(new.material))?;
            }
        }
        let most =
            |of: fn(&IqmMesh) -> u32| u64::from([old, new].iter().flatten().map(of).max().unwrap_or(0));
        let vertex = size_of::<Vertex>() + 3 * size_of::<u64>();
        self.budget.charge_items("vertices", most(|m| m.vertex_count), vertex)?;
        self.budget.charge_items("triangles", most(|m| m.triangle_count), 160)?;
        let Some(new) = new else {
            let vertex = |v| Vertex { original: Some(v), ..Vertex::default() };
            return Ok(MergedMesh {
                mesh,
                vertices: range(mesh.first_vertex, mesh.vertex_count).map(vertex).collect(),
                triangles: triangles(self.original, &mesh),
                faces: range(mesh.first_triangle, mesh.triangle_count).map(Some).collect(),
            });
        };
        let surface = Surface::new(self.patch, source.filter(|_| old.is_some()));
        let old = old.unwrap_or_default();
        let absolute = |first: u32, at: usize| at.saturating_add(first as usize);
        // Vertices that the conversion adds for tangents come after those of the scene.
        let all = surface.vertices().chain(core::iter::repeat((None, Attributes::NONE)));
        let vertex = |(v, (original, changed)): (usize, (Option<usize>, Attributes))| Vertex {
            original: original.map(|n| absolute(old.first_vertex, n)),
            made: Some(v),
            changed,
        };
        let vertices = range(new.first_vertex, new.vertex_count).zip(all).map(vertex).collect();
        let own = triangles(self.original, &old);
        let new = triangles(made, &new).into_iter();
        let merged = surface.merged_triangles(old.vertex_count as usize, &own, new);
        let face = |(_, n): &([u32; 3], Option<usize>)| n.map(|n| absolute(old.first_triangle, n));
        let faces = merged.iter().map(face).collect();
        Ok(MergedMesh { mesh, vertices, triangles: merged.into_iter().map(|(t, _)| t).collect(), faces })
    }

    /// Returns true if the value of an array was edited for a vertex.
    fn is_edited(&self, kind: ArrayKind, vertex: &Vertex) -> bool {
        let Some(n) = vertex.original else { return vertex.made.is_some() };
        vertex.changed.has(match kind {
            ArrayKind::POSITION => Attributes::MODEL_POSITION,
            ArrayKind::NORMAL => Attributes::MODEL_NORMAL,
            ArrayKind::TEXCOORD => Attributes::UV,
            ArrayKind::COLOR => Attributes::COLOR,
            ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS => {
                let gone = |j: Option<u32>| j.is_some_and(|j| self.new_index(j).is_none());
                let gone = vertex.made.is_some() && self.follows(n).any(gone);
                return gone || vertex.changed.has(Attributes::WEIGHTS);
            }
            _ => Attributes::NONE,
        })
    }

    /// Returns the joints that a vertex of the original follows.
    fn follows(&self, vertex: usize) -> impl Iterator<Item = Option<u32>> {
        let all = self.original.array(ArrayKind::BLEND_INDEXES).map(|_| self.original.influences(vertex));
        let moving = all.into_iter().flatten().filter(|(_, weight)| *weight != 0.0);
        moving.map(|(joint, _)| u32::try_from(joint).ok())
    }

    /// Returns true if a vertex of the original follows a joint with another index in the result.
    fn is_renumbered(&self, vertex: usize) -> bool {
        self.follows(vertex).any(|j| j.is_some_and(|j| self.new_index(j) != Some(j)))
    }

    /// Appends the value of an array for a vertex of the result. `place` is the index of the array in the result: arrays
    /// of the original come first.
    fn put_value(&self, place: usize, array: &VertexArray, vertex: &Vertex, data: &mut Vec<u8>) {
        let kind = array.kind;
        let is_index = kind == ArrayKind::BLEND_INDEXES;
        let unedited = vertex.original.filter(|_| !self.is_edited(kind, vertex));
        let kept = unedited.filter(|n| !is_index || !self.is_renumbered(*n));
        let there = self.original.arrays.get(place);
        if let Some(own) = kept.zip(there).and_then(|(n, array)| bytes_of(array, n)) {
            return data.extend_from_slice(own);
        }
        if is_index {
            return encode(array, self.indexes(unedited, vertex.made), data);
        }
        // Without such an array, vertices are white and follow the first joint.
        let (rest, none) = match kind {
            ArrayKind::COLOR => ([1.0; 4], [1.0; 4]),
            ArrayKind::BLEND_WEIGHTS => ([0.0; 4], [1.0, 0.0, 0.0, 0.0]),
            _ => ([0.0, 0.0, 0.0, 1.0], [0.0; 4]),
        };
        let source = vertex.made.and_then(|m| Some((self.made.model.array(kind)?, m)));
        let values = source.map_or(none, |(array, m)| array.floats(m, rest));
        encode(array, values.map(|v| v * array.unit()), data);
    }

    /// Returns the joint indices of a vertex of the result, which is `kept` in the original if its joints are unedited.
    fn indexes(&self, kept: Option<usize>, made: Option<usize>) -> [f64; 4] {
        let joint = |(joint, weight): (i64, f64)| match (u32::try_from(joint), kept) {
            // A joint with weight 0 may be any joint.
            (Ok(own), Some(_)) => {
                f64::from(self.new_index(own).unwrap_or(if weight == 0.0 { own } else { 0 }))
            }
            // Indices of the other model cannot be used.
            (Ok(own), None) if weight != 0.0 => f64::from(self.joints.of_made(own)),
            _ => 0.0,
        };
        match (kept, made) {
            (Some(n), _) => self.original.influences(n).map(joint),
            (None, Some(m)) => self.made.model.influences(m).map(joint),
            (None, None) => [0.0; 4],
        }
    }

    /// Returns true if the result gets an array that the original does not have.
    fn is_new(&self, array: &VertexArray) -> bool {
        self.original.array(array.kind).is_none()
            && match array.kind {
                ArrayKind::COLOR => true,
                ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS => {
                    self.patch.scene.meshes.iter().any(|m| m.skin.is_some())
                        && self.patch.original_meshes.iter().all(|m| m.skeleton.is_none())
                }
                _ => false,
            }
    }

    fn write_meshes(
        &self,
        records: &Records,
        parts: &[MergedMesh],
        model: &mut Iqm,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let (original, made) = (self.original, &self.made.model);
        let size: u64 = original.arrays.iter().chain(&made.arrays).map(|a| a.data.len() as u64).sum();
        self.budget.charge("vertices", size.saturating_mul(2))?;
        let kept = if records.is_original() { self.layout_in_place(parts)? } else { None };
        let in_place = kept.is_some();
        let layout = kept.map_or_else(|| self.layout_in_sequence(parts, losses), Ok)?;
        let new = made.arrays.iter().filter(|a| self.is_new(a));
        model.arrays.extend(new.map(|array| VertexArray { data: Vec::new(), ..array.clone() }));
        for (place, array) in model.arrays.iter_mut().enumerate() {
            // Values of an unknown format stay where they are.
            if in_place && array.format.width().is_none() {
                continue;
            }
            let mut data = Vec::with_capacity(array.data.len());
            layout.vertices.iter().for_each(|v| self.put_value(place, array, v, &mut data));
            array.data = data;
        }
        model.vertex_count = count(layout.vertices.len())?;
        (model.meshes, model.triangles) = (layout.meshes, layout.triangles);
        self.adjacency(parts, in_place, model)
    }

    /// Returns the layout of the original, if all vertices and triangles of the result have a place there.
    fn layout_in_place(&self, parts: &[MergedMesh]) -> Result<Option<Layout>, ConvertError> {
        let original = self.original;
        let native = |v| Vertex { original: Some(v), ..Vertex::default() };
        let mut layout = Layout {
            meshes: parts.iter().map(|p| p.mesh).collect(),
            vertices: self.budget.reserve("vertices", original.vertex_count as usize)?,
            triangles: original.triangles.clone(),
        };
        layout.vertices.extend((0..original.vertex_count as usize).map(native));
        for MergedMesh { mesh, vertices, triangles, .. } in parts {
            let own = range(mesh.first_vertex, mesh.vertex_count);
            let faces = layout.triangles.get_mut(range(mesh.first_triangle, mesh.triangle_count));
            let faces = faces.filter(|faces| faces.len() == triangles.len());
            let (true, Some(faces)) = (vertices.iter().map(|v| v.original).eq(own.clone().map(Some)), faces)
            else {
                return Ok(None);
            };
            for (to, triangle) in faces.iter_mut().zip(triangles) {
                *to = triangle.map(|v| v.wrapping_add(mesh.first_vertex));
            }
            let slots = layout.vertices.get_mut(own).unwrap_or_default();
            slots.iter_mut().zip(vertices).for_each(|(slot, vertex)| *slot = *vertex);
        }
        let edited = |v: &Vertex| {
            original.arrays.iter().any(|a| self.is_edited(a.kind, v))
                || v.original.is_some_and(|n| self.is_renumbered(n))
        };
        let mut vertices = parts.iter().flat_map(|p| &p.vertices);
        let splits = overlap(parts) && (layout.triangles != original.triangles || vertices.any(edited));
        Ok(Some(layout).filter(|_| !splits))
    }

    /// Returns a layout with the vertices and triangles of all meshes one after the other.
    fn layout_in_sequence(
        &self,
        parts: &[MergedMesh],
        losses: &mut Vec<Loss>,
    ) -> Result<Layout, ConvertError> {
        let used: usize = self.original.meshes.iter().map(|m| m.vertex_count as usize).sum();
        let unused = (self.original.vertex_count as usize).saturating_sub(used);
        if unused > 0 {
            let message = "vertices outside every mesh were dropped";
            losses.push(
                Loss::new("vertices-unused", "meshes", message).with_count(unused, "vertex", "vertices"),
            );
        }
        let mut layout = Layout::default();
        for part in parts {
            let first_vertex = count(layout.vertices.len())?;
            layout.meshes.push(IqmMesh {
                first_vertex,
                vertex_count: count(part.vertices.len())?,
                first_triangle: count(layout.triangles.len())?,
                triangle_count: count(part.triangles.len())?,
                ..part.mesh
            });
            layout.vertices.extend(&part.vertices);
            let triangles = part.triangles.iter();
            layout.triangles.extend(triangles.map(|t| t.map(|v| v.wrapping_add(first_vertex))));
        }
        Ok(layout)
    }

    /// Updates the neighbours of triangles, if triangles changed.
    fn adjacency(&self, parts: &[MergedMesh], in_place: bool, model: &mut Iqm) -> Result<(), ConvertError> {
        let (native, budget) = (self.original, self.budget);
        let Some(old) = &native.adjacency else { return Ok(()) };
        let places = |m: &Iqm| m.array(ArrayKind::POSITION).map(|a| a.data.clone());
        if native.triangles == model.triangles && places(native) == places(model) {
            return Ok(());
        }
        let beside = |m: &Iqm| {
            let positions = m.array(ArrayKind::POSITION);
            let at = |v: usize| narrow(positions.map_or([0.0; 3], |a| a.floats(v, [0.0; 3])));
            neighbours((0..m.vertex_count as usize).map(at), &m.triangles, budget)
        };
        let (was, mut is) = (beside(native)?, beside(model)?);
        let faces = || parts.iter().flat_map(|p| p.faces.iter().copied());
        let origins: Vec<_> = if in_place { (0..is.len()).map(Some).collect() } else { faces().collect() };
        let mut numbers = budget.filled("adjacency", old.len(), Iqm::NO_NEIGHBOUR)?;
        for (t, native) in (0_u32..).zip(&origins) {
            if let Some(slot) = native.and_then(|n| numbers.get_mut(n)) {
                *slot = t;
            }
        }
        let number = |t: u32| numbers.get(t as usize).copied().unwrap_or(Iqm::NO_NEIGHBOUR);
        for (row, native) in is.iter_mut().zip(&origins) {
            let pair = native.and_then(|n| was.get(n).zip(old.get(n)));
            if let Some((_, kept)) = pair.filter(|(was, _)| was.map(number) == *row) {
                // A value that is not the index of a triangle stays.
                *row = kept.map(|t| if (t as usize) < numbers.len() { number(t) } else { t });
            }
        }
        model.adjacency = Some(is);
        Ok(())
    }
}

fn count(number: usize) -> Result<u32, ConvertError> {
    let many = |_| ConvertError::unsupported("meshes", "more vertices or triangles than 32 bits count");
    u32::try_from(number).map_err(many)
}

/// Returns the bytes of a value of an array.
fn bytes_of(array: &VertexArray, vertex: usize) -> Option<&[u8]> {
    let size = (array.format.width()? as usize).checked_mul(array.components as usize)?;
    array.data.get(vertex.checked_mul(size)?..vertex.checked_add(1)?.checked_mul(size)?)
}

/// Returns true if meshes share vertices or triangles.
fn overlap(parts: &[MergedMesh]) -> bool {
    let some = |of: fn(&IqmMesh) -> (u32, u32)| {
        let mut ranges: Vec<_> = parts.iter().map(|p| of(&p.mesh)).filter(|r| r.1 > 0).collect();
        ranges.order();
        ranges.windows(2).any(|w| matches!(w, [a, b] if a.0.saturating_add(a.1) > b.0))
    };
    some(|m| (m.first_vertex, m.vertex_count)) || some(|m| (m.first_triangle, m.triangle_count))
}

/// Encodes a value for an array. Whole numbers are rounded and clamped to their range.
fn encode(array: &VertexArray, values: [f64; 4], data: &mut Vec<u8>) {
    for c in 0..array.components as usize {
        let v = values.get(c).copied().unwrap_or(0.0);
        let whole = |least: f64, most: f64| {
            #[expect(clippy::cast_possible_truncation, reason = "cut to the range")]
            let whole = (v + if v < 0.0 { -0.5 } else { 0.5 }).clamp(least, most) as i64;
            whole.to_le_bytes()
        };
        let signed = -array.unit();
        let all: [u8; 8] = match array.format {
            ArrayFormat::I8 | ArrayFormat::I16 | ArrayFormat::I32 => whole(signed, array.unit()),
            ArrayFormat::U8 | ArrayFormat::U16 | ArrayFormat::U32 => whole(0.0, array.unit()),
            ArrayFormat::HALF => u64::from(F16::encode_saturating(narrow([v])[0]).to_bits()).to_le_bytes(),
            ArrayFormat::FLOAT => u64::from(narrow([v])[0].to_bits()).to_le_bytes(),
            _ => v.to_le_bytes(),
        };
        data.extend(all.iter().take(array.format.width().unwrap_or(0) as usize));
    }
}
