//! Joints and weights of the vertices of skinned meshes.

use super::Findings;
use crate::document::rules::{ELEMENT_TWICE, JOINT_RANGE, LIMIT, WEIGHTS_NEGATIVE, WEIGHTS_NORMALIZED};
use crate::document::{Accessor, Document, Primitive, Semantic};
use meshwright_core::{FieldPath, ReadError, SortedMap};

/// Largest change of a weight sum per weight: a few rounding errors of 32-bit floats.
const NOISE: f32 = 2e-7;

/// Number of vertices that are decoded at once.
const BLOCK: usize = 512;

/// Checks the vertices of every mesh with a skin.
pub(super) fn check(document: &Document<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    // Maps each mesh to the smallest joint count of its skins.
    let mut fewest = SortedMap::new();
    for node in document.nodes() {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin.and_then(|s| document.skins().get(s))) {
            let joints = fewest.entry(mesh).or_insert(usize::MAX);
            *joints = (*joints).min(skin.joints.len());
        }
    }
    let all = FieldPath::ROOT.field("meshes");
    for (m, joints) in fewest {
        let path = all.index(m);
        let primitives = path.field("primitives");
        let place = || document.offset_of("meshes", m);
        let own = document.meshes().get(m).map_or(&[][..], |mesh| &mesh.primitives);
        for (p, primitive) in own.iter().enumerate() {
            let path = primitives.index(p);
            let path = path.field("attributes");
            match vertices(document, primitive, joints, &mut |rule, vertex, message| {
                findings.broken(rule, &path.index(vertex), &place, message);
            }) {
                Err(e) if e.code() == LIMIT.code => return Err(e),
                // The checks of accessors report what cannot be read.
                Ok(()) | Err(_) => {}
            }
        }
    }
    Ok(())
}

/// Checks each vertex of a primitive and reports the first fault of each kind.
fn vertices(
    document: &Document<'_>,
    primitive: &Primitive<'_>,
    joints: usize,
    tell: &mut dyn FnMut(&'static meshwright_core::Rule, usize, String),
) -> Result<(), ReadError> {
    let stored = |a: &&Accessor| a.view.is_some() || a.sparse.is_some();
    let count = |accessor: usize| document.accessors().get(accessor).filter(stored).map(|a| a.count);
    let vertices = primitive.attributes.first().and_then(|(_, accessor)| count(*accessor)).unwrap_or(0);
    let mut sets = Vec::new();
    for n in 0_u32.. {
        let joints = primitive.get(&Semantic::Joints(n)).filter(|a| count(*a) == Some(vertices));
        let weights = primitive.get(&Semantic::Weights(n)).filter(|a| count(*a) == Some(vertices));
        let (Some(joints), Some(weights)) = (joints, weights) else { break };
        sets.push((document.integers_in_blocks(joints, 4)?, document.floats_in_blocks(weights, 4)?));
    }
    if sets.is_empty() {
        return Ok(());
    }
    let mut told = [false; 4];
    let mut once = |kind: usize, rule, vertex, message: String| {
        if let Some(told) = told.get_mut(kind).filter(|told| !**told) {
            *told = true;
            tell(rule, vertex, message);
        }
    };
    let mut own: Vec<u32> = Vec::new();
    for vertex in 0..vertices {
        if vertex % BLOCK == 0 {
            let block = vertex..vertex.saturating_add(BLOCK).min(vertices);
            for (joints, weights) in &mut sets {
                joints.load(block.clone());
                weights.load(block.clone());
            }
        }
        own.clear();
        let (mut sum, mut moved) = (0.0_f32, 0.0_f32);
        for (joint, weight) in sets.iter().flat_map(|(joints, weights)| {
            let at = vertex % BLOCK;
            let joints = joints.loaded::<4>().get(at).copied().unwrap_or_default();
            joints.into_iter().zip(weights.loaded::<4>().get(at).copied().unwrap_or_default())
        }) {
            if joint as usize >= joints {
                once(0, JOINT_RANGE, vertex, format!("joint {joint}, of {joints} joints"));
            } else if weight < 0.0 {
                once(1, WEIGHTS_NEGATIVE, vertex, format!("the weight {weight} is negative"));
            } else if weight != 0.0 && own.contains(&joint) {
                once(2, ELEMENT_TWICE, vertex, format!("joint {joint} has two weights"));
            } else if weight != 0.0 {
                own.push(joint);
                (sum, moved) = (sum + weight, moved + NOISE);
            }
        }
        if (sum - 1.0).abs() > moved {
            once(3, WEIGHTS_NORMALIZED, vertex, format!("the weights sum to {sum}"));
        }
    }
    Ok(())
}
