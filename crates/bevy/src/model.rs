//! A model in Bevy.

use bevy_animation::ActiveAnimation;
use bevy_animation::prelude::*;
use bevy_asset::{Asset, Handle};
use bevy_gltf::Gltf;
use bevy_reflect::TypePath;
use meshwright::scene::Loss;
use meshwright::{Format, Part, Report};

/// A model that is loaded, with handles of all its parts: they live as long as this.
#[derive(Asset, TypePath, Debug)]
#[non_exhaustive]
pub struct Model {
    /// The kind of file that it came from.
    pub format: Format,
    /// Scenes (one for each level of detail, the finest first), meshes, skins, materials and clips, by number and by name.
    pub gltf: Gltf,
    /// The clips, in the order of `#Animation0`, `#Animation1`, ...
    pub clips: Vec<Clip>,
    /// A graph in which each clip is a child of the root: `#AnimationGraph`.
    pub graph: Handle<AnimationGraph>,
    /// The findings about the file and its companion files.
    pub findings: Report,
    /// The dropped data of the file, and decisions.
    pub losses: Vec<Loss>,
    /// Every file that took part, and every one that was found and could not be used.
    pub parts: Vec<Part>,
}

/// A clip, and what the file says of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Clip {
    /// The name.
    pub name: String,
    /// True if it loops. Then its curves end at their start values.
    pub looping: bool,
    /// Frames a second.
    pub rate: f32,
    /// The number of frames.
    pub frames: u32,
    /// The duration: for a looping clip, until it starts again.
    pub seconds: f64,
    /// The curves.
    pub animation: Handle<AnimationClip>,
    /// The place in the model's graph.
    pub node: AnimationNodeIndex,
}

impl Model {
    /// Returns the clip with a name, the first if several have it; otherwise the clip with a number, as in `"0"`.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        let named = self.clips.iter().find(|clip| clip.name == name);
        named.or_else(|| self.clips.get(name.parse::<usize>().ok()?))
    }

    /// Starts a [clip](Self::clip) on a player whose graph is the model's, and repeats it if it loops. Returns `None` if the
    /// model has no such clip.
    ///
    /// Scenes have a player on each entity at their top that something moves.
    pub fn start<'p>(&self, clip: &str, player: &'p mut AnimationPlayer) -> Option<&'p mut ActiveAnimation> {
        let clip = self.clip(clip)?;
        let active = player.stop_all().play(clip.node);
        Some(if clip.looping { active.repeat() } else { active })
    }
}
