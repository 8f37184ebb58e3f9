//! Merges meshes: vertices are matched by the corners of triangles.

use super::bones::MergedBones;
use super::{BmdMerge, Sharing};
use crate::model::{Mesh, MeshFlags, identity};
use crate::packed::{EditedFields, MaterialKind, Primitive, PrimitiveKind, Vertex};
use crate::scene::from_scene::used_skeletons;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::{Affine64, add, narrow, normalize, wide};
use meshwright_core::num::{F8A, F16, Se32, St14Form};
use meshwright_edit::apply::{Origin, Records, Surface};
use meshwright_edit::{Attributes, MeshPatch};
use meshwright_scene::{Affine, ConvertError, Material, Mesh as SceneMesh, Skeleton};

pub(super) struct Meshes<'a> {
    work: &'a BmdMerge<'a>,
    bones: &'a MergedBones,
    records: &'a Records,
    form: St14Form,
    /// The rest poses that place vertices, if the original has pseudo-bones.
    rests: Option<Rests>,
}

/// The rest poses of the edited skeleton, and of the bones of the result.
struct Rests {
    joints: Vec<Affine64>,
    bones: Vec<Affine64>,
}

/// A vertex of a mesh of the edited scene.
#[derive(Clone, Copy)]
struct Source<'m>(&'m SceneMesh, usize);

/// The edits of a mesh.
#[derive(Clone, Copy)]
struct Edits<'m> {
    number: usize,
    patch: &'m MeshPatch,
    scene: &'m SceneMesh,
    /// True if the name of its material changed.
    renamed: bool,
    /// Attributes that were edited in all vertices.
    all: Attributes,
}

impl<'a> Meshes<'a> {
    pub(super) fn new(work: &'a BmdMerge<'a>, bones: &'a MergedBones, records: &'a Records) -> Self {
        let scene = &work.patch.scene;
        let rests = bones.has_helpers().then(|| {
            let skeleton = used_skeletons(scene).first().and_then(|id| scene.skeletons.get(id.0));
            let joints = skeleton.and_then(Skeleton::rest_model).unwrap_or_default();
            Rests { joints: joints.iter().map(Affine::wide).collect(), bones: bones.rest_matrices() }
        });
        Self { work, bones, records, form: work.original.st_form(), rests }
    }

    /// Returns the meshes of the result, and the number of those that are encoded again, because the original has other
    /// counts than the scene.
    pub(super) fn merge(&self) -> Result<(Vec<Mesh>, usize), ConvertError> {
        let mut rewritten = 0;
        let mut list = self.work.budget.reserve("meshes", self.records.list.len())?;
        let (mut vertices, mut primitives) = (Sharing::new(), Sharing::new());
        for origin in &self.records.list {
            let old = origin.original.and_then(|n| self.work.original.meshes.get(n));
            let new = origin.made.and_then(|m| self.work.made.model.meshes.get(m));
            let edits = self.edits(origin);
            let mut mesh = match (old, new) {
                (Some(old), Some(new)) => match edits {
                    Some(edits) => self.mesh([old, new], &edits, &mut rewritten)?,
                    None => old.clone(),
                },
                (Some(old), None) => self.renumbered(old)?,
                (None, Some(new)) => self.added(new, edits.map(|e| e.scene))?,
                (None, None) => continue,
            };
            if let Some(old) = old {
                vertices.share(&old.vertices, &mut mesh.vertices);
                primitives.share(&old.primitives, &mut mesh.primitives);
            }
            list.push(mesh);
        }
        Ok((list, rewritten))
    }

