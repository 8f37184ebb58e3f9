//! Finds the meshes that are drawn, with their nodes and levels.

use super::{DrawOptions, Instance, Levels};
use crate::convert::ConvertError;
use crate::convert::loss::Loss;
use crate::mesh::Mesh;
use crate::model::Scene;
use crate::model::ids::{MeshId, NodeId};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::math::Affine;
use meshwright_core::{Budget, SortedSet};

/// The parts of the scene that are drawn together.
enum Shown {
    All,
    Below(Vec<bool>),
    NotBelow(Vec<bool>),
}

impl Shown {
    fn node(&self, n: usize) -> bool {
        match self {
            Self::All => true,
            Self::Below(marks) => marks.get(n) == Some(&true),
            Self::NotBelow(marks) => marks.get(n) != Some(&true),
        }
    }
}

pub(super) fn collect_instances(
    scene: &Scene,
    options: &DrawOptions,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Instance>, ConvertError> {
    let n = scene.nodes.len();
    budget.charge_items("nodes", n as u64, size_of::<(Affine, [usize; 4])>())?;
    let cycle = || ConvertError::invalid("nodes", "parents form a cycle or do not exist");
    let order = scene.node_order().ok_or_else(cycle)?;
    let worlds = scene.world_transforms().ok_or_else(cycle)?;
    let levels = levels(scene, options.levels, &order, budget)?;
    let mut instances = Vec::new();
    let mut shown_at_all = vec![false; n];
    for (level, shown) in levels {
        budget.work("nodes of levels", n as u64)?;
        for (i, (node, world)) in scene.nodes.iter().zip(&worlds).enumerate() {
            if !shown.node(i) {
                continue;
            }
            if let Some(s) = shown_at_all.get_mut(i) {
                *s = true;
            }
            budget.charge_items("instances", node.meshes.len() as u64, size_of::<Instance>())?;
            instances.extend(node.meshes.iter().map(|&mesh| {
                let skinned = scene.meshes.get(mesh.0).is_some_and(Mesh::is_skinned);
                let matrix = if skinned { Affine::IDENTITY } else { *world };
                Instance { level, node: Some(NodeId(i)), mesh, matrix }
            }));
        }
    }
    report_nodes(scene, options, &shown_at_all, losses);
    let drawn: SortedSet<_> = instances.iter().map(|i| i.mesh).collect();
    let missing: Vec<_> = (0..scene.meshes.len()).map(MeshId).filter(|m| !drawn.contains(m)).collect();
    if options.undrawn {
        budget.charge_items("instances", missing.len() as u64, size_of::<Instance>())?;
        let alone = |mesh| Instance { level: None, node: None, mesh, matrix: Affine::IDENTITY };
        instances.extend(missing.into_iter().map(alone));
    } else if !missing.is_empty() {
        let message = "meshes that no node draws were dropped";
        let loss = Loss::new("mesh-not-drawn", "meshes", message);
        losses.push(loss.with_count(missing.len(), "mesh", "meshes"));
    }
    Ok(instances)
}

/// Returns the levels to draw. Each has its number if there are several.
fn levels(
    scene: &Scene,
    choice: Levels,
    order: &[usize],
    budget: &Budget,
) -> Result<Vec<(Option<usize>, Shown)>, ConvertError> {
    if scene.levels.is_empty() || choice == Levels::Merged {
        return Ok(vec![(None, Shown::All)]);
    }
    let below = |roots: &[NodeId]| -> Result<Vec<bool>, ConvertError> {
        budget.work("nodes of levels", order.len() as u64)?;
        Ok(below(scene, order, roots))
    };
    match choice {
        Levels::Finest => {
            let Some((finest, coarser)) = scene.levels.split_first() else { return Ok(Vec::new()) };
            let finest: SortedSet<_> = finest.nodes.iter().copied().collect();
            let mut roots = Vec::new();
            for level in coarser {
                roots.extend(level.nodes.iter().filter(|n| !finest.contains(*n)));
            }
            Ok(vec![(Some(0), Shown::NotBelow(below(&roots)?))])
        }
        Levels::Only(number) => {
            let level = scene.levels.get(number).ok_or_else(|| {
                ConvertError::unsupported("levels", format!("level {number} does not exist"))
            })?;
            Ok(vec![(Some(number), Shown::Below(below(&level.nodes)?))])
        }
        Levels::Each | Levels::Merged => {
            let mut each = budget.reserve("levels", scene.levels.len())?;
            for (i, level) in scene.levels.iter().enumerate() {
                budget.charge("nodes of levels", order.len() as u64)?;
                each.push((Some(i), Shown::Below(below(&level.nodes)?)));
            }
            Ok(each)
        }
    }
}

/// Marks the nodes that are or are below some roots.
pub(crate) fn below(scene: &Scene, order: &[usize], roots: &[NodeId]) -> Vec<bool> {
    let mut marks = vec![false; scene.nodes.len()];
    for root in roots {
        if let Some(mark) = marks.get_mut(root.0) {
            *mark = true;
        }
    }
    for &n in order {
        let parent = scene.nodes.get(n).and_then(|node| node.parent);
        if let (Some(true), Some(mark)) = (parent.and_then(|p| marks.get(p.0).copied()), marks.get_mut(n)) {
            *mark = true;
        }
    }
    marks
}

/// Reports the losses from the choice of levels and from node transforms that are not applied.
fn report_nodes(scene: &Scene, options: &DrawOptions, shown: &[bool], losses: &mut Vec<Loss>) {
    let hidden: Vec<_> = (0..scene.nodes.len()).filter(|&n| shown.get(n) == Some(&false)).collect();
    match options.levels {
        _ if scene.levels.is_empty() => {}
        Levels::Merged => {
            losses.push(Loss::new("levels-merged", "levels", "all levels of detail are drawn at once"));
        }
        Levels::Each => {
            let drawing = |n: &usize| scene.nodes.get(*n).is_some_and(|node| !node.meshes.is_empty());
            for n in hidden.into_iter().filter(drawing) {
                losses.push(Loss::new("node-not-drawn", format!("nodes[{n}]"), "no level draws it"));
            }
        }
        Levels::Finest | Levels::Only(_) => {
            if !hidden.is_empty() {
                let loss = Loss::new("levels-dropped", "levels", "nodes of other levels were dropped");
                losses.push(loss.with_count(hidden.len(), "node", "nodes"));
            }
        }
    }
    if options.bake && scene.has_transforms() {
        let message = "node transforms were applied to the vertices";
        losses.push(Loss::note("nodes-applied", "nodes", message));
    }
}
