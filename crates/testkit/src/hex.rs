//! Differences of two files, for a failing test to show.

use std::fmt::Write as _;

/// The first places where `left` and `right` differ, 16 bytes a line; empty when they are the same.
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
