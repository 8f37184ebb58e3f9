//! Companion files of a model.

#[cfg(feature = "tso")]
use super::Summary;
use super::{AnyModel, Format, ReadSettings, Registered};
use meshwright_core::{FieldPath, Findings, Parsed, ReadError, Report, Role};
use meshwright_scene::Image;
#[cfg(feature = "tso")]
use meshwright_tso::{Cfp, Character, Name};
use std::collections::BTreeMap;
use std::sync::Arc;

meshwright_core::rules! {
    error NOT_DECLARED = "format", Unsupported [NoEngine],
        "Files of this kind have no such companion.",
        "Leave it out.";
    error EMPTY = "companion-empty", Missing [NoEngine],
        "A companion file does not have the expected content.",
        "Name the right file.";
    warning NOT_THERE = "companion-missing", Missing,
        "A companion file that the model needs was not found.",
        "Put it next to the model under the name in the message, or name the file.";
    info UNFIT = "skeleton-unfit", Unused [NoEngine],
        "A skeleton next to the mesh is not used: it lacks bones of the mesh, or belongs to another mesh.",
        "Name the skeleton of the mesh with `--skeleton`, or `--root` the folder of the game.";
    warning ID_DUP = "duplicate-id" ("W_ID_DUP"), Duplicate,
        "Two files of the tree have the same file and type numbers but different contents.",
        "Remove one of them. The first one is used, and programs do not agree on which that is.";
    warning NAME_DUP = "duplicate-name" ("W_NAME_DUP"), Duplicate [Tolerated],
        "Two files of the tree have the same name, ignoring case, but different contents.",
        "Remove one of them. The one next to the model is used, otherwise the first of the tree; The Sims uses one in an archive.";
}

/// Rules between a model and its companion files, in addition to those of their formats.
pub const COMPANION_RULES: &[&meshwright_core::Rule] = RULES;

/// A file that belongs to a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompanionFile {
    /// The role for the model.
    pub role: Role,
    /// The name, which becomes that of a mesh without one.
    pub name: String,
    /// The content.
    pub model: AnyModel,
    /// The name of its texture, if it is known from elsewhere.
    pub texture: Option<String>,
    /// The file that it was read from, if any.
    pub source: Option<Arc<SourceFile>>,
    /// The number of the record in its file, among the skeletons or among the skills; `None` if it is the whole file.
    pub record: Option<usize>,
}

/// The file that a companion was read from, and its place there.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) source: Arc<SourceFile>,
    /// The number of the record; `None` if the companion is the whole file.
    pub(crate) record: Option<usize>,
    /// The file of the keys of a skill.
    pub(crate) keys: Option<CompanionFile>,
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source) && self.record == other.record
    }
}

impl Eq for Origin {}

/// A file that companions come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SourceFile {
    /// The name without folders.
    pub name: String,
    /// The content, if companions are records of it.
    pub model: Option<AnyModel>,
    /// The bytes, if they cannot be written from the content because a lenient reader accepted broken rules.
    pub bytes: Option<Arc<[u8]>>,
}

impl SourceFile {
    /// Makes a file without content, by its name or path.
    pub fn new(name: &str) -> Self {
        Self { name: name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned(), model: None, bytes: None }
    }

    /// Adds the content.
    #[must_use]
    pub fn with_model(mut self, model: AnyModel) -> Self {
        self.model = Some(model);
        self
    }

    /// Adds the bytes, if a lenient reader accepted broken rules.
    #[must_use]
    pub fn read(mut self, bytes: &[u8], forgiven: &Report) -> Self {
        self.bytes = (!forgiven.is_empty()).then(|| bytes.into());
        self
    }
}

impl CompanionFile {
    /// Makes a companion file without a texture.
    pub fn new(role: Role, name: impl Into<String>, model: impl Into<AnyModel>) -> Self {
        Self { role, name: name.into(), model: model.into(), texture: None, source: None, record: None }
    }

    /// Sets the file that it was read from.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Arc<SourceFile>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the file that contains this record, and the record's index in it.
    #[must_use]
    pub fn with_record(mut self, source: &Arc<SourceFile>, number: usize) -> Self {
        (self.source, self.record) = (Some(Arc::clone(source)), Some(number));
        self
    }

    /// Returns the name of its file, without folders.
    pub fn file_name(&self) -> String {
        if let Some(source) = &self.source {
            return source.name.clone();
        }
        let name = SourceFile::new(&self.name).name;
        // Companion files may be named after their content.
        let own = self.model.format().extensions().first().copied().unwrap_or_default();
        if name.contains('.') { name } else { format!("{name}.{own}") }
    }

    /// Sets the name of the texture.
    #[must_use]
    pub fn with_texture(mut self, texture: Option<String>) -> Self {
        self.texture = texture;
        self
    }
}

