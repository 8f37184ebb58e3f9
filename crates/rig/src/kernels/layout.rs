//! The data that kernels read. Constructors check it, and it is private to this module, so that kernels need no checks
//! per vertex.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use alloc::vec::Vec;
use meshwright_scene::LocalVertex;

/// Separately skinned ranges start at multiples of this many vertices.
pub(crate) const BLOCK: usize = 1024;

/// A table of blends is for this many vertices, so that it fits the L1 cache.
pub(crate) const TABLE: usize = 256;

const _: () = assert!(BLOCK.is_multiple_of(TABLE));

/// Matrix indices are stored in units of eight bytes, because the processor's addressing multiplies by eight
/// at no cost.
const UNIT: u32 = 8;

/// The maximum number of matrices that such indices can address.
pub(crate) const MOST: usize = (u32::MAX / UNIT) as usize;

fn scale(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_mul(UNIT)
}

/// Returns the index of a matrix from a scaled index.
pub(crate) const fn unscale(index: u32) -> usize {
    (index / UNIT) as usize
}

/// Sums of weighted matrices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blends {
    sources: usize,
    starts: Vec<u32>,
    joints: Vec<u32>,
    weights: Vec<f32>,
}

impl Blends {
    /// Creates an empty list of blends of `sources` matrices.
    pub(crate) fn new(sources: usize) -> Self {
        assert!(sources <= MOST);
        Self { sources, starts: alloc::vec![0], joints: Vec::new(), weights: Vec::new() }
    }

    /// Adds a blend. `None` if there are more parts than 32 bits can count.
    pub(crate) fn push(&mut self, parts: impl Iterator<Item = (u32, f32)>) -> Option<()> {
        for (joint, weight) in parts {
            assert!((joint as usize) < self.sources);
            self.joints.push(scale(joint as usize));
            self.weights.push(weight);
        }
        self.starts.push(u32::try_from(self.joints.len()).ok()?);
        Some(())
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub(crate) fn parts(&self, blend: usize) -> (&[u32], &[f32]) {
        let range = self.starts[blend] as usize..self.starts[blend + 1] as usize;
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// Returns the joints and weights of some blends, one after the other.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn range(&self, blends: core::ops::Range<usize>) -> (&[u32], &[f32]) {
        let range = self.starts[blends.start] as usize..self.starts[blends.end] as usize;
        (&self.joints[range.clone()], &self.weights[range])
    }

    fn bytes(&self) -> usize {
        4 * (self.starts.len() + self.joints.len() + self.weights.len())
    }
}

/// Consecutive vertices that follow one matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) first: usize,
    pub(crate) matrix: usize,
}

/// Points with each component in its own array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Soa {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) z: Vec<f32>,
}

impl Soa {
    fn new(points: impl Iterator<Item = [f32; 3]> + Clone) -> Self {
        // Eight more, so that eight can be loaded at any vertex.
        let component = |i: usize| points.clone().map(|p| p[i]).chain([0.0; 8]).collect();
        Self { x: component(0), y: component(1), z: component(2) }
    }

    fn bytes(&self) -> usize {
        12 * self.x.len()
    }
}

/// Consecutive vertices with the same number of joint-space influences, within one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// Influences per vertex.
    pub(crate) width: usize,
    /// The number of vertices.
    pub(crate) len: usize,
    /// The first vertex, or the index of its number in `order`.
    pub(crate) first: usize,
    /// True if `first` is an index of `order`.
    pub(crate) scattered: bool,
    /// The index of the first record.
    pub(crate) record: usize,
}

/// The references from vertices to matrices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Layout {
    /// One matrix per vertex.
    Indexed(Vec<u32>),
    /// One matrix for many neighbouring vertices.
    Runs { runs: Vec<Run>, positions: Soa, normals: Soa },
    /// The same number of weighted matrices per vertex, two to four.
    Fixed { width: usize, joints: Vec<u16>, weights: Vec<f32> },
    /// Any number of weighted matrices per vertex.
    Many(Blends),
    /// One blend per vertex, from a table that [`TABLE`] vertices share.
    Table {
        blends: Blends,
        /// The number of parts of every blend, or 0 if it differs.
        width: usize,
        /// The first blend of each table, and the end. A table has at most one blend per vertex.
        tables: Vec<usize>,
        /// The scaled index of each vertex's blend in its table.
        index: Vec<u16>,
    },
    /// Weighted vertices in the space of each matrix.
    Local {
        segments: Vec<Segment>,
        /// The first segment of each block, and the end.
        blocks: Vec<usize>,
        order: Vec<u32>,
        joints: Vec<u32>,
        /// Weighted position, weight, weighted normal, zero.
        records: Vec<[f32; 8]>,
    },
}

