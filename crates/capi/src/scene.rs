//! Scenes: what a model draws.

use crate::call::new_handle;
use crate::model::MwModel;
use crate::raw::{MwText, borrow_handle, freed, write_out};
use crate::status::{MwError, MwStatus};
use facade::scene::{Affine, Clip, Material, Mesh, Scene};
use std::ptr;
use std::sync::Arc;

/// The drawn content of a model, to be freed by mw_scene_free.
#[derive(Debug)]
pub struct MwScene {
    pub(crate) scene: Arc<Scene>,
    /// The influences of each mesh, in the form for C.
    influences: Vec<Vec<MwInfluence>>,
    drawn: Vec<MwDrawn>,
}

/// An index where there is nothing to be named.
pub const MW_NONE: usize = usize::MAX;

/// A mesh in its bind pose, in its own space. Arrays hold one entry for each vertex, or are NULL where the mesh has none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwMesh {
    /// Its name.
    pub name: MwText,
    /// The number of vertices.
    pub vertex_count: usize,
    /// The number of triangles.
    pub triangle_count: usize,
    /// x, y, z for each vertex.
    pub positions: *const f32,
    /// x, y, z for each vertex.
    pub normals: *const f32,
    /// u, v for each vertex, from the top left.
    pub uvs: *const f32,
    /// Three vertices for each triangle, counter-clockwise seen from the front.
    pub triangles: *const u32,
    /// Its material, or MW_NONE.
    pub material: usize,
    /// The skeleton that moves it, or MW_NONE.
    pub skeleton: usize,
    /// The influences of vertex v are influence_starts[v] to influence_starts[v + 1]; NULL without a skeleton.
    pub influence_starts: *const u32,
    /// All influences.
    pub influences: *const MwInfluence,
}

/// An instance of a mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwDrawn {
    /// The mesh.
    pub mesh: usize,
    /// 4 columns of 4 numbers, from the mesh's space to the scene's. That of a mesh with a skeleton, which only follows
    /// its skeleton, changes nothing.
    pub matrix: [f32; 16],
}

/// One joint's part in a vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwInfluence {
    /// The joint.
    pub joint: u32,
    /// Its weight.
    pub weight: f32,
}

/// A joint of a skeleton.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwJoint {
    /// Its name.
    pub name: MwText,
    /// The parent joint, or MW_NONE.
    pub parent: usize,
}

/// A material.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwMaterial {
    /// Its name.
    pub name: MwText,
    /// Red, green, blue, alpha; linear.
    pub base_color: [f32; 4],
    /// Both sides are drawn.
    pub double_sided: bool,
    /// The bytes of its picture's file; NULL without one.
    pub image: *const u8,
    /// The length of the image file in bytes.
    pub image_length: usize,
    /// The media type, as in image/png.
    pub image_type: MwText,
}

/// A clip.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwClip {
    /// Its name.
    pub name: MwText,
    /// The skeleton that it moves.
    pub skeleton: usize,
    /// The number of frames.
    pub frames: u32,
    /// Frames per second.
    pub rate: f32,
    /// True if it starts again after its last frame.
    pub looping: bool,
    /// The duration.
    pub seconds: f64,
}

/// Converts a model to a scene: meshes, skeletons, clips.
///
/// # Safety
/// `model` is NULL or not freed; the other pointers are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_new(
    model: *const MwModel,
    scene: *mut *mut MwScene,
    error: *mut *mut MwError,
) -> MwStatus {
    let make = || {
        // SAFETY: the caller's contract.
        let model = unsafe { borrow_handle(model) }?;
        let scene = model.asset.scene()?.value;
        let influences = scene.meshes.iter().map(influences).collect();
        let drawn = scene.drawn_meshes().unwrap_or_default();
        let drawn = drawn.iter().map(|(_, mesh, matrix)| drawn_mesh(mesh.0, matrix)).collect();
        Ok(MwScene { scene: Arc::new(scene), influences, drawn })
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(scene, error, make) }
}

/// Frees a scene. Players of it live on.
///
/// # Safety
/// `scene` is NULL, or came from this library and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_free(scene: *mut MwScene) {
    // SAFETY: the caller's contract.
    unsafe { freed(scene) }
}

/// The number of meshes.
///
/// # Safety
/// `scene` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_mesh_count(scene: *const MwScene) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(scene) }.map_or(0, |s| s.scene.meshes.len())
}

/// Gets a mesh. Returns false if the index is out of range.
///
/// # Safety
/// `scene` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_mesh(scene: *const MwScene, index: usize, out: *mut MwMesh) -> bool {
    // SAFETY: the caller's contract.
    let told = unsafe { borrow_handle(scene) }.ok().and_then(|s| mesh(s, index));
    // SAFETY: the caller's contract.
    told.is_some_and(|told| unsafe { write_out(out, told) })
}

/// The number of instances of meshes. A mesh may be drawn several times, or not at all, as those for collisions.
///
/// # Safety
/// `scene` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_drawn_count(scene: *const MwScene) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(scene) }.map_or(0, |s| s.drawn.len())
}

/// Gets an instance of a mesh, in the order of the nodes. Returns false if the index is out of range.
///
/// # Safety
/// `scene` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_drawn(scene: *const MwScene, index: usize, out: *mut MwDrawn) -> bool {
    // SAFETY: the caller's contract.
    let told = unsafe { borrow_handle(scene) }.ok().and_then(|s| s.drawn.get(index).copied());
    // SAFETY: the caller's contract.
    told.is_some_and(|told| unsafe { write_out(out, told) })
}

