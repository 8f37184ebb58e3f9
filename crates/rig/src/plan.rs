//! Which kernel a mesh gets.

use crate::kernels::{Attributes, Blends, Data, Layout};
use crate::skin::{Form, SkinPlan};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use meshwright_scene::{Influence, LocalVertex};

/// Whether something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Where it was measured to pay.
    #[default]
    Auto,
    /// Wherever it is possible.
    Always,
    /// Never.
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

/// How a plan is made. The defaults choose by what was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlanOptions {
    /// Whether matrices of the same weights are blended once for all vertices that have them.
    pub table: Choice,
    /// Whether neighbours that follow the same matrix are moved eight at a time.
    pub runs: Choice,
}

/// The kernel that moves a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// One matrix per vertex, of a joint or of the table of blends.
    Single,
    /// One matrix for many vertices in a row.
    Runs,
    /// Two weighted matrices per vertex.
    Two,
    /// Three.
    Three,
    /// Four.
    Four,
    /// Any number.
    Many,
    /// Weighted vertices in the space of every joint.
    Local,
}

/// What a plan does, for logs and tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanInfo {
    /// In which space the vertices are held.
    pub form: Form,
    /// The kernel.
    pub kernel: Kernel,
    /// How many vertices there are.
    pub vertices: usize,
    /// The most influences of a vertex that are not zero.
    pub influences: usize,
    /// How many blends the table has, where there is one.
    pub table: Option<usize>,
    /// How many runs there are, where vertices are moved in runs.
    pub runs: Option<usize>,
    /// Bytes that skinning reads.
    pub bytes: usize,
}

impl fmt::Display for PlanInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {} vertices", self.kernel, self.vertices)?;
        write!(f, " in {}, ", if self.form == Form::Bind { "the bind pose" } else { "joint space" })?;
        write!(f, "at most {} influences", self.influences)?;
        if let Some(blends) = self.table {
            write!(f, ", {blends} blends once per pose")?;
        }
        if let Some(runs) = self.runs {
            write!(f, ", {runs} runs")?;
        }
        write!(f, ", {} bytes", self.bytes)
    }
}

/// Vertices per distinct blend from which the table pays.
const TABLE_FROM: usize = 2;
/// Vertices per run from which runs pay.
const RUNS_FROM: usize = 12;

/// The influences that count, vertex by vertex.
pub(crate) struct Parts {
    starts: Vec<usize>,
    parts: Vec<(u32, f32)>,
}

impl Parts {
    /// Without those of weight zero. A vertex whose weights sum to nothing follows the identity, which comes
    /// after the joints.
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

    fn of(&self, v: usize) -> &[(u32, f32)] {
        &self.parts[self.starts[v]..self.starts[v + 1]]
    }

    fn widest(&self) -> usize {
        self.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }

    /// The joint of a vertex that follows one joint exactly.
    fn single(&self, v: usize) -> Option<u32> {
        match self.of(v) {
            &[(joint, 1.0)] => Some(joint),
            _ => None,
        }
    }

    /// The number of each vertex's blend, and one vertex for each number. Vertices that follow one joint take
    /// no part.
    fn distinct(&self) -> (Vec<u32>, Vec<usize>) {
        let compare = |a: usize, b: usize| -> Ordering {
            let key = |&(j, w): &(u32, f32)| (j, w.to_bits());
            self.of(a).iter().map(key).cmp(self.of(b).iter().map(key))
        };
        let mut vertices: Vec<usize> = (0..self.len()).filter(|&v| self.single(v).is_none()).collect();
        vertices.sort_unstable_by(|&a, &b| compare(a, b));
        let (mut number, mut examples) = (alloc::vec![0_u32; self.len()], Vec::<usize>::new());
        for v in vertices {
            if examples.last().is_none_or(|&e| compare(e, v) != Ordering::Equal) {
                examples.push(v);
            }
            number[v] = u32::try_from(examples.len() - 1).unwrap_or(u32::MAX);
        }
        (number, examples)
    }
}

