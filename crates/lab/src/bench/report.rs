//! Measured ratios: lines for the terminal, tables for docs/performance.md.

use super::measure::{Effort, Samples, Spread, slope};
use super::skinning::SIZES;
use meshwright::rig::{InstructionSet, SkinPlan};
use std::path::Path;
use xtask::sh::{self, load, machine};

/// One ratio and its target.
pub(crate) struct Row {
    what: String,
    against: &'static str,
    size: usize,
    seconds: f64,
    ratio: Spread,
    target: f64,
    kernel: Option<String>,
}

impl Row {
    /// Returns the factor by which the first contender is faster than another.
    pub(crate) fn new(
        what: impl Into<String>,
        against: &'static str,
        size: usize,
        samples: &Samples,
        other: usize,
        target: f64,
    ) -> Self {
        let (seconds, ratio) = (samples.seconds(0).median, samples.ratio(0, other));
        Self { what: what.into(), against, size, seconds, ratio, target, kernel: None }
    }

    pub(crate) fn kernel(mut self, plan: &SkinPlan) -> Self {
        self.kernel = Some(format!("{:?}", plan.info().kernel));
        self
    }

    fn verdict(&self) -> String {
        let verdict = match self.target {
            target if self.ratio.median >= target => "met",
            target if self.ratio.high >= target => "within the spread",
            _ => "missed",
        };
        format!(">= {}: {verdict}", self.target)
    }

    fn each(&self) -> String {
        format!("{:.2}", self.seconds * 1e9 / self.size as f64)
    }
}

/// The growth of the cost of one kind of work.
struct Line {
    what: &'static str,
    slope: Spread,
}

/// The time and memory of a command over sizes.
pub(crate) struct Growth {
    what: &'static str,
    unit: &'static str,
    sizes: Vec<usize>,
    seconds: Vec<f64>,
    bytes: Vec<u64>,
}

impl Growth {
    pub(crate) const fn new(what: &'static str, unit: &'static str) -> Self {
        Self { what, unit, sizes: Vec::new(), seconds: Vec::new(), bytes: Vec::new() }
    }

    /// Adds the seconds and bytes of a size.
    pub(crate) fn add(&mut self, size: usize, (seconds, bytes): (f64, u64)) {
        self.sizes.push(size);
        self.seconds.push(seconds);
        self.bytes.push(bytes);
    }

    fn mebibytes(&self) -> f64 {
        self.bytes.last().copied().unwrap_or(0) as f64 / f64::from(1 << 20)
    }

    fn last(&self) -> (usize, f64) {
        let size = self.sizes.last().copied().unwrap_or(0);
        (size, self.seconds.last().copied().unwrap_or(f64::NAN))
    }

    /// Returns the slope over all sizes, and that from the last but one to the last, where the start of the program counts least.
    fn slopes(&self) -> (f64, f64) {
        let from = self.sizes.len().saturating_sub(2);
        (slope(&self.sizes, &self.seconds), slope(&self.sizes[from..], &self.seconds[from..]))
    }
}

/// Everything measured so far; rows are printed as they come.
pub(crate) struct Report {
    effort: Effort,
    before: String,
    rows: Vec<Row>,
    lines: Vec<Line>,
    growths: Vec<Growth>,
}

