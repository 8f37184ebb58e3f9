//! Joins levels of detail from several files to one scene.

use crate::animation::motion::{Clip, Motion, PoseSetId};
use crate::convert::ConvertError;
use crate::convert::loss::Loss;
use crate::model::ids::{MaterialId, MeshId, NodeId, SkeletonId};
use crate::model::{Level, Scene};
use crate::skeleton::Skeleton;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::Affine;
use meshwright_core::{Budget, SortedMap};

/// The relative difference of bind matrices up to which two exports of a skeleton count as equal.
const SAME: f32 = 1.0e-4;

impl Scene {
    /// Adds a scene from another file as a further level of detail, below the existing levels. If the scene has no
    /// levels, its content becomes the finest. Equal materials are joined. If all joints of the level are in an
    /// existing skeleton, with the same names and bind poses, its meshes use that skeleton, and its clips are
    /// dropped. Otherwise its skeleton and clips are added.
    ///
    /// # Errors
    /// If one of the scenes has a bad reference, or if the budget does not suffice.
    pub fn add_level(&mut self, level: Self, budget: &Budget) -> Result<Vec<Loss>, ConvertError> {
        if level.space != self.space {
            return Err(ConvertError::invalid("space", "levels lie in one space"));
        }
        let mut losses = Vec::new();
        let whole = self.nodes.len().saturating_add(self.meshes.len()).saturating_add(self.materials.len());
        let added = level.nodes.len().saturating_add(level.meshes.len());
        budget.charge_items("levels", added as u64, size_of::<NodeId>().saturating_mul(8))?;
        let compared = (level.materials.len() as u64).saturating_mul(self.materials.len() as u64);
        budget.work("levels", (whole.saturating_add(added) as u64).saturating_add(compared))?;
        if self.levels.is_empty() {
            let nodes = roots(self, 0);
            self.levels.push(Level { nodes, ..Level::default() });
        }
        let Self {
            name, nodes, mut meshes, skeletons, materials, pose_sets, clips, levels, variants, ..
        } = level;
        let first = FirstNumbers { nodes: self.nodes.len(), meshes: self.meshes.len() };
        let materials = self.adopt_materials(materials);
        let homes = self.adopt_skeletons(skeletons, first.meshes, budget, &mut losses, &name)?;
        let sets = self.pose_sets.len();
        if homes.iter().any(|home| home.joints.is_none()) {
            self.pose_sets.extend(pose_sets);
        }
        self.adopt_clips(clips, &homes, sets, &name, &mut losses);
        for mesh in &mut meshes {
            mesh.material = mesh.material.and_then(|m| materials.get(m.0).copied());
            let Some(skin) = &mut mesh.skin else { continue };
            let home = homes.get(skin.skeleton.0).ok_or_else(|| dangling("skin"))?;
            skin.skeleton = home.skeleton;
            let Some(joints) = &home.joints else { continue };
            for influence in &mut skin.influences {
                let joint = joints.get(influence.joint as usize);
                influence.joint = *joint.ok_or_else(|| dangling("skin"))?;
            }
        }
        self.meshes.append(&mut meshes);
        for mut node in nodes {
            node.parent = node.parent.map(|parent| first.node(parent));
            node.meshes.iter_mut().for_each(|mesh| *mesh = first.mesh(*mesh));
            self.nodes.push(node);
        }
        if levels.is_empty() {
            let nodes = roots(self, first.nodes);
            self.levels.push(Level { name, nodes, max_distance: None });
        }
        for mut level in levels {
            level.nodes.iter_mut().for_each(|node| *node = first.node(*node));
            self.levels.push(level);
        }
        for variant in variants {
            let own = variant.materials.into_iter();
            let own = own.filter_map(|(mesh, m)| Some((first.mesh(mesh), *materials.get(m.0)?)));
            match self.variants.iter_mut().find(|known| known.name == variant.name) {
                Some(known) => known.materials.extend(own),
                None => {
                    let materials = own.collect();
                    self.variants.push(crate::model::Variant { name: variant.name, materials });
                }
            }
        }
        Ok(losses)
    }

    /// Returns the numbers of materials in the scene; equal materials are not added again.
    fn adopt_materials(&mut self, materials: Vec<crate::model::Material>) -> Vec<MaterialId> {
        let mut places = Vec::with_capacity(materials.len());
        for material in materials {
            let known = self.materials.iter().position(|known| *known == material);
            places.push(MaterialId(known.unwrap_or(self.materials.len())));
            if known.is_none() {
                self.materials.push(material);
            }
        }
        places
    }

