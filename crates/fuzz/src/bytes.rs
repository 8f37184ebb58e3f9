//! Bytes as a file of one kind.

use super::LIMITS;
use meshwright::{Kind, ReadOptions, ReadSettings, Visitor};
use meshwright_testkit::laws::{answer, refusal};

/// The bytes are read: strictly, and leniently where that is a refusal.
pub(crate) struct Parse<'b>(pub(crate) &'b [u8]);

/// Files that open are validated, written and read again.
pub(crate) struct Round<'b>(pub(crate) &'b [u8]);

/// Returns the options of a kind of file. Where it has settings the bytes decide, or one value is insisted on, by the last byte.
pub(crate) fn options<K: Kind>(read: ReadOptions, bytes: &[u8]) -> K::Options {
    let mut settings = ReadSettings::from(read.with_limits(LIMITS));
    let mut number = usize::from(bytes.last().copied().unwrap_or(0) / 8);
    for setting in K::SETTINGS {
        let choices = setting.values.len() + 1;
        if let Some(value) = (number % choices).checked_sub(1) {
            match (setting.name, setting.values[value]) {
                ("quaternions", order) => settings.quaternions = order.parse().expect("a known order"),
                (_, dialect) => settings.dialect = Some(dialect.parse().expect("a known dialect")),
            }
        }
        number /= choices;
    }
    K::options(&settings)
}

impl Visitor for Parse<'_> {
    type Output = ();

    /// Reads the input. The errors of every eighth input are checked in detail, which takes as long as all other
    /// checks.
    fn visit<K: Kind>(self) {
        let bytes = self.0;
        for read in [ReadOptions::default(), ReadOptions::lenient()] {
            match K::parse_with(bytes, &options::<K>(read, bytes)) {
                Ok(_) => return,
                Err(e) if bytes.last().is_some_and(|b| b % 8 == 0) => refusal(&e, bytes.len()),
                Err(_) => {}
            }
        }
    }
}

impl Visitor for Round<'_> {
    type Output = ();

    fn visit<K: Kind>(self) {
        let bytes = self.0;
        let parse = |file: &[u8], read: &ReadOptions| K::parse_with(file, &options::<K>(*read, bytes));
        answer(bytes, bytes.len(), parse, K::validate, K::to_bytes);
    }
}

/// Returns a Crucible mesh chunk of nothing but an LZ4 block; the first two bytes say how long it is when decoded.
pub(crate) fn chunk_around(bytes: &[u8]) -> Vec<u8> {
    let (size, block) = bytes.split_at(bytes.len().min(2));
    let size = size.iter().rev().fold(0, |size, byte| size << 8 | u32::from(*byte));
    let packed = u32::try_from(block.len()).unwrap_or(u32::MAX);
    // One attribute of the vertices, and no indices.
    let mut file = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x10, 0];
    for number in [packed, size] {
        file.extend(number.to_le_bytes());
    }
    file.extend(block);
    file
}
