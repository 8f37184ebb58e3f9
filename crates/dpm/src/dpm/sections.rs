//! Reads the sections of a DPM file. Shared sections are decoded once.

use super::decode;
use super::layout::MeshLayout;
use super::model::{Frame, Mesh, PoseId, Vertices};
use super::parse::{Header, MeshHeader, bone, frame_header, mesh_header};
use super::record::{bone as bone_record, frame, header as h, influence, mesh as m, vertex};
use super::rules::{POSE_USER, check_bone_tree, check_count, check_finite_poses, check_influences};
use crate::bone::{Bone, BonePose};
use crate::bone_order::{SORTING, is_in_order};
use crate::decode::{InfluenceSummary, poses};
use crate::record::{WORD, item, length, matrix, texcoord, triangle};
use crate::rules::{CODES, check_triangles};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::layout::Coverage;
use meshwright_core::record::Field;
use meshwright_core::{Cursor, F32, FieldPath, Findings, LimitExceeded, ReadError, SortedMap, Source, bulk};

type Triangles = Arc<Vec<[u32; 3]>>;

/// The frames, the poses, and the offset of each pose.
pub(crate) type FramesAndPoses = (Vec<Frame>, Vec<BonePose>, Vec<u32>);

/// The start of a section, and the number of its items.
type Key = (u32, u32);

/// The sections that were read so far. Shared sections are decoded, charged and stored once.
pub(crate) struct Reader<'s, 'a, 'f> {
    source: &'s Source<'a>,
    num_bones: u32,
    /// The end of the last section.
    end: u64,
    coverage: Coverage,
    vertices: SortedMap<Key, Arc<Vertices>>,
    texcoords: SortedMap<Key, Arc<Vec<[F32; 2]>>>,
    /// The triangle lists, each with its largest vertex index.
    triangles: SortedMap<Key, (Triangles, u32)>,
    groupids: SortedMap<Key, Arc<Vec<u32>>>,
    findings: &'f mut Findings,
}

impl<'s, 'a, 'f> Reader<'s, 'a, 'f> {
    /// Returns a reader that has read only the header.
    pub(crate) fn new(source: &'s Source<'a>, num_bones: u32, findings: &'f mut Findings) -> Self {
        let mut reader = Self {
            source,
            num_bones,
            end: 0,
            coverage: Coverage::new(),
            vertices: SortedMap::new(),
            texcoords: SortedMap::new(),
            triangles: SortedMap::new(),
            groupids: SortedMap::new(),
            findings,
        };
        reader.cover(0, h::SIZE as u64);
        reader
    }

    /// Returns the covered sections, and the end of the last one.
    pub(crate) fn finish(self) -> (Coverage, u64) {
        (self.coverage, self.end)
    }

    fn cover(&mut self, start: u64, len: u64) {
        self.coverage.add(start, len);
        self.end = self.end.max(start.saturating_add(len));
    }

