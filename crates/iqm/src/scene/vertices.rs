//! Encodes the vertices of all meshes as arrays, and keeps their exact positions relative to joints.

use super::bones::Bones;
use crate::model::{ArrayFormat, ArrayKind, VertexArray};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::math::{add, narrow, scale, wide};
use meshwright_scene::{AxisMap, Budget, ConvertError, Loss, Mesh};

/// The part of a joint in a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointPart {
    pub(super) bone: usize,
    pub(super) weight: f64,
    /// The position of the vertex in the space of the joint, times the weight.
    pub(super) at: [f64; 3],
}

/// The position of a vertex at rest, its joints and their weights.
pub(super) struct BoundVertex {
    pub(super) at: [f64; 3],
    pub(super) joints: [u8; MOST],
    pub(super) weights: [f64; MOST],
}

/// The vertex arrays, as bytes.
pub(super) struct Vertices {
    /// The number of vertices.
    pub(super) count: usize,
    /// The map from the axes of the added meshes to those of the file.
    map: AxisMap,
    positions: Vec<u8>,
    uvs: Vec<u8>,
    normals: Vec<u8>,
    /// The tangents; `None` if the model has none.
    tangents: Option<Vec<u8>>,
    /// The colours; `None` while all meshes are white.
    colors: Option<Vec<u8>>,
    joints: Vec<u8>,
    /// The weights, as bytes or as floats.
    weights: Vec<u8>,
    form: VertexForm,
    /// The parts of the last vertices. Those of earlier vertices are dropped once they are posed.
    pub(super) parts: Parts,
    loose: usize,
    not_finite: usize,
    cut: Cut,
}

/// The parts of vertices, one for each joint that a vertex follows.
#[derive(Default)]
pub(super) struct Parts {
    /// The end of the parts of each vertex in `all`.
    ends: Vec<usize>,
    all: Vec<JointPart>,
}

impl Parts {
    /// Returns the parts of each vertex.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[JointPart]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let own = self.all.get(start..*end).unwrap_or_default();
            start = *end;
            own
        })
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.all.clear();
    }
}

/// Counts the vertices of a mesh that have too many joints.
#[derive(Default)]
struct Cut {
    vertices: usize,
    /// The largest share of a vertex's weight that was dropped.
    share: f64,
}

/// The form of a model's vertices.
#[derive(Clone, Copy, Default)]
pub(super) struct VertexForm {
    /// The model has tangents. If `None`, the scene and the options decide.
    pub(super) tangents: Option<bool>,
    /// Weights are floats.
    pub(super) float_weights: bool,
}

/// The maximum number of joints per vertex.
const MOST: usize = 4;
/// The number of parts after which vertices are posed.
const PARTS: usize = 1 << 15;
/// The size of a vertex in all arrays except those of joints and weights, in bytes.
const VERTEX: usize = 12 + 8 + 12 + 16 + 4;

impl VertexForm {
    const fn weight_size(self) -> usize {
        if self.float_weights { 4 } else { 1 }
    }
}

impl Vertices {
    /// Reserves memory for `count` vertices. `bound` states whether they follow joints.
    pub(super) fn new(
        count: usize,
        map: AxisMap,
        form: VertexForm,
        bound: bool,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        let room = |size| budget.reserve("vertices", count.saturating_mul(size));
        let joints = if bound { MOST } else { 0 };
        if bound {
            budget.charge_items("vertices", 2 * PARTS as u64, size_of::<(JointPart, usize)>())?;
            budget.charge_items("vertices", PARTS as u64, size_of::<BoundVertex>())?;
        }
        Ok(Self {
            count: 0,
            map,
            positions: room(12)?,
            uvs: room(8)?,
            normals: room(12)?,
            tangents: if form.tangents == Some(true) { Some(room(16)?) } else { None },
            colors: None,
            joints: room(joints)?,
            weights: room(joints * form.weight_size())?,
            form,
            parts: Parts::default(),
            loose: 0,
            not_finite: 0,
            cut: Cut::default(),
        })
    }

