//! The dump of the Crucible engine's files: stored streams, bones, layouts.

use super::item::{Fields, Item, fields};
use crate::formats::Companions;
use crate::formats::dump_part::{Dumped, Own};
use meshwright_crucible::{Attribute, AttributeStream, Bone, BoneWeight, CModel, Chunk, SkeletonChunk};
use std::borrow::Cow;

impl Dumped for Chunk<'static> {
    fn own_part<'m>(&'m self, companions: &'m Companions) -> Own<'m> {
        chunks(std::slice::from_ref(self), companions)
    }
}

impl Dumped for CModel<'static> {
    fn own_part<'m>(&'m self, companions: &'m Companions) -> Own<'m> {
        let mut own = chunks(&self.meshes, companions);
        own.native.extend(fields! { tail: Item::Hex(Cow::Borrowed(&self.tail)) });
        own
    }
}

impl Dumped for SkeletonChunk {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        Own {
            bones: Some(bones(Some(self))),
            meshes: Some(Item::empty()),
            native: fields! {
                order: self.order.name(),
                bones: Item::each(&self.bones, bone),
                tail: Item::Hex(Cow::Borrowed(&self.tail)),
            },
            ..Own::default()
        }
    }
}

fn chunks<'m>(chunks: &'m [Chunk<'static>], companions: &'m Companions) -> Own<'m> {
    Own {
        bones: Some(bones(companions.one())),
        meshes: Some(Item::each(chunks, mesh)),
        native: fields! {
            meshes: Item::each(chunks, |c| fields! { crucible: native(c) }),
        },
        ..Own::default()
    }
}

/// Returns the stored bones: in a scene, a bone whose parent is flat has no parent.
fn bones(skeleton: Option<&SkeletonChunk>) -> Item<'_> {
    let bone = |(i, b): (usize, &Bone)| {
        fields! { name: format!("bone{i}"), parent: b.parent.map_or(-1, i64::from) }
    };
    Item::list(move || skeleton.into_iter().flat_map(|s| s.bones.iter().enumerate()).map(bone))
}

fn bone(bone: &Bone) -> Fields<'_> {
    fields! {
        position: bone.position,
        rotation: bone.rotation,
        scale: bone.scale,
        parent: bone.parent,
        children: Item::values(&bone.children),
    }
}

/// Returns the streams of a chunk, whichever it has.
fn mesh<'m>(chunk: &'m Chunk<'static>) -> Fields<'m> {
    let plane = move || Item::list(move || chunk.positions_2d().into_iter().flat_map(|p| p.iter()).map(flat));
    let positions = |p: meshwright_crucible::Floats<'m, 3>| Item::list(move || p.iter());
    let rest = move || {
        fields! {
            clip: Item::Null,
            frame: Item::Null,
            positions: chunk.positions().map_or_else(plane, positions),
            normals: chunk.normals().map(positions),
        }
    };
    fields! {
        material: Item::Null,
        vertex_count: chunk.vertex_count(),
        triangle_count: chunk.triangles().len(),
        triangles: Item::list(move || chunk.triangles()),
        uvs: chunk.uvs().map(|uvs| Item::list(move || uvs.iter())),
        colors: chunk.colors().map(Item::values),
        poses: Item::list(move || [rest()]),
    }
}

fn flat([x, y]: [meshwright_core::F32; 2]) -> [f32; 3] {
    [x.get(), y.get(), 0.0]
}

/// Returns the layout of a chunk, and the streams that have no field in a dumped mesh.
fn native<'m>(chunk: &'m Chunk<'static>) -> Fields<'m> {
    let indices = chunk.indices();
    let whole = chunk.triangles().len().saturating_mul(3);
    let plane = chunk.positions_2d().filter(|_| chunk.positions().is_some());
    let mut fields = fields! {
        dialect: chunk.dialect.name(),
        index_size: chunk.index_size.0,
        index_bytes: chunk.index_size.bytes(),
        index_count: indices.len(),
        indices_packed: chunk.indices.packed().map(<[u8]>::len),
        indices_left_over: Item::list(move || indices.iter().skip(whole)),
        streams: Item::each(&chunk.streams, |s| stream(chunk, s)),
        tangents: chunk.tangents().map(|t| Item::list(move || t.iter())),
        bone_weights: chunk.bone_weights().map(|w| Item::list(move || w.iter().map(weights))),
        tail: Item::Hex(Cow::Borrowed(&chunk.tail)),
    };
    fields.extend(plane.map(|p| (Cow::Borrowed("positions_2d"), Item::list(move || p.iter()))));
    fields
}

fn stream<'m>(chunk: &Chunk<'_>, stream: &'m AttributeStream<'static>) -> Fields<'m> {
    let attribute = Attribute::ALL.into_iter().find(|a| a.flag(chunk.dialect) == Some(stream.flag));
    fields! {
        flag: stream.flag.0,
        attribute: attribute.map(Attribute::name),
        size: stream.stream.data().len(),
        packed: stream.stream.packed().map(<[u8]>::len),
    }
}

fn weights<'m>(four: [BoneWeight; 4]) -> Fields<'m> {
    fields! { bones: four.map(|w| w.bone), influences: four.map(|w| w.influence) }
}
