//! Matrices in two precisions.
#![allow(clippy::arithmetic_side_effects, reason = "floats in vectors and matrices")]

use core::fmt::Debug;
use glam::{Affine3A, DAffine3, DMat3, DVec3, Mat3A, Vec3A, Vec4};
use meshwright_scene::Affine;

mod sealed {
    pub trait Sealed {}
    impl Sealed for glam::Affine3A {}
    impl Sealed for glam::DAffine3 {}
}

/// An affine matrix of glam: [`Affine3A`] in 32 bits or [`DAffine3`] in 64.
pub trait Matrix: sealed::Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The identity.
    const IDENTITY: Self;
    /// A running sum of points or directions.
    #[doc(hidden)]
    type Sum: Copy + Default + PartialEq;

    /// Converts a scene's matrix.
    fn from_affine(m: &Affine) -> Self;
    /// Converts to a scene's matrix, rounded to 32 bits.
    fn to_affine(&self) -> Affine;
    /// Converts from 64 bits.
    fn from_f64(m: &DAffine3) -> Self;
    /// Converts to 64 bits.
    fn to_f64(&self) -> DAffine3;
    /// Returns the product: `p -> self(first(p))`.
    #[must_use]
    fn multiply(&self, first: &Self) -> Self;
    /// Blends all elements: `self` at 0, `other` at 1.
    #[must_use]
    fn lerp(&self, other: &Self, t: f64) -> Self;

    /// Returns the columns in 32 bits.
    #[doc(hidden)]
    fn columns(&self) -> [Vec4; 4];
    #[doc(hidden)]
    fn add_point(&self, sum: Self::Sum, p: [f32; 3], weight: f32) -> Self::Sum;
    #[doc(hidden)]
    fn add_local(&self, sum: Self::Sum, weighted: [f32; 3], weight: f32) -> Self::Sum;
    #[doc(hidden)]
    fn add_vector(&self, sum: Self::Sum, v: [f32; 3], weight: f32) -> Self::Sum;
    #[doc(hidden)]
    fn finish(sum: Self::Sum) -> [f32; 3];
    #[doc(hidden)]
    fn finish_unit(sum: Self::Sum) -> [f32; 3];
}

impl Matrix for Affine3A {
    const IDENTITY: Self = Self::IDENTITY;
    type Sum = Vec3A;

    fn from_affine(m: &Affine) -> Self {
        Self { matrix3: Mat3A::from_cols(m.x.into(), m.y.into(), m.z.into()), translation: m.w.into() }
    }

    fn to_affine(&self) -> Affine {
        let m = &self.matrix3;
        Affine { x: m.x_axis.into(), y: m.y_axis.into(), z: m.z_axis.into(), w: self.translation.into() }
    }

    fn from_f64(m: &DAffine3) -> Self {
        m.as_affine3a()
    }

    fn to_f64(&self) -> DAffine3 {
        DAffine3::from_affine(&Matrix::to_affine(self))
    }

    fn multiply(&self, first: &Self) -> Self {
        *self * *first
    }

    fn lerp(&self, other: &Self, t: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a weight in the precision of the matrices")]
        let t = t as f32;
        let (a, b) = (&self.matrix3, &other.matrix3);
        let lerp = |a: Vec3A, b: Vec3A| a + (b - a) * t;
        Self {
            matrix3: Mat3A::from_cols(
                lerp(a.x_axis, b.x_axis),
                lerp(a.y_axis, b.y_axis),
                lerp(a.z_axis, b.z_axis),
            ),
            translation: lerp(self.translation, other.translation),
        }
    }

    #[inline]
    fn columns(&self) -> [Vec4; 4] {
        let m = &self.matrix3;
        [m.x_axis.extend(0.0), m.y_axis.extend(0.0), m.z_axis.extend(0.0), self.translation.extend(1.0)]
    }

    fn add_point(&self, sum: Vec3A, p: [f32; 3], weight: f32) -> Vec3A {
        sum + (self.matrix3 * Vec3A::from(p) + self.translation) * weight
    }

    fn add_local(&self, sum: Vec3A, weighted: [f32; 3], weight: f32) -> Vec3A {
        sum + self.matrix3 * Vec3A::from(weighted) + self.translation * weight
    }

    fn add_vector(&self, sum: Vec3A, v: [f32; 3], weight: f32) -> Vec3A {
        sum + self.matrix3 * Vec3A::from(v) * weight
    }

    fn finish(sum: Vec3A) -> [f32; 3] {
        sum.into()
    }

    fn finish_unit(sum: Vec3A) -> [f32; 3] {
        sum.try_normalize().unwrap_or(sum).into()
    }
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}

impl Matrix for DAffine3 {
    const IDENTITY: Self = Self::IDENTITY;
    type Sum = DVec3;

    fn from_affine(m: &Affine) -> Self {
        Self { matrix3: DMat3::from_cols(wide(m.x), wide(m.y), wide(m.z)), translation: wide(m.w) }
    }

    fn to_affine(&self) -> Affine {
        let m = &self.matrix3;
        let narrow = |v: DVec3| v.as_vec3().into();
        Affine { x: narrow(m.x_axis), y: narrow(m.y_axis), z: narrow(m.z_axis), w: narrow(self.translation) }
    }

    fn from_f64(m: &DAffine3) -> Self {
        *m
    }

    fn to_f64(&self) -> DAffine3 {
        *self
    }

    fn multiply(&self, first: &Self) -> Self {
        *self * *first
    }

    fn lerp(&self, other: &Self, t: f64) -> Self {
        let (a, b) = (&self.matrix3, &other.matrix3);
        let lerp = |a: DVec3, b: DVec3| a + (b - a) * t;
        Self {
            matrix3: DMat3::from_cols(
                lerp(a.x_axis, b.x_axis),
                lerp(a.y_axis, b.y_axis),
                lerp(a.z_axis, b.z_axis),
            ),
            translation: lerp(self.translation, other.translation),
        }
    }

    fn columns(&self) -> [Vec4; 4] {
        self.as_affine3a().columns()
    }

    fn add_point(&self, sum: DVec3, p: [f32; 3], weight: f32) -> DVec3 {
        sum + (self.matrix3 * wide(p) + self.translation) * f64::from(weight)
    }

    fn add_local(&self, sum: DVec3, weighted: [f32; 3], weight: f32) -> DVec3 {
        sum + self.matrix3 * wide(weighted) + self.translation * f64::from(weight)
    }

    fn add_vector(&self, sum: DVec3, v: [f32; 3], weight: f32) -> DVec3 {
        sum + self.matrix3 * wide(v) * f64::from(weight)
    }

    fn finish(sum: DVec3) -> [f32; 3] {
        sum.as_vec3().into()
    }

    fn finish_unit(sum: DVec3) -> [f32; 3] {
        sum.try_normalize().unwrap_or(sum).as_vec3().into()
    }
}
