//! Parts that carry their identity.

use crate::joint_index::{At, ListIndex, joints};
use crate::tools::gltf_transform::is_palette;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_scene::{Mark, Marks, Scene};

/// Returns the native part of each part that carries an identity.
fn claimed<'m, K: Copy + Ord>(
    parts: &mut dyn Iterator<Item = (K, &'m str, &'m Mark)>,
    native: &dyn Fn(&Mark) -> Option<&'m str>,
) -> SortedMap<K, (usize, usize)> {
    let mut claims: SortedMap<(usize, usize), (bool, K)> = SortedMap::new();
    for (part, name, mark) in parts.filter(|(_, _, mark)| native(mark) == Some(&mark.name)) {
        let same = name == mark.name;
        let claim = claims.entry((mark.of, mark.index)).or_insert((same, part));
        if same && !claim.0 {
            *claim = (same, part);
        }
    }
    claims.into_iter().map(|(native, (_, part))| (part, native)).collect()
}

/// Returns the native mesh of each edited mesh that carries an identity.
pub(crate) fn meshes(marks: &Marks, edited: &Scene, exported: &Scene) -> SortedMap<usize, usize> {
    let parts = edited.meshes.iter().zip(&marks.meshes).enumerate();
    let mut parts = parts.filter_map(|(e, (mesh, mark))| Some((e, mesh.name.as_str(), mark.as_ref()?)));
    let native = |mark: &Mark| exported.meshes.get(mark.index).map(|m| m.name.as_str());
    claimed(&mut parts, &native).into_iter().map(|(e, (_, m))| (e, m)).collect()
}

/// Returns the native material of each edited material that carries an identity.
pub(crate) fn materials(marks: &Marks, edited: &Scene, exported: &Scene) -> SortedMap<usize, usize> {
    let parts = edited.materials.iter().zip(&marks.materials).enumerate();
    // A palette material replaces several materials, so that its identity is wrong.
    let parts = parts.filter(|(_, (own, _))| !is_palette(&own.name));
    let mut parts = parts.filter_map(|(e, (own, mark))| Some((e, own.name.as_str(), mark.as_ref()?)));
    let native = |mark: &Mark| exported.materials.get(mark.index).map(|m| m.name.as_str());
    claimed(&mut parts, &native).into_iter().map(|(e, (_, m))| (e, m)).collect()
}

/// Returns pairs of the edited joints that carry an identity and their native joints.
pub(crate) fn pairs(marks: &Marks, edited: &Scene, exported: &Scene) -> Vec<(At, At)> {
    let parts = joints(&edited.skeletons);
    let mut parts =
        parts.filter_map(|(at, own)| Some((at, own.name.as_str(), at.get(&marks.joints)?.as_ref()?)));
    let native = |mark: &Mark| Some(exported.skeletons.get(mark.of)?.joints.get(mark.index)?.name.as_str());
    let pairs = claimed(&mut parts, &native).into_iter();
    pairs.map(|(at, (skeleton, joint))| (at, At { skeleton, joint })).collect()
}
