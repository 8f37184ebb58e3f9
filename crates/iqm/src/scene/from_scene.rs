//! Converts a scene to an IQM.

use super::axes::{TO_GLTF, map_corners};
use super::bake::Baker;
use super::bones::Bones;
use super::bounds::{Measure, report};
use super::fte;
use super::neighbours::neighbours;
use super::options::IqmOptions;
use super::quantize::{align, quantize, rest};
use super::text::Text;
use super::timeline::Timeline;
use super::vertices::{VertexForm, Vertices};
use crate::check::check;
use crate::model::{AnimFlags, Iqm, IqmAnim, IqmBounds, IqmJoint, IqmMesh};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::{F32, Findings};
use meshwright_scene::flatten::Tangents;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{
    AxisMap, Budget, ConvertError, Converted, Drawable, Drawables, Engine, FromScene, FromSceneOptions,
    Joint, Levels, Loss, MostBones, Scene, SkeletonId, Unsupported,
};

/// The rules for names of meshes, materials and anims.
const NAMES: NameRules = NameRules::new(Encoding::Utf8, 1 << 16);
/// The maximum number of joints, because vertices store them in bytes.
pub(super) const MOST_JOINTS: usize = 256;
/// The rate of the anim that a model without motion gets.
const STILL_RATE: f32 = 10.0;

impl Iqm {
    /// Converts the drawn meshes of a scene, by default its finest level of detail. The result has the form
    /// that all loaders accept: version 2, floats, joints and weights as bytes, no scales unless they are
    /// kept, no custom arrays, bounds for every frame.
    ///
    /// A mesh has its own name, or its material's. Vertices are in the bind pose and have normals. The model
    /// has tangents if a mesh of the scene has them, if a drawn material has a normal map, if the engine
    /// needs them, or if the options ask for them; other engines compute them. All skeletons are joined into
    /// one. The frames of a clip are at the clip's start frame, if it states one. If all clips are ranges of
    /// one pose set, all poses of the set are kept. A model with joints but without clips gets one of a
    /// single frame. The errors from 16-bit channels, 8-bit weights and dropped fifth joints are measured
    /// for each clip.
    ///
    /// # Errors
    /// If the scene breaks its own rules, has nothing to draw or to move, moves vertices by more than 256
    /// joints or by one that flattens space, or if the model would take more than the limits allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<IqmOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        let mut made = Traced::convert(scene, options, VertexForm::default(), MOST_JOINTS)?;
        let Traced { model, nameless, .. } = &mut made.value;
        // Animations of joints without names belong to the joints of another file.
        if *nameless && model.meshes.is_empty() {
            model.joints.clear();
        }
        check(&made.value.model, &mut Findings::writing())
            .map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))?;
        if made.value.model.meshes.is_empty() && made.value.model.poses.is_empty() {
            return Err(ConvertError::unsupported(
                "nodes",
                "the scene has no meshes that are drawn and no clips",
            ));
        }
        Ok(made.map(|made| made.model))
    }
}

/// A converted model, and the source of each of its parts.
#[derive(Default)]
pub(super) struct Traced {
    pub(super) model: Iqm,
    /// The channels of each joint, frame by frame.
    pub(super) rows: Vec<[f32; 10]>,
    /// True if no joint has a name.
    pub(super) nameless: bool,
    /// The skeleton's joint of each joint; `None` if the conversion added it.
    pub(super) joints: Vec<Option<usize>>,
    /// The scene's mesh of each mesh.
    pub(super) meshes: Vec<Option<usize>>,
    /// The scene's clip of each anim.
    pub(super) clips: Vec<usize>,
}

