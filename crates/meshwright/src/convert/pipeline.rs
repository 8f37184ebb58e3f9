//! Converts a model to the files of a target: unchanged, from the same records, with imported edits, or from a scene.

use super::Target;
use super::converted::{Conversion, Converted, Made, Route, several_files};
use super::options::ConvertOptions;
#[cfg(feature = "gltf")]
use super::options::OriginalSource;
#[cfg(feature = "gltf")]
use super::restored::restored;
#[cfg(feature = "tso")]
use super::sims_skeleton::made_for;
#[cfg(feature = "rig")]
use crate::clip_frame::ClipFrame;
#[cfg(feature = "gltf")]
use crate::embedded_original::Keeping;
use crate::error::Error;
#[cfg(feature = "rig")]
use crate::error::ErrorKind;
use crate::model::{Finder, Model, Part, PartRole};
use meshwright_core::{Budget, Role};
use meshwright_files::TreePath;
#[cfg(feature = "gltf")]
use meshwright_gltf::GltfFile;
use meshwright_scene::{self as scene, ConvertError, Loss, OutputFiles, Scene, SceneOptions};
use std::ffi::OsStr;
#[cfg(feature = "gltf")]
use std::ops::ControlFlow;
use std::path::Path;

/// A model to convert, which may be consumed.
pub(super) enum ModelSource<'m> {
    Borrowed(&'m Model),
    Owned(Box<Model>),
}

impl std::ops::Deref for ModelSource<'_> {
    type Target = Model;

    fn deref(&self) -> &Model {
        match self {
            Self::Borrowed(model) => model,
            Self::Owned(model) => model,
        }
    }
}

impl ModelSource<'_> {
    /// Frees the content of a glTF document that can be read again, if the model is consumed.
    #[cfg(feature = "gltf")]
    pub(super) fn drop_document(&mut self) {
        if let Self::Owned(model) = self {
            model.drop_document();
        }
    }

    /// Reads a [dropped](Self::drop_document) document again.
    #[cfg(feature = "gltf")]
    pub(super) fn read_again(self) -> Result<Self, Error> {
        match self {
            Self::Owned(model) if model.gltf().is_some_and(GltfFile::is_dropped) => {
                Ok(Self::Owned(Box::new(model.opener().open_in(model.finder(), model.path())?)))
            }
            own => Ok(own),
        }
    }

    /// Frees the bytes of the file, if the model is consumed.
    pub(super) fn drop_bytes(&mut self) {
        if let Self::Owned(model) = self {
            model.drop_bytes();
        }
    }

    fn make_scene(&mut self, options: &SceneOptions) -> Result<scene::Converted<Scene>, ConvertError> {
        match self {
            Self::Borrowed(model) => model.scene_with(options),
            Self::Owned(model) => model.take_scene(options),
        }
    }
}

impl Model {
    /// Prepares a conversion whose files are written as they are made. It frees what the next step does not need.
    ///
    /// # Errors
    /// As [`convert_with`](Self::convert_with).
    pub fn into_conversion(
        self,
        target: impl Into<Target>,
        options: &ConvertOptions,
    ) -> Result<Conversion, Error> {
        conversion(ModelSource::Owned(Box::new(self)), target.into(), options)
    }
}

impl Model {
    /// Converts the model to the files of a target. If the model already has this format, its files are unchanged, byte
    /// for byte. Textures are found for targets that hold them.
    ///
    /// ```
    /// # fn demo() -> Result<(), meshwright::Error> {
    /// use meshwright::Target;
    ///
    /// let model = meshwright::open("models/knight.dpm")?;
    /// let glb = model.convert(Target::Glb)?;
    /// for loss in glb.losses() {
    ///     println!("{loss}");
    /// }
    /// glb.write_to("out/")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If the model breaks a rule that a lenient reader accepted, if it lacks a necessary companion file, if the target
    /// can express nothing of it, or if the result would exceed the limits that the model was opened with.
    pub fn convert(&self, target: impl Into<Target>) -> Result<Converted, Error> {
        let write = crate::formats::WriteOptions::default().with_limits(self.limits());
        self.convert_with(target, &write.into())
    }

