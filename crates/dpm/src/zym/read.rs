//! Reading a ZYM file: one parser per record, in the order of the format.

use super::layout::{HEADER, LUMPS, SCENE, ZymLayout};
use super::model::{SceneFlags, Zym, ZymBounds, ZymInfluence, ZymRun, ZymScene};
use crate::decode;
use crate::layout::{BONE, Retained};
use crate::model::{Bone, BoneFlags, BonePose, Name};
use crate::read::{CODES, CORNERS, Forgive, Step, first_beyond, float, item, name, vector};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::layout::Coverage;
use meshwright_core::{
    Budget, Confidence, Cursor, F32, Fault, Parsed, Path, ReadError, ReadOptions, Report, Source,
};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{be_i32, be_u32};

const MAGIC: &[u8; 12] = b"ZYMOTICMODEL";

impl Zym {
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
    /// (`truncated`, `out-of-file`), a parent below -1, which is then a root (`bad-parent`), floats that are
    /// not finite (`non-finite`), and vertices of several bones (`several-influences`), each of which then
    /// counts for the same share.
    ///
    /// # Errors
    /// When the file breaks a rule that the options do not forgive, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let mut forgive = Forgive { lenient: options.is_lenient(), report: Report::new() };
        let model = file(bytes, &budget, &mut forgive)?;
        Ok(Parsed::new(model, forgive.report))
    }

    /// Tells by the magic whether the bytes are a ZYM file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}

/// Bytes 0..140.
struct Header {
    filesize: u32,
    bounds: ZymBounds,
    verts: u32,
    tris: u32,
    shaders: u32,
    bones: u32,
    scenes: u32,
    lumps: [(u32, u32); 9],
}

fn magic(i: &[u8]) -> Step<'_, ()> {
    match i.strip_prefix(MAGIC) {
        Some(rest) => Ok((rest, ())),
        None => Err(nom::Err::Error(Fault::reject(i, "bad-magic", "not \"ZYMOTICMODEL\""))),
    }
}

fn version(i: &[u8]) -> Step<'_, ()> {
    match be_u32(i)? {
        (rest, 1) => Ok((rest, ())),
        (_, other) => {
            let message = format!("type {other:#x}, only type 1 is defined");
            Err(nom::Err::Error(Fault::reject(i, "bad-type", message)))
        }
    }
}

fn bounds(i: &[u8]) -> Step<'_, ZymBounds> {
    let (i, mins) = context("mins", vector).parse(i)?;
    let (i, maxs) = context("maxs", vector).parse(i)?;
    let (i, radius_squared) = context("radius", float).parse(i)?;
    Ok((i, ZymBounds { mins, maxs, radius_squared }))
}

/// A count of at least `least`, stored with a sign.
fn at_least<'a>(
    field: &'static str,
    least: u32,
) -> impl nom::Parser<&'a [u8], Output = u32, Error = Fault<'a>> {
    context(field, move |i: &'a [u8]| -> Step<'a, u32> {
        let (rest, n) = be_i32(i)?;
        match u32::try_from(n).ok().filter(|n| *n >= least) {
            Some(n) => Ok((rest, n)),
            None => {
                let message = format!("is {n}, must be at least {least}");
                Err(nom::Err::Error(Fault::reject(i, "bad-count", message)))
            }
        }
    })
}

fn header(i: &[u8]) -> Step<'_, Header> {
    let (i, ()) = context("id", magic).parse(i)?; // 0
    let (i, ()) = context("type", version).parse(i)?; // 12
    let (i, filesize) = context("filesize", be_u32).parse(i)?; // 16
    let (i, bounds) = bounds(i)?; // 20
    let (i, verts) = at_least("numverts", 3).parse(i)?; // 48
    let (i, tris) = at_least("numtris", 1).parse(i)?; // 52
    let (i, shaders) = at_least("numshaders", 1).parse(i)?; // 56
    let (i, bones) = at_least("numbones", 1).parse(i)?; // 60
    let (mut i, scenes) = at_least("numscenes", 1).parse(i)?; // 64
    let mut lumps = [(0, 0); 9];
    for (lump, field) in lumps.iter_mut().zip(LUMPS) {
        (i, *lump) = context(field, (be_u32, be_u32)).parse(i)?; // 68, 76, ... 132
    }
    Ok((i, Header { filesize, bounds, verts, tris, shaders, bones, scenes, lumps }))
}

/// A scene, its range of poses still signed.
struct RawScene {
    scene: ZymScene,
    start: i32,
    length: i32,
}

