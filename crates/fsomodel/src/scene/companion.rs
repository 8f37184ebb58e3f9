//! Converts nodes, materials and the table of meshes, for the dialect that has a companion file.

use super::streams::charge_meshes;
use crate::metadata::{self, MAX_NODE_DEPTH, Metadata};
use crate::model::MeshEntry;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::f32s;
use meshwright_scene::flatten::Instance;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{
    Affine, Budget, ConvertError, Drawable, Drawables, Extra, FromSceneOptions, LimitExceeded, Loss,
    Material, Mesh, NodeId, Scene,
};

/// The rules for names: no NUL, which the engine's loader rejects.
const NAMES: NameRules = NameRules::new(Encoding::Utf8, usize::MAX).with_stand_in(b'_');

/// Builds the companion file of a scene.
pub(super) struct Companion<'s, 'b> {
    scene: &'s Scene,
    budget: &'b Budget,
    names: Names<'b>,
    /// True for each material that the companion file has.
    materials: Vec<bool>,
    /// The meshes of the companion file that each node draws.
    drawn: Vec<Vec<u32>>,
    /// Meshes to which no node's transform applies.
    free: Vec<u32>,
}

impl<'s, 'b> Companion<'s, 'b> {
    /// Converts every mesh once, in the scene's order, and records the nodes that draw it.
    pub(super) fn new<T>(
        scene: &'s Scene,
        options: &FromSceneOptions<T>,
        drawables: &mut Drawables<'s, '_>,
        budget: &'b Budget,
    ) -> Result<(Self, Vec<Drawable<'s>>), ConvertError> {
        let mut materials = budget.filled("materials", scene.materials.len(), !options.prune)?;
        if options.prune {
            for id in drawables.materials() {
                materials.get_mut(id.0).into_iter().for_each(|used| *used = true);
            }
        }
        let mut instances = budget.reserve::<Instance>("instances", drawables.instances().count())?;
        instances.extend(drawables.instances());
        let names = Names::new(NAMES, options.names, budget);
        let (drawn, free) = (budget.filled("nodes", scene.nodes.len(), Vec::new())?, Vec::new());
        let mut companion = Self { scene, budget, names, materials, drawn, free };
        let (meshes, parts) = companion.meshes(&instances, drawables)?;
        companion.place(&instances, &parts)?;
        Ok((companion, meshes))
    }

    /// Converts all meshes of the companion file. Returns the range of parts of each mesh of the scene.
    fn meshes(
        &self,
        instances: &[Instance],
        drawables: &mut Drawables<'s, '_>,
    ) -> Result<(Vec<Drawable<'s>>, Vec<Range<u32>>), ConvertError> {
        let count = self.scene.meshes.len();
        charge_meshes(count, self.budget)?;
        let mut hung = self.budget.filled("meshes", count, false)?;
        for id in self.scene.nodes.iter().flat_map(|n| &n.meshes) {
            hung.get_mut(id.0).into_iter().for_each(|hung| *hung = true);
        }
        let mut firsts = self.budget.filled("meshes", count, None)?;
        for instance in instances {
            // A mesh that is drawn only by nodes of other levels is not a loose mesh.
            let other = instance.node.is_none() && hung.get(instance.mesh.0) == Some(&true);
            if let Some(first) = firsts.get_mut(instance.mesh.0).filter(|f| f.is_none() && !other) {
                *first = Some(instance);
            }
        }
        let mut meshes = Vec::new();
        let mut parts = self.budget.filled("meshes", count, 0..0)?;
        for (first, parts) in firsts.into_iter().zip(&mut parts) {
            let start = number(meshes.len())?;
            if let Some(instance) = first {
                meshes.append(&mut drawables.make(instance)?);
            }
            *parts = start..number(meshes.len())?;
        }
        Ok((meshes, parts))
    }

