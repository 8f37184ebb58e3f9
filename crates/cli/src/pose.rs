//! `CLIP:FRAME`: a pose named on the command line.

use crate::refusal::Refusal;
use meshwright::ClipFrame;
use meshwright::dump::PoseRef;
use meshwright::scene::Scene;

/// Finds the pose that `text` names, the value of `option`.
pub(crate) fn parse(option: &str, text: &str, scene: &Scene) -> Result<PoseRef, Refusal> {
    let ClipFrame { clip, frame, .. } =
        ClipFrame::parse(text, scene).map_err(|why| Refusal::Argument(format!("{option} {text}: {why}")))?;
    Ok(clip.map_or(PoseRef::File { frame }, |clip| PoseRef::Clip { clip, frame }))
}
