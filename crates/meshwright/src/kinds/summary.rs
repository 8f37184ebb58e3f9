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
    /// Named motions: those of the file itself, or those that a companion names instead.
    pub clips: usize,
    /// Stored frames, where the format has a frame table.
    pub frames: Option<usize>,
    /// More facts that only this format has.
    pub notes: Vec<String>,
}
