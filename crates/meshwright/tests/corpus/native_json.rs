//! JSON of every file of the corpus compiles to the same bytes.

use crate::compiled::compiled;
use meshwright_testkit::corpus;

#[test]
fn every_file_is_compiled_to_its_own_bytes() {
    let seen = compiled(&corpus!());
    assert!(seen.len() > 20, "{seen:?}");
}
