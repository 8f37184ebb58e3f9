//! Merges patches into a DPM.

use super::{MergedDpm, merge, merged_bones};
use crate::bone::BonePose;
use crate::dpm::rules::check;
use crate::dpm::{Bounds, Dpm, Frame, Influence, Mesh, PoseId, Vertices};
use crate::scene::dpm_from_scene::traced;
use crate::scene::options::DpmSceneOptions;
use crate::scene::to_scene::writable;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::{Findings, SortedMap};
use meshwright_edit::apply::{ApplyPatch, ClipList, Frames, Merge, MeshOrigin, Originals, Surface};
use meshwright_edit::{Attributes, Patch};
use meshwright_scene::{Budget, ConvertError, Converted, FromSceneOptions, LimitExceeded, Loss, Scene};

impl Dpm {
    /// Applies a patch of `native`, the scene of this model. Everything that the patch does not name keeps
    /// its bits: names, flags, group ids, stored bounds, frames outside clips, and the layout of the file if
    /// no size changed. Frame names are treated as clip names, unless the `list` of clips is a companion
    /// file.
    ///
    /// # Errors
    /// As [`Dpm::from_scene`] for the edited scene, and if the result breaks a rule of the format.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        list: ClipList,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<MergedDpm>, ConvertError> {
        merge(self, (native, patch), list, options, |scene| traced(scene, options, None, false))
    }
}

impl ApplyPatch for Dpm {
    type Pose = BonePose;
    type Bounds = Bounds;
    const KEEPS_LISTED_FRAMES: bool = false;

    fn bone_count(&self) -> usize {
        self.bones.len()
    }

    fn frame(&self, frame: usize) -> &[BonePose] {
        self.frame_pose(frame).unwrap_or_default()
    }

    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn bounds(&mut self) -> impl Iterator<Item = &mut Bounds> {
        core::iter::once(&mut self.bounds).chain(self.frames.iter_mut().map(|part| &mut part.bounds))
    }

    fn bound_within(&mut self, budget: &Budget, losses: &mut Vec<Loss>) -> Result<bool, LimitExceeded> {
        Self::bound_within(self, budget, losses)
    }

    fn put_shape(&mut self, work: &Merge<'_, Self>) -> Result<(), ConvertError> {
        self.meshes = meshes(work)?;
        self.bones = merged_bones(work, [&work.original.bones, &work.made.model.bones]);
        Ok(())
    }

    fn put_frames(&mut self, work: &Merge<'_, Self>, plan: &Frames) -> Result<Originals, ConvertError> {
        (self.frames, self.poses) = numbered(work, plan)?;
        Ok(plan.frames.iter().map(|f| f.original).collect())
    }

    fn finish(&mut self) -> Result<(), ConvertError> {
        // A new bone may be the parent of an existing one.
        self.sort_bones();
        writable(check(self, &mut Findings::writing()))
    }
}

/// Returns the frames with their poses: the original's in their order, followed by new ones.
fn numbered(work: &Merge<'_, Dpm>, plan: &Frames) -> Result<(Vec<Frame>, Vec<BonePose>), ConvertError> {
    let mut slots: SortedMap<u32, Vec<BonePose>> = SortedMap::new();
    let mut next = u32::MAX >> 1;
    let mut frames = work.budget.reserve("frames", plan.frames.len())?;
    for origin in &plan.frames {
        let of = |model: &Dpm, at: Option<usize>| at.and_then(|at| model.frames.get(at)).copied();
        let (old, new) = (of(work.original, origin.original), of(&work.made.model, origin.made));
        let bones = work.joints.records.list.len() as u64;
        work.budget.charge_items("poses", bones, 2 * size_of::<BonePose>())?;
        let pose: Vec<_> = work.pose(origin).map(|p| p.unwrap_or(BonePose::IDENTITY)).collect();
        let place = match old.map(|f| (f.pose.0, slots.get(&f.pose.0))) {
            Some((place, None)) => place,
            Some((place, Some(there))) if *there == pose => place,
            _ => {
                next += 1;
                next
            }
        };
        slots.insert(place, pose);
        let renamed =
            origin.clip.filter(|(clip, _)| work.list == ClipList::Model && work.clips.is_renamed(*clip));
        let frame = old.or(new).unwrap_or_default();
        let name = renamed.and(new).map_or(frame.name, |f| f.name);
        frames.push(Frame { name, pose: PoseId(place), ..frame });
    }
    let numbers: SortedMap<u32, u32> = slots.keys().copied().zip(0..).collect();
    for frame in &mut frames {
        frame.pose = PoseId(numbers.get(&frame.pose.0).copied().unwrap_or_default());
    }
    Ok((frames, slots.into_values().flatten().collect()))
}

