//! All integration tests of the crate, as one program. Each file is a module here.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

#[global_allocator]
static ALLOCATOR: meshwright_testkit::heap::Counting = meshwright_testkit::heap::Counting;

mod asset;
#[path = "support/compiled.rs"]
mod compiled;
mod darkplaces;
mod describe;
mod diff;
mod dump;
mod edits;
#[path = "support/exercise.rs"]
mod exercise;
mod exhaustive;
mod explain;
mod figures;
mod fixtures;
mod fuzz;
mod iqm;
mod kept;
mod losses;
mod memory;
mod models_in;
mod mutants;
mod native_json;
mod pairs;
mod pictures;
mod played;
mod properties;
mod recover;
mod repair;
#[path = "support/restoring.rs"]
mod restoring;
mod sims;
mod sims_blender;
mod touched;
