//! The input of a comparison, shared by all its steps.

use crate::correspond::joints;
use crate::options::Options;
use crate::original_mesh::OriginalMesh;
use crate::tolerance::Tolerance;
use meshwright_core::math::wide;
use meshwright_core::{Budget, SortedMap};
use meshwright_scene::Scene;

/// The input of a comparison.
pub(crate) struct Comparison<'s, 'b> {
    pub(crate) edited: &'s Scene,
    /// The native scene without its meshes.
    pub(crate) native: &'s Scene,
    /// Its meshes, without their arrays.
    pub(crate) originals: &'s [OriginalMesh],
    pub(crate) exported: &'s Scene,
    pub(crate) tolerance: Tolerance,
    /// The tolerance for meshes and clips that were stored without rounding.
    pub(crate) strict: Tolerance,
    pub(crate) extent: f64,
    pub(crate) options: Options<'s>,
    /// Parts carry their identities.
    pub(crate) marked: bool,
    pub(crate) bones: joints::Bones,
    pub(crate) budget: &'b Budget,
    /// The native mesh, and below the native material, of each edited one that carries its identity.
    pub(crate) meshes: SortedMap<usize, usize>,
    pub(crate) materials: SortedMap<usize, usize>,
}

/// Returns the longest side of the box around all vertices and joints.
pub(crate) fn extent(scene: &Scene) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let mut see = |point: [f64; 3]| {
        for ((low, high), c) in low.iter_mut().zip(&mut high).zip(point) {
            *low = low.min(c);
            *high = high.max(c);
        }
    };
    scene.meshes.iter().flat_map(|m| &m.positions).for_each(|p| see(wide(*p)));
    for skeleton in &scene.skeletons {
        (0..skeleton.joints.len()).filter_map(|j| joints::bind(skeleton, j)).for_each(|b| see(b.w));
    }
    let sides = high.iter().zip(low).map(|(h, l)| h - l).fold(0.0, f64::max);
    if sides.is_finite() && sides > 0.0 { sides } else { 1.0 }
}
