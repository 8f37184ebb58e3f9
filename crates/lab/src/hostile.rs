//! `xtask hostile [--program FILE] [--only WORD]`: files that once broke a promise, each through every command.
//!
//! The files are made here, as large as they were; some are of the corpus. The program is run as its users run it, with
//! its default limits, in a folder of its own.

#[path = "../../cli/tests/support/judge.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "shared with tests that use all of it")]
mod judge;

use crate::measured_program;
use lexopt::{Arg, Parser, ValueExt as _};
use meshwright_testkit::{corpus, patience};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use xtask::sh;

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
    make: fn(&Path, Option<&Path>) -> Result<(), String>,
    /// The command that it attacks; the others are tried too.
    command: &'static [&'static str],
}

const COMMANDS: &[&[&str]] = &[
    &["info"],
    &["check"],
    &["dump"],
    &["convert", "-o", "out.glb"],
    &["convert", "--textures", "-o", "out.glb"],
    &["convert", "-o", "out.gltf"],
    &["convert", "-o", "out.obj"],
    &["convert", "-o", "out.html"],
    &["render", "-o", "out.png"],
    &[
        "render",
        "--size=64",
        "--turntable=12",
        "--overlay=bones,names,wireframe,normals,bounds",
        "-o",
        "out.png",
    ],
    &["view", "--answer=model/0", "--answer=model/0.glb", "--answer=thumb/0.png"],
    &["optimize", "--max-angle", "5", "-o", "out.bin"],
];

const TEXTURED: &[&str] = &["convert", "--textures", "-o", "out.glb"];

const CASES: &[Case] = &[
    Case {
        name: "one texture of 100 MiB, 40 names",
        model: "one_texture_many_names.dpm",
        make: huge_texture,
        command: TEXTURED,
    },
    Case {
        name: "one picture of 80 megapixels, 400 names",
        model: "tga_400_names.dpm",
        make: huge_picture,
        command: TEXTURED,
    },
    Case {
        name: "poses that differ only in shear",
        model: "shear_pairs.dpm",
        make: shear,
        command: &["convert", "-o", "out.glb"],
    },
    Case {
        name: "an optimizer with much to choose from",
        model: "optimize_slow.bmd",
        make: slow,
        command: &["optimize", "--max-angle", "5", "-o", "out.bin"],
    },
    Case {
        name: "a PNG cut to 33 bytes",
        model: "one_texture_many_names.dpm",
        make: cut_png,
        command: TEXTURED,
    },
    Case {
        name: "three bytes of JPEG",
        model: "one_texture_many_names.dpm",
        make: cut_jpeg,
        command: TEXTURED,
    },
    Case { name: "controls in names", model: "c1.dpm", make: controls, command: &["dump"] },
    Case { name: "16 MB of framegroups", model: "m.dpm", make: framegroups, command: &["check"] },
    Case { name: "a chunk of 1 MB, 254 MB decoded", model: "m.cmesh", make: chunk, command: &["dump"] },
    Case {
        name: "a model that is called like a temporary file",
        model: ".meshwright-abcdef.tmp",
        make: temporary,
        command: &["convert", "--as", "dpm", "-o", "out.glb"],
    },
];

struct Options {
    program: Option<PathBuf>,
    only: Option<String>,
}

impl Options {
    fn new(mut words: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self { program: None, only: None };
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("program") => options.program = Some(words.value()?.into()),
                Arg::Long("only") => options.only = Some(words.value()?.string()?),
                _ => return Err(word.unexpected()),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let options = Options::new(words).map_err(|e| e.to_string())?;
    let program = match options.program {
        Some(program) => program,
        None => xtask::program(root, "meshwright", "release")?,
    };
    let corpus = corpus().map(|dir| dir.join("hostile")).filter(|dir| dir.is_dir());
    let mut broken = Vec::new();
    println!("{:>8} {:>9}  {:<18} file, command", "seconds", "peak MiB", "end");
    for case in CASES {
        if options.only.as_ref().is_some_and(|only| !case.name.contains(only.as_str())) {
            continue;
        }
        let folder = std::env::temp_dir().join(format!("meshwright-hostile-{}", std::process::id()));
        let tried = tried(case, &program, &folder, corpus.as_deref(), &mut broken);
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
    let corpus = corpus().map(|dir| dir.join("hostile")).filter(|dir| dir.is_dir());
    let _ = fs::remove_dir_all(top);
    let mut folders = Vec::new();
    for case in CASES {
        let folder = top.join(case.name.replace([' ', ','], "_"));
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        match (case.make)(&folder, corpus.as_deref()) {
            Ok(()) => folders.push(folder),
            Err(why) => eprintln!("skipped: {}: {why}", case.name),
        }
    }
    Ok(folders)
}

/// One case: its own command, then all others.
fn tried(
    case: &Case,
    program: &Path,
    folder: &Path,
    corpus: Option<&Path>,
    broken: &mut Vec<String>,
) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    if let Err(e) = (case.make)(folder, corpus) {
        return sh::skipped(&format!("{}: {e}", case.name));
    }
    let inputs = names(folder)?;
    for command in std::iter::once(&case.command).chain(COMMANDS.iter().filter(|c| **c != case.command)) {
        let name = format!("{}: {}", case.name, command.join(" "));
        let mut wrong = one(program, folder, case.model, command, &name)?;
        let left = names(folder)?;
        for gone in inputs.iter().filter(|i| !left.contains(i)) {
            wrong.push(format!("{gone} is gone"));
        }
        for new in left.iter().filter(|name| !inputs.contains(name)) {
            if !["out.", "stdout", "stderr"].iter().any(|known| new.starts_with(known)) {
                wrong.push(format!("{new} was left"));
            }
            let _ = fs::remove_file(folder.join(new));
        }
        broken.extend(wrong.into_iter().map(|wrong| format!("{name}: {wrong}")));
        if inputs.iter().any(|input| !left.contains(input)) {
            break;
        }
    }
    Ok(())
}

/// Runs one command, prints what it cost, and returns what it broke.
fn one(
    program: &Path,
    folder: &Path,
    model: &str,
    words: &[&str],
    name: &str,
) -> Result<Vec<String>, String> {
    let file = |name: &str| fs::File::create(folder.join(name)).map_err(|e| format!("{name}: {e}"));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {SPACE} 2>/dev/null; exec \"$@\""), "sh"]).arg(program);
    command.args(words).arg(model).current_dir(folder);
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
        let bytes = fs::read(folder.join(stream)).map_err(|e| format!("{stream}: {e}"))?;
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

