//! Vertices decoded many at a time: those of one kind that follow each other without a branch for each.

use crate::packed::{Vertex, VertexKind};
use meshwright_core::num::St14Form;

/// Fills a slice by neighbours of one kind, for which `$of` gives what decodes one.
macro_rules! by_kind {
    ($vertices:ident, $out:ident, $($kind:pat => $decode:expr,)+) => {{
        let mut rest = $out;
        for run in $vertices.chunk_by(|a, b| a.kind() == b.kind()) {
            let Some((to, after)) = rest.split_at_mut_checked(run.len().min(rest.len())) else { return };
            rest = after;
            match run.first().map_or(VertexKind::Bits64, |v| v.kind()) {
                $($kind => {
                    let decode = $decode;
                    for (to, vertex) in to.iter_mut().zip(run) {
                        *to = decode(*vertex);
                    }
                })+
            }
        }
    }};
}

meshwright_core::kernels! {
    /// Positions, each in the space of its vertex's bone.
    pub(crate) fn positions as positions_portable<'a>(vertices: &'a [Vertex], out: &'a mut [[f32; 3]]) -> () {
        by_kind!(vertices, out,
            VertexKind::Bits128 => Vertex::position_of_halves,
            _ => Vertex::position_of_word,
        );
    }

    /// Normals, each in the space of its vertex's bone, not of unit length.
    pub(crate) fn normals as normals_portable<'a>(
        vertices: &'a [Vertex],
        flat: bool,
        out: &'a mut [[f32; 3]],
    ) -> () {
        by_kind!(vertices, out,
            VertexKind::Bits64 => |v: Vertex| v.normal(flat),
            VertexKind::Bits96 => Vertex::normal_of_96,
            VertexKind::Bits128 => Vertex::normal_of_128,
        );
    }

    /// Texture coordinates; `form` is how 128-bit vertices are read.
    pub(crate) fn uvs as uvs_portable<'a>(
        vertices: &'a [Vertex],
        flat: bool,
        form: St14Form,
        out: &'a mut [[f32; 2]],
    ) -> () {
        by_kind!(vertices, out,
            VertexKind::Bits64 => |v: Vertex| if flat { [0.0; 2] } else { v.st_wide() },
            VertexKind::Bits96 => |v: Vertex| {
                // Both forms, of which one is taken without a branch.
                let (fine, wide) = (v.st_fine(), v.st_wide());
                if v.tag() & 1 == 0 { fine } else { wide }
            },
            VertexKind::Bits128 => |v: Vertex| v.st14().unwrap_or_default().decode(form),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Vertices of all kinds, in runs of all lengths.
    fn vertices() -> Vec<Vertex> {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits
        };
        let mut all = Vec::new();
        for run in 0..120_u64 {
            let tag = [0x12, 0xf8, 0xfd, 0xef, 0xfb, 0xf9, 0xfa][usize::try_from(run % 7).unwrap()];
            for _ in 0..=run * 5 % 23 {
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
        for (flat, form) in [(false, St14Form::Excess), (true, St14Form::Legacy)] {
            for (start, room) in [(0, all.len()), (3, all.len() - 3), (5, 700), (9, 0)] {
                let some = &all[start..];
                let (mut wide, mut portable) = (vec![[7.0; 3]; room], vec![[7.0; 3]; room]);
                positions(some, &mut wide);
                positions_portable(some, &mut portable);
                let one: Vec<_> = some.iter().take(room).map(|v| v.position()).collect();
                assert_eq!((bits(&wide), bits(&portable)), (bits(&one), bits(&one)));
                normals(some, flat, &mut wide);
                normals_portable(some, flat, &mut portable);
                let one: Vec<_> = some.iter().take(room).map(|v| v.normal(flat)).collect();
                assert_eq!((bits(&wide), bits(&portable)), (bits(&one), bits(&one)));
                let (mut wide, mut portable) = (vec![[7.0; 2]; room], vec![[7.0; 2]; room]);
                uvs(some, flat, form, &mut wide);
                uvs_portable(some, flat, form, &mut portable);
                let one: Vec<_> = some.iter().take(room).map(|v| v.st(flat, form)).collect();
                assert_eq!((bits2(&wide), bits2(&portable)), (bits2(&one), bits2(&one)));
            }
        }
    }
}
