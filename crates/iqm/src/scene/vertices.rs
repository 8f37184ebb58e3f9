//! Vertices of all meshes as arrays, and where they truly are.

use super::bones::Bones;
use crate::model::{ArrayFormat, ArrayKind, VertexArray};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::math::{scale, wide};
use meshwright_scene::{Budget, ConvertError, Loss, Mesh};

/// A joint's part in a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) bone: usize,
    pub(super) weight: f64,
    /// The vertex in the space of the joint, times the weight.
    pub(super) at: [f64; 3],
}

/// What becomes arrays.
#[derive(Default)]
pub(super) struct Vertices {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    uvs: Vec<[f32; 2]>,
    colors: Vec<[u8; 4]>,
    has_colors: bool,
    pub(super) joints: Vec<[u8; MOST]>,
    pub(super) weights: Vec<[u8; MOST]>,
    /// Where the parts of each vertex end.
    pub(super) ends: Vec<usize>,
    pub(super) parts: Vec<Part>,
    loose: usize,
    not_finite: usize,
    cut: Cut,
}

/// Vertices of a mesh with more joints than there is room for.
#[derive(Default)]
struct Cut {
    vertices: usize,
    /// The largest share of a vertex's weight that went.
    share: f64,
}

/// The joints of a vertex.
const MOST: usize = 4;

/// What a vertex takes.
const VERTEX: usize = 2 * (12 + 12 + 16 + 8 + 4 + 8 + 8);

impl Vertices {
    /// Adds those of a mesh.
    pub(super) fn add(
        &mut self,
        mesh: &Mesh,
        bones: Option<&Bones>,
        path: &str,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let n = mesh.positions.len();
        let influences = mesh.skin.as_ref().map_or(n, |s| s.influences.len().max(n));
        budget.charge_items("vertices", n as u64, VERTEX)?;
        budget.charge_items("vertices", influences as u64, 2 * size_of::<Part>())?;
        (self.loose, self.not_finite, self.cut) = (0, 0, Cut::default());
        for v in 0..n {
            let [mut at] = [mesh.positions[v]];
            let mut clean = |c: &mut f32| {
                if !c.is_finite() {
                    *c = 0.0;
                    self.not_finite += 1;
                }
            };
            at.iter_mut().for_each(&mut clean);
            let mut normal = mesh.normals.get(v).copied().unwrap_or([0.0, 0.0, 1.0]);
            normal.iter_mut().for_each(&mut clean);
            let mut tangent = mesh.tangents.get(v).copied().unwrap_or([1.0, 0.0, 0.0, 1.0]);
            tangent.iter_mut().for_each(&mut clean);
            let mut uv = mesh.uvs.get(v).copied().unwrap_or_default();
            uv.iter_mut().for_each(&mut clean);
            self.positions.push(at);
            self.normals.push(normal);
            self.tangents.push(tangent);
            self.uvs.push(uv);
            self.colors.push(mesh.colors.get(v).copied().unwrap_or([255; 4]));
            if let Some(bones) = bones {
                self.bind(mesh, v, at, bones, path)?;
            }
        }
        self.has_colors |= !mesh.colors.is_empty();
        if self.cut.vertices > 0 {
            let message = format!("vertices keep their {MOST} heaviest joints");
            let loss = Loss::new("influences-dropped", path, message);
            let loss = loss.of(self.cut.vertices, "vertex", "vertices").by(self.cut.share, "of the weight");
            losses.push(loss.noise_below(Loss::NOISE));
        }
        for (n, code, message) in [
            (self.loose, "vertices-unbound", "vertices that follow no joint hang from the root"),
            (self.not_finite, "not-finite", "numbers of vertices that are not finite became 0"),
        ] {
            if n > 0 && (mesh.skin.is_some() || code == "not-finite") {
                losses.push(Loss::new(code, path, message).of(n, "vertex", "vertices"));
            }
        }
        Ok(())
    }

