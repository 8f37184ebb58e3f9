//! The content of a model, in numbers.

/// The content of a model, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Meshes, or runs of triangles with one material.
    pub meshes: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Triangles of all meshes.
    pub triangles: usize,
    /// Bones.
    pub bones: usize,
    /// Named clips: those of the file itself, or those of a companion file that replaces them.
    pub clips: usize,
    /// Stored frames, if the format has a frame table.
    pub frames: Option<usize>,
    /// More facts that only this format has.
    pub notes: Vec<String>,
}
