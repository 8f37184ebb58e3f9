//! To and from the exchange model.

pub(crate) mod from_scene;
pub(crate) mod to_scene;
