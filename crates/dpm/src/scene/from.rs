//! The exchange model to DPM.

use super::axes::{amount, axes};
use super::frames::{Frames, sample};
use crate::bone::{Bone, BoneFlags, BonePose, Name};
use crate::clips::FrameClip;
use crate::dpm::rules::check;
use crate::dpm::{Dpm, Influence, Mesh, Vertices};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, narrow, sqrt};
use meshwright_core::{F32, Findings, f32s};
use meshwright_scene::{
    Affine, AxisMap, ConvertError, Converted, Extra, Loss, Memory, NodeId, Scene, SceneOptions, Skeleton,
    Skin,
};

/// How far `inverse bind * rest` may be from the identity for the rest pose to be the bind pose.
const SAME_POSE: f64 = 1.0e-4;

/// Influences over all poses up to which bounds are computed, about a second's work; engines do not use the stored
/// ones.
const BOUNDS_WORK: u64 = 1 << 28;

/// A model with its clips, which DPM keeps in a file of their own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DpmWithClips {
    /// The model.
    pub model: Dpm,
    /// Its clips, for the companion `<model file name>.framegroups`.
    pub clips: Vec<FrameClip>,
}

impl Dpm {
    /// A model of what a scene draws at its finest level.
    ///
    /// Frame 0 is the bind pose; behind it are the clips' poses, sampled at whole frames. Meshes that have
    /// their vertices in bone space keep them, others are taken there from the bind pose. Meshes without a
    /// skin, and vertices without influences, hang from a root bone. Bounds are true ones. Of the options only
    /// the memory limit counts; the space is the scene's.
    ///
    /// # Errors
    /// When the scene breaks its own rules, draws nothing, binds vertices to a joint that flattens space, or
    /// when the model would take more memory than the options allow.
    pub fn from_scene(
        scene: &Scene,
        options: &SceneOptions,
    ) -> Result<Converted<DpmWithClips>, ConvertError> {
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let memory = Memory::new(options.limits.memory);
        let mut losses = Vec::new();
        let drawn = drawn_meshes(scene, &mut losses)?;
        tell_materials(scene, &drawn, &mut losses);
        let map = axes(scene.space).inverse();
        let mut skeletons = Skeletons::new(scene, map, &memory, &mut losses)?;
        let loose = |&(_, m): &(Affine, usize)| scene.meshes.get(m).is_some_and(has_loose_vertices);
        let root = if skeletons.bones.is_empty() || drawn.iter().any(loose) {
            Some(skeletons.add_root())
        } else {
            None
        };
        let (bind, inverses) = skeletons.bind(&mut losses)?;
        let mut builder =
            Builder { scene, skeletons: &skeletons, inverses: &inverses, root, map, memory: &memory };
        let mut meshes = memory.reserve("meshes", drawn.len())?;
        for (world, m) in &drawn {
            meshes.push(builder.mesh(world, *m, &mut losses)?);
        }
        let mut frames = Frames::new(bind);
        let clips = sample(scene, &skeletons, &mut frames, &memory, &mut losses)?;
        let Frames { frames, poses, .. } = frames;
        let bones = core::mem::take(&mut skeletons.bones);
        let mut model = Dpm::new(bones, meshes, poses, frames);
        let influences: usize = model.meshes.iter().map(|m| m.vertices.influences.len()).sum();
        if (influences as u64).saturating_mul(model.pose_count() as u64) <= BOUNDS_WORK {
            model.recompute_bounds();
        } else {
            let message = "too many poses of too many vertices: bounds are left at 0";
            losses.push(Loss::new("bounds", "frames", message));
        }
        check(&model, &mut Findings::writing())
            .map_err(|e| ConvertError::invalid(e.path().to_string(), e.message()))?;
        Ok(Converted::new(DpmWithClips { model, clips }, losses))
    }
}

fn has_loose_vertices(mesh: &meshwright_scene::Mesh) -> bool {
    mesh.skin.as_ref().is_none_or(|s| (0..s.vertex_count()).any(|v| s.range(v).is_empty()))
}

