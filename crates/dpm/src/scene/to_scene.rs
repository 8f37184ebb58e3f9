//! Conversion code that DPM and ZYM share.

use super::axes::axes;
use crate::bone::{Bone, BoneFlags, BonePose, Name};
use crate::clips::FrameClip;
use crate::pose::{Sum, concatenate};
use crate::rules::{NON_FINITE, PARENT_ORDER};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::math::{Affine64, add, length, narrow, scale, sub};
use meshwright_core::text::latin1;
use meshwright_core::{F32, FileFormat, Finding, Findings, ReadError, ReadOptions, SortedMap};
use meshwright_scene::{
    Affine, AlphaMode, AxisMap, Budget, Clip, ConvertError, Converted, Extra, Influence, Interpolation,
    Joint, Local, LocalVertex, Loss, Material, MaterialId, Mesh, MeshId, Motion, Node, PoseSet, PoseSetId,
    Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space, normalize,
};

/// A residual is reported if it is larger than this share of the extent.
const REPORTED: f64 = 1.0e-4;

/// Returns the error of a conversion for a result that breaks a rule.
pub(super) fn writable(checked: Result<(), ReadError>) -> Result<(), ConvertError> {
    checked.map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))
}

/// Returns an error if a model cannot be converted because of broken references or numbers. Faults that a lenient
/// reader accepts are allowed. `check` runs the rules.
pub(super) fn convertible(
    check: impl FnOnce(&mut Findings) -> Result<(), ReadError>,
) -> Result<(), ConvertError> {
    let invalid = |path: String, message: &str| Err(ConvertError::invalid(path, message));
    let mut findings = Findings::reading(&ReadOptions::lenient());
    if let Err(e) = check(&mut findings) {
        return invalid(e.path().to_string(), e.message());
    }
    let hopeless = |f: &&Finding| f.rule.code == NON_FINITE.code || f.rule.kind == PARENT_ORDER.kind;
    match findings.into_report().iter().find(hopeless) {
        Some(f) => invalid(f.path.to_string(), &f.message),
        None => Ok(()),
    }
}

/// A scene under construction.
pub(super) struct SceneBuilder<'a> {
    pub(super) rig: Rig,
    pub(super) losses: Vec<Loss>,
    options: &'a SceneOptions,
    budget: &'a Budget,
    map: AxisMap,
    meshes: Vec<Mesh>,
    nodes: Vec<Node>,
    residuals: Vec<Residual>,
    materials: Vec<Material>,
    /// The materials by the names of their shaders.
    known: SortedMap<Vec<u8>, MaterialId>,
}

impl<'a> SceneBuilder<'a> {
    /// Creates a scene with bones whose rest and bind pose is `bind`, with capacity for some meshes.
    pub(super) fn new(
        bones: &[Bone],
        bind: &[BonePose],
        meshes: usize,
        options: &'a SceneOptions,
        budget: &'a Budget,
    ) -> Result<Self, ConvertError> {
        let map = axes(options.space);
        Ok(Self {
            rig: Rig::new(bones, bind, &map, options.extras, budget)?,
            losses: Vec::new(),
            options,
            budget,
            map,
            meshes: budget.reserve("meshes", meshes)?,
            nodes: budget.reserve("nodes", meshes)?,
            residuals: budget.reserve("meshes", meshes)?,
            materials: Vec::new(),
            known: SortedMap::new(),
        })
    }

    /// Reserves memory for the vertices of a mesh.
    pub(super) fn parts(&self, vertices: usize, influences: usize) -> Result<VertexParts, ConvertError> {
        VertexParts::new(self.options, vertices, influences, self.budget)
    }

    /// Adds a mesh, its node and its material.
    pub(super) fn add(
        &mut self,
        shader: &Name,
        parts: VertexParts,
        triangles: Vec<[u32; 3]>,
        extras: Option<Extra>,
    ) -> Result<(), ConvertError> {
        // Names are stored again in node, mesh and material.
        self.budget.charge_items("names", shader.bytes().len() as u64, 6)?;
        let id = MeshId(self.meshes.len());
        let next = MaterialId(self.materials.len());
        let name = latin1(shader.bytes());
        let material = *self.known.entry(shader.bytes().to_vec()).or_insert(next);
        if material == next {
            // Without a shader script, the engine blends surfaces with alpha below 255 and draws others
            // opaque.
            self.materials.push(Material::named(name.clone()).with_alpha(AlphaMode::Blend));
        }
        self.nodes.push(Node::of_mesh(name.clone(), id));
        self.residuals.push(parts.residual);
        let mut mesh = Mesh::new(name, parts.positions, triangles);
        (mesh.normals, mesh.uvs) = (parts.normals, parts.uvs);
        (mesh.skin, mesh.extras, mesh.material) = (Some(parts.skin), extras, Some(material));
        self.meshes.push(mesh);
        Ok(())
    }

