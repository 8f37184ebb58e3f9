//! The target of a conversion from a scene.

use crate::chunk::record::Dialect;
use crate::skeleton::model::QuaternionOrder;
use meshwright_scene::{Levels, SkeletonId};

/// The type of file that [`write_scene`](crate::write_scene) converts a scene to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CrucibleFile {
    /// A `.cmesh`: all meshes as one chunk.
    Chunk,
    /// A `.cmodel`: a chunk per mesh.
    #[default]
    Model,
    /// A `.cskel`: only the skeleton.
    Skeleton,
}

/// The target of a conversion from a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrucibleTarget {
    /// The main file.
    pub file: CrucibleFile,
    /// The dialect; by default that of the description.
    pub dialect: Dialect,
    /// The order of the four floats of a rotation in a skeleton chunk.
    pub quaternions: QuaternionOrder,
    /// The skeleton that weights refer to and that a skeleton chunk holds. `None` chooses that of the first
    /// mesh that has one, otherwise the first.
    pub skeleton: Option<SkeletonId>,
}

impl CrucibleTarget {
    /// The default levels of detail: chunks have no levels.
    pub(crate) const LEVELS: Levels = Levels::Finest;

    /// Returns a target with another dialect.
    pub const fn with_dialect(dialect: Dialect) -> Self {
        Self { file: CrucibleFile::Model, dialect, quaternions: QuaternionOrder::Xyzw, skeleton: None }
    }

    /// Sets the main file.
    #[must_use]
    pub const fn with_file(mut self, file: CrucibleFile) -> Self {
        self.file = file;
        self
    }

    /// Sets the order of the floats of a rotation.
    #[must_use]
    pub const fn with_quaternions(mut self, order: QuaternionOrder) -> Self {
        self.quaternions = order;
        self
    }

    /// Chooses the skeleton.
    #[must_use]
    pub const fn with_skeleton(mut self, skeleton: SkeletonId) -> Self {
        self.skeleton = Some(skeleton);
        self
    }
}
