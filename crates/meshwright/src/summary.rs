//! What a model holds, in numbers.

use crate::kinds::AnyModel;

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

impl AnyModel {
    /// What the model holds, in numbers.
    pub fn summary(&self) -> Summary {
        match *self {
            #[cfg(feature = "bmd")]
            Self::Bmd(ref m) => Summary {
                meshes: m.meshes.len(),
                vertices: m.meshes.iter().map(|m| m.vertices.len()).sum(),
                triangles: m.meshes.iter().map(|m| m.triangles().count()).sum(),
                bones: m.bones.len(),
                clips: m.clips.len(),
                notes: vec![format!("{} LODs", m.lods.len())],
                ..Summary::default()
            },
            #[cfg(feature = "crucible")]
            Self::CrucibleMesh(ref m) => Self::chunks_summary(std::slice::from_ref(m)),
            #[cfg(feature = "crucible")]
            Self::CrucibleModel(ref m) => Self::chunks_summary(&m.meshes),
            #[cfg(feature = "crucible")]
            Self::CrucibleSkeleton(ref m) => Summary { bones: m.bones.len(), ..Summary::default() },
            #[cfg(feature = "fsomodel")]
            Self::Fso(ref m) => Summary {
                meshes: m.ranges().len(),
                vertices: m.vertices().iter().len(),
                // What is drawn: meshes may share indices or leave some out.
                triangles: m
                    .ranges()
                    .map(|r| usize::try_from(r.count / 3).unwrap_or(usize::MAX))
                    .fold(0, usize::saturating_add),
                notes: vec![format!("dialect {}", m.dialect)],
                ..Summary::default()
            },
            #[cfg(feature = "dpm")]
            Self::Dpm(ref m) => Summary {
                meshes: m.meshes.len(),
                vertices: m.meshes.iter().map(|m| m.vertices.len()).sum(),
                triangles: m.meshes.iter().map(|m| m.triangles.len()).sum(),
                bones: m.bones.len(),
                frames: Some(m.frames.len()),
                clips: m.clips_from_names().len(),
                ..Summary::default()
            },
            #[cfg(feature = "dpm")]
            Self::Zym(ref m) => Summary {
                meshes: m.runs.len(),
                vertices: m.vertex_count(),
                triangles: m.triangle_count(),
                bones: m.bones.len(),
                frames: Some(m.pose_count()),
                clips: m.scenes.len(),
                ..Summary::default()
            },
            #[cfg(feature = "tso")]
            Self::TsoMesh(ref m) => Self::geometry_summary(&m.geometry),
            #[cfg(feature = "tso")]
            Self::Bmf(ref m) => Self::geometry_summary(&m.geometry),
            #[cfg(feature = "tso")]
            Self::Skn(ref m) => Self::geometry_summary(&m.geometry),
            #[cfg(feature = "tso")]
            Self::TsoSkeleton(ref m) => Summary { bones: m.bones.len(), ..Summary::default() },
            #[cfg(feature = "tso")]
            Self::TsoAnimation(ref m) => Summary {
                bones: m.motions.len(),
                clips: 1,
                frames: Some(m.motions.iter().map(|m| m.frames as usize).max().unwrap_or(0)),
                notes: vec![m.name.text()],
                ..Summary::default()
            },
            #[cfg(feature = "tso")]
            Self::TsoBinding(ref m) => Summary { notes: vec![m.bone.text()], ..Summary::default() },
            #[cfg(feature = "dpm")]
            Self::FrameGroups(ref m) => Summary { clips: m.groups.len(), ..Summary::default() },
            #[cfg(feature = "fsomodel")]
            Self::FsoMetadata(ref m) => Summary { meshes: m.meshes.len(), ..Summary::default() },
        }
    }

    #[cfg(feature = "crucible")]
    fn chunks_summary(chunks: &[meshwright_crucible::Chunk<'static>]) -> Summary {
        let dialects: std::collections::BTreeSet<_> = chunks.iter().map(|c| c.dialect.name()).collect();
        Summary {
            meshes: chunks.len(),
            vertices: chunks.iter().map(meshwright_crucible::Chunk::vertex_count).sum(),
            triangles: chunks.iter().map(|c| c.triangles().len()).sum(),
            notes: dialects.into_iter().map(|d| format!("dialect {d}")).collect(),
            ..Summary::default()
        }
    }

    #[cfg(feature = "tso")]
    fn geometry_summary(g: &meshwright_tso::Geometry) -> Summary {
        Summary {
            meshes: 1,
            vertices: g.real.len(),
            triangles: g.faces.len(),
            bones: g.bones.len(),
            notes: vec![format!("{} blend vertices", g.blends.len())],
            ..Summary::default()
        }
    }
}
