//! Runs every operation on a hostile file. Shared with the fuzz targets.

use meshwright::dump::{Dump, DumpOptions};
use meshwright::gltf::{self, playback::Player};
use meshwright::rig::Evaluator;
use meshwright::scene::{ConvertError, OutputFiles, Scene, SceneOptions, Space, obj};
use meshwright::{
    AnyModel, Companions, Dialect, ErrorClass, Format, Limits, ReadOptions, ReadSettings, Role, Target,
    WriteOptions, convert, detect,
};
use meshwright_testkit::laws;
use meshwright_testkit::mutate::{Rng, mutant};
use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The memory limit of every step.
pub(crate) const MEMORY: u64 = 64 << 20;

/// A file with its companion files.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    pub(crate) companions: Vec<(Role, Arc<[u8]>)>,
    /// True if it opens strictly before it is broken.
    pub(crate) sound: bool,
}

/// The separator between the files of a [joined](Subject::joined) subject, before the number of the next one's kind.
const SEPARATOR: &[u8] = b"\xffNEXT\xff";

const ROLES: [Role; 5] = [Role::Clips, Role::Metadata, Role::Skeleton, Role::Animation, Role::Binding];

impl Subject {
    /// Returns the file and its companions as one byte string for a fuzzer.
    #[allow(dead_code, reason = "of use to fuzzers and their seeds")]
    pub(crate) fn joined(&self) -> Vec<u8> {
        let mut out = self.bytes.clone();
        for (kind, bytes) in &self.companions {
            let number = ROLES.iter().zip(0..).find(|(k, _)| *k == kind).unwrap().1;
            out.extend([SEPARATOR, &[number], &**bytes].concat());
        }
        out
    }

    /// Splits a joined subject; any bytes are valid.
    #[allow(dead_code, reason = "of use to fuzzers and their seeds")]
    pub(crate) fn split(format: Format, bytes: &[u8]) -> Self {
        let mut parts = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.windows(SEPARATOR.len()).position(|w| w == SEPARATOR) {
            parts.push(&rest[..end]);
            rest = &rest[end + SEPARATOR.len()..];
        }
        parts.push(rest);
        let companion = |part: &&[u8]| {
            let (number, bytes) = part.split_first()?;
            Some((ROLES[usize::from(*number) % ROLES.len()], bytes.into()))
        };
        Self {
            name: format!("model.{}", format.extensions()[0]),
            format,
            bytes: parts[0].to_vec(),
            companions: parts[1..].iter().filter_map(companion).collect(),
            sound: false,
        }
    }

    /// Returns the subject with its file or, sometimes, one of its companions broken.
    pub(crate) fn mutant(&self, other: &Self, rng: &mut Rng) -> Self {
        let mut out = self.clone();
        match out.companions.len() {
            n if n > 0 && rng.below(3) == 0 => {
                let companion = rng.below(n);
                let bytes = &mut out.companions[companion].1;
                *bytes = mutant(bytes, &other.bytes, rng).into();
            }
            _ => out.bytes = mutant(&out.bytes, &other.bytes, rng),
        }
        out
    }
}

/// The progress of a file: the last of these steps that did not reject it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reached {
    Refused,
    Lenient,
    Strict,
    Scene,
}

fn conversion(e: &ConvertError) {
    laws::one_line(&e.to_string());
}

/// Returns every step. Panics when a promise is broken.
pub(crate) fn run(subject: &Subject) -> Reached {
    let bytes = &*subject.bytes;
    if let Some(found) = detect(bytes, Some(&subject.name)) {
        assert!(Format::ALL.contains(&found.format));
    }
    let _ = detect(bytes, None);
    obeys(subject);
    let mut reached = Reached::Refused;
    for lenient in [false, true] {
        let read = if lenient { ReadOptions::lenient() } else { ReadOptions::default() };
        let read = read.with_limits(Limits::default().with_memory(MEMORY));
        let settings = ReadSettings::from(read).attaching(subject.format, &subject.companions);
        let mut companions = Companions::default();
        for (role, companion) in &subject.companions {
            if let Err(e) = companions.add(subject.format, *role, role.name(), companion, &read.into()) {
                laws::refusal(&e, companion.len());
            }
        }
        let Ok(parsed) = AnyModel::parse_with(bytes, subject.format, &settings) else { continue };
        let model = parsed.model;
        for f in model.validate_with(&companions).findings() {
            laws::one_line(&f.to_string());
        }
        let _ = (model.summary(), model.summary_with(&companions));
        reached = reached.max(if lenient { Reached::Lenient } else { Reached::Strict });
        if lenient && reached == Reached::Scene && parsed.forgiven.is_empty() {
            // The same model again.
            continue;
        }
        if scenes(&model, &companions, bytes) {
            reached = Reached::Scene;
        }
    }
    reached
}

