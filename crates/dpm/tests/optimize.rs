//! Models in fewer bytes: the same in every pose.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare small numbers, and fail by a panic"
)]

use meshwright_core::{F32, Limits};
use meshwright_dpm::{
    BoneFlags, Dpm, FrameClip, Name, OptimizeOptions, Optimized, UnusedBones, Zym, strategy,
};
use meshwright_testkit::{proptest, testdata};
use proptest::prelude::*;
use std::fs;
use std::sync::Arc;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join("dpm").join(name)).unwrap()
}

/// Each triangle of a mesh in a frame with its group id: bits of position, normal and texture coordinate of its corners,
/// a zero being a zero whatever its sign.
type Corner = [u32; 8];

fn drawn_triangles(model: &Dpm, shader: &Name, frame: usize) -> Vec<(u32, [Corner; 3])> {
    let mut all = Vec::new();
    for (m, mesh) in model.meshes.iter().enumerate().filter(|(_, m)| m.shader == *shader) {
        let surface = model.evaluate(m, frame).unwrap();
        let corner = |v: u32| {
            let v = v as usize;
            let ([x, y, z], [a, b, c]) = (surface.positions[v], surface.normals[v]);
            let [s, t] = mesh.texcoords[v].map(F32::get);
            [x, y, z, a, b, c, s, t].map(|v| (v + 0.0).to_bits())
        };
        all.extend(mesh.triangles.iter().zip(&*mesh.groupids).map(|(t, id)| (*id, t.map(corner))));
    }
    all.sort_unstable();
    all
}

/// The same in every frame.
pub(crate) fn same(name: &str, before: &Dpm, after: &Optimized<Dpm>) {
    assert_eq!(before.frames.len(), after.model.frames.len(), "{name}");
    for mesh in &before.meshes {
        for frame in 0..before.frames.len() {
            let (a, b) = (
                drawn_triangles(before, &mesh.shader, frame),
                drawn_triangles(&after.model, &mesh.shader, frame),
            );
            assert!(a == b, "{name}: frame {frame} of {} differs", mesh.shader);
        }
    }
    let (a, b) = (after.before, after.after);
    assert!(b.bytes <= a.bytes && b.misses <= a.misses, "{name}: {a:?} {b:?}");
    assert_eq!(Dpm::parse(&after.bytes).unwrap(), after.model, "{name}");
    let again = after.model.optimize(&OptimizeOptions::default(), &[]).unwrap();
    assert_eq!(again.after.bytes, b.bytes, "{name}: a second run changes nothing");
}

