//! The pose that a mesh was modelled in, computed from its blends: in this pose a blend vertex and its real vertex
//! have the same position. Maxis modelled bodies with stretched arms, while the arms of the skeleton point down.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "vectors and matrices of fixed size, and indices that the same function made"
)]

use crate::fit::{Fit, largest};
use crate::mesh::{Geometry, Owners};
use crate::pose::BonePose;
use crate::skel::{ADULT_BONES, Skel};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, add, distance, dot, quat, sub, unit, wide};
use meshwright_core::{F32, Order as _};

/// A bone keeps its rest pose if blend and real vertices are at most this far apart: 1 mm, in units of the file.
const AT_REST: f64 = 0.003;
/// The fraction to which a turned bone must reduce the distance.
const BETTER: f64 = 0.1;
/// If a rotation leaves a larger distance, a shift of the joint is tried too.
const TURN_LEAVES: f64 = 1.0e-4;
/// A shift is used if it reduces the distance that the rotation leaves below this fraction.
const SHIFT_LEAVES: f64 = 0.75;
/// The rotation of the upper arms of Maxis' bodies about their own z, in radians: 85 degrees.
const ARMS: f64 = 85.0 * core::f64::consts::PI / 180.0;

/// The pose in which meshes are bound to a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BindPose {
    /// The transform of every bone in model space.
    pub world: Vec<Affine64>,
    /// The bones whose bind pose differs from the rest pose, in the skeleton's order.
    pub turned: Vec<TurnedBone>,
}

/// A bone that a [`BindPose`] turned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TurnedBone {
    /// The index.
    pub bone: usize,
    /// The angle in degrees.
    pub degrees: f64,
    /// The maximum distance between blend and real vertices if the bone has its rest pose, in units of the file.
    pub before: f64,
    /// The same in the bind pose.
    pub after: f64,
}

/// A point as two bones have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) bones: [usize; 2],
    pub(crate) points: [[f64; 3]; 2],
}

/// The memory of a pair, once for each of its bones.
#[cfg(feature = "scene")]
pub(crate) const PAIR: usize = size_of::<Pair>() + 2 * size_of::<Entry>();

/// A pair as seen from one of its bones: its own point, the other bone, and that one's.
type Entry = (usize, [f64; 3], usize, [f64; 3]);

/// Passes on the pairs of a geometry's blends between different bones, with the numbers of the blend and of the real
/// vertex. `bone_of` gives the skeleton's bone for every bone of the geometry; `None` if the skeleton lacks it.
pub(crate) fn pairs(
    g: &Geometry,
    owners: &Owners,
    bone_of: &[Option<usize>],
    visit: &mut dyn FnMut(usize, usize, Pair),
) {
    let found = |bone: u32| {
        let index = usize::try_from(bone).ok()?;
        bone_of.get(index).copied().flatten()
    };
    for (k, bone, target) in g.effective_blends(owners) {
        let (Some(blend), Some(real)) = (g.blends.get(k), g.real.get(target)) else { continue };
        let own = owners.real.get(target).copied().flatten();
        let (Some(a), Some(b)) = (own.and_then(found), found(bone)) else { continue };
        let points = [real.position, blend.position].map(|p| wide(p.map(F32::get)));
        if a != b && points.as_flattened().iter().all(|c| c.is_finite()) {
            visit(k, target, Pair { bones: [a, b], points });
        }
    }
}

impl Skel {
    /// Returns the pose in which meshes of this skeleton were modelled, computed from their blends. A bone keeps its rest
    /// pose if blend and real vertices meet in it.
    pub fn bind_pose<'g>(&self, meshes: impl IntoIterator<Item = &'g Geometry>) -> BindPose {
        let mut all = Vec::new();
        for g in meshes {
            let owners = g.owners();
            pairs(g, &owners, &self.find_all(&g.bones), &mut |_, _, pair| all.push(pair));
        }
        Solver::new(self, &self.rest(), &all).run()
    }
}

