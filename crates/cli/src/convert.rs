//! `meshwright convert`: any format to any, and to itself byte for byte.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "places in the list of inputs, and counts of them"
)]

use crate::args::{ConvertArgs, InfluenceArg, OutputFormat};
use crate::batch::Workers;
use crate::destination::Destination;
use crate::input::{Input, expand, is_folder};
use crate::losses::{self, Detail};
use crate::names::safe_file_name;
use crate::output::{Content, Outputs, Staged};
use crate::reader::{Opened, Reader};
use crate::refusal::Refusal;
use crate::results::Results;
use crate::{Fail, Status, identity, output, pose, relative, render, say};
use meshwright::dump::PoseRef;
use meshwright::gltf::Influences;
use meshwright::scene::obj::ObjOptions;
use meshwright::scene::{Clip, ConvertError, Converted, Loss, MeshPose, Scene, SceneOptions};
use meshwright::{Asset, FigureError, Format, PartRole, Role, StreamedFile, Target, WriteOptions, rig};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Files to be written together: all or none.
type Files<'s> = Vec<(PathBuf, StreamedFile<'s>)>;

pub(crate) fn run(args: &ConvertArgs) -> Result<Status, Fail> {
    let several = args.files.len() > 1 || args.files.iter().any(|file| is_folder(Path::new(file)));
    let destination =
        if several { Destination::of_several(&args.output) } else { Destination::new(&args.output) };
    let to = target(args, &destination)?;
    if args.pose.is_some() && to != Target::Obj {
        return Err(Fail::Usage("--pose is for obj; other formats hold every clip".into()));
    }
    if destination == Destination::Stdout && args.format == OutputFormat::Json {
        return Err(Fail::Usage("--format json and -o - both want standard output".into()));
    }
    if let Some(engine) = args.engine
        && !engine.formats().contains(&to.id())
    {
        let known = engine.formats().join(", ");
        return Err(Fail::Usage(format!("--for {engine}: its limits are known for {known}, not for {to}")));
    }
    let reader = Reader::new(&args.read, &args.companions)?;
    let work = Work { args, reader, outputs: Outputs::new(&destination), to };
    let verb = if args.dry_run { "would be converted" } else { "converted" };
    let mut results = Results::new(verb, &args.files, args.format, &args.read);
    let into = if let Destination::Folder(folder) = &destination { Some(folder.as_path()) } else { None };
    let found = results.inputs(expand(&args.files, into));
    let workers = Workers::new(&args.jobs, work.reader.limits().memory);
    let wanted = |format: Format| format.holds_model() || to == Target::Native(format);
    let mut inputs = Vec::new();
    let looked = |input: &Input| {
        let mut input = input.clone();
        let is_model = work.reader.is_model(&mut input, wanted);
        (input, is_model)
    };
    workers.each(&found, Input::memory, looked, |_, (input, is_model)| {
        if is_model {
            // What lies where its own result would is one, as of an earlier run.
            if !is_result(&input, into, to) {
                inputs.push(input);
            }
        } else {
            results.skip(&input);
        }
        Ok(())
    })?;
    work.reader.expect(&inputs)?;
    if inputs.len() > 1 && !matches!(destination, Destination::Folder(_)) {
        results.one_of_several();
        match work.figure(&inputs) {
            Ok(done) => done.report(&mut results, args),
            Err((i, refusal)) => results.refuse(&inputs[i], &refusal),
        }
        return results.finish();
    }
    let paths = out_paths(&inputs, &destination, to);
    let jobs: Vec<_> = inputs.iter().zip(&paths).collect();
    let progress = Progress::new(args, inputs.len());
    let may_read_outputs =
        !matches!(to, Target::Glb | Target::Gltf | Target::Html) && overlaps(&inputs, &destination);
    let workers = if may_read_outputs { workers.one_by_one() } else { workers };
    let size = |job: &(&Input, &OutPath)| job.0.memory();
    workers.each(
        &jobs,
        size,
        |(input, out)| work.one(input, &out.path),
        |(input, out), made| {
            progress.clear();
            match work.appear(made) {
                Ok(done) => {
                    if out.renamed && !args.read.quiet && args.format == OutputFormat::Text {
                        let path = render::path(&out.path);
                        say(&format!("{}: written as {path}: another input has its name", input.shown()));
                    }
                    done.report(&mut results, args);
                }
                Err(refusal) => results.refuse(input, &refusal),
            }
            progress.show(input);
            Ok(())
        },
    )?;
    progress.clear();
    results.finish()
}

