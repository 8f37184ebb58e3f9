//! BMD1.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod codes;
mod layout;
mod lists;
mod math;
mod model;
mod optimize;
mod packed;
mod pose;
mod read;
mod rules;
#[cfg(feature = "scene")]
mod scene;
mod shade;
mod solid;
#[cfg(feature = "proptest")]
pub mod strategy;
mod stream;
mod strings;
mod validate;
mod view;
mod write;

pub use layout::Layout;
pub use model::{Bmd, Bone, Clip, ClipRate, Lod, Mesh, MeshFlags, Name, QuadCount};
pub use optimize::{Errors, OptimizeOptions, Optimized, Sizes};
pub use packed::{BoneTransform, Extra96, Primitive, PrimitiveKind, St96, Vertex, VertexKind};
pub use pose::{BoneSample, Motion, Pose};
pub use shade::{flat_color, nearest_shade, shade, tint};
pub use stream::{ABSENT, Keys, Step, Stream};
pub use write::Arrangement;
