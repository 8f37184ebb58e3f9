//! The manifest of a conversion: every input with its parts and every output, with hashes, so that a later run can
//! resume.
#![allow(clippy::indexing_slicing, reason = "members of a document that is made here")]

use crate::args::ConvertArgs;
use crate::input::Input;
use crate::output::{self, content_of};
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::results::Results;
use crate::{render, signals};
use meshwright::files::TreePath;
use meshwright::files::output::{FileId, OutputName, Place, Plan};
use meshwright::scene::LimitExceeded;
use meshwright::scene::{Loss, LossKind};
use meshwright::{
    Budget, ErrorClass, Finder, Format, Limits, Model, Part, PartRole, PartState, Severity, printable_json,
};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const VERSION: u64 = 1;

/// The files of a model with their hashes, the model's own first.
pub(crate) type Took = Vec<Value>;

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lists the files that took part in a model, with the format and the validity of the model's own file, in the words of
/// archivists.
pub(crate) fn took(finder: &Finder, parts: &[Part], validity: &Validity, limits: Limits) -> Took {
    let tree = finder.tree();
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
        if part.role == PartRole::Model {
            value["format"] = identified(validity.format, &path.text());
            value["validity"] = validity.words.into();
        }
        if let Some(pack) = tree.pack_of(path) {
            let name = Path::new(pack.name()).file_name().unwrap_or_default();
            value["pack"] = name.to_string_lossy().into();
        }
        Some(value)
    })
    .collect()
}

/// The format of a model, and whether the model obeys its rules.
pub(crate) struct Validity {
    format: Format,
    words: &'static str,
}

impl Validity {
    pub(crate) fn check(model: &Model) -> Self {
        let words = match model.check().findings().iter().any(|f| f.severity == Severity::Error) {
            true => "well-formed, not valid",
            false => "well-formed and valid",
        };
        Self { format: model.format(), words }
    }
}

/// Returns the identifiers of the format of a file. The two forms of glTF have a media type each.
fn identified(format: Format, file: &str) -> Value {
    let is_json = format.id() == "gltf" && file.to_ascii_lowercase().ends_with(".gltf");
    let media_type = if is_json { "model/gltf+json".to_owned() } else { format.media_type() };
    json!({ "id": format.id(), "name": format.title(), "media_type": media_type })
}

/// The manifest of a run that is still searching its inputs.
pub(crate) struct Manifest<'a> {
    args: &'a ConvertArgs,
    path: &'a Path,
    /// The folder that takes the outputs.
    top: &'a Path,
    /// A hash of the names of files that are not models: companions of a model may be among them.
    aside: Sha256,
    /// The manifest of an earlier run.
    before: Option<Value>,
}

/// The outputs of an earlier run, by path.
type Known = HashMap<PathBuf, Value>;

impl<'a> Manifest<'a> {
    /// Creates the manifest that the arguments ask for.
    pub(crate) fn new(args: &'a ConvertArgs, top: Option<&'a Path>) -> Result<Option<Self>, Fail> {
        let Some(path) = &args.manifest else { return Ok(None) };
        let Some(top) = top else {
            return Err(Fail::Usage("--manifest needs a folder as output".into()));
        };
        let before = read(path, Limits::default().with_memory(args.read.max_memory))?;
        Ok(Some(Self { args, path, top, aside: Sha256::new(), before }))
    }

    /// Enters the manifest into the plan of a run, which may replace the files that the earlier run wrote.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn plan(&self, plan: Plan) -> Result<Plan, Fail> {
        let place = Place::named(self.path);
        plan.reserve(&place).map_err(|clash| Fail::Usage(format!("--manifest {clash}")))?;
        if self.before.is_some() {
            // A manifest gives way to the next one, whatever else is kept.
            plan.reopen(&place);
        }
        if !self.args.write.dry_run {
            // A manifest that cannot be written is an error before the work, not after it. The folder of the outputs
            // may not exist yet.
            if self.path.parent() == Some(self.top) {
                let made = fs::create_dir_all(self.top);
                made.map_err(|e| Fail::Refused("--manifest".into(), Refusal::unwritable(self.top, &e)))?;
            }
            let staged = signals::writer().stage([output::main(place, content_of(b""))]);
            staged.map_err(|failed| Fail::Refused("--manifest".into(), failed.into()))?;
        }
        let mut known = Known::new();
        for output in self.before.iter().flat_map(files).flat_map(outputs) {
            known.extend(output_path(self.top, output).map(|path| (path, output.clone())));
        }
        let limits = Limits::default().with_memory(self.args.read.max_memory);
        Ok(plan.with_earlier(move |path| {
            known.get(path).is_some_and(|output| is_unchanged(path, output, &Budget::new(limits)))
        }))
    }

    /// Adds a file that is not a model.
    pub(crate) fn aside(&mut self, input: &Input) {
        // The manifest itself may be in the folder of the game.
        let own = || FileId::of(&input.path).is_some_and(|own| FileId::of(self.path) == Some(own));
        if input.path.file_name() != self.path.file_name() || !own() {
            self.aside.update(name(input));
            self.aside.update([0]);
        }
    }

    /// Creates the manifest of a run over these inputs, with the entries that an earlier run wrote for the same
    /// inputs and options.
    pub(crate) fn for_inputs(mut self, inputs: &[Input], reader: &Reader) -> Result<Written, Fail> {
        for name in reader.root_names() {
            self.aside.update(name);
            self.aside.update([0]);
        }
        let options = words(self.args, &hex(&self.aside.finalize()));
        let order: HashMap<String, usize> = inputs.iter().map(name).zip(0..).collect();
        let mut before = vec![None; inputs.len()];
        if (self.args.resume || self.args.shard.is_some())
            && let Some(document) = self.before
            && document["version"] == VERSION
            && document["options"] == options.as_str()
        {
            for entry in files(&document) {
                let place = order.get(entry["input"].as_str().unwrap_or_default());
                if let Some(place) = place.and_then(|place| before.get_mut(*place)) {
                    *place = Some(entry.clone());
                }
            }
        }
        let (path, top) = (self.path.to_owned(), self.top.to_owned());
        let shard = self.args.shard.unwrap_or((1, 1));
        let (entries, saved, cost) = (vec![None; inputs.len()], Instant::now(), Duration::ZERO);
        let dry_run = self.args.write.dry_run;
        Ok(Written { path, top, dry_run, options, order, before, entries, shard, saved, cost })
    }
}

