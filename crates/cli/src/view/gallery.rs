//! The data of the page: the list of models, each model as GLB and as an image, and dropped files.

use super::request::Answer;
use super::server::Site;
use crate::input::{Input, Met};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::render;
use meshwright::files::TreePath;
use meshwright::page::{self, Assembly, Page};
use meshwright::scene::{Converted, Scene};
use meshwright::{Error, ErrorKind, Finder, Format, Model, Role, Target};
use serde_json::{Value, json};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// The most models in the list.
const MOST_MODELS: usize = 20_000;
/// The most files that can be dropped at the same time.
const MOST_FILES: usize = 4096;
/// The size of a thumbnail in pixels.
const THUMB: u32 = 96;

/// A model in the list.
#[derive(Debug)]
struct Entry {
    input: Input,
    name: String,
    /// The files of the model, to detect changes.
    paths: Mutex<Vec<PathBuf>>,
    /// The files that a person chose for the model.
    assembly: Mutex<Assembly>,
    /// The error of a dropped file that cannot be read.
    refused: Option<Error>,
}

/// All models of the page.
pub(super) struct Gallery {
    reader: RwLock<Reader>,
    page: Page,
    entries: Mutex<Vec<Arc<Entry>>>,
    /// The trees of all drops, the last first.
    finders: Mutex<Vec<Finder>>,
    /// The bytes that dropped files may still use.
    room: Mutex<u64>,
    /// Held while a model is processed: one at a time, so that a page cannot use more memory than one command.
    turn: Mutex<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the name of a model in the list.
pub(super) fn name_of(input: &Input) -> String {
    input.below.as_deref().map_or_else(|| input.name(), render::exact)
}

/// The facts about a model, or its error, and what the page shows of it.
pub(super) struct Pictured {
    pub about: Value,
    pub glb: Option<Vec<u8>>,
    pub thumbnail: Option<Vec<u8>>,
    pub clips: Vec<String>,
}

/// Opens a model and makes all that a page of it shows.
pub(super) fn thumbnail_and_facts(reader: &Reader, input: &Input, name: &str, size: u32) -> Pictured {
    let made = scene_of(reader.open(input)).and_then(|(opened, scene)| {
        reader.note(opened.sources());
        let glb = page::glb(&scene.value, reader.limits())?;
        let clips = scene.value.clips.iter().map(|clip| clip.name.clone()).collect();
        let thumbnail = meshwright::thumbnail(&scene.value, size, reader.limits()).ok();
        let about = page::about(&opened, &scene.value, name);
        Ok(Pictured { about, glb: Some(glb), thumbnail, clips })
    });
    made.unwrap_or_else(|refusal| Pictured {
        about: failure(name, &refusal),
        glb: None,
        thumbnail: None,
        clips: Vec::new(),
    })
}

fn scene_of(opened: Result<Model, Refusal>) -> Result<(Model, Converted<Scene>), Refusal> {
    let mut opened = opened?;
    let scene = page::textured_scene(&mut opened)?;
    Ok((opened, scene))
}

/// Returns the facts about a model that cannot be shown.
fn failure(name: &str, refusal: &Refusal) -> Value {
    let error = refusal.json();
    let part = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let offset = error.get("offset").and_then(Value::as_u64);
    let facts = page::failure_facts(name, part("code"), part("path"), offset, part("message"));
    if refusal.is_limit() { page::limited(facts) } else { facts }
}

/// Returns the refusal for an error of a rendering or a saved file.
fn rendering_refusal(e: Error) -> Refusal {
    let why = e.message().to_owned();
    if e.kind() == ErrorKind::Limit { Refusal::Cannot { code: "limit", why } } else { Refusal::Argument(why) }
}

fn entry(input: Input, refused: Option<Error>) -> Arc<Entry> {
    let name = name_of(&input);
    let paths = Mutex::new(vec![input.container()]);
    Arc::new(Entry { input, name, paths, assembly: Mutex::default(), refused })
}

impl Gallery {
    pub(super) fn new(reader: Reader, inputs: Vec<Input>) -> Self {
        let entries = inputs.into_iter().take(MOST_MODELS).map(|input| entry(input, None)).collect();
        let room = reader.limits().memory;
        Self {
            reader: RwLock::new(reader),
            page: Page::served("Meshwright"),
            entries: Mutex::new(entries),
            finders: Mutex::default(),
            room: Mutex::new(room),
            turn: Mutex::new(()),
        }
    }

