//! Options of [`Dpm::from_scene`](crate::Dpm::from_scene) and [`Zym::from_scene`](crate::Zym::from_scene).

use crate::optimize::OptimizeOptions;
use meshwright_scene::Scene;

/// Options for converting a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DpmSceneOptions {
    /// The optimisations, which the format's description recommends to exporters. If `None`, unused and
    /// duplicate data is removed from scenes of other formats; scenes of DPM, ZYM or no file are not
    /// changed.
    pub optimize: Option<OptimizeOptions>,
}

impl DpmSceneOptions {
    /// Sets the optimisations.
    #[must_use]
    pub fn with_optimize(mut self, optimize: impl Into<Option<OptimizeOptions>>) -> Self {
        self.optimize = optimize.into();
        self
    }

    /// Returns the changes to the model of a scene.
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

/// Returns whether a scene was read from one of the two formats. Its duplicate data is then kept.
pub(super) fn is_native(scene: &Scene) -> bool {
    matches!(scene.format.as_str(), "dpm" | "zym")
}
