//! A model with its companion files, textures and parts.

mod any;
#[cfg(all(feature = "dpm", feature = "textures"))]
mod engine;
mod figure;
mod finder;
mod levels;
mod open;
mod opening;
mod options;
mod part;
#[cfg(feature = "textures")]
mod picture;
#[cfg(all(feature = "dpm", feature = "textures"))]
mod scripts;
#[cfg(feature = "tso")]
mod sims;
#[cfg(feature = "tso")]
mod sims_index;
#[cfg(feature = "tso")]
mod sims_search;
pub(crate) mod skins;
#[cfg(all(feature = "dpm", feature = "textures"))]
mod surfaces;
#[cfg(feature = "textures")]
mod textures;
#[cfg(feature = "tso")]
mod unfit;

pub use finder::Finder;
pub use options::{NamedFile, OpenOptions};
pub use part::{Part, PartRole, PartState};
#[cfg(all(feature = "dpm", feature = "textures"))]
pub use surfaces::{Surface, SurfaceStatus, Surfaces};

use crate::convert::Target;
use crate::error::Error;
use crate::formats::{AnyModel, CompanionFile, Companions, Format, Summary, Transcription, WriteOptions};
use meshwright_core::{Kind, Report, Role, Rule, Severity, WriteError};
use meshwright_files::{FilesError, Tree, TreePath};
use meshwright_scene::{ConvertError, Converted, Loss, OutputFiles, Scene, SceneOptions};
use std::sync::Arc;

/// The rule that an empty file breaks, in any format.
pub(crate) const EMPTY: &Rule = &Rule::error(
    "empty-file",
    Kind::Truncated,
    "The file has no bytes: a download or a copy did not finish.",
    "Take the file from its source again.",
);

/// A model with its files: companion files, textures, and further meshes of a character.
#[derive(Clone, Debug)]
pub struct Model {
    path: TreePath,
    bytes: Vec<u8>,
    model: AnyModel,
    forgiven: Report,
    companions: Companions,
    parts: Vec<Part>,
    losses: Vec<Loss>,
    /// The skins of the model, in the order of their numbers.
    skins: Vec<Arc<[u8]>>,
}

impl Model {
    /// Opens a file of a tree with its companion files. To open many files of a tree, use one [`Finder`].
    ///
    /// ```
    /// use meshwright::{Model, OpenOptions, scene::SceneOptions};
    /// use meshwright_files::Tree;
    ///
    /// # fn demo() -> Result<(), Box<dyn std::error::Error>> {
    /// let tree = Tree::open("data/")?;
    /// let asset = Model::open(&tree, "models/player/marine.zym", &OpenOptions::default())?;
    /// for part in asset.parts() {
    ///     println!("{part}");
    /// }
    /// let scene = asset.to_scene(&SceneOptions::default())?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the file cannot be read or its format is unknown, if it breaks a rule of its format, or if a named
    /// companion file does. Unusable companion files that the search found are listed in [`parts`](Self::parts), with
    /// the reason.
    pub fn open(tree: &Tree, path: &str, options: &OpenOptions) -> Result<Self, Error> {
        Finder::new(tree.clone()).open(path, options)
    }

    /// Opens a file on disk with its companion files. A pack is a folder: `data.pk3/models/player/marine.zym` is a
    /// path.
    ///
    /// # Errors
    /// As [`open`](Self::open); a folder is not a model.
    pub fn open_path(path: impl AsRef<std::path::Path>, options: &OpenOptions) -> Result<Self, Error> {
        let tree = Tree::open(&path)?;
        let start = tree.start().cloned().ok_or_else(|| FilesError::WrongKind {
            path: path.as_ref().display().to_string(),
            why: "is a folder",
        })?;
        Finder::new(tree).open(&start, options)
    }

    /// Opens a file in memory under a `name`, with its companion files, which have names relative to it.
    ///
    /// # Errors
    /// As [`open`](Self::open); when a name leaves the folder.
    pub fn from_memory(
        name: &str,
        bytes: Vec<u8>,
        beside: impl IntoIterator<Item = (String, Vec<u8>)>,
        options: &OpenOptions,
    ) -> Result<Self, Error> {
        let files = [(name.to_owned(), bytes)].into_iter().chain(beside);
        Finder::new(Tree::memory(files)?).open(name, options)
    }

