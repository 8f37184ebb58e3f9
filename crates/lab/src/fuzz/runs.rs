//! `crates/fuzz/runs.tsv`: how often each target was executed on which code, and what came of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const HEAD: &str = "target\tmode\tcode\texecutions\tseconds\tcoverage\tfindings\n";

/// The sum of all runs of a target in one mode on one state of its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    pub(crate) executions: u64,
    pub(crate) seconds: u64,
    /// Edges reached by the latest run that reached any.
    pub(crate) coverage: u64,
    /// Runs that ended with an input that breaks a promise.
    pub(crate) findings: u64,
}

/// What was run: the target, the mode, and the hash of the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) target: String,
    pub(crate) mode: String,
    pub(crate) code: String,
}

pub(crate) type Table = BTreeMap<Key, Runs>;

pub(crate) fn read(path: &Path) -> Result<Table, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Table::new()),
        Err(e) => return Err(format!("{}: {e}", path.display())),
    };
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let mut word = || fields.next().map(str::to_owned);
        let key = Key { target: word()?, mode: word()?, code: word()? };
        let mut number = || fields.next()?.parse().ok();
        let runs =
            Runs { executions: number()?, seconds: number()?, coverage: number()?, findings: number()? };
        Some((key, runs))
    };
    let rows = text.lines().skip(1).map(|l| row(l).ok_or(format!("{}: {l:?} is no row", path.display())));
    rows.collect()
}

/// Adds one run to the table in the file. Of runs on other code the longest are kept.
pub(crate) fn add(path: &Path, key: Key, run: Runs) -> Result<(), String> {
    let mut table = read(path)?;
    let sum = table.entry(key.clone()).or_default();
    sum.executions += run.executions;
    sum.seconds += run.seconds;
    sum.findings += run.findings;
    if run.coverage > 0 {
        sum.coverage = run.coverage;
    }
    let other = |k: &Key| k.target == key.target && k.mode == key.mode && k.code != key.code;
    let most =
        table.iter().filter(|(k, _)| other(k)).max_by_key(|(_, r)| r.executions).map(|(k, _)| k.clone());
    table.retain(|k, _| !other(k) || Some(k) == most.as_ref());
    write(path, &table)
}

fn write(path: &Path, table: &Table) -> Result<(), String> {
    let row = |(key, r): (&Key, &Runs)| {
        let Key { target, mode, code } = key;
        format!("{target}\t{mode}\t{code}\t{}\t{}\t{}\t{}\n", r.executions, r.seconds, r.coverage, r.findings)
    };
    let text: String = std::iter::once(HEAD.to_owned()).chain(table.iter().map(row)).collect();
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a failing test panics")]
    fn runs_add_up_on_the_same_code() {
        let path = std::env::temp_dir().join(format!("runs-{}.tsv", std::process::id()));
        let run = Runs { executions: 10, seconds: 2, coverage: 7, findings: 0 };
        let key = |target: &str, mode: &str, code: &str| Key {
            target: target.into(),
            mode: mode.into(),
            code: code.into(),
        };
        add(&path, key("parse_b", "plain", "1"), run).unwrap();
        add(&path, key("parse_a", "asan", "1"), run).unwrap();
        add(&path, key("parse_b", "plain", "1"), Runs { coverage: 0, findings: 1, ..run }).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("{HEAD}parse_a\tasan\t1\t10\t2\t7\t0\nparse_b\tplain\t1\t20\t4\t7\t1\n"));
        // What was run on other code stays beside it, the longest.
        add(&path, key("parse_b", "plain", "2"), run).unwrap();
        add(&path, key("parse_b", "plain", "3"), run).unwrap();
        let table = read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let kept: Vec<_> = table.iter().map(|(k, r)| (&*k.target, &*k.code, r.executions)).collect();
        assert_eq!(kept, [("parse_a", "1", 10), ("parse_b", "1", 20), ("parse_b", "3", 10)]);
    }
}
