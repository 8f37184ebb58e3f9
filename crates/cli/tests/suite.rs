//! All integration tests of the crate, as one program. Each file is a module here.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

mod arguments;
mod batch;
mod broken;
mod codes;
mod common;
mod companions;
mod convert;
mod darkplaces;
mod disk;
mod docs;
#[path = "support/drive.rs"]
#[allow(dead_code, reason = "shared with the driver of many mutants")]
mod drive;
mod endings;
#[path = "../../meshwright/tests/support/exercise.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod exercise;
mod faults;
mod game;
mod help;
mod hostile;
#[path = "support/outputs.rs"]
mod hostile_names;
#[path = "support/judge.rs"]
mod judge;
mod keep;
mod many;
mod native_json;
mod outfits;
mod outputs;
mod packaging;
mod packs;
mod pictures;
mod program;
mod repair;
mod reports;
mod retarget;
mod sims;
mod sites;
mod textures;
mod thumbnails;
mod transcripts;
mod trust;
mod words;
