//! Conversion of events and properties to extras of a scene, and back.

use crate::anim::{Anim, FRAME_RATE, Motion, TimeProperty};
use crate::fields::Flag;
use crate::mesh::Total;
use crate::name::Name;
use crate::props::PropertyList;
use crate::skel::Bone;
use crate::ts1::{SkinPart, Suit};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{F32, SortedMap, SortedSet};
use meshwright_scene::{Budget, Clip, ConvertError, Extra};

pub(crate) const EVENTS: &str = "events";
const BONES: &str = "bones";
const TIMES: &str = "times";
const TIME: &str = "time_ms";
pub(crate) const PROPERTIES: &str = "properties";

/// Returns all events in groups with the same events at the same times, and the bones of a group if these are not all.
pub(crate) fn of_events(anim: &Anim, budget: &Budget) -> Result<Vec<(String, Extra)>, ConvertError> {
    // FreeSO repeats the same list on every motion.
    let mut lists: SortedMap<&[Vec<TimeProperty>], Vec<&Motion>> = SortedMap::new();
    for motion in anim.motions.iter().filter(|m| m.events().next().is_some()) {
        budget.charge_items("events", 1, 2 * size_of::<Extra>())?;
        budget.charge_items("events", motion.bone.bytes().len() as u64, 3)?;
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
            budget.charge_items("events", 1, size_of::<Extra>() + 4 * size_of::<(String, Extra)>())?;
            times.push(Extra::Map(alloc::vec![
                (String::from(TIME), Extra::from(event.time)),
                (String::from(PROPERTIES), of_properties(&event.lists, budget)?),
            ]));
        }
        group.push((String::from(TIMES), Extra::List(times)));
        groups.push(Extra::Map(group));
    }
    Ok(if groups.is_empty() { Vec::new() } else { alloc::vec![(EVENTS.into(), Extra::List(groups))] })
}

/// Memory of a named value.
pub(crate) const EXTRA: usize = size_of::<(String, Extra)>() + 32;

/// Converts property lists to a list of maps. A list with a duplicate key, which a map cannot have, becomes a list of
/// pairs.
pub(crate) fn of_properties(lists: &[PropertyList], budget: &Budget) -> Result<Extra, ConvertError> {
    let mut out = budget.reserve("extras", lists.len())?;
    for list in lists {
        budget.charge_items("extras", list.0.len() as u64, EXTRA)?;
        // A byte of Windows-1252 becomes up to three bytes of UTF-8.
        budget.charge_items("extras", (usize::try_from(list.size()).unwrap_or(usize::MAX)) as u64, 3)?;
        let pairs = list.0.iter().map(|(k, v)| (k.text(), Extra::Text(v.text())));
        let keys: SortedSet<_> = list.0.iter().map(|(k, _)| k.bytes()).collect();
        out.push(if keys.len() == list.0.len() {
            Extra::Map(pairs.collect())
        } else {
            budget.charge_items("extras", list.0.len() as u64, 2 * size_of::<Extra>())?;
            Extra::List(pairs.map(|(k, v)| Extra::List(alloc::vec![Extra::Text(k), v])).collect())
        });
    }
    Ok(Extra::List(out))
}

const SUIT: &str = "suit";
const NAME: &str = "name";
const TYPE: &str = "type";
const WORD: &str = "word";
const BONE: &str = "bone";
const CENSOR: &str = "censor";
const SKIN_WORD: &str = "skin_word";

/// Returns the fields of a suit and of one of its skins.
pub(crate) fn of_suit(
    suit: &Suit,
    skin: &SkinPart,
    budget: &Budget,
) -> Result<(String, Extra), ConvertError> {
    budget.charge_items("extras", 7, EXTRA)?;
    budget.charge_items(
        "extras",
        suit.name.bytes().len().saturating_add(skin.bone.bytes().len()) as u64,
        3,
    )?;
    let fields = [
        (NAME, Extra::Text(suit.name.text())),
        (TYPE, Extra::from(suit.kind)),
        (WORD, Extra::from(suit.unknown)),
        (BONE, Extra::Text(skin.bone.text())),
        (CENSOR, Extra::from(skin.censor)),
        (SKIN_WORD, Extra::from(skin.unknown)),
    ];
    let fields = fields.into_iter().map(|(key, value)| (String::from(key), value)).collect();
    Ok((String::from(SUIT), Extra::Map(fields)))
}

