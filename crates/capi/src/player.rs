//! Poses and posed vertices.

use crate::call::{guarded, new_handle};
use crate::raw::{Refused, borrow_handle, freed, put_all, used};
use crate::scene::MwScene;
use crate::status::{MwError, MwStatus};
use facade::Error;
use facade::rig::{Evaluator, Workspace};
use facade::scene::{Affine, MeshId, Scene};
use std::sync::Arc;

/// A scene in a pose: to be freed by mw_player_free. Used by one thread at a time.
#[derive(Debug)]
pub struct MwPlayer {
    evaluator: Evaluator<Arc<Scene>>,
    scene: Arc<Scene>,
    /// The matrix of the first node that draws each mesh.
    drawn: Vec<Option<Affine>>,
    work: Workspace,
    /// The last mesh that was posed.
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl MwPlayer {
    /// Refuses a clip that does not exist and a time that is not a number.
    fn check(&self, clip: usize, time: f64) -> Result<(), Refused> {
        if clip >= self.scene.clips.len() {
            return Err(Refused::Argument("the scene has no such clip"));
        }
        if time.is_finite() { Ok(()) } else { Err(Refused::Argument("the time is not a finite number")) }
    }
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
        let scene = Arc::clone(&unsafe { borrow_handle(scene) }?.scene);
        let evaluator = Evaluator::new(Arc::clone(&scene)).map_err(Error::from)?;
        let mut drawn = vec![None; scene.meshes.len()];
        for (_, mesh, matrix) in scene.drawn_meshes().into_iter().flatten() {
            if let Some(first) = drawn.get_mut(mesh.0) {
                *first = first.or(Some(matrix));
            }
        }
        let (positions, normals) = (Vec::new(), Vec::new());
        Ok(MwPlayer { evaluator, scene, drawn, work: Workspace::new(), positions, normals })
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(player, error, make) }
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
/// `player` is NULL or not freed, and no other thread uses it; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_rest(player: *mut MwPlayer, error: *mut *mut MwError) -> MwStatus {
    // SAFETY: the caller's contract.
    unsafe { change_pose(player, error, |player| Ok(player.evaluator.pose(None)?)) }
}

/// Moves to a frame of a clip, which may be fractional. A looping clip repeats, another one is held at its ends.
///
/// # Safety
/// `player` is NULL or not freed, and no other thread uses it; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_frame(
    player: *mut MwPlayer,
    clip: usize,
    frame: f64,
    error: *mut *mut MwError,
) -> MwStatus {
    let to = |player: &mut MwPlayer| {
        player.check(clip, frame)?;
        Ok(player.evaluator.pose(Some((clip, frame)))?)
    };
    // SAFETY: the caller's contract.
    unsafe { change_pose(player, error, to) }
}

/// Moves to a time of a clip in seconds, by the clip's own rate.
///
/// # Safety
/// `player` is NULL or not freed, and no other thread uses it; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_seconds(
    player: *mut MwPlayer,
    clip: usize,
    seconds: f64,
    error: *mut *mut MwError,
) -> MwStatus {
    let to = |player: &mut MwPlayer| {
        player.check(clip, seconds)?;
        Ok(player.evaluator.pose_seconds(clip, seconds)?)
    };
    // SAFETY: the caller's contract.
    unsafe { change_pose(player, error, to) }
}

/// # Safety
/// As the functions that call it.
unsafe fn change_pose(
    player: *mut MwPlayer,
    error: *mut *mut MwError,
    to: impl FnOnce(&mut MwPlayer) -> Result<(), Refused>,
) -> MwStatus {
    // SAFETY: the caller's contract.
    unsafe { guarded(error, || to(used(player)?)) }
}

/// The vertices of a mesh in the pose, in the space of the scene: x, y, z for each, `vertex_count` of them as
/// mw_scene_mesh has it. They are where the first node that draws the mesh puts it, and in the mesh's own space if no
/// node does. For further instances begin with mw_player_mesh_vertices and use the matrices of mw_scene_drawn.
/// Either array may be NULL; normals are available if the mesh has them. The arrays need not be initialised; they must
/// not overlap.
///
/// # Safety
/// `player` is NULL or not freed, and no other thread uses it; `positions` and `normals` are NULL or point to 3 *
/// `vertex_count` numbers; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_vertices(
    player: *mut MwPlayer,
    mesh: usize,
    vertex_count: usize,
    positions: *mut f32,
    normals: *mut f32,
    error: *mut *mut MwError,
) -> MwStatus {
    // SAFETY: the caller's contract.
    unsafe { fill(player, mesh, vertex_count, [positions, normals], Space::Scene, error) }
}

