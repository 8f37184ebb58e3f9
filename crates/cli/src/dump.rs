//! `meshwright dump`: a model as JSON.

use crate::args::DumpArgs;
use crate::destination::Destination;
use crate::input::Input;
use crate::output;
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::results::report_refusal;
use crate::status::Status;
use meshwright::dump::{Dump, DumpOptions, PoseRef};
use meshwright::scene::{SceneOptions, Space};
use meshwright::{ClipNames, native_json};
use std::io::Write;
use std::path::PathBuf;

pub(crate) fn run(args: &DumpArgs) -> Result<Status, Fail> {
    // A dump says what the engine reads.
    let mut companions = args.companions.clone();
    companions.clip_names.get_or_insert(ClipNames::Engine);
    let (reader, input) = Reader::for_one(&args.read, &companions, &args.file)?;
    let destination = args.output.as_deref().map_or(Destination::Stdout, Destination::new);
    match dump(&input, args, &destination, &reader) {
        Ok(written) => {
            if !args.read.quiet {
                output::say_written(&written);
            }
            Ok(Status::Fine)
        }
        Err(refusal) => report_refusal(&input, &refusal, args.format),
    }
}

/// Writes the model, and returns the paths of the written files.
fn dump(
    input: &Input,
    args: &DumpArgs,
    destination: &Destination,
    reader: &Reader,
) -> Result<Vec<PathBuf>, Refusal> {
    if args.native {
        return native(input, destination, reader);
    }
    let opened = reader.attempt(input, |reader| reader.open(input))?;
    reader.note(opened.sources());
    reader.say_used(input, &opened);
    let (asset, memory) = (&opened, reader.limits().memory);
    let mut poses = Vec::new();
    if !args.pose.is_empty() {
        let options = SceneOptions::in_space(Space::File).with_memory(memory);
        let scene = asset.scene_with(&options)?.value;
        for text in &args.pose {
            let wrong = |why| Refusal::Argument(format!("--pose {text}: {why}"));
            poses.push(PoseRef::parse(text, &scene).map_err(wrong)?);
        }
    }
    let options = DumpOptions::default().with_poses(poses).with_memory(memory);
    let dump = Dump::new(asset.model(), asset.companions(), &input.exact(), asset.bytes(), &options);
    let dump = dump.map_err(Refusal::from)?;
    let content =
        Box::new(move |out: &mut dyn Write| dump.write(&mut *out).and_then(|()| out.write_all(b"\n")));
    output::stream(destination, content, reader.plan())
}

/// Writes every field of a file. The file need not be valid.
fn native(input: &Input, destination: &Destination, reader: &Reader) -> Result<Vec<PathBuf>, Refusal> {
    let (format, bytes) = match reader.open(input) {
        Ok(opened) => {
            reader.note(opened.sources());
            (opened.format(), opened.into_bytes())
        }
        Err(Refusal::Broken(broken)) if broken.companion.is_none() => match broken.format {
            Some(format) => (format, broken.bytes),
            None => return Err(Refusal::Broken(broken)),
        },
        Err(refusal) => return Err(refusal),
    };
    let settings = reader.options().read_settings();
    // Standard output may not get half of a document.
    let mut text = Vec::new();
    native_json::write(&bytes, format, settings, &mut text)?;
    output::stream(destination, output::content_of(&text), reader.plan())
}