    fn edits(&self, origin: &Origin) -> Option<Edits<'a>> {
        let patch = self.work.patch;
        let number = self.work.made.meshes.get(origin.made?).copied().flatten()?.mesh;
        let (own, scene) = (patch.meshes.get(number)?, patch.scene.meshes.get(number)?);
        let was = own.original.and_then(|n| patch.original_meshes.get(n)?.material);
        let was = was.and_then(|id| self.work.native.materials.get(id.0));
        let is = scene.material.and_then(|id| patch.scene.materials.get(id.0));
        let name = |m: Option<&Material>| m.map(|m| m.name.clone());
        let tinted = was.map(|m| m.base_color) != is.map(|m| m.base_color);
        let nameless = is.is_none_or(|m| m.name.is_empty());
        let mut all = if tinted { Attributes::COLOR } else { Attributes::NONE };
        if self.work.scaled && scene.skin.is_some() {
            all |= Attributes::POSITION | Attributes::NORMAL;
        }
        Some(Edits { number, patch: own, scene, renamed: name(was) != name(is) || nameless && tinted, all })
    }

    /// Returns a mesh of the original with the new bone indices.
    fn renumbered(&self, mesh: &Mesh) -> Result<Mesh, ConvertError> {
        let bone = |v: &Vertex| self.bones.of_original(v.bone());
        if mesh.vertices.iter().all(|v| bone(v) == Some(v.bone())) {
            return Ok(mesh.clone());
        }
        let mut vertices = self.work.budget.reserve("vertices", mesh.vertices.len())?;
        vertices.extend(mesh.vertices.iter().map(|v| move_to_bone(*v, bone(v))));
        let flags = allowing(mesh.flags, &vertices, &mesh.primitives);
        Ok(Mesh { vertices: Arc::new(vertices), flags, ..mesh.clone() })
    }

    /// Returns a new mesh.
    fn added(&self, mesh: &Mesh, source: Option<&SceneMesh>) -> Result<Mesh, ConvertError> {
        let material = mesh.material_kind();
        let source = source.filter(|_| self.bones.has_helpers());
        // The first scene vertex of each made vertex.
        let mut first = self.work.budget.filled("vertices", mesh.vertices.len(), None)?;
        for (v, place) in source.and_then(|s| places(s, mesh)).unwrap_or_default().into_iter().enumerate() {
            if let Some(slot) = place.and_then(|place| first.get_mut(place as usize)) {
                slot.get_or_insert(v);
            }
        }
        let mut vertices = self.work.budget.reserve("vertices", mesh.vertices.len())?;
        vertices.extend(mesh.vertices.iter().zip(first).map(|(v, at)| {
            let source = source.zip(at).map(|(mesh, v)| Source(mesh, v));
            self.finish_vertex(*v, material, source)
        }));
        let flags = allowing(mesh.flags, &vertices, &mesh.primitives);
        Ok(Mesh { vertices: Arc::new(vertices), flags, ..mesh.clone() })
    }

    fn mesh(
        &self,
        [old, new]: [&Mesh; 2],
        edits: &Edits<'_>,
        rewritten: &mut usize,
    ) -> Result<Mesh, ConvertError> {
        let Edits { number, patch, scene, .. } = *edits;
        let material = if edits.renamed { new.material.clone() } else { old.material.clone() };
        let budget = self.work.budget;
        let kinds = [old.material_kind(), new.material_kind()];
        // A scene may store a flat colour per vertex; the name of the material shows which it was.
        let recolored = edits.renamed && kinds[0] != kinds[1];
        let on_base = self.bones.moved && old.vertices.iter().any(|v| v.bone() == 0);
        let gone = || old.vertices.iter().any(|v| self.bones.of_original(v.bone()).is_none());
        if patch.unchanged && edits.all.is_none() && !recolored && !on_base && !gone() {
            return Ok(Mesh { material, ..self.renumbered(old)? });
        }
        let triangles: Vec<[u32; 3]> = old.primitives.iter().flat_map(|p| p.triangles()).collect();
        let all = triangles.len().saturating_add(scene.triangles.len());
        budget.charge_items("triangles", all as u64, 256)?;
        budget.charge_items("vertices", patch.vertices.len() as u64, 128)?;
        let was = patch.original.and_then(|n| self.work.patch.original_meshes.get(n));
        let counts = was.map(|was| (was.vertices, was.triangles));
        let as_many = counts == Some((old.vertices.len(), triangles.len()));
        let (true, Some(is)) = (as_many, places(scene, new)) else {
            *rewritten = rewritten.saturating_add(1);
            return Ok(Mesh { material, reserved: old.reserved, ..self.added(new, Some(scene))? });
        };
        let surface = Surface::new(self.work.patch, Some(number));
        let mut vertices = Vec::new();
        let mut numbers = budget.filled("vertices", patch.vertices.len(), 0_u32)?;
        for ((v, (n, changed)), number) in surface.vertices().enumerate().zip(&mut numbers) {
            *number = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
            let old = n.and_then(|n| old.vertices.get(n)).copied();
            let new = is.get(v).copied().flatten().and_then(|m| new.vertices.get(m as usize));
            let new = new.or_else(|| self.work.made.unused.get(&(edits.number, v))).copied();
            let changed = changed | edits.all;
            vertices.extend(match (old, new) {
                (Some(old), Some(new)) => {
                    Some(self.vertex([old, new], Source(scene, v), changed, kinds, recolored))
                }
                (None, Some(new)) => Some(self.finish_vertex(new, kinds[1], Some(Source(scene, v)))),
                (old, None) => old.map(|old| move_to_bone(old, self.bones.of_original(old.bone()))),
            });
        }
        let made = scene.triangles.iter().copied();
        let faces = surface.merged_triangles(old.vertices.len(), &triangles, made);
        let corner = |v: u32| numbers.get(v as usize).copied().unwrap_or_default();
        let corners: Vec<[u32; 3]> = faces.iter().map(|(t, _)| t.map(corner)).collect();
        let origins: Vec<Option<usize>> = (0..faces.len()).map(|t| surface.triangle(t)).collect();
        let primitives = primitives(old, &origins, &corners, vertices.len());
        Ok(Mesh {
            material,
            flags: allowing(old.flags, &vertices, &primitives),
            vertices: Arc::new(vertices),
            primitives: Arc::new(primitives),
            quad_count: old.quad_count,
            reserved: old.reserved,
        })
    }

    /// Returns an original vertex with its edits.
    fn vertex(
        &self,
        [old, new]: [Vertex; 2],
        source: Source<'_>,
        changed: Attributes,
        kinds: [MaterialKind; 2],
        recolored: bool,
    ) -> Vertex {
        let was = self.bones.of_original(old.bone());
        let number = self.number(Some(source), new.bone());
        // The joint of the first bone may have become another bone.
        let on_base = self.bones.moved && old.bone() == 0;
        let weights = changed.has(Attributes::WEIGHTS) && number != was;
        // The weights of the joints that replace a pseudo-bone say where a vertex is at rest.
        let bound = changed.has(Attributes::BOUND)
            || changed.has(Attributes::WEIGHTS) && self.bones.has_pseudo(old.bone(), new.bone());
        let bone = if on_base { number } else { was };
        let kept = bone.filter(|_| !weights).and_then(|bone| old.with_bone(bone));
        let edited = EditedFields {
            position: bound || changed.has(Attributes::MODEL_POSITION),
            uv: changed.has(Attributes::UV),
            normal: bound || changed.has(Attributes::MODEL_NORMAL),
            color: changed.has(Attributes::COLOR),
        };
        let new = self.finish_vertex(new, kinds[1], Some(source));
        if recolored {
            let stands = !weights && !edited.position && !edited.normal;
            return if stands { new.standing_as(old, kinds) } else { new };
        }
        kept.map_or(new, |kept| kept.spliced(new, edited, kinds[0], self.form))
    }

    /// Returns the index of the bone of a vertex of the edited scene, which became the made `bone`. If the vertex
    /// follows only some joints of a pseudo-bone, or other joints, it gets the bone with the largest weight if that
    /// fits its weights better.
    fn number(&self, source: Option<Source<'_>>, bone: u8) -> Option<u8> {
        let whole = self.bones.of_made(bone);
        let (Some(helper), Some(Source(mesh, vertex))) = (self.bones.helper(bone), source) else {
            return whole;
        };
        let own = mesh.skin.as_ref().map_or(&[][..], |s| s.influences(vertex));
        let total: f64 = own.iter().map(|i| f64::from(i.weight)).sum();
        let mut parts: SortedMap<Option<u8>, f64> = SortedMap::new();
        for i in own {
            let bone = self.work.made.bones.get(i.joint as usize).and_then(|b| u8::try_from(*b).ok());
            let part = parts.entry(bone.and_then(|b| self.bones.moves_with(b))).or_insert(0.0);
            *part += f64::from(i.weight) / total;
        }
        let one = self.bones.moves_with(bone);
        let alone = (1.0 - parts.get(&one).copied().unwrap_or_default()).abs();
        for (bone, share) in self.bones.followed(self.work.original, helper.pseudo) {
            *parts.entry(bone).or_insert(0.0) -= share;
        }
        let apart: f64 = parts.values().map(|part| part.abs()).sum();
        if 2.0 * alone < apart { one } else { whole }
    }

    /// Returns a made vertex in the form of the result, on its bone.
    fn finish_vertex(&self, vertex: Vertex, material: MaterialKind, source: Option<Source<'_>>) -> Vertex {
        let number = self.number(source, vertex.bone());
        let placed =
            source.zip(number).and_then(|(source, bone)| self.at_rest(vertex, material, source, bone));
        move_to_bone(placed.unwrap_or(vertex).restated(St14Form::Excess, self.form), number)
    }

    /// Returns a vertex where its joints hold it at rest, in the space of a bone of the result. The mean of joints of
    /// one bind pose is a pseudo-bone; others only agree with it at rest.
    fn at_rest(
        &self,
        vertex: Vertex,
        material: MaterialKind,
        source: Source<'_>,
        bone: u8,
    ) -> Option<Vertex> {
        let (rests, Source(mesh, v)) = (self.rests.as_ref()?, source);
        let skin = mesh.skin.as_ref()?;
        let joints = &self.work.patch.scene.skeletons.get(skin.skeleton.0)?.joints;
        let into = rests.bones.get(usize::from(bone))?.inverse()?;
        let (mut position, mut normal, mut total) = ([0.0; 3], [0.0; 3], 0.0);
        let own = wide(*mesh.positions.get(v)?);
        let turned = mesh.normals.get(v).map_or([0.0; 3], |n| wide(*n));
        for k in skin.range(v) {
            let influence = skin.influences.get(k)?;
            let (at, weight) = (influence.joint as usize, f64::from(influence.weight));
            let rest = rests.joints.get(at)?;
            let (point, direction) = match skin.local.get(k) {
                Some(local) => {
                    let point = add(rest.vector(wide(local.position)), rest.w.map(|c| c * weight));
                    (point, rest.vector(wide(local.normal)))
                }
                None => {
                    let matrix = rest.after(&joints.get(at)?.inverse_bind.wide());
                    let normals = matrix.normals().unwrap_or(matrix);
                    (matrix.point(own).map(|c| c * weight), normals.vector(turned).map(|c| c * weight))
                }
            };
            (position, normal, total) = (add(position, point), add(normal, direction), total + weight);
        }
        if total <= 0.0 {
            return None;
        }
        let position = self.work.axes.point(narrow(position.map(|c| c / total)));
        let position = narrow(into.point(wide(position)));
        let normal = into.vector(wide(self.work.axes.direction(narrow(normal))));
        let normal =
            vertex.stored_normal(material).and(normalize(narrow(normal))).map(|n| n.map(F8A::encode));
        let halves = position.map(F16::encode_saturating);
        Some(vertex.with_position(Se32::encode(position), halves, normal, material))
    }
}