/// Meshes of the finest level with the transforms of their nodes.
fn drawn_meshes(scene: &Scene, losses: &mut Vec<Loss>) -> Result<Vec<(Affine, usize)>, ConvertError> {
    let n = scene.nodes.len();
    let mut children: Vec<Vec<usize>> = alloc::vec![Vec::new(); n];
    let mut open = Vec::new();
    let finest: BTreeSet<NodeId> = scene.levels.first().into_iter().flat_map(|l| &l.nodes).copied().collect();
    let coarser = scene.levels.iter().skip(1).flat_map(|l| &l.nodes).filter(|n| !finest.contains(n));
    let mut dropped = alloc::vec![false; n];
    for node in coarser {
        if let Some(d) = dropped.get_mut(node.0) {
            *d = true;
        }
    }
    for (i, node) in scene.nodes.iter().enumerate() {
        match node.parent.and_then(|p| children.get_mut(p.0)) {
            Some(list) => list.push(i),
            None => open.push((i, Affine::IDENTITY)),
        }
    }
    let mut drawn = Vec::new();
    let mut lost = 0_u64;
    while let Some((i, parent)) = open.pop() {
        if dropped.get(i) == Some(&true) {
            lost += 1;
            continue;
        }
        let Some(node) = scene.nodes.get(i) else { continue };
        let world = parent.after(&node.local.to_affine());
        drawn.extend(node.meshes.iter().map(|m| (i, world, m.0)));
        open.extend(children.get(i).into_iter().flatten().map(|&c| (c, world)));
    }
    if lost > 0 {
        let message = format!("{lost} nodes of coarser levels are left out");
        losses.push(Loss::measured("levels-dropped", "levels", message, amount(lost)));
    }
    drawn.sort_by_key(|d| d.0);
    let mut seen = alloc::vec![false; scene.meshes.len()];
    for (_, _, m) in &drawn {
        if let Some(s) = seen.get_mut(*m) {
            *s = true;
        }
    }
    let unseen = seen.iter().filter(|s| !**s).count() as u64;
    if unseen > 0 {
        let message = format!("{unseen} meshes are not drawn and left out");
        losses.push(Loss::measured("mesh-not-drawn", "meshes", message, amount(unseen)));
    }
    if drawn.is_empty() {
        return Err(ConvertError::unsupported("nodes", "nothing is drawn; a DPM needs at least one mesh"));
    }
    Ok(drawn.into_iter().map(|(_, world, m)| (world, m)).collect())
}

/// Of a material the format has the name alone.
fn tell_materials(scene: &Scene, drawn: &[(Affine, usize)], losses: &mut Vec<Loss>) {
    let meshes = drawn.iter().filter_map(|&(_, m)| scene.meshes.get(m));
    let used: BTreeSet<usize> = meshes.filter_map(|m| m.material).map(|m| m.0).collect();
    for (i, m) in used.iter().filter_map(|&i| Some((i, scene.materials.get(i)?))) {
        let path = format!("materials[{i}]");
        if m.image.is_some() {
            let message = "the format holds no images; the material's name stands for the texture";
            losses.push(Loss::new("image-dropped", &*path, message));
        }
        if m.base_color != [1.0; 4] || m.double_sided {
            let message = "the format has no colours and no sides; the shader of this name has";
            losses.push(Loss::new("material", &*path, message));
        }
    }
}

/// All skeletons of a scene as one list of bones, parents first.
pub(crate) struct Skeletons<'a> {
    scene: &'a Scene,
    map: AxisMap,
    pub bones: Vec<Bone>,
    /// Per skeleton and joint: its bone.
    numbers: Vec<Vec<usize>>,
}

