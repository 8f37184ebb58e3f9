//! `meshwright optimize`: writes the same model with fewer bytes.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::args::{CompanionArgs, OptimizeArgs};
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{self, content_of};
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::render;
use crate::results::{print_done, report_refusal};
use crate::status::Status;
use meshwright::bmd::{self, EngineSafety};
use meshwright::dpm;
use meshwright::files::output::Place;
use meshwright::{Limits, OptimizeOptions, OptimizedFile, Optimizer};
use std::path::PathBuf;

pub(crate) fn run(args: &OptimizeArgs) -> Result<Status, Fail> {
    let (reader, input) = Reader::for_one(&args.read, &CompanionArgs::default(), &args.file)?;
    let destination = Destination::new(&args.output);
    let to_stdout = destination == Destination::Stdout;
    destination.refuse_document(args.format)?;
    let done = reader
        .attempt(&input, |reader| optimize(&input, args, reader))
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
        return output::stream(destination, content, plan);
    };
    let place = Place::named(path);
    let beside = place.appended(ending).map_err(|e| Refusal::Argument(e.to_string()))?;
    output::write([output::companion(beside, content_of(bytes)), output::main(place, content)].into(), plan)
}

fn optimize(input: &Input, args: &OptimizeArgs, reader: &Reader) -> Result<OptimizedFile, Refusal> {
    let opened = reader.open(input)?;
    reader.note(opened.sources());
    reader.say_passed_over(input, &opened);
    for (option, optimizer) in given_options(args) {
        optimizer.check_option(option, opened.format())?;
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

/// Returns the given options that only one optimizer has.
fn given_options(args: &OptimizeArgs) -> impl Iterator<Item = (&'static str, Optimizer)> {
    use Optimizer::{Bmd, DarkPlaces};
    let own = &args.darkplaces;
    let options = [
        ("--max-position", Bmd, args.max_position > 0.0),
        ("--max-normal", Bmd, args.max_normal > 0.0),
        ("--max-st", Bmd, args.max_st > 0.0),
        ("--max-angle", Bmd, args.max_angle > 0.0),
        ("--max-distance", Bmd, args.max_distance > 0.0),
        ("--max-scale", Bmd, args.max_scale > 0.0),
        ("--compact", Bmd, args.compact),
        ("--engine-safe", Bmd, args.engine_safe),
        ("--effort", Bmd, args.effort != bmd::OptimizeOptions::DEFAULT_EFFORT),
        ("--unused-bones", DarkPlaces, own.unused_bones.is_some()),
        ("--skip", DarkPlaces, !own.skip.is_empty()),
        ("--also", DarkPlaces, !own.also.is_empty()),
    ];
    options.into_iter().filter(|(_, _, is_given)| *is_given).map(|(option, optimizer, _)| (option, optimizer))
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
