//! What is fuzzed: functions of any bytes that panic when a promise is broken.
//!
//! Ordinary tests run the same functions over the kept corpus; they include this file by its path.

pub mod formats;
#[path = "../../meshwright/tests/support/gauntlet.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod gauntlet;
pub mod model;
pub mod scene;
#[allow(dead_code, reason = "fuzzers are given their seeds")]
mod seeds;

use formats::{parse, round};
use meshwright_core::Limits;
#[allow(unused_imports, reason = "fuzzers are given their seeds")]
pub(crate) use seeds::seeds;

/// What a file may cost: far more than the small inputs of a fuzzer need, far less than the default.
const LIMITS: Limits = Limits::UNLIMITED.with_memory(64 << 20);

/// A function under test.
pub type Run = fn(&[u8]);

/// Names each target after its module and its function.
macro_rules! targets {
    ($($module:ident: $($name:ident)+;)+) => {
        /// Every target with its name: what is done, and the extension of the files that it is done with.
        pub const TARGETS: &[(&str, Run)] =
            &[$($((concat!(stringify!($module), "_", stringify!($name)), $module::$name as Run)),+),+];
    };
}

targets! {
    parse: bmd cmesh cmodel cskel lz4 dpm zym framegroups fom json mesh skel anim bnd bmf skn;
    round: bmd cmesh cmodel cskel lz4 dpm zym framegroups fom json mesh skel anim bnd bmf skn;
    scene: bmd cmesh cmodel cskel dpm zym fom mesh skel anim bmf skn;
    model: bmd cmesh cmodel cskel dpm zym fom json mesh skel anim bnd bmf skn scene;
}

/// The target of a name, found while compiling, so that a program holds the code of its target only.
///
/// # Panics
/// When there is none.
pub const fn find(name: &str) -> Run {
    let mut i = 0;
    while i < TARGETS.len() {
        let (candidate, run) = TARGETS[i];
        if same(candidate.as_bytes(), name.as_bytes()) {
            return run;
        }
        i += 1;
    }
    panic!("no such target")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
