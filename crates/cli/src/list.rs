//! `meshwright list`: what folders and packs hold.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::args::{ListArgs, OutputFormat};
use crate::input::as_os;
use crate::refusal::Refusal;
use crate::results::{Elsewhere, kind_of, print};
use crate::{Fail, Status, batch, render, say};
use meshwright::Limits;
use meshwright::files::{Member, Tree, TreeOptions, TreePath};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn run(args: &ListArgs) -> Result<Status, Fail> {
    let (mut status, mut documents, mut kinds) = (Status::Fine, Vec::new(), Kinds::new());
    let options = TreeOptions::default().with_directories(Limits::default().with_memory(args.max_memory));
    for file in &args.files {
        let path = Path::new(file);
        match Tree::open_with(path, options) {
            Ok(tree) => status.and(listed(&tree, args, &mut documents, &mut kinds)?),
            Err(e) => {
                let refusal = Refusal::unreadable(&e);
                refusal.say(&render::path(path));
                documents.push(json!({ "file": render::exact(path), "error": refusal.json() }));
                status.and(refusal.status());
            }
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
    /// Where it lies, when that is not below the folder that was named.
    pack: Option<String>,
    /// What an entry of a pack that cannot be read is refused for.
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
        batch::print(format!("{}\n", render::cut(&line)))
    }
}

/// How many files there are of each extension.
type Kinds = BTreeMap<String, u64>;

fn listed(
    tree: &Tree,
    args: &ListArgs,
    documents: &mut Vec<Value>,
    kinds: &mut Kinds,
) -> Result<Status, Fail> {
    let mut count = |path: &Path| {
        let count = kinds.entry(kind_of(path)).or_insert(0);
        *count = count.saturating_add(1);
    };
    let mut status = Status::Fine;
    if let Some((at, Ok(pack), folder)) = tree.named_pack() {
        // A pack shows all of its entries, those that are never found too.
        for member in pack.members().iter().filter(|m| below(m, &folder)) {
            let name = std::str::from_utf8(member.stored_name()).unwrap_or("?");
            count(Path::new(name));
            row(Path::new(name), member).show(args.format, documents)?;
            let inner = || member.path().filter(|_| at.is_root()).and_then(|path| tree.inner_pack(path));
            if let Some(Ok(inner)) = inner() {
                for member in inner.members() {
                    let own = std::str::from_utf8(member.stored_name()).unwrap_or("?");
                    let path = Path::new(name).join(own);
                    count(&path);
                    row(&path, member).show(args.format, documents)?;
                }
            }
        }
        return Ok(status);
    }
    let walk = tree.walk();
    let one = tree.start().cloned().map(Ok);
    let files = if one.is_some() { one.into_iter().collect() } else { walk.files };
    for file in &files {
        match file {
            Ok(path) => {
                let pack = tree.pack_of(path).filter(|_| tree.start().is_none());
                let pack = pack.map(|pack| render::plain(pack.name()));
                let size = tree.size(path).unwrap_or(0);
                count(&as_os(path));
                let row = Row { path: &as_os(path), size, pack, refused: None, hidden: false };
                row.show(args.format, documents)?;
            }
            Err((path, e)) => {
                let refusal = Refusal::unreadable(e);
                refusal.say(&render::path(&tree.shown_path(path).unwrap_or_else(|| as_os(path))));
                status.and(refusal.status());
            }
        }
    }
    if walk.hidden > 0 && tree.start().is_none() {
        say(&meshwright::counted(walk.hidden, "file is hidden by another", "files are hidden by others"));
    }
    Ok(status)
}

fn below(member: &Member, scope: &TreePath) -> bool {
    scope.is_root() || member.path().is_some_and(|path| path.below(scope).is_some())
}

fn row<'m>(path: &'m Path, member: &'m Member) -> Row<'m> {
    Row {
        path,
        size: member.size(),
        pack: None,
        refused: member.refusal().map(|e| e.code()),
        hidden: member.is_hidden(),
    }
}