/// Reads strictly and leniently; a file that opens is written and read again.
fn obeys(subject: &Subject) {
    let open = |bytes: &[u8], read: &ReadOptions| {
        let read = read.with_limits(Limits::default().with_memory(MEMORY));
        let settings = ReadSettings::from(read).attaching(subject.format, &subject.companions);
        AnyModel::parse_with(bytes, subject.format, &settings)
    };
    laws::answer(&subject.bytes, subject.bytes.len(), open, AnyModel::validate, AnyModel::to_bytes);
}

/// Converts the model to a scene in both spaces, and runs every operation on scenes.
fn scenes(model: &AnyModel, companions: &Companions, bytes: &[u8]) -> bool {
    let mut made = false;
    for space in [Space::Gltf, Space::File] {
        let options = SceneOptions::in_space(space).with_extras(true).with_memory(MEMORY);
        let scene = match model.to_scene("model", companions, &options) {
            Ok(scene) => scene,
            Err(e) => {
                conversion(&e);
                continue;
            }
        };
        for loss in &scene.losses {
            laws::one_line(&loss.path);
            laws::one_line(&loss.message);
        }
        let scene = scene.value;
        scene.validate().unwrap_or_else(|e| panic!("the scene in {space:?} is broken: {e}"));
        if space == Space::Gltf {
            used(&scene);
        } else {
            posed(&scene);
        }
        made = true;
    }
    match Dump::new(model, companions, "mutant", bytes, &DumpOptions::default().with_memory(MEMORY)) {
        Ok(dump) => assert!(dump.to_json().len() > 2, "an empty dump"),
        Err(e) => match e.source().and_then(|e| e.downcast_ref()) {
            Some(e) => conversion(e),
            None => panic!("a scene that cannot be dumped: {e}"),
        },
    }
    made
}

/// Runs every operation on a scene.
pub(crate) fn used(scene: &Scene) {
    posed(scene);
    exported(scene);
    converted(scene);
}

/// Poses a scene at rest, and at the first, a middle, the last and an impossible frame of some clips.
fn posed(scene: &Scene) {
    let mut evaluator = Evaluator::new(scene).unwrap_or_else(|e| panic!("cannot be posed: {e}"));
    let clips = (0..scene.clips.len()).take(2).chain(scene.clips.len().checked_sub(1));
    let at = clips.flat_map(|c| {
        let last = f64::from(scene.clips[c].frames) - 1.0;
        [0.0, last / 2.0 + 0.25, last, last + 1.0e10, -1.0, f64::NAN].map(|f| Some((c, f)))
    });
    for at in std::iter::once(None).chain(at) {
        match evaluator.pose(at) {
            Ok(()) => {
                let meshes = evaluator.meshes().unwrap_or_else(|e| panic!("not evaluated at {at:?}: {e}"));
                for (posed, mesh) in meshes.iter().zip(&scene.meshes) {
                    assert_eq!(posed.positions.len(), mesh.positions.len());
                }
            }
            Err(e) => laws::one_line(&e.to_string()),
        }
    }
}

