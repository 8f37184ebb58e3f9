//! `meshwright build`: compiles the JSON of `dump --native` to a file.

use crate::args::{BuildArgs, CompanionArgs, ReadArgs};
use crate::destination::Destination;
use crate::input::Input;
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::results::{print_done, report_refusal};
use crate::status::Status;
use crate::{output, render};
use meshwright::native_json::{Built, build};
use meshwright::{Budget, counted};
use serde_json::json;
use std::path::PathBuf;

pub(crate) fn run(args: &BuildArgs) -> Result<Status, Fail> {
    let read = ReadArgs { max_memory: args.max_memory, quiet: args.quiet, ..ReadArgs::default() };
    let (reader, input) = Reader::for_one(&read, &CompanionArgs::default(), &args.file)?;
    let destination = Destination::new(&args.output);
    let to_stdout = destination == Destination::Stdout;
    destination.refuse_document(args.format)?;
    let (built, written) = match built(&input, &destination, &reader) {
        Ok(done) => done,
        Err(refusal) => return report_refusal(&input, &refusal, args.format),
    };
    let bytes = built.bytes.len() as u64;
    let json = || json!({ "file": input.exact(), "output": render::exact_all(&written), "format": built.format.id(), "bytes": bytes });
    print_done(args.format, to_stdout || args.quiet, json, || {
        let paths: Vec<_> = written.iter().map(|path| render::path(path)).collect();
        format!("{}: {}, {}", paths.join(", "), built.format.title(), counted(bytes, "byte", "bytes"))
    })
}

fn built(
    input: &Input,
    destination: &Destination,
    reader: &Reader,
) -> Result<(Built, Vec<PathBuf>), Refusal> {
    let (finder, path) = reader.place(input)?;
    let text =
        finder.tree().read(&path, &Budget::new(reader.limits())).map_err(|e| Refusal::unreadable(&e))?;
    let built = build(&text, reader.limits()).map_err(|e| {
        let line =
            |at: u64| text.iter().take(usize::try_from(at).unwrap_or(0)).filter(|b| **b == b'\n').count();
        let path = if e.path().is_empty() { String::new() } else { format!("{}: ", e.path()) };
        let line =
            e.offset().map_or_else(String::new, |at| format!(" (line {})", line(at).saturating_add(1)));
        Refusal::Cannot { code: e.code(), why: format!("{path}{}{line}", e.message()) }
    })?;
    let written = output::stream(destination, output::content_of(&built.bytes), reader.plan())?;
    Ok((built, written))
}
