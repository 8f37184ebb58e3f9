//! Matches edited vertices to native ones.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Edited, Found};
use crate::correspond::vertices::{Grid, Vertex, cell, may_be_one};
use crate::tolerance::Tolerance;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, distance, unit, wide};
use meshwright_core::{Budget, LimitExceeded, Order as _, SortedMap, SortedSet};

/// Matches the vertices that are unedited.
pub(crate) fn match_vertices(
    work: &Comparison<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    grid: &Grid<'_>,
) -> Result<(), LimitExceeded> {
    for v in 0..own.slots.len() {
        let same = |at: Vertex| {
            let native = found.get(at.mesh)?;
            let same = native.compare((&own.moved, v), at.vertex, &work.bones, &work.tolerance);
            same.all().then_some(Vertex { vertex: native.class(at.vertex)? as usize, ..at })
        };
        work.budget.work("vertices", 1)?;
        let numbered = own.named.map(|mesh| Vertex { mesh, vertex: v });
        let mut best = numbered.and_then(same);
        // If many vertices may be within the tolerance, the one with the same index is only the first candidate.
        let is_first = |_: &Vertex| best.is_some() && work.tolerance.joined;
        let mut least = numbered.filter(is_first).map(|at| (false, distances(own, v, at, found)));
        if (best.is_none() || least.is_some_and(|least| least != (false, [0.0; 3])))
            && let Some(point) = own.moved.position(v)
        {
            let mut met = 0_u32;
            for at in grid.vertices_near(point) {
                work.budget.work("vertices", 1)?;
                let Some(found_at) = same(at) else { continue };
                let cost = (Some(at.mesh) != own.named, distances(own, v, at, found));
                if least.is_none_or(|least| cost < least) {
                    (least, best) = (Some(cost), Some(found_at));
                }
                met = met.saturating_add(1);
                if cost == (false, [0.0; 3]) || met > MOST_ALIKE {
                    break;
                }
            }
        }
        if let Some(slot) = own.slots.get_mut(v) {
            *slot = best;
        }
    }
    Ok(())
}

/// Most native candidates that are compared with an edited vertex.
const MOST_ALIKE: u32 = 64;

/// Returns the distances of an edited vertex from a native one: of position, normal and texture coordinates.
fn distances(own: &Edited<'_>, v: usize, at: Vertex, found: &[Found<'_>]) -> [f64; 3] {
    let Some(native) = found.get(at.mesh).map(|native| &native.exported) else { return [f64::MAX; 3] };
    let (n, moved) = (at.vertex, &own.moved);
    let place = moved.position(v).zip(native.position(n)).map(|(a, b)| distance(a, b));
    let normals = moved.normal(v).zip(native.normal(n)).and_then(|(a, b)| unit(a).zip(unit(b)));
    let uvs = moved.mesh.uvs.get(v).zip(native.mesh.uvs.get(n));
    let uv = uvs.map(|(a, b)| a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max));
    [place, normals.map(|(a, b)| distance(a, b)), uv].map(Option::unwrap_or_default)
}

/// The first edited vertex that was matched to each native vertex.
type Taken = SortedMap<Vertex, usize>;

