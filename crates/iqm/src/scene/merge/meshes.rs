//! Meshes: the value of each array for each vertex, and triangles.

use super::joints::MergedJoints;
use super::text::Text;
use super::work::{Work, identity, number};
use crate::model::{ArrayFormat, ArrayKind, Iqm, IqmMesh, VertexArray};
use crate::scene::neighbours::neighbours;
use alloc::vec::Vec;
use meshwright_core::math::narrow;
use meshwright_core::num::F16;
use meshwright_edit::three_way::{Match, Trio, Trios, digest, sequence};
use meshwright_scene::{ConvertError, Loss};

/// A mesh of the result: its vertices by their numbers in the three models, and its triangles by its own vertices.
struct Part {
    mesh: IqmMesh,
    vertices: Vec<Trio>,
    triangles: Vec<[u32; 3]>,
    /// The native triangle that each was.
    faces: Match,
}

struct Meshes<'a> {
    work: &'a Work<'a>,
    joints: &'a MergedJoints<'a>,
    /// The native model, before, after.
    models: [&'a Iqm; 3],
}

/// Puts the meshes into a model, and says which they are, and whether their vertices stand as they stood.
pub(super) fn merge(
    work: &Work<'_>,
    joints: &MergedJoints<'_>,
    model: &mut Iqm,
    text: &mut Text<'_>,
    losses: &mut Vec<Loss>,
) -> Result<(Trios, bool), ConvertError> {
    let models = [work.native, &work.before.model, &work.after.model];
    let meshes = Meshes { work, joints, models };
    let trios = meshes.trios()?;
    let (mut parts, mut rewritten) = (Vec::with_capacity(trios.records.len()), 0_usize);
    for trio in &trios.records {
        parts.push(meshes.part(trio, text, &mut rewritten)?);
    }
    if rewritten > 0 {
        let message = "the scene counts other vertices or triangles than the model; these are written anew";
        losses.push(Loss::new("mesh-rewritten", "meshes", message).with_count(rewritten, "mesh", "meshes"));
    }
    meshes.put(&trios, &parts, model, losses)?;
    // Whether every vertex is where it was, and on the same joints.
    let kinds = [ArrayKind::POSITION, ArrayKind::BLEND_INDEXES];
    let edited = |v: &Trio| v.native.is_none() || kinds.iter().any(|kind| meshes.is_edited(*kind, v));
    let still = trios.is_native() && !parts.iter().flat_map(|p| &p.vertices).any(edited);
    Ok((trios, still))
}

fn range(first: u32, count: u32) -> core::ops::Range<usize> {
    first as usize..(first as usize).saturating_add(count as usize)
}

