//! The dump of a BMD file: levels, packed vertices and primitives, bones, keys.

use super::item::{Fields, Item, fields};
use crate::formats::Companions;
use crate::formats::dump_part::{Dumped, Own};
use meshwright_bmd::{
    Bmd, Bone, Clip, Keys, Lod, MaterialKind, Mesh, Name, Primitive, QuadCount, Step, Stream, Vertex,
};
use meshwright_core::num::{F8A, Se32};
use std::borrow::Cow;

impl Dumped for Bmd {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        Own {
            // A scene has a rate for every clip, and no clips without bones; the file need not.
            clips: Some(Item::each(&self.clips, clip)),
            native: fields! {
                reserved: self.reserved,
                normal_bones: self.normal_bones(),
                bmd_lods: Item::each(&self.lods, lod),
                meshes: Item::each(&self.meshes, mesh),
                bones: Item::list(move || self.bones.iter().enumerate().map(|(i, b)| bone(b, i > 0))),
                clips: Item::each(&self.clips, keys),
            },
            ..Own::default()
        }
    }
}

fn text(name: Option<&Name>) -> Option<String> {
    name.map(Name::text)
}

fn clip(clip: &Clip) -> Fields<'_> {
    fields! {
        name: text(clip.name.as_ref()).unwrap_or_default(),
        frames: clip.frames,
        fps: clip.rate.frames_per_second(),
        r#loop: clip.rate.is_looping(),
    }
}

fn lod(lod: &Lod) -> Fields<'_> {
    fields! {
        first: lod.first,
        count: lod.count,
        scale: lod.scale.decode(),
        scale_code: lod.scale.to_bits(),
        max_distance_m: lod.max_distance(),
        reserved: lod.reserved,
    }
}

fn mesh(mesh: &Mesh) -> Fields<'_> {
    let material = mesh.material_kind();
    fields! {
        flags: mesh.flags.0,
        quads: mesh.primitives.iter().filter(|p| p.kind().is_quad()).count(),
        quads_counted: match mesh.quad_count {
            QuadCount::Described => "described",
            QuadCount::Other => "other",
        },
        drawn: mesh.material.is_some(),
        flat_color: mesh.flat_color(),
        reserved: mesh.reserved,
        vertices: Item::each(&mesh.vertices, move |v| vertex(*v, material)),
        primitives: Item::each(&mesh.primitives, |p| primitive(*p)),
    }
}

/// Lists the fields of a vertex. Position and normal are in the space of the bone.
fn vertex<'m>(vertex: Vertex, material: MaterialKind) -> Fields<'m> {
    let [first, second] = vertex.words();
    let bits = vertex.size().saturating_mul(8);
    let mut words = format!("{first:016x}");
    match bits {
        96 => words.push_str(&format!("{second:08x}")),
        128 => words.push_str(&format!("{second:016x}")),
        _ => {}
    }
    fields! {
        bits: bits,
        words: words,
        bone: vertex.bone(),
        position: vertex.position(),
        normal: vertex.normal(material),
        normal_stored: vertex.stored_normal(material).is_some(),
        color: vertex.color(),
    }
}

fn primitive<'m>(primitive: Primitive) -> Fields<'m> {
    let corners = if primitive.kind().is_quad() { 4 } else { 3 };
    fields! {
        bits: primitive.size().saturating_mul(8),
        tag2: primitive.tag2(),
        indices: Item::Ints(primitive.indices(), corners),
    }
}

fn bone(bone: &Bone, may_follow: bool) -> Fields<'_> {
    let transform = bone.transform;
    let mut fields = fields! {
        parent: bone.parent,
        solid: bone.solid,
        reserved: bone.reserved,
        transform: Item::word(transform.to_bits(), 16),
    };
    if may_follow && bone.is_pseudo() {
        let follows = |(bone, weight): (u8, F8A)| fields! { bone: bone, weight: weight.decode() };
        fields.push((Cow::Borrowed("follows"), Item::list(move || transform.followed().map(follows))));
    } else {
        fields.extend(fields! {
            origin: transform.origin().decode(),
            rotation: transform.rotation().decode(),
        });
    }
    fields
}

/// Returns the keys of each bone, and their tags.
fn keys(clip: &Clip) -> Fields<'_> {
    let stream: &Stream = &clip.stream;
    fields! {
        rate: clip.rate.0,
        reserved: clip.reserved,
        bones: Item::list(move || stream.bones().map(keys_of_bone)),
    }
}

fn keys_of_bone<'m>(steps: &[Step]) -> Fields<'m> {
    let Keys { rotation, translation, scale } = Keys::from_steps(steps);
    let vectors = |keys: Vec<(u32, Se32)>| {
        Item::list(move || {
            keys.clone().into_iter().map(|(frame, v)| key(frame, v.to_bits(), v.decode().into()))
        })
    };
    fields! {
        rotation: Item::list(move || {
            rotation.clone().into_iter().map(|(frame, v)| key(frame, v.to_bits(), v.decode().into()))
        }),
        translation: vectors(translation),
        scale: vectors(scale),
        tags: Item::Hex(steps.iter().map(|s| s.tag()).collect::<Vec<_>>().into()),
    }
}

fn key<'m>(frame: u32, word: u32, value: Item<'m>) -> Fields<'m> {
    fields! { frame: frame, word: Item::word(word, 8), value: value }
}
