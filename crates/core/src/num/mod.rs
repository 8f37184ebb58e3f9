//! Numeric encodings of the model formats.
//!
//! Each encoding is a newtype over its raw bits, so a model that stores the newtype writes the same word
//! that it read. `decode` computes the value and `encode` makes a new word. Equality and hashing compare
//! bits.
//!
//! | type | bits | value |
//! |---|---|---|
//! | [`F8A`] | 8 | sign, 3-bit exponent, 4-bit fraction; up to ±1.9375 |
//! | [`F16`] | 16 | IEEE 754 binary16 |
//! | [`Q2_12`] | 14 | two's complement, steps of 1/4096 |
//! | [`Q1_15`] | 32 | blend weight, 0x8000 is one |
//! | [`Se32`] | 32 | three 9-bit fractions under one 5-bit exponent |
//! | [`QuatF8`] | 32 | four [`F8A`] parts, normalised after decoding |
//! | [`St11`] | 24 | two 11-bit fractions, exponent in steps of 4 |
//! | [`St12`] | 24 | two 12-bit fractions |
//! | [`St14`] | 32 | two 14-bit fractions, exponent in steps of 2, in three readings |
//!
//! # Round trips
//!
//! Encoding a decoded word gives a word that decodes to the same value (only [`Q1_15`] words above one are clamped).
//! The table says for which words the result is the *same word*. For all others, a tool that must not change a file
//! has to keep the original words.
//!
//! | type | `encode(decode(w)) == w` |
//! |---|---|
//! | [`F8A`], [`F16`] | every word, negative zero and NaN payloads included |
//! | [`Q2_12`], [`St12`], [`St14`] read as [`St14Form::Legacy`] | every word |
//! | [`Q1_15`] | words up to 0x8000 ([`Q1_15::is_valid`]) |
//! | [`Se32`], [`St11`], [`St14`] otherwise, [`QuatF8`] | words for which `is_canonical` holds; `encode` yields no others |
//!
//! The fixed-point and shared-exponent encodings have no negative zero: encoding `-0.0` gives zero, and their
//! `is_exact` compares numbers, for which both zeros are equal. [`F8A`], [`F16`] and [`QuatF8`] keep the sign of a
//! zero, and their `is_exact` compares bits.
//!
//! F8A, the shared exponent and the ST forms come from BGBTech's mesh description. This module uses `core`
//! only.
#![allow(
    clippy::arithmetic_side_effects,
    reason = "bit-fields of fixed width; tests try every code and every step"
)]

mod arith;
mod f16;
mod f8a;
mod q1_15;
mod q2_12;
mod quat_f8;
mod se32;
mod st11;
mod st12;
mod st14;

pub use f8a::F8A;
pub use f16::F16;
pub use q1_15::Q1_15;
pub use q2_12::Q2_12;
pub use quat_f8::QuatF8;
pub use se32::Se32;
pub use st11::St11;
pub use st12::St12;
pub use st14::{St14, St14Form};
