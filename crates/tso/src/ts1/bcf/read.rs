//! Reads `.bcf`.

use super::binary::{BinaryOut, Same, Sink as _};
use super::model::Bcf;
use super::record::tree;
use super::rules;
use crate::fields::{file, wide};
use crate::name::Name;
use crate::ts1::character::{self, write};
use meshwright_core::{Budget, Confidence, FieldPath, Findings, Limits, Parsed, ReadError, ReadOptions};

impl Bcf {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. A lenient reader accepts faults of every rule but those on sizes, and keeps the values.
    ///
    /// # Errors
    /// When the file breaks a rule that the options do not pass over, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let mut bcf = tree(&source, None)?;
        let mut same = Same::new(bytes);
        let written = write::character(&mut BinaryOut(&mut same), &bcf.character);
        same.put_bytes(&bcf.trailing);
        if written.is_err() || !same.is_whole() {
            source.charge(&FieldPath::ROOT, 0, "bytes", wide(bytes.len()), 1)?;
            bcf.kept.0 = bytes.to_vec();
        }
        source.charge(&FieldPath::ROOT, 0, "rules", character::rules::memory(&bcf.character), 1)?;
        let mut findings = Findings::reading(options);
        // Offsets are looked for only where they are needed.
        if rules::check(&bcf, &[], &mut Findings::writing()).is_err() {
            rules::check(&bcf, &rules::places(&source)?, &mut findings)?;
        }
        Ok(Parsed::new(bcf, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.bcf`. The format has no magic: the file is read strictly, within
    /// a mebibyte.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let options = ReadOptions::default().with_limits(Limits::default().with_memory(1 << 20));
        let Ok(Parsed { model, .. }) = Self::parse_with(bytes, &options) else { return Confidence::No };
        let c = &model.character;
        if c.skeletons.is_empty() && c.suits.is_empty() && c.skills.is_empty() {
            return Confidence::No;
        }
        let plain = |n: &Name| !n.bytes().is_empty() && n.is_plain();
        let all_plain = c.skeletons.iter().all(|s| plain(&s.name))
            && c.suits.iter().all(|s| plain(&s.name))
            && c.skills.iter().all(|s| plain(&s.name));
        if all_plain { Confidence::Likely } else { Confidence::Possible }
    }
}
