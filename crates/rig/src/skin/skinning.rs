//! Skinning into the caller's memory.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use super::plan::SkinPlan;
use super::workspace::Workspace;
use crate::error::RigError;
use crate::kernels::{self, InstructionSet, NormalLength, Output, Packed};
#[cfg(feature = "rayon")]
use crate::kernels::{BLOCK, Data, Target};
use crate::matrix::Matrix;
use crate::pose::Pose;
use meshwright_scene::MeshPose;

/// Meshes with fewer vertices are skinned on one thread.
#[cfg(feature = "rayon")]
const PARALLEL_FROM: usize = 16 * 1024;

impl SkinPlan {
    /// Writes the vertices in a pose to the caller's memory, computed in 32 bits. It allocates only until the
    /// workspace is large enough.
    ///
    /// Influences of weight zero are skipped. A matrix that is not finite affects only the vertices that follow it.
    ///
    /// # Errors
    ///
    /// If a length does not fit, or if the mesh does not have a requested attribute.
    pub fn skin<M: Matrix>(
        &self,
        pose: &Pose<M>,
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        self.skin_with(self.matrices(pose), work, out)
    }

    /// Returns the vertices in a pose: positions, and normals if the mesh has them.
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton.
    pub fn skin_to_vec<M: Matrix>(
        &self,
        pose: &Pose<M>,
        length: NormalLength,
        work: &mut Workspace,
    ) -> Result<MeshPose, RigError> {
        let mut vertices = self.new_mesh_pose();
        let out = Output::positions(&mut vertices.positions).with_normal_length(length);
        let out = if self.has_normals() { out.with_normals(&mut vertices.normals) } else { out };
        self.skin(pose, work, out)?;
        Ok(vertices)
    }

    /// Returns memory for the vertices in a pose.
    pub(crate) fn new_mesh_pose(&self) -> MeshPose {
        let normals = if self.has_normals() { self.vertex_count() } else { 0 };
        MeshPose {
            positions: alloc::vec![[0.0; 3]; self.vertex_count()],
            normals: alloc::vec![[0.0; 3]; normals],
        }
    }

    /// Skins with matrices of the caller, one per joint; see [`matrices`](Self::matrices).
    ///
    /// # Errors
    ///
    /// The same as for [`skin`](Self::skin).
    pub fn skin_with<M: Matrix>(
        &self,
        matrices: &[M],
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        let mut out = self.fit(matrices.len(), out)?;
        let instructions = work.instructions();
        let slots = self.prepare(matrices, work)?;
        kernels::skin(instructions, &self.data, slots, 0..self.data.len(), &mut out);
        Ok(())
    }

    /// Prepares the matrices that kernels read.
    pub(super) fn prepare<'w, M: Matrix>(
        &self,
        matrices: &[M],
        work: &'w mut Workspace,
    ) -> Result<&'w [Packed], RigError> {
        RigError::length("joints of the pose", self.joint_count(), matrices.len())?;
        Ok(work.load(matrices, &self.data))
    }

    /// Skins the vertices of one range, which starts at a multiple of a block.
    pub(super) fn piece(
        &self,
        instructions: InstructionSet,
        slots: &[Packed],
        range: core::ops::Range<usize>,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        let mut out = out.fit(range.len(), self.has())?;
        kernels::skin(instructions, &self.data, slots, range, &mut out);
        Ok(())
    }

    /// Skins a large mesh on this thread and those of the current rayon pool. The result is the same to the bit. It
    /// allocates one small job per further thread.
    ///
    /// # Errors
    ///
    /// The same as for [`skin`](Self::skin).
    #[cfg(feature = "rayon")]
    pub fn skin_parallel<M: Matrix>(
        &self,
        pose: &Pose<M>,
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        self.skin_parallel_with(self.matrices(pose), work, out)
    }

    /// Skins on all threads with matrices of the caller.
    ///
    /// # Errors
    ///
    /// The same as for [`skin`](Self::skin).
    #[cfg(feature = "rayon")]
    pub fn skin_parallel_with<M: Matrix>(
        &self,
        matrices: &[M],
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        let threads = rayon::current_num_threads();
        if self.vertex_count() < PARALLEL_FROM || threads < 2 {
            return self.skin_with(matrices, work, out);
        }
        let out = self.fit(matrices.len(), out)?;
        let instructions = work.instructions();
        let slots = work.load(matrices, &self.data);
        // Eight pieces per thread balance other load on the machine.
        let piece = (self.data.len() / (8 * threads)).max(PARALLEL_FROM / 4).next_multiple_of(BLOCK);
        let threads = threads.min(self.data.len().div_ceil(piece));
        skin_parallel(instructions, &self.data, slots, piece, threads, out);
        Ok(())
    }
}

impl Workspace {
    /// Reserves all memory that a plan needs, so that the first call does not allocate either.
    #[must_use]
    pub fn reserved_for(mut self, plan: &SkinPlan) -> Self {
        self.reserve(plan.joint_count() + 1);
        self
    }
}

/// The vertices that no thread has started yet.
#[cfg(feature = "rayon")]
struct Remaining<'a> {
    first: usize,
    out: Target<'a>,
}

/// Skins in pieces of `piece` vertices, which are whole blocks. Free threads take the next piece. The calling thread
/// starts at once: waking another thread costs as much as skinning about ten thousand vertices.
#[cfg(feature = "rayon")]
fn skin_parallel(
    instructions: InstructionSet,
    data: &Data,
    slots: &[Packed],
    piece: usize,
    threads: usize,
    out: Target<'_>,
) {
    let rest = std::sync::Mutex::new(Some(Remaining { first: 0, out }));
    let take = || {
        let mut rest = rest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Remaining { first, out } = rest.take()?;
        if out.len() <= piece {
            return Some((first, out));
        }
        let (part, others) = out.split(piece);
        *rest = Some(Remaining { first: first + piece, out: others });
        Some((first, part))
    };
    let work = || {
        while let Some((first, mut part)) = take() {
            kernels::skin(instructions, data, slots, first..first + part.len(), &mut part);
        }
    };
    rayon::in_place_scope(|scope| {
        (1..threads).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}
