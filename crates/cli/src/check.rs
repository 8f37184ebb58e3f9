//! `meshwright check`: everything that is wrong with files.

use crate::args::{CheckArgs, OutputFormat};
use crate::batch::Workers;
use crate::input::{Input, expand};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::results::{Results, Shown};
use crate::{Fail, Status, render};
use meshwright::scene::Engine;
use meshwright::{AssetError, Budget, Format, Report, Severity, counted};
use serde_json::{Value, json};
use std::io;

pub(crate) fn run(args: &CheckArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &args.companions)?;
    let mut results = Results::new("checked", &args.files, args.format, &args.read);
    let mut expanded = expand(&args.files, None);
    let packs = std::mem::take(&mut expanded.packs);
    let inputs = results.inputs(expanded);
    reader.expect(&inputs)?;
    // Why others cannot be read stands among the inputs.
    for (path, pack) in packs.iter().filter_map(|(path, pack)| Some((path, pack.as_ref().ok()?))) {
        let (input, report) = (Input::named(path), pack.check(&Budget::new(reader.limits())));
        let kind = Kind { id: pack.kind().id(), title: pack.kind().title() };
        let checked = Checked { bytes: Vec::new(), kind, report, lenient: false };
        results.show(checked.status(args.deny_warnings), checked.shown(&input, args))?;
    }
    let work = |input: &Input| {
        let checked = check(input, &reader, args.engine)?;
        Ok((checked.status(args.deny_warnings), checked.shown(input, args)))
    };
    let workers = Workers::new(&args.jobs, reader.limits().memory);
    workers.each(&inputs, Input::memory, work, |input, checked: Result<(Status, Shown), Refusal>| {
        match checked {
            Ok((status, shown)) => results.show(status, shown)?,
            Err(refusal) => results.refuse(input, &refusal),
        }
        Ok(())
    })?;
    results.finish()
}

/// What a file is.
struct Kind {
    id: &'static str,
    title: &'static str,
}

impl From<Format> for Kind {
    fn from(format: Format) -> Self {
        Self { id: format.id(), title: format.title() }
    }
}

/// What was found in one file.
struct Checked {
    bytes: Vec<u8>,
    kind: Kind,
    report: Report,
    /// Only a lenient reader opens it.
    lenient: bool,
}

fn check(input: &Input, reader: &Reader, engine: Option<Engine>) -> Result<Checked, Refusal> {
    match reader.open(input) {
        Ok(opened) => {
            reader.say_used(input, &opened);
            let (kind, mut report) = (opened.asset.format().into(), opened.asset.check());
            if let Some(engine) = engine {
                report.append(opened.asset.model().validate_for(engine));
            }
            Ok(Checked { bytes: opened.asset.into_bytes(), kind, report, lenient: false })
        }
        Err(Refusal::Broken(e)) => {
            let (report, lenient) = (e.report(), e.opens_leniently());
            match e {
                AssetError::Model { bytes, format, .. } => {
                    Ok(Checked { bytes, kind: format.into(), report, lenient })
                }
                e => Err(Refusal::Broken(e)),
            }
        }
        Err(refusal) => Err(refusal),
    }
}

impl Checked {
    fn status(&self, deny_warnings: bool) -> Status {
        let warned = deny_warnings && self.report.count_of(Severity::Warning) > 0;
        if self.report.has_errors() || warned { Status::Errors } else { Status::Fine }
    }

    fn shown(&self, input: &Input, args: &CheckArgs) -> Shown {
        match args.format {
            OutputFormat::Text => Shown::Text(self.text(input, args)),
            OutputFormat::Json => Shown::Json(self.json(input)),
        }
    }

    fn text(&self, input: &Input, args: &CheckArgs) -> String {
        let (shown, report) = (input.shown(), &self.report);
        let colours = render::colours(&io::stdout());
        let mut text = String::new();
        let mut line = |line: &str| text.extend([render::cut(line).as_ref(), "\n"]);
        for finding in report.findings() {
            line(&format!("{shown}: {}", render::finding(finding, &self.bytes, colours)));
        }
        for (code, severity, n) in report.totals() {
            let kept = report.findings().iter().filter(|f| f.code == code && f.severity == severity);
            let more = n.saturating_sub(kept.count() as u64);
            if more > 0 {
                line(&format!("{shown}: {severity}[{code}] {more} more of these"));
            }
        }
        if !args.read.quiet {
            let (errors, warnings) = (report.count_of(Severity::Error), report.count_of(Severity::Warning));
            let verdict = match (errors, warnings) {
                (0, 0) => "ok".to_owned(),
                _ => {
                    let errors = counted(errors, "error", "errors");
                    format!("{errors}, {}", counted(warnings, "warning", "warnings"))
                }
            };
            let hint = if self.lenient { "; --lenient opens it" } else { "" };
            line(&format!("{shown}: {}: {verdict}{hint}", self.kind.title));
        }
        text
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