impl Traced {
    /// Converts as [`Iqm::from_scene`] without checking the result: a merge replaces numbers that are not
    /// finite with those of the file. `most` is the maximum number of joints.
    pub(super) fn convert(
        scene: &Scene,
        options: &FromSceneOptions<IqmOptions>,
        mut form: VertexForm,
        most: usize,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = options.budget();
        scene.validate()?;
        let mut losses = Vec::new();
        Unsupported::report(
            &[Unsupported::Images, Unsupported::Surfaces, Unsupported::Follows],
            scene,
            &mut losses,
        );
        let scene = Scene::with_one_skeleton(Cow::Borrowed(scene), |_| true, &budget, &mut losses)?;
        let home = scene.skeletons.iter().position(|s| !s.joints.is_empty()).map(SkeletonId);
        let scene = match home {
            Some(id) => {
                let by = options.engine_of("iqm").map_or("the format", |(engine, _)| engine.title());
                let limit = MostBones { most, by };
                Scene::with_fewer_joints(
                    scene,
                    id,
                    limit,
                    |j: &Joint| j.extras.is_some(),
                    &budget,
                    &mut losses,
                )?
            }
            None => scene,
        };
        form.tangents.get_or_insert_with(|| wants_tangents(&scene, options));
        let scene = without_tangents(scene, options.format.tangents, &budget)?;
        let mut made = Making {
            scene: &scene,
            options,
            budget: &budget,
            text: Text::new(&budget),
            made: Traced::default(),
            form,
            losses,
        };
        made.all(home)?;
        let Making { mut made, text, losses, .. } = made;
        made.model.text = text.finish();
        let comment = scene.extras.as_ref().and_then(|extras| extras.get("comment")?.as_str());
        if let Some(comment) = comment.filter(|comment| !comment.is_empty()) {
            budget.charge("comment", comment.len() as u64)?;
            // A comment ends with its first zero byte.
            made.model.comment = comment.split('\0').next().unwrap_or_default().as_bytes().to_vec();
            made.model.comment.push(0);
        }
        Ok(Converted::new(made, losses))
    }
}

impl FromScene for Iqm {
    type Options = IqmOptions;

    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<IqmOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Self::from_scene(scene, options)
    }
}

/// Returns true if a model of the scene needs tangents. Computing them takes longer than all else, and
/// splits vertices.
fn wants_tangents(scene: &Scene, options: &FromSceneOptions<IqmOptions>) -> bool {
    let bumpy = |material: usize| scene.materials.get(material).is_some_and(|m| m.normal.is_some());
    let wanted =
        scene.meshes.iter().any(|m| !m.tangents.is_empty() || m.material.is_some_and(|m| bumpy(m.0)));
    let needed = options.engine_of("iqm").is_some_and(|(engine, _)| engine == Engine::Daemon);
    wanted || needed || options.format.tangents
}

/// Returns the scene without the tangents of its meshes, if they are computed again.
fn without_tangents<'s>(
    mut scene: Cow<'s, Scene>,
    anew: bool,
    budget: &Budget,
) -> Result<Cow<'s, Scene>, ConvertError> {
    if anew && scene.meshes.iter().any(|m| !m.tangents.is_empty()) {
        let vertices: usize = scene.meshes.iter().map(|m| m.positions.len() + m.triangles.len()).sum();
        budget.charge_items("the scene", vertices as u64, 128)?;
        scene.to_mut().meshes.iter_mut().for_each(|m| m.tangents = Vec::new());
    }
    Ok(scene)
}

struct Making<'a, 'b> {
    scene: &'a Scene,
    options: &'a FromSceneOptions<IqmOptions>,
    budget: &'b Budget,
    text: Text<'b>,
    made: Traced,
    form: VertexForm,
    losses: Vec<Loss>,
}

/// The converted joints and frames, before the model has vertices.
struct Motion<'s, 'b> {
    rig: Iqm,
    timeline: Timeline<'s, 'b>,
    losses: Vec<Loss>,
}

/// The totals of the drawn meshes, before any is split.
#[derive(Default)]
struct Totals {
    vertices: usize,
    triangles: usize,
    /// The number of vertex parts, one for each joint that a vertex follows.
    parts: usize,
}

impl Totals {
    fn count(scene: &Scene, drawables: &Drawables<'_, '_>) -> Self {
        let mut totals = Self::default();
        for mesh in drawables.instances().filter_map(|i| scene.meshes.get(i.mesh.0)) {
            let vertices = mesh.positions.len();
            totals.vertices += vertices;
            totals.triangles += mesh.triangles.len();
            totals.parts += mesh.skin.as_ref().map_or(vertices, |s| s.influences.len().max(vertices));
        }
        totals
    }
}

