//! gltfpack and glTF-Transform round values to fewer bits (gltfpack 1.3.0, glTF-Transform 4.5.1; measured: positions
//! 5.9e-5 of the extent, normals 1 degree, poses 3e-4 of the extent).

/// The tolerance of positions, per extent.
pub(crate) const POSITION: f64 = 1e-4;
/// The tolerance of normals in degrees.
pub(crate) const NORMAL: f64 = 1.5;
/// Half a step of 12 bits, for coordinates slightly beyond 1.
pub(crate) const UV: f64 = 1.5e-4;
/// The tolerance of colours: one step of eight bits.
pub(crate) const COLOR: f64 = 4e-3;
/// Steps of eight bits; the largest weight absorbs the rounding of the others.
pub(crate) const WEIGHT: f64 = 8e-3;
/// The tolerance of rotations.
pub(crate) const ROTATION: f64 = 4e-3;
/// The tolerance of translations, per extent.
pub(crate) const TRANSLATION: f64 = 4e-4;
/// Half a step of 12 bits for each component. The first component is the sign of the largest.
pub(crate) const REACH: f64 = 8.5e-4;
/// The tolerance of scales.
pub(crate) const SCALE: f64 = 1e-3;
