//! Edited scenes in the files that they came from.
#![allow(clippy::unwrap_used, reason = "tests")]

use meshwright_fsomodel::{Dialect, FsoModel, FsoOptions};
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{FromSceneOptions, Scene, SceneOptions};
use meshwright_testkit::edits::find_lost_edits;
use meshwright_testkit::proptest;
use proptest::prelude::*;

/// Writes a model and reads it again.
fn reread(model: &FsoModel<'static>) -> FsoModel<'static> {
    let text = model.metadata.as_ref().map(|own| own.to_bytes().unwrap());
    let options = FsoOptions::default().with_dialect(model.dialect);
    let options = match &text {
        Some(text) => options.with_metadata(&text[..]),
        None => options,
    };
    FsoModel::parse_with(&model.to_bytes().unwrap(), &options).unwrap().model.into_owned()
}

/// Returns the edits of a model of a scene that the files do not show.
fn find_lost(scene: &Scene, seed: usize) -> Vec<String> {
    let mut lost = Vec::new();
    for dialect in Dialect::ALL {
        let target = FromSceneOptions::for_format(dialect.into());
        let Ok(made) = FsoModel::from_scene(scene, &target) else { continue };
        let (model, options) = (made.value, SceneOptions::default());
        let Ok(native) = model.to_scene(&options) else { continue };
        let native = native.value;
        lost.extend(find_lost_edits(&native, seed, 1e-4, |patch| {
            let made = model.merge(&native, patch, &target).ok()?.value;
            Some(reread(&made).to_scene(&options).unwrap().value)
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
