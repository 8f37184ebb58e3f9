//! Decodes many vertices at a time. Vertices of one kind are decoded in blocks with one array per word and
//! one per number, which turns into vector instructions.

use crate::math::direction;
use crate::packed::{MaterialKind, Vertex, VertexKind};
use meshwright_core::num::{F8A, F16, Se32, St11, St12, St14, St14Form};

/// The number of vertices in a block: the arrays of a block fit the first-level cache.
const BLOCK: usize = 64;

/// Runs of at most this many vertices are decoded one after the other.
const FEW: usize = 12;

type Row<T> = [T; BLOCK];

/// The words of a block of vertices.
struct Words {
    /// The kind of all vertices of the block, if they have the same one.
    kind: Option<VertexKind>,
    /// Bits 31 to 0.
    low: Row<u32>,
    /// Bits 63 to 32.
    high: Row<u32>,
    /// The words after the first 8 bytes of each vertex.
    second: Row<u32>,
    third: Row<u32>,
}

#[allow(clippy::inline_always, reason = "part of kernels")]
impl Words {
    /// Loads a block. If there are too few vertices, the last one is repeated.
    #[inline(always)]
    fn load(vertices: &[Vertex]) -> Self {
        if let Some(whole) = vertices.first_chunk() {
            return Self::of_block(whole);
        }
        let mut block = [vertices.last().copied().unwrap_or_default(); BLOCK];
        for (to, from) in block.iter_mut().zip(vertices) {
            *to = *from;
        }
        Self::of_block(&block)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "words are split")]
    fn of_block(vertices: &[Vertex; BLOCK]) -> Self {
        let [mut low, mut high, mut second, mut third] = [[0; BLOCK]; 4];
        let rows = low.iter_mut().zip(&mut high).zip(second.iter_mut().zip(&mut third));
        for (((low, high), (second, third)), vertex) in rows.zip(vertices) {
            let [first, rest] = vertex.words();
            (*low, *high) = (first as u32, (first >> 32) as u32);
            (*second, *third) = (rest as u32, (rest >> 32) as u32);
        }
        // The tag is the highest byte, and the tags of one kind are consecutive.
        let (least, most) = high.iter().fold((u32::MAX, 0), |(least, most), w| (least.min(*w), most.max(*w)));
        let [least, most] = [least, most].map(|w| VertexKind::of_tag((w >> 24) as u8));
        Self { kind: least.filter(|_| least == most), low, high, second, third }
    }
}

/// Decodes two words of each vertex, one component after the other, and then joins the components.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn decode_rows<const N: usize>(
    words: [&Row<u32>; 2],
    out: &mut [[f32; N]],
    decode: impl Fn(u32, u32) -> [f32; N],
) {
    let [first, second] = words;
    let mut rows = [[0.0; BLOCK]; N];
    for (k, row) in rows.iter_mut().enumerate() {
        for (to, (first, second)) in row.iter_mut().zip(first.iter().zip(second)) {
            *to = decode(*first, *second).get(k).copied().unwrap_or_default();
        }
    }
    if let Some(whole) = out.first_chunk_mut::<BLOCK>() {
        join(&rows, whole);
    } else {
        let mut block = [[0.0; N]; BLOCK];
        join(&rows, &mut block);
        for (to, from) in out.iter_mut().zip(&block) {
            *to = *from;
        }
    }
}

/// Joins arrays of components to an array of vertices.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn join<const N: usize>(rows: &[Row<f32>; N], out: &mut [[f32; N]; BLOCK]) {
    for (i, to) in out.iter_mut().enumerate() {
        for (to, row) in to.iter_mut().zip(rows) {
            *to = row.get(i).copied().unwrap_or_default();
        }
    }
}

/// Decodes the positions of vertices of one kind.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "halves of words")]
fn put_positions(words: &Words, kind: VertexKind, out: &mut [[f32; 3]]) {
    let rows = [&words.low, &words.high];
    match kind {
        VertexKind::Bits128 => decode_rows(rows, out, |low, high| {
            [low as u16, (low >> 16) as u16, high as u16].map(|half| F16::from_bits(half).decode())
        }),
        _ => decode_rows(rows, out, |low, _| Se32::from_bits(low).decode()),
    }
}

/// Decodes the normals of vertices of one kind.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn put_normals(words: &Words, kind: VertexKind, material: MaterialKind, out: &mut [[f32; 3]]) {
    let codes = match kind {
        VertexKind::Bits64 if !material.is_flat() => {
            return decode_rows([&words.low; 2], out, |low, _| direction(Se32::from_bits(low).decode()));
        }
        VertexKind::Bits64 => &words.high,
        VertexKind::Bits96 => &words.second,
        VertexKind::Bits128 => &words.third,
    };
    decode_rows([codes; 2], out, |codes, _| {
        let [x, y, z, _] = codes.to_le_bytes();
        [x, y, z].map(|code| F8A::from_bits(code).decode())
    });
}

