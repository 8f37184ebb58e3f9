//! The inner loops of skinning, on one layout of data: portable, for AVX2 with FMA, and for NEON.
//!
//! A version computes a vertex by the same operations at any position in a range, so that splitting a mesh changes no
//! bit.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "ranges within the vertices, which callers ask for in blocks"
)]

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "checked loads and stores cost these kernels a tenth of their speed; the layout is checked once"
)]
mod avx2;
mod compose;
mod instruction_set;
pub(crate) mod lanes;
mod layout;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
mod output;
mod packed_matrix;
mod portable;

pub(crate) use compose::Bind;
pub use instruction_set::InstructionSet;
pub(crate) use layout::{Attributes, BLOCK, Blends, Data, Layout, MOST, TABLE};
pub use output::{InterleavedLayout, NormalLength, Output};
pub(crate) use output::{Target, Wants};
pub(crate) use packed_matrix::Packed;

use crate::hierarchy::Step;
use crate::joint_pose::Group;
use core::ops::Range;
use glam::Affine3A;
use instruction_set::Instructions;

/// Computes model-space matrices and palette of a pose.
pub(crate) fn compose(
    instructions: InstructionSet,
    steps: &[Step],
    groups: &[Group],
    bind: &[Bind],
    model: &mut [Affine3A],
    palette: &mut [Affine3A],
) {
    match instructions.0 {
        Instructions::Portable => compose::compose(compose::product, steps, groups, bind, model, palette),
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        Instructions::Neon => neon::compose(steps, groups, bind, model, palette),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2(features) => avx2::compose(features, steps, groups, bind, model, palette),
    }
}

/// Returns the layout of matrices of the kernel for `data`.
pub(crate) fn arrangement(instructions: InstructionSet, data: &Data) -> fn(Packed) -> Packed {
    match (instructions.0, data.layout()) {
        #[cfg(target_arch = "x86_64")]
        (
            Instructions::Avx2(_),
            Layout::Indexed(_) | Layout::Fixed { .. } | Layout::Many(_) | Layout::Table { .. },
        ) => |m| m.in_pairs(),
        _ => |m| m,
    }
}

/// Skins the vertices of `range`, which starts and ends at multiples of [`BLOCK`] or at the end. `out` has exactly
/// these vertices.
pub(crate) fn skin(
    instructions: InstructionSet,
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    out: &mut Target<'_>,
) {
    if !out.wants().unit {
        return skin_range(instructions, data, matrices, range, out);
    }
    // Normals are normalised while their block is still in the first-level cache.
    for start in range.clone().step_by(BLOCK) {
        let block = start..range.end.min(start + BLOCK);
        let mut part = out.window(start - range.start..block.end - range.start);
        skin_range(instructions, data, matrices, block, &mut part);
        match instructions.0 {
            Instructions::Portable => part.normalize(),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Instructions::Neon => part.normalize(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(features) => avx2::normalize(features, &mut part),
        }
    }
}

fn skin_range(
    instructions: InstructionSet,
    data: &Data,
    matrices: &[Packed],
    range: Range<usize>,
    out: &mut Target<'_>,
) {
    assert!(matrices.len() >= data.slots(), "fewer matrices than the plan was made for");
    let whole = range.end.is_multiple_of(BLOCK) || range.end == data.len();
    assert!(range.start.is_multiple_of(BLOCK) && whole && range.end <= data.len());
    assert!(out.len() == range.len());
    let wants = out.wants();
    assert!((data.has_normals() || !wants.normals) && (data.has_tangents() || !wants.tangents));
    if range.is_empty() {
        return;
    }
    match instructions.0 {
        Instructions::Portable => portable::skin::<portable::Separately>(data, matrices, range, out),
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        Instructions::Neon => neon::skin(data, matrices, range, out),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2(features) => avx2::skin(features, data, matrices, range, out),
    }
}