/// Adds a named value to others.
pub(crate) fn add(extras: &mut Option<Extra>, named: (String, Extra)) {
    match extras {
        Some(Extra::Map(all)) => all.push(named),
        _ => *extras = Some(Extra::Map(alloc::vec![named])),
    }
}

/// Reads the fields that [`of_suit`] wrote for a mesh: its suit without skins, and its record without the name of the
/// mesh.
pub(crate) fn suit_in(extras: Option<&Extra>) -> Option<(Suit, SkinPart)> {
    let suit = extras?.get(SUIT)?;
    let name = |key: &str| Some(Name::from_text(suit.get(key)?.as_str()?).0);
    let word = |key: &str| suit.get(key).and_then(Extra::as_u32).unwrap_or(0);
    let skin =
        SkinPart { bone: name(BONE)?, censor: word(CENSOR), unknown: word(SKIN_WORD), ..SkinPart::default() };
    Some((Suit { name: name(NAME)?, kind: word(TYPE), unknown: word(WORD), ..Suit::default() }, skin))
}

/// Gives the events among a clip's extras to the motions of their bones; returns how many could not be stored.
pub(crate) fn take_events(clip: &Clip, anim: &mut Anim) -> usize {
    let mut lost = 0_usize;
    for group in list(clip.extras.as_ref(), EVENTS) {
        let mut times = Vec::new();
        for event in list(Some(group), TIMES) {
            let time = event.get(TIME).and_then(Extra::as_u32);
            let lists = property_lists(event);
            match time.zip(lists) {
                Some((time, lists)) => times.push(TimeProperty { time, lists }),
                None => lost += 1,
            }
        }
        let bones: Option<SortedSet<String>> = group.get(BONES).map(|bones| {
            bones.items().iter().filter_map(|bone| Some(bone.as_str()?.to_ascii_lowercase())).collect()
        });
        // Number of named bones, or of all bones, without motion.
        let mut without = bones.as_ref().map_or(usize::from(anim.motions.is_empty()), SortedSet::len);
        let here = |m: &&mut Motion| {
            bones.as_ref().is_none_or(|b| b.contains(m.bone.text().to_ascii_lowercase().as_str()))
        };
        for motion in anim.motions.iter_mut().filter(here) {
            motion.has_time_properties = Flag::YES;
            motion.time_properties.push(times.clone());
            without = without.saturating_sub(1);
        }
        lost = lost.saturating_add(without.saturating_mul(times.len()));
    }
    lost
}

/// Gives the bones that events and properties among a clip's extras name their new names: an editor that renames bones
/// leaves extras as they are.
#[cfg(feature = "recover")]
pub(crate) fn rename_event_bones(clip: &mut Clip, renames: &[(Name, Name)]) {
    fn within<'e>(extra: &'e mut Extra, key: &str) -> Option<&'e mut Extra> {
        let Extra::Map(fields) = extra else { return None };
        fields.iter_mut().find(|(k, _)| k == key).map(|(_, value)| value)
    }
    let rename = |bone: &mut Extra| {
        let Extra::Text(text) = bone else { return };
        let own = Name::from_text(text).0;
        if let Some((_, new)) = renames.iter().find(|(old, _)| old.matches(&own)) {
            *text = new.text();
        }
    };
    let Some(extras) = &mut clip.extras else { return };
    if let Some(Extra::List(groups)) = within(extras, EVENTS) {
        for group in groups {
            if let Some(Extra::List(bones)) = within(group, BONES) {
                bones.iter_mut().for_each(rename);
            }
        }
    }
    if let Some(Extra::List(motions)) = within(extras, PROPERTIES) {
        motions.iter_mut().filter_map(|motion| within(motion, BONE)).for_each(rename);
    }
}

/// Returns the property lists of an item, or `None` if one is not a list of pairs.
fn property_lists(extra: &Extra) -> Option<Vec<PropertyList>> {
    list(Some(extra), PROPERTIES).iter().map(property_list).collect()
}

fn list<'e>(extra: Option<&'e Extra>, name: &str) -> &'e [Extra] {
    extra.and_then(|extra| extra.get(name)).map_or(&[], Extra::items)
}

