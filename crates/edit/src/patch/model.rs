//! The result of a comparison: the edited scene, and the original of each of its parts.

use crate::attributes::Attributes;
use crate::correspond::correspondence::Correspondence;
use crate::original_mesh::OriginalMesh;
use crate::report::Recovery;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded, SortedSet};
use meshwright_scene::{Loss, Mesh, Scene};

/// An edited scene as changes of its original.
///
/// Parts that are not marked as changed have the original's values bit for bit. A format keeps its own records for them, and encodes
/// the rest from [`scene`](Self::scene).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Patch {
    /// The edited scene: original parts in the original's order, new parts after them.
    pub scene: Scene,
    /// The joints of each skeleton of the scene.
    pub joints: Vec<Vec<JointPatch>>,
    /// The meshes of the scene.
    pub meshes: Vec<MeshPatch>,
    /// The clips of the scene.
    pub clips: Vec<ClipPatch>,
    /// The materials of the scene.
    pub materials: Vec<MaterialPatch>,
    /// The meshes of the original, without their arrays.
    pub original_meshes: Vec<OriginalMesh>,
    /// The edited part of each part of the original.
    pub correspondence: Correspondence,
    /// The report of the changes: original parts in their order, removed ones among them, then new parts.
    pub report: Recovery,
}

/// A joint of an edited scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JointPatch {
    /// Index in the original's skeleton of the same index; `None` for a new joint.
    pub original: Option<usize>,
    /// It has another name.
    pub renamed: bool,
    /// It has another parent.
    pub parent: bool,
    /// It has another rest pose or bind pose.
    pub rest: bool,
}

/// A mesh of an edited scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshPatch {
    /// Index in the original; `None` for a new one.
    pub original: Option<usize>,
    /// It has another name.
    pub renamed: bool,
    /// It has another material.
    pub material: bool,
    /// The vertices.
    pub vertices: Vec<VertexPatch>,
    /// Index of each triangle's original; `None` for a new triangle.
    pub triangles: Vec<Option<u32>>,
    /// It has the original's vertices and triangles, all of them unchanged and in their order.
    pub unchanged: bool,
}

impl MeshPatch {
    /// Makes the patch of an unedited mesh.
    pub(crate) fn unedited(mesh: &Mesh, original: usize) -> Self {
        let vertex = |v| VertexPatch { original: Some(v), changed: Attributes::NONE };
        Self {
            original: Some(original),
            vertices: (0_u32..).take(mesh.positions.len()).map(vertex).collect(),
            triangles: (0_u32..).take(mesh.triangles.len()).map(Some).collect(),
            unchanged: true,
            ..Self::default()
        }
    }

    /// Returns true if the mesh has all vertices and triangles of its original, unchanged and in their order.
    pub(crate) fn is_whole(&self, native: &OriginalMesh) -> bool {
        let same = |(n, own): (u32, &VertexPatch)| own.original == Some(n) && own.changed.is_none();
        self.vertices.len() == native.vertices
            && self.triangles.len() == native.triangles
            && (0_u32..).zip(&self.vertices).all(same)
            && (0_u32..).zip(&self.triangles).all(|(n, own)| *own == Some(n))
    }
}

/// A vertex of an edited mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VertexPatch {
    /// Index in the original mesh; `None` for a new vertex.
    pub original: Option<u32>,
    /// Attributes with other values.
    pub changed: Attributes,
}

/// A material of an edited scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaterialPatch {
    /// Index in the original; `None` for a new one.
    pub original: Option<usize>,
    /// It has another name.
    pub renamed: bool,
    /// It has another colour.
    pub color: bool,
    /// It has another texture.
    pub picture: bool,
}

/// A clip of an edited scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipPatch {
    /// Index in the original; `None` for a new one.
    pub original: Option<usize>,
    /// It has another name.
    pub renamed: bool,
    /// The poses.
    pub poses: Poses,
    /// The extras, such as events, have other values.
    pub extras: bool,
}

/// The poses of an edited clip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Poses {
    /// The original's.
    #[default]
    Unchanged,
    /// The original's frames, and pairs of a frame and a joint of the edited scene with another pose.
    Changed(SortedSet<(u32, usize)>),
    /// Other frames.
    New,
}

impl Poses {
    /// Returns true if a joint of the edited scene has another pose in a frame.
    #[must_use]
    pub fn is_changed(&self, frame: u32, joint: usize) -> bool {
        match self {
            Self::Unchanged => false,
            Self::Changed(keys) => keys.contains(&(frame, joint)),
            Self::New => true,
        }
    }
}

impl ClipPatch {
    /// Returns true if the clip is its original, with the same name, extras, frames and poses.
    #[must_use]
    pub const fn is_unchanged(&self) -> bool {
        self.original.is_some() && !self.renamed && !self.extras && matches!(self.poses, Poses::Unchanged)
    }
}

