//! The positions of the vertices of a scene, and the distance of two sets.

use super::nearest::{Nearest, distance};
use meshwright_core::{Budget, LimitExceeded};
use meshwright_rig::{Evaluator, Precision, RigError};
use meshwright_scene::{Affine, Mesh, MeshId, Scene};

/// Everything that a scene draws, in a pose.
#[derive(Debug)]
pub(super) struct Posed<'s> {
    evaluator: Evaluator<&'s Scene>,
    drawn: Vec<Drawn>,
    points: Vec<[f32; 3]>,
}

/// A drawn mesh.
#[derive(Debug)]
struct Drawn {
    mesh: MeshId,
    matrix: Affine,
    /// The vertices that triangles use, if there are triangles and other vertices. Some formats drop the others.
    used: Option<Vec<usize>>,
}

impl<'s> Posed<'s> {
    pub(super) fn new(scene: &'s Scene, budget: &Budget) -> Result<Self, crate::error::Error> {
        let evaluator = Evaluator::new(scene)?.with_precision(Precision::Double);
        let mut drawn: Vec<_> = scene
            .drawn_meshes()
            .unwrap_or_default()
            .into_iter()
            .map(|(_, mesh, matrix)| (mesh, matrix))
            .collect();
        if drawn.is_empty() {
            drawn = (0..scene.meshes.len()).map(|m| (MeshId(m), Affine::IDENTITY)).collect();
        }
        let vertices = |mesh: MeshId| scene.meshes.get(mesh.0).map_or(0, |m| m.positions.len() as u64);
        let all = drawn.iter().map(|(mesh, _)| vertices(*mesh)).fold(0, u64::saturating_add);
        // The points, those of one mesh while it is posed, the indices of used ones, and what finds the nearest.
        budget.charge_items("vertices to compare", all, 72)?;
        let used = |mesh: MeshId| used_vertices(scene.meshes.get(mesh.0)?);
        let drawn =
            drawn.into_iter().map(|(mesh, matrix)| Drawn { mesh, matrix, used: used(mesh) }).collect();
        Ok(Self { evaluator, drawn, points: Vec::new() })
    }

    /// Moves to a frame of a clip, or to rest.
    pub(super) fn pose(&mut self, at: Option<(usize, f64)>) -> Result<(), RigError> {
        self.evaluator.pose(at)?;
        self.points.clear();
        for Drawn { mesh, matrix, used } in &self.drawn {
            let pose = self.evaluator.mesh(*mesh)?;
            let place = |point: &[f32; 3]| matrix.point(*point);
            match used {
                Some(used) => {
                    self.points.extend(used.iter().filter_map(|v| pose.positions.get(*v)).map(place));
                }
                None => self.points.extend(pose.positions.iter().map(place)),
            }
        }
        Ok(())
    }

    /// Returns the positions of vertices, in drawing order.
    pub(super) fn points(&self) -> &[[f32; 3]] {
        &self.points
    }
}

/// Returns the vertices that triangles use; `None` if triangles use all or none.
fn used_vertices(mesh: &Mesh) -> Option<Vec<usize>> {
    let mut is_used = vec![false; mesh.positions.len()];
    for corner in mesh.triangles.iter().flatten() {
        if let Some(used) = usize::try_from(*corner).ok().and_then(|v| is_used.get_mut(v)) {
            *used = true;
        }
    }
    let used: Vec<usize> = (0..).zip(is_used).filter_map(|(v, used)| used.then_some(v)).collect();
    (!used.is_empty() && used.len() < mesh.positions.len()).then_some(used)
}

/// Returns the longest side of the box around some points.
pub(super) fn size(points: &[[f32; 3]]) -> f64 {
    let bounds = meshwright_scene::Bounds::around(points.iter().copied());
    bounds.map_or(0.0, |b| (0..3).map(|axis| b.extent(axis)).fold(0.0, f64::max))
}

/// The corresponding vertex of the other set, for each vertex.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The indices for the first and the second set; `None` if both have the same order.
    nearest: Option<[Vec<u32>; 2]>,
}

