//! Every fixture opens or is refused as its name says, and no part of one opens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::Bmd;
use meshwright_testkit::laws::Format;
use meshwright_testkit::{Expect, fixtures};

const BMD: Format<Bmd> =
    Format { parse_with: Bmd::parse_with, validate: Bmd::validate, to_bytes: Bmd::to_bytes };

#[test]
fn fixtures_open_as_named() {
    for fixture in fixtures("bmd", &["bmd"]) {
        BMD.fixture(&fixture);
    }
}

/// The last byte of most fixtures ends a string, so no shorter prefix can open.
#[test]
fn prefixes_are_refused() {
    for fixture in fixtures("bmd", &["bmd"]) {
        let open_ended = ["trailing", "empty"].iter().any(|n| fixture.name.starts_with(n));
        let needed = if open_ended || fixture.expect == Expect::Reject { 48 } else { fixture.bytes.len() };
        BMD.prefixes(&fixture.name, &fixture.bytes, needed);
    }
}
