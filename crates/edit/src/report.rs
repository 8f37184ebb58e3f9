//! The report of a comparison, part by part.

use alloc::string::String;
use alloc::vec::Vec;

/// The state of a part after an edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Identical to the native part, bit for bit.
    #[default]
    Untouched,
    /// Some values differ.
    Edited,
    /// The native model has no such part.
    New,
    /// The edited model has no such part.
    Gone,
}

impl State {
    /// Returns the name of the state in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Untouched => "untouched",
            Self::Edited => "edited",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }
}

/// A part of a model with its state and changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part<T> {
    /// The name in the native model; of a new part, in the edited one.
    pub name: String,
    /// The state of the part.
    pub state: State,
    /// The changes.
    pub change: T,
}

/// Changes of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshChange {
    /// Vertices that moved.
    pub moved: usize,
    /// The largest movement of a vertex, in the scene's unit.
    pub furthest: f64,
    /// Vertices whose normals turned.
    pub normals: usize,
    /// Vertices with other texture coordinates.
    pub uvs: usize,
    /// Vertices with other colours.
    pub colors: usize,
    /// Vertices with other joints or weights.
    pub weights: usize,
    /// New vertices.
    pub added: usize,
    /// Removed vertices.
    pub removed: usize,
    /// New triangles.
    pub triangles_added: usize,
    /// Removed triangles.
    pub triangles_removed: usize,
    /// It has another material.
    pub material: bool,
    /// The new name of the mesh or of the node that draws it.
    pub renamed: Option<String>,
    /// The node has another transform.
    pub placed: bool,
}

/// Changes of a material.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MaterialChange {
    /// The new name.
    pub renamed: Option<String>,
    /// It has another colour.
    pub color: bool,
    /// It has another texture.
    pub picture: bool,
}

/// Changes of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JointChange {
    /// The new name.
    pub renamed: Option<String>,
    /// The distance that it moved in the rest pose, in the scene's unit.
    pub moved: f64,
    /// It has another parent.
    pub parent: bool,
    /// Native joints with the most similar names, for a new joint.
    pub nearest: Vec<String>,
}

/// Changes of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClipChange {
    /// The new name.
    pub renamed: Option<String>,
    /// Frames with changed poses.
    pub frames: Vec<u32>,
    /// Every frame of the clip has changes.
    pub throughout: bool,
    /// Names of the joints with changes.
    pub joints: Vec<String>,
    /// The largest change of a joint's rotation, in degrees.
    pub degrees: f64,
    /// The largest change of a joint's position relative to its parent, in the scene's unit.
    pub furthest: f64,
    /// Seconds missing at the end, which were taken from the native clip.
    pub cut: f64,
    /// The new number of frames, if it changed.
    pub length: Option<u32>,
    /// The extras changed, such as its events.
    pub says: bool,
    /// The edited model lacks the clip, and the native one stays.
    pub absent: bool,
}

/// The report of a comparison: native parts in their order, then new ones.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Recovery {
    /// Meshes.
    pub meshes: Vec<Part<MeshChange>>,
    /// Joints of all skeletons.
    pub joints: Vec<Part<JointChange>>,
    /// Clips.
    pub clips: Vec<Part<ClipChange>>,
    /// Materials.
    pub materials: Vec<Part<MaterialChange>>,
}

impl Recovery {
    /// Returns true if every part is untouched. Then the native file is the result.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        let still = |state: State| state == State::Untouched;
        self.meshes.iter().all(|p| still(p.state))
            && self.joints.iter().all(|p| still(p.state))
            && self.clips.iter().all(|p| still(p.state))
            && self.materials.iter().all(|p| still(p.state))
    }
}