fn scene(i: &[u8]) -> Step<'_, RawScene> {
    let (i, name) = context("name", name).parse(i)?; // 0
    let (i, bounds) = bounds(i)?; // 32
    let (i, framerate) = context("framerate", float).parse(i)?; // 60
    let (i, flags) = context("flags", be_u32.map(SceneFlags)).parse(i)?; // 64
    let (i, start) = context("start", be_i32).parse(i)?; // 68
    let (i, length) = context("length", be_i32).parse(i)?; // 72
    Ok((
        i,
        RawScene { scene: ZymScene { name, bounds, framerate, flags, start: 0, length: 0 }, start, length },
    ))
}

fn bone(i: &[u8]) -> Step<'_, Bone> {
    let (i, name) = context("name", name).parse(i)?; // 0
    let (i, flags) = context("flags", be_u32.map(BoneFlags)).parse(i)?; // 32
    let (i, parent) = context("parent", be_i32).parse(i)?; // 36
    Ok((i, Bone { name, parent, flags }))
}

fn file(bytes: &[u8], budget: &Budget, forgive: &mut Forgive) -> Result<Zym, ReadError> {
    let whole = Source::file(bytes, CODES, budget);
    let root = Path::ROOT;
    let header = whole.start().read(&root, header)?;
    let (size, claimed) = (bytes.len() as u64, u64::from(header.filesize));
    let filesize = root.field("filesize");
    if claimed > size {
        let message = format!("the header says {claimed} bytes, the file has {size}");
        forgive.pass(whole.malformed("truncated", &filesize, 16, message))?;
    }
    let own = if forgive.lenient { None } else { usize::try_from(claimed).ok().and_then(|n| bytes.get(..n)) };
    let source = Source::file(own.unwrap_or(bytes), CODES, budget);
    let mut coverage = Coverage::new();
    coverage.add(0, HEADER);
    let mut end = HEADER;
    for (i, (field, (start, len))) in LUMPS.iter().zip(header.lumps).enumerate() {
        source.section(&root.field(field), item(68, i, 8), start.into(), len.into(), 1)?;
        coverage.add(start.into(), len.into());
        end = end.max(u64::from(start).saturating_add(len.into()));
    }
    if end > claimed && claimed <= size {
        let message = format!("lumps end at {end:#x}, behind the stored size of {claimed} bytes");
        forgive.pass(whole.malformed("out-of-file", &filesize, 16, message))?;
    }
    let reader = Reader { source: &source, header: &header };
    let pose_size = u64::from(header.bones).saturating_mul(BonePose::SIZE);
    let poses = reader.poses(pose_size, forgive)?;
    let scenes = reader.scenes(poses.len() as u64)?;
    let bones = reader.bones(forgive)?;
    let (counts, influences) = reader.vertices(forgive)?;
    let texcoords = reader.texcoords()?;
    let runs = reader.runs()?;
    let mut trizone = Vec::new();
    let bytes_of_zone = reader.lump(8, header.tris.into(), 1)?;
    source.charge(&root.field(LUMPS[8]), 132, "table", bytes_of_zone.remaining(), 1)?;
    trizone.extend_from_slice(bytes_of_zone.rest());
    whole.charge(&root, 0, "bytes of no section", coverage.gap_memory(size), 1)?;
    let layout =
        ZymLayout { filesize: header.filesize, size, lumps: header.lumps, gaps: coverage.gaps(bytes) };
    let mut model = Zym {
        bounds: header.bounds,
        scenes,
        poses,
        bones,
        counts,
        influences,
        texcoords,
        runs,
        trizone,
        layout: Retained::None,
    };
    model.layout = match ZymLayout::canonical(&model) {
        Ok(canonical) if canonical == layout => Retained::Canonical(Box::new(layout)),
        _ => Retained::Own(Box::new(layout)),
    };
    Ok(model)
}

struct Reader<'s, 'a> {
    source: &'s Source<'a>,
    header: &'s Header,
}

impl<'s, 'a> Reader<'s, 'a> {
    fn start(&self, lump: usize) -> u64 {
        self.header.lumps.get(lump).map_or(0, |l| l.0.into())
    }

    /// A lump, whatever its length; that it lies in the file is known.
    fn whole_lump(&self, lump: usize) -> Result<Cursor<'a, 's>, ReadError> {
        let (start, len) = self.header.lumps.get(lump).copied().unwrap_or_default();
        let field = LUMPS.get(lump).copied().unwrap_or_default();
        self.source.section(&Path::ROOT.field(field), item(68, lump, 8), start.into(), len.into(), 1)
    }

    /// A lump of `count` items of `size` bytes.
    fn lump(&self, lump: usize, count: u64, size: u64) -> Result<Cursor<'a, 's>, ReadError> {
        let cursor = self.whole_lump(lump)?;
        if count.checked_mul(size) == Some(cursor.remaining()) {
            return Ok(cursor);
        }
        let message = format!("{} bytes, {count} items of {size} bytes expected", cursor.remaining());
        Err(self.bad_size(lump, message))
    }

