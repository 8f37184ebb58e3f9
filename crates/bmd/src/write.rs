//! Writing: into the places that the file had, or into one of the known arrangements.

use crate::layout::{BONE, CLIP, LOD, Layout, ListPlace, MESH, RECORDS, StringPlace};
use crate::model::{Bmd, Mesh, Name};
use crate::packed::{Primitive, Vertex, VertexKind};
use crate::read::MAGIC;
use crate::rules::{self, PrimitiveFacts, identity};
use crate::stream::Stream;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use meshwright_core::layout::Image;
use meshwright_core::{ByteWriter, Path, WriteError};

/// How the parts of a new file are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Arrangement {
    /// The oldest tool's: strings, meshes, levels of detail, lists.
    P0,
    /// An intermediate tool's: strings, levels of detail, meshes, lists.
    P1,
    /// The current tool's: as `P1`, with eight spare bytes behind each list.
    #[default]
    P2,
    /// The fewest bytes: no padding beyond what the elements' sizes ask for. No known tool writes this.
    Compact,
}

impl Bmd {
    /// Writes the model into the places its file had, byte for byte what was read when nothing changed.
    ///
    /// A model without a [`layout`](Self::layout), or one whose parts no longer fit their places, is arranged
    /// as the current tool does ([`Arrangement::P2`]); bytes that nothing refers to are then gone.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        first_error(|sink| rules::check(self, sink))?;
        if let Some(bytes) = self.layout.as_ref().and_then(|layout| retained(self, layout)) {
            return Ok(bytes);
        }
        self.to_bytes_as(Arrangement::P2)
    }

    /// Writes the model anew in the given arrangement.
    pub fn to_bytes_as(&self, arrangement: Arrangement) -> Result<Vec<u8>, WriteError> {
        first_error(|sink| rules::check_unplaced(self, sink))?;
        arranged(self, arrangement)
    }

    /// The arrangement of the tool that wrote the file, as far as it is a known one.
    pub fn arrangement(&self) -> Option<Arrangement> {
        let bytes = self.to_bytes().ok()?;
        let known = [Arrangement::P2, Arrangement::P1, Arrangement::P0, Arrangement::Compact];
        known.into_iter().find(|a| arranged(self, *a).is_ok_and(|b| b == bytes))
    }
}

