//! The registry: a row for every format, and a file for each family with its operations. Detection, models of any
//! format, laws, fuzz targets, conformance and the tables of the README follow from it.

mod any_model;
#[cfg(feature = "bmd")]
mod bmd;
#[cfg(feature = "bmd")]
mod bmd_mending;
#[cfg(feature = "tso")]
pub(crate) mod character;
mod companions;
#[cfg(feature = "crucible")]
mod crucible;
#[cfg(feature = "dpm")]
mod darkplaces;
#[cfg(feature = "dump")]
pub(crate) mod dump_part;
#[cfg(all(feature = "dpm", feature = "textures"))]
pub(crate) mod engine_materials;
mod extras;
mod format_facts;
mod format_traits;
#[cfg(feature = "fsomodel")]
mod fsomodel;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "iqm")]
mod iqm;
mod mending;
mod merging;
#[cfg(feature = "tso")]
mod outfits;
#[cfg(feature = "textures")]
mod palette;
mod pictures;
mod scene_files;
mod settings;
#[cfg(feature = "tso")]
pub(crate) mod sims;
#[cfg(all(feature = "gltf", feature = "tso"))]
mod sims_merge;
#[cfg(feature = "dpm")]
mod skins;
mod summary;
mod texture_names;
mod transcribe;
mod write;

use any_model::Operations;
pub use companions::{COMPANION_RULES, ClipNames, CompanionFile, Companions, SourceFile};
pub(crate) use companions::{Origin, SceneSettings};
#[cfg(feature = "tso")]
pub(crate) use companions::{keys as sims_keys, keys_file as sims_keys_file, skeletons as sims_skeletons};
#[cfg(feature = "dpm")]
pub(crate) use darkplaces::{ENGINE_RULES, ENGINE_TEXTURE, frame_clips};
#[cfg(feature = "dump")]
use dump_part::{Dumped, Own};
#[cfg(feature = "dump")]
pub(crate) use extras::extras_of;
pub use format_facts::UnknownFormat;
pub use format_traits::FormatTraits;
#[cfg(any(feature = "bmd", feature = "dpm"))]
pub use format_traits::Optimizer;
#[cfg(feature = "gltf")]
pub(crate) use gltf::exported;
#[cfg(feature = "gltf")]
pub(crate) use merging::FILE_LEFT;
pub use merging::Merging;
pub(crate) use pictures::{beside as pictures_beside, left_out, one_look};
#[cfg(feature = "gltf")]
pub(crate) use pictures::{further_textures, push_picture};
pub use settings::{Dialect, ReadSettings, UnknownDialect};
#[cfg(all(feature = "dpm", feature = "gltf"))]
pub(crate) use skins::{mesh_in_skin, renamed_skin};
pub use summary::Summary;
pub use transcribe::{Transcribed, Transcription};
pub use write::WriteOptions;
pub(crate) use write::invalid_file;

use meshwright_core::description::Description;
use meshwright_core::{
    Companion, Confidence, FileFormat, Finding, Parsed, ReadError, Report, Role, Rule, Setting, WriteError,
};
use meshwright_scene::{ConvertError, Converted, Engine, Extra, Material, OutputFiles, Scene, SceneOptions};
use std::sync::Arc;

/// The scene of a model, with the losses of its conversion.
pub(crate) type SceneResult = Result<Converted<Scene>, ConvertError>;

/// Written files, with the losses of their conversion.
pub(crate) type FilesResult = Result<Converted<OutputFiles>, ConvertError>;

/// The entry of a kind of file in the registry.
pub trait Registered: FileFormat + Into<AnyModel> {
    /// The entry in the registry.
    const FORMAT: Format;

    /// Returns the model if it is of this kind.
    fn from_any(model: &AnyModel) -> Option<&Self>;
}

/// The operations of a format in addition to reading and writing.
pub trait Kind: Registered {
    /// Returns the options of the format for reading a file with some settings, without companion files.
    fn options(settings: &ReadSettings) -> Self::Options {
        settings.read.into()
    }

    /// Converts the model and its companion files to a scene. A mesh without a name in its file gets `name`.
    ///
    /// # Errors
    /// When the model breaks a rule that a lenient reader accepted, when it has nothing to draw, or when the scene
    /// would exceed the limits of the options.
    fn to_scene(&self, _name: &str, _companions: &Companions, _options: &SceneOptions) -> SceneResult {
        Err(ConvertError::unsupported("file", format!("{} holds nothing to draw by itself", Self::TITLE)))
    }

    /// Writes the file, and may free each part of the model after it is written.
    ///
    /// # Errors
    /// As [`to_bytes`](meshwright_core::FileFormat::to_bytes).
    fn into_bytes(self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes()
    }