    fn bad_size(&self, lump: usize, message: alloc::string::String) -> ReadError {
        let field = LUMPS.get(lump).copied().unwrap_or_default();
        let at = item(72, lump, 8);
        self.source.malformed("bad-lump-size", &Path::ROOT.field(field), at, message)
    }

    fn poses(&self, pose_size: u64, forgive: &mut Forgive) -> Result<Vec<BonePose>, ReadError> {
        let cursor = self.whole_lump(1)?;
        let len = cursor.remaining();
        if len == 0 || !len.is_multiple_of(pose_size.max(1)) {
            let message = format!("{len} bytes, a positive multiple of {pose_size} expected");
            return Err(self.bad_size(1, message));
        }
        let table = Path::ROOT.field("poses");
        let count = len.checked_div(BonePose::SIZE).unwrap_or(0);
        let mut poses = cursor.reserve(&table, 80, count, BonePose::SIZE)?;
        if !decode::poses(cursor.rest(), &mut poses) {
            let bones = usize::try_from(self.header.bones).unwrap_or(usize::MAX).max(1);
            for (i, pose) in poses.iter().enumerate() {
                let elements = pose.0.as_flattened();
                if let Some((e, value)) = elements.iter().enumerate().find(|(_, v)| !v.is_finite()) {
                    let offset = item(item(self.start(1), i, BonePose::SIZE), e, 4);
                    let (pose, bone) = (i.checked_div(bones), i.checked_rem(bones));
                    let path = table.index(pose.unwrap_or(0));
                    let path = path.index(bone.unwrap_or(0));
                    let message = format!("element {e} is {value:?}, not finite");
                    forgive.pass(self.source.malformed("non-finite", &path, offset, message))?;
                }
            }
        }
        Ok(poses)
    }

