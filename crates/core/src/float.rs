//! Floats as a file stores them.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

/// An IEEE 754 binary32 that keeps its bits. Equality and hashing of two `F32` compare bits, so that `-0.0`
/// differs from `0.0` and a NaN equals itself. Comparing it with an `f32` compares values, and `*x` is its
/// value.
///
/// ```
/// use meshwright_core::F32;
/// assert_ne!(F32::new(0.0), F32::new(-0.0));
/// assert_eq!(F32::new(f32::NAN), F32::new(f32::NAN));
///
/// let x = F32::new(-1.5);
/// assert!(x == -1.5 && x < 0.0 && F32::new(-0.0) == 0.0);
/// assert_eq!(*x * 2.0, -3.0);
/// assert_eq!(x.abs(), 1.5);
/// assert_eq!(format!("{x:.2}"), "-1.50");
/// ```
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct F32(f32);

impl F32 {
    /// Wraps a value.
    pub const fn new(value: f32) -> Self {
        Self(value)
    }

    /// Returns the float with these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(f32::from_bits(bits))
    }

    /// Returns the stored bits.
    pub const fn to_bits(self) -> u32 {
        self.0.to_bits()
    }

    /// Returns the value.
    pub const fn get(self) -> f32 {
        self.0
    }

    /// Returns whether the value is neither infinite nor NaN.
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

impl PartialEq for F32 {
    fn eq(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Eq for F32 {}

/// Compares the values, not the bits.
impl PartialEq<f32> for F32 {
    fn eq(&self, other: &f32) -> bool {
        self.0 == *other
    }
}

/// Compares the values, not the bits.
impl PartialEq<F32> for f32 {
    fn eq(&self, other: &F32) -> bool {
        *self == other.0
    }
}

/// Compares the values.
impl PartialOrd<f32> for F32 {
    fn partial_cmp(&self, other: &f32) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

/// Compares the values.
impl PartialOrd<F32> for f32 {
    fn partial_cmp(&self, other: &F32) -> Option<Ordering> {
        self.partial_cmp(&other.0)
    }
}

/// Dereferences to the value.
impl Deref for F32 {
    type Target = f32;

    fn deref(&self) -> &f32 {
        &self.0
    }
}

impl Hash for F32 {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}

impl fmt::Debug for F32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nan() { write!(f, "NaN({:#010x})", self.to_bits()) } else { write!(f, "{:?}", self.0) }
    }
}

/// Displays the value with the formatting options of a float.
impl fmt::Display for F32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<f32> for F32 {
    fn from(value: f32) -> Self {
        Self(value)
    }
}

impl From<F32> for f32 {
    fn from(value: F32) -> Self {
        value.0
    }
}

/// Wraps every element of an array.
pub fn f32s<const N: usize>(values: [f32; N]) -> [F32; N] {
    values.map(F32)
}

/// Unwraps every element of an array.
pub fn values<const N: usize>(stored: [F32; N]) -> [f32; N] {
    stored.map(F32::get)
}