    /// Returns the skeletons of the scene that replace those of a level.
    fn adopt_skeletons(
        &mut self,
        skeletons: Vec<Skeleton>,
        first_mesh: usize,
        budget: &Budget,
        losses: &mut Vec<Loss>,
        name: &str,
    ) -> Result<Vec<LevelSkeleton>, ConvertError> {
        let (mut homes, there) = (Vec::new(), self.skeletons.len());
        for (i, mut skeleton) in skeletons.into_iter().enumerate() {
            budget.charge_items("levels", skeleton.joints.len() as u64, 64)?;
            let known = self.skeletons.iter().take(there).enumerate();
            let mut same = known.filter_map(|(at, known)| Some((at, joints_in(known, &skeleton)?)));
            if let Some((at, joints)) = same.next() {
                homes.push(LevelSkeleton { skeleton: SkeletonId(at), joints: Some(joints) });
                continue;
            }
            if there > 0 {
                let message =
                    "has bones that the first level lacks or places elsewhere: it keeps its own skeleton";
                losses.push(Loss::note("level-skeleton", format!("{name}.skeletons[{i}]"), message));
            }
            for joint in &mut skeleton.joints {
                joint.solid = joint.solid.map(|mesh| MeshId(mesh.0.saturating_add(first_mesh)));
            }
            homes.push(LevelSkeleton { skeleton: SkeletonId(self.skeletons.len()), joints: None });
            self.skeletons.push(skeleton);
        }
        Ok(homes)
    }

    /// Adds the clips of skeletons that the scene did not have. Clips of existing skeletons are dropped.
    fn adopt_clips(
        &mut self,
        clips: Vec<Clip>,
        homes: &[LevelSkeleton],
        first_set: usize,
        name: &str,
        losses: &mut Vec<Loss>,
    ) {
        let own = self.clips.len();
        let mut dropped = 0_usize;
        for mut clip in clips {
            let Some(home) = homes.get(clip.skeleton.0) else { continue };
            if home.joints.is_some() {
                let known = self.clips.iter().take(own);
                let same = |known: &Clip| known.name == clip.name && known.frames == clip.frames;
                dropped = dropped.saturating_add(usize::from(!known.into_iter().any(same)));
                continue;
            }
            clip.skeleton = home.skeleton;
            if let Motion::Poses { set, .. } = &mut clip.motion {
                *set = PoseSetId(set.0.saturating_add(first_set));
            }
            self.clips.push(clip);
        }
        if dropped > 0 {
            let message = "clips that the first level lacks, or has with another length, were dropped";
            let loss = Loss::note("level-clips", format!("{name}.clips"), message);
            losses.push(loss.with_count(dropped, "clip", "clips"));
        }
    }
}

/// The number of items of each kind before the level was added.
struct FirstNumbers {
    nodes: usize,
    meshes: usize,
}

impl FirstNumbers {
    const fn node(&self, id: NodeId) -> NodeId {
        NodeId(id.0.saturating_add(self.nodes))
    }

    const fn mesh(&self, id: MeshId) -> MeshId {
        MeshId(id.0.saturating_add(self.meshes))
    }
}

/// The skeleton of the scene that replaces one of a level.
struct LevelSkeleton {
    skeleton: SkeletonId,
    /// The numbers of its joints in the scene's skeleton, if that existed before.
    joints: Option<Vec<u32>>,
}

fn dangling(what: &str) -> ConvertError {
    ConvertError::invalid(what, "names an item that does not exist")
}

/// Returns the nodes without a parent, from number `first` on.
fn roots(scene: &Scene, first: usize) -> Vec<NodeId> {
    let nodes = scene.nodes.iter().enumerate().skip(first);
    nodes.filter(|(_, node)| node.parent.is_none()).map(|(n, _)| NodeId(n)).collect()
}

/// Returns the joints of a skeleton with the names and bind poses of another's joints; `None` if one is missing.
fn joints_in(skeleton: &Skeleton, other: &Skeleton) -> Option<Vec<u32>> {
    let mut by_name: SortedMap<&String, usize> = SortedMap::new();
    for (i, joint) in skeleton.joints.iter().enumerate() {
        if joint.name.is_empty() || by_name.insert(&joint.name, i).is_some() {
            return None;
        }
    }
    let place = |joint: &crate::skeleton::Joint| {
        let at = *by_name.get(&joint.name)?;
        let known = skeleton.joints.get(at)?;
        let bound = is_similar(&known.inverse_bind, &joint.inverse_bind) && known.follows.is_empty();
        bound.then(|| u32::try_from(at).ok()).flatten()
    };
    other.joints.iter().map(place).collect()
}

