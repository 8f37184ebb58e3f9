//! `meshwright optimize`: the same BMD model in fewer bytes.

use crate::args::{CompanionArgs, OptimizeArgs, OutputFormat};
use crate::destination::Destination;
use crate::input::Input;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::results::refused;
use crate::{Fail, Status, output};
use meshwright::AnyModel;
use meshwright::bmd::{OptimizeOptions, Optimized};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::slice;

pub(crate) fn run(args: &OptimizeArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &CompanionArgs::default())?;
    let input = Input::named(&args.file);
    let destination = Destination::new(&args.output);
    let to_stdout = destination == Destination::Stdout;
    if to_stdout && args.format == OutputFormat::Json {
        return Err(Fail::Usage("--format json and -o - both want standard output".into()));
    }
    let done = optimize(&input, args, &reader)
        .and_then(|optimized| output::deliver(&destination, &optimized.bytes).map(|()| optimized));
    let optimized = match done {
        Ok(optimized) => optimized,
        Err(refusal) => return refused(&input, &refusal, args.format),
    };
    let mut out = io::stdout().lock();
    match args.format {
        OutputFormat::Json => writeln!(out, "{}", document(&input.exact(), &optimized))?,
        OutputFormat::Text if !to_stdout && !args.read.quiet => {
            writeln!(out, "{}", line(&input.shown(), &optimized))?;
        }
        OutputFormat::Text => {}
    }
    out.flush()?;
    Ok(Status::Fine)
}

fn optimize(input: &Input, args: &OptimizeArgs, reader: &Reader) -> Result<Optimized, Refusal> {
    let opened = reader.open(input)?;
    reader.expect(slice::from_ref(input));
    reader.spare(&args.output, None)?;
    reader.say_passed_over(input, &opened);
    let AnyModel::Bmd(model) = opened.asset.model() else {
        let why = format!("{} files are not optimised, only BMD", opened.asset.format().title());
        return Err(Refusal::Cannot { code: "not-convertible", why });
    };
    let mut options = OptimizeOptions::default()
        .with_vertex_bounds(args.max_position, args.max_normal, args.max_st)
        .with_key_bounds(args.max_angle, args.max_distance, args.max_scale)
        .with_engine_safe(args.engine_safe);
    options.memory = args.read.max_memory;
    Ok(model.optimize(&options)?)
}

fn line(shown: &str, o: &Optimized) -> String {
    let (s, e) = (o.sizes, o.errors);
    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    let percent = 100.0 * o.bytes.len() as f64 / s.before.max(1) as f64;
    let mut text = format!(
        "{shown}: {} bytes, now {} ({percent:.1} %): {} arranged anew, {} with meshes rebuilt, {} with keys chosen",
        s.before,
        o.bytes.len(),
        s.arranged,
        s.meshes,
        s.clips
    );
    let errors = [
        ("position", e.position),
        ("normal (degrees)", e.normal),
        ("texture", e.st),
        ("rotation (degrees)", e.angle),
        ("translation", e.distance),
        ("scale", e.scale),
    ];
    let made: Vec<_> =
        errors.iter().filter(|(_, e)| *e > 0.0).map(|(name, e)| format!("{name} {e:.4}")).collect();
    text.push_str("; errors: ");
    text.push_str(&if made.is_empty() { "none".into() } else { made.join(", ") });
    text
}

fn document(shown: &str, o: &Optimized) -> Value {
    let (s, e) = (o.sizes, o.errors);
    json!({
        "file": shown,
        "bytes": { "before": s.before, "arranged": s.arranged, "meshes": s.meshes, "clips": s.clips },
        "errors": {
            "position": e.position,
            "normal_degrees": e.normal,
            "st": e.st,
            "angle_degrees": e.angle,
            "distance": e.distance,
            "scale": e.scale,
        },
    })
}
