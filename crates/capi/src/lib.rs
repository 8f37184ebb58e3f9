//! Meshwright for C. `include/meshwright.h` is made of this crate and says what each function does.
//!
//! All that is unsafe is what C hands over: pointers, lengths, text. [`raw`] turns them into slices and references, and
//! nothing else of the crate touches a pointer but to call it.

mod call;
mod conversion;
mod files;
mod lists;
mod model;
mod options;
mod player;
mod raw;
mod scene;
mod status;

pub use conversion::*;
pub use files::*;
pub use lists::*;
pub use model::*;
pub use options::*;
pub use player::*;
pub use raw::MwText;
pub use scene::*;
pub use status::*;

/// The version of the library, as in 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mw_version() -> MwText {
    MwText::new(env!("CARGO_PKG_VERSION"))
}
