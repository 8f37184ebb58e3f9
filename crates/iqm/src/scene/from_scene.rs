//! The exchange model to IQM.

use super::axes::{TO_GLTF, turned};
use super::bake::Baker;
use super::bones::Bones;
use super::bounds::measure;
use super::fte;
use super::neighbours::neighbours;
use super::options::IqmOptions;
use super::quantize::{align, quantize, rest};
use super::text::Text;
use super::timeline::Timeline;
use super::vertices::Vertices;
use crate::check::check;
use crate::model::{AnimFlags, Iqm, IqmAnim, IqmJoint, IqmMesh, IqmPose};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::{F32, Findings};
use meshwright_scene::draw::Tangents;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{
    Budget, ConvertError, Converted, Drawable, Drawables, FromScene, FromSceneOptions, Joint, Lack, Levels,
    Loss, MostBones, Scene, Skeleton, SkeletonId,
};

/// Names of meshes, materials and anims.
const NAMES: NameRules = NameRules::new(Encoding::Utf8, 1 << 16);
/// The joints that a byte counts.
const MOST_JOINTS: usize = 256;
/// The rate of the anim of a model that stands still.
const STILL_RATE: f32 = 10.0;

impl Iqm {
    /// A model of what a scene draws, at its finest level of detail unless the options say otherwise, in the form that
    /// all loaders take: version 2, floats, joints and weights as bytes, no scales unless they are kept, no arrays of its
    /// own, bounds of every frame.
    ///
    /// A mesh has its own name, or its material's; vertices are as they are bound, with normals and tangents. All
    /// skeletons become one. Frames are those of the clips, where the clips say that they begin; poses of which all clips
    /// are ranges are all kept. A model with joints but without clips has one of a single frame. What 16-bit channels,
    /// 8-bit weights and a fifth joint that finds no room move is measured for each clip.
    ///
    /// # Errors
    /// When the scene breaks its own rules, has nothing to draw or to move, moves vertices by more than 256 joints or by
    /// one that flattens space, or when the model would take more than the limits allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<IqmOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        let made = Traced::of(scene, options, true)?;
        check(&made.value.model, &mut Findings::writing())
            .map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))?;
        if made.value.model.meshes.is_empty() && made.value.model.poses.is_empty() {
            return Err(ConvertError::unsupported("nodes", "nothing is drawn, and nothing moves"));
        }
        Ok(made.map(|made| made.model))
    }
}

/// A model, and where everything in it came from.
#[derive(Default)]
pub(super) struct Traced {
    pub(super) model: Iqm,
    /// The channels of each joint, frame by frame.
    pub(super) rows: Vec<[f32; 10]>,
    /// The skeleton that became joints.
    pub(super) skeleton: Skeleton,
    /// The joint of the skeleton that each joint was; none where it was made up.
    pub(super) joints: Vec<Option<usize>>,
    /// The mesh of the scene that each mesh was.
    pub(super) meshes: Vec<Option<usize>>,
    /// The clip of the scene that each anim was.
    pub(super) clips: Vec<usize>,
}

