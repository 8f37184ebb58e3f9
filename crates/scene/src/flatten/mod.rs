//! Flattens a scene to drawables, for formats that are simpler than a scene.
//!
//! [`Drawables`] is an iterator over drawn meshes. [`DrawOptions`] state the needs of a format: one level of
//! detail or several, instances applied to vertices, axes, the size limits of a mesh. The format only has to
//! encode the numbers. Everything is charged to a budget, and an unchanged mesh is not copied.

mod instances;
mod join_meshes;
mod rest_pose;
mod split_mesh;
mod tangents;
mod weights;

pub(crate) use instances::below;
pub use join_meshes::fill_attributes;

use crate::convert::ConvertError;
use crate::convert::loss::Loss;
use crate::mesh::surface::vertex_normals;
use crate::mesh::{Influence, Mesh};
use crate::model::Scene;
use crate::model::axes::AxisMap;
use crate::model::ids::{MaterialId, MeshId, NodeId};
use alloc::borrow::Cow;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::Affine;
use meshwright_core::{Budget, LimitExceeded, SortedMap, SortedSet};

/// The levels of detail that are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Levels {
    /// Each level separately, the finest first. Nodes that are in no level are not drawn.
    #[default]
    Each,
    /// Everything except nodes that are only in coarser levels.
    Finest,
    /// One level, by its number. If the scene has no levels, all nodes.
    Only(usize),
    /// All nodes together, ignoring levels.
    Merged,
}

/// True if missing tangents are computed, and the direction of texture coordinates in the written file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tangents {
    /// Missing tangents are not computed.
    #[default]
    Keep,
    /// Missing tangents are computed; the second texture coordinate grows upwards.
    Up,
    /// Missing tangents are computed; the second texture coordinate grows downwards.
    Down,
}

/// The needs of a format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DrawOptions {
    /// The levels of detail that are drawn.
    pub levels: Levels,
    /// True if node transforms are applied to the vertices.
    pub bake: bool,
    /// True if meshes that no node draws are included, at the end and without a node.
    pub undrawn: bool,
    /// True if meshes without triangles are omitted.
    pub skip_empty: bool,
    /// The map from the scene's axes to the format's.
    pub axes: AxisMap,
    /// True if the second texture coordinate is flipped: `1 - v`.
    pub flip_v: bool,
    /// True if missing normals are computed from the triangles.
    pub normals: bool,
    /// True if missing tangents are computed by the rule of MikkTSpace. Vertices whose triangles have
    /// different tangents are split.
    pub tangents: Tangents,
    /// True if skinned meshes are converted to their rest pose, without a skin.
    pub rest: bool,
    /// True if weights are scaled such that those of a vertex sum to 1. Vertices in the space of joints are
    /// not changed.
    pub normalize: bool,
    /// True if vertices in the space of joints are kept. If not, only their positions in the bind pose are.
    pub local: bool,
    /// True if meshes of one level, material and skeleton are joined.
    pub by_material: bool,
    /// The maximum number of vertices in a mesh.
    pub max_vertices: usize,
    /// The maximum number of triangles in a mesh.
    pub max_triangles: usize,
    /// The maximum number of joints of a mesh. If there is one, meshes have a
    /// [`palette`](Drawable::palette).
    pub max_joints: Option<usize>,
    /// The maximum number of joints per vertex.
    pub max_influences: usize,
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self {
            levels: Levels::Each,
            bake: true,
            undrawn: false,
            skip_empty: false,
            axes: AxisMap::IDENTITY,
            flip_v: false,
            normals: false,
            tangents: Tangents::Keep,
            rest: false,
            normalize: false,
            local: true,
            by_material: false,
            max_vertices: usize::MAX,
            max_triangles: usize::MAX,
            max_joints: None,
            max_influences: usize::MAX,
        }
    }
}

