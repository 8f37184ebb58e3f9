//! Maps bones of the source to bones of the target.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint, whose parents were checked"
)]

use crate::body::{BodyPart, Part, Side};
use crate::body_parts::{Evidence, Parts};
use crate::error::MapError;
use crate::geometry::Geometry;
use crate::map_file::MapFile;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use meshwright_scene::Skeleton;

/// The reason for mapping a bone to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Basis {
    /// The caller's map contains it.
    Given,
    /// Both skeletons have a bone with this name.
    SameName,
    /// Both names belong to known kinds of skeletons, such as Mixamo's.
    KnownNames,
    /// The words in the names match.
    Words,
    /// The hierarchy and the positions of the bones match.
    Place,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given => "given by the map",
            Self::SameName => "same name",
            Self::KnownNames => "known names",
            Self::Words => "guessed by words in names",
            Self::Place => "guessed by place",
        })
    }
}

/// A source bone for a target bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MappedBone {
    /// The joint of the source.
    pub source: usize,
    /// The reason.
    pub basis: Basis,
}

/// The joint of a source skeleton that moves each joint of a target skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoneMap {
    bones: Vec<Option<MappedBone>>,
}

impl BoneMap {
    /// Maps the bones with the same names, then those of the same body part: by the names of well-known
    /// kinds of skeletons, by the words in names, and by the positions of the joints in the rest pose.
    ///
    /// # Errors
    /// If a skeleton is invalid, or if no bone can be mapped.
    pub fn guess(source: &Skeleton, target: &Skeleton) -> Result<Self, MapError> {
        let [from, to] = [Geometry::new(source)?, Geometry::new(target)?];
        let [from_parts, to_parts] = [Parts::find(source, &from), Parts::find(target, &to)];
        let mut map = Self { bones: alloc::vec![None; to.joint_count()] };
        map.match_names(source, target);
        map.match_parts([&from_parts, &to_parts]);
        map.match_spines([&from_parts, &to_parts]);
        map.checked()
    }

    /// Maps only the bones of a map file.
    ///
    /// # Errors
    /// If the map names a bone that its skeleton does not have, or maps none.
    pub fn from_file(file: &MapFile, source: &Skeleton, target: &Skeleton) -> Result<Self, MapError> {
        let find = |skeleton: &Skeleton, kind, bone: &str, line| {
            let exact = skeleton.joints.iter().position(|j| j.name == bone);
            let alike = || skeleton.joints.iter().position(|j| j.name.eq_ignore_ascii_case(bone));
            exact.or_else(alike).ok_or_else(|| MapError::UnknownBone {
                line,
                skeleton: kind,
                bone: bone.into(),
            })
        };
        let mut map = Self { bones: alloc::vec![None; target.joints.len()] };
        for entry in file.entries() {
            let joint = find(target, "target", &entry.target, entry.line)?;
            if !entry.source.is_empty() {
                let source = find(source, "source", &entry.source, entry.line)?;
                map.bones[joint] = Some(MappedBone { source, basis: Basis::Given });
            }
        }
        map.checked()
    }

    fn checked(self) -> Result<Self, MapError> {
        if self.bones.iter().all(Option::is_none) { Err(MapError::Empty) } else { Ok(self) }
    }

    /// Returns the source of a target joint.
    pub fn source(&self, target: usize) -> Option<usize> {
        self.get(target).map(|bone| bone.source)
    }

    /// Returns the source of a target joint, and the reason for the mapping.
    pub fn get(&self, target: usize) -> Option<MappedBone> {
        self.bones.get(target).copied().flatten()
    }

    /// Sets the source of a target joint; with `None` the joint stays at rest.
    pub fn set(&mut self, target: usize, source: Option<usize>) {
        if let Some(slot) = self.bones.get_mut(target) {
            *slot = source.map(|source| MappedBone { source, basis: Basis::Given });
        }
    }

    /// Returns the number of joints of the target.
    pub fn target_count(&self) -> usize {
        self.bones.len()
    }

