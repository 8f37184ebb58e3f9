//! `CLIP:FRAME`: a pose named on the command line.

use crate::refusal::Refusal;
use meshwright::dump::PoseRef;
use meshwright::scene::Scene;

/// Finds the pose that `text` names: a clip by name or number and a frame of it, or with nothing before the
/// colon a frame of the file.
pub(crate) fn parse(text: &str, scene: &Scene) -> Result<PoseRef, Refusal> {
    let wrong = |why: String| Refusal::Argument(format!("--pose {text}: {why}"));
    let (clip, frame) = text.rsplit_once(':').ok_or_else(|| wrong("write CLIP:FRAME".into()))?;
    let frame = frame.parse().map_err(|_| wrong(format!("{frame} is not a frame number")))?;
    if clip.is_empty() {
        return Ok(PoseRef::File { frame });
    }
    let by_name = scene.clips.iter().position(|c| c.name == clip);
    let found = by_name.or_else(|| clip.parse().ok().filter(|&i| i < scene.clips.len()));
    let clip = found.ok_or_else(|| {
        let names: Vec<_> = scene.clips.iter().map(|c| crate::render::plain(&c.name)).take(20).collect();
        wrong(format!("no clip {clip}; there are {}: {}", scene.clips.len(), names.join(", ")))
    })?;
    Ok(PoseRef::Clip { clip, frame })
}
