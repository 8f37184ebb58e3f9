//! Frames: the channels of each joint in each frame, in the model's encoding.

use super::IqmMerge;
use crate::model::{Iqm, IqmPose};
use crate::scene::from_scene::Traced;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::narrow1;
use meshwright_edit::apply::{FrameOrigin, Origin};
use meshwright_scene::ConvertError;

/// The largest stored number of a channel.
const STEPS: f64 = 65_535.0;
/// A smaller difference from a value that all frames have is ignored.
const STILL: f64 = 1.0e-6;

/// Returns the channels of a converted joint in a frame.
fn row(traced: &Traced, frame: Option<usize>, joint: Option<usize>) -> Option<[f32; 10]> {
    let joints = traced.model.poses.len();
    let joint = joint.filter(|j| *j < joints)?;
    traced.rows.get(frame?.checked_mul(joints)?.checked_add(joint)?).copied()
}

impl IqmMerge<'_> {
    /// Returns the edited channels of a joint of the result in a frame, or `None` if the frame is unedited.
    fn edited(&self, frame: &FrameOrigin, joint: usize, origin: &Origin) -> Option<[f32; 10]> {
        let edited = self.baked || self.joints.is_changed(joint, frame, &self.clips);
        row(self.made, frame.made, origin.made).filter(|_| edited)
    }

    /// Returns true if two sources of a frame give the same result.
    pub(super) fn is_same(&self, x: &FrameOrigin, y: &FrameOrigin) -> bool {
        let bits = |row: Option<[f32; 10]>| row.map(|row| row.map(f32::to_bits));
        let mut joints = self.joints.records.list.iter().enumerate();
        joints.all(|(j, origin)| bits(self.edited(x, j, origin)) == bits(self.edited(y, j, origin)))
    }

    /// Returns true if no joint of a frame was edited.
    pub(super) fn is_still(&self, frame: &FrameOrigin) -> bool {
        let mut joints = self.joints.records.list.iter().enumerate();
        frame.made.is_none() || joints.all(|(j, origin)| self.edited(frame, j, origin).is_none())
    }
}

/// The positions of each joint's channels in a native frame.
struct Numbers<'m> {
    model: &'m Iqm,
    /// The index of each joint's first number in a frame.
    starts: Vec<usize>,
    each: usize,
}

impl<'m> Numbers<'m> {
    fn new(model: &'m Iqm) -> Self {
        let (mut starts, mut each) = (Vec::with_capacity(model.poses.len()), 0);
        for pose in &model.poses {
            starts.push(each);
            each += pose.stored(model.channels());
        }
        Self { model, starts, each }
    }

    /// Returns the stored number of a joint's channel in a frame, or `None` if all frames have one value.
    fn get(&self, frame: usize, joint: usize, channel: usize) -> Option<u16> {
        let pose = self.model.poses.get(joint)?;
        if !pose.stores(channel) {
            return None;
        }
        let at = self.starts.get(joint)? + (0..channel).filter(|c| pose.stores(*c)).count();
        self.model.frames.get(frame * self.each + at).copied()
    }

    fn value(&self, frame: usize, joint: usize, channel: usize) -> Option<f64> {
        let pose = self.model.poses.get(joint)?;
        let (offset, scale) = (pose.offset[channel], pose.scale[channel]);
        let number = self.get(frame, joint, channel);
        Some(f64::from(number.map_or(offset.get(), |number| decoded(number, offset, scale))))
    }
}

/// Decodes a stored number like engines do.
fn decoded(number: u16, offset: F32, scale: F32) -> f32 {
    offset.get() + f32::from(number) * scale.get()
}

/// A channel in a frame: the stored number of the original, or a new value.
#[derive(Clone, Copy)]
enum Cell {
    Native(usize),
    Value(f64),
}

/// One channel of one joint over all frames.
struct Column {
    offset: F32,
    scale: F32,
    stored: bool,
    numbers: Vec<u16>,
    /// The largest change of an unedited value, if the channel had to be stored again.
    off: Option<f64>,
}

/// Channels that had to be stored again in all frames.
#[derive(Default)]
pub(super) struct Rescaled {
    pub(super) channels: usize,
    /// The largest change of an unedited value in these channels.
    pub(super) most: f64,
}

