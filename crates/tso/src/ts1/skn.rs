//! `.skn`: what a `.bmf` holds, as text.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use super::text::{line, line_end, real, space, whole};
use crate::codes;
use crate::common::{Findings, Step, count, file, remark_name, wide};
use crate::mesh::places::Places;
use crate::mesh::rules;
use crate::mesh::validate::remarks;
use crate::mesh::{Binding, BlendVertex, Geometry, RealVertex, Total};
use crate::name::Name;
use alloc::format;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use meshwright_core::{
    Budget, Confidence, Cursor, F32, Limits, Parsed, Path, ReadError, ReadOptions, Report, Strictness,
    WriteError,
};
use nom::Parser as _;
use nom::error::context;

/// A `.skn` file of The Sims 1.
///
/// Two of them are equal when they say the same, however their texts are laid out.
#[derive(Clone, Default)]
pub struct Skn {
    /// The skin's name.
    pub skin: Name,
    /// The texture's name, without extension.
    pub texture: Name,
    /// Everything else.
    pub geometry: Geometry,
    /// The text that the model was read from, empty for a new one. It is written again as long as it says the
    /// same as the model.
    pub text: Vec<u8>,
}

impl PartialEq for Skn {
    fn eq(&self, other: &Self) -> bool {
        (&self.skin, &self.texture, &self.geometry) == (&other.skin, &other.texture, &other.geometry)
    }
}

impl Eq for Skn {}

impl fmt::Debug for Skn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skn")
            .field("skin", &self.skin)
            .field("texture", &self.texture)
            .field("geometry", &self.geometry)
            .field("text", &format_args!("{} bytes", self.text.len()))
            .finish()
    }
}

/// A face, at least 6 bytes with the white space around the numbers.
fn face(i: &[u8]) -> Step<'_, [u32; 3]> {
    (whole, whole, whole).map(|(a, b, c)| [a, b, c]).parse(i)
}

/// A binding, at least 10 bytes.
fn binding(i: &[u8]) -> Step<'_, Binding> {
    let (i, bone) = context("bone", whole).parse(i)?;
    let (i, first_real) = context("first_real", whole).parse(i)?;
    let (i, real_count) = context("real_count", whole).parse(i)?;
    let (i, first_blend) = context("first_blend", whole).parse(i)?;
    let (i, blend_count) = context("blend_count", whole).parse(i)?;
    Ok((i, Binding { bone, first_real, real_count, first_blend, blend_count }))
}

/// Texture coordinates, at least 4 bytes.
fn uv(i: &[u8]) -> Step<'_, RealVertex> {
    let uv = (real, real).map(|(u, v)| RealVertex { uv: [u, v], ..RealVertex::default() });
    context("uv", uv).parse(i)
}

/// Target and weight of a blend, at least 4 bytes: the other way round than in the binary files.
fn blend(i: &[u8]) -> Step<'_, BlendVertex> {
    let (i, target) = context("target", whole).parse(i)?;
    let (i, weight) = context("weight", whole).parse(i)?;
    Ok((i, BlendVertex { weight, target, ..BlendVertex::default() }))
}

/// Position and normal, at least 12 bytes.
fn vertex(i: &[u8]) -> Step<'_, ([F32; 3], [F32; 3])> {
    let triple = |i| (real, real, real).map(|(x, y, z)| [x, y, z]).parse(i);
    let (i, position) = context("position", triple).parse(i)?;
    let (i, normal) = context("normal", triple).parse(i)?;
    Ok((i, (position, normal)))
}

fn text_name(cursor: &mut Cursor<'_, '_>, path: &Path<'_>) -> Result<Name, ReadError> {
    let at = cursor.offset();
    let name = cursor.read(path, line)?;
    cursor.source().charge(path, at, "name", wide(name.len()), 1)?;
    Ok(Name::from(name))
}

/// A count with the offset where it stands.
fn counted(cursor: &mut Cursor<'_, '_>, path: &Path<'_>) -> Result<(u64, u32), ReadError> {
    cursor.read(path, space)?;
    Ok((cursor.offset(), cursor.read(path, whole)?))
}

