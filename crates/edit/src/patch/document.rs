//! A patch as a JSON document.

use crate::attributes::Attributes;
use crate::patch::model::{ClipPatch, JointPatch, MaterialPatch, MeshPatch, Patch, Poses, VertexPatch};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::SortedSet;
use meshwright_core::json::Quoted;

impl Patch {
    /// Returns the patch as a JSON document: for each changed part of the edited scene its index, the index of its
    /// original (none if it is new) and the names of what changed, and the indices of removed parts. Unchanged parts are
    /// left out. Vertices, triangles and frames are runs of a first index and a number.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (mut skeletons, mut meshes) = (Vec::new(), Vec::new());
        for (s, joints) in self.joints.iter().enumerate() {
            let mut changed = Vec::new();
            for (j, own) in joints.iter().enumerate() {
                changed.extend(part("joint", j, own.original, &own.changes(), &[]));
            }
            let count = self.correspondence.joints.get(s).map_or(0, Vec::len);
            let gone = gone(count, &mut joints.iter().map(|own| own.original));
            if !(changed.is_empty() && gone.is_empty()) {
                let (changed, gone) = (list("joints", &changed), list("removed", &gone));
                skeletons.push(object(vec![format!("\"skeleton\":{s}"), changed, gone]));
            }
        }
        for (m, own) in self.meshes.iter().enumerate() {
            meshes.extend(self.mesh(m, own));
        }
        let (mut clips, mut materials) = (Vec::new(), Vec::new());
        for (c, own) in self.clips.iter().enumerate() {
            let mut more = Vec::new();
            if let Poses::Changed(keys) = &own.poses {
                let (mut frames, mut joints) = (SortedSet::new(), SortedSet::new());
                for (frame, joint) in keys {
                    frames.insert(*frame);
                    joints.insert(*joint);
                }
                more.push(list("frames", &runs(&mut frames.into_iter())));
                more.push(list("joints", &numbers(&mut joints.into_iter())));
            }
            clips.extend(part("clip", c, own.original, &own.changes(), &more));
        }
        for (m, own) in self.materials.iter().enumerate() {
            materials.extend(part("material", m, own.original, &own.changes(), &[]));
        }
        let own = &self.correspondence;
        object(vec![
            list("skeletons", &skeletons),
            list("meshes", &meshes),
            list("removed_meshes", &gone(own.meshes.len(), &mut self.meshes.iter().map(|m| m.original))),
            list("clips", &clips),
            list("removed_clips", &gone(own.clips.len(), &mut self.clips.iter().map(|c| c.original))),
            list("materials", &materials),
        ])
    }

    fn mesh(&self, m: usize, own: &MeshPatch) -> Option<String> {
        let name = self.scene.meshes.get(m).map_or("", |mesh| mesh.name.as_str());
        let vertices = |of: &dyn Fn(&VertexPatch) -> bool| {
            runs(&mut (0_u32..).zip(&own.vertices).filter(|(_, v)| of(v)).map(|(v, _)| v))
        };
        let matched = own.original.and_then(|n| self.correspondence.meshes.get(n));
        let removed = |count: usize, kept: &mut dyn Iterator<Item = Option<u32>>| {
            let kept: SortedSet<u32> = kept.flatten().collect();
            let all = 0..u32::try_from(count).unwrap_or(u32::MAX);
            runs(&mut all.filter(|n| !kept.contains(n)))
        };
        let mut more = vec![format!("\"name\":{}", Quoted(name))];
        for (kind, attribute) in KINDS {
            let changed = vertices(&|v| v.original.is_some() && v.changed.has(*attribute));
            more.push(list(kind, &changed));
        }
        more.push(list("new_vertices", &vertices(&|v| v.original.is_none())));
        let mut new = (0_u32..).zip(&own.triangles).filter(|(_, t)| t.is_none()).map(|(t, _)| t);
        more.push(list("new_triangles", &runs(&mut new)));
        if let Some(matched) = matched {
            let vertices = removed(matched.vertices.len(), &mut own.vertices.iter().map(|v| v.original));
            let triangles = removed(matched.triangles.len(), &mut own.triangles.iter().copied());
            more.push(list("removed_vertices", &vertices));
            more.push(list("removed_triangles", &triangles));
        }
        let mut changes = own.changes();
        changes.extend(own.original.filter(|_| !own.unchanged).map(|_| "shape"));
        part("mesh", m, own.original, &changes, &more)
    }
}

/// The lists of vertices with another value of an attribute.
const KINDS: &[(&str, Attributes)] = &[
    ("positions", Attributes::POSITION),
    ("normals", Attributes::NORMAL),
    ("uvs", Attributes::UV),
    ("colors", Attributes::COLOR),
    ("weights", Attributes::WEIGHTS),
    ("bound", Attributes::BOUND),
    ("placed", Attributes::PLACED),
];

/// Returns the names for which a flag is set.
fn set(flags: &[(&'static str, bool)]) -> Vec<&'static str> {
    flags.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect()
}

impl JointPatch {
    fn changes(&self) -> Vec<&'static str> {
        set(&[("name", self.renamed), ("parent", self.parent), ("rest", self.rest)])
    }
}

impl MeshPatch {
    fn changes(&self) -> Vec<&'static str> {
        set(&[("name", self.renamed), ("material", self.material)])
    }
}

impl ClipPatch {
    fn changes(&self) -> Vec<&'static str> {
        let poses = matches!(self.poses, Poses::Changed(_));
        let length = self.original.is_some() && self.poses == Poses::New;
        set(&[("name", self.renamed), ("extras", self.extras), ("poses", poses), ("all poses", length)])
    }
}

impl MaterialPatch {
    fn changes(&self) -> Vec<&'static str> {
        set(&[("name", self.renamed), ("color", self.color), ("image", self.picture)])
    }
}

/// Joins rising indices that follow each other to runs of a first index and a number.
fn runs(indices: &mut dyn Iterator<Item = u32>) -> Vec<String> {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for index in indices {
        match all.last_mut() {
            Some((first, count)) if first.checked_add(*count) == Some(index) => {
                *count = count.saturating_add(1);
            }
            _ => all.push((index, 1)),
        }
    }
    all.iter().map(|(first, count)| format!("[{first},{count}]")).collect()
}

fn numbers(all: &mut dyn Iterator<Item = usize>) -> Vec<String> {
    all.map(|n| n.to_string()).collect()
}

/// Returns the originals without a part.
fn gone(count: usize, kept: &mut dyn Iterator<Item = Option<usize>>) -> Vec<String> {
    let kept: SortedSet<usize> = kept.flatten().collect();
    numbers(&mut (0..count).filter(|n| !kept.contains(n)))
}

/// Returns an object with the fields that are not empty.
fn object(mut fields: Vec<String>) -> String {
    fields.retain(|field| !field.is_empty());
    format!("{{{}}}", fields.join(","))
}

/// Returns a field with a list, or nothing for an empty list.
fn list(name: &str, items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("\"{name}\":[{}]", items.join(",")) }
}

/// Returns a changed part as an object, or `None` for an unchanged one.
fn part(
    kind: &str,
    index: usize,
    original: Option<usize>,
    changes: &[&str],
    more: &[String],
) -> Option<String> {
    if original.is_some() && changes.is_empty() {
        return None;
    }
    let mut fields = vec![format!("\"{kind}\":{index}")];
    fields.extend(original.map(|n| format!("\"original\":{n}")));
    let changes: Vec<String> = changes.iter().map(|change| Quoted(change).to_string()).collect();
    fields.push(list("changes", &changes));
    fields.extend_from_slice(more);
    Some(object(fields))
}
