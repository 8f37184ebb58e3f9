//! `meshwright unpack`: the files of packs, written below a folder.

use crate::args::{OutputFormat, UnpackArgs};
use crate::destination::Destination;
use crate::input::as_os;
use crate::output::write_files;
use crate::refusal::Refusal;
use crate::results::print;
use crate::{Fail, Status, render, say};
use meshwright::files::{FilesError, Tree, TreeOptions, TreePath};
use meshwright::{Budget, Limits, counted};
use serde_json::{Value, json};
use std::path::Path;

/// What became of a run.
#[derive(Default)]
struct Run {
    written: u64,
    failed: u64,
    status: Status,
    documents: Vec<Value>,
}

pub(crate) fn run(args: &UnpackArgs) -> Result<Status, Fail> {
    let destination = Destination::Folder(args.output.clone());
    let mut run = Run::default();
    for file in &args.files {
        let path = Path::new(file);
        if path.symlink_metadata().is_ok() && !Tree::leads_into_pack(path) {
            run.refuse(path, &Refusal::Argument("is no pack".into()));
            continue;
        }
        let limits = Limits::default().with_memory(args.run.max_memory);
        let options = TreeOptions::default().with_directories(limits).with_packs_as_files();
        match Tree::open_with(path, options) {
            Ok(tree) => run.unpack(&tree, path, &destination, limits),
            Err(e) => run.refuse(path, &Refusal::unopened(path, &e)),
        }
    }
    if args.run.format == OutputFormat::Json {
        let summary = json!({ "done": run.written, "failed": run.failed });
        print(&json!({ "files": run.documents, "summary": summary }))?;
    } else if !args.run.quiet {
        let failed = if run.failed > 0 { format!(", {} failed", run.failed) } else { String::new() };
        say(&format!("{} written{failed}", counted(run.written, "file", "files")));
    }
    Ok(run.status)
}

impl Run {
    fn refuse(&mut self, path: &Path, refusal: &Refusal) {
        self.failed = self.failed.saturating_add(1);
        refusal.say(&render::path(path));
        self.documents.push(json!({ "file": render::exact(path), "error": refusal.json() }));
        self.status.and(refusal.status());
    }

    /// Writes what a pack has below the place that was named; what leads nowhere safe is refused.
    fn unpack(&mut self, tree: &Tree, named: &Path, destination: &Destination, limits: Limits) {
        if let Some((_, Ok(pack), folder)) = tree.named_pack()
            && folder.is_root()
        {
            for member in pack.members().iter().filter(|m| m.path().is_none() && !m.is_hidden()) {
                if let Some(error) = member.refusal() {
                    let e = FilesError::Pack { path: String::new(), error: Box::new(error) };
                    self.refuse(named, &Refusal::unreadable(&e));
                }
            }
        }
        let (start, scope) = (tree.start().cloned(), tree.scope().cloned().unwrap_or_default());
        let files = match &start {
            Some(file) => vec![Ok(file.clone())],
            None => tree.walk().files,
        };
        for file in files {
            let path = match file {
                Ok(path) => path,
                Err((_, e)) => {
                    self.refuse(named, &Refusal::unreadable(&e));
                    continue;
                }
            };
            let shown = tree.shown_path(&path).unwrap_or_else(|| as_os(&path));
            let below = match &start {
                Some(file) => TreePath::ROOT.beside(file.name()).unwrap_or_default(),
                None => path.below(&scope).unwrap_or_else(|| path.clone()),
            };
            match write(tree, &path, &below, destination, limits) {
                Ok(bytes) => {
                    self.written = self.written.saturating_add(1);
                    self.documents.push(json!({ "file": render::exact(&shown), "bytes": bytes }));
                }
                Err(refusal) => self.refuse(&shown, &refusal),
            }
        }
    }
}

fn write(
    tree: &Tree,
    path: &TreePath,
    below: &TreePath,
    destination: &Destination,
    limits: Limits,
) -> Result<u64, Refusal> {
    let Destination::Folder(top) = destination else { return Ok(0) };
    // Names that mean a device, or end in a dot, lead elsewhere on some systems.
    let odd = |name: &[u8]| {
        let name = String::from_utf8_lossy(name);
        cfg!(windows) && crate::names::safe_file_name(&name) != name
    };
    if below.names().any(odd) {
        return Err(Refusal::Argument("has a name that no file of this system can have".into()));
    }
    let bytes = tree.read(path, &Budget::new(limits)).map_err(|e| Refusal::unreadable(&e))?;
    let target = top.join(as_os(below));
    let written = write_files(destination, &[(target, &*bytes)]);
    written.map_err(|(path, e)| Refusal::unwritable(&path, &e))?;
    Ok(bytes.len() as u64)
}
