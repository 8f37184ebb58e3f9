//! `meshwright convert`: any format to any, and to itself byte for byte.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "places in the list of inputs, and counts of them"
)]

mod conversion_report;
mod many_models;
mod one_model;
mod paths;

use crate::args::ConvertArgs;
use crate::batch::Workers;
use crate::conversion_output::settle;
use crate::destination::Destination;
use crate::input::{Input, expand, refuse_unasked_figure};
use crate::manifest::Manifest;
use crate::output::Outputs;
use crate::reader::Reader;
use crate::results::Results;
use crate::{Fail, Status, render};
use many_models::Many;
use meshwright::files::output::{FileId, Replace};
use meshwright::tso::ResourceId;
use meshwright::{Format, Target, WriteOptions};
use one_model::ConvertRun;
use paths::out_paths;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    if let Some(engine) = args.engine
        && !engine.formats().contains(&to.id())
    {
        let known = engine.formats().join(", ");
        return Err(Fail::Usage(format!(
            "--for {engine}: the limits of this engine are known for {known}, not for {to}"
        )));
    }
    if args.keep_native && !to.is_gltf() {
        return Err(Fail::Usage(format!("--keep-native is for glb and gltf, not for {to}")));
    }
    let ending = ending(args, to, &destination)?;
    let reader = Reader::new(&args.read, &args.companions)?.with_skin(args.skin).for_target(to);
    let reader =
        reader.with_originals(&args.onto).naming_companions(!several || args.read.verbose).converting(args);
    let replace = match args {
        _ if args.write.no_clobber => Replace::Nothing,
        _ if args.force => Replace::All,
        _ => Replace::Named,
    };
    let into = if let Destination::Folder(folder) = &destination { Some(folder.as_path()) } else { None };
    let mut manifest = Manifest::new(args, into)?;
    let reader = reader.planning(|plan| {
        let plan = plan.with_replace(replace);
        match &manifest {
            Some(manifest) => manifest.plan(plan),
            None => Ok(plan),
        }
    })?;
    let work = ConvertRun { args, reader, outputs: Outputs::new(&destination), to, ending };
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
    if inputs.len() > 1 && !matches!(destination, Destination::Folder(_)) {
        refuse_unasked_figure(&inputs, args.figure, output)?;
        results.one_of_several();
        match work.figure(&inputs) {
            Ok(done) => done.report(&mut results, args),
            Err((i, refusal)) => results.refuse(&inputs[i], &refusal),
        }
        return results.finish();
    }
    let paths = out_paths(&inputs, &destination, to, &work.ending);
    if destination != Destination::Stdout {
        let reserved = paths.iter().try_for_each(|out| work.reader.plan().reserve(&out.place));
        reserved.map_err(|clash| Fail::Usage(clash.to_string()))?;
    }
    let may_read_outputs = !to.is_gltf() && to != Target::Html && overlaps(&inputs, &destination);
    let workers = if may_read_outputs { workers.one_by_one() } else { workers };
    let manifest = manifest.map(|manifest| manifest.for_inputs(&inputs, &work.reader)).transpose()?;
    Many { work: &work, inputs: &inputs, paths: &paths, workers }.convert(manifest, &mut results)?;
    results.finish()
}

/// Returns whether outputs may be in the search path of inputs. Then the order of the files matters.
fn overlaps(inputs: &[Input], destination: &Destination) -> bool {
    let Destination::Folder(folder) = destination else { return false };
    // The folder may not exist yet.
    let real = |path: &Path| {
        let named =
            |path: &Path| if path.as_os_str().is_empty() { Path::new(".") } else { path }.canonicalize();
        path.ancestors().find_map(|path| named(path).ok()).unwrap_or_default()
    };
    let folder = real(folder);
    let tree = |input: &Input| {
        let below = input.below.as_deref().map_or(1, |below| below.components().count());
        let named = input.path.ancestors().nth(below).unwrap_or(Path::new("")).to_owned();
        let is_models =
            |path: &&Path| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("models"));
        named.ancestors().find(is_models).and_then(Path::parent).map_or(named.clone(), Path::to_owned)
    };
    let trees: BTreeSet<PathBuf> = inputs.iter().map(tree).collect();
    trees.iter().map(|tree| real(tree)).any(|tree| tree.starts_with(&folder) || folder.starts_with(&tree))
}

/// Returns true for a file of the output folder that has the extension of a result and is not of a native format.
fn is_result(input: &Input, into: Option<&Path>, to: Target) -> bool {
    let extension = || input.path.extension().is_some_and(|e| e.eq_ignore_ascii_case(to.extension()));
    let place = || into.zip(input.below.as_deref()).map(|(folder, below)| folder.join(below));
    let exchanged = |format: Format| !matches!(Target::from(format), Target::Native(_));
    input.met.as_ref().is_some_and(|met| met.format.is_some_and(exchanged))
        && !matches!(to, Target::Native(_))
        && extension()
        && place().is_some_and(|p| FileId::of(&p).is_some_and(|p| Some(p) == FileId::of(&input.path)))
}

/// Returns the ending of the names of results. A number that the arguments give must be in the name of the output.
fn ending(args: &ConvertArgs, to: Target, destination: &Destination) -> Result<String, Fail> {
    let ending = to.ending(&WriteOptions::default().with_tso_id(args.tso_id));
    if let Destination::File(path) = destination
        && ending.len() > to.extension().len() + 1
        && ResourceId::from_file_name(&path.to_string_lossy()).is_none()
    {
        let named = path.with_extension(ending.trim_start_matches('.'));
        let (shown, named) = (render::path(path), render::path(&named));
        return Err(Fail::Usage(format!("{shown}: the game finds the file by its number: -o {named}")));
    }
    Ok(ending)
}

/// Returns the target: that of `--to`, or that of the output's extension.
fn target(args: &ConvertArgs, destination: &Destination) -> Result<Target, Fail> {
    match (&args.to, destination) {
        (Some(to), _) => Ok(*to),
        (None, Destination::File(path)) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Target::from_name(&name).ok_or_else(|| {
                let extension = path.extension().map(|e| format!(".{} is not a known output; ", e.display()));
                let why = extension.unwrap_or_default();
                Fail::Usage(format!("{}: {why}{}", render::path(path), formats()))
            })
        }
        (None, Destination::Folder(_)) => Ok(Target::Glb),
        (None, Destination::Stdout) => Err(Fail::Usage(formats())),
    }
}

/// Returns a message that lists the formats.
fn formats() -> String {
    let known: Vec<_> = Target::all().map(Target::id).collect();
    format!("name the output's format with --to: {}", known.join(", "))
}
