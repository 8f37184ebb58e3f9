//! Runs every command of the program on broken models, companions and images. Shared with the fuzz targets; each runs
//! the program in its own way.

use super::exercise::{self, Subject};
use super::judge;
use meshwright::scene::{Scene, SceneOptions};
use meshwright::{AnyModel, Companions, Format, ReadOptions, ReadSettings, Role, Target};
use meshwright_testkit::mutate::{Rng, mutant};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The memory limit of every command, as for `--max-memory`.
pub(crate) const MEMORY: u64 = 64 << 20;

/// The most images of a case.
const MOST_PICTURES: usize = 8;

/// Sound images of each kind.
const JPEG: &[u8] = include_bytes!("small.jpg");

/// A folder of files, the first of which is a model.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) format: Format,
    /// The files by path in the folder.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// The unbroken file opens without `--lenient`.
    pub(crate) sound: bool,
}

impl Case {
    /// Returns the name of the model.
    pub(crate) fn name(&self) -> &str {
        &self.files[0].0
    }

    /// Creates a case of a file with its companions, and images for its materials.
    pub(crate) fn new(subject: &Subject) -> Self {
        let mut files = vec![(subject.name.clone(), subject.bytes.clone())];
        for (role, bytes) in &subject.companions {
            let beside = subject.format.companions().iter().find(|c| c.role == *role && !c.beside.is_empty());
            let beside = beside.and_then(|c| c.beside.first()).map(|b| b.name(subject.name.as_bytes()));
            let name = beside.and_then(|name| String::from_utf8(name).ok());
            let extension = match role {
                Role::Clips => "framegroups",
                Role::Metadata => "json",
                Role::Skeleton if subject.format == Format::CrucibleMesh => "cskel",
                Role::Skeleton => "skel",
                Role::Animation => "anim",
                Role::Binding => "bnd",
                _ => "bin",
            };
            files.push((name.unwrap_or_else(|| format!("companion.{extension}")), bytes.to_vec()));
        }
        for (i, name) in pictures(subject).into_iter().enumerate() {
            let (extension, bytes) = picture(i);
            files.push((format!("{name}.{extension}"), bytes));
        }
        // Files that name images.
        let stem = subject.name.rsplit_once('.').map_or(&*subject.name, |n| n.0);
        files.push((format!("{stem}_0.skin"), b"body,textures/body\nhead,textures/head.tga\n".to_vec()));
        files.push(("scripts/all.shader".to_owned(), SHADER.to_vec()));
        Self { format: subject.format, files, sound: subject.sound }
    }

    /// Returns the case with one to three of its files broken.
    pub(crate) fn mutant(&self, other: &Self, rng: &mut Rng) -> Self {
        let mut out = self.clone();
        for _ in 0..*rng.pick(&[1, 1, 1, 2, 3]) {
            // The model is chosen as often as all others together.
            let file = if rng.below(2) == 0 { 0 } else { rng.below(out.files.len()) };
            let (name, bytes) = &mut out.files[file];
            let with = &rng.pick(&other.files).1;
            *bytes = mutant(bytes, if with.is_empty() { b"\0" } else { with }, rng);
            if has(name, "png") && rng.below(2) == 0 {
                sign(bytes);
            }
        }
        out
    }

