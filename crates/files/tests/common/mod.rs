//! What tests of packs and archives share.

use meshwright_core::{Budget, Limits};

pub(crate) fn budget() -> Budget {
    Budget::new(Limits::default())
}
