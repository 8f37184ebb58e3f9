//! The cheapest keys of one channel: a shortest path through all candidates.
//!
//! Candidates are keys at whole frames. An edge joins two candidates if every whole frame between them,
//! blended from the two, stays within the allowed error. Its cost is the number of bytes that the later key
//! adds to the stream. In a looping clip the path must close, so every candidate is tried as the first. If
//! the work does not suffice, long edges and late first keys are skipped.

use super::goal::{Candidate, Goal};
use super::work_limit::WorkLimit;
use crate::pose::Timing;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::Order as _;
use meshwright_core::math::lerp;

/// Returns the bytes of the steps that only skip, for a key that follows after `skip` frames.
pub(crate) const fn skip_cost(skip: u32) -> u32 {
    // A step with a key skips up to 31 frames; one without a key passes 32.
    if skip > 31 { (skip - 31).div_ceil(32) } else { 0 }
}

struct Search<'a> {
    keys: &'a [Candidate],
    goal: &'a Goal<'a>,
    frames: u32,
    /// Marks frames that have a step anyway, so that a key there needs no tag.
    tagged: &'a [bool],
    /// The later candidates that can follow each candidate.
    next: Vec<Vec<u32>>,
}

/// Returns the candidates to keep. `None` if no choice stays within the goal, or the work did not suffice to
/// find one. `keys` are sorted by frame.
pub(crate) fn choose(
    keys: &[Candidate],
    goal: &Goal<'_>,
    timing: Timing,
    tagged: &[bool],
    work: &WorkLimit,
) -> Option<Vec<Candidate>> {
    let Timing { frames, looping } = timing;
    let mut search = Search { keys, goal, frames, tagged, next: Vec::new() };
    // A single key gives a constant.
    let mut single: Option<(u32, Candidate)> = None;
    for (i, key) in keys.iter().enumerate() {
        let cost = search.cost(None, i);
        if search.holds(i, 0..frames, work) && single.is_none_or(|(least, _)| cost < least) {
            single = Some((cost, *key));
        }
    }
    if let Some((_, key)) = single {
        return Some(alloc::vec![key]);
    }
    // A quarter of the work is left for closing a loop, and for checking held values.
    work.part(work.remaining() / 4 * 3, |work| search.connect(work));
    let chosen = if looping { search.closed(work) } else { search.open(work) };
    chosen.map(|path| path.into_iter().filter_map(|i| keys.get(i).copied()).collect())
}

impl Search<'_> {
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

    /// Returns true if the value of key `i` is good enough at all these frames.
    fn holds(&self, i: usize, mut frames: Range<u32>, work: &WorkLimit) -> bool {
        let Some(key) = self.keys.get(i) else { return false };
        frames.all(|f| work.spend(self.goal.cost()) && self.goal.accepts(f, key.value))
    }

    /// Returns true if all whole frames strictly between `from` and `to` are good enough, with `to` moved by `shift`
    /// frames.
    fn spans(&self, from: usize, to: usize, shift: u32, work: &WorkLimit) -> bool {
        let (Some(a), Some(b)) = (self.keys.get(from), self.keys.get(to)) else { return false };
        let length = b.frame.saturating_add(shift).saturating_sub(a.frame);
        let blended = |offset: u32| {
            let t = f64::from(offset) / f64::from(length);
            let f = a.frame + offset;
            // `f` is below twice the number of frames, and a subtraction is faster than a remainder.
            (if f < self.frames { f } else { f - self.frames }, lerp(a.value, b.value, t))
        };
        // Most candidates fail in the middle, so it is tested first.
        let offsets = (0..length).map(|n| if n == 0 { length / 2 } else { n });
        length < 2 || self.goal.accepts_all(offsets.map(blended), work)
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

    /// Returns the cheapest path from one of `starts`, which are ascending, to every later candidate: its cost, and the candidate
    /// before. Paths that cost `limit` or more are left out.
    fn paths(&self, starts: &[usize], limit: u32) -> Vec<Option<(u32, Option<usize>)>> {
        let mut best: Vec<Option<(u32, Option<usize>)>> = alloc::vec![None; self.keys.len()];
        for s in starts {
            if let Some(slot) = best.get_mut(*s) {
                *slot = Some((self.cost(None, *s), None));
            }
        }
        let first = starts.first().copied().unwrap_or(self.keys.len());
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
        // A value seldom holds up to a late first key, so late keys are tested last.
        let starts: Vec<usize> =
            (0..self.keys.len()).filter(|i| self.holds(*i, 0..self.frame(*i), work)).collect();
        let best = self.paths(&starts, u32::MAX);
        let mut end: Option<(u32, usize)> = None;
        for (i, place) in best.iter().enumerate().rev() {
            let Some((cost, _)) = *place else { continue };
            if self.holds(i, self.frame(i)..self.frames, work) && end.is_none_or(|least| (cost, i) < least) {
                end = Some((cost, i));
            }
        }
        end.map(|(_, i)| Self::path(&best, i))
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
            let best = self.paths(&[s], cheapest);
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
    use super::super::goal::{Tolerance, to_value};
    use super::*;
    use std::vec;

    fn line(values: &[f64], distance: f64) -> Goal<'static> {
        Tolerance::Near { values: values.iter().map(|v| to_value([*v, 0.0, 0.0])).collect(), distance }.into()
    }

    fn chosen(values: &[f64], tolerance: f64, looping: bool) -> Vec<u32> {
        let candidate =
            |(frame, v): (u32, &f64)| Candidate { frame, word: 0, value: to_value([*v, 0.0, 0.0]) };
        let keys: Vec<_> = (0..).zip(values).map(candidate).collect();
        let timing = Timing { frames: u32::try_from(values.len()).unwrap(), looping };
        let chosen = choose(&keys, &line(values, tolerance), timing, &[], &WorkLimit::new(u64::MAX));
        chosen.unwrap().iter().map(|k| k.frame).collect()
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
                let goal = line(&values, tolerance);
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
                            let value = values[a] * (1.0 - t) + values[b] * t;
                            goal.accepts(f as u32, to_value([value, 0.0, 0.0]))
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
