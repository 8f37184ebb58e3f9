//! A scene as files of any format.

mod converted;
mod options;
mod pipeline;
mod relative;
#[cfg(feature = "gltf")]
mod restored;
#[cfg(feature = "tso")]
mod sims_skeleton;
mod streams;
mod wavefront;

pub use converted::{Conversion, Converted, Route};
pub use options::ConvertOptions;
#[cfg(feature = "gltf")]
pub use options::OriginalSource;
#[cfg(feature = "retarget")]
pub use options::Retarget;
pub use streams::StreamedFile;

use crate::formats::{Format, UnknownFormat, WriteOptions};
use meshwright_scene::{ConvertError, Converted as Made, OutputFiles, Scene, SceneOptions};
use std::fmt;
#[cfg(feature = "gltf")]
use std::marker::PhantomData;
use std::path::Path;
use std::str::FromStr;
#[cfg(feature = "gltf")]
use streams::Content;

/// The target formats of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Target {
    /// glTF 2.0 in one file.
    #[cfg(feature = "gltf")]
    Glb,
    /// glTF 2.0 as text, with a buffer file.
    #[cfg(feature = "gltf")]
    Gltf,
    /// A page that plays the model in a browser, with everything inside.
    #[cfg(feature = "page")]
    Html,
    /// Wavefront OBJ with its materials: one pose, without bones.
    Obj,
    /// A format that this build reads.
    Native(Format),
}

/// No [`Target`] has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing is converted to {name:?}; known are {known}", known = known())]
pub struct UnknownTarget {
    /// The name.
    pub name: String,
}

fn known() -> String {
    Target::all().map(Target::id).collect::<Vec<_>>().join(", ")
}

impl From<Format> for Target {
    fn from(format: Format) -> Self {
        match format {
            #[cfg(feature = "gltf")]
            Format::Gltf => Self::Glb,
            format => Self::Native(format),
        }
    }
}

impl Target {
    /// The targets that are not native formats.
    const EXCHANGE: &'static [Self] = &[
        #[cfg(feature = "gltf")]
        Self::Glb,
        #[cfg(feature = "gltf")]
        Self::Gltf,
        #[cfg(feature = "page")]
        Self::Html,
        Self::Obj,
    ];

    /// Returns all targets: exchange formats, then every kind of file that can hold something of a scene.
    pub fn all() -> impl Iterator<Item = Self> {
        let native = Format::ALL.iter().filter(|f| f.holds_model()).map(|f| Self::from(*f));
        let native = native.filter(|target| matches!(target, Self::Native(_)));
        Self::EXCHANGE.iter().copied().chain(native)
    }

    /// Returns all targets that can be named: also an outfit of The Sims Online, whose files need a number.
    pub fn all_named() -> impl Iterator<Item = Self> {
        let numbered = Format::ALL.iter().filter(|format| format.traits().is_numbered);
        Self::all().chain(numbered.map(|format| Self::Native(*format)))
    }

    /// Returns the ending of the name of its main file, with a dot. It includes the number of an outfit.
    pub fn ending(self, options: &WriteOptions) -> String {
        match self {
            Self::Native(format) => format.ending(options),
            _ => format!(".{}", self.extension()),
        }
    }

    /// Returns true for glTF as a binary or as text.
    pub const fn is_gltf(self) -> bool {
        #[cfg(feature = "gltf")]
        return matches!(self, Self::Glb | Self::Gltf);
        #[cfg(not(feature = "gltf"))]
        false
    }

    /// Returns true if the files of this target hold textures, or name them.
    pub const fn holds_textures(self) -> bool {
        !matches!(self, Self::Native(_))
    }

    /// Returns true if engines look for skins next to a file of this target.
    pub fn has_skins(self) -> bool {
        matches!(self, Self::Native(format) if format.traits().has_skins)
    }

    /// Returns the options for converting a model to a scene for this target. For games they include everything that a scene
    /// can hold, because other formats use the same native fields. For viewers, models without motion have no bones.
    pub fn scene_options(self) -> SceneOptions {
        let shown = !matches!(self, Self::Native(_));
        SceneOptions::default().with_extras(!shown).with_static_meshes(shown).with_bind_only(shown)
    }

    /// Returns the short name used on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            #[cfg(feature = "gltf")]
            Self::Glb => "glb",
            #[cfg(feature = "gltf")]
            Self::Gltf => "gltf",
            #[cfg(feature = "page")]
            Self::Html => "html",
            Self::Obj => "obj",
            Self::Native(format) => format.id(),
        }
    }

    /// Returns the extension of its main file.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Native(format) => match format.extensions().first() {
                Some(extension) => extension,
                None => "",
            },
            other => other.id(),
        }
    }

    /// Returns the target that the extension of a path means.
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        Self::from_name(&path.as_ref().file_name()?.to_string_lossy())
    }

    /// Returns the target that the extension of a file name means.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let exchange = Self::EXCHANGE.iter().copied().find(|t| t.id().eq_ignore_ascii_case(extension));
        exchange.or_else(|| Format::from_name(name).map(Self::Native))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        let exchange = Self::EXCHANGE.iter().copied().find(|t| t.id().eq_ignore_ascii_case(name));
        let native = || name.parse().map(Self::Native);
        exchange.map_or_else(native, Ok).map_err(|UnknownFormat(name)| UnknownTarget { name })
    }
}

