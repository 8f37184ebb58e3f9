//! Assigns output paths to the files of a result, and writes them.

use crate::convert::{StreamedFile, Target};
use crate::error::{Error, ErrorKind};
use crate::formats::{AnyModel, Format, ReadSettings};
use meshwright_core::{Companion, Limits, ReadOptions, SortedSet};
use meshwright_files::output::{NameSource, Output, OutputName, OutputRole, Place, Plan, Writer};
use std::path::{Path, PathBuf};

/// The extensions of image files that are written, with their first bytes.
const PICTURES: [(&str, &[u8]); 4] =
    [("png", b"\x89PNG\r\n\x1a\n"), ("jpg", b"\xff\xd8\xff"), ("jpeg", b"\xff\xd8\xff"), ("bmp", b"BM")];

/// Writes the files of a result, the first at `main` and the others next to it: all or none. They never replace a
/// file that the plan [reads](Plan::reads), except an input with the same bytes as the main file. Files whose names
/// come from the model never replace any other file. Returns all paths, that of the main file first, including
/// existing files with the same bytes.
///
/// # Errors
/// As [`place_files`]; or if a file would replace a protected one, or cannot be written. Then no file is written.
pub fn write_files<'s>(
    files: impl IntoIterator<Item = StreamedFile<'s>>,
    target: Target,
    main: &Path,
    plan: &Plan,
    limits: Limits,
) -> Result<Vec<PathBuf>, Error> {
    let main = Place::named(main);
    let files = place_files(files, target, &main, limits)?;
    let same = |file: &Output<StreamedFile<'s>>| {
        let there = || std::fs::read(main.path()).ok();
        file.content.bytes().is_some_and(|bytes| there().is_some_and(|there| there == bytes))
    };
    let own = files.last().is_some_and(same).then(|| main.path());
    plan.spare_named(&files, own)?;
    let mut paths: Vec<PathBuf> = files.iter().map(|file| file.place.path().to_owned()).collect();
    let main = paths.len().min(1);
    paths.rotate_right(main);
    let files = files.into_iter().map(|file| file.map(StreamedFile::into_content));
    let mut staged = Writer::default().stage(files)?;
    plan.enter(&mut staged, own)?;
    staged.appear()?;
    Ok(paths)
}

/// Gives the files of a result their paths: the first is written to `main`, the others next to it. The main file comes
/// last, since it names the others. The name of each other file must be plain, with an extension that can belong to
/// `target` and fits the content.
///
/// # Errors
/// If a file has no valid name, the name of another file, or content that does not fit its name.
pub fn place_files<'s>(
    files: impl IntoIterator<Item = StreamedFile<'s>>,
    target: Target,
    main: &Place,
    limits: Limits,
) -> Result<Vec<Output<StreamedFile<'s>>>, Error> {
    let own = main.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut files, kinds) = (files.into_iter(), Kinds::beside(target));
    let first = files.next();
    let mut placed: Vec<Output<StreamedFile<'s>>> = Vec::new();
    let mut taken = SortedSet::new();
    for content in files {
        let refused = |why| bad(&content.name, format_args!("the name {why}"));
        let name = OutputName::new(&content.name, &kinds.extensions()).map_err(refused)?;
        if let Err(why) = content.bytes().map_or(Ok(()), |bytes| kinds.check(&name, bytes, limits)) {
            return Err(bad(&content.name, format_args!("{why}")));
        }
        let source = if kinds.follows(&own, &name) { NameSource::Derived } else { NameSource::Content };
        let place = main.beside(&name, source);
        if own == name.as_str() || !taken.insert(place.path().to_owned()) {
            let why = format!("the result has two files `{}`", visible_name(&content.name));
            return Err(Error::new(ErrorKind::Invalid, "would-replace", why));
        }
        let role = if content.is_unedited() { OutputRole::Unedited } else { OutputRole::Companion };
        placed.push(Output { place, role, content });
    }
    let main = |content| Output { place: main.clone(), role: OutputRole::Main, content };
    placed.extend(first.map(main));
    Ok(placed)
}

/// Returns the error of a file that is not written.
fn bad(name: &str, why: std::fmt::Arguments<'_>) -> Error {
    let name = visible_name(name);
    let message = format!("the result has a file `{name}`, which is not written: {why}");
    Error::new(ErrorKind::Invalid, "bad-output", message)
}

fn visible_name(name: &str) -> String {
    meshwright_core::text::visible(name).chars().take(200).collect()
}

/// The kinds of files that can be next to one of a target.
struct Kinds {
    formats: Vec<Format>,
    /// Extensions with one possible content.
    made: &'static [&'static str],
}

impl Kinds {
    fn beside(target: Target) -> Self {
        let (mut formats, mut made) = (Vec::new(), &[][..]);
        match target {
            #[cfg(feature = "gltf")]
            Target::Gltf => made = &["bin"],
            Target::Obj => made = &["mtl"],
            Target::Native(format) => {
                if target.has_skins() {
                    made = &["skin"];
                }
                formats.push(format);
                formats.extend(format.traits().written_with);
                // Keys come with the record that says whose they are.
                let is_owner = |other: &Format| other.companions().iter().any(|c| c.kind == format.id());
                formats.extend(Format::ALL.iter().copied().filter(is_owner));
            }
            #[allow(unreachable_patterns, reason = "a build without glTF")]
            _ => {}
        }
        // The companions of a companion belong to the model.
        let mut next = 0_usize;
        while let Some(format) = formats.get(next) {
            for companion in format.companions() {
                if let Ok(kind) = companion.kind.parse()
                    && !formats.contains(&kind)
                {
                    formats.push(kind);
                }
            }
            next = next.saturating_add(1);
        }
        Self { formats, made }
    }

    fn extensions(&self) -> Vec<&'static str> {
        let mut extensions: Vec<&str> = PICTURES.iter().map(|(extension, _)| *extension).collect();
        extensions.extend_from_slice(self.made);
        self.formats.iter().for_each(|format| extensions.extend_from_slice(format.extensions()));
        extensions
    }

    /// Returns true if a name follows from that of the main file.
    fn follows(&self, main: &str, name: &OutputName) -> bool {
        let is_made = |extension| name.as_str().ends_with(&format!(".{extension}"));
        let has_name = |c: &Companion| {
            c.beside.iter().any(|beside| beside.name(main.as_bytes()) == name.as_str().as_bytes())
        };
        self.made.iter().any(is_made)
            || self.formats.first().is_some_and(|f| f.companions().iter().any(has_name))
    }

    /// Checks that the content of a file has the format of its extension.
    fn check(&self, name: &OutputName, bytes: &[u8], limits: Limits) -> Result<(), String> {
        let extension = name.as_str().rsplit_once('.').map_or("", |(_, extension)| extension);
        let is = |known: &&str| known.eq_ignore_ascii_case(extension);
        if let Some((_, head)) = PICTURES.iter().find(|(known, _)| is(known)) {
            let whole = bytes.starts_with(head);
            return if whole { Ok(()) } else { Err(format!("it is not a {extension} image")) };
        }
        let settings = ReadSettings::from(ReadOptions::lenient().with_limits(limits));
        let mut why = None;
        for format in self.formats.iter().filter(|format| format.extensions().iter().any(is)) {
            match AnyModel::parse_with(bytes, *format, &settings) {
                Ok(_) => return Ok(()),
                Err(e) => why = why.or_else(|| Some(e.to_string())),
            }
        }
        why.map_or(Ok(()), Err)
    }
}
