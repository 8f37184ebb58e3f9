//! Files of the same model with fewer bytes. Each format that has an optimizer has a file here.

#[cfg(feature = "bmd")]
mod bmd;
#[cfg(feature = "dpm")]
mod darkplaces;

use crate::error::{Error, ErrorKind};
use crate::formats::{AnyModel, Format, Optimizer};
use crate::model::Model;

/// Options of [`Model::optimize`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// Options for BMD.
    #[cfg(feature = "bmd")]
    pub bmd: meshwright_bmd::OptimizeOptions,
    /// Options for DPM and ZYM.
    #[cfg(feature = "dpm")]
    pub darkplaces: meshwright_dpm::OptimizeOptions,
}

impl Optimizer {
    /// Returns the names of the formats of some optimizers: `DPM and ZYM`.
    fn names(has: impl Fn(Self) -> bool) -> String {
        let formats = Format::ALL.iter().filter(|format| format.optimizer().is_some_and(&has));
        let names: Vec<_> = formats.map(|format| format.id().to_uppercase()).collect();
        match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.concat(),
        }
    }

    /// Checks that an option of this optimizer can have an effect on a file of a format that has an optimizer.
    ///
    /// # Errors
    /// If the format has another optimizer.
    pub fn check_option(self, option: &str, format: Format) -> Result<(), Error> {
        if format.optimizer().is_none_or(|own| own == self) {
            return Ok(());
        }
        let why = format!(
            "{option} works only for {}; the file is a {}",
            Self::names(|other| other == self),
            format.id().to_uppercase()
        );
        Err(Error::new(ErrorKind::Invalid, "usage", why))
    }
}

/// A file with fewer bytes.
#[derive(Clone, Debug)]
pub struct OptimizedFile {
    bytes: Vec<u8>,
    companion: Option<(&'static str, Vec<u8>)>,
    is_companion_needed: bool,
    summary: String,
    #[cfg(feature = "dump")]
    document: serde_json::Value,
}

impl OptimizedFile {
    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the companion that belongs to the file: the ending that is added to the file's name, and its content.
    pub fn companion(&self) -> Option<(&'static str, &[u8])> {
        self.companion.as_ref().map(|(ending, bytes)| (*ending, bytes.as_slice()))
    }

    /// Returns true if the file does not fit the companion of the original.
    pub fn is_companion_needed(&self) -> bool {
        self.is_companion_needed
    }

    /// Returns the savings and errors as one line.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Returns the savings and errors as a JSON object.
    #[cfg(feature = "dump")]
    pub fn document(&self) -> &serde_json::Value {
        &self.document
    }
}

impl Model {
    /// Returns the same model with fewer bytes, if its format has an [optimizer](crate::Format::optimizer).
    ///
    /// # Errors
    /// If the format has no optimizer, or if the limits do not suffice.
    pub fn optimize(&self, options: &OptimizeOptions) -> Result<OptimizedFile, Error> {
        match self.model() {
            #[cfg(feature = "bmd")]
            AnyModel::Bmd(model) => bmd::optimize(model, &options.bmd),
            #[cfg(feature = "dpm")]
            AnyModel::Dpm(_) | AnyModel::Zym(_) => darkplaces::optimize(self, &options.darkplaces),
            _ => {
                let title = self.format().title();
                let why = format!("{title} files cannot be optimized, only {}", Optimizer::names(|_| true));
                Err(Error::new(ErrorKind::NotConvertible, "not-convertible", why))
            }
        }
    }
}

/// Returns how many percent of the bytes are left.
#[expect(clippy::cast_precision_loss, reason = "a percentage")]
fn percent(after: u64, before: u64) -> f64 {
    100.0 * after as f64 / before.max(1) as f64
}
