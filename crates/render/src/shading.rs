//! Computes the colour of a surface at a point.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "corners of triangles of a valid scene; light in 32 bits, whole numbers of pixels"
)]

use crate::camera::Eye;
use crate::options::View;
use crate::texture::{LINEAR, Texture};
use crate::triangle::{Edges, SUB, Triangle, WHOLE};
use meshwright_scene::math::{Affine64, cross, dot, sub, unit, wide};
use meshwright_scene::{AlphaMode, Mesh};

/// An instance of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) positions: &'a [[f32; 3]],
    pub(crate) normals: &'a [[f32; 3]],
    pub(crate) matrix: Affine64,
    /// The matrix that transforms its normals.
    pub(crate) turn: Affine64,
    pub(crate) mirrored: bool,
    pub(crate) base: [f32; 4],
    pub(crate) texture: Option<&'a Texture>,
    pub(crate) alpha: AlphaMode,
    pub(crate) double_sided: bool,
}

/// The object that a triangle belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Draw<'a> {
    Surface(&'a Surface<'a>),
    /// A line: its colour in linear light, its opacity where it is hidden, and whether it is on a surface.
    Line {
        color: [f32; 3],
        hidden: f32,
        on_surface: bool,
    },
}

impl Draw<'_> {
    /// Returns true if it is opaque.
    pub(crate) fn is_solid(&self) -> bool {
        matches!(self, Self::Surface(s) if s.alpha != AlphaMode::Blend)
    }
}

/// The directions to the lights.
#[derive(Clone, Copy, Debug)]
struct Lights {
    key: [f64; 3],
    fill: [f64; 3],
}

const KEY: f32 = 0.72;
const FILL: f32 = 0.22;
const SKY: f32 = 0.28;
const GROUND: f32 = 0.12;

/// The data that colours depend on.
#[derive(Debug)]
pub(crate) struct Shader<'a> {
    pub(crate) draws: Vec<Draw<'a>>,
    pub(crate) shares: Vec<[[f64; 3]; 3]>,
    pub(crate) view: View,
    /// The distance between two pixels in subsample units.
    pixel: i64,
    lights: Lights,
}

impl<'a> Shader<'a> {
    pub(crate) fn new(
        draws: Vec<Draw<'a>>,
        shares: Vec<[[f64; 3]; 3]>,
        view: View,
        samples: u32,
        eye: &Eye,
    ) -> Self {
        let lights = Lights { key: eye.direction([-0.45, 0.65, 0.6]), fill: eye.direction([0.8, 0.1, 0.55]) };
        Self { draws, shares, view, pixel: i64::from(samples) * SUB, lights }
    }

    /// Returns the weights of the corners of the unclipped triangle.
    #[inline]
    fn weights(&self, triangle: &Triangle, edges: &Edges, x: i64, y: i64) -> [f64; 3] {
        let [a, b, c] = edges.surface_weights(x, y);
        let [a, b, c] = if triangle.swapped { [a, c, b] } else { [a, b, c] };
        if triangle.clip == WHOLE {
            return [a, b, c];
        }
        let [p, q, r] = self.shares[triangle.clip as usize];
        std::array::from_fn(|i| a * p[i] + b * q[i] + c * r[i])
    }

    /// Returns the mip level whose texels are about as large as the samples of a triangle.
    pub(crate) fn mask_level(&self, surface: &Surface<'_>, triangle: &Triangle, edges: &Edges) -> usize {
        let x = triangle.x.map(i64::from).iter().sum::<i64>() / 3;
        let y = triangle.y.map(i64::from).iter().sum::<i64>() / 3;
        let weights = self.weights(triangle, edges, x, y);
        self.level(surface, triangle, edges, (x, y), weights).max(0.0) as usize
    }

    /// Returns alpha at a point, for masks.
    #[inline]
    pub(crate) fn alpha(
        &self,
        surface: &Surface<'_>,
        triangle: &Triangle,
        edges: &Edges,
        at: (i64, i64),
        level: usize,
    ) -> f32 {
        let weights = self.weights(triangle, edges, at.0, at.1);
        let corners = surface.mesh.triangles[triangle.source as usize];
        let mut alpha = surface.base[3];
        if let Some(texture) = surface.texture {
            let [u, v] = mix(&surface.mesh.uvs, corners, weights);
            alpha *= texture.alpha(u as f32, v as f32, level);
        }
        if !surface.mesh.colors.is_empty() {
            let of = |i: usize| f64::from(surface.mesh.colors[corners[i] as usize][3]) / 255.0;
            alpha *= (of(0) * weights[0] + of(1) * weights[1] + of(2) * weights[2]) as f32;
        }
        alpha
    }

    /// Returns the mip level at a point.
    fn level(
        &self,
        surface: &Surface<'_>,
        triangle: &Triangle,
        edges: &Edges,
        (x, y): (i64, i64),
        weights: [f64; 3],
    ) -> f32 {
        let Some(texture) = surface.texture else { return 0.0 };
        let corners = surface.mesh.triangles[triangle.source as usize];
        let (width, height) = texture.size();
        let size = [f64::from(width), f64::from(height)];
        let here = mix(&surface.mesh.uvs, corners, weights);
        let step = |x: i64, y: i64| {
            let there = mix(&surface.mesh.uvs, corners, self.weights(triangle, edges, x, y));
            let [s, t] = sub(there, here);
            let [s, t] = [s * size[0], t * size[1]];
            s * s + t * t
        };
        let square = step(x + self.pixel, y).max(step(x, y + self.pixel));
        half_log2(square)
    }

