//! The output that the arguments of `convert` mean, and the options that `--for` implies.

use crate::args::{ConvertArgs, Purpose};
use crate::destination::ends_in_separator;
use crate::input::is_folder;
use crate::refusal::Fail;
use crate::render;
use meshwright::Target;
use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

/// The frames per second of a new scene in Blender.
const BLENDER: Option<NonZeroU16> = NonZeroU16::new(24);

/// Returns the arguments with the values that other arguments imply, and the output.
pub(crate) fn settle(args: &ConvertArgs) -> Result<(ConvertArgs, PathBuf), Fail> {
    let mut args = args.clone();
    let output = match args.output.clone() {
        Some(output) => output,
        None => match last_is_output(&args)?.then(|| args.files.pop()).flatten() {
            Some(output) => output.into(),
            None => next_to(&args)?,
        },
    };
    match args.purpose {
        Some(Purpose::Blender) => {
            args.keep_native |= args.retarget.retarget.is_none();
            args.frames_at = args.frames_at.or(BLENDER);
        }
        Some(Purpose::Engine(engine)) => args.engine = Some(engine),
        None => {}
    }
    Ok((args, output))
}

/// Returns the format of results that are written next to their inputs.
fn target(args: &ConvertArgs) -> Option<Target> {
    args.to.or_else(|| (args.purpose == Some(Purpose::Blender)).then_some(Target::Glb))
}

/// Returns whether the last of several names is the output. An existing file might be an input, so only an exchange
/// format (glTF, OBJ, HTML) is replaced.
fn last_is_output(args: &ConvertArgs) -> Result<bool, Fail> {
    let [inputs @ .., last] = args.files.as_slice() else { return Ok(false) };
    let path = Path::new(last);
    if inputs.is_empty() || args.many.files_from.is_some() {
        return Ok(false);
    }
    let named = Target::from_path(last);
    let wanted = args.to;
    if !path.exists() || is_folder(path) && wanted.is_none() {
        // A name with the extension of another format is a missing input.
        return Ok(wanted.is_none() || named.is_none() || named == wanted || ends_in_separator(last));
    }
    if path.is_file() && wanted.is_none() {
        let is_exchanged = matches!(named, Some(Target::Glb | Target::Gltf | Target::Obj | Target::Html));
        let others = |input: &OsString| Target::from_path(input) != named;
        if is_exchanged && inputs.len() == 1 && inputs.iter().all(others) || args.force {
            return Ok(true);
        }
        let shown = render::path(path);
        return Err(Fail::Usage(format!("{shown} exists: -o {shown} replaces it, --to FORMAT converts it")));
    }
    Ok(false)
}

/// Returns the output next to the input, if the arguments choose a format.
fn next_to(args: &ConvertArgs) -> Result<PathBuf, Fail> {
    let first = args.files.first().map(Path::new).unwrap_or(Path::new("model.dpm"));
    let Some(to) = target(args) else {
        let example = Path::new(first.file_stem().unwrap_or_default()).with_extension("glb");
        let (shown, example) = (render::path(first), render::path(&example));
        return Err(Fail::Usage(format!(
            "no output: try `meshwright convert {shown} {example}`; --to FORMAT writes next to the input"
        )));
    };
    let parent = |file: &OsString| Path::new(file).parent().map(|parent| parent.join(""));
    // Opening reports a missing file. Archives and their members are not in a folder.
    let has_place = |file: &OsString| {
        let path = Path::new(file);
        let is_there = || parent(file).is_some_and(|parent| parent.as_os_str().is_empty() || parent.is_dir());
        file != "-" && !is_folder(path) && is_there()
    };
    let folder = args.files.first().and_then(parent).unwrap_or_default();
    let is_one_folder =
        || args.files.iter().all(|file| has_place(file) && parent(file).as_ref() == Some(&folder));
    match args.files.as_slice() {
        _ if args.many.files_from.is_some() => {}
        [file] if Path::new(file).is_dir() => return Ok(Path::new(file).join("")),
        [file] if has_place(file) => return Ok(Path::new(file).with_extension(to.extension())),
        [_, ..] if is_one_folder() => return Ok(Path::new(".").join(folder)),
        _ => {}
    }
    Err(Fail::Usage("these inputs have no common folder for results: name one with -o".into()))
}
