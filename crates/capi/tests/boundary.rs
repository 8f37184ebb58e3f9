//! Tests that invalid arguments from C are rejected.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};

#[test]
fn null_is_an_argument() {
    // SAFETY: every function takes null where it is tested with it.
    unsafe {
        let mut error = null_mut();
        let mut model = null_mut();
        assert_eq!(mw_model_open(null(), null(), &raw mut model, &raw mut error), MwStatus::Argument);
        assert!(model.is_null() && !error.is_null());
        assert_eq!(mw_error_code(error).length, "argument".len());
        mw_error_free(error);
        assert_eq!(mw_model_open(c"x".as_ptr(), null(), null_mut(), null_mut()), MwStatus::Argument);
        assert_eq!(mw_scene_new(null(), &mut null_mut(), null_mut()), MwStatus::Argument);
        assert_eq!(mw_player_new(null(), &mut null_mut(), null_mut()), MwStatus::Argument);
        assert_eq!(mw_player_rest(null_mut(), null_mut()), MwStatus::Argument);
        assert_eq!(
            mw_model_convert(null(), c"glb".as_ptr(), null(), &mut null_mut(), null_mut()),
            MwStatus::Argument
        );
        assert_eq!(
            mw_model_restore(null(), c"dpm".as_ptr(), null(), null(), &mut null_mut(), null_mut()),
            MwStatus::Argument
        );
        assert_eq!(mw_files_write(null(), c"x".as_ptr(), null_mut()), MwStatus::Argument);
        assert_eq!(mw_files_edits(null()).length, 0);
        assert_eq!(mw_model_figure(null(), 1, &raw mut model, null_mut()), MwStatus::Argument);
        assert_eq!(mw_model_figure(null(), 0, &raw mut model, null_mut()), MwStatus::Failed);
        assert_eq!(mw_model_figure(&null(), 1, &raw mut model, null_mut()), MwStatus::Argument);
        assert_eq!(mw_members_new(null(), &mut null_mut(), null_mut()), MwStatus::Argument);
        assert_eq!((mw_members_count(null()), mw_members_refused_count(null())), (0, 0));
        assert!(!mw_members_get(null(), 0, null_mut()) && !mw_target(usize::MAX, null_mut()));
        assert!(!mw_format(usize::MAX, null_mut()) && mw_format_extension(usize::MAX, 0).length == 0);
        mw_members_free(null_mut());
        assert_eq!(
            (mw_scene_mesh_count(null()), mw_files_count(null()), mw_model_finding_count(null())),
            (0, 0, 0)
        );
        assert!(!mw_scene_mesh(null(), 0, null_mut()) && !mw_error_offset(null(), null_mut()));
        mw_model_free(null_mut());
        mw_scene_free(null_mut());
        mw_player_free(null_mut());
        mw_files_free(null_mut());
        mw_error_free(null_mut());
        let none =
            mw_model_from_memory(c"x.dpm".as_ptr(), null(), 4, null(), 0, null(), &raw mut model, null_mut());
        assert_eq!(none, MwStatus::Argument);
        let empty =
            mw_model_from_memory(c"x.dpm".as_ptr(), null(), 0, null(), 0, null(), &raw mut model, null_mut());
        assert_eq!(empty, MwStatus::Failed);
    }
}

/// Memory of malloc holds nothing yet, and one array cannot be both.
#[test]
fn arrays_of_the_caller_need_not_be_initialised_and_must_not_overlap() {
    use std::mem::MaybeUninit;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/dpm/hopper.ok.dpm\0");
    // SAFETY: the handles are made, used and freed as the header says.
    unsafe {
        let (mut model, mut scene, mut player) = (null_mut(), null_mut(), null_mut());
        assert_eq!(mw_model_open(path.as_ptr().cast(), null(), &raw mut model, null_mut()), MwStatus::Ok);
        assert_eq!(mw_scene_new(model, &raw mut scene, null_mut()), MwStatus::Ok);
        assert_eq!(mw_player_new(scene, &raw mut player, null_mut()), MwStatus::Ok);
        let mut mesh = MaybeUninit::<MwMesh>::uninit();
        assert!(mw_scene_mesh(scene, 0, mesh.as_mut_ptr()));
        let count = mesh.assume_init().vertex_count;
        let mut memory = vec![MaybeUninit::<f32>::uninit(); count * 6];
        let first = memory.as_mut_ptr().cast::<f32>();
        let posed = |normals| mw_player_vertices(player, 0, count, first, normals, null_mut());
        for offset in [0, 1, count * 3 - 1] {
            assert_eq!(posed(first.add(offset)), MwStatus::Argument, "{offset}");
        }
        assert_eq!(posed(first.add(count * 3)), MwStatus::Ok);
        let all: Vec<f32> = memory.iter().map(|number| number.assume_init()).collect();
        let mut alone = vec![0.0; count * 3];
        assert_eq!(
            mw_player_vertices(player, 0, count, null_mut(), alone.as_mut_ptr(), null_mut()),
            MwStatus::Ok
        );
        assert_eq!(alone, all.split_at(count * 3).1);
        mw_player_free(player);
        mw_scene_free(scene);
        mw_model_free(model);
    }
}

