//! Checks that images exist and begin like their type.

use super::Findings;
use crate::document::rules::{
    BUFFER_MISSING, IMAGE_CUT, IMAGE_DATA, IMAGE_MISSING, IMAGE_TYPE, IMAGE_UNKNOWN, LIMIT, TEXTURE_EMPTY,
};
use crate::document::{Document, Files, ImageSource};
use meshwright_core::json::JsonValue;
use meshwright_core::{FieldPath, ReadError};

pub(super) fn check<'a>(
    document: &Document<'a>,
    files: &Files<'_, 'a>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let all = FieldPath::ROOT.field("images");
    let webp = document.uses("EXT_texture_webp");
    let mut kinds = vec![None; document.images().len()];
    for (i, (image, found)) in document.images().iter().zip(&mut kinds).enumerate() {
        let (path, place) = (all.index(i), || document.offset_of("images", i));
        let embedded = match &image.source {
            ImageSource::Uri(uri) => media_type(uri),
            _ => None,
        };
        let bytes = match document.image_bytes(i, files) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            Err(e) if e.code() == LIMIT.code => return Err(e),
            Err(e) if e.code() == BUFFER_MISSING.code && matches!(image.source, ImageSource::View(_)) => {
                continue;
            }
            Err(e) => {
                findings.broken(IMAGE_MISSING, &path, &place, e.message().to_owned());
                continue;
            }
        };
        *found = Kind::detect(&bytes);
        let Some(kind) = *found else {
            // A data URI states its type, so that unknown bytes contradict it.
            let rule = if embedded.is_some() { IMAGE_TYPE } else { IMAGE_UNKNOWN };
            findings.broken(rule, &path, &place, "the bytes are not those of a PNG or JPEG file");
            continue;
        };
        let stated = embedded.or(image.mime_type.as_deref());
        if stated.is_some_and(|stated| !stated.eq_ignore_ascii_case(kind.name())) {
            let stated = stated.unwrap_or("");
            let message = format!("the image is {}, the document states {stated}", kind.name());
            findings.broken(IMAGE_TYPE, &path, &place, message);
        } else if !(matches!(kind, Kind::Png | Kind::Jpeg) || (kind == Kind::Webp && webp)) {
            findings.broken(IMAGE_TYPE, &path, &place, format!("{} needs an extension", kind.name()));
        }
        match kind.state(&bytes) {
            State::Whole => {}
            State::Cut => findings.broken(IMAGE_CUT, &path, &place, "the image ends too soon"),
            State::Headless => findings.broken(IMAGE_DATA, &path, &place, "ends within its header"),
            State::Broken => findings.broken(IMAGE_DATA, &path, &place, "its header is broken"),
        }
    }
    textures(document, &kinds, findings);
    Ok(())
}

/// Checks that a texture shows an image of a type that every viewer knows, or of the type of its extension.
fn textures(document: &Document<'_>, kinds: &[Option<Kind>], findings: &mut Findings) {
    let all = FieldPath::ROOT.field("textures");
    let list = document.json().get("textures").into_iter().flat_map(JsonValue::items);
    for (t, (texture, value)) in document.textures().iter().zip(list).enumerate() {
        let webp = value.get("extensions").and_then(|e| e.get("EXT_texture_webp")?.get("source")?.as_u64());
        let webp = webp.and_then(|image| usize::try_from(image).ok());
        // An extension may name an image of another type.
        if texture.image.is_none() && value.get("extensions").is_none() {
            findings.broken(TEXTURE_EMPTY, &all.index(t), &|| value.offset(), "names no image");
        }
        for (image, known) in [(texture.image, &["image/png", "image/jpeg"][..]), (webp, &["image/webp"])] {
            let Some((image, found)) = image.and_then(|i| document.images().get(i).zip(kinds.get(i))) else {
                continue;
            };
            let kind = image.mime_type.as_deref().or(found.map(Kind::name));
            if let Some(kind) = kind.filter(|kind| !known.contains(kind)) {
                let message = format!("the image is {kind}, not {}", known.join(" or "));
                findings.broken(IMAGE_TYPE, &all.index(t).field("source"), &|| value.offset(), message);
            }
        }
    }
}

/// Returns the media type that a data URI states.
fn media_type(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then(|| rest.split([';', ',']).next())?
}

/// The type that the first bytes of an image show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Png,
    Jpeg,
    Webp,
    Ktx,
}

/// The part of an image that is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Whole,
    /// The end is missing.
    Cut,
    /// The size in pixels is missing.
    Headless,
    Broken,
}

impl Kind {
    fn detect(bytes: &[u8]) -> Option<Self> {
        /// The size of the smallest header.
        const LEAST: usize = 14;
        match bytes.get(..LEAST)? {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Some(Self::Ktx),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Ktx => "image/ktx2",
        }
    }

    fn state(self, bytes: &[u8]) -> State {
        match self {
            Self::Png => png(bytes),
            Self::Jpeg => jpeg(bytes),
            Self::Webp | Self::Ktx => State::Whole,
        }
    }
}

/// Walks the chunks of a PNG.
fn png(bytes: &[u8]) -> State {
    let (mut at, mut shown) = (8_usize, false);
    loop {
        let head = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>);
        let Some([a, b, c, d, kind @ ..]) = head else {
            return if shown { State::Cut } else { State::Headless };
        };
        let length = u32::from_be_bytes([*a, *b, *c, *d]);
        match kind {
            b"IHDR" if length != 13 => return State::Broken,
            b"IDAT" if at == 8 => return State::Broken,
            b"IDAT" => shown = true,
            b"IEND" => return if shown { State::Whole } else { State::Headless },
            _ => {}
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        at = at.saturating_add(length).saturating_add(12);
        if at > bytes.len() {
            return if shown { State::Cut } else { State::Headless };
        }
    }
}

/// Walks the segments of a JPEG up to the one with its size, and looks for the end marker.
fn jpeg(bytes: &[u8]) -> State {
    let mut at = 2_usize;
    loop {
        let Some([0xff, marker]) = bytes.get(at..).and_then(<[u8]>::first_chunk::<2>) else {
            return if at >= bytes.len() { State::Headless } else { State::Broken };
        };
        // Fill bytes, and markers without a length.
        if matches!(marker, 0xff) {
            at = at.saturating_add(1);
            continue;
        }
        if matches!(marker, 0x01 | 0xd0..=0xd8) {
            at = at.saturating_add(2);
            continue;
        }
        let Some([a, b]) = bytes.get(at.saturating_add(2)..).and_then(<[u8]>::first_chunk::<2>) else {
            return State::Headless;
        };
        let length = usize::from(u16::from_be_bytes([*a, *b]));
        if length < 2 {
            return State::Broken;
        }
        at = at.saturating_add(2).saturating_add(length);
        if at > bytes.len() {
            return State::Headless;
        }
        let sized = matches!(marker, 0xc0..=0xcf | 0xde) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
        if sized {
            // Readers ignore bytes after the end.
            let ends = bytes.get(at..).unwrap_or_default().windows(2).any(|pair| pair == [0xff, 0xd9]);
            return if ends { State::Whole } else { State::Cut };
        }
    }
}
