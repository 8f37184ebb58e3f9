//! `xtask ci`: every step in turn, with how long it took.

use crate::sh::{self, Given};
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

/// The steps, as a contributor would type them. The first runs all tests and leaves the program that the last one counts.
const STEPS: &str = "newcomer; lint; docs examples; bindings capi; targets no-std; targets msrv; fixtures --check; layers; docs links; \
                     docs tables --check; describe --check; words; supply; release publish; bindings page; conformance; \
                     witness validator; instructions";

pub(crate) fn run(root: &Path, _: &Given) -> Result<(), String> {
    let (mut failed, mut table) = (Vec::new(), String::new());
    for step in STEPS.split("; ") {
        let mut words: Vec<OsString> = step.split(' ').map(OsString::from).collect();
        if step == "instructions" {
            words.extend(["--program".into(), sh::target_dir(root).join("newcomer/meshwright").into()]);
        }
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
