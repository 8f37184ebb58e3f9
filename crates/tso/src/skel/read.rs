//! Reads `.skel`.

use super::model::{Bone, Skel};
use super::record::{BONE_MIN, VERSION, read_tail};
use super::rules;
use crate::fields::{file, flag, name, pstr, trailing, version, wide};
use crate::name::NameIndex;
use crate::props::property_lists;
use meshwright_core::{
    Budget, Confidence, Cursor, Fault, FieldPath, Findings, Limits, Parsed, ReadError, ReadOptions,
};
use nom::number::complete::{be_u16, be_u32};

/// Returns a bone.
fn bone(cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>) -> Result<Bone, ReadError> {
    let unknown = cursor.read(&path.field("unknown"), be_u32::<&[u8], Fault<'_>>)?;
    let own = name(cursor, &path.field("name"), pstr)?;
    let parent = name(cursor, &path.field("parent"), pstr)?;
    let has_properties = cursor.read(&path.field("has_properties"), flag)?;
    let properties = if has_properties.is_set() {
        property_lists(cursor, &path.field("properties"))?
    } else {
        Default::default()
    };
    let rest = cursor.read(path, read_tail)?;
    Ok(Bone { unknown, name: own, parent, has_properties, properties, ..rest })
}

impl Skel {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. A lenient reader accepts faults of every rule but those on sizes and version, and keeps the
    /// values, and [`parents`](Self::parents) handles them.
    ///
    /// # Errors
    /// When the file breaks a rule that the options do not pass over, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let (mut cursor, root) = (source.start(), FieldPath::ROOT);
        version(&mut cursor, VERSION)?;
        let own = name(&mut cursor, &root.field("name"), pstr)?;
        let (path, at) = (root.field("bones"), cursor.offset());
        let n = cursor.read(&path, be_u16::<&[u8], Fault<'_>>)?;
        let mut bones = cursor.reserve(&path, at, u64::from(n), wide(BONE_MIN))?;
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
        rules::check(&skel, &mut findings)?;
        Ok(Parsed::new(skel, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.skel`. The format has no magic: the file is read, within a
    /// mebibyte. Other records of the game begin similarly, so a file whose first bone has no printable name is rejected.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if !bytes.starts_with(&VERSION.to_be_bytes()) {
            return Confidence::No;
        }
        let options = ReadOptions::lenient().with_limits(Limits::default().with_memory(1 << 20));
        let Ok(Parsed { model, .. }) = Self::parse_with(bytes, &options) else { return Confidence::No };
        let named = model.bones.first().is_some_and(|b| !b.name.bytes().is_empty() && b.name.is_plain());
        match (named, model.trailing.is_empty()) {
            (true, true) => Confidence::Likely,
            (true, false) => Confidence::Possible,
            _ => Confidence::No,
        }
    }
}
