//! Writes the results of a command.

use crate::destination::Destination;
use crate::input::Input;
use crate::messages::say;
use crate::refusal::Refusal;
use crate::{render, signals};
use meshwright::files::output::{Content, Output, OutputRole, Place, Plan, Staged, Writer};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Returns the content of a file whose bytes are complete.
pub(crate) fn content_of(bytes: &[u8]) -> Content<'_> {
    Box::new(move |out| out.write_all(bytes))
}

/// Returns the main file of a result.
pub(crate) fn main(place: Place, content: Content<'_>) -> Output<Content<'_>> {
    Output { place, role: OutputRole::Main, content }
}

/// Returns a further file of a result.
pub(crate) fn companion(place: Place, content: Content<'_>) -> Output<Content<'_>> {
    Output { place, role: OutputRole::Companion, content }
}

/// Writes the one result of a command, and returns the paths of its files.
pub(crate) fn stream(
    destination: &Destination,
    content: Content<'_>,
    plan: &Plan,
) -> Result<Vec<PathBuf>, Refusal> {
    match destination {
        Destination::Stdout => print(content).map(|()| Vec::new()),
        Destination::File(path) => write([main(Place::named(path), content)].into(), plan),
        Destination::Folder(path) => {
            Err(Refusal::Unwritable { path: path.clone(), why: "is a folder".into() })
        }
    }
}

/// Returns the number of bytes of a written file.
pub(crate) fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

/// Says which files a command wrote, the main file first, and their sizes.
pub(crate) fn say_written(paths: &[PathBuf]) {
    let named = paths.iter().map(|path| format!("{} ({})", render::path(path), render::size(size(path))));
    if !paths.is_empty() {
        say(&format!("wrote {}", named.rev().collect::<Vec<_>>().join(", ")));
    }
}

/// Writes to standard output.
pub(crate) fn print(content: Content<'_>) -> Result<(), Refusal> {
    let out = io::stdout().lock();
    let mut out = Shown { first: out.is_terminal(), out };
    match content(&mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Refusal::Closed),
        Err(e) => Err(Refusal::unwritable(Path::new("<stdout>"), &e)),
        Ok(()) => Ok(()),
    }
}

/// Replaces an input by its new content, and returns the path of the backup, which has an unused name.
pub(crate) fn in_place(input: &Input, old: &[u8], new: &[u8], plan: &Plan) -> Result<PathBuf, Refusal> {
    if input.is_stdin() || !input.path.is_file() {
        let why = "is not a file on disk: --in-place needs one, -o names another output";
        return Err(Refusal::Argument(why.into()));
    }
    let place = Place::named(&input.path);
    let mut n = 1_u32;
    let backup = loop {
        let ending = if n == 1 { ".bak".to_owned() } else { format!(".bak{n}") };
        let backup = place.appended(&ending).map_err(|e| Refusal::Argument(e.to_string()))?;
        if backup.path().symlink_metadata().is_err() {
            break backup;
        }
        n = n.saturating_add(1);
    };
    let kept = backup.path().to_owned();
    let backup = companion(backup, content_of(old));
    write_with(&signals::writer(), [backup, main(place, content_of(new))].into(), plan, Some(&input.path))?;
    Ok(kept)
}

/// Writes files like [`Outputs::write`], for a command that writes once.
pub(crate) fn write(files: Vec<Output<Content<'_>>>, plan: &Plan) -> Result<Vec<PathBuf>, Refusal> {
    write_with(&signals::writer(), files, plan, None)
}

/// Writes files that belong together, all or none, and returns their paths. The main file may replace the input `own`.
fn write_with(
    writer: &Writer,
    files: Vec<Output<Content<'_>>>,
    plan: &Plan,
    own: Option<&Path>,
) -> Result<Vec<PathBuf>, Refusal> {
    plan.spare_named(&files, own)?;
    let mut places: Vec<PathBuf> = files.iter().map(|file| file.place.path().to_owned()).collect();
    let mut staged = writer.stage(files)?;
    let left = plan.enter(&mut staged, own)?;
    places.retain(|path| left.iter().all(|left| left.path != *path));
    staged.appear()?;
    Ok(places)
}

/// Standard output, which rejects bytes that are not text if it is a terminal.
struct Shown<W> {
    out: W,
    /// Nothing was written to the terminal yet.
    first: bool,
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = || std::str::from_utf8(bytes).map_or_else(|e| e.error_len().is_none(), |_| true);
        if self.first && !bytes.is_empty() && (bytes.contains(&0) || !text()) {
            let why = "is a terminal, and the output is binary: name a file, or use a pipe";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        self.first = false;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The destination and the writer of a run over several inputs.
#[derive(Debug)]
pub(crate) struct Outputs {
    destination: Destination,
    writer: Writer,
}

impl Outputs {
    pub(crate) fn new(destination: &Destination) -> Self {
        Self { destination: destination.clone(), writer: signals::writer() }
    }

    /// Returns outputs that are only measured, for `--dry-run`.
    pub(crate) fn measuring(destination: &Destination) -> Self {
        Self { destination: destination.clone(), writer: Writer::measuring() }
    }

    pub(crate) fn destination(&self) -> &Destination {
        &self.destination
    }

    /// Writes files that belong together, all or none, and returns their paths.
    pub(crate) fn write(
        &self,
        files: Vec<Output<Content<'_>>>,
        plan: &Plan,
    ) -> Result<Vec<PathBuf>, Refusal> {
        write_with(&self.writer, files, plan, None)
    }

    /// Writes files that belong together under temporary names. The main file for standard output is printed at once.
    /// Files that do not go into a folder are checked first; the main one may replace the input `own`.
    pub(crate) fn stage(
        &self,
        files: Vec<Output<Content<'_>>>,
        plan: &Plan,
        own: Option<&Path>,
    ) -> Result<Staged, Refusal> {
        match self.destination {
            _ if self.writer.only_measures() => {}
            Destination::Folder(_) => {}
            Destination::File(_) => plan.spare_named(&files, own)?,
            Destination::Stdout => {
                for file in files {
                    match file.role {
                        OutputRole::Main => print(file.content)?,
                        _ => drop(self.write([file].into(), plan)?),
                    }
                }
                return Ok(Staged::default());
            }
        }
        Ok(self.writer.stage(files)?)
    }
}