/// Decodes the texture coordinates of vertices of one kind.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn put_uvs(words: &Words, kind: VertexKind, material: MaterialKind, form: St14Form, out: &mut [[f32; 2]]) {
    let rows = [&words.high, &words.second];
    match kind {
        VertexKind::Bits64 if material.is_flat() => out.fill([0.0; 2]),
        VertexKind::Bits64 => decode_rows(rows, out, |high, _| St11::from_bits(high).decode()),
        VertexKind::Bits96 => decode_rows(rows, out, |high, _| {
            // Decode both forms; the selection needs no branch.
            let (fine, wide) = (St12::from_bits(high).decode(), St11::from_bits(high).decode());
            if high & 1 << 24 == 0 { fine } else { wide }
        }),
        VertexKind::Bits128 => decode_rows(rows, out, |_, st| St14::from_bits(st).decode(form)),
    }
}

/// Takes at most `most` items off the front of a slice.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn next<'a, T>(rest: &mut &'a mut [T], most: usize) -> &'a mut [T] {
    let most = most.min(rest.len());
    rest.split_off_mut(..most).unwrap_or_default()
}

meshwright_core::kernels! {
    /// Decodes vertices into three arrays, each as far as it has room: positions and normals, both in the
    /// space of the vertex's bone, and texture coordinates. Normals are not of unit length. `form` is the
    /// interpretation of 128-bit vertices' coordinates.
    pub(crate) fn fill as fill_portable<'a>(
        vertices: &'a [Vertex],
        material: MaterialKind,
        form: St14Form,
        positions: &'a mut [[f32; 3]],
        normals: &'a mut [[f32; 3]],
        uvs: &'a mut [[f32; 2]],
    ) -> () {
        let (mut positions, mut normals, mut uvs) = (positions, normals, uvs);
        for vertices in vertices.chunks(BLOCK) {
            let n = vertices.len();
            let (positions, normals, uvs) = (next(&mut positions, n), next(&mut normals, n), next(&mut uvs, n));
            if n > FEW {
                let words = Words::load(vertices);
                if let Some(kind) = words.kind {
                    put_positions(&words, kind, positions);
                    put_normals(&words, kind, material, normals);
                    put_uvs(&words, kind, material, form, uvs);
                    continue;
                }
            }
            positions.iter_mut().zip(vertices).for_each(|(to, v)| *to = v.position());
            normals.iter_mut().zip(vertices).for_each(|(to, v)| *to = v.normal(material));
            uvs.iter_mut().zip(vertices).for_each(|(to, v)| *to = v.st(material, form));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Generates vertices of all kinds, in runs of all lengths.
    fn vertices() -> Vec<Vertex> {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits
        };
        let mut all = Vec::new();
        for run in 0..160_u64 {
            let tag = [0x12, 0xf8, 0xfd, 0xef, 0xfb, 0xf9, 0xfa][usize::try_from(run % 7).unwrap()];
            // Some runs are whole blocks.
            for _ in 0..=if run % 8 == 0 { 200 } else { run * 5 % 23 } {
                let first = next() & !(0xff << 56) | tag << 56;
                let second = match tag {
                    0xfd => next(),
                    0xf8..=0xfb => next() >> 32,
                    _ => 0,
                };
                all.push(Vertex::from_words(first, second).unwrap());
            }
        }
        all
    }

    #[test]
    fn many_are_decoded_as_one_is() {
        let all = vertices();
        let bits = |v: &[[f32; 3]]| v.iter().flatten().map(|c| c.to_bits()).collect::<Vec<_>>();
        let bits2 = |v: &[[f32; 2]]| v.iter().flatten().map(|c| c.to_bits()).collect::<Vec<_>>();
        for (material, form) in
            [(MaterialKind::Texture, St14Form::Excess), (MaterialKind::FlatColor, St14Form::Legacy)]
        {
            for (start, room) in [(0, all.len()), (3, all.len() - 3), (5, 700), (9, 0)] {
                let some = &all[start..];
                let (mut p, mut q) = (vec![[7.0; 3]; room], vec![[7.0; 3]; all.len()]);
                let mut t = vec![[7.0; 2]; room / 2];
                for fill in [fill, fill_portable] {
                    fill(some, material, form, &mut p, &mut q, &mut t);
                    let one: Vec<_> = some.iter().take(room).map(|v| v.position()).collect();
                    assert_eq!(bits(&p), bits(&one));
                    let one: Vec<_> = some.iter().map(|v| v.normal(material)).collect();
                    assert_eq!(bits(&q[..some.len()]), bits(&one));
                    assert!(q[some.len()..].iter().all(|untouched| *untouched == [7.0; 3]));
                    let one: Vec<_> = some.iter().take(room / 2).map(|v| v.st(material, form)).collect();
                    assert_eq!(bits2(&t), bits2(&one));
                    p.fill([7.0; 3]);
                    q.fill([7.0; 3]);
                    t.fill([7.0; 2]);
                }
            }
        }
    }
}
