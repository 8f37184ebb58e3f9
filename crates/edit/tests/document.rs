//! The JSON document of a patch.

use crate::support::*;

fn document(edited: &Scene, native: &Scene) -> String {
    let original = Original { native, exported: native };
    let options = Options { pictures: &[true], ..Options::new(Snap::Default, Absent::Gone) };
    Patch::find(edited, &original, &options, &budget()).unwrap().to_json()
}

#[test]
fn a_patch_lists_what_changed_by_its_numbers() {
    let native = tube();
    assert_eq!(Patch::unedited(native.clone()).to_json(), "{}");
    let mut edited = native.clone();
    for v in [4, 5, 9] {
        edited.meshes[0].positions[v][2] += 0.5;
    }
    edited.meshes[0].uvs[9] = [0.25, 0.125];
    edited.meshes[0].triangles.remove(3);
    edited.skeletons[0].joints[1].name = "spine".into();
    edited.meshes.pop();
    edited.nodes.pop();
    edited.clips[0].name = "bow".into();
    edited.materials[0].image = Some(meshwright_scene::Image::new("skin", "image/png", vec![1]));
    let text = document(&edited, &native);
    let has = |part: &str| assert!(text.contains(part), "{part} is not in {text}");
    has(r#""joints":[{"joint":1,"original":1,"changes":["name"]}]"#);
    has(
        r#"{"mesh":0,"original":0,"changes":["shape"],"name":"body","positions":[[4,2],[9,1]],"uvs":[[9,1]],"#,
    );
    has(r#""removed_triangles":[[3,1]]"#);
    has(r#""removed_meshes":[1]"#);
    has(r#""clips":[{"clip":0,"original":0,"changes":["name"]}]"#);
    has(r#""materials":[{"material":0,"original":0,"changes":["image"]}]"#);
}
