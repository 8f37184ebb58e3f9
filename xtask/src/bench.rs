//! Performance: ours against what else a program could do, in one process, as ratios.
#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "sizes are chosen here"
)]

mod measure;
mod meshes;
mod peers;
mod posing;
mod skinning;

use measure::Effort;
use meshwright_rig::{Choice, PlanOptions};
use skinning::{Case, Peer};

pub(crate) fn run(_root: &std::path::Path, args: &[String]) -> Result<(), String> {
    let quick = args.iter().any(|a| a == "--quick");
    let effort = if quick { Effort::QUICK } else { Effort::FULL };
    let never = PlanOptions { table: Choice::Never, runs: Choice::Never };
    for (joints, keyed) in [(64, false), (64, true), (256, false)] {
        let s = posing::Case::new(joints, keyed)?.measure(effort)?;
        println!("pose {joints} keyed {keyed} {:.0} ns  glam {}", s.seconds(0).median * 1e9, s.ratio(0, 1));
    }
    if args.iter().any(|a| a == "--pose") {
        return Ok(());
    }
    for n in [1_000, 10_000, 30_000, 100_000] {
        for (name, width, share, options, peer) in [
            ("4 infl", 4, 1, never, Peer::Four),
            ("4 infl share 4", 4, 4, PlanOptions::default(), Peer::Four),
            ("4 infl share 4 no table", 4, 4, never, Peer::Four),
            ("4 infl share 2 table", 4, 2, PlanOptions { table: Choice::Always, ..never }, Peer::Four),
            ("4 infl share 1 table", 4, 1, PlanOptions { table: Choice::Always, ..never }, Peer::Four),
            ("2 infl", 2, 1, never, Peer::Four),
            ("1 infl", 1, 1, never, Peer::One),
            ("runs of 32", 1, 32, PlanOptions::default(), Peer::One),
            ("runs of 12", 1, 12, PlanOptions::default(), Peer::One),
            ("runs of 12, single", 1, 12, never, Peer::One),
            ("runs of 400", 1, 400, PlanOptions::default(), Peer::One),
        ] {
            let case = Case::new(n, width, share, options)?;
            let s = case.measure(effort, peer);
            println!(
                "{name:24} {n:7} {:6.2} ns/v  glam {}  copy {}  [{}]",
                s.seconds(0).median * 1e9 / n as f64,
                s.ratio(0, 2),
                s.ratio(0, 1),
                case.plan.info()
            );
        }
        let v = meshes::vertices(n, 64, 2, 1);
        let case = Case::of(&v, true, never)?;
        let s = case.measure(effort, Peer::Weighted);
        println!(
            "dpm 2 {n:7} {:6.2} ns/v  glam {} copy {}",
            s.seconds(0).median * 1e9 / n as f64,
            s.ratio(0, 2),
            s.ratio(0, 1)
        );
    }
    Ok(())
}
