//! `xtask hostile`: files that once broke a promise, each through every command.
//!
//! The files are made here, as large as they were; some are of the corpus. The program is run as its users run it, with
//! its default limits, in a folder of its own.

#[path = "../../cli/tests/support/judge.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "shared with tests that use all of it")]
mod judge;

use crate::measured_program;
use meshwright::scene::{Mesh, MeshId, Node, Scene};
use meshwright::{Target, WriteOptions};
use meshwright_testkit::{corpus, patience, testdata};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use xtask::sh::{self, Given};

/// The time limit of any command on a few megabytes of input.
const TIME: Duration = Duration::from_secs(5);
/// The memory limit of a command: the budget of a file, the same for its results, and the program.
const MEMORY: u64 = 768 << 20;
/// A command that takes longer is stopped.
const STOP: Duration = Duration::from_secs(200);
/// Address space, in KiB: beyond it an allocation fails, and the program with it.
const SPACE: u64 = 4 << 20;

/// One family of files.
struct Case {
    name: &'static str,
    /// The model's file name.
    model: &'static str,
    /// Files of the corpus that it needs.
    corpus: &'static [&'static str],
    /// Makes the other files.
    make: fn(&Path) -> Result<(), String>,
    /// The command that it attacks; the others are tried too.
    command: &'static str,
}

const GLB: &str = "convert -o out.glb";
const TEXTURED: &str = "convert --textures -o out.glb";
const OPTIMIZED: &str = "optimize --max-angle 5 -o out.bin";
const COMMANDS: &[&str] = &[
    "info",
    "check",
    "dump",
    GLB,
    TEXTURED,
    "convert -o out.gltf",
    "convert -o out.obj",
    "convert -o out.html",
    "render -o out.png",
    "render --size=64 --turntable=12 --overlay=bones,names,wireframe,normals,bounds -o out.png",
    "view --answer=model/0 --answer=model/0.glb --answer=thumb/0.png",
    OPTIMIZED,
];

/// Makes a table of cases.
macro_rules! cases {
    ($($name:literal $model:literal $corpus:expr, $make:expr, $command:expr;)*) => {
        &[$(Case { name: $name, model: $model, corpus: &$corpus, make: $make, command: $command }),*]
    };
}

const CASES: &[Case] = cases! {
    "one texture of 100 MiB, 40 names" "one_texture_many_names.dpm" ["one_texture_many_names.dpm"], huge_texture, TEXTURED;
    "one picture of 80 megapixels, 400 names" "tga_400_names.dpm" ["tga_400_names.dpm"], huge_picture, TEXTURED;
    "poses that differ only in shear" "shear_pairs.dpm" ["shear_pairs.dpm", "shear_pairs.dpm.framegroups"], |_| Ok(()), GLB;
    "an optimizer with much to choose from" "optimize_slow.bmd" ["optimize_slow.bmd"], |_| Ok(()), OPTIMIZED;
    "a PNG cut to 33 bytes" "one_texture_many_names.dpm" ["one_texture_many_names.dpm", "trunc.png"], cut_png, TEXTURED;
    "three bytes of JPEG" "one_texture_many_names.dpm" ["one_texture_many_names.dpm"], cut_jpeg, TEXTURED;
    "controls in names" "c1.dpm" ["c1.dpm"], |_| Ok(()), "dump";
    "16 MB of framegroups" "m.dpm" [], framegroups, "check";
    "a chunk of 1 MB, 254 MB decoded" "m.cmesh" [], chunk, "dump";
    "130,000 triangles without area" "m.glb" [], flat_triangles, "convert -o out.fom";
    "a model that is called like a temporary file" ".meshwright-abcdef.tmp" [], temporary, "convert --as dpm -o out.glb";
};