/// Returns true if an edited vertex may share a native vertex with those matched before: tools split one vertex into
/// several equal ones.
fn joins(found: &[Found<'_>], own: &Edited<'_>, taken: &Taken, at: Vertex, v: usize) -> bool {
    let tolerance = found.get(at.mesh).map(|native| &native.tolerance);
    taken.get(&at).is_none_or(|first| tolerance.is_none_or(|t| may_be_one(&own.moved, *first, v, t)))
}

/// Matches an edited vertex to a native one.
fn take(own: &mut Edited<'_>, taken: &mut Taken, v: usize, at: Vertex) {
    own.slots.get_mut(v).into_iter().for_each(|slot| *slot = Some(at));
    taken.entry(at).or_insert(v);
}

/// Matches edited vertices by their triangles: if two corners are known, the third follows.
pub(crate) fn spread(
    work: &Comparison<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    grid: &Grid<'_>,
) -> Result<(), LimitExceeded> {
    if own.slots.iter().all(Option::is_some) {
        return Ok(());
    }
    let mut taken = SortedMap::new();
    by_place(work, own, found, grid)?;
    for (v, slot) in own.slots.iter().enumerate() {
        slot.map(|at| taken.entry(at).or_insert(v));
    }
    work.budget.charge_items("vertices", own.slots.len() as u64, size_of::<[Vertex; 2]>())?;
    in_order(own, found, &mut taken);
    in_face_order(work, own, found, &mut taken)?;
    // Neighbours are better evidence than attributes: vertices at one place may differ only in the normal.
    grow(work, own, found, &mut taken)?;
    by_likeness(work, own, found, &mut taken)?;
    grow(work, own, found, &mut taken)
}

/// Matches third corners until no more are found.
fn grow(
    work: &Comparison<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    taken: &mut Taken,
) -> Result<(), LimitExceeded> {
    loop {
        let mut met = false;
        work.budget.work("triangles", own.moved.mesh.triangles.len() as u64)?;
        for &[a, b, c] in &own.moved.mesh.triangles {
            for [p, q, r] in [[a, b, c], [b, c, a], [c, a, b]] {
                let (Some(x), Some(y), None) = (own.slot(p), own.slot(q), own.slot(r)) else { continue };
                let Some(native) = found.get(x.mesh).filter(|_| x.mesh == y.mesh) else { continue };
                let thirds = native.thirds((x.number(), y.number()));
                let thirds = thirds.map(|third| Vertex { mesh: x.mesh, vertex: third as usize });
                // If several triangles share an edge, a third corner that is still at its place takes precedence.
                let stands = |third: &Vertex| {
                    let [far, ..] = distances(own, r as usize, *third, found);
                    far <= native.tolerance.position
                };
                let stays = thirds.clone().nth(1).is_some() && thirds.clone().any(|third| stands(&third));
                let mut free = thirds
                    .filter(|third| !stays || stands(third))
                    .filter(|third| joins(found, own, taken, *third, r as usize));
                if let (Some(third), None) = (free.next(), free.next()) {
                    take(own, taken, r as usize, third);
                    met = true;
                }
            }
        }
        if !met {
            return Ok(());
        }
    }
}

/// If most texture coordinates of a mesh were edited, matches vertices by all other attributes. Of several candidates, it
/// takes the vertex whose texture coordinates were scaled and moved like the others. If they were not scaled, triangles
/// match the vertices later.
fn by_place(
    work: &Comparison<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    grid: &Grid<'_>,
) -> Result<(), LimitExceeded> {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return Ok(()) };
    let known = own.slots.iter().flatten().count();
    let changed = known.saturating_mul(4) <= own.slots.len()
        && are_other_uvs(&own.moved.mesh.uvs, &native.exported.mesh.uvs, work.budget)?;
    if !changed {
        return Ok(());
    }
    let mut scaled = None;
    for is_second in [false, true] {
        for v in 0..own.slots.len() {
            if own.slots.get(v) != Some(&None) {
                continue;
            }
            let Some(point) = own.moved.position(v) else { continue };
            let (mut only, mut several) = (None, false);
            for at in grid.vertices_near(point).filter(|at| at.mesh == mesh) {
                work.budget.work("vertices", 1)?;
                let same = native.compare((&own.moved, v), at.vertex, &work.bones, &native.tolerance);
                let class = native.class(at.vertex).map(|class| class as usize);
                let fits = scaled.as_ref().is_none_or(|map: &[Line; 2]| {
                    let uvs = own.moved.mesh.uvs.get(v).zip(native.exported.mesh.uvs.get(at.vertex));
                    uvs.is_some_and(|(to, from)| {
                        let mut axes = map.iter().zip(wide(*from)).zip(wide(*to));
                        axes.all(|((line, from), to)| line.fits(from, to))
                    })
                });
                if same.position && same.normal && same.color && same.weights && fits {
                    several |= only.is_some() && only != class;
                    only = class;
                }
            }
            if let Some(slot) = own.slots.get_mut(v).filter(|_| !several) {
                *slot = only.map(|vertex| Vertex { mesh, vertex });
            }
        }
        if is_second {
            break;
        }
        work.budget.charge_items("vertices", own.slots.len() as u64, size_of::<[[f64; 2]; 2]>())?;
        let mut known = Vec::new();
        for (v, slot) in own.slots.iter().enumerate() {
            let there =
                slot.filter(|at| at.mesh == mesh).and_then(|at| native.exported.mesh.uvs.get(at.vertex));
            known.extend(there.zip(own.moved.mesh.uvs.get(v)).map(|(from, to)| (wide(*from), wide(*to))));
        }
        let Some(map) = Line::new(&known, 0).zip(Line::new(&known, 1)) else { break };
        scaled = Some(map.into());
    }
    Ok(())
}

