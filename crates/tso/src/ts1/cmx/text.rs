//! Reads and writes the text of a `.cmx`.

use super::lines::{Lines, LinesOut, words};
use super::model::Cmx;
use crate::fields::{file, wide};
use crate::name::Name;
use crate::number;
use crate::ts1::character::read::{self, Input as _};
use crate::ts1::character::write;
use crate::ts1::skn::NUMBER;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::text::Escaped;
use meshwright_core::{Budget, FieldPath, Findings, Limits, ReadError, Source, WriteError};

meshwright_core::rules! {
    error MAGIC = "bad-magic" ("E_MAGIC"), BadMagic [Refuses],
        "The file begins neither with a comment nor with its version.",
        "Nothing can be repaired: the file has another format, or its beginning is lost.";
    forgivable VERSION = "bad-version" ("E_VERSION"), Unsupported [Ignored],
        "The file states an unknown version.",
        "If the rest of the file is valid, set it to 300.";
}

/// The only known version.
const KNOWN: u32 = 300;
/// The start of the version line.
pub(crate) const VERSION_WORD: &[u8] = b"version";
/// The memory of a name in a growing list.
const COMMENT: usize = 4 * size_of::<Name>();

/// Reads the comments and blank lines before the version, and the version.
fn heading(lines: &mut Lines<'_, '_, '_>) -> Result<Vec<Name>, ReadError> {
    let path = FieldPath::ROOT.field("comments");
    let mut comments: Vec<Name> = Vec::new();
    if lines.rest().is_empty() {
        return Err(lines.source().broken(MAGIC, &FieldPath::ROOT, 0, "the file is empty"));
    }
    loop {
        let (at, line) = lines.line(&path)?;
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"//") {
            lines.source().charge(&path, at, "comments", 1, COMMENT.saturating_add(text.len()))?;
            comments.push(Name::from(text));
            continue;
        }
        let mut words = words(at, line);
        if words.next().is_none_or(|(_, word)| word != VERSION_WORD) {
            let message = format!("found {}, expected a comment or the version", Escaped(text));
            return Err(lines.source().broken(MAGIC, &FieldPath::ROOT, at, message));
        }
        let path = FieldPath::ROOT.field("version");
        let (at, word) = words.next().unwrap_or((at, &[]));
        let Some(version) = number::parse_integer(word).filter(|_| words.next().is_none()) else {
            let message = format!("{} holds no version", Escaped(text));
            return Err(lines.source().broken(NUMBER, &path, at, message));
        };
        if version != i64::from(KNOWN) {
            let message = || format!("version {version}, only {KNOWN} is known");
            lines.findings().broken(VERSION, &path, at, message)?;
        }
        return Ok(comments);
    }
}

/// Reads all records, the offsets of their scalars if needed, and the end of the last record.
pub(crate) fn tree(
    source: &Source<'_>,
    findings: &mut Findings,
    places: Option<&mut Vec<u64>>,
) -> Result<(Cmx, u64), ReadError> {
    let mut lines = Lines::new(source, findings, places);
    let comments = heading(&mut lines)?;
    let character = read::character(&mut lines)?;
    let rest = lines.rest();
    let trailing = rest.trim_ascii_start();
    let end = wide(source.bytes().len().saturating_sub(trailing.len()));
    source.charge(&FieldPath::ROOT.field("trailing"), end, "trailing bytes", wide(trailing.len()), 1)?;
    let mut cmx = Cmx::new(character);
    (cmx.comments, cmx.trailing) = (comments, trailing.to_vec());
    Ok((cmx, end))
}

/// Writes the text in the form of the game's own files.
pub(crate) fn body(out: &mut LinesOut<'_>, cmx: &Cmx) -> Result<(), WriteError> {
    cmx.comments.iter().for_each(|comment| out.line(comment.bytes()));
    out.line(format!("version {KNOWN}").as_bytes());
    write::character(out, &cmx.character)?;
    out.0.put_bytes(&cmx.trailing);
    Ok(())
}

/// Returns the text: the one that was read if it has the same content. `findings` decides which broken rules are
/// accepted.
pub(crate) fn image(cmx: &Cmx, findings: &mut Findings) -> Result<Vec<u8>, WriteError> {
    if !cmx.kept.0.is_empty() {
        let budget = Budget::new(Limits::UNLIMITED);
        if tree(&file(&cmx.kept.0, &budget), findings, None).is_ok_and(|(read, _)| read == *cmx) {
            return Ok(cmx.kept.0.clone());
        }
    }
    let mut out = Vec::new();
    body(&mut LinesOut(&mut out), cmx)?;
    Ok(out)
}
