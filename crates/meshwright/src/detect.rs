//! Detects the format of a file.

use crate::foreign::is_mac_metadata;
use crate::formats::{AnyModel, Format};
use meshwright_core::{Confidence, ReadOptions, Stream};

/// The detected format of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// The certainty of the content. It is [`Confidence::No`] if only the file name indicates the format: the file is
    /// damaged, and opening it reports the offset.
    pub confidence: Confidence,
}

impl Detection {
    fn new(format: Format, bytes: &[u8]) -> Self {
        Self { format, confidence: format.sniff(bytes) }
    }
}

impl Format {
    /// Returns the format that content and name speak for.
    pub(crate) fn detected(bytes: &[u8], name: &str) -> Option<Self> {
        detect(bytes, Some(name)).map(|found| found.format)
    }
}

/// The number of bytes that are examined to see whether a file is text.
const HEAD: usize = 1024;

fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().take(HEAD).any(|b| *b == 0)
}

/// Detects the format of a file that the user named: by content if that is sufficient, otherwise by name.
///
/// The name decides between equally likely formats, and against content that is at most [`Confidence::Possible`]. So
/// a file whose first bytes are damaged still has the format of its name, and the reader reports the fault. Returns
/// `None` if neither content nor name is known.
pub fn detect(bytes: &[u8], name: Option<&str>) -> Option<Detection> {
    // Any text can have the name of a companion file.
    let text = is_text(bytes);
    let speaks = |f: &Format| f.holds_model() || !text || f.sniff(bytes) > Confidence::No;
    let named = name.and_then(Format::from_name).filter(speaks);
    // Nothing is likelier than this, and some formats examine the whole file.
    if let Some(certain) = named.map(|format| Detection::new(format, bytes))
        && certain.confidence == Confidence::Certain
    {
        return Some(certain);
    }
    let likeliest = Format::ALL
        .iter()
        .map(|&format| Detection::new(format, bytes))
        .max_by_key(|d| (d.confidence, named == Some(d.format)))?;
    match named {
        Some(format) if likeliest.confidence <= Confidence::Possible && likeliest.format != format => {
            Some(Detection::new(format, bytes))
        }
        Some(_) => Some(likeliest),
        None => Some(likeliest).filter(|d| d.confidence > Confidence::No),
    }
}

/// Extensions that files of other programs have too. A file with one of them is damaged only if it begins like a
/// supported format, or if its siblings have supported formats.
pub const SHARED_EXTENSIONS: &[&str] = &["anim", "co", "col", "json", "mesh", "po"];

/// The number of bytes that must be valid for a file to begin like a supported format.
const BEGINNING: u64 = 4;

/// Detects the format of a file that a search found in a folder or an archive. `None` means that it is not a model.
///
/// The content decides: it must be at least [`Confidence::Likely`], or [`Confidence::Possible`] with an extension that
/// only this format uses. A file whose extension only one of our formats uses, and whose content is not of that
/// format, is a *damaged* model: it is found with [`Confidence::No`]. So is a file with a shared extension whose
/// content begins like one of our formats.
///
/// Companion files of a model, such as `.framegroups`, and metadata of macOS are not models themselves.
pub fn detect_met(bytes: &[u8], name: &str) -> Option<Detection> {
    sound(bytes, name).or_else(|| damaged(bytes, name, || false))
}

/// Returns the format of a file that was found, if its content is sufficient.
pub(crate) fn sound(bytes: &[u8], name: &str) -> Option<Detection> {
    let found = detect(bytes, Some(name)).filter(|_| !is_mac_metadata(bytes, name))?;
    let named = Format::from_name(name) == Some(found.format);
    let least = if named { Confidence::Possible } else { Confidence::Likely };
    (found.confidence >= least && !found.format.is_companion()).then_some(found)
}

/// Returns the format of a damaged model, by its name. `has_siblings` returns whether other files in its folder are of the
/// same family.
pub(crate) fn damaged(bytes: &[u8], name: &str, has_siblings: impl FnOnce() -> bool) -> Option<Detection> {
    let format = Format::from_name(name).filter(|format| !format.is_companion())?;
    if is_mac_metadata(bytes, name) {
        return None;
    }
    let (_, extension) = name.rsplit_once('.')?;
    let is_shared = SHARED_EXTENSIONS.iter().any(|shared| shared.eq_ignore_ascii_case(extension));
    let begins_like_ours = || {
        let error = AnyModel::parse(bytes, format, &ReadOptions::default()).err();
        error.is_none_or(|e| *e.stream() != Stream::File || e.offset() >= BEGINNING)
    };
    // No supported format with a shared extension is text.
    let is_foreign_text = !bytes.is_empty() && is_text(bytes);
    let is_ours = !is_shared || begins_like_ours() || !is_foreign_text && has_siblings();
    is_ours.then_some(Detection { format, confidence: Confidence::No })
}
