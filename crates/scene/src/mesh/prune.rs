//! Vertices that nothing draws.

use crate::mesh::{Mesh, Skin};
use crate::model::Scene;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded};

impl Scene {
    /// Drops vertices that no triangle uses, with their attributes and influences, and returns their number.
    /// The others keep their order.
    ///
    /// # Errors
    /// If the budget does not suffice for a list of vertices.
    pub fn prune(&mut self, budget: &Budget) -> Result<usize, LimitExceeded> {
        let mut dropped = 0;
        for mesh in &mut self.meshes {
            dropped = mesh.prune(budget)?.saturating_add(dropped);
        }
        Ok(dropped)
    }
}

impl Mesh {
    /// Counts the vertices that no triangle uses.
    ///
    /// # Errors
    /// If the budget does not suffice for a list of vertices.
    pub fn unused_vertices(&self, budget: &Budget) -> Result<usize, LimitExceeded> {
        Ok(unmarked(&self.used(budget)?))
    }

    fn used(&self, budget: &Budget) -> Result<Vec<bool>, LimitExceeded> {
        let mut used = budget.filled("vertices", self.positions.len(), false)?;
        self.mark(&mut used);
        Ok(used)
    }

    /// Does the same as [`unused_vertices`](Self::unused_vertices) with a caller's list as working memory,
    /// without a budget. `None` if triangles have missing vertices.
    pub fn unused_vertices_in(&self, room: &mut Vec<bool>) -> Option<usize> {
        room.clear();
        room.resize(self.positions.len(), false);
        self.mark(room).then(|| unmarked(room))
    }

    /// Marks the vertices that triangles use. Returns false if a triangle has a missing vertex.
    fn mark(&self, used: &mut [bool]) -> bool {
        let mut known = true;
        for corners in &self.triangles {
            for corner in corners {
                match used.get_mut(*corner as usize) {
                    Some(used) => *used = true,
                    None => known = false,
                }
            }
        }
        known
    }

    fn prune(&mut self, budget: &Budget) -> Result<usize, LimitExceeded> {
        let used = self.used(budget)?;
        let dropped = unmarked(&used);
        if dropped == 0 {
            return Ok(0);
        }
        let mut places = budget.reserve("vertices", used.len())?;
        let mut next = 0_u32;
        for used in &used {
            places.push(next);
            next = next.saturating_add(u32::from(*used));
        }
        for corner in self.triangles.as_flattened_mut() {
            *corner = places.get(*corner as usize).copied().unwrap_or(*corner);
        }
        keep(&mut self.positions, &used);
        keep(&mut self.normals, &used);
        keep(&mut self.tangents, &used);
        keep(&mut self.uvs, &used);
        keep(&mut self.colors, &used);
        if let Some(skin) = &mut self.skin {
            skin.prune(&used, budget)?;
        }
        Ok(dropped)
    }
}

impl Skin {
    fn prune(&mut self, used: &[bool], budget: &Budget) -> Result<(), LimitExceeded> {
        let mut influences = budget.filled("skin", self.influences.len(), false)?;
        let mut starts = budget.reserve("skin", self.starts.len())?;
        starts.push(0);
        let mut next = 0_u32;
        for (vertex, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            let range = self.range(vertex);
            next = next.saturating_add(u32::try_from(range.len()).unwrap_or(u32::MAX));
            influences.get_mut(range).into_iter().flatten().for_each(|kept| *kept = true);
            starts.push(next);
        }
        keep(&mut self.influences, &influences);
        keep(&mut self.local, &influences);
        self.starts = starts;
        Ok(())
    }
}

/// Counts the unmarked items. It adds up blocks of 128 in one byte each, which is fast.
fn unmarked(marks: &[bool]) -> usize {
    let count = |part: &[bool]| part.iter().fold(0_u8, |n, mark| n.wrapping_add(u8::from(!*mark)));
    marks.chunks(128).map(|part| usize::from(count(part))).fold(0, usize::saturating_add)
}

/// Keeps the items that are marked.
fn keep<T>(items: &mut Vec<T>, marked: &[bool]) {
    let mut marks = marked.iter();
    items.retain(|_| marks.next().copied().unwrap_or(true));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Influence, Limits, LocalVertex, SkeletonId};
    use alloc::vec;

    #[test]
    fn what_no_triangle_uses_goes_and_the_rest_keeps_its_order() {
        let mut skin = Skin::new(SkeletonId(0));
        for (joints, weight) in [(0..1, 1.0), (1..3, 0.5), (3..3, 0.0), (4..6, 0.25), (6..7, 1.0)] {
            for joint in joints {
                skin.influences.push(Influence { joint, weight });
                skin.local.push(LocalVertex { position: [weight; 3], normal: [0.0; 3] });
            }
            skin.end_vertex();
        }
        let at = |x: f32| [x, 0.0, 0.0];
        let mut mesh = Mesh::new("m", (0..5_u8).map(|x| at(x.into())).collect(), vec![[4, 2, 1], [1, 1, 2]])
            .with_uvs((0..5_u8).map(|x| [x.into(), 0.0]).collect())
            .with_skin(skin);
        let budget = Budget::new(Limits::default());
        assert_eq!(mesh.unused_vertices(&budget), Ok(2));
        let mut room = vec![true; 9];
        assert_eq!(mesh.unused_vertices_in(&mut room), Some(2));
        assert_eq!(mesh.clone().with_positions(vec![at(0.0); 4]).unused_vertices_in(&mut room), None);
        let mut scene = Scene::default().with_meshes(vec![mesh.clone()]);
        assert_eq!(scene.prune(&budget), Ok(2));
        mesh = scene.meshes.remove(0);
        assert_eq!(mesh.positions, [at(1.0), at(2.0), at(4.0)]);
        assert_eq!((mesh.uvs[2], &mesh.normals), ([4.0, 0.0], &vec![]));
        assert_eq!(mesh.triangles, [[2, 1, 0], [0, 0, 1]]);
        let skin = mesh.skin.as_ref().unwrap();
        assert_eq!(skin.starts, [0, 2, 2, 3]);
        assert_eq!(skin.influences.iter().map(|i| i.joint).collect::<Vec<_>>(), [1, 2, 6]);
        assert_eq!(skin.local.len(), 3);
        assert_eq!(mesh.prune(&budget), Ok(0));
    }
}