/// How far a run over several files is, on a terminal.
struct Progress {
    /// How many files there are, where somebody looks.
    all: Option<usize>,
    done: AtomicUsize,
}

impl Progress {
    fn new(args: &ConvertArgs, all: usize) -> Self {
        let seen = !args.read.quiet && all > 1 && io::stderr().is_terminal();
        Self { all: seen.then_some(all), done: AtomicUsize::new(0) }
    }

    /// Makes room for what is said.
    fn clear(&self) {
        if self.all.is_some() {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }

    /// Shows that a further file is done with.
    fn show(&self, input: &Input) {
        if let Some(all) = self.all {
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let _ = write!(io::stderr().lock(), "[{done}/{all}] {}", input.shown());
        }
    }
}

/// Whether outputs may lie where inputs look for what belongs to them. Then it matters which file comes first.
fn overlaps(inputs: &[Input], destination: &Destination) -> bool {
    let Destination::Folder(folder) = destination else { return false };
    // The folder may not be there yet.
    let real = |path: &Path| {
        let there = path.ancestors().find_map(|p| {
            let p = if p.as_os_str().is_empty() { Path::new(".") } else { p };
            p.canonicalize().ok()
        });
        there.unwrap_or_default()
    };
    let folder = real(folder);
    let tree = |input: &Input| {
        let folder = input.path.parent().unwrap_or(Path::new("")).to_owned();
        let named =
            input.below.as_deref().and_then(Path::parent).map_or(0, |below| below.components().count());
        let named = folder.ancestors().nth(named).unwrap_or(&folder).to_owned();
        let models =
            named.ancestors().find(|p| p.file_name().is_some_and(|n| n.eq_ignore_ascii_case("models")));
        models.and_then(Path::parent).map_or(named.clone(), Path::to_owned)
    };
    let trees: BTreeSet<PathBuf> = inputs.iter().map(tree).collect();
    trees.iter().map(|tree| real(tree)).any(|tree| tree.starts_with(&folder) || folder.starts_with(&tree))
}

/// True for a file met in a folder that takes the results, which has the extension of a result and none of its own format.
fn is_result(input: &Input, into: Option<&Path>, to: Target) -> bool {
    let extension = || input.path.extension().is_some_and(|e| e.eq_ignore_ascii_case(to.extension()));
    let place = || into.zip(input.below.as_deref()).map(|(folder, below)| folder.join(below));
    let exchanged = |format: Format| !matches!(Target::from(format), Target::Native(_));
    input.met.as_ref().is_some_and(|met| met.format.is_some_and(exchanged))
        && !matches!(to, Target::Native(_))
        && extension()
        && place().is_some_and(|p| identity::of(&p).is_some_and(|p| Some(p) == identity::of(&input.path)))
}

/// What is written: what the arguments say, or the output's name.
fn target(args: &ConvertArgs, destination: &Destination) -> Result<Target, Fail> {
    match (&args.to, destination) {
        (Some(text), _) => text.parse().map_err(|e| Fail::Usage(format!("--to: {e}"))),
        (None, Destination::File(path)) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Target::from_name(&name).ok_or_else(|| {
                let extension = path.extension().map(|e| format!("nothing is written as .{}; ", e.display()));
                let why = extension.unwrap_or_default();
                Fail::Usage(format!("{}: {why}{}", render::path(path), formats()))
            })
        }
        (None, Destination::Folder(_)) => Ok(Target::Glb),
        (None, Destination::Stdout) => Err(Fail::Usage(formats())),
    }
}

/// Which formats there are to be named.
fn formats() -> String {
    let known: Vec<_> = Target::all().map(Target::id).collect();
    format!("name the output's format with --to; there are {}", known.join(", "))
}

/// Where an input goes.
#[derive(Debug)]
struct OutPath {
    path: PathBuf,
    /// Another input would have had the plain name.
    renamed: bool,
}

