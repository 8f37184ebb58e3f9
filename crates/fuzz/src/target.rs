//! The program of all targets: the environment names one.
#![no_main]

mod program;

use meshwright_fuzz::{Action, Target};
use std::sync::OnceLock;

/// The variable that holds the target's name.
const NAME: &str = "MESHWRIGHT_TARGET";

static TARGET: OnceLock<Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var(NAME).unwrap_or_default();
        Target::find(&name).unwrap_or_else(|| panic!("{NAME}={name:?} is no target"))
    });
    match target.action {
        Action::Program => program::run(*target, bytes),
        _ => target.run(bytes),
    }
});
