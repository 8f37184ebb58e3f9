//! Edited scenes in the files that they came from.
#![allow(clippy::unwrap_used, reason = "tests")]

use meshwright_crucible::{CModel, CrucibleOptions, CrucibleTarget, Dialect, SkeletonChunk};
use meshwright_edit::Patch;
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{FromSceneOptions, Scene, SceneOptions};
use meshwright_testkit::edits::find_lost_edits;
use meshwright_testkit::proptest;
use proptest::prelude::*;

/// A container and its skeleton.
struct Files {
    model: CModel<'static>,
    skeleton: Option<SkeletonChunk>,
}

impl Files {
    fn scene(&self, options: &SceneOptions) -> Option<Scene> {
        self.model.to_scene(options, self.skeleton.as_ref()).ok().map(|made| made.value)
    }

    fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        options: &FromSceneOptions<CrucibleTarget>,
    ) -> Option<Self> {
        let model = self.model.merge(native, patch, options).ok()?.value;
        let skeleton = self.skeleton.as_ref().map(|own| own.merge(native, patch, options));
        Some(Self { model, skeleton: skeleton.transpose().ok()?.map(|made| made.value) })
    }

    /// Writes the files and reads them again.
    fn reread(&self, dialect: Dialect) -> Self {
        let options = CrucibleOptions::default().with_dialect(dialect);
        let read = |bytes: &[u8]| CModel::parse_with(bytes, &options).unwrap().model.into_owned();
        let skeleton = |own: &SkeletonChunk| SkeletonChunk::parse(&own.to_bytes().unwrap()).unwrap();
        Self { model: read(&self.model.to_bytes().unwrap()), skeleton: self.skeleton.as_ref().map(skeleton) }
    }
}

/// Returns the edits of a model of a scene that the files do not show.
fn find_lost(scene: &Scene, seed: usize) -> Vec<String> {
    let mut lost = Vec::new();
    for dialect in Dialect::ALL {
        let target = FromSceneOptions::for_format(CrucibleTarget::with_dialect(dialect));
        let Ok(model) = CModel::from_scene(scene, &target) else { continue };
        let bound = scene.meshes.iter().any(|m| m.skin.is_some());
        let skeleton = bound.then(|| SkeletonChunk::from_scene(scene, &target).ok()).flatten();
        let files = Files { model: model.value, skeleton: skeleton.map(|made| made.value) };
        let options = SceneOptions::default();
        let Some(mut native) = files.scene(&options) else { continue };
        // Meshes have no names in the format, so numbers identify them.
        let meshes = native.meshes.iter_mut().enumerate();
        meshes.for_each(|(m, mesh)| mesh.name = format!("mesh_{m}"));
        lost.extend(find_lost_edits(&native, seed, 1e-4, |patch| {
            files.merge(&native, patch, &target)?.reread(dialect).scene(&options)
        }));
    }
    lost
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_any_scene_are_in_the_files(scene in clean_scene(), seed in 0_usize..1000) {
        prop_assert_eq!(find_lost(&scene, seed), Vec::<String>::new());
    }
}
