//! One model of any format, and the files that belong to it.

use crate::format::Format;
use meshwright_core::{Finding, Parsed, ReadError, ReadOptions, Report, Stream, WriteError};
use meshwright_scene::{
    Clip, ConvertError, Converted, Interpolation, Motion, PoseSetId, Scene, SceneOptions, SkeletonId,
};

#[cfg(feature = "dpm")]
use meshwright_dpm::{Dpm, FrameGroups, Zym};

/// Declares [`AnyModel`] and the verbs that every format crate has under the same name.
macro_rules! models {
    ($($variant:ident, $feature:literal, $model:ty;)+) => {
        /// A model of any format.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum AnyModel {
            $(#[cfg(feature = $feature)] #[doc = concat!("A [`Format::", stringify!($variant), "`].")] $variant(Box<$model>),)+
        }

        impl AnyModel {
            /// Reads a file of a known format.
            pub fn parse(bytes: &[u8], format: Format, options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
                match format {
                    $(#[cfg(feature = $feature)]
                    Format::$variant => {
                        Ok(<$model>::parse_with(bytes, options)?.map(|m| Self::$variant(Box::new(m))))
                    })+
                }
            }

            /// The model's format.
            pub const fn format(&self) -> Format {
                match self { $(#[cfg(feature = $feature)] Self::$variant(_) => Format::$variant,)+ }
            }

            /// Everything that is odd about the model.
            pub fn validate(&self) -> Report {
                match self { $(#[cfg(feature = $feature)] Self::$variant(m) => m.validate(),)+ }
            }

            /// The model as a file: byte for byte the one it was read from, unless it was edited.
            pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
                match self { $(#[cfg(feature = $feature)] Self::$variant(m) => m.to_bytes(),)+ }
            }
        }
    };
}

models! {
    Dpm, "dpm", Dpm;
    Zym, "dpm", Zym;
}

/// Files that belong to a model and say more about it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Companions {
    /// The clips of a DPM or ZYM model.
    #[cfg(feature = "dpm")]
    pub framegroups: Option<FrameGroups>,
}

/// A kind of companion file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompanionKind {
    /// `.framegroups`: the clips of a DPM or ZYM model.
    #[cfg(feature = "dpm")]
    FrameGroups,
}

impl Companions {
    /// Reads a companion file.
    pub fn add(&mut self, kind: CompanionKind, bytes: &[u8], options: &ReadOptions) -> Result<(), ReadError> {
        match kind {
            #[cfg(feature = "dpm")]
            CompanionKind::FrameGroups => {
                self.framegroups = Some(FrameGroups::parse_with(bytes, options)?.model);
                Ok(())
            }
        }
    }

    /// Everything that is odd about the companions, by themselves and beside the model.
    pub fn validate(&self, model: &AnyModel) -> Report {
        let mut report = Report::new();
        #[cfg(feature = "dpm")]
        if let (Some(groups), AnyModel::Dpm(_) | AnyModel::Zym(_)) = (&self.framegroups, model) {
            for finding in groups.validate().findings() {
                let stream = Stream::Part("framegroups".into());
                report.push(Finding { stream, ..finding.clone() });
            }
        }
        report
    }
}

impl AnyModel {
    /// The names under which companion files of a model called `name` lie beside it.
    pub fn companion_names(&self, name: &str) -> Vec<(CompanionKind, String)> {
        match self {
            #[cfg(feature = "dpm")]
            Self::Dpm(_) | Self::Zym(_) => vec![(CompanionKind::FrameGroups, format!("{name}.framegroups"))],
        }
    }

    /// The model as a scene. `name` becomes the scene's name.
    pub fn to_scene(
        &self,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        let mut scene = match self {
            #[cfg(feature = "dpm")]
            Self::Dpm(m) => m.to_scene(options, companions.framegroups.as_ref()),
            #[cfg(feature = "dpm")]
            Self::Zym(m) => m.to_scene(options, companions.framegroups.as_ref()),
        }?;
        scene.value.name = name.into();
        Ok(scene)
    }

    /// All frames of the file in order as one clip of its scene, for formats that have a frame table.
    pub fn file_clip(&self) -> Option<Clip> {
        let poses: Vec<u32> = match self {
            #[cfg(feature = "dpm")]
            Self::Dpm(m) => m.frames.iter().map(|f| f.pose.0).collect(),
            #[cfg(feature = "dpm")]
            Self::Zym(m) => (0..u32::try_from(m.pose_count()).ok()?).collect(),
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

    /// What the model holds, in numbers.
    pub fn summary(&self) -> Summary {
        match self {
            #[cfg(feature = "dpm")]
            Self::Dpm(m) => Summary {
                meshes: m.meshes.len(),
                vertices: m.meshes.iter().map(|m| m.vertices.len()).sum(),
                triangles: m.meshes.iter().map(|m| m.triangles.len()).sum(),
                bones: m.bones.len(),
                frames: Some(m.frames.len()),
                clips: m.clips_from_names().len(),
                ..Summary::default()
            },
            #[cfg(feature = "dpm")]
            Self::Zym(m) => Summary {
                meshes: m.runs.len(),
                vertices: m.vertex_count(),
                triangles: m.triangle_count(),
                bones: m.bones.len(),
                frames: Some(m.pose_count()),
                clips: m.scenes.len(),
                ..Summary::default()
            },
        }
    }
}

/// What a model holds, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Meshes, or runs of triangles with one material.
    pub meshes: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Triangles of all meshes.
    pub triangles: usize,
    /// Bones.
    pub bones: usize,
    /// Named motions in the file itself, companions aside.
    pub clips: usize,
    /// Stored frames, where the format has a frame table.
    pub frames: Option<usize>,
    /// More facts that only this format has.
    pub notes: Vec<String>,
}