/// Returns a scene as the files of a target: the main one first. What they do not hold is among the losses.
///
/// # Errors
/// When the scene breaks its own rules, when the target can express nothing of it, or when the result would take more
/// than the limits allow.
pub fn convert(
    scene: &Scene,
    target: impl Into<Target>,
    options: &WriteOptions,
) -> Result<Made<OutputFiles>, ConvertError> {
    let done = stream(scene, target, options)?;
    Ok(done.map(|files| {
        let mut all = OutputFiles::default();
        for mut file in files {
            all.push(std::mem::take(&mut file.name), file.into_bytes());
        }
        all
    }))
}

/// Does the same as [`convert`], but the files are streamed: arrays that a glTF stores like the scene are not copied
/// to memory first.
///
/// # Errors
/// As [`convert`]; whatever can be refused is before the first byte is written.
pub fn stream<'s>(
    scene: &'s Scene,
    target: impl Into<Target>,
    options: &WriteOptions,
) -> Result<Made<Vec<StreamedFile<'s>>>, ConvertError> {
    let named = [options.stem.as_str(), scene.name.as_str()].into_iter().find(|name| !name.is_empty());
    let stem = named.unwrap_or("model");
    let in_memory = |done: Made<OutputFiles>| done.map(|files| files.into_iter().map(Into::into).collect());
    match target.into() {
        #[cfg(feature = "gltf")]
        Target::Glb => crate::formats::exported(scene, options).map(|done| {
            done.map(|gltf| vec![StreamedFile::new(format!("{stem}.glb"), Content::Glb(gltf.into()))])
        }),
        #[cfg(feature = "gltf")]
        Target::Gltf => gltf(scene, stem, options),
        #[cfg(feature = "page")]
        Target::Html => html(scene, stem, options).map(in_memory),
        Target::Obj => wavefront::files(scene, stem, options).map(|mut made| {
            crate::formats::one_look(scene, false, false, &mut made.losses);
            in_memory(made)
        }),
        Target::Native(format) => format.write_scene(scene, stem, options).map(in_memory),
    }
}

/// Returns a page with the scene's GLB inside: all influences of a vertex, and closed loops.
#[cfg(feature = "page")]
fn html(scene: &Scene, stem: &str, options: &WriteOptions) -> Result<Made<OutputFiles>, ConvertError> {
    let mut own = options.clone();
    own.gltf = own.gltf.with_influences(meshwright_gltf::Influences::All).with_close_loops(true);
    let done = convert(scene, Target::Glb, &own)?;
    let glb = done.value.into_iter().next().map(|file| file.bytes).unwrap_or_default();
    // As text it is four thirds as long, and there twice while the page is made.
    meshwright_scene::Budget::new(options.shared.limits).charge_items("page", glb.len() as u64, 3)?;
    let page = crate::html::for_scene(scene, &glb);
    Ok(Made::new(OutputFiles::single(format!("{stem}.html"), page), done.losses))
}

/// The maximum length of a stem in bytes, because most systems allow names of 255 bytes.
#[cfg(feature = "gltf")]
const LONGEST_STEM: usize = 200;

/// Writes a `.gltf` and its buffer. Two files cannot appear at the same time: so the buffer is named after its content
/// and never replaces the buffer of another `.gltf`.
#[cfg(feature = "gltf")]
fn gltf<'s>(
    scene: &'s Scene,
    stem: &str,
    options: &WriteOptions,
) -> Result<Made<Vec<StreamedFile<'s>>>, ConvertError> {
    use sha2::{Digest as _, Sha256};
    /// Hashes the bytes that are written.
    struct Hash(Sha256);
    impl std::io::Write for Hash {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let done = crate::formats::exported(scene, options)?;
    let mut hash = Hash(Sha256::new());
    // Hashing does not fail.
    let _ = done.value.write_buffer(&mut hash);
    // Half of the hash is enough, and leaves a name that can be read.
    let hash = hash.0.finalize().iter().take(16).fold(0_u128, |hash, b| hash << 8 | u128::from(*b));
    // It is longer than the stem, which may be as long as names can be.
    let cut = (0..=LONGEST_STEM.min(stem.len())).rev().find_map(|at| stem.split_at_checked(at));
    let buffer = format!("{}.{hash:032x}.bin", cut.map_or("", |parts| parts.0));
    let json = done.value.to_json(&buffer);
    let mut files = vec![StreamedFile::new(format!("{stem}.gltf"), Content::Bytes(json, PhantomData))];
    if done.value.buffer_len() > 0 {
        files.push(StreamedFile::new(buffer, Content::Buffer(done.value.into())));
    }
    Ok(Made::new(files, done.losses))
}
