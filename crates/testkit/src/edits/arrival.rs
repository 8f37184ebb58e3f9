//! Edits of any scene, compared pose by pose with what a merge makes of them.

use super::merged_check::check_posed_within;
use super::{Edit, extent};
use meshwright_core::math::{Affine, Trs64};
use meshwright_core::{Budget, Limits};
use meshwright_edit::{Absent, Options, Original, Patch, Snap};
use meshwright_scene::posed::triangles;
use meshwright_scene::{Scene, Skeleton};

/// Makes each edit of a scene as an editor does, and compares the edited scene with the merged one: every triangle, at
/// rest and in every frame of the clips. `merge` returns the scene of the merged file, or `None` if the format cannot
/// store the edit. `near` is the tolerance relative to the largest coordinate of the scene or of a pose. Returns the edits
/// that differ.
#[must_use]
pub fn find_lost_edits(
    native: &Scene,
    seed: usize,
    near: f64,
    merge: impl Fn(&Patch) -> Option<Scene>,
) -> Vec<String> {
    let (budget, original) = (Budget::new(Limits::default()), Original { native, exported: native });
    let mut lost = Vec::new();
    for edit in Edit::ALL.iter().chain(Edit::WHOLE) {
        let Some(mut edited) = edit.edited(native, seed) else { continue };
        // An editor stores no shear, which a removed joint of uneven scale leaves in the joints below.
        if *edit == Edit::JointGone && has_shear(&edited) {
            continue;
        }
        // Formats drop a level of detail that draws nothing, so that they draw another one.
        if triangles(&edited, None, &budget).is_ok_and(|all| all.is_empty()) {
            continue;
        }
        // If the same triangle is in a mesh twice, either may be the removed one.
        if *edit == Edit::TriangleGone && has_twins(native) {
            continue;
        }
        // An editor stores no positions in the space of joints.
        edited.meshes.iter_mut().filter_map(|m| m.skin.as_mut()).for_each(|skin| skin.local.clear());
        let size = size(native).max(size(&edited));
        let far = |posed: f64| near * size.max(posed);
        let patch = Patch::find(&edited, &original, &Options::new(Snap::Default, Absent::Gone), &budget);
        let held = patch.map_err(|e| e.to_string()).and_then(|patch| {
            merge(&patch).map_or(Ok(()), |merged| check_posed_within(&edited, &merged, far))
        });
        lost.extend(held.err().map(|e| format!("{edit:?}: {e}")));
    }
    lost
}

/// Returns the largest coordinate of a scene's vertices and of its joints at rest.
fn size(scene: &Scene) -> f64 {
    let joints = scene.skeletons.iter().filter_map(Skeleton::rest_model).flatten();
    joints.flat_map(|m| m.w).fold(extent(scene), |most, c| most.max(c.abs())).into()
}

/// Returns true if a joint is sheared, at rest or in a pose.
fn has_shear(scene: &Scene) -> bool {
    let rests = scene.skeletons.iter().flat_map(|s| &s.joints).map(|joint| joint.rest.to_affine());
    let poses = scene.pose_sets.iter().flat_map(|set| set.locals.iter().copied());
    let sheared = |m: &Affine| Trs64::from_affine(&m.wide()).misfit(&m.wide()) > 1e-4;
    rests.chain(poses).any(|m| sheared(&m))
}

/// Returns true if two triangles of a mesh have equal corners. Their tangents may differ.
fn has_twins(scene: &Scene) -> bool {
    scene.meshes.iter().any(|mesh| {
        let corner = |v: u32| {
            let (v, bits) = (v as usize, |v: &[f32; 3]| v.map(f32::to_bits));
            let uv = mesh.uvs.get(v).map(|uv| uv.map(f32::to_bits));
            (mesh.positions.get(v).map(bits), mesh.normals.get(v).map(bits), uv)
        };
        let mut all: Vec<_> = mesh.triangles.iter().map(|corners| corners.map(corner)).collect();
        all.iter_mut().for_each(|corners| corners.sort_unstable());
        all.sort_unstable();
        all.windows(2).any(|pair| pair[0] == pair[1])
    })
}
