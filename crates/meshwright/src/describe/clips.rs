//! Clips, with the sources of their names.

use super::ClipInfo;
use crate::model::Model;
use meshwright_scene::Scene;
use std::fmt;

/// The source of the name of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameSource {
    /// The file, which names its clips.
    File,
    /// The names of the frames that make it up.
    Frames,
    /// The line of a text that lists the clips.
    Line,
    /// The comment on such a line.
    Comment,
    /// The engine, which makes up a name if the line has none.
    Engine,
}

impl NameSource {
    /// Returns a stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Frames => "frames",
            Self::Line => "line",
            Self::Comment => "comment",
            Self::Engine => "engine",
        }
    }
}

impl fmt::Display for NameSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "the file",
            Self::Frames => "frame names",
            Self::Line => "its line",
            Self::Comment => "a comment",
            Self::Engine => "made up",
        })
    }
}

pub(super) fn describe_clips(asset: &Model, scene: &Scene) -> Vec<ClipInfo> {
    let sources = sources(asset, scene);
    let clip = |(clip, source): (&meshwright_scene::Clip, NameSource)| ClipInfo {
        name: clip.name.clone(),
        source,
        frames: clip.frames,
        rate: clip.rate,
        seconds: clip.duration_seconds(),
        looping: clip.looping,
    };
    scene.clips.iter().zip(sources).map(clip).collect()
}

#[cfg(feature = "dpm")]
fn sources(asset: &Model, scene: &Scene) -> Vec<NameSource> {
    use crate::formats::ClipNames;
    let groups = asset.companions().one::<meshwright_quake::FrameGroups>();
    let Some(groups) = groups.filter(|groups| groups.groups.len() == scene.clips.len()) else {
        let own = if asset.format().traits().has_frame_names { NameSource::Frames } else { NameSource::File };
        return vec![own; scene.clips.len()];
    };
    let mut commented = vec![false; scene.clips.len()];
    let note: &mut dyn FnMut(usize, &[u8]) = &mut |i, comment| {
        if let Some(known) = commented.get_mut(i) {
            *known = !comment.is_empty();
        }
    };
    groups.comments(note);
    let (names, mut sources) = (asset.companions().scene.clip_names, Vec::new());
    for (i, (clip, group)) in scene.clips.iter().zip(&groups.groups).enumerate() {
        let made_up = clip.name == format!("groupified_{i}_anim");
        sources.push(match names {
            ClipNames::Frames if !made_up => NameSource::Frames,
            _ if !group.name.is_empty() => NameSource::Line,
            ClipNames::Comments if commented.get(i) == Some(&true) => NameSource::Comment,
            _ => NameSource::Engine,
        });
    }
    sources
}

#[cfg(not(feature = "dpm"))]
fn sources(_: &Model, scene: &Scene) -> Vec<NameSource> {
    vec![NameSource::File; scene.clips.len()]
}