/// The vertices of a mesh and how they follow matrices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Data {
    len: usize,
    slots: usize,
    layout: Layout,
    // One entry more than vertices, so that sixteen bytes can be loaded at any vertex. Empty if the mesh or the layout
    // has none.
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    has_normals: bool,
}

/// Attributes of a mesh in the bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attributes {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) tangents: Vec<[f32; 4]>,
}

impl Data {
    fn make(attributes: Attributes, slots: usize, layout: Layout) -> Self {
        let Attributes { mut positions, mut normals, tangents } = attributes;
        let len = positions.len();
        let has_normals = !normals.is_empty();
        assert!([normals.len(), tangents.len()].iter().all(|&l| l == 0 || l == len));
        assert!(slots <= MOST);
        positions.push([0.0; 3]);
        if has_normals {
            normals.push([0.0; 3]);
        }
        Self { len, slots, layout, positions, normals, tangents, has_normals }
    }

    /// Creates data with one matrix below `slots` per vertex.
    pub(crate) fn indexed(attributes: Attributes, slots: usize, index: &[u32]) -> Self {
        assert!(index.len() == attributes.positions.len() && index.iter().all(|&i| (i as usize) < slots));
        let index = index.iter().map(|&i| scale(i as usize)).collect();
        Self::make(attributes, slots, Layout::Indexed(index))
    }

    /// Creates the same data for runs of vertices that share a matrix.
    pub(crate) fn runs(attributes: Attributes, slots: usize, index: &[u32]) -> Self {
        assert!(index.len() == attributes.positions.len() && index.iter().all(|&i| (i as usize) < slots));
        let mut runs: Vec<Run> = Vec::new();
        for (first, &i) in index.iter().enumerate() {
            let matrix = i as usize;
            if runs.last().is_none_or(|r| r.matrix != matrix) {
                runs.push(Run { first, matrix });
            }
        }
        let layout = Layout::Runs {
            runs,
            positions: Soa::new(attributes.positions.iter().copied()),
            normals: Soa::new(attributes.normals.iter().copied()),
        };
        Self::make(attributes, slots, layout)
    }

    /// Makes data with `width` weighted matrices per vertex, each below `slots`. `None` if no kernel has this width or
    /// takes this many matrices.
    pub(crate) fn fixed(
        attributes: &Attributes,
        slots: usize,
        width: usize,
        parts: &[(u32, f32)],
    ) -> Option<Self> {
        let fits = (2..=4).contains(&width) && slots <= usize::from(u16::MAX) / UNIT as usize;
        if !fits || parts.len() != attributes.positions.len() * width {
            return None;
        }
        let joint = |&(j, _): &(u32, f32)| {
            let known = (j as usize) < slots;
            u16::try_from(scale(j as usize)).ok().filter(|_| known)
        };
        let joints = parts.iter().map(joint).collect::<Option<Vec<_>>>()?;
        let weights = parts.iter().map(|p| p.1).collect();
        Some(Self::make(attributes.clone(), slots, Layout::Fixed { width, joints, weights }))
    }

    /// Creates data with any number of weighted matrices per vertex.
    pub(crate) fn many(attributes: Attributes, blends: Blends) -> Self {
        assert!(blends.len() == attributes.positions.len());
        let slots = blends.sources;
        Self::make(attributes, slots, Layout::Many(blends))
    }

