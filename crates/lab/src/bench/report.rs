//! Measured ratios: lines for the terminal, tables for docs/performance.md.

use super::measure::{Effort, Samples, Spread};
use super::skinning::SIZES;
use crate::overview::replace;
use meshwright::rig::{InstructionSet, SkinPlan};
use std::fs;
use std::path::Path;

/// One ratio and its target.
pub(crate) struct Row {
    what: String,
    against: &'static str,
    size: usize,
    seconds: f64,
    ratio: Spread,
    target: Option<f64>,
    kernel: Option<String>,
}

impl Row {
    /// The factor by which the first contender is faster than another.
    pub(crate) fn new(
        what: impl Into<String>,
        against: &'static str,
        size: usize,
        samples: &Samples,
        other: usize,
    ) -> Self {
        let (seconds, ratio) = (samples.seconds(0).median, samples.ratio(0, other));
        Self { what: what.into(), against, size, seconds, ratio, target: None, kernel: None }
    }

    pub(crate) fn target(mut self, target: f64) -> Self {
        self.target = Some(target);
        self
    }

    pub(crate) fn kernel(mut self, plan: &SkinPlan) -> Self {
        self.kernel = Some(format!("{:?}", plan.info().kernel));
        self
    }

    fn verdict(&self) -> String {
        let verdict = |t: f64| {
            let word = if self.ratio.median >= t {
                "met"
            } else if self.ratio.high >= t {
                "within the spread"
            } else {
                "missed"
            };
            format!(">= {t}: {word}")
        };
        self.target.map_or_else(String::new, verdict)
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

/// Everything measured so far; rows are printed as they come.
pub(crate) struct Report {
    effort: Effort,
    before: String,
    rows: Vec<Row>,
    lines: Vec<Line>,
}

impl Report {
    pub(crate) fn begin(effort: Effort) -> Self {
        let before = load();
        println!("{} | {} | load {before}", machine(), InstructionSet::detect().name());
        println!("ratios: median (quartiles) of {} rounds; higher is better", effort.rounds);
        Self { effort, before, rows: Vec::new(), lines: Vec::new() }
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

    /// Writes the figures of docs/performance.md; its text is kept there.
    pub(crate) fn write(&self, docs: &Path) -> Result<(), String> {
        let path = docs.join("performance.md");
        let old = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let new = replace(&old, "measured", &self.table(docs))?;
        let new = replace(&new, "slopes", &self.slopes())?;
        fs::write(&path, new).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn table(&self, docs: &Path) -> String {
        let (kernels, rounds) = (InstructionSet::detect().name(), self.effort.rounds);
        let mut s = format!(
            "Commit {}. Machine: {}; kernels: {kernels}; load average before {}, after {}; {rounds} rounds.\n\n",
            commit(docs),
            machine(),
            self.before,
            load(),
        );
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

    fn slopes(&self) -> String {
        let mut s = String::from("| work | slope (quartiles) | below 1.05 |\n|---|---:|---|\n");
        for l in &self.lines {
            let below = if l.slope.median < 1.05 { "yes" } else { "no" };
            s.push_str(&format!("| {} | {} | {below} |\n", l.what, l.slope));
        }
        s
    }
}

fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|l| l.strip_prefix("model name")).and_then(|l| l.split_once(':'));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {threads} threads", name.map_or(std::env::consts::ARCH, |n| n.1.trim()))
}

/// The measured commit, if only the documentation is edited.
fn commit(docs: &Path) -> String {
    let git = |words: &[&str]| {
        let out = std::process::Command::new("git").arg("-C").arg(docs).args(words).output();
        out.ok()
            .filter(|out| out.status.success())
            .map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let edited = git(&["status", "--porcelain", "--", "../crates"]).is_none_or(|list| !list.is_empty());
    let name = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".into());
    if edited { format!("{name}, edited") } else { name }
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|l| !l.is_empty()).unwrap_or("unknown").to_owned()
}