impl Geometry {
    /// Returns the distance of blend and real vertices in a skeleton's rest pose, in units of the file: the median over all
    /// blends between different bones, `None` without such blends. Only with the mesh's own skeleton it is small.
    pub fn misfit(&self, skeleton: &Skel) -> Option<f64> {
        let (owners, world) = (self.owners(), skeleton.world(&[]));
        let bone_of = skeleton.find_all(&self.bones);
        let mut apart: Vec<f64> = Vec::new();
        pairs(self, &owners, &bone_of, &mut |_, _, Pair { bones: [a, b], points: [p, q] }| {
            apart.push(distance(world[a].point(p), world[b].point(q)));
        });
        apart.order_by(f64::total_cmp);
        apart.get(apart.len() / 2).copied()
    }

    /// Returns the angle in degrees between the normals of blend vertices and of their real vertices, in the bind pose of a
    /// skeleton: the median over all blends between different bones, `None` without such blends.
    pub fn normals_apart(&self, skeleton: &Skel) -> Option<f64> {
        let (owners, bind) = (self.owners(), skeleton.bind_pose([self]));
        let bone_of = skeleton.find_all(&self.bones);
        let turned = |bone: usize, n: [F32; 3]| unit(bind.world[bone].vector(wide(n.map(F32::get))));
        let mut apart: Vec<f64> = Vec::new();
        pairs(self, &owners, &bone_of, &mut |k, target, Pair { bones: [a, b], .. }| {
            let normals = turned(a, self.real[target].normal).zip(turned(b, self.blends[k].normal));
            if let Some((n, m)) = normals {
                apart.push(meshwright_core::math::acos(dot(n, m).clamp(-1.0, 1.0)).to_degrees());
            }
        });
        apart.order_by(f64::total_cmp);
        apart.get(apart.len() / 2).copied()
    }

    /// Returns the geometry with blend normals that match those of the vertices that they pull, in the bind pose for a
    /// skeleton.
    #[must_use]
    pub fn with_blend_normals_of(mut self, skeleton: &Skel) -> Self {
        let (owners, bind) = (self.owners(), skeleton.bind_pose([&self]));
        let bone_of = skeleton.find_all(&self.bones);
        let mut mended = Vec::new();
        pairs(&self, &owners, &bone_of, &mut |k, target, Pair { bones: [a, b], .. }| {
            let n = bind.world[a].vector(wide(self.real[target].normal.map(F32::get)));
            if let Some(local) = bind.world[b].inverse().and_then(|back| unit(back.vector(n))) {
                mended.push((k, meshwright_core::math::narrow(local).map(F32::new)));
            }
        });
        for (k, normal) in mended {
            self.blends[k].normal = normal;
        }
        self
    }
}

/// The bind pose under construction.
pub(crate) struct Solver<'s> {
    skel: &'s Skel,
    poses: &'s [BonePose],
    parents: Vec<Option<usize>>,
    /// The entries of all pairs, sorted by bone.
    entries: Vec<Entry>,
    world: Vec<Option<Affine64>>,
    turned: Vec<TurnedBone>,
    adult: bool,
}

impl<'s> Solver<'s> {
    pub(crate) fn new(skel: &'s Skel, poses: &'s [BonePose], pairs: &[Pair]) -> Self {
        let mut entries = Vec::with_capacity(2 * pairs.len());
        for Pair { bones: [a, b], points: [p, q] } in pairs.iter().copied() {
            entries.extend([(a, p, b, q), (b, q, a, p)]);
        }
        entries.order_by_key(|entry| entry.0);
        let adult = ADULT_BONES.iter().all(|(name, _)| skel.find(&(*name).into()).is_some());
        let (parents, world) = (skel.parents(), alloc::vec![None; poses.len()]);
        Self { skel, poses, parents, entries, world, turned: Vec::new(), adult }
    }

