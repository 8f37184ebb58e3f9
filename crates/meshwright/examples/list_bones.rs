//! Prints the bones of a model: `cargo run -p meshwright --example list_bones -- MODEL`.
#![allow(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), meshwright::Error> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/dpm/quad.dpm").to_owned();
    let model = meshwright::open(std::env::args_os().nth(1).unwrap_or(own.into()))?;
    for joint in model.scene()?.value.skeletons.iter().flat_map(|skeleton| &skeleton.joints) {
        println!("{}, child of {:?}", joint.name, joint.parent);
    }
    Ok(())
}
