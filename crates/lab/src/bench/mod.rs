//! `xtask bench`: compares the library with alternatives, in one process, as ratios.
//!
//! `--quick` measures for some seconds and only prints; without it the figures of docs/performance.md are updated.
//! `--only skinning|poses|threads|formats|exchange|slopes|commands` measures that part; of these, only `commands` updates
//! the page. `--corpus DIR` measures the files and skinned models of a corpus folder too. `--program FILE` is the program whose commands are measured.
#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "sizes are chosen here"
)]

mod commands;
mod exchange;
mod formats;
mod measure;
mod meshes;
mod models;
mod native;
mod peers;
mod posing;
mod report;
mod skinning;
mod writer;

use crate::value;
use lexopt::{Arg, Parser};
use measure::Effort;
use meshwright::rig::{Choice, PlanOptions};
use report::{Report, Row};
use skinning::{Case, Peer, Series};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::sh;

const COPY: usize = 1;
const GLAM: usize = 2;

/// A group of measurements.
type Group = fn(&mut Report, Effort) -> Result<(), String>;
const PARTS: [(&str, Group); 6] = [
    ("skinning", skinning),
    ("poses", poses),
    ("threads", threads),
    ("formats", formats::measure_all),
    ("exchange", exchange::measure_all),
    ("slopes", slopes),
];

/// The part that runs the program instead of the library.
const COMMANDS: &str = "commands";

/// Settings of glibc: with them, large blocks are always mapped again, and memory of small blocks is never returned.
/// Otherwise the allocator's state decides which contender pays for fresh pages.
const MAPPED: &str = "MALLOC_MMAP_THRESHOLD_";
const TRIMMED: &str = "MALLOC_TRIM_THRESHOLD_";

struct Options {
    quick: bool,
    only: Option<String>,
    corpus: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Options {
    fn new(mut words: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self { quick: false, only: None, corpus: None, program: None };
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("quick") => options.quick = true,
                Arg::Long("only") => options.only = Some(value(&mut words)?),
                Arg::Long("corpus") => options.corpus = Some(words.value()?.into()),
                Arg::Long("program") => options.program = Some(words.value()?.into()),
                _ => return Err(word.unexpected()),
            }
        }
        Ok(options)
    }
}

/// Runs every measurement.
pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let Options { quick, only, corpus, program } = Options::new(words).map_err(|e| e.to_string())?;
    if cfg!(target_env = "gnu") && std::env::var_os(MAPPED).is_none() {
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut again = Command::new(own);
        again.args(std::env::args_os().skip(1)).env(MAPPED, "1048576").env(TRIMMED, "1073741824");
        return sh::run(&mut again);
    }
    let effort = if quick { Effort::QUICK } else { Effort::FULL };
    let mut report = Report::begin(effort);
    if let Some(only) = &only
        && !PARTS.iter().any(|(name, _)| name == only)
        && only != COMMANDS
    {
        return Err(format!("no such part: {only}"));
    }
    for (name, part) in PARTS {
        if only.as_ref().is_none_or(|o| o == name) {
            part(&mut report, effort)?;
        }
    }
    if only.as_ref().is_none_or(|o| o == COMMANDS) {
        commands::measure_all(&mut report, &commands::program(root, program)?, quick)?;
    }
    if let Some(dir) = corpus {
        models::measure_all(&dir, &mut report, effort)?;
        formats::corpus(&dir, &mut report, effort)?;
    }
    let has_whole_tables = only.is_none_or(|only| only == COMMANDS);
    if quick || !has_whole_tables {
        return Ok(());
    }
    report.write(&root.join("docs"))
}

