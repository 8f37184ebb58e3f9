//! Cameras.

use meshwright_scene::math::{self, add, cross, dot, scale, sub, unit, wide};
use std::str::FromStr;

/// An axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The minimum corner.
    pub min: [f64; 3],
    /// The maximum corner.
    pub max: [f64; 3],
}

impl Bounds {
    /// Returns the smallest box around the finite points; `None` without such points.
    pub fn around(points: impl IntoIterator<Item = [f64; 3]>) -> Option<Self> {
        let finite = points.into_iter().filter(|p| p.iter().all(|c| c.is_finite()));
        finite.map(|p| Self { min: p, max: p }).reduce(Self::union)
    }

    /// Returns the smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let pair = |a: [f64; 3], b: [f64; 3], f: fn(f64, f64) -> f64| {
            let ([a, b, c], [x, y, z]) = (a, b);
            [f(a, x), f(b, y), f(c, z)]
        };
        Self { min: pair(self.min, other.min, f64::min), max: pair(self.max, other.max, f64::max) }
    }

    /// Returns the centre.
    #[must_use]
    pub fn center(&self) -> [f64; 3] {
        scale(add(self.min, self.max), 0.5)
    }

    /// Returns the box that contains this one at any angle about the vertical axis through its centre.
    #[must_use]
    pub fn spun(&self) -> Self {
        let ([x, _, z], [half_x, half_y, half_z]) = (self.center(), scale(sub(self.max, self.min), 0.5));
        let reach = math::sqrt(half_x * half_x + half_z * half_z);
        let [_, y, _] = self.center();
        Self { min: [x - reach, y - half_y, z - reach], max: [x + reach, y + half_y, z + reach] }
    }

    /// Returns the eight corners.
    #[must_use]
    pub fn corners(&self) -> [[f64; 3]; 8] {
        let ([a, b, c], [x, y, z]) = (self.min, self.max);
        [[a, b, c], [x, b, c], [a, y, c], [x, y, c], [a, b, z], [x, b, z], [a, y, z], [x, y, z]]
    }
}

impl From<[[f32; 3]; 2]> for Bounds {
    fn from([min, max]: [[f32; 3]; 2]) -> Self {
        Self { min: wide(min), max: wide(max) }
    }
}

/// A camera that orbits a model, at a distance from which all of it is visible.
///
/// ```
/// use meshwright_render::Camera;
/// assert_eq!("front".parse(), Ok(Camera::FRONT));
/// assert_eq!("120,20".parse(), Ok(Camera::orbit(120.0, 20.0)));
/// assert!("above".parse::<Camera>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Camera {
    /// The angle around the model in degrees: 0 sees its front (+Z), 90 its left side (+X), 180 its back.
    pub azimuth: f64,
    /// The angle above the horizontal in degrees, -90 to 90.
    pub elevation: f64,
    /// The factor of the model's size; at 1 the model just fits.
    pub zoom: f64,
}

/// The tangent of half the field of view of the shorter side.
const HALF: f64 = 0.25;
/// The share of the rendering that the model may fill.
const MARGIN: f64 = 0.92;

impl Camera {
    /// Sees the front.
    pub const FRONT: Self = Self::orbit(0.0, 0.0);
    /// Sees the left side.
    pub const SIDE: Self = Self::orbit(90.0, 0.0);
    /// Sees the front, a little from the left and from above.
    pub const THREE_QUARTER: Self = Self::orbit(35.0, 15.0);

    /// Makes a camera at these angles, in degrees.
    #[must_use]
    pub const fn orbit(azimuth: f64, elevation: f64) -> Self {
        Self { azimuth, elevation, zoom: 1.0 }
    }

    /// Moves the camera around the model, in degrees.
    #[must_use]
    pub fn rotate(mut self, degrees: f64) -> Self {
        self.azimuth += degrees;
        self
    }

    /// Sets the zoom.
    #[must_use]
    pub const fn with_zoom(mut self, zoom: f64) -> Self {
        self.zoom = zoom;
        self
    }
}

/// The error for a text that is not a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCamera;

impl std::fmt::Display for UnknownCamera {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("front, side, back, three-quarter, or degrees around and above (-90 to 90): 120,20, with a third number for the zoom (0.01 to 1000)")
    }
}

impl std::error::Error for UnknownCamera {}

impl FromStr for Camera {
    type Err = UnknownCamera;

    fn from_str(text: &str) -> Result<Self, UnknownCamera> {
        match text {
            "front" => return Ok(Self::FRONT),
            "side" => return Ok(Self::SIDE),
            "back" => return Ok(Self::orbit(180.0, 0.0)),
            "three-quarter" => return Ok(Self::THREE_QUARTER),
            _ => {}
        }
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[azimuth, elevation]) if azimuth.abs() <= 36_000.0 && elevation.abs() <= 90.0 => {
                Ok(Self::orbit(azimuth, elevation))
            }
            Ok(&[azimuth, elevation, zoom])
                if azimuth.abs() <= 36_000.0
                    && elevation.abs() <= 90.0
                    && (0.01..=1000.0).contains(&zoom) =>
            {
                Ok(Self::orbit(azimuth, elevation).with_zoom(zoom))
            }
            _ => Err(UnknownCamera),
        }
    }
}

