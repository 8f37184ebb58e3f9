//! `meshwright convert`: any format to glb, gltf or obj, and to itself.

use crate::args::{ConvertArgs, InfluenceArg, OutputFormat};
use crate::input::{self, Input, expand};

use crate::load::{self, Refusal, forced_format, load, say_forgiven};
use crate::names::{content_name, safe_file_name};
use crate::output::{self, Target};
use crate::results::Results;
use crate::sources::Sources;
use crate::{Fail, Status, assemble, pose, render, say};
use meshwright::dump::PoseRef;
use meshwright::gltf::{self, ExportOptions, Influences};
use meshwright::scene::obj::{self, ObjOptions};
use meshwright::scene::{Loss, MeshPose, Scene, SceneOptions};
use meshwright::{AnyModel, Companions, Format, detect, rig};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    Glb,
    Gltf,
    Obj,
    /// The input's own format, byte for byte.
    Same(Format),
}

impl To {
    fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "glb" => Some(Self::Glb),
            "gltf" => Some(Self::Gltf),
            "obj" => Some(Self::Obj),
            id => Format::from_id(id).map(Self::Same),
        }
    }

    fn from_output(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
        match Self::parse(&extension) {
            Some(to @ (Self::Glb | Self::Gltf | Self::Obj)) => Some(to),
            _ => Format::from_name(&name).map(Self::Same),
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Obj => "obj",
            Self::Same(format) => format.extensions()[0],
        }
    }
}

/// Files to be written together: all or none.
type Files = Vec<(PathBuf, Vec<u8>)>;

pub(crate) fn run(args: &ConvertArgs) -> Result<Status, Fail> {
    let forced = forced_format(&args.read)?;
    let target = Target::new(&args.output);
    let to = match &args.to {
        Some(text) => Some(To::parse(text).ok_or_else(|| {
            Fail::Usage(format!("--to {text}: unknown format; known are glb, gltf, obj, {}", load::ids()))
        })?),
        None => match &target {
            Target::File(path) => Some(To::from_output(path).ok_or_else(|| {
                Fail::Usage(format!("{}: name the output's format with --to", input::shown(path)))
            })?),
            Target::Folder(_) => Some(To::Glb),
            Target::Stdout => None,
        },
    };
    let Some(to) = to else { return Err(Fail::Usage("name the output's format with --to".into())) };
    if args.pose.is_some() && to != To::Obj {
        return Err(Fail::Usage("--pose is for obj; glb and gltf hold every clip".into()));
    }
    if target == Target::Stdout && args.format == OutputFormat::Json {
        return Err(Fail::Usage("--format json and -o - both want standard output".into()));
    }

    let mut results = Results::new(args.format);
    let into = if let Target::Folder(folder) = &target { Some(folder.as_path()) } else { None };
    let mut inputs = results.inputs(expand(&args.files, into));
    inputs.retain(|input| input.below.is_none() || forced.is_some() || is_model(input, to, args));
    if inputs.len() > 1 && !matches!(target, Target::Folder(_)) {
        if matches!(to, To::Same(_)) {
            return Err(Fail::Usage("several inputs cannot be rewritten into one file".into()));
        }
        match figure(&inputs, &target, to, args, forced) {
            Ok(done) => done.report(&mut results, args),
            Err((input, refusal)) => results.refuse(&input, &refusal),
        }
        return results.finish();
    }
    let paths = out_paths(&inputs, &target, to);
    let sources = Sources::new(&inputs, &args.companions, &args.read);
    let progress = !args.read.quiet && inputs.len() > 1 && io::stderr().is_terminal();
    for (i, (input, path)) in inputs.iter().zip(&paths).enumerate() {
        if progress {
            let _ = write!(io::stderr().lock(), "\r\x1b[K[{}/{}] {}", i + 1, inputs.len(), input.shown());
        }
        let done = one(input, path, to, args, forced).and_then(|done| {
            let own = Some(input).filter(|_| matches!(to, To::Same(_)));
            done.files.iter().try_for_each(|(path, _)| sources.spare(path, own))?;
            done.deliver(&target).map(|()| done)
        });
        if progress {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
        match done {
            Ok(done) => done.report(&mut results, args),
            // A folder holds other files too.
            Err(Refusal::Unknown) if input.below.is_some() => {}
            Err(refusal) => results.refuse(input, &refusal),
        }
    }
    results.finish()
}

/// Whether a file of a folder is one that becomes something. What is none, textures or the results of an earlier
/// run, has no say in the names of outputs and may be replaced by them.
fn is_model(input: &Input, to: To, args: &ConvertArgs) -> bool {
    match input.named_format() {
        // What meshes are read with.
        Some(Format::TsoBinding) => matches!(to, To::Same(_)),
        Some(_) => true,
        // What cannot be read is refused when its turn comes.
        None => input::peek(&input.path, args.read.max_memory)
            .map_or(true, |bytes| detect(&bytes, input.name().as_deref()).is_some()),
    }
}

/// Where each input goes. A rewrite keeps the name. Inputs of one folder whose names differ in their extension
/// only keep it, so that none overwrites another.
fn out_paths(inputs: &[Input], target: &Target, to: To) -> Vec<PathBuf> {
    let folder = match target {
        Target::File(path) => return vec![path.clone()],
        Target::Stdout => return vec![PathBuf::from("-")],
        Target::Folder(folder) => folder,
    };
    let place = |input: &Input, whole: bool| {
        let below = input.below.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let name = input.name().unwrap_or_else(|| "stdin".into());
        // An .obj is named like its materials, so that no two of them share those.
        let name = if to == To::Obj { ObjOptions::with_mtl(&name).mtl_name } else { name };
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, own)) if matches!(to, To::Same(format) if input.named_format() == Some(format)) => {
                (stem, own)
            }
            Some((stem, _)) if !whole && !stem.is_empty() => (stem, to.extension()),
            _ => (name.as_str(), to.extension()),
        };
        folder.join(below).join(format!("{}.{extension}", safe_file_name(stem)))
    };
    // Some file systems do not tell case apart.
    let key = |path: &Path| path.to_string_lossy().to_lowercase();
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for input in inputs {
        *wanted.entry(key(&place(input, false))).or_insert(0) += 1;
    }
    let mut taken = BTreeSet::new();
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let unique = |input: &Input| {
        let short = place(input, false);
        let first = if wanted.get(&key(&short)) == Some(&1) { short } else { place(input, true) };
        let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let (stem, extension) = (part(first.file_stem()), part(first.extension()));
        let n = next.entry(key(&first)).or_insert(2);
        let mut path = first;
        while !taken.insert(key(&path)) {
            path.set_file_name(format!("{stem}-{n}.{extension}"));
            *n += 1;
        }
        path
    };
    inputs.iter().map(unique).collect()
}

