//! The command line.

use crate::destination::Destination;
use clap::{Args, Parser, Subcommand, ValueEnum};
use meshwright::Format;
use meshwright::bmd::OptimizeOptions;
use meshwright::render::Camera;
use meshwright::scene::Engine;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Opens old game models, exactly and safely, and puts them back.
#[derive(Debug, Parser)]
#[command(name = "meshwright", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 fine, 1 a file has errors (warnings too with --deny-warnings), 2 wrong arguments,\n\
    3 a file could not be read or written or is of no known format. 101 is a bug: please report it."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what files hold, one line each
    Info(InfoArgs),
    /// Find everything that is wrong with files, with code, offset and field path
    Check(CheckArgs),
    /// Convert any format to any other, glb, gltf and obj included, or rewrite in the same format byte for byte
    Convert(ConvertArgs),
    /// Show what folders and packs (pk3, pk4, pak, vp) hold, as an engine sees it
    List(ListArgs),
    /// Write the files of packs into a folder
    Unpack(UnpackArgs),
    /// Put the files of a folder into a pack (pk3, pak), the same bytes every time
    Pack(PackArgs),
    /// Show models in a browser, where they play: folders, packs, files that are dropped on it
    View(ViewArgs),
    /// Draw pictures of models: PNG, turntables, clips, sheets
    Render(RenderArgs),
    /// Print a model as JSON
    Dump(DumpArgs),
    /// Write a model (BMD, DPM, ZYM) in fewer bytes: exactly, or within the bounds that are given
    Optimize(OptimizeArgs),
    /// Change names, flags and group ids of a DPM, and no other byte
    Edit(EditArgs),
}

impl Command {
    /// Whether standard output is to hold a JSON document whatever happens.
    pub(crate) fn wants_json(&self) -> bool {
        let (format, output) = match self {
            Self::Info(args) => (args.format, None),
            Self::Check(args) => (args.format, None),
            Self::Convert(args) => (args.format, Some(&args.output)),
            Self::List(args) => (args.format, None),
            Self::Unpack(args) => (args.format, None),
            Self::Pack(args) => (args.format, Some(&args.output)),
            Self::View(_) => return false,
            Self::Render(args) => (args.format, Some(&args.output)),
            Self::Dump(args) => (args.format, args.output.as_ref()),
            Self::Optimize(args) => (args.format, Some(&args.output)),
            Self::Edit(args) => (args.format, Some(&args.output)),
        };
        format == OutputFormat::Json
            && output.is_none_or(|path| Destination::new(path) != Destination::Stdout)
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// For programs, one document
    Json,
}

/// Options of every command that reads models.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadArgs {
    /// Read files as this format whatever their content and name say
    #[arg(long = "as", value_name = "FORMAT")]
    pub read_as: Option<String>,
    /// Pass over broken rules that leave the rest readable, and report them
    #[arg(long)]
    pub lenient: bool,
    /// Bytes that one file may take in memory, decompressed streams included: 256M, 1G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
    #[arg(long, value_name = "NAME", help = format!("The dialect of files, where their bytes do not decide: {}", values("dialect").join(", ")))]
    pub dialect: Option<String>,
    /// Rotations of a Crucible skeleton are stored w first
    #[arg(long)]
    pub quaternions_w_first: bool,
    /// The .json of an FSOMODEL file instead of the one beside it
    #[arg(long, value_name = "FILE")]
    pub metadata: Option<PathBuf>,
    /// Look for what belongs to a model in this folder instead of the model's own, or the parent of a folder models around
    /// it; repeatable, later ones hide earlier ones
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// Ignore companion files found beside the model
    #[arg(long)]
    pub no_companions: bool,
    /// Say nothing but results, errors, and in one line what a file lost
    #[arg(long, short)]
    pub quiet: bool,
    /// Say every loss and note by itself instead of one line for each kind
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
}