fn model(cursor: &mut Cursor<'_, '_>) -> Result<Skn, ReadError> {
    let root = Path::ROOT;
    let skin = text_name(cursor, &root.field("skin"))?;
    let texture = text_name(cursor, &root.field("texture"))?;

    let path = root.field("bones");
    let (at, n) = counted(cursor, &path)?;
    cursor.read(&path, line_end)?;
    let mut bones = cursor.reserve(&path, at, u64::from(n), 1)?;
    for i in 0..usize::try_from(n).unwrap_or(usize::MAX) {
        bones.push(text_name(cursor, &path.index(i))?);
    }
    let path = root.field("faces");
    let (at, n) = counted(cursor, &path)?;
    let faces = cursor.table(&path, at, u64::from(n), 6, face)?;
    let path = root.field("bindings");
    let (at, n) = counted(cursor, &path)?;
    let bindings = cursor.table(&path, at, u64::from(n), 10, binding)?;
    // A real vertex has 2 numbers here and 6 further down, each with white space before it.
    let path = root.field("real");
    let (at, n) = counted(cursor, &path)?;
    let mut real: Vec<RealVertex> = cursor.table(&path, at, u64::from(n), 16, uv)?;
    let path_blends = root.field("blends");
    let (at, n) = counted(cursor, &path_blends)?;
    let mut blends: Vec<BlendVertex> = cursor.table(&path_blends, at, u64::from(n), 16, blend)?;
    let (_, total) = counted(cursor, &root.field("total"))?;
    for (i, v) in real.iter_mut().enumerate() {
        (v.position, v.normal) = cursor.read(&path.index(i), vertex)?;
    }
    for (i, v) in blends.iter_mut().enumerate() {
        (v.position, v.normal) = cursor.read(&path_blends.index(i), vertex)?;
    }
    cursor.read(&root, space)?;
    if !cursor.is_at_end() {
        let message = format!("{} bytes behind the last number", cursor.remaining());
        return Err(cursor.malformed(codes::E_TRAILING, &root.field("trailing"), message));
    }
    let total = Total::of(total, real.len(), blends.len());
    let geometry = Geometry { bones, faces, bindings, real, blends, total };
    Ok(Skn { skin, texture, geometry, text: Vec::new() })
}

