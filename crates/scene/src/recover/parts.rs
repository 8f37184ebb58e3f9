//! Triangles of a native mesh that are a mesh of their own now: under another material, or in another object.

use super::Work;
use super::found::{Edited, Found};
use super::joints::is_filler;
use super::marks::{UNNAMED, is_palette};
use crate::mesh::Mesh;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;

/// What tells one material from another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Surface<'s> {
    /// None, or one that a tool made up.
    Unknown,
    Native(usize),
    New(&'s str),
}

/// The edited meshes that someone took out of a native one which is still there, so that they are meshes of their own. What
/// packers join has the material of what it was joined of, and what they split stays in one object.
pub(super) fn taken_out(
    work: &Work<'_, '_>,
    edited: &[Edited<'_>],
    found: &[Found<'_>],
) -> Result<BTreeSet<usize>, LimitExceeded> {
    work.budget.charge_items("meshes", edited.len() as u64, size_of::<[usize; 8]>())?;
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (e, own) in edited.iter().enumerate().filter(|(_, own)| own.drawn) {
        if let Some(home) = home(own) {
            groups.entry(home).or_default().push(e);
        }
    }
    let nodes: BTreeSet<&str> = work.exported.nodes.iter().map(|n| n.name.as_str()).collect();
    let mut out = BTreeSet::new();
    for (m, group) in groups.iter().filter(|(_, group)| group.len() > 1) {
        let Some(native) = found.get(*m).map(|f| f.exported) else { continue };
        let was = native.material.map_or(Surface::Unknown, |id| Surface::Native(id.0));
        let rank = |e: &usize| {
            let own = edited.get(*e)?;
            Some((
                surface(work, own.moved.mesh) != was,
                own.named != Some(*m),
                own.moved.mesh.name != native.name,
                *e,
            ))
        };
        let Some((base, first)) =
            group.iter().copied().min_by_key(rank).and_then(|e| Some((e, edited.get(e)?)))
        else {
            continue;
        };
        let marked = |e: usize| work.meshes.get(&e) == Some(m);
        for (e, own) in group.iter().filter(|e| **e != base).filter_map(|e| Some((*e, edited.get(*e)?))) {
            let is = surface(work, own.moved.mesh);
            // Of equal meshes a name may not tell which is which: then the material does.
            let lost = |n: usize, mesh: &Mesh| {
                mesh.material.is_some_and(|id| is == Surface::Native(id.0)) && !groups.contains_key(&n)
            };
            let painted = is != Surface::Unknown
                && is != surface(work, first.moved.mesh)
                && !work.exported.meshes.iter().enumerate().any(|(n, mesh)| lost(n, mesh));
            let other = own.node != first.node
                && !nodes.contains(own.node)
                && !is_filler(own.node)
                && marked(e)
                && marked(base);
            if painted || other {
                out.insert(e);
            }
        }
    }
    Ok(out)
}

/// The native mesh that most vertices of an edited one are of.
fn home(own: &Edited<'_>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for at in own.slots.iter().flatten() {
        let count = counts.entry(at.mesh).or_default();
        *count = count.saturating_add(1);
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| count.saturating_mul(2) > own.slots.len()).map(|(mesh, _)| mesh)
}

/// What a mesh of the edited scene is painted with.
fn surface<'s>(work: &Work<'s, '_>, mesh: &Mesh) -> Surface<'s> {
    let Some(id) = mesh.material else { return Surface::Unknown };
    let Some(name) = work.edited.materials.get(id.0).map(|m| m.name.as_str()) else {
        return Surface::Unknown;
    };
    if UNNAMED.contains(&name) || is_palette(name) {
        return Surface::Unknown;
    }
    let marked = work.materials.get(&id.0).copied();
    let native = marked.or_else(|| work.exported.materials.iter().position(|n| n.name == name));
    native.map_or(Surface::New(name), Surface::Native)
}
