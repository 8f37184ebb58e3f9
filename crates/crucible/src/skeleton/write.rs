//! Writing a skeleton chunk.

use crate::block::writable;
use crate::lz4;
use crate::skeleton::model::{Bone, SkeletonChunk};
use crate::skeleton::record::{CHILD, NO_PARENT, bone_header, skeleton_header};
use crate::skeleton::rules::check;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Findings, WriteError};

fn put_bone(w: &mut ByteWriter, number: u16, bone: &Bone) {
    w.record(bone_header::SIZE, |r| {
        r.le_u16(bone_header::INDEX, number);
        r.le_f32s(bone_header::POSITION, &bone.position);
        r.le_f32s(bone_header::ROTATION, &bone.rotation);
        r.le_f32s(bone_header::SCALE, &bone.scale);
        r.le_u16(bone_header::PARENT, bone.parent.unwrap_or(NO_PARENT));
        r.le_u16(bone_header::CHILD_COUNT, u16::try_from(bone.children.len()).unwrap_or(u16::MAX));
    });
    for child in &bone.children {
        w.le_u16(*child);
    }
}

impl SkeletonChunk {
    /// Returns the bones as the bytes of the decoded block.
    pub(crate) fn data(&self) -> Vec<u8> {
        let bone = bone_header::SIZE.saturating_add(CHILD);
        let mut data = ByteWriter::with_capacity(self.bones.len().saturating_mul(bone));
        for (number, bone) in (0..u16::MAX).zip(&self.bones) {
            put_bone(&mut data, number, bone);
        }
        data.into_bytes()
    }

    /// Returns the original block, if it holds exactly these bones.
    pub(crate) fn block_of(&self, data: &[u8]) -> Option<&[u8]> {
        self.packed.get().filter(|p| lz4::decode(p, data.len()).is_ok_and(|held| held == data))
    }

    /// Writes the chunk. Unedited bones are written as the original block.
    ///
    /// # Errors
    /// If the bones form no tree, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        check(self, false, &mut Findings::writing())?;
        let table = FieldPath::ROOT.field("bones");
        let count = WriteError::fit(&table, "bone count", self.bones.len() as u64, u16::MAX)?;
        let data = self.data();
        let block = writable(&table, self.block_of(&data), &data)?;
        let mut w = ByteWriter::with_capacity(data.len());
        w.record(skeleton_header::SIZE, |r| {
            r.le_u32(skeleton_header::PACKED, block.packed);
            r.le_u32(skeleton_header::STATED, block.size);
            r.le_u16(skeleton_header::BONE_COUNT, count);
        });
        w.bytes(&block.bytes);
        w.bytes(&self.tail);
        Ok(w.into_bytes())
    }
}
