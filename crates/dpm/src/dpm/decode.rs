//! Decodes vertices in one pass, together with the checks that need every element.

use super::model::{Bounds, Frame, Influence, Vertices};
use super::record::{influence, vertex};
use crate::decode::InfluenceSummary;
use alloc::vec::Vec;
use meshwright_core::bulk::{INFINITE, Lanes, MAGNITUDE, append, finite_in, words};
use meshwright_core::{F32, kernels};

/// The size of a vertex with one influence in bytes.
pub(crate) const SINGLE: usize = vertex::SIZE + influence::SIZE;

/// The masks of an influence: seven floats and a bone number.
const MASKS: [u32; 8] =
    [MAGNITUDE, MAGNITUDE, MAGNITUDE, MAGNITUDE, MAGNITUDE, MAGNITUDE, MAGNITUDE, u32::MAX];

/// Returns whether the first `n` vertices have one influence each, so that they are records of one size.
pub(crate) fn are_single(bytes: &[u8], n: usize) -> bool {
    // Groups of vertices are checked without branches.
    const FEW: usize = 64;
    let (items, _) = bytes.as_chunks::<SINGLE>();
    let differs = |item: &[u8; SINGLE]| item.first_chunk().map_or(1, |count| u32::from_be_bytes(*count) ^ 1);
    let are_ones = |few: &[[u8; SINGLE]]| few.iter().fold(0, |all, item| all | differs(item)) == 0;
    items.get(..n).is_some_and(|items| items.chunks(FEW).all(are_ones))
}

kernels! {
    /// Appends the influences of vertices that have one each.
    pub(crate) fn single_vertices as single_vertices_portable<'a>(
        bytes: &'a [u8],
        n: usize,
        out: &'a mut Vec<Influence>,
    ) -> InfluenceSummary {
        let (items, _) = bytes.as_chunks::<SINGLE>();
        let mut lanes = Lanes::new(MASKS);
        // Copy the records next to each other first; otherwise the compiler would load them word by word, 36
        // bytes apart.
        let mut block = [[0; influence::SIZE]; 64];
        for items in items.get(..n).unwrap_or(items).chunks(block.len()) {
            for (to, [_, _, _, _, from @ ..]) in block.iter_mut().zip(items) {
                *to = *from;
            }
            append(block.get(..items.len()).unwrap_or_default(), out, |item| {
                let all = words(item, u32::from_be_bytes);
                lanes.see(all);
                Influence::from_words(all)
            });
        }
        seen_in(&lanes)
    }

    /// Appends the influences of vertices whose counts are already known.
    pub(crate) fn vertices as vertices_portable<'a>(
        bytes: &'a [u8],
        counts: &'a [u32],
        out: &'a mut Vec<Influence>,
    ) -> InfluenceSummary {
        let (mut lanes, mut rest) = (Lanes::new(MASKS), bytes);
        // Decode on the stack, because the compiler does not know that the vector has enough room.
        let mut block = [Influence::default(); 64];
        let mut used = 0_usize;
        for &count in counts {
            let len = (count as usize).saturating_mul(influence::SIZE);
            let Some((own, next)) = rest.get(vertex::SIZE..).and_then(|r| r.split_at_checked(len)) else { break };
            rest = next;
            for item in own.as_chunks::<{ influence::SIZE }>().0 {
                let all = words(item, u32::from_be_bytes);
                lanes.see(all);
                if let Some(place) = block.get_mut(used) {
                    *place = Influence::from_words(all);
                    used = used.saturating_add(1);
                }
                if used == block.len() {
                    out.extend_from_slice(&block);
                    used = 0;
                }
            }
        }
        out.extend_from_slice(block.get(..used).unwrap_or_default());
        seen_in(&lanes)
    }

    /// Summarizes decoded influences.
    pub(crate) fn summarize as summarize_portable<'a>(influences: &'a [Influence]) -> InfluenceSummary {
        let mut max_bone = 0;
        let finite = finite_in(influences, |i| {
            max_bone = max_bone.max(i.bone);
            let ([a, b, c], [d, e, f]) = (i.origin, i.normal);
            let [a, b, c, d, e, f, g] = [a, b, c, i.influence, d, e, f].map(F32::to_bits);
            [a, b, c, d, e, f, g, 0]
        });
        InfluenceSummary { non_finite: !finite, max_bone }
    }

    /// Returns whether all frames have terminated names and finite bounds. False may also mean that this was
    /// not determined.
    pub(crate) fn frames_are_plain as frames_are_plain_portable<'a>(frames: &'a [Frame]) -> bool {
        let (mut lanes, mut ends) = (Lanes::new([MAGNITUDE; 8]), 0);
        for Frame { name, bounds: Bounds { mins, maxs, yawradius, allradius }, .. } in frames {
            let ([a, b, c], [d, e, f]) = (*mins, *maxs);
            lanes.see([a, b, c, d, e, f, *yawradius, *allradius].map(F32::to_bits));
            let [.., end] = name.raw();
            ends |= end;
        }
        ends == 0 && lanes.most().iter().all(|most| *most < INFINITE)
    }

    /// Returns whether some vertex [`is_odd`].
    pub(crate) fn some_odd as some_odd_portable<'a>(vertices: &'a Vertices, bones: usize, tolerance: f32) -> bool {
        let mut influences = vertices.influences.iter();
        let mut odd = false;
        for &count in &vertices.counts {
            let (mut sum, mut least) = (0.0, 0.0_f32);
            for i in influences.by_ref().take(count as usize) {
                sum += i.influence.get();
                least = least.min(i.influence.get());
            }
            odd |= (least < 0.0) | ((sum - 1.0).abs() > tolerance) | (count as usize > bones);
        }
        odd
    }
}

