//! The sections of a file by the formats' descriptions, independent of the readers under test.

use meshwright::Format;
use meshwright_testkit::exhaust::{Field, Layout, LayoutBuilder, Order};

/// Returns the sections of a file. A format without an arm here has no tests of overlaps, so that is a failure.
pub(crate) fn layout_of(format: Format, bytes: &[u8]) -> Layout {
    match format {
        Format::Bmd => bmd(bytes),
        Format::CrucibleMesh => crucible_mesh(bytes),
        Format::CrucibleModel => crucible_model(bytes),
        Format::CrucibleSkeleton => crucible_skeleton(bytes),
        Format::Dpm => dpm(bytes),
        Format::Zym => zym(bytes),
        Format::Fso => fso(bytes),
        Format::Iqm => iqm(bytes),
        Format::TsoMesh => tso_mesh(bytes),
        Format::TsoSkeleton => tso_skeleton(bytes),
        Format::TsoAnimation => tso_animation(bytes),
        Format::TsoBinding => tso_binding(bytes),
        Format::Bmf => bmf(bytes),
        Format::Skn | Format::Cmx | Format::FrameGroups | Format::FsoMetadata => lines(bytes),
        Format::Bcf | Format::Cfp | Format::Apr | Format::Oft | Format::Hag | Format::Po | Format::Col => {
            halves(bytes)
        }
        Format::Gltf => gltf(bytes),
        _ => panic!("the sections of {format} are not known"),
    }
}

/// Returns the layout of a text: each line is a section without references.
fn lines(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    let mut start = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        s.section(start, line.len(), None, None);
        start += line.len();
    }
    s.done()
}

/// Returns the layout of records without references: one section in two halves.
fn halves(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    let middle = bytes.len() / 2;
    s.section(0, middle, None, None);
    s.section(middle, bytes.len() - middle, None, None);
    s.done()
}

/// Returns the chunks of a GLB; a text is one section in two halves.
fn gltf(bytes: &[u8]) -> Layout {
    if !bytes.starts_with(b"glTF") {
        return halves(bytes);
    }
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    let mut at = 12;
    while at + 8 <= bytes.len() {
        let len = s.word(at);
        s.section(at + 8, len, None, Some(Field::word(at)));
        at = at.saturating_add(8).saturating_add(len);
    }
    s.done()
}

fn bmd(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    for table in [0x10, 0x18, 0x20, 0x28] {
        s.pointed(table, s.word(table + 4), Some(Field::word(table + 4)));
    }
    for mesh in s.records(s.word(0x10), s.word(0x14) / 32, 32) {
        s.pointed(mesh, s.word(mesh + 16), Some(Field::word(mesh + 16)));
        s.pointed(mesh + 4, s.word(mesh + 20), Some(Field::word(mesh + 20)));
        s.pointed(mesh + 8, 1, None);
    }
    for bone in s.records(s.word(0x20), s.word(0x24) / 16, 16) {
        s.pointed(bone + 8, 1, None);
    }
    for clip in s.records(s.word(0x28), s.word(0x2c) / 16, 16) {
        s.pointed(clip, 1, None);
        s.pointed(clip + 8, s.word(clip + 12), Some(Field::word(clip + 12)));
    }
    s.done()
}

fn dpm(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Big);
    let [bones, meshes, frames] = [56, 60, 64].map(|at| s.word(at));
    for (count, offset, size) in [(56, 68, 40), (60, 72, 56), (64, 76, 68)] {
        s.pointed(offset, s.word(count) * size, Some(Field::count(count, size)));
    }
    for mesh in s.records(s.word(72), meshes, 56) {
        let [vertices, triangles] = [mesh + 32, mesh + 36].map(|at| s.word(at));
        // A vertex is as long as it has bones; four bytes and one bone at least.
        s.pointed(mesh + 40, vertices * 36, Some(Field::count(mesh + 32, 36)));
        s.pointed(mesh + 44, vertices * 8, Some(Field::count(mesh + 32, 8)));
        s.pointed(mesh + 48, triangles * 12, Some(Field::count(mesh + 36, 12)));
        s.pointed(mesh + 52, triangles * 4, Some(Field::count(mesh + 36, 4)));
    }
    for frame in s.records(s.word(76), frames, 68) {
        s.pointed(frame + 64, bones * 48, None);
    }
    s.done()
}

fn iqm(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    // Joints and poses of version 1 are shorter.
    let first = s.word(16) == 1;
    let (joint, pose) = if first { (44, 80) } else { (48, 88) };
    let channels = s.word(96);
    for (count, offset, size) in [
        (28, 32, 1),
        (36, 40, 24),
        (44, 52, 20),
        (56, 60, 12),
        (56, 64, 12),
        (68, 72, joint),
        (76, 80, pose),
        (84, 88, 20),
        (92, 100, channels * 2),
        (92, 104, 32),
        (108, 112, 1),
    ] {
        // Neighbours and bounds are there where their offset is.
        if s.word(offset) != 0 && size > 0 {
            s.pointed(offset, s.word(count) * size, Some(Field::count(count, size)));
        }
    }
    let vertices = s.word(48);
    for array in s.records(s.word(52), s.word(44), 20) {
        let width = [1, 1, 2, 2, 4, 4, 2, 4, 8].get(s.word(array + 8)).copied().unwrap_or(1);
        let size = width * s.word(array + 12);
        s.pointed(array + 16, vertices * size, Some(Field::count(48, size)));
    }
    let mut link = 120;
    for _ in 0..s.word(116) {
        let node = s.word(link);
        s.pointed(link, 16, None);
        s.pointed(node + 8, s.word(node + 4), Some(Field::word(node + 4)));
        link = node + 12;
    }
    s.done()
}

