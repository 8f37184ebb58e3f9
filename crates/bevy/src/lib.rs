//! Models of old games as assets of [Bevy](https://bevy.org): every format that Meshwright reads, with meshes, skins, clips,
//! levels of detail and materials with their pictures.
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
//! # What comes out
//!
//! A model takes the way over glTF, which Meshwright's exporter and Bevy's own loader know: so it has the same labels as a
//! glTF file (`#Scene0`, `#Mesh0/Primitive0`, `#Skin0`, `#Animation0`, `#Material0`, `#Texture0`), the same components on the
//! entities of its scenes, and, where `bevy_pbr` is there, the same `StandardMaterial`s. [`Model`] holds their handles, what is
//! known of the clips beyond that, and a graph that plays them.
//!
//! | | |
//! |---|---|
//! | space | the scene's, which is glTF's and Bevy's: right-handed, +Y up, metres, seconds; the front looks along +Z |
//! | levels of detail | a scene each, the finest first: `#Scene0`, `#Scene1`, ... |
//! | hidden meshes | are there with a material that lets nothing through |
//! | looping clips | end where they begin, so that they repeat without a jump; [`Model::start`] repeats them |
//! | what belongs to a model | skeletons, framegroups, skins, shader scripts and pictures are read through the asset server: from folders, from embedded files, over the network; a model is loaded anew when one of them changes |
//! | packs | an asset source: [`tree_source`] |
//! | errors | [`ModelError`], with code, field and offset |
//!
//! Sources that cannot list folders (the network) are asked for names one by one, as exactly as they are written; what is
//! found by looking through folders, shader scripts and the numbers of The Sims' files, is not found there.
//!
//! # Safety contract
//!
//! No unsafe code. Any bytes give a model or an error, within the memory of [`ModelSettings::max_memory`]: a file, all files
//! that belong to it, its scene and the document that goes to Bevy may take as much each, and Bevy's copies come on top.

mod error;
mod fetch;
mod loader;
mod made;
mod model;
mod plugin;
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
