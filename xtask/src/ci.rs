//! `xtask ci`: every step in turn, with how long it took.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

/// The steps, as a contributor would type them.
pub(crate) const STEPS: &[&[&str]] = &[
    &["fmt"],
    &["clippy"],
    &["features"],
    &["test"],
    &["examples"],
    &["doc"],
    &["capi"],
    &["no-std"],
    &["msrv"],
    &["fixtures", "--check"],
    &["layers"],
    &["workflows"],
    &["seeds"],
    &["book"],
    &["supply"],
    &["publish"],
    &["deny"],
    &["readme", "--check"],
    &["formats", "--check"],
    &["pictures", "--check"],
    &["page"],
    &["reliability", "--check"],
    &["conformance"],
    &["validate-glb"],
];

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut failed = Vec::new();
    let mut table = String::new();
    for step in STEPS {
        let (verb, words) = step.split_first().ok_or("a step without a verb")?;
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let name = step.join(" ");
        eprintln!("\n=== {name}");
        let start = Instant::now();
        let result = crate::dispatch(root, verb, &words);
        let seconds = start.elapsed().as_secs_f32();
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        table.push_str(&format!("{name:<20} {seconds:7.1} s  {verdict}\n"));
        if let Err(e) = result {
            eprintln!("{name}: {e}");
            failed.push(name);
        }
    }
    println!("\n{table}");
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}
