//! URIs of bytes outside the JSON: embedded data, and files next to the document.

use super::ledger::Ledger;
use super::rules::{URI_DATA, URI_DATA_LOOSE, URI_PATH, URI_SCHEME};
use meshwright_core::{FieldPath, ReadError, Rule};
use std::borrow::Cow;

/// A parsed URI.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Uri<'u> {
    /// The text after the comma of a `data:` URI, still encoded.
    Data { base64: bool, text: &'u str },
    /// A file below the folder of the document, as a path with slashes.
    File(String),
}

/// A broken rule, with a message.
type Fault = (&'static Rule, &'static str);

/// Parses a URI; the percent codes of a path are decoded once.
pub(super) fn parse(uri: &str) -> Result<Uri<'_>, Fault> {
    match scheme(uri) {
        Some((name, rest)) if name.eq_ignore_ascii_case("data") => {
            let (kind, text) = rest.split_once(',').ok_or((URI_DATA, "no comma"))?;
            let last = kind.rsplit(';').next().unwrap_or_default();
            Ok(Uri::Data { base64: kind.contains(';') && last.trim().eq_ignore_ascii_case("base64"), text })
        }
        // A single letter is a drive, not a scheme.
        Some((name, _)) if name.len() > 1 => {
            Err((URI_SCHEME, "only data and files next to the document are read"))
        }
        _ => path(uri).map(Uri::File),
    }
}

/// Splits a URI into its scheme and the part after the colon.
fn scheme(uri: &str) -> Option<(&str, &str)> {
    let (name, rest) = uri.split_once(':')?;
    let mut bytes = name.bytes();
    let sound = bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    sound.then_some((name, rest))
}

fn path(uri: &str) -> Result<String, Fault> {
    let path = percent_decoded(uri.as_bytes()).ok_or((URI_PATH, "a percent sign without two digits"))?;
    let path = String::from_utf8(path.into_owned()).map_err(|_| (URI_PATH, "the path is not UTF-8"))?;
    if path.contains(['\\', '\0']) {
        return Err((URI_PATH, "a backslash or NUL"));
    }
    let mut first = path.bytes();
    if let (Some(b'a'..=b'z' | b'A'..=b'Z'), Some(b':')) = (first.next(), first.next()) {
        return Err((URI_PATH, "a drive"));
    }
    // An absolute path begins with an empty segment.
    if path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err((URI_PATH, "a segment that is empty, `.` or `..`"));
    }
    Ok(path)
}

fn percent_decoded(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !text.contains(&b'%') {
        return Some(Cow::Borrowed(text));
    }
    let digit = |b: Option<u8>| char::from(b?).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let mut bytes = text.iter().copied();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => digit(bytes.next())?.checked_shl(4)? | digit(bytes.next())?,
            _ => byte,
        });
    }
    Some(Cow::Owned(decoded))
}

/// Decodes embedded data. The memory is charged by the length of the text.
pub(super) fn data(
    base64: bool,
    text: &str,
    path: &FieldPath<'_>,
    place: &dyn Fn() -> u64,
    ledger: &Ledger,
) -> Result<Vec<u8>, ReadError> {
    // Decoding percent codes and removing white space may each need a copy.
    let copies = if text.contains(|c: char| c == '%' || c.is_ascii_whitespace()) { 3 } else { 1 };
    ledger.charge(path, 0, "embedded data", text.len(), copies)?;
    let fault = |message| ReadError::broken(URI_DATA, path, place(), message);
    let decoded =
        percent_decoded(text.as_bytes()).ok_or_else(|| fault("a percent sign without two digits"))?;
    if !base64 {
        return Ok(decoded.into_owned());
    }
    let (bytes, loose) = base64_decoded(&decoded).map_err(fault)?;
    if loose {
        ledger.warn(URI_DATA_LOOSE, path, place, "white space, or no padding");
    }
    Ok(bytes)
}

const NONE: u8 = 0xff;

