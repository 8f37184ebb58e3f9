//! Reduces vertices, primitives and meshes.

use super::fill::fill;
use super::options::{EngineSafety, Errors, OptimizeOptions};
use super::quads::{Unit, pair};
use super::vertices::{VertexReading, smallest};
use super::work_limit::WorkLimit;
use crate::model::{Bmd, Mesh, MeshFlags, Name, QuadCount, identity};
use crate::packed::{Primitive, PrimitiveKind, Vertex};
use crate::record;
use crate::write::{primitives_size, vertices_size};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::num::St14Form;
use meshwright_core::{SortedMap, SortedSet};

/// The maximum numbers of vertices of a mesh: for 32-bit quads, for 32-bit triangles, and for the stored
/// counts.
const CAPACITIES: [usize; 3] = [128, 1024, 65_535];
/// The maximum number of meshes, because levels of detail and solids store mesh numbers in a byte.
const MOST_MESHES: usize = 255;
/// Steps of work, and bytes of memory, per vertex or primitive while meshes are rebuilt.
const STEPS: u64 = 256;
const ELEMENT: u64 = 160;

/// Meshes that may be joined: they have the same material, levels and reserved bits.
struct Group {
    members: Vec<usize>,
    /// True if the meshes stay unchanged, because they are not drawn or are a bone's solid.
    fixed: bool,
}

/// Returns true if the existing engine's loader can load the mesh: it has no quads, and at most as many
/// triangles as vertices, because the loader allocates memory for that many.
pub(super) fn is_safe(mesh: &Mesh) -> bool {
    mesh.primitives.len() <= mesh.vertices.len() && !mesh.primitives.iter().any(|p| p.kind().is_quad())
}

/// Changes every mesh such that the existing engine's loader can load it. Shared lists are changed once. A
/// mesh with too many triangles to count stays unchanged.
pub(super) fn make_safe(model: &mut Bmd) {
    let mut done: SortedMap<(usize, usize), Mesh> = SortedMap::new();
    let sources = model.meshes.clone();
    for (mesh, old) in model.meshes.iter_mut().zip(&sources) {
        let lists = (identity(&old.vertices), identity(&old.primitives));
        let safe = done.entry(lists).or_insert_with(|| safe(old));
        (mesh.vertices, mesh.primitives) = (Arc::clone(&safe.vertices), Arc::clone(&safe.primitives));
        if !mesh.primitives.iter().any(|p| p.kind().is_quad()) {
            mesh.quad_count = QuadCount::Described;
        }
        // Flags that allow any kind stay as they are.
        let needed = MeshFlags::for_lists(&mesh.vertices, &mesh.primitives);
        if old.primitives != mesh.primitives && mesh.flags.0 & 0b1100 != MeshFlags::ANY.0 & 0b1100 {
            mesh.flags = MeshFlags(mesh.flags.0 & !0b1100 | needed.0 & 0b1100);
        }
    }
}

fn safe(mesh: &Mesh) -> Mesh {
    let most = usize::from(u16::MAX);
    if is_safe(mesh) || mesh.primitives.iter().map(|p| p.triangles().count()).sum::<usize>() > most {
        return mesh.clone();
    }
    let mut mesh = mesh.clone();
    if mesh.primitives.iter().any(|p| p.kind().is_quad()) {
        mesh.primitives = Arc::new(mesh.triangles().filter_map(Primitive::triangle).collect());
    }
    if mesh.vertices.len() < mesh.primitives.len() {
        let last = mesh.vertices.last().copied().unwrap_or_default();
        let mut vertices = mesh.vertices.to_vec();
        vertices.resize(mesh.primitives.len(), last);
        mesh.vertices = Arc::new(vertices);
    }
    mesh
}