fn first_error(check: impl FnOnce(&mut rules::Sink<'_>)) -> Result<(), WriteError> {
    let mut first = Ok(());
    check(&mut |code, path, _, message| {
        first = Err(WriteError::invalid(code, path, message));
        false
    });
    first
}

fn put_vertices(w: &mut ByteWriter, vertices: &[Vertex]) {
    for v in vertices {
        let [first, second] = v.words();
        w.le_u64(first);
        match v.kind() {
            VertexKind::Bits64 => {}
            VertexKind::Bits96 => w.le_u32(low(second)),
            VertexKind::Bits128 => w.le_u64(second),
        }
    }
}

fn put_primitives(w: &mut ByteWriter, primitives: &[Primitive]) {
    for p in primitives {
        if p.size() == 4 { w.le_u32(low(p.to_bits())) } else { w.le_u64(p.to_bits()) }
    }
}

fn put_stream(w: &mut ByteWriter, stream: &Stream) {
    for steps in stream.bones() {
        for step in steps {
            w.u8(step.tag());
            step.words().into_iter().flatten().for_each(|word| w.le_u32(word));
        }
        w.u8(0);
    }
}

/// A stream as it lies in a file.
pub(crate) fn stream_bytes(stream: &Stream) -> Vec<u8> {
    bytes_of(|w| put_stream(w, stream))
}

#[expect(clippy::cast_possible_truncation, reason = "the element has 32 bits")]
const fn low(bits: u64) -> u32 {
    bits as u32
}

fn bytes_of(f: impl FnOnce(&mut ByteWriter)) -> Vec<u8> {
    let mut w = ByteWriter::new();
    f(&mut w);
    w.into_bytes()
}

pub(crate) fn vertices_size(vertices: &[Vertex]) -> usize {
    vertices.iter().map(|v| v.size()).sum()
}

pub(crate) fn primitives_size(primitives: &[Primitive]) -> usize {
    primitives.iter().map(|p| p.size()).sum()
}

/// Offsets and sizes that the records of a file state.
#[derive(Default)]
struct Places {
    /// Offsets of the mesh, LOD, bone and clip table.
    tables: [u32; 4],
    /// Vertices, primitives and material of each mesh.
    meshes: Vec<(ListPlace, ListPlace, u32)>,
    bones: Vec<u32>,
    /// Name and stream of each clip.
    clips: Vec<(u32, ListPlace)>,
}

/// The header and the four tables, each with its offset.
fn records(model: &Bmd, places: &Places) -> Option<Vec<(u32, Vec<u8>)>> {
    let counts = [model.meshes.len(), model.lods.len(), model.bones.len(), model.clips.len()];
    let mut header = ByteWriter::with_capacity(48);
    header.bytes(&MAGIC);
    model.reserved.iter().for_each(|r| header.le_u32(*r));
    for ((at, count), size) in places.tables.iter().zip(counts).zip(RECORDS) {
        header.le_u32(*at);
        header.le_u32(u32::try_from((count as u64).checked_mul(size)?).ok()?);
    }

    let mut quads: BTreeMap<usize, usize> = BTreeMap::new();
    let mut meshes = ByteWriter::new();
    for (mesh, (vertices, primitives, material)) in model.meshes.iter().zip(&places.meshes) {
        let quads = *quads
            .entry(identity(&mesh.primitives))
            .or_insert_with(|| PrimitiveFacts::of(&mesh.primitives).quads);
        let (v, p) = (mesh.vertices.len(), mesh.primitives.len());
        meshes.le_u32(vertices.at);
        meshes.le_u32(primitives.at);
        meshes.le_u32(*material);
        meshes.le_u16(u16::try_from(v).ok()?);
        meshes.le_u16(u16::try_from(Mesh::stored_count(v, p, quads, mesh.quad_count)).ok()?);
        meshes.le_u32(vertices.size);
        meshes.le_u32(primitives.size);
        meshes.le_u32(mesh.flags.0);
        meshes.le_u32(mesh.reserved);
    }

    let lods = bytes_of(|w| {
        for lod in &model.lods {
            w.bytes(&[lod.first, lod.count, lod.scale.to_bits(), lod.reserved]);
        }
    });
    let bones = bytes_of(|w| {
        for (bone, name) in model.bones.iter().zip(&places.bones) {
            w.le_u64(bone.transform.to_bits());
            w.le_u32(*name);
            w.bytes(&[bone.parent, bone.solid]);
            w.bytes(&bone.reserved);
        }
    });
    let clips = bytes_of(|w| {
        for (clip, (name, stream)) in model.clips.iter().zip(&places.clips) {
            w.le_u32(*name);
            w.bytes(&[clip.frames, clip.rate.0]);
            w.bytes(&clip.reserved);
            w.le_u32(stream.at);
            w.le_u32(stream.size);
        }
    });
    let [mesh_at, lod_at, bone_at, clip_at] = places.tables;
    Some(alloc::vec![
        (0, header.into_bytes()),
        (mesh_at, meshes.into_bytes()),
        (lod_at, lods),
        (bone_at, bones),
        (clip_at, clips),
    ])
}

/// The model in the places that its file had; nothing when some part has another size than it had, or when
/// parts that shared bytes no longer agree.
fn retained(model: &Bmd, layout: &Layout) -> Option<Vec<u8>> {
    let same = layout.meshes.len() == model.meshes.len()
        && layout.lods == model.lods.len()
        && layout.bones.len() == model.bones.len()
        && layout.clips.len() == model.clips.len();
    if !same {
        return None;
    }
    let mut strings: BTreeMap<u32, &Name> = BTreeMap::new();
    let string = |name: &Option<Name>, place: StringPlace| -> Option<u32> {
        match name {
            None => (place.at == 0).then_some(0),
            Some(name) => (place.at != 0 && name.bytes().len() == place.len as usize).then_some(place.at),
        }
    };
    let mut places = Places { tables: layout.tables, ..Places::default() };
    for (mesh, place) in model.meshes.iter().zip(&layout.meshes) {
        let material = string(&mesh.material, place.material)?;
        places.meshes.push((place.vertices, place.primitives, material));
    }
    for (bone, place) in model.bones.iter().zip(&layout.bones) {
        places.bones.push(string(&bone.name, *place)?);
    }
    for (clip, place) in model.clips.iter().zip(&layout.clips) {
        places.clips.push((string(&clip.name, place.name)?, place.stream));
    }

    let mut image = Image::new(layout.len, &layout.gaps)?;
    let mut sections: Vec<(u64, Vec<u8>)> = Vec::new();
    for (at, bytes) in records(model, &places)? {
        sections.push((u64::from(at), bytes));
    }
    // A list that several records share is placed once; the same place with another list is placed again, and
    // then the check below decides.
    let mut placed: BTreeSet<(u32, usize)> = BTreeSet::new();
    let mut list = |at: ListPlace, identity: usize, bytes: &dyn Fn() -> Vec<u8>| -> Option<()> {
        if placed.insert((at.at, identity)) {
            let bytes = bytes();
            if bytes.len() != at.used as usize {
                return None;
            }
            sections.push((u64::from(at.at), bytes));
        }
        Some(())
    };
    for (mesh, place) in model.meshes.iter().zip(&layout.meshes) {
        list(place.vertices, identity(&mesh.vertices), &|| bytes_of(|w| put_vertices(w, &mesh.vertices)))?;
        list(place.primitives, identity(&mesh.primitives), &|| {
            bytes_of(|w| put_primitives(w, &mesh.primitives))
        })?;
    }
    for (clip, place) in model.clips.iter().zip(&layout.clips) {
        list(place.stream, identity(&clip.stream), &|| bytes_of(|w| put_stream(w, &clip.stream)))?;
    }
    let names = model.meshes.iter().zip(&layout.meshes).map(|(m, p)| (&m.material, p.material));
    let names = names.chain(model.bones.iter().zip(&layout.bones).map(|(b, p)| (&b.name, *p)));
    let names = names.chain(model.clips.iter().zip(&layout.clips).map(|(c, p)| (&c.name, p.name)));
    for (name, place) in names {
        let Some(name) = name else { continue };
        if strings.insert(place.at, name).is_some_and(|old| old != name) {
            return None;
        }
    }
    for (at, name) in strings {
        let mut bytes = name.bytes().to_vec();
        bytes.push(0);
        sections.push((u64::from(at), bytes));
    }

    for (at, bytes) in &sections {
        // An empty section may claim to lie anywhere.
        if !bytes.is_empty() {
            image.place(*at, bytes)?;
        }
    }
    if image.has_overlaps() && !sections.iter().all(|(at, b)| b.is_empty() || image.holds(*at, b)) {
        return None;
    }
    Some(image.into_bytes())
}

/// A file under construction whose parts are appended in order.
struct Emitter<'m> {
    out: ByteWriter,
    arrangement: Arrangement,
    strings: BTreeMap<&'m Name, u32>,
    /// By where the name is stored, so that long names that many records share are not compared for each.
    places: BTreeMap<usize, u32>,
    lists: BTreeMap<usize, ListPlace>,
}

