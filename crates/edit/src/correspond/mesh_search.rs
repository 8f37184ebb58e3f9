//! Native meshes that are searched in an edited scene, and the state of edited meshes during the search.

use crate::comparison::Comparison;
use crate::correspond::joints::Bones;
use crate::correspond::new_joint_indices::Placed;
use crate::correspond::vertices::{Moved, PlacedVertex, Same, Vertex, blended, compare, may_be_one};
use crate::joint_index::{At, ListIndex};
use crate::tolerance::{Exactness, Tolerance};
use crate::tools::blender_normals::Shading;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::{Affine64, dot, narrow, unit, wide};
use meshwright_scene::{ConvertError, Mesh};

/// An edited mesh and one of its vertices.
pub(crate) type EditedVertex = (usize, usize);

/// A vertex or a triangle of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartAt {
    /// The mesh.
    pub mesh: u32,
    /// Index in the mesh.
    pub index: u32,
}

impl PartAt {
    /// Returns `None` for numbers that no file has.
    pub(crate) fn new(mesh: usize, index: usize) -> Option<Self> {
        Some(Self { mesh: u32::try_from(mesh).ok()?, index: u32::try_from(index).ok()? })
    }
}

/// A native mesh and the edited parts that were matched to it.
pub(crate) struct Found<'s> {
    /// The exported mesh. Edited vertices are compared with it.
    pub(crate) exported: &'s Mesh,
    /// The world transform of its node.
    pub(crate) world: Affine64,
    /// The data to predict Blender's changes of normals.
    shading: Shading,
    /// The mesh in the bind pose of the edited file, if that is another pose.
    bound: Option<BoundMesh>,
    /// Class of each vertex: the first vertex that is equal to it.
    class: Vec<u32>,
    /// Triangles by the classes of their corners, sorted.
    pub(crate) faces: Vec<([u32; 3], u32)>,
    /// The opposite class of each directed edge of classes, sorted.
    pub(crate) edges: Vec<((u32, u32), u32)>,
    /// The tolerances for its vertices.
    pub(crate) tolerance: Tolerance,
    /// The edited triangle of each triangle.
    pub(crate) there: Vec<Option<PartAt>>,
    /// The edited vertex of each class, and its unchanged attributes.
    pub(crate) slots: SortedMap<u32, (EditedVertex, Same)>,
    /// The same for single vertices whose identity within a class is known.
    pub(crate) apart: SortedMap<u32, (EditedVertex, Same)>,
    /// New triangles in this mesh.
    pub(crate) added: Vec<[Corner; 3]>,
    /// Edited meshes with vertices of this mesh.
    pub(crate) sources: Vec<usize>,
}

/// A corner of a new triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Corner {
    /// A native vertex.
    Native(u32),
    /// A vertex of an edited mesh.
    New(EditedVertex),
}

/// A native mesh in the bind pose of the edited file. Blender drops scales of bones, and stores normals relative to the
/// faces in that pose.
struct BoundMesh {
    mesh: Mesh,
    /// The transform of each vertex into that pose.
    places: Vec<Affine64>,
}

impl BoundMesh {
    /// Returns `None` if the edited file has the native bind pose.
    fn new(work: &Comparison<'_, '_>, placed: &Placed, mesh: &Mesh) -> Result<Option<Self>, ConvertError> {
        let Some(skin) = mesh.skin.as_ref().filter(|_| !mesh.normals.is_empty()) else { return Ok(None) };
        let place = |joint: u32| {
            let at = At { skeleton: skin.skeleton.0, joint: joint as usize };
            work.bones.edited(at)?.get(&placed.bound).copied().flatten()
        };
        if skin.influences.iter().all(|i| place(i.joint).is_none()) {
            return Ok(None);
        }
        let count = mesh.positions.len();
        work.budget.charge_items("vertices", count as u64, size_of::<[f32; 3]>())?;
        work.budget.charge_items("triangles", mesh.triangles.len() as u64, size_of::<[u32; 3]>())?;
        let mut places = work.budget.reserve("vertices", count)?;
        places.extend((0..count).map(|v| blended(mesh, v, &place).unwrap_or(Affine64::IDENTITY)));
        let to = |(p, m): (&[f32; 3], &Affine64)| narrow(m.point(wide(*p)));
        let positions = mesh.positions.iter().zip(&places).map(to).collect();
        Ok(Some(Self { mesh: Mesh::new("", positions, mesh.triangles.clone()), places }))
    }

