//! Vertex lists, primitive lists and key streams. Each is decoded once, however many records refer to it.

use crate::layout::ListPlace;
use crate::packed::{Primitive, PrimitiveKind, Vertex, VertexKind};
use crate::record::{anim, header, mesh};
use crate::rules;
use crate::stream::{Step, Stream};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, ReadError, Rule, SortedMap, Source};

type Key = (u32, u32, u16);

/// The memory to remember a list, in addition to its items.
const KNOWN: usize = 192;

/// Bytes of the smallest vertex.
const SMALLEST: usize = VertexKind::Bits64.size();

/// A primitive list, its location, and its number of quads.
type Primitives = (Arc<Vec<Primitive>>, ListPlace, usize);

/// The lists of a file.
pub(crate) struct Lists<'s, 'a> {
    source: &'s Source<'a>,
    /// Start and end of every table that is not empty.
    tables: Vec<(u64, u64)>,
    vertices: SortedMap<Key, (Arc<Vec<Vertex>>, ListPlace)>,
    primitives: SortedMap<Key, Primitives>,
    streams: SortedMap<Key, (Arc<Stream>, ListPlace)>,
}

impl<'s, 'a> Lists<'s, 'a> {
    pub(crate) fn new(source: &'s Source<'a>, tables: &[(u32, u32); 4]) -> Self {
        let tables = tables.iter().filter(|t| t.1 > 0).map(|t| {
            let start = u64::from(t.0);
            (start, start.saturating_add(u64::from(t.1)))
        });
        Self {
            source,
            tables: tables.collect(),
            vertices: SortedMap::new(),
            primitives: SortedMap::new(),
            streams: SortedMap::new(),
        }
    }

    /// Returns the bytes of a list, which must be after the header, inside the file and outside the tables.
    /// `field` is the offset of the field that holds the list's offset.
    fn bytes(&self, path: &FieldPath<'_>, field: u64, place: ListPlace) -> Result<&'a [u8], ReadError> {
        if place.size == 0 {
            return Ok(&[]);
        }
        let all = self.source.bytes();
        let (start, size) = (u64::from(place.at), u64::from(place.size));
        let end = start.saturating_add(size);
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let first = header::SIZE as u64;
        let section = range.filter(|_| start >= first).and_then(|(from, to)| all.get(from..to));
        let Some(section) = section else {
            let message = format!("{size} bytes at {start:#x} lie outside {first:#x}..{:#x}", all.len());
            return Err(self.source.broken(rules::RANGE, path, field, message));
        };
        if self.tables.iter().any(|(from, to)| start < *to && *from < end) {
            let message = format!("{size} bytes at {start:#x} overlap a table");
            return Err(self.source.broken(rules::OVERLAP, path, field, message));
        }
        Ok(section)
    }

    /// Reads the number of vertices that the record at `record` states. Further bytes of the list are
    /// unused.
    pub(crate) fn vertices(
        &mut self,
        mesh: &FieldPath<'_>,
        record: u64,
        place: ListPlace,
        count: u16,
    ) -> Result<(Arc<Vec<Vertex>>, ListPlace), ReadError> {
        let key = (place.at, place.size, count);
        if let Some(known) = self.vertices.get(&key) {
            return Ok(known.clone());
        }
        let (path, field) = (mesh.field("vtx"), mesh::OFS_VTX.offset_in(record));
        let bytes = self.bytes(&path, field, place)?;
        let short = |found: usize| {
            let message = format!("{count} vertices stated, the list of {} bytes holds {found}", place.size);
            self.source.broken(rules::NVTX, &mesh::N_VTX.path(mesh), mesh::N_VTX.offset_in(record), message)
        };
        if usize::from(count).saturating_mul(SMALLEST) > bytes.len() {
            return Err(short(bytes.len() / SMALLEST));
        }
        self.source.charge(&path, field, "list", 1, KNOWN)?;
        self.source.charge(&path, field, "vertices", u64::from(count), size_of::<Vertex>())?;
        let mut vertices = Vec::with_capacity(usize::from(count));
        let mut rest = bytes;
        while vertices.len() < usize::from(count) {
            rest = neighbours(rest, usize::from(count), &mut vertices);
            let (i, at) = (vertices.len(), bytes.len().saturating_sub(rest.len()));
            if i == usize::from(count) {
                break;
            }
            if rest.is_empty() {
                return Err(short(i));
            }
            let (vertex, after) = vertex(rest).map_err(|(rule, message)| {
                self.source.broken(rule, &path.index(i), offset(field, place, at), message)
            })?;
            vertices.push(vertex);
            rest = after;
        }
        let used = u32::try_from(bytes.len().saturating_sub(rest.len())).unwrap_or(u32::MAX);
        let list = (Arc::new(vertices), ListPlace { used, ..place });
        self.vertices.insert(key, list.clone());
        Ok(list)
    }

    /// Reads all primitives of the list that the record at `record` refers to.
    pub(crate) fn primitives(
        &mut self,
        mesh: &FieldPath<'_>,
        record: u64,
        place: ListPlace,
    ) -> Result<Primitives, ReadError> {
        let key = (place.at, place.size, 0);
        if let Some(known) = self.primitives.get(&key) {
            return Ok(known.clone());
        }
        let (path, field) = (mesh.field("tris"), mesh::OFS_TRIS.offset_in(record));
        let bytes = self.bytes(&path, field, place)?;
        let count = count_primitives(bytes);
        self.source.charge(&path, field, "list", 1, KNOWN)?;
        self.source.charge(&path, field, "primitives", count, size_of::<Primitive>())?;
        let mut primitives = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = bytes.len().saturating_sub(rest.len());
            let Some((primitive, after)) = primitive(rest) else {
                let message = format!("cut short: {} bytes left in the list", rest.len());
                let path = path.index(primitives.len());
                return Err(self.source.broken(rules::TRI, &path, offset(field, place, at), message));
            };
            primitives.push(primitive);
            rest = after;
        }
        let quads = primitives.iter().filter(|p| p.kind().is_quad()).count();
        let list = (Arc::new(primitives), ListPlace { used: place.size, ..place }, quads);
        self.primitives.insert(key, list.clone());
        Ok(list)
    }

