//! The space in which a tool stores the vertices of skinned meshes.

use crate::correspond::joints::{Bones, bind, is_near_transform};
use crate::correspond::vertices::{Grid, Vertex};
use crate::joint_index::At;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, distance, length, narrow, scale, unit, wide};
use meshwright_core::{Budget, SortedMap, SortedSet};
use meshwright_scene::{Affine, ConvertError, Local, Mesh, Motion, Scene, Skeleton};

/// Number of vertices of a skeleton that are compared.
const SAMPLES: usize = 256;

/// Number of joints of a skeleton that are tried.
const JOINTS: usize = 4;

/// Returns the edited scene with the vertices of skinned meshes in model space. Packers put the inverse of their
/// quantization into the bind matrices; conversions to other formats put axes and units there.
pub(crate) fn modelled<'s>(
    edited: &'s Scene,
    exported: &'s Scene,
    bones: &mut Bones,
    (extent, reach): (f64, f64),
    budget: &Budget,
) -> Result<Cow<'s, Scene>, ConvertError> {
    let mut scene = Cow::Borrowed(edited);
    if exported.skeletons.is_empty() || edited.skeletons.is_empty() {
        return Ok(scene);
    }
    let points = |m: &'s Mesh| (Cow::Borrowed(&*m.positions), Affine64::IDENTITY);
    let grid = Grid::new(exported.meshes.iter().map(points).collect(), reach, budget)?;
    for (s, skeleton) in edited.skeletons.iter().enumerate() {
        let hits = |space: &Affine64| hits(edited, s, space, exported, &grid, reach);
        let (own, all) = hits(&Affine64::IDENTITY);
        let rested = rested(skeleton);
        // The skeleton at rest undoes a transform in which a tool only stored the vertices.
        let drawn = uniform(rested.iter().copied(), extent);
        let seen = |m: &Affine64| drawn.is_none_or(|drawn| are_close(&drawn, m, extent));
        let own_bind = Matched { skeleton, s, exported, bones };
        let offset = own_bind.bind_offset(extent);
        let grown = offset.is_some_and(|m| own_bind.is_transformed(&rested, &m, extent));
        let stated = offset.filter(|m| !grown && seen(m));
        let (mut best, mut most) = (None, own);
        let mut consider = |m: &Affine64, least: usize| {
            let (n, _) = hits(m);
            if n > own.max(least) && n >= most {
                (best, most) = (Some(*m), n);
            }
        };
        let is_moved = |m: &&Affine64| !is_near_transform(m, &Affine64::IDENTITY, extent);
        stated.iter().chain(drawn.iter().filter(is_moved)).for_each(|m| consider(m, 0));
        // In a pose of a clip, some joints may still have the bind pose.
        rested.iter().take(JOINTS).filter(is_moved).for_each(|m| consider(m, all.div_euclid(2)));
        let Some(space) = best else {
            if let Some(factor) = own_bind.scale().filter(|_| grown || drawn.is_some()) {
                level(scene.to_mut(), s, factor);
                bones.factors.insert(s, factor);
            }
            continue;
        };
        let Some(back) = space.inverse() else { continue };
        let of = edited.meshes.iter().filter(|m| m.skin.as_ref().is_some_and(|k| k.skeleton.0 == s));
        let count: u64 = of.map(|m| m.positions.len() as u64).sum();
        budget.charge_items("vertices", count, size_of::<[f32; 24]>())?;
        let scene = scene.to_mut();
        for joint in scene.skeletons.get_mut(s).into_iter().flat_map(|k| &mut k.joints) {
            joint.inverse_bind = joint.inverse_bind.wide().after(&back).narrow();
        }
        let turn = space.normals();
        for mesh in scene.meshes.iter_mut().filter(|m| m.skin.as_ref().is_some_and(|k| k.skeleton.0 == s)) {
            mesh.positions.iter_mut().for_each(|p| *p = narrow(space.point(wide(*p))));
            for normal in &mut mesh.normals {
                let turned = turn.and_then(|m| unit(m.vector(wide(*normal))));
                *normal = turned.map_or(*normal, narrow);
            }
        }
        let factor =
            scene.skeletons.get(s).and_then(|skeleton| Matched { skeleton, s, exported, bones }.scale());
        if let Some(factor) = factor {
            level(scene, s, factor);
            bones.factors.insert(s, factor);
        }
    }
    Ok(scene)
}

/// A skeleton of the edited scene, and the matches of its joints.
struct Matched<'a> {
    skeleton: &'a Skeleton,
    s: usize,
    exported: &'a Scene,
    bones: &'a Bones,
}

