//! Options for data that files of a character need and a scene does not have.

use crate::anim::Anim;
use crate::bnd::Bnd;
use crate::mesh::Mesh;
use crate::skel::Skel;
use crate::ts1::{Bcf, Bmf, Cfp, Cmx, Skn};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::FileFormat;
use meshwright_scene::{Loss, Scene};

/// Options of conversions of a scene into files of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TsoSceneOptions {
    /// The game's skeleton for meshes and animations, which exists already and is not written. Its bones are found by
    /// name, and files use its order and spelling. If the rest pose of a joint differs from the bone's, vertices and
    /// keys are adapted so that the model looks the same. Without it, everything is relative to the scene's joints.
    pub made_for: Option<Skel>,
    /// Which skeleton of the scene becomes a file, where only one can; without, the first.
    pub skeleton: Option<usize>,
    /// Which clip of the scene becomes a file, where only one can; without, the first.
    pub clip: Option<usize>,
    /// The kind of file that [`write_scene`](crate::write_scene) makes of meshes.
    pub meshes: MeshForm,
    /// Skeletons and clips become the records of one file of The Sims 1, with a suit of all meshes, rather than a `.skel`
    /// and an `.anim` each.
    pub character: Option<CharacterForm>,
    /// The number in the game's archives of the first mesh and of the first material's texture, where names do not hold
    /// any; the others are numbered from there.
    pub id: Option<u32>,
}

/// The spelling of the records of a character file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CharacterForm {
    /// `.cmx`, with meshes as `.skn` unless said otherwise.
    Text,
    /// `.bcf`, with meshes as `.bmf` unless said otherwise.
    Binary,
}

/// A kind of file for meshes.
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
    /// The extension of its files.
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::Text => "cmx",
            Self::Binary => "bcf",
        }
    }
}

impl TsoSceneOptions {
    /// Options for meshes on this skeleton.
    #[must_use]
    pub fn made_for(skeleton: Skel) -> Self {
        Self { made_for: Some(skeleton), ..Self::default() }
    }

    /// The same options with another skeleton of the scene.
    #[must_use]
    pub fn with_skeleton(mut self, skeleton: usize) -> Self {
        self.skeleton = Some(skeleton);
        self
    }

    /// The same options with another clip of the scene.
    #[must_use]
    pub fn with_clip(mut self, clip: usize) -> Self {
        self.clip = Some(clip);
        self
    }

    /// The same options with skeletons, clips and suits in one file, and meshes in the form that goes with it.
    #[must_use]
    pub fn with_character(mut self, form: CharacterForm) -> Self {
        self.character = Some(form);
        self.meshes = match form {
            CharacterForm::Text => MeshForm::Skn,
            CharacterForm::Binary => MeshForm::Bmf,
        };
        self
    }

    /// The same options with the number of the first mesh and texture.
    #[must_use]
    pub const fn with_id(mut self, id: Option<u32>) -> Self {
        self.id = id;
        self
    }

    /// The same options with another kind of file for meshes.
    #[must_use]
    pub fn with_meshes(mut self, meshes: MeshForm) -> Self {
        self.meshes = meshes;
        self
    }
}

/// The clip or skeleton that a file of one holds: the chosen one, or the first, the others being lost.
pub(super) fn chosen(
    choice: Option<usize>,
    count: usize,
    code: &'static str,
    what: &str,
    losses: &mut Vec<Loss>,
) -> usize {
    if choice.is_none() && count > 1 {
        let others = count.saturating_sub(1);
        let message = format!("{others} further {what} do not fit the file");
        losses.push(Loss::new(code, what, message).counted(others));
    }
    choice.unwrap_or(0)
}

/// True for a scene that was read from files of a figure, or from none: what is odd in it shall be odd again.
pub(super) fn is_native(scene: &Scene) -> bool {
    let ids = [Mesh::ID, Skel::ID, Anim::ID, Bnd::ID, Bmf::ID, Skn::ID, Cmx::ID, Bcf::ID, Cfp::ID];
    scene.format.is_empty() || ids.contains(&scene.format.as_str())
}
