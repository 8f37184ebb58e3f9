//! Checks whether an image file for a viewer is complete: decoders accept incomplete files.

const SIGNATURE: usize = 8;
/// Data that glTF tells readers to ignore, and viewers use: colour profiles, gamma, and pixels that are not square.
const IGNORED: [&[u8]; 4] = [b"cHRM", b"gAMA", b"iCCP", b"pHYs"];

/// Returns a PNG up to its last chunk, without the chunks that glTF ignores; `None` if the last chunk is missing.
pub(super) fn png(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (mut ignored, mut at) = (Vec::new(), SIGNATURE);
    let end = loop {
        let head: [u8; 8] = bytes.get(at..)?.first_chunk().copied()?;
        let [a, b, c, d, kind @ ..] = head;
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).ok()?;
        let next = at.checked_add(length)?.checked_add(12).filter(|next| *next <= bytes.len())?;
        if IGNORED.contains(&kind.as_slice()) {
            ignored.push(at..next);
        }
        if kind == *b"IEND" {
            break next;
        }
        at = next;
    };
    bytes.truncate(end);
    if !ignored.is_empty() {
        let (mut kept, mut from) = (Vec::with_capacity(end), 0);
        for chunk in ignored {
            kept.extend_from_slice(bytes.get(from..chunk.start)?);
            from = chunk.end;
        }
        kept.extend_from_slice(bytes.get(from..)?);
        bytes = kept;
    }
    Some(bytes)
}

/// Returns true if a JPEG has an end marker, and an image before it.
pub(super) fn is_jpeg(bytes: &[u8]) -> bool {
    let (mut at, mut scans) = (2_usize, 0_u32);
    while let Some(&[0xff, marker]) = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()) {
        at = at.saturating_add(2);
        match marker {
            0xd9 => return scans > 0,
            // Fill bytes may precede a marker.
            0xff => at = at.saturating_sub(1),
            // These have no length.
            0x01 | 0xd0..=0xd7 => {}
            _ => {
                let Some(length) = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()) else {
                    return false;
                };
                at = at.saturating_add(usize::from(u16::from_be_bytes(*length)));
                if marker == 0xda {
                    scans = scans.saturating_add(1);
                    let rest = bytes.get(at..).unwrap_or_default();
                    // In the data of a scan 0xff is followed by 0 or a restart marker.
                    let is_marker = |pair: &[u8]| matches!(pair, [0xff, m] if !matches!(m, 0 | 0xd0..=0xd7));
                    let Some(length) = rest.windows(2).position(is_marker) else { return false };
                    at = at.saturating_add(length);
                }
            }
        }
    }
    false
}
