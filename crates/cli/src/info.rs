//! `meshwright info`: what files hold.

use crate::args::{InfoArgs, OutputFormat};
use crate::input::{self, expand};
use crate::load::{forced_format, load};
use crate::{Fail, Status, render, say};
use meshwright::Summary;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn run(args: &InfoArgs) -> Result<Status, Fail> {
    let forced = forced_format(&args.read)?;
    let mut status = Status::Fine;
    let mut files = Vec::new();
    let mut out = io::stdout().lock();
    for input in expand(&args.files) {
        let input = match input {
            Ok(input) => input,
            Err((path, e)) => {
                say(&format!("{}: {e}", input::shown(&path)));
                status.and(Status::Unusable);
                continue;
            }
        };
        let shown = input.shown();
        match load(&input, &args.read, forced) {
            Ok(loaded) => {
                let summary = loaded.model.summary();
                match args.format {
                    OutputFormat::Text => {
                        writeln!(out, "{shown}: {}: {}", loaded.format.title(), line(&summary))?;
                    }
                    OutputFormat::Json => {
                        let mut value = json_summary(&summary);
                        value["file"] = shown.into();
                        value["format"] = loaded.format.id().into();
                        value["bytes"] = loaded.bytes.len().into();
                        files.push(value);
                    }
                }
            }
            // A folder holds other files too.
            Err(crate::load::Refusal::Unknown) if input.below.is_some() => {}
            Err(refusal) => {
                refusal.say(&shown);
                status.and(refusal.status());
                files.push(json!({ "file": shown, "error": refusal.json() }));
            }
        }
    }
    if args.format == OutputFormat::Json {
        writeln!(out, "{}", json!({ "files": files }))?;
    }
    out.flush()?;
    Ok(status)
}

fn line(s: &Summary) -> String {
    let counted = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
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
