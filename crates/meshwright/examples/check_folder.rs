//! Checks every model in a folder on all cores: `cargo run -p meshwright --example check_folder -- FOLDER`.
#![allow(clippy::print_stdout, reason = "an example")]

use meshwright::{Finder, Opener, files::Tree};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data").to_owned();
    let finder = Finder::new(Tree::open(std::env::args_os().nth(1).unwrap_or(own.into()))?);
    let files: Vec<_> = finder.tree().walk().files.into_iter().flatten().collect();
    let check = |path| match Opener::new().in_folder(true).open_in(&finder, path) {
        Ok(model) => model.check().iter().for_each(|finding| println!("{path}: {finding}")),
        Err(e) if e.code() == "unknown-format" => {}
        Err(e) => println!("{path}: {e}"),
    };
    let part = files.len().div_ceil(std::thread::available_parallelism()?.get()).max(1);
    std::thread::scope(|scope| {
        files.chunks(part).for_each(|part| drop(scope.spawn(|| part.iter().for_each(check))));
    });
    Ok(())
}
