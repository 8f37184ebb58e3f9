//! Builds skeletons and binds skins to them.

use super::charge_push;
use super::extras::Extras;
use super::nodes::{MIRROR, affine, in_mirror, is_similar};
use super::plan::{JointGroup, JointPlace, Plan};
use crate::document::rules::{BIND_SINGULAR, NOT_FINITE, SKIN_SKELETON};
use crate::document::{Document, Skin};
use meshwright_core::math::Affine64;
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{Affine, Joint, Local, Skeleton};

/// The relation of a skin's meshes to the skeleton of its group.
#[derive(Debug)]
pub(super) struct Binding {
    pub(super) skeleton: usize,
    /// The skeleton's joint for each joint of the skin.
    pub(super) joints: Vec<u32>,
    /// The transform of vertices before they are bound.
    pub(super) bake: Option<Affine64>,
}

/// The bind matrices of a skeleton while its skins are read.
struct Bound {
    /// The inverse bind matrix of each joint that a skin binds.
    binds: Vec<Option<Affine>>,
    /// The number of joints that are nodes. Those after them are copies.
    nodes: usize,
}

#[derive(Debug)]
pub(super) struct Bindings {
    /// The skeletons, one per group of joints.
    skeletons: Vec<Skeleton>,
    /// The binding of each skin; `None` if its joints are not joints of the scene.
    skins: Vec<Option<Binding>>,
    /// The rest pose of each group's joints.
    rests: Vec<Vec<Affine64>>,
}

impl Bindings {
    pub(super) fn new(document: &Document<'_>, plan: &Plan) -> Result<Self, ReadError> {
        let path = FieldPath::ROOT.field("skins");
        let mut made = Self { skeletons: Vec::new(), skins: Vec::new(), rests: Vec::new() };
        let mut bound: Vec<Bound> = Vec::new();
        let extras = Extras::new(document, "nodes")?;
        for (g, group) in plan.groups.iter().enumerate() {
            let skeleton = skeleton(document, plan, (g, group), &extras)?;
            made.rests.push(rest(document, &skeleton)?);
            let nodes = skeleton.joints.len();
            bound.push(Bound { binds: document.filled(&path, "bind matrices", nodes)?, nodes });
            charge_push::<(Skeleton, [usize; 8])>(document, &path, "skeletons")?;
            made.skeletons.push(skeleton);
        }
        let count = document.skins().len();
        document.charge::<Option<Binding>>(&path, "skins", count)?;
        made.skins.resize_with(count, || None);
        // A skin that moves no mesh must not decide how the others are bound.
        for used in [true, false] {
            for s in (0..count).filter(|s| plan.uses_skin(*s) == used) {
                let binding = made.bind(document, plan, (s, used), &mut bound)?;
                if let Some(slot) = made.skins.get_mut(s) {
                    *slot = binding;
                }
            }
        }
        for (skeleton, bound) in bound.iter().enumerate() {
            made.set(skeleton, &bound.binds);
        }
        Ok(made)
    }

    pub(super) fn skin(&self, skin: usize) -> Option<&Binding> {
        self.skins.get(skin)?.as_ref()
    }

    /// Returns the transform of vertices from the rest pose in a joint's space to the bind pose.
    pub(super) fn to_bound(&self, place: JointPlace) -> Affine64 {
        let joint = self.skeletons.get(place.group).and_then(|s| s.joints.get(place.joint));
        let bind = joint.and_then(|j| j.inverse_bind.wide().inverse());
        let rest = || self.rests.get(place.group).and_then(|rest| rest.get(place.joint)).copied();
        bind.or_else(rest).unwrap_or(Affine64::IDENTITY)
    }

    pub(super) fn into_skeletons(self) -> Vec<Skeleton> {
        self.skeletons
    }

    /// Sets the bind matrices of a skeleton. A joint that no skin binds gets that of the rest pose.
    fn set(&mut self, skeleton: usize, binds: &[Option<Affine>]) {
        let Some(rest) = self.rests.get(skeleton) else { return };
        let Some(skeleton) = self.skeletons.get_mut(skeleton) else { return };
        for (j, (joint, bind)) in skeleton.joints.iter_mut().zip(binds).enumerate() {
            let of_rest = || rest.get(j)?.inverse().map(|m| m.narrow()).filter(Affine::is_finite);
            joint.inverse_bind = bind.or_else(of_rest).unwrap_or(Affine::IDENTITY);
        }
    }

