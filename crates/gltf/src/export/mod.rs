//! Converts a scene to a glTF document.
#![allow(
    clippy::indexing_slicing,
    reason = "references of a scene that was validated first, and lists of one entry for each of its items"
)]

mod animation;
mod buffer_pieces;
mod channels;
mod clip;
mod curves;
mod dropped_motion;
mod extras;
mod geometry;
mod gltf;
mod keys;
mod material;
mod options;
mod output;
mod poses;
mod skeleton;
mod survey;
mod unshear;
mod variants;
mod weights;

pub(crate) use extras::KEPT;
pub use gltf::Gltf;
pub use options::{ExportOptions, Influences};

use crate::document::{self, Node};
use crate::math::{SHEAR_NOISE, decompose};
use extras::{Mark, Told};
use geometry::{Written, is_scaled, owned, place};
use material::Materials;
use meshwright_core::{SortedMap, SortedSet};
use meshwright_scene::{
    ConvertError, Converted, Extra, Joint, Local, Loss, MaterialId, Mesh, MeshId, Scene, Skeleton, Space,
};
use output::{Output, add};
use skeleton::{Joints, adopt};
use std::borrow::Cow;
use std::mem::take;
use survey::{SeenMesh, Survey};
use unshear::Straightened;

/// Converts a scene to glTF, and lists data that glTF cannot hold.
///
/// # Errors
/// When the scene is not valid or in a file's own space, or glTF's numbers or the limit cannot hold it.
pub fn export<'s>(scene: &'s Scene, options: &ExportOptions) -> Result<Converted<Gltf<'s>>, ConvertError> {
    Export::new(scene, options, None)?.run()
}

/// Like [`export`], with embedded data that an import returns in [`Import::kept`](crate::import::Import::kept), such as
/// the native model of the scene. Joints, meshes and materials get marks, which [identify
/// them](crate::import::Import::marks) whatever their new names and order are. Both are JSON texts under the key
/// `meshwright` of extras: the only form that Blender, glTF-Transform and gltfpack all preserve.
///
/// # Errors
/// As [`export`].
pub fn export_keeping<'s>(
    scene: &'s Scene,
    options: &ExportOptions,
    kept: &Extra,
) -> Result<Converted<Gltf<'s>>, ConvertError> {
    Export::new(scene, options, Some(kept))?.run()
}

/// Exports a scene with marks but without the extras of meshes, for an import that ignores them.
pub(crate) fn export_marked<'s>(scene: &'s Scene, options: &ExportOptions) -> Result<Gltf<'s>, ConvertError> {
    let kept = Extra::Map(Vec::new());
    let export = Export { mesh_extras: false, ..Export::new(scene, options, Some(&kept))? };
    Ok(export.run()?.value)
}

/// The memory charged for the number of a node in a level, including its text.
const NODE_INDEX: usize = 16;

/// Returns true if there is nothing to draw.
fn is_empty(mesh: &Mesh) -> bool {
    mesh.positions.is_empty() || mesh.triangles.is_empty()
}

/// Returns the written mesh that bounds each joint, with its name.
fn solids<'s>(
    scene: &'s Scene,
    meshes: &[Option<Written>],
    skeleton: &Skeleton,
) -> Vec<Option<(u32, &'s str)>> {
    let solid = |j: &Joint| {
        let mesh = j.solid?;
        let written = meshes.get(mesh.0)?.as_ref()?;
        let number = u32::try_from(written.mesh).ok()?;
        Some((number, scene.meshes.get(mesh.0)?.name.as_str()))
    };
    skeleton.joints.iter().map(solid).collect()
}

struct Export<'a, 'k> {
    scene: &'a Scene,
    /// The facts about each mesh.
    seen: Vec<SeenMesh>,
    options: ExportOptions,
    kept: Option<&'k Extra>,
    /// The extras of meshes are written.
    mesh_extras: bool,
    out: Output<'a>,
    losses: Vec<Loss>,
    /// The scene's nodes, parents first.
    order: Vec<usize>,
    /// The written meshes by the scene's numbers.
    meshes: Vec<Option<Written>>,
    sources: Vec<MeshId>,
    straightened: Vec<Straightened>,
    skeletons: Vec<Option<Joints>>,
}