/// Where each input goes. A rewrite keeps the name. Inputs of one folder whose names differ in their extension
/// only keep it, so that none overwrites another.
fn out_paths(inputs: &[Input], destination: &Destination, to: Target) -> Vec<OutPath> {
    let folder = match destination {
        Destination::File(path) => return vec![OutPath { path: path.clone(), renamed: false }],
        Destination::Stdout => return vec![OutPath { path: PathBuf::from("-"), renamed: false }],
        Destination::Folder(folder) => folder,
    };
    let place = |input: &Input, whole: bool| {
        let below = input.below.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let name = input.name();
        // An .obj is named like its materials, so that no two of them share those.
        let name = if to == Target::Obj { ObjOptions::with_mtl(&name).mtl_name } else { name };
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, own)) if Format::from_name(&name).is_some_and(|f| to == Target::Native(f)) => {
                (stem, own)
            }
            Some((stem, _)) if !whole && !stem.is_empty() => (stem, to.extension()),
            _ => (name.as_str(), to.extension()),
        };
        folder.join(below).join(format!("{}.{extension}", safe_file_name(stem)))
    };
    // Some file systems do not distinguish case.
    let key = |path: &Path| path.to_string_lossy().to_lowercase();
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for input in inputs {
        *wanted.entry(key(&place(input, false))).or_insert(0) += 1;
    }
    let mut taken = BTreeSet::new();
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let unique = |input: &Input| {
        let short = place(input, false);
        let alone = wanted.get(&key(&short)) == Some(&1);
        let first = if alone { short.clone() } else { place(input, true) };
        let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let (stem, extension) = (part(first.file_stem()), part(first.extension()));
        let n = next.entry(key(&first)).or_insert(2);
        let mut path = first;
        while !taken.insert(key(&path)) {
            path.set_file_name(format!("{stem}-{n}.{extension}"));
            *n += 1;
        }
        OutPath { renamed: path != short, path }
    };
    inputs.iter().map(unique).collect()
}

/// A conversion as the arguments want it.
struct Work<'a> {
    args: &'a ConvertArgs,
    reader: Reader,
    outputs: Outputs,
    to: Target,
}

