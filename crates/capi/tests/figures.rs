//! Every number that C gets of a pose is the library's own, for every format: on disk, out of packs, and from memory.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod common;

use common::{files_below, members, testdata};
use facade::rig::Evaluator;
use facade::rig::glam::DMat4;
use facade::scene::{Affine, MeshId, Scene};
use facade::{Format, Model, Opener};
use meshwright::*;
use std::collections::BTreeSet;
use std::ffi::{CString, OsStr};
use std::path::Path;
use std::ptr::{null, null_mut};

/// A model that C has opened, freed at the end.
struct Opened(*mut MwModel);

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: it came from the library and is not used again.
        unsafe { mw_model_free(self.0) }
    }
}

fn from_disk(path: &Path) -> Option<Opened> {
    let path = CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
    let mut model = null_mut();
    // SAFETY: the text lives during the call.
    let status = unsafe { mw_model_open(path.as_ptr(), null(), &raw mut model, null_mut()) };
    (status == MwStatus::Ok).then_some(Opened(model))
}

/// Opens a file by name, with its companion files.
fn from_memory(name: &str, bytes: &[u8], beside: &[(String, Vec<u8>)]) -> Option<Opened> {
    let name = CString::new(name).unwrap();
    let names: Vec<_> = beside.iter().map(|(name, _)| CString::new(name.as_str()).unwrap()).collect();
    let file = |(name, (_, bytes)): (&CString, &(String, Vec<u8>))| MwFile {
        name: name.as_ptr(),
        bytes: bytes.as_ptr(),
        length: bytes.len(),
    };
    let files: Vec<_> = names.iter().zip(beside).map(file).collect();
    let mut model = null_mut();
    // SAFETY: texts and bytes live during the call.
    let status = unsafe {
        mw_model_from_memory(
            name.as_ptr(),
            bytes.as_ptr(),
            bytes.len(),
            files.as_ptr(),
            files.len(),
            null(),
            &raw mut model,
            null_mut(),
        )
    };
    (status == MwStatus::Ok).then_some(Opened(model))
}

/// The number of comparisons.
#[derive(Default)]
struct Tally {
    models: usize,
    poses: usize,
    vertices: usize,
    joints: usize,
    /// The meshes that a node moves, in each pose.
    moved: usize,
    formats: BTreeSet<&'static str>,
}

/// The functions that read posed vertices.
type Vertices =
    unsafe extern "C" fn(*mut MwPlayer, usize, usize, *mut f32, *mut f32, *mut *mut MwError) -> MwStatus;

/// The matrix of the first node that draws a mesh.
fn first_node(scene: &Scene, mesh: usize) -> Option<Affine> {
    let mut drawn = scene.drawn_meshes().into_iter().flatten();
    drawn.find(|(_, drawn, _)| drawn.0 == mesh).map(|(_, _, matrix)| matrix)
}

