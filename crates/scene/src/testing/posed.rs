//! Computes the drawn triangles of a scene at some time, for tests that compare conversions.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "measures test scenes")]

use crate::animation::sample::Sampler;
use crate::convert::ConvertError;
use crate::flatten::{DrawOptions, Drawables, Levels};
use crate::mesh::Mesh;
use crate::model::Scene;
use crate::skeleton::bind::to_model;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_core::math::{Affine64, add, distance, scale, wide};

/// The corners of a triangle.
pub type Triangle = [[f64; 3]; 3];

/// A time in a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The number of the clip.
    pub clip: usize,
    /// Seconds since its start.
    pub seconds: f64,
}

/// The meshes of a scene's finest level, collected once to be posed at many times.
#[derive(Debug)]
pub struct Drawn<'s> {
    scene: &'s Scene,
    budget: &'s Budget,
    meshes: Vec<Cow<'s, Mesh>>,
    rest: Vec<Vec<Affine64>>,
}

impl<'s> Drawn<'s> {
    /// Collects the meshes in drawing order.
    ///
    /// # Errors
    /// If the scene breaks its own rules, or if the budget does not suffice for the meshes.
    pub fn new(scene: &'s Scene, budget: &'s Budget) -> Result<Self, ConvertError> {
        let mut rest = Vec::new();
        for skeleton in &scene.skeletons {
            let mut model = skeleton.rest_locals(budget)?;
            let none = || ConvertError::invalid("skeletons", "joints form no tree");
            to_model(skeleton, &skeleton.order().ok_or_else(none)?, &mut model);
            rest.push(model);
        }
        let options = DrawOptions::default().with_levels(Levels::Finest);
        let meshes = Drawables::new(scene, &options, budget)?.map(|drawable| Ok(drawable?.mesh));
        Ok(Self { scene, budget, meshes: meshes.collect::<Result<_, ConvertError>>()?, rest })
    }

    /// Returns the triangles in drawing order, at rest or at a time of a clip. Skeletons that the clip does not
    /// move are at rest.
    ///
    /// # Errors
    /// If the clip does not exist, or if the budget does not suffice for the triangles.
    pub fn triangles(&self, at: Option<Moment>) -> Result<Vec<Triangle>, ConvertError> {
        let mut skeletons = Cow::Borrowed(&self.rest);
        if let Some(Moment { clip, seconds }) = at {
            let sampler = Sampler::new(self.scene, clip, self.budget)?;
            let (mut model, own) = (Vec::new(), sampler.clip());
            sampler.model(own.frame_at(seconds), &mut model)?;
            skeletons.to_mut()[own.skeleton.0] = model;
        }
        let mut all = Vec::new();
        for mesh in &self.meshes {
            self.budget.charge_items("triangles", mesh.triangles.len() as u64, size_of::<Triangle>())?;
            let points: Vec<_> =
                (0..mesh.positions.len()).map(|v| point(self.scene, mesh, v, &skeletons)).collect();
            all.extend(mesh.triangles.iter().map(|t| t.map(|v| points[v as usize])));
        }
        Ok(all)
    }
}

/// Returns the triangles of [`Drawn`] at one time.
///
/// # Errors
/// If [`Drawn::new`] or [`Drawn::triangles`] fails.
pub fn triangles(scene: &Scene, at: Option<Moment>, budget: &Budget) -> Result<Vec<Triangle>, ConvertError> {
    Drawn::new(scene, budget)?.triangles(at)
}

fn point(scene: &Scene, mesh: &Mesh, v: usize, skeletons: &[Vec<Affine64>]) -> [f64; 3] {
    let own = wide(mesh.positions[v]);
    let Some(skin) = mesh.skin.as_ref().filter(|s| !s.influences(v).is_empty()) else { return own };
    let (joints, model) = (&scene.skeletons[skin.skeleton.0].joints, &skeletons[skin.skeleton.0]);
    let mut sum = [0.0; 3];
    for (i, k) in skin.influences(v).iter().zip(skin.range(v)) {
        let (m, w) = (&model[i.joint as usize], f64::from(i.weight));
        let part = match skin.local.get(k) {
            Some(local) => add(m.vector(wide(local.position)), scale(m.w, w)),
            None => scale(m.point(joints[i.joint as usize].inverse_bind.wide().point(own)), w),
        };
        sum = add(sum, part);
    }
    sum
}

/// Returns the largest extent of triangles along an axis, at least 1e-9.
#[must_use]
pub fn extent(triangles: &[Triangle]) -> f64 {
    let mut widest = 1.0e-9_f64;
    for axis in 0..3 {
        let values = || triangles.iter().flatten().map(|p| p[axis]);
        widest = widest.max(values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min));
    }
    widest
}

/// Returns the largest distance between corresponding corners of two lists of triangles. Every triangle is
/// compared with the nearest one that faces the same side. Triangles without an area face both sides.
/// Infinite if only one of the lists is empty.
#[must_use]
pub fn largest_distance(a: &[Triangle], b: &[Triangle]) -> f64 {
    let one = |a: &[Triangle], b: &[Triangle]| {
        let nearest = |t: &Triangle| b.iter().map(|u| corners_apart(t, u)).fold(f64::INFINITY, f64::min);
        a.iter().map(nearest).fold(0.0, f64::max)
    };
    one(a, b).max(one(b, a))
}

fn corners_apart(a: &Triangle, b: &Triangle) -> f64 {
    let turned = |k: usize| (0..3).map(|i| distance(a[i], b[(i + k) % 3])).fold(0.0, f64::max);
    turned(0).min(turned(1)).min(turned(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::strategy::clean_scene;
    use meshwright_core::Limits;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn triangles_are_compared_by_place_and_side() {
        let t = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let [a, b, c] = t;
        let far = t.map(|p| add(p, [5.0, 0.0, 0.0]));
        assert_eq!(largest_distance(&[t, far], &[far, [b, c, a]]), 0.0);
        assert_eq!(largest_distance(&[t], &[[b, a, c]]), 1.0);
        assert_eq!(largest_distance(&[t, far], &[t]), 5.0);
        assert_eq!(largest_distance(&[], &[t]), f64::INFINITY);
        assert_eq!(extent(&[t, far]), 6.0);
    }

    proptest! {
        #[test]
        fn the_rest_pose_is_where_meshes_are_bound_to_it(scene in clean_scene()) {
            let budget = Budget::new(Limits::default());
            let drawn: Vec<Triangle> = Drawables::new(&scene, &DrawOptions::default().with_levels(Levels::Finest), &budget)
                .unwrap()
                .flat_map(|d| {
                    let mesh = d.unwrap().mesh;
                    mesh.triangles.iter().map(|t| t.map(|v| wide(mesh.positions[v as usize]))).collect::<Vec<_>>()
                })
                .collect();
            let found = triangles(&scene, None, &budget).unwrap();
            let off = drawn.iter().zip(&found).map(|(a, b)| (0..3).map(|i| distance(a[i], b[i])).fold(0.0, f64::max));
            prop_assert!(off.fold(0.0, f64::max) <= 2e-4 * extent(&drawn).max(1.0));
        }
    }
}
