//! A chunk of a million vertices, against the LZ4 decoders that its blocks need anyway.
//!
//! `parse` and `blocks_alone` decode the same blocks with the same decoder into fresh memory; their ratio is what
//! headers, range checks and the model cost. `blocks_reused` decodes into memory that is already mapped, `liblz4`
//! does the same with the C library.
#![allow(missing_docs, reason = "benchmarks")]
#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "benchmarks")]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use meshwright_crucible::{Attribute, Chunk, CrucibleOptions, Dialect};

const SIDE: u32 = 1000;

/// A wavy sheet of 1000 by 1000 vertices with normals, texture coordinates and 32-bit indices.
fn sheet() -> Vec<u8> {
    let (mut positions, mut normals, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (u, v) = (x as f32 / SIDE as f32, y as f32 / SIDE as f32);
            let (s, c) = ((u * 40.0).sin(), (v * 30.0).cos());
            positions.push([u * 100.0, s * c, v * 100.0]);
            let (dx, dz) = ((u * 40.0).cos() * c * 0.4, -s * (v * 30.0).sin() * 0.3);
            let l = (dx * dx + 1.0 + dz * dz).sqrt();
            normals.push([-dx / l, 1.0 / l, -dz / l]);
            uvs.push([u, v]);
        }
    }
    let mut indices = Vec::new();
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let a = y * SIDE + x;
            indices.extend([a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE]);
        }
    }
    let mut chunk = Chunk::new(Dialect::Seed);
    chunk.set_indices(&indices);
    chunk.set_floats(Attribute::Position3, &positions);
    chunk.set_floats(Attribute::Normal, &normals);
    chunk.set_floats(Attribute::Uv, &uvs);
    chunk.to_bytes().unwrap()
}

/// Blocks with the size they decode to.
fn blocks(chunk: &Chunk<'_>) -> Vec<(Vec<u8>, usize)> {
    let streams = [&chunk.indices].into_iter().chain(chunk.streams.iter().map(|s| &s.stream));
    streams.map(|s| (s.packed().unwrap().to_vec(), s.data().len())).collect()
}

fn decoded(file: &[u8]) -> BytesCount {
    BytesCount::from(blocks(&Chunk::parse(file).unwrap()).iter().map(|b| b.1).sum::<usize>())
}

#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let file = sheet();
    bencher.counter(decoded(&file)).bench_local(|| Chunk::parse(black_box(&file)).unwrap());
}

#[divan::bench]
fn parse_on_threads(bencher: Bencher<'_, '_>) {
    let file = sheet();
    let options = CrucibleOptions::default().with_threads(true);
    bencher.counter(decoded(&file)).bench_local(|| Chunk::parse_options(black_box(&file), &options).unwrap());
}

#[divan::bench]
fn blocks_alone(bencher: Bencher<'_, '_>) {
    let file = sheet();
    let blocks = blocks(&Chunk::parse(&file).unwrap());
    bencher.counter(decoded(&file)).bench_local(|| -> Vec<_> {
        black_box(&blocks).iter().map(|(b, n)| lz4_flex::block::decompress(b, *n).unwrap()).collect()
    });
}

#[divan::bench]
fn blocks_reused(bencher: Bencher<'_, '_>) {
    let file = sheet();
    let blocks = blocks(&Chunk::parse(&file).unwrap());
    let mut out: Vec<_> = blocks.iter().map(|b| vec![1; b.1]).collect();
    bencher.counter(decoded(&file)).bench_local(|| {
        for ((block, _), out) in black_box(&blocks).iter().zip(&mut out) {
            lz4_flex::block::decompress_into(block, out).unwrap();
        }
    });
}

#[divan::bench]
fn liblz4(bencher: Bencher<'_, '_>) {
    let file = sheet();
    let blocks = blocks(&Chunk::parse(&file).unwrap());
    let mut out: Vec<_> = blocks.iter().map(|b| vec![1; b.1]).collect();
    bencher.counter(decoded(&file)).bench_local(|| {
        for ((block, size), out) in black_box(&blocks).iter().zip(&mut out) {
            let size = i32::try_from(*size).ok();
            lz4::block::decompress_to_buffer(block, size, out).unwrap();
        }
    });
}

#[divan::bench]
fn validate(bencher: Bencher<'_, '_>) {
    let file = sheet();
    let chunk = Chunk::parse(&file).unwrap();
    bencher.counter(decoded(&file)).bench_local(|| black_box(&chunk).validate());
}

/// Large allocations come from the system every time. Otherwise the allocator's habits, which depend on what
/// small blocks happen to lie between the large ones, decide who pays for fresh pages.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a setting of the C library")]
fn settle_allocator() {
    unsafe extern "C" {
        fn mallopt(param: i32, value: i32) -> i32;
    }
    const MMAP_THRESHOLD: i32 = -3;
    // SAFETY: no other thread runs yet, and the call only changes a threshold.
    let done = unsafe { mallopt(MMAP_THRESHOLD, 1 << 20) };
    assert_eq!(done, 1);
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn settle_allocator() {}

fn main() {
    settle_allocator();
    divan::main();
}
