//! Converts to and from the exchange model.

pub(crate) mod from_scene;
#[cfg(feature = "recover")]
mod merge;
pub(crate) mod skeleton_from_scene;
pub(crate) mod target;
pub(crate) mod to_scene;
pub(crate) mod write_scene;

use crate::chunk::model::Chunk;
use crate::cmodel::model::CModel;
use crate::skeleton::model::SkeletonChunk;
use meshwright_scene::{ConvertError, Converted, FromScene, FromSceneOptions, Scene};
use target::CrucibleTarget;

macro_rules! from_scene {
    ($($kind:ty),+) => {$(
        impl FromScene for $kind {
            type Options = CrucibleTarget;

            fn from_scene(
                scene: &Scene,
                options: &FromSceneOptions<CrucibleTarget>,
            ) -> Result<Converted<Self>, ConvertError> {
                Self::from_scene(scene, options)
            }
        }
    )+};
}

from_scene! { CModel<'static>, Chunk<'static>, SkeletonChunk }
