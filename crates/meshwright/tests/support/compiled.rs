//! Compiles the JSON of whole folders.

use meshwright::native_json::{build, write};
use meshwright::{Format, Limits, ReadSettings, detect};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn json(bytes: &[u8], format: Format) -> String {
    let mut out = Vec::new();
    write(bytes, format, &ReadSettings::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, all) } else { all.push(path) }
    }
}

/// Compiles the JSON of every file of a folder, and returns the number of files of each format.
pub(crate) fn compiled(folder: &Path) -> BTreeMap<&'static str, u32> {
    let (mut all, mut seen, mut faults) = (Vec::new(), BTreeMap::new(), Vec::new());
    files(folder, &mut all);
    for path in all {
        let bytes = fs::read(&path).unwrap();
        let Some(found) = detect(&bytes, path.to_str()) else { continue };
        let text = json(&bytes, found.format);
        match build(text.as_bytes(), Limits::default()) {
            Ok(built) if built.bytes == bytes && built.format == found.format => {
                *seen.entry(found.format.id()).or_insert(0) += 1;
            }
            Ok(built) => {
                let at = built.bytes.iter().zip(&bytes).position(|(a, b)| a != b);
                let (new, old) = (built.bytes.len(), bytes.len());
                faults.push(format!("{}: {new} bytes of {old}, differs at {at:x?}", path.display()));
            }
            Err(e) => faults.push(format!("{}: {e}", path.display())),
        }
    }
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
    seen
}