    fn reader(&self) -> RwLockReadGuard<'_, Reader> {
        self.reader.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn scene(&self, entry: &Entry) -> Result<(Model, Converted<Scene>), Refusal> {
        let (opened, scene) = scene_of(self.open(entry))?;
        *lock(&entry.paths) = opened.sources().collect();
        Ok((opened, scene))
    }

    /// Returns the trees that hold files for a model: its own, and those of all drops.
    fn finders(&self, entry: &Entry) -> Vec<Finder> {
        let own = self.reader().finder_of(&entry.input);
        own.into_iter().chain(lock(&self.finders).iter().cloned()).collect()
    }

    fn open(&self, entry: &Entry) -> Result<Model, Refusal> {
        let own = lock(&entry.assembly).clone();
        if own == Assembly::default() {
            return self.reader().open(&entry.input);
        }
        let options = own.options(self.reader().options(), &self.finders(entry))?;
        self.reader().open_like(&entry.input, options)
    }

    /// Returns what a person can choose for a model. The format is that of its name, so that a model that cannot be
    /// opened can be completed too.
    fn choices(&self, entry: &Entry) -> Value {
        let met = entry.input.met.as_ref().and_then(|met| met.format);
        let format = met.or_else(|| Format::from_name(&entry.input.name()));
        match format.filter(|format| format.takes(Role::Skeleton)) {
            Some(format) => lock(&entry.assembly).choices(format, &self.finders(entry)),
            None => json!([]),
        }
    }

    /// Returns the properties of a model, or its error, for the page.
    fn about(&self, entry: &Entry) -> Value {
        let _turn = lock(&self.turn);
        // The limit may be larger since.
        let refused = entry.refused.as_ref().filter(|why| why.kind() != ErrorKind::Limit);
        let mut about = match (refused, self.scene(entry)) {
            (Some(why), _) => {
                page::failure_facts(&entry.name, why.code(), why.path(), why.offset(), why.message())
            }
            (None, Ok((opened, scene))) => page::about(&opened, &scene.value, &entry.name),
            (None, Err(refusal)) => failure(&entry.name, &refusal),
        };
        if let Value::Object(about) = &mut about {
            about.insert("stamp".into(), stamp(entry).into());
            about.insert("parts".into(), self.choices(entry));
        }
        about
    }

    fn glb(&self, entry: &Entry) -> Result<Vec<u8>, Refusal> {
        let _turn = lock(&self.turn);
        let (_, scene) = self.scene(entry)?;
        Ok(page::glb(&scene.value, self.reader().limits())?)
    }

    fn thumb(&self, entry: &Entry) -> Result<Vec<u8>, Refusal> {
        let _turn = lock(&self.turn);
        let (_, scene) = self.scene(entry)?;
        meshwright::thumbnail(&scene.value, THUMB, self.reader().limits()).map_err(rendering_refusal)
    }

    fn saved(&self, entry: &Entry, target: Target) -> Result<Vec<u8>, Refusal> {
        let _turn = lock(&self.turn);
        let opened = self.open(entry)?;
        page::saved(opened, target).map_err(rendering_refusal)
    }

    fn list(&self) -> Value {
        let entries = lock(&self.entries);
        let models = entries.iter().enumerate().map(|(id, entry)| json!({ "id": id, "name": entry.name }));
        json!({ "models": models.collect::<Vec<_>>(), "limit": self.reader().limits().memory })
    }

