//! The rules that every model keeps, checked alike after reading, before writing and by validation.

use crate::codes;
use crate::layout::{BONE, CLIP, LOD, Layout, ListPlace, MeshPlace};
use crate::model::{Bmd, Bone, Mesh};
use crate::packed::{Primitive, Vertex};
use crate::read::{Message, record};
use crate::stream::{Stream, frames};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::{KEPT_PER_CODE, Path};

/// Takes one broken rule and answers whether to go on.
pub(crate) type Sink<'s> = dyn FnMut(&'static str, &Path<'_>, Option<u64>, Message) -> bool + 's;

/// The caller has heard enough.
struct Stop;
type Go = Result<(), Stop>;

/// What all elements of a vertex list have in common, with the first element that shows it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VertexFacts {
    /// One bit per kind.
    pub(crate) kinds: u8,
    /// The first vertex of each kind.
    first: [usize; 3],
    pub(crate) max_bone: u8,
    max_bone_at: usize,
    not_finite: Option<usize>,
}

impl VertexFacts {
    pub(crate) fn of(vertices: &[Vertex]) -> Self {
        let mut facts = Self::default();
        for (i, v) in vertices.iter().enumerate() {
            let bit = v.kind().bit();
            if facts.kinds & bit == 0 {
                facts.kinds |= bit;
                facts.first.iter_mut().skip(bit.trailing_zeros() as usize).take(1).for_each(|f| *f = i);
            }
            if v.bone() > facts.max_bone {
                (facts.max_bone, facts.max_bone_at) = (v.bone(), i);
            }
            if facts.not_finite.is_none() && !v.is_finite() {
                facts.not_finite = Some(i);
            }
        }
        facts
    }
}

/// What all elements of a primitive list have in common, with the first element that shows it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PrimitiveFacts {
    /// One bit per kind.
    pub(crate) kinds: u8,
    first: [usize; 4],
    pub(crate) quads: usize,
    pub(crate) max_index: u32,
    max_index_at: usize,
    tag2: Option<usize>,
}

impl PrimitiveFacts {
    pub(crate) fn of(primitives: &[Primitive]) -> Self {
        let mut facts = Self::default();
        for (i, p) in primitives.iter().enumerate() {
            let bit = p.kind().bit();
            if facts.kinds & bit == 0 {
                facts.kinds |= bit;
                facts.first.iter_mut().skip(bit.trailing_zeros() as usize).take(1).for_each(|f| *f = i);
            }
            facts.quads = facts.quads.saturating_add(p.kind().is_quad().into());
            let max = p.max_index();
            if max > facts.max_index {
                (facts.max_index, facts.max_index_at) = (max, i);
            }
            if facts.tag2.is_none() && p.tag2() != 0 {
                facts.tag2 = Some(i);
            }
        }
        facts
    }
}

/// Facts about lists, found once per list however many meshes share it.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    vertices: BTreeMap<usize, VertexFacts>,
    primitives: BTreeMap<usize, PrimitiveFacts>,
}

/// The identity of a shared list: two lists are one when they lie at the same address.
pub(crate) fn identity<T>(list: &Arc<T>) -> usize {
    Arc::as_ptr(list) as usize
}

impl Facts {
    pub(crate) fn vertices(&mut self, list: &Arc<Vec<Vertex>>) -> VertexFacts {
        *self.vertices.entry(identity(list)).or_insert_with(|| VertexFacts::of(list))
    }

    pub(crate) fn primitives(&mut self, list: &Arc<Vec<Primitive>>) -> PrimitiveFacts {
        *self.primitives.entry(identity(list)).or_insert_with(|| PrimitiveFacts::of(list))
    }
}

/// Calls `sink` with every broken rule, until it answers that it has heard enough.
pub(crate) fn check(model: &Bmd, sink: &mut Sink<'_>) {
    run(model, model.layout.as_ref(), sink);
}

/// As [`check`], for a model that is about to be arranged anew.
pub(crate) fn check_unplaced(model: &Bmd, sink: &mut Sink<'_>) {
    run(model, None, sink);
}

