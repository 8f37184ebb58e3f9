//! Compares meshes posed by the native rule and from the content of a glTF file.

use super::data::{adult, anims, extent, files, floats, int, json, largest, meshes, name, table, triangles};
use meshwright_scene::{Local, Mesh as SceneMesh, Motion, Scene, SceneOptions, Trs};
use meshwright_testkit::corpus;
use meshwright_tso::{Affine64, Anim, Between, BonePose, Mesh, Skel, TO_GLTF};
use std::fs;

/// Poses a mesh by the native rule.
pub(crate) fn pose(mesh: &Mesh, skel: &Skel, at: Option<(&Anim, f64)>) -> meshwright_tso::Posed {
    let pose = at.map_or_else(|| skel.rest(), |(anim, frame)| anim.pose(skel, frame, Between::Slerp));
    mesh.geometry.pose(&skel.matrices_for(&mesh.geometry.bones, &skel.world(&pose)))
}

/// Poses a mesh of a scene by linear blend skinning, in 64 bits.
pub(crate) fn skinned(scene: &Scene, mesh: &SceneMesh, locals: &[Trs]) -> Vec<[f64; 3]> {
    let skin = mesh.skin.as_ref().unwrap();
    let skeleton = &scene.skeletons[skin.skeleton.0];
    let mut model = vec![Affine64::IDENTITY; locals.len()];
    for i in skeleton.order().unwrap() {
        let [x, y, z, w] = locals[i].rotation.map(f64::from);
        let pose = BonePose { translation: locals[i].translation.map(f64::from), rotation: [-x, -y, -z, w] };
        model[i] = skeleton.joints[i].parent.map_or(Affine64::IDENTITY, |p| model[p]).after(&pose.matrix());
    }
    let palette: Vec<_> =
        model.iter().zip(&skeleton.joints).map(|(m, j)| m.after(&j.inverse_bind.wide())).collect();
    let vertex = |(v, p): (usize, &[f32; 3])| {
        let mut sum = [0.0_f64; 3];
        for i in skin.influences(v) {
            let q = palette[i.joint as usize].point(p.map(f64::from));
            (0..3).for_each(|c| sum[c] += f64::from(i.weight) * q[c]);
        }
        sum
    };
    mesh.positions.iter().enumerate().map(vertex).collect()
}

/// Returns the local transforms of a clip at a frame.
pub(crate) fn locals(scene: &Scene, clip: usize, frame: usize) -> Vec<Trs> {
    let trs = |local: &Local| match local {
        Local::Trs(t) => *t,
        Local::Affine(_) => panic!("a joint has a matrix"),
    };
    let mut locals: Vec<_> = scene.skeletons[0].joints.iter().map(|j| trs(&j.rest)).collect();
    let Motion::Tracks(tracks) = &scene.clips[clip].motion else { panic!("a clip has poses") };
    for track in tracks {
        let joint = &mut locals[track.joint];
        if let Some(last) = track.translation.values.len().checked_sub(1) {
            joint.translation = track.translation.values[frame.min(last)];
        }
        if let Some(last) = track.rotation.values.len().checked_sub(1) {
            joint.rotation = track.rotation.values[frame.min(last)];
        }
    }
    locals
}

#[test]
fn posed_meshes_match_the_reference() {
    let dir = corpus!();
    let (skel, anims) = (adult(&dir), anims(&dir));
    let (mut compared, mut absent) = (0, 0);
    for path in files(&dir.join("expected_adult"), "json") {
        let dump = json(&path);
        let file = name(&path).trim_end_matches(".json").to_owned();
        let mesh = Mesh::parse(&fs::read(dir.join("tso").join(&file)).unwrap()).unwrap();
        let expected = &dump["meshes"][0];
        for want in expected["poses"].as_array().unwrap() {
            let clip = want["clip"].as_u64().map(|c| dump["clips"][c as usize]["name"].as_str().unwrap());
            let at = match clip {
                None => None,
                Some(clip) => match anims.iter().find(|a| a.name.text() == clip) {
                    Some(anim) => Some((anim, f64::from(int(&want["frame"])))),
                    None => {
                        absent += 1;
                        continue;
                    }
                },
            };
            let posed = pose(&mesh, &skel, at);
            let (positions, normals) = (table(&want["positions"]), table(&want["normals"]));
            let (error, size) = (largest(&posed.positions, &positions), extent(&positions));
            assert!(error <= 1e-5 * size, "{file} {clip:?}: {error:e} of {size}");
            assert!(largest(&posed.normals, &normals) <= 1e-5, "{file} {clip:?}");
            compared += 1;
        }
    }
    println!("{compared} poses compared, {absent} of animations that the corpus lacks");
    assert_eq!(compared, 27);
}