/// Returns true if the original has less than half of the texture coordinates.
fn are_other_uvs(edited: &[[f32; 2]], native: &[[f32; 2]], budget: &Budget) -> Result<bool, LimitExceeded> {
    let key = |uv: &[f32; 2]| {
        let [u, v] = wide(*uv).map(|c| c + 0.5 * Line::NEAR);
        cell([u, v, 0.0], Line::NEAR)
    };
    budget.charge_items("vertices", native.len() as u64, size_of::<[i64; 6]>())?;
    let known: SortedSet<_> = native.iter().map(key).collect();
    let other = edited.iter().filter(|uv| !known.contains(&key(uv))).count();
    Ok(!native.is_empty() && other.saturating_mul(2) > edited.len())
}

/// A scale and an offset of numbers.
#[derive(Clone, Copy, Debug)]
struct Line {
    factor: f64,
    offset: f64,
}

impl Line {
    /// The tolerance of a number.
    const NEAR: f64 = 1e-5;

    /// Fits a line through the numbers of an axis, if all of them are on it.
    fn new(pairs: &[([f64; 2], [f64; 2])], axis: usize) -> Option<Self> {
        let pairs = || pairs.iter().filter_map(|(from, to)| from.get(axis).zip(to.get(axis)));
        let (mut least, mut most) = (pairs().next()?, pairs().next()?);
        for pair in pairs() {
            least = if pair.0.total_cmp(least.0).is_lt() { pair } else { least };
            most = if pair.0.total_cmp(most.0).is_ge() { pair } else { most };
        }
        let width = most.0 - least.0;
        let factor = if width > Self::NEAR { (most.1 - least.1) / width } else { 1.0 };
        let line = Self { factor, offset: least.1 - factor * least.0 };
        pairs().all(|(from, to)| line.fits(*from, *to)).then_some(line)
    }

    fn fits(&self, from: f64, to: f64) -> bool {
        let off = to - (self.factor * from + self.offset);
        off.abs() <= Self::NEAR * self.factor.abs().max(1.0) * from.abs().max(1.0)
    }
}

/// Matches vertices by index, if a mesh has the same number of vertices and the same triangles.
fn in_order(own: &mut Edited<'_>, found: &[Found<'_>], taken: &mut Taken) {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return };
    let mesh_there = native.exported.mesh;
    if mesh_there.positions.len() != own.slots.len() || mesh_there.triangles != own.moved.mesh.triangles {
        return;
    }
    for (v, slot) in own.slots.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
        // A vertex that was split off and moved differs from its class.
        let at = native.class(v).map(|class| Vertex { mesh, vertex: class as usize });
        if let Some(at) = at.filter(|at| at.vertex == v && !taken.contains_key(at)) {
            taken.insert(at, v);
            *slot = Some(at);
        }
    }
}

