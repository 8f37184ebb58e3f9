//! Writes scenes as files.

use super::{Dialect, FilesResult, Kind};
use meshwright_core::{SortedMap, WriteError};
use meshwright_scene::{
    ConvertError, Converted, Engine, FromSceneOptions, Limits, Loss, MeshPose, OutputFiles, Scene,
};

/// Options for writing a scene as files.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WriteOptions {
    pub(crate) shared: FromSceneOptions,
    pub(crate) stem: String,
    pub(crate) dialect: Option<Dialect>,
    #[cfg(feature = "crucible")]
    pub(crate) quaternions: Option<meshwright_crucible::QuaternionOrder>,
    /// Options for files of The Sims; the target decides the forms of meshes and records.
    #[cfg(feature = "tso")]
    pub(crate) tso: meshwright_tso::TsoSceneOptions,
    pub(crate) adjacency: bool,
    pub(crate) tangents: bool,
    pub(crate) clip_files: bool,
    pub(crate) single: bool,
    pub(crate) without_textures: bool,
    /// Paths of texture files in OBJ materials, by their [source](meshwright_scene::Image::source): paths with slashes,
    /// relative to the material file. Other textures, and files that readers of OBJ cannot open, are written next to
    /// it.
    pub(crate) texture_files: SortedMap<String, String>,
    /// Positions and normals for every mesh of an OBJ file, instead of those of the bind pose.
    pub(crate) posed: Option<Vec<MeshPose>>,
    #[cfg(feature = "gltf")]
    pub(crate) gltf: meshwright_gltf::ExportOptions,
    /// The original to embed in a glTF document.
    pub(crate) kept: Option<std::sync::Arc<meshwright_scene::Extra>>,
}

impl WriteOptions {
    meshwright_core::setters! {
        /// Sets the name of the main file without its extension. Without it, the name is that of the model or scene.
        with_stem(stem: impl Into<String>): stem;
        /// Sets the limits.
        with_limits(limits: Limits): shared.limits;
        /// Sets the common options of all formats: limits, levels of detail, names.
        with_shared(shared: FromSceneOptions): shared;
    }

    /// Returns true if a file of The Sims gets a name that its model does not have.
    #[cfg(feature = "gltf")]
    pub(crate) const fn is_renamed(&self) -> bool {
        #[cfg(feature = "tso")]
        return self.tso.name.is_some();
        #[cfg(not(feature = "tso"))]
        false
    }

    /// Sets the engine whose limits are kept where they are narrower than the format's.
    #[must_use]
    pub fn with_engine(mut self, engine: Option<Engine>) -> Self {
        self.shared = self.shared.for_engine(engine);
        self
    }

    meshwright_core::setters! {
        /// Sets the dialect of native files.
        with_dialect(dialect: Option<Dialect>): dialect;
        /// Sets the order of quaternions in Crucible files.
        #[cfg(feature = "crucible")]
        with_quaternions(order: meshwright_crucible::QuaternionOrder): quaternions;
        /// Sets the number of an outfit of The Sims Online and of the first mesh.
        #[cfg(feature = "tso")]
        with_tso_id(id: Option<u32>): tso.id;
        /// Sets the name of a new outfit of The Sims: of its suit, its skins and its meshes.
        #[cfg(feature = "tso")]
        with_tso_name(name: Option<String>): tso.name;
        /// Sets the number of the hands of an outfit of The Sims Online whose meshes have none.
        #[cfg(feature = "tso")]
        with_tso_hands(hands: Option<u32>): tso.hands;
        /// Writes the neighbours of triangles in IQM files.
        with_adjacency(adjacency: bool): adjacency;
        /// Writes each clip of an IQM file as a file of its own, as games of Cube 2's family have them.
        with_clip_files(clip_files: bool): clip_files;
        /// Computes tangents for IQM files.
        with_tangents(tangents: bool): tangents;
        /// Makes one file: companion files are left out, and an OBJ has no materials.
        with_single(single: bool): single;
        /// Leaves out textures: the search for them, and the files of them next to native files.
        without_textures(without: bool): without_textures;
        /// Sets options for writing glTF; its limits are those of this value.
        #[cfg(feature = "gltf")]
        with_gltf(gltf: meshwright_gltf::ExportOptions): gltf;
    }

    /// Embeds a [recorded](crate::Model::record) native model in a glTF document.
    #[cfg(feature = "gltf")]
    #[must_use]
    pub fn with_kept(mut self, record: meshwright_scene::Extra) -> Self {
        self.kept = Some(std::sync::Arc::new(record));
        self
    }

    /// Returns whether textures are written next to native files under the names that engines search for.
    pub(crate) fn writes_pictures(&self) -> bool {
        !self.without_textures && !self.single
    }

    /// Combines the shared options with those of a format.
    pub(crate) fn for_format<T>(&self, format: T) -> FromSceneOptions<T> {
        self.shared.clone().with_format(format)
    }

    /// Returns the dialect, if a format knows it.
    #[cfg(any(feature = "crucible", feature = "fsomodel"))]
    pub(crate) fn dialect<T: std::str::FromStr>(&self) -> Option<T> {
        self.dialect?.of_format()
    }
}

/// Returns the loss of a file that holds a skeleton or a clip and no meshes.
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

/// Returns a file that cannot be written.
pub(crate) fn invalid_file(e: WriteError) -> ConvertError {
    ConvertError::invalid("file", e.to_string())
}

/// Writes a model as a single file.
pub(super) fn single<K: Kind>(stem: &str, made: Converted<K>) -> FilesResult {
    let bytes = made.value.into_bytes().map_err(invalid_file)?;
    let extension = K::EXTENSIONS.first().copied().unwrap_or_default();
    Ok(Converted::new(OutputFiles::single(format!("{stem}.{extension}"), bytes), made.losses))
}
