//! Findings as text: by code, the worst first.

use super::Checked;
use crate::args::CheckArgs;
use crate::input::Input;
use crate::render;
use meshwright::{Finding, Order as _, Severity, counted};
use std::io;

/// The number of findings of one code that are printed without `--all`.
const EXAMPLES: usize = 3;

/// Formats the findings of one file. For a file among several without findings the result is empty, unless
/// `--verbose` asks for all.
pub(super) fn lines_of(checked: &Checked, input: &Input, args: &CheckArgs, several: bool) -> String {
    let (shown, report) = (input.display_path(), &checked.report);
    let colours = render::colours(&io::stdout());
    let mut text = String::new();
    let mut line = |line: &str| text.extend([render::cut(line).as_ref(), "\n"]);
    for group in groups(report.findings()) {
        let most = if args.all { group.len() } else { EXAMPLES };
        for (i, finding) in group.iter().enumerate().take(most) {
            // The bytes around the first show what to look for in the others.
            let bytes: &[u8] = if i == 0 || args.all { &checked.bytes } else { &[] };
            line(&format!("{shown}: {}", render::finding(finding, bytes, colours)));
        }
        let Some(first) = group.first() else { continue };
        let (code, severity) = (first.rule.code, first.severity);
        let all = report.totals().find(|t| (t.0, t.1) == (code, severity)).map_or(0, |t| t.2);
        let more = all.saturating_sub(group.len().min(most) as u64);
        if more > 0 {
            let hint = if group.len() > most { "; --all shows them" } else { "" };
            line(&format!("{shown}: {severity}[{code}] {more} more of these{hint}"));
        }
    }
    if !args.read.quiet && (!several || checked.lenient || args.read.verbose) {
        let hint = if checked.lenient { "; --lenient opens it" } else { "" };
        line(&format!("{shown}: {}: {}{hint}", checked.kind.title, verdict(checked)));
    }
    text
}

/// Groups findings by code, the worst first; codes of one severity keep the order of the findings.
fn groups(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let same = |group: &&mut Vec<&Finding>| {
            group.first().is_some_and(|f| (f.rule.code, f.severity) == (finding.rule.code, finding.severity))
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups.order_by_key(|group| std::cmp::Reverse(group.first().map(|f| f.severity)));
    groups
}

/// Returns the numbers of errors and warnings.
fn verdict(checked: &Checked) -> String {
    let of = |severity| checked.report.count_of(severity);
    match (of(Severity::Error), of(Severity::Warning)) {
        (0, 0) => "ok".to_owned(),
        (errors, warnings) => {
            let (errors, warnings) =
                (counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"));
            format!("{errors}, {warnings}")
        }
    }
}