/// A conversion that is ready to be written.
struct Done {
    input: Input,
    files: Files,
    losses: Vec<Loss>,
}

fn one(
    input: &Input,
    path: &Path,
    to: To,
    args: &ConvertArgs,
    forced: Option<Format>,
) -> Result<Done, Refusal> {
    let loaded = load(input, &args.read, forced)?;
    say_forgiven(&input.shown(), &loaded, args.read.quiet);
    if let To::Same(format) = to {
        if format != loaded.format {
            let why = format!("{} cannot be converted to {}", loaded.format.title(), format.title());
            return Err(Refusal::Cannot { code: "not-convertible", why });
        }
        let bytes = loaded.model.to_bytes()?;
        let files = vec![(path.to_owned(), bytes)];
        return Ok(Done { input: input.clone(), files, losses: Vec::new() });
    }
    let companions = load::companions(&loaded.model, input, &args.companions, &args.read)?;
    scene_files(input, &loaded.model, companions, path, to, args)
}

/// Several inputs with one output: TSO files that make up a figure. What is refused comes with its input.
fn figure(
    inputs: &[Input],
    target: &Target,
    to: To,
    args: &ConvertArgs,
    forced: Option<Format>,
) -> Result<Done, (Input, Refusal)> {
    let (input, model, companions) = assemble::assemble(inputs, args, forced)?;
    let path = out_paths(inputs, target, to).remove(0);
    let done = scene_files(&input, &model, companions, &path, to, args).and_then(|done| {
        let sources = Sources::new(inputs, &args.companions, &args.read);
        done.files.iter().try_for_each(|(path, _)| sources.spare(path, None))?;
        done.deliver(target).map(|()| done)
    });
    done.map_err(|refusal| (input, refusal))
}

