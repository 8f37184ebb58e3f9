//! Shared code for formats that write a [`Patch`](crate::Patch) into their own file.
//!
//! A format encodes the edited scene with the same functions as any other scene; the results are *made* records. The
//! merged file has the original's records for all unchanged parts, and made records for the others. [`Records`] lists
//! both in order. [`Corners`] does the same for vertices that an encoding splits or joins, and [`frames`](fn@frames)
//! for frames of clips.

mod clips;
mod corners;
mod frames;
mod joints;
mod meshes;
mod records;
mod skinned;
mod union;

pub use clips::{ClipList, Clips};
pub use corners::{Corners, Numbers, VertexPlace};
pub use frames::{FrameOrigin, Frames, Kept, Runs, frames};
pub use joints::Joints;
pub use meshes::{Corner, MeshOrigin, Surface};
pub use records::{Origin, Records, keep_near};
pub use skinned::{ApplyPatch, Made, Merge, Originals, apply};
