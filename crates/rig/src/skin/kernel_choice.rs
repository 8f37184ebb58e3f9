//! Chooses the kernel of a mesh.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use crate::kernels::{Attributes, Blends, Data, MOST, TABLE};
use alloc::vec::Vec;
use core::cmp::Ordering;
use meshwright_scene::{Influence, LocalVertex};

/// The use of an optimisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Choice {
    /// It is used if measurements say that it is faster.
    #[default]
    Auto,
    /// It is used if it is possible.
    Always,
    /// It is never used.
    Never,
}

impl Choice {
    fn decide(self, pays: bool) -> bool {
        match self {
            Self::Auto => pays,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Options of a plan. The defaults are chosen by measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PlanOptions {
    /// Computes a blend once for all vertices nearby that share it.
    pub blend_table: Choice,
    /// Moves neighbours with the same matrix eight at a time.
    pub runs: Choice,
    /// Stores joint-space vertices in the bind pose if all joints agree about them, within a millionth of
    /// the mesh's largest coordinate and of unit normals, and if rounding them to 32 bits is as precise for each
    /// joint. It is always faster if it is possible.
    pub bind_pose: Choice,
}

impl PlanOptions {
    /// Sets [`blend_table`](Self::blend_table).
    #[must_use]
    pub const fn with_blend_table(mut self, choice: Choice) -> Self {
        self.blend_table = choice;
        self
    }

    /// Sets [`bind_pose`](Self::bind_pose).
    #[must_use]
    pub const fn with_bind_pose(mut self, choice: Choice) -> Self {
        self.bind_pose = choice;
        self
    }

    /// Sets [`runs`](Self::runs).
    #[must_use]
    pub const fn with_runs(mut self, choice: Choice) -> Self {
        self.runs = choice;
        self
    }
}

/// A table is faster from this many vertices per blend: `TABLE_FROM / TABLE_PER`.
const TABLE_FROM: usize = 2;
const TABLE_PER: usize = 1;
/// Runs are faster from this many vertices per run.
const RUNS_FROM: usize = 12;

/// The influences of each vertex that are not zero.
struct VertexInfluences {
    starts: Vec<usize>,
    parts: Vec<(u32, f32)>,
}

impl VertexInfluences {
    /// Drops influences of weight zero. A vertex whose weights sum to 0 follows the identity, which is the matrix
    /// after those of the joints.
    fn new(starts: &[u32], influences: &[Influence], identity: u32) -> Self {
        let (mut out, mut parts) = (alloc::vec![0], Vec::with_capacity(influences.len()));
        for bounds in starts.windows(2) {
            let of = &influences[bounds[0] as usize..bounds[1] as usize];
            let total: f32 = of.iter().map(|i| i.weight).sum();
            if total == 0.0 {
                parts.push((identity, 1.0));
            } else {
                parts.extend(of.iter().filter(|i| i.weight != 0.0).map(|i| (i.joint, i.weight)));
            }
            out.push(parts.len());
        }
        Self { starts: out, parts }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn vertex(&self, v: usize) -> &[(u32, f32)] {
        &self.parts[self.starts[v]..self.starts[v + 1]]
    }

    fn widest(&self) -> usize {
        self.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }

    /// Returns the joint of a vertex that follows one joint with weight 1.
    fn single(&self, v: usize) -> Option<u32> {
        match self.vertex(v) {
            &[(joint, 1.0)] => Some(joint),
            _ => None,
        }
    }

    /// Returns the start of each table, one vertex for each distinct blend, and the index of each vertex's blend in
    /// its table.
    fn tables(&self) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        let compare = |a: usize, b: usize| -> Ordering {
            let key = |&(j, w): &(u32, f32)| (j, w.to_bits());
            self.vertex(a).iter().map(key).cmp(self.vertex(b).iter().map(key))
        };
        let (mut tables, mut examples) = (alloc::vec![0], Vec::<usize>::new());
        let mut index = alloc::vec![0; self.len()];
        let mut vertices = Vec::new();
        for from in (0..self.len()).step_by(TABLE) {
            let first = examples.len();
            vertices.clear();
            vertices.extend(from..self.len().min(from + TABLE));
            // Ties are sorted by number, so that the table is deterministic.
            vertices.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
            for &v in &vertices {
                let known = examples.get(first..).and_then(<[usize]>::last);
                if known.is_none_or(|&e| compare(e, v) != Ordering::Equal) {
                    examples.push(v);
                }
                index[v] = examples.len() - 1 - first;
            }
            tables.push(examples.len());
        }
        (tables, examples, index)
    }
}

/// Returns the layout of vertices in model space; `None` if there are too many for 32-bit indices.
pub(super) fn bind(
    attributes: Attributes,
    joints: usize,
    starts: &[u32],
    influences: &[Influence],
    options: PlanOptions,
) -> Option<Data> {
    let sources = matrices(joints)?;
    let identity = u32::try_from(joints).ok()?;
    let parts = VertexInfluences::new(starts, influences, identity);
    let n = parts.len();
    let singles: Option<Vec<u32>> = (0..n).map(|v| parts.single(v)).collect();
    if let Some(index) = singles {
        return Some(indexed(attributes, sources, &index, options));
    }
    let width = parts.widest().max(2);
    let narrow = width <= 4;
    // If a vertex has fewer influences, its first joint is repeated with weight 0.
    let filled = |v: usize| {
        let of = parts.vertex(v);
        let spare = (of.first().map_or(identity, |p| p.0), 0.0);
        let len = if narrow { width } else { of.len() };
        (0..len).map(move |k| of.get(k).copied().unwrap_or(spare))
    };
    if options.blend_table != Choice::Never {
        let (tables, examples, index) = parts.tables();
        if options.blend_table.decide(n * TABLE_PER >= TABLE_FROM * examples.len()) {
            let mut blends = Blends::new(sources);
            examples.iter().try_for_each(|&v| blends.push(filled(v)))?;
            let width = if narrow { width } else { 0 };
            return Some(Data::table(attributes, (blends, width), tables, &index));
        }
    }
    if narrow {
        let all: Vec<(u32, f32)> = (0..n).flat_map(filled).collect();
        if let Some(data) = Data::fixed(&attributes, sources, width, &all) {
            return Some(data);
        }
    }
    let mut blends = Blends::new(sources);
    (0..n).try_for_each(|v| blends.push(filled(v)))?;
    Some(Data::many(attributes, blends))
}

/// Returns the number of matrices: one for each joint, and the identity. `None` if there are too many for kernels.
fn matrices(joints: usize) -> Option<usize> {
    joints.checked_add(1).filter(|all| *all <= MOST)
}

fn indexed(attributes: Attributes, slots: usize, index: &[u32], options: PlanOptions) -> Data {
    let runs = index.windows(2).filter(|w| w[0] != w[1]).count() + 1;
    if options.runs.decide(index.len() >= RUNS_FROM * runs) {
        Data::runs(attributes, slots, index)
    } else {
        Data::indexed(attributes, slots, index)
    }
}

/// Returns true if each vertex has one influence, of weight 1.
pub(super) fn is_single(starts: &[u32], influences: &[Influence]) -> bool {
    starts.windows(2).all(|w| w[1] - w[0] == 1) && influences.iter().all(|i| i.weight == 1.0)
}

/// Returns the layout of vertices in joint space. If each has one influence of weight 1, they are points that follow
/// their joint. `None` if there are too many for 32-bit indices.
pub(super) fn local(
    joints: usize,
    starts: &[u32],
    influences: &[Influence],
    vertices: &[LocalVertex],
    normals: bool,
    options: PlanOptions,
) -> Option<Data> {
    let matrices = matrices(joints)?;
    let n = starts.len() - 1;
    if is_single(starts, influences) {
        let attributes = Attributes {
            positions: vertices.iter().map(|l| l.position).collect(),
            normals: if normals { vertices.iter().map(|l| l.normal).collect() } else { Vec::new() },
            tangents: Vec::new(),
        };
        let index: Vec<u32> = influences.iter().map(|i| i.joint).collect();
        return Some(indexed(attributes, matrices, &index, options));
    }
    let records: Vec<(u32, f32, LocalVertex)> =
        influences.iter().zip(vertices).map(|(i, l)| (i.joint, i.weight, *l)).collect();
    Data::local(n, matrices, normals, |v| &records[starts[v] as usize..starts[v + 1] as usize])
}
