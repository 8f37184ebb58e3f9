//! Options for converting models.

#[cfg(feature = "gltf")]
use crate::embedded_original::{Original, RecoverOptions};
use crate::formats::WriteOptions;
#[cfg(feature = "retarget")]
use crate::model::Model;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
#[cfg(any(feature = "gltf", feature = "retarget"))]
use std::sync::Arc;

/// Options for converting models.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    pub(crate) write: WriteOptions,
    pub(crate) output: Option<PathBuf>,
    pub(crate) scale: Option<f64>,
    pub(crate) extras: bool,
    pub(crate) solids: bool,
    pub(crate) keep_skeleton: bool,
    pub(crate) prune: bool,
    pub(crate) join_levels: bool,
    #[cfg(feature = "rig")]
    pub(crate) pose: Option<String>,
    #[cfg(feature = "retarget")]
    pub(crate) retarget: Option<Retarget>,
    #[cfg(feature = "gltf")]
    pub(crate) embed: bool,
    #[cfg(feature = "gltf")]
    pub(crate) original: OriginalSource,
    #[cfg(feature = "gltf")]
    pub(crate) recover: RecoverOptions,
}

impl From<WriteOptions> for ConvertOptions {
    fn from(write: WriteOptions) -> Self {
        Self { write, ..Self::default() }
    }
}

/// The original into which a conversion to a native format imports edits.
#[cfg(feature = "gltf")]
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum OriginalSource {
    /// No original: every value is converted.
    #[default]
    Nothing,
    /// The original that is embedded in the document, if there is one.
    Embedded,
    /// This one.
    Model(Arc<Original>),
}

#[cfg(feature = "gltf")]
impl From<Original> for OriginalSource {
    fn from(original: Original) -> Self {
        Self::Model(Arc::new(original))
    }
}

/// Another skeleton to move a model to.
#[cfg(feature = "retarget")]
#[derive(Clone, Debug)]
pub struct Retarget {
    pub(crate) onto: Arc<Model>,
    pub(crate) map: Option<meshwright_retarget::MapFile>,
    pub(crate) hold: meshwright_retarget::Hold,
}

#[cfg(feature = "retarget")]
impl Retarget {
    /// Uses the skeleton of a model.
    pub fn new(onto: Model) -> Self {
        Self { onto: Arc::new(onto), map: None, hold: meshwright_retarget::Hold::NOTHING }
    }

    /// Sets which bones correspond, instead of a guess by their names.
    #[must_use]
    pub fn with_map(mut self, map: Option<meshwright_retarget::MapFile>) -> Self {
        self.map = map;
        self
    }

    /// Sets which ends of limbs stay in their places.
    #[must_use]
    pub fn with_hold(mut self, hold: meshwright_retarget::Hold) -> Self {
        self.hold = hold;
        self
    }
}

impl ConvertOptions {
    /// Sets the path that the main file will have, which gives it its name. The materials of an OBJ file refer to
    /// textures on disk relative to it.
    #[must_use]
    pub fn with_output(mut self, output: impl Into<PathBuf>) -> Self {
        let output = output.into();
        let stem = output.file_stem().filter(|stem| *stem != OsStr::new("-"));
        self.write.stem = stem.map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
        self.output = Some(output);
        self
    }

    /// Sets the factor of all lengths. Without it, a scale that a document states is undone in native files.
    #[must_use]
    pub const fn with_scale(mut self, scale: Option<f64>) -> Self {
        self.scale = scale;
        self
    }

    /// Keeps native fields in glTF and OBJ files as extras.
    #[must_use]
    pub fn with_extras(mut self, extras: bool) -> Self {
        self.extras = extras;
        self
    }

    /// Draws meshes that are bounds of joints too.
    #[must_use]
    pub fn with_solids(mut self, solids: bool) -> Self {
        self.solids = solids;
        self
    }

    /// Keeps a skeleton that nothing moves.
    #[must_use]
    pub fn with_skeleton(mut self, keep: bool) -> Self {
        self.keep_skeleton = keep;
        self
    }

    /// Drops vertices that no triangle uses.
    #[must_use]
    pub fn with_pruning(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    /// Adds levels of detail in files next to the model, such as `x_lod1.iqm`.
    #[must_use]
    pub fn with_levels(mut self, join: bool) -> Self {
        self.join_levels = join;
        self
    }

    /// Sets the pose of an OBJ file: a clip by name or number and a frame, as in `walk:3`.
    #[cfg(feature = "rig")]
    #[must_use]
    pub fn with_pose(mut self, pose: Option<String>) -> Self {
        self.pose = pose;
        self
    }

    /// Moves the model to another skeleton.
    #[cfg(feature = "retarget")]
    #[must_use]
    pub fn with_retarget(mut self, retarget: Option<Retarget>) -> Self {
        self.retarget = retarget;
        self
    }

    /// Embeds the native model in a glTF document, so that [`Model::restore`](crate::Model::restore) keeps unedited
    /// parts unchanged.
    #[cfg(feature = "gltf")]
    #[must_use]
    pub const fn with_embedded(mut self, embed: bool) -> Self {
        self.embed = embed;
        self
    }

    /// Sets the original into which edits are imported.
    #[cfg(feature = "gltf")]
    #[must_use]
    pub fn with_original(mut self, original: OriginalSource) -> Self {
        self.original = original;
        self
    }

    /// Sets how edits are found.
    #[cfg(feature = "gltf")]
    #[must_use]
    pub const fn with_recovery(mut self, recover: RecoverOptions) -> Self {
        self.recover = recover;
        self
    }

    /// Returns the factor of all lengths, if it changes anything.
    pub(crate) fn factor(&self) -> Option<f64> {
        self.scale.filter(|factor| *factor != 1.0)
    }

    /// Returns the name of the main file of a target, if it is known.
    pub(crate) fn main_name(&self, stem: &str, extension: &str) -> String {
        match self.output.as_deref().and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!("{stem}.{extension}"),
        }
    }
}