/// Options of every command that takes many files.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct JobsArgs {
    /// How many files are worked on at a time: one for each core by default. Results are the same for any number; large
    /// files wait for each other, so that all together take about what --max-memory lets one take
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// Where the names of clips come from that a .framegroups file lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClipNamesArg {
    /// The engine's: the name on the line, else groupified_N_anim
    #[default]
    Engine,
    /// For lines without a name, what they say behind //
    Comments,
    /// The names of frames (DPM) or scenes (ZYM)
    Frames,
}

/// Files that belong to a model.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CompanionArgs {
    /// A .framegroups file (DPM, ZYM) instead of the one beside the model
    #[arg(long, value_name = "FILE")]
    pub framegroups: Option<PathBuf>,
    /// Where the names of its clips come from
    #[arg(long, value_enum, default_value_t)]
    pub clip_names: ClipNamesArg,
    /// The skeleton of TSO meshes and animations (.skel) or of a Crucible mesh (.cskel)
    #[arg(long, value_name = "FILE")]
    pub skeleton: Option<PathBuf>,
    /// An animation of the skeleton (.anim); repeatable
    #[arg(long, value_name = "FILE")]
    pub anim: Vec<PathBuf>,
    /// The .bnd that names a TSO mesh's texture, instead of the one beside it
    #[arg(long, value_name = "FILE")]
    pub binding: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Files or folders, - for standard input
    #[arg(required = true)]
    pub files: Vec<OsString>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub jobs: JobsArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Packs, folders, or files and folders in packs: data.pk3/models
    #[arg(required = true)]
    pub files: Vec<OsString>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Bytes that the directory of a pack may take in memory
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
}

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Packs, or files and folders in them: data.pk3/models
    #[arg(required = true)]
    pub files: Vec<OsString>,
    /// The folder that takes the files, under the paths that they have in the pack
    #[arg(long, short, value_name = "DIR", required = true)]
    pub output: PathBuf,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Bytes that one file may take in memory
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
}

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The folder whose files go into the pack, under their paths in it; or another pack
    pub folder: OsString,
    /// The pack: .pk3, .pk4 and .zip are zip archives, .pak is Quake's
    #[arg(long, short, value_name = "PACK", required = true)]
    pub output: PathBuf,
    /// Keep what this pack of the same kind holds: files that the folder has not, or has with the same bytes, stay byte
    /// for byte
    #[arg(long, value_name = "PACK")]
    pub onto: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Bytes that one file may take in memory
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files or folders, - for standard input
    #[arg(required = true)]
    pub files: Vec<OsString>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Exit with 1 on warnings too
    #[arg(long)]
    pub deny_warnings: bool,
    #[arg(long = "for", value_name = "ENGINE", help = format!("Say too what an engine's loader would refuse, or read otherwise than the file says: {}", engines()))]
    pub engine: Option<Engine>,
    #[command(flatten)]
    pub jobs: JobsArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

