//! Prints the vertices of a mesh at a time of a clip: `cargo run -p meshwright --example skin -- MODEL CLIP SECONDS`.
#![allow(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/bmd/moving.bmd").to_owned();
    let mut args = std::env::args().skip(1);
    let mut player = meshwright::open(args.next().unwrap_or(own))?.player()?;
    player.seek(args.next().as_deref().unwrap_or("0"), args.next().map_or(Ok(0.5), |s| s.parse())?)?;
    for position in player.mesh(0)?.positions {
        println!("{position:?}");
    }
    Ok(())
}
