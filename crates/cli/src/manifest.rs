//! What a run over a game did: every input with its parts, every output, with hashes, so that a later run can go on.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::args::ConvertArgs;
use crate::input::Input;
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::results::Results;
use crate::{Fail, identity, render};
use meshwright::files::{Tree, TreePath};
use meshwright::scene::{Loss, LossKind};
use meshwright::{Budget, Limits, Part, PartState};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const VERSION: u64 = 1;

/// The files of a model with their hashes, the model's own first.
pub(crate) type Took = Vec<Value>;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The files that took part in a model.
pub(crate) fn took(tree: &Tree, parts: &[Part], limits: Limits) -> Took {
    let used = parts.iter().filter(|part| !matches!(part.state, PartState::Ignored(_)));
    used.filter_map(|part| {
        let path = part.path.as_ref()?;
        let bytes = tree.read(path, &Budget::new(limits)).ok()?;
        let mut value = json!({
            "role": part.role.to_string(),
            "member": path.text(),
            "sha256": hash(&bytes),
            "bytes": bytes.len(),
        });
        if let Some(pack) = tree.pack_of(path) {
            let name = Path::new(pack.name()).file_name().unwrap_or_default();
            value["pack"] = name.to_string_lossy().into();
        }
        Some(value)
    })
    .collect()
}

/// The manifest that a run is to write, while it looks for its inputs.
pub(crate) struct Manifest<'a> {
    args: &'a ConvertArgs,
    path: &'a Path,
    /// The folder that takes the outputs.
    top: &'a Path,
    /// The names of files that are no models: what belongs to a model may be among them.
    aside: Sha256,
    /// That of an earlier run.
    before: Option<Value>,
}

impl<'a> Manifest<'a> {
    /// The manifest that the arguments ask for.
    pub(crate) fn new(args: &'a ConvertArgs, top: Option<&'a Path>) -> Result<Option<Self>, Fail> {
        let Some(path) = &args.manifest else { return Ok(None) };
        let Some(top) = top else {
            return Err(Fail::Usage("--manifest is for what goes into a folder".into()));
        };
        let before = read(path)?;
        Ok(Some(Self { args, path, top, aside: Sha256::new(), before }))
    }

    /// A file that is no model.
    pub(crate) fn aside(&mut self, input: &Input) {
        // It may lie among the files of the game.
        let own = || identity::of(&input.path).is_some_and(|own| identity::of(self.path) == Some(own));
        if input.path.file_name() != self.path.file_name() || !own() {
            self.aside.update(name(input));
            self.aside.update([0]);
        }
    }

    /// The manifest of a run over these inputs, with what an earlier run wrote there of the same files with the same
    /// options.
    pub(crate) fn of(mut self, inputs: &[Input], reader: &Reader) -> Result<Written, Fail> {
        for name in reader.root_names() {
            self.aside.update(name);
            self.aside.update([0]);
        }
        let options = words(self.args, &hex(&self.aside.finalize()));
        let order: BTreeMap<String, usize> = inputs.iter().map(name).zip(0..).collect();
        let mut before = BTreeMap::new();
        if (self.args.resume || self.args.shard.is_some())
            && let Some(document) = self.before
            && document["version"] == VERSION
            && document["options"] == options.as_str()
        {
            for entry in document["files"].as_array().into_iter().flatten() {
                let place = order.get(entry["input"].as_str().unwrap_or_default());
                before.extend(place.map(|place| (*place, entry.clone())));
            }
        }
        let (path, top) = (self.path.to_owned(), self.top.to_owned());
        let shard = self.args.shard.unwrap_or((1, 1));
        Ok(Written { path, top, options, order, before, entries: BTreeMap::new(), shard })
    }
}

/// The manifest of a run, and that of an earlier one.
pub(crate) struct Written {
    path: PathBuf,
    /// The folder that takes the outputs.
    top: PathBuf,
    /// What was asked for: other words may give other outputs.
    options: String,
    /// The places of the inputs among all.
    order: BTreeMap<String, usize>,
    /// The entries of an earlier run, by the places of their inputs.
    before: BTreeMap<usize, Value>,
    entries: BTreeMap<usize, Value>,
    /// Which of how many parts of the inputs this run makes.
    shard: (usize, usize),
}

impl Written {
    /// What an earlier run did with an input, where neither that nor anything that took part, nor any output, is
    /// another now.
    pub(crate) fn unchanged(&self, input: &Input, limits: Limits) -> Option<Value> {
        let entry = self.before.get(self.order.get(&name(input))?)?;
        let parts = entry["parts"].as_array().filter(|parts| !parts.is_empty())?;
        let tree = input.met.as_ref()?.finder.tree();
        let same = |part: &Value| {
            let path = TreePath::new(part["member"].as_str()?).ok()?;
            let bytes = tree.read(&path, &Budget::new(limits)).ok()?;
            (part["sha256"] == hash(&bytes).as_str()).then_some(())
        };
        let written = |output: &Value| {
            let bytes = fs::read(self.top.join(output["path"].as_str()?)).ok()?;
            (output["sha256"] == hash(&bytes).as_str()).then_some(())
        };
        let outputs = entry["outputs"].as_array()?;
        let all =
            parts.iter().all(|part| same(part).is_some()) && outputs.iter().all(|o| written(o).is_some());
        all.then(|| entry.clone())
    }

