//! Prepared skinned meshes.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use super::bind_pose::{BindVertices, find_bind_vertices};
use super::joint_boxes::JointBounds;
use super::kernel_choice::{self, Choice, PlanOptions};
use super::plan_info::{PlanInfo, VertexSpace};
use super::skin_source::{SkinArrays, SkinSource};
use crate::error::RigError;
use crate::kernels::{Attributes, Data, Output, Target, Wants};
use crate::matrix::Matrix;
use crate::pose::Pose;
use crate::rig::Rig;
use alloc::vec::Vec;
use meshwright_scene::{Influence, LocalVertex, Mesh};

/// A skinned mesh, prepared for skinning: its references are checked and its kernel is chosen. It owns all
/// data that skinning reads.
///
/// [`skin`](Self::skin) runs the fast kernels, in 32 bits. [`positions`](Self::positions) and
/// [`normals`](Self::normals) compute one attribute in the precision of the pose. They are slow, and meant for
/// comparisons and for long chains of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinPlan {
    joints: usize,
    pub(super) starts: Vec<u32>,
    pub(super) influences: Vec<Influence>,
    pub(super) local: Vec<LocalVertex>,
    space: VertexSpace,
    /// The largest disagreement of joints, if joint-space vertices are stored in the bind pose.
    disagreement: Option<f32>,
    pub(super) data: Data,
    pub(super) bounds: JointBounds,
}

impl SkinPlan {
    /// Prepares a mesh that is bound to the skeleton of `rig`.
    ///
    /// # Errors
    ///
    /// If the mesh has no skin, if the skin's influences do not match the number of vertices, or if the skin
    /// refers to a missing joint.
    pub fn new(mesh: &Mesh, rig: &Rig) -> Result<Self, RigError> {
        Self::with_options(mesh, rig, PlanOptions::default())
    }

    /// Prepares a mesh with options for the choice of the kernel.
    ///
    /// # Errors
    ///
    /// The same as for [`new`](Self::new).
    pub fn with_options(mesh: &Mesh, rig: &Rig, options: PlanOptions) -> Result<Self, RigError> {
        let skin = mesh.skin.as_ref().ok_or_else(|| RigError::invalid("skin", "the mesh has none"))?;
        let vertices = Attributes {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: mesh.tangents.clone(),
        };
        let arrays = SkinArrays { starts: &skin.starts, influences: &skin.influences, local: &skin.local };
        Self::build(vertices, arrays, rig.joint_count(), Some(rig), options)
    }

    /// Prepares vertices outside a scene, bound to `joints` joints. Influences with weight zero may refer to
    /// any joint, because exporters write such influences.
    ///
    /// # Errors
    ///
    /// If the slices differ in length, or an influence names a missing joint.
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
        let arrays = SkinArrays { starts: &starts, influences: &influences, local: &[] };
        Self::build(vertices, arrays, joints, None, options)
    }

    fn build(
        attributes: Attributes,
        arrays: SkinArrays<'_>,
        joints: usize,
        rig: Option<&Rig>,
        options: PlanOptions,
    ) -> Result<Self, RigError> {
        let SkinArrays { starts, influences, local } = arrays;
        check(&attributes, arrays, joints)?;
        let has_normals = !attributes.normals.is_empty();
        // Vertices with one joint each are fast in either space.
        let wanted = options.bind_pose != Choice::Never && !kernel_choice::is_single(starts, influences);
        let rig = rig.filter(|_| !local.is_empty() && wanted);
        let bind_vertices = rig.and_then(|rig| find_bind_vertices(rig, arrays, has_normals));
        let disagreement = bind_vertices.as_ref().map(|bind_vertices| bind_vertices.disagreement);
        let (space, bounds, data) = if local.is_empty() || bind_vertices.is_some() {
            let attributes =
                bind_vertices.map_or(attributes, |BindVertices { positions, normals, .. }| Attributes {
                    positions,
                    normals,
                    tangents: Vec::new(),
                });
            let bounds = JointBounds::of_bind(joints, &attributes.positions, starts, influences);
            let bounds = bounds.wider(disagreement.unwrap_or(0.0));
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
        Ok(Self { joints, starts, influences, local, space, disagreement, data, bounds })
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.data.len()
    }

    /// Returns the number of joints of the skeleton.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// Returns true if the mesh has normals.
    pub fn has_normals(&self) -> bool {
        self.data.has_normals()
    }

    /// Returns true if the mesh has tangents that can be skinned. Only meshes in model space do.
    pub fn has_tangents(&self) -> bool {
        self.data.has_tangents()
    }

    /// Returns the space of the stored vertices, which precise skinning reads.
    pub(super) fn stored(&self) -> VertexSpace {
        if self.local.is_empty() { VertexSpace::Model } else { VertexSpace::Joint }
    }

    /// Returns the space of the vertices in this plan. It is the stored one, or model space if all joints agree about
    /// joint-space vertices.
    pub fn vertex_space(&self) -> VertexSpace {
        self.space
    }

    /// Returns the largest number of influences of a vertex that are not zero.
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

    /// Returns the matrices of a pose that move these vertices: palette or model-space matrices.
    pub fn matrices<'a, M: Matrix>(&self, pose: &'a Pose<M>) -> &'a [M] {
        match self.space {
            VertexSpace::Model => pose.palette(),
            VertexSpace::Joint => pose.model_matrices(),
        }
    }

    /// Describes this plan.
    pub fn info(&self) -> PlanInfo {
        PlanInfo::new(self.space, self.disagreement, &self.data, self.widest())
    }

    /// Checks that the caller's memory fits these vertices.
    pub(super) fn fit<'a>(&self, matrices: usize, out: Output<'a>) -> Result<Target<'a>, RigError> {
        RigError::length("joints of the pose", self.joints, matrices)?;
        out.fit(self.vertex_count(), self.has())
    }

    /// Returns the attributes that can be skinned.
    pub(super) fn has(&self) -> Wants {
        Wants { normals: self.has_normals(), tangents: self.has_tangents(), unit: false }
    }
}

/// Checks that the parts of a skin fit together.
fn check(attributes: &Attributes, arrays: SkinArrays<'_>, joints: usize) -> Result<(), RigError> {
    let SkinArrays { starts, influences, local } = arrays;
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
    // Kernels multiply indices by eight.
    if joints.saturating_add(n) >= (u32::MAX / 8) as usize {
        return Err(RigError::invalid("positions", "there are too many for one mesh"));
    }
    if !local.is_empty() {
        RigError::length("skin.local", influences.len(), local.len())?;
    }
    Ok(())
}
