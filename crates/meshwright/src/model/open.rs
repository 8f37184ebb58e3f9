//! Opening an asset from a path.

use super::finder::lacks_magic;
use super::opening::Opening;
use super::{EMPTY, Finder, Model, NamedFile, Opener, Part, PartRole, PartState};
use crate::detect::detect;
use crate::error::Error;
use crate::formats::{AnyModel, Companions, Format, ReadSettings};
use meshwright_core::{
    Budget, Companion, FieldPath, Finding, Parsed, ReadError, Report, Role, Stream, Strictness,
};
use meshwright_files::{AsTreePath, FilesError, Tree, TreePath};
use std::path::Path;
use std::sync::Arc;

impl Finder {
    /// Returns all faults of a file that [`Opener::open_in`] refused, because it breaks a rule of its format: a second,
    /// lenient read finds the faults after the first. The report is empty for other errors.
    pub fn faults(&self, path: impl AsTreePath, options: &Opener, error: &Error) -> Report {
        let mut report = Report::new();
        let Some((format, first)) = error.format().zip(error.read_error()) else { return report };
        if options.settings.read.strictness != Strictness::Lenient {
            // A companion that was found may be any file, so its content is not reported.
            let lenient = options.clone().format(format).companions(false).textures(false).lenient(true);
            if let Ok(model) = lenient.open_in(self, path) {
                report.append(model.forgiven);
                report.append_new(model.model.validate());
            }
        }
        if !report.has_errors() {
            report.push(Finding::from(first));
        }
        report
    }
}

fn open_model(finder: &Finder, path: &TreePath, options: &Opener) -> Result<Model, Error> {
    let name = String::from_utf8_lossy(path.name());
    let mut format = options.format;
    if options.met && format.is_none() {
        let found = finder.detect_met(path, options.settings.read.limits)?;
        format = Some(found.ok_or_else(Error::unknown_format)?.format);
    }
    if let Some(refused) = refused_early(finder, path, format.or_else(|| Format::from_name(&name)), options) {
        return Err(refused);
    }
    let bytes = finder.read(path, options)?.into_owned();
    open_content(finder, path, (bytes, format), options)
}

/// Opens a model from the bytes of its file.
fn open_content(
    finder: &Finder,
    path: &TreePath,
    (bytes, format): (Vec<u8>, Option<Format>),
    options: &Opener,
) -> Result<Model, Error> {
    let name = String::from_utf8_lossy(path.name());
    let format = format.or_else(|| detect(&bytes, Some(&name)).map(|found| found.format));
    let format = format.ok_or_else(Error::unknown_format)?;
    let mut work = Opening { finder, path, options, format, parts: Vec::new(), losses: Vec::new() };
    work.parts.push(Part::new(PartRole::Model, path, PartState::Named));
    #[cfg(feature = "tso")]
    if bytes.is_empty() && format.traits().owner.is_some() && work.key_counts().is_none() {
        return Err(Error::broken(format, empty()));
    }
    let mut parsed = work.model(&bytes)?;
    work.referenced(&mut parsed.model)?;
    if let Err(error) = parsed.model.complete() {
        return Err(work.read_error(&bytes, error));
    }
    let mut companions = Companions { scene: options.scene, ..Companions::default() };
    work.missing(&parsed.model, &mut companions);
    work.named(&mut companions)?;
    if options.companions {
        work.beside(&mut companions);
    }
    #[cfg(feature = "tso")]
    work.figure(&mut companions, &parsed.model)?;
    let skins = work.skins();
    let (parts, losses) = (work.parts, work.losses);
    #[cfg_attr(not(feature = "textures"), expect(unused_mut, reason = "pictures are added to it"))]
    let mut asset = Model {
        finder: finder.clone(),
        opener: options.clone(),
        joined: false,
        path: path.clone(),
        bytes,
        model: parsed.model,
        forgiven: parsed.forgiven,
        companions,
        parts,
        losses,
        skins,
    };
    #[cfg(feature = "textures")]
    if options.textures {
        finder.find_textures(&mut asset, options)?;
    }
    Ok(asset)
}

