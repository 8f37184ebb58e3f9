//! ```no_run
//! let model = meshwright::open("models/knight.dpm")?;
//! let glb = model.convert(meshwright::Target::Glb)?;
//! glb.losses().iter().for_each(|loss| println!("{loss}"));
//! glb.write_to("out/")?;
//! # Ok::<(), meshwright::Error>(())
//! ```
//!
//! All of Meshwright's formats in one crate: models with their companion files, detection, conversion between
//! formats, dumps, and the format crates themselves.
//!
//! | what | where |
//! |---|---|
//! | a model with its companion files, from disk, archives or memory | [`open`], [`Opener`] |
//! | checking, converting, restoring, rewriting, playing | [`Model`], [`Converted`] |
//! | many models of a folder or an archive | [`models_in`], [`Finder`] |
//! | a model of any format, from its bytes | [`AnyModel`] |
//! | the format of some bytes, and facts about each format | [`detect`], [`Format`] |
//! | a scene as files of any format | [`convert`] |
//! | an edited scene merged into its original model | [`merge`] |
//! | a native model that was exported as glTF and edited | `Original` |
//! | JSON for comparison with other readers, safe on a terminal | `dump` |
//! | JSON to edit by hand, and back to the same bytes | `native_json` |
//! | one format's own types | `dpm` and its siblings |
//! | skinning and animation, glTF | `rig`, `gltf` |
//! | meshes and clips moved to another skeleton | `retarget` |
//! | renderings without a GPU, a page that plays in a browser | `render`, `textures`, `page` |
//!
//! # Safety contract
//!
//! No unsafe code. Any bytes, under any format, give a model or a [`ReadError`] with kind, code, offset, stream and
//! field path. [`Limits`] bound the memory of one file and the companion that is read with it, 256 MiB by default.
//! Scenes, dumps and exports have a budget each, of the same size by default. Time is linear in input and output,
//! except for sorting and searching names. A message about a file is one line of at most 4 KiB, with control
//! characters escaped.
//!
//! # Features
//!
//! One per format (`dpm`, ...); `rig` for poses, `retarget` for other skeletons, `gltf` for glTF in both directions
//! and for round trips, `output` to write files, `render` for renderings, `page` for pages that play models, `dump` for
//! JSON, `textures` for image files, `packs` for compressed files of packs, `simd` for vector instructions found at run
//! time. All on by default. A user of a single format who needs neither detection nor companions picks that format's
//! crate instead.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
// The common code of all formats has parts that a build with only some of them does not need.
#![cfg_attr(
    not(all(
        feature = "bmd",
        feature = "crucible",
        feature = "dpm",
        feature = "fsomodel",
        feature = "gltf",
        feature = "iqm",
        feature = "tso"
    )),
    allow(
        dead_code,
        unused_imports,
        unused_mut,
        unused_variables,
        unreachable_code,
        unreachable_patterns,
        unreachable_pub,
        irrefutable_let_patterns,
        reason = "a build without every format, or without glTF"
    )
)]

#[cfg(feature = "gltf")]
mod base64;
mod clip_frame;
mod convert;
mod describe;
mod detect;
#[cfg(feature = "rig")]
mod diff;
#[cfg(feature = "dump")]
pub mod dump;
#[cfg(feature = "gltf")]
mod embedded_original;
mod error;
mod explain;
mod foreign;
mod formats;
#[cfg(feature = "page")]
mod html;
mod media_type;
#[cfg(feature = "gltf")]
mod merge;
mod model;
#[cfg(feature = "dump")]
pub mod native_json;
#[cfg(any(feature = "bmd", feature = "dpm"))]
mod optimize;
#[cfg(feature = "output")]
mod output;
#[cfg(feature = "page")]
pub mod page;
#[cfg(any(feature = "render", feature = "textures"))]
mod pixels;
#[cfg(feature = "rig")]
mod player;
mod repair;
#[cfg(feature = "render")]
mod textures;
#[cfg(feature = "render")]
mod thumbnail;
mod to_scene;