/// Rebuilds the meshes, and updates the mesh numbers of levels of detail and solids.
pub(super) fn rebuild(model: &mut Bmd, options: &OptimizeOptions, work: &WorkLimit, errors: &mut Errors) {
    // Mesh numbers are bytes, so meshes after the 255th cannot be moved.
    if model.meshes.len() > MOST_MESHES {
        return;
    }
    let form = model.st_form();
    let groups = groups(model);
    let members = groups.iter().map(|g| g.members.len()).sum::<usize>();
    let mut meshes: Vec<Mesh> = Vec::new();
    // The index of the first new mesh of each old mesh, and the number of its new meshes.
    let mut moved: Vec<(usize, usize)> = alloc::vec![(0, 0); members];
    let mut left = members;
    for group in &groups {
        let start = meshes.len();
        left = left.saturating_sub(group.members.len());
        let room = MOST_MESHES.saturating_sub(start.saturating_add(left));
        meshes.extend(rebuilt(model, group, form, room, options, work, errors));
        let count = meshes.len().saturating_sub(start);
        for m in &group.members {
            if let Some(slot) = moved.get_mut(*m) {
                *slot = (start, count);
            }
        }
    }
    share(&mut meshes);
    for lod in &mut model.lods {
        if lod.count == 0 {
            // A level that starts at mesh 0 may mean all meshes, so an empty level must not start there.
            lod.first = lod.first.min(u8::try_from(meshes.len()).unwrap_or(u8::MAX));
            continue;
        }
        let range = usize::from(lod.first)..usize::from(lod.first).saturating_add(usize::from(lod.count));
        let mut new: SortedSet<usize> = SortedSet::new();
        for (start, n) in range.filter_map(|m| moved.get(m)) {
            new.extend(*start..start.saturating_add(*n));
        }
        let first = new.first().copied().unwrap_or(0);
        lod.first = u8::try_from(first).unwrap_or(u8::MAX);
        lod.count = u8::try_from(new.len()).unwrap_or(u8::MAX);
    }
    for bone in model.bones.iter_mut().filter(|b| b.solid != 0) {
        // A solid is never merged, so it is one mesh, and never the first: mesh 0 is part of the first group.
        let new = moved.get(usize::from(bone.solid)).map_or(0, |m| m.0);
        bone.solid = u8::try_from(new).unwrap_or(u8::MAX);
    }
    model.meshes = meshes;
}

/// Groups meshes. The groups are sorted by the levels they belong to, so that levels of detail stay ranges.
fn groups(model: &Bmd) -> Vec<Group> {
    let solids: SortedSet<usize> =
        model.bones.iter().map(|b| usize::from(b.solid)).filter(|s| *s != 0).collect();
    let mut classes: SortedMap<Vec<usize>, usize> = SortedMap::new();
    let mut keys: SortedMap<(usize, Key<'_>), usize> = SortedMap::new();
    let mut groups: Vec<(usize, Group)> = Vec::new();
    let mut starts: SortedMap<usize, Vec<usize>> = SortedMap::new();
    let mut ends: SortedMap<usize, Vec<usize>> = SortedMap::new();
    for (l, lod) in model.lods.iter().enumerate().filter(|(_, l)| l.count > 0) {
        starts.entry(usize::from(lod.first)).or_default().push(l);
        let end = usize::from(lod.first).saturating_add(usize::from(lod.count));
        ends.entry(end).or_default().push(l);
    }
    let mut open: SortedSet<usize> = SortedSet::new();
    let mut class = 0;
    for (i, mesh) in model.meshes.iter().enumerate() {
        let opening = starts.get(&i).into_iter().flatten();
        let closing: Vec<_> = ends.get(&i).into_iter().flatten().collect();
        let changed = i == 0 || starts.contains_key(&i) || !closing.is_empty();
        open.extend(opening);
        closing.into_iter().for_each(|l| {
            open.remove(l);
        });
        if changed {
            let next = classes.len();
            class = *classes.entry(open.iter().copied().collect()).or_insert(next);
        }
        let fixed = mesh.material.is_none() || solids.contains(&i);
        let key = (&mesh.material, mesh.reserved, mesh.flags.unknown());
        let next = groups.len();
        let place = if fixed { next } else { *keys.entry((class, key)).or_insert(next) };
        match groups.get_mut(place) {
            Some((_, group)) => group.members.push(i),
            None => groups.push((class, Group { members: alloc::vec![i], fixed })),
        }
    }
    groups.order_by_key(|(class, group)| (*class, group.members.first().copied()));
    groups.into_iter().map(|g| g.1).collect()
}

type Key<'m> = (&'m Option<Name>, u32, u32);