    /// Like [`to_scene`](Self::to_scene), but may move the meshes out of the model, so that data that
    /// a scene stores in the same form is not copied.
    ///
    /// # Errors
    /// As [`to_scene`](Self::to_scene).
    fn take_scene(&mut self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        Kind::to_scene(self, name, companions, options)
    }

    /// Writes a scene as files of this format; the main file has the stem `stem`.
    ///
    /// # Errors
    /// When the scene breaks its own rules, when the kind can express nothing of it, or when the result would exceed
    /// the limits of the options.
    fn write_scene(_scene: &Scene, _stem: &str, _options: &WriteOptions) -> FilesResult {
        Err(ConvertError::unsupported("file", format!("{} holds nothing of a scene", Self::TITLE)))
    }

    /// Converts the model to another format with the same records, without a scene. It is `None` if no such format
    /// exists, or if the other format needs more data.
    fn transcribe(&self, _work: &Transcription<'_>) -> Transcribed {
        None
    }

    /// Merges the edits of a scene into the model.
    ///
    /// # Errors
    /// When files of this kind cannot be merged, otherwise as [`write_scene`](Self::write_scene).
    #[cfg(feature = "gltf")]
    fn merge(&self, _merging: &Merging<'_>) -> FilesResult {
        Err(ConvertError::unsupported("file", format!("edits cannot be merged into {}", Self::TITLE)))
    }

    /// Returns true if [`write_scene`](Self::write_scene) uses a native field of a part of a scene: one of its
    /// `skeletons`, `meshes`, `nodes`, `materials` or `clips`.
    fn takes(_part: &str, _field: &str, _value: &Extra) -> bool {
        false
    }

    /// Returns the content of the model, in numbers.
    fn summary(&self) -> Summary {
        Summary::default()
    }

    /// Returns a summary of the model and its companions.
    fn summary_with(&self, _companions: &Companions) -> Summary {
        Kind::summary(self)
    }

    /// Checks the model and, if possible, that it fits its companion files.
    fn validate_with(&self, _companions: &Companions) -> Report {
        FileFormat::validate(self)
    }

    /// Reports values that an engine's loader would reject (errors), or read differently (warnings).
    fn validate_for(&self, _engine: Engine) -> Report {
        Report::new()
    }

    /// Reports contradictions between the name of the model's file and its content.
    fn validate_name(&self, _file_name: &str) -> Report {
        Report::new()
    }

    /// Returns the companion file that was read with the model.
    fn attached(&self, _role: Role) -> Option<Result<Vec<u8>, WriteError>> {
        None
    }

    /// Returns the texture name for a material of the model's scene, or `None` for a plain colour.
    fn texture(&self, _material: usize, name: &str) -> Option<String> {
        Some(name.to_owned())
    }

    /// Returns the folder that texture names may include or omit. Empty if the format has no such folder.
    fn texture_folder(&self) -> &'static str {
        ""
    }

    /// Returns the level of detail for a distance of the viewer in metres, for formats with distances.
    fn level_at(&self, _metres: f64) -> Option<usize> {
        None
    }

    /// Returns the files that this file names and needs: paths with slashes below its folder.
    fn references(&self) -> &[String] {
        &[]
    }

    /// Supplies a file that this file names.
    fn supply(&mut self, _name: &str, _bytes: Arc<[u8]>) {}

    /// Completes the checks that need the supplied files.
    ///
    /// # Errors
    /// When a file is missing, or breaks a rule together with this file.
    fn complete(&mut self) -> Result<(), ReadError> {
        Ok(())
    }

    /// Returns the name, with or without extension, by which engines search for the texture of a material. It is `None`
    /// if they search for none, or if [write_scene](Self::write_scene) writes it.
    fn picture(_material: &Material) -> Option<&str> {
        None
    }

    /// The habits of engines and other files with files of this kind.
    const TRAITS: FormatTraits = FormatTraits::NONE;

    /// Returns the ending of the name of a written file, with a dot.
    fn ending(_options: &WriteOptions) -> String {
        format!(".{}", Self::EXTENSIONS.first().unwrap_or(&Self::ID))
    }

    /// The codes of faults that [`repair`](crate::repair) repairs, each with a description.
    const MENDED: &'static [(&'static str, &'static str)] = &[];

    /// Repairs a finding if it is one of [`MENDED`](Self::MENDED). Returns `false` if nothing changed.
    fn mend(&mut self, _finding: &Finding) -> bool {
        false
    }

    /// Repairs a finding that prevents reading the file. Returns `false` if nothing changed.
    fn mend_bytes(_bytes: &mut [u8], _finding: &Finding) -> bool {
        false
    }

    /// The axis of the file that points up, 0 to 2.
    const UP: usize = 1;

    /// The unit of length in metres, if the format has one.
    const METRES: Option<f64> = None;

    /// Generators of models, each with the dialect that reads its files.
    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<Strategy<Self>> {
        Vec::new()
    }
}

