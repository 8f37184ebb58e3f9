//! What came back of a model.

use alloc::string::String;
use alloc::vec::Vec;

/// What became of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// It is the native one, bit for bit.
    #[default]
    Untouched,
    /// Some of it is not.
    Edited,
    /// The native model has no such part.
    New,
    /// The edited model has no such part.
    Gone,
}

impl State {
    /// The word for it.
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

/// A part of a model and what became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part<T> {
    /// Its name in the native model, or in the edited one where it is new.
    pub name: String,
    /// What became of it.
    pub state: State,
    /// How it was edited.
    pub change: T,
}

/// How a mesh was edited.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshChange {
    /// Vertices that moved.
    pub moved: usize,
    /// How far the furthest moved, in the scene's unit.
    pub furthest: f64,
    /// Vertices whose normals turned.
    pub normals: usize,
    /// Vertices with other texture coordinates.
    pub uvs: usize,
    /// Vertices with other colours.
    pub colors: usize,
    /// Vertices that follow other joints, or follow them more or less.
    pub weights: usize,
    /// Vertices that are new.
    pub added: usize,
    /// Vertices that are gone.
    pub removed: usize,
    /// Triangles that are new.
    pub triangles_added: usize,
    /// Triangles that are gone.
    pub triangles_removed: usize,
    /// It has another material.
    pub material: bool,
    /// It, or the node that draws it, has another name now.
    pub renamed: Option<String>,
    /// Its node stands elsewhere.
    pub placed: bool,
}

/// How a material was edited.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MaterialChange {
    /// It has another name now.
    pub renamed: Option<String>,
    /// It has another colour.
    pub color: bool,
    /// It has another picture.
    pub picture: bool,
}

/// How a joint was edited.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JointChange {
    /// It has another name now.
    pub renamed: Option<String>,
    /// How far it moved in the rest pose, in the scene's unit.
    pub moved: f64,
    /// It hangs from another joint.
    pub parent: bool,
    /// Native joints whose names are nearest, of a joint that is new.
    pub nearest: Vec<String>,
}

/// How a clip was edited.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClipChange {
    /// It has another name now.
    pub renamed: Option<String>,
    /// Frames in which something moves otherwise.
    pub frames: Vec<u32>,
    /// These are all frames of the clip.
    pub throughout: bool,
    /// The joints that do, by name.
    pub joints: Vec<String>,
    /// The most that a joint turns otherwise, in degrees.
    pub degrees: f64,
    /// The furthest that a joint stands from where it stood on its parent, in the scene's unit.
    pub furthest: f64,
    /// Seconds at the end that are missing and were taken from the native clip.
    pub cut: f64,
    /// How many frames it has now, where that is another number.
    pub length: Option<u32>,
    /// It says other things, such as its events.
    pub says: bool,
    /// The edited model has no such clip, and the native one stays.
    pub absent: bool,
}

/// What came back of a model, part by part: native parts in their order, then new ones.
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
    /// True where every part is the native one: then the native file is the result.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        let still = |state: State| state == State::Untouched;
        self.meshes.iter().all(|p| still(p.state))
            && self.joints.iter().all(|p| still(p.state))
            && self.clips.iter().all(|p| still(p.state))
            && self.materials.iter().all(|p| still(p.state))
    }
}
