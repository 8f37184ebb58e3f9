//! `meshwright convert`: any format to glb, gltf or obj, and to itself.

use crate::args::{ConvertArgs, InfluenceArg, OutputFormat};
use crate::input::{self, Input, expand};
use crate::load::{self, Refusal, forced_format, load, say_forgiven};
use crate::output::{self, Target};
use crate::{Fail, Status, assemble, pose, render, say};
use meshwright::dump::PoseRef;
use meshwright::gltf::{self, ExportOptions, Influences};
use meshwright::scene::obj::{self, ObjOptions};
use meshwright::scene::{Loss, SceneOptions};
use meshwright::{AnyModel, Companions, Format, rig};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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

    let mut status = Status::Fine;
    let mut inputs = Vec::new();
    for input in expand(&args.files) {
        match input {
            Ok(input) => inputs.push(input),
            Err((path, e)) => {
                say(&format!("{}: {e}", input::shown(&path)));
                status.and(Status::Unusable);
            }
        }
    }
    if inputs.len() > 1 && !matches!(target, Target::Folder(_)) {
        let path = out_paths(&inputs, &target, to).remove(0);
        return figure(&inputs, &path, &target, to, args, forced, status);
    }
    let paths = out_paths(&inputs, &target, to);
    let mut documents = Vec::new();
    let progress = !args.read.quiet && inputs.len() > 1 && io::stderr().is_terminal();
    for (i, (input, path)) in inputs.iter().zip(&paths).enumerate() {
        if progress {
            let _ = write!(io::stderr().lock(), "\r\x1b[K[{}/{}] {}", i + 1, inputs.len(), input.shown());
        }
        match one(input, path, to, args, forced) {
            Ok(None) => {}
            Ok(Some(done)) => {
                status.and(done.deliver(&target)?);
                documents.push(done.json());
                done.say_losses(args);
            }
            Err(Stop::Refused(refusal)) => {
                refusal.say(&input.shown());
                status.and(refusal.status());
                documents.push(json!({ "file": input.shown(), "output": null, "error": refusal.json() }));
            }
            Err(Stop::Cannot(why)) => {
                say(&format!("{}: {}", input.shown(), render::plain(&why)));
                status.and(Status::Errors);
                documents.push(json!({ "file": input.shown(), "output": null, "error": { "class": "conversion", "message": render::plain(&why) } }));
            }
            Err(Stop::Fail(fail)) => return Err(fail),
        }
    }
    if progress {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
    if args.format == OutputFormat::Json {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", json!({ "files": documents }))?;
        out.flush()?;
    }
    Ok(status)
}

/// Where each input goes. Inputs of one folder whose names differ in their extension only keep it, so that
/// none overwrites another.
fn out_paths(inputs: &[Input], target: &Target, to: To) -> Vec<PathBuf> {
    let folder = match target {
        Target::File(path) => return vec![path.clone()],
        Target::Stdout => return vec![PathBuf::from("-")],
        Target::Folder(folder) => folder,
    };
    let place = |input: &Input, whole: bool| {
        let below = input.below.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let name = input.name().unwrap_or_else(|| "stdin".into());
        let stem = match name.rsplit_once('.') {
            Some((stem, _)) if !whole && !stem.is_empty() => stem,
            _ => &name,
        };
        folder.join(below).join(format!("{}.{}", output::safe_file_name(stem), to.extension()))
    };
    let mut taken: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for input in inputs {
        *taken.entry(place(input, false)).or_insert(0) += 1;
    }
    let mut seen: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let unique = |input: &Input| {
        let short = place(input, false);
        let mut path = if taken.get(&short) == Some(&1) { short } else { place(input, true) };
        let n = seen.entry(path.clone()).or_insert(0);
        *n += 1;
        if *n > 1 {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            path.set_file_name(format!("{stem}-{n}.{}", to.extension()));
        }
        path
    };
    inputs.iter().map(unique).collect()
}

/// A conversion that is ready to be written.
struct Done {
    shown: String,
    files: Files,
    losses: Vec<Loss>,
}

/// Why a conversion stops.
enum Stop {
    Refused(Refusal),
    Cannot(String),
    Fail(Fail),
}

