//! DPM.

use super::bones::{MergedBones, Rigs};
use super::frames::{Clips, MergedClip};
use super::meshes::{MergedMeshes, Meshes};
use crate::bone::BonePose;
use crate::dpm::rules::check;
use crate::dpm::{Bounds, Dpm, Frame, PoseId};
use crate::scene::dpm_from_scene::{DpmFiles, write_scene};
use crate::scene::options::DpmSceneOptions;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::Findings;
use meshwright_scene::merge::{Frames, Kept, Trio, frames, new_losses, pick};
use meshwright_scene::{Budget, ConvertError, Converted, FromSceneOptions, Loss, Scene};

/// A model with an edited scene in it, and its clips.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedDpm {
    /// The model.
    pub model: Dpm,
    /// The clips of the edited scene.
    pub clips: Vec<MergedClip>,
}

impl Dpm {
    /// The model with what is other in `recovered` than in `native`, the scene that the model gives. All else keeps its
    /// bits: names, flags, group ids, stored bounds, frames that no clip has, and the layout of the file where nothing
    /// changed in size.
    ///
    /// Kept apart are bones (name, parent, flags), meshes (shader), influences (place, weight, normal), texture
    /// coordinates, triangles, frames (name, bounds) and the matrix of each bone in each frame. Frame names count as
    /// those of clips unless the clips are `listed` in a companion.
    ///
    /// # Errors
    /// As [`Dpm::from_scene`] for either scene, and when the result breaks a rule of the format.
    pub fn merge(
        &self,
        native: &Scene,
        recovered: &Scene,
        listed: bool,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<MergedDpm>, ConvertError> {
        let before = write_scene(native, options)?;
        let after = write_scene(recovered, options)?;
        let budget = options.budget();
        let losses = new_losses(&before.losses, after.losses);
        let clips = Clips::of(native, &before.value.clips, &after.value.clips, &budget)?;
        let work =
            Work { native: self, before: &before.value, after: &after.value, clips, listed, budget: &budget };
        let mut made = Converted::new(work.merge(false)?, losses);
        let (merged, rewritten, made_up) = made.value;
        let (merged, rewritten) = if made_up {
            let (m, r, _) = work.merge(true)?;
            (m, r)
        } else {
            (merged, rewritten)
        };
        if rewritten > 0 {
            let message =
                "the scene counts other vertices or triangles than the model; these are written anew";
            made.losses.push(Loss::new("mesh-rewritten", "meshes", message).of(rewritten, "mesh", "meshes"));
        }
        check(&merged.model, &mut Findings::writing())
            .map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))?;
        Ok(Converted::new(merged, made.losses))
    }
}

struct Work<'a> {
    native: &'a Dpm,
    before: &'a DpmFiles,
    after: &'a DpmFiles,
    clips: Clips<'a>,
    listed: bool,
    budget: &'a Budget,
}

