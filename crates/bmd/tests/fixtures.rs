//! Checks that every fixture opens or is rejected as its name says, and that no prefix of one opens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::{Bmd, Clip, ClipRate, Name, NameError};
use meshwright_testkit::laws::{laws, rules_are_stated};
use meshwright_testkit::{Expect, fixtures};

#[test]
fn fixtures_open_as_named() {
    for fixture in fixtures("bmd", &["bmd"]) {
        laws::<Bmd>().fixture(&fixture);
    }
}

/// The last byte of most fixtures ends a string, so no shorter prefix can open.
#[test]
fn prefixes_are_refused() {
    for fixture in fixtures("bmd", &["bmd"]) {
        let open_ended = ["trailing", "empty"].iter().any(|n| fixture.name.starts_with(n));
        let needed = if open_ended || fixture.expect == Expect::Reject { 48 } else { fixture.bytes.len() };
        laws::<Bmd>().prefixes(&fixture.name, &fixture.bytes, needed);
    }
}

#[test]
fn rules_say_what_is_wrong_and_what_to_do() {
    rules_are_stated::<Bmd>();
}

#[test]
fn names_are_compared_with_text_and_made_of_it() {
    let name = Name::try_from("M\u{fc}hle").unwrap();
    assert_eq!(name, "M\u{fc}hle");
    assert_eq!(name.bytes(), b"M\xfchle");
    for (text, character) in [("\u{6728}", '\u{6728}'), ("a\0", '\0')] {
        assert_eq!(Name::try_from(text), Err(NameError::Character { character }));
    }
}

#[test]
fn clips_know_seconds() {
    let clip = Clip { frames: 30, rate: ClipRate::USUAL, ..Clip::default() };
    assert_eq!(clip.seconds(), Some(3.0));
    assert_eq!(Clip::default().seconds(), None);
}
