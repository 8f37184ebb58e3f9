//! Reading a DPM file: one parser per record, in the order of the format.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use crate::decode;
use crate::layout::{BONE, FRAME, HEADER, Layout, MESH, MeshLayout, Retained};
use crate::model::{Bone, BoneFlags, BonePose, Bounds, Dpm, Frame, Influence, Mesh, Name, PoseId, Vertices};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::layout::Coverage;
use meshwright_core::{
    Budget, Codes, Confidence, Cursor, F32, Fault, Finding, Parsed, Path, ReadError, ReadOptions, Report,
    Source,
};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{be_i32, be_u32};

pub(crate) const CODES: Codes = Codes { short: "out-of-file", count: "out-of-file", limit: "limit" };

pub(crate) type Step<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

const MAGIC: &[u8; 16] = b"DARKPLACESMODEL\0";

impl Dpm {
    /// Reads a file strictly, with the default limits.
    ///
    /// # Errors
    /// When the file breaks a rule of the format, or would take more memory than the default limits allow.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|parsed| parsed.model)
    }

    /// Reads a file.
    ///
    /// A lenient reader passes over, and reports: a stored file size that does not agree with what is there
    /// (`truncated`, `out-of-file`), a parent below -1, which is then a root (`bad-parent`), vertices without
    /// influences (`no-influence`), and floats that are not finite (`non-finite`).
    ///
    /// # Errors
    /// When the file breaks a rule that the options do not forgive, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let mut forgive = Forgive { lenient: options.is_lenient(), report: Report::new() };
        let model = file(bytes, &budget, &mut forgive)?;
        Ok(Parsed::new(model, forgive.report))
    }

    /// Tells by the magic whether the bytes are a DPM file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}

/// Records errors that a lenient reader passes over.
pub(crate) struct Forgive {
    pub lenient: bool,
    pub report: Report,
}

impl Forgive {
    pub(crate) fn pass(&mut self, e: ReadError) -> Result<(), ReadError> {
        if self.lenient {
            self.report.push(Finding::from(&e));
            Ok(())
        } else {
            Err(e)
        }
    }
}

/// Bytes 0..80.
struct Header {
    filesize: u32,
    bounds: Bounds,
    num_bones: u32,
    num_meshes: u32,
    num_frames: u32,
    ofs_bones: u32,
    ofs_meshes: u32,
    ofs_frames: u32,
}

fn magic(i: &[u8]) -> Step<'_, ()> {
    match i.strip_prefix(MAGIC) {
        Some(rest) => Ok((rest, ())),
        None => Err(nom::Err::Error(Fault::reject(i, "bad-magic", "not \"DARKPLACESMODEL\\0\""))),
    }
}

fn version(i: &[u8]) -> Step<'_, ()> {
    match be_u32(i)? {
        (rest, 2) => Ok((rest, ())),
        (_, other) => {
            let message = format!("type {other:#x}, only type 2 is defined");
            Err(nom::Err::Error(Fault::reject(i, "bad-type", message)))
        }
    }
}

pub(crate) fn float(i: &[u8]) -> Step<'_, F32> {
    be_u32.map(F32::from_bits).parse(i)
}

pub(crate) fn vector(i: &[u8]) -> Step<'_, [F32; 3]> {
    (float, float, float).map(|(x, y, z)| [x, y, z]).parse(i)
}

/// A name field of 32 bytes.
pub(crate) fn name(i: &[u8]) -> Step<'_, Name> {
    let (rest, raw) = take(32_usize)(i)?;
    let raw = raw.first_chunk().ok_or(nom::Err::Error(Fault::reject(i, CODES.short, "cut short")))?;
    Ok((rest, Name::from_bytes(*raw)))
}

fn bounds(i: &[u8]) -> Step<'_, Bounds> {
    let (i, mins) = context("mins", vector).parse(i)?;
    let (i, maxs) = context("maxs", vector).parse(i)?;
    let (i, yawradius) = context("yawradius", float).parse(i)?;
    let (i, allradius) = context("allradius", float).parse(i)?;
    Ok((i, Bounds { mins, maxs, yawradius, allradius }))
}

