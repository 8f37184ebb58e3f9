//! Changes of axes and unit between a file's space and glTF's.
#![allow(clippy::indexing_slicing, reason = "vectors of three, and axes that are one of three")]

use meshwright_core::math::{Affine, Affine64, Trs, Trs64, scale};

/// A signed permutation of axes with a uniform scale: output axis `i` is `sign[i] * input[from[i]] * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisMap {
    from: [usize; 3],
    sign: [f32; 3],
    scale: f32,
}

impl AxisMap {
    /// The identity.
    pub const IDENTITY: Self = Self { from: [0, 1, 2], sign: [1.0; 3], scale: 1.0 };

    /// Creates a map whose output axes are the given input axes (0 to 2) with the given signs (1 or -1),
    /// times `scale`.
    ///
    /// # Panics
    /// If `from` is not a permutation of 0, 1, 2 or a sign is not 1 or -1; in a constant that is a compile
    /// error.
    pub const fn new(from: [usize; 3], sign: [f32; 3], scale: f32) -> Self {
        assert!(from[0] < 3 && from[1] < 3 && from[2] < 3, "axes are 0 to 2");
        assert!(from[0] != from[1] && from[1] != from[2] && from[0] != from[2], "each axis is used once");
        assert!(sign[0].abs() == 1.0 && sign[1].abs() == 1.0 && sign[2].abs() == 1.0, "a sign is 1 or -1");
        Self { from, sign, scale }
    }

    /// Returns true if the map mirrors, so that the corners of every triangle must be reversed.
    pub const fn mirrors(&self) -> bool {
        let even = matches!(self.from, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
        let product = self.sign[0] * self.sign[1] * self.sign[2];
        even != (product > 0.0)
    }

    /// Returns the factor for lengths.
    pub const fn scale(&self) -> f32 {
        self.scale
    }

    /// Maps a point, or another vector in units of length.
    #[inline]
    #[must_use]
    pub fn point(&self, p: [f32; 3]) -> [f32; 3] {
        self.direction(p).map(|c| c * self.scale)
    }

    /// Maps a direction: permutes and negates, without the factor for lengths.
    #[inline]
    #[must_use]
    pub fn direction(&self, v: [f32; 3]) -> [f32; 3] {
        core::array::from_fn(|i| self.sign[i] * v[self.from[i]])
    }

    /// Maps a scale per axis: permutes its components.
    #[must_use]
    pub fn axis_scale(&self, s: [f32; 3]) -> [f32; 3] {
        self.from.map(|i| s[i])
    }

    /// Maps a rotation.
    #[must_use]
    pub fn rotation(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let v = self.direction([x, y, z]);
        let turn = if self.mirrors() { -1.0 } else { 1.0 };
        [turn * v[0], turn * v[1], turn * v[2], w]
    }

    /// Maps a transform, such that it applies to mapped points.
    #[must_use]
    pub fn affine(&self, m: &Affine) -> Affine {
        let columns = [m.x, m.y, m.z];
        let column = |i: usize| self.direction(columns[self.from[i]]).map(|c| c * self.sign[i]);
        Affine { x: column(0), y: column(1), z: column(2), w: self.point(m.w) }
    }

    /// Maps a transform, such that it applies to mapped points.
    #[must_use]
    pub fn trs(&self, t: &Trs) -> Trs {
        Trs {
            translation: self.point(t.translation),
            rotation: self.rotation(t.rotation),
            scale: self.axis_scale(t.scale),
        }
    }

    /// Maps a transform in 64 bits, such that it applies to mapped points.
    #[must_use]
    pub fn affine64(&self, m: &Affine64) -> Affine64 {
        let columns = [m.x, m.y, m.z];
        let column = |i: usize| scale(self.direction64(columns[self.from[i]]), self.sign[i].into());
        let w = scale(self.direction64(m.w), self.scale.into());
        Affine64 { x: column(0), y: column(1), z: column(2), w }
    }

    fn direction64(&self, v: [f64; 3]) -> [f64; 3] {
        core::array::from_fn(|i| f64::from(self.sign[i]) * v[self.from[i]])
    }

    /// Maps a transform in 64 bits, such that it applies to mapped points.
    #[must_use]
    pub fn trs64(&self, t: &Trs64) -> Trs64 {
        let [x, y, z, w] = t.rotation;
        let v = self.direction64([x, y, z]);
        let side = if self.mirrors() { -1.0 } else { 1.0 };
        Trs64 {
            translation: scale(self.direction64(t.translation), self.scale.into()),
            rotation: [side * v[0], side * v[1], side * v[2], w],
            scale: self.from.map(|i| t.scale[i]),
        }
    }

    /// Returns the inverse map.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut back = Self { from: [0; 3], sign: [1.0; 3], scale: 1.0 / self.scale };
        for i in 0..3 {
            back.from[self.from[i]] = i;
            back.sign[self.from[i]] = self.sign[i];
        }
        back
    }

    /// Returns the corners of a triangle in the order that keeps its front face.
    #[must_use]
    pub const fn triangle(&self, [a, b, c]: [u32; 3]) -> [u32; 3] {
        if self.mirrors() { [c, b, a] } else { [a, b, c] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::math::normalize;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn map() -> impl Strategy<Value = AxisMap> {
        let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        (0_usize..6, any::<[bool; 3]>(), 0.125_f32..4.0).prop_map(move |(o, s, scale)| {
            AxisMap::new(orders[o], s.map(|b| if b { 1.0 } else { -1.0 }), scale)
        })
    }

    fn is_near(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3)
    }

    proptest! {
        #[test]
        fn transforms_commute_with_the_map(
            map in map(),
            q in [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, 0.125_f32..1.0],
            t in [-9.0_f32..9.0, -9.0_f32..9.0, -9.0_f32..9.0],
            p in [-9.0_f32..9.0, -9.0_f32..9.0, -9.0_f32..9.0],
            s in [0.5_f32..2.0, 0.5_f32..2.0, 0.5_f32..2.0],
        ) {
            let trs = Trs { translation: t, rotation: normalize(q).unwrap(), scale: s };
            let direct = map.point(trs.to_affine().point(p));
            prop_assert!(is_near(map.affine(&trs.to_affine()).point(map.point(p)), direct));
            prop_assert!(is_near(map.trs(&trs).to_affine().point(map.point(p)), direct));
            let (wide, narrow) = (map.affine64(&trs.to_affine().wide()).narrow(), map.affine(&trs.to_affine()));
            prop_assert_eq!(wide, narrow);
            prop_assert_eq!(map.trs64(&trs.wide()).narrow(), map.trs(&trs));
            prop_assert!(is_near(map.inverse().point(map.point(p)), p));
            prop_assert_eq!(map.inverse().mirrors(), map.mirrors());
        }
    }
}
