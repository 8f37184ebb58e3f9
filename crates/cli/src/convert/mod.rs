//! `meshwright convert`: any format to any, and to itself byte for byte.

mod conversion_report;
mod one_model;
mod paths;

use crate::args::{ConvertArgs, OutputFormat, Purpose};
use crate::batch::Workers;
use crate::conversion_output::settle;
use crate::destination::Destination;
use crate::input::{Input, expand, refuse_unasked_figure};
use crate::manifest::{Manifest, Written};
use crate::messages::say;
use crate::output::Outputs;
use crate::reader::Reader;
use crate::refusal::Fail;
use crate::render;
use crate::results::Results;
use crate::status::Status;
use conversion_report::Made;
use meshwright::files::output::{FileId, Replace};
use meshwright::{Format, Target, WriteOptions};
use one_model::ConvertRun;
use paths::{OutPath, out_paths};
use serde_json::Value;
use std::path::Path;

pub(crate) fn run(args: &ConvertArgs) -> Result<Status, Fail> {
    let (args, output) = &settle(args)?;
    let verb = if args.write.dry_run { "would be converted" } else { "converted" };
    let mut results = Results::new(verb, &args.many, &args.files, args.format, &args.read)?;
    let several = results.is_over_several();
    let destination = if several { Destination::of_several(output) } else { Destination::new(output) };
    let to = target(args, &destination)?;
    if args.pose.is_some() && to != Target::Obj {
        return Err(Fail::Usage("--pose needs --to obj; other formats hold every clip".into()));
    }
    destination.refuse_document(args.format)?;
    let prints_map = args.retarget.map_out.as_deref() == Some(Path::new("-"));
    if prints_map && (destination == Destination::Stdout || args.format == OutputFormat::Json) {
        return Err(Fail::Usage("--map-out - and another result both want standard output".into()));
    }
    if let Some(engine) = args.engine.filter(|engine| !engine.formats().contains(&to.id())) {
        let known = engine.formats().join(", ");
        return Err(Fail::Usage(format!(
            "--for {engine}: the limits of this engine are known for {known}, not for {to}"
        )));
    }
    let is_for_blender = args.purpose == Some(Purpose::Blender);
    if (args.keep_native || is_for_blender) && !to.is_gltf() {
        let option = if is_for_blender { "--for blender" } else { "--keep-native" };
        return Err(Fail::Usage(format!("{option} is for glb and gltf, not for {to}")));
    }
    let reader = Reader::new(&args.read, &args.companions)?.converting(args, to);
    let reader = reader.naming_companions(!several || args.read.verbose);
    let replace = match args {
        _ if args.write.no_clobber => Replace::Nothing,
        _ if args.force => Replace::All,
        _ => Replace::Named,
    };
    let into = destination.folder();
    let mut manifest = Manifest::new(args, into)?;
    let reader = reader.planning(|plan| {
        let plan = plan.with_replace(replace);
        match &manifest {
            Some(manifest) => manifest.plan(plan),
            None => Ok(plan),
        }
    })?;
    let outputs = if args.write.dry_run { Outputs::measuring } else { Outputs::new };
    let work = ConvertRun { args, reader, outputs: outputs(&destination), to };
    let workers = Workers::new(args.many.jobs, work.reader.limits().memory);
    let wanted = |format: Format| format.holds_model() || to == Target::Native(format);
    let is_model = |input: &mut Input| work.reader.is_model(input, wanted);
    let (mut inputs, others) = results.models(expand(results.selection(), into), workers, is_model)?;
    // A file at the path of its own result is a result of an earlier run. With
    // `--join-levels`, levels of detail are converted with their model.
    inputs.retain(|input| !(args.join_levels && input.is_level() || is_result(input, into, to)));
    for input in &others {
        if let Some(manifest) = &mut manifest {
            manifest.aside(input);
        }
        results.skip(input);
    }
    work.reader.expect(&inputs)?;
    if inputs.len() > 1 && into.is_none() {
        refuse_unasked_figure(&inputs, args.figure, output)?;
        results.one_of_several();
        match work.figure(&inputs) {
            Ok(done) => done.report(&mut results, args),
            Err((i, refusal)) => inputs.get(i).into_iter().for_each(|input| results.refuse(input, &refusal)),
        }
        return results.finish();
    }
    let ending = to.ending(&WriteOptions::default().with_tso_id(args.tso_id));
    let paths = out_paths(&inputs, &destination, to, &ending);
    if destination != Destination::Stdout {
        let reserved = paths.iter().try_for_each(|out| work.reader.plan().reserve(&out.place));
        reserved.map_err(|clash| Fail::Usage(clash.to_string()))?;
    }
    let may_read_outputs = !to.is_gltf() && to != Target::Html && overlaps(&inputs, &work.reader, into);
    let workers = if may_read_outputs { workers.one_by_one() } else { workers };
    let manifest = manifest.map(|manifest| manifest.for_inputs(&inputs, &work.reader)).transpose()?;
    work.convert_all(&inputs, &paths, workers, manifest, &mut results)?;
    results.finish()
}

