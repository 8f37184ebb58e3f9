//! `meshwright repair`: fixes what is safe to fix, and no other byte.

use crate::args::{CompanionArgs, OutputFormat, ReadArgs, RepairArgs};
use crate::batch::Workers;
use crate::destination::{Destination, below};
use crate::input::{Input, expand};
use crate::messages::say;
use crate::output::{self, content_of, main};
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::render;
use crate::results::{Results, Shown};
use crate::status::Status;
use meshwright::files::output::{OutputName, Place};
use meshwright::{Format, Order as _, Remaining, Repaired, counted, repair};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The number of fields of one code that are named.
const NAMED: usize = 3;

pub(crate) fn run(args: &RepairArgs) -> Result<Status, Fail> {
    // Broken files are the inputs of this command.
    let read = ReadArgs { lenient: true, ..args.read.clone() };
    let reader = Reader::new(&read, &CompanionArgs::default())?;
    let mut results = Results::new("looked at", &args.many, &args.files, args.format, &args.read)?;
    let destination = destination(args, &results);
    if destination == Some(Destination::Stdout)
        && (args.format == OutputFormat::Json || results.is_over_several())
    {
        return Err(Fail::Usage("-o - works for one file and without --format json".into()));
    }
    let into = destination.as_ref().and_then(Destination::folder);
    let inputs = results.inputs(expand(results.selection(), into));
    if let (Some(Destination::File(path)), true) = (&destination, inputs.len() > 1) {
        return Err(Fail::Usage(format!(
            "{}: a file as output needs one input, not {}",
            render::path(path),
            inputs.len()
        )));
    }
    reader.expect(&inputs)?;
    let work = |input: &Input| repaired(input, &reader);
    let workers = Workers::new(args.many.jobs, reader.limits().memory);
    let to_stdout = destination == Some(Destination::Stdout);
    results.over(
        workers,
        &inputs,
        |input| input,
        work,
        |results, input, found: Result<Found, Refusal>| {
            let written = found.and_then(|found| {
                let places = write(input, &found, &destination, args, &reader)?;
                Ok((found, places))
            });
            match written {
                Ok((_, Written::Kept(path))) => results.keep_output(&path),
                Ok((found, Written::At(places))) => {
                    let shown = match args.format {
                        OutputFormat::Json => Shown::Json(found.json(input, &places)),
                        OutputFormat::Text if to_stdout => Shown::Text(String::new()),
                        OutputFormat::Text => Shown::Text(found.text(input, &places, args)),
                    };
                    results.show(found.status(), shown)?;
                }
                Err(refusal) => {
                    results.refuse(input, &refusal);
                    if matches!(refusal, Refusal::Broken(_)) && !args.read.quiet {
                        say(&format!(
                            "{}: not repaired: a lenient reader cannot open it either",
                            input.display_path()
                        ));
                    }
                }
            }
            Ok(())
        },
    )?;
    results.finish()
}

/// Returns the destination of repaired files; `None` if they are repaired in place or nothing is written.
fn destination(args: &RepairArgs, results: &Results) -> Option<Destination> {
    let path = args.output.as_deref().filter(|_| !args.write.dry_run)?;
    Some(if results.is_over_several() { Destination::of_several(path) } else { Destination::new(path) })
}

/// A file and its repair.
struct Found {
    format: Format,
    repaired: Repaired,
    old: Vec<u8>,
    /// The files that were read, which no output may replace.
    sources: Vec<PathBuf>,
}

/// The paths that were written.
#[derive(Default)]
struct Places {
    output: Option<PathBuf>,
    backup: Option<PathBuf>,
}

fn repaired(input: &Input, reader: &Reader) -> Result<Found, Refusal> {
    let opened = reader.open(input)?;
    let (format, sources) = (opened.format(), opened.sources().collect());
    let old = opened.into_bytes();
    let repaired = repair(&old, format, reader.options().read_settings())
        .map_err(|e| Refusal::Cannot { code: "not-repairable", why: e.to_string() })?;
    Ok(Found { format, repaired, old, sources })
}

/// The outcome of a repair.
enum Written {
    At(Places),
    /// A file of this path exists and is kept.
    Kept(PathBuf),
}

