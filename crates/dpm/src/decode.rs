//! Arrays decoded in one pass, the checks that need every element folded in.

use crate::bone::BonePose;
use crate::record::matrix;
use alloc::vec::Vec;
use meshwright_core::bulk::{Lanes, MAGNITUDE, append, finite_in, words};
use meshwright_core::{F32, bulk, kernels};

/// The words of a record, all of them floats.
const FLOATS: [u32; 12] = [MAGNITUDE; 12];

kernels! {
    /// Appends bone poses; true when all elements are finite.
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

    /// True when all elements are finite.
    pub(crate) fn poses_are_finite as poses_are_finite_portable<'a>(poses: &'a [BonePose]) -> bool {
        finite_in(poses, |BonePose([[a, b, c, d], [e, f, g, h], [i, j, k, l]])| {
            [a, b, c, d, e, f, g, h, i, j, k, l].map(|v| v.to_bits())
        })
    }
}

/// The facts about decoded influences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Some float is infinite or NaN.
    pub non_finite: bool,
    /// The greatest bone number.
    pub max_bone: u32,
}

impl Seen {
    /// Nothing needs to be searched for.
    pub(crate) const fn is_sound(self, bones: usize) -> bool {
        !self.non_finite && (self.max_bone as usize) < bones
    }
}

/// The greatest vertex number.
pub(crate) fn max_index(triangles: &[[u32; 3]]) -> u32 {
    bulk::greatest(triangles.as_flattened())
}
