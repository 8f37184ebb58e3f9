//! `meshwright dump`: a model as JSON.

use crate::args::DumpArgs;
use crate::input::Input;
use crate::load::{self, forced_format, load, say_forgiven};
use crate::{Fail, Status, output, pose, render, say};
use meshwright::dump::{Dump, DumpError};
use meshwright::scene::{SceneOptions, Space};
use std::io::{self, Write};

pub(crate) fn run(args: &DumpArgs) -> Result<Status, Fail> {
    let forced = forced_format(&args.read)?;
    let input = Input { path: args.file.clone().into(), below: None };
    let shown = input.shown();
    let loaded = match load(&input, &args.read, forced) {
        Ok(loaded) => loaded,
        Err(refusal) => {
            refusal.say(&shown);
            return Ok(refusal.status());
        }
    };
    say_forgiven(&shown, &loaded, args.read.quiet);
    let companions = match load::companions(&loaded.model, &input, &args.companions, &args.read) {
        Ok(companions) => companions,
        Err(refusal) => {
            refusal.say(&shown);
            return Ok(refusal.status());
        }
    };
    let mut poses = Vec::new();
    if !args.pose.is_empty() {
        let options = SceneOptions::in_space(Space::File).with_memory(args.read.max_memory);
        match loaded.model.to_scene("", &companions, &options) {
            Ok(scene) => {
                for text in &args.pose {
                    poses.push(pose::parse(text, &scene.value)?);
                }
            }
            Err(e) => return Ok(refused(&shown, &e.to_string())),
        }
    }
    let memory = args.read.max_memory;
    let dump = match Dump::new(&loaded.model, &companions, &shown, &loaded.bytes, &poses, memory) {
        Ok(dump) => dump,
        Err(e @ DumpError::NoPose(_)) => return Err(Fail::Usage(e.to_string())),
        Err(e) => return Ok(refused(&shown, &e.to_string())),
    };
    let mut json = dump.to_json();
    json.push('\n');
    match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            if let Err(e) = output::write_file(path, json.as_bytes()) {
                say(&format!("{}: {e}", crate::input::shown(path)));
                return Ok(Status::Unusable);
            }
        }
        _ => {
            let mut out = io::stdout().lock();
            out.write_all(json.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(Status::Fine)
}

fn refused(shown: &str, why: &str) -> Status {
    say(&format!("{shown}: {}", render::plain(why)));
    Status::Errors
}
