//! Converts a model to a scene.

use super::axes::axes;
use super::clips::{self, Bases};
use super::names::text;
use crate::model::{Bmd, Mesh as BmdMesh, Name, identity};
use crate::pose::Pose;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{length, narrow, narrow1, normalize, wide};
use meshwright_core::num::{F8A, St14Form};
use meshwright_core::{FileFormat, SortedMap, SortedSet};
use meshwright_scene::color::linear;
use meshwright_scene::{
    AxisMap, Budget, ConvertError, Converted, Extra, Influence, Joint, Level, Local, LocalVertex, Loss,
    Material, MaterialId, Mesh, MeshId, Node, NodeId, Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space,
    Trs,
};

/// The bone of a vertex whose bone does not exist. A strict reader rejects such vertices in a skeletal
/// model.
const BASE: usize = 0;
/// The memory of the extras of a level and of a mesh: three and two names with numbers.
const LOD_EXTRAS: usize = 4 * size_of::<(String, Extra)>() + 32;
/// The maximum memory of a vertex of a solid.
const SOLID_VERTEX: u64 = 160;
const MESH_EXTRAS: usize = 2 * size_of::<(String, Extra)>() + 32;

impl Bmd {
    /// Converts the model to a scene. The texture coordinates of 128-bit vertices have the form that
    /// [`st_form`](Self::st_form) returns.
    ///
    /// *Axes and units*: Z up becomes Y up, the model's front becomes +Z, and 40 units become a metre.
    ///
    /// *Colours*: the engine brings `#RRGGBB` times the shade to the screen unchanged. In glTF space, a mesh
    /// without vertex colours gets its flat colour as the material's base colour, in linear light. Other
    /// meshes get a white material and vertex colours that include the flat colour, as display bytes on the
    /// sRGB curve. In file space all meshes have vertex colours that include the flat colour.
    ///
    /// *Pseudo-bones*: in file space they are joints that follow others. glTF has no such joints, so each
    /// bone that the pseudo-bone follows gets a helper joint, a child that does not move and has the
    /// pseudo-bone's bind matrix. Vertices weighted over the helpers move exactly as with the mean of the
    /// matrices.
    ///
    /// *Animations*: keys of the file. In glTF space there are more keys at whole frames where a great arc
    /// between two keys, or the end of a loop, would differ.
    ///
    /// *Levels of detail* are levels of the scene. Meshes that are not drawn are in the scene without a
    /// node. *Solids* of bones become solids of joints, each bound only to its joint; they get nodes if the
    /// options ask for them.
    ///
    /// # Errors
    /// If bones form a cycle or have missing parents, or if the scene would take more than the options
    /// allow.
    pub fn to_scene(&self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        self.to_scene_as(options, self.st_form())
    }

    /// Converts the model to a scene, with a given form of the texture coordinates of 128-bit vertices.
    ///
    /// # Errors
    /// As [`to_scene`](Self::to_scene).
    pub fn to_scene_as(
        &self,
        options: &SceneOptions,
        form: St14Form,
    ) -> Result<Converted<Scene>, ConvertError> {
        let pose = self
            .rest()
            .ok_or_else(|| ConvertError::invalid("bones", "parents are missing or form a cycle"))?
            .pose(0.0);
        let mut export = Export {
            model: self,
            options,
            axes: axes(options.space),
            budget: options.budget(),
            form,
            pose,
            losses: Vec::new(),
            materials: SortedMap::new(),
            known: SortedMap::new(),
            scene: Scene::default().in_space(options.space).with_format(<Bmd as FileFormat>::ID),
            pseudo: Vec::new(),
            bounded: None,
        };
        export.skeleton()?;
        export.meshes()?;
        export.solids()?;
        export.nodes()?;
        export.clips()?;
        export.extras()?;
        Ok(Converted::new(export.scene, export.losses))
    }
}

struct Export<'m> {
    model: &'m Bmd,
    options: &'m SceneOptions,
    axes: AxisMap,
    budget: Budget,
    form: St14Form,
    pose: Pose,
    losses: Vec<Loss>,
    /// Materials by name, and by whether the vertex colours include the flat colour.
    materials: SortedMap<(Name, bool), MaterialId>,
    /// Materials by the address of the name, so that a long name that many meshes share is not compared each
    /// time.
    known: SortedMap<(usize, bool), MaterialId>,
    scene: Scene,
    /// The helper joints of each pseudo-bone with their weights, which sum to 1.
    pseudo: Vec<Vec<(usize, f32)>>,
    /// The bone of the solid that is being converted; all its vertices are bound to it.
    bounded: Option<u8>,
}

