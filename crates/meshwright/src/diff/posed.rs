//! Compares vertices at rest and in clips.

use super::vertices::{Pairs, Posed};
use super::{Diff, DiffOptions, Difference};
use crate::error::Error;
use meshwright_core::Budget;
use meshwright_scene::{Clip, Scene};

/// The steps of a budget for posing a vertex.
const POSED: u64 = 8;

/// Compares vertices at rest, and at frames of the clips that both scenes have.
pub(super) fn compare(
    first: &Scene,
    second: &Scene,
    clips: &[(usize, usize)],
    (a, b): (&mut Posed<'_>, &mut Posed<'_>),
    options: &DiffOptions,
    diff: &mut Diff,
    budget: &Budget,
) -> Result<(), Error> {
    let tolerance = diff.tolerance;
    let pairs = Pairs::new(a.points(), b.points(), tolerance, budget)?;
    diff.rest = pairs.largest_distance(a.points(), b.points(), tolerance, budget)?;
    let mut far = |code, path, amount| {
        let amount = Some(amount);
        diff.differences.push(Difference { code, path, first: None, second: None, amount });
    };
    if diff.rest > tolerance {
        far("rest-vertices", "rest".to_owned(), diff.rest);
    }
    for (i, j) in clips {
        let (Some(one), Some(other)) = (first.clips.get(*i), second.clips.get(*j)) else { continue };
        let (mut most, mut worst) = (0.0, 0.0);
        for frame in frames(one, options.frames) {
            a.pose(Some((*i, frame)))?;
            b.pose(Some((*j, frame_of(one, other, frame))))?;
            let points = a.points().len().saturating_add(b.points().len()) as u64;
            budget.work("posed vertices", points.saturating_mul(POSED))?;
            let apart = pairs.largest_distance(a.points(), b.points(), tolerance, budget)?;
            if apart > most {
                (most, worst) = (apart, frame);
            }
        }
        if most > tolerance {
            far("posed-vertices", format!("clips[{}].frames[{worst:.0}]", one.name), most);
        }
        diff.clips.push((one.name.clone(), most));
    }
    Ok(())
}

/// Returns the frames of a clip at which vertices are compared.
fn frames(clip: &Clip, most: u32) -> impl Iterator<Item = f64> + use<> {
    let last = clip.frames.saturating_sub(1);
    let count = clip.frames.min(most.max(1));
    let steps = count.saturating_sub(1).max(1);
    (0..count).map(move |i| {
        let at = u64::from(i).saturating_mul(u64::from(last)).checked_div(u64::from(steps)).unwrap_or(0);
        f64::from(u32::try_from(at).unwrap_or(last))
    })
}

/// Returns the frame of the other clip at the same fraction of its length.
fn frame_of(one: &Clip, other: &Clip, frame: f64) -> f64 {
    let lasts = [one, other].map(|clip| f64::from(clip.frames.saturating_sub(1)));
    match lasts {
        [a, b] if a > 0.0 && (a - b).abs() > 0.0 => frame * b / a,
        _ => frame,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::{Motion, PoseSetId, SkeletonId};

    #[test]
    fn frames_are_spread_over_a_long_clip() {
        let clip = |n: u32| {
            let motion = Motion::Poses { set: PoseSetId(0), frames: (0..n).collect() };
            Clip::new("c", SkeletonId(0), 10.0, motion)
        };
        assert_eq!(frames(&clip(3), 64).collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
        assert_eq!(frames(&clip(101), 5).collect::<Vec<_>>(), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(frames(&clip(1), 64).collect::<Vec<_>>(), [0.0]);
        assert!((frame_of(&clip(11), &clip(21), 5.0) - 10.0).abs() < 1e-9);
    }
}