/// Writes poses and frames into a model.
pub(super) fn write_frames(
    work: &IqmMerge<'_>,
    frames: &[FrameOrigin],
    model: &mut Iqm,
) -> Result<Rescaled, ConvertError> {
    let (original, records) = (work.original, &work.joints.records);
    let untouched = records.is_original()
        && frames.len() == original.frame_count as usize
        && frames.iter().enumerate().all(|(i, f)| f.original == Some(i) && work.is_still(f));
    let parents = records.list.iter().enumerate().map(|(j, origin)| work.parent_of_pose(j, origin));
    if untouched {
        for (pose, parent) in model.poses.iter_mut().zip(parents) {
            pose.parent = parent;
        }
        return Ok(Rescaled::default());
    }
    let many = |_| ConvertError::unsupported("clips", "more frames than 32 bits count");
    model.frame_count = u32::try_from(frames.len()).map_err(many)?;
    (model.poses, model.frames) = (Vec::new(), Vec::new());
    if frames.is_empty() {
        return Ok(Rescaled::default());
    }
    let cells = frames.len().saturating_mul(records.list.len());
    work.budget.charge_items("frames", cells as u64, 10 * (size_of::<Cell>() + 2))?;
    let numbers = Numbers::new(original);
    let (mut columns, mut rescaled) = (Vec::new(), Rescaled::default());
    for ((j, origin), parent) in records.list.iter().enumerate().zip(parents) {
        let rows = cells_of(work, (j, origin), frames, &numbers);
        let mut pose = IqmPose { parent, ..IqmPose::default() };
        let old = origin.original.and_then(|n| original.poses.get(n).map(|p| (n, p)));
        for channel in 0..original.channels() {
            let own = rows.iter().map(|row| row[channel]);
            let column = column(own, old, channel, &numbers);
            if let Some(off) = column.off {
                rescaled.channels += 1;
                rescaled.most = rescaled.most.max(off);
            }
            (pose.offset[channel], pose.scale[channel]) = (column.offset, column.scale);
            if column.stored {
                pose.mask |= 1 << channel;
                columns.push(column.numbers);
            }
        }
        // Bits without a channel stay.
        pose.mask |= old.map_or(0, |(_, p)| p.mask & (!0 << original.channels()));
        model.poses.push(pose);
    }
    model.frames = work.budget.reserve("frames", columns.len().saturating_mul(frames.len()))?;
    for frame in 0..frames.len() {
        model.frames.extend(columns.iter().map(|column| column[frame]));
    }
    Ok(rescaled)
}

/// Returns the channels of a joint in all frames, in the form of the model's version.
fn cells_of(
    work: &IqmMerge<'_>,
    (joint, origin): (usize, &Origin),
    frames: &[FrameOrigin],
    numbers: &Numbers<'_>,
) -> Vec<[Cell; 10]> {
    let native = work.original;
    let rest = origin.made.and_then(|m| work.made.model.joints.get(m)).map(|j| {
        let ([a, b, c], [x, y, z, w], [d, e, f]) = (j.translate, j.rotate, j.scale);
        [a, b, c, x, y, z, w, d, e, f].map(F32::get)
    });
    let mut last: Option<[f64; 4]> = None;
    let mut rows = Vec::with_capacity(frames.len());
    for frame in frames {
        let there = origin.original.filter(|n| *n < native.poses.len()).zip(frame.original);
        let edited = match there {
            Some(_) => work.edited(frame, joint, origin),
            None => row(work.made, frame.made, origin.made),
        };
        // There are ten channels; version 1 lacks the fourth of a rotation.
        let value = |channel: usize| {
            let place = if native.version == 1 && channel > 6 { channel - 1 } else { channel };
            there.and_then(|(n, f)| numbers.value(f, n, place)).unwrap_or(0.0)
        };
        let turn = |w: f64| [value(3), value(4), value(5), w];
        // A joint without a value in a frame has its rest pose.
        let mut own = edited.or(rest).unwrap_or([0.0; 10]).map(f64::from);
        let side = if native.version == 1 {
            own[6] > 0.0
        } else {
            let near = there.map(|_| turn(value(6))).or(last);
            near.is_some_and(|b| b.iter().zip(&own[3..7]).map(|(a, b)| a * b).sum::<f64>() < 0.0)
        };
        if side {
            own[3..7].iter_mut().for_each(|c| *c = -*c);
        }
        let near = |c: usize| native.version == 1 && c == 6 || is_near(own[c], value(c));
        let kept: [bool; 10] = match (there, edited) {
            (Some(_), None) => [true; 10],
            (Some(_), Some(_)) => {
                let turned = (3..7).all(near);
                core::array::from_fn(|c| if (3..7).contains(&c) { turned } else { near(c) })
            }
            (None, _) => [false; 10],
        };
        last = Some(match there.filter(|_| kept[3]) {
            Some(_) => turn(if native.version == 1 { -1.0 } else { value(6) }),
            None => [own[3], own[4], own[5], own[6]],
        });
        let cell = |c: usize| match there {
            Some((_, f)) if kept[c] => Cell::Native(f),
            _ => Cell::Value(own[c]),
        };
        let place = |c: usize| if native.version == 1 && c > 5 { (c + 1).min(9) } else { c };
        rows.push(core::array::from_fn(|c| cell(place(c))));
    }
    rows
}

/// Returns true if a value of a channel differs by more than the noise of a conversion.
fn is_near(value: f64, other: f64) -> bool {
    (value - other).abs() <= STILL * other.abs().max(1.0)
}

