//! Reads the joints and weights of vertices.

use crate::document::rules::{
    JOINT_RANGE, JOINT_RANGE_UNUSED, NOT_FINITE, VERTICES_UNBOUND, WEIGHTS_NEGATIVE, WEIGHTS_NORMALIZED,
};
use crate::document::{Blocks, Document, Primitive, Semantic};
use core::ops::Range;
use meshwright_core::bulk::INFINITE;
use meshwright_core::math::narrow1;
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{Influence, Loss, Skin};

/// The maximum difference of the sum of weights from 1 up to which weights are not changed.
const SUM: f64 = 1e-3;

/// The number of vertices in a block.
const BLOCK: usize = 256;

/// A set of four joints and weights per vertex.
struct Set<'d> {
    joints: Blocks<'d, u32>,
    weights: Blocks<'d, f32>,
}

/// Joints and weights of vertices, set by set.
pub(super) struct Sets<'d>(Vec<Set<'d>>);

/// Counts the faults of vertices.
#[derive(Default)]
struct Oddities {
    negative: usize,
    scaled: usize,
    /// The largest difference of a vertex's sum of weights from 1.
    off: f64,
    unbound: usize,
    unused: usize,
}

/// An invalid weight or joint: the rule, the vertex, and a message.
type Fault = (&'static meshwright_core::Rule, usize, String);

impl<'d> Sets<'d> {
    pub(super) fn read(document: &'d Document<'_>, primitive: &Primitive<'_>) -> Result<Self, ReadError> {
        let mut sets = Vec::new();
        for s in 0.. {
            let pair = (primitive.get(&Semantic::Joints(s)), primitive.get(&Semantic::Weights(s)));
            let (Some(joints), Some(weights)) = pair else { break };
            let (joints, weights) =
                (document.integers_in_blocks(joints, 4)?, document.floats_in_blocks(weights, 4)?);
            sets.push(Set { joints, weights });
        }
        Ok(Self(sets))
    }

    /// Binds `count` vertices. `joints` maps the skin's joints to the skeleton's.
    pub(super) fn fill(
        mut self,
        skin: &mut Skin,
        document: &Document<'_>,
        joints: &[u32],
        count: usize,
        (m, path): (usize, &FieldPath<'_>),
        losses: &mut Vec<Loss>,
    ) -> Result<(), ReadError> {
        let each = self.0.len().saturating_mul(4);
        skin.starts = document.room(path, "influences", count.saturating_add(1))?;
        skin.starts.push(0);
        // The maximum possible number is reserved; memory that is never written costs nothing.
        skin.influences = document.room(path, "influences", count.saturating_mul(each))?;
        // Four more entries, so that four can be written at every position.
        let room = BLOCK.saturating_mul(each).saturating_add(4);
        let mut packed = document.filled(path, "influences", room)?;
        let mut odd = Oddities::default();
        let mut fours = [[Influence::default(); 4]; BLOCK];
        let same = joints.iter().zip(0..).all(|(known, joint)| *known == joint);
        for start in (0..count).step_by(BLOCK) {
            let range = start..start.saturating_add(BLOCK).min(count);
            for set in &mut self.0 {
                set.joints.load(range.clone());
                set.weights.load(range.clone());
            }
            let mut seen = Seen::new();
            if self.are_plain(range.len(), joints.len(), &mut seen) {
                if !same {
                    self.name(joints);
                }
                self.pack(&mut seen, range.len(), (&mut fours, &mut packed), skin);
                continue;
            }
            self.each(range, joints, &mut odd, skin).map_err(|(rule, v, message)| {
                document.fault(rule, &path.field("WEIGHTS").index(v), ("meshes", m), message)
            })?;
        }
        skin.influences.shrink_to_fit();
        odd.tell(document, path, m);
        odd.report(m, losses);
        Ok(())
    }

    /// Returns true if the block certainly has no faults: no weight is negative or not finite, all joints exist, and all sums
    /// are 1 within the error of 32 bits.
    fn are_plain(&self, count: usize, joints: usize, seen: &mut Seen) -> bool {
        /// The maximum error of a sum of four.
        const ERROR: f64 = 1e-6;
        for set in &self.0 {
            let (known, weights) = (set.joints.loaded(), set.weights.loaded());
            if known.len() != count || weights.len() != count {
                return false;
            }
            look(known, weights, seen);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a small bound")]
        let bound = (SUM - ERROR * self.0.len() as f64) as f32;
        let sums = seen.sums.get(..count).unwrap_or_default();
        let is_one = |sum: &f32| (sum - 1.0).abs() <= bound;
        seen.weight < INFINITE
            && usize::try_from(seen.joint).is_ok_and(|most| most < joints)
            && sums.iter().fold(true, |all, sum| all & is_one(sum))
    }

    /// Replaces the joints of the block, which are valid, by their numbers in the skeleton.
    fn name(&mut self, joints: &[u32]) {
        for joint in self.0.iter_mut().flat_map(|set| set.joints.loaded_mut::<4>().as_flattened_mut()) {
            *joint = joints.get(*joint as usize).copied().unwrap_or(0);
        }
    }

    /// Appends the influences of a block without faults, with the joint numbers of the skeleton.
    ///
    /// Processors cannot predict where zero weights are. So all four values are written, and the
    /// next values overwrite the unused ones.
    fn pack(
        &self,
        seen: &mut Seen,
        count: usize,
        (fours, packed): (&mut [[Influence; 4]], &mut [Influence]),
        skin: &mut Skin,
    ) {
        let (before, mut at) = (skin.influences.len(), 0_usize);
        match (self.0.as_slice(), u32::try_from(before.saturating_add(packed.len()))) {
            ([set], Ok(_)) if !seen.gaps => {
                pair(set.joints.loaded(), set.weights.loaded(), fours);
                let ends = seen.counts.get_mut(..count).unwrap_or_default();
                at = pack(fours, ends, u32::try_from(before).unwrap_or(0), packed);
                skin.starts.extend_from_slice(ends);
            }
            _ => skin.starts.extend((0..count).map(|v| {
                for (joint, weight) in self.influences_of(v) {
                    if let Some(slot) = packed.get_mut(at) {
                        *slot = Influence { joint, weight };
                    }
                    at = at.saturating_add(usize::from(weight != 0.0));
                }
                u32::try_from(before.saturating_add(at)).unwrap_or(u32::MAX)
            })),
        }
        skin.influences.extend_from_slice(packed.get(..at).unwrap_or_default());
    }

    /// Returns the influences of a vertex of the block.
    fn influences_of(&self, v: usize) -> impl Iterator<Item = (u32, f32)> {
        let four = move |set: &Set<'_>| {
            Some((*set.joints.loaded::<4>().get(v)?, *set.weights.loaded::<4>().get(v)?))
        };
        self.0.iter().filter_map(four).flat_map(|(joints, weights)| joints.into_iter().zip(weights))
    }

    /// Appends the influences of a block, vertex by vertex.
    fn each(
        &self,
        range: Range<usize>,
        joints: &[u32],
        odd: &mut Oddities,
        skin: &mut Skin,
    ) -> Result<(), Fault> {
        for (at, v) in range.enumerate() {
            let mut sum = 0.0;
            for (joint, weight) in self.influences_of(at) {
                if !weight.is_finite() {
                    return Err((NOT_FINITE, v, "is not finite".into()));
                }
                if weight == 0.0 && joint as usize >= joints.len() {
                    odd.unused = odd.unused.saturating_add(1);
                }
                sum += f64::from(weight.max(0.0));
            }
            let scale = if (sum - 1.0).abs() > SUM && sum > 0.0 { 1.0 / sum } else { 1.0 };
            odd.scaled = odd.scaled.saturating_add(usize::from(scale != 1.0));
            odd.off = if scale == 1.0 { odd.off } else { odd.off.max((sum - 1.0).abs()) };
            odd.unbound = odd.unbound.saturating_add(usize::from(sum == 0.0));
            for (joint, weight) in self.influences_of(at).filter(|(_, weight)| *weight != 0.0) {
                let Some(&known) = joints.get(joint as usize) else {
                    return Err((JOINT_RANGE, v, format!("joint {joint} of {}", joints.len())));
                };
                if weight < 0.0 {
                    odd.negative = odd.negative.saturating_add(1);
                    continue;
                }
                let weight = if scale == 1.0 { weight } else { narrow1(f64::from(weight) * scale) };
                skin.influences.push(Influence { joint: known, weight });
            }
            skin.end_vertex();
        }
        Ok(())
    }
}

impl Oddities {
    /// Reports the changes of weights.
    fn report(&self, m: usize, losses: &mut Vec<Loss>) {
        if self.scaled > 0 {
            let message = "weights that do not sum to 1 were scaled";
            let note = Loss::note(WEIGHTS_NORMALIZED.code, format!("meshes[{m}]"), message);
            losses.push(note.with_count(self.scaled, "vertex", "vertices").with_amount(self.off, "off 1"));
        }
        if self.negative > 0 {
            let message = "negative weights were left out";
            let loss = Loss::new(WEIGHTS_NEGATIVE.code, format!("meshes[{m}]"), message);
            losses.push(loss.with_count(self.negative, "weight", "weights"));
        }
    }

    /// Warns about vertices without weights, and about invalid joints with weight 0.
    fn tell(&self, document: &Document<'_>, path: &FieldPath<'_>, m: usize) {
        let rules = [
            (VERTICES_UNBOUND, self.unbound, "vertices have no weights"),
            (JOINT_RANGE_UNUSED, self.unused, "vertices name joints that do not exist, with weight 0"),
        ];
        for (rule, count, what) in rules.into_iter().filter(|(_, count, _)| *count > 0) {
            document.warn(rule, path, ("meshes", m), format!("{count} {what}"));
        }
    }
}

/// A summary of a block.
struct Seen {
    /// The largest joint number.
    joint: u32,
    /// The largest weight, compared by bits; negative weights count as larger than all others.
    weight: u32,
    /// True if somewhere a zero weight is followed by another weight.
    gaps: bool,
    /// The sum of the weights of each vertex, and the number of its weights that are not 0.
    sums: [f32; BLOCK],
    counts: [u32; BLOCK],
}

impl Seen {
    const fn new() -> Self {
        Self { joint: 0, weight: 0, gaps: false, sums: [0.0; BLOCK], counts: [0; BLOCK] }
    }
}

meshwright_core::kernels! {
    /// Combines joints and weights, as many as all slices hold.
    fn pair as pair_portable<'a>(joints: &'a [[u32; 4]], weights: &'a [[f32; 4]], out: &'a mut [[Influence; 4]]) -> () {
        let pairs = joints.as_flattened().iter().zip(weights.as_flattened());
        for (to, (joint, weight)) in out.as_flattened_mut().iter_mut().zip(pairs) {
            *to = Influence { joint: *joint, weight: *weight };
        }
    }

    /// Moves the used values of each group of four next to each other, and returns their number. The counts
    /// are replaced by the end of each vertex; `before` is the first start.
    fn pack as pack_portable<'a>(
        fours: &'a [[Influence; 4]],
        counts: &'a mut [u32],
        before: u32,
        packed: &'a mut [Influence],
    ) -> usize {
        let mut at = 0_u32;
        for (four, count) in fours.iter().zip(counts) {
            if let Some(slot) = packed.get_mut(at as usize..).and_then(<[_]>::first_chunk_mut) {
                *slot = *four;
            }
            at = at.wrapping_add(*count);
            *count = before.wrapping_add(at);
        }
        at as usize
    }

    /// Summarizes the vertices of a block.
    fn look as look_portable<'a>(joints: &'a [[u32; 4]], weights: &'a [[f32; 4]], seen: &'a mut Seen) -> () {
        seen.joint = joints.as_flattened().iter().fold(seen.joint, |most, joint| most.max(*joint));
        seen.weight = weights.as_flattened().iter().fold(seen.weight, |most, weight| most.max(weight.to_bits()));
        let mut gaps = 0;
        for ((sum, count), [a, b, c, d]) in seen.sums.iter_mut().zip(&mut seen.counts).zip(weights) {
            *sum += (a + b) + (c + d);
            let [a, b, c, d] = [a, b, c, d].map(|weight| u32::from(*weight != 0.0));
            *count = count.wrapping_add(a).wrapping_add(b).wrapping_add(c).wrapping_add(d);
            gaps |= (b & !a) | (c & !b) | (d & !c);
        }
        seen.gaps |= gaps != 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_pair_and_pack_alike() {
        for count in [0_u16, 1, 7, 8, 31, 255, 256] {
            let at = |v: u16, lane: u16| (v + lane < 300).then(|| f32::from(v * 4 + lane + 1));
            let joints: Vec<_> =
                (0..count).map(|v| [0, 1, 2, 3].map(|lane| u32::from(v * 7 + lane))).collect();
            let weights: Vec<_> = (0..count)
                .map(|v| [0, 1, 2, 3].map(|lane| at(v, lane).filter(|_| lane <= v % 5).unwrap_or(0.0)))
                .collect();
            let counts: Vec<u32> =
                weights.iter().map(|w| w.iter().map(|w| u32::from(*w != 0.0)).sum()).collect();
            let none = || vec![[Influence::default(); 4]; BLOCK];
            let (mut fours, mut portable) = (none(), none());
            pair(&joints, &weights, &mut fours);
            pair_portable(&joints, &weights, &mut portable);
            assert_eq!(fours, portable);
            let run = |portable: bool| {
                let (mut ends, mut packed) = (counts.clone(), vec![Influence::default(); 4 * BLOCK + 4]);
                let pack = if portable { pack_portable } else { pack };
                let end = pack(&fours, &mut ends, 1000, &mut packed);
                packed.truncate(end);
                (ends, packed)
            };
            let (ends, packed) = run(false);
            assert_eq!((ends.clone(), packed.clone()), run(true));
            let each = joints.iter().zip(&weights).map(|(j, w)| j.iter().zip(w).filter(|(_, w)| **w != 0.0));
            let each: Vec<Vec<_>> = each
                .map(|v| v.map(|(joint, weight)| Influence { joint: *joint, weight: *weight }).collect())
                .collect();
            assert_eq!(packed, each.concat());
            let mut end = 1000;
            let known: Vec<u32> = counts
                .iter()
                .map(|count| {
                    end += count;
                    end
                })
                .collect();
            assert_eq!(ends, known);
        }
    }
}
