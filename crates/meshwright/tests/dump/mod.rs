//! Tests that a dump shows everything in a file, with literal models and literal JSON.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "dump",
    feature = "fsomodel",
    feature = "tso"
))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::field_reassign_with_default,
    reason = "a failing test panics"
)]

mod bmd;
mod crucible;
mod darkplaces;
mod fsomodel;
mod sims;

use meshwright::dump::{Dump, DumpOptions, PoseRef};
use meshwright::{AnyModel, Companions, Role};
use meshwright_core::{F32, f32s};
use meshwright_testkit::{heap, patience};
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

fn dump_beside(model: impl Into<AnyModel>, beside: &Companions) -> Value {
    let model = model.into();
    let dump = Dump::new(&model, beside, "", &[], &DumpOptions::default()).unwrap();
    serde_json::from_str(&dump.to_json()).unwrap()
}

fn dump(model: impl Into<AnyModel>) -> Value {
    dump_beside(model, &Companions::default())
}

/// Asserts that `found` has every member of `expected` with its value.
fn assert_holds(found: &Value, expected: &Value) {
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&found[name], value, "{name} of {found}");
    }
}
