//! What a scene draws, made ready for formats that are simpler than a scene.
//!
//! [`Drawables`] is an iterator over meshes as they are drawn. [`DrawOptions`] say what a format takes: one level of
//! detail or several, instances applied to vertices, axes, how much a mesh may count. What is left for the format is to
//! write numbers down. Everything is charged to a budget, and a mesh that needs no change is not copied.

mod instances;
mod join;
mod split;

use crate::axes::AxisMap;
use crate::convert::ConvertError;
use crate::ids::{MaterialId, MeshId, NodeId};
use crate::loss::Loss;
use crate::mesh::{Influence, LocalVertex, Mesh, Skin};
use crate::model::Scene;
use crate::surface::vertex_normals;
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine, add, narrow, narrow1, wide};
use meshwright_core::{Budget, LimitExceeded};

/// Which levels of detail are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Levels {
    /// Each by itself, the finest first. Nodes below none of them are not drawn.
    #[default]
    Each,
    /// Everything but what only coarser levels draw.
    Finest,
    /// One of them, by its number; all nodes where the scene has no levels.
    Only(usize),
    /// All nodes at once, whatever the levels say.
    Merged,
}

/// What a format takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DrawOptions {
    /// Which levels of detail are drawn.
    pub levels: Levels,
    /// The transforms of nodes are applied to the vertices of what hangs from them.
    pub bake: bool,
    /// Meshes that no node draws come last, without a node.
    pub undrawn: bool,
    /// Meshes without triangles are left out.
    pub skip_empty: bool,
    /// From the scene's axes into the format's.
    pub axes: AxisMap,
    /// Texture coordinates start at the other end: `1 - v`.
    pub flip_v: bool,
    /// Missing normals are computed from the triangles.
    pub normals: bool,
    /// Meshes of one level, material and skeleton become one.
    pub by_material: bool,
    /// The most vertices of a mesh.
    pub max_vertices: usize,
    /// The most triangles of a mesh.
    pub max_triangles: usize,
    /// The most joints of a mesh, which then has a [`palette`](Drawable::palette).
    pub max_joints: Option<usize>,
    /// The most joints that a vertex follows.
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
    /// The same with another choice of levels of detail.
    with_levels(levels: Levels);
    /// The same with transforms of nodes applied or left out.
    with_bake(bake: bool);
    /// The same with meshes that no node draws, or without.
    with_undrawn(undrawn: bool);
    /// The same with meshes without triangles left out or kept.
    with_skip_empty(skip_empty: bool);
    /// The same in other axes.
    with_axes(axes: AxisMap);
    /// The same with texture coordinates turned over or not.
    with_flip_v(flip_v: bool);
    /// The same with missing normals computed or left out.
    with_normals(normals: bool);
    /// The same with meshes of one material joined or not.
    with_by_material(by_material: bool);
    /// The same with so many vertices to a mesh.
    with_max_vertices(max_vertices: usize);
    /// The same with so many triangles to a mesh.
    with_max_triangles(max_triangles: usize);
    /// The same with so many joints to a mesh, numbered by a palette.
    with_max_joints(max_joints: Option<usize>);
    /// The same with so many joints to a vertex.
    with_max_influences(max_influences: usize);
}

/// Where a mesh is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// The level of detail, where the scene has any and each is drawn by itself.
    pub level: Option<usize>,
    /// The node; none for a mesh that no node draws.
    pub node: Option<NodeId>,
    /// The mesh.
    pub mesh: MeshId,
    /// What takes its vertices to where they are drawn: the identity for skinned meshes.
    pub matrix: Affine,
}

/// A mesh as it is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Drawable<'s> {
    /// Its vertices and triangles in the format's axes. A copy has no extras: see [`sources`](Self::sources).
    pub mesh: Cow<'s, Mesh>,
    /// The mesh's name, or its node's where it has none.
    pub name: &'s str,
    /// What it was made of: one instance, or several that were joined.
    pub sources: Vec<Instance>,
    /// The joints of the skeleton that the mesh's influences number, where the options limit their count. The
    /// influences of the mesh then name places in this list.
    pub palette: Option<Vec<u32>>,
    /// Which part of the mesh this is, where it had to be split.
    pub part: usize,
}

impl Drawable<'_> {
    /// The mesh it came from, or the first of them.
    #[must_use]
    pub fn id(&self) -> Option<MeshId> {
        self.sources.first().map(|s| s.mesh)
    }

    /// The node that draws it, or the first of them.
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        self.sources.first().and_then(|s| s.node)
    }

    /// Its level of detail.
    #[must_use]
    pub fn level(&self) -> Option<usize> {
        self.sources.first().and_then(|s| s.level)
    }

    /// Its material.
    #[must_use]
    pub fn material(&self) -> Option<MaterialId> {
        self.mesh.material
    }

    /// The path of the mesh in the scene, for losses.
    #[must_use]
    pub fn path(&self) -> String {
        self.id().map_or_else(|| "meshes".into(), |id| format!("meshes[{}]", id.0))
    }

    /// The joint of the skeleton that an influence names.
    #[must_use]
    pub fn joint(&self, influence: &Influence) -> u32 {
        let place = influence.joint as usize;
        self.palette.as_ref().map_or(influence.joint, |p| p.get(place).copied().unwrap_or(0))
    }
}