/// Rotates or flips a native triangle so that most corners are at the positions of the edited triangle's corners.
fn as_wound(stand: &dyn Fn(u32, u32) -> bool, own: [u32; 3], of: [u32; 3]) -> [u32; 3] {
    let [a, b, c] = of;
    let met = |of: &[u32; 3]| own.iter().zip(of).filter(|(v, n)| stand(**v, **n)).count();
    // If several are equal, the last one is chosen: the unrotated triangle.
    [[c, b, a], [b, a, c], [a, c, b], [c, a, b], [b, c, a], [a, b, c]]
        .into_iter()
        .max_by_key(met)
        .unwrap_or(of)
}

/// Matches vertices by the corners of triangles, if a mesh has as many triangles in the same order.
fn in_face_order(
    work: &Comparison<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    taken: &mut Taken,
) -> Result<(), LimitExceeded> {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return Ok(()) };
    let (theirs, ours) = (&native.exported.mesh.triangles, &own.moved.mesh.triangles);
    if theirs.len() != ours.len() || own.slots.iter().all(Option::is_some) {
        return Ok(());
    }
    let mut places: Vec<Option<u32>> = work.budget.filled("vertices", own.slots.len(), None)?;
    work.budget.charge_items("triangles", ours.len() as u64, size_of::<[(u32, u32); 3]>())?;
    let (mut corners, mut other) = (0_usize, 0_usize);
    let moved = &own.moved;
    let still = |v: u32, n: u32| {
        let pair = moved.position(v as usize).zip(native.exported.position(n as usize));
        pair.is_some_and(|(here, there)| distance(here, there) <= native.tolerance.position)
    };
    let order: Vec<[u32; 3]> = ours.iter().zip(theirs).map(|(own, of)| as_wound(&still, *own, *of)).collect();
    for (v, n) in ours.iter().flatten().zip(order.iter().flatten()) {
        let (Some(slot), class) = (places.get_mut(*v as usize), native.class(*n as usize)) else { continue };
        corners = corners.saturating_add(1);
        other = other.saturating_add(usize::from(slot.is_some() && *slot != class));
        *slot = slot.or(class);
    }
    // Vertices that are already matched decide; if there are few, texture coordinates and colours do.
    let (mut known, mut against, mut unlike) = (0_usize, 0_usize, 0_usize);
    for (v, class) in places.iter().enumerate().filter_map(|(v, class)| Some((v, (*class)?))) {
        let at = Vertex { mesh, vertex: class as usize };
        if let Some(slot) = own.slots.get(v).copied().flatten() {
            known = known.saturating_add(1);
            against = against.saturating_add(usize::from(slot != at));
        }
        let same = native.compare((&own.moved, v), at.vertex, &work.bones, &native.tolerance);
        unlike = unlike.saturating_add(usize::from(!(same.uv && same.color)));
    }
    let few = |count: usize, of: usize| count.saturating_mul(20) <= of;
    let told = known.saturating_mul(4) > places.len() || few(unlike, places.len());
    if !few(other, corners) || !few(against, known) || !told {
        return Ok(());
    }
    for (v, class) in places.into_iter().enumerate().filter_map(|(v, class)| Some((v, class?))) {
        if own.slots.get(v) == Some(&None) {
            take(own, taken, v, Vertex { mesh, vertex: class as usize });
        }
    }
    own.order = order;
    Ok(())
}

