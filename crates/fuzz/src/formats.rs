//! Bytes as a file of one format.
//!
//! Functions are inlined into the one program that calls them: a program is instrumented no further than its target
//! reaches, which makes it fast.

use super::LIMITS;
use meshwright_bmd::Bmd;
use meshwright_core::ReadOptions;
use meshwright_crucible::{CModel, Chunk, CrucibleOptions, Dialect, SkeletonChunk};
use meshwright_dpm::{Dpm, Zym};
use meshwright_fsomodel::{self as fso, FsoModel, FsoOptions, Metadata};
use meshwright_quake::FrameGroups;
use meshwright_testkit::laws::{Format, answer, refusal};
use meshwright_tso::{Anim, Bmf, Bnd, Mesh, Skel, Skn};
use std::fmt::Debug;

/// An answer, strictly, and leniently where that is a refusal. Of every eighth input the refusal is looked at
/// closely, which takes as long as all the rest.
fn answered<M>(format: &Format<M>, bytes: &[u8]) {
    for options in [ReadOptions::default(), ReadOptions::lenient()] {
        match (format.parse_with)(bytes, &options.with_limits(LIMITS)) {
            Ok(_) => return,
            Err(e) if bytes.last().is_some_and(|b| b % 8 == 0) => refusal(&e, bytes.len()),
            Err(_) => {}
        }
    }
}

/// [`answer`] within the limits.
pub(crate) fn comes_back<M: PartialEq + Debug>(format: &Format<M>, bytes: &[u8]) {
    let parse_with =
        |bytes: &[u8], options: &ReadOptions| (format.parse_with)(bytes, &options.with_limits(LIMITS));
    answer(bytes, bytes.len(), parse_with, format.validate, format.to_bytes);
}

/// The verbs of a format.
macro_rules! verbs {
    ($model:ident) => {
        verbs!($model, $model::parse_with)
    };
    ($model:ident, $parse:expr) => {
        Format { parse_with: $parse, validate: $model::validate, to_bytes: $model::to_bytes }
    };
}

/// The verbs of a format with dialects: the bytes decide, or one is insisted on, by the last byte.
macro_rules! dialects {
    ($bytes:ident, $model:ident::$parse:ident, $options:ident, $($dialect:expr),+) => {{
        let among = [
            verbs!($model, |b, o| $model::$parse(b, &$options::from(*o)).map(|p| p.map($model::into_owned))),
            $(verbs!($model, |b, o| {
                let options = $options::from(*o).with_dialect($dialect);
                $model::$parse(b, &options).map(|p| p.map($model::into_owned))
            })),+
        ];
        among[usize::from($bytes.last().copied().unwrap_or(0) / 8) % among.len()]
    }};
}

macro_rules! formats {
    ($($name:ident: |$bytes:ident| $format:expr, $file:expr;)+) => {
        /// An answer, strictly and leniently.
        pub mod parse {
            use super::*;
            $(#[doc = concat!("As `.", stringify!($name), "`.")]
            #[inline]
            pub fn $name($bytes: &[u8]) {
                answered(&$format, &$file);
            })+
        }

        /// What opens is validated, written and read again.
        pub mod round {
            use super::*;
            $(#[doc = concat!("As `.", stringify!($name), "`.")]
            #[inline]
            pub fn $name($bytes: &[u8]) {
                comes_back(&$format, &$file);
            })+
        }
    };
}

formats! {
    bmd: |bytes| verbs!(Bmd), bytes;
    cmesh: |bytes| dialects!(
        bytes, Chunk::parse_with, CrucibleOptions, Dialect::Seed, Dialect::Tangent, Dialect::Bone32
    ), bytes;
    cmodel: |bytes| verbs!(CModel, |b, o| CModel::parse_with(b, o).map(|p| p.map(CModel::into_owned))), bytes;
    cskel: |bytes| verbs!(SkeletonChunk), bytes;
    lz4: |bytes| verbs!(Chunk, |b, o| Chunk::parse_with(b, o).map(|p| p.map(Chunk::into_owned))), block(bytes);
    dpm: |bytes| verbs!(Dpm), bytes;
    zym: |bytes| verbs!(Zym), bytes;
    framegroups: |bytes| verbs!(FrameGroups), bytes;
    fom: |bytes| dialects!(
        bytes, FsoModel::parse_with, FsoOptions, fso::Dialect::Seed44, fso::Dialect::Doc56, fso::Dialect::Gl3
    ), bytes;
    json: |bytes| {
        verbs!(Metadata)
    }, bytes;
    mesh: |bytes| verbs!(Mesh), bytes;
    skel: |bytes| verbs!(Skel), bytes;
    anim: |bytes| verbs!(Anim), bytes;
    bnd: |bytes| verbs!(Bnd), bytes;
    bmf: |bytes| verbs!(Bmf), bytes;
    skn: |bytes| verbs!(Skn), bytes;
}

/// A Crucible mesh chunk of nothing but an LZ4 block; the first two bytes say how long it is when decoded.
fn block(bytes: &[u8]) -> Vec<u8> {
    let (size, block) = bytes.split_at(bytes.len().min(2));
    let size = size.iter().rev().fold(0, |size, byte| size << 8 | u32::from(*byte));
    let packed = u32::try_from(block.len()).unwrap_or(u32::MAX);
    // One attribute of the vertices, and no indices.
    let mut file = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x10, 0];
    for number in [packed, size] {
        file.extend(number.to_le_bytes());
    }
    file.extend(block);
    file
}
