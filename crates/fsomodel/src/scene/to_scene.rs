//! Converts a model to a scene.

use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::metadata::{self, Node};
use crate::model::FsoModel;
use crate::ranges::{MeshRange, Table, gaps, within};
use crate::rules::offsets::FieldLocations;
use crate::rules::structure;
use crate::view::Vertices;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use meshwright_core::{Findings, values};
use meshwright_scene::{
    Affine, Budget, ConvertError, Converted, Extra, LimitExceeded, Local, Loss, Material, MaterialId, Mesh,
    MeshId, NodeId, Scene, SceneOptions, Space, handedness, normalize, texture_axes, unit_tangent,
};

/// Normalising a vector whose length differs from 1 by more than this is reported as a change.
const TOLERANCE: f32 = 1e-2;

const VERTICES: [&str; 2] = ["vertex", "vertices"];
const NORMALS: [&str; 2] = ["normal", "normals"];
const TANGENTS: [&str; 2] = ["tangent", "tangents"];
const INDICES: [&str; 2] = ["index", "indices"];

impl FsoModel<'_> {
    /// Converts the model to a scene: a mesh for every range, with the vertices that it spans; the nodes and
    /// materials of the companion file, or a node for every mesh without one.
    ///
    /// Axes and winding are glTF's already. In [`Space::Gltf`] texture coordinates start at the top left. The
    /// handedness of a tangent is that of the stored bitangent; the description's dialect has none, so that the
    /// texture coordinates decide it. If neither decides it, it is 1, and a note counts these cases.
    ///
    /// # Errors
    /// If the model breaks a rule of a strict reader, or if the scene would take more than the limits allow.
    pub fn to_scene(&self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        let budget = options.budget();
        let indices = self.indices();
        budget.charge("extents", Extents::memory(indices.len()))?;
        let extents = Extents::new(indices);
        let (places, findings) = (FieldLocations::as_written(self), &mut Findings::writing());
        structure::check_chunks(self, &places, findings)
            .and_then(|()| structure::check_ranges(self, &extents, &places, findings))
            .and_then(|()| self.metadata.as_ref().map_or(Ok(()), |m| metadata::rules::check(m, findings)))
            .map_err(|e| ConvertError::invalid(e.path().to_string(), e.message()))?;
        let scene = Scene::default().in_space(options.space);
        let mut work = SceneConversion { model: self, options, budget, scene, losses: Vec::new() };
        work.materials()?;
        let table = self.table();
        let each = size_of::<Mesh>().saturating_add(size_of::<meshwright_scene::Node>()).saturating_add(64);
        work.budget.charge_items("meshes", table.len() as u64, each)?;
        for i in 0..table.len() {
            let Some(range) = table.get(i) else { break };
            work.mesh(i, &range, &extents)?;
        }
        work.nodes()?;
        work.report_missing_table();
        work.forget_unused(&extents)?;
        work.forget_chunks();
        Ok(Converted::new(work.scene, work.losses))
    }
}

struct SceneConversion<'m> {
    model: &'m FsoModel<'m>,
    options: &'m SceneOptions,
    budget: Budget,
    scene: Scene,
    losses: Vec<Loss>,
}

