//! A scene as files of any format.

use crate::kinds::{Format, UnknownFormat};
use meshwright_scene::obj::{self, ObjOptions};
use meshwright_scene::{ConvertError, Converted, FromSceneOptions, Limits, MeshPose, OutputFiles, Scene};
use std::fmt;
use std::str::FromStr;

/// What a scene can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Target {
    /// glTF 2.0 in one file.
    #[cfg(feature = "gltf")]
    Glb,
    /// glTF 2.0 as text with a buffer beside it.
    #[cfg(feature = "gltf")]
    Gltf,
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
    Target::all().map(|target| target.id()).collect::<Vec<_>>().join(", ")
}

impl From<Format> for Target {
    fn from(format: Format) -> Self {
        Self::Native(format)
    }
}

impl Target {
    /// The targets that are no native formats.
    const EXCHANGE: &'static [Self] = &[
        #[cfg(feature = "gltf")]
        Self::Glb,
        #[cfg(feature = "gltf")]
        Self::Gltf,
        Self::Obj,
    ];

    /// All targets: exchange formats, then every kind of file that can hold something of a scene.
    pub fn all() -> impl Iterator<Item = Self> {
        let native = Format::ALL.iter().filter(|f| f.holds_model()).map(|f| Self::Native(*f));
        Self::EXCHANGE.iter().copied().chain(native)
    }

    /// The short name used on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            #[cfg(feature = "gltf")]
            Self::Glb => "glb",
            #[cfg(feature = "gltf")]
            Self::Gltf => "gltf",
            Self::Obj => "obj",
            Self::Native(format) => format.id(),
        }
    }

    /// The extension of its main file.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Native(format) => match format.extensions().first() {
                Some(extension) => extension,
                None => "",
            },
            other => other.id(),
        }
    }

    /// The target that the extension of a file name means.
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

/// How a scene is written.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// What all formats share: limits, levels of detail, names.
    pub shared: FromSceneOptions,
    /// The name of the main file without its extension; empty for the scene's name.
    pub stem: String,
    /// Choices by name that the target has, such as `dialect`; it leaves others out of account.
    pub settings: Vec<(String, String)>,
    /// The result is one file: an OBJ without its materials.
    pub single: bool,
    /// For OBJ: other positions and normals for every mesh than those of the bind pose.
    pub posed: Option<Vec<MeshPose>>,
    /// How glTF is written; its limit is that of the shared options.
    #[cfg(feature = "gltf")]
    pub gltf: meshwright_gltf::ExportOptions,
}

impl WriteOptions {
    /// The same options with a name for the main file.
    #[must_use]
    pub fn with_stem(mut self, stem: impl Into<String>) -> Self {
        self.stem = stem.into();
        self
    }

    /// The same options with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.shared.limits = limits;
        self
    }

    /// The same options with a choice.
    #[must_use]
    pub fn with(mut self, setting: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.push((setting.into(), value.into()));
        self
    }

    /// The value of a setting that was chosen last, where the target knows it.
    #[cfg(any(feature = "crucible", feature = "fsomodel"))]
    fn setting<T: FromStr>(&self, name: &str) -> Option<T> {
        self.settings.iter().rev().find(|(n, _)| n == name).and_then(|(_, value)| value.parse().ok())
    }

    fn of<T>(&self, format: T) -> FromSceneOptions<T> {
        self.shared.clone().with_format(format)
    }
}

/// A scene as the files of a target: the main one first. What they do not hold is among the losses.
///
/// # Errors
/// When the scene breaks its own rules, when the target can express nothing of it, or when the result would take more
/// than the limits allow.
pub fn convert(
    scene: &Scene,
    target: impl Into<Target>,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let named = [options.stem.as_str(), scene.name.as_str()].into_iter().find(|name| !name.is_empty());
    let stem = named.unwrap_or("model");
    match target.into() {
        #[cfg(feature = "gltf")]
        Target::Glb => exported(scene, options)
            .map(|done| done.map(|gltf| OutputFiles::single(format!("{stem}.glb"), gltf.into_glb()))),
        #[cfg(feature = "gltf")]
        Target::Gltf => gltf(scene, stem, options),
        Target::Obj => wavefront(scene, stem, options),
        Target::Native(format) => native(scene, format, stem, options),
    }
}

#[cfg(feature = "gltf")]
fn exported(scene: &Scene, options: &WriteOptions) -> Result<Converted<meshwright_gltf::Gltf>, ConvertError> {
    meshwright_gltf::export(scene, &options.gltf.with_memory(options.shared.limits.memory))
}

/// Two files cannot appear at one moment. So that every `.gltf` that is ever seen has its own buffer, that is named
/// after its content and never takes the place of another.
#[cfg(feature = "gltf")]
fn gltf(scene: &Scene, stem: &str, options: &WriteOptions) -> Result<Converted<OutputFiles>, ConvertError> {
    use sha2::{Digest as _, Sha256};
    let done = exported(scene, options)?;
    // Half of the hash is enough, and leaves a name that can be read.
    let digest = Sha256::digest(done.value.buffer());
    let hash = digest.iter().take(16).fold(0_u128, |hash, b| hash << 8 | u128::from(*b));
    let buffer = format!("{stem}.{hash:032x}.bin");
    let (json, bin) = done.value.to_gltf(&buffer)?;
    let mut files = OutputFiles::single(format!("{stem}.gltf"), json);
    if !bin.is_empty() {
        files.push(buffer, bin);
    }
    Ok(Converted::new(files, done.losses))
}

