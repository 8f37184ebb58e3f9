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
use alloc::vec::Vec;
use meshwright_core::math::{narrow, scale};
use meshwright_core::{F32, FileFormat, Findings, Order as _, f32s, values};
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
    let draw = options.draw(scene, &TO_GLTF, Levels::Finest);
    let draw = draw.with_axes(AxisMap::IDENTITY).with_normalize(true).with_max_influences(1);
    let mut drawables = Drawables::new(scene, &draw, &budget)?;
    let (map, naming) = (options.axes(scene, &TO_GLTF), options.names);
    Unsupported::report(
        &[Unsupported::Images, Unsupported::Surfaces, Unsupported::Colors, Unsupported::Tangents],
        scene,
        &mut losses,
    );
    let mut bones = Bones::from_scene(scene, map, drawables.instances(), naming, &budget, &mut losses)?;
    let count = drawables.instances().count();
    let mut work = RunConversion {
        scene,
        bones: &bones,
        map,
        names: Names::new(names::SHADERS, naming, &budget),
        budget: &budget,
        model: Zym::default(),
        normals: Vec::new(),
        starts: Vec::new(),
        is_shared: count > 1,
        losses: &mut losses,
    };
    let mut meshes = budget.reserve("meshes", count)?;
    for drawable in drawables.by_ref() {
        let drawable = drawable?;
        meshes.push(source_of(scene, &drawable));
        work.run(&drawable)?;
    }
    let mut model = work.share_vertices();
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

/// The memory of a vertex in the model, in bytes.
const VERTEX: usize = size_of::<(ZymInfluence, [F32; 2], u32)>();
/// The memory for finding equal vertices, in bytes per vertex.
const SHARING: usize = size_of::<([F32; 3], [u32; 3])>();

/// Builds the triangle runs, one for each mesh. Their vertices are not shared until
/// [`share_vertices`](Self::share_vertices).
struct RunConversion<'a, 'b> {
    scene: &'a Scene,
    bones: &'a Bones<'a>,
    map: AxisMap,
    names: Names<'b>,
    budget: &'b Budget,
    model: Zym,
    /// The normal of each vertex if several meshes are drawn. The model does not store it, but vertices with different
    /// ones are not shared.
    normals: Vec<[F32; 3]>,
    /// The number of vertices before each run.
    starts: Vec<usize>,
    /// True if several meshes are drawn.
    is_shared: bool,
    losses: &'a mut Vec<Loss>,
}

impl RunConversion<'_, '_> {
    fn run(&mut self, drawable: &Drawable<'_>) -> Result<(), ConvertError> {
        let (path, mesh) = (drawable.path(), &*drawable.mesh);
        let material = drawable.material().and_then(|m| self.scene.materials.get(m.0));
        let name = material.map_or(drawable.name, |m| m.name.as_str());
        let shader = Name::truncated(&self.names.fit_shared(name, &path, self.losses)?);
        let tris = mesh.triangles.len();
        let each = if self.is_shared { VERTEX + SHARING } else { VERTEX };
        self.budget.charge_items("vertices", mesh.positions.len() as u64, each)?;
        self.budget.charge_items("triangles", tris as u64, size_of::<[u32; 3]>() + 1)?;
        if !mesh.normals.is_empty() {
            let message = "the format stores no normals; engines make them from the triangles";
            self.losses.push(Loss::new("normals-dropped", &*path, message));
        }
        let first = u32::try_from(self.model.influences.len()).unwrap_or(u32::MAX);
        self.vertices(mesh, &path)?;
        let triangle = |t: &[u32; 3]| self.map.triangle(t.map(|v| first.saturating_add(v)));
        self.model.runs.push(ZymRun { shader, triangles: mesh.triangles.iter().map(triangle).collect() });
        let source = drawable.id().and_then(|id| self.scene.meshes.get(id.0));
        let extras = source.filter(|m| m.triangles.len() == tris).and_then(|m| m.extras.as_ref());
        let zones = numbers(extras, "trizone", tris);
        self.model.trizone.extend(zones.map(|zone| u8::try_from(zone).unwrap_or(0)));
        Ok(())
    }