/// Holds all that C says of a model's poses against the library; false where neither makes a scene of it.
fn compared(opened: &Opened, asset: &Model, what: &str, tally: &mut Tally) -> bool {
    let scene = asset.scene();
    let (mut own, mut player) = (null_mut(), null_mut());
    // SAFETY: the model is not freed.
    let status = unsafe { mw_scene_new(opened.0, &raw mut own, null_mut()) };
    assert_eq!(status == MwStatus::Ok, scene.is_ok(), "{what}: {:?}", scene.err());
    let Ok(scene) = scene.map(|made| made.value) else { return false };
    // SAFETY: the scene was made above.
    unsafe {
        assert_eq!(mw_player_new(own, &raw mut player, null_mut()), MwStatus::Ok, "{what}");
        assert_eq!(mw_scene_mesh_count(own), scene.meshes.len(), "{what}");
        assert_eq!(mw_scene_skeleton_count(own), scene.skeletons.len(), "{what}");
        assert_eq!(mw_scene_clip_count(own), scene.clips.len(), "{what}");
        // A player owns its data.
        mw_scene_free(own);
    }
    let mut evaluator = Evaluator::new(&scene).unwrap();
    let mut poses = vec![None];
    for (number, clip) in scene.clips.iter().enumerate() {
        let last = f64::from(clip.frames.saturating_sub(1));
        poses.extend([0.0, (last / 2.0).floor(), last / 3.0, last].map(|frame| Some((number, frame))));
    }
    for pose in poses {
        evaluator.pose(pose).unwrap();
        // SAFETY: the player was created above, and no other thread uses it.
        let status = unsafe {
            match pose {
                None => mw_player_rest(player, null_mut()),
                Some((clip, frame)) => mw_player_frame(player, clip, frame, null_mut()),
            }
        };
        assert_eq!(status, MwStatus::Ok, "{what}: {pose:?}");
        tally.poses += 1;
        for (number, mesh) in scene.meshes.iter().enumerate() {
            let wanted = evaluator.mesh(MeshId(number)).unwrap();
            let (count, has_normals) = (mesh.positions.len(), !mesh.normals.is_empty());
            let read = |function: Vertices| {
                let mut positions = vec![f32::NAN; count * 3];
                let mut normals = vec![f32::NAN; if has_normals { count * 3 } else { 0 }];
                let into = if has_normals { normals.as_mut_ptr() } else { null_mut() };
                // SAFETY: each array that is not NULL has three numbers for each vertex.
                let status =
                    unsafe { function(player, number, count, positions.as_mut_ptr(), into, null_mut()) };
                assert_eq!(status, MwStatus::Ok, "{what}: {pose:?}");
                [positions, normals].map(|all| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            };
            let bits = |all: &[[f32; 3]]| all.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
            let in_mesh = [&wanted.positions, &wanted.normals].map(|all| bits(all));
            assert!(read(mw_player_mesh_vertices) == in_mesh, "{what}: {pose:?}");
            let [positions, normals] = read(mw_player_vertices);
            let moved: Vec<_> = match first_node(&scene, number) {
                Some(matrix) if matrix != Affine::IDENTITY => {
                    tally.moved += 1;
                    wanted.positions.iter().map(|point| matrix.point(*point)).collect()
                }
                _ => {
                    assert!(normals == in_mesh[1], "{what}: {pose:?}");
                    wanted.positions.to_vec()
                }
            };
            assert!(positions == bits(&moved), "{what}: {pose:?}");
            tally.vertices += count;
        }
        for skeleton in 0..scene.skeletons.len() {
            let (_, wanted) = evaluator.skeleton(skeleton).unwrap();
            for (joint, wanted) in wanted.model_matrices().iter().enumerate() {
                let mut matrix = [f64::NAN; 16];
                // SAFETY: it has sixteen numbers.
                let status =
                    unsafe { mw_player_joint(player, skeleton, joint, matrix.as_mut_ptr(), null_mut()) };
                assert_eq!(status, MwStatus::Ok, "{what}");
                assert!(matrix == DMat4::from(*wanted).to_cols_array(), "{what}: {pose:?}: joint {joint}");
                tally.joints += 1;
            }
        }
    }
    // SAFETY: it was made above and is not used again.
    unsafe { mw_player_free(player) };
    tally.models += 1;
    tally.formats.insert(asset.format().id());
    true
}

/// The formats that hold models and of which nothing was compared.
fn missing(tally: &Tally) -> Vec<&'static str> {
    let all = Format::ALL.iter().filter(|format| format.holds_model()).map(|format| format.id());
    all.filter(|id| !tally.formats.contains(id)).collect()
}

#[test]
fn a_pose_of_every_format_is_the_librarys_on_disk_and_in_packs() {
    let mut tally = Tally::default();
    for path in files_below(&testdata()).into_iter().chain(members()) {
        let asset = Opener::new().open(&path);
        let opened = from_disk(&path);
        assert_eq!(opened.is_some(), asset.is_ok(), "{}", path.display());
        if let (Some(opened), Ok(asset)) = (opened, asset) {
            compared(&opened, &asset, &path.to_string_lossy(), &mut tally);
        }
    }
    let Tally { models, poses, vertices, joints, .. } = &tally;
    println!("{models} models, {poses} poses, {vertices} vertices, {joints} joints");
    assert_eq!(missing(&tally), [""; 0]);
    assert!(*models > 150 && *joints > 1000, "{models} {joints}");
    assert!(tally.moved > 0, "no node moves a mesh");
}

#[test]
fn a_pose_of_every_format_is_the_librarys_from_memory() {
    let mut tally = Tally::default();
    for path in files_below(&testdata()) {
        // A pack is a folder only on a disk.
        let Ok(disk) = Opener::new().open(&path) else { continue };
        let folder = path.parent().unwrap();
        let text = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
        let others = files_below(folder).into_iter().filter(|other| *other != path);
        let beside: Vec<_> = others.map(|other| (text(&other), std::fs::read(&other).unwrap())).collect();
        let (name, bytes) = (text(&path), std::fs::read(&path).unwrap());
        let options = Opener::new();
        let asset = options.open_bytes(&name, bytes.clone(), beside.clone());
        let opened = from_memory(&name, &bytes, &beside);
        assert_eq!(opened.is_some(), asset.is_ok(), "{name}");
        let (Some(opened), Ok(asset)) = (opened, asset) else { continue };
        drop((bytes, beside));
        compared(&opened, &asset, &name, &mut tally);
        // As on disk, with what belongs to it.
        assert_eq!(asset.parts().len(), disk.parts().len(), "{name}");
    }
    // An animation moves the skeleton of a game, which is in a pack here.
    assert_eq!(missing(&tally), ["anim"]);
}

#[test]
fn an_outfit_in_an_archive_is_a_figure() {
    let path = testdata().join("game/online/avatardata.dat/flower.00c0ffee0000000d.oft");
    let options = Opener::new();
    let (asset, opened) = (options.open(&path).unwrap(), from_disk(&path).unwrap());
    let mut tally = Tally::default();
    assert!(compared(&opened, &asset, "an outfit", &mut tally));
    assert!(tally.vertices > 0 && tally.joints > 0);
    assert_eq!(path.extension(), Some(OsStr::new("oft")));
}
