//! The conversion of one model.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "places in the list of inputs, and counts of them"
)]

use super::done::{Done, Made, Written};
use super::paths::out_paths;
use super::scene::{hinted, no_figure, obj_pose, reshape, texture_files};
use crate::args::{ConvertArgs, InfluenceArg};
use crate::destination::Destination;
use crate::input::Input;
use crate::manifest::{self, Took};
use crate::output;
use crate::output::{Measured, Outputs};
use crate::reader::{Opened, Reader};
use crate::refusal::Refusal;
use meshwright::files::output::{Clash, Content, Output, OutputRole, Place};
use meshwright::gltf::{ExportOptions, Influences};
use meshwright::scene::{ConvertError, Converted, Extra, Loss, OutputFile, Scene, SceneOptions};
use meshwright::{Format, Keeping, Model, Role, StreamedFile, Target, WriteOptions};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Files to be written together: all or none.
pub(super) type Files<'s> = Vec<Output<StreamedFile<'s>>>;

/// A scene with the changes that the arguments ask for, and the bone map that it was retargeted with.
type Shaped = (Converted<Scene>, Option<Output<StreamedFile<'static>>>);

/// The settings of a conversion.
pub(super) struct Work<'a> {
    pub(super) args: &'a ConvertArgs,
    pub(super) reader: Reader,
    pub(super) outputs: Outputs,
    pub(super) to: Target,
}

