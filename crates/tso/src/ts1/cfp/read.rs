//! Reads `.cfp`.

use super::model::{Cfp, CfpOptions};
use super::record::{Code, LONGEST_RUN, UNDEFINED, encode, step};
use super::rules;
use crate::fields::wide;
use crate::rules::{self as shared, not_finite};
use crate::ts1::bcf::Same;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{
    Budget, Codes, Confidence, F32, FieldPath, Findings, Parsed, ReadError, ReadOptions, Source,
};

const CODES: Codes = Codes { short: rules::TRUNCATED, count: shared::COUNT, limit: shared::LIMIT };

/// Returns a reader over a whole file.
pub(crate) fn file<'a>(bytes: &'a [u8], budget: &'a Budget) -> Source<'a> {
    Source::file(bytes, CODES, budget)
}

/// Returns the actual or needed number of numbers.
fn total(source: &Source<'_>, wanted: Option<u64>) -> Result<u64, ReadError> {
    let Some(wanted) = wanted else {
        let (mut rest, mut n) = (source.bytes(), 0_u64);
        while let Some((code, behind)) = Code::read(rest) {
            (rest, n) = (behind, n.saturating_add(code.numbers()));
        }
        return Ok(n);
    };
    let threes = wide(source.bytes().len().div_ceil(3));
    let most = threes.saturating_add(1).saturating_mul(LONGEST_RUN);
    if wanted > most {
        let message = format!("{wanted} numbers needed, a file of this size holds at most {most}");
        return Err(source.broken(shared::COUNT, &FieldPath::ROOT.field("values"), 0, message));
    }
    Ok(wanted)
}

/// Decodes all numbers, or the needed count.
pub(crate) fn decode(
    source: &Source<'_>,
    wanted: Option<u64>,
    findings: &mut Findings,
) -> Result<Vec<F32>, ReadError> {
    let path = FieldPath::ROOT.field("values");
    let total = total(source, wanted)?;
    let room = usize::try_from(total).unwrap_or(usize::MAX);
    let mut values: Vec<F32> =
        source.budget().reserve("numbers", room).map_err(|e| source.over_limit(&path, 0, e))?;
    let (mut rest, mut last) = (source.bytes(), F32::default());
    let offset = |rest: &[u8]| wide(source.bytes().len().saturating_sub(rest.len()));
    while values.len() < room {
        let (at, here) = (offset(rest), path.index(values.len()));
        let Some((code, behind)) = Code::read(rest) else { break };
        rest = behind;
        let mut n = code.numbers();
        match code {
            Code::Step(UNDEFINED) => {
                findings.broken(rules::CODE, &here, at, || "0xfd is not a valid code")?;
            }
            Code::Step(code) => last = F32::new(last.get() + step(code)),
            Code::Repeat(_) => {}
            Code::Full(bits) => {
                last = F32::from_bits(bits);
                if !last.is_finite() {
                    not_finite(last, &here, at.saturating_add(1), findings)?;
                }
            }
        }
        let left = wide(room.saturating_sub(values.len()));
        if n > left {
            findings
                .broken(rules::REPEAT, &here, at, || format!("a run of {n} numbers, {left} are needed"))?;
            n = left;
        }
        values.resize(values.len().saturating_add(usize::try_from(n).unwrap_or(0)), last);
    }
    let short = values.len() < room || (wanted.is_none() && !rest.is_empty());
    if short {
        let here = path.index(values.len());
        let message = || format!("{} of {room} numbers found", values.len());
        findings.broken(rules::TRUNCATED, &here, offset(rest), message)?;
        values.resize(room, last);
    } else if !rest.is_empty() {
        let message = || format!("{} bytes after the last number", rest.len());
        findings.broken(shared::TRAILING, &FieldPath::ROOT.field("trailing"), offset(rest), message)?;
    }
    Ok(values)
}

impl Cfp {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &CfpOptions::default()).map(|p| p.model)
    }

    /// Reads a file, to its end or for a skill that needs a given number of keys. A lenient reader accepts faults of
    /// every rule but those on sizes: it replaces missing numbers by the last one, and drops extra ones.
    ///
    /// # Errors
    /// If the file breaks a rule that the options do not accept, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &CfpOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.read.limits);
        let source = file(bytes, &budget);
        let mut findings = Findings::reading(&options.read);
        let wanted = options.counts.map(|(t, r)| Self::numbers(t, r));
        let mut cfp = Self::new(decode(&source, wanted, &mut findings)?);
        let mut same = Same::new(bytes);
        encode(&cfp.values, &mut same);
        if !same.is_whole() {
            source.charge(&FieldPath::ROOT, 0, "bytes", wide(bytes.len()), 1)?;
            cfp.kept.0 = bytes.to_vec();
        }
        Ok(Parsed::new(cfp, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.cfp`: possible at best. Its only marks are a number of moderate
    /// size at the start and a code at the end. Its name, and the skill that names it, identify it.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let moderate = |bits: u32| (1e-9..1e3).contains(&f32::from_bits(bits).abs()) || bits << 1 == 0;
        // The first number in full says most: text and other formats have none, or an odd one.
        let (mut rest, mut first) = (bytes, None);
        while let Some((code, behind)) = Code::read(rest).filter(|(code, _)| *code != Code::Step(UNDEFINED)) {
            if let (None, Code::Full(bits)) = (first, code) {
                first = Some(moderate(bits));
            }
            if first == Some(false) {
                break;
            }
            rest = behind;
        }
        if rest.is_empty() && first == Some(true) { Confidence::Possible } else { Confidence::No }
    }
}

/// Returns true if the bytes decode to the model's numbers.
pub(crate) fn says(bytes: &[u8], cfp: &Cfp, options: &ReadOptions) -> bool {
    let budget = Budget::new(meshwright_core::Limits::UNLIMITED);
    let mut findings = Findings::reading(options);
    // A file that was read to its end holds all of its numbers.
    let wanted = Some(wide(cfp.values.len()));
    decode(&file(bytes, &budget), wanted, &mut findings).is_ok_and(|values| values == cfp.values)
}
