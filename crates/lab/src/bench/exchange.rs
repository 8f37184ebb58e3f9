//! Scenes as GLB and OBJ, and GLB as scenes, against what a program would write with the crates that there are.

use super::formats::{Sheet, contest, sheet};
use super::measure::{Contender, Effort, measure};
use super::report::Report;
use meshwright::gltf::document::{Document, Options, no_files};
use meshwright::gltf::import::{ImportOptions, import};
use meshwright::gltf::{self, ExportOptions};
use meshwright::scene::obj::{self, ObjOptions};
use meshwright::scene::{Influence, Joint, Local, Mesh, MeshId, Node, Scene, Skeleton, SkeletonId, Skin};
use serde_json::json;
use std::fmt::Write as _;
use std::hint::black_box;
use xtask::sheet::File;

/// Vertices along a side of the sheets: 10,000, 100,000, and two million triangles.
const SIDES: [u32; 3] = [72, 224, 1000];
const MEMORY: u64 = 2 << 30;

pub(crate) fn measure_all(report: &mut Report, effort: Effort) -> Result<(), String> {
    for side in SIDES {
        let Sheet { positions, normals, uvs, triangles } = sheet(side);
        let mesh = Mesh::new("", positions, triangles).with_normals(normals).with_uvs(uvs);
        let node = Node { meshes: vec![MeshId(0)], ..Node::default() };
        let scene = Scene::default().with_nodes(vec![node]).with_meshes(vec![mesh]);
        let glb = glb(report, effort, &scene)?;
        read(report, effort, &scene, &glb)?;
        let moved = skinned(&scene)?;
        let made = gltf::export(&moved, &ExportOptions::default().with_memory(MEMORY));
        read(report, effort, &moved, &made.map_err(|e| e.to_string())?.value.into_glb())?;
        text(report, effort, &scene)?;
    }
    Ok(())
}

fn mesh(scene: &Scene) -> Result<&Mesh, String> {
    scene.meshes.first().ok_or_else(|| "no mesh".into())
}

fn glb(report: &mut Report, effort: Effort, scene: &Scene) -> Result<Vec<u8>, String> {
    let mesh = mesh(scene)?;
    let size = mesh.triangles.len();
    let options = ExportOptions::default().with_memory(MEMORY);
    let export = || gltf::export(scene, &options);
    let ours = export().map_err(|e| e.to_string())?.value.into_glb();
    let theirs = plain_glb(mesh);
    // Only our export has names and extras of the scene; short indices take half.
    if mesh.positions.len() > 1 << 16 && ours.len().abs_diff(theirs.len()) > 4096 {
        return Err(format!("{} and {} bytes are not the same work", ours.len(), theirs.len()));
    }
    let mut memory = Vec::with_capacity(ours.len());
    let s = contest!(effort, export().map(|made| made.value.into_glb()), plain_glb(mesh), {
        memory.clear();
        export().is_ok_and(|made| made.value.write_glb(black_box(&mut memory)).is_ok())
    },);
    report.add(("GLB to memory", "serde_json", 1.8), size, &s, [0, 1], None);
    report.add(("GLB streamed into reused memory", "serde_json", 5.0), size, &s, [2, 1], None);
    Ok(ours)
}

/// The peer of our export: a writer on serde_json that appends float by float.
fn plain_glb(mesh: &Mesh) -> Vec<u8> {
    let mut file = File::default();
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in &mesh.positions {
        for i in 0..3 {
            low[i] = low[i].min(p[i]);
            high[i] = high[i].max(p[i]);
        }
    }
    let none = json!({});
    let positions = file.floats(mesh.positions.as_flattened(), "VEC3", &json!({ "min": low, "max": high }));
    let normals = file.floats(mesh.normals.as_flattened(), "VEC3", &none);
    let uvs = file.floats(mesh.uvs.as_flattened(), "VEC2", &none);
    let (start, indices) = (file.bin.len(), mesh.triangles.as_flattened());
    indices.iter().for_each(|index| file.bin.extend_from_slice(&index.to_le_bytes()));
    let indices = file.describe(start, 5125, "SCALAR", indices.len(), &none);
    let attributes = json!({ "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs });
    file.into_glb(json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": attributes, "indices": indices }] }],
    }))
}