impl Traced {
    /// As [`Iqm::from_scene`], with tangents for all meshes or with those that these have. Not checked: numbers that are
    /// not finite may stand where a merge keeps what the file has.
    pub(super) fn of(
        scene: &Scene,
        options: &FromSceneOptions<IqmOptions>,
        tangents: bool,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = options.budget();
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let mut losses = Vec::new();
        Lack::report(&[Lack::Images, Lack::Surfaces, Lack::Follows], scene, &mut losses);
        let scene = Scene::with_one_skeleton(Cow::Borrowed(scene), |_| true, &budget, &mut losses)?;
        let home = scene.skeletons.iter().position(|s| !s.joints.is_empty()).map(SkeletonId);
        let scene = match home {
            Some(id) => {
                let by = options.engine_of("iqm").map_or("the format", |(engine, _)| engine.title());
                let limit = MostBones { most: MOST_JOINTS, by };
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
        let scene = without_tangents(scene, options.format.tangents, &budget)?;
        let mut made = Making {
            scene: &scene,
            options,
            budget: &budget,
            text: Text::new(&budget),
            made: Traced::default(),
            vertices: Vertices::default(),
            tangents: if tangents { Tangents::Down } else { Tangents::Keep },
            losses,
        };
        made.all(home)?;
        let Making { mut made, text, losses, .. } = made;
        made.model.text = text.finish();
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

/// The scene without the tangents of its meshes, where they shall be made anew.
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
    vertices: Vertices,
    tangents: Tangents,
    losses: Vec<Loss>,
}

impl Making<'_, '_> {
    fn all(&mut self, home: Option<SkeletonId>) -> Result<(), ConvertError> {
        let draw = self.options.draw(self.scene, &TO_GLTF, Levels::Finest, false);
        // All joints of a vertex come along, so that what there is no room for counts as an error of the pose.
        let draw = draw.with_normals(true).with_tangents(self.tangents).with_normalize(true);
        let mut drawables = Drawables::new(self.scene, &draw, self.budget)?;
        let bones = match home {
            Some(id) => {
                let drawn = drawables.instances();
                Bones::of(self.scene, id, drawn, self.options, &mut self.text, self.budget, &mut self.losses)?
            }
            None => None,
        };
        let mut names = Names::new(NAMES, self.options.names, self.budget);
        for drawable in drawables.by_ref() {
            let drawable = drawable?;
            self.mesh(&drawable, bones.as_ref(), &mut names)?;
            self.budget.charge("meshes", 16)?;
            self.made.meshes.push(drawable.id().map(|id| id.0));
        }
        self.losses.append(&mut drawables.take_losses());
        let count = u32::try_from(self.vertices.positions.len());
        let many = |_| ConvertError::unsupported("meshes", "more vertices than 32 bits count");
        self.made.model.vertex_count = count.map_err(many)?;
        if !self.made.model.meshes.is_empty() {
            self.made.model.arrays = self.vertices.arrays(bones.is_some(), self.budget)?;
        }
        if self.options.format.adjacency {
            self.made.model.adjacency =
                Some(neighbours(&self.vertices.positions, &self.made.model.triangles, self.budget)?);
        }
        let meshes = self.made.meshes.iter().map(|id| id.and_then(|id| self.scene.meshes.get(id)));
        self.made.model.extensions.extend(fte::of_meshes(meshes, &mut self.text)?);
        if let Some(bones) = &bones {
            self.motion(bones)?;
        }
        Ok(())
    }

    fn mesh(
        &mut self,
        drawable: &Drawable<'_>,
        bones: Option<&Bones>,
        names: &mut Names<'_>,
    ) -> Result<(), ConvertError> {
        let (path, mesh) = (drawable.path(), &*drawable.mesh);
        let material =
            drawable.material().and_then(|m| self.scene.materials.get(m.0)).map_or("", |m| m.name.as_str());
        // Skins of engines go by the mesh, its texture by the material.
        let name = if drawable.name.is_empty() { material } else { drawable.name };
        let material = if material.is_empty() { name } else { material };
        let name = names.fit(name, &path, &mut self.losses)?;
        let material = names.fit(material, &path, &mut self.losses)?;
        let wide = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (first_vertex, first_triangle) =
            (wide(self.vertices.positions.len()), wide(self.made.model.triangles.len()));
        self.vertices.add(mesh, bones, &path, self.budget, &mut self.losses)?;
        self.budget.charge_items("triangles", mesh.triangles.len() as u64, 2 * size_of::<[u32; 3]>())?;
        let space = self.options.space_of(self.scene);
        let number = |v: u32| v.saturating_add(first_vertex);
        self.made.model.triangles.extend(mesh.triangles.iter().map(|t| turned(t.map(number), space)));
        self.budget.charge_items("meshes", 1, 2 * size_of::<IqmMesh>())?;
        self.made.model.meshes.push(IqmMesh {
            name: self.text.put(&name)?,
            material: self.text.put(&material)?,
            first_vertex,
            vertex_count: wide(mesh.positions.len()),
            first_triangle,
            triangle_count: wide(mesh.triangles.len()),
        });
        Ok(())
    }

    /// Joints, poses, anims and frames.
    fn motion(&mut self, bones: &Bones) -> Result<(), ConvertError> {
        let (mut baker, at_rest) = Baker::new(self.options.format.scales, &bones.parents, &bones.bind);
        let mut timeline = Timeline::of(self.scene, bones, &mut baker, self.budget, &mut self.losses)?;
        baker.report(&mut self.losses);
        let parent = |p: &Option<usize>| p.and_then(|p| i32::try_from(p).ok()).unwrap_or(-1);
        let parents: Vec<i32> = bones.parents.iter().map(parent).collect();
        // Motions whose joints have no names are for joints of another file.
        if !(bones.nameless && self.made.model.meshes.is_empty()) {
            for ((t, name), parent) in at_rest.iter().zip(&bones.names).zip(&parents) {
                let [a, b, c, x, y, z, w, d, e, f] = rest(t).map(F32::new);
                self.made.model.joints.push(IqmJoint {
                    name: *name,
                    parent: *parent,
                    translate: [a, b, c],
                    rotate: [x, y, z, w],
                    scale: [d, e, f],
                });
            }
        }
        align(&mut timeline.rows, bones.len());
        let (poses, frames): (Vec<IqmPose>, _) = quantize(&timeline.rows, &parents, self.budget)?;
        (self.made.model.poses, self.made.model.frames) = (poses, frames);
        let many = |_| ConvertError::unsupported("clips", "more frames than 32 bits count");
        self.made.model.frame_count = u32::try_from(timeline.frames()).map_err(many)?;
        self.anims(&timeline)?;
        if !self.made.model.meshes.is_empty() {
            measure(
                &mut self.made.model,
                &mut timeline,
                bones,
                &self.vertices,
                self.budget,
                &mut self.losses,
            )?;
        }
        self.made.rows = timeline.rows;
        self.made.clips = timeline.ranges.iter().map(|range| range.clip).collect();
        self.made.skeleton = self.scene.skeletons.get(bones.id.0).cloned().unwrap_or_default();
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
                name: self.text.put(&name)?,
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
            let message = "the scene has no clips; the model has one of a single frame";
            self.losses.push(Loss::note("clip-added", "clips", message));
            self.made.model.anims.push(IqmAnim {
                name: self.text.put(b"bind")?,
                first_frame: 0,
                frame_count: 1,
                framerate: F32::new(STILL_RATE),
                flags: AnimFlags::default(),
            });
        }
        Ok(())
    }
}
