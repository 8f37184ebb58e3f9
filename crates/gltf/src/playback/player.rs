//! The player and what it evaluates.

use crate::math::{Mat3, cross, dot, rotation, scaled, unit, wide};
use crate::playback::animation::{self, Motion, Parts};
use crate::playback::error::PlaybackError;
use crate::playback::read::Document;
use meshwright_scene::Memory;

/// Bytes that the arrays of a file may take when they are unpacked.
const MEMORY: u64 = 1 << 30;

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
    /// Its name.
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
    /// Normals relative to the scene, at length 1 where they have a direction; empty where the mesh has none.
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
    Parts(Parts),
    Matrix(Matrix),
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
    inverse_bind: Vec<Matrix>,
}

/// Three columns and a translation.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    linear: Mat3,
    translation: [f64; 3],
}

impl Matrix {
    const IDENTITY: Self =
        Self { linear: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    fn from_columns(m: [f32; 16]) -> Self {
        let column = |i: usize| wide([m[i], m[i + 1], m[i + 2]]);
        Self { linear: [column(0), column(4), column(8)], translation: column(12) }
    }

    fn vector(&self, v: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = self.linear;
        core::array::from_fn(|i| x[i] * v[0] + y[i] * v[1] + z[i] * v[2])
    }

    fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let v = self.vector(p);
        core::array::from_fn(|i| v[i] + self.translation[i])
    }

    fn after(&self, first: &Self) -> Self {
        Self { linear: first.linear.map(|c| self.vector(c)), translation: self.point(first.translation) }
    }

    /// The map of normals: cofactors, so that flattened axes do no harm.
    fn normal(&self, n: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = self.linear;
        let cofactors = Self { linear: [cross(y, z), cross(z, x), cross(x, y)], translation: [0.0; 3] };
        let sign = if dot(x, cross(y, z)) < 0.0 { -1.0 } else { 1.0 };
        cofactors.vector(n).map(|c| c * sign)
    }
}

impl Player {
    /// Reads a GLB. Its arrays may take up to 1 GiB unpacked.
    pub fn new(glb: &[u8]) -> Result<Self, PlaybackError> {
        Self::with_memory(glb, MEMORY)
    }

    /// Reads a GLB whose arrays may take up to `bytes` unpacked.
    pub fn with_memory(glb: &[u8], bytes: u64) -> Result<Self, PlaybackError> {
        let memory = Memory::new(bytes);
        let document = Document::new(glb, &memory)?;
        let nodes = nodes(&document)?;
        let order = order(&nodes)?;
        let meshes = document
            .root
            .meshes
            .iter()
            .enumerate()
            .map(|(m, mesh)| primitives(&document, m, mesh))
            .collect::<Result<Vec<_>, _>>()?;
        let skins = skins(&document)?;
        let motions = animation::read(&document)?;
        let named = document.root.animations.iter().zip(&motions);
        let animations = named
            .map(|(a, m)| Animation { name: a.name.clone().unwrap_or_default(), duration: m.duration() })
            .collect();
        let player = Self { nodes, order, meshes, skins, motions, animations };
        player.check(&memory)?;
        Ok(player)
    }