/// Encodes a channel with the original's offset and scale if its range has room for the new values.
fn column(
    cells: impl Iterator<Item = Cell> + Clone,
    old: Option<(usize, &IqmPose)>,
    channel: usize,
    numbers: &Numbers<'_>,
) -> Column {
    if let Some((joint, pose)) = old {
        let (offset, scale, stored) = (pose.offset[channel], pose.scale[channel], pose.stores(channel));
        let number = |cell: Cell| match cell {
            Cell::Native(frame) => Some(numbers.get(frame, joint, channel).unwrap_or(0)),
            Cell::Value(v) if stored => {
                let step = (v - f64::from(offset.get())) / f64::from(scale.get());
                let number = (step + 0.5).clamp(0.0, STEPS);
                // Values just beyond the ends of the range are noise of the conversion.
                let over = (step - step.clamp(0.0, STEPS)).abs();
                let near = over < 1.0 || over * f64::from(scale.get()).abs() <= STILL * v.abs().max(1.0);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
                near.then_some(number as u16)
            }
            Cell::Value(v) => is_near(v, f64::from(offset.get())).then_some(0),
        };
        if let Some(numbers) = cells.clone().map(number).collect::<Option<Vec<u16>>>() {
            return Column { offset, scale, stored, numbers, off: None };
        }
    }
    let value = |cell: Cell| match cell {
        Cell::Native(frame) => old.and_then(|(joint, _)| numbers.value(frame, joint, channel)).unwrap_or(0.0),
        Cell::Value(v) => v,
    };
    let bounds = |(least, most): (f64, f64), v: f64| (least.min(v), most.max(v));
    let (least, most) = cells.clone().map(value).fold((f64::INFINITY, f64::NEG_INFINITY), bounds);
    let moves = most - least > STILL * least.abs().max(1.0);
    let still = old.filter(|(_, pose)| moves && !pose.stores(channel)).map(|(_, pose)| pose.offset[channel]);
    let (offset, scale) = steps(least, most, still);
    let stored = moves && scale.get() != 0.0;
    let number = |cell: Cell| {
        let step = (value(cell) - f64::from(offset.get())) / f64::from(scale.get()) + 0.5;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let number = step.clamp(0.0, STEPS) as u16;
        number
    };
    let own: Vec<u16> = if stored { cells.clone().map(number).collect() } else { Vec::new() };
    let off = |(i, cell): (usize, Cell)| match cell {
        Cell::Native(_) => {
            let now = own.get(i).map_or(offset.get(), |n| decoded(*n, offset, scale));
            (f64::from(now) - value(cell)).abs()
        }
        Cell::Value(_) => 0.0,
    };
    let off = old.map(|_| cells.enumerate().map(off).fold(0.0, f64::max));
    Column { offset, scale: if stored { scale } else { F32::default() }, stored, numbers: own, off }
}

/// Returns the offset and the step of a channel with values in a range. The value of a `still` channel is
/// preserved, or is as close to a whole number of steps as 32 bits allow.
fn steps(least: f64, most: f64, still: Option<F32>) -> (F32, F32) {
    let step = (most - least) / STEPS;
    let f32_of = |v: f64| F32::new(narrow1(v));
    let Some(still) = still else { return (f32_of(least), f32_of(step)) };
    let own = f64::from(still.get());
    if own <= least {
        (still, f32_of((most - own) / STEPS))
    } else if own >= most {
        (still, f32_of((least - own) / STEPS))
    } else {
        // Fewer steps are below it, so that all steps above it fit.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and all steps"
        )]
        let below = ((own - least) / step) as u16;
        let (offset, below) = (f32_of(least), f64::from(below.max(1)));
        let least = f64::from(offset.get());
        (offset, f32_of(((own - least) / below).max((most - least) / STEPS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_channel_that_stands_still_at_another_value_has_that_value() {
        let pose = IqmPose::default();
        let model = Iqm { version: 2, poses: vec![pose], frame_count: 2, ..Iqm::default() };
        let of = |cells: [Cell; 2]| column(cells.into_iter(), Some((0, &pose)), 0, &Numbers::new(&model));
        let made = of([Cell::Value(0.75); 2]);
        assert_eq!((made.offset, made.stored, made.numbers), (F32::new(0.75), false, vec![]));
        // The unedited frame keeps its value.
        let made = of([Cell::Native(0), Cell::Value(0.75)]);
        assert_eq!((made.offset, made.stored, made.numbers), (F32::new(0.0), true, vec![0, u16::MAX]));
    }

    #[test]
    fn noise_next_to_the_range_of_a_channel_does_not_round_it_anew() {
        let mut pose = IqmPose { mask: 1, ..IqmPose::default() };
        (pose.offset[0], pose.scale[0]) = (F32::new(0.5), F32::new(1e-12));
        let model =
            Iqm { version: 2, poses: vec![pose], frames: vec![7, 9], frame_count: 2, ..Iqm::default() };
        let numbers = Numbers::new(&model);
        let of = |value| {
            let cells = [Cell::Native(0), Cell::Value(value)];
            column(cells.into_iter(), Some((0, &pose)), 0, &numbers)
        };
        // All steps together are 6.6e-8.
        for (value, number) in [(0.5 + 4e-7, u16::MAX), (0.5 - 4e-7, 0)] {
            let made = of(value);
            assert_eq!((made.offset, made.scale, made.stored), (pose.offset[0], pose.scale[0], true));
            assert_eq!((made.numbers, made.off), (vec![7, number], None));
        }
        assert!(of(0.6).off.is_some());
    }
}
