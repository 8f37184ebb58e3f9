//! Comparing arrays.
pub(crate) mod scenes;

use meshwright_dpm::FrameClip;
use meshwright_quake::{Budget, FrameGroups, Limits};

/// Returns the clips that a companion names for a model of so many poses.
pub(crate) fn clips(groups: &FrameGroups, poses: usize) -> Vec<FrameClip> {
    let clips = groups.resolve(poses, &Budget::new(Limits::default())).unwrap().clips.into_iter();
    clips
        .map(|c| FrameClip { name: c.name, start: c.start, length: c.length, fps: c.fps, looping: c.looping })
        .collect()
}

/// Returns the greatest side of the box around points.
pub(crate) fn extent(points: &[[f64; 3]]) -> f64 {
    (0..3)
        .map(|i| {
            let (lo, hi) = points
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p[i]), hi.max(p[i])));
            (hi - lo).max(0.0)
        })
        .fold(0.0, f64::max)
}

/// Panics where a coordinate is further away than `tolerance`; `skipped` rows are not compared.
pub(crate) fn assert_near(
    name: &str,
    got: &[[f32; 3]],
    expected: &[[f64; 3]],
    tolerance: f64,
    skipped: &[u64],
) {
    assert_eq!(got.len(), expected.len(), "{name}");
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        if skipped.contains(&(i as u64)) {
            continue;
        }
        let off = (0..3).map(|k| (f64::from(a[k]) - b[k]).abs()).fold(0.0, f64::max);
        assert!(off <= tolerance, "{name} {i}: {a:?} for {b:?}, off by {off:e}, {tolerance:e} allowed");
    }
}
