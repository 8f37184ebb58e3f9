//! Bind matrices that shear.
//!
//! Importers that convert joints to bones place these by the inverse bind matrices, but a bone has only a position
//! and a direction. They apply the rest of a matrix to the vertices, for each joint separately. Joints that share a
//! matrix, such as the helpers of a mean of joints, are then turned against each other because of the shear. This
//! module applies the shear to the vertices once for all of them.

use crate::math::{SHEAR_NOISE, narrow, unit, wide};
use meshwright_core::SortedMap;
use meshwright_core::math::{Affine64, Trs64};
use meshwright_scene::{Affine, Budget, LimitExceeded, Mesh, Scene, Skeleton};
use std::borrow::Cow;

/// The joints of a skeleton whose bind matrices were straightened.
#[derive(Debug, Default)]
pub(crate) struct Straightened {
    /// The new inverse bind matrix of each joint, and the transform that vertices need for it.
    joints: SortedMap<usize, (Affine, Affine64)>,
}

impl Straightened {
    /// Finds joints that share a sheared matrix and whose vertices follow no others.
    pub(crate) fn find(scene: &Scene, skeleton: usize, memory: &Budget) -> Result<Self, LimitExceeded> {
        let joints = scene.skeletons.get(skeleton).map(|s| s.joints.as_slice()).unwrap_or_default();
        let mut sharing: SortedMap<[u32; 12], Vec<usize>> = SortedMap::new();
        for (j, joint) in joints.iter().enumerate().filter(|(_, joint)| shears(&joint.inverse_bind)) {
            memory.charge("joints", 256)?;
            sharing.entry(joint.inverse_bind.to_array().map(f32::to_bits)).or_default().push(j);
        }
        sharing.retain(|_, joints| joints.len() > 1);
        if sharing.is_empty() {
            return Ok(Self::default());
        }
        let mut group = memory.filled("joints", joints.len(), None)?;
        for (g, joint) in sharing.values().enumerate().flat_map(|(g, all)| all.iter().map(move |j| (g, *j))) {
            if let Some(slot) = group.get_mut(joint) {
                *slot = Some(g);
            }
        }
        let mut mixed = memory.filled("joints", sharing.len(), false)?;
        let skins = scene.meshes.iter().filter_map(|m| m.skin.as_ref()).filter(|s| s.skeleton.0 == skeleton);
        for skin in skins {
            for vertex in 0..skin.vertex_count() {
                let of = || skin.influences(vertex).iter().filter(|i| i.weight > 0.0);
                let groups = || of().map(|i| group.get(i.joint as usize).copied().flatten());
                let first = groups().next();
                if groups().any(|g| Some(g) != first) {
                    groups().flatten().for_each(|g| mixed.get_mut(g).into_iter().for_each(|m| *m = true));
                }
            }
        }
        let alone = sharing.into_values().zip(mixed).filter(|(_, mixed)| !mixed).map(|(joints, _)| joints);
        let mut found = Self::default();
        for joints_of in alone {
            let Some(bind) = joints_of.first().and_then(|j| joints.get(*j)).map(|j| j.inverse_bind.wide())
            else {
                continue;
            };
            let Some(stands) = bind.inverse() else { continue };
            let rigid = Trs64 { scale: [1.0; 3], ..Trs64::from_affine(&stands) }.to_affine();
            let Some(straight) = rigid.inverse().map(|m| m.narrow()) else { continue };
            let moved = rigid.after(&bind);
            found.joints.extend(joints_of.into_iter().map(|j| (j, (straight, moved))));
        }
        Ok(found)
    }

    /// Returns the skeleton with its new matrices.
    pub(crate) fn skeleton<'a>(
        &self,
        skeleton: &'a Skeleton,
        memory: &Budget,
    ) -> Result<Cow<'a, Skeleton>, LimitExceeded> {
        if self.joints.is_empty() {
            return Ok(Cow::Borrowed(skeleton));
        }
        let names = skeleton.joints.iter().map(|j| j.name.len()).fold(0, usize::saturating_add);
        memory.charge_items("joints", skeleton.joints.len() as u64, 256)?;
        memory.charge_items("names", names as u64, 1)?;
        let mut straight = skeleton.clone();
        for (joint, (bind, _)) in &self.joints {
            if let Some(joint) = straight.joints.get_mut(*joint) {
                joint.inverse_bind = *bind;
            }
        }
        Ok(Cow::Owned(straight))
    }

    /// Returns a mesh of the skeleton with vertices transformed for the new matrices.
    pub(crate) fn mesh<'a>(&self, mesh: &'a Mesh, memory: &Budget) -> Result<Cow<'a, Mesh>, LimitExceeded> {
        let Some(skin) = mesh.skin.as_ref().filter(|_| !self.joints.is_empty()) else {
            return Ok(Cow::Borrowed(mesh));
        };
        let moved = |vertex: usize| {
            let joint = skin.influences(vertex).iter().find(|i| i.weight > 0.0)?.joint;
            self.joints.get(&(joint as usize)).map(|(_, moved)| moved)
        };
        if (0..skin.vertex_count()).all(|v| moved(v).is_none()) {
            return Ok(Cow::Borrowed(mesh));
        }
        let influences = size_of_val(&*skin.influences).saturating_add(size_of_val(&*skin.local));
        let vertices = size_of_val(&*mesh.positions).saturating_mul(5);
        let all = vertices.saturating_add(size_of_val(&*mesh.triangles)).saturating_add(influences);
        memory.charge("vertices", all as u64)?;
        let mut straight = mesh.clone();
        for v in 0..skin.vertex_count() {
            let Some(moved) = moved(v) else { continue };
            if let Some(p) = straight.positions.get_mut(v) {
                *p = narrow(moved.point(wide(*p)));
            }
            if let Some(n) = straight.normals.get_mut(v) {
                *n = unit(moved.vector(wide(*n))).map_or(*n, narrow);
            }
            if let Some([x, y, z, _]) = straight.tangents.get_mut(v) {
                let along = unit(moved.vector(wide([*x, *y, *z])));
                [*x, *y, *z] = along.map_or([*x, *y, *z], narrow);
            }
        }
        Ok(Cow::Owned(straight))
    }
}

/// Returns true if a bone cannot have the pose of an inverse bind matrix, however it is scaled along its axes.
fn shears(bind: &Affine) -> bool {
    bind.wide().inverse().is_some_and(|stands| Trs64::from_affine(&stands).misfit(&stands) > SHEAR_NOISE)
}
