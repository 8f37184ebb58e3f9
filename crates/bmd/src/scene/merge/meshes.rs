//! Meshes: vertices by the corners of triangles.

use super::bones::{Helper, MergedBones};
use super::work::Work;
use crate::model::{Bmd, Mesh, MeshFlags, identity};
use crate::packed::{Primitive, PrimitiveKind, Vertex};
use crate::scene::from_scene::Traced;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, narrow, wide};
use meshwright_core::num::{F8A, F16, Se32, St14Form};
use meshwright_edit::three_way::{Match, Trio, Trios, digest, pick, sequence};
use meshwright_scene::{ConvertError, Mesh as SceneMesh, Scene};

/// The meshes of the result.
pub(super) struct MergedMeshes {
    pub(super) list: Vec<Mesh>,
    /// Meshes of which the native model has other counts than the scene, and which are new throughout.
    pub(super) rewritten: usize,
}

pub(super) struct Meshes<'a> {
    work: &'a Work<'a>,
    bones: &'a MergedBones,
    trios: &'a Trios,
    form: St14Form,
    /// The matrices at rest of the bones of the three models.
    rests: [Vec<Affine64>; 3],
}

/// A corner of a triangle in the three models.
type Corner = [Option<u32>; 3];

impl<'a> Meshes<'a> {
    pub(super) fn of(work: &'a Work<'a>, bones: &'a MergedBones, trios: &'a Trios) -> Self {
        let rest = |model: &Bmd| model.rest().map(|m| m.pose(0.0).matrices().to_vec()).unwrap_or_default();
        let rests = [work.native, &work.before.model, &work.after.model].map(rest);
        Self { work, bones, trios, form: work.native.st_form(), rests }
    }

    pub(super) fn merge(&self) -> Result<MergedMeshes, ConvertError> {
        let mut made = MergedMeshes { list: Vec::new(), rewritten: 0 };
        made.list = self.work.budget.reserve("meshes", self.trios.records.len())?;
        let mut shared = Shared::default();
        for trio in &self.trios.records {
            let native = trio.native.and_then(|n| self.work.native.meshes.get(n));
            let before = trio.before.and_then(|b| self.work.before.model.meshes.get(b));
            let after = trio.after.and_then(|a| self.work.after.model.meshes.get(a));
            let mut mesh = match (native, before, after) {
                (Some(native), Some(before), Some(after)) => match self.sources(trio) {
                    [Some(old), Some(new)] => self.mesh([native, before, after], [old, new], &mut made)?,
                    _ => native.clone(),
                },
                (Some(native), ..) => self.renumbered(native, |v| self.bones.of_native(v.bone()))?,
                (None, _, Some(after)) => {
                    let [_, source] = self.sources(trio);
                    self.added(after, source)?
                }
                (None, _, None) => continue,
            };
            if let Some(native) = native {
                shared.share(native, &mut mesh);
            }
            made.list.push(mesh);
        }
        Ok(made)
    }

    /// The meshes of the two scenes that a mesh was made of.
    fn sources(&self, trio: &Trio) -> [Option<&SceneMesh>; 2] {
        let of = |scene: &'a Scene, traced: &'a Traced, at: Option<usize>| {
            let source = traced.meshes.get(at?).copied().flatten()?;
            scene.meshes.get(source.mesh)
        };
        let [native, edited] = self.work.scenes;
        [of(native, self.work.before, trio.before), of(edited, self.work.after, trio.after)]
    }

    /// A mesh whose vertices hang on bones of other numbers.
    fn renumbered(&self, mesh: &Mesh, bone: impl Fn(Vertex) -> Option<u8>) -> Result<Mesh, ConvertError> {
        if mesh.vertices.iter().all(|v| bone(*v) == Some(v.bone())) {
            return Ok(mesh.clone());
        }
        let mut vertices = self.work.budget.reserve("vertices", mesh.vertices.len())?;
        vertices.extend(mesh.vertices.iter().map(|v| on(*v, bone(*v))));
        let flags = allowing(mesh.flags, &vertices, &mesh.primitives);
        Ok(Mesh { vertices: Arc::new(vertices), flags, ..mesh.clone() })
    }

