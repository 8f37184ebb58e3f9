//! Facts about the elements of a list, computed once per list even if several meshes share it.

use crate::model::{MeshFlags, identity};
use crate::packed::{Primitive, Vertex};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::SortedMap;

/// The kinds of elements in a list, each with the first element of its kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds {
    /// One bit per kind.
    pub(crate) seen: u8,
    first: [usize; 4],
}

impl Kinds {
    fn add(&mut self, bit: u8, i: usize) {
        if self.seen & bit == 0 {
            self.seen |= bit;
            self.first.iter_mut().skip(bit.trailing_zeros() as usize).take(1).for_each(|f| *f = i);
        }
    }

    /// Returns the first element of a kind that is not among `allowed`.
    pub(crate) fn foreign(&self, allowed: u8) -> Option<usize> {
        let foreign = self.seen & !allowed;
        (foreign != 0).then(|| self.first.get(foreign.trailing_zeros() as usize).copied().unwrap_or_default())
    }
}

/// Facts about a vertex list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VertexFacts {
    pub(crate) kinds: Kinds,
    pub(crate) max_bone: u8,
    /// The index of the first vertex on the highest bone.
    pub(crate) max_bone_at: usize,
    /// The index of the first vertex whose position is not finite.
    pub(crate) not_finite: Option<usize>,
}

impl VertexFacts {
    pub(crate) fn collect(vertices: &[Vertex]) -> Self {
        let mut facts = Self::default();
        for (i, v) in vertices.iter().enumerate() {
            facts.kinds.add(v.kind().bit(), i);
            if v.bone() > facts.max_bone {
                (facts.max_bone, facts.max_bone_at) = (v.bone(), i);
            }
            if facts.not_finite.is_none() && !v.is_finite() {
                facts.not_finite = Some(i);
            }
        }
        facts
    }
}

/// Facts about a primitive list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PrimitiveFacts {
    pub(crate) kinds: Kinds,
    pub(crate) quads: usize,
    pub(crate) max_index: u32,
    /// The index of the first primitive with the highest vertex index.
    pub(crate) max_index_at: usize,
    /// The index of the first primitive with reserved bits set.
    pub(crate) tag2: Option<usize>,
}

impl PrimitiveFacts {
    pub(crate) fn collect(primitives: &[Primitive]) -> Self {
        let mut facts = Self::default();
        for (i, p) in primitives.iter().enumerate() {
            facts.kinds.add(p.kind().bit(), i);
            facts.quads = facts.quads.saturating_add(p.kind().is_quad().into());
            let max = p.max_index();
            if max > facts.max_index {
                (facts.max_index, facts.max_index_at) = (max, i);
            }
            if facts.tag2.is_none() && p.tag2() != 0 {
                facts.tag2 = Some(i);
            }
        }
        facts
    }
}

impl MeshFlags {
    /// Returns the most restrictive flags that allow two lists.
    pub(crate) fn for_lists(vertices: &[Vertex], primitives: &[Primitive]) -> Self {
        Self::for_kinds(
            VertexFacts::collect(vertices).kinds.seen,
            PrimitiveFacts::collect(primitives).kinds.seen,
        )
    }
}

/// Facts about all lists of a model.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    vertices: SortedMap<usize, VertexFacts>,
    primitives: SortedMap<usize, PrimitiveFacts>,
}

impl Facts {
    pub(crate) fn vertices(&mut self, list: &Arc<Vec<Vertex>>) -> VertexFacts {
        *self.vertices.entry(identity(list)).or_insert_with(|| VertexFacts::collect(list))
    }

    pub(crate) fn primitives(&mut self, list: &Arc<Vec<Primitive>>) -> PrimitiveFacts {
        *self.primitives.entry(identity(list)).or_insert_with(|| PrimitiveFacts::collect(list))
    }
}
