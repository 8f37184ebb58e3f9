//! The seeds of a target.

use super::exercise::{self, Subject};
use super::targets::{Action, Input, Target};
use meshwright::files::PackKind;
use meshwright_testkit::mutate::Rng;
use meshwright_testkit::packs::{Method, pak, vp, zip};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the seeds of a target, from the files below some folders.
///
/// # Panics
/// When a file cannot be read.
pub(crate) fn seeds(target: Target, folders: &[PathBuf]) -> Vec<Vec<u8>> {
    let extension = target.input.name();
    match (target.action, target.input) {
        // Random numbers.
        (Action::Model | Action::Outputs, _) => {
            let mut rng = Rng::new(1);
            (2..34).map(|words| (0..words).flat_map(|_| rng.next().to_le_bytes()).collect()).collect()
        }
        (_, Input::Pack(kind)) => packs(kind),
        (Action::Document, _) => {
            let all = folders.iter().flat_map(|folder| exercise::subjects(folder));
            all.filter(|s| s.sound && s.bytes.len() < 4096)
                .filter_map(|s| exercise::as_document(&s))
                .collect()
        }
        (Action::Scene | Action::Program, _) => {
            let all = folders.iter().flat_map(|folder| exercise::subjects(folder));
            all.filter(|s| has(Path::new(&s.name), extension)).map(|s| Subject::joined(&s)).collect()
        }
        (_, Input::Lz4) => files(folders, "cmesh").iter().filter_map(|chunk| block(chunk)).collect(),
        _ => files(folders, extension),
    }
}

fn has(name: &Path, extension: &str) -> bool {
    name.extension().is_some_and(|e| e == extension)
}

fn files(folders: &[PathBuf], extension: &str) -> Vec<Vec<u8>> {
    let mut open = folders.to_vec();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if has(&path, extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Returns the first block of a mesh chunk after its decoded length, in the form of the target.
fn block(chunk: &[u8]) -> Option<Vec<u8>> {
    let packed = chunk.get(13..17)?.try_into().map(u32::from_le_bytes).ok()?;
    let (decoded, block) = (chunk.get(17..19)?, chunk.get(21..)?);
    Some([decoded, block.get(..usize::try_from(packed).ok()?)?].concat())
}

/// Packs of a kind.
///
/// # Panics
/// When a kind has none.
fn packs(kind: PackKind) -> Vec<Vec<u8>> {
    let files: &[(&str, &[u8])] = &[("models/a.dpm", b"a model"), ("a/B.tga", &[7; 40]), ("c", b"x")];
    let seeds = match kind {
        PackKind::Zip => {
            vec![zip(files, Method::Stored), zip(files, Method::Deflated), zip(&[], Method::Stored)]
        }
        PackKind::Pak => vec![pak(files), pak(&[])],
        PackKind::Vp => vec![vp(files), vp(&files[2..])],
        _ => Vec::new(),
    };
    assert!(!seeds.is_empty(), "{kind}");
    seeds
}
