//! Computes missing tangents by the rule that tools use for baking normal maps (MikkTSpace).

use crate::mesh::Mesh;
use crate::mesh::surface::unit_tangent;
use alloc::vec;
use alloc::vec::Vec;
use bevy_mikktspace::{Geometry, Ops, TangentSpace, generate_tangents};
use meshwright_core::math::{self, narrow1};
use meshwright_core::{Budget, LimitExceeded};

/// The memory of a corner during the computation of tangents.
const CORNER: usize = 136;
/// The maximum number of corners at one vertex: MikkTSpace recurses around a vertex and compares all of its
/// corners.
const MOST: u64 = 512;

/// The changes of a mesh by computing tangents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TangentChanges {
    /// The number of vertices that were added because their triangles have different tangents.
    pub(super) split: usize,
    /// The number of vertices whose texture coordinates do not determine a tangent.
    pub(super) guessed: usize,
}

/// Computes the tangents of a mesh that has normals. `up` states whether texture coordinates grow upwards.
pub(super) fn compute(mesh: &mut Mesh, up: bool, budget: &Budget) -> Result<TangentChanges, LimitExceeded> {
    let n = mesh.positions.len();
    let corners = mesh.triangles.as_flattened().len();
    budget.charge_items("tangents", corners as u64, CORNER)?;
    budget.charge_items("tangents", n as u64, 56)?;
    let mut made = TangentChanges::default();
    let Some(known) = spaces(mesh, budget)? else {
        // Without texture coordinates, no tangent is determined.
        made.guessed = n;
        mesh.tangents = (0..n).map(|v| guess(mesh, v)).collect();
        return Ok(made);
    };
    let side = if up { 1.0 } else { -1.0 };
    let known: Vec<_> = known.into_iter().map(|t| t.map(|[x, y, z, w]| [x, y, z, w * side])).collect();
    let mut first: Vec<Option<[f32; 4]>> = vec![None; n];
    for (v, tangent) in mesh.triangles.as_flattened().iter().zip(&known) {
        if let (Some(slot), Some(t)) = (first.get_mut(*v as usize), tangent) {
            slot.get_or_insert(*t);
        }
    }
    made.guessed = first.iter().filter(|t| t.is_none()).count();
    mesh.tangents =
        (0..n).map(|v| first.get(v).copied().flatten().unwrap_or_else(|| guess(mesh, v))).collect();
    made.split = split(mesh, &known, budget)?;
    Ok(made)
}

/// Adds vertices for corners whose tangent differs from that of their vertex. Corners with the same tangent
/// share a vertex.
fn split(mesh: &mut Mesh, known: &[Option<[f32; 4]>], budget: &Budget) -> Result<usize, LimitExceeded> {
    let mut more: Vec<(u32, [u32; 4], usize)> = Vec::new();
    for (corner, (v, tangent)) in mesh.triangles.as_flattened().iter().zip(known).enumerate() {
        let own = mesh.tangents.get(*v as usize);
        if let Some(t) = tangent.filter(|t| Some(t) != own) {
            budget.charge("tangents", 32)?;
            more.push((*v, t.map(f32::to_bits), corner));
        }
    }
    more.sort_unstable();
    let mut added = 0_usize;
    for same in more.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let Some((v, bits, _)) = same.first().copied() else { continue };
        // No further vertex can be addressed, so the corner keeps its vertex.
        let Ok(new) = u32::try_from(mesh.positions.len()) else { break };
        budget.charge("vertices", 80)?;
        copy(mesh, v as usize, bits.map(f32::from_bits), budget)?;
        added = added.saturating_add(1);
        for (.., corner) in same {
            if let Some(slot) = mesh.triangles.as_flattened_mut().get_mut(*corner) {
                *slot = new;
            }
        }
    }
    Ok(added)
}

