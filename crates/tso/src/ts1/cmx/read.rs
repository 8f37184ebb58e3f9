//! Reads `.cmx`.

use super::lines::{Lines, LinesOut, words};
use super::model::Cmx;
use super::rules;
use super::write::body;
use crate::fields::{file, wide};
use crate::name::Name;
use crate::number;
use crate::ts1::bcf::Same;
use crate::ts1::character::{self, read};
use crate::ts1::skn::NUMBER;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::text::Escaped;
use meshwright_core::{Budget, Confidence, Findings, Parsed, Path, ReadError, ReadOptions, Source};

/// The only known version.
pub(crate) const VERSION: u32 = 300;
/// What the line of the version begins with.
const VERSION_WORD: &[u8] = b"version";
/// What a name takes in a list that grows.
const COMMENT: usize = 4 * size_of::<Name>();

/// Comments and blank lines up to the version, and that.
fn heading(lines: &mut Lines<'_, '_, '_>) -> Result<Vec<Name>, ReadError> {
    let path = Path::ROOT.field("comments");
    let mut comments: Vec<Name> = Vec::new();
    if lines.rest().is_empty() {
        return Err(lines.source().broken(rules::MAGIC, &Path::ROOT, 0, "the file is empty"));
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
            let message = format!("{} where a comment or the version is expected", Escaped(text));
            return Err(lines.source().broken(rules::MAGIC, &Path::ROOT, at, message));
        }
        let path = Path::ROOT.field("version");
        let (at, word) = words.next().unwrap_or((at, &[]));
        let Some(version) = number::whole(word).filter(|_| words.next().is_none()) else {
            let message = format!("{} holds no version", Escaped(text));
            return Err(lines.source().broken(NUMBER, &path, at, message));
        };
        if version != i64::from(VERSION) {
            let message = || format!("version {version}, only {VERSION} is known");
            lines.findings().broken(rules::VERSION, &path, at, message)?;
        }
        return Ok(comments);
    }
}

/// All records, the places of their scalars where these are wanted, and where the last one ends.
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
    source.charge(&Path::ROOT.field("trailing"), end, "trailing bytes", wide(trailing.len()), 1)?;
    let mut cmx = Cmx::new(character);
    (cmx.comments, cmx.trailing) = (comments, trailing.to_vec());
    Ok((cmx, end))
}

impl Cmx {
    /// Reads a file that keeps all rules, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. Leniently, every rule but those on sizes may be broken: values are kept, a number that is not finite
    /// is taken as 0.
    ///
    /// Lines may end in any way, vectors may lack their bars, and blank lines and comments may stand in front of the
    /// version; behind it a blank line is an empty name.
    ///
    /// # Errors
    /// When the file breaks a rule that the options do not pass over, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let mut findings = Findings::reading(options);
        let (mut cmx, _) = tree(&source, &mut findings, None)?;
        let mut same = Same::new(bytes);
        if body(&mut LinesOut(&mut same), &cmx).is_err() || !same.is_whole() {
            source.charge(&Path::ROOT, 0, "text", wide(bytes.len()), 1)?;
            cmx.keep(bytes.to_vec());
        }
        source.charge(&Path::ROOT, 0, "rules", character::rules::memory(&cmx.character), 1)?;
        // Offsets are looked for only where they are needed.
        if rules::check(&cmx, &[], &mut Findings::writing()).is_err() {
            rules::check(&cmx, &rules::places(&source)?, &mut findings)?;
        }
        Ok(Parsed::new(cmx, findings.into_report()))
    }

    /// How likely these are the bytes of a `.cmx`: certain where the first line that is neither blank nor a comment
    /// states a version.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let mut lines = bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"//"));
        let states = first.is_some_and(|line| {
            let mut words = words(0, line).map(|(_, word)| word);
            let version = words.next() == Some(VERSION_WORD)
                && words.next().is_some_and(|w| number::whole(w).is_some());
            version && words.next().is_none()
        });
        if states { Confidence::Certain } else { Confidence::No }
    }
}
