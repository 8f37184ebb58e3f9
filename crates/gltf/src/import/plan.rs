//! Finds the drawn parts of a document, and the nodes that are joints of each skeleton.

use super::charge_push;
use super::nodes::{locals, similarity};
use crate::document::rules::SKIN_JOINTS_OUTSIDE;
use crate::document::{Document, JsonValue, Property};
use meshwright_core::math::{Affine64, Trs64};
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{Local, Loss};

/// The joints of one skeleton.
#[derive(Debug, Default)]
pub(super) struct JointGroup {
    /// The nodes: those of skins in the order of the skins, then the others, parents first.
    pub(super) nodes: Vec<usize>,
}

/// The group and the index of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JointPlace {
    pub(super) group: usize,
    pub(super) joint: usize,
}

#[derive(Debug)]
pub(super) struct Plan {
    devices: Vec<bool>,
    /// True for each node of the shown scenes.
    pub(super) active: Vec<bool>,
    /// The transforms of nodes relative to their parents.
    pub(super) locals: Vec<Local>,
    /// The transforms of nodes that are not joints, and of the parents of first joints.
    pub(super) fixed: Vec<Affine64>,
    /// The joint that a node is.
    pub(super) places: Vec<Option<JointPlace>>,
    /// The nearest joint above a node.
    pub(super) above: Vec<Option<usize>>,
    pub(super) groups: Vec<JointGroup>,
    /// True for each skin that moves a mesh of the shown scenes.
    used_skins: Vec<bool>,
    /// True for each joint below a mirrored node. The joint is unmirrored, and is seen in the mirror instead.
    mirrored: Vec<bool>,
}

impl Plan {
    /// Analyses a document. If `all` is true, all its scenes are shown.
    pub(super) fn new(document: &Document<'_>, all: bool, losses: &mut Vec<Loss>) -> Result<Self, ReadError> {
        let locals = locals(document)?;
        let active = active(document, all, losses)?;
        let mut marks = Marks::new(document, active)?;
        let devices =
            marks.devices.iter().zip(&marks.active).filter(|(device, active)| **device && **active).count();
        if devices > 0 {
            let loss = Loss::new("cameras-dropped", "nodes", "cameras and lights were dropped");
            losses.push(loss.with_count(devices, "node", "nodes"));
        }
        let used_skins = marks.skins()?;
        marks.animated()?;
        marks.between()?;
        let fixed = marks.unfold(&locals)?;
        // Nodes between the new joints become joints too.
        marks.between()?;
        marks.tags()?;
        let groups = marks.groups()?;
        let count = document.nodes().len();
        let path = FieldPath::ROOT.field("nodes");
        let mut places = document.filled(&path, "joints", count)?;
        for (group, list) in groups.iter().enumerate() {
            for (joint, node) in list.nodes.iter().enumerate() {
                if let Some(place) = places.get_mut(*node) {
                    *place = Some(JointPlace { group, joint });
                }
            }
        }
        let above = marks.above()?;
        let (active, devices) = (marks.active, marks.devices);
        let mirrored = document.filled(&path, "joints", count)?;
        let mut plan = Self { active, devices, locals, fixed, places, above, groups, used_skins, mirrored };
        for &n in document.node_order() {
            let mirrored = match plan.above.get(n).copied().flatten() {
                Some(joint) => plan.is_mirrored(joint),
                None => plan.fold(document, n).is_some_and(|(_, mirrors)| mirrors),
            };
            if let Some(slot) = plan.mirrored.get_mut(n) {
                *slot = mirrored;
            }
        }
        Ok(plan)
    }

    /// Returns whether a node has a camera or a light.
    pub(super) fn is_device(&self, node: usize) -> bool {
        self.devices.get(node) == Some(&true)
    }

    pub(super) fn uses_skin(&self, skin: usize) -> bool {
        self.used_skins.get(skin) == Some(&true)
    }

    pub(super) fn is_active(&self, node: usize) -> bool {
        self.active.get(node) == Some(&true)
    }

