//! Vertices decoded in one pass, the checks that need every element folded in.

use super::model::Influence;
use super::record::{influence, vertex};
use crate::decode::{Seen, overflow, record};
use alloc::vec::Vec;
use meshwright_core::F32;

/// A vertex with one influence.
pub(crate) const SINGLE: usize = vertex::SIZE + influence::SIZE;

/// True when the first `n` vertices have one influence each, so that they are records of one size.
pub(crate) fn are_single(bytes: &[u8], n: usize) -> bool {
    let (items, _) = bytes.as_chunks::<SINGLE>();
    items.get(..n).is_some_and(|items| items.iter().all(|item| item.starts_with(&[0, 0, 0, 1])))
}

/// Appends the influences of vertices that have one each.
pub(crate) fn single_vertices(bytes: &[u8], n: usize, out: &mut Vec<Influence>) -> Seen {
    let (items, _) = bytes.as_chunks::<SINGLE>();
    let (mut max_bone, mut all) = (0, 0);
    out.extend(items.iter().take(n).map(|item| {
        let [_, words @ ..] = record::<SINGLE, 9>(item);
        one(words, &mut max_bone, &mut all)
    }));
    Seen { non_finite: all >> 31 != 0, max_bone }
}

/// Appends the influences of vertices whose counts have been walked before.
pub(crate) fn vertices(bytes: &[u8], counts: &[u32], out: &mut Vec<Influence>) -> Seen {
    let (mut max_bone, mut all, mut rest) = (0, 0, bytes);
    for &count in counts {
        let len = (count as usize).saturating_mul(influence::SIZE);
        let Some((own, next)) = rest.get(vertex::SIZE..).and_then(|r| r.split_at_checked(len)) else { break };
        rest = next;
        let (items, _) = own.as_chunks::<{ influence::SIZE }>();
        for item in items {
            out.push(one(record::<{ influence::SIZE }, 8>(item), &mut max_bone, &mut all));
        }
    }
    Seen { non_finite: all >> 31 != 0, max_bone }
}

#[inline]
fn one(words: [u32; 8], max_bone: &mut u32, all: &mut u32) -> Influence {
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
