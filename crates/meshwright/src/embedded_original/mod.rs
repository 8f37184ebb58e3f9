//! Embedded originals: native models in exported files, and their comparison with edited ones.

mod comparison_result;
mod error;
#[cfg(feature = "tso")]
mod existing_skeleton;
mod fields;
mod no_original;
#[cfg(feature = "textures")]
mod palette;
mod pictures;
mod record;
mod report;
mod skin_edits;
mod times;

pub use comparison_result::{RecoverOptions, Recovered};
use error::KeptError;
pub(crate) use pictures::with_pictures;
pub use record::Keeping;
pub use report::{recovery_document, recovery_lines};

use crate::error::Error;
use crate::formats::{AnyModel, CompanionFile, Format};
use crate::model::{Model, Part, PartRole, skins};
use meshwright_core::{Budget, Companion, SortedSet, WriteError};
use meshwright_gltf::ExportOptions;
use meshwright_scene::{OutputFile, OutputFiles};
use std::borrow::Cow;
use std::sync::Arc;

/// An original model, embedded in an export or read from a file, with which an edited model is compared.
///
/// ```
/// use meshwright::{ConvertOptions, Target};
///
/// # fn demo() -> Result<(), meshwright::Error> {
/// let knight = meshwright::open("models/knight.dpm")?;
/// let glb = knight.convert_with(Target::Glb, &ConvertOptions::default().with_embedded(true))?;
/// glb.write_to("edited/")?;
/// // ... an editor changes it ...
/// let back = meshwright::open("edited/knight.glb")?.restore(knight.format())?;
/// back.write_to("restored/")?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Original {
    asset: Model,
    /// The options of the export; `None` without embedded data.
    export: Option<ExportOptions>,
    solids: bool,
    pictures: pictures::Pictures,
}

impl Original {
    /// Returns the files on disk that it was read from.
    #[cfg(feature = "output")]
    pub(crate) fn sources(&self) -> impl Iterator<Item = std::path::PathBuf> {
        self.asset.sources()
    }

    /// Makes an original with which an edited model is compared, or to which it is added.
    pub fn new(asset: Model) -> Self {
        Self { asset, export: None, solids: false, pictures: pictures::Pictures::default() }
    }

    /// Makes an original of a model, or of the files of a character, with the textures of its materials.
    ///
    /// # Errors
    /// If the files do not fit each other, or hold nothing to draw or move.
    #[cfg(feature = "textures")]
    pub fn from_files(files: Vec<Model>) -> Result<Self, Error> {
        let mut asset = Model::figure(files)?;
        let mut scene = asset.scene()?;
        asset.add_textures(&mut scene);
        let budget = Budget::new(asset.limits());
        Ok(Self::new(asset).with_pictures(&scene.value, &budget))
    }

    /// Sets the textures that were found for the materials of its scene. An edited material has another texture only if
    /// the pixels differ. For a material without a texture here, edits are unknown.
    #[must_use]
    pub fn with_pictures(mut self, scene: &meshwright_scene::Scene, budget: &Budget) -> Self {
        self.pictures = pictures::Pictures::from_scene(scene, budget);
        self
    }

    /// Sets whether meshes that are bounds of joints are drawn too.
    #[must_use]
    pub const fn with_solids(mut self, solids: bool) -> Self {
        self.solids = solids;
        self
    }

    /// Returns the model.
    pub fn asset(&self) -> &Model {
        &self.asset
    }

    /// Returns true if the original was embedded in the edited file: then missing parts were deleted.
    pub fn is_kept(&self) -> bool {
        self.export.is_some()
    }

    /// Frees the bytes of the model's file; they can be made from the model again.
    pub(crate) fn drop_bytes(&mut self) {
        if self.asset.is_exact() {
            self.asset.drop_bytes();
        }
    }

    /// Returns its files unchanged: the model's own under this name, then the files that it was opened with. Companion
    /// files whose names depend on the model's are renamed, others keep their names.
    ///
    /// # Errors
    /// When a companion breaks a rule of its format.
    pub fn files(&self, name: &str) -> Result<OutputFiles, WriteError> {
        unique(self.named_files(name)?)
    }

    /// Returns the companion files with names of their own, byte for byte: a skeleton, clips, other parts of a
    /// character. A restored model has all of them, edited or unchanged. An unedited one need not replace an existing
    /// file.
    ///
    /// # Errors
    /// As [`files`](Self::files).
    pub fn companions(&self) -> Result<OutputFiles, WriteError> {
        unique(self.named_files("")?.into_iter().filter(|file| !file.follows))
    }

    /// Returns the files of the model, named for a model of this name.
    fn named_files(&self, name: &str) -> Result<Vec<OwnFile<'_>>, WriteError> {
        let own = self.asset.path().name();
        let mut skins = 0_usize;
        let mut files = self.asset.own_files()?;
        for file in &mut files {
            match file.role {
                PartRole::Companion(role) => {
                    let named = |c: &&Companion| c.role == role && !c.many;
                    let of_role = self.asset.format().companions().iter().find(named);
                    let Some(beside) = of_role.and_then(|c| c.beside.first()) else { continue };
                    let unnamed = file.companion.is_some_and(|own| own.source.is_none());
                    file.follows = unnamed || beside.name(own).eq_ignore_ascii_case(file.name.as_bytes());
                    let like_model = String::from_utf8_lossy(&beside.name(name.as_bytes())).into_owned();
                    if file.follows {
                        file.name.clone_from(&like_model);
                    }
                    file.like_model = Some(like_model);
                }
                PartRole::Skin => {
                    (file.name, file.follows) = (skins::name(name, skins), true);
                    skins = skins.saturating_add(1);
                }
                _ => (file.name, file.follows) = (name.to_owned(), true),
            }
        }
        Ok(files)
    }

    /// Returns the format of a companion file; `None` for the model itself.
    fn companion_format(&self, file: &OwnFile<'_>) -> Option<Format> {
        if let Some(own) = file.companion {
            let source = own.source.as_deref().and_then(|source| source.model.as_ref());
            return Some(source.unwrap_or(&own.model).format());
        }
        let mut declared = self.asset.format().companions().iter();
        declared.find(|c| PartRole::Companion(c.role) == file.role).and_then(|c| c.kind.parse().ok())
    }
}

