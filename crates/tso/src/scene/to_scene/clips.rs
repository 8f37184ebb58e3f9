//! Converts animations to clips.

use super::bones::{Joints, NAMES_LISTED};
use crate::anim::{Anim, FRAME_RATE};
use crate::pose::{is_unit, turn};
use crate::scene::assembly::{Assembly, SKELETON};
use crate::scene::extras;
use crate::scene::space::{frame_numbers, map};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{narrow, wide};
use meshwright_core::{F32, SortedMap};
use meshwright_scene::{
    AxisMap, Budget, Channel, Clip, ConvertError, Extra, Interpolation, Loss, Motion as ClipMotion,
    SceneOptions, Space, Track,
};

/// Appends a clip for every animation.
pub(crate) fn convert(
    assembly: &Assembly<'_>,
    joints: &Joints,
    options: &SceneOptions,
    budget: &Budget,
    clips: &mut Vec<Clip>,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    for (i, anim) in assembly.animations.iter().enumerate() {
        if joints.known == 0 {
            let message = "animations move bones relative to their parents, which only a skeleton knows";
            losses.push(Loss::new("clip-without-skeleton", format!("animations[{i}]"), message));
            continue;
        }
        clips.push(clip(i, anim, joints, options, budget, losses)?);
    }
    Ok(())
}

fn clip(
    index: usize,
    anim: &Anim,
    joints: &Joints,
    options: &SceneOptions,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Clip, ConvertError> {
    let mut notes = Notes::default();
    let moved = collect_keys(anim, joints, &mut notes);
    let mut tracks: Vec<Track> = budget.reserve("tracks", moved.len())?;
    for (joint, keys) in moved {
        tracks.push(track(index, joint, keys, options.space, budget, &mut notes)?);
    }
    notes.report(index, losses);
    let mut extras = extras::of_events(anim, budget)?;
    if options.extras {
        extras.extend(extras::of_anim(anim, budget)?);
    } else if extras::says_more(anim) {
        let message = "distance, flag of movement and properties of the animation";
        losses.push(Loss::new("clip-fields", format!("animations[{index}]"), message).kept_in_extras());
    }
    #[expect(clippy::cast_precision_loss, reason = "30 is exact")]
    let rate = FRAME_RATE as f32;
    Ok(Clip::new(anim.name.text(), SKELETON, rate, ClipMotion::Tracks(tracks))
        .with_frames(anim.frames().max(1))
        .with_interpolation(Interpolation::Spherical)
        .with_extras((!extras.is_empty()).then_some(Extra::Map(extras))))
}

/// Returns the keys of every moving joint. If a bone has several motions, the last one with keys counts, for each
/// channel.
fn collect_keys<'a>(anim: &'a Anim, joints: &Joints, notes: &mut Notes) -> SortedMap<usize, JointKeys<'a>> {
    let mut moved: SortedMap<usize, JointKeys<'_>> = SortedMap::new();
    for motion in &anim.motions {
        let (t, r) = (motion.translations(anim), motion.rotations(anim));
        let keyless = |has: bool, empty: bool| has && empty && motion.frames > 0;
        notes.keyless += usize::from(keyless(motion.has_translation.is_set(), t.is_empty()));
        notes.keyless += usize::from(keyless(motion.has_rotation.is_set(), r.is_empty()));
        let Some(joint) = joints.find_known(&motion.bone) else {
            notes.ignored += 1;
            if notes.ignored <= NAMES_LISTED {
                notes.ignored_bones.push_str(&format!(" {}", motion.bone));
            }
            continue;
        };
        let entry = moved.entry(joint).or_default();
        if !t.is_empty() {
            entry.0 = t;
        }
        if !r.is_empty() {
            entry.1 = r;
        }
    }
    moved
}

fn track(
    index: usize,
    joint: usize,
    (t, r): JointKeys<'_>,
    space: Space,
    budget: &Budget,
    notes: &mut Notes,
) -> Result<Track, ConvertError> {
    budget.charge_items("keys", t.len() as u64, size_of::<[f32; 4]>())?;
    budget.charge_items("keys", r.len() as u64, size_of::<[f32; 5]>())?;
    if t.len().max(r.len()) > 1 << f32::MANTISSA_DIGITS {
        return Err(ConvertError::unsupported(format!("animations[{index}]"), "more than 16777216 frames"));
    }
    let map = map(space);
    Ok(Track {
        joint,
        translation: translations(t, &map, notes),
        rotation: rotations(r, &map, space, notes),
        scale: Channel::new(),
    })
}

/// Translations and rotations of one joint.
type JointKeys<'a> = (&'a [[F32; 3]], &'a [[F32; 4]]);

/// The notes collected so far.
#[derive(Debug, Default)]
struct Notes {
    /// Motions of unknown bones, and the first of those bones.
    ignored: usize,
    ignored_bones: String,
    /// The number of channels whose keys are outside the arrays.
    keyless: usize,
    not_finite: usize,
    not_unit: usize,
}

impl Notes {
    fn report(&self, index: usize, losses: &mut Vec<Loss>) {
        let path = |field: &str| format!("animations[{index}].{field}");
        let mut lose = |code, n: usize, what: &str, names: &str| {
            if n > 0 {
                losses.push(Loss::new(code, path("motions"), format!("{n} {what}{names}")).counted(n));
            }
        };
        let ignored = "motions of bones that the skeleton does not have:";
        lose("motion-ignored", self.ignored, ignored, &self.ignored_bones);
        lose("channel-dropped", self.keyless, "channels name keys that do not exist", "");
        let not_finite = "keys with numbers that are not finite were dropped";
        lose("not-finite", self.not_finite, not_finite, "");
        if self.not_unit > 0 {
            let loss = Loss::note("rotation-length", path("rotations"), "rotations were scaled to length 1");
            losses.push(loss.with_count(self.not_unit, "rotation", "rotations"));
        }
    }
}

fn translations(keys: &[[F32; 3]], map: &AxisMap, notes: &mut Notes) -> Channel<[f32; 3]> {
    let mut channel =
        Channel { frames: Vec::with_capacity(keys.len()), values: Vec::with_capacity(keys.len()) };
    for (key, frame) in keys.iter().zip(frame_numbers()) {
        let value = map.point(key.map(F32::get));
        if value.iter().all(|c| c.is_finite()) {
            channel.push(frame, value);
        } else {
            notes.not_finite += 1;
        }
    }
    channel
}

fn rotations(keys: &[[F32; 4]], map: &AxisMap, space: Space, notes: &mut Notes) -> Channel<[f32; 4]> {
    let mut channel =
        Channel { frames: Vec::with_capacity(keys.len()), values: Vec::with_capacity(keys.len()) };
    let mut last = [0.0_f32; 4];
    for (key, frame) in keys.iter().zip(frame_numbers()) {
        if !key.iter().all(|c| c.is_finite()) {
            notes.not_finite += 1;
            continue;
        }
        notes.not_unit += usize::from(!is_unit(*key));
        let mut value = map.rotation(narrow(turn(wide(key.map(F32::get)))));
        // q and -q are the same rotation, but players that blend blindly take the long way between them.
        if space == Space::Gltf && last.iter().zip(value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
            value = value.map(|c| -c);
        }
        last = value;
        channel.push(frame, value);
    }
    channel
}
