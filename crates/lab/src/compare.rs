//! Vertices of played GLBs against where they should be.

use meshwright::gltf::Gltf;
use meshwright::gltf::playback::PrimitivePose;
use meshwright::rig::Evaluator;
use meshwright::scene::Scene;

/// Returns the longest side of the box around some points.
pub(crate) fn extent<'a>(points: impl Iterator<Item = &'a [f32; 3]>) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for i in 0..3 {
            low[i] = low[i].min(f64::from(p[i]));
            high[i] = high[i].max(f64::from(p[i]));
        }
    }
    (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max)
}

/// Checks that every mesh that the scene draws has the same positions when a GLB is played as in the native
/// evaluation.
pub(crate) fn playback(
    scene: &Scene,
    gltf: &Gltf<'_>,
    native: &Evaluator<&Scene>,
    played: &[PrimitivePose],
    tolerance: f64,
) -> Result<(), String> {
    let drawn = scene.drawn_meshes().ok_or("the nodes form a cycle")?;
    let drawn: Vec<_> = drawn
        .iter()
        .filter_map(|(_, mesh, place)| {
            Some((gltf.mesh_sources().iter().position(|m| m == mesh)?, *mesh, place))
        })
        .collect();
    if played.len() != drawn.len() {
        return Err(format!("{} primitives are drawn, not {}", played.len(), drawn.len()));
    }
    for (index, mesh, place) in drawn {
        let pose = native.mesh(mesh).map_err(|e| e.to_string())?;
        let positions: Vec<_> = pose.positions.iter().map(|p| place.point(*p)).collect();
        // Several nodes may draw a mesh; each drawing has its own position.
        let error = played
            .iter()
            .filter(|p| p.mesh == index && p.positions.len() == positions.len())
            .map(|p| {
                positions.iter().zip(&p.positions).fold(0.0, |worst: f64, (a, b)| {
                    (0..3).fold(worst, |worst, i| worst.max((f64::from(a[i]) - b[i]).abs()))
                })
            })
            .fold(f64::INFINITY, f64::min);
        if error > tolerance {
            return Err(format!("meshes[{}] is {error:.3e} away, {tolerance:.3e} allowed", mesh.0));
        }
    }
    Ok(())
}
