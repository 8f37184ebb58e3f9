//! Meshes in the native order, with what was edited of them.

use super::report::{MeshChange, Part, State};
use super::skeleton::Placed;
use super::vertices::{Grid, Moved, Same, Vertex, alike, compare, unbound};
use super::{Absent, At, Exactness, Place, Tolerance, Work};
use crate::convert::ConvertError;
use crate::mesh::Mesh;
use crate::model::Scene;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;
use meshwright_core::math::{Affine64, wide};

/// The vertex of an edited mesh.
pub(super) type Source = (usize, usize);

/// A native mesh and what was found of it.
pub(super) struct Found<'s> {
    /// As the export has it: what edited vertices are compared with.
    pub(super) exported: &'s Mesh,
    /// Where its node stands.
    pub(super) world: Affine64,
    /// Whose normals point elsewhere than their faces.
    askew: Vec<bool>,
    /// The first of the vertices that are equal to each.
    class: Vec<u32>,
    /// Triangles by their classes, sorted.
    faces: Vec<([u32; 3], u32)>,
    /// For each directed edge of classes the class opposite, sorted.
    edges: Vec<((u32, u32), u32)>,
    /// How near its vertices must be.
    pub(super) tolerance: Tolerance,
    /// Which triangles are still there.
    pub(super) there: Vec<bool>,
    /// The edited vertex of each class, and what of it is as it was.
    pub(super) slots: BTreeMap<u32, (Source, Same)>,
    /// Corners of triangles that are new here.
    pub(super) added: Vec<[Corner; 3]>,
    /// Edited meshes that lie in it.
    pub(super) sources: Vec<usize>,
}

/// A corner of a new triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Corner {
    /// A vertex that is there.
    Native(u32),
    /// One of an edited mesh.
    New(Source),
}

/// Where an edited mesh stands, in the native bind pose.
pub(super) struct Edited<'s> {
    pub(super) moved: Moved<'s>,
    /// The native vertex of each vertex.
    slots: Vec<Option<Vertex>>,
    /// The native mesh of its name.
    named: Option<usize>,
    /// Its node stands elsewhere than that of the native mesh.
    pub(super) placed: Option<Affine64>,
    drawn: bool,
}

impl Edited<'_> {
    /// How far a vertex is from a native one.
    fn distance(&self, v: usize, at: Vertex, found: &[Found<'_>]) -> Option<f64> {
        let native = found.get(at.mesh)?;
        let there = native.world.point(wide(*native.exported.positions.get(at.vertex)?));
        Some(meshwright_core::math::distance(*self.moved.positions.get(v)?, there))
    }

    /// Vertices that are further from the native ones than their mesh allows were moved.
    fn drop_edited(&mut self, found: &[Found<'_>]) {
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

/// Counts which vertices lie where they lay, bit for bit.
fn measure(own: &Edited<'_>, found: &[Found<'_>], exactness: &mut [Exactness]) {
    for (v, at) in own.slots.iter().enumerate().filter_map(|(v, at)| Some((v, (*at)?))) {
        if let Some((far, exactness)) = own.distance(v, at, found).zip(exactness.get_mut(at.mesh)) {
            exactness.add(far == 0.0);
        }
    }
}

impl Found<'_> {
    fn is_askew(&self, vertex: usize) -> bool {
        self.askew.get(vertex) == Some(&true)
    }

    pub(super) fn class(&self, vertex: usize) -> Option<u32> {
        self.class.get(vertex).copied()
    }
}

/// What was found of all meshes.
pub(super) struct Finds<'s> {
    /// By native mesh.
    pub(super) native: Vec<Found<'s>>,
    /// By edited mesh.
    pub(super) edited: Vec<Edited<'s>>,
    /// How exactly all vertices came back.
    pub(super) exactness: Exactness,
    /// Triangles of edited meshes that are no native ones.
    pub(super) foreign: Vec<(usize, Vec<[u32; 3]>)>,
}

