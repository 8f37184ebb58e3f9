//! Helpers for tests of packs and archives.

use meshwright_core::{Budget, Limits};

pub(crate) fn budget() -> Budget {
    Budget::new(Limits::default())
}