    /// Adds the vertices of a mesh. Calls `pose` with blocks of vertices whose parts are still known. The caller poses
    /// the last block.
    pub(super) fn add(
        &mut self,
        mesh: &Mesh,
        bones: Option<&Bones>,
        path: &str,
        budget: &Budget,
        losses: &mut Vec<Loss>,
        pose: &mut dyn FnMut(&Self) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        let n = mesh.positions.len();
        // A mesh grows if vertices are split for their tangents.
        let room = self.positions.capacity() / 12;
        let more = (self.count + n).saturating_sub(room);
        budget.charge_items("vertices", more as u64, 2 * (VERTEX + MOST * (1 + self.form.weight_size())))?;
        if !mesh.colors.is_empty() && self.colors.is_none() {
            let mut white = budget.reserve("vertices", room.max(self.count + n) * 4)?;
            white.resize(self.count * 4, 255);
            self.colors = Some(white);
        }
        (self.loose, self.not_finite, self.cut) = (0, 0, Cut::default());
        for v in 0..n {
            let at = self.finite(self.map.point(mesh.positions[v]));
            let normal = mesh.normals.get(v).map_or([0.0, 0.0, 1.0], |n| self.map.direction(*n));
            let normal = self.finite(normal);
            let uv = self.finite(mesh.uvs.get(v).copied().unwrap_or_default());
            append_floats(&mut self.positions, at);
            append_floats(&mut self.normals, normal);
            append_floats(&mut self.uvs, uv);
            if self.tangents.is_some() {
                let [x, y, z, side] = mesh.tangents.get(v).copied().unwrap_or([1.0, 0.0, 0.0, 1.0]);
                let [x, y, z] = self.map.direction([x, y, z]);
                let tangent = self.finite([x, y, z, side]);
                self.tangents.iter_mut().for_each(|to| append_floats(to, tangent));
            }
            if let Some(colors) = &mut self.colors {
                colors.extend(mesh.colors.get(v).copied().unwrap_or([255; 4]));
            }
            self.count += 1;
            if let Some(bones) = bones {
                self.bind(mesh, v, at, bones, path)?;
                if self.parts.all.len() >= PARTS {
                    pose(self)?;
                    self.parts.clear();
                }
            }
        }
        if self.cut.vertices > 0 {
            let message = format!("vertices keep their {MOST} heaviest joints");
            let loss = Loss::new("influences-dropped", path, message);
            let loss = loss
                .with_count(self.cut.vertices, "vertex", "vertices")
                .with_amount(self.cut.share, "of the weight");
            losses.push(loss.noise_below(Loss::NOISE));
        }
        for (n, code, message) in [
            (self.loose, "vertices-unbound", "vertices without weights were bound to the root"),
            (self.not_finite, "not-finite", "numbers of vertices that are not finite became 0"),
        ] {
            if n > 0 && (mesh.skin.is_some() || code == "not-finite") {
                losses.push(Loss::new(code, path, message).with_count(n, "vertex", "vertices"));
            }
        }
        Ok(())
    }

    /// Replaces numbers that are not finite with 0.
    fn finite<const N: usize>(&mut self, mut numbers: [f32; N]) -> [f32; N] {
        for c in numbers.iter_mut().filter(|c| !c.is_finite()) {
            *c = 0.0;
            self.not_finite += 1;
        }
        numbers
    }

    pub(super) fn positions(&self) -> impl ExactSizeIterator<Item = [f32; 3]> {
        self.positions.as_chunks::<12>().0.iter().map(position)
    }

    /// Returns the position of a vertex, and its joints with their weights.
    pub(super) fn bound(&self, v: usize) -> BoundVertex {
        let at = self.positions.as_chunks().0.get(v).map(position).unwrap_or_default();
        let joints = self.joints.as_chunks::<MOST>().0.get(v).copied().unwrap_or_default();
        BoundVertex { at: wide(at), joints, weights: self.weights_of(v) }
    }

    /// Returns true if a vertex follows more than one joint.
    pub(super) fn blends(&self) -> bool {
        (0..self.count).any(|v| self.weights_of(v)[1] > 0.0)
    }

    fn weights_of(&self, v: usize) -> [f64; MOST] {
        if self.form.float_weights {
            let floats = self.weights.as_chunks::<4>().0.as_chunks::<MOST>().0.get(v);
            floats.map_or([0.0; MOST], |four| four.map(|bytes| f64::from(f32::from_le_bytes(bytes))))
        } else {
            let bytes = self.weights.as_chunks::<MOST>().0.get(v).copied().unwrap_or_default();
            bytes.map(|weight| f64::from(weight) / 255.0)
        }
    }

