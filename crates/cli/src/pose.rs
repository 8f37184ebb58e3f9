//! `CLIP:FRAME`: a pose named on the command line.

use crate::refusal::Refusal;
use meshwright::dump::PoseRef;
use meshwright::scene::Scene;

/// Finds the pose that `text` names, the value of `option`: a clip by name or number and a frame of it, or with nothing
/// before the colon a frame of the file.
pub(crate) fn parse(option: &str, text: &str, scene: &Scene) -> Result<PoseRef, Refusal> {
    let wrong = |why: String| Refusal::Argument(format!("{option} {text}: {why}"));
    let (name, frame) = text.rsplit_once(':').ok_or_else(|| wrong("write CLIP:FRAME".into()))?;
    let frame = frame.parse().map_err(|_| wrong(format!("{frame} is not a frame number")))?;
    if name.is_empty() {
        return Ok(PoseRef::File { frame });
    }
    Ok(PoseRef::Clip { clip: clip(name, scene).map_err(wrong)?, frame })
}

/// Finds a clip by name or number, or returns a message that lists the clips.
pub(crate) fn clip(name: &str, scene: &Scene) -> Result<usize, String> {
    let by_name = scene.clips.iter().position(|c| c.name == name);
    by_name.or_else(|| name.parse().ok().filter(|&i| i < scene.clips.len())).ok_or_else(|| {
        let names: Vec<_> = scene.clips.iter().map(|c| crate::render::plain(&c.name)).take(20).collect();
        let near = meshwright::similar(name, scene.clips.iter().map(|c| c.name.as_str()));
        let meant = near.first().map(|near| format!(", did you mean {}?", crate::render::plain(near)));
        let meant = meant.unwrap_or_default();
        format!("no clip {name}{meant}; the model has {}: {}", scene.clips.len(), names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::clip;
    use meshwright::scene::{Clip, Motion, Scene, SkeletonId};

    #[test]
    fn a_misspelled_clip_gets_a_suggestion() {
        let mut scene = Scene::new("x");
        let named = |name| Clip::new(name, SkeletonId(0), 10.0, Motion::Tracks(Vec::new()));
        scene.clips = ["walk", "idle"].map(named).into();
        assert_eq!((clip("idle", &scene), clip("0", &scene)), (Ok(1), Ok(0)));
        let said = clip("idel", &scene).unwrap_err();
        assert!(said.contains("did you mean idle?") && said.contains("the model has 2"), "{said}");
        assert!(!clip("dance", &scene).unwrap_err().contains("mean"));
    }
}
