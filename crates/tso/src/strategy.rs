//! Generators of valid models from raw bits, for property tests.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "generators of test values")]

use crate::anim::{Anim, Motion, Nesting, TimeProperty};
use crate::bnd::{Bnd, ResourceId};
use crate::fields::Flag;
use crate::mesh::{BLEND_UNUSED, Binding, BlendVertex, Geometry, Mesh, RealVertex, Total};
use crate::name::Name;
use crate::outfit::{Apr, Col, ColItem, FileRef, Hag, Oft, Po, Region};
use crate::props::PropertyList;
use crate::skel::{Bone, Skel};
use crate::ts1::{
    Bcf, Bmf, Cfp, Character, CharacterBone, CharacterSkeleton, Cmx, Skill, SkillEvent, SkillMotion,
    SkinPart, Skn, Suit,
};
use meshwright_core::F32;
use meshwright_core::num::Q1_15;
use proptest::collection::vec;
use proptest::prelude::*;
use std::vec::Vec;

/// Generates any finite float: an exponent of all ones is reduced by one.
pub fn finite() -> impl Strategy<Value = F32> + Clone {
    any::<u32>().prop_map(|bits| {
        let value = F32::from_bits(bits);
        if value.is_finite() { value } else { F32::from_bits(bits ^ 0x0080_0000) }
    })
}

/// Returns a float that a coordinate could have.
pub fn modest() -> impl Strategy<Value = F32> + Clone {
    (-8.0_f32..8.0).prop_map(F32::new)
}

/// Generates any name of up to 12 bytes.
pub fn name() -> impl Strategy<Value = Name> + Clone {
    vec(any::<u8>(), 0..12).prop_map(Name::new)
}

/// Generates a name that fits on a line of text.
pub fn line_name() -> impl Strategy<Value = Name> + Clone {
    "[!-~\u{a1}-\u{ff}]{0,6}( [!-~]{1,6})?".prop_map(|text| {
        let (name, _) = Name::from_text(&text);
        Name::new(name.bytes().trim_ascii())
    })
}

fn flag() -> impl Strategy<Value = Flag> + Clone {
    prop_oneof![Just(Flag::NO), Just(Flag::YES), any::<u8>().prop_map(Flag)]
}

fn property_list() -> impl Strategy<Value = PropertyList> + Clone {
    vec((name(), name()), 0..3).prop_map(PropertyList)
}

/// Returns a geometry that obeys all rules, of the given floats and names.
///
/// Bindings come in any order, runs of vertices in any other.
pub fn geometry(
    float: impl Strategy<Value = F32> + Clone + 'static,
    names: impl Strategy<Value = Name> + Clone + 'static,
) -> impl Strategy<Value = Geometry> {
    let triple = || [float.clone(), float.clone(), float.clone()];
    let real = ([float.clone(), float.clone()], triple(), triple())
        .prop_map(|(uv, position, normal)| RealVertex { uv, position, normal });
    let blend = ((0..=0x8000_u32).prop_map(Q1_15::from_bits), any::<u32>(), triple(), triple())
        .prop_map(|(weight, target, position, normal)| BlendVertex { weight, target, position, normal });
    let runs = vec((0_usize..4, 0_usize..3, any::<u32>(), any::<u32>()), 1..5);
    (vec(names, 4), 0_usize..3, runs, any::<bool>())
        .prop_flat_map(move |(names, spare, runs, total)| {
            let real_count: usize = runs.iter().map(|r| r.0).sum();
            let blend_count: usize = if real_count == 0 { 0 } else { runs.iter().map(|r| r.1).sum() };
            let bones = (runs.len() + spare).min(4);
            let order = Just((0..runs.len()).collect::<Vec<_>>());
            let faces = vec([any::<u32>(), any::<u32>(), any::<u32>()], 0..6);
            (
                Just((names, bones, runs, total)),
                (order.clone().prop_shuffle(), order.clone().prop_shuffle(), order.prop_shuffle()),
                (vec(real.clone(), real_count), vec(blend.clone(), blend_count), faces),
            )
        })
        .prop_map(
            |(
                (mut bones, bone_count, runs, total),
                (who, reals, blend_runs),
                (real, mut blends, mut faces),
            )| {
                bones.truncate(bone_count);
                let mut bindings: Vec<_> = runs
                    .iter()
                    .zip(&who)
                    .map(|((_, _, first_real, first_blend), bone)| Binding {
                        bone: u32::try_from(*bone).unwrap_or(0),
                        first_real: *first_real,
                        first_blend: if first_blend % 2 == 0 { BLEND_UNUSED } else { *first_blend },
                        ..Binding::default()
                    })
                    .collect();
                let mut next = 0;
                for i in reals {
                    let n = u32::try_from(runs[i].0).unwrap_or(0);
                    if n > 0 {
                        (bindings[i].first_real, bindings[i].real_count) = (next, n);
                    }
                    next += n;
                }
                next = 0;
                for i in blend_runs {
                    let n = u32::try_from(runs[i].1).unwrap_or(0);
                    if n > 0 && !blends.is_empty() {
                        (bindings[i].first_blend, bindings[i].blend_count) = (next, n);
                    }
                    next += n;
                }
                let n = u32::try_from(real.len()).unwrap_or(0);
                if n == 0 {
                    faces.clear();
                }
                faces.iter_mut().flatten().for_each(|v| *v %= n);
                blends.iter_mut().for_each(|b| b.target %= n);
                let total = if total && !blends.is_empty() { Total::RealOnly } else { Total::All };
                Geometry { bones, faces, bindings, real, blends, total }
            },
        )
}

