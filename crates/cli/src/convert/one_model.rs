//! The conversion of one model: paths, staging of outputs and messages.

use super::conversion_report::{Done, Made};
use crate::args::{ConvertArgs, OutputFormat};
use crate::destination::Destination;
use crate::figure::Figure;
use crate::input::Input;
use crate::manifest::{self, Took, Validity};
use crate::messages::{print, say};
use crate::output::{Outputs, companion};
use crate::reader::Reader;
use crate::refusal::{Broken, Refusal};
use meshwright::edit::Patch;
use meshwright::files::output::{Clash, Content, Output, Place};
use meshwright::gltf::ExportOptions;
use meshwright::retarget::{Hold, MapFile};
use meshwright::scene::{Converted, Loss};
use meshwright::{
    ConvertOptions, Error, Model, Original, OriginalSource, RecoverOptions, Retarget, Route, StreamedFile,
    Target, WriteOptions,
};
use std::path::{Path, PathBuf};

/// The settings of a conversion.
pub(super) struct ConvertRun<'a> {
    pub(super) args: &'a ConvertArgs,
    pub(super) reader: Reader,
    pub(super) outputs: Outputs,
    pub(super) to: Target,
}

impl ConvertRun<'_> {
    /// Converts one file into temporary files, which have no final names yet.
    pub(super) fn convert_one(&self, input: &Input, place: &Place) -> Made {
        let mut sources = Vec::new();
        let result = self.convert_model(input, place, &mut sources);
        let result = self.reader.hinted(input, result, |lenient| self.would_succeed(input, place, lenient));
        Made { sources, result }
    }

    /// Returns whether a conversion with another reader succeeds, without writing anything.
    fn would_succeed(&self, input: &Input, place: &Place, reader: Reader) -> bool {
        let outputs = Outputs::measuring(self.outputs.destination());
        ConvertRun { reader, outputs, ..*self }.convert_model(input, place, &mut Vec::new()).is_ok()
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
        let copies = |done: &Done| matches!(done.route, Route::Unchanged | Route::SameRecords);
        let is_copy = done.as_ref().is_ok_and(copies);
        used.iter().filter(|_| !is_copy).chain(&passed_over).for_each(|line| say(line));
        done
    }

    /// Converts several inputs that make up one character. An error has the index of its input.
    pub(super) fn figure(&self, inputs: &[Input]) -> Result<Done, (usize, Refusal)> {
        let Figure { model, lead } = Figure::open(&self.reader, inputs)?;
        let place = self.outputs.destination().place();
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
        let validity = |model: &Model| self.args.manifest.is_some().then(|| Validity::check(model));
        let own =
            |model: &Model| Some(manifest::took(model.finder(), model.parts(), &validity(model)?, limits));
        let mut took_originals: Took = originals.iter().filter_map(own).flatten().collect();
        let options = self.options(place, originals)?;
        let validity = validity(&opened);
        let mut made = opened.into_conversion(self.to, &options).map_err(|e| self.refusal(e))?;
        sources.extend(made.sources());
        let took = |validity| manifest::took(made.finder(), made.parts(), &validity, limits);
        let mut took = validity.map(took).unwrap_or_default();
        took.append(&mut took_originals);
        let (route, patch) = (made.route(), made.take_patch());
        let advice = match self.args {
            _ if route != Route::Scene || !self.to.is_gltf() => "",
            args if args.keep_native => "; the embedded original has them",
            args if args.extras => "",
            _ => "; pass --extras to keep them",
        };
        let map = made.bone_map().and_then(|map| self.bone_map(map.to_owned()));
        let document = |patch: &Patch| serde_json::from_slice(patch.to_json().as_bytes()).ok();
        let is_json = self.args.format == OutputFormat::Json;
        let edits = patch.as_ref().filter(|_| is_json).and_then(document);
        let Converted { value: files, losses, .. } = made.files().map_err(|e| self.refusal(e))?;
        let files = meshwright::place_files(files, self.to, place, limits)?;
        let files = files.into_iter().map(|file| file.map(StreamedFile::into_content));
        if self.outputs.destination().folder().is_none() {
            self.reader.note(std::mem::take(sources));
        }
        let own = (route == Route::Unchanged).then_some(&*input.path);
        let files = self.outputs.stage(map.into_iter().chain(files).collect(), self.reader.plan(), own)?;
        let (input, outputs, recovery) = (input.clone(), Vec::new(), patch.map(|patch| patch.report));
        Ok(Done { input, outputs, files, route, losses, took, advice, recovery, edits })
    }

    /// Returns the refusal of a model that cannot be converted, or of a companion that an option names.
    fn refusal(&self, e: Error) -> Refusal {
        let named = self.reader.options().named_files().iter().find(|file| Some(&*file.name) == e.file());
        let Some((error, file)) = e.read_error().zip(named) else { return e.into() };
        Refusal::Broken(Box::new(Broken::of_companion(error.clone(), &file.name, &file.bytes)))
    }

    /// Gives outputs their final names, in the order of the inputs. Files that took part so far are not replaced; a
    /// rewrite may replace its own input.
    pub(super) fn appear(&self, made: Made) -> Result<Done, Refusal> {
        self.reader.note(made.sources);
        let mut done = made.result?;
        // A rewrite may replace its own input.
        let own = (done.route == Route::Unchanged).then_some(&*done.input.path);
        let left = self.reader.plan().enter(&mut done.files, own).map_err(|clash| self.clash(clash))?;
        done.outputs = done.files.places().map(|place| place.path().to_owned()).collect();
        if self.args.format == OutputFormat::Text {
            let path = |place: &Place| crate::render::path(place.path());
            let line = |(place, size)| format!("{}: {size} bytes\n", path(place));
            // A closed pipe is reported at the end of the run.
            let _ = print(done.files.measured().map(line).collect());
        }
        // A file that several models share is written once.
        let left = left.into_iter().filter(|left| !left.is_same);
        done.losses.extend(left.map(|left| companion_left(&left.path)));
        std::mem::take(&mut done.files).appear()?;
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
        let write = WriteOptions::default()
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
            .with_quaternions(args.read.quaternions())
            .with_gltf(gltf);
        let original = if originals.is_empty() {
            OriginalSource::Embedded
        } else {
            let named = |e: Error| match (Refusal::from(e), &*args.onto) {
                (Refusal::Argument(why), _) => Refusal::Argument(format!("--onto: {why}")),
                (other, [original]) => other.of_companion(original),
                (other, _) => other,
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
        let map = args.map.as_deref().map(|path| self.read_map(path)).transpose()?;
        Ok(Some(Retarget::new(target).with_map(map).with_hold(hold)))
    }

    fn read_map(&self, path: &Path) -> Result<MapFile, Refusal> {
        let text = self.reader.read_named(path)?;
        let refused = |e| Refusal::Argument(format!("--map {}: {e}", crate::render::path(path)));
        MapFile::parse(&String::from_utf8_lossy(&text)).map_err(refused)
    }

    /// Returns the map of bones as a file, if `--map-out` wants it.
    fn bone_map(&self, text: String) -> Option<Output<Content<'static>>> {
        let out = self.args.retarget.map_out.as_ref()?;
        if out == Path::new("-") {
            // A closed pipe is reported at the end of the run.
            let _ = print(text);
            return None;
        }
        Some(companion(Place::named(out), Box::new(move |out| out.write_all(text.as_bytes()))))
    }
}

/// Returns the loss of an unedited companion that would replace another file.
fn companion_left(place: &Path) -> Loss {
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let message = "unedited, and not written: another file of this name exists";
    Loss::new("companion-left", name, message)
}