fn header(i: &[u8]) -> Step<'_, Header> {
    let (i, ()) = context("id", magic).parse(i)?; // 0
    let (i, ()) = context("type", version).parse(i)?; // 16
    let (i, filesize) = context("filesize", be_u32).parse(i)?; // 20
    let (i, bounds) = bounds(i)?; // 24
    let (i, num_bones) = context("num_bones", be_u32).parse(i)?; // 56
    let (i, num_meshes) = context("num_meshs", be_u32).parse(i)?; // 60
    let (i, num_frames) = context("num_frames", be_u32).parse(i)?; // 64
    let (i, ofs_bones) = context("ofs_bones", be_u32).parse(i)?; // 68
    let (i, ofs_meshes) = context("ofs_meshs", be_u32).parse(i)?; // 72
    let (i, ofs_frames) = context("ofs_frames", be_u32).parse(i)?; // 76
    Ok((i, Header { filesize, bounds, num_bones, num_meshes, num_frames, ofs_bones, ofs_meshes, ofs_frames }))
}

fn bone(i: &[u8]) -> Step<'_, Bone> {
    let (i, name) = context("name", name).parse(i)?; // 0
    let (i, parent) = context("parent", be_i32).parse(i)?; // 32
    let (i, flags) = context("flags", be_u32.map(BoneFlags)).parse(i)?; // 36
    Ok((i, Bone { name, parent, flags }))
}

/// A mesh's 56 bytes.
struct MeshHeader {
    shader: Name,
    num_verts: u32,
    num_tris: u32,
    ofs_verts: u32,
    ofs_texcoords: u32,
    ofs_indices: u32,
    ofs_groupids: u32,
}

fn mesh_header(i: &[u8]) -> Step<'_, MeshHeader> {
    let (i, shader) = context("shadername", name).parse(i)?; // 0
    let (i, num_verts) = context("num_verts", be_u32).parse(i)?; // 32
    let (i, num_tris) = context("num_tris", be_u32).parse(i)?; // 36
    let (i, ofs_verts) = context("ofs_verts", be_u32).parse(i)?; // 40
    let (i, ofs_texcoords) = context("ofs_texcoords", be_u32).parse(i)?; // 44
    let (i, ofs_indices) = context("ofs_indices", be_u32).parse(i)?; // 48
    let (i, ofs_groupids) = context("ofs_groupids", be_u32).parse(i)?; // 52
    Ok((i, MeshHeader { shader, num_verts, num_tris, ofs_verts, ofs_texcoords, ofs_indices, ofs_groupids }))
}

/// A frame's 68 bytes, its pose still an offset.
fn frame_header(i: &[u8]) -> Step<'_, (Frame, u32)> {
    let (i, name) = context("name", name).parse(i)?; // 0
    let (i, bounds) = bounds(i)?; // 32
    let (i, ofs_pose) = context("ofs_bonepositions", be_u32).parse(i)?; // 64
    Ok((i, (Frame { name, bounds, pose: PoseId::default() }, ofs_pose)))
}

fn file(bytes: &[u8], budget: &Budget, forgive: &mut Forgive) -> Result<Dpm, ReadError> {
    let whole = Source::file(bytes, CODES, budget);
    let root = Path::ROOT;
    let header = whole.start().read(&root, header)?;
    let size = bytes.len() as u64;
    let claimed = u64::from(header.filesize);
    if claimed > size {
        let message = format!("the header says {claimed} bytes, the file has {size}");
        forgive.pass(whole.malformed("truncated", &root.field("filesize"), 20, message))?;
    }
    // What lies behind the stored size belongs to nobody.
    let own = if forgive.lenient { None } else { usize::try_from(claimed).ok().and_then(|n| bytes.get(..n)) };
    let source = Source::file(own.unwrap_or(bytes), CODES, budget);
    for (n, field, at, code) in [
        (header.num_bones, "num_bones", 56, "no-bones"),
        (header.num_meshes, "num_meshs", 60, "no-meshes"),
        (header.num_frames, "num_frames", 64, "no-frames"),
    ] {
        if n == 0 {
            return Err(source.malformed(code, &root.field(field), at, "is 0, must be at least 1"));
        }
    }
    let mut reader = Reader {
        source: &source,
        num_bones: header.num_bones,
        end: HEADER,
        coverage: Coverage::new(),
        vertices: BTreeMap::new(),
        texcoords: BTreeMap::new(),
        triangles: BTreeMap::new(),
        groupids: BTreeMap::new(),
        forgive,
    };
    reader.cover(0, HEADER);
    let bones = reader.bones(&header)?;
    let (meshes, mesh_layouts) = reader.meshes(&header)?;
    let (frames, poses, pose_offsets) = reader.frames(&header)?;
    let Reader { end, mut coverage, .. } = reader;
    if end > claimed && claimed <= size {
        // Only a lenient reader gets here: a strict one ends at the stored size.
        let message = format!("sections end at {end:#x}, behind the stored size of {claimed} bytes");
        forgive.pass(whole.malformed("out-of-file", &root.field("filesize"), 20, message))?;
    }
    whole.charge(&root, 0, "bytes of no section", coverage.uncovered(size), 1)?;
    let layout = Layout {
        filesize: header.filesize,
        size,
        num_bones: header.num_bones,
        ofs_bones: header.ofs_bones,
        ofs_meshes: header.ofs_meshes,
        ofs_frames: header.ofs_frames,
        num_frames: header.num_frames,
        meshes: mesh_layouts,
        poses: pose_offsets,
        gaps: coverage.gaps(bytes),
    };
    let mut model = Dpm { bounds: header.bounds, bones, meshes, poses, frames, layout: Retained::None };
    model.layout = match Layout::canonical(&model) {
        Ok(canonical) if canonical == layout => Retained::Canonical(Box::new(layout)),
        _ => Retained::Own(Box::new(layout)),
    };
    Ok(model)
}

