//! `xtask ci`: every step in turn, with how long it took.

use crate::sh::Given;
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

/// The steps, as a contributor would type them. What the first builds serves the others.
const STEPS: &str = "newcomer --here; lint; docs examples; bindings capi; targets no-std; targets msrv; fixtures --check; layers; docs links; \
                     docs tables --check; describe --check; words; supply; release publish; bindings page; conformance; \
                     witness validator; witness crates; instructions";

pub(crate) fn run(root: &Path, _: &Given) -> Result<(), String> {
    let (mut failed, mut table) = (Vec::new(), String::new());
    for step in STEPS.split("; ") {
        let words: Vec<OsString> = step.split(' ').map(OsString::from).collect();
        eprintln!("\n=== {step}");
        let start = Instant::now();
        let result = crate::dispatch(root, &words);
        let seconds = start.elapsed().as_secs_f32();
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        table.push_str(&format!("{step:<20} {seconds:7.1} s  {verdict}\n"));
        if let Err(e) = result {
            eprintln!("{step}: {e}");
            failed.push(step);
        }
    }
    println!("\n{table}");
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}
