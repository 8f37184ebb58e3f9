//! Merges patches into a ZYM. Its shaders share one list of vertices, so the corners of triangles identify
//! the original vertices.

use super::{MergedZym, merge, merged_bones};
use crate::bone::{BonePose, Name};
use crate::scene::options::DpmSceneOptions;
use crate::scene::to_scene::writable;
use crate::scene::zym_from_scene::traced;
use crate::scene::zym_to_scene::Starts;
use crate::zym::rules::check;
use crate::zym::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};
use alloc::vec::Vec;
use meshwright_core::{F32, Findings};
use meshwright_edit::apply::{
    ApplyPatch, ClipList, Corner, Corners, Frames, Merge, MeshOrigin, Originals, Surface, VertexPlace,
};
use meshwright_edit::{Attributes, Patch};
use meshwright_scene::{Budget, ConvertError, Converted, FromSceneOptions, LimitExceeded, Loss, Scene};

impl Zym {
    /// Applies a patch of `native`, the scene of this model, as [`Dpm::merge`](crate::Dpm::merge) does.
    /// Vertices that shaders share stay shared if they were edited alike. If the `list` of clips is a
    /// companion file, the scenes of the model and all its poses stay, and new poses come after them.
    ///
    /// # Errors
    /// As [`Zym::from_scene`] for the edited scene, and if the result breaks a rule of the format.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        list: ClipList,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<MergedZym>, ConvertError> {
        merge(self, (native, patch), list, options, |scene| traced(scene, options, None, false))
    }
}

impl ApplyPatch for Zym {
    type Pose = BonePose;
    type Bounds = ZymBounds;
    const KEEPS_LISTED_FRAMES: bool = true;

    fn bone_count(&self) -> usize {
        self.bones.len()
    }

    fn frame(&self, frame: usize) -> &[BonePose] {
        self.pose(frame).unwrap_or_default()
    }

    fn frame_count(&self) -> usize {
        self.pose_count()
    }

    fn bounds(&mut self) -> impl Iterator<Item = &mut ZymBounds> {
        core::iter::once(&mut self.bounds).chain(self.scenes.iter_mut().map(|part| &mut part.bounds))
    }

    fn bound_within(&mut self, budget: &Budget, losses: &mut Vec<Loss>) -> Result<bool, LimitExceeded> {
        Self::bound_within(self, budget, losses)
    }

    fn put_shape(&mut self, work: &Merge<'_, Self>) -> Result<(), ConvertError> {
        self.bones = merged_bones(work, [&work.original.bones, &work.made.model.bones]);
        put_vertices(work, self)
    }

    fn put_frames(&mut self, work: &Merge<'_, Self>, plan: &Frames) -> Result<Originals, ConvertError> {
        self.poses = work.budget.reserve("poses", plan.frames.len().saturating_mul(self.bones.len()))?;
        let pose = |frame| work.pose(frame).map(|p| p.unwrap_or(BonePose::IDENTITY));
        self.poses.extend(plan.frames.iter().flat_map(pose));
        let (scenes, origins) = scenes(work, plan)?;
        self.scenes = scenes;
        Ok(origins)
    }

    fn finish(&mut self) -> Result<(), ConvertError> {
        // A new bone may be the parent of an existing one.
        self.sort_bones();
        writable(check(self, &mut Findings::writing()))
    }
}

/// The values of a vertex: its influences and texture coordinates.
type Row = (Vec<ZymInfluence>, [F32; 2]);

/// A model, with the influences of each vertex and the first triangle of each run.
struct Shape<'a> {
    model: &'a Zym,
    starts: Starts,
    triangles: Vec<usize>,
}

impl<'a> Shape<'a> {
    fn new(model: &'a Zym, budget: &Budget) -> Result<Self, LimitExceeded> {
        let mut triangles = budget.reserve("triangles", model.runs.len())?;
        let mut first = 0;
        for run in &model.runs {
            triangles.push(first);
            first += run.triangles.len();
        }
        Ok(Self { model, starts: Starts::new(&model.counts, budget)?, triangles })
    }

    fn row(&self, vertex: usize) -> (&'a [ZymInfluence], [F32; 2]) {
        let uv = self.model.texcoords.get(vertex).copied();
        let own = self.model.influences.get(self.starts.range(vertex));
        (own.unwrap_or_default(), uv.unwrap_or_default())
    }

    fn zone(&self, run: usize, triangle: usize) -> Option<u8> {
        self.model.trizone.get(self.triangles.get(run)?.saturating_add(triangle)).copied()
    }
}

