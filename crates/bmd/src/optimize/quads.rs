//! Joins pairs of triangles to quads.

use super::buckets::Buckets;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A triangle, or two triangles that form a quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Triangle([u32; 3]),
    /// A quad, which splits into the triangles (0,1,2) and (0,2,3).
    Quad([u32; 4]),
}

impl Unit {
    pub(super) fn corners(&self) -> &[u32] {
        match self {
            Self::Triangle(t) => t,
            Self::Quad(q) => q,
        }
    }
}

/// The maximum number of partners per edge; more are not worth the time.
const PARTNERS: usize = 4;

/// Joins triangles that share an edge. Triangles with the fewest partners come first, so that few remain
/// single. The triangles stay the same, but may start at another corner.
pub(super) fn pair(triangles: &[[u32; 3]]) -> Vec<Unit> {
    let mates = mates(&partners(triangles));
    let mut units = Vec::new();
    for (i, t) in triangles.iter().enumerate() {
        match mates.get(i).copied().flatten() {
            None => units.push(Unit::Triangle(*t)),
            Some(j) if j > i => {
                let joined = triangles.get(j).and_then(|other| join(t, other));
                units.extend(joined.map(Unit::Quad));
            }
            Some(_) => {}
        }
    }
    units
}

/// Returns for each triangle the triangles that have one of its edges in the opposite direction.
fn partners(triangles: &[[u32; 3]]) -> Buckets<u32> {
    let whole = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[0] != t[2];
    let edges = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let vertices = triangles.as_flattened().iter().max().map_or(0, |v| *v as usize + 1);
    // The edges from each vertex, with the vertex where they end.
    let mut from = Buckets::new(vertices, &|add| {
        for (i, t) in (0_u32..).zip(triangles).filter(|(_, t)| whole(t)) {
            edges(t).into_iter().for_each(|(a, b)| add(a, (b, i)));
        }
    });
    (0..vertices).for_each(|v| from.get_mut(v).sort_unstable());
    Buckets::new(triangles.len(), &|add| {
        for (i, t) in (0_u32..).zip(triangles).filter(|(_, t)| whole(t)) {
            for (a, b) in edges(t) {
                let back = from.get(b as usize);
                let first = back.partition_point(|(end, _)| *end < a);
                let back = back[first..].iter().take_while(|(end, _)| *end == a);
                back.take(PARTNERS).for_each(|(_, j)| add(i, *j));
            }
        }
    })
}

/// Returns for each triangle the other triangle of its pair.
fn mates(graph: &Buckets<u32>) -> Vec<Option<usize>> {
    let mut mate: Vec<Option<usize>> = alloc::vec![None; graph.len()];
    let mut done = alloc::vec![false; graph.len()];
    let free = |done: &[bool], i: usize| -> usize {
        graph.get(i).iter().filter(|j| done.get(**j as usize) == Some(&false)).count()
    };
    let mut queues: [VecDeque<usize>; 4] = core::array::from_fn(|_| VecDeque::new());
    for i in 0..graph.len() {
        if let Some(q) = queues.get_mut(free(&done, i).min(3)) {
            q.push_back(i);
        }
    }
    // Entries are updated lazily: if the number of partners changed, the entry moves to another queue.
    while let Some((level, i)) = (1..4).find_map(|level| Some((level, queues.get_mut(level)?.pop_front()?))) {
        let now = free(&done, i).min(3);
        if done.get(i) != Some(&false) || now != level {
            continue;
        }
        let choices = graph.get(i).iter().map(|j| *j as usize).filter(|j| done.get(*j) == Some(&false));
        let Some(j) = choices.min_by_key(|j| (free(&done, *j), *j)) else { continue };
        for (a, b) in [(i, j), (j, i)] {
            if let (Some(m), Some(d)) = (mate.get_mut(a), done.get_mut(a)) {
                (*m, *d) = (Some(b), true);
            }
        }
        for k in [i, j].iter().flat_map(|k| graph.get(*k)) {
            let k = *k as usize;
            let level = free(&done, k).min(3);
            if let (Some(false), Some(q)) = (done.get(k), queues.get_mut(level)) {
                q.push_back(k);
            }
        }
    }
    mate
}

/// Returns the quad of two triangles that share an edge in opposite directions.
fn join(t: &[u32; 3], other: &[u32; 3]) -> Option<[u32; 4]> {
    for turn in 0..3 {
        let [a, b, c] = [t[turn], t[(turn + 1) % 3], t[(turn + 2) % 3]];
        for k in 0..3 {
            if (other[k], other[(k + 1) % 3]) == (a, c) {
                return Some([a, b, c, other[(k + 2) % 3]]);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn sorted(triangles: impl IntoIterator<Item = [u32; 3]>) -> Vec<[u32; 3]> {
        let least_first =
            |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or([a, b, c]);
        let mut list: Vec<_> = triangles.into_iter().map(least_first).collect();
        list.sort_unstable();
        list
    }

    proptest! {
        #[test]
        fn the_triangles_stay_the_same(
            triangles in proptest::collection::vec([0_u32..9, 0_u32..9, 0_u32..9], 0..40),
        ) {
            let split = |u: &Unit| match *u {
                Unit::Triangle(t) => std::vec![t],
                Unit::Quad([a, b, c, d]) => {
                    assert_ne!(c, d);
                    std::vec![[a, b, c], [a, c, d]]
                }
            };
            let back = pair(&triangles).iter().flat_map(split).collect::<Vec<_>>();
            prop_assert_eq!(sorted(back), sorted(triangles));
        }
    }

    #[test]
    fn a_strip_is_all_quads() {
        let strip: Vec<[u32; 3]> =
            (0..20).map(|i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i + 1, i, i + 2] }).collect();
        assert_eq!(pair(&strip).len(), 10);
    }
}
