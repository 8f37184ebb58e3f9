//! Generators of models with random bits, for property tests: every float has any bit pattern that the
//! format allows, arrays have any format, and half of the models have a layout of their own.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "generators of test values")]

use crate::layout::{Layout, Node, Section};
use crate::model::{
    AnimFlags, ArrayFormat, ArrayKind, Iqm, IqmAnim, IqmBounds, IqmExtension, IqmJoint, IqmMesh, IqmPose,
    TextId, VertexArray,
};
use crate::plan::lengths;
use crate::pose::rotation_of_version_1;
use crate::record::{EXTENSIONS, extension, header};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::layout::{Coverage, Retained};
use proptest::prelude::*;

/// Generates valid models of both versions.
pub fn iqm() -> impl Strategy<Value = Iqm> {
    proptest::collection::vec(any::<u32>(), 64..400).prop_map(|words| iqm_of(&mut Dice { words, at: 0 }))
}

/// Makes choices from a list of random words, which is repeated when it ends.
struct Dice {
    words: Vec<u32>,
    at: usize,
}

impl Dice {
    fn word(&mut self) -> u32 {
        let word = self.words.get(self.at % self.words.len().max(1)).copied().unwrap_or(0);
        let round = u32::try_from(self.at / self.words.len().max(1)).unwrap_or(0);
        self.at += 1;
        word.rotate_left(round)
    }

    fn below(&mut self, n: u32) -> u32 {
        self.word() % n.max(1)
    }

    fn size(&mut self, least: usize, most: usize) -> usize {
        least + self.word() as usize % (most - least + 1)
    }

    fn byte(&mut self) -> u8 {
        self.word().to_le_bytes()[1]
    }

    fn any(&mut self) -> F32 {
        F32::from_bits(self.word())
    }

    fn finite(&mut self) -> F32 {
        let f = self.any();
        if f.is_finite() { f } else { F32::from_bits(f.to_bits() & !0x0080_0000) }
    }

    fn many<T, const N: usize>(&mut self, mut f: impl FnMut(&mut Self) -> T) -> [T; N] {
        core::array::from_fn(|_| f(self))
    }

    fn list<T>(&mut self, n: usize, mut f: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..n).map(|_| f(self)).collect()
    }

    fn parent(&mut self, i: usize) -> i32 {
        i32::try_from(self.below(u32::try_from(i + 2).unwrap_or(2))).unwrap_or(0) - 2
    }
}

/// Returns a valid array for these numbers of vertices and joints.
fn array(d: &mut Dice, kind: ArrayKind, vertices: usize, joints: u32) -> VertexArray {
    let blends = matches!(kind, ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS);
    let format = match kind {
        ArrayKind::POSITION | ArrayKind::NORMAL => ArrayFormat(6 + d.below(3)),
        ArrayKind::BLEND_INDEXES => ArrayFormat(d.below(6)),
        ArrayKind::BLEND_WEIGHTS => ArrayFormat([1, 3, 7][d.below(3) as usize]),
        _ => ArrayFormat(d.below(9)),
    };
    let least = if kind == ArrayKind::POSITION { 3 } else { 1 };
    let components = if blends { 4 } else { u32::try_from(d.size(least, 4)).unwrap_or(3) };
    let width = format.width().unwrap_or(1) as usize;
    let mut data = Vec::new();
    for _ in 0..vertices * components as usize {
        match (kind, format) {
            (ArrayKind::BLEND_INDEXES, _) => {
                let index = d.below(joints.clamp(1, 100)).to_le_bytes();
                data.extend_from_slice(&index[..width.min(4)]);
            }
            (_, ArrayFormat::HALF) => {
                let half = u16::try_from(d.word() & 0xbbff).unwrap_or(0);
                data.extend_from_slice(&half.to_le_bytes());
            }
            (_, ArrayFormat::FLOAT) => data.extend_from_slice(&d.finite().to_bits().to_le_bytes()),
            (_, ArrayFormat::DOUBLE) => data.extend_from_slice(&f64::from(d.finite().get()).to_le_bytes()),
            _ => data.extend_from_slice(&d.word().to_le_bytes()[..width]),
        }
    }
    VertexArray { kind, flags: d.below(2) * d.below(9), format, components, data }
}