impl<'a> Skeletons<'a> {
    fn new(
        scene: &'a Scene,
        map: AxisMap,
        memory: &Memory,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        let (mut bones, mut numbers) = (Vec::new(), Vec::new());
        let (mut cut, mut follows) = (0_u64, 0_u64);
        for (s, skeleton) in scene.skeletons.iter().enumerate() {
            let joints = skeleton.joints.len();
            memory.charge("bones", joints, 4 * size_of::<BonePose>())?;
            // The file's order is kept where it puts parents first.
            let first = bones.len();
            let sorted = skeleton.joints.iter().enumerate().all(|(i, j)| j.parent.is_none_or(|p| p < i));
            let order = if sorted { Some((0..joints).collect()) } else { skeleton.order() };
            let order: Vec<usize> = order
                .ok_or_else(|| ConvertError::invalid(format!("skeletons[{s}]"), "joints form a cycle"))?;
            let mut own = alloc::vec![0; joints];
            for (place, &j) in order.iter().enumerate() {
                if let Some(number) = own.get_mut(j) {
                    *number = first + place;
                }
            }
            for &j in &order {
                let Some(joint) = skeleton.joints.get(j) else { continue };
                let parent = joint.parent.filter(|_| joint.follows.is_empty()).and_then(|p| own.get(p));
                follows += u64::from(!joint.follows.is_empty());
                bones.push(Bone {
                    name: name_of(&joint.name, &mut cut),
                    parent: parent.map_or(-1, |&p| i32::try_from(p).unwrap_or(i32::MAX)),
                    flags: BoneFlags(flags_of(joint.extras.as_ref())),
                });
            }
            numbers.push(own);
        }
        if cut > 0 {
            let message = format!("{cut} names are cut to 31 bytes or hold characters the format has not");
            losses.push(Loss::measured("name-changed", "skeletons", message, amount(cut)));
        }
        if follows > 0 {
            let message = format!("{follows} joints that follow others are posed by themselves");
            losses.push(Loss::measured("follows-dropped", "skeletons", message, amount(follows)));
        }
        Ok(Self { scene, map, bones, numbers })
    }

    /// Adds a root for what follows no joint.
    fn add_root(&mut self) -> usize {
        self.bones.push(Bone { name: Name::truncated(b"root"), parent: -1, flags: BoneFlags(0) });
        self.bones.len() - 1
    }

    fn number(&self, skeleton: usize, joint: u32) -> Option<usize> {
        self.numbers.get(skeleton)?.get(joint as usize).copied()
    }

    /// Puts the local matrices of one skeleton into a pose of all bones.
    pub(crate) fn fill(&self, skeleton: usize, locals: &[Affine], pose: &mut [BonePose]) {
        let Some((source, numbers)) = self.scene.skeletons.get(skeleton).zip(self.numbers.get(skeleton))
        else {
            return;
        };
        // A joint that follows others is a root whose pose is where it ends up.
        let follows = source.joints.iter().any(|j| !j.follows.is_empty());
        let model = if follows { source.to_model(locals) } else { None };
        for (j, (joint, &number)) in source.joints.iter().zip(numbers).enumerate() {
            let matrix = match &model {
                Some(model) if !joint.follows.is_empty() => model.get(j),
                _ => locals.get(j),
            };
            if let Some((to, matrix)) = pose.get_mut(number).zip(matrix) {
                *to = BonePose(self.map.affine(matrix).to_rows().map(f32s));
            }
        }
    }