    /// Adds every part of a mesh to the nodes that draw it.
    fn place(&mut self, instances: &[Instance], parts: &[Range<u32>]) -> Result<(), ConvertError> {
        self.budget.charge_items("nodes", self.scene.nodes.len() as u64, size_of::<Affine>())?;
        let worlds = self
            .scene
            .world_transforms()
            .ok_or_else(|| ConvertError::invalid("nodes", "parents form a cycle or do not exist"))?;
        for instance in instances {
            let (Some(node), Some(parts)) = (instance.node, parts.get(instance.mesh.0)) else { continue };
            self.budget.charge_items("nodes", parts.len() as u64, size_of::<[u32; 2]>())?;
            // The bones of a skinned mesh determine its position, not its node.
            let skinned = self.scene.meshes.get(instance.mesh.0).is_some_and(Mesh::is_skinned);
            let moved = worlds.get(node.0).is_some_and(|w| *w != Affine::IDENTITY);
            let list = if skinned && moved { Some(&mut self.free) } else { self.drawn.get_mut(node.0) };
            list.into_iter().for_each(|list| list.extend(parts.clone()));
        }
        Ok(())
    }

    pub(super) fn into_metadata(
        mut self,
        meshes: &[Drawable<'_>],
        entries: &[MeshEntry],
        losses: &mut Vec<Loss>,
    ) -> Result<(Metadata, Vec<Option<usize>>), ConvertError> {
        let mut made = Metadata::default();
        let numbers = self.put_materials(&mut made, losses)?;
        self.put_meshes(&mut made, meshes, entries, &numbers, losses)?;
        let nodes = self.put_nodes(&mut made, losses)?;
        self.budget.charge_items("nodes", made.nodes.len() as u64, size_of::<[usize; 4]>())?;
        let deep = made.depths().is_ok_and(|d| d.iter().any(|d| *d >= MAX_NODE_DEPTH));
        if deep {
            let message = format!("more than {MAX_NODE_DEPTH} nodes within each other");
            return Err(ConvertError::unsupported("nodes", message));
        }
        Ok((made, nodes))
    }

    fn name(&mut self, text: &str, path: &str, losses: &mut Vec<Loss>) -> Result<String, ConvertError> {
        let bytes = self.names.fit(text, path, losses)?;
        Ok(String::from_utf8(bytes).unwrap_or_default())
    }

    /// Adds the materials, and returns their numbers.
    fn put_materials(
        &mut self,
        made: &mut Metadata,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<u32>, ConvertError> {
        let scene = self.scene;
        // One more may be needed for meshes without a material.
        let count = scene.materials.len().saturating_add(1);
        made.materials = self.budget.reserve("materials", count)?;
        let mut numbers = self.budget.reserve("materials", count)?;
        let mut named = 0_usize;
        for (i, material) in scene.materials.iter().enumerate() {
            numbers.push(number(made.materials.len())?);
            if self.materials.get(i) != Some(&true) {
                continue;
            }
            let path = format!("materials[{i}]");
            // The loader accepts a texture that does not exist, but every material must name one.
            let texture = texture_of(material);
            named = named.saturating_add(usize::from(texture.is_none()));
            let name = self.name(&material.name, &path, losses)?;
            let diffuse_texture = match texture {
                Some(texture) => self.name(texture, &path, losses)?,
                None => {
                    self.budget.charge("names", name.len() as u64)?;
                    name.clone()
                }
            };
            made.materials
                .push(metadata::Material { name: Some(name), diffuse_texture: Some(diffuse_texture) });
        }
        if named > 0 {
            let message = "materials without a texture name one as they are named themselves";
            losses.push(Loss::note("texture-added", "materials", message).with_count(
                named,
                "material",
                "materials",
            ));
        }
        Ok(numbers)
    }

    fn put_meshes(
        &mut self,
        made: &mut Metadata,
        meshes: &[Drawable<'_>],
        entries: &[MeshEntry],
        numbers: &[u32],
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        made.meshes = self.budget.reserve("meshes", meshes.len())?;
        let plain = number(made.materials.len())?;
        let mut without = 0_usize;
        for (drawable, entry) in meshes.iter().zip(entries) {
            let material = drawable.material().and_then(|m| numbers.get(m.0).copied());
            without = without.saturating_add(usize::from(material.is_none()));
            let name = self.name(&drawable.mesh.name, &drawable.path(), losses)?;
            made.meshes.push(metadata::Mesh {
                name: Some(name),
                offset: entry.offset,
                count: entry.count,
                base_index: entry.base_index,
                min_index: entry.min_index,
                max_index: entry.max_index,
                material_index: material.unwrap_or(plain),
            });
        }
        // Every mesh must have a material.
        if without > 0 {
            let none = Some(String::from("none"));
            made.materials.push(metadata::Material { name: none.clone(), diffuse_texture: none });
            let message = "meshes without a material got one";
            losses.push(Loss::note("material-added", "materials", message).counted(without));
        }
        Ok(())
    }

    /// Adds the nodes below one root, parents first and each tree as a whole. Returns the number of each
    /// node.
    fn put_nodes(
        &mut self,
        made: &mut Metadata,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<Option<usize>>, ConvertError> {
        let (scene, nodes) = (self.scene, self.scene.nodes.len());
        // Memory for the lists of children and the path from the root.
        let each = size_of::<Vec<usize>>().saturating_add(size_of::<[usize; 8]>());
        self.budget.charge_items("nodes", nodes as u64, each)?;
        let mut children = vec![Vec::new(); nodes];
        let mut roots = Vec::new();
        for (i, node) in scene.nodes.iter().enumerate() {
            match node.parent.and_then(|NodeId(p)| children.get_mut(p)) {
                Some(list) => list.push(i),
                None => roots.push(i),
            }
        }
        made.nodes = self.budget.reserve("nodes", nodes.saturating_add(1))?;
        if roots.len() != 1 || !self.free.is_empty() {
            if !roots.is_empty() {
                let message = "the scene has no single root node: a new one was added";
                losses.push(Loss::note("root-added", "nodes", message));
            }
            let meshes = core::mem::take(&mut self.free);
            let transform = Affine::IDENTITY.to_columns().map(f32s);
            made.nodes.push(metadata::Node { transform, meshes, ..metadata::Node::default() });
        }
        let parent = made.nodes.len().checked_sub(1);
        let mut places = self.budget.filled("nodes", nodes, None)?;
        let mut open: Vec<_> = roots.into_iter().rev().map(|root| (root, parent)).collect();
        while let Some((i, parent)) = open.pop() {
            let Some(node) = scene.nodes.get(i) else { continue };
            let here = made.nodes.len();
            places.get_mut(i).into_iter().for_each(|place| *place = Some(here));
            let name = match node.name.as_str() {
                "" => None,
                name => Some(self.name(name, &format!("nodes[{i}]"), losses)?),
            };
            made.nodes.push(metadata::Node {
                name,
                parent,
                transform: node.local.to_affine().to_columns().map(f32s),
                meshes: self.drawn.get_mut(i).map(core::mem::take).unwrap_or_default(),
            });
            open.extend(children.get(i).into_iter().flatten().rev().map(|child| (*child, Some(here))));
        }
        Ok(places)
    }
}

/// Returns the file of a material's texture: the one in the extras from a conversion of this format,
/// otherwise the image file.
pub(super) fn texture_of(material: &Material) -> Option<&str> {
    let kept = match &material.extras {
        Some(Extra::Map(fields)) => fields.iter().find_map(|(key, value)| match value {
            Extra::Text(text) if key == "diffuse_texture" => Some(text.as_str()),
            _ => None,
        }),
        _ => None,
    };
    kept.or_else(|| material.image.as_ref().map(|i| i.name.as_str()))
}

fn number(count: usize) -> Result<u32, LimitExceeded> {
    u32::try_from(count).map_err(|_| LimitExceeded::bytes("numbers of items", count as u64, u32::MAX.into()))
}
