//! What two models differ in, whatever formats they are of.

mod corners;
mod nearest;
mod parts;
mod posed;
mod vertices;

use meshwright_core::{Budget, LimitExceeded, Limits};
use meshwright_rig::RigError;
use meshwright_scene::Scene;
use std::fmt;

/// How far two models may be apart and still count as the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// How far vertices and bones, in the unit of the scenes; without it, a ten-thousandth of the larger model.
    pub length: Option<f64>,
    /// How far normals, in degrees.
    pub angle: f64,
    /// How far texture coordinates.
    pub uv: f64,
    /// How far colours, from 0 to 1.
    pub color: f64,
    /// At how many frames of a clip vertices are compared; of more, as many are chosen over its whole length.
    pub frames: u32,
    /// What the comparison may take.
    pub limits: Limits,
}

impl Default for DiffOptions {
    fn default() -> Self {
        let color = 1.5 / 255.0;
        Self { length: None, angle: 0.5, uv: 0.001, color, frames: 64, limits: Limits::default() }
    }
}

impl DiffOptions {
    /// The same options with how far vertices and bones may be apart.
    #[must_use]
    pub const fn with_length(mut self, length: Option<f64>) -> Self {
        self.length = length;
        self
    }

    /// The same options with another limit of bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.limits.memory = bytes;
        self
    }
}

/// Something that two models differ in.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// What it is: a stable name, the same for all formats.
    pub code: &'static str,
    /// Where: `clips[walk].frames`.
    pub path: String,
    /// What the first model has, in words; none where the distance says it all.
    pub first: Option<String>,
    /// What the second one has.
    pub second: Option<String>,
    /// How far they are apart, where that is a number.
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

/// What two models differ in, and how far what was compared is apart.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Diff {
    /// All differences.
    pub differences: Vec<Difference>,
    /// How far vertices and bones were allowed to be apart.
    pub tolerance: f64,
    /// The greatest distance of a vertex at rest from where the other model has it.
    pub rest: f64,
    /// Meshes that have the same triangles in another order, which is no difference.
    pub reordered: Vec<String>,
    /// Clips that both have, with the greatest distance of a vertex at any of the frames that were compared.
    pub clips: Vec<(String, f64)>,
}

impl Diff {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Why two models cannot be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// A scene does not fit together.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The comparison would take more memory or work than is allowed.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

/// What two scenes in one space differ in: by field, and by where vertices are, at rest and in every clip that both have.
/// Vertices need not be stored in one order or one number: where they are not, each is held against the nearest of the
/// other model.
///
/// # Errors
/// When a scene does not fit together, or the comparison would take more memory or work than the options allow.
pub fn diff(first: &Scene, second: &Scene, options: &DiffOptions) -> Result<Diff, DiffError> {
    let budget = Budget::new(options.limits);
    let (mut a, mut b) = (vertices::Posed::new(first, &budget)?, vertices::Posed::new(second, &budget)?);
    a.pose(None)?;
    b.pose(None)?;
    let size = vertices::size(a.points()).max(vertices::size(b.points()));
    let length = options.length.unwrap_or(size * 1e-4).max(f64::from(f32::MIN_POSITIVE));
    let mut diff = Diff { tolerance: length, ..Diff::default() };
    parts::meshes(first, second, options, &mut diff);
    parts::materials(first, second, options, &mut diff);
    parts::bones(first, second, &mut diff);
    let clips = parts::clips(first, second, &mut diff);
    posed::compare(first, second, &clips, (&mut a, &mut b), options, &mut diff, &budget)?;
    Ok(diff)
}