/// Returns the reason why a large file of a pack is not a model, if its first bytes show it: the file is not decompressed
/// then.
fn refused_early(
    finder: &Finder,
    path: &TreePath,
    format: Option<Format>,
    options: &Opener,
) -> Option<Error> {
    const LARGE: u64 = 1 << 20;
    const HEAD: u64 = 4096;
    let (format, tree) = (format?, finder.tree());
    tree.pack_of(path)?;
    tree.size(path).filter(|size| *size > LARGE)?;
    let bytes = tree.read_head(path, HEAD, &Budget::new(options.settings.read.limits)).ok()?;
    let other = options.format.is_none()
        && detect(&bytes, Some(&String::from_utf8_lossy(path.name()))).is_none_or(|d| d.format != format);
    if other || !lacks_magic(format, &bytes) {
        return None;
    }
    let error = AnyModel::parse_with(&bytes, format, &options.settings).err()?;
    Some(Error::broken(format, error))
}

/// Returns the error of an empty file, in any format.
fn empty() -> ReadError {
    ReadError::broken(EMPTY, &FieldPath::ROOT, 0, "the file is empty")
}

/// Returns the error of a found file without quoting its content, because it may be any file.
fn unsaid(e: &ReadError) -> String {
    e.clone().without_content().to_string()
}

