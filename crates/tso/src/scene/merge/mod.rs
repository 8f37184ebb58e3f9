//! An edited scene written into the files that it came from: what a file is, what is made of the native scene, and what is
//! made of the edited one, as three of the same kind.

mod anim;
mod geometry;
mod skel;