impl Work<'_> {
    /// Makes of one file what it becomes, up to the names of the outputs.
    fn one(&self, input: &Input, path: &Path) -> Made {
        let mut sources = Vec::new();
        let result = self.made(input, path, &mut sources);
        Made { sources, result }
    }

    fn made(&self, input: &Input, path: &Path, sources: &mut Vec<PathBuf>) -> Result<Done, Refusal> {
        let mut opened = self.reader.open(input)?;
        self.took_part(&opened, sources);
        let scaled = self.args.scale.is_some_and(|scale| scale != 1.0);
        let changed = scaled || self.args.prune || self.args.engine.is_some();
        if self.to == Target::Native(opened.asset.format()) && !changed {
            self.reader.say_passed_over(input, &opened);
            return self.rewritten(input, &mut opened.asset, path);
        }
        self.reader.say_used(input, &opened);
        self.written(input, opened, path, sources)
    }

    /// Remembers the files of a model: of one among others when it is its turn.
    fn took_part(&self, opened: &Opened, sources: &mut Vec<PathBuf>) {
        match self.outputs.destination() {
            Destination::Folder(_) => sources.extend(opened.paths()),
            _ => self.reader.note(opened.paths()),
        }
    }

    /// Gives outputs their names, in the order of the inputs. What took part so far is not replaced by them; a rewrite may
    /// take the place of its own file.
    fn appear(&self, made: Made) -> Result<Done, Refusal> {
        self.reader.note(made.sources);
        let mut done = made.result?;
        let own = done.rewrite.then_some(&done.input);
        done.outputs.iter().try_for_each(|path| self.reader.spare(path, own))?;
        if let Some(staged) = done.staged.take() {
            let appeared = staged.and_then(Staged::appear);
            appeared.map_err(|(path, e)| Refusal::unwritable(&path, &e))?;
            done.outputs.iter().for_each(|path| self.reader.wrote(path));
        }
        Ok(done)
    }

    /// A model in its own format, with the companions whose names follow from its own. One that is there already, as in
    /// a rewrite in place, is left as it is.
    fn rewritten(&self, input: &Input, asset: &mut Asset, path: &Path) -> Result<Done, Refusal> {
        asset.drop_bytes();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut files = placed(asset.rewrite(&name)?, |file| &file.name, path)?;
        let mut losses = Vec::new();
        let is_stream = || fs::metadata(path).is_ok_and(|meta| !meta.is_file());
        if files.len() > 1 && (*self.outputs.destination() == Destination::Stdout || is_stream()) {
            let left = files.drain(..files.len() - 1);
            losses.extend(left.map(|(companion, _)| {
                let companion = companion.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Loss::new("companion-left", companion, "is left behind: the output takes one file")
            }));
        }
        files.retain(|(place, file)| place == path || !holds(place, &file.bytes));
        let files = files.into_iter().map(|(place, file)| (place, file.into())).collect();
        self.staged(Done::of(input, losses, "").rewriting(), files)
    }

    /// Makes one output of several inputs: files that make up a figure. What is refused comes with the number of its
    /// input.
    fn figure(&self, inputs: &[Input]) -> Result<Done, (usize, Refusal)> {
        let (mut files, mut assets) = (Vec::new(), Vec::new());
        for (i, input) in inputs.iter().enumerate() {
            let opened = match self.reader.open(input) {
                Ok(opened) => opened,
                Err(Refusal::Unknown(_)) if input.met.is_some() => continue,
                Err(refusal) => return Err((i, refusal)),
            };
            self.reader.note(opened.paths());
            self.reader.say_used(input, &opened);
            files.push((i, opened.finder));
            assets.push(opened.asset);
        }
        let lead = Asset::figure_lead(&assets);
        let figure = Asset::figure(assets)
            .map_err(|e| (files.get(e.index()).map_or(0, |file| file.0), no_figure(&e)))?;
        let (i, finder) = files.swap_remove(lead.unwrap_or(0));
        let opened = Opened { finder, asset: figure };
        let path = out_paths(inputs, self.outputs.destination(), self.to).remove(0).path;
        let mut sources = Vec::new();
        let result = self.written(&inputs[i], opened, &path, &mut sources);
        self.appear(Made { sources, result }).map_err(|refusal| (i, refusal))
    }

    /// A model as the files that are asked for. Its bytes, and itself, are let go as soon as what comes next has what it
    /// needs of them.
    fn written(
        &self,
        input: &Input,
        mut opened: Opened,
        path: &Path,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Done, Refusal> {
        let args = self.args;
        opened.asset.drop_bytes();
        opened.asset.companions_mut().recompute_normals = args.recompute_normals;
        opened.asset.companions_mut().rate = args.fps;
        let limits = self.reader.limits();
        // What does not move needs no bones where it is only looked at; a pose is one of a skeleton.
        let shown = !matches!(self.to, Target::Native(_)) && args.pose.is_none();
        // Other games take fields of the same names.
        let options = SceneOptions::default()
            .with_extras(args.extras || matches!(self.to, Target::Native(_)))
            .with_solids(args.solids)
            .with_static_meshes(shown && !args.keep_skeleton)
            .with_bind_only(shown)
            .with_memory(limits.memory);
        let mut scene = opened.asset.to_scene(&options).map_err(|e| hinted(e, &opened.asset))?;
        reshape(&mut scene, args, self.to, &options)?;
        if !args.no_textures && self.to.holds_textures() {
            self.reader.add_textures(&mut opened, &mut scene);
            self.took_part(&opened, sources);
        }
        let single = *self.outputs.destination() == Destination::Stdout;
        let stem = path.file_stem().filter(|s| *s != OsStr::new("-")).unwrap_or(OsStr::new("model"));
        let mut options = WriteOptions::default().with_stem(stem.to_string_lossy()).with_limits(limits);
        options.settings = self.reader.settings().to_vec();
        options.settings.extend(args.tso_id.map(|id| ("tso-id".into(), id.to_string())));
        options.settings.extend(args.adjacency.then(|| ("adjacency".into(), "yes".into())));
        options.settings.extend(args.tangents.then(|| ("tangents".into(), "computed".into())));
        options.shared = options.shared.for_engine(args.engine);
        options.single = single;
        options.without_pictures = args.no_textures || single;
        if self.to == Target::Obj {
            options.texture_files = texture_files(&opened, path);
        }
        if let Some(text) = &args.pose {
            options.posed = Some(obj_pose(&mut scene.value, opened.asset.model().file_clip(), text)?);
        }
        // Skins go by the file name of the model.
        let skins = if self.to.has_skins() && !single {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let budget = meshwright::Budget::new(limits);
            opened.asset.skins(opened.finder.tree(), &name, &budget).map_err(ConvertError::from)?
        } else {
            Vec::new()
        };
        drop(opened);
        options.gltf.influences = match args.influences {
            InfluenceArg::Four => Influences::Four,
            InfluenceArg::All => Influences::All,
        };
        options.gltf.close_loops = args.close_loops;
        let made = meshwright::stream(&scene.value, self.to, &options)?;
        let mut files = placed(made.value, |file| &file.name, path)?;
        let skins = skins.into_iter().map(|skin| (path.with_file_name(&skin.name), skin.into()));
        files.splice(0..0, skins);
        // A picture that lies there already, as beside a .gltf, stays.
        files.retain(|(place, file)| place == path || !file.bytes().is_some_and(|bytes| holds(place, bytes)));
        if single && files.len() > 1 {
            let why = format!("{} has several files; standard output takes one", self.to);
            return Err(Refusal::Argument(why));
        }
        let losses = scene.losses.into_iter().chain(made.losses).collect();
        let advice = match self.to {
            Target::Glb | Target::Gltf if !args.extras => "; pass --extras to keep them",
            _ => "",
        };
        self.staged(Done::of(input, losses, advice), files)
    }

    /// Writes the files, up to their names. What goes elsewhere than into a folder is looked at before.
    fn staged(&self, mut done: Done, files: Files<'_>) -> Result<Done, Refusal> {
        done.outputs = files.iter().map(|(path, _)| path.clone()).collect();
        let destination = self.outputs.destination();
        let mut files = files.into_iter().map(|(path, file)| (path, streamed(file)));
        if self.args.dry_run {
            let measured = files.map(|(path, content)| {
                let mut size = Size(0);
                content(&mut size).map(|()| size.0).map_err(|e| Refusal::unwritable(&path, &e))
            });
            done.sizes = Some(measured.collect::<Result<_, _>>()?);
            return Ok(done);
        }
        match destination {
            Destination::Stdout => {
                files.try_for_each(|(_, content)| output::stream(destination, content))?;
            }
            Destination::File(_) => {
                let own = done.rewrite.then_some(&done.input);
                done.outputs.iter().try_for_each(|path| self.reader.spare(path, own))?;
                done.staged = Some(self.outputs.stage(files));
            }
            Destination::Folder(_) => done.staged = Some(self.outputs.stage(files)),
        }
        Ok(done)
    }
}

