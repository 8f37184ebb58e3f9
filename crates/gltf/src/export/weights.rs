//! Writes influences in sets of four.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "vectors of fixed size and neighbouring keys; counts of what is in memory"
)]

use crate::export::options::Influences;
use meshwright_core::Order as _;
use meshwright_scene::{Budget, ConvertError, Influence, Loss, Skin};

/// The joints and weights of a mesh, vertex by vertex in sets.
#[derive(Debug)]
pub(crate) struct Bound<J> {
    /// `sets[s]` has set `s` of every vertex.
    pub(crate) sets: Vec<Set<J>>,
    /// True if a vertex is bound to the joint after the last one of the skeleton.
    pub(crate) neutral: bool,
}

#[derive(Debug)]
pub(crate) struct Set<J> {
    pub(crate) joints: Vec<[J; 4]>,
    pub(crate) weights: Vec<[f32; 4]>,
}

/// Four influences of a vertex.
type Four = ([u16; 4], [f32; 4]);

/// The difference of a sum of weights from 1 that is not reported.
const SUM_NOISE: f64 = 2e-6;

#[derive(Default)]
struct Tally {
    truncated: usize,
    dropped: f64,
    scaled: usize,
    sum: f64,
    negative: usize,
    unbound: usize,
}

/// Collects influences in sets; `number` converts a joint's number to its stored form.
pub(crate) fn bind<J: Copy>(
    skin: &Skin,
    (joint_count, number): (usize, fn(u16) -> J),
    wanted: Influences,
    memory: &Budget,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Bound<J>, ConvertError> {
    let neutral = u16::try_from(joint_count)
        .map_err(|_| ConvertError::unsupported(path, "glTF skins have at most 65535 joints"))?;
    let n = skin.vertex_count();
    let mut most = 4;
    let mut one = Vec::new();
    if wanted == Influences::All {
        for v in 0..n {
            merge(skin.influences(v), &mut one);
            most = most.max(one.len());
        }
    }
    let count = most.div_ceil(4);
    let mut sets = Vec::new();
    for _ in 0..count {
        let joints = memory.reserve("joints of vertices", n)?;
        let weights = memory.reserve("weights of vertices", n)?;
        sets.push(Set { joints, weights });
    }
    let mut tally = Tally::default();
    let mut row: Vec<Four> = vec![Four::default(); count];
    for v in 0..n {
        let own = skin.influences(v);
        // A vertex with a single joint has all its weight there.
        if let ([i], [set]) = (own, &mut *sets)
            && i.weight > 0.0
        {
            tally.see_sum(i.weight.into());
            set.joints.push([u16::try_from(i.joint).unwrap_or(0), 0, 0, 0].map(number));
            set.weights.push([1.0, 0.0, 0.0, 0.0]);
            continue;
        }
        row.fill(Four::default());
        let negative = merge(own, &mut one);
        tally.negative += usize::from(negative);
        if one.is_empty() {
            tally.unbound += 1;
            put_influence(&mut row, 0, neutral, 1.0);
        } else {
            tally.see(&mut one, count * 4);
            place(&mut row, &one);
        }
        for (set, (joints, weights)) in sets.iter_mut().zip(&row) {
            set.joints.push(joints.map(number));
            set.weights.push(*weights);
        }
    }
    tally.report(path, losses);
    Ok(Bound { sets, neutral: tally.unbound > 0 })
}

/// Collects the positive influences of a vertex, each joint once, the heaviest first. Returns true if there are
/// negative ones.
fn merge(influences: &[Influence], into: &mut Vec<(u16, f64)>) -> bool {
    into.clear();
    let mut negative = false;
    for i in influences {
        negative |= i.weight < 0.0;
        if i.weight > 0.0 {
            // The caller has seen that joints fit 16 bits.
            into.push((u16::try_from(i.joint).unwrap_or(0), f64::from(i.weight)));
        }
    }
    if into.len() > 1 {
        into.order_by_key(|i| i.0);
        into.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += b.1;
            }
            same
        });
        into.order_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    }
    negative
}

/// Returns the sum of weights.
fn sum(influences: &[(u16, f64)]) -> f64 {
    influences.iter().map(|i| i.1).sum()
}

/// Writes the influences of a vertex so that their weights, as they are stored, sum to 1.
fn place(row: &mut [Four], influences: &[(u16, f64)]) {
    let total = sum(influences);
    let mut rest = 0.0;
    for (slot, (joint, weight)) in influences.iter().enumerate().skip(1) {
        #[expect(clippy::cast_possible_truncation, reason = "rounded to the precision that glTF stores")]
        let weight = (weight / total) as f32;
        rest += f64::from(weight);
        // A weight that rounds to nothing has no joint either.
        if weight > 0.0 {
            put_influence(row, slot, *joint, weight);
        }
    }
    if let Some((joint, _)) = influences.first() {
        #[expect(clippy::cast_possible_truncation, reason = "rounded to the precision that glTF stores")]
        put_influence(row, 0, *joint, (1.0 - rest) as f32);
    }
}

fn put_influence(row: &mut [Four], slot: usize, joint: u16, weight: f32) {
    if let Some((joints, weights)) = row.get_mut(slot / 4) {
        joints[slot % 4] = joint;
        weights[slot % 4] = weight;
    }
}

