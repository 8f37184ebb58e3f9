//! A patch as a JSON document.

use crate::attributes::Attributes;
use crate::patch::model::{ClipPatch, JointPatch, MaterialPatch, MeshPatch, Patch, Poses};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::SortedSet;
use meshwright_core::json::Quoted;

impl Patch {
    /// Returns the patch as a JSON document: for each changed part of the edited scene its index, the index of its
    /// original (none if it is new) and the names of what changed, and the indices of removed parts. Unchanged parts are
    /// left out. Vertices, triangles and frames are runs of a first index and a number.
    #[must_use]
    pub fn to_json(&self) -> String {
        let skeletons = self.joints.iter().enumerate().filter_map(|(s, joints)| {
            let changed = joints
                .iter()
                .enumerate()
                .filter_map(|(j, own)| part("joint", j, own.original, own.changes(), &[]));
            let count = self.correspondence.joints.get(s).map_or(0, Vec::len);
            let gone = gone(count, joints.iter().map(|own| own.original));
            let lists = [list("joints", changed), list("removed", gone)];
            let some = lists.iter().any(|list| !list.is_empty());
            let [joints, removed] = lists;
            some.then(|| object(&[format!("\"skeleton\":{s}"), joints, removed]))
        });
        let meshes = self.meshes.iter().enumerate().filter_map(|(m, own)| self.mesh(m, own));
        let clips = self.clips.iter().enumerate().filter_map(|(c, own)| {
            let mut more = Vec::new();
            if let Poses::Changed(keys) = &own.poses {
                let frames = keys.iter().map(|(frame, _)| *frame).collect::<SortedSet<_>>();
                let joints = keys.iter().map(|(_, joint)| *joint).collect::<SortedSet<_>>();
                more.push(list("frames", runs(frames.into_iter()).iter().map(Run::to_string)));
                more.push(list("joints", joints.iter().map(ToString::to_string)));
            }
            part("clip", c, own.original, own.changes(), &more)
        });
        let materials = self.materials.iter().enumerate();
        let materials =
            materials.filter_map(|(m, own)| part("material", m, own.original, own.changes(), &[]));
        let own = &self.correspondence;
        object(&[
            list("skeletons", skeletons),
            list("meshes", meshes),
            list("removed_meshes", gone(own.meshes.len(), self.meshes.iter().map(|m| m.original))),
            list("clips", clips),
            list("removed_clips", gone(own.clips.len(), self.clips.iter().map(|c| c.original))),
            list("materials", materials),
        ])
    }

    fn mesh(&self, m: usize, own: &MeshPatch) -> Option<String> {
        let name = self.scene.meshes.get(m).map_or("", |mesh| mesh.name.as_str());
        let vertices = |of: &dyn Fn(Attributes) -> bool, new: bool| {
            let all = (0_u32..).zip(&own.vertices);
            let some =
                all.filter(|(_, v)| (v.original.is_none() && new) || v.original.is_some() && of(v.changed));
            runs(some.map(|(v, _)| v)).iter().map(Run::to_string).collect::<Vec<_>>()
        };
        let matched = own.original.and_then(|n| self.correspondence.meshes.get(n));
        let removed = |count: usize, kept: &mut dyn Iterator<Item = Option<u32>>| {
            let kept: SortedSet<u32> = kept.flatten().collect();
            let all = 0..u32::try_from(count).unwrap_or(u32::MAX);
            runs(all.filter(|n| !kept.contains(n))).iter().map(Run::to_string).collect::<Vec<_>>()
        };
        let mut more = alloc::vec![format!("\"name\":{}", Quoted(name))];
        for (kind, attribute) in KINDS {
            more.push(list(kind, vertices(&|changed| changed.has(*attribute), false).into_iter()));
        }
        more.push(list("new_vertices", vertices(&|_| false, true).into_iter()));
        let new = (0_u32..).zip(&own.triangles).filter(|(_, t)| t.is_none()).map(|(t, _)| t);
        more.push(list("new_triangles", runs(new).iter().map(Run::to_string)));
        if let Some(matched) = matched {
            let vertices = removed(matched.vertices.len(), &mut own.vertices.iter().map(|v| v.original));
            let triangles = removed(matched.triangles.len(), &mut own.triangles.iter().copied());
            more.push(list("removed_vertices", vertices.into_iter()));
            more.push(list("removed_triangles", triangles.into_iter()));
        }
        let mut changes = own.changes();
        changes.extend(own.original.filter(|_| !own.unchanged).map(|_| "shape"));
        part("mesh", m, own.original, changes, &more)
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

/// Indices that follow each other.
struct Run {
    first: u32,
    count: u32,
}

impl core::fmt::Display for Run {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "[{},{}]", self.first, self.count)
    }
}

/// Joins rising indices that follow each other.
fn runs(indices: impl Iterator<Item = u32>) -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    for index in indices {
        match all.last_mut() {
            Some(last) if last.first.checked_add(last.count) == Some(index) => {
                last.count = last.count.saturating_add(1);
            }
            _ => all.push(Run { first: index, count: 1 }),
        }
    }
    all
}

/// Returns the originals without a part.
fn gone(count: usize, kept: impl Iterator<Item = Option<usize>>) -> impl Iterator<Item = String> {
    let kept: SortedSet<usize> = kept.flatten().collect();
    (0..count).filter(move |n| !kept.contains(n)).map(|n| n.to_string())
}

fn object(fields: &[String]) -> String {
    let some: Vec<&str> = fields.iter().map(String::as_str).filter(|f| !f.is_empty()).collect();
    format!("{{{}}}", some.join(","))
}

/// Returns a field with a list, or nothing for an empty list.
fn list(name: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { String::new() } else { format!("\"{name}\":[{}]", items.join(",")) }
}

/// Returns a changed part as an object, or `None` for an unchanged one.
fn part(
    kind: &str,
    index: usize,
    original: Option<usize>,
    changes: Vec<&str>,
    more: &[String],
) -> Option<String> {
    if original.is_some() && changes.is_empty() {
        return None;
    }
    let mut fields = alloc::vec![format!("\"{kind}\":{index}")];
    fields.extend(original.map(|n| format!("\"original\":{n}")));
    fields.push(list("changes", changes.into_iter().map(|change| Quoted(change).to_string())));
    fields.extend_from_slice(more);
    Some(object(&fields))
}
