//! DPM, ZYM and their clips in the facade.

use super::write::single;
use super::{Companions, Kind, Summary, WriteOptions};
use meshwright_core::{Report, Role};
use meshwright_dpm::{Dpm, FrameClip, Zym, write_scene};
use meshwright_quake::{ClipRange, FrameGroups};
use meshwright_scene::{ConvertError, Converted, Loss, OutputFiles, Scene, SceneOptions};

/// Converts a model of so many poses with the clips that its `.framegroups` companion names; what was changed to fit
/// the model is a loss.
fn with_clips(
    companions: &Companions,
    poses: usize,
    to_scene: impl FnOnce(Option<&[FrameClip]>) -> Result<Converted<Scene>, ConvertError>,
) -> Result<Converted<Scene>, ConvertError> {
    let Some(groups) = companions.one::<FrameGroups>() else { return to_scene(None) };
    let resolved = groups.resolve(poses);
    let clip =
        |ClipRange { name, start, length, fps, looping }| FrameClip { name, start, length, fps, looping };
    let clips: Vec<_> = resolved.clips.into_iter().map(clip).collect();
    let mut converted = to_scene(Some(&clips))?;
    let changed = resolved.report.iter();
    converted.losses.extend(changed.map(|f| Loss::new(f.code, f.path.to_string(), f.message.to_string())));
    Ok(converted)
}

/// The findings of a model, and of the clips that want frames which it does not have.
fn validate_with(mut report: Report, companions: &Companions, poses: usize) -> Report {
    if let Some(groups) = companions.one::<FrameGroups>() {
        report.append(groups.resolve(poses).report.of_part(Role::Clips.name()));
    }
    report
}

impl Kind for Dpm {
    fn to_scene(
        &self,
        _: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        with_clips(companions, self.frames.len(), |clips| self.to_scene(options, clips))
    }

    /// The clips go into a text beside the model.
    fn write_scene(
        scene: &Scene,
        stem: &str,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, ConvertError> {
        let made = write_scene(scene, &options.of(()))?;
        let clips = made.value.clips;
        let mut done = single(stem, Converted::new(made.value.model, made.losses))?;
        if !clips.is_empty() {
            let range = |FrameClip { name, start, length, fps, looping }| ClipRange {
                name,
                start,
                length,
                fps,
                looping,
            };
            let text = FrameGroups::from_clips(clips.into_iter().map(range)).to_bytes();
            let text = text.map_err(|e| ConvertError::invalid("clips", e.to_string()))?;
            done.value.push(format!("{stem}.dpm.framegroups"), text);
        }
        Ok(done)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.meshes.len(),
            vertices: self.meshes.iter().map(|m| m.vertices.len()).sum(),
            triangles: self.meshes.iter().map(|m| m.triangles.len()).sum(),
            bones: self.bones.len(),
            frames: Some(self.frames.len()),
            clips: self.clips_from_names().len(),
            ..Summary::default()
        }
    }

    fn validate_with(&self, companions: &Companions) -> Report {
        validate_with(self.validate(), companions, self.frames.len())
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use proptest::strategy::Strategy as _;
        vec![(None, meshwright_dpm::strategy::dpm().boxed())]
    }
}

impl Kind for Zym {
    fn to_scene(
        &self,
        _: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        with_clips(companions, self.pose_count(), |clips| self.to_scene(options, clips))
    }

    fn write_scene(
        scene: &Scene,
        stem: &str,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, ConvertError> {
        single(stem, Self::from_scene(scene, &options.of(()))?)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.runs.len(),
            vertices: self.vertex_count(),
            triangles: self.triangle_count(),
            bones: self.bones.len(),
            frames: Some(self.pose_count()),
            clips: self.scenes.len(),
            ..Summary::default()
        }
    }

    fn validate_with(&self, companions: &Companions) -> Report {
        validate_with(self.validate(), companions, self.pose_count())
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use proptest::strategy::Strategy as _;
        vec![(None, meshwright_dpm::strategy::zym().boxed())]
    }
}

impl Kind for FrameGroups {
    fn summary(&self) -> Summary {
        Summary { clips: self.groups.len(), ..Summary::default() }
    }
}