fn fit(field: &'static str, value: usize) -> Result<u32, WriteError> {
    WriteError::fit(&Path::ROOT.field(field), "offset", value as u64, u32::MAX)
}

impl<'m> Emitter<'m> {
    fn position(&self) -> Result<u32, WriteError> {
        fit("file", self.out.len())
    }

    /// Puts every distinct string once, in the order of first use.
    fn strings(&mut self, model: &'m Bmd) -> Result<(), WriteError> {
        let materials = model.meshes.iter().filter_map(|m| m.material.as_ref());
        let bones = model.bones.iter().filter_map(|b| b.name.as_ref());
        let clips = model.clips.iter().filter_map(|c| c.name.as_ref());
        for name in materials.chain(bones).chain(clips) {
            if self.places.contains_key(&name.identity()) {
                continue;
            }
            let at = match self.strings.get(name) {
                Some(at) => *at,
                None => {
                    let at = self.position()?;
                    self.strings.insert(name, at);
                    self.out.bytes(name.bytes());
                    self.out.u8(0);
                    at
                }
            };
            self.places.insert(name.identity(), at);
        }
        Ok(())
    }

    fn name(&self, name: &Option<Name>) -> u32 {
        name.as_ref().and_then(|n| self.places.get(&n.identity())).copied().unwrap_or(0)
    }

    /// Leaves room for a table.
    fn table(&mut self, count: usize, record: u64, alignment: usize) -> Result<u32, WriteError> {
        if count == 0 {
            return Ok(0);
        }
        self.out.align(alignment);
        let at = self.position()?;
        let size = (count as u64).saturating_mul(record);
        let size = WriteError::fit(&Path::ROOT.field("file"), "table size", size, u32::MAX)?;
        self.out.zeros(size as usize);
        Ok(at)
    }

