//! The target of a conversion from a scene.

use crate::chunk::record::Dialect;
use crate::skeleton::model::QuaternionOrder;
use meshwright_scene::{Levels, SkeletonId};

/// A kind of file that [`write_scene`](crate::write_scene) makes of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CrucibleFile {
    /// A `.cmesh`: all meshes as one chunk.
    Chunk,
    /// A `.cmodel`: a chunk for every mesh.
    #[default]
    Model,
    /// A `.cskel`: only a skeleton.
    Skeleton,
}

/// The target of a conversion from a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrucibleTarget {
    /// The main file.
    pub file: CrucibleFile,
    /// The meaning of the attribute flags; by default that of the description.
    pub dialect: Dialect,
    /// The storage order of rotations in a skeleton chunk.
    pub quaternions: QuaternionOrder,
    /// The skeleton whose bones weights name and which a skeleton chunk holds; `None` takes that of the first mesh that
    /// has one, else the first.
    pub skeleton: Option<SkeletonId>,
}

impl CrucibleTarget {
    /// The levels that are converted without a choice: chunks have no levels of detail.
    pub(crate) const LEVELS: Levels = Levels::Finest;

    /// A target of another dialect.
    pub const fn with_dialect(dialect: Dialect) -> Self {
        Self { file: CrucibleFile::Model, dialect, quaternions: QuaternionOrder::Xyzw, skeleton: None }
    }

    /// The same target with another main file.
    #[must_use]
    pub const fn with_file(mut self, file: CrucibleFile) -> Self {
        self.file = file;
        self
    }

    /// The same target with another order of the floats of a rotation.
    #[must_use]
    pub const fn with_quaternions(mut self, order: QuaternionOrder) -> Self {
        self.quaternions = order;
        self
    }

    /// The same target with a choice of the skeleton.
    #[must_use]
    pub const fn with_skeleton(mut self, skeleton: SkeletonId) -> Self {
        self.skeleton = Some(skeleton);
        self
    }
}
