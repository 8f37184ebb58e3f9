//! The dump of The Sims' files: vertices in the space of their bones, pulls, bones, keys, events, bindings.

use super::item::{Fields, Item, fields};
use crate::formats::Companions;
use crate::formats::dump_part::{Dumped, Own};
use meshwright_core::SortedSet;
use meshwright_tso::{
    Anim, Apr, Bcf, Binding, BlendVertex, Bmf, Bnd, Bone, Cfp, Character, CharacterBone, CharacterSkeleton,
    Cmx, Col, FRAME_RATE, FileRef, Geometry, Hag, Mesh, Motion, Name, Nesting, Oft, Po, PropertyList,
    RealVertex, ResourceId, Skel, Skill, SkillMotion, Skn, Suit, TimeProperty, Total,
};
use std::borrow::Cow;

impl Dumped for Mesh {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        shape(&self.geometry, &self.trailing)
    }
}

macro_rules! skins {
    ($($model:ty),+) => {$(
        impl Dumped for $model {
            fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
                let mut own = shape(&self.geometry, &self.trailing);
                own.native.extend(fields! { skin: self.skin.text(), texture: self.texture.text() });
                own
            }
        }
    )+};
}

skins!(Bmf, Skn);

impl Dumped for Skel {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        let native = fields! {
            name: self.name.text(),
            bones: Item::each(&self.bones, bone),
            trailing: trailing(&self.trailing),
        };
        Own { native, ..Own::default() }
    }
}

impl Dumped for Anim {
    fn own_part<'m>(&'m self, companions: &'m Companions) -> Own<'m> {
        let native = fields! {
            name: self.name.text(),
            duration: self.duration,
            distance: self.distance,
            moving: self.moving.0,
            translations: Item::values(&self.translations),
            rotations: Item::values(&self.rotations),
            motions: Item::each(&self.motions, motion),
            nesting: match self.nesting {
                Nesting::Three => 3_u32,
                Nesting::Two => 2,
            },
            trailing: trailing(&self.trailing),
        };
        // Without a skeleton there is nothing to move.
        let alone = companions.one::<Skel>().is_none();
        Own {
            clips: alone.then(|| Item::list(move || [clip(self)])),
            meshes: alone.then(Item::empty),
            native,
            ..Own::default()
        }
    }
}

macro_rules! characters {
    ($($model:ident),+) => {$(
        impl Dumped for $model {
            fn own_part<'m>(&'m self, companions: &'m Companions) -> Own<'m> {
                Own {
                    meshes: Some(Item::empty()),
                    clips: Some(Item::empty()),
                    native: character(&self.character, companions, &self.trailing),
                    ..Own::default()
                }
            }
        }
    )+};
}

characters!(Bcf, Cmx);

fn character<'m>(c: &'m Character, companions: &'m Companions, behind: &'m [u8]) -> Fields<'m> {
    fields! {
        skeletons: Item::each(&c.skeletons, skeleton),
        suits: Item::each(&c.suits, suit),
        skills: Item::each(&c.skills, move |s| skill(s, companions)),
        trailing: trailing(behind),
    }
}

fn skeleton(s: &CharacterSkeleton) -> Fields<'_> {
    fields! {
        name: s.name.text(),
        bones: Item::each(&s.bones, move |b| character_bone(s, b)),
    }
}

fn character_bone<'m>(s: &'m CharacterSkeleton, b: &'m CharacterBone) -> Fields<'m> {
    let parent = s.bones.iter().position(|other| other.name.matches(&b.parent));
    fields! {
        name: b.name.text(),
        parent: parent.map_or(-1, |i| i64::try_from(i).unwrap_or(i64::MAX)),
        parent_name: b.parent.text(),
        props: pairs_of(&b.properties),
        translation: b.translation,
        rotation_xyzw: b.rotation,
        can_translate: b.can_translate,
        can_rotate: b.can_rotate,
        can_blend: b.can_blend,
        wiggle_value: b.wiggle_value,
        wiggle_power: b.wiggle_power,
    }
}