impl Case {
    /// Writes the files of the case into a folder.
    fn write(&self, folder: &Path) -> Result<(), String> {
        for name in self.corpus {
            let corpus = corpus().ok_or("no corpus next to the project")?;
            sh::copy(&corpus.join("hostile").join(name), &folder.join(name))?;
        }
        (self.make)(folder)
    }
}

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let (program, only) = (xtask::released(root, given)?, given.value::<String>("only")?);
    let mut broken = Vec::new();
    println!("{:>8} {:>9}  {:<18} file, command", "seconds", "peak MiB", "end");
    for case in CASES {
        if only.as_ref().is_some_and(|only| !case.name.contains(only)) {
            continue;
        }
        let folder = std::env::temp_dir().join(format!("meshwright-hostile-{}", std::process::id()));
        let tried = tried(case, &program, &folder, &mut broken);
        let _ = fs::remove_dir_all(&folder);
        tried?;
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("{} broken promises\n{}", broken.len(), broken.join("\n")))
    }
}

/// Returns every case in a folder of its own below `top`: those that can be made here.
pub(crate) fn folders(top: &Path) -> Result<Vec<PathBuf>, String> {
    let _ = fs::remove_dir_all(top);
    let mut folders = Vec::new();
    for case in CASES {
        let folder = top.join(case.name.replace([' ', ','], "_"));
        sh::empty(&folder)?;
        match case.write(&folder) {
            Ok(()) => folders.push(folder),
            Err(why) => eprintln!("skipped: {}: {why}", case.name),
        }
    }
    Ok(folders)
}

/// One case: its own command, then all others.
fn tried(case: &Case, program: &Path, folder: &Path, broken: &mut Vec<String>) -> Result<(), String> {
    sh::empty(folder)?;
    if let Err(e) = case.write(folder) {
        return sh::skipped(&format!("{}: {e}", case.name));
    }
    let inputs = names(folder)?;
    for command in std::iter::once(&case.command).chain(COMMANDS.iter().filter(|c| **c != case.command)) {
        let name = format!("{}: {command}", case.name);
        let mut wrong = one(program, folder, case.model, command, &name)?;
        let left = names(folder)?;
        let gone: Vec<_> = inputs.iter().filter(|input| !left.contains(input)).collect();
        wrong.extend(gone.iter().map(|gone| format!("{gone} is gone")));
        for new in left.iter().filter(|name| !inputs.contains(name)) {
            if !["out.", "stdout", "stderr"].iter().any(|known| new.starts_with(known)) {
                wrong.push(format!("{new} was left"));
            }
            let _ = fs::remove_file(folder.join(new));
        }
        broken.extend(wrong.into_iter().map(|wrong| format!("{name}: {wrong}")));
        if !gone.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Runs one command, prints what it cost, and returns what it broke.
fn one(program: &Path, folder: &Path, model: &str, words: &str, name: &str) -> Result<Vec<String>, String> {
    let file = |name: &str| fs::File::create(folder.join(name)).map_err(|e| format!("{name}: {e}"));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {SPACE} 2>/dev/null; exec \"$@\""), "sh"]).arg(program);
    command.args(words.split(' ')).arg(model).current_dir(folder);
    command.stdin(Stdio::null()).stdout(file("stdout")?).stderr(file("stderr")?);
    let ended =
        measured_program::run(&mut command, STOP).map_err(|e| format!("{}: {e}", program.display()))?;
    let mut wrong = Vec::new();
    let end = match ended.status.code() {
        _ if ended.killed => "stopped".to_owned(),
        Some(code) => format!("exit {code}"),
        None => ended.status.to_string(),
    };
    if !matches!(ended.status.code(), Some(0..=3)) {
        wrong.push(format!("ended with {end}"));
    }
    if ended.time > TIME * patience() {
        wrong.push(format!("took {:.1} s", ended.time.as_secs_f64()));
    }
    if ended.peak.is_some_and(|peak| peak > MEMORY) {
        wrong.push(format!("had {} MiB", ended.peak.unwrap_or(0) >> 20));
    }
    for stream in ["stdout", "stderr"] {
        let bytes = sh::read(&folder.join(stream))?;
        wrong.extend(judge::printed(&bytes).map(|why| format!("{stream}: {why}")));
    }
    if let (Some(0), Ok(glb)) = (ended.status.code(), fs::read(folder.join("out.glb"))) {
        wrong.extend(judge::pictures(&glb));
    }
    let peak = ended.peak.map_or_else(|| "?".to_owned(), |peak| (peak >> 20).to_string());
    let mark = if wrong.is_empty() { ' ' } else { '!' };
    println!("{:8.2} {peak:>9} {mark}{end:<18} {name}", ended.time.as_secs_f64());
    Ok(wrong)
}