/// Rebuilds the meshes of one group, if the result takes fewer bytes.
fn rebuilt(
    model: &Bmd,
    group: &Group,
    form: St14Form,
    room: usize,
    options: &OptimizeOptions,
    work: &WorkLimit,
    errors: &mut Errors,
) -> Vec<Mesh> {
    let old: Vec<&Mesh> = group.members.iter().filter_map(|m| model.meshes.get(*m)).collect();
    let kept = || old.iter().map(|m| (*m).clone()).collect::<Vec<_>>();
    let elements = |m: &&Mesh| (m.vertices.len() as u64).saturating_add(m.primitives.len() as u64);
    let elements = old.iter().map(elements).fold(0_u64, u64::saturating_add);
    let affordable =
        || elements.saturating_mul(ELEMENT) <= options.memory && work.spend(elements.saturating_mul(STEPS));
    let Some(pattern) = old.first().filter(|_| !group.fixed && affordable()) else { return kept() };
    let reading = VertexReading { material: pattern.material_kind(), form };
    let joined = Joined::join(&old, reading, options);
    let best = joined.divided(room.max(old.len()), pattern, options);
    let before: usize = old.iter().map(|m| cost(m)).sum();
    let forced = options.engine != EngineSafety::Ignored && !old.iter().all(|m| is_safe(m));
    match best {
        Some((cost, meshes)) if cost < before || forced => {
            *errors = errors.max(joined.errors);
            // A group without triangles still needs one mesh.
            if meshes.is_empty() { kept().into_iter().take(1).collect() } else { meshes }
        }
        _ => kept(),
    }
}

/// Marks a vertex that has no new number yet.
const NONE: u32 = u32::MAX;

/// The triangles of some meshes over one list of distinct vertices. Each vertex has the smallest kind that
/// is allowed.
#[derive(Default)]
struct Joined {
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
    errors: Errors,
}

impl Joined {
    fn join(meshes: &[&Mesh], reading: VertexReading, options: &OptimizeOptions) -> Self {
        let mut this = Self::default();
        for mesh in meshes {
            let mut local: Vec<Option<u32>> = alloc::vec![None; mesh.vertices.len()];
            for t in mesh.triangles() {
                let corners = t.map(|i| {
                    let slot = local.get_mut(i as usize);
                    if let Some(Some(known)) = slot {
                        return *known;
                    }
                    let stored = mesh.vertices.get(i as usize).copied().unwrap_or_default();
                    let (v, error) = smallest(stored, reading, options);
                    this.errors = this.errors.max(error);
                    let id = u32::try_from(this.vertices.len()).unwrap_or(u32::MAX);
                    this.vertices.push(v);
                    if let Some(slot) = slot {
                        *slot = Some(id);
                    }
                    id
                });
                this.triangles.push(corners);
            }
        }
        this.merge();
        this
    }

    /// Merges equal vertices, in the order of their first use.
    fn merge(&mut self) {
        let all = core::mem::take(&mut self.vertices);
        let mut sorted: Vec<(Vertex, u32)> = all.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let mut ids = alloc::vec![0_u32; all.len()];
        for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
            for (_, i) in equal {
                ids[*i as usize] = equal[0].1;
            }
        }
        for (i, v) in all.into_iter().enumerate() {
            // The first of the equal vertices comes earlier and has its number already.
            let first = ids[i] as usize;
            ids[i] = if first == i {
                self.vertices.push(v);
                u32::try_from(self.vertices.len() - 1).unwrap_or(u32::MAX)
            } else {
                ids[first]
            };
        }
        for corner in self.triangles.as_flattened_mut() {
            *corner = ids[*corner as usize];
        }
    }

    /// Divides the triangles into at most `room` meshes with `pattern`'s material that take the fewest
    /// bytes. Returns the bytes and the meshes.
    fn divided(&self, room: usize, pattern: &Mesh, options: &OptimizeOptions) -> Option<(usize, Vec<Mesh>)> {
        let units = if options.engine != EngineSafety::Ignored {
            self.triangles.iter().copied().map(Unit::Triangle).collect()
        } else {
            pair(&self.triangles)
        };
        let mut best: Option<(usize, Vec<Mesh>)> = None;
        let mut order = alloc::vec![NONE; self.vertices.len()];
        for capacity in CAPACITIES {
            let bins = fill(&units, self.vertices.len(), capacity);
            if bins.len() > room {
                continue;
            }
            let emitted = |bin: &Vec<Unit>| emit(bin, &self.vertices, &mut order, pattern, options);
            let meshes: Vec<Mesh> = bins.iter().map(emitted).collect();
            let cost = meshes.iter().map(cost).sum();
            let countable = meshes.iter().all(countable);
            if countable && best.as_ref().is_none_or(|(old, _)| cost < *old) {
                best = Some((cost, meshes));
            }
            if self.vertices.len() <= capacity {
                // A larger capacity changes nothing.
                break;
            }
        }
        best
    }
}

