//! `meshwright edit`: changes names, flags and group ids of a DPM, and no other byte.

use crate::args::{CompanionArgs, EditArgs};
use crate::destination::Destination;
use crate::input::Input;
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::results::{print_done, report_refusal};
use crate::status::Status;
use crate::{output, render};
use meshwright::counted;
use meshwright::dpm::{BoneFlags, Edit};
use serde_json::json;
use std::ops::Range;

pub(crate) fn run(args: &EditArgs) -> Result<Status, Fail> {
    let edits = edits(args)?;
    let (reader, input) = Reader::for_one(&args.read, &CompanionArgs::default(), &args.file)?;
    let destination = args.output.as_deref().map(Destination::new);
    let to_stdout = destination == Some(Destination::Stdout);
    destination.as_ref().map_or(Ok(()), |destination| destination.refuse_document(args.format))?;
    let done = reader.attempt(&input, |reader| edited(&input, &edits, reader)).and_then(|done| {
        let plan = reader.plan();
        let written = match &destination {
            Some(destination) => output::stream(destination, output::content_of(&done.bytes), plan)?,
            None => vec![output::in_place(&input, &done.old, &done.bytes, plan)?, input.path.clone()],
        };
        Ok((done, written))
    });
    let (done, written) = match done {
        Ok(done) => done,
        Err(refusal) => return report_refusal(&input, &refusal, args.format),
    };
    let json = || json!({ "file": input.exact(), "output": render::exact_all(&written), "edits": edits.len(), "bytes_changed": done.changed });
    print_done(args.format, to_stdout || args.read.quiet, json, || {
        let what = match done.changed {
            Some(n) => counted(n as u64, "byte", "bytes") + " changed",
            None => "the file has a new layout: meshes shared the data that changed for one of them".into(),
        };
        format!("{}: {}: {what}", input.display_path(), counted(edits.len() as u64, "edit", "edits"))
    })
}

struct Done {
    old: Vec<u8>,
    bytes: Vec<u8>,
    /// The number of bytes that changed; `None` if the file has another layout.
    changed: Option<usize>,
}

fn edited(input: &Input, edits: &[Edit], reader: &Reader) -> Result<Done, Refusal> {
    let opened = reader.open(input)?;
    reader.note(opened.sources());
    reader.say_passed_over(input, &opened);
    let (old, bytes) = (opened.bytes(), opened.edited(edits)?);
    let same_layout = old.len() == bytes.len();
    let changed = same_layout.then(|| old.iter().zip(&bytes).filter(|(a, b)| a != b).count());
    Ok(Done { old: opened.into_bytes(), bytes, changed })
}

/// Returns the edits that the arguments ask for; bones are renamed last.
fn edits(args: &EditArgs) -> Result<Vec<Edit>, Fail> {
    let mut edits = Vec::new();
    let bytes = |text: &str| text.as_bytes().to_vec();
    for (bones, on) in [(&args.set_attach, true), (&args.clear_attach, false)] {
        edits.extend(bones.iter().map(|bone| Edit::Attachment { bone: bytes(bone), on }));
    }
    for text in &args.set_flags {
        let (bone, flags) = split("--set-flags", text, "BONE=N")?;
        let flags = BoneFlags(number("--set-flags", flags)?);
        edits.push(Edit::Flags { bone: bytes(bone), flags });
    }
    for text in &args.set_groupid {
        let (place, id) = split("--set-groupid", text, "MESH:RANGE=N")?;
        let (mesh, range) =
            place.rsplit_once(':').ok_or_else(|| wrong("--set-groupid", text, "MESH:RANGE=N"))?;
        let (triangles, id) = (range_of(range)?, number("--set-groupid", id)?);
        edits.push(Edit::GroupId { mesh: bytes(mesh), triangles, id });
    }
    for text in &args.set_shader {
        let (mesh, shader) = split("--set-shader", text, "MESH=NAME")?;
        edits.push(Edit::Shader { mesh: bytes(mesh), shader: bytes(shader) });
    }
    for text in &args.rename_bone {
        let (bone, name) = split("--rename-bone", text, "BONE=NAME")?;
        edits.push(Edit::RenameBone { bone: bytes(bone), name: bytes(name) });
    }
    if edits.is_empty() {
        return Err(Fail::Usage("no edit given: pass one, such as --set-attach BONE".into()));
    }
    Ok(edits)
}

fn wrong(option: &str, text: &str, form: &str) -> Fail {
    Fail::Usage(format!("{option} {text}: expected {form}"))
}

/// Splits an option's value at the last `=`.
fn split<'t>(option: &str, text: &'t str, form: &str) -> Result<(&'t str, &'t str), Fail> {
    text.rsplit_once('=').ok_or_else(|| wrong(option, text, form))
}

fn number(option: &str, text: &str) -> Result<u32, Fail> {
    let hex = text.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
    hex.unwrap_or_else(|| text.parse()).map_err(|_| wrong(option, text, "a number from 0 to 4294967295"))
}

/// Parses a range: `7`, `0-11`, or `*` for all (`None`).
fn range_of(text: &str) -> Result<Option<Range<u32>>, Fail> {
    if text == "*" {
        return Ok(None);
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number("--set-groupid", first)?, number("--set-groupid", last)?);
    match last.checked_add(1) {
        Some(end) if first < end => Ok(Some(first..end)),
        _ => Err(wrong("--set-groupid", text, "a range FIRST-LAST, as in 0-11")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_numbers() {
        assert_eq!(range_of("7").ok().flatten(), Some(7..8));
        assert_eq!(range_of("0-11").ok().flatten(), Some(0..12));
        assert!(matches!(range_of("*"), Ok(None)));
        assert!(range_of("3-1").is_err() && range_of("a").is_err() && range_of("0-4294967295").is_err());
        assert_eq!(number("x", "0x10").ok(), Some(16));
        assert_eq!(split("x", "a=b=c", "").ok(), Some(("a=b", "c")));
    }
}