    /// Puts a list once. `has_narrow` tells whether it has elements of 32 or 96 bits.
    fn list(
        &mut self,
        identity: usize,
        has_narrow: impl FnOnce() -> bool,
        put: impl FnOnce(&mut ByteWriter),
    ) -> Result<ListPlace, WriteError> {
        if let Some(place) = self.lists.get(&identity) {
            return Ok(*place);
        }
        let compact = self.arrangement == Arrangement::Compact;
        self.out.align(match compact {
            false => 16,
            true if has_narrow() => 4,
            true => 8,
        });
        let at = self.position()?;
        put(&mut self.out);
        let size = fit("file", self.out.len())?.saturating_sub(at);
        if self.arrangement == Arrangement::P2 {
            self.out.zeros(8);
        }
        if !compact {
            self.out.align(16);
        }
        let place = ListPlace { at, size, used: size };
        self.lists.insert(identity, place);
        Ok(place)
    }
}

fn arranged(model: &Bmd, arrangement: Arrangement) -> Result<Vec<u8>, WriteError> {
    let mut e = Emitter {
        out: ByteWriter::new(),
        arrangement,
        strings: BTreeMap::new(),
        places: BTreeMap::new(),
        lists: BTreeMap::new(),
    };
    let [meshes, lods, bones, clips] =
        [model.meshes.len(), model.lods.len(), model.bones.len(), model.clips.len()];
    let mut places = Places::default();
    let compact = arrangement == Arrangement::Compact;
    e.out.zeros(48);
    match arrangement {
        Arrangement::Compact => {
            places.tables[0] = e.table(meshes, MESH, 8)?;
            places.tables[2] = e.table(bones, BONE, 8)?;
            places.tables[3] = e.table(clips, CLIP, 8)?;
            places.tables[1] = e.table(lods, LOD, 4)?;
        }
        Arrangement::P0 => {
            e.out.align(64);
            e.strings(model)?;
            places.tables[0] = e.table(meshes, MESH, 8)?;
            places.tables[1] = e.table(lods, LOD, 4)?;
        }
        Arrangement::P1 | Arrangement::P2 => {
            e.out.align(64);
            e.strings(model)?;
            places.tables[1] = e.table(lods, LOD, 4)?;
            places.tables[0] = e.table(meshes, MESH, 16)?;
        }
    }
    if !compact {
        e.out.align(16);
    }
    for mesh in &model.meshes {
        let narrow = || mesh.vertices.iter().any(|v| v.kind() == VertexKind::Bits96);
        let vertices = e.list(identity(&mesh.vertices), narrow, |w| put_vertices(w, &mesh.vertices))?;
        let narrow = || mesh.primitives.iter().any(|p| p.size() == 4);
        let primitives =
            e.list(identity(&mesh.primitives), narrow, |w| put_primitives(w, &mesh.primitives))?;
        places.meshes.push((vertices, primitives, 0));
    }
    if !compact {
        places.tables[2] = e.table(bones, BONE, 16)?;
        places.tables[3] = e.table(clips, CLIP, 16)?;
    }
    for clip in &model.clips {
        let stream = stream_place(&mut e, clip.stream.as_ref(), identity(&clip.stream))?;
        places.clips.push((0, stream));
    }
    if compact {
        e.strings(model)?;
    }
    for (place, mesh) in places.meshes.iter_mut().zip(&model.meshes) {
        place.2 = e.name(&mesh.material);
    }
    places.bones = model.bones.iter().map(|b| e.name(&b.name)).collect();
    for (place, clip) in places.clips.iter_mut().zip(&model.clips) {
        place.0 = e.name(&clip.name);
    }

    let mut bytes = e.out.into_bytes();
    let too_large = || WriteError::DoesNotFit {
        path: Path::ROOT.to_owned(),
        what: "table",
        value: u64::MAX,
        limit: u64::from(u32::MAX),
    };
    for (at, section) in records(model, &places).ok_or_else(too_large)? {
        let start = at as usize;
        let to = bytes.get_mut(start..start.saturating_add(section.len())).ok_or_else(too_large)?;
        to.copy_from_slice(&section);
    }
    Ok(bytes)
}

/// A stream takes no padding behind it: the file of the original tools ends with its last byte.
fn stream_place(e: &mut Emitter<'_>, stream: &Stream, identity: usize) -> Result<ListPlace, WriteError> {
    if let Some(place) = e.lists.get(&identity) {
        return Ok(*place);
    }
    e.out.align(if e.arrangement == Arrangement::Compact { 1 } else { 16 });
    let at = e.position()?;
    put_stream(&mut e.out, stream);
    let size = e.position()?.saturating_sub(at);
    let place = ListPlace { at, size, used: size };
    e.lists.insert(identity, place);
    Ok(place)
}
