//! Checks every model in a folder on all cores: `cargo run -p meshwright --example check_folder -- FOLDER`.
#![allow(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data").to_owned();
    let models = meshwright::models_in(std::env::args_os().nth(1).unwrap_or(own.into()))?.models;
    let check = |found: &meshwright::FoundModel| match meshwright::open(&found.path) {
        Ok(model) => model.check().iter().for_each(|finding| println!("{}: {finding}", found.place)),
        Err(e) => println!("{}: {e}", found.place),
    };
    let part = models.len().div_ceil(std::thread::available_parallelism()?.get()).max(1);
    let parts = models.chunks(part);
    std::thread::scope(|scope| parts.for_each(|part| drop(scope.spawn(|| part.iter().for_each(check)))));
    Ok(())
}
