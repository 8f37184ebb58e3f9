//! Reads data that an export of this crate writes about a file as a whole, in the extras of its scene.

use super::extras::{self, Extras};
use crate::document::rules::EXTRAS_IGNORED;
use crate::document::{Document, JsonValue};
use crate::export::KEPT;
use core::ops::RangeInclusive;
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::Extra;

/// The key of the data. Its value is a text that contains JSON.
pub(super) const KEY: &str = "meshwright";

/// The version of that text.
pub(super) const VERSION: u64 = 1;

/// Frames per second that games use.
const USUAL_RATES: RangeInclusive<f32> = 0.01..=1000.0;

/// The playback properties of a clip in its game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClipPlayback {
    pub(super) rate: Option<f32>,
    pub(super) frames: Option<u32>,
    pub(super) looping: bool,
    pub(super) start: u32,
    /// The rate of the keys, if it differs.
    pub(super) frames_at: Option<f32>,
}

impl ClipPlayback {
    /// The names of the properties. The period is included, although it follows from the others.
    const FIELDS: [&str; 6] = ["rate", "frames", "loop", "start", "period", "frames_at"];

    pub(super) fn new(value: Option<JsonValue<'_, '_>>) -> Self {
        let get = |name| value.and_then(|v| v.get(name));
        let whole = |name| get(name).and_then(JsonValue::as_u64).and_then(|n| u32::try_from(n).ok());
        let rate = |name| {
            #[expect(clippy::cast_possible_truncation, reason = "checked to be a rate")]
            let rate = get(name).and_then(JsonValue::as_f64).map(|r| r as f32);
            rate.filter(|r| r.is_normal() && *r > 0.0)
        };
        Self {
            rate: rate("rate"),
            frames_at: rate("frames_at").filter(|r| USUAL_RATES.contains(r)),
            frames: whole("frames"),
            looping: get("loop").and_then(JsonValue::as_bool).unwrap_or(false),
            start: whole("start").unwrap_or(0),
        }
    }

    /// Forgets an unusual rate, unless the last key, at `end` seconds, is at the last stated frame. Such a
    /// rate would make very many frames of keys at other times, or very few.
    pub(super) fn check_rate(&mut self, end: f64) {
        let is_last = |rate: f32| {
            let last = end * f64::from(self.frames_at.unwrap_or(rate));
            // The keys of a loop may end one frame later.
            self.frames.is_some_and(|n| (f64::from(n) - 0.5 - last).abs() <= 0.51)
        };
        self.rate = self.rate.filter(|rate| USUAL_RATES.contains(rate) || is_last(*rate));
    }

    /// Returns the rate of the keys, if it differs from the playback rate and the caller gives no other
    /// rate.
    pub(super) fn keyed(&self, said: Option<f32>) -> Option<f32> {
        self.frames_at.filter(|_| said.is_none() && self.rate.is_some())
    }

    /// Returns the number of frames of a clip with keys for `found` frames: the stated number, if it is
    /// consistent. The last keys of a loop may be its end, if it `closes`.
    pub(super) fn frames(&self, rate: f32, found: u32, closes: impl FnOnce() -> bool) -> (u32, bool) {
        let same_rate = self.rate.is_some_and(|r| (r - rate).abs() <= f32::EPSILON * rate);
        match self.frames.filter(|_| same_rate) {
            Some(frames) if frames == found => (frames, self.looping),
            Some(frames) if self.looping && frames.checked_add(1) == Some(found) && closes() => {
                (frames, true)
            }
            _ => (found, self.looping),
        }
    }

    /// Returns the extras of an animation without these properties.
    pub(super) fn rest(&self, extras: Option<Extra>) -> Option<Extra> {
        if self.rate.is_some() { without(extras, &Self::FIELDS) } else { extras }
    }
}

/// Returns a map without some of its keys; `None` if it becomes empty.
pub(super) fn without(extra: Option<Extra>, keys: &[&str]) -> Option<Extra> {
    match extra {
        Some(Extra::Map(mut map)) => {
            map.retain(|(key, _)| !keys.contains(&key.as_str()));
            (!map.is_empty()).then_some(Extra::Map(map))
        }
        other => other,
    }
}

