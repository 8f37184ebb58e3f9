//! Detects instructions of the processor.

/// Proof that this machine has AVX2 and FMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernels) struct CpuFeatures(());

impl CpuFeatures {
    /// Detects the instructions at run time; without the feature `std`, returns those of the build target.
    pub(in crate::kernels) fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let found = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
        #[cfg(not(feature = "std"))]
        let found = cfg!(all(target_feature = "avx2", target_feature = "fma"));
        found.then_some(Self(()))
    }
}

/// Runs `f`, and all code inlined into it, with 256-bit registers.
#[inline]
pub(in crate::kernels) fn with_registers<R>(_: CpuFeatures, f: impl FnOnce() -> R) -> R {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn run<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    // SAFETY: `CpuFeatures` shows that the machine has the instructions.
    unsafe { run(f) }
}