/// The manifest of a run, and the entries of an earlier run.
pub(crate) struct Written {
    path: PathBuf,
    /// The folder that takes the outputs.
    top: PathBuf,
    /// The manifest is not written.
    dry_run: bool,
    /// A hash of the options: other options may give other outputs.
    options: String,
    /// The index of each input among all inputs.
    order: HashMap<String, usize>,
    /// The entries of an earlier run, by the index of their input.
    before: Vec<Option<Value>>,
    entries: Vec<Option<Value>>,
    /// The part of the inputs that this run converts, and the number of parts.
    shard: (usize, usize),
    /// The time of the last write, and how long it took.
    saved: Instant,
    cost: Duration,
}

impl Written {
    /// Returns the entry of an earlier run for an input if the input, all files that took part and all outputs are
    /// unchanged. `place` is the path of the main output.
    pub(crate) fn unchanged(&self, input: &Input, place: &Place, limits: Limits) -> Option<Value> {
        let entry = self.before.get(*self.order.get(&name(input))?)?.as_ref()?;
        let parts = entry["parts"].as_array().filter(|parts| !parts.is_empty())?;
        let tree = input.met.as_ref()?.finder.tree();
        let budget = Budget::new(limits);
        let same = |part: &Value| {
            let path = TreePath::new(part["member"].as_str()?).ok()?;
            let bytes = tree.read(&path, &budget).ok()?;
            (part["sha256"] == hash(&bytes).as_str()).then_some(())
        };
        let mut has_main = false;
        let written = |output: &Value| {
            output_path(&self.top, output).is_some_and(|path| {
                has_main |= path == place.path();
                is_unchanged(&path, output, &budget)
            })
        };
        let all = outputs(entry).all(written);
        (all && has_main && parts.iter().all(|part| same(part).is_some())).then(|| entry.clone())
    }

    /// Adds an entry of an earlier run.
    pub(crate) fn keep(&mut self, input: &Input, entry: Value) {
        if let Some(place) = self.order.get(&name(input)).and_then(|place| self.entries.get_mut(*place)) {
            *place = Some(entry);
        }
    }

    /// Adds an input that was converted.
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

    /// Adds an input that could not be converted. Files that are not models are not recorded.
    pub(crate) fn failed(&mut self, input: &Input, refusal: &Refusal) {
        if matches!(refusal, Refusal::NotAModel) {
            return;
        }
        let mut entry = json!({ "input": name(input), "error": refusal.json() });
        if let Refusal::Broken(broken) = refusal
            && broken.companion.is_none()
            && matches!(broken.error.class(), ErrorClass::Malformed)
        {
            entry["format"] = broken.format.map(|format| identified(format, &input.name())).into();
            entry["validity"] = "not well-formed".into();
        }
        self.keep(input, entry);
    }

    /// Writes the manifest at intervals during the run, so that a run that is killed can be resumed. Entries of an earlier
    /// run stay until their inputs are converted. Errors are ignored here; the write at the end reports them.
    pub(crate) fn save(&mut self, results: &Results, plan: &Plan) {
        /// The most time of work that a killed run loses.
        const OFTEN: Duration = Duration::from_millis(200);
        if self.dry_run || self.saved.elapsed() < OFTEN.max(self.cost.saturating_mul(20)) {
            return;
        }
        let start = Instant::now();
        if self.write_entries(&|_| true, results, plan).is_ok() {
            plan.reopen(&Place::named(&self.path));
        }
        (self.saved, self.cost) = (Instant::now(), start.elapsed());
    }