/// Returns true if files of The Sims are written with a native field of a scene.
pub fn is_written(field: &str, value: &Extra) -> bool {
    // Events of other games have other fields.
    let is_event = |group: &Extra| group.get("times").is_some();
    NATIVE_FIELDS.contains(&field) && (field != EVENTS || value.items().iter().all(is_event))
}

const NATIVE_FIELDS: &[&str] = &[
    UNKNOWN,
    CAN_TRANSLATE,
    CAN_ROTATE,
    CAN_BLEND,
    WIGGLE_VALUE,
    WIGGLE_POWER,
    PROPERTIES,
    DURATION,
    DISTANCE,
    MOVING,
    SUIT,
    EVENTS,
    REAL_ONLY,
];

const UNKNOWN: &str = "unknown";
const CAN_TRANSLATE: &str = "can_translate";
const CAN_ROTATE: &str = "can_rotate";
const CAN_BLEND: &str = "can_blend";
const WIGGLE_VALUE: &str = "wiggle_value";
const WIGGLE_POWER: &str = "wiggle_power";

/// Returns the fields of a bone in addition to its name and pose, if they differ from a [plain](plain_bone) bone.
pub(crate) fn of_bone(bone: &Bone, budget: &Budget) -> Result<Option<Extra>, ConvertError> {
    let plain = plain_bone();
    let words = [
        (UNKNOWN, bone.unknown, plain.unknown),
        (CAN_TRANSLATE, bone.can_translate, plain.can_translate),
        (CAN_ROTATE, bone.can_rotate, plain.can_rotate),
        (CAN_BLEND, bone.can_blend, plain.can_blend),
    ];
    let floats = [(WIGGLE_VALUE, bone.wiggle_value), (WIGGLE_POWER, bone.wiggle_power)];
    budget.charge_items("extras", (words.len() + floats.len()) as u64, EXTRA)?;
    let mut map: Vec<(String, Extra)> = Vec::new();
    for (name, own, plain) in words {
        if own != plain {
            map.push((name.into(), own.into()));
        }
    }
    for (name, own) in floats {
        if own.get() != 0.0 {
            map.push((name.into(), own.get().into()));
        }
    }
    if !bone.properties.is_empty() {
        map.push((PROPERTIES.into(), of_properties(&bone.properties, budget)?));
    }
    Ok((!map.is_empty()).then_some(Extra::Map(map)))
}

/// Returns a bone with default fields: it may move, rotate and blend.
pub(crate) fn plain_bone() -> Bone {
    Bone { unknown: 1, can_translate: 1, can_rotate: 1, can_blend: 1, ..Bone::default() }
}

/// Gives a [plain](plain_bone) bone what [`of_bone`] says in the extras of a joint.
pub(crate) fn bone_in(extras: Option<&Extra>) -> Bone {
    let plain = plain_bone();
    let Some(extras) = extras else { return plain };
    let word = |name: &str, other: u32| extras.get(name).and_then(Extra::as_u32).unwrap_or(other);
    let float = |name: &str| F32::new(extras.get(name).and_then(Extra::as_f32).unwrap_or(0.0));
    let properties = property_lists(extras).unwrap_or_default();
    Bone {
        unknown: word(UNKNOWN, plain.unknown),
        can_translate: word(CAN_TRANSLATE, plain.can_translate),
        can_rotate: word(CAN_ROTATE, plain.can_rotate),
        can_blend: word(CAN_BLEND, plain.can_blend),
        wiggle_value: float(WIGGLE_VALUE),
        wiggle_power: float(WIGGLE_POWER),
        has_properties: Flag::from(!properties.is_empty()),
        properties,
        ..plain
    }
}

/// The field of a mesh for its stored number of vertices.
pub(crate) const REAL_ONLY: &str = "total_counts_real_only";

/// Returns the stored number of vertices from the extras of a mesh.
pub(crate) fn total_in(extras: Option<&Extra>) -> Total {
    let real_only = extras.and_then(|extras| extras.get(REAL_ONLY)?.as_u32());
    if real_only == Some(1) { Total::RealOnly } else { Total::All }
}