impl Skn {
    /// Reads a file that keeps all rules, within the default limits.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. Leniently, every rule but those on sizes may be broken, as in
    /// [`Mesh::parse_with`](crate::Mesh::parse_with).
    ///
    /// Names stand on lines of their own; numbers are divided by any white space, because writers disagree on where
    /// lines end.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let mut skn = model(&mut source.start())?;
        source.charge(&Path::ROOT.field("text"), 0, "text", wide(bytes.len()), 1)?;
        skn.text = bytes.to_vec();
        let mut findings = Findings::default();
        rules::check(&skn.geometry, &Places::Binary(0), &mut findings);
        if findings.first.is_some() {
            // Offsets are looked for only where they are needed.
            findings = Findings::default();
            rules::check(&skn.geometry, &skn.places(), &mut findings);
        }
        Ok(Parsed::new(skn, findings.settle(options.is_lenient())?))
    }

    /// How likely these are the bytes of a `.skn`. There is no magic: names and numbers are read up to the first
    /// face.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let head = || -> Option<()> {
            let (mut rest, (_, _, bones, ())) = (line, line, whole, line_end).parse(bytes).ok()?;
            for _ in 0..bones {
                (rest, _) = line(rest).ok()?;
            }
            (whole, line_end, face).parse(rest).ok().map(|_| ())
        };
        if head().is_some() { Confidence::Likely } else { Confidence::No }
    }

    /// Where names and numbers stand in the text; in the text that would be written when there is none.
    fn places(&self) -> Places {
        let written;
        let text = match self.text.is_empty() {
            true => {
                written = self.canonical().unwrap_or_default();
                &written
            }
            false => &self.text,
        };
        let offset = |rest: &[u8]| wide(text.len().saturating_sub(rest.len()));
        let mut rest = text.as_slice();
        let next_line = |rest: &mut &[u8]| {
            let at = offset(rest);
            *rest = line(rest).map_or(&[], |(rest, _)| rest);
            at
        };
        next_line(&mut rest);
        next_line(&mut rest);
        rest = space(rest).map_or(rest, |(rest, _)| rest);
        next_line(&mut rest);
        let names: Vec<_> = self.geometry.bones.iter().map(|_| next_line(&mut rest)).collect();
        let mut numbers = Vec::new();
        while let Ok((word, _)) = space(rest) {
            if word.is_empty() {
                break;
            }
            numbers.push(offset(word));
            rest = word.iter().position(u8::is_ascii_whitespace).and_then(|n| word.get(n..)).unwrap_or(&[]);
        }
        Places::Text(names, numbers)
    }

    /// Broken rules as errors, oddities as warnings. Offsets are those of the text.
    pub fn validate(&self) -> Report {
        let (places, mut findings) = (self.places(), Findings::default());
        rules::check(&self.geometry, &places, &mut findings);
        let mut report = findings.report;
        remark_name(&mut report, &Path::ROOT.field("skin"), 0, &self.skin);
        let texture = self.text.iter().position(|b| *b == b'\n').map_or(0, |n| wide(n).saturating_add(1));
        remark_name(&mut report, &Path::ROOT.field("texture"), texture, &self.texture);
        remarks(&self.geometry, &places, &mut report);
        report
    }

    /// The file. A geometry that breaks a rule is refused, as are numbers that no text can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        if strictness == Strictness::Strict {
            let mut findings = Findings::default();
            rules::check(&self.geometry, &Places::Binary(0), &mut findings);
            findings.refuse()?;
        }
        if !self.text.is_empty() {
            let budget = Budget::new(Limits::UNLIMITED);
            let source = file(&self.text, &budget);
            if model(&mut source.start()).is_ok_and(|m| m == *self) {
                return Ok(self.text.clone());
            }
        }
        self.canonical()
    }

    /// One record a line; floats with as many digits as tell them apart from all others.
    fn canonical(&self) -> Result<Vec<u8>, WriteError> {
        let (g, root) = (&self.geometry, Path::ROOT);
        let mut w = Text(Vec::new());
        w.name(&root.field("skin"), &self.skin)?;
        w.name(&root.field("texture"), &self.texture)?;
        let path = root.field("bones");
        w.number(count(&path, g.bones.len())?);
        for (i, name) in g.bones.iter().enumerate() {
            w.name(&path.index(i), name)?;
        }
        w.number(count(&root.field("faces"), g.faces.len())?);
        for [a, b, c] in &g.faces {
            w.line(format_args!("{a} {b} {c}"));
        }
        w.number(count(&root.field("bindings"), g.bindings.len())?);
        for b in &g.bindings {
            let (bone, first, blend) =
                (b.bone.cast_signed(), b.first_real.cast_signed(), b.first_blend.cast_signed());
            w.line(format_args!("{bone} {first} {} {blend} {}", b.real_count, b.blend_count));
        }
        w.number(count(&root.field("real"), g.real.len())?);
        for (i, v) in g.real.iter().enumerate() {
            w.floats(&root.field("real").index(i).field("uv"), &v.uv)?;
        }
        w.number(count(&root.field("blends"), g.blends.len())?);
        for b in &g.blends {
            w.line(format_args!("{} {}", b.target, b.weight));
        }
        w.number(g.total.stored(g)?);
        let real = g.real.iter().map(|v| (v.position, v.normal));
        for (i, (p, n)) in real.chain(g.blends.iter().map(|v| (v.position, v.normal))).enumerate() {
            let [(x, y, z), (nx, ny, nz)] = [p, n].map(|[x, y, z]| (x, y, z));
            w.floats(&root.field("vertices").index(i), &[x, y, z, nx, ny, nz])?;
        }
        Ok(w.0)
    }
}

/// A text under construction, with the line ends of the game's platform.
struct Text(Vec<u8>);

impl fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.0.extend_from_slice(s.as_bytes());
        Ok(())
    }
}

impl Text {
    fn line(&mut self, content: fmt::Arguments<'_>) {
        // Writing to a vector cannot fail.
        let _ = self.write_fmt(content);
        self.0.extend_from_slice(b"\r\n");
    }

    fn number(&mut self, value: u32) {
        self.line(format_args!("{value}"));
    }

    fn name(&mut self, path: &Path<'_>, name: &Name) -> Result<(), WriteError> {
        let bytes = name.bytes();
        if bytes.contains(&b'\n') || bytes.trim_ascii().len() != bytes.len() {
            let message = format!("{name} cannot stand on a line");
            return Err(WriteError::invalid(codes::E_NAME, path, message));
        }
        self.0.extend_from_slice(bytes);
        self.0.extend_from_slice(b"\r\n");
        Ok(())
    }

    fn floats(&mut self, path: &Path<'_>, values: &[F32]) -> Result<(), WriteError> {
        for (i, v) in values.iter().enumerate() {
            if v.get().is_nan() {
                return Err(WriteError::invalid(codes::E_NOT_FINITE, path, "text has no bits for this NaN"));
            }
            if i > 0 {
                self.0.push(b' ');
            }
            let _ = write!(self, "{}", v.get());
        }
        self.0.extend_from_slice(b"\r\n");
        Ok(())
    }
}