    /// A mesh of after.
    fn added(&self, mesh: &Mesh, source: Option<&SceneMesh>) -> Result<Mesh, ConvertError> {
        let flat = mesh.flat_color().is_some();
        let source = source.filter(|_| self.bones.has_helpers());
        // The vertex of the scene that each was made of first.
        let mut first = self.work.budget.filled("vertices", mesh.vertices.len(), None)?;
        for (v, place) in source.and_then(|s| places(s, mesh)).unwrap_or_default().into_iter().enumerate() {
            if let Some(slot) = place.and_then(|place| first.get_mut(place as usize)) {
                slot.get_or_insert(v);
            }
        }
        let mut vertices = self.work.budget.reserve("vertices", mesh.vertices.len())?;
        vertices.extend(mesh.vertices.iter().zip(first).map(|(v, at)| {
            let number = self.number(source, at, v.bone());
            self.taken(*v, flat, stored(source), number)
        }));
        let flags = allowing(mesh.flags, &vertices, &mesh.primitives);
        Ok(Mesh { vertices: Arc::new(vertices), flags, ..mesh.clone() })
    }

    fn mesh(
        &self,
        [native, before, after]: [&Mesh; 3],
        scenes: [&SceneMesh; 2],
        made: &mut MergedMeshes,
    ) -> Result<Mesh, ConvertError> {
        let material = pick(native.material.clone(), &before.material, after.material.clone());
        let budget = self.work.budget;
        let still = before.vertices == after.vertices && before.primitives == after.primitives;
        let identity = |count: usize| (0..count).map(Some).collect::<Match>();
        let keys = |model: usize, mesh: &SceneMesh| -> Vec<u64> {
            (0..mesh.positions.len()).map(|v| self.key(model, mesh, v)).collect()
        };
        let [old, new] = scenes;
        if still
            && before
                .vertices
                .iter()
                .all(|v| self.bones.number(0, v.bone()) == self.bones.number(1, v.bone()))
            // Of what follows a part of a pseudo-bone the weights tell.
            && (!self.bones.has_helpers() || keys(0, old) == keys(1, new))
        {
            return Ok(Mesh { material, ..self.renumbered(native, |v| self.bones.of_native(v.bone()))? });
        }
        let triangles: Vec<[u32; 3]> = native.primitives.iter().flat_map(|p| p.triangles()).collect();
        let rewritten = |made: &mut MergedMeshes| {
            made.rewritten = made.rewritten.saturating_add(1);
            Ok(Mesh {
                material: material.clone(),
                reserved: native.reserved,
                ..self.added(after, Some(new))?
            })
        };
        let all = triangles.len().saturating_add(new.triangles.len());
        budget.charge_items("triangles", all as u64, 256)?;
        budget.charge_items(
            "vertices",
            old.positions.len().saturating_add(new.positions.len()) as u64,
            128,
        )?;
        let as_many = (old.positions.len(), old.triangles.len()) == (native.vertices.len(), triangles.len());
        let (true, Some(was), Some(is)) = (as_many, places(old, before), places(new, after)) else {
            return rewritten(made);
        };
        let found = sequence(&keys(0, old), &keys(1, new), budget)?;
        let rows = Trios::of(native.vertices.len(), &identity(native.vertices.len()), &found, false, budget)?;
        let key = |t: [Option<usize>; 3]| {
            digest(t.map(|v| v.and_then(|v| u32::try_from(v).ok()).unwrap_or(u32::MAX)))
        };
        let faces = |t: &[u32; 3], of: &dyn Fn(usize) -> Option<usize>| key(t.map(|v| of(v as usize)));
        let before_keys: Vec<u64> = old.triangles.iter().map(|t| faces(t, &|v| rows.of_before(v))).collect();
        let after_keys: Vec<u64> = new.triangles.iter().map(|t| faces(t, &|v| rows.of_after(v))).collect();
        let found = sequence(&before_keys, &after_keys, budget)?;
        let faces = Trios::of(triangles.len(), &identity(triangles.len()), &found, false, budget)?;
        let pair = Pair {
            meshes: [native, before, after],
            scenes,
            flat: [before, after].map(|m| m.flat_color().is_some()),
        };
        let (mut vertices, mut numbers) = (Vec::new(), budget.filled("vertices", rows.records.len(), 0_u32)?);
        for (row, number) in rows.records.iter().zip(&mut numbers) {
            *number = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
            let made = |places: &[Option<u32>], at: Option<usize>| {
                at.and_then(|at| places.get(at).copied().flatten())
            };
            let (b, a) = (made(&was, row.before), made(&is, row.after));
            let n = row.native.and_then(|n| u32::try_from(n).ok());
            // What no triangle has is not in the conversions.
            if n.is_some() || a.is_some() {
                vertices.push(self.vertex(&pair, [n, b, a], row.after));
            }
        }
        let number = |at: Option<usize>| at.and_then(|at| numbers.get(at)).copied().unwrap_or_default();
        let corners: Vec<[u32; 3]> = faces
            .records
            .iter()
            .map(|face| {
                let key = |keys: &[u64], at: Option<usize>| at.and_then(|at| keys.get(at)).copied();
                let still =
                    face.after.is_none() || key(&before_keys, face.before) == key(&after_keys, face.after);
                let own = |list: &[[u32; 3]], at: Option<usize>| at.and_then(|at| list.get(at)).copied();
                match (own(&triangles, face.native.filter(|_| still)), own(&new.triangles, face.after)) {
                    (Some(native), _) => native.map(|v| number(rows.of_native(v as usize))),
                    (None, edited) => edited.unwrap_or_default().map(|v| number(rows.of_after(v as usize))),
                }
            })
            .collect();
        let primitives = primitives(native, &faces.records, &corners, vertices.len());
        Ok(Mesh {
            material,
            flags: allowing(native.flags, &vertices, &primitives),
            vertices: Arc::new(vertices),
            primitives: Arc::new(primitives),
            quad_count: native.quad_count,
            reserved: native.reserved,
        })
    }

