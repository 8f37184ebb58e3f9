//! Converts a scene to a DPM.

use super::axes::TO_GLTF;
use super::bones::{Bones, VertexFaults, numbers};
use super::frames::{Frames, NamedPose};
use super::limits::{self, one_skeleton, saved};
use super::motion::Motion;
use super::names;
use super::options::DpmSceneOptions;
use super::to_scene::writable;
use super::traced::Traced;
use crate::clips::FrameClip;
use crate::dpm::rules::check;
use crate::dpm::{Bounds, Dpm, Frame, Influence, Mesh, Vertices};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::{F32, FileFormat, Findings, f32s};
use meshwright_scene::names::Names;
use meshwright_scene::{
    AxisMap, Budget, ConvertError, Converted, Drawable, Drawables, FromScene, FromSceneOptions, Levels, Loss,
    Scene, Unsupported,
};

/// A model with its clips, which DPM stores in a separate file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DpmFiles {
    /// The model.
    pub model: Dpm,
    /// The clips for the companion file `<model file name>.framegroups`. If there are none, there is no
    /// companion file.
    pub clips: Vec<FrameClip>,
}

impl Dpm {
    /// Converts the drawn meshes of a scene, by default its finest level of detail.
    ///
    /// Frame 0 is the bind pose. After it are the poses of the clips, sampled at whole frames. Meshes with vertices in
    /// bone space keep them; the vertices of other meshes are transformed into bone space by the bind pose. Meshes
    /// without a skin, and vertices without influences, follow a root bone. Bounds are computed. The clips themselves
    /// are in a companion file, which [`write_scene`] returns.
    ///
    /// # Errors
    /// If the scene breaks its own rules, draws nothing, or binds vertices to a joint that flattens space,
    /// or if the model would take more than the limits allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        let mut made = write_scene(scene, options)?;
        let DpmFiles { model, clips } = &made.value;
        if *clips != model.clips_from_names() && !clips.is_empty() {
            let message =
                "the model has only the frames; names, rates and loops of clips are in the companion file";
            made.losses.push(Loss::new("clips-dropped", "clips", message).with_count(
                clips.len(),
                "clip",
                "clips",
            ));
        }
        Ok(made.map(|files| files.model))
    }
}

impl FromScene for Dpm {
    type Options = DpmSceneOptions;

    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Self::from_scene(scene, options)
    }
}

/// Converts a scene as [`Dpm::from_scene`] does, and also returns the content of the companion file.
///
/// The clips are plain data. A caller with a `.framegroups` writer writes them next to the model.
///
/// # Errors
/// As [`Dpm::from_scene`].
pub fn write_scene(
    scene: &Scene,
    options: &FromSceneOptions<DpmSceneOptions>,
) -> Result<Converted<DpmFiles>, ConvertError> {
    let made = traced(scene, options, None, true)?;
    Ok(made.map(|Traced { model, clips, .. }| DpmFiles { model, clips }))
}

/// Converts as [`write_scene`], with or without bounds. If a model's motion is given, its bones and frames
/// replace the scene's.
pub(super) fn traced(
    scene: &Scene,
    options: &FromSceneOptions<DpmSceneOptions>,
    motion: Option<&Motion<'_>>,
    bounds: bool,
) -> Result<Converted<Traced<Dpm>>, ConvertError> {
    let budget = options.budget();
    let mut losses = Vec::new();
    let engine = options.engine_of(<Dpm as FileFormat>::ID);
    let scene = &*one_skeleton(scene, options, engine, &budget, &mut losses)?;
    // The bones convert vertices to the file's axes.
    let draw = options.draw(scene, &TO_GLTF, Levels::Finest);
    let draw = draw.with_axes(AxisMap::IDENTITY).with_normals(true).with_normalize(true);
    let draw = draw.with_max_influences(engine.map_or(usize::MAX, |(_, limits)| limits.influences));
    let mut drawables = Drawables::new(scene, &draw, &budget)?;
    let (map, naming) = (options.axes(scene, &TO_GLTF), options.names);
    Unsupported::report(
        &[Unsupported::Images, Unsupported::Surfaces, Unsupported::Colors, Unsupported::Tangents],
        scene,
        &mut losses,
    );
    let mut bones = Bones::from_scene(scene, map, drawables.instances(), naming, &budget, &mut losses)?;
    let mut work = MeshConversion {
        scene,
        bones: &bones,
        map,
        names: Names::new(names::SHADERS, naming, &budget),
        budget: &budget,
        losses: &mut losses,
    };
    let count = drawables.instances().count();
    let mut meshes = budget.reserve("meshes", count)?;
    let mut sources = budget.reserve("meshes", count)?;
    for drawable in drawables.by_ref() {
        let drawable = drawable?;
        sources.push(source_of(scene, &drawable));
        meshes.push(work.mesh(&drawable)?);
    }
    if meshes.is_empty() {
        return Err(ConvertError::unsupported("nodes", "nothing is drawn; a DPM needs at least one mesh"));
    }
    losses.append(&mut drawables.take_losses());
    let Frames { frames, poses, clips, .. } = match motion {
        Some(own) => Frames::of_model(own, &mut bones, names::CLIPS, naming, &budget, &mut losses)?,
        None => Frames::from_scene(scene, &bones, names::CLIPS, naming, &budget, &mut losses)?,
    };
    for (i, clip) in clips.iter().enumerate().filter(|(_, clip)| clip.fps < 1.0) {
        let message = "the engine plays at least 1 frame per second";
        let loss = Loss::new("fps-clamped", alloc::format!("clips[{i}]"), message);
        losses.push(loss.with_amount(clip.fps.into(), "frames per second"));
    }
    let frame = |f: &NamedPose| Frame { name: f.name, bounds: Bounds::default(), pose: f.pose };
    let frames = frames.iter().map(frame).collect();
    let joints = bones.joints();
    let model = Dpm::new(bones.bones, meshes, poses, frames);
    let (mut model, clips) = saved(model, clips, options.format.saving(scene), &budget, &mut losses)?;
    limits::check(&model, engine, &budget)?;
    if bounds {
        model.bound_within(&budget, &mut losses)?;
    }
    writable(check(&model, &mut Findings::writing()))?;
    Ok(Converted::new(Traced { model, clips, joints, meshes: sources }, losses))
}

