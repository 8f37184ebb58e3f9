//! The chunks of a GLB.

use super::Findings;
use crate::document::rules::{GLB_CHUNK_PLACE, GLB_MISALIGNED, JSON_BOM_WRITTEN};
use meshwright_core::FieldPath;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// Checks the chunks of a GLB, or the beginning of a text.
pub(super) fn check(bytes: &[u8], findings: &mut Findings) {
    let json = FieldPath::ROOT.field("json");
    let glb = FieldPath::ROOT.field("glb");
    let all = glb.field("chunks");
    if bytes.starts_with(MARK) {
        findings.broken(JSON_BOM_WRITTEN, &json, &|| 0, "begins with a byte order mark");
    }
    if !bytes.starts_with(b"glTF") {
        return;
    }
    let word = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map(|b| u32::from_le_bytes(*b));
    let (mut at, mut number, mut seen) = (12_usize, 0_usize, Vec::new());
    let end = word(8).and_then(|end| usize::try_from(end).ok()).unwrap_or(0);
    while at < end {
        let (Some(length), Some(kind)) = (word(at), word(at.saturating_add(4))) else { return };
        let (path, place) = (all.index(number), at as u64);
        if length % 4 != 0 {
            findings.broken(GLB_MISALIGNED, &path, &|| place, format!("{length} bytes"));
        }
        let (text, binary) = (u32::from_le_bytes(*b"JSON"), u32::from_le_bytes(*b"BIN\0"));
        let known = kind == text || kind == binary;
        if known && seen.contains(&kind) {
            findings.broken(GLB_CHUNK_PLACE, &path, &|| place, "is the second chunk of its type");
        } else if kind == binary && number > 1 {
            findings.broken(GLB_CHUNK_PLACE, &path, &|| place, "the binary chunk is not the second chunk");
        }
        let start = at.saturating_add(8);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if kind == text && bytes.get(start..).is_some_and(|text| text.starts_with(MARK)) {
            findings.broken(JSON_BOM_WRITTEN, &json, &|| start as u64, "begins with a byte order mark");
        }
        seen.extend(known.then_some(kind));
        at = start.saturating_add(length);
        number = number.saturating_add(1);
    }
}
