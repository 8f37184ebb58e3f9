//! Converts files to scenes and back.

use super::adult::pose;
use super::data::{adult, anims, meshes};
use meshwright_scene::{FromSceneOptions, SceneOptions, Space};
use meshwright_testkit::corpus;
use meshwright_tso::{Anim, Mesh, Skel, TsoSceneOptions};

/// Returns the vertex of each corner of each face, so that meshes with their vertices in another order can be compared.
fn corners(mesh: &Mesh) -> Vec<usize> {
    mesh.geometry.faces.iter().flatten().map(|v| *v as usize).collect()
}

#[test]
fn vertices_come_back() {
    let dir = corpus!();
    let (skel, anims) = (adult(&dir), anims(&dir));
    let mut worst = [0.0_f64; 4];
    for (name, mesh) in meshes(&dir) {
        for (way, space, keep_local, on_skeleton) in [
            (0, Space::File, true, false),
            (1, Space::Gltf, true, false),
            (2, Space::Gltf, false, false),
            (3, Space::Gltf, false, true),
        ] {
            let options = SceneOptions::in_space(space);
            let mut scene = mesh.to_scene(&options, Some(&skel), &[]).unwrap().value;
            if !keep_local {
                scene.meshes[0].skin.as_mut().unwrap().local.clear();
            }
            let made_for = on_skeleton.then(|| TsoSceneOptions::made_for(skel.clone()));
            let export = FromSceneOptions::for_format(made_for.unwrap_or_default());
            let back = Mesh::from_scene(&scene, &export).unwrap();
            let losses: Vec<_> = back.losses.iter().map(|l| l.code).collect();
            assert!(losses.is_empty(), "{name}: {losses:?}");
            let back = back.value;
            let report = back.validate();
            assert!(!report.has_errors() && !report.has("normal-length"), "{name}: {:?}", report.findings());
            Mesh::parse(&back.to_bytes().unwrap()).unwrap();
            let (old, new) = (&mesh.geometry, &back.geometry);
            assert_eq!(new.real.len(), old.real.len(), "{name}");
            let effective = old.blends.iter().filter(|b| b.weight.to_bits() > 0).count();
            assert_eq!(new.blends.len(), effective, "{name}");
            assert_eq!(new.faces.len(), old.faces.len(), "{name}");
            let mut poses = vec![None];
            for anim in &anims {
                poses.extend((0..anim.frames()).step_by(7).map(|f| Some((anim, f64::from(f)))));
            }
            for at in poses {
                let (a, b) = (pose(&mesh, &skel, at), pose(&back, &skel, at));
                for (v, w) in corners(&mesh).into_iter().zip(corners(&back)) {
                    let d =
                        (0..3).map(|i| f64::from(a.positions[v][i] - b.positions[w][i]).powi(2)).sum::<f64>();
                    worst[way] = worst[way].max(d.sqrt());
                    assert_eq!(old.real[v].uv, new.real[w].uv);
                }
            }
        }
    }
    println!("largest change of a vertex, file units: {worst:?}");
    assert!(worst.iter().all(|w| *w <= 4e-5), "{worst:?}");
}

#[test]
fn skeletons_and_animations_come_back() {
    let dir = corpus!();
    let (skel, anims) = (adult(&dir), anims(&dir));
    let meshes = meshes(&dir);
    for space in [Space::File, Space::Gltf] {
        let scene = skel.to_scene(&SceneOptions::in_space(space), &anims).unwrap().value;
        let again = Skel::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
        assert!(again.validate().is_empty());
        for (c, anim) in anims.iter().enumerate() {
            let back = Anim::from_scene(
                &scene,
                &FromSceneOptions::for_format(TsoSceneOptions::default().with_clip(c)),
            )
            .unwrap();
            assert!(back.losses.is_empty(), "{:?}", back.losses);
            let back = Anim::parse(&back.value.to_bytes().unwrap()).unwrap();
            assert_eq!((back.name.clone(), back.frames()), (anim.name.clone(), anim.frames()));
            assert!(!back.validate().has_errors());
            // The scene keeps the events of the skeleton's bones.
            let events = |a: &Anim| {
                a.motions
                    .iter()
                    .filter(|m| skel.find(&m.bone).is_some())
                    .map(|m| (m.bone.clone(), m.events().cloned().collect::<Vec<_>>()))
                    .collect::<std::collections::BTreeMap<_, _>>()
            };
            assert_eq!(events(&back), events(anim));
            for frame in (0..anim.frames()).step_by(5) {
                let (a, b) = (
                    pose(&meshes[0].1, &skel, Some((anim, f64::from(frame)))),
                    pose(&meshes[0].1, &again, Some((&back, f64::from(frame)))),
                );
                for (a, b) in a.positions.iter().zip(&b.positions) {
                    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{} {frame}", anim.name);
                }
            }
        }
    }
}