/// `None` for a file of no known format that was found in a folder.
fn one(
    input: &Input,
    path: &Path,
    to: To,
    args: &ConvertArgs,
    forced: Option<Format>,
) -> Result<Option<Done>, Stop> {
    let loaded = match load(input, &args.read, forced) {
        Ok(loaded) => loaded,
        Err(Refusal::Unknown) if input.below.is_some() => return Ok(None),
        Err(refusal) => return Err(Stop::Refused(refusal)),
    };
    let shown = input.shown();
    say_forgiven(&shown, &loaded, args.read.quiet);
    if let To::Same(format) = to {
        if format != loaded.format {
            let (from, to) = (loaded.format.title(), format.title());
            return Err(Stop::Cannot(format!("{from} cannot be converted to {to}")));
        }
        let bytes = loaded.model.to_bytes().map_err(|e| Stop::Cannot(e.to_string()))?;
        return Ok(Some(Done { shown, files: vec![(path.to_owned(), bytes)], losses: Vec::new() }));
    }
    let companions =
        load::companions(&loaded.model, input, &args.companions, &args.read).map_err(Stop::Refused)?;
    let (files, losses) = scene_files(input, &loaded.model, companions, path, to, args)?;
    Ok(Some(Done { shown, files, losses }))
}

/// Several inputs with one output: TSO files that make up a figure.
fn figure(
    inputs: &[Input],
    path: &Path,
    target: &Target,
    to: To,
    args: &ConvertArgs,
    forced: Option<Format>,
    mut status: Status,
) -> Result<Status, Fail> {
    if matches!(to, To::Same(_)) {
        return Err(Fail::Usage("several inputs cannot be rewritten into one file".into()));
    }
    let assembled = match assemble::assemble(inputs, args, forced)? {
        Ok(assembled) => assembled,
        Err((shown, refusal)) => {
            refusal.say(&shown);
            status.and(refusal.status());
            return Ok(status);
        }
    };
    let (input, model, companions) = assembled;
    match scene_files(&input, &model, companions, path, to, args) {
        Ok((files, losses)) => {
            let done = Done { shown: input.shown(), files, losses };
            status.and(done.deliver(target)?);
            done.say_losses(args);
            if args.format == OutputFormat::Json {
                writeln!(io::stdout().lock(), "{}", json!({ "files": [done.json()] }))?;
            }
        }
        Err(Stop::Fail(fail)) => return Err(fail),
        Err(Stop::Cannot(why)) => {
            say(&format!("{}: {}", input.shown(), render::plain(&why)));
            status.and(Status::Errors);
        }
        Err(Stop::Refused(refusal)) => {
            refusal.say(&input.shown());
            status.and(refusal.status());
        }
    }
    Ok(status)
}