impl<'a> Matched<'a> {
    /// Returns the skeleton and the index of the joint that a joint was matched to.
    fn native(&self, joint: usize) -> Option<(&'a Skeleton, usize)> {
        let at = self.bones.get(At { skeleton: self.s, joint }).native?;
        Some((self.exported.skeletons.get(at.skeleton)?, at.joint))
    }

    /// Returns the scale of the skeleton compared to the original's, if all bind poses and the roots have the same. A
    /// tool may have dropped the scales of the original's bones; only the positions of the roots tell.
    fn scale(&self) -> Option<f64> {
        let differs = |by: &f64| *by > 0.0 && (by - 1.0).abs() > 1e-3;
        let native = self.common_scale(size);
        if native.is_some_and(|by| !differs(&by)) {
            return None;
        }
        let dropped = self.common_scale(|_| [1.0; 3]);
        let keeps = native.zip(dropped).zip(self.root_distance());
        let keeps = keeps.is_some_and(|((kept, dropped), by)| (kept - by).abs() < (dropped - by).abs());
        dropped.filter(|_| !keeps).or(native).filter(differs)
    }

    /// Returns the distance of the bound roots from the origin compared to the original's.
    fn root_distance(&self) -> Option<f64> {
        let roots = self.skeleton.joints.iter().enumerate().filter(|(_, joint)| joint.parent.is_none());
        let places = roots.filter_map(|(joint, _)| {
            let (of, at) = self.native(joint)?;
            Some((bind(self.skeleton, joint)?.w, bind(of, at)?.w))
        });
        let (here, there) =
            places.fold((0.0, 0.0), |(a, b), (here, there)| (a + length(here), b + length(there)));
        Some(here / there).filter(|by| by.is_finite())
    }

    /// Returns the scale of all bind poses and of the roots at rest compared to the original's, whose sizes `there`
    /// returns.
    fn common_scale(&self, there: fn(&Affine64) -> [f64; 3]) -> Option<f64> {
        let mut factor = None;
        for (joint, own) in self.skeleton.joints.iter().enumerate() {
            let Some((of, at)) = self.native(joint) else { continue };
            let (here, bound) = own.inverse_bind.wide().inverse().zip(bind(of, at))?;
            let rest = of.joints.get(at)?.rest.to_affine64();
            // Joints below others have translations only.
            let root = own.parent.is_none().then(|| (size(&own.rest.to_affine64()), there(&rest)));
            let pairs = core::iter::once((size(&here), there(&bound))).chain(root);
            for (here, there) in pairs.flat_map(|(a, b)| a.into_iter().zip(b)) {
                let by = here / there;
                let first = *factor.get_or_insert(by);
                if !by.is_finite() || (by - first).abs() > 1e-3 * first {
                    return None;
                }
            }
        }
        factor
    }

    /// Returns the transform by which all bind matrices differ from the exported ones, if it is the same for all.
    fn bind_offset(&self, extent: f64) -> Option<Affine64> {
        let spaces = self.skeleton.joints.iter().enumerate().filter_map(|(joint, own)| {
            let (of, at) = self.native(joint)?;
            Some(bind(of, at)?.after(&own.inverse_bind.wide()))
        });
        uniform(spaces, extent).filter(|first| !is_near_transform(first, &Affine64::IDENTITY, extent))
    }

    /// Returns true if the skeleton with its vertices was transformed by the inverse of `space`, so that it shows the
    /// original in its rest pose. `rested_here` are the transforms of its joints from bind to rest pose.
    fn is_transformed(&self, rested_here: &[Affine64], space: &Affine64, extent: f64) -> bool {
        let Some(by) = space.inverse() else { return false };
        let mut rested_there = SortedMap::new();
        rested_here.iter().enumerate().all(|(joint, here)| {
            let native = self.bones.get(At { skeleton: self.s, joint }).native;
            let there = native.zip(self.native(joint)).and_then(|(at, (of, _))| {
                rested_there.entry(at.skeleton).or_insert_with(|| rested(of)).get(at.joint).copied()
            });
            there.is_none_or(|there| are_close(here, &by.after(&there).after(space), extent))
        })
    }
}

/// Returns the scale of a transform along its axes.
fn size(m: &Affine64) -> [f64; 3] {
    Trs64::from_affine(m).scale
}

