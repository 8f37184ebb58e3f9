//! The result of comparing an edited model with its original.

#[cfg(feature = "tso")]
use super::existing_skeleton;
use super::skin_edits::EditedLooks;
use super::{Original, OwnFile, times};
use crate::convert::{Target, convert};
use crate::formats::FILE_LEFT;
#[cfg(feature = "tso")]
use crate::formats::{CompanionFile, sims_keys_file};
use crate::formats::{WriteOptions, invalid_file};
use crate::merge::{ORIGINAL_DROPPED, merge};
use crate::model::Model;
use meshwright_core::ReadError;
use meshwright_edit::{Absent, Options, Patch, Snap};
use meshwright_gltf::import::Import;
use meshwright_gltf::{Influences, reread};
use meshwright_scene::{ConvertError, Converted, Limits, Loss, Marks, OutputFiles, Scene, SceneOptions};
use std::borrow::Cow;
use std::num::NonZeroU16;

/// The code for a file of the original that an output of one member lacks.
const MEMBER_LEFT: &str = "member-left";

/// Options for comparing an edited model with its original.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct RecoverOptions {
    /// The tolerance within which a value counts as unedited.
    pub snap: Snap,
    /// The frame rate of native clips in the edited file, if the file does not state it.
    pub frames_at: Option<NonZeroU16>,
    /// The caller knows that nothing was edited: the result is the [embedded](Original::is_kept) model.
    pub unedited: bool,
    /// The limits of intermediate scenes.
    pub limits: Limits,
}

impl RecoverOptions {
    meshwright_core::setters! {
        /// Sets the tolerance for unedited values.
        with_snap(snap: Snap): snap;
        /// Sets the frame rate of native clips in the edited file.
        with_frames_at(rate: Option<NonZeroU16>): frames_at;
        /// Sets whether the caller knows that nothing was edited.
        with_unedited(unedited: bool): unedited;
        /// Sets the limits.
        with_limits(limits: Limits): limits;
    }
}

/// An edited model compared with its original.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The edits, with the edited scene: in the original's order, and with its values for everything unedited.
    pub patch: Patch,
    /// The original's scene without its meshes, which the patch has.
    pub native: Scene,
    /// Data that the edited file lacks.
    pub losses: Vec<Loss>,
    /// The edits of the looks of the original.
    looks: EditedLooks,
}

impl Recovered {
    /// Returns true if nothing was edited.
    pub fn is_untouched(&self) -> bool {
        self.patch.is_empty()
    }
}

impl Original {
    /// Compares an edited model with this one. If this one was [embedded](Self::is_kept), missing parts were deleted.
    /// Otherwise the edited model adds to this one: its clips stay, and its meshes stay if the edited model has none.
    ///
    /// # Errors
    /// When one of the models has nothing to draw, when the edited model needs a skeleton that this one lacks, or when
    /// their scenes need more memory than the limits allow.
    pub fn recover(&self, edited: &Model, options: &RecoverOptions) -> Result<Recovered, ConvertError> {
        self.compare(self.edited_scene(edited, options)?, options)
    }

    /// Returns the scene of an edited model; `None` if the caller knows that nothing was edited.
    pub(crate) fn edited_scene(
        &self,
        edited: &Model,
        options: &RecoverOptions,
    ) -> Result<Option<EditedScene>, ConvertError> {
        if options.unedited && self.is_kept() {
            return Ok(None);
        }
        EditedScene::convert(edited, options, &SceneOptions::default().with_limits(options.limits)).map(Some)
    }

