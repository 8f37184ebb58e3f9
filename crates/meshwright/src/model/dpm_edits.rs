//! Edits of single fields of a DPM.

use super::Model;
use crate::error::{Error, ErrorKind};
use crate::formats::Registered as _;
use meshwright_dpm::{Dpm, Edit};

impl Model {
    /// Returns the file with edited fields. Every other byte is unchanged where the layout of the file allows it. Only
    /// DPM has such edits.
    ///
    /// # Errors
    /// If the format has no edits, or if an edit names something that the model does not have.
    pub fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>, Error> {
        let Some(model) = Dpm::from_any(self.model()) else {
            let why = format!("{} files cannot be edited, only DPM", self.format().title());
            return Err(Error::new(ErrorKind::NotConvertible, "not-convertible", why));
        };
        let mut model = model.clone();
        for edit in edits {
            model.edit(edit).map_err(|e| Error::new(ErrorKind::Invalid, "usage", e.to_string()))?;
        }
        Ok(model.to_bytes()?)
    }
}
