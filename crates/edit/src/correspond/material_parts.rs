//! Parts of a native mesh that the edit made a mesh with another material.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Edited, Found};
use crate::correspond::vertices::Grid;
use crate::tools::gltf_transform::is_palette;
use crate::tools::names::is_unnamed;
use alloc::vec::Vec;
use meshwright_core::{LimitExceeded, SortedMap, SortedSet};
use meshwright_scene::Mesh;

/// The identity of a material.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Surface<'s> {
    /// No material, or one that a tool made up.
    Unknown,
    Native(usize),
    New(&'s str),
}

/// Returns the edited meshes that were separated from a native mesh which still exists. They count as new meshes.
/// Meshes that packers joined keep the material of the originals.
pub(crate) fn taken_out(
    work: &Comparison<'_, '_>,
    edited: &[Edited<'_>],
    found: &[Found<'_>],
    grid: &Grid<'_>,
) -> Result<SortedSet<usize>, LimitExceeded> {
    work.budget.charge_items("meshes", edited.len() as u64, size_of::<[usize; 12]>())?;
    work.budget.charge_items("meshes", found.len() as u64, size_of::<[usize; 8]>())?;
    let surfaces = surfaces(work, edited)?;
    let surface = |e: usize| surfaces.get(e).copied().unwrap_or(Surface::Unknown);
    let mut groups: SortedMap<usize, Vec<usize>> = SortedMap::new();
    let is_seen = |own: &Edited<'_>| own.drawn && !own.moved.mesh.triangles.is_empty();
    for (e, own) in edited.iter().enumerate().filter(|(_, own)| is_seen(own)) {
        // A mesh belongs to the native mesh with more than half of its vertices.
        if let Some((home, _)) = own.most_matched().filter(|(_, n)| n.saturating_mul(2) > own.slots.len()) {
            groups.entry(home).or_default().push(e);
        }
    }
    // Native meshes without any match, by material.
    let mut gone: SortedMap<usize, Vec<usize>> = SortedMap::new();
    for (n, native) in found.iter().enumerate().filter(|(n, _)| !groups.contains_key(n)) {
        if let Some(id) = native.exported.mesh.material {
            gone.entry(id.0).or_default().push(n);
        }
    }
    let mut out = SortedSet::new();
    for (m, group) in groups.iter().filter(|(_, group)| group.len() > 1) {
        let Some(native) = found.get(*m).map(|f| f.exported.mesh) else { continue };
        let was = native.material.map_or(Surface::Unknown, |id| Surface::Native(id.0));
        let rank = |e: &usize| {
            let own = edited.get(*e)?;
            Some((surface(*e) != was, own.named != Some(*m), own.moved.mesh.name != native.name, *e))
        };
        let Some(base) = group.iter().copied().min_by_key(rank) else { continue };
        for (e, own) in group.iter().filter(|e| **e != base).filter_map(|e| Some((*e, edited.get(*e)?))) {
            let is = surface(e);
            if is == Surface::Unknown || is == surface(base) {
                continue;
            }
            // Equal meshes cannot be distinguished by vertices; the material decides.
            let lost = match is {
                Surface::Native(id) => gone.get(&id).map_or(&[][..], Vec::as_slice),
                _ => &[],
            };
            let mut is_back = false;
            for n in lost {
                is_back = is_back || may_be(work, own, (*n, found), grid)?;
            }
            if !is_back {
                out.insert(e);
            }
        }
    }
    Ok(out)
}

/// Returns true if an edited mesh may be a native one by size and position. It must have most of the triangles, since
/// tools drop invisible ones, and most of its corners must be at native vertices.
fn may_be(
    work: &Comparison<'_, '_>,
    own: &Edited<'_>,
    (n, found): (usize, &[Found<'_>]),
    grid: &Grid<'_>,
) -> Result<bool, LimitExceeded> {
    work.budget.work("meshes", 1)?;
    let triangles = &own.moved.mesh.triangles;
    let all = found.get(n).map_or(0, |native| native.exported.mesh.triangles.len());
    if triangles.len() > all || triangles.len().saturating_mul(2) <= all {
        return Ok(false);
    }
    let (mut count, mut there) = (0_usize, 0_usize);
    for corner in triangles.as_flattened() {
        let Some(point) = own.moved.position(*corner as usize) else { continue };
        count = count.saturating_add(1);
        for at in grid.vertices_near(point) {
            work.budget.work("vertices", 1)?;
            if at.mesh == n {
                there = there.saturating_add(1);
                break;
            }
        }
    }
    Ok(there.saturating_mul(2) > count)
}

/// Returns the material identity of each edited mesh.
fn surfaces<'s>(work: &Comparison<'s, '_>, edited: &[Edited<'_>]) -> Result<Vec<Surface<'s>>, LimitExceeded> {
    let native = &work.exported.materials;
    work.budget.charge_items("materials", native.len() as u64, size_of::<[usize; 8]>())?;
    let mut names: SortedMap<&str, usize> = SortedMap::new();
    for (n, material) in native.iter().enumerate() {
        names.entry(&material.name).or_insert(n);
    }
    let mut surfaces = work.budget.reserve("meshes", edited.len())?;
    surfaces.extend(edited.iter().map(|own| surface(work, own.moved.mesh, &names)));
    Ok(surfaces)
}

/// Returns the material identity of an edited mesh. If several native materials have its name, it is the first.
fn surface<'s>(work: &Comparison<'s, '_>, mesh: &Mesh, names: &SortedMap<&str, usize>) -> Surface<'s> {
    let Some(id) = mesh.material else { return Surface::Unknown };
    let Some(name) = work.edited.materials.get(id.0).map(|m| m.name.as_str()) else {
        return Surface::Unknown;
    };
    if is_unnamed(name) || is_palette(name) {
        return Surface::Unknown;
    }
    let marked = work.materials.get(&id.0).copied();
    let native = marked.or_else(|| names.get(name).copied());
    native.map_or(Surface::New(name), Surface::Native)
}
