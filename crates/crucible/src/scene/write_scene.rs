//! Writes a scene as files of the engine.

use crate::scene::from_scene::{ChunkConversion, one_skeleton};
use crate::scene::skeleton_from_scene::skeleton;
use crate::scene::target::{CrucibleFile, CrucibleTarget};
use crate::skeleton::model::SkeletonChunk;
use alloc::format;
use alloc::string::ToString;
use meshwright_core::WriteError;
use meshwright_scene::{ConvertError, Converted, FromSceneOptions, OutputFiles, Scene};

/// Converts a scene to files of the engine: `stem.cmodel` or `stem.cmesh`, and `stem.cskel` if the scene has
/// a skeleton; or only the skeleton. Animations are lost, because the engine has no file for them.
///
/// # Errors
/// If the scene breaks its own rules, if the format cannot express it, or if the result would take more than
/// the limits allow.
pub fn write_scene(
    scene: &Scene,
    stem: &str,
    options: &FromSceneOptions<CrucibleTarget>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let mut files = OutputFiles::default();
    if options.format.file == CrucibleFile::Skeleton {
        let made = SkeletonChunk::from_scene(scene, options)?;
        files.push(format!("{stem}.cskel"), made.value.to_bytes().map_err(unsupported_write)?);
        return Ok(Converted::new(files, made.losses));
    }
    let budget = options.budget();
    let (scene, losses) = one_skeleton(scene, options, &budget)?;
    let scene = &*scene;
    let mut work = ChunkConversion::new(scene, options, losses, &budget)?;
    let (chosen, axes) = (work.skeleton(), work.axes());
    let (extension, bytes) = if options.format.file == CrucibleFile::Chunk {
        let chunk = work.chunk_of_all()?;
        budget.charge("files", chunk.written_size() as u64)?;
        ("cmesh", chunk.to_bytes())
    } else {
        let model = work.model()?;
        let sizes = model.meshes.iter().map(|m| m.written_size() as u64);
        budget.charge("files", sizes.fold(0, u64::saturating_add))?;
        ("cmodel", model.to_bytes())
    };
    files.push(format!("{stem}.{extension}"), bytes.map_err(unsupported_write)?);
    let mut losses = work.losses;
    if let Some(chosen) = chosen {
        let skeleton = skeleton(scene, chosen, &axes, options, &budget, &mut losses)?;
        files.push(format!("{stem}.cskel"), skeleton.to_bytes().map_err(unsupported_write)?);
    }
    Ok(Converted::new(files, losses))
}

fn unsupported_write(e: WriteError) -> ConvertError {
    match e {
        WriteError::InvalidModel(e) => ConvertError::invalid(e.path.to_string(), e.message),
        e => ConvertError::unsupported("", e.to_string()),
    }
}