/// Where a section starts and how many items it has.
type Key = (u32, u32);

/// Sections read so far. Those that several meshes share are decoded, charged and kept once.
struct Reader<'s, 'a, 'f> {
    source: &'s Source<'a>,
    num_bones: u32,
    /// The end of the section that ends last.
    end: u64,
    coverage: Coverage,
    vertices: BTreeMap<Key, Arc<Vertices>>,
    texcoords: BTreeMap<Key, Arc<Vec<[F32; 2]>>>,
    triangles: BTreeMap<Key, (Arc<Vec<[u32; 3]>>, u32)>,
    groupids: BTreeMap<Key, Arc<Vec<u32>>>,
    forgive: &'f mut Forgive,
}

impl<'s, 'a> Reader<'s, 'a, '_> {
    fn cover(&mut self, start: u64, len: u64) {
        self.coverage.add(start, len);
        self.end = self.end.max(start.saturating_add(len));
    }

    /// A section whose offset is stored at `field_offset`.
    fn section(
        &mut self,
        path: &Path<'_>,
        field_offset: u64,
        start: u32,
        count: u32,
        size: u64,
    ) -> Result<Cursor<'a, 's>, ReadError> {
        let cursor = self.source.section(path, field_offset, start.into(), count.into(), size)?;
        self.cover(start.into(), cursor.remaining());
        Ok(cursor)
    }

    fn bones(&mut self, header: &Header) -> Result<Vec<Bone>, ReadError> {
        let root = Path::ROOT;
        let (at, n) = (header.ofs_bones, header.num_bones);
        let mut cursor = self.section(&root.field("ofs_bones"), 68, at, n, BONE)?;
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

    fn meshes(&mut self, header: &Header) -> Result<(Vec<Mesh>, Vec<MeshLayout>), ReadError> {
        let root = Path::ROOT;
        let (at, n) = (header.ofs_meshes, header.num_meshes);
        let mut cursor = self.section(&root.field("ofs_meshs"), 72, at, n, MESH)?;
        let table = root.field("meshes");
        let mut meshes = cursor.reserve(&table, 60, n.into(), MESH)?;
        let mut layouts = cursor.reserve(&table, 60, n.into(), MESH)?;
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
        let cursor = self.source.from(
            &path.field("ofs_verts"),
            start.saturating_add(40),
            head.ofs_verts.into(),
        )?;
        let bytes = cursor.rest();
        let path = path.field("verts");
        // The least a vertex takes: a count and one influence; for a lenient reader the count alone.
        let least = if self.forgive.lenient { 4 } else { 36 };
        let count_at = start.saturating_add(32);
        let mut counts = cursor.reserve(&path, count_at, head.num_verts.into(), least)?;
        let (mut rest, mut total) = (bytes, 0_u64);
        for v in 0..head.num_verts as usize {
            let offset = |rest: &[u8]| item(head.ofs_verts.into(), bytes.len().saturating_sub(rest.len()), 1);
            let short = |rest: &[u8], message: &str| {
                let field = path.index(v);
                self.source.malformed(CODES.short, &field.field("numbones"), offset(rest), format!("{message}"))
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
        let len = bytes.len().saturating_sub(rest.len());
        let mut influences = cursor.reserve(&path, count_at, total, Influence::SIZE)?;
        let seen = decode::vertices(bytes, &counts, &mut influences);
        let vertices = Vertices { counts, influences };
        if seen.non_finite || seen.max_bone >= self.num_bones {
            self.explain_vertices(&path, head.ofs_verts, &vertices)?;
        }
        self.cover(head.ofs_verts.into(), len as u64);
        let vertices = Arc::new(vertices);
        self.vertices.insert(key, Arc::clone(&vertices));
        Ok(vertices)
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
        let (field, at) = (path.field("ofs_texcoords"), start.saturating_add(44));
        let cursor = self.section(&field, at, key.0, key.1, 8)?;
        let mut items = cursor.reserve(&path.field("texcoords"), at, key.1.into(), 8)?;
        decode::pairs(cursor.rest(), &mut items);
        let items = Arc::new(items);
        self.texcoords.insert(key, Arc::clone(&items));
        Ok(items)
    }

    fn triangles(
        &mut self,
        path: &Path<'_>,
        start: u64,
        head: &MeshHeader,
    ) -> Result<Arc<Vec<[u32; 3]>>, ReadError> {
        let key = (head.ofs_indices, head.num_tris);
        let known = self.triangles.get(&key).cloned();
        let (triangles, max) = match known {
            Some(known) => known,
            None => {
                let (field, at) = (path.field("ofs_indices"), start.saturating_add(48));
                let cursor = self.section(&field, at, key.0, key.1, 12)?;
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
        let (field, at) = (path.field("ofs_groupids"), start.saturating_add(52));
        let cursor = self.section(&field, at, key.0, key.1, 4)?;
        let mut items = cursor.reserve(&path.field("groupids"), at, key.1.into(), 4)?;
        meshwright_core::bulk::extend_be_u32(cursor.rest(), &mut items);
        let items = Arc::new(items);
        self.groupids.insert(key, Arc::clone(&items));
        Ok(items)
    }

    fn frames(&mut self, header: &Header) -> Result<(Vec<Frame>, Vec<BonePose>, Vec<u32>), ReadError> {
        let root = Path::ROOT;
        let (at, n) = (header.ofs_frames, header.num_frames);
        let mut cursor = self.section(&root.field("ofs_frames"), 76, at, n, FRAME)?;
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
        let total = (offsets.len() as u64).saturating_mul(self.num_bones.into());
        let count_at = 56;
        self.source.charge(&root.field("poses"), count_at, "poses", total, size_of::<BonePose>())?;
        let mut poses: Vec<BonePose> = Vec::new();
        let room = usize::try_from(total).ok().and_then(|n| poses.try_reserve_exact(n).ok());
        if room.is_none() {
            let wanted = total.saturating_mul(BonePose::SIZE);
            let left = self.source.budget().left();
            let e = meshwright_core::LimitExceeded { what: "poses", wanted, left };
            return Err(self.source.over_limit(&root.field("poses"), count_at, e));
        }
        let mut bad = Vec::new();
        for (p, &start) in offsets.iter().enumerate() {
            let bytes = self.section(&root, 0, start, self.num_bones, BonePose::SIZE)?.rest();
            if !decode::poses(bytes, &mut poses) {
                bad.push(p);
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

/// What the corners of a triangle are called in paths.
pub(crate) const CORNERS: [&str; 3] = ["v0", "v1", "v2"];

/// The first corner whose number is not below `limit`: triangle, corner, number.
pub(crate) fn first_beyond(triangles: &[[u32; 3]], limit: u32) -> Option<(usize, usize, u32)> {
    triangles.iter().enumerate().find_map(|(t, corners)| {
        let corner = corners.iter().position(|&v| v >= limit)?;
        Some((t, corner, *corners.get(corner)?))
    })
}

/// The offset of item `index` in a table.
pub(crate) fn item(start: u64, index: usize, size: u64) -> u64 {
    start.saturating_add((index as u64).saturating_mul(size))
}
