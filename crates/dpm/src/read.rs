//! Reading a DPM file: one parser per record, in the order of the format.

use crate::decode;
use crate::layout::{Layout, Retained};
use crate::model::{Bone, BoneFlags, BonePose, Bounds, Dpm, Frame, Name, PoseId};
use crate::sections::Reader;
use alloc::boxed::Box;
use alloc::format;
use meshwright_core::{
    Budget, Codes, Confidence, F32, Fault, Finding, Parsed, Path, ReadError, ReadOptions, Report, Source,
};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{be_i32, be_u32};

pub(crate) const CODES: Codes = Codes {
    short: &meshwright_core::Rule::error("out-of-file", meshwright_core::Kind::Truncated, "", ""),
    count: &meshwright_core::Rule::error("out-of-file", meshwright_core::Kind::BadCount, "", ""),
    limit: &meshwright_core::Rule::error("limit", meshwright_core::Kind::Limit, "", ""),
};

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
pub(crate) struct Header {
    pub filesize: u32,
    pub bounds: Bounds,
    pub num_bones: u32,
    pub num_meshes: u32,
    pub num_frames: u32,
    pub ofs_bones: u32,
    pub ofs_meshes: u32,
    pub ofs_frames: u32,
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

pub(crate) fn bone(i: &[u8]) -> Step<'_, Bone> {
    let (i, name) = context("name", name).parse(i)?; // 0
    let (i, parent) = context("parent", be_i32).parse(i)?; // 32
    let (i, flags) = context("flags", be_u32.map(BoneFlags)).parse(i)?; // 36
    Ok((i, Bone { name, parent, flags }))
}

/// A mesh's 56 bytes.
pub(crate) struct MeshHeader {
    pub shader: Name,
    pub num_verts: u32,
    pub num_tris: u32,
    pub ofs_verts: u32,
    pub ofs_texcoords: u32,
    pub ofs_indices: u32,
    pub ofs_groupids: u32,
}

pub(crate) fn mesh_header(i: &[u8]) -> Step<'_, MeshHeader> {
    let (i, shader) = context("shadername", name).parse(i)?; // 0
    let (i, num_verts) = context("num_verts", be_u32).parse(i)?; // 32
    let (i, num_tris) = context("num_tris", be_u32).parse(i)?; // 36
    let (i, ofs_verts) = context("ofs_verts", be_u32).parse(i)?; // 40
    let (i, ofs_texcoords) = context("ofs_texcoords", be_u32).parse(i)?; // 44
    let (i, ofs_indices) = context("ofs_indices", be_u32).parse(i)?; // 48
    let (i, ofs_groupids) = context("ofs_groupids", be_u32).parse(i)?; // 52
    Ok((i, MeshHeader { shader, num_verts, num_tris, ofs_verts, ofs_texcoords, ofs_indices, ofs_groupids }))
}

/// A frame's 68 bytes, its pose still an offset. There may be many: taken as one record, whose table is known
/// to lie in the file.
pub(crate) fn frame_header(i: &[u8]) -> Step<'_, (Frame, u32)> {
    let (rest, raw) = take(68_usize)(i)?;
    let short = || nom::Err::Error(Fault::reject(i, CODES.short, "cut short"));
    let record = raw.first_chunk::<68>().ok_or_else(short)?;
    let name = record.first_chunk::<32>().ok_or_else(short)?; // 0
    let [_, _, _, _, _, _, _, _, a, b, c, d, e, f, yawradius, allradius, ofs_pose] =
        decode::record::<68, 17>(record); // 32, 44, 56, 60, 64
    let bounds = Bounds {
        mins: [a, b, c].map(F32::from_bits),
        maxs: [d, e, f].map(F32::from_bits),
        yawradius: F32::from_bits(yawradius),
        allradius: F32::from_bits(allradius),
    };
    Ok((rest, (Frame { name: Name::from_bytes(*name), bounds, pose: PoseId::default() }, ofs_pose)))
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
    let mut reader = Reader::new(&source, header.num_bones, forgive);
    let bones = reader.bones(&header)?;
    let (meshes, mesh_layouts) = reader.meshes(&header)?;
    let (frames, poses, pose_offsets) = reader.frames(&header)?;
    let (mut coverage, end) = reader.finish();
    if end > claimed && claimed <= size {
        // A strict reader gets here for the header alone: its sections end at the stored size.
        let message = format!("sections end at {end:#x}, behind the stored size of {claimed} bytes");
        forgive.pass(whole.malformed("out-of-file", &root.field("filesize"), 20, message))?;
    }
    whole.charge(&root, 0, "bytes of no section", coverage.gap_memory(size), 1)?;
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

/// The bytes of a pose.
pub(crate) fn pose_size(bones: u32) -> u64 {
    u64::from(bones).saturating_mul(BonePose::SIZE)
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
