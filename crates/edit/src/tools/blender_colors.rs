//! Repairs vertex colours that a tool assigned to other vertices.
//!
//! Blender 3.4 stores colours by corner, and exports for each vertex the colour of the corner with the vertex's index.
//! Corners are counted through all triangles; vertices without triangles are not counted.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Edited, Found};
use crate::correspond::vertices::Grid;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;

/// Returns the colours that the vertices of a mesh then have.
fn swapped(native: &Found<'_>) -> Vec<Option<[u8; 4]>> {
    let mesh = native.exported;
    let mut used = alloc::vec![false; mesh.positions.len()];
    for v in mesh.triangles.iter().flatten() {
        used.get_mut(*v as usize).into_iter().for_each(|slot| *slot = true);
    }
    let mut corners = mesh.triangles.iter().flatten();
    let color =
        |is_used: bool| is_used.then(|| mesh.colors.get(*corners.next()? as usize).copied()).flatten();
    used.into_iter().map(color).collect()
}

/// Restores the colours of an edited mesh, if each unedited vertex has the colour that Blender 3.4 gives it and more
/// than half of all vertices are unedited. The original colours of edited vertices are unknown.
pub(crate) fn put_back(
    work: &Comparison<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    grid: &Grid,
) -> Result<(), LimitExceeded> {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return Ok(()) };
    let count = own.moved.mesh.positions.len();
    if native.exported.colors.is_empty() || own.moved.colors.len() != count || !work.tolerance.still {
        return Ok(());
    }
    if own.moved.mesh.color_encoding != native.exported.color_encoding {
        return Ok(());
    }
    work.budget.charge_items("vertices", count as u64, size_of::<[u8; 4]>())?;
    let own_count = native.exported.positions.len() as u64;
    work.budget.charge_items("vertices", own_count, size_of::<(bool, Option<[u8; 4]>)>())?;
    let swapped = swapped(native);
    let channels = if own.moved.opaque { 3 } else { 4 };
    let mut colors = Vec::with_capacity(count);
    let mut uncolored = work.budget.filled("vertices", count, false)?;
    let mut are_theirs = true;
    for (v, color) in own.moved.colors.iter().enumerate() {
        let Some(point) = own.moved.positions.get(v).copied() else { return Ok(()) };
        let is = |other: Option<&[u8; 4]>| {
            other.is_some_and(|other| other.iter().zip(color).take(channels).all(|(a, b)| a == b))
        };
        let (mut was, mut theirs, mut met) = (None, false, false);
        for at in grid.vertices_near(point).filter(|at| at.mesh == mesh) {
            work.budget.work("vertices", 1)?;
            let same = native.compare((&own.moved, v), at.vertex, &work.bones, &native.tolerance);
            if !(same.position && same.normal && same.uv && same.weights) {
                continue;
            }
            met = true;
            theirs |= same.color;
            if was.is_none() && is(swapped.get(at.vertex).and_then(Option::as_ref)) {
                was = native.exported.colors.get(at.vertex).copied();
            }
        }
        are_theirs &= theirs || !met;
        if was.is_none() && met {
            return Ok(());
        }
        if let (None, Some(slot)) = (was, uncolored.get_mut(v)) {
            *slot = true;
        }
        colors.push(was.unwrap_or(*color));
    }
    let unknown = uncolored.iter().filter(|u| **u).count();
    if !are_theirs && unknown.saturating_mul(2) < count {
        own.moved.colors = Cow::Owned(colors);
        own.moved.uncolored = uncolored;
    }
    Ok(())
}
