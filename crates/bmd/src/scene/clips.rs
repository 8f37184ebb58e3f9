//! Converts clips to tracks of keys.

use super::names::text;
use crate::math::{Quat, degrees};
use crate::model::{Bmd, Clip as BmdClip};
use crate::pose::{Base, Curves, Timing};
use crate::stream::Stream;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::math::{add, dot, narrow, narrow1, quat, unit};
use meshwright_scene::{
    AxisMap, Budget, Clip, ConvertError, Interpolation, Loss, Motion, SkeletonId, Space, Track,
};

/// The rate of a clip whose file does not state one: the original tool writes it for every clip.
const USUAL_RATE: f32 = 10.0;
/// A key is added if the great arc differs from the blended keys by more than this, in degrees.
const TOLERANCE: f64 = 5e-5;

/// Base transforms of all bones, and the change of axes.
pub(super) struct Bases {
    bones: Vec<Base>,
    axes: AxisMap,
}

impl Bases {
    pub(super) fn new(model: &Bmd, axes: AxisMap) -> Self {
        let normal = model.normal_bones();
        Self { bones: model.bones.iter().take(normal).map(Base::decode).collect(), axes }
    }
}

/// Returns the bones of a stream that have keys. Bone 0 never moves.
pub(super) fn keyed(stream: &Stream) -> Vec<(usize, Curves)> {
    let keys = stream.bones().enumerate().skip(1).filter(|(_, steps)| !steps.is_empty());
    let curves = keys.map(|(bone, _)| (bone, stream.keys(bone))).filter(|(_, k)| !k.is_empty());
    curves.map(|(bone, keys)| (bone, Curves::decode(&keys))).collect()
}

pub(super) fn convert(
    index: usize,
    clip: &BmdClip,
    keyed: &[(usize, Curves)],
    bases: &Bases,
    space: Space,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Clip, ConvertError> {
    let path = format!("anims[{index}]");
    let stored = clip.rate.frames_per_second();
    let rate = if stored > 0.0 { stored } else { USUAL_RATE };
    if stored == 0.0 {
        losses.push(Loss::note(
            "rate-default",
            path.as_str(),
            "the rate is zero; 10 frames per second taken",
        ));
    }
    let timing = Timing { frames: u32::from(clip.frames), looping: clip.rate.is_looping() };
    let mut tracks = budget.reserve("tracks", keyed.len())?;
    let mut added = 0;
    for (bone, curves) in keyed {
        let Some(base) = bases.bones.get(*bone) else { continue };
        let keys = BoneKeys { timing, axes: bases.axes, base, curves };
        let (track, more) = keys.track(*bone, space, budget)?;
        tracks.push(track);
        added += more;
    }
    if added > 0 {
        let loss =
            Loss::note("keys-added", path.as_str(), "keys at whole frames, where glTF blends otherwise");
        losses.push(loss.with_count(added, "key", "keys"));
    }
    let name = clip.name.as_ref().map(|n| text(n, budget)).transpose()?.unwrap_or_default();
    Ok(Clip::new(name, SkeletonId(0), rate, Motion::Tracks(tracks))
        .with_frames(u32::from(clip.frames))
        .with_looping(timing.looping)
        .with_interpolation(Interpolation::Linear))
}

/// The keys of one bone during the conversion.
struct BoneKeys<'a> {
    timing: Timing,
    axes: AxisMap,
    base: &'a Base,
    curves: &'a Curves,
}

#[expect(clippy::cast_precision_loss, reason = "a clip has at most 255 frames")]
fn time(frame: u32) -> f32 {
    frame as f32
}

impl BoneKeys<'_> {
    fn track(&self, joint: usize, space: Space, budget: &Budget) -> Result<(Track, usize), ConvertError> {
        let c = self.curves;
        let mut track = Track { joint, ..Track::default() };
        let gltf = space == Space::Gltf;
        let edges = |frames: Vec<u32>| if gltf { self.with_edges(frames) } else { frames };
        let frames_of = |keys: &[(u32, [f64; 3])]| keys.iter().map(|k| k.0).collect::<Vec<_>>();

        let translation = edges(frames_of(&c.translation));
        let scale = edges(frames_of(&c.scale));
        let mut rotation = edges(c.rotation.iter().map(|k| k.0).collect());
        if gltf {
            self.refine(&mut rotation);
        }
        let count = translation.len() + scale.len() + rotation.len();
        budget.charge_items("keys", count as u64, size_of::<[f32; 5]>())?;

        for frame in &translation {
            let Some(v) = self.timing.triple(&c.translation, f64::from(*frame)) else { continue };
            let moved = narrow(add(self.base.origin, v));
            track.translation.push(time(*frame), self.axes.point(moved));
        }
        for frame in &scale {
            let Some(v) = self.timing.triple(&c.scale, f64::from(*frame)) else { continue };
            track.scale.push(time(*frame), self.axes.axis_scale(narrow(v)));
        }
        let mut before: Option<Quat> = None;
        for frame in &rotation {
            let Some(q) = self.timing.rotation(&c.rotation, f64::from(*frame)) else { continue };
            // The base rotation is applied first. It is a constant factor, so blending still works.
            let q = unit(quat::product(q, self.base.rotation)).unwrap_or(quat::IDENTITY);
            // In file space the signs are kept, because they decide in which direction a rotation turns.
            let flip = gltf && before.is_some_and(|b| dot(b, q) < 0.0);
            let q = if flip { q.map(|c| -c) } else { q };
            before = Some(q);
            track.rotation.push(time(*frame), self.axes.rotation(narrow(q)));
        }
        let stored = c.translation.len() + c.scale.len() + c.rotation.len();
        Ok((track, count.saturating_sub(stored)))
    }

    /// Adds the first and the last frame to a looping clip. The format blends the last key into the first,
    /// whereas glTF holds values.
    fn with_edges(&self, mut frames: Vec<u32>) -> Vec<u32> {
        let Some(end) = self.timing.frames.checked_sub(1) else { return frames };
        frames.retain(|f| *f <= end);
        if !self.timing.looping || frames.len() < 2 {
            return frames;
        }
        if frames.first().is_some_and(|f| *f > 0) {
            frames.insert(0, 0);
        }
        if frames.last().is_some_and(|f| *f < end) {
            frames.push(end);
        }
        frames
    }

    /// Adds the whole frames at which the great arc between two keys leaves the blend of the file's keys.
    fn refine(&self, frames: &mut Vec<u32>) {
        let at = |f: u32| self.timing.rotation(&self.curves.rotation, f64::from(f));
        let mut spans: Vec<(u32, u32)> =
            frames.windows(2).filter_map(|w| Some((*w.first()?, *w.last()?))).collect();
        while let Some((a, b)) = spans.pop() {
            let (Some(from), Some(to)) = (at(a), at(b)) else { continue };
            let length = f64::from(b) - f64::from(a);
            let away = |f: u32| {
                let t = (f64::from(f) - f64::from(a)) / length;
                let arc = quat::slerp(from, quat::toward(from, to), t);
                at(f).map_or(0.0, |q| degrees(arc, q))
            };
            // The difference is symmetric about the middle. Rounding it makes such values equal, so that the
            // choice does not depend on the last bits of a sine.
            let rounded = |f| f64::from(narrow1(away(f)));
            let worst = (a.saturating_add(1)..b).map(|f| (rounded(f), f)).max_by(|x, y| x.0.total_cmp(&y.0));
            if let Some((_, f)) = worst.filter(|w| w.0 > TOLERANCE) {
                frames.push(f);
                spans.extend([(a, f), (f, b)]);
            }
        }
        frames.order();
    }
}