fn exported(scene: &Scene) {
    for influences in [gltf::Influences::Four, gltf::Influences::All] {
        let options = gltf::ExportOptions::default()
            .with_memory(MEMORY)
            .with_influences(influences)
            .with_close_loops(influences == gltf::Influences::All);
        match gltf::export(scene, &options) {
            Ok(made) => {
                let glb = made.value.to_glb();
                documents(&glb);
                match Player::with_memory(&glb, 16 * MEMORY) {
                    Ok(player) => {
                        for (animation, time) in
                            [(None, 0.0), (Some(0), 0.0), (Some(0), 0.7), (Some(9), 1e30)]
                        {
                            let drawn = player.evaluate(animation, time);
                            assert!(drawn.len() >= made.value.mesh_sources().len().min(drawn.len()));
                        }
                    }
                    Err(e) => panic!("the exported GLB does not play: {e}"),
                }
            }
            Err(e) => conversion(&e),
        }
    }
    let mut options = obj::ObjOptions::with_mtl("model.mtl");
    options.memory = MEMORY;
    match obj::write(scene, None, &options) {
        Ok(_) => {}
        Err(e) => conversion(&e),
    }
}

/// Returns a GLB unchanged; other bytes become the JSON of a GLB, and the bytes after the first zero byte its binary
/// chunk.
#[allow(dead_code, reason = "of use to fuzzers")]
pub(crate) fn as_glb(bytes: &[u8]) -> Vec<u8> {
    if bytes.starts_with(b"glTF") {
        return bytes.to_vec();
    }
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let mut json = bytes[..end].to_vec();
    json.resize(end.next_multiple_of(4), b' ');
    let mut bin = bytes.get(end + 1..).unwrap_or_default().to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let word = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
    let mut glb = [b"glTF".as_slice(), &[2, 0, 0, 0], &word(28 + json.len() + bin.len())].concat();
    glb.extend([&word(json.len())[..], b"JSON", &json, &word(bin.len()), b"BIN\0", &bin].concat());
    glb
}

/// Returns the exported document of a model: its JSON, a zero byte, its buffer.
#[allow(dead_code, reason = "of use to fuzzers")]
pub(crate) fn as_document(subject: &Subject) -> Option<Vec<u8>> {
    let settings = ReadSettings::default().attaching(subject.format, &subject.companions);
    let model = AnyModel::parse_with(&subject.bytes, subject.format, &settings).ok()?.model;
    let scene = model.to_scene("", &Companions::default(), &SceneOptions::default()).ok()?.value;
    let glb = gltf::export(&scene, &gltf::ExportOptions::default()).ok()?.value.to_glb();
    let (json, bin) = chunks(&glb)?;
    Some([json, &[0], bin].concat())
}

/// Returns the two chunks of a sound GLB.
fn chunks(glb: &[u8]) -> Option<(&[u8], &[u8])> {
    let size = glb.get(12..16)?.iter().rev().fold(0_usize, |n, b| n << 8 | usize::from(*b));
    Some((glb.get(20..20 + size)?, glb.get(28 + size..).unwrap_or_default()))
}

/// Plays a document; a refusal is one line.
pub(crate) fn document(glb: &[u8]) {
    match Player::with_memory(glb, MEMORY) {
        Ok(player) => {
            for (animation, time) in [(None, 0.0), (Some(0), 0.4), (Some(1), -1.0), (Some(0), f32::INFINITY)]
            {
                drop(player.evaluate(animation, time));
            }
        }
        Err(e) => laws::one_line(&e.to_string()),
    }
}

/// Plays a GLB with a broken JSON, buffer or container.
fn documents(glb: &[u8]) {
    let seed = glb.iter().fold(glb.len() as u64, |seed, b| seed.rotate_left(7) ^ u64::from(*b));
    let mut rng = Rng::new(seed);
    document(&mutant(glb, glb, &mut rng));
    // The frame stays right, so that what is in it is looked at.
    let Some((json, bin)) = chunks(glb) else { return };
    for _ in 0..2 {
        let json = mutant(json, json, &mut rng);
        let end = json.iter().position(|b| *b == 0).unwrap_or(json.len());
        document(&as_glb(&[&json[..end], &[0], bin].concat()));
    }
}