/// As mw_player_vertices, but before any node moves them: in the space of the mesh. Vertices of a mesh with a skeleton
/// are the same in both.
///
/// # Safety
/// As for mw_player_vertices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_player_mesh_vertices(
    player: *mut MwPlayer,
    mesh: usize,
    vertex_count: usize,
    positions: *mut f32,
    normals: *mut f32,
    error: *mut *mut MwError,
) -> MwStatus {
    // SAFETY: the caller's contract.
    unsafe { fill(player, mesh, vertex_count, [positions, normals], Space::Mesh, error) }
}

/// The space of vertices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Scene,
    Mesh,
}

/// # Safety
/// As `mw_player_vertices`.
unsafe fn fill(
    player: *mut MwPlayer,
    mesh: usize,
    vertex_count: usize,
    [positions, normals]: [*mut f32; 2],
    space: Space,
    error: *mut *mut MwError,
) -> MwStatus {
    let fill = || {
        // SAFETY: the caller's contract.
        let MwPlayer { evaluator, scene, drawn, work, positions: posed, normals: turned } =
            unsafe { used(player) }?;
        let vertices =
            scene.meshes.get(mesh).ok_or(Refused::Argument("the scene has no such mesh"))?.positions.len();
        if vertices != vertex_count {
            return Err(Refused::Argument("the mesh has another number of vertices"));
        }
        let size = vertex_count.saturating_mul(size_of::<[f32; 3]>());
        let apart = positions.addr().abs_diff(normals.addr()) >= size;
        if !positions.is_null() && !normals.is_null() && !apart {
            return Err(Refused::Argument("positions and normals overlap"));
        }
        posed.resize(vertex_count, [0.0; 3]);
        let mut turned = (!normals.is_null()).then(|| {
            turned.resize(vertex_count, [0.0; 3]);
            turned.as_mut_slice()
        });
        evaluator.mesh_into(MeshId(mesh), work, posed, turned.as_deref_mut()).map_err(Error::from)?;
        let is_there = |matrix: &&Affine| space == Space::Scene && **matrix != Affine::IDENTITY;
        if let Some(matrix) = drawn.get(mesh).and_then(Option::as_ref).filter(is_there) {
            posed.iter_mut().for_each(|point| *point = matrix.point(*point));
            if let Some(turned) = turned.as_deref_mut() {
                turn(matrix, turned);
            }
        }
        // SAFETY: the caller's contract. Nothing is made of what the arrays hold before.
        unsafe {
            put_all(positions, posed.as_flattened());
            put_all(normals, turned.map_or(&[][..], |turned| turned.as_flattened()));
        }
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { guarded(error, fill) }
}

/// Turns normals as a matrix turns surfaces.
fn turn(matrix: &Affine, normals: &mut [[f32; 3]]) {
    // Surfaces of a flat matrix have no normals.
    let Some(matrix) = matrix.wide().normals() else { return };
    for normal in normals {
        let turned = matrix.vector(normal.map(f64::from));
        let length = turned.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length > 0.0 {
            #[expect(clippy::cast_possible_truncation, reason = "as the scene has them")]
            let turned = turned.map(|c| (c / length) as f32);
            *normal = turned;
        }
    }
}

/// The pose of a joint: a matrix of 4 columns of 4 numbers, from the joint's space to the model's.
///
/// # Safety
/// `player` is NULL or not freed, and no other thread writes to it; `matrix` is NULL or points to 16 numbers; `error`
/// is NULL or may be written to.
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
        let player = unsafe { borrow_handle(player)? };
        let pose = player.evaluator.skeleton(skeleton).map(|(_, pose)| pose);
        let found = pose.and_then(|pose| pose.model_matrices().get(joint)).copied();
        let found = found.ok_or(Refused::Argument("the scene has no such joint"))?;
        let columns = facade::rig::glam::DMat4::from(found).to_cols_array();
        // SAFETY: the caller's contract.
        let written = unsafe { put_all(matrix, &columns) };
        if written { Ok(()) } else { Err(Refused::Argument("the matrix is NULL")) }
    };
    // SAFETY: the caller's contract.
    unsafe { guarded(error, fill) }
}
