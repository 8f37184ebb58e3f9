//! Measured ratios: rows of Markdown, printed as they come, for the tables of docs/performance.md.

use super::measure::{Effort, Samples, slope};
use meshwright::rig::{InstructionSet, SkinPlan};
use std::path::Path;
use std::process::Command;
use xtask::sh::{self, load, machine};

/// The tables of the page, with their heads.
const TABLES: [(&str, &str); 3] = [
    (
        "measured",
        "| work | size | kernel | ns each | against | ratio (quartiles) | target |\n|---|---:|---|---:|---|---:|---|\n",
    ),
    ("slopes", "| work | slope (quartiles) | below 1.05 |\n|---|---:|---|\n"),
    (
        "commands",
        "| command | largest | time | peak memory | slope | slope at the end |\n|---|---:|---:|---:|---:|---:|\n",
    ),
];

/// The numbers of vertices in the table of slopes.
pub(super) const SIZES: [usize; 7] = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];

/// The time and memory of a command over sizes.
pub(crate) struct Growth {
    what: &'static str,
    unit: &'static str,
    sizes: Vec<usize>,
    seconds: Vec<f64>,
    /// The peak memory of the last size.
    bytes: u64,
}

impl Growth {
    pub(crate) const fn new(what: &'static str, unit: &'static str) -> Self {
        Self { what, unit, sizes: Vec::new(), seconds: Vec::new(), bytes: 0 }
    }

    /// Adds the seconds and bytes of a size, and prints them.
    pub(crate) fn add(&mut self, size: usize, (seconds, bytes): (f64, u64)) {
        println!("{:28} {size:>8} {}  {seconds:>7.3} s  {:>5} MiB", self.what, self.unit, bytes >> 20);
        self.sizes.push(size);
        self.seconds.push(seconds);
        self.bytes = bytes;
    }
}

/// Everything measured so far.
pub(crate) struct Report {
    effort: Effort,
    before: String,
    /// The rows of each table.
    rows: [String; TABLES.len()],
}

impl Report {
    pub(crate) fn begin(effort: Effort) -> Self {
        let before = load(0);
        println!("{} | {} | load {before}", machine(), InstructionSet::detect().name());
        println!("ratios: median (quartiles) of {} rounds; higher is better", effort.rounds);
        Self { effort, before, rows: Default::default() }
    }

    fn push(&mut self, table: usize, row: &str) {
        println!("{row}");
        self.rows[table] += &format!("{row}\n");
    }

    /// Adds the factor by which a contender is faster than another, for a work of this size: what, against what, target.
    pub(crate) fn add(
        &mut self,
        (what, against, target): (&str, &str, f64),
        size: usize,
        samples: &Samples,
        [ours, other]: [usize; 2],
        plan: Option<&SkinPlan>,
    ) {
        let ratio = samples.ratio(ours, other);
        let verdict = match target {
            target if ratio.median >= target => "met",
            target if ratio.high >= target => "within the spread",
            _ => "missed",
        };
        let each = samples.seconds(ours).median * 1e9 / size as f64;
        let kernel = plan.map_or(String::new(), |plan| format!("{:?}", plan.info().kernel));
        self.push(
            0,
            &format!(
                "| {what} | {size} | {kernel} | {each:.2} | {against} | {ratio} | >= {target}: {verdict} |"
            ),
        );
    }

    pub(crate) fn line(&mut self, what: &'static str, samples: &Samples) {
        let slope = samples.slope(&SIZES);
        let below = if slope.median < 1.05 { "yes" } else { "no" };
        self.push(1, &format!("| {what} | {slope} | {below} |"));
    }

    pub(crate) fn growth(&mut self, growth: Growth) {
        let Growth { what, unit, sizes, seconds, bytes } = growth;
        let (Some(size), Some(last)) = (sizes.last(), seconds.last()) else { return };
        // At the end, the start of the program counts least.
        let from = sizes.len().saturating_sub(2);
        let (all, end) = (slope(&sizes, &seconds), slope(&sizes[from..], &seconds[from..]));
        let memory = bytes >> 20;
        let row = format!("{what} | {size} {unit} | {last:.2} s | {memory} MiB | {all:.2} | {end:.2}");
        self.push(2, &format!("| {row} |"));
    }

    /// Writes what was measured into the tables of docs/performance.md. The other text of the page stays.
    pub(crate) fn write(&self, docs: &Path) -> Result<(), String> {
        let path = docs.join("performance.md");
        let mut page = sh::read_text(&path)?;
        let (commit, machine, before, after) = (commit(docs), machine(), &self.before, load(0));
        let (kernels, rounds) = (InstructionSet::detect().name(), self.effort.rounds);
        let conditions = format!(
            "Commit {commit}. Machine: {machine}; load average before {before}, after {after}. \
             Kernels: {kernels}; {rounds} rounds.\n\n"
        );
        for ((name, head), rows) in TABLES.iter().zip(&self.rows).filter(|(_, rows)| !rows.is_empty()) {
            page = sh::replace_block(&page, name, &format!("{conditions}{head}{rows}"))?;
        }
        sh::write(&path, page)
    }
}

/// Returns the measured commit, if only the documentation is edited.
fn commit(docs: &Path) -> String {
    let git = |words: &[&str]| sh::output_text(Command::new("git").arg("-C").arg(docs).args(words));
    let edited = git(&["status", "--porcelain", "--", "../crates"]).map_or(true, |list| !list.is_empty());
    let name = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|_| "unknown".into());
    if edited { format!("{name}, edited") } else { name }
}
