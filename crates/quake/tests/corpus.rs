//! Checks against the corpus of real files: `cargo run -p xtask -- conformance` runs them.

mod corpus {
    mod framegroups;
}