/// Which influences of a vertex are exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InfluenceArg {
    /// The four largest, which every viewer shows
    #[default]
    #[value(name = "4")]
    Four,
    /// All, in further sets that some viewers ignore
    All,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Files or folders, - for standard input. Several TSO files (.mesh, .skel, .anim) with one output file
    /// become one figure
    #[arg(required = true)]
    pub files: Vec<OsString>,
    /// A file, a folder (existing, or ending in /, or for several inputs without an extension), or - for standard output.
    /// An output appears complete or not at all; what replaces a file, or is the only output, survives a power failure
    #[arg(long, short, value_name = "OUT", required = true)]
    pub output: PathBuf,
    /// The output's format: glb, gltf, obj or any that is read, the input's own for a byte-identical rewrite; by default
    /// that of OUT
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// For obj: the pose CLIP:FRAME, by number or name; `:FRAME` is a frame of the file. The bind pose by default
    #[arg(long, value_name = "CLIP:FRAME")]
    pub pose: Option<String>,
    /// Influences per vertex
    #[arg(long, value_enum, default_value_t)]
    pub influences: InfluenceArg,
    /// Leave out the textures that are found (png, jpg, tga, bmp, pcx, dds); without it glTF embeds them, obj names them, and
    /// those that a GLB holds are put beside a game's format
    #[arg(long, overrides_with = "textures")]
    pub no_textures: bool,
    /// Textures that are found are used, which they are anyway
    #[arg(long, hide = true, overrides_with = "no_textures")]
    pub textures: bool,
    /// Compute the normals of TSO meshes from their faces, for files whose normals point in wrong directions
    #[arg(long)]
    pub recompute_normals: bool,
    /// Looping clips repeat their first frame at the end, for viewers that would jump
    #[arg(long)]
    pub close_loops: bool,
    /// Keep the skeleton of a model of a single frame, which glTF and OBJ otherwise hold as a static mesh
    #[arg(long)]
    pub keep_skeleton: bool,
    /// Multiply all lengths: 0.0254 makes metres of Quake's units. The output says so; on the way back to a game's format
    /// the factor that a GLB states is divided out unless one is given
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor)]
    pub scale: Option<f64>,
    /// Frames per second of the clips of a glTF document, instead of the rate that it states or that fits its keys
    #[arg(long, value_name = "N", value_parser = parse_rate)]
    pub fps: Option<f32>,
    #[arg(long = "for", value_name = "ENGINE", help = format!("Keep the limits of an engine where they are narrower than its format's: {}", engines()))]
    pub engine: Option<Engine>,
    /// The number of the first TSO mesh and texture in the game's archives, where names hold none: decimal, or 0x and
    /// hexadecimal. A .bnd is written beside the mesh
    #[arg(long, value_name = "N", value_parser = parse_id)]
    pub tso_id: Option<u32>,
    /// Write the neighbours of triangles into IQM
    #[arg(long)]
    pub adjacency: bool,
    /// Make tangents anew for IQM, where the model has texture coordinates
    #[arg(long)]
    pub tangents: bool,
    /// Say what would be written and what it does not hold, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Drop vertices that no triangle uses, as some importers do
    #[arg(long)]
    pub prune: bool,
    /// Keep native fields that glTF has no place for as extras
    #[arg(long)]
    pub extras: bool,
    /// Draw the meshes that only bound bones (BMD), too
    #[arg(long)]
    pub solids: bool,
    /// How what was written and what was lost is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub jobs: JobsArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

/// What surfaces show in a picture.
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

/// What is drawn over surfaces.
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
    /// Files or folders, - for standard input. Several TSO files (.mesh, .skel, .anim) with one output file
    /// become one figure
    #[arg(required = true)]
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
    /// So many pictures from all around, as an animated PNG; of a clip, the camera goes around once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub turntable: Option<u32>,
    /// So many pictures of the clip or from all around side by side, instead of an animation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub strip: Option<u32>,
    /// One picture of all inputs, each with its name below it
    #[arg(long, conflicts_with_all = ["clip", "turntable", "strip"])]
    pub sheet: bool,
    /// Pixels, as in 512 or 640x480; of each picture where there are several. 512 by default, 160 on a sheet
    #[arg(long, value_name = "SIZE", value_parser = parse_pixels)]
    pub size: Option<(u32, u32)>,
    /// The colour behind the model, #rrggbb or #rrggbbaa, or none. A grey by default
    #[arg(long, value_name = "COLOUR", value_parser = parse_colour)]
    pub background: Option<[u8; 4]>,
    /// What surfaces show
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewArg,
    /// What is drawn over them; repeatable
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub overlay: Vec<OverlayArg>,
    /// The level of detail, 0 being the finest
    #[arg(long, value_name = "N")]
    pub level: Option<usize>,
    /// Leave out the textures that are found
    #[arg(long)]
    pub no_textures: bool,
    /// How what was drawn is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Files, folders or packs; without any, those that are dropped on the page
    pub files: Vec<OsString>,
    /// Print the address and open no browser
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// A file, or - for standard input
    pub file: OsString,
    /// Add the pose CLIP:FRAME, by number or name; `:FRAME` is a frame of the file. Repeatable
    #[arg(long, value_name = "CLIP:FRAME")]
    pub pose: Vec<String>,
    /// Where to write; standard output by default
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How errors are printed; the dump itself is always JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

