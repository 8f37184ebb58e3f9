//! Converts a native model to a value for extras, and back.
//!
//! | field | what |
//! |---|---|
//! | `v` | 2 |
//! | `format` | the short name of the model's format |
//! | `files` | role, name, SHA-256 and bytes of each file, the model first; of a companion its format, what it is called and its texture; of a file of records the numbers of those that are companions; `aside` of one that says something of companions |
//! | `read` | choices by name where the bytes did not decide |
//! | `lenient`, `clip_names`, `texture` | how else it was opened |
//! | `pictures` | by material SHA-256 of its picture, and of its size and pixels; written with the export |
//! | `looks` | name and numbers of the materials of each variant; written with the export |
//! | `all_frames`, `solids`, `influences`, `close_loops`, `recompute_normals`, `blend_normals` | how it was exported |
//!
//! The bytes of a file are `lz4`: in base64 their number, four bytes with the lowest first, and an LZ4 block. In version 1 they are in `pack`, a zip archive in base64, under the
//! number of the file.

use super::fields::{Fields, Value, hash};
use super::pictures::Pictures;
use super::{KeptError, Original, OwnFile};
use crate::convert::Target;
use crate::error::Error;
use crate::formats::{AnyModel, ClipNames, CompanionFile, Companions, Format, ReadSettings, SourceFile};
use crate::model::skins::MOST as MOST_SKINS;
use crate::model::{Model, NamedFile, Opener, PartRole};
use lz4_flex::block::{compress_prepend_size, decompress, uncompressed_size};
use meshwright_core::{Budget, Order as _, Parsed, Role};
use meshwright_files::{Pack, Tree, TreePath};
use meshwright_gltf::document::base64_decoded;
use meshwright_gltf::{ExportOptions, Influences};
use meshwright_scene::{ConvertError, Extra};
use std::borrow::Cow;
use std::sync::Arc;

const VERSION: i64 = 2;

/// The roles of files of records.
const RECORDS: [Role; 2] = [Role::Skeleton, Role::Animation];

/// The sources of clip names, with the words of the record.
const CLIP_NAMES: [(ClipNames, &str); 3] =
    [(ClipNames::Engine, "engine"), (ClipNames::Comments, "comments"), (ClipNames::Frames, "frames")];

/// Options for embedding a model.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Keeping {
    /// The options of its export.
    pub export: ExportOptions,
    /// Meshes that are bounds of joints are drawn too.
    pub solids: bool,
}

impl Keeping {
    meshwright_core::setters! {
        /// Sets the options of the export.
        exported(options: ExportOptions): export;
        /// Sets whether meshes that are bounds of joints are drawn too.
        with_solids(solids: bool): solids;
    }
}

impl Model {
    /// Returns the model with all data that is needed to open it again, for
    /// [`WriteOptions::with_kept`](crate::WriteOptions::with_kept).
    ///
    /// # Errors
    /// If its bytes were [dropped](Self::drop_bytes), it is not a native model, a companion breaks a rule of its
    /// format, or it takes more memory than its reader was allowed.
    pub fn record(&self, how: &Keeping) -> Result<Extra, ConvertError> {
        if self.gltf().is_some() {
            return Err(ConvertError::unsupported("kept", "glTF is not a native format"));
        }
        let failed = |e: &dyn std::fmt::Display| ConvertError::invalid("kept", e.to_string());
        let files = self.own_files().map_err(|e| failed(&e))?;
        if self.bytes().is_empty() {
            return Err(failed(&"the bytes of the model are missing"));
        }
        let limits = self.limits();
        let contents: Result<Vec<_>, _> = files.iter().map(|file| file.content.bytes()).collect();
        let contents = contents.map_err(|e| failed(&e))?;
        let size = contents.iter().map(|bytes| bytes.len()).fold(0, usize::saturating_add);
        if contents.iter().any(|bytes| u32::try_from(bytes.len()).is_err()) {
            return Err(failed(&"a file of more than 4 GiB is not embedded"));
        }
        // Memory for a block, its text, and the record around it.
        Budget::new(limits).charge_items("kept files", size as u64, 4)?;
        let file = |(file, content): (&OwnFile<'_>, &Cow<'_, [u8]>)| {
            let mut fields: Fields = vec![
                ("role".into(), file.role.to_string().into()),
                ("name".into(), file.name.as_str().into()),
                ("sha256".into(), hash(content).into()),
                ("lz4".into(), crate::base64::encoded(&compress_prepend_size(content)).into()),
            ];
            if let Some(own) = file.companion {
                let source = own.source.as_deref().and_then(|source| source.model.as_ref());
                fields.push(("format".into(), source.unwrap_or(&own.model).format().id().into()));
                fields.push(("as".into(), own.name.as_str().into()));
                fields.extend(own.texture.as_ref().map(|name| ("texture".into(), name.as_str().into())));
                fields.extend(file.aside.then(|| ("aside".into(), true.into())));
            }
            for role in RECORDS {
                let own = file.records.iter().filter(|own| own.role == role).filter_map(|own| own.record);
                let numbers: Vec<_> = own.filter_map(|n| i64::try_from(n).ok()).map(Extra::Int).collect();
                if !numbers.is_empty() {
                    fields.push((role.name().into(), Extra::List(numbers)));
                }
            }
            Extra::Map(fields)
        };
        let list = Extra::List(files.iter().zip(&contents).map(file).collect());
        let mut fields: Fields =
            vec![("v".into(), Extra::Int(VERSION)), ("format".into(), self.format().id().into())];
        fields.push(("files".into(), list));
        fields.extend(how.fields(self));
        Ok(Extra::Map(fields))
    }
}

