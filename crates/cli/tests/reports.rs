//! Reports for other programs: JSON by its schema, and SARIF.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, run, stderr, stdout};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Collects the violations of a schema, for the keywords that our schemas use.
fn faults(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    };
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is(name)) {
        found.push(format!("{path}: {value} is none of {types:?}"));
    }
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
        found.push(format!("{path}: {value} is none of {allowed:?}"));
    }
    if let Some(fields) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(format!("{path}.{name} is missing"));
            }
        }
        for (name, value) in fields {
            match schema["properties"].get(name) {
                Some(schema) => faults(schema, value, &format!("{path}.{name}"), found),
                None if schema["additionalProperties"] == false => {
                    found.push(format!("{path}.{name} is unknown"));
                }
                None => {}
            }
        }
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        if schema["items"].is_object() {
            faults(&schema["items"], item, &format!("{path}[{i}]"), found);
        }
    }
}

#[test]
fn info_keeps_its_schema_for_every_kind_of_file() {
    let schema = fs::read_to_string(testdata().join("../docs/schema/info.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut words = args(&["info", "--format=jsonl", "--lenient"]);
    words.push(testdata().into());
    let output = run(&words);
    let (mut formats, mut checked) = (BTreeSet::new(), 0);
    for line in stdout(&output).lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        if value.get("error").is_some() {
            continue;
        }
        let mut found = Vec::new();
        faults(&schema, &value, "", &mut found);
        assert!(found.is_empty(), "{line}: {found:#?}");
        formats.insert(value["format"].as_str().unwrap().to_owned());
        checked += 1;
    }
    assert!(checked > 150 && formats.len() > 10, "{checked} of {formats:?}: {}", stderr(&output));
    // The checker finds faults.
    for wrong in [r#"{"file": 1}"#, r#"{"file": "a", "odd": 1}"#] {
        let mut found = Vec::new();
        faults(&schema, &serde_json::from_str(wrong).unwrap(), "", &mut found);
        assert!(found.len() > 10, "{found:?}");
    }
}

#[test]
fn one_document_holds_the_same_as_lines_do() {
    let of = |format: &str| {
        let mut words = args(&["info", format]);
        words.extend([demo().into(), testdata().join("bmd/windmill.ok.bmd").into()]);
        stdout(&run(&words))
    };
    let document: Value = serde_json::from_str(&of("--format=json")).unwrap();
    let lines: Vec<Value> = of("--format=jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(document["files"], Value::Array(lines));
    let rows = of("--format=csv");
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    let at = |name: &str| rows[0].iter().position(|field| *field == name).unwrap();
    assert_eq!(rows[1][at("clips")], document["files"][0]["counts"]["clips"].to_string());
    assert_eq!(rows[2][at("format")], "bmd");
}

#[test]
fn findings_are_valid_sarif() {
    let mut words = args(&["check", "--format=sarif"]);
    for file in ["dpm/parent.reject.dpm", "bmd/reserved.warn.bmd", "dpm/hopper.ok.dpm", "no such.dpm"] {
        words.push(testdata().join(file).into());
    }
    let output = run(&words);
    assert_eq!(code(&output), 3, "one file is not there");
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("2.1.0"));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "meshwright");
    let rules = driver["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 2 && !rules.is_empty(), "{log}");
    for rule in rules {
        assert!(rule["id"].is_string() && rule["help"]["text"].is_string(), "{rule}");
        assert!(
            rule["shortDescription"]["text"].is_string() && rule["defaultConfiguration"]["level"].is_string()
        );
    }
    for result in results {
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.is_ascii() && !uri.contains(' ') && uri.starts_with("file:///"), "{uri}");
        assert!(place["region"]["byteOffset"].is_u64() || place["region"].is_null());
    }
    let parent = results.iter().find(|r| r["ruleId"] == "dpm/bad-parent").unwrap();
    assert!(parent["locations"][0]["physicalLocation"]["region"]["byteOffset"].is_u64(), "{parent}");
    assert!(
        parent["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
            .as_str()
            .unwrap()
            .ends_with(".parent")
    );
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let unread = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
    assert!(unread.contains("no such.dpm"), "{unread}");
}

#[test]
fn every_code_that_check_finds_is_explained() {
    let mut words = args(&["check", "--format=json"]);
    words.push(testdata().into());
    let document: Value = serde_json::from_slice(&run(&words).stdout).unwrap();
    let files = document["files"].as_array().unwrap();
    let findings = files.iter().flat_map(|file| file["findings"].as_array().into_iter().flatten());
    let codes: BTreeSet<&str> = findings.map(|f| f["code"].as_str().unwrap()).collect();
    assert!(codes.len() > 100, "{codes:?}");
    let mut words = args(&["explain", "--format=json"]);
    words.extend(codes.iter().map(Into::into));
    let output = run(&words);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
    let explained: BTreeSet<&str> =
        explained["codes"].as_array().unwrap().iter().map(|e| e["code"].as_str().unwrap()).collect();
    assert_eq!(explained, codes);
}

#[test]
fn findings_of_a_file_are_explained_as_rules_of_its_format() {
    let iqm = testdata().join("iqm/parent.reject.iqm");
    let explained = |words: &[&str], file: Option<&std::path::Path>| {
        let mut words = args(&[&["explain", "--format=json"], words].concat());
        words.extend(file.map(Into::into));
        let output = run(&words);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        document["codes"].as_array().unwrap().clone()
    };
    let all = explained(&[], Some(&iqm));
    assert!(!all.is_empty() && all.iter().all(|e| e["formats"][0] == "iqm"), "{all:?}");
    assert!(all.iter().any(|e| e["code"] == "bad-parent"));
    assert!(explained(&[], Some(&testdata().join("dpm/hopper.ok.dpm"))).is_empty());
    // If several formats share a code, the rule of the requested format is first.
    for (words, first) in
        [(&["bad-parent"][..], "dpm"), (&["iqm/bad-parent"], "iqm"), (&["--as=iqm", "bad-parent"], "iqm")]
    {
        let found = explained(words, None);
        assert!(found[0]["formats"][0] == first && found.len() > 3, "{words:?}: {found:?}");
    }
    let output = run(["explain", "no-such-file.dpm"]);
    assert!(code(&output) == 2 && stderr(&output).contains("unknown code"), "{}", stderr(&output));
}

#[test]
fn several_of_a_code_are_grouped() {
    let dir = tempfile::TempDir::new().unwrap();
    let model = dir.path().join("m.dpm");
    let mut bytes = fs::read(demo()).unwrap();
    let word = |bytes: &[u8], at: usize| {
        usize::try_from(u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())).unwrap()
    };
    // Every bone has flags without a meaning.
    let (count, table) = (word(&bytes, 56), word(&bytes, 68));
    for bone in 0..count {
        bytes[table + 40 * bone + 36..][..4].copy_from_slice(&0x100_u32.to_be_bytes());
    }
    fs::write(&model, bytes).unwrap();
    let lines = |more: &[&str]| {
        let mut words = args(&["check"]);
        words.extend(args(more));
        words.push(model.clone().into());
        let output = run(&words);
        let text = stdout(&output);
        (text.matches("warning[unknown-bone-flags] bones[").count(), text.matches("^^").count(), text)
    };
    let (shown, marks, text) = lines(&[]);
    assert_eq!((shown, marks), (3, 1), "{text}");
    let more = format!("warning[unknown-bone-flags] {} more of these; --all shows them", count - 3);
    assert!(text.contains(&more), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("DPM: 0 errors, ")).count(), 1, "{text}");
    let (all, marks, text) = lines(&["--all"]);
    assert_eq!((all, marks), (count, count), "{text}");
}