    /// What a vertex of the native scene (0) or the edited one (1) says, its joints by their native numbers.
    fn key(&self, model: usize, mesh: &SceneMesh, vertex: usize) -> u64 {
        let bits = |list: &[[f32; 3]]| list.get(vertex).map_or([0; 3], |c| c.map(f32::to_bits));
        let uv = mesh.uvs.get(vertex).map_or([0; 2], |c| c.map(f32::to_bits));
        let color = mesh.colors.get(vertex).map_or(0, |c| u32::from_le_bytes(*c));
        let joint = |joint: u32| match model {
            0 => joint,
            _ => self
                .work
                .joints
                .get(joint as usize)
                .copied()
                .flatten()
                .and_then(|j| u32::try_from(j).ok())
                .unwrap_or(u32::MAX),
        };
        let own = mesh.skin.as_ref().map_or(&[][..], |s| s.influences(vertex));
        let skin = own.iter().flat_map(|i| [joint(i.joint), i.weight.to_bits()]);
        let all = bits(&mesh.positions).into_iter().chain(bits(&mesh.normals)).chain(uv).chain([color]);
        digest(all.chain(skin))
    }

    /// What a vertex of before or after says, with the number that its bone has in the result.
    fn words(vertex: Vertex, bone: Option<u8>) -> [u32; 5] {
        let [a, b] = vertex.with_bone(0).unwrap_or(vertex).words();
        #[expect(clippy::cast_possible_truncation, reason = "words in halves")]
        let [a, c, b, d] = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
        [a, c, b, d, bone.map_or(u32::MAX, u32::from)]
    }

    /// The vertex of a corner; `edited` is its place in the edited scene.
    fn vertex(&self, pair: &Pair<'_>, [n, b, a]: Corner, edited: Option<usize>) -> Vertex {
        let get = |mesh: &Mesh, v: Option<u32>| v.and_then(|v| mesh.vertices.get(v as usize).copied());
        let ([native, before, after], [was_flat, is_flat]) = (pair.meshes, pair.flat);
        let [was_stored, is_stored] = pair.scenes.map(|s| stored(Some(s)));
        let [_, scene] = pair.scenes;
        let (n, b, a) = (get(native, n), get(before, b), get(after, a));
        let kept = |n: Vertex| self.bones.of_native(n.bone()).map_or(Some(n), |bone| n.with_bone(bone));
        let number = a.and_then(|a| self.number(Some(scene), edited, a.bone()));
        let (Some(n), Some(b), Some(a)) = (n, b, a) else {
            return match (n, a) {
                (_, Some(a)) => self.taken(a, is_flat, is_stored, number),
                (n, None) => n.and_then(kept).unwrap_or_default(),
            };
        };
        let was = self.bones.number(0, b.bone());
        let pseudo = |model, v: Vertex| self.bones.helper(model, v.bone()).map(|h| h.pseudo);
        let seen_alike = pseudo(0, b) == pseudo(1, a);
        if seen_alike
            && Self::words(b, was) == Self::words(a, number)
            && let Some(kept) = kept(n)
        {
            return kept;
        }
        let stands = |v: Vertex, flat| (v.position(), v.stored_normal(flat));
        let alike = seen_alike && stands(b, was_flat) == stands(a, is_flat);
        let a = self.taken(a, is_flat, is_stored, number);
        if was_flat != is_flat {
            return if alike && number == was { a.standing_as(n, pair.flat) } else { a };
        }
        let b = self.restated(0, b, is_flat, was_stored).restated(self.form);
        // What stands on another bone is all other there, unless that rests as the first one did.
        let kept = match was == number {
            true => kept(n),
            false if self.bones.moved && b.bone() == 0 => n.with_bone(a.bone()),
            false => None,
        };
        kept.map_or(a, |kept| kept.spliced(b, a, is_flat, self.form))
    }

