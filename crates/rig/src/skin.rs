//! A skinned mesh made ready.

use crate::bounds::JointBounds;
use crate::error::RigError;
#[cfg(feature = "rayon")]
use crate::kernels::BLOCK;
use crate::kernels::{self, Attributes, Data, Normals, Output, Packed, Path, Target, Wants};
use crate::matrix::Matrix;
use crate::plan::{self, PlanOptions};
use crate::pose::Pose;
use crate::rig::Rig;
use crate::workspace::Workspace;
use alloc::vec::Vec;
use meshwright_scene::{Influence, LocalVertex, Mesh};

/// In which space a skin holds its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// In model space in the bind pose: `p' = sum(weight * palette * p)`. A vertex whose weights sum to
    /// nothing stays where it is.
    Bind,
    /// Weighted, in the space of every joint: `p' = sum(R * position + weight * t)`.
    Local,
}

/// A skinned mesh made ready: its references are checked, the kernel is chosen, and it owns what skinning reads.
///
/// [`skin`](Self::skin) runs the fast kernels, in 32 bits. [`positions`](Self::positions) and
/// [`normals`](Self::normals) compute the same one attribute at a time in the precision of the pose: slowly,
/// for comparisons and for long chains of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinPlan {
    joints: usize,
    starts: Vec<u32>,
    influences: Vec<Influence>,
    local: Vec<LocalVertex>,
    form: Form,
    data: Data,
    bounds: JointBounds,
}

/// The vertices of a mesh that is not part of a scene, such as a glTF primitive.
#[derive(Clone, Copy, Debug)]
pub struct SkinSource<'a> {
    /// Positions in the bind pose.
    pub positions: &'a [[f32; 3]],
    /// Normals in the bind pose; may be empty.
    pub normals: &'a [[f32; 3]],
    /// Tangents in the bind pose, with the handedness in the fourth component; may be empty.
    pub tangents: &'a [[f32; 4]],
    /// The joints that move each vertex, four by four: `JOINTS_0` and `WEIGHTS_0` of glTF, and any further
    /// sets. Weights are taken as they are.
    pub sets: &'a [JointSet<'a>],
}

/// Four influences for each vertex.
#[derive(Clone, Copy, Debug)]
pub struct JointSet<'a> {
    /// Which joints.
    pub joints: Joints<'a>,
    /// And how much.
    pub weights: &'a [[f32; 4]],
}

/// Indices of joints in either width.
#[derive(Clone, Copy, Debug)]
pub enum Joints<'a> {
    /// Of one byte.
    U8(&'a [[u8; 4]]),
    /// Of two.
    U16(&'a [[u16; 4]]),
}

impl Joints<'_> {
    fn len(&self) -> usize {
        match self {
            Self::U8(j) => j.len(),
            Self::U16(j) => j.len(),
        }
    }

    fn of(&self, v: usize) -> [u32; 4] {
        match self {
            Self::U8(j) => j[v].map(u32::from),
            Self::U16(j) => j[v].map(u32::from),
        }
    }
}

/// From how many vertices on more threads than one are used.
#[cfg(feature = "rayon")]
const PARALLEL_FROM: usize = 16 * 1024;

impl SkinPlan {
    /// Makes a mesh ready that is bound to the skeleton of `rig`. Refused when the mesh has no skin, or when
    /// the skin does not divide its influences among the vertices or names a joint that does not exist.
    pub fn new(mesh: &Mesh, rig: &Rig) -> Result<Self, RigError> {
        Self::with_options(mesh, rig, PlanOptions::default())
    }

    /// The same, with a say in the choice of the kernel.
    pub fn with_options(mesh: &Mesh, rig: &Rig, options: PlanOptions) -> Result<Self, RigError> {
        let skin = mesh.skin.as_ref().ok_or_else(|| RigError::invalid("skin", "the mesh has none"))?;
        let vertices = Attributes {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: mesh.tangents.clone(),
        };
        let influences = (&*skin.starts, &*skin.influences, &*skin.local);
        Self::build(vertices, influences, rig.joint_count(), options)
    }

