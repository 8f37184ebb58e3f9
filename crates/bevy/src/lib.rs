//! Models of old games as assets of [Bevy](https://bevy.org): every format that Meshwright reads, with meshes, skins,
//! clips, levels of detail and materials with their pictures.
//!
//! ```no_run
//! use bevy_app::prelude::*;
//! use bevy_asset::prelude::*;
//! use meshwright_bevy::{MeshwrightPlugin, Model};
//!
//! fn load(assets: &AssetServer) -> Handle<Model> {
//!     assets.load("models/player/marine.zym")
//! }
//! # let mut app = App::new();
//! app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), MeshwrightPlugin));
//! ```
//!
//! # Result
//!
//! Meshwright exports a model as glTF, and Bevy's own loader reads it. So it has the same labels as a glTF file
//! (`#Scene0`, `#Mesh0/Primitive0`, `#Skin0`, `#Animation0`, `#Material0`, `#Texture0`), the same components on the
//! entities of its scenes, and, with `bevy_pbr`, the same `StandardMaterial`s. [`Model`] holds their handles, more
//! facts about the clips, and a graph that plays them.
//!
//! | | |
//! |---|---|
//! | space | the scene's, which is glTF's and Bevy's: right-handed, +Y up, metres, seconds; the front looks along +Z |
//! | levels of detail | a scene each, the finest first: `#Scene0`, `#Scene1`, ... |
//! | hidden meshes | exist, with a fully transparent material |
//! | looping clips | end where they begin, so that they repeat without a jump; [`Model::start`] repeats them |
//! | companion files | skeletons, framegroups, skins, shader scripts and image files are read through the asset server: from folders, from embedded files, over the network; if one of them changes, the model is loaded again |
//! | packs | an asset source: [`tree_source`] |
//! | errors | [`ModelError`], with code, field and offset |
//!
//! For sources that cannot list folders (the network), the loader requests names one by one, exactly as they are
//! written. Files that need a search through folders are not found there: shader scripts, and The Sims' files that
//! are named by number.
//!
//! # Safety contract
//!
//! No unsafe code. Any bytes give a model or an error, within the memory of [`ModelSettings::max_memory`]: a file,
//! all files that belong to it, its scene and the document that goes to Bevy may take as much each, and Bevy's copies
//! come on top.

mod error;
mod fetch;
mod loader;
mod misplaced;
mod model;
mod plugin;
mod scene_assets;
mod settings;
mod source;

pub use error::ModelError;
pub use loader::ModelLoader;
pub use meshwright;
pub use model::{Clip, Model};
pub use plugin::MeshwrightPlugin;
pub use settings::ModelSettings;
pub use source::{TreeReader, tree_source};

/// The page of the book, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/bevy.md")]
struct Page;