impl Report {
    pub(crate) fn begin(effort: Effort) -> Self {
        let before = load(0);
        println!("{} | {} | load {before}", machine(), InstructionSet::detect().name());
        println!("ratios: median (quartiles) of {} rounds; higher is better", effort.rounds);
        Self { effort, before, rows: Vec::new(), lines: Vec::new(), growths: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: Row) {
        println!(
            "{:40} {:>8}  {:>7} ns each  {:>18} of {:10} {:8} {}",
            row.what,
            row.size,
            row.each(),
            row.ratio.to_string(),
            row.against,
            row.kernel.as_deref().unwrap_or_default(),
            row.verdict(),
        );
        self.rows.push(row);
    }

    pub(crate) fn line(&mut self, what: &'static str, samples: &Samples) {
        let slope = samples.slope(&SIZES);
        println!("{what:40} slope {slope} from {} to {} vertices", SIZES[0], SIZES[SIZES.len() - 1]);
        self.lines.push(Line { what, slope });
    }

    pub(crate) fn growth(&mut self, growth: Growth) {
        let (all, end) = growth.slopes();
        println!("{:28} slope {all:.2}, at the end {end:.2}", growth.what);
        for ((size, seconds), bytes) in growth.sizes.iter().zip(&growth.seconds).zip(&growth.bytes) {
            println!("    {size:>8} {}  {seconds:>7.3} s  {:>5} MiB", growth.unit, bytes >> 20);
        }
        self.growths.push(growth);
    }

    /// Writes what was measured into the tables of docs/performance.md. The other text of the page stays.
    pub(crate) fn write(&self, docs: &Path) -> Result<(), String> {
        let path = docs.join("performance.md");
        let mut page = sh::read_text(&path)?;
        if !self.rows.is_empty() {
            page = replace(&page, "measured", &self.table(docs))?;
        }
        if !self.lines.is_empty() {
            page = replace(&page, "slopes", &self.slopes())?;
        }
        if !self.growths.is_empty() {
            page = replace(&page, "commands", &(self.conditions(docs) + &self.commands()))?;
        }
        sh::write(&path, page)
    }

    /// Returns a line with the commit, the machine and its load.
    fn conditions(&self, docs: &Path) -> String {
        let (commit, machine, before, after) = (commit(docs), machine(), &self.before, load(0));
        format!("Commit {commit}. Machine: {machine}; load average before {before}, after {after}.\n\n")
    }

    fn table(&self, docs: &Path) -> String {
        let (kernels, rounds) = (InstructionSet::detect().name(), self.effort.rounds);
        let mut s = format!("{}Kernels: {kernels}; {rounds} rounds.\n\n", self.conditions(docs));
        s.push_str("| work | size | kernel | ns each | against | ratio (quartiles) | target |\n");
        s.push_str("|---|---:|---|---:|---|---:|---|\n");
        for r in &self.rows {
            let (kernel, each, verdict) = (r.kernel.as_deref().unwrap_or(""), r.each(), r.verdict());
            let Row { what, size, against, ratio, .. } = r;
            s.push_str(&format!(
                "| {what} | {size} | {kernel} | {each} | {against} | {ratio} | {verdict} |\n"
            ));
        }
        s
    }

    fn commands(&self) -> String {
        let mut s = String::from("| command | largest | time | peak memory | slope | slope at the end |\n");
        s.push_str("|---|---:|---:|---:|---:|---:|\n");
        for growth in &self.growths {
            let ((size, seconds), (all, end)) = (growth.last(), growth.slopes());
            let Growth { what, unit, .. } = growth;
            let memory = growth.mebibytes();
            s.push_str(&format!(
                "| {what} | {size} {unit} | {seconds:.2} s | {memory:.0} MiB | {all:.2} | {end:.2} |\n"
            ));
        }
        s
    }

    fn slopes(&self) -> String {
        let mut s = String::from("| work | slope (quartiles) | below 1.05 |\n|---|---:|---|\n");
        for l in &self.lines {
            let below = if l.slope.median < 1.05 { "yes" } else { "no" };
            s.push_str(&format!("| {} | {} | {below} |\n", l.what, l.slope));
        }
        s
    }
}

/// Returns the measured commit, if only the documentation is edited.
fn commit(docs: &Path) -> String {
    let git =
        |words: &[&str]| sh::output_text(std::process::Command::new("git").arg("-C").arg(docs).args(words));
    let edited = git(&["status", "--porcelain", "--", "../crates"]).map_or(true, |list| !list.is_empty());
    let name = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|_| "unknown".into());
    if edited { format!("{name}, edited") } else { name }
}

/// Returns the text with another table between the marks of this name.
fn replace(text: &str, name: &str, table: &str) -> Result<String, String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = text.find(&open).ok_or_else(|| format!("there is no {open:?}"))? + open.len();
    let end = text[start..].find(&close).ok_or_else(|| format!("there is no {close:?}"))? + start;
    Ok(format!("{}{table}{}", &text[..start], &text[end..]))
}
