//! Commands about the command line itself.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that the completions are for
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder that takes the pages: meshwright.1, and one for each command
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
