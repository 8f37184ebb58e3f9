//! Restores a game's file from an edited GLB: `cargo run -p meshwright --example restore -- EDITED.glb FORMAT FOLDER`.
#![allow(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/dpm/quad.dpm").to_owned();
    let mut args = std::env::args_os().skip(1);
    let edited = meshwright::open(args.next().unwrap_or(own.into()))?;
    let format = args.next().unwrap_or("dpm".into()).to_string_lossy().parse::<meshwright::Target>()?;
    let made = edited.restore(format)?;
    for line in made.edits().map(|edits| meshwright::recovery_lines(edits, 20)).unwrap_or_default() {
        println!("{line}");
    }
    println!("{:?}", made.write_to(args.next().map_or(std::env::temp_dir(), Into::into))?);
    Ok(())
}