const DEFAULT_EFFORT: u8 = OptimizeOptions::DEFAULT_EFFORT;

#[derive(Debug, Args)]
pub(crate) struct OptimizeArgs {
    /// A BMD, DPM or ZYM file, or - for standard input
    pub file: OsString,
    /// Where to write, - for standard output
    #[arg(long, short, value_name = "FILE", required = true)]
    pub output: PathBuf,
    /// How far a vertex may move in the space of its bone, in units of the model
    #[arg(long, value_name = "UNITS", default_value = "0", value_parser = parse_bound)]
    pub max_position: f64,
    /// How far a normal may turn
    #[arg(long, value_name = "DEGREES", default_value = "0", value_parser = parse_bound)]
    pub max_normal: f64,
    /// How far a texture coordinate may move
    #[arg(long, value_name = "ST", default_value = "0", value_parser = parse_bound)]
    pub max_st: f64,
    /// How far keys may turn a bone of the posed model off at a whole frame, its parents' part included
    #[arg(long, value_name = "DEGREES", default_value = "0", value_parser = parse_bound)]
    pub max_angle: f64,
    /// How far keys may move a vertex of the posed model off at a whole frame, in units of the model; without it
    /// --max-angle alone says how far
    #[arg(long, value_name = "UNITS", default_value = "0", value_parser = parse_bound)]
    pub max_distance: f64,
    /// How far a bone's own scale may be off at a whole frame
    #[arg(long, value_name = "FACTOR", default_value = "0", value_parser = parse_bound)]
    pub max_scale: f64,
    /// The fewest bytes, with what BGBTech's own loader misreads: quads, more triangles than vertices in a mesh, and keys
    /// on the last frame of a clip, behind which it gives bones the keys of others
    #[arg(long)]
    pub compact: bool,
    /// Do without what that loader misreads whatever it costs: keys on the last frame that the input has move or go, even
    /// beyond the bounds. By default those stay where the bounds do not allow to leave them out
    #[arg(long, conflicts_with = "compact")]
    pub engine_safe: bool,
    /// How much is tried, 0 to 9; what is not tried leaves the file larger
    #[arg(long, value_name = "N", default_value_t = DEFAULT_EFFORT, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub effort: u8,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub darkplaces: DarkPlacesArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// A step of the optimizer for DPM and ZYM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StepArg {
    /// Parts of vertices that add nothing
    Influences,
    /// Vertices that no triangle has, and (DPM) equal ones
    Vertices,
    /// Equal poses (DPM)
    Poses,
    /// Sorting triangles for strips and vertex caches
    Triangles,
    /// Sorting vertices by their first use
    Order,
}

/// Steps that change more than how a model is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MoreArg {
    /// Meshes without triangles go, those of one shader become one
    Meshes,
    /// Frames that no clip has go
    Frames,
}

/// Which of the bones go that move nothing; those flagged as attachments stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnusedBonesArg {
    /// None
    Keep,
    /// All where the model flags attachments, else those without a name
    #[default]
    Unmarked,
    /// All
    Remove,
}