    /// The bind pose, and the inverse of each bone's matrix in it.
    fn bind(&self, losses: &mut Vec<Loss>) -> Result<(Vec<BonePose>, Vec<Option<Affine64>>), ConvertError> {
        let mut pose = alloc::vec![BonePose::IDENTITY; self.bones.len()];
        for (s, skeleton) in self.scene.skeletons.iter().enumerate() {
            let locals: Vec<_> = skeleton.joints.iter().map(|j| j.rest.to_affine()).collect();
            self.fill(s, &locals, &mut pose);
        }
        let mut matrices = self.matrices(&pose);
        // What the joints that matter say their bind matrix is.
        let mut stated: Vec<Option<Affine64>> = alloc::vec![None; self.bones.len()];
        for skin in self.scene.meshes.iter().filter_map(|m| m.skin.as_ref()).filter(|s| s.local.is_empty()) {
            for i in skin.influences.iter().filter(|i| i.weight != 0.0) {
                let number = self.number(skin.skeleton.0, i.joint);
                let joint = self.joint(skin, i.joint);
                if let Some((slot, joint)) = number.and_then(|n| stated.get_mut(n)).zip(joint) {
                    slot.get_or_insert_with(|| self.map.affine(&joint.inverse_bind).wide());
                }
            }
        }
        let off = |(m, stated): (&Affine64, &Option<Affine64>)| stated.is_some_and(|s| !inverts(&s, m));
        if matrices.iter().zip(&stated).any(off) {
            let message = "the bind pose is not the rest pose; frame 0 is the bind pose";
            losses.push(Loss::new("rest-pose-dropped", "skeletons", message));
            let mut worlds: Vec<Affine64> = Vec::with_capacity(self.bones.len());
            for (i, (bone, stated)) in self.bones.iter().zip(&stated).enumerate() {
                let parent = bone.parent().and_then(|p| worlds.get(p)).copied().unwrap_or(Affine64::IDENTITY);
                let local = pose.get(i).map_or(Affine64::IDENTITY, Affine64::from);
                let world = stated.as_ref().and_then(Affine64::inverse).unwrap_or(parent.after(&local));
                if stated.is_some() {
                    let path = format!("bones[{i}]");
                    let inverse = parent.inverse().ok_or_else(|| {
                        ConvertError::unsupported(path, "its parent flattens space in the bind pose")
                    })?;
                    if let Some(to) = pose.get_mut(i) {
                        *to = inverse.after(&world).narrow().to_rows().into();
                    }
                }
                worlds.push(world);
            }
            matrices = self.matrices(&pose);
        }
        let inverses = matrices.iter().map(Affine64::inverse).collect();
        Ok((pose, inverses))
    }

    fn matrices(&self, pose: &[BonePose]) -> Vec<Affine64> {
        let mut matrices = Vec::new();
        crate::pose::concatenate(&self.bones, pose, &mut matrices);
        matrices
    }

    fn joint(&self, skin: &Skin, joint: u32) -> Option<&'a meshwright_scene::Joint> {
        let skeleton: Option<&'a Skeleton> = self.scene.skeletons.get(skin.skeleton.0);
        skeleton?.joints.get(joint as usize)
    }
}

/// True when `a` after `b` changes next to nothing, seen on the scale of `b`'s translation.
fn inverts(a: &Affine64, b: &Affine64) -> bool {
    let both = a.after(b);
    let far = b.w.iter().map(|c| c.abs()).fold(1.0, f64::max);
    let both = both.to_rows();
    let off = |r: usize, c: usize| {
        let unit = if r == c { 1.0 } else { 0.0 };
        (both[r][c] - unit).abs() / if c == 3 { far } else { 1.0 }
    };
    (0..3).all(|r| (0..4).all(|c| off(r, c) <= SAME_POSE))
}

/// A name as the format holds it.
fn name_of(text: &str, changed: &mut u64) -> Name {
    let byte = |c: char| u8::try_from(u32::from(c)).ok().filter(|b| *b != 0);
    let bytes: Vec<u8> = text.chars().take(32).map(|c| byte(c).unwrap_or(b'?')).collect();
    let name = Name::truncated(&bytes);
    *changed += u64::from(name.text() != text);
    name
}

fn field<'a>(extras: Option<&'a Extra>, name: &str) -> Option<&'a Extra> {
    match extras {
        Some(Extra::Map(fields)) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
        _ => None,
    }
}

fn flags_of(extras: Option<&Extra>) -> u32 {
    match field(extras, "flags") {
        Some(Extra::Int(v)) => u32::try_from(*v).unwrap_or(0),
        _ => 0,
    }
}

/// Makes meshes.
struct Builder<'a> {
    scene: &'a Scene,
    skeletons: &'a Skeletons<'a>,
    inverses: &'a [Option<Affine64>],
    root: Option<usize>,
    map: AxisMap,
    memory: &'a Memory,
}