    /// Like [`convert`](Self::convert), with options.
    ///
    /// # Errors
    /// As [`convert`](Self::convert); if an option does not fit the model.
    pub fn convert_with(
        &self,
        target: impl Into<Target>,
        options: &ConvertOptions,
    ) -> Result<Converted, Error> {
        #[cfg_attr(
            not(all(feature = "gltf", feature = "output")),
            expect(unused_mut, reason = "nothing is protected")
        )]
        let mut converted = conversion(ModelSource::Borrowed(self), target.into(), options)?.finish()?;
        // The original that the caller named is an input too.
        #[cfg(all(feature = "gltf", feature = "output"))]
        if let OriginalSource::Model(original) = &options.original {
            converted.protect(original.sources());
        }
        Ok(converted)
    }

    /// Converts an edited document to a native format with its embedded original: unedited parts are unchanged, bit
    /// for bit. Without an original, or if it cannot be used (which is reported as a loss), this is
    /// [`convert`](Self::convert).
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    #[cfg(feature = "gltf")]
    pub fn restore(&self, target: impl Into<Target>) -> Result<Converted, Error> {
        let write = crate::formats::WriteOptions::default().with_limits(self.limits());
        let options = ConvertOptions::from(write).with_original(OriginalSource::Embedded);
        self.convert_with(target, &options)
    }
}

fn conversion(
    mut model: ModelSource<'_>,
    target: Target,
    options: &ConvertOptions,
) -> Result<Conversion, Error> {
    let mut options = options.clone();
    // An unchanged file keeps its name.
    if options.output.as_deref().and_then(Path::file_name).map(OsStr::as_encoded_bytes)
        != Some(model.path().name())
    {
        options.check_number(target)?;
    }
    if options.write.stem.is_empty() {
        options.write.stem = model.stem();
    }
    let changed = options.factor().is_some()
        || options.prune
        || options.join_levels
        || options.write.shared.engine.is_some()
        || options.write.clip_files
        || retargets(&options);
    if !changed && !names_original(&options) && !model.is_joined() {
        if target == Target::Native(model.format()) {
            return rewritten(&mut model, target, &options);
        }
        if let Some(made) = transcribed(&model, target, &options)? {
            return Ok(made);
        }
    }
    let mut notes = Vec::new();
    // The embedded original fits the old skeleton.
    #[cfg(feature = "gltf")]
    if !retargets(&options) {
        model = match restored(model, target, &options, &mut notes)? {
            ControlFlow::Break(made) => return Ok(made),
            ControlFlow::Continue(model) => model,
        };
    }
    from_scene(model, target, options, notes)
}

fn retargets(options: &ConvertOptions) -> bool {
    #[cfg(feature = "retarget")]
    let answer = options.retarget.is_some();
    #[cfg(not(feature = "retarget"))]
    let answer = {
        let _ = options;
        false
    };
    answer
}

fn names_original(options: &ConvertOptions) -> bool {
    #[cfg(feature = "gltf")]
    let answer = matches!(options.original, OriginalSource::Model(_));
    #[cfg(not(feature = "gltf"))]
    let answer = {
        let _ = options;
        false
    };
    answer
}

/// Returns the loss of a companion that a single output leaves out.
pub(super) fn left_out(name: &str) -> Loss {
    Loss::new("companion-left", name, "not written: this output is a single file")
}

/// Returns the files of a model in its own format.
fn rewritten(
    model: &mut ModelSource<'_>,
    target: Target,
    options: &ConvertOptions,
) -> Result<Conversion, Error> {
    model.drop_bytes();
    let mut files = model.rewrite(&options.main_name(&options.write.stem, target.extension()))?;
    let is_stream = |path: &Path| std::fs::metadata(path).is_ok_and(|meta| !meta.is_file());
    let mut losses = Vec::new();
    if options.write.single || options.output.as_deref().is_some_and(is_stream) {
        let mut all = std::mem::take(&mut files).into_iter();
        all.next().into_iter().for_each(|main| files.push(main.name, main.bytes));
        losses.extend(all.map(|companion| left_out(&companion.name)));
    }
    let mut made = Conversion::new(model, target, options, Route::Unchanged, Made::files(files));
    made.losses = losses;
    Ok(made)
}

/// Copies the records of a model into another kind of file that holds the same records, if there is one. The keys of
/// its skills are copied unchanged.
fn transcribed(
    model: &ModelSource<'_>,
    target: Target,
    options: &ConvertOptions,
) -> Result<Option<Conversion>, Error> {
    let Some(made) = model.transcribe(target, &options.write)? else { return Ok(None) };
    let is_copy = |name: &str| {
        let own = model.companions().files.iter();
        own.filter(|own| own.role == Role::Keys).any(|own| own.file_name() == name)
    };
    let (mut files, mut unedited, mut losses) = (OutputFiles::default(), Vec::new(), made.losses);
    for file in made.value {
        if is_copy(&file.name) {
            if options.write.single {
                losses.push(left_out(&file.name));
                continue;
            }
            unedited.push(file.name.clone());
        }
        files.push(file.name, file.bytes);
    }
    add_skins(model, target, options, &mut files);
    if options.write.single && files.len() > 1 {
        return Err(several_files(target));
    }
    let mut made = Conversion::new(model, target, options, Route::SameRecords, Made::files(files));
    (made.losses, made.unedited) = (losses, unedited);
    Ok(Some(made))
}

