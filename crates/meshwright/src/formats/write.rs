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
    #[cfg(feature = "gltf")]
    pub(crate) kept: Option<std::sync::Arc<meshwright_scene::Extra>>,
}

impl WriteOptions {
    /// Sets the name of the main file without its extension. Without it, the name is that of the model or scene.
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

    /// Sets the common options of all formats: limits, levels of detail, names.
    #[must_use]
    pub fn with_shared(mut self, shared: FromSceneOptions) -> Self {
        self.shared = shared;
        self
    }

    /// Sets the engine whose limits are kept where they are narrower than the format's.
    #[must_use]
    pub fn with_engine(mut self, engine: Option<Engine>) -> Self {
        self.shared = self.shared.for_engine(engine);
        self
    }

    /// Sets the dialect of native files.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the order of quaternions in Crucible files.
    #[cfg(feature = "crucible")]
    #[must_use]
    pub fn with_quaternions(mut self, order: meshwright_crucible::QuaternionOrder) -> Self {
        self.quaternions = Some(order);
        self
    }

    /// Sets the number of an outfit of The Sims Online and of the first mesh.
    #[cfg(feature = "tso")]
    #[must_use]
    pub fn with_tso_id(mut self, id: Option<u32>) -> Self {
        self.tso.id = id;
        self
    }

    /// Sets the name of a new outfit of The Sims: of its suit, its skins and its meshes.
    #[cfg(feature = "tso")]
    #[must_use]
    pub fn with_tso_name(mut self, name: Option<String>) -> Self {
        self.tso.name = name;
        self
    }

    /// Sets the number of the hands of an outfit of The Sims Online whose meshes have none.
    #[cfg(feature = "tso")]
    #[must_use]
    pub fn with_tso_hands(mut self, hands: Option<u32>) -> Self {
        self.tso.hands = hands;
        self
    }

    /// Writes the neighbours of triangles in IQM files.
    #[must_use]
    pub fn with_adjacency(mut self, adjacency: bool) -> Self {
        self.adjacency = adjacency;
        self
    }

    /// Writes each clip of an IQM file as a file of its own, as games of Cube 2's family have them.
    #[must_use]
    pub fn with_clip_files(mut self, clip_files: bool) -> Self {
        self.clip_files = clip_files;
        self
    }

    /// Computes tangents for IQM files.
    #[must_use]
    pub fn with_tangents(mut self, tangents: bool) -> Self {
        self.tangents = tangents;
        self
    }

    /// Makes one file: companion files are left out, and an OBJ has no materials.
    #[must_use]
    pub fn with_single(mut self, single: bool) -> Self {
        self.single = single;
        self
    }

    /// Leaves out textures: the search for them, and the files of them next to native files.
    #[must_use]
    pub fn without_textures(mut self, without: bool) -> Self {
        self.without_textures = without;
        self
    }

    /// Sets options for writing glTF; its limits are those of this value.
    #[cfg(feature = "gltf")]
    #[must_use]
    pub const fn with_gltf(mut self, gltf: meshwright_gltf::ExportOptions) -> Self {
        self.gltf = gltf;
        self
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

/// Writes a model as a single file.
pub(super) fn single<K: Kind>(stem: &str, made: Converted<K>) -> FilesResult {
    let invalid_file = |e: WriteError| ConvertError::invalid("file", e.to_string());
    let bytes = made.value.into_bytes().map_err(invalid_file)?;
    let extension = K::EXTENSIONS.first().copied().unwrap_or_default();
    Ok(Converted::new(OutputFiles::single(format!("{stem}.{extension}"), bytes), made.losses))
}