fn arrays(d: &mut Dice, vertices: usize, joints: u32, text: u32) -> Vec<VertexArray> {
    let mut kinds = alloc::vec![ArrayKind::POSITION];
    for kind in 1..8 {
        if d.below(2) == 0 {
            kinds.push(ArrayKind(kind));
        }
    }
    for _ in 0..d.size(0, 2) {
        kinds.push(ArrayKind(ArrayKind::CUSTOM + d.below(text)));
    }
    if d.below(3) == 0 {
        kinds.reverse();
    }
    kinds.into_iter().map(|kind| array(d, kind, vertices, joints)).collect()
}

fn joint(d: &mut Dice, i: usize, version: u32, text: u32) -> IqmJoint {
    let mut rotate = d.many(Dice::finite);
    if version == 1 {
        let [x, y, z, _] = rotate;
        rotate = rotation_of_version_1([x, y, z]);
    }
    IqmJoint {
        name: TextId(d.below(text)),
        parent: d.parent(i),
        translate: d.many(Dice::finite),
        rotate,
        scale: d.many(Dice::finite),
    }
}

fn pose(d: &mut Dice, i: usize, version: u32) -> IqmPose {
    let mut pose = IqmPose {
        parent: d.parent(i),
        mask: d.word() & if d.below(4) == 0 { 0xffff } else { 0x1ff },
        offset: d.many(Dice::finite),
        scale: d.many(Dice::finite),
    };
    if version == 1 {
        (pose.offset[9], pose.scale[9]) = (F32::default(), F32::default());
    }
    pose
}

fn mesh(d: &mut Dice, vertices: u32, triangles: u32, text: u32) -> IqmMesh {
    // The mesh has all vertices, so that every triangle is valid.
    let first_triangle = d.below(triangles + 1);
    IqmMesh {
        name: TextId(d.below(text)),
        material: TextId(d.below(text)),
        first_vertex: 0,
        vertex_count: vertices,
        first_triangle,
        triangle_count: d.below(triangles - first_triangle + 1),
    }
}

fn iqm_of(d: &mut Dice) -> Iqm {
    let version = if d.below(4) == 0 { 1 } else { 2 };
    let mut text = d.list(24, |d| if d.below(4) == 0 { 0 } else { d.byte() });
    text.push(0);
    let length = u32::try_from(text.len()).unwrap_or(1);
    let (joints, animated) = (d.size(0, 4), d.below(3) > 0);
    let bones = u32::try_from(joints).unwrap_or(0);
    let poses = if joints > 0 { joints } else { d.size(0, 2) };
    let poses = if animated { poses } else { 0 };
    let frame_count = if poses > 0 { u32::try_from(d.size(0, 3)).unwrap_or(0) } else { 0 };
    let vertices = d.size(0, 4);
    let vertex_count = u32::try_from(vertices).unwrap_or(0);
    let triangle_count = if vertices > 0 { d.size(0, 4) } else { 0 };
    let triangles = u32::try_from(triangle_count).unwrap_or(0);
    let meshes = d.size(0, 2);
    let anims = d.size(0, 2);
    let extensions = d.size(0, 2);
    let mut model = Iqm {
        version,
        flags: d.below(2) * d.word(),
        meshes: d.list(meshes, |d| mesh(d, vertex_count, triangles, length)),
        vertex_count,
        arrays: arrays(d, vertices, bones, length),
        triangles: d.list(triangle_count, |d| d.many(|d| d.below(vertex_count))),
        adjacency: None,
        joints: (0..joints).map(|i| joint(d, i, version, length)).collect(),
        poses: (0..poses).map(|i| pose(d, i, version)).collect(),
        anims: d.list(anims, |d| {
            let first_frame = d.below(frame_count + 1);
            IqmAnim {
                name: TextId(d.below(length)),
                first_frame,
                frame_count: d.below(frame_count - first_frame + 1),
                framerate: F32::from_bits(d.finite().to_bits() & 0x7fff_ffff),
                flags: AnimFlags(d.word()),
            }
        }),
        frame_count,
        frames: Vec::new(),
        bounds: None,
        comment: d.list(5, Dice::byte),
        extensions: d.list(extensions, |d| {
            let size = d.size(0, 20);
            IqmExtension { name: TextId(d.below(length)), data: d.list(size, Dice::byte) }
        }),
        text,
        ..Iqm::default()
    };
    let numbers = model.frame_channels() * frame_count as usize;
    model.frames = d.list(numbers, |d| u16::from_le_bytes([d.byte(), d.byte()]));
    if d.below(2) == 0 {
        model.adjacency = Some(d.list(triangle_count, |d| d.many(Dice::word)));
    }
    if d.below(2) == 0 {
        let bounds = |d: &mut Dice| IqmBounds {
            mins: d.many(Dice::any),
            maxs: d.many(Dice::any),
            xyradius: d.any(),
            radius: d.any(),
        };
        model.bounds = Some(d.list(frame_count as usize, bounds));
    }
    if d.below(2) == 0 {
        let layout = scattered(d, &model);
        model.layout = Retained::compared(layout, Layout::canonical(&model).ok().as_ref());
    }
    model
}