    /// Makes data with one blend per vertex. `tables` has the first blend of each table and the end; `index` counts
    /// within tables. `width` is the number of parts of every blend, or 0 if it differs.
    pub(crate) fn table(
        attributes: Attributes,
        (blends, width): (Blends, usize),
        tables: Vec<usize>,
        index: &[usize],
    ) -> Self {
        let n = attributes.positions.len();
        assert!(index.len() == n && tables.len() == n.div_ceil(TABLE) + 1 && tables.is_sorted());
        assert!(tables.last() == Some(&blends.len()));
        for (vertices, w) in index.chunks(TABLE).zip(tables.windows(2)) {
            let len = w[1] - w[0];
            assert!(len <= TABLE && vertices.iter().all(|&i| i < len));
        }
        assert!(width == 0 || (0..blends.len()).all(|b| blends.parts(b).0.len() == width));
        let index = index.iter().map(|&i| u16::try_from(scale(i)).unwrap_or(0)).collect();
        let slots = blends.sources;
        Self::make(attributes, slots, Layout::Table { blends, width, tables, index })
    }

    /// Makes data of weighted vertices in joint space. `of` returns the joints, weights and positions of one vertex.
    /// `None` if there are too many vertices for 32-bit indices.
    pub(crate) fn local<'a>(
        len: usize,
        slots: usize,
        has_normals: bool,
        of: impl Fn(usize) -> &'a [(u32, f32, LocalVertex)],
    ) -> Option<Self> {
        u32::try_from(len).ok()?;
        let (mut segments, mut blocks) = (Vec::<Segment>::new(), alloc::vec![0]);
        let (mut order, mut joints, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for start in (0..len).step_by(BLOCK) {
            let end = len.min(start + BLOCK);
            let changes = (start + 1..end).filter(|&v| of(v).len() != of(v - 1).len()).count();
            // Each change of the number of influences costs a branch misprediction, so a block with many
            // changes is sorted.
            let scattered = (changes + 1) * 16 > end - start;
            let mut vertices: Vec<usize> = (start..end).collect();
            if scattered {
                vertices.sort_by_key(|&v| of(v).len());
            }
            let fresh = segments.len();
            for v in vertices {
                let influences = of(v);
                let width = influences.len();
                let open = segments.len() > fresh;
                match segments.last_mut().filter(|s| open && s.width == width) {
                    Some(segment) => segment.len += 1,
                    None => {
                        let first = if scattered { order.len() } else { v };
                        segments.push(Segment { width, len: 1, first, scattered, record: records.len() });
                    }
                }
                if scattered {
                    order.push(u32::try_from(v).ok()?);
                }
                for &(joint, weight, l) in influences {
                    assert!((joint as usize) < slots);
                    joints.push(scale(joint as usize));
                    let ([a, b, c], [d, e, f]) = (l.position, l.normal);
                    records.push([a, b, c, weight, d, e, f, 0.0]);
                }
            }
            blocks.push(segments.len());
        }
        let layout = Layout::Local { segments, blocks, order, joints, records };
        let mut data = Self::make(Attributes::default(), slots, layout);
        (data.len, data.has_normals) = (len, has_normals);
        Some(data)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of matrices that kernels need.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    pub(crate) fn normals(&self) -> &[[f32; 3]] {
        &self.normals
    }

    pub(crate) fn tangents(&self) -> &[[f32; 4]] {
        &self.tangents
    }

    pub(crate) fn has_normals(&self) -> bool {
        self.has_normals
    }

    pub(crate) fn has_tangents(&self) -> bool {
        !self.tangents.is_empty()
    }

    /// Returns the bytes that skinning reads.
    pub(crate) fn bytes(&self) -> usize {
        let layout = match &self.layout {
            Layout::Indexed(index) => 4 * index.len(),
            Layout::Runs { runs, positions, normals } => {
                size_of_val(runs.as_slice()) + positions.bytes() + normals.bytes()
            }
            Layout::Fixed { joints, weights, .. } => 2 * joints.len() + 4 * weights.len(),
            Layout::Many(blends) => blends.bytes(),
            Layout::Table { blends, tables, index, .. } => {
                blends.bytes() + 8 * tables.len() + 2 * index.len()
            }
            Layout::Local { segments, order, joints, records, .. } => {
                size_of_val(segments.as_slice()) + 4 * (order.len() + joints.len()) + 32 * records.len()
            }
        };
        layout + 12 * (self.positions.len() + self.normals.len()) + 16 * self.tangents.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn vertices_that_have_no_number_are_refused() {
        let most = u32::MAX as usize;
        assert!(Data::local(most + 1, 1, false, |_| &[]).is_none());
        assert!(Data::local(2, 1, false, |_| &[]).is_some());
    }
}