/// Short pieces of a file together, long ones as they come.
fn streamed(file: StreamedFile<'_>) -> Content<'_> {
    Box::new(move |out| {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        file.write_to(&mut out)?;
        out.flush()
    })
}

/// Counts what would be written.
struct Size(u64);

impl Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// True where a file holds these bytes already.
fn holds(place: &Path, bytes: &[u8]) -> bool {
    let alike = fs::metadata(place).is_ok_and(|m| m.is_file() && m.len() == bytes.len() as u64);
    alike && fs::read(place).is_ok_and(|held| held == bytes)
}

/// Changes a scene as the arguments want it.
fn reshape(
    scene: &mut Converted<Scene>,
    args: &ConvertArgs,
    to: Target,
    options: &SceneOptions,
) -> Result<(), ConvertError> {
    let stated = scene.value.scale;
    let factor = match args.scale {
        Some(factor) => factor,
        None if matches!(to, Target::Native(_)) => 1.0 / f64::from(stated),
        None => 1.0,
    };
    if factor != 1.0 {
        scene.value.rescale(factor)?;
    }
    if args.scale.is_none() && factor != 1.0 {
        let message = format!("lengths are those before they were multiplied by {stated}");
        scene.losses.push(Loss::note("scale-undone", "scene", message));
    }
    let dropped = if args.prune { scene.value.prune(&options.budget())? } else { 0 };
    if dropped > 0 {
        let note = Loss::note("vertices-pruned", "meshes", "vertices that no triangle uses were dropped");
        scene.losses.push(note.of(dropped, "vertex", "vertices"));
    }
    Ok(())
}

/// How a file that is put at a path names the textures of a model.
fn texture_files(opened: &Opened, path: &Path) -> BTreeMap<String, String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let textures = opened.asset.parts().iter().filter(|p| p.role == PartRole::Texture);
    let named = textures.filter_map(|part| {
        let place = part.path.as_ref()?;
        let file = opened.finder.tree().os_path(place)?;
        Some((place.text().into_owned(), relative::between(folder, &file)?))
    });
    named.collect()
}

