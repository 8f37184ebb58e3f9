//! Events and properties as extras of a scene, and back.

use crate::anim::{Anim, Motion, TimeProperty};
use crate::fields::Flag;
use crate::name::Name;
use crate::props::PropertyList;
use crate::ts1::{SkinPart, Suit};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::{Budget, Clip, ConvertError, Extra};

const EVENTS: &str = "events";
const BONES: &str = "bones";
const TIMES: &str = "times";
const TIME: &str = "time_ms";
const PROPERTIES: &str = "properties";

/// All events: groups of the same events at the same times, with their bones where those are not all there are.
pub(crate) fn of_events(anim: &Anim, budget: &Budget) -> Result<Vec<(String, Extra)>, ConvertError> {
    // FreeSO repeats the same list on every motion.
    let mut lists: BTreeMap<&[Vec<TimeProperty>], Vec<&Motion>> = BTreeMap::new();
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

/// Bytes of a named value.
pub(crate) const EXTRA: usize = size_of::<(String, Extra)>() + 32;

/// Property lists as a list of maps. A list that has a key twice, which no map can hold, is one of pairs.
pub(crate) fn of_properties(lists: &[PropertyList], budget: &Budget) -> Result<Extra, ConvertError> {
    let mut out = budget.reserve("extras", lists.len())?;
    for list in lists {
        budget.charge_items("extras", list.0.len() as u64, EXTRA)?;
        // A byte of Windows-1252 takes up to three of UTF-8.
        budget.charge_items("extras", (usize::try_from(list.size()).unwrap_or(usize::MAX)) as u64, 3)?;
        let pairs = list.0.iter().map(|(k, v)| (k.text(), Extra::Text(v.text())));
        let keys: BTreeSet<_> = list.0.iter().map(|(k, _)| k.bytes()).collect();
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

/// What a suit says of itself and of one of its skins.
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

/// What [`of_suit`] says of a mesh: its suit without skins, and its record there without the name of the mesh.
pub(crate) fn suit_in(extras: Option<&Extra>) -> Option<(Suit, SkinPart)> {
    let suit = field(extras?, SUIT)?;
    let name = |key: &str| match field(suit, key) {
        Some(Extra::Text(text)) => Some(Name::from_text(text).0),
        _ => None,
    };
    let word = |key: &str| match field(suit, key) {
        Some(Extra::Int(n)) => u32::try_from(*n).unwrap_or(0),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
        Some(Extra::Float(n)) if (0.0..=f64::from(u32::MAX)).contains(n) => *n as u32,
        _ => 0,
    };
    let skin =
        SkinPart { bone: name(BONE)?, censor: word(CENSOR), unknown: word(SKIN_WORD), ..SkinPart::default() };
    Some((Suit { name: name(NAME)?, kind: word(TYPE), unknown: word(WORD), ..Suit::default() }, skin))
}

/// Gives the events among a clip's extras to the motions of their bones; returns how many could not be stored.
pub(crate) fn take_events(clip: &Clip, anim: &mut Anim) -> usize {
    let mut lost = 0_usize;
    for group in list(clip.extras.as_ref().and_then(|e| field(e, EVENTS))) {
        let mut times = Vec::new();
        for event in list(field(group, TIMES)) {
            let time = match field(event, TIME) {
                Some(Extra::Int(ms)) => u32::try_from(*ms).ok(),
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
                Some(Extra::Float(ms)) if (0.0..=f64::from(u32::MAX)).contains(ms) => Some(*ms as u32),
                _ => None,
            };
            let lists = list(field(event, PROPERTIES)).iter().map(property_list).collect::<Option<_>>();
            match time.zip(lists) {
                Some((time, lists)) => times.push(TimeProperty { time, lists }),
                None => lost += 1,
            }
        }
        let bones: Option<BTreeSet<String>> = field(group, BONES).map(|bones| {
            let text = |e: &Extra| if let Extra::Text(t) = e { Some(t.to_ascii_lowercase()) } else { None };
            list(Some(bones)).iter().filter_map(text).collect()
        });
        // How many of the bones that are named, or of all, have no motion.
        let mut without = bones.as_ref().map_or(usize::from(anim.motions.is_empty()), BTreeSet::len);
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

/// Gives the bones that events among a clip's extras name their new names: an editor that renames bones leaves extras as
/// they are.
#[cfg(feature = "recover")]
pub fn rename_event_bones(clip: &mut Clip, renames: &[(Name, Name)]) {
    fn within<'e>(extra: &'e mut Extra, key: &str) -> Option<&'e mut Extra> {
        let Extra::Map(fields) = extra else { return None };
        fields.iter_mut().find(|(k, _)| k == key).map(|(_, value)| value)
    }
    let Some(Extra::List(groups)) = clip.extras.as_mut().and_then(|e| within(e, EVENTS)) else { return };
    for group in groups {
        let Some(Extra::List(bones)) = within(group, BONES) else { continue };
        for bone in bones {
            let Extra::Text(text) = bone else { continue };
            let own = Name::from_text(text).0;
            if let Some((_, new)) = renames.iter().find(|(old, _)| old.matches(&own)) {
                *text = new.text();
            }
        }
    }
}

fn property_list(extra: &Extra) -> Option<PropertyList> {
    let short = |text: &str| Some(Name::from_text(text).0).filter(|n| n.bytes().len() <= 255);
    let pair = |k: &str, v: &Extra| match v {
        Extra::Text(v) => Some((short(k)?, short(v)?)),
        _ => None,
    };
    let of_list = |e: &Extra| match e {
        Extra::List(both) => match both.as_slice() {
            [Extra::Text(k), v] => pair(k, v),
            _ => None,
        },
        _ => None,
    };
    let pairs: Option<_> = match extra {
        Extra::Map(map) => map.iter().map(|(k, v)| pair(k, v)).collect(),
        Extra::List(list) => list.iter().map(of_list).collect(),
        _ => None,
    };
    pairs.map(PropertyList)
}

fn field<'e>(extra: &'e Extra, name: &str) -> Option<&'e Extra> {
    match extra {
        Extra::Map(map) => map.iter().find(|(k, _)| k == name).map(|(_, v)| v),
        _ => None,
    }
}

fn list(extra: Option<&Extra>) -> &[Extra] {
    match extra {
        Some(Extra::List(list)) => list,
        _ => &[],
    }
}