fn skinning(report: &mut Report, effort: Effort) -> Result<(), String> {
    // A mesh none of whose vertices share a blend, and the usual one.
    for n in [10_000, 30_000, 100_000] {
        for (what, share, target) in
            [("4 influences, all blends different", 1, 1.9), ("4 influences, blends shared by 4", 4, 2.5)]
        {
            let case = Case::new(n, 4, share, PlanOptions::default())?;
            let s = case.measure(effort, Peer::Four);
            report.add(Row::new(what, "glam", n, &s, GLAM).target(target).kernel(&case.plan));
        }
    }
    let case = Case::new(10_000, 4, 1, PlanOptions::default())?;
    let s = case.measure_portable(effort, Peer::Four);
    report.add(Row::new("4 influences, portable kernels", "glam", 10_000, &s, GLAM).kernel(&case.plan));
    for n in [10_000, 100_000] {
        let case = Case::new(n, 1, 1, PlanOptions::default())?;
        let s = case.measure(effort, Peer::One);
        report.add(Row::new("1 influence", "glam", n, &s, GLAM).kernel(&case.plan));
        let case = Case::new(n, 1, n / 64, PlanOptions::default())?;
        let s = case.measure(effort, Peer::One);
        report.add(Row::new("sorted by bone", "copy", n, &s, COPY).target(0.8).kernel(&case.plan));
        report.add(Row::new("sorted by bone", "glam", n, &s, GLAM).kernel(&case.plan));
    }
    for n in [10_000, 100_000] {
        for (what, vertices) in [
            ("DPM's form, 2 influences", meshes::vertices(n, skinning::JOINTS, 2, 1)),
            ("DPM's form, 1 to 3 influences", meshes::mixed(n, skinning::JOINTS, 3)),
        ] {
            let case = Case::from_vertices(&vertices, true, PlanOptions::default())?;
            let s = case.measure(effort, Peer::Weighted);
            report.add(Row::new(what, "glam", n, &s, GLAM).target(1.35).kernel(&case.plan));
        }
    }
    for n in [10_000, 30_000, 100_000] {
        for (what, share) in [("DPM's form, joints agree", 1), ("DPM's form, agreed blends shared by 4", 4)] {
            let vertices = meshes::vertices(n, skinning::JOINTS, 2, share);
            let held = Case::with_local(&vertices, PlanOptions::default())?;
            let stored = Case::with_local(&vertices, PlanOptions::default().with_bind_pose(Choice::Never))?;
            let s = held.against(effort, &stored);
            report.add(Row::new(what, "as it is stored", n, &s, 1).kernel(&held.plan));
        }
    }
    // The measurements on which the choice of a table rests.
    for share in [1, 2] {
        let options = PlanOptions::default().with_blend_table(Choice::Always);
        let table = Case::new(30_000, 4, share, options)?;
        let none = Case::new(30_000, 4, share, options.with_blend_table(Choice::Never))?;
        let s = table.against(effort, &none);
        let what = if share == 1 { "table, blends not shared" } else { "table, blends shared by 2" };
        report.add(Row::new(what, "no table", 30_000, &s, 1).kernel(&table.plan));
    }
    Ok(())
}

fn poses(report: &mut Report, effort: Effort) -> Result<(), String> {
    for (what, joints, keyed, target) in [
        ("pose, frames", 16, false, None),
        ("pose, frames", 64, false, Some(2.0)),
        ("pose, frames", 256, false, None),
        ("pose, keys", 16, true, None),
        ("pose, keys", 64, true, None),
        ("pose, keys", 256, true, None),
    ] {
        let s = posing::Case::new(joints, keyed)?.measure(effort)?;
        let row = Row::new(what, "glam", joints, &s, 1);
        report.add(if let Some(target) = target { row.target(target) } else { row });
    }
    let s = posing::Case::new(64, false)?.measure_blend(effort)?;
    report.add(Row::new("blend of three poses", "glam", 64, &s, 1));
    Ok(())
}

fn threads(report: &mut Report, effort: Effort) -> Result<(), String> {
    // The current speed of the machine.
    let s = skinning::arithmetic(effort);
    report.add(Row::new("all threads, only arithmetic", "one thread", 100_000, &s, 1));
    for n in [16_000, 100_000, 400_000] {
        let case = Case::new(n, 4, 1, PlanOptions::default())?;
        let s = case.threads(effort);
        let row = Row::new("all threads", "one thread", n, &s, 1).kernel(&case.plan);
        report.add(if n < 100_000 { row } else { row.target(1.7) });
    }
    Ok(())
}

fn slopes(report: &mut Report, effort: Effort) -> Result<(), String> {
    for (what, series) in [
        ("4 influences", Series::Skin { width: 4, share: 1, local: false }),
        ("shared by 4", Series::Skin { width: 4, share: 4, local: false }),
        ("DPM's form", Series::Skin { width: 2, share: 1, local: true }),
        ("sorted by bone", Series::Sorted),
        ("glam, 4 influences", Series::Glam),
        ("copy", Series::Copy),
    ] {
        report.line(what, &series.measure(effort)?);
    }
    Ok(())
}