/// Options of `optimize` for DPM and ZYM.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "DPM and ZYM")]
pub(crate) struct DarkPlacesArgs {
    /// Bones that move nothing
    #[arg(long, value_enum)]
    pub unused_bones: Option<UnusedBonesArg>,
    /// Leave out a step; repeatable
    #[arg(long, value_enum, value_name = "STEP", value_delimiter = ',')]
    pub skip: Vec<StepArg>,
    /// Take a step that changes meshes or frames; repeatable
    #[arg(long, value_enum, value_name = "STEP", value_delimiter = ',')]
    pub also: Vec<MoreArg>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "BONE and MESH are a name or a number, as in #0. Bones are found without regard to case, as the engine\n\
    finds them; meshes are called like their shaders. Bones are renamed last."
)]
pub(crate) struct EditArgs {
    /// A DPM file, or - for standard input
    pub file: OsString,
    /// Where to write, - for standard output; may be the file itself
    #[arg(long, short, value_name = "FILE", required = true)]
    pub output: PathBuf,
    /// Flag a bone as an attachment, which tools do not remove
    #[arg(long, value_name = "BONE")]
    pub set_attach: Vec<String>,
    /// Take that flag from a bone
    #[arg(long, value_name = "BONE")]
    pub clear_attach: Vec<String>,
    /// Set all flags of a bone
    #[arg(long, value_name = "BONE=N")]
    pub set_flags: Vec<String>,
    /// Set the group id of triangles: of one (7), of some (0-11) or of all (*)
    #[arg(long, value_name = "MESH:RANGE=N")]
    pub set_groupid: Vec<String>,
    /// Set the shader of a mesh
    #[arg(long, value_name = "MESH=NAME")]
    pub set_shader: Vec<String>,
    /// Give a bone another name
    #[arg(long, value_name = "BONE=NAME")]
    pub rename_bone: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// The values of a setting, whatever format has it.
pub(crate) fn values(setting: &str) -> Vec<&'static str> {
    let mut values: Vec<_> = Format::ALL.iter().flat_map(|f| f.values(setting)).copied().collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn parse_bound(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if v.is_finite() && v >= 0.0 => Ok(v),
        _ => Err("not a number of at least 0".into()),
    }
}

fn parse_rate(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(v) if (0.01..=1000.0).contains(&v) => Ok(v),
        _ => Err("not a number from 0.01 to 1000".into()),
    }
}

fn parse_id(text: &str) -> Result<u32, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = hexadecimal.map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16));
    number.map_err(|_| "not a number of 32 bits".into())
}

/// The engines whose limits are known.
fn engines() -> String {
    Engine::ALL.map(Engine::id).join(", ")
}

fn parse_factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if v.is_finite() && v > 0.0 => Ok(v),
        _ => Err("not a positive number".into()),
    }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        unit => return Err(format!("unknown unit {unit}; use K, M or G")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a whole number".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too large".into())
}

fn parse_pixels(text: &str) -> Result<(u32, u32), String> {
    let side = |part: &str| match part.parse::<u32>() {
        Ok(n) if (1..=16_384).contains(&n) => Ok(n),
        _ => Err("not a number of pixels from 1 to 16384".to_owned()),
    };
    match text.split_once('x') {
        Some((width, height)) => Ok((side(width)?, side(height)?)),
        None => side(text).map(|n| (n, n)),
    }
}

fn parse_colour(text: &str) -> Result<[u8; 4], String> {
    if text == "none" {
        return Ok([0; 4]);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let value =
        u32::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    match (digits.len(), value) {
        (6, Some(value)) => Ok((value << 8 | 0xff).to_be_bytes()),
        (8, Some(value)) => Ok(value.to_be_bytes()),
        _ => Err("not a colour such as #336699 or none".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn colours_and_pixels() {
        assert_eq!(parse_colour("#336699"), Ok([0x33, 0x66, 0x99, 0xff]));
        assert_eq!(parse_colour("33669980"), Ok([0x33, 0x66, 0x99, 0x80]));
        assert_eq!(parse_colour("none"), Ok([0; 4]));
        assert!(["", "#12345", "#+12345", "red", "#1234567"].iter().all(|c| parse_colour(c).is_err()));
        assert_eq!((parse_pixels("64"), parse_pixels("640x480")), (Ok((64, 64)), Ok((640, 480))));
        assert!(["0", "x", "8x", "16385", "1x1x1"].iter().all(|c| parse_pixels(c).is_err()));
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("256M"), Ok(256 << 20));
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        assert_eq!(parse_size("17"), Ok(17));
        assert!(parse_size("1T").is_err() && parse_size("M").is_err() && parse_size("99999999999G").is_err());
    }
}
