//! `meshwright convert`: any format to any, and to itself byte for byte.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "places in the list of inputs, and counts of them"
)]

use crate::args::{ConvertArgs, InfluenceArg, OutputFormat};
use crate::destination::Destination;
use crate::input::{Input, expand};
use crate::losses::{self, Detail};
use crate::names::safe_file_name;
use crate::reader::{Opened, Reader};
use crate::refusal::Refusal;
use crate::results::{Results, is_folder};
use crate::{Fail, Status, output, pose, relative, render, say};
use meshwright::dump::PoseRef;
use meshwright::gltf::Influences;
use meshwright::scene::obj::ObjOptions;
use meshwright::scene::{Clip, ConvertError, Converted, Loss, MeshPose, OutputFile, Scene, SceneOptions};
use meshwright::{Asset, FigureError, Format, PartRole, Role, Target, WriteOptions, rig};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Component, Path, PathBuf};

/// Files to be written together: all or none.
type Files = Vec<(PathBuf, Vec<u8>)>;

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
    let reader = Reader::new(&args.read, &args.companions)?;
    let work = Work { args, reader, destination, to };
    let mut results = Results::new("converted", &args.files, args.format, &args.read);
    let into =
        if let Destination::Folder(folder) = &work.destination { Some(folder.as_path()) } else { None };
    let mut inputs = results.inputs(expand(&args.files, into));
    let wanted = |format: Format| format.holds_model() || to == Target::Native(format);
    inputs.retain_mut(|input| {
        let is_model = work.reader.is_model(input, wanted);
        if !is_model {
            results.skip(input);
        }
        is_model
    });
    work.reader.expect(&inputs)?;
    if inputs.len() > 1 && !matches!(work.destination, Destination::Folder(_)) {
        results.one_of_several();
        match work.figure(&inputs) {
            Ok(done) => done.report(&mut results, args),
            Err((i, refusal)) => results.refuse(&inputs[i], &refusal),
        }
        return results.finish();
    }
    let paths = out_paths(&inputs, &work.destination, to);
    let progress = !args.read.quiet && inputs.len() > 1 && io::stderr().is_terminal();
    for (i, (input, out)) in inputs.iter().zip(&paths).enumerate() {
        if progress {
            let _ = write!(io::stderr().lock(), "\r\x1b[K[{}/{}] {}", i + 1, inputs.len(), input.shown());
        }
        let done = work.one(input, &out.path);
        if progress {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
        match done {
            Ok(done) => {
                if out.renamed && !args.read.quiet && args.format == OutputFormat::Text {
                    let path = render::path(&out.path);
                    say(&format!("{}: written as {path}: another input has its name", input.shown()));
                }
                done.report(&mut results, args);
            }
            Err(refusal) => results.refuse(input, &refusal),
        }
    }
    results.finish()
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
    destination: Destination,
    to: Target,
}