fn scene_files(
    input: &Input,
    model: &AnyModel,
    mut companions: Companions,
    path: &Path,
    to: To,
    args: &ConvertArgs,
) -> Result<Done, Refusal> {
    companions.recompute_normals = args.recompute_normals;
    let unseen = load::textures(model, input, &mut companions, args.textures, &args.read)?;
    let name = input.name().unwrap_or_else(|| "stdin".into());
    let name = name.rsplit_once('.').map_or(name.as_str(), |n| n.0);
    let options = SceneOptions::default().with_extras(args.extras).with_memory(args.read.max_memory);
    let converted = model.to_scene(name, &companions, &options)?;
    let (scene, mut losses) = (converted.value, converted.losses);
    losses.extend(unseen);
    let stem = path.file_stem().filter(|s| *s != OsStr::new("-")).unwrap_or(OsStr::new("model"));
    let stem = stem.to_string_lossy();
    let files = match to {
        To::Obj => {
            let posed = args.pose.as_ref().map(|text| obj_pose(&scene, text)).transpose()?;
            let own = ObjOptions::with_mtl(&format!("{stem}.mtl"));
            let materials = Some(path.with_file_name(&own.mtl_name)).filter(|_| path.as_os_str() != "-");
            if materials.as_deref() == Some(path) {
                let why =
                    format!("{}: the materials of an .obj would have the same name", input::shown(path));
                return Err(Refusal::Argument(why));
            }
            let options = if materials.is_some() { own } else { ObjOptions::default() };
            let written = obj::write(&scene, posed.as_deref(), &options.with_memory(args.read.max_memory))?;
            losses.extend(written.losses);
            let mut files = vec![(path.to_owned(), written.value.obj.into_bytes())];
            if let Some(path) = materials {
                files.insert(0, (path, written.value.mtl.into_bytes()));
            }
            files
        }
        To::Glb | To::Gltf | To::Same(_) => {
            let influences = match args.influences {
                InfluenceArg::Four => Influences::Four,
                InfluenceArg::All => Influences::All,
            };
            let export = ExportOptions::default()
                .with_influences(influences)
                .with_close_loops(args.close_loops)
                .with_memory(args.read.max_memory);
            let exported = gltf::export(&scene, &export)?;
            losses.extend(exported.losses);
            if to == To::Glb {
                vec![(path.to_owned(), exported.value.into_glb())]
            } else {
                // Two files cannot appear at one moment. So that every .gltf that is ever seen has its own buffer,
                // a new one never takes the place of another.
                let bin_name = content_name(&stem, exported.value.buffer(), "bin");
                let (json, bin) = exported.value.to_gltf(&bin_name)?;
                if path.as_os_str() == "-" && !bin.is_empty() {
                    let why = "gltf has two files; use glb for standard output";
                    return Err(Refusal::Argument(why.into()));
                }
                let mut files = vec![(path.to_owned(), json)];
                if !bin.is_empty() {
                    files.insert(0, (path.with_file_name(bin_name), bin));
                }
                files
            }
        }
    };
    Ok(Done { input: input.clone(), files, losses })
}

fn obj_pose(scene: &Scene, text: &str) -> Result<Vec<MeshPose>, Refusal> {
    let wrong = |why: &str| Refusal::Argument(format!("--pose {text}: {why}"));
    let PoseRef::Clip { clip, frame } = pose::parse(text, scene)? else {
        return Err(wrong("name a clip before the colon"));
    };
    if scene.clips.get(clip).is_none_or(|c| frame >= c.frames) {
        return Err(wrong("the clip has no such frame"));
    }
    // In 64 bits, which every machine rounds alike.
    let mut evaluator = rig::Evaluator::new(scene)?.with_precision(rig::Precision::Double);
    evaluator.pose(Some((clip, f64::from(frame))))?;
    Ok(evaluator.meshes()?)
}

impl Done {
    fn deliver(&self, target: &Target) -> Result<(), Refusal> {
        match (target, self.files.as_slice()) {
            (Target::Stdout, [(_, bytes)]) => output::deliver(target, bytes),
            (_, files) => {
                output::write_files(target, files).map_err(|(path, e)| Refusal::unwritable(&path, &e))
            }
        }
    }

    fn json(&self) -> Value {
        let losses: Vec<_> = self
            .losses
            .iter()
            .map(|l| json!({ "code": l.code, "path": render::plain(&l.path), "message": render::plain(&l.message), "amount": l.amount }))
            .collect();
        let output: Vec<_> = self.files.iter().map(|(p, _)| input::exact(p)).collect();
        json!({ "file": self.input.exact(), "output": output, "losses": losses })
    }

    /// Says what was lost.
    fn report(&self, results: &mut Results, args: &ConvertArgs) {
        results.add(Status::Fine, || self.json());
        if args.read.quiet || args.format == OutputFormat::Json {
            return;
        }
        for loss in &self.losses {
            let amount = loss.amount.map_or_else(String::new, |a| format!(" ({a:.4})"));
            let text = format!("lost[{}] {}: {}{amount}", loss.code, loss.path, loss.message);
            say(&format!("{}: {}", self.input.shown(), render::plain(&text)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(path: &str, below: Option<&str>) -> Input {
        Input { path: path.into(), below: below.map(Into::into) }
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
        let out = Target::Folder("out".into());
        let paths = out_paths(&inputs, &out, To::Glb);
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
        let paths = out_paths(&inputs, &out, To::Same(Format::Fso));
        assert_eq!(paths, ["out/m.FSO", "out/m.fom", "out/m.dat.fom", "out/m-2.fom"].map(PathBuf::from));
        // Their materials have names of their own too.
        let inputs = [input("a/x.dpm", None), input("a/ x.dpm", None), input("a/y\u{a0}z.dpm", None)];
        let paths = out_paths(&inputs, &out, To::Obj);
        assert_eq!(paths, ["out/x.dpm.obj", "out/x.dpm-2.obj", "out/y_z.obj"].map(PathBuf::from));
    }

    #[test]
    fn the_output_name_tells_the_format() {
        assert_eq!(To::from_output(Path::new("a.GLB")), Some(To::Glb));
        assert_eq!(To::from_output(Path::new("a.b.obj")), Some(To::Obj));
        assert_eq!(To::from_output(Path::new("glb")), None);
        assert_eq!(To::from_output(Path::new("a.dpm")), Format::from_id("dpm").map(To::Same));
    }
}
