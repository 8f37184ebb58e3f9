//! Random access to the bytes of a file or of memory.

use std::fmt::Debug;
use std::io;

/// Bytes with random access: a file that is read in parts, or bytes in memory.
pub trait ByteSource: Debug + Send + Sync {
    /// Returns the number of bytes.
    fn size(&self) -> u64;

    /// Fills `into` with the bytes from `offset` on.
    ///
    /// # Errors
    /// If there are fewer bytes, or the system reports an error.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()>;
}

impl ByteSource for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).ok().and_then(|from| self.get(from..)?.get(..into.len()));
        let from = from.ok_or(io::ErrorKind::UnexpectedEof)?;
        into.copy_from_slice(from);
        Ok(())
    }
}