fn zym(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Big);
    for lump in (68..140).step_by(8) {
        s.pointed(lump, s.word(lump + 4), Some(Field::word(lump + 4)));
    }
    s.done()
}

fn fso(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    let long = |at| Field { at, width: 8, unit: 1 };
    let (mut at, mut indices) = (12, (0, 0));
    while at + 12 <= bytes.len() {
        let len = s.number(at + 4, 8);
        s.section(at + 12, len, None, Some(long(at + 4)));
        match bytes.get(at..at + 4) {
            Some(b"INDX") => indices = (at + 12, len),
            // Each mesh is a range of the indices.
            Some(b"MESH") => {
                for mesh in s.records(at + 12, len / 24, 24) {
                    let start = indices.0 + s.number(mesh, 8);
                    let len = s.word(mesh + 8) * 4;
                    s.section(start, len, None, Some(Field::count(mesh + 8, 4)));
                }
            }
            _ => {}
        }
        at = at + 12 + len;
    }
    s.done()
}

/// Adds the streams of a chunk that starts at `at`: compressed and decoded size, then the block.
fn chunk(s: &mut LayoutBuilder<'_>, at: usize) {
    let packed = s.word(at + 1);
    s.section(at + 9, packed, None, Some(Field::word(at + 1)));
    let mut at = at + 9 + packed;
    let streams = s.number(at, 1);
    at += 1;
    for _ in 0..streams {
        let packed = s.word(at + 2);
        s.section(at + 10, packed, None, Some(Field::word(at + 2)));
        at = at + 10 + packed;
    }
}

fn crucible_mesh(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    chunk(&mut s, 0);
    s.done()
}

fn crucible_model(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    let mut at = 11;
    for _ in s.records(11, s.word(7), 8) {
        let len = s.number(at, 8);
        s.section(at + 8, len, None, Some(Field { at, width: 8, unit: 1 }));
        chunk(&mut s, at + 8);
        at = at + 8 + len;
    }
    s.done()
}

fn crucible_skeleton(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    s.section(10, s.word(0), None, Some(Field::word(0)));
    s.section(8, 2, None, None);
    s.done()
}

/// Adds a string after a byte with its length. Returns its end.
fn pascal(s: &mut LayoutBuilder<'_>, at: usize) -> usize {
    let len = s.number(at, 1);
    s.section(at + 1, len, None, Some(Field { at, width: 1, unit: 1 }));
    at + 1 + len
}

/// Adds a table of `count * size` bytes after its count. Returns its end.
fn counted(s: &mut LayoutBuilder<'_>, at: usize, size: usize) -> usize {
    let len = s.word(at) * size;
    s.section(at + 4, len, None, Some(Field::count(at, size)));
    at + 4 + len
}

/// Adds names, faces, bindings and vertices from `at` on.
fn geometry(s: &mut LayoutBuilder<'_>, mut at: usize) {
    let names = s.word(at);
    at += 4;
    for _ in s.records(at, names, 1) {
        at = pascal(s, at);
    }
    for size in [12, 20, 8, 8] {
        at = counted(s, at, size);
    }
    // A blend moves a real vertex or not: the vertices after the total.
    s.section(at + 4, s.word(at) * 24, None, Some(Field::count(at, 24)));
}

fn tso_mesh(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Big);
    geometry(&mut s, 4);
    s.done()
}

fn bmf(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Little);
    let skin = pascal(&mut s, 0);
    let texture = pascal(&mut s, skin);
    geometry(&mut s, texture);
    s.done()
}

fn tso_skeleton(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Big);
    let mut at = pascal(&mut s, 4);
    let bones = s.number(at, 2);
    at += 2;
    for _ in s.records(at, bones, 55) {
        let name = pascal(&mut s, at + 4);
        let parent = pascal(&mut s, name);
        at = parent + 1;
        if s.number(parent, 1) != 0 {
            at = lists(&mut s, at);
        }
        s.section(at, 48, None, None);
        at += 48;
    }
    s.done()
}

/// Adds lists of pairs of strings. Returns their end.
fn lists(s: &mut LayoutBuilder<'_>, at: usize) -> usize {
    let (count, mut at) = (s.word(at), at + 4);
    for _ in s.records(at, count, 4) {
        let pairs = s.word(at);
        at += 4;
        for _ in s.records(at, pairs, 2) {
            let key = pascal(s, at);
            at = pascal(s, key);
        }
    }
    at
}

fn tso_animation(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Big);
    let name = s.number(4, 2);
    s.section(6, name, None, Some(Field { at: 4, width: 2, unit: 1 }));
    let mut at = 6 + name + 9;
    for size in [12, 16] {
        at = counted(&mut s, at, size);
    }
    let motions = s.word(at);
    at += 4;
    for _ in s.records(at, motions, 25) {
        let keys = pascal(&mut s, at + 4);
        s.section(keys, 18, None, None);
        at = keys + 20;
    }
    s.done()
}

fn tso_binding(bytes: &[u8]) -> Layout {
    let mut s = LayoutBuilder::new(bytes, Order::Big);
    let mut at = pascal(&mut s, 4);
    for _ in 0..2 {
        let len = if s.word(at) == 0 { 4 } else { 16 };
        s.section(at, len, None, None);
        at += len;
    }
    s.done()
}
