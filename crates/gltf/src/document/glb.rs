//! Reads the chunks of a GLB.

use super::ledger::Ledger;
use super::rules::{
    GLB_ALIGNMENT, GLB_CHUNK, GLB_CHUNK_UNUSED, GLB_HEADER, GLB_LENGTH, GLB_TRAILING, GLB_VERSION,
};
use meshwright_core::{FieldPath, ReadError};

/// The first four bytes of a GLB.
pub(super) const MAGIC: &[u8; 4] = b"glTF";
const HEADER: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    /// The file offset of the JSON.
    pub(super) json_offset: u64,
    pub(super) bin: Option<&'a [u8]>,
}

const GLB: FieldPath<'static> = FieldPath::ROOT.field("glb");

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// Returns true if the bytes begin with the magic of GLB, or with a byte that cannot begin JSON in any
/// encoding.
pub(super) fn is_meant(bytes: &[u8]) -> bool {
    let text = |first: &u8| matches!(first, b' ' | b'\t'..=b'\r' | b'"' | b'-' | b'0'..=b'9' | b'{' | b'[');
    let word = |first: &u8| matches!(first, b'f' | b'n' | b't');
    let encoded = |first: &u8| matches!(first, 0 | 0xef | 0xfe | 0xff);
    bytes.starts_with(MAGIC) || bytes.first().is_some_and(|b| !(text(b) || word(b) || encoded(b)))
}

pub(super) fn split<'a>(file: &'a [u8], ledger: &Ledger) -> Result<Chunks<'a>, ReadError> {
    let (Some(MAGIC), Some(version), Some(length)) = (file.first_chunk(), word(file, 4), word(file, 8))
    else {
        let message = "shorter than 12 bytes, or does not begin with glTF";
        return Err(ReadError::broken(GLB_HEADER, &GLB, 0, message));
    };
    if version != 2 {
        return Err(ReadError::broken(GLB_VERSION, &GLB.field("version"), 4, format!("version {version}")));
    }
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let Some(stated) = file.get(..length).filter(|s| s.len() >= HEADER) else {
        let message = format!("{length} bytes stated, the file has {}", file.len());
        return Err(ReadError::broken(GLB_LENGTH, &GLB.field("length"), 8, message));
    };
    if stated.len() < file.len() {
        let message = format!("{} bytes after the stated length", file.len().saturating_sub(stated.len()));
        ledger.warn(GLB_TRAILING, &GLB, &|| stated.len() as u64, message);
    }
    chunks(file, stated, ledger)
}

/// Reads the chunks of `stated`, the part of the file up to the length in its header.
fn chunks<'a>(file: &'a [u8], stated: &'a [u8], ledger: &Ledger) -> Result<Chunks<'a>, ReadError> {
    let all = GLB.field("chunks");
    let mut found: Option<Chunks<'a>> = None;
    let (mut at, mut number) = (HEADER, 0_usize);
    while at < stated.len() {
        let path = all.index(number);
        let start = at.saturating_add(8);
        let end = word(file, at)
            .map_or(usize::MAX, |n| start.saturating_add(usize::try_from(n).unwrap_or(usize::MAX)));
        let Some(body) = stated.get(start..end) else {
            // If the file is large enough for the chunk, the length in the header is wrong.
            let rule = if end <= file.len() { GLB_LENGTH } else { GLB_CHUNK };
            return Err(ReadError::broken(rule, &path, at as u64, "goes beyond the end"));
        };
        if body.len() % 4 != 0 {
            ledger.warn(GLB_ALIGNMENT, &path, &|| at as u64, format!("{} bytes", body.len()));
        }
        let kind = stated.get(at.saturating_add(4)..).and_then(<[u8]>::first_chunk::<4>);
        match (&mut found, kind) {
            (None, Some(b"JSON")) => {
                found = Some(Chunks { json: body, json_offset: start as u64, bin: None });
            }
            (None, _) => {
                return Err(ReadError::broken(GLB_CHUNK, &path, at as u64, "the first is not the JSON"));
            }
            (Some(chunks), Some(b"BIN\0")) if chunks.bin.is_none() => chunks.bin = Some(body),
            (Some(_), Some(b"JSON" | b"BIN\0")) => {
                ledger.warn(GLB_CHUNK_UNUSED, &path, &|| at as u64, "there was one of its type before");
            }
            // Chunks of other types must be ignored.
            (Some(_), _) => {}
        }
        at = end;
        number = number.saturating_add(1);
    }
    found.ok_or_else(|| ReadError::broken(GLB_CHUNK, &GLB, 12, "has no JSON chunk"))
}
