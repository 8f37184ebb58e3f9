//! Reads `.bmf`.

use super::model::Bmf;
use super::rules;
use crate::fields::{file, name, pstr, trailing};
use crate::mesh::read::{geometry, sniff_geometry};
use crate::mesh::record::Order;
use crate::mesh::rules::memory;
use meshwright_core::{Budget, Confidence, FieldPath, Findings, Parsed, ReadError, ReadOptions};

impl Bmf {
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
    /// # Errors
    /// When the file breaks a rule that the options do not pass over, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let (mut cursor, root) = (source.start(), FieldPath::ROOT);
        let skin = name(&mut cursor, &root.field("skin"), pstr)?;
        let texture = name(&mut cursor, &root.field("texture"), pstr)?;
        let geometry = geometry(&mut cursor, Order::Little)?;
        let bmf = Self { skin, texture, geometry, trailing: trailing(&cursor)? };
        source.charge(&root, 0, "rules", memory(&bmf.geometry), 1)?;
        let mut findings = Findings::reading(options);
        rules::check(&bmf, &mut findings)?;
        Ok(Parsed::new(bmf, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.bmf`. The format has no magic: the sizes of all tables must fit
    /// the size of the file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        match pstr(bytes).and_then(|(rest, _)| pstr(rest)) {
            Ok((rest, _)) => sniff_geometry(rest, Order::Little),
            Err(_) => Confidence::No,
        }
    }
}
