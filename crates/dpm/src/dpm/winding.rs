//! Finds triangles whose winding contradicts the normals of their corners.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counts what is in memory, in arrays of fixed size"
)]

use super::model::Dpm;
use super::view::{Posed, skin_into};
use crate::decode::max_index;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::math::{clearly_against, facing};
use meshwright_core::{SortedSet, kernels};

/// A comparison of the triangles of a mesh with the normals of their corners in frame 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Winding {
    /// The number of triangles whose winding contradicts the normals.
    pub against: usize,
    /// The number of triangles that could be compared: they have an area, and their normals a direction.
    pub seen: usize,
}

/// The number of triangles that are compared together.
const FEW: usize = 64;

/// The corners of `FEW` triangles, by component.
struct Corners {
    places: [[[f32; FEW]; 3]; 3],
    normals: [[[f32; FEW]; 3]; 3],
}

/// The side that a triangle faces relative to its normals, if a fast check is certain.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Side {
    With,
    Against,
    Unclear,
}

kernels! {
    /// Computes the sides of triangles whose vertices all exist.
    fn sides as sides_portable<'a>(vertices: &'a [Posed], triangles: &'a [[u32; 3]], out: &'a mut Vec<Side>) -> () {
        const NONE: [[[f32; FEW]; 3]; 3] = [[[0.0; FEW]; 3]; 3];
        let (mut at, mut found) = (Corners { places: NONE, normals: NONE }, [Side::Unclear; FEW]);
        for triangles in triangles.chunks(FEW) {
            for (i, triangle) in triangles.iter().enumerate().take(FEW) {
                for (corner, v) in triangle.iter().enumerate() {
                    let [place, normal] = vertices.get(*v as usize).copied().unwrap_or_default();
                    for k in 0..3 {
                        at.places[corner][k][i] = place[k];
                        at.normals[corner][k][i] = normal[k];
                    }
                }
            }
            for (i, side) in found.iter_mut().enumerate() {
                *side = match clearly_against(lane(&at.places, i), lane(&at.normals, i)) {
                    Some(true) => Side::Against,
                    Some(false) => Side::With,
                    None => Side::Unclear,
                };
            }
            out.extend_from_slice(&found[..triangles.len()]);
        }
    }
}

#[allow(clippy::inline_always, reason = "part of a kernel")]
#[inline(always)]
fn lane([a, b, c]: &[[[f32; FEW]; 3]; 3], i: usize) -> [[f32; 3]; 3] {
    [[a[0][i], a[1][i], a[2][i]], [b[0][i], b[1][i], b[2][i]], [c[0][i], c[1][i], c[2][i]]]
}

impl Winding {
    fn count_sides(vertices: &[Posed], triangles: &[[u32; 3]]) -> Self {
        let mut counted = Self::default();
        let mut known = Vec::new();
        if (max_index(triangles) as usize) < vertices.len() {
            sides(vertices, triangles, &mut known);
        } else {
            known.resize(triangles.len(), Side::Unclear);
        }
        for (triangle, side) in triangles.iter().zip(known) {
            let against = match side {
                Side::Unclear => exact(vertices, triangle),
                plain => Some(plain == Side::Against),
            };
            if let Some(against) = against {
                counted.seen += 1;
                counted.against += usize::from(against);
            }
        }
        counted
    }
}

/// Returns whether a triangle is wound against its normals; `None` if that cannot be determined.
fn exact(vertices: &[Posed], triangle: &[u32; 3]) -> Option<bool> {
    let wide = |[x, y, z, _]: [f32; 4]| [x, y, z].map(f64::from);
    let corner = |v: u32| vertices.get(v as usize).map(|[place, normal]| (wide(*place), wide(*normal)));
    let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { return None };
    facing([a.0, b.0, c.0], [a.1, b.1, c.1]).map(|cosine| cosine < 0.0)
}

/// The maximum number of influences and triangles that validation compares, which takes a fraction of a
/// second. Files can share sections many times.
const MOST: usize = 1 << 22;

impl Dpm {
    /// Compares the triangles of a mesh with the normals of their corners in frame 0; `None` if the mesh or the frame
    /// does not exist.
    pub fn winding(&self, mesh: usize) -> Option<Winding> {
        let mesh = self.meshes.get(mesh)?;
        let matrices = self.model_matrices(self.frames.first()?.pose)?;
        let mut posed = Vec::new();
        skin_into(&mesh.vertices, &matrices, &mut posed);
        Some(Winding::count_sides(&posed, &mesh.triangles))
    }

    /// Compares all meshes, and returns the indices of those with contradicting triangles. Meshes with the
    /// same vertices and triangles count once. Meshes beyond the limit are omitted.
    pub(crate) fn windings(&self) -> Vec<(usize, Winding)> {
        let mut odd = Vec::new();
        let Some(matrices) = self.frames.first().and_then(|frame| self.model_matrices(frame.pose)) else {
            return odd;
        };
        let (mut seen, mut work, mut posed) = (SortedSet::new(), 0_usize, Vec::new());
        for (i, mesh) in self.meshes.iter().enumerate() {
            if !seen.insert((Arc::as_ptr(&mesh.vertices), Arc::as_ptr(&mesh.triangles))) {
                continue;
            }
            work = work.saturating_add(mesh.vertices.influences.len()).saturating_add(mesh.triangles.len());
            if work > MOST {
                break;
            }
            skin_into(&mesh.vertices, &matrices, &mut posed);
            let winding = Winding::count_sides(&posed, &mesh.triangles);
            if winding.against > 0 {
                odd.push((i, winding));
            }
        }
        odd
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn place() -> impl Strategy<Value = [f32; 4]> {
        prop::array::uniform4(
            prop_oneof![9 => -4.0_f32..4.0, 1 => prop::sample::select(vec![0.0, 1e-30, 1e30, f32::NAN])],
        )
    }

    proptest! {
        #[test]
        fn what_is_plain_is_counted_as_if_it_were_not(
            vertices in prop::collection::vec(prop::array::uniform2(place()), 1..40),
            corners in prop::collection::vec(prop::array::uniform3(0_u32..40), 0..200),
            beyond: bool,
        ) {
            let n = u32::try_from(vertices.len()).unwrap();
            let triangles: Vec<[u32; 3]> =
                corners.into_iter().map(|t| if beyond { t } else { t.map(|v| v % n) }).collect();
            let sides_there: Vec<_> = triangles.iter().filter_map(|t| exact(&vertices, t)).collect();
            let counted = Winding::count_sides(&vertices, &triangles);
            prop_assert_eq!(counted.seen, sides_there.len());
            prop_assert_eq!(counted.against, sides_there.iter().filter(|against| **against).count());
            if !beyond {
                let (mut a, mut b) = (Vec::new(), Vec::new());
                sides(&vertices, &triangles, &mut a);
                sides_portable(&vertices, &triangles, &mut b);
                prop_assert!(a == b && a.len() == triangles.len());
            }
        }
    }
}
