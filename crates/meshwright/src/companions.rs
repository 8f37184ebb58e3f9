//! Files that belong to a model and say more about it.

use crate::model::AnyModel;
use meshwright_core::{Path, ReadError, ReadOptions, Report};
use meshwright_scene::Image;

#[cfg(feature = "crucible")]
use meshwright_crucible::SkeletonChunk;
#[cfg(feature = "dpm")]
use meshwright_quake::FrameGroups;
#[cfg(feature = "tso")]
use meshwright_tso::{Anim, Bnd, Skel};

/// A kind of companion file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CompanionKind {
    /// `.framegroups`: the clips of a DPM or ZYM model.
    FrameGroups,
    /// The skeleton of a TSO or Crucible mesh.
    Skeleton,
    /// An animation of a TSO skeleton.
    Animation,
    /// `.bnd`: the texture of a TSO mesh.
    Binding,
    /// `.json`: meshes, materials and nodes of an FSOMODEL file. It takes part in reading the model: see
    /// [`OpenOptions::metadata`](crate::OpenOptions::metadata).
    Metadata,
}

/// A further mesh of a figure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FigurePart {
    /// What the mesh is called in the scene.
    pub name: String,
    /// A TSO mesh.
    pub model: AnyModel,
    /// The name of its texture, where that is known.
    pub texture: Option<String>,
}

impl FigurePart {
    /// A mesh without a texture.
    pub fn new(name: impl Into<String>, model: AnyModel) -> Self {
        Self { name: name.into(), model, texture: None }
    }

    /// The same mesh with the name of its texture.
    #[must_use]
    pub fn with_texture(mut self, texture: Option<String>) -> Self {
        self.texture = texture;
        self
    }
}

/// Files that belong to a model and say more about it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Companions {
    /// The clips of a DPM or ZYM model.
    #[cfg(feature = "dpm")]
    pub framegroups: Option<FrameGroups>,
    /// The skeleton of a TSO mesh or animation.
    #[cfg(feature = "tso")]
    pub skeleton: Option<Skel>,
    /// The skeleton of a Crucible mesh.
    #[cfg(feature = "crucible")]
    pub crucible_skeleton: Option<SkeletonChunk>,
    /// Animations of a TSO skeleton.
    #[cfg(feature = "tso")]
    pub animations: Vec<Anim>,
    /// Which texture goes with a TSO mesh.
    #[cfg(feature = "tso")]
    pub binding: Option<Bnd>,
    /// Further TSO meshes of the same figure.
    pub parts: Vec<FigurePart>,
    /// The name of the texture of a TSO mesh, where it is known better than by the binding's number.
    pub texture_name: Option<String>,
    /// Compute the normals of TSO meshes from their faces.
    pub recompute_normals: bool,
    /// Textures by material name.
    pub images: Vec<(String, Image)>,
}

impl Companions {
    /// Reads a companion file; of a kind that can stand several times each is kept.
    ///
    /// # Errors
    /// When the file breaks a rule of its format, or this build does not read it.
    pub fn add(&mut self, kind: CompanionKind, bytes: &[u8], options: &ReadOptions) -> Result<(), ReadError> {
        match kind {
            #[cfg(feature = "dpm")]
            CompanionKind::FrameGroups => {
                self.framegroups = Some(FrameGroups::parse_with(bytes, options)?.model);
            }
            #[cfg(feature = "crucible")]
            CompanionKind::Skeleton if is_crucible_skeleton(bytes) => {
                self.crucible_skeleton = Some(SkeletonChunk::parse_with(bytes, options)?.model);
            }
            #[cfg(feature = "tso")]
            CompanionKind::Skeleton => self.skeleton = Some(Skel::parse_with(bytes, options)?.model),
            #[cfg(feature = "tso")]
            CompanionKind::Animation => self.animations.push(Anim::parse_with(bytes, options)?.model),
            #[cfg(feature = "tso")]
            CompanionKind::Binding => self.binding = Some(Bnd::parse_with(bytes, options)?.model),
            _ => {
                let message = "this build reads no such companion here";
                return Err(ReadError::unsupported("format", &Path::ROOT, 0, message));
            }
        }
        Ok(())
    }

    /// Everything that is odd about the companions. Offsets count in the companion, which the findings name as
    /// their stream.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        #[cfg(feature = "dpm")]
        self.framegroups.iter().for_each(|g| report.append(g.validate().of_part("framegroups")));
        #[cfg(feature = "tso")]
        {
            self.skeleton.iter().for_each(|s| report.append(s.validate().of_part("skeleton")));
            self.animations.iter().for_each(|a| report.append(a.validate().of_part("animation")));
            self.binding.iter().for_each(|b| report.append(b.validate().of_part("binding")));
        }
        #[cfg(feature = "crucible")]
        self.crucible_skeleton.iter().for_each(|s| report.append(s.validate().of_part("skeleton")));
        let _ = &mut report;
        report
    }
}

/// Whether a skeleton is rather one of Crucible than one of The Sims Online.
#[cfg(feature = "crucible")]
fn is_crucible_skeleton(bytes: &[u8]) -> bool {
    #[cfg(feature = "tso")]
    let other = Skel::sniff(bytes);
    #[cfg(not(feature = "tso"))]
    let other = meshwright_core::Confidence::No;
    SkeletonChunk::sniff(bytes) > other
}

impl AnyModel {
    /// Everything that is odd about the model and about its companions, and what one asks of the other and does not
    /// get: bones of a skeleton, frames of a model. Offsets count in the file that a finding's stream names.
    pub fn validate_with(&self, companions: &Companions) -> Report {
        let mut report = match self {
            #[cfg(feature = "crucible")]
            Self::CrucibleMesh(m) => {
                let skeleton = companions.crucible_skeleton.as_ref();
                skeleton.map_or_else(|| m.validate(), |s| m.validate_with(s))
            }
            #[cfg(feature = "crucible")]
            Self::CrucibleModel(m) => {
                let skeleton = companions.crucible_skeleton.as_ref();
                skeleton.map_or_else(|| m.validate(), |s| m.validate_with(s))
            }
            _ => self.validate(),
        };
        #[cfg(feature = "tso")]
        if let Some(((geometry, _), skeleton)) = self.geometry().zip(companions.skeleton.as_ref()) {
            report.append(geometry.validate_with(skeleton));
        }
        report.append(companions.validate());
        #[cfg(feature = "dpm")]
        if let Some((groups, poses)) = companions.framegroups.as_ref().zip(self.pose_count()) {
            report.append(groups.resolve(poses).report.of_part("framegroups"));
        }
        report
    }
}