#[test]
fn another_number_of_vertices_is_refused() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/dpm/hopper.ok.dpm\0");
    // SAFETY: the handles are made, used and freed as the header says.
    unsafe {
        let (mut model, mut scene, mut player) = (null_mut(), null_mut(), null_mut());
        assert_eq!(mw_model_open(path.as_ptr().cast(), null(), &raw mut model, null_mut()), MwStatus::Ok);
        assert_eq!(mw_scene_new(model, &raw mut scene, null_mut()), MwStatus::Ok);
        assert_eq!(mw_player_new(scene, &raw mut player, null_mut()), MwStatus::Ok);
        // A player owns its data.
        mw_scene_free(scene);
        mw_model_free(model);
        let mut one = [0.0_f32; 3];
        let status = mw_player_vertices(player, 0, 1, one.as_mut_ptr(), null_mut(), null_mut());
        assert_eq!(status, MwStatus::Argument);
        assert_eq!(mw_player_vertices(player, 99, 1, null_mut(), null_mut(), null_mut()), MwStatus::Argument);
        assert_eq!(mw_player_frame(player, 99, 0.0, null_mut()), MwStatus::Argument);
        assert_eq!(mw_player_seconds(player, 99, 0.0, null_mut()), MwStatus::Argument);
        assert_eq!(mw_player_frame(player, 0, f64::NAN, null_mut()), MwStatus::Argument);
        assert_eq!(mw_player_frame(player, 0, 1e9, null_mut()), MwStatus::Ok);
        let mut matrix = [0.0; 16];
        assert_eq!(mw_player_joint(player, 0, 0, matrix.as_mut_ptr(), null_mut()), MwStatus::Ok);
        assert_eq!(matrix[15], 1.0);
        assert_eq!(mw_player_joint(player, 0, 9999, matrix.as_mut_ptr(), null_mut()), MwStatus::Argument);
        mw_player_free(player);
    }
}

/// The result of opening a path: its status, code and message.
fn opened(path: &[u8]) -> (MwStatus, String, String) {
    let path = CString::new(path).unwrap();
    let (mut model, mut error) = (null_mut(), null_mut());
    // SAFETY: the handles are made and freed as the header says, and texts are read while they live.
    unsafe {
        let told = |text: MwText| match text.length {
            0 => String::new(),
            length => {
                let bytes = std::slice::from_raw_parts(text.bytes.cast::<u8>(), length);
                String::from_utf8(bytes.to_vec()).unwrap()
            }
        };
        let status = mw_model_open(path.as_ptr(), null(), &raw mut model, &raw mut error);
        assert_eq!((model.is_null(), error.is_null()), (status != MwStatus::Ok, status == MwStatus::Ok));
        let said = (status, told(mw_error_code(error)), told(mw_error_message(error)));
        mw_model_free(model);
        mw_error_free(error);
        said
    }
}

#[test]
fn what_is_not_there_is_said() {
    let testdata = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("Modèles 骨");
    std::fs::create_dir_all(&folder).unwrap();
    let model = std::fs::read(format!("{testdata}/dpm/hopper.ok.dpm")).unwrap();
    for (name, bytes) in [("héros.dpm", &*model), ("empty.dpm", b""), ("broken.pk3", b"PK\x05\x06")] {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let at = |name: &str| opened(format!("{}/{name}", folder.display()).as_bytes());
    assert_eq!(at("héros.dpm").0, MwStatus::Ok);
    for (name, code, words) in [
        ("none.dpm", "cannot-read", "there is no such file"),
        ("", "cannot-read", "is a folder"),
        ("héros.dpm/none", "cannot-read", ""),
        ("broken.pk3/none.dpm", "truncated", "broken.pk3: the archive"),
    ] {
        let (status, said, message) = at(name);
        assert_eq!((status, said.as_str()), (MwStatus::Failed, code), "{name}: {message}");
        assert!(message.contains(words), "{name}: {message}");
    }
    assert_eq!(at("empty.dpm").0, MwStatus::Failed);
    assert_eq!(opened(b"").0, MwStatus::Failed);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
        let odd = folder.join(std::ffi::OsString::from_vec(b"\xff.dpm".to_vec()));
        std::fs::write(&odd, &model).unwrap();
        assert_eq!(opened(odd.as_os_str().as_bytes()).0, MwStatus::Ok);
    }
    #[cfg(not(unix))]
    assert_eq!(opened(b"\xff.dpm").0, MwStatus::Argument);
}

