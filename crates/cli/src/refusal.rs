//! The reasons why a file gives no result, and why a command stops.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::messages::say;
use crate::render;
use crate::status::Status;
use meshwright::files::output::{Clash, Failed};
use meshwright::files::{FilesError, Tree, TreeOptions, TreePath};
use meshwright::rig::RigError;
use meshwright::scene::ConvertError;
use meshwright::{
    Error, ErrorClass, Finder, Finding, Format, Opener, ReadError, Report, WriteError, foreign,
    opened_elsewhere, similar,
};
use serde_json::{Value, json};
use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

/// The reasons why a file gives no result.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// The file cannot be read; `is_limit` if a larger limit may help.
    Unreadable { why: String, is_limit: bool },
    /// The reader of standard output closed it early.
    Closed,
    /// The output cannot be written.
    Unwritable { path: PathBuf, why: String },
    /// The format is unknown. `what` names a foreign format if it is detected, and `tool` a program that opens it.
    Unknown { what: Option<&'static str>, tool: Option<&'static str> },
    /// The file was found in a folder and is not a model, so it is skipped.
    NotAModel,
    /// A companion is at fault, not the file.
    Companion(PathBuf, Box<Self>),
    /// The file, or a companion, breaks a rule of its format.
    Broken(Box<Broken>),
    /// The archive that contains the file breaks a rule.
    Packed { code: &'static str, why: String },
    /// The file cannot be converted or changed as requested.
    Cannot { code: &'static str, why: String },
    /// The arguments do not fit the file.
    Argument(String),
    /// An output would replace a file that must be kept.
    Taken(String),
}

/// The reason why a command stops before it has processed every file.
#[derive(Debug)]
pub(crate) enum Fail {
    /// Standard output cannot be written.
    Io(io::Error),
    /// The arguments contradict each other.
    Usage(String),
    /// Something that an argument names cannot be read or written.
    Refused(String, Refusal),
    /// A file failed, and `--fail-fast` ends the run.
    Stopped,
}

impl From<io::Error> for Fail {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

/// A broken rule of a file's format.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) error: ReadError,
    /// The name of the companion that breaks the rule; `None` if it is the model's own file.
    pub(crate) companion: Option<String>,
    /// The format that the file was read as.
    pub(crate) format: Option<Format>,
    /// The content of the file.
    pub(crate) bytes: Vec<u8>,
    /// All faults of the model's file.
    pub(crate) report: Report,
    /// The command would succeed with `--lenient`.
    pub(crate) leniently: bool,
}

impl Broken {
    /// Returns the broken rule of a file that `finder` did not open.
    pub(crate) fn of_model(e: &Error, finder: &Finder, path: &TreePath, options: &Opener) -> Option<Self> {
        let read = |path: &TreePath| {
            let budget = meshwright::Budget::new(options.read_settings().read.limits);
            finder.tree().read(path, &budget).map(std::borrow::Cow::into_owned).unwrap_or_default()
        };
        let (bytes, companion) = match e.file() {
            None => (read(path), None),
            Some(name) => match options.named_files().iter().find(|file| file.name == name) {
                Some(file) => (file.bytes.to_vec(), Some(name.to_owned())),
                // A companion that was found, not named, has a path in the tree.
                None => {
                    let shown =
                        finder.tree().shown_path(name).map(|path| path.to_string_lossy().into_owned());
                    let bytes = TreePath::new(name).map(|path| read(&path)).unwrap_or_default();
                    (bytes, Some(shown.unwrap_or_else(|| name.to_owned())))
                }
            },
        };
        let report = finder.faults(path, options, e);
        let error = e.read_error()?.clone();
        Some(Self { error, companion, format: e.format(), bytes, report, leniently: false })
    }

    /// Returns the broken rule of a companion that the user named.
    pub(crate) fn of_companion(error: ReadError, name: &str, bytes: &[u8]) -> Self {
        let (companion, bytes) = (Some(name.to_owned()), bytes.to_vec());
        Self { error, companion, format: None, bytes, report: Report::new(), leniently: false }
    }
}

impl From<Error> for Refusal {
    fn from(e: Error) -> Self {
        let cause = e.source();
        if let Some(e) = cause.and_then(|e| e.downcast_ref::<FilesError>()) {
            return Self::unreadable(e);
        }
        let why = cause.map_or_else(|| e.message().to_owned(), ToString::to_string);
        match e.code() {
            "unknown-format" => Self::UNKNOWN,
            "usage" => Self::Argument(why),
            "would-replace" => Self::Taken(why),
            code => Self::Cannot { code, why },
        }
    }
}

impl From<ConvertError> for Refusal {
    fn from(e: ConvertError) -> Self {
        Error::from(e).into()
    }
}

impl From<RigError> for Refusal {
    fn from(e: RigError) -> Self {
        Error::from(e).into()
    }
}

impl From<WriteError> for Refusal {
    fn from(e: WriteError) -> Self {
        Error::from(e).into()
    }
}

impl From<Clash> for Refusal {
    fn from(e: Clash) -> Self {
        Self::Taken(e.to_string())
    }
}

impl From<Failed> for Refusal {
    fn from((path, e): Failed) -> Self {
        Self::unwritable(&path, &e)
    }
}

impl Refusal {
    /// The refusal of a file of unknown format.
    pub(crate) const UNKNOWN: Self = Self::Unknown { what: None, tool: None };

    /// Returns the refusal of a file of a foreign format, by its first bytes and its extension.
    pub(crate) fn unknown(head: &[u8], extension: &[u8]) -> Self {
        let tool = str::from_utf8(extension).ok().and_then(opened_elsewhere).map(|(_, tool)| tool);
        Self::Unknown { what: foreign(head), tool }
    }

    pub(crate) fn unreadable(e: &FilesError) -> Self {
        if let FilesError::Pack { error, .. } = e {
            return Self::Packed { code: error.code(), why: error.to_string() };
        }
        let is_limit = matches!(e, FilesError::TooLarge { .. } | FilesError::Limit(_));
        let more = if is_limit { "; raise --max-memory to read it" } else { "" };
        Self::Unreadable { why: format!("{}{more}", e.reason()), is_limit }
    }

    /// Returns the refusal of a path that cannot be opened, with similar names as a hint.
    pub(crate) fn unopened(path: &Path, e: &FilesError) -> Self {
        let refusal = Self::unreadable(e);
        match (e, refusal) {
            (FilesError::NotFound { .. }, Self::Unreadable { why, is_limit }) => {
                let near: Vec<_> = nearest(path).iter().map(|name| render::plain(name)).collect();
                let meant =
                    if near.is_empty() { String::new() } else { format!("; is it {}?", near.join(" or ")) };
                Self::Unreadable { why: format!("{why}{meant}"), is_limit }
            }
            (_, refusal) => refusal,
        }
    }

    pub(crate) fn unwritable(path: &Path, e: &io::Error) -> Self {
        Self::Unwritable { path: path.to_owned(), why: e.to_string() }
    }

    /// Returns whether a larger limit may help.
    pub(crate) fn is_limit(&self) -> bool {
        match self {
            Self::Unreadable { is_limit, .. } => *is_limit,
            Self::Broken(broken) => matches!(broken.error.class(), ErrorClass::Limit { .. }),
            Self::Cannot { code, .. } => *code == "limit",
            Self::Companion(_, refusal) => refusal.is_limit(),
            _ => false,
        }
    }

    /// Returns whether the archive of the file or of a companion is at fault.
    pub(crate) fn is_of_archive(&self) -> bool {
        match self {
            Self::Companion(_, refusal) => refusal.is_of_archive(),
            refusal => matches!(refusal, Self::Packed { .. }),
        }
    }

    /// Returns the same refusal about a companion of the file.
    pub(crate) fn of_companion(self, path: &Path) -> Self {
        match self {
            Self::Companion(..) | Self::Closed => self,
            Self::Broken(mut broken) => {
                broken.companion.get_or_insert_with(|| path.to_string_lossy().into_owned());
                Self::Broken(broken)
            }
            refusal => Self::Companion(path.to_owned(), Box::new(refusal)),
        }
    }

    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Companion(_, refusal) => refusal.status(),
            Self::Unreadable { .. }
            | Self::Unwritable { .. }
            | Self::Unknown { .. }
            | Self::NotAModel
            | Self::Closed => Status::Unusable,
            Self::Broken(_) | Self::Packed { .. } | Self::Cannot { .. } => Status::Errors,
            Self::Argument(_) | Self::Taken(_) => Status::Arguments,
        }
    }

    /// Returns the refusal as JSON.
    pub(crate) fn json(&self) -> Value {
        let document = |class: &str, code: &str, message: &str| json!({ "class": class, "code": code, "severity": "error", "message": render::message(message) });
        match self {
            Self::Companion(path, refusal) => {
                let mut value = refusal.json();
                value["companion"] = render::exact(path).into();
                value
            }
            Self::Unreadable { why, .. } => document("io", "cannot-read", why),
            Self::Closed => document("io", "cannot-write", "standard output was closed"),
            Self::Unwritable { path, why } => {
                let mut value = document("io", "cannot-write", why);
                value["output"] = render::exact(path).into();
                value
            }
            Self::Unknown { what, tool } => {
                let (code, why) = unknown(*what, *tool);
                document("unknown-format", code, &why)
            }
            Self::NotAModel => Self::UNKNOWN.json(),
            Self::Broken(broken) => {
                let mut value = render::error_json(&broken.error);
                if let Some(name) = &broken.companion {
                    value["companion"] = name.as_str().into();
                }
                value["opens_leniently"] = broken.leniently.into();
                value
            }
            Self::Packed { code, why } => document("malformed", code, why),
            Self::Cannot { code, why } => document("conversion", code, why),
            Self::Argument(why) => document("usage", "usage", why),
            Self::Taken(why) => document("usage", "would-replace", why),
        }
    }

    /// Prints the refusal, with the bytes around the fault.
    pub(crate) fn say(&self, shown: &str) {
        let (about, text) = match self {
            Self::Companion(path, refusal) => return refusal.say(&render::path(path)),
            Self::Unreadable { why, .. } => (shown.to_owned(), render::error("cannot-read", why)),
            Self::Closed => return,
            Self::Unwritable { path, why } => (render::path(path), render::error("cannot-write", why)),
            Self::Unknown { what, tool } => {
                let (code, why) = unknown(*what, *tool);
                (shown.to_owned(), render::error(code, &why))
            }
            Self::NotAModel => return Self::UNKNOWN.say(shown),
            Self::Broken(broken) => {
                let hint = if broken.leniently { "\n  --lenient opens it" } else { "" };
                let about = broken.companion.as_deref().map(|name| render::path(Path::new(name)));
                let text = in_hex(&broken.error, &broken.bytes);
                (about.unwrap_or_else(|| shown.to_owned()), format!("{text}{hint}"))
            }
            Self::Packed { code, why } | Self::Cannot { code, why } => {
                (shown.to_owned(), render::error(code, why))
            }
            Self::Argument(why) => (shown.to_owned(), render::error("usage", why)),
            Self::Taken(why) => (shown.to_owned(), render::error("would-replace", why)),
        };
        say(&format!("{about}: {text}"));
    }
}