/// Returns the converted vertex of each vertex of a scene's mesh, or `None` if the conversion split vertices or dropped
/// triangles.
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

/// Moves a vertex to a bone of the result, if its kind can store the bone's index.
fn move_to_bone(vertex: Vertex, bone: Option<u8>) -> Vertex {
    bone.and_then(|bone| vertex.with_bone(bone)).unwrap_or(vertex)
}

/// Returns the corners of a triangle.
fn corners(primitive: Primitive) -> [u32; 3] {
    let [a, b, c, _] = primitive.indices();
    [a, b, c]
}

/// Returns the original's flags, with those that the vertices and primitives need.
fn allowing(flags: MeshFlags, vertices: &[Vertex], primitives: &[Primitive]) -> MeshFlags {
    let own = MeshFlags::for_lists(vertices, primitives);
    let vertex = flags.vertex_kinds() | own.vertex_kinds();
    let primitive = flags.primitive_kinds() | own.primitive_kinds();
    if vertex == flags.vertex_kinds() && primitive == flags.primitive_kinds() {
        return flags;
    }
    MeshFlags(MeshFlags::for_kinds(vertex, primitive).0 | flags.unknown())
}

/// Returns the primitives of the result: original ones with new indices (quads only if both halves still exist), and
/// new triangles.
fn primitives(
    native: &Mesh,
    origins: &[Option<usize>],
    corners: &[[u32; 3]],
    vertices: usize,
) -> Vec<Primitive> {
    let triangle = |t: [u32; 3]| {
        let [a, b, c] = t;
        let long = vertices > Mesh::FEW_VERTICES;
        let wide = Primitive::new(PrimitiveKind::Triangle64, [a, b, c, 0]);
        if long { wide } else { Primitive::triangle(t) }
    };
    // The primitive of each original triangle, and the half that the triangle is.
    let halves: Vec<(usize, usize)> = native
        .primitives
        .iter()
        .enumerate()
        .flat_map(|(p, primitive)| (0..primitive.triangles().count()).map(move |half| (p, half)))
        .collect();
    let half = |origin: &Option<usize>| origin.and_then(|n| halves.get(n)).copied();
    let mut list = Vec::with_capacity(corners.len());
    let mut all = origins.iter().zip(corners).peekable();
    while let Some((origin, &corners)) = all.next() {
        let Some((p, 0)) = half(origin) else {
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

/// Returns a primitive with other indices, of the same kind or of a wider one.
fn renumbered(was: Primitive, indices: [u32; 4]) -> Option<Primitive> {
    if was.indices() == indices {
        return Some(was);
    }
    let wide = if was.kind().is_quad() { PrimitiveKind::Quad64 } else { PrimitiveKind::Triangle64 };
    Primitive::new(was.kind(), indices).or_else(|| Primitive::new(wide, indices))
}

/// Stores texture coordinates in another form. Meshes still share lists.
pub(super) fn restate(meshes: &mut [Mesh], from: St14Form, to: St14Form) {
    let mut known = SortedMap::new();
    for mesh in meshes {
        let restated = || Arc::new(mesh.vertices.iter().map(|v| v.restated(from, to)).collect());
        let list = known.entry(identity(&mesh.vertices)).or_insert_with(restated);
        mesh.vertices = Arc::clone(list);
    }
}
