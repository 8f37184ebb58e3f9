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
mod posing;
mod report;
mod skinning;

use measure::{Contender, Effort, measure};
use report::{Report, SIZES};
use skinning::{Case, JOINTS};
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
    let only = only.as_deref();
    let parts: Vec<_> = PARTS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    for (_, part) in &parts {
        part(&mut report, effort)?;
    }
    match only {
        None | Some(COMMANDS) => commands::measure_all(&mut report, &xtask::released(root, given)?, quick)?,
        Some(NEXUIZ) => commands::measure_nexuiz(&xtask::released(root, given)?, given.path("pack"))?,
        Some(only) if parts.is_empty() => return Err(format!("no such part: {only}")),
        Some(_) => {}
    }
    let has_whole_tables = matches!(only, None | Some(COMMANDS));
    if quick || !has_whole_tables { Ok(()) } else { report.write(&root.join("docs")) }
}

fn skinning(report: &mut Report, effort: Effort) -> Result<(), String> {
    let (influences, dpm) =
        (|n, width, share| meshes::vertices(n, JOINTS, width, share), |n| meshes::mixed(n, JOINTS, 3));
    // A mesh none of whose vertices share a blend, and the usual one.
    for n in [10_000, 30_000, 100_000] {
        for (what, share, target) in
            [("4 influences, all blends different", 1, 1.9), ("4 influences, blends shared by 4", 4, 2.5)]
        {
            let case = Case::new(influences(n, 4, share), false)?;
            let s = measure(effort, &mut [case.skin(false), case.copy(), case.four()]);
            report.add((what, "glam", target), n, &s, [0, GLAM], Some(&case.plan));
        }
    }
    for n in [10_000, 100_000] {
        let case = Case::new(influences(n, 1, n / 64), false)?;
        let s = measure(effort, &mut [case.skin(false), case.copy(), case.four()]);
        report.add(("sorted by bone", "copy", 0.8), n, &s, [0, COPY], Some(&case.plan));
    }
    for n in [10_000, 100_000] {
        for (what, mesh) in
            [("DPM's form, 2 influences", influences(n, 2, 1)), ("DPM's form, 1 to 3 influences", dpm(n))]
        {
            let case = Case::new(mesh, true)?;
            let s = measure(effort, &mut [case.skin(false), case.copy(), case.weighted()]);
            report.add((what, "glam", 1.35), n, &s, [0, GLAM], Some(&case.plan));
        }
    }
    Ok(())
}

fn poses(report: &mut Report, effort: Effort) -> Result<(), String> {
    let s = posing::measure_poses(64, effort)?;
    report.add(("pose, frames", "glam", 2.0), 64, &s, [0, 1], None);
    Ok(())
}

fn threads(report: &mut Report, effort: Effort) -> Result<(), String> {
    for n in [100_000, 400_000] {
        let case = Case::new(meshes::vertices(n, JOINTS, 4, 1), false)?;
        let s = measure(effort, &mut [case.skin(true), case.skin(false)]);
        report.add(("all threads", "one thread", 1.7), n, &s, [0, 1], Some(&case.plan));
    }
    Ok(())
}

/// A measurement over sizes: its name, what it measures, the influences of a vertex, how many vertices share them (0 for those of
/// a joint), and whether vertices are in the spaces of joints.
type Line = (&'static str, fn(&Case) -> Contender<'_>, u32, usize, bool);
const LINES: [Line; 6] = [
    ("4 influences", |case| case.skin(false), 4, 1, false),
    ("shared by 4", |case| case.skin(false), 4, 4, false),
    ("DPM's form", |case| case.skin(false), 2, 1, true),
    ("sorted by bone", |case| case.skin(false), 1, 0, false),
    ("glam, 4 influences", Case::four, 4, 1, false),
    ("copy", Case::copy, 4, 1, false),
];

fn slopes(report: &mut Report, effort: Effort) -> Result<(), String> {
    for (what, work, width, share, is_local) in LINES {
        let share = |n: usize| if share == 0 { n / 64 } else { share };
        let case = |n: &usize| Case::new(meshes::vertices(*n, JOINTS, width, share(*n)), is_local);
        let cases = SIZES.iter().map(case).collect::<Result<Vec<_>, _>>()?;
        report.line(what, &measure(effort, &mut cases.iter().map(work).collect::<Vec<_>>()));
    }
    Ok(())
}
