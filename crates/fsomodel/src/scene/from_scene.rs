//! From the exchange model to a model.

use crate::dialect::Dialect;
use crate::metadata::{self, Metadata};
use crate::model::{ChunkId, FsoModel, MeshEntry};
use crate::view::Vertex;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::{F32, f32s};
use meshwright_scene::{
    Affine, ConvertError, Converted, Extra, Loss, Mesh, NodeId, Scene, Space, TextureAxes, texture_axes,
    unit_tangent, vertex_normals,
};

/// What a scene is converted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FsoTarget {
    /// How vertices and indices shall be laid out: as the description says unless said otherwise.
    pub dialect: Dialect,
}

impl FsoTarget {
    /// A target of another dialect.
    pub const fn of(dialect: Dialect) -> Self {
        Self { dialect }
    }
}

impl FsoModel<'static> {
    /// A model of a scene.
    ///
    /// Dialect [`Gl3`](Dialect::Gl3) keeps nodes and materials, in [`metadata`](FsoModel::metadata). The others have
    /// no place for them: there is a mesh for everything that a node draws, with the node's transform applied, and
    /// dialect [`Doc56`](Dialect::Doc56) has a single one.
    pub fn from_scene(scene: &Scene, target: &FsoTarget) -> Result<Converted<Self>, ConvertError> {
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let mut work = Work {
            scene,
            model: Self::new(target.dialect),
            losses: Vec::new(),
            vertices: Vec::new(),
            indices: Vec::new(),
            entries: Vec::new(),
        };
        work.forget();
        if target.dialect == Dialect::Gl3 {
            for (i, mesh) in scene.meshes.iter().enumerate() {
                work.mesh(mesh, &format!("meshes[{i}]"))?;
            }
            work.metadata()?;
        } else {
            let drawn = scene
                .drawn()
                .ok_or_else(|| ConvertError::invalid("nodes", "parents form a cycle or do not exist"))?;
            for (_, id, matrix) in drawn {
                let Some(mesh) = scene.meshes.get(id.0) else { continue };
                work.mesh(&mesh.baked(&matrix), &format!("meshes[{}]", id.0))?;
            }
        }
        work.finish()
    }
}

struct Work<'s> {
    scene: &'s Scene,
    model: FsoModel<'static>,
    losses: Vec<Loss>,
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    entries: Vec<MeshEntry>,
}

