//! The conversion of one model.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "places in the list of inputs, and counts of them"
)]

use super::done::{Done, Made};
use super::paths::{out_paths, placed};
use super::scene::{hinted, no_figure, obj_pose, reshape, texture_files};
use crate::args::{ConvertArgs, InfluenceArg};
use crate::destination::Destination;
use crate::input::Input;
use crate::manifest::{self, Took};
use crate::output;
use crate::output::{Content, Outputs, Staged};
use crate::reader::{Opened, Reader};
use crate::refusal::Refusal;
use meshwright::gltf::{ExportOptions, Influences};
use meshwright::scene::{ConvertError, Converted, Extra, Loss, OutputFile, Scene, SceneOptions};
use meshwright::{Asset, Format, Keeping, StreamedFile, Target, WriteOptions};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files to be written together: all or none.
pub(super) type Files<'s> = Vec<(PathBuf, StreamedFile<'s>)>;

/// A scene as the arguments want it, and the bone map that it was made with.
type Shaped = (Converted<Scene>, Option<(PathBuf, OutputFile)>);

/// A conversion as the arguments want it.
pub(super) struct Work<'a> {
    pub(super) args: &'a ConvertArgs,
    pub(super) reader: Reader,
    pub(super) outputs: Outputs,
    pub(super) to: Target,
}

