//! Reads `.bnd`.

use super::model::{Bnd, ResourceId};
use super::record::{PRESENT, VERSION, id};
use super::rules;
use crate::fields::{Step, file, name, pstr, trailing, version};
use crate::name::Name;
use alloc::format;
use meshwright_core::record::field;
use meshwright_core::{
    Budget, Confidence, Fault, FieldPath, Findings, Limits, Parsed, ReadError, ReadOptions,
};
use nom::Parser as _;
use nom::number::complete::be_u32;

/// Parses a resource after its word.
pub(crate) fn resource(i: &[u8]) -> Step<'_, Option<ResourceId>> {
    let (rest, tag) = be_u32(i)?;
    match tag {
        0 => Ok((rest, None)),
        PRESENT => {
            let (rest, group) = field(id::GROUP, be_u32).parse(rest)?;
            let (rest, file) = field(id::FILE, be_u32).parse(rest)?;
            let (rest, kind) = field(id::KIND, be_u32).parse(rest)?;
            Ok((rest, Some(ResourceId { group, file, kind })))
        }
        // Niotso reads a resource after any word but 0, FreeSO only after 8.
        _ => {
            let message = format!("{tag} before a resource, only 0 and 8 are known");
            Err(nom::Err::Error(Fault::reject(i, rules::TAG, message)))
        }
    }
}

/// Returns true if the bytes begin with the version and a readable name.
fn starts(bytes: &[u8]) -> bool {
    let name = bytes.strip_prefix(&VERSION.to_be_bytes()).and_then(|rest| pstr(rest).ok());
    name.is_some_and(|(_, name)| !name.is_empty() && Name::from(name).is_plain())
}

impl Bnd {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. A lenient reader keeps bytes after the last field.
    ///
    /// # Errors
    /// If the file breaks a rule that the options do not accept, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let (mut cursor, root) = (source.start(), FieldPath::ROOT);
        version(&mut cursor, VERSION)?;
        let bone = name(&mut cursor, &root.field("bone"), pstr)?;
        let mesh = cursor.read(&root.field("mesh"), resource)?;
        let texture = cursor.read(&root.field("texture"), resource)?;
        let bnd = Self { bone, mesh, texture, trailing: trailing(&cursor)? };
        let mut findings = Findings::reading(options);
        rules::check(&bnd, &mut findings)?;
        Ok(Parsed::new(bnd, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.bnd`. The format has no magic: the file is read.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let options = ReadOptions::default().with_limits(Limits::default().with_memory(1 << 10));
        match Self::parse_with(bytes, &options) {
            Ok(p) if p.model.mesh.is_some() || p.model.texture.is_some() => Confidence::Likely,
            Ok(_) => Confidence::Possible,
            // The version and a name are what other records of the game do not have.
            Err(_) if starts(bytes) => Confidence::Possible,
            Err(_) => Confidence::No,
        }
    }
}
