//! The cheapest keys of one channel: a shortest path through all candidates.
//!
//! Candidates are keys at whole frames. An edge joins two candidates if every whole frame between them,
//! blended from the two, stays within the allowed error. Its cost is the number of bytes that the later key
//! adds to the stream. In a looping clip the path must close, so every candidate is tried as the first. If
//! the work does not suffice, long edges and late first keys are skipped.

use super::work_limit::WorkLimit;
use alloc::vec::Vec;
use meshwright_core::Order as _;

/// A key that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate<const N: usize> {
    pub(crate) frame: u32,
    pub(crate) word: u32,
    pub(crate) value: [f64; N],
}

/// The values that a channel must approximate.
pub(crate) trait Goal<const N: usize> {
    /// Returns true if `value`, which need not be normalised, is good enough at a frame.
    fn accepts(&self, frame: u32, value: [f64; N]) -> bool;

    /// Returns the steps of work for one call of [`accepts`](Self::accepts).
    fn cost(&self) -> u64 {
        1
    }
}

/// Returns the bytes of the steps that only skip, for a key that follows after `skip` frames.
pub(crate) const fn skip_cost(skip: u32) -> u32 {
    // A step with a key skips up to 31 frames; one without a key passes 32.
    if skip > 31 { (skip - 31).div_ceil(32) } else { 0 }
}

struct Channel<'a, const N: usize, G> {
    keys: &'a [Candidate<N>],
    goal: &'a G,
    frames: u32,
    /// Marks frames that have a step anyway, so that a key there needs no tag.
    tagged: &'a [bool],
    /// The later candidates that can follow each candidate.
    next: Vec<Vec<u32>>,
}

/// Returns the candidates to keep, as ascending indices. `None` if no choice stays within the goal, or the
/// work did not suffice to find one. `keys` are sorted by frame.
pub(crate) fn choose<const N: usize>(
    keys: &[Candidate<N>],
    goal: &impl Goal<N>,
    frames: u32,
    looping: bool,
    tagged: &[bool],
    work: &WorkLimit,
) -> Option<Vec<usize>> {
    // A single key gives a constant.
    let constant =
        |k: &Candidate<N>| (0..frames).all(|f| work.spend(goal.cost()) && goal.accepts(f, k.value));
    let single = (0..keys.len()).filter(|i| keys.get(*i).is_some_and(constant));
    let mut channel = Channel { keys, goal, frames, tagged, next: Vec::new() };
    if let Some(i) = single.min_by_key(|i| channel.cost(None, *i)) {
        return Some(alloc::vec![i]);
    }
    // A quarter of the work is left for closing a loop, and for checking held values.
    work.part(work.remaining() / 4 * 3, |work| channel.connect(work));
    if looping { channel.closed(work) } else { channel.open(work) }
}