/// Returns a `.mesh` that obeys all rules.
pub fn mesh() -> impl Strategy<Value = Mesh> {
    geometry(finite(), name()).prop_map(|geometry| Mesh { geometry, trailing: Vec::new() })
}

/// Returns a `.mesh` with names and coordinates that a character could have.
pub fn modest_mesh() -> impl Strategy<Value = Mesh> {
    let names = prop_oneof![
        Just(Name::from("ROOT")),
        Just(Name::from("Pelvis")),
        Just(Name::from("SPINE")),
        Just(Name::from("TAIL")),
    ];
    geometry(modest(), names).prop_map(|geometry| Mesh { geometry, trailing: Vec::new() })
}

/// Returns a `.bmf` that obeys all rules.
pub fn bmf() -> impl Strategy<Value = Bmf> {
    (name(), name(), geometry(finite(), name()))
        .prop_map(|(skin, texture, geometry)| Bmf::new(skin, texture, geometry))
}

/// Returns a `.skn` that obeys all rules, without a text.
pub fn skn() -> impl Strategy<Value = Skn> {
    (line_name(), line_name(), geometry(finite(), line_name()))
        .prop_map(|(skin, texture, geometry)| Skn::new(skin, texture, geometry))
}

/// Returns a `.skel` that obeys all rules: bones in any order, of the given floats.
pub fn skel(float: impl Strategy<Value = F32> + Clone + 'static) -> impl Strategy<Value = Skel> {
    let f = move || float.clone();
    let bone = (
        (any::<u32>(), name(), any::<proptest::sample::Index>()),
        (flag(), vec(property_list(), 0..3)),
        ([f(), f(), f()], [f(), f(), f(), f()]),
        (any::<[u32; 3]>(), f(), f()),
    );
    (name(), vec(bone, 0..7))
        .prop_map(|(own, parts)| {
            let mut names: Vec<Name> = Vec::new();
            let mut bones = Vec::new();
            for (i, ((unknown, name, parent), (flag, lists), (t, r), (can, value, power))) in
                parts.into_iter().enumerate()
            {
                // A digit in front makes names differ, whatever the case of letters.
                let mut bytes = name.bytes().to_vec();
                bytes.insert(0, b'0' + u8::try_from(i).unwrap_or(0));
                let above = (i > 0).then(|| names.get(parent.index(i + 1))).flatten();
                bones.push(Bone {
                    unknown,
                    name: Name::new(bytes.clone()),
                    parent: above.cloned().unwrap_or_else(|| Name::from("NULL")),
                    has_properties: flag,
                    properties: if flag.is_set() { lists } else { Vec::new() },
                    translation: t,
                    rotation: r,
                    can_translate: can[0],
                    can_rotate: can[1],
                    can_blend: can[2],
                    wiggle_value: value,
                    wiggle_power: power,
                });
                names.push(Name::new(bytes));
            }
            (own, bones)
        })
        .prop_flat_map(|(name, bones)| (Just(name), Just(bones).prop_shuffle()))
        .prop_map(|(name, bones)| Skel { name, bones, trailing: Vec::new() })
}