    /// Returns the mapped joints as pairs of the target's and the source's number.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.bones.iter().enumerate().filter_map(|(target, bone)| Some((target, bone.as_ref()?.source)))
    }

    /// Returns for each joint of the source whether its motion is transferred: it is mapped, or it is above all mapped
    /// joints and moves one of them.
    pub(crate) fn transferred(&self, source: &Skeleton) -> Vec<bool> {
        let mut mapped = alloc::vec![false; source.joints.len()];
        for (_, joint) in self.pairs() {
            mapped.get_mut(joint).into_iter().for_each(|mapped| *mapped = true);
        }
        let mut transferred = mapped.clone();
        let parent = |joint: &usize| {
            let joint = source.joints.get(*joint)?;
            joint.parent.filter(|parent| joint.follows.is_empty() && *parent < mapped.len())
        };
        for (_, joint) in self.pairs() {
            // A skeleton with a cycle has no end.
            let above = || core::iter::successors(parent(&joint), parent).take(mapped.len());
            if above().all(|j| !mapped[j]) {
                above().for_each(|j| transferred[j] = true);
            }
        }
        transferred
    }

    /// Converts the map to a file with a line for each bone of the target. Bones without a source have an
    /// empty one. Comments list the bones of the source that move nothing, and bones of the target that have the name
    /// of an earlier one.
    pub fn to_file(&self, source: &Skeleton, target: &Skeleton) -> MapFile {
        let mut file = MapFile::new();
        let mut known = BTreeSet::new();
        for (joint, bone) in target.joints.iter().zip(&self.bones) {
            if !known.insert(joint.name.clone()) {
                file.push_remark(format!("only the first bone of this name can be mapped: {}", joint.name));
                continue;
            }
            let from = bone.as_ref().and_then(|bone| source.joints.get(bone.source));
            let comment = bone.as_ref().map_or_else(|| "keeps its rest pose".into(), |b| b.basis.to_string());
            file.push(joint.name.clone(), from.map_or(String::new(), |j| j.name.clone()), comment);
        }
        let transferred = self.transferred(source);
        for (joint, _) in source.joints.iter().zip(transferred).filter(|(_, transferred)| !transferred) {
            file.push_remark(format!("moves nothing: {}", joint.name));
        }
        file
    }

    /// Maps bones with the same name. If few names match, such as `root` or `head`, this may be chance; then
    /// only body parts count.
    fn match_names(&mut self, source: &Skeleton, target: &Skeleton) {
        let mut names = BTreeMap::new();
        for (i, joint) in source.joints.iter().enumerate().filter(|(_, j)| !j.name.is_empty()) {
            names.entry(joint.name.to_ascii_lowercase()).or_insert(i);
        }
        let same: Vec<_> =
            target.joints.iter().map(|j| names.get(&j.name.to_ascii_lowercase()).copied()).collect();
        let count = same.iter().flatten().count();
        if 2 * count >= source.joints.len().min(target.joints.len()) {
            for (slot, source) in self.bones.iter_mut().zip(same) {
                *slot = source.map(|source| MappedBone { source, basis: Basis::SameName });
            }
        }
    }

    fn match_parts(&mut self, [source, target]: [&Parts; 2]) {
        for joint in 0..self.bones.len() {
            let Some(part) = target.part(joint) else { continue };
            if target.spine.contains(&joint) {
                continue;
            }
            if let Some(from) = source.joint(part) {
                self.pair([source, target], from, joint);
            }
        }
        // A skeleton with a single finger, such as that of The Sims, uses any finger of the other skeleton.
        for side in [Side::Left, Side::Right] {
            let finger = |parts: &Parts| {
                [2, 1, 3].iter().find_map(|f| parts.joint(BodyPart::new(Part::Finger(*f, 0), side)))
            };
            if let (Some(from), Some(to)) = (finger(source), finger(target)) {
                self.pair([source, target], from, to);
            }
        }
    }

    /// Maps the joints of the spine from bottom to top, even if their numbers differ.
    fn match_spines(&mut self, [source, target]: [&Parts; 2]) {
        let Some(last) = source.spine.len().checked_sub(1) else { return };
        let steps = target.spine.len().saturating_sub(1);
        for (i, joint) in target.spine.iter().enumerate() {
            // A single joint follows the top joint, which carries the arms.
            let place = (i * last + steps / 2).checked_div(steps).unwrap_or(last);
            self.pair([source, target], source.spine[place], *joint);
        }
    }

    fn pair(&mut self, [source, target]: [&Parts; 2], from: usize, to: usize) {
        let known = |e: Option<Evidence>| e == Some(Evidence::Family);
        let evidence = [source.evidence(from), target.evidence(to)];
        let basis = if evidence.contains(&Some(Evidence::Place)) || evidence.contains(&None) {
            Basis::Place
        } else if evidence.into_iter().all(known) {
            Basis::KnownNames
        } else {
            Basis::Words
        };
        self.bones[to].get_or_insert(MappedBone { source: from, basis });
    }
}