impl Work<'_> {
    /// Converts one file.
    fn one(&self, input: &Input, path: &Path) -> Result<Done, Refusal> {
        let mut opened = self.reader.open(input)?;
        let changed = self.args.scale != 1.0 || self.args.prune;
        if self.to == Target::Native(opened.asset.format()) && !changed {
            self.reader.say_passed_over(input, &opened);
            return self.deliver(self.rewritten(input, &opened.asset, path)?, Some(input));
        }
        self.reader.say_used(input, &opened);
        let done = self.written(input, &mut opened, path)?;
        self.deliver(done, None)
    }

    /// A model in its own format, with the companions whose names follow from its own. One that is there already, as in
    /// a rewrite in place, is left as it is.
    fn rewritten(&self, input: &Input, asset: &Asset, path: &Path) -> Result<Done, Refusal> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut files = placed(asset.rewrite(&name)?, path)?;
        let mut losses = Vec::new();
        let is_stream = || fs::metadata(path).is_ok_and(|meta| !meta.is_file());
        if files.len() > 1 && (self.destination == Destination::Stdout || is_stream()) {
            let left = files.drain(..files.len() - 1);
            losses.extend(left.map(|(companion, _)| {
                let companion = companion.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Loss::new("companion-left", companion, "is left behind: the output takes one file")
            }));
        }
        let holds = |place: &Path, bytes: &[u8]| {
            let alike = fs::metadata(place).is_ok_and(|m| m.is_file() && m.len() == bytes.len() as u64);
            alike && fs::read(place).is_ok_and(|held| held == bytes)
        };
        files.retain(|(place, bytes)| place == path || !holds(place, bytes));
        Ok(Done { input: input.clone(), files, losses, advice: "" })
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
            self.reader.say_used(input, &opened);
            files.push((i, opened.finder));
            assets.push(opened.asset);
        }
        let lead = Asset::figure_lead(&assets);
        let figure = Asset::figure(assets)
            .map_err(|e| (files.get(e.index()).map_or(0, |file| file.0), no_figure(&e)))?;
        let (i, finder) = files.swap_remove(lead.unwrap_or(0));
        let mut opened = Opened { finder, asset: figure };
        let path = out_paths(inputs, &self.destination, self.to).remove(0).path;
        let done = self.written(&inputs[i], &mut opened, &path).and_then(|done| self.deliver(done, None));
        done.map_err(|refusal| (i, refusal))
    }

    /// A model as the files that are asked for.
    fn written(&self, input: &Input, opened: &mut Opened, path: &Path) -> Result<Done, Refusal> {
        let args = self.args;
        opened.asset.companions_mut().recompute_normals = args.recompute_normals;
        let limits = self.reader.limits();
        // What does not move needs no bones where it is only looked at; a pose is one of a skeleton.
        let shown = !matches!(self.to, Target::Native(_)) && args.pose.is_none();
        let options = SceneOptions::default()
            .with_extras(args.extras)
            .with_solids(args.solids)
            .with_static_meshes(shown && !args.keep_skeleton)
            .with_memory(limits.memory);
        let mut scene = opened.asset.to_scene(&options).map_err(|e| hinted(e, &opened.asset))?;
        reshape(&mut scene, args, &options)?;
        if !args.no_textures && self.to.holds_textures() {
            self.reader.add_textures(opened, &mut scene);
        }
        let stem = path.file_stem().filter(|s| *s != OsStr::new("-")).unwrap_or(OsStr::new("model"));
        let mut options = WriteOptions::default().with_stem(stem.to_string_lossy()).with_limits(limits);
        options.settings = self.reader.settings().to_vec();
        options.single = self.destination == Destination::Stdout;
        if self.to == Target::Obj {
            options.texture_files = texture_files(opened, path);
        }
        if let Some(text) = &args.pose {
            options.posed = Some(obj_pose(&mut scene.value, opened.asset.model().file_clip(), text)?);
        }
        options.gltf.influences = match args.influences {
            InfluenceArg::Four => Influences::Four,
            InfluenceArg::All => Influences::All,
        };
        options.gltf.close_loops = args.close_loops;
        let made = meshwright::convert(&scene.value, self.to, &options)?;
        let files = placed(made.value, path)?;
        if self.destination == Destination::Stdout && files.len() > 1 {
            let why = format!("{} has several files; standard output takes one", self.to);
            return Err(Refusal::Argument(why));
        }
        let losses = scene.losses.into_iter().chain(made.losses).collect();
        let advice = match self.to {
            Target::Glb | Target::Gltf if !args.extras => "; pass --extras to keep them",
            _ => "",
        };
        Ok(Done { input: input.clone(), files, losses, advice })
    }

    /// Writes the files. A rewrite may take the place of its `own`.
    fn deliver(&self, done: Done, own: Option<&Input>) -> Result<Done, Refusal> {
        if let (Destination::Stdout, [(_, bytes)]) = (&self.destination, done.files.as_slice()) {
            output::deliver(&self.destination, bytes)?;
            return Ok(done);
        }
        done.files.iter().try_for_each(|(path, _)| self.reader.spare(path, own))?;
        output::write_files(&self.destination, &done.files)
            .map_err(|(path, e)| Refusal::unwritable(&path, &e))?;
        done.files.iter().for_each(|(path, _)| self.reader.wrote(path));
        Ok(done)
    }
}

/// Changes a scene as the arguments want it, however it is written.
fn reshape(
    scene: &mut Converted<Scene>,
    args: &ConvertArgs,
    options: &SceneOptions,
) -> Result<(), ConvertError> {
    if args.scale != 1.0 {
        scene.value.rescale(args.scale)?;
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
fn placed(files: impl IntoIterator<Item = OutputFile>, path: &Path) -> Result<Files, Refusal> {
    let mut placed: Files = Vec::new();
    for file in files {
        let place = if placed.is_empty() { path.to_owned() } else { path.with_file_name(&file.name) };
        let is_plain = Path::new(&file.name).components().all(|c| matches!(c, Component::Normal(_)));
        if !placed.is_empty() && (!is_plain || placed.iter().any(|(other, _)| *other == place)) {
            let why = format!("{}: another file of the result has the same name", render::path(&place));
            return Err(Refusal::Argument(why));
        }
        placed.push((place, file.bytes));
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
    let (clip, frame) = match pose::parse(text, scene)? {
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

/// A conversion that is ready to be written.
struct Done {
    input: Input,
    files: Files,
    losses: Vec<Loss>,
    /// What to do about losses that extras would hold.
    advice: &'static str,
}

impl Done {
    fn json(&self) -> Value {
        let losses: Vec<_> = self.losses.iter().map(losses::document).collect();
        let output: Vec<_> = self.files.iter().map(|(p, _)| render::exact(p)).collect();
        json!({ "file": self.input.exact(), "output": output, "losses": losses })
    }

    /// Says what was lost.
    fn report(&self, results: &mut Results, args: &ConvertArgs) {
        results.add(Status::Fine, || self.json());
        if args.format == OutputFormat::Text {
            losses::say_all(&self.input.shown(), &self.losses, Detail::from(&args.read), self.advice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            placed(files(names), Path::new("d/x.bin")).map(|f| f.into_iter().map(|f| f.0).collect::<Vec<_>>())
        };
        assert_eq!(paths(["a.obj", "a.mtl"]).unwrap(), ["d/a.mtl", "d/x.bin"].map(PathBuf::from));
        for name in ["x.bin", "../a", "/a", ".."] {
            assert!(paths(["a.obj", name]).is_err(), "{name}");
        }
    }
}
