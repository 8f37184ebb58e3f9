//! The finished document.

use crate::document::{Buffer, Tables, to_json};
use crate::export::buffer_pieces::Pieces;
use crate::export::output::Output;
use meshwright_scene::{ConvertError, MeshId};
use std::io::{self, Write};

/// A glTF document with its buffer, checked and laid out. Arrays with the same layout in file and scene are borrowed
/// until they are written.
#[derive(Clone)]
pub struct Gltf<'s> {
    tables: Tables<'static>,
    /// The document as the JSON of a GLB.
    json: String,
    buffer: Pieces<'s>,
    meshes: Vec<MeshId>,
    clips: Vec<usize>,
}

const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";
const HEADER: u64 = 12;
const CHUNK: u64 = 8;

/// Returns the length of a GLB with these chunks, which must fit 32 bits.
fn glb_length(json: u64, bin: u64) -> Result<u32, ConvertError> {
    let chunk = |n: u64| if n == 0 { 0 } else { CHUNK.saturating_add(n.div_ceil(4).saturating_mul(4)) };
    let length = HEADER.saturating_add(chunk(json)).saturating_add(chunk(bin));
    u32::try_from(length).map_err(|_| {
        let message = format!("{length} bytes do not fit the 32-bit length of a GLB (4 GiB)");
        ConvertError::unsupported("glb", message)
    })
}

/// Returns a length that [`glb_length`] has checked to fit.
fn length32(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes()
}

impl std::fmt::Debug for Gltf<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gltf").field("glb_len", &self.glb_len()).finish_non_exhaustive()
    }
}

impl<'s> Gltf<'s> {
    pub(crate) fn new(out: Output<'s>, meshes: Vec<MeshId>, clips: Vec<usize>) -> Result<Self, ConvertError> {
        let Output { mut tables, mut buffer, memory, .. } = out;
        let length = buffer.align();
        if length > 0 {
            tables.buffers.push(Buffer { length: length as u64, uri: None, fallback: false });
        }
        let mut json = to_json(&tables, None);
        memory.charge_items("JSON", json.len() as u64, 1)?;
        while !json.len().is_multiple_of(4) {
            json.push(' ');
        }
        glb_length(json.len() as u64, length as u64)?;
        Ok(Self { tables, json, buffer, meshes, clips })
    }

    /// Copies the arrays that borrow from the scene.
    #[must_use]
    pub fn into_owned(self) -> Gltf<'static> {
        let Self { tables, json, buffer, meshes, clips } = self;
        Gltf { tables, json, buffer: buffer.into_owned(), meshes, clips }
    }

    #[cfg(test)]
    pub(crate) const fn tables(&self) -> &Tables<'static> {
        &self.tables
    }

    /// Returns the mesh of the scene that each mesh of the document came from. Empty meshes are not written.
    pub fn mesh_sources(&self) -> &[MeshId] {
        &self.meshes
    }

    /// Returns the clip of the scene that each animation of the document came from. Empty clips are not written.
    pub fn clip_sources(&self) -> &[usize] {
        &self.clips
    }

    /// Returns the length of [`to_glb`](Self::to_glb).
    pub fn glb_len(&self) -> u64 {
        glb_length(self.json.len() as u64, self.buffer.len() as u64).map_or(u64::MAX, u64::from)
    }

    /// Returns the document as one binary file.
    pub fn to_glb(&self) -> Vec<u8> {
        let mut glb = Vec::with_capacity(usize::try_from(self.glb_len()).unwrap_or(0));
        // Writing into memory does not fail.
        let _ = self.write_glb(&mut glb);
        glb
    }

    /// Returns the document as one binary file; its own data is freed as it is written.
    pub fn into_glb(self) -> Vec<u8> {
        let mut glb = Vec::with_capacity(usize::try_from(self.glb_len()).unwrap_or(0));
        // Writing into memory does not fail.
        let _ = self.write_start(&mut glb).and_then(|()| self.buffer.drain_to(&mut glb));
        glb
    }

    /// Writes the document as one binary file, without a copy in memory: a few long pieces, and a short one for each short
    /// array.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_glb(&self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.write_start(to)?;
        self.buffer.write_to(to)
    }

    /// Writes the bytes before the buffer.
    fn write_start(&self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let length = u32::try_from(self.glb_len()).unwrap_or(u32::MAX);
        to.write_all(b"glTF")?;
        to.write_all(&2_u32.to_le_bytes())?;
        to.write_all(&length.to_le_bytes())?;
        to.write_all(&length32(self.json.len()))?;
        to.write_all(&JSON)?;
        to.write_all(self.json.as_bytes())?;
        if self.buffer.len() > 0 {
            to.write_all(&length32(self.buffer.len()))?;
            to.write_all(&BIN)?;
        }
        Ok(())
    }

    /// Returns the length of the buffer: 0 if the scene holds nothing to draw or move.
    pub fn buffer_len(&self) -> u64 {
        self.buffer.len() as u64
    }

    /// Returns the buffer.
    pub fn buffer(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.buffer.len());
        // Writing into memory does not fail.
        let _ = self.write_buffer(&mut bytes);
        bytes
    }

    /// Writes the buffer, without a copy in memory.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_buffer(&self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.buffer.write_to(to)
    }

    /// Returns the document as JSON that refers to the buffer as the companion file `bin_name`.
    pub fn to_json(&self, bin_name: &str) -> Vec<u8> {
        to_json(&self.tables, Some(&percent_encoded(bin_name))).into_bytes()
    }

    /// Returns the document as JSON, and the buffer that it refers to as the companion file `bin_name`. The buffer is empty,
    /// and not referred to, if the scene holds nothing to draw or move.
    pub fn to_gltf(&self, bin_name: &str) -> (Vec<u8>, Vec<u8>) {
        (self.to_json(bin_name), self.buffer())
    }
}

/// Returns a file name as a relative URI.
fn percent_encoded(name: &str) -> String {
    let mut uri = String::new();
    for b in name.bytes() {
        if b.is_ascii_alphanumeric() || b"-._~".contains(&b) {
            uri.push(char::from(b));
        } else {
            uri.push_str(&format!("%{b:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glb_beyond_32_bits_is_refused() {
        assert_eq!(glb_length(4, 0), Ok(24));
        assert_eq!(glb_length(4, 4), Ok(36));
        assert_eq!(glb_length(4, u64::from(u32::MAX) - 35), Ok(u32::MAX - 3));
        for bin in [u64::from(u32::MAX) - 34, u64::from(u32::MAX), u64::MAX] {
            let error = glb_length(4, bin).unwrap_err();
            assert!(error.to_string().contains("4 GiB"), "{error}");
        }
    }

    #[test]
    fn names_become_uris() {
        assert_eq!(percent_encoded("a b/é%.bin"), "a%20b%2F%C3%A9%25.bin");
    }
}
