//! Converts models of any format to scenes.

use crate::formats::{AnyModel, Companions, SceneResult};
use meshwright_core::Report;
use meshwright_scene::{
    Budget, Clip, ConvertError, Converted, Interpolation, Loss, Motion, PoseSetId, Scene, SceneOptions,
    SkeletonId,
};

/// Names unnamed parts after the model.
fn name_parts(scene: &mut Scene, name: &str, budget: &Budget) -> Result<(), ConvertError> {
    if name.is_empty() {
        return Ok(());
    }
    let count = scene.meshes.len().saturating_add(scene.nodes.len()).saturating_add(scene.skeletons.len());
    budget.charge_items("names", count as u64, name.len().saturating_add(24))?;
    let numbered = |i: usize, alone: bool| if alone { name.into() } else { format!("{name}_{i}") };
    let alone = scene.meshes.len() == 1 && scene.skeletons.is_empty();
    for (i, mesh) in scene.meshes.iter_mut().enumerate().filter(|(_, mesh)| mesh.name.is_empty()) {
        mesh.name = numbered(i, alone);
    }
    let alone = scene.skeletons.len() == 1;
    for (i, skeleton) in scene.skeletons.iter_mut().enumerate().filter(|(_, s)| s.name.is_empty()) {
        skeleton.name = numbered(i, alone);
    }
    let roots = scene.nodes.iter().filter(|node| node.parent.is_none()).count();
    for node in scene.nodes.iter_mut().filter(|node| node.name.is_empty()) {
        match node.meshes[..] {
            [mesh] => node.name = scene.meshes.get(mesh.0).map(|mesh| mesh.name.clone()).unwrap_or_default(),
            _ if node.parent.is_none() && roots == 1 => node.name = name.into(),
            _ => {}
        }
    }
    Ok(())
}

impl AnyModel {
    /// Converts the model to a scene. `name` becomes the scene's name, and that of a skeleton and a mesh without a
    /// name. If there are several meshes, or a mesh and a skeleton, a number follows the name.
    ///
    /// # Errors
    /// If the model breaks a rule that a lenient reader accepted, if it lacks a necessary companion file, or if the
    /// scene would exceed the limit of the options.
    pub fn to_scene(&self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        self.with_names(self.own_scene(name, companions, options)?, name, companions, options)
    }

    /// Like [`to_scene`](Self::to_scene), but may move the meshes out of the model, so that equal data is not copied.
    ///
    /// # Errors
    /// As [`to_scene`](Self::to_scene).
    pub fn take_scene(&mut self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        let scene = self.taken_scene(name, companions, options)?;
        self.with_names(scene, name, companions, options)
    }

    /// Returns the scene with names and pictures.
    fn with_names(
        &self,
        mut scene: Converted<Scene>,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> SceneResult {
        scene.value.name = name.into();
        let nameless = scene.value.meshes.iter().filter(|mesh| mesh.name.is_empty()).count();
        name_parts(&mut scene.value, name, &options.budget())?;
        // Skins and shaders go by the names of meshes in these formats; others have none.
        if nameless > 0 && !name.is_empty() && self.format().traits().has_skins {
            let message = "meshes without a name are named after the file";
            let note = Loss::note("name-changed", "meshes", message);
            scene.losses.push(note.with_count(nameless, "mesh", "meshes"));
        }
        if scene.value.format.is_empty() {
            scene.value.format = self.format().id().into();
        }
        for (material, image) in &companions.images {
            if let Some(material) = scene.value.materials.get_mut(*material) {
                material.image = Some(image.clone());
            }
        }
        #[cfg(all(feature = "dpm", feature = "textures"))]
        crate::formats::engine_materials::dress_all(
            &mut scene.value,
            &companions.dressings,
            &companions.variations,
        );
        Ok(scene)
    }

    /// Checks the model and its companions, and whether they fit each other: bones of a skeleton, frames of a model.
    /// Offsets are in the file that a finding's stream names.
    pub fn validate_with(&self, companions: &Companions) -> Report {
        let mut report = self.validate_own(companions);
        report.append(companions.validate());
        report
    }

    /// Returns the treatment of the length of normals in a pose by the format.
    #[cfg(feature = "rig")]
    pub fn normals(&self) -> meshwright_rig::NormalLength {
        match self {
            // The games normalise blended normals.
            #[cfg(feature = "tso")]
            Self::TsoMesh(_) | Self::TsoSkeleton(_) | Self::TsoAnimation(_) | Self::Bmf(_) | Self::Skn(_) => {
                meshwright_rig::NormalLength::Unit
            }
            // Loaders do the same.
            #[cfg(feature = "iqm")]
            Self::Iqm(_) => meshwright_rig::NormalLength::Unit,
            _ => meshwright_rig::NormalLength::AsIs,
        }
    }

    /// Returns the rate that the file states for a clip of its scene, if the scene has another one: a rate of 0 cannot
    /// be played.
    #[cfg(feature = "dump")]
    pub(crate) fn stored_rate(&self, clip: usize, companions: &Companions) -> Option<f32> {
        match self {
            #[cfg(feature = "dpm")]
            Self::Zym(m)
                if companions.one::<meshwright_quake::FrameGroups>().is_none_or(|g| g.groups.is_empty()) =>
            {
                Some(m.scenes.get(clip)?.framerate.get())
            }
            #[cfg(feature = "iqm")]
            Self::Iqm(m) if !companions.has(meshwright_core::Role::Clips) => {
                Some(m.anims.get(clip)?.framerate.get())
            }
            _ => None,
        }
    }

    /// Returns all frames of the file in order as one clip of its scene, for formats that have a frame table.
    pub fn file_clip(&self) -> Option<Clip> {
        let poses: Vec<u32> = match self {
            #[cfg(feature = "dpm")]
            Self::Dpm(m) => m.frames.iter().map(|f| f.pose.0).collect(),
            #[cfg(feature = "dpm")]
            Self::Zym(m) => (0..u32::try_from(m.pose_count()).ok()?).collect(),
            _ => return None,
        };
        let motion = Motion::Poses { set: PoseSetId(0), frames: poses };
        Some(Clip::new("", SkeletonId(0), 1.0, motion).with_interpolation(Interpolation::Matrix))
    }
}