/// Whether a mesh's primitives lie partly over its vertices. Overlap is only a warning, so such a mesh opens
/// whatever indices its doubly used bytes spell; triangles of missing vertices are left out of every view.
pub(crate) fn lies_on_vertices(place: &MeshPlace) -> bool {
    let end = |l: &ListPlace| u64::from(l.at).saturating_add(u64::from(l.size));
    let (v, p) = (&place.vertices, &place.primitives);
    u64::from(v.at) < end(p) && u64::from(p.at) < end(v)
}

fn run(model: &Bmd, layout: Option<&Layout>, sink: &mut Sink<'_>) {
    let mut rules = Rules { model, layout, sink, seen: BTreeMap::new(), facts: Facts::default() };
    // Stopping early is the caller's wish, not a failure.
    let _ = rules.all();
}

struct Rules<'m, 's, 'x> {
    model: &'m Bmd,
    layout: Option<&'m Layout>,
    sink: &'s mut Sink<'x>,
    /// How often each code was told: beyond what a report keeps, elements are not searched for offsets.
    seen: BTreeMap<&'static str, u64>,
    facts: Facts,
}

impl Rules<'_, '_, '_> {
    fn tell(&mut self, code: &'static str, path: &Path<'_>, offset: Option<u64>, message: Message) -> Go {
        let count = self.seen.entry(code).or_insert(0);
        *count = count.saturating_add(1);
        if (self.sink)(code, path, offset, message) { Ok(()) } else { Err(Stop) }
    }

    fn all(&mut self) -> Go {
        self.meshes()?;
        self.lods()?;
        self.bones()?;
        self.clips()
    }

    fn meshes(&mut self) -> Go {
        let model = self.model;
        let root = Path::ROOT.field("meshes");
        for (i, mesh) in model.meshes.iter().enumerate() {
            let place = self.layout.and_then(|l| l.meshes.get(i));
            self.vertices(mesh, &root.index(i), place.map(|p| p.vertices))?;
            let doubly = place.is_some_and(lies_on_vertices);
            self.primitives(mesh, &root.index(i), place.map(|p| p.primitives), doubly)?;
        }
        Ok(())
    }

    fn vertices(&mut self, mesh: &Mesh, path: &Path<'_>, place: Option<ListPlace>) -> Go {
        let facts = self.facts.vertices(&mesh.vertices);
        let list = path.field("vtx");
        let at = |i: usize| {
            let before: usize = mesh.vertices.iter().take(i).map(|v| v.size()).sum();
            place.map(|p| u64::from(p.at).saturating_add(before as u64))
        };
        if mesh.vertices.len() > usize::from(u16::MAX) {
            let message = format!("{} vertices, the format counts to 65535", mesh.vertices.len());
            self.tell(codes::NVTX, &list, None, message.into())?;
        }
        let foreign = facts.kinds & !mesh.flags.vertex_kinds();
        if foreign != 0 {
            let i = facts.first.get(foreign.trailing_zeros() as usize).copied().unwrap_or(0);
            let kind = mesh.vertices.get(i).map_or_else(String::new, |v| format!("{:?}", v.kind()));
            let message = format!("of kind {kind}, which the flags {:#x} rule out", mesh.flags.0);
            let offset = self.detail(codes::VTX_SUBTYPE).then(|| at(i)).flatten();
            self.tell(codes::VTX_SUBTYPE, &list.index(i), offset, message.into())?;
        }
        let bones = self.model.bones.len().max(1);
        // Animations without bones: the table is missing, not the vertices at fault. They stay where they are.
        let lost_table = self.model.bones.is_empty() && !self.model.clips.is_empty();
        if usize::from(facts.max_bone) >= bones && !lost_table {
            let i = facts.max_bone_at;
            let message = format!("bone {} of {}", facts.max_bone, self.model.bones.len());
            let offset = self.detail(codes::VTX_BONE).then(|| at(i)).flatten();
            self.tell(codes::VTX_BONE, &list.index(i).field("bone"), offset, message.into())?;
        }
        if let Some(i) = facts.not_finite {
            let offset = self.detail(codes::VTX_POS).then(|| at(i)).flatten();
            let path = list.index(i);
            self.tell(codes::VTX_POS, &path.field("org"), offset, "a coordinate is not finite".into())?;
        }
        Ok(())
    }

    fn primitives(&mut self, mesh: &Mesh, path: &Path<'_>, place: Option<ListPlace>, any_index: bool) -> Go {
        let facts = self.facts.primitives(&mesh.primitives);
        let list = path.field("tris");
        let at = |i: usize| {
            let before: usize = mesh.primitives.iter().take(i).map(|p| p.size()).sum();
            place.map(|p| u64::from(p.at).saturating_add(before as u64))
        };
        let (v, p) = (mesh.vertices.len(), mesh.primitives.len());
        let stored = Mesh::stored_count(v, p, facts.quads, mesh.quad_count);
        if stored > usize::from(u16::MAX) {
            let message = format!("{stored} primitives to be stored, the format counts to 65535");
            self.tell(codes::NTRI, &list, None, message.into())?;
        }
        let foreign = facts.kinds & !mesh.flags.primitive_kinds();
        if foreign != 0 {
            let i = facts.first.get(foreign.trailing_zeros() as usize).copied().unwrap_or(0);
            let kind = mesh.primitives.get(i).map_or_else(String::new, |p| format!("{:?}", p.kind()));
            let message = format!("of kind {kind}, which the flags {:#x} rule out", mesh.flags.0);
            let offset = self.detail(codes::TRI_SUBTYPE).then(|| at(i)).flatten();
            self.tell(codes::TRI_SUBTYPE, &list.index(i), offset, message.into())?;
        }
        if let Some(i) = facts.tag2 {
            let offset = self.detail(codes::TAG2).then(|| at(i)).flatten();
            self.tell(codes::TAG2, &list.index(i), offset, "reserved bits are set".into())?;
        }
        if p > 0 && facts.max_index as usize >= v && !any_index {
            let i = facts.max_index_at;
            let corner = mesh
                .primitives
                .get(i)
                .and_then(|p| p.indices().iter().position(|v| *v == facts.max_index))
                .unwrap_or(0);
            let name = ["v0", "v1", "v2", "v3"].get(corner).copied().unwrap_or("v0");
            let message = format!("index {} of {v} vertices", facts.max_index);
            let offset = self.detail(codes::INDEX).then(|| at(i)).flatten();
            self.tell(codes::INDEX, &list.index(i).field(name), offset, message.into())?;
        }
        Ok(())
    }

    /// Whether another finding of this code will be kept.
    fn detail(&self, code: &'static str) -> bool {
        self.seen.get(code).is_none_or(|n| *n < KEPT_PER_CODE)
    }

    fn table(&self, table: usize, index: usize, size: u64, field: u64) -> Option<u64> {
        let start = self.layout?.tables.get(table)?;
        Some(record(*start, index, size).saturating_add(field))
    }

    fn lods(&mut self) -> Go {
        let (model, root) = (self.model, Path::ROOT.field("lods"));
        for (i, lod) in model.lods.iter().enumerate() {
            let end = usize::from(lod.first).saturating_add(usize::from(lod.count));
            if end > model.meshes.len() {
                let n = model.meshes.len();
                let message = format!("meshes {}..{end} of {n}", lod.first);
                let offset = self.table(1, i, LOD, 0);
                self.tell(codes::LOD_RANGE, &root.index(i), offset, message.into())?;
            }
        }
        Ok(())
    }

    fn bones(&mut self) -> Go {
        let (model, root) = (self.model, Path::ROOT.field("bones"));
        let normal = model.normal_bones();
        for (i, bone) in model.bones.iter().enumerate() {
            let path = root.index(i);
            if usize::from(bone.solid) >= model.meshes.len() && bone.solid != 0 {
                let message = format!("mesh {} of {}", bone.solid, model.meshes.len());
                let offset = self.table(2, i, BONE, 0x0d);
                self.tell(codes::SOLID_RANGE, &path.field("id_solid"), offset, message.into())?;
            }
            if i == 0 {
                continue;
            }
            if bone.is_pseudo() {
                self.pseudo(i, bone, normal)?;
                continue;
            }
            let offset = self.table(2, i, BONE, 0x0c);
            if i >= normal {
                let message = "a normal bone behind a pseudo-bone".into();
                self.tell(codes::PSEUDO_ORDER, &path, offset, message)?;
            }
            let parent = usize::from(bone.parent);
            if parent >= normal {
                let message = match model.bones.get(parent) {
                    Some(_) => format!("bone {parent} is a pseudo-bone"),
                    None => format!("bone {parent} of {}", model.bones.len()),
                };
                self.tell(codes::BONE_PARENT, &path.field("id_parent"), offset, message.into())?;
            }
        }
        for i in cycles(&model.bones) {
            let offset = self.table(2, i, BONE, 0x0c);
            let message = "its parents form a cycle".into();
            self.tell(codes::BONE_CYCLE, &root.index(i).field("id_parent"), offset, message)?;
        }
        Ok(())
    }

    fn pseudo(&mut self, i: usize, bone: &Bone, normal: usize) -> Go {
        let root = Path::ROOT.field("bones");
        let path = root.index(i);
        let path = path.field("xform");
        let offset = self.table(2, i, BONE, 0);
        let mut sum = 0.0_f64;
        for (id, weight) in bone.transform.followed() {
            let weight = f64::from(weight.decode());
            sum += weight;
            if weight != 0.0 && usize::from(id) >= normal {
                let message = format!("follows bone {id}, there are {normal} normal bones");
                self.tell(codes::PSEUDO_REF, &path, offset, message.into())?;
            }
        }
        if sum == 0.0 {
            self.tell(codes::PSEUDO_WEIGHT, &path, offset, "the weights sum to zero".into())?;
        }
        Ok(())
    }

    fn clips(&mut self) -> Go {
        let (model, root) = (self.model, Path::ROOT.field("anims"));
        let normal = model.normal_bones();
        let mut last: BTreeMap<usize, Option<LastKey>> = BTreeMap::new();
        for (i, clip) in model.clips.iter().enumerate() {
            let path = root.index(i);
            if clip.frames == 0 {
                let offset = self.table(3, i, CLIP, 4);
                self.tell(codes::ANIM_FRAMES0, &path.field("n_frames"), offset, "no frames".into())?;
            }
            if clip.stream.bone_count() != normal {
                let message = format!("keys for {} bones, there are {normal}", clip.stream.bone_count());
                self.tell(codes::ANIM_TRUNC, &path.field("frames"), None, message.into())?;
            }
            let stream = &clip.stream;
            let key = *last.entry(identity(stream)).or_insert_with(|| LastKey::of(stream));
            if let Some(key) = key.filter(|k| k.frame >= u32::from(clip.frames)) {
                let message = format!("key at frame {} of {}", key.frame, clip.frames);
                let start = self.layout.and_then(|l| l.clips.get(i)).map(|c| c.stream.at);
                let offset = start.map(|s| u64::from(s).saturating_add(key.offset));
                let path = path.field("frames");
                self.tell(codes::ANIM_FRAME, &path.index(key.bone), offset, message.into())?;
            }
        }
        Ok(())
    }
}

