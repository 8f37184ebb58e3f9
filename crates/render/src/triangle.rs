//! Triangles of a rendering, with integer tests of the samples that they cover.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "arrays of three; coordinates are within 2^28, so that their products are within 2^58"
)]

use std::ops::Range;

/// Subsample units per sample.
pub(crate) const SUB: i64 = 256;
/// Marks a triangle that was not clipped.
pub(crate) const WHOLE: u32 = u32::MAX;

/// A triangle of a rendering. The order of its corners makes its area positive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// Corners in 1/256 of a sample from the top left.
    pub(crate) x: [i32; 3],
    pub(crate) y: [i32; 3],
    /// 1 / distance of each corner: larger is nearer.
    pub(crate) near: [f32; 3],
    /// The index of its [`Draw`](crate::shading::Draw).
    pub(crate) draw: u32,
    /// The number of the triangle in its mesh.
    pub(crate) source: u32,
    /// The index of the weights of its corners, if it was clipped.
    pub(crate) clip: u32,
    /// True if the second and third corner were swapped.
    pub(crate) swapped: bool,
    /// True if the back is visible.
    pub(crate) back: bool,
}

impl Triangle {
    /// Returns twice the area in subsample units; negative for the other order of corners.
    pub(crate) fn area(x: [i32; 3], y: [i32; 3]) -> i64 {
        let ([a, b, c], [d, e, f]) = (x.map(i64::from), y.map(i64::from));
        (b - a) * (f - d) - (c - a) * (e - d)
    }

    /// Returns the rows of samples whose centres may be inside.
    pub(crate) fn rows(&self) -> Range<i64> {
        extent(self.y)
    }

    /// Returns the columns of samples whose centres may be inside.
    pub(crate) fn columns(&self) -> Range<i64> {
        extent(self.x)
    }

    pub(crate) fn edges(&self) -> Edges {
        let (x, y) = (self.x.map(i64::from), self.y.map(i64::from));
        let (mut a, mut b, mut c, mut bias) = ([0; 3], [0; 3], [0; 3], [0; 3]);
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            (a[i], b[i]) = (y[j] - y[k], x[k] - x[j]);
            c[i] = -(a[i] * x[j] + b[i] * y[j]);
            // A shared edge belongs to one of its two triangles.
            bias[i] = if a[i] > 0 || (a[i] == 0 && b[i] > 0) { 0 } else { -1 };
        }
        #[expect(clippy::cast_precision_loss, reason = "rounded alike everywhere")]
        let inverse_area = 1.0 / Self::area(self.x, self.y) as f64;
        let near = self.near.map(f64::from);
        let slope = |e: [i64; 3]| {
            #[expect(clippy::cast_precision_loss, reason = "rounded alike everywhere")]
            let e = e.map(|e| e as f64);
            (e[0] * near[0] + e[1] * near[1] + e[2] * near[2]) * inverse_area
        };
        let mut edges = Edges { a, b, c, bias, inverse_area, near_x: 0.0, near };
        edges.near_x = slope(a.map(|a| a * SUB));
        edges
    }
}

fn extent(at: [i32; 3]) -> Range<i64> {
    let (low, high) = (i64::from(at[0].min(at[1]).min(at[2])), i64::from(at[0].max(at[1]).max(at[2])));
    let half = SUB / 2;
    // From the first centre at or after `low` to the last at or before `high`.
    -((half - low).div_euclid(SUB))..(high - half).div_euclid(SUB) + 1
}

/// The edges of a triangle. A point is inside if all of `a x + b y + c` are positive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    a: [i64; 3],
    b: [i64; 3],
    c: [i64; 3],
    bias: [i64; 3],
    inverse_area: f64,
    /// The change of 1 / distance to the next sample on the right.
    near_x: f64,
    near: [f64; 3],
}

/// Returns the centre of a sample.
pub(crate) const fn middle(sample: i64) -> i64 {
    sample * SUB + SUB / 2
}