/// The layout for vertices bound in model space, and the blends it needs.
pub(crate) fn bind(
    attributes: Attributes,
    joints: usize,
    starts: &[u32],
    influences: &[Influence],
    options: PlanOptions,
) -> (Data, Option<Blends>) {
    let identity = u32::try_from(joints).unwrap_or(u32::MAX);
    let parts = Parts::new(starts, influences, identity);
    let (numbers, examples) = parts.distinct();
    let sources = joints + 1;
    let n = parts.len();
    if examples.is_empty() || options.table.decide(n >= TABLE_FROM * examples.len()) {
        let index: Vec<u32> = (0..n)
            .map(|v| parts.single(v).unwrap_or_else(|| identity.saturating_add(1).saturating_add(numbers[v])))
            .collect();
        let slots = sources + examples.len();
        let table = (!examples.is_empty()).then(|| {
            let mut blends = Blends::new(sources);
            examples.iter().for_each(|&v| blends.push(parts.of(v)));
            blends
        });
        return (indexed(attributes, slots, &index, options), table);
    }
    let width = parts.widest().max(2);
    // Short vertices are filled up with nothing of their own first joint, which is loaded anyway.
    let filled: Vec<(u32, f32)> = if width <= 4 {
        let fill = |v: usize| {
            let of = parts.of(v);
            let spare = (of.first().map_or(identity, |p| p.0), 0.0);
            (0..width).map(move |k| of.get(k).copied().unwrap_or(spare))
        };
        (0..n).flat_map(fill).collect()
    } else {
        Vec::new()
    };
    if let Some(data) = Data::fixed(&attributes, sources, width, &filled) {
        return (data, None);
    }
    let mut blends = Blends::new(sources);
    (0..n).for_each(|v| blends.push(parts.of(v)));
    (Data::many(attributes, blends), None)
}

fn indexed(attributes: Attributes, slots: usize, index: &[u32], options: PlanOptions) -> Data {
    let runs = index.windows(2).filter(|w| w[0] != w[1]).count() + 1;
    if options.runs.decide(index.len() >= RUNS_FROM * runs) {
        Data::runs(attributes, slots, index)
    } else {
        Data::indexed(attributes, slots, index)
    }
}

/// The layout for vertices in the space of every joint. Where each has one influence of weight 1 they are
/// points that follow their joint.
pub(crate) fn local(
    joints: usize,
    starts: &[u32],
    influences: &[Influence],
    vertices: &[LocalVertex],
    normals: bool,
    options: PlanOptions,
) -> Data {
    let n = starts.len() - 1;
    if influences.len() == n
        && starts.windows(2).all(|w| w[1] - w[0] == 1)
        && influences.iter().all(|i| i.weight == 1.0)
    {
        let attributes = Attributes {
            positions: vertices.iter().map(|l| l.position).collect(),
            normals: if normals { vertices.iter().map(|l| l.normal).collect() } else { Vec::new() },
            tangents: Vec::new(),
        };
        let index: Vec<u32> = influences.iter().map(|i| i.joint).collect();
        return indexed(attributes, joints + 1, &index, options);
    }
    let records: Vec<(u32, f32, LocalVertex)> =
        influences.iter().zip(vertices).map(|(i, l)| (i.joint, i.weight, *l)).collect();
    Data::local(n, joints + 1, normals, |v| &records[starts[v] as usize..starts[v + 1] as usize])
}

impl SkinPlan {
    /// What this plan does.
    pub fn info(&self) -> PlanInfo {
        let mut runs_found = None;
        let kernel = match self.data().layout() {
            Layout::Indexed(_) => Kernel::Single,
            Layout::Runs { runs, .. } => {
                runs_found = Some(runs.len());
                Kernel::Runs
            }
            Layout::Fixed { width: 2, .. } => Kernel::Two,
            Layout::Fixed { width: 3, .. } => Kernel::Three,
            Layout::Fixed { .. } => Kernel::Four,
            Layout::Many(_) => Kernel::Many,
            Layout::Local { .. } => Kernel::Local,
        };
        PlanInfo {
            form: self.form(),
            kernel,
            vertices: self.vertex_count(),
            influences: self.widest(),
            table: self.table().map(Blends::len),
            runs: runs_found,
            bytes: self.data().bytes() + self.table().map_or(0, Blends::bytes),
        }
    }
}