/// Finds the native meshes in the edited ones.
pub(super) fn find<'s>(work: &Work<'s, '_>, placed: &Placed) -> Result<Finds<'s>, ConvertError> {
    let mut found = native(work)?;
    let mut edited = moved(work, placed, &found)?;
    let count = found.iter().map(|f| f.exported.positions.len()).fold(0, usize::saturating_add);
    let all = found.iter().enumerate().flat_map(|(mesh, f)| {
        let at = move |(vertex, p): (usize, &[f32; 3])| (Vertex { mesh, vertex }, f.world.point(wide(*p)));
        f.exported.positions.iter().enumerate().map(at)
    });
    let reach = work.tolerance.position.max(1e-7 * work.extent);
    let grid = Grid::new(all, count, reach, work.budget)?;
    let mut exactness = work.budget.filled("meshes", found.len(), Exactness::default())?;
    for own in edited.iter_mut().filter(|own| own.drawn) {
        match_vertices(work, own, &found, &grid)?;
        measure(own, &found, &mut exactness);
    }
    // Of few vertices others of the kind tell.
    let kind = |native: &Found<'_>| native.exported.skin.is_some();
    let all = [false, true].map(|skinned| {
        let own = found.iter().zip(&exactness).filter(|(native, _)| kind(native) == skinned);
        own.fold(Exactness::default(), |sum, (_, e)| sum.and(*e))
    });
    for (native, own) in found.iter_mut().zip(&exactness) {
        let [plain, skinned] = all;
        let all = if kind(native) { skinned } else { plain };
        if own.is_lossless() || own.is_few() && all.is_lossless() {
            native.tolerance = work.strict;
        }
    }
    for (e, own) in edited.iter_mut().enumerate().filter(|(_, own)| own.drawn) {
        own.drop_edited(&found);
        spread(work, own, &found)?;
        settle(work, e, own, &mut found)?;
    }
    let mut foreign = Vec::new();
    for (e, own) in edited.iter().enumerate().filter(|(_, own)| own.drawn) {
        if let Some(triangles) = triangles(e, own, &mut found) {
            foreign.push((e, triangles));
        }
    }
    let [plain, skinned] = all;
    Ok(Finds { native: found, edited, exactness: plain.and(skinned), foreign })
}

/// The native meshes, ready to be found again.
fn native<'s>(work: &Work<'s, '_>) -> Result<Vec<Found<'s>>, ConvertError> {
    let drawn =
        work.exported.drawn().ok_or_else(|| ConvertError::invalid("nodes", "parents form a cycle"))?;
    let mut worlds: BTreeMap<usize, Affine64> = BTreeMap::new();
    for (_, mesh, world) in drawn {
        worlds.entry(mesh.0).or_insert_with(|| world.wide());
    }
    let mut found = work.budget.reserve("meshes", work.exported.meshes.len())?;
    for (m, mesh) in work.exported.meshes.iter().enumerate() {
        let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
        work.budget.charge_items("vertices", vertices as u64, size_of::<[u64; 12]>())?;
        work.budget.charge_items("triangles", triangles as u64, size_of::<[u64; 12]>())?;
        let class = classes(mesh);
        let of = |v: u32| class.get(v as usize).copied().unwrap_or(v);
        let mut faces = Vec::with_capacity(triangles);
        let mut edges = Vec::with_capacity(triangles.saturating_mul(3));
        for (t, corners) in (0_u32..).zip(&mesh.triangles) {
            let [a, b, c] = corners.map(of);
            faces.push((turned([a, b, c]), t));
            edges.extend([((a, b), c), ((b, c), a), ((c, a), b)]);
        }
        faces.sort_unstable();
        edges.sort_unstable();
        edges.dedup();
        found.push(Found {
            exported: mesh,
            world: worlds.get(&m).copied().unwrap_or(Affine64::IDENTITY),
            askew: askew(mesh),
            class,
            faces,
            edges,
            tolerance: work.tolerance,
            there: alloc::vec![false; triangles],
            slots: BTreeMap::new(),
            added: Vec::new(),
            sources: Vec::new(),
        });
    }
    Ok(found)
}

/// Which normals of a mesh are far from those of the faces around. Editors keep normals as angles from these, so that they
/// come back less exactly.
fn askew(mesh: &Mesh) -> Vec<bool> {
    use meshwright_core::math::{add, cross, dot, sub, unit};
    if mesh.normals.is_empty() {
        return Vec::new();
    }
    let mut sums = alloc::vec![[0.0; 3]; mesh.positions.len()];
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|v| mesh.positions.get(v as usize).map_or([0.0; 3], |p| wide(*p)));
        let Some(face) = unit(cross(sub(b, a), sub(c, a))) else { continue };
        for v in corners {
            if let Some(sum) = sums.get_mut(*v as usize) {
                *sum = add(*sum, face);
            }
        }
    }
    let near = |(normal, sum): (&[f32; 3], &[f64; 3])| {
        unit(wide(*normal)).zip(unit(*sum)).is_some_and(|(n, s)| dot(n, s) > 0.5)
    };
    mesh.normals.iter().zip(&sums).map(|pair| !near(pair)).collect()
}

