//! Matches the meshes of an edited scene to the native ones.

use crate::comparison::Comparison;
use crate::correspond::faces::{place, ticked};
use crate::correspond::joints::is_near_transform;
use crate::correspond::matching::{match_vertices, settle, spread};
use crate::correspond::material_parts;
use crate::correspond::mesh_search::{Edited, Found, instances, measure, native};
use crate::correspond::new_joint_indices::Placed;
use crate::correspond::twins;
use crate::correspond::vertices::{Grid, Moved, Place, PlacedMesh, unbound};
use crate::options::Absent;
use crate::report::{MeshChange, Part, State};
use crate::tolerance::{Exactness, Tolerance};
use crate::tools::blender::BONE_SHAPE;
use crate::tools::blender_colors;
use crate::tools::names::stem;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::OnceCell;
use meshwright_core::Order as _;
use meshwright_core::math::{Affine64, wide};
use meshwright_scene::{ConvertError, Mesh, Scene, Skin};

/// The matches of all meshes.
pub(crate) struct Finds<'s> {
    /// The native meshes.
    pub(crate) native: Vec<Found<'s>>,
    /// The edited meshes.
    pub(crate) edited: Vec<Edited<'s>>,
    /// The share of bit-identical vertices.
    pub(crate) exactness: Exactness,
    /// Edited meshes with the triangles that belong to no native mesh.
    pub(crate) foreign: Vec<(usize, Vec<[u32; 3]>)>,
}

/// Finds the native meshes in the edited ones.
pub(crate) fn find<'s>(work: &Comparison<'s, '_>, placed: &Placed) -> Result<Finds<'s>, ConvertError> {
    let mut found = native(work, placed)?;
    let mut edited = unposed_meshes(work, placed, &found)?;
    let points = |f: &Found<'s>| (Cow::Borrowed(&*f.exported.mesh.positions), f.exported.world);
    let reach = work.tolerance.position.max(1e-7 * work.extent);
    let grid = Grid::new(found.iter().map(points).collect(), reach, work.budget)?;
    let mut exactness = work.budget.filled("meshes", found.len(), Exactness::default())?;
    for own in edited.iter_mut().filter(|own| own.drawn) {
        blender_colors::put_back(work, own, &found, &grid)?;
        match_vertices(work, own, &found, &grid)?;
        measure(own, &found, &mut exactness);
    }
    // If a mesh has few vertices, the other meshes of its kind decide.
    let kind = |native: &Found<'_>| native.exported.mesh.skin.is_some();
    let all = [false, true].map(|skinned| {
        let own = found.iter().zip(&exactness).filter(|(native, _)| kind(native) == skinned);
        own.fold(Exactness::default(), |sum, (_, e)| sum.and(*e))
    });
    for (native, own) in found.iter_mut().zip(&exactness) {
        let [plain, skinned] = all;
        let all = if kind(native) { skinned } else { plain };
        if own.is_lossless() || own.is_few() && all.is_lossless() {
            native.tolerance = Tolerance { normal: native.tolerance.normal, ..work.strict };
        }
    }
    for own in edited.iter_mut().filter(|own| own.drawn) {
        own.drop_edited(&found);
        spread(work, own, &found, &grid)?;
    }
    let out = material_parts::taken_out(work, &edited, &found, &grid)?;
    let is_in = |e: usize, own: &Edited<'_>| own.drawn && !out.contains(&e);
    for (e, own) in edited.iter_mut().enumerate().filter(|(e, own)| is_in(*e, own)) {
        settle(work, e, own, &mut found)?;
    }
    let mut left = Vec::new();
    for (e, own) in edited.iter().enumerate().filter(|(e, own)| is_in(*e, own)) {
        left.extend(ticked(work, e, own, &mut found));
    }
    let left = twins::tick(work, &edited, &mut found, &grid, left)?;
    let mut foreign = place(work, &left, &edited, &mut found);
    for (e, own) in out.iter().filter_map(|e| Some((*e, edited.get(*e)?))) {
        let size = size_of::<[u32; 3]>();
        work.budget.charge_items("triangles", own.moved.mesh.triangles.len() as u64, size)?;
        foreign.push((e, own.moved.mesh.triangles.clone()));
    }
    foreign.order_by_key(|(e, _)| *e);
    let [plain, skinned] = all;
    Ok(Finds { native: found, edited, exactness: plain.and(skinned), foreign })
}