    /// Makes vertices ready that are not part of a scene, bound to `joints` joints. Refused as in
    /// [`new`](Self::new). Influences of weight zero may name any joint, as exporters have it.
    pub fn from_source(
        source: &SkinSource<'_>,
        joints: usize,
        options: PlanOptions,
    ) -> Result<Self, RigError> {
        let n = source.positions.len();
        for set in source.sets {
            RigError::length("joints", n, set.joints.len())?;
            RigError::length("weights", n, set.weights.len())?;
        }
        let (mut starts, mut influences) = (alloc::vec![0], Vec::new());
        for v in 0..n {
            for set in source.sets {
                let pairs = set.joints.of(v).into_iter().zip(set.weights[v]);
                let used = pairs.filter(|(_, weight)| *weight != 0.0);
                influences.extend(used.map(|(joint, weight)| Influence { joint, weight }));
            }
            starts.push(index(influences.len())?);
        }
        let vertices = Attributes {
            positions: source.positions.to_vec(),
            normals: source.normals.to_vec(),
            tangents: source.tangents.to_vec(),
        };
        Self::build(vertices, (&starts, &influences, &[]), joints, options)
    }

    fn build(
        attributes: Attributes,
        (starts, influences, local): (&[u32], &[Influence], &[LocalVertex]),
        joints: usize,
        options: PlanOptions,
    ) -> Result<Self, RigError> {
        let Attributes { positions, normals, tangents } = &attributes;
        let n = positions.len();
        RigError::length("skin.starts", n.saturating_add(1), starts.len())?;
        let whole = starts.is_sorted()
            && starts.first() == Some(&0)
            && starts.last().map(|&l| l as usize) == Some(influences.len());
        if !whole {
            return Err(RigError::invalid("skin.starts", "does not divide the influences"));
        }
        if influences.iter().any(|i| i.joint as usize >= joints) {
            return Err(RigError::invalid("skin.influences", "names a joint that does not exist"));
        }
        if !normals.is_empty() {
            RigError::length("normals", n, normals.len())?;
        }
        if !tangents.is_empty() {
            RigError::length("tangents", n, tangents.len())?;
        }
        // Indices count eight bytes.
        if joints.saturating_add(n) >= (u32::MAX / 8) as usize {
            return Err(RigError::invalid("positions", "there are too many for one mesh"));
        }
        let (form, bounds, data) = if local.is_empty() {
            let bounds = JointBounds::of_bind(joints, positions, starts, influences);
            (Form::Bind, bounds, plan::bind(attributes, joints, starts, influences, options))
        } else {
            RigError::length("skin.local", influences.len(), local.len())?;
            let bounds = JointBounds::of_local(joints, starts, influences, local);
            let normals = !normals.is_empty();
            (Form::Local, bounds, plan::local(joints, starts, influences, local, normals, options))
        };
        let (starts, influences, local) = (starts.to_vec(), influences.to_vec(), local.to_vec());
        Ok(Self { joints, starts, influences, local, form, data, bounds })
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> usize {
        self.data.len()
    }

    /// How many joints the mesh is bound to.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// True when the mesh has normals.
    pub fn has_normals(&self) -> bool {
        self.data.has_normals()
    }

    /// True when the mesh has tangents that can be skinned: those of a mesh bound in model space.
    pub fn has_tangents(&self) -> bool {
        self.data.has_tangents()
    }

    /// In which space the vertices are held.
    pub fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn data(&self) -> &Data {
        &self.data
    }

    pub(crate) fn joint_bounds(&self) -> &JointBounds {
        &self.bounds
    }

    pub(crate) fn binding(&self) -> (&[u32], &[Influence]) {
        (&self.starts, &self.influences)
    }

    pub(crate) fn widest(&self) -> usize {
        let of = |w: &[u32]| {
            let range = w[0] as usize..w[1] as usize;
            self.influences[range].iter().filter(|i| i.weight != 0.0 || self.form == Form::Local).count()
        };
        self.starts.windows(2).map(of).max().unwrap_or(0)
    }

    /// The matrices of a pose that move these vertices: its palette, or its model-space matrices.
    pub fn matrices<'a, M: Matrix>(&self, pose: &'a Pose<M>) -> &'a [M] {
        match self.form {
            Form::Bind => pose.palette(),
            Form::Local => pose.model(),
        }
    }

    /// Fills the caller's memory with the vertices in a pose, computed in 32 bits. Nothing is allocated once
    /// the workspace has grown. Refused when a length does not fit, or an attribute is wanted that the mesh
    /// has not got.
    ///
    /// Influences of weight zero are passed over; a matrix that is not finite spoils only vertices that follow
    /// it.
    pub fn skin<M: Matrix>(
        &self,
        pose: &Pose<M>,
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        self.skin_with(self.matrices(pose), work, out)
    }

    /// The same with matrices from elsewhere, one per joint; see [`matrices`](Self::matrices).
    pub fn skin_with<M: Matrix>(
        &self,
        matrices: &[M],
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        let mut out = self.fit(matrices.len(), out)?;
        let path = work.path();
        let slots = self.prepare(matrices, work)?;
        kernels::skin(path, &self.data, slots, 0..self.data.len(), &mut out);
        Ok(())
    }

    /// The matrices that kernels read.
    pub(crate) fn prepare<'w, M: Matrix>(
        &self,
        matrices: &[M],
        work: &'w mut Workspace,
    ) -> Result<&'w [Packed], RigError> {
        RigError::length("joints of the pose", self.joints, matrices.len())?;
        Ok(work.load(matrices, &self.data))
    }

    /// The vertices of one range, which starts at a multiple of a block.
    pub(crate) fn piece(
        &self,
        path: Path,
        slots: &[Packed],
        range: core::ops::Range<usize>,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        let mut out = out.fit(range.len(), self.has())?;
        kernels::skin(path, &self.data, slots, range, &mut out);
        Ok(())
    }

    /// The same, to the bit, on this thread and those of the current rayon pool where the mesh is large enough.
    /// Allocates what rayon needs for it: one small job per further thread.
    #[cfg(feature = "rayon")]
    pub fn skin_parallel<M: Matrix>(
        &self,
        pose: &Pose<M>,
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        self.skin_parallel_with(self.matrices(pose), work, out)
    }

    /// The same with matrices from elsewhere.
    #[cfg(feature = "rayon")]
    pub fn skin_parallel_with<M: Matrix>(
        &self,
        matrices: &[M],
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        let threads = rayon::current_num_threads();
        if self.vertex_count() < PARALLEL_FROM || threads < 2 {
            return self.skin_with(matrices, work, out);
        }
        let out = self.fit(matrices.len(), out)?;
        let path = work.path();
        let slots = work.load(matrices, &self.data);
        // Eight pieces per thread even out what other work the machine has.
        let piece = (self.data.len() / (8 * threads)).max(PARALLEL_FROM / 4).next_multiple_of(BLOCK);
        let threads = threads.min(self.data.len().div_ceil(piece));
        skin_parallel(path, &self.data, slots, piece, threads, out);
        Ok(())
    }

    pub(crate) fn fit<'a>(&self, matrices: usize, out: Output<'a>) -> Result<Target<'a>, RigError> {
        RigError::length("joints of the pose", self.joints, matrices)?;
        out.fit(self.vertex_count(), self.has())
    }

    fn has(&self) -> Wants {
        Wants { normals: self.has_normals(), tangents: self.has_tangents(), unit: false }
    }

    /// The positions in a pose, one per vertex, in the precision of the pose.
    pub fn positions<M: Matrix>(&self, pose: &Pose<M>, out: &mut [[f32; 3]]) -> Result<(), RigError> {
        self.fits(pose, out.len())?;
        match self.form {
            Form::Bind => {
                let positions = self.data.positions();
                let palette = pose.palette();
                self.fill(out, |v, influences, _| {
                    let total: f32 = influences.iter().map(|i| i.weight).sum();
                    if total == 0.0 {
                        return positions[v];
                    }
                    let add =
                        |sum, i: &Influence| palette[i.joint as usize].add_point(sum, positions[v], i.weight);
                    M::finish(influences.iter().filter(|i| i.weight != 0.0).fold(M::Sum::default(), add))
                });
            }
            Form::Local => {
                let model = pose.model();
                self.fill(out, |_, influences, range| {
                    let add = |sum, (i, l): (&Influence, &LocalVertex)| {
                        model[i.joint as usize].add_local(sum, l.position, i.weight)
                    };
                    M::finish(influences.iter().zip(&self.local[range]).fold(M::Sum::default(), add))
                });
            }
        }
        Ok(())
    }

    /// The normals in a pose, one per vertex, in the precision of the pose. Refused when the mesh has none.
    pub fn normals<M: Matrix>(
        &self,
        pose: &Pose<M>,
        length: Normals,
        out: &mut [[f32; 3]],
    ) -> Result<(), RigError> {
        self.fits(pose, out.len())?;
        if !self.has_normals() {
            return Err(RigError::invalid("normals", "the mesh has none"));
        }
        let finish = match length {
            Normals::AsIs => M::finish,
            Normals::Unit => M::finish_unit,
        };
        match self.form {
            Form::Bind => {
                let normals = self.data.normals();
                let palette = pose.palette();
                self.fill(out, |v, influences, _| {
                    let total: f32 = influences.iter().map(|i| i.weight).sum();
                    if total == 0.0 {
                        return finish(M::IDENTITY.add_vector(M::Sum::default(), normals[v], 1.0));
                    }
                    let add =
                        |sum, i: &Influence| palette[i.joint as usize].add_vector(sum, normals[v], i.weight);
                    finish(influences.iter().filter(|i| i.weight != 0.0).fold(M::Sum::default(), add))
                });
            }
            Form::Local => {
                let model = pose.model();
                self.fill(out, |_, influences, range| {
                    let add = |sum, (i, l): (&Influence, &LocalVertex)| {
                        model[i.joint as usize].add_vector(sum, l.normal, 1.0)
                    };
                    finish(influences.iter().zip(&self.local[range]).fold(M::Sum::default(), add))
                });
            }
        }
        Ok(())
    }

    fn fits<M: Matrix>(&self, pose: &Pose<M>, out: usize) -> Result<(), RigError> {
        RigError::length("joints of the pose", self.joints, pose.model().len())?;
        RigError::length("result", self.vertex_count(), out)
    }

    /// Calls `vertex` with its number, its influences and their range, which was checked when the plan was
    /// made.
    fn fill(
        &self,
        out: &mut [[f32; 3]],
        vertex: impl Fn(usize, &[Influence], core::ops::Range<usize>) -> [f32; 3],
    ) {
        for (v, (out, bounds)) in out.iter_mut().zip(self.starts.windows(2)).enumerate() {
            let range = bounds[0] as usize..bounds[1] as usize;
            *out = vertex(v, &self.influences[range.clone()], range);
        }
    }
}