/// A triangle whose least corner comes first, wound as it was.
fn turned([a, b, c]: [u32; 3]) -> [u32; 3] {
    match a.min(b).min(c) {
        least if least == a => [a, b, c],
        least if least == b => [b, c, a],
        _ => [c, a, b],
    }
}

/// For each vertex the first that is equal in everything.
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
    let weights = |v: usize| mesh.skin.as_ref().map_or(&[][..], |s| s.of(v));
    let mut order: Vec<usize> = (0..mesh.positions.len()).collect();
    order.sort_by_key(|v| key(*v));
    let mut class: Vec<u32> = (0_u32..).take(mesh.positions.len()).collect();
    for run in order.chunk_by(|a, b| key(*a) == key(*b)) {
        for (i, &v) in run.iter().enumerate() {
            // Equal in all but weights is rare: few others are looked at.
            let first = run.get(..i).unwrap_or_default().iter().take(8).find(|w| weights(**w) == weights(v));
            if let Some((first, slot)) = first.and_then(|w| class.get(*w).copied()).zip(class.get_mut(v)) {
                *slot = first;
            }
        }
    }
    class
}

/// The edited meshes in the native bind pose and model space.
fn moved<'s>(
    work: &Work<'s, '_>,
    placed: &Placed,
    found: &[Found<'_>],
) -> Result<Vec<Edited<'s>>, ConvertError> {
    let scene = work.edited;
    let drawn = scene.drawn().ok_or_else(|| ConvertError::invalid("edited.nodes", "parents form a cycle"))?;
    let mut worlds: BTreeMap<usize, (usize, Affine64)> = BTreeMap::new();
    for (node, mesh, world) in drawn {
        worlds.entry(mesh.0).or_insert_with(|| (node.0, world.wide()));
    }
    let mut taken = alloc::vec![false; found.len()];
    for marked in work.meshes.values() {
        taken.get_mut(*marked).into_iter().for_each(|slot| *slot = true);
    }
    let mut edited = work.budget.reserve("meshes", scene.meshes.len())?;
    for (m, mesh) in scene.meshes.iter().enumerate() {
        work.budget.charge_items("vertices", mesh.positions.len() as u64, size_of::<[f64; 10]>())?;
        let (node, world) = worlds.get(&m).copied().unwrap_or((usize::MAX, Affine64::IDENTITY));
        let node = scene.nodes.get(node).map_or("", |n| n.name.as_str());
        let (mut positions, mut normals) = match &mesh.skin {
            Some(skin) => unbound(mesh, &|joint| {
                let at = At { skeleton: skin.skeleton.0, joint: joint as usize };
                at.of(&placed.bound).copied().flatten()
            }),
            None => (
                mesh.positions.iter().map(|p| wide(*p)).collect(),
                mesh.normals.iter().map(|n| wide(*n)).collect(),
            ),
        };
        let marked = work.meshes.get(&m).copied();
        let named = marked.or_else(|| named(work, mesh, node, &mut taken));
        let mut stands = None;
        if mesh.skin.is_none() {
            // A node that was moved as a whole leaves its vertices where they were in it.
            let home = named
                .and_then(|n| found.get(n))
                .filter(|f| !super::joints::alike(&world, &f.world, work.extent));
            let own = home
                .filter(|f| f.exported.skin.is_none() && stays(mesh, f.exported, work.tolerance.position));
            let to = own.map_or(world, |f| f.world);
            stands = own.map(|_| world);
            let turn = to.normals();
            positions.iter_mut().for_each(|p| *p = to.point(*p));
            normals.iter_mut().for_each(|n| *n = turn.map_or(*n, |m| m.vector(*n)));
        }
        let opaque = mesh.colors.iter().all(|[.., a]| *a == 255);
        let slots = work.budget.filled("vertices", mesh.positions.len(), None)?;
        let bone = mesh.name == "Icosphere" && mesh.skin.is_none() && named.is_none();
        edited.push(Edited {
            moved: Moved { mesh, positions, normals, opaque },
            slots,
            named,
            placed: stands,
            // The shape that Blender shows for bones comes along through other formats.
            drawn: worlds.contains_key(&m) && !bone,
        });
    }
    Ok(edited)
}