/// Writes a repaired file.
fn write(
    input: &Input,
    found: &Found,
    destination: &Option<Destination>,
    args: &RepairArgs,
    reader: &Reader,
) -> Result<Written, Refusal> {
    let mut places = Places::default();
    let bytes = &found.repaired.bytes;
    reader.note(found.sources.iter().cloned());
    if args.in_place && !args.write.dry_run {
        if found.repaired.mended.is_empty() {
            return Ok(Written::At(places));
        }
        places.backup = Some(output::in_place(input, &found.old, bytes, reader.plan())?);
        places.output = Some(input.path.clone());
        return Ok(Written::At(places));
    }
    let Some(destination) = destination else { return Ok(Written::At(places)) };
    if found.is_hopeless() {
        return Ok(Written::At(places));
    }
    let place = match destination {
        Destination::Stdout => {
            output::print(content_of(bytes))?;
            return Ok(Written::At(places));
        }
        Destination::File(path) => Place::named(path),
        Destination::Folder(folder) => below(folder, input, &OutputName::cleaned(&input.name())),
    };
    if args.write.keeps(&place) {
        return Ok(Written::Kept(place.path().to_owned()));
    }
    places.output = Some(place.path().to_owned());
    output::write([main(place, content_of(bytes))].into(), reader.plan())?;
    Ok(Written::At(places))
}

impl Found {
    /// Returns true if nothing could be fixed and errors are left: then no copy is written.
    fn is_hopeless(&self) -> bool {
        self.repaired.mended.is_empty() && self.repaired.left.has_errors()
    }

    fn status(&self) -> Status {
        if self.repaired.left.has_errors() { Status::Errors } else { Status::Fine }
    }

    fn text(&self, input: &Input, places: &Places, args: &RepairArgs) -> String {
        let shown = input.display_path();
        let mut text = String::new();
        let mut line = |line: &str| text.extend([render::cut(&format!("{shown}: {line}")).as_ref(), "\n"]);
        for mended in &self.repaired.mended {
            let mut named: Vec<&str> = mended.paths.iter().take(NAMED).map(String::as_str).collect();
            named.order();
            named.dedup();
            let more = mended.count.saturating_sub(named.len() as u64);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            line(&format!("fixed[{}] {}{more}: {}", mended.code, named.join(", "), mended.done));
        }
        for Remaining { rule, severity, count, why, .. } in self.repaired.remaining(self.format) {
            let times = if count > 1 { format!(" {count} times") } else { String::new() };
            line(&format!("left {severity}[{}]{times}: {why}", rule.code));
        }
        if !args.read.quiet {
            line(&format!("{}: {}", self.format.title(), self.verdict(places, args)));
        }
        text
    }

    fn verdict(&self, places: &Places, args: &RepairArgs) -> String {
        let count: u64 = self.repaired.mended.iter().map(|m| m.count).sum();
        let left: u64 = self.repaired.remaining(self.format).iter().map(|left| left.count).sum();
        let changed: usize = self.repaired.changed.iter().map(ExactSizeIterator::len).sum();
        let mut parts = vec![match (count, left) {
            (0, 0) => "nothing to fix".to_owned(),
            (count, left) => format!("{count} fixed, {left} left"),
        }];
        if changed > 0 {
            let bytes = counted(changed as u64, "byte", "bytes");
            let changed = if args.write.dry_run { "would change" } else { "changed" };
            parts.push(format!("{bytes} {changed}"));
        }
        if self.is_hopeless() && args.output.is_some() {
            parts.push("not copied".to_owned());
        }
        parts.extend(places.backup.as_ref().map(|path| format!("backup: {}", render::path(path))));
        parts.join("; ")
    }

    fn json(&self, input: &Input, places: &Places) -> Value {
        let mended = self.repaired.mended.iter();
        let mended =
            mended.map(|m| json!({ "code": m.code, "count": m.count, "paths": m.paths, "done": m.done }));
        let left = self.repaired.remaining(self.format).into_iter().map(|left| {
            let Remaining { rule, severity, count, why, .. } = left;
            json!({ "code": rule.code, "severity": severity.to_string(), "count": count, "why": why })
        });
        let changed = self.repaired.changed.iter().map(|range| json!([range.start, range.end]));
        json!({
            "file": input.exact(),
            "format": self.format.id(),
            "mended": mended.collect::<Vec<_>>(),
            "left": left.collect::<Vec<_>>(),
            "changed": changed.collect::<Vec<_>>(),
            "output": places.output.as_deref().map(render::exact),
            "backup": places.backup.as_deref().map(render::exact),
        })
    }
}
