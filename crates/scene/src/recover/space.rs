//! The space in which a tool stores the vertices of skinned meshes.

use super::At;
use super::joints::{Bones, alike, bind};
use super::vertices::{Grid, Vertex};
use crate::convert::ConvertError;
use crate::model::Scene;
use crate::skeleton::Skeleton;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_core::math::{Affine64, distance, narrow, unit, wide};

/// How many vertices of a skeleton are looked at.
const SAMPLES: usize = 256;

/// The edited scene with the vertices of skinned meshes in model space: packers put what takes their whole numbers
/// there, and other formats their axes and units, into the bind matrices.
pub(super) fn modelled<'s>(
    edited: &'s Scene,
    exported: &Scene,
    bones: &Bones,
    (extent, reach): (f64, f64),
    budget: &Budget,
) -> Result<Cow<'s, Scene>, ConvertError> {
    let mut scene = Cow::Borrowed(edited);
    if exported.skeletons.is_empty() || edited.skeletons.is_empty() {
        return Ok(scene);
    }
    let vertices = exported.meshes.iter().enumerate().flat_map(|(mesh, m)| {
        m.positions.iter().enumerate().map(move |(vertex, p)| (Vertex { mesh, vertex }, wide(*p)))
    });
    let count = exported.meshes.iter().map(|m| m.positions.len()).fold(0, usize::saturating_add);
    let grid = Grid::new(vertices, count, reach, budget)?;
    for (s, skeleton) in edited.skeletons.iter().enumerate() {
        let found = [stated(skeleton, s, exported, bones, extent), rested(skeleton, extent)];
        let hits = |space: &Affine64| hits(edited, s, space, exported, &grid, reach);
        let own = hits(&Affine64::IDENTITY);
        let better = found.into_iter().flatten().map(|m| (hits(&m), m)).filter(|(n, _)| *n > own);
        let Some((_, space)) = better.max_by_key(|(n, _)| *n) else { continue };
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
    }
    Ok(scene)
}

/// What all bind matrices have in front of those that were exported, if they have one thing.
fn stated(skeleton: &Skeleton, s: usize, exported: &Scene, bones: &Bones, extent: f64) -> Option<Affine64> {
    let spaces = skeleton.joints.iter().enumerate().filter_map(|(joint, j)| {
        let native = bones.get(At { skeleton: s, joint }).native?;
        let there = bind(exported.skeletons.get(native.skeleton)?, native.joint)?;
        Some(there.after(&j.inverse_bind.wide()))
    });
    one(spaces, extent)
}

/// What the skeleton at rest makes of all vertices, if it makes one thing of them.
fn rested(skeleton: &Skeleton, extent: f64) -> Option<Affine64> {
    let model = skeleton.rest_model()?;
    one(skeleton.joints.iter().zip(model).map(|(j, m)| m.wide().after(&j.inverse_bind.wide())), extent)
}

/// The first, where all are next to equal and it is not the identity.
fn one(mut spaces: impl Iterator<Item = Affine64>, extent: f64) -> Option<Affine64> {
    let first = spaces.next()?;
    let near = |m: &Affine64| {
        let (a, b) = (first.to_array(), m.to_array());
        let size = a.iter().take(9).fold(0.0_f64, |most, c| most.max(c.abs()));
        let mut pairs = a.iter().zip(b);
        let linear = pairs.by_ref().take(9).all(|(a, b)| (a - b).abs() <= 1e-4 * size);
        linear && pairs.all(|(a, b)| (a - b).abs() <= 1e-4 * extent)
    };
    let same = spaces.all(|m| near(&m));
    (same && !alike(&first, &Affine64::IDENTITY, extent)).then_some(first)
}

/// How many of some vertices are where one was.
fn hits(edited: &Scene, s: usize, space: &Affine64, exported: &Scene, grid: &Grid, reach: f64) -> usize {
    let meshes = edited.meshes.iter().filter(|m| m.skin.as_ref().is_some_and(|k| k.skeleton.0 == s));
    let points: Vec<_> = meshes.flat_map(|m| m.positions.iter()).collect();
    let step = points.len().div_euclid(SAMPLES).max(1);
    let near = |p: &[f32; 3]| {
        let p = space.point(wide(*p));
        let there = |v: Vertex| exported.meshes.get(v.mesh).and_then(|m| m.positions.get(v.vertex));
        grid.near(p).take(64).filter_map(there).any(|q| distance(wide(*q), p) <= reach)
    };
    points.iter().step_by(step).filter(|p| near(p)).count()
}
