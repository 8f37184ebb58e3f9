//! Sets of instructions.

#[cfg(target_arch = "x86_64")]
use super::avx2::{CpuFeatures, with_registers};

/// The instruction set of kernels. One set gives the same bits on every machine and for any number of threads. Two
/// sets differ in the last bits, because a multiplication and addition is rounded once with AVX2 and NEON.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstructionSet(pub(super) Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(CpuFeatures),
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon,
}

impl InstructionSet {
    /// Portable code, for every machine.
    pub const PORTABLE: Self = Self(Instructions::Portable);

    /// Returns the fastest set of this machine. Without the feature `std`, it is that of the build target.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(features) = CpuFeatures::detect() {
            return Self(Instructions::Avx2(features));
        }
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        return Self(Instructions::Neon);
        #[cfg(not(all(target_arch = "aarch64", target_feature = "neon")))]
        Self::PORTABLE
    }

    /// Returns `avx2+fma`, `neon` or `portable`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(_) => "avx2+fma",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Instructions::Neon => "neon",
        }
    }

    /// Runs `f`, and all code inlined into it, with the registers of this set.
    #[inline]
    pub(crate) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        match self.0 {
            Instructions::Portable => f(),
            // All code of such a build uses them.
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Instructions::Neon => f(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(features) => with_registers(features, f),
        }
    }
}

impl core::fmt::Debug for InstructionSet {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

impl core::fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