fn meshes(work: &Merge<'_, Dpm>) -> Result<Vec<Mesh>, ConvertError> {
    let origins = work.patch.mesh_origins(work.original.meshes.len(), &work.made.meshes, work.budget)?;
    let mut meshes = work.budget.reserve("meshes", origins.len())?;
    for MeshOrigin { original, made, source } in origins {
        let Some(new) = work.made.model.meshes.get(made) else { continue };
        let old = original.and_then(|n| work.original.meshes.get(n));
        meshes.push(match old.zip(source) {
            Some((old, mesh)) => merged_mesh(work, old, new, mesh)?,
            None => {
                let vertices = new.vertices.iter().map(|row| merged_row(work, None, row, Attributes::NONE));
                Mesh { vertices: Arc::new(vertices.collect()), ..new.clone() }
            }
        });
    }
    Ok(meshes)
}

fn merged_mesh(work: &Merge<'_, Dpm>, old: &Mesh, new: &Mesh, mesh: usize) -> Result<Mesh, LimitExceeded> {
    let shader = if work.patch.is_surface_renamed(mesh) { new.shader } else { old.shader };
    let unchanged = work.patch.meshes.get(mesh).is_some_and(|own| own.unchanged);
    if unchanged && work.joints.records.is_original() {
        return Ok(Mesh { shader, ..old.clone() });
    }
    let surface = Surface::new(work.patch, Some(mesh));
    let influences = old.vertices.influences.len() + new.vertices.influences.len();
    work.budget.charge_items("vertices", influences as u64, size_of::<Influence>())?;
    work.budget.charge_items("vertices", new.vertices.len() as u64, size_of::<[u64; 4]>())?;
    work.budget.charge_items("triangles", new.triangles.len() as u64, size_of::<[u64; 5]>())?;
    let rows: Vec<_> = old.vertices.iter().collect();
    let all = || surface.vertices().zip(new.vertices.iter().zip(new.texcoords.iter()));
    let mut vertices = Vertices {
        counts: Vec::with_capacity(new.vertices.len()),
        influences: Vec::with_capacity(new.vertices.influences.len()),
    };
    let renumbered = !work.joints.records.is_original();
    for ((n, changed), (row, _)) in all() {
        let kept = n.and_then(|n| rows.get(n).copied());
        match kept.filter(|_| !renumbered && !changed.has(Attributes::SKINNED)) {
            Some(kept) => vertices.push(kept),
            None => vertices.push(&merged_row(work, kept, row, changed)),
        }
    }
    let uv = |((n, changed), (_, uv)): ((Option<usize>, Attributes), (_, &[_; 2]))| {
        let kept = n.and_then(|n| old.texcoords.get(n)).filter(|_| !changed.has(Attributes::UV));
        *kept.unwrap_or(uv)
    };
    let triangles = surface.merged_triangles(rows.len(), &old.triangles, new.triangles.iter().copied());
    let group = |(t, (_, n)): (usize, &(_, Option<usize>))| match n {
        Some(n) => old.groupids.get(*n).copied().unwrap_or_default(),
        None => new.groupids.get(t).copied().unwrap_or_default(),
    };
    Ok(Mesh {
        shader,
        vertices: keep_shared(&old.vertices, vertices),
        texcoords: keep_shared(&old.texcoords, all().map(uv).collect()),
        groupids: keep_shared(&old.groupids, triangles.iter().enumerate().map(group).collect()),
        triangles: keep_shared(&old.triangles, triangles.into_iter().map(|(corners, _)| corners).collect()),
    })
}

/// Returns the influences of a vertex: the original's if they were not edited.
fn merged_row(
    work: &Merge<'_, Dpm>,
    old: Option<&[Influence]>,
    new: &[Influence],
    changed: Attributes,
) -> Vec<Influence> {
    let of = |i: &Influence| work.joints.of_original(i.bone).map(|bone| Influence { bone, ..*i });
    let kept = old.filter(|_| !changed.has(Attributes::WEIGHTS));
    let kept = match kept.and_then(|old| old.iter().map(of).collect::<Option<Vec<_>>>()) {
        Some(kept) if !changed.has(Attributes::SKINNED) => return kept,
        kept => kept,
    };
    let made = new.iter().map(|i| Influence { bone: work.joints.of_made(i.bone), ..*i });
    let made: Vec<_> = made.collect();
    let same = |kept: &Vec<Influence>| kept.iter().map(|i| i.bone).eq(made.iter().map(|i| i.bone));
    let Some(kept) = kept.filter(same) else { return made };
    let moved = changed.has(Attributes::JOINT_POSITION);
    let turned = changed.has(Attributes::JOINT_NORMAL);
    let one = |(k, n): (&Influence, &Influence)| Influence {
        origin: if moved { n.origin } else { k.origin },
        normal: if turned { n.normal } else { k.normal },
        ..*k
    };
    kept.iter().zip(&made).map(one).collect()
}

/// Keeps sharing the original's data if it is unchanged.
fn keep_shared<T: PartialEq>(native: &Arc<T>, made: T) -> Arc<T> {
    if **native == made { Arc::clone(native) } else { Arc::new(made) }
}
