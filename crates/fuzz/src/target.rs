//! The program of one target.
#![no_main]

const RUN: fn(&[u8]) = meshwright_fuzz::find(env!("CARGO_BIN_NAME"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| RUN(bytes));