/// Returns the edited meshes in the native bind pose and in model space.
fn unposed_meshes<'s>(
    work: &Comparison<'s, '_>,
    placed: &Placed,
    found: &[Found<'_>],
) -> Result<Vec<Edited<'s>>, ConvertError> {
    let scene = work.edited;
    let (worlds, homes) = (instances(scene, "edited.nodes")?, instances(work.native, "native.nodes")?);
    let mut taken = alloc::vec![false; found.len()];
    for marked in work.meshes.values() {
        taken.get_mut(*marked).into_iter().for_each(|slot| *slot = true);
    }
    let mut edited = work.budget.reserve("meshes", scene.meshes.len())?;
    for (m, mesh) in scene.meshes.iter().enumerate() {
        let count = mesh.positions.len() as u64;
        work.budget.charge_items("vertices", count, size_of::<Place>().saturating_add(32))?;
        let instances = worlds.get(&m).map_or(&[][..], Vec::as_slice);
        let (node, world) = instances.first().copied().unwrap_or((usize::MAX, Affine64::IDENTITY));
        let node = scene.nodes.get(node).map_or("", |n| n.name.as_str());
        let stored = |skin: &Skin| placed.stored.get(skin.skeleton.0).map_or(&[][..], Vec::as_slice);
        let bound = mesh.skin.as_ref().filter(|skin| stored(skin).iter().any(Option::is_some));
        let mut places = bound.map_or_else(Vec::new, |skin| {
            unbound(mesh, &|joint| stored(skin).get(joint as usize).copied().flatten())
        });
        let marked = work.meshes.get(&m).copied();
        let named = marked.or_else(|| named(work, mesh, node, &mut taken));
        let mut moved = Vec::new();
        if mesh.skin.is_none() {
            // If a node was moved as a whole, its vertices did not change.
            let own = named.and_then(|n| Some((found.get(n)?, homes.get(&n)?)));
            let own = own.filter(|(f, _)| f.exported.mesh.skin.is_none());
            moved = own.map_or_else(Vec::new, |(_, homes)| moved_nodes(work, instances, homes));
            let still =
                |f: &Found<'_>| !moved.is_empty() && stays(mesh, f.exported.mesh, work.tolerance.position);
            let own = own.map(|(f, _)| f).filter(|f| still(f));
            if own.is_none() {
                moved.clear();
            }
            let near = |f: &&Found<'_>| !is_near_transform(&world, &f.exported.world, work.extent);
            let to = PlacedMesh::new(mesh, own.filter(near).map_or(world, |f| f.exported.world));
            if to.world != Affine64::IDENTITY {
                let place = |v| Some((to.position(v)?, to.normal(v).unwrap_or_default()));
                places = (0..).map_while(place).collect();
            }
        }
        let colors = Cow::Borrowed(mesh.colors.as_slice());
        let opaque = mesh.colors.iter().all(|[.., a]| *a == 255);
        let slots = work.budget.filled("vertices", mesh.positions.len(), None)?;
        let bone = mesh.name == BONE_SHAPE && mesh.skin.is_none() && named.is_none();
        edited.push(Edited {
            moved: Moved { mesh, places, hidden: OnceCell::new(), colors, uncolored: Vec::new(), opaque },
            slots,
            order: Vec::new(),
            named,
            node,
            placed: moved,
            // The shape that Blender displays for bones is exported to other formats as a mesh.
            drawn: worlds.contains_key(&m) && !bone,
        });
    }
    Ok(edited)
}

/// Returns the native nodes of a mesh that an editor moved, and where they are. Nodes have the same names, or the same
/// order.
fn moved_nodes(
    work: &Comparison<'_, '_>,
    instances: &[(usize, Affine64)],
    homes: &[(usize, Affine64)],
) -> Vec<(usize, Affine64)> {
    let name = |scene: &Scene, n: usize| scene.nodes.get(n).map(|n| n.name.clone()).unwrap_or_default();
    let moved = |(i, (home, was)): (usize, &(usize, Affine64))| {
        let own = name(work.native, *home);
        let named = |(n, _): &&(usize, Affine64)| !own.is_empty() && name(work.edited, *n) == own;
        let found = instances.iter().find(named);
        let (_, is) = found.or_else(|| instances.get(i).filter(|_| instances.len() == homes.len()))?;
        (!is_near_transform(is, was, work.extent)).then_some((*home, *is))
    };
    homes.iter().enumerate().filter_map(moved).collect()
}

