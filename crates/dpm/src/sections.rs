//! The sections of a DPM file: shared ones are found by their place and decoded once.

use crate::decode;
use crate::layout::{BONE, FRAME, HEADER, MESH, MeshLayout};
use crate::model::{Bone, BonePose, Frame, Influence, Mesh, PoseId, Vertices};
use crate::read::{
    CODES, CORNERS, Forgive, Header, MeshHeader, bone, first_beyond, frame_header, item, mesh_header,
    pose_size,
};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::layout::Coverage;
use meshwright_core::{Cursor, F32, Path, ReadError, Source};

type Triangles = Arc<Vec<[u32; 3]>>;

/// Frames, poses, and the offset of each pose.
pub(crate) type FramesAndPoses = (Vec<Frame>, Vec<BonePose>, Vec<u32>);

/// Where a section starts and how many items it has.
type Key = (u32, u32);

/// Sections read so far. Those that several meshes share are decoded, charged and kept once.
pub(crate) struct Reader<'s, 'a, 'f> {
    source: &'s Source<'a>,
    num_bones: u32,
    /// The end of the section that ends last.
    end: u64,
    coverage: Coverage,
    vertices: BTreeMap<Key, Arc<Vertices>>,
    texcoords: BTreeMap<Key, Arc<Vec<[F32; 2]>>>,
    /// With the greatest vertex number.
    triangles: BTreeMap<Key, (Triangles, u32)>,
    groupids: BTreeMap<Key, Arc<Vec<u32>>>,
    forgive: &'f mut Forgive,
}

impl<'s, 'a, 'f> Reader<'s, 'a, 'f> {
    /// A reader that has seen the header alone.
    pub(crate) fn new(source: &'s Source<'a>, num_bones: u32, forgive: &'f mut Forgive) -> Self {
        let mut reader = Self {
            source,
            num_bones,
            end: 0,
            coverage: Coverage::new(),
            vertices: BTreeMap::new(),
            texcoords: BTreeMap::new(),
            triangles: BTreeMap::new(),
            groupids: BTreeMap::new(),
            forgive,
        };
        reader.cover(0, HEADER);
        reader
    }

    /// What is covered, and the end of the section that ends last.
    pub(crate) fn finish(self) -> (Coverage, u64) {
        (self.coverage, self.end)
    }

    fn cover(&mut self, start: u64, len: u64) {
        self.coverage.add(start, len);
        self.end = self.end.max(start.saturating_add(len));
    }

