//! Converts the drawn parts: nodes with meshes, and meshes that follow joints.

use super::attributes::Reader;
use super::bindings::Bindings;
use super::extras::Extras;
use super::materials::Materials;
use super::nodes::MIRROR;
use super::plan::{JointPlace, Plan};
use super::weights::Sets;
use super::{Origin, charge_push};
use crate::document::rules::{NOT_FINITE, SKIN_WEIGHTS};
use crate::document::{Document, JsonValue, Primitive, Semantic};
use meshwright_core::bulk::are_finite;
use meshwright_core::math::Affine64;
use meshwright_core::{FieldPath, ReadError, SortedMap, SortedSet};
use meshwright_scene::{Influence, Loss, MaterialId, Mesh, MeshId, Node, NodeId, SkeletonId, Skin};

/// The converted meshes and nodes.
#[derive(Default)]
pub(super) struct BuiltMeshes {
    pub(super) nodes: Vec<Node>,
    /// The document's root node above each root node of the scene.
    pub(super) roots: Vec<(NodeId, usize)>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) origins: Vec<Origin>,
    /// The joints that a mesh bounds.
    pub(super) solids: Vec<(JointPlace, MeshId)>,
}

/// The keys of the mesh that bounds a joint, in the joint's extras: its number, and its name. The name is
/// still correct if an editor renumbers meshes.
pub(super) const SOLID: [&str; 2] = ["solid", "solid_mesh"];

/// The source of a mesh's motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mover {
    /// The node that draws it.
    Node,
    /// A skin.
    Skin(usize),
    /// The nearest joint above this node, or the node itself if it is a joint.
    Joint(usize),
}

struct Builder<'b, 'd, 'a> {
    document: &'d Document<'a>,
    plan: &'b Plan,
    bindings: &'b Bindings,
    materials: &'b Materials,
    losses: &'b mut Vec<Loss>,
    extras: Extras<'d, 'a>,
    built: BuiltMeshes,
    /// The converted mesh for each primitive and mover.
    made: SortedMap<(usize, usize, Mover, Option<usize>), Option<MeshId>>,
    /// The weights of morph targets: those of nodes, and those of meshes.
    morphs: [Vec<Option<JsonValue<'d, 'a>>>; 2],
    /// The position accessors that several primitives use.
    shared: SortedSet<usize>,
}

pub(super) fn read(
    document: &Document<'_>,
    plan: &Plan,
    bindings: &Bindings,
    materials: &Materials,
    losses: &mut Vec<Loss>,
) -> Result<BuiltMeshes, ReadError> {
    let extras = Extras::new(document, "meshes")?;
    let (built, made, shared) = (BuiltMeshes::default(), SortedMap::new(), shared_meshes(document)?);
    let morphs = [morphs(document, "nodes")?, morphs(document, "meshes")?];
    let mut builder =
        Builder { document, plan, bindings, materials, losses, extras, built, made, morphs, shared };
    builder.nodes()?;
    builder.solids()?;
    Ok(builder.built)
}

/// Returns the position accessors that several primitives use.
fn shared_meshes(document: &Document<'_>) -> Result<SortedSet<usize>, ReadError> {
    let primitives = || document.meshes().iter().flat_map(|mesh| &mesh.primitives);
    // An entry of a tree takes up to three times its size.
    let count = primitives().count();
    document.charge::<[usize; 6]>(&FieldPath::ROOT.field("meshes"), "shared accessors", count)?;
    let mut seen = SortedSet::new();
    Ok(primitives().filter_map(|p| p.get(&Semantic::Position)).filter(|a| !seen.insert(*a)).collect())
}

/// Returns the morph target weights of the items of a table.
fn morphs<'d, 'a>(
    document: &'d Document<'a>,
    table: &'static str,
) -> Result<Vec<Option<JsonValue<'d, 'a>>>, ReadError> {
    let items = || document.json().get(table).into_iter().flat_map(JsonValue::items);
    let mut weights = document.room(&FieldPath::ROOT.field(table), "weights", items().count())?;
    weights.extend(items().map(|item| item.get("weights")));
    Ok(weights)
}