    /// The joints of a vertex.
    fn bind(
        &mut self,
        mesh: &Mesh,
        v: usize,
        at: [f32; 3],
        bones: &Bones,
        path: &str,
    ) -> Result<(), ConvertError> {
        let start = self.parts.len();
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
                (Some(local), _) => wide(local.position),
                (None, Some(inverse)) => scale(inverse.point(wide(at)), weight),
                (None, None) => {
                    let message =
                        format!("joint {} flattens space in the bind pose and moves vertices", i.joint);
                    return Err(ConvertError::unsupported(path, message));
                }
            };
            match self.parts[start..].iter_mut().find(|p| p.bone == bone) {
                Some(part) => {
                    part.weight += weight;
                    part.at = meshwright_core::math::add(part.at, local);
                }
                None => self.parts.push(Part { bone, weight, at: local }),
            }
        }
        if self.parts.len() == start {
            self.loose += 1;
            self.parts.push(Part { bone: bones.root.unwrap_or(0), weight: 1.0, at: wide(at) });
        }
        self.ends.push(self.parts.len());
        let (joints, weights, gone) = bytes(&self.parts[start..]);
        if gone > 0.0 {
            self.cut.vertices += 1;
            self.cut.share = self.cut.share.max(gone);
        }
        self.joints.push(joints);
        self.weights.push(weights);
        Ok(())
    }

    /// The arrays in the order of their kinds.
    pub(super) fn arrays(&self, skinned: bool, budget: &Budget) -> Result<Vec<VertexArray>, ConvertError> {
        let size = 12 + 8 + 12 + 16 + 4 + 4 + 4;
        budget.charge_items("vertices", self.positions.len() as u64, size)?;
        let floats = |kind, rows: &[f32], components| VertexArray {
            kind,
            flags: 0,
            format: ArrayFormat::FLOAT,
            components,
            data: rows.iter().flat_map(|c| c.to_le_bytes()).collect(),
        };
        let bytes = |kind, rows: &[[u8; 4]]| VertexArray {
            kind,
            flags: 0,
            format: ArrayFormat::U8,
            components: 4,
            data: rows.as_flattened().to_vec(),
        };
        let mut arrays = alloc::vec![
            floats(ArrayKind::POSITION, self.positions.as_flattened(), 3),
            floats(ArrayKind::TEXCOORD, self.uvs.as_flattened(), 2),
            floats(ArrayKind::NORMAL, self.normals.as_flattened(), 3),
            floats(ArrayKind::TANGENT, self.tangents.as_flattened(), 4),
        ];
        if skinned {
            arrays.push(bytes(ArrayKind::BLEND_INDEXES, &self.joints));
            arrays.push(bytes(ArrayKind::BLEND_WEIGHTS, &self.weights));
        }
        if self.has_colors {
            arrays.push(bytes(ArrayKind::COLOR, &self.colors));
        }
        Ok(arrays)
    }
}

/// Joints and weights as bytes: the heaviest first, those without weight left out, and a sum of 255; with the share of
/// the weight for which there is no room.
fn bytes(parts: &[Part]) -> ([u8; MOST], [u8; MOST], f64) {
    let mut rows: Vec<(f64, usize)> = parts.iter().map(|p| (p.weight.max(0.0), p.bone)).collect();
    // Stable: of equal weights the earlier stays.
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = rows.iter().map(|r| r.0).sum();
    let gone: f64 = rows.iter().skip(MOST).map(|r| r.0).sum();
    rows.truncate(MOST);
    let sum: f64 = rows.iter().map(|r| r.0).sum();
    let (mut joints, mut weights) = ([0; MOST], [0_u8; MOST]);
    let mut left = 255_u8;
    for (i, (weight, bone)) in rows.iter().enumerate() {
        let share = if sum > 0.0 { weight / sum * 255.0 + 0.5 } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let share = share.clamp(0.0, f64::from(left)) as u8;
        if share > 0 {
            joints[i] = u8::try_from(*bone).unwrap_or(u8::MAX);
            weights[i] = share;
            left -= share;
        }
    }
    if weights[0] == 0 {
        joints[0] = rows.first().map_or(0, |r| u8::try_from(r.1).unwrap_or(u8::MAX));
    }
    weights[0] += left;
    (joints, weights, if gone > 0.0 { gone / all } else { 0.0 })
}
