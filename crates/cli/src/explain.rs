//! `meshwright explain`: the meaning of codes.

use crate::args::{CompanionArgs, ExplainArgs, OutputFormat};
use crate::check::{self, Found};
use crate::input::Input;
use crate::reader::Reader;
use crate::refusal::Fail;
use crate::status::Status;
use crate::table::{self, Column, facts, heading};
use crate::{messages, render, results};
use meshwright::{
    Explanation, Finding, Format, Notice, NoticeKind, Order as _, Rule, RuleSet, Severity, codes, explain,
    similar,
};
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn run(args: &ExplainArgs) -> Result<Status, Fail> {
    if args.codes.is_empty() {
        return list(args.format);
    }
    let mut found = Vec::new();
    for code in &args.codes {
        let path = Path::new(code);
        // Codes may be copied from the output of `check`, with brackets.
        let code = code.trim_matches(['[', ']']);
        let (format, code) = code.rsplit_once('/').map_or((None, code), |(of, code)| (Some(of), code));
        let explained = explain(code);
        match explained.is_empty() {
            true if path.is_file() => found.extend(findings(path, args)?),
            true => return Err(Fail::Usage(unknown(code))),
            false => {
                let format = args.read.read_as.map(Format::id).or(format);
                let is_asked = |e: &Explanation| format.is_some_and(|format| is_of(e, format));
                let (asked, others): (Vec<_>, Vec<_>) = explained.into_iter().partition(is_asked);
                found.extend(asked);
                found.extend(others);
            }
        }
    }
    match args.format {
        OutputFormat::Json => {
            results::print(&json!({ "codes": found.iter().map(document).collect::<Vec<_>>() }))?;
        }
        OutputFormat::Text => {
            let texts: Vec<_> = found.iter().map(text).collect();
            messages::print(texts.join("\n"))?;
        }
    }
    Ok(Status::Fine)
}

/// Returns the explanations of the findings of a file: for each code the rule of the file's format that is broken.
fn findings(path: &Path, args: &ExplainArgs) -> Result<Vec<Explanation>, Fail> {
    let reader = Reader::new(&args.read, &CompanionArgs::default())?;
    let input = Input::named(path);
    let refused = |refusal| Fail::Refused(input.display_path(), refusal);
    let found = check::find_faults(&input, &reader).map_err(refused)?;
    if found.findings.is_empty() && args.format == OutputFormat::Text {
        messages::print(format!("{}: no findings\n", input.display_path()))?;
    }
    Ok(found.findings.iter().filter_map(|finding| broken_rule(finding, &found)).collect())
}

/// Explains the rule that a finding is about. Rules of one code differ in kind and severity, and in whether a lenient reader
/// passes over them.
fn broken_rule(finding: &Finding, found: &Found) -> Option<Explanation> {
    explain(finding.rule.code).into_iter().max_by_key(|e| match e {
        Explanation::Rule { rule, .. } => (
            is_of(e, found.format),
            (rule.severity, rule.kind) == (finding.severity, finding.rule.kind),
            rule.forgivable == found.opens_leniently,
        ),
        Explanation::Notice(_) => (false, false, false),
    })
}

/// Returns whether a format has the rule that is explained.
fn is_of(e: &Explanation, format: &str) -> bool {
    matches!(e, Explanation::Rule { sets, .. } if sets.iter().any(|set| set.id == format))
}

fn unknown(code: &str) -> String {
    let near = similar(code, codes());
    let hint = match near.as_slice() {
        [] => "`explain` without a code lists all codes".to_owned(),
        near => format!("is it {}?", near.join(" or ")),
    };
    format!("unknown code {code}; {hint}")
}