#[test]
fn everything_unused_goes_and_nothing_else() {
    let mut model = Dpm::parse(&fixture("quad.ok.dpm")).unwrap();
    // A bone that moves nothing, one that is flagged, and one that only an empty influence names.
    for (name, flags) in [("loose", 0), ("tag", 1), ("empty", 0)] {
        let mut bone = model.bones[1];
        (bone.name, bone.flags) = (Name::truncated(name.as_bytes()), BoneFlags(flags));
        model.bones.push(bone);
    }
    let poses: Vec<_> = model.poses.chunks(2).flat_map(|p| [p[0], p[1], p[1], p[1], p[1]]).collect();
    model.poses = poses;
    // A frame whose pose is that of another.
    model.poses.extend_from_within(..5);
    let mut frame = model.frames[0];
    frame.pose.0 = 2;
    model.frames.push(frame);
    let mesh = &mut model.meshes[0];
    let vertices = Arc::make_mut(&mut mesh.vertices);
    let last = vertices.iter().last().unwrap().to_vec();
    // A vertex like another, one that nothing uses, and one with a part that adds nothing.
    let empty = meshwright_dpm::Influence { bone: 4, ..Default::default() };
    vertices.push(&last);
    vertices.push(&last);
    vertices.push(&[last[0], empty]);
    let texcoords = Arc::make_mut(&mut mesh.texcoords);
    (0..3).for_each(|_| texcoords.push(texcoords[5]));
    Arc::make_mut(&mut mesh.triangles).extend([[6, 3, 4], [8, 4, 3]]);
    Arc::make_mut(&mut mesh.groupids).extend([1, 2]);
    let made = model.optimize(&OptimizeOptions::default(), &[]).unwrap();
    let names = |list: &[Name]| list.iter().map(Name::text).collect::<Vec<_>>();
    assert_eq!(names(&made.model.bones.iter().map(|b| b.name).collect::<Vec<_>>()), ["base", "tip", "tag"]);
    assert_eq!((names(&made.removed), names(&made.unmarked)), (vec!["loose".into(), "empty".into()], vec![]));
    let (b, a) = (made.before, made.after);
    assert_eq!((b.bones, b.vertices, b.influences, b.poses, b.frames), (5, 9, 12, 3, 3));
    assert_eq!((a.bones, a.vertices, a.influences, a.poses, a.frames), (3, 6, 8, 2, 3));
    assert_eq!(
        (b.bytes, a.bytes),
        (made.model.to_bytes().map(|_| model.to_bytes().unwrap().len()).unwrap(), made.bytes.len())
    );
    same("quad", &model, &made);
    // Nothing is done that is not asked for.
    let none = model.optimize(&OptimizeOptions::nothing(), &[]).unwrap();
    assert_eq!(none.model.meshes, model.meshes);
    assert_eq!((none.after, none.model.bones.len()), (none.before, 5));
    // Without flags any name may be an attachment.
    model.bones[1].flags = BoneFlags(0);
    model.bones[3].flags = BoneFlags(0);
    let made = model.optimize(&OptimizeOptions::default(), &[]).unwrap();
    assert_eq!((made.model.bones.len(), names(&made.unmarked).len()), (5, 3));
    let all = OptimizeOptions::default().with_bones(UnusedBones::Remove);
    assert_eq!(model.optimize(&all, &[]).unwrap().model.bones.len(), 2);
}

#[test]
fn the_demo_shrinks_and_stays() {
    let model = Dpm::parse(&fixture("hopper.ok.dpm")).unwrap();
    let made = model.optimize(&OptimizeOptions::default(), &[]).unwrap();
    same("hopper", &model, &made);
    assert_eq!(made.model.bones.len(), model.bones.len(), "its tag is flagged");
    // Frames that no clip has go where clips are known.
    let clips = [FrameClip::new("hop", 7, 8), FrameClip::new("again", 9, 2)];
    let made = model.optimize(&OptimizeOptions::default().with_frames(true), &clips).unwrap();
    assert_eq!((made.after.frames, made.clips[0].start, made.clips[1].start), (9, 1, 3));
    for (own, frame) in [(0, 0), (1, 7), (8, 14)] {
        let (a, b) = (model.evaluate(0, frame).unwrap(), made.model.evaluate(0, own).unwrap());
        let box_of = |s: &meshwright_dpm::Surface| s.positions.iter().map(|p| p[2]).fold(f32::MIN, f32::max);
        assert_eq!(box_of(&a), box_of(&b));
        assert_eq!(made.model.frames[own].name, model.frames[frame].name);
    }
    assert_eq!(model.optimize(&OptimizeOptions::default().with_frames(true), &[]).unwrap().after.frames, 15);
}

#[test]
fn meshes_of_one_shader_become_one() {
    let mut model = Dpm::parse(&fixture("hopper.ok.dpm")).unwrap();
    let mut twin = model.meshes[0].clone();
    Arc::make_mut(&mut twin.groupids).fill(9);
    let mut bare = model.meshes[1].clone();
    (bare.triangles, bare.groupids) = (Arc::default(), Arc::default());
    model.meshes.extend([twin, bare]);
    let made = model.optimize(&OptimizeOptions::default().with_meshes(true), &[]).unwrap();
    assert_eq!((made.before.meshes, made.after.meshes), (4, 2));
    assert_eq!(made.after.vertices, made.model.meshes.iter().map(|m| m.vertices.len()).sum::<usize>());
    for frame in 0..15 {
        let shader = model.meshes[0].shader;
        assert!(drawn_triangles(&model, &shader, frame) == drawn_triangles(&made.model, &shader, frame));
    }
}

