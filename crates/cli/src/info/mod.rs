//! `meshwright info`: the content of files.

mod document;
mod text;

use crate::args::{InfoArgs, InfoFormat};
use crate::batch::Workers;
use crate::input::{Input, expand};
use crate::messages::print;
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::results::{Results, Shown};
use crate::status::Status;
use meshwright::scene::{SceneOptions, Space};
use meshwright::{Description, Model};

pub(crate) fn run(args: &InfoArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &args.companions)?;
    let mut results = Results::new("read", &args.many, &args.files, args.format, &args.read)?;
    let inputs = results.inputs(expand(results.selection(), None));
    reader.expect(&inputs)?;
    let several = results.is_over_several();
    if args.query.is_none() {
        print(document::header(args.format))?;
    }
    let work = |input: &Input| {
        reader.attempt(input, |reader| {
            let mut opened = reader.open(input)?;
            reader.say_passed_over(input, &opened);
            format_result(input, &mut opened, reader, args, several)
        })
    };
    let workers = Workers::new(args.many.jobs, reader.limits().memory);
    results.over(
        workers,
        &inputs,
        |input| input,
        work,
        |results, input, shown: Result<Shown, Refusal>| {
            match shown {
                Ok(shown) => results.show(Status::Fine, shown)?,
                Err(refusal) => results.refuse(input, &refusal),
            }
            Ok(())
        },
    )?;
    results.finish()
}

fn format_result(
    input: &Input,
    opened: &mut Model,
    reader: &Reader,
    args: &InfoArgs,
    several: bool,
) -> Result<Shown, Refusal> {
    if let Some(query) = &args.query {
        let (described, why) = describe(opened, reader);
        let file = several.then(|| input.display_path());
        let document = document::json(input, &described, why.as_deref());
        return Ok(Shown::Text(query.text(&document, file)?));
    }
    if args.format == InfoFormat::Text && several {
        return Ok(Shown::Text(text::line(&input.display_path(), &opened.describe())));
    }
    let (described, why) = describe(opened, reader);
    Ok(match args.format {
        InfoFormat::Text => {
            Shown::Text(text::tables(&input.display_path(), &described, why.as_deref(), args.read.verbose))
        }
        InfoFormat::Csv => Shown::Text(document::csv(input, &described)),
        InfoFormat::Md => Shown::Text(document::markdown(input, &described)),
        InfoFormat::Json | InfoFormat::Jsonl => {
            Shown::Json(document::json(input, &described, why.as_deref()))
        }
    })
}

/// Describes a model. The second value is the reason if it cannot be converted to a scene.
fn describe(opened: &mut Model, reader: &Reader) -> (Description, Option<String>) {
    let options = SceneOptions::in_space(Space::File).with_memory(reader.limits().memory);
    let mut described = opened.describe();
    opened.drop_bytes();
    match opened.take_scene(&options) {
        Ok(mut scene) => {
            opened.add_textures(&mut scene);
            described.add_scene(opened, &scene.value);
            (described, None)
        }
        Err(e) => (described, Some(e.to_string())),
    }
}