/// The glTF nodes of the scene's nodes.
#[derive(Default)]
struct Placed {
    /// The glTF node of each needed scene node.
    nodes: Vec<Option<usize>>,
    /// Nodes of skinned meshes, which have no parent, and their skeletons, by the root above them.
    skinned: SortedMap<usize, Vec<(usize, usize)>>,
}

impl<'a, 'k> Export<'a, 'k> {
    fn new(scene: &'a Scene, options: &ExportOptions, kept: Option<&'k Extra>) -> Result<Self, ConvertError> {
        let seen = Survey::scan(scene, options.memory)?;
        if scene.space != Space::Gltf {
            return Err(ConvertError::invalid(
                "space",
                "the scene is in the native space of its file, not in that of glTF",
            ));
        }
        let order =
            scene.node_order().ok_or_else(|| ConvertError::invalid("nodes", "parents form a cycle"))?;
        Ok(Self {
            scene,
            seen,
            kept,
            mesh_extras: true,
            options: *options,
            out: Output::new(options.memory),
            losses: Vec::new(),
            order,
            meshes: Vec::new(),
            sources: Vec::new(),
            straightened: Vec::new(),
            skeletons: Vec::new(),
        })
    }

    fn run(mut self) -> Result<Converted<Gltf<'a>>, ConvertError> {
        let roots = self.roots()?;
        let levels = self.levels()?;
        let shown = self.shown_nodes(&roots, &levels);
        for skeleton in 0..self.scene.skeletons.len() {
            self.straightened.push(Straightened::find(self.scene, skeleton, &self.out.memory)?);
        }
        self.write_meshes(&shown)?;
        self.write_skeletons()?;
        let placed = self.place_nodes(&roots, &shown)?;
        self.write_skins(&placed)?;
        self.write_scenes(&levels, &placed)?;
        let clips =
            animation::write(&mut self.out, self.scene, &self.skeletons, &self.options, &mut self.losses)?;
        let gltf = Gltf::new(self.out, self.sources, clips)?;
        Ok(Converted::new(gltf, self.losses))
    }

    fn lose(&mut self, code: &'static str, path: String, message: impl Into<String>) {
        self.losses.push(Loss::new(code, path, message));
    }

    /// Returns the mark of an object, if marks are written.
    fn mark<'n>(&self, index: usize, of: Option<usize>, name: &'n str) -> Option<Mark<'n>> {
        self.kept.map(|_| Mark { index, of, name })
    }

    /// Returns the root above each node.
    fn roots(&self) -> Result<Vec<usize>, ConvertError> {
        let mut roots: Vec<usize> = self.out.memory.reserve("nodes", self.scene.nodes.len())?;
        roots.extend(0..self.scene.nodes.len());
        for &n in &self.order {
            if let Some(parent) = self.scene.nodes[n].parent {
                roots[n] = roots[parent.0];
            }
        }
        Ok(roots)
    }

    /// Returns the root nodes of every glTF scene, each once.
    fn levels(&self) -> Result<Vec<Vec<usize>>, ConvertError> {
        let is_root = |n: usize| self.scene.nodes.get(n).is_some_and(|node| node.parent.is_none());
        if self.scene.levels.is_empty() {
            return Ok(vec![(0..self.scene.nodes.len()).filter(|&n| is_root(n)).collect()]);
        }
        let mut levels = self.out.memory.reserve("levels", self.scene.levels.len())?;
        for (l, level) in self.scene.levels.iter().enumerate() {
            let mut seen = SortedSet::new();
            let mut nodes = self.out.memory.reserve("levels", level.nodes.len())?;
            for (i, node) in level.nodes.iter().enumerate() {
                if !is_root(node.0) {
                    return Err(ConvertError::invalid(
                        format!("levels[{l}].nodes[{i}]"),
                        "is not the root of a tree",
                    ));
                }
                if seen.insert(node.0) {
                    nodes.push(node.0);
                }
            }
            levels.push(nodes);
        }
        Ok(levels)
    }

    /// Returns which nodes are drawn at some level.
    fn shown_nodes(&mut self, roots: &[usize], levels: &[Vec<usize>]) -> Vec<bool> {
        let drawn: SortedSet<usize> = levels.iter().flatten().copied().collect();
        for (n, root) in roots.iter().enumerate() {
            if *root == n && !drawn.contains(&n) {
                self.lose("node-not-drawn", format!("nodes[{n}]"), "no level draws it");
            }
        }
        roots.iter().map(|root| drawn.contains(root)).collect()
    }

    fn write_meshes(&mut self, shown: &[bool]) -> Result<(), ConvertError> {
        let scene = self.scene;
        let mut drawn = vec![false; scene.meshes.len()];
        // Those that bound a joint are written in any case: its extras name them.
        for solid in scene.skeletons.iter().flat_map(|s| &s.joints).filter_map(|j| j.solid) {
            drawn[solid.0] = true;
        }
        for (node, _) in scene.nodes.iter().zip(shown).filter(|(_, shown)| **shown) {
            for mesh in &node.meshes {
                drawn[mesh.0] = true;
            }
        }
        let bumpy = self.bumpy()?;
        let mut materials = Materials::new(scene, self.kept.is_some(), self.options.layers);
        let seen = take(&mut self.seen);
        for (i, ((mesh, drawn), seen)) in scene.meshes.iter().zip(drawn).zip(seen).enumerate() {
            let path = format!("meshes[{i}]");
            if is_empty(mesh) {
                self.lose("empty-mesh", path, "a mesh without triangles was left out");
                self.meshes.push(None);
                continue;
            }
            if !drawn {
                self.lose("mesh-not-drawn", path, "no node draws it");
                self.meshes.push(None);
                continue;
            }
            let joints = mesh.skin.as_ref().and_then(|s| scene.skeletons.get(s.skeleton.0));
            let material = match mesh.material {
                Some(m) => materials.get(&mut self.out, m.0, mesh, &mut self.losses)?,
                None => Some(materials.plain(&mut self.out)?),
            };
            let mark = self.mark(i, None, &mesh.name);
            let straightened = mesh.skin.as_ref().and_then(|s| self.straightened.get(s.skeleton.0));
            let straight = straightened.map(|s| s.mesh(mesh, &self.out.memory)).transpose()?;
            let written = geometry::write(
                &mut self.out,
                (straight.unwrap_or(Cow::Borrowed(mesh)), seen),
                (material, bumpy[i]),
                (joints.map_or(0, |s| s.joints.len()), self.options.influences),
                (mark, self.mesh_extras),
                &path,
                &mut self.losses,
            )?;
            variants::map(&mut self.out, &mut materials, (MeshId(i), mesh), &written, &mut self.losses)?;
            self.meshes.push(Some(written));
            self.sources.push(MeshId(i));
        }
        Ok(())
    }

    /// Returns which meshes have a normal map in at least one look.
    fn bumpy(&self) -> Result<Vec<bool>, ConvertError> {
        let scene = self.scene;
        let is_bumpy = |m: MaterialId| scene.materials.get(m.0).is_some_and(|m| m.normal.is_some());
        let mut bumpy = self.out.memory.filled("meshes", scene.meshes.len(), false)?;
        for (mesh, bumpy) in scene.meshes.iter().zip(&mut bumpy) {
            *bumpy = mesh.material.is_some_and(is_bumpy);
        }
        for (mesh, material) in scene.variants.iter().flat_map(|v| &v.materials) {
            bumpy[mesh.0] |= is_bumpy(*material);
        }
        Ok(bumpy)
    }

    fn write_skeletons(&mut self) -> Result<(), ConvertError> {
        let mut neutral = vec![false; self.scene.skeletons.len()];
        for (mesh, written) in self.scene.meshes.iter().zip(&self.meshes) {
            if let (Some(skin), Some(Written { neutral: true, .. })) = (&mesh.skin, written) {
                neutral[skin.skeleton.0] = true;
            }
        }
        for (i, (skeleton, neutral)) in self.scene.skeletons.iter().zip(neutral).enumerate() {
            let path = format!("skeletons[{i}]");
            let straightened = self.straightened.get(i);
            let straight = straightened.map(|s| s.skeleton(skeleton, &self.out.memory)).transpose()?;
            let skeleton = straight.as_deref().unwrap_or(skeleton);
            let solids = solids(self.scene, &self.meshes, skeleton);
            let joints = skeleton::write(
                &mut self.out,
                (skeleton, &self.scene.name),
                &solids,
                neutral,
                self.kept.map(|_| i),
                &path,
                &mut self.losses,
            )?;
            self.skeletons.push(joints);
        }
        Ok(())
    }

    /// Returns the drawn meshes of a node, skinned or not.
    fn drawn_meshes(&self, n: usize, skinned: bool) -> Vec<MeshId> {
        let is = |m: &&MeshId| self.meshes[m.0].is_some() && self.scene.meshes[m.0].skin.is_some() == skinned;
        self.scene.nodes[n].meshes.iter().filter(is).copied().collect()
    }

    /// Returns which nodes are needed: those that draw or hold something, and those without meshes that mark a place
    /// or have extras. A node that draws only skinned meshes is replaced by the nodes of these.
    fn live(&self, shown: &[bool]) -> Vec<bool> {
        let nodes = &self.scene.nodes;
        let mut has_children = vec![false; nodes.len()];
        for node in nodes {
            if let Some(parent) = node.parent {
                has_children[parent.0] = true;
            }
        }
        let mut live = vec![false; nodes.len()];
        for &n in self.order.iter().rev() {
            let marks = !has_children[n] || nodes[n].extras.is_some();
            let needed =
                !self.drawn_meshes(n, false).is_empty() || (marks && self.drawn_meshes(n, true).is_empty());
            live[n] = shown[n] && (live[n] || needed);
            if let (true, Some(parent)) = (live[n], nodes[n].parent) {
                live[parent.0] = true;
            }
        }
        live
    }

    fn place_nodes(&mut self, roots: &[usize], shown: &[bool]) -> Result<Placed, ConvertError> {
        let scene = self.scene;
        let live = self.live(shown);
        let mut placed = Placed { nodes: vec![None; scene.nodes.len()], skinned: SortedMap::new() };
        for (n, node) in scene.nodes.iter().enumerate().filter(|(n, _)| shown[*n]) {
            if live[n] {
                placed.nodes[n] = Some(self.place_node(n)?);
            }
            for (k, mesh) in self.drawn_meshes(n, true).into_iter().enumerate() {
                // A node that exists only for its skinned mesh is replaced by the node of the mesh.
                let stands_in = k == 0 && !live[n];
                let own = &scene.meshes[mesh.0].name;
                let name =
                    if (stands_in || own.is_empty()) && !node.name.is_empty() { &node.name } else { own };
                let extras =
                    extras::extras_text(&self.out.memory, node.extras.as_ref().filter(|_| stands_in))?;
                let index = self.mesh_node(name, mesh, extras)?;
                let skeleton = scene.meshes[mesh.0].skin.as_ref().map_or(0, |s| s.skeleton.0);
                placed.skinned.entry(roots[n]).or_default().push((index, skeleton));
            }
        }
        for &n in &self.order {
            let parent = scene.nodes[n].parent.and_then(|p| placed.nodes[p.0]);
            if let (Some(parent), Some(child)) = (parent, placed.nodes[n]) {
                adopt(&mut self.out, parent, child);
            }
        }
        Ok(placed)
    }

    /// Writes a node of the scene with its unskinned meshes: one mesh on the node itself, several on child nodes.
    fn place_node(&mut self, n: usize) -> Result<usize, ConvertError> {
        let scene = self.scene;
        let source = &scene.nodes[n];
        let path = format!("nodes[{n}]");
        let trs = match &source.local {
            Local::Trs(t) => {
                if is_scaled(t.rotation) {
                    self.lose("rotations-scaled", path.clone(), "the rotation was made to have length 1");
                }
                *t
            }
            Local::Affine(m) => {
                let (trs, error) = decompose(m);
                if error > SHEAR_NOISE {
                    let loss =
                        Loss::new("node-shear", path.as_str(), "the node shears, which glTF cannot express");
                    self.losses.push(loss.with_amount(error, "of its size").noise_below(Loss::NOISE));
                }
                trs
            }
        };
        let meshes = self.drawn_meshes(n, false);
        self.out.charge_objects(1, source.name.len())?;
        let extras = extras::extras_text(&self.out.memory, source.extras.as_ref())?;
        let transform = place(&trs, &path)?;
        let mut node = Node { name: owned(&source.name), transform, extras, ..Node::default() };
        if let [mesh] = meshes[..] {
            node.mesh = self.meshes[mesh.0].map(|w| w.mesh);
        }
        let index = add(&mut self.out.tables.nodes, node);
        if meshes.len() > 1 {
            for mesh in meshes {
                let child = self.mesh_node(&scene.meshes[mesh.0].name, mesh, None)?;
                adopt(&mut self.out, index, child);
            }
        }
        Ok(index)
    }

    /// Adds a node that draws one mesh and has no parent yet.
    fn mesh_node(&mut self, name: &str, mesh: MeshId, extras: Option<String>) -> Result<usize, ConvertError> {
        self.out.charge_objects(1, name.len())?;
        let mesh = self.meshes[mesh.0].map(|w| w.mesh);
        let node = Node { name: owned(name), mesh, extras, ..Node::default() };
        Ok(add(&mut self.out.tables.nodes, node))
    }

    /// Writes one skin for every skeleton, even if it moves no mesh: only skins mark nodes as joints.
    fn write_skins(&mut self, placed: &Placed) -> Result<(), ConvertError> {
        let mut skins: Vec<Option<usize>> = Vec::new();
        for (skeleton, joints) in self.scene.skeletons.iter().zip(&self.skeletons) {
            let joints = joints.as_ref();
            skins.push(joints.map(|joints| skeleton::skin(&mut self.out, skeleton, joints)).transpose()?);
        }
        for &(node, skeleton) in placed.skinned.values().flatten() {
            if let Some(node) = self.out.tables.nodes.get_mut(node) {
                node.skin = skins.get(skeleton).copied().flatten();
            }
        }
        Ok(())
    }

    /// Writes one glTF scene per level, with the skeletons that move its meshes. A skeleton that moves none is in the
    /// first. An empty level is dropped: common readers reject a scene without nodes.
    fn write_scenes(&mut self, levels: &[Vec<usize>], placed: &Placed) -> Result<(), ConvertError> {
        let used: SortedSet<usize> = placed.skinned.values().flatten().map(|s| s.1).collect();
        for (l, roots) in levels.iter().enumerate() {
            let skinned = || roots.iter().filter_map(|r| placed.skinned.get(r)).flatten();
            let mut skeletons: SortedSet<usize> = skinned().map(|s| s.1).collect();
            if l == 0 {
                skeletons.extend((0..self.skeletons.len()).filter(|s| !used.contains(s)));
            }
            let above = skeletons.iter().filter_map(|&s| self.skeletons[s].as_ref()).map(|j| j.root);
            let mut nodes: Vec<_> = above.collect();
            nodes.extend(roots.iter().filter_map(|&r| placed.nodes[r]));
            for skinned in roots.iter().filter_map(|r| placed.skinned.get(r)) {
                // However many levels show them all.
                self.out.memory.charge_items("levels", skinned.len() as u64, NODE_INDEX)?;
                nodes.extend(skinned.iter().map(|s| s.0));
            }
            // An embedded original may have nothing to show.
            if nodes.is_empty() && self.kept.is_some() && self.scene.nodes.is_empty() {
                continue;
            }
            if nodes.is_empty() {
                self.lose("empty-level", format!("levels[{l}]"), "an empty level of detail was dropped");
                continue;
            }
            let level = self.scene.levels.get(l);
            let name = level.map(|l| &l.name).filter(|name| !name.is_empty()).unwrap_or(&self.scene.name);
            let first = self.out.tables.scenes.is_empty();
            let told = Told { scene: self.scene, frames_at: self.options.frames_at, kept: self.kept };
            let file = Some(told).filter(|_| first);
            let extras = extras::of_scene(&self.out.memory, file, level.and_then(|l| l.max_distance))?;
            self.out.charge_objects(1, name.len())?;
            self.out.tables.scenes.push(document::Scene { name: owned(name), nodes, extras });
        }
        if let (Some(_), true) = (self.kept, self.out.tables.scenes.is_empty()) {
            // The embedded data belongs to a scene, which needs a node.
            let told = Told { scene: self.scene, frames_at: self.options.frames_at, kept: self.kept };
            let extras = extras::of_scene(&self.out.memory, Some(told), None)?;
            let name = owned(&self.scene.name);
            self.out.charge_objects(2, name.len())?;
            let node = Node { name: name.clone(), ..Node::default() };
            let nodes = vec![add(&mut self.out.tables.nodes, node)];
            self.out.tables.scenes.push(document::Scene { name, nodes, extras });
        }
        self.out.tables.scene = (!self.out.tables.scenes.is_empty()).then_some(0);
        Ok(())
    }
}
