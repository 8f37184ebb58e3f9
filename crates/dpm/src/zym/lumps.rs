//! The lumps of a ZYM file.

use super::decode;
use super::model::{ZymInfluence, ZymRun, ZymScene};
use super::parse::{Header, bone, scene};
use super::record::{LUMPS, bone as bone_record, header as h, lump, scene as scene_record, vertex};
use super::rules::{
    LUMP_SIZE, RENDER, check_bone_tree, check_influences, check_pose_count, check_poses, check_positive,
    check_run, check_scene, check_single,
};
use crate::bone::{Bone, BonePose, Name};
use crate::bone_order::{SORTING, is_in_order};
use crate::decode::poses;
use crate::parse::name;
use crate::record::{WORD, length, matrix, name as name_record, texcoord, triangle};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::record::Field;
use meshwright_core::{Cursor, F32, Fault, FieldPath, Findings, ReadError, Source, bulk};
use nom::number::complete::be_u32;

/// Reads lumps. Their locations in the file are checked already.
pub(crate) struct Reader<'s, 'a, 'f> {
    source: &'s Source<'a>,
    header: &'s Header,
    findings: &'f mut Findings,
    verts: u32,
    tris: u32,
    shaders: u32,
    bones: u32,
    scenes: u32,
}

impl<'s, 'a, 'f> Reader<'s, 'a, 'f> {
    /// Returns a reader. The counts in the header must have been checked.
    pub(crate) fn new(source: &'s Source<'a>, header: &'s Header, findings: &'f mut Findings) -> Self {
        let [verts, tris, shaders, bones, scenes] = header.counts.map(i32::cast_unsigned);
        Self { source, header, findings, verts, tris, shaders, bones, scenes }
    }

    /// Returns the start and length of a lump.
    fn place(&self, field: Field) -> (u64, u64) {
        let place = LUMPS.iter().zip(&self.header.lumps).find(|(lump, _)| **lump == field);
        place.map_or((0, 0), |(_, &(start, len))| (start.into(), len.into()))
    }

    fn start(&self, field: Field) -> Option<u64> {
        Some(self.place(field).0)
    }

    /// Returns a lump of any length.
    fn lump_cursor(&self, field: Field) -> Result<Cursor<'a, 's>, ReadError> {
        let (start, len) = self.place(field);
        self.source.section(&field.path(&FieldPath::ROOT), field.offset_in(0), start, len, 1)
    }

    /// Returns a lump of `count` items of `size` bytes.
    fn items(&self, field: Field, count: u64, size: usize) -> Result<Cursor<'a, 's>, ReadError> {
        let cursor = self.lump_cursor(field)?;
        if count.checked_mul(size as u64) == Some(cursor.remaining()) {
            return Ok(cursor);
        }
        let message = format!("{} bytes, {count} items of {size} bytes expected", cursor.remaining());
        Err(self.bad_size(field, message))
    }

    fn bad_size(&self, field: Field, message: String) -> ReadError {
        self.source.broken(
            LUMP_SIZE,
            &field.path(&FieldPath::ROOT),
            lump::LENGTH.offset_in(field.offset_in(0)),
            message,
        )
    }

    pub(crate) fn poses(&mut self) -> Result<Vec<BonePose>, ReadError> {
        let cursor = self.lump_cursor(h::POSES)?;
        let (len, bones, at) = (cursor.remaining(), self.bones as usize, h::POSES.offset_in(0));
        check_pose_count(len, bones, Some(lump::LENGTH.offset_in(at)), self.findings)?;
        let size = matrix::SIZE as u64;
        let count = len.checked_div(size).unwrap_or(0);
        let mut all =
            cursor.reserve(&FieldPath::ROOT.field("poses"), lump::LENGTH.offset_in(at), count, size)?;
        if !poses(cursor.rest(), &mut all) {
            check_poses(&all, bones, self.start(h::POSES), self.findings)?;
        }
        Ok(all)
    }

    pub(crate) fn scenes(&mut self, matrices: usize) -> Result<Vec<ZymScene>, ReadError> {
        let poses = matrices.checked_div(self.bones as usize).unwrap_or(0);
        let mut cursor = self.items(h::SCENES, self.scenes.into(), scene_record::SIZE)?;
        let (table, count_at) = (FieldPath::ROOT.field("scenes"), h::NUM_SCENES.offset_in(0));
        let mut scenes = cursor.reserve(&table, count_at, self.scenes.into(), scene_record::SIZE as u64)?;
        for i in 0..self.scenes as usize {
            let (path, at) = (table.index(i), cursor.offset());
            let scene = cursor.read(&path, scene)?;
            check_scene(&scene, poses as u64, &path, Some(at), self.findings)?;
            scenes.push(scene);
        }
        Ok(scenes)
    }