/// The key at the highest frame of a stream.
#[derive(Clone, Copy)]
struct LastKey {
    frame: u32,
    bone: usize,
    /// Where its tag stands in the stream.
    offset: u64,
}

impl LastKey {
    fn of(stream: &Stream) -> Option<Self> {
        let mut best: Option<Self> = None;
        let mut offset = 0_u64;
        for (bone, steps) in stream.bones().enumerate() {
            for (frame, step) in frames(steps) {
                if step.has_key() && best.is_none_or(|b| frame > b.frame) {
                    best = Some(Self { frame, bone, offset });
                }
                offset = offset.saturating_add(step.size() as u64);
            }
            offset = offset.saturating_add(1);
        }
        best
    }
}

/// The bones at which walking up from some bone comes back to one already passed: one per cycle.
fn cycles(bones: &[Bone]) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = alloc::vec![Mark::New; bones.len()];
    let mut found = Vec::new();
    let up = |i: usize| {
        let bone = bones.get(i).filter(|b| i > 0 && !b.is_pseudo())?;
        Some(usize::from(bone.parent)).filter(|p| *p > 0 && *p < bones.len())
    };
    for start in 0..bones.len() {
        let mut at = Some(start);
        while let Some(i) = at {
            match marks.get_mut(i) {
                Some(mark @ Mark::New) => *mark = Mark::Open,
                Some(Mark::Open) => {
                    found.push(i);
                    break;
                }
                _ => break,
            }
            at = up(i);
        }
        let mut at = Some(start);
        while let Some(i) = at {
            match marks.get_mut(i) {
                Some(mark @ Mark::Open) => *mark = Mark::Done,
                _ => break,
            }
            at = up(i);
        }
    }
    found
}
