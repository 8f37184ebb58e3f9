//! Native meshes that are searched in an edited scene, and the state of edited meshes during the search.

use crate::comparison::Comparison;
use crate::correspond::joints::Bones;
use crate::correspond::new_joint_indices::Placed;
use crate::correspond::vertices::{Moved, PlacedMesh, Same, Vertex, blended, compare, may_be_one, mix};
use crate::joint_index::{At, ListIndex};
use crate::tolerance::{Exactness, Tolerance};
use crate::tools::blender_normals::Shading;
use alloc::vec::Vec;
use core::cell::OnceCell;
use meshwright_core::math::{Affine64, distance, dot, narrow, unit, wide};
use meshwright_core::{Order as _, SortedMap};
use meshwright_scene::{ConvertError, Mesh, Scene};

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

/// An edited vertex that was matched to a native one, and its unchanged attributes.
pub(crate) type Slot = Option<(EditedVertex, Same)>;

/// A native mesh and the edited parts that were matched to it.
pub(crate) struct Found<'s> {
    /// The exported mesh, with the world transform of its node. Edited vertices are compared with it.
    pub(crate) exported: PlacedMesh<'s>,
    /// The data to predict Blender's changes of normals.
    shading: OnceCell<Shading>,
    /// The mesh in the bind pose of the edited file, if that is another pose.
    bound: Option<BoundMesh>,
    /// Class of each vertex: the first vertex that is equal to it.
    class: Vec<u32>,
    /// Triangles by the classes of their corners, sorted.
    faces: OnceCell<Vec<([u32; 3], u32)>>,
    /// The opposite class of each directed edge of classes, sorted.
    edges: OnceCell<Vec<(u32, u32, u32)>>,
    /// The tolerances for its vertices.
    pub(crate) tolerance: Tolerance,
    /// The edited triangle of each triangle.
    pub(crate) there: Vec<Option<PartAt>>,
    /// The edited vertex of each class.
    pub(crate) slots: Vec<Slot>,
    /// The same for single vertices whose identity within a class is known. It may be empty.
    pub(crate) apart: Vec<Slot>,
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
            work.bones.edited(at)?.value_in(&placed.bound)
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
    /// Returns the native vertex of a vertex.
    pub(crate) fn slot(&self, v: u32) -> Option<Vertex> {
        self.slots.get(v as usize).copied().flatten()
    }

    /// Returns the native mesh that most vertices were matched to, and how many.
    pub(crate) fn most_matched(&self) -> Option<(usize, usize)> {
        let mut counts: SortedMap<usize, usize> = SortedMap::new();
        for at in self.slots.iter().flatten() {
            let count = counts.entry(at.mesh).or_default();
            *count = count.saturating_add(1);
        }
        counts.into_iter().max_by_key(|(_, count)| *count)
    }

    /// Returns the distance of a vertex from a native one.
    fn distance(&self, v: usize, at: Vertex, found: &[Found<'_>]) -> Option<f64> {
        Some(distance(self.moved.position(v)?, found.get(at.mesh)?.exported.position(at.vertex)?))
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
        let same = compare((edited, v), (&self.exported, n), bones, tolerance);
        let [least, _] = tolerance.normal;
        if same.normal || least == 0.0 {
            return same;
        }
        let PlacedMesh { mesh, world, .. } = self.exported;
        let turn = |n: [f64; 3]| unit([world.x, world.y, world.z].map(|axis| dot(axis, n)));
        let here = edited.normal(v).and_then(turn);
        let stored = mesh.normals.get(n).map(|normal| wide(*normal));
        let bound = self.bound.as_ref().and_then(|bound| {
            let here = edited.mesh.normals.get(v).and_then(|n| unit(wide(*n)));
            Some((&bound.mesh, here?, bound.normal(n, stored?)?))
        });
        let own = here.zip(stored.and_then(unit)).map(|(here, there)| (mesh, here, there));
        let mut spaces = bound.into_iter().chain(own);
        let shading = self.shading.get_or_init(|| Shading::new(mesh, &self.class));
        let normal = self
            .class(n)
            .is_some_and(|class| spaces.any(|(mesh, here, there)| shading.makes(mesh, class, here, there)));
        Same { normal, ..same }
    }

    /// Returns true if an edited vertex is known to be this native vertex among several equal ones.
    pub(crate) fn holds(&self, (e, own): (usize, &Edited<'_>), v: u32, n: u32) -> bool {
        let one =
            |first: usize| first == v as usize || may_be_one(&own.moved, first, v as usize, &self.tolerance);
        self.apart.get(n as usize).copied().flatten().is_some_and(|((by, first), _)| by == e && one(first))
    }

    /// Returns true if a native vertex gets the values of an edited one.
    pub(crate) fn gets(
        &self,
        work: &Comparison<'_, '_>,
        (e, own): (usize, &Edited<'_>),
        v: u32,
        n: usize,
    ) -> bool {
        let v = v as usize;
        self.slot(n).is_some_and(|((by, first), known)| {
            let one = by == e && (first == v || may_be_one(&own.moved, first, v, &self.tolerance));
            one || known.all() && self.compare((&own.moved, v), n, &work.bones, &self.tolerance).all()
        })
    }

    /// Returns the edited vertex that is matched to a native one, and its unchanged attributes.
    pub(crate) fn slot(&self, vertex: usize) -> Slot {
        let own = self.apart.get(vertex).copied().flatten();
        own.or_else(|| self.slots.get(self.class(vertex)? as usize).copied().flatten())
    }

    pub(crate) fn class(&self, vertex: usize) -> Option<u32> {
        self.class.get(vertex).copied()
    }

    /// Returns the classes of the corners of a triangle.
    pub(crate) fn face(&self, triangle: usize) -> Option<[u32; 3]> {
        let corners = self.exported.mesh.triangles.get(triangle)?;
        Some(corners.map(|v| self.class(v as usize).unwrap_or(v)))
    }

    /// Returns a triangle with these classes that no edited triangle was matched to: the triangle `t`, or the first one.
    pub(crate) fn free_face(&self, classes: [u32; 3], t: usize) -> Option<usize> {
        let key = least_corner_first(classes);
        let free = |t: &usize| self.there.get(*t) == Some(&None);
        let own = Some(t).filter(|t| free(t) && self.face(*t).map(least_corner_first) == Some(key));
        own.or_else(|| {
            let faces = self.faces.get_or_init(|| {
                let face = |t: u32| Some((least_corner_first(self.face(t as usize)?), t));
                let mut faces: Vec<_> = (0..).map_while(face).collect();
                faces.order();
                faces
            });
            let from = faces.partition_point(|(face, _)| *face < key);
            let equal = faces.get(from..)?.iter().take_while(|(face, _)| *face == key);
            equal.map(|(_, t)| *t as usize).find(free)
        })
    }

    /// Returns the opposite classes of a directed edge of classes.
    pub(crate) fn thirds(&self, edge: (u32, u32)) -> impl Iterator<Item = u32> + Clone {
        let edges = self.edges.get_or_init(|| {
            let mut edges = Vec::new();
            for [a, b, c] in (0..).map_while(|t| self.face(t)) {
                edges.extend([(a, b, c), (b, c, a), (c, a, b)]);
            }
            edges.sort_unstable();
            edges.dedup();
            edges
        });
        let from = edges.partition_point(|(a, b, _)| (*a, *b) < edge);
        let near = edges.get(from..).unwrap_or_default().iter().take_while(move |(a, b, _)| (*a, *b) == edge);
        near.map(|(.., third)| *third)
    }
}

/// Returns the nodes that draw each mesh, with their world transforms.
pub(crate) fn instances(
    scene: &Scene,
    path: &str,
) -> Result<SortedMap<usize, Vec<(usize, Affine64)>>, ConvertError> {
    let drawn = scene.drawn_meshes().ok_or_else(|| ConvertError::invalid(path, "parents form a cycle"))?;
    let mut nodes: SortedMap<usize, Vec<(usize, Affine64)>> = SortedMap::new();
    for (node, mesh, world) in drawn {
        nodes.entry(mesh.0).or_default().push((node.0, world.wide()));
    }
    Ok(nodes)
}

/// Prepares the native meshes for the search.
pub(crate) fn native<'s>(work: &Comparison<'s, '_>, placed: &Placed) -> Result<Vec<Found<'s>>, ConvertError> {
    let worlds = instances(work.exported, "exported.nodes")?;
    let mut found = work.budget.reserve("meshes", work.exported.meshes.len())?;
    for (m, mesh) in work.exported.meshes.iter().enumerate() {
        let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
        work.budget.charge_items("vertices", vertices as u64, size_of::<(Slot, [u64; 4])>())?;
        work.budget.charge_items("triangles", triangles as u64, size_of::<[u64; 12]>())?;
        // If the model stores no normals, those of the export are computed and cannot be edited.
        let shaded =
            !work.options.computed_normals && work.originals.get(m).is_some_and(|native| native.normals);
        let normal = if shaded { work.tolerance.normal } else { [180.0; 2] };
        let world = worlds.get(&m).and_then(|list| Some(list.first()?.1));
        found.push(Found {
            exported: PlacedMesh::new(mesh, world.unwrap_or(Affine64::IDENTITY)),
            shading: OnceCell::new(),
            bound: BoundMesh::new(work, placed, mesh)?,
            class: classes(mesh),
            faces: OnceCell::new(),
            edges: OnceCell::new(),
            tolerance: Tolerance { normal, ..work.tolerance },
            there: alloc::vec![None; triangles],
            slots: alloc::vec![None; vertices],
            apart: Vec::new(),
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
    let hash = |v: usize| {
        let ([a, b, c], [d, e, f], [g, h], color) = key(v);
        mix([a, b, c, d, e, f, g, h, u32::from_le_bytes(color)].map(u64::from))
    };
    let mut order: Vec<(u64, usize)> = (0..mesh.positions.len()).map(|v| (hash(v), v)).collect();
    order.sort_unstable();
    let mut class: Vec<u32> = (0_u32..).take(mesh.positions.len()).collect();
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        for (i, &(_, v)) in run.iter().enumerate().skip(1) {
            // Vertices that differ only in weights are rare, so that a few comparisons suffice.
            let same = |(_, w): &&(u64, usize)| key(*w) == key(v) && weights(*w) == weights(v);
            let first = run.get(..i).unwrap_or_default().iter().take(8).find(same);
            if let Some((first, slot)) = first.and_then(|(_, w)| class.get(*w).copied()).zip(class.get_mut(v))
            {
                *slot = first;
            }
        }
    }
    class
}
