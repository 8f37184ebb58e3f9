//! The dump of DPM, ZYM and framegroups: stored poses, influences, bounds, flags.

use super::item::{Fields, Item, fields};
use crate::formats::Companions;
use crate::formats::dump_part::{Dumped, Own};
use meshwright_dpm::{
    Bone, BonePose, Bounds, Dpm, Frame, Influence, Mesh, Name, Zym, ZymBounds, ZymInfluence, ZymScene,
};
use meshwright_quake::{FrameGroup, FrameGroups};
use std::borrow::Cow;

impl Dumped for Dpm {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        let mut native = fields! {
            format: "dpm",
            r#type: 2_u32,
            bones: Item::each(&self.bones, bone),
            meshes: Item::each(&self.meshes, mesh),
            frames: Item::each(&self.frames, frame),
            poses: poses(&self.poses, self.bones.len()),
        };
        native.extend(bounds(&self.bounds));
        Own { native, ..Own::default() }
    }
}

impl Dumped for Zym {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        let mut native = fields! {
            format: "zym",
            r#type: 1_u32,
            bones: Item::each(&self.bones, bone),
            scenes: Item::each(&self.scenes, scene),
            poses: poses(&self.poses, self.bones.len()),
            vertices: Item::list(move || self.vertices().map(|v| Item::each(v, zym_influence))),
            texcoords: Item::values(&self.texcoords),
            runs: Item::each(&self.runs, |r| name(&r.shader)),
            trizone: Item::values(&self.trizone),
        };
        native.extend(zym_bounds(&self.bounds));
        Own { native, ..Own::default() }
    }
}

impl Dumped for FrameGroups {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        Own {
            meshes: Some(Item::empty()),
            native: fields! { groups: Item::each(&self.groups, group) },
            ..Own::default()
        }
    }
}

/// Returns a name, and the bytes after its end if they are not zero.
fn name<'m>(name: &Name) -> Fields<'m> {
    let rest = name.raw().get(name.bytes().len()..).unwrap_or_default();
    let rest = rest.iter().any(|b| *b != 0).then(|| Item::Hex(Cow::Owned(rest.to_owned())));
    let mut fields = fields! { name: name.text() };
    fields.extend(rest.map(|rest| (Cow::Borrowed("name_rest"), rest)));
    fields
}

fn bone(bone: &Bone) -> Fields<'_> {
    let mut fields = fields! { flags: bone.flags.0 };
    fields.extend(name(&bone.name));
    fields
}

fn bounds<'m>(bounds: &Bounds) -> Fields<'m> {
    fields! {
        mins: bounds.mins,
        maxs: bounds.maxs,
        yawradius: bounds.yawradius,
        allradius: bounds.allradius,
    }
}

fn zym_bounds<'m>(bounds: &ZymBounds) -> Fields<'m> {
    fields! { mins: bounds.mins, maxs: bounds.maxs, radius_squared: bounds.radius_squared }
}

/// Returns the poses, each as a matrix per bone, relative to its parent: three rows of four.
fn poses(poses: &[BonePose], bones: usize) -> Item<'_> {
    Item::list(move || poses.chunks(bones.max(1)).map(move |pose| Item::each(pose, matrix)))
}

fn matrix(pose: &BonePose) -> Item<'_> {
    Item::values(&pose.0)
}

fn mesh(mesh: &Mesh) -> Fields<'_> {
    let mut fields = fields! {
        groupids: Item::values(&mesh.groupids),
        vertices: Item::list(move || mesh.vertices.iter().map(|v| Item::each(v, influence))),
    };
    fields.extend(name(&mesh.shader));
    fields
}

/// Lists the fields of an influence. Position and normal are in the space of the bone, multiplied by the weight.
fn influence(i: &Influence) -> Fields<'_> {
    fields! { bone: i.bone, influence: i.influence, origin: i.origin, normal: i.normal }
}

fn frame(frame: &Frame) -> Fields<'_> {
    let mut fields = name(&frame.name);
    fields.extend(fields! { pose: frame.pose.0 });
    fields.extend(bounds(&frame.bounds));
    fields
}

fn zym_influence(i: &ZymInfluence) -> Fields<'_> {
    fields! { bone: i.bone, origin: i.origin }
}

fn scene(scene: &ZymScene) -> Fields<'_> {
    let mut fields = name(&scene.name);
    fields.extend(fields! {
        framerate: scene.framerate,
        flags: scene.flags.0,
        start: scene.start,
        length: scene.length,
    });
    fields.extend(zym_bounds(&scene.bounds));
    fields
}

fn group(group: &FrameGroup) -> Fields<'_> {
    fields! {
        start: group.start,
        length: group.length,
        fps: group.fps,
        r#loop: group.looping,
        name: meshwright_core::text::latin1(&group.name),
    }
}