/// Returns files; of several with the same name the first.
fn unique<'a>(all: impl IntoIterator<Item = OwnFile<'a>>) -> Result<OutputFiles, WriteError> {
    let (mut files, mut taken) = (OutputFiles::default(), SortedSet::new());
    for OwnFile { name, content, .. } in all {
        if taken.insert(name.clone()) {
            files.push(name, content.bytes()?.into_owned());
        }
    }
    Ok(files)
}

/// The bytes of a file, or the model to encode.
enum FileContent<'a> {
    Bytes(Cow<'a, [u8]>),
    Model(&'a AnyModel),
}

impl FileContent<'_> {
    fn bytes(&self) -> Result<Cow<'_, [u8]>, WriteError> {
        match self {
            Self::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Self::Model(model) => model.to_bytes().map(Cow::Owned),
        }
    }
}

/// A file of an asset.
struct OwnFile<'a> {
    /// The model, a companion, or a skin.
    role: PartRole,
    /// A name without folders.
    name: String,
    content: FileContent<'a>,
    /// The companion; `None` for the model, and for files that are part of reading it. For a file of records, it is the
    /// first one.
    companion: Option<&'a CompanionFile>,
    /// All of its records that are companions.
    records: Vec<&'a CompanionFile>,
    /// It has data about companions.
    aside: bool,
    /// The name of such a file for a model of the same stem.
    like_model: Option<String>,
    /// It has that name, or is the model or one of its skins.
    follows: bool,
}

impl<'a> OwnFile<'a> {
    fn new(role: PartRole, name: &str, content: FileContent<'a>) -> Self {
        Self {
            role,
            name: plain(name),
            content,
            companion: None,
            records: Vec::new(),
            aside: false,
            like_model: None,
            follows: false,
        }
    }

    /// Returns the file of a companion.
    fn from_companion(own: &'a CompanionFile, aside: bool) -> Self {
        let source = own.source.as_deref();
        let content = match source.and_then(|source| source.bytes.as_deref()) {
            Some(bytes) => FileContent::Bytes(bytes.into()),
            None => FileContent::Model(source.and_then(|source| source.model.as_ref()).unwrap_or(&own.model)),
        };
        let records = own.record.iter().map(|_| own).collect();
        let file = Self::new(PartRole::Companion(own.role), &own.file_name(), content);
        Self { companion: Some(own), records, aside, ..file }
    }

    /// Returns true for the file that contains a companion as a record.
    fn holds(&self, own: &CompanionFile) -> bool {
        let sources = own.record.and(own.source.as_ref()).zip(self.companion.and_then(|c| c.source.as_ref()));
        sources.is_some_and(|(a, b)| Arc::ptr_eq(a, b))
    }
}

/// Returns the last part of a name.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if matches!(last, "" | "." | "..") { "file".into() } else { last.into() }
}

impl Model {
    /// Returns the files that the model is read from, without textures; the model's own is first.
    fn own_files(&self) -> Result<Vec<OwnFile<'_>>, WriteError> {
        let name = String::from_utf8_lossy(self.path().name());
        let own = match self.bytes() {
            [] => FileContent::Model(self.model()),
            bytes => FileContent::Bytes(bytes.into()),
        };
        let mut files = vec![OwnFile::new(PartRole::Model, &name, own)];
        for companion in self.format().companions().iter().filter(|c| c.part_of_reading) {
            let role = companion.role;
            if let Some(bytes) = self.model().attached(role) {
                let used = |part: &&Part| part.role == PartRole::Companion(role) && part.took_part();
                let part = self.parts().iter().find(used).map(|part| part.name.clone());
                let beside = || companion.beside.first().map(|b| b.name(self.path().name()));
                let beside = || beside().map(|name| String::from_utf8_lossy(&name).into_owned());
                let name = part.or_else(beside).unwrap_or_else(|| role.name().to_owned());
                let content = FileContent::Bytes(bytes?.into());
                files.push(OwnFile::new(PartRole::Companion(role), &name, content));
            }
        }
        let companions = self.companions();
        for own in &companions.files {
            match files.iter_mut().find(|file| file.holds(own)) {
                Some(file) => file.records.push(own),
                None => files.push(OwnFile::from_companion(own, false)),
            }
        }
        for own in &companions.aside {
            files.push(OwnFile::from_companion(own, true));
        }
        let skins = self.skins(&name).into_iter();
        let skin = |skin: OutputFile| {
            OwnFile::new(PartRole::Skin, &skin.name, FileContent::Bytes(skin.bytes.into()))
        };
        files.extend(skins.map(skin));
        Ok(files)
    }

    /// Returns the glTF document, if the model is one.
    pub(crate) fn gltf(&self) -> Option<&meshwright_gltf::GltfFile> {
        match self.model() {
            AnyModel::Gltf(file) => Some(file),
            #[allow(unreachable_patterns, reason = "a build with only glTF")]
            _ => None,
        }
    }
}
