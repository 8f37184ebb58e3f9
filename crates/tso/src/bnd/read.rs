//! Reads `.bnd`.

use super::model::{Bnd, PRESENT, ResourceId};
use crate::codes;
use crate::common::{Findings, Step, file, name, pstr, trailing, version};
use alloc::format;
use meshwright_core::{Budget, Confidence, Fault, Limits, Parsed, Path, ReadError, ReadOptions};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::be_u32;

/// A resource behind its word, 4 or 16 bytes.
fn resource(i: &[u8]) -> Step<'_, Option<ResourceId>> {
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
        let (mut cursor, root) = (source.start(), Path::ROOT);
        version(&mut cursor, 1)?;
        let bone = name(&mut cursor, &root.field("bone"), pstr)?;
        let mesh = cursor.read(&root.field("mesh"), resource)?;
        let texture = cursor.read(&root.field("texture"), resource)?;
        let bnd = Self { bone, mesh, texture, trailing: trailing(&cursor)? };
        let mut findings = Findings::reading(options);
        findings.trailing(cursor.offset(), &bnd.trailing);
        Ok(Parsed::new(bnd, findings.settle()?))
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
}
