//! What all parts of a comparison look at.

use crate::correspond::joints;
use crate::options::Absent;
use crate::tolerance::Tolerance;
use alloc::collections::BTreeMap;
use meshwright_core::Budget;
use meshwright_core::math::wide;
use meshwright_scene::Scene;

/// What all parts of the recovery look at.
pub(crate) struct Work<'s, 'b> {
    pub(crate) edited: &'s Scene,
    pub(crate) native: &'s Scene,
    pub(crate) exported: &'s Scene,
    pub(crate) tolerance: Tolerance,
    /// Where bits were kept.
    pub(crate) strict: Tolerance,
    pub(crate) extent: f64,
    pub(crate) absent: Absent,
    pub(crate) computed_normals: bool,
    /// Clips in which nothing moves are not there only where they were deleted.
    pub(crate) keeps_still_clips: bool,
    /// The materials of the edited scene whose picture is another one.
    pub(crate) pictures: &'s [bool],
    /// Parts say what they were.
    pub(crate) marked: bool,
    pub(crate) bones: joints::Bones,
    pub(crate) budget: &'b Budget,
    /// The native mesh and material that edited ones say they are.
    pub(crate) meshes: BTreeMap<usize, usize>,
    pub(crate) materials: BTreeMap<usize, usize>,
}

/// The longest side of the box around all vertices and joints.
pub(crate) fn extent(scene: &Scene) -> f64 {
    let binds = scene.skeletons.iter().flat_map(|s| (0..s.joints.len()).filter_map(|j| joints::bind(s, j)));
    let points = scene.meshes.iter().flat_map(|m| m.positions.iter().map(|p| wide(*p)));
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points.chain(binds.map(|b| b.w)) {
        for ((low, high), c) in low.iter_mut().zip(&mut high).zip(point) {
            *low = low.min(c);
            *high = high.max(c);
        }
    }
    let sides = high.iter().zip(low).map(|(h, l)| h - l).fold(0.0, f64::max);
    if sides.is_finite() && sides > 0.0 { sides } else { 1.0 }
}
