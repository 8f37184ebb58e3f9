//! Plays a GLB as a viewer would.
//!
//! A [`Player`] uses only the bytes of the file: it reads nodes, skins and animations, interpolates keys the way
//! glTF says (linear for translation and scale, spherical for rotation), and moves vertices by the matrices of
//! their joints, in 64 bits. Comparing what it gives with the evaluation of a format's own model shows that
//! a conversion is right, without trusting the code that made it.
//!
//! It plays what [`export`](crate::export()) writes, and files of others as far as they use the same parts of
//! glTF: no cubic splines, no morph targets, all buffers in the file. Any bytes make
//! a player or an error.

mod animation;
mod error;
mod player;

pub use error::PlaybackError;
pub use player::{Animation, Player, PrimitivePose};
