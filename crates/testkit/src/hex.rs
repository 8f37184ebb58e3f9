//! Bytes as hexadecimal text, for literal files in tests and for differences in messages of failing tests.

use std::fmt::Write as _;

/// Returns the first differences between `left` and `right`, 16 bytes per line; empty if they are equal.
pub fn hex_diff(left: &[u8], right: &[u8]) -> String {
    const LINES: usize = 6;
    let mut out = String::new();
    if left.len() != right.len() {
        let _ = writeln!(out, "{} bytes against {}", left.len(), right.len());
    }
    let rows = left.len().max(right.len()).div_ceil(16);
    let row = |bytes: &[u8], i: usize| bytes.iter().skip(i * 16).take(16).copied().collect::<Vec<_>>();
    let text = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
    let different = (0..rows).filter(|&i| row(left, i) != row(right, i));
    for i in different.take(LINES) {
        let _ = writeln!(out, "{:#08x}  - {}", i * 16, text(&row(left, i)));
        let _ = writeln!(out, "          + {}", text(&row(right, i)));
    }
    out
}

/// Parses hexadecimal text: two digits per byte, with any white space between bytes. `#` starts a comment
/// until the end of the line.
///
/// # Panics
/// If the text has another character, or half a byte on a line.
pub fn from_hex(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in text.lines() {
        let code = line.split('#').next().unwrap_or_default();
        let digits: Vec<u8> = code
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| {
                c.to_digit(16).and_then(|d| d.try_into().ok()).unwrap_or_else(|| panic!("no digit: {line}"))
            })
            .collect();
        assert!(digits.len().is_multiple_of(2), "half a byte: {line}");
        bytes.extend(digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low));
    }
    bytes
}

#[test]
fn bytes_are_spelled() {
    assert_eq!(from_hex("00ff 7f # nothing\n\n 1 0"), [0, 0xff, 0x7f, 0x10]);
}
