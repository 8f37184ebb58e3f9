//! Writes joints as nodes, and skins.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "joints of a scene that was validated first; counts of what is in memory"
)]

use crate::document::{Node, Skin};
use crate::export::extras::{self, Mark};
use crate::export::geometry::{is_scaled, owned, place, unit_rotation};
use crate::export::output::{BoundsChoice, Output, add};
use crate::math::{SHEAR_NOISE, decompose};
use meshwright_core::math::{Affine64, Trs64, distance, quat, wide};
use meshwright_scene::{Affine, ConvertError, Local, Loss, Skeleton, Trs};

/// The allowed distance between a node and its joint, relative to its size: the error of 32 bits in a long chain.
const REST_NOISE: f64 = 1e-4;

/// A skeleton that was written.
#[derive(Debug)]
pub(crate) struct Joints {
    /// The node above all joints.
    pub(crate) root: usize,
    /// The nodes of the joints in the skeleton's order.
    pub(crate) nodes: Vec<usize>,
    /// The transforms of the joints in the rest pose.
    pub(crate) rest: Vec<Trs>,
    /// The inverse bind matrices of the joints.
    binds: Vec<Affine>,
    /// The translation, rotation and scale of every joint that need keys: an importer whose bones have the bind pose
    /// without scale loses them.
    pub(crate) keyed: Vec<[bool; 3]>,
    /// The joint that never moves, if one was needed.
    neutral: Option<usize>,
}

