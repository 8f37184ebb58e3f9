//! Writes the results of a command.

use crate::batch::say;
use crate::destination::Destination;
use crate::input::Input;
use crate::refusal::Refusal;
use crate::{render, signals};
use meshwright::files::output::{Compared, Content, Failed, Output, OutputRole, Place, Plan, Staged, Writer};
use std::fs::File;
use std::io::{self, IsTerminal, Read as _, Write};
use std::path::{Path, PathBuf};

/// Returns the content of a file whose bytes are complete.
pub(crate) fn content_of(bytes: &[u8]) -> Content<'_> {
    Box::new(move |out| out.write_all(bytes))
}

/// Returns the main file of a result.
pub(crate) fn main(place: Place, content: Content<'_>) -> Output<Content<'_>> {
    Output { place, role: OutputRole::Main, content }
}

/// Writes the one result of a command, and returns the paths of its files. The main file may replace the input `own`.
pub(crate) fn stream(
    destination: &Destination,
    content: Content<'_>,
    plan: &Plan,
    own: Option<&Path>,
) -> Result<Vec<PathBuf>, Refusal> {
    match destination {
        Destination::Stdout => print(content).map(|()| Vec::new()),
        Destination::File(path) => write([main(Place::named(path), content)].into(), plan, own),
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
    let backup = Output { place: backup, role: OutputRole::Companion, content: content_of(old) };
    write([backup, main(place, content_of(new))].into(), plan, Some(&input.path))?;
    Ok(kept)
}

/// Writes files like [`Outputs::write`], for a command that writes once.
pub(crate) fn write(
    files: Vec<Output<Content<'_>>>,
    plan: &Plan,
    own: Option<&Path>,
) -> Result<Vec<PathBuf>, Refusal> {
    Outputs::new(&Destination::Stdout).write(files, plan, own)
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

    pub(crate) fn destination(&self) -> &Destination {
        &self.destination
    }

    /// Writes files that belong together, all or none, and returns their paths. The main file may replace the input
    /// `own`.
    pub(crate) fn write(
        &self,
        files: Vec<Output<Content<'_>>>,
        plan: &Plan,
        own: Option<&Path>,
    ) -> Result<Vec<PathBuf>, Refusal> {
        plan.spare_named(&files, own)?;
        let mut places: Vec<PathBuf> = files.iter().map(|file| file.place.path().to_owned()).collect();
        let mut staged = self.stage(files)?;
        let left = plan.enter(&mut staged, own)?;
        places.retain(|path| left.iter().all(|left| left.path != *path));
        staged.appear()?;
        Ok(places)
    }

    /// Writes files that belong together under temporary names.
    pub(crate) fn stage<'a>(
        &self,
        files: impl IntoIterator<Item = Output<Content<'a>>>,
    ) -> Result<Staged, Failed> {
        self.writer.stage(files)
    }
}

/// The size of a file that is not written, and whether the existing file has the same content.
#[derive(Debug)]
pub(crate) struct Measured {
    pub size: u64,
    is_there: bool,
}

impl Measured {
    /// Measures a file and compares it with the existing one.
    pub(crate) fn file(file: Output<Content<'_>>) -> Result<Output<Self>, Refusal> {
        let Output { place, role, content } = file;
        let path = place.path();
        let there = path.metadata().is_ok_and(|meta| meta.is_file());
        let mut against = Against { size: 0, there: there.then(|| File::open(path).ok()).flatten() };
        content(&mut against).map_err(|e| Refusal::unwritable(path, &e))?;
        let ends = |mut file: File| file.read(&mut [0]).is_ok_and(|more| more == 0);
        let content = Self { size: against.size, is_there: against.there.is_some_and(ends) };
        Ok(Output { place, role, content })
    }
}

impl Compared for Measured {
    fn is_held_by(&self, _: &Path) -> bool {
        self.is_there
    }
}

/// Counts bytes, and compares them with those of a file.
struct Against {
    size: u64,
    there: Option<File>,
}

impl Write for Against {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.size = self.size.saturating_add(bytes.len() as u64);
        let mut there = [0; 1 << 14];
        for bytes in bytes.chunks(there.len()) {
            let there = there.get_mut(..bytes.len()).unwrap_or_default();
            self.there.take_if(|file| file.read_exact(there).is_err() || there != bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
