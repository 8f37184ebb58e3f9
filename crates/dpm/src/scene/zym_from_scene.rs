//! Converts a scene to a ZYM.

use super::axes::TO_GLTF;
use super::bones::{Bones, VertexFaults, numbers};
use super::dpm_from_scene::source_of;
use super::frames::Frames;
use super::limits::{self, one_skeleton, saved};
use super::motion::Motion;
use super::names;
use super::options::DpmSceneOptions;
use super::to_scene::writable;
use super::traced::Traced;
use crate::bone::{BonePose, Name};
use crate::dpm::Influence;
use crate::zym::rules::check;
use crate::zym::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::math::{narrow, scale};
use meshwright_core::{F32, FileFormat, Findings, f32s, values};
use meshwright_scene::names::Names;
use meshwright_scene::{
    AxisMap, Budget, ConvertError, Converted, Drawable, Drawables, Extra, FromScene, FromSceneOptions,
    Levels, Loss, Mesh, Scene, Unsupported,
};

/// The rate of the single scene that a model without clips gets.
const STILL_RATE: f32 = 1.0;

impl Zym {
    /// Converts the drawn meshes of a scene, by default its finest level of detail.
    ///
    /// Every vertex keeps only the joint with the largest weight, and is stored in the space of its bone. Shaders share
    /// one list of vertices: vertices with identical bone, position, normal and texture coordinates are stored once, or
    /// as often as one mesh has them. Pose 0 is the bind pose. After it are the poses of the clips, sampled at whole
    /// frames. Meshes without a skin, and vertices without influences, follow a root bone. A scene without clips
    /// becomes a model with one clip of one pose. Bounds are computed.
    ///
    /// # Errors
    /// If the scene breaks its own rules, draws no triangle, or binds vertices to a joint that flattens
    /// space, or if the model would take more than the limits allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Ok(traced(scene, options, None, true)?.map(|made| made.model))
    }

    /// Adds a pose for every frame, and a scene for every clip.
    fn set_poses(
        &mut self,
        frames: &Frames<'_>,
        bones: &Bones<'_>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let count = bones.bones.len();
        // Frames that share a pose get a pose each in this format.
        budget.charge_items(
            "poses",
            (frames.frames.len() as u64).saturating_mul(count as u64),
            size_of::<BonePose>(),
        )?;
        for frame in &frames.frames {
            let start = (frame.pose.0 as usize).saturating_mul(count);
            self.poses.extend_from_slice(frames.poses.get(start..start + count).unwrap_or_default());
        }
        let scene = |name: &[u8], framerate: f32, flags, start, length| ZymScene {
            name: Name::truncated(name),
            bounds: ZymBounds::default(),
            framerate: F32::new(framerate),
            flags: SceneFlags(flags),
            start,
            length,
        };
        budget.charge_items("scenes", frames.clips.len() as u64, size_of::<ZymScene>())?;
        for c in &frames.clips {
            let flags = if c.looping { 0 } else { SceneFlags::NO_LOOP.0 };
            self.scenes.push(scene(&c.name, c.fps, flags, c.start, c.length));
        }
        if self.scenes.is_empty() {
            let message = "the scene has no clips; the model has one of a single pose";
            losses.push(Loss::note("clip-added", "clips", message));
            self.scenes.push(scene(b"bind", STILL_RATE, 0, 0, 1));
        }
        Ok(())
    }
}

/// Converts as [`Zym::from_scene`], with or without bounds. If a model's motion is given, its bones and
/// frames replace the scene's.
pub(super) fn traced(
    scene: &Scene,
    options: &FromSceneOptions<DpmSceneOptions>,
    motion: Option<&Motion<'_>>,
    bounds: bool,
) -> Result<Converted<Traced<Zym>>, ConvertError> {
    let budget = options.budget();
    let mut losses = Vec::new();
    let engine = options.engine_of(<Zym as FileFormat>::ID);
    let scene = &*one_skeleton(scene, options, engine, &budget, &mut losses)?;
    // The bones convert vertices to the file's axes.
    let draw = options.draw(scene, &TO_GLTF, Levels::Finest, false);
    let draw = draw.with_axes(AxisMap::IDENTITY).with_normalize(true).with_max_influences(1);
    let mut drawables = Drawables::new(scene, &draw, &budget)?;
    let (map, naming) = (options.axes(scene, &TO_GLTF), options.names);
    Unsupported::report(
        &[Unsupported::Images, Unsupported::Surfaces, Unsupported::Colors, Unsupported::Tangents],
        scene,
        &mut losses,
    );
    let mut bones = Bones::from_scene(scene, map, drawables.instances(), naming, &budget, &mut losses)?;
    let mut work = RunConversion {
        scene,
        bones: &bones,
        map,
        names: Names::new(names::SHADERS, naming, &budget),
        budget: &budget,
        known: BTreeMap::new(),
        model: Zym::default(),
        losses: &mut losses,
    };
    let mut meshes = budget.reserve("meshes", drawables.instances().count())?;
    for drawable in drawables.by_ref() {
        let drawable = drawable?;
        meshes.push(source_of(scene, &drawable));
        work.run(&drawable)?;
    }
    let mut model = work.model;
    losses.append(&mut drawables.take_losses());
    if model.counts.len() < 3 || model.triangle_count() == 0 {
        let message = "nothing is drawn; a ZYM needs a triangle";
        return Err(ConvertError::unsupported("nodes", message));
    }
    let frames = match motion {
        Some(own) => Frames::of_model(own, &mut bones, names::NAMES, naming, &budget, &mut losses)?,
        None => Frames::from_scene(scene, &bones, names::NAMES, naming, &budget, &mut losses)?,
    };
    model.set_poses(&frames, &bones, &budget, &mut losses)?;
    model.take_flags(scene);
    let joints = bones.joints();
    model.bones = bones.bones;
    let saver = options.format.saving(scene);
    (model, _) = saved(model, Vec::new(), saver, &budget, &mut losses)?;
    limits::check(&model, engine, &budget)?;
    if bounds {
        model.bound_within(&budget, &mut losses)?;
    }
    writable(check(&model, &mut Findings::writing()))?;
    Ok(Converted::new(Traced { model, clips: frames.clips, joints, meshes }, losses))
}

