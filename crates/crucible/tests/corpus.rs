//! What is held against the corpus of real files: `cargo run -p xtask -- conformance` runs it.

mod corpus {
    mod files;
}
