//! Orders triangles such that a graphics card computes few vertices twice.

use alloc::vec::Vec;

/// The number of vertices in the assumed vertex cache, first in, first out.
pub(super) const CACHE: usize = 16;

/// The maximum number of triangles around one vertex that are searched for a neighbour of the last one.
const FAN: usize = 32;

/// The cost of drawing triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// The number of vertices that must be computed.
    pub misses: usize,
    /// The number of runs in which each triangle shares an edge with the one before it.
    pub strips: usize,
}

/// Numbers the vertices of triangles by their first use. So the work for some of many triangles does not
/// depend on vertices that only other triangles use.
#[derive(Debug, Default)]
pub(crate) struct VertexNumbering {
    /// The new number of each vertex, counted from 1; 0 for vertices that are not used.
    numbers: Vec<u32>,
    met: Vec<u32>,
}

impl VertexNumbering {
    fn renumber(&mut self, triangles: &[[u32; 3]]) -> (Vec<[u32; 3]>, usize) {
        self.met.clear();
        let mut number = |v: u32| {
            if self.numbers.len() <= v as usize {
                self.numbers.resize(v as usize + 1, 0);
            }
            let Some(slot) = self.numbers.get_mut(v as usize) else { return 0 };
            if *slot == 0 {
                self.met.push(v);
                *slot = u32::try_from(self.met.len()).unwrap_or(u32::MAX);
            }
            slot.saturating_sub(1)
        };
        let dense = triangles.iter().map(|t| t.map(&mut number)).collect();
        for &v in &self.met {
            if let Some(slot) = self.numbers.get_mut(v as usize) {
                *slot = 0;
            }
        }
        (dense, self.met.len())
    }

    /// Returns the cost of drawing triangles in their order.
    pub(super) fn cost(&mut self, triangles: &[[u32; 3]]) -> Cost {
        let (triangles, vertices) = self.renumber(triangles);
        cost(&triangles, vertices)
    }

    /// Returns an order in which fewer vertices are computed, if one is found.
    pub(super) fn better(&mut self, triangles: &[[u32; 3]]) -> Option<Vec<u32>> {
        let (triangles, vertices) = self.renumber(triangles);
        let order = sorted(&triangles, vertices);
        let sorted: Vec<_> = order.iter().filter_map(|&t| triangles.get(t as usize)).copied().collect();
        Some(order).filter(|_| cost(&sorted, vertices).misses < cost(&triangles, vertices).misses)
    }
}

/// Returns the cost of drawing triangles in their order.
fn cost(triangles: &[[u32; 3]], vertices: usize) -> Cost {
    // The number of vertices computed up to and including each vertex.
    let mut computed = alloc::vec![0_usize; vertices];
    let mut cost = Cost::default();
    let mut last: Option<[u32; 3]> = None;
    for &triangle in triangles {
        for v in triangle {
            let Some(at) = computed.get_mut(v as usize) else { continue };
            if *at == 0 || cost.misses - *at >= CACHE {
                cost.misses += 1;
                *at = cost.misses;
            }
        }
        cost.strips += usize::from(last.is_none_or(|last| shared_corners(last, triangle) < 2));
        last = Some(triangle);
    }
    cost
}

/// Returns the number of corners that two triangles share.
fn shared_corners(a: [u32; 3], b: [u32; 3]) -> usize {
    b.iter().filter(|v| a.contains(v)).count()
}

