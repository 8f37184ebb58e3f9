//! Options that several commands share.

use super::values::{Choices, choice, dialect, format, parse_jobs, parse_size};
use crate::pattern::{NamePattern, Pattern};
use clap::{Args, ValueEnum};
use meshwright::crucible::QuaternionOrder;
use meshwright::files::output::Place;
use meshwright::tso::{Gesture, Tone};
use meshwright::{ClipNames, Dialect, Format};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Text with tables
    #[default]
    Text,
    /// One JSON document
    Json,
}

impl From<OutputFormat> for Form {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Text => Self::Lines,
            OutputFormat::Json => Self::Document,
        }
    }
}

/// The kind of output on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines, printed as results come.
    #[default]
    Lines,
    /// One JSON document.
    Document,
    /// A JSON document for each file, on a line of its own.
    Documents,
    /// One SARIF document.
    Sarif,
}

/// Options of every command that reads models.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// Read files as this format, regardless of content and name
    #[arg(long = "as", value_name = "FORMAT", value_parser = format(), ignore_case = true)]
    pub read_as: Option<Format>,
    /// Read on after broken rules that leave the rest readable, and report them
    #[arg(long)]
    pub lenient: bool,
    /// Maximum memory for one file and its decompressed streams: 256M, 1G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
    /// Dialect of files whose bytes do not decide it
    #[arg(long, value_name = "NAME", value_parser = dialect())]
    pub dialect: Option<Dialect>,
    /// Read rotations of a Crucible skeleton as stored w first
    #[arg(long)]
    pub quaternions_w_first: bool,
    /// The .json of an FSOMODEL file instead of the one next to it
    #[arg(long, value_name = "FILE")]
    pub metadata: Option<PathBuf>,
    /// Look for companions and textures in this folder instead of around the model; repeatable
    ///
    /// Files of later folders hide those of earlier ones.
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// Ignore companion files found next to the model
    #[arg(long)]
    pub no_companions: bool,
    /// Print only results, errors, and one line for each kind of loss
    #[arg(long, short)]
    pub quiet: bool,
    /// Print every loss and note on a line of its own instead of one line for each kind
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
}

impl ReadArgs {
    /// Returns the order of the numbers of a Crucible rotation.
    pub(crate) fn quaternions(&self) -> QuaternionOrder {
        if self.quaternions_w_first { QuaternionOrder::Wxyz } else { QuaternionOrder::default() }
    }
}

/// Options of every command that takes many files.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Many files")]
pub(crate) struct ManyArgs {
    /// Number of files that are converted at the same time, by default one for each core
    ///
    /// Results are the same for any number. Large files wait for each other: together they need about as much memory
    /// as --max-memory allows one file.
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Skip files and folders that match, by name or by path below the folder; repeatable
    #[arg(long, value_name = "GLOB", value_parser = Pattern::new)]
    pub exclude: Vec<Pattern>,
    /// Also process the files that FILE lists, one a line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Names in the file of --files-from end with a zero byte, as find -print0 writes
    #[arg(long, short = '0', requires = "files_from")]
    pub null: bool,
    /// Follow links in folders, also those that lead out of them
    #[arg(long)]
    pub follow: bool,
    /// Stop at the first file that fails or has errors
    #[arg(long)]
    pub fail_fast: bool,
}

/// Options of every command that writes many files.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct WriteArgs {
    /// Keep existing outputs
    #[arg(long)]
    pub no_clobber: bool,
    /// Print what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

impl WriteArgs {
    /// Returns whether an existing output is kept.
    pub(crate) fn keeps(self, place: &Place) -> bool {
        self.no_clobber && place.path().symlink_metadata().is_ok()
    }
}

const CLIP_NAMES: Choices<ClipNames> = &[
    ("engine", "The engine's: the name on the line, else groupified_N_anim", ClipNames::Engine),
    ("comments", "The name on the line, else its comment after //, else the engine's", ClipNames::Comments),
    ("frames", "The names of frames (DPM) or scenes (ZYM)", ClipNames::Frames),
];

/// Files that belong to a model.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Files that belong to the model")]
pub(crate) struct CompanionArgs {
    /// A .framegroups file (DPM, ZYM) instead of the one next to the model
    #[arg(long, value_name = "FILE")]
    pub framegroups: Option<PathBuf>,
    /// The source of the names of its clips: by default comments, for `dump` the engine
    #[arg(long, value_parser = choice(CLIP_NAMES))]
    pub clip_names: Option<ClipNames>,
    /// The skeleton of a mesh of The Sims (.skel, .cmx, .bcf) or of Crucible (.cskel)
    ///
    /// Without it the game's own skeleton is used if one is in the search path and fits. A model of another format
    /// that is converted to a file of The Sims gets the bones of this skeleton, which is not written again.
    #[arg(long, value_name = "FILE")]
    pub skeleton: Option<PathBuf>,
    /// An animation of the skeleton (.anim, .cmx, .bcf, .iqm), or a folder of animations; repeatable
    #[arg(long, value_name = "FILE|DIR")]
    pub anim: Vec<PathBuf>,
    /// Only animations whose names match, as in "a2o-walk*"
    #[arg(long, value_name = "GLOB", value_parser = NamePattern::new)]
    pub anim_name: Option<NamePattern>,
    /// Colours of a player's shirt and pants (DarkPlaces): 0 to 15, a name or #rrggbb, one for both or two, as in "red,4".
    /// `render` and `view` have 6,6 by default, a conversion none
    #[arg(long, value_name = "SHIRT,PANTS")]
    pub colors: Option<meshwright::quake::PlayerColors>,
    /// Skin tone of a character of The Sims: light, medium or dark
    #[arg(long, value_name = "TONE", default_value_t)]
    pub tone: Tone,
    /// Gesture of the hands of a character of The Sims: idle, fist or pointing; give it twice for the right and the
    /// left hand
    #[arg(long, value_name = "GESTURE")]
    pub gesture: Vec<Gesture>,
    /// Clothes of a person of The Sims 1, as the game writes them: "suit,SKIN=texture", as in
    /// "b001fafit_01,BODY=b001fafitlgt_Shannon01"; repeatable
    #[arg(long, value_name = "TEXT")]
    pub wear: Vec<String>,
    /// The .bnd that names the texture of a mesh of The Sims Online, instead of the one next to it
    #[arg(long, value_name = "FILE")]
    pub binding: Option<PathBuf>,
}
