//! LZ4 blocks for tests. The results for hostile blocks are compared with a literal implementation of the block format, and
//! with a peer that a test may name: which of them accept a block, and how many bytes it decodes to.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_possible_truncation, reason = "tests")]

use meshwright_core::ReadOptions;
use meshwright_crucible::{Attribute, Chunk, CrucibleOptions, Dialect};
use meshwright_testkit::mutate::{Rng, mutant};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Compresses bytes to a block.
pub(crate) type Encoder = fn(&[u8]) -> Vec<u8>;

/// Decodes a block with a stated size. It is `None` if the block is rejected.
pub(crate) type Decoder = fn(&[u8], usize) -> Option<Vec<u8>>;

/// The number of blocks with each outcome.
pub(crate) type Outcomes = BTreeMap<&'static str, usize>;

/// Returns a chunk of one stream with this block.
pub(crate) fn with_block(block: &[u8], size: usize) -> Vec<u8> {
    let mut out = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x10, 0];
    out.extend(i32::try_from(block.len()).unwrap().to_le_bytes());
    out.extend(i32::try_from(size).unwrap().to_le_bytes());
    out.extend(block);
    out
}

/// Generates bytes as meshes have them: runs, repeats at a distance, noise.
pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        (any::<u8>(), 0_usize..3000).prop_map(|(b, n)| vec![b; n]),
        (proptest::collection::vec(any::<u8>(), 1..13), 0_usize..200).prop_map(|(p, n)| p.repeat(n)),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| {
        let mut all = pieces.concat();
        all.truncate(all.len() / 4 * 4);
        all
    })
}

/// The result of decoding a block with a stated size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Whole(Vec<u8>),
    /// The block decodes to fewer bytes than stated.
    Short(Vec<u8>),
    Long,
    Broken,
}

impl Outcome {
    fn name(&self) -> &'static str {
        match self {
            Self::Whole(_) => "whole",
            Self::Short(_) => "short",
            Self::Long => "long",
            Self::Broken => "broken",
        }
    }
}

/// Larger results count as too long in every test here.
const ENOUGH: usize = 1 << 20;

/// The reason why a block has no valid content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    /// The block ends too early, or a match starts before the output.
    Lost,
    /// A match has distance 0, which the format forbids and liblz4 does not check.
    Zero,
}

/// Decodes a block completely, unless it ends too early or a match is invalid.
fn reference(block: &[u8]) -> Result<Vec<u8>, Flaw> {
    let (mut at, mut out) = (0, Vec::new());
    let byte = |at: &mut usize| {
        *at += 1;
        block.get(*at - 1).copied().ok_or(Flaw::Lost)
    };
    let length = |at: &mut usize, nibble: u8| {
        let mut n = usize::from(nibble);
        let mut last = if nibble == 15 { 255 } else { 0 };
        while last == 255 {
            last = byte(at)?;
            n += usize::from(last);
        }
        Ok(n)
    };
    loop {
        let token = byte(&mut at)?;
        let literals = length(&mut at, token >> 4)?;
        out.extend_from_slice(block.get(at..at + literals).ok_or(Flaw::Lost)?);
        at += literals;
        if at == block.len() {
            return Ok(out);
        }
        let offset = usize::from(u16::from_le_bytes([byte(&mut at)?, byte(&mut at)?]));
        let len = 4 + length(&mut at, token & 15)?;
        if offset == 0 {
            return Err(Flaw::Zero);
        }
        let from = out.len().checked_sub(offset).ok_or(Flaw::Lost)?;
        for i in from..from + len {
            out.push(out[i]);
        }
        if out.len() > ENOUGH {
            return Ok(out);
        }
    }
}

/// Returns the expected result of a strict decoder.
fn expected(block: &[u8], size: usize) -> Outcome {
    match reference(block) {
        Err(_) => Outcome::Broken,
        Ok(data) if data.len() > size => Outcome::Long,
        Ok(data) if data.len() < size => Outcome::Short(data),
        Ok(data) => Outcome::Whole(data),
    }
}

/// Returns the reader's result; `None` if it rejects the size at once, because no block can decode to it.
/// `refused` is set if validation warns that the engine's decoder may reject the block.
fn read_block(block: &[u8], size: usize, refused: &Cell<bool>) -> Option<Outcome> {
    let file = with_block(block, size);
    let parse = |read: ReadOptions| {
        Chunk::parse_with(&file, &CrucibleOptions::from(read).with_dialect(Dialect::Seed))
    };
    let parsed = match parse(ReadOptions::lenient()) {
        Ok(parsed) => parsed,
        Err(e) => match e.code() {
            "lz4-block" => return Some(Outcome::Broken),
            "lz4-too-long" => return Some(Outcome::Long),
            "impossible-ratio" if size > block.len() * 255 => return None,
            _ => panic!("{e}"),
        },
    };
    let odd = parsed.model.validate().findings().iter().any(|f| f.rule.code == "lz4-end");
    refused.set(odd);
    let short = parsed.forgiven.findings().iter().find(|f| f.rule.code == "lz4-too-short");
    let mut data = parsed.model.stream(Attribute::Color).unwrap().data().to_vec();
    assert_eq!(data.len(), size);
    let strict = parse(ReadOptions::default()).map(drop);
    let Some(short) = short else {
        assert!(strict.is_ok() || !size.is_multiple_of(4), "{strict:?}");
        return Some(Outcome::Whole(data));
    };
    assert!(strict.is_err(), "a strict reader takes a short stream");
    let got: usize = short.message.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(data[got..].iter().all(|b| *b == 0), "what was not decoded is not zero");
    data.truncate(got);
    Some(Outcome::Short(data))
}