fn suit(s: &Suit) -> Fields<'_> {
    fields! {
        name: s.name.text(),
        r#type: s.kind,
        unknown: s.unknown,
        skins: Item::each(&s.skins, |skin| fields! {
            bone: skin.bone.text(),
            skin: skin.skin.text(),
            censor: skin.censor,
            unknown: skin.unknown,
        }),
    }
}

/// Returns a skill, with its keys if they are available.
fn skill<'m>(s: &'m Skill, companions: &'m Companions) -> Fields<'m> {
    let mut all = fields! {
        name: s.name.text(),
        keys: s.keys.text(),
        duration: s.duration,
        distance: s.distance,
        moving: s.moving,
        translation_count: s.translations,
        rotation_count: s.rotations,
        playback_fps: f64::from(FRAME_RATE),
        frames: s.frames(),
        motions: Item::each(&s.motions, skill_motion),
    };
    let keys = crate::formats::sims_keys(&companions.files, &s.keys);
    if let Some(Anim { translations, rotations, .. }) = keys.and_then(|keys| s.to_anim(keys)) {
        all.extend(fields! {
            translations: Item::list(move || translations.clone()),
            rotations: Item::list(move || rotations.clone()),
        });
    }
    all
}

fn skill_motion(m: &SkillMotion) -> Fields<'_> {
    fields! {
        bone: m.bone.text(),
        frames: m.frames,
        duration: m.duration,
        has_translation: m.has_translation,
        has_rotation: m.has_rotation,
        first_translation: m.first_translation,
        first_rotation: m.first_rotation,
        properties: pairs_of(&m.properties),
        time_properties: Item::each(&m.events, |events| Item::each(events, |e| fields! {
            time_ms: e.time,
            pairs: pairs(&e.properties),
        })),
    }
}

/// Dumps property lists as lists of pairs.
fn pairs_of(lists: &[PropertyList]) -> Item<'_> {
    Item::each(lists, pairs)
}

fn pairs(list: &PropertyList) -> Item<'_> {
    Item::each(&list.0, |(k, v)| Item::list(move || [k.text(), v.text()]))
}

macro_rules! outfits {
    ($($ty:ident: |$m:ident| $native:expr;)+) => {$(
        impl Dumped for $ty {
            fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
                let $m = self;
                let mut native = $native;
                native.extend(fields! { trailing: trailing(&$m.trailing) });
                Own { meshes: Some(Item::empty()), clips: Some(Item::empty()), native, ..Own::default() }
            }
        }
    )+};
}

outfits! {
    Apr: |m| fields! {
        version: 1_u32,
        thumbnail: pair(m.thumbnail),
        bindings: Item::each(&m.bindings, |r| pair(*r)),
    };
    Oft: |m| fields! {
        version: 1_u32,
        unknown: m.unknown,
        appearances: Item::each(&m.appearances, |r| pair(*r)),
        hand_group: m.hands,
        region: m.region.0,
    };
    Hag: |m| fields! {
        version: 1_u32,
        hands: Item::each(&m.appearances, |r| pair(*r)),
    };
    Po: |m| fields! {
        version: 2_u32,
        gender: m.unknown,
        outfit: m.outfit.map(|id| [id.group, id.file, id.kind]),
        collection: m.collection.map(|id| [id.group, id.file, id.kind]),
    };
    Col: |m| fields! {
        items: Item::each(&m.items, |i| [i.index, i.purchasable.file, i.purchasable.kind]),
    };
}

fn pair(r: FileRef) -> [u32; 2] {
    [r.file, r.kind]
}

impl Dumped for Cfp {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        Own {
            meshes: Some(Item::empty()),
            native: fields! { values: Item::values(&self.values) },
            ..Own::default()
        }
    }
}

impl Dumped for Bnd {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        Own {
            meshes: Some(Item::empty()),
            native: fields! {
                bone: self.bone.text(),
                mesh: self.mesh.map(id),
                texture: self.texture.map(id),
                trailing: trailing(&self.trailing),
            },
            ..Own::default()
        }
    }
}

/// Bytes after the last field; most files have none.
fn trailing(bytes: &[u8]) -> Item<'_> {
    Item::Hex(Cow::Borrowed(bytes))
}

