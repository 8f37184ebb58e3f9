//! `xtask instructions [--write] [--program FILE]`: instructions of whole commands over a model of stated size, counted by
//! valgrind's callgrind, which other work of the machine does not change.
//!
//! `xtask/instructions.txt` has the figures and the compiler that they belong to. A command that takes more than 2 % over its
//! figure fails; `--write` takes down what is counted.

use crate::sh::{self, Given};
use crate::sheet::Sheet;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const TABLE: &str = "xtask/instructions.txt";
/// Allowed growth of a command, in thousandths.
const GROWTH: u64 = 20;

/// Each command by its name: the words of the program, run in a folder with `grid.glb`. Later ones read what earlier ones wrote.
const COMMANDS: &[(&str, &str)] = &[
    ("check GLB", "check grid.glb"),
    ("GLB to GLB", "convert grid.glb -o again.glb"),
    ("GLB to DPM", "convert grid.glb -o grid.dpm"),
    ("GLB to IQM", "convert grid.glb -o grid.iqm"),
    ("GLB to ZYM", "convert grid.glb -o grid.zym"),
    ("GLB to BMD", "convert grid.glb -o grid.bmd"),
    ("GLB to OBJ", "convert grid.glb -o grid.obj"),
    ("check DPM", "check grid.dpm"),
    ("info DPM", "info grid.dpm"),
    ("dump a pose of DPM", "dump grid.dpm --pose 0:3 -o grid.json"),
    ("DPM to GLB", "convert grid.dpm -o of_dpm.glb"),
    ("DPM to GLB, keep-native", "convert grid.dpm --keep-native -o kept.glb"),
    ("restore DPM, unedited", "convert kept.glb -o back.dpm"),
    ("restore DPM, edited", "convert edited.glb -o edited.dpm"),
    ("check IQM", "check grid.iqm"),
    ("IQM to GLB", "convert grid.iqm -o of_iqm.glb"),
    ("render DPM", "render grid.dpm --size 128 -o grid.png"),
];

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return sh::skipped("valgrind is not here");
    }
    let program = crate::released(root, given)?;
    let folder = sh::target_dir(root).join("instructions");
    sh::empty(&folder)?;
    sh::write(&folder.join("grid.glb"), Sheet { side: 80, ..Sheet::default() }.glb())?;
    let compiler = sh::output_text(Command::new("rustc").arg("-V").current_dir(root))?;
    let table = fs::read_to_string(root.join(TABLE)).unwrap_or_default();
    let (of, known) = parse(&table);
    let (mut text, mut grown) = (format!("# Instructions of whole commands, by {compiler}\n"), Vec::new());
    for (name, words) in COMMANDS {
        if words.contains("edited.glb") {
            sh::write(&folder.join("edited.glb"), edited(&sh::read(&folder.join("kept.glb"))?)?)?;
        }
        let count = counted(&program, &folder, words).map_err(|e| format!("{name}: {e}"))?;
        let before = known.get(*name).copied();
        let change = before.map_or(String::new(), |before| format!("{:+.2} %", change(before, count)));
        println!("{name:<28} {count:>14} {change}");
        text.push_str(&format!("{name:<28} {count:>14}\n"));
        if before.is_some_and(|before| count > before + before * GROWTH / 1000) {
            grown.push(format!("{name}: {count} instructions, {} before", before.unwrap_or(0)));
        }
    }
    if given.has("write") {
        return sh::write(&root.join(TABLE), text);
    }
    match (grown.is_empty(), of == compiler) {
        (true, _) => Ok(()),
        (false, true) => Err(format!("{}\n`xtask instructions --write` takes it down", grown.join("\n"))),
        (false, false) => sh::skipped(&format!("{TABLE} is of {of}: not compared with {compiler}")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
fn change(before: u64, now: u64) -> f64 {
    (now as f64 / before as f64 - 1.0) * 100.0
}

/// Returns the compiler and the figures of a table.
fn parse(table: &str) -> (&str, BTreeMap<String, u64>) {
    let of = table.lines().next().and_then(|line| line.split_once(", by ")).map_or("nothing", |(_, of)| of);
    let row = |line: &str| {
        let (name, count) = line.rsplit_once(' ')?;
        Some((name.trim().to_owned(), count.parse().ok()?))
    };
    (of, table.lines().skip(1).filter_map(row).collect())
}

/// Runs a command on one thread under callgrind.
fn counted(program: &Path, folder: &Path, words: &str) -> Result<u64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args(words.split(' '));
    if !words.starts_with("dump") {
        valgrind.args(["--jobs", "1"]);
    }
    let out =
        valgrind.current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null()).output();
    let out = out.map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if !out.status.success() {
        return Err(format!("{}\n{said}", out.status));
    }
    let count = said.lines().find_map(|line| line.split_once("Collected : ")).map(|(_, n)| n.trim().parse());
    count.and_then(Result::ok).ok_or_else(|| format!("callgrind counts nothing\n{said}"))
}

/// Returns the GLB with ten vertices in the middle of its first mesh moved a little, as an editor does.
fn edited(glb: &[u8]) -> Result<Vec<u8>, String> {
    let word = |at: usize| Some(u32::from_le_bytes(glb.get(at..at + 4)?.try_into().ok()?) as usize);
    let moved = || {
        let length = word(12)?;
        let document: Value = serde_json::from_slice(glb.get(20..20 + length)?).ok()?;
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap_or(0)).unwrap_or(0);
        let accessor =
            &document["accessors"][number(&document["meshes"][0]["primitives"][0]["attributes"]["POSITION"])];
        let view = &document["bufferViews"][number(&accessor["bufferView"])];
        let stride = number(&view["byteStride"]).max(12);
        let start = 28 + length + number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        let mut out = glb.to_vec();
        let middle = number(&accessor["count"]) / 2;
        for vertex in middle..middle + 10 {
            let place = out.get_mut(start + vertex * stride..)?.first_chunk_mut::<4>()?;
            *place = (f32::from_le_bytes(*place) + 0.125).to_le_bytes();
        }
        Some(out)
    };
    moved().ok_or_else(|| "kept.glb has no positions".into())
}