fn is_similar(a: &Affine, b: &Affine) -> bool {
    let numbers = |m: &Affine| [m.x, m.y, m.z, m.w].into_iter().flatten();
    numbers(a).zip(numbers(b)).all(|(a, b)| (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Influence, Joint, Local, Material, Mesh, Node, Skin};
    use alloc::vec;
    use meshwright_core::Limits;
    use meshwright_core::math::Trs;

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    /// Returns a scene with a triangle on the last of some joints with the given heights.
    fn model(name: &str, joints: &[(&str, f32)], clip: u32) -> Scene {
        let joint = |(i, (name, height)): (usize, &(&str, f32))| {
            let rest = Trs { translation: [0.0, *height, 0.0], ..Trs::IDENTITY };
            Joint::new(*name, i.checked_sub(1), Local::Trs(rest))
        };
        let mut skeleton =
            Skeleton { name: "s".into(), joints: joints.iter().enumerate().map(joint).collect() };
        skeleton.bind_rest().unwrap();
        let mut skin = Skin::new(SkeletonId(0));
        for _ in 0..3 {
            let joint = u32::try_from(joints.len().saturating_sub(1)).unwrap();
            skin.influences.push(Influence { joint, weight: 1.0 });
            skin.end_vertex();
        }
        let mesh = Mesh::new("m", vec![[0.0; 3]; 3], vec![[0, 1, 2]]);
        let mesh = mesh.with_skin(skin).with_material(MaterialId(0));
        let motion = Motion::Tracks(Vec::new());
        Scene::new(name)
            .with_meshes(vec![mesh])
            .with_nodes(vec![Node::of_mesh("n", MeshId(0))])
            .with_materials(vec![Material::named("skin")])
            .with_skeletons(vec![skeleton])
            .with_clips(vec![Clip::new("walk", SkeletonId(0), 10.0, motion).with_frames(clip)])
    }

    #[test]
    fn a_level_follows_the_skeleton_that_is_there() {
        let mut scene = model("x", &[("root", 0.0), ("spine", 1.0), ("hat", 1.0)], 4);
        // Adds a level with fewer bones in another order.
        let losses =
            scene.add_level(model("x_lod1", &[("root", 0.0), ("spine", 1.0)], 4), &budget()).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        scene.validate().unwrap();
        let counts = (scene.skeletons.len(), scene.clips.len(), scene.materials.len(), scene.meshes.len());
        assert_eq!(counts, (1, 1, 1, 2));
        let joint = |mesh: usize| scene.meshes[mesh].skin.as_ref().unwrap().influences[0].joint;
        assert_eq!((joint(0), joint(1)), (2, 1));
        let levels: Vec<_> = scene.levels.iter().map(|l| (l.name.as_str(), l.nodes.clone())).collect();
        assert_eq!(levels, [("", vec![NodeId(0)]), ("x_lod1", vec![NodeId(1)])]);
        assert_eq!(scene.nodes[1].meshes, [MeshId(1)]);
        // A clip of another length is lost and reported.
        let losses = scene.add_level(model("x_lod2", &[("root", 0.0)], 9), &budget()).unwrap();
        assert_eq!(losses.iter().map(|l| (l.code, l.count)).collect::<Vec<_>>(), [("level-clips", 1)]);
        assert_eq!(scene.levels.len(), 3);
    }

    #[test]
    fn another_skeleton_stays_with_its_clips() {
        for other in [&[("root", 0.0), ("spine", 2.0)][..], &[("root", 0.0), ("tail", 1.0)]] {
            let mut scene = model("x", &[("root", 0.0), ("spine", 1.0)], 4);
            let losses = scene.add_level(model("y", other, 4), &budget()).unwrap();
            assert_eq!(losses[0].code, "level-skeleton");
            scene.validate().unwrap();
            assert_eq!((scene.skeletons.len(), scene.clips.len()), (2, 2));
            assert_eq!(scene.clips[1].skeleton, SkeletonId(1));
            assert_eq!(scene.meshes[1].skin.as_ref().unwrap().skeleton, SkeletonId(1));
        }
    }

    #[test]
    fn what_names_nothing_is_refused() {
        let mut level = model("y", &[("root", 0.0)], 1);
        level.meshes[0].skin.as_mut().unwrap().influences[0].joint = 7;
        assert!(model("x", &[("root", 0.0)], 1).add_level(level, &budget()).is_err());
        let small = Budget::new(Limits::default().with_memory(8));
        assert!(model("x", &[("root", 0.0)], 1).add_level(model("y", &[("root", 0.0)], 1), &small).is_err());
    }
}