impl<'a, 'b> Making<'a, 'b> {
    fn all(&mut self, home: Option<SkeletonId>) -> Result<(), ConvertError> {
        let mut draw = self.options.draw(self.scene, &TO_GLTF, Levels::Finest);
        // Without tangents only the axes of a mesh change, so it need not be copied.
        let map = if self.form.tangents == Some(true) {
            AxisMap::IDENTITY
        } else {
            core::mem::replace(&mut draw.axes, AxisMap::IDENTITY)
        };
        let tangents = if self.form.tangents == Some(true) { Tangents::Down } else { Tangents::Keep };
        // Vertices keep all their joints here, so that the measured error includes dropped joints.
        let draw = draw.with_normals(true).with_tangents(tangents).with_normalize(true);
        let mut drawables = Drawables::new(self.scene, &draw, self.budget)?;
        let totals = Totals::count(self.scene, &drawables);
        let bones = match home {
            Some(id) => {
                let drawn = drawables.instances();
                Bones::convert(
                    self.scene,
                    id,
                    drawn,
                    self.options,
                    &mut self.text,
                    self.budget,
                    &mut self.losses,
                )?
            }
            None => None,
        };
        // Frames are converted first, because vertices are posed when they are added.
        let mut motion = bones.as_ref().map(|bones| self.motion(bones)).transpose()?;
        let mut measure = match (&mut motion, &bones) {
            (Some(Motion { rig, timeline, .. }), Some(bones)) => {
                Measure::new(rig, timeline, bones, totals.parts, self.budget)?
            }
            _ => None,
        };
        let mut vertices = Vertices::new(totals.vertices, map, self.form, bones.is_some(), self.budget)?;
        self.made.model.triangles = self.budget.reserve("triangles", totals.triangles)?;
        let mut names = Names::new(NAMES, self.options.names, self.budget);
        for drawable in drawables.by_ref() {
            let drawable = drawable?;
            let mut pose = |vertices: &Vertices| measure.as_mut().map_or(Ok(()), |m| m.add(vertices));
            self.mesh(&drawable, bones.as_ref(), &mut names, &mut vertices, &mut pose)?;
            self.budget.charge("meshes", 16)?;
            self.made.meshes.push(drawable.id().map(|id| id.0));
        }
        self.losses.append(&mut drawables.take_losses());
        let many = |_| ConvertError::unsupported("meshes", "more vertices than 32 bits count");
        self.made.model.vertex_count = u32::try_from(vertices.count).map_err(many)?;
        if self.options.format.adjacency {
            let neighbours = neighbours(vertices.positions(), &self.made.model.triangles, self.budget)?;
            self.made.model.adjacency = Some(neighbours);
        }
        let meshes = self.made.meshes.iter().map(|id| id.and_then(|id| self.scene.meshes.get(id)));
        self.made.model.extensions.extend(fte::of_meshes(meshes, &mut self.text)?);
        let measured = match measure {
            Some(mut measure) => {
                measure.add(&vertices)?;
                Some(measure.finish())
            }
            None => None,
        };
        if let (Some(motion), Some(bones)) = (motion, &bones) {
            self.moving(motion, measured, bones, &vertices)?;
        }
        if !self.made.model.meshes.is_empty() {
            self.made.model.arrays = vertices.into_arrays(bones.is_some());
        }
        Ok(())
    }

    fn mesh(
        &mut self,
        drawable: &Drawable<'_>,
        bones: Option<&Bones>,
        names: &mut Names<'_>,
        vertices: &mut Vertices,
        pose: &mut dyn FnMut(&Vertices) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        let (path, mesh) = (drawable.path(), &*drawable.mesh);
        let material =
            drawable.material().and_then(|m| self.scene.materials.get(m.0)).map_or("", |m| m.name.as_str());
        // Skin files of engines refer to the mesh, texture lookup to the material.
        let name = if drawable.name.is_empty() { material } else { drawable.name };
        let material = if drawable.material().is_none() && !name.is_empty() {
            let message = "a mesh without a material got one with the mesh's name, by which engines search for a texture";
            self.losses.push(Loss::note("material-named", &*path, message));
            name
        } else {
            material
        };
        let name = names.fit(name, &path, &mut self.losses)?;
        let material = names.fit(material, &path, &mut self.losses)?;
        let wide = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (first_vertex, first_triangle) = (wide(vertices.count), wide(self.made.model.triangles.len()));
        vertices.add(mesh, bones, &path, self.budget, &mut self.losses, pose)?;
        let space = self.options.space_of(self.scene);
        let number = |v: u32| v.saturating_add(first_vertex);
        self.made.model.triangles.extend(mesh.triangles.iter().map(|t| map_corners(t.map(number), space)));
        self.budget.charge_items("meshes", 1, 2 * size_of::<IqmMesh>())?;
        self.made.model.meshes.push(IqmMesh {
            name: self.text.add(&name)?,
            material: self.text.add(&material)?,
            first_vertex,
            vertex_count: wide(mesh.positions.len()),
            first_triangle,
            triangle_count: wide(mesh.triangles.len()),
        });
        Ok(())
    }