/// Returns a small skeleton of the bones that [`modest_mesh`] names but one.
pub fn modest_skel() -> impl Strategy<Value = Skel> {
    let part = ([modest(), modest(), modest()], [modest(), modest(), modest(), modest()]);
    vec(part, 3).prop_map(|parts| {
        let names = [("ROOT", "NULL"), ("PELVIS", "root"), ("SPINE", "PELVIS")];
        let bone = |((name, parent), (translation, rotation)): ((&str, &str), _)| Bone {
            name: name.into(),
            parent: parent.into(),
            translation,
            rotation,
            ..Bone::default()
        };
        Skel { bones: names.into_iter().zip(parts).map(bone).collect(), ..Skel::default() }
    })
}

/// The parts of a motion.
type MotionParts = (
    (u32, Name, u32, F32),
    (Flag, Flag, u32, u32),
    (Flag, Vec<Vec<PropertyList>>),
    (Flag, Vec<Vec<TimeProperty>>),
);

/// Returns an `.anim` that obeys all rules, of the given floats and bones.
pub fn anim(
    float: impl Strategy<Value = F32> + Clone + 'static,
    bones: impl Strategy<Value = Name> + Clone + 'static,
) -> impl Strategy<Value = Anim> {
    let f = move || float.clone();
    let event =
        (any::<u32>(), vec(property_list(), 0..3)).prop_map(|(time, lists)| TimeProperty { time, lists });
    let motion = (
        (any::<u32>(), bones, 0_u32..4, finite()),
        (flag(), flag(), any::<u32>(), any::<u32>()),
        (flag(), vec(vec(property_list(), 0..3), 0..3)),
        (flag(), vec(vec(event, 0..3), 0..3)),
    );
    let keys = (vec([f(), f(), f()], 0..9), vec([f(), f(), f(), f()], 0..9));
    let head = (name(), finite(), finite(), flag(), any::<bool>());
    (head, keys, vec(motion, 0..4)).prop_map(|((name, duration, distance, moving, two), keys, parts)| {
        let (translations, rotations) = keys;
        // Runs stay within the keys: a first key that leaves no room is moved down, a run too long is cut.
        let fit = |first: u32, frames: u32, keys: usize| {
            let keys = u32::try_from(keys).unwrap_or(0);
            first % (keys.saturating_sub(frames) + 1)
        };
        let most = u32::try_from(translations.len().min(rotations.len())).unwrap_or(0);
        let motion = |((unknown, bone, frames, duration), (t, r, ft, fr), (p, mut lists), (e, events)): MotionParts| {
            let frames = frames.min(most);
            if two {
                lists.iter_mut().for_each(|l| l.truncate(1));
                lists.retain(|l| l.len() == 1);
            }
            Motion {
                unknown,
                bone,
                frames,
                duration,
                has_translation: t,
                has_rotation: r,
                first_translation: if t.is_set() { fit(ft, frames, translations.len()) } else { ft },
                first_rotation: if r.is_set() { fit(fr, frames, rotations.len()) } else { fr },
                has_properties: p,
                properties: if p.is_set() { lists } else { Vec::new() },
                has_time_properties: e,
                time_properties: if e.is_set() { events } else { Vec::new() },
            }
        };
        let motions = parts.into_iter().map(motion).collect();
        let nesting = if two { Nesting::Two } else { Nesting::Three };
        let mut anim = Anim {
            name,
            duration,
            distance,
            moving,
            motions,
            translations: translations.clone(),
            rotations: rotations.clone(),
            nesting,
            trailing: Vec::new(),
        };
        // A file that can also be read as lists of lists cannot be written with the other nesting.
        if anim.nesting == Nesting::Two && anim.to_bytes().is_err() {
            anim.motions.iter_mut().for_each(|m| m.properties.clear());
            anim.nesting = Nesting::Three;
        }
        anim
    })
}

