//! Writes clips as animations.

use crate::export::clip::Writer;
use crate::export::curves::same_rotation;
use crate::export::extras::rounded;
use crate::export::geometry::unit_rotation;
use crate::export::keys::worst_between;
use crate::export::options::ExportOptions;
use crate::export::output::Output;
use crate::export::poses::Poses;
use crate::export::skeleton::Joints;
use meshwright_core::Order as _;
use meshwright_core::SortedMap;
use meshwright_scene::{Clip, ConvertError, LimitExceeded, Loss, Motion, Scene, Skeleton, Track};
use std::num::NonZeroU16;

/// Writes the clips and returns those that became animations.
///
/// An editor that switches between clips keeps the last values of channels without keys. So if a skeleton has several
/// clips, each has a key for every channel that any of them moves.
pub(crate) fn write(
    out: &mut Output<'_>,
    scene: &Scene,
    skeletons: &[Option<Joints>],
    options: &ExportOptions,
    losses: &mut Vec<Loss>,
) -> Result<Vec<usize>, ConvertError> {
    let mut written = out.memory.reserve("clips", scene.clips.len())?;
    let mut moving = Vec::new();
    for (i, clip) in scene.clips.iter().enumerate() {
        let joints = skeletons.get(clip.skeleton.0).and_then(Option::as_ref).filter(|j| !j.nodes.is_empty());
        match (joints, scene.skeletons.get(clip.skeleton.0)) {
            (Some(joints), Some(skeleton)) if clip.frames > 0 => {
                moving.push(Moving { clip, joints, skeleton });
                written.push(i);
            }
            _ => {
                let path = format!("clips[{i}]");
                losses.push(Loss::new("empty-clip", path, "a clip without frames or joints was left out"));
            }
        }
    }
    let mut poses = taken_apart(out, scene, &moving)?;
    let wanted = moved_channels(out, &moving, &poses)?;
    for (of, &i) in moving.iter().zip(&written) {
        let path = format!("clips[{i}]");
        let poses = match &of.clip.motion {
            Motion::Poses { set, .. } => poses.get_mut(&set.0),
            Motion::Tracks(_) => None,
        };
        let wanted = wanted.get(&of.clip.skeleton.0).map_or(&[][..], Vec::as_slice);
        Writer::new(out, of.clip, of.joints, (&path, options))
            .write(of.skeleton, poses, wanted)?
            .report(&path, losses);
    }
    worst_between(losses, &scene.clips);
    losses.extend(open_loops(&moving, options.close_loops));
    losses.extend(editor_rate(&moving, options.frames_at));
    Ok(written)
}

/// A clip that becomes an animation, and the channels that it moves.
struct Moving<'a> {
    clip: &'a Clip,
    joints: &'a Joints,
    skeleton: &'a Skeleton,
}

/// Returns the pose sets of the clips, by their numbers.
fn taken_apart<'a>(
    out: &Output<'_>,
    scene: &'a Scene,
    moving: &[Moving<'_>],
) -> Result<SortedMap<usize, Poses<'a>>, ConvertError> {
    let mut used: SortedMap<usize, Vec<bool>> = SortedMap::new();
    for of in moving {
        let Motion::Poses { set, frames } = &of.clip.motion else { continue };
        let Some(poses) = scene.pose_sets.get(set.0) else { continue };
        let marks =
            used.entry(set.0).or_try_insert_with(|| out.memory.filled("poses", poses.len(), false))?;
        out.memory.work("frames", frames.len() as u64)?;
        for frame in frames {
            if let Some(mark) = marks.get_mut(*frame as usize) {
                *mark = true;
            }
        }
    }
    let made = used.into_iter().filter_map(|(set, used)| {
        let poses = scene.pose_sets.get(set)?;
        Some(Poses::new(poses, &used, &out.memory).map(|poses| (set, poses)))
    });
    Ok(made.collect::<Result<_, _>>()?)
}