/// Adds a copy of a vertex with another tangent.
fn copy(mesh: &mut Mesh, v: usize, tangent: [f32; 4], budget: &Budget) -> Result<(), LimitExceeded> {
    fn repeat_value<T: Copy>(values: &mut Vec<T>, v: usize) {
        let value = values.get(v).copied();
        values.extend(value);
    }
    repeat_value(&mut mesh.positions, v);
    repeat_value(&mut mesh.normals, v);
    repeat_value(&mut mesh.uvs, v);
    repeat_value(&mut mesh.colors, v);
    mesh.tangents.push(tangent);
    if let Some(skin) = &mut mesh.skin {
        let range = skin.range(v);
        budget.charge_items("influences", range.len() as u64, 32)?;
        skin.influences.extend_from_within(range.clone());
        if !skin.local.is_empty() {
            skin.local.extend_from_within(range);
        }
        skin.end_vertex();
    }
    Ok(())
}

fn guess(mesh: &Mesh, v: usize) -> [f32; 4] {
    let normal = mesh.normals.get(v).copied().unwrap_or_default();
    let [x, y, z] = unit_tangent(normal, [1.0, 0.0, 0.0]);
    [x, y, z, 1.0]
}

/// Returns the tangent of each corner, if it is determined. The fourth component is the side on which the
/// second coordinate grows. `None` without texture coordinates, or if too many triangles meet in a vertex.
fn spaces(mesh: &Mesh, budget: &Budget) -> Result<Option<Vec<Option<[f32; 4]>>>, LimitExceeded> {
    if mesh.uvs.is_empty() {
        return Ok(None);
    }
    let all = mesh.triangles.as_flattened();
    let mut uses = vec![0_u32; mesh.positions.len()];
    for v in all {
        if let Some(uses) = uses.get_mut(*v as usize) {
            *uses = uses.saturating_add(1);
        }
    }
    let mut keys: Vec<_> = (0_u32..).zip(uses).map(|(v, uses)| (Corner::new(mesh, v).key(), uses)).collect();
    keys.sort_unstable();
    let mut work = all.len() as u64;
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        let uses = same.iter().fold(0_u64, |sum, (_, uses)| sum.saturating_add(u64::from(*uses)));
        if uses > MOST {
            return Ok(None);
        }
        work = work.saturating_add(uses.saturating_pow(2));
    }
    drop(keys);
    budget.work("tangents", work)?;
    let mut walk = Walk { tangents: vec![None; all.len()], mesh };
    // The error type has no values.
    let _ = generate_tangents::<Walk<'_>, Exact>(&mut walk);
    Ok(Some(walk.tangents))
}

/// The attributes of a corner that decide which corners share a tangent.
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    uv: [f32; 2],
}

impl Corner {
    /// Returns the attributes of a vertex, 0 for those that are missing or not finite.
    fn new(mesh: &Mesh, v: u32) -> Self {
        let clean = |c: f32| if c.is_finite() { c + 0.0 } else { 0.0 };
        let v = v as usize;
        Self {
            position: mesh.positions.get(v).copied().unwrap_or_default().map(clean),
            normal: mesh.normals.get(v).copied().unwrap_or_default().map(clean),
            uv: mesh.uvs.get(v).copied().unwrap_or_default().map(clean),
        }
    }

    fn key(&self) -> [u32; 8] {
        let ([a, b, c], [d, e, f], [g, h]) = (self.position, self.normal, self.uv);
        [a, b, c, d, e, f, g, h].map(f32::to_bits)
    }
}

/// The corners of a mesh with their tangents.
struct Walk<'m> {
    mesh: &'m Mesh,
    tangents: Vec<Option<[f32; 4]>>,
}

impl Walk<'_> {
    fn corner(&self, face: usize, vert: usize) -> Corner {
        let v = self.mesh.triangles.get(face).and_then(|triangle| triangle.get(vert)).copied();
        Corner::new(self.mesh, v.unwrap_or_default())
    }
}

/// Arithmetic that gives the same roots and angles on every machine.
struct Exact;

impl Ops for Exact {
    fn sqrt(x: f32) -> f32 {
        narrow1(math::sqrt(f64::from(x)))
    }

    fn acos(x: f32) -> f32 {
        narrow1(math::acos(f64::from(x)))
    }
}