impl Zym {
    /// Sets the unknown flags of scenes from native fields, if their number matches.
    fn take_flags(&mut self, scene: &Scene) {
        let said =
            scene.extras.as_ref().and_then(|extras| extras.get("scenes")).map_or(&[][..], Extra::items);
        if said.len() == self.scenes.len() {
            for (scene, said) in self.scenes.iter_mut().zip(said) {
                let flags = said.get("flags").and_then(Extra::as_u32).unwrap_or(0);
                scene.flags.0 |= SceneFlags(flags).unknown();
            }
        }
    }
}

impl FromScene for Zym {
    type Options = DpmSceneOptions;

    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Self::from_scene(scene, options)
    }
}

/// The bits of a vertex, and the number of equal vertices before it in the mesh.
type Key = (u32, [[u32; 3]; 2], [u32; 2], u32);

/// The memory for sorting per vertex, in bytes.
const VERTEX: usize = 2 * size_of::<(Key, u32)>() + size_of::<ZymInfluence>() + 16;

/// Builds the triangle runs.
struct RunConversion<'a, 'b> {
    scene: &'a Scene,
    bones: &'a Bones<'a>,
    map: AxisMap,
    names: Names<'b>,
    budget: &'b Budget,
    /// The numbers of the existing vertices.
    known: BTreeMap<Key, u32>,
    model: Zym,
    losses: &'a mut Vec<Loss>,
}

impl RunConversion<'_, '_> {
    fn run(&mut self, drawable: &Drawable<'_>) -> Result<(), ConvertError> {
        let (path, mesh) = (drawable.path(), &*drawable.mesh);
        let material = drawable.material().and_then(|m| self.scene.materials.get(m.0));
        let name = material.map_or(drawable.name, |m| m.name.as_str());
        let shader = Name::truncated(&self.names.fit_shared(name, &path, self.losses)?);
        let tris = mesh.triangles.len();
        self.budget.charge_items("vertices", mesh.positions.len() as u64, VERTEX)?;
        self.budget.charge_items("triangles", tris as u64, size_of::<[u32; 3]>() + 1)?;
        if !mesh.normals.is_empty() {
            let message = "the format stores no normals; engines make them from the triangles";
            self.losses.push(Loss::new("normals-dropped", &*path, message));
        }
        let numbers_of = self.vertices(mesh, &path)?;
        let triangle = |t: &[u32; 3]| {
            self.map.triangle(t.map(|v| numbers_of.get(v as usize).copied().unwrap_or_default()))
        };
        self.model.runs.push(ZymRun { shader, triangles: mesh.triangles.iter().map(triangle).collect() });
        let source = drawable.id().and_then(|id| self.scene.meshes.get(id.0));
        let extras = source.filter(|m| m.triangles.len() == tris).and_then(|m| m.extras.as_ref());
        let zones = numbers(extras, "trizone", tris);
        self.model.trizone.extend(zones.map(|zone| u8::try_from(zone).unwrap_or(0)));
        Ok(())
    }

    /// Adds the vertices that do not exist yet, and returns the numbers of all.
    fn vertices(&mut self, mesh: &Mesh, path: &str) -> Result<Vec<u32>, ConvertError> {
        let mut all = self.budget.reserve("vertices", mesh.positions.len())?;
        let mut seen: BTreeMap<Key, u32> = BTreeMap::new();
        let (mut row, mut odd, mut weights) = (Vec::new(), VertexFaults::default(), 0_usize);
        for v in 0..mesh.positions.len() {
            self.bones.vertex(mesh, v, path, &mut row, &mut odd)?;
            let Some(part) = row.first() else { continue };
            let weight = part.influence.get();
            weights += usize::from((weight - 1.0).abs() > 1.0e-3);
            let (influence, normal) = unweighted(part);
            let uv = mesh.uvs.get(v).map_or([F32::default(); 2], |[u, v]| [F32::new(*u), F32::new(1.0 - v)]);
            let bits = |v: [F32; 3]| v.map(F32::to_bits);
            let mut key = (influence.bone, [bits(influence.origin), bits(normal)], uv.map(F32::to_bits), 0);
            let like = seen.entry(key).or_insert(0);
            key.3 = *like;
            *like += 1;
            let next = u32::try_from(self.model.counts.len()).unwrap_or(u32::MAX);
            let number = *self.known.entry(key).or_insert(next);
            if number == next {
                self.model.counts.push(1);
                self.model.influences.push(influence);
                self.model.texcoords.push(uv);
            }
            all.push(number);
        }
        odd.report(path, self.losses);
        if weights > 0 {
            let loss = Loss::new("influence-sum", path, "the format has no weights other than 1");
            self.losses.push(loss.with_count(weights, "vertex", "vertices"));
        }
        Ok(all)
    }
}

/// Returns an influence as a full vertex without its weight, and its normal.
fn unweighted(part: &Influence) -> (ZymInfluence, [F32; 3]) {
    let weight = f64::from(part.influence.get());
    let whole = |v: [F32; 3]| match weight {
        1.0 => v,
        _ => f32s(narrow(scale(values(v).map(f64::from), 1.0 / weight))),
    };
    (ZymInfluence { bone: part.bone, origin: whole(part.origin) }, whole(part.normal))
}
