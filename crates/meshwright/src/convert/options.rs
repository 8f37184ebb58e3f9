//! Options for converting models.

use super::Target;
#[cfg(feature = "gltf")]
use crate::embedded_original::{Original, RecoverOptions};
use crate::error::{Error, ErrorKind};
use crate::formats::WriteOptions;
#[cfg(feature = "retarget")]
use crate::model::Model;
use meshwright_core::text::visible;
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
    pub(crate) pose: Option<String>,
    #[cfg(feature = "retarget")]
    pub(crate) retarget: Option<Retarget>,
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

    meshwright_core::setters! {
        /// Sets which bones correspond, instead of a guess by their names.
        with_map(map: Option<meshwright_retarget::MapFile>): map;
        /// Sets which ends of limbs stay in their places.
        with_hold(hold: meshwright_retarget::Hold): hold;
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

    meshwright_core::setters! {
        /// Sets the factor of all lengths. Without it, a scale that a document states is undone in native files.
        with_scale(scale: Option<f64>): scale;
        /// Keeps native fields in glTF and OBJ files as extras.
        with_extras(extras: bool): extras;
        /// Draws meshes that are bounds of joints too.
        with_solids(solids: bool): solids;
        /// Keeps a skeleton that nothing moves.
        with_skeleton(keep: bool): keep_skeleton;
        /// Drops vertices that no triangle uses.
        with_pruning(prune: bool): prune;
        /// Adds levels of detail in files next to the model, such as `x_lod1.iqm`.
        with_levels(join: bool): join_levels;
        /// Sets the pose of an OBJ file: a clip by name or number and a frame, as in `walk:3`.
        #[cfg(feature = "rig")]
        with_pose(pose: Option<String>): pose;
        /// Moves the model to another skeleton.
        #[cfg(feature = "retarget")]
        with_retarget(retarget: Option<Retarget>): retarget;
        /// Embeds the native model in a glTF document, so that [`Model::restore`](crate::Model::restore) keeps unedited
        /// parts unchanged.
        #[cfg(feature = "gltf")]
        with_embedded(embed: bool): embed;
        /// Sets the original into which edits are imported.
        #[cfg(feature = "gltf")]
        with_original(original: OriginalSource): original;
        /// Sets how edits are found.
        #[cfg(feature = "gltf")]
        with_recovery(recover: RecoverOptions): recover;
    }

    /// Returns the factor of all lengths, if it changes anything.
    pub(crate) fn factor(&self) -> Option<f64> {
        self.scale.filter(|factor| *factor != 1.0)
    }

    /// Checks that the name of the output has the number that its target needs.
    pub(super) fn check_number(&self, target: Target) -> Result<(), Error> {
        #[cfg(feature = "tso")]
        if let Some(output) = self.output.as_deref().filter(|output| *output != Path::new("-")) {
            let ending = target.ending(&self.write);
            let is_numbered = ending.len() > target.extension().len().saturating_add(1);
            if is_numbered && meshwright_tso::ResourceId::from_file_name(&output.to_string_lossy()).is_none()
            {
                let (shown, named) =
                    (output.display(), output.with_extension(ending.trim_start_matches('.')));
                let why = format!("{shown}: the game finds the file by its number: -o {}", named.display());
                return Err(Error::new(ErrorKind::Invalid, "usage", visible(&why)));
            }
        }
        Ok(())
    }

    /// Returns the name of the main file of a target, if it is known.
    pub(crate) fn main_name(&self, stem: &str, extension: &str) -> String {
        match self.output.as_deref().and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!("{stem}.{extension}"),
        }
    }
}
