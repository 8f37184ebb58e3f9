//! Options for data that files of a character need and a scene does not have.

use crate::anim::Anim;
use crate::bnd::Bnd;
use crate::mesh::Mesh;
use crate::skel::Skel;
use crate::ts1::{Bcf, Bmf, Cfp, Cmx, Skn};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::FileFormat;
use meshwright_scene::{Loss, Scene};

/// Options for converting a scene to files of a The Sims character.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TsoSceneOptions {
    /// The game's skeleton for meshes and animations, which exists already and is not written. Its bones are found by
    /// name, and files use its order and spelling. If the rest pose of a joint differs from the bone's, vertices and
    /// keys are adapted so that the model looks the same. Without it, everything is relative to the scene's joints.
    pub made_for: Option<Skel>,
    /// The skeleton of the scene to write, if only one is possible. The default is the first.
    pub skeleton: Option<usize>,
    /// The clip of the scene to write, if only one is possible. The default is the first.
    pub clip: Option<usize>,
    /// The format in which [`write_scene`](crate::write_scene) writes meshes.
    pub meshes: MeshForm,
    /// Writes skeletons and clips as records of one file of The Sims 1, with a suit of all meshes, instead of a `.skel`
    /// and an `.anim` file for each.
    pub character: Option<CharacterForm>,
    /// The number in the game's archives for the first mesh and for the texture of the first material, if their names
    /// have none. The others are numbered from there.
    pub id: Option<u32>,
    /// The name of a new outfit: of its suit, its skins and its meshes. They do not get the names of the original then,
    /// nor its numbers.
    pub name: Option<String>,
    /// The number of a group of hands for an outfit whose meshes have none.
    pub hands: Option<u32>,
    /// Writes a skeleton also if it is a single joint at the origin, which plain scenes have only for the sake of clips.
    pub(crate) keeps_root: bool,
}

/// The form of a character file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CharacterForm {
    /// `.cmx`, with meshes as `.skn` by default.
    Text,
    /// `.bcf`, with meshes as `.bmf` by default.
    Binary,
}

/// A file format for meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeshForm {
    /// `.mesh` of The Sims Online.
    #[default]
    Mesh,
    /// `.bmf` of The Sims 1.
    Bmf,
    /// `.skn` of The Sims 1.
    Skn,
}

impl CharacterForm {
    /// Returns the extension of its files.
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::Text => "cmx",
            Self::Binary => "bcf",
        }
    }
}

impl TsoSceneOptions {
    /// Returns the form of the names of skeletons and clips. In a character file each has its own line of text.
    pub(super) fn record_names(&self) -> MeshForm {
        if self.character == Some(CharacterForm::Text) { MeshForm::Skn } else { MeshForm::Mesh }
    }

    /// Makes options for meshes on this skeleton.
    #[must_use]
    pub fn made_for(skeleton: Skel) -> Self {
        Self { made_for: Some(skeleton), ..Self::default() }
    }

    /// Selects a skeleton of the scene.
    #[must_use]
    pub fn with_skeleton(mut self, skeleton: usize) -> Self {
        self.skeleton = Some(skeleton);
        self
    }

    /// Selects a clip of the scene.
    #[must_use]
    pub fn with_clip(mut self, clip: usize) -> Self {
        self.clip = Some(clip);
        self
    }

    /// Writes skeletons, clips and suits into one file, and meshes in the matching form.
    #[must_use]
    pub fn with_character(mut self, form: CharacterForm) -> Self {
        self.character = Some(form);
        self.meshes = match form {
            CharacterForm::Text => MeshForm::Skn,
            CharacterForm::Binary => MeshForm::Bmf,
        };
        self
    }

    /// Sets the number of the first mesh and texture.
    #[must_use]
    pub const fn with_id(mut self, id: Option<u32>) -> Self {
        self.id = id;
        self
    }

    /// Sets the name of a new outfit.
    #[must_use]
    pub fn with_name(mut self, name: Option<String>) -> Self {
        self.name = name;
        self
    }

    /// Sets the number of the hands of an outfit without hands.
    #[must_use]
    pub const fn with_hands(mut self, hands: Option<u32>) -> Self {
        self.hands = hands;
        self
    }

    /// Sets the file format of meshes.
    #[must_use]
    pub fn with_meshes(mut self, meshes: MeshForm) -> Self {
        self.meshes = meshes;
        self
    }
}

/// Returns the selected clip or skeleton, or the first one. The others are reported as lost.
pub(super) fn chosen(
    choice: Option<usize>,
    count: usize,
    code: &'static str,
    what: &str,
    losses: &mut Vec<Loss>,
) -> usize {
    if choice.is_none() && count > 1 {
        let others = count.saturating_sub(1);
        let message = format!("{others} more {what}, for which the file has no room");
        losses.push(Loss::new(code, what, message).counted(others));
    }
    choice.unwrap_or(0)
}

/// Returns true for a scene that was read from files of The Sims, or from no file. Its oddities are preserved.
pub(super) fn is_native(scene: &Scene) -> bool {
    let ids = [Mesh::ID, Skel::ID, Anim::ID, Bnd::ID, Bmf::ID, Skn::ID, Cmx::ID, Bcf::ID, Cfp::ID];
    scene.format.is_empty() || ids.contains(&scene.format.as_str())
}