impl<const N: usize, G: Goal<N>> Channel<'_, N, G> {
    fn frame(&self, i: usize) -> u32 {
        self.keys.get(i).map_or(0, |k| k.frame)
    }

    /// Returns the bytes that key `i` adds after key `before`.
    fn cost(&self, before: Option<usize>, i: usize) -> u32 {
        let start = before.map_or(0, |b| self.frame(b).saturating_add(1));
        let frame = self.frame(i);
        let tag = if self.tagged.get(frame as usize) == Some(&true) { 0 } else { 1 };
        4 + tag + skip_cost(frame.saturating_sub(start))
    }

    fn accepts(&self, frame: u32, value: [f64; N], work: &WorkLimit) -> bool {
        work.spend(self.goal.cost()) && self.goal.accepts(frame, value)
    }

    /// Returns true if all whole frames strictly between `from` and `to` are good enough, with `to` moved by `shift`
    /// frames.
    fn spans(&self, from: usize, to: usize, shift: u32, work: &WorkLimit) -> bool {
        let (Some(a), Some(b)) = (self.keys.get(from), self.keys.get(to)) else { return false };
        let (start, end) = (a.frame, b.frame.saturating_add(shift));
        let length = f64::from(end.saturating_sub(start));
        let good = |f: u32| {
            let t = f64::from(f.saturating_sub(start)) / length;
            let value = core::array::from_fn(|i| a.value[i] * (1.0 - t) + b.value[i] * t);
            // `f` is below twice the number of frames, and a subtraction is faster than a remainder.
            self.accepts(f.checked_sub(self.frames).unwrap_or(f), value, work)
        };
        // Most candidates fail in the middle, so it is tested first.
        let middle = start.midpoint(end);
        (middle == start || middle == end || good(middle)) && (start.saturating_add(1)..end).all(good)
    }

    /// Finds the edges, short ones first. Every key is tested against the next frame. The remaining work is
    /// divided equally between the keys for later frames.
    fn connect(&mut self, work: &WorkLimit) {
        let n = self.keys.len();
        let mut next: Vec<Vec<u32>> = alloc::vec![Vec::new(); n];
        for (i, later) in next.iter_mut().enumerate() {
            let near = (i + 1..n).find(|j| self.frame(*j) > self.frame(i));
            let Some(near) = near else { break };
            let far = (near..n).find(|j| self.frame(*j) > self.frame(near)).unwrap_or(n);
            let mut join = |j: usize, work: &WorkLimit| {
                if self.spans(i, j, 0, work) {
                    later.extend(u32::try_from(j).ok());
                }
            };
            (near..far).for_each(|j| join(j, work));
            work.part(work.remaining() / (n - i) as u64, |work| {
                for j in far..n {
                    if !work.spend(1) {
                        break;
                    }
                    join(j, work);
                }
            });
        }
        self.next = next;
    }

    /// Returns the cheapest path from one of `starts` to every later candidate: its cost, and the candidate
    /// before. Paths that cost `limit` or more are left out.
    fn search(&self, starts: impl Iterator<Item = usize>, limit: u32) -> Vec<Option<(u32, Option<usize>)>> {
        let mut best: Vec<Option<(u32, Option<usize>)>> = alloc::vec![None; self.keys.len()];
        let mut first = self.keys.len();
        for s in starts {
            if let Some(slot) = best.get_mut(s) {
                *slot = Some((self.cost(None, s), None));
            }
            first = first.min(s);
        }
        for i in first..self.keys.len() {
            let Some((cost, _)) = best.get(i).copied().flatten() else { continue };
            for j in self.next.get(i).into_iter().flatten() {
                let j = *j as usize;
                let total = cost.saturating_add(self.cost(Some(i), j));
                if total < limit
                    && let Some(slot) = best.get_mut(j)
                    && slot.is_none_or(|(old, _)| total < old)
                {
                    *slot = Some((total, Some(i)));
                }
            }
        }
        best
    }

    fn path(best: &[Option<(u32, Option<usize>)>], mut at: usize) -> Vec<usize> {
        let mut path = alloc::vec![at];
        while let Some((_, Some(before))) = best.get(at).copied().flatten() {
            path.push(before);
            at = before;
        }
        path.reverse();
        path
    }

    /// Returns the number of edges: the work of one search.
    fn edges(&self) -> u64 {
        let edges: usize = self.next.iter().map(Vec::len).sum();
        edges.saturating_add(self.keys.len()) as u64
    }

    /// Finds the path of a clip that does not loop: values are held before the first and after the last key.
    fn open(&self, work: &WorkLimit) -> Option<Vec<usize>> {
        let holds = |i: usize, mut frames: core::ops::Range<u32>| {
            let value = self.keys.get(i).map(|k| k.value);
            value.is_some_and(|v| frames.all(|f| self.accepts(f, v, work)))
        };
        let n = self.keys.len();
        // A value seldom holds up to a late first key, so late keys are tested last.
        let best = self.search((0..n).filter(|i| holds(*i, 0..self.frame(*i))), u32::MAX);
        let ends = (0..n).rev().filter_map(|i| Some((best.get(i).copied().flatten()?.0, i)));
        let ends = ends.filter(|(_, i)| holds(*i, self.frame(*i)..self.frames));
        ends.min().map(|(_, i)| Self::path(&best, i))
    }

    /// Finds the path of a looping clip: the last key blends into the first.
    fn closed(&self, work: &WorkLimit) -> Option<Vec<usize>> {
        let (all, edges) = (self.keys.len(), self.edges());
        let mut found: Option<(u32, Vec<usize>)> = None;
        for s in 0..all {
            // The first start is tried in any case.
            if !work.spend(edges) && s > 0 {
                break;
            }
            let cheapest = found.as_ref().map_or(u32::MAX, |(cost, _)| *cost);
            let best = self.search(core::iter::once(s), cheapest);
            let ends = (s + 1..all).filter_map(|i| Some((best.get(i).copied().flatten()?.0, i)));
            let mut ends: Vec<_> = ends.collect();
            ends.order();
            if let Some((cost, e)) = ends.into_iter().find(|(_, e)| self.spans(*e, s, self.frames, work)) {
                found = Some((cost, Self::path(&best, e)));
            }
        }
        found.map(|f| f.1)
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests use small numbers")]
mod tests {
    use super::*;
    use std::vec;

    struct Line(Vec<f64>, f64);

    impl Goal<1> for Line {
        fn accepts(&self, frame: u32, [value]: [f64; 1]) -> bool {
            (self.0[frame as usize] - value).abs() <= self.1
        }
    }

    fn chosen(values: &[f64], tolerance: f64, looping: bool) -> Vec<u32> {
        let keys: Vec<_> =
            (0..).zip(values).map(|(frame, v)| Candidate { frame, word: 0, value: [*v] }).collect();
        let n = u32::try_from(values.len()).unwrap();
        let goal = Line(values.to_vec(), tolerance);
        choose(&keys, &goal, n, looping, &[], &WorkLimit::new(u64::MAX))
            .unwrap()
            .into_iter()
            .map(|i| keys[i].frame)
            .collect()
    }

    #[test]
    fn corners_are_kept_and_lines_are_not() {
        assert_eq!(chosen(&[0.0, 1.0, 2.0, 3.0, 2.0, 1.0], 0.0, true), [0, 3]);
        assert_eq!(chosen(&[0.0, 1.0, 2.0, 3.0, 2.0, 1.0], 0.0, false), [0, 3, 5]);
        assert_eq!(chosen(&[2.0; 9], 0.0, true), [0]);
        assert_eq!(chosen(&[0.0, 0.0, 5.0, 5.0, 5.0], 0.0, false), [1, 2]);
        assert_eq!(chosen(&[0.0, 0.1, 0.0, 9.0], 0.2, false), [2, 3]);
    }

    /// Compares with every subset of candidates, for a small clip.
    #[test]
    fn no_choice_is_cheaper() {
        let values = [0.0, 2.0, 3.0, 3.5, 3.0, 1.0, 0.5, 0.0];
        for tolerance in [0.0, 0.3, 0.6, 1.2] {
            for looping in [false, true] {
                let goal = Line(values.to_vec(), tolerance);
                let best = (1_u32..256)
                    .filter(|set| {
                        let keys: Vec<usize> = (0..8).filter(|i| set >> i & 1 == 1).collect();
                        (0..8).all(|f| {
                            let after = keys.iter().position(|k| *k > f);
                            let (a, b) = match after {
                                Some(0) | None if !looping => {
                                    let k = if after.is_some() { keys[0] } else { keys[keys.len() - 1] };
                                    (k, k)
                                }
                                Some(0) | None => (keys[keys.len() - 1], keys[0]),
                                Some(i) => (keys[i - 1], keys[i]),
                            };
                            let length = if a == b { 1.0 } else { ((b + 8 - a) % 8) as f64 };
                            let t = ((f + 8 - a) % 8) as f64 / length;
                            let t = if a == b { 0.0 } else { t };
                            goal.accepts(f as u32, [values[a] * (1.0 - t) + values[b] * t])
                        })
                    })
                    .map(u32::count_ones)
                    .min()
                    .unwrap();
                assert_eq!(chosen(&values, tolerance, looping).len() as u32, best, "{tolerance} {looping}");
            }
        }
    }

    #[test]
    fn skips_cost_as_they_are_written() {
        let cost = |skip| {
            let keys = crate::stream::Keys {
                scale: vec![(skip, meshwright_core::num::Se32::default())],
                ..Default::default()
            };
            keys.to_steps().iter().map(|s| s.size()).sum::<usize>() - 5
        };
        for skip in [0, 31, 32, 62, 63, 64, 95, 96, 254] {
            assert_eq!(skip_cost(skip) as usize, cost(skip), "{skip}");
        }
    }
}
