//! Vertices decoded in one pass, the checks that need every element folded in.

use super::model::ZymInfluence;
use super::record::vertex;
use crate::decode::{Seen, overflow, record};
use alloc::vec::Vec;
use meshwright_core::F32;

/// Appends influences.
pub(crate) fn vertices(bytes: &[u8], out: &mut Vec<ZymInfluence>) -> Seen {
    let (items, _) = bytes.as_chunks::<{ vertex::SIZE }>();
    let (mut seen, mut all) = (Seen::default(), 0);
    out.extend(items.iter().map(|item| {
        let [bone, x, y, z] = record::<{ vertex::SIZE }, 4>(item);
        all |= overflow(x) | overflow(y) | overflow(z);
        seen.max_bone = seen.max_bone.max(bone);
        ZymInfluence { bone, origin: [x, y, z].map(F32::from_bits) }
    }));
    seen.non_finite = all >> 31 != 0;
    seen
}

/// What there is to know of influences that are there already.
pub(crate) fn seen(influences: &[ZymInfluence]) -> Seen {
    let (mut max_bone, mut all) = (0, 0);
    for i in influences {
        all = i.origin.iter().fold(all, |all, v| all | overflow(v.to_bits()));
        max_bone = max_bone.max(i.bone);
    }
    Seen { non_finite: all >> 31 != 0, max_bone }
}
