//! The result of comparing an edited model with its original.

#[cfg(feature = "tso")]
use super::onto;
use super::{Called, Original, times};
use crate::asset::Asset;
use crate::convert::{Target, convert};
use crate::kinds::WriteOptions;
use crate::merge::{FILE_LEFT, ORIGINAL_DROPPED, merge};
use meshwright_core::ReadError;
use meshwright_edit::{Absent, Options, Patch, Snap};
use meshwright_gltf::import::Import;
use meshwright_gltf::{Influences, reread};
use meshwright_scene::{ConvertError, Converted, Limits, Loss, Marks, OutputFiles, Scene, SceneOptions};
use std::num::NonZeroU16;

/// Options for comparing an edited model with its original.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct RecoverOptions {
    /// The tolerance within which a value counts as unedited.
    pub snap: Snap,
    /// The rate at which the keys of native clips lie in the edited file, where that is not said there.
    pub frames_at: Option<NonZeroU16>,
    /// Nothing was edited, as who calls knows better: the model that was [kept](Original::is_kept) is the result.
    pub unedited: bool,
    /// The limits of intermediate scenes.
    pub limits: Limits,
}

impl RecoverOptions {
    /// The same options with another nearness.
    #[must_use]
    pub const fn with_snap(mut self, snap: Snap) -> Self {
        self.snap = snap;
        self
    }

    /// The same options with a rate at which keys lie.
    #[must_use]
    pub const fn with_frames_at(mut self, rate: Option<NonZeroU16>) -> Self {
        self.frames_at = rate;
        self
    }

    /// The same options for a model that was edited, or was not.
    #[must_use]
    pub const fn with_unedited(mut self, unedited: bool) -> Self {
        self.unedited = unedited;
        self
    }

    /// The same options with other limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// A model that came back.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The edits, with the edited scene: in the original's order, and with its values for everything unedited.
    pub patch: Patch,
    /// The original's scene.
    pub native: Scene,
    /// Data that the edited file lacks.
    pub losses: Vec<Loss>,
}

impl Recovered {
    /// True where nothing was edited.
    pub fn is_untouched(&self) -> bool {
        self.patch.is_empty()
    }
}

impl Original {
    /// Holds an edited model against this one. Of one that was [kept](Self::is_kept), what the edited model does not have
    /// was deleted; else the edited model adds to this one: its clips stay, and its meshes where the edited model has none.
    ///
    /// # Errors
    /// When one of both cannot be shown, or scenes of theirs take more memory than is allowed.
    pub fn recover(&self, edited: &Asset, options: &RecoverOptions) -> Result<Recovered, ConvertError> {
        let scenes = SceneOptions::default().with_limits(options.limits);
        let own = scenes.clone().with_extras(true).with_solids(self.solids);
        let Converted { value: native, losses: notes, .. } = self.asset().to_scene(&own)?;
        if options.unedited && self.is_kept() {
            let patch = Patch::unedited(native.clone());
            return Ok(Recovered { patch, native, losses: Vec::new() });
        }
        let Edited { mut scene, marks, mut losses, frames_at, blender } =
            Edited::convert(edited, options, &scenes)?;
        let stated = f64::from(scene.scale);
        if stated != 1.0 {
            scene.rescale(1.0 / stated)?;
        }
        times::undo(&mut scene, &native, options.frames_at);
        let exported = match (edited.gltf(), self.export) {
            (Some(_), Some(export)) => reread(&native, &export.with_memory(options.limits.memory))?,
            (Some(_), None) => {
                let influences = if several(&scene) { Influences::All } else { Influences::Four };
                let export = meshwright_gltf::ExportOptions::default().with_influences(influences);
                reread(&native, &export.with_memory(options.limits.memory))?
            }
            (None, _) => native.clone(),
        };
        let absent = if self.is_kept() { Absent::Gone } else { Absent::Kept };
        let original = meshwright_edit::Original { native: &native, exported: &exported };
        let computed = notes.iter().any(|note| note.code == "normals-computed");
        // Packers encode images again.
        let pictures = match options.snap {
            Snap::Loose => Vec::new(),
            _ => self.pictures.changed(&scene, &marks, &native, &scenes.budget()),
        };
        let how = Options::new(options.snap, absent)
            .with_marks(&marks)
            .with_pictures(&pictures)
            .with_still_clips(blender)
            .with_computed_normals(computed);
        let find = |scene: &Scene| Patch::find(scene, &original, &how, &scenes.budget());
        let mut patch = find(&scene)?;
        if let Some(rate) = frames_at {
            times::renamed(&mut scene, &native, rate, &mut patch, find)?;
            times::resampled(&mut scene, &native, rate, &mut patch, find, &mut losses)?;
        }
        Ok(Recovered { patch, native, losses })
    }

