//! `meshwright unpack`: writes the files of packs into a folder.

use crate::args::{OutputFormat, UnpackArgs};
use crate::destination::Destination;
use crate::messages::say;
use crate::output::{self, Outputs, content_of};
use crate::refusal::{Fail, Refusal};
use crate::render;
use crate::results::print;
use crate::selection::as_os;
use crate::status::Status;
use meshwright::files::output::{Clash, OutputName, Place, Plan, Replace};
use meshwright::files::{FilesError, Tree, TreeOptions, TreePath};
use meshwright::{Budget, Limits, counted, cp1252};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The results of a run.
#[derive(Default)]
struct Run {
    files: Vec<File>,
    written: u64,
    failed: u64,
    /// Existing files that were kept.
    kept: u64,
    /// Files whose names begin with a dot, or that are in folders with such names.
    hidden: u64,
    /// The sum of the sizes of all files.
    bytes: u64,
    status: Status,
    documents: Vec<Value>,
}

/// A file that is to be written.
struct File {
    tree: Tree,
    path: TreePath,
    shown: PathBuf,
    place: Place,
}

pub(crate) fn run(args: &UnpackArgs) -> Result<Status, Fail> {
    let replace = if args.force { Replace::All } else { Replace::Nothing };
    let plan = Plan::default().with_replace(replace);
    let limits = Limits::default().with_memory(args.run.max_memory);
    let mut run = Run::default();
    for file in &args.files {
        let path = Path::new(file);
        if path.symlink_metadata().is_ok() && !Tree::leads_into_pack(path) {
            run.refuse(path, &Refusal::Argument("is not a pack".into()));
            continue;
        }
        let mut options = TreeOptions::default().with_directories(limits).with_packs_as_files();
        options.unpacked = args.max_output;
        match Tree::open_with(path, options) {
            Ok(tree) => run.collect(&tree, path, args),
            Err(e) => run.refuse(path, &Refusal::unopened(path, &e)),
        }
    }
    if let Err(refusal) = run.plan(&plan, args) {
        refusal.say(&render::path(&args.output));
        if args.run.format == OutputFormat::Json {
            print(&json!({ "files": [], "error": refusal.json() }))?;
        }
        return Ok(refusal.status());
    }
    run.write(&plan, args, limits);
    run.report(args)
}

impl Run {
    fn refuse(&mut self, path: &Path, refusal: &Refusal) {
        self.failed = self.failed.saturating_add(1);
        refusal.say(&render::path(path));
        self.documents.push(json!({ "file": render::exact(path), "error": refusal.json() }));
        self.status.and(refusal.status());
    }

