//! Options of [`Dpm::from_scene`](crate::Dpm::from_scene) and [`Zym::from_scene`](crate::Zym::from_scene).

use crate::optimize::OptimizeOptions;
use meshwright_scene::Scene;

/// Options for making a model from a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DpmSceneOptions {
    /// What is optimised, as the formats ask savers to do. Without: what is unused or there twice goes where the scene was
    /// read from another format, and nothing where it was read from these two, or from no file.
    pub optimize: Option<OptimizeOptions>,
}

impl DpmSceneOptions {
    /// The same options with a choice of what is optimised.
    #[must_use]
    pub fn with_optimize(mut self, optimize: impl Into<Option<OptimizeOptions>>) -> Self {
        self.optimize = optimize.into();
        self
    }

    /// Changes to the model of a scene.
    pub(super) fn saving(&self, scene: &Scene) -> Saving {
        let foreign = !scene.format.is_empty() && !is_native(scene);
        match self.optimize {
            Some(options) => Saving::Optimize(options),
            None if foreign => Saving::Tidy,
            None => Saving::Nothing,
        }
    }
}

/// Changes to a model before it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Saving {
    Nothing,
    /// Unused and duplicate data is removed.
    Tidy,
    Optimize(OptimizeOptions),
}

/// True for a scene that was read from one of the formats: what it has twice, it shall have twice again.
pub(super) fn is_native(scene: &Scene) -> bool {
    matches!(scene.format.as_str(), "dpm" | "zym")
}
