//! Converts a scene to a model.

use super::axes::AXES;
use super::bones::{self, Bones};
use super::meshes::Meshes;
use super::motion::{BoneMotions, Clips, NeedsKeys};
use super::names::rules;
use super::options::BmdSceneOptions;
use crate::model::{Bmd, Lod, Mesh};
use crate::packed::Vertex;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::num::F8A;
use meshwright_core::{FileFormat, SortedMap};
use meshwright_scene::flatten::Instance;
use meshwright_scene::names::Names;
use meshwright_scene::{
    Affine, Budget, ConvertError, Converted, DrawOptions, Drawables, FromScene, FromSceneOptions, Levels,
    Loss, MeshId, MostBones, Scene, SkeletonId, Unsupported,
};

/// The maximum number of vertices, and of primitives, in a mesh.
const MOST: usize = 65_535;
/// The maximum number of meshes in a level.
const MOST_MESHES: usize = 255;
/// The scale of a model's only level: the coarsest, which the existing tool writes.
const FAR: f32 = 1.0 / 128.0;

impl Bmd {
    /// Converts a scene's drawn meshes, its used skeletons (joined into one) and their clips to a model.
    ///
    /// Numbers are rounded to the nearest the format has; the largest differences are reported. A material becomes a
    /// flat colour when it is named `#RRGGBB`, or has neither name nor image; else its name is the texture. Each
    /// vertex keeps only the bone with the largest weight, and its position in the skeleton's rest pose. Keys are
    /// chosen as for [`optimize`](Self::optimize). Meshes that are not drawn stay in the file without a material. A
    /// mesh that bounds a joint is added in the space of its bone, and its vertices at equal positions are joined. If
    /// a scene draws more meshes than a level can count, those of one material are joined.
    ///
    /// # Errors
    /// If the scene breaks its own rules, if more than 254 joints move something, or if the model would take more
    /// than the options allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<BmdSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Ok(Traced::convert(scene, options, None)?.map(|made| made.model))
    }
}

/// The scene meshes that a mesh of the model was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MeshSource {
    /// The index of the mesh in the scene.
    pub(super) mesh: usize,
    /// The number of the part, if the mesh was split.
    pub(super) part: usize,
    /// The joint that the mesh bounds. The mesh is in the space of that joint.
    pub(super) solid: Option<u32>,
}

/// A converted model, and the source of each of its parts.
#[cfg_attr(not(feature = "recover"), allow(dead_code, reason = "read by merges"))]
pub(super) struct Traced {
    pub(super) model: Bmd,
    /// The bone of each joint.
    pub(super) bones: Vec<usize>,
    /// The source of each mesh; `None` if the conversion invented the mesh.
    pub(super) meshes: Vec<Option<MeshSource>>,
    /// The vertices without triangles, by mesh and vertex of the scene. Only merges need them.
    pub(super) unused: SortedMap<(usize, usize), Vertex>,
    /// True if meshes of one material were joined.
    pub(super) joined: bool,
    /// The scene clip of each clip.
    pub(super) clips: Vec<usize>,
    /// The values of the bones of each clip at its frames, relative to their rest pose.
    pub(super) values: Vec<BoneMotions>,
}

