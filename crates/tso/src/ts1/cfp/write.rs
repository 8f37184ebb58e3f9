//! Writes `.cfp`.

use super::model::Cfp;
use super::read::says;
use super::record::{FULL, LONGEST_RUN, REPEAT, SMALL, UNDEFINED, step};
use super::rules;
use crate::rules::writing;
use crate::ts1::bcf::Sink;
use alloc::vec::Vec;
use meshwright_core::{F32, ReadOptions, Strictness, WriteError};

/// Numbers as the game's own files have them: nothing is lost, and no number takes more than 5 bytes.
pub(crate) fn encode(values: &[F32], out: &mut impl Sink) {
    let (mut rest, mut last) = (values, None::<F32>);
    while let Some((&value, behind)) = rest.split_first() {
        let same = rest.iter().take(usize::try_from(LONGEST_RUN).unwrap_or(0));
        let run = same.take_while(|v| Some(v.to_bits()) == last.map(F32::to_bits)).count();
        if run > 0 {
            let more = u16::try_from(run.saturating_sub(1)).unwrap_or(u16::MAX).to_le_bytes();
            out.put(&[REPEAT]);
            out.put(&more);
            rest = rest.get(run..).unwrap_or_default();
            continue;
        }
        match last.and_then(|last| code(last, value)) {
            Some(code) => out.put(&[code]),
            None => {
                out.put(&[FULL]);
                out.put(&value.to_bits().to_le_bytes());
            }
        }
        (rest, last) = (behind, Some(value));
    }
}

/// The code of the step that leads from one number to the next, bit for bit.
fn code(last: F32, value: F32) -> Option<u8> {
    let wanted = f64::from(value.get()) - f64::from(last.get());
    let (mut low, mut high) = (0_u8, UNDEFINED.saturating_sub(1));
    if !(f64::from(step(low)) * 1.5..=f64::from(step(high)) * 1.5).contains(&wanted) {
        return None;
    }
    // Steps ascend with their codes.
    while high.saturating_sub(low) > 1 {
        let middle = low.midpoint(high);
        if f64::from(step(middle)) <= wanted { low = middle } else { high = middle }
    }
    let near = [low.saturating_sub(1), low, high, high.saturating_add(1).min(UNDEFINED.saturating_sub(1))];
    let exact = |code: &u8| !SMALL.contains(code) && (last.get() + step(*code)).to_bits() == value.to_bits();
    let off = |code: u8| (f64::from(step(code)) - wanted).abs();
    near.into_iter().filter(exact).min_by(|a, b| off(*a).total_cmp(&off(*b)))
}

/// The bytes of the file: those that were read, where they say the same.
pub(crate) fn image(cfp: &Cfp, options: &ReadOptions) -> Vec<u8> {
    if !cfp.kept().is_empty() && says(cfp.kept(), cfp, options) {
        return cfp.kept().to_vec();
    }
    let mut out = Vec::with_capacity(cfp.values.len());
    encode(&cfp.values, &mut out);
    out
}

impl Cfp {
    /// The file. Numbers that are not finite are refused.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &mut writing(strictness))?;
        let options = match strictness {
            Strictness::Strict => ReadOptions::default(),
            Strictness::Lenient => ReadOptions::lenient(),
        };
        Ok(image(self, &options))
    }
}