/// Returns the skeletons of a file of records.
#[cfg(feature = "tso")]
pub(crate) fn skeletons(character: &Character) -> Vec<CompanionFile> {
    let all = character.skeletons.iter();
    all.map(|s| CompanionFile::new(Role::Skeleton, s.name.text(), s.to_skel())).collect()
}

/// Returns the keys that a skill names, among files.
#[cfg(feature = "tso")]
pub(crate) fn keys<'c>(files: &'c [CompanionFile], name: &Name) -> Option<&'c Cfp> {
    Cfp::from_any(&keys_file(files, name)?.model)
}

/// Returns the file that holds the keys of a skill.
#[cfg(feature = "tso")]
pub(crate) fn keys_file<'c>(files: &'c [CompanionFile], name: &Name) -> Option<&'c CompanionFile> {
    let own = name.text();
    files.iter().find(|file| {
        let called = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = called.rsplit_once('.').map_or(called, |(stem, _)| stem);
        Cfp::from_any(&file.model).is_some() && stem.eq_ignore_ascii_case(&own)
    })
}

/// The source of the names of clips that a `.framegroups` companion lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClipNames {
    /// The name in the engine: the name on the line, otherwise `groupified_<n>_anim`.
    Engine,
    /// The name on the line, otherwise its comment after `//`, otherwise the name in the engine.
    #[default]
    Comments,
    /// The name of the first frame in the model, without its number: the name of the frame (DPM) or of its scene
    /// (ZYM).
    Frames,
}

/// Choices for converting a model to a scene, from the [`Opener`](crate::Opener).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SceneSettings {
    /// Compute the normals of The Sims' meshes from their faces.
    pub(crate) recompute_normals: bool,
    /// Let stored normals of blend vertices of The Sims' meshes take part in shading.
    pub(crate) blend_normals: bool,
    /// The source of the names of clips.
    pub(crate) clip_names: ClipNames,
    /// Frames without a clip become clips of one frame.
    pub(crate) all_frames: bool,
    /// Frames per second of clips in formats with arbitrary key times. Without it, the rate is detected.
    pub(crate) rate: Option<f32>,
}

/// The files that belong to a model.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Companions {
    /// The files, in the order in which they were added.
    pub files: Vec<CompanionFile>,
    /// Files with data about the companions: keys of skills, bindings of further meshes, records without skeletons.
    pub aside: Vec<CompanionFile>,
    /// The name of the model's own texture, if it is known from elsewhere than a binding.
    pub texture: Option<String>,
    /// Needed companion files that were not found, with the names that were searched for.
    pub missing: Vec<(Role, String)>,
    /// Skeletons next to a mesh that do not fit it, with the reasons.
    pub unfit: Vec<(String, String)>,
    /// Broken rules in companion files that a lenient reader accepted.
    pub forgiven: Report,
    /// Used files with duplicates in the tree, by number or by name.
    #[cfg(feature = "tso")]
    pub duplicates: Vec<meshwright_tso::DuplicateFile<meshwright_files::TreePath>>,
    /// The settings for converting the model to a scene.
    pub(crate) scene: SceneSettings,
    /// The paths of textures in the tree, by the names of their materials, if these differ from the names.
    pub pictures: BTreeMap<String, String>,
    /// Textures by the number of their material in the model's scene.
    pub images: BTreeMap<usize, Image>,
    /// The materials of surfaces by the rules of the engine.
    #[cfg(all(feature = "dpm", feature = "textures"))]
    pub(crate) dressings: Vec<super::engine_materials::Dressing>,
    /// Other looks that the model can have.
    #[cfg(all(feature = "dpm", feature = "textures"))]
    pub(crate) variations: Vec<super::engine_materials::Variation>,
}

impl Companions {
    /// Returns the summary with the meshes of a character, which are in files of their own.
    #[cfg(feature = "tso")]
    pub(super) fn add_parts(&self, summary: Summary) -> Summary {
        let parts = self.files.iter().filter(|file| file.role == Role::Part);
        parts.map(|file| file.model.summary()).fold(summary, |sum, part| Summary {
            meshes: sum.meshes.saturating_add(part.meshes),
            vertices: sum.vertices.saturating_add(part.vertices),
            triangles: sum.triangles.saturating_add(part.triangles),
            ..sum
        })
    }

