//! A file of a million vertices, against reading its bytes once.
//!
//! `read_once` looks at every byte in the widest steps the compiler finds; `open` is the strict reader with all its
//! checks, `open_and_validate` the reader and every warning.
#![allow(missing_docs, reason = "benchmarks")]
#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "benchmarks")]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use meshwright_core::f32s;
use meshwright_fsomodel::{Dialect, FsoModel, MeshEntry, Vertex, chunks};

const SIDE: u32 = 1000;

/// A wavy sheet of 1000 by 1000 vertices, in ten meshes.
fn sheet() -> Vec<u8> {
    let mut vertices = Vec::new();
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (u, v) = (x as f32 / SIDE as f32, y as f32 / SIDE as f32);
            let (sin, cos) = (u * 40.0).sin_cos();
            let l = (1.0 + cos * cos).sqrt();
            vertices.push(Vertex {
                position: f32s([u * 100.0, sin, v * 100.0]),
                uv: f32s([u, v, 0.0]),
                normal: f32s([-cos / l, 1.0 / l, 0.0]),
                tangent: f32s([1.0 / l, cos / l, 0.0]),
                ..Vertex::default()
            });
        }
    }
    let mut indices = Vec::new();
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let a = y * SIDE + x;
            indices.extend([a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE]);
        }
    }
    let part = indices.len() / 10 / 3 * 3;
    let starts = (0..10).map(|i| i * part);
    let entry = |start: usize| MeshEntry {
        offset: start as u64 * 4,
        count: u32::try_from(if start == 9 * part { indices.len() - start } else { part }).unwrap(),
        ..MeshEntry::default()
    };
    let mut model = FsoModel::new(Dialect::Seed44);
    model.set_vertices(&vertices);
    model.set_indices(&indices);
    model.set_meshes(&starts.map(entry).collect::<Vec<_>>());
    model.fix_extents();
    assert!(model.validate().is_empty());
    model.to_bytes().unwrap()
}

fn size(file: &[u8]) -> BytesCount {
    BytesCount::from(file.len())
}

#[divan::bench]
fn read_once(bencher: Bencher<'_, '_>) {
    let file = sheet();
    bencher.counter(size(&file)).bench_local(|| {
        let words = black_box(&file).as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b));
        words.fold(0, |a, b| a ^ b)
    });
}

#[divan::bench]
fn copy(bencher: Bencher<'_, '_>) {
    let file = sheet();
    let mut to = vec![1_u8; file.len()];
    bencher.counter(size(&file)).bench_local(|| black_box(&mut to).copy_from_slice(black_box(&file)));
}

#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let file = sheet();
    bencher.counter(size(&file)).bench_local(|| FsoModel::parse(black_box(&file)).unwrap());
}

#[divan::bench]
fn open_and_validate(bencher: Bencher<'_, '_>) {
    let file = sheet();
    bencher.counter(size(&file)).bench_local(|| FsoModel::parse(black_box(&file)).unwrap().validate());
}

#[divan::bench]
fn walk(bencher: Bencher<'_, '_>) {
    let file = sheet();
    bencher.counter(size(&file)).bench_local(|| chunks(black_box(&file)).unwrap().count());
}

fn main() {
    divan::main();
}
