//! Converts nodes that mark a place to joints.

use crate::ConvertError;
use crate::convert::loss::Loss;
use crate::model::Scene;
use crate::model::extra::Extra;
use crate::model::ids::NodeId;
use crate::skeleton::join_skeletons::owned;
use crate::skeleton::{Joint, Local, Skeleton};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_core::math::Affine;

impl Scene {
    /// Adds a joint for each node that marks a place: a node with a name, without meshes and children.
    /// Formats without nodes use bones for the places where engines attach objects. The new joints are in a
    /// skeleton of their own, after all others. If their node has no extras, they get `extras`.
    ///
    /// # Errors
    /// If nodes do not form a tree, or if the budget does not suffice for the copy.
    pub fn with_tags<'s>(
        scene: Cow<'s, Self>,
        extras: Option<&Extra>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Cow<'s, Self>, ConvertError> {
        let mut marks = budget.filled("nodes", scene.nodes.len(), false)?;
        for (mark, node) in marks.iter_mut().zip(&scene.nodes) {
            *mark = node.meshes.is_empty() && !node.name.is_empty();
        }
        for NodeId(parent) in scene.nodes.iter().filter_map(|node| node.parent) {
            if let Some(mark) = marks.get_mut(parent) {
                *mark = false;
            }
        }
        let count = marks.iter().filter(|mark| **mark).count();
        if count == 0 {
            return Ok(scene);
        }
        budget.charge_items("nodes", scene.nodes.len() as u64, size_of::<Affine>())?;
        budget.charge_items("joints", count as u64, size_of::<Joint>())?;
        let worlds = scene.world_transforms();
        let worlds = worlds.ok_or_else(|| ConvertError::invalid("nodes", "they form no tree"))?;
        let mut made = owned(scene, budget)?;
        let mut joints = Vec::new();
        for ((node, world), _) in made.nodes.iter().zip(&worlds).zip(&marks).filter(|(_, mark)| **mark) {
            let inverse = world.wide().inverse().map(|inverse| inverse.narrow());
            let mut joint = Joint::new(node.name.clone(), None, Local::Affine(*world));
            joint.inverse_bind = inverse.filter(Affine::is_finite).unwrap_or(Affine::IDENTITY);
            joint.extras = node.extras.clone().or_else(|| extras.cloned());
            joints.push(joint);
        }
        made.skeletons.push(Skeleton { joints, ..Skeleton::default() });
        let message = "nodes that draw nothing became bones, to which engines attach objects";
        losses.push(Loss::note("nodes-as-bones", "nodes", message).with_count(count, "node", "nodes"));
        Ok(Cow::Owned(made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Node;
    use crate::model::ids::MeshId;
    use alloc::vec;
    use meshwright_core::Limits;
    use meshwright_core::math::Trs;

    #[test]
    fn leaves_that_draw_nothing_are_joints() {
        let at = |x: f32| Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
        let node = |name: &str, parent: Option<usize>, x: f32| Node {
            name: name.into(),
            parent: parent.map(NodeId),
            local: at(x),
            ..Node::default()
        };
        let mut nodes = vec![node("car", None, 1.0), node("tag", Some(0), 2.0), node("body", Some(0), 4.0)];
        nodes.push(node("", None, 8.0));
        nodes[2].meshes = vec![MeshId(0)];
        let scene = Scene { nodes, meshes: vec![crate::Mesh::default()], ..Scene::default() };
        let (budget, mut losses) = (Budget::new(Limits::default()), Vec::new());
        let made = Scene::with_tags(Cow::Borrowed(&scene), None, &budget, &mut losses).unwrap();
        let joints = &made.skeletons[0].joints;
        assert_eq!((made.skeletons.len(), joints.len(), &*joints[0].name), (1, 1, "tag"));
        assert_eq!((joints[0].rest.to_affine().w[0], joints[0].inverse_bind.w[0]), (3.0, -3.0));
        assert_eq!((losses.len(), losses[0].count), (1, 1));
        let plain =
            Scene { nodes: scene.nodes[2..].to_vec(), meshes: scene.meshes.clone(), ..Scene::default() };
        let plain = Scene { nodes: vec![Node { parent: None, ..plain.nodes[0].clone() }], ..plain };
        assert!(matches!(
            Scene::with_tags(Cow::Borrowed(&plain), None, &budget, &mut losses),
            Ok(Cow::Borrowed(_))
        ));
    }
}
