//! Checks every model in a folder on all cores: `cargo run -p meshwright --example check_folder -- FOLDER`.
#![allow(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), meshwright::Error> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data").to_owned();
    let folder = std::env::args_os().nth(1).unwrap_or(own.into());
    meshwright::Opener::new().open_each(folder, |path, opened| match opened {
        Ok(model) => model.check().iter().for_each(|finding| println!("{path}: {finding}")),
        Err(e) => println!("{path}: {e}"),
    })
}
