//! Matches triangles at nearly equal native vertices, which tools confuse or merge.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Edited, Found, PartAt};
use crate::correspond::vertices::{Grid, Same, Vertex, are_twins};
use alloc::vec::Vec;
use meshwright_core::math::distance;
use meshwright_core::{LimitExceeded, Order as _};

/// A triangle of an edited mesh.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) e: usize,
    /// The index in the mesh.
    pub(crate) t: usize,
    pub(crate) corners: [u32; 3],
    /// The native vertices of the corners, if the triangle order gives them.
    pub(crate) known: Option<[Option<u32>; 3]>,
}

/// A native triangle: its mesh, its index and its vertex classes.
type Face = (usize, usize, [u32; 3]);

/// The data to look up native and edited triangles.
struct Twins<'w, 's, 'b> {
    work: &'w Comparison<'s, 'b>,
    edited: &'w [Edited<'s>],
    grid: &'w Grid<'w>,
    /// Missing native triangles: for each corner, the two next corners and the triangle's index.
    gone: Vec<(Vertex, [u32; 2], usize)>,
}

/// Marks the native triangles whose corners match those of an edited triangle within the tolerance, or are nearly equal
/// to their matched native vertices. Returns the edited triangles without a match.
pub(crate) fn tick(
    work: &Comparison<'_, '_>,
    edited: &[Edited<'_>],
    found: &mut [Found<'_>],
    grid: &Grid<'_>,
    drawn: Vec<Drawn>,
) -> Result<Vec<Drawn>, LimitExceeded> {
    if drawn.is_empty() {
        return Ok(drawn);
    }
    let twins = Twins { work, edited, grid, gone: gone(work, found)? };
    let mut left = Vec::new();
    for triangle in drawn {
        if triangle.known.is_some() {
            left.push(triangle);
            continue;
        }
        match twins.nearest_face(triangle, found)? {
            Some((mesh, face, classes)) => {
                if let Some(native) = found.get_mut(mesh) {
                    let there = native.there.get_mut(face).into_iter();
                    there.for_each(|there| *there = PartAt::new(triangle.e, triangle.t));
                    twins.settle(triangle, (mesh, classes), native);
                }
            }
            None => left.push(triangle),
        }
    }
    Ok(left)
}

fn gone(
    work: &Comparison<'_, '_>,
    found: &[Found<'_>],
) -> Result<Vec<(Vertex, [u32; 2], usize)>, LimitExceeded> {
    let faces = |native: &Found<'_>| native.there.iter().filter(|there| there.is_none()).count();
    let count = found.iter().map(faces).fold(0, usize::saturating_add);
    let mut gone = work.budget.reserve("triangles", count.saturating_mul(3))?;
    for (mesh, native) in found.iter().enumerate() {
        for (face, _) in native.there.iter().enumerate().filter(|(_, there)| there.is_none()) {
            let Some([a, b, c]) = native.face(face) else { continue };
            let at = |corner: u32| Vertex { mesh, vertex: corner as usize };
            gone.extend([(at(a), [b, c], face), (at(b), [c, a], face), (at(c), [a, b], face)]);
        }
    }
    gone.order();
    Ok(gone)
}

impl Twins<'_, '_, '_> {
    /// Returns the native triangle nearest to an edited one, with its classes.
    fn nearest_face(
        &self,
        Drawn { e, corners: [a, b, c], .. }: Drawn,
        found: &[Found<'_>],
    ) -> Result<Option<Face>, LimitExceeded> {
        let Some(own) = self.edited.get(e) else { return Ok(None) };
        let Some(point) = self.place(own, a, found) else { return Ok(None) };
        let mut best: Option<((bool, f64), Face)> = None;
        for at in self.grid.vertices_near(point) {
            self.work.budget.work("vertices", 1)?;
            let Some(native) = found.get(at.mesh) else { continue };
            let from = self.gone.partition_point(|(corner, ..)| *corner < at);
            let faces = self.gone.get(from..).unwrap_or_default().iter().take_while(|(v, ..)| *v == at);
            let mut same = None;
            for (_, [x, y], face) in faces.filter(|(.., face)| native.there.get(*face) == Some(&None)) {
                self.work.budget.work("vertices", 2)?;
                let third = |v: u32, class: u32| {
                    self.mismatch((e, own), v, Vertex { mesh: at.mesh, vertex: class as usize }, found)
                };
                let first = *same.get_or_insert_with(|| self.mismatch((e, own), a, at, found));
                let Some(first) = first else { break };
                let Some((second, third)) = third(b, *x).zip(third(c, *y)) else { continue };
                let cost = (Some(at.mesh) != own.named, first + second + third);
                if best.is_none_or(|(other, _)| cost < other) {
                    best = Some((cost, (at.mesh, *face, [at.number(), *x, *y])));
                }
            }
        }
        Ok(best.map(|(_, face)| face))
    }

    /// Returns the position of the matched native vertex, or that of the edited vertex, in model space.
    fn place(&self, own: &Edited<'_>, v: u32, found: &[Found<'_>]) -> Option<[f64; 3]> {
        let was = own.slot(v).and_then(|at| found.get(at.mesh)?.exported.position(at.vertex));
        was.or_else(|| own.moved.position(v as usize))
    }

    /// Returns the distance between an edited vertex and a native one that it may be, or `None` if it cannot be that
    /// vertex.
    fn mismatch(
        &self,
        (e, own): (usize, &Edited<'_>),
        v: u32,
        at: Vertex,
        found: &[Found<'_>],
    ) -> Option<f64> {
        let native = found.get(at.mesh)?;
        // The native vertex may have got the values of another one.
        if native.slot(at.vertex).is_some() && !native.gets(self.work, (e, own), v, at.vertex) {
            return None;
        }
        match own.slot(v) {
            Some(was) if was == at => Some(0.0),
            Some(was) if was.mesh == at.mesh && !self.same(own, v, was, native).all() => {
                let twins = are_twins(&native.exported, was.vertex, at.vertex, &native.tolerance);
                twins.then_some(native.tolerance.position)
            }
            _ => {
                let (here, there) =
                    own.moved.position(v as usize).zip(native.exported.position(at.vertex))?;
                self.same(own, v, at, native).all().then(|| distance(here, there))
            }
        }
    }

    fn same(&self, own: &Edited<'_>, v: u32, at: Vertex, native: &Found<'_>) -> Same {
        native.compare((&own.moved, v as usize), at.vertex, &self.work.bones, &native.tolerance)
    }

    /// Records the edited vertices for the corners of a native triangle that have none.
    fn settle(&self, triangle: Drawn, (mesh, classes): (usize, [u32; 3]), native: &mut Found<'_>) {
        let Some(own) = self.edited.get(triangle.e) else { return };
        for (v, class) in triangle.corners.into_iter().zip(classes) {
            if native.slots.get(class as usize) == Some(&None) {
                let same = self.same(own, v, Vertex { mesh, vertex: class as usize }, native);
                let slot = native.slots.get_mut(class as usize).into_iter();
                slot.for_each(|slot| *slot = Some(((triangle.e, v as usize), same)));
            }
        }
        if !native.sources.contains(&triangle.e) {
            native.sources.push(triangle.e);
        }
    }
}