/// Returns the channels that every clip of a skeleton needs, by the skeleton's number: those that an importer's bones
/// cannot hold at rest and, with several clips, those that any clip moves away from the rest pose.
fn moved_channels(
    out: &Output<'_>,
    moving: &[Moving<'_>],
    poses: &SortedMap<usize, Poses<'_>>,
) -> Result<SortedMap<usize, Vec<[bool; 3]>>, ConvertError> {
    let mut count: SortedMap<usize, usize> = SortedMap::new();
    let mut wanted: SortedMap<usize, Vec<[bool; 3]>> = SortedMap::new();
    for of in moving {
        let n = count.entry(of.clip.skeleton.0).or_default();
        *n = n.saturating_add(1);
        let wanted = wanted.entry(of.clip.skeleton.0).or_try_insert_with(|| {
            let mut keyed = out.memory.reserve("joints", of.joints.keyed.len())?;
            keyed.extend(&of.joints.keyed);
            Ok::<_, LimitExceeded>(keyed)
        })?;
        // Once for a skeleton: it may have thousands of clips and joints.
        if *n == 2 {
            let follows = of.skeleton.joints.iter().map(|joint| !joint.follows.is_empty());
            wanted.iter_mut().zip(follows).filter(|(_, follows)| *follows).for_each(|(w, _)| *w = [true; 3]);
        }
    }
    // Clips of one set show its poses many times over.
    let mut seen = SortedMap::new();
    for of in moving.iter().filter(|of| count.get(&of.clip.skeleton.0).is_some_and(|n| *n > 1)) {
        let Some(wanted) = wanted.get_mut(&of.clip.skeleton.0) else { continue };
        match &of.clip.motion {
            Motion::Poses { set, frames } => {
                let Some(poses) = poses.get(&set.0) else { continue };
                let key = (of.clip.skeleton.0, set.0);
                let seen = seen
                    .entry(key)
                    .or_try_insert_with(|| out.memory.filled("poses", poses.set().len(), false))?;
                moved_by_poses(out, of.joints, poses, frames, seen, wanted)?;
            }
            Motion::Tracks(tracks) => moved_by_tracks(of.joints, tracks, wanted),
        }
    }
    Ok(wanted)
}

/// Marks the channels that poses move away from the rest pose. Poses that were seen before are skipped.
fn moved_by_poses(
    out: &Output<'_>,
    joints: &Joints,
    poses: &Poses<'_>,
    frames: &[u32],
    seen: &mut [bool],
    moved: &mut [[bool; 3]],
) -> Result<(), ConvertError> {
    for &frame in frames {
        let Some(seen) = seen.get_mut(frame as usize).filter(|seen| !**seen) else { continue };
        *seen = true;
        out.memory.work("joints placed", joints.rest.len() as u64)?;
        let pairs = poses.pose(frame).unwrap_or_default().iter().zip(&joints.rest);
        for ([translation, rotation, scale], (at, rest)) in
            moved.iter_mut().map(<[bool; 3]>::each_mut).zip(pairs)
        {
            *translation |= at.translation != rest.translation;
            *rotation |= !same_rotation(at.rotation, rest.rotation);
            *scale |= at.scale != rest.scale;
        }
    }
    Ok(())
}

/// Marks the channels that tracks move away from the rest pose.
fn moved_by_tracks(joints: &Joints, tracks: &[Track], moved: &mut [[bool; 3]]) {
    for track in tracks {
        let Some(rest) = joints.rest.get(track.joint) else { continue };
        let Some([translation, rotation, scale]) = moved.get_mut(track.joint) else { continue };
        *translation |= track.translation.values.iter().any(|v| *v != rest.translation);
        *rotation |= track.rotation.values.iter().any(|q| !same_rotation(unit_rotation(*q), rest.rotation));
        *scale |= track.scale.values.iter().any(|v| *v != rest.scale);
    }
}

/// Returns the note about loops that play longer in the game than in the file.
fn open_loops(moving: &[Moving<'_>], closed: bool) -> Option<Loss> {
    let open = || moving.iter().map(|of| of.clip).filter(|c| c.looping && c.frames > 1 && !closed);
    let longest = open().max_by(|a, b| b.rate.total_cmp(&a.rate).then(b.name.cmp(&a.name)))?;
    let message = format!(
        "loops blend their last frame into the first: {:?} lasts {} s in the game and {} s in the file; \
         --close-loops repeats the first frame at the end",
        longest.name,
        rounded(longest.duration_seconds()),
        rounded(longest.seconds(f64::from(longest.frames.saturating_sub(1)))),
    );
    let note = Loss::note("loop-period", "clips", message).with_count(open().count(), "loop", "loops");
    Some(note.with_amount(rounded(longest.seconds(1.0)), "seconds"))
}

/// The rate at which Blender samples by default.
const EDITOR_RATE: f32 = 24.0;

/// Returns a note with the frame rate at which an editor hits every key.
fn editor_rate(moving: &[Moving<'_>], frames_at: Option<NonZeroU16>) -> Option<Loss> {
    let mut rates: Vec<f32> = moving.iter().filter(|of| of.clip.frames > 1).map(|of| of.clip.rate).collect();
    rates.order_by(f32::total_cmp);
    rates.dedup();
    let way = match rates.as_slice() {
        [] | [EDITOR_RATE] => return None,
        [rate] => {
            format!("set its scene to {rate} frames per second before importing, or pass --frames-at 24")
        }
        _ => format!("clips have {} frame rates, its scene has one: pass --frames-at 24", rates.len()),
    };
    let message =
        format!("Blender samples clips at its scene's frame rate (24 by default) and cuts their ends: {way}");
    frames_at
        .is_none()
        .then(|| Loss::note("editor-rate", "clips", message).with_count(moving.len(), "clip", "clips"))
}
