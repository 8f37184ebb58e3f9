//! Linear algebra for conversions, on plain arrays, computed in 64 bits.
//!
//! | file | holds |
//! |---|---|
//! | `vector` | [`dot`], [`cross`], [`length`], [`unit()`], [`lerp`], and rounding to 32 bits by [`narrow`] |
//! | [`quat`] | rotations as quaternions `[x, y, z, w]`: products, bases, interpolation, angles |
//! | `affine` | [`Affine`] stored in 32 bits, [`Affine64`] for chains and inverses |
//! | `surface` | [`facing`]: whether a triangle faces the same way as the normals of its corners |
//! | `trs` | [`Trs`] and [`Trs64`]: translation, rotation and scale, and the decomposition of a matrix |
//!
//! Roots are correctly rounded. Sines, cosines and their inverses are libm's, so that every machine gives the same
//! bits. A format whose original engine computes in an order of its own keeps that order in its own crate.
#![allow(clippy::indexing_slicing, reason = "vectors and matrices of fixed size")]

mod affine;
pub mod quat;
mod surface;
mod trs;
mod vector;

pub use affine::{Affine, Affine64};
pub use quat::Quat;
pub use surface::{clearly_against, corner_angle, face_normal, facing};
pub use trs::{Trs, Trs64};
pub use vector::{
    acos, add, atan2, cos, cross, distance, dot, length, lerp, narrow, narrow1, normalize, scale, sin, sqrt,
    sub, unit, wide,
};