/// Returns the mesh of the scene, if a drawable has all of its vertices and triangles.
pub(super) fn source_of(scene: &Scene, drawable: &Drawable<'_>) -> Option<usize> {
    let id = drawable.id()?.0;
    let counts = |m: &meshwright_scene::Mesh| (m.positions.len(), m.triangles.len());
    let whole = drawable.sources.len() == 1 && drawable.part == 0;
    (whole && counts(scene.meshes.get(id)?) == counts(&drawable.mesh)).then_some(id)
}

/// Returns the number of influences that the vertices of a mesh get: one for a vertex without any.
fn influences_of(mesh: &meshwright_scene::Mesh) -> usize {
    let Some(skin) = &mesh.skin else { return mesh.positions.len() };
    let loose = (0..mesh.positions.len()).filter(|v| skin.range(*v).is_empty()).count();
    skin.influences.len().saturating_add(loose)
}

/// Converts meshes.
struct MeshConversion<'a, 'b> {
    scene: &'a Scene,
    bones: &'a Bones<'a>,
    map: AxisMap,
    names: Names<'b>,
    budget: &'b Budget,
    losses: &'a mut Vec<Loss>,
}

impl MeshConversion<'_, '_> {
    fn mesh(&mut self, drawable: &Drawable<'_>) -> Result<Mesh, ConvertError> {
        let (path, mesh) = (drawable.path(), &*drawable.mesh);
        let material = drawable.material().and_then(|m| self.scene.materials.get(m.0));
        let name = material.map_or(drawable.name, |m| m.name.as_str());
        let shader = crate::bone::Name::truncated(&self.names.fit_shared(name, &path, self.losses)?);
        let (n, tris) = (mesh.positions.len(), mesh.triangles.len());
        let influences = influences_of(mesh);
        self.budget.charge_items("vertices", influences as u64, size_of::<Influence>())?;
        self.budget.charge_items("vertices", n as u64, size_of::<([F32; 2], u32)>())?;
        self.budget.charge_items("triangles", tris as u64, size_of::<([u32; 3], u32)>())?;
        let vertices = self.vertices(mesh, &path)?;
        let mut texcoords: Vec<_> = mesh.uvs.iter().map(|uv| f32s(*uv)).collect();
        texcoords.resize(n, [F32::default(); 2]);
        // A part of a split mesh has only some of its triangles, so the mesh's group ids do not fit.
        let source = drawable.id().and_then(|id| self.scene.meshes.get(id.0));
        let extras = source.filter(|m| m.triangles.len() == tris).and_then(|m| m.extras.as_ref());
        Ok(Mesh {
            shader,
            vertices: Arc::new(vertices),
            texcoords: Arc::new(texcoords),
            triangles: Arc::new(mesh.triangles.iter().map(|t| self.map.triangle(*t)).collect()),
            groupids: Arc::new(numbers(extras, "groupids", tris).collect()),
        })
    }

    fn vertices(&mut self, mesh: &meshwright_scene::Mesh, path: &str) -> Result<Vertices, ConvertError> {
        let mut vertices = Vertices {
            counts: Vec::with_capacity(mesh.positions.len()),
            influences: Vec::with_capacity(influences_of(mesh)),
        };
        let (mut row, mut odd, mut apart) = (Vec::new(), VertexFaults::default(), 0.0_f32);
        for v in 0..mesh.positions.len() {
            self.bones.vertex(mesh, v, path, &mut row, &mut odd)?;
            let sum: f32 = row.iter().map(|i| i.influence.get()).sum();
            apart = apart.max((sum - 1.0).abs());
            vertices.push(&row);
        }
        odd.report(path, self.losses);
        if apart > 1.0e-3 {
            let loss = Loss::new("influence-sum", path, "the weights of a vertex do not sum to 1");
            self.losses.push(loss.with_amount(apart.into(), "off"));
        }
        Ok(vertices)
    }
}
