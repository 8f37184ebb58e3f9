//! Imports a scene from its own exported document.

use crate::document::{Document, Files, Options};
use crate::export::{ExportOptions, export_marked};
use crate::import::{EXTENSIONS, Import, ImportOptions, import};
use meshwright_core::{Limits, ReadError};
use meshwright_scene::{ConvertError, Mark, Marks, Mesh, MeshId, Motion, Scene, Skeleton, SkeletonId};

/// Exports a scene and imports the result, in the order of the scene: the vertices, joints and keys that an editor
/// gets. Data that is not exported is unchanged. With this, `meshwright_edit` separates the changes of the editor
/// from those of the export.
///
/// # Errors
/// If the scene cannot be exported, or reading its document would take more memory than the options allow.
pub fn reread(scene: &Scene, options: &ExportOptions) -> Result<Scene, ConvertError> {
    // Joints of two skeletons may have the same names and places: the document says which is which.
    let made = export_marked(scene, options)?;
    let (meshes, clips) = (made.mesh_sources().to_vec(), made.clip_sources().to_vec());
    let glb = made.into_glb();
    let refused = |e: ReadError| ConvertError::invalid(e.path().to_string(), e.message().to_owned());
    let limits = Limits::default().with_memory(options.memory);
    let none: &Files<'_, '_> = &|_| None;
    let document =
        Document::from_slice(&glb, none, &Options::default().with_limits(limits).with_extensions(EXTENSIONS))
            .map_err(refused)?;
    let read = import(&document, &ImportOptions::named(&scene.name)).map_err(refused)?.value;
    drop(document);
    drop(glb);
    Ok(aligned(scene, (&meshes, &clips), read))
}

/// Returns the import with its parts in the order of the exported scene, from which its meshes and clips came.
fn aligned(scene: &Scene, (meshes, clips): (&[MeshId], &[usize]), read: Import) -> Scene {
    let skeletons = skeletons(scene, &read.marks);
    let Import { scene: from, origins, animations, .. } = read;
    let mut to = scene.without_meshes();
    for (skeleton, own) in to.skeletons.iter_mut().enumerate() {
        let Some(read) = skeletons.iter().position(|s| *s == Some(skeleton)) else { continue };
        let count = own.joints.len();
        let tree = |s: &&Skeleton| s.joints.iter().take(count).all(|j| j.parent.is_none_or(|p| p < count));
        let Some(read) = from.skeletons.get(read).filter(tree) else { continue };
        for (joint, read) in own.joints.iter_mut().zip(&read.joints) {
            joint.name.clone_from(&read.name);
            // Those that follow others have keys instead.
            joint.parent = read.parent;
            joint.follows.clear();
            (joint.rest, joint.inverse_bind) = (read.rest, read.inverse_bind);
        }
    }
    let native = |s: SkeletonId| skeletons.get(s.0).copied().flatten().map(SkeletonId);
    let mut read_meshes: Vec<Option<Mesh>> = scene.meshes.iter().map(|_| None).collect();
    for (mut mesh, origin) in from.meshes.into_iter().zip(&origins) {
        let Some(MeshId(source)) = meshes.get(origin.mesh).copied() else { continue };
        let Some((own, read)) = scene.meshes.get(source).zip(read_meshes.get_mut(source)) else { continue };
        if let Some(skin) = &mut mesh.skin {
            let Some(skeleton) = native(skin.skeleton) else { continue };
            skin.skeleton = skeleton;
        }
        if own.positions.len() == mesh.positions.len() && own.skin.is_some() == mesh.skin.is_some() {
            (mesh.material, mesh.extras) = (own.material, None);
            *read = Some(mesh);
        }
    }
    let own = scene.meshes.iter().zip(read_meshes);
    to.meshes = own.map(|(own, read)| read.unwrap_or_else(|| own.clone())).collect();
    for (clip, animation) in from.clips.into_iter().zip(animations) {
        let own = clips.get(animation).copied().and_then(|c| to.clips.get_mut(c));
        let Some((own, skeleton)) = own.zip(native(clip.skeleton)) else { continue };
        if own.skeleton == skeleton && matches!(clip.motion, Motion::Tracks(_)) {
            *own = clip;
            own.skeleton = skeleton;
        }
    }
    to
}

/// Returns the skeleton of the scene for each skeleton of the import: the one with the same joints in the same order.
fn skeletons(scene: &Scene, marks: &Marks) -> Vec<Option<usize>> {
    let own = |joints: &Vec<Option<Mark>>| {
        let of = joints.first()?.as_ref()?.of;
        let count = scene.skeletons.get(of)?.joints.len();
        let mut numbers = joints.get(..count)?.iter().enumerate();
        let same = |mark: &Mark, joint| (mark.of, mark.index) == (of, joint);
        numbers.all(|(joint, mark)| mark.as_ref().is_some_and(|m| same(m, joint))).then_some(of)
    };
    marks.joints.iter().map(own).collect()
}