    pub(super) fn place(&self, node: usize) -> Option<JointPlace> {
        self.places.get(node).copied().flatten()
    }

    pub(super) fn local(&self, node: usize) -> Affine64 {
        self.locals.get(node).map_or(Affine64::IDENTITY, Local::to_affine64)
    }

    pub(super) fn is_mirrored(&self, joint: usize) -> bool {
        self.mirrored.get(joint) == Some(&true)
    }

    /// Returns the transform above a topmost joint, if it can be folded into the joint.
    pub(super) fn folded(&self, document: &Document<'_>, node: usize) -> Option<Trs64> {
        self.fold(document, node).map(|(above, _)| above)
    }

    fn fold(&self, document: &Document<'_>, node: usize) -> Option<(Trs64, bool)> {
        let parent = document.nodes().get(node)?.parent.filter(|_| self.above.get(node) == Some(&None))?;
        let m = self.fixed.get(parent).filter(|m| **m != Affine64::IDENTITY)?;
        similarity(m)
    }
}

/// Returns the shown nodes: those of the default scene, or of all scenes.
fn active(document: &Document<'_>, all: bool, losses: &mut Vec<Loss>) -> Result<Vec<bool>, ReadError> {
    let nodes = document.nodes();
    let mut active = document.room(&FieldPath::ROOT.field("nodes"), "nodes", nodes.len())?;
    let scene = document.default_scene().and_then(|s| document.scenes().get(s));
    active.extend(nodes.iter().map(|node| scene.is_none() && !all && node.parent.is_none()));
    let others = document.scenes().iter().filter(|_| all);
    for root in scene.into_iter().chain(others).flat_map(|scene| &scene.nodes) {
        if let Some(active) = active.get_mut(*root) {
            *active = true;
        }
    }
    for &n in document.node_order() {
        let shown = nodes.get(n).and_then(|node| node.parent).and_then(|p| active.get(p)) == Some(&true);
        if let Some(active) = active.get_mut(n).filter(|_| shown) {
            *active = true;
        }
    }
    let others = document.scenes().len().saturating_sub(1);
    if scene.is_some() && !all && others > 0 {
        let message = "scenes other than the default one were dropped";
        losses.push(Loss::new("other-scenes", "scenes", message).counted(others));
    }
    Ok(active)
}

/// The state of finding the nodes that are joints.
struct Marks<'d, 'a> {
    document: &'d Document<'a>,
    active: Vec<bool>,
    joints: Vec<bool>,
    /// True for each node with a camera or a light.
    devices: Vec<bool>,
}

impl<'d, 'a> Marks<'d, 'a> {
    fn new(document: &'d Document<'a>, active: Vec<bool>) -> Result<Self, ReadError> {
        let path = FieldPath::ROOT.field("nodes");
        let count = document.nodes().len();
        let joints = document.filled(&path, "joints", count)?;
        let mut devices = document.room(&path, "joints", count)?;
        let nodes = document.json().get("nodes");
        devices.extend(nodes.into_iter().flat_map(JsonValue::items).map(|node| {
            let light = node.get("extensions").and_then(|e| e.get("KHR_lights_punctual"));
            node.get("camera").is_some() || light.is_some()
        }));
        Ok(Self { document, active, joints, devices })
    }

    fn is_joint(&self, node: usize) -> bool {
        self.joints.get(node) == Some(&true)
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.document.nodes().get(node)?.parent
    }

    fn mark(&mut self, node: usize) {
        if let Some(joint) = self.joints.get_mut(node) {
            *joint = true;
        }
    }