impl Tally {
    /// Records the sum of a vertex's weights.
    fn see_sum(&mut self, total: f64) {
        if (total - 1.0).abs() > SUM_NOISE {
            self.scaled += 1;
            self.sum = self.sum.max((total - 1.0).abs());
        }
    }

    /// Reads the influences of a vertex, and keeps at most `most` of them.
    fn see(&mut self, influences: &mut Vec<(u16, f64)>, most: usize) {
        let total = sum(influences);
        self.see_sum(total);
        if influences.len() > most {
            self.truncated += 1;
            let dropped = sum(influences.get(most..).unwrap_or_default());
            self.dropped = self.dropped.max(dropped / total);
            influences.truncate(most);
        }
    }

    fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        if self.truncated > 0 {
            let loss = Loss::new("influences-dropped", path, "vertices keep their heaviest influences only");
            let loss = loss
                .with_count(self.truncated, "vertex", "vertices")
                .with_amount(self.dropped, "of the weight");
            losses.push(loss.noise_below(Loss::NOISE));
        }
        if self.scaled > 0 {
            let loss = Loss::new("weights-normalized", path, "the weights of a vertex were made to sum to 1");
            let loss = loss.with_count(self.scaled, "vertex", "vertices").with_amount(self.sum, "of the sum");
            losses.push(loss.noise_below(Loss::NOISE));
        }
        if self.negative > 0 {
            let loss = Loss::new("weights-negative", path, "negative weights were dropped");
            losses.push(loss.with_count(self.negative, "vertex", "vertices"));
        }
        if self.unbound > 0 {
            let message = "vertices without influences are bound to an extra joint";
            let loss = Loss::note("vertices-unbound", path, message);
            losses.push(loss.with_count(self.unbound, "vertex", "vertices"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::Limits;
    use meshwright_scene::SkeletonId;

    fn bound(vertices: &[&[(u32, f32)]], wanted: Influences) -> (Bound<u16>, Vec<Loss>) {
        let mut skin = Skin::new(SkeletonId(0));
        for v in vertices {
            skin.influences.extend(v.iter().map(|&(joint, weight)| Influence { joint, weight }));
            skin.end_vertex();
        }
        let mut losses = Vec::new();
        let memory = Budget::new(Limits::default().with_memory(1 << 20));
        let bound = bind(&skin, (9, |j| j), wanted, &memory, "m", &mut losses).unwrap();
        (bound, losses)
    }

    fn codes(losses: &[Loss]) -> Vec<&str> {
        losses.iter().map(|l| l.code).collect()
    }

    #[test]
    fn repeated_joints_are_merged_and_the_heaviest_lead() {
        let (b, losses) = bound(&[&[(3, 0.25), (1, 0.5), (3, 0.25), (2, 0.0)]], Influences::Four);
        assert_eq!(b.sets[0].joints, [[1, 3, 0, 0]]);
        assert_eq!(b.sets[0].weights, [[0.5, 0.5, 0.0, 0.0]]);
        assert!(losses.is_empty() && !b.neutral);
    }

    #[test]
    fn four_are_kept_and_the_rest_is_reported() {
        let many: Vec<_> = (0..6).map(|j| (j, if j == 5 { 0.5 } else { 0.1 })).collect();
        let (b, losses) = bound(&[&many], Influences::Four);
        assert_eq!(b.sets[0].joints, [[5, 0, 1, 2]]);
        assert_eq!(codes(&losses), ["influences-dropped"]);
        assert!((losses[0].amount.unwrap() - 0.2).abs() < 1e-6);
        let (b, losses) = bound(&[&many], Influences::All);
        assert_eq!((b.sets.len(), b.sets[1].joints[0]), (2, [3, 4, 0, 0]));
        assert!(losses.is_empty());
    }

    #[test]
    fn odd_weights_are_repaired_and_reported() {
        let vertices: &[&[(u32, f32)]] = &[&[], &[(4, 0.0)], &[(1, -1.0), (2, 0.5)], &[(0, 1.0), (1, 1e-45)]];
        let (b, losses) = bound(vertices, Influences::Four);
        assert_eq!(b.sets[0].joints, [[9, 0, 0, 0], [9, 0, 0, 0], [2, 0, 0, 0], [0, 1, 0, 0]]);
        assert_eq!(b.sets[0].weights[2], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(codes(&losses), ["weights-normalized", "weights-negative", "vertices-unbound"]);
        assert!(b.neutral);
    }

    #[test]
    fn stored_weights_sum_to_one() {
        for n in 1..40_u32 {
            let v: Vec<_> =
                (0..n.min(9)).map(|j| (j, 1.0 / f32::from(u8::try_from(n + j).unwrap()))).collect();
            let (b, _) = bound(&[&v], Influences::All);
            let sum: f64 = b.sets.iter().flat_map(|s| s.weights[0]).map(f64::from).sum();
            assert!((sum - 1.0).abs() < 1e-7, "{n}: {sum}");
        }
    }

    #[test]
    fn too_many_joints_are_refused() {
        let skin = Skin::new(SkeletonId(0));
        let memory = Budget::new(Limits::default().with_memory(100));
        assert!(bind(&skin, (70_000, |j| j), Influences::Four, &memory, "m", &mut vec![]).is_err());
    }
}
