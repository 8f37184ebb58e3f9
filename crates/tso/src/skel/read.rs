//! Reads `.skel`.

use super::model::{Bone, Skel};
use super::validate::check;
use crate::common::{Findings, Flag, Step, file, name, pstr, trailing, version, wide};
use crate::name::NameIndex;
use crate::props::property_lists;
use meshwright_core::{Budget, Confidence, Cursor, F32, Fault, Limits, Parsed, Path, ReadError, ReadOptions};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{be_u16, be_u32, le_u32, u8};

/// Little-endian floats.
fn floats<const N: usize>(mut i: &[u8]) -> Step<'_, [F32; N]> {
    let mut values = [F32::default(); N];
    for value in &mut values {
        let (rest, bits) = le_u32(i)?;
        (*value, i) = (F32::from_bits(bits), rest);
    }
    Ok((i, values))
}

/// What of a bone stands behind its properties, 48 bytes.
fn tail(i: &[u8]) -> Step<'_, Bone> {
    let (i, translation) = context("translation", floats).parse(i)?;
    let (i, rotation) = context("rotation", floats).parse(i)?;
    let (i, can_translate) = context("can_translate", be_u32).parse(i)?;
    let (i, can_rotate) = context("can_rotate", be_u32).parse(i)?;
    let (i, can_blend) = context("can_blend", be_u32).parse(i)?;
    let (i, [wiggle_value]) = context("wiggle_value", floats).parse(i)?;
    let (i, [wiggle_power]) = context("wiggle_power", floats).parse(i)?;
    let bone = Bone {
        translation,
        rotation,
        can_translate,
        can_rotate,
        can_blend,
        wiggle_value,
        wiggle_power,
        ..Bone::default()
    };
    Ok((i, bone))
}

/// A bone, at least 55 bytes.
fn bone(cursor: &mut Cursor<'_, '_>, path: &Path<'_>) -> Result<Bone, ReadError> {
    let unknown = cursor.read(&path.field("unknown"), be_u32::<&[u8], Fault<'_>>)?;
    let own = name(cursor, &path.field("name"), pstr)?;
    let parent = name(cursor, &path.field("parent"), pstr)?;
    let has_properties = Flag(cursor.read(&path.field("has_properties"), u8::<&[u8], Fault<'_>>)?);
    let properties = if has_properties.is_set() {
        property_lists(cursor, &path.field("properties"))?
    } else {
        Default::default()
    };
    let rest = cursor.read(path, tail)?;
    Ok(Bone { unknown, name: own, parent, has_properties, properties, ..rest })
}

impl Skel {
    /// Reads a file that keeps all rules, within the default limits.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. Leniently, every rule but those on sizes and version may be broken: the values are kept, and
    /// [`parents`](Self::parents) makes do.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let (mut cursor, root) = (source.start(), Path::ROOT);
        version(&mut cursor, 1)?;
        let own = name(&mut cursor, &root.field("name"), pstr)?;
        let (path, at) = (root.field("bones"), cursor.offset());
        let n = cursor.read(&path, be_u16::<&[u8], Fault<'_>>)?;
        let mut bones = cursor.reserve(&path, at, u64::from(n), 55)?;
        for i in 0..usize::from(n) {
            bones.push(bone(&mut cursor, &path.index(i))?);
        }
        // Offsets, parents, walks and two indices of the names.
        let names = bones.iter().fold(0_u64, |n, b| n.saturating_add(wide(b.name.bytes().len())));
        source.charge(&path, at, "rules", wide(bones.len()), size_of::<[u64; 5]>())?;
        source.charge(&path, at, "rules", wide(bones.len()), NameIndex::MEMORY)?;
        source.charge(&path, at, "rules", names, 1)?;
        let skel = Self { name: own, bones, trailing: trailing(&cursor)? };
        let mut findings = Findings::reading(options);
        check(&skel, &mut findings);
        Ok(Parsed::new(skel, findings.settle()?))
    }

    /// How likely these are the bytes of a `.skel`. There is no magic: the file is read, within a mebibyte.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if !bytes.starts_with(&[0, 0, 0, 1]) {
            return Confidence::No;
        }
        let options = ReadOptions::lenient().with_limits(Limits::default().with_memory(1 << 20));
        match Self::parse_with(bytes, &options) {
            Ok(p) if p.model.trailing.is_empty() && !p.model.bones.is_empty() => Confidence::Likely,
            Ok(_) => Confidence::Possible,
            Err(_) => Confidence::No,
        }
    }
}
