//! Converts DPM to ZYM and back. Both store bones and the same matrices, which are copied frame by frame and
//! bit by bit, even outside clips. Only vertices are converted through a scene.

use super::dpm_from_scene::{self, DpmFiles};
use super::motion::Motion;
use super::names::of_frame;
use super::options::DpmSceneOptions;
use super::traced::Traced;
use super::zym_from_scene;
use crate::clips::FrameClip;
use crate::dpm::Dpm;
use crate::zym::Zym;
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_scene::{ConvertError, Converted, FromSceneOptions, Loss, Scene, SceneOptions};

impl Dpm {
    /// Converts the model to a ZYM, with a pose for each of its frames and a scene for each of the `clips`.
    /// If `clips` is `None`, they are derived from the names of the frames.
    ///
    /// # Errors
    /// If the model breaks a rule that the conversion relies on, has no triangle, or if the result would
    /// take more memory than the options allow.
    pub fn to_zym(
        &self,
        clips: Option<&[FrameClip]>,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<Zym>, ConvertError> {
        let own = self.clips_from_names();
        let clips = clips.filter(|clips| !clips.is_empty()).unwrap_or(&own);
        let (scene, mut losses) = without_motion(self.to_scene(&scene_options(options), Some(clips))?);
        let poses = (0..self.frames.len()).filter_map(|frame| self.frame_pose(frame)).collect();
        let motion = Motion { bones: &self.bones, poses, clips };
        let made = zym_from_scene::traced(&scene, options, Some(&motion), true)?;
        losses.extend(made.losses);
        let grouped = self.meshes.iter().filter(|mesh| mesh.groupids.iter().any(|id| *id != 0)).count();
        let group_ids = Loss::new("groupids", "meshes", "the format has no group ids of triangles");
        losses.extend((grouped > 0).then(|| group_ids.with_count(grouped, "mesh", "meshes")));
        // The frame names that follow from a clip are not lost.
        let mut named = self.frames.iter().map(|frame| frame.name).collect::<Vec<_>>();
        for clip in clips {
            for (i, frame) in clip.frames().enumerate() {
                if let Some(name) = named.get_mut(frame as usize)
                    && (*name == of_frame(&clip.name, i) || name.bytes() == clip.name)
                {
                    *name = Default::default();
                }
            }
        }
        let lost = named.iter().filter(|name| !name.bytes().is_empty()).count();
        let names = Loss::new("frame-names-dropped", "frames", "only clips have names");
        losses.extend((lost > 0).then(|| names.with_count(lost, "frame", "frames")));
        Ok(Converted::new(made.value.model, losses))
    }
}

impl Zym {
    /// Converts the model to a DPM, with a frame for each of its poses, and its clips for the companion
    /// file. These are the given ones, such as those of a `.framegroups` companion file, otherwise the
    /// model's scenes.
    ///
    /// # Errors
    /// If the model breaks a rule that the conversion relies on, or if the result would take more memory
    /// than the options allow.
    pub fn to_dpm(
        &self,
        clips: Option<&[FrameClip]>,
        options: &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<DpmFiles>, ConvertError> {
        let list = self.clip_list(clips, &mut Vec::new());
        let (scene, mut losses) = without_motion(self.to_scene(&scene_options(options), Some(&list))?);
        let poses = (0..self.pose_count()).filter_map(|pose| self.pose(pose)).collect();
        let motion = Motion { bones: &self.bones, poses, clips: &list };
        let made = dpm_from_scene::traced(&scene, options, Some(&motion), true)?;
        losses.extend(made.losses);
        self.report_zones(&mut losses);
        let Traced { model, clips, .. } = made.value;
        Ok(Converted::new(DpmFiles { model, clips }, losses))
    }
}

/// Returns options for a scene with everything that both formats store.
fn scene_options(options: &FromSceneOptions<DpmSceneOptions>) -> SceneOptions {
    SceneOptions::default().with_extras(true).with_limits(options.limits)
}

/// Returns the scene without motion. Bones are named by number, because their own names are copied
/// separately.
fn without_motion(made: Converted<Scene>) -> (Scene, Vec<Loss>) {
    let Converted { value: mut scene, mut losses, .. } = made;
    scene.clips.clear();
    scene.pose_sets.clear();
    for skeleton in &mut scene.skeletons {
        for (i, joint) in skeleton.joints.iter_mut().enumerate() {
            joint.name = i.to_string();
        }
    }
    losses.retain(|loss| loss.code != "frames-without-clip");
    (scene, losses)
}
