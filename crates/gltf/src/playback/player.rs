//! The player, and the poses that it returns.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "references of a document that was checked, and lists of one entry for each of its nodes"
)]

use crate::document::{self, Document, Options, Semantic, Transform, no_files};
use crate::math::{cross, dot, unit, wide};
use crate::playback::animation::Motion;
use crate::playback::error::PlaybackError;
use meshwright_core::math::{Affine64, Trs64};
use meshwright_core::{Budget, Limits};

/// The maximum memory of a file's unpacked arrays, in bytes.
const MEMORY: u64 = 1 << 30;

/// Extensions that do not affect evaluation, or that the document layer reads.
const HARMLESS: [&str; 20] = [
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
];

/// A GLB, ready to be evaluated at any time of any of its animations.
#[derive(Clone, Debug)]
pub struct Player {
    nodes: Vec<Node>,
    /// Nodes, parents first.
    order: Vec<usize>,
    meshes: Vec<Vec<Primitive>>,
    skins: Vec<Skin>,
    motions: Vec<Motion>,
    animations: Vec<Animation>,
}

/// An animation of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// The name.
    pub name: String,
    /// The time of its last key, in seconds.
    pub duration: f32,
}

/// A primitive of a mesh, as one node of the file draws it at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrimitivePose {
    /// The node.
    pub node: usize,
    /// The node's name.
    pub node_name: String,
    /// The mesh.
    pub mesh: usize,
    /// The primitive of the mesh.
    pub primitive: usize,
    /// Positions relative to the scene.
    pub positions: Vec<[f64; 3]>,
    /// Normals relative to the scene, with length 1 if they have a direction; empty if the mesh has none.
    pub normals: Vec<[f64; 3]>,
}

#[derive(Clone, Debug)]
struct Node {
    name: String,
    parent: Option<usize>,
    local: LocalMatrix,
    mesh: Option<usize>,
    skin: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum LocalMatrix {
    Parts(Trs64),
    Whole(Affine64),
}

/// Four joints and their weights per vertex.
type Influences = (Vec<[u32; 4]>, Vec<[f32; 4]>);

#[derive(Clone, Debug)]
struct Primitive {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    /// Joints and weights, set by set.
    sets: Vec<Influences>,
}

#[derive(Clone, Debug)]
struct Skin {
    joints: Vec<usize>,
    inverse_bind: Vec<Affine64>,
}

/// Converts a glTF matrix of four columns, whose last row is 0 0 0 1.
fn from_columns(m: [f32; 16]) -> Affine64 {
    let column = |i: usize| wide([m[i], m[i + 1], m[i + 2]]);
    Affine64 { x: column(0), y: column(4), z: column(8), w: column(12) }
}

/// Transforms a normal by the cofactors of a matrix, which also exist for flattened axes.
fn normal(&Affine64 { x, y, z, .. }: &Affine64, n: [f64; 3]) -> [f64; 3] {
    let cofactors = Affine64 { x: cross(y, z), y: cross(z, x), z: cross(x, y), w: [0.0; 3] };
    let sign = if dot(x, cross(y, z)) < 0.0 { -1.0 } else { 1.0 };
    cofactors.vector(n).map(|c| c * sign)
}

impl Player {
    /// Reads a GLB. Its arrays may take up to 1 GiB unpacked.
    ///
    /// # Errors
    /// When the file breaks a rule, uses a part of glTF that is not played, or would take more memory.
    pub fn new(glb: &[u8]) -> Result<Self, PlaybackError> {
        Self::with_memory(glb, MEMORY)
    }