impl Opening<'_> {
    fn is_named(&self, role: Role) -> bool {
        self.options.named.iter().any(|file| file.role == role)
    }

    /// Reads the model, with the companions that reading it needs.
    fn model(&mut self, bytes: &[u8]) -> Result<Parsed<AnyModel>, Error> {
        let (mut settings, mut found) = (self.options.settings.clone(), None);
        #[cfg(feature = "tso")]
        if self.format.traits().owner.is_some() && self.options.companions {
            settings.key_counts = self.key_counts().or(settings.key_counts);
        }
        for companion in self.format.companions().iter().filter(|c| c.part_of_reading) {
            let role = companion.role;
            for file in self.options.named.iter().filter(|file| file.role == role) {
                settings = settings.with_companion(role, Arc::clone(&file.bytes));
                self.parts.push(Part::named(PartRole::Companion(role), &file.name, PartState::Named));
            }
            if !self.options.companions || self.is_named(role) {
                continue;
            }
            if let Some(path) = self.beside_model(companion) {
                match self.finder.read(&path, self.options) {
                    Ok(content) => {
                        settings = settings.with_companion(role, &*content);
                        found = Some((role, path));
                    }
                    Err(error) => {
                        let (why, at) = (error.reason(), path.to_string());
                        let refused = || Error::from(error).of_file(at);
                        return self.without(bytes, role, &path, why, refused);
                    }
                }
            }
        }
        match (AnyModel::parse_with(bytes, self.format, &settings), found) {
            (Ok(parsed), found) => {
                let used = |(role, path)| Part::new(PartRole::Companion(role), &path, PartState::Found);
                self.parts.extend(found.map(used));
                Ok(parsed)
            }
            (Err(error), None) => Err(self.read_error(bytes, error)),
            (Err(error), Some((role, path))) => {
                let why = unsaid(&error);
                // A fault in another file than the model's is reported without the content of that file.
                let error = if *error.stream() == Stream::File { error } else { error.without_content() };
                let refused = self.read_error(bytes, error);
                self.without(bytes, role, &path, why, || refused)
            }
        }
    }

    /// Records the companion files that the model needs but that were not found.
    fn missing(&self, model: &AnyModel, companions: &mut Companions) {
        let took_part = |role| self.parts.iter().any(|part| part.role == PartRole::Companion(role));
        let wanted = self.format.companions().iter().filter(|c| c.part_of_reading && model.needs(c.role));
        for companion in wanted.filter(|c| self.options.companions && !took_part(c.role)) {
            let name = companion.beside.first().map(|beside| beside.name(self.path.name()));
            let name = name.map(|name| String::from_utf8_lossy(&name).into_owned()).unwrap_or_default();
            companions.missing.push((companion.role, name));
        }
    }

    fn read_error(&self, bytes: &[u8], error: ReadError) -> Error {
        Error::broken(self.format, if bytes.is_empty() { empty() } else { error })
    }

    /// Passes the files that the model's file names to the model, as far as they exist; the model reports missing
    /// ones.
    ///
    /// # Errors
    /// If a file is larger than the limits allow.
    fn referenced(&mut self, model: &mut AnyModel) -> Result<(), Error> {
        for name in model.references().to_vec() {
            let Ok(path) = self.path.parent().join(name.as_bytes()) else { continue };
            let state = match self.finder.read(&path, self.options) {
                Ok(bytes) => {
                    model.supply(&name, bytes.into());
                    PartState::Found
                }
                Err(error @ (FilesError::TooLarge { .. } | FilesError::Limit(_))) => {
                    return Err(Error::from(error).of_file(path.to_string()));
                }
                Err(error) => PartState::Ignored(error.reason()),
            };
            self.parts.push(Part::new(PartRole::Data, &path, state));
        }
        Ok(())
    }

    /// Ignores a companion file that the model does not need and that cannot be read.
    fn without(
        &mut self,
        bytes: &[u8],
        role: Role,
        path: &TreePath,
        why: String,
        refused: impl FnOnce() -> Error,
    ) -> Result<Parsed<AnyModel>, Error> {
        match AnyModel::parse_with(bytes, self.format, &self.options.settings) {
            Ok(parsed) if !parsed.model.needs(role) => {
                self.parts.push(Part::new(PartRole::Companion(role), path, PartState::Ignored(why)));
                Ok(parsed)
            }
            _ => Err(refused()),
        }
    }

    /// Finds a companion file under one of the names that the model's format uses.
    fn beside_model(&self, companion: &Companion) -> Option<TreePath> {
        let mut names = companion.beside.iter().map(|beside| beside.name(self.path.name()));
        names.find_map(|name| self.finder.tree().find(self.path.beside(name).ok()?).ok()?)
    }

    /// Reads the companions that the caller named.
    fn named(&mut self, companions: &mut Companions) -> Result<(), Error> {
        for file in &self.options.named {
            let (role, name) = (file.role, &file.name);
            match self.format.companions().iter().find(|c| c.role == role) {
                Some(companion) if companion.part_of_reading => continue,
                Some(_) => {}
                // The same file may be given for models of several formats.
                None => {
                    let why = format!("a file of kind {} has no {}", self.format, role.name());
                    self.parts.push(Part::named(PartRole::Companion(role), name, PartState::Ignored(why)));
                    continue;
                }
            }
            let added = companions.add(self.format, role, name, &file.bytes, &self.options.settings);
            added.map_err(|e| Error::from(e).of_file(name))?;
            if let Some(origin) = &file.origin {
                companions.read_from(origin);
            }
            self.parts.push(Part::named(PartRole::Companion(role), name, PartState::Named));
        }
        Ok(())
    }

    /// Reads the companion files next to the model; an unusable one is skipped.
    fn beside(&mut self, companions: &mut Companions) {
        for companion in self.format.companions().iter().filter(|c| !c.part_of_reading) {
            if self.is_named(companion.role) {
                continue;
            }
            if let Some(path) = self.beside_model(companion) {
                self.add(companions, companion.role, &path);
            }
        }
        #[cfg(all(feature = "iqm", feature = "dpm"))]
        if let Some(script) = self.format.traits().clip_script.filter(|_| !self.is_named(Role::Animation)) {
            for path in self.cube_clips(script) {
                self.add(companions, Role::Animation, &path);
            }
        }
    }

    /// Returns the files of clips that a script next to the model lists for it, as games of Cube 2's family have it.
    #[cfg(all(feature = "iqm", feature = "dpm"))]
    fn cube_clips(&self, script: &str) -> Vec<TreePath> {
        use meshwright_quake::CubeFile;
        let beside = |name: &[u8]| {
            let name = name.rsplit(|b| matches!(b, b'/' | b'\\')).next()?;
            self.finder.tree().find(self.path.beside(name).ok()?).ok()?
        };
        let read = |path: TreePath| self.finder.read(&path, self.options).ok();
        let mut clips: Vec<TreePath> = Vec::new();
        let Some(script) = beside(script.as_bytes()).and_then(read) else { return clips };
        let mut is_own = false;
        for line in CubeFile::parse(&script) {
            let mut add = |name: &[u8]| {
                if let Some(path) = beside(name).filter(|path| *path != *self.path && !clips.contains(path)) {
                    clips.push(path);
                }
            };
            match line {
                CubeFile::Model(name) => is_own = name.eq_ignore_ascii_case(self.path.name()),
                CubeFile::Clips(name) if is_own => add(&name),
                CubeFile::Script(name) if is_own => {
                    let script = beside(&name).and_then(read).unwrap_or_default();
                    for line in CubeFile::parse(&script) {
                        if let CubeFile::Clips(name) = line {
                            add(&name);
                        }
                    }
                }
                _ => {}
            }
        }
        clips
    }

    /// Reads a companion that was found.
    pub(super) fn add(&mut self, companions: &mut Companions, role: Role, path: &TreePath) {
        let settings: &ReadSettings = &self.options.settings;
        let added = match self.finder.read(path, self.options) {
            Ok(bytes) => {
                companions.add(self.format, role, path.to_string(), &bytes, settings).map_err(|e| unsaid(&e))
            }
            Err(e) => Err(e.reason()),
        };
        let state = added.map_or_else(PartState::Ignored, |()| PartState::Found);
        self.parts.push(Part::new(PartRole::Companion(role), path, state));
    }

    /// Finds the binding next to a mesh, by the number in the mesh's file name, and the texture file that the binding
    /// names.
    #[cfg(feature = "tso")]
    pub(super) fn sims(&mut self, companions: &mut Companions) {
        use meshwright_tso::{Bnd, ResourceId};
        if !self.format.takes(Role::Binding) {
            return;
        }
        let index = || self.finder.sims(&self.path.parent());
        if self.options.companions && !companions.has(Role::Binding) {
            let id = ResourceId::from_file_name(&String::from_utf8_lossy(self.path.name()));
            let found = id.and_then(|id| index().binding(&id).cloned());
            if let Some(path) = found {
                self.add(companions, Role::Binding, &path);
            }
        }
        let texture = companions.one::<Bnd>().and_then(|b| b.texture);
        let file = texture.and_then(|id| {
            let beside = index().texture(&id).cloned();
            beside.or_else(|| self.finder.sims_texture(&id).cloned())
        });
        companions.texture = file.map(|path| self.spelled(&path));
    }
}

