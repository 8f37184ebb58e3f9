//! Bodies, suits and skills for an existing skeleton: converted to a scene and back they equal the game's files.

use super::ts1::{Body, bodies, native};
use meshwright_core::math::{Trs64, quat};
use meshwright_scene::{FromSceneOptions, Local, Motion, Scene, SceneOptions, Track, Trs};
use meshwright_testkit::corpus;
use meshwright_tso::{
    Affine64, Anim, Assembly, CharacterForm, Cmx, F32, Geometry, Name, Part, Skel, Skn, TsoSceneOptions,
    write_scene,
};
use std::collections::BTreeSet;

fn made_for(skel: &Skel) -> TsoSceneOptions {
    TsoSceneOptions::made_for(skel.clone())
}

fn scene_of(body: &Body) -> Scene {
    let part = Part::new("xskin-b001fafit_01-PELVIS-BODY", &body.skn.geometry)
        .with_material(body.skn.texture.text());
    let anims = body.clips.iter().map(|c| &c.0);
    let figure = Assembly::new("body").with_part(part).with_skeleton(&body.skel).with_animations(anims);
    figure.to_scene(&SceneOptions::default()).unwrap().value
}

fn trs(local: &Local) -> Trs {
    match local {
        Local::Trs(t) => *t,
        Local::Affine(_) => panic!("a joint has a matrix"),
    }
}

/// Returns the same character on joints with other axes and other letter case in their names, like the rig of another
/// program.
fn turn_scene(mut scene: Scene) -> Scene {
    let turn =
        |j: Option<usize>| j.map_or(quat::IDENTITY, |j| quat::about([0.6, 0.0, 0.8], 0.4 + 0.7 * j as f64));
    let wide = |v: [f32; 3]| v.map(f64::from);
    let parents: Vec<_> = scene.skeletons[0].joints.iter().map(|j| j.parent).collect();
    let moved =
        |j: usize, t: [f32; 3]| quat::rotate(quat::conjugate(turn(parents[j])), wide(t)).map(|c| c as f32);
    let spun = |j: usize, q: [f32; 4]| {
        let q =
            quat::product(quat::conjugate(turn(parents[j])), quat::product(q.map(f64::from), turn(Some(j))));
        q.map(|c| c as f32)
    };
    for (j, joint) in scene.skeletons[0].joints.iter_mut().enumerate() {
        let rest = trs(&joint.rest);
        let (translation, rotation) = (moved(j, rest.translation), spun(j, rest.rotation));
        joint.rest = Local::Trs(Trs { translation, rotation, ..rest });
        let [x, y, z] = quat::to_basis(quat::conjugate(turn(Some(j))));
        let back = Affine64 { x, y, z, w: [0.0; 3] };
        joint.inverse_bind = back.after(&joint.inverse_bind.wide()).narrow();
        joint.name = joint.name.to_ascii_lowercase();
    }
    for clip in &mut scene.clips {
        let Motion::Tracks(tracks) = &mut clip.motion else { panic!("a clip has poses") };
        for Track { joint, translation, rotation, .. } in tracks {
            translation.values.iter_mut().for_each(|t| *t = moved(*joint, *t));
            rotation.values.iter_mut().for_each(|q| *q = spun(*joint, *q));
        }
    }
    for mesh in &mut scene.meshes {
        mesh.skin.as_mut().unwrap().local.clear();
    }
    scene.with_format("other")
}

/// Returns the same character with its bind pose as rest pose, as Blender exports it. Clips keep the poses that they
/// have.
fn rest_as_bound(mut scene: Scene) -> Scene {
    let joints = &mut scene.skeletons[0].joints;
    let world: Vec<_> = joints.iter().map(|j| j.inverse_bind.wide().inverse().unwrap()).collect();
    let rests: Vec<Trs> = joints.iter().map(|j| trs(&j.rest)).collect();
    for (j, place) in world.iter().enumerate() {
        let above = joints[j].parent.map_or(Affine64::IDENTITY, |p| world[p].inverse().unwrap());
        joints[j].rest = Local::Trs(Trs64::from_affine(&above.after(place)).narrow());
    }
    for clip in &mut scene.clips {
        let Motion::Tracks(tracks) = &mut clip.motion else { panic!("a clip has poses") };
        for (joint, rest) in rests.iter().enumerate() {
            if !tracks.iter().any(|t| t.joint == joint) {
                tracks.push(Track { joint, ..Track::default() });
            }
            let track = tracks.iter_mut().find(|t| t.joint == joint).unwrap();
            if track.translation.is_empty() {
                track.translation.push(0.0, rest.translation);
            }
            if track.rotation.is_empty() {
                track.rotation.push(0.0, rest.rotation);
            }
        }
    }
    for mesh in &mut scene.meshes {
        mesh.skin.as_mut().unwrap().local.clear();
    }
    scene.with_format("other")
}

fn rests_differ(a: &Scene, b: &Scene) -> bool {
    a.skeletons[0].joints.iter().zip(&b.skeletons[0].joints).any(|(a, b)| {
        let (a, b) = (trs(&a.rest), trs(&b.rest));
        let moved = a.translation.iter().zip(b.translation).any(|(a, b)| (a - b).abs() > 1e-3);
        moved || a.rotation.iter().zip(b.rotation).map(|(a, b)| a * b).sum::<f32>().abs() < 0.99999
    })
}

