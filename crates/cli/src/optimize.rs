//! `meshwright optimize`: writes the same model with fewer bytes.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::args::{CompanionArgs, OptimizeArgs};
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{self, content_of};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::results::{print_done, report_refusal};
use crate::{Fail, Status, render};
use meshwright::bmd::{self, EngineSafety};
use meshwright::dpm;
use meshwright::files::output::{Output, OutputRole, Place};
use meshwright::{AnyModel, Limits, OptimizeOptions, OptimizedFile};
use std::path::PathBuf;
use std::slice;

pub(crate) fn run(args: &OptimizeArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &CompanionArgs::default())?;
    let input = Input::named(&args.file);
    reader.expect(slice::from_ref(&input))?;
    let destination = Destination::new(&args.output);
    let to_stdout = destination == Destination::Stdout;
    destination.refuse_document(args.format)?;
    let optimized = optimize(&input, args, &reader);
    let done = reader
        .hinted(&input, optimized, |lenient| optimize(&input, args, &lenient).is_ok())
        .and_then(|outcome| deliver(&destination, &outcome, &reader).map(|written| (outcome, written)));
    let (outcome, written) = match done {
        Ok(done) => done,
        Err(refusal) => return report_refusal(&input, &refusal, args.format),
    };
    let json = || {
        let mut document = outcome.document().clone();
        document["file"] = input.exact().into();
        document["output"] = render::exact_all(&written);
        document
    };
    let text = || format!("{}: {}", input.display_path(), outcome.summary());
    print_done(args.format, to_stdout || args.read.quiet, json, text)
}

/// Writes the file and its companion, or only the file to standard output.
fn deliver(
    destination: &Destination,
    optimized: &OptimizedFile,
    reader: &Reader,
) -> Result<Vec<PathBuf>, Refusal> {
    let (plan, content) = (reader.plan(), content_of(optimized.bytes()));
    let (Destination::File(path), Some((ending, bytes))) = (destination, optimized.companion()) else {
        return output::stream(destination, content, plan, None);
    };
    let place = Place::named(path);
    let beside = place.appended(ending).map_err(|e| Refusal::Argument(e.to_string()))?;
    let companion = Output { place: beside, role: OutputRole::Companion, content: content_of(bytes) };
    output::write([companion, output::main(place, content)].into(), plan, None)
}

fn optimize(input: &Input, args: &OptimizeArgs, reader: &Reader) -> Result<OptimizedFile, Refusal> {
    let opened = reader.open(input)?;
    reader.note(opened.sources());
    reader.say_passed_over(input, &opened);
    match opened.model() {
        AnyModel::Bmd(_) => refuse_options(args)?,
        AnyModel::Dpm(_) | AnyModel::Zym(_) => refuse_bmd_options(args, opened.format().title())?,
        _ => {}
    }
    let mut options = OptimizeOptions::default();
    (options.bmd, options.darkplaces) = (bmd_options(args), darkplaces_options(args));
    let optimized = opened.optimize(&options)?;
    if optimized.is_companion_needed() && Destination::new(&args.output) == Destination::Stdout {
        let why = "--also frames changes the .framegroups file too: name a file with -o".to_owned();
        return Err(Refusal::Argument(why));
    }
    Ok(optimized)
}

/// Refuses options that belong to another format, if one is given.
fn refuse_foreign(options: &[(&str, bool)], of: &str, here: &str) -> Result<(), Refusal> {
    let why = |option: &str| format!("{option} works only for {of}; the file is a {here}");
    let given = options.iter().find(|(_, is_given)| *is_given);
    given.map_or(Ok(()), |(option, _)| Err(Refusal::Argument(why(option))))
}

/// Refuses options that only DPM and ZYM have.
fn refuse_options(args: &OptimizeArgs) -> Result<(), Refusal> {
    let own = &args.darkplaces;
    let given = [
        ("--unused-bones", own.unused_bones.is_some()),
        ("--skip", !own.skip.is_empty()),
        ("--also", !own.also.is_empty()),
    ];
    refuse_foreign(&given, "DPM and ZYM", "BMD")
}

/// Refuses options that only BMD has: DPM and ZYM files are optimized without errors.
fn refuse_bmd_options(args: &OptimizeArgs, here: &str) -> Result<(), Refusal> {
    let given = [
        ("--max-position", args.max_position > 0.0),
        ("--max-normal", args.max_normal > 0.0),
        ("--max-st", args.max_st > 0.0),
        ("--max-angle", args.max_angle > 0.0),
        ("--max-distance", args.max_distance > 0.0),
        ("--max-scale", args.max_scale > 0.0),
        ("--compact", args.compact),
        ("--engine-safe", args.engine_safe),
        ("--effort", args.effort != bmd::OptimizeOptions::DEFAULT_EFFORT),
    ];
    refuse_foreign(&given, "BMD", here)
}

fn bmd_options(args: &OptimizeArgs) -> bmd::OptimizeOptions {
    let mut options = bmd::OptimizeOptions::default()
        .with_vertex_bounds(args.max_position, args.max_normal, args.max_st)
        .with_key_bounds(args.max_angle, args.max_distance, args.max_scale)
        .with_engine(match (args.compact, args.engine_safe) {
            (true, _) => EngineSafety::Ignored,
            (_, true) => EngineSafety::Always,
            _ => EngineSafety::WithinBounds,
        })
        .with_effort(args.effort);
    options.memory = args.read.max_memory;
    options
}

fn darkplaces_options(args: &OptimizeArgs) -> dpm::OptimizeOptions {
    let own = &args.darkplaces;
    let mut options = dpm::OptimizeOptions::default()
        .with_bones(own.unused_bones.unwrap_or_default())
        .with_limits(Limits::default().with_memory(args.read.max_memory));
    own.skip.iter().chain(&own.also).for_each(|change| change(&mut options));
    options
}
