//! Scales a mesh chunk and writes it back: `cargo run -p meshwright-crucible --example scale -- IN.cmesh OUT.cmesh
//! 2.5`.
//!
//! Without arguments, it scales and prints the example chunk next to this program, which has one triangle.
#![allow(clippy::print_stdout, reason = "an example")]

use meshwright_crucible::{Attribute, Chunk};
use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = env::args_os().skip(1).collect();
    let (file, factor) = match args.as_slice() {
        [] => (include_bytes!("data/triangle.cmesh").to_vec(), 2.0),
        [input, _, factor] => (fs::read(input)?, factor.to_string_lossy().parse()?),
        _ => return Err("arguments: IN.cmesh OUT.cmesh FACTOR".into()),
    };
    let scaled = scaled(&file, factor)?;
    match args.get(1) {
        Some(output) => fs::write(output, scaled)?,
        None => {
            let chunk = Chunk::parse(&scaled)?;
            if let Some(positions) = chunk.positions() {
                positions.iter().for_each(|p| println!("{p:?}"));
            }
        }
    }
    Ok(())
}

/// Returns the file with its positions scaled. Other streams keep their bytes.
fn scaled(file: &[u8], factor: f32) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut chunk = Chunk::parse(file)?;
    let positions = chunk.positions().ok_or("the chunk has no positions in space")?;
    let positions: Vec<_> = positions.iter().map(|p| p.map(|c| *c * factor)).collect();
    chunk.set_floats(Attribute::Position3, &positions)?;
    Ok(chunk.to_bytes()?)
}