    fn scenes(&self, matrices: u64) -> Result<Vec<ZymScene>, ReadError> {
        let poses = matrices.checked_div(self.header.bones.into()).unwrap_or(0);
        let n = u64::from(self.header.scenes);
        let mut cursor = self.lump(0, n, SCENE)?;
        let table = Path::ROOT.field("scenes");
        let mut scenes = cursor.reserve(&table, 64, n, SCENE)?;
        for i in 0..usize::try_from(n).unwrap_or(usize::MAX) {
            let path = table.index(i);
            let at = cursor.offset();
            let raw = cursor.read(&path, scene)?;
            let bad = |field: &'static str, ofs: u64, message: alloc::string::String| {
                self.source.malformed("bad-scene", &path.field(field), at.saturating_add(ofs), message)
            };
            let start = u32::try_from(raw.start).ok().filter(|s| u64::from(*s) < poses);
            let Some(start) = start else {
                return Err(bad("start", 68, format!("starts at pose {} of {poses}", raw.start)));
            };
            let left = poses.saturating_sub(start.into());
            let length = u32::try_from(raw.length).ok().filter(|l| *l >= 1 && u64::from(*l) <= left);
            let Some(length) = length else {
                let message = format!("{} poses from pose {start} of {poses}", raw.length);
                return Err(bad("length", 72, message));
            };
            let rate = raw.scene.framerate;
            if !is_rate(rate) {
                return Err(bad("framerate", 60, format!("{rate:?} is no rate")));
            }
            scenes.push(ZymScene { start, length, ..raw.scene });
        }
        Ok(scenes)
    }

    fn bones(&self, forgive: &mut Forgive) -> Result<Vec<Bone>, ReadError> {
        let n = u64::from(self.header.bones);
        let mut cursor = self.lump(2, n, BONE)?;
        let table = Path::ROOT.field("bones");
        let bones = cursor.table(&table, 60, n, BONE, bone)?;
        for (i, bone) in bones.iter().enumerate() {
            let before = bone.parent().is_none_or(|p| p < i);
            if bone.parent >= -1 && before {
                continue;
            }
            let offset = item(self.start(2), i, BONE).saturating_add(36);
            let message = format!("parent {} of bone {i}", bone.parent);
            let e = self.source.malformed("bad-parent", &table.index(i).field("parent"), offset, message);
            if before {
                forgive.pass(e)?;
            } else {
                return Err(e);
            }
        }
        Ok(bones)
    }

    fn vertices(&self, forgive: &mut Forgive) -> Result<(Vec<u32>, Vec<ZymInfluence>), ReadError> {
        let n = u64::from(self.header.verts);
        let cursor = self.lump(3, n, 4)?;
        let table = Path::ROOT.field("vertbonecounts");
        let mut counts = cursor.reserve(&table, 48, n, 4)?;
        meshwright_core::bulk::extend_be_u32(cursor.rest(), &mut counts);
        let mut total = 0_u64;
        let mut several = None;
        for (i, &count) in counts.iter().enumerate() {
            if i32::try_from(count).is_ok_and(|c| c >= 1) {
                total = total.saturating_add(count.into());
                several = several.or((count > 1).then_some((i, count)));
                continue;
            }
            let message = format!("is {}, must be at least 1", count.cast_signed());
            let offset = item(self.start(3), i, 4);
            return Err(self.source.malformed("no-influence", &table.index(i), offset, message));
        }
        let cursor = self.lump(4, total, 16)?;
        if let Some((i, count)) = several {
            let message = format!("{count} bones, no engine but FTE reads more than 1");
            let offset = item(self.start(3), i, 4);
            forgive.pass(self.source.malformed("several-influences", &table.index(i), offset, message))?;
        }
        let table = Path::ROOT.field("verts");
        let mut influences = cursor.reserve(&table, 48, total, 16)?;
        let seen = decode::zym_vertices(cursor.rest(), &mut influences);
        if seen.non_finite || seen.max_bone >= self.header.bones {
            self.explain_vertices(&influences, forgive)?;
        }
        Ok((counts, influences))
    }

    /// Finds what is wrong with vertices that are known to hold a fault.
    fn explain_vertices(&self, influences: &[ZymInfluence], forgive: &mut Forgive) -> Result<(), ReadError> {
        let table = Path::ROOT.field("verts");
        for (i, influence) in influences.iter().enumerate() {
            // bonenum at 0, origin at 4
            let path = table.index(i);
            let offset = item(self.start(4), i, 16);
            if influence.bone >= self.header.bones {
                let message = format!("bone {} of {}", influence.bone.cast_signed(), self.header.bones);
                return Err(self.source.malformed("bad-bone-index", &path.field("bonenum"), offset, message));
            }
            if let Some(bad) = influence.origin.iter().find(|f| !f.is_finite()) {
                let (offset, message) = (offset.saturating_add(4), format!("{bad:?} is not finite"));
                forgive.pass(self.source.malformed("non-finite", &path.field("origin"), offset, message))?;
            }
        }
        Ok(())
    }

    fn texcoords(&self) -> Result<Vec<[F32; 2]>, ReadError> {
        let n = u64::from(self.header.verts);
        let cursor = self.lump(5, n, 8)?;
        let mut texcoords = cursor.reserve(&Path::ROOT.field("texcoords"), 48, n, 8)?;
        decode::pairs(cursor.rest(), &mut texcoords);
        Ok(texcoords)
    }

    fn runs(&self) -> Result<Vec<ZymRun>, ReadError> {
        let Header { shaders, tris, verts, .. } = *self.header;
        let mut names = self.lump(7, shaders.into(), 32)?;
        let mut cursor = self.whole_lump(6)?;
        let expected =
            u64::from(shaders).saturating_mul(4).saturating_add(u64::from(tris).saturating_mul(12));
        if cursor.remaining() != expected {
            let found = cursor.remaining();
            let message =
                format!("{found} bytes, {expected} expected for {shaders} shaders and {tris} triangles");
            return Err(self.bad_size(6, message));
        }
        let table = Path::ROOT.field("render");
        let mut runs: Vec<ZymRun> = names.reserve(&Path::ROOT.field("shaders"), 56, shaders.into(), 32)?;
        let mut left = tris;
        for i in 0..usize::try_from(shaders).unwrap_or(usize::MAX) {
            let path = table.index(i);
            let shader: Name = names.read(&Path::ROOT.field("shaders").index(i), name)?;
            let at = cursor.offset();
            let count = cursor.read(&path.field("numtris"), be_u32::<&[u8], Fault<'_>>)?;
            left = left.checked_sub(count).ok_or_else(|| {
                let message = format!("{} triangles of {left} that are left", count.cast_signed());
                self.source.malformed("bad-render", &path.field("numtris"), at, message)
            })?;
            let list = path.field("tris");
            let start = cursor.offset();
            let mut triangles = cursor.reserve(&list, at, count.into(), 12)?;
            let bytes = cursor.bytes(&list, u64::from(count).saturating_mul(12))?;
            if decode::triangles(bytes, &mut triangles) >= verts
                && let Some((t, corner, v)) = first_beyond(&triangles, verts)
            {
                let message = format!("index {v} of {verts} vertices");
                let offset = item(item(start, t, 12), corner, 4);
                let tri = list.index(t);
                let field = tri.field(CORNERS.get(corner).copied().unwrap_or("v"));
                return Err(self.source.malformed("bad-vertex-index", &field, offset, message));
            }
            runs.push(ZymRun { shader, triangles });
        }
        if left > 0 {
            let message = format!("{left} triangles belong to no shader");
            return Err(cursor.malformed("bad-render", &table, message));
        }
        Ok(runs)
    }
}

/// True for a rate of frames that a scene may have.
pub(crate) fn is_rate(rate: F32) -> bool {
    rate.is_finite() && rate.get() >= 0.0
}
