//! Arrays decoded in one pass, the checks that need every element folded in.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use crate::model::{BonePose, Influence};
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

/// True when some float is infinite or NaN.
pub(crate) fn any_non_finite(values: impl Iterator<Item = F32>) -> bool {
    values.fold(false, |bad, v| bad | (v.to_bits() & EXPONENT == EXPONENT))
}

/// Appends bone poses; true when all elements are finite.
pub(crate) fn poses(bytes: &[u8], out: &mut Vec<BonePose>) -> bool {
    let (items, _) = bytes.as_chunks::<48>();
    let start = out.len();
    out.extend(items.iter().map(|item| {
        let (rows, _) = item.as_chunks::<16>();
        BonePose(core::array::from_fn(|r| words(rows.get(r).unwrap_or(&[0; 16])).map(float)))
    }));
    out.get(start..).is_none_or(poses_are_finite)
}

/// True when all elements are finite.
pub(crate) fn poses_are_finite(poses: &[BonePose]) -> bool {
    let bad = poses.iter().fold(false, |bad, pose| {
        let rows = pose.0.as_flattened();
        bad | rows.iter().fold(false, |bad, v| bad | (v.to_bits() & EXPONENT == EXPONENT))
    });
    !bad
}

/// What is known of influences once they are decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Some float is infinite or NaN.
    pub non_finite: bool,
    /// The greatest bone number.
    pub max_bone: u32,
}

/// Appends the influences of vertices whose counts have been walked before.
pub(crate) fn vertices(bytes: &[u8], counts: &[u32], out: &mut Vec<Influence>) -> Seen {
    let (mut seen, mut rest) = (Seen::default(), bytes);
    for &count in counts {
        let len = (count as usize).saturating_mul(32);
        let Some((own, next)) = rest.get(4..).and_then(|r| r.split_at_checked(len)) else { break };
        rest = next;
        let (items, _) = own.as_chunks::<32>();
        for item in items {
            let w: [u32; 8] = words::<32, 8>(item).map(word);
            let [ox, oy, oz, weight, nx, ny, nz, bone] = w;
            for float in [ox, oy, oz, weight, nx, ny, nz] {
                seen.non_finite |= float & EXPONENT == EXPONENT;
            }
            seen.max_bone = seen.max_bone.max(bone);
            out.push(Influence {
                origin: [ox, oy, oz].map(F32::from_bits),
                influence: F32::from_bits(weight),
                normal: [nx, ny, nz].map(F32::from_bits),
                bone,
            });
        }
    }
    seen
}

/// Appends texture coordinates.
pub(crate) fn pairs(bytes: &[u8], out: &mut Vec<[F32; 2]>) {
    let (items, _) = bytes.as_chunks::<8>();
    out.extend(items.iter().map(|item| words(item).map(float)));
}

/// Appends triangles and answers the greatest vertex number.
pub(crate) fn triangles(bytes: &[u8], out: &mut Vec<[u32; 3]>) -> u32 {
    let (items, _) = bytes.as_chunks::<12>();
    let start = out.len();
    out.extend(items.iter().map(|item| words(item).map(word)));
    out.get(start..).map_or(0, max_index)
}

/// The greatest vertex number.
pub(crate) fn max_index(triangles: &[[u32; 3]]) -> u32 {
    triangles.as_flattened().iter().fold(0, |max, &v| max.max(v))
}
