//! The common parts of all conversions of a scene to a format: options, trait, and results of several files.

use crate::convert::engine::{Engine, EngineLimits};
use crate::convert::{ConvertError, Converted, Space};
use crate::flatten::{DrawOptions, Levels};
use crate::model::Scene;
use crate::model::axes::AxisMap;
use crate::model::names::Naming;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{Budget, Limits};

/// Options of every `from_scene` and `write_scene`: what all formats share, and the format's own.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FromSceneOptions<T = ()> {
    /// The limits of the conversion's memory.
    pub limits: Limits,
    /// Which levels of detail the result has; `None` leaves it to the format.
    pub levels: Option<Levels>,
    /// The treatment of names that the format cannot hold.
    pub names: Naming,
    /// The space that the scene's numbers are in; `None` takes the scene's own word.
    pub space: Option<Space>,
    /// Data that nothing draws is dropped, even if the format could store it.
    pub prune: bool,
    /// The engine whose limits are kept where they are narrower than the format's; one that does not read the format
    /// changes nothing.
    pub engine: Option<Engine>,
    /// The format's own options.
    pub format: T,
}

impl<T> FromSceneOptions<T> {
    /// Default options around a format's own.
    #[must_use]
    pub fn for_format(format: T) -> Self {
        Self {
            limits: Limits::default(),
            levels: None,
            names: Naming::default(),
            space: None,
            prune: false,
            engine: None,
            format,
        }
    }

    /// The same options for another format.
    #[must_use]
    pub fn with_format<U>(self, format: U) -> FromSceneOptions<U> {
        let Self { limits, levels, names, space, prune, engine, .. } = self;
        FromSceneOptions { limits, levels, names, space, prune, engine, format }
    }

    /// The same options with other limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same options with another limit of bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// The same options with another choice of levels of detail.
    #[must_use]
    pub const fn with_levels(mut self, levels: Levels) -> Self {
        self.levels = Some(levels);
        self
    }

    /// The same options with another treatment of names.
    #[must_use]
    pub const fn with_names(mut self, names: Naming) -> Self {
        self.names = names;
        self
    }

    /// The same options with the scene taken to be in a space, whatever it says of itself.
    #[must_use]
    pub const fn in_space(mut self, space: Space) -> Self {
        self.space = Some(space);
        self
    }

    /// The same options with what nothing draws left out or kept.
    #[must_use]
    pub const fn with_prune(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    /// The same options with the limits of an engine.
    #[must_use]
    pub fn for_engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The engine whose limits count in the format of this id, and what it takes.
    #[must_use]
    pub fn engine_of(&self, format: &str) -> Option<(Engine, EngineLimits)> {
        self.engine.filter(|e| e.formats().contains(&format)).map(|e| (e, e.limits()))
    }

    /// Returns the options of drawing in the format's axes: the chosen levels, or the format's default. Meshes
    /// without a node are drawn if the format `keeps` them and they are not pruned.
    #[must_use]
    pub fn draw(&self, scene: &Scene, to_gltf: &AxisMap, levels: Levels, keeps: bool) -> DrawOptions {
        DrawOptions::default()
            .with_levels(self.levels.unwrap_or(levels))
            .with_undrawn(keeps && !self.prune)
            .with_axes(self.axes(scene, to_gltf))
    }

    /// A full account of what the conversion may take.
    #[must_use]
    pub const fn budget(&self) -> Budget {
        Budget::new(self.limits)
    }

    /// The space that the scene's numbers are in.
    #[must_use]
    pub fn space_of(&self, scene: &Scene) -> Space {
        self.space.unwrap_or(scene.space)
    }

    /// The map from a scene into a file whose own map to glTF's axes is `to_gltf`.
    #[must_use]
    pub fn axes(&self, scene: &Scene, to_gltf: &AxisMap) -> AxisMap {
        match self.space_of(scene) {
            Space::Gltf => to_gltf.inverse(),
            Space::File => AxisMap::IDENTITY,
        }
    }
}

/// A model that can be converted from a scene. If a model is several files, its crate also has `fn write_scene(scene:
/// &Scene, stem: &str, options: &FromSceneOptions<O>) -> Result<Converted<OutputFiles>, ConvertError>`, `stem` being
/// the name of the main file without its extension.
pub trait FromScene: Sized {
    /// The format's own options.
    type Options: Default + Clone;

    /// The scene in this format, with what was lost and decided.
    ///
    /// # Errors
    /// When the scene breaks its own rules, when the format cannot express it, or when the result would take more than
    /// the limits allow.
    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<Self::Options>,
    ) -> Result<Converted<Self>, ConvertError>;
}

/// One file of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputFile {
    /// Its name, relative to where the result is put; `/` between folders.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The files of a result: the main one first, then its companions in the order of their making.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputFiles(Vec<OutputFile>);

impl OutputFiles {
    /// A result of one file.
    #[must_use]
    pub fn single(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let mut files = Self::default();
        files.push(name, bytes);
        files
    }

    /// Adds a file, or replaces the one of this name.
    pub fn push(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        let name = name.into();
        match self.0.iter_mut().find(|f| f.name == name) {
            Some(file) => file.bytes = bytes,
            None => self.0.push(OutputFile { name, bytes }),
        }
    }

    /// The main file.
    #[must_use]
    pub fn main(&self) -> Option<&OutputFile> {
        self.0.first()
    }

    /// The content of the file of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|f| f.name == name).map(|f| f.bytes.as_slice())
    }

    /// The files in order.
    pub fn iter(&self) -> core::slice::Iter<'_, OutputFile> {
        self.0.iter()
    }

    /// The number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True without files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of all files together.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.iter().map(|f| f.bytes.len() as u64).sum()
    }
}

impl IntoIterator for OutputFiles {
    type Item = OutputFile;
    type IntoIter = alloc::vec::IntoIter<OutputFile>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a OutputFiles {
    type Item = &'a OutputFile;
    type IntoIter = core::slice::Iter<'a, OutputFile>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_keep_their_order() {
        let mut files = OutputFiles::single("a.dpm", alloc::vec![1, 2]);
        files.push("a.dpm.framegroups", alloc::vec![3]);
        files.push("a.dpm", alloc::vec![4]);
        assert_eq!(files.main().map(|f| f.name.as_str()), Some("a.dpm"));
        assert_eq!((files.len(), files.total_bytes()), (2, 2));
        assert_eq!(files.get("a.dpm"), Some(&[4][..]));
        assert_eq!(files.get("b"), None);
    }

    #[test]
    fn axes_follow_the_space() {
        let map = AxisMap::new([1, 2, 0], [1.0; 3], 2.0);
        let options = FromSceneOptions::for_format(7_u8).with_memory(9);
        assert_eq!(options.axes(&Scene::default(), &map), map.inverse());
        assert_eq!(options.clone().in_space(Space::File).axes(&Scene::default(), &map), AxisMap::IDENTITY);
        let draw = options.draw(&Scene::default(), &map, Levels::Finest, true);
        assert_eq!((draw.levels, draw.undrawn, draw.axes), (Levels::Finest, true, map.inverse()));
        let draw = options.clone().with_levels(Levels::Merged).with_prune(true);
        let draw = draw.draw(&Scene::default(), &map, Levels::Finest, true);
        assert_eq!((draw.levels, draw.undrawn), (Levels::Merged, false));
        assert_eq!(options.with_format(()).limits.memory, 9);
    }
}