    /// Converts the asset to the files of a target. If the model already has this format, its files are unchanged, byte
    /// for byte; otherwise they are made from a [scene](Self::to_scene). Dropped data is among the losses.
    ///
    /// # Errors
    /// As [`to_scene`](Self::to_scene) and [`convert`](crate::convert); when the model breaks a rule of its own format.
    pub fn convert(
        &self,
        target: impl Into<Target>,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, Error> {
        let target = target.into();
        let stem = if options.stem.is_empty() { self.stem() } else { options.stem.clone() };
        let scale = options.scale.filter(|scale| *scale != 1.0);
        let same = scale.is_none() && options.shared.engine.is_none();
        if target == Target::Native(self.format()) && same {
            let files = self.rewrite(&format!("{stem}.{}", target.extension()))?;
            return Ok(Converted::new(files, Vec::new()));
        }
        if let Some(made) = self.transcribe(target, options)? {
            return Ok(made);
        }
        let scene_options = target.scene_options().with_limits(options.shared.limits);
        // An edited file that is imported later needs the bones even if they do not move.
        #[cfg(feature = "gltf")]
        let scene_options =
            if options.kept.is_some() { scene_options.with_static_meshes(false) } else { scene_options };
        let mut scene = match self.to_scene(&scene_options) {
            #[cfg(feature = "gltf")]
            Err(ConvertError::Unsupported { .. }) if options.kept.is_some() && self.lacks_files() => {
                self.empty_scene()
            }
            scene => scene?,
        };
        match (scale, target) {
            (Some(factor), _) => scene.value.rescale(factor)?,
            (None, Target::Native(_)) if options.scale.is_none() => scene.unscale()?,
            _ => {}
        }
        let mut made = crate::convert(&scene.value, target, &options.clone().with_stem(stem))?;
        made.losses.splice(0..0, scene.losses);
        Ok(made)
    }

    /// The path of the model's file in its tree.
    pub fn path(&self) -> &TreePath {
        &self.path
    }

    /// The name of the model's file without its extension.
    pub fn stem(&self) -> String {
        String::from_utf8_lossy(self.path.stem()).into_owned()
    }

    /// The bytes of the model's file; the rest is dropped.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Frees the bytes of the model's file, for callers that need only the model: [`bytes`](Self::bytes) are empty
    /// then.
    pub fn drop_bytes(&mut self) {
        self.bytes = Vec::new();
    }

    /// The bytes of the model's file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The model's kind of file.
    pub fn format(&self) -> Format {
        self.model.format()
    }

    /// The model itself.
    pub fn model(&self) -> &AnyModel {
        &self.model
    }

    /// The companions of the model.
    pub fn companions(&self) -> &Companions {
        &self.companions
    }

    /// The companions of the model, for changes.
    pub fn companions_mut(&mut self) -> &mut Companions {
        &mut self.companions
    }

    /// Adds a skin after those that the model has.
    #[cfg(feature = "gltf")]
    pub(crate) fn add_skin(&mut self, bytes: Arc<[u8]>) {
        self.skins.push(bytes);
    }

    /// Broken rules that a lenient reader accepted.
    pub fn forgiven(&self) -> &Report {
        &self.forgiven
    }

    /// Every file that was used, with its role, and every file that was found but could not be used.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Writes the asset in its own format: the model under this name, and the companion files whose names depend on it,
    /// unchanged. Write all of them or none.
    ///
    /// # Errors
    /// When one of them breaks a rule of its format, or a number does not fit its field.
    pub fn rewrite(&self, name: &str) -> Result<OutputFiles, WriteError> {
        let mut files = OutputFiles::single(name, self.model.to_bytes()?);
        for companion in self.format().companions() {
            let Some(beside) = companion.beside.first() else { continue };
            let of_role = |file: &&CompanionFile| file.role == companion.role;
            let apart = || Some(self.companions.files.iter().rev().find(of_role)?.model.to_bytes());
            if let Some(bytes) = self.model.attached(companion.role).or_else(apart) {
                let beside = beside.name(name.as_bytes());
                files.push(String::from_utf8_lossy(&beside), bytes?);
            }
        }
        self.skins(name).into_iter().for_each(|skin| files.push(skin.name, skin.bytes));
        Ok(files)
    }

    /// The asset as another kind of file that holds the same records, such as text for binary: nothing changes on the way,
    /// and the main file is called like the stem of the options, else like this one. None where there is no such kind, and where something is
    /// to be done to the model: it is scaled, fitted to an engine, or gets further meshes or clips.
    ///
    /// # Errors
    /// When a record breaks a rule of the other kind, or takes more memory than the options allow.
    pub fn transcribe(
        &self,
        target: impl Into<Target>,
        options: &WriteOptions,
    ) -> Result<Option<Converted<OutputFiles>>, ConvertError> {
        let Target::Native(to) = target.into() else { return Ok(None) };
        // A skeleton that was named without its place only says what the model is shown on.
        let is_added = |part: &Part| match part.role {
            PartRole::Companion(Role::Part | Role::Animation) => part.state == PartState::Named,
            PartRole::Companion(Role::Skeleton) => part.state == PartState::Named && part.path.is_some(),
            _ => false,
        };
        let Companions { recompute_normals, blend_normals, .. } = self.companions;
        let changed = options.scale.is_some_and(|scale| scale != 1.0)
            || options.shared.engine.is_some()
            || (recompute_normals || blend_normals)
            || self.parts.iter().any(is_added);
        if to == self.format() || changed {
            return Ok(None);
        }
        // Records exist twice, and their file.
        options.shared.budget().charge_items("records", self.bytes.len() as u64, 8)?;
        let own = self.stem();
        let stem = if options.stem.is_empty() { &own } else { &options.stem };
        let work = Transcription { to, stem, companions: &self.companions, options };
        self.model.transcribe(&work).transpose()
    }

    /// Checks the model, its companion files, how they fit together, and the name of the model's file. Rules that a
    /// lenient reader accepted are warnings.
    pub fn check(&self) -> Report {
        let mut report = self.forgiven.clone();
        report.append(self.companions.forgiven.clone());
        report = report.at_most(Severity::Warning);
        report.append_new(self.model.validate_with(&self.companions));
        report.append(self.model.validate_name(&String::from_utf8_lossy(self.path.name())));
        report
    }

    /// Counts the parts of the model and its companions.
    pub fn summary(&self) -> Summary {
        self.model.summary_with(&self.companions)
    }

    /// Converts the model to a scene with the name of its file.
    ///
    /// # Errors
    /// As [`AnyModel::to_scene`].
    pub fn to_scene(&self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        Ok(self.with_losses(self.model.to_scene(&self.stem(), &self.companions, options)?))
    }

    /// Like [`to_scene`](Self::to_scene), but may move the meshes out of the model, so that data that a scene stores in
    /// the same form is not copied.
    ///
    /// # Errors
    /// As [`to_scene`](Self::to_scene).
    pub fn take_scene(&mut self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        let scene = self.model.take_scene(&self.stem(), &self.companions, options)?;
        Ok(self.with_losses(scene))
    }

    /// Returns true if files that the model names are missing.
    pub fn lacks_files(&self) -> bool {
        !self.companions.missing.is_empty()
    }

    /// Returns a scene without content, for a model that is [embedded](Self::record) although files that it
    /// [lacks](Self::lacks_files) are all that there is to show.
    pub fn empty_scene(&self) -> Converted<Scene> {
        self.with_losses(Converted::new(Scene::new(self.stem()), Vec::new()))
    }

    /// Adds the known losses to a scene.
    fn with_losses(&self, mut scene: Converted<Scene>) -> Converted<Scene> {
        let missing = self.companions.missing.iter();
        scene.losses.extend(missing.map(|(role, name)| {
            Loss::new(
                "companion-missing",
                role.name(),
                format!("{name} is not there; without it the model is not whole"),
            )
        }));
        let unfit = self.companions.unfit.iter();
        scene.losses.extend(unfit.map(|(name, why)| {
            Loss::note("skeleton-unfit", "skeleton", format!("{name} does not fit the mesh: {why}"))
        }));
        scene.losses.extend(self.losses.iter().cloned());
        scene
    }
}
