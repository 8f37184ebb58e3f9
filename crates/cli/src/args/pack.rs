//! Commands for packs.

use super::shared::OutputFormat;
use super::values::parse_size;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Packs, or files and folders in them: data.pk3/models
    #[arg(required = true)]
    pub files: Vec<OsString>,
    /// The folder that takes the files, under the paths that they have in the pack
    #[arg(long, short, value_name = "DIR", required = true)]
    pub output: PathBuf,
    /// Replace files that are there. Without it nothing is written where one is. A pack that is read is never replaced
    #[arg(long, conflicts_with = "no_clobber")]
    pub force: bool,
    /// Keep existing files
    #[arg(long)]
    pub no_clobber: bool,
    /// The most bytes that are written in all; by default the files of a pack may be 32 times as large as it, and 256 MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_output: Option<u64>,
    #[command(flatten)]
    pub run: PackRunArgs,
}

/// Options of both.
#[derive(Debug, Args)]
pub(crate) struct PackRunArgs {
    /// The form of the results
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Print nothing but errors, and what --format json asks for
    #[arg(long, short)]
    pub quiet: bool,
    /// Bytes that one file may take in memory
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
}

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The folder whose files go into the pack, under their paths in it; or another pack
    pub folder: OsString,
    /// The pack: .pk3, .pk4 and .zip are zip archives, .pak is Quake's, .far and .dat are those of The Sims
    #[arg(long, short, value_name = "PACK", required = true)]
    pub output: PathBuf,
    /// Start from this pack of the same kind: files that the folder does not have, or has with the same bytes, stay byte
    /// for byte
    #[arg(long, value_name = "PACK")]
    pub onto: Option<PathBuf>,
    #[command(flatten)]
    pub run: PackRunArgs,
}
