//! Descriptions of plans.

use crate::kernels::{Data, Layout};
use core::fmt;

/// The space of the vertices of a skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VertexSpace {
    /// Model space in the bind pose: `p' = sum(weight * palette * p)`. A vertex whose weights sum to 0 does not move.
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
    /// One matrix for many neighbouring vertices.
    Runs,
    /// Two weighted matrices per vertex.
    Two,
    /// Three weighted matrices per vertex.
    Three,
    /// Four weighted matrices per vertex.
    Four,
    /// Any number of weighted matrices per vertex.
    Many,
    /// One blend per vertex, computed once for all vertices nearby that share it.
    Table,
    /// Weighted vertices in the space of every joint.
    JointSpace,
}

/// A description of a plan, for logs and tests.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanInfo {
    /// The space of the vertices.
    pub space: VertexSpace,
    /// The kernel.
    pub kernel: Kernel,
    /// The number of vertices.
    pub vertices: usize,
    /// The largest number of influences of a vertex that are not zero.
    pub influences: usize,
    /// The number of blends, if vertices share them.
    pub table: Option<usize>,
    /// The largest disagreement of joints about a vertex, relative to the largest coordinate of the mesh, if
    /// joint-space vertices are stored in the bind pose.
    pub disagreement: Option<f32>,
    /// The number of runs, if vertices are moved in runs.
    pub runs: Option<usize>,
    /// The bytes that skinning reads.
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
        if let Some(disagreement) = self.disagreement {
            write!(f, ", which joints see within {disagreement:.1e}")?;
        }
        write!(f, ", {} bytes", self.bytes)
    }
}

impl PlanInfo {
    pub(super) fn new(space: VertexSpace, disagreement: Option<f32>, data: &Data, influences: usize) -> Self {
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
        Self { space, kernel, vertices, influences, table, disagreement, runs: runs_found, bytes }
    }
}
