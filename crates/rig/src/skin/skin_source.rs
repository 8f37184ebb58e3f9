//! Vertices outside a scene.
#![allow(clippy::indexing_slicing, reason = "sets whose lengths are compared first")]

use crate::error::RigError;
use alloc::vec::Vec;
use meshwright_scene::{Influence, LocalVertex};

/// The arrays of a skin; see `meshwright_scene::Skin`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SkinArrays<'a> {
    pub(super) starts: &'a [u32],
    pub(super) influences: &'a [Influence],
    pub(super) local: &'a [LocalVertex],
}

/// The vertices of a mesh outside a scene, such as a glTF primitive.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SkinSource<'a> {
    /// Positions in the bind pose.
    pub positions: &'a [[f32; 3]],
    /// Normals in the bind pose; may be empty.
    pub normals: &'a [[f32; 3]],
    /// Tangents in the bind pose, with the handedness in the fourth component; may be empty.
    pub tangents: &'a [[f32; 4]],
    /// The joints of each vertex in sets of four, like `JOINTS_0` and `WEIGHTS_0` of glTF. Weights are not normalised.
    pub sets: &'a [JointSet<'a>],
}

impl<'a> SkinSource<'a> {
    /// Uses vertices with positions only.
    pub const fn new(positions: &'a [[f32; 3]], sets: &'a [JointSet<'a>]) -> Self {
        Self { positions, normals: &[], tangents: &[], sets }
    }

    /// Sets normals: one per vertex, or none.
    #[must_use]
    pub const fn with_normals(mut self, normals: &'a [[f32; 3]]) -> Self {
        self.normals = normals;
        self
    }

    /// Sets tangents: one per vertex, or none.
    #[must_use]
    pub const fn with_tangents(mut self, tangents: &'a [[f32; 4]]) -> Self {
        self.tangents = tangents;
        self
    }

    /// Returns the start of the influences of each vertex, and all influences that are not zero.
    pub(super) fn influences(&self) -> Result<(Vec<u32>, Vec<Influence>), RigError> {
        let n = self.positions.len();
        for set in self.sets {
            RigError::length("joints", n, set.joints.len())?;
            RigError::length("weights", n, set.weights.len())?;
        }
        let (mut starts, mut influences) = (alloc::vec![0], Vec::new());
        for v in 0..n {
            for set in self.sets {
                let pairs = set.joints.vertex(v).into_iter().zip(set.weights[v]);
                let used = pairs.filter(|(_, weight)| *weight != 0.0);
                influences.extend(used.map(|(joint, weight)| Influence { joint, weight }));
            }
            let end = u32::try_from(influences.len());
            starts.push(end.map_err(|_| RigError::invalid("sets", "there are too many influences"))?);
        }
        Ok((starts, influences))
    }
}

/// Four influences for each vertex.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct JointSet<'a> {
    /// The joints.
    pub joints: JointIndices<'a>,
    /// The weights.
    pub weights: &'a [[f32; 4]],
}

impl<'a> JointSet<'a> {
    /// Makes a set of joints, `&[[u8; 4]]` or `&[[u16; 4]]`, and their weights.
    pub fn new(joints: impl Into<JointIndices<'a>>, weights: &'a [[f32; 4]]) -> Self {
        Self { joints: joints.into(), weights }
    }
}

/// Indices of joints.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum JointIndices<'a> {
    /// Indices of one byte.
    U8(&'a [[u8; 4]]),
    /// Indices of two bytes.
    U16(&'a [[u16; 4]]),
}

impl<'a> From<&'a [[u8; 4]]> for JointIndices<'a> {
    fn from(joints: &'a [[u8; 4]]) -> Self {
        Self::U8(joints)
    }
}

impl<'a> From<&'a [[u16; 4]]> for JointIndices<'a> {
    fn from(joints: &'a [[u16; 4]]) -> Self {
        Self::U16(joints)
    }
}

impl JointIndices<'_> {
    fn len(&self) -> usize {
        match self {
            Self::U8(j) => j.len(),
            Self::U16(j) => j.len(),
        }
    }

    fn vertex(&self, v: usize) -> [u32; 4] {
        match self {
            Self::U8(j) => j[v].map(u32::from),
            Self::U16(j) => j[v].map(u32::from),
        }
    }
}