/// Converts the scene to every kind of file and reads each result strictly.
fn converted(scene: &Scene) {
    for target in Target::all().filter(|t| matches!(t, Target::Native(_))) {
        let choices = match target {
            Target::Native(format) => format.values("dialect"),
            _ => &[],
        };
        for dialect in
            choices.iter().map(|d| Some(d.parse().unwrap())).chain(choices.is_empty().then_some(None))
        {
            let options = WriteOptions::default().with_limits(Limits::default().with_memory(MEMORY));
            let options = options.with_dialect(dialect);
            match convert(scene, target, &options) {
                Ok(made) => readable(target, dialect, &made.value),
                Err(e) => conversion(&e),
            }
        }
    }
}

fn readable(target: Target, dialect: Option<Dialect>, files: &OutputFiles) {
    let roles = |format: Format| format.companions().iter().filter(|c| c.part_of_reading);
    let picture = |name: &str| [".png", ".jpg", ".bmp"].iter().any(|end| name.ends_with(end));
    for file in files.iter().filter(|file| !picture(&file.name)) {
        let format = Format::from_name(&file.name).unwrap_or_else(|| panic!("{target}: {}", file.name));
        let mut settings = ReadSettings::default();
        settings.dialect = dialect;
        for companion in roles(format) {
            let names =
                companion.beside.iter().map(|b| String::from_utf8(b.name(file.name.as_bytes())).unwrap());
            if let Some(bytes) = names.filter_map(|name| files.get(&name)).next() {
                settings = settings.with_companion(companion.role, bytes);
            }
        }
        if let Err(e) = AnyModel::parse_with(&file.bytes, format, &settings) {
            let limit = matches!(e.class(), ErrorClass::Limit { .. });
            assert!(limit, "{target}: {} is made of a scene and not read: {e}", file.name);
        }
    }
}

/// Returns all files below a folder that this build reads, in order of their names, each with its companion files.
pub(crate) fn subjects(dir: &Path) -> Vec<Subject> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for path in fs::read_dir(&dir).into_iter().flatten().map(|e| e.unwrap().path()) {
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files.iter().filter_map(|path| subject(path, &files)).collect()
}

fn subject(path: &Path, files: &[PathBuf]) -> Option<Subject> {
    let name = path.file_name()?.to_str()?.to_owned();
    let bytes = fs::read(path).unwrap();
    let format = detect(&bytes, Some(&name))?.format;
    Format::from_name(&name)?;
    let mut companions = Vec::new();
    let lies_beside = |role: Role, name: Vec<u8>| {
        let bytes = fs::read(path.with_file_name(String::from_utf8(name).unwrap())).ok()?;
        Some((role, bytes.into()))
    };
    for companion in format.companions() {
        let names = companion.beside.iter().map(|beside| beside.name(name.as_bytes()));
        companions.extend(names.filter_map(|name| lies_beside(companion.role, name)).take(1));
    }
    let beside = |extension: &str, most: usize| -> Vec<Arc<[u8]>> {
        let here = files.iter().filter(|f| f.parent() == path.parent());
        let found = here.filter(|f| f.extension().is_some_and(|e| e == extension));
        found.take(most).map(|f| fs::read(f).unwrap().into()).collect()
    };
    match format {
        Format::TsoMesh | Format::TsoAnimation | Format::TsoSkeleton => {
            companions.extend(beside("skel", 1).into_iter().map(|b| (Role::Skeleton, b)));
            companions.extend(beside("anim", 1).into_iter().map(|b| (Role::Animation, b)));
            companions.extend(beside("bnd", 1).into_iter().map(|b| (Role::Binding, b)));
        }
        _ => {}
    }
    let settings = ReadSettings::default().attaching(format, &companions);
    let sound = AnyModel::parse_with(&bytes, format, &settings).is_ok();
    Some(Subject { name, format, bytes, companions, sound })
}

/// Returns the mutant with a number: the number selects the subject and its change.
pub(crate) fn numbered(subjects: &[Subject], number: u64) -> Subject {
    let mut rng = Rng::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // From several random choices, prefers a sound and a small one: broken files mostly fail at the same field again,
    // and small ones break in more ways per second.
    let mut drawn = [0; 4].map(|_| rng.pick(subjects));
    drawn.sort_by_key(|s| (!s.sound, s.bytes.len()));
    let other = rng.pick(subjects).clone();
    drawn[rng.below(2)].mutant(&other, &mut rng)
}