    /// Checks what evaluation relies on: nodes draw meshes that exist, joints of vertices are in the skin, and
    /// the answer fits the memory however often a mesh is drawn.
    fn check(&self, memory: &Memory) -> Result<(), PlaybackError> {
        let last = |mesh: &Vec<Primitive>| {
            mesh.iter().flat_map(|p| &p.sets).flat_map(|s| s.0.as_flattened()).copied().max()
        };
        // Once for each mesh, however many nodes draw it.
        let last_joints: Vec<Option<u32>> = self.meshes.iter().map(last).collect();
        for (n, node) in self.nodes.iter().enumerate() {
            let fault = |message: &str| Err(PlaybackError::new(format!("nodes[{n}]"), message));
            let Some(mesh) = node.mesh else { continue };
            let Some(primitives) = self.meshes.get(mesh) else { return fault("names a missing mesh") };
            // What each vertex takes in the answer; further sets keep nothing, but work has to have an end as well.
            let vertices = primitives.iter().map(|p| p.positions.len() * p.sets.len().max(1)).sum();
            let charge = |count, size| {
                let charged = memory.charge("vertices of a pose", count, size);
                charged.map_err(|e| PlaybackError::new(format!("nodes[{n}]"), e.to_string()))
            };
            charge(vertices, 2 * size_of::<[f64; 3]>())?;
            let Some(skin) = node.skin else { continue };
            let Some(skin) = self.skins.get(skin) else { return fault("names a missing skin") };
            charge(skin.joints.len(), size_of::<Matrix>())?;
            if last_joints[mesh].is_some_and(|j| j as usize >= skin.joints.len()) {
                return fault("a vertex names a joint that the skin has not got");
            }
        }
        let joints = self.skins.iter().flat_map(|s| &s.joints);
        if joints.into_iter().any(|&j| j >= self.nodes.len()) {
            return Err(PlaybackError::new("skins", "a joint is no node"));
        }
        let targets = self.motions.iter().flat_map(Motion::targets);
        if targets.into_iter().any(|n| n >= self.nodes.len()) {
            return Err(PlaybackError::new("animations", "a target is no node"));
        }
        Ok(())
    }

    /// The animations in the file's order.
    pub fn animations(&self) -> &[Animation] {
        &self.animations
    }

    /// Everything that is drawn, at a time of an animation in seconds, or at rest. Before its first and behind
    /// its last key an animation holds. An animation that does not exist moves nothing.
    ///
    /// Primitives come in the order of nodes. Which scene they are part of is not asked.
    pub fn evaluate(&self, animation: Option<usize>, time: f32) -> Vec<PrimitivePose> {
        let mut locals: Vec<_> = self.nodes.iter().map(|n| n.local).collect();
        if let Some(motion) = animation.and_then(|a| self.motions.get(a)) {
            motion.apply(time, |node, change| {
                if let Some(LocalMatrix::Parts(parts)) = locals.get_mut(node) {
                    change(parts);
                }
            });
        }
        let mut worlds: Vec<Matrix> = locals.into_iter().map(LocalMatrix::to_matrix).collect();
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
                    None => primitive.placed(&worlds[n]),
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
    fn to_matrix(self) -> Matrix {
        match self {
            Self::Matrix(m) => m,
            Self::Parts(p) => {
                Matrix { linear: scaled(rotation(p.rotation), p.scale), translation: p.translation }
            }
        }
    }
}

impl Skin {
    fn palette(&self, worlds: &[Matrix]) -> Vec<Matrix> {
        self.joints.iter().zip(&self.inverse_bind).map(|(&j, bind)| worlds[j].after(bind)).collect()
    }
}

type Vertices = (Vec<[f64; 3]>, Vec<[f64; 3]>);

impl Primitive {
    fn placed(&self, world: &Matrix) -> Vertices {
        let positions = self.positions.iter().map(|p| world.point(wide(*p))).collect();
        let normal = |n: &[f32; 3]| unit(world.normal(wide(*n))).unwrap_or_default();
        (positions, self.normals.iter().map(normal).collect())
    }