/// Returns whether the influences of a vertex do not sum to 1, one is negative, or there are more influences
/// than bones.
pub(crate) fn is_odd(influences: &[Influence], bones: usize, tolerance: f32) -> bool {
    let (mut sum, mut negative) = (0.0, false);
    for i in influences {
        sum += i.influence.get();
        negative |= i.influence.get() < 0.0;
    }
    negative | ((sum - 1.0_f32).abs() > tolerance) | (influences.len() > bones)
}

#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn seen_in(lanes: &Lanes<8>) -> InfluenceSummary {
    let [floats @ .., max_bone] = lanes.most();
    InfluenceSummary { non_finite: floats.iter().any(|most| *most >= INFINITE), max_bone }
}

impl Influence {
    #[allow(clippy::inline_always, reason = "part of kernels")]
    #[inline(always)]
    fn from_words([ox, oy, oz, weight, nx, ny, nz, bone]: [u32; 8]) -> Self {
        Self {
            origin: [ox, oy, oz].map(F32::from_bits),
            influence: F32::from_bits(weight),
            normal: [nx, ny, nz].map(F32::from_bits),
            bone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bone::Name;
    use crate::decode::{poses, poses_are_finite, poses_are_finite_portable, poses_portable};
    use alloc::vec::Vec;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    /// Generates floats around the edges of the finite range, and bone numbers.
    fn word() -> impl Strategy<Value = u32> {
        const EDGES: [u32; 8] =
            [0x7f80_0000, 0xff80_0000, 0x7f80_0001, u32::MAX, 0x7f7f_ffff, 0xff7f_ffff, 0, 1];
        // `any::<f32>()` would seed several random generators for each word.
        (any::<u32>(), 0..31 * EDGES.len()).prop_map(|(bits, i)| match EDGES.get(i) {
            Some(edge) => *edge,
            None if f32::from_bits(bits).is_finite() => bits,
            None => 3,
        })
    }

    fn expected(influences: &[Influence]) -> InfluenceSummary {
        let floats = |i: &Influence| [i.origin, [i.influence; 3], i.normal];
        InfluenceSummary {
            non_finite: influences.iter().any(|i| !floats(i).as_flattened().iter().all(|v| v.is_finite())),
            max_bone: influences.iter().map(|i| i.bone).max().unwrap_or(0),
        }
    }

    proptest! {
        #[test]
        fn both_versions_decode_vertices_and_see_the_same(
            counts in prop::collection::vec(0_u32..4, 0..60),
            words in prop::collection::vec(word(), 8 * 60 * 4),
        ) {
            let mut records = words.chunks_exact(8);
            let mut bytes: Vec<u8> = Vec::new();
            let mut own = Vec::new();
            for count in &counts {
                bytes.extend(count.to_be_bytes());
                for words in records.by_ref().take(*count as usize) {
                    bytes.extend(words.iter().flat_map(|w| w.to_be_bytes()));
                    own.push(Influence::from_words(words.try_into().unwrap()));
                }
            }
            let seen_there = expected(&own);
            for decode in [vertices, vertices_portable] {
                let mut out = Vec::new();
                prop_assert_eq!(decode(&bytes, &counts, &mut out), seen_there);
                prop_assert_eq!(&out, &own);
            }
            prop_assert_eq!((summarize(&own), summarize_portable(&own)), (seen_there, seen_there));
            let model = Vertices { counts, influences: own };
            for bones in [1, 2, 9] {
                let odd = model.iter().any(|i| is_odd(i, bones, 0.5));
                prop_assert_eq!(some_odd(&model, bones, 0.5), odd);
                prop_assert_eq!(some_odd_portable(&model, bones, 0.5), odd);
            }
        }

        #[test]
        fn both_versions_decode_single_vertices(words in prop::collection::vec(word(), 8 * 150), n in 0_usize..150) {
            let records = || words.chunks_exact(8);
            let bytes: Vec<u8> =
                records().flat_map(|r| [1].into_iter().chain(r.iter().copied())).flat_map(u32::to_be_bytes).collect();
            let own: Vec<_> = records().map(|r| Influence::from_words(r.try_into().unwrap())).take(n).collect();
            prop_assert!(are_single(&bytes, 150) && !are_single(&bytes, 151));
            // Shifted by one word, a count is a coordinate, whose bits may be those of 1.
            prop_assert_eq!(are_single(&bytes[4..], n), records().take(n).all(|r| r[0] == 1));
            for decode in [single_vertices, single_vertices_portable] {
                let mut out = Vec::new();
                prop_assert_eq!(decode(&bytes, n, &mut out), expected(&own));
                prop_assert_eq!(&out, &own);
            }
        }

        #[test]
        fn both_versions_decode_poses(words in prop::collection::vec(word(), 0..12 * 80)) {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
            let whole = &words[..words.len() / 12 * 12];
            let finite = whole.iter().all(|w| f32::from_bits(*w).is_finite());
            for decode in [poses, poses_portable] {
                let mut out = Vec::new();
                prop_assert_eq!(decode(&bytes, &mut out), finite);
                let bits: Vec<u32> = out.iter().flat_map(|p| p.0).flatten().map(F32::to_bits).collect();
                prop_assert_eq!(&bits, whole);
                prop_assert_eq!((poses_are_finite(&out), poses_are_finite_portable(&out)), (finite, finite));
            }
        }
    }

    #[test]
    fn one_frame_that_is_not_plain_is_noticed() {
        let frames = [Frame::default(); 9];
        assert!(frames_are_plain(&frames) && frames_are_plain_portable(&frames));
        let spoilers: [fn(&mut Frame); 4] = [
            |f| f.name = Name::from_bytes([b'x'; 32]),
            |f| f.bounds.mins[2] = F32::new(f32::NAN),
            |f| f.bounds.yawradius = F32::new(f32::INFINITY),
            |f| f.bounds.allradius = F32::new(f32::NEG_INFINITY),
        ];
        for spoil in spoilers {
            let mut frames = frames;
            spoil(&mut frames[7]);
            assert!(!frames_are_plain(&frames) && !frames_are_plain_portable(&frames));
        }
    }
}