pub(crate) const DURATION: &str = "duration";
pub(crate) const DISTANCE: &str = "distance";
pub(crate) const MOVING: &str = "moving";

fn has_lists(motion: &Motion) -> bool {
    motion.properties.iter().flatten().any(|list| !list.0.is_empty())
}

/// Returns the fields of an animation in addition to its keys and events.
pub(crate) fn of_anim(anim: &Anim, budget: &Budget) -> Result<Vec<(String, Extra)>, ConvertError> {
    let mut out = alloc::vec![(String::from(DURATION), Extra::from(anim.duration.get()))];
    if anim.distance.get() != 0.0 {
        out.push((DISTANCE.into(), Extra::from(anim.distance.get())));
    }
    if !anim.moving.is_set() {
        out.push((MOVING.into(), Extra::Bool(false)));
    }
    let mut lists = Vec::new();
    for motion in anim.motions.iter().filter(|motion| has_lists(motion)) {
        let flat: Vec<_> = motion.properties.iter().flatten().cloned().collect();
        budget.charge_items("extras", 1, 256)?;
        lists.push(Extra::Map(alloc::vec![
            (BONE.into(), Extra::Text(motion.bone.text())),
            (PROPERTIES.into(), of_properties(&flat, budget)?),
        ]));
    }
    if !lists.is_empty() {
        out.push((PROPERTIES.into(), Extra::List(lists)));
    }
    Ok(out)
}

/// Returns true if [`of_anim`] returns fields that [`take_anim`] cannot derive.
pub(crate) fn says_more(anim: &Anim) -> bool {
    anim.distance.get() != 0.0 || !anim.moving.is_set() || anim.motions.iter().any(has_lists)
}

/// Gives an animation the extras that [`of_anim`] wrote to a clip. Ignores a duration that does not fit the number of
/// frames, as after an edit of the clip's length.
pub(crate) fn take_anim(clip: &Clip, anim: &mut Anim) {
    let Some(extras) = &clip.extras else { return };
    let number = |name: &str| extras.get(name).and_then(Extra::as_f32);
    // The duration is in milliseconds for all frames or for one less, or in seconds at the rate of FreeSO's exporter.
    let frames = f64::from(anim.frames());
    let is_own = |duration: f32| {
        let wide = f64::from(duration);
        let of_game = wide * f64::from(FRAME_RATE) / 1000.0;
        (-0.05..=1.05).contains(&(frames - of_game)) || (-1.5..=1.5).contains(&(frames - wide * EXPORTED))
    };
    if let Some(duration) = number(DURATION).filter(|duration| is_own(*duration)) {
        for motion in &mut anim.motions {
            motion.duration = F32::new(duration);
        }
        anim.duration = F32::new(duration);
    }
    if let Some(distance) = number(DISTANCE) {
        anim.distance = F32::new(distance);
    }
    if let Some(moving) = extras.get(MOVING).and_then(Extra::as_u32) {
        anim.moving = Flag::from(moving != 0);
    }
    for own in list(Some(extras), PROPERTIES) {
        let bone = own.get(BONE).and_then(Extra::as_str).map(|text| Name::from_text(text).0);
        let (Some(bone), Some(lists)) = (bone, property_lists(own)) else { continue };
        for motion in anim.motions.iter_mut().filter(|motion| motion.bone.matches(&bone)) {
            motion.has_properties = Flag::YES;
            motion.properties.push(lists.clone());
        }
    }
}

/// Frame rate of FreeSO's exporter, whose durations are in seconds.
const EXPORTED: f64 = 36.0;

fn property_list(extra: &Extra) -> Option<PropertyList> {
    let short = |text: &str| Some(Name::from_text(text).0).filter(|n| n.bytes().len() <= 255);
    let mut pairs = Vec::new();
    match extra {
        Extra::Map(map) => {
            for (k, v) in map {
                let Extra::Text(v) = v else { return None };
                pairs.push((short(k)?, short(v)?));
            }
        }
        Extra::List(list) => {
            for both in list {
                let Extra::List(both) = both else { return None };
                let [Extra::Text(k), Extra::Text(v)] = both.as_slice() else { return None };
                pairs.push((short(k)?, short(v)?));
            }
        }
        _ => return None,
    }
    Some(PropertyList(pairs))
}