impl Work<'_> {
    /// Whether an output is there already and is to stay.
    pub(super) fn keeps(&self, path: &Path) -> bool {
        let written = *self.outputs.destination() != Destination::Stdout;
        self.args.write.no_clobber && written && path.symlink_metadata().is_ok()
    }

    /// Makes of one file what it becomes, up to the names of the outputs.
    pub(super) fn one(&self, input: &Input, path: &Path) -> Made {
        let mut sources = Vec::new();
        let result = self.made(input, path, &mut sources);
        let result = self.reader.hinted(input, result, |lenient| self.would_be_made(input, path, lenient));
        Made { sources, result }
    }

    /// Whether another reader leads to an output, of which nothing is written.
    fn would_be_made(&self, input: &Input, path: &Path, reader: Reader) -> bool {
        let mut args = self.args.clone();
        args.write.dry_run = true;
        let outputs = Outputs::new(self.outputs.destination());
        Work { args: &args, reader, outputs, to: self.to }.made(input, path, &mut Vec::new()).is_ok()
    }

    pub(super) fn made(
        &self,
        input: &Input,
        path: &Path,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Done, Refusal> {
        let mut opened = self.reader.open(input)?;
        self.took_part(&opened, sources);
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
            return self.rewritten(input, &mut opened.asset, path).map(|done| Done { took, ..done });
        }
        self.reader.say_used(input, &opened);
        // What went along fits the skeleton that is left behind.
        if self.args.retarget.retarget.is_none()
            && let Some(done) = self.recovered(input, &mut opened, path, sources)?
        {
            return Ok(done);
        }
        self.written(input, opened, path, sources)
    }

    /// Remembers the files of a model: of one among others when it is its turn.
    pub(super) fn took_part(&self, opened: &Opened, sources: &mut Vec<PathBuf>) {
        match self.outputs.destination() {
            Destination::Folder(_) => sources.extend(opened.paths()),
            _ => self.reader.note(opened.paths()),
        }
    }

    /// Gives outputs their names, in the order of the inputs. What took part so far is not replaced by them; a rewrite may
    /// take the place of its own file.
    pub(super) fn appear(&self, made: Made) -> Result<Done, Refusal> {
        self.reader.note(made.sources);
        let mut done = made.result?;
        if let Some(Ok(staged)) = &mut done.staged {
            // What several models have in common is written once.
            let written = |path: &Path| self.reader.has_written(path);
            for (path, same) in staged.leave_out(written, |path| done.beside.iter().any(|own| own == path)) {
                done.outputs.retain(|own| *own != path);
                done.losses.extend((!same).then(|| lies_there(&path)));
            }
        }
        let own = done.rewrite.then_some(&done.input);
        done.outputs.iter().try_for_each(|path| self.reader.spare(path, own))?;
        if let Some(staged) = done.staged.take() {
            let appeared = staged.and_then(Staged::appear);
            appeared.map_err(|(path, e)| Refusal::unwritable(&path, &e))?;
            done.outputs.iter().for_each(|path| self.reader.wrote(path));
        }
        Ok(done)
    }

    /// A model in its own format, with the companions whose names follow from its own. One that is there already, as in
    /// a rewrite in place, is left as it is.
    pub(super) fn rewritten(&self, input: &Input, asset: &mut Asset, path: &Path) -> Result<Done, Refusal> {
        asset.drop_bytes();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut files = placed(asset.rewrite(&name)?, |file| &file.name, path)?;
        let mut losses = Vec::new();
        let is_stream = || fs::metadata(path).is_ok_and(|meta| !meta.is_file());
        if files.len() > 1 && (*self.outputs.destination() == Destination::Stdout || is_stream()) {
            let left = files.drain(..files.len() - 1);
            losses.extend(left.map(|(companion, _)| {
                let companion = companion.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Loss::new("companion-left", companion, "is not written: this output takes one file")
            }));
        }
        files.retain(|(place, file)| place == path || !holds(place, &file.bytes));
        let files = files.into_iter().map(|(place, file)| (place, file.into())).collect();
        self.staged(Done::of(input, losses, "").rewriting(), files)
    }

    /// Makes one output of several inputs: files that make up a figure. What is refused comes with the number of its
    /// input.
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
        let lead = Asset::figure_lead(&assets);
        let figure = Asset::figure(assets)
            .map_err(|e| (files.get(e.index()).map_or(0, |file| file.0), no_figure(&e)))?;
        let (i, finder) = files.swap_remove(lead.unwrap_or(0));
        let mut opened = Opened { finder, asset: figure };
        let path = out_paths(inputs, self.outputs.destination(), self.to).remove(0).path;
        let mut sources = Vec::new();
        let recovered = match self.args.retarget.retarget {
            Some(_) => Ok(None),
            None => self.recovered(&inputs[i], &mut opened, &path, &mut sources),
        };
        let result = match recovered {
            Ok(None) => self.written(&inputs[i], opened, &path, &mut sources),
            Ok(Some(done)) => Ok(done),
            Err(refusal) => Err(refusal),
        };
        self.appear(Made { sources, result }).map_err(|refusal| (i, refusal))
    }

    /// A model as the files that are asked for. Its bytes, and itself, are let go as soon as what comes next has what it
    /// needs of them.
    pub(super) fn written(
        &self,
        input: &Input,
        mut opened: Opened,
        path: &Path,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Done, Refusal> {
        let args = self.args;
        opened.asset.companions_mut().recompute_normals = args.recompute_normals;
        opened.asset.companions_mut().blend_normals = args.blend_normals;
        opened.asset.companions_mut().rate = args.fps;
        // What is glTF is no native model.
        let keep = args.keep_native && opened.asset.format() != Format::Gltf;
        let kept = if keep { Some(self.record(&opened.asset)?) } else { None };
        opened.asset.drop_bytes();
        let limits = self.reader.limits();
        let plain = self.to.scene_options();
        // A pose is one of a skeleton, and so is what moves to another one.
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
        self.took_part(&opened, sources);
        let took = self.took(&opened);
        let single = *self.outputs.destination() == Destination::Stdout;
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
        // Skins go by the file name of the model.
        let skins = if self.to.has_skins() && !single {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let budget = meshwright::Budget::new(limits);
            opened.asset.skins(opened.finder.tree(), &name, &budget).map_err(ConvertError::from)?
        } else {
            Vec::new()
        };
        drop(opened);
        let made = meshwright::stream(&scene.value, self.to, &options)?;
        let mut files = placed(made.value, |file| &file.name, path)?;
        let skins = skins.into_iter().map(|skin| (path.with_file_name(&skin.name), skin.into()));
        files.splice(0..0, skins);
        // A picture that lies there already, as beside a .gltf, stays.
        files.retain(|(place, file)| place == path || !file.bytes().is_some_and(|bytes| holds(place, bytes)));
        if single && files.len() > 1 {
            let why = format!("{} has several files; standard output takes one", self.to);
            return Err(Refusal::Argument(why));
        }
        files.extend(map.map(|(path, file)| (path, file.into())));
        let losses = scene.losses.into_iter().chain(made.losses).collect();
        let advice = match self.to {
            Target::Glb | Target::Gltf if keep => "; the file that goes along has them",
            Target::Glb | Target::Gltf if !args.extras => "; pass --extras to keep them",
            _ => "",
        };
        self.staged(Done { took, ..Done::of(input, losses, advice) }, files)
    }

    /// A model as a scene, as the arguments want it, with its pictures.
    /// It comes with the bone map, if a file of it is wanted.
    fn scene(&self, opened: &mut Opened, options: &SceneOptions) -> Result<Shaped, Refusal> {
        let mut scene = opened.asset.take_scene(options).map_err(|e| hinted(e, &opened.asset))?;
        let map = self.retarget(&mut scene, options)?;
        reshape(&mut scene, self.args, self.to, options)?;
        if !self.args.no_textures && self.to.holds_textures() {
            self.reader.add_textures(opened, &mut scene);
        }
        Ok((scene, map))
    }

    /// Adds the levels of detail that lie in files of their own. One that cannot be read is lost.
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

    /// The files that took part, where somebody asks.
    pub(super) fn took(&self, opened: &Opened) -> Took {
        if self.args.manifest.is_none() {
            return Took::new();
        }
        manifest::took(opened.finder.tree(), opened.asset.parts(), self.reader.limits())
    }

    /// The native model for its way along with an export.
    fn record(&self, asset: &Asset) -> Result<Extra, ConvertError> {
        let keeping = Keeping::new(self.reader.options()).exported(self.export_options());
        asset.record(&keeping.with_solids(self.args.solids))
    }

    /// How glTF is written.
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

    /// How a scene is written.
    pub(super) fn write_options(&self, stem: &str) -> WriteOptions {
        let args = self.args;
        let single = *self.outputs.destination() == Destination::Stdout;
        let mut options = WriteOptions::default().with_stem(stem).with_limits(self.reader.limits());
        options.settings = self.reader.settings().to_vec();
        options.settings.extend(args.tso_id.map(|id| ("tso-id".into(), id.to_string())));
        options.settings.extend(args.adjacency.then(|| ("adjacency".into(), "yes".into())));
        options.settings.extend(args.tangents.then(|| ("tangents".into(), "computed".into())));
        options.shared = options.shared.for_engine(args.engine);
        options.single = single;
        options.without_pictures = args.no_textures || single;
        options.gltf = self.export_options();
        options
    }

    /// Writes the files, up to their names. What goes elsewhere than into a folder is looked at before.
    pub(super) fn staged(&self, mut done: Done, files: Files<'_>) -> Result<Done, Refusal> {
        done.outputs = files.iter().map(|(path, _)| path.clone()).collect();
        let destination = self.outputs.destination();
        let mut files = files.into_iter().map(|(path, file)| (path, streamed(file)));
        if self.args.write.dry_run {
            let measured = files.map(|(path, content)| {
                let mut size = Size(0);
                content(&mut size).map(|()| size.0).map_err(|e| Refusal::unwritable(&path, &e))
            });
            done.sizes = Some(measured.collect::<Result<_, _>>()?);
            return Ok(done);
        }
        match destination {
            Destination::Stdout => {
                files.try_for_each(|(_, content)| output::stream(destination, content))?;
            }
            Destination::File(_) => {
                let own = done.rewrite.then_some(&done.input);
                done.outputs.iter().try_for_each(|path| self.reader.spare(path, own))?;
                done.staged = Some(self.outputs.stage(files));
            }
            Destination::Folder(_) => done.staged = Some(self.outputs.stage(files)),
        }
        Ok(done)
    }
}

/// Short pieces of a file together, long ones as they come.
pub(super) fn streamed(file: StreamedFile<'_>) -> Content<'_> {
    Box::new(move |out| {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        file.write_to(&mut out)?;
        out.flush()
    })
}

/// Counts what would be written.
pub(super) struct Size(u64);

impl Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What nobody edited does not take the place of another file.
pub(super) fn lies_there(place: &Path) -> Loss {
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let message = "was not edited, and is not written: another file of this name lies there";
    Loss::new("companion-left", name, message)
}

/// True where a file holds these bytes already.
pub(super) fn holds(place: &Path, bytes: &[u8]) -> bool {
    let alike = fs::metadata(place).is_ok_and(|m| m.is_file() && m.len() == bytes.len() as u64);
    alike && fs::read(place).is_ok_and(|held| held == bytes)
}
