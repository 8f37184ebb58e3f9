//! The rules of a valid scene.

use crate::animation::motion::Motion;
use crate::convert::SceneFault;
use crate::mesh::Mesh;
use crate::model::Scene;
use crate::model::extra::Extra;
use crate::model::ids::{MaterialId, MeshId};
use crate::skeleton::Local;
use alloc::format;
use alloc::string::String;
use meshwright_core::bulk;

fn check(ok: bool, path: &dyn Fn() -> String, message: &str) -> Result<(), SceneFault> {
    if ok { Ok(()) } else { Err(SceneFault { path: path(), message: message.into() }) }
}

/// Facts about the arrays of a mesh, if they are known already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArraysSeen {
    /// True if the vertices of all triangles exist.
    pub triangles: bool,
    /// True if positions are finite.
    pub positions: bool,
}

impl ArraysSeen {
    /// Determines the facts from the arrays of a mesh.
    pub fn scan(mesh: &Mesh) -> Self {
        // Whole arrays are checked, without a branch per value.
        let known = || (bulk::greatest(mesh.triangles.as_flattened()) as usize) < mesh.positions.len();
        let triangles = mesh.triangles.is_empty() || known();
        let positions = triangles && bulk::are_finite(mesh.positions.as_flattened());
        Self { triangles, positions }
    }
}

impl Scene {
    /// Checks the rules that every consumer relies on: references are valid, attributes have an entry per
    /// vertex, trees have no cycles, positions and matrices are finite, clips fit their skeletons.
    ///
    /// # Errors
    /// The first rule that the scene breaks.
    pub fn validate(&self) -> Result<(), SceneFault> {
        self.validate_seeing(&mut ArraysSeen::scan)
    }

    /// Does the same as [`validate`](Self::validate) for callers that examine the arrays of meshes anyway.
    /// `see` is called once for each mesh, in order.
    ///
    /// # Errors
    /// The first rule that the scene breaks.
    pub fn validate_seeing(&self, see: &mut dyn FnMut(&Mesh) -> ArraysSeen) -> Result<(), SceneFault> {
        for (i, mesh) in self.meshes.iter().enumerate() {
            self.validate_mesh(mesh, see)
                .map_err(|e| SceneFault { path: format!("meshes[{i}].{}", e.path), message: e.message })?;
        }
        for (i, skeleton) in self.skeletons.iter().enumerate() {
            let path = || format!("skeletons[{i}]");
            check(skeleton.order().is_some(), &path, "joints form a cycle or name a missing joint")?;
            for (j, joint) in skeleton.joints.iter().enumerate() {
                let finite = joint.rest.to_affine().is_finite() && joint.inverse_bind.is_finite();
                check(finite, &|| format!("skeletons[{i}].joints[{j}]"), "matrix is not finite")?;
                let solid = joint.solid.is_none_or(|m| m.0 < self.meshes.len());
                check(solid, &|| format!("skeletons[{i}].joints[{j}].solid"), "names a missing mesh")?;
            }
        }
        for (i, variant) in self.variants.iter().enumerate() {
            let there = |(mesh, material): &(MeshId, MaterialId)| {
                mesh.0 < self.meshes.len() && material.0 < self.materials.len()
            };
            let ok = variant.materials.iter().all(there);
            check(ok, &|| format!("variants[{i}]"), "names a missing mesh or material")?;
        }
        self.validate_nodes()?;
        self.validate_clips()?;
        let is_deep = |extras: &Option<Extra>| extras.as_ref().is_some_and(|e| !e.is_shallow());
        let deep = is_deep(&self.extras)
            || self.skeletons.iter().any(|s| s.joints.iter().any(|j| is_deep(&j.extras)))
            || self.nodes.iter().any(|n| is_deep(&n.extras))
            || self.meshes.iter().any(|m| is_deep(&m.extras))
            || self.materials.iter().any(|m| is_deep(&m.extras))
            || self.clips.iter().any(|c| is_deep(&c.extras));
        check(!deep, &|| "extras".into(), "more than 64 lists and maps within each other")
    }

    fn validate_mesh(&self, mesh: &Mesh, see: &mut dyn FnMut(&Mesh) -> ArraysSeen) -> Result<(), SceneFault> {
        let n = mesh.positions.len();
        let lengths = [
            ("normals", mesh.normals.len()),
            ("tangents", mesh.tangents.len()),
            ("uvs", mesh.uvs.len()),
            ("colors", mesh.colors.len()),
        ];
        for (name, len) in lengths {
            check(len == 0 || len == n, &|| name.into(), "needs one entry per vertex")?;
        }
        let seen = see(mesh);
        check(seen.triangles, &|| "triangles".into(), "names a vertex that does not exist")?;
        check(seen.positions, &|| "positions".into(), "is not finite")?;
        let material = mesh.material.is_none_or(|m| m.0 < self.materials.len());
        check(material, &|| "material".into(), "does not exist")?;
        let Some(skin) = &mesh.skin else { return Ok(()) };
        let skeleton = self.skeletons.get(skin.skeleton.0);
        check(skeleton.is_some(), &|| "skin.skeleton".into(), "does not exist")?;
        let joints = skeleton.map_or(0, |s| s.joints.len());
        check(skin.vertex_count() == n, &|| "skin.starts".into(), "needs one entry more than vertices")?;
        let rising = skin.starts.is_sorted() && skin.starts.first() == Some(&0);
        let whole = skin.starts.last().map(|&l| l as usize) == Some(skin.influences.len());
        check(rising && whole, &|| "skin.starts".into(), "does not divide the influences")?;
        let known = skin.influences.iter().all(|i| (i.joint as usize) < joints && i.weight.is_finite());
        let message = "names a joint that does not exist or a weight not finite";
        check(known, &|| "skin.influences".into(), message)?;
        let local = skin.local.is_empty() || skin.local.len() == skin.influences.len();
        check(local, &|| "skin.local".into(), "needs one entry per influence")
    }

