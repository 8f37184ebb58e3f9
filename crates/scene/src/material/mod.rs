//! Colours and transparency of materials.

pub(crate) mod alpha;
pub mod color;