impl Work<'_> {
    fn models(&self) -> [&Dpm; 3] {
        [self.native, &self.before.model, &self.after.model]
    }

    /// The result, how many meshes had to be written anew, and whether bones are missing that the conversion made up.
    fn merge(&self, made_up: bool) -> Result<(MergedDpm, usize, bool), ConvertError> {
        let [native, before, after] = self.models();
        let bound = |m: &'_ Dpm| m.frame_pose(0).map(<[BonePose]>::to_vec).unwrap_or_default();
        let [n, b, a] = self.models().map(bound);
        let rigs =
            Rigs { native: (&native.bones, &n), before: (&before.bones, &b), after: (&after.bones, &a) };
        let bones = MergedBones::of(rigs, made_up, self.budget)?;
        let meshes = Meshes {
            native: &native.meshes,
            before: &before.meshes,
            after: &after.meshes,
            bones: &bones,
            budget: self.budget,
        };
        let meshes: MergedMeshes = meshes.merge()?;
        let bits = |trio: &Trio| bones.pose(rigs, self.poses(trio));
        let count = native.frames.len();
        let kept = Kept { first: true, all: false };
        let plan = frames(&self.clips.runs(), count, kept, |a, b| bits(a) == bits(b), self.budget)?;
        let (frames, poses) = self.frames(&plan, &bones, rigs)?;
        let mut model = native.clone();
        model.bounds = pick(native.bounds, &before.bounds, after.bounds);
        (model.bones, model.meshes, model.poses, model.frames) = (bones.bones, meshes.meshes, poses, frames);
        // A new bone may be the parent of one that was there.
        model.sort_bones();
        let merged = MergedDpm { model, clips: self.clips.merged(&plan) };
        Ok((merged, meshes.rewritten, meshes.made_up))
    }

    /// The poses of a frame in the three models; none where it is not there.
    fn poses(&self, trio: &Trio) -> [&[BonePose]; 3] {
        let [n, b, a] = self.models();
        [(n, trio.native), (b, trio.before), (a, trio.after)]
            .map(|(model, at)| at.and_then(|at| model.frame_pose(at)).unwrap_or_default())
    }

    fn frames(
        &self,
        plan: &Frames,
        bones: &MergedBones,
        rigs: Rigs<'_>,
    ) -> Result<(Vec<Frame>, Vec<BonePose>), ConvertError> {
        let [native, before, after] = self.models();
        let mut poses = Poses { slots: BTreeMap::new(), known: BTreeMap::new(), new: u32::MAX >> 1 };
        let mut frames = self.budget.reserve("frames", plan.frames.len())?;
        for trio in &plan.frames {
            let id =
                |model: &Dpm, at: Option<usize>| at.and_then(|at| model.frames.get(at)).map(|f| f.pose.0);
            let key =
                [(native, trio.native), (before, trio.before), (after, trio.after)].map(|(m, at)| id(m, at));
            let place = match poses.known.get(&key) {
                Some(place) => *place,
                None => {
                    self.budget.charge_items("poses", bones.bones.len() as u64, 2 * size_of::<BonePose>())?;
                    poses.put(key, bones.pose(rigs, self.poses(trio)))
                }
            };
            let frame = |model: &Dpm, at: usize| model.frames.get(at).copied();
            let get = |of: fn(Frame) -> (crate::Name, Bounds)| {
                let (n, b, a) = (
                    trio.native.and_then(|at| frame(native, at)).map(of),
                    trio.before.and_then(|at| frame(before, at)).map(of),
                    trio.after.and_then(|at| frame(after, at)).map(of),
                );
                (n, b, a)
            };
            let (n, b, a) = get(|f| (f.name, f.bounds));
            let (name, bounds) = match (n, b, a) {
                (Some(n), Some(b), Some(a)) => {
                    let name = if self.listed { n.0 } else { pick(n.0, &b.0, a.0) };
                    (name, pick(n.1, &b.1, a.1))
                }
                (n, _, a) => n.or(a).unwrap_or_default(),
            };
            frames.push(Frame { name, bounds, pose: PoseId(place) });
        }
        // Native poses in their order, new ones behind.
        let numbers: BTreeMap<u32, u32> = poses.slots.keys().copied().zip(0..).collect();
        for frame in &mut frames {
            frame.pose = PoseId(numbers.get(&frame.pose.0).copied().unwrap_or_default());
        }
        Ok((frames, poses.slots.into_values().flatten().collect()))
    }
}

/// The poses of the result: the first that comes of a native pose takes its place.
struct Poses {
    slots: BTreeMap<u32, Vec<BonePose>>,
    /// Poses by where they are in the three models.
    known: BTreeMap<[Option<u32>; 3], u32>,
    /// The number of the next that takes no place.
    new: u32,
}

impl Poses {
    fn put(&mut self, key: [Option<u32>; 3], pose: Vec<BonePose>) -> u32 {
        let [native, ..] = key;
        let place = match native.map(|n| (n, self.slots.get(&n))) {
            Some((n, None)) => n,
            Some((n, Some(there))) if *there == pose => n,
            _ => {
                self.new = self.new.saturating_add(1);
                self.new
            }
        };
        self.slots.insert(place, pose);
        self.known.insert(key, place);
        place
    }
}