/// Moves the scale of a skeleton from its roots into the translations of the joints below.
fn level(scene: &mut Scene, s: usize, factor: f64) {
    let Some(skeleton) = scene.skeletons.get_mut(s) else { return };
    let times = |v: [f32; 3], by: f64| narrow(scale(wide(v), by));
    let roots: Vec<bool> = skeleton.joints.iter().map(|j| j.parent.is_none()).collect();
    let level_matrix = |m: &mut Affine, root: bool| match root {
        true => {
            for axis in [&mut m.x, &mut m.y, &mut m.z] {
                *axis = times(*axis, factor.recip());
            }
        }
        false => m.w = times(m.w, factor),
    };
    for joint in &mut skeleton.joints {
        let m = joint.inverse_bind.wide();
        let [x, y, z, w] = [m.x, m.y, m.z, m.w].map(|v| scale(v, factor));
        joint.inverse_bind = Affine64 { x, y, z, w }.narrow();
        let root = joint.parent.is_none();
        match &mut joint.rest {
            Local::Trs(t) if root => t.scale = times(t.scale, factor.recip()),
            Local::Trs(t) => t.translation = times(t.translation, factor),
            Local::Affine(m) => level_matrix(m, root),
        }
    }
    let mut sets = SortedSet::new();
    for clip in scene.clips.iter_mut().filter(|clip| clip.skeleton.0 == s) {
        let tracks = match &mut clip.motion {
            Motion::Tracks(tracks) => tracks,
            Motion::Poses { set, .. } => {
                sets.insert(set.0);
                continue;
            }
        };
        for track in tracks {
            if roots.get(track.joint) == Some(&true) {
                track.scale.values.iter_mut().for_each(|v| *v = times(*v, factor.recip()));
            } else {
                track.translation.values.iter_mut().for_each(|v| *v = times(*v, factor));
            }
        }
    }
    for set in sets {
        let Some(set) = scene.pose_sets.get_mut(set) else { continue };
        let all = set.locals.iter_mut().zip(roots.iter().cycle());
        all.for_each(|(local, root)| level_matrix(local, *root));
    }
}

/// Returns the transform that the rest pose applies to the vertices of each joint. It is the same for all joints if the
/// rest pose is the bind pose.
fn rested(skeleton: &Skeleton) -> Vec<Affine64> {
    let model = skeleton.rest_model().unwrap_or_default();
    skeleton.joints.iter().zip(model).map(|(j, m)| m.wide().after(&j.inverse_bind.wide())).collect()
}

/// Returns the first transform, if all are nearly equal.
fn uniform(mut spaces: impl Iterator<Item = Affine64>, extent: f64) -> Option<Affine64> {
    let first = spaces.next()?;
    spaces.all(|m| are_close(&first, &m, extent)).then_some(first)
}

/// Returns true if two transforms are nearly equal.
fn are_close(first: &Affine64, m: &Affine64, extent: f64) -> bool {
    let (a, b) = (first.to_array(), m.to_array());
    let size = a.iter().take(9).fold(0.0_f64, |most, c| most.max(c.abs()));
    let mut pairs = a.iter().zip(b);
    let linear = pairs.by_ref().take(9).all(|(a, b)| (a - b).abs() <= 1e-4 * size);
    linear && pairs.all(|(a, b)| (a - b).abs() <= 1e-4 * extent)
}

/// Returns how many of some vertices are at an exported vertex, and how many were compared.
fn hits(
    edited: &Scene,
    s: usize,
    space: &Affine64,
    exported: &Scene,
    grid: &Grid<'_>,
    reach: f64,
) -> (usize, usize) {
    let own = |mesh: &&Mesh| mesh.skin.as_ref().is_some_and(|skin| skin.skeleton.0 == s);
    let sizes = edited.meshes.iter().filter(own).map(|mesh| mesh.positions.len());
    let step = sizes.fold(0, usize::saturating_add).div_euclid(SAMPLES).max(1);
    let near = |at: Vertex, p: &[f32; 3]| {
        let p = space.point(wide(*p));
        let there = |v: &Vertex| exported.meshes.get(v.mesh).and_then(|m| m.positions.get(v.vertex));
        let is_near = |v: Vertex| there(&v).is_some_and(|q| distance(wide(*q), p) <= reach);
        // Most vertices still have their indices.
        is_near(at) || grid.vertices_near(p).take(64).any(is_near)
    };
    // `skip` is the number of vertices before the next sample.
    let (mut hits, mut all, mut skip) = (0_usize, 0_usize, 0_usize);
    for (mesh, own) in edited.meshes.iter().enumerate().filter(|(_, mesh)| own(mesh)) {
        let mut end = skip;
        for (vertex, p) in own.positions.iter().enumerate().skip(skip).step_by(step) {
            hits = hits.saturating_add(usize::from(near(Vertex { mesh, vertex }, p)));
            all = all.saturating_add(1);
            end = vertex.saturating_add(step);
        }
        skip = end.saturating_sub(own.positions.len());
    }
    (hits, all)
}
