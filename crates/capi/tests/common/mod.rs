//! The files that tests go through.
#![allow(dead_code, reason = "each test takes what it needs")]

use facade::files::{PackKind, Tree};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").canonicalize().unwrap()
}

/// Every file below a folder but what only says something of the others.
pub fn files_below(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|e| e != "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// All files in the packs of testdata, each by its path through the pack.
pub fn members() -> Vec<PathBuf> {
    let packs = || PackKind::ALL.iter().flat_map(|kind| kind.extensions());
    let is_pack = |path: &Path| packs().any(|e| path.extension().is_some_and(|own| own == *e));
    let mut found = Vec::new();
    for pack in files_below(&testdata()).iter().filter(|path| is_pack(path)) {
        let tree = Tree::open(pack).unwrap();
        let files = tree.walk().files.into_iter().map(|file| tree.shown_path(file.unwrap()).unwrap());
        found.extend(files.filter(|path| path.starts_with(pack)));
    }
    let kinds: Vec<_> = packs().filter(|e| found.iter().any(|path| in_pack(path, e))).collect();
    assert!(["pk3", "pak", "vp", "far", "dat"].iter().all(|e| kinds.contains(&e)), "{kinds:?}");
    found
}

fn in_pack(path: &Path, extension: &str) -> bool {
    path.ancestors().skip(1).any(|above| above.extension().is_some_and(|own| own == extension))
}

/// The folder that cargo built the library in: tests lie in `deps` below it.
fn built() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_owned()
}

/// An example as a program, with C's sanitizers, against the static library.
pub fn program(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = ["libmeshwright.a", "deps/libmeshwright.a"].map(|name| built().join(name));
    let library = library.into_iter().find(|path| path.is_file()).unwrap();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut cc = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-fsanitize=address,undefined"]);
    cc.arg("-I").arg(root.join("include")).arg(root.join(format!("examples/{name}.c"))).arg(library);
    let made = cc.args(["-lm", "-lpthread", "-ldl", "-o"]).arg(&program).status().unwrap();
    assert!(made.success());
    program
}
