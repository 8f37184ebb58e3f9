//! Checks of output and files that no run of the program may break.

use serde_json::Value;

/// Longer lines are not messages.
const LINE: usize = 4096;

/// Finds a character that acts on a terminal or hides text.
pub(crate) fn printed(bytes: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => return Some(format!("no UTF-8 at byte {}", e.valid_up_to())),
    };
    let acts = |c: char| {
        matches!(c, '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().find(|c| acts(*c)).map(|c| format!("U+{:04X} is not escaped", u32::from(c)))
}

/// Finds a line that is too long.
pub(crate) fn long_lines(bytes: &[u8]) -> Option<String> {
    let longest = bytes.split(|b| *b == b'\n').map(<[u8]>::len).max().unwrap_or(0);
    (longest > LINE).then(|| format!("a line of {longest} bytes"))
}

/// Returns the faults of a GLB: it does not play, or contains a broken image.
pub(crate) fn glb(bytes: &[u8]) -> Vec<String> {
    let mut wrong = pictures(bytes);
    if let Err(e) = meshwright::gltf::playback::Player::new(bytes) {
        wrong.push(format!("the GLB does not play: {e}"));
    }
    wrong
}

/// Returns the broken images of a GLB.
pub(crate) fn pictures(glb: &[u8]) -> Vec<String> {
    let word = |at: usize| {
        let bytes = glb.get(at..at.checked_add(4)?)?;
        bytes.iter().rev().try_fold(0_usize, |n, b| Some(n << 8 | usize::from(*b)))
    };
    let json = word(12).and_then(|size| glb.get(20..20_usize.checked_add(size)?));
    let Some(Ok(document)) = json.map(serde_json::from_slice::<Value>) else {
        return vec!["the GLB has no document".to_owned()];
    };
    let start = 28 + json.map_or(0, <[u8]>::len);
    let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    let mut wrong = Vec::new();
    for (i, image) in document["images"].as_array().into_iter().flatten().enumerate() {
        let view = number(&image["bufferView"]).map_or(&Value::Null, |view| &document["bufferViews"][view]);
        let from = start + number(&view["byteOffset"]).unwrap_or(0);
        let bytes = number(&view["byteLength"]).and_then(|len| glb.get(from..from.checked_add(len)?));
        if let Some(why) = bytes.map_or(Some("is outside of the file"), half) {
            wrong.push(format!("image {i} {why}"));
        }
    }
    wrong
}

/// Returns why an image is broken; only its structure is checked, not its pixels.
pub(crate) fn half(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        return (bytes.len() < 100 || !bytes.windows(2).any(|w| w == [0xff, 0xda]))
            .then_some("is not a complete JPEG");
    }
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some("is neither PNG nor JPEG");
    }
    let (mut at, mut data) = (8, false);
    loop {
        let size = bytes.get(at..at + 4).map(|s| s.iter().fold(0_usize, |n, b| n << 8 | usize::from(*b)));
        let chunk = size.and_then(|size| bytes.get(at + 4..at.saturating_add(size).saturating_add(8)));
        let (Some(size), Some(chunk)) = (size, chunk) else { return Some("is cut off") };
        match chunk.get(..4) {
            Some(b"IEND") => return (!data).then_some("has no pixels"),
            Some(b"IDAT") => data = true,
            _ => {}
        }
        at += size + 12;
        if at >= bytes.len() {
            return Some("has no end");
        }
    }
}

/// Returns the fault of a page: it is cut off, or data of the model became part of the document.
pub(crate) fn page(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let count = |mark: &str| text.matches(mark).count();
    let found = (count("<script"), count("</script"), count("<!--"), text.trim_end().ends_with("</html>"));
    (found != (2, 2, 0, true))
        .then(|| format!("the page has scripts, their ends, comments, an end: {found:?}"))
}

/// Returns the checksum of a PNG chunk.
pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { 0xedb8_8320 ^ sum >> 1 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, b| (0..8).fold(sum ^ u32::from(*b), |sum, _| step(sum)))
}