impl Traced {
    /// Converts as [`Bmd::from_scene`], but with keys for only those joints that need them; `values` has their motion.
    pub(super) fn convert(
        scene: &Scene,
        options: &FromSceneOptions<BmdSceneOptions>,
        needs_keys: Option<NeedsKeys<'_>>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = options.budget();
        let mut losses = Vec::new();
        let scene = &*one_skeleton(scene, &budget, &mut losses)?;
        let draw = draw_options(scene, options);
        let mut drawables = Drawables::new(scene, &draw, &budget)?;
        let merged = drawables.instances().filter(|i| i.node.is_some()).count() > MOST_MESHES;
        if merged {
            drawables = Drawables::new(scene, &draw.clone().with_by_material(true), &budget)?;
        }
        let [mut names, mut clip_names] =
            [(); 2].map(|()| Names::new(rules(&scene.format), options.names, &budget));
        Unsupported::report(&[Unsupported::Images, Unsupported::Tangents], scene, &mut losses);
        let bones = used_skeletons(scene)
            .first()
            .map(|s| Bones::convert(scene, *s, &draw.axes, &mut names, &budget, &mut losses))
            .transpose()?;

        let mut meshes = Meshes::new(scene, bones.as_ref(), options.format.vertices, options.names, &budget);
        meshes.unused = needs_keys.map(|_| SortedMap::new());
        let each = draw.levels == Levels::Each && !scene.levels.is_empty();
        let mut drawing = Drawing {
            scene,
            drawables: &mut drawables,
            meshes: &mut meshes,
            budget: &budget,
            solids: bones.as_ref().map(|b| b.solids(scene)).unwrap_or_default(),
            bounds: Vec::new(),
            sources: Vec::new(),
        };
        let (list, lods) = if merged { drawing.merged(each)? } else { drawing.levels(each)? };
        let (bounds, sources) = (core::mem::take(&mut drawing.bounds), core::mem::take(&mut drawing.sources));
        losses.append(&mut drawables.take_losses());
        losses.append(&mut meshes.losses);
        let unused = meshes.unused.take().unwrap_or_default();

        let (clips, values) = match &bones {
            Some(bones) => Clips {
                scene,
                bones,
                axes: draw.axes,
                options: options.format,
                needs_keys,
                values: Vec::new(),
                names: &mut clip_names,
                budget: &budget,
                losses: &mut losses,
                scratch: 0,
            }
            .all()?,
            None => (Vec::new(), Vec::new()),
        };
        let mut made = Self {
            model: Bmd::default(),
            bones: Vec::new(),
            meshes: sources,
            unused,
            joined: merged,
            clips: Vec::new(),
            values,
        };
        if let Some(bones) = &bones {
            made.bones = bones.joints.iter().map(|j| j.bone).collect();
            made.clips = bones.moved_by(scene).map(|(i, _)| i).collect();
        }
        let mut bones = bones.map_or_else(Vec::new, |b| b.bones);
        for (bone, mesh) in bounds {
            if let Some(bone) = bones.get_mut(bone) {
                bone.solid = mesh;
            }
        }
        made.model = Bmd { meshes: list, lods, bones, clips, ..Bmd::default() };
        Ok(Converted::new(made, losses))
    }
}

impl FromScene for Bmd {
    type Options = BmdSceneOptions;

    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<BmdSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Self::from_scene(scene, options)
    }
}

/// Returns the skeletons that move vertices, or that a clip moves.
pub(super) fn used_skeletons(scene: &Scene) -> Vec<SkeletonId> {
    skeletons_of(scene, scene.meshes.iter().filter_map(|m| m.skin.as_ref()).map(|s| s.skeleton))
}

/// Returns the skeletons of skins, and those that a clip of the scene moves.
pub(super) fn skeletons_of(scene: &Scene, skins: impl Iterator<Item = SkeletonId>) -> Vec<SkeletonId> {
    let mut used: Vec<_> = skins.chain(scene.clips.iter().map(|c| c.skeleton)).collect();
    used.order();
    used.dedup();
    used.retain(|id| scene.skeletons.get(id.0).is_some_and(|s| !s.joints.is_empty()));
    used
}

/// Returns the scene with all used skeletons joined into one, which has no more joints than the format has
/// bones.
fn one_skeleton<'s>(
    scene: &'s Scene,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Cow<'s, Scene>, ConvertError> {
    scene.validate()?;
    let used = used_skeletons(scene);
    let one = |id| used.contains(&id);
    let scene = Scene::with_one_skeleton(Cow::Borrowed(scene), one, budget, losses)?;
    let Some(&first) = used.first() else { return Ok(scene) };
    let limit = fewest_bones(&scene, first);
    Scene::with_fewer_joints(scene, first, limit, |_| false, budget, losses)
}

/// Returns the maximum number of joints. If the first joint can be bone 0, no extra bone is needed for the
/// base.
pub(super) fn fewest_bones(scene: &Scene, skeleton: SkeletonId) -> MostBones<'static> {
    MostBones { most: bones::MOST - usize::from(!bones::has_base(scene, skeleton)), by: "the format" }
}

