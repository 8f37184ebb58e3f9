//! Smaller files of the same model, exactly or within stated bounds.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

pub(crate) mod clips;
mod meshes;
mod path;
mod quads;
mod vertices;

use crate::model::Bmd;
use crate::write::Arrangement;
use alloc::vec::Vec;
use meshwright_core::WriteError;

/// What an optimisation may change. By default nothing that decoding or evaluation can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// How far a vertex may move, in units of the model.
    pub position: f64,
    /// How far a normal may turn, in degrees.
    pub normal: f64,
    /// How far a texture coordinate may move.
    pub st: f64,
    /// How far a bone's rotation may be off at a whole frame, in degrees.
    pub angle: f64,
    /// How far a bone's translation may be off at a whole frame, in units of the model.
    pub distance: f64,
    /// How far a bone's scale may be off at a whole frame.
    pub scale: f64,
    /// Avoid what the existing engine's loader gets wrong: no quads, no more primitives than vertices in a
    /// mesh, no key on the last frame of a clip, which moves or drops keys that are there.
    pub engine_safe: bool,
    /// How the file is arranged.
    pub arrangement: Arrangement,
    /// Bytes that the work may take.
    pub memory: u64,
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        Self {
            position: 0.0,
            normal: 0.0,
            st: 0.0,
            angle: 0.0,
            distance: 0.0,
            scale: 0.0,
            engine_safe: false,
            arrangement: Arrangement::Compact,
            memory: 256 << 20,
        }
    }
}

impl OptimizeOptions {
    /// Bounds for vertices: units of the model, degrees of the normal, texture coordinates.
    #[must_use]
    pub const fn with_vertex_bounds(mut self, position: f64, normal: f64, st: f64) -> Self {
        (self.position, self.normal, self.st) = (position, normal, st);
        self
    }

    /// Bounds for keys: degrees, units of the model, scale.
    #[must_use]
    pub const fn with_key_bounds(mut self, angle: f64, distance: f64, scale: f64) -> Self {
        (self.angle, self.distance, self.scale) = (angle, distance, scale);
        self
    }

    /// The same options for files that the existing engine's loader reads rightly, or not.
    #[must_use]
    pub const fn with_engine_safe(mut self, engine_safe: bool) -> Self {
        self.engine_safe = engine_safe;
        self
    }

    /// The same options with another arrangement of the file.
    #[must_use]
    pub const fn with_arrangement(mut self, arrangement: Arrangement) -> Self {
        self.arrangement = arrangement;
        self
    }
}

/// The largest errors of an optimisation, each 0 where nothing changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Units of the model that a vertex moved.
    pub position: f64,
    /// Degrees that a normal turned.
    pub normal: f64,
    /// How far a texture coordinate moved.
    pub st: f64,
    /// Degrees that a bone's rotation is off at a whole frame.
    pub angle: f64,
    /// Units of the model that a bone's translation is off at a whole frame.
    pub distance: f64,
    /// How far a bone's scale is off at a whole frame.
    pub scale: f64,
}

impl Errors {
    fn max(self, other: Self) -> Self {
        Self {
            position: self.position.max(other.position),
            normal: self.normal.max(other.normal),
            st: self.st.max(other.st),
            angle: self.angle.max(other.angle),
            distance: self.distance.max(other.distance),
            scale: self.scale.max(other.scale),
        }
    }
}

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
        let mut model = Self { layout: None, ..self.clone() };
        let arranged = model.to_bytes_as(options.arrangement)?.len();
        let plain = model.clone();
        let mut made = Errors::default();
        meshes::rebuild(&mut model, options, &mut made);
        let mut meshes = model.to_bytes_as(options.arrangement)?.len();
        // The old form of texture coordinates is told by single vertices: without them others would be misread.
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

/// The distance of two points.
fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    if a == b {
        return 0.0;
    }
    crate::math::sqrt(a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum())
}