    /// Writes the manifest. Entries of the other parts of the inputs stay as their run wrote them.
    pub(crate) fn write(self, results: &Results, plan: &Plan) -> Result<(), Fail> {
        if self.dry_run {
            return Ok(());
        }
        let (part, parts) = self.shard;
        let own = Some(part.saturating_sub(1));
        self.write_entries(&|place| place.checked_rem(parts) != own, results, plan)
    }

    /// Writes the manifest with the entries of this run, and those of the earlier run that stay.
    fn write_entries(
        &self,
        stays: &dyn Fn(usize) -> bool,
        results: &Results,
        plan: &Plan,
    ) -> Result<(), Fail> {
        let mut files = Vec::new();
        for (place, (entry, before)) in self.entries.iter().zip(&self.before).enumerate() {
            files.extend(entry.as_ref().or(before.as_ref().filter(|_| stays(place))));
        }
        let failed = files.iter().filter(|entry| !entry["error"].is_null()).count();
        let mut summary = results.left_aside();
        summary["converted"] = files.len().saturating_sub(failed).into();
        summary["failed"] = failed.into();
        let document =
            json!({ "version": VERSION, "options": self.options, "files": files, "summary": summary });
        let text = format!("{}\n", serde_json::to_string_pretty(&document).unwrap_or_default());
        let text = printable_json(&text);
        let files = [output::main(Place::named(&self.path), content_of(text.as_bytes()))];
        let written = output::write(files.into(), plan);
        written.map(drop).map_err(|refusal| Fail::Refused("--manifest".into(), refusal))
    }
}

/// Returns the path of an input in the folder that was named.
fn name(input: &Input) -> String {
    let path = input.below.as_deref().unwrap_or(&input.path);
    path.iter().map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

/// Returns the entries of a manifest.
fn files(document: &Value) -> impl Iterator<Item = &Value> {
    document["files"].as_array().into_iter().flatten()
}

/// Returns the outputs of an entry.
fn outputs(entry: &Value) -> impl Iterator<Item = &Value> {
    entry["outputs"].as_array().into_iter().flatten()
}

/// Returns the path of an output: plain names in the folder for outputs.
fn output_path(top: &Path, output: &Value) -> Option<PathBuf> {
    let mut path = top.to_owned();
    for name in output["path"].as_str()?.split('/') {
        path.push(OutputName::new(name, &[]).ok()?.as_str());
    }
    Some(path)
}

/// Returns whether a file has the hash that an earlier run recorded.
fn is_unchanged(path: &Path, output: &Value, budget: &Budget) -> bool {
    let read = || {
        let size = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?.len();
        budget.charge("manifest", size).ok()?;
        let mut bytes = Vec::new();
        fs::File::open(path).ok()?.take(size).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    read().is_some_and(|bytes| output["sha256"] == hash(&bytes).as_str())
}

/// Reads the manifest of an earlier run; `None` if the file does not exist. Any other file, for example an input, is
/// not replaced.
fn read(path: &Path, limits: Limits) -> Result<Option<Value>, Fail> {
    /// The memory that a value of a document needs, with its name.
    const VALUE: usize = 160;
    let refused = |why: &str| Fail::Usage(format!("--manifest {}: {why}", render::path(path)));
    let size = match path.metadata() {
        Ok(meta) if meta.is_file() && meta.len() > 0 => meta.len(),
        // Devices, pipes and paths that cannot be written are left to the writer.
        _ => return Ok(None),
    };
    let none = || refused("exists and is not a manifest: it would be overwritten");
    let mut file = fs::File::open(path).map_err(|e| refused(&e.to_string()))?;
    let mut bytes = vec![0];
    file.read_exact(&mut bytes).map_err(|e| refused(&e.to_string()))?;
    // Only the first byte is read of a file that is not JSON: models may be large.
    if bytes != b"{" {
        return Err(none());
    }
    let budget = Budget::new(limits);
    let large = |e: LimitExceeded| refused(&format!("{e}; raise --max-memory to read it"));
    budget.charge("manifest", size).map_err(large)?;
    file.take(size).read_to_end(&mut bytes).map_err(|e| refused(&e.to_string()))?;
    let values = bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    budget.charge_items("manifest", values as u64, VALUE).map_err(large)?;
    let document: Option<Value> = serde_json::from_slice(&bytes).ok();
    let is_manifest = |document: &Value| {
        let hash = document["options"].as_str().unwrap_or_default();
        document["version"].is_u64()
            && hash.len() == 64
            && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
            && document["summary"].is_object()
            && document["files"].is_array()
            && files(document).all(|entry| entry["input"].is_string())
    };
    document.filter(is_manifest).map(Some).ok_or_else(none)
}

/// Hashes all options that affect outputs. Inputs and output paths are not among them. `aside` is the hash of the
/// names of files that may be companions.
fn words(args: &ConvertArgs, aside: &str) -> String {
    let mut own = args.clone();
    (own.files, own.output) = Default::default();
    (own.manifest, own.resume, own.shard, own.write) = Default::default();
    (own.many, own.format) = Default::default();
    (own.read.quiet, own.read.verbose) = Default::default();
    hash(format!("{own:?} {} {aside}", env!("CARGO_PKG_VERSION")).as_bytes())
}