#[test]
fn shared_sections_stay_shared() {
    let quad = Dpm::parse(&fixture("quad.ok.dpm")).unwrap();
    let mut model = quad.clone();
    model.meshes = vec![quad.meshes[0].clone(); 2000];
    let limits = Limits::default().with_memory(32 << 20);
    let made = model.optimize(&OptimizeOptions::default().with_limits(limits), &[]).unwrap();
    assert!(made.after.bytes <= made.before.bytes, "{:?}", made.after);
    assert!(Arc::ptr_eq(&made.model.meshes[0].vertices, &made.model.meshes[1999].vertices));
    let tiny = OptimizeOptions::default().with_limits(Limits::default().with_memory(10_000));
    assert!(matches!(model.optimize(&tiny, &[]), Err(meshwright_core::WriteError::Limit { .. })));
}

/// Returns the corners of all triangles of each run, in a pose, with their zones.
fn zym_drawn(model: &Zym, pose: usize) -> Vec<(Name, u8, [[u32; 5]; 3])> {
    let surface = model.evaluate(pose).unwrap();
    let corner = |v: u32| {
        let v = v as usize;
        let ([x, y, z], [s, t]) = (surface.positions[v], model.texcoords[v].map(F32::get));
        [x, y, z, s, t].map(|v| (v + 0.0).to_bits())
    };
    let mut zones = model.trizone.iter();
    let mut all: Vec<_> = model
        .runs
        .iter()
        .flat_map(|r| r.triangles.iter().map(move |t| (r.shader, t)))
        .map(|(shader, t)| (shader, *zones.next().unwrap(), t.map(corner)))
        .collect();
    all.sort_unstable_by(|a, b| (a.0.raw(), a.1, a.2).cmp(&(b.0.raw(), b.1, b.2)));
    all
}

pub(crate) fn zym_same(name: &str, before: &Zym, after: &Optimized<Zym>) {
    for pose in 0..before.pose_count() {
        assert!(zym_drawn(before, pose) == zym_drawn(&after.model, pose), "{name}: pose {pose} differs");
    }
    let (a, b) = (after.before, after.after);
    assert!(b.bytes <= a.bytes && b.misses <= a.misses, "{name}: {a:?} {b:?}");
    assert_eq!(Zym::parse(&after.bytes).unwrap(), after.model, "{name}");
}

#[test]
fn a_zym_shrinks_too() {
    let mut model = Zym::parse(&fixture("pair.ok.zym")).unwrap();
    model.counts.push(1);
    model.influences.push(model.influences[0]);
    model.texcoords.push(model.texcoords[0]);
    let made = model.optimize(&OptimizeOptions::default(), &[]).unwrap();
    zym_same("pair", &model, &made);
    assert_eq!((made.before.vertices, made.after.vertices), (6, 5), "equal vertices are an edge");
    let mut model = Zym::parse(&fixture("pair.ok.zym")).unwrap();
    model.scenes.truncate(1);
    let frames = OptimizeOptions::default().with_frames(true);
    assert_eq!(model.optimize(&frames, &[]).unwrap().after.poses, 2);
    assert_eq!(model.optimize(&frames, &[FrameClip::new("last", 2, 1)]).unwrap().after.poses, 3);
}

proptest! {
    #[test]
    fn any_model_is_optimised_or_refused(model in strategy::dpm(), zym in strategy::zym()) {
        let options = OptimizeOptions::default().with_meshes(true).with_frames(true);
        for options in [options, OptimizeOptions::default(), OptimizeOptions::nothing()] {
            let clips = model.clips_from_names();
            let made = model.optimize(&options, &clips).unwrap();
            prop_assert_eq!(Dpm::parse(&made.bytes).unwrap(), made.model);
            let made = zym.optimize(&options, &[]).unwrap();
            prop_assert_eq!(Zym::parse(&made.bytes).unwrap(), made.model);
        }
    }
}