    /// Writes the files into an empty folder.
    fn plant(&self, folder: &Path) -> std::io::Result<()> {
        for (name, bytes) in &self.files {
            let path = folder.join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    /// Lists files of the case that were changed.
    fn changed(&self, folder: &Path) -> Vec<String> {
        // If two files have the same path, the later one was written.
        let last: BTreeMap<_, _> = self.files.iter().map(|(name, bytes)| (name, bytes)).collect();
        let changed =
            last.iter().filter(|(name, bytes)| fs::read(folder.join(name)).ok().as_ref() != Some(bytes));
        changed.map(|(name, _)| format!("{name} was changed")).collect()
    }
}

const SHADER: &[u8] = b"textures/body\n{\n\tcull none\n\t{\n\t\tmap textures/body.tga\n\t\tblendFunc GL_SRC_ALPHA GL_ONE\n\t}\n}\n";

fn has(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == extension)
}

/// Returns paths, without extensions, at which the materials of a model look for images.
fn pictures(subject: &Subject) -> Vec<String> {
    let settings = ReadSettings::from(ReadOptions::default()).attaching(subject.format, &subject.companions);
    let Ok(parsed) = AnyModel::parse_with(&subject.bytes, subject.format, &settings) else {
        return Vec::new();
    };
    let scene: Scene = match parsed.model.to_scene("", &Companions::default(), &SceneOptions::default()) {
        Ok(scene) => scene.value,
        Err(_) => return Vec::new(),
    };
    let named = scene.materials.iter().enumerate().filter_map(|(i, m)| parsed.model.texture(i, &m.name));
    let plain = |name: String| {
        let stem = name.replace('\\', "/");
        let stem = stem.rsplit_once('.').map_or(&*stem, |(stem, _)| stem).to_owned();
        let fits = stem.split('/').all(|part| !part.is_empty() && part != ".." && part.len() < 100);
        (fits && stem.chars().all(|c| c.is_ascii_graphic() || c == ' ')).then_some(stem)
    };
    let mut names: Vec<String> = named.filter_map(plain).collect();
    names.dedup();
    names.truncate(MOST_PICTURES);
    names
}

/// Returns a sound picture, one of each kind in turn.
fn picture(i: usize) -> (&'static str, Vec<u8>) {
    let head = |kind: u8| vec![0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0];
    match i % 5 {
        0 => {
            let mut tga = head(2);
            tga.extend([90; 48]);
            ("tga", tga)
        }
        1 => ("png", png()),
        2 => {
            let mut tga = head(10);
            tga.extend([0x8f, 1, 2, 3]);
            ("tga", tga)
        }
        3 => ("jpg", JPEG.to_vec()),
        _ => {
            let mut bmp = b"BM".to_vec();
            for n in [102_u32, 0, 54, 40, 4, 4, 24 << 16 | 1, 0, 48, 0, 0, 0, 0] {
                bmp.extend(n.to_le_bytes());
            }
            bmp.extend([70; 48]);
            ("bmp", bmp)
        }
    }
}

/// Returns an uncompressed PNG of two by two pixels.
fn png() -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let rows = [0, 1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11, 12_u8];
    let (a, b) = rows.iter().fold((1_u32, 0_u32), |(a, b), x| {
        let a = (a + u32::from(*x)) % 65521;
        (a, (b + a) % 65521)
    });
    let data = [&[0x78, 1, 1, 14, 0, 0xf1, 0xff], &rows[..], &(b << 16 | a).to_be_bytes()].concat();
    let head = [0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0];
    for (kind, data) in [(b"IHDR", &head[..]), (b"IDAT", &data), (b"IEND", &[])] {
        out.extend(u32::try_from(data.len()).unwrap_or(0).to_be_bytes());
        out.extend([kind, data, &[0; 4]].concat());
    }
    sign(&mut out);
    out
}

/// Corrects the checksums of a PNG's chunks, so that decoders read the broken content.
fn sign(png: &mut [u8]) {
    let mut at = 8;
    while let Some(size) = png.get(at..at + 4) {
        let size = size.iter().fold(0_usize, |n, b| n << 8 | usize::from(*b));
        let end = at.saturating_add(8).saturating_add(size);
        let Some(covered) = png.get(at + 4..end) else { return };
        let sum = judge::crc(covered).to_be_bytes();
        let Some(place) = png.get_mut(end..end + 4) else { return };
        place.copy_from_slice(&sum);
        at = end + 4;
    }
}

/// Returns every model below some folders, with its companions and images.
pub(crate) fn cases(folders: &[PathBuf]) -> Vec<Case> {
    let subjects = folders.iter().flat_map(|folder| exercise::subjects(folder));
    subjects.filter(|s| s.bytes.len() <= 1 << 20).map(|s| Case::new(&s)).collect()
}

/// Returns the mutant with a number, and the generator for its commands.
pub(crate) fn numbered(cases: &[Case], number: u64) -> (Case, Rng) {
    let mut rng = Rng::new(number.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5bd1);
    let mut drawn = [0; 4].map(|_| rng.pick(cases));
    drawn.sort_by_key(|case| (!case.sound, case.files[0].1.len()));
    let other = rng.pick(cases).clone();
    let case = drawn[rng.below(2)].mutant(&other, &mut rng);
    (case, rng)
}

/// The result of one command.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    /// `None` if it panicked or a signal ended it.
    pub(crate) code: Option<i32>,
    /// The message of a panic.
    pub(crate) said: String,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
    /// The time that it took.
    pub(crate) time: Duration,
    /// The most resident bytes.
    pub(crate) peak: u64,
}

/// The cost of a command.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    pub(crate) words: String,
    pub(crate) code: i32,
    pub(crate) time: Duration,
    pub(crate) peak: u64,
}

