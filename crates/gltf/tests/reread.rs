//! Tests the import of an unedited export.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test panics")]

use meshwright_edit::{Absent, Options, Original, Patch, Snap};
use meshwright_gltf::{ExportOptions, GltfFile, export, export_keeping, reread};
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{Budget, Extra, Limits, Scene};
use meshwright_testkit::proptest;
use proptest::prelude::*;
use std::num::NonZeroU16;

/// Exports a scene and imports it again.
fn through(scene: &Scene, options: &ExportOptions) -> Option<Scene> {
    let glb = export(scene, options).ok()?.value.to_glb();
    let (import, _) = GltfFile::parse(&glb).unwrap().import(&scene.name, None).unwrap();
    Some(import.value.scene)
}

proptest! {
    /// A change that an export makes does not count as an edit.
    #[test]
    fn an_export_is_no_edit(scene in clean_scene(), rate in prop_oneof![Just(0), Just(24)]) {
        let options = ExportOptions::default().with_frames_at(NonZeroU16::new(rate));
        let Some(edited) = through(&scene, &options) else { return Ok(()) };
        let exported = reread(&scene, &options).unwrap();
        let budget = Budget::new(Limits::default());
        let original = Original { native: &scene, exported: &exported };
        let Patch { scene: back, report, .. } = Patch::find(&edited, &original, &Options::new(Snap::Default, Absent::Gone), &budget).unwrap();
        prop_assert!(report.is_untouched(), "{report:?}");
        prop_assert_eq!(format!("{back:?}"), format!("{scene:?}"));
    }

    /// Embedded data is preserved, and identifies the parts.
    #[test]
    fn what_is_kept_comes_back(scene in clean_scene(), text in "\\PC{0,40}") {
        let kept = Extra::Map(vec![("v".into(), Extra::Int(1)), ("t".into(), text.into())]);
        let Ok(made) = export_keeping(&scene, &ExportOptions::default(), &kept) else { return Ok(()) };
        let file = GltfFile::parse(&made.value.to_glb()).unwrap();
        prop_assert_eq!(file.embedded(), Some(&kept));
        let import = file.import(&scene.name, None).unwrap().0.value;
        for (mesh, mark) in import.scene.meshes.iter().zip(&import.marks.meshes) {
            let mark = mark.as_ref().unwrap();
            prop_assert_eq!(&scene.meshes[mark.index].name, &mark.name);
            prop_assert_eq!(scene.meshes[mark.index].positions.len(), mesh.positions.len());
        }
        for (skeleton, marks) in import.scene.skeletons.iter().zip(&import.marks.joints) {
            for (joint, mark) in skeleton.joints.iter().zip(marks) {
                let Some(mark) = mark else { continue };
                prop_assert_eq!(&scene.skeletons[mark.of].joints[mark.index].name, &mark.name);
                prop_assert!(joint.name == mark.name || mark.name.is_empty());
            }
        }
        let extras = import.scene.meshes.iter().map(|m| &m.extras);
        let joints = import.scene.skeletons.iter().flat_map(|s| &s.joints).map(|j| &j.extras);
        let text = format!("{:?}", extras.chain(joints).collect::<Vec<_>>());
        prop_assert!(!text.contains("meshwright"));
    }
}
