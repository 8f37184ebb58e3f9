//! Writes `.cmx`.

use super::lines::LinesOut;
use super::model::Cmx;
use super::read::{VERSION, tree};
use super::rules;
use crate::fields::file;
use crate::rules::writing;
use crate::ts1::bcf::Sink;
use crate::ts1::character::write;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{Budget, Findings, Limits, Strictness, WriteError};

/// The text as the game's own files look.
pub(crate) fn body<S: Sink>(out: &mut LinesOut<'_, S>, cmx: &Cmx) -> Result<(), WriteError> {
    cmx.comments.iter().for_each(|comment| out.line(comment.bytes()));
    out.line(format!("version {VERSION}").as_bytes());
    write::character(out, &cmx.character)?;
    out.0.put(&cmx.trailing);
    Ok(())
}

/// The text, whatever rules it breaks but those that `findings` does not pass over: the one that was read where it says
/// the same.
pub(crate) fn image(cmx: &Cmx, findings: &mut Findings) -> Result<Vec<u8>, WriteError> {
    if !cmx.kept().is_empty() {
        let budget = Budget::new(Limits::UNLIMITED);
        if tree(&file(cmx.kept(), &budget), findings, None).is_ok_and(|(read, _)| read == *cmx) {
            return Ok(cmx.kept().to_vec());
        }
    }
    let mut out = Vec::new();
    body(&mut LinesOut(&mut out), cmx)?;
    Ok(out)
}

impl Cmx {
    /// The file. Records that break a rule are refused, as are numbers that no text holds.
    ///
    /// Floats have as many digits as bring them back, and look as the game writes them: six where these do.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens.
    ///
    /// # Errors
    /// When the model breaks a rule that is not passed over, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        rules::check(self, &[], &mut writing(strictness))?;
        image(self, &mut writing(strictness))
    }
}
