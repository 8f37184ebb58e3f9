//! Bones, edges, normals and boxes as thin quads with a depth test.
#![allow(clippy::indexing_slicing, reason = "corners of a box, triangles of a valid scene")]

use crate::camera::Bounds;
use crate::options::Overlays;
use crate::pose::ScenePose;
use crate::projection::Projector;
use crate::shading::{Draw, Surface};
use crate::texture::LINEAR;
use meshwright_scene::math::{add, lerp, narrow1, scale, sqrt, unit, wide};
use meshwright_scene::{Budget, LimitExceeded, Scene};

/// The look of lines.
struct Style {
    color: [u8; 3],
    hidden: f32,
    on_surface: bool,
    /// The width in pixels.
    width: f64,
}

const BONES: Style = Style { color: [255, 176, 32], hidden: 0.45, on_surface: false, width: 2.0 };
const JOINTS: Style = Style { color: [255, 226, 150], hidden: 0.6, on_surface: false, width: 5.0 };
const EDGES: Style = Style { color: [16, 20, 28], hidden: 0.0, on_surface: true, width: 0.8 };
const NORMALS: Style = Style { color: [64, 200, 255], hidden: 0.0, on_surface: true, width: 1.0 };
const BOX: Style = Style { color: [120, 235, 120], hidden: 0.4, on_surface: false, width: 1.2 };

/// The length of the line of a normal, as a share of the size of the model.
const NORMAL: f64 = 0.025;

/// Adds lines to a rendering.
pub(crate) struct Lines<'p, 'b, 'a> {
    projector: &'p mut Projector<'b>,
    draws: &'p mut Vec<Draw<'a>>,
    budget: &'b Budget,
}

impl<'p, 'b, 'a> Lines<'p, 'b, 'a> {
    pub(crate) const fn new(
        projector: &'p mut Projector<'b>,
        draws: &'p mut Vec<Draw<'a>>,
        budget: &'b Budget,
    ) -> Self {
        Self { projector, draws, budget }
    }

