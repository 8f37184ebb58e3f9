//! Converts chunks to a scene.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

use crate::chunk::model::Chunk;
use crate::chunk::view::{BoneWeight, BoneWeights};
use crate::cmodel::model::CModel;
use crate::skeleton::model::SkeletonChunk;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::{FileFormat, SortedMap, values};
use meshwright_scene::{
    Affine, AxisMap, Budget, ConvertError, Converted, Extra, Influence, Joint, Local, Loss, Mesh, MeshId,
    Node, Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space, Trs, handedness, normalize, texture_axes,
    unit_tangent,
};

/// The axes of 3D chunks. Crucible is left-handed with +Y up and +Z forward; mirroring x gives glTF's space.
pub(crate) const AXES: AxisMap = AxisMap::new([0, 1, 2], [-1.0, 1.0, 1.0], 1.0);

/// The axes of chunks with only 2D positions, as on a screen: x is right, y is up, and z is away from the
/// viewer, opposite to glTF's z. Triangles keep the order of their corners.
pub(crate) const SCREEN: AxisMap = AxisMap::new([0, 1, 2], [1.0, 1.0, -1.0], 1.0);

/// The key of this format's extras.
pub(crate) const EXTRAS: &str = "crucible";

/// The key in the extras of a mesh that had only 2D positions.
pub(crate) const PLANE: &str = "plane";

/// Normalising a normal whose length differs from 1 by more than this is reported as a change.
const NORMAL_TOLERANCE: f32 = 1e-2;

const VERTICES: [&str; 2] = ["vertex", "vertices"];
const TANGENTS: [&str; 2] = ["tangent", "tangents"];
const BONES: [&str; 2] = ["bone", "bones"];
const INFLUENCES: [&str; 2] = ["influence", "influences"];

impl Chunk<'_> {
    /// Returns whether the chunk has 2D positions and no 3D positions.
    pub(crate) fn is_plane(&self) -> bool {
        self.positions().is_none() && self.positions_2d().is_some()
    }

    /// Converts the chunk to a scene of one mesh.
    ///
    /// 2D positions keep x, y and the order of the corners, as on a screen; the extras of the mesh record this.
    ///
    /// With a skeleton, the vertices are bound to the pose that the engine's rule gives. Without one, the
    /// joints are the bones that weights refer to, all at the origin.
    ///
    /// The format does not store the handedness of a tangent; the texture coordinates decide it. If they do not, it
    /// is 1, and a loss counts these cases.
    ///
    /// # Errors
    /// If the chunk has vertices but no positions, an index has no vertex, the skeleton is not a tree, or the scene
    /// would take more memory than the options allow.
    pub fn to_scene(
        &self,
        options: &SceneOptions,
        skeleton: Option<&SkeletonChunk>,
    ) -> Result<Converted<Scene>, ConvertError> {
        let mut work = SceneConversion::new(options, skeleton, self.is_plane())?;
        work.add(self, "")?;
        Ok(work.finish())
    }
}

impl CModel<'_> {
    /// Converts the container to a scene with a mesh for every chunk; see [`Chunk::to_scene`]. A chunk
    /// without positions is omitted and reported as a loss, unless no chunk has positions.
    ///
    /// # Errors
    /// As [`Chunk::to_scene`].
    pub fn to_scene(
        &self,
        options: &SceneOptions,
        skeleton: Option<&SkeletonChunk>,
    ) -> Result<Converted<Scene>, ConvertError> {
        let mut placed = self.meshes.iter().filter(|m| m.positions().is_some() || m.is_plane()).peekable();
        let plane = placed.peek().is_some() && placed.all(Chunk::is_plane);
        let mut work = SceneConversion::new(options, skeleton, plane)?;
        let drawn = self.meshes.iter().any(has_positions);
        for (i, mesh) in self.meshes.iter().enumerate() {
            if drawn && !has_positions(mesh) {
                let message = "vertices of a chunk without positions";
                let loss = Loss::new("mesh-not-drawn", format!("meshes[{i}]"), message);
                work.lose(loss, mesh.vertex_count(), VERTICES);
                continue;
            }
            work.add(mesh, &format!("meshes[{i}]."))?;
        }
        Ok(work.finish())
    }
}

/// Returns true if a chunk has positions, or no vertices.
pub(super) fn has_positions(chunk: &Chunk<'_>) -> bool {
    chunk.vertex_count() == 0 || chunk.positions().is_some() || chunk.positions_2d().is_some()
}

