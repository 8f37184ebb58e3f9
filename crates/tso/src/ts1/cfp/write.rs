//! Writes `.cfp`.

use super::model::Cfp;
use super::read::says;
use super::record::encode;
use super::rules;
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{ReadOptions, Strictness, WriteError};

/// Returns the bytes of the file: those that were read, if they have the same content.
pub(crate) fn image(cfp: &Cfp, options: &ReadOptions) -> Vec<u8> {
    if !cfp.kept.0.is_empty() && says(&cfp.kept.0, cfp, options) {
        return cfp.kept.0.clone();
    }
    let mut out = Vec::with_capacity(cfp.values.len());
    encode(&cfp.values, &mut out);
    out
}

impl Cfp {
    /// Writes the file. Numbers that are not finite are refused.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// Writes the file; with lenient strictness also one that only a lenient reader opens.
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

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::F32;

    #[test]
    fn what_is_written_is_read() {
        let values: Vec<F32> = [0.0, 0.0, 0.1, 0.1, -0.5, f32::MIN_POSITIVE].map(F32::new).to_vec();
        let cfp = Cfp::new(values);
        let bytes = image(&cfp, &ReadOptions::default());
        assert_eq!(Cfp::parse(&bytes).unwrap(), cfp);
    }
}