impl Geometry<Exact> for Walk<'_> {
    fn num_faces(&self) -> usize {
        self.mesh.triangles.len()
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, vert: usize) -> [f32; 3] {
        self.corner(face, vert).position
    }

    fn normal(&self, face: usize, vert: usize) -> [f32; 3] {
        self.corner(face, vert).normal
    }

    fn tex_coord(&self, face: usize, vert: usize) -> [f32; 2] {
        self.corner(face, vert).uv
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, vert: usize) {
        let tangent = space.map(|s| s.tangent_encoded());
        // A direction of length 0 is not valid.
        let found = tangent.filter(|[x, y, z, _]| {
            let length = x * x + y * y + z * z;
            length.is_finite() && (length - 1.0).abs() < 1.0e-3
        });
        if let Some(slot) = self.tangents.get_mut(face.saturating_mul(3).saturating_add(vert)) {
            *slot = found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Influence, Limits, SkeletonId, Skin};

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    /// Returns two squares side by side, with mirrored textures.
    fn mirrored() -> Mesh {
        let at = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
        let mut skin = Skin::new(SkeletonId(0));
        for joint in 0..6 {
            skin.influences.push(Influence { joint, weight: 1.0 });
            skin.end_vertex();
        }
        Mesh::new(
            "m",
            at.map(|[x, y]| [x, y, 0.0]).to_vec(),
            vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
        )
        .with_normals(vec![[0.0, 0.0, 1.0]; 6])
        .with_uvs(at.map(|[x, y]| [if x > 1.0 { 2.0 - x } else { x }, y]).to_vec())
        .with_skin(skin)
    }

    #[test]
    fn a_mirrored_texture_parts_its_seam() {
        let mut mesh = mirrored();
        let made = compute(&mut mesh, true, &budget()).unwrap();
        assert_eq!(made, TangentChanges { split: 2, guessed: 0 });
        assert_eq!(mesh.positions.len(), 8);
        let side = |t: &[u32; 3]| t.map(|v| mesh.tangents[v as usize]);
        let near = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        for triangle in &mesh.triangles[..2] {
            assert!(side(triangle).iter().all(|t| near(*t, [1.0, 0.0, 0.0, 1.0])), "{:?}", side(triangle));
        }
        for triangle in &mesh.triangles[2..] {
            assert!(side(triangle).iter().all(|t| near(*t, [-1.0, 0.0, 0.0, -1.0])), "{:?}", side(triangle));
        }
        // The new vertices have the attributes of those at the seam.
        let skin = mesh.skin.as_ref().unwrap();
        assert_eq!((skin.influences(6)[0].joint, skin.influences(7)[0].joint), (1, 4));
        assert_eq!([mesh.positions[6], mesh.positions[7]], [mesh.positions[1], mesh.positions[4]]);
    }

    #[test]
    fn the_side_follows_the_way_that_coordinates_grow() {
        let mut mesh = mirrored();
        compute(&mut mesh, false, &budget()).unwrap();
        assert_eq!(mesh.tangents[0][3], -1.0);
    }

    #[test]
    fn without_a_texture_any_direction_across_serves() {
        let mut mesh = mirrored();
        mesh.uvs.clear();
        assert_eq!(compute(&mut mesh, true, &budget()).unwrap(), TangentChanges { split: 0, guessed: 6 });
        assert_eq!(mesh.tangents, [[1.0, 0.0, 0.0, 1.0]; 6]);
    }

    #[test]
    fn a_fan_of_any_size_ends() {
        let n = 200_000_u32;
        let rim = |i: u32| {
            let x = f64::from(i) / f64::from(n) * 6.0;
            [narrow1(math::cos(x)), narrow1(math::sin(x)), 0.0]
        };
        let positions: Vec<_> = core::iter::once([0.0; 3]).chain((0..=n).map(rim)).collect();
        let uvs = positions.iter().map(|[x, y, _]| [*x, *y]).collect();
        let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
        let triangles = (1..=n).map(|i| [0, i, i + 1]).collect();
        let mut mesh = Mesh::new("fan", positions, triangles).with_normals(normals).with_uvs(uvs);
        let made = compute(&mut mesh, true, &budget()).unwrap();
        assert_eq!(made.guessed, mesh.positions.len());
        let small = Budget::new(Limits::default().with_memory(1000));
        assert!(compute(&mut mesh, true, &small).is_err());
    }
}
