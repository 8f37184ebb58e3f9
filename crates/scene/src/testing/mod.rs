//! Generators of scenes for property tests, and distances between their triangles.

pub mod posed;
pub mod strategy;