    fn find(&self, id: &str) -> Option<Arc<Entry>> {
        let number = id.parse::<usize>().ok().filter(|_| id.bytes().all(|b| b.is_ascii_digit()))?;
        lock(&self.entries).get(number).cloned()
    }

    /// Adds the models among dropped files.
    fn add(&self, body: &[u8]) -> Result<Value, Answer> {
        let broken = || Answer::error(400, "the body is not a list of files");
        let named = files(body).ok_or_else(broken)?;
        let taken: u64 = named.iter().map(|(_, bytes)| bytes.len() as u64).fold(0, u64::saturating_add);
        {
            let mut room = lock(&self.room);
            let left = room.checked_sub(taken);
            *room = left.ok_or_else(|| Answer::error(413, "no memory for more files"))?;
        }
        let found = page::dropped(
            named.into_iter().map(|(name, bytes)| (name, bytes.to_vec())),
            self.reader().limits(),
        );
        let found = found.map_err(|_| broken())?;
        let mut joined = false;
        for entry in lock(&self.entries).iter_mut() {
            let Some(met) = &entry.input.met else { continue };
            // Files of a disk find their companions on the disk.
            let dropped = met.finder.tree().os_path(&met.path).is_none();
            if let Some(finder) = found.join(&met.finder).filter(|_| dropped) {
                let mut input = entry.input.clone();
                input.met = Some(Met { finder, ..met.clone() });
                *entry = self::entry(input, entry.refused.clone());
                joined = true;
            }
        }
        lock(&self.finders).splice(0..0, found.finders);
        let mut ids = Vec::new();
        for one in found.models {
            let (format, refused) =
                one.found.map_or_else(|why| (None, Some(why)), |format| (Some(format), None));
            let met = Some(Met { finder: one.finder, path: one.path, format });
            let input = Input { path: PathBuf::from(one.name), below: None, met };
            let mut entries = lock(&self.entries);
            if entries.len() < MOST_MODELS {
                ids.push(entries.len());
                entries.push(entry(input, refused));
            }
        }
        Ok(json!({ "ids": ids, "joined": joined }))
    }

    /// Sets the memory limit of one file with its results. Dropped files may use as many bytes more.
    fn set_limit(&self, body: &[u8]) -> Result<Value, Answer> {
        let number = str::from_utf8(body).ok().and_then(|text| text.parse::<u64>().ok());
        let limit = number.ok_or_else(|| Answer::error(400, "the body is not a number of bytes"))?;
        let mut reader = self.reader.write().unwrap_or_else(PoisonError::into_inner);
        let mut room = lock(&self.room);
        *room = room.saturating_add(limit.saturating_sub(reader.limits().memory));
        reader.set_memory(limit);
        Ok(json!({}))
    }

