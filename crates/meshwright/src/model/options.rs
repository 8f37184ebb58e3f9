//! Options for opening an asset.

use crate::formats::{ClipNames, Format, Origin, ReadSettings};
use meshwright_core::{ReadOptions, Role};
use std::sync::Arc;

/// A companion file from the caller, instead of the one next to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedFile {
    /// The role of the file for the model.
    pub role: Role,
    /// Its name, for messages.
    pub name: String,
    /// The content.
    pub bytes: Arc<[u8]>,
    /// Its place in the file that it was read from.
    pub(crate) origin: Option<Origin>,
}

impl NamedFile {
    /// A file with its name and content.
    pub fn new(role: Role, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { role, name: name.into(), bytes: bytes.into(), origin: None }
    }
}

/// Options for opening an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The settings for reading its files.
    pub settings: ReadSettings,
    /// The format of the model's file, instead of the detected one.
    pub format: Option<Format>,
    /// The file was found in a folder, not named by the user: a file that may not be a model is skipped.
    pub met: bool,
    /// Search for companion files of the model.
    pub companions: bool,
    /// Companion files from the caller. No others are searched for their roles.
    pub named: Vec<NamedFile>,
    /// Search for textures of materials.
    pub textures: bool,
    /// The skin whose textures are searched, for models with several. Without it, the first skin is shown, and the
    /// scene has all skins as variants.
    pub skin: Option<u32>,
    /// The colours of a player, which are added to textures with layers for them. Without it, these parts are black.
    #[cfg(feature = "dpm")]
    pub colors: Option<meshwright_quake::PlayerColors>,
    /// The source of the names of clips that a companion file lists.
    pub clip_names: ClipNames,
    /// The skin tone of a The Sims character.
    #[cfg(feature = "tso")]
    pub tone: meshwright_tso::Tone,
    /// The gestures of the right and the left hand of a The Sims character.
    #[cfg(feature = "tso")]
    pub gestures: [meshwright_tso::Gesture; 2],
    /// The clothes of persons of The Sims 1: textures that precede those that meshes name.
    #[cfg(feature = "tso")]
    pub wear: Vec<meshwright_tso::Wear>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            settings: ReadSettings::default(),
            format: None,
            met: false,
            companions: true,
            named: Vec::new(),
            textures: false,
            skin: None,
            #[cfg(feature = "dpm")]
            colors: None,
            clip_names: ClipNames::default(),
            #[cfg(feature = "tso")]
            tone: meshwright_tso::Tone::default(),
            #[cfg(feature = "tso")]
            gestures: [meshwright_tso::Gesture::default(); 2],
            #[cfg(feature = "tso")]
            wear: Vec::new(),
        }
    }
}

impl From<ReadOptions> for OpenOptions {
    fn from(read: ReadOptions) -> Self {
        Self { settings: read.into(), ..Self::default() }
    }
}

impl OpenOptions {
    /// Sets the format of the model's file.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Adds a companion file.
    #[must_use]
    pub fn with_named(mut self, file: NamedFile) -> Self {
        self.named.push(file);
        self
    }

    /// Sets the colours of a player's shirt and pants.
    #[cfg(feature = "dpm")]
    #[must_use]
    pub fn with_colors(mut self, colors: Option<meshwright_quake::PlayerColors>) -> Self {
        self.colors = colors;
        self
    }

    /// Sets the source of clip names that a companion file lists.
    #[must_use]
    pub fn with_clip_names(mut self, names: ClipNames) -> Self {
        self.clip_names = names;
        self
    }

    /// Sets the skin tone and the gestures of the right and the left hand of a The Sims character.
    #[cfg(feature = "tso")]
    #[must_use]
    pub fn with_look(mut self, tone: meshwright_tso::Tone, gestures: [meshwright_tso::Gesture; 2]) -> Self {
        (self.tone, self.gestures) = (tone, gestures);
        self
    }

    /// Sets the clothes of The Sims 1 characters.
    #[cfg(feature = "tso")]
    #[must_use]
    pub fn with_wear(mut self, wear: Vec<meshwright_tso::Wear>) -> Self {
        self.wear = wear;
        self
    }

    /// Enables or disables the search for textures.
    #[must_use]
    pub fn with_textures(mut self, textures: bool) -> Self {
        self.textures = textures;
        self
    }

    /// Selects a single skin.
    #[must_use]
    pub fn with_skin(mut self, skin: u32) -> Self {
        self.skin = Some(skin);
        self
    }

    /// Enables or disables the search for companion files.
    #[must_use]
    pub fn with_companions(mut self, companions: bool) -> Self {
        self.companions = companions;
        self
    }
}
