//! Reads `.bmf`.

use super::model::Bmf;
use crate::common::{Findings, file, name, pstr, trailing};
use crate::mesh::read::{Order, geometry, sniff_geometry};
use crate::mesh::rules;
use meshwright_core::{Budget, Confidence, Parsed, Path, ReadError, ReadOptions};

impl Bmf {
    /// Reads a file that keeps all rules, within the default limits.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. Leniently, every rule but those on sizes may be broken, as in
    /// [`Mesh::parse_with`](crate::Mesh::parse_with).
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let (mut cursor, root) = (source.start(), Path::ROOT);
        let skin = name(&mut cursor, &root.field("skin"), pstr)?;
        let texture = name(&mut cursor, &root.field("texture"), pstr)?;
        let geometry = geometry(&mut cursor, Order::Little)?;
        let bmf = Self { skin, texture, geometry, trailing: trailing(&cursor)? };
        source.charge(&root, 0, "rules", rules::memory(&bmf.geometry), 1)?;
        let forgiven = bmf.rules(Findings::reading(options)).settle()?;
        Ok(Parsed::new(bmf, forgiven))
    }

    /// How likely these are the bytes of a `.bmf`. There is no magic: the sizes of all tables are held against the
    /// size of the file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        match pstr(bytes).and_then(|(rest, _)| pstr(rest)) {
            Ok((rest, _)) => sniff_geometry(rest, Order::Little),
            Err(_) => Confidence::No,
        }
    }
}
