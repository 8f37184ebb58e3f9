//! Tests the laws of every format crate, for all dialects and all combinations of attributes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use meshwright_core::{FileFormat, ReadOptions, Severity};
use meshwright_crucible::{CModel, Chunk, CrucibleOptions, Dialect, SkeletonChunk, strategy};
use meshwright_testkit::laws::{Laws, laws, laws_with};
use meshwright_testkit::proptest;
use proptest::prelude::*;

/// Tests the laws of a file type that has dialects.
fn run_laws<F: FileFormat<Options = CrucibleOptions>>(
    dialect: Dialect,
) -> Laws<F, impl Fn(ReadOptions) -> CrucibleOptions> {
    laws_with(move |read| CrucibleOptions::from(read).with_dialect(dialect))
}

fn any_chunk() -> impl Strategy<Value = Chunk<'static>> {
    strategy::dialect().prop_flat_map(strategy::chunk)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn chunks_survive(chunk in any_chunk()) {
        let format = run_laws::<Chunk<'static>>(chunk.dialect);
        format.model_round_trip(&chunk);
        prop_assert!(!chunk.validate().has_errors());
        let bytes = chunk.to_bytes().unwrap();
        format.byte_round_trip("written", &bytes);
    }

    #[test]
    fn the_bytes_decide_or_say_that_they_do_not(chunk in any_chunk()) {
        let bytes = chunk.to_bytes().unwrap();
        let read = Chunk::parse(&bytes).unwrap();
        prop_assert_eq!(read.to_bytes().unwrap(), bytes.clone());
        let kinds = |c: &Chunk<'_>, d| c.streams.iter().map(|s| s.flag.attribute(d)).collect::<Vec<_>>();
        let same = kinds(&read, read.dialect) == kinds(&chunk, chunk.dialect);
        prop_assert!(same || chunk.vertex_count() == 0 || read.validate().has("ambiguous-dialect"));
    }

    #[test]
    fn containers_survive(model in strategy::dialect().prop_flat_map(strategy::cmodel)) {
        let dialect = model.meshes.first().map_or(Dialect::Seed, |m| m.dialect);
        run_laws::<CModel<'static>>(dialect).model_round_trip(&model);
        let bytes = model.to_bytes().unwrap();
        run_laws::<CModel<'static>>(dialect).byte_round_trip("written", &bytes);
    }

    #[test]
    fn skeletons_survive(skeleton in strategy::skeleton()) {
        laws::<SkeletonChunk>().model_round_trip(&skeleton);
        prop_assert!(!skeleton.validate().has_errors());
        prop_assert!(skeleton.pose().is_some());
        let bytes = skeleton.to_bytes().unwrap();
        laws::<SkeletonChunk>().byte_round_trip("written", &bytes);
        laws::<SkeletonChunk>().any_bytes(&bytes[..bytes.len() - 1]);
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        laws::<Chunk<'static>>().any_bytes(&bytes);
        laws::<SkeletonChunk>().any_bytes(&bytes);
        run_laws::<CModel<'static>>(Dialect::Seed).any_bytes(&bytes);
        let mut with_magic = b"cmodel\n".to_vec();
        with_magic.extend(&bytes);
        run_laws::<CModel<'static>>(Dialect::Seed).any_bytes(&with_magic);
    }

    #[test]
    fn damaged_chunks_get_an_answer(
        chunk in any_chunk(),
        at: prop::sample::Index,
        byte: u8,
        cut: prop::sample::Index,
    ) {
        let mut bytes = chunk.to_bytes().unwrap();
        let i = at.index(bytes.len());
        bytes[i] = byte;
        run_laws::<Chunk<'static>>(chunk.dialect).any_bytes(&bytes);
        laws::<Chunk<'static>>().any_bytes(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        laws::<Chunk<'static>>().any_bytes(&bytes);
    }

    #[test]
    fn threads_change_nothing(
        chunk in any_chunk(),
        at: prop::sample::Index,
        flips in proptest::collection::vec(any::<u8>(), 0..3),
    ) {
        let mut bytes = chunk.to_bytes().unwrap();
        for flip in flips {
            let i = at.index(bytes.len());
            bytes[i] ^= flip;
        }
        for read in [ReadOptions::default(), ReadOptions::lenient()] {
            let one = CrucibleOptions::from(read);
            prop_assert_eq!(
                Chunk::parse_with(&bytes, &one),
                Chunk::parse_with(&bytes, &one.with_threads(true))
            );
        }
    }

    /// An edit discards the compressed bytes of the edited stream only.
    #[test]
    fn edits_keep_the_other_streams(chunk in any_chunk(), at: prop::sample::Index) {
        if chunk.streams.is_empty() {
            return Ok(());
        }
        let bytes = chunk.to_bytes().unwrap();
        let options = CrucibleOptions::default().with_dialect(chunk.dialect);
        let mut read = Chunk::parse_with(&bytes, &options).unwrap().model;
        let edited = at.index(read.streams.len());
        read.streams[edited].stream.data_mut().reverse();
        for (i, s) in read.streams.iter().enumerate() {
            prop_assert_eq!(s.stream.packed().is_some(), i != edited);
        }
        let written = read.to_bytes().unwrap();
        prop_assert_eq!(Chunk::parse_with(&written, &options).unwrap().model, read);
    }
}

#[test]
fn what_a_strict_reader_refuses_a_writer_refuses() {
    let mut chunk = Chunk::new(Dialect::Seed);
    chunk.set_floats(meshwright_crucible::Attribute::Position3, &[[0.0; 3]; 3]).unwrap();
    chunk.set_indices(&[0, 1, 3]);
    assert!(chunk.to_bytes().unwrap_err().to_string().contains("index 3 of 3 vertices"));
    let report = chunk.validate();
    assert_eq!(report.count_of(Severity::Error), 1);
    assert!(report.has("index-range"));
    chunk.set_indices(&[0, 1, 2]);
    chunk.set(meshwright_crucible::Attribute::Color, vec![0; 8]).unwrap();
    assert!(chunk.validate().has("vertex-count"));
    assert!(chunk.to_bytes().is_err());
}