impl Builder<'_, '_, '_> {
    /// Converts the nodes that draw, or are above nodes that draw, parents before their children.
    fn nodes(&mut self) -> Result<(), ReadError> {
        let document = self.document;
        let nodes = document.nodes();
        let keep = self.kept_nodes()?;
        let extras = Extras::new(document, "nodes")?;
        let all = FieldPath::ROOT.field("nodes");
        let mut places: Vec<Option<NodeId>> = document.filled(&all, "nodes", nodes.len())?;
        let mut roots: Vec<usize> = document.room(&all, "nodes", nodes.len())?;
        roots.extend(0..nodes.len());
        for &n in document.node_order() {
            let Some(node) = nodes.get(n).filter(|_| self.plan.is_active(n)) else { continue };
            let root = node.parent.and_then(|p| roots.get(p)).copied().unwrap_or(n);
            if let Some(slot) = roots.get_mut(n) {
                *slot = root;
            }
            let mover = self.mover(n);
            let (own, moved) = match node.mesh {
                Some(mesh) if mover == Mover::Node => (self.meshes(n, mesh, mover)?, Vec::new()),
                Some(mesh) => (Vec::new(), self.meshes(n, mesh, mover)?),
                None => Default::default(),
            };
            let name = node.name.clone().into_owned();
            // Memory for the name, the node and the list of its meshes.
            document.charge::<u8>(&all, "names", name.len().saturating_mul(2))?;
            charge_push::<(Node, [usize; 4])>(document, &all, "nodes")?;
            // A mesh that joints move has no node.
            if !moved.is_empty() {
                self.built.roots.push((NodeId(self.built.nodes.len()), root));
                self.built.nodes.push(Node { name: name.clone(), meshes: moved, ..Node::default() });
            }
            if keep.get(n) == Some(&true) {
                let id = NodeId(self.built.nodes.len());
                if let Some(place) = places.get_mut(n) {
                    *place = Some(id);
                }
                let parent = node.parent.and_then(|p| places.get(p).copied().flatten());
                if parent.is_none() {
                    self.built.roots.push((id, root));
                }
                let local = self.plan.locals.get(n).copied().unwrap_or_default();
                self.built.nodes.push(Node { name, parent, local, meshes: own, extras: extras.get(n)? });
            }
        }
        Ok(())
    }

    /// Marks the nodes that are kept: they are not joints or below joints, and draw, contain drawing nodes,
    /// or mark a position.
    fn kept_nodes(&self) -> Result<Vec<bool>, ReadError> {
        let nodes = self.document.nodes();
        let free = |n: usize| {
            self.plan.is_active(n)
                && self.plan.place(n).is_none()
                && self.plan.above.get(n).copied().flatten().is_none()
        };
        let mut keep = self.document.room(&FieldPath::ROOT.field("nodes"), "nodes", nodes.len())?;
        keep.extend((0..nodes.len()).map(|n| {
            let draws = nodes.get(n).is_some_and(|node| node.mesh.is_some() && self.mover(n) == Mover::Node);
            let marks = nodes
                .get(n)
                .is_some_and(|node| node.mesh.is_none() && node.children.is_empty() && !node.name.is_empty());
            free(n) && (draws || (marks && !self.plan.is_device(n)))
        }));
        for &n in self.document.node_order().iter().rev() {
            let parent = nodes.get(n).and_then(|node| node.parent);
            if let (Some(true), Some(parent)) = (keep.get(n).copied(), parent)
                && let Some(above) = keep.get_mut(parent)
            {
                *above = true;
            }
        }
        Ok(keep)
    }

    /// Converts the meshes that bound joints, even if no node draws them.
    fn solids(&mut self) -> Result<(), ReadError> {
        let document = self.document;
        let extras = Extras::new(document, "nodes")?;
        for n in 0..document.nodes().len() {
            let (Some(place), Some(own)) = (self.plan.place(n), extras.value(n)) else { continue };
            let Some(m) = own.get(SOLID[0]).and_then(JsonValue::as_u64) else { continue };
            let name = own.get(SOLID[1]).and_then(JsonValue::as_str);
            let called =
                |mesh: &crate::document::Mesh<'_>| name.as_deref().is_none_or(|name| mesh.name == name);
            let numbered = usize::try_from(m).ok().filter(|m| document.meshes().get(*m).is_some_and(called));
            let steps = document.meshes().len();
            document.work(&FieldPath::ROOT.field("nodes").index(n), "names of meshes", steps)?;
            let named = || document.meshes().iter().position(called).filter(|_| name.is_some());
            let Some(m) = numbered.or_else(named) else { continue };
            let Some(primitive) = document.meshes().get(m).and_then(|mesh| mesh.primitives.first()) else {
                continue;
            };
            let from = (m, 0, Mover::Node, None);
            let drawn =
                self.made.range(from..).find(|((mesh, p, ..), id)| *mesh != m || (*p == 0 && id.is_some()));
            let drawn = drawn.filter(|((mesh, ..), _)| *mesh == m);
            let id = match drawn {
                Some((_, id)) => *id,
                None => {
                    let weighted = is_weighted(primitive);
                    let holds = |s: &usize| document.skins().get(*s).is_some_and(|s| s.joints.contains(&n));
                    let skin = (0..document.skins().len()).find(|s| weighted && holds(s));
                    let mover = skin.map_or(Mover::Node, Mover::Skin);
                    let id = self.primitive(n, m, (0, primitive), &[], mover)?;
                    self.made.insert((m, 0, mover, None), id);
                    id
                }
            };
            charge_push::<(JointPlace, MeshId)>(document, &FieldPath::ROOT.field("nodes"), "solids")?;
            self.built.solids.extend(id.map(|id| (place, id)));
        }
        Ok(())
    }

    fn mover(&self, n: usize) -> Mover {
        let Some(node) = self.document.nodes().get(n) else { return Mover::Node };
        let mesh = node.mesh.and_then(|m| self.document.meshes().get(m));
        let weighted = mesh.is_some_and(|mesh| mesh.primitives.iter().any(is_weighted));
        match node.skin.filter(|s| weighted && self.bindings.skin(*s).is_some()) {
            Some(skin) => Mover::Skin(skin),
            None if self.plan.place(n).is_some() => Mover::Joint(n),
            None if self.plan.above.get(n).copied().flatten().is_some() => Mover::Joint(n),
            None => Mover::Node,
        }
    }

    /// Converts the meshes of a node.
    fn meshes(&mut self, n: usize, m: usize, mover: Mover) -> Result<Vec<MeshId>, ReadError> {
        let document = self.document;
        let Some(mesh) = document.meshes().get(m) else { return Ok(Vec::new()) };
        let mut ids = Vec::new();
        let [by_node, by_mesh] = &self.morphs;
        let own = by_node.get(n).copied().flatten();
        let morphed = own.map(|_| n);
        let weights = own.or(by_mesh.get(m).copied().flatten());
        #[expect(clippy::cast_possible_truncation, reason = "stored in 32 bits")]
        let weights: Vec<f32> = weights
            .into_iter()
            .flat_map(JsonValue::items)
            .take(mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0))
            .map(|w| w.as_f64().unwrap_or(0.0) as f32)
            .collect();
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            // A part without weights follows its own node.
            let mover = if is_weighted(primitive) || mover == Mover::Node { mover } else { Mover::Joint(n) };
            let id = match self.made.get(&(m, p, mover, morphed)) {
                Some(id) => *id,
                None => {
                    let id = self.primitive(n, m, (p, primitive), &weights, mover)?;
                    self.made.insert((m, p, mover, morphed), id);
                    id
                }
            };
            charge_push::<MeshId>(document, &FieldPath::ROOT.field("nodes"), "meshes")?;
            ids.extend(id);
        }
        Ok(ids)
    }

    fn primitive(
        &mut self,
        n: usize,
        m: usize,
        (p, primitive): (usize, &Primitive<'_>),
        weights: &[f32],
        mover: Mover,
    ) -> Result<Option<MeshId>, ReadError> {
        let document = self.document;
        let all = FieldPath::ROOT.field("meshes");
        let mesh_path = all.index(m);
        let primitives = mesh_path.field("primitives");
        let path = primitives.index(p);
        let reader = Reader { document, path: &path, mesh: m, primitive };
        let Some(mut mesh) =
            reader.mesh(self.materials.coordinates(primitive.material), weights, self.losses)?
        else {
            return Ok(None);
        };
        self.bind(&mut mesh, n, m, primitive, mover, &path)?;
        if primitive.get(&Semantic::Position).is_some_and(|a| self.shared.contains(&a)) {
            // Memory for the used vertices, their new numbers, and the remaining influences.
            document.charge::<[u32; 3]>(&path, "vertices", mesh.positions.len())?;
            let influences = mesh.skin.as_ref().map_or(0, |skin| skin.influences.len());
            document.charge::<Influence>(&path, "influences", influences.saturating_mul(3))?;
            drop_unused(&mut mesh);
        }
        if !are_finite(mesh.positions.as_flattened()) {
            let message = "a vertex is outside the range of 32-bit floats";
            return Err(document.fault(NOT_FINITE, &path, ("meshes", m), message));
        }
        mesh.name = self.name(n, m, p);
        // Memory for the mesh in its list, its origin, and its entry in the map.
        document.charge::<u8>(&path, "name", mesh.name.len())?;
        charge_push::<(Mesh, Origin, [usize; 8])>(document, &path, "meshes")?;
        mesh.material = primitive.material.map(MaterialId);
        mesh.extras = self.extras.get(m)?;
        let id = MeshId(self.built.meshes.len());
        self.built.meshes.push(mesh);
        self.built.origins.push(Origin { node: n, mesh: m, primitive: p });
        Ok(Some(id))
    }

    /// Returns the name of the mesh, or of its node. The names of further primitives are numbered.
    fn name(&self, n: usize, m: usize, p: usize) -> String {
        let mesh =
            self.document.meshes().get(m).map(|mesh| mesh.name.as_ref()).filter(|name| !name.is_empty());
        let node = self.document.nodes().get(n).map(|node| node.name.as_ref());
        let name = mesh.or(node).unwrap_or_default();
        if p == 0 { name.to_owned() } else { format!("{name}_{p}") }
    }

    /// Binds the mesh to its mover.
    fn bind(
        &mut self,
        mesh: &mut Mesh,
        n: usize,
        m: usize,
        primitive: &Primitive<'_>,
        mover: Mover,
        path: &FieldPath<'_>,
    ) -> Result<(), ReadError> {
        let document = self.document;
        let joints = primitive.get(&Semantic::Joints(0)).is_some();
        let weights = primitive.get(&Semantic::Weights(0)).is_some();
        let own = document.nodes().get(n).and_then(|node| node.skin);
        let skin = if let Mover::Skin(skin) = mover { Some(skin) } else { own };
        if joints != weights || joints != skin.is_some() {
            document.warn(SKIN_WEIGHTS, path, ("meshes", m), "not all of skin, joints and weights");
        }
        match mover {
            Mover::Node => {}
            Mover::Skin(skin) => {
                let Some(binding) = self.bindings.skin(skin) else { return Ok(()) };
                if let Some(bake) = binding.bake {
                    mesh.bake(&bake.narrow());
                }
                let count = mesh.positions.len();
                let sets = Sets::read(document, primitive)?;
                let mut skin = Skin::new(SkeletonId(binding.skeleton));
                sets.fill(&mut skin, document, &binding.joints, count, (m, path), self.losses)?;
                mesh.skin = Some(skin);
            }
            Mover::Joint(_) => self.follow(mesh, n, path)?,
        }
        Ok(())
    }

    /// Binds all of a mesh to the joint that is its node or above it; otherwise it follows the node.
    fn follow(&self, mesh: &mut Mesh, n: usize, path: &FieldPath<'_>) -> Result<(), ReadError> {
        let mut to_joint = Affine64::IDENTITY;
        let mut at = n;
        let place = loop {
            if let Some(place) = self.plan.place(at) {
                if self.plan.is_mirrored(at) {
                    to_joint = MIRROR.after(&to_joint);
                }
                break Some(place);
            }
            to_joint = self.plan.local(at).after(&to_joint);
            match self.document.nodes().get(at).and_then(|node| node.parent) {
                Some(parent) => at = parent,
                None => break None,
            }
        };
        let Some(place) = place else {
            mesh.bake(&to_joint.narrow());
            return Ok(());
        };
        let to_bound = self.bindings.to_bound(place).after(&to_joint);
        mesh.bake(&to_bound.narrow());
        let count = mesh.positions.len();
        let joint = u32::try_from(place.joint).unwrap_or(u32::MAX);
        let mut skin = Skin::new(SkeletonId(place.group));
        skin.influences = self.document.room(path, "influences", count)?;
        skin.influences.resize(count, Influence { joint, weight: 1.0 });
        skin.starts = self.document.room(path, "influences", count.saturating_add(1))?;
        skin.starts.extend(0..=u32::try_from(count).unwrap_or(u32::MAX));
        mesh.skin = Some(skin);
        Ok(())
    }
}

