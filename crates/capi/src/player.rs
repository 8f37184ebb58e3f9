//! Poses and posed vertices.

use crate::call::{guarded, made};
use crate::raw::{Refused, freed, places, seen, used};
use crate::scene::MwScene;
use crate::status::{MwError, MwStatus};
use facade::Failure;
use facade::rig::{Evaluator, Workspace};
use facade::scene::{MeshId, Scene};
use std::sync::Arc;

/// A scene in a pose: to be freed by mw_player_free. Used by one thread at a time.
#[derive(Debug)]
pub struct MwPlayer {
    evaluator: Evaluator<Arc<Scene>>,
    scene: Arc<Scene>,
    work: Workspace,
}

/// A player of a scene, in its rest pose.
///
/// # Safety
/// `scene` is NULL or not freed; the other pointers are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_new(
    scene: *const MwScene,
    player: *mut *mut MwPlayer,
    error: *mut *mut MwError,
) -> MwStatus {
    let make = || {
        // SAFETY: the caller's contract.
        let scene = Arc::clone(&unsafe { seen(scene) }?.scene);
        let evaluator = Evaluator::new(Arc::clone(&scene)).map_err(Failure::from)?;
        Ok(MwPlayer { evaluator, scene, work: Workspace::new() })
    };
    // SAFETY: the caller's contract.
    unsafe { made(player, error, make) }
}

/// Frees a player.
///
/// # Safety
/// `player` is NULL, or came from this library and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_free(player: *mut MwPlayer) {
    // SAFETY: the caller's contract.
    unsafe { freed(player) }
}

/// Moves to the rest pose.
///
/// # Safety
/// `player` is NULL or not freed, and used by nobody else; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_rest(player: *mut MwPlayer, error: *mut *mut MwError) -> MwStatus {
    // SAFETY: the caller's contract.
    unsafe { moved(player, error, |player| player.evaluator.pose(None).map_err(Failure::from)) }
}

/// Moves to a frame of a clip, which may lie between two. A looping clip repeats, another is held at its ends.
///
/// # Safety
/// `player` is NULL or not freed, and used by nobody else; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_frame(
    player: *mut MwPlayer,
    clip: usize,
    frame: f64,
    error: *mut *mut MwError,
) -> MwStatus {
    let to = |player: &mut MwPlayer| player.evaluator.pose(Some((clip, frame))).map_err(Failure::from);
    // SAFETY: the caller's contract.
    unsafe { moved(player, error, to) }
}

/// Moves to a time of a clip in seconds, by the clip's own rate.
///
/// # Safety
/// `player` is NULL or not freed, and used by nobody else; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_seconds(
    player: *mut MwPlayer,
    clip: usize,
    seconds: f64,
    error: *mut *mut MwError,
) -> MwStatus {
    let to = |player: &mut MwPlayer| player.evaluator.pose_seconds(clip, seconds).map_err(Failure::from);
    // SAFETY: the caller's contract.
    unsafe { moved(player, error, to) }
}

/// # Safety
/// As the functions that call it.
unsafe fn moved(
    player: *mut MwPlayer,
    error: *mut *mut MwError,
    to: impl FnOnce(&mut MwPlayer) -> Result<(), Failure>,
) -> MwStatus {
    // SAFETY: the caller's contract.
    unsafe { guarded(error, || Ok(to(used(player)?)?)) }
}

/// The vertices of a mesh in the pose, in model space: x, y, z for each, `vertex_count` of them as mw_scene_mesh has it.
/// Either array may be NULL; normals may be asked for where the mesh has them.
///
/// # Safety
/// `player` is NULL or not freed, and used by nobody else; `positions` and `normals` are NULL or point to
/// 3 * `vertex_count` numbers; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_vertices(
    player: *mut MwPlayer,
    mesh: usize,
    vertex_count: usize,
    positions: *mut f32,
    normals: *mut f32,
    error: *mut *mut MwError,
) -> MwStatus {
    let fill = || {
        // SAFETY: the caller's contract.
        let MwPlayer { evaluator, scene, work } = unsafe { used(player) }?;
        let vertices =
            scene.meshes.get(mesh).ok_or(Refused::Argument("there is no such mesh"))?.positions.len();
        if vertices != vertex_count {
            return Err(Refused::Argument("the mesh has another number of vertices"));
        }
        // SAFETY: three numbers are an array of three; the rest is the caller's contract.
        let (positions, normals) = unsafe {
            (places(positions.cast::<[f32; 3]>(), vertex_count)?, places(normals.cast(), vertex_count)?)
        };
        let mut aside = Vec::new();
        let positions = positions.unwrap_or_else(|| {
            aside.resize(vertex_count, [0.0; 3]);
            &mut aside
        });
        Ok(evaluator.mesh_into(MeshId(mesh), work, positions, normals).map_err(Failure::from)?)
    };
    // SAFETY: the caller's contract.
    unsafe { guarded(error, fill) }
}

/// Where a joint stands in the pose: a matrix of 4 columns of 4 numbers, from the joint's space to the model's.
///
/// # Safety
/// `player` is NULL or not freed, and nobody else writes to it; `matrix` is NULL or points to 16 numbers; `error` is NULL
/// or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_joint(
    player: *const MwPlayer,
    skeleton: usize,
    joint: usize,
    matrix: *mut f64,
    error: *mut *mut MwError,
) -> MwStatus {
    let fill = || {
        // SAFETY: the caller's contract.
        let (player, out) = unsafe { (seen(player)?, places(matrix.cast::<[f64; 4]>(), 4)?) };
        let pose = player.evaluator.skeleton(skeleton).map(|(_, pose)| pose);
        let found = pose.and_then(|pose| pose.model_matrices().get(joint)).copied();
        let found = found.ok_or(Refused::Argument("there is no such joint"))?;
        let out = out.ok_or(Refused::Argument("there is no place for the matrix"))?;
        let columns = facade::rig::glam::DMat4::from(found).to_cols_array_2d();
        out.iter_mut().zip(columns).for_each(|(out, column)| *out = column);
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { guarded(error, fill) }
}
