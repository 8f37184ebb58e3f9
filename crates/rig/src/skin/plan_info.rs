//! What a plan does.

use crate::kernels::{Data, Layout};
use core::fmt;

/// In which space a skin holds its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VertexSpace {
    /// In model space in the bind pose: `p' = sum(weight * palette * p)`. A vertex whose weights sum to
    /// nothing stays where it is.
    Model,
    /// Weighted, in the space of every joint: `p' = sum(R * position + weight * t)`.
    Joint,
}

/// The kernel that moves a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// One matrix per vertex.
    Single,
    /// One matrix for many vertices in a row.
    Runs,
    /// Two weighted matrices per vertex.
    Two,
    /// Three.
    Three,
    /// Four.
    Four,
    /// Any number.
    Many,
    /// One blend per vertex, each computed once for all vertices nearby that have it.
    Table,
    /// Weighted vertices in the space of every joint.
    JointSpace,
}

/// What a plan does, for logs and tests.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanInfo {
    /// In which space the vertices are held.
    pub space: VertexSpace,
    /// The kernel.
    pub kernel: Kernel,
    /// How many vertices there are.
    pub vertices: usize,
    /// The most influences of a vertex that are not zero.
    pub influences: usize,
    /// How many blends are computed, where they are shared.
    pub table: Option<usize>,
    /// How far joints disagree about a vertex at most, in parts of the mesh's largest coordinate, where vertices that are
    /// stored in the space of every joint are held in the bind pose.
    pub apart: Option<f32>,
    /// How many runs there are, where vertices are moved in runs.
    pub runs: Option<usize>,
    /// Bytes that skinning reads.
    pub bytes: usize,
}

impl fmt::Display for PlanInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {} vertices", self.kernel, self.vertices)?;
        write!(
            f,
            " in {}, ",
            if self.space == VertexSpace::Model { "the bind pose" } else { "joint space" }
        )?;
        write!(f, "at most {} influences", self.influences)?;
        if let Some(blends) = self.table {
            write!(f, ", {blends} blends")?;
        }
        if let Some(runs) = self.runs {
            write!(f, ", {runs} runs")?;
        }
        if let Some(apart) = self.apart {
            write!(f, ", which joints see within {apart:.1e}")?;
        }
        write!(f, ", {} bytes", self.bytes)
    }
}

impl PlanInfo {
    pub(super) fn new(space: VertexSpace, apart: Option<f32>, data: &Data, influences: usize) -> Self {
        let (mut runs_found, mut table) = (None, None);
        let kernel = match data.layout() {
            Layout::Indexed(_) => Kernel::Single,
            Layout::Runs { runs, .. } => {
                runs_found = Some(runs.len());
                Kernel::Runs
            }
            Layout::Fixed { width: 2, .. } => Kernel::Two,
            Layout::Fixed { width: 3, .. } => Kernel::Three,
            Layout::Fixed { .. } => Kernel::Four,
            Layout::Many(_) => Kernel::Many,
            Layout::Table { blends, .. } => {
                table = Some(blends.len());
                Kernel::Table
            }
            Layout::Local { .. } => Kernel::JointSpace,
        };
        let (vertices, bytes) = (data.len(), data.bytes());
        Self { space, kernel, vertices, influences, table, apart, runs: runs_found, bytes }
    }
}