impl Pairs {
    /// Pairs vertices by index if those of each index are at most `tolerance` apart, otherwise each with the nearest one.
    pub(super) fn new(
        a: &[[f32; 3]],
        b: &[[f32; 3]],
        tolerance: f64,
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        if a.len() == b.len() && a.iter().zip(b).all(|(a, b)| distance(*a, *b) <= tolerance) {
            return Ok(Self { nearest: None });
        }
        budget.charge_items("pairs of vertices", a.len().saturating_add(b.len()) as u64, 4)?;
        let of = |points: &[[f32; 3]], others: &[[f32; 3]]| {
            let nearest = Nearest::new(others, budget)?;
            let one = |point: &[f32; 3]| Ok(nearest.find(*point, budget)?.map_or(u32::MAX, |(at, _)| at));
            points.iter().map(one).collect::<Result<Vec<u32>, LimitExceeded>>()
        };
        Ok(Self { nearest: Some([of(a, b)?, of(b, a)?]) })
    }

    /// Returns the greatest distance between a vertex and its corresponding one or, if that is beyond the tolerance, the
    /// nearest one. Infinite if only one set is empty.
    ///
    /// # Errors
    /// If the budget does not suffice for the comparisons.
    pub(super) fn largest_distance(
        &self,
        a: &[[f32; 3]],
        b: &[[f32; 3]],
        tolerance: f64,
        budget: &Budget,
    ) -> Result<f64, LimitExceeded> {
        let Some([to_b, to_a]) = &self.nearest else {
            return Ok(a.iter().zip(b).map(|(a, b)| distance(*a, *b)).fold(0.0, greater));
        };
        let of = |points: &[[f32; 3]], pairs: &[u32], others: &[[f32; 3]]| {
            let mut nearest = None;
            let mut most = 0.0;
            for (point, pair) in points.iter().zip(pairs) {
                let other = usize::try_from(*pair).ok().and_then(|at| others.get(at));
                let mut apart = other.map_or(f64::INFINITY, |other| distance(*point, *other));
                if (apart.is_nan() || apart > tolerance) && !others.is_empty() {
                    let tree = match nearest.take() {
                        Some(tree) => tree,
                        None => Nearest::new(others, budget)?,
                    };
                    apart = tree.find(*point, budget)?.map_or(apart, |(_, nearest)| nearest);
                    nearest = Some(tree);
                }
                most = greater(most, apart);
            }
            Ok(most)
        };
        Ok(greater(of(a, to_b, b)?, of(b, to_a, a)?))
    }
}

/// Returns the greater of two numbers; NaN is greater than all.
fn greater(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::Limits;

    #[test]
    fn sets_in_another_order_are_the_same() {
        let budget = Budget::new(Limits::default());
        let a: Vec<[f32; 3]> = (0..50_u8).map(|i| [f32::from(i % 7), f32::from(i / 7), 1.0]).collect();
        let mut b = a.clone();
        b.reverse();
        b.push(a[3]);
        let pairs = Pairs::new(&a, &b, 1e-6, &budget).unwrap();
        assert_eq!(pairs.largest_distance(&a, &b, 1e-6, &budget).unwrap().to_bits(), 0.0_f64.to_bits());
        b[4][2] = 1.5;
        let moved =
            Pairs::new(&a, &b, 1e-6, &budget).unwrap().largest_distance(&a, &b, 1e-6, &budget).unwrap();
        assert!((moved - 0.5).abs() < 1e-6, "{moved}");
        assert!(
            Pairs::new(&a, &[], 1e-6, &budget)
                .unwrap()
                .largest_distance(&a, &[], 1e-6, &budget)
                .unwrap()
                .is_infinite()
        );
        let same = Pairs::new(&a, &a, 1e-6, &budget).unwrap();
        assert!(same.nearest.is_none());
        assert!(Pairs::new(&a, &b, 0.0, &Budget::new(Limits::default().with_memory(8))).is_err());
    }
}
