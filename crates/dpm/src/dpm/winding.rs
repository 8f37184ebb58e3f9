//! Triangles that are wound against the normals of their corners.
#![allow(clippy::arithmetic_side_effects, reason = "counts what is in memory")]

use super::model::Dpm;
use super::view::skin;
use crate::pose::Surface;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::math::{facing, wide};

/// How the triangles of a mesh lie to the normals of their corners in frame 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Winding {
    /// Triangles that are wound against them.
    pub against: usize,
    /// Triangles that have a side and normals with a direction.
    pub seen: usize,
}

impl Winding {
    fn of(surface: &Surface, triangles: &[[u32; 3]]) -> Self {
        let mut counted = Self::default();
        for triangle in triangles {
            let corner = |v: u32| {
                let v = v as usize;
                Some((wide(*surface.positions.get(v)?), wide(*surface.normals.get(v)?)))
            };
            let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
            if let Some(cosine) = facing([a.0, b.0, c.0], [a.1, b.1, c.1]) {
                counted.seen += 1;
                counted.against += usize::from(cosine < 0.0);
            }
        }
        counted
    }
}

/// Influences and triangles up to which validation looks, a fraction of a second's work: files can share sections
/// many times over.
const MOST: usize = 1 << 22;

impl Dpm {
    /// How the triangles of a mesh lie to the normals of their corners in frame 0; `None` where there is no such mesh or
    /// no frame.
    pub fn winding(&self, mesh: usize) -> Option<Winding> {
        let surface = self.evaluate(mesh, 0)?;
        Some(Winding::of(&surface, &self.meshes.get(mesh)?.triangles))
    }

    /// The same of all meshes that have such triangles, with their numbers. Meshes of the same vertices and triangles
    /// count once, and those beyond a second's work are passed over.
    pub(crate) fn windings(&self) -> Vec<(usize, Winding)> {
        let mut odd = Vec::new();
        let Some(matrices) = self.frames.first().and_then(|frame| self.model_matrices(frame.pose)) else {
            return odd;
        };
        let (mut seen, mut work, mut surface) = (BTreeSet::new(), 0_usize, Surface::default());
        for (i, mesh) in self.meshes.iter().enumerate() {
            if !seen.insert((Arc::as_ptr(&mesh.vertices), Arc::as_ptr(&mesh.triangles))) {
                continue;
            }
            work = work.saturating_add(mesh.vertices.influences.len()).saturating_add(mesh.triangles.len());
            if work > MOST {
                break;
            }
            skin(&mesh.vertices, &matrices, &mut surface);
            let winding = Winding::of(&surface, &mesh.triangles);
            if winding.against > 0 {
                odd.push((i, winding));
            }
        }
        odd
    }
}