impl Keeping {
    /// Returns the options for opening and exporting the model that differ from the defaults.
    fn fields(&self, asset: &Model) -> Fields {
        let mut fields = Fields::new();
        let settings = &asset.opener().settings;
        let read: Fields = settings.choices().map(|(name, value)| (name.into(), value.into())).collect();
        if !read.is_empty() {
            fields.push(("read".into(), Extra::Map(read)));
        }
        let (companions, export) = (asset.companions(), self.export);
        let flags = [
            ("lenient", settings.read.is_lenient()),
            ("solids", self.solids),
            ("all_frames", companions.scene.all_frames),
            ("recompute_normals", companions.scene.recompute_normals),
            ("blend_normals", companions.scene.blend_normals),
            ("close_loops", export.close_loops),
        ];
        fields.extend(flags.into_iter().filter(|(_, on)| *on).map(|(name, on)| (name.into(), on.into())));
        if export.influences == Influences::All {
            fields.push(("influences".into(), "all".into()));
        }
        if companions.scene.clip_names != ClipNames::Engine {
            let word = CLIP_NAMES.iter().find(|(names, _)| *names == companions.scene.clip_names);
            fields.extend(word.map(|(_, word)| ("clip_names".into(), (*word).into())));
        }
        fields.extend(companions.texture.as_ref().map(|name| ("texture".into(), name.as_str().into())));
        fields
    }
}

impl Original {
    /// Reads the original model that is embedded in a glTF document; `None` if it has none. It is read as strictly as
    /// when it was embedded, within the limits of `settings`, because the document is untrusted.
    ///
    /// # Errors
    /// If the original cannot be used: the document is valid without it.
    pub fn kept_in(document: &Model, settings: &ReadSettings) -> Result<Option<Self>, Error> {
        let Some(kept) = document.gltf().and_then(meshwright_gltf::GltfFile::embedded) else {
            return Ok(None);
        };
        Ok(Some(read(Value(Some(kept)), settings)?))
    }
}

/// Returns true for formats that are embedded: those with something to draw, and outfits, which refer to such files.
fn is_kept(format: Format) -> bool {
    format.traits().is_outfit || format.holds_model() && matches!(Target::from(format), Target::Native(_))
}