    /// Writes the edited model as files. In the original's own format, unedited parts are unchanged (byte for byte if
    /// nothing was edited), and unedited companion files are added. In another format, the edited scene is converted.
    /// Files of The Sims of another kind are written for the existing skeleton of the model: with its bone names, and
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
        let own = own && !onto::is_another_motion(&recovered.patch.report, target);
        if !own {
            return self.write_anew(recovered, target, options);
        }
        if recovered.is_untouched() {
            let files = self.files(name).map_err(|e| ConvertError::invalid("file", e.to_string()))?;
            return Ok(Converted::new(files, Vec::new()));
        }
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let options = options.clone().with_stem(stem);
        let mut made = merge(self.asset(), &recovered.native, &recovered.patch, &options)?;
        if made.losses.iter().any(|loss| loss.code == ORIGINAL_DROPPED) {
            return Ok(made);
        }
        // Unedited companion files are added unchanged, except those that are no longer used.
        let left = |name: &str| made.losses.iter().any(|loss| loss.code == FILE_LEFT && loss.path == name);
        let beside = self.named_files(name).map_err(|e| ConvertError::invalid("file", e.to_string()))?;
        let stay = |file: &Called| file.keeps_its_name() && !left(&file.name);
        let beside: Vec<_> = beside.into_iter().filter(stay).collect();
        for Called { name, bytes, like_model, .. } in beside {
            // A new file under the model's name replaces it.
            if made.value.iter().all(|other| other.name != name && Some(&other.name) != like_model.as_ref()) {
                made.value.push(name, bytes);
            }
        }
        Ok(made)
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
        if let Some((scene, options)) = onto::fitted(self, scenes, &recovered.patch.report, target, options)?
        {
            return convert(&scene, target, &options);
        }
        convert(&recovered.patch.scene, target, options)
    }
}

/// A mesh that glTF needs more than one set of influences for.
fn several(scene: &Scene) -> bool {
    let skins = scene.meshes.iter().filter_map(|m| m.skin.as_ref());
    skins.into_iter().any(|s| (0..s.vertex_count()).any(|v| s.influences(v).len() > 4))
}

/// An edited scene as it is, with its marks.
struct Edited {
    scene: Scene,
    marks: Marks,
    losses: Vec<Loss>,
    /// The rate at which keys of native clips lie.
    frames_at: Option<f64>,
    /// Blender wrote it, which keeps clips in which nothing moves.
    blender: bool,
}

impl Edited {
    fn convert(asset: &Asset, options: &RecoverOptions, scenes: &SceneOptions) -> Result<Self, ConvertError> {
        let Some(file) = asset.gltf() else {
            let made = asset.to_scene(scenes)?;
            return Ok(Self {
                scene: made.value,
                marks: Marks::default(),
                losses: made.losses,
                frames_at: None,
                blender: false,
            });
        };
        let refused = |e: ReadError| {
            ConvertError::invalid(e.path().to_string(), format!("{} [{}]", e.message(), e.code()))
        };
        let rate = options.frames_at.map(|rate| f32::from(rate.get()));
        let (made, _) = file.import(&asset.stem(), rate.or(asset.companions().rate)).map_err(refused)?;
        #[cfg_attr(not(feature = "textures"), expect(unused_mut, reason = "its palettes are taken apart"))]
        let Import { mut scene, marks, frames_at: said, .. } = made.value;
        #[cfg(feature = "textures")]
        super::palette::flat(&mut scene, &scenes.budget())?;
        let frames_at = rate.or(said).map(f64::from);
        let blender = file.tables().is_ok_and(|document| document.generator().contains("Blender"));
        Ok(Self { scene, marks, losses: made.losses, frames_at, blender })
    }
}
