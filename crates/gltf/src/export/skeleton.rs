//! Joints as nodes, and skins.

use crate::export::extras;
use crate::export::geometry::{is_scaled, named, place, unit_rotation};
use crate::export::output::{Bounds, Output, Use};
use crate::math::{SHEAR_NOISE, cross, decompose, dot, narrow, rotation, scaled, wide};
use gltf_json::{Index, Node, Skin};
use meshwright_scene::{Affine, ConvertError, Local, Loss, Skeleton, Trs};

/// A node may stand this far, of its size, from where its joint belongs: what 32 bits lose in a long chain.
const REST_NOISE: f64 = 1e-4;

/// A skeleton that was written.
#[derive(Debug)]
pub(crate) struct Joints {
    /// The node above all joints.
    pub(crate) root: Index<Node>,
    /// The nodes of the joints in the skeleton's order.
    pub(crate) nodes: Vec<Index<Node>>,
    /// Their transforms in the rest pose.
    pub(crate) rest: Vec<Trs>,
    /// The joint that never moves, where one was needed.
    neutral: Option<Index<Node>>,
}

/// Writes the nodes of a skeleton, and one more when `neutral` asks for a joint that never moves. `None` for a
/// skeleton without joints that needs none.
pub(crate) fn write(
    out: &mut Output,
    skeleton: &Skeleton,
    neutral: bool,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Option<Joints>, ConvertError> {
    if skeleton.joints.is_empty() && !neutral {
        return Ok(None);
    }
    let rest = rest(skeleton, path, losses)?;
    let root = out.push(Node {
        name: Some(named(&skeleton.name).unwrap_or_else(|| "skeleton".into())),
        ..Node::default()
    })?;
    let mut nodes = out.memory.reserve("joints", skeleton.joints.len())?;
    for (i, (joint, trs)) in skeleton.joints.iter().zip(&rest).enumerate() {
        out.charge_objects(1, joint.name.len())?;
        let extras = extras::of(&out.memory, joint.extras.as_ref())?;
        let mut node = Node { name: named(&joint.name), extras, ..Node::default() };
        place(&mut node, trs, &format!("{path}.joints[{i}]"))?;
        nodes.push(out.push(node)?);
    }
    let neutral = if neutral {
        Some(out.push(Node { name: Some("neutral_bone".into()), ..Node::default() })?)
    } else {
        None
    };
    // Joints that follow others stand where those are, whatever their parents do.
    for (joint, &node) in skeleton.joints.iter().zip(&nodes) {
        let parent = joint.parent.filter(|_| joint.follows.is_empty());
        let parent = parent.and_then(|p| nodes.get(p).copied()).unwrap_or(root);
        adopt(out, parent, node);
    }
    if let Some(neutral) = neutral {
        adopt(out, root, neutral);
    }
    Ok(Some(Joints { root, nodes, rest, neutral }))
}

/// Hangs one node below another.
pub(crate) fn adopt(out: &mut Output, parent: Index<Node>, child: Index<Node>) {
    if let Some(node) = out.root.nodes.get_mut(parent.value()) {
        node.children.get_or_insert_default().push(child);
    }
}

/// The rest pose as glTF has it.
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
        let message = format!("{sheared} joints shear in the rest pose; largest part dropped, of their size");
        losses.push(Loss::measured("joint-shear", path, message, most));
    }
    if odd > 0 {
        let message = format!("rotations of {odd} joints were made to have length 1");
        losses.push(Loss::new("rotations-scaled", path, message));
    }
    Ok(rest)
}

