//! Nodes of meshes that were moved as a whole.

use meshwright_core::math::{Affine64, Trs64};
use meshwright_core::{Budget, LimitExceeded, SortedMap};
use meshwright_scene::{Local, Node, Scene};

/// Moves nodes to where an editor put them. Other nodes that draw meshes stay, and nodes without meshes move with their
/// parents. The first nodes of `scene` are those of `native`.
pub(crate) fn move_nodes(
    native: &Scene,
    moved: &SortedMap<usize, Affine64>,
    scene: &mut Scene,
    budget: &Budget,
) -> Result<(), LimitExceeded> {
    let count = native.nodes.len();
    if moved.is_empty() {
        return Ok(());
    }
    // The world transforms, before and after, of the nodes whose parents are done.
    let mut worlds = budget.filled("nodes", count, None::<[Affine64; 2]>)?;
    for n in 0..count {
        let mut path = alloc::vec![n];
        while let Some(parent) = path.last().and_then(|n| native.nodes.get(*n)?.parent) {
            if worlds.get(parent.0).is_none_or(Option::is_some) || path.len() > count {
                break;
            }
            path.push(parent.0);
        }
        budget.work("nodes", path.len() as u64)?;
        for n in path.into_iter().rev() {
            let Some((node, to)) = native.nodes.get(n).zip(scene.nodes.get_mut(n)) else { continue };
            let above = node.parent.and_then(|p| worlds.get(p.0).copied().flatten());
            let [was, is] = above.unwrap_or([Affine64::IDENTITY; 2]);
            let local = node.local.to_affine64();
            let own = was.after(&local);
            let along = if was == is || node.meshes.is_empty() { is.after(&local) } else { own };
            let want = moved.get(&n).copied().unwrap_or(along);
            let inverse = is.inverse().filter(|_| moved.contains_key(&n) || was != is);
            if let Some(inverse) = inverse.filter(|_| want != is.after(&local)) {
                set_local(to, &inverse.after(&want));
            }
            worlds.get_mut(n).into_iter().for_each(|slot| *slot = Some([own, want]));
        }
    }
    Ok(())
}

fn set_local(node: &mut Node, local: &Affine64) {
    let trs = Trs64::from_affine(local);
    node.local = match node.local {
        Local::Trs(_) if trs.misfit(local) < 1e-6 => Local::Trs(trs.narrow()),
        _ => Local::Affine(local.narrow()),
    };
}