/// Adds the skins of a model, whose names follow from that of the main file.
fn add_skins(model: &Model, target: Target, options: &ConvertOptions, files: &mut OutputFiles) {
    if target.has_skins() && !options.write.single {
        let name = options.main_name(&options.write.stem, target.extension());
        model.skins(&name).into_iter().for_each(|skin| files.push(skin.name, skin.bytes));
    }
}

/// Converts a model through a scene.
fn from_scene(
    mut model: ModelSource<'_>,
    target: Target,
    mut options: ConvertOptions,
    notes: Vec<Loss>,
) -> Result<Conversion, Error> {
    // A glTF document is not a native model.
    let embedded = embeds(&options, target) && model.format().id() != "gltf";
    #[cfg(feature = "gltf")]
    if options.embed && embedded {
        let how = Keeping::default().exported(options.write.gltf).with_solids(options.solids);
        options.write = options.write.with_kept(model.record(&how)?);
    }
    model.drop_bytes();
    let plain = target.scene_options();
    let (posed, retargeted) = (options.pose.is_some(), retargets(&options));
    let scenes = plain
        .clone()
        .with_extras(options.extras || plain.extras)
        .with_solids(options.solids)
        // A pose needs a skeleton, and so do retargeting and the import of edits.
        .with_static_meshes(
            plain.static_meshes && !posed && !retargeted && !options.keep_skeleton && !embedded,
        )
        .with_bind_only(plain.bind_only && !posed || retargeted)
        .with_limits(options.write.shared.limits);
    let mut parts = model.parts().to_vec();
    let mut shaping = Shaping { target, options: &options, scenes: &scenes, map: None };
    let mut scene = shaping.scene(&mut model, &mut parts)?;
    if options.join_levels {
        shaping.join_levels(&model, &mut scene, &mut parts)?;
    }
    #[cfg_attr(not(feature = "retarget"), expect(unused_variables, reason = "no map is made"))]
    let map = shaping.map;
    #[cfg(feature = "tso")]
    {
        options.write.tso.made_for = made_for(&model, target, &options)?.or(options.write.tso.made_for);
    }
    if target == Target::Obj {
        options.write.texture_files = texture_files(model.finder(), &parts, options.output.as_deref());
    }
    #[cfg(feature = "rig")]
    if let Some(text) = &options.pose {
        options.write.posed = Some(pose(&mut scene.value, &model, text)?);
    }
    let mut skins = OutputFiles::default();
    add_skins(&model, target, &options, &mut skins);
    let mut made = Conversion::new(
        &model,
        target,
        &options,
        Route::Scene,
        Made::Scene { scene: Box::new(scene.value), options: Box::new(options.write.clone()), skins },
    );
    (made.parts, made.losses) = (parts, notes);
    made.losses.extend(scene.losses);
    #[cfg(feature = "retarget")]
    {
        made.map = map;
    }
    Ok(made)
}

/// Returns whether the result contains the native model.
fn embeds(options: &ConvertOptions, target: Target) -> bool {
    (options.embed || options.write.kept.is_some()) && target.is_gltf()
}

/// The changes of a scene between reading and writing.
struct Shaping<'o> {
    target: Target,
    options: &'o ConvertOptions,
    scenes: &'o SceneOptions,
    /// The bone map that the scene was retargeted with.
    map: Option<String>,
}