/// An iterator over what a scene draws. It ends with the first error.
#[derive(Debug)]
pub struct Drawables<'s, 'b> {
    scene: &'s Scene,
    options: DrawOptions,
    budget: &'b Budget,
    /// What becomes one mesh: one instance, or several of one material.
    groups: alloc::vec::IntoIter<Vec<Instance>>,
    ready: VecDeque<Drawable<'s>>,
    losses: Vec<Loss>,
    /// Meshes whose losses were reported: an instance is no loss of its own.
    reported: BTreeSet<(usize, &'static str)>,
    failed: bool,
}

impl<'s, 'b> Drawables<'s, 'b> {
    /// Finds what the scene draws, in the order of levels, nodes and their meshes.
    ///
    /// # Errors
    /// When the scene breaks its own rules, or when the budget does not allow for the list of instances.
    pub fn new(scene: &'s Scene, options: &DrawOptions, budget: &'b Budget) -> Result<Self, ConvertError> {
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let mut losses = Vec::new();
        let instances = instances::of(scene, options, budget, &mut losses)?;
        let groups = join::groups(scene, options, instances, budget)?;
        Ok(Self {
            scene,
            options: options.clone(),
            budget,
            groups: groups.into_iter(),
            ready: VecDeque::new(),
            losses,
            reported: BTreeSet::new(),
            failed: false,
        })
    }

    /// The instances that are still to come.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.groups.as_slice().iter().flatten()
    }

    /// Materials that what is still to come uses, in rising order.
    #[must_use]
    pub fn materials(&self) -> BTreeSet<MaterialId> {
        self.instances().filter_map(|i| self.scene.meshes.get(i.mesh.0)?.material).collect()
    }

    /// What was lost and decided so far. Taken when the iteration is over it is complete.
    #[must_use]
    pub fn take_losses(&mut self) -> Vec<Loss> {
        core::mem::take(&mut self.losses)
    }

    /// One instance made ready, in as many parts as the limits take. For formats that draw one mesh in several places
    /// and make it once; others iterate.
    ///
    /// # Errors
    /// When the format cannot express the mesh, or when the budget does not allow for it.
    pub fn make(&mut self, instance: &Instance) -> Result<Vec<Drawable<'s>>, ConvertError> {
        self.made(core::slice::from_ref(instance))
    }

    fn made(&mut self, group: &[Instance]) -> Result<Vec<Drawable<'s>>, ConvertError> {
        let mut sources = Vec::new();
        let mut meshes = Vec::new();
        for instance in group {
            if let Some(mesh) = self.placed(instance)? {
                sources.push(*instance);
                meshes.push(mesh);
            }
        }
        let Some(first) = sources.first() else { return Ok(Vec::new()) };
        let name = self.name(first);
        let path = format!("meshes[{}]", first.mesh.0);
        let whole = join::joined(meshes, &path, self.budget, &mut self.losses)?;
        let parts = split::split(whole, &self.options, &path, self.budget)?;
        if parts.len() > 1 {
            let loss = Loss::note("mesh-split", &*path, "the mesh was split to fit the format's counts");
            self.report(first.mesh, loss.of(parts.len(), "part", "parts"));
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

    /// Adds a loss that each mesh has at most once.
    fn report(&mut self, mesh: MeshId, loss: Loss) {
        if self.reported.insert((mesh.0, loss.code)) {
            self.losses.push(loss);
        }
    }

    /// The mesh of an instance where it is drawn, in the format's axes; `None` where it is left out.
    fn placed(&mut self, instance: &Instance) -> Result<Option<Cow<'s, Mesh>>, ConvertError> {
        let Some(source) = self.scene.meshes.get(instance.mesh.0) else { return Ok(None) };
        let path = || format!("meshes[{}]", instance.mesh.0);
        if self.options.skip_empty && source.triangles.is_empty() {
            let loss = Loss::note("empty-mesh", path(), "a mesh without triangles was left out");
            self.report(instance.mesh, loss);
            return Ok(None);
        }
        let mut mesh = Cow::Borrowed(source);
        if self.options.bake && instance.matrix != Affine::IDENTITY {
            own(&mut mesh, self.budget)?.bake(&instance.matrix);
        }
        if self.options.normals && source.normals.is_empty() && !source.positions.is_empty() {
            let message = "the mesh has no normals; made from its triangles";
            self.report(instance.mesh, Loss::note("normals-computed", path(), message));
            // The sums are kept in 64 bits.
            self.budget.charge_items("normals", source.positions.len() as u64, 36)?;
            let mesh = own(&mut mesh, self.budget)?;
            mesh.normals = vertex_normals(&mesh.positions, &mesh.triangles);
        }
        if self.options.axes != AxisMap::IDENTITY {
            own(&mut mesh, self.budget)?.map_axes(&self.options.axes);
        }
        if self.options.flip_v && !source.uvs.is_empty() {
            for uv in &mut own(&mut mesh, self.budget)?.uvs {
                uv[1] = 1.0 - uv[1];
            }
        }
        self.cut_influences(&mut mesh, instance.mesh)?;
        Ok(Some(mesh))
    }

    fn cut_influences(&mut self, mesh: &mut Cow<'s, Mesh>, id: MeshId) -> Result<(), ConvertError> {
        let most = self.options.max_influences;
        if mesh.skin.as_ref().is_none_or(|s| s.max_influences() <= most) {
            return Ok(());
        }
        let Some(skin) = &mut own(mesh, self.budget)?.skin else { return Ok(()) };
        self.budget.charge_items("influences", skin.influences.len() as u64, 40)?;
        let (cut, share) = heaviest(skin, most);
        if cut > 0 {
            let message = format!("vertices keep their {most} heaviest joints");
            let loss = Loss::new("influences-dropped", format!("meshes[{}]", id.0), message);
            let loss = loss.of(cut, "vertex", "vertices").by(share, "of the weight");
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
            match self.made(&group) {
                Ok(parts) => self.ready.extend(parts),
                Err(e) => {
                    self.failed = true;
                    return Some(Err(e));
                }
            }
        }
    }
}

