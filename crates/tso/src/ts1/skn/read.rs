//! Reads `.skn`.

use super::model::Skn;
use super::rules;
use super::text::{integer, line, line_end, real, space};
use crate::fields::{Step, file, trailing, wide};
use crate::mesh::offsets::Places;
use crate::mesh::record::{binding, pull, vertex};
use crate::mesh::rules::memory;
use crate::mesh::{Binding, BlendVertex, Geometry, RealVertex, Total};
use crate::name::Name;
use alloc::vec::Vec;
use meshwright_core::num::Q1_15;
use meshwright_core::{Budget, Confidence, Cursor, F32, FieldPath, Findings, Parsed, ReadError, ReadOptions};
use nom::Parser as _;
use nom::error::context;

/// Parses several numbers.
fn numbers<T: Copy + Default, const N: usize>(
    mut i: &[u8],
    number: fn(&[u8]) -> Step<'_, T>,
) -> Step<'_, [T; N]> {
    let mut values = [T::default(); N];
    for value in &mut values {
        (i, *value) = number(i)?;
    }
    Ok((i, values))
}

/// Parses a face: at least 6 bytes with the white space around the numbers.
fn face(i: &[u8]) -> Step<'_, [u32; 3]> {
    numbers(i, integer)
}

/// Returns a binding, at least 10 bytes.
fn binding(i: &[u8]) -> Step<'_, Binding> {
    let (i, bone) = context(binding::BONE.name, integer).parse(i)?;
    let (i, first_real) = context(binding::FIRST_REAL.name, integer).parse(i)?;
    let (i, real_count) = context(binding::REAL_COUNT.name, integer).parse(i)?;
    let (i, first_blend) = context(binding::FIRST_BLEND.name, integer).parse(i)?;
    let (i, blend_count) = context(binding::BLEND_COUNT.name, integer).parse(i)?;
    Ok((i, Binding { bone, first_real, real_count, first_blend, blend_count }))
}

/// Parses texture coordinates: at least 4 bytes.
fn uv(i: &[u8]) -> Step<'_, RealVertex> {
    let (i, uv) = context("uv", |i| numbers(i, real)).parse(i)?;
    Ok((i, RealVertex { uv, ..RealVertex::default() }))
}

/// Parses target and weight of a blend, in this order, which is reversed in binary files: at least 4 bytes.
fn blend(i: &[u8]) -> Step<'_, BlendVertex> {
    let (i, target) = context(pull::TARGET.name, integer).parse(i)?;
    let (i, weight) = context(pull::WEIGHT.name, integer).parse(i)?;
    Ok((i, BlendVertex { weight: Q1_15::from_bits(weight), target, ..BlendVertex::default() }))
}

/// Parses position and normal: at least 12 bytes.
fn vertex(i: &[u8]) -> Step<'_, ([F32; 3], [F32; 3])> {
    let triple = |i| numbers(i, real);
    let (i, position) = context(vertex::POSITION.name, triple).parse(i)?;
    let (i, normal) = context(vertex::NORMAL.name, triple).parse(i)?;
    Ok((i, (position, normal)))
}

fn text_name(cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>) -> Result<Name, ReadError> {
    let at = cursor.offset();
    let name = cursor.read(path, line)?;
    cursor.source().charge(path, at, "name", wide(name.len()), 1)?;
    Ok(Name::from(name))
}

/// Reads a count, and returns it with its offset.
fn counted(cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>) -> Result<(u64, u32), ReadError> {
    cursor.read(path, space)?;
    Ok((cursor.offset(), cursor.read(path, integer)?))
}

/// Returns all of a file.
pub(crate) fn model(cursor: &mut Cursor<'_, '_>) -> Result<Skn, ReadError> {
    let root = FieldPath::ROOT;
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
    let trailing = trailing(cursor)?;
    let total = Total::classify(total, real.len(), blends.len());
    let geometry = Geometry { bones, faces, bindings, real, blends, total };
    let mut skn = Skn::new(skin, texture, geometry);
    skn.trailing = trailing;
    Ok(skn)
}

impl Skn {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. A lenient reader accepts faults of every rule but those on sizes, as in
    /// [`Mesh::parse_with`](crate::Mesh::parse_with).
    ///
    /// Names have lines of their own. Any white space separates numbers, because writers disagree on line ends.
    ///
    /// # Errors
    /// If the file breaks a rule that the options do not accept, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let mut cursor = source.start();
        let skn = model(&mut cursor)?;
        source.charge(&FieldPath::ROOT.field("text"), 0, "text", wide(bytes.len()), 1)?;
        let skn = skn.read_from(bytes.to_vec());
        source.charge(&FieldPath::ROOT, 0, "rules", memory(&skn.geometry), 1)?;
        let mut findings = Findings::reading(options);
        // Offsets are looked for only where they are needed.
        if rules::check(&skn, &Places::Binary(0), &mut Findings::writing()).is_err() {
            // A number and its white space have two bytes.
            source.charge(&FieldPath::ROOT, 0, "offsets", wide(bytes.len() / 2), size_of::<[u64; 3]>())?;
            rules::check(&skn, &rules::places(&skn), &mut findings)?;
        }
        Ok(Parsed::new(skn, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.skn`. The format has no magic: names and numbers are read up to
    /// the first face.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let head = || -> Option<()> {
            let (rest, _) = line(bytes).ok()?;
            let (rest, _) = line(rest).ok()?;
            let (rest, bones) = integer(rest).ok()?;
            let (mut rest, ()) = line_end(rest).ok()?;
            for _ in 0..bones {
                (rest, _) = line(rest).ok()?;
            }
            let (rest, _) = integer(rest).ok()?;
            let (rest, ()) = line_end(rest).ok()?;
            face(rest).ok().map(|_| ())
        };
        if head().is_some() { Confidence::Likely } else { Confidence::No }
    }
}
