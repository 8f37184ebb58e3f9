//! The rules of joints, poses, anims and frames.

use crate::model::Iqm;
use crate::plan::Places;
use crate::pose::rotation_of_version_1;
use crate::record::{
    ANIMS, BOUNDS, FRAMES, JOINTS, POSES, anim, bounds, header as h, item, joint, joint_v1, pose, pose_v1,
};
use crate::rules::{
    ANIM_RANGE, ANIM_RATE, BAD_COUNT, EMPTY_ANIM, NO_RATE, NON_FINITE, NON_FINITE_EXTRA, NOT_UNIT,
    PARENT_BELOW, PARENT_DIFFERS, PARENT_ORDER, POSE_COUNT, TOO_MUCH, UNKNOWN_CHANNELS, VERSION_1,
    ZERO_ROTATION,
};
use alloc::format;
use meshwright_core::math::length;
use meshwright_core::record::Field;
use meshwright_core::{F32, FieldPath, Findings, ReadError};

type Checked = Result<(), ReadError>;

/// The maximum of frames times poses in a file.
const MOST: u64 = 1 << 22;
/// The tolerances for the length of a joint's rotation, and of a frame's rotation.
const LENGTHS: (f64, f64) = (1e-3, 1e-2);
/// A shorter quaternion is not a rotation.
const NONE: f64 = 1e-6;

/// Checks that the counts of poses, frames and channels agree, and are not extremely large.
pub(crate) fn check_frames(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT;
    let (frames, poses) = (u64::from(model.frame_count), model.poses.len() as u64);
    if frames.saturating_mul(poses) > MOST {
        let message = || format!("{frames} frames of {poses} poses; the product may be at most {MOST}");
        findings.broken(TOO_MUCH, &h::NUM_FRAMES.path(&root), places.header(h::NUM_FRAMES), message)?;
    }
    let at = places.header(h::NUM_POSES);
    check_pose_count([model.joints.len() as u64, poses, frames], at, findings)?;
    let expected = frames.saturating_mul(model.frame_channels() as u64);
    if model.frames.len() as u64 != expected {
        let message = || format!("{} numbers, {expected} expected", model.frames.len());
        findings.broken(BAD_COUNT, &root.field("frames"), places.header(h::NUM_CHANNELS), message)?;
    }
    Ok(())
}

/// Checks that there are as many poses as joints, and at least one if there are frames. `at` is the offset
/// of the count.
pub(crate) fn check_pose_count(
    [joints, poses, frames]: [u64; 3],
    at: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if (joints > 0 && poses > 0 && joints != poses) || (frames > 0 && poses == 0) {
        let message = || format!("{poses} poses, {joints} joints, {frames} frames");
        findings.broken(POSE_COUNT, &h::NUM_POSES.path(&FieldPath::ROOT), at, message)?;
    }
    Ok(())
}

/// Returns the fields of a joint or pose that hold floats.
fn joint_fields(version: u32) -> [Field; 3] {
    if version == 1 {
        [joint_v1::TRANSLATE, joint_v1::ROTATE, joint_v1::SCALE]
    } else {
        [joint::TRANSLATE, joint::ROTATE, joint::SCALE]
    }
}

fn pose_fields(version: u32) -> [Field; 2] {
    if version == 1 { [pose_v1::OFFSET, pose_v1::SCALE] } else { [pose::OFFSET, pose::SCALE] }
}

/// Returns the rules of joints, poses and frames for a strict reader.
pub(crate) fn check_motion(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    check_joints(model, places, findings)?;
    check_poses(model, places, findings)?;
    let list = FieldPath::ROOT.field("anims");
    for (i, a) in model.anims.iter().enumerate() {
        let (path, place) = (list.index(i), places.item(ANIMS, i));
        let at = |field: Field| place.map(|o| field.offset_in(o));
        if u64::from(a.first_frame).saturating_add(a.frame_count.into()) > model.frame_count.into() {
            let message = || {
                format!("{} frames from {} on, there are {}", a.frame_count, a.first_frame, model.frame_count)
            };
            let field = anim::NUM_FRAMES;
            findings.broken(ANIM_RANGE, &field.path(&path), at(field), message)?;
        }
        let rate = a.framerate;
        if !(rate.is_finite() && rate.get() >= 0.0) {
            let field = anim::FRAMERATE;
            findings
                .broken(ANIM_RATE, &field.path(&path), at(field), || format!("{rate:?} is not a rate"))?;
        }
    }
    Ok(())
}

