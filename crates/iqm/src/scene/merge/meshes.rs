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

struct Meshes<'a> {
    work: &'a IqmMerge<'a>,
    original: &'a Iqm,
    made: &'a Iqm,
}

/// Writes the meshes into a model. Returns their origins, and whether the vertices are at their old indices.
pub(super) fn merge(
    work: &IqmMerge<'_>,
    model: &mut Iqm,
    text: &mut Text<'_>,
    losses: &mut Vec<Loss>,
) -> Result<(Records, bool), ConvertError> {
    let meshes = Meshes { work, original: work.original, made: &work.made.model };
    let records = meshes.records()?;
    let mut parts = Vec::with_capacity(records.list.len());
    for origin in &records.list {
        parts.push(meshes.part(origin, text)?);
    }
    meshes.write_meshes(&records, &parts, model, losses)?;
    let kinds = [ArrayKind::POSITION, ArrayKind::BLEND_INDEXES];
    let edited = |v: &Vertex| v.original.is_none() || kinds.iter().any(|kind| meshes.is_edited(*kind, v));
    let still = records.is_original() && !parts.iter().flat_map(|p| &p.vertices).any(edited);
    Ok((records, still))
}

fn range(first: u32, count: u32) -> core::ops::Range<usize> {
    first as usize..(first as usize).saturating_add(count as usize)
}

/// Returns the triangles of a mesh with its own vertex indices.
fn triangles(model: &Iqm, mesh: &IqmMesh) -> Vec<[u32; 3]> {
    let own = model.triangles_of(mesh).iter();
    own.map(|t| t.map(|v| v.wrapping_sub(mesh.first_vertex))).collect()
}