    /// Transforms a normal with a vertex, and normalises it. Blender transforms normals like directions along the
    /// surface.
    fn normal(&self, v: usize, normal: [f64; 3]) -> Option<[f64; 3]> {
        unit(self.places.get(v)?.vector(normal))
    }
}

/// An edited mesh in the native bind pose.
pub(crate) struct Edited<'s> {
    pub(crate) moved: Moved<'s>,
    /// The native vertex of each vertex.
    pub(crate) slots: Vec<Option<Vertex>>,
    /// Corners of the native triangle of each triangle, if both meshes have the same triangle order.
    pub(crate) order: Vec<[u32; 3]>,
    /// The native mesh with the same name or identity.
    pub(crate) named: Option<usize>,
    /// The name of the node that draws the mesh.
    pub(crate) node: &'s str,
    /// The native nodes that were moved, and where they are.
    pub(crate) placed: Vec<(usize, Affine64)>,
    pub(crate) drawn: bool,
}

impl Edited<'_> {
    /// Returns the distance of a vertex from a native one.
    fn distance(&self, v: usize, at: Vertex, found: &[Found<'_>]) -> Option<f64> {
        let native = found.get(at.mesh)?;
        let there = native.world.point(wide(*native.exported.positions.get(at.vertex)?));
        Some(meshwright_core::math::distance(*self.moved.positions.get(v)?, there))
    }

    /// Unmatches vertices that are farther from their native vertex than the tolerance of the mesh.
    pub(crate) fn drop_edited(&mut self, found: &[Found<'_>]) {
        for v in 0..self.slots.len() {
            let Some(at) = self.slots.get(v).copied().flatten() else { continue };
            let most = found.get(at.mesh).map_or(0.0, |native| native.tolerance.position);
            if self.distance(v, at, found).is_some_and(|far| far > most)
                && let Some(slot) = self.slots.get_mut(v)
            {
                *slot = None;
            }
        }
    }
}

/// Counts the vertices whose positions are bit-identical to the native ones.
pub(crate) fn measure(own: &Edited<'_>, found: &[Found<'_>], exactness: &mut [Exactness]) {
    for (v, at) in own.slots.iter().enumerate().filter_map(|(v, at)| Some((v, (*at)?))) {
        if let Some((far, exactness)) = own.distance(v, at, found).zip(exactness.get_mut(at.mesh)) {
            exactness.add(far == 0.0);
        }
    }
}

