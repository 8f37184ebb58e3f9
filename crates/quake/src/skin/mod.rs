//! The `.skin` companion: the texture of each mesh of a model.

mod read;
mod rules;
mod write;

use alloc::vec::Vec;
use meshwright_core::Report;

/// A skin of a model, from the text file `<model file name>_<number>.skin`.
///
/// One mesh per line: `mesh,texture`. A mesh that no line names is not drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skin {
    /// The lines that name a mesh, in file order.
    pub lines: Vec<SkinLine>,
    /// The findings about the other lines.
    pub report: Report,
}

/// One line of a skin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkinLine {
    /// The mesh's name in the model.
    pub mesh: Vec<u8>,
    /// The texture or shader; empty if the line has none.
    pub texture: Vec<u8>,
}

impl Skin {
    /// Returns the texture of a mesh. Names are case-sensitive, and the last line counts. `None` if no line
    /// has the mesh; then it is not drawn.
    pub fn texture(&self, mesh: &[u8]) -> Option<&[u8]> {
        self.lines.iter().rev().find(|line| line.mesh == mesh).map(|line| line.texture.as_slice())
    }

    /// Returns the meshes in the lines that the model does not have, each once.
    pub fn unused<'s>(&'s self, meshes: &[&[u8]]) -> Vec<&'s [u8]> {
        let mut unused: Vec<&[u8]> = Vec::new();
        for line in &self.lines {
            if !meshes.contains(&&*line.mesh) && !unused.contains(&&*line.mesh) {
                unused.push(&line.mesh);
            }
        }
        unused
    }
}