    pub(crate) fn run(mut self) -> BindPose {
        let mut chain = Vec::new();
        for start in 0..self.poses.len() {
            let mut at = Some(start);
            while let Some(i) = at.filter(|i| self.world[*i].is_none()) {
                chain.push(i);
                at = self.parents[i];
            }
            while let Some(i) = chain.pop() {
                self.world[i] = Some(self.place(i));
            }
        }
        self.turned.order_by_key(|t| t.bone);
        let world = self.world.into_iter().map(Option::unwrap_or_default).collect();
        BindPose { world, turned: self.turned }
    }

    /// Returns the pose of a bone whose parent already has a pose.
    fn place(&mut self, bone: usize) -> Affine64 {
        let above = self.parents[bone].and_then(|p| self.world[p]).unwrap_or_default();
        let local = self.poses[bone].matrix();
        let rest = above.after(&local);
        let (first, end) =
            (self.entries.partition_point(|e| e.0 < bone), self.entries.partition_point(|e| e.0 <= bone));
        let own = &self.entries[first..end];
        let known = own.iter().filter_map(|(_, p, other, q)| Some((*p, self.world[*other]?.point(*q))));
        let points: Vec<_> = known.collect();
        let before = largest(&rest, &points);
        if before <= AT_REST || points.is_empty() {
            return rest;
        }
        let good = |m: &Affine64| {
            let left = largest(m, &points);
            left <= AT_REST && left <= before * BETTER
        };
        let solved = self.solve(&above, &local, &points).filter(good);
        let found = solved.or_else(|| {
            self.constant(bone, &above, &local).filter(|m| largest(m, &points) <= before * BETTER)
        });
        let Some(found) = found else { return rest };
        let degrees = turn_between(&rest, &found);
        self.turned.push(TurnedBone { bone, degrees, before, after: largest(&found, &points) });
        found
    }

    /// Returns a rotation about the joint. If that leaves a large distance and three points are not on a line, it
    /// returns a free transform.
    fn solve(&self, above: &Affine64, local: &Affine64, points: &[([f64; 3], [f64; 3])]) -> Option<Affine64> {
        let back = above.inverse()?;
        // In the parent's axes, with the joint as origin.
        let here: Vec<_> = points.iter().map(|(p, q)| (*p, sub(back.point(*q), local.w))).collect();
        let placed = |m: &Affine64| above.after(&Affine64 { w: add(m.w, local.w), ..*m });
        let turn = Fit::turn(&here).map(|m| placed(&m));
        let left = turn.as_ref().map_or(f64::INFINITY, |m| largest(m, points));
        if left <= TURN_LEAVES {
            return turn;
        }
        let free = Fit::fit_free(&here).map(|m| placed(&m));
        free.filter(|m| largest(m, points) < left * SHIFT_LEAVES).or(turn)
    }

    /// Returns the rotation of both upper arms in Maxis' bodies.
    fn constant(&self, bone: usize, above: &Affine64, local: &Affine64) -> Option<Affine64> {
        let name = &self.skel.bones.get(bone).filter(|_| self.adult)?.name;
        let angle = match () {
            () if name.matches(&"L_ARM1".into()) => ARMS,
            () if name.matches(&"R_ARM1".into()) => -ARMS,
            () => return None,
        };
        let turn = Trs64 { rotation: quat::about([0.0, 0.0, 1.0], angle), ..Trs64::default() };
        Some(above.after(&local.after(&turn.to_affine())))
    }
}

/// Returns the angle in degrees between the axes of two transforms.
fn turn_between(a: &Affine64, b: &Affine64) -> f64 {
    let trace = dot(a.x, b.x) + dot(a.y, b.y) + dot(a.z, b.z);
    meshwright_core::math::acos(((trace - 1.0) / 2.0).clamp(-1.0, 1.0)).to_degrees()
}
