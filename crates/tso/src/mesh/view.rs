//! Interpretation of a geometry: the bones of vertices, and vertices in a pose.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "indices that the same function made"
)]

use super::model::{Binding, Geometry};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::{Affine64, narrow, unit, wide};

/// The bone of every vertex, as an index into [`Geometry::bones`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// The bones of real vertices; `None` only if the geometry has no bones.
    pub real: Vec<Option<u32>>,
    /// The bones of blend vertices; `None` if a blend vertex belongs to no binding and has no effect.
    pub blends: Vec<Option<u32>>,
}

/// Vertices in a pose, in model space of the file: left-handed, +Y up, 3 units to the metre.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posed {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Normals of length 1, or zero if the blended normals cancel.
    pub normals: Vec<[f32; 3]>,
}

impl Geometry {
    /// Resolves the bindings.
    ///
    /// Where they break rules: a bone index beyond the last bone means the last, a run is clipped to the vertices
    /// there are, the first binding to claim a vertex has it, an unclaimed real vertex belongs to the first
    /// binding, and an unclaimed blend vertex to none.
    pub fn owners(&self) -> Owners {
        let last = self.bones.len().checked_sub(1).map(|l| u32::try_from(l).unwrap_or(u32::MAX));
        let bone = |b: &Binding| last.map(|last| b.bone.min(last));
        let real = self.bindings.iter().map(|b| (b.first_real, b.real_count, bone(b)));
        let blend = self.bindings.iter().map(|b| (b.first_blend, b.blend_count, bone(b)));
        let first = self.bindings.first().map_or(last.map(|_| 0), bone);
        Owners { real: claim(self.real.len(), real, first), blends: claim(self.blends.len(), blend, None) }
    }

    /// Returns the faces whose vertices all exist, with their indices.
    pub fn sound_faces(&self) -> impl Iterator<Item = (usize, [u32; 3])> + '_ {
        let n = self.real.len();
        let known = move |v: &u32| usize::try_from(*v).is_ok_and(|v| v < n);
        self.faces.iter().copied().enumerate().filter(move |(_, face)| face.iter().all(known))
    }

    /// Returns the blends with an effect in file order, as index, bone and target.
    pub(crate) fn effective_blends<'g>(
        &'g self,
        owners: &'g Owners,
    ) -> impl DoubleEndedIterator<Item = (usize, u32, usize)> + 'g {
        self.blends.iter().zip(&owners.blends).enumerate().filter_map(|(k, (blend, owner))| {
            let target = usize::try_from(blend.target).ok().filter(|t| *t < self.real.len())?;
            Some((k, (*owner)?, target))
        })
    }

    /// Poses the mesh: wraps real and blend vertices around their bones, then lets the blend vertices pull the
    /// real ones, in file order.
    ///
    /// `bones` are the world matrices of [`bones`](Self::bones); where one is missing the identity takes its place,
    /// and without any the vertices stay in the space of their bones. Blends without an owner or a target do
    /// nothing, a weight above full counts as full.
    pub fn pose(&self, bones: &[Affine64]) -> Posed {
        let owners = self.owners();
        let matrix = |bone: Option<u32>| {
            let index = bone.and_then(|b| usize::try_from(b).ok());
            index.and_then(|b| bones.get(b)).unwrap_or(&Affine64::IDENTITY)
        };
        let wrap = |bone: Option<u32>, position: [F32; 3], normal: [F32; 3]| {
            let m = matrix(bone);
            (m.point(wide(position.map(F32::get))), m.vector(wide(normal.map(F32::get))))
        };
        let mut posed: Vec<_> =
            self.real.iter().zip(&owners.real).map(|(v, owner)| wrap(*owner, v.position, v.normal)).collect();
        for (k, bone, target) in self.effective_blends(&owners) {
            let (Some(blend), Some((p, n))) = (self.blends.get(k), posed.get_mut(target)) else { continue };
            let (q, m) = wrap(Some(bone), blend.position, blend.normal);
            let w = blend.pull();
            for i in 0..3 {
                p[i] = w * q[i] + (1.0 - w) * p[i];
                n[i] = w * m[i] + (1.0 - w) * n[i];
            }
        }
        Posed {
            positions: posed.iter().map(|(p, _)| narrow(*p)).collect(),
            normals: posed.iter().map(|(_, n)| unit(*n).map_or([0.0; 3], narrow)).collect(),
        }
    }
}

/// Gives every item to the first run that holds it, in time linear in items and runs.
fn claim(
    n: usize,
    runs: impl Iterator<Item = (u32, u32, Option<u32>)>,
    unclaimed: Option<u32>,
) -> Vec<Option<u32>> {
    let mut owners = alloc::vec![unclaimed; n];
    // `free[i]` leads to the first free item at or after `i`.
    let mut free: Vec<usize> = (0..=n).collect();
    let index = |v: u64| usize::try_from(v).unwrap_or(usize::MAX).min(n);
    for (first, count, owner) in runs {
        let end = index(u64::from(first) + u64::from(count));
        let mut at = next_free(&mut free, index(u64::from(first)));
        while at < end {
            owners[at] = owner;
            free[at] = at + 1;
            at = next_free(&mut free, at);
        }
    }
    owners
}

fn next_free(free: &mut [usize], from: usize) -> usize {
    let mut at = from;
    while free[at] != at {
        // Path halving keeps later walks short.
        free[at] = free[free[at]];
        at = free[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn the_first_claim_wins_and_a_flood_of_claims_is_cheap() {
        let runs = [(1, 2, Some(7)), (0, 3, Some(8)), (3, u32::MAX, Some(9))];
        assert_eq!(claim(5, runs.into_iter(), None), [Some(8), Some(7), Some(7), Some(9), Some(9)]);
        assert_eq!(claim(0, runs.into_iter(), None), vec![]);
        assert_eq!(claim(2, [(1, 0, Some(1)), (9, 9, Some(1))].into_iter(), Some(4)), [Some(4), Some(4)]);
        let flood = (0..200_000).map(|i| (0, 200_000, Some(i)));
        assert!(claim(200_000, flood, None).iter().all(|o| *o == Some(0)));
    }
}