    /// Compares the [scene](Self::edited_scene) of an edited model with this one.
    pub(crate) fn compare(
        &self,
        edited: Option<EditedScene>,
        options: &RecoverOptions,
    ) -> Result<Recovered, ConvertError> {
        let scenes = SceneOptions::default().with_limits(options.limits);
        let own = scenes.clone().with_extras(true).with_solids(self.solids);
        let shown = match self.asset().scene_with(&own) {
            // Its meshes are not there, and were not when it was embedded.
            Err(ConvertError::Unsupported { .. }) if self.is_kept() => self.asset().empty_scene(),
            shown => shown?,
        };
        let Converted { value: mut native, losses: notes, .. } = shown;
        let Some(edited) = edited else {
            let (native, patch) = (native.without_meshes(), Patch::unedited(native));
            return Ok(Recovered { patch, native, losses: Vec::new(), looks: EditedLooks::default() });
        };
        let EditedScene { mut scene, marks, mut losses, frames_at, is_gltf, blender } = edited;
        let stated = f64::from(scene.scale);
        if stated != 1.0 {
            scene.rescale(1.0 / stated)?;
        }
        times::undo(&mut scene, &native, options.frames_at);
        let exported = if is_gltf {
            let influences = if several(&scene) { Influences::All } else { Influences::Four };
            let plain = || meshwright_gltf::ExportOptions::default().with_influences(influences);
            let export = self.export.unwrap_or_else(plain);
            reread(&native, &export.with_memory(options.limits.memory))?
        } else {
            native.clone()
        };
        let absent = if self.is_kept() { Absent::Gone } else { Absent::Kept };
        let computed = notes.iter().any(|note| note.code == "normals-computed");
        let (mut pictures, images) = self.pictures.edits(&scene, &marks, &native, &scenes.budget());
        // Packers encode images again.
        if options.snap == Snap::Loose {
            pictures.clear();
        }
        let how = Options {
            snap: options.snap,
            absent,
            marks: Some(&marks),
            pictures: &pictures,
            keeps_still_clips: blender,
            computed_normals: computed,
        };
        let mut patch;
        if let Some(rate) = frames_at {
            let original = meshwright_edit::Original { native: &native, exported: &exported };
            let find = |scene: &Scene| Patch::find(scene, &original, &how, &scenes.budget());
            patch = find(&scene)?;
            times::renamed(&mut scene, &native, rate, &mut patch, find)?;
            times::resampled(&mut scene, &native, rate, &mut patch, find, &mut losses)?;
            native.meshes = Vec::new();
        } else {
            patch = Patch::find_taking_meshes(&scene, &mut native, &exported, &how, &scenes.budget())?;
        }
        drop(exported);
        #[cfg(feature = "tso")]
        if !self.is_kept() {
            existing_skeleton::require_skeleton(self, &scene, &patch)?;
        }
        let looks = EditedLooks::find(self, (&scene, &marks), (&native, &patch), images);
        looks.report(&mut patch.report);
        Ok(Recovered { patch, native, losses, looks })
    }

    /// Writes the edited model as files. In the original's own format, unedited parts are unchanged (byte for byte if
    /// nothing was edited), and unedited companion files are added. In another format, the edited scene is converted.
    /// A companion file of the original in the format of the target is written as the model would be, each with its own
    /// edits. Other files of The Sims are written for the existing skeleton of the model: with its bone names, and
    /// only with the clips of the edited model.
    ///
    /// # Errors
    /// As [`convert`].
    pub fn write(
        &self,
        recovered: &Recovered,
        target: impl Into<Target>,
        name: &str,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, ConvertError> {
        let target = target.into();
        let own = target == Target::Native(self.asset().format());
        #[cfg(feature = "tso")]
        let own = own && !existing_skeleton::is_another_motion(&recovered.patch.report, target);
        if !own {
            return match self.write_member(recovered, target, name, options)? {
                Some(made) => Ok(made),
                None => self.write_anew(recovered, target, options),
            };
        }
        if recovered.is_untouched() || recovered.looks.alone {
            let files = self.files(name).map_err(invalid_file)?;
            let mut made = Converted::new(files, Vec::new());
            self.add_looks(&recovered.looks, target, options, &mut made);
            return Ok(made);
        }
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let options = options.clone().with_stem(stem);
        let mut made = merge(self.asset(), &recovered.native, &recovered.patch, &options)?;
        self.add_looks(&recovered.looks, target, &options, &mut made);
        if made.losses.iter().any(|loss| loss.code == ORIGINAL_DROPPED) {
            return Ok(made);
        }
        // Unedited companion files are added unchanged if the edited model still uses them.
        let left = |name: &str| made.losses.iter().any(|loss| loss.code == FILE_LEFT && loss.path == name);
        let beside = self.named_files(name).map_err(invalid_file)?;
        let stay = |file: &OwnFile<'_>| !file.follows && !left(&file.name);
        let beside: Vec<_> = beside.into_iter().filter(stay).collect();
        for OwnFile { name, content, like_model, .. } in beside {
            // A new file under the model's name replaces it.
            if made.value.iter().all(|other| other.name != name && Some(&other.name) != like_model.as_ref()) {
                made.value.push(name, content.bytes().map_err(invalid_file)?.into_owned());
            }
        }
        Ok(made)
    }

    /// Writes one companion file of the original: the one called `name`, otherwise the first in the format of the target.
    /// A file of records is only written under its own name, because its format holds whole characters too; the keys of
    /// its skills are written with it. `None` if there is no such file, or nothing of it can be kept.
    fn write_member(
        &self,
        recovered: &Recovered,
        target: Target,
        name: &str,
        options: &WriteOptions,
    ) -> Result<Option<Converted<OutputFiles>>, ConvertError> {
        let own = String::from_utf8_lossy(self.asset().path().name()).into_owned();
        let all = self.named_files(&own).map_err(invalid_file)?;
        let is = |file: &&OwnFile<'_>| {
            self.companion_format(file).is_some_and(|format| target == Target::Native(format))
        };
        let members: Vec<&OwnFile<'_>> = all.iter().filter(is).collect();
        let called = members.iter().find(|file| file.name.eq_ignore_ascii_case(name));
        let Some(member) = called.or_else(|| members.iter().find(|file| file.records.is_empty())) else {
            return Ok(None);
        };
        #[cfg(feature = "tso")]
        if existing_skeleton::is_another_motion(&recovered.patch.report, target) {
            return Ok(None);
        }
        let made = self.write(recovered, self.asset().format(), &own, options)?;
        let dropped =
            |loss: &Loss| loss.code == ORIGINAL_DROPPED || loss.code == FILE_LEFT && loss.path == member.name;
        if made.losses.iter().any(dropped) {
            return Ok(None);
        }
        let now = |file: &OwnFile<'_>| match made.value.get(&file.name) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => file.content.bytes().map(Cow::into_owned).map_err(invalid_file),
        };
        let mut files = OutputFiles::single(name, now(member)?);
        let keys = self.keys_of(member);
        let mut losses = made.losses;
        for file in all.iter().filter(|file| file.name != member.name) {
            if keys.contains(&file.name) {
                files.push(file.name.clone(), now(file)?);
                continue;
            }
            let before = file.content.bytes().map_err(invalid_file)?;
            let edited = made.value.get(&file.name).is_some_and(|bytes| *bytes != *before);
            losses.push(if edited {
                Loss::new(
                    MEMBER_LEFT,
                    &file.name,
                    "was edited, and is not in this output: convert to its format too",
                )
            } else {
                Loss::note(MEMBER_LEFT, &file.name, "was not edited, and is not in this output")
            });
        }
        let new = made.value.iter().filter(|file| all.iter().all(|old| old.name != file.name));
        losses
            .extend(new.map(|file| Loss::new(MEMBER_LEFT, &file.name, "is new, and is not in this output")));
        Ok(Some(Converted::new(files, losses)))
    }

    /// Returns the names of the files of keys that the skills of a file of records name.
    fn keys_of(&self, member: &OwnFile<'_>) -> Vec<String> {
        #[cfg(feature = "tso")]
        if !member.records.is_empty() {
            let companions = self.asset().companions();
            let source = companions.files.iter().find_map(|file| {
                file.record?;
                file.source.as_deref().filter(|source| source.name == member.name)
            });
            let Some(character) = source.and_then(|source| source.model.as_ref()?.character()) else {
                return Vec::new();
            };
            let keys = |skill: &meshwright_tso::Skill| sims_keys_file(&companions.aside, &skill.keys);
            return character.skills.iter().filter_map(keys).map(CompanionFile::file_name).collect();
        }
        let _ = member;
        Vec::new()
    }

    /// Writes the edited model as files without reusing any file of the original.
    ///
    /// # Errors
    /// As [`convert`].
    pub fn write_anew(
        &self,
        recovered: &Recovered,
        target: impl Into<Target>,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, ConvertError> {
        let target = target.into();
        #[cfg(feature = "tso")]
        let scenes = [&recovered.patch.scene, &recovered.native];
        #[cfg(feature = "tso")]
        if let Some((scene, options)) =
            existing_skeleton::fitted(self, scenes, &recovered.patch.report, target, options)?
        {
            return convert(&scene, target, &options);
        }
        let mut made = convert(&recovered.patch.scene, target, options)?;
        self.add_looks(&recovered.looks, target, options, &mut made);
        Ok(made)
    }
}

