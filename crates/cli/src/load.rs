//! From a file to a model with its companions.

use crate::args::{CompanionArgs, ReadArgs};
use crate::input::{self, Input};
use crate::{Fail, Status, render, say};
use meshwright::{
    AnyModel, CompanionKind, Companions, Finding, Format, Limits, ReadError, ReadOptions, Report, Severity,
    detect,
};
use serde_json::{Value, json};
use std::ffi::OsStr;

/// A file that was read, and what it turned out to be.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub bytes: Vec<u8>,
    pub format: Format,
    pub model: AnyModel,
    /// Broken rules that were passed over.
    pub forgiven: Report,
}

/// Why a file gives no model.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It cannot be read.
    Io(String),
    /// Nothing tells its format.
    Unknown,
    /// It breaks a rule of its format.
    Malformed { bytes: Vec<u8>, format: Format, error: ReadError },
}

impl Refusal {
    pub(crate) const fn status(&self) -> Status {
        match self {
            Self::Io(_) | Self::Unknown => Status::Unusable,
            Self::Malformed { .. } => Status::Errors,
        }
    }

    /// The refusal for programs.
    pub(crate) fn json(&self) -> Value {
        match self {
            Self::Io(e) => json!({ "class": "io", "message": render::plain(e) }),
            Self::Unknown => json!({ "class": "unknown-format", "message": "not a known format" }),
            Self::Malformed { error, .. } => render::error_json(error),
        }
    }

    /// The refusal for people, with the bytes around the fault.
    pub(crate) fn say(&self, shown: &str) {
        match self {
            Self::Io(e) => say(&format!("{shown}: {e}")),
            Self::Unknown => {
                say(&format!("{shown}: not a known format; name it with --as FORMAT ({})", ids()))
            }
            Self::Malformed { bytes, error, .. } => {
                let text = render::finding(&Finding::from(error), bytes, render::colours());
                say(&format!("{shown}: {text}"));
            }
        }
    }
}

/// The short names of all formats.
pub(crate) fn ids() -> String {
    Format::ALL.iter().map(|f| f.id()).collect::<Vec<_>>().join(", ")
}

/// Checks `--as` before any file is read.
pub(crate) fn forced_format(args: &ReadArgs) -> Result<Option<Format>, Fail> {
    let parse = |id: &String| {
        Format::from_id(id)
            .ok_or_else(|| Fail::Usage(format!("--as {id}: unknown format; known are {}", ids())))
    };
    args.read_as.as_ref().map(parse).transpose()
}

pub(crate) fn options(args: &ReadArgs) -> ReadOptions {
    let base = if args.lenient { ReadOptions::lenient() } else { ReadOptions::default() };
    base.with_limits(Limits::default().with_memory(args.max_memory))
}

/// Reads a file and parses it.
pub(crate) fn load(input: &Input, args: &ReadArgs, forced: Option<Format>) -> Result<Loaded, Refusal> {
    let bytes = input.read(args.max_memory).map_err(|e| Refusal::Io(e.to_string()))?;
    let detected = || detect(&bytes, input.name().as_deref()).map(|d| d.format);
    let format = forced.or_else(detected).ok_or(Refusal::Unknown)?;
    match AnyModel::parse(&bytes, format, &options(args)) {
        Ok(parsed) => Ok(Loaded { bytes, format, model: parsed.model, forgiven: parsed.forgiven }),
        Err(error) => Err(Refusal::Malformed { bytes, format, error }),
    }
}

/// Reads the companion files that were named, and those that lie beside the model.
///
/// One that was named must be readable; one that was found is passed over with a word when it is not.
pub(crate) fn companions(
    model: &AnyModel,
    input: &Input,
    args: &CompanionArgs,
    read: &ReadArgs,
) -> Result<Companions, Refusal> {
    let mut companions = Companions::default();
    let options = options(read);
    let named = [(CompanionKind::FrameGroups, &args.framegroups)];
    for (kind, path) in named.iter().filter_map(|(k, p)| Some((*k, p.as_ref()?))) {
        let shown = input::shown(path);
        let bytes =
            input::read_file(path, read.max_memory).map_err(|e| Refusal::Io(format!("{shown}: {e}")))?;
        companions.add(kind, &bytes, &options).map_err(|e| Refusal::Io(format!("{shown}: {e}")))?;
    }
    if args.no_companions {
        return Ok(companions);
    }
    let name = input.name().unwrap_or_default();
    for (kind, name) in model.companion_names(&name) {
        if named.iter().any(|(k, p)| *k == kind && p.is_some()) {
            continue;
        }
        let Some(path) = input.companion(OsStr::new(&name)) else { continue };
        let shown = input::shown(&path);
        let added = input::read_file(&path, read.max_memory)
            .map_err(|e| e.to_string())
            .and_then(|bytes| companions.add(kind, &bytes, &options).map_err(|e| e.to_string()));
        match added {
            Ok(()) if !read.quiet => say(&format!("{}: with {shown}", input.shown())),
            Ok(()) => {}
            Err(e) => say(&format!("{shown}: ignored: {}", render::plain(&e))),
        }
    }
    Ok(companions)
}

/// Says what a lenient read passed over.
pub(crate) fn say_forgiven(shown: &str, loaded: &Loaded, quiet: bool) {
    if quiet {
        return;
    }
    for finding in loaded.forgiven.findings() {
        let mut finding = finding.clone();
        finding.severity = Severity::Warning;
        say(&format!("{shown}: {}", render::finding(&finding, &loaded.bytes, render::colours())));
    }
}