    pub(crate) fn bones(&mut self) -> Result<Vec<Bone>, ReadError> {
        let mut cursor = self.items(h::BONES, self.bones.into(), bone_record::SIZE)?;
        let (table, count_at) = (FieldPath::ROOT.field("bones"), h::NUM_BONES.offset_in(0));
        let bones = cursor.table(&table, count_at, self.bones.into(), bone_record::SIZE as u64, bone)?;
        if self.findings.is_lenient() && !is_in_order(&bones) {
            self.source.charge(&table, count_at, "order of bones", bones.len() as u64, SORTING)?;
        }
        check_bone_tree(&bones, self.start(h::BONES), self.findings)?;
        Ok(bones)
    }

    pub(crate) fn vertices(&mut self) -> Result<(Vec<u32>, Vec<ZymInfluence>), ReadError> {
        let n = u64::from(self.verts);
        let count_at = h::NUM_VERTS.offset_in(0);
        let cursor = self.items(h::COUNTS, n, WORD)?;
        let table = FieldPath::ROOT.field("vertbonecounts");
        let mut counts = cursor.reserve(&table, count_at, n, WORD as u64)?;
        bulk::extend_be_u32(cursor.rest(), &mut counts);
        let start = self.start(h::COUNTS);
        check_positive(&counts, start, self.findings)?;
        let total = counts.iter().fold(0_u64, |sum, &c| sum.saturating_add(c.into()));
        let cursor = self.items(h::VERTS, total, vertex::SIZE)?;
        check_single(&counts, start, self.findings)?;
        let table = FieldPath::ROOT.field("verts");
        let mut influences = cursor.reserve(&table, count_at, total, vertex::SIZE as u64)?;
        let seen = decode::vertices(cursor.rest(), &mut influences);
        let start = self.start(h::VERTS);
        check_influences(&influences, seen, self.bones as usize, start, self.findings)?;
        Ok((counts, influences))
    }

    pub(crate) fn texcoords(&self) -> Result<Vec<[F32; 2]>, ReadError> {
        let n = u64::from(self.verts);
        let cursor = self.items(h::TEXCOORDS, n, texcoord::SIZE)?;
        let (path, count_at) = (FieldPath::ROOT.field("texcoords"), h::NUM_VERTS.offset_in(0));
        let mut texcoords = cursor.reserve(&path, count_at, n, texcoord::SIZE as u64)?;
        bulk::extend_be_f32s(cursor.rest(), &mut texcoords);
        Ok(texcoords)
    }

    pub(crate) fn runs(&mut self) -> Result<Vec<ZymRun>, ReadError> {
        let (shaders, tris, verts) = (self.shaders, self.tris, self.verts as usize);
        let mut names = self.items(h::SHADERS, shaders.into(), name_record::SIZE)?;
        let mut cursor = self.lump_cursor(h::RENDER)?;
        let expected = length(shaders as usize, WORD).saturating_add(length(tris as usize, triangle::SIZE));
        if cursor.remaining() != expected {
            let found = cursor.remaining();
            let message =
                format!("{found} bytes, {expected} expected for {shaders} shaders and {tris} triangles");
            return Err(self.bad_size(h::RENDER, message));
        }
        let (table, shader_table) = (FieldPath::ROOT.field("render"), FieldPath::ROOT.field("shaders"));
        let size = name_record::SIZE as u64;
        let mut runs: Vec<ZymRun> =
            names.reserve(&shader_table, h::NUM_SHADERS.offset_in(0), shaders.into(), size)?;
        let mut left = tris;
        for i in 0..shaders as usize {
            let path = table.index(i);
            let shader: Name = names.read(&shader_table.index(i), name)?;
            let at = cursor.offset();
            let count = cursor.read(&path.field("numtris"), be_u32::<&[u8], Fault<'_>>)?;
            left = left.checked_sub(count).ok_or_else(|| {
                let message = format!("{} triangles of {left} that are left", count.cast_signed());
                self.source.broken(RENDER, &path.field("numtris"), at, message)
            })?;
            let list = path.field("tris");
            let start = cursor.offset();
            let mut own = cursor.reserve(&list, at, count.into(), triangle::SIZE as u64)?;
            let bytes = cursor.bytes(&list, length(count as usize, triangle::SIZE))?;
            let max = bulk::extend_be_u32s(bytes, &mut own);
            check_run(i, &own, max, verts, Some(start), self.findings)?;
            runs.push(ZymRun { shader, triangles: own });
        }
        if left > 0 {
            let message = format!("{left} triangles belong to no shader");
            return Err(self.source.broken(RENDER, &table, cursor.offset(), message));
        }
        Ok(runs)
    }

    pub(crate) fn trizone(&self) -> Result<Vec<u8>, ReadError> {
        let cursor = self.items(h::TRIZONE, self.tris.into(), 1)?;
        let (path, at) = (h::TRIZONE.path(&FieldPath::ROOT), h::TRIZONE.offset_in(0));
        self.source.charge(&path, at, "table", cursor.remaining(), 1)?;
        Ok(cursor.rest().to_vec())
    }
}
