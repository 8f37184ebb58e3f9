//! The common parts of all conversions from a scene: options, a trait, and results with several files.

use crate::convert::engine::{Engine, EngineLimits};
use crate::convert::{ConvertError, Converted, Space};
use crate::flatten::{DrawOptions, Levels};
use crate::model::Scene;
use crate::model::axes::AxisMap;
use crate::model::names::Naming;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{Budget, Limits};

/// Options of every `from_scene` and `write_scene`: those that all formats share, and the format's own.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FromSceneOptions<T = ()> {
    /// The limits of the conversion's memory.
    pub limits: Limits,
    /// The levels of detail in the result; `None` uses the format's default.
    pub levels: Option<Levels>,
    /// The treatment of names that the format cannot hold.
    pub names: Naming,
    /// The space of the scene's numbers; `None` uses the space that the scene states.
    pub space: Option<Space>,
    /// True if data that nothing draws is dropped, even if the format can store it.
    pub prune: bool,
    /// The engine whose limits are observed in addition to the format's. An engine that does not read the
    /// format has no effect.
    pub engine: Option<Engine>,
    /// The format's own options.
    pub format: T,
}

impl<T> FromSceneOptions<T> {
    /// Returns default options with a format's own options.
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

    /// Returns the same options for another format.
    #[must_use]
    pub fn with_format<U>(self, format: U) -> FromSceneOptions<U> {
        let Self { limits, levels, names, space, prune, engine, .. } = self;
        FromSceneOptions { limits, levels, names, space, prune, engine, format }
    }

    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the limit of memory in bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Sets the levels of detail.
    #[must_use]
    pub const fn with_levels(mut self, levels: Levels) -> Self {
        self.levels = Some(levels);
        self
    }

    /// Sets the treatment of names.
    #[must_use]
    pub const fn with_names(mut self, names: Naming) -> Self {
        self.names = names;
        self
    }

    /// Sets the space of the scene's numbers, whatever the scene states.
    #[must_use]
    pub const fn in_space(mut self, space: Space) -> Self {
        self.space = Some(space);
        self
    }

    /// Sets whether data that nothing draws is dropped.
    #[must_use]
    pub const fn with_prune(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    /// Sets the engine whose limits are observed.
    #[must_use]
    pub fn for_engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Returns the engine and its limits, if it reads the format with this id.
    #[must_use]
    pub fn engine_of(&self, format: &str) -> Option<(Engine, EngineLimits)> {
        self.engine.filter(|e| e.formats().contains(&format)).map(|e| (e, e.limits()))
    }

    /// Returns options for flattening the scene to the format's axes, with the chosen levels or the format's
    /// default `levels`. Meshes without a node are left out.
    #[must_use]
    pub fn draw(&self, scene: &Scene, to_gltf: &AxisMap, levels: Levels) -> DrawOptions {
        DrawOptions::default().with_levels(self.levels.unwrap_or(levels)).with_axes(self.axes(scene, to_gltf))
    }

    /// Does the same as [`draw`](Self::draw) for a format that keeps meshes without a node, unless they are pruned.
    #[must_use]
    pub fn draw_all(&self, scene: &Scene, to_gltf: &AxisMap, levels: Levels) -> DrawOptions {
        self.draw(scene, to_gltf, levels).with_undrawn(!self.prune)
    }

    /// Returns a new budget with the limits of the conversion.
    #[must_use]
    pub const fn budget(&self) -> Budget {
        Budget::new(self.limits)
    }

    /// Returns the space of the scene's numbers.
    #[must_use]
    pub fn space_of(&self, scene: &Scene) -> Space {
        self.space.unwrap_or(scene.space)
    }

    /// Returns the map from a scene's axes to those of a file. `to_gltf` maps the file's axes to glTF's.
    #[must_use]
    pub fn axes(&self, scene: &Scene, to_gltf: &AxisMap) -> AxisMap {
        match self.space_of(scene) {
            Space::Gltf => to_gltf.inverse(),
            Space::File => AxisMap::IDENTITY,
        }
    }
}

/// A model that can be converted from a scene. If a model is several files, its crate also has `fn
/// write_scene(scene: &Scene, stem: &str, options: &FromSceneOptions<O>) -> Result<Converted<OutputFiles>,
/// ConvertError>`. `stem` is the name of the main file without its extension.
pub trait FromScene: Sized {
    /// The format's own options.
    type Options: Default + Clone;

    /// Converts the scene to this format.
    ///
    /// # Errors
    /// If the scene breaks its own rules, if the format cannot express it, or if the result would take more
    /// than the limits allow.
    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<Self::Options>,
    ) -> Result<Converted<Self>, ConvertError>;
}

/// One file of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputFile {
    /// The name, relative to the output folder; `/` separates folders.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The files of a result: the main file first, then its companion files in the order of creation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputFiles(Vec<OutputFile>);

impl OutputFiles {
    /// Returns a result with one file.
    #[must_use]
    pub fn single(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let mut files = Self::default();
        files.push(name, bytes);
        files
    }

    /// Adds a file, or replaces the one with this name.
    pub fn push(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        let name = name.into();
        match self.0.iter_mut().find(|f| f.name == name) {
            Some(file) => file.bytes = bytes,
            None => self.0.push(OutputFile { name, bytes }),
        }
    }

    /// Returns the main file.
    #[must_use]
    pub fn main(&self) -> Option<&OutputFile> {
        self.0.first()
    }

    /// Returns the content of the file with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|f| f.name == name).map(|f| f.bytes.as_slice())
    }

    /// Returns the files in order.
    pub fn iter(&self) -> core::slice::Iter<'_, OutputFile> {
        self.0.iter()
    }

    /// Returns the number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the number of files is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the total size of all files in bytes.
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
        let draw = options.draw_all(&Scene::default(), &map, Levels::Finest);
        assert_eq!((draw.levels, draw.undrawn, draw.axes), (Levels::Finest, true, map.inverse()));
        let draw = options.clone().with_levels(Levels::Merged).with_prune(true);
        let draw = draw.draw_all(&Scene::default(), &map, Levels::Finest);
        assert_eq!((draw.levels, draw.undrawn), (Levels::Merged, false));
        assert_eq!(options.with_format(()).limits.memory, 9);
    }
}
