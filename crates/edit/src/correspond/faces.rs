//! Finds the native triangles that an edited scene still has.

use crate::correspond::mesh_search::{Corner, Edited, Found, PartAt, least_corner_first};
use crate::correspond::twins::Drawn;
use crate::correspond::vertices::Vertex;
use alloc::vec::Vec;
use meshwright_core::SortedMap;

/// Marks the native triangles that an edited mesh has. Returns the triangles of the mesh that are not native.
pub(crate) fn ticked(e: usize, own: &Edited<'_>, found: &mut [Found<'_>]) -> Vec<Drawn> {
    let mut left = Vec::new();
    for (t, &corners) in own.moved.mesh.triangles.iter().enumerate() {
        if let Some((native, theirs)) =
            own.named.and_then(|m| found.get_mut(m)).zip(own.order.get(t).copied())
            && let Some(known) = known((e, own), native, corners, theirs)
        {
            match known.iter().all(Option::is_some) {
                true => native.there.get_mut(t).into_iter().for_each(|there| *there = PartAt::new(e, t)),
                false => left.push(Drawn { e, t, corners, known: Some(known) }),
            }
            continue;
        }
        let slots = corners.map(|v| own.slots.get(v as usize).copied().flatten());
        let mesh = slots.iter().flatten().next().map(|at| at.mesh);
        let whole = slots.iter().all(|at| at.is_some_and(|at| Some(at.mesh) == mesh));
        if whole && let Some(native) = mesh.and_then(|m| found.get_mut(m)) {
            let key = least_corner_first(
                slots.map(|at| at.map_or(0, |at| u32::try_from(at.vertex).unwrap_or(u32::MAX))),
            );
            let from = native.faces.partition_point(|(face, _)| *face < key);
            let equal =
                native.faces.get(from..).unwrap_or_default().iter().take_while(|(face, _)| *face == key);
            let free = equal.map(|(_, t)| *t as usize).find(|t| native.there.get(*t) == Some(&None));
            if let Some(there) = free.and_then(|t| native.there.get_mut(t)) {
                *there = PartAt::new(e, t);
                continue;
            }
        }
        left.push(Drawn { e, t, corners, known: None });
    }
    left
}

/// Returns the native vertices of the corners of a triangle, from the native triangle with the same index. Returns
/// `None` if they are different triangles.
fn known(
    own: (usize, &Edited<'_>),
    native: &Found<'_>,
    corners: [u32; 3],
    theirs: [u32; 3],
) -> Option<[Option<u32>; 3]> {
    let class =
        |v: u32| own.1.slots.get(v as usize).copied().flatten().filter(|at| Some(at.mesh) == own.1.named);
    let mut known = [None; 3];
    for ((v, n), slot) in corners.into_iter().zip(theirs).zip(&mut known) {
        let there = class(v)?.vertex;
        if native.class(n as usize).is_none_or(|class| class as usize != there) {
            return None;
        }
        *slot = native.holds(own, v, n).then_some(n);
    }
    Some(known)
}

/// Returns the native mesh to which new triangles of an edited mesh belong.
fn home(own: &Edited<'_>) -> Option<usize> {
    own.named.or_else(|| {
        // Without a name, the native mesh with more than half of the vertices.
        let known = own.slots.iter().flatten().count();
        let mut counts: SortedMap<usize, usize> = SortedMap::new();
        own.slots.iter().flatten().for_each(|at| {
            let count = counts.entry(at.mesh).or_default();
            *count = count.saturating_add(1);
        });
        let most =
            counts.into_iter().max_by_key(|(_, n)| *n).filter(|_| known.saturating_mul(2) > own.slots.len());
        most.map(|(mesh, _)| mesh)
    })
}

/// Adds new triangles to their native meshes. Returns those of meshes that are not native, grouped by mesh.
pub(crate) fn place(
    left: &[Drawn],
    edited: &[Edited<'_>],
    found: &mut [Found<'_>],
) -> Vec<(usize, Vec<[u32; 3]>)> {
    let mut foreign = Vec::new();
    for of_one in left.chunk_by(|a, b| a.e == b.e) {
        let Some((e, own)) = of_one.first().and_then(|t| Some((t.e, edited.get(t.e)?))) else { continue };
        let home = home(own);
        let mut none = Vec::new();
        for Drawn { corners, known, .. } in of_one.iter().copied() {
            let slots = corners.map(|v| own.slots.get(v as usize).copied().flatten());
            let mesh = slots.iter().flatten().next().map(|at| at.mesh);
            match home.or(mesh).and_then(|m| Some((m, found.get_mut(m)?))) {
                Some((m, native)) => {
                    let corner = |v: u32, at: Option<Vertex>| match at.filter(|at| at.mesh == m) {
                        Some(at) => Corner::Native(u32::try_from(at.vertex).unwrap_or(u32::MAX)),
                        None => Corner::New((e, v as usize)),
                    };
                    let ([a, b, c], [x, y, z]) = (corners, slots);
                    native.added.push(match known {
                        Some(known) => {
                            let of = |(v, n): (u32, Option<u32>)| {
                                n.map_or(Corner::New((e, v as usize)), Corner::Native)
                            };
                            let [p, q, r] = known;
                            [of((a, p)), of((b, q)), of((c, r))]
                        }
                        None => [corner(a, x), corner(b, y), corner(c, z)],
                    });
                }
                None => none.push(corners),
            }
        }
        if !none.is_empty() {
            foreign.push((e, none));
        }
    }
    foreign
}