    /// Converts joints, poses and frames.
    fn motion<'m>(&self, bones: &'m Bones) -> Result<Motion<'a, 'm>, ConvertError>
    where
        'b: 'm,
    {
        let (mut rig, mut losses) = (Iqm::default(), Vec::new());
        let (mut baker, at_rest) = Baker::new(self.options.format.scales, &bones.parents, &bones.bind);
        let mut timeline = Timeline::arrange(self.scene, bones, &mut baker, self.budget, &mut losses)?;
        baker.report(&mut losses);
        let parent = |p: &Option<usize>| p.and_then(|p| i32::try_from(p).ok()).unwrap_or(-1);
        let parents: Vec<i32> = bones.parents.iter().map(parent).collect();
        for ((t, name), parent) in at_rest.iter().zip(&bones.names).zip(&parents) {
            let [a, b, c, x, y, z, w, d, e, f] = rest(t).map(F32::new);
            rig.joints.push(IqmJoint {
                name: *name,
                parent: *parent,
                translate: [a, b, c],
                rotate: [x, y, z, w],
                scale: [d, e, f],
            });
        }
        align(&mut timeline.rows, bones.len());
        (rig.poses, rig.frames) = quantize(&timeline.rows, &parents, self.budget)?;
        let many = |_| ConvertError::unsupported("clips", "more frames than 32 bits count");
        rig.frame_count = u32::try_from(timeline.frames()).map_err(many)?;
        Ok(Motion { rig, timeline, losses })
    }

    /// Adds joints, poses, anims and frames to the model, with the bounds and errors that were `measured`.
    fn moving(
        &mut self,
        motion: Motion<'_, '_>,
        measured: Option<(Vec<IqmBounds>, Vec<f64>)>,
        bones: &Bones,
        vertices: &Vertices,
    ) -> Result<(), ConvertError> {
        let Motion { rig, timeline, mut losses } = motion;
        self.losses.append(&mut losses);
        let model = &mut self.made.model;
        model.joints = rig.joints;
        self.made.nameless = bones.nameless;
        let model = &mut self.made.model;
        (model.poses, model.frames, model.frame_count) = (rig.poses, rig.frames, rig.frame_count);
        self.anims(&timeline)?;
        let model = &mut self.made.model;
        match measured.filter(|_| !model.meshes.is_empty()) {
            Some((bounds, errors)) => {
                model.bounds = Some(bounds);
                report(model, &timeline, vertices, &errors, &mut self.losses);
            }
            None if model.meshes.is_empty() => {}
            None => {
                let message = "too many frames and vertices: bounds were not computed; engines compute them";
                self.losses.push(Loss::new("bounds", "frames", message));
            }
        }
        self.made.rows = timeline.rows;
        self.made.clips = timeline.ranges.iter().map(|range| range.clip).collect();
        self.made.joints = bones.joints().collect();
        Ok(())
    }

    fn anims(&mut self, timeline: &Timeline<'_, '_>) -> Result<(), ConvertError> {
        let mut names = Names::new(NAMES, self.options.names, self.budget);
        self.made.model.anims = self.budget.reserve("anims", timeline.ranges.len().max(1))?;
        for range in &timeline.ranges {
            let clip = &self.scene.clips[range.clip];
            let name = names.fit(&clip.name, &format!("clips[{}]", range.clip), &mut self.losses)?;
            self.made.model.anims.push(IqmAnim {
                name: self.text.add(&name)?,
                first_frame: range.first,
                frame_count: range.count,
                framerate: F32::new(clip.rate),
                flags: AnimFlags(if clip.looping { AnimFlags::LOOP.0 } else { 0 }),
            });
        }
        let wide = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let clips = timeline.ranges.iter().enumerate().map(|(i, r)| (wide(i), &self.scene.clips[r.clip]));
        self.made.model.extensions.extend(fte::of_clips(clips, &mut self.text)?);
        if timeline.ranges.is_empty() {
            let message = "the scene has no clips; the model got one of a single frame";
            self.losses.push(Loss::note("clip-added", "clips", message));
            self.made.model.anims.push(IqmAnim {
                name: self.text.add(b"bind")?,
                first_frame: 0,
                frame_count: 1,
                framerate: F32::new(STILL_RATE),
                flags: AnimFlags::default(),
            });
        }
        Ok(())
    }
}
