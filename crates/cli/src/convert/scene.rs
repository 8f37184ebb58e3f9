//! Changes of a scene between reading and writing.

use crate::args::ConvertArgs;
use crate::reader::Opened;
use crate::refusal::Refusal;
use crate::{pose, relative};
use meshwright::dump::PoseRef;
use meshwright::scene::{Clip, ConvertError, Converted, Loss, MeshPose, Scene, SceneOptions};
use meshwright::{Error, ErrorKind, Model, PartRole, Role, Target, rig};
use std::collections::BTreeMap;
use std::path::Path;

/// Changes a scene as the arguments ask.
pub(super) fn reshape(
    scene: &mut Converted<Scene>,
    args: &ConvertArgs,
    to: Target,
    options: &SceneOptions,
) -> Result<(), ConvertError> {
    match args.scale {
        Some(factor) if factor != 1.0 => scene.value.rescale(factor)?,
        None if matches!(to, Target::Native(_)) => scene.unscale()?,
        _ => {}
    }
    let dropped = if args.prune { scene.value.prune(&options.budget())? } else { 0 };
    if dropped > 0 {
        let note = Loss::note("vertices-pruned", "meshes", "vertices that no triangle uses were dropped");
        scene.losses.push(note.with_count(dropped, "vertex", "vertices"));
    }
    Ok(())
}

/// Returns the relative paths by which a file at `path` refers to the textures of a model.
pub(super) fn texture_files(opened: &Opened, path: &Path) -> BTreeMap<String, String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let textures = opened.asset.parts().iter().filter(|p| p.role == PartRole::Texture);
    let named = textures.filter_map(|part| {
        let place = part.path.as_ref()?;
        let file = opened.finder.tree().os_path(place)?;
        Some((place.text().into_owned(), relative::between(folder, &file)?))
    });
    named.collect()
}

/// Returns the meshes in a pose of a clip, or in a frame of `all`, the clip of all frames of the file.
pub(super) fn obj_pose(scene: &mut Scene, all: Option<Clip>, text: &str) -> Result<Vec<MeshPose>, Refusal> {
    let wrong = |why: &str| Refusal::Argument(format!("--pose {text}: {why}"));
    let own = scene.clips.len();
    let (clip, frame) = match pose::parse("--pose", text, scene)? {
        PoseRef::Clip { clip, frame } => (clip, frame),
        PoseRef::File { frame } => {
            scene.clips.push(all.ok_or_else(|| wrong("the format has only frames of clips"))?);
            (own, frame)
        }
    };
    if scene.clips.get(clip).is_none_or(|c| frame >= c.frames) {
        return Err(wrong("no such frame"));
    }
    // In 64 bits, so that all machines give the same result.
    let mut evaluator = rig::Evaluator::new(&*scene)?.with_precision(rig::Precision::Double);
    evaluator.pose(Some((clip, f64::from(frame))))?;
    let posed = evaluator.meshes()?;
    scene.clips.truncate(own);
    Ok(posed)
}

/// Returns the refusal of a model that cannot be converted to a scene, with the option that may help.
pub(super) fn hinted(e: ConvertError, asset: &Model) -> Refusal {
    let takes_skeleton = asset.format().companions().iter().any(|c| c.role == Role::Skeleton);
    let lacks = takes_skeleton && !asset.companions().has(Role::Skeleton);
    match (&e, Refusal::from(e.clone())) {
        (ConvertError::Unsupported { .. }, Refusal::Cannot { code, why }) if lacks && !why.contains("--") => {
            Refusal::Cannot { code, why: format!("{why}; name one with --skeleton") }
        }
        (_, refusal) => refusal,
    }
}

pub(super) fn no_figure(e: &Error) -> Refusal {
    let why = e.message();
    match e.kind() {
        ErrorKind::NotFound => Refusal::UNKNOWN,
        ErrorKind::Unsupported => Refusal::Argument(format!(
            "several inputs need a folder as output (end the path in / or create it): {why}"
        )),
        _ => Refusal::Argument(why.to_owned()),
    }
}