    fn validate_nodes(&self) -> Result<(), SceneFault> {
        for (i, node) in self.nodes.iter().enumerate() {
            let path = || format!("nodes[{i}]");
            check(node.meshes.iter().all(|m| m.0 < self.meshes.len()), &path, "names a missing mesh")?;
            check(node.parent.is_none_or(|p| p.0 < self.nodes.len()), &path, "names a missing parent")?;
            let finite = match &node.local {
                Local::Trs(t) => t.to_affine().is_finite(),
                Local::Affine(m) => m.is_finite(),
            };
            check(finite, &path, "transform is not finite")?;
        }
        check(self.node_order().is_some(), &|| "nodes".into(), "parents form a cycle")?;
        let levels = self.levels.iter().flat_map(|l| &l.nodes).all(|n| n.0 < self.nodes.len());
        check(levels, &|| "levels".into(), "names a node that does not exist")
    }

    fn validate_clips(&self) -> Result<(), SceneFault> {
        for (i, set) in self.pose_sets.iter().enumerate() {
            let finite = set.locals.iter().all(crate::Affine::is_finite);
            check(finite, &|| format!("pose_sets[{i}]"), "matrix is not finite")?;
        }
        for (i, clip) in self.clips.iter().enumerate() {
            let path = || format!("clips[{i}]");
            let skeleton = self.skeletons.get(clip.skeleton.0);
            check(skeleton.is_some(), &path, "names a missing skeleton")?;
            let joints = skeleton.map_or(0, |s| s.joints.len());
            check(clip.rate.is_finite() && clip.rate > 0.0, &path, "rate is not a positive number")?;
            match &clip.motion {
                Motion::Poses { set, frames } => {
                    let set = self.pose_sets.get(set.0);
                    check(set.is_some_and(|s| s.joints == joints), &path, "poses do not fit the skeleton")?;
                    let poses = set.map_or(0, crate::PoseSet::len);
                    let known = frames.iter().all(|&f| (f as usize) < poses);
                    check(known && frames.len() == clip.frames as usize, &path, "names a missing pose")?;
                }
                Motion::Tracks(tracks) => {
                    for (t, track) in tracks.iter().enumerate() {
                        let path = || format!("clips[{i}].tracks[{t}]");
                        check(track.joint < joints, &path, "names a missing joint")?;
                        let channels = [
                            (&track.translation.frames, track.translation.values.len()),
                            (&track.rotation.frames, track.rotation.values.len()),
                            (&track.scale.frames, track.scale.values.len()),
                        ];
                        for (frames, values) in channels {
                            let rising = frames.is_sorted_by(|a, b| a < b)
                                && frames.iter().all(|f| f.is_finite() && *f >= 0.0);
                            check(rising && frames.len() == values, &path, "keys are not strictly rising")?;
                        }
                        let finite = bulk::are_finite(track.translation.values.as_flattened())
                            && bulk::are_finite(track.rotation.values.as_flattened())
                            && bulk::are_finite(track.scale.values.as_flattened());
                        check(finite, &path, "a key is not finite")?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Node;
    use crate::model::ids::NodeId;
    use alloc::vec;

    #[test]
    fn a_cycle_of_nodes_is_found() {
        let node = |p: usize| Node { parent: Some(NodeId(p)), ..Node::default() };
        let scene = Scene { nodes: vec![Node::default(), node(2), node(3), node(1)], ..Scene::default() };
        assert!(scene.validate().is_err());
        let scene = Scene { nodes: vec![Node::default(), node(0), node(1), node(2)], ..Scene::default() };
        assert_eq!(scene.validate(), Ok(()));
    }

    #[test]
    fn a_long_chain_of_nodes_takes_linear_time() {
        let n = 200_000_usize;
        let nodes =
            (0..n).map(|i| Node { parent: i.checked_sub(1).map(NodeId), ..Node::default() }).collect();
        assert_eq!(Scene { nodes, ..Scene::default() }.validate(), Ok(()));
    }

    #[test]
    fn dangling_references_are_found() {
        let mesh = Mesh { positions: vec![[0.0; 3]], triangles: vec![[0, 0, 1]], ..Mesh::default() };
        let e = Scene { meshes: vec![mesh], ..Scene::default() }.validate().unwrap_err();
        assert_eq!(e.path, "meshes[0].triangles");
    }

    #[test]
    fn extras_have_a_depth_that_recursion_survives() {
        let nested = |depth| (0..depth).fold(Extra::Int(1), |inner, _| Extra::List(alloc::vec![inner]));
        let scene = |depth| Scene { extras: Some(nested(depth)), ..Scene::default() };
        assert!(scene(Extra::MAX_DEPTH).validate().is_ok());
        let e = scene(2000).validate().unwrap_err();
        assert_eq!(e.path, "extras");
    }
}
