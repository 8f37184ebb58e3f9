//! What parts of an edited scene say that they were.

use super::At;
use crate::model::Scene;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// Names that tools give to materials of meshes that have none.
pub(super) const UNNAMED: [&str; 4] = ["", "Material_0", "material", "DefaultMaterial"];

/// True for what glTF-Transform calls a material that it makes of flat ones, whose colours are then pixels of a picture. In a
/// scene that is held against another one each of those colours has a material of this name, without a picture.
pub fn is_palette(name: &str) -> bool {
    name.strip_prefix("PaletteMaterial")
        .is_some_and(|n| n.len() >= 3 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// What a part says that it was in the native scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Its number.
    pub index: usize,
    /// Of a joint, the number of its skeleton.
    pub of: usize,
    /// The name that it had.
    pub name: String,
}

/// The marks of an edited scene, in its order; where lists are shorter, the rest has none.
///
/// Tools copy the marks of what they copy: of several parts with one mark, the one that still has the name of the native
/// part is that, else the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Marks {
    /// Of joints, by skeleton.
    pub joints: Vec<Vec<Option<Mark>>>,
    /// Of meshes.
    pub meshes: Vec<Option<Mark>>,
    /// Of materials.
    pub materials: Vec<Option<Mark>>,
}

/// The native part that each part with a mark is.
fn claimed<'m, K: Copy + Ord>(
    parts: impl Iterator<Item = (K, &'m str, &'m Mark)>,
    native: impl Fn(&Mark) -> Option<&'m str>,
) -> BTreeMap<K, (usize, usize)> {
    let mut claims: BTreeMap<(usize, usize), (bool, K)> = BTreeMap::new();
    for (part, name, mark) in parts.filter(|(_, _, mark)| native(mark) == Some(&mark.name)) {
        let same = name == mark.name;
        let claim = claims.entry((mark.of, mark.index)).or_insert((same, part));
        if same && !claim.0 {
            *claim = (same, part);
        }
    }
    claims.into_iter().map(|(native, (_, part))| (part, native)).collect()
}

impl Marks {
    /// The native mesh of each marked one.
    pub(super) fn meshes(&self, edited: &Scene, exported: &Scene) -> BTreeMap<usize, usize> {
        let parts = edited.meshes.iter().zip(&self.meshes).enumerate();
        let parts = parts.filter_map(|(e, (mesh, mark))| Some((e, mesh.name.as_str(), mark.as_ref()?)));
        let native = |mark: &Mark| exported.meshes.get(mark.index).map(|m| m.name.as_str());
        claimed(parts, native).into_iter().map(|(e, (_, m))| (e, m)).collect()
    }

    /// The native material of each marked one.
    pub(super) fn materials(&self, edited: &Scene, exported: &Scene) -> BTreeMap<usize, usize> {
        let parts = edited.materials.iter().zip(&self.materials).enumerate();
        // One that is made of several is none of them.
        let parts = parts.filter(|(_, (own, _))| !is_palette(&own.name));
        let parts = parts.filter_map(|(e, (own, mark))| Some((e, own.name.as_str(), mark.as_ref()?)));
        let native = |mark: &Mark| exported.materials.get(mark.index).map(|m| m.name.as_str());
        claimed(parts, native).into_iter().map(|(e, (_, m))| (e, m)).collect()
    }

    /// The joints that say which they are, with the native ones.
    pub(super) fn pairs(&self, edited: &Scene, exported: &Scene) -> Vec<(At, At)> {
        let of = |(skeleton, (joints, marks)): (usize, (&'_ crate::Skeleton, &'_ Vec<Option<Mark>>))| {
            let named = joints.joints.iter().zip(marks).enumerate();
            named
                .filter_map(|(joint, (own, mark))| {
                    Some((At { skeleton, joint }, own.name.clone(), mark.clone()?))
                })
                .collect::<Vec<_>>()
        };
        let parts: Vec<_> = edited.skeletons.iter().zip(&self.joints).enumerate().flat_map(of).collect();
        let native = |mark: &Mark| {
            let joint = exported.skeletons.get(mark.of)?.joints.get(mark.index)?;
            Some(joint.name.as_str())
        };
        let parts = parts.iter().map(|(at, name, mark)| (*at, name.as_str(), mark));
        let pairs = claimed(parts, native).into_iter();
        pairs.map(|(at, (skeleton, joint))| (at, At { skeleton, joint })).collect()
    }
}