/// Returns the options for flattening the scene.
fn draw_options(scene: &Scene, options: &FromSceneOptions<BmdSceneOptions>) -> DrawOptions {
    let engine = options.engine_of(<Bmd as FileFormat>::ID);
    let most = engine.map_or(MOST, |(_, limits)| limits.mesh_vertices.min(MOST));
    options
        .draw_all(scene, &AXES, Levels::Each)
        .with_skip_empty(true)
        .with_normals(true)
        .with_normalize(true)
        .with_max_vertices(most)
        .with_max_triangles(MOST)
        .with_max_influences(1)
}

/// Returns the drawn meshes of a scene and the meshes that bound joints of a skeleton, in the order of the converted
/// meshes.
#[cfg(feature = "recover")]
pub(super) fn drawn_meshes(
    scene: &Scene,
    skeleton: Option<SkeletonId>,
    options: &FromSceneOptions<BmdSceneOptions>,
    budget: &Budget,
) -> Result<Vec<(usize, bool)>, ConvertError> {
    let joints = skeleton.and_then(|id| scene.skeletons.get(id.0)).map_or(&[][..], |s| &s.joints);
    let is_seen = |mesh: usize| scene.meshes.get(mesh).is_some_and(|m| !m.triangles.is_empty());
    let mut solids: Vec<usize> =
        joints.iter().filter_map(|j| Some(j.solid?.0)).filter(|mesh| is_seen(*mesh)).collect();
    solids.order();
    let drawables = Drawables::new(scene, &draw_options(scene, options), budget)?;
    let bounds = |i: &&Instance| i.node.is_some() || solids.binary_search(&i.mesh.0).is_err();
    let drawn = drawables.instances().filter(|i| is_seen(i.mesh.0)).filter(bounds).map(|i| (i.mesh.0, false));
    Ok(drawn.chain(solids.iter().map(|mesh| (*mesh, true))).collect())
}

/// Converts the drawn meshes, level by level.
struct Drawing<'d, 's, 'b> {
    scene: &'s Scene,
    drawables: &'d mut Drawables<'s, 'b>,
    meshes: &'d mut Meshes<'s, 'b>,
    budget: &'b Budget,
    /// The joints that each mesh bounds.
    solids: SortedMap<usize, Vec<u32>>,
    /// Bones and the meshes that bound them.
    bounds: Vec<(usize, u8)>,
    /// The source of each mesh.
    sources: Vec<Option<MeshSource>>,
}