/// Returns the scenes of the result, and the original scene of each.
fn scenes(work: &Merge<'_, Zym>, plan: &Frames) -> Result<(Vec<ZymScene>, Originals), ConvertError> {
    let (original, made) = (&work.original.scenes, &work.made.model.scenes);
    let mut scenes = work.budget.reserve("scenes", original.len() + made.len())?;
    // The clips of a companion file are not scenes of the model. A model without motion has scenes that no clip shows.
    let own = work.list == ClipList::Companion || work.clips.is_still();
    if own {
        scenes.extend(original.iter().enumerate().map(|(n, scene)| (*scene, Some(n))));
    }
    for (a, (start, new)) in plan.starts.iter().zip(made).enumerate() {
        let found = work.clips.was(a);
        let end = start.saturating_add(new.length) as usize;
        if own && (found.is_some() || end <= work.original.pose_count()) {
            continue;
        }
        let old = found.and_then(|(n, was)| Some((original.get(n)?, was))).zip(work.clips.edited_clip(a));
        let mut scene = ZymScene { start: *start, ..*new };
        if let Some(((n, was), (is, patch))) = old {
            scene.bounds = n.bounds;
            scene.name = if patch.renamed { new.name } else { n.name };
            scene.framerate =
                if was.rate.to_bits() == is.rate.to_bits() { n.framerate } else { new.framerate };
            let other = if was.looping == is.looping { 0 } else { SceneFlags::NO_LOOP.0 };
            scene.flags = SceneFlags(n.flags.0 ^ other);
        }
        scenes.push((scene, found.map(|(n, _)| n)));
    }
    if scenes.is_empty() {
        scenes.extend(made.first().map(|scene| (*scene, None)));
    }
    Ok(scenes.into_iter().unzip())
}

/// Writes vertices, triangles and zones into a copy of the original model.
fn put_vertices(work: &Merge<'_, Zym>, model: &mut Zym) -> Result<(), ConvertError> {
    let budget = work.budget;
    let (old, new) = (Shape::new(work.original, budget)?, Shape::new(&work.made.model, budget)?);
    let corners = 3 * (old.model.triangle_count() + new.model.triangle_count());
    let native = old.model.counts.len();
    budget.charge_items("vertices", native as u64, size_of::<Option<Row>>() + 64)?;
    budget.charge_items("triangles", corners as u64, 160)?;
    let mut vertices = Corners::new(native, budget)?;
    let mut runs: Vec<(Name, Vec<[VertexPlace; 3]>)> = Vec::new();
    model.trizone.clear();
    for MeshOrigin { original, made, source } in
        work.patch.mesh_origins(old.model.runs.len(), &work.made.meshes, budget)?
    {
        let Some(run) = new.model.runs.get(made) else { continue };
        let before = original.and_then(|n| old.model.runs.get(n));
        let triangles = before.map_or(&[][..], |run| &run.triangles);
        let surface = Surface::new(work.patch, source);
        let renamed = source.is_none_or(|mesh| work.patch.is_surface_renamed(mesh));
        let shader = before.filter(|_| !renamed).map_or(run.shader, |run| run.shader);
        let row = |c: &Corner| merged_row(work, c, &old, &new);
        runs.push((shader, vertices.place_mesh(&surface, triangles, &run.triangles, row)));
        let zone = |t: usize| {
            let kept = original.zip(surface.triangle(t)).and_then(|(run, t)| old.zone(run, t));
            kept.or_else(|| new.zone(made, t)).unwrap_or(0)
        };
        model.trizone.extend((0..run.triangles.len()).map(zone));
    }
    let unused = |v: usize| {
        let (own, uv) = old.row(v);
        let bone = |i: &ZymInfluence| work.joints.of_original(i.bone).unwrap_or(0);
        (own.iter().map(|i| ZymInfluence { bone: bone(i), ..*i }).collect(), uv)
    };
    let mut drawn = Vec::with_capacity(old.model.triangle_count());
    old.model.runs.iter().for_each(|run| drawn.extend_from_slice(&run.triangles));
    let (rows, numbers) = vertices.numbered(drawn.into_iter(), unused);
    (model.counts, model.influences, model.texcoords) = Default::default();
    for (influences, uv) in rows {
        model.counts.push(u32::try_from(influences.len()).unwrap_or(u32::MAX));
        model.influences.extend(influences);
        model.texcoords.push(uv);
    }
    model.runs.clear();
    for (shader, list) in &runs {
        model.runs.push(ZymRun { shader: *shader, triangles: numbers.triangles(list) });
    }
    Ok(())
}

/// Returns the values of a corner's vertex. The file stores no normals.
fn merged_row(work: &Merge<'_, Zym>, corner: &Corner, old: &Shape<'_>, new: &Shape<'_>) -> Row {
    let Corner { original, made, changed } = *corner;
    let old = original.map(|v| old.row(v as usize));
    let (new, uv) = new.row(made as usize);
    let of = |i: &ZymInfluence| work.joints.of_original(i.bone).map(|bone| ZymInfluence { bone, ..*i });
    let moved = changed.has(Attributes::JOINT_POSITION | Attributes::WEIGHTS);
    let kept = old.filter(|_| !moved).and_then(|(own, _)| own.iter().map(of).collect::<Option<Vec<_>>>());
    let made = || new.iter().map(|i| ZymInfluence { bone: work.joints.of_made(i.bone), ..*i }).collect();
    let uv = old.filter(|_| !changed.has(Attributes::UV)).map_or(uv, |(_, uv)| uv);
    (kept.unwrap_or_else(made), uv)
}