    /// Reports how well the meshes can be bound in model space.
    pub(super) fn report(&mut self) {
        let extent = extent(self.meshes.iter().map(|m| &*m.positions));
        for (i, residual) in self.residuals.iter().enumerate() {
            residual.report(&format!("meshes[{i}]"), extent, &mut self.losses);
        }
        let skins = self.meshes.iter().filter_map(|m| m.skin.as_ref());
        self.rig.report_flat(skins, &mut self.losses);
    }

    /// Returns true if a model with this many frames becomes a static mesh.
    pub(super) fn is_static(&self, frames: usize) -> bool {
        self.options.static_meshes && frames == 1
    }

    /// Returns the scene of a model without motion: posed meshes, and nodes for bones that move no vertices
    /// or have the attachment flag.
    pub(super) fn finish_static(
        mut self,
        bones: &[Bone],
        extras: Option<Extra>,
    ) -> Result<Converted<Scene>, ConvertError> {
        let mut moving = self.budget.filled("bones", bones.len(), false)?;
        for mesh in &mut self.meshes {
            let influences = mesh.skin.take().map(|skin| skin.influences).unwrap_or_default();
            for i in influences.iter().filter(|i| i.weight != 0.0) {
                if let Some(moving) = moving.get_mut(i.joint as usize) {
                    *moving = true;
                }
            }
        }
        let joints = self.rig.skeleton.joints;
        self.budget.charge_items("nodes", joints.len() as u64, size_of::<Node>())?;
        let mut baked = 0_u64;
        for (((joint, bone), matrix), moving) in
            joints.into_iter().zip(bones).zip(&self.rig.matrices).zip(moving)
        {
            let flagged = bone.flags.contains(BoneFlags::ATTACHMENT);
            if flagged || !(moving || joint.name.is_empty()) {
                let local = Local::Affine(self.map.affine(&matrix.narrow()));
                self.nodes.push(Node { name: joint.name, local, extras: joint.extras, ..Node::default() });
            } else {
                baked += 1;
            }
        }
        // The bind pose of a static model is not needed.
        let binding = ["bind-residual", "normal-residual", "bind-singular", "weights-negative"];
        self.losses.retain(|l| !binding.contains(&l.code));
        let message = "a model of one frame is a static mesh: bones that move it are baked in";
        self.losses.push(
            Loss::note("static-mesh", "bones", message).counted(usize::try_from(baked).unwrap_or(usize::MAX)),
        );
        let mut scene = Scene::new("");
        scene.space = self.options.space;
        (scene.nodes, scene.meshes, scene.materials) = (self.nodes, self.meshes, self.materials);
        scene.extras = extras;
        scene.validate()?;
        Ok(Converted::new(scene, self.losses))
    }

    /// Returns the scene with all poses of the model. `pose` returns the pose of a frame.
    pub(super) fn finish(
        self,
        poses: &[BonePose],
        list: &[FrameClip],
        pose: impl Fn(u32) -> Option<u32>,
        extras: Option<Extra>,
    ) -> Result<Converted<Scene>, ConvertError> {
        let joints = self.rig.skeleton.joints.len();
        let mut scene = Scene::new("");
        scene.space = self.options.space;
        (scene.nodes, scene.meshes, scene.materials) = (self.nodes, self.meshes, self.materials);
        scene.skeletons = alloc::vec![self.rig.skeleton];
        scene.pose_sets = alloc::vec![pose_set(poses, joints, &self.map, self.budget)?];
        scene.clips = clips(list, pose, self.budget)?;
        scene.extras = extras;
        scene.validate()?;
        Ok(Converted::new(scene, self.losses))
    }
}