    /// Reads the keys of `bones` bones in the list that the record at `record` refers to. Further bytes of
    /// the list are unused.
    pub(crate) fn stream(
        &mut self,
        clip: &FieldPath<'_>,
        record: u64,
        place: ListPlace,
        bones: usize,
    ) -> Result<(Arc<Stream>, ListPlace), ReadError> {
        let key = (place.at, place.size, 0);
        if let Some(known) = self.streams.get(&key) {
            return Ok(known.clone());
        }
        let (path, field) = (clip.field("frames"), anim::OFS_FRAMES.offset_in(record));
        let bytes = self.bytes(&path, field, place)?;
        let (count, rest) = count_steps(bytes, bones).map_err(|(bone, rest)| {
            let at = offset(field, place, bytes.len().saturating_sub(rest));
            let message = format!("cut short: {rest} of {} bytes left", place.size);
            self.source.broken(rules::ANIM_TRUNC, &path.index(bone), at, message)
        })?;
        self.source.charge(&path, field, "list", 1, KNOWN)?;
        self.source.charge(&path, field, "keys", count, size_of::<Step>())?;
        self.source.charge(&path, field, "keys", bones as u64, size_of::<u32>())?;
        let mut steps = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        let mut ends = Vec::with_capacity(bones);
        let mut again = bytes;
        while ends.len() < bones {
            let Some((found, after)) = step(again) else { break };
            again = after;
            match found {
                Some(found) => steps.push(found),
                None => ends.push(u32::try_from(steps.len()).unwrap_or(u32::MAX)),
            }
        }
        let used = u32::try_from(bytes.len().saturating_sub(rest)).unwrap_or(u32::MAX);
        let list = (Arc::new(Stream::from_raw(steps, ends)), ListPlace { used, ..place });
        self.streams.insert(key, list.clone());
        Ok(list)
    }
}

/// Returns the file offset of byte `at` of a list. An empty list has no location, so the result is `field`,
/// the offset of the field with its size.
fn offset(field: u64, place: ListPlace, at: usize) -> u64 {
    if place.size == 0 {
        return field;
    }
    u64::from(place.at).saturating_add(at as u64)
}