impl Work<'_> {
    fn lose(&mut self, lost: bool, code: &'static str, path: &str, message: impl Into<String>) {
        if lost {
            self.losses.push(Loss::new(code, path, message));
        }
    }

    /// What the format has no place for.
    fn forget(&mut self) {
        let (scene, tree) = (self.scene, self.model.dialect == Dialect::Gl3);
        let skinned = scene.meshes.iter().any(Mesh::is_skinned);
        self.lose(
            skinned || !scene.skeletons.is_empty(),
            "skins-dropped",
            "skeletons",
            "the format has no bones",
        );
        self.lose(!scene.clips.is_empty(), "clips-dropped", "clips", "the format has no motions");
        self.lose(
            !scene.levels.is_empty(),
            "levels-merged",
            "levels",
            "all levels of detail are drawn at once",
        );
        let colors = scene.meshes.iter().any(|m| !m.colors.is_empty());
        self.lose(colors, "colors-dropped", "meshes", "the format has no vertex colours");
        if !tree {
            let message = "meshes that no node draws are left out";
            self.lose(scene.undrawn() > 0, "mesh-not-drawn", "meshes", message);
            let message = "node transforms were applied to the vertices";
            self.lose(scene.has_transforms(), "nodes-applied", "nodes", message);
            let message = format!("dialect {} has no materials", self.model.dialect);
            self.lose(!scene.materials.is_empty(), "materials-dropped", "materials", message);
        }
    }

    /// Appends a mesh with its own vertices.
    fn mesh(&mut self, mesh: &Mesh, path: &str) -> Result<(), ConvertError> {
        let base = self.vertices.len();
        let n = mesh.positions.len();
        let flip = self.scene.space == Space::Gltf;
        let wide = self.model.dialect == Dialect::Seed44;
        let beyond = || {
            let bits = if wide { 32 } else { 16 };
            ConvertError::unsupported(path, format!("more vertices than indices of {bits} bits can tell"))
        };
        // Without a mesh table there is no base, so that all vertices share the range of an index.
        let top = if self.model.dialect == Dialect::Doc56 { base.saturating_add(n) } else { n };
        if !wide && top > 0x1_0000 {
            return Err(beyond());
        }
        let base_index = u32::try_from(base).map_err(|_| beyond())?;
        u32::try_from(base.saturating_add(n)).map_err(|_| beyond())?;

        self.lose(mesh.normals.is_empty() && n > 0, "normals-computed", path, "normals from the triangles");
        self.lose(mesh.uvs.is_empty() && n > 0, "uvs-missing", path, "texture coordinates are 0");
        self.lose(
            mesh.tangents.is_empty() && n > 0,
            "tangents-computed",
            path,
            "tangents from the texture coordinates",
        );
        let sides = wide && !mesh.tangents.is_empty();
        self.lose(sides, "handedness-dropped", path, "dialect seed44 has no handedness of tangents");
        let normals = match mesh.normals.is_empty() {
            true => vertex_normals(&mesh.positions, &mesh.triangles),
            false => mesh.normals.clone(),
        };
        let axes = match mesh.tangents.is_empty() && !mesh.uvs.is_empty() {
            true => texture_axes(&mesh.positions, &mesh.uvs, &mesh.triangles),
            false => vec![TextureAxes::default(); n],
        };
        for (i, ((position, normal), axes)) in mesh.positions.iter().zip(normals).zip(axes).enumerate() {
            let [u, v] = mesh.uvs.get(i).copied().unwrap_or([0.0, if flip { 1.0 } else { 0.0 }]);
            let [tx, ty, tz, side] = mesh.tangents.get(i).copied().unwrap_or_else(|| {
                let [x, y, z] = unit_tangent(normal, axes.u);
                // Up in the picture is against the second coordinate where that starts at the top.
                let up = if flip { axes.v.map(|c| -c) } else { axes.v };
                [x, y, z, meshwright_scene::handedness(normal, [x, y, z], up).unwrap_or(1.0)]
            });
            let tangent = [tx, ty, tz];
            self.vertices.push(Vertex {
                position: f32s(*position),
                uv: f32s([u, if flip { 1.0 - v } else { v }, 0.0]),
                normal: f32s(normal),
                tangent: f32s(tangent),
                bitangent: f32s(cross(normal, tangent).map(|c| c * side)),
            });
        }
        let first = self.indices.len();
        let shift = if self.model.dialect == Dialect::Doc56 { base_index } else { 0 };
        self.indices.extend(mesh.triangles.iter().flatten().map(|v| v.saturating_add(shift)));
        let count = u32::try_from(self.indices.len().saturating_sub(first))
            .map_err(|_| ConvertError::unsupported(path, "more indices than 32 bits can count"))?;
        let unit = if wide { 4_u64 } else { 1 };
        let offset = (first as u64).saturating_mul(unit);
        self.entries.push(MeshEntry { offset, count, base_index, ..MeshEntry::default() });
        Ok(())
    }

    /// Nodes and materials, for the dialect that has them.
    fn metadata(&mut self) -> Result<(), ConvertError> {
        let scene = self.scene;
        let mut made = Metadata::default();
        // The loader takes a texture that does not exist, but no material without the name of one.
        let mut named = 0_usize;
        for material in &scene.materials {
            let told = material.extras.as_ref().and_then(texture_of);
            let texture = told.or_else(|| material.image.as_ref().map(|i| i.name.clone()));
            named = named.saturating_add(usize::from(texture.is_none()));
            made.materials.push(metadata::Material {
                name: Some(material.name.clone()),
                diffuse_texture: Some(texture.unwrap_or_else(|| material.name.clone())),
            });
        }
        let message = format!("{named} materials without a texture name one as they are named themselves");
        self.lose(named > 0, "texture-added", "materials", message);
        // Every mesh names a material.
        let plain = u32::try_from(made.materials.len()).unwrap_or(u32::MAX);
        if scene.meshes.iter().any(|m| m.material.is_none()) {
            made.materials
                .push(metadata::Material { name: Some("none".into()), diffuse_texture: Some("none".into()) });
            let message = "meshes without a material got one";
            self.losses.push(Loss::new("material-added", "materials", message));
        }
        for (mesh, entry) in scene.meshes.iter().zip(&self.entries) {
            let material = mesh.material.and_then(|m| u32::try_from(m.0).ok()).unwrap_or(plain);
            made.meshes.push(metadata::Mesh {
                name: Some(mesh.name.clone()),
                offset: entry.offset,
                count: entry.count,
                base_index: entry.base_index,
                material_index: material,
                ..metadata::Mesh::default()
            });
        }
        self.tree(&mut made)?;
        let bad = made.depths().ok().and_then(|d| d.iter().position(|d| *d >= metadata::MAX_NODE_DEPTH));
        if bad.is_some() {
            let message = format!("more than {} nodes within each other", metadata::MAX_NODE_DEPTH);
            return Err(ConvertError::unsupported("nodes", message));
        }
        self.model.metadata = Some(made);
        Ok(())
    }

    /// The nodes, parents first, each tree as a whole, below one root.
    fn tree(&mut self, made: &mut Metadata) -> Result<(), ConvertError> {
        let scene = self.scene;
        let mut children = vec![Vec::new(); scene.nodes.len()];
        let mut roots = Vec::new();
        for (i, node) in scene.nodes.iter().enumerate() {
            match node.parent.and_then(|NodeId(p)| children.get_mut(p)) {
                Some(list) => list.push(i),
                None => roots.push(i),
            }
        }
        if roots.len() != 1 {
            made.nodes
                .push(metadata::Node { transform: columns(&Affine::IDENTITY), ..metadata::Node::default() });
            self.lose(roots.len() > 1, "root-added", "nodes", "several roots hang from a new one");
        }
        let parent = made.nodes.len().checked_sub(1);
        let mut open: Vec<_> = roots.into_iter().rev().map(|root| (root, parent)).collect();
        while let Some((i, parent)) = open.pop() {
            let Some(node) = scene.nodes.get(i) else { continue };
            let number = made.nodes.len();
            let meshes: Option<Vec<_>> = node.meshes.iter().map(|m| u32::try_from(m.0).ok()).collect();
            made.nodes.push(metadata::Node {
                name: Some(node.name.clone()).filter(|n| !n.is_empty()),
                parent,
                transform: columns(&node.local.to_affine()),
                meshes: meshes
                    .ok_or_else(|| ConvertError::unsupported("meshes", "more meshes than 32 bits count"))?,
            });
            open.extend(children.get(i).into_iter().flatten().rev().map(|child| (*child, Some(number))));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Converted<FsoModel<'static>>, ConvertError> {
        self.model.set_vertices(&self.vertices);
        if self.model.set_indices(&self.indices).is_err() {
            return Err(ConvertError::unsupported("indices", "an index exceeds the dialect's 16 bits"));
        }
        match self.model.dialect {
            Dialect::Seed44 => self.model.set_meshes(&self.entries),
            Dialect::Doc56 => {
                let merged = self.entries.len() > 1;
                self.lose(merged, "meshes-merged", "meshes", "dialect doc56 has no mesh table");
            }
            Dialect::Gl3 => {}
        }
        self.model.fix_extents();
        debug_assert!(self.model.chunk(ChunkId::VDAT).is_some());
        Ok(Converted::new(self.model, self.losses))
    }
}

fn cross([a, b, c]: [f32; 3], [d, e, f]: [f32; 3]) -> [f32; 3] {
    [b * f - c * e, c * d - a * f, a * e - b * d]
}

fn columns(m: &Affine) -> [[F32; 4]; 4] {
    m.to_columns().map(f32s)
}

/// The texture file that a conversion to the exchange model left in a material's extras.
fn texture_of(extras: &Extra) -> Option<String> {
    let Extra::Map(fields) = extras else { return None };
    fields.iter().find_map(|(key, value)| match value {
        Extra::Text(text) if key == "diffuse_texture" => Some(text.clone()),
        _ => None,
    })
}