/// Returns true for a mesh with more influences per vertex than one set of glTF holds.
fn several(scene: &Scene) -> bool {
    let skins = scene.meshes.iter().filter_map(|m| m.skin.as_ref());
    skins.into_iter().any(|s| (0..s.vertex_count()).any(|v| s.influences(v).len() > 4))
}

/// An edited scene with the identities of its parts.
#[derive(Default)]
pub(crate) struct EditedScene {
    scene: Scene,
    marks: Marks,
    losses: Vec<Loss>,
    /// The frame rate of native clips in the edited file.
    frames_at: Option<f64>,
    is_gltf: bool,
    /// Blender wrote the file, which keeps clips without motion.
    blender: bool,
}

impl EditedScene {
    fn convert(asset: &Model, options: &RecoverOptions, scenes: &SceneOptions) -> Result<Self, ConvertError> {
        let Some(file) = asset.gltf() else {
            let made = asset.scene_with(scenes)?;
            return Ok(Self { scene: made.value, losses: made.losses, ..Self::default() });
        };
        let refused = |e: ReadError| {
            ConvertError::invalid(e.path().to_string(), format!("{} [{}]", e.message(), e.code()))
        };
        let rate = options.frames_at.map(|rate| f32::from(rate.get()));
        let (made, _) =
            file.import(&asset.stem(), rate.or(asset.companions().scene.rate)).map_err(refused)?;
        #[cfg_attr(not(feature = "textures"), expect(unused_mut, reason = "its palettes are taken apart"))]
        let Import { mut scene, marks, frames_at: said, .. } = made.value;
        #[cfg(feature = "textures")]
        super::palette::flat(&mut scene, &scenes.budget())?;
        let frames_at = rate.or(said).map(f64::from);
        let blender = file.generator().contains("Blender");
        Ok(Self { scene, marks, losses: made.losses, frames_at, is_gltf: true, blender })
    }
}
