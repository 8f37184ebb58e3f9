//! The reasons why a file gives no result.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::{Status, render, say};
use meshwright::dump::DumpError;
use meshwright::files::output::{Clash, Failed};
use meshwright::files::{FilesError, Tree, TreeOptions, TreePath};
use meshwright::rig::RigError;
use meshwright::scene::ConvertError;
use meshwright::{
    AssetError, BadOutput, Failure, Finding, Format, ReadError, WriteError, foreign, opened_elsewhere,
    similar,
};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// The reasons why a file gives no result.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The file, or a companion, cannot be read.
    Unreadable { companion: Option<PathBuf>, why: String },
    /// The reader of standard output closed it early.
    Closed,
    /// The output cannot be written.
    Unwritable { path: PathBuf, why: String },
    /// The format is unknown. `what` names a foreign format if it is detected, and `tool` a program that opens it.
    Unknown { what: Option<&'static str>, tool: Option<&'static str> },
    /// The file was found in a folder and is not a model, so it is skipped.
    NotAModel,
    /// The file, or a companion, breaks a rule of its format. `leniently` is set if the command would succeed with
    /// `--lenient`.
    Broken { error: AssetError, leniently: bool },
    /// The archive that contains the file breaks a rule.
    Packed { code: &'static str, why: String },
    /// The file cannot be converted or changed as requested.
    Cannot { code: &'static str, why: String },
    /// The arguments do not fit the file.
    Argument(String),
    /// An output would replace a file that must be kept.
    Taken(String),
}

impl From<AssetError> for Refusal {
    fn from(e: AssetError) -> Self {
        match e {
            AssetError::Files(e) => Self::unreadable(&e),
            AssetError::UnknownFormat => Self::UNKNOWN,
            AssetError::Scene(e) => e.into(),
            error => Self::Broken { error, leniently: false },
        }
    }
}

impl From<ConvertError> for Refusal {
    fn from(e: ConvertError) -> Self {
        let code = Failure::from(e.clone()).code;
        Self::Cannot { code, why: e.to_string() }
    }
}

impl From<DumpError> for Refusal {
    fn from(e: DumpError) -> Self {
        match e {
            DumpError::Convert(e) => e.into(),
            DumpError::Rig(e) => e.into(),
            other => Self::Argument(other.to_string()),
        }
    }
}

impl From<RigError> for Refusal {
    fn from(e: RigError) -> Self {
        Self::Cannot { code: "invalid-model", why: e.to_string() }
    }
}

impl From<WriteError> for Refusal {
    fn from(e: WriteError) -> Self {
        Self::Cannot { code: "not-writable", why: e.to_string() }
    }
}

impl From<Clash> for Refusal {
    fn from(e: Clash) -> Self {
        Self::Taken(e.to_string())
    }
}

impl From<BadOutput> for Refusal {
    fn from(e: BadOutput) -> Self {
        match e {
            BadOutput::Twice { .. } => Self::Taken(e.to_string()),
            e => Self::Cannot { code: Failure::from(e.clone()).code, why: e.to_string() },
        }
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
        let more =
            if matches!(e, FilesError::TooLarge { .. }) { "; raise --max-memory to read it" } else { "" };
        Self::Unreadable { companion: None, why: format!("{}{more}", e.reason()) }
    }

    /// Returns the refusal of a path that cannot be opened, with similar names as a hint.
    pub(crate) fn unopened(path: &Path, e: &FilesError) -> Self {
        let refusal = Self::unreadable(e);
        match (e, refusal) {
            (FilesError::NotFound { .. }, Self::Unreadable { companion, why }) => {
                let near: Vec<_> = nearest(path).iter().map(|name| render::plain(name)).collect();
                let meant =
                    if near.is_empty() { String::new() } else { format!("; is it {}?", near.join(" or ")) };
                Self::Unreadable { companion, why: format!("{why}{meant}") }
            }
            (_, refusal) => refusal,
        }
    }

    pub(crate) fn unwritable(path: &Path, e: &io::Error) -> Self {
        Self::Unwritable { path: path.to_owned(), why: e.to_string() }
    }

    /// Returns the same refusal about a companion of the file.
    pub(crate) fn of_companion(self, path: &Path) -> Self {
        match self {
            Self::Unreadable { why, .. } => Self::Unreadable { companion: Some(path.to_owned()), why },
            other => other,
        }
    }

    pub(crate) const fn status(&self) -> Status {
        match self {
            Self::Unreadable { .. }
            | Self::Unwritable { .. }
            | Self::Unknown { .. }
            | Self::NotAModel
            | Self::Closed => Status::Unusable,
            Self::Broken { .. } | Self::Packed { .. } | Self::Cannot { .. } => Status::Errors,
            Self::Argument(_) | Self::Taken(_) => Status::Arguments,
        }
    }

    /// Returns the refusal as JSON.
    pub(crate) fn json(&self) -> Value {
        let document = |class: &str, code: &str, message: &str| json!({ "class": class, "code": code, "severity": "error", "message": render::message(message) });
        match self {
            Self::Unreadable { companion, why } => {
                let mut value = document("io", "cannot-read", why);
                if let Some(companion) = companion {
                    value["companion"] = render::exact(companion).into();
                }
                value
            }
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
            Self::Broken { error, leniently } => {
                let mut value = match error {
                    AssetError::Companion { error, .. } | AssetError::Model { error, .. } => {
                        render::error_json(error)
                    }
                    other => document("malformed", "malformed", &other.to_string()),
                };
                if let AssetError::Companion { name, .. } = error {
                    value["companion"] = name.as_str().into();
                }
                value["opens_leniently"] = (*leniently).into();
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
            Self::Unreadable { companion, why } => {
                let about = companion.as_deref().map_or_else(|| shown.to_owned(), render::path);
                (about, render::error("cannot-read", why))
            }
            Self::Closed => return,
            Self::Unwritable { path, why } => (render::path(path), render::error("cannot-write", why)),
            Self::Unknown { what, tool } => {
                let (code, why) = unknown(*what, *tool);
                (shown.to_owned(), render::error(code, &why))
            }
            Self::NotAModel => return Self::UNKNOWN.say(shown),
            Self::Broken { error, leniently } => {
                let hint = if *leniently { "\n  --lenient opens it" } else { "" };
                let (about, text) = match error {
                    AssetError::Companion { name, bytes, error } => {
                        (render::path(Path::new(name)), in_hex(error, bytes))
                    }
                    AssetError::Model { bytes, error, .. } => (shown.to_owned(), in_hex(error, bytes)),
                    other => (shown.to_owned(), render::error("malformed", &other.to_string())),
                };
                (about, format!("{text}{hint}"))
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
