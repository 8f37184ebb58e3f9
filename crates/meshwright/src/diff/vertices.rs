//! Where the vertices of a scene are, and how far two sets of them are apart.

use meshwright_core::{Budget, LimitExceeded};
use meshwright_rig::{Evaluator, Precision, RigError};
use meshwright_scene::{Affine, MeshId, Scene};

/// All that a scene draws, posed.
#[derive(Debug)]
pub(super) struct Posed<'s> {
    evaluator: Evaluator<&'s Scene>,
    drawn: Vec<(MeshId, Affine)>,
    points: Vec<[f32; 3]>,
}

impl<'s> Posed<'s> {
    pub(super) fn new(scene: &'s Scene, budget: &Budget) -> Result<Self, super::DiffError> {
        let evaluator = Evaluator::new(scene)?.with_precision(Precision::Double);
        let mut drawn: Vec<_> =
            scene.drawn().unwrap_or_default().into_iter().map(|(_, mesh, matrix)| (mesh, matrix)).collect();
        if drawn.is_empty() {
            drawn = (0..scene.meshes.len()).map(|m| (MeshId(m), Affine::IDENTITY)).collect();
        }
        let vertices = |mesh: &MeshId| scene.meshes.get(mesh.0).map_or(0, |m| m.positions.len() as u64);
        let all = drawn.iter().map(|(mesh, _)| vertices(mesh)).fold(0, u64::saturating_add);
        // The points, those of one mesh while it is posed, and what finds the nearest.
        budget.charge_items("vertices to compare", all, 64)?;
        Ok(Self { evaluator, drawn, points: Vec::new() })
    }

    /// Moves to a frame of a clip, or to rest.
    pub(super) fn pose(&mut self, at: Option<(usize, f64)>) -> Result<(), RigError> {
        self.evaluator.pose(at)?;
        self.points.clear();
        for (mesh, matrix) in &self.drawn {
            let pose = self.evaluator.mesh(*mesh)?;
            self.points.extend(pose.positions.iter().map(|point| matrix.point(*point)));
        }
        Ok(())
    }

    /// Where vertices are, in the order in which they are drawn.
    pub(super) fn points(&self) -> &[[f32; 3]] {
        &self.points
    }
}

/// The longest side of the box around some points.
pub(super) fn size(points: &[[f32; 3]]) -> f64 {
    let bounds = crate::describe::Bounds::of(points.iter().copied());
    bounds.map_or(0.0, |b| (0..3).map(|axis| b.extent(axis)).fold(0.0, f64::max))
}

pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
    a.iter().zip(&b).map(square).sum::<f64>().sqrt()
}

/// Which vertex of the other set each vertex stands for.
#[derive(Debug)]
pub(super) struct Pairs {
    /// For the first set and for the second; none where both have the same order.
    nearest: Option<[Vec<u32>; 2]>,
}

impl Pairs {
    /// By number, where no two of one number are further apart than `tolerance`; else each with the nearest.
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
            let sorted = Sorted::new(others);
            points.iter().map(|point| sorted.nearest(*point).map_or(u32::MAX, |(at, _)| at)).collect()
        };
        Ok(Self { nearest: Some([of(a, b), of(b, a)]) })
    }

    /// The greatest distance of a vertex from the one that it stands for, or, where that is beyond the tolerance, from
    /// the nearest. Infinite where one set is empty and the other is not.
    pub(super) fn apart(&self, a: &[[f32; 3]], b: &[[f32; 3]], tolerance: f64) -> f64 {
        let Some([to_b, to_a]) = &self.nearest else {
            return a.iter().zip(b).map(|(a, b)| distance(*a, *b)).fold(0.0, greater);
        };
        let of = |points: &[[f32; 3]], pairs: &[u32], others: &[[f32; 3]]| {
            let mut sorted = None;
            let mut most = 0.0;
            for (point, pair) in points.iter().zip(pairs) {
                let other = usize::try_from(*pair).ok().and_then(|at| others.get(at));
                let mut apart = other.map_or(f64::INFINITY, |other| distance(*point, *other));
                if (apart.is_nan() || apart > tolerance) && !others.is_empty() {
                    let sorted = sorted.get_or_insert_with(|| Sorted::new(others));
                    apart = sorted.nearest(*point).map_or(apart, |(_, nearest)| nearest);
                }
                most = greater(most, apart);
            }
            most
        };
        greater(of(a, to_b, b), of(b, to_a, a))
    }
}

/// The greater of two; what is no number is greater than all.
fn greater(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Points sorted along the axis on which they reach furthest.
struct Sorted<'p> {
    axis: usize,
    points: &'p [[f32; 3]],
    order: Vec<u32>,
}

impl<'p> Sorted<'p> {
    fn new(points: &'p [[f32; 3]]) -> Self {
        let bounds = crate::describe::Bounds::of(points.iter().copied());
        let extent = |axis: &usize| bounds.map_or(0.0, |b| b.extent(*axis));
        let axis = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b))).unwrap_or(0);
        let mut order: Vec<u32> = (0..u32::try_from(points.len()).unwrap_or(u32::MAX)).collect();
        let key = |at: &u32| along(points, *at, axis);
        order.sort_by(|a, b| key(a).total_cmp(&key(b)));
        Self { axis, points, order }
    }

    /// The nearest point and how far it is.
    fn nearest(&self, point: [f32; 3]) -> Option<(u32, f64)> {
        let here = f64::from(*point.get(self.axis)?);
        let middle = self.order.partition_point(|at| along(self.points, *at, self.axis) < here);
        let (below, above) = self.order.split_at_checked(middle)?;
        let (mut below, mut above) = (below.iter().rev(), above.iter());
        let mut best: Option<(u32, f64)> = None;
        let mut try_next = |side: &mut dyn Iterator<Item = &'_ u32>| {
            let Some(&at) = side.next() else { return false };
            let Some(&other) = usize::try_from(at).ok().and_then(|at| self.points.get(at)) else {
                return false;
            };
            let reach = (along(self.points, at, self.axis) - here).abs();
            if best.is_some_and(|(_, nearest)| reach > nearest) {
                return false;
            }
            let apart = distance(point, other);
            if best.is_none_or(|(_, nearest)| apart < nearest) {
                best = Some((at, apart));
            }
            true
        };
        let (mut down, mut up) = (true, true);
        while down || up {
            down = down && try_next(&mut below);
            up = up && try_next(&mut above);
        }
        best
    }
}

fn along(points: &[[f32; 3]], at: u32, axis: usize) -> f64 {
    let point = usize::try_from(at).ok().and_then(|at| points.get(at));
    point.and_then(|point| point.get(axis)).map_or(f64::NAN, |c| f64::from(*c))
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
        assert_eq!(pairs.apart(&a, &b, 1e-6).to_bits(), 0.0_f64.to_bits());
        b[4][2] = 1.5;
        let moved = Pairs::new(&a, &b, 1e-6, &budget).unwrap().apart(&a, &b, 1e-6);
        assert!((moved - 0.5).abs() < 1e-6, "{moved}");
        assert!(Pairs::new(&a, &[], 1e-6, &budget).unwrap().apart(&a, &[], 1e-6).is_infinite());
        let same = Pairs::new(&a, &a, 1e-6, &budget).unwrap();
        assert!(same.nearest.is_none());
        assert!(Pairs::new(&a, &b, 0.0, &Budget::new(Limits::default().with_memory(8))).is_err());
    }
}
