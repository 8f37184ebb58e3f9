//! Converts an IQM to a scene.

use super::axes::{axes, map_corners};
use super::clips::Tracks;
use super::fte;
use super::text::decoded;
use crate::check::check;
use crate::model::{ArrayFormat, ArrayKind, Iqm, IqmMesh, VertexArray};
use crate::rules::NON_FINITE;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, narrow, narrow1, unit};
use meshwright_core::{Findings, ReadOptions, SortedMap};
use meshwright_scene::{
    Affine, AlphaMode, AxisMap, Budget, ConvertError, Converted, Extra, Influence, Joint, Local, Loss,
    Material, MaterialId, Mesh, MeshId, Node, Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space,
};

impl Iqm {
    /// Converts the model to a scene: one mesh and node per mesh, one skeleton whose rest and bind pose are the
    /// joints, and a clip for each anim. A file with poses and no joints gets a skeleton of joints without names,
    /// with frame 0 as rest pose.
    ///
    /// # Errors
    /// If the model breaks a rule that the conversion relies on, or the scene would take more memory than the options
    /// allow.
    pub fn to_scene(&self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        convertible(self)?;
        let budget = options.budget();
        let mut making = Making {
            model: self,
            options,
            budget: &budget,
            map: axes(options.space),
            losses: Vec::new(),
            materials: Vec::new(),
            known: SortedMap::new(),
        };
        let mut scene = Scene::new("").in_space(options.space);
        let (joints, flat) = making.joints()?;
        let skinned = !joints.is_empty() && !self.joints.is_empty() && !making.is_static();
        for (i, mesh) in self.meshes.iter().enumerate() {
            let made = making.mesh(i, mesh, skinned)?;
            scene.nodes.push(Node::of_mesh(made.name.clone(), MeshId(i)));
            scene.meshes.push(made);
        }
        making.report_flat(&flat, &scene.meshes);
        if making.is_static() {
            making.nodes(joints, &mut scene)?;
        } else if !joints.is_empty() {
            let mut rest = budget.reserve("joints", joints.len())?;
            rest.extend(joints.iter().map(|j| j.rest.to_trs64().narrow()));
            scene.skeletons.push(Skeleton { name: String::new(), joints });
            let tracks = Tracks { model: self, map: making.map, options, budget: &budget, rest };
            scene.clips = tracks.clips(&mut making.losses)?;
        }
        making.report_dropped();
        scene.materials = making.materials;
        scene.extras = options.extras.then(|| extras(self));
        scene.validate()?;
        Ok(Converted::new(scene, making.losses))
    }
}

/// Checks for faults that a lenient reader accepts but that cannot be converted, such as NaN.
fn convertible(model: &Iqm) -> Result<(), ConvertError> {
    let mut findings = Findings::reading(&ReadOptions::lenient());
    check(model, &mut findings).map_err(|e| ConvertError::invalid(e.path().to_string(), e.message()))?;
    let report = findings.into_report();
    let hopeless = report.iter().find(|f| f.rule.code == NON_FINITE.code);
    hopeless.map_or(Ok(()), |f| Err(ConvertError::invalid(f.path.to_string(), f.message.to_string())))
}

fn extras(model: &Iqm) -> Extra {
    let comment = decoded(model.comment.split(|b| *b == 0).next().unwrap_or_default());
    Extra::Map(alloc::vec![
        ("format".into(), Extra::from("iqm")),
        ("version".into(), model.version.into()),
        ("comment".into(), Extra::Text(comment)),
    ])
}

struct Making<'a> {
    model: &'a Iqm,
    options: &'a SceneOptions,
    budget: &'a Budget,
    map: AxisMap,
    losses: Vec<Loss>,
    materials: Vec<Material>,
    known: SortedMap<Vec<u8>, MaterialId>,
}