/// Opens a model from its record.
fn read(record: Value<'_>, settings: &ReadSettings) -> Result<Original, KeptError> {
    let version = record.get("v").as_integer().ok_or(KeptError::Field("version"))?;
    if !(1..=VERSION).contains(&version) {
        return Err(KeptError::Version(version));
    }
    let id = record.get("format").text().ok_or(KeptError::Field("format"))?;
    let format: Format = id.parse().map_err(|_| KeptError::Format(id.to_owned()))?;
    if !is_kept(format) {
        return Err(KeptError::Format(id.to_owned()));
    }
    let budget = Budget::new(settings.read.limits);
    let files = unpacked(record, &budget)?;
    let clip_names = record.get("clip_names").text().unwrap_or_default();
    let clip_names = CLIP_NAMES.iter().find(|(_, word)| *word == clip_names).map(|(names, _)| *names);
    // Records without the field were written when this was the default.
    let clip_names = clip_names.unwrap_or(ClipNames::Engine);
    let mut open = Opener::from(settings.read)
        .format(format)
        .companions(false)
        .clip_names(clip_names)
        .all_frames(record.get("all_frames").is())
        .lenient(record.get("lenient").is());
    for (name, value) in record.get("read").entries() {
        open.settings = open.settings.with_choice(name, value.text().unwrap_or_default());
    }
    let (mut model, mut beside, mut skins) = (None, Vec::new(), Vec::new());
    for file in files {
        match (file.role, file.format()?) {
            (PartRole::Model, _) if model.is_none() => model = Some(file),
            // The file is part of reading the model.
            (PartRole::Companion(role), None) => {
                open.named.push(NamedFile::new(role, file.name, file.bytes));
            }
            (PartRole::Companion(role), Some(format)) => beside.push((role, format, file)),
            (PartRole::Skin, _) if format.traits().has_skins && skins.len() < MOST_SKINS => {
                skins.push(file.bytes.into());
            }
            _ => return Err(KeptError::Field("role")),
        }
    }
    let model = model.ok_or(KeptError::Field("model"))?;
    let path = TreePath::new(model.name)?;
    let mut asset = open.open_content(&path, model.bytes).map_err(KeptError::Read)?;
    skins.into_iter().for_each(|skin| asset.add_skin(skin));
    // Records take their keys from files aside, which must come first.
    beside.order_by_key(|(.., file)| !file.is_aside());
    let settings: Vec<_> = beside.iter().map(|(.., file)| file.settings(&asset)).collect();
    let companions = asset.companions_mut();
    companions.scene.recompute_normals = record.get("recompute_normals").is();
    companions.scene.blend_normals = record.get("blend_normals").is();
    companions.texture = record.get("texture").text().map(str::to_owned);
    for ((role, format, file), settings) in beside.into_iter().zip(settings) {
        let parsed = AnyModel::parse_with(&file.bytes, format, &settings)
            .map_err(|error| KeptError::Read(Error::from(error).of_file(file.name)))?;
        file.add_to(companions, role, parsed, &budget)?;
    }
    let influences =
        if record.get("influences").text() == Some("all") { Influences::All } else { Influences::Four };
    let export =
        ExportOptions::default().with_influences(influences).with_close_loops(record.get("close_loops").is());
    let pictures = Pictures::read(record, &budget)?;
    Ok(Original { asset, export: Some(export), solids: record.get("solids").is(), pictures })
}

/// The records of a file that are companions: skeletons and skills.
#[cfg(feature = "tso")]
fn records(
    source: &Arc<SourceFile>,
    [skeletons, skills]: &[Vec<usize>; 2],
    companions: &mut Companions,
    budget: &Budget,
) -> Result<(), KeptError> {
    let field = KeptError::Field("records");
    let Some(character) = source.model.as_ref().and_then(AnyModel::character) else { return Err(field) };
    for number in skeletons {
        let Some(skeleton) = character.skeletons.get(*number) else { return Err(field) };
        budget.charge_items(
            "skeletons",
            skeleton.bones.len() as u64,
            size_of::<[meshwright_tso::Bone; 2]>(),
        )?;
        let file = CompanionFile::new(Role::Skeleton, skeleton.name.text(), skeleton.to_skel());
        companions.files.push(file.with_record(source, *number));
    }
    for number in skills {
        let skill = character.skills.get(*number);
        let keys =
            skill.and_then(|skill| Some((skill, crate::formats::sims_keys(&companions.aside, &skill.keys)?)));
        let Some((skill, keys)) = keys else { return Err(field) };
        budget.charge_items("skills", keys.values.len() as u64, size_of::<[f32; 2]>())?;
        let Some(anim) = skill.to_anim(keys) else { return Err(field) };
        let file = CompanionFile::new(Role::Animation, anim.name.text(), anim);
        companions.files.push(file.with_record(source, *number));
    }
    Ok(())
}

/// Does nothing: only the `tso` feature reads files of records.
#[cfg(not(feature = "tso"))]
fn records(
    _: &Arc<SourceFile>,
    _: &[Vec<usize>; 2],
    _: &mut Companions,
    _: &Budget,
) -> Result<(), KeptError> {
    Err(KeptError::Field("records"))
}

/// A file from a record.
struct Unpacked<'e> {
    fields: Value<'e>,
    /// The model, a companion, or a skin.
    role: PartRole,
    name: &'e str,
    bytes: Vec<u8>,
}

