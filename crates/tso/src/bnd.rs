//! `.bnd`: which mesh hangs on which bone with which texture.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use crate::codes;
use crate::common::{Findings, file, name, pstr, put_pstr, remark_name, trailing, version, wide};
use crate::name::Name;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{
    Budget, ByteWriter, Confidence, Cursor, Fault, Limits, Parsed, Path, ReadError, ReadOptions, Report,
    Strictness, WriteError,
};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::be_u32;

/// The word before a resource that is there; 0 where none is.
const PRESENT: u32 = 8;

/// A `.bnd` file of The Sims Online, version 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bnd {
    /// The bone; in known files the first of the mesh.
    pub bone: Name,
    /// The mesh.
    pub mesh: Option<ResourceId>,
    /// Its texture.
    pub texture: Option<ResourceId>,
    /// Bytes behind the last field, kept by lenient reading; no known file has any.
    pub trailing: Vec<u8>,
}

/// The game's name for a file within its archives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId {
    /// Group, 0 in most files.
    pub group: u32,
    /// File within the type.
    pub file: u32,
    /// Type: 5 for `.skel`, 7 for `.anim`, 9 for `.mesh`.
    pub kind: u32,
}

impl ResourceId {
    /// The sixteen hexadecimal digits that stand before the extension in names of unpacked files, as in
    /// `pride-cape.c02bdebf00000009.mesh`.
    pub fn tag(&self) -> String {
        format!("{:08x}{:08x}", self.file, self.kind)
    }

    /// The file and type that the name of an unpacked file tells, with group 0.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let tag = name.rsplit('.').nth(1).unwrap_or_default();
        let digits = tag.len() == 16 && tag.bytes().all(|b| b.is_ascii_hexdigit());
        let (file, kind) = tag.split_at_checked(8).filter(|_| digits)?;
        let number = |digits| u32::from_str_radix(digits, 16).ok();
        Some(Self { group: 0, file: number(file)?, kind: number(kind)? })
    }

    /// True when both name the same file, whatever their groups.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.file, self.kind) == (other.file, other.kind)
    }
}

/// A resource behind its word, 4 or 16 bytes.
fn resource(i: &[u8]) -> Result<(&[u8], Option<ResourceId>), nom::Err<Fault<'_>>> {
    let (rest, tag) = be_u32(i)?;
    match tag {
        0 => Ok((rest, None)),
        PRESENT => {
            let (rest, group) = context("group", be_u32).parse(rest)?;
            let (rest, file) = context("file", be_u32).parse(rest)?;
            let (rest, kind) = context("kind", be_u32).parse(rest)?;
            Ok((rest, Some(ResourceId { group, file, kind })))
        }
        // Niotso reads a resource behind any word but 0, FreeSO behind 8 only.
        _ => {
            let message = format!("{tag} before a resource, only 0 and 8 are known");
            Err(nom::Err::Error(Fault::reject(i, codes::E_TAG, message)))
        }
    }
}

impl Bnd {
    /// Reads a file that keeps all rules, within the default limits.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. Leniently, bytes behind the last field are kept.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let (mut cursor, root): (Cursor<'_, '_>, _) = (source.start(), Path::ROOT);
        version(&mut cursor, 1)?;
        let bone = name(&mut cursor, &root.field("bone"), pstr)?;
        let mesh = cursor.read(&root.field("mesh"), resource)?;
        let texture = cursor.read(&root.field("texture"), resource)?;
        let bnd = Self { bone, mesh, texture, trailing: trailing(&cursor)? };
        let mut findings = Findings::default();
        findings.trailing(cursor.offset(), &bnd.trailing);
        Ok(Parsed::new(bnd, findings.settle(options.is_lenient())?))
    }

    /// How likely these are the bytes of a `.bnd`. There is no magic: the file is read.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let options = ReadOptions::default().with_limits(Limits::default().with_memory(1 << 10));
        match Self::parse_with(bytes, &options) {
            Ok(p) if p.model.mesh.is_some() || p.model.texture.is_some() => Confidence::Likely,
            Ok(_) => Confidence::Possible,
            Err(_) => Confidence::No,
        }
    }

    fn size(&self) -> u64 {
        let resource = |r: Option<ResourceId>| if r.is_some() { 16 } else { 4 };
        let name = wide(self.bone.bytes().len()).saturating_add(5);
        name.saturating_add(resource(self.mesh)).saturating_add(resource(self.texture))
    }

    /// Broken rules as errors, oddities as warnings.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::default();
        findings.trailing(self.size(), &self.trailing);
        let mut report = findings.report;
        remark_name(&mut report, &Path::ROOT.field("bone"), 4, &self.bone);
        report
    }

    /// The file. Trailing bytes are refused.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently with its trailing bytes.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        if strictness == Strictness::Strict {
            let mut findings = Findings::default();
            findings.trailing(self.size(), &self.trailing);
            findings.refuse()?;
        }
        let mut w = ByteWriter::new();
        w.be_u32(1);
        put_pstr(&mut w, &Path::ROOT.field("bone"), &self.bone)?;
        for resource in [self.mesh, self.texture] {
            match resource {
                None => w.be_u32(0),
                Some(id) => [PRESENT, id.group, id.file, id.kind].into_iter().for_each(|v| w.be_u32(v)),
            }
        }
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_tell_ids() {
        let id = ResourceId::from_file_name("pride-cape.c02bdebf00000009.mesh").unwrap();
        assert_eq!((id.file, id.kind), (0xc02b_debf, 9));
        assert_eq!(id.tag(), "c02bdebf00000009");
        for other in ["pride-cape.mesh", "x.c02bdebf0000000.mesh", "x.+02bdebf00000009.mesh", ""] {
            assert_eq!(ResourceId::from_file_name(other), None, "{other}");
        }
    }
}
