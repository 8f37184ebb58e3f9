//! `.bmf`: a geometry with the names of its skin and texture, all of it little endian.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use crate::common::{Findings, file, name, pstr, put_pstr, remark_name, trailing, wide};
use crate::mesh::Geometry;
use crate::mesh::places::{Field, Places};
use crate::mesh::read::{Order, geometry, sniff_geometry};
use crate::mesh::rules;
use crate::mesh::validate::remarks;
use crate::mesh::write;
use crate::name::Name;
use alloc::vec::Vec;
use meshwright_core::{
    Budget, ByteWriter, Confidence, Parsed, Path, ReadError, ReadOptions, Report, Strictness, WriteError,
};

/// A `.bmf` file of The Sims 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bmf {
    /// The skin's name.
    pub skin: Name,
    /// The texture's name, without extension.
    pub texture: Name,
    /// Everything else.
    pub geometry: Geometry,
    /// Bytes behind the last field, kept by lenient reading.
    pub trailing: Vec<u8>,
}

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
        let forgiven = bmf.rules().settle(options.is_lenient())?;
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

    fn places(&self) -> Places {
        let names = wide(self.skin.bytes().len()).saturating_add(wide(self.texture.bytes().len()));
        Places::Binary(names.saturating_add(2))
    }

    fn rules(&self) -> Findings {
        let (places, mut findings) = (self.places(), Findings::default());
        rules::check(&self.geometry, &places, &mut findings);
        let end = places.finder(&self.geometry).at(Field::End).unwrap_or(0);
        findings.trailing(end, &self.trailing);
        findings
    }

    /// Broken rules as errors, oddities as warnings, with the offsets of the file that this is written to.
    pub fn validate(&self) -> Report {
        let mut report = self.rules().report;
        remark_name(&mut report, &Path::ROOT.field("skin"), 0, &self.skin);
        let texture = wide(self.skin.bytes().len()).saturating_add(1);
        remark_name(&mut report, &Path::ROOT.field("texture"), texture, &self.texture);
        remarks(&self.geometry, &self.places(), &mut report);
        report
    }

    /// The file. A geometry that breaks a rule is refused.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        if strictness == Strictness::Strict {
            self.rules().refuse()?;
        }
        let mut w = ByteWriter::new();
        put_pstr(&mut w, &Path::ROOT.field("skin"), &self.skin)?;
        put_pstr(&mut w, &Path::ROOT.field("texture"), &self.texture)?;
        write::geometry(&mut w, &self.geometry, Order::Little)?;
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}