impl Patch {
    /// Makes the patch of an unedited scene.
    #[must_use]
    pub fn unedited(scene: Scene) -> Self {
        let joint = |(j, _)| JointPatch { original: Some(j), ..JointPatch::default() };
        let joints =
            scene.skeletons.iter().map(|s| s.joints.iter().enumerate().map(joint).collect()).collect();
        let meshes = scene.meshes.iter().enumerate().map(|(m, own)| MeshPatch::unedited(own, m)).collect();
        let clip = |c| ClipPatch { original: Some(c), ..ClipPatch::default() };
        let clips = (0..scene.clips.len()).map(clip).collect();
        let material = |m| MaterialPatch { original: Some(m), ..MaterialPatch::default() };
        let materials = (0..scene.materials.len()).map(material).collect();
        let correspondence = Correspondence::identity(&scene);
        let original_meshes = OriginalMesh::all(&scene.meshes);
        let report = Recovery::default();
        Self { joints, meshes, clips, materials, original_meshes, correspondence, report, scene }
    }

    /// Copies the patch.
    ///
    /// # Errors
    /// When it would take more memory than is left.
    pub fn copied(&self, budget: &Budget) -> Result<Self, LimitExceeded> {
        let vertices: u64 = self.meshes.iter().map(|own| own.vertices.len() as u64).sum();
        let triangles: u64 = self.meshes.iter().map(|own| own.triangles.len() as u64).sum();
        budget.charge_items("vertices", vertices, size_of::<VertexPatch>())?;
        budget.charge_items("triangles", triangles, size_of::<Option<u32>>())?;
        Ok(Self {
            scene: self.scene.copied(budget)?,
            joints: self.joints.clone(),
            meshes: self.meshes.clone(),
            clips: self.clips.clone(),
            materials: self.materials.clone(),
            original_meshes: self.original_meshes.clone(),
            correspondence: self.correspondence.copied(budget)?,
            report: self.report.clone(),
        })
    }

    /// Returns true if nothing was edited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.report.is_untouched()
    }

    /// Returns true if the name of a mesh's material changed, or the mesh's own name if it has no material. Formats that
    /// name meshes this way must then rename it.
    #[must_use]
    pub fn is_surface_renamed(&self, mesh: usize) -> bool {
        let own = self.meshes.get(mesh);
        let material = self.scene.meshes.get(mesh).and_then(|m| m.material);
        own.is_none_or(|own| own.material)
            || match material {
                Some(id) => self.materials.get(id.0).is_none_or(|m| m.renamed || m.original.is_none()),
                None => own.is_none_or(|own| own.renamed),
            }
    }

    /// Returns the losses of a conversion that concern edited parts. The original keeps its records for the others.
    #[must_use]
    pub fn losses_of_edits(&self, losses: Vec<Loss>) -> Vec<Loss> {
        losses.into_iter().filter(|loss| self.concerns(&loss.path)).collect()
    }

    /// Returns true if a path names an edited part.
    fn concerns(&self, path: &str) -> bool {
        let (list, rest) = path.split_once('[').unwrap_or((path, ""));
        let number = rest.split_once(']').and_then(|(n, _)| n.parse::<usize>().ok());
        // Without a number, the path names all parts of a list. A part that does not exist counts as edited.
        let edited = |count: usize, is: &dyn Fn(usize) -> bool| match number {
            Some(n) => is(n),
            None => (0..count).any(is),
        };
        let mesh = |m: &MeshPatch| m.original.is_none() || !m.unchanged || m.renamed || m.material;
        let joint = |j: &JointPatch| {
            *j != JointPatch { original: j.original, ..JointPatch::default() } || j.original.is_none()
        };
        let material = |m: &MaterialPatch| m.original.is_none() || m.renamed || m.color || m.picture;
        match list {
            "meshes" => edited(self.meshes.len(), &|n| self.meshes.get(n).is_none_or(mesh)),
            "nodes" => edited(self.scene.nodes.len(), &|n| {
                let meshes = self.scene.nodes.get(n).map(|node| &node.meshes);
                meshes.is_none_or(|ids| ids.iter().any(|id| self.meshes.get(id.0).is_none_or(mesh)))
            }),
            "clips" => edited(self.clips.len(), &|n| self.clips.get(n).is_none_or(|c| !c.is_unchanged())),
            "skeletons" => {
                edited(self.joints.len(), &|n| self.joints.get(n).is_none_or(|s| s.iter().any(joint)))
            }
            "bones" | "joints" => self.joints.iter().any(|s| s.iter().any(joint)),
            "materials" | "images" => {
                edited(self.materials.len(), &|n| self.materials.get(n).is_none_or(material))
            }
            _ => !self.is_empty(),
        }
    }
}
