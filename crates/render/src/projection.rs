//! Projects triangles of the scene to triangles of the rendering.
#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "arrays of three; floats")]

use crate::camera::Eye;
use crate::triangle::{SUB, Triangle, WHOLE};
use meshwright_scene::math::lerp;
use meshwright_scene::{Budget, LimitExceeded};

/// A corner in camera space, with the weights of the unclipped triangle's corners.
#[derive(Clone, Copy, Debug)]
struct Corner {
    seen: [f64; 3],
    shares: [f64; 3],
}

/// Collects the triangles of a rendering.
#[derive(Debug)]
pub(crate) struct Projector<'b> {
    pub(crate) eye: Eye,
    /// Samples per pixel in each direction.
    scale: f64,
    width: f64,
    height: f64,
    /// Triangles are clipped at this many pixels from the centre.
    guard: f64,
    budget: &'b Budget,
    pub(crate) triangles: Vec<Triangle>,
    /// The weights of the corners of clipped triangles.
    pub(crate) shares: Vec<[[f64; 3]; 3]>,
}

/// The visible sides of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    pub(crate) both: bool,
    pub(crate) mirrored: bool,
}

impl<'b> Projector<'b> {
    pub(crate) fn new(eye: Eye, width: u32, height: u32, samples: u32, budget: &'b Budget) -> Self {
        let (width, height) = (f64::from(width), f64::from(height));
        let (guard, scale) = (8.0 * width.max(height), f64::from(samples));
        Self { eye, scale, width, height, guard, budget, triangles: Vec::new(), shares: Vec::new() }
    }

    /// Adds a triangle with corners in camera space.
    pub(crate) fn add(
        &mut self,
        seen: [[f64; 3]; 3],
        sides: Sides,
        draw: u32,
        source: u32,
    ) -> Result<(), LimitExceeded> {
        if seen.iter().flatten().any(|c| !c.is_finite()) || self.is_outside(&seen) {
            return Ok(());
        }
        if seen.iter().all(|c| self.is_near(c)) {
            return self.push(seen, None, sides, draw, source);
        }
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut polygon: Vec<_> =
            seen.into_iter().zip(unit).map(|(seen, shares)| Corner { seen, shares }).collect();
        let (guard, near) = (self.guard, self.eye.near);
        polygon = cut(&polygon, |[_, _, w]| w - near);
        polygon = cut(&polygon, |[x, _, w]| guard * w - x);
        polygon = cut(&polygon, |[x, _, w]| guard * w + x);
        polygon = cut(&polygon, |[_, y, w]| guard * w - y);
        polygon = cut(&polygon, |[_, y, w]| guard * w + y);
        let Some((&first, rest)) = polygon.split_first() else { return Ok(()) };
        for pair in rest.windows(2) {
            let corners = [first, pair[0], pair[1]];
            self.push(corners.map(|c| c.seen), Some(corners.map(|c| c.shares)), sides, draw, source)?;
        }
        Ok(())
    }

    fn is_near(&self, [x, y, w]: &[f64; 3]) -> bool {
        *w >= self.eye.near && x.abs() <= self.guard * w && y.abs() <= self.guard * w
    }

    /// Returns true if all corners are outside the same border of the rendering.
    fn is_outside(&self, seen: &[[f64; 3]; 3]) -> bool {
        let (half_x, half_y) = (self.width * 0.5 + 1.0, self.height * 0.5 + 1.0);
        let all = |outside: &dyn Fn(&[f64; 3]) -> bool| seen.iter().all(outside);
        all(&|[_, _, w]| *w < self.eye.near)
            || all(&|[x, _, w]| *x > half_x * w)
            || all(&|[x, _, w]| *x < -half_x * w)
            || all(&|[_, y, w]| *y > half_y * w)
            || all(&|[_, y, w]| *y < -half_y * w)
    }

    fn push(
        &mut self,
        seen: [[f64; 3]; 3],
        shares: Option<[[f64; 3]; 3]>,
        sides: Sides,
        draw: u32,
        source: u32,
    ) -> Result<(), LimitExceeded> {
        let [middle_x, middle_y] = self.eye.middle;
        let x = seen.map(|[x, _, w]| self.fixed(middle_x + x / w));
        let y = seen.map(|[_, y, w]| self.fixed(middle_y - y / w));
        let near = seen.map(|[_, _, w]| meshwright_scene::math::narrow1(1.0 / w));
        self.push_flat(x, y, near, shares, sides, draw, source)
    }

    fn fixed(&self, pixels: f64) -> i32 {
        #[expect(clippy::cast_precision_loss, reason = "256")]
        let steps = (pixels * self.scale * SUB as f64 + 0.5).floor();
        #[expect(clippy::cast_possible_truncation, reason = "within the guard")]
        let steps = steps as i32;
        steps
    }

    /// Adds a triangle with corners in pixels.
    pub(crate) fn add_flat(
        &mut self,
        corners: [[f64; 2]; 3],
        near: [f32; 3],
        draw: u32,
    ) -> Result<(), LimitExceeded> {
        let inside = |[x, y]: &[f64; 2]| x.abs() <= self.guard && y.abs() <= self.guard;
        if !corners.iter().all(inside) {
            return Ok(());
        }
        let (x, y) = (corners.map(|[x, _]| self.fixed(x)), corners.map(|[_, y]| self.fixed(y)));
        self.push_flat(x, y, near, None, Sides { both: true, mirrored: false }, draw, 0)
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of a triangle")]
    fn push_flat(
        &mut self,
        x: [i32; 3],
        y: [i32; 3],
        near: [f32; 3],
        shares: Option<[[f64; 3]; 3]>,
        sides: Sides,
        draw: u32,
        source: u32,
    ) -> Result<(), LimitExceeded> {
        let area = Triangle::area(x, y);
        // Rows run downwards: a counter-clockwise triangle has a negative area.
        let back = (area > 0) != sides.mirrored;
        if area == 0 || (back && !sides.both) {
            return Ok(());
        }
        let mut triangle = Triangle { x, y, near, draw, source, clip: WHOLE, swapped: area < 0, back };
        // A triangle between the centres of samples covers none.
        if triangle.rows().is_empty() || triangle.columns().is_empty() {
            return Ok(());
        }
        if let Some(shares) = shares {
            self.budget.charge_items("clipped triangles", 1, 2 * size_of::<[[f64; 3]; 3]>())?;
            triangle.clip = u32::try_from(self.shares.len()).unwrap_or(WHOLE);
            self.shares.push(shares);
        }
        if triangle.swapped {
            let swap = |[a, b, c]: [i32; 3]| [a, c, b];
            let [a, b, c] = near;
            (triangle.x, triangle.y, triangle.near) = (swap(x), swap(y), [a, c, b]);
        }
        // The memory includes the growth of the vector by doubling.
        self.budget.charge_items("triangles", 1, 2 * size_of::<Triangle>())?;
        self.triangles.push(triangle);
        Ok(())
    }
}

/// Returns the part of a polygon where `inside` is not negative.
fn cut(polygon: &[Corner], inside: impl Fn([f64; 3]) -> f64) -> Vec<Corner> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, corner) in polygon.iter().enumerate() {
        let next = &polygon[(i + 1) % polygon.len()];
        let (here, there) = (inside(corner.seen), inside(next.seen));
        if here >= 0.0 {
            kept.push(*corner);
        }
        if (here >= 0.0) != (there >= 0.0) {
            let t = here / (here - there);
            kept.push(Corner {
                seen: lerp(corner.seen, next.seen, t),
                shares: lerp(corner.shares, next.shares, t),
            });
        }
    }
    kept
}
