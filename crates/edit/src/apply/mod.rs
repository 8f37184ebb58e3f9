//! What formats share to write a [`Patch`](crate::Patch) into their own file.
//!
//! A format encodes the edited scene with the same functions as any other scene. That gives *made* records. The result has
//! the original's records wherever the patch says that nothing changed, and made ones elsewhere: [`Records`] is the list of
//! both in order, [`Corners`] the same for vertices that an encoding splits or joins, [`frames`](fn@frames) for frames of
//! clips.

mod clips;
mod corners;
mod frames;
mod joints;
mod meshes;
mod records;
mod skinned;
mod union;

pub use clips::Clips;
pub use corners::{Corners, Numbers, Place};
pub use frames::{FrameOrigin, Frames, Kept, Runs, frames};
pub use joints::Joints;
pub use meshes::{Corner, MeshOrigin, Surface};
pub use records::{Origin, Records};
pub use skinned::{ApplyPatch, Made, Work, apply};

#[cfg(test)]
mod tests;