impl Edges {
    /// Returns the samples of a row that are inside, within `columns`.
    #[inline]
    pub(crate) fn span(&self, row: i64, columns: Range<i64>) -> Range<i64> {
        let y = middle(row);
        let Range { mut start, mut end } = columns;
        for i in 0..3 {
            let first = self.a[i] * (SUB / 2) + self.b[i] * y + self.c[i] + self.bias[i];
            let step = self.a[i] * SUB;
            if step > 0 {
                start = start.max(-first.div_euclid(step));
            } else if step < 0 {
                end = end.min(first.div_euclid(-step) + 1);
            } else if first < 0 {
                return 0..0;
            }
        }
        start..end.max(start)
    }

    /// Returns 1 / distance at the centre of a sample, and its change to the next sample on the right.
    #[inline]
    pub(crate) fn nearness(&self, column: i64, row: i64) -> (f64, f64) {
        let w = self.weights(middle(column), middle(row));
        (w[0] * self.near[0] + w[1] * self.near[1] + w[2] * self.near[2], self.near_x)
    }

    /// Returns the weights of the corners at a point of the rendering.
    #[inline]
    pub(crate) fn weights(&self, x: i64, y: i64) -> [f64; 3] {
        #[expect(clippy::cast_precision_loss, reason = "rounded alike everywhere")]
        let share = |i: usize| (self.a[i] * x + self.b[i] * y + self.c[i]) as f64 * self.inverse_area;
        [share(0), share(1), share(2)]
    }

    /// Returns the weights of the corners at a point of the surface, in true perspective.
    #[inline]
    pub(crate) fn surface_weights(&self, x: i64, y: i64) -> [f64; 3] {
        let w = self.weights(x, y);
        let p = [w[0] * self.near[0], w[1] * self.near[1], w[2] * self.near[2]];
        let inverse = 1.0 / (p[0] + p[1] + p[2]);
        if inverse.is_finite() { [p[0] * inverse, p[1] * inverse, p[2] * inverse] } else { w }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn triangle(x: [i32; 3], y: [i32; 3]) -> Triangle {
        let swapped = Triangle::area(x, y) < 0;
        let swap = |[a, b, c]: [i32; 3]| if swapped { [a, c, b] } else { [a, b, c] };
        let (x, y, near) = (swap(x), swap(y), [1.0; 3]);
        Triangle { x, y, near, draw: 0, source: 0, clip: WHOLE, swapped, back: false }
    }

    fn covered(t: &Triangle) -> Vec<(i64, i64)> {
        let edges = t.edges();
        let rows = t.rows();
        rows.flat_map(|row| edges.span(row, t.columns()).map(move |x| (x, row))).collect()
    }

    proptest! {
        /// Two adjacent triangles cover each sample exactly once, whatever their corners.
        #[test]
        fn two_halves_of_a_quad_cover_each_sample_once(
            x in [0_i32..4000, 0_i32..4000], y in [-3000_i32..0, 1_i32..3000], ends in [-2000_i32..2000, -2000_i32..2000],
        ) {
            // Two triangles on both sides of the edge between `ends`.
            let (p, q) = ((0, ends[0]), (4000, ends[1]));
            let above = (x[0], ends[0].min(ends[1]) + y[0]);
            let below = (x[1], ends[0].max(ends[1]) + y[1]);
            let t = triangle([p.0, q.0, above.0], [p.1, q.1, above.1]);
            let u = triangle([p.0, q.0, below.0], [p.1, q.1, below.1]);
            let (a, b) = (covered(&t), covered(&u));
            prop_assert!(a.iter().all(|s| !b.contains(s)));
            // Every sample centre that is strictly inside one of them is covered.
            for (triangle, samples) in [(&t, &a), (&u, &b)] {
                let edges = triangle.edges();
                for row in triangle.rows() {
                    for column in triangle.columns() {
                        let inside = edges.weights(middle(column), middle(row)).iter().all(|w| *w > 0.0);
                        prop_assert!(!inside || samples.contains(&(column, row)));
                    }
                }
            }
        }
    }

    #[test]
    fn shares_follow_the_perspective() {
        let mut t = triangle([0, 1000, 0], [0, 0, 1000]);
        assert_eq!(t.edges().weights(500, 0), [0.5, 0.5, 0.0]);
        t.near = [1.0, 1.0 / 3.0, 1.0];
        let [a, b, _] = t.edges().surface_weights(500, 0);
        assert!((a - 0.75).abs() < 1e-6 && (b - 0.25).abs() < 1e-6, "{a} {b}");
    }
}