fn index(n: usize) -> Result<u32, RigError> {
    u32::try_from(n).map_err(|_| RigError::invalid("sets", "there are too many influences"))
}

/// The vertices that no thread has taken yet.
#[cfg(feature = "rayon")]
struct Rest<'a> {
    first: usize,
    out: Target<'a>,
}

/// Skins in pieces of `piece` vertices, whole blocks, which the calling thread and those of the pool take as
/// they come free. The caller does not wait for another thread to wake before it begins: waking costs as much
/// as skinning some ten thousand vertices.
#[cfg(feature = "rayon")]
fn skin_parallel(path: Path, data: &Data, slots: &[Packed], piece: usize, threads: usize, out: Target<'_>) {
    let rest = std::sync::Mutex::new(Some(Rest { first: 0, out }));
    let take = || {
        let mut rest = rest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Rest { first, out } = rest.take()?;
        if out.len() <= piece {
            return Some((first, out));
        }
        let (part, others) = out.split(piece);
        *rest = Some(Rest { first: first + piece, out: others });
        Some((first, part))
    };
    let work = || {
        while let Some((first, mut part)) = take() {
            kernels::skin(path, data, slots, first..first + part.len(), &mut part);
        }
    };
    rayon::in_place_scope(|scope| {
        (1..threads).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}
