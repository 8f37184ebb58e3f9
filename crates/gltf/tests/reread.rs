//! What comes back of a scene that went out and was not edited.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use meshwright_gltf::{ExportOptions, GltfFile, export, reread};
use meshwright_scene::recover::{Absent, Original, Snap, recover};
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{Budget, Limits, Scene};
use proptest::prelude::*;

/// The scene that an export of a scene is to a reader.
fn through(scene: &Scene) -> Option<Scene> {
    let glb = export(scene, &ExportOptions::default()).ok()?.value.to_glb();
    let (import, _) = GltfFile::parse(&glb).unwrap().import(&scene.name, None).unwrap();
    Some(import.value.scene)
}

proptest! {
    /// Whatever an export changes, it is no edit.
    #[test]
    fn an_export_is_no_edit(scene in clean_scene()) {
        let Some(edited) = through(&scene) else { return Ok(()) };
        let exported = reread(&scene, &ExportOptions::default()).unwrap();
        let budget = Budget::new(Limits::default());
        let original = Original { native: &scene, exported: &exported };
        let (back, report) = recover(&edited, &original, Snap::Default, Absent::Gone, &budget).unwrap();
        prop_assert!(report.is_untouched(), "{report:?}");
        prop_assert_eq!(format!("{back:?}"), format!("{scene:?}"));
    }
}
