//! What the machine supports.

/// Proof that this machine has AVX2 and FMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernels) struct CpuFeatures(());

impl CpuFeatures {
    /// Detected at run time; without the feature `std`, what the build is for.
    pub(in crate::kernels) fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let found = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
        #[cfg(not(feature = "std"))]
        let found = cfg!(all(target_feature = "avx2", target_feature = "fma"));
        found.then_some(Self(()))
    }
}

/// Runs what is inlined into `f` with 256-bit registers.
#[inline]
pub(in crate::kernels) fn with_registers<R>(_: CpuFeatures, f: impl FnOnce() -> R) -> R {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn with<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    // SAFETY: `CpuFeatures` shows that the machine has the instructions.
    unsafe { with(f) }
}
