//! The differences of two models of any formats.

mod corners;
mod fields;
mod nearest;
mod posed;
mod vertices;

use crate::error::Error;
use meshwright_core::{Budget, Limits};
use meshwright_scene::Scene;
use std::fmt;

/// The differences up to which two models are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The distance of vertices and bones, in the unit of the scenes; by default, a ten-thousandth of the larger
    /// model.
    pub length: Option<f64>,
    /// The angle between normals, in degrees.
    pub angle: f64,
    /// The distance of texture coordinates.
    pub uv: f64,
    /// The difference of colours, from 0 to 1.
    pub color: f64,
    /// The maximum number of frames of a clip at which vertices are compared. In longer clips they are spread over the
    /// whole length.
    pub frames: u32,
    /// The limits of the comparison.
    pub limits: Limits,
}

impl Default for DiffOptions {
    fn default() -> Self {
        let color = 1.5 / 255.0;
        Self { length: None, angle: 0.5, uv: 0.001, color, frames: 64, limits: Limits::default() }
    }
}

impl DiffOptions {
    meshwright_core::setters! {
        /// Returns the same options with another tolerance for vertices and bones.
        with_length(length: Option<f64>): length;
        /// Returns the same options with another limit of bytes.
        with_memory(bytes: u64): limits.memory;
    }
}

/// Something that two models differ in.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The kind of difference: a stable name, the same for all formats.
    pub code: &'static str,
    /// The field: `clips[walk].frames`.
    pub path: String,
    /// The value in the first model; `None` if the amount is sufficient.
    pub first: Option<String>,
    /// The value in the second model.
    pub second: Option<String>,
    /// The amount, if it is a number.
    pub amount: Option<f64>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}:", self.code, self.path)?;
        if let (Some(first), Some(second)) = (&self.first, &self.second) {
            write!(f, " {first} / {second}")?;
        }
        match self.amount {
            Some(amount) if amount.is_finite() => write!(f, " {amount:.6} apart"),
            Some(_) => f.write_str(" nothing there to compare with"),
            None => Ok(()),
        }
    }
}

/// The differences of two models, and the measured distances.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Diff {
    /// All differences.
    pub differences: Vec<Difference>,
    /// The allowed distance of vertices and bones.
    pub tolerance: f64,
    /// The greatest distance between equal vertices of both models at rest.
    pub rest: f64,
    /// Meshes that have the same triangles in another order, which does not count as a difference.
    pub reordered: Vec<String>,
    /// The clips of both models, with the greatest distance between equal vertices at the compared frames.
    pub clips: Vec<(String, f64)>,
}

impl Diff {
    /// Returns true if nothing differs.
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Compares two scenes in the same space: by field, and by the positions of vertices, at rest and in every common
/// clip. The models may have other orders or numbers of vertices: then each vertex is compared with the nearest one
/// of the other model.
///
/// # Errors
/// If a scene is invalid, or the comparison would take more memory or work than the options allow.
pub fn diff(first: &Scene, second: &Scene, options: &DiffOptions) -> Result<Diff, Error> {
    let budget = Budget::new(options.limits);
    let (mut a, mut b) = (vertices::Posed::new(first, &budget)?, vertices::Posed::new(second, &budget)?);
    a.pose(None)?;
    b.pose(None)?;
    let size = vertices::size(a.points()).max(vertices::size(b.points()));
    let length = options.length.unwrap_or(size * 1e-4).max(f64::from(f32::MIN_POSITIVE));
    let mut diff = Diff { tolerance: length, ..Diff::default() };
    fields::meshes(first, second, options, &mut diff);
    fields::materials(first, second, options, &mut diff);
    fields::bones(first, second, &mut diff);
    let clips = fields::clips(first, second, &mut diff);
    posed::compare(first, second, &clips, (&mut a, &mut b), options, &mut diff, &budget)?;
    Ok(diff)
}
