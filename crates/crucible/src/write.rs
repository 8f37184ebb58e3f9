//! Writing, mirroring the reader. Blocks that were read are written as they were.

use crate::lz4::{self, MAX_BLOCK};
use crate::model::{CModel, Chunk, Stream};
use crate::read::MAGIC;
use crate::shape::{Broken, Place, Shape};
use crate::skeleton::{Bone, SkeletonChunk};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Path, WriteError};

/// A count as a field of the format.
fn fit(path: &Path<'_>, what: &'static str, value: u64, limit: u32) -> Result<u32, WriteError> {
    WriteError::fit(path, what, value, limit)
}

/// The block of `data` with its two sizes in front, and `between` them and the block whatever stands there.
fn put_block(
    w: &mut ByteWriter,
    path: &Path<'_>,
    packed: Option<&[u8]>,
    data: &[u8],
    between: &[u8],
) -> Result<(), WriteError> {
    // The limit of the compressors lies below 2^31, so that both sizes fit their signed fields.
    let size =
        fit(&path.field("size"), "decoded size", data.len() as u64, u32::try_from(MAX_BLOCK).unwrap_or(0))?;
    let block = lz4::block(packed, data);
    let len = fit(&path.field("packed"), "block length", block.len() as u64, i32::MAX.cast_unsigned())?;
    w.le_u32(len);
    w.le_u32(size);
    w.bytes(between);
    w.bytes(&block);
    Ok(())
}

fn put_stream(w: &mut ByteWriter, path: &Path<'_>, stream: &Stream<'_>) -> Result<(), WriteError> {
    put_block(w, path, stream.packed(), stream.data(), &[])
}

impl Chunk<'_> {
    /// Writes the chunk. Streams that were read and not edited keep their compressed bytes, so that a chunk
    /// that was read is written byte for byte; new streams are compressed for the engine's own LZ4.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut w = ByteWriter::with_capacity(self.written_size());
        self.put(&mut w, &Path::ROOT)?;
        Ok(w.into_bytes())
    }

    fn written_size(&self) -> usize {
        let streams = self.streams.iter().map(|s| &s.stream).chain([&self.indices]);
        let size = |s: &Stream<'_>| s.packed().map_or(s.data().len() / 2, <[u8]>::len).saturating_add(16);
        streams.map(size).fold(self.tail.len(), usize::saturating_add)
    }

    fn put(&self, w: &mut ByteWriter, path: &Path<'_>) -> Result<(), WriteError> {
        let table = path.field("streams");
        Shape::of(self).check(self.dialect, |Broken { code, place, field, message }| {
            Err(match place {
                Place::Indices => WriteError::invalid(code, &path.field("indices").field(field), message),
                Place::Stream(i) => WriteError::invalid(code, &table.index(i).field(field), message),
            })
        })?;
        let vertices = self.vertex_count();
        if let Some((i, index)) = self.indices().first_beyond(vertices as u64) {
            let message = format!("index {index} of {vertices} vertices");
            return Err(WriteError::invalid("IndexRange", &path.field("indices").index(i), message));
        }
        w.u8(self.index_size.0);
        put_stream(w, &path.field("indices"), &self.indices)?;
        let count = WriteError::fit(&table, "stream count", self.streams.len() as u64, u8::MAX)?;
        w.u8(count);
        for (i, attribute) in self.streams.iter().enumerate() {
            w.le_u16(attribute.flag.0);
            put_stream(w, &table.index(i), &attribute.stream)?;
        }
        w.bytes(&self.tail);
        Ok(())
    }
}

impl CModel<'_> {
    /// Writes the container; see [`Chunk::to_bytes`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let table = Path::ROOT.field("meshes");
        let sizes = self.meshes.iter().map(|m| m.written_size().saturating_add(8));
        let mut w = ByteWriter::with_capacity(sizes.fold(self.tail.len(), usize::saturating_add));
        w.bytes(MAGIC);
        w.le_u32(fit(&table, "mesh count", self.meshes.len() as u64, u32::MAX)?);
        for (i, mesh) in self.meshes.iter().enumerate() {
            let mut chunk = ByteWriter::with_capacity(mesh.written_size());
            mesh.put(&mut chunk, &table.index(i))?;
            w.le_u64(chunk.len() as u64);
            w.bytes(chunk.as_bytes());
        }
        w.bytes(&self.tail);
        Ok(w.into_bytes())
    }
}

fn put_bone(w: &mut ByteWriter, number: u16, bone: &Bone) {
    w.le_u16(number);
    w.le_f32s(&bone.position);
    w.le_f32s(&bone.rotation);
    w.le_f32s(&bone.scale);
    w.le_u16(bone.parent.unwrap_or(0xffff));
    w.le_u16(u16::try_from(bone.children.len()).unwrap_or(u16::MAX));
    for child in &bone.children {
        w.le_u16(*child);
    }
}

impl SkeletonChunk {
    /// Writes the chunk, with the block it was read from when that holds these very bones.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let table = Path::ROOT.field("bones");
        self.check(|fault| {
            let path = match fault.bone {
                Some(i) => table.index(i).field(fault.field).to_owned(),
                None => table.to_owned(),
            };
            Err(WriteError::InvalidModel {
                code: fault.code,
                kind: meshwright_core::Kind::BadValue,
                path,
                message: fault.message,
            })
        })?;
        let count = WriteError::fit(&table, "bone count", self.bones.len() as u64, u16::MAX)?;
        let mut data = ByteWriter::with_capacity(self.bones.len().saturating_mul(48));
        for (number, bone) in (0..u16::MAX).zip(&self.bones) {
            put_bone(&mut data, number, bone);
        }
        let data = data.into_bytes();
        let kept = self.packed.0.as_deref();
        let kept = kept.filter(|p| lz4::decode(p, data.len()).is_ok_and(|held| held == data));
        let mut w = ByteWriter::with_capacity(data.len());
        put_block(&mut w, &table, kept, &data, &count.to_le_bytes())?;
        w.bytes(&self.tail);
        Ok(w.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_beyond_what_compressors_take_is_refused() {
        let limit = u32::try_from(MAX_BLOCK).unwrap();
        let path = Path::ROOT.field("size");
        assert!(fit(&path, "decoded size", MAX_BLOCK, limit).is_ok());
        let e = fit(&path, "decoded size", MAX_BLOCK + 1, limit).unwrap_err();
        assert!(matches!(e, WriteError::DoesNotFit { value: 2_113_929_217, .. }), "{e}");
    }
}
