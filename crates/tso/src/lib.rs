//! The character files of The Sims Online (`.mesh`, `.skel`, `.anim`, `.bnd`, outfits) and of The Sims 1 (`.bmf`,
//! `.skn`, `.cmx`, `.bcf`, `.cfp`).
//!
//! A character of The Sims Online is a skeleton, meshes whose vertices follow its bones, and animations of the bones.
//! The layout of `.mesh` is the public description by the Niotso project. Its open points, and the other files, are
//! read like in FreeSO, Niotso and mixiate's add-ons, and checked against real files.
//!
//! | | parse | validate | write | evaluate | to scene | from scene |
//! |---|---|---|---|---|---|---|
//! | `.mesh` version 2 | yes | yes | byte-identical | yes | yes | yes |
//! | `.skel` version 1 | yes | yes | byte-identical | yes | yes | yes |
//! | `.anim` version 2 | yes | yes | byte-identical | yes | yes | yes |
//! | `.bnd` version 1 | yes | yes | byte-identical | - | names the texture | with a character |
//! | `.bmf` (The Sims 1) | yes | yes | byte-identical | yes | yes | yes |
//! | `.skn` (The Sims 1) | yes | yes | byte-identical | yes | yes | yes |
//! | `.cmx`, `.bcf` (The Sims 1) | yes | yes | byte-identical | yes | with a character | with a character |
//! | `.cfp` (The Sims 1) | yes | yes | byte-identical | - | with its skill | with its skill |
//! | `.apr` `.oft` `.hag` | yes | yes | byte-identical | - | name meshes | a new outfit |
//! | `.po` `.col` | yes | yes | byte-identical | - | name meshes | - |
//!
//! *Byte-identical*: a file that a strict reader accepts is written again byte for byte; one that only a lenient
//! reader accepts too, when it is written leniently. *Evaluate*: vertices posed by the format's own rule, in 64 bits.
//! *Names the texture*: a `.bnd` links a mesh to a texture, which becomes the material of a [`Part`]. *With a
//! character*: [`write_scene`] writes all files of a character, this one if the names of mesh and material hold the
//! game's numbers. *A new outfit*: [`write_outfit`] writes all files of an outfit. [`CharacterSearch`] finds the files of a
//! character among those of a game.
//!
//! # Conventions of the files
//!
//! Integers are big endian in the files of The Sims Online, floats are little endian in all of them. Space is
//! left-handed, +Y up, +Z to the front, 3 units to the metre; faces are clockwise; stored quaternions are the
//! conjugates of the rotations; every animation runs at 30 frames per second, whatever duration it stores. Names are
//! bytes, by custom Windows-1252, and are compared without regard to letter case.
//!
//! The Sims 1 has skeletons, suits and skills in one tree of records, as text or in binary ([`Character`]); a skill's
//! keys are in a file of their own ([`Cfp`]). Maxis' bodies were modelled with stretched arms. [`Skel::bind_pose`]
//! computes this pose from their blends.
//!
//! Faults of real files are reported, and repaired only on request: a total that leaves out the blend vertices,
//! normals of length 3 or turned away, weights of 0, durations in seconds.
//!
//! # How files are read
//!
//! Every record of fixed fields is read by nom parsers over the table of its fields. The long tables of one kind of
//! number, which are faces, texture coordinates, vertices and keys, are read as one slice whose size is checked once,
//! and decoded in one pass: field by field they would take most of the time of a read.
//!
//! # Safety contract
//!
//! No unsafe code. No bytes make a reader panic, loop, or allocate beyond its limits (256 MiB by default): it returns
//! a model or an error with kind, code, offset and field path. Counts are held against the size of the file, in 64
//! bits, before anything is allocated. Time is linear in input and output but for sorting and searching names, runs
//! and blends. Nothing recurses.
//!
//! # Example
//!
//! ```
//! use meshwright_tso::{Binding, BLEND_UNUSED, Geometry, Mesh, RealVertex};
//!
//! let corner = |x: f32, y: f32| RealVertex {
//!     uv: [x.into(), y.into()],
//!     position: [x.into(), y.into(), 0.0.into()],
//!     normal: [0.0.into(), 0.0.into(), (-1.0).into()],
//! };
//! let geometry = Geometry {
//!     bones: vec!["HEAD".into()],
//!     faces: vec![[0, 1, 2]],
//!     bindings: vec![Binding { real_count: 3, first_blend: BLEND_UNUSED, ..Binding::default() }],
//!     real: vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 0.0)],
//!     ..Geometry::default()
//! };
//! let file = Mesh { geometry, ..Mesh::default() }.to_bytes()?;
//! let mesh = Mesh::parse(&file)?;
//! assert!(mesh.validate().is_empty());
//! assert_eq!(mesh.geometry.pose(&[]).positions[1], [0.0, 1.0, 0.0]);
//!
//! let e = Mesh::parse(&file[..40]).unwrap_err();
//! assert_eq!(e.to_string(), "bindings: 1 items of at least 20 bytes, 7 bytes left (offset 0x1d)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `scene`: conversion to and from the exchange model of `meshwright-scene`.
//! * `proptest`: generators of raw bits for property tests.
//!
//! `no_std` with `alloc`. The minimum Rust version is the workspace's.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;
#[cfg(any(test, feature = "proptest"))]
extern crate std;

mod anim;
mod bind;
mod bnd;
mod descriptions;
mod fields;
mod fit;
mod format;
mod mesh;
mod name;
mod number;
mod outfit;
mod pose;
mod props;
mod resource;
mod rules;
#[cfg(feature = "scene")]
mod scene;
mod search;
mod skel;
#[cfg(feature = "proptest")]
pub mod strategy;
mod ts1;

pub use anim::{Anim, FRAME_RATE, KEYS_UNUSED, Motion, Nesting, TimeProperty};
pub use bind::{BindPose, TurnedBone};
pub use bnd::{Bnd, ResourceId};
pub use fields::Flag;
pub use mesh::{
    BLEND_UNUSED, Binding, BlendVertex, Facing, Geometry, Mesh, Owners, Posed, RealVertex, Total,
};
pub use meshwright_core::math::Affine64;
pub use meshwright_core::num::Q1_15;
pub use meshwright_core::{F32, f32s};
pub use name::Name;
pub use outfit::{Apr, Col, ColItem, FileRef, Gesture, Hag, Oft, Po, Region, Side, Tone};
pub use pose::{Between, BonePose};
pub use props::PropertyList;
#[cfg(feature = "recover")]
pub use scene::EditedCharacter;
#[cfg(feature = "scene")]
pub use scene::{
    Assembly, CharacterForm, FileMesh, MeshForm, Part, TO_GLTF, TsoSceneOptions, is_written, write_outfit,
    write_scene,
};
pub use search::{
    CharacterSearch, CharacterStyle, DuplicateFile, FoundSkeleton, GameFiles, GameFolder, GameIndex,
    OutfitPart, OutfitRecord,
};
pub use skel::{ADULT_BONES, Bone, Skel};
pub use ts1::{
    Bcf, Bmf, CHOSEN_BY_SUIT, Cfp, CfpOptions, Character, CharacterBone, CharacterSkeleton, Cmx, Skill,
    SkillEvent, SkillMotion, SkinPart, Skn, Suit, Wear,
};

/// The README's example, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