macro_rules! with {
    ($($(#[$doc:meta])* $name:ident($field:ident: $type:ty);)+) => {
        impl DrawOptions {$(
            $(#[$doc])*
            #[must_use]
            pub const fn $name(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            }
        )+}
    };
}

with! {
    /// Sets the levels of detail.
    with_levels(levels: Levels);
    /// Sets whether node transforms are applied.
    with_bake(bake: bool);
    /// Sets whether meshes that no node draws are included.
    with_undrawn(undrawn: bool);
    /// Sets whether meshes without triangles are omitted.
    with_skip_empty(skip_empty: bool);
    /// Sets the axes.
    with_axes(axes: AxisMap);
    /// Sets whether the second texture coordinate is flipped.
    with_flip_v(flip_v: bool);
    /// Sets whether missing normals are computed.
    with_normals(normals: bool);
    /// Sets whether missing tangents are computed.
    with_tangents(tangents: Tangents);
    /// Sets whether skinned meshes are converted to their rest pose.
    with_rest(rest: bool);
    /// Sets whether weights are scaled to a sum of 1.
    with_normalize(normalize: bool);
    /// Sets whether vertices in the space of joints are kept.
    with_local(local: bool);
    /// Sets whether meshes of one material are joined.
    with_by_material(by_material: bool);
    /// Sets the maximum number of vertices per mesh.
    with_max_vertices(max_vertices: usize);
    /// Sets the maximum number of triangles per mesh.
    with_max_triangles(max_triangles: usize);
    /// Sets the maximum number of joints per mesh, which are then numbered by a palette.
    with_max_joints(max_joints: Option<usize>);
    /// Sets the maximum number of joints per vertex.
    with_max_influences(max_influences: usize);
}

/// One occurrence of a mesh in a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// The level of detail, if the scene has levels and each is drawn separately.
    pub level: Option<usize>,
    /// The node; `None` for a mesh that no node draws.
    pub node: Option<NodeId>,
    /// The mesh.
    pub mesh: MeshId,
    /// The transform of its vertices to the scene; the identity for skinned meshes.
    pub matrix: Affine,
}

/// A mesh that is ready for a format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Drawable<'s> {
    /// The vertices and triangles in the format's axes. A copy has no extras; use [`sources`](Self::sources)
    /// to find them.
    pub mesh: Cow<'s, Mesh>,
    /// The name of the mesh, or of its node if it has none.
    pub name: &'s str,
    /// The sources: one instance, or several that were joined.
    pub sources: Vec<Instance>,
    /// The skeleton's joints that the mesh uses, if the options limit their number. The influences of the
    /// mesh are then indices into this list.
    pub palette: Option<Vec<u32>>,
    /// The number of the part, if the mesh was split.
    pub part: usize,
}

impl Drawable<'_> {
    /// Returns the source mesh, or the first of several.
    #[must_use]
    pub fn id(&self) -> Option<MeshId> {
        self.sources.first().map(|s| s.mesh)
    }

    /// Returns the node that draws it, or the first of several.
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        self.sources.first().and_then(|s| s.node)
    }

    /// Returns its level of detail.
    #[must_use]
    pub fn level(&self) -> Option<usize> {
        self.sources.first().and_then(|s| s.level)
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Option<MaterialId> {
        self.mesh.material
    }

    /// Returns the path of the mesh in the scene, for losses.
    #[must_use]
    pub fn path(&self) -> String {
        self.id().map_or_else(|| "meshes".into(), |id| format!("meshes[{}]", id.0))
    }

    /// Returns the skeleton's joint of an influence.
    #[must_use]
    pub fn joint(&self, influence: &Influence) -> u32 {
        let place = influence.joint as usize;
        self.palette.as_ref().map_or(influence.joint, |p| p.get(place).copied().unwrap_or(0))
    }
}

