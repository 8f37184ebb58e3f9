//! The dump of IQM: the file's own tables.

use super::item::{Fields, Item, fields};
use crate::formats::Companions;
use crate::formats::dump_part::{Dumped, Own};
use meshwright_iqm::{
    Iqm, IqmAnim, IqmBounds, IqmExtension, IqmJoint, IqmMesh, IqmPose, TextId, VertexArray,
};
use std::borrow::Cow;

impl Dumped for Iqm {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        let native = fields! {
            format: "iqm",
            version: self.version,
            flags: self.flags,
            meshes: Item::each(&self.meshes, |m| mesh(self, m)),
            vertexarrays: Item::each(&self.arrays, |a| array(self, a)),
            adjacency: self.adjacency.as_ref().map_or(Item::Null, |all| Item::values(all)),
            joints: Item::each(&self.joints, joint),
            poses: Item::each(&self.poses, pose),
            anims: Item::each(&self.anims, anim),
            num_frames: self.frame_count,
            frames: Item::values(&self.frames),
            bounds: self.bounds.as_ref().map_or(Item::Null, |all| Item::each(all, bounds)),
            comment: Item::Hex(Cow::Borrowed(&self.comment)),
            extensions: Item::each(&self.extensions, |e| extension(self, e)),
        };
        let bones = Item::each(&self.joints, move |j| bone(self, j));
        Own { bones: Some(bones), native, ..Own::default() }
    }
}

fn text(model: &Iqm, id: TextId) -> String {
    String::from_utf8_lossy(model.str(id)).into_owned()
}

fn bone<'m>(model: &Iqm, joint: &IqmJoint) -> Fields<'m> {
    fields! { name: text(model, joint.name), parent: i64::from(joint.parent) }
}

fn mesh<'m>(model: &Iqm, mesh: &IqmMesh) -> Fields<'m> {
    fields! {
        name: text(model, mesh.name),
        material: text(model, mesh.material),
        first_vertex: mesh.first_vertex,
        num_vertexes: mesh.vertex_count,
        first_triangle: mesh.first_triangle,
        num_triangles: mesh.triangle_count,
    }
}

fn array<'m>(model: &Iqm, array: &'m VertexArray) -> Fields<'m> {
    fields! {
        r#type: array.kind.0,
        name: array.kind.custom().map(|id| text(model, id)),
        flags: array.flags,
        format: array.format.0,
        size: array.components,
        data: Item::Hex(Cow::Borrowed(&array.data)),
    }
}

fn joint<'m>(joint: &IqmJoint) -> Fields<'m> {
    fields! { translate: joint.translate, rotate: joint.rotate, scale: joint.scale }
}

fn pose(pose: &IqmPose) -> Fields<'_> {
    fields! {
        parent: i64::from(pose.parent),
        channelmask: pose.mask,
        channeloffset: Item::values(&pose.offset),
        channelscale: Item::values(&pose.scale),
    }
}

fn anim<'m>(anim: &IqmAnim) -> Fields<'m> {
    fields! {
        first_frame: anim.first_frame,
        num_frames: anim.frame_count,
        framerate: anim.framerate,
        flags: anim.flags.0,
    }
}

fn bounds<'m>(bounds: &IqmBounds) -> Fields<'m> {
    fields! { bbmins: bounds.mins, bbmaxs: bounds.maxs, xyradius: bounds.xyradius, radius: bounds.radius }
}

fn extension<'m>(model: &Iqm, extension: &'m IqmExtension) -> Fields<'m> {
    fields! { name: text(model, extension.name), data: Item::Hex(Cow::Borrowed(&extension.data)) }
}