/// Most positions are those of another mesh, in their nodes.
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

/// The native mesh that a mesh is by its name, or by that of its node; of several the one of its material.
fn named(work: &Work<'_, '_>, mesh: &Mesh, node: &str, taken: &mut [bool]) -> Option<usize> {
    let material = |scene: &Scene, mesh: &Mesh| {
        mesh.material.and_then(|m| scene.materials.get(m.0)).map(|m| m.name.clone()).unwrap_or_default()
    };
    let own = material(work.edited, mesh);
    let free = |m: usize| !taken.get(m).copied().unwrap_or(true);
    let meshes = || work.exported.meshes.iter().enumerate().filter(|(m, _)| free(*m));
    let of = |name: &str| {
        let equal = meshes().filter(|(_, n)| !name.is_empty() && n.name == name);
        let mut equal: Vec<_> = equal.map(|(m, n)| (material(work.exported, n) != own, m)).collect();
        equal.sort_unstable();
        equal.first().map(|(_, m)| *m)
    };
    let found = of(&mesh.name).or_else(|| of(stem(&mesh.name))).or_else(|| of(node))?;
    if let Some(slot) = taken.get_mut(found) {
        *slot = true;
    }
    Some(found)
}

/// A name without the number that tools put behind names that are there twice.
pub(super) fn stem(name: &str) -> &str {
    match name.rsplit_once(['_', '.']) {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// Finds vertices that are what they were.
fn match_vertices(
    work: &Work<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    grid: &Grid,
) -> Result<(), LimitExceeded> {
    for v in 0..own.slots.len() {
        let same = |at: Vertex| {
            let native = found.get(at.mesh)?;
            let same = compare(
                (&own.moved, v),
                (native.exported, at.vertex, &native.world, native.is_askew(at.vertex)),
                &work.bones,
                &work.tolerance,
            );
            same.all().then_some(Vertex { vertex: native.class(at.vertex)? as usize, ..at })
        };
        work.budget.work("vertices", 1)?;
        let first = own.named.map(|mesh| Vertex { mesh, vertex: v }).and_then(same);
        let mut best = first;
        if best.is_none()
            && let Some(point) = own.moved.positions.get(v).copied()
        {
            for at in grid.near(point) {
                work.budget.work("vertices", 1)?;
                let better = best.is_none() || Some(at.mesh) == own.named;
                if better && let Some(at) = same(at) {
                    best = Some(at);
                    if Some(at.mesh) == own.named {
                        break;
                    }
                }
            }
        }
        if let Some(slot) = own.slots.get_mut(v) {
            *slot = best;
        }
    }
    Ok(())
}

/// The edited vertex that each native one was found to be first.
type Taken = BTreeMap<Vertex, usize>;

/// Tools take one vertex apart into several that are alike: those are one still.
fn joins(found: &[Found<'_>], own: &Edited<'_>, taken: &Taken, at: Vertex, v: usize) -> bool {
    let tolerance = found.get(at.mesh).map(|native| &native.tolerance);
    taken.get(&at).is_none_or(|first| tolerance.is_none_or(|t| alike(&own.moved, *first, v, t)))
}

/// Finds edited vertices by the triangles around them: where two corners are known, so is the third.
fn spread(work: &Work<'_, '_>, own: &mut Edited<'_>, found: &[Found<'_>]) -> Result<(), LimitExceeded> {
    let mut taken = BTreeMap::new();
    for (v, slot) in own.slots.iter().enumerate() {
        slot.map(|at| taken.entry(at).or_insert(v));
    }
    work.budget.charge_items("vertices", own.slots.len() as u64, size_of::<[Vertex; 2]>())?;
    in_order(own, found, &mut taken);
    by_likeness(work, own, found, &mut taken)?;
    loop {
        let mut met = false;
        work.budget.work("triangles", own.moved.mesh.triangles.len() as u64)?;
        for &[a, b, c] in &own.moved.mesh.triangles {
            for [p, q, r] in [[a, b, c], [b, c, a], [c, a, b]] {
                let slot = |v: u32| own.slots.get(v as usize).copied().flatten();
                let (Some(x), Some(y), None) = (slot(p), slot(q), slot(r)) else { continue };
                let Some(native) = found.get(x.mesh).filter(|_| x.mesh == y.mesh) else { continue };
                let narrow = |v: Vertex| u32::try_from(v.vertex).unwrap_or(u32::MAX);
                let edge = (narrow(x), narrow(y));
                let from = native.edges.partition_point(|(e, _)| *e < edge);
                let near =
                    native.edges.get(from..).unwrap_or_default().iter().take_while(|(e, _)| *e == edge);
                let at = |third: u32| Vertex { mesh: x.mesh, vertex: third as usize };
                let mut free = near
                    .map(|(_, third)| at(*third))
                    .filter(|third| joins(found, own, &taken, *third, r as usize));
                if let (Some(third), None) = (free.next(), free.next())
                    && let Some(slot) = own.slots.get_mut(r as usize)
                {
                    *slot = Some(third);
                    taken.entry(third).or_insert(r as usize);
                    met = true;
                }
            }
        }
        if !met {
            return Ok(());
        }
    }
}

/// A mesh with as many vertices and the same triangles has kept its order.
fn in_order(own: &mut Edited<'_>, found: &[Found<'_>], taken: &mut Taken) {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return };
    if native.exported.positions.len() != own.slots.len()
        || native.exported.triangles != own.moved.mesh.triangles
    {
        return;
    }
    for (v, slot) in own.slots.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
        // A twin that moved alone is no twin any more.
        let at = native.class(v).map(|class| Vertex { mesh, vertex: class as usize });
        if let Some(at) = at.filter(|at| at.vertex == v && !taken.contains_key(at)) {
            taken.insert(at, v);
            *slot = Some(at);
        }
    }
}

