//! Reads and writes the records of a `.bcf`.

use super::binary::{Binary, BinaryOut};
use super::model::Bcf;
use crate::fields::{file, trailing};
use crate::ts1::character::{read, write};
use alloc::vec::Vec;
use meshwright_core::{Budget, Limits, ReadError, Source, WriteError};

/// Returns all records, and the places of their scalars if they are needed.
pub(crate) fn tree(source: &Source<'_>, places: Option<&mut Vec<u64>>) -> Result<Bcf, ReadError> {
    let mut input = Binary { cursor: source.start(), places };
    let mut bcf = Bcf::new(read::character(&mut input)?);
    bcf.trailing = trailing(&input.cursor)?;
    Ok(bcf)
}

/// Returns the bytes of the file, even if it breaks rules.
pub(crate) fn image(bcf: &Bcf) -> Result<Vec<u8>, WriteError> {
    if !bcf.kept.0.is_empty() {
        let budget = Budget::new(Limits::UNLIMITED);
        if tree(&file(&bcf.kept.0, &budget), None).is_ok_and(|b| b == *bcf) {
            return Ok(bcf.kept.0.clone());
        }
    }
    let mut out = Vec::new();
    write::character(&mut BinaryOut(&mut out), &bcf.character)?;
    out.extend_from_slice(&bcf.trailing);
    Ok(out)
}