/// The result of a case.
#[derive(Debug, Default)]
pub(crate) struct Tried {
    pub(crate) costs: Vec<Cost>,
    /// The broken promises, each after the words of its command.
    pub(crate) broken: Vec<String>,
}

/// Runs every command on one case in a folder, which is created and removed. `program` runs a command line.
pub(crate) fn attempt(
    case: &Case,
    rng: &mut Rng,
    folder: &Path,
    program: &mut dyn FnMut(&[OsString]) -> Ran,
) -> std::io::Result<Tried> {
    let _ = fs::remove_dir_all(folder);
    let out = folder.join("out");
    fs::create_dir_all(folder.join("in"))?;
    case.plant(&folder.join("in"))?;
    let mut tried = Tried::default();
    for command in commands(case, rng) {
        let _ = fs::remove_dir_all(&out);
        fs::create_dir_all(&out)?;
        let words = command.resolved(folder);
        let ran = program(&words);
        let said: Vec<_> = words.iter().skip(1).map(|w| w.to_string_lossy()).collect();
        let said = said.join(" ").replace(&*folder.to_string_lossy(), "");
        let mut wrong = command.judged(&ran, &out);
        wrong.extend(case.changed(&folder.join("in")));
        tried.broken.extend(wrong.into_iter().map(|why| format!("{said}: {why}")));
        tried.costs.push(Cost { words: said, code: ran.code.unwrap_or(-1), time: ran.time, peak: ran.peak });
    }
    fs::remove_dir_all(folder)?;
    Ok(tried)
}

/// One command line, with paths in the folder of the case.
struct Command {
    words: Vec<String>,
    /// Files in `in/`, after the words.
    inputs: Vec<String>,
    /// The output in `out/`.
    output: Option<String>,
}

impl Command {
    fn resolved(&self, folder: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["meshwright".into()];
        words.extend(self.words.iter().map(|word| match word.split_once('/') {
            Some(("in" | "out", _)) => folder.join(word).into(),
            _ => word.into(),
        }));
        if let Some(output) = &self.output {
            words.extend(["-o".into(), folder.join("out").join(output).into_os_string()]);
        }
        words.extend(self.inputs.iter().map(|input| folder.join("in").join(input).into_os_string()));
        words
    }