/// An iterator over the meshes that a scene draws. It ends after the first error.
#[derive(Debug)]
pub struct Drawables<'s, 'b> {
    scene: &'s Scene,
    options: DrawOptions,
    budget: &'b Budget,
    /// The groups of instances that become one mesh each: one instance, or several of the same material.
    groups: alloc::vec::IntoIter<Vec<Instance>>,
    ready: VecDeque<Drawable<'s>>,
    losses: Vec<Loss>,
    /// Meshes whose losses were reported: each is reported once, not once per instance.
    reported: SortedSet<(usize, &'static str)>,
    /// The rest poses of skeletons.
    rests: SortedMap<usize, rest_pose::RestPose>,
    failed: bool,
}

impl<'s, 'b> Drawables<'s, 'b> {
    /// Finds the meshes that the scene draws, in the order of levels, nodes and their meshes.
    ///
    /// # Errors
    /// If the scene breaks its own rules, or if the budget does not suffice for the list of instances.
    pub fn new(scene: &'s Scene, options: &DrawOptions, budget: &'b Budget) -> Result<Self, ConvertError> {
        scene.validate()?;
        let mut losses = Vec::new();
        let instances = instances::collect_instances(scene, options, budget, &mut losses)?;
        let groups = join_meshes::groups(scene, options, instances, budget)?;
        Ok(Self {
            scene,
            options: options.clone(),
            budget,
            groups: groups.into_iter(),
            ready: VecDeque::new(),
            losses,
            reported: SortedSet::new(),
            rests: SortedMap::new(),
            failed: false,
        })
    }

    /// Returns the remaining instances.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.groups.as_slice().iter().flatten()
    }

    /// Returns the materials of the remaining instances, in ascending order.
    #[must_use]
    pub fn materials(&self) -> BTreeSet<MaterialId> {
        let mut materials = BTreeSet::new();
        for instance in self.instances() {
            if let Some(id) = self.scene.meshes.get(instance.mesh.0).and_then(|mesh| mesh.material) {
                materials.insert(id);
            }
        }
        materials
    }

    /// Returns the losses and notes so far. They are complete after the end of the iteration.
    #[must_use]
    pub fn take_losses(&mut self) -> Vec<Loss> {
        core::mem::take(&mut self.losses)
    }