    /// The number of the bone that a vertex of the edited scene hangs on, which `bone` of after became. One that follows
    /// some of the joints that a pseudo-bone is, or others than that does, hangs on the bone that moves it most where that
    /// is nearer to what moves it.
    fn number(&self, mesh: Option<&SceneMesh>, vertex: Option<usize>, bone: u8) -> Option<u8> {
        let whole = self.bones.number(1, bone);
        let (Some(helper), Some(vertex)) = (self.bones.helper(1, bone), vertex) else { return whole };
        let own = mesh.and_then(|m| m.skin.as_ref()).map_or(&[][..], |s| s.influences(vertex));
        let total: f64 = own.iter().map(|i| f64::from(i.weight)).sum();
        let mut parts: BTreeMap<Option<u8>, f64> = BTreeMap::new();
        for i in own {
            let bone = self.work.after.bones.get(i.joint as usize).and_then(|b| u8::try_from(*b).ok());
            let part = parts.entry(bone.and_then(|b| self.bones.moves_with(b))).or_insert(0.0);
            *part += f64::from(i.weight) / total;
        }
        let one = self.bones.moves_with(bone);
        let alone = (1.0 - parts.get(&one).copied().unwrap_or_default()).abs();
        for (bone, share) in self.bones.followed(self.work.native, helper.pseudo) {
            *parts.entry(bone).or_insert(0.0) -= share;
        }
        let apart: f64 = parts.values().map(|part| part.abs()).sum();
        if 2.0 * alone < apart { one } else { whole }
    }

    /// A vertex of after as the result has it, on the bone of a number. `stored` says whether its scene has vertices as
    /// joints see them.
    fn taken(&self, vertex: Vertex, flat: bool, stored: bool, number: Option<u8>) -> Vertex {
        on(self.restated(1, vertex, flat, stored).restated(self.form), number)
    }

    /// A vertex of before (0) or after (1) in the space of the pseudo-bone that its bone stands in for. Where the scene binds
    /// vertices of model space, the joint is bound as the pseudo-bone rests, so that it is there already.
    fn restated(&self, model: usize, vertex: Vertex, flat: bool, stored: bool) -> Vertex {
        let Some(matrix) = self.between(model, vertex.bone()).filter(|_| stored) else {
            return vertex;
        };
        let position = narrow(matrix.point(wide(vertex.position())));
        let normal = vertex.stored_normal(flat);
        let normal = normal.map(|n| narrow(matrix.vector(wide(n.map(F8A::decode)))).map(F8A::encode));
        vertex.with_position(Se32::encode(position), position.map(F16::encode_saturating), normal, flat)
    }

    /// From the space of a bone of before (0) or after (1) into that of the pseudo-bone that it stands in for.
    fn between(&self, model: usize, bone: u8) -> Option<Affine64> {
        let Helper { pseudo, .. } = self.bones.helper(model, bone)?;
        let [native, before, after] = &self.rests;
        let own = (if model == 0 { before } else { after }).get(usize::from(bone))?;
        Some(native.get(usize::from(pseudo))?.inverse()?.after(own))
    }
}

