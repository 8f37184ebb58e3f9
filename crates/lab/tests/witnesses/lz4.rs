//! liblz4 reads the blocks that are written, and its blocks are read.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::lz4_blocks::{bytes, compare_cuts_and_bits, compare_hostile_blocks, with_block};
use lz4::block::{CompressionMode, compress, decompress};
use meshwright_crucible::{Attribute, Chunk, CrucibleOptions, Dialect, strategy};
use meshwright_testkit::proptest;
use proptest::prelude::*;

const HIGH: CompressionMode = CompressionMode::HIGHCOMPRESSION(12);

fn encode(data: &[u8], mode: Option<CompressionMode>) -> Vec<u8> {
    compress(data, mode, false).unwrap()
}

fn encode_by_default(data: &[u8]) -> Vec<u8> {
    encode(data, None)
}

fn encode_fast(data: &[u8]) -> Vec<u8> {
    encode(data, Some(CompressionMode::FAST(9)))
}

fn encode_high(data: &[u8]) -> Vec<u8> {
    encode(data, Some(HIGH))
}

fn decode(block: &[u8], size: usize) -> Option<Vec<u8>> {
    decompress(block, Some(i32::try_from(size).unwrap())).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn blocks_of_liblz4_are_read(data in bytes()) {
        // The binding passes liblz4, for empty data, a dangling pointer, which its slow mode dereferences.
        let modes = [None, Some(CompressionMode::FAST(1)), Some(CompressionMode::FAST(9)), Some(HIGH)];
        for mode in modes.into_iter().filter(|m| !data.is_empty() || m.is_none()) {
            let block = encode(&data, mode);
            let file = with_block(&block, data.len());
            let options = CrucibleOptions::default().with_dialect(Dialect::Seed);
            let chunk = Chunk::parse_with(&file, &options).unwrap().model;
            prop_assert_eq!(chunk.stream(Attribute::Color).unwrap().data(), &data[..]);
            prop_assert_eq!(chunk.to_bytes().unwrap(), file);
        }
    }

    #[test]
    fn liblz4_reads_what_is_written(data in bytes()) {
        let mut chunk = Chunk::new(Dialect::Seed);
        chunk.set(Attribute::Color, data.clone()).unwrap();
        let file = chunk.to_bytes().unwrap();
        let read = Chunk::parse(&file).unwrap();
        if !data.is_empty() {
            prop_assert_eq!(decode(read.streams[0].stream.packed().unwrap(), data.len()), Some(data));
        }
    }

    #[test]
    fn every_stream_of_a_written_chunk_is_read_by_liblz4(
        chunk in strategy::dialect().prop_flat_map(strategy::chunk)
    ) {
        let file = chunk.to_bytes().unwrap();
        let options = CrucibleOptions::default().with_dialect(chunk.dialect);
        let read = Chunk::parse_with(&file, &options).unwrap().model;
        for s in read.streams.iter().map(|s| &s.stream).chain([&read.indices]).filter(|s| !s.data().is_empty()) {
            let theirs = decode(s.packed().unwrap(), s.data().len());
            prop_assert_eq!(theirs.as_deref(), Some(s.data()));
        }
    }
}

#[test]
fn every_decoder_answers_the_same() {
    let seen = compare_hostile_blocks(&[encode_by_default, encode_fast, encode_high], Some(decode));
    let common = ["whole", "short", "long", "broken", "the peer agrees", "accepted by the peer", "sound end"];
    for outcome in common {
        assert!(seen.get(outcome) > Some(&1000), "{outcome}: {seen:?}");
    }
    assert!(seen["rejected by the peer"] > 100, "{seen:?}");
    // Nearly all blocks with a warning are rejected.
    assert!(seen["broken end"] * 9 < seen["rejected by the peer"] * 10, "{seen:?}");
}

#[test]
fn every_cut_and_every_bit() {
    let seen = compare_cuts_and_bits(encode_by_default, Some(decode));
    assert!(seen.len() >= 5, "{seen:?}");
}
