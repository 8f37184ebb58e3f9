//! Poses that a user names as `CLIP:FRAME`.

use meshwright_core::text::{similar, visible};
use meshwright_scene::{Clip, Scene};

/// The number of clips that a message lists.
const LISTED: usize = 20;

/// A frame of a clip, or of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipFrame {
    /// The index of the clip; `None` for a frame of the file, in formats that have a frame table.
    pub clip: Option<usize>,
    /// The frame, from 0.
    pub frame: u32,
}

impl ClipFrame {
    /// Parses `CLIP:FRAME`: a clip by name or number and a frame of it. With nothing before the colon it is a frame of
    /// the file.
    ///
    /// # Errors
    /// The reason, if the text has another form or the scene no such clip.
    pub fn parse(text: &str, scene: &Scene) -> Result<Self, String> {
        let (name, frame) = text.rsplit_once(':').ok_or_else(|| "write CLIP:FRAME".to_owned())?;
        let frame = frame.parse().map_err(|_| format!("{frame} is not a frame number"))?;
        let clip = if name.is_empty() { None } else { Some(find_clip(name, scene)?) };
        Ok(Self { clip, frame })
    }

    /// Parses `CLIP:FRAME`, and returns the index of the clip and its frame. For a frame of the file, the index is that of
    /// `file_clip` after the caller adds it to the scene.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and if the clip is shorter.
    pub fn in_clip(text: &str, scene: &Scene, file_clip: Option<&Clip>) -> Result<(usize, u32), String> {
        let Self { clip, frame } = Self::parse(text, scene)?;
        let found = match clip {
            Some(clip) => scene.clips.get(clip),
            None => Some(file_clip.ok_or("the format has only frames of clips")?),
        };
        match found {
            Some(found) if frame < found.frames => Ok((clip.unwrap_or(scene.clips.len()), frame)),
            _ => Err("no such frame".into()),
        }
    }
}

/// Finds a clip by name or number.
///
/// # Errors
/// A message that lists the clips.
pub fn find_clip(name: &str, scene: &Scene) -> Result<usize, String> {
    let by_name = scene.clips.iter().position(|c| c.name == name);
    by_name.or_else(|| name.parse().ok().filter(|&i| i < scene.clips.len())).ok_or_else(|| {
        let known: Vec<&str> = scene.clips.iter().map(|c| c.name.as_str()).collect();
        let names: Vec<_> = known.iter().take(LISTED).map(|name| visible(name).to_string()).collect();
        let near = similar(name, known);
        let meant = near.first().map(|near| format!(", did you mean {}?", visible(near)));
        let meant = meant.unwrap_or_default();
        format!("no clip {name}{meant}; the model has {}: {}", scene.clips.len(), names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::find_clip;
    use meshwright_scene::{Clip, Motion, Scene, SkeletonId};

    #[test]
    fn a_misspelled_clip_gets_a_suggestion() {
        let mut scene = Scene::new("x");
        let named = |name| Clip::new(name, SkeletonId(0), 10.0, Motion::Tracks(Vec::new()));
        scene.clips = ["walk", "idle"].map(named).into();
        assert_eq!((find_clip("idle", &scene), find_clip("0", &scene)), (Ok(1), Ok(0)));
        let said = find_clip("idel", &scene).unwrap_err();
        assert!(said.contains("did you mean idle?") && said.contains("the model has 2"), "{said}");
        assert!(!find_clip("dance", &scene).unwrap_err().contains("mean"));
    }
}