impl Meshes<'_> {
    fn trios(&self) -> Result<Trios, ConvertError> {
        let (work, budget) = (self.work, self.work.budget);
        let all: usize = self.models.iter().map(|m| m.meshes.len()).sum();
        budget.charge_items("meshes", all as u64, 2 * size_of::<usize>() + size_of::<Part>())?;
        // The meshes of the native scene are those of the model; what is drawn again is another mesh.
        let mut places: Match = budget.filled("meshes", work.native.meshes.len(), None)?;
        let mut there: Match = budget.filled("meshes", work.before.meshes.len(), None)?;
        for (b, (mesh, slot)) in work.before.meshes.iter().zip(&mut there).enumerate() {
            if let Some((m, place)) = mesh.and_then(|m| Some((m, places.get_mut(m)?)))
                && place.is_none()
            {
                (*place, *slot) = (Some(b), Some(m));
            }
        }
        let mut free = budget.filled("meshes", work.before.meshes.len(), true)?;
        let mut edited: Match = budget.filled("meshes", work.after.meshes.len(), None)?;
        for (mesh, slot) in work.after.meshes.iter().zip(&mut edited) {
            let native = mesh.and_then(|m| work.meshes.get(m).copied().flatten());
            *slot =
                native.and_then(|n| places.get(n).copied().flatten()).filter(|b| free.get(*b) == Some(&true));
            if let Some(free) = slot.and_then(|b| free.get_mut(b)) {
                *free = false;
            }
        }
        Ok(Trios::of(work.native.meshes.len(), &there, &edited, true, budget)?)
    }

    fn mesh(&self, model: usize, at: Option<usize>) -> Option<&IqmMesh> {
        self.models[model].meshes.get(at?)
    }

    /// The triangles of a mesh by its own vertices.
    fn triangles(&self, model: usize, mesh: &IqmMesh) -> Vec<[u32; 3]> {
        let own = self.models[model].triangles_of(mesh).iter();
        own.map(|t| t.map(|v| v.wrapping_sub(mesh.first_vertex))).collect()
    }

    fn part(&self, trio: &Trio, text: &mut Text<'_>, rewritten: &mut usize) -> Result<Part, ConvertError> {
        let budget = self.work.budget;
        let (n, b, a) = (self.mesh(0, trio.native), self.mesh(1, trio.before), self.mesh(2, trio.after));
        let [_, before, after] = self.models;
        let mut mesh = n.or(a).copied().unwrap_or_default();
        if let Some(a) = a {
            let same = |id: fn(&IqmMesh) -> crate::model::TextId| {
                b.is_some_and(|b| before.str(id(b)) == after.str(id(a))) && n.is_some()
            };
            if !same(|m| m.name) {
                mesh.name = text.put(after.str(a.name))?;
            }
            if !same(|m| m.material) {
                mesh.material = text.put(after.str(a.material))?;
            }
        }
        let count = n.map_or(0, |m| m.vertex_count).max(a.map_or(0, |m| m.vertex_count));
        budget.charge_items("vertices", count.into(), size_of::<Trio>() + 3 * size_of::<u64>())?;
        let faces = n.map_or(0, |m| m.triangle_count).max(a.map_or(0, |m| m.triangle_count));
        budget.charge_items("triangles", faces.into(), 160)?;
        let absolute = |first: u32, at: Option<usize>| at.map(|at| at.saturating_add(first as usize));
        let counts = |m: &IqmMesh| (m.vertex_count, m.triangle_count);
        let (Some(n), Some(b), Some(a)) = (n, b, a) else {
            let (model, own) = if n.is_some() { (0, n) } else { (2, a) };
            return Ok(self.whole(model, own.copied().unwrap_or_default(), mesh));
        };
        let keys = |model: usize, m: &IqmMesh| -> Vec<u64> {
            range(m.first_vertex, m.vertex_count).map(|v| self.key(model, v)).collect()
        };
        let (old, new) = (keys(1, b), keys(2, a));
        if counts(n) != counts(b) {
            if old == new && self.triangles(1, b) == self.triangles(2, a) {
                return Ok(self.whole(0, *n, mesh));
            }
            *rewritten += 1;
            return Ok(self.whole(2, *a, mesh));
        }
        let places =
            Trios::of(old.len(), &identity(old.len()), &sequence(&old, &new, budget)?, false, budget)?;
        let vertices = places.records.iter().map(|t| Trio {
            native: absolute(n.first_vertex, t.native),
            before: absolute(b.first_vertex, t.before),
            after: absolute(a.first_vertex, t.after),
        });
        let of_before = |v: u32| places.of_before(v as usize).and_then(|at| u32::try_from(at).ok());
        let key = |t: [Option<u32>; 3]| digest(t.map(|v| v.unwrap_or(u32::MAX)));
        let (was, is) = (self.triangles(1, b), self.triangles(2, a));
        let old: Vec<u64> = was.iter().map(|t| key(t.map(of_before))).collect();
        let new: Vec<u64> = is.iter().map(|t| key(t.map(|v| number(&places, v)))).collect();
        let found = sequence(&old, &new, budget)?;
        let trios = Trios::of(old.len(), &identity(old.len()), &found, false, budget)?;
        let own = self.triangles(0, n);
        let triangle = |t: &Trio| {
            let still = t.before.zip(t.after).is_some_and(|(b, a)| old[b] == new[a]);
            let native = t.native.map(|n| own[n].map(|v| places.of_native(v as usize)));
            let edited = t.after.map(|a| is[a].map(|v| number(&places, v).unwrap_or(0)));
            match native.filter(|_| still) {
                Some([Some(a), Some(b), Some(c)]) => [a, b, c].map(|v| u32::try_from(v).unwrap_or(u32::MAX)),
                _ => edited.unwrap_or_default(),
            }
        };
        let triangles = trios.records.iter().map(triangle).collect();
        let faces = trios.records.iter().map(|t| absolute(n.first_triangle, t.native)).collect();
        Ok(Part { mesh, vertices: vertices.collect(), triangles, faces })
    }

    /// A mesh of one model alone.
    fn whole(&self, model: usize, own: IqmMesh, mesh: IqmMesh) -> Part {
        let vertex = |v| match model {
            0 => Trio { native: Some(v), before: None, after: None },
            _ => Trio { native: None, before: None, after: Some(v) },
        };
        let vertices = range(own.first_vertex, own.vertex_count).map(vertex).collect();
        let face = |t: usize| (model == 0).then_some(t);
        let faces = range(own.first_triangle, own.triangle_count).map(face).collect();
        Part { mesh, vertices, triangles: self.triangles(model, &own), faces }
    }

    /// The bytes of a value of the first array of a kind.
    fn bytes(&self, model: usize, kind: ArrayKind, vertex: usize) -> Option<&[u8]> {
        bytes_of(self.models[model].array(kind)?, vertex)
    }

    /// The joints of a vertex of before or after, by their numbers in the result.
    fn follows(&self, model: usize, vertex: usize) -> Vec<(Option<u32>, u32)> {
        let joint = |(joint, weight): (i64, f64)| {
            let own = u32::try_from(joint).ok().filter(|_| weight != 0.0);
            (own.map(|j| self.joints.number(model, j).unwrap_or(u32::MAX)), narrow([weight])[0].to_bits())
        };
        self.models[model].influences(vertex).into_iter().map(joint).collect()
    }

    fn key(&self, model: usize, vertex: usize) -> u64 {
        let kinds = [
            ArrayKind::POSITION,
            ArrayKind::TEXCOORD,
            ArrayKind::NORMAL,
            ArrayKind::TANGENT,
            ArrayKind::COLOR,
        ];
        let own = kinds.into_iter().filter_map(|kind| self.bytes(model, kind, vertex)).flatten();
        let follows = self.follows(model, vertex);
        let joints = follows.iter().flat_map(|(j, w)| [j.unwrap_or(u32::MAX), *w]);
        digest(own.map(|b| u32::from(*b)).chain(joints))
    }

    /// Whether the value of an array was edited for a vertex.
    fn is_edited(&self, kind: ArrayKind, vertex: &Trio) -> bool {
        let (Some(b), Some(a)) = (vertex.before, vertex.after) else { return vertex.after.is_some() };
        match kind {
            ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS => self.follows(1, b) != self.follows(2, a),
            _ => self.bytes(1, kind, b) != self.bytes(2, kind, a),
        }
    }

    /// The value of an array, which has this number in the native model, for a vertex of the result.
    fn value(&self, place: Option<usize>, array: &VertexArray, vertex: &Trio) -> Vec<u8> {
        let kind = array.kind;
        let is_index = kind == ArrayKind::BLEND_INDEXES;
        let native = vertex.native.filter(|_| !self.is_edited(kind, vertex)).filter(|_| !is_index);
        let there = place.and_then(|place| self.models[0].arrays.get(place));
        if let Some(own) = native.zip(there).and_then(|(n, array)| bytes_of(array, n)) {
            return own.to_vec();
        }
        if is_index {
            return self.indexes(array, vertex);
        }
        // What has no such array is white, and follows the first joint.
        let (rest, none) = match kind {
            ArrayKind::COLOR => ([1.0; 4], [1.0; 4]),
            ArrayKind::BLEND_WEIGHTS => ([0.0; 4], [1.0, 0.0, 0.0, 0.0]),
            _ => ([0.0, 0.0, 0.0, 1.0], [0.0; 4]),
        };
        let source = vertex.after.and_then(|a| Some((self.models[2].array(kind)?, a)));
        let values = source.map_or(none, |(array, a)| array.floats(a, rest));
        encode(array, values.map(|v| v * array.unit()))
    }

    /// The joints of a vertex of the result.
    fn indexes(&self, array: &VertexArray, vertex: &Trio) -> Vec<u8> {
        let kept = vertex.native.filter(|_| !self.is_edited(array.kind, vertex));
        let (model, at) = match (kept, vertex.after, vertex.native) {
            (Some(n), ..) => (0, n),
            (None, Some(a), _) => (2, a),
            (None, None, n) => (0, n.unwrap_or(0)),
        };
        let joint = |(joint, weight): (i64, f64)| match u32::try_from(joint) {
            // A number of another model says nothing here.
            Ok(_) if weight == 0.0 && model > 0 => 0.0,
            // What moves nothing may be anything.
            Ok(own) if weight == 0.0 => f64::from(self.joints.number(model, own).unwrap_or(own)),
            Ok(own) if model == 0 => f64::from(self.joints.kept(own)),
            Ok(own) => f64::from(self.joints.found(model, own)),
            Err(_) => 0.0,
        };
        encode(array, self.models[model].influences(at).map(joint))
    }

    fn put(
        &self,
        trios: &Trios,
        parts: &[Part],
        model: &mut Iqm,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let [native, before, after] = self.models;
        let known = |list: &Iqm, kind| list.array(kind).is_some();
        let new: Vec<&VertexArray> =
            after.arrays.iter().filter(|a| !known(native, a.kind) && !known(before, a.kind)).collect();
        let kinds =
            |v: &Trio| native.arrays.iter().any(|a| self.is_edited(a.kind, v)) || vertex_moves(self, v);
        let still = |p: &Part| p.vertices.iter().all(|v| !kinds(v));
        let places = |p: &Part| {
            let own = range(p.mesh.first_vertex, p.mesh.vertex_count);
            p.vertices.iter().map(|v| v.native).eq(own.map(Some))
                && p.triangles.len() == p.mesh.triangle_count as usize
        };
        let in_place = trios.is_native() && parts.iter().all(places);
        let faces = |p: &Part| self.triangles(0, &p.mesh) == p.triangles;
        let unmoved = in_place && parts.iter().all(|p| still(p) && faces(p));
        if unmoved && new.is_empty() {
            model.meshes = parts.iter().map(|p| p.mesh).collect();
            return Ok(());
        }
        let size: u64 = native.arrays.iter().chain(&after.arrays).map(|a| a.data.len() as u64).sum();
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

    /// Puts the triangles beside each triangle into the model, where what is there is other than it was.
    fn adjacency(&self, parts: &[Part], in_place: bool, model: &mut Iqm) -> Result<(), ConvertError> {
        let (native, budget) = (self.models[0], self.work.budget);
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
        let origins: Match =
            if in_place { identity(is.len()) } else { parts.iter().flat_map(|p| p.faces.clone()).collect() };
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
                // What is no number of a triangle stays what it is.
                *row = kept.map(|t| if (t as usize) < numbers.len() { number(t) } else { t });
            }
        }
        model.adjacency = Some(is);
        Ok(())
    }

    /// Puts what was edited where the native vertices and triangles are.
    fn patch(&self, part: &Part, model: &mut Iqm) {
        for (place, array) in model.arrays.iter_mut().enumerate() {
            let Some(width) = array.format.width() else { continue };
            let size = (width as usize).saturating_mul(array.components as usize);
            for vertex in &part.vertices {
                let Some(n) = vertex.native else { continue };
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

    /// Puts the vertices and triangles of all meshes behind each other.
    fn rebuild(&self, parts: &[Part], model: &mut Iqm, losses: &mut Vec<Loss>) -> Result<(), ConvertError> {
        let many = |_| ConvertError::unsupported("meshes", "more vertices or triangles than 32 bits count");
        let used: usize = self.models[0].meshes.iter().map(|m| m.vertex_count as usize).sum();
        let unused = (self.models[0].vertex_count as usize).saturating_sub(used);
        if unused > 0 {
            let message = "vertices that no mesh has are left out";
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

/// The bytes of a value of an array.
fn bytes_of(array: &VertexArray, vertex: usize) -> Option<&[u8]> {
    let size = (array.format.width()? as usize).checked_mul(array.components as usize)?;
    array.data.get(vertex.checked_mul(size)?..vertex.checked_add(1)?.checked_mul(size)?)
}

/// Whether a vertex hangs on joints of other numbers.
fn vertex_moves(meshes: &Meshes<'_>, vertex: &Trio) -> bool {
    let Some(n) = vertex.native else { return true };
    let moved = |(joint, weight): (i64, f64)| {
        let own = u32::try_from(joint).ok();
        weight != 0.0 && own.is_some_and(|j| meshes.joints.kept(j) != j)
    };
    meshes.models[0].array(ArrayKind::BLEND_INDEXES).is_some()
        && meshes.models[0].influences(n).into_iter().any(moved)
}

/// Whether meshes have vertices or triangles in common.
fn overlap(parts: &[Part]) -> bool {
    let some = |of: fn(&IqmMesh) -> (u32, u32)| {
        let mut ranges: Vec<_> = parts.iter().map(|p| of(&p.mesh)).filter(|r| r.1 > 0).collect();
        ranges.sort_unstable();
        ranges.windows(2).any(|w| matches!(w, [a, b] if a.0.saturating_add(a.1) > b.0))
    };
    some(|m| (m.first_vertex, m.vertex_count)) || some(|m| (m.first_triangle, m.triangle_count))
}

/// A value as an array stores it, whole numbers rounded and cut to what there is room for.
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
