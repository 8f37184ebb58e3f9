//! LZ4 blocks: written ones obey the end rules, and hostile ones decode as the format says. `crates/lab/tests/witnesses` compares
//! with liblz4.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::lz4_blocks::{bytes, compare_cuts_and_bits, compare_hostile_blocks};
use meshwright_crucible::{Attribute, Chunk, Dialect, encode_block};
use meshwright_testkit::proptest;
use proptest::prelude::*;

/// Checks the end rules of the format, which liblz4's fast decoder needs: the last sequence has only
/// literals, at least five bytes, and no match starts within the last twelve.
fn obeys_end_rules(block: &[u8], size: usize) -> bool {
    let (mut at, mut out) = (0, 0);
    let run = |at: &mut usize, mut n: usize| {
        while n >= 15 {
            let more = usize::from(block[*at]);
            *at += 1;
            n += more;
            if more < 255 {
                break;
            }
        }
        n
    };
    let (mut last_match, mut literals) = (None, 0);
    while at < block.len() {
        let token = usize::from(block[at]);
        at += 1;
        literals = run(&mut at, token >> 4);
        at += literals;
        out += literals;
        if at >= block.len() {
            return out == size && last_match.is_none_or(|m| m + 12 <= size && literals >= 5);
        }
        at += 2;
        last_match = Some(out);
        out += 4 + run(&mut at, token & 15);
    }
    let _ = literals;
    false
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn written_blocks_obey_the_end_rules(data in bytes()) {
        let mut chunk = Chunk::new(Dialect::Seed);
        chunk.set(Attribute::Color, data.clone()).unwrap();
        let file = chunk.to_bytes().unwrap();
        let read = Chunk::parse(&file).unwrap();
        let block = read.streams[0].stream.packed().unwrap();
        prop_assert!(obeys_end_rules(block, data.len()), "{block:02x?}");
        prop_assert_eq!(read.streams[0].stream.data(), data);
    }
}

#[test]
fn hostile_blocks_decode_as_the_format_says() {
    let outcomes = compare_hostile_blocks(&[encode_block], None);
    for outcome in ["whole", "short", "long", "broken"] {
        assert!(outcomes.get(outcome) > Some(&1000), "{outcome}: {outcomes:?}");
    }
}

#[test]
fn every_cut_and_every_bit() {
    let outcomes = compare_cuts_and_bits(encode_block, None);
    assert!(outcomes.len() >= 5, "{outcomes:?}");
}
