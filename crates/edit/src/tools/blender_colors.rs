//! Repairs vertex colours that a tool assigned to other vertices.
//!
//! Blender 3.4 stores colours by corner, and exports for each vertex the colour of the corner with the vertex's index.
//! Corners are counted through all triangles; vertices without triangles are not counted.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Edited, Found};
use crate::correspond::vertices::{Grid, Same};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;

/// Returns the colours that the vertices of a mesh then have.
fn swapped(native: &Found<'_>) -> Vec<Option<[u8; 4]>> {
    let mesh = native.exported.mesh;
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
    grid: &Grid<'_>,
) -> Result<(), LimitExceeded> {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return Ok(()) };
    let (count, theirs) = (own.moved.mesh.positions.len(), native.exported.mesh);
    if theirs.colors.is_empty() || own.moved.colors.len() != count || !work.tolerance.still {
        return Ok(());
    }
    if own.moved.mesh.color_encoding != theirs.color_encoding {
        return Ok(());
    }
    let same = |v, n| native.compare((&own.moved, v), n, &work.bones, &native.tolerance);
    // Returns the vertices that are equal except for the colour, and whether that is equal too.
    let alike = |v: usize| {
        let mut list = Vec::new();
        let Some(point) = own.moved.position(v) else { return Ok(list) };
        for at in grid.vertices_near(point).filter(|at| at.mesh == mesh) {
            work.budget.work("vertices", 1)?;
            let same = same(v, at.vertex);
            if (Same { color: true, ..same }).all() {
                list.push((at.vertex, same.color));
            }
        }
        Ok::<_, LimitExceeded>(list)
    };
    let mut are_theirs = true;
    for v in (0..count).filter(|v| !same(*v, *v).all()) {
        let list = alike(v)?;
        are_theirs &= list.is_empty() || list.iter().any(|(_, color)| *color);
    }
    if are_theirs {
        return Ok(());
    }
    work.budget.charge_items("vertices", count as u64, size_of::<[u8; 4]>())?;
    let own_count = theirs.positions.len() as u64;
    work.budget.charge_items("vertices", own_count, size_of::<(bool, Option<[u8; 4]>)>())?;
    let swapped = swapped(native);
    let channels = if own.moved.opaque { 3 } else { 4 };
    let mut colors = Vec::with_capacity(count);
    let mut uncolored = work.budget.filled("vertices", count, false)?;
    for ((v, color), uncolored) in own.moved.colors.iter().enumerate().zip(&mut uncolored) {
        let is = |other: &[u8; 4]| other.iter().zip(color).take(channels).all(|(a, b)| a == b);
        let list = alike(v)?;
        let was =
            list.iter().map(|(n, _)| *n).find(|n| swapped.get(*n).and_then(Option::as_ref).is_some_and(is));
        if was.is_none() && !list.is_empty() {
            return Ok(());
        }
        *uncolored = was.is_none();
        colors.push(was.and_then(|n| theirs.colors.get(n)).copied().unwrap_or(*color));
    }
    if uncolored.iter().filter(|u| **u).count().saturating_mul(2) < count {
        own.moved.colors = Cow::Owned(colors);
        own.moved.uncolored = uncolored;
    }
    Ok(())
}