/// Returns the bytes of a mesh including its record.
fn cost(mesh: &Mesh) -> usize {
    let lists = vertices_size(&mesh.vertices).saturating_add(primitives_size(&mesh.primitives));
    lists.next_multiple_of(8).saturating_add(record::mesh::SIZE)
}

/// Returns true if the counts of a mesh can be stored.
fn countable(mesh: &Mesh) -> bool {
    let (v, p) = (mesh.vertices.len(), mesh.primitives.len());
    let quads = mesh.primitives.iter().filter(|p| p.kind().is_quad()).count();
    let stored = Mesh::stored_count(v, p, quads, QuadCount::Described);
    v <= usize::from(u16::MAX) && stored <= usize::from(u16::MAX)
}

/// Builds a mesh from units. Vertices of quads come first, so that as many quads as possible fit 32 bits.
/// `order` has an entry for each vertex and is restored afterwards.
fn emit(
    bin: &[Unit],
    vertices: &[Vertex],
    order: &mut [u32],
    pattern: &Mesh,
    options: &OptimizeOptions,
) -> Mesh {
    let mut list = Vec::new();
    let mut put = |corner: u32| {
        let id = &mut order[corner as usize];
        if *id == NONE {
            *id = u32::try_from(list.len()).unwrap_or(u32::MAX);
            list.push(vertices[corner as usize]);
        }
        *id
    };
    for unit in bin {
        if let Unit::Quad(corners) = *unit {
            for corner in corners {
                put(corner);
            }
        }
    }
    let mut primitives = Vec::new();
    for unit in bin {
        match *unit {
            Unit::Triangle(t) => primitives.extend(Primitive::triangle(t.map(&mut put))),
            Unit::Quad(q) => {
                let [a, b, c, d] = q.map(&mut put);
                let narrow = Primitive::new(PrimitiveKind::Quad32, [a, b, c, d]);
                let halves = [[a, b, c], [a, c, d]].map(Primitive::triangle);
                let size: usize = halves.iter().flatten().map(|p| p.size()).sum();
                let wide = Primitive::new(PrimitiveKind::Quad64, [a, b, c, d]).filter(|w| w.size() < size);
                match narrow.or(wide) {
                    Some(quad) => primitives.push(quad),
                    None => primitives.extend(halves.into_iter().flatten()),
                }
            }
        }
    }
    bin.iter().flat_map(Unit::corners).for_each(|c| order[*c as usize] = NONE);
    // The existing loader allocates memory for as many triangles as there are vertices.
    while options.engine != EngineSafety::Ignored && list.len() < primitives.len() {
        list.push(list.last().copied().unwrap_or_default());
    }
    let flags = MeshFlags::for_lists(&list, &primitives);
    Mesh {
        vertices: Arc::new(list),
        primitives: Arc::new(primitives),
        material: pattern.material.clone(),
        flags: MeshFlags(flags.0 | pattern.flags.unknown()),
        quad_count: QuadCount::Described,
        reserved: pattern.reserved,
    }
}

/// Shares lists of equal content.
fn share(meshes: &mut [Mesh]) {
    let mut vertices: SortedSet<Arc<Vec<Vertex>>> = SortedSet::new();
    let mut primitives: SortedMap<Vec<u64>, Arc<Vec<Primitive>>> = SortedMap::new();
    for mesh in meshes {
        if let Some(known) = vertices.get(&mesh.vertices) {
            mesh.vertices = Arc::clone(known);
        } else {
            vertices.insert(Arc::clone(&mesh.vertices));
        }
        let bits = mesh.primitives.iter().map(|p| p.to_bits()).collect();
        mesh.primitives = Arc::clone(primitives.entry(bits).or_insert_with(|| Arc::clone(&mesh.primitives)));
    }
}