/// The joints in the bind pose.
pub(super) struct Rig {
    skeleton: Skeleton,
    /// Model-space matrices in the file's space.
    pub matrices: Vec<Affine64>,
    /// Joints whose matrix cannot be inverted.
    flat: Vec<bool>,
}

impl Rig {
    /// Creates a skeleton whose rest and bind pose is `pose`. Matrices are multiplied and inverted in 64
    /// bits, so that long chains keep their precision.
    fn new(
        bones: &[Bone],
        pose: &[BonePose],
        map: &AxisMap,
        extras: bool,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        let mut matrices = budget.reserve("matrices", bones.len())?;
        concatenate(bones, pose, &mut matrices);
        let mut joints = budget.reserve("joints", bones.len())?;
        let mut flat = budget.reserve("joints", bones.len())?;
        for ((bone, local), matrix) in bones.iter().zip(pose).zip(&matrices) {
            let rest = map.affine(&Affine::from_rows(local.rows()));
            let inverse = matrix.inverse().map(|m| map.affine(&m.narrow()));
            let inverse = inverse.filter(Affine::is_finite);
            flat.push(inverse.is_none());
            let mut joint = Joint::new(latin1(bone.name.bytes()), bone.parent(), Local::Affine(rest));
            joint.inverse_bind = inverse.unwrap_or(Affine::IDENTITY);
            joint.extras = extras.then(|| Extra::Map(alloc::vec![("flags".into(), bone.flags.0.into())]));
            joints.push(joint);
        }
        Ok(Self { skeleton: Skeleton { name: String::new(), joints }, matrices, flat })
    }

    /// Reports flat joints that move vertices: such vertices cannot be bound in model space.
    fn report_flat<'s>(&self, skins: impl Iterator<Item = &'s Skin>, losses: &mut Vec<Loss>) {
        if !self.flat.contains(&true) {
            return;
        }
        let mut used = alloc::vec![false; self.flat.len()];
        for i in skins.flat_map(|s| &s.influences).filter(|i| i.weight != 0.0) {
            if let Some(used) = used.get_mut(i.joint as usize) {
                *used = true;
            }
        }
        let bad = || self.flat.iter().zip(&used).enumerate().filter(|(_, (flat, used))| **flat && **used);
        if let Some((first, _)) = bad().next() {
            let n = bad().count();
            let message = "joints that move vertices have a bind matrix without an inverse";
            let loss = Loss::new("bind-singular", format!("bones[{first}]"), message);
            losses.push(loss.with_count(n, "joint", "joints"));
        }
    }
}

/// The differences between a mesh bound in model space and the stored mesh.
#[derive(Default)]
struct Residual {
    position: f64,
    normal: f64,
    unbound: usize,
    negative: usize,
    zero_normals: usize,
    bad_uvs: usize,
}

impl Residual {
    /// Takes into account a vertex at `p` with normal `n`. If it is bound in model space, each bone carries
    /// its weight's share of the whole vertex.
    #[allow(clippy::inline_always, reason = "part of kernels")]
    #[inline(always)]
    fn see(&mut self, parts: impl Iterator<Item = VertexPart>, p: Lanes, n: Lanes, has_direction: bool) {
        let apart =
            |part: Lanes, sum: Lanes, weight: f32| length(vector(sub(part, scale(sum, weight.into()))));
        let (mut position, mut normal) = (0.0, 0.0);
        for part in parts {
            let [own_position, own_normal] = part.bound;
            position += apart(own_position, p, part.weight);
            normal += apart(own_normal, n, part.weight);
        }
        self.position = self.position.max(position);
        if has_direction {
            self.normal = self.normal.max(normal / length(vector(n)));
        }
    }

    fn report(&self, path: &str, extent: f64, losses: &mut Vec<Loss>) {
        if self.position > REPORTED * extent {
            let message = "influences of a vertex do not meet in the bind pose; bound in model space it moves otherwise";
            losses.push(Loss::new("bind-residual", path, message).with_amount(self.position, "units"));
        }
        if self.normal > 1.0e-3 {
            let message = "normals of a vertex's influences do not agree in the bind pose; bound in model space it \
                           turns otherwise";
            losses
                .push(Loss::new("normal-residual", path, message).with_amount(self.normal, "of its length"));
        }
        for (n, code, message) in [
            (self.unbound, "vertices-unbound", "vertices follow no bone"),
            (self.negative, "weights-negative", "influences are negative"),
            (self.bad_uvs, "uvs-replaced", "texture coordinates that are not finite became 0"),
        ] {
            if n > 0 {
                losses.push(Loss::new(code, path, message).with_count(n, "vertex", "vertices"));
            }
        }
        if self.zero_normals > 0 {
            let loss =
                Loss::note("normals-replaced", path, "normals cancel or are zero; straight up is taken");
            losses.push(loss.with_count(self.zero_normals, "normal", "normals"));
        }
    }
}

