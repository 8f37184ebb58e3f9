//! Input of a format for writing an edited scene into a model.

use super::{Companions, FilesResult, Kind, WriteOptions, invalid_file};
use meshwright_scene::{Converted, OutputFiles, Scene};

/// The note code for a companion file that the edited model does not use. The path is the name of the file.
pub(crate) const FILE_LEFT: &str = "file-left";

/// An edited scene, with the original model's scene and companion files.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Merging<'m> {
    /// The companion files of the model.
    pub companions: &'m Companions,
    /// The scene of the original model. Its meshes may be missing: the patch says what they were.
    pub native: &'m Scene,
    /// The edits.
    #[cfg(feature = "gltf")]
    pub patch: &'m meshwright_edit::Patch,
    /// The scene of the original model with the edits.
    pub recovered: &'m Scene,
    /// The name of the main file.
    pub name: &'m str,
    /// Options for writing scenes.
    pub options: &'m WriteOptions,
}

impl Merging<'_> {
    /// Returns the name of the main file without its extension.
    #[cfg(all(feature = "gltf", feature = "tso"))]
    pub(super) fn stem(&self) -> &str {
        self.name.rsplit_once('.').map_or(self.name, |(stem, _)| stem)
    }

    /// Returns a result of one file.
    ///
    /// # Errors
    /// When the model breaks a rule of its format.
    pub(super) fn single<K: Kind>(&self, made: Converted<K>) -> FilesResult {
        let bytes = made.value.into_bytes().map_err(invalid_file)?;
        Ok(Converted::new(OutputFiles::single(self.name, bytes), made.losses))
    }
}
