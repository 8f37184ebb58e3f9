//! Finds the native triangles that an edited scene still has.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Corner, Edited, Found, PartAt, least_corner_first};
use crate::correspond::twins::Drawn;
use crate::correspond::vertices::Vertex;
use alloc::vec::Vec;

/// Marks the native triangles that an edited mesh has. Returns the triangles of the mesh that are not native.
pub(crate) fn ticked(
    work: &Comparison<'_, '_>,
    e: usize,
    own: &Edited<'_>,
    found: &mut [Found<'_>],
) -> Vec<Drawn> {
    let mut left = Vec::new();
    for (t, &corners) in own.moved.mesh.triangles.iter().enumerate() {
        if let Some((native, theirs)) =
            own.named.and_then(|m| found.get_mut(m)).zip(own.order.get(t).copied())
            && let Some(known) = known((e, own), native, corners, theirs)
        {
            // A triangle that was flipped is another one.
            let of = native.exported.mesh.triangles.get(t).map(|of| least_corner_first(*of));
            match known.iter().all(Option::is_some) && of == Some(least_corner_first(theirs)) {
                true => native.there.get_mut(t).into_iter().for_each(|there| *there = PartAt::new(e, t)),
                false => left.push(Drawn { e, t, corners, known: Some(known) }),
            }
            continue;
        }
        let slots = corners.map(|v| own.slot(v));
        let mesh = slots.iter().flatten().next().map(|at| at.mesh);
        // Several vertices can be matched to one native vertex. A corner is native if it has the new values of that vertex.
        let is_in = |(v, at): (u32, Option<Vertex>)| {
            let native = at.filter(|at| Some(at.mesh) == mesh).and_then(|at| Some((at, found.get(at.mesh)?)));
            native.is_some_and(|(at, native)| native.gets(work, (e, own), v, at.vertex))
        };
        let whole = corners.into_iter().zip(slots).all(is_in);
        if whole && let Some(native) = mesh.and_then(|m| found.get_mut(m)) {
            let classes = slots.map(|at| at.map_or(0, Vertex::number));
            let free = native.free_face(classes, t);
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
    let class = |v: u32| own.1.slot(v).filter(|at| Some(at.mesh) == own.1.named);
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
    // Without a name, the native mesh with more than half of the matched vertices.
    let known = own.slots.iter().flatten().count();
    own.named.or_else(|| Some(own.most_matched().filter(|_| known.saturating_mul(2) > own.slots.len())?.0))
}

/// Adds new triangles to their native meshes. Returns those of meshes that are not native, grouped by mesh.
pub(crate) fn place(
    work: &Comparison<'_, '_>,
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
            let mesh = corners.iter().find_map(|v| own.slot(*v)).map(|at| at.mesh);
            let Some((m, native)) = home.or(mesh).and_then(|m| Some((m, found.get_mut(m)?))) else {
                none.push(corners);
                continue;
            };
            let matched = |v: u32| {
                let at = own.slot(v).filter(|at| at.mesh == m);
                at.filter(|at| native.gets(work, (e, own), v, at.vertex)).map(Vertex::number)
            };
            let known = known.unwrap_or_else(|| corners.map(matched));
            let ([a, b, c], [x, y, z]) = (corners, known);
            let corner = |v: u32, n: Option<u32>| n.map_or(Corner::New((e, v as usize)), Corner::Native);
            native.added.push([corner(a, x), corner(b, y), corner(c, z)]);
        }
        if !none.is_empty() {
            foreign.push((e, none));
        }
    }
    foreign
}