impl Work<'_> {
    /// Returns whether an existing output is kept because of `--no-clobber`.
    pub(super) fn keeps(&self, path: &Path) -> bool {
        let written = *self.outputs.destination() != Destination::Stdout;
        self.args.write.no_clobber && written && path.symlink_metadata().is_ok()
    }

    /// Converts one file into temporary files, which have no final names yet.
    pub(super) fn convert_one(&self, input: &Input, place: &Place) -> Made {
        let mut sources = Vec::new();
        let result = self.convert_model(input, place, &mut sources);
        let result = self.reader.hinted(input, result, |lenient| self.would_succeed(input, place, lenient));
        Made { sources, result }
    }

    /// Returns whether a conversion with another reader succeeds, without writing anything.
    fn would_succeed(&self, input: &Input, place: &Place, reader: Reader) -> bool {
        let mut args = self.args.clone();
        args.write.dry_run = true;
        let outputs = Outputs::new(self.outputs.destination());
        Work { args: &args, reader, outputs, to: self.to }
            .convert_model(input, place, &mut Vec::new())
            .is_ok()
    }

    pub(super) fn convert_model(
        &self,
        input: &Input,
        place: &Place,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Done, Refusal> {
        let mut opened = self.reader.open(input)?;
        self.record_sources(&opened, sources);
        let scaled = self.args.scale.is_some_and(|scale| scale != 1.0);
        let changed = scaled
            || self.args.prune
            || self.args.join_levels
            || self.args.engine.is_some()
            || self.args.retarget.retarget.is_some();
        let rewrite = !changed && self.args.onto.is_empty();
        if self.to == Target::Native(opened.asset.format()) && rewrite {
            self.reader.say_passed_over(input, &opened);
            let took = self.took(&opened);
            return self.rewrite(input, &mut opened.asset, place).map(|done| Done { took, ..done });
        }
        if rewrite && let Some(done) = self.transcribe(input, &opened, place)? {
            self.reader.say_passed_over(input, &opened);
            return Ok(done);
        }
        self.reader.say_used(input, &opened);
        // The embedded original fits the old skeleton, so `--retarget` does not use it.
        if self.args.retarget.retarget.is_none()
            && let Some(done) = self.recover(input, &mut opened, place, sources)?
        {
            return Ok(done);
        }
        self.convert_scene(input, opened, place, sources)
    }

    /// Records the files of a model. For an output folder they are recorded later, in the order of the inputs.
    pub(super) fn record_sources(&self, opened: &Opened, sources: &mut Vec<PathBuf>) {
        match self.outputs.destination() {
            Destination::Folder(_) => sources.extend(opened.paths()),
            _ => self.reader.note(opened.paths()),
        }
    }

    /// Gives outputs their final names, in the order of the inputs. Files that took part so far are not replaced; a
    /// rewrite may replace its own input.
    pub(super) fn appear(&self, made: Made) -> Result<Done, Refusal> {
        self.reader.note(made.sources);
        let mut done = made.result?;
        let (plan, own) = (self.reader.plan(), done.rewrite.then_some(done.input.path.as_path()));
        let left = match &mut done.files {
            Written::Elsewhere => Ok(Vec::new()),
            Written::Staged(staged) => plan.enter(staged, own),
            Written::Measured(files) => plan.enter_all(files, own),
        };
        let left = left.map_err(|clash| self.clash(clash))?;
        done.outputs = done.files.paths();
        // A file that several models share is written once.
        done.losses
            .extend(left.into_iter().filter(|left| !left.is_same).map(|left| companion_left(&left.path)));
        if let Written::Staged(staged) = &mut done.files {
            std::mem::take(staged).appear()?;
        }
        Ok(done)
    }

    /// Returns the refusal of an output that cannot be written, with the option that decides.
    fn clash(&self, clash: Clash) -> Refusal {
        match clash {
            Clash::Exists(path) if self.args.write.no_clobber => {
                Refusal::Unwritable { path, why: "exists, and --no-clobber keeps it".into() }
            }
            Clash::Exists(_) => Refusal::Taken(format!("{clash}; --force replaces it")),
            clash => clash.into(),
        }
    }

    /// Assigns output paths to the files of a result.
    pub(super) fn place_files<'s, F: Into<StreamedFile<'s>>>(
        &self,
        files: impl IntoIterator<Item = F>,
        place: &Place,
    ) -> Result<Files<'s>, Refusal> {
        let files = files.into_iter().map(Into::into);
        Ok(meshwright::place_files(files, self.to, place, self.reader.limits())?)
    }

    /// Rewrites a model in its own format, with the companions whose names follow from its own name. An existing
    /// companion, as in a rewrite in place, is kept.
    pub(super) fn rewrite(&self, input: &Input, asset: &mut Model, place: &Place) -> Result<Done, Refusal> {
        asset.drop_bytes();
        let path = place.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut files = self.place_files(asset.rewrite(&name)?, place)?;
        let mut losses = Vec::new();
        let is_stream = || fs::metadata(path).is_ok_and(|meta| !meta.is_file());
        if files.len() > 1 && (*self.outputs.destination() == Destination::Stdout || is_stream()) {
            let left = files.drain(..files.len() - 1);
            losses.extend(left.map(|companion| {
                Loss::new(
                    "companion-left",
                    companion.content.name,
                    "not written: this output is a single file",
                )
            }));
        }
        self.stage(Done::new(input, losses, "").rewriting(), files)
    }

    /// Converts several inputs that make up one figure. An error has the index of its input.
    pub(super) fn figure(&self, inputs: &[Input]) -> Result<Done, (usize, Refusal)> {
        let (mut files, mut assets) = (Vec::new(), Vec::new());
        for (i, input) in inputs.iter().enumerate() {
            let opened = match self.reader.open(input) {
                Ok(opened) => opened,
                Err(Refusal::NotAModel) => continue,
                Err(refusal) => return Err((i, refusal)),
            };
            self.reader.note(opened.paths());
            self.reader.say_used(input, &opened);
            files.push((i, opened.finder));
            assets.push(opened.asset);
        }
        let lead = Model::figure_lead(&assets);
        let figure = Model::figure(assets)
            .map_err(|e| (files.get(e.input()).map_or(0, |file| file.0), no_figure(&e)))?;
        let (i, finder) = files.swap_remove(lead.unwrap_or(0));
        let mut opened = Opened { finder, asset: figure };
        let place = out_paths(inputs, self.outputs.destination(), self.to).remove(0).place;
        let mut sources = Vec::new();
        let recovered = match self.args.retarget.retarget {
            Some(_) => Ok(None),
            None => self.recover(&inputs[i], &mut opened, &place, &mut sources),
        };
        let result = match recovered {
            Ok(None) => self.convert_scene(&inputs[i], opened, &place, &mut sources),
            Ok(Some(done)) => Ok(done),
            Err(refusal) => Err(refusal),
        };
        self.appear(Made { sources, result }).map_err(|refusal| (i, refusal))
    }

    /// Converts a model into the files of the target. It frees the bytes and the model as soon as the next step does
    /// not need them.
    pub(super) fn convert_scene(
        &self,
        input: &Input,
        mut opened: Opened,
        place: &Place,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Done, Refusal> {
        let (args, path) = (self.args, place.path());
        opened.asset.companions_mut().recompute_normals = args.recompute_normals;
        opened.asset.companions_mut().blend_normals = args.blend_normals;
        opened.asset.companions_mut().rate = args.fps;
        // A glTF document is not a native model.
        let keep = args.keep_native && opened.asset.format() != Format::Gltf;
        let kept = if keep { Some(self.record(&opened.asset)?) } else { None };
        opened.asset.drop_bytes();
        let limits = self.reader.limits();
        let plain = self.to.scene_options();
        // A pose needs a skeleton, and so does retargeting.
        let posed = args.pose.as_ref().map(drop).or(args.retarget.retarget.as_ref().map(drop));
        let options = plain
            .clone()
            .with_extras(args.extras || plain.extras)
            .with_solids(args.solids)
            .with_static_meshes(plain.static_meshes && posed.is_none() && !args.keep_skeleton && !keep)
            .with_bind_only(plain.bind_only && args.pose.is_none() || args.retarget.retarget.is_some())
            .with_memory(limits.memory);
        let (mut scene, map) = self.scene(&mut opened, &options)?;
        if args.join_levels {
            self.join_levels(&mut opened, &mut scene, &options)?;
        }
        self.record_sources(&opened, sources);
        let took = self.took(&opened);
        let stem = path.file_stem().filter(|s| *s != OsStr::new("-")).unwrap_or(OsStr::new("model"));
        let mut options = self.write_options(&stem.to_string_lossy());
        if let Some(record) = kept {
            options = options.with_kept(record);
        }
        options.made_for = match &args.retarget.retarget {
            Some(path) => self.reader.skeleton_in(self.to, path)?,
            None => self.reader.skeleton_of(self.to, opened.asset.format())?,
        };
        if self.to == Target::Obj {
            options.texture_files = texture_files(&opened, path);
        }
        if let Some(text) = &args.pose {
            options.posed = Some(obj_pose(&mut scene.value, opened.asset.model().file_clip(), text)?);
        }
        let skins = self.skins(&opened, path);
        drop(opened);
        let made = meshwright::stream(&scene.value, self.to, &options)?;
        let mut files = self.with_skins(made.value, skins, place)?;
        files.splice(0..0, map);
        let losses = scene.losses.into_iter().chain(made.losses).collect();
        let advice = match self.to {
            Target::Glb | Target::Gltf if keep => "; the embedded original has them",
            Target::Glb | Target::Gltf if !args.extras => "; pass --extras to keep them",
            _ => "",
        };
        self.stage(Done { took, ..Done::new(input, losses, advice) }, files)
    }

    /// Returns the skin files of a model; their names follow from `path`.
    fn skins(&self, opened: &Opened, path: &Path) -> Vec<OutputFile> {
        if !self.to.has_skins() || *self.outputs.destination() == Destination::Stdout {
            return Vec::new();
        }
        opened.asset.skins(&path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// Assigns output paths to the files of a model and its skins.
    fn with_skins<'s>(
        &self,
        mut files: Vec<StreamedFile<'s>>,
        skins: Vec<OutputFile>,
        place: &Place,
    ) -> Result<Files<'s>, Refusal> {
        files.extend(skins.into_iter().map(Into::into));
        if *self.outputs.destination() == Destination::Stdout && files.len() > 1 {
            let why = format!("{} consists of several files; standard output takes one", self.to);
            return Err(Refusal::Argument(why));
        }
        self.place_files(files, place)
    }

    /// Copies the records of a model into another kind of file that holds the same records, if there is one. The keys
    /// of its skills are copied unchanged.
    fn transcribe(&self, input: &Input, opened: &Opened, place: &Place) -> Result<Option<Done>, Refusal> {
        if self.args.recompute_normals || self.args.blend_normals {
            return Ok(None);
        }
        let path = place.path();
        let stem = path.file_stem().filter(|s| *s != OsStr::new("-")).unwrap_or(OsStr::new("model"));
        let options = self.write_options(&stem.to_string_lossy());
        let Some(made) = opened.asset.transcribe(self.to, &options)? else { return Ok(None) };
        let mut losses = made.losses;
        let mut files: Vec<StreamedFile<'_>> = made.value.into_iter().map(Into::into).collect();
        let is_copy = |name: &str| {
            let own = opened.asset.companions().files.iter();
            own.filter(|own| own.role == Role::Keys).any(|own| own.file_name() == name)
        };
        if *self.outputs.destination() == Destination::Stdout {
            let left = files.extract_if(.., |file| is_copy(&file.name));
            losses.extend(left.map(|file| {
                Loss::new("companion-left", file.name, "not written: this output is a single file")
            }));
        }
        let mut files = self.with_skins(files, self.skins(opened, path), place)?;
        for file in files.iter_mut().filter(|file| file.role == OutputRole::Companion) {
            if is_copy(&file.content.name) {
                file.role = OutputRole::Unedited;
            }
        }
        self.stage(Done { took: self.took(opened), ..Done::new(input, losses, "") }, files).map(Some)
    }

    /// Converts a model to a scene with its textures and the changes that the arguments ask for.
    fn scene(&self, opened: &mut Opened, options: &SceneOptions) -> Result<Shaped, Refusal> {
        let mut scene = match opened.asset.take_scene(options) {
            Err(ConvertError::Unsupported { .. }) if self.args.keep_native && opened.asset.lacks_files() => {
                opened.asset.empty_scene()
            }
            scene => scene.map_err(|e| hinted(e, &opened.asset))?,
        };
        let map = self.retarget(&mut scene, options)?;
        reshape(&mut scene, self.args, self.to, options)?;
        if !self.args.no_textures && self.to.holds_textures() {
            self.reader.add_textures(opened, &mut scene);
        }
        Ok((scene, map))
    }

    /// Adds the levels of detail that are separate files. A level that cannot be read is a loss.
    fn join_levels(
        &self,
        opened: &mut Opened,
        scene: &mut Converted<Scene>,
        options: &SceneOptions,
    ) -> Result<(), Refusal> {
        for (path, level) in self.reader.levels(opened) {
            let name = path.to_string();
            let made = level.map_err(Refusal::Argument).and_then(|mut level| {
                let (made, _) = self.scene(&mut level, options)?;
                Ok((level, made))
            });
            match made {
                Ok((level, made)) => {
                    let budget = meshwright::Budget::new(self.reader.limits());
                    let mut losses = scene.value.add_level(made.value, &budget)?;
                    losses.extend(made.losses.into_iter().map(|mut loss| {
                        loss.path = format!("{name}: {}", loss.path);
                        loss
                    }));
                    scene.losses.extend(losses);
                    opened.asset.adopt_level(&level.asset);
                }
                Err(why) => {
                    let why = why.json();
                    let why = why["message"].as_str().unwrap_or_default();
                    let message = format!("the level cannot be read: {why}");
                    scene.losses.push(Loss::new("level-unreadable", name, message));
                }
            }
        }
        Ok(())
    }

    /// Returns the files that took part, if a manifest is written.
    pub(super) fn took(&self, opened: &Opened) -> Took {
        if self.args.manifest.is_none() {
            return Took::new();
        }
        manifest::took(opened.finder.tree(), &opened.asset, self.reader.limits())
    }

    /// Returns the native model as extra data to embed in a glTF document.
    fn record(&self, asset: &Model) -> Result<Extra, ConvertError> {
        let keeping = Keeping::new(self.reader.options()).exported(self.export_options());
        asset.record(&keeping.with_solids(self.args.solids))
    }

    /// Returns the options for writing glTF.
    fn export_options(&self) -> ExportOptions {
        let influences = match self.args.influences {
            InfluenceArg::Four => Influences::Four,
            InfluenceArg::All => Influences::All,
        };
        let exchanged = matches!(self.to, Target::Glb | Target::Gltf);
        ExportOptions::default()
            .with_influences(influences)
            .with_close_loops(self.args.close_loops)
            .with_frames_at(self.args.frames_at.filter(|_| exchanged))
    }

    /// Returns the options for writing a scene.
    pub(super) fn write_options(&self, stem: &str) -> WriteOptions {
        let args = self.args;
        let single = *self.outputs.destination() == Destination::Stdout;
        let mut options = WriteOptions::default().with_stem(stem).with_limits(self.reader.limits());
        options.settings = self.reader.settings().to_vec();
        options.settings.extend(args.tso_id.map(|id| ("tso-id".into(), id.to_string())));
        options.settings.extend(args.adjacency.then(|| ("adjacency".into(), "yes".into())));
        options.settings.extend(args.clip_files.then(|| ("clips".into(), "files".into())));
        options.settings.extend(args.tangents.then(|| ("tangents".into(), "computed".into())));
        options.shared = options.shared.for_engine(args.engine);
        options.single = single;
        options.without_pictures = args.no_textures || single;
        options.gltf = self.export_options();
        options
    }

    /// Writes the files under temporary names. Outputs that do not go into a folder are checked first.
    pub(super) fn stage(&self, mut done: Done, files: Files<'_>) -> Result<Done, Refusal> {
        let plan = self.reader.plan();
        let files = files.into_iter().map(|Output { place, role, content }| {
            let content: Content<'_> = Box::new(move |out| {
                // Short writes are collected; long ones are passed on.
                let mut out = BufWriter::with_capacity(1 << 16, out);
                content.write_to(&mut out)?;
                out.flush()
            });
            Output { place, role, content }
        });
        let files: Vec<_> = files.collect();
        if self.args.write.dry_run {
            let measured = files.into_iter().map(|Output { place, role, content }| {
                let content = Measured::new(place.path(), content)
                    .map_err(|e| Refusal::unwritable(place.path(), &e))?;
                Ok(Output { place, role, content })
            });
            done.files = Written::Measured(measured.collect::<Result<_, Refusal>>()?);
            return Ok(done);
        }
        match self.outputs.destination() {
            Destination::Stdout => files.into_iter().try_for_each(|file| match file.role {
                OutputRole::Main => output::print(file.content),
                _ => self.outputs.write([file].into(), plan, None).map(drop),
            })?,
            Destination::File(_) => {
                let own = done.rewrite.then_some(done.input.path.as_path());
                plan.spare_named(&files, own)?;
                done.files = Written::Staged(self.outputs.stage(files)?);
            }
            Destination::Folder(_) => done.files = Written::Staged(self.outputs.stage(files)?),
        }
        Ok(done)
    }
}

/// Returns the loss of an unedited companion that would replace another file.
pub(super) fn companion_left(place: &Path) -> Loss {
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let message = "unedited, and not written: another file of this name exists";
    Loss::new("companion-left", name, message)
}