/// A camera at its position, looking at a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eye {
    pub(crate) position: [f64; 3],
    pub(crate) right: [f64; 3],
    pub(crate) up: [f64; 3],
    pub(crate) forward: [f64; 3],
    /// The size in pixels of one unit at distance 1.
    pub(crate) focal: f64,
    /// The distance of the near plane.
    pub(crate) near: f64,
    /// The centre of the rendering in pixels.
    pub(crate) middle: [f64; 2],
    /// The diagonal of the box.
    pub(crate) size: f64,
}

impl Eye {
    pub(crate) fn new(camera: &Camera, bounds: &Bounds, width: u32, height: u32) -> Self {
        let radians = |degrees: f64| degrees * (std::f64::consts::PI / 180.0);
        let sane = |angle: f64| if angle.is_finite() { radians(angle % 360.0) } else { 0.0 };
        let (azimuth, elevation) = (sane(camera.azimuth), sane(camera.elevation));
        let (sin_a, cos_a) = (math::sin(azimuth), math::cos(azimuth));
        let (sin_e, cos_e) = (math::sin(elevation), math::cos(elevation));
        let back = [sin_a * cos_e, sin_e, cos_a * cos_e];
        let right = [cos_a, 0.0, -sin_a];
        let up = cross(back, right);
        let (w, h) = (f64::from(width), f64::from(height));
        // The tangents of the half angles that the model may fill.
        let shorter = w.min(h).max(1.0);
        let fill = [w, h].map(|side| (HALF * MARGIN * side / shorter).max(1e-9));
        let center = bounds.center();
        let extent = sub(bounds.max, bounds.min);
        let mut size = math::length(extent);
        if !(size.is_finite() && size > 0.0) {
            size = 1.0;
        }
        let needs = |corner: [f64; 3]| {
            let from = sub(corner, center);
            let [x, y] = [dot(from, right).abs(), dot(from, up).abs()];
            let [fill_x, fill_y] = fill;
            (x / fill_x).max(y / fill_y) + dot(from, back)
        };
        let fits = bounds.corners().into_iter().map(needs).fold(0.0, f64::max);
        let distance = if fits.is_finite() && fits > 0.0 { fits.max(size * 0.51) } else { 2.0 };
        let zoom = if camera.zoom.is_finite() { camera.zoom.clamp(0.01, 1000.0) } else { 1.0 };
        Self {
            position: add(center, scale(back, distance)),
            right,
            up,
            forward: scale(back, -1.0),
            focal: zoom * shorter / (2.0 * HALF),
            near: distance * 1e-4,
            middle: [w * 0.5, h * 0.5],
            size,
        }
    }

    /// Returns the coordinates to the right and up of a point, times the focal length in pixels, and its
    /// depth.
    pub(crate) fn see(&self, point: [f64; 3]) -> [f64; 3] {
        let from = sub(point, self.position);
        [dot(from, self.right) * self.focal, dot(from, self.up) * self.focal, dot(from, self.forward)]
    }

    /// Returns the pixel and the depth of a point; `None` if it is nearer than the near plane.
    pub(crate) fn place(&self, point: [f64; 3]) -> Option<([f64; 2], f64)> {
        let [x, y, w] = self.see(point);
        let [middle_x, middle_y] = self.middle;
        (w >= self.near).then(|| ([middle_x + x / w, middle_y - y / w], w))
    }

    /// Converts a direction from the camera's axes (right, up, back) to those of the scene.
    pub(crate) fn direction(&self, [r, u, b]: [f64; 3]) -> [f64; 3] {
        let sum = add(add(scale(self.right, r), scale(self.up, u)), scale(self.forward, -b));
        unit(sum).unwrap_or([0.0, 1.0, 0.0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_corner_is_in_the_picture_whatever_the_angle() {
        let bounds = Bounds { min: [-3.0, -0.1, 2.0], max: [5.0, 9.0, 2.5] };
        for azimuth in [0.0, 35.0, 90.0, 200.0] {
            for elevation in [-90.0, 0.0, 15.0, 80.0] {
                let eye = Eye::new(&Camera::orbit(azimuth, elevation), &bounds, 300, 200);
                for corner in bounds.corners() {
                    let ([x, y], _) = eye.place(corner).unwrap();
                    assert!((0.0..=300.0).contains(&x) && (0.0..=200.0).contains(&y), "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn the_front_has_the_models_left_at_the_right() {
        let bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };
        let front = Eye::new(&Camera::FRONT, &bounds, 100, 100);
        let ([x, y], near) = front.place([0.5, 0.5, 1.0]).unwrap();
        assert!(x > 50.0 && y < 50.0);
        assert!(near < front.place([0.5, 0.5, -1.0]).unwrap().1);
        let side = Eye::new(&Camera::SIDE, &bounds, 100, 100);
        assert!(side.place([0.0, 0.0, 0.5]).unwrap().0[0] < 50.0, "the front points left");
    }
}