    /// Reads a GLB whose arrays may take up to `bytes` unpacked.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_memory(glb: &[u8], bytes: u64) -> Result<Self, PlaybackError> {
        let options =
            Options::default().with_limits(Limits::default().with_memory(bytes)).with_extensions(&HARMLESS);
        let document = Document::from_glb(glb, &no_files, &options)?;
        let (mut meshes, mut skins) = (Vec::new(), Vec::new());
        let (mut motions, mut animations) = (Vec::new(), Vec::new());
        for (m, mesh) in document.meshes().iter().enumerate() {
            meshes.push(primitives(&document, m, mesh)?);
        }
        for skin in document.skins() {
            skins.push(Skin::new(&document, skin)?);
        }
        for (a, animation) in document.animations().iter().enumerate() {
            let motion = Motion::read(&document, a, animation)?;
            animations.push(Animation { name: animation.name.to_string(), duration: motion.duration() });
            motions.push(motion);
        }
        let nodes = document.nodes().iter().map(Node::new).collect();
        let order = document.node_order().to_vec();
        let player = Self { nodes, order, meshes, skins, motions, animations };
        player.check(document.budget())?;
        Ok(player)
    }

    /// Checks conditions of evaluation that the document does not guarantee: the joints of vertices are in the skin,
    /// and the poses of all drawn meshes fit into memory.
    fn check(&self, budget: &Budget) -> Result<(), PlaybackError> {
        // Once for each mesh, however many nodes draw it.
        let mut last_joints = Vec::new();
        for mesh in &self.meshes {
            let mut last = None;
            for (joints, _) in mesh.iter().flat_map(|p| &p.sets) {
                last = last.max(joints.as_flattened().iter().max());
            }
            last_joints.push(last);
        }
        for (n, node) in self.nodes.iter().enumerate() {
            let Some(mesh) = node.mesh else { continue };
            let fault = |message: String| PlaybackError::new(format!("nodes[{n}]"), message);
            let charge = |count: usize, size| {
                let charged = budget.charge_items("vertices of a pose", count as u64, size);
                charged.map_err(|e| fault(e.to_string()))
            };
            // The cost of each vertex in a pose; further sets store nothing, but must be bounded as well.
            let primitives = self.meshes[mesh].iter();
            let vertices = primitives.map(|p| p.positions.len() * p.sets.len().max(1)).sum();
            charge(vertices, 2 * size_of::<[f64; 3]>())?;
            let Some(skin) = node.skin.map(|s| &self.skins[s]) else { continue };
            charge(skin.joints.len(), size_of::<Affine64>())?;
            if last_joints[mesh].is_some_and(|j| *j as usize >= skin.joints.len()) {
                return Err(fault("a vertex names a joint that is not in the skin".into()));
            }
        }
        Ok(())
    }

    /// Returns the animations in the file's order.
    pub fn animations(&self) -> &[Animation] {
        &self.animations
    }

    /// Returns all drawn primitives at a time of an animation in seconds, or at rest. An animation holds its values
    /// before its first and after its last key. An animation that does not exist moves nothing.
    ///
    /// Primitives come in the order of nodes, for all scenes of the document.
    pub fn evaluate(&self, animation: Option<usize>, time: f32) -> Vec<PrimitivePose> {
        let mut locals: Vec<_> = self.nodes.iter().map(|n| n.local).collect();
        if let Some(motion) = animation.and_then(|a| self.motions.get(a)) {
            motion.apply(time, |node, change| {
                if let Some(LocalMatrix::Parts(parts)) = locals.get_mut(node) {
                    change(parts);
                }
            });
        }
        let mut worlds: Vec<Affine64> = locals.into_iter().map(LocalMatrix::to_matrix).collect();
        for &n in &self.order {
            if let Some(parent) = self.nodes[n].parent {
                worlds[n] = worlds[parent].after(&worlds[n]);
            }
        }
        let mut drawn = Vec::new();
        for (n, node) in self.nodes.iter().enumerate() {
            let Some(mesh) = node.mesh else { continue };
            let palette = node.skin.map(|s| self.skins[s].palette(&worlds));
            for (p, primitive) in self.meshes[mesh].iter().enumerate() {
                let (positions, normals) = match &palette {
                    Some(palette) => primitive.skinned(palette),
                    None => primitive.place_vertices(&worlds[n]),
                };
                drawn.push(PrimitivePose {
                    node: n,
                    node_name: node.name.clone(),
                    mesh,
                    primitive: p,
                    positions,
                    normals,
                });
            }
        }
        drawn
    }
}

