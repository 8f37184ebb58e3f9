//! Converts clips of a scene to frames: every clip is sampled at its whole frames.

use super::bones::Bones;
use super::motion::Motion as ModelMotion;
use super::names::{self, of_frame};
use super::options::is_native;
use crate::bone::{BonePose, Name};
use crate::clips::FrameClip;
use crate::dpm::PoseId;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::text::latin1;
use meshwright_scene::names::{NameRules, Names};
use meshwright_scene::{
    Budget, ConvertError, Extra, Interpolation, LimitExceeded, Loss, Motion, Naming, PoseSetId, Sampler,
    Scene, SkeletonId,
};

/// The maximum difference of a matrix from its 32-bit keys, relative to its size.
const ROUNDING: f32 = 1.0e-5;

/// Returns whether two matrices are equal up to the rounding of keys.
fn are_near(a: &BonePose, b: &BonePose) -> bool {
    let (a, b) = (a.0.as_flattened(), b.0.as_flattened());
    let size = b.iter().fold(1.0_f32, |m, v| m.max(v.get().abs()));
    a.iter().zip(b).all(|(a, b)| (a.get() - b.get()).abs() <= ROUNDING * size)
}

/// A frame under construction.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedPose {
    pub(super) name: Name,
    pub(super) pose: PoseId,
}

/// The frames and their poses.
pub(super) struct Frames<'b> {
    pub(super) frames: Vec<NamedPose>,
    /// The poses, one after the other. Each is used by some frame.
    pub(super) poses: Vec<BonePose>,
    pub(super) clips: Vec<FrameClip>,
    bones: usize,
    /// Poses of pose sets that are converted already.
    known: SortedMap<(SkeletonId, PoseSetId, u32), PoseId>,
    /// The first frame of each pose.
    first: SortedMap<PoseId, usize>,
    budget: &'b Budget,
}

impl<'b> Frames<'b> {
    /// Creates the frames: the bind pose, then the poses of all clips. A clip that begins with the bind pose
    /// begins at frame 0.
    pub(super) fn from_scene(
        scene: &Scene,
        bones: &Bones<'_>,
        rules: NameRules,
        naming: Naming,
        budget: &'b Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        budget.charge_items("poses", bones.bind.len() as u64, size_of::<BonePose>())?;
        let mut frames = Self {
            frames: Vec::new(),
            poses: bones.bind.clone(),
            clips: Vec::new(),
            bones: bones.bind.len(),
            known: SortedMap::new(),
            first: SortedMap::new(),
            budget,
        };
        frames.push(Name::truncated(b"bind_0"), PoseId(0));
        let native = is_native(scene);
        let rules = if native { rules } else { rules.unique() };
        let mut names = Names::new(rules, naming, budget);
        // Cut frame names are not a loss, because nothing refers to them.
        let mut prefixes = Names::new(names::FRAMES, Naming::Fit, budget);
        prefixes.reserve(b"bind")?;
        for i in 0..scene.clips.len() {
            let prefixes = (!native).then_some(&mut prefixes);
            frames.clip(scene, i, bones, (&mut names, prefixes), losses)?;
        }
        frames.take_names(scene);
        Ok(frames)
    }

    /// Sets the names of frames from native fields, if their number matches.
    fn take_names(&mut self, scene: &Scene) {
        let said =
            scene.extras.as_ref().and_then(|extras| extras.get("frames")).map_or(&[][..], Extra::items);
        if said.len() != self.frames.len() {
            return;
        }
        for (frame, said) in self.frames.iter_mut().zip(said) {
            if let Some(name) = said.get("name").and_then(Extra::as_str) {
                frame.name = Name::truncated(&names::NAMES.fit(name).bytes);
            }
        }
    }

    /// Copies the frames of a model, with clip names that the format allows. The bones are those of the
    /// model, named by number. A root is added if something follows no bone.
    pub(super) fn of_model(
        model: &ModelMotion<'_>,
        bones: &mut Bones<'_>,
        rules: NameRules,
        naming: Naming,
        budget: &'b Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        bones.name_as(model.bones)?;
        let count = bones.bones.len();
        let roots = count.saturating_sub(model.bones.len());
        let mut frames = Self {
            frames: Vec::new(),
            poses: Vec::new(),
            clips: Vec::new(),
            bones: count,
            known: SortedMap::new(),
            first: SortedMap::new(),
            budget,
        };
        frames.charge_poses(model.poses.len())?;
        for pose in &model.poses {
            frames.poses.extend_from_slice(pose);
            frames.poses.extend(core::iter::repeat_n(BonePose::IDENTITY, roots));
        }
        budget.charge_items("frames", model.poses.len() as u64, 4 * size_of::<NamedPose>())?;
        let number = |i: usize| PoseId(u32::try_from(i).unwrap_or(u32::MAX));
        let unnamed = |(i, _)| NamedPose { name: of_frame(b"frame", i), pose: number(i) };
        frames.frames.extend(model.poses.iter().enumerate().map(unnamed));
        budget.charge_items("clips", model.clips.len() as u64, size_of::<FrameClip>())?;
        let mut names = Names::new(rules, naming, budget);
        for (i, clip) in model.clips.iter().enumerate() {
            let name = names.fit(&latin1(&clip.name), &format!("clips[{i}]"), losses)?;
            frames.clips.push(FrameClip { name, ..clip.clone() });
        }
        // A frame is named after the first clip that contains it.
        for clip in frames.clips.iter().rev() {
            for (i, frame) in clip.frames().enumerate() {
                if let Some(frame) = frames.frames.get_mut(frame as usize) {
                    frame.name = of_frame(&clip.name, i);
                }
            }
        }
        Ok(frames)
    }

