//! Parsers of records that DPM and ZYM share.

use crate::bone::Name;
use crate::rules::CODES;
use meshwright_core::{F32, Fault};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::number::complete::be_u32;

pub(crate) type Step<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

pub(crate) fn float(i: &[u8]) -> Step<'_, F32> {
    be_u32.map(F32::from_bits).parse(i)
}

pub(crate) fn vector(i: &[u8]) -> Step<'_, [F32; 3]> {
    (float, float, float).map(|(x, y, z)| [x, y, z]).parse(i)
}

/// Parses a name field.
pub(crate) fn name(i: &[u8]) -> Step<'_, Name> {
    let (rest, raw) = take(crate::record::name::SIZE)(i)?;
    let raw = raw.first_chunk().ok_or(nom::Err::Error(Fault::reject(i, CODES.short, "cut short")))?;
    Ok((rest, Name::from_bytes(*raw)))
}

/// Checks the magic at the start of a file.
pub(crate) fn magic<'a>(i: &'a [u8], letters: &'static [u8]) -> Step<'a, ()> {
    match i.strip_prefix(letters) {
        Some(rest) => Ok((rest, ())),
        None => {
            let message = alloc::format!("not {}", meshwright_core::text::Escaped(letters));
            Err(nom::Err::Error(Fault::reject(i, crate::rules::MAGIC, message)))
        }
    }
}

/// Checks the type number of the format.
pub(crate) fn version(i: &[u8], only: u32) -> Step<'_, ()> {
    match be_u32(i)? {
        (rest, found) if found == only => Ok((rest, ())),
        (_, other) => {
            let message = alloc::format!("type {other:#x}, only type {only} is defined");
            Err(nom::Err::Error(Fault::reject(i, crate::rules::TYPE, message)))
        }
    }
}
