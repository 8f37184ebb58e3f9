//! Outputs that are not written, only measured and compared with existing files.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

/// The size of an output, and whether the file at its path has the same content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) size: u64,
    pub(super) exists: bool,
}

impl Measured {
    /// Measures a content and compares it with the file at `path`, if there is one.
    pub(super) fn new(
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Self> {
        let is_file = path.metadata().is_ok_and(|meta| meta.is_file());
        let file = if is_file { File::open(path).ok() } else { None };
        let mut comparison = Comparison { size: 0, file };
        content(&mut comparison)?;
        let ends = |mut file: File| file.read(&mut [0]).is_ok_and(|more| more == 0);
        Ok(Self { size: comparison.size, exists: comparison.file.is_some_and(ends) })
    }
}

/// Counts bytes, and compares them with those of a file as long as they are equal.
struct Comparison {
    size: u64,
    file: Option<File>,
}

impl Write for Comparison {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.size = self.size.saturating_add(bytes.len() as u64);
        let mut read = [0; 1 << 14];
        for bytes in bytes.chunks(read.len()) {
            let read = read.get_mut(..bytes.len()).unwrap_or_default();
            self.file.take_if(|file| file.read_exact(read).is_err() || read != bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
