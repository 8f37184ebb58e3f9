//! The inner loops of skinning, on one layout of data, in two versions: portable, and for machines with AVX2
//! and FMA.
//!
//! Every version computes a vertex by the same operations wherever the vertex lies in a range, so that
//! splitting a mesh changes no bit.

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "checked loads and stores cost these kernels a tenth of their speed; the layout is checked once"
)]
mod avx2;
mod compose;
pub(crate) mod lanes;
mod layout;
mod output;
mod scalar;

pub(crate) use compose::Bind;
pub(crate) use layout::{Attributes, BLOCK, Blends, Data, Layout, TABLE};
pub use output::{Interleaved, Output};
pub(crate) use output::{Target, Wants};

use crate::local::Group;
use crate::matrix::Matrix;
use crate::rig::Step;
use core::ops::Range;
use glam::{Affine3A, Vec4};

/// The instructions that kernels use. One path gives the same bits on every machine and on any number of
/// threads; two paths differ in the last places, because AVX2's multiplication and addition round once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Path(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Proof),
}

impl Path {
    /// What every machine has.
    pub const PORTABLE: Self = Self(Instructions::Portable);

    /// The fastest that this machine has. Without the feature `std` that is what the build is for.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = avx2::Proof::detect() {
            return Self(Instructions::Avx2(proof));
        }
        Self::PORTABLE
    }

    /// `avx2+fma` or `portable`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(_) => "avx2+fma",
        }
    }
}

impl core::fmt::Debug for Path {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// An affine matrix as two 256-bit registers see it: x and y axis, z axis and translation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Packed {
    pub(crate) x: Vec4,
    pub(crate) y: Vec4,
    pub(crate) z: Vec4,
    pub(crate) w: Vec4,
}

const _: () = assert!(size_of::<Packed>() == 64 && align_of::<Packed>() == 32);
const _: () = assert!(BLOCK.is_multiple_of(TABLE));

impl Packed {
    pub(crate) const IDENTITY: Self = Self { x: Vec4::X, y: Vec4::Y, z: Vec4::Z, w: Vec4::W };

    pub(crate) fn new<M: Matrix>(m: &M) -> Self {
        let [x, y, z, w] = m.columns();
        Self { x, y, z, w }
    }

    /// The same numbers with x beside y and z beside the translation, row by row: the product with a vector
    /// then is a sum of neighbours.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn in_pairs(&self) -> Self {
        let Self { x, y, z, w } = *self;
        Self {
            x: Vec4::new(x.x, y.x, x.y, y.y),
            y: Vec4::new(x.z, y.z, 0.0, 0.0),
            z: Vec4::new(z.x, w.x, z.y, w.y),
            w: Vec4::new(z.z, w.z, 0.0, 0.0),
        }
    }
}

/// Model-space matrices and palette of a pose.
pub(crate) fn compose(
    path: Path,
    steps: &[Step],
    groups: &[Group],
    bind: &[Bind],
    model: &mut [Affine3A],
    palette: &mut [Affine3A],
) {
    match path.0 {
        Instructions::Portable => compose::compose(steps, groups, bind, model, palette),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2(proof) => avx2::compose(proof, steps, groups, bind, model, palette),
    }
}

impl Path {
    /// Runs what is inlined into `f` with the registers of this path.
    #[inline]
    pub(crate) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        match self.0 {
            Instructions::Portable => f(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(proof) => avx2::with_registers(proof, f),
        }
    }
}

/// How the kernel for `data` wants its matrices.
pub(crate) fn arrangement(path: Path, data: &Data) -> fn(Packed) -> Packed {
    match (path.0, data.layout()) {
        #[cfg(target_arch = "x86_64")]
        (
            Instructions::Avx2(_),
            Layout::Indexed(_) | Layout::Fixed { .. } | Layout::Many(_) | Layout::Table { .. },
        ) => |m| m.in_pairs(),
        _ => |m| m,
    }
}

/// Skins the vertices of `range`, which starts and ends at multiples of [`BLOCK`] or at the end; `out` holds
/// exactly those.
pub(crate) fn skin(path: Path, data: &Data, matrices: &[Packed], range: Range<usize>, out: &mut Target<'_>) {
    if !out.wants().unit {
        return skin_range(path, data, matrices, range, out);
    }
    // Lengths are mended while a block is still in the first cache.
    for start in range.clone().step_by(BLOCK) {
        let block = start..range.end.min(start + BLOCK);
        let mut part = out.window(start - range.start..block.end - range.start);
        skin_range(path, data, matrices, block, &mut part);
        match path.0 {
            Instructions::Portable => part.normalize(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(proof) => avx2::normalize(proof, &mut part),
        }
    }
}

fn skin_range(path: Path, data: &Data, matrices: &[Packed], range: Range<usize>, out: &mut Target<'_>) {
    assert!(matrices.len() >= data.slots(), "fewer matrices than the plan was made for");
    let whole = range.end.is_multiple_of(BLOCK) || range.end == data.len();
    assert!(range.start.is_multiple_of(BLOCK) && whole && range.end <= data.len());
    assert!(out.len() == range.len());
    let wants = out.wants();
    assert!((data.has_normals() || !wants.normals) && (data.has_tangents() || !wants.tangents));
    if range.is_empty() {
        return;
    }
    match path.0 {
        Instructions::Portable => scalar::skin(data, matrices, range, out),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2(proof) => avx2::skin(proof, data, matrices, range, out),
    }
}
