//! The nearest of many points.

use meshwright_core::{Budget, LimitExceeded};

/// The number of points that are searched one by one.
const LEAF: usize = 8;
/// The steps of a budget for examining a point.
const COST: u64 = 8;

/// A k-d tree of points, stored as an array. Each plane has half of the points on either side.
pub(super) struct Nearest<'p> {
    points: &'p [[f32; 3]],
    order: Vec<u32>,
    /// The axis of the dividing plane through each point.
    axes: Vec<u8>,
}

impl<'p> Nearest<'p> {
    /// Builds the tree. Points with a NaN coordinate are left out.
    pub(super) fn new(points: &'p [[f32; 3]], budget: &Budget) -> Result<Self, LimitExceeded> {
        budget.work("points to compare", (points.len() as u64).saturating_mul(COST * 4))?;
        let all = 0..u32::try_from(points.len()).unwrap_or(u32::MAX);
        let is_somewhere = |at: &u32| place(points, *at).iter().all(|c| c.is_finite());
        let mut order: Vec<u32> = all.filter(is_somewhere).collect();
        // No plane parts points that coincide, so that a search would look at all of them.
        let place = |at: &u32| place(points, *at).map(f32::to_bits);
        order.sort_unstable_by_key(|at| (place(at), *at));
        order.dedup_by_key(|at| place(at));
        let mut axes = vec![0; order.len()];
        let mut open = vec![(0, order.len())];
        while let Some((from, to)) = open.pop() {
            let Some(part) = order.get_mut(from..to).filter(|part| part.len() > LEAF) else { continue };
            let extent = |axis: usize| {
                let along = part.iter().map(|at| along(points, *at, axis));
                let [low, high] =
                    along.fold([f32::MAX, f32::MIN], |[low, high], c| [low.min(c), high.max(c)]);
                f64::from(high) - f64::from(low)
            };
            let axis = (0..3).max_by(|a, b| extent(*a).total_cmp(&extent(*b))).unwrap_or(0);
            let half = part.len() / 2;
            part.select_nth_unstable_by(half, |a, b| {
                along(points, *a, axis).total_cmp(&along(points, *b, axis)).then(a.cmp(b))
            });
            let middle = from.saturating_add(half);
            if let Some(own) = axes.get_mut(middle) {
                *own = u8::try_from(axis).unwrap_or(0);
            }
            open.extend([(from, middle), (middle.saturating_add(1), to)]);
        }
        Ok(Self { points, order, axes })
    }

    /// Returns the nearest point and its distance; `None` without points, or for a NaN position.
    pub(super) fn find(&self, to: [f32; 3], budget: &Budget) -> Result<Option<(u32, f64)>, LimitExceeded> {
        let mut best: Option<(u32, f64)> = None;
        if !to.iter().all(|c| c.is_finite()) {
            return Ok(None);
        }
        // Parts, and how far their planes are at least.
        let mut open = vec![(0, self.order.len(), 0.0)];
        while let Some((from, to_end, reach)) = open.pop() {
            if best.is_some_and(|(_, apart)| reach >= apart) {
                continue;
            }
            let part = self.order.get(from..to_end).unwrap_or_default();
            let half = part.len() / 2;
            let middle = from.saturating_add(half);
            let is_leaf = part.len() <= LEAF;
            let looked_at = if is_leaf { part } else { part.get(half..=half).unwrap_or_default() };
            budget.work("points to compare", (looked_at.len() as u64).saturating_mul(COST))?;
            for at in looked_at {
                let apart = distance(to, place(self.points, *at));
                if best.is_none_or(|(_, nearest)| apart < nearest) {
                    best = Some((*at, apart));
                }
            }
            if is_leaf {
                continue;
            }
            let axis = self.axes.get(middle).map_or(0, |axis| usize::from(*axis));
            let plane = part.get(half).map_or(0.0, |at| along(self.points, *at, axis));
            let here = to.get(axis).map_or(0.0, |c| f64::from(*c) - f64::from(plane));
            let (below, above) = ((from, middle), (middle.saturating_add(1), to_end));
            let (near, far) = if here < 0.0 { (below, above) } else { (above, below) };
            open.push((far.0, far.1, here.abs().max(reach)));
            open.push((near.0, near.1, reach));
        }
        Ok(best)
    }
}

fn place(points: &[[f32; 3]], at: u32) -> [f32; 3] {
    usize::try_from(at).ok().and_then(|at| points.get(at)).copied().unwrap_or([f32::NAN; 3])
}

fn along(points: &[[f32; 3]], at: u32, axis: usize) -> f32 {
    place(points, at).get(axis).copied().unwrap_or(f32::NAN)
}

/// Returns the distance of two points.
pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
    a.iter().zip(&b).map(square).sum::<f64>().sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;
    use meshwright_core::Limits;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_is_found(
            points in prop::collection::vec(prop::array::uniform3(-3_i8..3), 0..60),
            to in prop::array::uniform3(-4_i8..4),
        ) {
            let budget = Budget::new(Limits::default());
            let real = |p: &[i8; 3]| p.map(|c| f32::from(c) / 2.0);
            let points: Vec<[f32; 3]> = points.iter().map(real).collect();
            let to = real(&to);
            let found = Nearest::new(&points, &budget).unwrap().find(to, &budget).unwrap();
            let apart = points.iter().map(|p| distance(*p, to)).min_by(f64::total_cmp);
            prop_assert_eq!(found.map(|(_, apart)| apart), apart);
            prop_assert!(found.is_none_or(|(at, apart)| distance(points[at as usize], to) == apart));
        }
    }

    #[test]
    fn what_is_no_number_is_near_nothing() {
        let budget = Budget::new(Limits::default());
        let points = [[f32::NAN, 0.0, 0.0], [f32::INFINITY; 3], [1.0; 3]];
        let nearest = Nearest::new(&points, &budget).unwrap();
        assert_eq!(nearest.find([1.0; 3], &budget).unwrap(), Some((2, 0.0)));
        assert_eq!(nearest.find([f32::NAN; 3], &budget).unwrap(), None);
        assert_eq!(Nearest::new(&[], &budget).unwrap().find([0.0; 3], &budget).unwrap(), None);
    }

    /// All points of a sphere are equally far from its centre: no tree helps, so the budget limits the search.
    #[test]
    fn points_that_coincide_take_no_longer_and_a_sphere_ends_with_the_budget() {
        let budget = Budget::new(Limits::default());
        let same = vec![[0.5; 3]; 200_000];
        let nearest = Nearest::new(&same, &budget).unwrap();
        let before = budget.work_left();
        for i in 0..1000_u16 {
            // Further away than along any axis.
            assert!(nearest.find([f32::from(i), 0.7, 0.3], &budget).unwrap().is_some());
        }
        assert!(before - budget.work_left() < 1000 * 200 * COST, "{}", before - budget.work_left());
        let sphere: Vec<[f32; 3]> = (0..40_000_u16)
            .map(|i| {
                let (a, z) = (f32::from(i) * 2.4, f32::from(i) / 20_000.0 - 1.0);
                let r = (1.0 - z * z).max(0.0).sqrt();
                [r * a.cos(), r * a.sin(), z]
            })
            .collect();
        let small = Budget::new(Limits::default().with_memory(1 << 20));
        let nearest = Nearest::new(&sphere, &small).unwrap();
        assert!((0..40_000).any(|_| nearest.find([0.0; 3], &small).is_err()));
    }
}
