//! `meshwright info`: what files hold.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::args::{InfoArgs, OutputFormat};
use crate::batch::Workers;
use crate::input::{Input, expand};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::results::{Results, Shown};
use crate::{Fail, Status, render};
use meshwright::{Summary, counted};
use serde_json::{Value, json};

pub(crate) fn run(args: &InfoArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &args.companions)?;
    let mut results = Results::new("read", &args.files, args.format, &args.read);
    let inputs = results.inputs(expand(&args.files, None));
    reader.expect(&inputs)?;
    let work = |input: &Input| {
        let opened = reader.open(input)?;
        reader.say_passed_over(input, &opened);
        let asset = &opened.asset;
        let summary = asset.summary();
        Ok(match args.format {
            OutputFormat::Text => {
                let line = format!("{}: {}: {}", input.shown(), asset.format().title(), line(&summary));
                Shown::Text(format!("{}\n", render::cut(&line)))
            }
            OutputFormat::Json => {
                let mut value = json_summary(&summary);
                value["file"] = input.exact().into();
                value["format"] = asset.format().id().into();
                value["bytes"] = asset.bytes().len().into();
                Shown::Json(value)
            }
        })
    };
    let workers = Workers::new(&args.jobs, reader.limits().memory);
    workers.each(&inputs, Input::memory, work, |input, shown: Result<Shown, Refusal>| {
        match shown {
            Ok(shown) => results.show(Status::Fine, shown)?,
            Err(refusal) => results.refuse(input, &refusal),
        }
        Ok(())
    })?;
    results.finish()
}

fn line(s: &Summary) -> String {
    let counted = |n: usize, one: &str, many: &str| counted(n as u64, one, many);
    let mut parts = vec![
        counted(s.meshes, "mesh", "meshes"),
        counted(s.vertices, "vertex", "vertices"),
        counted(s.triangles, "triangle", "triangles"),
        counted(s.bones, "bone", "bones"),
    ];
    parts.extend(s.frames.map(|n| counted(n, "frame", "frames")));
    parts.push(counted(s.clips, "clip", "clips"));
    parts.extend(s.notes.iter().map(|n| render::plain(n)));
    parts.join(", ")
}

fn json_summary(s: &Summary) -> Value {
    json!({
        "meshes": s.meshes,
        "vertices": s.vertices,
        "triangles": s.triangles,
        "bones": s.bones,
        "frames": s.frames,
        "clips": s.clips,
        "notes": s.notes,
    })
}
