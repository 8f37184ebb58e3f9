//! Converts a model to GLB with its textures: `cargo run -p meshwright --example convert -- MODEL FOLDER`.
#![allow(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), meshwright::Error> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/dpm/quad.dpm").to_owned();
    let mut args = std::env::args_os().skip(1);
    let glb = meshwright::open(args.next().unwrap_or(own.into()))?.convert(meshwright::Target::Glb)?;
    for loss in glb.losses() {
        println!("{loss}");
    }
    println!("{:?}", glb.write_to(args.next().map_or(std::env::temp_dir(), Into::into))?);
    Ok(())
}
