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
            meshes: Item::list(move || self.meshes.iter().map(|m| mesh(self, m))),
            vertexarrays: Item::list(move || self.arrays.iter().map(|a| array(self, a))),
            adjacency: self.adjacency.as_ref().map_or(Item::Null, |all| Item::list(move || all.iter().copied())),
            joints: Item::list(move || self.joints.iter().map(joint)),
            poses: Item::list(move || self.poses.iter().map(pose)),
            anims: Item::list(move || self.anims.iter().map(anim)),
            num_frames: self.frame_count,
            frames: Item::list(move || self.frames.iter().copied()),
            bounds: self.bounds.as_ref().map_or(Item::Null, |all| Item::list(move || all.iter().map(bounds))),
            comment: Item::Hex(Cow::Borrowed(&self.comment)),
            extensions: Item::list(move || self.extensions.iter().map(|e| extension(self, e))),
        };
        let bones = Item::list(move || self.joints.iter().map(move |j| bone(self, j)));
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

fn pose<'m>(pose: &IqmPose) -> Fields<'m> {
    let (offset, scale) = (pose.offset, pose.scale);
    fields! {
        parent: i64::from(pose.parent),
        channelmask: pose.mask,
        channeloffset: Item::list(move || offset),
        channelscale: Item::list(move || scale),
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