    /// Keeps what an earlier run did.
    pub(crate) fn keep(&mut self, input: &Input, entry: Value) {
        if let Some(place) = self.order.get(&name(input)) {
            self.entries.insert(*place, entry);
        }
    }

    /// An input that was converted.
    pub(crate) fn done(&mut self, input: &Input, took: Took, outputs: &[PathBuf], losses: &[Loss]) {
        let outputs: Vec<_> = outputs
            .iter()
            .filter_map(|path| {
                let below = path.strip_prefix(&self.top).unwrap_or(path);
                let below: Vec<_> = below.iter().map(|name| name.to_string_lossy().into_owned()).collect();
                let bytes = fs::read(path).ok()?;
                Some(json!({ "path": below.join("/"), "sha256": hash(&bytes), "bytes": bytes.len() }))
            })
            .collect();
        let counted = |kind: LossKind| {
            let mut counted = BTreeMap::<&str, u64>::new();
            for loss in losses.iter().filter(|loss| loss.kind == kind) {
                let n = counted.entry(loss.code).or_insert(0);
                *n = n.saturating_add(loss.count);
            }
            counted.into_iter().map(|(code, n)| (code.into(), n.into())).collect::<Map<String, Value>>()
        };
        let entry = json!({
            "input": name(input),
            "parts": took,
            "outputs": outputs,
            "losses": counted(LossKind::Loss),
            "notes": counted(LossKind::Note),
        });
        self.keep(input, entry);
    }

    /// An input that could not be converted. What turned out to be no model is none.
    pub(crate) fn failed(&mut self, input: &Input, refusal: &Refusal) {
        if !matches!(refusal, Refusal::NotAModel) {
            self.keep(input, json!({ "input": name(input), "error": refusal.json() }));
        }
    }

    /// Writes the manifest. What other parts of the inputs became stays as their run wrote it.
    pub(crate) fn write(mut self, results: &Results) -> Result<(), Fail> {
        let (part, parts) = self.shard;
        let own = Some(part.saturating_sub(1));
        let others = self.before.into_iter().filter(|(place, _)| place.checked_rem(parts) != own);
        self.entries.extend(others);
        let failed = self.entries.values().filter(|entry| !entry["error"].is_null()).count();
        let mut summary = results.left_aside();
        summary["converted"] = self.entries.len().saturating_sub(failed).into();
        summary["failed"] = failed.into();
        let files: Vec<Value> = self.entries.into_values().collect();
        let document =
            json!({ "version": VERSION, "options": self.options, "files": files, "summary": summary });
        let text = format!("{}\n", serde_json::to_string_pretty(&document).unwrap_or_default());
        let destination = crate::destination::Destination::File(self.path.clone());
        let written = crate::output::write_files(&destination, &[(self.path.clone(), text)]);
        written.map_err(|(path, e)| Fail::Usage(format!("--manifest {}: {e}", render::path(&path))))?;
        Ok(())
    }
}

/// An input by its path below the folder that was named.
fn name(input: &Input) -> String {
    let path = input.below.as_deref().unwrap_or(&input.path);
    path.iter().map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

/// The manifest of an earlier run; none where there is no such file. Whatever else lies there, a model or a pack that is
/// read among them, is not written over.
fn read(path: &Path) -> Result<Option<Value>, Fail> {
    let refused = |why: &str| Fail::Usage(format!("--manifest {}: {why}", render::path(path)));
    match path.metadata() {
        Ok(meta) if meta.is_file() && meta.len() > 0 => {}
        // Devices, pipes and what cannot be written are for the writer.
        _ => return Ok(None),
    }
    let mut file = fs::File::open(path).map_err(|e| refused(&e.to_string()))?;
    let mut first = [0];
    let mut bytes = Vec::new();
    let read = file.read_exact(&mut first).and_then(|()| {
        bytes.extend(first);
        // Models may be large.
        if first == *b"{" { file.read_to_end(&mut bytes) } else { Ok(0) }
    });
    read.map_err(|e| refused(&e.to_string()))?;
    let document: Option<Value> = serde_json::from_slice(&bytes).ok();
    let manifest = document.filter(|d| d["version"].is_u64() && d["files"].is_array());
    manifest.map(Some).ok_or_else(|| refused("is there and is no manifest: it would be written over"))
}

/// All that decides what an input becomes, inputs and places aside. `aside`: the names of files that may belong to one.
fn words(args: &ConvertArgs, aside: &str) -> String {
    let mut own = args.clone();
    (own.files, own.output) = Default::default();
    (own.manifest, own.resume, own.shard, own.write) = Default::default();
    (own.many, own.format) = Default::default();
    (own.read.quiet, own.read.verbose) = Default::default();
    hash(format!("{own:?} {} {aside}", env!("CARGO_PKG_VERSION")).as_bytes())
}
