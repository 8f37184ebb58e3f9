//! `meshwright list`: the files in folders and packs.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::args::{ListArgs, OutputFormat};
use crate::input::{Input, expand};
use crate::messages::say;
use crate::refusal::{Fail, Refusal};
use crate::results::{Elsewhere, kind_of, links_out, print};
use crate::selection::Selection;
use crate::selection::as_os;
use crate::status::Status;
use crate::{messages, render};
use meshwright::files::{Member, Tree, TreeOptions, TreePath};
use meshwright::{Limits, counted};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ListArgs) -> Result<Status, Fail> {
    let (mut status, mut documents, mut kinds) = (Status::Fine, Vec::new(), Kinds::new());
    let limits = Limits::default().with_memory(args.max_memory);
    // Only the directory of a pack is read, so the size of its files does not matter.
    let options = TreeOptions::default().with_unpacked(u64::MAX).with_directories(limits);
    for file in &Selection::expanded(&args.files)? {
        let path = Path::new(file);
        if path.is_dir() {
            let selection = Selection::of_folder(path, args.follow, limits);
            status.and(list_folder(&selection, args, &mut documents, &mut kinds)?);
            continue;
        }
        match Tree::open_with(path, options) {
            Ok(tree) => status.and(list_pack(&tree, args, &mut documents, &mut kinds)?),
            Err(e) => status.and(refuse(path, &Refusal::unopened(path, &e), &mut documents)),
        }
    }
    let elsewhere = Elsewhere::among(&kinds);
    if args.format == OutputFormat::Json {
        let mut document = json!({ "files": documents });
        if !elsewhere.is_empty() {
            document["elsewhere"] = elsewhere.iter().map(Elsewhere::json).collect();
        }
        print(&document)?;
    } else {
        elsewhere.iter().for_each(|models| say(&models.line()));
    }
    Ok(status)
}

/// A file of a list.
struct Row<'t> {
    path: &'t Path,
    size: u64,
    /// The pack that contains it, in a listing of a folder.
    pack: Option<String>,
    /// The name that the archive stores, if commands use another path for the member.
    stored: Option<String>,
    /// The code of the error, for an entry of a pack that cannot be read.
    refused: Option<&'static str>,
    hidden: bool,
}

impl Row<'_> {
    fn show(&self, format: OutputFormat, documents: &mut Vec<Value>) -> std::io::Result<()> {
        if format == OutputFormat::Json {
            let mut value = json!({ "file": render::exact(self.path), "bytes": self.size });
            if let Some(pack) = &self.pack {
                value["pack"] = pack.as_str().into();
            }
            if let Some(stored) = &self.stored {
                value["stored"] = stored.as_str().into();
            }
            if let Some(code) = self.refused {
                value["refused"] = code.into();
            }
            if self.hidden {
                value["hidden"] = true.into();
            }
            documents.push(value);
            return Ok(());
        }
        let mut line = format!("{:>10}  {}", self.size, render::path(self.path));
        if let Some(pack) = &self.pack {
            line = format!("{line}  ({pack})");
        }
        if let Some(code) = self.refused {
            line = format!("{line}  refused: {code}");
        }
        if self.hidden {
            line.push_str("  hidden by a later one");
        }
        messages::print(format!("{}\n", render::cut(&line)))
    }
}

/// The number of files of each extension.
type Kinds = BTreeMap<String, u64>;

fn count(kinds: &mut Kinds, path: &Path) {
    let count = kinds.entry(kind_of(path)).or_insert(0);
    *count = count.saturating_add(1);
}

fn refuse(path: &Path, refusal: &Refusal, documents: &mut Vec<Value>) -> Status {
    refusal.say(&render::path(path));
    documents.push(json!({ "file": render::exact(path), "error": refusal.json() }));
    refusal.status()
}

/// Lists a folder as its game sees it: with the files of archives, also in data folders below it.
fn list_folder(
    selection: &Selection,
    args: &ListArgs,
    documents: &mut Vec<Value>,
    kinds: &mut Kinds,
) -> Result<Status, Fail> {
    let mut status = Status::Fine;
    let expanded = expand(selection, None);
    for found in &expanded.found {
        match found {
            Ok(Input { path, below, met: Some(met) }) => {
                let pack = met.finder.tree().pack_of(&met.path);
                let row = Row {
                    path: below.as_deref().unwrap_or(path),
                    size: met.finder.tree().size(&met.path).unwrap_or(0),
                    pack: pack.map(|pack| render::plain(pack.name())),
                    stored: None,
                    refused: None,
                    hidden: false,
                };
                count(kinds, row.path);
                row.show(args.format, documents)?;
            }
            Ok(_) => {}
            Err((input, e)) => status.and(refuse(&input.path, &Refusal::unopened(&input.path, e), documents)),
        }
    }
    links_out(&expanded.links_out, "--follow follows them").iter().for_each(|line| say(line));
    if expanded.hidden > 0 {
        let hidden = counted(expanded.hidden, "file is hidden by another", "files are hidden by others");
        say(&hidden);
    }
    Ok(status)
}

/// Lists a pack, a folder in one, or one file.
fn list_pack(
    tree: &Tree,
    args: &ListArgs,
    documents: &mut Vec<Value>,
    kinds: &mut Kinds,
) -> Result<Status, Fail> {
    if let Some((at, Ok(pack), folder)) = tree.named_pack() {
        // All entries of a pack are listed, also those that the engine never finds.
        for member in pack.members().iter().filter(|m| below(m, &folder)) {
            let name = PathBuf::from(member.shown_name());
            count(kinds, &name);
            row(&name, member).show(args.format, documents)?;
            let inner = || member.path().filter(|_| at.is_root()).and_then(|path| tree.inner_pack(path));
            if let Some(Ok(inner)) = inner() {
                for member in inner.members() {
                    let path = name.join(member.shown_name());
                    count(kinds, &path);
                    row(&path, member).show(args.format, documents)?;
                }
            }
        }
    } else if let Some(file) = tree.start() {
        let (path, size) = (as_os(file), tree.size(file).unwrap_or(0));
        count(kinds, &path);
        Row { path: &path, size, pack: None, stored: None, refused: None, hidden: false }
            .show(args.format, documents)?;
    }
    Ok(Status::Fine)
}

fn below(member: &Member, scope: &TreePath) -> bool {
    scope.is_root() || member.path().is_some_and(|path| path.below_any_case(scope).is_some())
}

fn row<'m>(path: &'m Path, member: &'m Member) -> Row<'m> {
    let stored = String::from_utf8_lossy(member.stored_name());
    Row {
        path,
        size: member.size(),
        pack: None,
        stored: (stored != member.shown_name()).then(|| stored.into_owned()),
        refused: member.refusal().map(|e| e.code()),
        hidden: member.is_hidden(),
    }
}
