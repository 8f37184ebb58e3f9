//! Tests the laws of every format crate, for all dialects.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use meshwright_core::{ReadOptions, Severity};
use meshwright_fsomodel::{Dialect, FsoModel, FsoOptions, Metadata, strategy};
use meshwright_testkit::laws::{self, Laws, laws, laws_with};
use meshwright_testkit::proptest;
use proptest::prelude::*;

fn in_dialect(dialect: Dialect) -> Laws<FsoModel<'static>, impl Fn(ReadOptions) -> FsoOptions> {
    laws_with(move |read| FsoOptions::from(read).with_dialect(dialect))
}

fn auto() -> Laws<FsoModel<'static>, fn(ReadOptions) -> FsoOptions> {
    laws()
}

fn metadata() -> Laws<Metadata, fn(ReadOptions) -> ReadOptions> {
    laws()
}

#[test]
fn rules_are_stated() {
    laws::rules_are_stated::<FsoModel<'static>>();
    laws::rules_are_stated::<Metadata>();
}

fn any_model() -> impl Strategy<Value = FsoModel<'static>> {
    strategy::dialect().prop_flat_map(strategy::model)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn models_survive(model in any_model()) {
        let format = in_dialect(model.dialect);
        format.model_round_trip(&model);
        prop_assert!(!model.validate().has_errors());
        format.byte_round_trip("written", &model.to_bytes().unwrap());
    }

    #[test]
    fn whatever_the_bytes_decide_they_are_kept(model in any_model()) {
        let bytes = model.to_bytes().unwrap();
        match FsoModel::parse(&bytes) {
            Ok(read) => prop_assert_eq!(read.to_bytes().unwrap(), bytes),
            // Random normals can make another dialect likelier, but never one that the sizes do not fit.
            Err(e) => panic!("{e}"),
        }
    }

    #[test]
    fn claims_are_mended(model in any_model()) {
        let mut model = model;
        model.fix_extents();
        let report = model.validate();
        for code in ["loose-min-max", "wrong-min-max", "min-max-after-base"] {
            prop_assert!(!report.has(code));
        }
        prop_assert_eq!(model.fix_extents(), 0);
    }

    #[test]
    fn companions_survive(companion in strategy::metadata()) {
        metadata().model_round_trip(&companion);
        let text = companion.to_bytes().unwrap();
        metadata().byte_round_trip("written", &text);
        prop_assert_eq!(companion.validate().count_of(Severity::Error), 0);
        // Other spacing of the same text is preserved too.
        let spaced: Vec<u8> = text.iter().flat_map(|b| [*b].into_iter().chain((*b == b'\n').then_some(b' '))).collect();
        metadata().byte_round_trip("spaced", &spaced);
        let _: serde_json::Value = serde_json::from_slice(&text).unwrap();
    }

    #[test]
    fn damaged_companions_get_an_answer(
        companion in strategy::metadata(),
        at: prop::sample::Index,
        byte in prop_oneof![any::<u8>(), prop::sample::select(b"{}[],:\"\\0-.e".to_vec())],
    ) {
        let mut text = companion.to_bytes().unwrap();
        let i = at.index(text.len());
        text[i] = byte;
        metadata().any_bytes(&text);
        metadata().any_bytes(&text[..i]);
        // Every text that is read here is JSON for other parsers too.
        if Metadata::parse(&text).is_ok() {
            prop_assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&text).is_ok());
        }
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut with_header = b"FSOMODEL\x01\0\0\0".to_vec();
        with_header.extend(&bytes);
        for dialect in Dialect::ALL {
            in_dialect(dialect).any_bytes(&with_header);
        }
        auto().any_bytes(&with_header);
        auto().any_bytes(&bytes);
        metadata().any_bytes(&bytes);
    }

    #[test]
    fn damaged_models_get_an_answer(
        model in any_model(),
        at: prop::sample::Index,
        byte: u8,
        cut: prop::sample::Index,
    ) {
        let mut bytes = model.to_bytes().unwrap();
        let i = at.index(bytes.len());
        bytes[i] = byte;
        in_dialect(model.dialect).any_bytes(&bytes);
        auto().any_bytes(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        auto().any_bytes(&bytes);
    }
}