/// A vertex that is what one was but for its place and normal is that one; of several, the nearest.
fn by_likeness(
    work: &Work<'_, '_>,
    own: &mut Edited<'_>,
    found: &[Found<'_>],
    taken: &mut Taken,
) -> Result<(), LimitExceeded> {
    let Some((mesh, native)) = own.named.and_then(|m| Some((m, found.get(m)?))) else { return Ok(()) };
    if native.exported.uvs.is_empty() || own.moved.mesh.uvs.is_empty() {
        return Ok(());
    }
    let point = |uv: &[f32; 2]| {
        let [u, v] = wide(*uv);
        [u, v, 0.0]
    };
    let free = native.exported.uvs.iter().enumerate().filter_map(|(v, uv)| {
        let at = Vertex { mesh, vertex: v };
        (native.class(v) == u32::try_from(v).ok() && !taken.contains_key(&at)).then(|| (at, point(uv)))
    });
    let grid = Grid::new(free, native.exported.uvs.len(), work.tolerance.uv.max(1e-7), work.budget)?;
    let mut pairs = Vec::new();
    for v in (0..own.slots.len()).filter(|v| own.slots.get(*v) == Some(&None)) {
        let (Some(uv), Some(here)) = (own.moved.mesh.uvs.get(v), own.moved.positions.get(v)) else {
            continue;
        };
        for at in grid.near(point(uv)) {
            work.budget.work("vertices", 1)?;
            let same = compare(
                (&own.moved, v),
                (native.exported, at.vertex, &native.world, native.is_askew(at.vertex)),
                &work.bones,
                &native.tolerance,
            );
            let there = native.exported.positions.get(at.vertex).map(|p| native.world.point(wide(*p)));
            if let (true, true, true, Some(there)) = (same.uv, same.weights, same.color, there) {
                work.budget.charge_items("vertices", 1, size_of::<[u64; 8]>())?;
                pairs.push((!same.normal, meshwright_core::math::distance(*here, there), v, at));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
    for (_, _, v, at) in pairs {
        let open = own.slots.get(v) == Some(&None) && joins(found, own, taken, at, v);
        if let Some(slot) = own.slots.get_mut(v).filter(|_| open) {
            *slot = Some(at);
            taken.entry(at).or_insert(v);
        }
    }
    Ok(())
}

/// Tells the native meshes which edited vertex stands for each of theirs.
fn settle(
    work: &Work<'_, '_>,
    e: usize,
    own: &mut Edited<'_>,
    found: &mut [Found<'_>],
) -> Result<(), LimitExceeded> {
    for v in 0..own.slots.len() {
        let Some(at) = own.slots.get(v).copied().flatten() else { continue };
        let Some(native) = found.get_mut(at.mesh) else { continue };
        let same = compare(
            (&own.moved, v),
            (native.exported, at.vertex, &native.world, native.is_askew(at.vertex)),
            &work.bones,
            &native.tolerance,
        );
        let class = u32::try_from(at.vertex).unwrap_or(u32::MAX);
        if !native.slots.contains_key(&class) {
            work.budget.charge_items("vertices", 1, size_of::<(u32, Source, Same)>().saturating_mul(2))?;
        }
        // What is as it was wins over what was moved away from it.
        match native.slots.get(&class) {
            Some(((by, first), known)) if known.all() || !same.all() => {
                let one = *by == e && alike(&own.moved, *first, v, &native.tolerance);
                if !same.all()
                    && !one
                    && let Some(slot) = own.slots.get_mut(v)
                {
                    *slot = None;
                }
            }
            _ => {
                native.slots.insert(class, ((e, v), same));
            }
        }
        if !native.sources.contains(&e) {
            native.sources.push(e);
        }
    }
    Ok(())
}

/// Ticks off the triangles that are there, and puts new ones where they belong. Gives those of a mesh that is none of
/// the native ones.
fn triangles(e: usize, own: &Edited<'_>, found: &mut [Found<'_>]) -> Option<Vec<[u32; 3]>> {
    let known = own.slots.iter().flatten().count();
    let home = own.named.or_else(|| {
        // Without a name, where most of its vertices are, if that is most of them.
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        own.slots.iter().flatten().for_each(|at| {
            let count = counts.entry(at.mesh).or_default();
            *count = count.saturating_add(1);
        });
        let most =
            counts.into_iter().max_by_key(|(_, n)| *n).filter(|_| known.saturating_mul(2) > own.slots.len());
        most.map(|(mesh, _)| mesh)
    });
    let mut foreign = Vec::new();
    for &corners in &own.moved.mesh.triangles {
        let slots = corners.map(|v| own.slots.get(v as usize).copied().flatten());
        let mesh = slots.iter().flatten().next().map(|at| at.mesh);
        let whole = slots.iter().all(|at| at.is_some_and(|at| Some(at.mesh) == mesh));
        if whole && let Some(native) = mesh.and_then(|m| found.get_mut(m)) {
            let key = turned(slots.map(|at| at.map_or(0, |at| u32::try_from(at.vertex).unwrap_or(u32::MAX))));
            let from = native.faces.partition_point(|(face, _)| *face < key);
            let equal =
                native.faces.get(from..).unwrap_or_default().iter().take_while(|(face, _)| *face == key);
            let free = equal.map(|(_, t)| *t as usize).find(|t| native.there.get(*t) == Some(&false));
            if let Some(there) = free.and_then(|t| native.there.get_mut(t)) {
                *there = true;
                continue;
            }
        }
        match home.or(mesh).and_then(|m| Some((m, found.get_mut(m)?))) {
            Some((m, native)) => {
                let corner = |v: u32, at: Option<Vertex>| match at.filter(|at| at.mesh == m) {
                    Some(at) => Corner::Native(u32::try_from(at.vertex).unwrap_or(u32::MAX)),
                    None => Corner::New((e, v as usize)),
                };
                let ([a, b, c], [x, y, z]) = (corners, slots);
                native.added.push([corner(a, x), corner(b, y), corner(c, z)]);
            }
            None => foreign.push(corners),
        }
    }
    (!foreign.is_empty()).then_some(foreign)
}

/// How a mesh came out.
pub(super) fn state(change: &MeshChange) -> State {
    if *change == MeshChange::default() { State::Untouched } else { State::Edited }
}

/// True where a native mesh that no edited one has stays.
pub(super) fn stays_absent(work: &Work<'_, '_>, m: usize) -> bool {
    let nothing = work.edited.meshes.is_empty() && work.absent == Absent::Kept;
    // A tool that shows one scene loses the other levels.
    let leveled = work.edited.levels.is_empty() && !finest(work.native, m);
    let empty = work.exported.meshes.get(m).is_none_or(|m| m.triangles.is_empty() || m.positions.is_empty());
    nothing || leveled || empty || !drawn(work.exported, m)
}

fn drawn(scene: &Scene, m: usize) -> bool {
    scene.nodes.iter().any(|n| n.meshes.iter().any(|mesh| mesh.0 == m))
}

/// True where the finest level draws a mesh.
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

/// An empty line of the report for a mesh.
pub(super) fn part(mesh: &Mesh, state: State) -> Part<MeshChange> {
    Part { name: mesh.name.clone(), state, ..Part::default() }
}
