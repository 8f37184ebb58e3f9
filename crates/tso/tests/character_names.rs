//! Names of the files and records of a character of The Sims 1.

use meshwright_scene::{
    Channel, Clip, FromSceneOptions, Influence, Joint, Local, Mesh, MeshId, Motion, Node, Scene, Skeleton,
    SkeletonId, Skin, Track,
};
use meshwright_tso::{Bcf, Character, CharacterForm, Cmx, TsoSceneOptions, write_scene};

/// Returns a scene with meshes of these names on one bone.
fn scene(meshes: &[&str], bone: &str, clip: &str) -> Scene {
    let mesh = |name: &&str| {
        let mut skin = Skin::new(SkeletonId(0));
        for _ in 0..3 {
            skin.influences.push(Influence { joint: 0, weight: 1.0 });
            skin.end_vertex();
        }
        let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        Mesh::new(*name, positions, vec![[0, 1, 2]]).with_skin(skin)
    };
    let mut translation = Channel::new();
    translation.push(0.0, [0.0; 3]);
    translation.push(1.0, [1.0, 0.0, 0.0]);
    let motion = Motion::Tracks(vec![Track { joint: 0, translation, ..Track::default() }]);
    Scene::default()
        .with_meshes(meshes.iter().map(mesh).collect())
        .with_nodes((0..meshes.len()).map(|m| Node::of_mesh("", MeshId(m))).collect())
        .with_skeletons(vec![Skeleton {
            name: " two\nlines ".into(),
            joints: vec![Joint::new(bone, None, Local::default())],
        }])
        .with_clips(vec![Clip::new(clip, SkeletonId(0), 30.0, motion).with_frames(2)])
}

/// Writes a character, checks that its files are all that its records name, and returns their names.
fn files(scene: &Scene, stem: &str, form: CharacterForm) -> Vec<String> {
    let options = FromSceneOptions::for_format(TsoSceneOptions::default().with_character(form));
    let files = write_scene(scene, stem, &options).unwrap().value;
    let find = |extension: &str| files.iter().find(|f| f.name.ends_with(extension));
    let (records, mesh): (Character, _) = match form {
        CharacterForm::Text => (Cmx::parse(&find(".cmx").unwrap().bytes).unwrap().character, "skn"),
        CharacterForm::Binary => (Bcf::parse(&find(".bcf").unwrap().bytes).unwrap().character, "bmf"),
    };
    let skins = records.suits.iter().flat_map(|suit| &suit.skins);
    let mut named: Vec<_> = skins.map(|skin| format!("{}.{mesh}", skin.skin.text())).collect();
    assert_eq!(named.len(), scene.meshes.len());
    named.extend(records.skills.iter().map(|skill| format!("{}.cfp", skill.keys.text())));
    named.sort();
    let mut written: Vec<_> = files.iter().map(|f| f.name.clone()).collect();
    written.retain(|name| !name.ends_with(".cmx") && !name.ends_with(".bcf"));
    written.sort();
    assert_eq!(written, named);
    written
}

#[test]
fn every_mesh_has_its_own_file() {
    let meshes = ["a-x", "b-X", "", "xskin-me-Hips-HEAD", "xskin-me-Hips-HEAD", "a-x"];
    for form in [CharacterForm::Text, CharacterForm::Binary] {
        assert_eq!(files(&scene(&meshes, "Hips", "walk"), "me", form).len(), 7);
    }
}

#[test]
fn names_of_bones_and_files_become_names_of_files() {
    let long = "j".repeat(255);
    for (bone, stem) in
        [("rig:Hips", "me"), ("a/b\\..", "me"), ("骨", "模"), ("?*<>|\"", "a:b"), (&*long, "me")]
    {
        for form in [CharacterForm::Text, CharacterForm::Binary] {
            for name in files(&scene(&["body"], bone, "a/b:c"), stem, form) {
                let skin = name.strip_prefix("xskin-");
                let plain = |c: char| c.is_ascii_alphanumeric() || "-_. ".contains(c);
                assert!(name.len() < 250 && skin.is_none_or(|skin| skin.chars().all(plain)), "{name}");
            }
        }
    }
}

#[test]
fn names_of_skeletons_and_clips_fit_lines() {
    for clip in ["  ", " walk\n", "\r", "w a l k "] {
        assert_eq!(files(&scene(&["body"], "Hips", clip), "me", CharacterForm::Text).len(), 2, "{clip:?}");
    }
}