    /// The weighted sum over all influences. Normals take the matrices as they are, as viewers do.
    fn skinned(&self, palette: &[Matrix]) -> Vertices {
        let sum = |v: usize, map: &dyn Fn(&Matrix) -> [f64; 3]| {
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

fn nodes(document: &Document<'_>) -> Result<Vec<Node>, PlaybackError> {
    let mut nodes: Vec<Node> = document
        .root
        .nodes
        .iter()
        .map(|node| Node {
            name: node.name.clone().unwrap_or_default(),
            parent: None,
            local: match node.matrix {
                Some(m) => LocalMatrix::Matrix(Matrix::from_columns(m)),
                None => LocalMatrix::Parts(Parts {
                    translation: wide(node.translation.unwrap_or_default()),
                    rotation: wide(node.rotation.map_or([0.0, 0.0, 0.0, 1.0], |r| r.0)),
                    scale: wide(node.scale.unwrap_or([1.0; 3])),
                }),
            },
            mesh: node.mesh.map(|m| m.value()),
            skin: node.skin.map(|s| s.value()),
        })
        .collect();
    for (n, node) in document.root.nodes.iter().enumerate() {
        for child in node.children.iter().flatten() {
            let path = || format!("nodes[{n}].children");
            let child =
                nodes.get_mut(child.value()).ok_or_else(|| PlaybackError::new(path(), "is no node"))?;
            if child.parent.replace(n).is_some() {
                return Err(PlaybackError::new(path(), "has two parents"));
            }
        }
    }
    Ok(nodes)
}

/// Nodes, parents first.
fn order(nodes: &[Node]) -> Result<Vec<usize>, PlaybackError> {
    let mut children = vec![Vec::new(); nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    for (n, node) in nodes.iter().enumerate() {
        match node.parent {
            Some(parent) => children[parent].push(n),
            None => order.push(n),
        }
    }
    let mut done = 0;
    while let Some(&n) = order.get(done) {
        order.append(&mut children[n]);
        done += 1;
    }
    if order.len() == nodes.len() { Ok(order) } else { Err(PlaybackError::new("nodes", "they form a cycle")) }
}

fn primitives(
    document: &Document<'_>,
    m: usize,
    mesh: &gltf_json::Mesh,
) -> Result<Vec<Primitive>, PlaybackError> {
    use gltf_json::mesh::Semantic;
    use gltf_json::validation::Checked::Valid;
    let one = |(p, primitive): (usize, &gltf_json::mesh::Primitive)| {
        let path = format!("meshes[{m}].primitives[{p}]");
        let find = |semantic| primitive.attributes.get(&Valid(semantic)).copied();
        let Some(positions) = find(Semantic::Positions) else {
            return Err(PlaybackError::new(path, "has no positions"));
        };
        let positions = document.vectors::<3>(positions, &path)?;
        let n = positions.len();
        let fits = |len: usize| {
            let message = "attributes of different length";
            if len == n { Ok(()) } else { Err(PlaybackError::new(path.as_str(), message)) }
        };
        let normals = match find(Semantic::Normals) {
            Some(index) => document.vectors::<3>(index, &path)?,
            None => Vec::new(),
        };
        if !normals.is_empty() {
            fits(normals.len())?;
        }
        let mut sets = Vec::new();
        for s in 0.. {
            let (Some(joints), Some(weights)) = (find(Semantic::Joints(s)), find(Semantic::Weights(s)))
            else {
                break;
            };
            let set = (document.integers(joints, &path)?, document.vectors::<4>(weights, &path)?);
            fits(set.0.len())?;
            fits(set.1.len())?;
            sets.push(set);
        }
        Ok(Primitive { positions, normals, sets })
    };
    mesh.primitives.iter().enumerate().map(one).collect()
}

fn skins(document: &Document<'_>) -> Result<Vec<Skin>, PlaybackError> {
    let one = |(s, skin): (usize, &gltf_json::Skin)| {
        let path = format!("skins[{s}]");
        let joints: Vec<usize> = skin.joints.iter().map(gltf_json::Index::value).collect();
        let inverse_bind = match skin.inverse_bind_matrices {
            Some(index) => {
                document.vectors::<16>(index, &path)?.into_iter().map(Matrix::from_columns).collect()
            }
            None => vec![Matrix::IDENTITY; joints.len()],
        };
        if inverse_bind.len() < joints.len() {
            return Err(PlaybackError::new(path, "fewer matrices than joints"));
        }
        Ok(Skin { joints, inverse_bind })
    };
    document.root.skins.iter().enumerate().map(one).collect()
}