/// Files with their places: the main one at `path`, its companions beside it. The main one comes last, since it names
/// the others.
fn placed<F>(
    files: impl IntoIterator<Item = F>,
    name: impl Fn(&F) -> &String,
    path: &Path,
) -> Result<Vec<(PathBuf, F)>, Refusal> {
    let mut placed: Vec<(PathBuf, F)> = Vec::new();
    for file in files {
        let name = name(&file);
        let place = if placed.is_empty() { path.to_owned() } else { path.with_file_name(name) };
        let is_plain = Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
        if !placed.is_empty() && (!is_plain || placed.iter().any(|(other, _)| *other == place)) {
            let why = format!("{}: another file of the result has the same name", render::path(&place));
            return Err(Refusal::Argument(why));
        }
        placed.push((place, file));
    }
    let main = placed.len().min(1);
    placed.rotate_left(main);
    Ok(placed)
}

fn no_figure(e: &FigureError) -> Refusal {
    match e {
        FigureError::Empty => Refusal::Unknown(None),
        FigureError::Foreign { .. } => {
            let why = format!("several inputs need a folder as output (end it in / or create it): {e}");
            Refusal::Argument(why)
        }
        e => Refusal::Argument(e.to_string()),
    }
}

/// Why a model becomes no scene, with the option that may help.
fn hinted(e: ConvertError, asset: &Asset) -> Refusal {
    let takes_skeleton = asset.format().companions().iter().any(|c| c.role == Role::Skeleton);
    let lacks = takes_skeleton && !asset.companions().has(Role::Skeleton);
    match (&e, Refusal::from(e.clone())) {
        (ConvertError::Unsupported { .. }, Refusal::Cannot { code, why }) if lacks => {
            Refusal::Cannot { code, why: format!("{why}; name one with --skeleton") }
        }
        (_, refusal) => refusal,
    }
}

/// The meshes in a pose of a clip, or in a frame of `all` that the file has.
fn obj_pose(scene: &mut Scene, all: Option<Clip>, text: &str) -> Result<Vec<MeshPose>, Refusal> {
    let wrong = |why: &str| Refusal::Argument(format!("--pose {text}: {why}"));
    let own = scene.clips.len();
    let (clip, frame) = match pose::parse("--pose", text, scene)? {
        PoseRef::Clip { clip, frame } => (clip, frame),
        PoseRef::File { frame } => {
            scene.clips.push(all.ok_or_else(|| wrong("the format has no frames but those of clips"))?);
            (own, frame)
        }
    };
    if scene.clips.get(clip).is_none_or(|c| frame >= c.frames) {
        return Err(wrong("there is no such frame"));
    }
    // In 64 bits, which every machine rounds alike.
    let mut evaluator = rig::Evaluator::new(scene)?.with_precision(rig::Precision::Double);
    evaluator.pose(Some((clip, f64::from(frame))))?;
    let posed = evaluator.meshes()?;
    scene.clips.truncate(own);
    Ok(posed)
}

/// What became of an input, and the files that took part.
struct Made {
    sources: Vec<PathBuf>,
    result: Result<Done, Refusal>,
}

/// A conversion that is written, but for the names of its outputs.
struct Done {
    input: Input,
    outputs: Vec<PathBuf>,
    /// The outputs, or why they cannot be written; none where they were written to standard output.
    staged: Option<Result<Staged, output::Failed>>,
    /// The output may take the place of the input.
    rewrite: bool,
    /// How long the outputs would be, where they are only measured.
    sizes: Option<Vec<u64>>,
    losses: Vec<Loss>,
    /// What to do about losses that extras would hold.
    advice: &'static str,
}