impl LocalMatrix {
    fn to_matrix(self) -> Affine64 {
        match self {
            Self::Whole(m) => m,
            Self::Parts(p) => p.to_affine(),
        }
    }
}

impl Skin {
    fn new(document: &Document<'_>, skin: &document::Skin<'_>) -> Result<Self, PlaybackError> {
        let joints = skin.joints.clone();
        let inverse_bind = match skin.inverse_bind {
            Some(index) => document.read_f32(index)?.into_iter().map(from_columns).collect(),
            None => vec![Affine64::IDENTITY; joints.len()],
        };
        Ok(Self { joints, inverse_bind })
    }

    fn palette(&self, worlds: &[Affine64]) -> Vec<Affine64> {
        self.joints.iter().zip(&self.inverse_bind).map(|(&j, bind)| worlds[j].after(bind)).collect()
    }
}

type Vertices = (Vec<[f64; 3]>, Vec<[f64; 3]>);

impl Primitive {
    fn place_vertices(&self, world: &Affine64) -> Vertices {
        let positions = self.positions.iter().map(|p| world.point(wide(*p))).collect();
        let normal = |n: &[f32; 3]| unit(normal(world, wide(*n))).unwrap_or_default();
        (positions, self.normals.iter().map(normal).collect())
    }

    /// Returns the weighted sum over all influences. Normals are transformed by the matrices themselves, as in viewers.
    fn skinned(&self, palette: &[Affine64]) -> Vertices {
        let sum = |v: usize, map: &dyn Fn(&Affine64) -> [f64; 3]| {
            let mut sum = [0.0; 3];
            for (joints, weights) in &self.sets {
                for (&j, &w) in joints[v].iter().zip(&weights[v]).filter(|(_, w)| **w != 0.0) {
                    for (s, c) in sum.iter_mut().zip(map(&palette[j as usize])) {
                        *s += f64::from(w) * c;
                    }
                }
            }
            sum
        };
        let positions = self.positions.iter().enumerate();
        let positions = positions.map(|(v, p)| sum(v, &|m| m.point(wide(*p)))).collect();
        let normals = self.normals.iter().enumerate();
        let normals = normals.map(|(v, n)| unit(sum(v, &|m| m.vector(wide(*n)))).unwrap_or_default());
        (positions, normals.collect())
    }
}

impl Node {
    fn new(node: &document::Node<'_>) -> Self {
        let local = match node.transform {
            Transform::Matrix(m) => LocalMatrix::Whole(from_columns(m)),
            Transform::Parts { translation, rotation, scale } => LocalMatrix::Parts(Trs64 {
                translation: wide(translation),
                rotation: wide(rotation),
                scale: wide(scale),
            }),
        };
        Self { name: node.name.to_string(), parent: node.parent, local, mesh: node.mesh, skin: node.skin }
    }
}

fn primitives(
    document: &Document<'_>,
    m: usize,
    mesh: &document::Mesh<'_>,
) -> Result<Vec<Primitive>, PlaybackError> {
    let mut all = Vec::new();
    for (p, primitive) in mesh.primitives.iter().enumerate() {
        let find = |semantic| primitive.get(&semantic);
        let Some(positions) = find(Semantic::Position) else {
            return Err(PlaybackError::new(format!("meshes[{m}].primitives[{p}]"), "has no positions"));
        };
        let positions = document.read_f32(positions)?;
        let normals = find(Semantic::Normal).map(|n| document.read_f32(n)).transpose()?.unwrap_or_default();
        let mut sets = Vec::new();
        for s in 0.. {
            let (Some(joints), Some(weights)) = (find(Semantic::Joints(s)), find(Semantic::Weights(s)))
            else {
                break;
            };
            sets.push((document.read_u32(joints)?, document.read_f32(weights)?));
        }
        all.push(Primitive { positions, normals, sets });
    }
    Ok(all)
}
