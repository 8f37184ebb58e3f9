//! What C may get wrong at the boundary is refused, not followed.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright::*;
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
            mw_model_convert(null(), c"glb".as_ptr(), &mut null_mut(), null_mut()),
            MwStatus::Argument
        );
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

#[test]
fn another_number_of_vertices_is_refused() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/dpm/hopper.ok.dpm\0");
    // SAFETY: the handles are made, used and freed as the header says.
    unsafe {
        let (mut model, mut scene, mut player) = (null_mut(), null_mut(), null_mut());
        assert_eq!(mw_model_open(path.as_ptr().cast(), null(), &raw mut model, null_mut()), MwStatus::Ok);
        assert_eq!(mw_scene_new(model, &raw mut scene, null_mut()), MwStatus::Ok);
        assert_eq!(mw_player_new(scene, &raw mut player, null_mut()), MwStatus::Ok);
        // What a player needs is its own.
        mw_scene_free(scene);
        mw_model_free(model);
        let mut one = [0.0_f32; 3];
        let status = mw_player_vertices(player, 0, 1, one.as_mut_ptr(), null_mut(), null_mut());
        assert_eq!(status, MwStatus::Argument);
        assert_eq!(mw_player_vertices(player, 99, 1, null_mut(), null_mut(), null_mut()), MwStatus::Argument);
        assert_eq!(mw_player_frame(player, 99, 0.0, null_mut()), MwStatus::Failed);
        let mut matrix = [0.0; 16];
        assert_eq!(mw_player_joint(player, 0, 0, matrix.as_mut_ptr(), null_mut()), MwStatus::Ok);
        assert_eq!(matrix[15], 1.0);
        assert_eq!(mw_player_joint(player, 0, 9999, matrix.as_mut_ptr(), null_mut()), MwStatus::Argument);
        mw_player_free(player);
    }
}