impl Shaping<'_> {
    /// Converts a model to a scene with the changes and textures that the options ask for.
    fn scene(
        &mut self,
        model: &mut ModelSource<'_>,
        parts: &mut Vec<Part>,
    ) -> Result<scene::Converted<Scene>, Error> {
        let options = self.options;
        let mut scene = match model.make_scene(self.scenes) {
            Err(ConvertError::Unsupported { .. }) if embeds(options, self.target) && model.lacks_files() => {
                model.empty_scene()
            }
            scene => scene?,
        };
        #[cfg(feature = "retarget")]
        self.retarget(&mut scene)?;
        match options.scale {
            Some(factor) if factor != 1.0 => scene.value.rescale(factor)?,
            None if matches!(self.target, Target::Native(_)) => scene.unscale()?,
            _ => {}
        }
        let dropped = if options.prune { scene.value.prune(&self.scenes.budget())? } else { 0 };
        if dropped > 0 {
            let note = Loss::note("vertices-pruned", "meshes", "vertices that no triangle uses were dropped");
            scene.losses.push(note.with_count(dropped, "vertex", "vertices"));
        }
        #[cfg(feature = "textures")]
        if !options.write.without_textures && self.target.holds_textures() && !model.opener().textures {
            parts.extend(model.find_scene_textures(&mut scene));
        }
        #[cfg(not(feature = "textures"))]
        let _ = parts;
        Ok(scene)
    }

    /// Moves a scene to another skeleton.
    #[cfg(feature = "retarget")]
    fn retarget(&mut self, scene: &mut scene::Converted<Scene>) -> Result<(), Error> {
        use meshwright_retarget::{RetargetOptions, retarget_scene};
        let Some(retarget) = &self.options.retarget else { return Ok(()) };
        let skeleton = retarget.onto.scene_with(&self.scenes.clone().with_static_meshes(false))?;
        let how = RetargetOptions::default()
            .with_map(retarget.map.clone())
            .with_hold(retarget.hold)
            .with_limits(self.options.write.shared.limits);
        let done = retarget_scene(&scene.value, &skeleton.value, &how)?;
        scene.value = done.value.scene;
        scene.losses.extend(done.losses);
        self.map = Some(done.value.map.to_string());
        Ok(())
    }

    /// Adds the levels of detail that are separate files. A level that cannot be read is a loss.
    fn join_levels(
        &mut self,
        model: &Model,
        scene: &mut scene::Converted<Scene>,
        parts: &mut Vec<Part>,
    ) -> Result<(), Error> {
        for path in model.finder().levels(model) {
            let name = path.to_string();
            match self.level(model, &path) {
                Ok((level, own)) => {
                    let budget = Budget::new(self.options.write.shared.limits);
                    let mut losses = scene.value.add_level(level.value, &budget)?;
                    losses.extend(level.losses.into_iter().map(|mut loss| {
                        loss.path = format!("{name}: {}", loss.path);
                        loss
                    }));
                    scene.losses.extend(losses);
                    let own = own.into_iter().map(|part| match part.role {
                        PartRole::Model => Part { role: PartRole::Level, ..part },
                        _ => part,
                    });
                    for part in own {
                        if !parts.contains(&part) {
                            parts.push(part);
                        }
                    }
                }
                Err(e) => {
                    let message = format!("the level cannot be read: {e}");
                    scene.losses.push(Loss::new("level-unreadable", name, message));
                }
            }
        }
        Ok(())
    }

    /// Opens a level of detail, and returns its scene and its files.
    fn level(
        &mut self,
        model: &Model,
        path: &TreePath,
    ) -> Result<(scene::Converted<Scene>, Vec<Part>), Error> {
        let level = model.opener().open_in(model.finder(), path)?;
        let mut parts = level.parts().to_vec();
        let scene = self.scene(&mut ModelSource::Owned(Box::new(level)), &mut parts)?;
        Ok((scene, parts))
    }
}

/// Returns the relative paths by which a file refers to the textures of a model.
fn texture_files(
    finder: &Finder,
    parts: &[Part],
    output: Option<&Path>,
) -> meshwright_core::SortedMap<String, String> {
    let Some(output) = output else { return Default::default() };
    let folder = output.parent().unwrap_or(Path::new(""));
    let textures = parts.iter().filter(|part| part.role == PartRole::Texture);
    let named = textures.filter_map(|part| {
        let place = part.path.as_ref()?;
        let file = finder.tree().os_path(place)?;
        Some((place.text().into_owned(), super::relative::between(folder, &file)?))
    });
    named.collect()
}

/// Returns the meshes in a pose of a clip, or in a frame of the file.
#[cfg(feature = "rig")]
fn pose(scene: &mut Scene, model: &Model, text: &str) -> Result<Vec<meshwright_scene::MeshPose>, Error> {
    let wrong = |why: String| Error::new(ErrorKind::Invalid, "usage", format!("--pose {text}: {why}"));
    let (own, file_clip) = (scene.clips.len(), model.model().file_clip());
    let (clip, frame) = ClipFrame::in_clip(text, scene, file_clip.as_ref()).map_err(wrong)?;
    scene.clips.extend(file_clip.filter(|_| clip == own));
    // In 64 bits, so that all machines give the same result.
    let mut evaluator =
        meshwright_rig::Evaluator::new(&*scene)?.with_precision(meshwright_rig::Precision::Double);
    evaluator.pose(Some((clip, f64::from(frame))))?;
    let posed = evaluator.meshes()?;
    scene.clips.truncate(own);
    Ok(posed)
}
