//! `meshwright diff`: the differences between two models.

use crate::args::{DiffArgs, OutputFormat};
use crate::input::Input;
use crate::picture::difference::Compared;
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::status::Status;
use crate::{messages, render, results};
use meshwright::scene::{Scene, SceneOptions};
use meshwright::{Diff, DiffOptions, Difference, Format, counted, diff};
use serde_json::{Value, json};

/// The number of differences that are printed without `--all`.
const SHOWN: usize = 30;

pub(crate) fn run(args: &DiffArgs) -> Result<Status, Fail> {
    args.picture.as_deref().map_or(Ok(()), Compared::check)?;
    let reader = Reader::new(&args.read, &args.companions)?;
    let inputs = [&args.first, &args.second].map(Input::named);
    reader.expect(&inputs)?;
    let mut sides = Vec::new();
    for input in &inputs {
        match reader.attempt(input, |reader| open(input, reader)) {
            Ok(side) => sides.push(side),
            Err(refusal) => return results::report_refusal(input, &refusal, args.format),
        }
    }
    let [first, second] = sides.as_slice() else { return Ok(Status::Unusable) };
    let (found, picture) = match compared(args, &reader, [first, second]) {
        Ok(compared) => compared,
        Err(refusal) => {
            let [one, _] = &inputs;
            return results::report_refusal(one, &refusal, args.format);
        }
    };
    let picture = picture.as_ref();
    let document = document(&inputs, (first.format, second.format), &found, picture);
    match (&args.query, args.format) {
        (Some(query), _) => match query.text(&document, None) {
            Ok(lines) => messages::print(lines)?,
            Err(refusal) => {
                let [one, _] = &inputs;
                return results::report_refusal(one, &refusal, args.format);
            }
        },
        (None, OutputFormat::Json) => results::print(&document)?,
        (None, OutputFormat::Text) => messages::print(text(&inputs, &found, picture, args))?,
    }
    Ok(if found.is_empty() { Status::Fine } else { Status::Errors })
}

/// Compares two models, and renders both if `--picture` asks for it.
fn compared(
    args: &DiffArgs,
    reader: &Reader,
    [first, second]: [&Side; 2],
) -> Result<(Diff, Option<Compared>), Refusal> {
    let options = DiffOptions::default().with_length(args.tolerance).with_memory(reader.limits().memory);
    let found = diff(&first.scene, &second.scene, &options)?;
    let sides = [(&first.scene, first.name.as_str()), (&second.scene, second.name.as_str())];
    let picture = args.picture.as_deref().map(|path| Compared::new(path, sides, reader)).transpose()?;
    Ok((found, picture))
}

/// One of two models.
struct Side {
    name: String,
    format: Format,
    scene: Scene,
}

fn open(input: &Input, reader: &Reader) -> Result<Side, Refusal> {
    let mut opened = reader.open(input)?;
    reader.say_passed_over(input, &opened);
    let options = SceneOptions::default().with_memory(reader.limits().memory);
    let mut scene = opened.scene_with(&options)?;
    opened.add_textures(&mut scene);
    reader.note(opened.sources());
    Ok(Side { name: input.name(), format: opened.format(), scene: scene.value })
}

fn text(inputs: &[Input; 2], found: &Diff, picture: Option<&Compared>, args: &DiffArgs) -> String {
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
    if let Some(picture) = picture {
        line(&picture.text());
    }
    if !args.read.quiet {
        let [first, second] = inputs.each_ref().map(Input::display_path);
        line(&format!("{first} and {second}: {}", verdict(found)));
    }
    text
}

/// Returns the result of the comparison in one line.
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
        0 if !found.reordered.is_empty() => format!("the same, stored in another order; {vertices}"),
        0 => format!("the same; {vertices}"),
        n => format!("{}; {vertices}", counted(n, "difference", "differences")),
    }
}

/// Returns a distance for JSON, or `None` if there is nothing to compare with.
fn finite(apart: f64) -> Option<f64> {
    Some(apart).filter(|apart| apart.is_finite())
}

fn document(
    inputs: &[Input; 2],
    formats: (Format, Format),
    found: &Diff,
    picture: Option<&Compared>,
) -> Value {
    let [first, second] = inputs.each_ref().map(Input::exact);
    let difference = |d: &Difference| {
        json!({
            "code": render::code(d.code),
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
        "reordered": found.reordered,
        "rest": finite(found.rest),
        "clips": clips.collect::<Vec<_>>(),
        "differences": found.differences.iter().map(difference).collect::<Vec<_>>(),
        "picture": picture.map(Compared::document),
    })
}
