//! The settings for reading a file of any format.

use meshwright_core::{FileFormat, ReadOptions, Role};
use std::sync::Arc;

/// The settings for reading a file of any format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadSettings {
    /// Limits and strictness.
    pub read: ReadOptions,
    /// Settings by name for cases that the bytes do not decide, such as `dialect`. Formats ignore unknown settings.
    pub settings: Vec<(String, String)>,
    /// Companion files that are part of reading.
    pub attached: Vec<(Role, Arc<[u8]>)>,
}

impl From<ReadOptions> for ReadSettings {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

impl ReadSettings {
    /// Adds a setting.
    #[must_use]
    pub fn with_setting(mut self, setting: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.push((setting.into(), value.into()));
        self
    }

    /// Adds a companion file.
    #[must_use]
    pub fn with_companion(mut self, role: Role, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.attached.push((role, bytes.into()));
        self
    }

    pub(super) fn options<F: FileFormat>(&self) -> F::Options {
        let mut options = F::Options::from(self.read);
        for (setting, value) in &self.settings {
            F::set(&mut options, setting, value);
        }
        for (role, bytes) in &self.attached {
            F::attach(&mut options, *role, Arc::clone(bytes));
        }
        options
    }
}