impl Builder<'_> {
    fn mesh(&mut self, world: &Affine, index: usize, losses: &mut Vec<Loss>) -> Result<Mesh, ConvertError> {
        let path = format!("meshes[{index}]");
        let Some(mesh) = self.scene.meshes.get(index) else { return Ok(Mesh::default()) };
        let mut changed = 0;
        let material = mesh.material.and_then(|m| self.scene.materials.get(m.0));
        let shader = name_of(material.map_or(&mesh.name, |m| &m.name), &mut changed);
        if changed > 0 {
            let message = "the shader's name does not fit 31 bytes of text";
            losses.push(Loss::new("name-changed", &*path, message));
        }
        if !mesh.colors.is_empty() {
            losses.push(Loss::new("colors-dropped", &*path, "the format has no vertex colours"));
        }
        if !mesh.tangents.is_empty() {
            losses.push(Loss::new("tangents-dropped", &*path, "the format has no tangents"));
        }
        let n = mesh.positions.len();
        let influences = mesh.skin.as_ref().map_or(n, |s| s.influences.len().saturating_add(n));
        self.memory.charge("vertices", influences, size_of::<Influence>())?;
        self.memory.charge("vertices", n, 60)?;
        self.memory.charge("triangles", mesh.triangles.len(), 16)?;
        let world = if mesh.skin.is_none() { *world } else { Affine::IDENTITY };
        let place = Placement::new(&world);
        let mut triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| self.map.triangle(*t)).collect();
        if place.mirrors {
            triangles.iter_mut().for_each(|t| t.reverse());
        }
        let points: Vec<[f64; 3]> =
            mesh.positions.iter().map(|p| self.map.point(world.point(*p)).map(f64::from)).collect();
        let normals = if mesh.normals.is_empty() {
            losses.push(Loss::new(
                "normals-computed",
                &*path,
                "the mesh has no normals; made from its faces",
            ));
            face_normals(&points, &triangles)
        } else {
            mesh.normals.iter().map(|v| self.map.direction(place.normal(*v)).map(f64::from)).collect()
        };
        let vertices = self.vertices(mesh.skin.as_ref(), &points, &normals, &path, losses)?;
        let texcoords = if mesh.uvs.is_empty() {
            alloc::vec![[F32::default(); 2]; n]
        } else {
            mesh.uvs.iter().map(|uv| f32s(*uv)).collect()
        };
        let groupids = match field(mesh.extras.as_ref(), "groupids") {
            Some(Extra::List(ids)) if ids.len() == triangles.len() => ids
                .iter()
                .map(|id| if let Extra::Int(v) = id { u32::try_from(*v).unwrap_or(0) } else { 0 })
                .collect(),
            _ => alloc::vec![0; triangles.len()],
        };
        Ok(Mesh {
            shader,
            vertices: Arc::new(vertices),
            texcoords: Arc::new(texcoords),
            triangles: Arc::new(triangles),
            groupids: Arc::new(groupids),
        })
    }

    fn vertices(
        &self,
        skin: Option<&Skin>,
        points: &[[f64; 3]],
        normals: &[[f64; 3]],
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Vertices, ConvertError> {
        let mut vertices = Vertices::default();
        let (mut row, mut loose, mut odd) = (Vec::new(), 0_u64, 0.0_f32);
        for (v, (point, normal)) in points.iter().zip(normals).enumerate() {
            row.clear();
            let range = skin.map_or(0..0, |s| s.range(v));
            for k in range {
                let Some((skin, i)) = skin.and_then(|s| Some((s, s.influences.get(k)?))) else { continue };
                let missing = || ConvertError::invalid(path, format!("vertex {v} names a missing joint"));
                let number = self.skeletons.number(skin.skeleton.0, i.joint).ok_or_else(missing)?;
                row.push(match skin.local.get(k) {
                    Some(local) => Influence {
                        origin: f32s(self.map.point(local.position)),
                        influence: i.weight.into(),
                        normal: f32s(self.map.direction(local.normal)),
                        bone: u32::try_from(number).unwrap_or(u32::MAX),
                    },
                    None => self.influence(number, i.weight, *point, *normal, path)?,
                });
            }
            let sum: f32 = row.iter().map(|i| i.influence.get()).sum();
            if row.is_empty() {
                loose += u64::from(skin.is_some());
                row.push(self.influence(self.root.unwrap_or(0), 1.0, *point, *normal, path)?);
            } else {
                odd = odd.max((sum - 1.0).abs());
            }
            vertices.push(&row);
        }
        if loose > 0 {
            let message = format!("{loose} vertices follow no joint; they hang from the root");
            losses.push(Loss::measured("vertices-unbound", path, message, amount(loose)));
        }
        if odd > 1.0e-3 {
            let message = "the weights of a vertex do not sum up to 1";
            losses.push(Loss::measured("influence-sum", path, message, odd.into()));
        }
        Ok(vertices)
    }

    /// A bone's part in a vertex that is given in model space in the bind pose.
    fn influence(
        &self,
        number: usize,
        weight: f32,
        point: [f64; 3],
        normal: [f64; 3],
        path: &str,
    ) -> Result<Influence, ConvertError> {
        let bone = u32::try_from(number).unwrap_or(u32::MAX);
        let w = f64::from(weight);
        let (origin, turned) = match self.inverses.get(number).and_then(Option::as_ref) {
            Some(inverse) => (inverse.point(point).map(|c| c * w), inverse.vector(normal).map(|c| c * w)),
            None if weight == 0.0 => ([0.0; 3], [0.0; 3]),
            None => {
                let message = format!("bone {number} flattens space in the bind pose and moves vertices");
                return Err(ConvertError::unsupported(path, message));
            }
        };
        Ok(Influence {
            origin: f32s(narrow(origin)),
            influence: weight.into(),
            normal: f32s(narrow(turned)),
            bone,
        })
    }
}