    /// Binds a skin to its group's skeleton.
    fn bind(
        &mut self,
        document: &Document<'_>,
        plan: &Plan,
        (s, used): (usize, bool),
        bound: &mut [Bound],
    ) -> Result<Option<Binding>, ReadError> {
        let all = FieldPath::ROOT.field("skins");
        let path = all.index(s);
        let Some(skin) = document.skins().get(s) else { return Ok(None) };
        let mut joints = document.room(&path, "joints", skin.joints.len())?;
        let mut group = None;
        for &node in &skin.joints {
            let Some(place) = plan.place(node) else { return Ok(None) };
            group = Some(place.group);
            joints.push(u32::try_from(place.joint).unwrap_or(u32::MAX));
        }
        let Some(group) = group else { return Ok(None) };
        hint(document, s, skin)?;
        let mut matrices = matrices(document, s, skin)?;
        for (matrix, _) in
            matrices.iter_mut().zip(&skin.joints).filter(|(_, joint)| plan.is_mirrored(**joint))
        {
            *matrix = MIRROR.after(&matrix.wide()).narrow();
        }
        // Vertices that the skin mirrors are mirrored before, and their triangles turned round.
        let rest = |joint: &u32| self.rests.get(group).and_then(|rest| rest.get(*joint as usize));
        let mirrors = |(joint, matrix): (&u32, &Affine)| {
            rest(joint).is_some_and(|rest| rest.after(&matrix.wide()).determinant() < 0.0)
        };
        let first = Some(MIRROR).filter(|_| joints.iter().zip(&matrices).all(mirrors));
        if let Some(first) = &first {
            matrices.iter_mut().for_each(|matrix| *matrix = matrix.wide().after(first).narrow());
        }
        let (Some(bound), Some(skeleton)) = (bound.get_mut(group), self.skeletons.get_mut(group)) else {
            return Ok(None);
        };
        let at = |joint: &u32| *joint as usize;
        let known = joints.iter().zip(&matrices);
        let known = known.filter_map(|(j, m)| Some((bound.binds.get(at(j)).copied().flatten()?, *m)));
        let (bake, back) = match common(known) {
            BindDifference::Same => (first, None),
            BindDifference::Moved(bake, back) => {
                (Some(first.map_or(bake, |first| bake.after(&first))), Some(back))
            }
            BindDifference::None if used => {
                for (joint, matrix) in joints.iter_mut().zip(&matrices) {
                    let copy = bound.joint(document, skeleton, at(joint), matrix)?;
                    *joint = u32::try_from(copy).unwrap_or(u32::MAX);
                }
                return Ok(Some(Binding { skeleton: group, joints, bake: first }));
            }
            BindDifference::None => return Ok(None),
        };
        for (joint, matrix) in joints.iter().zip(&matrices) {
            if let Some(bind) = bound.binds.get_mut(at(joint)) {
                let moved = |back: Affine64| matrix.wide().after(&back).narrow();
                bind.get_or_insert_with(|| back.map_or(*matrix, moved));
            }
        }
        Ok(Some(Binding { skeleton: group, joints, bake }))
    }
}

impl Bound {
    /// Returns the joint with this bind matrix: the joint itself if no skin binds it otherwise, or a copy of it that
    /// follows it.
    fn joint(
        &mut self,
        document: &Document<'_>,
        skeleton: &mut Skeleton,
        joint: usize,
        matrix: &Affine,
    ) -> Result<usize, ReadError> {
        let path = FieldPath::ROOT.field("skins");
        let Some(own) = self.binds.get_mut(joint) else { return Ok(joint) };
        let own = *own.get_or_insert(*matrix);
        let same = |bind: &Affine| bind == matrix || is_similar(&bind.wide(), &matrix.wide());
        if same(&own) {
            return Ok(joint);
        }
        document.work(&path, "copies of joints", skeleton.joints.len().saturating_sub(self.nodes))?;
        let copies = skeleton.joints.iter().zip(&self.binds).enumerate().skip(self.nodes);
        let mut copies = copies.filter(|(_, (copy, _))| copy.parent == Some(joint));
        if let Some((copy, _)) = copies.find(|(_, (_, bind))| bind.as_ref().is_some_and(same)) {
            return Ok(copy);
        }
        let name = skeleton.joints.get(joint).map(|joint| joint.name.clone()).unwrap_or_default();
        document.charge::<u8>(&path, "names", name.len())?;
        charge_push::<(Joint, Option<Affine>)>(document, &path, "joints")?;
        skeleton.joints.push(Joint::new(name, Some(joint), Local::default()));
        self.binds.push(Some(*matrix));
        Ok(skeleton.joints.len().saturating_sub(1))
    }
}

/// The difference between two skins over the same joints.
enum BindDifference {
    /// They have the same bind matrices.
    Same,
    /// The vertices of the later skin are moved, and its matrices are moved back.
    Moved(Affine64, Affine64),
    None,
}

/// Compares the bind matrices of joints with those that a skin states.
fn common(pairs: impl Iterator<Item = (Affine, Affine)> + Clone) -> BindDifference {
    if pairs.clone().all(|(a, b)| a == b || is_similar(&a.wide(), &b.wide())) {
        return BindDifference::Same;
    }
    let mut moves = pairs.map(|(a, b)| Some(a.wide().inverse()?.after(&b.wide())));
    let Some(Some(first)) = moves.next() else { return BindDifference::None };
    let all = moves.all(|m| m.is_some_and(|m| is_similar(&first, &m)));
    match first.inverse().filter(|_| all) {
        Some(back) => BindDifference::Moved(first, back),
        None => BindDifference::None,
    }
}