fn wavefront(
    scene: &Scene,
    stem: &str,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let own =
        if options.single { ObjOptions::default() } else { ObjOptions::with_mtl(&format!("{stem}.mtl")) };
    let materials = own.mtl_name.clone();
    let own = own.with_memory(options.shared.limits.memory);
    let written = obj::write(scene, options.posed.as_deref(), &own)?;
    let mut files = OutputFiles::single(format!("{stem}.obj"), written.value.obj.into_bytes());
    if !options.single {
        files.push(materials, written.value.mtl.into_bytes());
    }
    Ok(Converted::new(files, written.losses))
}

fn native(
    scene: &Scene,
    format: Format,
    stem: &str,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    match format {
        #[cfg(feature = "bmd")]
        Format::Bmd => {
            let made = meshwright_bmd::Bmd::from_scene(scene, &options.of(Default::default()))?;
            single(stem, format, made.map(|model| model.to_bytes()))
        }
        #[cfg(feature = "crucible")]
        Format::CrucibleMesh | Format::CrucibleModel | Format::CrucibleSkeleton => {
            crucible(scene, format, stem, options)
        }
        #[cfg(feature = "dpm")]
        Format::Dpm | Format::Zym => darkplaces(scene, format, stem, options),
        #[cfg(feature = "fsomodel")]
        Format::Fso => {
            use meshwright_fsomodel::{FsoSceneOptions, write_scene};
            let own = options.setting("dialect").map_or_else(FsoSceneOptions::default, FsoSceneOptions::of);
            write_scene(scene, stem, &options.of(own))
        }
        #[cfg(feature = "tso")]
        Format::TsoMesh | Format::TsoSkeleton | Format::TsoAnimation | Format::Bmf | Format::Skn => {
            sims(scene, format, stem, options)
        }
        other => {
            let message = format!("{} holds nothing of a scene", other.title());
            Err(ConvertError::unsupported("file", message))
        }
    }
}

/// A model that is one file.
#[cfg(any(feature = "bmd", feature = "dpm", feature = "tso"))]
fn single(
    stem: &str,
    format: Format,
    made: Converted<Result<Vec<u8>, meshwright_core::WriteError>>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let bytes = made.value.map_err(|e| ConvertError::invalid("file", e.to_string()))?;
    let name = format!("{stem}.{}", Target::Native(format).extension());
    Ok(Converted::new(OutputFiles::single(name, bytes), made.losses))
}

#[cfg(feature = "crucible")]
fn crucible(
    scene: &Scene,
    format: Format,
    stem: &str,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    use meshwright_crucible::{CrucibleFile, CrucibleTarget, write_scene};
    let file = match format {
        Format::CrucibleMesh => CrucibleFile::Chunk,
        Format::CrucibleSkeleton => CrucibleFile::Skeleton,
        _ => CrucibleFile::Model,
    };
    let mut own = CrucibleTarget::default().with_file(file);
    own.dialect = options.setting("dialect").unwrap_or(own.dialect);
    own.quaternions = options.setting("quaternions").unwrap_or(own.quaternions);
    write_scene(scene, stem, &options.of(own))
}

/// The clips go into a text beside the model.
#[cfg(feature = "dpm")]
fn darkplaces(
    scene: &Scene,
    format: Format,
    stem: &str,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    use meshwright_dpm::{FrameClip, Zym, write_scene};
    use meshwright_quake::{ClipRange, FrameGroups};
    if format == Format::Zym {
        let made = Zym::from_scene(scene, &options.of(()))?;
        return single(stem, format, made.map(|model| model.to_bytes()));
    }
    let made = write_scene(scene, &options.of(()))?;
    let clips = made.value.clips;
    let mut done = single(stem, format, Converted::new(made.value.model.to_bytes(), made.losses))?;
    if !clips.is_empty() {
        let range =
            |FrameClip { name, start, length, fps, looping }| ClipRange { name, start, length, fps, looping };
        let text = FrameGroups::from_clips(clips.into_iter().map(range)).to_bytes();
        let text = text.map_err(|e| ConvertError::invalid("clips", e.to_string()))?;
        done.value.push(format!("{stem}.dpm.framegroups"), text);
    }
    Ok(done)
}

#[cfg(feature = "tso")]
fn sims(
    scene: &Scene,
    format: Format,
    stem: &str,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    use meshwright_tso::{Anim, MeshForm, Skel, TsoSceneOptions, write_scene};
    let of = |form| options.of(TsoSceneOptions::default().with_meshes(form));
    match format {
        Format::TsoSkeleton => {
            let made = Skel::from_scene(scene, &of(MeshForm::Mesh))?;
            single(stem, format, made.map(|model| model.to_bytes()))
        }
        Format::TsoAnimation => {
            let made = Anim::from_scene(scene, &of(MeshForm::Mesh))?;
            single(stem, format, made.map(|model| model.to_bytes()))
        }
        Format::Bmf => write_scene(scene, stem, &of(MeshForm::Bmf)),
        Format::Skn => write_scene(scene, stem, &of(MeshForm::Skn)),
        _ => write_scene(scene, stem, &of(MeshForm::Mesh)),
    }
}
