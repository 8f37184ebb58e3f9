//! Which kind of file some bytes are.

use crate::kinds::Format;
use meshwright_core::Confidence;

/// What some bytes seem to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// How sure the content makes of it; [`Confidence::No`] where only the file name speaks for it.
    pub confidence: Confidence,
}

impl Detection {
    fn of(format: Format, bytes: &[u8]) -> Self {
        Self { format, confidence: format.sniff(bytes) }
    }
}

impl Format {
    /// The format that content and name speak for.
    pub(crate) fn detected(bytes: &[u8], name: &str) -> Option<Self> {
        detect(bytes, Some(name)).map(|found| found.format)
    }
}

/// As far as a file is looked at to see whether it is text.
const HEAD: usize = 1024;

/// The format of a file that somebody named: by content where that says enough, else by name.
///
/// A name decides between equals, and against content that is no more than [`Confidence::Possible`]. So a file
/// whose first bytes are damaged still has the format of its name, and reading it says what is wrong with it. `None`
/// means that neither content nor name is known.
pub fn detect(bytes: &[u8], name: Option<&str>) -> Option<Detection> {
    // Any text can be called like one that says more about a model.
    let text = !bytes.iter().take(HEAD).any(|b| *b == 0);
    let speaks = |f: &Format| f.holds_model() || !text || f.sniff(bytes) > Confidence::No;
    let named = name.and_then(Format::from_name).filter(speaks);
    let likeliest = Format::ALL
        .iter()
        .map(|&format| Detection::of(format, bytes))
        .max_by_key(|d| (d.confidence, named == Some(d.format)))?;
    match named {
        Some(format) if likeliest.confidence <= Confidence::Possible && likeliest.format != format => {
            Some(Detection::of(format, bytes))
        }
        Some(_) => Some(likeliest),
        None => Some(likeliest).filter(|d| d.confidence > Confidence::No),
    }
}

/// The format of a file that was met in a folder: what is none of ours must not be taken for it. So content must be
/// [`Confidence::Likely`] at least, or [`Confidence::Possible`] under an extension of its own.
///
/// Files that only say more about a model are met with it, and are none by themselves.
pub fn detect_met(bytes: &[u8], name: &str) -> Option<Detection> {
    let found = detect(bytes, Some(name))?;
    let named = Format::from_name(name) == Some(found.format);
    let least = if named { Confidence::Possible } else { Confidence::Likely };
    (found.confidence >= least && !found.format.is_companion()).then_some(found)
}
