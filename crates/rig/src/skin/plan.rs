//! A skinned mesh prepared.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use super::bind_pose::{Agreed, agree};
use super::joint_boxes::JointBounds;
use super::kernel_choice::{self, Choice, PlanOptions};
use super::plan_info::{PlanInfo, VertexSpace};
use super::skin_source::SkinSource;
use crate::error::RigError;
use crate::kernels::{Attributes, Data, Output, Target, Wants};
use crate::matrix::Matrix;
use crate::pose::Pose;
use crate::rig::Rig;
use alloc::vec::Vec;
use meshwright_scene::{Influence, LocalVertex, Mesh};

/// A skinned mesh prepared: its references are checked, the kernel is chosen, and it owns what skinning reads.
///
/// [`skin`](Self::skin) runs the fast kernels, in 32 bits. [`positions`](Self::positions) and
/// [`normals`](Self::normals) compute the same one attribute at a time in the precision of the pose: slowly,
/// for comparisons and for long chains of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinPlan {
    joints: usize,
    pub(super) starts: Vec<u32>,
    pub(super) influences: Vec<Influence>,
    pub(super) local: Vec<LocalVertex>,
    space: VertexSpace,
    /// How far joints disagree about vertices that are stored otherwise than they are held.
    apart: Option<f32>,
    pub(super) data: Data,
    pub(super) bounds: JointBounds,
}

impl SkinPlan {
    /// Prepares a mesh that is bound to the skeleton of `rig`.
    ///
    /// # Errors
    ///
    /// Where the mesh has no skin, or the skin does not divide its influences among the vertices or names a joint
    /// that does not exist.
    pub fn new(mesh: &Mesh, rig: &Rig) -> Result<Self, RigError> {
        Self::with_options(mesh, rig, PlanOptions::default())
    }

    /// The same, with a say in the choice of the kernel.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_options(mesh: &Mesh, rig: &Rig, options: PlanOptions) -> Result<Self, RigError> {
        let skin = mesh.skin.as_ref().ok_or_else(|| RigError::invalid("skin", "the mesh has none"))?;
        let vertices = Attributes {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: mesh.tangents.clone(),
        };
        let influences = (&*skin.starts, &*skin.influences, &*skin.local);
        Self::build(vertices, influences, rig.joint_count(), Some(rig), options)
    }

    /// Prepares vertices that are not part of a scene, bound to `joints` joints. Influences of weight zero may name any joint, as exporters have it.
    ///
    /// # Errors
    ///
    /// Where the slices differ in length, or an influence names a joint that does not exist.
    pub fn from_source(
        source: &SkinSource<'_>,
        joints: usize,
        options: PlanOptions,
    ) -> Result<Self, RigError> {
        let (starts, influences) = source.influences()?;
        let vertices = Attributes {
            positions: source.positions.to_vec(),
            normals: source.normals.to_vec(),
            tangents: source.tangents.to_vec(),
        };
        Self::build(vertices, (&starts, &influences, &[]), joints, None, options)
    }

    fn build(
        attributes: Attributes,
        (starts, influences, local): (&[u32], &[Influence], &[LocalVertex]),
        joints: usize,
        rig: Option<&Rig>,
        options: PlanOptions,
    ) -> Result<Self, RigError> {
        check(&attributes, (starts, influences, local), joints)?;
        let has_normals = !attributes.normals.is_empty();
        // What follows one joint each is as fast as it is stored.
        let wanted = options.bind_pose != Choice::Never && !kernel_choice::is_single(starts, influences);
        let rig = rig.filter(|_| !local.is_empty() && wanted);
        let agreed = rig.and_then(|rig| agree(rig, (starts, influences, local), has_normals));
        let apart = agreed.as_ref().map(|agreed| agreed.apart);
        let (space, bounds, data) = if local.is_empty() || agreed.is_some() {
            let attributes = agreed.map_or(attributes, |Agreed { positions, normals, .. }| Attributes {
                positions,
                normals,
                tangents: Vec::new(),
            });
            let bounds = JointBounds::of_bind(joints, &attributes.positions, starts, influences);
            let bounds = bounds.wider(apart.unwrap_or(0.0));
            (VertexSpace::Model, bounds, kernel_choice::bind(attributes, joints, starts, influences, options))
        } else {
            let bounds = JointBounds::of_local(joints, starts, influences, local);
            (
                VertexSpace::Joint,
                bounds,
                kernel_choice::local(joints, starts, influences, local, has_normals, options),
            )
        };
        let data = data.ok_or_else(|| {
            RigError::invalid("skin", "more joints, vertices or influences than 32 bits can number")
        })?;
        let (starts, influences, local) = (starts.to_vec(), influences.to_vec(), local.to_vec());
        Ok(Self { joints, starts, influences, local, space, apart, data, bounds })
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

    /// In which space the mesh stores its vertices, and slow evaluation takes them.
    pub(super) fn stored(&self) -> VertexSpace {
        if self.local.is_empty() { VertexSpace::Model } else { VertexSpace::Joint }
    }

    /// In which space the vertices are held: that in which they are stored, but for local ones that joints agree about.
    pub fn vertex_space(&self) -> VertexSpace {
        self.space
    }

    /// The most influences of a vertex that are not zero.
    fn widest(&self) -> usize {
        let of = |w: &[u32]| {
            let range = w[0] as usize..w[1] as usize;
            self.influences[range]
                .iter()
                .filter(|i| i.weight != 0.0 || self.space == VertexSpace::Joint)
                .count()
        };
        self.starts.windows(2).map(of).max().unwrap_or(0)
    }

    /// The matrices of a pose that move these vertices: its palette, or its model-space matrices.
    pub fn matrices<'a, M: Matrix>(&self, pose: &'a Pose<M>) -> &'a [M] {
        match self.space {
            VertexSpace::Model => pose.palette(),
            VertexSpace::Joint => pose.model_matrices(),
        }
    }

    /// What this plan does.
    pub fn info(&self) -> PlanInfo {
        PlanInfo::new(self.space, self.apart, &self.data, self.widest())
    }

    /// The caller's memory, found to fit these vertices.
    pub(super) fn fit<'a>(&self, matrices: usize, out: Output<'a>) -> Result<Target<'a>, RigError> {
        RigError::length("joints of the pose", self.joints, matrices)?;
        out.fit(self.vertex_count(), self.has())
    }

    /// The attributes that can be skinned.
    pub(super) fn has(&self) -> Wants {
        Wants { normals: self.has_normals(), tangents: self.has_tangents(), unit: false }
    }
}

/// Refuses what does not fit together.
fn check(
    attributes: &Attributes,
    (starts, influences, local): (&[u32], &[Influence], &[LocalVertex]),
    joints: usize,
) -> Result<(), RigError> {
    let Attributes { positions, normals, tangents } = attributes;
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
    if !local.is_empty() {
        RigError::length("skin.local", influences.len(), local.len())?;
    }
    Ok(())
}
