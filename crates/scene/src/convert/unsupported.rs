//! Unsupported features of formats. All formats report them with the same code and words.

use crate::convert::loss::Loss;
use crate::mesh::Mesh;
use crate::model::{Material, Scene};
use crate::skeleton::Joint;
use alloc::vec::Vec;

/// Data that a scene can hold and some format cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Unsupported {
    /// Materials of any kind.
    Materials,
    /// Textures as images; the names of materials stay.
    Images,
    /// A material's colour and sides; its name stays.
    Surfaces,
    /// Colours of vertices.
    Colors,
    /// Tangents.
    Tangents,
    /// The handedness of tangents; the tangents stay.
    Handedness,
    /// Skins and skeletons.
    Skins,
    /// Vertices in the space of each bone; positions that follow from the bind pose stay.
    LocalVertices,
    /// Joints that follow others; they get their own poses.
    Follows,
    /// Names of joints.
    JointNames,
    /// Motions.
    Clips,
}

impl Unsupported {
    /// Returns the code of the loss.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Materials => "materials-dropped",
            Self::Images => "image-dropped",
            Self::Surfaces => "material",
            Self::Colors => "colors-dropped",
            Self::Tangents => "tangents-dropped",
            Self::Handedness => "handedness-dropped",
            Self::Skins => "skins-dropped",
            Self::LocalVertices => "local-vertices-dropped",
            Self::Follows => "follows-dropped",
            Self::JointNames => "names-dropped",
            Self::Clips => "clips-dropped",
        }
    }

    /// Returns the names of one counted item and of several.
    const fn items(self) -> [&'static str; 2] {
        match self {
            Self::Materials | Self::Images | Self::Surfaces => ["material", "materials"],
            Self::Colors | Self::Tangents | Self::Handedness | Self::LocalVertices => ["mesh", "meshes"],
            Self::Skins => ["skin or skeleton", "skins and skeletons"],
            Self::Follows | Self::JointNames => ["joint", "joints"],
            Self::Clips => ["clip", "clips"],
        }
    }

    /// Returns the path, the message, and the number of occurrences in a scene.
    fn describe(self, scene: &Scene) -> (&'static str, &'static str, usize) {
        let materials = |has: fn(&Material) -> bool| scene.materials.iter().filter(|m| has(m)).count();
        let meshes = |has: fn(&Mesh) -> bool| scene.meshes.iter().filter(|m| has(m)).count();
        let joints = |has: fn(&Joint) -> bool| {
            scene.skeletons.iter().flat_map(|s| &s.joints).filter(|j| has(j)).count()
        };
        match self {
            Self::Materials => ("materials", "the format has no materials", scene.materials.len()),
            Self::Images => {
                let message = "the format holds no images; the material name is used as texture name";
                ("materials", message, materials(|m| m.image.is_some()))
            }
            Self::Surfaces => {
                let own = materials(|m| m.base_color != [1.0; 4] || m.double_sided);
                ("materials", "the format stores neither colours nor two-sided materials", own)
            }
            Self::Colors => ("meshes", "the format has no vertex colours", meshes(|m| !m.colors.is_empty())),
            Self::Tangents => ("meshes", "the format has no tangents", meshes(|m| !m.tangents.is_empty())),
            Self::Handedness => {
                let n = meshes(|m| !m.tangents.is_empty());
                ("meshes", "the format's tangents have no handedness", n)
            }
            Self::Skins => {
                let n = meshes(Mesh::is_skinned).max(scene.skeletons.len());
                ("skeletons", "the format has no bones", n)
            }
            Self::LocalVertices => {
                let n = meshes(|m| m.skin.as_ref().is_some_and(|s| !s.local.is_empty()));
                ("meshes", "vertices stored for each bone became vertices of the bind pose", n)
            }
            Self::Follows => {
                let n = joints(|j| !j.follows.is_empty());
                ("skeletons", "the format has no joints that follow others; they became ordinary joints", n)
            }
            Self::JointNames => {
                ("skeletons", "the format's bones have no names", joints(|j| !j.name.is_empty()))
            }
            Self::Clips => ("clips", "the format has no clips", scene.clips.len()),
        }
    }

    /// Reports the data of a scene that a format cannot hold, each kind once with its count.
    pub fn report(lacks: &[Self], scene: &Scene, losses: &mut Vec<Loss>) {
        for lack in lacks {
            let (path, message, count) = lack.describe(scene);
            if count > 0 {
                let [one, several] = lack.items();
                losses.push(Loss::new(lack.code(), path, message).with_count(count, one, several));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clip, Motion, SkeletonId};
    use alloc::vec;

    #[test]
    fn only_what_is_there_is_lost() {
        let mut scene = Scene::new("x");
        let lacks = [Unsupported::Colors, Unsupported::Clips, Unsupported::Materials, Unsupported::Skins];
        let mut losses = Vec::new();
        Unsupported::report(&lacks, &scene, &mut losses);
        assert!(losses.is_empty());
        let mesh = Mesh { colors: vec![[0; 4]], positions: vec![[0.0; 3]], ..Mesh::default() };
        scene.meshes = vec![mesh.clone(), Mesh::default(), mesh];
        scene.clips.push(Clip::new("walk", SkeletonId(0), 10.0, Motion::Tracks(Vec::new())));
        Unsupported::report(&lacks, &scene, &mut losses);
        let found: Vec<_> = losses.iter().map(|l| (l.code, l.count)).collect();
        assert_eq!(found, [("colors-dropped", 2), ("clips-dropped", 1)]);
    }
}
