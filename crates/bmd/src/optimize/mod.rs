//! Smaller files of the same model, exactly or within stated bounds.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

pub(crate) mod clips;
mod meshes;
mod options;
mod path;
mod quads;
mod vertices;

pub use options::{Errors, OptimizeOptions};

use crate::model::Bmd;
use alloc::vec::Vec;
use meshwright_core::WriteError;

/// An optimised model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Optimized {
    /// The model. Written in the arrangement that was asked for it has `bytes`.
    pub model: Bmd,
    /// The file.
    pub bytes: Vec<u8>,
    /// Bytes before, and after each stage.
    pub sizes: Sizes,
    /// What was given up.
    pub errors: Errors,
}

/// Sizes of the file as it shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// As the model was.
    pub before: usize,
    /// Arranged anew, gaps and padding gone.
    pub arranged: usize,
    /// With meshes rebuilt: vertices, primitives, materials.
    pub meshes: usize,
    /// With keys chosen anew; the size of the result.
    pub clips: usize,
}

impl Bmd {
    /// The same model in fewer bytes.
    ///
    /// Vertices that no triangle uses go, equal ones become one, each takes the smallest kind that decodes to
    /// the same within the bounds. Meshes of one material at the same levels of detail are joined, or divided,
    /// to so many vertices as make the primitives small; pairs of triangles become quads. Keys are chosen as
    /// the cheapest path through all whole frames that stays within the bounds. Meshes that are not drawn, and
    /// solids, stay as they are.
    ///
    /// Without bounds every triangle decodes to the same bits, and every bone has the same values at whole
    /// frames, bit for bit in single precision.
    ///
    /// # Errors
    /// When the model breaks a rule of the format, or the work would take more memory than the options allow.
    pub fn optimize(&self, options: &OptimizeOptions) -> Result<Optimized, WriteError> {
        let before = self.to_bytes()?.len();
        let elements: u64 = self
            .meshes
            .iter()
            .map(|m| (m.vertices.len() as u64).saturating_add(m.primitives.len() as u64))
            .sum();
        let wanted = elements.saturating_mul(ELEMENT);
        if wanted > options.memory {
            return Err(WriteError::Limit { what: "meshes", wanted, limit: options.memory });
        }
        let mut errors = Errors::default();
        let mut model = self.clone();
        model.discard_layout();
        let arranged = model.to_bytes_as(options.arrangement)?.len();
        let plain = model.clone();
        let mut made = Errors::default();
        meshes::rebuild(&mut model, options, &mut made);
        let mut meshes = model.to_bytes_as(options.arrangement)?.len();
        // Single vertices show the old form of texture coordinates: without them others would be misread.
        let misread = model.st_form() != plain.st_form()
            && model.meshes.iter().any(|m| m.vertices.iter().any(|v| v.st14().is_some()));
        if (meshes > arranged && !options.engine_safe) || misread {
            (model.meshes, model.lods, model.bones) = (plain.meshes, plain.lods, plain.bones);
            meshes = arranged;
        } else {
            errors = errors.max(made);
        }
        clips::reduce(&mut model.clips, options, &mut errors);
        let bytes = model.to_bytes_as(options.arrangement)?;
        let sizes = Sizes { before, arranged, meshes, clips: bytes.len() };
        Ok(Optimized { model, bytes, sizes, errors })
    }
}

/// Bytes of working memory for a vertex or primitive.
const ELEMENT: u64 = 160;
