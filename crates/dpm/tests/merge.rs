//! Edited scenes in the models that they came from.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare small numbers, and fail by a panic"
)]

use meshwright_dpm::{Dpm, FrameClip, MergedDpm, MergedZym, Zym, strategy, write_scene};
use meshwright_edit::apply::ClipList;
use meshwright_edit::{Absent, Options, Original, Patch, Snap};
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{Budget, Converted, FromSceneOptions, Limits, Scene, SceneOptions};
use meshwright_testkit::edits::{Edit, find_lost_edits};
use meshwright_testkit::{given_corpus, proptest, testdata};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;

fn files(extension: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders = vec![testdata().join("dpm")];
    folders.extend(given_corpus().map(|c| c.join(extension)));
    let mut found = Vec::new();
    for entry in folders.iter().flat_map(|f| fs::read_dir(f).unwrap()) {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == extension) {
            found.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

trait Merges: Sized + Clone + PartialEq + std::fmt::Debug {
    fn scene(&self, options: &SceneOptions, clips: Option<&[FrameClip]>) -> Option<Scene>;
    fn merged(
        &self,
        native: &Scene,
        patch: &Patch,
        list: ClipList,
    ) -> Option<Converted<(Self, Vec<FrameClip>)>>;
    /// Converts a scene. Returns the model, and its clips if they are in a companion file.
    fn convert(scene: &Scene) -> Option<(Self, Option<Vec<FrameClip>>)>;
    fn bytes(&self) -> Vec<u8>;
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! merges {
    ($model:ty, $merged:ident, $convert:expr) => {
        impl Merges for $model {
            fn scene(&self, options: &SceneOptions, clips: Option<&[FrameClip]>) -> Option<Scene> {
                self.to_scene(options, clips).ok().map(|made| made.value)
            }

            fn merged(
                &self,
                native: &Scene,
                patch: &Patch,
                list: ClipList,
            ) -> Option<Converted<(Self, Vec<FrameClip>)>> {
                let made = self.merge(native, patch, list, &FromSceneOptions::default()).ok()?;
                let parts =
                    |$merged { model, clips, .. }| (model, clips.into_iter().map(|c| c.clip).collect());
                Some(made.map(parts))
            }

            fn convert(scene: &Scene) -> Option<(Self, Option<Vec<FrameClip>>)> {
                $convert(scene, &FromSceneOptions::default())
            }

            fn bytes(&self) -> Vec<u8> {
                self.to_bytes().unwrap()
            }

            fn read(bytes: &[u8]) -> Option<Self> {
                Self::parse(bytes).ok()
            }
        }
    };
}
merges!(Dpm, MergedDpm, |scene, options| {
    write_scene(scene, options).ok().map(|made| (made.value.model, Some(made.value.clips)))
});
merges!(Zym, MergedZym, |scene, options| Some((Zym::from_scene(scene, options).ok()?.value, None)));

/// Returns the patch of an unedited scene.
fn unedited(scene: &Scene) -> Patch {
    let original = Original { native: scene, exported: scene };
    Patch::find(scene, &original, &Options::new(Snap::Default, Absent::Gone), &Budget::new(Limits::default()))
        .unwrap()
}

fn forms() -> [SceneOptions; 3] {
    let plain = SceneOptions::default();
    [plain.clone(), plain.clone().with_extras(true), plain.with_bind_only(true)]
}

fn same<M: Merges>(extension: &str) {
    let mut seen = 0;
    for (path, bytes) in files(extension) {
        let Some(model) = M::read(&bytes) else { continue };
        for options in forms().into_iter().chain([SceneOptions::default().with_static_meshes(true)]) {
            let Some(scene) = model.scene(&options, None) else { continue };
            let made = model.merged(&scene, &unedited(&scene), ClipList::Model).unwrap();
            assert!(made.losses.is_empty(), "{path:?} {:?}", made.losses);
            assert_eq!(made.value.0, model, "{path:?}");
            assert!(made.value.0.bytes() == bytes, "{path:?}");
            seen += 1;
        }
    }
    assert!(seen > 3);
}

#[test]
fn what_was_not_edited_is_the_file() {
    same::<Dpm>("dpm");
    same::<Zym>("zym");
}

/// Returns the differences between two models, record by record.
fn differences(a: &Dpm, b: &Dpm) -> Vec<String> {
    let mut all = Vec::new();
    let mut note = |differs: bool, what: String| {
        if differs {
            all.push(what);
        }
    };
    note(a.bounds != b.bounds, "bounds".into());
    assert_eq!(
        (a.bones.len(), a.meshes.len(), a.frames.len()),
        (b.bones.len(), b.meshes.len(), b.frames.len())
    );
    for (i, (a, b)) in a.bones.iter().zip(&b.bones).enumerate() {
        note(a != b, format!("bones[{i}]"));
    }
    for (i, (a, b)) in a.meshes.iter().zip(&b.meshes).enumerate() {
        note(a.shader != b.shader, format!("meshes[{i}].shader"));
        note(a.triangles != b.triangles || a.groupids != b.groupids, format!("meshes[{i}].triangles"));
        for (v, (a, b)) in a.vertices.iter().zip(b.vertices.iter()).enumerate() {
            note(a != b, format!("meshes[{i}].vertices[{v}]"));
        }
        for (v, (a, b)) in a.texcoords.iter().zip(b.texcoords.iter()).enumerate() {
            note(a != b, format!("meshes[{i}].texcoords[{v}]"));
        }
    }
    for (i, (one, two)) in a.frames.iter().zip(&b.frames).enumerate() {
        note(one.name != two.name, format!("frames[{i}].name"));
        note(one.bounds != two.bounds, format!("frames[{i}].bounds"));
        for (bone, (a, b)) in a.frame_pose(i).unwrap().iter().zip(b.frame_pose(i).unwrap()).enumerate() {
            note(a != b, format!("frames[{i}].poses[{bone}]"));
        }
    }
    all
}

#[test]
fn an_edit_changes_its_record_and_what_follows_from_it() {
    let (model, clips) = crate::support::scenes::hopper();
    let native = model.to_scene(&SceneOptions::default(), Some(&clips)).unwrap().value;
    let after = |edit: Edit| {
        let patch = edit.find_patch(&native, 0).unwrap();
        let merged = model
            .merge(&native, &patch, ClipList::Companion, &FromSceneOptions::default())
            .unwrap()
            .value
            .model;
        assert_eq!(merged.to_bytes().unwrap().len(), model.to_bytes().unwrap().len());
        let all = differences(&model, &merged);
        all.into_iter().filter(|what| !what.contains("bounds")).collect::<Vec<_>>()
    };
    let v = native.meshes[0].triangles[0][0];
    assert_eq!(after(Edit::Position), [format!("meshes[0].vertices[{v}]")]);
    assert_eq!(after(Edit::Normal), [format!("meshes[0].vertices[{v}]")]);
    assert_eq!(after(Edit::Uv), [format!("meshes[0].texcoords[{v}]")]);
    assert_eq!(after(Edit::JointName), ["bones[0]"]);
    let start = clips[0].start;
    assert_eq!(after(Edit::Key), [format!("frames[{start}].poses[0]")]);
    assert_eq!(after(Edit::ClipName), Vec::<String>::new(), "the companion text has the names");
    assert_eq!(model.bones[4].flags.0, 1, "and flags are not in this scene");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_dpm_stays_where_it_was_not_edited(model in strategy::dpm(), seed in 0_usize..1000) {
        for options in forms() {
            let Some(scene) = model.scene(&options, None) else { continue };
            if model.to_bytes().is_err() || Dpm::from_scene(&scene, &FromSceneOptions::default()).is_err() { continue }
            let made = model.merged(&scene, &unedited(&scene), ClipList::Model).unwrap().value;
            prop_assert_eq!(&made.0, &model);
            for edit in Edit::ALL.iter().chain(Edit::WHOLE) {
                let Some(edited) = edit.find_patch(&scene, seed) else { continue };
                let Ok(made) = model.merge(&scene, &edited, ClipList::Model, &FromSceneOptions::default()) else { continue };
                prop_assert!(made.value.model.to_bytes().is_ok());
            }
        }
    }

    #[test]
    fn any_zym_stays_where_it_was_not_edited(model in strategy::zym(), seed in 0_usize..1000) {
        for options in forms() {
            let Some(scene) = model.scene(&options, None) else { continue };
            if model.to_bytes().is_err() || Zym::from_scene(&scene, &FromSceneOptions::default()).is_err() { continue }
            let made = model.merged(&scene, &unedited(&scene), ClipList::Model).unwrap().value;
            prop_assert_eq!(&made.0, &model);
            for edit in Edit::ALL.iter().chain(Edit::WHOLE) {
                let Some(edited) = edit.find_patch(&scene, seed) else { continue };
                let Ok(made) = model.merge(&scene, &edited, ClipList::Model, &FromSceneOptions::default()) else { continue };
                prop_assert!(made.value.model.to_bytes().is_ok());
            }
        }
    }
}

/// Returns the edits of a model of a scene that the file does not show.
fn find_lost<M: Merges>(scene: &Scene, seed: usize) -> Vec<String> {
    let Some((model, clips)) = M::convert(scene) else { return Vec::new() };
    let list = if clips.is_some() { ClipList::Companion } else { ClipList::Model };
    let mut lost = Vec::new();
    for options in forms() {
        let Some(native) = model.scene(&options, clips.as_deref()) else { continue };
        lost.extend(find_lost_edits(&native, seed, 1e-4, |patch| {
            let (made, merged) = model.merged(&native, patch, list)?.value;
            M::read(&made.bytes())?.scene(&options, clips.as_ref().map(|_| &*merged))
        }));
    }
    lost
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_any_scene_are_in_the_file(scene in clean_scene(), seed in 0_usize..1000) {
        prop_assert_eq!(find_lost::<Dpm>(&scene, seed), Vec::<String>::new());
        prop_assert_eq!(find_lost::<Zym>(&scene, seed), Vec::<String>::new());
    }
}