    /// Returns the joints of a vertex.
    fn bind(
        &mut self,
        mesh: &Mesh,
        v: usize,
        at: [f32; 3],
        bones: &Bones,
        path: &str,
    ) -> Result<(), ConvertError> {
        let parts = &mut self.parts.all;
        let start = parts.len();
        let range = mesh.skin.as_ref().map_or(0..0, |s| s.range(v));
        for k in range {
            let Some((skin, i)) = mesh.skin.as_ref().and_then(|s| Some((s, s.influences.get(k)?))) else {
                continue;
            };
            if i.weight == 0.0 {
                continue;
            }
            let missing = || ConvertError::invalid(path, format!("vertex {v} names a missing joint"));
            let bone = bones.number(i.joint).ok_or_else(missing)?;
            let weight = f64::from(i.weight);
            let local = match (skin.local.get(k), bones.inverses.get(bone).copied().flatten()) {
                (Some(local), _) => wide(self.map.point(local.position)),
                (None, Some(inverse)) => scale(inverse.point(wide(at)), weight),
                (None, None) => {
                    let message =
                        format!("joint {} flattens space in the bind pose and moves vertices", i.joint);
                    return Err(ConvertError::unsupported(path, message));
                }
            };
            match parts[start..].iter_mut().find(|p| p.bone == bone) {
                Some(part) => {
                    part.weight += weight;
                    part.at = add(part.at, local);
                }
                None => parts.push(JointPart { bone, weight, at: local }),
            }
        }
        if parts.len() == start {
            self.loose += 1;
            parts.push(JointPart { bone: bones.root.unwrap_or(0), weight: 1.0, at: wide(at) });
        }
        self.parts.ends.push(parts.len());
        let (rows, gone) = heaviest(&parts[start..]);
        if gone > 0.0 {
            self.cut.vertices += 1;
            self.cut.share = self.cut.share.max(gone);
        }
        if self.form.float_weights {
            self.joints.extend(rows.map(|(_, bone)| bone));
            append_floats(&mut self.weights, rows.map(|(weight, _)| narrow([weight])[0]));
        } else {
            let (joints, weights) = bytes(rows);
            self.joints.extend(joints);
            self.weights.extend(weights);
        }
        Ok(())
    }

    /// Returns the arrays in the order of their kinds.
    pub(super) fn into_arrays(self, skinned: bool) -> Vec<VertexArray> {
        let array = |kind, format, components, data| VertexArray { kind, flags: 0, format, components, data };
        let floats = |kind, components, data| array(kind, ArrayFormat::FLOAT, components, data);
        let bytes = |kind, data| array(kind, ArrayFormat::U8, 4, data);
        let weights = if self.form.float_weights { ArrayFormat::FLOAT } else { ArrayFormat::U8 };
        let mut arrays = alloc::vec![
            floats(ArrayKind::POSITION, 3, self.positions),
            floats(ArrayKind::TEXCOORD, 2, self.uvs),
            floats(ArrayKind::NORMAL, 3, self.normals),
        ];
        arrays.extend(self.tangents.map(|data| floats(ArrayKind::TANGENT, 4, data)));
        if skinned {
            arrays.push(bytes(ArrayKind::BLEND_INDEXES, self.joints));
            arrays.push(array(ArrayKind::BLEND_WEIGHTS, weights, 4, self.weights));
        }
        arrays.extend(self.colors.map(|data| bytes(ArrayKind::COLOR, data)));
        arrays
    }
}

fn append_floats<const N: usize>(to: &mut Vec<u8>, numbers: [f32; N]) {
    numbers.iter().for_each(|c| to.extend_from_slice(&c.to_le_bytes()));
}

fn position(bytes: &[u8; 12]) -> [f32; 3] {
    let (words, _) = bytes.as_chunks::<4>();
    core::array::from_fn(|c| f32::from_le_bytes(words[c]))
}

/// Returns the joints with the largest weights, in their order: weights with a sum of 1, and joints. Also returns the share
/// of the weight that was dropped.
fn heaviest(parts: &[JointPart]) -> ([(f64, u8); MOST], f64) {
    let mut rows: Vec<(f64, usize)> = parts.iter().map(|p| (p.weight.max(0.0), p.bone)).collect();
    // The sort is stable: of equal weights the earlier one stays.
    rows.order_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = rows.iter().map(|r| r.0).sum();
    let gone: f64 = rows.iter().skip(MOST).map(|r| r.0).sum();
    rows.truncate(MOST);
    let sum: f64 = rows.iter().map(|r| r.0).sum();
    let mut heaviest = [(0.0, 0); MOST];
    for (i, (slot, (weight, bone))) in heaviest.iter_mut().zip(&rows).enumerate() {
        let weight = if sum > 0.0 { weight / sum } else { f64::from(u8::from(i == 0)) };
        let bone = if weight > 0.0 { u8::try_from(*bone).unwrap_or(u8::MAX) } else { 0 };
        *slot = (weight, bone);
    }
    (heaviest, if gone > 0.0 { gone / all } else { 0.0 })
}

/// Returns joints and weights as bytes, without zero weights, with a sum of 255.
fn bytes(rows: [(f64, u8); MOST]) -> ([u8; MOST], [u8; MOST]) {
    let (mut joints, mut weights) = ([0; MOST], [0_u8; MOST]);
    let mut left = 255_u8;
    for (i, (weight, bone)) in rows.into_iter().enumerate() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let share = (weight * 255.0 + 0.5).clamp(0.0, f64::from(left)) as u8;
        if share > 0 {
            joints[i] = bone;
            weights[i] = share;
            left -= share;
        }
    }
    weights[0] += left;
    (joints, weights)
}