/// Returns the index and value of the first float that is not finite.
fn non_finite(values: &[F32]) -> Option<(usize, F32)> {
    values.iter().copied().enumerate().find(|(_, v)| !v.is_finite())
}

fn check_joints(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("joints");
    for (i, j) in model.joints.iter().enumerate() {
        let (path, place) = (list.index(i), places.item(JOINTS, i));
        check_parent(i, j.parent, joint::PARENT, (&path, place), findings)?;
        let [translate, rotate, scale] = joint_fields(model.version);
        let [x, y, z, _] = j.rotate;
        let rotation = if model.version == 1 { &[x, y, z][..] } else { &j.rotate[..] };
        for (field, numbers) in [(translate, &j.translate[..]), (rotate, rotation), (scale, &j.scale[..])] {
            if let Some((k, value)) = non_finite(numbers) {
                let at = place.map(|o| item(field.offset_in(o), k, 4));
                findings.broken(NON_FINITE, &field.path(&path), at, || format!("{value:?} is not finite"))?;
            }
        }
        if model.version == 1 && j.rotate != rotation_of_version_1([x, y, z]) {
            let at = place.map(|o| rotate.offset_in(o));
            findings.broken(
                VERSION_1,
                &rotate.path(&path),
                at,
                || "the stored w is not the one that x, y and z give",
            )?;
        }
    }
    Ok(())
}

fn check_poses(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("poses");
    let channels = model.channels();
    for (i, p) in model.poses.iter().enumerate() {
        let (path, place) = (list.index(i), places.item(POSES, i));
        check_parent(i, p.parent, pose::PARENT, (&path, place), findings)?;
        for (field, numbers) in pose_fields(model.version).into_iter().zip([&p.offset, &p.scale]) {
            let own = numbers.get(..channels).unwrap_or_default();
            if let Some((k, value)) = non_finite(own) {
                let at = place.map(|o| item(field.offset_in(o), k, 4));
                findings.broken(NON_FINITE, &field.path(&path), at, || format!("{value:?} is not finite"))?;
            }
            if numbers.iter().skip(channels).any(|v| v.to_bits() != 0) {
                let at = place.map(|o| field.offset_in(o));
                findings.broken(VERSION_1, &field.path(&path), at, || "version 1 has nine channels")?;
            }
        }
    }
    Ok(())
}

