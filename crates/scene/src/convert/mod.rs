//! Options and results of conversions.

pub(crate) mod engine;
pub(crate) mod loss;
pub(crate) mod target;
pub(crate) mod unsupported;

use crate::convert::loss::Loss;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded, Limits};

/// The axes, units, winding and texture origin of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Space {
    /// glTF's space: right-handed, +Y up, +Z front, metres, counter-clockwise, texture origin top left, unit
    /// normals.
    #[default]
    Gltf,
    /// The file's own space, with normals as the file's evaluation gives them.
    File,
}

/// Options of every `to_scene`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The space of the result.
    pub space: Space,
    /// True if native fields that glTF cannot hold are kept as extras.
    pub extras: bool,
    /// True if a model with a single frame becomes a static mesh: no skeleton, no skin, no clip. Children of
    /// its bones that no bone moves, such as attachments, become nodes.
    pub static_meshes: bool,
    /// True if meshes that bound bones are drawn too, moving with their bones.
    pub solids: bool,
    /// True if vertices are bound only in model space: skins then have no [`local`](crate::Skin::local)
    /// vertices, which targets like glTF cannot store. The resulting loss is measured either way.
    pub bind_only: bool,
    /// The limits of the scene's memory.
    pub limits: Limits,
}

impl SceneOptions {
    /// Default options in the given space.
    #[must_use]
    pub fn in_space(space: Space) -> Self {
        Self { space, ..Self::default() }
    }

    /// Sets whether native fields are kept.
    #[must_use]
    pub const fn with_extras(mut self, extras: bool) -> Self {
        self.extras = extras;
        self
    }

    /// Sets whether models with a single frame become static meshes.
    #[must_use]
    pub const fn with_static_meshes(mut self, on: bool) -> Self {
        self.static_meshes = on;
        self
    }

    /// Sets whether meshes that bound bones are drawn.
    #[must_use]
    pub const fn with_solids(mut self, solids: bool) -> Self {
        self.solids = solids;
        self
    }

    /// Sets whether vertices are bound only in model space; see [`bind_only`](Self::bind_only).
    #[must_use]
    pub const fn with_bind_only(mut self, on: bool) -> Self {
        self.bind_only = on;
        self
    }

    /// Sets the limit of memory in bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns a new budget with the limits of the scene.
    #[must_use]
    pub const fn budget(&self) -> Budget {
        Budget::new(self.limits)
    }
}

/// A converted value, and the losses of the conversion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Converted<T> {
    /// The result.
    pub value: T,
    /// Dropped data, and decisions of the conversion.
    pub losses: Vec<Loss>,
}

impl<T> Converted<T> {
    /// Returns a result with its losses.
    pub const fn new(value: T, losses: Vec<Loss>) -> Self {
        Self { value, losses }
    }

    /// Returns the losses.
    pub fn lost(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter().filter(|l| !l.is_note())
    }

    /// Returns the notes.
    pub fn notes(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter().filter(|l| l.is_note())
    }

    /// Converts the value and keeps the losses.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Converted<U> {
        Converted { value: f(self.value), losses: self.losses }
    }
}

/// A field of a scene, and what is wrong with it: the rule that it breaks, or what a target cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SceneFault {
    /// The field at fault.
    pub path: String,
    /// The fault.
    pub message: String,
}

/// The reason why a conversion failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The source breaks a rule that the conversion relies on.
    #[error(transparent)]
    Invalid(Box<SceneFault>),
    /// The target has no way to express the source.
    #[error(transparent)]
    Unsupported(Box<SceneFault>),
    /// The result would exceed the caller's limit.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

impl ConvertError {
    /// Returns the error for a source that breaks a rule.
    #[cold]
    #[inline(never)]
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        SceneFault { path: path.into(), message: message.into() }.into()
    }

    /// Returns the error for a source that the target cannot express.
    #[cold]
    #[inline(never)]
    pub fn unsupported(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unsupported(Box::new(SceneFault { path: path.into(), message: message.into() }))
    }
}

/// A fault that [`Scene::validate`](crate::Scene::validate) finds makes a source invalid.
impl From<SceneFault> for ConvertError {
    fn from(fault: SceneFault) -> Self {
        Self::Invalid(Box::new(fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_result_tells_losses_from_notes() {
        let made = Converted::new((), alloc::vec![Loss::note("a", "", ""), Loss::new("b", "", "")]);
        assert_eq!((made.notes().count(), made.lost().count()), (1, 1));
    }

    #[test]
    fn a_limit_is_an_error_of_a_conversion() {
        let options = SceneOptions::default().with_memory(10);
        let e: ConvertError = options.budget().charge("vertices", 11).unwrap_err().into();
        assert_eq!(e.to_string(), "vertices: 11 bytes wanted, the limit leaves 10");
    }
}