fn corners(g: &Geometry) -> Vec<usize> {
    g.faces.iter().flatten().map(|v| *v as usize).collect()
}

#[test]
fn bodies_and_skills_come_back_onto_their_skeletons() {
    let dir = corpus!();
    let all = bodies(&dir);
    assert_eq!(all.len(), 3);
    let mut worst = [0.0_f64; 4];
    for body in &all {
        let Body { file, skn, skel, clips, .. } = body;
        let places: Vec<_> = skel.bones.iter().map(|b| b.name.clone()).collect();
        let place =
            |name: &Name| places.iter().position(|n| n == name).unwrap_or_else(|| panic!("{file}: {name}"));
        let ways = [
            scene_of(body),
            turn_scene(scene_of(body)),
            rest_as_bound(scene_of(body)),
            rest_as_bound(turn_scene(scene_of(body))),
        ];
        for (way, scene) in ways.into_iter().enumerate() {
            scene.validate().unwrap();
            // A hand alone is bound as it rests: its joints are the skeleton's also after `rest_as_bound`.
            let differs = way % 2 == 1 || rests_differ(&scene, &scene_of(body));
            let back = Skn::from_scene(&scene, &FromSceneOptions::for_format(made_for(skel))).unwrap();
            let codes: BTreeSet<_> = back.losses.iter().map(|l| l.code).collect();
            let known = |c: &&str| *c == "clips-dropped" || *c == "rest-differs" && way >= 2;
            assert!(codes.iter().all(known), "{file}: {codes:?}");
            let back = back.value.geometry;
            let order: Vec<_> = back.bones.iter().map(&place).collect();
            assert!(order.is_sorted(), "{file}: {:?}", back.bones);
            for (c, (anim, _)) in clips.iter().enumerate() {
                let options = FromSceneOptions::for_format(made_for(skel).with_clip(c));
                let made = Anim::from_scene(&scene, &options).unwrap();
                let codes: BTreeSet<_> = made.losses.iter().map(|l| l.code).collect();
                assert_eq!(codes.contains("skeleton-differs"), differs, "{file} {codes:?}");
                let made = made.value;
                assert!(!made.validate().has_errors());
                assert_eq!((&made.name, made.frames()), (&anim.name, anim.frames()), "{file}");
                let order: Vec<_> = made.motions.iter().map(|m| place(&m.bone)).collect();
                assert!(order.is_sorted() && order.windows(2).all(|w| w[0] != w[1]), "{file}: {order:?}");
                let moves = |a: &Anim| -> BTreeSet<usize> {
                    let moves = a.motions.iter().filter(|m| m.has_translation.is_set());
                    moves.map(|m| place(&m.bone)).collect()
                };
                assert_eq!(moves(&made), moves(anim), "{file}: only bones that the skeleton lets move");
                for frame in (0..anim.frames()).step_by(if way == 0 { 1 } else { 5 }) {
                    let a = native(&skn.geometry, skel, Some((anim, frame.into())));
                    let b = native(&back, skel, Some((&made, frame.into())));
                    for (v, w) in corners(&skn.geometry).into_iter().zip(corners(&back)) {
                        let (p, q) = (a.positions[v], b.positions[w]);
                        let d = (0..3).map(|i| f64::from(p[i] - q[i]).powi(2)).sum::<f64>().sqrt();
                        worst[way] = worst[way].max(d / 3.0);
                    }
                }
            }
        }
    }
    println!("largest errors, in mm: {:?}", worst.map(|w| w * 1000.0));
    assert!(worst.iter().all(|w| *w <= 1e-4), "{worst:?} m");
}

/// A suit, its mesh, and skills with their keys, for the game's skeleton, which is not written.
#[test]
fn suits_and_skills_are_called_as_the_game_wants_them() {
    let dir = corpus!();
    let body = &bodies(&dir)[0];
    let options = FromSceneOptions::for_format(made_for(&body.skel).with_character(CharacterForm::Text));
    let files = write_scene(&scene_of(body), "b777fafit_new", &options).unwrap().value;
    let names: Vec<_> = files.iter().map(|f| f.name.clone()).collect();
    assert_eq!(names[0], "b777fafit_new.cmx");
    let cmx = Cmx::parse(&files.main().unwrap().bytes).unwrap().character;
    assert_eq!((cmx.skeletons.len(), cmx.suits.len(), cmx.skills.len()), (0, 1, body.clips.len()));
    let skin = &cmx.suits[0].skins[0];
    assert_eq!((cmx.suits[0].name.text().as_str(), skin.bone.text().as_str()), ("b777fafit_new", "PELVIS"));
    assert_eq!(skin.skin.text(), "xskin-b777fafit_new-PELVIS-BODY");
    assert!(names.contains(&format!("{}.skn", skin.skin.text())), "{names:?}");
    for (skill, (anim, _)) in cmx.skills.iter().zip(&body.clips) {
        let file = files.get(&format!("{}.cfp", skill.keys.text())).unwrap_or_else(|| panic!("{names:?}"));
        let keys = meshwright_tso::Cfp::parse(file).unwrap();
        let made = skill.to_anim(&keys).unwrap();
        assert_eq!((made.frames(), &made.name), (anim.frames(), &anim.name));
        let largest = made.rotations.iter().flatten().map(|v: &F32| v.get().abs()).fold(0.0, f32::max);
        assert!(largest <= 1.001, "{largest}");
    }
}