    /// Stores what a person chose for a model.
    fn assemble(&self, id: &str, body: &[u8]) -> Result<Value, Answer> {
        let entry = self.find(id).ok_or_else(|| Answer::error(404, "not found"))?;
        let parts = serde_json::from_slice(body).map_err(|_| Answer::error(400, "the body is not JSON"))?;
        *lock(&entry.assembly) = Assembly::from_json(&parts);
        Ok(json!({}))
    }
}

/// Parses dropped files, one after another: the lengths of the name and the content in 32 bits each, the name, the
/// content.
fn files(mut rest: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let mut files = Vec::new();
    while !rest.is_empty() {
        let (head, after) = rest.split_first_chunk::<8>()?;
        let [a, b, c, d, e, f, g, h] = *head;
        let (name, content) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        let (name, after) = after.split_at_checked(usize::try_from(name).ok()?)?;
        let (content, after) = after.split_at_checked(usize::try_from(content).ok()?)?;
        let name = std::str::from_utf8(name).ok()?;
        // A path that leads out of the folder is refused.
        TreePath::new(name).ok().filter(|path| !path.is_root())?;
        files.push((name.to_owned(), content));
        rest = after;
        if files.len() > MOST_FILES {
            return None;
        }
    }
    Some(files)
}

/// Returns a hash that changes when a file of the model changes.
fn stamp(entry: &Entry) -> String {
    let mut hasher = DefaultHasher::new();
    for path in lock(&entry.paths).iter() {
        let about = path.metadata().ok();
        about.as_ref().map(std::fs::Metadata::len).hash(&mut hasher);
        about.and_then(|m| m.modified().ok()).hash(&mut hasher);
    }
    // A number would be rounded in JSON.
    format!("{:016x}", hasher.finish())
}

fn answer(value: &Value) -> Answer {
    let json = meshwright::printable_json(&value.to_string()).into_owned();
    Answer::new("application/json; charset=utf-8", json)
}

fn file_answer(kind: &'static str, bytes: Result<Vec<u8>, Refusal>) -> Answer {
    match bytes {
        Ok(bytes) => Answer::new(kind, bytes),
        Err(refusal) => {
            let error = refusal.json();
            let why = error.get("message").and_then(Value::as_str).unwrap_or("the model cannot be shown");
            Answer::error(if refusal.is_limit() { 413 } else { 404 }, &page::without_options(why))
        }
    }
}

impl Site for Gallery {
    fn get(&self, path: &str) -> Answer {
        let missing = || Answer::error(404, "not found");
        match path {
            "" => {
                let mut page = Answer::new("text/html; charset=utf-8", self.page.html.as_str());
                page.policy = Some(self.page.policy.clone());
                return page;
            }
            "models" => return answer(&self.list()),
            _ => {}
        }
        let Some((kind, name)) = path.split_once('/') else { return missing() };
        let (id, extension) = name.split_once('.').unwrap_or((name, ""));
        let Some(entry) = self.find(id) else { return missing() };
        match (kind, extension) {
            ("model", "") => answer(&self.about(&entry)),
            ("model", "glb") => file_answer("model/gltf-binary", self.glb(&entry)),
            ("thumb", "png") => file_answer("image/png", self.thumb(&entry)),
            ("saved", target) => match target.parse() {
                Ok(target) => file_answer("application/octet-stream", self.saved(&entry, target)),
                Err(_) => missing(),
            },
            ("stamp", "") => answer(&json!({ "stamp": stamp(&entry) })),
            _ => missing(),
        }
    }

    fn post(&self, path: &str, body: Vec<u8>) -> Answer {
        let done = match path.split_once('/') {
            None if path == "drop" => self.add(&body),
            None if path == "limit" => self.set_limit(&body),
            Some(("assemble", id)) => self.assemble(id, &body),
            _ => Err(Answer::error(404, "not found")),
        };
        done.map_or_else(|refusal| refusal, |value| answer(&value))
    }

    fn most(&self) -> u64 {
        *lock(&self.room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_files_come_one_after_another() {
        let file = |name: &[u8], content: &[u8]| {
            let mut bytes = u32::try_from(name.len()).unwrap().to_le_bytes().to_vec();
            bytes.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
            bytes.extend(name);
            bytes.extend(content);
            bytes
        };
        let two = [file(b"a.dpm", b"abc"), file("\u{202e}<b>".as_bytes(), b"")].concat();
        let read = files(&two).unwrap();
        assert_eq!((read[0].0.as_str(), read[0].1), ("a.dpm", &b"abc"[..]));
        assert_eq!(read.len(), 2);
        assert!(files(&two[..two.len() - 1]).is_none() && files(b"\xff\xff\xff\xff\0\0\0\0").is_none());
        for name in [&b"../x"[..], b"a/../b", b"/a", b"..", b"", b"\xff"] {
            assert!(files(&file(name, b"x")).is_none(), "{name:?}");
        }
        assert_eq!(files(b"").map(|f| f.len()), Some(0));
    }
}
