//! Commands that look at files and write none.

use super::shared::{CompanionArgs, Form, ManyArgs, OutputFormat, ReadArgs};
use super::values::{engine, parse_bound, parse_size};
use crate::query::Query;
use clap::{Args, ValueEnum};
use meshwright::scene::Engine;
use std::ffi::OsString;
use std::path::PathBuf;

/// The form of the results of `info`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InfoFormat {
    /// Text: tables for one file, a line for each of several
    #[default]
    Text,
    /// One JSON document
    Json,
    /// One JSON document for each file
    Jsonl,
    /// One line for each file
    Csv,
    /// A Markdown table, a row for each file
    Md,
}

impl From<InfoFormat> for Form {
    fn from(format: InfoFormat) -> Self {
        match format {
            InfoFormat::Text | InfoFormat::Csv | InfoFormat::Md => Self::Lines,
            InfoFormat::Json => Self::Document,
            InfoFormat::Jsonl => Self::Documents,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "GPU memory is an estimate: vertex buffers of 32-bit floats (24 bytes more for each four influences),\n\
                  index buffers of 16 bits, or of 32 in meshes of more than 65,535 vertices, and textures that were\n\
                  found, uncompressed with 4 bytes per pixel, with all mip levels."
)]
pub(crate) struct InfoArgs {
    /// Files, folders, packs or patterns, - for standard input
    #[arg(required_unless_present = "files_from")]
    pub files: Vec<OsString>,
    #[arg(long, value_enum, default_value_t)]
    pub format: InfoFormat,
    /// Print what the JSON holds at a path alone, one value a line: clips[*].name
    #[arg(long, value_name = "PATH", conflicts_with = "format")]
    pub query: Option<Query>,
    #[command(flatten)]
    pub many: ManyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

/// The form of the results of `check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Text with tables
    #[default]
    Text,
    /// One JSON document
    Json,
    /// One JSON document for each file
    Jsonl,
    /// For code hosts and editors: SARIF 2.1.0
    Sarif,
}

impl From<CheckFormat> for Form {
    fn from(format: CheckFormat) -> Self {
        match format {
            CheckFormat::Text => Self::Lines,
            CheckFormat::Json => Self::Document,
            CheckFormat::Jsonl => Self::Documents,
            CheckFormat::Sarif => Self::Sarif,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files, folders, packs or patterns, - for standard input
    #[arg(required_unless_present = "files_from")]
    pub files: Vec<OsString>,
    #[arg(long, value_enum, default_value_t)]
    pub format: CheckFormat,
    /// Show every finding that is kept, each with the bytes around it, instead of the first of each code
    #[arg(long)]
    pub all: bool,
    /// Print what the JSON of a file holds at a path alone, one value a line: findings[*].code
    #[arg(long, value_name = "PATH", conflicts_with = "format")]
    pub query: Option<Query>,
    /// Exit with 1 on warnings too
    #[arg(long)]
    pub deny_warnings: bool,
    /// Say too what an engine's loader would refuse, or read otherwise than the file says
    #[arg(long = "for", value_name = "ENGINE", value_parser = engine(), ignore_case = true)]
    pub engine: Option<Engine>,
    #[command(flatten)]
    pub many: ManyArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// One model, - for standard input
    pub first: OsString,
    /// The other, of the same format or of another
    pub second: OsString,
    /// How far vertices and bones may be apart: metres, or the unit of formats that have none. A ten-thousandth of the model
    /// by default
    #[arg(long, value_name = "LENGTH", value_parser = parse_bound)]
    pub tolerance: Option<f64>,
    /// Show every difference instead of the first ones
    #[arg(long)]
    pub all: bool,
    /// Draw both, and where they differ, into a .png file
    #[arg(long, value_name = "OUT.png")]
    pub picture: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Print what the JSON holds at a path alone, one value a line: differences[*].path
    #[arg(long, value_name = "PATH", conflicts_with = "format")]
    pub query: Option<Query>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Codes, as check prints them, or files, whose findings are explained; without any, all codes are listed
    ///
    /// FORMAT/CODE, or --as, prints the rule of that format first.
    #[arg(value_name = "CODE|FILE")]
    pub codes: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub read: ReadArgs,
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
    /// Follow links in folders, also those that lead out of them
    #[arg(long)]
    pub follow: bool,
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

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Files, folders or packs; without any, those that are dropped on the page
    pub files: Vec<OsString>,
    /// Print the address and open no browser
    #[arg(long)]
    pub no_browser: bool,
    /// Listen to nobody: print what this path of the page would be answered, and end; repeatable
    #[arg(long, hide = true, value_name = "PATH")]
    pub answer: Vec<String>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}
