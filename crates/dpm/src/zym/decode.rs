//! Decodes vertices in one pass, together with the checks that need every element.

use super::model::ZymInfluence;
use super::record::vertex;
use crate::decode::InfluenceSummary;
use alloc::vec::Vec;
use meshwright_core::bulk::{INFINITE, Lanes, MAGNITUDE, append, finite_in, words};
use meshwright_core::{F32, kernels};

/// The masks of an influence: a bone number and three floats.
const MASKS: [u32; 4] = [u32::MAX, MAGNITUDE, MAGNITUDE, MAGNITUDE];

kernels! {
    /// Appends influences.
    pub(crate) fn vertices as vertices_portable<'a>(bytes: &'a [u8], out: &'a mut Vec<ZymInfluence>) -> InfluenceSummary {
        let mut lanes = Lanes::new(MASKS);
        append(bytes.as_chunks::<{ vertex::SIZE }>().0, out, |item| {
            let all = words(item, u32::from_be_bytes);
            lanes.see(all);
            let [bone, x, y, z] = all;
            ZymInfluence { bone, origin: [x, y, z].map(F32::from_bits) }
        });
        seen_in(&lanes)
    }

    /// Summarizes decoded influences.
    pub(crate) fn summarize as summarize_portable<'a>(influences: &'a [ZymInfluence]) -> InfluenceSummary {
        let mut max_bone = 0;
        let finite = finite_in(influences, |ZymInfluence { bone, origin: [x, y, z] }| {
            max_bone = max_bone.max(*bone);
            [0, x.to_bits(), y.to_bits(), z.to_bits()]
        });
        InfluenceSummary { non_finite: !finite, max_bone }
    }
}

#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn seen_in(lanes: &Lanes<4>) -> InfluenceSummary {
    let [max_bone, floats @ ..] = lanes.most();
    InfluenceSummary { non_finite: floats.iter().any(|most| *most >= INFINITE), max_bone }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    /// Generates finite floats. `any::<f32>()` would seed several random generators for each.
    fn finite() -> impl Strategy<Value = u32> {
        any::<u32>().prop_map(|bits| if f32::from_bits(bits).is_finite() { bits } else { 1 })
    }

    proptest! {
        #[test]
        fn both_versions_decode_and_see_the_same(
            words in prop::collection::vec(finite(), 0..4 * 150),
            edge in prop::sample::select(alloc::vec![0_u32, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, u32::MAX]),
            at in 0_usize..600,
        ) {
            let mut words = words;
            words.truncate(words.len() / 4 * 4);
            if let Some(word) = words.get_mut(at) {
                *word = edge;
            }
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
            let records = || words.chunks_exact(4);
            let expected = InfluenceSummary {
                non_finite: records().any(|r| r[1..].iter().any(|w| !f32::from_bits(*w).is_finite())),
                max_bone: records().map(|r| r[0]).max().unwrap_or(0),
            };
            for decode in [vertices, vertices_portable] {
                let mut out = Vec::new();
                prop_assert_eq!(decode(&bytes, &mut out), expected);
                let bits = |i: &ZymInfluence| [i.bone, i.origin[0].to_bits(), i.origin[1].to_bits(), i.origin[2].to_bits()];
                prop_assert_eq!(out.iter().flat_map(bits).collect::<Vec<_>>(), words.clone());
                prop_assert_eq!((summarize(&out), summarize_portable(&out)), (expected, expected));
            }
        }
    }
}