/// Returns blocks as encoders make them.
fn sound(rng: &mut Rng, encoders: &[Encoder]) -> Vec<Vec<u8>> {
    let mut blocks = vec![vec![0]];
    for n in [1, 4, 12, 13, 16, 60, 300, 1000, 5000] {
        let noise: Vec<u8> = (0..n).map(|_| rng.next() as u8).collect();
        let few: Vec<u8> = (0..n).map(|_| rng.below(3) as u8).collect();
        let floats: Vec<u8> = (0..n).map(|i| [0, 0, 0x80, 0x3f][i % 4]).collect();
        for data in [noise, few, floats, vec![7; n]] {
            blocks.extend(encoders.iter().map(|encode| encode(&data)));
        }
    }
    blocks
}

/// Returns a block of random valid sequences: literals, near and far matches, long lengths.
fn woven(rng: &mut Rng) -> Vec<u8> {
    let (mut block, mut held) = (Vec::new(), 0_usize);
    let long = |block: &mut Vec<u8>, n: usize| {
        if n >= 15 {
            block.resize(block.len() + (n - 15) / 255, 255);
            block.push(((n - 15) % 255) as u8);
        }
    };
    for _ in 0..rng.below(12) {
        let literals = *rng.pick(&[0, 0, 1, 3, 14, 15, 16, 269, 270, 271]);
        let extra = *rng.pick(&[0, 0, 1, 4, 14, 15, 16, 269, 270, 600]);
        block.push((literals.min(15) << 4 | extra.min(15)) as u8);
        long(&mut block, literals);
        block.extend((0..literals).map(|_| rng.next() as u8));
        held += literals;
        // Offsets at the first byte, just before it, and anywhere.
        let offset = match rng.below(8) {
            0 => held,
            1 => held + 1,
            2 => 0,
            _ => 1 + rng.below(held),
        };
        block.extend((offset as u16).to_le_bytes());
        long(&mut block, extra);
        held += 4 + extra;
    }
    if rng.below(4) > 0 {
        let literals = rng.below(20);
        block.push((literals.min(15) << 4 | rng.below(2)) as u8);
        long(&mut block, literals);
        block.extend((0..literals).map(|_| rng.next() as u8));
    }
    block
}

fn compare(block: &[u8], size: usize, peer: Option<Decoder>, seen: &mut Outcomes) {
    let refused = Cell::new(false);
    let (Some(found), expected) = (read_block(block, size, &refused), expected(block, size)) else {
        *seen.entry("impossible").or_insert(0) += 1;
        return;
    };
    *seen.entry(expected.name()).or_insert(0) += 1;
    // If a block is too long and broken after that point, both results are correct.
    let either = found == Outcome::Long && expected == Outcome::Broken;
    assert!(found == expected || either, "{found:?} for {expected:?}, {size} bytes stated: {block:02x?}");
    // The binding passes liblz4 a dangling pointer for empty data. It is stricter about the end of blocks.
    let Some(decode) = peer.filter(|_| size > 0 && !block.is_empty()) else { return };
    if reference(block) == Err(Flaw::Zero) {
        return;
    }
    let theirs = decode(block, size);
    if matches!(found, Outcome::Whole(_)) {
        // The peer accepts some short matches that the rule forbids.
        assert!(
            theirs.is_some() || refused.get(),
            "the peer rejects the block without a warning: {block:02x?}"
        );
        *seen
            .entry(if theirs.is_some() { "accepted by the peer" } else { "rejected by the peer" })
            .or_insert(0) += 1;
        *seen.entry(if refused.get() { "broken end" } else { "sound end" }).or_insert(0) += 1;
    }
    if let Some(theirs) = theirs {
        let same = match &found {
            Outcome::Whole(ours) | Outcome::Short(ours) => *ours == theirs,
            Outcome::Long | Outcome::Broken => false,
        };
        assert!(same, "the peer has {} bytes where we have {found:?}: {block:02x?}", theirs.len());
        *seen.entry("the peer agrees").or_insert(0) += 1;
    }
}

/// Compares the results for 30,000 blocks. `encoders` make the valid ones.
pub(crate) fn compare_hostile_blocks(encoders: &[Encoder], peer: Option<Decoder>) -> Outcomes {
    let rng = &mut Rng::new(4);
    let (sound, mut seen) = (sound(rng, encoders), BTreeMap::new());
    for number in 0..30_000 {
        let block = match number % 3 {
            0 => mutant(rng.pick::<Vec<u8>>(&sound), rng.pick::<Vec<u8>>(&sound), rng),
            1 => woven(rng),
            _ => {
                let block = woven(rng);
                mutant(&block, rng.pick::<Vec<u8>>(&sound), rng)
            }
        };
        let len = reference(&block).map_or_else(|_| rng.below(3000), |d| d.len().min(ENOUGH));
        let other = rng.below(2 * len + 8);
        let size = *rng.pick(&[len, len, len + 1, len.saturating_sub(1), len + 4, other]);
        compare(&block, size, peer, &mut seen);
    }
    seen
}

/// Compares the results for every prefix and every flipped bit of a few blocks, with their stated size.
pub(crate) fn compare_cuts_and_bits(encode: Encoder, peer: Option<Decoder>) -> Outcomes {
    let mut seen = BTreeMap::new();
    for data in [vec![7; 100], (0..=255).collect(), b"abcdabcdabcdabcdxyzabcdabcd1234567".to_vec()] {
        let block = encode(&data);
        compare(&block, data.len(), peer, &mut seen);
        for cut in 0..block.len() {
            compare(&block[..cut], data.len(), peer, &mut seen);
        }
        for bit in 0..block.len() * 8 {
            let mut block = block.clone();
            block[bit / 8] ^= 1 << (bit % 8);
            compare(&block, data.len(), peer, &mut seen);
        }
    }
    seen
}