/// Returns true if most positions equal those of another mesh, or the bounds are equal, without the node transforms.
fn stays(a: &Mesh, b: &Mesh, tolerance: f64) -> bool {
    use meshwright_core::math::distance;
    let near = |(p, q): (&[f32; 3], &[f32; 3])| distance(wide(*p), wide(*q)) <= tolerance;
    let same = a.positions.iter().zip(&b.positions).filter(|pair| near(*pair)).count();
    let bounds = |m: &Mesh| {
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for p in &m.positions {
            for ((l, h), c) in low.iter_mut().zip(&mut high).zip(wide(*p)) {
                (*l, *h) = (l.min(c), h.max(c));
            }
        }
        (low, high)
    };
    let ((l, h), (m, i)) = (bounds(a), bounds(b));
    same.saturating_mul(2) > b.positions.len() || (distance(l, m) <= tolerance && distance(h, i) <= tolerance)
}

/// Returns the native mesh with the name of a mesh or of its node. If there are several, it prefers the same material.
fn named(work: &Comparison<'_, '_>, mesh: &Mesh, node: &str, taken: &mut [bool]) -> Option<usize> {
    let material = |scene: &Scene, mesh: &Mesh| {
        mesh.material.and_then(|m| scene.materials.get(m.0)).map(|m| m.name.clone()).unwrap_or_default()
    };
    let own = material(work.edited, mesh);
    let free = |m: usize| !taken.get(m).copied().unwrap_or(true);
    let meshes = || work.exported.meshes.iter().enumerate().filter(|(m, _)| free(*m));
    let of = |name: &str| {
        let equal = meshes().filter(|(_, n)| !name.is_empty() && n.name == name);
        let mut equal: Vec<_> = equal.map(|(m, n)| (material(work.exported, n) != own, m)).collect();
        equal.order();
        equal.first().map(|(_, m)| *m)
    };
    let found = of(&mesh.name).or_else(|| of(stem(&mesh.name))).or_else(|| of(node))?;
    if let Some(slot) = taken.get_mut(found) {
        *slot = true;
    }
    Some(found)
}

/// Returns true if a native mesh stays although no edited mesh matches it.
pub(crate) fn stays_absent(work: &Comparison<'_, '_>, m: usize) -> bool {
    let nothing = work.edited.meshes.is_empty() && work.options.absent == Absent::Kept;
    // A tool that shows only one scene drops the other levels of detail.
    let leveled = work.edited.levels.is_empty() && !finest(work.native, m);
    let empty = work.exported.meshes.get(m).is_none_or(|m| m.triangles.is_empty() || m.positions.is_empty());
    nothing || leveled || empty || !is_drawn(work.exported, m)
}

fn is_drawn(scene: &Scene, m: usize) -> bool {
    scene.nodes.iter().any(|n| n.meshes.iter().any(|mesh| mesh.0 == m))
}

/// Returns true if the finest level of detail draws a mesh.
fn finest(scene: &Scene, m: usize) -> bool {
    let Some(level) = scene.levels.first() else { return true };
    let root = |mut n: usize| {
        let mut left = scene.nodes.len();
        while let Some(parent) = scene.nodes.get(n).and_then(|n| n.parent).filter(|_| left > 0) {
            (n, left) = (parent.0, left.saturating_sub(1));
        }
        n
    };
    let draws = |n: usize| scene.nodes.get(n).is_some_and(|node| node.meshes.iter().any(|mesh| mesh.0 == m));
    (0..scene.nodes.len()).any(|n| draws(n) && level.nodes.iter().any(|l| l.0 == root(n)))
}

/// Returns an entry of the report for a mesh, without changes.
pub(crate) fn part(name: &str, state: State) -> Part<MeshChange> {
    Part { name: name.into(), state, ..Part::default() }
}