/// Matches a vertex to the native one that differs only in position and normal. If there are several, it takes the
/// nearest.
fn by_likeness(
    work: &Comparison<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    taken: &mut Taken,
) -> Result<(), LimitExceeded> {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return Ok(()) };
    let (theirs, ours) = (&native.exported.mesh.uvs, &own.moved.mesh.uvs);
    if theirs.is_empty() || ours.is_empty() {
        return Ok(());
    }
    work.budget.charge_items("vertices", theirs.len() as u64, size_of::<[f32; 3]>())?;
    let points = theirs.iter().map(|[u, v]| [*u, *v, 0.0]).collect();
    let reach = work.tolerance.uv.max(1e-7);
    let grid = Grid::new(alloc::vec![(points, Affine64::IDENTITY)], reach, work.budget)?;
    let mut pairs = Vec::new();
    for v in (0..own.slots.len()).filter(|v| own.slots.get(*v) == Some(&None)) {
        let Some((uv, here)) = ours.get(v).zip(own.moved.position(v)) else { continue };
        let (first, mut stays) = (pairs.len(), false);
        let [x, y] = wide(*uv);
        for at in grid.vertices_near([x, y, 0.0]).map(|at| Vertex { mesh, ..at }) {
            work.budget.work("vertices", 1)?;
            if native.class(at.vertex) != Some(at.number()) {
                continue;
            }
            let tolerance = Tolerance { normal: work.tolerance.normal, ..native.tolerance };
            let same = native.compare((&own.moved, v), at.vertex, &work.bones, &tolerance);
            let there = native.exported.position(at.vertex);
            if let (true, true, true, Some(there)) = (same.uv, same.weights, same.color, there) {
                let far = distance(here, there);
                if taken.contains_key(&at) {
                    stays |= far <= native.tolerance.position;
                    continue;
                }
                work.budget.charge_items("vertices", 1, size_of::<[u64; 8]>())?;
                pairs.push((!same.normal, far, v, at));
            }
        }
        // If a native vertex is still at this place, only candidates at the same place are possible.
        if stays {
            let own = pairs.split_off(first).into_iter();
            pairs.extend(own.filter(|(_, far, ..)| *far <= native.tolerance.position));
        }
    }
    pairs.order_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
    for (_, _, v, at) in pairs {
        if own.slots.get(v) == Some(&None) && joins(found, own, taken, at, v) {
            take(own, taken, v, at);
        }
    }
    Ok(())
}

/// Records the edited vertex of single native vertices, if the triangle order gives it. Unedited vertices take
/// precedence over edited ones.
fn settle_apart(
    work: &Comparison<'_, '_>,
    e: usize,
    own: &Edited<'_>,
    found: &mut [Found<'_>],
) -> Result<(), LimitExceeded> {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get_mut(m)?))) else { return Ok(()) };
    if native.apart.is_empty() && !own.order.is_empty() {
        native.apart = work.budget.filled("vertices", native.slots.len(), None)?;
    }
    work.budget.work("triangles", own.order.len() as u64)?;
    for untouched in [true, false] {
        for (v, n) in own.moved.mesh.triangles.iter().flatten().zip(own.order.iter().flatten()) {
            let class = native.class(*n as usize).map(|class| Vertex { mesh, vertex: class as usize });
            if class.is_none() || own.slot(*v) != class {
                continue;
            }
            let same = native.compare((&own.moved, *v as usize), *n as usize, &work.bones, &native.tolerance);
            if same.all() == untouched
                && let Some(slot) = native.apart.get_mut(*n as usize)
            {
                slot.get_or_insert(((e, *v as usize), same));
            }
        }
    }
    Ok(())
}

/// Records the edited vertex of each native vertex.
pub(crate) fn settle(
    work: &Comparison<'_, '_>,
    e: usize,
    own: &mut Edited<'_>,
    found: &mut [Found<'_>],
) -> Result<(), LimitExceeded> {
    settle_apart(work, e, own, found)?;
    for v in 0..own.slots.len() {
        let Some(at) = own.slots.get(v).copied().flatten() else { continue };
        let Some(native) = found.get_mut(at.mesh) else { continue };
        let known_apart = Some(at.mesh) == own.named && !own.order.is_empty();
        let same = native.compare((&own.moved, v), at.vertex, &work.bones, &native.tolerance);
        let Some(known) = native.slots.get_mut(at.vertex) else { continue };
        // An unedited vertex takes precedence over an edited one.
        match *known {
            Some(((by, first), known)) if known.all() || !same.all() => {
                let one = by == e && may_be_one(&own.moved, first, v, &native.tolerance);
                if !same.all()
                    && !one
                    && !known_apart
                    && let Some(slot) = own.slots.get_mut(v)
                {
                    *slot = None;
                }
            }
            _ => *known = Some(((e, v), same)),
        }
        if !native.sources.contains(&e) {
            native.sources.push(e);
        }
    }
    Ok(())
}