/// Opens a file on disk with its companion files. An archive is a folder: `data.pk3/models/player/marine.zym` is a
/// path. [`Opener`] has options.
///
/// # Errors
/// If the file cannot be read or its format is unknown, if it breaks a rule of its format, or if a named companion
/// file does. Unusable companion files that the search found are listed in [`Model::parts`], with the reason.
pub fn open(path: impl AsRef<Path>) -> Result<Model, Error> {
    Opener::new().open(path)
}

impl Opener {
    /// Opens a file on disk with its companion files. An archive is a folder: `data.pk3/models/player/marine.zym` is a
    /// path.
    ///
    /// # Errors
    /// As [`open`]; a folder is not a model.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        let is_folder = || FilesError::WrongKind { path: path.display().to_string(), why: "is a folder" };
        if self.roots.is_empty() {
            let tree = Tree::open(path)?;
            let start = tree.start().cloned().ok_or_else(is_folder)?;
            return self.open_in(tree, start);
        }
        let roots = self.roots.iter().map(Tree::open).collect::<Result<Vec<_>, _>>()?;
        let roots = Tree::layered(roots);
        if let Some(found) = roots.locate(path) {
            return self.open_in(roots, found);
        }
        let tree = Tree::layered([roots, Tree::file(path)?]);
        let start = tree.start().cloned().ok_or_else(is_folder)?;
        self.open_in(tree, start)
    }

    /// Opens a file of a tree with its companion files. To open many files of a tree, use one [`Finder`].
    ///
    /// # Errors
    /// As [`open`].
    pub fn open_in(&self, within: impl Into<Finder>, path: impl AsTreePath) -> Result<Model, Error> {
        let finder = within.into();
        if self.files.is_empty() {
            return open_model(&finder, &*path.as_tree_path()?, self);
        }
        let mut own = self.clone();
        for (role, file) in std::mem::take(&mut own.files) {
            let tree = Tree::open(&file)?;
            let start = tree.start().cloned().unwrap_or(TreePath::ROOT);
            let bytes = tree.read(&start, &Budget::new(self.settings.read.limits))?;
            own.named.push(NamedFile::new(role, file.to_string_lossy(), &*bytes));
        }
        open_model(&finder, &*path.as_tree_path()?, &own)
    }

    /// Opens a file in memory without a tree.
    #[cfg(feature = "gltf")]
    pub(crate) fn open_content(&self, path: &TreePath, bytes: Vec<u8>) -> Result<Model, Error> {
        let none = Tree::memory::<&TreePath, Vec<u8>>([])?;
        open_content(&none.into(), path, (bytes, self.format), self)
    }

    /// Opens a file in memory under a `name`. The files `beside` it have names relative to its folder.
    ///
    /// # Errors
    /// As [`open`]; if a name leaves the folder.
    pub fn open_bytes(
        &self,
        name: &str,
        bytes: Vec<u8>,
        beside: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Result<Model, Error> {
        let files = [(name.to_owned(), bytes)].into_iter().chain(beside);
        self.open_in(Tree::memory(files)?, name)
    }
}
