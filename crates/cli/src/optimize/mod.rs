//! `meshwright optimize`: writes the same model with fewer bytes. Each format that has an optimizer has a file here.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

mod bmd;
mod darkplaces;

use crate::args::{CompanionArgs, OptimizeArgs, OutputFormat};
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{self, content_of};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::results::{print, report_refusal};
use crate::{Fail, Status, render};
use meshwright::AnyModel;
use meshwright::files::output::{Output, OutputRole, Place};
use serde_json::Value;
use std::io::{self, Write};
use std::path::PathBuf;
use std::slice;

pub(crate) fn run(args: &OptimizeArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &CompanionArgs::default())?;
    let input = Input::named(&args.file);
    reader.expect(slice::from_ref(&input))?;
    let destination = Destination::new(&args.output);
    let to_stdout = destination == Destination::Stdout;
    if to_stdout && args.format == OutputFormat::Json {
        return Err(Fail::Usage("--format json and -o - both want standard output".into()));
    }
    let optimized = optimize(&input, args, &reader);
    let done = reader
        .hinted(&input, optimized, |lenient| optimize(&input, args, &lenient).is_ok())
        .and_then(|outcome| deliver(&destination, &outcome, &reader).map(|written| (outcome, written)));
    let (outcome, written) = match done {
        Ok(done) => done,
        Err(refusal) => return report_refusal(&input, &refusal, args.format),
    };
    match args.format {
        OutputFormat::Json => {
            let mut document = outcome.document;
            document["file"] = input.exact().into();
            document["output"] = render::exact_all(&written);
            print(&document)?;
        }
        OutputFormat::Text if !to_stdout && !args.read.quiet => {
            writeln!(io::stdout().lock(), "{}: {}", input.display_path(), outcome.text)?;
        }
        OutputFormat::Text => {}
    }
    io::stdout().lock().flush()?;
    Ok(Status::Fine)
}

/// The output of an optimizer.
struct Outcome {
    bytes: Vec<u8>,
    /// The companion that belongs to the file: the ending that is added to the file's name, and its content.
    companion: Option<(&'static str, Vec<u8>)>,
    /// The savings and errors, as one line without the file's name.
    text: String,
    /// The same as a JSON object, to which the file's name is added.
    document: Value,
}

/// Writes the file and its companion, or only the file to standard output.
fn deliver(destination: &Destination, outcome: &Outcome, reader: &Reader) -> Result<Vec<PathBuf>, Refusal> {
    let (plan, content) = (reader.plan(), content_of(&outcome.bytes));
    let (Destination::File(path), Some((ending, bytes))) = (destination, &outcome.companion) else {
        return output::stream(destination, content, plan, None);
    };
    let place = Place::named(path);
    let beside = place.appended(ending).map_err(|e| Refusal::Argument(e.to_string()))?;
    let companion = Output { place: beside, role: OutputRole::Companion, content: content_of(bytes) };
    output::write([companion, output::main(place, content)].into(), plan, None)
}

fn optimize(input: &Input, args: &OptimizeArgs, reader: &Reader) -> Result<Outcome, Refusal> {
    let opened = reader.open(input)?;
    reader.note(opened.sources());
    reader.say_passed_over(input, &opened);
    match opened.model() {
        AnyModel::Bmd(model) => darkplaces::refuse_options(args).and_then(|()| bmd::optimize(model, args)),
        AnyModel::Dpm(_) | AnyModel::Zym(_) => darkplaces::optimize(&opened, args),
        _ => {
            let title = opened.format().title();
            let why = format!("{title} files cannot be optimized, only BMD, DPM and ZYM");
            Err(Refusal::Cannot { code: "not-convertible", why })
        }
    }
}
