//! The command line.

mod change;
mod convert;
mod help;
mod look;
mod pack;
mod render;
mod shared;
mod values;

pub(crate) use change::{EditArgs, MoreArg, OptimizeArgs, RepairArgs, StepArg, UnusedBonesArg};
pub(crate) use convert::{ConvertArgs, HoldArg, InfluenceArg, SnapArg};
pub(crate) use help::{CompletionsArgs, ManArgs};
pub(crate) use look::{
    CheckArgs, CheckFormat, DiffArgs, DumpArgs, ExplainArgs, InfoArgs, InfoFormat, ListArgs, ViewArgs,
};
pub(crate) use pack::{PackArgs, UnpackArgs};
pub(crate) use render::{OverlayArg, RenderArgs, ViewArg};
pub(crate) use shared::{ClipNamesArg, CompanionArgs, Form, ManyArgs, OutputFormat, ReadArgs};

use crate::destination::Destination;
use crate::render::Color;
use clap::{Parser, Subcommand};

/// Opens old game models, exactly and safely, and puts them back.
#[derive(Debug, Parser)]
#[command(name = "meshwright", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 fine, 1 a file has errors (warnings too with --deny-warnings), 2 wrong arguments,\n\
    3 a file could not be read or written or is of no known format. 101 is a bug: please report it."
)]
pub(crate) struct Cli {
    /// Whether colours are used: by default on a terminal, as CLICOLOR and NO_COLOR say
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: Color,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what files hold: tables of one, a line for each of several
    Info(InfoArgs),
    /// Find everything that is wrong with files, with code, offset and field path
    Check(CheckArgs),
    /// Compare two models of any formats: by field, and by where vertices are at rest and in clips
    Diff(DiffArgs),
    /// Say what codes mean: the cause, what the original engine does, how to mend it
    Explain(ExplainArgs),
    /// Mend what is safe to mend in files, and no other byte
    Repair(RepairArgs),
    /// Convert any format to any other, glb, gltf and obj included, or rewrite in the same format byte for byte
    Convert(ConvertArgs),
    /// Show what folders and packs (pk3, pk4, pak, vp, far) hold, as an engine sees it
    List(ListArgs),
    /// Write the files of packs into a folder
    Unpack(UnpackArgs),
    /// Put the files of a folder into a pack (pk3, pak, far), the same bytes every time
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
    /// Print what makes a shell complete commands, options and their values
    Completions(CompletionsArgs),
    /// Write the manual, a page for each command
    Man(ManArgs),
}

impl Command {
    /// Whether standard output is to hold a JSON document whatever happens.
    pub(crate) fn wants_json(&self) -> bool {
        let (format, output) = match self {
            Self::Info(args) => return args.format == InfoFormat::Json,
            Self::Check(args) => return matches!(args.format, CheckFormat::Json | CheckFormat::Sarif),
            Self::Explain(args) => (args.format, None),
            Self::Diff(args) => (args.format, None),
            Self::Convert(args) => (args.format, Some(&args.output)),
            Self::List(args) => (args.format, None),
            Self::Unpack(args) => (args.run.format, None),
            Self::Pack(args) => (args.run.format, Some(&args.output)),
            Self::View(_) | Self::Completions(_) | Self::Man(_) => return false,
            Self::Render(args) => (args.format, Some(&args.output)),
            Self::Dump(args) => (args.format, args.output.as_ref()),
            Self::Optimize(args) => (args.format, Some(&args.output)),
            Self::Repair(args) => (args.format, args.output.as_ref()),
            Self::Edit(args) => (args.format, args.output.as_ref()),
        };
        format == OutputFormat::Json
            && output.is_none_or(|path| Destination::new(path) != Destination::Stdout)
    }
}