impl SceneConversion<'_> {
    fn lose(&mut self, loss: Loss, count: usize, [one, several]: [&'static str; 2]) {
        if count > 0 {
            self.losses.push(loss.with_count(count, one, several));
        }
    }

    /// Charges the bytes of a name for its copy in the scene.
    fn charge_name(&self, name: Option<&String>) -> Result<(), LimitExceeded> {
        self.budget.charge("names", name.map_or(0, |n| n.len() as u64))
    }

    fn gltf(&self) -> bool {
        self.options.space == Space::Gltf
    }

    fn materials(&mut self) -> Result<(), ConvertError> {
        let Some(metadata) = &self.model.metadata else { return Ok(()) };
        self.budget.charge_items("materials", metadata.materials.len() as u64, size_of::<Material>())?;
        let mut dropped = 0_usize;
        for material in &metadata.materials {
            self.charge_name(material.name.as_ref())?;
            self.charge_name(material.diffuse_texture.as_ref())?;
            let name =
                material.name.as_ref().or(material.diffuse_texture.as_ref()).cloned().unwrap_or_default();
            let texture = material.diffuse_texture.as_ref();
            dropped = dropped.saturating_add(usize::from(texture.is_some() && !self.options.extras));
            let extras = texture
                .filter(|_| self.options.extras)
                .map(|t| Extra::Map(Vec::from([("diffuse_texture".into(), Extra::from(t.clone()))])));
            self.scene.materials.push(Material::named(name).with_extras(extras));
        }
        let loss = Loss::new("texture-names-dropped", "materials", "materials name a texture file");
        self.lose(loss.kept_in_extras(), dropped, ["material", "materials"]);
        Ok(())
    }

    fn mesh(&mut self, i: usize, range: &MeshRange, extents: &Extents<'_>) -> Result<(), ConvertError> {
        let named = self.model.metadata.as_ref().and_then(|m| m.meshes.get(i));
        self.charge_name(named.and_then(|n| n.name.as_ref()))?;
        let name = named.and_then(|n| n.name.clone()).unwrap_or_default();
        let material = named.map(|n| MaterialId(n.material_index as usize));
        let mut mesh = Mesh::default().with_name(name).with_material(material);
        let path = || format!("meshes[{i}]");
        let indices = self.model.indices();
        let (first, end) = within(range, indices.len()).unwrap_or_default();
        if let Some((low, high)) = extents.between(first, end) {
            let (start, behind) = range.span((low, high));
            let span = self.model.vertices().slice(start, behind);
            let part = indices.slice(first, end);
            mesh.triangles = self.budget.reserve("triangles", part.len() / 3)?;
            let mut corners = part.iter().map(|v| v.saturating_sub(low));
            while let (Some(a), Some(b), Some(c)) = (corners.next(), corners.next(), corners.next()) {
                mesh.triangles.push([a, b, c]);
            }
            self.vertices(&mut mesh, span, &path())?;
        }
        let left = usize::try_from(range.count % 3).unwrap_or(0);
        let loss = Loss::new("indices-left-over", path(), "indices after the last whole triangle");
        self.lose(loss, left, INDICES);
        self.scene.meshes.push(mesh);
        Ok(())
    }

    fn vertices(&mut self, mesh: &mut Mesh, span: Vertices<'_>, path: &str) -> Result<(), ConvertError> {
        let n = span.len();
        mesh.positions = self.budget.reserve("positions", n)?;
        mesh.normals = self.budget.reserve("normals", n)?;
        mesh.uvs = self.budget.reserve("uvs", n)?;
        mesh.tangents = self.budget.reserve("tangents", n)?;
        let gltf = self.gltf();
        let [mut broken, mut odd, mut directionless, mut thirds] = [0_usize; 4];
        for vertex in span.iter() {
            let (mut p, [u, v, w]) = (values(vertex.position), values(vertex.uv));
            let (mut uv, mut normal) = (if gltf { [u, 1.0 - v] } else { [u, v] }, values(vertex.normal));
            thirds = thirds.saturating_add(usize::from(w != 0.0));
            let mend = |c: f32| if c.is_finite() { c } else { 0.0 };
            let checked = if gltf {
                p.iter().chain(&uv).all(|c| c.is_finite())
            } else {
                p.iter().all(|c| c.is_finite())
            };
            if !checked {
                broken = broken.saturating_add(1);
                p = p.map(mend);
                uv = if gltf { uv.map(mend) } else { uv };
            }
            if gltf {
                let square: f32 = normal.iter().map(|c| c * c).sum();
                match normalize(normal) {
                    Some(unit) => {
                        odd = odd.saturating_add(usize::from((square - 1.0).abs() > 2.0 * TOLERANCE));
                        normal = unit;
                    }
                    None => {
                        directionless = directionless.saturating_add(1);
                        normal = [0.0, 0.0, 1.0];
                    }
                }
            }
            mesh.positions.push(p);
            mesh.uvs.push(uv);
            mesh.normals.push(normal);
        }
        let message = "positions or texture coordinates were not finite, now 0";
        self.lose(Loss::new("position-not-finite", path, message), broken, VERTICES);
        let loss = Loss::note("normals-scaled", path, "normals were scaled to length 1");
        self.lose(loss, odd, NORMALS);
        let loss = Loss::note("normals-replaced", path, "normals without direction are now +Z");
        self.lose(loss, directionless, NORMALS);
        let loss = Loss::new("uv-third-dropped", path, "third texture coordinates that are not 0");
        self.lose(loss, thirds, VERTICES);
        self.tangents(mesh, span, path)
    }

    fn tangents(&mut self, mesh: &mut Mesh, span: Vertices<'_>, path: &str) -> Result<(), ConvertError> {
        let gltf = self.gltf();
        let axes = if self.model.dialect == Dialect::Seed44 {
            self.budget.charge_items("texture axes", mesh.positions.len() as u64, 72)?;
            texture_axes(&mesh.positions, &mesh.uvs, &mesh.triangles)
        } else {
            Vec::new()
        };
        let (mut guessed, mut odd) = (0_usize, 0_usize);
        for (i, (vertex, normal)) in span.iter().zip(&mesh.normals).enumerate() {
            let mut t = values(vertex.tangent);
            if gltf {
                let unit = normalize(t).unwrap_or_else(|| unit_tangent(*normal, t));
                let same = unit.iter().zip(t).all(|(a, b)| (a - b).abs() <= TOLERANCE);
                odd = odd.saturating_add(usize::from(!same));
                t = unit;
            }
            // Up in the image is along the second coordinate, unless that was flipped.
            let up = match axes.get(i) {
                Some(axes) if gltf => axes.v.map(|c| -c),
                Some(axes) => axes.v,
                None => values(vertex.bitangent),
            };
            let side = handedness(*normal, t, up);
            guessed = guessed.saturating_add(usize::from(side.is_none()));
            let [x, y, z] = t;
            mesh.tangents.push([x, y, z, side.unwrap_or(1.0)]);
        }
        if guessed > 0 {
            let message = "tangents whose side nothing shows, taken as 1";
            self.lose(Loss::note("tangent-handedness", path, message), guessed, TANGENTS);
        }
        self.lose(Loss::note("tangent-length", path, "tangents were scaled to length 1"), odd, TANGENTS);
        Ok(())
    }

    fn nodes(&mut self) -> Result<(), ConvertError> {
        let nodes = self.model.metadata.as_ref().map(|m| m.nodes.as_slice()).unwrap_or_default();
        if nodes.is_empty() {
            for (i, mesh) in self.scene.meshes.iter().enumerate() {
                self.charge_name(Some(&mesh.name))?;
                self.scene.nodes.push(meshwright_scene::Node::of_mesh(mesh.name.clone(), MeshId(i)));
            }
            return Ok(());
        }
        self.budget.charge_items("nodes", nodes.len() as u64, size_of::<meshwright_scene::Node>())?;
        let mut projective = 0_usize;
        for node in nodes {
            self.charge_name(node.name.as_ref())?;
            self.budget.charge_items("nodes", node.meshes.len() as u64, size_of::<MeshId>())?;
            let (local, affine) = transform(node);
            projective = projective.saturating_add(usize::from(!affine));
            self.scene.nodes.push(meshwright_scene::Node {
                name: node.name.clone().unwrap_or_default(),
                parent: node.parent.map(NodeId),
                local,
                meshes: node.meshes.iter().map(|m| MeshId(*m as usize)).collect(),
                extras: None,
            });
        }
        let message = "matrices whose last row is not 0 0 0 1";
        self.lose(Loss::new("projection-dropped", "nodes", message), projective, ["node", "nodes"]);
        Ok(())
    }

    /// Reports that the table of meshes is missing. Base indices are then unknown, and all indices count
    /// from the first vertex.
    fn report_missing_table(&mut self) {
        let (indices, dialect) = (self.model.indices().len(), self.model.dialect);
        if indices > 0 && dialect != Dialect::Doc56 && matches!(self.model.table(), Table::Missing(_)) {
            let message = format!(
                "the table of meshes is missing: all {indices} indices are taken as one mesh from the first vertex on"
            );
            self.losses.push(Loss::new("mesh-table-missing", "meshes", message));
        }
    }

    /// Reports vertices and indices that no mesh uses.
    fn forget_unused(&mut self, extents: &Extents<'_>) -> Result<(), ConvertError> {
        let table = self.model.table();
        let (indices, vertices) = (self.model.indices().len(), self.model.vertices().len());
        self.budget.charge_items("ranges", table.len() as u64, size_of::<[(usize, usize); 2]>())?;
        let (mut drawn, mut spanned) = (Vec::new(), Vec::new());
        for i in 0..table.len() {
            let Some(range) = table.get(i) else { break };
            let Some((first, end)) = within(&range, indices) else { continue };
            drawn.push((first, end));
            if let Some(extent) = extents.between(first, end) {
                spanned.push(range.span(extent));
            }
        }
        let unused = gaps(&mut drawn, indices).0;
        self.lose(Loss::new("indices-unused", "indices", "indices that no mesh draws"), unused, INDICES);
        let unused = gaps(&mut spanned, vertices).0;
        let loss = Loss::new("vertices-unused", "vertices", "vertices outside of what meshes span");
        self.lose(loss, unused, VERTICES);
        Ok(())
    }

    /// Reports data that the scene cannot hold.
    fn forget_chunks(&mut self) {
        let dialect = self.model.dialect;
        let unknown = self.model.unknown().count();
        let loss = Loss::new("chunks-dropped", "chunks", "chunks of unknown kinds");
        self.lose(loss, unknown, ["chunk", "chunks"]);
        if dialect != Dialect::Seed44 && !self.model.vertices().is_empty() {
            let message = "of bitangents only the side is kept";
            self.losses.push(Loss::new("bitangents-dropped", "vertices", message));
        }
    }
}

/// Returns a node's matrix, and whether it is affine.
fn transform(node: &Node) -> (Local, bool) {
    let [x, y, z, w] = node.transform.map(values);
    let three = |[a, b, c, _]: [f32; 4]| [a, b, c];
    let matrix = Affine { x: three(x), y: three(y), z: three(z), w: three(w) };
    let last = [x, y, z, w].map(|[.., d]| d);
    let local = if matrix == Affine::IDENTITY { Local::default() } else { Local::Affine(matrix) };
    (local, last == [0.0, 0.0, 0.0, 1.0])
}
