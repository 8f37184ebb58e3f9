//! The Khronos validator on exported files. Needs node, and `NODE_MODULES` naming the folder in which
//! `gltf-validator` is installed; without them nothing is tested.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics, and one that is skipped says so"
)]

use meshwright_gltf::{ExportOptions, Gltf, Influences, export};
use meshwright_scene::strategy::{clean_scene, wild_scene};
use meshwright_scene::{
    Channel, Clip, Image, Influence, Interpolation, Joint, Level, Local, Material, MaterialId, Mesh, MeshId,
    Motion, Node, NodeId, Scene, Skeleton, SkeletonId, Skin, Track, Trs,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Validates all files of a folder and prints one line per finding of a severity that must not occur.
const SCRIPT: &str = r#"
const { createRequire } = require('node:module');
const fs = require('node:fs'), path = require('node:path');
const validator = createRequire(path.join(process.env.NODE_MODULES, '_.js'))('gltf-validator');
const never = new Set(['UNUSED_OBJECT', 'NODE_MATRIX_DEFAULT', 'BUFFER_VIEW_TARGET_MISSING', 'NON_OBJECT_EXTRAS', 'EXTRA_PROPERTY', 'GLB_EMPTY_BIN_CHUNK']);
(async () => {
  const dir = process.argv[1];
  for (const name of fs.readdirSync(dir).filter(n => /\.(glb|gltf)$/.test(n)).sort()) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path.join(dir, name))), {
      uri: name, maxIssues: 0,
      externalResourceFunction: uri => fs.promises.readFile(path.join(dir, decodeURIComponent(uri))).then(b => new Uint8Array(b)),
    });
    for (const m of report.issues.messages)
      // Texture coordinates without a texture are called unused; formats that name textures have both. The skin of a
      // skeleton that moves no mesh is called unused; it says that its nodes are joints.
      if (m.severity < 2 || (never.has(m.code) && !/TEXCOORD_0$|^\/skins\/\d+$/.test(m.pointer ?? ''))) console.log(name, m.code, m.pointer ?? '', m.message);
  }
})().catch(e => { console.log(String(e)); process.exit(3); });
"#;

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn validate(test: &str, files: impl Iterator<Item = (String, Gltf<'static>)>) {
    if std::env::var_os("NODE_MODULES").is_none() {
        eprintln!("NODE_MODULES is not set: nothing validated");
        return;
    }
    let folder = Folder(std::env::temp_dir().join(format!("meshwright-gltf-{test}-{}", std::process::id())));
    fs::create_dir_all(&folder.0).unwrap();
    let mut count = 0;
    for (name, gltf) in files {
        fs::write(folder.0.join(format!("{name}.glb")), gltf.to_glb()).unwrap();
        let bin_name = format!("{name} é.bin");
        let (json, bin) = gltf.to_gltf(&bin_name);
        fs::write(folder.0.join(format!("{name}.gltf")), json).unwrap();
        fs::write(folder.0.join(bin_name), bin).unwrap();
        count += 1;
    }
    let output = match Command::new("node").arg("-e").arg(SCRIPT).arg(&folder.0).output() {
        Ok(output) => output,
        Err(e) => {
            eprintln!("node does not run ({e}): nothing validated");
            return;
        }
    };
    let found = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && found.is_empty(), "{found}{errors}");
    assert!(count > 0);
}

fn generated(
    strategy: &impl Strategy<Value = Scene>,
    n: usize,
) -> impl Iterator<Item = (String, Gltf<'static>)> {
    let mut runner = TestRunner::deterministic();
    (0..n).map(move |i| {
        let scene = strategy.new_tree(&mut runner).unwrap().current();
        let influences = if i % 2 == 0 { Influences::Four } else { Influences::All };
        let options = ExportOptions::default().with_influences(influences).with_close_loops(i % 3 == 0);
        (format!("{i:03}"), export(&scene, &options).unwrap().value.into_owned())
    })
}

#[test]
fn clean_scenes_are_valid() {
    validate("clean", generated(&clean_scene(), 60));
}

#[test]
fn wild_scenes_are_valid() {
    validate("wild", generated(&wild_scene(), 150));
}

