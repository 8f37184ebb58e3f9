//! Arrays decoded in one pass, the checks that need every element folded in.

use crate::model::{BonePose, Influence};
use crate::zym::ZymInfluence;
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
const fn overflow(bits: u32) -> u32 {
    (bits & EXPONENT).wrapping_add(0x0080_0000)
}

/// True when some float is infinite or NaN.
pub(crate) fn any_non_finite(values: impl Iterator<Item = F32>) -> bool {
    values.fold(0, |all, v| all | overflow(v.to_bits())) >> 31 != 0
}

/// Appends bone poses; true when all elements are finite.
pub(crate) fn poses(bytes: &[u8], out: &mut Vec<BonePose>) -> bool {
    // Small runs, so that the check finds them in the nearest cache.
    const RUN: usize = 48 * 128;
    let mut finite = true;
    for run in bytes.chunks(RUN) {
        let (items, _) = run.as_chunks::<48>();
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

/// True when the first `n` vertices have one influence each, so that they are records of one size.
pub(crate) fn are_single(bytes: &[u8], n: usize) -> bool {
    let (items, _) = bytes.as_chunks::<36>();
    items.get(..n).is_some_and(|items| items.iter().all(|item| item.starts_with(&[0, 0, 0, 1])))
}

/// Appends the influences of vertices that have one each.
pub(crate) fn single_vertices(bytes: &[u8], n: usize, out: &mut Vec<Influence>) -> Seen {
    let (items, _) = bytes.as_chunks::<36>();
    let (mut max_bone, mut all) = (0, 0);
    out.extend(items.iter().take(n).map(|item| {
        let [_, words @ ..] = record::<36, 9>(item);
        influence(words, &mut max_bone, &mut all)
    }));
    Seen { non_finite: all >> 31 != 0, max_bone }
}

/// Appends the influences of vertices whose counts have been walked before.
pub(crate) fn vertices(bytes: &[u8], counts: &[u32], out: &mut Vec<Influence>) -> Seen {
    let (mut max_bone, mut all, mut rest) = (0, 0, bytes);
    for &count in counts {
        let len = (count as usize).saturating_mul(32);
        let Some((own, next)) = rest.get(4..).and_then(|r| r.split_at_checked(len)) else { break };
        rest = next;
        let (items, _) = own.as_chunks::<32>();
        for item in items {
            out.push(influence(record::<32, 8>(item), &mut max_bone, &mut all));
        }
    }
    Seen { non_finite: all >> 31 != 0, max_bone }
}

#[inline]
fn influence(words: [u32; 8], max_bone: &mut u32, all: &mut u32) -> Influence {
    let [ox, oy, oz, weight, nx, ny, nz, bone] = words;
    for float in [ox, oy, oz, weight, nx, ny, nz] {
        *all |= overflow(float);
    }
    *max_bone = (*max_bone).max(bone);
    Influence {
        origin: [ox, oy, oz].map(F32::from_bits),
        influence: F32::from_bits(weight),
        normal: [nx, ny, nz].map(F32::from_bits),
        bone,
    }
}

/// What there is to know of influences that are there already.
pub(crate) fn seen(influences: &[Influence]) -> Seen {
    let (mut max_bone, mut all) = (0, 0);
    for i in influences {
        let ([a, b, c], [d, e, f]) = (i.origin, i.normal);
        for float in [a, b, c, i.influence, d, e, f] {
            all |= overflow(float.to_bits());
        }
        max_bone = max_bone.max(i.bone);
    }
    Seen { non_finite: all >> 31 != 0, max_bone }
}

/// Appends ZYM's vertices.
pub(crate) fn zym_vertices(bytes: &[u8], out: &mut Vec<ZymInfluence>) -> Seen {
    let (items, _) = bytes.as_chunks::<16>();
    let (mut seen, mut all) = (Seen::default(), 0);
    out.extend(items.iter().map(|item| {
        let [bone, x, y, z] = record::<16, 4>(item);
        all |= overflow(x) | overflow(y) | overflow(z);
        seen.max_bone = seen.max_bone.max(bone);
        ZymInfluence { bone, origin: [x, y, z].map(F32::from_bits) }
    }));
    seen.non_finite = all >> 31 != 0;
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
