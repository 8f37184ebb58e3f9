//! Encodes channels as 16-bit numbers.

use super::bake::channels;
use crate::model::IqmPose;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::{Trs64, narrow1};
use meshwright_scene::{Budget, LimitExceeded};

/// Channels whose range is smaller are constant.
const STILL: f64 = 1.0e-10;
/// The number of steps of a channel.
const STEPS: f64 = 65_535.0;

/// Chooses the signs of a joint's rotations: each is on the side of the one before it, and the first has a w
/// that is not positive.
pub(super) fn align(rows: &mut [[f32; 10]], joints: usize) {
    for joint in 0..joints {
        let mut before = [0.0, 0.0, 0.0, -1.0];
        for row in rows.iter_mut().skip(joint).step_by(joints.max(1)) {
            let [_, _, _, x, y, z, w, ..] = *row;
            let dot = x * before[0] + y * before[1] + z * before[2] + w * before[3];
            if dot < 0.0 {
                row[3..7].iter_mut().for_each(|c| *c = -*c);
            }
            before = [row[3], row[4], row[5], row[6]];
        }
    }
}

/// Returns a joint at rest, with a w that is not positive.
pub(super) fn rest(t: &Trs64) -> [f32; 10] {
    let mut row = channels(t);
    if row[6] > 0.0 {
        row[3..7].iter_mut().for_each(|c| *c = -*c);
    }
    row
}

/// Returns poses, and the numbers of all frames, from rows of joints frame by frame.
pub(super) fn quantize(
    rows: &[[f32; 10]],
    parents: &[i32],
    budget: &Budget,
) -> Result<(Vec<IqmPose>, Vec<u16>), LimitExceeded> {
    let joints = parents.len();
    let mut poses = budget.reserve("poses", joints)?;
    for (joint, parent) in parents.iter().enumerate() {
        let mut pose = IqmPose { parent: *parent, ..IqmPose::default() };
        for channel in 0..10 {
            let own = rows.iter().skip(joint).step_by(joints.max(1)).map(|row| f64::from(row[channel]));
            let (least, most) =
                own.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            pose.offset[channel] = F32::new(narrow1(least));
            let step = narrow1((most - least) / STEPS);
            if most - least >= STILL && step > 0.0 {
                pose.mask |= 1 << channel;
                pose.scale[channel] = F32::new(step);
            }
        }
        poses.push(pose);
    }
    let stored: usize = poses.iter().map(|p: &IqmPose| p.stored(10)).sum();
    let frames = rows.len().checked_div(joints).unwrap_or(0);
    let mut numbers = budget.reserve("frames", stored.saturating_mul(frames))?;
    for frame in rows.chunks(joints.max(1)) {
        for (row, pose) in frame.iter().zip(&poses) {
            for channel in (0..10).filter(|c| pose.stores(*c)) {
                let (value, offset) = (f64::from(row[channel]), f64::from(pose.offset[channel].get()));
                let number = (value - offset) / f64::from(pose.scale[channel].get()) + 0.5;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
                numbers.push(number.clamp(0.0, STEPS) as u16);
            }
        }
    }
    Ok((poses, numbers))
}
