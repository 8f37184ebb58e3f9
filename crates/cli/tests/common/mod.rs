//! Running the program.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use meshwright_testkit::testdata;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_meshwright"))
}

pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    program().args(args).output().unwrap()
}

/// Words of a command line, for more to be added.
pub fn args(words: &[&str]) -> Vec<OsString> {
    words.iter().map(Into::into).collect()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A model with everything.
pub fn demo() -> PathBuf {
    testdata().join("dpm/hopper.ok.dpm")
}

/// What lies in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A quad as `name` in a folder, with two skins: the first red, the second blue.
pub fn skinned_quad(folder: &Path, name: &str) {
    let quad = testdata().join("dpm/quad.ok.dpm");
    fs::copy(quad, folder.join(name)).unwrap();
    for (number, picture, color) in [(0, "red", [0, 0, 255]), (1, "blue", [255, 0, 0])] {
        fs::write(folder.join(format!("{name}_{number}.skin")), format!("textures/quad,{picture}\n"))
            .unwrap();
        let head = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0];
        fs::write(folder.join(format!("{picture}.tga")), [&head[..], &color.repeat(16)].concat()).unwrap();
    }
}