/// Scenes that no generator makes: many joints, many vertices, an image, an animation that never moves.
#[test]
fn corner_cases_are_valid() {
    let cases = [
        ("many-joints", many_joints()),
        ("vertices-65535", grid(65_535)),
        ("vertices-65536", grid(65_536)),
        ("image", image()),
        ("still", still_scene()),
        ("empty", Scene::default()),
        ("levels", levels()),
        ("marker", Scene::default().with_nodes(vec![Node::default()])),
        ("skeleton-alone", Scene::default().with_skeletons(many_joints().skeletons)),
    ];
    let exported = cases.into_iter().map(|(name, scene)| {
        (name.to_owned(), export(&scene, &ExportOptions::default()).unwrap().value.into_owned())
    });
    validate("corners", exported);
}

fn triangle() -> Mesh {
    Mesh::new("triangle", vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])
        .with_normals(vec![[0.0, 0.0, 1.0]; 3])
        .with_uvs(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
}

fn many_joints() -> Scene {
    let at = Trs { translation: [0.0, 0.1, 0.0], ..Trs::IDENTITY };
    let joints =
        (0..300_usize).map(|i| Joint::new(format!("{i}"), i.checked_sub(1), Local::Trs(at))).collect();
    let mut skeleton = Skeleton { name: "long".into(), joints };
    skeleton.bind_rest().unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    for joint in [0, 299, 150] {
        skin.influences.push(Influence { joint, weight: 1.0 });
        skin.end_vertex();
    }
    let mesh = triangle().with_skin(skin);
    Scene::default()
        .with_nodes(vec![Node::of_mesh("long", MeshId(0))])
        .with_meshes(vec![mesh])
        .with_skeletons(vec![skeleton])
}

fn grid(vertices: u32) -> Scene {
    let at = |i: u32| {
        [f32::from(u16::try_from(i % 256).unwrap()), f32::from(u16::try_from(i / 256).unwrap()), 0.0]
    };
    let mesh = Mesh::new("", (0..vertices).map(at).collect(), vec![[0, 1, vertices - 1]]);
    Scene::default().with_nodes(vec![Node::of_mesh("grid", MeshId(0))]).with_meshes(vec![mesh])
}

/// A PNG of one pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0,
    0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63,
    0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0, 0, 0, 0, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

fn image() -> Scene {
    let material = |bytes: &[u8]| {
        Material::named("picture").with_base_color([1.0, 1.0, 1.0, 0.5]).with_image(Image::new(
            "pixel",
            "image/png",
            bytes.to_vec(),
        ))
    };
    let with = |m| triangle().with_material(MaterialId(m));
    let bare = with(0).with_uvs(vec![]);
    // The same image twice, one of an unknown format, and an unused one.
    let materials = vec![material(PNG), material(PNG), material(b"GIF89a"), material(PNG)];
    Scene::default()
        .with_meshes(vec![with(0), with(1), with(2), bare])
        .with_nodes((0..4).map(|m| Node::of_mesh("", MeshId(m))).collect())
        .with_materials(materials)
}

fn still_scene() -> Scene {
    let mut scene = many_joints();
    let mut rotation = Channel::new();
    rotation.push(0.0, [0.0, 0.0, 0.0, -1.0]);
    rotation.push(3.0, [0.0, 0.0, 0.0, 1.0]);
    let clip = |frames, motion| {
        Clip::new("still", SkeletonId(0), 30.0, motion)
            .with_frames(frames)
            .with_looping(true)
            .with_interpolation(Interpolation::LinearShort)
    };
    let track = Track { joint: 7, rotation, ..Track::default() };
    scene.clips = vec![clip(9, Motion::Tracks(vec![track])), clip(1, Motion::Tracks(vec![]))];
    scene
}

fn levels() -> Scene {
    let mut scene = many_joints();
    scene.meshes.push(triangle());
    scene.nodes.push(Node::of_mesh("far", MeshId(1)));
    scene.nodes.push(Node::of_mesh("never", MeshId(1)));
    let level = |n: &[usize]| Level { nodes: n.iter().map(|n| NodeId(*n)).collect(), ..Level::default() };
    scene.levels = vec![level(&[0]), level(&[1, 0, 1]), level(&[])];
    scene
}
