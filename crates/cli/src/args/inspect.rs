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
    /// Print only the values at this path of the JSON, one a line: clips[*].name
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
    /// SARIF 2.1.0, for code hosts and editors
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
    /// Show every recorded finding, each with the bytes around it, instead of the first ones of each code
    #[arg(long)]
    pub all: bool,
    /// Print only the values at this path of a file's JSON, one a line: findings[*].code
    #[arg(long, value_name = "PATH", conflicts_with = "format")]
    pub query: Option<Query>,
    /// Exit with 1 on warnings too
    #[arg(long)]
    pub deny_warnings: bool,
    /// Also report what an engine's loader rejects or reads differently
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
    /// The other model, of any format
    pub second: OsString,
    /// Largest distance of equal vertices and bones, in metres, or in the unit of formats without metres. By default
    /// a ten-thousandth of the model's size
    #[arg(long, value_name = "LENGTH", value_parser = parse_bound)]
    pub tolerance: Option<f64>,
    /// Show every difference instead of the first ones
    #[arg(long)]
    pub all: bool,
    /// Render both models and their differences into a .png file
    #[arg(long, value_name = "OUT.png")]
    pub picture: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Print only the values at this path of the JSON, one a line: differences[*].path
    #[arg(long, value_name = "PATH", conflicts_with = "format")]
    pub query: Option<Query>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Codes, as check prints them, or files whose findings are explained; by default all codes are listed
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
    /// Maximum memory for the directory of a pack, in bytes
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
    /// Write every field of the file instead, in a form that build compiles to the same bytes
    #[arg(long, conflicts_with = "pose")]
    pub native: bool,
    /// Output file; by default standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The form of errors; the dump itself is always JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// A JSON that dump --native wrote, edited or not, or - for standard input
    pub file: OsString,
    /// Output file, or - for standard output
    #[arg(long, short, value_name = "FILE", required = true)]
    pub output: PathBuf,
    /// The form of the results
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Maximum memory, in bytes
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
    /// Print only errors, and the document of --format json
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Files, folders or packs; by default files that are dropped on the page
    pub files: Vec<OsString>,
    /// Print the address and open no browser
    #[arg(long)]
    pub no_browser: bool,
    /// Write a folder with a list of all models and a page for each instead, for a web server or a disk
    #[arg(long, value_name = "DIR", requires = "files", conflicts_with = "no_browser")]
    pub site: Option<PathBuf>,
    /// Start no server: print the answer to this path of the page, and end; repeatable
    #[arg(long, hide = true, value_name = "PATH")]
    pub answer: Vec<String>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub companions: CompanionArgs,
}
