//! `meshwright dump`: a model as JSON.

use crate::args::DumpArgs;
use crate::input::Input;
use crate::load::{self, Refusal, forced_format, load, say_forgiven};
use crate::output::{self, Target};
use crate::results::refused;
use crate::sources::Sources;
use crate::{Fail, Status, pose};
use meshwright::Format;
use meshwright::dump::{Dump, DumpOptions};
use meshwright::scene::{SceneOptions, Space};
use std::slice;

pub(crate) fn run(args: &DumpArgs) -> Result<Status, Fail> {
    let forced = forced_format(&args.read)?;
    let input = Input { path: args.file.clone().into(), below: None };
    let target = args.output.as_deref().map_or(Target::Stdout, Target::new);
    let dumped =
        dump(&input, args, &target, forced).and_then(|json| output::deliver(&target, json.as_bytes()));
    match dumped {
        Ok(()) => Ok(Status::Fine),
        Err(refusal) => refused(&input, &refusal, args.format),
    }
}

fn dump(input: &Input, args: &DumpArgs, target: &Target, forced: Option<Format>) -> Result<String, Refusal> {
    let loaded = load(input, &args.read, forced)?;
    say_forgiven(&input.shown(), &loaded, args.read.quiet);
    let companions = load::companions(&loaded.model, input, &args.companions, &args.read)?;
    if let Target::File(path) = target {
        Sources::new(slice::from_ref(input), &args.companions, &args.read).spare(path, None)?;
    }
    let mut poses = Vec::new();
    if !args.pose.is_empty() {
        let options = SceneOptions::in_space(Space::File).with_memory(args.read.max_memory);
        let scene = loaded.model.to_scene("", &companions, &options)?.value;
        for text in &args.pose {
            poses.push(pose::parse(text, &scene)?);
        }
    }
    let source = input.exact();
    let options = DumpOptions::default().with_poses(poses).with_memory(args.read.max_memory);
    let dump = Dump::new(&loaded.model, &companions, &source, &loaded.bytes, &options);
    let mut json = dump.map_err(Refusal::from)?.to_json();
    json.push('\n');
    Ok(json)
}
