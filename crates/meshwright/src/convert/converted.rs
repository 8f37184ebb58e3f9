//! The results of conversions.

use super::options::ConvertOptions;
use super::{StreamedFile, Target, stream};
use crate::error::{Error, ErrorKind};
use crate::formats::WriteOptions;
use crate::model::{Finder, Model, Part};
use meshwright_core::Limits;
use meshwright_scene::{self as scene, Loss, OutputFile, OutputFiles, Scene};
use std::path::PathBuf;

/// The method by which a model was converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Route {
    /// The model already has the format of the target: its files are unchanged.
    Unchanged,
    /// The target holds the same records.
    SameRecords,
    /// Edits were imported into the original.
    Edited,
    /// The model was converted to a scene.
    Scene,
}

/// A conversion whose files are written as they are made, so that large arrays are in memory once.
#[derive(Debug)]
pub struct Conversion {
    target: Target,
    limits: Limits,
    route: Route,
    pub(super) made: Made,
    finder: Finder,
    pub(super) parts: Vec<Part>,
    pub(super) losses: Vec<Loss>,
    /// The names of companions that are copied unchanged.
    pub(super) unedited: Vec<String>,
    #[cfg(feature = "gltf")]
    pub(super) patch: Option<meshwright_edit::Patch>,
    #[cfg(feature = "retarget")]
    pub(super) map: Option<String>,
}

/// The files of a conversion, or the scene that they are made from.
#[derive(Debug)]
pub(super) enum Made {
    Files(OutputFiles),
    Scene { scene: Box<Scene>, options: Box<WriteOptions>, skins: OutputFiles },
}

impl Made {
    pub(super) fn files(files: OutputFiles) -> Self {
        Self::Files(files)
    }
}

impl Conversion {
    pub(super) fn new(
        model: &Model,
        target: Target,
        options: &ConvertOptions,
        route: Route,
        made: Made,
    ) -> Self {
        Self {
            target,
            limits: options.write.shared.limits,
            route,
            made,
            finder: model.finder().clone(),
            parts: model.parts().to_vec(),
            losses: Vec::new(),
            unedited: Vec::new(),
            #[cfg(feature = "gltf")]
            patch: None,
            #[cfg(feature = "retarget")]
            map: None,
        }
    }

    /// Returns the method of the conversion.
    pub fn route(&self) -> Route {
        self.route
    }

    /// Makes the files, the main one first, with everything that they do not hold, and notes on decisions. Call it once.
    ///
    /// # Errors
    /// As [`convert`](crate::convert).
    pub fn files(&mut self) -> Result<scene::Converted<Vec<StreamedFile<'_>>>, Error> {
        let mut losses = std::mem::take(&mut self.losses);
        let files = match &mut self.made {
            Made::Files(files) => {
                let file = |file: OutputFile| {
                    let is_unedited = self.unedited.contains(&file.name);
                    StreamedFile::from(file).with_unedited(is_unedited)
                };
                std::mem::take(files).into_iter().map(file).collect()
            }
            Made::Scene { scene, options, skins } => {
                let made = stream(scene, self.target, options)?;
                losses.extend(made.losses);
                let mut files = made.value;
                files.extend(std::mem::take(skins).into_iter().map(StreamedFile::from));
                if options.single && files.len() > 1 {
                    return Err(several_files(self.target));
                }
                files
            }
        };
        Ok(scene::Converted::new(files, losses))
    }

    /// Returns every file that took part, with its role.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the tree that the files were found in.
    pub fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Returns the files on disk that took part; an archive for its members.
    pub fn sources(&self) -> impl Iterator<Item = PathBuf> {
        let paths = self.parts.iter().filter_map(|part| part.path.as_ref());
        paths.filter_map(|path| self.finder.tree().container(path))
    }

    /// Returns the edits that were imported, with the edited scene; `None` without an original.
    #[cfg(feature = "gltf")]
    pub fn take_patch(&mut self) -> Option<meshwright_edit::Patch> {
        self.patch.take()
    }

    /// Returns the map of bones that the model was moved to another skeleton with, as text.
    #[cfg(feature = "retarget")]
    pub fn bone_map(&self) -> Option<&str> {
        self.map.as_deref()
    }

    /// Makes all files in memory.
    pub(crate) fn finish(mut self) -> Result<Converted, Error> {
        let sources = self.sources().collect();
        let made = self.files()?;
        let (mut files, losses) = (OutputFiles::default(), made.losses);
        for mut file in made.value {
            files.push(std::mem::take(&mut file.name), file.into_bytes());
        }
        Ok(Converted {
            target: self.target,
            limits: self.limits,
            files,
            losses,
            sources,
            #[cfg(feature = "gltf")]
            edits: self.patch.map(|patch| patch.report),
        })
    }
}

/// The files of a converted model.
#[derive(Clone, Debug)]
pub struct Converted {
    #[cfg_attr(not(feature = "output"), expect(dead_code, reason = "for writing to disk"))]
    target: Target,
    #[cfg_attr(not(feature = "output"), expect(dead_code, reason = "for writing to disk"))]
    limits: Limits,
    files: OutputFiles,
    losses: Vec<Loss>,
    #[cfg_attr(not(feature = "output"), expect(dead_code, reason = "for writing to disk"))]
    sources: Vec<PathBuf>,
    #[cfg(feature = "gltf")]
    edits: Option<meshwright_edit::Recovery>,
}

impl Converted {
    /// Returns the files, the main one first.
    pub fn files(&self) -> &OutputFiles {
        &self.files
    }

    /// Returns the files, the main one first.
    pub fn into_files(self) -> OutputFiles {
        self.files
    }

    /// Returns the dropped data, and notes on decisions.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Adds files that are never replaced.
    #[cfg(all(feature = "gltf", feature = "output"))]
    pub(super) fn protect(&mut self, files: impl Iterator<Item = PathBuf>) {
        self.sources.extend(files);
    }

    /// Returns the edits that were imported; `None` without an original.
    #[cfg(feature = "gltf")]
    pub fn edits(&self) -> Option<&meshwright_edit::Recovery> {
        self.edits.as_ref()
    }

    /// Writes the files into a folder, which it creates if necessary: all or none. They replace no file that the model was read from, and files whose
    /// names come from the model replace no file at all. Returns the paths, that of the main file first.
    ///
    /// # Errors
    /// If a file would replace a protected one, or cannot be written. Then no file is written.
    #[cfg(feature = "output")]
    pub fn write_to(self, folder: impl AsRef<std::path::Path>) -> Result<Vec<PathBuf>, Error> {
        let folder = folder.as_ref();
        std::fs::create_dir_all(folder).map_err(|e| (folder.to_owned(), e))?;
        let name = self.files.main().map(|file| file.name.clone()).unwrap_or_default();
        let plan = meshwright_files::output::Plan::default();
        self.sources.iter().for_each(|path| plan.reads(path));
        let files = self.files.into_iter().map(StreamedFile::from);
        crate::output::write_files(files, self.target, &folder.join(name), &plan, self.limits)
    }
}

/// Returns the error of a result that must be one file and is not.
pub(super) fn several_files(target: Target) -> Error {
    let why = format!("{target} consists of several files; standard output takes one");
    Error::new(ErrorKind::Invalid, "usage", why)
}
