//! Finds neighbours of triangles.

use crate::model::Iqm;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_scene::{Budget, ConvertError};

/// Finds the neighbours of each triangle like the format's own tool: by the positions of corners.
pub(super) fn neighbours(
    positions: impl ExactSizeIterator<Item = [f32; 3]>,
    triangles: &[[u32; 3]],
    budget: &Budget,
) -> Result<Vec<[u32; 3]>, ConvertError> {
    let n = triangles.len();
    let corners = positions.len();
    budget.charge_items("adjacency", n as u64, 3 * 96 + 24)?;
    budget.charge_items("adjacency", corners as u64, 64)?;
    let mut first: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let mut places = Vec::with_capacity(corners);
    for (v, p) in positions.enumerate() {
        let key = p.map(|c| (c + 0.0).to_bits());
        places.push(*first.entry(key).or_insert(u32::try_from(v).unwrap_or(u32::MAX)));
    }
    let place = |v: u32| places.get(v as usize).copied().unwrap_or(v);
    // Each edge with the triangle that has it in this direction.
    let mut edges: BTreeMap<(u32, u32), (u32, bool)> = BTreeMap::new();
    let of = |[a, b, c]: [u32; 3]| [(place(a), place(b)), (place(b), place(c)), (place(c), place(a))];
    for (t, triangle) in triangles.iter().enumerate() {
        for edge in of(*triangle) {
            let entry = edges.entry(edge).or_insert((u32::try_from(t).unwrap_or(u32::MAX), false));
            entry.1 |= entry.0 as usize != t;
        }
    }
    let across = |(a, b): (u32, u32)| match edges.get(&(b, a)) {
        Some((t, false)) => *t,
        _ => Iqm::NO_NEIGHBOUR,
    };
    Ok(triangles.iter().map(|t| of(*t).map(across)).collect())
}
