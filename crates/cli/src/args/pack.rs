//! Commands for packs.

use super::shared::OutputFormat;
use super::values::{Choices, choice, parse_size};
use clap::Args;
use meshwright::files::FarVersion;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Packs, or files and folders in them: data.pk3/models
    #[arg(required = true)]
    pub files: Vec<OsString>,
    /// Output folder; files keep their paths below the pack or folder that is named
    #[arg(long, short, value_name = "DIR", required = true)]
    pub output: PathBuf,
    /// Replace existing files. Without it nothing is written if one exists. A pack that is read is never replaced
    #[arg(long, conflicts_with = "no_clobber")]
    pub force: bool,
    /// Keep existing files
    #[arg(long)]
    pub no_clobber: bool,
    /// Most bytes to write in total; by default 256 MiB plus 32 times its size for each pack
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_output: Option<u64>,
    #[command(flatten)]
    pub run: PackRunArgs,
}

/// Options of `pack` and `unpack`.
#[derive(Debug, Args)]
pub(crate) struct PackRunArgs {
    /// The form of the results
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Print only errors, and the document of --format json
    #[arg(long, short)]
    pub quiet: bool,
    /// Maximum memory for one file, in bytes
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub max_memory: u64,
}

const FAR_VERSIONS: Choices<FarVersion> = &[
    ("1a", "The Sims 1", FarVersion::OneA),
    ("1b", "The Sims 1, with short lengths of names", FarVersion::OneB),
    ("3", "The Sims Online: names include the numbers of file and type", FarVersion::Three),
];

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// Folder whose files are packed, under their paths in it; or another pack
    pub folder: OsString,
    /// The pack: .pk3, .pk4 and .zip are zip archives, .pak is Quake's, .far and .dat are those of The Sims
    #[arg(long, short, value_name = "PACK", required = true)]
    pub output: PathBuf,
    /// Start from this pack of the same kind: files that the folder does not have, or has with the same bytes, stay byte
    /// for byte
    #[arg(long, value_name = "PACK")]
    pub onto: Option<PathBuf>,
    /// Version of an archive of The Sims; by default 3 for .dat, and for .far if all names have numbers, else 1a
    #[arg(long, value_parser = choice(FAR_VERSIONS), value_name = "VERSION", conflicts_with = "onto")]
    pub far: Option<FarVersion>,
    #[command(flatten)]
    pub run: PackRunArgs,
}