/// Writes the skin of a skeleton.
pub(crate) fn skin(
    out: &mut Output,
    skeleton: &Skeleton,
    joints: &Joints,
) -> Result<Index<Skin>, ConvertError> {
    let count = skeleton.joints.len().saturating_add(1);
    let mut matrices: Vec<[f32; 16]> = out.memory.reserve("inverse bind matrices", count)?;
    let flat = |m: &Affine| {
        let columns = m.to_columns();
        core::array::from_fn(|i| columns[i / 4][i % 4])
    };
    let binds = inverse_binds(out, skeleton, joints)?;
    matrices.extend(binds.iter().map(flat));
    let mut nodes = joints.nodes.clone();
    if let Some(neutral) = joints.neutral {
        nodes.push(neutral);
        matrices.push(flat(&Affine::IDENTITY));
    }
    let matrices = out.floats("inverse bind matrices", &matrices, Use::Other, Bounds::Omitted)?;
    out.push(Skin {
        extensions: None,
        extras: None,
        inverse_bind_matrices: Some(matrices),
        joints: nodes,
        name: named(&skeleton.name),
        skeleton: Some(joints.root),
    })
}

/// A matrix in 64 bits: three columns and the translation.
type Wide = [[f64; 3]; 4];

fn wide_of(m: &Affine) -> Wide {
    [wide(m.x), wide(m.y), wide(m.z), wide(m.w)]
}

fn after(outer: &Wide, inner: &Wide) -> Wide {
    let turn =
        |v: [f64; 3]| core::array::from_fn(|i| outer[0][i] * v[0] + outer[1][i] * v[1] + outer[2][i] * v[2]);
    let [x, y, z, w] = *inner;
    let [wx, wy, wz]: [f64; 3] = turn(w);
    [turn(x), turn(y), turn(z), [wx + outer[3][0], wy + outer[3][1], wz + outer[3][2]]]
}

fn inverse(m: &Wide) -> Option<Wide> {
    let [x, y, z, w] = *m;
    let det = dot(x, cross(y, z));
    // Viewers compute in 32 bits, where the inverse of what is this flat is noise.
    if det.abs() <= (dot(x, x) * dot(y, y) * dot(z, z)).sqrt() * 1e-6 {
        return None;
    }
    let d = 1.0 / det;
    let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|r| r.map(|c| c * d));
    let column = |i: usize| [rows[0][i], rows[1][i], rows[2][i]];
    let inverse = [column(0), column(1), column(2), [-dot(rows[0], w), -dot(rows[1], w), -dot(rows[2], w)]];
    inverse.iter().flatten().all(|c| c.is_finite()).then_some(inverse)
}

/// The inverse bind matrices: the skeleton's own, except for joints whose node cannot stand where the joint
/// does because something above it, or it itself, shears. There the difference in the rest pose goes into the
/// matrix, so that the rest pose, and any in which the shear stays, is exact all the same.
fn inverse_binds(out: &Output, skeleton: &Skeleton, joints: &Joints) -> Result<Vec<Affine>, ConvertError> {
    let mut binds: Vec<Affine> = out.memory.reserve("inverse bind matrices", skeleton.joints.len())?;
    binds.extend(skeleton.joints.iter().map(|j| j.inverse_bind));
    let (Some(order), Some(model)) = (skeleton.order(), skeleton.rest_model()) else { return Ok(binds) };
    let mut nodes: Vec<Wide> = out.memory.reserve("joints", skeleton.joints.len())?;
    nodes.extend(joints.rest.iter().map(|t| {
        let [x, y, z] = scaled(rotation(wide(t.rotation)), wide(t.scale));
        [x, y, z, wide(t.translation)]
    }));
    for i in order {
        let joint = &skeleton.joints[i];
        if let Some(parent) = joint.parent.filter(|_| joint.follows.is_empty()) {
            nodes[i] = after(&nodes[parent], &nodes[i]);
        }
        let (stands, belongs) = (nodes[i], wide_of(&model[i]));
        let size = belongs[..3].iter().flatten().fold(0.0_f64, |s, c| s.max(c.abs()));
        let pairs = stands[..3].iter().flatten().zip(belongs[..3].iter().flatten());
        let away = pairs.fold(0.0_f64, |e, (a, b)| e.max((a - b).abs()));
        if away <= size * REST_NOISE {
            continue;
        }
        if let Some(back) = inverse(&stands) {
            let [x, y, z, w] = after(&back, &after(&belongs, &wide_of(&joint.inverse_bind))).map(narrow);
            let bind = Affine { x, y, z, w };
            if bind.is_finite() {
                binds[i] = bind;
            }
        }
    }
    Ok(binds)
}