impl Export<'_> {
    fn loss(&mut self, code: &'static str, path: impl Into<String>, message: impl Into<String>) {
        self.losses.push(Loss::new(code, path, message));
    }

    fn is_gltf(&self) -> bool {
        self.options.space == Space::Gltf
    }

    /// Returns a bone's name. glTF identifies nodes by name, so in glTF space a bone without a name gets
    /// one.
    fn bone_name(&self, bone: usize) -> Result<String, ConvertError> {
        Ok(match self.model.bones.get(bone).and_then(|b| b.name.as_ref()) {
            Some(name) => text(name, &self.budget)?,
            None if !self.is_gltf() => String::new(),
            None if bone == 0 => "base".into(),
            None => format!("bone_{bone}"),
        })
    }

    fn skeleton(&mut self) -> Result<(), ConvertError> {
        let model = self.model;
        if model.bones.is_empty() {
            return Ok(());
        }
        let normal = model.normal_bones();
        let mut joints = self.budget.reserve::<Joint>("joints", model.bones.len())?;
        for (i, bone) in model.bones.iter().enumerate().take(normal) {
            let base = crate::pose::Base::decode(bone);
            let rest = if i == 0 {
                Trs::IDENTITY
            } else {
                self.axes.trs(&Trs {
                    translation: narrow(base.origin),
                    rotation: narrow(base.rotation),
                    scale: [1.0; 3],
                })
            };
            let parent = (i > 0).then_some(usize::from(bone.parent));
            joints.push(Joint::new(self.bone_name(i)?, parent, Local::Trs(rest)));
        }
        let mut skeleton = Skeleton { name: String::new(), joints };
        for i in normal..model.bones.len() {
            self.follower(i, &mut skeleton)?;
        }
        let singular = skeleton
            .bind_rest()
            .ok_or_else(|| ConvertError::invalid("bones", "parents are missing or form a cycle"))?;
        if !singular.is_empty() {
            self.loss("bind-singular", "bones", format!("{} bones have no inverse", singular.len()));
        }
        if self.is_gltf() {
            self.bind_helpers(normal, &mut skeleton);
        }
        self.scene.skeletons.push(skeleton);
        Ok(())
    }

    /// Returns the bones that a pseudo-bone follows, with weights that sum to 1.
    fn followed(&self, bone: usize) -> Vec<(usize, f32)> {
        let Some(bone) = self.model.bones.get(bone) else { return Vec::new() };
        let parts = bone.transform.followed();
        let total: f64 = parts.iter().map(|p| f64::from(p.1.decode())).sum();
        let share = |w: F8A| narrow1(f64::from(w.decode()) / total);
        parts.iter().filter(|p| p.1.decode() != 0.0).map(|p| (usize::from(p.0), share(p.1))).collect()
    }

    fn follower(&mut self, bone: usize, skeleton: &mut Skeleton) -> Result<(), ConvertError> {
        let parts = self.followed(bone);
        let name = self.bone_name(bone)?;
        if !self.is_gltf() {
            let mut joint = Joint::new(name, None, Local::default());
            joint.follows = parts;
            skeleton.joints.push(joint);
            return Ok(());
        }
        let mut helpers = Vec::with_capacity(parts.len());
        for (id, weight) in parts {
            self.budget.charge("joints", size_of::<Joint>() as u64)?;
            self.budget.charge("names", name.len() as u64)?;
            let helper = format!("{name}@{}", self.bone_name(id)?);
            helpers.push((skeleton.joints.len(), weight));
            skeleton.joints.push(Joint::new(helper, Some(id), Local::default()));
        }
        self.pseudo.push(helpers);
        Ok(())
    }

    /// Gives helper joints the bind matrices of their pseudo-bones.
    fn bind_helpers(&mut self, normal: usize, skeleton: &mut Skeleton) {
        for (k, helpers) in self.pseudo.iter().enumerate() {
            let bone = normal.saturating_add(k);
            let path = format!("bones[{bone}]");
            let rest = self.pose.matrices().get(bone).map(|m| self.axes.affine(&m.narrow()));
            let Some(inverse) = rest.and_then(|m| m.inverse()) else {
                let message = "a pseudo-bone whose rest matrix has no inverse moves its vertices wrongly";
                self.losses.push(Loss::new("pseudo-bone-singular", path, message));
                continue;
            };
            for (helper, _) in helpers {
                if let Some(joint) = skeleton.joints.get_mut(*helper) {
                    joint.inverse_bind = inverse;
                }
            }
            let loss = Loss::note("pseudo-bone", path, "a pseudo-bone became helper joints");
            self.losses.push(loss.with_count(helpers.len(), "joint", "joints"));
        }
    }

    fn meshes(&mut self) -> Result<(), ConvertError> {
        let model = self.model;
        let mut legacy = false;
        let extras = if self.options.extras { MESH_EXTRAS } else { 0 };
        self.budget.charge_items("extras", model.meshes.len() as u64, extras)?;
        self.scene.meshes = self.budget.reserve("meshes", model.meshes.len())?;
        for (i, mesh) in model.meshes.iter().enumerate() {
            let converted = self.mesh(i, mesh)?;
            legacy |= mesh.vertices.iter().any(|v| v.st14().is_some());
            self.scene.meshes.push(converted);
        }
        if legacy && self.form == St14Form::Legacy {
            let message = "texture coordinates of 128-bit vertices were read in the old form";
            self.losses.push(Loss::note("st-form", "meshes", message));
        }
        Ok(())
    }

    fn mesh(&mut self, i: usize, mesh: &BmdMesh) -> Result<Mesh, ConvertError> {
        let n = mesh.vertices.len();
        let path = format!("meshes[{i}]");
        let flat = mesh.flat_color();
        let axes = self.axes;
        let mut positions = self.budget.filled("positions", n, [0.0; 3])?;
        let mut normals = self.budget.filled("normals", n, [0.0; 3])?;
        let mut uvs = self.budget.filled("texture coordinates", n, [0.0; 2])?;
        mesh.fill_vertices(self.form, &mut positions, &mut normals, &mut uvs);
        for (p, bone) in positions.iter_mut().zip(mesh.bones()) {
            *p = axes.point(self.pose.point(self.bounded.unwrap_or(bone), *p));
        }
        self.turn_normals(&mut normals, mesh, &path);
        // Without a texture, coordinates of 0 need not be stored.
        if self.is_gltf() && flat.is_some() && uvs.iter().flatten().all(|c| *c == 0.0) {
            uvs = Vec::new();
        }
        let tinted = !self.is_gltf() || mesh.vertices.iter().any(|v| v.color().is_some_and(|c| c != 0x0f));
        let mut colors = Vec::new();
        if tinted {
            colors = self.budget.reserve("colours", n)?;
            colors.extend(mesh.colors());
        }
        let mut triangles = self.budget.reserve("triangles", mesh.triangles().count())?;
        triangles.extend(mesh.triangles().map(|t| axes.triangle(t)));
        let material = mesh.material.as_ref().map(|name| self.material(name, flat, tinted)).transpose()?;
        let skin = if self.model.bones.is_empty() { None } else { Some(self.skin(mesh)?) };
        let extras = self.options.extras.then(|| {
            // The other flags follow from the lists.
            let flags = ("flags".into(), mesh.flags.unknown().into());
            let quads = mesh.primitives.iter().filter(|p| p.kind().is_quad()).count();
            Extra::Map(alloc::vec![flags, ("quads".into(), u32::try_from(quads).unwrap_or(u32::MAX).into())])
        });
        Ok(Mesh::new("", positions, triangles)
            .with_material(material)
            .with_normals(normals)
            .with_uvs(uvs)
            .with_colors(colors)
            .with_skin(skin)
            .with_extras(extras))
    }

    /// Transforms the stored normals to the rest pose.
    fn turn_normals(&mut self, normals: &mut [[f32; 3]], mesh: &BmdMesh, path: &str) {
        let (mut zero, mut longest) = (0_usize, 0.0_f64);
        for (normal, bone) in normals.iter_mut().zip(mesh.bones()) {
            let n = self.axes.direction(self.pose.vector(self.bounded.unwrap_or(bone), *normal));
            *normal = if !self.is_gltf() {
                n
            } else if let Some(unit) = normalize(n) {
                longest = longest.max((length(wide(n)) - 1.0).abs());
                unit
            } else {
                zero = zero.saturating_add(1);
                [0.0, 1.0, 0.0]
            };
        }
        if zero > 0 {
            let loss = Loss::note("normals-replaced", path, "normals without direction point up");
            self.losses.push(loss.with_count(zero, "normal", "normals"));
        }
        if longest > 1e-3 {
            let loss = Loss::note("normals-scaled", path, "normals were scaled to length 1");
            self.losses.push(loss.with_amount(longest, "off"));
        }
    }

    fn material(
        &mut self,
        name: &Name,
        flat: Option<[u8; 3]>,
        tinted: bool,
    ) -> Result<MaterialId, ConvertError> {
        let place = (name.identity(), tinted);
        if let Some(id) = self.known.get(&place) {
            return Ok(*id);
        }
        let id = match self.materials.get(&(name.clone(), tinted)) {
            Some(id) => *id,
            None => {
                self.budget.charge("materials", size_of::<Material>() as u64)?;
                let base = if tinted { [255; 3] } else { flat.unwrap_or([255; 3]) };
                let [r, g, b] = base.map(linear);
                self.scene
                    .materials
                    .push(Material::named(text(name, &self.budget)?).with_base_color([r, g, b, 1.0]));
                let id = MaterialId(self.scene.materials.len().saturating_sub(1));
                self.materials.insert((name.clone(), tinted), id);
                id
            }
        };
        self.known.insert(place, id);
        Ok(id)
    }

    fn skin(&self, mesh: &BmdMesh) -> Result<Skin, ConvertError> {
        let n = mesh.vertices.len();
        let normal = self.model.normal_bones();
        let material = mesh.material_kind();
        let helpers = |bone: usize| bone.checked_sub(normal).and_then(|k| self.pseudo.get(k));
        let on = |b: u8| usize::from(self.bounded.unwrap_or(b));
        let count: usize = mesh.bones().map(|b| helpers(on(b)).map_or(1, Vec::len)).sum();
        self.budget.charge_items("skin", (n as u64).saturating_add(1), size_of::<u32>())?;
        let mut skin = Skin::new(SkeletonId(0));
        skin.starts.reserve(n);
        skin.influences = self.budget.reserve("influences", count)?;
        let stored = !self.options.bind_only;
        skin.local = self.budget.reserve("influences", if stored { count } else { 0 })?;
        for v in mesh.vertices.iter() {
            let bone = Some(on(v.bone())).filter(|b| *b < self.model.bones.len()).unwrap_or(BASE);
            let position = self.axes.point(v.position());
            let normal = self.axes.direction(v.normal(material));
            let mut influence = |joint: usize, weight: f32| {
                let joint = u32::try_from(joint).unwrap_or(u32::MAX);
                skin.influences.push(Influence { joint, weight });
                let scaled = |v: [f32; 3]| v.map(|c| c * weight);
                if stored {
                    skin.local.push(LocalVertex { position: scaled(position), normal: scaled(normal) });
                }
            };
            match helpers(bone) {
                Some(parts) => parts.iter().for_each(|(joint, weight)| influence(*joint, *weight)),
                None => influence(bone, 1.0),
            }
            skin.end_vertex();
        }
        Ok(skin)
    }

    /// Attaches the mesh of a solid to its bone. The converted mesh is used if all of its vertices are bound
    /// to the bone already, or if nothing else needs it; otherwise a copy is made.
    fn solids(&mut self) -> Result<(), ConvertError> {
        let model = self.model;
        let mut taken = drawn_meshes(model);
        let mut dropped = 0;
        for (i, bone) in model.bones.iter().enumerate() {
            let Some(mesh) = model.solid(i) else { continue };
            let (solid, Ok(id)) = (usize::from(bone.solid), u8::try_from(i)) else { continue };
            let normal = model.normal_bones();
            // In glTF a pseudo-bone has no joint of its own, so its first helper is used.
            let helper = i.checked_sub(normal).and_then(|k| self.pseudo.get(k)).and_then(|h| h.first());
            let joint = helper.map_or(i, |h| h.0);
            let settled = mesh.bones().all(|b| b == id);
            let place = match taken.get_mut(solid) {
                _ if settled => Some(solid),
                Some(taken) if !*taken => {
                    *taken = true;
                    Some(solid)
                }
                _ => None,
            };
            if !settled {
                // Each copy is charged, however many bones share the solid.
                let size = (mesh.vertices.len() as u64).saturating_mul(SOLID_VERTEX);
                if size.saturating_mul(2) > self.budget.remaining() {
                    dropped += 1;
                    continue;
                }
                self.bounded = Some(id);
                let made = self.mesh(solid, mesh);
                self.bounded = None;
                let made = made?;
                match place.and_then(|p| self.scene.meshes.get_mut(p)) {
                    Some(slot) => *slot = made,
                    None => self.scene.meshes.push(made.with_name(format!("solid_{i}"))),
                }
            }
            let place = place.unwrap_or(self.scene.meshes.len().saturating_sub(1));
            let joint = self.scene.skeletons.first_mut().and_then(|s| s.joints.get_mut(joint));
            if let Some(joint) = joint {
                joint.solid = Some(MeshId(place));
            }
        }
        if dropped > 0 {
            let message = "bones share a solid too large to be made for each; they have none";
            self.losses.push(Loss::new("solids-dropped", "bones", message).counted(dropped));
        }
        Ok(())
    }

    fn nodes(&mut self) -> Result<(), ConvertError> {
        let model = self.model;
        self.budget.charge_items("nodes", model.meshes.len() as u64, size_of::<Node>())?;
        let mut node_of: Vec<Option<NodeId>> = alloc::vec![None; model.meshes.len()];
        let drawn = drawn_meshes(model);
        for (i, shown) in drawn.iter().enumerate() {
            if *shown {
                let id = NodeId(self.scene.nodes.len());
                self.scene.nodes.push(Node::of_mesh("", MeshId(i)));
                if let Some(slot) = node_of.get_mut(i) {
                    *slot = Some(id);
                }
            }
        }
        let joints = self.scene.skeletons.iter().flat_map(|s| &s.joints);
        let solids: SortedSet<usize> = joints.filter_map(|j| j.solid).map(|m| m.0).collect();
        let mut shown = Vec::new();
        for i in solids.iter().copied().filter(|_| self.options.solids) {
            if drawn.get(i) != Some(&true) {
                self.budget.charge("nodes", size_of::<Node>() as u64)?;
                let name = self.scene.meshes.get(i).map(|m| m.name.clone()).unwrap_or_default();
                shown.push(NodeId(self.scene.nodes.len()));
                self.scene.nodes.push(Node::of_mesh(name, MeshId(i)));
            }
        }
        let hidden = drawn.iter().enumerate().filter(|(i, d)| !**d && !solids.contains(i)).count();
        if hidden > 0 {
            let message = "meshes without a material or in no level are not drawn";
            self.losses
                .push(Loss::note("mesh-not-drawn", "meshes", message).with_count(hidden, "mesh", "meshes"));
        }
        if model.lods.len() > 1 {
            for (i, lod) in model.lods.iter().enumerate() {
                let drawn = model.drawn_meshes(i);
                let mut nodes: Vec<_> = drawn.filter_map(|m| node_of.get(m).copied().flatten()).collect();
                self.budget.charge_items(
                    "levels",
                    (nodes.len() as u64).saturating_add(8),
                    size_of::<NodeId>(),
                )?;
                if nodes.is_empty() {
                    self.loss(
                        "empty-level",
                        format!("lods[{i}]"),
                        "a level without drawn meshes was left out",
                    );
                    continue;
                }
                let max_distance = lod.max_distance().map(narrow1);
                // Drawn solids are visible at every distance.
                self.budget.charge_items("levels", shown.len() as u64, size_of::<NodeId>())?;
                nodes.extend(&shown);
                self.scene.levels.push(Level { name: format!("lod_{i}"), nodes, max_distance });
            }
        }
        Ok(())
    }

    fn clips(&mut self) -> Result<(), ConvertError> {
        let model = self.model;
        if model.bones.is_empty() {
            if !model.clips.is_empty() {
                self.loss("clips-dropped", "anims", "animations without bones move nothing");
            }
            return Ok(());
        }
        let bases = Bases::new(model, self.axes);
        let mut streams = SortedMap::new();
        for (i, clip) in model.clips.iter().enumerate() {
            let keyed = streams.entry(identity(&clip.stream)).or_insert_with(|| clips::keyed(&clip.stream));
            let space = self.options.space;
            let clip = clips::convert(i, clip, keyed, &bases, space, &self.budget, &mut self.losses)?;
            self.scene.clips.push(clip);
        }
        Ok(())
    }

    fn extras(&mut self) -> Result<(), ConvertError> {
        let model = self.model;
        if !self.options.extras {
            return Ok(());
        }
        self.budget.charge_items("extras", model.lods.len() as u64, LOD_EXTRAS)?;
        let lods = model.lods.iter().map(|l| {
            let scale = Extra::Float(f64::from(l.scale.decode()));
            Extra::Map(alloc::vec![
                ("first".into(), u32::from(l.first).into()),
                ("count".into(), u32::from(l.count).into()),
                ("scale".into(), scale),
            ])
        });
        let lods = Extra::List(lods.collect());
        self.scene.extras = Some(Extra::Map(alloc::vec![("bmd_lods".into(), lods)]));
        Ok(())
    }
}

/// Returns for each mesh whether some level draws it.
fn drawn_meshes(model: &Bmd) -> Vec<bool> {
    let mut drawn = alloc::vec![false; model.meshes.len()];
    for lod in 0..model.lods.len().max(1) {
        for m in model.drawn_meshes(lod) {
            if let Some(d) = drawn.get_mut(m) {
                *d = true;
            }
        }
    }
    drawn
}