/// Lists the fields of an animation like those of a clip.
fn clip(anim: &Anim) -> Fields<'_> {
    fields! {
        name: anim.name.text(),
        frames: anim.frames().max(1),
        fps: f64::from(FRAME_RATE),
        r#loop: false,
    }
}

fn id<'m>(id: ResourceId) -> Fields<'m> {
    fields! { group: id.group, file: id.file, r#type: id.kind }
}

fn texts(names: &[Name]) -> Item<'_> {
    Item::each(names, Name::text)
}

/// Dumps the model's own mesh, which is the first of its character.
fn shape<'m>(geometry: &'m Geometry, behind: &'m [u8]) -> Own<'m> {
    let native = fields! {
        meshes: Item::list(move || [shape_fields(geometry)]),
        trailing: trailing(behind),
    };
    Own { native, ..Own::default() }
}

fn shape_fields(g: &Geometry) -> Fields<'_> {
    let all = g.real.len().saturating_add(g.blends.len());
    fields! {
        bone_names: texts(&g.bones),
        bindings: Item::each(&g.bindings, binding),
        real_vertices: Item::each(&g.real, real),
        blend_vertices: Item::each(&g.blends, blend),
        total_vertex_count: match g.total {
            Total::All => Item::from(all),
            Total::RealOnly => g.real.len().into(),
            Total::Other(n) => n.into(),
        },
    }
}

fn binding(b: &Binding) -> Fields<'_> {
    fields! {
        bone: b.bone,
        first_real: b.first_real,
        real_count: b.real_count,
        first_blend: b.first_blend,
        blend_count: b.blend_count,
    }
}

fn real(v: &RealVertex) -> Fields<'_> {
    fields! { uv: v.uv, position: v.position, normal: v.normal }
}

/// Lists the fields of a blend vertex. `weight` is the stored value: 32768 means 1.
fn blend(v: &BlendVertex) -> Fields<'_> {
    fields! {
        weight: v.weight.to_bits(),
        pull: v.weight.decode(),
        other_vertex: v.target,
        position: v.position,
        normal: v.normal,
    }
}

fn bone(bone: &Bone) -> Fields<'_> {
    let mut fields = fields! {
        unknown: bone.unknown,
        name: bone.name.text(),
        parent: bone.parent.text(),
        has_properties: bone.has_properties.0,
        translation: bone.translation,
        rotation: bone.rotation,
        can_translate: bone.can_translate,
        can_rotate: bone.can_rotate,
        can_blend: bone.can_blend,
        wiggle_value: bone.wiggle_value,
        wiggle_power: bone.wiggle_power,
    };
    if !bone.properties.is_empty() {
        fields.extend(fields! { properties: properties(&bone.properties) });
    }
    fields
}

/// Dumps property lists as maps. A list with a duplicate key, which a map cannot have, is dumped as pairs.
fn properties(lists: &[PropertyList]) -> Item<'_> {
    let list = |list: &PropertyList| {
        let keys: SortedSet<_> = list.0.iter().map(|(k, _)| k.text()).collect();
        let pairs = list.0.iter().map(|(k, v)| (k.text(), v.text()));
        if keys.len() == list.0.len() {
            Item::Map(pairs.map(|(k, v)| (Cow::Owned(k), Item::from(v))).collect())
        } else {
            let pairs: Vec<_> = pairs.collect();
            Item::list(move || {
                pairs.clone().into_iter().map(|(k, v)| Item::list(move || [k.clone(), v.clone()]))
            })
        }
    };
    Item::each(lists, list)
}

fn motion(m: &Motion) -> Fields<'_> {
    fields! {
        unknown: m.unknown,
        bone: m.bone.text(),
        frames: m.frames,
        duration: m.duration,
        has_translation: m.has_translation.0,
        has_rotation: m.has_rotation.0,
        first_translation: m.first_translation,
        first_rotation: m.first_rotation,
        has_properties: m.has_properties.0,
        properties: Item::each(&m.properties, |lists| properties(lists)),
        has_time_properties: m.has_time_properties.0,
        time_properties: Item::each(&m.time_properties, |events| Item::each(events, event)),
    }
}

fn event(event: &TimeProperty) -> Fields<'_> {
    fields! { time_ms: event.time, properties: properties(&event.lists) }
}