impl Meshes<'_> {
    /// Lists the meshes of the result. Meshes without triangles are invisible, and stay.
    fn records(&self) -> Result<Records, ConvertError> {
        let (work, budget) = (self.work, self.work.budget);
        let all = self.original.meshes.len() + self.made.meshes.len();
        budget.charge_items("meshes", all as u64, 2 * size_of::<usize>() + size_of::<MergedMesh>())?;
        let of = |mesh: &Option<usize>| work.patch.meshes.get((*mesh)?)?.original;
        let found: Vec<_> = work.made.meshes.iter().map(of).collect();
        let shown = |n: usize| work.patch.original_meshes.get(n).is_some_and(|m| m.triangles > 0);
        Ok(Records::new(self.original.meshes.len(), shown, &found, budget)?)
    }

    fn part(&self, origin: &Origin, text: &mut Text<'_>) -> Result<MergedMesh, ConvertError> {
        let (work, made) = (self.work, self.made);
        let old = origin.original.and_then(|n| self.original.meshes.get(n)).copied();
        let new = origin.made.and_then(|m| made.meshes.get(m)).copied();
        let source = origin.made.and_then(|m| work.made.meshes.get(m)).copied().flatten();
        let mut mesh = old.or(new).unwrap_or_default();
        if let Some(new) = new {
            let renamed = source.and_then(|m| work.patch.meshes.get(m)).is_none_or(|own| own.renamed);
            if renamed || old.is_none() {
                mesh.name = text.add(made.str(new.name))?;
            }
            if old.is_none() || source.is_none_or(|m| work.patch.is_surface_renamed(m)) {
                mesh.material = text.add(made.str(new.material))?;
            }
        }
        let count =
            |of: fn(&IqmMesh) -> u32| u64::from([old, new].iter().flatten().map(of).max().unwrap_or(0));
        let vertex = size_of::<Vertex>() + 3 * size_of::<u64>();
        work.budget.charge_items("vertices", count(|m| m.vertex_count), vertex)?;
        work.budget.charge_items("triangles", count(|m| m.triangle_count), 160)?;
        let (Some(old), Some(new)) = (old, new) else {
            let vertex = |v: usize| match old {
                Some(_) => Vertex { original: Some(v), ..Vertex::default() },
                None => Vertex { made: Some(v), ..Vertex::default() },
            };
            let own = old.or(new).unwrap_or_default();
            let model = if old.is_some() { self.original } else { made };
            let faces = range(own.first_triangle, own.triangle_count);
            return Ok(MergedMesh {
                mesh,
                vertices: range(own.first_vertex, own.vertex_count).map(vertex).collect(),
                triangles: triangles(model, &own),
                faces: faces.map(|t| old.map(|_| t)).collect(),
            });
        };
        let surface = Surface::new(work.patch, source);
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
        let places = surface.places(old.vertex_count as usize);
        let merged =
            surface.merged_triangles(&places, |t| own.get(t).copied(), triangles(made, &new).into_iter());
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
                let gone = |j: Option<u32>| j.is_some_and(|j| self.work.new_index(j).is_none());
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

    /// Returns the value of an array for a vertex of the result. `place` is the index of the array in the original.
    fn value(&self, place: Option<usize>, array: &VertexArray, vertex: &Vertex) -> Vec<u8> {
        let kind = array.kind;
        let is_index = kind == ArrayKind::BLEND_INDEXES;
        let kept = vertex.original.filter(|_| !self.is_edited(kind, vertex)).filter(|_| !is_index);
        let there = place.and_then(|place| self.original.arrays.get(place));
        if let Some(own) = kept.zip(there).and_then(|(n, array)| bytes_of(array, n)) {
            return own.to_vec();
        }
        if is_index {
            return self.indexes(array, vertex);
        }
        // Without such an array, vertices are white and follow the first joint.
        let (rest, none) = match kind {
            ArrayKind::COLOR => ([1.0; 4], [1.0; 4]),
            ArrayKind::BLEND_WEIGHTS => ([0.0; 4], [1.0, 0.0, 0.0, 0.0]),
            _ => ([0.0, 0.0, 0.0, 1.0], [0.0; 4]),
        };
        let source = vertex.made.and_then(|m| Some((self.made.array(kind)?, m)));
        let values = source.map_or(none, |(array, m)| array.floats(m, rest));
        encode(array, values.map(|v| v * array.unit()))
    }

    /// Returns the joint indices of a vertex of the result.
    fn indexes(&self, array: &VertexArray, vertex: &Vertex) -> Vec<u8> {
        let kept = vertex.original.filter(|_| !self.is_edited(array.kind, vertex));
        let joint = |(joint, weight): (i64, f64)| match (u32::try_from(joint), kept) {
            // A joint with weight 0 may be any joint.
            (Ok(own), Some(_)) => {
                f64::from(self.work.new_index(own).unwrap_or(if weight == 0.0 { own } else { 0 }))
            }
            // Indices of the other model cannot be used.
            (Ok(own), None) if weight != 0.0 => f64::from(self.work.joints.of_made(own)),
            _ => 0.0,
        };
        let values = match (kept, vertex.made) {
            (Some(n), _) => self.original.influences(n).map(joint),
            (None, Some(m)) => self.made.influences(m).map(joint),
            (None, None) => [0.0; 4],
        };
        encode(array, values)
    }

    /// Returns true if the result gets an array that the original does not have.
    fn is_new(&self, array: &VertexArray) -> bool {
        self.original.array(array.kind).is_none()
            && match array.kind {
                ArrayKind::COLOR => true,
                ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS => {
                    self.work.patch.scene.meshes.iter().any(|m| m.skin.is_some())
                        && self.work.patch.original_meshes.iter().all(|m| m.skeleton.is_none())
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
        let (original, made) = (self.original, self.made);
        let new: Vec<&VertexArray> = made.arrays.iter().filter(|a| self.is_new(a)).collect();
        let moves = |v: &Vertex| {
            let moved = |j: Option<u32>| j.is_some_and(|j| self.work.new_index(j) != Some(j));
            v.original.is_none_or(|n| self.follows(n).any(moved))
        };
        let edited = |v: &Vertex| original.arrays.iter().any(|a| self.is_edited(a.kind, v)) || moves(v);
        let still = |p: &MergedMesh| !p.vertices.iter().any(edited);
        let places = |p: &MergedMesh| {
            let own = range(p.mesh.first_vertex, p.mesh.vertex_count);
            p.vertices.iter().map(|v| v.original).eq(own.map(Some))
                && p.triangles.len() == p.mesh.triangle_count as usize
        };
        let in_place = records.is_original() && parts.iter().all(places);
        let faces = |p: &MergedMesh| triangles(original, &p.mesh) == p.triangles;
        let unmoved = in_place && parts.iter().all(|p| still(p) && faces(p));
        if unmoved && new.is_empty() {
            model.meshes = parts.iter().map(|p| p.mesh).collect();
            return Ok(());
        }
        let size: u64 = original.arrays.iter().chain(&made.arrays).map(|a| a.data.len() as u64).sum();
        self.work.budget.charge("vertices", size.saturating_mul(2))?;
        if in_place && !overlap(parts) {
            for part in parts {
                self.patch(part, model);
            }
            model.meshes = parts.iter().map(|p| p.mesh).collect();
        } else {
            self.rebuild(parts, model, losses)?;
        }
        for array in new {
            let mut made = VertexArray { data: Vec::new(), ..array.clone() };
            let mut values = self.work.budget.filled("vertices", model.vertex_count as usize, None)?;
            for (part, mesh) in parts.iter().zip(&model.meshes) {
                let own = values.get_mut(range(mesh.first_vertex, mesh.vertex_count)).unwrap_or_default();
                for (slot, vertex) in own.iter_mut().zip(&part.vertices) {
                    *slot = Some(*vertex);
                }
            }
            for vertex in values {
                made.data.extend(self.value(None, array, &vertex.unwrap_or_default()));
            }
            model.arrays.push(made);
        }
        self.adjacency(parts, in_place, model)
    }

    /// Updates the neighbours of triangles, if triangles changed.
    fn adjacency(&self, parts: &[MergedMesh], in_place: bool, model: &mut Iqm) -> Result<(), ConvertError> {
        let (native, budget) = (self.original, self.work.budget);
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

    /// Overwrites the edited values in the original's vertices and triangles.
    fn patch(&self, part: &MergedMesh, model: &mut Iqm) {
        for (place, array) in model.arrays.iter_mut().enumerate() {
            let Some(width) = array.format.width() else { continue };
            let size = (width as usize).saturating_mul(array.components as usize);
            for vertex in &part.vertices {
                let Some(n) = vertex.original else { continue };
                if !self.is_edited(array.kind, vertex) && array.kind != ArrayKind::BLEND_INDEXES {
                    continue;
                }
                let value = self.value(Some(place), array, vertex);
                let at = n.saturating_mul(size);
                if let Some(to) = array.data.get_mut(at..at.saturating_add(value.len())) {
                    to.copy_from_slice(&value);
                }
            }
        }
        let (mesh, first) = (part.mesh, part.mesh.first_vertex);
        let own = model.triangles.get_mut(range(mesh.first_triangle, mesh.triangle_count));
        for (to, triangle) in own.unwrap_or_default().iter_mut().zip(&part.triangles) {
            *to = triangle.map(|v| v.wrapping_add(first));
        }
    }

    /// Writes the vertices and triangles of all meshes one after the other.
    fn rebuild(
        &self,
        parts: &[MergedMesh],
        model: &mut Iqm,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let many = |_| ConvertError::unsupported("meshes", "more vertices or triangles than 32 bits count");
        let used: usize = self.original.meshes.iter().map(|m| m.vertex_count as usize).sum();
        let unused = (self.original.vertex_count as usize).saturating_sub(used);
        if unused > 0 {
            let message = "vertices outside every mesh were dropped";
            losses.push(
                Loss::new("vertices-unused", "meshes", message).with_count(unused, "vertex", "vertices"),
            );
        }
        for array in &mut model.arrays {
            array.data = Vec::new();
        }
        (model.meshes, model.triangles) = (Vec::new(), Vec::new());
        let mut count = 0_u32;
        for part in parts {
            let own = u32::try_from(part.vertices.len()).map_err(many)?;
            let end = count.checked_add(own);
            let first_triangle = u32::try_from(model.triangles.len()).map_err(many)?;
            for (place, array) in model.arrays.iter_mut().enumerate() {
                let kind = VertexArray { data: Vec::new(), ..array.clone() };
                part.vertices.iter().for_each(|v| array.data.extend(self.value(Some(place), &kind, v)));
            }
            model.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v.wrapping_add(count))));
            model.meshes.push(IqmMesh {
                first_vertex: count,
                vertex_count: own,
                first_triangle,
                triangle_count: u32::try_from(part.triangles.len()).map_err(many)?,
                ..part.mesh
            });
            count =
                end.ok_or_else(|| ConvertError::unsupported("meshes", "more vertices than 32 bits count"))?;
        }
        model.vertex_count = count;
        Ok(())
    }
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
fn encode(array: &VertexArray, values: [f64; 4]) -> Vec<u8> {
    let mut bytes = Vec::new();
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
        bytes.extend(all.iter().take(array.format.width().unwrap_or(0) as usize));
    }
    bytes
}
