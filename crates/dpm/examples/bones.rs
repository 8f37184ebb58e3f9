//! Prints the bones of a DPM or ZYM model as a tree: `cargo run -p meshwright-dpm --example bones -- MODEL.dpm`.
//!
//! Without an argument it uses the small model next to this program.
#![allow(clippy::print_stdout, reason = "an example")]

use meshwright_dpm::{BoneFlags, Dpm, Zym};
use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let file = match env::args_os().nth(1) {
        Some(path) => fs::read(path)?,
        None => include_bytes!("data/quad.dpm").to_vec(),
    };
    let is_zym = file.starts_with(b"ZYMOTICMODEL");
    let bones = if is_zym { Zym::parse(&file)?.bones } else { Dpm::parse(&file)?.bones };

    // The lines to print with their depth; the last one is printed next.
    let mut open = Vec::new();
    let mut children = vec![Vec::new(); bones.len()];
    for (index, bone) in bones.iter().enumerate().rev() {
        match bone.parent() {
            Some(parent) => children[parent].push(index),
            None => open.push((index, 0)),
        }
    }
    while let Some((index, depth)) = open.pop() {
        let bone = &bones[index];
        let note = if bone.flags.contains(BoneFlags::ATTACHMENT) { ", an attachment" } else { "" };
        println!("{:indent$}{}{note}", "", bone.name, indent = 2 * depth);
        open.extend(children[index].iter().map(|child| (*child, depth + 1)));
    }
    Ok(())
}
