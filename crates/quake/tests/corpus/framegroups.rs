//! Compares with the results of the engine itself, from the corpus next to the project.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests compare small numbers, and fail by a panic"
)]

use meshwright_core::text::latin1;
use meshwright_quake::{Budget, FrameGroups, Limits};
use meshwright_testkit::corpus;

#[test]
fn framegroups_are_read_as_the_engine_reads_them() {
    let root = corpus!();
    let cases = std::fs::read(root.join("framegroups/cases.json")).unwrap();
    let all: serde_json::Value = serde_json::from_slice(&cases).unwrap();
    let poses = all["num_poses"].as_u64().unwrap() as usize;
    let cases = all["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 34);
    for case in cases {
        let name = &case["case"];
        let text_bytes = case["text"].as_str().unwrap().as_bytes();
        let groups = FrameGroups::parse(text_bytes).unwrap();
        assert_eq!(groups.to_bytes().unwrap(), text_bytes, "{name}");
        let resolved = groups.resolve(poses, &Budget::new(Limits::default())).unwrap();
        let own: Vec<_> = resolved
            .clips
            .iter()
            .map(|c| serde_json::json!([latin1(&c.name), c.start, c.length, f64::from(c.fps), c.looping]))
            .collect();
        let message = case["engine_message"].as_str().unwrap();
        match case["engine"].as_array() {
            Some(expected) => assert_eq!(&own, expected, "{name}"),
            None => {
                assert_eq!(case["engine"], "one clip per frame");
                assert!(own.is_empty() && groups.validate().has("no-clips"), "{name}: {own:?}");
            }
        }
        let missing = message.contains("missing number of frames");
        assert_eq!(groups.validate().has("missing-length"), missing, "{name}");
        assert_eq!(resolved.report.has("name-cut"), message.contains("truncated to 31"), "{name}");
    }
}
