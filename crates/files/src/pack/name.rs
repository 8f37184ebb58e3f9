//! Converts a stored name to a path.

use super::member::Encoding;
use crate::path::TreePath;
use std::borrow::Cow;

/// The upper half of code page 437.
const DOS: &str = concat!(
    "\u{c7}\u{fc}\u{e9}\u{e2}\u{e4}\u{e0}\u{e5}\u{e7}\u{ea}\u{eb}\u{e8}\u{ef}\u{ee}\u{ec}\u{c4}\u{c5}",
    "\u{c9}\u{e6}\u{c6}\u{f4}\u{f6}\u{f2}\u{fb}\u{f9}\u{ff}\u{d6}\u{dc}\u{a2}\u{a3}\u{a5}\u{20a7}\u{192}",
    "\u{e1}\u{ed}\u{f3}\u{fa}\u{f1}\u{d1}\u{aa}\u{ba}\u{bf}\u{2310}\u{ac}\u{bd}\u{bc}\u{a1}\u{ab}\u{bb}",
    "\u{2591}\u{2592}\u{2593}\u{2502}\u{2524}\u{2561}\u{2562}\u{2556}",
    "\u{2555}\u{2563}\u{2551}\u{2557}\u{255d}\u{255c}\u{255b}\u{2510}",
    "\u{2514}\u{2534}\u{252c}\u{251c}\u{2500}\u{253c}\u{255e}\u{255f}",
    "\u{255a}\u{2554}\u{2569}\u{2566}\u{2560}\u{2550}\u{256c}\u{2567}",
    "\u{2568}\u{2564}\u{2565}\u{2559}\u{2558}\u{2552}\u{2553}\u{256b}",
    "\u{256a}\u{2518}\u{250c}\u{2588}\u{2584}\u{258c}\u{2590}\u{2580}",
    "\u{3b1}\u{df}\u{393}\u{3c0}\u{3a3}\u{3c3}\u{b5}\u{3c4}\u{3a6}\u{398}\u{3a9}\u{3b4}\u{221e}\u{3c6}\u{3b5}\u{2229}",
    "\u{2261}\u{b1}\u{2265}\u{2264}\u{2320}\u{2321}\u{f7}\u{2248}\u{b0}\u{2219}\u{b7}\u{221a}\u{207f}\u{b2}\u{25a0}\u{a0}",
);

/// A fault of a name that does not prevent reading the member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Oddity {
    Spelling,
    OldEncoding,
    NotUtf8,
}

/// Returns the path of a stored name and its faults, or the reason why it is not a path.
pub(super) fn clean(name: &[u8], encoding: Encoding) -> (Result<TreePath, &'static str>, Vec<Oddity>) {
    let mut odd = Vec::new();
    let name = match encoding {
        Encoding::Dos if !name.is_ascii() => {
            odd.push(Oddity::OldEncoding);
            Cow::Owned(from_dos(name).into_bytes())
        }
        Encoding::Utf8 if std::str::from_utf8(name).is_err() => {
            odd.push(Oddity::NotUtf8);
            Cow::Borrowed(name)
        }
        _ => Cow::Borrowed(name),
    };
    let slashed: Vec<u8> = name.iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect();
    let path = safe(&slashed);
    if path.as_ref().is_ok_and(|path| path.as_bytes() != &*name) {
        odd.push(Oddity::Spelling);
    }
    (path, odd)
}

fn safe(name: &[u8]) -> Result<TreePath, &'static str> {
    if name.contains(&b':') {
        return Err("has a colon");
    }
    if name.iter().any(u8::is_ascii_control) {
        return Err("has control characters");
    }
    match TreePath::new(name) {
        Ok(path) if path.is_root() => Err("is empty"),
        Ok(path) => Ok(path),
        Err(_) if name.starts_with(b"/") => Err("is absolute"),
        Err(_) if name.split(|b| *b == b'/').any(|part| part == b"..") => Err("leaves the pack"),
        Err(_) => Err("is no name of a file"),
    }
}

fn from_dos(name: &[u8]) -> String {
    let upper = |b: u8| DOS.chars().nth(usize::from(b.wrapping_sub(0x80))).unwrap_or('\u{fffd}');
    name.iter().map(|b| if b.is_ascii() { char::from(*b) } else { upper(*b) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_pack_is_no_path() {
        for (name, path) in [
            (&b"models/a.dpm"[..], Ok("models/a.dpm")),
            (b"models\\a.dpm", Ok("models/a.dpm")),
            (b"./models//a.dpm", Ok("models/a.dpm")),
            (b"../a", Err("leaves the pack")),
            (b"a/../../b", Err("leaves the pack")),
            (b"..\\a", Err("leaves the pack")),
            (b"/etc/passwd", Err("is absolute")),
            (b"\\\\host\\a", Err("is absolute")),
            (b"C:\\a", Err("has a colon")),
            (b"a:stream", Err("has a colon")),
            (b"a\0b", Err("has control characters")),
            (b"a\x1b[2J", Err("has control characters")),
            (b"", Err("is empty")),
            (b"./", Err("is empty")),
        ] {
            let got = clean(name, Encoding::Raw).0;
            assert_eq!(got.as_ref().map(|p| p.text()).map_err(|e| *e), path.map(Into::into), "{name:?}");
        }
        assert!(clean(&b"a/".repeat(3000), Encoding::Raw).0.is_err());
    }

    #[test]
    fn old_names_are_those_of_dos() {
        assert_eq!(DOS.chars().count(), 128);
        let (path, odd) = clean(b"\x81ber\xe1.dpm", Encoding::Dos);
        assert_eq!((path.unwrap().text().as_ref(), odd), ("\u{fc}ber\u{df}.dpm", vec![Oddity::OldEncoding]));
        assert_eq!(clean(b"a.dpm", Encoding::Dos).1, []);
        let (path, odd) = clean(b"\xff.dpm", Encoding::Utf8);
        assert_eq!((path.unwrap().as_bytes(), odd), (&b"\xff.dpm"[..], vec![Oddity::NotUtf8]));
        assert_eq!(clean("\u{fc}.dpm".as_bytes(), Encoding::Utf8).1, []);
    }
}
