//! `meshwright check`: everything that is wrong with files.

use crate::args::{CheckArgs, OutputFormat};
use crate::input::{self, Input, expand};
use crate::load::{self, Loaded, Refusal, forced_format, load};
use crate::{Fail, Status, render, say};
use meshwright::{AnyModel, Finding, Format, Report, Severity, Strictness};
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn run(args: &CheckArgs) -> Result<Status, Fail> {
    let forced = forced_format(&args.read)?;
    let mut status = Status::Fine;
    let mut out = io::stdout().lock();
    let mut documents = Vec::new();
    for input in expand(&args.files) {
        let input = match input {
            Ok(input) => input,
            Err((path, e)) => {
                say(&format!("{}: {e}", input::shown(&path)));
                status.and(Status::Unusable);
                continue;
            }
        };
        let Some(checked) = check(&input, args, forced) else { continue };
        status.and(checked.status(args.deny_warnings));
        match args.format {
            OutputFormat::Text => checked.print(&input, args, &mut out)?,
            OutputFormat::Json => documents.push(checked.json(&input)),
        }
    }
    if args.format == OutputFormat::Json {
        writeln!(out, "{}", json!({ "files": documents }))?;
    }
    out.flush()?;
    Ok(status)
}

/// What was found in one file.
enum Checked {
    /// It could not be looked at.
    Refused(Refusal),
    /// Its findings.
    Report { bytes: Vec<u8>, format: Format, report: Report },
}

/// `None` for a file of no known format that was found in a folder.
fn check(input: &Input, args: &CheckArgs, forced: Option<Format>) -> Option<Checked> {
    let checked = match load(input, &args.read, forced) {
        Ok(Loaded { bytes, format, model, forgiven }) => {
            let mut report = if args.read.lenient { as_warnings(forgiven) } else { forgiven };
            report.append_new(model.validate());
            match load::companions(&model, input, &args.companions, &args.read) {
                Ok(companions) => report.append(companions.validate()),
                Err(refusal) => return Some(Checked::Refused(refusal)),
            }
            Checked::Report { bytes, format, report }
        }
        Err(Refusal::Unknown) if input.below.is_some() => return None,
        Err(Refusal::Malformed { bytes, format, error }) => {
            // A second, lenient look finds what lies behind the first error.
            let mut report = Report::new();
            let metadata = load::metadata(input, format, &args.read).ok().flatten();
            let mut lenient = load::open_options(&args.read, metadata.as_deref());
            lenient.read.strictness = Strictness::Lenient;
            match AnyModel::open(&bytes, format, &lenient) {
                Ok(parsed) if !args.read.lenient => {
                    report.append(parsed.forgiven);
                    report.append_new(parsed.model.validate());
                }
                _ => report.push(Finding::from(&error)),
            }
            if !report.has_errors() {
                report.push(Finding::from(&error));
            }
            Checked::Report { bytes, format, report }
        }
        Err(refusal) => Checked::Refused(refusal),
    };
    Some(checked)
}

fn as_warnings(forgiven: Report) -> Report {
    let mut report = Report::new();
    for finding in forgiven.findings() {
        report.push(Finding { severity: Severity::Warning, ..finding.clone() });
    }
    report
}

impl Checked {
    fn status(&self, deny_warnings: bool) -> Status {
        match self {
            Self::Refused(refusal) => refusal.status(),
            Self::Report { report, .. } => {
                let warned = deny_warnings && report.count_of(Severity::Warning) > 0;
                if report.has_errors() || warned { Status::Errors } else { Status::Fine }
            }
        }
    }

    fn print(&self, input: &Input, args: &CheckArgs, out: &mut impl Write) -> io::Result<()> {
        let shown = input.shown();
        match self {
            Self::Refused(refusal) => refusal.say(&shown),
            Self::Report { bytes, format, report } => {
                for finding in report.findings() {
                    writeln!(out, "{shown}: {}", render::finding(finding, bytes, false))?;
                }
                for (code, severity, n) in report.totals() {
                    let kept = report.findings().iter().filter(|f| f.code == code && f.severity == severity);
                    let more = n.saturating_sub(kept.count() as u64);
                    if more > 0 {
                        writeln!(out, "{shown}: {severity}[{code}] {more} more of these")?;
                    }
                }
                if !args.read.quiet {
                    let (errors, warnings) =
                        (report.count_of(Severity::Error), report.count_of(Severity::Warning));
                    let verdict = match (errors, warnings) {
                        (0, 0) => "ok".to_owned(),
                        _ => format!("{errors} errors, {warnings} warnings"),
                    };
                    writeln!(out, "{shown}: {}: {verdict}", format.title())?;
                }
            }
        }
        Ok(())
    }

    fn json(&self, input: &Input) -> Value {
        let file = input.shown();
        match self {
            Self::Refused(refusal) => json!({ "file": file, "format": null, "error": refusal.json() }),
            Self::Report { format, report, .. } => {
                let totals: Vec<_> = report
                    .totals()
                    .map(|(code, severity, n)| json!({ "code": code, "severity": severity.to_string(), "count": n }))
                    .collect();
                json!({
                    "file": file,
                    "format": format.id(),
                    "errors": report.count_of(Severity::Error),
                    "warnings": report.count_of(Severity::Warning),
                    "findings": report.findings().iter().map(render::finding_json).collect::<Vec<_>>(),
                    "totals": totals,
                })
            }
        }
    }
}