/// A generator of models, and the dialect that their files must be read in.
#[cfg(feature = "proptest")]
pub type Strategy<K> = (Option<Dialect>, proptest::strategy::BoxedStrategy<K>);

/// An operation for a format that is known only at run time.
pub trait Visitor {
    /// The type of the result.
    type Output;

    /// Runs the operation for one format.
    fn visit<K: Kind>(self) -> Self::Output;
}

/// The facts about a kind of file that do not need a model: a row of the registry.
struct Row {
    id: &'static str,
    family: &'static str,
    feature: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
    holds_model: bool,
    rules: &'static [&'static Rule],
    up: usize,
    traits: FormatTraits,
    metres: Option<f64>,
    mended: &'static [(&'static str, &'static str)],
    companions: &'static [Companion],
    settings: &'static [Setting],
    description: Description,
    sniff: fn(&[u8]) -> Confidence,
    mend_bytes: fn(&mut [u8], &Finding) -> bool,
    parse: fn(&[u8], &ReadSettings) -> Result<Parsed<AnyModel>, ReadError>,
    picture: fn(&Material) -> Option<&str>,
    takes: fn(&str, &str, &Extra) -> bool,
    ending: fn(&WriteOptions) -> String,
    write_scene: fn(&Scene, &str, &WriteOptions) -> FilesResult,
}

impl Row {
    const fn new<K: Kind>(feature: &'static str, family: &'static str) -> Self {
        Self {
            id: K::ID,
            family,
            feature,
            title: K::TITLE,
            extensions: K::EXTENSIONS,
            holds_model: K::HOLDS_MODEL,
            rules: K::RULES,
            up: K::UP,
            traits: K::TRAITS,
            metres: K::METRES,
            mended: K::MENDED,
            companions: K::COMPANIONS,
            settings: K::SETTINGS,
            description: K::DESCRIPTION,
            sniff: K::sniff,
            mend_bytes: K::mend_bytes,
            parse: parse::<K>,
            picture: K::picture,
            takes: K::takes,
            ending: K::ending,
            write_scene: K::write_scene,
        }
    }
}

fn parse<K: Kind>(bytes: &[u8], settings: &ReadSettings) -> Result<Parsed<AnyModel>, ReadError> {
    let mut options = K::options(settings);
    for (role, bytes) in &settings.attached {
        K::attach(&mut options, *role, Arc::clone(bytes));
    }
    Ok(K::parse_with(bytes, &options)?.map(Into::into))
}

/// Makes the generators of models of a [`Kind`].
#[allow(unused_macros, reason = "a build without formats")]
macro_rules! strategies {
    ($strategy:expr) => {
        #[cfg(feature = "proptest")]
        fn strategies() -> Vec<$crate::formats::Strategy<Self>> {
            use proptest::strategy::Strategy as _;
            vec![(None, $strategy.boxed())]
        }
    };
    (each $dialect:ty: $strategy:expr) => {
        #[cfg(feature = "proptest")]
        fn strategies() -> Vec<$crate::formats::Strategy<Self>> {
            use proptest::strategy::Strategy as _;
            let all = <$dialect>::ALL.into_iter();
            all.map(|dialect| (dialect.name().parse().ok(), $strategy(dialect).boxed())).collect()
        }
    };
}
#[allow(unused_imports, reason = "a build without formats")]
use strategies;