    /// Marks the joints of skins that are used or are in the shown scene. Returns which skins are used.
    fn skins(&mut self) -> Result<Vec<bool>, ReadError> {
        let all = FieldPath::ROOT.field("skins");
        let count = self.document.skins().len();
        let mut used = self.document.filled(&all, "skins", count)?;
        for (node, active) in self.document.nodes().iter().zip(&self.active) {
            if let (Some(skin), true, Some(_)) = (node.skin, *active, node.mesh)
                && let Some(used) = used.get_mut(skin)
            {
                *used = true;
            }
        }
        for ((s, skin), used) in self.document.skins().iter().enumerate().zip(&used) {
            let outside = skin.joints.iter().filter(|j| self.active.get(**j) != Some(&true)).count();
            if !*used && outside > 0 {
                continue;
            }
            if outside > 0 {
                let message = format!("{outside} of {} joints", skin.joints.len());
                self.document.warn(SKIN_JOINTS_OUTSIDE, &all.index(s).field("joints"), ("skins", s), message);
            }
            for &joint in &skin.joints {
                self.mark(joint);
            }
        }
        Ok(used)
    }

    /// Marks nodes that are animated, unless they move only cameras or lights. Nodes outside the shown scenes count if
    /// they move a joint.
    fn animated(&mut self) -> Result<(), ReadError> {
        let above_joint = self.below(|n, marks| marks.is_joint(n))?;
        let below = self.below(|n, marks| {
            let node = marks.document.nodes().get(n);
            node.is_some_and(|node| node.mesh.is_some()) || marks.is_joint(n)
        })?;
        for animation in self.document.animations() {
            for channel in &animation.channels {
                let parts =
                    matches!(channel.property, Property::Translation | Property::Rotation | Property::Scale);
                let Some(node) = channel.node.filter(|_| parts) else { continue };
                let device = self.devices.get(node) == Some(&true) && below.get(node) != Some(&true);
                let moves = self.active.get(node) == Some(&true) || above_joint.get(node) == Some(&true);
                if moves && !device {
                    self.mark(node);
                }
            }
        }
        Ok(())
    }

    /// Returns for each node whether a condition holds for it or for a node below it.
    fn below(&self, holds: impl Fn(usize, &Self) -> bool) -> Result<Vec<bool>, ReadError> {
        let path = FieldPath::ROOT.field("nodes");
        let mut below = self.document.room(&path, "nodes", self.joints.len())?;
        below.extend((0..self.joints.len()).map(|n| holds(n, self)));
        for &n in self.document.node_order().iter().rev() {
            if below.get(n) == Some(&true)
                && let Some(above) = self.parent(n).and_then(|p| below.get_mut(p))
            {
                *above = true;
            }
        }
        Ok(below)
    }

    /// Marks nodes between joints as joints.
    fn between(&mut self) -> Result<(), ReadError> {
        let above = self.above()?;
        for n in 0..self.joints.len() {
            let Some(Some(first)) = above.get(n).copied().filter(|_| self.is_joint(n)) else { continue };
            let mut at = self.parent(n);
            while let Some(node) = at.filter(|node| *node != first && !self.is_joint(*node)) {
                self.mark(node);
                at = self.parent(node);
            }
        }
        Ok(())
    }

    /// Returns the nearest joint above each node.
    fn above(&self) -> Result<Vec<Option<usize>>, ReadError> {
        let count = self.joints.len();
        let mut above: Vec<Option<usize>> =
            self.document.filled(&FieldPath::ROOT.field("nodes"), "joints", count)?;
        for &n in self.document.node_order() {
            let Some(parent) = self.parent(n) else { continue };
            let nearest =
                if self.is_joint(parent) { Some(parent) } else { above.get(parent).copied().flatten() };
            if let Some(slot) = above.get_mut(n) {
                *slot = nearest;
            }
        }
        Ok(above)
    }