    /// Returns the colour at a point: linear light times alpha, and alpha.
    pub(crate) fn color(&self, triangle: &Triangle, edges: &Edges, x: i64, y: i64) -> [f32; 4] {
        let surface = match &self.draws[triangle.draw as usize] {
            Draw::Line { color: [r, g, b], .. } => return [*r, *g, *b, 1.0],
            Draw::Surface(surface) => surface,
        };
        let weights = self.weights(triangle, edges, x, y);
        let corners = surface.mesh.triangles[triangle.source as usize];
        match self.view {
            View::Normals => {
                let n = self.normal(surface, triangle, corners, weights);
                let [r, g, b] = n.map(|c| LINEAR[((c * 0.5 + 0.5) * 255.0 + 0.5) as u8 as usize]);
                [r, g, b, 1.0]
            }
            View::Uvs => {
                let [r, g, b] = uv_color(&surface.mesh.uvs, corners, weights);
                [r, g, b, 1.0]
            }
            View::Lit | View::Unlit => {
                let [r, g, b, alpha] = self.albedo(surface, triangle, edges, (x, y), weights);
                let alpha = if surface.alpha == AlphaMode::Blend { alpha.clamp(0.0, 1.0) } else { 1.0 };
                let light = if self.view == View::Unlit {
                    1.0
                } else {
                    self.light(self.normal(surface, triangle, corners, weights))
                };
                let lit = |c: f32| (c * light).clamp(0.0, 1.0) * alpha;
                [lit(r), lit(g), lit(b), alpha]
            }
        }
    }

    fn albedo(
        &self,
        surface: &Surface<'_>,
        triangle: &Triangle,
        edges: &Edges,
        at: (i64, i64),
        weights: [f64; 3],
    ) -> [f32; 4] {
        let corners = surface.mesh.triangles[triangle.source as usize];
        let mut color = surface.base;
        if let Some(texture) = surface.texture {
            let [u, v] = mix(&surface.mesh.uvs, corners, weights);
            let level = self.level(surface, triangle, edges, at, weights);
            let texel = texture.sample(u as f32, v as f32, level);
            color = std::array::from_fn(|i| color[i] * texel[i]);
        }
        if !surface.mesh.colors.is_empty() {
            let encoding = surface.mesh.color_encoding;
            let linear =
                corners.map(|c| encoding.to_linear16(surface.mesh.colors[c as usize]).map(f64::from));
            color = std::array::from_fn(|i| {
                let sum = linear[0][i] * weights[0] + linear[1][i] * weights[1] + linear[2][i] * weights[2];
                color[i] * (sum / 65535.0) as f32
            });
        }
        color
    }

    /// Returns the normal at a point, towards the visible side.
    fn normal(
        &self,
        surface: &Surface<'_>,
        triangle: &Triangle,
        corners: [u32; 3],
        weights: [f64; 3],
    ) -> [f64; 3] {
        let own = if surface.normals.is_empty() {
            None
        } else {
            unit(surface.turn.vector(mix(surface.normals, corners, weights)))
        };
        let found = own.unwrap_or_else(|| {
            let [a, b, c] = corners.map(|c| surface.matrix.point(wide(surface.positions[c as usize])));
            let face = unit(cross(sub(b, a), sub(c, a))).unwrap_or([0.0, 1.0, 0.0]);
            if surface.mirrored { face.map(|c| -c) } else { face }
        });
        if triangle.back { found.map(|c| -c) } else { found }
    }

    fn light(&self, normal: [f64; 3]) -> f32 {
        let toward = |light: [f64; 3]| dot(normal, light).max(0.0) as f32;
        let sky = (normal[1] * 0.5 + 0.5) as f32;
        toward(self.lights.key) * KEY + toward(self.lights.fill) * FILL + GROUND + (SKY - GROUND) * sky
    }
}

fn uv_color(uvs: &[[f32; 2]], corners: [u32; 3], weights: [f64; 3]) -> [f32; 3] {
    if uvs.is_empty() {
        return [0.2; 3];
    }
    let [u, v] = mix(uvs, corners, weights);
    let part = |c: f64| if c.is_finite() { c - c.floor() } else { 0.0 };
    let (s, t) = (part(u), part(v));
    let dark = (s * 8.0) as u8 % 2 == (t * 8.0) as u8 % 2;
    let byte = |c: f64| LINEAR[(c * 255.0) as u8 as usize];
    let shade = if dark { 0.6 } else { 1.0 };
    [byte(s) * shade, byte(t) * shade, byte(0.35) * shade]
}

/// Returns half of the logarithm to base 2, linearly interpolated between powers of two.
fn half_log2(square: f64) -> f32 {
    if !(square.is_finite() && square > 1.0) {
        return 0.0;
    }
    let bits = square.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let part = (bits & ((1 << 52) - 1)) as f64 / (1_u64 << 52) as f64;
    ((f64::from(exponent) + part) * 0.5) as f32
}

/// Interpolates the values of three corners.
#[inline]
fn mix<const N: usize>(values: &[[f32; N]], corners: [u32; 3], weights: [f64; 3]) -> [f64; N] {
    let [a, b, c] = corners.map(|c| values[c as usize]);
    std::array::from_fn(|i| {
        f64::from(a[i]) * weights[0] + f64::from(b[i]) * weights[1] + f64::from(c[i]) * weights[2]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halvings_of_a_texture() {
        assert_eq!(
            [0.0, 1.0, 4.0, 16.0, f64::NAN, f64::INFINITY].map(half_log2),
            [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]
        );
        assert!((half_log2(9.0) - 9.0_f32.log2() / 2.0).abs() < 0.05);
    }
}
