//! Commands that look at files and write none.

use super::shared::{CompanionArgs, JobsArgs, OutputFormat, ReadArgs};
use super::values::{engine, parse_size};
use clap::Args;
use meshwright::scene::Engine;
use std::ffi::OsString;
use std::path::PathBuf;

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
pub(crate) struct CheckArgs {
    /// Files or folders, - for standard input
    #[arg(required = true)]
    pub files: Vec<OsString>,
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Exit with 1 on warnings too
    #[arg(long)]
    pub deny_warnings: bool,
    /// Say too what an engine's loader would refuse, or read otherwise than the file says
    #[arg(long = "for", value_name = "ENGINE", value_parser = engine(), ignore_case = true)]
    pub engine: Option<Engine>,
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