impl Making<'_> {
    /// Returns true if the model becomes meshes without bones.
    fn is_static(&self) -> bool {
        let model = self.model;
        // The clips of a skinned model without frames are in files of their own.
        let is_skinned = model.frame_count == 0
            && !model.joints.is_empty()
            && model.array(ArrayKind::BLEND_INDEXES).is_some();
        self.options.static_meshes && model.frame_count <= 1 && !model.meshes.is_empty() && !is_skinned
    }

    /// Returns the joints, and whether each flattens space in the rest pose.
    fn joints(&self) -> Result<(Vec<Joint>, Vec<bool>), ConvertError> {
        let n = self.model.joints.len().max(self.model.poses.len());
        self.budget.charge_items("joints", n as u64, size_of::<(Joint, Trs64, Affine64)>())?;
        let named = !self.model.joints.is_empty();
        let (parents, rest): (Vec<_>, Vec<_>) = if named {
            self.model.joints.iter().map(|j| (j.parent(), j.transform())).unzip()
        } else {
            let first = self.model.frame_transforms(0);
            let rest = |i: usize| first.as_ref().and_then(|f| f.get(i)).copied().unwrap_or_default();
            self.model.poses.iter().enumerate().map(|(i, p)| (p.parent(), rest(i))).unzip()
        };
        let matrices = crate::pose::concatenate(parents.iter().copied().zip(rest.iter().copied()));
        let (mut joints, mut flat) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (i, ((parent, rest), matrix)) in parents.into_iter().zip(rest).zip(&matrices).enumerate() {
            let name = self.model.joints.get(i).map_or(&[][..], |j| self.model.str(j.name));
            self.budget.charge("names", name.len() as u64 * 2)?;
            let mut joint = Joint::new(decoded(name), parent, Local::Trs(self.map.trs64(&rest).narrow()));
            let inverse = matrix.inverse().map(|m| self.map.affine64(&m).narrow()).filter(Affine::is_finite);
            flat.push(inverse.is_none());
            joint.inverse_bind = inverse.unwrap_or(Affine::IDENTITY);
            joints.push(joint);
        }
        Ok((joints, flat))
    }

    fn report_flat(&mut self, flat: &[bool], meshes: &[Mesh]) {
        let influences = meshes.iter().filter_map(|m| m.skin.as_ref()).flat_map(|s| &s.influences);
        let mut used = alloc::vec![false; flat.len()];
        for i in influences {
            if let Some(used) = used.get_mut(i.joint as usize) {
                *used = true;
            }
        }
        let n = flat.iter().zip(&used).filter(|(flat, used)| **flat && **used).count();
        if n > 0 {
            let message = "joints that move vertices flatten space at rest";
            self.losses.push(Loss::new("bind-singular", "joints", message).with_count(n, "joint", "joints"));
        }
    }

    fn material(&mut self, name: &[u8]) -> Result<MaterialId, ConvertError> {
        if let Some(id) = self.known.get(name) {
            return Ok(*id);
        }
        self.budget.charge("names", name.len() as u64 * 3 + 64)?;
        let id = MaterialId(self.materials.len());
        // Without a shader script, engines blend surfaces with alpha below 255 and draw others opaque.
        self.materials.push(Material::named(decoded(name)).with_alpha(AlphaMode::Blend));
        self.known.insert(name.to_vec(), id);
        Ok(id)
    }

    fn mesh(&mut self, number: usize, mesh: &IqmMesh, skinned: bool) -> Result<Mesh, ConvertError> {
        let (model, space) = (self.model, self.options.space);
        let name = model.str(mesh.name);
        // Memory for the name of its node.
        self.budget.charge("names", name.len() as u64 * 2)?;
        let vertices = Vertices {
            first: mesh.first_vertex as usize,
            count: mesh.vertex_count as usize,
            budget: self.budget,
        };
        let normal = |[x, y, z]: [f64; 3]| {
            let n = self.map.direction(narrow([x, y, z]));
            if space == Space::File { n } else { unit(n.map(f64::from)).map_or([0.0, 1.0, 0.0], narrow) }
        };
        let positions = vertices.all(model.array(ArrayKind::POSITION), |p| self.map.point(narrow(p)))?;
        let mut triangles = self.budget.reserve("triangles", mesh.triangle_count as usize)?;
        let own = |v: u32| v.saturating_sub(mesh.first_vertex);
        triangles.extend(model.triangles_of(mesh).iter().map(|t| map_corners(t.map(own), space)));
        let mut made = Mesh::new(decoded(name), positions, triangles);
        made.normals = vertices.all(model.array(ArrayKind::NORMAL), normal)?;
        made.uvs = vertices.all(model.array(ArrayKind::TEXCOORD), |uv: [f64; 2]| finite(narrow(uv)))?;
        made.tangents = vertices.all(model.array(ArrayKind::TANGENT), |[x, y, z, w]: [f64; 4]| {
            let [x, y, z] = self.map.direction(finite(narrow([x, y, z])));
            [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }]
        })?;
        made.colors = vertices.all(model.array(ArrayKind::COLOR), |c: [f64; 4]| c.map(byte))?;
        made.material = Some(self.material(model.str(mesh.material))?);
        if skinned && model.array(ArrayKind::BLEND_INDEXES).is_some() {
            made.skin = Some(self.skin(&vertices)?);
        }
        made.extras = fte::mesh(model, number).filter(|_| self.options.extras);
        Ok(made)
    }

    fn skin(&self, vertices: &Vertices<'_>) -> Result<Skin, ConvertError> {
        self.budget.charge_items("skin", vertices.count as u64 + 1, size_of::<u32>() * 2)?;
        self.budget.charge_items("skin", vertices.count as u64 * 4, size_of::<Influence>() * 2)?;
        let mut skin = Skin::new(SkeletonId(0));
        for v in vertices.range() {
            for (joint, weight) in self.model.influences(v).into_iter().filter(|(_, w)| *w != 0.0) {
                let joint = u32::try_from(joint).unwrap_or(0);
                skin.influences.push(Influence { joint, weight: narrow1(weight) });
            }
            skin.end_vertex();
        }
        Ok(skin)
    }

    /// Adds nodes for joints that move nothing, in a model without motion.
    fn nodes(&mut self, joints: Vec<Joint>, scene: &mut Scene) -> Result<(), ConvertError> {
        let mut moving = self.budget.filled("joints", joints.len(), false)?;
        for v in 0..self.model.vertex_count as usize {
            for (joint, _) in self.model.influences(v).into_iter().filter(|(_, w)| *w != 0.0) {
                if let Some(moving) = usize::try_from(joint).ok().and_then(|j| moving.get_mut(j)) {
                    *moving = true;
                }
            }
        }
        let mut baked = 0_usize;
        self.budget.charge_items("nodes", joints.len() as u64, size_of::<Node>())?;
        for ((joint, matrix), moving) in joints.into_iter().zip(self.model.rest_matrices()).zip(moving) {
            if moving || joint.name.is_empty() {
                baked += 1;
            } else {
                let local = Local::Affine(self.map.affine64(&matrix).narrow());
                scene.nodes.push(Node { name: joint.name, local, ..Node::default() });
            }
        }
        let message = "a model with one frame becomes a static mesh: its bones were applied to the vertices";
        self.losses.push(Loss::note("static-mesh", "joints", message).counted(baked));
        Ok(())
    }

    /// Reports data that a scene cannot hold.
    fn report_dropped(&mut self) {
        let model = self.model;
        let known = |a: &VertexArray| a.kind.is_known();
        let arrays = model.arrays.iter().filter(|a| !known(a)).count();
        if arrays > 0 {
            let message = "arrays of other programs";
            self.losses.push(
                Loss::new("arrays-dropped", "vertexarrays", message).with_count(arrays, "array", "arrays"),
            );
        }
        let others = model.extensions.iter().filter(|e| !fte::is_known(model.str(e.name))).count();
        if others > 0 {
            let message = "extensions that a scene cannot hold";
            let loss = Loss::new("extensions-dropped", "extensions", message);
            self.losses.push(loss.with_count(others, "extension", "extensions"));
        }
        if !self.options.extras {
            let held = model.extensions.len() - others;
            if held > 0 {
                let loss = Loss::new("extensions-dropped", "extensions", "events and properties of FTE");
                self.losses.push(loss.with_count(held, "extension", "extensions").kept_in_extras());
            }
            if model.comment.iter().any(|b| *b != 0) {
                self.losses.push(Loss::new("comment-dropped", "comment", "the comment").kept_in_extras());
            }
        }
        let float = |kind| model.array(kind).is_some_and(|a| a.format != ArrayFormat::U8);
        if float(ArrayKind::COLOR) {
            let message = "colours were rounded to 8 bits";
            self.losses.push(Loss::new("colors-rounded", "vertexarrays", message));
        }
    }
}

