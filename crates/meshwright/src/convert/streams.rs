//! Files of a conversion that are written where they are wanted.

#[cfg(feature = "gltf")]
use meshwright_gltf::Gltf;
use meshwright_scene::OutputFile;
use std::io::{self, Write};
use std::marker::PhantomData;

/// A file of a conversion. Where its format allows it, arrays that it holds as the scene does are in memory once.
#[derive(Debug)]
#[non_exhaustive]
pub struct StreamedFile<'s> {
    /// The name.
    pub name: String,
    unedited: bool,
    content: Content<'s>,
}

#[derive(Debug)]
pub(super) enum Content<'s> {
    Bytes(Vec<u8>, PhantomData<&'s ()>),
    #[cfg(feature = "gltf")]
    Glb(Box<Gltf<'s>>),
    /// Only the buffer of a glTF document.
    #[cfg(feature = "gltf")]
    Buffer(Box<Gltf<'s>>),
}

impl<'s> StreamedFile<'s> {
    pub(super) fn new(name: impl Into<String>, content: Content<'s>) -> Self {
        Self { name: name.into(), unedited: false, content }
    }

    pub(super) fn with_unedited(mut self, unedited: bool) -> Self {
        self.unedited = unedited;
        self
    }

    /// Returns true for a companion that is copied unchanged: it need not replace an existing file.
    pub fn is_unedited(&self) -> bool {
        self.unedited
    }

    /// Writes the file: a few long pieces, and a short one for each short array.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_to(&self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        match &self.content {
            Content::Bytes(bytes, _) => to.write_all(bytes),
            #[cfg(feature = "gltf")]
            Content::Glb(gltf) => gltf.write_glb(to),
            #[cfg(feature = "gltf")]
            Content::Buffer(gltf) => gltf.write_buffer(to),
        }
    }

    /// Returns the content, which collects short pieces when it is written.
    #[cfg(feature = "output")]
    pub fn into_content(self) -> meshwright_files::output::Content<'s> {
        Box::new(move |out| {
            let mut out = io::BufWriter::with_capacity(1 << 16, out);
            self.write_to(&mut out)?;
            out.flush()
        })
    }

    /// Returns the content, if it is in memory.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes, _) => Some(bytes),
            #[cfg(feature = "gltf")]
            Content::Glb(_) | Content::Buffer(_) => None,
        }
    }

    /// Returns the file in memory.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.content {
            Content::Bytes(bytes, _) => bytes,
            #[cfg(feature = "gltf")]
            Content::Glb(gltf) => gltf.into_glb(),
            #[cfg(feature = "gltf")]
            Content::Buffer(gltf) => gltf.buffer(),
        }
    }
}

impl From<OutputFile> for StreamedFile<'_> {
    fn from(file: OutputFile) -> Self {
        Self::new(file.name, Content::Bytes(file.bytes, PhantomData))
    }
}