    /// Adds the vertices of a mesh.
    fn vertices(&mut self, mesh: &Mesh, path: &str) -> Result<(), ConvertError> {
        let n = mesh.positions.len();
        self.starts.push(self.model.influences.len());
        self.model.influences.reserve(n);
        self.model.texcoords.reserve(n);
        let (mut row, mut odd, mut weights) = (Vec::new(), VertexFaults::default(), 0_usize);
        for v in 0..n {
            self.bones.vertex(mesh, v, path, &mut row, &mut odd)?;
            let part = row.first().copied().unwrap_or_default();
            let weight = part.influence.get();
            weights += usize::from((weight - 1.0).abs() > 1.0e-3);
            let (influence, normal) = unweighted(&part);
            let uv = mesh.uvs.get(v).map_or([F32::default(); 2], |[u, v]| [F32::new(*u), F32::new(1.0 - v)]);
            self.model.influences.push(influence);
            self.model.texcoords.push(uv);
            if self.is_shared {
                self.normals.push(normal);
            }
        }
        odd.report(path, self.losses);
        if weights > 0 {
            let loss = Loss::new("influence-sum", path, "the format has no weights other than 1");
            self.losses.push(loss.with_count(weights, "vertex", "vertices"));
        }
        Ok(())
    }

    /// Stores identical vertices of several meshes once, or as often as one mesh has them, and returns the model.
    fn share_vertices(self) -> Zym {
        let Self { mut model, normals, starts, is_shared, .. } = self;
        if is_shared && starts.len() > 1 {
            let same = same_vertices(&model, &normals, &starts);
            let (mut numbers, mut kept) = (alloc::vec![0_u32; same.len()], 0_usize);
            for (v, first) in same.iter().enumerate() {
                if *first as usize == v {
                    numbers[v] = u32::try_from(kept).unwrap_or(u32::MAX);
                    model.influences[kept] = model.influences[v];
                    model.texcoords[kept] = model.texcoords[v];
                    kept += 1;
                } else {
                    numbers[v] = numbers[*first as usize];
                }
            }
            model.influences.truncate(kept);
            model.texcoords.truncate(kept);
            let corners = model.runs.iter_mut().flat_map(|run| run.triangles.as_flattened_mut());
            corners.for_each(|v| *v = numbers.get(*v as usize).copied().unwrap_or_default());
        }
        model.counts = alloc::vec![1; model.influences.len()];
        model
    }
}

/// Returns for each vertex the first one that is stored for it. The second of two equal vertices of a mesh is the second
/// of another.
fn same_vertices(model: &Zym, normals: &[[F32; 3]], starts: &[usize]) -> Vec<u32> {
    let bits = |v: [F32; 3]| v.map(F32::to_bits);
    let key = |v: u32| {
        let v = v as usize;
        let (influence, uv) = (&model.influences[v], model.texcoords[v].map(F32::to_bits));
        (influence.bone, bits(influence.origin), bits(normals[v]), uv)
    };
    let mut same: Vec<u32> = (0..).take(model.influences.len()).collect();
    let mut order = same.clone();
    order.order_by_key(|v| key(*v));
    let mut firsts = Vec::new();
    for equal in order.chunk_by(|a, b| key(*a) == key(*b)) {
        let (mut mesh, mut nth) = (0, 0);
        firsts.clear();
        for v in equal {
            // Vertices of a mesh have successive numbers.
            let own = starts.partition_point(|start| *start <= *v as usize);
            nth = if own == mesh { nth + 1 } else { 0 };
            mesh = own;
            match firsts.get(nth) {
                Some(first) => same[*v as usize] = *first,
                None => firsts.push(*v),
            }
        }
    }
    same
}

/// Returns an influence as a full vertex without its weight, and its normal. A vertex without weight is unchanged.
fn unweighted(part: &Influence) -> (ZymInfluence, [F32; 3]) {
    let weight = f64::from(part.influence.get());
    let whole = |v: [F32; 3]| match weight {
        0.0 | 1.0 => v,
        _ => f32s(narrow(scale(values(v).map(f64::from), 1.0 / weight))),
    };
    (ZymInfluence { bone: part.bone, origin: whole(part.origin) }, whole(part.normal))
}
