//! Prints the vertices of a mesh at a time of a clip: `cargo run -p meshwright --example pose_mesh -- MODEL CLIP SECONDS`.
#![allow(clippy::print_stdout, reason = "an example")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/bmd/moving.bmd").to_owned();
    let mut args = std::env::args_os().skip(1);
    let mut player = meshwright::open(args.next().unwrap_or(own.into()))?.player()?;
    let (clip, time) = (args.next().unwrap_or("0".into()), args.next().unwrap_or("0.5".into()));
    player.seek(&clip.to_string_lossy(), time.to_string_lossy().parse()?)?;
    for position in player.mesh(0)?.positions {
        println!("{position:?}");
    }
    Ok(())
}