/// Replaces numbers that are not finite with 0.
fn finite<const N: usize>(values: [f32; N]) -> [f32; N] {
    values.map(|v| if v.is_finite() { v } else { 0.0 })
}

/// Converts a share from 0 to 1 to a byte.
fn byte(share: f64) -> u8 {
    let value = share.clamp(0.0, 1.0) * 255.0 + 0.5;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped; a NaN gives 0")]
    let value = value as u8;
    value
}

/// The vertices of one mesh.
struct Vertices<'b> {
    first: usize,
    count: usize,
    budget: &'b Budget,
}

impl Vertices<'_> {
    fn range(&self) -> core::ops::Range<usize> {
        self.first..self.first.saturating_add(self.count)
    }

    /// Returns the values of an array; empty if there is none.
    fn all<const N: usize, T>(
        &self,
        array: Option<&VertexArray>,
        of: impl Fn([f64; N]) -> T,
    ) -> Result<Vec<T>, ConvertError> {
        let Some(array) = array else { return Ok(Vec::new()) };
        let mut values = self.budget.reserve("vertices", self.count)?;
        // Components that an array does not store are 0; the fourth is 1.
        let rest = core::array::from_fn(|i| if i == 3 { 1.0 } else { 0.0 });
        values.extend(self.range().map(|v| of(array.floats(v, rest))));
        Ok(values)
    }
}
