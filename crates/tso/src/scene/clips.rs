//! Animations as clips.

use super::bones::{Joints, NAMES_TOLD, conjugate, properties};
use super::{Assembly, SKELETON, map};
use crate::anim::{Anim, FRAME_RATE, Motion, TimeProperty};
use crate::props::PropertyList;
use crate::skel::is_unit;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_scene::{
    AxisMap, Channel, Clip, ConvertError, Extra, Interpolation, Loss, Memory, Motion as ClipMotion,
    SceneOptions, Space, Track,
};

/// Appends a clip for every animation.
pub(crate) fn convert(
    assembly: &Assembly<'_>,
    joints: &Joints,
    options: &SceneOptions,
    memory: &Memory,
    clips: &mut Vec<Clip>,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    for (i, anim) in assembly.animations.iter().enumerate() {
        if joints.known == 0 {
            let message = "animations move bones relative to their parents, which only a skeleton knows";
            losses.push(Loss::new("clip-without-skeleton", format!("animations[{i}]"), message));
            continue;
        }
        clips.push(clip(i, anim, joints, options, memory, losses)?);
    }
    Ok(())
}

fn clip(
    index: usize,
    anim: &Anim,
    joints: &Joints,
    options: &SceneOptions,
    memory: &Memory,
    losses: &mut Vec<Loss>,
) -> Result<Clip, ConvertError> {
    // Of several motions of one bone the last with keys counts, channel by channel.
    let mut moved: BTreeMap<usize, Keys<'_>> = BTreeMap::new();
    let (mut unknown, mut names, mut unreadable) = (0_usize, String::new(), 0_usize);
    for motion in &anim.motions {
        let (t, r) = (motion.translations(anim), motion.rotations(anim));
        let keyless = |has: bool, empty: bool| has && empty && motion.frames > 0;
        unreadable += usize::from(keyless(motion.has_translation.is_set(), t.is_empty()));
        unreadable += usize::from(keyless(motion.has_rotation.is_set(), r.is_empty()));
        let Some(joint) = joints.find_known(&motion.bone) else {
            unknown += 1;
            if unknown <= NAMES_TOLD {
                names.push_str(&format!(" {}", motion.bone));
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
    let map = map(options.space);
    let mut tracks: Vec<Track> = memory.reserve("tracks", moved.len())?;
    let mut notes = Notes::default();
    for (joint, (t, r)) in moved {
        memory.charge("keys", t.len(), size_of::<[f32; 4]>())?;
        memory.charge("keys", r.len(), size_of::<[f32; 5]>())?;
        if t.len().max(r.len()) > 1 << f32::MANTISSA_DIGITS {
            return Err(ConvertError::unsupported(
                format!("animations[{index}]"),
                "more than 16777216 frames",
            ));
        }
        tracks.push(Track {
            joint,
            translation: translations(t, &map, &mut notes),
            rotation: rotations(r, &map, options.space, &mut notes),
            scale: Channel::new(),
        });
    }
    let path = |field: &str| format!("animations[{index}].{field}");
    let mut lose = |code, field: &str, n: usize, message: String| {
        if n > 0 {
            losses.push(Loss::new(code, path(field), format!("{n} {message}")));
        }
    };
    lose(
        "motion-ignored",
        "motions",
        unknown,
        format!("motions of bones that the skeleton has not got:{names}"),
    );
    lose("channel-dropped", "motions", unreadable, "channels name keys that are not there".into());
    lose(
        "not-finite",
        "motions",
        notes.not_finite,
        "keys with numbers that are not finite are left out".into(),
    );
    lose("rotation-length", "rotations", notes.not_unit, "quaternions were brought to length 1".into());
    let mut extras = events(anim, memory)?;
    if options.extras {
        extras.extend(native(anim, memory)?);
    }
    #[expect(clippy::cast_precision_loss, reason = "30 is exact")]
    let rate = FRAME_RATE as f32;
    Ok(Clip {
        name: anim.name.text(),
        skeleton: SKELETON,
        rate,
        frames: anim.frames().max(1),
        looping: false,
        interpolation: Interpolation::Spherical,
        motion: ClipMotion::Tracks(tracks),
        extras: (!extras.is_empty()).then_some(Extra::Map(extras)),
    })
}

/// Translations and rotations of one joint.
type Keys<'a> = (&'a [[F32; 3]], &'a [[F32; 4]]);

#[derive(Debug, Default)]
struct Notes {
    not_finite: usize,
    not_unit: usize,
}

/// Frame numbers, all of them exact.
pub(crate) fn frame_numbers() -> impl Iterator<Item = f32> {
    #[expect(clippy::cast_precision_loss, reason = "callers stay below 2^24")]
    (0_u32..).map(|f| f as f32)
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
        let mut value = map.rotation(conjugate(key.map(|c| f64::from(c.get()))));
        // q and -q are the same rotation, but players that blend blindly take the long way between them.
        if space == Space::Gltf && last.iter().zip(value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
            value = value.map(|c| -c);
        }
        last = value;
        channel.push(frame, value);
    }
    channel
}

/// All events: groups of the same events at the same times, with their bones where those are not all there are.
fn events(anim: &Anim, memory: &Memory) -> Result<Vec<(String, Extra)>, ConvertError> {
    // FreeSO repeats the same list on every motion.
    let mut lists: BTreeMap<&[Vec<TimeProperty>], Vec<&Motion>> = BTreeMap::new();
    for motion in anim.motions.iter().filter(|m| m.events().next().is_some()) {
        memory.charge("events", 1, 2 * size_of::<Extra>())?;
        memory.charge("events", motion.bone.bytes().len(), 3)?;
        lists.entry(&motion.time_properties).or_default().push(motion);
    }
    let mut groups = Vec::new();
    for (list, motions) in lists {
        let mut group = Vec::new();
        if motions.len() != anim.motions.len() {
            let bones = motions.iter().map(|m| Extra::Text(m.bone.text())).collect();
            group.push((String::from(BONES), Extra::List(bones)));
        }
        let mut times = Vec::new();
        for event in list.iter().flatten() {
            memory.charge("events", 1, size_of::<Extra>() + 4 * size_of::<(String, Extra)>())?;
            times.push(Extra::Map(alloc::vec![
                (String::from(TIME), Extra::from(event.time)),
                (String::from(PROPERTIES), properties(&event.lists, memory)?),
            ]));
        }
        group.push((String::from(TIMES), Extra::List(times)));
        groups.push(Extra::Map(group));
    }
    Ok(if groups.is_empty() { Vec::new() } else { alloc::vec![(EVENTS.into(), Extra::List(groups))] })
}

/// Names of the extras that hold events.
pub(crate) const EVENTS: &str = "events";
pub(crate) const BONES: &str = "bones";
pub(crate) const TIMES: &str = "times";
pub(crate) const TIME: &str = "time_ms";
pub(crate) const PROPERTIES: &str = "properties";

/// What else the file says.
fn native(anim: &Anim, memory: &Memory) -> Result<Vec<(String, Extra)>, ConvertError> {
    let mut out = alloc::vec![
        (String::from("duration"), Extra::from(anim.duration.get())),
        ("distance".into(), Extra::from(anim.distance.get())),
        ("moving".into(), Extra::Bool(anim.moving.is_set())),
    ];
    let with_lists = |m: &&Motion| m.properties.iter().flatten().any(|l: &PropertyList| !l.0.is_empty());
    let mut lists = Vec::new();
    for motion in anim.motions.iter().filter(with_lists) {
        let flat: Vec<_> = motion.properties.iter().flatten().cloned().collect();
        memory.charge("extras", 1, 256)?;
        lists.push(Extra::Map(alloc::vec![
            ("bone".into(), Extra::Text(motion.bone.text())),
            ("properties".into(), properties(&flat, memory)?),
        ]));
    }
    if !lists.is_empty() {
        out.push(("properties".into(), Extra::List(lists)));
    }
    Ok(out)
}