fn scene_files(
    input: &Input,
    model: &AnyModel,
    mut companions: Companions,
    path: &Path,
    to: To,
    args: &ConvertArgs,
) -> Result<(Files, Vec<Loss>), Stop> {
    let cannot = |e: &dyn std::error::Error| Stop::Cannot(e.to_string());
    companions.recompute_normals = args.recompute_normals;
    load::textures(model, input, &mut companions, args.textures, &args.read).map_err(|e| cannot(&e))?;
    let name = input.name().unwrap_or_else(|| "stdin".into());
    let name = name.rsplit_once('.').map_or(name.as_str(), |n| n.0);
    let options = SceneOptions::default().with_extras(args.extras).with_memory(args.read.max_memory);
    let converted = model.to_scene(name, &companions, &options).map_err(|e| cannot(&e))?;
    let (scene, mut losses) = (converted.value, converted.losses);
    let file_name = |extension: &str| {
        let stem = path.file_stem().filter(|s| *s != OsStr::new("-")).unwrap_or(OsStr::new("model"));
        format!("{}.{extension}", stem.to_string_lossy())
    };
    let files = match to {
        To::Obj => {
            let posed = args.pose.as_ref().map(|text| obj_pose(&scene, text)).transpose()?;
            let material_file = file_name("mtl");
            let options = if path.as_os_str() == "-" {
                ObjOptions::default()
            } else {
                ObjOptions::with_mtl(material_file.as_str())
            };
            let written = obj::write(&scene, posed.as_deref(), &options).map_err(|e| cannot(&e))?;
            losses.extend(written.losses);
            let mut files = vec![(path.to_owned(), written.value.obj.into_bytes())];
            if path.as_os_str() != "-" {
                files.insert(0, (path.with_file_name(material_file), written.value.mtl.into_bytes()));
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
            let exported = gltf::export(&scene, &export).map_err(|e| cannot(&e))?;
            losses.extend(exported.losses);
            if to == To::Glb {
                vec![(path.to_owned(), exported.value.to_glb())]
            } else {
                let bin_name = file_name("bin");
                let (json, bin) = exported.value.to_gltf(&bin_name).map_err(|e| cannot(&e))?;
                if path.as_os_str() == "-" && !bin.is_empty() {
                    return Err(Stop::Cannot("gltf has two files; use glb for standard output".into()));
                }
                let mut files = vec![(path.to_owned(), json)];
                if !bin.is_empty() {
                    files.insert(0, (path.with_file_name(bin_name), bin));
                }
                files
            }
        }
    };
    Ok((files, losses))
}

fn obj_pose(scene: &meshwright::scene::Scene, text: &str) -> Result<Vec<meshwright::scene::MeshPose>, Stop> {
    let cannot = |e: rig::RigError| Stop::Cannot(e.to_string());
    let at = match pose::parse(text, scene).map_err(Stop::Fail)? {
        PoseRef::Clip { clip, frame } => (clip, frame),
        PoseRef::File { .. } => {
            return Err(Stop::Fail(Fail::Usage(format!("--pose {text}: name a clip before the colon"))));
        }
    };
    if scene.clips.get(at.0).is_none_or(|c| at.1 >= c.frames) {
        return Err(Stop::Fail(Fail::Usage(format!("--pose {text}: the clip has no such frame"))));
    }
    let mut evaluator = rig::Evaluator::new(scene).map_err(cannot)?;
    evaluator.pose(Some((at.0, f64::from(at.1)))).map_err(cannot)?;
    evaluator.meshes().map_err(cannot)
}

impl Done {
    fn deliver(&self, target: &Target) -> Result<Status, Fail> {
        if *target == Target::Stdout {
            let mut out = io::stdout().lock();
            for (_, bytes) in &self.files {
                out.write_all(bytes)?;
            }
            out.flush()?;
            return Ok(Status::Fine);
        }
        if let Target::Folder(_) = target
            && let Some(Err(e)) =
                self.files.first().and_then(|(p, _)| p.parent()).map(std::fs::create_dir_all)
        {
            say(&format!("{}: {e}", self.shown));
            return Ok(Status::Unusable);
        }
        Ok(match output::write_files(&self.files) {
            Ok(()) => Status::Fine,
            Err((path, e)) => {
                say(&format!("{}: {e}", input::shown(&path)));
                Status::Unusable
            }
        })
    }

    fn json(&self) -> Value {
        let losses: Vec<_> = self
            .losses
            .iter()
            .map(|l| json!({ "code": l.code, "path": render::plain(&l.path), "message": render::plain(&l.message), "amount": l.amount }))
            .collect();
        let output: Vec<_> = self.files.iter().map(|(p, _)| input::shown(p)).collect();
        json!({ "file": self.shown, "output": output, "losses": losses })
    }

    fn say_losses(&self, args: &ConvertArgs) {
        if args.read.quiet || args.format == OutputFormat::Json {
            return;
        }
        for loss in &self.losses {
            let amount = loss.amount.map_or_else(String::new, |a| format!(" ({a:.4})"));
            let text = format!("{}: lost[{}] {}: {}{amount}", self.shown, loss.code, loss.path, loss.message);
            say(&render::plain(&text));
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
        ];
        let paths = out_paths(&inputs, &Target::Folder("out".into()), To::Glb);
        let expected = ["out/x.dpm.glb", "out/x.zym.glb", "out/y.glb", "out/s/y.glb", "out/x.dpm-2.glb"];
        assert_eq!(paths, expected.map(PathBuf::from));
    }

    #[test]
    fn the_output_name_tells_the_format() {
        assert_eq!(To::from_output(Path::new("a.GLB")), Some(To::Glb));
        assert_eq!(To::from_output(Path::new("a.b.obj")), Some(To::Obj));
        assert_eq!(To::from_output(Path::new("glb")), None);
        assert_eq!(To::from_output(Path::new("a.dpm")), Format::from_id("dpm").map(To::Same));
    }
}
