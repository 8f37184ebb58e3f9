//! What a kind of file needs to write an edited scene into a model.

use super::{Companions, Kind, WriteOptions};
use meshwright_core::WriteError;
use meshwright_scene::{ConvertError, Converted, OutputFiles, Scene};

/// An edited scene, and what belongs to the model that it came from.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Merging<'m> {
    /// What belongs to the model.
    pub companions: &'m Companions,
    /// The scene that the model gives.
    pub native: &'m Scene,
    /// What was edited.
    #[cfg(feature = "gltf")]
    pub patch: &'m meshwright_edit::Patch,
    /// That scene with its edits.
    pub recovered: &'m Scene,
    /// The name of the main file.
    pub name: &'m str,
    /// How scenes are written.
    pub options: &'m WriteOptions,
}

impl Merging<'_> {
    /// A result of one file.
    ///
    /// # Errors
    /// When the model breaks a rule of its format.
    pub(super) fn single<K: Kind>(&self, made: Converted<K>) -> Result<Converted<OutputFiles>, ConvertError> {
        let bytes = made.value.to_bytes().map_err(refused)?;
        Ok(Converted::new(OutputFiles::single(self.name, bytes), made.losses))
    }
}

/// A file that cannot be written.
pub(super) fn refused(e: WriteError) -> ConvertError {
    ConvertError::invalid("file", e.to_string())
}