/// Checks that the parent of joint `i` comes before it.
fn check_parent(
    i: usize,
    parent: i32,
    field: Field,
    (path, place): (&FieldPath<'_>, Option<u64>),
    findings: &mut Findings,
) -> Checked {
    if usize::try_from(parent).is_ok_and(|p| p >= i) {
        let message = || format!("parent {parent} of joint {i} is not before it");
        findings.broken(PARENT_ORDER, &field.path(path), place.map(|o| field.offset_in(o)), message)?;
    }
    Ok(())
}

/// Checks motion values that loaders accept.
pub(crate) fn odd_motion(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("joints");
    for (i, j) in model.joints.iter().enumerate() {
        let (path, place) = (list.index(i), places.item(JOINTS, i));
        odd_parent(j.parent, joint::PARENT, (&path, place), findings)?;
        let [_, rotate, _] = joint_fields(model.version);
        let at = place.map(|o| rotate.offset_in(o));
        odd_rotation(j.rotate.map(F32::get), LENGTHS.0, (&rotate.path(&path), at), findings)?;
    }
    odd_poses(model, places, findings)?;
    odd_frames(model, places, findings)?;
    let list = FieldPath::ROOT.field("anims");
    for (i, a) in model.anims.iter().enumerate() {
        let (path, place) = (list.index(i), places.item(ANIMS, i));
        if a.frame_count == 0 {
            let field = anim::NUM_FRAMES;
            findings.broken(
                EMPTY_ANIM,
                &field.path(&path),
                place.map(|o| field.offset_in(o)),
                || "no frame",
            )?;
        }
        if a.framerate == 0.0 {
            let field = anim::FRAMERATE;
            findings.broken(
                NO_RATE,
                &field.path(&path),
                place.map(|o| field.offset_in(o)),
                || "a rate of 0",
            )?;
        }
    }
    let list = FieldPath::ROOT.field("bounds");
    for (i, b) in model.bounds.iter().flatten().enumerate() {
        let all = b.values().enumerate();
        if let Some((k, value)) = all.into_iter().find(|(_, v)| !v.is_finite()) {
            let at = places.item(BOUNDS, i).map(|o| item(bounds::MINS.offset_in(o), k, 4));
            findings.broken(NON_FINITE_EXTRA, &list.index(i), at, || format!("{value:?} is not finite"))?;
        }
    }
    Ok(())
}

fn odd_parent(
    parent: i32,
    field: Field,
    (path, place): (&FieldPath<'_>, Option<u64>),
    findings: &mut Findings,
) -> Checked {
    if parent < -1 {
        let message = || format!("parent {parent} is below -1");
        findings.broken(PARENT_BELOW, &field.path(path), place.map(|o| field.offset_in(o)), message)?;
    }
    Ok(())
}

/// Checks that a rotation is of length 1 within `by`.
fn odd_rotation(
    q: [f32; 4],
    by: f64,
    (path, at): (&FieldPath<'_>, Option<u64>),
    findings: &mut Findings,
) -> Checked {
    let l = length(q.map(f64::from));
    if l < NONE {
        findings.broken(ZERO_ROTATION, path, at, || "of no length")?;
    }
    if (l - 1.0).abs() > by {
        findings.broken(NOT_UNIT, path, at, || format!("of length {l}"))?;
    }
    Ok(())
}

fn odd_poses(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("poses");
    let channels = u32::try_from(model.channels()).unwrap_or(10);
    for (i, p) in model.poses.iter().enumerate() {
        let (path, place) = (list.index(i), places.item(POSES, i));
        odd_parent(p.parent, pose::PARENT, (&path, place), findings)?;
        if p.mask.checked_shr(channels).unwrap_or(0) != 0 {
            let message = || format!("{:#x} has bits beyond {channels} channels", p.mask);
            findings.broken(
                UNKNOWN_CHANNELS,
                &pose::MASK.path(&path),
                place.map(|o| pose::MASK.offset_in(o)),
                message,
            )?;
        }
        if let Some(j) = model.joints.get(i).filter(|j| j.parent() != p.parent()) {
            let message = || format!("parent {} of the pose, {} of the joint", p.parent, j.parent);
            findings.broken(
                PARENT_DIFFERS,
                &pose::PARENT.path(&path),
                place.map(|o| pose::PARENT.offset_in(o)),
                message,
            )?;
        }
    }
    Ok(())
}

/// Checks the rotations of frames. If no channel is stored, all frames are equal.
fn odd_frames(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("frames");
    let channels = model.frame_channels();
    let count = if channels == 0 { model.frame_count.min(1) } else { model.frame_count };
    for frame in 0..count {
        let number = frame as usize;
        let at = places.item(FRAMES, number.saturating_mul(channels));
        for (joint, row) in model.frame_channels_at(frame).unwrap_or_default().into_iter().enumerate() {
            let [_, _, _, x, y, z, w, ..] = row;
            let path = list.index(number);
            odd_rotation([x, y, z, w], LENGTHS.1, (&path.index(joint), at), findings)?;
        }
    }
    Ok(())
}
