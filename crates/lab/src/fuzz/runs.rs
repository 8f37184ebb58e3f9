//! `crates/fuzz/runs.tsv`: how often each target was executed, and what came of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const HEAD: &str = "target\tmode\texecutions\tseconds\tcoverage\tfindings\n";

/// The sum of all runs of a target in one mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    pub(crate) executions: u64,
    pub(crate) seconds: u64,
    /// Edges reached by the latest run that reached any.
    pub(crate) coverage: u64,
    /// Runs that ended with an input that breaks a promise.
    pub(crate) findings: u64,
}

/// By target and mode.
pub(crate) type Table = BTreeMap<(String, String), Runs>;

pub(crate) fn read(path: &Path) -> Result<Table, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Table::new()),
        Err(e) => return Err(format!("{}: {e}", path.display())),
    };
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let key = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let mut number = || fields.next()?.parse().ok();
        let runs =
            Runs { executions: number()?, seconds: number()?, coverage: number()?, findings: number()? };
        Some((key, runs))
    };
    let rows = text.lines().skip(1).map(|l| row(l).ok_or(format!("{}: {l:?} is no row", path.display())));
    rows.collect()
}

/// Adds one run to the table in the file.
pub(crate) fn add(path: &Path, target: &str, mode: &str, run: Runs) -> Result<(), String> {
    let mut table = read(path)?;
    let sum = table.entry((target.to_owned(), mode.to_owned())).or_default();
    sum.executions += run.executions;
    sum.seconds += run.seconds;
    sum.findings += run.findings;
    if run.coverage > 0 {
        sum.coverage = run.coverage;
    }
    let row = |((target, mode), r): (&(String, String), &Runs)| {
        format!("{target}\t{mode}\t{}\t{}\t{}\t{}\n", r.executions, r.seconds, r.coverage, r.findings)
    };
    let text: String = std::iter::once(HEAD.to_owned()).chain(table.iter().map(row)).collect();
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a failing test panics")]
    fn runs_add_up() {
        let path = std::env::temp_dir().join(format!("runs-{}.tsv", std::process::id()));
        let run = Runs { executions: 10, seconds: 2, coverage: 7, findings: 0 };
        add(&path, "parse_b", "plain", run).unwrap();
        add(&path, "parse_a", "asan", run).unwrap();
        add(&path, "parse_b", "plain", Runs { coverage: 0, findings: 1, ..run }).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(text, format!("{HEAD}parse_a\tasan\t10\t2\t7\t0\nparse_b\tplain\t20\t4\t7\t1\n"));
    }
}
