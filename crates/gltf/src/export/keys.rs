//! Values between keys: by the formats' rules, and their difference from glTF's.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "vectors of fixed size and neighbouring keys; counts of what is in memory"
)]

use crate::export::geometry::unit_rotation;
use crate::math::{self, blend, degrees_apart, dot, lerp, narrow, rotation, slerp, wide};
use meshwright_core::math::quat::toward;
use meshwright_scene::{
    Affine, Channel as Keys, Clip, Interpolation, Joint, Local, Loss, Skeleton, Track, Trs,
};

/// Returns the most of a difference at a few places between two keys.
pub(crate) fn furthest(away: impl Fn(f64) -> f64) -> f64 {
    [0.25, 0.5, 0.75].into_iter().map(away).fold(0.0, f64::max)
}

/// Returns true if an engine's interpolation between two rotations equals glTF's within the reporting threshold: it
/// is spherical, or the rotations are close. Renormalised chords differ from arcs by a sixtieth of the angle's cube.
pub(crate) fn is_same_blend(a: math::Quat, b: math::Quat, rule: Interpolation) -> bool {
    match rule {
        Interpolation::Spherical => true,
        Interpolation::Linear => dot(a, b) > 0.97,
        Interpolation::LinearShort | Interpolation::Matrix => dot(a, b).abs() > 0.97,
    }
}

/// Returns the difference between the engine's blend of two local rotations and glTF's, in degrees.
pub(crate) fn between(a: &Trs, b: &Trs, rule: Interpolation) -> f64 {
    let (qa, qb) = (wide(a.rotation), wide(b.rotation));
    // Signs of quaternions that come from matrices mean nothing: the short way.
    let rule = if rule == Interpolation::Linear { Interpolation::LinearShort } else { rule };
    if is_same_blend(qa, toward(qa, qb), rule) {
        return 0.0;
    }
    furthest(|t| degrees_apart(blend(qa, qb, t, rule), rotation(slerp(qa, qb, t))))
}

/// Merges the losses between keys of all clips into one: that of the worst clip, with the count of all.
pub(crate) fn worst_between(losses: &mut Vec<Loss>, clips: &[Clip]) {
    let mut worst: Option<(usize, Loss)> = None;
    let mut count = 0;
    let mut place = 0;
    losses.retain(|loss| {
        if loss.code == BETWEEN {
            count += 1;
            if worst.as_ref().is_none_or(|(_, w)| loss.amount > w.amount) {
                worst = Some((place, loss.clone()));
            }
            return false;
        }
        place += 1;
        true
    });
    let Some((place, mut loss)) = worst else { return };
    let path = loss.path.strip_prefix("clips[").and_then(|p| p.strip_suffix(']'));
    let clip = path.and_then(|i| clips.get(i.parse::<usize>().ok()?));
    let name = clip.map_or("", |c| c.name.as_str());
    loss.message = format!(
        "glTF interpolates rotations between keys differently from the engine; the largest difference is in {name:?}"
    );
    losses.insert(place, loss.with_count(count, "clip", "clips"));
}

/// The code of the loss between keys.
const BETWEEN: &str = "interpolation";

/// Returns a rotation between two keys by the format's rule.
pub(crate) fn mix(a: [f32; 4], b: [f32; 4], t: f64, rule: Interpolation) -> [f32; 4] {
    let (qa, qb) = (wide(unit_rotation(a)), wide(unit_rotation(b)));
    // Exactly opposite rotations have no middle: the earlier holds.
    let linear = |b: math::Quat| math::unit(lerp(qa, b, t)).unwrap_or(qa);
    narrow(match rule {
        Interpolation::Linear => linear(qb),
        Interpolation::LinearShort => linear(toward(qa, qb)),
        // The rotation of blended matrices comes near enough to the spherical middle.
        Interpolation::Spherical | Interpolation::Matrix => slerp(qa, qb, t),
    })
}

/// Returns the value of a channel at a frame of its clip.
pub(crate) fn key_at<T: Copy>(
    keys: &Keys<T>,
    frame: f64,
    period: Option<f64>,
    mix: &dyn Fn(T, T, f64) -> T,
) -> Option<T> {
    let key = |i: usize| keys.frames.get(i).map(|f| f64::from(*f));
    let value = |i: usize| keys.values.get(i).copied();
    let last = keys.values.len().checked_sub(1)?;
    let n = keys.frames.partition_point(|&k| f64::from(k) <= frame);
    if n > 0 && (n <= last || key(last)? == frame) {
        let (a, b) = (n - 1, n.min(last));
        let (fa, fb) = (key(a)?, key(b)?);
        return if fa == frame || a == b {
            value(a)
        } else {
            Some(mix(value(a)?, value(b)?, (frame - fa) / (fb - fa)))
        };
    }
    let edge = if n == 0 { 0 } else { last };
    let Some(period) = period else { return value(edge) };
    let gap = key(0)? + period - key(last)?;
    let passed = if n == 0 { frame + period - key(last)? } else { frame - key(last)? };
    if last == 0 || gap <= 0.0 || !(0.0..=gap).contains(&passed) {
        return value(edge);
    }
    Some(mix(value(last)?, value(0)?, passed / gap))
}

/// Returns the local matrices of all joints at a frame of a clip with tracks.
pub(crate) fn locals(
    skeleton: &Skeleton,
    tracks: &[Track],
    channels: &[[Option<usize>; 3]],
    frame: u32,
    clip: &Clip,
) -> Vec<Affine> {
    let period = clip.looping.then_some(f64::from(clip.frames));
    let frame = f64::from(if clip.looping { frame % clip.frames.max(1) } else { frame });
    let local = |(joint, slots): (&Joint, &[Option<usize>; 3])| {
        if slots.iter().all(Option::is_none) {
            return joint.rest.to_affine();
        }
        let rest = match &joint.rest {
            Local::Trs(t) => *t,
            Local::Affine(m) => Trs::from_affine(m).0,
        };
        let track = |slot: Option<usize>| slot.and_then(|t| tracks.get(t));
        let vector = |a, b, t| narrow(lerp(wide(a), wide(b), t));
        let turn = |a, b, t| mix(a, b, t, clip.interpolation);
        let trs = Trs {
            translation: track(slots[0])
                .and_then(|t| key_at(&t.translation, frame, period, &vector))
                .unwrap_or(rest.translation),
            rotation: track(slots[1])
                .and_then(|t| key_at(&t.rotation, frame, period, &turn))
                .unwrap_or(rest.rotation),
            scale: track(slots[2])
                .and_then(|t| key_at(&t.scale, frame, period, &vector))
                .unwrap_or(rest.scale),
        };
        trs.to_affine()
    };
    skeleton.joints.iter().zip(channels).map(local).collect()
}