/// The part of one bone in a vertex, in the file's space.
pub(super) struct VertexPart {
    pub bone: u32,
    pub weight: f32,
    /// The weighted position in the bone's space.
    pub position: [f32; 3],
    pub normal: [f32; 3],
    /// The weighted position and normal in model space in the bind pose.
    pub bound: [Lanes; 2],
}

/// A vector as four lanes of a register. The last lane is not used.
pub(super) type Lanes = [f64; 4];

#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
const fn vector([x, y, z, _]: Lanes) -> [f64; 3] {
    [x, y, z]
}

/// The vertices of a mesh under construction.
pub(super) struct VertexParts {
    map: AxisMap,
    space: Space,
    bind_only: bool,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    skin: Skin,
    residual: Residual,
}

impl VertexParts {
    fn new(
        options: &SceneOptions,
        vertices: usize,
        influences: usize,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        let space = options.space;
        let local = if options.bind_only { 0 } else { influences };
        let mut starts = budget.reserve("skin", vertices.saturating_add(1))?;
        starts.push(0);
        let skin = Skin {
            skeleton: SkeletonId(0),
            starts,
            influences: budget.reserve("skin", influences)?,
            local: budget.reserve("skin", local)?,
        };
        Ok(Self {
            map: axes(space),
            space,
            bind_only: options.bind_only,
            positions: budget.reserve("positions", vertices)?,
            normals: budget.reserve("normals", vertices)?,
            uvs: budget.reserve("texture coordinates", vertices)?,
            skin,
            residual: Residual::default(),
        })
    }

    /// Adds a vertex that is the sum of its parts.
    #[allow(clippy::inline_always, reason = "part of kernels")]
    #[inline(always)]
    pub(super) fn push(&mut self, parts: impl Iterator<Item = VertexPart> + Clone, uv: [f32; 2]) {
        let (mut p, mut n, mut lengths) = ([0.0; 4], [0.0; 4], 0.0);
        let (mut count, mut whole) = (0_usize, true);
        for part in parts.clone() {
            let [position, normal] = part.bound;
            (p, n) = (add(p, position), add(n, normal));
            lengths += length(vector(normal));
            (count, whole) = (count.saturating_add(1), part.weight == 1.0);
            self.residual.negative += usize::from(part.weight < 0.0);
            self.skin.influences.push(Influence { joint: part.bone, weight: part.weight });
            if !self.bind_only {
                self.skin.local.push(LocalVertex {
                    position: self.map.point(part.position),
                    normal: self.map.direction(part.normal),
                });
            }
        }
        self.skin.end_vertex();
        self.residual.unbound += usize::from(count == 0);
        let sum = Sum { vector: vector(n), lengths };
        let direction = sum.direction();
        // A vertex with only one bone at full weight is exact.
        if count != 1 || !whole {
            self.residual.see(parts, p, n, direction.is_some());
        }
        self.positions.push(self.map.point(narrow(vector(p))));
        let normal = self.map.direction(narrow(sum.vector));
        self.normals.push(match self.space {
            Space::File => normal,
            Space::Gltf => direction.and_then(|_| normalize(normal)).unwrap_or_else(|| {
                self.residual.zero_normals += 1;
                self.map.direction([0.0, 0.0, 1.0])
            }),
        });
        let kept = self.space == Space::File || uv.iter().all(|c| c.is_finite());
        self.residual.bad_uvs += usize::from(!kept);
        self.uvs.push(if kept { uv } else { uv.map(|c| if c.is_finite() { c } else { 0.0 }) });
    }
}