/// Returns a `.bnd`.
pub fn bnd() -> impl Strategy<Value = Bnd> {
    let id = || {
        proptest::option::of(any::<[u32; 3]>().prop_map(|[group, file, kind]| ResourceId {
            group,
            file,
            kind,
        }))
    };
    (name(), id(), id()).prop_map(|(bone, mesh, texture)| Bnd { bone, mesh, texture, trailing: Vec::new() })
}

fn list_of(
    names: impl Strategy<Value = Name> + Clone + 'static,
) -> impl Strategy<Value = PropertyList> + Clone {
    vec((names.clone(), names), 0..3).prop_map(PropertyList)
}

/// Generates bones with different names, each with an earlier one as parent, in any order.
fn character_skeleton(
    names: impl Strategy<Value = Name> + Clone + 'static,
) -> impl Strategy<Value = CharacterSkeleton> {
    let f = finite;
    let bone = (
        (names.clone(), any::<proptest::sample::Index>(), vec(list_of(names.clone()), 0..3)),
        ([f(), f(), f()], [f(), f(), f(), f()]),
        (any::<[u32; 3]>(), f(), f()),
    );
    (names, vec(bone, 0..5))
        .prop_map(|(own, parts)| {
            let mut bones: Vec<CharacterBone> = Vec::new();
            for (i, ((name, parent, properties), (translation, rotation), (can, value, power))) in
                parts.into_iter().enumerate()
            {
                let mut bytes = name.bytes().to_vec();
                bytes.insert(0, b'0' + u8::try_from(i).unwrap_or(0));
                let above = (i > 0).then(|| bones.get(parent.index(i + 1))).flatten();
                let parent = above.map_or_else(|| Name::from("NULL"), |b| b.name.clone());
                bones.push(CharacterBone {
                    name: Name::new(bytes),
                    parent,
                    properties,
                    translation,
                    rotation,
                    can_translate: can[0],
                    can_rotate: can[1],
                    can_blend: can[2],
                    wiggle_value: value,
                    wiggle_power: power,
                });
            }
            (own, bones)
        })
        .prop_flat_map(|(name, bones)| (Just(name), Just(bones).prop_shuffle()))
        .prop_map(|(name, bones)| CharacterSkeleton { name, bones })
}

fn skill(names: impl Strategy<Value = Name> + Clone + 'static) -> impl Strategy<Value = Skill> {
    let event =
        (any::<u32>(), list_of(names.clone())).prop_map(|(time, properties)| SkillEvent { time, properties });
    let motion = (
        (names.clone(), 0_u32..4, finite()),
        (0_u32..3, 0_u32..3, any::<u32>(), any::<u32>()),
        (vec(list_of(names.clone()), 0..3), vec(vec(event, 0..3), 0..3)),
    );
    let head = (names.clone(), names, finite(), finite(), any::<u32>(), 4_u32..20, 4_u32..20);
    (head, vec(motion, 0..4)).prop_map(|((name, keys, duration, distance, moving, t, r), motions)| {
        let motion = |((bone, frames, duration), (ht, hr, ft, fr), (properties, events))| SkillMotion {
            bone,
            frames,
            duration,
            has_translation: ht,
            has_rotation: hr,
            // Keys that are used lie within those that there are.
            first_translation: if ht > 0 { ft % (t - frames + 1) } else { ft },
            first_rotation: if hr > 0 { fr % (r - frames + 1) } else { fr },
            properties,
            events,
        };
        let motions = motions.into_iter().map(motion).collect();
        Skill { name, keys, duration, distance, moving, translations: t, rotations: r, motions }
    })
}

