//! Tests clips that tools sampled at their own rates.

use crate::support::*;

#[test]
fn a_clip_that_was_sampled_at_another_rate_is_untouched() {
    let native = tube();
    let mut edited = native.clone();
    let sampler_budget = budget();
    let sampler = meshwright_scene::Sampler::new(&native, 0, &sampler_budget).unwrap();
    let mut track = Track { joint: 1, ..Track::default() };
    // 0.2 s are 4.8 frames: the last is cut.
    for frame in 0..5_u8 {
        let trs = sampler.trs(1, f64::from(frame) * 20.0 / 24.0).narrow();
        track.rotation.push(f32::from(frame), trs.rotation);
    }
    edited.clips[0] = Clip::new("bend", SkeletonId(0), 24.0, Motion::Tracks(vec![track]));
    let (scene, report) = same(&edited, &native);
    assert!(report.is_untouched(), "{:?}", report.clips);
    assert!((report.clips[0].change.cut - (0.2 - 4.0 / 24.0)).abs() < 1e-6);
    assert_eq!(scene, native);
}

#[test]
fn a_clip_that_was_sampled_to_the_step_behind_its_end_is_untouched() {
    let native = tube();
    let edited = |edit: &dyn Fn(&mut Track)| {
        let own = budget();
        let sampler = meshwright_scene::Sampler::new(&native, 0, &own).unwrap();
        let mut track = Track { joint: 1, ..Track::default() };
        // 0.2 s are 5.6 frames at 28 to the second.
        for frame in 0..7_u8 {
            let at = (f64::from(frame) * 20.0 / 28.0).min(4.0);
            track.rotation.push(f32::from(frame), sampler.trs(1, at).narrow().rotation);
        }
        edit(&mut track);
        let mut edited = native.clone();
        edited.clips[0] = Clip::new("bend", SkeletonId(0), 28.0, Motion::Tracks(vec![track]));
        edited
    };
    let (back, report) = same(&edited(&|_| {}), &native);
    assert!(report.is_untouched(), "{:?}", report.clips);
    assert_eq!(back, native);
    // In a looping clip, the last key holds up to the frame after it.
    let held = edited(&|track| track.rotation.push(6.5, track.rotation.values[6]));
    assert!(same(&held, &native).1.is_untouched());
    let loose = edited(&|track| track.rotation.push(6.5, [0.0, 0.0, 0.0, 1.0]));
    assert_eq!(same(&loose, &native).1.clips[0].state, State::Edited);
    let turned = edited(&|track| {
        track.rotation.values[2] = narrow(quat::about([0.0, 0.0, 1.0], 0.29));
    });
    assert_eq!(same(&turned, &native).1.clips[0].state, State::Edited);
    // A key that is gone lets a straight line be where there was a bend.
    let straight = edited(&|track| {
        track.rotation.frames.remove(3);
        track.rotation.values.remove(3);
    });
    assert_eq!(same(&straight, &native).1.clips[0].state, State::Edited);
}

/// Importers hold a loop up to its end, also after samples at a tool's own rate.
#[test]
fn a_loop_that_was_sampled_and_is_held_up_to_its_end_is_untouched() {
    let mut native = tube();
    native.clips[0].looping = true;
    native.clips[0].frames = 5;
    let edited = |edit: &dyn Fn(&mut Track)| {
        let own = budget();
        let sampler = meshwright_scene::Sampler::new(&native, 0, &own).unwrap();
        let mut track = Track { joint: 1, ..Track::default() };
        for step in 0..14_u8 {
            let frame = f64::from(step) * 0.32;
            track.rotation.push(f32::from(step) * 0.32, sampler.trs(1, frame.min(4.0)).narrow().rotation);
        }
        track.rotation.push(5.0, track.rotation.values[13]);
        edit(&mut track);
        let mut edited = native.clone();
        edited.clips[0].motion = Motion::Tracks(vec![track]);
        edited
    };
    let (back, report) = same(&edited(&|_| {}), &native);
    assert!(report.is_untouched(), "{:?}", report.clips);
    assert_eq!(back, native);
    let edits: [&dyn Fn(&mut Track); 3] = [
        &|track| track.rotation.values[14] = [0.0, 0.0, 0.0, 1.0],
        &|track| track.rotation.frames[14] = 4.9,
        &|track| track.rotation.values[6] = narrow(quat::about([0.0, 0.0, 1.0], 0.29)),
    ];
    for edit in edits {
        assert_eq!(same(&edited(edit), &native).1.clips[0].state, State::Edited);
    }
}