impl SkeletonChunk {
    /// Converts the skeleton to a scene without meshes.
    ///
    /// # Errors
    /// If the bones form no tree, or the scene would take more memory than the options allow.
    pub fn to_scene(&self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        Ok(SceneConversion::new(options, Some(self), false)?.finish())
    }
}

struct SceneConversion<'o> {
    options: &'o SceneOptions,
    /// True if all chunks of the scene have only 2D positions.
    plane: bool,
    /// The axes of the skeleton.
    axes: AxisMap,
    /// The axes of the chunk that is being added, and whether its triangles keep the order of their corners.
    map: AxisMap,
    keep_corners: bool,
    budget: Budget,
    scene: Scene,
    losses: Vec<Loss>,
    /// The given skeleton. Without one, every skinned mesh gets its own.
    skeleton: Option<(SkeletonId, usize)>,
}

impl<'o> SceneConversion<'o> {
    fn new(
        options: &'o SceneOptions,
        skeleton: Option<&SkeletonChunk>,
        plane: bool,
    ) -> Result<Self, ConvertError> {
        let scene = Scene::default().in_space(options.space).with_format(<Chunk<'_> as FileFormat>::ID);
        let mut work = Self {
            options,
            plane,
            axes: AxisMap::IDENTITY,
            map: AxisMap::IDENTITY,
            keep_corners: false,
            budget: options.budget(),
            scene,
            losses: Vec::new(),
            skeleton: None,
        };
        work.axes = work.axes_of(plane);
        if let Some(skeleton) = skeleton {
            work.add_skeleton(skeleton)?;
        }
        Ok(work)
    }

    const fn axes_of(&self, plane: bool) -> AxisMap {
        match (self.options.space, plane) {
            (Space::File, _) => AxisMap::IDENTITY,
            (Space::Gltf, true) => SCREEN,
            (Space::Gltf, false) => AXES,
        }
    }

    fn finish(self) -> Converted<Scene> {
        Converted::new(self.scene, self.losses)
    }

    fn lose(&mut self, loss: Loss, count: usize, [one, several]: [&'static str; 2]) {
        if count > 0 {
            self.losses.push(loss.with_count(count, one, several));
        }
    }

    /// Converts the engine's world transforms to a tree of joints with the same world transforms.
    fn add_skeleton(&mut self, skeleton: &SkeletonChunk) -> Result<(), ConvertError> {
        let n = skeleton.bones.len();
        self.budget.charge_items(
            "joints",
            n as u64,
            size_of::<Joint>().saturating_add(4 * size_of::<Affine>()),
        )?;
        let poses = skeleton
            .pose()
            .ok_or_else(|| ConvertError::invalid("bones", "the bones form no tree with one root"))?;
        let model: Vec<_> = poses.iter().map(Trs::to_affine).collect();
        let mut joints = Vec::with_capacity(n);
        let (mut loose, mut unfit) = (0_usize, 0_usize);
        for (i, (bone, m)) in skeleton.bones.iter().zip(&model).enumerate() {
            let mut m = *m;
            if !m.is_finite() {
                unfit += 1;
                m = Affine::IDENTITY;
            }
            let parent = bone.parent.map(usize::from);
            let above = parent.and_then(|p| model.get(p)).filter(|m| m.is_finite());
            let local = match (parent, above.and_then(Affine::inverse)) {
                (Some(_), Some(inverse)) => Some(inverse.after(&m)).filter(Affine::is_finite),
                _ => None,
            };
            // Below a parent that flattens space, no local transform can give the engine's pose.
            let (parent, local) = match (parent, local) {
                (None, _) => (None, m),
                (Some(p), Some(local)) => (Some(p), local),
                (Some(_), None) => {
                    loose += 1;
                    (None, m)
                }
            };
            let local = self.axes.affine(&local);
            let rest = match Trs::from_affine(&local) {
                (trs, error) if error < 1e-6 && trs.to_affine().is_finite() => Local::Trs(trs),
                _ => Local::Affine(local),
            };
            joints.push(Joint::new(format!("bone{i}"), parent, rest));
        }
        let mut skeleton = Skeleton { name: String::new(), joints };
        let singular = skeleton.bind_rest().map_or(0, |s| s.len());
        let path = || String::from("bones");
        self.lose(Loss::new("bone-flat", path(), "bones have no inverse bind matrix"), singular, BONES);
        let message = "bones lost their parent, because its scale is 0";
        self.lose(Loss::new("bone-detached", path(), message), loose, BONES);
        self.lose(
            Loss::new("bone-not-finite", path(), "bones are not finite and were put at the origin"),
            unfit,
            BONES,
        );
        let id = SkeletonId(self.scene.skeletons.len());
        self.scene.skeletons.push(skeleton);
        self.skeleton = Some((id, n));
        Ok(())
    }

    fn add(&mut self, chunk: &Chunk<'_>, prefix: &str) -> Result<(), ConvertError> {
        let n = chunk.vertex_count();
        // If there are 3D chunks, a skinned 2D chunk uses the 3D axes too, so that it fits its skeleton.
        let bound = self.skeleton.is_some() && chunk.bone_weights().is_some();
        let plane = chunk.is_plane() && (self.plane || !bound);
        (self.map, self.keep_corners) = (self.axes_of(plane), plane);
        let mut mesh = Mesh::default();
        mesh.positions = self.positions(chunk, n, prefix)?;
        mesh.triangles = self.triangles(chunk, n, prefix)?;
        mesh.uvs = self.uvs(chunk, prefix)?;
        mesh.normals = self.normals(chunk, prefix)?;
        mesh.tangents = self.tangents(chunk, &mesh, prefix)?;
        if let Some(colors) = chunk.colors() {
            let mut out = self.budget.reserve("colors", colors.len())?;
            out.extend_from_slice(colors);
            mesh.colors = out;
        }
        mesh.skin = self.skin(chunk, prefix)?;
        mesh.extras = extras(chunk, plane, self.options.extras);
        let id = MeshId(self.scene.meshes.len());
        self.scene.meshes.push(mesh);
        self.scene.nodes.push(Node::of_mesh("", id));
        let unknown = chunk.streams.iter().filter(|s| s.flag.attribute(chunk.dialect).is_none()).count();
        let message = "streams of flags that the dialect does not know";
        let loss = Loss::new("streams-dropped", format!("{prefix}streams"), message);
        self.lose(loss, unknown, ["stream", "streams"]);
        if !chunk.tail.is_empty() {
            let loss = Loss::new("trailing-bytes", format!("{prefix}tail"), "bytes after the last stream");
            self.lose(loss, chunk.tail.len(), ["byte", "bytes"]);
        }
        Ok(())
    }

    fn positions(
        &mut self,
        chunk: &Chunk<'_>,
        n: usize,
        prefix: &str,
    ) -> Result<Vec<[f32; 3]>, ConvertError> {
        let mut out = self.budget.reserve("positions", n)?;
        match (chunk.positions(), chunk.positions_2d()) {
            (Some(positions), plane) => {
                out.extend(positions.iter().map(values));
                let dropped = plane.map_or(0, |p| p.len());
                let message = "2D positions next to 3D positions";
                let loss = Loss::new("positions-2d-dropped", format!("{prefix}streams"), message);
                self.lose(loss, dropped, VERTICES);
            }
            (None, Some(plane)) => out.extend(plane.iter().map(values).map(|[x, y]| [x, y, 0.0])),
            (None, None) if n == 0 => {}
            (None, None) => {
                let path = format!("{prefix}streams");
                return Err(ConvertError::unsupported(path, "a mesh needs positions, the chunk has none"));
            }
        }
        let mut broken = 0_usize;
        for p in &mut out {
            if p.iter().any(|c| !c.is_finite()) {
                broken += 1;
                *p = p.map(|c| if c.is_finite() { c } else { 0.0 });
            }
            *p = self.map.point(*p);
        }
        let message = "positions had components that are not finite, now 0";
        self.lose(Loss::new("position-not-finite", format!("{prefix}streams"), message), broken, VERTICES);
        Ok(out)
    }

    fn triangles(
        &mut self,
        chunk: &Chunk<'_>,
        n: usize,
        prefix: &str,
    ) -> Result<Vec<[u32; 3]>, ConvertError> {
        if let Some((i, index)) = chunk.indices().first_beyond(n as u64) {
            let message = format!("index {index} of {n} vertices");
            return Err(ConvertError::invalid(format!("{prefix}indices[{i}]"), message));
        }
        let mut out = self.budget.reserve("triangles", chunk.indices().len() / 3)?;
        out.extend(chunk.triangles().map(|t| if self.keep_corners { t } else { self.map.triangle(t) }));
        let message = "indices after the last whole triangle";
        let loss = Loss::new("indices-left-over", format!("{prefix}indices"), message);
        self.lose(loss, chunk.indices().len() % 3, ["index", "indices"]);
        Ok(out)
    }

    fn uvs(&mut self, chunk: &Chunk<'_>, prefix: &str) -> Result<Vec<[f32; 2]>, ConvertError> {
        let Some(uvs) = chunk.uvs() else { return Ok(Vec::new()) };
        let mut out = self.budget.reserve("uvs", uvs.len())?;
        out.extend(uvs.iter().map(values));
        if self.options.space == Space::Gltf {
            let mut broken = 0_usize;
            for uv in out.iter_mut().filter(|uv: &&mut [f32; 2]| uv.iter().any(|c| !c.is_finite())) {
                broken += 1;
                *uv = uv.map(|c| if c.is_finite() { c } else { 0.0 });
            }
            let message = "texture coordinates were not finite, now 0";
            self.lose(Loss::new("uvs-replaced", format!("{prefix}streams"), message), broken, VERTICES);
        }
        Ok(out)
    }

    fn normals(&mut self, chunk: &Chunk<'_>, prefix: &str) -> Result<Vec<[f32; 3]>, ConvertError> {
        let Some(normals) = chunk.normals() else { return Ok(Vec::new()) };
        let mut out = self.budget.reserve("normals", normals.len())?;
        out.extend(normals.iter().map(|n| self.map.direction(values(n))));
        if self.options.space == Space::Gltf {
            let (mut changed, mut missing) = (0_usize, 0_usize);
            for normal in &mut out {
                let square: f32 = normal.iter().map(|c| c * c).sum();
                match normalize(*normal) {
                    Some(unit) => {
                        changed += usize::from((square - 1.0).abs() > 2.0 * NORMAL_TOLERANCE);
                        *normal = unit;
                    }
                    None => {
                        missing += 1;
                        *normal = [0.0, 0.0, 1.0];
                    }
                }
            }
            let path = || format!("{prefix}streams");
            let loss = Loss::note("normals-scaled", path(), "normals were scaled to length 1");
            self.lose(loss, changed, ["normal", "normals"]);
            let loss = Loss::note("normals-replaced", path(), "normals without direction are now +Z");
            self.lose(loss, missing, ["normal", "normals"]);
        }
        Ok(out)
    }

    /// Converts tangents and computes their handedness. glTF's bitangent points up in the image, against the
    /// second texture coordinate, as in a normal map whose green channel means up.
    fn tangents(
        &mut self,
        chunk: &Chunk<'_>,
        mesh: &Mesh,
        prefix: &str,
    ) -> Result<Vec<[f32; 4]>, ConvertError> {
        let Some(tangents) = chunk.tangents() else { return Ok(Vec::new()) };
        let gltf = self.options.space == Space::Gltf;
        let path = || format!("{prefix}streams");
        if gltf && mesh.normals.is_empty() {
            let loss = Loss::new(
                "tangents-dropped",
                path(),
                "glTF allows tangents only with normals; they were dropped",
            );
            self.lose(loss, tangents.len(), TANGENTS);
            return Ok(Vec::new());
        }
        let mut out = self.budget.reserve("tangents", tangents.len())?;
        let axes = if mesh.uvs.is_empty() || mesh.normals.is_empty() {
            Vec::new()
        } else {
            self.budget.charge_items("texture axes", mesh.positions.len() as u64, 72)?;
            texture_axes(&mesh.positions, &mesh.uvs, &mesh.triangles)
        };
        let (mut guessed, mut changed) = (0_usize, 0_usize);
        for (v, tangent) in tangents.iter().enumerate() {
            let mut t = self.map.direction(values(tangent));
            let normal = mesh.normals.get(v).copied().unwrap_or([0.0, 0.0, 1.0]);
            if gltf {
                let unit = normalize(t).unwrap_or_else(|| unit_tangent(normal, t));
                let same = unit.iter().zip(t).all(|(a, b)| (a - b).abs() <= NORMAL_TOLERANCE);
                changed += usize::from(!same);
                t = unit;
            }
            let up = axes.get(v).map(|a| a.v.map(|c| -c));
            let side = up.and_then(|up| handedness(normal, t, up));
            guessed += usize::from(side.is_none());
            let [x, y, z] = t;
            out.push([x, y, z, side.unwrap_or(1.0)]);
        }
        let message = "tangents whose side nothing shows, taken as 1";
        self.lose(Loss::note("tangent-handedness", path(), message), guessed, TANGENTS);
        let loss = Loss::note("tangent-length", path(), "tangents were scaled to length 1");
        self.lose(loss, changed, TANGENTS);
        Ok(out)
    }

    /// Returns the joints that weights refer to: those of the given skeleton, or generated ones without a
    /// skeleton.
    fn joints(
        &mut self,
        weights: BoneWeights<'_>,
        prefix: &str,
    ) -> Result<(SkeletonId, Joints), ConvertError> {
        if let Some((id, bones)) = self.skeleton {
            return Ok((id, Joints::All(bones)));
        }
        let mut known: Vec<u32> = Vec::new();
        self.budget.charge_items("bones", weights.len() as u64, 16)?;
        known.extend(weights.iter().flatten().filter(is_used).map(|w| w.bone));
        known.order();
        known.dedup();
        self.budget.charge_items("joints", known.len() as u64, size_of::<Joint>().saturating_add(64))?;
        let joint = |b: &u32| Joint::new(format!("bone{b}"), None, Local::default());
        let skeleton = Skeleton { name: String::new(), joints: known.iter().map(joint).collect() };
        let id = SkeletonId(self.scene.skeletons.len());
        self.scene.skeletons.push(skeleton);
        let message = "no skeleton was given: all bones are at the origin";
        self.losses.push(Loss::new("skeleton-missing", format!("{prefix}streams"), message));
        Ok((id, Joints::Named(known.into_iter().zip(0..).collect())))
    }

    fn skin(&mut self, chunk: &Chunk<'_>, prefix: &str) -> Result<Option<Skin>, ConvertError> {
        let Some(weights) = chunk.bone_weights() else { return Ok(None) };
        let (id, joints) = self.joints(weights, prefix)?;
        let mut skin = Skin::new(id);
        skin.starts = self.budget.reserve("skin", weights.len().saturating_add(1))?;
        skin.starts.push(0);
        skin.influences = self.budget.reserve("skin", weights.len().saturating_mul(4))?;
        let gltf = self.options.space == Space::Gltf;
        let [mut strangers, mut broken, mut negative] = [0_usize; 3];
        for four in weights.iter() {
            let start = skin.influences.len();
            for weight in four.iter().filter(|w| is_used(w)) {
                let value = weight.influence.get();
                if !value.is_finite() {
                    broken += 1;
                } else if gltf && value < 0.0 {
                    negative += 1;
                } else if let Some(joint) = joints.joint(weight.bone) {
                    // A bone that occurs twice gets the sum of its weights.
                    let mine = skin.influences.get_mut(start..).unwrap_or_default();
                    match mine.iter_mut().find(|i| i.joint == joint) {
                        Some(known) if (known.weight + value).is_finite() => known.weight += value,
                        Some(_) => broken += 1,
                        None => skin.influences.push(Influence { joint, weight: value }),
                    }
                } else {
                    strangers += 1;
                }
            }
            skin.end_vertex();
        }
        let path = || format!("{prefix}streams");
        let message = "influences of bones that the skeleton does not have";
        self.lose(Loss::new("bone-missing", path(), message), strangers, INFLUENCES);
        let loss = Loss::new("weight-not-finite", path(), "influences that are not finite");
        self.lose(loss, broken, INFLUENCES);
        self.lose(Loss::new("weights-negative", path(), "influences below 0"), negative, INFLUENCES);
        Ok(Some(skin))
    }
}

/// Returns whether a slot of a vertex holds a bone.
fn is_used(w: &BoneWeight) -> bool {
    w.influence.get() != 0.0
}

/// Maps bone numbers to joint numbers.
enum Joints {
    /// Bone numbers are joint numbers, up to this many.
    All(usize),
    /// Only bones that are used have a joint.
    Named(SortedMap<u32, u32>),
}

impl Joints {
    fn joint(&self, bone: u32) -> Option<u32> {
        match self {
            Self::All(n) => Some(bone).filter(|b| (*b as usize) < *n),
            Self::Named(known) => known.get(&bone).copied(),
        }
    }
}

/// Returns the extras that are needed to convert back. If all data is requested, they include everything
/// else that a scene cannot hold.
fn extras(chunk: &Chunk<'_>, plane: bool, all: bool) -> Option<Extra> {
    let mut fields = Vec::new();
    if all {
        fields.push(("dialect".into(), Extra::from(chunk.dialect.name())));
    }
    if plane {
        fields.push((PLANE.into(), Extra::Bool(true)));
    }
    if let (true, Some(_), Some(plane)) = (all, chunk.positions(), chunk.positions_2d()) {
        let points = plane.iter().map(|p| Extra::from(values(p))).collect();
        fields.push(("positions_2d".into(), Extra::List(points)));
    }
    (!fields.is_empty()).then(|| Extra::Map(alloc::vec![(EXTRAS.into(), Extra::Map(fields))]))
}

/// Returns true if the extras of a mesh record that it had only 2D positions.
pub(crate) fn was_plane(extras: Option<&Extra>) -> bool {
    extras.and_then(|extras| extras.get(EXTRAS)?.get(PLANE)?.as_u32()) == Some(1)
}
