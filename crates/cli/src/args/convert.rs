//! Options of `convert`.

use super::shared::{CompanionArgs, ManyArgs, OutputFormat, ReadArgs, WriteArgs};
use super::values::{
    Choices, Purpose, choice, parse_factor, parse_frames, parse_id, parse_rate, parse_shard, purpose, target,
};
use clap::Args;
use meshwright::Target;
use meshwright::edit::Snap;
use meshwright::gltf::Influences;
use meshwright::retarget::Hold;
use meshwright::scene::Engine;
use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

const INFLUENCES: Choices<Influences> = &[
    ("4", "The four largest, which every viewer shows", Influences::Four),
    ("all", "All, in further sets that some viewers ignore", Influences::All),
];

const SNAPS: Choices<Snap> = &[
    ("exact", "Only equal numbers", Snap::Exact),
    ("default", "Changes that editors make on their own", Snap::Default),
    ("loose", "Changes that optimizers make", Snap::Loose),
];

const HOLDS: Choices<fn(Hold) -> Hold> = &[
    ("feet", "Knees bend so that feet go where the original's feet go", |hold| hold.with_feet(true)),
    ("hands", "Elbows bend so that hands go where the original's hands go", |hold| hold.with_hands(true)),
];

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
    #[arg(long, value_name = "ENDS", value_parser = choice(HOLDS), value_delimiter = ',', requires = "retarget")]
    pub hold: Vec<fn(Hold) -> Hold>,
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "meshwright convert [OPTIONS] IN OUT\n       meshwright convert [OPTIONS] IN... -o OUT\n       \
                            meshwright convert [OPTIONS] IN --to FORMAT"
)]
pub(crate) struct ConvertArgs {
    /// Files, folders or archives, - for standard input; the last one is the output, unless -o or --to says where results go
    ///
    /// Several files of The Sims (.mesh, .skel, .anim, .oft) with one output file make one character.
    #[arg(required_unless_present = "files_from", value_name = "IN... OUT")]
    pub files: Vec<OsString>,
    /// The output: a file, a folder, or - for standard output
    ///
    /// A path is a folder if there is one, if it ends in /, or, for several inputs, if it has no extension. An output appears
    /// complete or not at all; what replaces a file, or is the only output, survives a power failure.
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Output format, by default that of OUT; without OUT results are written next to the input
    ///
    /// If it is the input's own format, the output has the same bytes.
    #[arg(long, value_name = "FORMAT", value_parser = target(), ignore_case = true)]
    pub to: Option<Target>,
    /// blender: a GLB to edit in Blender and to import with --onto or convert back. An engine: keep its limits
    ///
    /// blender means --keep-native --frames-at 24, and --to glb if no output is named. An engine may have narrower
    /// limits than its format.
    #[arg(long = "for", value_name = "PURPOSE", value_parser = purpose(), ignore_case = true)]
    pub purpose: Option<Purpose>,
    /// The engine that --for names.
    #[arg(skip)]
    pub engine: Option<Engine>,
    #[command(flatten)]
    pub many: ManyArgs,
    /// Join the files of a folder to one character: meshes, a skeleton, animations
    ///
    /// Files that are named one by one do not need this option.
    #[arg(long)]
    pub figure: bool,
    /// Pose of an OBJ, CLIP:FRAME by number or name; `:FRAME` is a frame of the file. By default the bind pose
    #[arg(long, value_name = "CLIP:FRAME")]
    pub pose: Option<String>,
    /// Influences per vertex
    #[arg(long, value_parser = choice(INFLUENCES), default_value = "4")]
    pub influences: Influences,
    /// Leave out textures
    ///
    /// By default glTF embeds the textures that are found (png, jpg, tga, bmp, pcx, dds), OBJ names them, and those that a GLB
    /// holds are written next to a game's format.
    #[arg(long, overrides_with = "textures")]
    pub no_textures: bool,
    /// Use textures that are found, which is the default
    #[arg(long, hide = true, overrides_with = "no_textures")]
    pub textures: bool,
    /// Leave out texture layers of DarkPlaces that viewers do not draw (_pants, _shirt, _reflect)
    ///
    /// By default glTF embeds them for the conversion back, which makes players of Nexuiz 12 % larger.
    #[arg(long)]
    pub no_layers: bool,
    /// Skin of a DarkPlaces model, the N of `model.dpm_N.skin`. By default the first, and glTF has all of them as
    /// variants
    #[arg(long, value_name = "N")]
    pub skin: Option<u32>,
    /// Join levels of detail that are separate files, `x_lod1.iqm` next to `x.iqm`, into one model
    #[arg(long)]
    pub join_levels: bool,
    /// Keep each frame of a DPM or ZYM that no line of its .framegroups has, as a clip of its own
    #[arg(long)]
    pub all_frames: bool,
    /// Compute the normals of meshes of The Sims Online from their faces, for files whose normals are wrong
    #[arg(long)]
    pub recompute_normals: bool,
    /// Use the normals of blend vertices (The Sims) for shading, as the format defines; in Maxis' own bodies they
    /// belong to other vertices
    #[arg(long)]
    pub blend_normals: bool,
    /// Repeat the first frame of looping clips at their end, for viewers that would jump
    #[arg(long)]
    pub close_loops: bool,
    /// Embed the game's own file and its companions in the glTF, so that unedited data can be converted back byte for
    /// byte
    ///
    /// The editor must keep custom properties.
    #[arg(long)]
    pub keep_native: bool,
    /// Write N keys per second into all clips; extras keep their own rates. Blender samples at 24
    ///
    /// When edits are imported, N is the rate of the keys if the file does not state it.
    #[arg(long, value_name = "N", value_parser = parse_frames)]
    pub frames_at: Option<NonZeroU16>,
    /// Import edits into this original model, which keeps its bones and all data that the input does not have
    ///
    /// Give one --onto for each of several files of one character. Other files of The Sims are made for its skeleton,
    /// and a skeleton file is enough for them.
    #[arg(long, value_name = "ORIGINAL")]
    pub onto: Vec<PathBuf>,
    /// Tolerance within which a value counts as unedited
    #[arg(long, value_parser = choice(SNAPS), default_value = "default")]
    pub snap: Snap,
    /// Keep the skeleton of a model of a single frame, which glTF and OBJ otherwise hold as a static mesh
    #[arg(long)]
    pub keep_skeleton: bool,
    /// Multiply all lengths: 0.0254 makes metres of Quake's units
    ///
    /// The output states the factor. Conversion to a game's format divides by it unless a factor is given.
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor)]
    pub scale: Option<f64>,
    /// Frames per second of the clips of a glTF document, instead of the rate that it states or that fits its keys
    #[arg(long, value_name = "N", value_parser = parse_rate)]
    pub fps: Option<f32>,
    /// Number of the first mesh of The Sims Online and its texture in the game's archives, if their names have none:
    /// decimal, or 0x and hexadecimal. A .bnd is written next to the mesh. --to oft writes all files of an outfit
    #[arg(long, value_name = "N", value_parser = parse_id)]
    pub tso_id: Option<u32>,
    /// Name of a new outfit of The Sims: of its suit, skins and meshes, instead of the original's names and numbers
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Number of the game's hands (.hag) for an outfit (--to oft) whose meshes have none
    #[arg(long, value_name = "N", value_parser = parse_id)]
    pub tso_hands: Option<u32>,
    /// Write the neighbours of triangles into IQM
    #[arg(long)]
    pub adjacency: bool,
    /// Write each clip of an IQM as a file of its own, as Cube 2 and Red Eclipse have them
    #[arg(long)]
    pub clip_files: bool,
    /// Compute tangents for IQM, also if no normal map needs them
    #[arg(long)]
    pub tangents: bool,
    /// Drop vertices that no triangle uses, as some importers do
    #[arg(long)]
    pub prune: bool,
    /// Write a manifest of the run as JSON: every input by pack and member with the hashes of all its files, every
    /// output with its hash, losses, and skipped files
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Make the output folder a bag (RFC 8493, BagIt): outputs are in its folder data, and meshwright.json is the manifest
    #[arg(long, conflicts_with = "manifest")]
    pub bag: bool,
    /// Skip inputs that the manifest lists as done, if files and outputs are unchanged
    #[arg(long, requires = "manifest")]
    pub resume: bool,
    /// Convert only the Kth of N parts of the files; N runs in any order convert all. Runs one after the other may
    /// share a manifest
    #[arg(long, value_name = "K/N", value_parser = parse_shard)]
    pub shard: Option<(usize, usize)>,
    /// Keep native fields that glTF has no place for as extras
    #[arg(long)]
    pub extras: bool,
    /// Include meshes that are bounds of bones (BMD)
    #[arg(long)]
    pub solids: bool,
    /// Replace existing files whose names come from a model, such as its textures
    ///
    /// Without it only files whose names follow from OUT or from an input are replaced. A file that the run reads is never
    /// replaced.
    #[arg(long, conflicts_with = "no_clobber")]
    pub force: bool,
    /// The form of the results
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
