//! Encodes vertices, primitives, keys and names as bytes.

use crate::model::Name;
use crate::packed::{Primitive, Vertex, VertexKind};
use crate::stream::Stream;
use alloc::vec::Vec;
use meshwright_core::ByteWriter;

pub(super) fn vertex_bytes(vertices: &[Vertex]) -> Vec<u8> {
    let mut w = ByteWriter::with_capacity(vertices_size(vertices));
    for v in vertices {
        let [first, second] = v.words();
        w.le_u64(first);
        match v.kind() {
            VertexKind::Bits64 => {}
            VertexKind::Bits96 => w.le_u32(low(second)),
            VertexKind::Bits128 => w.le_u64(second),
        }
    }
    w.into_bytes()
}

pub(super) fn primitive_bytes(primitives: &[Primitive]) -> Vec<u8> {
    let mut w = ByteWriter::with_capacity(primitives_size(primitives));
    for p in primitives {
        if p.size() == 4 { w.le_u32(low(p.to_bits())) } else { w.le_u64(p.to_bits()) }
    }
    w.into_bytes()
}

/// Returns the bytes of a stream.
pub(crate) fn stream_bytes(stream: &Stream) -> Vec<u8> {
    let mut w = ByteWriter::with_capacity(stream.size());
    for steps in stream.bones() {
        for step in steps {
            w.u8(step.tag());
            step.words().into_iter().flatten().for_each(|word| w.le_u32(word));
        }
        w.u8(0);
    }
    w.into_bytes()
}

pub(super) fn name_bytes(name: &Name) -> Vec<u8> {
    [name.bytes(), &[0]].concat()
}

#[expect(clippy::cast_possible_truncation, reason = "the element has 32 bits")]
const fn low(bits: u64) -> u32 {
    bits as u32
}

pub(crate) fn vertices_size(vertices: &[Vertex]) -> usize {
    vertices.iter().map(|v| v.size()).sum()
}

pub(crate) fn primitives_size(primitives: &[Primitive]) -> usize {
    primitives.iter().map(|p| p.size()).sum()
}