/// How a node's transform acts on normals: by its cofactors, which stay right under uneven scales.
struct Placement {
    cofactors: [[f64; 3]; 3],
    mirrors: bool,
    identity: bool,
}

impl Placement {
    fn new(m: &Affine) -> Self {
        let (x, y, z) = (m.x.map(f64::from), m.y.map(f64::from), m.z.map(f64::from));
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let mirrors = m.determinant() < 0.0;
        let sign = if mirrors { -1.0 } else { 1.0 };
        let cofactors = [cross(y, z), cross(z, x), cross(x, y)].map(|c| c.map(|v| v * sign));
        Self { cofactors, mirrors, identity: *m == Affine::IDENTITY }
    }

    fn normal(&self, v: [f32; 3]) -> [f32; 3] {
        if self.identity {
            return v;
        }
        let [x, y, z] = self.cofactors;
        let turned = core::array::from_fn(|i| {
            x[i] * f64::from(v[0]) + y[i] * f64::from(v[1]) + z[i] * f64::from(v[2])
        });
        meshwright_scene::normalize(narrow(turned)).unwrap_or(v)
    }
}

fn face_normals(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let mut normals = alloc::vec![[0.0; 3]; points.len()];
    for t in triangles {
        let [Some(a), Some(b), Some(c)] = t.map(|v| points.get(v as usize)) else { continue };
        let (u, v): ([f64; 3], [f64; 3]) =
            (core::array::from_fn(|i| b[i] - a[i]), core::array::from_fn(|i| c[i] - a[i]));
        let face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        for &corner in t {
            if let Some(sum) = normals.get_mut(corner as usize) {
                for i in 0..3 {
                    sum[i] += face[i];
                }
            }
        }
    }
    for n in &mut normals {
        let length = sqrt(n.iter().map(|c| c * c).sum());
        *n = if length > 0.0 { n.map(|c| c / length) } else { [0.0, 0.0, 1.0] };
    }
    normals
}
