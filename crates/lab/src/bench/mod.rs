//! `xtask bench`: compares the library with alternatives, in one process, as ratios.
//!
//! `--quick` measures for some seconds and only prints; without it the figures of docs/performance.md are updated.
//! `--only skinning|poses|threads|formats|exchange|slopes|commands|nexuiz` measures that part; of these, only `commands` updates
//! the page. `--program FILE` is the program whose commands are measured.
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
mod native;
mod peers;
mod posing;
mod report;
mod skinning;

use measure::{Effort, measure};
use report::{Report, Row, SIZES};
use skinning::{Case, JOINTS, Work};
use std::path::Path;
use std::process::Command;
use xtask::sh::{self, Given};

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

/// The parts that run the program instead of the library.
const COMMANDS: &str = "commands";
const NEXUIZ: &str = "nexuiz";

/// Settings of glibc: with them, large blocks are always mapped again, and memory of small blocks is never returned.
/// Otherwise the allocator's state decides which contender pays for fresh pages.
const MAPPED: &str = "MALLOC_MMAP_THRESHOLD_";
const TRIMMED: &str = "MALLOC_TRIM_THRESHOLD_";

/// Runs every measurement.
pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let (quick, only) = (given.has("quick"), given.value::<String>("only")?);
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
        && ![COMMANDS, NEXUIZ].contains(&only.as_str())
    {
        return Err(format!("no such part: {only}"));
    }
    for (name, part) in PARTS {
        if only.as_ref().is_none_or(|o| o == name) {
            part(&mut report, effort)?;
        }
    }
    if only.as_ref().is_none_or(|o| o == COMMANDS) {
        commands::measure_all(&mut report, &xtask::released(root, given)?, quick)?;
    }
    if only.as_ref().is_some_and(|o| o == NEXUIZ) {
        commands::measure_nexuiz(&xtask::released(root, given)?, given.path("pack"))?;
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
            let case = Case::new(n, 4, share)?;
            let s = case.measure(effort, &[Work::Skin, Work::Copy, Work::Four]);
            report.add(Row::new(what, "glam", n, &s, GLAM, target).kernel(&case.plan));
        }
    }
    for n in [10_000, 100_000] {
        let case = Case::new(n, 1, n / 64)?;
        let s = case.measure(effort, &[Work::Skin, Work::Copy, Work::Four]);
        report.add(Row::new("sorted by bone", "copy", n, &s, COPY, 0.8).kernel(&case.plan));
    }
    for n in [10_000, 100_000] {
        for (what, vertices) in [
            ("DPM's form, 2 influences", meshes::vertices(n, JOINTS, 2, 1)),
            ("DPM's form, 1 to 3 influences", meshes::mixed(n, JOINTS, 3)),
        ] {
            let case = Case::from_vertices(&vertices, true)?;
            let s = case.measure(effort, &[Work::Skin, Work::Copy, Work::Weighted]);
            report.add(Row::new(what, "glam", n, &s, GLAM, 1.35).kernel(&case.plan));
        }
    }
    Ok(())
}

fn poses(report: &mut Report, effort: Effort) -> Result<(), String> {
    let s = posing::Case::new(64)?.measure(effort)?;
    report.add(Row::new("pose, frames", "glam", 64, &s, 1, 2.0));
    Ok(())
}

fn threads(report: &mut Report, effort: Effort) -> Result<(), String> {
    for n in [100_000, 400_000] {
        let case = Case::new(n, 4, 1)?;
        let s = case.measure(effort, &[Work::AllThreads, Work::Skin]);
        report.add(Row::new("all threads", "one thread", n, &s, 1, 1.7).kernel(&case.plan));
    }
    Ok(())
}

fn slopes(report: &mut Report, effort: Effort) -> Result<(), String> {
    for (what, work, width, share, is_local) in [
        ("4 influences", Work::Skin, 4, 1, false),
        ("shared by 4", Work::Skin, 4, 4, false),
        ("DPM's form", Work::Skin, 2, 1, true),
        ("sorted by bone", Work::Skin, 1, 0, false),
        ("glam, 4 influences", Work::Four, 4, 1, false),
        ("copy", Work::Copy, 4, 1, false),
    ] {
        let case = |n: &usize| {
            let share = if width == 1 { n / 64 } else { share };
            Case::from_vertices(&meshes::vertices(*n, JOINTS, width, share), is_local)
        };
        let cases = SIZES.iter().map(case).collect::<Result<Vec<_>, _>>()?;
        let mut contenders: Vec<_> = cases.iter().map(|case| case.contender(work)).collect();
        report.line(what, &measure(effort, &mut contenders));
    }
    Ok(())
}