/// The triangles around each vertex.
struct Fans {
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Fans {
    fn build(triangles: &[[u32; 3]], vertices: usize) -> Self {
        let mut starts = alloc::vec![0_u32; vertices + 1];
        for &v in triangles.as_flattened() {
            if let Some(count) = starts.get_mut(v as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let (mut next, mut all) = (starts.clone(), alloc::vec![0_u32; triangles.len() * 3]);
        for (t, triangle) in (0_u32..).zip(triangles) {
            for &v in triangle {
                if let Some(at) = next.get_mut(v as usize)
                    && let Some(slot) = all.get_mut(*at as usize)
                {
                    *slot = t;
                    *at += 1;
                }
            }
        }
        Self { starts, triangles: all }
    }

    fn triangles_of(&self, v: u32) -> &[u32] {
        let start = |v: usize| self.starts.get(v).map_or(0, |&s| s as usize);
        self.triangles.get(start(v as usize)..start(v as usize + 1)).unwrap_or_default()
    }
}

/// An order under construction. Triangles are taken fan by fan. The next fan is around a vertex that is
/// still in the cache and has few triangles left. Source: P. Sander, D. Nehab and J. Barczak, Fast Triangle
/// Reordering for Vertex Locality and Reduced Overdraw, 2007.
struct Order<'t> {
    triangles: &'t [[u32; 3]],
    fans: Fans,
    /// The number of remaining triangles at each vertex.
    left: Vec<u32>,
    /// The time at which each vertex was last computed.
    computed: Vec<usize>,
    now: usize,
    taken: Vec<bool>,
    order: Vec<u32>,
    /// The vertices used so far, to return to.
    met: Vec<u32>,
    /// The vertices of the last fan.
    near: Vec<u32>,
    /// No vertex before this one has remaining triangles.
    cursor: u32,
}

/// The working memory for each triangle, and for each vertex, in bytes.
pub(super) const TRIANGLE: usize = 64;
pub(super) const VERTEX: usize = 48;

/// Returns the indices of the triangles in a better order.
fn sorted(triangles: &[[u32; 3]], vertices: usize) -> Vec<u32> {
    let fans = Fans::build(triangles, vertices);
    let count = |v: u32| u32::try_from(fans.triangles_of(v).len()).unwrap_or(u32::MAX);
    let left = (0..u32::try_from(vertices).unwrap_or(u32::MAX)).map(count).collect();
    let mut order = Order {
        triangles,
        fans,
        left,
        computed: alloc::vec![0; vertices],
        now: CACHE + 1,
        taken: alloc::vec![false; triangles.len()],
        order: Vec::with_capacity(triangles.len()),
        met: Vec::with_capacity(triangles.len() * 3),
        near: Vec::new(),
        cursor: 0,
    };
    while let Some(v) = order.next() {
        order.fan(v);
    }
    order.order
}

impl Order<'_> {
    fn remaining(&self, v: u32) -> u32 {
        self.left.get(v as usize).copied().unwrap_or(0)
    }

    /// Returns the vertex of the next fan.
    fn next(&mut self) -> Option<u32> {
        let age = |v: u32| self.now - self.computed.get(v as usize).copied().unwrap_or(0);
        let open = self.near.iter().copied().filter(|&v| self.remaining(v) > 0);
        // Choose the oldest vertex that is still in the cache after its fan is drawn.
        let stays = |v: u32| age(v) + 2 * self.remaining(v) as usize <= CACHE;
        let best = open.max_by_key(|&v| if stays(v) { age(v) } else { 0 });
        if best.is_some() {
            return best;
        }
        while let Some(v) = self.met.pop() {
            if self.remaining(v) > 0 {
                return Some(v);
            }
        }
        while (self.cursor as usize) < self.left.len() {
            if self.remaining(self.cursor) > 0 {
                return Some(self.cursor);
            }
            self.cursor += 1;
        }
        None
    }

    /// Takes all remaining triangles around a vertex, if possible each next to the one before it.
    fn fan(&mut self, v: u32) {
        self.near.clear();
        let mut open: Vec<u32> = Vec::new();
        open.extend(
            self.fans.triangles_of(v).iter().filter(|&&t| self.taken.get(t as usize) == Some(&false)),
        );
        open.dedup();
        if open.len() > FAN {
            open.into_iter().for_each(|t| self.take(t));
            return;
        }
        while !open.is_empty() {
            let corners = |t: u32| self.triangles.get(t as usize).copied();
            let last = self.order.last().and_then(|&t| corners(t));
            let beside = |t: &u32| last.zip(corners(*t)).is_some_and(|(a, b)| shared_corners(a, b) > 1);
            let i = open.iter().position(beside).unwrap_or(0);
            let t = open.remove(i);
            self.take(t);
        }
    }

    fn take(&mut self, t: u32) {
        let Some(taken) = self.taken.get_mut(t as usize) else { return };
        if core::mem::replace(taken, true) {
            return;
        }
        self.order.push(t);
        for v in self.triangles.get(t as usize).copied().into_iter().flatten() {
            self.met.push(v);
            self.near.push(v);
            if let Some(left) = self.left.get_mut(v as usize) {
                *left = left.saturating_sub(1);
            }
            if let Some(computed) = self.computed.get_mut(v as usize)
                && self.now - *computed > CACHE
            {
                *computed = self.now;
                self.now += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    /// Returns a sheet of `n` by `n` squares, with its triangles row by row or shuffled.
    fn sheet(n: u32, scattered: bool) -> (Vec<[u32; 3]>, usize) {
        let at = |x: u32, y: u32| y * (n + 1) + x;
        let square = |i: u32| {
            let (x, y) = (i % n, i / n);
            [[at(x, y), at(x + 1, y), at(x, y + 1)], [at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]]
        };
        let mut all: Vec<_> = (0..n * n).flat_map(square).collect();
        if scattered {
            let len = all.len();
            all = (0..len).map(|i| all[i * 7919 % len]).collect();
        }
        (all, ((n + 1) * (n + 1)) as usize)
    }

    #[test]
    fn a_sheet_is_drawn_with_few_vertices_twice() {
        for scattered in [false, true] {
            let (triangles, vertices) = sheet(32, scattered);
            let before = cost(&triangles, vertices);
            let sorted: Vec<_> =
                sorted(&triangles, vertices).iter().map(|&t| triangles[t as usize]).collect();
            let after = cost(&sorted, vertices);
            let acmr = after.misses as f64 / triangles.len() as f64;
            assert!(acmr < 0.75, "{acmr}");
            assert!(after.strips < 600 && after.misses < before.misses, "{before:?} {after:?}");
        }
        assert_eq!(cost(&[[0, 1, 2], [2, 1, 3], [4, 5, 6]], 7), Cost { misses: 7, strips: 2 });
        // The cache forgets the first vertex after sixteen others.
        let fan: Vec<_> = (0..8_u32).map(|i| [2 * i + 1, 2 * i + 2, 17]).chain([[0, 1, 2]]).collect();
        assert_eq!(cost(&fan, 18).misses, 17 + 3);
    }

    #[test]
    fn one_vertex_of_all_triangles_takes_linear_time() {
        let triangles: Vec<[u32; 3]> = (1..200_000).map(|i| [0, i, i + 1]).collect();
        assert_eq!(sorted(&triangles, 200_001).len(), triangles.len());
    }

    proptest! {
        #[test]
        fn every_triangle_stays(triangles in proptest::collection::vec([0_u32..20, 0_u32..20, 0_u32..20], 0..60)) {
            let mut order = sorted(&triangles, 20);
            prop_assert_eq!(order.len(), triangles.len());
            order.sort_unstable();
            prop_assert!(order.into_iter().eq(0..triangles.len() as u32));
        }
    }
}
