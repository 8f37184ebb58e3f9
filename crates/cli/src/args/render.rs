//! `render`.

use super::shared::{CompanionArgs, ManyArgs, OutputFormat, ReadArgs};
use super::values::{parse_colour, parse_pixels};
use clap::{Args, ValueEnum};
use meshwright::render::Camera;
use std::ffi::OsString;
use std::path::PathBuf;

/// The look of surfaces in a rendering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewArg {
    /// Their materials in light
    #[default]
    Lit,
    /// Their materials as they are
    Unlit,
    /// Where they face, as colours
    Normals,
    /// Their texture coordinates
    Uv,
}

/// Overlays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverlayArg {
    /// Lines between joints
    Bones,
    /// The names of joints
    Names,
    /// The edges of triangles
    Wireframe,
    /// The normals of vertices
    Normals,
    /// The box around the model
    Bounds,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Files or folders, - for standard input. Several files of The Sims (.mesh, .skel, .anim, .oft) with one
    /// output file become one figure
    #[arg(required_unless_present = "files_from")]
    pub files: Vec<OsString>,
    /// A .png file, a folder (existing, or ending in /, or for several inputs without an extension), or - for standard output
    #[arg(long, short, value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// From where: front, side, back, three-quarter, or degrees around the model to its left and above it: 120,20; a third
    /// number draws it larger
    #[arg(long, value_name = "CAMERA", default_value = "three-quarter", allow_hyphen_values = true)]
    pub camera: Camera,
    /// The pose CLIP:FRAME, by number or name; `:FRAME` is a frame of the file. The rest pose by default
    #[arg(long, value_name = "CLIP:FRAME", conflicts_with = "clip")]
    pub frame: Option<String>,
    /// All frames of a clip, by number or name, as an animated PNG
    #[arg(long, value_name = "CLIP")]
    pub clip: Option<String>,
    /// This many pictures from all around, as an animated PNG; with a clip the camera goes around once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub turntable: Option<u32>,
    /// This many pictures of the clip, or from all around, side by side instead of an animation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub strip: Option<u32>,
    /// One picture of all inputs, each with its name below it
    #[arg(long, conflicts_with_all = ["clip", "turntable", "strip"])]
    pub sheet: bool,
    /// Pixels, as in 512 or 640x480; of each picture where there are several. 512 by default, 160 on a sheet, less on
    /// one of very many
    #[arg(long, value_name = "SIZE", value_parser = parse_pixels)]
    pub size: Option<(u32, u32)>,
    /// The colour behind the model, #rrggbb or #rrggbbaa, or none. A grey by default
    #[arg(long, value_name = "COLOUR", value_parser = parse_colour)]
    pub background: Option<[u8; 4]>,
    /// The look of surfaces
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewArg,
    /// Overlay; repeatable
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub overlay: Vec<OverlayArg>,
    /// The level of detail, 0 being the finest
    #[arg(long, value_name = "N")]
    pub level: Option<usize>,
    /// The skin of a DarkPlaces model, N of `model.dpm_N.skin`; the first by default
    #[arg(long, value_name = "N")]
    pub skin: Option<u32>,
    /// Draw one figure of the files of a folder
    #[arg(long)]
    pub figure: bool,
    /// Leave out the textures that are found
    #[arg(long)]
    pub no_textures: bool,
    /// How what was drawn is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub many: ManyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}
