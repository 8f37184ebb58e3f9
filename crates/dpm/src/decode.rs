//! Decodes arrays in one pass, together with the checks that need every element.

use crate::bone::BonePose;
use crate::record::matrix;
use alloc::vec::Vec;
use meshwright_core::bulk::{Lanes, MAGNITUDE, append, finite_in, words};
use meshwright_core::{F32, bulk, kernels};

/// The words of a record of twelve floats.
const FLOATS: [u32; 12] = [MAGNITUDE; 12];

kernels! {
    /// Appends bone poses. Returns whether all elements are finite.
    pub(crate) fn poses as poses_portable<'a>(bytes: &'a [u8], out: &'a mut Vec<BonePose>) -> bool {
        let mut seen = Lanes::new(FLOATS);
        append(bytes.as_chunks::<{ matrix::SIZE }>().0, out, |item| {
            let all = words(item, u32::from_be_bytes);
            seen.see(all);
            let [a, b, c, d, e, f, g, h, i, j, k, l] = all.map(F32::from_bits);
            BonePose([[a, b, c, d], [e, f, g, h], [i, j, k, l]])
        });
        seen.most().iter().all(|most| *most < bulk::INFINITE)
    }

    /// Returns whether all elements are finite.
    pub(crate) fn poses_are_finite as poses_are_finite_portable<'a>(poses: &'a [BonePose]) -> bool {
        finite_in(poses, |BonePose([[a, b, c, d], [e, f, g, h], [i, j, k, l]])| {
            [a, b, c, d, e, f, g, h, i, j, k, l].map(|v| v.to_bits())
        })
    }
}

/// A summary of decoded influences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InfluenceSummary {
    /// True if some float is infinite or NaN.
    pub non_finite: bool,
    /// The largest bone number.
    pub max_bone: u32,
}

impl InfluenceSummary {
    /// Returns whether no search for faults is needed.
    pub(crate) const fn is_sound(self, bones: usize) -> bool {
        !self.non_finite && (self.max_bone as usize) < bones
    }
}

/// Returns the largest vertex index.
pub(crate) fn max_index(triangles: &[[u32; 3]]) -> u32 {
    bulk::greatest(triangles.as_flattened())
}