    /// Returns a section of `count` items at `start`, with the fields of the record at `record`. If the section does
    /// not fit into the file, the count is reported as the fault if it is too large for any offset; otherwise the
    /// offset is.
    fn section(
        &mut self,
        (of, record): (&FieldPath<'_>, u64),
        (start, field): (u32, Field),
        (count, counted): (u32, Field),
        size: usize,
    ) -> Result<Cursor<'a, 's>, ReadError> {
        let fits = length(count as usize, size) <= self.source.bytes().len() as u64;
        let fault = if fits { field } else { counted };
        let size = size as u64;
        let cursor = self.source.section(
            &fault.path(of),
            fault.offset_in(record),
            start.into(),
            count.into(),
            size,
        )?;
        self.cover(start.into(), cursor.remaining());
        Ok(cursor)
    }

    /// Returns a section that the header refers to.
    fn table(
        &mut self,
        section: (u32, Field),
        counted: (u32, Field),
        size: usize,
    ) -> Result<Cursor<'a, 's>, ReadError> {
        self.section((&FieldPath::ROOT, 0), section, counted, size)
    }

    pub(crate) fn bones(&mut self, header: &Header) -> Result<Vec<Bone>, ReadError> {
        let (start, n) = (header.ofs_bones, header.num_bones);
        let mut cursor = self.table((start, h::OFS_BONES), (n, h::NUM_BONES), bone_record::SIZE)?;
        let path = FieldPath::ROOT.field("bones");
        let bones =
            cursor.table(&path, h::NUM_BONES.offset_in(0), n.into(), bone_record::SIZE as u64, bone)?;
        if self.findings.is_lenient() && !is_in_order(&bones) {
            self.source.charge(
                &path,
                h::NUM_BONES.offset_in(0),
                "order of bones",
                bones.len() as u64,
                SORTING,
            )?;
        }
        check_bone_tree(&bones, Some(start.into()), self.findings)?;
        Ok(bones)
    }

    pub(crate) fn meshes(&mut self, header: &Header) -> Result<(Vec<Mesh>, Vec<MeshLayout>), ReadError> {
        let n = header.num_meshes;
        let mut cursor = self.table((header.ofs_meshes, h::OFS_MESHES), (n, h::NUM_MESHES), m::SIZE)?;
        let (table, count_at) = (FieldPath::ROOT.field("meshes"), h::NUM_MESHES.offset_in(0));
        let mut meshes = cursor.reserve(&table, count_at, n.into(), m::SIZE as u64)?;
        let mut layouts = cursor.reserve(&table, count_at, n.into(), m::SIZE as u64)?;
        // The memory for finding shared sections, here and in the comparison with the canonical layout.
        self.source.charge(&table, count_at, "sections", n.into(), 512)?;
        for i in 0..n as usize {
            let path = table.index(i);
            let start = cursor.offset();
            let head = cursor.read(&path, mesh_header)?;
            let vertices = self.vertices(&path, start, &head)?;
            let texcoords = self.texcoords(&path, start, &head)?;
            let triangles = self.triangles(&path, start, &head)?;
            let groupids = self.groupids(&path, start, &head)?;
            layouts.push(MeshLayout {
                vertices_len: vertices.stored_len(),
                num_verts: head.num_verts,
                num_tris: head.num_tris,
                ofs_verts: head.ofs_verts,
                ofs_texcoords: head.ofs_texcoords,
                ofs_indices: head.ofs_indices,
                ofs_groupids: head.ofs_groupids,
            });
            meshes.push(Mesh { shader: head.shader, vertices, texcoords, triangles, groupids });
        }
        Ok((meshes, layouts))
    }

    fn vertices(
        &mut self,
        path: &FieldPath<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Arc<Vertices>, ReadError> {
        let key = (head.ofs_verts, head.num_verts);
        if let Some(known) = self.vertices.get(&key) {
            return Ok(Arc::clone(known));
        }
        let field = m::OFS_VERTS;
        let cursor = self.source.from(&field.path(path), field.offset_in(start), head.ofs_verts.into())?;
        let bytes = cursor.rest();
        let path = path.field("verts");
        // The minimum size of a vertex: a count and one influence; for a lenient reader only the count.
        let least = if self.findings.is_lenient() { vertex::SIZE } else { decode::SINGLE };
        let count_at = m::NUM_VERTS.offset_in(start);
        let mut counts = cursor.reserve(&path, count_at, head.num_verts.into(), least as u64)?;
        let verts = head.num_verts as usize;
        let single = decode::are_single(bytes, verts);
        let (len, total) = if single {
            counts.resize(verts, 1);
            (verts.saturating_mul(decode::SINGLE), u64::from(head.num_verts))
        } else {
            self.walk(&path, head, bytes, &mut counts)?
        };
        let mut influences = cursor.reserve(&path, count_at, total, influence::SIZE as u64)?;
        let seen: InfluenceSummary = if single {
            decode::single_vertices(bytes, verts, &mut influences)
        } else {
            decode::vertices(bytes, &counts, &mut influences)
        };
        let vertices = Vertices { counts, influences };
        let (bones, at) = (self.num_bones as usize, Some(head.ofs_verts.into()));
        check_influences(&vertices, seen, bones, &path, at, self.findings)?;
        self.cover(head.ofs_verts.into(), len as u64);
        let vertices = Arc::new(vertices);
        self.vertices.insert(key, Arc::clone(&vertices));
        Ok(vertices)
    }

    /// Steps from vertex to vertex and stores their counts. Returns the number of bytes and of influences.
    fn walk(
        &mut self,
        path: &FieldPath<'_>,
        head: &MeshHeader,
        bytes: &[u8],
        counts: &mut Vec<u32>,
    ) -> Result<(usize, u64), ReadError> {
        let (mut rest, mut total) = (bytes, 0_u64);
        for v in 0..head.num_verts as usize {
            let vertex = path.index(v);
            let at = item(head.ofs_verts.into(), bytes.len().saturating_sub(rest.len()), 1);
            let short = |message: String| {
                self.source.broken(CODES.short, &vertex::NUM_BONES.path(&vertex), at, message)
            };
            let Some((word, tail)) = rest.split_first_chunk::<{ vertex::SIZE }>() else {
                return Err(short("cut short: the file ends here".into()));
            };
            let count = u32::from_be_bytes(*word);
            check_count(count.into(), &vertex, Some(at), self.findings)?;
            let len = usize::try_from(length(count as usize, influence::SIZE)).ok();
            let Some(tail) = len.and_then(|n| tail.get(n..)) else {
                return Err(short(format!("{count} influences exceed the file")));
            };
            total = total.saturating_add(count.into());
            counts.push(count);
            rest = tail;
        }
        Ok((bytes.len().saturating_sub(rest.len()), total))
    }

    fn texcoords(
        &mut self,
        path: &FieldPath<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Arc<Vec<[F32; 2]>>, ReadError> {
        let key = (head.ofs_texcoords, head.num_verts);
        if let Some(known) = self.texcoords.get(&key) {
            return Ok(Arc::clone(known));
        }
        let (field, counted) = ((key.0, m::OFS_TEXCOORDS), (key.1, m::NUM_VERTS));
        let cursor = self.section((path, start), field, counted, texcoord::SIZE)?;
        let at = m::OFS_TEXCOORDS.offset_in(start);
        let mut items = cursor.reserve(&path.field("texcoords"), at, key.1.into(), texcoord::SIZE as u64)?;
        bulk::extend_be_f32s(cursor.rest(), &mut items);
        let items = Arc::new(items);
        self.texcoords.insert(key, Arc::clone(&items));
        Ok(items)
    }

    fn triangles(
        &mut self,
        path: &FieldPath<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Triangles, ReadError> {
        let key = (head.ofs_indices, head.num_tris);
        let list = path.field("tris");
        let known = self.triangles.get(&key).cloned();
        let (all, max) = match known {
            Some(known) => known,
            None => {
                let (field, counted) = ((key.0, m::OFS_INDICES), (key.1, m::NUM_TRIS));
                let cursor = self.section((path, start), field, counted, triangle::SIZE)?;
                let at = m::OFS_INDICES.offset_in(start);
                let mut items = cursor.reserve(&list, at, key.1.into(), triangle::SIZE as u64)?;
                let max = bulk::extend_be_u32s(cursor.rest(), &mut items);
                let entry = (Arc::new(items), max);
                self.triangles.insert(key, entry.clone());
                entry
            }
        };
        check_triangles(&all, max, head.num_verts as usize, &list, Some(key.0.into()), self.findings)?;
        Ok(all)
    }

    fn groupids(
        &mut self,
        path: &FieldPath<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Arc<Vec<u32>>, ReadError> {
        let key = (head.ofs_groupids, head.num_tris);
        if let Some(known) = self.groupids.get(&key) {
            return Ok(Arc::clone(known));
        }
        let (field, counted) = ((key.0, m::OFS_GROUPIDS), (key.1, m::NUM_TRIS));
        let cursor = self.section((path, start), field, counted, WORD)?;
        let at = m::OFS_GROUPIDS.offset_in(start);
        let mut items = cursor.reserve(&path.field("groupids"), at, key.1.into(), WORD as u64)?;
        bulk::extend_be_u32(cursor.rest(), &mut items);
        let items = Arc::new(items);
        self.groupids.insert(key, Arc::clone(&items));
        Ok(items)
    }

    pub(crate) fn frames(&mut self, header: &Header) -> Result<FramesAndPoses, ReadError> {
        let n = header.num_frames;
        let cursor = self.table((header.ofs_frames, h::OFS_FRAMES), (n, h::NUM_FRAMES), frame::SIZE)?;
        let (table, count_at) = (FieldPath::ROOT.field("frames"), h::NUM_FRAMES.offset_in(0));
        let mut frames: Vec<Frame> = cursor.reserve(&table, count_at, n.into(), frame::SIZE as u64)?;
        let mut pointers: Vec<u32> = cursor.reserve(&table, count_at, n.into(), frame::SIZE as u64)?;
        // The largest valid offset of a pose.
        let pose = length(self.num_bones as usize, matrix::SIZE);
        let last = (self.source.bytes().len() as u64).checked_sub(pose);
        for (i, record) in cursor.rest().as_chunks::<{ frame::SIZE }>().0.iter().enumerate() {
            let (frame, pointer) = frame_header(record);
            if last.is_none_or(|last| u64::from(pointer) > last) {
                let (field, path) = (frame::OFS_POSE, table.index(i));
                let at = field.offset_in(item(header.ofs_frames.into(), i, frame::SIZE));
                let (start, bones) = (pointer.into(), self.num_bones.into());
                self.source.section(&field.path(&path), at, start, bones, matrix::SIZE as u64)?;
            }
            frames.push(frame);
            pointers.push(pointer);
        }
        self.source.charge(&table, count_at, "poses", n.into(), WORD)?;
        let offsets = number_poses(&mut frames, &pointers);
        let (poses, finite) = self.poses(&offsets)?;
        if !finite {
            let (bones, each) = (self.num_bones as usize, POSE_USER);
            self.source.charge(&table, count_at, "users of poses", offsets.len() as u64, each)?;
            let at = |p: usize| offsets.get(p).map(|&o| o.into());
            check_finite_poses(&frames, &poses, bones, at, self.findings)?;
        }
        Ok((frames, poses, offsets))
    }

    /// Reads the poses at the given offsets. Also returns whether all of them are finite.
    fn poses(&mut self, offsets: &[u32]) -> Result<(Vec<BonePose>, bool), ReadError> {
        let (frames, count_at) = (FieldPath::ROOT.field("frames"), h::NUM_FRAMES.offset_in(0));
        // Memory for runs of consecutive poses.
        let each = Coverage::SECTION.saturating_add(32);
        self.source.charge(&frames, count_at, "sections", offsets.len() as u64, each)?;
        let (path, count_at) = (FieldPath::ROOT.field("poses"), h::NUM_BONES.offset_in(0));
        let total = (offsets.len() as u64).saturating_mul(self.num_bones.into());
        self.source.charge(&path, count_at, "poses", total, size_of::<BonePose>())?;
        let mut all: Vec<BonePose> = Vec::new();
        if usize::try_from(total).ok().and_then(|n| all.try_reserve_exact(n).ok()).is_none() {
            let wanted = total.saturating_mul(matrix::SIZE as u64);
            let e = LimitExceeded::bytes("poses", wanted, self.source.budget().remaining());
            return Err(self.source.over_limit(&path, count_at, e));
        }
        let (mut finite, stride) = (true, length(self.num_bones as usize, matrix::SIZE));
        // Most files have their poses one after the other; each run is decoded at once.
        for row in offsets.chunk_by(|a, b| u64::from(*a).saturating_add(stride) == u64::from(*b)) {
            let start = row.first().copied().unwrap_or_default();
            let section = self.source.section(&path, 0, start.into(), row.len() as u64, stride)?;
            self.cover(start.into(), section.remaining());
            finite &= poses(section.rest(), &mut all);
        }
        Ok((all, finite))
    }
}

/// Sets the pose numbers of frames. Poses are numbered in the order of their offsets, which are returned. In
/// nearly every file that is the order of the frames.
fn number_poses(frames: &mut [Frame], pointers: &[u32]) -> Vec<u32> {
    let number = |i: usize| PoseId(u32::try_from(i).unwrap_or(u32::MAX));
    let mut offsets = pointers.to_vec();
    if offsets.is_sorted_by(|a, b| a < b) {
        for (i, frame) in frames.iter_mut().enumerate() {
            frame.pose = number(i);
        }
    } else {
        offsets.order();
        offsets.dedup();
        for (frame, pointer) in frames.iter_mut().zip(pointers) {
            frame.pose = number(offsets.binary_search(pointer).unwrap_or_default());
        }
    }
    offsets
}