    /// Prepares one instance, in as many parts as the limits require. It is for formats that draw one mesh
    /// in several places and store it once; others use the iterator.
    ///
    /// # Errors
    /// If the format cannot express the mesh, or if the budget does not suffice.
    pub fn make(&mut self, instance: &Instance) -> Result<Vec<Drawable<'s>>, ConvertError> {
        self.make_group(core::slice::from_ref(instance))
    }

    fn make_group(&mut self, group: &[Instance]) -> Result<Vec<Drawable<'s>>, ConvertError> {
        let mut sources = Vec::new();
        let mut meshes = Vec::new();
        for instance in group {
            if let Some(mesh) = self.place_mesh(instance)? {
                sources.push(*instance);
                meshes.push(mesh);
            }
        }
        let Some(first) = sources.first() else { return Ok(Vec::new()) };
        let name = self.name(first);
        let path = format!("meshes[{}]", first.mesh.0);
        let whole = join_meshes::joined(meshes, &path, self.options.flip_v, self.budget, &mut self.losses)?;
        let parts = split_mesh::split(whole, &self.options, &path, self.budget)?;
        if parts.len() > 1 {
            let loss = Loss::note("mesh-split", &*path, "the mesh was split to fit the format's limits");
            self.report(first.mesh, loss.with_count(parts.len(), "part", "parts"));
        }
        let made = parts.into_iter().enumerate().map(|(part, (mesh, palette))| Drawable {
            mesh,
            name,
            sources: sources.clone(),
            palette,
            part,
        });
        Ok(made.collect())
    }

    fn name(&self, instance: &Instance) -> &'s str {
        let mesh = self.scene.meshes.get(instance.mesh.0).map_or("", |m| m.name.as_str());
        let node = instance.node.and_then(|n| self.scene.nodes.get(n.0)).map_or("", |n| n.name.as_str());
        if mesh.is_empty() { node } else { mesh }
    }

    /// Reports a loss, at most once per mesh.
    fn report(&mut self, mesh: MeshId, loss: Loss) {
        if self.reported.insert((mesh.0, loss.code)) {
            self.losses.push(loss);
        }
    }

    /// Returns the mesh of an instance with its transform, in the format's axes; `None` if it is omitted.
    fn place_mesh(&mut self, instance: &Instance) -> Result<Option<Cow<'s, Mesh>>, ConvertError> {
        let Some(source) = self.scene.meshes.get(instance.mesh.0) else { return Ok(None) };
        let path = || format!("meshes[{}]", instance.mesh.0);
        if self.options.skip_empty && source.triangles.is_empty() {
            let loss = Loss::note("empty-mesh", path(), "a mesh without triangles was left out");
            self.report(instance.mesh, loss);
            return Ok(None);
        }
        let mut mesh = Cow::Borrowed(source);
        if self.options.bake && instance.matrix != Affine::IDENTITY {
            make_owned(&mut mesh, self.budget)?.bake(&instance.matrix);
        }
        let wants_normals = self.options.normals || self.options.tangents != Tangents::Keep;
        if wants_normals && source.normals.is_empty() && !source.positions.is_empty() {
            let message = "the mesh has no normals; they were computed from its triangles";
            self.report(instance.mesh, Loss::note("normals-computed", path(), message));
            fill_normals(make_owned(&mut mesh, self.budget)?, self.budget)?;
        }
        if self.options.rest {
            self.stand(&mut mesh, instance.mesh)?;
        }
        if self.options.axes != AxisMap::IDENTITY {
            make_owned(&mut mesh, self.budget)?.map_axes(&self.options.axes);
        }
        if self.options.flip_v && !source.uvs.is_empty() {
            for uv in &mut make_owned(&mut mesh, self.budget)?.uvs {
                uv[1] = 1.0 - uv[1];
            }
        }
        let lacks = source.tangents.is_empty() && !source.positions.is_empty();
        if lacks && self.options.tangents != Tangents::Keep {
            let up = self.options.tangents == Tangents::Up;
            let made = tangents::compute(make_owned(&mut mesh, self.budget)?, up, self.budget)?;
            let message = "tangents were computed from the texture coordinates with MikkTSpace";
            let loss = Loss::note("tangents-computed", path(), message);
            self.report(instance.mesh, loss.with_count(mesh.positions.len(), "vertex", "vertices"));
            if made.guessed > 0 {
                let message = "the texture coordinates define no direction for the tangents";
                let loss = Loss::note("tangents-guessed", path(), message);
                self.report(instance.mesh, loss.with_count(made.guessed, "vertex", "vertices"));
            }
            if made.split > 0 {
                let message = "vertices were added where a texture is mirrored or has a seam";
                let loss = Loss::note("vertices-split", path(), message);
                self.report(instance.mesh, loss.with_count(made.split, "vertex", "vertices"));
            }
        }
        if !self.options.local && mesh.skin.as_ref().is_some_and(|s| !s.local.is_empty()) {
            make_owned(&mut mesh, self.budget)?.skin.iter_mut().for_each(|s| s.local.clear());
        }
        self.cut_influences(&mut mesh, instance.mesh)?;
        self.normalize(&mut mesh, instance.mesh)?;
        Ok(Some(mesh))
    }

    /// Converts a skinned mesh to its rest pose.
    fn stand(&mut self, mesh: &mut Cow<'s, Mesh>, id: MeshId) -> Result<(), ConvertError> {
        let Some(skeleton) = mesh.skin.as_ref().map(|s| s.skeleton) else { return Ok(()) };
        let rest = self
            .rests
            .entry(skeleton.0)
            .or_try_insert_with(|| rest_pose::RestPose::compute(self.scene, skeleton, self.budget))?;
        let owned = make_owned(mesh, self.budget)?;
        let Some(mut skin) = owned.skin.take() else { return Ok(()) };
        let (odd, worst) = if skin.local.is_empty() { weights::off(&skin) } else { (0, 0.0) };
        weights::normalize(&mut skin);
        if rest.moves(&skin) {
            self.budget.work("the rest pose", skin.influences.len() as u64)?;
            rest.apply(owned, &skin);
            let message = "the bind pose of the mesh differs from its rest pose; the rest pose is used";
            let loss = Loss::note("rest-pose-applied", format!("meshes[{}]", id.0), message);
            self.report(id, loss);
        }
        if odd > 0 {
            self.report_weights(id, odd, worst);
        }
        Ok(())
    }

    /// Scales the weights of each vertex to a sum of 1.
    fn normalize(&mut self, mesh: &mut Cow<'s, Mesh>, id: MeshId) -> Result<(), ConvertError> {
        if !self.options.normalize || mesh.skin.as_ref().is_none_or(|s| !s.local.is_empty()) {
            return Ok(());
        }
        let (count, worst) = mesh.skin.as_ref().map_or((0, 0.0), weights::off);
        if count == 0 {
            return Ok(());
        }
        make_owned(mesh, self.budget)?.skin.iter_mut().for_each(weights::normalize);
        self.report_weights(id, count, worst);
        Ok(())
    }

    fn report_weights(&mut self, id: MeshId, count: usize, worst: f64) {
        let message = "weights were scaled to a sum of 1";
        let loss = Loss::new("weights-normalized", format!("meshes[{}]", id.0), message);
        let loss = loss.with_count(count, "vertex", "vertices").with_amount(worst, "off");
        self.report(id, loss.noise_below(Loss::NOISE));
    }

    fn cut_influences(&mut self, mesh: &mut Cow<'s, Mesh>, id: MeshId) -> Result<(), ConvertError> {
        let most = self.options.max_influences;
        if mesh.skin.as_ref().is_none_or(|s| s.max_influences() <= most) {
            return Ok(());
        }
        let Some(skin) = &mut make_owned(mesh, self.budget)?.skin else { return Ok(()) };
        let (cut, share) = weights::heaviest(skin, most);
        if cut > 0 {
            let message = format!("vertices keep their {most} heaviest joints");
            let loss = Loss::new("influences-dropped", format!("meshes[{}]", id.0), message);
            let loss = loss.with_count(cut, "vertex", "vertices").with_amount(share, "of the weight");
            self.report(id, loss.noise_below(Loss::NOISE));
        }
        Ok(())
    }
}

