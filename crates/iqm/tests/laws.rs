//! Tests properties of every model and every input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::ReadOptions;
use meshwright_iqm::{Iqm, strategy};
use meshwright_testkit::laws::{Laws, laws};
use meshwright_testkit::proptest;
use proptest::prelude::*;

const IQM: Laws<Iqm, fn(ReadOptions) -> ReadOptions> = laws();

proptest! {
    #[test]
    fn models_survive_a_file(model in strategy::iqm()) {
        IQM.model_round_trip(&model);
        IQM.byte_round_trip("generated", &model.to_bytes().unwrap());
        prop_assert!(!model.validate().has_errors());
    }

    #[test]
    fn a_file_of_own_layout_is_written_in_the_canonical_one_on_request(mut model in strategy::iqm()) {
        model.discard_layout();
        IQM.model_round_trip(&model);
        let again = Iqm::parse(&model.to_bytes().unwrap()).unwrap();
        prop_assert!(!again.has_own_layout());
    }

    #[test]
    fn an_edit_that_breaks_the_layout_is_written_anew(mut model in strategy::iqm()) {
        model.comment.push(7);
        let mut again = Iqm::parse(&model.to_bytes().unwrap()).unwrap();
        again.discard_layout();
        model.discard_layout();
        prop_assert_eq!(again, model);
    }

    #[test]
    fn mutants_open_or_are_refused(model in strategy::iqm(), edits in edits()) {
        IQM.any_bytes(&mutant(model.to_bytes().unwrap(), &edits));
    }

    #[test]
    fn any_bytes_behind_a_magic_open_or_are_refused(bytes: Vec<u8>) {
        let bytes = [&b"INTERQUAKEMODEL\0\x02\0\0\0"[..], &bytes].concat();
        IQM.any_bytes(&bytes);
    }
}

/// Generates words to overwrite: offsets and values.
fn edits() -> impl Strategy<Value = Vec<(usize, u32)>> {
    let odd = prop_oneof![
        any::<u32>(),
        0_u32..200,
        Just(u32::MAX),
        Just(0x7fc0_0000),
        Just(0x1555_5556),
        Just(0x8000_0000),
    ];
    proptest::collection::vec((any::<usize>(), odd), 0..4)
}

fn mutant(mut bytes: Vec<u8>, edits: &[(usize, u32)]) -> Vec<u8> {
    for &(at, value) in edits {
        let at = at % (bytes.len() / 4) * 4;
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    bytes
}
