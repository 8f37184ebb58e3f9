//! A skinned mesh made ready.

use crate::error::RigError;
use crate::matrix::Matrix;
use crate::pose::Pose;
use crate::rig::Rig;
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

/// What becomes of the length of normals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Normals {
    /// As the sum gives it.
    #[default]
    AsIs,
    /// Made 1, where it is not 0.
    Unit,
}

/// A skinned mesh made ready: its references are checked, and it owns what skinning reads.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinPlan {
    joints: usize,
    starts: Vec<u32>,
    influences: Vec<Influence>,
    vertices: Vertices,
}

#[derive(Clone, Debug, PartialEq)]
enum Vertices {
    Bind { positions: Vec<[f32; 3]>, normals: Vec<[f32; 3]> },
    Local { vertices: Vec<LocalVertex>, normals: bool },
}

impl SkinPlan {
    /// Makes a mesh ready that is bound to the skeleton of `rig`. Refused when the mesh has no skin, or when
    /// the skin does not divide its influences among the vertices or names a joint that does not exist.
    pub fn new(mesh: &Mesh, rig: &Rig) -> Result<Self, RigError> {
        let skin = mesh.skin.as_ref().ok_or_else(|| RigError::invalid("skin", "the mesh has none"))?;
        let n = mesh.positions.len();
        RigError::length("skin.starts", n.saturating_add(1), skin.starts.len())?;
        let whole = skin.starts.is_sorted()
            && skin.starts.first() == Some(&0)
            && skin.starts.last().map(|&l| l as usize) == Some(skin.influences.len());
        if !whole {
            return Err(RigError::invalid("skin.starts", "does not divide the influences"));
        }
        let joints = rig.joint_count();
        if skin.influences.iter().any(|i| i.joint as usize >= joints) {
            return Err(RigError::invalid("skin.influences", "names a joint that does not exist"));
        }
        if !mesh.normals.is_empty() {
            RigError::length("normals", n, mesh.normals.len())?;
        }
        let vertices = if skin.local.is_empty() {
            Vertices::Bind { positions: mesh.positions.clone(), normals: mesh.normals.clone() }
        } else {
            RigError::length("skin.local", skin.influences.len(), skin.local.len())?;
            Vertices::Local { vertices: skin.local.clone(), normals: !mesh.normals.is_empty() }
        };
        Ok(Self { joints, starts: skin.starts.clone(), influences: skin.influences.clone(), vertices })
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True when the mesh has normals.
    pub fn has_normals(&self) -> bool {
        match &self.vertices {
            Vertices::Bind { normals, .. } => !normals.is_empty(),
            Vertices::Local { normals, .. } => *normals,
        }
    }

    /// In which space the vertices are held.
    pub fn form(&self) -> Form {
        match self.vertices {
            Vertices::Bind { .. } => Form::Bind,
            Vertices::Local { .. } => Form::Local,
        }
    }

    /// The positions in a pose, one per vertex.
    pub fn positions<M: Matrix>(&self, pose: &Pose<M>, out: &mut [[f32; 3]]) -> Result<(), RigError> {
        self.fits(pose, out.len())?;
        match &self.vertices {
            Vertices::Bind { positions, .. } => {
                let palette = pose.palette();
                self.fill(out, |v, influences, _| {
                    let total: f32 = influences.iter().map(|i| i.weight).sum();
                    if total == 0.0 {
                        return positions[v];
                    }
                    let add =
                        |sum, i: &Influence| palette[i.joint as usize].add_point(sum, positions[v], i.weight);
                    M::finish(influences.iter().fold(M::Sum::default(), add))
                });
            }
            Vertices::Local { vertices, .. } => {
                let model = pose.model();
                self.fill(out, |_, influences, range| {
                    let add = |sum, (i, l): (&Influence, &LocalVertex)| {
                        model[i.joint as usize].add_local(sum, l.position, i.weight)
                    };
                    M::finish(influences.iter().zip(&vertices[range]).fold(M::Sum::default(), add))
                });
            }
        }
        Ok(())
    }

    /// The normals in a pose, one per vertex. Refused when the mesh has none.
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
        match &self.vertices {
            Vertices::Bind { normals, .. } => {
                let palette = pose.palette();
                self.fill(out, |v, influences, _| {
                    let total: f32 = influences.iter().map(|i| i.weight).sum();
                    if total == 0.0 {
                        return finish(M::IDENTITY.add_vector(M::Sum::default(), normals[v], 1.0));
                    }
                    let add =
                        |sum, i: &Influence| palette[i.joint as usize].add_vector(sum, normals[v], i.weight);
                    finish(influences.iter().fold(M::Sum::default(), add))
                });
            }
            Vertices::Local { vertices, .. } => {
                let model = pose.model();
                self.fill(out, |_, influences, range| {
                    let add = |sum, (i, l): (&Influence, &LocalVertex)| {
                        model[i.joint as usize].add_vector(sum, l.normal, 1.0)
                    };
                    finish(influences.iter().zip(&vertices[range]).fold(M::Sum::default(), add))
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
