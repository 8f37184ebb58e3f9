//! Adds clips from separate files of a game.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_scene::{Channel, ConvertError, Loss, Motion, Scene, SkeletonId, Track, Trs};

/// Adds the clips of another file to a scene. Joints are matched by name, ignoring case. If one of the files
/// has no names, they are matched by number, as in Cube 2. A clip without a name, or with a name that is
/// used already, gets the name of its file. `file` is that name without folders.
///
/// # Errors
/// If no joint of the other file matches a joint of the scene.
pub fn join_clips(scene: &mut Scene, other: Scene, file: &str) -> Result<Vec<Loss>, ConvertError> {
    let clips = other.clips;
    let Some(from) = other.skeletons.into_iter().next() else {
        return Err(ConvertError::unsupported(file, "the file has no joints, and so no clips"));
    };
    let Some(skeleton) = scene.skeletons.first() else {
        return Err(ConvertError::unsupported(file, "the model has no joints that clips could move"));
    };
    let folded = |name: &str| name.to_ascii_lowercase();
    let is_named = |names: &[meshwright_scene::Joint]| names.iter().any(|j| !j.name.is_empty());
    let by_name: SortedMap<String, usize> =
        skeleton.joints.iter().enumerate().map(|(j, joint)| (folded(&joint.name), j)).collect();
    let joints: Vec<Option<usize>> = if is_named(&from.joints) && is_named(&skeleton.joints) {
        from.joints.iter().map(|j| by_name.get(&folded(&j.name)).copied()).collect()
    } else if from.joints.len() == skeleton.joints.len() {
        (0..from.joints.len()).map(Some).collect()
    } else {
        let message = format!(
            "{} joints without names; the model has {}: the clips belong to another model",
            from.joints.len(),
            skeleton.joints.len()
        );
        return Err(ConvertError::unsupported(file, message));
    };
    if joints.iter().all(Option::is_none) {
        return Err(ConvertError::unsupported(file, "no joint has the name of a joint of the model"));
    }
    let mut losses = Vec::new();
    let strange = joints.iter().filter(|j| j.is_none()).count();
    if strange > 0 {
        let loss = Loss::new("motion-dropped", file, "the model has no joints of these names");
        losses.push(loss.with_count(strange, "joint", "joints"));
    }
    let rests = |joints: &[meshwright_scene::Joint]| -> Vec<Trs> {
        joints.iter().map(|j| j.rest.to_trs64().narrow()).collect()
    };
    let (own, theirs) = (rests(&skeleton.joints), rests(&from.joints));
    // Frames of several files follow each other.
    let first = scene.clips.iter().map(|c| c.start.saturating_add(c.frames)).max().unwrap_or(0);
    for mut clip in clips {
        let Motion::Tracks(tracks) = &mut clip.motion else { continue };
        let tracks = core::mem::take(tracks);
        let mut by_joint: SortedMap<usize, Track> = tracks.into_iter().map(|t| (t.joint, t)).collect();
        let mut moved = Vec::with_capacity(joints.len());
        for (theirs, (from, to)) in theirs.iter().zip(joints.iter().enumerate()) {
            let Some(to) = *to else { continue };
            let mut track = by_joint.remove(&from).unwrap_or_default();
            track.joint = to;
            let own = own.get(to).copied().unwrap_or_default();
            hold(&mut track.translation, theirs.translation, own.translation);
            hold(&mut track.rotation, theirs.rotation, own.rotation);
            hold(&mut track.scale, theirs.scale, own.scale);
            moved.push(track);
        }
        let taken = |name: &str| scene.clips.iter().any(|c| c.name == name);
        let stem = file.split('.').next().unwrap_or(file).to_string();
        if clip.name.is_empty() || taken(&clip.name) {
            clip.name = stem;
        }
        clip.start = clip.start.saturating_add(first);
        (clip.skeleton, clip.motion) = (SkeletonId(0), Motion::Tracks(moved));
        scene.clips.push(clip);
    }
    Ok(losses)
}

/// Sets a channel without keys to the rest pose of its own file, which may differ from the model's.
fn hold<const N: usize>(channel: &mut Channel<[f32; N]>, theirs: [f32; N], own: [f32; N]) {
    if channel.is_empty() && theirs != own {
        channel.push(0.0, theirs);
    }
}
