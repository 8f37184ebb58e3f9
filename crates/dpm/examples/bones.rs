//! Prints the bone tree of a DPM or ZYM model: `cargo run -p meshwright-dpm --example bones -- MODEL.dpm`.
//!
//! Without an argument a small model is made, written, read again and shown.
#![allow(clippy::print_stdout, reason = "an example")]

use meshwright_dpm::{Bone, BonePose, Dpm, Frame, Influence, Mesh, Name, Vertices, Zym};
use std::error::Error;
use std::sync::Arc;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let file = match env::args_os().nth(1) {
        Some(path) => fs::read(path)?,
        None => hinge().to_bytes()?,
    };
    let bones = if file.starts_with(b"ZYMOTICMODEL") {
        Zym::parse(&file)?.bones
    } else {
        let model = Dpm::parse(&file)?;
        for clip in model.clips_from_names() {
            println!("{}: {} frames, {} s", Name::truncated(&clip.name), clip.length, clip.seconds());
        }
        model.bones
    };
    // Parents come before their children.
    let mut depths: Vec<usize> = Vec::new();
    for bone in &bones {
        let depth = bone.parent().and_then(|p| depths.get(p)).map_or(0, |d| d + 1);
        depths.push(depth);
        println!("{}{}", "  ".repeat(depth), bone.name);
    }
    Ok(())
}

/// A triangle that hangs from the second of two bones.
fn hinge() -> Dpm {
    let bones = vec![Bone::new(Name::truncated(b"frame"), -1), Bone::new(Name::truncated(b"door"), 0)];
    let corner = |x: f32, z: f32| {
        let origin = [x, 0.0, z].map(Into::into);
        [Influence { origin, influence: 1.0.into(), bone: 1, ..Influence::default() }]
    };
    let vertices: Vertices = [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 2.0)].into_iter().collect();
    let mesh = Mesh {
        shader: Name::truncated(b"textures/wood"),
        vertices: Arc::new(vertices),
        texcoords: Arc::new(vec![Default::default(); 3]),
        triangles: Arc::new(vec![[0, 1, 2]]),
        groupids: Arc::new(vec![0]),
    };
    let frame = Frame { name: Name::truncated(b"closed_0"), ..Frame::default() };
    Dpm::new(bones, vec![mesh], vec![BonePose::IDENTITY; 2], vec![frame])
}