impl Done {
    fn of(input: &Input, losses: Vec<Loss>, advice: &'static str) -> Self {
        let (input, outputs) = (input.clone(), Vec::new());
        Self { input, outputs, staged: None, rewrite: false, sizes: None, losses, advice }
    }

    fn rewriting(self) -> Self {
        Self { rewrite: true, ..self }
    }

    fn json(&self) -> Value {
        let losses: Vec<_> = self.losses.iter().map(losses::document).collect();
        let output: Vec<_> = self.outputs.iter().map(|p| render::exact(p)).collect();
        json!({ "file": self.input.exact(), "output": output, "losses": losses })
    }

    /// Says what was lost.
    fn report(&self, results: &mut Results, args: &ConvertArgs) {
        results.add(Status::Fine, || self.json());
        if args.format == OutputFormat::Text {
            let sizes = self.sizes.iter().flatten();
            let lines: String = self
                .outputs
                .iter()
                .zip(sizes)
                .map(|(path, size)| format!("{}: {size} bytes\n", render::path(path)))
                .collect();
            // A pipe that nobody reads is said at the end.
            let _ = io::stdout().lock().write_all(lines.as_bytes());
            losses::say_all(&self.input.shown(), &self.losses, Detail::from(&args.read), self.advice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright::scene::OutputFile;

    fn input(path: &str, below: Option<&str>) -> Input {
        Input { below: below.map(Into::into), ..Input::named(path) }
    }

    fn paths_of(inputs: &[Input], out: &Destination, to: Target) -> Vec<PathBuf> {
        out_paths(inputs, out, to).into_iter().map(|out| out.path).collect()
    }

    #[test]
    fn no_two_inputs_share_an_output() {
        let inputs = [
            input("a/x.dpm", None),
            input("b/x.zym", None),
            input("y.dpm", None),
            input("d/s/y.dpm", Some("s/y.dpm")),
            input("c/x.dpm", None),
            input("c/x.dpm-2", None),
            input("c/Z.dpm", None),
            input("c/z.zym", None),
            input("d/t/data", Some("t/data")),
        ];
        let out = Destination::Folder("out".into());
        let renamed = out_paths(&inputs, &out, Target::Glb).iter().map(|p| p.renamed).collect::<Vec<_>>();
        assert_eq!(renamed, [true, true, false, false, true, true, true, true, false]);
        let paths = paths_of(&inputs, &out, Target::Glb);
        let expected = [
            "out/x.dpm.glb",
            "out/x.zym.glb",
            "out/y.glb",
            "out/s/y.glb",
            "out/x.dpm-2.glb",
            "out/x.dpm-2-2.glb",
            "out/Z.dpm.glb",
            "out/z.zym.glb",
            "out/t/data.glb",
        ];
        assert_eq!(paths, expected.map(PathBuf::from));
        let inputs = [
            input("a/m.FSO", Some("m.FSO")),
            input("a/m.fom", Some("m.fom")),
            input("a/m.dat", Some("m.dat")),
            input("b/m.fom", Some("m.fom")),
        ];
        let paths = paths_of(&inputs, &out, Target::Native(Format::Fso));
        assert_eq!(paths, ["out/m.FSO", "out/m.fom", "out/m.dat.fom", "out/m-2.fom"].map(PathBuf::from));
        // Their materials have names of their own too.
        let inputs = [input("a/x.dpm", None), input("a/ x.dpm", None), input("a/y\u{a0}z.dpm", None)];
        let paths = paths_of(&inputs, &out, Target::Obj);
        assert_eq!(paths, ["out/x.dpm.obj", "out/x.dpm-2.obj", "out/y_z.obj"].map(PathBuf::from));
    }

    #[test]
    fn files_of_a_result_lie_beside_each_other() {
        let files = |names: [&str; 2]| names.map(|name| OutputFile { name: name.into(), bytes: Vec::new() });
        let paths = |names| {
            placed(files(names), |f| &f.name, Path::new("d/x.bin"))
                .map(|f| f.into_iter().map(|f| f.0).collect::<Vec<_>>())
        };
        assert_eq!(paths(["a.obj", "a.mtl"]).unwrap(), ["d/a.mtl", "d/x.bin"].map(PathBuf::from));
        for name in ["x.bin", "../a", "/a", ".."] {
            assert!(paths(["a.obj", name]).is_err(), "{name}");
        }
    }
}
