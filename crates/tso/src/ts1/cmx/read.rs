//! Reads `.cmx`.

use super::lines::{LinesOut, words};
use super::model::Cmx;
use super::rules;
use super::text::{VERSION_WORD, body, tree};
use crate::fields::{file, wide};
use crate::number;
use crate::ts1::bcf::Same;
use crate::ts1::character;
use meshwright_core::{Budget, Confidence, FieldPath, Findings, Parsed, ReadError, ReadOptions};

impl Cmx {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. A lenient reader accepts faults of every rule but those on sizes: it keeps values, and reads
    /// numbers that are not finite as 0.
    ///
    /// Lines may have any line end, vectors may lack their bars, and blank lines and comments may precede the
    /// version. After the version, a blank line is an empty name.
    ///
    /// # Errors
    /// If the file breaks a rule that the options do not accept, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let mut findings = Findings::reading(options);
        let (mut cmx, _) = tree(&source, &mut findings, None)?;
        let mut same = Same::new(bytes);
        if body(&mut LinesOut(&mut same), &cmx).is_err() || !same.is_whole() {
            source.charge(&FieldPath::ROOT, 0, "text", wide(bytes.len()), 1)?;
            cmx.kept.0 = bytes.to_vec();
        }
        source.charge(&FieldPath::ROOT, 0, "rules", character::rules::memory(&cmx.character), 1)?;
        // Offsets are looked for only where they are needed.
        if rules::check(&cmx, &[], &mut Findings::writing()).is_err() {
            rules::check(&cmx, &rules::places(&source)?, &mut findings)?;
        }
        Ok(Parsed::new(cmx, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.cmx`: certain if the first line that is neither blank nor a
    /// comment states a version.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let mut lines = bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"//"));
        let states = first.is_some_and(|line| {
            let mut words = words(0, line).map(|(_, word)| word);
            let version = words.next() == Some(VERSION_WORD)
                && words.next().is_some_and(|w| number::parse_integer(w).is_some());
            version && words.next().is_none()
        });
        if states { Confidence::Certain } else { Confidence::No }
    }
}
