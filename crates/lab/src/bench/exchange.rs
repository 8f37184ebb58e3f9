//! Scenes as GLB and OBJ, and GLB as scenes, against what a program would write with the crates that there are.

use super::formats::{Sheet, contest, sheet};
use super::measure::{Contender, Effort, measure};
use super::report::{Report, Row};
use super::writer;
use meshwright::gltf::document::{Document, Options, no_files};
use meshwright::gltf::import::{ImportOptions, import};
use meshwright::gltf::{self, ExportOptions};
use meshwright::scene::obj::{self, ObjOptions};
use meshwright::scene::{Mesh, MeshId, Node, Scene};
use std::fmt::Write as _;
use std::hint::black_box;

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
        text(report, effort, &scene)?;
    }
    Ok(())
}

fn mesh(scene: &Scene) -> Result<&Mesh, String> {
    scene.meshes.first().ok_or_else(|| "no mesh".into())
}

fn glb(report: &mut Report, effort: Effort, scene: &Scene) -> Result<Vec<u8>, String> {
    let mesh = mesh(scene)?;
    let (size, peer) = (mesh.triangles.len(), writer::Plain::of(mesh));
    let options = ExportOptions::default().with_memory(MEMORY);
    let export = || gltf::export(scene, &options);
    let ours = export().map_err(|e| e.to_string())?.value.into_glb();
    let theirs = peer.to_glb();
    // Names and extras of the scene are ours alone; short indices take half.
    if size > 1 << 16 && ours.len().abs_diff(theirs.len()) > 4096 {
        return Err(format!("{} and {} bytes are not the same work", ours.len(), theirs.len()));
    }
    let mut memory = Vec::with_capacity(ours.len());
    let s = contest!(effort, export().map(|made| made.value.into_glb()), peer.to_glb(), {
        memory.clear();
        export().is_ok_and(|made| made.value.write_glb(black_box(&mut memory)).is_ok())
    },);
    report.add(Row::new("GLB to memory", "gltf-json", size, &s, 1).target(1.8));
    report.add(Row::new("GLB streamed into reused memory", "gltf-json", size, &s.led_by(2), 1).target(5.0));
    Ok(ours)
}

/// The arrays of a GLB.
fn read(report: &mut Report, effort: Effort, scene: &Scene, glb: &[u8]) -> Result<(), String> {
    let size = mesh(scene)?.triangles.len();
    let options = Options::default();
    let ours = || {
        let document = Document::from_slice(glb, &no_files, &options)?;
        import(&document, &ImportOptions::default())
    };
    let theirs = || {
        let file = ::gltf::Gltf::from_slice(glb).ok()?;
        let bin = file.blob.as_deref()?;
        let primitive = file.meshes().next()?.primitives().next()?;
        let reader = primitive.reader(|_| Some(bin));
        let positions: Vec<_> = reader.read_positions()?.collect();
        let normals: Vec<_> = reader.read_normals()?.collect();
        let uvs: Vec<_> = reader.read_tex_coords(0)?.into_f32().collect();
        let indices: Vec<_> = reader.read_indices()?.into_u32().collect();
        Some((positions, normals, uvs, indices))
    };
    let made = ours().map_err(|e| e.to_string())?.value.scene;
    let same = theirs().is_some_and(|t| made.meshes.first().is_some_and(|m| m.positions == t.0));
    if !same {
        return Err("the arrays of a GLB differ".into());
    }
    let s = contest!(effort, ours(), theirs());
    report.add(Row::new("GLB to arrays", "gltf, readers", size, &s, 1).target(6.0));
    Ok(())
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
    if made.len().abs_diff(peer.len()) > 64 {
        return Err(format!("{} and {} bytes are not the same text", made.len(), peer.len()));
    }
    let s = contest!(effort, ours(), theirs());
    report.add(Row::new("OBJ", "write!", mesh.triangles.len(), &s, 1).target(2.0));
    Ok(())
}
