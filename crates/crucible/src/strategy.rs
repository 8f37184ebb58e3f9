//! Generators of valid models for property tests: random bits in every field, and consistent sizes.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "generators of test values")]

use crate::{
    Attribute, AttributeFlag, AttributeStream, Bone, CModel, Chunk, Dialect, IndexSize, SkeletonChunk, Stream,
};
use alloc::borrow::Cow;
use meshwright_core::F32;
use proptest::collection::vec;
use proptest::prelude::*;
use std::vec::Vec;

/// Any dialect.
pub fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

/// Generates chunks of a dialect with any of its attributes in any order. They are read correctly if the
/// reader is given the dialect.
pub fn chunk(dialect: Dialect) -> impl Strategy<Value = Chunk<'static>> {
    let known: Vec<_> = Attribute::ALL.into_iter().filter(|a| a.flag(dialect).is_some()).collect();
    let most = known.len();
    (prop::sample::subsequence(known, 0..=most).prop_shuffle(), 0_usize..20).prop_flat_map(
        move |(attributes, n)| {
            let n = if attributes.is_empty() { 0 } else { n };
            let one = move |a: Attribute| {
                let flag = a.flag(dialect).unwrap_or_default();
                bits(n * a.size(dialect)).prop_map(move |data| stream(flag, data))
            };
            let streams: Vec<_> = attributes.into_iter().map(one).collect();
            let indices = vec(0..n.max(1), if n == 0 { 0..1 } else { 0..40 });
            (streams, indices, index_size(), tail()).prop_map(move |(streams, indices, index_size, tail)| {
                let width = index_size.bytes();
                let bytes = indices.iter().flat_map(|i| i.to_le_bytes().into_iter().take(width));
                Chunk {
                    dialect,
                    index_size,
                    indices: Stream::new(bytes.collect()),
                    streams,
                    tail: Cow::Owned(tail),
                }
            })
        },
    )
}

fn stream(flag: AttributeFlag, data: Vec<u8>) -> AttributeStream<'static> {
    AttributeStream { flag, stream: Stream::new(data) }
}

/// Generates bytes that compress and bytes that do not.
fn bits(len: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), len), any::<u8>().prop_map(move |b| std::vec![b; len])]
}

fn index_size() -> impl Strategy<Value = IndexSize> {
    prop_oneof![4 => Just(IndexSize::U16), 4 => Just(IndexSize::U32), 1 => any::<u8>().prop_map(IndexSize)]
}

fn tail() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => Just(Vec::new()), 1 => vec(any::<u8>(), 1..9)]
}

/// Containers of chunks of one dialect.
pub fn cmodel(dialect: Dialect) -> impl Strategy<Value = CModel<'static>> {
    (vec(chunk(dialect), 0..4), tail()).prop_map(|(meshes, tail)| CModel { meshes, tail: Cow::Owned(tail) })
}

/// Generates trees of bones with the root anywhere, and bone numbers in any order.
pub fn skeleton() -> impl Strategy<Value = SkeletonChunk> {
    let floats = |n| vec(any::<u32>().prop_map(F32::from_bits), n);
    let bone = (floats(10), any::<prop::sample::Index>());
    (vec(bone, 1..20), tail()).prop_flat_map(|(bones, tail)| {
        let n = bones.len();
        let numbers: Vec<_> = (0..n).collect();
        Just(numbers).prop_shuffle().prop_map(move |numbers| {
            let mut made = std::vec![Bone::default(); n];
            for (i, (floats, parent)) in bones.iter().enumerate() {
                let at = |i: usize| floats.get(i).copied().unwrap_or_default();
                // The parent is an earlier bone of the shuffled order, which prevents cycles.
                let parent = (i > 0).then(|| numbers[parent.index(i)]);
                made[numbers[i]] = Bone {
                    position: core::array::from_fn(at),
                    rotation: core::array::from_fn(|i| at(3 + i)),
                    scale: core::array::from_fn(|i| at(7 + i)),
                    parent: parent.and_then(|p| u16::try_from(p).ok()),
                    children: Vec::new(),
                };
            }
            let mut skeleton = SkeletonChunk { tail: tail.clone(), ..SkeletonChunk::new(made) };
            skeleton.list_children();
            skeleton
        })
    })
}
