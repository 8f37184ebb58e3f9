//! Prints the anims of an IQM file: `cargo run --example anims -- model.iqm`.
#![allow(clippy::print_stdout, reason = "a program")]

use meshwright_iqm::{AnimFlags, Iqm};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/tube.iqm").into());
    let model = Iqm::parse(&std::fs::read(path)?)?;
    for anim in &model.anims {
        let name = String::from_utf8_lossy(model.str(anim.name));
        let end = if anim.flags.contains(AnimFlags::LOOP) { "looping" } else { "once" };
        println!("{name}: {} frames at {} per second, {end}", anim.frame_count, anim.framerate);
    }
    Ok(())
}
