//! Memory that skinning uses between its steps.

use super::dual::Dual;
use crate::kernels::{self, Data, InstructionSet, Packed};
use crate::matrix::Matrix;
use alloc::vec::Vec;
use glam::Quat;
use meshwright_scene::Trs;

/// Memory that skinning uses between its steps, and its instruction set. Create one per thread and pass it
/// to every call. It grows to the size of the largest skeleton.
#[derive(Clone, Debug)]
pub struct Workspace {
    instructions: InstructionSet,
    matrices: Vec<Packed>,
    duals: Vec<Dual>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

impl Workspace {
    /// Makes a workspace for the fastest instruction set of the machine.
    pub fn new() -> Self {
        Self::with_instructions(InstructionSet::detect())
    }

    /// Makes a workspace for an instruction set.
    pub const fn with_instructions(instructions: InstructionSet) -> Self {
        Self { instructions, matrices: Vec::new(), duals: Vec::new() }
    }

    pub(super) fn reserve(&mut self, joints: usize) {
        self.matrices.reserve(joints);
        self.duals.reserve(joints);
    }

    /// Returns the instruction set.
    pub const fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// Loads the matrices of joints, and the identity.
    pub(super) fn load<M: Matrix>(&mut self, joints: &[M], data: &Data) -> &[Packed] {
        let arrange = kernels::arrangement(self.instructions, data);
        self.matrices.clear();
        self.matrices.extend(joints.iter().map(|m| arrange(Packed::new(m))));
        self.matrices.push(arrange(Packed::IDENTITY));
        &self.matrices
    }

    /// Loads the matrices of joints as dual quaternions, and the identity. Scale and shear are dropped.
    pub(super) fn load_duals<M: Matrix>(&mut self, joints: &[M]) -> &[Dual] {
        self.duals.clear();
        self.duals.extend(joints.iter().map(|m| {
            // The decomposition also works for flat matrices and for numbers that are not finite.
            let parts = Trs::from_affine(&m.to_affine()).0;
            let q = Quat::from_array(parts.rotation);
            Dual::new(q, parts.translation.into())
        }));
        self.duals.push(Dual::new(Quat::IDENTITY, glam::Vec3::ZERO));
        &self.duals
    }
}
