//! Renames the shaders of a DPM model and writes it: `cargo run -p meshwright --example edit -- IN.dpm OUT.dpm`.

use meshwright::dpm::{Dpm, Name};
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/dpm/quad.dpm").to_owned();
    let mut args = env::args_os().skip(1);
    let mut model = Dpm::parse(&fs::read(args.next().unwrap_or(own.into()))?)?;
    for mesh in &mut model.meshes {
        mesh.shader = Name::try_from("textures/gold")?;
    }
    fs::write(args.next().map_or(env::temp_dir().join("gold.dpm"), Into::into), model.to_bytes()?)?;
    Ok(())
}