/// Declares [`Format`] and [`AnyModel`], and the few functions that lead from them to a kind of file.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident, $feature:literal, $family:literal, $model:ty;)+) => {
        /// A format that this build reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $(#[cfg(feature = $feature)] $(#[$doc])* $variant,)+
        }

        /// A model of any format.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum AnyModel {
            $(#[cfg(feature = $feature)]
            #[doc = concat!("A [`Format::", stringify!($variant), "`].")]
            $variant(Box<$model>),)+
        }

        $(#[cfg(feature = $feature)]
        impl From<$model> for AnyModel {
            fn from(model: $model) -> Self {
                Self::$variant(Box::new(model))
            }
        }

        #[cfg(feature = $feature)]
        impl Registered for $model {
            const FORMAT: Format = Format::$variant;

            fn from_any(model: &AnyModel) -> Option<&Self> {
                match model {
                    AnyModel::$variant(model) => Some(model),
                    _ => None,
                }
            }
        })+

        /// The registry, in the order of [`Format`].
        const ROWS: &[Row] = &[$(#[cfg(feature = $feature)] Row::new::<$model>($feature, $family)),+];

        impl Format {
            /// All formats of this build.
            pub const ALL: &'static [Self] = &[$(#[cfg(feature = $feature)] Self::$variant),+];

            /// Runs an operation for this format.
            pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
                match self { $(#[cfg(feature = $feature)] Self::$variant => visitor.visit::<$model>(),)+ }
            }
        }

        impl AnyModel {
            fn operations(&self) -> &dyn Operations {
                match *self { $(#[cfg(feature = $feature)] Self::$variant(ref model) => &**model,)+ }
            }

            fn operations_mut(&mut self) -> &mut dyn Operations {
                match *self { $(#[cfg(feature = $feature)] Self::$variant(ref mut model) => &mut **model,)+ }
            }

            /// Returns the model's kind of file.
            pub const fn format(&self) -> Format {
                match *self { $(#[cfg(feature = $feature)] Self::$variant(_) => Format::$variant,)+ }
            }

            /// Returns the format's own part of a dump.
            #[cfg(feature = "dump")]
            pub(crate) fn dump_part<'m>(&'m self, companions: &'m Companions) -> Own<'m> {
                match *self {
                    $(#[cfg(feature = $feature)] Self::$variant(ref m) => Dumped::own_part(&**m, companions),)+
                }
            }
        }
    };
}

kinds! {
    /// BGBTech BMD1.
    Bmd, "bmd", "bmd", meshwright_bmd::Bmd;
    /// A Crucible mesh chunk.
    CrucibleMesh, "crucible", "crucible", meshwright_crucible::Chunk<'static>;
    /// A Crucible container of mesh chunks.
    CrucibleModel, "crucible", "crucible", meshwright_crucible::CModel<'static>;
    /// A Crucible skeleton chunk.
    CrucibleSkeleton, "crucible", "crucible", meshwright_crucible::SkeletonChunk;
    /// DarkPlaces DPM, type 2.
    Dpm, "dpm", "dpm", meshwright_dpm::Dpm;
    /// ZYM, type 1.
    Zym, "dpm", "zym", meshwright_dpm::Zym;
    /// FreeSpace Open's FSOMODEL.
    Fso, "fsomodel", "fso", meshwright_fsomodel::FsoModel<'static>;
    /// An Inter-Quake Model.
    Iqm, "iqm", "iqm", meshwright_iqm::Iqm;
    /// A mesh of The Sims Online.
    TsoMesh, "tso", "tso", meshwright_tso::Mesh;
    /// A skeleton of The Sims Online.
    TsoSkeleton, "tso", "tso-skel", meshwright_tso::Skel;
    /// An animation of The Sims Online.
    TsoAnimation, "tso", "tso-anim", meshwright_tso::Anim;
    /// The link from a mesh of The Sims Online to its texture.
    TsoBinding, "tso", "tso", meshwright_tso::Bnd;
    /// A binary mesh of The Sims 1.
    Bmf, "tso", "tso", meshwright_tso::Bmf;
    /// A mesh of The Sims 1 as text.
    Skn, "tso", "tso", meshwright_tso::Skn;
    /// Skeletons, suits and skills of The Sims 1 in binary.
    Bcf, "tso", "bcf", meshwright_tso::Bcf;
    /// Skeletons, suits and skills of The Sims 1 as text.
    Cmx, "tso", "cmx", meshwright_tso::Cmx;
    /// An appearance of The Sims Online: bindings that are worn together.
    Apr, "tso", "apr", meshwright_tso::Apr;
    /// An outfit of The Sims Online: an appearance for each tone of skin.
    Oft, "tso", "oft", meshwright_tso::Oft;
    /// The hands of The Sims Online.
    Hag, "tso", "hag", meshwright_tso::Hag;
    /// An item for sale in The Sims Online.
    Po, "tso", "po", meshwright_tso::Po;
    /// A collection of what is for sale in The Sims Online.
    Col, "tso", "col", meshwright_tso::Col;
    /// The keys of a skill of The Sims 1.
    Cfp, "tso", "cfp", meshwright_tso::Cfp;
    /// The clips of a DPM or ZYM model.
    FrameGroups, "dpm", "framegroups", meshwright_quake::FrameGroups;
    /// Meshes, materials and nodes of an FSOMODEL file.
    FsoMetadata, "fsomodel", "fso-json", meshwright_fsomodel::Metadata;
    /// glTF 2.0, as GLB or as text.
    Gltf, "gltf", "gltf", meshwright_gltf::GltfFile;
}
