//! Archives of The Sims in the corpus: what they hold, that they are folders, that they are rewritten byte for byte, and where
//! broken ones are broken. Outfits that are put together of what is in them.

use crate::json::{array, parse, read, text};
use meshwright::files::{FilesError, Pack, PackBuilder, PackKind, Tree};
use meshwright::scene::SceneOptions;
use meshwright::tso::{Gesture, Tone};
use meshwright::{Budget, Finder, Limits, OpenOptions, Role};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

fn budget() -> Budget {
    Budget::new(Limits::default())
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, ours: T, theirs: T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: {ours:?}, the reference has {theirs:?}")) }
}

fn opened(path: &Path) -> Result<(Vec<u8>, Result<Pack, FilesError>), String> {
    let bytes = read(path)?;
    let pack = Pack::open(bytes.clone(), &path.display().to_string(), &budget());
    Ok((bytes, pack))
}

fn again(pack: &Pack) -> Result<Vec<u8>, String> {
    let builder = PackBuilder::new(PackKind::Far).and_then(|b| b.onto(pack)).map_err(|e| e.to_string())?;
    let mut out = Vec::new();
    builder.write(&mut out).map_err(|e| e.to_string())?;
    Ok(out)
}

/// An archive against its reference dump: its members, itself again, and the folder that it is.
pub(crate) fn check(dir: &Path, entry: &Value) -> Result<(), String> {
    let path = dir.join(text(entry, "file"));
    let (bytes, pack) = opened(&path)?;
    let pack = pack.map_err(|e| e.to_string())?;
    let native = parse(&dir.join(text(entry, "expected")))?.get("native").cloned().unwrap_or_default();
    let entries = array(&native, "entries");
    same("members", pack.members().len(), entries.len())?;
    let tree = Tree::file(&path).map_err(|e| e.to_string())?;
    for (member, want) in pack.members().iter().zip(entries) {
        let name = text(want, "name");
        let content = pack.read(member, &budget()).map_err(|e| e.to_string())?;
        same(&name, hash(&content), text(want, "sha256"))?;
        same(&name, Some(member.size()), want.get("size").and_then(Value::as_u64))?;
        same(&name, Some(member.packed_size()), want.get("stored").and_then(Value::as_u64))?;
        if let Some(path) = member.path() {
            let found = tree.read(path, &budget()).map_err(|e| e.to_string())?;
            same(&name, *found == *content, true)?;
        }
    }
    let shown = pack.members().iter().filter(|m| m.path().is_some()).count();
    let walked = tree.walk().files.iter().filter(|f| f.is_ok()).count();
    if walked < shown {
        return Err(format!("a folder of {walked} files, it has {shown} members"));
    }
    let issues = array(&native, "issues").iter();
    let wanted: Vec<_> = issues.filter_map(|i| Some(i.get(1)?.as_str()?.to_owned())).collect();
    let found: Vec<_> = pack.check(&budget()).iter().map(|f| f.code.to_owned()).collect();
    same("findings", found, wanted)?;
    if again(&pack)? == bytes { Ok(()) } else { Err("the rewrite differs".into()) }
}

/// A case of `malformed/cases.json`.
pub(crate) fn broken(dir: &Path, case: &Value) -> Result<(), String> {
    let (bytes, pack) = opened(&dir.join(text(case, "file")))?;
    let (code, offset) = (text(case, "code"), case.get("offset").and_then(Value::as_u64));
    match (&*text(case, "expect"), pack) {
        ("reject", Err(FilesError::Pack { error, .. })) => {
            same("fault", (error.code(), Some(error.offset())), (&*code, offset))
        }
        ("reject", Ok(pack)) => {
            let report = pack.check(&budget());
            let found = report.has_errors() && report.iter().any(|f| f.code == code && f.offset == offset);
            same("found as listed", found, true)?;
            let bad = case.get("member").and_then(Value::as_u64);
            let others = pack.members().iter().enumerate().filter(|(i, _)| Some(*i as u64) != bad);
            let read = others.filter(|(_, m)| pack.read(m, &budget()).is_ok()).count();
            // One bad member does not spoil the others.
            same("members read", bad.is_none() || read.saturating_add(1) == pack.members().len(), true)
        }
        ("warn", Ok(pack)) => {
            let report = pack.check(&budget());
            same("warned of", !report.has_errors() && report.iter().any(|f| f.code == code), true)
        }
        ("accept", Ok(pack)) => {
            same("findings", pack.check(&budget()).iter().count(), 0)?;
            if again(&pack)? == bytes { Ok(()) } else { Err("the rewrite differs".into()) }
        }
        (expect, Ok(_)) => Err(format!("must be {expect}ed, opens")),
        (expect, Err(e)) => Err(format!("must be {expect}ed: {e}")),
    }
}

/// The number and type in the name of a file.
fn tag(name: &str) -> String {
    let tag = name.split('.').find(|part| part.len() == 16 && part.bytes().all(|b| b.is_ascii_hexdigit()));
    tag.unwrap_or(name).to_ascii_lowercase()
}

/// Where the files of outfits lie: loose, and in an archive.
pub(crate) fn wardrobes(dir: &Path) -> Result<Vec<(&'static str, Finder)>, String> {
    let open = |path: &str| Tree::open(dir.join(path)).map_err(|e| e.to_string());
    let loose = Tree::layered([open("tso")?, open("archives/outfits")?]);
    let archive = Tree::file(dir.join("archives/avatardata.dat")).map_err(|e| e.to_string())?;
    Ok(vec![("loose", Finder::new(loose)), ("archive", Finder::new(archive))])
}

/// An outfit in a tone and with gestures, against the parts that the reference has.
pub(crate) fn assembled(finder: &Finder, want: &Value) -> Result<(), String> {
    let gesture = |side: &str| text(&want["gestures"], side).parse::<Gesture>();
    let tone = text(want, "tone").parse::<Tone>()?;
    let options = OpenOptions::default().with_look(tone, [gesture("right")?, gesture("left")?]);
    let asset = finder.open(&*text(want, "outfit"), &options).map_err(|e| e.to_string())?;
    let parts = asset.companions().files.iter().filter(|file| file.role == Role::Part);
    let found: Vec<_> = parts.map(|p| (tag(&p.name), p.texture.as_deref().map(tag))).collect();
    let there = array(want, "parts").iter().filter(|p| p["mesh"].is_string());
    let wanted: Vec<_> = there.map(|p| (tag(&text(p, "mesh")), p["texture"].as_str().map(tag))).collect();
    same("parts", &found, &wanted)?;
    let missing: BTreeSet<_> = asset
        .companions()
        .missing
        .iter()
        .filter_map(|(_, name)| Some(name.rsplit(' ').next()?.to_owned()))
        .collect();
    let number = |m: &Value, key: &str| m.get(key).and_then(Value::as_u64).unwrap_or(0);
    let lost: BTreeSet<_> = array(want, "missing")
        .iter()
        .map(|m| format!("{:08x}{:08x}", number(m, "file_id"), number(m, "type_id")))
        .collect();
    same("missing", missing, lost)?;
    match asset.to_scene(&SceneOptions::default()) {
        Ok(scene) => same("meshes", scene.value.meshes.len(), wanted.len()),
        Err(_) if wanted.is_empty() => Ok(()),
        Err(e) => Err(e.to_string()),
    }
}
