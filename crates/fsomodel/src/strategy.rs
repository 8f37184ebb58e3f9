//! Generators of valid models for property tests: random bits in every field, consistent ranges and sizes.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "generators of test values")]

use crate::{Chunk, ChunkId, Dialect, FsoModel, Material, Mesh, MeshEntry, Metadata, Node, VERSION};
use alloc::borrow::Cow;
use meshwright_core::{ByteWriter, F32};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::string::String;
use std::vec::Vec;

/// Any dialect.
pub fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

/// Generates models of a dialect, with unknown chunks in between, known chunks in any order, ranges that
/// overlap or leave gaps, and claimed index ranges that may be wrong. They are read correctly if the options
/// name the dialect.
pub fn model(dialect: Dialect) -> impl Strategy<Value = FsoModel<'static>> {
    let others = vec((chunk_id(), vec(any::<u8>(), 0..9)), 0..4);
    let table = dialect == Dialect::Seed44;
    (0_usize..12, 0_usize..20, vec(range(), 0..5), others, any::<bool>()).prop_flat_map(
        move |(vertices, indices, ranges, others, has_table)| {
            let indices = if vertices == 0 { 0 } else { indices };
            // If a base index is added, it takes up to half of the vertices.
            let has_table = table && has_table;
            let (highest, base) =
                if has_table { (vertices.div_ceil(2), vertices / 2) } else { (vertices, 0) };
            let width = dialect.index_size();
            let payload = vec(any::<u8>(), vertices * dialect.vertex_size());
            let indices = vec(0..highest.max(1), indices);
            (payload, indices, Just(ranges), Just(others)).prop_flat_map(
                move |(payload, indices, ranges, others)| {
                    let bytes =
                        indices.iter().flat_map(|i| i.to_le_bytes().into_iter().take(width)).collect();
                    let mut chunks: Vec<_> = others;
                    chunks.push((ChunkId::VDAT, payload));
                    chunks.push((ChunkId::INDX, bytes));
                    if has_table {
                        let mut entries = ByteWriter::new();
                        ranges.iter().for_each(|r| r.entry(indices.len(), base).write_to(&mut entries));
                        chunks.push((ChunkId::MESH, entries.into_bytes()));
                    }
                    Just(chunks).prop_shuffle().prop_map(move |chunks| {
                        let chunk = |(id, data)| Chunk { id, data: Cow::Owned(data) };
                        FsoModel {
                            version: VERSION,
                            dialect,
                            chunks: chunks.into_iter().map(chunk).collect(),
                            metadata: None,
                        }
                    })
                },
            )
        },
    )
}

/// Generates four letters that no dialect knows.
fn chunk_id() -> impl Strategy<Value = ChunkId> {
    let known = [ChunkId::VDAT, ChunkId::INDX, ChunkId::MESH];
    prop_oneof![Just(*b"vdat"), any::<[u8; 4]>()]
        .prop_map(ChunkId)
        .prop_filter("known", move |id| !known.contains(id))
}

#[derive(Clone, Debug)]
struct Range {
    first: Index,
    count: Index,
    base: Index,
    claims: (u32, u32),
}

fn range() -> impl Strategy<Value = Range> {
    (any::<Index>(), any::<Index>(), any::<Index>(), any::<(u32, u32)>())
        .prop_map(|(first, count, base, claims)| Range { first, count, base, claims })
}

impl Range {
    fn entry(&self, indices: usize, base: usize) -> MeshEntry {
        let first = self.first.index(indices + 1);
        let word = |v: usize| u32::try_from(v).unwrap_or(u32::MAX);
        MeshEntry {
            offset: first as u64 * 4,
            count: word(self.count.index(indices - first + 1)),
            base_index: word(self.base.index(base + 1)),
            min_index: self.claims.0,
            max_index: self.claims.1,
        }
    }
}

fn text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(
        vec(any::<char>().prop_filter("NUL", |c| *c != '\0'), 0..6).prop_map(String::from_iter),
    )
}

/// Generates companion files by themselves. Their ranges refer to no file.
pub fn metadata() -> impl Strategy<Value = Metadata> {
    let material = (text(), text()).prop_map(|(name, diffuse_texture)| Material { name, diffuse_texture });
    let mesh = (text(), 0..i64::MAX.cast_unsigned(), any::<[u32; 4]>(), any::<Index>());
    let cell = any::<u32>().prop_map(F32::from_bits).prop_filter("finite", |f| f.is_finite());
    let node = (text(), any::<Index>(), vec(cell, 16), vec(any::<Index>(), 0..3));
    (vec(material, 1..4), vec(mesh, 0..4), vec(node, 0..8)).prop_map(|(materials, meshes, nodes)| {
        let word = |v: usize| u32::try_from(v).unwrap_or(u32::MAX);
        let meshes: Vec<_> = meshes
            .into_iter()
            .map(|(name, offset, [count, base_index, min_index, max_index], material)| Mesh {
                name,
                offset,
                count,
                base_index,
                min_index,
                max_index,
                material_index: word(material.index(materials.len())),
            })
            .collect();
        let mut way: Vec<usize> = Vec::new();
        let mut tree: Vec<Node> = Vec::new();
        for (i, (name, up, cells, drawn)) in nodes.into_iter().enumerate() {
            // The parent of the next node is any node on the path to the previous one.
            way.truncate(if way.is_empty() { 0 } else { 1 + up.index(way.len()) });
            let cell = |c: usize, r: usize| cells.get(4 * c + r).copied().unwrap_or_default();
            tree.push(Node {
                name,
                parent: way.last().copied(),
                transform: core::array::from_fn(|c| core::array::from_fn(|r| cell(c, r))),
                meshes: if meshes.is_empty() {
                    Vec::new()
                } else {
                    drawn.iter().map(|m| word(m.index(meshes.len()))).collect()
                },
            });
            way.push(i);
        }
        Metadata { materials, meshes, nodes: tree, ..Metadata::default() }
    })
}