fn text(e: &Explanation) -> String {
    let (title, rows) = match e {
        Explanation::Rule { rule, sets, example } => {
            let titles: Vec<_> = sets.iter().map(|set| set.title).collect();
            let lenient = if passed_over(rule) { "passed over with --lenient" } else { "" };
            let rows = vec![
                ("of", titles.join(", ")),
                ("kind", rule.kind.to_string()),
                ("cause", rule.cause.to_owned()),
                ("engine", rule.reaction.to_string()),
                ("what to do", rule.mending.to_owned()),
                ("reading", lenient.to_owned()),
                ("repair", repair(rule, sets)),
                ("example", example.map_or_else(String::new, |path| format!("testdata/{path}"))),
            ];
            (format!("{}[{}]", rule.severity, rule.code), rows)
        }
        Explanation::Notice(notice) => {
            let rows = vec![("cause", notice.cause.to_owned()), ("what to do", notice.advice.to_owned())];
            (format!("{}[{}]", notice.kind, notice.code), rows)
        }
    };
    format!("{}\n{}", heading(&title), facts(&rows, table::columns()))
}

/// Returns what `repair` does about a rule, in the formats that have the rule.
fn repair(rule: &Rule, sets: &[RuleSet]) -> String {
    let format = |set: &RuleSet| Format::ALL.iter().find(|format| format.id() == set.id);
    let mut texts: Vec<String> = Vec::new();
    for format in sets.iter().filter_map(format).filter(|_| rule.severity > Severity::Info) {
        let text = match format.mending(rule) {
            Ok(done) => format!("fixes it: {done}"),
            Err(why) => format!("does not fix it: {why}"),
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join("; ")
}

/// Returns whether a lenient reader passes over errors of this rule. Every reader passes over warnings and infos.
fn passed_over(rule: &Rule) -> bool {
    rule.severity == Severity::Error && rule.forgivable
}

fn document(e: &Explanation) -> Value {
    match e {
        Explanation::Rule { rule, sets, example } => json!({
            "code": rule.code,
            "native": rule.native,
            "severity": rule.severity.to_string(),
            "kind": rule.kind.name(),
            "formats": sets.iter().map(|set| set.id).collect::<Vec<_>>(),
            "forgivable": passed_over(rule),
            "cause": rule.cause,
            "engine": { "reaction": rule.reaction.name(), "text": rule.reaction.to_string() },
            "mending": rule.mending,
            "repair": repair(rule, sets),
            "example": example.map(|path| format!("testdata/{path}")),
        }),
        Explanation::Notice(notice) => json!({
            "code": notice.code,
            "severity": notice.kind.to_string(),
            "cause": notice.cause,
            "mending": notice.advice,
        }),
    }
}

/// The kinds of notices, each with its heading.
const NOTICES: &[(&[NoticeKind], &str)] = &[
    (&[NoticeKind::Loss, NoticeKind::Note, NoticeKind::LossOrNote], "Losses and notes of conversions"),
    (&[NoticeKind::Error], "Errors of commands"),
    (&[NoticeKind::Difference], "Differences between models"),
];

/// Prints every code with its cause, grouped by subject.
fn list(format: OutputFormat) -> Result<Status, Fail> {
    if format == OutputFormat::Json {
        let all = codes().into_iter().flat_map(explain);
        results::print(&json!({ "codes": all.map(|e| document(&e)).collect::<Vec<_>>() }))?;
        return Ok(Status::Fine);
    }
    let mut tables = Vec::new();
    for set in RuleSet::all() {
        let row = |rule: &&Rule| vec![rule.code.to_owned(), rule.severity.to_string(), rule.cause.to_owned()];
        tables.push((set.title, "severity", set.rules.iter().map(row).collect()));
    }
    for (kinds, title) in NOTICES {
        let own = Notice::all().filter(|notice| kinds.contains(&notice.kind));
        let row = |n: &Notice| vec![n.code.to_owned(), n.kind.to_string(), n.cause.to_owned()];
        let mut rows: Vec<_> = own.map(row).collect();
        rows.order();
        tables.push((title, "kind", rows));
    }
    for (i, (title, kind, rows)) in tables.iter().enumerate() {
        let columns = [Column::Text("code"), Column::Text(kind), Column::Text("cause")];
        let before = if i == 0 { "" } else { "\n" };
        let table = table::table(&columns, rows, table::columns());
        messages::print(format!("{before}{}\n{table}", heading(&render::plain(title))))?;
    }
    Ok(Status::Fine)
}
