//! Commands that change files and keep their format.

use super::shared::{ManyArgs, OutputFormat, ReadArgs, WriteArgs};
use super::values::{Choices, choice, parse_bound};
use clap::Args;
use meshwright::bmd;
use meshwright::dpm::{OptimizeOptions, UnusedBones};
use std::ffi::OsString;
use std::path::PathBuf;

const DEFAULT_EFFORT: u8 = bmd::OptimizeOptions::DEFAULT_EFFORT;

#[derive(Debug, Args)]
pub(crate) struct OptimizeArgs {
    /// A BMD, DPM or ZYM file, or - for standard input
    pub file: OsString,
    /// Output file, or - for standard output
    #[arg(long, short, value_name = "FILE", required = true)]
    pub output: PathBuf,
    /// Largest move of a vertex in the space of its bone, in units of the model
    #[arg(long, value_name = "UNITS", default_value = "0", value_parser = parse_bound)]
    pub max_position: f64,
    /// Largest turn of a normal
    #[arg(long, value_name = "DEGREES", default_value = "0", value_parser = parse_bound)]
    pub max_normal: f64,
    /// Largest move of a texture coordinate
    #[arg(long, value_name = "ST", default_value = "0", value_parser = parse_bound)]
    pub max_st: f64,
    /// Largest error of a bone's rotation at a frame, with the errors of its parents
    #[arg(long, value_name = "DEGREES", default_value = "0", value_parser = parse_bound)]
    pub max_angle: f64,
    /// Largest error of a vertex position of the posed model at a frame, in units of the model; without it only
    /// --max-angle counts
    #[arg(long, value_name = "UNITS", default_value = "0", value_parser = parse_bound)]
    pub max_distance: f64,
    /// Largest error of a bone's own scale at a frame
    #[arg(long, value_name = "FACTOR", default_value = "0", value_parser = parse_bound)]
    pub max_scale: f64,
    /// Smallest file, with content that BGBTech's own loader misreads: quads, meshes with more triangles than
    /// vertices, and keys on the last frame of a clip, after which it mixes up the keys of bones
    #[arg(long)]
    pub compact: bool,
    /// Write nothing that BGBTech's own loader misreads. Keys on the last frame are moved or dropped, even if the
    /// bounds do not allow it; by default such keys stay
    #[arg(long, conflicts_with = "compact")]
    pub engine_safe: bool,
    /// Effort from 0 to 9: more takes longer and saves more
    #[arg(long, value_name = "N", default_value_t = DEFAULT_EFFORT, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub effort: u8,
    /// The form of the results
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub darkplaces: DarkPlacesArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

const STEPS: Choices<fn(&mut OptimizeOptions)> = &[
    ("influences", "Influences that add nothing to a vertex", |how| how.influences = false),
    ("vertices", "Vertices that no triangle uses, and (DPM) duplicates", |how| how.vertices = false),
    ("poses", "Duplicate poses (DPM)", |how| how.poses = false),
    ("triangles", "Order of triangles for strips and vertex caches", |how| how.triangles = false),
    ("order", "Order of vertices by their first use", |how| how.order = false),
];

/// Steps that change the content of a model.
const MORE_STEPS: Choices<fn(&mut OptimizeOptions)> = &[
    ("meshes", "Remove meshes without triangles and join meshes of one shader", |how| how.meshes = true),
    ("frames", "Remove frames outside every clip", |how| how.frames = true),
];

/// The bones without influence to remove. Bones that are flagged as attachments stay.
const UNUSED_BONES: Choices<UnusedBones> = &[
    ("keep", "None", UnusedBones::Keep),
    ("unmarked", "All if the model flags attachments, otherwise those without a name", UnusedBones::Unmarked),
    ("remove", "All", UnusedBones::Remove),
];

/// Options of `optimize` for DPM and ZYM.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "DPM and ZYM")]
pub(crate) struct DarkPlacesArgs {
    /// Bones to remove of those that move nothing
    #[arg(long, value_parser = choice(UNUSED_BONES))]
    pub unused_bones: Option<UnusedBones>,
    /// Leave out a step; repeatable
    #[arg(long, value_parser = choice(STEPS), value_name = "STEP", value_delimiter = ',')]
    pub skip: Vec<fn(&mut OptimizeOptions)>,
    /// Also take a step that changes meshes or frames; repeatable
    #[arg(long, value_parser = choice(MORE_STEPS), value_name = "STEP", value_delimiter = ',')]
    pub also: Vec<fn(&mut OptimizeOptions)>,
}

#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// Files, folders, packs or patterns, - for standard input
    #[arg(required_unless_present = "files_from")]
    pub files: Vec<OsString>,
    /// A file, a folder (existing, or ending in /, or for several inputs without an extension), or - for standard output
    #[arg(long, short, value_name = "OUT", required_unless_present_any = ["in_place", "dry_run"])]
    pub output: Option<PathBuf>,
    /// Replace the input; the old file is kept next to it as .bak
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub many: ManyArgs,
    #[command(flatten)]
    pub write: WriteArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "BONE and MESH are names or numbers, as in #0. The case of bone names is ignored, as in the engine.\n\
    The name of a mesh is that of its shader. Bones are renamed last."
)]
pub(crate) struct EditArgs {
    /// A DPM file, or - for standard input
    pub file: OsString,
    /// Output file, or - for standard output; not the input itself
    #[arg(long, short, value_name = "FILE", required_unless_present = "in_place")]
    pub output: Option<PathBuf>,
    /// Replace the input; the old file is kept next to it as .bak
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
    /// Flag a bone as an attachment, which tools do not remove
    #[arg(long, value_name = "BONE")]
    pub set_attach: Vec<String>,
    /// Clear that flag of a bone
    #[arg(long, value_name = "BONE")]
    pub clear_attach: Vec<String>,
    /// Set all flags of a bone
    #[arg(long, value_name = "BONE=N")]
    pub set_flags: Vec<String>,
    /// Set the group id of triangles: one (7), a range (0-11) or all (*)
    #[arg(long, value_name = "MESH:RANGE=N")]
    pub set_groupid: Vec<String>,
    /// Set the shader of a mesh
    #[arg(long, value_name = "MESH=NAME")]
    pub set_shader: Vec<String>,
    /// Rename a bone
    #[arg(long, value_name = "BONE=NAME")]
    pub rename_bone: Vec<String>,
    /// The form of the results
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub read: ReadArgs,
}