#[test]
fn times_are_any_number() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/dpm/hopper.ok.dpm\0");
    // SAFETY: the handles are made, used and freed as the header says.
    unsafe {
        let (mut model, mut scene, mut player) = (null_mut(), null_mut(), null_mut());
        assert_eq!(mw_model_open(path.as_ptr().cast(), null(), &raw mut model, null_mut()), MwStatus::Ok);
        assert_eq!(mw_scene_new(model, &raw mut scene, null_mut()), MwStatus::Ok);
        assert_eq!(mw_player_new(scene, &raw mut player, null_mut()), MwStatus::Ok);
        let mut mesh = std::mem::zeroed::<MwMesh>();
        assert!(mw_scene_mesh(scene, 0, &raw mut mesh));
        let mut positions = vec![0.0_f32; mesh.vertex_count * 3];
        for frame in [-1.0, 0.5, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let status = mw_player_frame(player, 0, frame, null_mut());
            let wanted = if frame.is_finite() { MwStatus::Ok } else { MwStatus::Argument };
            assert_eq!(status, wanted, "{frame}");
            let places = positions.as_mut_ptr();
            let posed = mw_player_vertices(player, 0, mesh.vertex_count, places, null_mut(), null_mut());
            assert_eq!(posed, MwStatus::Ok);
            assert!(positions.iter().all(|p| p.is_finite()), "{frame}");
        }
        mw_player_free(player);
        mw_scene_free(scene);
        mw_model_free(model);
    }
}

/// Two nodes draw a mesh; one turns, moves and doubles it.
const MOVED: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
"nodes":[{"mesh":0,"translation":[10,0,0],"rotation":[0,0.70710678,0,0.70710678],"scale":[2,2,2]},{"mesh":0}],
"meshes":[{"name":"drawn","primitives":[{"attributes":{"POSITION":0,"NORMAL":1}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":36}],
"buffers":[{"byteLength":72,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAIA/AAAAAAAAAAAAAIA/"}]}"#;

#[test]
fn nodes_move_vertices() {
    // SAFETY: the handles are made, used and freed as the header says.
    unsafe {
        let (mut model, mut scene, mut player) = (null_mut(), null_mut(), null_mut());
        let bytes = MOVED.as_bytes();
        let name = c"moved.gltf".as_ptr();
        let opened = mw_model_from_memory(
            name,
            bytes.as_ptr(),
            bytes.len(),
            null(),
            0,
            null(),
            &raw mut model,
            null_mut(),
        );
        assert_eq!(opened, MwStatus::Ok);
        assert_eq!(mw_scene_new(model, &raw mut scene, null_mut()), MwStatus::Ok);
        assert_eq!(mw_player_new(scene, &raw mut player, null_mut()), MwStatus::Ok);
        assert_eq!(mw_scene_drawn_count(scene), 2);
        assert!(mw_mesh_is_drawn(scene, 0) && !mw_mesh_is_drawn(scene, 1));
        assert!(!mw_mesh_is_drawn(scene, 2) && !mw_mesh_is_drawn(null(), 0));
        let mut drawn = MwDrawn { mesh: 9, matrix: [0.0; 16] };
        assert!(mw_scene_drawn(scene, 0, &raw mut drawn) && !mw_scene_drawn(scene, 2, &raw mut drawn));
        assert_eq!((drawn.mesh, drawn.matrix.map(f32::round)[12..15].to_vec()), (0, vec![10.0, 0.0, 0.0]));
        let (mut positions, mut normals) = ([0.0_f32; 9], [0.0_f32; 9]);
        let (at, turned) = (positions.as_mut_ptr(), normals.as_mut_ptr());
        assert_eq!(mw_player_vertices(player, 0, 3, at, turned, null_mut()), MwStatus::Ok);
        assert_eq!(positions.map(f32::round), [10.0, 0.0, 0.0, 10.0, 0.0, -2.0, 10.0, 2.0, 0.0]);
        assert_eq!(normals.map(f32::round), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(mw_player_mesh_vertices(player, 0, 3, at, null_mut(), null_mut()), MwStatus::Ok);
        assert_eq!(positions, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        mw_player_free(player);
        mw_scene_free(scene);
        mw_model_free(model);
    }
}
