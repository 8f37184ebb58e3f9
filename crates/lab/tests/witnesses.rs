//! Comparisons with crates of others, which the other tests do not need: `cargo run -p xtask -- witness crates` runs them.

#[path = "../../gltf/tests/corpus/documents.rs"]
mod documents;
#[path = "../../crucible/tests/support/lz4_blocks.rs"]
mod lz4_blocks;

mod witnesses {
    mod gltf;
    mod lz4;
}