/// Returns the names in a folder or an archive that are similar to the name that a path misses.
fn nearest(path: &Path) -> Vec<String> {
    let options = TreeOptions::default().with_packs_as_files();
    let opened = path.ancestors().find_map(|at| {
        let folder = at.parent()?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let tree = Tree::open_with(folder, options).ok().filter(|tree| tree.start().is_none())?;
        Some((at.file_name()?.to_string_lossy(), tree))
    });
    let Some((name, tree)) = opened else { return Vec::new() };
    let entries = tree.list(tree.scope().unwrap_or(&TreePath::ROOT)).unwrap_or_default();
    let names: Vec<_> = entries.iter().map(|entry| String::from_utf8_lossy(entry.path.name())).collect();
    similar(&name, names.iter().map(|name| &**name)).into_iter().map(str::to_owned).collect()
}

fn in_hex(error: &ReadError, bytes: &[u8]) -> String {
    render::finding(&Finding::from(error), bytes, render::colours(&io::stderr()))
}

/// Returns code and message for a file of unknown format.
fn unknown(what: Option<&str>, tool: Option<&str>) -> (&'static str, String) {
    let opens = tool.map_or_else(String::new, |tool| format!("; {tool} opens it"));
    match what {
        Some("empty") => ("empty-file", "the file is empty".into()),
        Some(what) => ("unknown-format", format!("not a known format: it is {what}{opens}")),
        None if tool.is_some() => ("unknown-format", format!("not a known format{opens}")),
        None => ("unknown-format", format!("not a known format; name it with --as FORMAT ({})", ids())),
    }
}

/// Lists the short names of all formats.
fn ids() -> String {
    Format::ALL.iter().map(|f| f.id()).collect::<Vec<_>>().join(", ")
}
