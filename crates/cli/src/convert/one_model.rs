//! The conversion of one model: paths, staging of outputs and messages.

use super::conversion_report::{Done, Made, Written};
use super::paths::out_paths;
use crate::args::{ConvertArgs, OutputFormat};
use crate::destination::Destination;
use crate::figure::Figure;
use crate::input::Input;
use crate::manifest::{self, Took, Validity};
use crate::output;
use crate::output::{Measured, Outputs};
use crate::reader::Reader;
use crate::refusal::{Broken, Refusal};
use crate::say;
use meshwright::crucible::QuaternionOrder;
use meshwright::edit::Patch;
use meshwright::files::output::{Clash, Content, Output, OutputRole, Place};
use meshwright::gltf::ExportOptions;
use meshwright::retarget::{Hold, MapFile};
use meshwright::scene::Loss;
use meshwright::{
    ConvertOptions, Error, ErrorKind, Model, Original, OriginalSource, RecoverOptions, Retarget, Role, Route,
    StreamedFile, Target, WriteOptions,
};
use std::fs;
use std::path::{Path, PathBuf};

/// The settings of a conversion.
pub(super) struct ConvertRun<'a> {
    pub(super) args: &'a ConvertArgs,
    pub(super) reader: Reader,
    pub(super) outputs: Outputs,
    pub(super) to: Target,
    /// The ending of the names of results.
    pub(super) ending: String,
}