/// Writes the nodes of a skeleton, which gets the name of the model if it has none, and one more node if `neutral`
/// asks for a joint that never moves. `marked` is the number of the skeleton if joints have marks. `None` for an
/// empty skeleton that needs no nodes.
pub(crate) fn write(
    out: &mut Output<'_>,
    (skeleton, model): (&Skeleton, &str),
    solids: &[Option<(u32, &str)>],
    neutral: bool,
    marked: Option<usize>,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Option<Joints>, ConvertError> {
    if skeleton.joints.is_empty() && !neutral {
        return Ok(None);
    }
    let rest = rest(skeleton, path, losses)?;
    let name = [skeleton.name.as_str(), model].into_iter().find(|name| !name.is_empty());
    let root = Node { name: owned(name.unwrap_or("skeleton")), ..Node::default() };
    let root = add(&mut out.tables.nodes, root);
    let mut nodes = out.memory.reserve("joints", skeleton.joints.len())?;
    for (i, (joint, trs)) in skeleton.joints.iter().zip(&rest).enumerate() {
        out.charge_objects(1, joint.name.len())?;
        let solid = solids.get(i).copied().flatten();
        let mark = marked.map(|of| Mark { index: i, of: Some(of), name: &joint.name });
        let extras = extras::of_joint(&out.memory, joint.extras.as_ref(), solid, mark)?;
        let transform = place(trs, &format!("{path}.joints[{i}]"))?;
        let node = Node { name: owned(&joint.name), transform, extras, ..Node::default() };
        nodes.push(add(&mut out.tables.nodes, node));
    }
    let neutral = if neutral {
        Some(add(&mut out.tables.nodes, Node { name: "neutral_bone".into(), ..Node::default() }))
    } else {
        None
    };
    // Joints that follow others have the poses of those, whatever their parents do.
    for (joint, &node) in skeleton.joints.iter().zip(&nodes) {
        let parent = joint.parent.filter(|_| joint.follows.is_empty());
        let parent = parent.and_then(|p| nodes.get(p).copied()).unwrap_or(root);
        adopt(out, parent, node);
    }
    if let Some(neutral) = neutral {
        adopt(out, root, neutral);
    }
    let binds = inverse_binds(out, skeleton, &rest)?;
    let keyed = keyed(out, skeleton, &rest, &binds)?;
    Ok(Some(Joints { root, nodes, rest, binds, keyed, neutral }))
}

/// Makes one node a child of another.
pub(crate) fn adopt(out: &mut Output<'_>, parent: usize, child: usize) {
    if let Some(node) = out.tables.nodes.get_mut(parent) {
        node.children.push(child);
    }
}

/// Returns the rest pose in glTF's form.
fn rest(skeleton: &Skeleton, path: &str, losses: &mut Vec<Loss>) -> Result<Vec<Trs>, ConvertError> {
    let model = if skeleton.joints.iter().any(|j| !j.follows.is_empty()) {
        skeleton.rest_model().ok_or_else(|| ConvertError::invalid(path, "joints form a cycle"))?
    } else {
        Vec::new()
    };
    let (mut sheared, mut most, mut odd) = (0_usize, 0.0_f64, 0_usize);
    let mut part = |local: &Local| match local {
        Local::Trs(t) => {
            odd += usize::from(is_scaled(t.rotation));
            Trs { rotation: unit_rotation(t.rotation), ..*t }
        }
        Local::Affine(m) => {
            let (trs, error) = decompose(m);
            sheared += usize::from(error > SHEAR_NOISE);
            most = most.max(error);
            trs
        }
    };
    let rest = skeleton.joints.iter().enumerate().map(|(i, joint)| {
        if joint.follows.is_empty() {
            part(&joint.rest)
        } else {
            part(&Local::Affine(model.get(i).copied().unwrap_or_default()))
        }
    });
    let rest = rest.collect();
    if sheared > 0 {
        let loss = Loss::new("joint-shear", path, "joints shear in the rest pose, which glTF cannot express");
        let loss = loss.with_count(sheared, "joint", "joints").with_amount(most, "of their size");
        losses.push(loss.noise_below(Loss::NOISE));
    }
    if odd > 0 {
        let loss = Loss::note("rotations-scaled", path, "rotations were scaled to length 1");
        losses.push(loss.with_count(odd, "joint", "joints"));
    }
    Ok(rest)
}

/// Writes the skin of a skeleton.
pub(crate) fn skin(
    out: &mut Output<'_>,
    skeleton: &Skeleton,
    joints: &Joints,
) -> Result<usize, ConvertError> {
    let count = skeleton.joints.len().saturating_add(1);
    let mut matrices: Vec<[f32; 16]> = out.memory.reserve("inverse bind matrices", count)?;
    let flat = |m: &Affine| {
        let columns = m.to_columns();
        core::array::from_fn(|i| columns[i / 4][i % 4])
    };
    matrices.extend(joints.binds.iter().map(flat));
    let mut nodes = joints.nodes.clone();
    if let Some(neutral) = joints.neutral {
        nodes.push(neutral);
        matrices.push(flat(&Affine::IDENTITY));
    }
    let matrices = out.floats("inverse bind matrices", matrices.into(), None, BoundsChoice::Omitted)?;
    let skin = Skin {
        name: owned(&skeleton.name),
        joints: nodes,
        inverse_bind: Some(matrices),
        skeleton: Some(joints.root),
    };
    Ok(add(&mut out.tables.skins, skin))
}

/// Returns the inverse bind matrices: the skeleton's own, except for joints whose node cannot have the joint's pose because
/// the joint or a parent shears. There the matrix includes the difference in the rest pose, so that the rest pose,
/// and any pose with the same shear, is exact.
fn inverse_binds(out: &Output<'_>, skeleton: &Skeleton, rest: &[Trs]) -> Result<Vec<Affine>, ConvertError> {
    let mut binds: Vec<Affine> = out.memory.reserve("inverse bind matrices", skeleton.joints.len())?;
    binds.extend(skeleton.joints.iter().map(|j| j.inverse_bind));
    let (Some(order), Some(model)) = (skeleton.order(), skeleton.rest_model()) else { return Ok(binds) };
    let mut nodes: Vec<Affine64> = out.memory.reserve("joints", skeleton.joints.len())?;
    nodes.extend(rest.iter().map(|t| t.wide().to_affine()));
    let linear = |m: &Affine64| [m.x, m.y, m.z];
    for i in order {
        let joint = &skeleton.joints[i];
        if let Some(parent) = joint.parent.filter(|_| joint.follows.is_empty()) {
            nodes[i] = nodes[parent].after(&nodes[i]);
        }
        let (stands, belongs) = (nodes[i], model[i].wide());
        let (from, to) = (linear(&stands), linear(&belongs));
        let size = to.iter().flatten().fold(0.0_f64, |s, c| s.max(c.abs()));
        let pairs = from.iter().flatten().zip(to.iter().flatten());
        let away = pairs.fold(0.0_f64, |e, (a, b)| e.max((a - b).abs()));
        if away <= size * REST_NOISE {
            continue;
        }
        // Viewers compute in 32 bits, where the inverse of what is flat is noise.
        if let Some(back) = stands.inverse() {
            let bind = back.after(&belongs.after(&joint.inverse_bind.wide())).narrow();
            if bind.is_finite() {
                binds[i] = bind;
            }
        }
    }
    Ok(binds)
}

/// Positions (relative to the skeleton's size) and angles (in radians) that differ by less are equal: the error of
/// inverted 32-bit matrices.
const SAME_PLACE: f64 = 2e-6;
const SAME_ANGLE: f64 = 4e-6;

/// Returns the parts of the rest pose that bones lack if they are placed by the inverse bind matrices and have no scale. An
/// importer with such bones shows the rest pose by moving them, until it plays a clip that does not move them.
fn keyed(
    out: &Output<'_>,
    skeleton: &Skeleton,
    rest: &[Trs],
    binds: &[Affine],
) -> Result<Vec<[bool; 3]>, ConvertError> {
    let mut keyed = out.memory.reserve("joints", rest.len())?;
    let mut models = out.memory.reserve("joints", rest.len())?;
    models.extend(binds.iter().map(|bind| bind.wide().inverse()));
    let places = models.iter().flatten().map(|m| m.w);
    let size = places.flatten().fold(0.0_f64, |size, c| size.max(c.abs()));
    for ((joint, rest), model) in skeleton.joints.iter().zip(rest).zip(&models) {
        let parent = joint.parent.filter(|_| joint.follows.is_empty()).and_then(|p| binds.get(p));
        let bone = model.map(|m| Trs64::from_affine(&parent.map_or(m, |to| to.wide().after(&m))));
        let scaled = rest.scale.iter().any(|s| (f64::from(*s) - 1.0).abs() > SAME_PLACE);
        keyed.push(bone.map_or([true; 3], |bone| {
            let away = distance(bone.translation, wide(rest.translation));
            let turned = quat::angle(bone.rotation, wide(rest.rotation));
            [away > size * SAME_PLACE, turned > SAME_ANGLE, scaled]
        }));
    }
    Ok(keyed)
}