fn write(path: PathBuf, bytes: &[u8]) -> Result<(), String> {
    fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// Copies files of the corpus.
fn copy_from_corpus(folder: &Path, corpus: Option<&Path>, names: &[&str]) -> Result<(), String> {
    let corpus = corpus.ok_or("no corpus next to the project")?;
    for name in names {
        let bytes = fs::read(corpus.join(name)).map_err(|e| format!("{name}: {e}"))?;
        write(folder.join(name), &bytes)?;
    }
    Ok(())
}

fn huge_texture(folder: &Path, corpus: Option<&Path>) -> Result<(), String> {
    copy_from_corpus(folder, corpus, &["one_texture_many_names.dpm"])?;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(100 << 20, 0);
    write(folder.join("skin.png"), &png)
}

/// A true-colour picture of run-length packets, each of 128 equal pixels.
fn huge_picture(folder: &Path, corpus: Option<&Path>) -> Result<(), String> {
    copy_from_corpus(folder, corpus, &["tga_400_names.dpm"])?;
    let (width, height) = (8960_u16, 8960_u16);
    let mut tga = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    tga.extend(width.to_le_bytes());
    tga.extend(height.to_le_bytes());
    tga.extend([24, 0]);
    for _ in 0..u32::from(width) * u32::from(height) / 128 {
        tga.extend([0xff, 10, 20, 30]);
    }
    write(folder.join("skin.tga"), &tga)
}

fn shear(folder: &Path, corpus: Option<&Path>) -> Result<(), String> {
    copy_from_corpus(folder, corpus, &["shear_pairs.dpm", "shear_pairs.dpm.framegroups"])
}

fn slow(folder: &Path, corpus: Option<&Path>) -> Result<(), String> {
    copy_from_corpus(folder, corpus, &["optimize_slow.bmd"])
}

fn cut_png(folder: &Path, corpus: Option<&Path>) -> Result<(), String> {
    copy_from_corpus(folder, corpus, &["one_texture_many_names.dpm", "trunc.png"])?;
    fs::rename(folder.join("trunc.png"), folder.join("skin.png")).map_err(|e| e.to_string())
}

fn cut_jpeg(folder: &Path, corpus: Option<&Path>) -> Result<(), String> {
    copy_from_corpus(folder, corpus, &["one_texture_many_names.dpm"])?;
    write(folder.join("skin.jpg"), &[0xff, 0xd8, 0xff])
}

fn controls(folder: &Path, corpus: Option<&Path>) -> Result<(), String> {
    copy_from_corpus(folder, corpus, &["c1.dpm"])
}

fn framegroups(folder: &Path, _: Option<&Path>) -> Result<(), String> {
    let model = meshwright_testkit::testdata().join("dpm/quad.ok.dpm");
    fs::copy(model, folder.join("m.dpm")).map_err(|e| format!("quad.ok.dpm: {e}"))?;
    write(folder.join("m.dpm.framegroups"), &b"0 1 10 1\n".repeat(16_000_000 / 9))
}

/// A block of positions, all of them zero, and no indices.
fn chunk(folder: &Path, _: Option<&Path>) -> Result<(), String> {
    let size = 254 * 1_000_000_u32 / 12 * 12;
    let run = size - 1 - 4 - 15 - 5;
    let mut block = vec![0x1f, 0, 1, 0];
    block.resize(4 + run as usize / 255, 255);
    block.extend([u8::try_from(run % 255).unwrap_or(0), 0x50, 0, 0, 0, 0, 0]);
    let mut file = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0];
    file.extend(u32::try_from(block.len()).unwrap_or(u32::MAX).to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend(block);
    write(folder.join("m.cmesh"), &file)
}

fn temporary(folder: &Path, _: Option<&Path>) -> Result<(), String> {
    let model = meshwright_testkit::testdata().join("dpm/quad.ok.dpm");
    let to = folder.join(".meshwright-abcdef.tmp");
    fs::copy(model, to).map(drop).map_err(|e| format!("quad.ok.dpm: {e}"))
}