/// Returns all poses of a model.
fn pose_set(
    poses: &[BonePose],
    joints: usize,
    map: &AxisMap,
    budget: &Budget,
) -> Result<PoseSet, ConvertError> {
    let mut locals = budget.reserve("poses", poses.len())?;
    locals.extend(poses.iter().map(|p| map.affine(&Affine::from_rows(p.rows()))));
    Ok(PoseSet { joints, locals })
}

/// Returns clips over one pose set. `pose` returns the pose of a frame.
fn clips(
    list: &[FrameClip],
    pose: impl Fn(u32) -> Option<u32>,
    budget: &Budget,
) -> Result<Vec<Clip>, ConvertError> {
    let mut clips = budget.reserve("clips", list.len())?;
    for (i, clip) in list.iter().enumerate() {
        if let Some(last) = clip.frames().next_back()
            && pose(last).is_none()
        {
            return Err(ConvertError::invalid(
                format!("clips[{i}]"),
                format!("the model has no frame {last}"),
            ));
        }
        let mut frames = budget.reserve("clips", clip.length as usize)?;
        frames.extend(clip.frames().filter_map(&pose));
        // A short name takes the minimum size of an allocation.
        budget.charge_items("clips", clip.name.len().max(32) as u64, 2)?;
        let motion = Motion::Poses { set: PoseSetId(0), frames };
        clips.push(
            Clip::new(latin1(&clip.name), SkeletonId(0), clip.fps, motion)
                .with_frames(clip.length)
                .with_looping(clip.looping)
                .with_start(clip.start)
                .with_interpolation(Interpolation::Matrix),
        );
    }
    Ok(clips)
}

/// Reports how many of `all` frames are in no clip. Frame 0 is the bind pose and thus never lost.
pub(super) fn report_unused_frames(
    clips: &[FrameClip],
    all: usize,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    budget.charge_items("clips", clips.len() as u64, 2 * size_of::<(u32, u32)>())?;
    let mut ranges: Vec<_> = clips.iter().map(|c| (c.start, c.frames().end)).chain([(0, 1)]).collect();
    ranges.order();
    let (mut at, mut unused) = (0_u32, 0_u32);
    let all = u32::try_from(all).unwrap_or(u32::MAX);
    for (start, end) in ranges.into_iter().chain([(all, all)]) {
        unused += start.saturating_sub(at);
        at = at.max(end);
    }
    if unused > 0 {
        let loss = Loss::new("frames-without-clip", "frames", "frames belong to no clip");
        losses.push(loss.with_count(usize::try_from(unused).unwrap_or(usize::MAX), "frame", "frames"));
    }
    Ok(())
}

/// Converts floats to a list.
pub(super) fn list<const N: usize>(values: [F32; N]) -> Extra {
    values.map(F32::get).into()
}

/// Returns the largest side of the bounding box of all meshes.
fn extent<'a>(meshes: impl Iterator<Item = &'a [[f32; 3]]>) -> f64 {
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for points in meshes {
        let [low, high] = bounding_box(points);
        for i in 0..3 {
            least[i] = least[i].min(low[i]);
            most[i] = most[i].max(high[i]);
        }
    }
    (0..3).map(|i| f64::from(most[i]) - f64::from(least[i])).fold(0.0, f64::max)
}

meshwright_core::kernels! {
    /// Returns the minimum and maximum of each component.
    fn bounding_box as bounding_box_portable<'a>(points: &'a [[f32; 3]]) -> [[f32; 3]; 2] {
        // Points are processed eight at a time: their components repeat after three registers.
        let (mut least, mut most) = ([f32::INFINITY; 24], [f32::NEG_INFINITY; 24]);
        let (blocks, rest) = points.as_flattened().as_chunks::<24>();
        for block in blocks {
            for (i, v) in block.iter().enumerate() {
                least[i] = least[i].min(*v);
                most[i] = most[i].max(*v);
            }
        }
        for (i, v) in rest.iter().enumerate() {
            least[i] = least[i].min(*v);
            most[i] = most[i].max(*v);
        }
        let folded = |all: [f32; 24], with: fn(f32, f32) -> f32| -> [f32; 3] {
            core::array::from_fn(|i| all.iter().skip(i).step_by(3).copied().fold(all[i], with))
        };
        [folded(least, f32::min), folded(most, f32::max)]
    }
}

/// Sets the name of the scene's format.
pub(super) fn read_from<F: FileFormat>(scene: Scene) -> Scene {
    scene.with_format(F::ID)
}
