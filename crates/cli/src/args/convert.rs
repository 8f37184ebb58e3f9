//! `convert`.

use super::shared::{CompanionArgs, ManyArgs, OutputFormat, ReadArgs, WriteArgs};
use super::values::{
    Purpose, parse_factor, parse_frames, parse_id, parse_rate, parse_shard, purpose, target,
};
use clap::{Args, ValueEnum};
use meshwright::Target;
use meshwright::scene::Engine;
use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

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

/// How near to what it was a value must be to be what it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SnapArg {
    /// Equal numbers alone
    Exact,
    /// What editors change without being asked
    #[default]
    Default,
    /// What programs change that make files smaller
    Loose,
}

/// Ends of limbs that stay on their paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HoldArg {
    /// Knees bend so that feet go where the original's feet go
    Feet,
    /// Elbows bend so that hands go where the original's hands go
    Hands,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RetargetArgs {
    /// Move meshes and clips to the skeleton of another model or skeleton file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["onto", "keep_native"])]
    pub retarget: Option<PathBuf>,
    /// Bone map for --retarget; by default bones are matched by names, hierarchy and place
    #[arg(long, value_name = "FILE", requires = "retarget")]
    pub map: Option<PathBuf>,
    /// Write the bone map that --retarget used, - for standard output: a text to edit and to pass to --map
    #[arg(long, value_name = "FILE", requires = "retarget")]
    pub map_out: Option<PathBuf>,
    /// Keep feet or hands on the original's paths, scaled to the new skeleton; repeatable
    #[arg(long, value_name = "ENDS", value_enum, value_delimiter = ',', requires = "retarget")]
    pub hold: Vec<HoldArg>,
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "meshwright convert [OPTIONS] IN OUT\n       meshwright convert [OPTIONS] IN... -o OUT\n       \
                            meshwright convert [OPTIONS] IN --to FORMAT"
)]
pub(crate) struct ConvertArgs {
    /// Files, folders or archives, - for standard input; the last one is the output, unless -o or --to says where results go
    ///
    /// Several files of The Sims (.mesh, .skel, .anim, .oft) with one output file become one figure.
    #[arg(required_unless_present = "files_from", value_name = "IN... OUT")]
    pub files: Vec<OsString>,
    /// The output: a file, a folder, or - for standard output
    ///
    /// A path is a folder if there is one, if it ends in /, or, for several inputs, if it has no extension. An output appears
    /// complete or not at all; what replaces a file, or is the only output, survives a power failure.
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The output's format, by default that of OUT; without OUT results are written next to the input
    ///
    /// The input's own format is a byte-identical rewrite.
    #[arg(long, value_name = "FORMAT", value_parser = target(), ignore_case = true)]
    pub to: Option<Target>,
    /// blender: a GLB for Blender that comes back into its game. An engine: keep its limits
    ///
    /// blender is short for --keep-native --frames-at 24, and for --to glb if no output is named. An engine has limits that
    /// are narrower than its format's.
    #[arg(long = "for", value_name = "PURPOSE", value_parser = purpose(), ignore_case = true)]
    pub purpose: Option<Purpose>,
    /// The engine that --for names.
    #[arg(skip)]
    pub engine: Option<Engine>,
    #[command(flatten)]
    pub many: ManyArgs,
    /// Make one figure of the files of a folder: meshes, a skeleton, animations
    ///
    /// Files that are named one by one need no such option.
    #[arg(long)]
    pub figure: bool,
    /// For obj: the pose CLIP:FRAME, by number or name; `:FRAME` is a frame of the file. The bind pose by default
    #[arg(long, value_name = "CLIP:FRAME")]
    pub pose: Option<String>,
    /// Influences per vertex
    #[arg(long, value_enum, default_value_t)]
    pub influences: InfluenceArg,
    /// Leave out textures
    ///
    /// By default glTF embeds the textures that are found (png, jpg, tga, bmp, pcx, dds), OBJ names them, and those that a GLB
    /// holds are written next to a game's format.
    #[arg(long, overrides_with = "textures")]
    pub no_textures: bool,
    /// Textures that are found are used, which they are anyway
    #[arg(long, hide = true, overrides_with = "no_textures")]
    pub textures: bool,
    /// The skin of a DarkPlaces model, N of `model.dpm_N.skin`. Without it the first is shown, and glTF has all of them as
    /// variants
    #[arg(long, value_name = "N")]
    pub skin: Option<u32>,
    /// Join levels of detail that lie in files of their own, `x_lod1.iqm` beside `x.iqm`, as levels of one model
    #[arg(long)]
    pub join_levels: bool,
    /// Compute the normals of meshes of The Sims Online from their faces, for files whose normals are wrong
    #[arg(long)]
    pub recompute_normals: bool,
    /// Let the normals of blend vertices (The Sims) take part in shading, as the format has it; Maxis' own bodies have those
    /// of other vertices there
    #[arg(long)]
    pub blend_normals: bool,
    /// Looping clips repeat their first frame at the end, for viewers that would jump
    #[arg(long)]
    pub close_loops: bool,
    /// Embed the game's own file and its companions in the glTF, so that what is not edited comes back byte for byte
    ///
    /// The editor has to keep custom properties.
    #[arg(long)]
    pub keep_native: bool,
    /// Write N keys per second into clips, whatever their rate, which extras state; Blender samples at 24
    ///
    /// On the way back this is the rate of the keys, if the file does not state it.
    #[arg(long, value_name = "N", value_parser = parse_frames)]
    pub frames_at: Option<NonZeroU16>,
    /// Import edits into this model of a game, which keeps its bones and whatever the input does not have
    ///
    /// Several files of one figure take one --onto each. Other files of The Sims are made for its skeleton, which may be all
    /// that it has.
    #[arg(long, value_name = "ORIGINAL")]
    pub onto: Vec<PathBuf>,
    /// Tolerance within which a value counts as unedited
    #[arg(long, value_enum, default_value_t)]
    pub snap: SnapArg,
    /// Keep the skeleton of a model of a single frame, which glTF and OBJ otherwise hold as a static mesh
    #[arg(long)]
    pub keep_skeleton: bool,
    /// Multiply all lengths: 0.0254 makes metres of Quake's units
    ///
    /// The output states the factor. On the way back to a game's format that factor is divided out unless one is given.
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor)]
    pub scale: Option<f64>,
    /// Frames per second of the clips of a glTF document, instead of the rate that it states or that fits its keys
    #[arg(long, value_name = "N", value_parser = parse_rate)]
    pub fps: Option<f32>,
    /// The number that the first mesh of The Sims Online and its texture have in the game's archives, where their names
    /// hold none: decimal, or 0x and hexadecimal. A .bnd is written beside the mesh
    #[arg(long, value_name = "N", value_parser = parse_id)]
    pub tso_id: Option<u32>,
    /// Write the neighbours of triangles into IQM
    #[arg(long)]
    pub adjacency: bool,
    /// Compute tangents for IQM, also if no normal map needs them
    #[arg(long)]
    pub tangents: bool,
    /// Drop vertices that no triangle uses, as some importers do
    #[arg(long)]
    pub prune: bool,
    /// Write what the run did into this file, as JSON: every input by pack and member with the hashes of all files that took
    /// part, every output with its hash, how much was lost, and what the run left aside
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Leave alone what the manifest of an earlier run says was done, where neither files nor outputs have changed
    #[arg(long, requires = "manifest")]
    pub resume: bool,
    /// Convert one part of the files: the Kth of N, so that N runs in any order convert all. One after the other they may
    /// share a manifest
    #[arg(long, value_name = "K/N", value_parser = parse_shard)]
    pub shard: Option<(usize, usize)>,
    /// Keep native fields that glTF has no place for as extras
    #[arg(long)]
    pub extras: bool,
    /// Draw the meshes that are bounds of bones (BMD), too
    #[arg(long)]
    pub solids: bool,
    /// Replace existing files whose names come from a model, such as its textures
    ///
    /// Without it only files whose names follow from OUT or from an input are replaced. A file that the run reads is never
    /// replaced.
    #[arg(long, conflicts_with = "no_clobber")]
    pub force: bool,
    /// How what was written and what was lost is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub retarget: RetargetArgs,
    #[command(flatten)]
    pub write: WriteArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}
