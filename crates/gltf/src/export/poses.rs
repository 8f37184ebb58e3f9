//! Decomposes the poses of sets, each once for all frames and clips that use it.

use crate::export::keys::between;
use crate::export::output::room;
use crate::math::{SHEAR_NOISE, decompose};
use meshwright_core::SortedMap;
use meshwright_scene::{Budget, ConvertError, Interpolation, Joint, LimitExceeded, PoseSet, Trs};

/// The steps of work for decomposing a matrix, and for comparing two between their frames.
const DECOMPOSED: u64 = 40;
const COMPARED: u64 = 16;

/// The memory of one remembered pair of poses.
const PAIR: u64 = 96;

/// The poses of a set as translations, rotations and scales.
#[derive(Debug)]
pub(crate) struct Poses<'a> {
    set: &'a PoseSet,
    /// The parts joint by joint, and pose by pose. Those of unused poses have no meaning.
    parts: Vec<Trs>,
    shear: Vec<Shear>,
    /// The maximum difference between blends of two poses and glTF's, in degrees.
    away: SortedMap<(u32, u32, u8), f64>,
}

/// The parts of a pose that translations, rotations and scales cannot hold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shear {
    pub(crate) joints: usize,
    pub(crate) most: f64,
}

impl<'a> Poses<'a> {
    /// Decomposes the poses that `used` marks.
    pub(crate) fn new(set: &'a PoseSet, used: &[bool], memory: &Budget) -> Result<Self, LimitExceeded> {
        let mut parts = memory.reserve("poses", set.locals.len())?;
        let mut shear = memory.reserve("poses", set.len())?;
        for pose in 0..set.len() {
            let locals = set.pose(pose).unwrap_or_default();
            let mut found = Shear::default();
            if used.get(pose) == Some(&true) {
                memory.work("poses taken apart", (locals.len() as u64).saturating_mul(DECOMPOSED))?;
                for m in locals {
                    let (trs, error) = decompose(m);
                    parts.push(trs);
                    if error > SHEAR_NOISE {
                        found.joints = found.joints.saturating_add(1);
                        found.most = found.most.max(error);
                    }
                }
            } else {
                parts.resize(parts.len().saturating_add(locals.len()), Trs::IDENTITY);
            }
            shear.push(found);
        }
        Ok(Self { set, parts, shear, away: SortedMap::new() })
    }

    /// Returns the set itself.
    pub(crate) fn set(&self) -> &'a PoseSet {
        self.set
    }

    /// Returns the parts of a joint in a pose.
    pub(crate) fn transform(&self, pose: u32, joint: usize) -> Option<Trs> {
        self.pose(pose)?.get(joint).copied()
    }

    /// Returns the parts of all joints in a pose.
    pub(crate) fn pose(&self, pose: u32) -> Option<&[Trs]> {
        let joints = self.set.joints;
        let start = (pose as usize).checked_mul(joints)?;
        self.parts.get(start..start.checked_add(joints)?)
    }

    /// Returns a part of a joint's transform at every key; `order` gives the pose of each key. If the part is equal in
    /// all `used` poses, it is returned once.
    pub(crate) fn column<const N: usize>(
        &self,
        joint: usize,
        order: &[u32],
        used: &[u32],
        part: fn(Trs) -> [f32; N],
    ) -> Result<Vec<[f32; N]>, ConvertError> {
        let at = |pose: &u32| self.transform(*pose, joint).map(part);
        let first = order.first().and_then(at);
        let shown =
            if used.iter().all(|p| at(p) == first) { order.get(..1).unwrap_or_default() } else { order };
        let mut values = room("keys", shown.len())?;
        values.extend(shown.iter().filter_map(at));
        Ok(values)
    }

    pub(crate) fn shear(&self, pose: u32) -> Shear {
        self.shear.get(pose as usize).copied().unwrap_or_default()
    }

    /// Returns the maximum difference between blends of two poses by a rule and glTF's, in degrees. Joints that follow others
    /// are not blended.
    pub(crate) fn away(
        &mut self,
        (a, b): (u32, u32),
        rule: Interpolation,
        joints: &[Joint],
        memory: &Budget,
    ) -> Result<f64, ConvertError> {
        let key = (a, b, rule as u8);
        if a == b {
            return Ok(0.0);
        }
        if let Some(known) = self.away.get(&key) {
            return Ok(*known);
        }
        memory.charge("poses", PAIR)?;
        memory.work("poses compared", (joints.len() as u64).saturating_mul(COMPARED))?;
        let locals = |p: u32| self.set.pose(p as usize).unwrap_or_default();
        let parts = |p: u32| self.pose(p).unwrap_or_default();
        let pairs = locals(a).iter().zip(locals(b)).zip(parts(a).iter().zip(parts(b)));
        let own = joints.iter().zip(pairs).filter(|(joint, ((a, b), _))| joint.follows.is_empty() && a != b);
        let most = own.map(|(_, (_, (a, b)))| between(a, b, rule)).fold(0.0, f64::max);
        self.away.insert(key, most);
        Ok(most)
    }
}
