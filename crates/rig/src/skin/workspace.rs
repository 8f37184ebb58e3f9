//! Memory that skinning uses between its steps.

use super::dual_quaternion::Dual;
use crate::kernels::{self, Data, InstructionSet, Packed};
use crate::matrix::Matrix;
use alloc::vec::Vec;
use glam::Quat;
use meshwright_scene::Trs;

/// Memory that skinning uses between its steps, and the instructions it uses. Made once per thread and lent to
/// every call: it grows to what the largest skeleton needs and then stays.
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
    /// For the fastest instructions that the machine has.
    pub fn new() -> Self {
        Self::with_instructions(InstructionSet::detect())
    }

    /// For these instructions.
    pub const fn with_instructions(instructions: InstructionSet) -> Self {
        Self { instructions, matrices: Vec::new(), duals: Vec::new() }
    }

    pub(super) fn reserve(&mut self, joints: usize) {
        self.matrices.reserve(joints);
        self.duals.reserve(joints);
    }

    /// The instructions used.
    pub const fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// The matrices of joints, and the identity.
    pub(super) fn load<M: Matrix>(&mut self, joints: &[M], data: &Data) -> &[Packed] {
        let arrange = kernels::arrangement(self.instructions, data);
        self.matrices.clear();
        self.matrices.extend(joints.iter().map(|m| arrange(Packed::new(m))));
        self.matrices.push(arrange(Packed::IDENTITY));
        &self.matrices
    }

    /// The matrices of joints as dual quaternions, and the identity. Scale and shear are dropped.
    pub(super) fn load_duals<M: Matrix>(&mut self, joints: &[M]) -> &[Dual] {
        self.duals.clear();
        self.duals.extend(joints.iter().map(|m| {
            // Defined for flattened joints and for numbers that are not finite, too.
            let parts = Trs::from_affine(&m.to_affine()).0;
            let q = Quat::from_array(parts.rotation);
            Dual::new(q, parts.translation.into())
        }));
        self.duals.push(Dual::new(Quat::IDENTITY, glam::Vec3::ZERO));
        &self.duals
    }
}
