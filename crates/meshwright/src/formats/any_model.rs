//! The operations of a model of any format.

#[cfg(feature = "gltf")]
use super::Merging;
use super::{AnyModel, Companions, Format, ReadSettings, Summary, Transcribed, Transcription};
use meshwright_core::{Finding, Parsed, ReadError, Report, Role, WriteError};
#[cfg(feature = "gltf")]
use meshwright_scene::OutputFiles;
use meshwright_scene::{ConvertError, Converted, Engine, Scene, SceneOptions};
use std::sync::Arc;

impl AnyModel {
    /// Reads a file of a known kind.
    ///
    /// # Errors
    /// When the file breaks a rule that the settings do not pass over, or would take more memory than they allow.
    pub fn parse_with(
        bytes: &[u8],
        format: Format,
        settings: &ReadSettings,
    ) -> Result<Parsed<Self>, ReadError> {
        (format.row().parse)(bytes, settings)
    }

    pub(crate) fn mend(&mut self, finding: &Finding) -> bool {
        self.operations_mut().mend(finding)
    }

    /// Returns true if the model is incomplete without a companion of this role.
    pub fn needs(&self, role: Role) -> bool {
        self.operations().needs(role)
    }

    /// Returns the content of the model, in numbers.
    pub fn summary(&self) -> Summary {
        self.operations().summary()
    }

    /// Returns the content of the model with its companions, in numbers.
    pub fn summary_with(&self, companions: &Companions) -> Summary {
        self.operations().summary_with(companions)
    }

    /// Returns the level of detail for a distance of the viewer in metres, or `None` if the file has no distances.
    pub fn level_at(&self, metres: f64) -> Option<usize> {
        self.operations().level_at(metres)
    }

    /// Returns the texture name for a material of the model's scene, or `None` for a plain colour.
    pub fn texture(&self, material: usize, name: &str) -> Option<String> {
        self.operations().texture(material, name).filter(|texture| !texture.is_empty())
    }

    /// Returns the folder that texture names may include or omit. Empty if the format has no such folder.
    pub(crate) fn texture_folder(&self) -> &'static str {
        self.operations().texture_folder()
    }

    /// Returns the files that the model's file names and needs: paths with slashes below its folder.
    pub fn references(&self) -> &[String] {
        self.operations().references()
    }

    /// Supplies a file that the model's file names.
    pub fn supply(&mut self, name: &str, bytes: Arc<[u8]>) {
        self.operations_mut().supply(name, bytes);
    }

    /// Completes the checks that need the supplied files.
    ///
    /// # Errors
    /// When a file is missing, or breaks a rule together with the model's file.
    pub fn complete(&mut self) -> Result<(), ReadError> {
        self.operations_mut().complete()
    }

    /// Returns the scene as the model's own kind makes it.
    pub(crate) fn own_scene(
        &self,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        self.operations().to_scene(name, companions, options)
    }

    /// Like [`own_scene`](Self::own_scene), but may move the meshes out of the model.
    pub(crate) fn taken_scene(
        &mut self,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        self.operations_mut().take_scene(name, companions, options)
    }

    /// Merges the edits of a scene into the model; see [`Kind::merge`].
    #[cfg(feature = "gltf")]
    pub(crate) fn merge(&self, merging: &Merging<'_>) -> Result<Converted<OutputFiles>, ConvertError> {
        self.operations().merge(merging)
    }

    /// Converts the model to another format with the same records; see [`Kind::transcribe`].
    pub(crate) fn transcribe(&self, work: &Transcription<'_>) -> Transcribed {
        self.operations().transcribe(work)
    }

    /// Checks the model and, if possible, that it fits its companion files.
    pub(crate) fn validate_own(&self, companions: &Companions) -> Report {
        self.operations().validate_with(companions)
    }

    /// Reports values that an engine's loader would reject (errors), or read differently (warnings); nothing if the
    /// engine does not read such files.
    pub fn validate_for(&self, engine: Engine) -> Report {
        self.operations().validate_for(engine)
    }

    /// Reports contradictions between the name of the model's file and its content.
    pub fn validate_name(&self, file_name: &str) -> Report {
        self.operations().validate_name(file_name)
    }

    /// Returns the companion file that was read with the model.
    pub(crate) fn attached(&self, role: Role) -> Option<Result<Vec<u8>, WriteError>> {
        self.operations().attached(role)
    }

    /// Checks the model.
    pub fn validate(&self) -> Report {
        self.operations().validate()
    }

    /// Writes the model as a file. An unedited model has the bytes that it was read from.
    ///
    /// # Errors
    /// When the model breaks a rule of the format, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.operations().to_bytes()
    }
}