    /// Adds all requested overlays.
    pub(crate) fn overlays(
        &mut self,
        overlays: &Overlays,
        surfaces: &[Surface<'_>],
        joints: &[Joint],
        bounds: &Bounds,
    ) -> Result<(), LimitExceeded> {
        if overlays.wireframe {
            self.edges(surfaces)?;
        }
        if overlays.normals {
            self.normals(surfaces)?;
        }
        if overlays.bounds {
            self.bounds(bounds)?;
        }
        if overlays.bones {
            self.bones(joints)?;
        }
        Ok(())
    }

    fn style(&mut self, style: &Style) -> u32 {
        let color = style.color.map(|c| LINEAR[usize::from(c)]);
        let number = u32::try_from(self.draws.len()).unwrap_or(u32::MAX);
        self.draws.push(Draw::Line { color, hidden: style.hidden, on_surface: style.on_surface });
        number
    }

    fn edges(&mut self, surfaces: &[Surface<'_>]) -> Result<(), LimitExceeded> {
        let draw = self.style(&EDGES);
        for surface in surfaces {
            self.budget.work("edges", (surface.mesh.triangles.len() as u64).saturating_mul(96))?;
            for corners in &surface.mesh.triangles {
                let [a, b, c] = corners.map(|c| surface.matrix.point(wide(surface.positions[c as usize])));
                // Edges that two triangles share are drawn twice, which does not change a pixel.
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    self.line(from, to, EDGES.width, draw)?;
                }
            }
        }
        Ok(())
    }

    fn normals(&mut self, surfaces: &[Surface<'_>]) -> Result<(), LimitExceeded> {
        let draw = self.style(&NORMALS);
        let length = self.projector.eye.size * NORMAL;
        for surface in surfaces {
            self.budget.work("normals", (surface.normals.len() as u64).saturating_mul(32))?;
            for (position, normal) in surface.positions.iter().zip(surface.normals) {
                let from = surface.matrix.point(wide(*position));
                if let Some(normal) = unit(surface.turn.vector(wide(*normal))) {
                    self.line(from, add(from, scale(normal, length)), NORMALS.width, draw)?;
                }
            }
        }
        Ok(())
    }

    fn bounds(&mut self, bounds: &Bounds) -> Result<(), LimitExceeded> {
        let draw = self.style(&BOX);
        let corners = bounds.corners();
        let pairs =
            [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
        pairs.into_iter().try_for_each(|[a, b]| self.line(corners[a], corners[b], BOX.width, draw))
    }

    fn bones(&mut self, joints: &[Joint]) -> Result<(), LimitExceeded> {
        self.budget.work("bones", (joints.len() as u64).saturating_mul(96))?;
        let draw = self.style(&BONES);
        for joint in joints {
            if let Some(parent) = joint.parent {
                self.line(parent, joint.place, BONES.width, draw)?;
            }
        }
        let draw = self.style(&JOINTS);
        joints.iter().try_for_each(|joint| self.line(joint.place, joint.place, JOINTS.width, draw))
    }

    /// Adds a line between two points of the scene; a square if they are the same.
    fn line(&mut self, from: [f64; 3], to: [f64; 3], width: f64, draw: u32) -> Result<(), LimitExceeded> {
        let eye = &self.projector.eye;
        let (mut a, mut b) = (eye.see(from), eye.see(to));
        if a.iter().chain(&b).any(|c| !c.is_finite()) {
            return Ok(());
        }
        let near = eye.near;
        match (a[2] < near, b[2] < near) {
            (true, true) => return Ok(()),
            (true, false) => a = lerp(a, b, (near - a[2]) / (b[2] - a[2])),
            (false, true) => b = lerp(a, b, (near - a[2]) / (b[2] - a[2])),
            (false, false) => {}
        }
        let [middle_x, middle_y] = eye.middle;
        let flat = |[x, y, w]: [f64; 3]| [middle_x + x / w, middle_y - y / w, 1.0 / w];
        let Some((a, b)) = within(flat(a), flat(b), [middle_x * 3.0, middle_y * 3.0]) else { return Ok(()) };
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let (length, half) = (sqrt(dx * dx + dy * dy), width * 0.5);
        let (along, ends) =
            if length < 1e-3 { ([1.0, 0.0], half) } else { ([dx / length, dy / length], 0.0) };
        let [ax, ay] = along;
        let at = |p: [f64; 3], end: f64, side: f64| {
            [p[0] + ax * end - ay * side * half, p[1] + ay * end + ax * side * half]
        };
        let quad = [at(a, -ends, -1.0), at(b, ends, -1.0), at(b, ends, 1.0), at(a, -ends, 1.0)];
        let (p, q) = (narrow1(a[2]), narrow1(b[2]));
        self.projector.add_flat([quad[0], quad[1], quad[2]], [p, q, q], draw)?;
        self.projector.add_flat([quad[0], quad[2], quad[3]], [p, q, p], draw)
    }
}

/// Returns the part of a line within the pixels from -`far` to `far`.
fn within(a: [f64; 3], b: [f64; 3], far: [f64; 2]) -> Option<([f64; 3], [f64; 3])> {
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let (from, step) = (a[axis], b[axis] - a[axis]);
        for (step, room) in [(step, far[axis] - from), (-step, far[axis] + from)] {
            if step > 0.0 {
                end = end.min(room / step);
            } else if step < 0.0 {
                start = start.max(room / step);
            } else if room < 0.0 {
                return None;
            }
        }
    }
    (start <= end).then(|| (lerp(a, b, start), lerp(a, b, end)))
}

/// A joint in the scene.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) place: [f64; 3],
    pub(crate) parent: Option<[f64; 3]>,
    pub(crate) skeleton: usize,
    pub(crate) joint: usize,
}

/// Returns the posed joints of the scene's skeletons.
pub(crate) fn joints(scene: &Scene, posed: &ScenePose, budget: &Budget) -> Result<Vec<Joint>, LimitExceeded> {
    let count = scene.skeletons.iter().map(|s| s.joints.len()).fold(0, usize::saturating_add);
    let mut found = budget.reserve("joints", count)?;
    for (skeleton, (own, model)) in scene.skeletons.iter().zip(&posed.joints).enumerate() {
        let place = |joint: usize| model.get(joint).map(|m| m.w);
        found.extend(own.joints.iter().enumerate().filter_map(|(joint, about)| {
            Some(Joint { place: place(joint)?, parent: about.parent.and_then(place), skeleton, joint })
        }));
    }
    Ok(found)
}