/// An input with its output path, and the entry of an earlier run if it is still valid.
struct Job<'a> {
    input: &'a Input,
    out: &'a OutPath,
    before: Option<Value>,
}

impl ConvertRun<'_> {
    /// Converts all inputs, or the part that `--shard` selects.
    pub(super) fn convert_all(
        &self,
        inputs: &[Input],
        paths: &[OutPath],
        workers: Workers,
        mut manifest: Option<Written>,
        results: &mut Results,
    ) -> Result<(), Fail> {
        let (part, parts) = self.args.shard.unwrap_or((1, 1));
        let own = inputs.iter().zip(paths).skip(part.saturating_sub(1)).step_by(parts);
        let mut jobs: Vec<_> = own.map(|(input, out)| Job { input, out, before: None }).collect();
        if let Some(manifest) = manifest.as_ref().filter(|_| self.args.resume) {
            let mut before = Vec::new();
            let look = |job: &Job<'_>| manifest.unchanged(job.input, &job.out.place, self.reader.limits());
            let keep = |_: &Job<'_>, entry| {
                before.push(entry);
                Ok(())
            };
            workers.each(&jobs, |job| job.input.memory(), look, keep)?;
            jobs.iter_mut().zip(before).for_each(|(job, before)| job.before = before);
        }
        let is_file = *self.outputs.destination() != Destination::Stdout;
        // Valid outputs of an earlier run are reused, and existing outputs may be kept.
        let made = |job: &Job<'_>| {
            let is_there = job.before.is_some() || is_file && self.args.write.keeps(&job.out.place);
            (!is_there).then(|| self.convert_one(job.input, &job.out.place))
        };
        results.over(
            workers,
            &jobs,
            |job| job.input,
            made,
            |results, job, made| {
                match (made, &job.before) {
                    (Some(made), _) => self.report(job, made, manifest.as_mut(), results),
                    (None, None) => results.keep_output(job.out.place.path()),
                    (None, Some(entry)) => {
                        manifest.iter_mut().for_each(|manifest| manifest.keep(job.input, entry.clone()));
                        results.unchanged();
                    }
                }
                manifest.iter_mut().for_each(|manifest| manifest.save(results, self.reader.plan()));
                Ok(())
            },
        )?;
        manifest.map_or(Ok(()), |manifest| manifest.write(results, self.reader.plan()))
    }

    fn report(&self, job: &Job<'_>, made: Made, manifest: Option<&mut Written>, results: &mut Results) {
        let args = self.args;
        match self.appear(made) {
            Ok(mut done) => {
                if let Some(manifest) = manifest {
                    let took = std::mem::take(&mut done.took);
                    manifest.done(job.input, took, &done.outputs, &done.losses);
                }
                if job.out.renamed && !args.read.quiet && args.format == OutputFormat::Text {
                    let (shown, path) = (job.input.display_path(), render::path(job.out.place.path()));
                    say(&format!("{shown}: written as {path}: another input has its name"));
                }
                done.report(results, args);
            }
            Err(refusal) => {
                if let Some(manifest) = manifest {
                    manifest.failed(job.input, &refusal);
                }
                results.refuse(job.input, &refusal);
            }
        }
    }
}

/// Returns whether outputs may be in the search path of inputs. Then the order of the files matters.
fn overlaps(inputs: &[Input], reader: &Reader, into: Option<&Path>) -> bool {
    let Some(folder) = into else { return false };
    let files = inputs.iter().filter(|input| !input.is_stdin());
    let mut finders: Vec<_> = files.filter_map(|input| reader.finder_of(input)).collect();
    finders.dedup();
    finders.iter().any(|finder| finder.tree().overlaps(folder))
}

/// Returns true for a file of the output folder that has the extension of a result and is not of a native format.
fn is_result(input: &Input, into: Option<&Path>, to: Target) -> bool {
    let is_exchanged = |target: Target| !matches!(target, Target::Native(_));
    let format = input.met.as_ref().and_then(|met| met.format);
    let place = into.zip(input.below.as_deref()).map(|(folder, below)| folder.join(below));
    is_exchanged(to)
        && format.is_some_and(|format| is_exchanged(format.into()))
        && input.path.extension().is_some_and(|e| e.eq_ignore_ascii_case(to.extension()))
        && place.is_some_and(|p| FileId::of(&p).is_some_and(|p| Some(p) == FileId::of(&input.path)))
}

/// Returns the target: that of `--to`, or that of the output's extension.
fn target(args: &ConvertArgs, destination: &Destination) -> Result<Target, Fail> {
    let why = match destination {
        Destination::Stdout => String::new(),
        Destination::Folder(_) => return Ok(args.to.unwrap_or(Target::Glb)),
        Destination::File(path) => match args.to.or_else(|| Target::from_path(path)) {
            Some(to) => return Ok(to),
            None => {
                let extension = path.extension().map(|e| format!(".{} is not a known output; ", e.display()));
                format!("{}: {}", render::path(path), extension.unwrap_or_default())
            }
        },
    };
    let known = || Target::all().map(Target::id).collect::<Vec<_>>().join(", ");
    args.to.ok_or_else(|| Fail::Usage(format!("{why}name the output's format with --to: {}", known())))
}
