//! The fast kernels on real models: every mesh in every pose, as 64 bits have it.

use meshwright::rig::glam::DAffine3;
use meshwright::rig::{
    Evaluator, InstructionSet, Output, Pose, Precision, Rig, Sampler, SkinPlan, Workspace,
};
use meshwright::scene::{MeshId, Scene};

/// Poses of one clip that are looked at.
const MOST: usize = 24;

/// Fails where a kernel is further from the evaluation in 64 bits than rounding explains.
pub(crate) fn check(scene: &Scene) -> Result<(), String> {
    let text = |e: meshwright::rig::RigError| e.to_string();
    let mut wide = Evaluator::new(scene).map_err(text)?.with_precision(Precision::Double);
    let mut fast = Evaluator::new(scene).map_err(text)?;
    let mut times = vec![None];
    for (c, clip) in scene.clips.iter().enumerate() {
        let step = (clip.frames as usize).div_ceil(MOST).max(1);
        times.extend((0..clip.frames).step_by(step).map(|f| Some((c, f64::from(f) + 0.5))));
    }
    for at in times {
        wide.pose(at).map_err(text)?;
        fast.pose(at).map_err(text)?;
        let far = (0..scene.skeletons.len())
            .filter_map(|s| wide.skeleton(s))
            .flat_map(|(_, pose)| pose.model_matrices().iter().map(|m| m.translation.abs().max_element()))
            .fold(0.0, f64::max);
        for m in 0..scene.meshes.len() {
            let (a, b) = (wide.mesh(MeshId(m)).map_err(text)?, fast.mesh(MeshId(m)).map_err(text)?);
            let size = a.positions.iter().flatten().fold(far, |s, c| s.max(f64::from(c.abs())));
            check_near(&a.positions, &b.positions, size * 1e-6 + 1e-9)
                .map_err(|e| format!("meshes[{m}] {at:?}: {e}"))?;
            let size = a.normals.iter().flatten().fold(1.0, |s: f64, c| s.max(f64::from(c.abs())));
            check_near(&a.normals, &b.normals, size * 1e-6)
                .map_err(|e| format!("meshes[{m}] {at:?}: normal: {e}"))?;
        }
    }
    portable(scene)
}

/// The portable kernels in one pose of each clip.
fn portable(scene: &Scene) -> Result<(), String> {
    let text = |e: meshwright::rig::RigError| e.to_string();
    for mesh in &scene.meshes {
        let Some(skin) = &mesh.skin else { continue };
        let Some(skeleton) = scene.skeletons.get(skin.skeleton.0) else { continue };
        let rig = Rig::new(skeleton).map_err(text)?;
        let plan = SkinPlan::new(mesh, &rig).map_err(text)?;
        let mut pose = Pose::<DAffine3>::new(&rig);
        for (c, _) in scene.clips.iter().enumerate().filter(|(_, c)| c.skeleton == skin.skeleton) {
            pose.sample(&rig, &Sampler::new(scene, c).map_err(text)?, 1.5).map_err(text)?;
            let mut both = [vec![[0.0; 3]; plan.vertex_count()], vec![[0.0; 3]; plan.vertex_count()]];
            for (out, path) in both.iter_mut().zip([InstructionSet::PORTABLE, InstructionSet::detect()]) {
                let mut work = Workspace::with_instructions(path);
                plan.skin(&pose, &mut work, Output::positions(out)).map_err(text)?;
            }
            let [a, b] = &both;
            let far =
                pose.model_matrices().iter().map(|m| m.translation.abs().max_element()).fold(0.0, f64::max);
            let size = a.iter().flatten().fold(far, |s, c| s.max(f64::from(c.abs())));
            check_near(a, b, size * 1e-6 + 1e-9).map_err(|e| format!("{}: paths: {e}", plan.info()))?;
        }
    }
    Ok(())
}

fn check_near(a: &[[f32; 3]], b: &[[f32; 3]], tolerance: f64) -> Result<(), String> {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    let error = pairs.fold(0.0, |e: f64, (a, b)| e.max((f64::from(*a) - f64::from(*b)).abs()));
    if a.len() == b.len() && error <= tolerance {
        Ok(())
    } else {
        Err(format!("{error:.3e} away, {tolerance:.3e} allowed"))
    }
}