/// Returns true if the vertices of a primitive have joints and weights.
fn is_weighted(primitive: &Primitive<'_>) -> bool {
    primitive.get(&Semantic::Joints(0)).is_some() && primitive.get(&Semantic::Weights(0)).is_some()
}

/// Drops vertices that no triangle uses; the others keep their order.
fn drop_unused(mesh: &mut Mesh) {
    let mut places = vec![u32::MAX; mesh.positions.len()];
    for v in mesh.triangles.as_flattened() {
        if let Some(place) = places.get_mut(*v as usize) {
            *place = 0;
        }
    }
    let used: Vec<bool> = places.iter().map(|place| *place == 0).collect();
    let mut next = 0_u32;
    for place in places.iter_mut().filter(|place| **place == 0) {
        *place = next;
        next = next.saturating_add(1);
    }
    for v in mesh.triangles.as_flattened_mut() {
        *v = places.get(*v as usize).copied().unwrap_or(0);
    }
    fn keep<T>(values: &mut Vec<T>, used: &[bool]) {
        let mut used = used.iter();
        values.retain(|_| used.next() == Some(&true));
    }
    keep(&mut mesh.positions, &used);
    keep(&mut mesh.normals, &used);
    keep(&mut mesh.tangents, &used);
    keep(&mut mesh.uvs, &used);
    keep(&mut mesh.colors, &used);
    if let Some(skin) = &mut mesh.skin {
        let mut kept = Skin::new(skin.skeleton);
        for v in (0..skin.vertex_count()).filter(|v| used.get(*v) == Some(&true)) {
            kept.influences.extend_from_slice(skin.influences(v));
            kept.end_vertex();
        }
        *skin = kept;
    }
}