/// A mesh in the three models and the two scenes.
struct Pair<'m> {
    meshes: [&'m Mesh; 3],
    scenes: [&'m SceneMesh; 2],
    /// Whether before, and after, have a colour for all.
    flat: [bool; 2],
}

/// Whether a mesh has its vertices as joints see them.
fn stored(mesh: Option<&SceneMesh>) -> bool {
    mesh.and_then(|m| m.skin.as_ref()).is_some_and(|s| !s.local.is_empty())
}

/// The vertex that a conversion made of each of a scene's mesh; none where it made several, or left triangles out.
fn places(scene: &SceneMesh, made: &Mesh) -> Option<Vec<Option<u32>>> {
    let mut places = alloc::vec![None; scene.positions.len()];
    if scene.triangles.len() != made.primitives.len() {
        return None;
    }
    for (triangle, primitive) in scene.triangles.iter().zip(made.primitives.iter()) {
        for (v, corner) in triangle.iter().zip(corners(*primitive)) {
            let slot = places.get_mut(*v as usize)?;
            if slot.replace(corner).is_some_and(|other| other != corner) {
                return None;
            }
        }
    }
    Some(places)
}

/// A vertex on a bone of the result, as far as its kind has room for it.
fn on(vertex: Vertex, bone: Option<u8>) -> Vertex {
    bone.and_then(|bone| vertex.with_bone(bone)).unwrap_or(vertex)
}

/// The corners of a triangle.
fn corners(primitive: Primitive) -> [u32; 3] {
    let [a, b, c, _] = primitive.indices();
    [a, b, c]
}

/// The native flags, where they allow for the lists; else also what those need.
fn allowing(flags: MeshFlags, vertices: &[Vertex], primitives: &[Primitive]) -> MeshFlags {
    let own = MeshFlags::for_lists(vertices, primitives);
    let vertex = flags.vertex_kinds() | own.vertex_kinds();
    let primitive = flags.primitive_kinds() | own.primitive_kinds();
    if vertex == flags.vertex_kinds() && primitive == flags.primitive_kinds() {
        return flags;
    }
    MeshFlags(MeshFlags::for_kinds(vertex, primitive).0 | flags.unknown())
}

/// The primitives of the result: native ones with other numbers, quads of which both halves are there still.
fn primitives(native: &Mesh, trios: &[Trio], corners: &[[u32; 3]], vertices: usize) -> Vec<Primitive> {
    let triangle = |t: [u32; 3]| {
        let [a, b, c] = t;
        let long = vertices > Mesh::FEW_VERTICES;
        let wide = Primitive::new(PrimitiveKind::Triangle64, [a, b, c, 0]);
        if long { wide } else { Primitive::triangle(t) }
    };
    // The primitive of each native triangle, and which half of it that is.
    let halves: Vec<(usize, usize)> = native
        .primitives
        .iter()
        .enumerate()
        .flat_map(|(p, primitive)| (0..primitive.triangles().count()).map(move |half| (p, half)))
        .collect();
    let half = |trio: &Trio| trio.native.and_then(|n| halves.get(n)).copied();
    let mut list = Vec::with_capacity(corners.len());
    let mut all = trios.iter().zip(corners).peekable();
    while let Some((trio, &corners)) = all.next() {
        let Some((p, 0)) = half(trio) else {
            list.extend(triangle(corners));
            continue;
        };
        let Some(was) = native.primitives.get(p) else { continue };
        let [a, b, c] = corners;
        if was.triangles().count() < 2 {
            let [_, _, old, last] = was.indices();
            let indices = [a, b, c, if old == last { c } else { last }];
            list.extend(renumbered(*was, indices).or_else(|| triangle(corners)));
            continue;
        }
        let second = all.peek().filter(|(next, _)| half(next) == Some((p, 1)));
        let second = second.map(|(_, own)| **own);
        let quad =
            second.filter(|[x, y, _]| (*x, *y) == (a, c)).and_then(|[.., d]| renumbered(*was, [a, b, c, d]));
        match quad {
            Some(quad) => {
                all.next();
                list.push(quad);
            }
            None => list.extend(triangle(corners)),
        }
    }
    list
}

/// A primitive of the same kind, or of the wider one, with other indices.
fn renumbered(was: Primitive, indices: [u32; 4]) -> Option<Primitive> {
    if was.indices() == indices {
        return Some(was);
    }
    let wide = if was.kind().is_quad() { PrimitiveKind::Quad64 } else { PrimitiveKind::Triangle64 };
    Primitive::new(was.kind(), indices).or_else(|| Primitive::new(wide, indices))
}

/// Lists that meshes share stay shared as long as they stay alike.
#[derive(Default)]
struct Shared {
    vertices: BTreeMap<usize, Vec<Arc<Vec<Vertex>>>>,
    primitives: BTreeMap<usize, Vec<Arc<Vec<Primitive>>>>,
}

impl Shared {
    fn share(&mut self, native: &Mesh, mesh: &mut Mesh) {
        one(
            self.vertices.entry(identity(&native.vertices)).or_default(),
            &native.vertices,
            &mut mesh.vertices,
        );
        let known = self.primitives.entry(identity(&native.primitives)).or_default();
        one(known, &native.primitives, &mut mesh.primitives);
    }
}

fn one<T: PartialEq>(known: &mut Vec<Arc<T>>, native: &Arc<T>, list: &mut Arc<T>) {
    let there = core::iter::once(native).chain(known.iter()).find(|there| ***there == **list);
    match there {
        Some(there) => *list = Arc::clone(there),
        None => known.push(Arc::clone(list)),
    }
}