#[test]
fn deep_nodes_are_refused_without_recursion() {
    let node = |inner: &str| {
        let matrix = "[[1.0,0.0,0.0,0.0],[0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0],[0.0,0.0,0.0,1.0]]";
        format!("{{\"transform\":{matrix},\"children\":[{inner}")
    };
    let deep = |n: usize| {
        let open: String = (0..n).map(|_| node("")).collect();
        format!("{{\"meshes\":[],\"root_node\":{open}{}}}", "]}".repeat(n))
    };
    let metadata = Metadata::parse(deep(1024).as_bytes()).unwrap();
    assert_eq!(metadata.nodes.len(), 1024);
    assert!(metadata.to_canonical().is_ok());
    assert_eq!(Metadata::parse(deep(1025).as_bytes()).unwrap_err().code(), "limit-exceeded");
    for text in ["[".repeat(1_000_000), "{\"x\":".to_owned() + &"[".repeat(1_000_000)] {
        assert!(Metadata::parse(text.as_bytes()).is_err());
    }
}

#[test]
fn metadata_must_be_what_the_loader_takes() {
    let mesh = |fields: &str| format!("{{\"materials\":[{{}}],\"meshes\":[{{{fields}}}]}}");
    let all =
        "\"offset\":0,\"count\":0,\"base_index\":0,\"min_index\":0,\"max_index\":0,\"material_index\":0";
    assert!(Metadata::parse(mesh(all).as_bytes()).is_ok());
    let wrong = [
        mesh(&all.replace("\"offset\":0", "\"offset\":-1")),
        mesh(&all.replace("\"offset\":0", "\"offset\":0.0")),
        mesh(&all.replace("\"count\":0", "\"count\":4294967296")),
        mesh(&all.replace("\"count\":0", "\"count\":99999999999999999999")),
        mesh(&all.replace("\"material_index\":0", "\"material_index\":1")),
        mesh(&all.replace(",\"max_index\":0", "")),
        mesh(&format!("{all},\"count\":1")),
        mesh(all).replace("]}", "]} x"),
        mesh(all).replace('}', ",}"),
        "{\"meshes\":[{\"name\":\"\\ud800\"}]}".into(),
        "{\"meshes\":[{\"name\":\"\\u0000\"}]}".into(),
        "{\"meshes\":01}".into(),
        "\u{feff}{}".into(),
        "{}".into(),
        String::new(),
    ];
    for text in wrong {
        let e = Metadata::parse(text.as_bytes()).unwrap_err();
        assert_eq!(e.code(), "metadata", "{text}: {e}");
        assert!(e.to_string().ends_with(" of metadata)"), "{e}");
    }
    let text = "{\"meshes\":[],\"root_node\":{\"transform\":[[1,0.0,0.0,0.0],[0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0],\
                [0.0,0.0,0.0,1.0]]},\"more\":[{\"a\":[]},true,null,-1.5e3,\"\\ud83d\\ude80\"]}";
    let metadata = Metadata::parse(text.as_bytes()).unwrap();
    let report = metadata.validate();
    assert!(
        report.has("metadata") && !report.has_errors(),
        "an integer in a matrix is read as 0 by the engine"
    );
    assert_eq!(metadata.to_bytes().unwrap(), text.as_bytes());
    let mut edited = metadata;
    edited.nodes[0].name = Some("tower \u{1f5fc}\u{1}\"".into());
    let canonical = edited.to_bytes().unwrap();
    assert!(String::from_utf8_lossy(&canonical).contains("1.0"));
    assert!(edited.validate().is_empty());
    assert_eq!(Metadata::parse(&canonical).unwrap(), edited);
}
