//! Rules that all file types share: those of fields and of LZ4 blocks.

use meshwright_core::{Codes, Rule, rules};

rules! {
    error TRUNCATED = "truncated" ("Truncated"), Truncated,
        "The file ends within a field, or an LZ4 block is longer than what is left of the file.",
        "Fetch the file again: its end is missing, or a size before it is damaged.";
    error COUNT = "truncated" ("Truncated"), BadCount,
        "A table has more items than the rest of the file can hold.",
        "Fetch the file again: its end is missing, or the count is damaged.";
    error LIMIT = "limit-exceeded" ("LimitExceeded"), Limit [NoEngine],
        "Reading the file would take more memory than the caller allows.",
        "Raise the limit if the file is to be trusted.";
    error NEGATIVE_SIZE = "negative-size" ("NegativeSize"), BadSize [Unchecked],
        "A size is negative. The engine does not look at the sign and fails while it decodes or allocates.",
        "The size in the file is damaged: export the file again.";
    error RATIO = "impossible-ratio" ("ImpossibleRatio"), BadSize [Unchecked],
        "A stream states more bytes than its LZ4 block can decode to: a block never grows more than 255-fold.",
        "The sizes in the file are damaged, or made to exhaust memory: export the file again.";
    error LZ4_BLOCK = "lz4-block" ("Lz4"), BadValue [Refuses],
        "An LZ4 block does not decode: it ends too early or refers to bytes that do not exist.",
        "The block is damaged, or is an LZ4 frame or has its size in front, which is another format: export it again.";
    error OUTPUT_TOO_LONG = "lz4-too-long" ("Lz4OutputTooLong"), BadSize [Refuses],
        "An LZ4 block decodes to more bytes than the stream states.",
        "Correct the stated size or compress the stream again.";
    warning END_RULE = "lz4-end" ("Lz4EndRule"), Compatibility [Refuses],
        "An LZ4 block ends in a match. The last 5 bytes must be literals and no match may start within the last 12; the engine's decoder, liblz4, refuses nearly all other blocks.",
        "Compress the stream again.";
    warning NOT_FINITE = "non-finite" ("NonFinite"), NonFinite [Unchecked],
        "A value is infinite or not a number; the engine does not check this.",
        "Correct the value in the program that made the model.";
    warning TRAILING_BYTES = "trailing-bytes" ("TrailingBytes"), Unused [Ignored],
        "Bytes follow the end of the model, where the format has none; the engine ignores them.",
        "Cut the file there unless a program is known to use the bytes.";
}

/// The rules for faults that every reader can meet.
pub(crate) const CODES: Codes = Codes { short: TRUNCATED, count: COUNT, limit: LIMIT };

/// Joins two lists of rules.
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "evaluated by the compiler")]
pub(crate) const fn joined<const N: usize>(a: &[&'static Rule], b: &[&'static Rule]) -> [&'static Rule; N] {
    assert!(a.len() + b.len() == N);
    let mut all = [TRUNCATED; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < a.len() { a[i] } else { b[i - a.len()] };
        i += 1;
    }
    all
}