/// Assigns random offsets to all sections, with random gaps.
fn scattered(d: &mut Dice, model: &Iqm) -> Layout {
    let tables = lengths(model);
    let mut sizes: Vec<u64> = tables.to_vec();
    sizes[EXTENSIONS] = 0;
    sizes.extend(model.arrays.iter().map(|a| a.data.len() as u64));
    for e in &model.extensions {
        sizes.extend([extension::SIZE as u64, e.data.len() as u64]);
    }
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    let keys = d.list(sizes.len(), Dice::word);
    order.sort_by_key(|&i| (keys[i], i));
    let mut starts = alloc::vec![0_u32; sizes.len()];
    let (mut at, mut coverage) = (header::SIZE as u64, Coverage::new());
    coverage.add(0, at);
    for i in order {
        at += u64::from(d.below(3) * d.below(6));
        starts[i] = u32::try_from(at).unwrap_or(0);
        coverage.add(at, sizes[i]);
        at += sizes[i];
    }
    let filesize = u32::try_from(at).unwrap_or(0) + d.below(5);
    let size = u64::from(filesize + d.below(4));
    let filler = d.list(usize::try_from(size).unwrap_or(0), Dice::byte);
    let section = |i: usize, len: u64| Section { start: starts[i], len };
    let mut layout =
        Layout { filesize, size, gaps: coverage.gaps(&filler).without_padding(), ..Layout::default() };
    for (i, len) in tables.into_iter().enumerate() {
        let optional = [crate::record::ADJACENCY, crate::record::BOUNDS];
        let there = [model.adjacency.is_some(), model.bounds.is_some()];
        let absent = optional.iter().zip(there).any(|(table, there)| *table == i && !there);
        layout.tables[i] = if absent { Section::default() } else { section(i, len) };
    }
    let first = tables.len();
    layout.arrays =
        model.arrays.iter().enumerate().map(|(i, a)| section(first + i, a.data.len() as u64)).collect();
    let first = first + model.arrays.len();
    for (i, e) in model.extensions.iter().enumerate() {
        let data = section(first + 2 * i + 1, e.data.len() as u64);
        layout.nodes.push(Node { start: starts[first + 2 * i], data, next: d.word() });
    }
    for i in 1..layout.nodes.len() {
        layout.nodes[i - 1].next = layout.nodes[i].start;
    }
    if let Some(node) = layout.nodes.first() {
        layout.tables[EXTENSIONS].start = node.start;
    }
    layout
}
