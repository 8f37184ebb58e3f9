//! Limits of engines.

use super::bones::{flags, has_loose_vertices};
use super::options::Saving;
use crate::bone::BoneFlags;
use crate::dpm::{Dpm, Influence};
use crate::optimize::{OptimizeOptions, Optimized};
use crate::zym::Zym;
use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::{FileFormat, Order as _, SortedSet, WriteError};
use meshwright_scene::{
    Budget, ConvertError, Engine, EngineLimits, FromSceneOptions, Limits, Loss, MostBones, Scene, SkeletonId,
};

/// Joins all skeletons of the scene into one, with no more bones than the engine supports.
pub(super) fn one_skeleton<'s, T>(
    scene: &'s Scene,
    options: &FromSceneOptions<T>,
    engine: Option<(Engine, EngineLimits)>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Cow<'s, Scene>, ConvertError> {
    scene.validate()?;
    let scene = Scene::with_one_skeleton(Cow::Borrowed(scene), |_| true, budget, losses)?;
    let Some((engine, limits)) = engine else { return Ok(scene) };
    let Some(id) = scene.skeletons.iter().position(|s| !s.joints.is_empty()) else { return Ok(scene) };
    let keeps = |m: usize| !options.prune || scene.nodes.iter().any(|n| n.meshes.iter().any(|n| n.0 == m));
    let mut meshes = scene.meshes.iter().enumerate();
    let root = meshes.any(|(m, mesh)| has_loose_vertices(mesh) && keeps(m));
    let limit = MostBones { most: limits.bones.saturating_sub(root.into()), by: engine.title() };
    let attached = |j: &meshwright_scene::Joint| flags(j.extras.as_ref()).contains(BoneFlags::ATTACHMENT);
    Scene::with_fewer_joints(scene, SkeletonId(id), limit, attached, budget, losses)
}

/// A model of either format.
pub(super) trait Model: FileFormat + Sized {
    fn optimized(
        &self,
        options: &OptimizeOptions,
        clips: &[crate::FrameClip],
    ) -> Result<Optimized<Self>, WriteError>;
    /// Removes unused and duplicate data.
    fn tidy(&mut self, clips: &mut [crate::FrameClip], budget: &Budget) -> Result<(), WriteError>;
    fn counts(&self) -> Counts;
    /// Returns the influences of each vertex.
    fn blends(&self) -> Vec<&[Influence]>;
}

/// The counts that engines limit.
pub(super) struct Counts {
    bones: usize,
    frames: usize,
    vertices: usize,
    triangles: usize,
    shaders: usize,
    poses: usize,
}

impl Model for Dpm {
    fn optimized(
        &self,
        options: &OptimizeOptions,
        clips: &[crate::FrameClip],
    ) -> Result<Optimized<Self>, WriteError> {
        self.optimize(options, clips)
    }

    fn tidy(&mut self, clips: &mut [crate::FrameClip], budget: &Budget) -> Result<(), WriteError> {
        Self::tidy(self, clips, budget)
    }

    fn counts(&self) -> Counts {
        let shaders: SortedSet<_> =
            self.meshes.iter().map(|m| m.shader.bytes().to_ascii_lowercase()).collect();
        Counts {
            bones: self.bones.len(),
            frames: self.frames.len(),
            vertices: self.meshes.iter().map(|m| m.vertices.len()).sum(),
            triangles: self.meshes.iter().map(|m| m.triangles.len()).sum(),
            shaders: shaders.len(),
            poses: self.pose_count(),
        }
    }

    fn blends(&self) -> Vec<&[Influence]> {
        let mut blends = Vec::new();
        for mesh in &self.meshes {
            blends.extend(mesh.vertices.iter().filter(|v| v.len() > 1));
        }
        blends
    }
}

impl Model for Zym {
    fn optimized(
        &self,
        options: &OptimizeOptions,
        clips: &[crate::FrameClip],
    ) -> Result<Optimized<Self>, WriteError> {
        self.optimize(options, clips)
    }

    fn tidy(&mut self, clips: &mut [crate::FrameClip], budget: &Budget) -> Result<(), WriteError> {
        Self::tidy(self, clips, budget)
    }

