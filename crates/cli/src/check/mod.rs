//! `meshwright check`: finds errors and warnings in files.

mod sarif;
mod text;

use crate::args::{CheckArgs, CheckFormat};
use crate::batch::Workers;
use crate::input::{Input, expand};
use crate::reader::Reader;
use crate::refusal::{Broken, Fail, Refusal};
use crate::render;
use crate::results::{Results, Shown};
use crate::status::Status;
use meshwright::scene::Engine;
use meshwright::{Budget, Finding, Format, Order as _, Report, Severity};
use serde_json::{Value, json};

pub(crate) fn run(args: &CheckArgs) -> Result<Status, Fail> {
    let mut results = Results::new("checked", &args.many, &args.files, args.format, &args.read)?;
    let names_companions = !results.is_over_several() || args.read.verbose;
    let reader = Reader::new(&args.read, &args.companions)?.naming_companions(names_companions);
    let mut expanded = expand(results.selection(), None);
    let several = results.is_over_several();
    let packs = std::mem::take(&mut expanded.packs);
    let inputs = results.inputs(expanded);
    reader.expect(&inputs)?;
    // Packs that cannot be read are reported as inputs.
    for (path, pack) in packs.iter().filter_map(|(path, pack)| Some((path, pack.as_ref().ok()?))) {
        let (input, report) = (Input::named(path), pack.check(&Budget::new(reader.limits())));
        let kind = Kind { id: pack.kind().id(), title: pack.kind().title() };
        let checked = Checked { bytes: Vec::new(), kind, report, lenient: false };
        match checked.render(&input, args, several) {
            Ok(shown) => {
                results.count_findings(checked.count(Severity::Error), checked.count(Severity::Warning));
                results.show(checked.status(args.deny_warnings), shown)?;
            }
            Err(refusal) => results.refuse(&input, &refusal),
        }
    }
    let work = |input: &Input| {
        let checked = check(input, &reader, args.engine)?;
        let counts = [Severity::Error, Severity::Warning].map(|severity| checked.count(severity));
        Ok((checked.status(args.deny_warnings), counts, checked.render(input, args, several)?))
    };
    let workers = Workers::new(args.many.jobs, reader.limits().memory);
    results.over(
        workers,
        &inputs,
        |input| input,
        work,
        |results, input, checked: Result<(Status, [u64; 2], Shown), Refusal>| {
            match checked {
                Ok((status, [errors, warnings], shown)) => {
                    results.count_findings(errors, warnings);
                    results.show(status, shown)?;
                }
                // The findings of the archive include this error, unless an option names a file of another one.
                Err(refusal)
                    if input.met.is_some() && refusal.is_of_archive() && !reader.lacks_companion() => {}
                Err(refusal) => results.refuse(input, &refusal),
            }
            Ok(())
        },
    )?;
    if args.format == CheckFormat::Sarif {
        return results.finish_with(sarif::log);
    }
    results.finish()
}

/// The kind of a file.
struct Kind {
    id: &'static str,
    title: &'static str,
}

impl From<Format> for Kind {
    fn from(format: Format) -> Self {
        Self { id: format.id(), title: format.title() }
    }
}

/// The findings of one file.
struct Checked {
    bytes: Vec<u8>,
    kind: Kind,
    report: Report,
    /// A lenient reader opens the file and finds no further errors.
    lenient: bool,
}

/// The findings of a file, for explanations.
pub(crate) struct Found {
    /// The format of the file.
    pub format: &'static str,
    /// The findings, each code once.
    pub findings: Vec<Finding>,
    /// A lenient reader opens the file.
    pub opens_leniently: bool,
}

/// Checks a file and returns its findings.
pub(crate) fn find_faults(input: &Input, reader: &Reader) -> Result<Found, Refusal> {
    let checked = check(input, reader, None)?;
    let mut findings = checked.report.findings().to_vec();
    findings.order_by_key(|finding| finding.rule.code);
    findings.dedup_by_key(|finding| finding.rule.code);
    Ok(Found { format: checked.kind.id, findings, opens_leniently: checked.lenient })
}

fn check(input: &Input, reader: &Reader, engine: Option<Engine>) -> Result<Checked, Refusal> {
    let checked = |reader: &Reader| {
        let mut opened = reader.open(input)?;
        reader.say_used(input, &opened);
        let (kind, mut report) = (opened.format().into(), opened.check());
        if let Some(engine) = engine {
            report.append(opened.check_for(engine));
        }
        Ok(Checked { bytes: opened.into_bytes(), kind, report, lenient: false })
    };
    let is_sound = |checked: Checked| !checked.report.has_errors();
    match reader.hinted(input, checked(reader), |lenient| checked(&lenient).is_ok_and(is_sound)) {
        Err(Refusal::Broken(broken)) if broken.companion.is_none() => match broken.format {
            Some(format) => {
                let Broken { bytes, report, leniently: lenient, .. } = *broken;
                Ok(Checked { bytes, kind: format.into(), report, lenient })
            }
            None => Err(Refusal::Broken(broken)),
        },
        other => other,
    }
}

impl Checked {
    fn count(&self, severity: Severity) -> u64 {
        self.report.count_of(severity)
    }

    fn status(&self, deny_warnings: bool) -> Status {
        let warned = deny_warnings && self.report.count_of(Severity::Warning) > 0;
        if self.report.has_errors() || warned { Status::Errors } else { Status::Fine }
    }

    fn render(&self, input: &Input, args: &CheckArgs, several: bool) -> Result<Shown, Refusal> {
        if let Some(query) = &args.query {
            let file = several.then(|| input.display_path());
            return Ok(Shown::Text(query.text(&self.json(input), file)?));
        }
        Ok(match args.format {
            CheckFormat::Text => Shown::Text(text::lines_of(self, input, args, several)),
            CheckFormat::Json | CheckFormat::Jsonl => Shown::Json(self.json(input)),
            CheckFormat::Sarif => Shown::Json(sarif::file(self, input)),
        })
    }

    fn json(&self, input: &Input) -> Value {
        let report = &self.report;
        let totals: Vec<_> = report
            .totals()
            .map(|(code, severity, n)| json!({ "code": code, "severity": severity.to_string(), "count": n }))
            .collect();
        json!({
            "file": input.exact(),
            "format": self.kind.id,
            "opens_leniently": self.lenient,
            "errors": report.count_of(Severity::Error),
            "warnings": report.count_of(Severity::Warning),
            "findings": report.findings().iter().map(render::finding_json).collect::<Vec<_>>(),
            "totals": totals,
        })
    }
}