/// Generates records of all kinds that obey all rules, with the given names.
pub fn character(names: impl Strategy<Value = Name> + Clone + 'static) -> impl Strategy<Value = Character> {
    let skin = (names.clone(), names.clone(), any::<[u32; 2]>())
        .prop_map(|(bone, skin, [censor, unknown])| SkinPart { bone, skin, censor, unknown });
    let suit = (names.clone(), any::<[u32; 2]>(), vec(skin, 0..3))
        .prop_map(|(name, [kind, unknown], skins)| Suit { name, kind, unknown, skins });
    (vec(character_skeleton(names.clone()), 0..3), vec(suit, 0..3), vec(skill(names), 0..3))
        .prop_map(|(skeletons, suits, skills)| Character { skeletons, suits, skills })
}

/// Returns a `.bcf` that obeys all rules; some names are so long that their length takes more than a byte.
pub fn bcf() -> impl Strategy<Value = Bcf> {
    let long = vec(any::<u8>(), 250..300).prop_map(Name::new);
    let names = prop_oneof![9 => name().boxed(), 1 => long.boxed()];
    character(names).prop_map(Bcf::new)
}

/// Returns a `.cmx` that obeys all rules, without a text.
pub fn cmx() -> impl Strategy<Value = Cmx> {
    let comment =
        prop_oneof![Just(Name::default()), line_name().prop_map(|n| Name::new([b"//", n.bytes()].concat()))];
    (character(line_name()), vec(comment, 0..3)).prop_map(|(character, comments)| {
        let mut cmx = Cmx::new(character);
        cmx.comments = comments;
        cmx
    })
}

/// Returns a `.cfp` that obeys all rules: numbers of any size, runs, and steps.
pub fn cfp() -> impl Strategy<Value = Cfp> {
    let step = prop_oneof![
        finite().prop_map(|v| (Some(v), 1_usize)),
        (0_usize..9).prop_map(|n| (None, n)),
        modest().prop_map(|v| (Some(v), 2_usize)),
    ];
    vec(step, 0..20).prop_map(|steps| {
        let mut values: Vec<F32> = Vec::new();
        for (value, n) in steps {
            let last = values.last().copied().unwrap_or_default();
            values.extend(std::iter::repeat_n(value.unwrap_or(last), n));
        }
        Cfp::new(values)
    })
}

fn file_ref() -> impl Strategy<Value = FileRef> + Clone {
    any::<[u32; 2]>().prop_map(|[file, kind]| FileRef { file, kind })
}

/// Returns an `.apr` that obeys all rules.
pub fn apr() -> impl Strategy<Value = Apr> {
    (file_ref(), vec(file_ref(), 0..6)).prop_map(|(thumbnail, bindings)| Apr {
        thumbnail,
        bindings,
        ..Apr::default()
    })
}

/// Returns an `.oft` that obeys all rules.
pub fn oft() -> impl Strategy<Value = Oft> {
    ([file_ref(), file_ref(), file_ref()], any::<[u32; 3]>()).prop_map(
        |(appearances, [unknown, hands, region])| Oft {
            unknown,
            appearances,
            hands,
            region: Region(region),
            ..Oft::default()
        },
    )
}

/// Returns a `.hag` that obeys all rules.
pub fn hag() -> impl Strategy<Value = Hag> {
    vec(file_ref(), 18).prop_map(|all| {
        let mut hag = Hag::default();
        hag.appearances.iter_mut().zip(all).for_each(|(slot, r)| *slot = r);
        hag
    })
}

/// Returns a `.po` that obeys all rules.
pub fn po() -> impl Strategy<Value = Po> {
    let link = || {
        proptest::option::of(any::<[u32; 3]>().prop_map(|[group, file, kind]| ResourceId {
            group,
            file,
            kind,
        }))
    };
    (any::<u32>(), link(), link()).prop_map(|(unknown, outfit, collection)| Po {
        unknown,
        outfit,
        collection,
        ..Po::default()
    })
}

/// Returns a `.col` that obeys all rules.
pub fn col() -> impl Strategy<Value = Col> {
    let item = (any::<u32>(), file_ref()).prop_map(|(index, purchasable)| ColItem { index, purchasable });
    vec(item, 0..6).prop_map(|items| Col { items, ..Col::default() })
}