    /// Reads a companion file of a model of the format `owner`, and adds it to others of its role.
    ///
    /// # Errors
    /// If the file breaks a rule of its format, or `owner` has no such companion files.
    pub fn add(
        &mut self,
        owner: Format,
        role: Role,
        name: impl Into<String>,
        bytes: &[u8],
        settings: &ReadSettings,
    ) -> Result<(), ReadError> {
        let name = name.into();
        let declared = owner.companions().iter().filter(|c| c.role == role);
        let kinds: Vec<Format> = declared.filter_map(|c| c.kind.parse().ok()).collect();
        // If several formats can have the role, the content decides, then the name.
        let detected = || Format::detected(bytes, &name).filter(|f| kinds.contains(f));
        let kind = match kinds.as_slice() {
            [one] => Some(*one),
            _ => detected().or(kinds.first().copied()),
        };
        let Some(kind) = kind else {
            let message = format!("a file of kind {owner} has no {}", role.name());
            return Err(ReadError::broken(NOT_DECLARED, &FieldPath::ROOT, 0, message));
        };
        let Parsed { model, forgiven, .. } = AnyModel::parse_with(bytes, kind, settings)?;
        let source = SourceFile::new(&name).read(bytes, &forgiven);
        self.forgiven.append(forgiven.of_part(role.name()));
        self.take(role, name, model, source)
    }

    /// Sets the file from which the last companion was read.
    pub(crate) fn read_from(&mut self, origin: &Origin) {
        let Some(own) = self.files.last_mut() else { return };
        (own.source, own.record) = (Some(Arc::clone(&origin.source)), origin.record);
        if let Some(keys) = &origin.keys
            && self.aside.iter().all(|known| known.file_name() != keys.file_name())
        {
            self.aside.push(keys.clone());
        }
    }

    /// Stores a file under its role. A file of The Sims 1 may have several skeletons, and each of them is a companion.
    fn take(
        &mut self,
        role: Role,
        name: String,
        model: AnyModel,
        source: SourceFile,
    ) -> Result<(), ReadError> {
        #[cfg(feature = "tso")]
        if let Some(character) = model.character().filter(|_| role == Role::Skeleton) {
            if character.skeletons.is_empty() {
                let message = format!("{name} holds no skeleton");
                return Err(ReadError::broken(EMPTY, &FieldPath::ROOT, 0, message));
            }
            let records = skeletons(character);
            let source = Arc::new(source.with_model(model));
            self.files.extend(records.into_iter().enumerate().map(|(n, s)| s.with_record(&source, n)));
            return Ok(());
        }
        let file = CompanionFile::new(role, name, model);
        // Bytes in memory may have no name.
        let named = source.name.contains('.') || source.bytes.is_some();
        self.files.push(if named { file.with_source(source) } else { file });
        Ok(())
    }

    /// Returns the companions of one kind, in order.
    pub fn all<K: Registered>(&self) -> impl Iterator<Item = &K> {
        self.files.iter().filter_map(|file| K::from_any(&file.model))
    }

    /// Returns the companion of one kind that was added last.
    pub fn one<K: Registered>(&self) -> Option<&K> {
        self.files.iter().rev().find_map(|file| K::from_any(&file.model))
    }

    /// Returns true if some file has this role.
    pub fn has(&self, role: Role) -> bool {
        self.files.iter().any(|file| file.role == role)
    }

    /// Checks the companion files. Offsets are in the companion file, whose role the findings name as their stream.
    /// Meshes of a character and files that were part of reading the model are left out: they are checked separately
    /// and with the model.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        for (role, name) in &self.missing {
            let message = || format!("{name} is not there");
            // Validation passes over everything.
            let _ = findings.broken(NOT_THERE, &FieldPath::ROOT.field(role.name()), None, message);
        }
        for (name, why) in &self.unfit {
            let message = || format!("{name} does not fit the mesh: {why}");
            let _ = findings.broken(UNFIT, &FieldPath::ROOT.field("skeleton"), None, message);
        }
        #[cfg(feature = "tso")]
        for file in &self.duplicates {
            let rule = if file.by_number { ID_DUP } else { NAME_DUP };
            let message = || format!("{} is taken, not {}", file.taken, file.other);
            let _ = findings.broken(rule, &FieldPath::ROOT, None, message);
        }
        let mut report = findings.into_report();
        let aside = self.files.iter().filter(|file| !matches!(file.role, Role::Part | Role::Metadata));
        aside.for_each(|file| report.append(file.model.validate().of_part(file.role.name())));
        report
    }
}

impl ReadSettings {
    /// Returns the same settings with the companions that take part in reading a model of the kind `owner`, out of those that
    /// `files` have.
    #[must_use]
    pub fn attaching(mut self, owner: Format, files: &[(Role, Arc<[u8]>)]) -> Self {
        let declared = owner.companions().iter().filter(|c| c.part_of_reading);
        for companion in declared {
            let found = files.iter().filter(|(role, _)| *role == companion.role);
            self.attached.extend(found.cloned());
        }
        self
    }
}