/// Returns the inverse bind matrices of a skin, one per joint.
fn matrices(document: &Document<'_>, s: usize, skin: &Skin<'_>) -> Result<Vec<Affine>, ReadError> {
    let all = FieldPath::ROOT.field("skins");
    let skin_path = all.index(s);
    let path = skin_path.field("inverseBindMatrices");
    let mut matrices = document.room(&path, "bind matrices", skin.joints.len())?;
    match skin.inverse_bind {
        Some(accessor) => {
            matrices.extend(document.read_f32(accessor)?.into_iter().take(skin.joints.len()).map(affine));
        }
        None => matrices.resize(skin.joints.len(), Affine::IDENTITY),
    }
    for (j, matrix) in matrices.iter().enumerate() {
        if !matrix.is_finite() {
            return Err(document.fault(NOT_FINITE, &path.index(j), ("skins", s), "is not finite"));
        }
        if matrix.inverse().is_none() {
            document.warn(BIND_SINGULAR, &path.index(j), ("skins", s), "cannot be inverted");
        }
    }
    Ok(matrices)
}

/// Checks that the root that a skin names is above its joints.
fn hint(document: &Document<'_>, s: usize, skin: &Skin<'_>) -> Result<(), ReadError> {
    let Some(root) = skin.skeleton else { return Ok(()) };
    let nodes = document.nodes();
    document.work(&FieldPath::ROOT.field("skins").index(s), "nodes below a root", nodes.len())?;
    let mut under = document.filled(&FieldPath::ROOT.field("skins"), "nodes below a root", nodes.len())?;
    for &n in document.node_order() {
        let parent = nodes.get(n).and_then(|node| node.parent);
        let below = n == root || parent.is_some_and(|p| under.get(p) == Some(&true));
        if let Some(slot) = under.get_mut(n) {
            *slot = below;
        }
    }
    if skin.joints.iter().any(|j| under.get(*j) != Some(&true)) {
        let all = FieldPath::ROOT.field("skins");
        let message = format!("node {root} is not above all joints");
        document.warn(SKIN_SKELETON, &all.index(s).field("skeleton"), ("skins", s), message);
    }
    Ok(())
}

/// Returns the skeleton of a group, in the rest pose.
fn skeleton(
    document: &Document<'_>,
    plan: &Plan,
    (g, group): (usize, &JointGroup),
    extras: &Extras<'_, '_>,
) -> Result<Skeleton, ReadError> {
    let path = FieldPath::ROOT.field("nodes");
    let nodes = document.nodes();
    let mut joints = document.room(&path, "joints", group.nodes.len())?;
    for &n in &group.nodes {
        let Some(node) = nodes.get(n) else { continue };
        let parent = node.parent.and_then(|p| plan.place(p)).map(|place| place.joint);
        let local = plan.locals.get(n).copied().unwrap_or_default();
        let local = match local {
            _ if !plan.is_mirrored(n) => local,
            Local::Trs(t) => Local::Trs(in_mirror(&t.wide()).narrow()),
            Local::Affine(m) => Local::Affine(MIRROR.after(&m.wide()).after(&MIRROR).narrow()),
        };
        let rest = match plan.folded(document, n) {
            None => local,
            Some(above) => match local {
                Local::Trs(t) => Local::Trs(super::keys::folded(&above, &t.wide()).narrow()),
                Local::Affine(m) => Local::Affine(above.to_affine().after(&m.wide()).narrow()),
            },
        };
        document.charge::<u8>(&path, "names", node.name.len())?;
        let mut joint = Joint::new(node.name.clone().into_owned(), parent, rest);
        joint.extras = extras.get(n)?;
        joints.push(joint);
    }
    let of_group =
        |skin: &&Skin<'_>| skin.joints.first().and_then(|j| plan.place(*j)).is_some_and(|p| p.group == g);
    let named = document.skins().iter().find(of_group).filter(|skin| !skin.name.is_empty());
    let root = group.nodes.iter().find(|n| plan.above.get(**n) == Some(&None));
    let root = root.and_then(|n| nodes.get(*n)).map(|node| node.name.to_string());
    let name = named.map(|skin| skin.name.to_string()).or(root).unwrap_or_default();
    Ok(Skeleton { name, joints })
}

/// Returns the rest pose of joints.
fn rest(document: &Document<'_>, skeleton: &Skeleton) -> Result<Vec<Affine64>, ReadError> {
    let path = FieldPath::ROOT.field("nodes");
    let mut rest = document.room(&path, "joints", skeleton.joints.len())?;
    rest.extend(skeleton.joints.iter().map(|j| j.rest.to_affine64()));
    document.charge::<[usize; 4]>(&path, "order of joints", skeleton.joints.len())?;
    for j in skeleton.order().unwrap_or_default() {
        let Some(joint) = skeleton.joints.get(j) else { continue };
        let world = match (joint.parent.and_then(|p| rest.get(p)), rest.get(j)) {
            (Some(parent), Some(local)) => parent.after(local),
            _ => continue,
        };
        if let Some(slot) = rest.get_mut(j) {
            *slot = world;
        }
    }
    Ok(rest)
}