    /// Collects the files of a pack, or of the folder in it that was named. Unsafe paths are refused.
    fn collect(&mut self, tree: &Tree, named: &Path, args: &UnpackArgs) {
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
                None => path.below_any_case(&scope).unwrap_or_else(|| path.clone()),
            };
            if below.names().any(|name| name.starts_with(b".")) {
                self.hidden = self.hidden.saturating_add(1);
                self.documents.push(json!({ "file": render::exact(&shown), "hidden": true }));
                continue;
            }
            match place(&args.output, &below) {
                Ok(place) => {
                    self.bytes = self.bytes.saturating_add(tree.size(&path).unwrap_or(0));
                    self.files.push(File { tree: tree.clone(), path, shown, place });
                }
                Err(refusal) => self.refuse(&shown, &refusal),
            }
        }
    }

    /// Checks all output paths before the first byte is written.
    fn plan(&mut self, plan: &Plan, args: &UnpackArgs) -> Result<(), Refusal> {
        let exists = |file: &File| file.place.path().symlink_metadata().is_ok();
        if args.no_clobber {
            let (kept, files) = self.files.drain(..).partition::<Vec<_>, _>(exists);
            self.files = files;
            self.kept = kept.len() as u64;
            self.documents.extend(kept.iter().map(|file| file.json("kept", true.into())));
        }
        let mut packs: Vec<PathBuf> =
            self.files.iter().filter_map(|file| file.tree.container(&file.path)).collect();
        packs.dedup();
        packs.iter().for_each(|pack| plan.reads(pack));
        for file in &self.files {
            plan.spare_inputs(&file.place, None)?;
            plan.reserve(&file.place)?;
        }
        let there: Vec<&File> = self.files.iter().filter(|file| !args.force && exists(file)).collect();
        if let Some(first) = there.first() {
            let clash = Clash::Exists(first.place.path().to_owned());
            let more = there.len().saturating_sub(1) as u64;
            let and = if more > 0 {
                format!(" and {}", counted(more, "more file", "more files"))
            } else {
                String::new()
            };
            let why = format!("{clash}{and}; --force replaces existing files, --no-clobber keeps them");
            return Err(Refusal::Taken(why));
        }
        match args.max_output {
            Some(most) if self.bytes > most => Err(too_much(self.bytes, most)),
            _ => Ok(()),
        }
    }

    fn write(&mut self, plan: &Plan, args: &UnpackArgs, limits: Limits) {
        let outputs = Outputs::new(&Destination::Folder(args.output.clone()));
        let mut written = 0_u64;
        for file in std::mem::take(&mut self.files) {
            let done = (|| {
                let bytes = file.tree.read(&file.path, &Budget::new(limits));
                let bytes = bytes.map_err(|e| Refusal::unreadable(&e))?;
                // A file may be compressed a second time, so its real size is known only now.
                written = written.saturating_add(bytes.len() as u64);
                if let Some(most) = args.max_output.filter(|most| written > *most) {
                    return Err(too_much(written, most));
                }
                let files = [output::main(file.place.clone(), content_of(&bytes))];
                outputs.write(files.into(), plan).map(|_| bytes.len())
            })();
            match done {
                Ok(bytes) => {
                    self.written = self.written.saturating_add(1);
                    self.documents.push(file.json("bytes", bytes.into()));
                }
                Err(refusal) => self.refuse(&file.shown, &refusal),
            }
        }
    }

    fn report(self, args: &UnpackArgs) -> Result<Status, Fail> {
        if args.run.format == OutputFormat::Json {
            let mut summary = json!({ "done": self.written, "failed": self.failed });
            for (name, n) in
                [("kept", self.kept), ("hidden", self.hidden)].into_iter().filter(|(_, n)| *n > 0)
            {
                if let Some(fields) = summary.as_object_mut() {
                    fields.insert(name.into(), n.into());
                }
            }
            print(&json!({ "files": self.documents, "summary": summary }))?;
        } else if !args.run.quiet {
            let mut parts = vec![format!("{} written", counted(self.written, "file", "files"))];
            if self.kept > 0 {
                parts.push(format!("{} existing kept", self.kept));
            }
            if self.hidden > 0 {
                parts.push(format!("{} skipped (names begin with a dot)", self.hidden));
            }
            if self.failed > 0 {
                parts.push(format!("{} failed", self.failed));
            }
            say(&parts.join(", "));
        }
        Ok(self.status)
    }
}

impl File {
    fn json(&self, field: &str, value: Value) -> Value {
        json!({ "file": render::exact(&self.shown), "output": render::exact(self.place.path()), field: value })
    }
}

/// Returns the output path of a file. Only names that every system allows are written.
fn place(top: &Path, below: &TreePath) -> Result<Place, Refusal> {
    let name = |name: &[u8]| {
        let text = str::from_utf8(name).map_or_else(|_| from_old(name), str::to_owned);
        OutputName::new(&text, &[]).map_err(|e| (text, e))
    };
    let names: Result<Vec<OutputName>, _> = below.names().map(name).collect();
    let names = names.map_err(|(name, why)| Refusal::Cannot {
        code: "bad-output",
        why: format!("`{}` is not a safe output name: it {why}", render::plain(&name)),
    })?;
    Ok(Place::below(top, &names))
}

/// Returns a name that is not UTF-8 as Windows-1252, so that different names stay different files.
fn from_old(name: &[u8]) -> String {
    cp1252(name).replace(|c: char| c.is_control() && !c.is_ascii(), "\u{fffd}")
}

fn too_much(bytes: u64, most: u64) -> Refusal {
    let why = format!("the files have {bytes} bytes together; --max-output allows {most}");
    Refusal::Cannot { code: "limit", why }
}