impl Unpacked<'_> {
    /// Returns the format; `None` if the file is part of reading the model.
    fn format(&self) -> Result<Option<Format>, KeptError> {
        let unknown = |id: &str| KeptError::Format(id.to_owned());
        self.fields.get("format").text().map(|id| id.parse().map_err(|_| unknown(id))).transpose()
    }

    fn is_aside(&self) -> bool {
        self.fields.get("aside").is()
    }

    /// Returns the settings for reading the file. Only a skill of the model states the number of its keys.
    fn settings(&self, model: &Model) -> ReadSettings {
        let settings = model.opener().settings.clone();
        #[cfg(feature = "tso")]
        {
            let stem = self.name.rsplit_once('.').map_or(self.name, |(stem, _)| stem);
            let skills = model.model().character().into_iter().flat_map(|character| &character.skills);
            let mut own = skills.filter(|skill| skill.keys.text().eq_ignore_ascii_case(stem));
            let counts = own.next().map(|skill| (skill.translations, skill.rotations));
            ReadSettings { key_counts: counts.or(settings.key_counts), ..settings }
        }
        #[cfg(not(feature = "tso"))]
        settings
    }

    /// Returns the numbers of its skeletons and skills that are companions, for a file of records.
    fn records(&self, budget: &Budget) -> Result<[Vec<usize>; 2], KeptError> {
        let mut records = [Vec::new(), Vec::new()];
        for (numbers, role) in records.iter_mut().zip(RECORDS) {
            let list = self.fields.get(role.name());
            budget.charge_items("kept records", list.items().count() as u64, size_of::<CompanionFile>())?;
            let number = |n: Value<'_>| n.as_integer().and_then(|n| usize::try_from(n).ok());
            let all: Option<Vec<usize>> = list.items().map(number).collect();
            *numbers = all.ok_or(KeptError::Field("records"))?;
        }
        Ok(records)
    }

    /// Adds the file to the companions of the model.
    fn add_to(
        self,
        companions: &mut Companions,
        role: Role,
        parsed: Parsed<AnyModel>,
        budget: &Budget,
    ) -> Result<(), KeptError> {
        let source = SourceFile::new(self.name).read(&self.bytes, &parsed.forgiven);
        let numbers = self.records(budget)?;
        if numbers.iter().any(|numbers| !numbers.is_empty()) {
            return records(&Arc::new(source.with_model(parsed.model)), &numbers, companions, budget);
        }
        let text = |field| self.fields.get(field).text().map(str::to_owned);
        let own = CompanionFile::new(role, text("as").unwrap_or_default(), parsed.model);
        let list = if self.is_aside() { &mut companions.aside } else { &mut companions.files };
        list.push(own.with_texture(text("texture")).with_source(source));
        Ok(())
    }
}

fn from_base64(text: &str, budget: &Budget) -> Result<Vec<u8>, KeptError> {
    budget.charge("kept files", text.len() as u64)?;
    base64_decoded(text.as_bytes()).map(|(bytes, _)| bytes).map_err(|_| KeptError::Field("base64"))
}

/// Returns the bytes of a file from its LZ4 block.
fn unblocked(file: Value<'_>, budget: &Budget) -> Result<Vec<u8>, KeptError> {
    let damaged = KeptError::Field("lz4");
    let Some(text) = file.get("lz4").text() else { return Err(damaged) };
    let packed = from_base64(text, budget)?;
    let Ok((size, block)) = uncompressed_size(&packed) else { return Err(damaged) };
    budget.charge("kept files", size as u64)?;
    decompress(block, size).ok().filter(|bytes| bytes.len() == size).ok_or(damaged)
}

fn unpacked<'e>(record: Value<'e>, budget: &Budget) -> Result<Vec<Unpacked<'e>>, KeptError> {
    let roles =
        [Role::Clips, Role::Skeleton, Role::Animation, Role::Binding, Role::Metadata, Role::Part, Role::Keys];
    let pack = match record.get("pack").text() {
        Some(text) => Some(Tree::pack(Pack::open(from_base64(text, budget)?, "kept.zip", budget)?)),
        None => None,
    };
    let mut files = Vec::new();
    for (number, file) in record.get("files").items().enumerate() {
        let role = file.get("role").text().ok_or(KeptError::Field("role"))?;
        let roles = roles.into_iter().map(PartRole::Companion).chain([PartRole::Model, PartRole::Skin]);
        let role =
            roles.into_iter().find(|known| known.to_string() == role).ok_or(KeptError::Field("role"))?;
        let name = file.get("name").text().ok_or(KeptError::Field("name"))?;
        if name.is_empty() || name.contains(['/', '\\']) {
            return Err(KeptError::Field("name"));
        }
        let bytes = match &pack {
            Some(pack) => pack.read(&TreePath::new(number.to_string())?, budget)?.into_owned(),
            None => unblocked(file, budget)?,
        };
        if file.get("sha256").text() != Some(&hash(&bytes)) {
            return Err(KeptError::Hash(name.to_owned()));
        }
        budget.charge_items("kept files", 1, size_of::<Unpacked<'_>>().saturating_mul(3))?;
        files.push(Unpacked { fields: file, role, name, bytes });
    }
    Ok(files)
}

impl Model {
    /// Returns true for a glTF document with an [embedded original](Original::kept_in).
    pub fn has_kept(&self) -> bool {
        self.gltf().and_then(meshwright_gltf::GltfFile::embedded).is_some()
    }
}
