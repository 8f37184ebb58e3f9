//! `meshwright diff`: what two models differ in.

use crate::args::{DiffArgs, OutputFormat};
use crate::input::Input;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::{Fail, Status, batch, render, results};
use meshwright::scene::{Scene, SceneOptions};
use meshwright::{Diff, DiffError, DiffOptions, Difference, Format, counted, diff};
use serde_json::{Value, json};

/// How many differences are shown unless all are asked for.
const SHOWN: usize = 30;

pub(crate) fn run(args: &DiffArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &args.companions)?;
    let inputs = [&args.first, &args.second].map(Input::named);
    reader.expect(&inputs)?;
    let mut sides = Vec::new();
    for input in &inputs {
        match open(input, &reader) {
            Ok(side) => sides.push(side),
            Err(refusal) => return results::refused(input, &refusal, args.format),
        }
    }
    let [first, second] = sides.as_slice() else { return Ok(Status::Unusable) };
    let options = DiffOptions::default().with_length(args.tolerance).with_memory(reader.limits().memory);
    let found = match diff(&first.scene, &second.scene, &options) {
        Ok(found) => found,
        Err(e) => {
            let [one, _] = &inputs;
            return results::refused(one, &e.into(), args.format);
        }
    };
    let document = document(&inputs, (first.format, second.format), &found);
    match (&args.query, args.format) {
        (Some(query), _) => match query.lines(&document).map_err(Refusal::Argument) {
            Ok(lines) => batch::print(lines.iter().map(|line| format!("{line}\n")).collect())?,
            Err(refusal) => {
                let [one, _] = &inputs;
                return results::refused(one, &refusal, args.format);
            }
        },
        (None, OutputFormat::Json) => results::print(&document)?,
        (None, OutputFormat::Text) => batch::print(text(&inputs, &found, args))?,
    }
    Ok(if found.is_empty() { Status::Fine } else { Status::Errors })
}

/// One of two models.
struct Side {
    format: Format,
    scene: Scene,
}

fn open(input: &Input, reader: &Reader) -> Result<Side, Refusal> {
    let mut opened = reader.open(input)?;
    reader.say_passed_over(input, &opened);
    let options = SceneOptions::default().with_memory(reader.limits().memory);
    let mut scene = opened.asset.to_scene(&options)?;
    reader.add_textures(&mut opened, &mut scene);
    Ok(Side { format: opened.asset.format(), scene: scene.value })
}

impl From<DiffError> for Refusal {
    fn from(e: DiffError) -> Self {
        let code = if matches!(e, DiffError::Limit(_)) { "limit" } else { "invalid-model" };
        Self::Cannot { code, why: e.to_string() }
    }
}

fn text(inputs: &[Input; 2], found: &Diff, args: &DiffArgs) -> String {
    let most = if args.all { usize::MAX } else { SHOWN };
    let mut text = String::new();
    let mut line = |line: &str| text.extend([render::cut(line).as_ref(), "\n"]);
    for difference in found.differences.iter().take(most) {
        line(&render::plain(&difference.to_string()));
    }
    let more = found.differences.len().saturating_sub(most);
    if more > 0 {
        line(&format!("{more} more; --all shows them"));
    }
    if !args.read.quiet {
        let [first, second] = inputs.each_ref().map(Input::shown);
        line(&format!("{first} and {second}: {}", verdict(found)));
    }
    text
}

/// What it comes to, in one line.
fn verdict(found: &Diff) -> String {
    let clips = found.clips.iter().map(|(_, apart)| *apart).fold(0.0, f64::max);
    let compared = match found.clips.len() as u64 {
        0 => "at rest".to_owned(),
        n => format!("at rest and in {}", counted(n, "clip", "clips")),
    };
    let apart = found.rest.max(clips);
    let tolerance = found.tolerance;
    let vertices = match apart.is_finite() {
        true => format!("vertices {compared} are up to {apart:.6} apart, {tolerance:.6} allowed"),
        false => "one of them has no vertices".to_owned(),
    };
    match found.differences.len() as u64 {
        0 => format!("the same; {vertices}"),
        n => format!("{}; {vertices}", counted(n, "difference", "differences")),
    }
}

/// A distance for programs: none where there is nothing to compare with.
fn finite(apart: f64) -> Option<f64> {
    Some(apart).filter(|apart| apart.is_finite())
}

fn document(inputs: &[Input; 2], formats: (Format, Format), found: &Diff) -> Value {
    let [first, second] = inputs.each_ref().map(Input::exact);
    let difference = |d: &Difference| {
        json!({
            "code": d.code,
            "path": d.path,
            "first": d.first,
            "second": d.second,
            "apart": d.amount.and_then(finite),
        })
    };
    let clips = found.clips.iter().map(|(name, apart)| json!({ "name": name, "apart": finite(*apart) }));
    json!({
        "first": { "file": first, "format": formats.0.id() },
        "second": { "file": second, "format": formats.1.id() },
        "same": found.is_empty(),
        "tolerance": found.tolerance,
        "rest": finite(found.rest),
        "clips": clips.collect::<Vec<_>>(),
        "differences": found.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}