/// Returns the entries of a folder.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect())
}

fn huge_texture(folder: &Path) -> Result<(), String> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(100 << 20, 0);
    sh::write(&folder.join("skin.png"), &png)
}

/// A true-colour picture of run-length packets, each of 128 equal pixels.
fn huge_picture(folder: &Path) -> Result<(), String> {
    let (width, height) = (8960_u16, 8960_u16);
    let mut tga = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    tga.extend(width.to_le_bytes());
    tga.extend(height.to_le_bytes());
    tga.extend([24, 0]);
    for _ in 0..u32::from(width) * u32::from(height) / 128 {
        tga.extend([0xff, 10, 20, 30]);
    }
    sh::write(&folder.join("skin.tga"), &tga)
}

fn cut_png(folder: &Path) -> Result<(), String> {
    fs::rename(folder.join("trunc.png"), folder.join("skin.png")).map_err(|e| e.to_string())
}

fn cut_jpeg(folder: &Path) -> Result<(), String> {
    sh::write(&folder.join("skin.jpg"), [0xff, 0xd8, 0xff])
}

fn framegroups(folder: &Path) -> Result<(), String> {
    sh::copy(&testdata().join("dpm/quad.ok.dpm"), &folder.join("m.dpm"))?;
    sh::write(&folder.join("m.dpm.framegroups"), b"0 1 10 1\n".repeat(16_000_000 / 9))
}

/// A block of positions, all of them zero, and no indices.
fn chunk(folder: &Path) -> Result<(), String> {
    let size = 254 * 1_000_000_u32 / 12 * 12;
    let run = size - 1 - 4 - 15 - 5;
    let mut block = vec![0x1f, 0, 1, 0];
    block.resize(4 + run as usize / 255, 255);
    block.extend([u8::try_from(run % 255).unwrap_or(0), 0x50, 0, 0, 0, 0, 0]);
    let mut file = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0];
    file.extend(u32::try_from(block.len()).unwrap_or(u32::MAX).to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend(block);
    sh::write(&folder.join("m.cmesh"), &file)
}

fn temporary(folder: &Path) -> Result<(), String> {
    sh::copy(&testdata().join("dpm/quad.ok.dpm"), &folder.join(".meshwright-abcdef.tmp"))
}

/// Writes a mesh with texture coordinates. Two thirds of its triangles have no area.
fn flat_triangles(folder: &Path) -> Result<(), String> {
    let (mut positions, mut uvs, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..65_000_u16 {
        let (x, first) = (f32::from(i), u32::from(i) * 3);
        positions.extend([[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]]);
        uvs.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        triangles.extend([
            [first, first + 1, first + 2],
            [first, first, first + 1],
            [first, first, first + 2],
        ]);
    }
    let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
    let mesh = Mesh::new("flat", positions, triangles).with_normals(normals).with_uvs(uvs);
    let nodes = vec![Node::of_mesh("flat", MeshId(0))];
    let scene = Scene::new("flat").with_meshes(vec![mesh]).with_nodes(nodes);
    let made =
        meshwright::convert(&scene, Target::Glb, &WriteOptions::default()).map_err(|e| e.to_string())?;
    let glb = made.value.iter().next().ok_or("no GLB was made")?;
    sh::write(&folder.join("m.glb"), &glb.bytes)
}