    /// A section of `count` items, which begins at `start`; each comes with the field of `of` that holds it and
    /// where that is. Of a section outside the file the count is at fault when so many fit nowhere.
    fn section(
        &mut self,
        of: &Path<'_>,
        (start, field, field_at): (u32, &'static str, u64),
        (count, counted, counted_at): (u32, &'static str, u64),
        size: u64,
    ) -> Result<Cursor<'a, 's>, ReadError> {
        let fits = u64::from(count).saturating_mul(size) <= self.source.bytes().len() as u64;
        let (field, at) = if fits { (field, field_at) } else { (counted, counted_at) };
        let cursor = self.source.section(&of.field(field), at, start.into(), count.into(), size)?;
        self.cover(start.into(), cursor.remaining());
        Ok(cursor)
    }

    pub(crate) fn bones(&mut self, header: &Header) -> Result<Vec<Bone>, ReadError> {
        let root = Path::ROOT;
        let (at, n) = (header.ofs_bones, header.num_bones);
        let mut cursor = self.section(&root, (at, "ofs_bones", 68), (n, "num_bones", 56), BONE)?;
        let path = root.field("bones");
        let bones = cursor.table(&path, 56, n.into(), BONE, bone)?;
        for (i, bone) in bones.iter().enumerate() {
            let before = bone.parent().is_none_or(|p| p < i);
            if bone.parent >= -1 && before {
                continue;
            }
            let message = if before {
                format!("parent {} of bone {i} is below -1", bone.parent)
            } else {
                format!("parent {} of bone {i} is not before it", bone.parent)
            };
            let offset = item(at.into(), i, BONE).saturating_add(32);
            let e = self.source.malformed("bad-parent", &path.index(i).field("parent"), offset, message);
            if before {
                self.forgive.pass(e)?;
            } else {
                return Err(e);
            }
        }
        Ok(bones)
    }

    pub(crate) fn meshes(&mut self, header: &Header) -> Result<(Vec<Mesh>, Vec<MeshLayout>), ReadError> {
        let root = Path::ROOT;
        let (at, n) = (header.ofs_meshes, header.num_meshes);
        let mut cursor = self.section(&root, (at, "ofs_meshs", 72), (n, "num_meshs", 60), MESH)?;
        let table = root.field("meshes");
        let mut meshes = cursor.reserve(&table, 60, n.into(), MESH)?;
        let mut layouts = cursor.reserve(&table, 60, n.into(), MESH)?;
        // What it takes to find shared sections, here and when the layout is compared with the canonical one.
        self.source.charge(&table, 60, "sections", n.into(), 512)?;
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
        path: &Path<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Arc<Vertices>, ReadError> {
        let key = (head.ofs_verts, head.num_verts);
        if let Some(known) = self.vertices.get(&key) {
            return Ok(Arc::clone(known));
        }
        let cursor =
            self.source.from(&path.field("ofs_verts"), start.saturating_add(40), head.ofs_verts.into())?;
        let bytes = cursor.rest();
        let path = path.field("verts");
        // The least a vertex takes: a count and one influence; for a lenient reader the count alone.
        let least = if self.forgive.lenient { 4 } else { 36 };
        let count_at = start.saturating_add(32);
        let mut counts = cursor.reserve(&path, count_at, head.num_verts.into(), least)?;
        let verts = head.num_verts as usize;
        let single = decode::are_single(bytes, verts);
        let (len, total) = if single {
            counts.resize(verts, 1);
            (verts.saturating_mul(36), u64::from(head.num_verts))
        } else {
            self.walk(&path, head, bytes, &mut counts)?
        };
        let mut influences = cursor.reserve(&path, count_at, total, Influence::SIZE)?;
        let seen = if single {
            decode::single_vertices(bytes, verts, &mut influences)
        } else {
            decode::vertices(bytes, &counts, &mut influences)
        };
        let vertices = Vertices { counts, influences };
        if seen.non_finite || seen.max_bone >= self.num_bones {
            self.explain_vertices(&path, head.ofs_verts, &vertices)?;
        }
        self.cover(head.ofs_verts.into(), len as u64);
        let vertices = Arc::new(vertices);
        self.vertices.insert(key, Arc::clone(&vertices));
        Ok(vertices)
    }

    /// Steps from vertex to vertex, notes their counts, and answers how many bytes and influences they have.
    fn walk(
        &mut self,
        path: &Path<'_>,
        head: &MeshHeader,
        bytes: &[u8],
        counts: &mut Vec<u32>,
    ) -> Result<(usize, u64), ReadError> {
        let (mut rest, mut total) = (bytes, 0_u64);
        for v in 0..head.num_verts as usize {
            let offset = |rest: &[u8]| item(head.ofs_verts.into(), bytes.len().saturating_sub(rest.len()), 1);
            let short = |rest: &[u8], message: &str| {
                let field = path.index(v);
                self.source.malformed(
                    CODES.short,
                    &field.field("numbones"),
                    offset(rest),
                    String::from(message),
                )
            };
            let Some((word, tail)) = rest.split_first_chunk::<4>() else {
                return Err(short(rest, "cut short: the file ends here"));
            };
            let count = u32::from_be_bytes(*word);
            if count == 0 {
                let field = path.index(v);
                let field = field.field("numbones");
                let message = "a vertex needs at least one influence";
                let e = self.source.malformed("no-influence", &field, offset(rest), message);
                self.forgive.pass(e)?;
            }
            let len = u64::from(count).checked_mul(Influence::SIZE).and_then(|n| usize::try_from(n).ok());
            let Some(tail) = len.and_then(|n| tail.get(n..)) else {
                return Err(short(rest, &format!("{count} influences exceed the file")));
            };
            total = total.saturating_add(count.into());
            counts.push(count);
            rest = tail;
        }
        Ok((bytes.len().saturating_sub(rest.len()), total))
    }

    /// Finds what is wrong with vertices that are known to hold a fault.
    fn explain_vertices(&mut self, path: &Path<'_>, start: u32, v: &Vertices) -> Result<(), ReadError> {
        let mut offset = u64::from(start);
        for (i, influences) in v.iter().enumerate() {
            offset = offset.saturating_add(4);
            let vertex = path.index(i);
            let list = vertex.field("bones");
            for (k, influence) in influences.iter().enumerate() {
                let path = list.index(k);
                if influence.bone >= self.num_bones {
                    let message = format!("bone {} of {}", influence.bone, self.num_bones);
                    let (at, path) = (offset.saturating_add(28), path.field("bonenum"));
                    return Err(self.source.malformed("bad-bone-index", &path, at, message));
                }
                for (field, at, values) in [
                    ("origin", 0, influence.origin.as_slice()),
                    ("influence", 12, core::slice::from_ref(&influence.influence)),
                    ("normal", 16, influence.normal.as_slice()),
                ] {
                    if let Some(bad) = values.iter().find(|f| !f.is_finite()) {
                        let (at, message) = (offset.saturating_add(at), format!("{bad:?} is not finite"));
                        let e = self.source.malformed("non-finite", &path.field(field), at, message);
                        self.forgive.pass(e)?;
                    }
                }
                offset = offset.saturating_add(Influence::SIZE);
            }
        }
        Ok(())
    }

    fn texcoords(
        &mut self,
        path: &Path<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Arc<Vec<[F32; 2]>>, ReadError> {
        let key = (head.ofs_texcoords, head.num_verts);
        if let Some(known) = self.texcoords.get(&key) {
            return Ok(Arc::clone(known));
        }
        let at = start.saturating_add(44);
        let counted = (key.1, "num_verts", start.saturating_add(32));
        let cursor = self.section(path, (key.0, "ofs_texcoords", at), counted, 8)?;
        let mut items = cursor.reserve(&path.field("texcoords"), at, key.1.into(), 8)?;
        decode::pairs(cursor.rest(), &mut items);
        let items = Arc::new(items);
        self.texcoords.insert(key, Arc::clone(&items));
        Ok(items)
    }

    fn triangles(&mut self, path: &Path<'_>, start: u64, head: &MeshHeader) -> Result<Triangles, ReadError> {
        let key = (head.ofs_indices, head.num_tris);
        let known = self.triangles.get(&key).cloned();
        let (triangles, max) = match known {
            Some(known) => known,
            None => {
                let at = start.saturating_add(48);
                let counted = (key.1, "num_tris", start.saturating_add(36));
                let cursor = self.section(path, (key.0, "ofs_indices", at), counted, 12)?;
                let mut items = cursor.reserve(&path.field("tris"), at, key.1.into(), 12)?;
                let max = decode::triangles(cursor.rest(), &mut items);
                let entry = (Arc::new(items), max);
                self.triangles.insert(key, entry.clone());
                entry
            }
        };
        if max >= head.num_verts
            && let Some((t, corner, v)) = first_beyond(&triangles, head.num_verts)
        {
            let message = format!("index {v} of {} vertices", head.num_verts);
            let offset = item(key.0.into(), t, 12).saturating_add(item(0, corner, 4));
            let path = path.field("tris");
            let path = path.index(t);
            let field = path.field(CORNERS.get(corner).copied().unwrap_or("v"));
            return Err(self.source.malformed("bad-vertex-index", &field, offset, message));
        }
        Ok(triangles)
    }

    fn groupids(
        &mut self,
        path: &Path<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Arc<Vec<u32>>, ReadError> {
        let key = (head.ofs_groupids, head.num_tris);
        if let Some(known) = self.groupids.get(&key) {
            return Ok(Arc::clone(known));
        }
        let at = start.saturating_add(52);
        let counted = (key.1, "num_tris", start.saturating_add(36));
        let cursor = self.section(path, (key.0, "ofs_groupids", at), counted, 4)?;
        let mut items = cursor.reserve(&path.field("groupids"), at, key.1.into(), 4)?;
        meshwright_core::bulk::extend_be_u32(cursor.rest(), &mut items);
        let items = Arc::new(items);
        self.groupids.insert(key, Arc::clone(&items));
        Ok(items)
    }

    pub(crate) fn frames(&mut self, header: &Header) -> Result<FramesAndPoses, ReadError> {
        let root = Path::ROOT;
        let (at, n) = (header.ofs_frames, header.num_frames);
        let mut cursor = self.section(&root, (at, "ofs_frames", 76), (n, "num_frames", 64), FRAME)?;
        let table = root.field("frames");
        let mut frames: Vec<Frame> = cursor.reserve(&table, 64, n.into(), FRAME)?;
        let mut pointers: Vec<u32> = cursor.reserve(&table, 64, n.into(), FRAME)?;
        for i in 0..n as usize {
            let path = table.index(i);
            let start = cursor.offset();
            let (frame, pointer) = cursor.read(&path, frame_header)?;
            let (field, field_at) = (path.field("ofs_bonepositions"), start.saturating_add(64));
            self.source.section(&field, field_at, pointer.into(), self.num_bones.into(), BonePose::SIZE)?;
            frames.push(frame);
            pointers.push(pointer);
        }
        // Distinct poses in the order of their offsets; in nearly every file that is the order of the frames.
        self.source.charge(&table, 64, "poses", n.into(), 4)?;
        let mut offsets = pointers.clone();
        if offsets.is_sorted_by(|a, b| a < b) {
            for (i, frame) in frames.iter_mut().enumerate() {
                frame.pose = PoseId(u32::try_from(i).unwrap_or(u32::MAX));
            }
        } else {
            offsets.sort_unstable();
            offsets.dedup();
            for (frame, pointer) in frames.iter_mut().zip(&pointers) {
                let i = offsets.binary_search(pointer).unwrap_or_default();
                frame.pose = PoseId(u32::try_from(i).unwrap_or(u32::MAX));
            }
        }
        // Rows of poses, and those that are not finite.
        let each = Coverage::SECTION.saturating_add(32);
        self.source.charge(&table, 64, "sections", offsets.len() as u64, each)?;
        let total = (offsets.len() as u64).saturating_mul(self.num_bones.into());
        let count_at = 56;
        self.source.charge(&root.field("poses"), count_at, "poses", total, size_of::<BonePose>())?;
        let mut poses: Vec<BonePose> = Vec::new();
        let room = usize::try_from(total).ok().and_then(|n| poses.try_reserve_exact(n).ok());
        if room.is_none() {
            let wanted = total.saturating_mul(BonePose::SIZE);
            let left = self.source.budget().left();
            let e = meshwright_core::LimitExceeded::bytes("poses", wanted, left);
            return Err(self.source.over_limit(&root.field("poses"), count_at, e));
        }
        let mut bad = Vec::new();
        let (bones, stride) = (self.num_bones, pose_size(self.num_bones));
        // Most files have their poses in a row: each row is decoded as one.
        for row in offsets.chunk_by(|a, b| u64::from(*a).saturating_add(stride) == u64::from(*b)) {
            let first = poses.len();
            let start = row.first().copied().unwrap_or_default();
            let bytes = self.source.section(&root, 0, start.into(), row.len() as u64, stride)?.rest();
            self.cover(start.into(), bytes.len() as u64);
            if !decode::poses(bytes, &mut poses) {
                let one = usize::try_from(bones).unwrap_or(usize::MAX).max(1);
                let new = poses.get(first..).unwrap_or_default().chunks(one).enumerate();
                let before = first.checked_div(one).unwrap_or(0);
                let found = new.filter(|(_, pose)| !decode::poses_are_finite(pose));
                bad.extend(found.map(|(i, _)| before.saturating_add(i)));
            }
        }
        self.explain_poses(&frames, &poses, &offsets, &bad)?;
        Ok((frames, poses, offsets))
    }

    /// Names the elements that are not finite in poses that are known to hold one.
    fn explain_poses(
        &mut self,
        frames: &[Frame],
        poses: &[BonePose],
        offsets: &[u32],
        bad: &[usize],
    ) -> Result<(), ReadError> {
        if bad.is_empty() {
            return Ok(());
        }
        let users = frames.len() as u64;
        self.source.charge(&Path::ROOT.field("frames"), 64, "users of poses", users, 64)?;
        let mut users = BTreeMap::new();
        for (i, frame) in frames.iter().enumerate() {
            users.entry(frame.pose.0 as usize).or_insert(i);
        }
        let table = Path::ROOT.field("frames");
        let bones = usize::try_from(self.num_bones).unwrap_or(usize::MAX).max(1);
        for &p in bad {
            let start = offsets.get(p).copied().unwrap_or_default();
            let frame = table.index(users.get(&p).copied().unwrap_or_default());
            let list = frame.field("poses");
            for (b, pose) in poses.iter().skip(p.saturating_mul(bones)).take(bones).enumerate() {
                let elements = pose.0.as_flattened();
                if let Some((e, value)) = elements.iter().enumerate().find(|(_, v)| !v.is_finite()) {
                    let offset = item(item(start.into(), b, BonePose::SIZE), e, 4);
                    let message = format!("element {e} is {value:?}, not finite");
                    let e = self.source.malformed("non-finite", &list.index(b), offset, message);
                    self.forgive.pass(e)?;
                }
            }
        }
        Ok(())
    }
}
