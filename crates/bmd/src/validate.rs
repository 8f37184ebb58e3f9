//! x
use crate::model::Bmd;
use meshwright_core::Report;
impl Bmd {
    /// x
    pub fn validate(&self) -> Report { Report::new() }
}