    fn clip(
        &mut self,
        scene: &Scene,
        number: usize,
        bones: &Bones<'_>,
        (names, prefixes): (&mut Names<'_>, Option<&mut Names<'_>>),
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let Some(clip) = scene.clips.get(number) else { return Ok(()) };
        let path = format!("clips[{number}]");
        let sampler = Sampler::new(scene, number, self.budget)?;
        if sampler.frames() == 0 {
            losses.push(Loss::new("empty-clip", path, "has no frame"));
            return Ok(());
        }
        if clip.interpolation != Interpolation::Matrix || matches!(clip.motion, Motion::Tracks(_)) {
            let message = "between frames, engines blend matrices or their own quaternions";
            losses.push(Loss::new("interpolation", &*path, message));
        }
        if sampler.is_off_frame() {
            let count = u32::try_from(sampler.frames()).unwrap_or(u32::MAX);
            let message = "keys between whole frames are left out; the motion is sampled";
            sampler.resampling(1.0, count)?.report(&path, message, losses);
        }
        let name = names.fit(&clip.name, &path, losses)?;
        if name.is_empty() {
            losses.push(Loss::note("name-changed", &*path, "a clip without a name is given one by engines"));
        }
        let poses = self.sampled(&sampler, bones)?;
        let prefix = match prefixes {
            Some(prefixes) => prefixes.fit(&clip.name, &path, &mut Vec::new())?,
            None => name.clone(),
        };
        let start = self.place(&prefix, &poses)?;
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.clips.push(FrameClip {
            name,
            start: count(start),
            length: count(poses.len()),
            fps: clip.rate,
            looping: clip.looping,
        });
        Ok(())
    }

    /// Returns the poses of a clip at its whole frames.
    fn sampled(&mut self, sampler: &Sampler<'_, '_>, bones: &Bones<'_>) -> Result<Vec<PoseId>, ConvertError> {
        let (clip, n) = (sampler.clip(), sampler.frames());
        // Poses that frames share are converted once. Sampled poses differ in every frame.
        let stored = match &clip.motion {
            Motion::Poses { set, frames } => Some((*set, frames)),
            Motion::Tracks(_) => {
                self.charge_poses(n)?;
                None
            }
        };
        let mut poses = self.budget.reserve("frames", n)?;
        let (mut locals, mut model) = (Vec::new(), Vec::new());
        for (i, frame) in sampler.whole_frames().enumerate() {
            let key = stored.and_then(|(set, frames)| Some((clip.skeleton, set, *frames.get(i)?)));
            if let Some(&known) = key.and_then(|key| self.known.get(&key)) {
                poses.push(known);
                continue;
            }
            if key.is_some() {
                self.charge_poses(1)?;
            }
            sampler.locals(frame, &mut locals)?;
            if bones.follow(clip.skeleton) {
                sampler.model(frame, &mut model)?;
            }
            let start = self.poses.len();
            self.poses.extend_from_within(..self.bones);
            let pose = self.poses.get_mut(start..).unwrap_or_default();
            bones.fill(clip.skeleton, &locals, &model, pose);
            let id = self.pose_id(start, key.is_none());
            if let Some(key) = key {
                self.known.insert(key, id);
            }
            poses.push(id);
        }
        Ok(poses)
    }

    fn charge_poses(&self, count: usize) -> Result<(), LimitExceeded> {
        let matrices = (count as u64).saturating_mul(self.bones as u64);
        self.budget.charge_items("poses", matrices, size_of::<BonePose>())
    }

    /// Returns the number of the last pose, which begins at `start`. If it equals the bind pose, it is
    /// removed. A pose from keys may differ from the bind pose by rounding.
    fn pose_id(&mut self, start: usize, keys: bool) -> PoseId {
        let same = match (self.poses.get(start..), self.poses.get(..self.bones)) {
            (Some(pose), Some(bind)) if keys => pose.iter().zip(bind).all(|(a, b)| are_near(a, b)),
            (pose, bind) => pose == bind,
        };
        if same {
            self.poses.truncate(start);
            return PoseId(0);
        }
        let id = start.checked_div(self.bones).unwrap_or(0);
        PoseId(u32::try_from(id).unwrap_or(u32::MAX))
    }

    fn push(&mut self, name: Name, pose: PoseId) {
        self.first.entry(pose).or_insert(self.frames.len());
        self.frames.push(NamedPose { name, pose });
    }

    /// Adds a clip's frames, or finds them among the existing ones. Returns the first frame.
    fn place(&mut self, name: &[u8], poses: &[PoseId]) -> Result<usize, ConvertError> {
        if let Some(&start) = poses.first().and_then(|p| self.first.get(p)) {
            let there = self.frames.get(start..).unwrap_or_default().iter().map(|f| f.pose);
            if there.take(poses.len()).eq(poses.iter().copied()) {
                return Ok(start);
            }
        }
        // Only the bind pose exists, so a clip that begins with it starts there.
        if self.frames.len() == 1 && poses.first() == Some(&PoseId(0)) {
            self.frames.clear();
        }
        let start = self.frames.len();
        // Memory for frames in maps and in the file.
        self.budget.charge_items("frames", poses.len() as u64, 4 * size_of::<NamedPose>())?;
        for (i, &pose) in poses.iter().enumerate() {
            self.push(of_frame(name, i), pose);
        }
        Ok(start)
    }
}
