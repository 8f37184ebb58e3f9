//! The operations of a model of any format.

use super::{
    AnyModel, Companions, Format, Kind, ReadSettings, SceneResult, Summary, Transcribed, Transcription,
};
#[cfg(feature = "gltf")]
use super::{FilesResult, Merging};
use meshwright_core::{FileFormat, Finding, Parsed, ReadError, Report, Role, WriteError};
use meshwright_scene::{Engine, SceneOptions};
use std::sync::Arc;

/// Makes [`Operations`], which need not know the kind of the model, and the methods of [`AnyModel`] that call them.
macro_rules! operations {
    ($($(#[$attribute:meta])* $visible:vis $name:ident($own:ident $([$mutable:tt])?; $($given:ident: $type:ty),*) $(-> $made:ty)?
        = $from:ident::$of_kind:ident;)+) => {
        /// The operations of a model of any kind.
        pub(super) trait Operations {
            $($(#[$attribute])* fn $name(&$($mutable)? self, $($given: $type),*) $(-> $made)?;)+
        }

        impl<K: Kind> Operations for K {
            $($(#[$attribute])* fn $name(&$($mutable)? $own, $($given: $type),*) $(-> $made)? {
                $from::$of_kind($own, $($given),*)
            })+
        }

        impl AnyModel {
            $($(#[$attribute])* $visible fn $name(&$($mutable)? $own, $($given: $type),*) $(-> $made)? {
                operations!(@ $own $($mutable)?).$name($($given),*)
            })+
        }
    };
    (@ $own:ident) => { $own.operations() };
    (@ $own:ident mut) => { $own.operations_mut() };
}

operations! {
    /// Returns true if the model is incomplete without a companion of this role.
    pub needs(self; role: Role) -> bool = FileFormat::needs;
    /// Returns the content of the model, in numbers.
    pub summary(self;) -> Summary = Kind::summary;
    /// Returns the content of the model with its companions, in numbers.
    pub summary_with(self; companions: &Companions) -> Summary = Kind::summary_with;
    /// Returns the level of detail for a distance of the viewer in metres, or `None` if the file has no distances.
    pub level_at(self; metres: f64) -> Option<usize> = Kind::level_at;
    /// Returns the texture name for a material of the model's scene. A plain colour has none, or an empty one.
    pub(super) own_texture(self; material: usize, name: &str) -> Option<String> = Kind::texture;
    /// Returns the folder that texture names may include or omit. Empty if the format has no such folder.
    pub(crate) texture_folder(self;) -> &'static str = Kind::texture_folder;
    /// Returns the files that the model's file names and needs: paths with slashes below its folder.
    pub references(self;) -> &[String] = Kind::references;
    /// Supplies a file that the model's file names.
    pub supply(self [mut]; name: &str, bytes: Arc<[u8]>) = Kind::supply;
    /// Completes the checks that need the supplied files.
    ///
    /// # Errors
    /// When a file is missing, or breaks a rule together with the model's file.
    pub complete(self [mut];) -> Result<(), ReadError> = Kind::complete;
    /// Repairs a finding. Returns `false` if nothing changed.
    pub(crate) mend(self [mut]; finding: &Finding) -> bool = Kind::mend;
    /// Returns the scene as the model's own kind makes it.
    pub(crate) own_scene(self; name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult = Kind::to_scene;
    /// Like [`own_scene`](Self::own_scene), but may move the meshes out of the model.
    pub(crate) taken_scene(self [mut]; name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult = Kind::take_scene;
    /// Merges the edits of a scene into the model; see [`Kind::merge`].
    #[cfg(feature = "gltf")]
    pub(crate) merge(self; merging: &Merging<'_>) -> FilesResult = Kind::merge;
    /// Converts the model to another format with the same records; see [`Kind::transcribe`].
    pub(crate) transcribe(self; work: &Transcription<'_>) -> Transcribed = Kind::transcribe;
    /// Checks the model and, if possible, that it fits its companion files.
    pub(crate) validate_own(self; companions: &Companions) -> Report = Kind::validate_with;
    /// Reports values that an engine's loader would reject (errors), or read differently (warnings); nothing if the
    /// engine does not read such files.
    pub validate_for(self; engine: Engine) -> Report = Kind::validate_for;
    /// Reports contradictions between the name of the model's file and its content.
    pub validate_name(self; file_name: &str) -> Report = Kind::validate_name;
    /// Returns the companion file that was read with the model.
    pub(crate) attached(self; role: Role) -> Option<Result<Vec<u8>, WriteError>> = Kind::attached;
    /// Checks the model.
    pub validate(self;) -> Report = FileFormat::validate;
    /// Writes the model as a file. An unedited model has the bytes that it was read from.
    ///
    /// # Errors
    /// When the model breaks a rule of the format, or a number does not fit its field.
    pub to_bytes(self;) -> Result<Vec<u8>, WriteError> = FileFormat::to_bytes;
}

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

    /// Returns the texture name for a material of the model's scene, or `None` for a plain colour.
    pub fn texture(&self, material: usize, name: &str) -> Option<String> {
        self.own_texture(material, name).filter(|texture| !texture.is_empty())
    }
}