impl Found<'_> {
    /// Returns which attributes of an edited vertex equal those of a native one.
    pub(crate) fn compare(
        &self,
        (edited, v): (&Moved<'_>, usize),
        n: usize,
        bones: &Bones,
        tolerance: &Tolerance,
    ) -> Same {
        let vertex = PlacedVertex { mesh: self.exported, index: n, world: &self.world };
        let same = compare((edited, v), &vertex, bones, tolerance);
        let [least, _] = tolerance.normal;
        if same.normal || least == 0.0 {
            return same;
        }
        let turn = |n: [f64; 3]| unit([self.world.x, self.world.y, self.world.z].map(|axis| dot(axis, n)));
        let here = edited.normals.get(v).and_then(|n| turn(*n));
        let there = self.exported.normals.get(n).and_then(|n| unit(wide(*n)));
        let bound = self.bound.as_ref().and_then(|bound| {
            let there = self.exported.normals.get(n).and_then(|normal| bound.normal(n, wide(*normal)));
            let here = edited.mesh.normals.get(v).and_then(|n| unit(wide(*n)));
            Some((&bound.mesh, here?, there?))
        });
        let own = here.zip(there).map(|(here, there)| (self.exported, here, there));
        let mut spaces = bound.into_iter().chain(own);
        let normal = self.class(n).is_some_and(|class| {
            spaces.any(|(mesh, here, there)| self.shading.makes(mesh, class, here, there))
        });
        Same { normal, ..same }
    }

    /// Returns true if an edited vertex is known to be this native vertex among several equal ones.
    pub(crate) fn holds(&self, (e, own): (usize, &Edited<'_>), v: u32, n: u32) -> bool {
        let one =
            |first: usize| first == v as usize || may_be_one(&own.moved, first, v as usize, &self.tolerance);
        self.apart.get(&n).is_some_and(|((by, first), _)| *by == e && one(*first))
    }

    /// Returns the edited vertex that is matched to a native one, and its unchanged attributes.
    pub(crate) fn slot(&self, vertex: usize) -> Option<&(EditedVertex, Same)> {
        let own = u32::try_from(vertex).ok().and_then(|v| self.apart.get(&v));
        own.or_else(|| self.slots.get(&self.class(vertex)?))
    }

    pub(crate) fn class(&self, vertex: usize) -> Option<u32> {
        self.class.get(vertex).copied()
    }
}

/// Prepares the native meshes for the search.
pub(crate) fn native<'s>(work: &Comparison<'s, '_>, placed: &Placed) -> Result<Vec<Found<'s>>, ConvertError> {
    let drawn =
        work.exported.drawn_meshes().ok_or_else(|| ConvertError::invalid("nodes", "parents form a cycle"))?;
    let mut worlds: SortedMap<usize, Affine64> = SortedMap::new();
    for (_, mesh, world) in drawn {
        worlds.entry(mesh.0).or_insert_with(|| world.wide());
    }
    let mut found = work.budget.reserve("meshes", work.exported.meshes.len())?;
    for (m, mesh) in work.exported.meshes.iter().enumerate() {
        let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
        work.budget.charge_items("vertices", vertices as u64, size_of::<[u64; 12]>())?;
        work.budget.charge_items("triangles", triangles as u64, size_of::<[u64; 12]>())?;
        let class = classes(mesh);
        // If the model stores no normals, those of the export are computed and cannot be edited.
        let shaded = !work.computed_normals
            && work.native.meshes.get(m).is_some_and(|native| !native.normals.is_empty());
        let normal = if shaded { work.tolerance.normal } else { [180.0; 2] };
        let of = |v: u32| class.get(v as usize).copied().unwrap_or(v);
        let mut faces = Vec::with_capacity(triangles);
        let mut edges = Vec::with_capacity(triangles.saturating_mul(3));
        for (t, corners) in (0_u32..).zip(&mesh.triangles) {
            let [a, b, c] = corners.map(of);
            faces.push((least_corner_first([a, b, c]), t));
            edges.extend([((a, b), c), ((b, c), a), ((c, a), b)]);
        }
        faces.sort_unstable();
        edges.sort_unstable();
        edges.dedup();
        found.push(Found {
            exported: mesh,
            world: worlds.get(&m).copied().unwrap_or(Affine64::IDENTITY),
            shading: Shading::new(mesh, &class),
            bound: BoundMesh::new(work, placed, mesh)?,
            class,
            faces,
            edges,
            tolerance: Tolerance { normal, ..work.tolerance },
            there: alloc::vec![None; triangles],
            slots: SortedMap::new(),
            apart: SortedMap::new(),
            added: Vec::new(),
            sources: Vec::new(),
        });
    }
    Ok(found)
}

/// Rotates a triangle so that its least corner is first. The winding stays.
pub(crate) fn least_corner_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    match a.min(b).min(c) {
        least if least == a => [a, b, c],
        least if least == b => [b, c, a],
        _ => [c, a, b],
    }
}

/// Returns, for each vertex, the first vertex that is equal in all attributes.
fn classes(mesh: &Mesh) -> Vec<u32> {
    type Key = ([u32; 3], [u32; 3], [u32; 2], [u8; 4]);
    let bits = |v: Option<&[f32; 3]>| v.map_or([0; 3], |v| v.map(f32::to_bits));
    let key = |v: usize| -> Key {
        let uv = mesh.uvs.get(v).map_or([0; 2], |uv| uv.map(f32::to_bits));
        (
            bits(mesh.positions.get(v)),
            bits(mesh.normals.get(v)),
            uv,
            mesh.colors.get(v).copied().unwrap_or_default(),
        )
    };
    let weights = |v: usize| mesh.skin.as_ref().map_or(&[][..], |s| s.influences(v));
    let mut order: Vec<usize> = (0..mesh.positions.len()).collect();
    order.sort_by_key(|v| key(*v));
    let mut class: Vec<u32> = (0_u32..).take(mesh.positions.len()).collect();
    for run in order.chunk_by(|a, b| key(*a) == key(*b)) {
        for (i, &v) in run.iter().enumerate() {
            // Vertices that differ only in weights are rare, so that a few comparisons suffice.
            let first = run.get(..i).unwrap_or_default().iter().take(8).find(|w| weights(**w) == weights(v));
            if let Some((first, slot)) = first.and_then(|w| class.get(*w).copied()).zip(class.get_mut(v)) {
                *slot = first;
            }
        }
    }
    class
}