impl Drawing<'_, '_, '_> {
    /// Returns the meshes in the order of levels, followed by the undrawn meshes without a material, and the
    /// levels.
    fn levels(&mut self, each: bool) -> Result<(Vec<Mesh>, Vec<Lod>), ConvertError> {
        let mut instances = self.budget.reserve("instances", self.drawables.instances().count())?;
        instances.extend(self.drawables.instances().copied());
        // The converted meshes of each instance, which are shared if it is drawn again.
        let mut known: SortedMap<(usize, [u32; 12]), Vec<Mesh>> = SortedMap::new();
        let mut list: Vec<Mesh> = Vec::new();
        let mut lods = Vec::new();
        for group in instances.chunk_by(|a, b| (a.level, a.node.is_some()) == (b.level, b.node.is_some())) {
            let start = list.len();
            for instance in group {
                // Meshes that only bound bones are converted below.
                if instance.node.is_none() && self.solids.contains_key(&instance.mesh.0) {
                    continue;
                }
                let key = (instance.mesh.0, instance.matrix.to_array().map(f32::to_bits));
                let made = match known.get(&key) {
                    Some(made) => made.clone(),
                    None => {
                        let parts = self.drawables.make(instance)?;
                        let made = self.meshes.convert_meshes(&parts)?;
                        self.budget.charge_items("meshes", made.len() as u64, 2 * size_of::<Mesh>())?;
                        known.insert(key, made.clone());
                        made
                    }
                };
                let each = size_of::<Mesh>() + size_of::<Option<MeshSource>>();
                self.budget.charge_items("meshes", made.len() as u64, each)?;
                let source = |part| Some(MeshSource { mesh: instance.mesh.0, part, solid: None });
                self.sources.extend((0..made.len()).map(source));
                list.extend(made);
            }
            let Some(first) = group.first() else { continue };
            self.close((first.level, first.node.is_some()), start, each, &mut list, &mut lods);
        }
        self.add_solids(&mut list)?;
        Ok((list, lods))
    }

    /// Does the same as [`levels`](Self::levels), but joins meshes of one material.
    fn merged(&mut self, each: bool) -> Result<(Vec<Mesh>, Vec<Lod>), ConvertError> {
        let (mut list, mut lods): (Vec<Mesh>, _) = (Vec::new(), Vec::new());
        let mut open: Option<((Option<usize>, bool), usize)> = None;
        while let Some(made) = self.drawables.next() {
            let drawable = made?;
            if drawable.node().is_none() && drawable.id().is_some_and(|id| self.solids.contains_key(&id.0)) {
                continue;
            }
            let place = (drawable.level(), drawable.node().is_some());
            if let Some((before, start)) = open.filter(|o| o.0 != place) {
                self.close(before, start, each, &mut list, &mut lods);
                open = None;
            }
            open.get_or_insert((place, list.len()));
            let made = self.meshes.convert_meshes(core::slice::from_ref(&drawable))?;
            self.budget.charge_items("meshes", made.len() as u64, 2 * size_of::<Mesh>())?;
            self.sources.extend(made.iter().map(|_| None));
            list.extend(made);
        }
        if let Some((place, start)) = open {
            self.close(place, start, each, &mut list, &mut lods);
        }
        self.add_solids(&mut list)?;
        Ok((list, lods))
    }

    /// Completes the meshes of one level, or the meshes that nothing draws.
    fn close(
        &mut self,
        (level, drawn): (Option<usize>, bool),
        start: usize,
        each: bool,
        list: &mut [Mesh],
        lods: &mut Vec<Lod>,
    ) {
        if !drawn {
            list.iter_mut().skip(start).for_each(|m| m.material = None);
            return;
        }
        let max = level.filter(|_| each).and_then(|l| self.scene.levels.get(l));
        let scale = max.map_or(FAR, |l| l.max_distance.map_or(0.0, |d| 1.0 / (d.max(0.0) + 1.0)));
        lods.extend(lod(start, list.len(), scale, &mut self.meshes.losses));
    }

    /// Appends the meshes that bound bones, each in the space of its bone and without a material.
    fn add_solids(&mut self, list: &mut Vec<Mesh>) -> Result<(), ConvertError> {
        for (mesh, joints) in core::mem::take(&mut self.solids) {
            let instance = Instance { level: None, node: None, mesh: MeshId(mesh), matrix: Affine::IDENTITY };
            for joint in joints {
                let parts = self.drawables.make(&instance)?;
                let solid = self.meshes.solid(&parts, joint)?;
                // Mesh 0 cannot bound a bone, because 0 means no mesh.
                if list.is_empty() && solid.is_some() {
                    self.sources.push(None);
                    list.push(Mesh::default());
                }
                let (Some((bone, solid)), Ok(place)) = (solid, u8::try_from(list.len())) else {
                    let message = "a solid beyond what the format can count; the bone has none";
                    self.meshes.losses.push(Loss::new("solid-dropped", format!("meshes[{mesh}]"), message));
                    continue;
                };
                self.budget.charge_items("meshes", 1, size_of::<Mesh>())?;
                self.bounds.push((bone, place));
                self.sources.push(Some(MeshSource { mesh, part: 0, solid: Some(joint) }));
                list.push(solid);
            }
        }
        Ok(())
    }
}

/// Returns the level with the meshes from `start` to before `end`, if there are any and the format can count
/// them.
fn lod(start: usize, end: usize, scale: f32, losses: &mut Vec<Loss>) -> Option<Lod> {
    let (Ok(first), Ok(count)) = (u8::try_from(start), u8::try_from(end.saturating_sub(start))) else {
        let message = "levels of detail count to 255 meshes; this one and what follows has none";
        losses.push(Loss::new("levels-dropped", "levels", message));
        return None;
    };
    let mut code = F8A::encode(scale);
    if scale > 0.0 && code.decode() == 0.0 {
        code = F8A::from_bits(1);
    }
    (count > 0).then_some(Lod { first, count, scale: code, reserved: 0 })
}
