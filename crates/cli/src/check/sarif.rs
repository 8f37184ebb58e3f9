//! Findings as SARIF 2.1.0, which code hosts and editors show.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use super::Checked;
use crate::input::Input;
use crate::render;
use meshwright::{Finding, Rule, RuleSet, Severity, Stream};
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Returns the results of one file.
pub(super) fn file(checked: &Checked, input: &Input) -> Value {
    let report = &checked.report;
    let mut results: Vec<Value> = report.findings().iter().map(|f| result(checked, input, f)).collect();
    for (code, severity, n) in report.totals() {
        let mut kept = report.findings().iter().filter(|f| (f.rule.code, f.severity) == (code, severity));
        let Some(first) = kept.next() else { continue };
        let more = n.saturating_sub(kept.count() as u64).saturating_sub(1);
        if more > 0 {
            results.push(json!({
                "ruleId": rule_id(checked, first.rule),
                "level": level(severity),
                "message": { "text": format!("{more} more of these") },
                "occurrenceCount": more,
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(input) } } }],
            }));
        }
    }
    json!({ "results": results })
}

fn result(checked: &Checked, input: &Input, f: &Finding) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(input) } });
    // Offsets in a decoded part, or in a companion, are not offsets in the file.
    if let (Some(offset), Stream::File) = (f.offset, &f.stream) {
        physical["region"] = json!({ "byteOffset": offset });
    }
    let mut location = json!({ "physicalLocation": physical });
    let path = f.path.to_string();
    if !path.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": path, "kind": "member" }]);
    }
    let of = match &f.stream {
        Stream::File => String::new(),
        stream => format!(" (in {stream})"),
    };
    json!({
        "ruleId": rule_id(checked, f.rule),
        "level": level(f.severity),
        "message": { "text": format!("{}{of}", render::message(&f.message)) },
        "locations": [location],
    })
}

/// Returns the name of a rule, unique among all formats. The file's own format names it if it has the rule.
fn rule_id(checked: &Checked, rule: &Rule) -> String {
    let has = |set: &&RuleSet| set.rules.contains(&rule);
    let all = RuleSet::all();
    let own = all.iter().filter(|set| set.id == checked.kind.id).find(has);
    let set = own.or_else(|| all.iter().find(has)).map_or("meshwright", |set| set.id);
    format!("{set}/{}", rule.code)
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Returns a path as a URI.
fn uri(input: &Input) -> String {
    let path = input.exact().replace(std::path::MAIN_SEPARATOR, "/");
    // Code hosts compare it with the names of files in the repository.
    let path = path.trim_start_matches("./");
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    if path.starts_with('/') { format!("file://{uri}") } else { uri }
}

/// Returns the document of a run, from the results of its files.
pub(super) fn log(files: &[Value]) -> Value {
    let (mut results, mut unread) = (Vec::new(), Vec::new());
    for file in files {
        match file["results"].as_array() {
            Some(own) => results.extend(own.iter().cloned()),
            None => unread.push(json!({
                "level": "error",
                "message": { "text": format!("{}: {}", text(&file["file"]), text(&file["error"]["message"])) },
                "descriptor": { "id": text(&file["error"]["code"]) },
            })),
        }
    }
    let mut rules: Vec<String> = Vec::new();
    for result in &results {
        let id = text(&result["ruleId"]);
        if let Err(at) = rules.binary_search_by(|rule| rule.as_str().cmp(id)) {
            rules.insert(at, id.to_owned());
        }
    }
    for result in &mut results {
        let id = text(&result["ruleId"]);
        result["ruleIndex"] = rules.binary_search_by(|rule| rule.as_str().cmp(id)).ok().into();
    }
    let described = rules.iter().map(|id| descriptor(id).unwrap_or_else(|| json!({ "id": id })));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "meshwright",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": unread.is_empty(),
                "toolExecutionNotifications": unread,
            }],
            "results": results,
        }],
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Describes a rule for readers of the document. Several rules can share a code: then the first is described.
fn descriptor(id: &str) -> Option<Value> {
    let (set, code) = id.split_once('/')?;
    let set = RuleSet::all().into_iter().find(|known| known.id == set)?;
    let rule = set.rules.iter().find(|rule| rule.code == code)?;
    Some(json!({
        "id": id,
        "name": code,
        "shortDescription": { "text": rule.cause },
        "fullDescription": { "text": format!("{} {}", rule.cause, rule.reaction) },
        "help": { "text": rule.mending },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "format": set.title, "kind": rule.kind.name(), "native": rule.native },
    }))
}