/// Appends the run of vertices of one kind at the start of a list, at most `most`. Returns the bytes after
/// them.
fn neighbours<'b>(bytes: &'b [u8], most: usize, vertices: &mut Vec<Vertex>) -> &'b [u8] {
    /// Appends vertices of `N` bytes each.
    fn take<'b, const N: usize>(
        bytes: &'b [u8],
        kind: VertexKind,
        most: usize,
        vertices: &mut Vec<Vertex>,
        second: impl Fn(&[u8; N]) -> u64,
    ) -> &'b [u8] {
        let word = |record: &[u8; N]| record.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
        let is_kind = |record: &&[u8; N]| {
            let [.., tag] = word(record).to_le_bytes();
            VertexKind::of_tag(tag) == Some(kind)
        };
        let (all, _) = bytes.as_chunks::<N>();
        let all = all.get(..most.saturating_sub(vertices.len())).unwrap_or(all);
        let count = all.iter().take_while(is_kind).count();
        let (some, _) = all.split_at_checked(count).unwrap_or_default();
        vertices.extend(some.iter().map(|record| Vertex::of_kind(word(record), second(record))));
        bytes.get(count.saturating_mul(N)..).unwrap_or_default()
    }
    let kind = bytes.get(7).and_then(|tag| VertexKind::of_tag(*tag));
    match kind {
        Some(kind @ VertexKind::Bits64) => take::<8>(bytes, kind, most, vertices, |_| 0),
        Some(kind @ VertexKind::Bits96) => take::<12>(bytes, kind, most, vertices, |record| {
            record.last_chunk().map_or(0, |word| u64::from(u32::from_le_bytes(*word)))
        }),
        Some(kind @ VertexKind::Bits128) => take::<16>(bytes, kind, most, vertices, |record| {
            record.last_chunk().map_or(0, |word| u64::from_le_bytes(*word))
        }),
        None => bytes,
    }
}

fn vertex(bytes: &[u8]) -> Result<(Vertex, &[u8]), (&'static Rule, String)> {
    let cut = || (rules::VTX_CUT, format!("cut short: {} bytes left in the list", bytes.len()));
    let (first, after) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
    let first = u64::from_le_bytes(*first);
    let [.., tag] = first.to_le_bytes();
    let (second, after) = match VertexKind::of_tag(tag) {
        Some(VertexKind::Bits64) => (0, after),
        Some(VertexKind::Bits96) => {
            let (word, after) = after.split_first_chunk::<4>().ok_or_else(cut)?;
            (u64::from(u32::from_le_bytes(*word)), after)
        }
        Some(VertexKind::Bits128) => {
            let (word, after) = after.split_first_chunk::<8>().ok_or_else(cut)?;
            (u64::from_le_bytes(*word), after)
        }
        None => return Err((rules::VTX_TAG, format!("reserved tag {tag:#04x}"))),
    };
    Vertex::from_words(first, second).map(|v| (v, after)).ok_or_else(cut)
}

fn primitive(bytes: &[u8]) -> Option<(Primitive, &[u8])> {
    let (low, after) = bytes.split_first_chunk::<4>()?;
    let low = u64::from(u32::from_le_bytes(*low));
    if PrimitiveKind::of_tag(*bytes.first()?).size() == 4 {
        return Primitive::from_bits(low).map(|p| (p, after));
    }
    let (high, after) = after.split_first_chunk::<4>()?;
    Primitive::from_bits(low | u64::from(u32::from_le_bytes(*high)) << 32).map(|p| (p, after))
}

/// Returns the number of primitives that start in a list, including an incomplete last one.
fn count_primitives(bytes: &[u8]) -> u64 {
    let (mut count, mut rest) = (0_u64, bytes);
    while let Some(first) = rest.first() {
        count = count.saturating_add(1);
        rest = rest.get(PrimitiveKind::of_tag(*first).size()..).unwrap_or_default();
    }
    count
}

/// Returns the number of steps of `bones` bones and the number of bytes after them. If the stream is too
/// short, the error is the bone with incomplete steps and the number of remaining bytes.
fn count_steps(bytes: &[u8], bones: usize) -> Result<(u64, usize), (usize, usize)> {
    let (mut count, mut bone, mut rest) = (0_u64, 0, bytes);
    while bone < bones {
        let (found, after) = step(rest).ok_or((bone, rest.len()))?;
        match found {
            Some(_) => count = count.saturating_add(1),
            None => bone = bone.saturating_add(1),
        }
        rest = after;
    }
    Ok((count, rest.len()))
}

/// Returns the next step, or `Some((None, ..))` for the zero that ends a bone. `None` if the bytes are too
/// few.
fn step(bytes: &[u8]) -> Option<(Option<Step>, &[u8])> {
    let (tag, mut rest) = bytes.split_first()?;
    if *tag == 0 {
        return Some((None, rest));
    }
    let mut words = [0; 3];
    for (word, bit) in words.iter_mut().zip([0x80, 0x40, 0x20]) {
        if tag & bit != 0 {
            let (bytes, after) = rest.split_first_chunk::<4>()?;
            *word = u32::from_le_bytes(*bytes);
            rest = after;
        }
    }
    Some((Some(Step::from_parts(*tag, words)), rest))
}
