//! Arrays decoded in one pass, the checks that need every element folded in.

use crate::bone::BonePose;
use crate::record::{matrix, texcoord, triangle};
use alloc::vec::Vec;
use meshwright_core::F32;

/// All exponent bits set: infinite or NaN.
const EXPONENT: u32 = 0x7f80_0000;

fn word(b: [u8; 4]) -> u32 {
    u32::from_be_bytes(b)
}

fn float(b: [u8; 4]) -> F32 {
    F32::from_bits(word(b))
}

/// Splits bytes into 32-bit words.
fn words<const B: usize, const N: usize>(bytes: &[u8; B]) -> [[u8; 4]; N] {
    let (all, _) = bytes.as_chunks::<4>();
    core::array::from_fn(|i| all.get(i).copied().unwrap_or_default())
}

/// Carries into the sign bit exactly when all exponent bits are set: a test that needs no comparison, so that
/// a whole array can be folded into one word.
pub(crate) const fn overflow(bits: u32) -> u32 {
    (bits & EXPONENT).wrapping_add(0x0080_0000)
}

/// True when some float is infinite or NaN.
pub(crate) fn any_non_finite(values: impl Iterator<Item = F32>) -> bool {
    values.fold(0, |all, v| all | overflow(v.to_bits())) >> 31 != 0
}

/// Appends bone poses; true when all elements are finite.
pub(crate) fn poses(bytes: &[u8], out: &mut Vec<BonePose>) -> bool {
    // Small runs, so that the check finds them in the nearest cache.
    const RUN: usize = matrix::SIZE * 128;
    let mut finite = true;
    for run in bytes.chunks(RUN) {
        let (items, _) = run.as_chunks::<{ matrix::SIZE }>();
        let start = out.len();
        out.extend(items.iter().map(|item| {
            let (rows, _) = item.as_chunks::<16>();
            BonePose(core::array::from_fn(|r| words(rows.get(r).unwrap_or(&[0; 16])).map(float)))
        }));
        finite &= out.get(start..).is_none_or(poses_are_finite);
    }
    finite
}

/// True when all elements are finite.
pub(crate) fn poses_are_finite(poses: &[BonePose]) -> bool {
    let mut lanes = [0_u32; 4];
    for row in poses.iter().flat_map(|p| &p.0) {
        for (lane, v) in lanes.iter_mut().zip(row) {
            *lane |= overflow(v.to_bits());
        }
    }
    lanes.iter().fold(0, |all, lane| all | lane) >> 31 == 0
}

/// A fixed number of words at the front of a record.
pub(crate) fn record<const B: usize, const N: usize>(bytes: &[u8; B]) -> [u32; N] {
    words::<B, N>(bytes).map(word)
}

/// What is known of influences once they are decoded.
#[derive(Clone, Copy, Debug, Default)]
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

/// Appends texture coordinates.
pub(crate) fn pairs(bytes: &[u8], out: &mut Vec<[F32; 2]>) {
    let (items, _) = bytes.as_chunks::<{ texcoord::SIZE }>();
    out.extend(items.iter().map(|item| words(item).map(float)));
}

/// Appends triangles and returns the greatest vertex number.
pub(crate) fn triangles(bytes: &[u8], out: &mut Vec<[u32; 3]>) -> u32 {
    let (items, _) = bytes.as_chunks::<{ triangle::SIZE }>();
    let start = out.len();
    out.extend(items.iter().map(|item| words(item).map(word)));
    out.get(start..).map_or(0, max_index)
}

/// The greatest vertex number.
pub(crate) fn max_index(triangles: &[[u32; 3]]) -> u32 {
    triangles.as_flattened().iter().fold(0, |max, &v| max.max(v))
}
