//! Reads outfits and their parts.

use super::model::{Apr, Col, ColItem, FileRef, Hag, Oft, Po, Region, kinds};
use super::rules;
use crate::bnd::ResourceId;
use crate::fields::{Step, file, trailing, version};
use crate::props::counted;
use meshwright_core::{
    Budget, Confidence, Cursor, Fault, FieldPath, Findings, Parsed, ReadError, ReadOptions,
};
use nom::Parser as _;
use nom::number::complete::be_u32;

fn reference(i: &[u8]) -> Step<'_, FileRef> {
    (be_u32, be_u32).map(|(file, kind)| FileRef { file, kind }).parse(i)
}

fn item(i: &[u8]) -> Step<'_, ColItem> {
    (be_u32, reference).map(|(index, purchasable)| ColItem { index, purchasable }).parse(i)
}

fn word(cursor: &mut Cursor<'_, '_>, field: &'static str) -> Result<u32, ReadError> {
    cursor.read(&FieldPath::ROOT.field(field), be_u32::<&[u8], Fault<'_>>)
}

/// Reads the number of another record after a word that states its presence.
fn link(cursor: &mut Cursor<'_, '_>, field: &'static str) -> Result<Option<ResourceId>, ReadError> {
    cursor.read(&FieldPath::ROOT.field(field), crate::bnd::resource)
}

fn apr(c: &mut Cursor<'_, '_>) -> Result<Apr, ReadError> {
    version(c, 1)?;
    let thumbnail = c.read(&FieldPath::ROOT.field("thumbnail"), reference)?;
    let path = FieldPath::ROOT.field("bindings");
    let (at, n) = counted(c, &path)?;
    let bindings = c.table(&path, at, n, 8, reference)?;
    Ok(Apr { thumbnail, bindings, trailing: trailing(c)? })
}

fn oft(c: &mut Cursor<'_, '_>) -> Result<Oft, ReadError> {
    version(c, 1)?;
    let unknown = word(c, "unknown")?;
    let mut appearances = [FileRef::default(); 3];
    let path = FieldPath::ROOT.field("appearances");
    for (i, slot) in appearances.iter_mut().enumerate() {
        *slot = c.read(&path.index(i), reference)?;
    }
    let (hands, region) = (word(c, "hands")?, Region(word(c, "region")?));
    Ok(Oft { unknown, appearances, hands, region, trailing: trailing(c)? })
}

fn hag(c: &mut Cursor<'_, '_>) -> Result<Hag, ReadError> {
    version(c, 1)?;
    let mut appearances = [FileRef::default(); 18];
    let path = FieldPath::ROOT.field("appearances");
    for (i, slot) in appearances.iter_mut().enumerate() {
        *slot = c.read(&path.index(i), reference)?;
    }
    Ok(Hag { appearances, trailing: trailing(c)? })
}

fn po(c: &mut Cursor<'_, '_>) -> Result<Po, ReadError> {
    version(c, 2)?;
    let (unknown, outfit) = (word(c, "unknown")?, link(c, "outfit")?);
    let collection = link(c, "collection")?;
    Ok(Po { unknown, outfit, collection, trailing: trailing(c)? })
}

fn col(c: &mut Cursor<'_, '_>) -> Result<Col, ReadError> {
    let path = FieldPath::ROOT.field("items");
    let (at, n) = counted(c, &path)?;
    let items = c.table(&path, at, n, 12, item)?;
    Ok(Col { items, trailing: trailing(c)? })
}

/// Checks the types of the named resources, which only files of this kind have.
type Signature<T> = fn(&T) -> bool;

macro_rules! readers {
    ($($ty:ident: $read:ident, $is:expr;)+) => {$(
        impl $ty {
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
                let model = $read(&mut file(bytes, &budget).start())?;
                let mut findings = Findings::reading(options);
                rules::Checked::check(&model, &mut findings)?;
                Ok(Parsed::new(model, findings.into_report()))
            }

            /// Returns how likely these are bytes of this kind: their sizes are exact, and the types of the named
            /// resources identify the kind.
            pub fn sniff(bytes: &[u8]) -> Confidence {
                let is: Signature<Self> = $is;
                match Self::parse(bytes) {
                    Ok(model) if is(&model) => Confidence::Likely,
                    _ => Confidence::No,
                }
            }
        }
    )+};
}

readers! {
    Apr: apr, |m| !m.bindings.is_empty() && m.bindings.iter().all(|b| b.kind == kinds::BINDING);
    Oft: oft, |m| m.appearances.iter().all(|a| a.kind == kinds::APPEARANCE);
    Hag: hag, |m| {
        let known = |a: &FileRef| matches!(a.kind, 0 | kinds::APPEARANCE);
        m.appearances.iter().all(known) && m.appearances.iter().any(|a| a.kind != 0)
    };
    Po: po, |m| m.outfit.is_some_and(|o| o.kind == kinds::OUTFIT);
    Col: col, |m| !m.items.is_empty() && m.items.iter().all(|i| i.purchasable.kind == kinds::PURCHASABLE);
}