    /// Marks nodes above a topmost joint as joints if they cannot be folded into it. Returns the transforms
    /// of the others.
    fn unfold(&mut self, locals: &[Local]) -> Result<Vec<Affine64>, ReadError> {
        let count = self.joints.len();
        let mut fixed: Vec<Affine64> = self.document.room(&FieldPath::ROOT.field("nodes"), "nodes", count)?;
        fixed.resize(count, Affine64::IDENTITY);
        for &n in self.document.node_order() {
            let local = locals.get(n).map_or(Affine64::IDENTITY, Local::to_affine64);
            let parent = self.parent(n);
            if self.is_joint(n) {
                let Some(parent) = parent.filter(|p| !self.is_joint(*p)) else { continue };
                let foldable = fixed.get(parent).is_none_or(|m| similarity(m).is_some());
                let mut at = Some(parent).filter(|_| !foldable);
                while let Some(node) = at.filter(|node| !self.is_joint(*node)) {
                    self.mark(node);
                    at = self.parent(node);
                }
                continue;
            }
            let world = match parent.and_then(|p| fixed.get(p)) {
                Some(parent) => parent.after(&local),
                None => local,
            };
            if let Some(slot) = fixed.get_mut(n) {
                *slot = world;
            }
        }
        Ok(fixed)
    }

    /// Marks empty nodes with a name below joints.
    fn tags(&mut self) -> Result<(), ReadError> {
        let drawn =
            self.below(|n, marks| marks.document.nodes().get(n).is_some_and(|node| node.mesh.is_some()))?;
        let document = self.document;
        for &n in document.node_order() {
            let Some(node) = document.nodes().get(n) else { continue };
            let below_joint = node.parent.is_some_and(|p| self.is_joint(p));
            let empty = drawn.get(n) == Some(&false) && self.devices.get(n) != Some(&true);
            if below_joint && empty && !node.name.is_empty() {
                self.mark(n);
            }
        }
        Ok(())
    }

    /// Groups joints that are connected by a parent, a skin or an animation, in the order of the skins.
    fn groups(&self) -> Result<Vec<JointGroup>, ReadError> {
        let path = FieldPath::ROOT.field("nodes");
        let count = self.joints.len();
        let mut union = Union(self.document.room(&path, "joints", count)?);
        union.0.extend(0..count);
        let joints = |nodes: &mut dyn Iterator<Item = usize>, union: &mut Union| {
            let mut joints = nodes.filter(|n| self.is_joint(*n));
            let Some(first) = joints.next() else { return };
            joints.for_each(|joint| union.join(first, joint));
        };
        for n in 0..count {
            joints(&mut [n].into_iter().chain(self.parent(n).filter(|_| self.is_joint(n))), &mut union);
        }
        for skin in self.document.skins() {
            joints(&mut skin.joints.iter().copied(), &mut union);
        }
        for animation in self.document.animations() {
            joints(&mut animation.channels.iter().filter_map(|c| c.node), &mut union);
        }
        let named = self.document.skins().iter().flat_map(|s| &s.joints).chain(self.document.node_order());
        let mut numbers: Vec<Option<usize>> = self.document.filled(&path, "joints", count)?;
        let mut seen: Vec<bool> = self.document.filled(&path, "joints", count)?;
        let mut groups: Vec<JointGroup> = Vec::new();
        for &node in named.filter(|n| self.is_joint(**n)) {
            if seen.get(node) == Some(&true) {
                continue;
            }
            if let Some(seen) = seen.get_mut(node) {
                *seen = true;
            }
            let root = union.root(node);
            let fresh = groups.len();
            let number = numbers.get_mut(root).map_or(fresh, |n| *n.get_or_insert(fresh));
            charge_push::<usize>(self.document, &path, "joints")?;
            if number == fresh {
                charge_push::<JointGroup>(self.document, &path, "skeletons")?;
                groups.push(JointGroup::default());
            }
            if let Some(group) = groups.get_mut(number) {
                group.nodes.push(node);
            }
        }
        Ok(groups)
    }
}

/// A union-find structure: sets of nodes, each represented by one of its nodes.
struct Union(Vec<usize>);

impl Union {
    fn root(&mut self, mut node: usize) -> usize {
        while let Some(&parent) = self.0.get(node).filter(|p| **p != node) {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.0.get_mut(node) {
                *slot = above;
            }
            node = parent;
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(slot) = self.0.get_mut(b) {
            *slot = a;
        }
    }
}
