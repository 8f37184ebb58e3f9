//! The skinned models of a corpus folder.

use super::measure::{Contender, Effort, keep, measure};
use super::report::{Report, Row};
use crate::{conformance, json};
use meshwright::rig::glam::{Affine3A, Mat3A, Vec3A};
use meshwright::rig::{Output, Pose, Rig, Sampler, SkinPlan, VertexSpace, Workspace};
use meshwright::scene::{Mesh, Scene};
use std::path::Path;

/// Below this many vertices a mesh says little about a kernel.
const LEAST: usize = 1000;

/// Measures the largest skinned mesh of every model that has a large one, against the same sums on plain glam.
pub(crate) fn measure_all(dir: &Path, report: &mut Report, effort: Effort) -> Result<(), String> {
    for entry in json::list(&dir.join("manifest.json"))? {
        let name = json::text(&entry, "file");
        if !conformance::known(&dir.join(&name)) {
            continue;
        }
        // Files that must be rejected are not models.
        let Ok((loaded, _)) = conformance::load(dir, &entry) else { continue };
        let Ok((scene, _)) = conformance::scene(&loaded) else { continue };
        let largest = scene.meshes.iter().filter(|m| m.skin.is_some()).max_by_key(|m| m.positions.len());
        if let Some(mesh) = largest.filter(|m| m.positions.len() >= LEAST) {
            model(&name, &scene, mesh, report, effort)?;
        }
    }
    Ok(())
}

fn model(name: &str, scene: &Scene, mesh: &Mesh, report: &mut Report, effort: Effort) -> Result<(), String> {
    let text = |e: meshwright::rig::RigError| e.to_string();
    let Some(skin) = &mesh.skin else { return Ok(()) };
    let rig = Rig::new(&scene.skeletons[skin.skeleton.0]).map_err(text)?;
    let plan = SkinPlan::new(mesh, &rig).map_err(text)?;
    let mut pose = Pose::<Affine3A>::new(&rig);
    if let Some(clip) = scene.clips.iter().position(|c| c.skeleton == skin.skeleton) {
        pose.sample(&rig, &Sampler::new(scene, clip).map_err(text)?, 0.5).map_err(text)?;
    }
    let n = plan.vertex_count();
    let with_normals = plan.has_normals();
    let plain = |v: &[[f32; 3]]| v.iter().map(|p| Vec3A::from(*p)).collect::<Vec<_>>();
    let (positions, normals) = (plain(&mesh.positions), plain(&mesh.normals));
    let local: Vec<(Vec3A, Vec3A)> =
        skin.local.iter().map(|l| (Vec3A::from(l.position), Vec3A::from(l.normal))).collect();
    let (mut p, mut q) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
    let (mut op, mut on) = (vec![Vec3A::ZERO; n], vec![Vec3A::ZERO; n]);
    let mut work = Workspace::new();
    let matrices = plan.matrices(&pose);
    let mut contenders = [
        Contender::new(|| {
            let out = Output::positions(&mut p);
            let out = if with_normals { out.with_normals(&mut q) } else { out };
            if plan.skin_with(matrices, &mut work, out).is_ok() {
                keep(&mut p);
                keep(&mut q);
            }
        }),
        Contender::new(|| {
            for v in 0..n {
                let range = skin.starts[v] as usize..skin.starts[v + 1] as usize;
                let influences = &skin.influences[range.clone()];
                if plan.vertex_space() == VertexSpace::Joint {
                    let (mut a, mut b) = (Vec3A::ZERO, Vec3A::ZERO);
                    for (i, l) in influences.iter().zip(&local[range]) {
                        let m = &matrices[i.joint as usize];
                        a += m.matrix3 * l.0 + m.translation * i.weight;
                        b += m.matrix3 * l.1;
                    }
                    (op[v], on[v]) = (a, b);
                } else {
                    let mut sum = Affine3A { matrix3: Mat3A::ZERO, translation: Vec3A::ZERO };
                    for i in influences {
                        let m = &matrices[i.joint as usize];
                        sum.matrix3 += m.matrix3 * i.weight;
                        sum.translation += m.translation * i.weight;
                    }
                    op[v] = sum.transform_point3a(positions[v]);
                    if with_normals {
                        on[v] = sum.transform_vector3a(normals[v]);
                    }
                }
            }
            keep(&mut op);
            keep(&mut on);
        }),
    ];
    let samples = measure(effort, &mut contenders);
    drop(contenders);
    report.add(Row::new(name, "glam", n, &samples, 1).kernel(&plan));
    Ok(())
}