/// The data about a file.
#[derive(Debug, Default)]
pub(super) struct FileData {
    /// The format that its model was read from.
    pub(super) format: String,
    /// The name of the model.
    pub(super) name: String,
    /// The factor of lengths.
    pub(super) scale: Option<f32>,
    /// The playback of clips, by name.
    clips: Vec<(String, ClipPlayback)>,
    /// True if the scenes are levels of detail.
    pub(super) levels: bool,
    /// The embedded original.
    pub(super) kept: Option<Extra>,
}

impl FileData {
    /// Reads the data from the extras of the scene. Unreadable parts are ignored.
    pub(super) fn read(document: &Document<'_>) -> Result<Self, ReadError> {
        let scene = document.default_scene().unwrap_or(0);
        let extras = Extras::new(document, "scenes")?;
        let own = extras.value(scene);
        let said = |e: Option<JsonValue<'_, '_>>| Some(e?.get(KEY)?.as_str()?.into_owned());
        // Tools that convert the scene to a node put its extras there.
        let nodes = Extras::new(document, "nodes")?;
        let roots = document.scenes().get(scene).map_or(&[][..], |s| &s.nodes);
        let above = || match roots {
            [root] => said(nodes.value(*root)).filter(|text| text.contains("\"clips\"")),
            _ => None,
        };
        let Some(text) = said(own).or_else(above) else { return Ok(Self::default()) };
        let all = FieldPath::ROOT.field("scenes");
        let scene_path = all.index(scene);
        let path = scene_path.field("extras");
        document.charge::<u8>(&path, "extras", text.len())?;
        let ignored = |why| document.warn(EXTRAS_IGNORED, &path, ("scenes", scene), why);
        let mut told = Self::default();
        let known = document.within(&text, |value| {
            if value.get("v").and_then(JsonValue::as_u64) != Some(VERSION) {
                return Ok(false);
            }
            let text = |name| value.get(name).and_then(JsonValue::as_str).unwrap_or_default().into_owned();
            (told.format, told.name) = (text("format"), text("name"));
            #[expect(clippy::cast_possible_truncation, reason = "checked to be a factor")]
            let scale = value.get("scale").and_then(JsonValue::as_f64).map(|s| s as f32);
            told.scale = scale.filter(|s| s.is_normal() && *s > 0.0);
            let clips = || value.get("clips").into_iter().flat_map(JsonValue::items);
            told.clips = document.room(&path, "extras", clips().count())?;
            for clip in clips() {
                let name = clip.get("name").and_then(JsonValue::as_str).unwrap_or_default();
                document.charge::<u8>(&path, "names", name.len())?;
                told.clips.push((name.into_owned(), ClipPlayback::new(Some(clip))));
            }
            told.kept = value.get(KEPT).map(|kept| extras::read(document, kept)).transpose()?.flatten();
            Ok(true)
        })?;
        match known {
            Some(true) => {
                let ranged = own.is_some_and(|e| e.get("max_distance").is_some());
                told.levels = ranged || document.scenes().len() > 1;
            }
            Some(false) => ignored("an unknown version"),
            None => ignored("not valid JSON"),
        }
        Ok(told)
    }

    /// Returns the rate of the keys of clips, if it is stated.
    pub(super) fn frames_at(&self) -> Option<f32> {
        self.clips.iter().find_map(|(_, stated)| stated.frames_at)
    }

    /// Returns the playback of a clip: from its own extras, otherwise from the scene's entry for a clip of its name.
    pub(super) fn clip(&self, name: &str, extras: Option<JsonValue<'_, '_>>) -> ClipPlayback {
        let own = ClipPlayback::new(extras);
        let named = || self.clips.iter().find(|(clip, _)| clip == name).map(|(_, stated)| *stated);
        if own.rate.is_some() { own } else { named().unwrap_or(own) }
    }

    /// Returns the other extras of a scene.
    pub(super) fn rest(extras: Option<Extra>) -> Option<Extra> {
        without(extras, &[KEY, "max_distance"])
    }
}