/// The value of each base64 character.
const DIGITS: [u8; 256] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = [NONE; 256];
    let mut i = 0;
    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "evaluated by the compiler, which refuses what overflows"
    )]
    while i < alphabet.len() {
        digits[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    digits
};

fn digit(byte: u8) -> u8 {
    DIGITS.get(usize::from(byte)).copied().unwrap_or(NONE)
}

/// Decodes base64. Also returns whether the text had white space or no padding. The bytes take less memory
/// than the text.
///
/// # Errors
/// If a character is not base64, or the text is incomplete.
pub fn base64_decoded(text: &[u8]) -> Result<(Vec<u8>, bool), &'static str> {
    let spaced = text.iter().any(u8::is_ascii_whitespace);
    let text = if spaced {
        Cow::Owned(text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect())
    } else {
        Cow::Borrowed(text)
    };
    let pad = text.iter().rev().take(3).take_while(|b| **b == b'=').count();
    let body = text.get(..text.len().saturating_sub(pad)).unwrap_or_default();
    let (fours, rest) = body.as_chunks::<4>();
    let padded = match (rest.len(), pad) {
        (0, 0) | (2, 2) | (3, 1) => true,
        (2 | 3, 0) => false,
        _ => return Err("the text is cut, or its padding wrong"),
    };
    let mut bytes = Vec::with_capacity(fours.len().saturating_mul(3).saturating_add(2));
    let mut all = 0;
    for four in fours {
        let [a, b, c, d] = four.map(digit);
        all |= a | b | c | d;
        bytes.extend_from_slice(&[(a << 2) | (b >> 4), (b << 4) | (c >> 2), (c << 6) | d]);
    }
    let last = |i: usize| rest.get(i).map_or(0, |b| digit(*b));
    let (a, b, c) = (last(0), last(1), last(2));
    let three = [(a << 2) | (b >> 4), (b << 4) | (c >> 2)];
    bytes.extend_from_slice(three.get(..rest.len().saturating_sub(1)).unwrap_or_default());
    // The values of digits are below 64; other characters have larger values.
    if (all | a | b | c) & 0xc0 != 0 {
        return Err("a character that is not of base64");
    }
    Ok((bytes, spaced || !padded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::Limits;

    fn code(uri: &str) -> &'static str {
        parse(uri).map_or_else(|e| e.0.code, |_| "")
    }

    #[test]
    fn paths_stay_below_the_folder() {
        for sound in
            ["a.bin", "a/b c.bin", "a%20b.bin", "%2e%2e%2e.bin", "%252e%252e/x", "a..b/é", "a?b#c", "ab%3Ac"]
        {
            assert!(matches!(parse(sound), Ok(Uri::File(_))), "{sound}");
        }
        assert_eq!(parse("a%20b%2Fc"), Ok(Uri::File("a b/c".into())));
        assert_eq!(parse("%252e%252e/x"), Ok(Uri::File("%2e%2e/x".into())));
        for bad in [
            "", ".", "..", "../a", "a/../b", "a/./b", "/a", "//host/a", "a//b", "a/", "%2e%2e/a", "..%2fa",
            "a\\b", "a%5cb", "a%00", "C:/a", "c%3A/a", "C:a", "a%zz", "a%2", "%ff",
        ] {
            assert_eq!(code(bad), "uri-path", "{bad}");
        }
        for bad in ["http://x/a", "file:///a", "FTP:a", "blob:x"] {
            assert_eq!(code(bad), "uri-scheme", "{bad}");
        }
        assert_eq!(code("data:x"), "uri-data");
    }

    fn decoded(uri: &str) -> Result<(Vec<u8>, bool), &'static str> {
        let Ok(Uri::Data { base64, text }) = parse(uri) else { return Err("no data") };
        let ledger = Ledger::new(Limits::default());
        let bytes = data(base64, text, &FieldPath::ROOT, &|| 0, &ledger).map_err(|e| e.code())?;
        Ok((bytes, ledger.report().has("uri-data")))
    }

    #[test]
    fn data_is_base64_or_percent_coded() {
        let sound = |uri: &str| decoded(uri).unwrap();
        assert_eq!(sound("data:,a%00b"), (b"a\0b".to_vec(), false));
        assert_eq!(sound("data:application/octet-stream;base64,AAEC"), (vec![0, 1, 2], false));
        assert_eq!(sound("DATA:;charset=x;BASE64,/+8="), (vec![0xff, 0xef], false));
        assert_eq!(sound("data:;base64,%2F%2B8%3D"), (vec![0xff, 0xef], false));
        assert_eq!(sound("data:;base64,AA=="), (vec![0], false));
        assert_eq!(sound("data:;base64,"), (vec![], false));
        assert_eq!(sound("data:;base64,AA"), (vec![0], true));
        assert_eq!(sound("data:;base64,A AEC\n"), (vec![0, 1, 2], true));
        assert_eq!(sound("data:base64,AAEC"), (b"AAEC".to_vec(), false));
        for bad in ["A", "AAAAA", "AA=", "AAA==", "AAAA=", "A===", "====", "AA-_", "@AAA", "AA@=", "A=AA"] {
            assert_eq!(decoded(&format!("data:;base64,{bad}")), Err("uri-data"), "{bad}");
        }
        assert_eq!(decoded("data:,%4"), Err("uri-data"));
    }

    #[test]
    fn data_is_charged() {
        let ledger = Ledger::new(Limits::default().with_memory(7));
        assert_eq!(data(true, "AAAAAAAA", &FieldPath::ROOT, &|| 0, &ledger).unwrap_err().code(), "limit");
    }
}
