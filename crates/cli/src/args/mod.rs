//! The command line.

mod change;
mod convert;
mod help;
mod inspect;
mod pack;
mod render;
mod shared;
mod values;

pub(crate) use change::{EditArgs, OptimizeArgs, RepairArgs};
pub(crate) use convert::ConvertArgs;
pub(crate) use help::{CompletionsArgs, ManArgs};
pub(crate) use inspect::{
    BuildArgs, CheckArgs, CheckFormat, DiffArgs, DumpArgs, ExplainArgs, InfoArgs, InfoFormat, ListArgs,
    ViewArgs,
};
pub(crate) use pack::{PackArgs, UnpackArgs};
pub(crate) use render::{RenderArgs, ThumbnailArgs};
pub(crate) use shared::{CompanionArgs, Form, ManyArgs, OutputFormat, ReadArgs};
pub(crate) use values::Purpose;

use crate::render::Color;
use clap::{Parser, Subcommand};

/// Reads, checks, converts and writes old game models, exactly and safely.
#[derive(Debug, Parser)]
#[command(name = "meshwright", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 fine, 1 a file has errors (warnings too with --deny-warnings), 2 wrong arguments,\n\
    3 a file could not be read or written or is of no known format. 101 is a bug: please report it."
)]
pub(crate) struct Cli {
    /// When to use colours: by default on a terminal, as CLICOLOR and NO_COLOR say
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t, hide_short_help = true)]
    pub color: Color,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the content of models: tables for one file, a line for each of several
    Info(InfoArgs),
    /// Find errors and warnings in files, with code, offset and field path
    Check(CheckArgs),
    /// Compare two models: by field, and by the positions of vertices
    Diff(DiffArgs),
    /// Explain codes: the cause, what the original engine does, how to fix it
    Explain(ExplainArgs),
    /// Fix errors that have a single right value, and change no other byte
    Repair(RepairArgs),
    /// Convert models between formats, glTF and OBJ included
    Convert(ConvertArgs),
    /// List folders and archives (pk3, pk4, pak, vp, far) as an engine sees them
    List(ListArgs),
    /// Extract archives into a folder
    Unpack(UnpackArgs),
    /// Make an archive (pk3, pak, far) of a folder, with reproducible bytes
    Pack(PackArgs),
    /// Show and play models in a browser
    View(ViewArgs),
    /// Render models: PNG, turntables, clips, contact sheets
    Render(RenderArgs),
    /// Write the small picture of a model that a file manager shows
    Thumbnail(ThumbnailArgs),
    /// Print a model as JSON
    Dump(DumpArgs),
    /// Compile the JSON of dump --native to a file
    Build(BuildArgs),
    /// Make BMD, DPM and ZYM files smaller: exactly, or within given bounds
    Optimize(OptimizeArgs),
    /// Change names, flags and group ids of a DPM, and no other byte
    Edit(EditArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Write the manual, a page for each command
    Man(ManArgs),
}
