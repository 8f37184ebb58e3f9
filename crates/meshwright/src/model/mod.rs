//! A model with its companion files, textures and parts.

#[cfg(feature = "dpm")]
mod dpm_edits;
#[cfg(all(feature = "dpm", feature = "textures"))]
mod engine;
mod figure;
mod finder;
#[cfg(feature = "tso")]
mod game_tree;
mod levels;
mod model_files;
mod models_in;
mod open;
mod opener;
mod opening;
mod parse_any;
#[cfg(feature = "textures")]
mod picture;
#[cfg(all(feature = "dpm", feature = "textures"))]
mod scripts;
#[cfg(feature = "tso")]
mod sims_search;
pub(crate) mod skins;
#[cfg(all(feature = "dpm", feature = "textures"))]
mod surfaces;
#[cfg(feature = "textures")]
mod textures;

pub use finder::Finder;
pub use model_files::{Part, PartRole, PartState};
pub use models_in::{FoundModel, FoundModels, models_in};
pub use open::open;
pub use opener::{NamedFile, Opener};
#[cfg(all(feature = "dpm", feature = "textures"))]
pub use surfaces::{Surface, SurfaceStatus, Surfaces};

use crate::convert::Target;
use crate::error::Error;
use crate::formats::{
    AnyModel, CompanionFile, Companions, Format, SceneResult, SceneSettings, Summary, Transcription,
    WriteOptions,
};
#[cfg(feature = "rig")]
use crate::player::Player;
use meshwright_core::{Kind, Limits, Report, Role, Rule, Severity, WriteError};
use meshwright_files::TreePath;
use meshwright_scene::{ConvertError, Converted, Loss, OutputFiles, Scene, SceneOptions};
use std::path::PathBuf;
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
    finder: Finder,
    /// The options that it was opened with.
    opener: Opener,
    /// True if several files were joined.
    joined: bool,
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
    /// Returns the tree that the model's files were found in.
    pub fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Searches for textures and levels of detail in another tree from now on.
    pub fn search_in(&mut self, within: impl Into<Finder>) {
        self.finder = within.into();
    }

    /// Returns the limits that the model was opened with.
    pub fn limits(&self) -> Limits {
        self.opener.settings.read.limits
    }

    /// Returns true for a character of several files that the caller named.
    pub(crate) fn is_joined(&self) -> bool {
        self.joined
    }

    /// Returns the options that the model was opened with.
    pub fn opener(&self) -> &Opener {
        &self.opener
    }

    /// Returns the files on disk that were used; an archive for its members.
    pub fn sources(&self) -> impl Iterator<Item = PathBuf> {
        let paths = self.parts.iter().filter_map(|part| part.path.as_ref());
        paths.filter_map(|path| self.finder.tree().container(path))
    }

    /// Returns the path of the model's file in its tree.
    pub fn path(&self) -> &TreePath {
        &self.path
    }

    /// Returns the name of the model's file without its extension.
    pub fn stem(&self) -> String {
        String::from_utf8_lossy(self.path.stem()).into_owned()
    }

    /// Returns the bytes of the model's file; the rest is dropped.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Frees the bytes of the model's file, for callers that need only the model. Then [`bytes`](Self::bytes) is empty.
    pub fn drop_bytes(&mut self) {
        self.bytes = Vec::new();
    }

    /// Frees the content of a glTF document that can be read again.
    #[cfg(feature = "gltf")]
    pub(crate) fn drop_document(&mut self) {
        #[allow(irrefutable_let_patterns, reason = "a build with only glTF")]
        if let AnyModel::Gltf(file) = &mut self.model
            && self.finder.tree().size(&self.path).is_some()
        {
            file.drop_content();
        }
    }

    /// Returns true if the model has all data of its file: the reader ignored nothing.
    #[cfg(feature = "gltf")]
    pub(crate) fn is_exact(&self) -> bool {
        self.forgiven.is_empty()
    }

    /// Returns the bytes of the model's file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the model's kind of file.
    pub fn format(&self) -> Format {
        self.model.format()
    }

    /// Returns the model itself.
    pub fn model(&self) -> &AnyModel {
        &self.model
    }

    /// Returns the companions of the model.
    pub fn companions(&self) -> &Companions {
        &self.companions
    }

    /// Returns the companions of the model, for changes.
    #[cfg(feature = "gltf")]
    pub(crate) fn companions_mut(&mut self) -> &mut Companions {
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

    /// Returns every file that was used, with its role, and every file that was found but could not be used.
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

    /// Converts the asset to another kind of file with the same records, such as binary to text, without any change.
    /// The main file has the stem of the options, by default that of this asset. Returns `None` if no such kind exists, or
    /// if the options change the model: they scale it, fit it to an engine, or add meshes or clips.
    ///
    /// # Errors
    /// When a record breaks a rule of the other kind, or takes more memory than the options allow.
    pub(crate) fn transcribe(
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
        let SceneSettings { recompute_normals, blend_normals, .. } = self.companions.scene;
        let changed = options.shared.engine.is_some()
            || (recompute_normals || blend_normals)
            || self.parts.iter().any(is_added);
        // Only formats of one family hold the same records.
        if to == self.format() || changed || to.feature() != self.format().feature() {
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
    pub fn scene(&self) -> Result<Converted<Scene>, Error> {
        Ok(self.scene_with(&SceneOptions::default().with_limits(self.limits()))?)
    }

    /// Like [`scene`](Self::scene), with options.
    ///
    /// # Errors
    /// As [`scene`](Self::scene).
    pub fn scene_with(&self, options: &SceneOptions) -> SceneResult {
        Ok(self.with_losses(self.model.to_scene(&self.stem(), &self.companions, options)?))
    }

    /// Makes a player of the model's clips.
    ///
    /// # Errors
    /// As [`scene`](Self::scene).
    #[cfg(feature = "rig")]
    pub fn player(&self) -> Result<Player, Error> {
        Player::new(self.scene()?.value)
    }

    /// Like [`scene_with`](Self::scene_with), but may move the meshes out of the model, so that data that a scene stores in
    /// the same form is not copied.
    ///
    /// # Errors
    /// As [`scene_with`](Self::scene_with).
    pub fn take_scene(&mut self, options: &SceneOptions) -> SceneResult {
        let scene = self.model.take_scene(&self.stem(), &self.companions, options)?;
        Ok(self.with_losses(scene))
    }

    /// Returns true if files that the model names are missing.
    pub(crate) fn lacks_files(&self) -> bool {
        !self.companions.missing.is_empty()
    }

    /// Returns a scene without content, for a model that can be [embedded](Self::record), although it
    /// [lacks](Self::lacks_files) the files that it would show.
    pub(crate) fn empty_scene(&self) -> Converted<Scene> {
        self.with_losses(Converted::new(Scene::new(self.stem()), Vec::new()))
    }

    /// Adds the known losses to a scene.
    fn with_losses(&self, mut scene: Converted<Scene>) -> Converted<Scene> {
        let missing = self.companions.missing.iter();
        scene.losses.extend(missing.map(|(role, name)| {
            Loss::new(
                "companion-missing",
                role.name(),
                format!("{name} not found; the model is incomplete without it"),
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
