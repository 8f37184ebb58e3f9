//! Draws one band of pixels: first the visible triangle of each sample, then colours.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "samples of a band by coordinates that were cut to it"
)]

use crate::shading::{Draw, Shader, Surface};
use crate::texture::{LINEAR, srgb};
use crate::triangle::{Edges, SUB, Triangle, middle};
use meshwright_scene::AlphaMode;
use std::ops::Range;

/// Marks a sample without a triangle.
const NOTHING: u32 = u32::MAX;
/// Lines on a surface are moved towards the camera by this factor.
const LIFT: f32 = 1.002;
/// The largest number of samples of a pixel.
const MOST: usize = 16;

/// The data that all bands share.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) shader: Shader<'a>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) width: usize,
    /// Samples per pixel in each direction: 1 or 4.
    pub(crate) samples: usize,
    pub(crate) background: [u8; 4],
}

/// The buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    near: Vec<f32>,
    shown: Vec<u32>,
    colors: Vec<[f32; 4]>,
}

impl Canvas {
    /// The bytes of a canvas per sample of a band.
    pub(crate) const BYTES: usize = size_of::<f32>() + size_of::<u32>() + size_of::<[f32; 4]>();
}

impl Frame<'_> {
    /// Draws the band of pixels that begins with row `top`, with the triangles of `list`, in order.
    pub(crate) fn band(&self, top: usize, list: &[u32], canvas: &mut Canvas, out: &mut [[u8; 4]]) {
        let columns = self.width * self.samples;
        let rows = out.len() / self.width.max(1) * self.samples;
        canvas.near.clear();
        canvas.near.resize(columns * rows, 0.0);
        canvas.shown.clear();
        canvas.shown.resize(columns * rows, NOTHING);
        let split = list.partition_point(|&t| self.draw(t).is_solid());
        let first = (top * self.samples) as i64;
        for &t in &list[..split] {
            self.cover(t, first..first + rows as i64, canvas);
        }
        if list.len() == split {
            self.resolve(first, canvas, out);
            return;
        }
        self.paint(first, canvas);
        for &t in &list[split..] {
            self.blend(t, first..first + rows as i64, canvas);
        }
        self.average(canvas, out);
    }

    fn draw(&self, triangle: u32) -> &Draw<'_> {
        &self.shader.draws[self.triangles[triangle as usize].draw as usize]
    }

    fn columns(&self, triangle: &Triangle) -> Range<i64> {
        let Range { start, end } = triangle.columns();
        start.max(0)..end.min((self.width * self.samples) as i64)
    }

    /// Stores the number of an opaque triangle at the samples where it is nearest.
    fn cover(&self, number: u32, band: Range<i64>, canvas: &mut Canvas) {
        let triangle = &self.triangles[number as usize];
        let edges = triangle.edges();
        let (columns, rows) = (self.columns(triangle), triangle.rows());
        let masked = match self.draw(number) {
            Draw::Surface(surface) => match surface.alpha {
                AlphaMode::Mask(least) => Some((*surface, least)),
                _ => None,
            },
            Draw::Line { .. } => None,
        };
        let level = masked.map_or(0, |(surface, _)| self.shader.mask_level(surface, triangle, &edges));
        let stride = self.width * self.samples;
        for row in rows.start.max(band.start)..rows.end.min(band.end) {
            let span = edges.span(row, columns.clone());
            if span.is_empty() {
                continue;
            }
            let at = (row - band.start) as usize * stride + span.start as usize;
            let count = (span.end - span.start) as usize;
            let (nears, shown) = (&mut canvas.near[at..at + count], &mut canvas.shown[at..at + count]);
            let (start, step) = edges.nearness(span.start, row);
            let (start, step) = (start as f32, step as f32);
            for (i, (old, shown)) in nears.iter_mut().zip(shown).enumerate() {
                let near = start + step * i as f32;
                if near > *old {
                    let column = span.start + i as i64;
                    if masked.is_some_and(|m| !self.is_opaque(m, triangle, &edges, (column, row), level)) {
                        continue;
                    }
                    *old = near;
                    *shown = number;
                }
            }
        }
    }

    fn is_opaque(
        &self,
        (surface, least): (&Surface<'_>, f32),
        triangle: &Triangle,
        edges: &Edges,
        (column, row): (i64, i64),
        level: usize,
    ) -> bool {
        self.shader.alpha(surface, triangle, edges, (middle(column), middle(row)), level) >= least
    }

    /// Returns the background as linear light times alpha, and alpha.
    fn background_light(&self) -> [f32; 4] {
        let [r, g, b, a] = self.background;
        let alpha = f32::from(a) / 255.0;
        let [r, g, b] = [r, g, b].map(|c| LINEAR[usize::from(c)] * alpha);
        [r, g, b, alpha]
    }

    /// Returns the triangles that the samples of a pixel show.
    fn pixel_triangles(&self, canvas: &Canvas, x: usize, y: usize) -> [u32; MOST] {
        let (n, stride) = (self.samples, self.width * self.samples);
        let mut shown = [NOTHING; MOST];
        for row in 0..n {
            let at = (y * n + row) * stride + x * n;
            shown[row * n..row * n + n].copy_from_slice(&canvas.shown[at..at + n]);
        }
        shown
    }

    /// Calls `each` with the colour of every triangle of a pixel. The colour is computed at the mean
    /// position of its samples; the bits are these samples.
    fn groups(&self, shown: &[u32; MOST], x: usize, y: i64, mut each: impl FnMut([f32; 4], u16)) {
        let n = self.samples;
        let count = n * n;
        let mut done = 0_u16;
        for i in 0..count {
            if done >> i & 1 == 1 {
                continue;
            }
            let number = shown[i];
            let (mut mask, mut sum_x, mut sum_y, mut hits) = (0_u16, 0, 0, 0);
            for (j, other) in shown.iter().enumerate().take(count).skip(i) {
                if *other == number {
                    mask |= 1 << j;
                    sum_x += middle((x * n + j % n) as i64);
                    sum_y += middle(y + (j / n) as i64);
                    hits += 1;
                }
            }
            done |= mask;
            let color = if number == NOTHING {
                self.background_light()
            } else {
                let triangle = &self.triangles[number as usize];
                self.shader.color(triangle, &triangle.edges(), sum_x / hits, sum_y / hits)
            };
            each(color, mask);
        }
    }

    /// Writes the pixels of a band without blended triangles.
    fn resolve(&self, first: i64, canvas: &Canvas, out: &mut [[u8; 4]]) {
        let count = (self.samples * self.samples) as f32;
        for (i, out) in out.iter_mut().enumerate() {
            let (x, y) = (i % self.width, i / self.width);
            let shown = self.pixel_triangles(canvas, x, y);
            if shown[..self.samples * self.samples].iter().all(|s| *s == NOTHING) {
                *out = self.background;
                continue;
            }
            let mut sum = [0.0_f32; 4];
            self.groups(&shown, x, first + (y * self.samples) as i64, |color, mask| {
                let share = mask.count_ones() as f32 / count;
                for (sum, c) in sum.iter_mut().zip(color) {
                    *sum += c * share;
                }
            });
            *out = byte_color(sum);
        }
    }

    /// Computes the colour of every sample.
    fn paint(&self, first: i64, canvas: &mut Canvas) {
        let (n, stride) = (self.samples, self.width * self.samples);
        let mut colors = std::mem::take(&mut canvas.colors);
        colors.clear();
        colors.resize(canvas.shown.len(), self.background_light());
        for y in 0..canvas.shown.len() / (stride * n).max(1) {
            for x in 0..self.width {
                let shown = self.pixel_triangles(canvas, x, y);
                if shown[..n * n].iter().all(|s| *s == NOTHING) {
                    continue;
                }
                self.groups(&shown, x, first + (y * n) as i64, |color, mask| {
                    for i in (0..n * n).filter(|i| mask >> i & 1 == 1) {
                        colors[(y * n + i / n) * stride + x * n + i % n] = color;
                    }
                });
            }
        }
        canvas.colors = colors;
    }

    /// Blends a triangle over the samples where it is visible.
    fn blend(&self, number: u32, band: Range<i64>, canvas: &mut Canvas) {
        let triangle = &self.triangles[number as usize];
        let edges = triangle.edges();
        let (n, stride) = (self.samples as i64, self.width * self.samples);
        let (columns, rows) = (self.columns(triangle), triangle.rows());
        let (top, bottom) = (rows.start.max(band.start), rows.end.min(band.end));
        let (lift, hidden) = match self.draw(number) {
            Draw::Line { hidden, on_surface, .. } => (if *on_surface { LIFT } else { 1.0 }, *hidden),
            Draw::Surface(_) => (1.0, 0.0),
        };
        for pixel_row in top.div_euclid(n)..(bottom + n - 1).div_euclid(n) {
            let mut spans: [Range<i64>; 4] = Default::default();
            let (mut left, mut right) = (i64::MAX, i64::MIN);
            for row in (pixel_row * n).max(top)..(pixel_row * n + n).min(bottom) {
                let span = edges.span(row, columns.clone());
                if !span.is_empty() {
                    (left, right) = (left.min(span.start), right.max(span.end));
                    spans[(row - pixel_row * n) as usize] = span;
                }
            }
            if left > right {
                continue;
            }
            for pixel in left.div_euclid(n)..(right + n - 1).div_euclid(n) {
                let (mut sum_x, mut sum_y, mut hits) = (0, 0, 0);
                let mut seen = [(0_usize, 0.0_f32); MOST];
                for (sub, span) in (0_i64..).zip(&spans) {
                    let row = pixel_row * n + sub;
                    for column in span.start.max(pixel * n)..span.end.min(pixel * n + n) {
                        let at = (row - band.start) as usize * stride + column as usize;
                        let near = edges.nearness(column, row).0 as f32;
                        let strength = if near * lift > canvas.near[at] { 1.0 } else { hidden };
                        if strength > 0.0 {
                            seen[hits as usize] = (at, strength);
                            sum_x += middle(column);
                            sum_y += middle(row);
                            hits += 1;
                        }
                    }
                }
                if hits == 0 {
                    continue;
                }
                let color = self.shader.color(triangle, &edges, sum_x / hits, sum_y / hits);
                for &(at, strength) in &seen[..hits as usize] {
                    let rest = 1.0 - color[3] * strength;
                    for (under, over) in canvas.colors[at].iter_mut().zip(color) {
                        *under = over * strength + *under * rest;
                    }
                }
            }
        }
    }

    /// Writes each pixel as the mean of its samples.
    fn average(&self, canvas: &Canvas, out: &mut [[u8; 4]]) {
        let (n, stride) = (self.samples, self.width * self.samples);
        let share = 1.0 / (n * n) as f32;
        for (i, out) in out.iter_mut().enumerate() {
            let (x, y) = (i % self.width, i / self.width);
            let mut sum = [0.0_f32; 4];
            for row in 0..n {
                let at = (y * n + row) * stride + x * n;
                for color in &canvas.colors[at..at + n] {
                    for (sum, c) in sum.iter_mut().zip(color) {
                        *sum += c;
                    }
                }
            }
            *out = byte_color(sum.map(|c| c * share));
        }
    }
}

/// Returns sRGB bytes of light times alpha, and alpha.
fn byte_color([r, g, b, a]: [f32; 4]) -> [u8; 4] {
    let alpha = (a * 255.0 + 0.5) as u8;
    if alpha == 0 {
        return [0; 4];
    }
    let byte = |c: f32| srgb(c / a);
    [byte(r), byte(g), byte(b), alpha]
}

/// Returns the number of samples of an area, for the budget.
pub(crate) const fn samples_of(area: i64) -> u64 {
    (area / (2 * SUB * SUB)).unsigned_abs()
}
