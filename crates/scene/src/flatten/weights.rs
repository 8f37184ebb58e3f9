//! Reduces the number of weights per vertex, and scales them to a sum of 1.

use crate::mesh::{Influence, LocalVertex, Skin};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::math::{add, narrow, narrow1, wide};

/// A sum of weights that differs from 1 by at most this is only rounded.
const EXACT: f64 = 1.0e-6;

/// Returns the sum of a vertex's weights, if they can be scaled to 1.
fn weight_sum(row: &[Influence]) -> Option<f64> {
    let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
    Some(sum).filter(|sum| *sum > f64::from(f32::MIN_POSITIVE) && sum.is_finite())
}

/// Returns the number of vertices whose weights do not sum to 1 but can be scaled to, and the largest error.
pub(super) fn off(skin: &Skin) -> (usize, f64) {
    let off = |v: usize| Some((weight_sum(skin.influences(v))? - 1.0).abs()).filter(|off| *off > EXACT);
    let odd = (0..skin.vertex_count()).filter_map(off);
    odd.fold((0, 0.0), |(n, worst), off| (n.saturating_add(1), worst.max(off)))
}

/// Scales the weights of every vertex to a sum of 1.
pub(super) fn normalize(skin: &mut Skin) {
    for v in 0..skin.vertex_count() {
        let (range, Some(sum)) = (skin.range(v), weight_sum(skin.influences(v))) else { continue };
        for influence in skin.influences.get_mut(range).into_iter().flatten() {
            influence.weight = narrow1(f64::from(influence.weight) / sum);
        }
    }
}

/// Keeps the influences of each vertex with the largest weights, scaled to the previous sum. Returns the
/// number of vertices that lost influences, and the largest lost share of weight.
pub(super) fn heaviest(skin: &mut Skin, most: usize) -> (usize, f64) {
    let (mut cut, mut worst) = (0_usize, 0.0_f64);
    let mut row = Vec::new();
    // A vertex never gets more influences than it had, so they move to the front of the same list.
    let mut start = skin.starts.first_mut().map_or(0, |first| core::mem::take(first) as usize);
    let mut kept = 0_usize;
    for v in 0..skin.vertex_count() {
        let end = skin.starts.get(v.saturating_add(1)).map_or(start, |end| *end as usize);
        let range = start..end;
        start = end;
        row.clear();
        row.extend(range.filter_map(|k| Some((*skin.influences.get(k)?, skin.local.get(k).copied()))));
        let mut scale = 1.0;
        if row.len() > most {
            let sum = |row: &[(Influence, _)]| row.iter().map(|i| f64::from(i.0.weight)).sum::<f64>();
            let size = |row: &[(Influence, _)]| row.iter().map(|i| f64::from(i.0.weight.abs())).sum::<f64>();
            row.retain(|i| i.0.weight != 0.0);
            merge(&mut row);
            let (all, total) = (sum(&row), size(&row));
            // The sort is stable: of equal weights the earlier one stays.
            row.order_by(|a, b| b.0.weight.abs().total_cmp(&a.0.weight.abs()));
            if row.len() > most {
                cut = cut.saturating_add(1);
                row.truncate(most);
                worst = worst.max(1.0 - size(&row) / total);
                let kept = sum(&row);
                scale = if all / kept > 0.0 && (all / kept).is_finite() { all / kept } else { 1.0 };
            }
        }
        for (mut influence, local) in row.drain(..) {
            influence.weight = narrow1(f64::from(influence.weight) * scale);
            if let Some(slot) = skin.influences.get_mut(kept) {
                *slot = influence;
            }
            if let (Some(slot), Some(l)) = (skin.local.get_mut(kept), local) {
                *slot = LocalVertex {
                    position: narrow(wide(l.position).map(|c| c * scale)),
                    normal: narrow(wide(l.normal).map(|c| c * scale)),
                };
            }
            kept = kept.saturating_add(1);
        }
        if let Some(end) = skin.starts.get_mut(v.saturating_add(1)) {
            *end = u32::try_from(kept).unwrap_or(u32::MAX);
        }
    }
    skin.influences.truncate(kept);
    skin.local.truncate(kept);
    (cut, worst)
}

/// Merges the influences of each joint into its first one.
fn merge(row: &mut Vec<(Influence, Option<LocalVertex>)>) {
    // One entry for each kind of vertex: the standard library's map is faster.
    let mut first = BTreeMap::new();
    let mut kept: usize = 0;
    for i in 0..row.len() {
        let Some((influence, local)) = row.get(i).copied() else { continue };
        let at = *first.entry(influence.joint).or_insert(kept);
        if at == kept {
            row.swap(i, kept);
            kept = kept.saturating_add(1);
        } else if let Some((sum, seen)) = row.get_mut(at) {
            sum.weight += influence.weight;
            *seen = seen.zip(local).map(|(a, b)| LocalVertex {
                position: narrow(add(wide(a.position), wide(b.position))),
                normal: narrow(add(wide(a.normal), wide(b.normal))),
            });
        }
    }
    row.truncate(kept);
}
