//! Divides triangles and quads into meshes.

use super::buckets::Buckets;
use super::quads::Unit;
use alloc::vec::Vec;

/// The number of open neighbours that are compared when a mesh is filled.
const FRONTIER: usize = 64;
/// The number of entries of the frontier that are searched for open neighbours.
const PASSED: usize = 256;

/// Divides units into meshes of at most `capacity` vertices. Each mesh is filled with neighbours of its
/// units.
pub(super) fn fill(units: &[Unit], vertices: usize, capacity: usize) -> Vec<Vec<Unit>> {
    let mut filling = Filling::new(units, vertices, capacity);
    core::iter::from_fn(|| filling.bin()).collect()
}

/// Units being divided into meshes.
struct Filling<'u> {
    units: &'u [Unit],
    capacity: usize,
    /// The units at each vertex.
    users: Buckets<u32>,
    placed: Vec<bool>,
    /// The number of the last bin that contains each vertex. Bins count from 1, so that nothing has to be
    /// cleared.
    in_bin: Vec<usize>,
    bin: usize,
    /// The next unit that may be open, for each unit, itself included. There is one more entry than units.
    open: Vec<u32>,
}

impl<'u> Filling<'u> {
    fn new(units: &'u [Unit], vertices: usize, capacity: usize) -> Self {
        let users = Buckets::new(vertices, &|add| {
            for (i, unit) in (0..).zip(units) {
                unit.corners().iter().for_each(|corner| add(*corner, i));
            }
        });
        let (placed, in_bin) = (alloc::vec![false; units.len()], alloc::vec![0; vertices]);
        let open = (0..=units.len()).map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect();
        Self { units, capacity, users, placed, in_bin, bin: 0, open }
    }

    fn is_open(&self, i: usize) -> bool {
        self.placed.get(i) == Some(&false)
    }

    /// Fills the next mesh; `None` if all units are placed.
    fn bin(&mut self) -> Option<Vec<Unit>> {
        self.bin += 1;
        let (mut bin, mut used) = (Vec::new(), 0_usize);
        let mut frontier: Vec<u32> = Vec::new();
        while let Some((n, i)) = self.choose(&mut frontier, self.capacity.saturating_sub(used)) {
            let Some(unit) = self.units.get(i) else { break };
            used = used.saturating_add(n);
            self.place(i, unit, &mut frontier);
            bin.push(*unit);
        }
        (!bin.is_empty()).then_some(bin)
    }

    /// Chooses the next unit, and returns it with the number of vertices that it adds, at most `left`. It is
    /// a neighbour of the units placed last, or otherwise the next open unit.
    fn choose(&mut self, frontier: &mut Vec<u32>, left: usize) -> Option<(usize, usize)> {
        // Remove placed units if many of them would have to be skipped.
        if frontier.iter().rev().take(PASSED).filter(|i| !self.is_open(**i as usize)).count() >= PASSED / 2 {
            frontier.retain(|i| self.is_open(*i as usize));
        }
        let mut near: Option<(usize, usize)> = None;
        let open = frontier.iter().rev().take(PASSED).filter(|i| self.is_open(**i as usize));
        for i in open.take(FRONTIER).map(|i| *i as usize) {
            let Some(unit) = self.units.get(i) else { continue };
            let found = (self.fresh(unit), i);
            if found.0 <= left && near.is_none_or(|best| found < best) {
                near = Some(found);
            }
        }
        if near.is_some() {
            return near;
        }
        let mut at = self.first_open(0);
        for _ in 0..FRONTIER {
            let unit = self.units.get(at)?;
            let fresh = self.fresh(unit);
            if fresh <= left {
                return Some((fresh, at));
            }
            at = self.first_open(at + 1);
        }
        None
    }

    /// Returns the first open unit from `i` on, or the number of units. Shortens the paths that it follows.
    fn first_open(&mut self, i: usize) -> usize {
        let mut end = i;
        while let Some(next) = self.open.get(end).map(|n| *n as usize).filter(|n| *n != end) {
            end = next;
        }
        let mut at = i;
        while at != end {
            let Some(slot) = self.open.get_mut(at) else { break };
            at = core::mem::replace(slot, u32::try_from(end).unwrap_or(u32::MAX)) as usize;
        }
        end
    }

    /// Returns the number of vertices of a unit that are not in the bin yet.
    fn fresh(&self, unit: &Unit) -> usize {
        let corners = unit.corners();
        let is_new = |(k, c): (usize, &u32)| {
            self.in_bin.get(*c as usize) != Some(&self.bin) && !corners[..k].contains(c)
        };
        corners.iter().enumerate().filter(|one| is_new(*one)).count()
    }

    fn place(&mut self, i: usize, unit: &Unit, frontier: &mut Vec<u32>) {
        if let (Some(p), Some(next)) = (self.placed.get_mut(i), self.open.get_mut(i)) {
            (*p, *next) = (true, u32::try_from(i + 1).unwrap_or(u32::MAX));
        }
        for corner in unit.corners() {
            let corner = *corner as usize;
            if let Some(slot) = self.in_bin.get_mut(corner).filter(|s| **s != self.bin) {
                *slot = self.bin;
                let list = self.users.get(corner).iter();
                frontier.extend(list.filter(|u| self.placed.get(**u as usize) == Some(&false)));
            }
        }
    }
}