/// What a copy of a mesh takes, without its extras.
fn bytes(mesh: &Mesh) -> u64 {
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

/// The mesh as one that may be changed: a charged copy where it is still the scene's.
fn own<'m>(mesh: &'m mut Cow<'_, Mesh>, budget: &Budget) -> Result<&'m mut Mesh, LimitExceeded> {
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

/// Leaves every vertex its heaviest influences, which take over the weight of the others. Returns how many vertices
/// lost some, and the largest share of weight that went.
fn heaviest(skin: &mut Skin, most: usize) -> (usize, f64) {
    let mut made = Skin::new(skin.skeleton);
    let (mut cut, mut worst) = (0_usize, 0.0_f64);
    let mut row = Vec::new();
    for v in 0..skin.vertex_count() {
        let range = skin.range(v);
        row.clear();
        row.extend(
            range.clone().filter_map(|k| Some((*skin.influences.get(k)?, skin.local.get(k).copied()))),
        );
        let mut scale = 1.0;
        if row.len() > most {
            let sum = |row: &[(Influence, _)]| row.iter().map(|i| f64::from(i.0.weight)).sum::<f64>();
            let size = |row: &[(Influence, _)]| row.iter().map(|i| f64::from(i.0.weight.abs())).sum::<f64>();
            row.retain(|i| i.0.weight != 0.0);
            merge(&mut row);
            let (all, total) = (sum(&row), size(&row));
            // Stable: of equal weights the earlier stays.
            row.sort_by(|a, b| b.0.weight.abs().total_cmp(&a.0.weight.abs()));
            if row.len() > most {
                cut = cut.saturating_add(1);
                row.truncate(most);
                worst = worst.max(1.0 - size(&row) / total);
                let kept = sum(&row);
                scale = if all / kept > 0.0 && (all / kept).is_finite() { all / kept } else { 1.0 };
            }
        }
        for (mut influence, local) in row.drain(..) {
            influence.weight = narrow1(f64::from(influence.weight) * scale);
            made.influences.push(influence);
            made.local.extend(local.map(|l| LocalVertex {
                position: narrow(wide(l.position).map(|c| c * scale)),
                normal: narrow(wide(l.normal).map(|c| c * scale)),
            }));
        }
        made.end_vertex();
    }
    *skin = made;
    (cut, worst)
}

/// Adds up the influences of each joint, where its first one stands.
fn merge(row: &mut Vec<(Influence, Option<LocalVertex>)>) {
    let mut first = BTreeMap::new();
    let mut kept: usize = 0;
    for i in 0..row.len() {
        let Some((influence, local)) = row.get(i).copied() else { continue };
        let at = *first.entry(influence.joint).or_insert(kept);
        if at == kept {
            row.swap(i, kept);
            kept = kept.saturating_add(1);
        } else if let Some((sum, seen)) = row.get_mut(at) {
            sum.weight += influence.weight;
            *seen = seen.zip(local).map(|(a, b)| LocalVertex {
                position: narrow(add(wide(a.position), wide(b.position))),
                normal: narrow(add(wide(a.normal), wide(b.normal))),
            });
        }
    }
    row.truncate(kept);
}

#[cfg(test)]
mod tests;
