//! Writes scenes as files.

use super::Kind;
use meshwright_core::WriteError;
use meshwright_scene::{
    ConvertError, Converted, FromSceneOptions, Limits, Loss, MeshPose, OutputFiles, Scene,
};
use std::collections::BTreeMap;

/// Options for writing a scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The common options of all formats: limits, levels of detail, names.
    pub shared: FromSceneOptions,
    /// The name of the main file without its extension; empty for the scene's name.
    pub stem: String,
    /// The factor of all lengths, for a whole [asset](crate::Model::convert). Without it, a scale that a document
    /// states is undone in native files.
    pub scale: Option<f64>,
    /// Settings of the target by name, such as `dialect`. The target ignores unknown settings.
    pub settings: Vec<(String, String)>,
    /// The result is one file: an OBJ without its materials.
    pub single: bool,
    /// Do not write textures next to native files under the names that engines search for.
    pub without_pictures: bool,
    /// Paths of texture files in OBJ materials, by their [source](meshwright_scene::Image::source): paths with slashes,
    /// relative to the material file. Other textures, and files that readers of OBJ cannot open, are written next to
    /// it.
    pub texture_files: BTreeMap<String, String>,
    /// Positions and normals for every mesh of an OBJ file, instead of those of the bind pose.
    pub posed: Option<Vec<MeshPose>>,
    /// The existing skeleton of the game for files of The Sims, which is not written; see `TsoSceneOptions::made_for`.
    #[cfg(feature = "tso")]
    pub made_for: Option<meshwright_tso::Skel>,
    /// Options for writing glTF; its limit is that of the shared options.
    #[cfg(feature = "gltf")]
    pub gltf: meshwright_gltf::ExportOptions,
    /// A [native model](crate::Model::record) to embed in a glTF document, so that an import restores unedited parts
    /// unchanged.
    #[cfg(feature = "gltf")]
    pub kept: Option<std::sync::Arc<meshwright_scene::Extra>>,
}

impl WriteOptions {
    /// Sets the name of the main file without its extension.
    #[must_use]
    pub fn with_stem(mut self, stem: impl Into<String>) -> Self {
        self.stem = stem.into();
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.shared.limits = limits;
        self
    }

    /// Sets the factor of all lengths.
    #[must_use]
    pub const fn with_scale(mut self, scale: Option<f64>) -> Self {
        self.scale = scale;
        self
    }

    /// Adds a setting.
    #[must_use]
    pub fn with_setting(mut self, setting: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.push((setting.into(), value.into()));
        self
    }

    /// Sets the native model to embed.
    #[cfg(feature = "gltf")]
    #[must_use]
    pub fn with_kept(mut self, record: meshwright_scene::Extra) -> Self {
        self.kept = Some(std::sync::Arc::new(record));
        self
    }

    /// Returns the last value of a setting, if the target knows it.
    #[cfg(any(feature = "crucible", feature = "fsomodel", feature = "tso"))]
    pub(crate) fn setting<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.settings.iter().rev().find(|(n, _)| n == name).and_then(|(_, value)| value.parse().ok())
    }

    /// Combines the shared options with those of a format.
    pub(crate) fn for_format<T>(&self, format: T) -> FromSceneOptions<T> {
        self.shared.clone().with_format(format)
    }
}

/// The loss of a file that holds a skeleton or a clip and no meshes.
///
/// # Errors
/// If the scene has no skeleton, or if `moved` and it has no clip.
#[cfg(any(feature = "crucible", feature = "tso"))]
pub(super) fn bare(scene: &Scene, moved: bool) -> Result<Option<Loss>, ConvertError> {
    if scene.skeletons.is_empty() {
        return Err(ConvertError::unsupported("skeletons", "there is none"));
    }
    if moved && scene.clips.is_empty() {
        return Err(ConvertError::unsupported("clips", "there is none"));
    }
    let message = "the file holds no meshes";
    let loss =
        Loss::new("meshes-dropped", "meshes", message).with_count(scene.meshes.len(), "mesh", "meshes");
    Ok(Some(loss).filter(|loss| loss.count > 0))
}

/// Writes a model as a single file.
pub(super) fn single<K: Kind>(
    stem: &str,
    made: Converted<K>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let invalid_file = |e: WriteError| ConvertError::invalid("file", e.to_string());
    let bytes = made.value.to_bytes().map_err(invalid_file)?;
    let extension = K::EXTENSIONS.first().copied().unwrap_or_default();
    Ok(Converted::new(OutputFiles::single(format!("{stem}.{extension}"), bytes), made.losses))
}
