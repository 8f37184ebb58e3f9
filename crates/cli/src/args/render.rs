//! Options of `render`.

use super::shared::{CompanionArgs, ManyArgs, OutputFormat, ReadArgs};
use super::values::{Choices, choice, parse_colour, parse_pixels};
use clap::Args;
use meshwright::render::{Camera, Overlays, View};
use std::ffi::OsString;
use std::path::PathBuf;

const VIEWS: Choices<View> = &[
    ("lit", "Materials with lighting", View::Lit),
    ("unlit", "Materials without lighting", View::Unlit),
    ("normals", "Normals as colours", View::Normals),
    ("uv", "Texture coordinates as colours", View::Uvs),
];

const OVERLAYS: Choices<fn(&mut Overlays)> = &[
    ("bones", "Lines between joints", |overlays| overlays.bones = true),
    ("names", "The names of joints", |overlays| overlays.names = true),
    ("wireframe", "The edges of triangles", |overlays| overlays.wireframe = true),
    ("normals", "The normals of vertices", |overlays| overlays.normals = true),
    ("bounds", "The box around the model", |overlays| overlays.bounds = true),
];

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Files or folders, - for standard input. Several files of The Sims (.mesh, .skel, .anim, .oft) with one output
    /// file make one character
    #[arg(required_unless_present = "files_from")]
    pub files: Vec<OsString>,
    /// A .png file, a folder (existing, or ending in /, or for several inputs without an extension), or - for standard output
    #[arg(long, short, value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// Camera: front, side, back, three-quarter, or degrees to the left of and above the model, as in 120,20; a third
    /// number enlarges the image
    #[arg(long, value_name = "CAMERA", default_value = "three-quarter", allow_hyphen_values = true)]
    pub camera: Camera,
    /// The pose CLIP:FRAME, by number or name; `:FRAME` is a frame of the file. The rest pose by default
    #[arg(long, value_name = "CLIP:FRAME", conflicts_with = "clip")]
    pub frame: Option<String>,
    /// Render all frames of a clip, by number or name, as an animated PNG
    #[arg(long, value_name = "CLIP")]
    pub clip: Option<String>,
    /// Render N images around the model, as an animated PNG; with --clip the camera turns once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub turntable: Option<u32>,
    /// Render N images of the clip, or around the model, side by side instead of an animation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub strip: Option<u32>,
    /// Render all inputs into one image, each with its name below it
    #[arg(long, conflicts_with_all = ["clip", "turntable", "strip"])]
    pub sheet: bool,
    /// Size in pixels of each image, as in 512 or 640x480. By default 512, on a sheet 160, on a large sheet less
    #[arg(long, value_name = "SIZE", value_parser = parse_pixels)]
    pub size: Option<(u32, u32)>,
    /// Background colour, #rrggbb or #rrggbbaa, or none. By default grey
    #[arg(long, value_name = "COLOUR", value_parser = parse_colour)]
    pub background: Option<[u8; 4]>,
    /// The look of surfaces
    #[arg(long, value_parser = choice(VIEWS), default_value = "lit")]
    pub view: View,
    /// Overlay; repeatable
    #[arg(long, value_parser = choice(OVERLAYS), value_name = "WHAT", value_delimiter = ',')]
    pub overlay: Vec<fn(&mut Overlays)>,
    /// Level of detail; 0 is the finest
    #[arg(long, value_name = "N")]
    pub level: Option<usize>,
    /// Skin of a DarkPlaces model, the N of `model.dpm_N.skin`; by default the first
    #[arg(long, value_name = "N")]
    pub skin: Option<u32>,
    /// Render one character of the files of a folder
    #[arg(long)]
    pub figure: bool,
    /// Leave out the textures that are found
    #[arg(long)]
    pub no_textures: bool,
    /// The form of the results
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub many: ManyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ThumbnailArgs {
    /// A model
    pub input: OsString,
    /// The PNG file to write, with any name, or - for standard output. An empty file and an older PNG are replaced
    pub output: PathBuf,
    /// Width and height in pixels
    #[arg(long, short, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(32..=512))]
    pub size: u32,
    /// Seconds after which no picture is written
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub max_time: u64,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}