impl<'s> Iterator for Drawables<'s, '_> {
    type Item = Result<Drawable<'s>, ConvertError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(Ok(ready));
            }
            if self.failed {
                return None;
            }
            let group = self.groups.next()?;
            match self.make_group(&group) {
                Ok(parts) => self.ready.extend(parts),
                Err(e) => {
                    self.failed = true;
                    return Some(Err(e));
                }
            }
        }
    }
}

/// Computes normals from the triangles.
fn fill_normals(mesh: &mut Mesh, budget: &Budget) -> Result<(), LimitExceeded> {
    // The sums are kept in 64 bits.
    budget.charge_items("normals", mesh.positions.len() as u64, 36)?;
    mesh.normals = vertex_normals(&mesh.positions, &mesh.triangles);
    Ok(())
}

/// Returns the memory of a copy of a mesh, without its extras.
pub(crate) fn bytes(mesh: &Mesh) -> u64 {
    let vertex = [
        (mesh.positions.len(), 12),
        (mesh.normals.len(), 12),
        (mesh.tangents.len(), 16),
        (mesh.uvs.len(), 8),
        (mesh.colors.len(), 4),
        (mesh.triangles.len(), 12),
        (mesh.name.len(), 1),
    ];
    let skin = mesh.skin.as_ref().map_or([(0, 0); 3], |s| {
        [(s.starts.len(), 4), (s.influences.len(), size_of::<Influence>()), (s.local.len(), 24)]
    });
    let sum = |all: &[(usize, usize)]| {
        all.iter().fold(0_u64, |sum, (n, size)| sum.saturating_add((*n as u64).saturating_mul(*size as u64)))
    };
    sum(&vertex).saturating_add(sum(&skin)).saturating_add(size_of::<Mesh>() as u64)
}

/// Returns the mesh for changing. If it still belongs to the scene, it is copied and charged.
fn make_owned<'m>(mesh: &'m mut Cow<'_, Mesh>, budget: &Budget) -> Result<&'m mut Mesh, LimitExceeded> {
    if let Cow::Borrowed(source) = mesh {
        budget.charge("meshes as they are drawn", bytes(source))?;
        let source: &Mesh = source;
        *mesh = Cow::Owned(Mesh {
            name: source.name.clone(),
            material: source.material,
            positions: source.positions.clone(),
            normals: source.normals.clone(),
            tangents: source.tangents.clone(),
            uvs: source.uvs.clone(),
            colors: source.colors.clone(),
            color_encoding: source.color_encoding,
            triangles: source.triangles.clone(),
            skin: source.skin.clone(),
            extras: None,
        });
    }
    Ok(mesh.to_mut())
}

#[cfg(test)]
mod tests;
