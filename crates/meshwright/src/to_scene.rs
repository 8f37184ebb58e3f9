//! Models of any format as scenes.

use crate::companions::Companions;
use crate::kinds::AnyModel;
use meshwright_core::Role;
use meshwright_scene::{
    Clip, ConvertError, Converted, Interpolation, Motion, PoseSetId, Scene, SceneOptions, SkeletonId,
};

#[cfg(feature = "dpm")]
use meshwright_dpm::FrameClip;
#[cfg(feature = "dpm")]
use meshwright_scene::Loss;
#[cfg(feature = "tso")]
use meshwright_tso::{Anim, Assembly, Bnd, Geometry, Part, ResourceId};

/// Converts a model of so many poses with the clips that its `.framegroups` companion names; what was changed to fit
/// the model is a loss.
#[cfg(feature = "dpm")]
fn with_clips(
    companions: &Companions,
    poses: usize,
    to_scene: impl FnOnce(Option<&[FrameClip]>) -> Result<Converted<Scene>, ConvertError>,
) -> Result<Converted<Scene>, ConvertError> {
    let Some(groups) = companions.one::<meshwright_quake::FrameGroups>() else { return to_scene(None) };
    let resolved = groups.resolve(poses);
    let clips: Vec<_> = resolved
        .clips
        .into_iter()
        .map(|c| FrameClip { name: c.name, start: c.start, length: c.length, fps: c.fps, looping: c.looping })
        .collect();
    let mut converted = to_scene(Some(&clips))?;
    let changed = resolved.report.findings().iter();
    converted.losses.extend(changed.map(|f| Loss::new(f.code, f.path.to_string(), f.message.to_string())));
    Ok(converted)
}

impl AnyModel {
    /// The model as a scene. `name` becomes the scene's name, and that of a mesh whose file has none.
    ///
    /// # Errors
    /// When the model breaks a rule that a lenient reader passed over, when it lacks a companion without which
    /// nothing can be shown, or when the scene would exceed the limit of the options.
    pub fn to_scene(
        &self,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        let mut scene = self.stored(name, companions, options)?;
        scene.value.name = name.into();
        for material in &mut scene.value.materials {
            let image = companions.images.iter().find(|(name, _)| *name == material.name);
            material.image = image.map(|(_, image)| image.clone());
        }
        Ok(scene)
    }

    /// The scene as the format's crate makes it.
    fn stored(
        &self,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        match self {
            #[cfg(feature = "bmd")]
            Self::Bmd(m) => m.to_scene(options),
            #[cfg(feature = "crucible")]
            Self::CrucibleMesh(m) => m.to_scene(options, companions.one()),
            #[cfg(feature = "crucible")]
            Self::CrucibleModel(m) => m.to_scene(options, companions.one()),
            #[cfg(feature = "crucible")]
            Self::CrucibleSkeleton(m) => m.to_scene(options),
            #[cfg(feature = "dpm")]
            Self::Dpm(m) => with_clips(companions, m.frames.len(), |clips| m.to_scene(options, clips)),
            #[cfg(feature = "dpm")]
            Self::Zym(m) => with_clips(companions, m.pose_count(), |clips| m.to_scene(options, clips)),
            #[cfg(feature = "fsomodel")]
            Self::Fso(m) => m.to_scene(options),
            #[cfg(feature = "tso")]
            Self::TsoMesh(_) | Self::TsoSkeleton(_) | Self::Bmf(_) | Self::Skn(_) => {
                self.figure(name, companions).to_scene(options)
            }
            #[cfg(feature = "tso")]
            Self::TsoAnimation(_) if companions.has(Role::Skeleton) => {
                self.figure(name, companions).to_scene(options)
            }
            #[cfg(feature = "tso")]
            Self::TsoAnimation(_) => {
                Err(ConvertError::unsupported("file", "an animation moves a skeleton, and none goes with it"))
            }
            #[cfg(feature = "tso")]
            Self::TsoBinding(_) => Err(ConvertError::unsupported(
                "file",
                "a binding names a mesh and its texture and holds neither",
            )),
            #[cfg(feature = "dpm")]
            Self::FrameGroups(_) => {
                Err(ConvertError::unsupported("file", "clips say which frames of a model to play"))
            }
            #[cfg(feature = "fsomodel")]
            Self::FsoMetadata(_) => {
                Err(ConvertError::unsupported("file", "metadata says what a model's own file leaves out"))
            }
        }
    }