/// True if a node draws the mesh.
///
/// # Safety
/// `scene` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_mesh_is_drawn(scene: *const MwScene, mesh: usize) -> bool {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(scene) }.is_ok_and(|s| s.drawn.iter().any(|drawn| drawn.mesh == mesh))
}

/// The number of materials.
///
/// # Safety
/// `scene` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_material_count(scene: *const MwScene) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(scene) }.map_or(0, |s| s.scene.materials.len())
}

/// Gets a material. Returns false if the index is out of range.
///
/// # Safety
/// `scene` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_material(
    scene: *const MwScene,
    index: usize,
    out: *mut MwMaterial,
) -> bool {
    // SAFETY: the caller's contract.
    let told = unsafe { borrow_handle(scene) }.ok().and_then(|s| s.scene.materials.get(index).map(material));
    // SAFETY: the caller's contract.
    told.is_some_and(|told| unsafe { write_out(out, told) })
}

/// The number of clips.
///
/// # Safety
/// `scene` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_clip_count(scene: *const MwScene) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(scene) }.map_or(0, |s| s.scene.clips.len())
}

/// Gets a clip. Returns false if the index is out of range.
///
/// # Safety
/// `scene` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_clip(scene: *const MwScene, index: usize, out: *mut MwClip) -> bool {
    // SAFETY: the caller's contract.
    let told = unsafe { borrow_handle(scene) }.ok().and_then(|s| s.scene.clips.get(index).map(clip));
    // SAFETY: the caller's contract.
    told.is_some_and(|told| unsafe { write_out(out, told) })
}

/// The number of skeletons.
///
/// # Safety
/// `scene` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_skeleton_count(scene: *const MwScene) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(scene) }.map_or(0, |s| s.scene.skeletons.len())
}

/// The number of joints of a skeleton.
///
/// # Safety
/// `scene` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_joint_count(scene: *const MwScene, skeleton: usize) -> usize {
    // SAFETY: the caller's contract.
    let found = unsafe { borrow_handle(scene) }.ok().and_then(|s| s.scene.skeletons.get(skeleton));
    found.map_or(0, |skeleton| skeleton.joints.len())
}

/// Gets a joint of a skeleton. Returns false if an index is out of range.
///
/// # Safety
/// `scene` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scene_joint(
    scene: *const MwScene,
    skeleton: usize,
    index: usize,
    out: *mut MwJoint,
) -> bool {
    // SAFETY: the caller's contract.
    let found =
        unsafe { borrow_handle(scene) }.ok().and_then(|s| s.scene.skeletons.get(skeleton)?.joints.get(index));
    let told = found
        .map(|joint| MwJoint { name: MwText::new(&joint.name), parent: joint.parent.unwrap_or(MW_NONE) });
    // SAFETY: the caller's contract.
    told.is_some_and(|told| unsafe { write_out(out, told) })
}

fn drawn_mesh(mesh: usize, matrix: &Affine) -> MwDrawn {
    let mut columns = [0.0; 16];
    columns.iter_mut().zip(matrix.to_columns().as_flattened()).for_each(|(to, from)| *to = *from);
    MwDrawn { mesh, matrix: columns }
}

fn influences(mesh: &Mesh) -> Vec<MwInfluence> {
    let all = mesh.skin.iter().flat_map(|skin| &skin.influences);
    all.map(|i| MwInfluence { joint: i.joint, weight: i.weight }).collect()
}

/// The first number of an array; none of an empty one.
fn first<T, const N: usize>(array: &[[T; N]]) -> *const T {
    if array.is_empty() { ptr::null() } else { array.as_ptr().cast() }
}

fn mesh(scene: &MwScene, index: usize) -> Option<MwMesh> {
    let mesh = scene.scene.meshes.get(index)?;
    let skin = mesh.skin.as_ref();
    let influences = scene.influences.get(index).filter(|_| skin.is_some());
    Some(MwMesh {
        name: MwText::new(&mesh.name),
        vertex_count: mesh.positions.len(),
        triangle_count: mesh.triangles.len(),
        positions: first(&mesh.positions),
        normals: first(&mesh.normals),
        uvs: first(&mesh.uvs),
        triangles: first(&mesh.triangles),
        material: mesh.material.map_or(MW_NONE, |material| material.0),
        skeleton: skin.map_or(MW_NONE, |skin| skin.skeleton.0),
        influence_starts: skin.map_or(ptr::null(), |skin| skin.starts.as_ptr()),
        influences: influences.map_or(ptr::null(), |all| all.as_ptr()),
    })
}

fn material(material: &Material) -> MwMaterial {
    let image = material.image.as_ref();
    MwMaterial {
        name: MwText::new(&material.name),
        base_color: material.base_color,
        double_sided: material.double_sided,
        image: image.map_or(ptr::null(), |image| image.bytes.as_ptr()),
        image_length: image.map_or(0, |image| image.bytes.len()),
        image_type: image.map_or(MwText::NONE, |image| MwText::new(image.mime)),
    }
}

fn clip(clip: &Clip) -> MwClip {
    MwClip {
        name: MwText::new(&clip.name),
        skeleton: clip.skeleton.0,
        frames: clip.frames,
        rate: clip.rate,
        looping: clip.looping,
        seconds: clip.duration_seconds(),
    }
}