    fn counts(&self) -> Counts {
        Counts {
            bones: self.bones.len(),
            frames: self.pose_count(),
            vertices: self.counts.len(),
            triangles: self.triangle_count(),
            shaders: self.runs.len(),
            poses: self.pose_count(),
        }
    }

    fn blends(&self) -> Vec<&[Influence]> {
        Vec::new()
    }
}

/// Rejects a model that exceeds the limits of the engine.
pub(super) fn check<M: Model>(
    model: &M,
    engine: Option<(Engine, EngineLimits)>,
    budget: &Budget,
) -> Result<(), ConvertError> {
    let Some((engine, limits)) = engine else { return Ok(()) };
    let counts = model.counts();
    for (path, have, most, items) in [
        ("skeletons", counts.bones, limits.bones, "bones"),
        ("clips", counts.frames, limits.frames, "frames"),
        ("meshes", counts.vertices, limits.vertices, "vertices"),
        ("meshes", counts.triangles, limits.triangles, "triangles"),
        ("materials", counts.shaders, limits.shaders, "shaders"),
    ] {
        if have > most {
            return Err(engine.refuse(path, have, most, items));
        }
    }
    if limits.blends < usize::MAX {
        let have = counts.bones.saturating_add(blends(&model.blends(), budget)?);
        if have > limits.blends {
            return Err(engine.refuse("meshes", have, limits.blends, "bones and blends of bones"));
        }
    }
    Ok(())
}

/// Returns the number of different sets of bones and weights as the engine stores them: the four bones with
/// the largest weights of a vertex, with 8-bit weights.
fn blends(vertices: &[&[Influence]], budget: &Budget) -> Result<usize, ConvertError> {
    budget.charge_items("blends", vertices.len() as u64, 128)?;
    let mut known: SortedSet<[(u32, u8); 4]> = SortedSet::new();
    for vertex in vertices {
        let mut row: Vec<_> =
            vertex.iter().map(|i| (i.bone, f64::from(i.influence.get()).max(0.0))).collect();
        row.order_by(|a, b| b.1.total_cmp(&a.1));
        row.truncate(4);
        let sum: f64 = row.iter().map(|i| i.1).sum();
        let mut blend = [(0, 0); 4];
        for (slot, (bone, weight)) in blend.iter_mut().zip(row) {
            *slot = (bone, byte(weight / sum));
        }
        known.insert(blend);
    }
    Ok(known.len())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(share: f64) -> u8 {
    (share * 255.0).clamp(0.0, 255.0) as u8
}

/// Applies the optimisations that the options or the scene request.
pub(super) fn saved<M: Model>(
    mut model: M,
    mut clips: Vec<crate::FrameClip>,
    saving: Saving,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<(M, Vec<crate::FrameClip>), ConvertError> {
    let refused = |e: WriteError| match e {
        WriteError::Limit(e) => e.into(),
        other => ConvertError::unsupported("", other.to_string()),
    };
    let (before, mut misses) = (model.counts(), 0);
    match saving {
        Saving::Nothing => return Ok((model, clips)),
        Saving::Tidy => model.tidy(&mut clips, budget).map_err(refused)?,
        Saving::Optimize(options) => {
            let options = options.with_limits(Limits::default().with_memory(budget.remaining()));
            let made = model.optimized(&options, &clips).map_err(refused)?;
            misses = made.before.misses.saturating_sub(made.after.misses);
            (model, clips) = (made.model, made.clips);
        }
    }
    let after = model.counts();
    let gone = |of: fn(&Counts) -> usize| of(&before).saturating_sub(of(&after));
    for (code, count, message, one, several) in [
        (
            "bones-removed",
            gone(|c| c.bones),
            "bones that move nothing and are no attachments",
            "bone",
            "bones",
        ),
        (
            "vertices-joined",
            gone(|c| c.vertices),
            "vertices that are alike or in no triangle",
            "vertex",
            "vertices",
        ),
        ("poses-shared", gone(|c| c.poses), "poses that are alike are stored once", "pose", "poses"),
        ("triangles-sorted", misses, "triangles in an order for vertex caches", "miss less", "misses less"),
    ] {
        if count > 0 {
            losses.push(Loss::note(code, "meshes", message).with_count(count, one, several));
        }
    }
    Ok((model, clips))
}