    /// A TSO figure: this file, with the skeleton, animations and further meshes that go with it.
    #[cfg(feature = "tso")]
    fn figure<'a>(&'a self, name: &str, companions: &'a Companions) -> Assembly<'a> {
        let mut figure = Assembly::new(name)
            .with_skeleton(companions.one())
            .with_recomputed_normals(companions.recompute_normals);
        match self {
            Self::TsoSkeleton(s) => figure.skeleton = Some(s),
            Self::TsoAnimation(a) => figure.animations.push(a),
            _ => {}
        }
        figure.animations.extend(companions.all::<Anim>());
        // What the companions say of a texture, they say of the first mesh.
        let bound = || companions.one::<Bnd>().and_then(|b| b.texture.as_ref()).map(ResourceId::tag);
        let lead = (name, self, companions.texture.clone().or_else(bound));
        let parts = companions.files.iter().filter(|file| file.role == Role::Part);
        let parts = parts.map(|p| (p.name.as_str(), &p.model, p.texture.clone()));
        for (name, model, texture) in std::iter::once(lead).chain(parts) {
            let Some((geometry, own_texture)) = model.geometry() else { continue };
            let part = Part::new(name, geometry);
            figure.parts.push(match own_texture.or(texture) {
                Some(texture) => part.with_material(texture),
                None => part,
            });
        }
        figure
    }

    /// The mesh of a TSO file, and the texture that the file itself names.
    #[cfg(feature = "tso")]
    pub(crate) fn geometry(&self) -> Option<(&Geometry, Option<String>)> {
        let (geometry, texture) = match self {
            Self::TsoMesh(m) => (&m.geometry, None),
            Self::Bmf(m) => (&m.geometry, Some(m.texture.text())),
            Self::Skn(m) => (&m.geometry, Some(m.texture.text())),
            _ => return None,
        };
        Some((geometry, texture.filter(|t| !t.is_empty())))
    }

    /// What the format makes of the length of normals in a pose.
    #[cfg(feature = "rig")]
    pub fn normals(&self) -> meshwright_rig::Normals {
        match self {
            // The games bring what blends made of them back to length 1.
            #[cfg(feature = "tso")]
            Self::TsoMesh(_) | Self::TsoSkeleton(_) | Self::TsoAnimation(_) | Self::Bmf(_) | Self::Skn(_) => {
                meshwright_rig::Normals::Unit
            }
            _ => meshwright_rig::Normals::AsIs,
        }
    }

    /// How many poses a `.framegroups` companion chooses from.
    #[cfg(feature = "dpm")]
    pub(crate) fn pose_count(&self) -> Option<usize> {
        match self {
            Self::Dpm(m) => Some(m.frames.len()),
            Self::Zym(m) => Some(m.pose_count()),
            _ => None,
        }
    }

    /// The rate that the file states for a clip of its scene, where the scene has another: a rate of 0 cannot be
    /// played.
    #[cfg(feature = "dump")]
    pub(crate) fn stored_rate(&self, clip: usize, companions: &Companions) -> Option<f32> {
        match self {
            #[cfg(feature = "dpm")]
            Self::Zym(m)
                if companions.one::<meshwright_quake::FrameGroups>().is_none_or(|g| g.groups.is_empty()) =>
            {
                Some(m.scenes.get(clip)?.framerate.get())
            }
            _ => None,
        }
    }

    /// All frames of the file in order as one clip of its scene, for formats that have a frame table.
    pub fn file_clip(&self) -> Option<Clip> {
        let poses: Vec<u32> = match self {
            #[cfg(feature = "dpm")]
            Self::Dpm(m) => m.frames.iter().map(|f| f.pose.0).collect(),
            #[cfg(feature = "dpm")]
            Self::Zym(m) => (0..u32::try_from(m.pose_count()).ok()?).collect(),
            _ => return None,
        };
        Some(Clip {
            name: String::new(),
            skeleton: SkeletonId(0),
            rate: 1.0,
            frames: u32::try_from(poses.len()).ok()?,
            looping: false,
            interpolation: Interpolation::Matrix,
            motion: Motion::Poses { set: PoseSetId(0), frames: poses },
            extras: None,
        })
    }
}