/// Joints and weights of each vertex.
type Influences = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// The content of a GLB, as the `gltf` crate's readers return it.
struct Arrays {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
    skin: Option<Influences>,
}

fn readers(glb: &[u8]) -> Option<Arrays> {
    let file = ::gltf::Gltf::from_slice(glb).ok()?;
    let bin = file.blob.as_deref()?;
    let primitive = file.meshes().next()?.primitives().next()?;
    let reader = primitive.reader(|_| Some(bin));
    let skin = reader.read_joints(0).zip(reader.read_weights(0));
    Some(Arrays {
        positions: reader.read_positions()?.collect(),
        normals: reader.read_normals()?.collect(),
        uvs: reader.read_tex_coords(0)?.into_f32().collect(),
        indices: reader.read_indices()?.into_u32().collect(),
        skin: skin.map(|(joints, weights)| (joints.into_u16().collect(), weights.into_f32().collect())),
    })
}

/// The arrays of a GLB, against the readers of the `gltf` crate.
fn read(report: &mut Report, effort: Effort, scene: &Scene, glb: &[u8]) -> Result<(), String> {
    let mesh = mesh(scene)?;
    let (size, options) = (mesh.triangles.len(), Options::default());
    let ours = || {
        let document = Document::from_slice(glb, &no_files, &options)?;
        import(&document, &ImportOptions::default())
    };
    let made = ours().map_err(|e| e.to_string())?.value.scene;
    let arrays = readers(glb).ok_or("the peer does not read it")?;
    let same = made.meshes.first().is_some_and(|m| {
        let corners = m.triangles.as_flattened();
        let skins = m.skin.is_some() == arrays.skin.is_some();
        (&m.positions, &m.normals, &m.uvs) == (&arrays.positions, &arrays.normals, &arrays.uvs)
            && corners == arrays.indices
            && skins
    });
    if !same {
        return Err("the arrays of a GLB differ".into());
    }
    let s = contest!(effort, ours(), readers(glb));
    let what = if mesh.skin.is_some() { "GLB to arrays, skinned" } else { "GLB to arrays" };
    report.add((what, "gltf, readers", 6.0), size, &s, [0, 1], None);
    Ok(())
}

/// Returns the same scene on a chain of joints, with one to four influences a vertex.
fn skinned(scene: &Scene) -> Result<Scene, String> {
    const JOINTS: u32 = 60;
    let mut mesh = mesh(scene)?.clone();
    let mut skin = Skin::new(SkeletonId(0));
    for v in 0..mesh.positions.len() as u32 {
        let used = 1 + v % 4;
        let weight = 1.0 / used as f32;
        skin.influences.extend((0..used).map(|i| Influence { joint: (v / 64 + i) % JOINTS, weight }));
        skin.end_vertex();
    }
    mesh.skin = Some(skin);
    let joint = |j: usize| Joint::new(format!("joint{j}"), j.checked_sub(1), Local::default());
    let skeleton = Skeleton { joints: (0..JOINTS as usize).map(joint).collect(), ..Skeleton::default() };
    Ok(scene.clone().with_meshes(vec![mesh]).with_skeletons(vec![skeleton]))
}

fn text(report: &mut Report, effort: Effort, scene: &Scene) -> Result<(), String> {
    let mesh = mesh(scene)?;
    let options = ObjOptions::default().with_memory(MEMORY);
    let ours = || obj::write(scene, None, &options).map(|made| made.value.obj);
    let theirs = || {
        let mut text = String::new();
        for [x, y, z] in &mesh.positions {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for [u, v] in &mesh.uvs {
            let _ = writeln!(text, "vt {u} {}", 1.0 - v);
        }
        for [x, y, z] in &mesh.normals {
            let _ = writeln!(text, "vn {x} {y} {z}");
        }
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|corner| corner + 1);
            let _ = writeln!(text, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}");
        }
        text
    };
    let (made, peer) = (ours().map_err(|e| e.to_string())?, theirs());
    // Our text has no negative zeros. A large sheet has some hundreds of them.
    if made.len().abs_diff(peer.len()) > 64 + peer.len() / 10_000 {
        return Err(format!("{} and {} bytes are not the same text", made.len(), peer.len()));
    }
    let s = contest!(effort, ours(), theirs());
    report.add(("OBJ", "write!", 2.0), mesh.triangles.len(), &s, [0, 1], None);
    Ok(())
}