impl ConvertRun<'_> {
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
        ConvertRun { args: &args, reader, outputs, to: self.to, ending: self.ending.clone() }
            .convert_model(input, place, &mut Vec::new())
            .is_ok()
    }

    fn convert_model(
        &self,
        input: &Input,
        place: &Place,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Done, Refusal> {
        let opened = self.reader.open(input)?;
        let (used, passed_over) = (self.reader.used(input, &opened), self.reader.passed_over(input, &opened));
        let done = self.convert_opened(input, opened, place, sources);
        // A copy does not use companions.
        let is_copy = done.as_ref().is_ok_and(|done| done.is_copy);
        used.iter().filter(|_| !is_copy).chain(&passed_over).for_each(|line| say(line));
        done
    }

    /// Converts several inputs that make up one character. An error has the index of its input.
    pub(super) fn figure(&self, inputs: &[Input]) -> Result<Done, (usize, Refusal)> {
        let Figure { model, lead } = Figure::open(&self.reader, inputs, no_figure)?;
        let place = out_paths(inputs, self.outputs.destination(), self.to, &self.ending).remove(0).place;
        let mut sources = Vec::new();
        let input = inputs.get(lead).ok_or((lead, Refusal::UNKNOWN))?;
        let result = self.convert_opened(input, model, &place, &mut sources);
        self.appear(Made { sources, result }).map_err(|refusal| (lead, refusal))
    }

    /// Converts a model into files with temporary names.
    fn convert_opened(
        &self,
        input: &Input,
        opened: Model,
        place: &Place,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Done, Refusal> {
        let (originals, limits) = (self.reader.originals()?, self.reader.limits());
        originals.iter().chain([&opened]).for_each(|model| sources.extend(model.sources()));
        let is_recorded = self.args.manifest.is_some();
        let took =
            |model: &Model| manifest::took(model.finder(), model.parts(), &Validity::check(model), limits);
        let took_originals: Took = originals.iter().filter(|_| is_recorded).flat_map(took).collect();
        let options = self.options(place, originals)?;
        let validity = is_recorded.then(|| Validity::check(&opened));
        let takes_skeleton = opened.format().companions().iter().any(|c| c.role == Role::Skeleton);
        let lacks_skeleton = takes_skeleton && !opened.companions().has(Role::Skeleton);
        let mut made =
            opened.into_conversion(self.to, &options).map_err(|e| self.refusal(e, lacks_skeleton))?;
        sources.extend(made.sources());
        let took = validity.map(|validity| manifest::took(made.finder(), made.parts(), &validity, limits));
        let route = made.route();
        let advice = match self.args {
            _ if route != Route::Scene || !self.to.is_gltf() => "",
            args if args.keep_native => "; the embedded original has them",
            args if args.extras => "",
            _ => "; pass --extras to keep them",
        };
        let map = made.bone_map().and_then(|map| self.bone_map(map.to_owned()));
        let patch = made.take_patch();
        let document = |patch: &Patch| serde_json::from_str(&patch.to_json()).ok();
        let for_programs =
            patch.as_ref().filter(|_| self.args.format == OutputFormat::Json).and_then(document);
        let files = made.files().map_err(|e| self.refusal(e, false))?;
        let mut done = Done {
            input: input.clone(),
            outputs: Vec::new(),
            files: Written::Elsewhere,
            rewrite: route == Route::Unchanged,
            is_copy: matches!(route, Route::Unchanged | Route::SameRecords),
            losses: files.losses,
            took: took.into_iter().flatten().chain(took_originals).collect(),
            advice,
            recovery: patch.map(|patch| patch.report),
            patch: for_programs,
        };
        let files = meshwright::place_files(files.value, self.to, place, limits)?;
        let files = files.into_iter().map(|file| file.map(StreamedFile::into_content));
        if !matches!(self.outputs.destination(), Destination::Folder(_)) {
            self.reader.note(std::mem::take(sources));
        }
        done.files = self.stage(&done, map.into_iter().chain(files).collect())?;
        Ok(done)
    }

    /// Returns the refusal of a model that cannot be converted, with the option that may help.
    fn refusal(&self, e: Error, lacks_skeleton: bool) -> Refusal {
        let named = self.reader.options().named_files().iter().find(|file| Some(&*file.name) == e.file());
        if let Some((error, file)) = e.read_error().zip(named) {
            return Refusal::Broken(Box::new(Broken::of_companion(error.clone(), &file.name, &file.bytes)));
        }
        let wants_skeleton = e.kind() == ErrorKind::NotConvertible && e.path() == "skeletons";
        match Refusal::from(e) {
            Refusal::Cannot { code, why } if wants_skeleton && lacks_skeleton => {
                Refusal::Cannot { code, why: format!("{why}; name one with --skeleton") }
            }
            refusal => refusal,
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

    /// Returns the options of a conversion. Edits are imported into the originals, otherwise into the embedded one.
    fn options(&self, place: &Place, originals: Vec<Model>) -> Result<ConvertOptions, Refusal> {
        let args = self.args;
        let single = *self.outputs.destination() == Destination::Stdout;
        let gltf = ExportOptions::default()
            .with_influences(args.influences)
            .with_close_loops(args.close_loops)
            .with_layers(!args.no_layers)
            .with_frames_at(args.frames_at.filter(|_| self.to.is_gltf()));
        let mut write = WriteOptions::default()
            .with_limits(self.reader.limits())
            .with_dialect(args.read.dialect)
            .with_engine(args.engine)
            .with_tso_id(args.tso_id)
            .with_tso_name(args.name.clone())
            .with_tso_hands(args.tso_hands)
            .with_adjacency(args.adjacency)
            .with_clip_files(args.clip_files)
            .with_tangents(args.tangents)
            .with_single(single)
            .without_textures(args.no_textures)
            .with_gltf(gltf);
        if args.read.quaternions_w_first {
            write = write.with_quaternions(QuaternionOrder::Wxyz);
        }
        let original = if originals.is_empty() {
            OriginalSource::Embedded
        } else {
            let named = |e: Error| match Refusal::from(e) {
                Refusal::Argument(why) => Refusal::Argument(format!("--onto: {why}")),
                other => other,
            };
            Original::from_files(originals).map_err(named)?.with_solids(args.solids).into()
        };
        Ok(ConvertOptions::from(write)
            .with_output(place.path())
            .with_scale(args.scale)
            .with_extras(args.extras)
            .with_solids(args.solids)
            .with_skeleton(args.keep_skeleton)
            .with_pruning(args.prune)
            .with_levels(args.join_levels)
            .with_pose(args.pose.clone())
            .with_embedded(args.keep_native)
            .with_retarget(self.retarget()?)
            .with_original(original)
            .with_recovery(RecoverOptions::default().with_snap(args.snap).with_frames_at(args.frames_at)))
    }

    /// Returns the skeleton that `--retarget` names, with the map of bones.
    fn retarget(&self) -> Result<Option<Retarget>, Refusal> {
        let args = &self.args.retarget;
        let Some(path) = &args.retarget else { return Ok(None) };
        let hold = args.hold.iter().fold(Hold::NOTHING, |hold, with| with(hold));
        let target = self.reader.open_named(path)?;
        self.reader.note(args.map.clone());
        let map = args.map.as_deref().map(read_map).transpose()?;
        Ok(Some(Retarget::new(target).with_map(map).with_hold(hold)))
    }

    /// Returns the map of bones as a file, if `--map-out` wants it.
    fn bone_map(&self, text: String) -> Option<Output<Content<'static>>> {
        let out = self.args.retarget.map_out.as_ref()?;
        if out == Path::new("-") {
            // A closed pipe is reported at the end of the run.
            let _ = crate::batch::print(text);
            return None;
        }
        let content: Content<'static> = Box::new(move |out| out.write_all(text.as_bytes()));
        Some(Output { place: Place::named(out), role: OutputRole::Companion, content })
    }

    /// Writes the files under temporary names. Outputs that do not go into a folder are checked first.
    fn stage(&self, done: &Done, files: Vec<Output<Content<'_>>>) -> Result<Written, Refusal> {
        let plan = self.reader.plan();
        if self.args.write.dry_run {
            return Ok(Written::Measured(files.into_iter().map(Measured::file).collect::<Result<_, _>>()?));
        }
        match self.outputs.destination() {
            Destination::Stdout => {
                for file in files {
                    match file.role {
                        OutputRole::Main => output::print(file.content)?,
                        _ => drop(self.outputs.write([file].into(), plan, None)?),
                    }
                }
                return Ok(Written::Elsewhere);
            }
            Destination::File(_) => plan.spare_named(&files, done.rewrite.then_some(&*done.input.path))?,
            Destination::Folder(_) => {}
        }
        Ok(Written::Staged(self.outputs.stage(files)?))
    }
}

/// Returns the loss of an unedited companion that would replace another file.
fn companion_left(place: &Path) -> Loss {
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let message = "unedited, and not written: another file of this name exists";
    Loss::new("companion-left", name, message)
}

fn no_figure(e: &Error) -> Refusal {
    let why = e.message();
    match e.kind() {
        ErrorKind::NotFound => Refusal::UNKNOWN,
        ErrorKind::Unsupported => Refusal::Argument(format!(
            "several inputs need a folder as output (end the path in / or create it): {why}"
        )),
        _ => Refusal::Argument(why.to_owned()),
    }
}

fn read_map(path: &Path) -> Result<MapFile, Refusal> {
    let unreadable = |e: std::io::Error| {
        let companion = Some(path.to_owned());
        Refusal::Unreadable { companion, why: e.to_string(), is_limit: false }
    };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    MapFile::parse(&text).map_err(|e| Refusal::Argument(format!("--map {}: {e}", crate::render::path(path))))
}
