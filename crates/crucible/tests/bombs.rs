//! Files that claim or decode to far more than their size: they are rejected at once, within a stated amount
//! of memory.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "tests")]

use meshwright_core::{ErrorClass, Limits, ReadOptions};
use meshwright_crucible::{CModel, Chunk, SkeletonChunk};
use meshwright_testkit::heap;

/// Returns the result of `f`, its peak memory and the milliseconds it took.
fn measured<T>(f: impl FnOnce() -> T) -> (T, usize, u128) {
    let (result, cost) = heap::measured(f);
    (result, cost.peak, cost.time.as_millis())
}

/// Returns a block that decodes to `n` zero bytes, at a ratio of 255 to 1.
fn zeros(n: usize) -> Vec<u8> {
    let run = n - 1 - 4 - 15 - 5;
    let mut block = vec![0x1f, 0, 1, 0];
    block.resize(4 + run / 255, 255);
    block.push((run % 255) as u8);
    block.extend([0x50, 0, 0, 0, 0, 0]);
    block
}

fn stream(flag: u16, block: &[u8], size: i32) -> Vec<u8> {
    let mut out = flag.to_le_bytes().to_vec();
    out.extend(i32::try_from(block.len()).unwrap().to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(block);
    out
}

fn chunk(streams: &[Vec<u8>]) -> Vec<u8> {
    let mut out = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, u8::try_from(streams.len()).unwrap()];
    streams.iter().for_each(|s| out.extend(s));
    out
}

#[test]
fn forty_four_bytes_that_claim_two_gib() {
    let bytes = chunk(&[stream(1, &[0xe0; 23], i32::MAX)]);
    assert_eq!(bytes.len(), 44);
    let (result, memory, _) = measured(|| Chunk::parse(&bytes).map(drop));
    assert_eq!(result.unwrap_err().code(), "impossible-ratio");
    assert!(memory < 1 << 20, "{memory} bytes");
    let mut model = b"cmodel\n\x01\0\0\0".to_vec();
    model.extend(44_u64.to_le_bytes());
    model.extend(&bytes);
    let (result, memory, _) = measured(|| CModel::parse(&model).map(drop));
    assert_eq!(result.unwrap_err().code(), "impossible-ratio");
    assert!(memory < 1 << 20, "{memory} bytes");
}

#[test]
fn nine_bytes_that_claim_two_gib() {
    for (bytes, code) in [
        ([0, 255, 255, 255, 127, 255, 255, 255, 127], "truncated"),
        ([0, 0, 0, 0, 0, 255, 255, 255, 127], "impossible-ratio"),
    ] {
        let (result, memory, _) = measured(|| Chunk::parse(&bytes).map(drop));
        assert_eq!(result.unwrap_err().code(), code);
        assert!(memory < 1 << 20, "{memory} bytes");
    }
    let (result, memory, _) =
        measured(|| SkeletonChunk::parse(&[255, 255, 255, 127, 255, 255, 255, 127, 1, 0]));
    assert_eq!(result.unwrap_err().code(), "truncated");
    assert!(memory < 1 << 20, "{memory} bytes");
}

#[test]
fn three_megabytes_that_are_720() {
    let size = 720 << 20;
    let block = zeros(size);
    assert!(block.len() < 3 << 20, "{}", block.len());
    let bytes = chunk(&[stream(0x10, &block, i32::try_from(size).unwrap())]);
    let (result, memory, ms) = measured(|| Chunk::parse(&bytes).map(drop));
    let e = result.unwrap_err();
    assert!(matches!(e.class(), ErrorClass::Limit { wanted: 754_974_720, .. }), "{e}");
    assert_eq!(e.code(), "limit-exceeded");
    assert!(memory < 1 << 20 && ms < 1000, "{memory} bytes, {ms} ms");
}

#[test]
fn the_sum_of_all_sizes_counts() {
    let (size, limit) = (3 << 20, 8 << 20);
    let one = |flag| stream(flag, &zeros(size), i32::try_from(size).unwrap());
    let options = ReadOptions::default().with_limits(Limits::default().with_memory(limit));
    let two = chunk(&[one(0x01), one(0x04)]);
    let (result, memory, _) = measured(|| Chunk::parse_with(&two, &options).map(drop));
    result.unwrap();
    assert!(memory < 7 << 20, "{memory} bytes");
    let three = chunk(&[one(0x01), one(0x04), one(0x40)]);
    let (result, memory, _) = measured(|| Chunk::parse_with(&three, &options).map(drop));
    assert_eq!(result.unwrap_err().code(), "limit-exceeded");
    assert!(memory < 1 << 20, "nothing is decoded before everything is known to fit: {memory} bytes");
}

/// Tests containers of many chunks. Each chunk needs more memory than it has bytes in the file.
#[test]
fn a_flood_of_empty_chunks_stays_in_proportion() {
    let n = 100_000_u32;
    let mut model = b"cmodel\n".to_vec();
    model.extend(n.to_le_bytes());
    for _ in 0..n {
        model.extend(11_u64.to_le_bytes());
        model.extend(chunk(&[]));
    }
    let (result, memory, ms) = measured(|| {
        let model = CModel::parse(&model).unwrap();
        (model.validate(), model.to_bytes().unwrap().len())
    });
    assert_eq!(result.1, model.len());
    assert_eq!(result.0.totals().count(), 2, "no vertices, no positions");
    assert!(memory < 32 * model.len() + (8 << 20), "{memory} bytes of {}", model.len());
    assert!(ms < 5000, "{ms} ms");
}

#[test]
fn a_skeleton_of_all_bones_takes_linear_time() {
    let n = 0xfffe_u16;
    let bones = (0..n).map(|i| meshwright_crucible::Bone { parent: i.checked_sub(1), ..Default::default() });
    let mut skeleton = SkeletonChunk::new(bones.collect());
    skeleton.list_children();
    let bytes = skeleton.to_bytes().unwrap();
    let (result, memory, ms) = measured(|| SkeletonChunk::parse(&bytes).map(|s| s.bones.len()));
    assert_eq!(result, Ok(65534));
    // The chunk is compressed, so the limit is relative to the decoded size.
    assert!(memory < 16 * 48 * usize::from(n), "{memory} bytes");
    assert!(ms < 2000, "{ms} ms");
}
