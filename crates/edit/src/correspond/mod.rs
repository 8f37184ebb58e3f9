//! Maps the parts of an edited scene to the parts of its original.

pub(crate) mod correspondence;
pub(crate) mod faces;
pub(crate) mod found;
pub(crate) mod joints;
pub(crate) mod marks;
pub(crate) mod matching;
pub(crate) mod meshes;
pub(crate) mod names;
pub(crate) mod parts;
pub(crate) mod placed;
pub(crate) mod poses;
pub(crate) mod sampled;
pub(crate) mod space;
pub(crate) mod steps;
pub(crate) mod twins;
pub(crate) mod vertices;