    /// Lists the promises that the run broke.
    fn judged(&self, ran: &Ran, out: &Path) -> Vec<String> {
        let mut wrong = Vec::new();
        match ran.code {
            Some(0..=3) => {}
            Some(code) => wrong.push(format!("exit {code}")),
            None => wrong.push(format!("no exit: {}", ran.said)),
        }
        let verb = self.words.first().map_or("", String::as_str);
        let messages = judge::printed(&ran.err).or_else(|| judge::long_lines(&ran.err));
        wrong.extend(messages.map(|why| format!("standard error: {why}")));
        wrong.extend(judge::printed(&ran.out).map(|why| format!("standard output: {why}")));
        let json = self.words.iter().any(|w| w == "--format=json");
        let dumped = verb == "dump" && self.output.is_none() && ran.code == Some(0);
        if (json || dumped)
            && !ran.out.is_empty()
            && serde_json::from_slice::<serde_json::Value>(&ran.out).is_err()
        {
            wrong.push("standard output is no JSON document".to_owned());
        }
        let left: Vec<_> = files_below(out);
        if let Some(file) = left.iter().find(|f| f.to_string_lossy().contains(".meshwright-")) {
            wrong.push(format!("{} was left", file.display()));
        }
        if self.output.is_some() {
            match (ran.code, left.is_empty()) {
                (Some(0), true) => wrong.push("nothing was written".to_owned()),
                (Some(1..=3), false) if self.inputs != ["."] => {
                    wrong.push("an output in spite of an error".to_owned());
                }
                _ => {}
            }
        }
        for file in left {
            let Ok(bytes) = fs::read(&file) else { continue };
            match file.extension().and_then(|e| e.to_str()) {
                Some("glb") => wrong.extend(judge::glb(&bytes)),
                Some("png") => {
                    wrong.extend(judge::half(&bytes).map(|why| format!("{} {why}", file.display())));
                }
                Some("html") => wrong.extend(judge::page(&bytes)),
                Some("gltf" | "json") if serde_json::from_slice::<serde_json::Value>(&bytes).is_err() => {
                    wrong.push(format!("{} is no JSON", file.display()));
                }
                _ => {}
            }
        }
        wrong
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut open, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                open.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files
}

/// Returns the commands that render a model, and the requests of a browser that shows it.
fn looked_at() -> [(&'static [&'static str], Option<&'static str>); 5] {
    [
        (&["render", "--size=48", "--overlay=bones,names,wireframe,normals,bounds"], Some("m.png")),
        (&["render", "--size=32x24", "--turntable=3", "--view=uv"], Some("m.png")),
        (&["render", "--size=24", "--clip=0", "--strip=3", "--camera=back"], Some("m.png")),
        (&["convert", "--textures"], Some("m.html")),
        (
            &[
                "view",
                "--answer=models",
                "--answer=model/0",
                "--answer=model/0.glb",
                "--answer=thumb/0.png",
                "--answer=stamp/0",
            ],
            None,
        ),
    ]
}

/// Returns the commands for a case: four always, the others in turn.
fn commands(case: &Case, rng: &mut Rng) -> Vec<Command> {
    let extension = case.format.extensions().first().copied().unwrap_or("bin");
    let made = |words: &[&str], output: Option<&str>| Command {
        words: words.iter().map(|w| (*w).to_owned()).collect(),
        inputs: vec![case.name().to_owned()],
        output: output.map(str::to_owned),
    };
    let mut chosen = vec![
        made(&["info"], None),
        made(&["check"], None),
        made(&["dump"], None),
        made(&["convert", "--textures"], Some("m.glb")),
    ];
    let native = *rng.pick(Format::ALL);
    let to = format!("--to={}", Target::from(native));
    let mut more = vec![
        made(&["info", "--format=json"], None),
        made(&["check", "--format=json", "--deny-warnings"], None),
        made(&["info", "--format=jsonl"], None),
        made(&["check", "--format=sarif", "--all"], None),
        made(&["repair", "--dry-run"], None),
        Command {
            inputs: vec![case.name().to_owned(); 2],
            ..made(&["diff", "--picture", "out/m.png"], None)
        },
        made(&["dump", "--pose", "0:0", "--pose", ":1"], Some("m.json")),
        made(&["convert", "--textures", "--extras", "--close-loops"], Some("m.gltf")),
        made(&["convert", "--pose", "0:0"], Some("m.obj")),
        made(&["convert", "--influences=all", "--format=json"], Some("m.glb")),
        made(&["convert", &to], Some("m.bin")),
        made(&["convert", &format!("--to={}", Target::from(case.format))], Some(&format!("m.{extension}"))),
    ];
    more.extend(looked_at().map(|(words, output)| made(words, output)));
    if case.format == Format::Bmd {
        let angle = *rng.pick(&["0", "1", "30"]);
        let position = *rng.pick(&["0", "0.01", "5"]);
        let words =
            ["optimize", "--max-angle", angle, "--max-distance", position, "--max-position", position];
        chosen.push(made(&words, Some("m.bmd")));
    }
    // Whatever is in the folder.
    let mut whole = made(&["convert", "--textures"], Some("all/"));
    whole.inputs = vec![".".to_owned()];
    more.push(whole);
    let mut sheet = made(&["render", "--sheet", "--size=24"], Some("sheet.png"));
    sheet.inputs = vec![".".to_owned()];
    more.push(sheet);
    for _ in 0..2 {
        chosen.push(more.swap_remove(rng.below(more.len())));
    }
    for command in &mut chosen {
        flavoured(case, command, rng);
    }
    chosen
}

/// Options that every command takes.
fn flavoured(case: &Case, command: &mut Command, rng: &mut Rng) {
    let verb = command.words[0].clone();
    let memory = *rng.pick(&["64M", "64M", "64M", "64M", "1M", "100K"]);
    command.words.push(format!("--max-memory={memory}"));
    if rng.below(3) == 0 {
        command.words.push("--lenient".to_owned());
    }
    if rng.below(8) == 0 {
        command.words.push("--no-companions".to_owned());
    }
    if rng.below(4) == 0 {
        command.words.push(format!("--as={}", case.format.id()));
    }
    if matches!(verb.as_str(), "info" | "optimize" | "repair") || rng.below(2) == 0 {
        return;
    }
    for (option, extension) in [
        ("--skeleton", "skel"),
        ("--skeleton", "cskel"),
        ("--anim", "anim"),
        ("--binding", "bnd"),
        ("--framegroups", "framegroups"),
    ] {
        let found = case.files.iter().skip(1).find(|(name, _)| has(name, extension));
        if let Some((name, _)) = found {
            command.words.extend([option.to_owned(), format!("in/{name}")]);
        }
    }
}
