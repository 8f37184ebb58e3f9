//! Opening models with options.

use crate::formats::{ClipNames, Dialect, Format, Origin, ReadSettings, SceneSettings};
use meshwright_core::{Limits, ReadOptions, Role, Strictness};
use std::path::PathBuf;
use std::sync::Arc;

/// A companion file from the caller, instead of the one next to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedFile {
    /// The role of the file for the model.
    pub role: Role,
    /// The name, for messages.
    pub name: String,
    /// The content.
    pub bytes: Arc<[u8]>,
    /// The place in the file that it was read from.
    pub(crate) origin: Option<Origin>,
}

impl NamedFile {
    /// Returns a file with its name and content.
    pub fn new(role: Role, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { role, name: name.into(), bytes: bytes.into(), origin: None }
    }
}

/// Opens models from disk, from archives and from memory.
///
/// ```
/// # fn demo() -> Result<(), meshwright::Error> {
/// let model = meshwright::Opener::new().lenient(true).skeleton("adult.skel").root("game/").open("body.mesh")?;
/// for part in model.parts() {
///     println!("{part}");
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Opener {
    pub(crate) settings: ReadSettings,
    pub(crate) scene: SceneSettings,
    pub(crate) format: Option<Format>,
    pub(crate) met: bool,
    pub(crate) companions: bool,
    pub(crate) named: Vec<NamedFile>,
    /// Companion files that are read when a model is opened.
    pub(super) files: Vec<(Role, PathBuf)>,
    pub(super) roots: Vec<PathBuf>,
    pub(crate) textures: bool,
    pub(crate) skin: Option<u32>,
    /// The colours of a player, which are added to textures with layers for them. Without it, these parts are black.
    #[cfg(feature = "dpm")]
    pub(crate) colors: Option<meshwright_quake::PlayerColors>,
    #[cfg(feature = "tso")]
    pub(crate) style: meshwright_tso::CharacterStyle,
}

impl Default for Opener {
    fn default() -> Self {
        Self {
            settings: ReadSettings::default(),
            scene: SceneSettings::default(),
            format: None,
            met: false,
            companions: true,
            named: Vec::new(),
            files: Vec::new(),
            roots: Vec::new(),
            textures: false,
            skin: None,
            #[cfg(feature = "dpm")]
            colors: None,
            #[cfg(feature = "tso")]
            style: meshwright_tso::CharacterStyle::default(),
        }
    }
}

impl From<ReadOptions> for Opener {
    fn from(read: ReadOptions) -> Self {
        Self { settings: read.into(), ..Self::default() }
    }
}

impl Opener {
    /// Makes an opener that reads strictly, within the default limits, and searches for companion files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts broken rules that leave the rest of a file readable.
    #[must_use]
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.settings.read.strictness = if lenient { Strictness::Lenient } else { Strictness::Strict };
        self
    }

    meshwright_core::setters! {
        /// Sets the limits for one file, and for a scene or a conversion of it each.
        limits(limits: Limits): settings.read.limits;
        /// Sets the settings for reading files.
        settings(settings: ReadSettings): settings;
        /// Sets the dialect of the format that has it. Otherwise it is detected.
        dialect(dialect: Option<Dialect>): settings.dialect;
        /// Sets the order of the floats of a rotation in Crucible skeletons.
        #[cfg(feature = "crucible")]
        quaternions(order: meshwright_crucible::QuaternionOrder): settings.quaternions;
        /// Sets the format of the model's file, instead of the detected one.
        format(format: impl Into<Option<Format>>): format;
        /// Sets whether the file was found in a folder, not named by the user: a file that may not be a model is refused
        /// with the code `unknown-format`.
        in_folder(met: bool): met;
        /// Searches for companion files of the model, which is the default, or not.
        companions(search: bool): companions;
    }

    /// Adds a companion file from the caller. No others are searched for its role.
    #[must_use]
    pub fn named(mut self, file: NamedFile) -> Self {
        self.named.push(file);
        self
    }

    /// Leaves out the companion files from the caller.
    #[must_use]
    pub fn without_named(mut self) -> Self {
        self.named.clear();
        self.files.clear();
        self
    }

    /// Returns the companion files from the caller.
    pub fn named_files(&self) -> &[NamedFile] {
        &self.named
    }

    /// Returns the settings for reading files.
    pub fn read_settings(&self) -> &ReadSettings {
        &self.settings
    }

    /// Adds a companion file on disk. No others are searched for its role.
    #[must_use]
    pub fn companion(mut self, role: Role, path: impl Into<PathBuf>) -> Self {
        self.files.push((role, path.into()));
        self
    }

    /// Adds the skeleton of the model, a file on disk.
    #[must_use]
    pub fn skeleton(self, path: impl Into<PathBuf>) -> Self {
        self.companion(Role::Skeleton, path)
    }

    /// Adds a folder or an archive in which files are searched, instead of the places around the model. Later ones
    /// come first.
    #[must_use]
    pub fn root(mut self, path: impl Into<PathBuf>) -> Self {
        self.roots.push(path.into());
        self
    }

    meshwright_core::setters! {
        /// Searches for textures of materials when a model is opened. Otherwise [`Model::convert`](crate::Model::convert) does, for targets
        /// that hold textures.
        textures(search: bool): textures;
        /// Selects the skin whose textures are searched, for models with several. Without it, the first skin is shown, and
        /// the scene has all skins as variants.
        skin(skin: impl Into<Option<u32>>): skin;
        /// Sets the colours of a player's shirt and pants, which are added to textures with layers for them. Without them,
        /// these parts are black.
        #[cfg(feature = "dpm")]
        colors(colors: Option<meshwright_quake::PlayerColors>): colors;
    }

    /// Shows players in the default colours, unless others are chosen.
    #[cfg(feature = "dpm")]
    #[must_use]
    pub fn in_colors(mut self) -> Self {
        self.colors = self.colors.or_else(|| Some(Default::default()));
        self
    }

    meshwright_core::setters! {
        /// Sets the source of the names of clips that a companion file lists.
        clip_names(names: ClipNames): scene.clip_names;
        /// Makes a clip of each frame that is in no clip of a companion file.
        all_frames(all: bool): scene.all_frames;
        /// Sets the frames per second of clips in formats with arbitrary key times. Without it, the rate is detected.
        fps(rate: impl Into<Option<f32>>): scene.rate;
        /// Computes the normals of The Sims' meshes from their faces.
        recompute_normals(recompute: bool): scene.recompute_normals;
        /// Lets stored normals of blend vertices of The Sims' meshes take part in shading.
        blend_normals(blend: bool): scene.blend_normals;
    }

    /// Sets the skin tone and the gestures of the right and the left hand of a The Sims character.
    #[cfg(feature = "tso")]
    #[must_use]
    pub fn look(mut self, tone: meshwright_tso::Tone, gestures: [meshwright_tso::Gesture; 2]) -> Self {
        (self.style.tone, self.style.gestures) = (tone, gestures);
        self
    }

    /// Sets the clothes of persons of The Sims 1: textures that precede those that meshes name.
    #[cfg(feature = "tso")]
    #[must_use]
    pub fn wear(mut self, wear: Vec<meshwright_tso::Wear>) -> Self {
        self.style.wear = wear;
        self
    }
}
