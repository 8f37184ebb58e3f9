//! Facts about the arrays of meshes, collected during validation, so that they need not be read again.

use crate::math::{Range, Seen, see_points};
use meshwright_scene::{ArraysSeen, Mesh, Scene, SceneFault};

/// The facts about a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeenMesh {
    /// The number of vertices that no triangle uses, if it was counted.
    pub(crate) unused: Option<usize>,
    /// The least and the greatest of each component of its positions.
    pub(crate) range: Range<3>,
}

/// Collects facts about one mesh after the other.
pub(crate) struct Survey {
    meshes: Vec<SeenMesh>,
    /// Working memory for marks of used vertices, charged only if needed.
    room: Vec<bool>,
    /// The number of vertices that can still be charged and marked.
    left: u64,
}

impl Survey {
    /// Validates a scene, and returns the facts about each mesh.
    pub(crate) fn scan(scene: &Scene, memory: u64) -> Result<Vec<SeenMesh>, SceneFault> {
        let mut survey = Self { meshes: Vec::new(), room: Vec::new(), left: memory };
        scene.validate_seeing(&mut |mesh| survey.see(mesh))?;
        Ok(survey.meshes)
    }

    fn see(&mut self, mesh: &Mesh) -> ArraysSeen {
        let (triangles, unused) = match self.left.checked_sub(mesh.positions.len() as u64) {
            Some(left) => {
                self.left = left;
                let unused = mesh.unused_vertices_in(&mut self.room);
                (unused.is_some(), unused)
            }
            None => (ArraysSeen::scan(mesh).triangles, None),
        };
        let mut points = Seen::NOTHING;
        see_points(&mesh.positions, &mut points);
        self.meshes.push(SeenMesh { unused, range: points.range() });
        ArraysSeen { triangles, positions: points.is_finite() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_vertices_are_marked_than_can_be_charged_for() {
        let points = vec![[0.0, 1.0, 2.0], [-1.0, 5.0, 2.0], [3.0, 0.0, -2.0], [0.0; 3]];
        let mesh = Mesh::new("", points, vec![[0, 2, 1]]);
        let scene = Scene::default().with_meshes(vec![mesh.clone(), mesh.clone()]);
        for (memory, marked) in [(0, 0), (3, 0), (4, 1), (7, 1), (8, 2)] {
            let seen = Survey::scan(&scene, memory).unwrap();
            assert_eq!(seen.len(), 2);
            for (i, seen) in seen.iter().enumerate() {
                assert_eq!(seen.unused, (i < marked).then_some(1), "{memory}");
                assert_eq!(seen.range, ([-1.0, 0.0, -2.0], [3.0, 5.0, 2.0]));
            }
            let wrong = |mesh: Mesh| {
                Survey::scan(&scene.clone().with_meshes(vec![scene.meshes[0].clone(), mesh]), memory)
                    .unwrap_err()
            };
            assert_eq!(wrong(mesh.clone().with_triangles(vec![[0, 4, 1]])).path, "meshes[1].triangles");
            assert_eq!(
                wrong(mesh.clone().with_positions(vec![[f32::NAN; 3]; 4])).path,
                "meshes[1].positions"
            );
        }
    }
}