/// Frames of a clip without a stated rate are counted at a common rate, so that it may end between two frames.
#[test]
fn a_clip_whose_last_key_lies_between_frames_is_untouched() {
    let mut native = tube();
    native.clips[0].rate = 11.0;
    native.clips[0].looping = true;
    let edited = |edit: &dyn Fn(&mut Track)| {
        let mut edited = native.clone();
        let Motion::Tracks(tracks) = &mut edited.clips[0].motion else { panic!("no tracks") };
        for frame in &mut tracks[0].rotation.frames {
            *frame *= 30.0 / 11.0;
        }
        let mut other = Track { joint: 2, ..Track::default() };
        let rest = native.skeletons[0].joints[2].rest.to_trs64().narrow();
        // A packer left out what a straight line says.
        for frame in [0.0, 1.0, 3.0, 4.0] {
            other.rotation.push(frame * 30.0 / 11.0, rest.rotation);
        }
        tracks.push(other);
        edit(&mut tracks[0]);
        let motion = edited.clips[0].motion.clone();
        edited.clips[0] = Clip::new("bend", SkeletonId(0), 30.0, motion);
        // The last key is at 10.9.
        edited.clips[0].frames = 12;
        edited
    };
    let (back, report) = same(&edited(&|_| {}), &native);
    assert!(report.is_untouched(), "{:?}", report.clips);
    assert_eq!(back, native);
    let turned = edited(&|track| track.rotation.values[2] = narrow(quat::about([0.0, 0.0, 1.0], 0.29)));
    let (_, report) = same(&turned, &native);
    assert_eq!((report.clips[0].state, &report.clips[0].change.frames[..]), (State::Edited, &[2][..]));
    let longer = edited(&|track| track.rotation.push(12.5, track.rotation.values[4]));
    assert_eq!(same(&longer, &native).1.clips[0].state, State::Edited);
}

#[test]
fn a_loop_that_is_longer_by_a_frame_has_it() {
    let mut native = tube();
    native.clips[0].looping = true;
    native.clips[0].frames = 5;
    let mut edited = native.clone();
    edited.clips[0].frames = 6;
    let Motion::Tracks(tracks) = &mut edited.clips[0].motion else { panic!("no tracks") };
    tracks[0].rotation.push(5.0, narrow(quat::about([0.0, 0.0, 1.0], 1.3)));
    let (back, report) = same(&edited, &native);
    assert_eq!((report.clips[0].state, report.clips[0].change.length), (State::Edited, Some(6)));
    assert_eq!((back.clips[0].frames, back.clips[0].looping), (6, true));
}

/// A clip shows one pose in several frames. An editor changes one of them.
#[test]
fn an_edited_frame_leaves_other_frames_with_the_same_pose() {
    let mut native = tube();
    let locals: Vec<_> = native.skeletons[0].joints.iter().map(|joint| joint.rest.to_affine()).collect();
    let mut moved = locals.clone();
    moved[1].w[0] += 0.5;
    native.pose_sets = vec![PoseSet { joints: 3, locals: locals.clone() }];
    let motion = |frames| Motion::Poses { set: PoseSetId(0), frames };
    native.clips[0] = Clip::new("bend", SkeletonId(0), 20.0, motion(vec![0, 0, 0]));
    let mut edited = native.clone();
    edited.pose_sets[0].locals.extend(&moved);
    edited.clips[0].motion = motion(vec![0, 1, 0]);
    let (back, _) = same(&edited, &native);
    let Motion::Poses { set, frames } = &back.clips[0].motion else { panic!("no poses") };
    let pose = |frame: usize| back.pose_sets[set.0].pose(frames[frame] as usize).unwrap();
    assert_eq!([pose(0), pose(1), pose(2)], [&locals[..], &moved[..], &locals[..]]);
}
