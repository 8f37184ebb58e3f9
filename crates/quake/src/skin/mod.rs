//! The `.skin` companion: which texture each mesh of a model has.

mod read;
mod rules;

use alloc::vec::Vec;
use meshwright_core::Report;

/// A skin of a model, from the text file `<model file name>_<number>.skin`.
///
/// One mesh per line: `mesh,texture`. A mesh that no line names is not drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skin {
    /// The lines that name a mesh, in their order.
    pub lines: Vec<SkinLine>,
    /// What is odd about the others.
    pub report: Report,
}

/// One line of a skin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkinLine {
    /// The mesh, as the model calls it.
    pub mesh: Vec<u8>,
    /// Its texture, or the shader that it names; empty where the line has none.
    pub texture: Vec<u8>,
}

impl Skin {
    /// What the skin gives a mesh, whose name is compared with its case: of several lines the last counts. None for a
    /// mesh that no line names, which is not drawn.
    pub fn texture(&self, mesh: &[u8]) -> Option<&[u8]> {
        self.lines.iter().rev().find(|line| line.mesh == mesh).map(|line| line.texture.as_slice())
    }

    /// The meshes of lines that none of a model's meshes is called like, each once.
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