pub use clip_frame::{ClipFrame, find_clip};
#[cfg(feature = "gltf")]
pub use convert::OriginalSource;
#[cfg(feature = "retarget")]
pub use convert::Retarget;
pub use convert::{
    Conversion, ConvertOptions, Converted, Route, StreamedFile, Target, UnknownTarget, convert, stream,
};
pub use describe::{
    BoneInfo, ClipInfo, Description, GpuMemory, ImageInfo, MaterialInfo, Memory, MeshInfo, NameSource,
    TextureState,
};
pub use detect::{Detection, SHARED_EXTENSIONS, detect, detect_met};
#[cfg(feature = "rig")]
pub use diff::{Diff, DiffOptions, Difference, diff};
#[cfg(feature = "gltf")]
pub use embedded_original::{
    Keeping, Original, RecoverOptions, Recovered, recovery_document, recovery_lines,
};
pub use error::{Error, ErrorKind};
pub use explain::{Explanation, Notice, NoticeKind, RuleSet, codes, explain};
pub use foreign::{foreign, opened_elsewhere};
#[cfg(feature = "gltf")]
pub use formats::Merging;
#[cfg(any(feature = "bmd", feature = "dpm"))]
pub use formats::Optimizer;
#[cfg(feature = "proptest")]
pub use formats::Strategy;
pub use formats::{
    AnyModel, COMPANION_RULES, ClipNames, CompanionFile, Companions, Dialect, Format, FormatTraits, Kind,
    ReadSettings, Registered, SourceFile, Summary, Transcribed, Transcription, UnknownDialect, UnknownFormat,
    Visitor, WriteOptions,
};
#[cfg(feature = "gltf")]
pub use merge::merge;
#[cfg(feature = "bmd")]
pub use meshwright_bmd as bmd;
pub use meshwright_core::Kind as FaultKind;
pub use meshwright_core::text::{acts_on_terminal, counted, cp1252, printable_json, similar, visible};
pub use meshwright_core::{
    Beside, Budget, Companion, Confidence, ErrorClass, FieldPath, FieldPathBuf, FileFormat, Finding, Limits,
    Order, Parsed, Reaction, ReadError, ReadOptions, Report, Role, Rule, Setting, Severity, Stream,
    Strictness, WriteError,
};
#[cfg(feature = "crucible")]
pub use meshwright_crucible as crucible;
#[cfg(feature = "dpm")]
pub use meshwright_dpm as dpm;
#[cfg(feature = "gltf")]
pub use meshwright_edit as edit;
pub use meshwright_files as files;
#[cfg(feature = "fsomodel")]
pub use meshwright_fsomodel as fsomodel;
#[cfg(feature = "gltf")]
pub use meshwright_gltf as gltf;
#[cfg(feature = "iqm")]
pub use meshwright_iqm as iqm;
#[cfg(feature = "dpm")]
pub use meshwright_quake as quake;
#[cfg(feature = "render")]
pub use meshwright_render as render;
#[cfg(feature = "retarget")]
pub use meshwright_retarget as retarget;
#[cfg(feature = "rig")]
pub use meshwright_rig as rig;
pub use meshwright_scene as scene;
pub use meshwright_scene::Bounds;
#[cfg(feature = "tso")]
pub use meshwright_tso as tso;
pub use model::{
    Finder, FoundModel, FoundModels, Model, NamedFile, Opener, Part, PartRole, PartState, models_in, open,
};
#[cfg(all(feature = "dpm", feature = "textures"))]
pub use model::{Surface, SurfaceStatus, Surfaces};

#[cfg(any(feature = "bmd", feature = "dpm"))]
pub use optimize::{OptimizeOptions, OptimizedFile};
#[cfg(feature = "output")]
pub use output::{place_files, write_files};
#[cfg(feature = "rig")]
pub use player::Player;
pub use repair::{Mended, Remaining, Repaired, repair};
#[cfg(feature = "render")]
pub use textures::textures;
#[cfg(feature = "render")]
pub use thumbnail::thumbnail;

/// The README's example, compiled with the documentation tests.
#[cfg(all(doctest, feature = "dpm"))]
#[doc = include_str!("../README.md")]
struct Readme;