#[test]
fn the_gltf_block_matches_the_reference() {
    let dir = corpus!();
    let skel = adult(&dir);
    for path in files(&dir.join("expected_adult"), "json") {
        let file = name(&path).trim_end_matches(".json").to_owned();
        let gltf = &json(&path)["gltf"];
        let mesh = Mesh::parse(&fs::read(dir.join("tso").join(&file)).unwrap()).unwrap();
        let converted = mesh.to_scene(&SceneOptions::default().with_extras(true), Some(&skel), &[]).unwrap();
        let scene = converted.value;
        scene.validate().unwrap();
        let joints = &scene.skeletons[0].joints;
        for (joint, want) in joints.iter().zip(gltf["nodes"].as_array().unwrap()) {
            assert_eq!(joint.name, want["name"].as_str().unwrap());
            assert_eq!(joint.parent, usize::try_from(want["parent"].as_i64().unwrap()).ok());
            let Local::Trs(rest) = joint.rest else { panic!("a joint has a matrix") };
            assert!(largest(&[rest.translation], &[floats(&want["translation"])]) < 1e-6, "{}", joint.name);
            let q: [f32; 4] = floats(&want["rotation_xyzw"]);
            let far = largest(&[rest.rotation], &[q]).min(largest(&[rest.rotation], &[q.map(|c| -c)]));
            assert!(far < 1e-6, "{}: {:?} {q:?}", joint.name, rest.rotation);
        }
        let matrices: Vec<[f32; 16]> = table(&gltf["inverse_bind_matrices_column_major"]);
        for (joint, want) in joints.iter().zip(matrices) {
            let columns: Vec<f32> = joint.inverse_bind.to_columns().into_iter().flatten().collect();
            assert!(largest(&[columns.try_into().unwrap()], &[want]) < 1e-5, "{}", joint.name);
        }
        let drawn = &scene.meshes[0];
        let positions = table(&gltf["positions"]);
        assert!(largest(&drawn.positions, &positions) <= 1e-5 * extent(&positions), "{file}");
        assert!(largest(&drawn.normals, &table(&gltf["normals"])) <= 1e-5, "{file}");
        assert_eq!(drawn.uvs, table::<2>(&gltf["uvs"]));
        assert_eq!(drawn.triangles, triangles(&gltf["triangles"]));
        let skin = drawn.skin.as_ref().unwrap();
        let weights: Vec<[f32; 4]> = table(&gltf["weights"]);
        for (v, (want, ids)) in weights.iter().zip(gltf["joints"].as_array().unwrap()).enumerate() {
            let mut wanted: Vec<_> =
                (0..4).filter(|i| want[*i] > 0.0).map(|i| (int(&ids[i]), want[i])).collect();
            wanted.sort_by_key(|w| w.0);
            let mut found: Vec<_> = skin.influences(v).iter().map(|i| (i.joint, i.weight)).collect();
            found.sort_by_key(|f| f.0);
            assert_eq!(found.len(), wanted.len(), "{file} vertex {v}: {found:?} {wanted:?}");
            for (f, w) in found.iter().zip(&wanted) {
                assert!(f.0 == w.0 && (f.1 - w.1).abs() < 1e-6, "{file} vertex {v}: {found:?} {wanted:?}");
            }
        }
        let meshwright_scene::Extra::Map(extras) = drawn.extras.as_ref().unwrap() else {
            panic!("extras are missing")
        };
        let residual = extras.iter().find(|e| e.0 == "blend_residual").unwrap().1.clone();
        let meshwright_scene::Extra::Float(residual) = residual else { panic!("extras are missing") };
        let want = gltf["blend_residual_max_file_units"].as_f64().unwrap();
        assert!((residual - want).abs() < 1e-6, "{file}: {residual:e} {want:e}");
        let reported = converted.losses.iter().any(|l| l.code == "blend-residual");
        assert_eq!(reported, want > 1e-5, "{file}: {:?}", converted.losses);
    }
}

/// Joint weights and bind matrices give the same vertices as the native rule at every frame of every animation.
#[test]
fn skinning_matches_native_evaluation_at_every_frame() {
    let dir = corpus!();
    let (skel, anims) = (adult(&dir), anims(&dir));
    let mut worst = (0.0_f64, String::new());
    for (name, mesh) in meshes(&dir) {
        let converted = mesh.to_scene(&SceneOptions::default(), Some(&skel), &anims).unwrap();
        let scene = converted.value;
        scene.validate().unwrap();
        let size = extent(&scene.meshes[0].positions);
        for (c, anim) in anims.iter().enumerate() {
            assert_eq!(scene.clips[c].frames, anim.frames());
            for frame in 0..anim.frames() {
                let native = pose(&mesh, &skel, Some((anim, f64::from(frame))));
                let ours = skinned(&scene, &scene.meshes[0], &locals(&scene, c, frame as usize));
                for (native, ours) in native.positions.iter().zip(&ours) {
                    let native = TO_GLTF.point(*native).map(f64::from);
                    let error = (0..3).map(|i| (native[i] - ours[i]).abs()).fold(0.0, f64::max);
                    let relative = error / size;
                    if relative > worst.0 {
                        worst = (relative, format!("{name} {} frame {frame}, extent {size}", anim.name));
                    }
                }
            }
        }
    }
    println!("largest error {:e} of the extent: {}", worst.0, worst.1);
    assert!(worst.0 <= 1e-5, "{:e} of the extent: {}", worst.0, worst.1);
}
