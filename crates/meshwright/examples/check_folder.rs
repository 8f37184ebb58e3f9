//! Checks every model in a folder on all cores: `cargo run -p meshwright --example check_folder -- FOLDER`.
//!
//! Without an argument it is the folder of this program's own models. The same folder gives the same lines in the same
//! order, whatever thread is done first.
#![allow(clippy::print_stdout, reason = "an example")]

use meshwright::files::{Tree, TreePath};
use meshwright::{Finder, OpenOptions};
use std::error::Error;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

/// The result for a file.
enum Outcome {
    NoModel,
    Broken(meshwright::Error),
    Checked(meshwright::Report),
}

fn main() -> Result<(), Box<dyn Error>> {
    let own = || concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data").into();
    let finder = Finder::new(Tree::open(env::args_os().nth(1).map_or_else(own, PathBuf::from))?);
    let files = finder.tree().walk().files.into_iter().collect::<Result<Vec<_>, _>>().map_err(|(_, e)| e)?;

    let outcomes: Vec<OnceLock<Outcome>> = files.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let file = next.fetch_add(1, Ordering::Relaxed);
                    let Some((path, outcome)) = files.get(file).zip(outcomes.get(file)) else { break };
                    outcome.get_or_init(|| check(&finder, path));
                }
            });
        }
    });

    let (mut sound, mut broken) = (0, 0);
    for (path, outcome) in files.iter().zip(&outcomes) {
        match outcome.get() {
            Some(Outcome::Checked(report)) => {
                sound += 1;
                for finding in report {
                    println!("{path}: {finding}");
                }
            }
            Some(Outcome::Broken(error)) => {
                broken += 1;
                println!("{path}: {error}");
            }
            Some(Outcome::NoModel) | None => {}
        }
    }
    println!("{sound} models, {broken} files that cannot be read, {} others", files.len() - sound - broken);
    Ok(())
}

fn check(finder: &Finder, path: &TreePath) -> Outcome {
    let mut options = OpenOptions::default();
    // The user did not name this file: an uncertain detection does not count.
    options.met = true;
    match finder.open(path, &options) {
        Ok(asset) => Outcome::Checked(asset.check()),
        Err(error) if error.code() == "unknown-format" => Outcome::NoModel,
        Err(error) => Outcome::Broken(error),
    }
}
