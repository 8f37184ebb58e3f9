//! The models of folders and archives.

use meshwright::{models_in, open};
use meshwright_testkit::testdata;
use std::collections::BTreeSet;
use std::fs;

#[test]
fn data_folders_hide_files_of_earlier_archives_and_every_model_opens() {
    let game = models_in(testdata().join("game")).unwrap();
    let inner: Vec<_> = ["base", "mod"]
        .iter()
        .flat_map(|f| models_in(testdata().join("game").join(f)).unwrap().models)
        .collect();
    assert!(inner.len() > 1 && game.models.ends_with(&inner), "{:?}", game.models);
    let paths: BTreeSet<_> = game.models.iter().map(|model| &model.path).collect();
    assert_eq!(paths.len(), game.models.len());
    for model in &game.models {
        assert_eq!(open(&model.path).unwrap().format(), model.format, "{}", model.path.display());
        assert!(model.path.ends_with(model.place.to_string()), "{}", model.path.display());
    }
    assert!(game.refused.is_empty(), "{:?}", game.refused);
}

#[test]
fn files_that_cannot_be_read_are_errors_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(testdata().join("dpm/hopper.ok.dpm"), folder.path().join("own.dpm")).unwrap();
    fs::create_dir(folder.path().join("game")).unwrap();
    fs::write(folder.path().join("game/broken.pk3"), b"PK\x05\x06").unwrap();
    let found = models_in(folder.path()).unwrap();
    let places: Vec<_> = found.models.iter().map(|model| model.place.to_string()).collect();
    assert_eq!((places, found.refused.len()), (vec!["own.dpm".to_owned()], 1));
    assert!(models_in(folder.path().join("none")).is_err());
}

#[cfg(feature = "output")]
#[test]
fn a_result_never_replaces_the_original_that_was_named() {
    let folder = tempfile::tempdir().unwrap();
    let (own, glb) = (folder.path().join("own.dpm"), folder.path().join("out/own.glb"));
    fs::copy(testdata().join("dpm/hopper.ok.dpm"), &own).unwrap();
    let model = open(&own).unwrap();
    // The folder does not exist before.
    model.convert(meshwright::Target::Glb).unwrap().write_to(folder.path().join("out")).unwrap();
    let options = meshwright::ConvertOptions::default()
        .with_scale(Some(2.0))
        .with_output("own.dpm")
        .with_original(meshwright::Original::new(model).into());
    let edited = open(glb).unwrap().convert_with(meshwright::Format::Dpm, &options).unwrap();
    let before = fs::read(&own).unwrap();
    let error = edited.write_to(folder.path()).unwrap_err();
    assert_eq!((error.code(), fs::read(&own).unwrap() == before), ("would-replace", true));
}
