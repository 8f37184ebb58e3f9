//! Causes faults of the file system where the program writes: old files stay, and no other files are left.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, program, run, stderr, stdout, tree};
use meshwright::dpm::{Dpm, Name};
use meshwright_testkit::{skipped, test_name, testdata};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The names of outputs of every kind.
const OUTPUTS: [&str; 3] = ["out.glb", "out.gltf", "out.obj"];

const NO_MOUNT: &str = "nothing can be mounted here";

/// Runs a shell script with a small file system at `$1`, the program at `$2` and a model at `$3`. Returns `None` if
/// this machine does not allow mounts.
fn in_small_mount(script: &str) -> Option<Output> {
    let dir = TempDir::new().unwrap();
    let script = format!("set -e; mount -t tmpfs -o size=64k tmpfs \"$1\" || exit 99; cd \"$1\"; {script}");
    for flags in ["-m", "-rm"] {
        let ran = Command::new("unshare")
            .args([flags, "sh", "-c", &script, "sh"])
            .args([dir.path(), Path::new(env!("CARGO_BIN_EXE_meshwright")), &demo()])
            .output();
        match ran {
            Ok(output) if !matches!(output.status.code(), Some(99 | 1) if output.stdout.is_empty()) => {
                return Some(output);
            }
            _ => {}
        }
    }
    None
}

/// For each output: creates old files, causes a fault, and converts. Returns the exit codes, the names of the files
/// and the content of the old files.
fn with_fault(fault: &str) -> Option<String> {
    let script = format!(
        "echo start; for o in {outputs} d.json; do printf old > $o; done; printf old > out.mtl; {fault}; \
         for o in {outputs}; do c=0; \"$2\" convert -q \"$3\" -o $o 2>&1 || c=$?; echo \"code $c\"; done; \
         c=0; \"$2\" dump -q \"$3\" -o d.json 2>&1 || c=$?; echo \"code $c\"; \
         rm -f filler 2>/dev/null || true; echo there $(ls -A); for o in {outputs} out.mtl d.json; do cat $o; done",
        outputs = OUTPUTS.join(" ")
    );
    let output = in_small_mount(&script)?;
    assert!(output.status.success(), "{} {}", stdout(&output), stderr(&output));
    Some(stdout(&output))
}

#[track_caller]
fn refused_and_unchanged(said: &str, why: &str) {
    assert_eq!(said.matches("code 3").count(), 4, "{said}");
    assert_eq!(said.matches("error[cannot-write]").count(), 4, "{said}");
    assert_eq!(said.matches(why).count(), 4, "{said}");
    assert!(said.contains("there d.json out.glb out.gltf out.mtl out.obj\n"), "{said}");
    assert!(said.ends_with(&"old".repeat(5)), "{said}");
}

#[test]
fn a_full_disk_leaves_the_old_files() {
    // One page stays free: a first part can be written, the whole not.
    let fault = "dd if=/dev/zero of=filler bs=4k count=10 2>/dev/null";
    let Some(said) = with_fault(fault) else { return skipped(test_name!(), NO_MOUNT) };
    refused_and_unchanged(&said, "No space left");
}

#[test]
fn a_read_only_file_system_is_left_alone() {
    let Some(said) = with_fault("mount -o remount,ro \"$1\"") else { return skipped(test_name!(), NO_MOUNT) };
    refused_and_unchanged(&said, "Read-only file system");
}

const NO_OTHER_USER: &str = "this is root, who cannot become another user here";

/// Runs a command as an ordinary user, in a folder with these permissions that has the model `m.dpm`, a file
/// `old.glb` and a pack.
fn ordinary_run(rights: u32, model: u32, words: &str) -> Option<(Output, Vec<String>)> {
    use std::os::unix::fs::PermissionsExt;
    let (_own, user) = crate::common::ordinary()?;
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::copy(demo(), at("m.dpm")).unwrap();
    fs::copy(testdata().join("bmd/flags.warn.bmd"), at("mendable.bmd")).unwrap();
    fs::create_dir(at("closed")).unwrap();
    fs::write(at("closed/old.glb"), b"old").unwrap();
    let set = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(at("files")).unwrap();
    fs::copy(demo(), at("files/f.dpm")).unwrap();
    let packed = run([OsStr::new("pack"), at("files").as_ref(), "-o".as_ref(), at("p.pk3").as_ref()]);
    assert_eq!(code(&packed), 0, "{}", stderr(&packed));
    for name in ["m.dpm", "mendable.bmd", "p.pk3", "closed/old.glb"] {
        set(&at(name), 0o644);
    }
    set(&at("m.dpm"), model);
    set(&at("closed"), rights);
    set(dir.path(), 0o555);
    let output =
        Command::new(&user[0]).args(&user[1..]).args(words.split(' ')).current_dir(dir.path()).output();
    set(dir.path(), 0o755);
    set(&at("closed"), 0o755);
    assert_eq!(fs::read(at("closed/old.glb")).unwrap(), b"old", "{words}");
    assert_eq!(
        fs::read(at("mendable.bmd")).unwrap(),
        fs::read(testdata().join("bmd/flags.warn.bmd")).unwrap()
    );
    let mut left = names(dir.path());
    left.extend(names(&at("closed")));
    Some((output.unwrap(), left))
}

#[test]
fn a_folder_that_takes_no_files_is_left_alone() {
    for words in [
        "convert m.dpm -o closed/old.glb",
        "convert m.dpm -o closed/new.obj",
        "convert . -o closed/",
        "dump m.dpm -o closed/d.json",
        "optimize mendable.bmd -o closed/o.bmd",
        "repair mendable.bmd -o closed/r.bmd",
        "repair mendable.bmd --in-place",
        "render m.dpm -o closed/r.png",
        "pack files -o closed/p.pk3",
        "unpack p.pk3 -o closed/",
        "man closed",
    ] {
        let Some((output, left)) = ordinary_run(0o555, 0o644, words) else {
            return skipped(test_name!(), NO_OTHER_USER);
        };
        let said = stderr(&output);
        assert_eq!(code(&output), 3, "{words}: {said}");
        assert!(said.contains("ermission denied") && !said.contains("panicked"), "{words}: {said}");
        assert_eq!(left, ["closed", "files", "m.dpm", "mendable.bmd", "p.pk3", "old.glb"], "{words}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_others_are_done() {
    for (words, others) in [
        ("info .", "read"),
        ("check .", "files: 1 error"),
        ("convert . -o closed/ --to obj", "converted"),
        ("info m.dpm", ""),
        ("dump m.dpm", ""),
        ("diff m.dpm mendable.bmd", ""),
        ("render m.dpm -o closed/x.png", ""),
    ] {
        let Some((output, left)) = ordinary_run(0o777, 0o000, words) else {
            return skipped(test_name!(), NO_OTHER_USER);
        };
        let said = stderr(&output);
        assert_eq!(code(&output), 3, "{words}: {said}");
        assert!(said.contains("m.dpm: error[cannot-read] Permission denied"), "{words}: {said}");
        let done = said.lines().find_map(|line| line.split_once(&format!(" {others}, "))?.0.parse().ok());
        assert!(others.is_empty() || done.is_some_and(|done: u32| done > 1), "{words}: {said}");
        assert!(left.iter().all(|name| !name.starts_with("m.") || name == "m.dpm"), "{words}: {left:?}");
    }
    // A folder that does not let itself be listed.
    let Some((output, _)) = ordinary_run(0o311, 0o644, "info closed") else {
        return skipped(test_name!(), NO_OTHER_USER);
    };
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("closed: error[cannot-read] Permission denied"), "{}", stderr(&output));
}

#[test]
fn a_limit_on_file_sizes_leaves_the_old_files() {
    for command in OUTPUTS
        .map(|o| vec!["convert", "-q", "-o", o])
        .into_iter()
        .chain([vec!["dump", "-q", "-o", "out.json"], vec!["convert", "-q", "--to", "dpm", "-o", "out.dpm"]])
    {
        let dir = TempDir::new().unwrap();
        let out = dir.path().join(command.last().unwrap());
        fs::write(&out, b"old").unwrap();
        let output = Command::new("sh")
            .args(["-c", "ulimit -f 1; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_meshwright")])
            .args(&command)
            .arg(demo())
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3), "{command:?}: {:?} {}", output.status, stderr(&output));
        assert!(stderr(&output).contains("error[cannot-write]"));
        assert_eq!(fs::read(&out).unwrap(), b"old");
        assert_eq!(names(dir.path()), [*command.last().unwrap()]);
    }
}

/// Returns the command that converts `model` to `name` in a folder.
fn convert(folder: &Path, name: &str, model: &Path) -> Command {
    let mut command = program();
    command.current_dir(folder).args(["convert", "-q", "--no-companions", "-o", name]).arg(model);
    command
}

/// Returns another model, of another size.
fn other() -> PathBuf {
    testdata().join("dpm/weights.ok.dpm")
}

/// Returns the outputs of converting each of the two models: the files that belong to the output `name`.
fn wholes(name: &str) -> [Vec<Vec<u8>>; 2] {
    [demo(), other()].map(|model| {
        let dir = TempDir::new().unwrap();
        assert!(convert(dir.path(), name, &model).status().unwrap().success());
        output_files(dir.path(), name).unwrap()
    })
}

/// Reads an output as a reader sees it: the file, and the buffer that a `.gltf` names.
fn output_files(folder: &Path, name: &str) -> Option<Vec<Vec<u8>>> {
    let mut files = vec![fs::read(folder.join(name)).ok()?];
    if name.ends_with(".gltf") {
        let json: Value = serde_json::from_slice(&files[0]).unwrap();
        let buffer = json["buffers"][0]["uri"].as_str().unwrap();
        files.push(fs::read(folder.join(buffer)).unwrap_or_else(|e| panic!("{buffer}: {e}")));
    }
    Some(files)
}

fn temporary(name: &str) -> bool {
    name.starts_with(".meshwright-")
}

#[test]
fn a_run_that_is_ended_at_any_moment_leaves_old_or_whole_files() {
    for (name, signal) in
        [("out.glb", "KILL"), ("out.gltf", "KILL"), ("out.glb", "TERM"), ("out.gltf", "INT")]
    {
        let wholes = wholes(name);
        let dir = TempDir::new().unwrap();
        assert!(convert(dir.path(), name, &demo()).status().unwrap().success());
        let usual = {
            let start = Instant::now();
            assert!(convert(dir.path(), name, &demo()).status().unwrap().success());
            start.elapsed()
        };
        for i in 0..40_u32 {
            let model = if i % 2 == 0 { other() } else { demo() };
            let mut child = convert(dir.path(), name, &model).spawn().unwrap();
            std::thread::sleep(usual * i / 32);
            let _ = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
            child.wait().unwrap();
            let found = output_files(dir.path(), name).unwrap();
            assert!(wholes.contains(&found), "{name}, {signal} {i}");
            if signal != "KILL" {
                assert!(!names(dir.path()).iter().any(|n| temporary(n)), "{:?}", names(dir.path()));
            }
        }
        // The next run finds the place tidy, whatever was left.
        assert!(convert(dir.path(), name, &demo()).status().unwrap().success());
        assert_eq!(output_files(dir.path(), name).unwrap(), wholes[0]);
        assert!(!names(dir.path()).iter().any(|n| temporary(n)), "{:?}", names(dir.path()));
    }
}

/// A child that does not outlive a failing test.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a run that has finished one temporary file and waits for a reader of its pipe.
fn stalled(folder: &Path) -> KilledOnDrop {
    let out = folder.join("out.obj");
    if !out.exists() {
        assert!(Command::new("mkfifo").arg(&out).status().unwrap().success());
    }
    let before = names(folder);
    let child = KilledOnDrop(convert(folder, "out.obj", &demo()).spawn().unwrap());
    let start = Instant::now();
    while names(folder).iter().all(|name| before.contains(name)) {
        assert!(start.elapsed() < Duration::from_secs(30), "no temporary file appeared");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Time to lock and write it.
    std::thread::sleep(Duration::from_millis(100));
    child
}

#[test]
fn what_a_killed_run_left_is_removed_and_what_a_living_one_needs_is_not() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("out.mtl"), b"old").unwrap();
    // Not ours, though the names look like it.
    fs::write(dir.path().join(".meshwright-notes.tmp"), b"").unwrap();
    symlink("out.mtl", dir.path().join(".meshwright-abcdef.tmp")).unwrap();
    fs::copy(demo(), dir.path().join(".meshwright-model1.tmp")).unwrap();
    fs::create_dir(dir.path().join(".meshwright-folder.tmp")).unwrap();
    fs::copy(demo(), dir.path().join(".meshwright-folder.tmp/12-34")).unwrap();
    let mut killed = stalled(dir.path());
    killed.0.kill().unwrap();
    killed.0.wait().unwrap();
    let mut living = stalled(dir.path());
    assert_eq!(fs::read(dir.path().join("out.mtl")).unwrap(), b"old");
    assert!(convert(dir.path(), "x.glb", &demo()).status().unwrap().success());
    // The pipe's reader lets the living one finish.
    assert!(fs::read(dir.path().join("out.obj")).unwrap().starts_with(b"# Meshwright"));
    assert!(living.0.wait().unwrap().success());
    assert!(
        fs::read(dir.path().join("out.mtl")).unwrap().starts_with(b"newmtl") || {
            let text = fs::read_to_string(dir.path().join("out.mtl")).unwrap();
            text.contains("newmtl")
        }
    );
    let others = ["abcdef", "folder", "model1", "notes"].map(|name| format!(".meshwright-{name}.tmp"));
    let made = ["out.mtl", "out.obj", "x.glb"].map(String::from);
    assert_eq!(names(dir.path()), [&others[..], &made].concat());
    assert_eq!(fs::read(dir.path().join(".meshwright-model1.tmp")).unwrap(), fs::read(demo()).unwrap());
    assert_eq!(names(&dir.path().join(".meshwright-folder.tmp")), ["12-34"]);
}

#[test]
fn a_folder_in_the_place_of_an_output_is_an_error_however_late_it_comes() {
    let dir = TempDir::new().unwrap();
    let mut child = stalled(dir.path());
    fs::create_dir(dir.path().join("out.mtl")).unwrap();
    fs::read(dir.path().join("out.obj")).unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(3));
    assert_eq!(names(dir.path()), ["out.mtl", "out.obj"]);
}

#[test]
fn readers_see_nothing_old_or_whole_while_eight_write() {
    for name in ["out.glb", "out.gltf"] {
        let wholes = wholes(name);
        let dir = TempDir::new().unwrap();
        let (mut looks, mut round) = (0, 0);
        while round < 4 || looks <= 20 && round < 50 {
            let mut children: Vec<_> = (0..8)
                .map(|i| {
                    convert(dir.path(), name, &if i % 2 == 0 { demo() } else { other() }).spawn().unwrap()
                })
                .collect();
            while !children.is_empty() {
                match output_files(dir.path(), name) {
                    Some(found) => {
                        assert!(wholes.contains(&found), "{name}: neither the one nor the other");
                        looks += 1;
                    }
                    None => assert_eq!(round, 0, "{name} was there and is gone"),
                }
                children.retain_mut(|child| match child.try_wait().unwrap() {
                    Some(status) => {
                        assert!(status.success());
                        false
                    }
                    None => true,
                });
            }
            round += 1;
        }
        assert!(looks > 20, "{looks}");
        assert!(!names(dir.path()).iter().any(|n| temporary(n)), "{:?}", names(dir.path()));
    }
}

/// Several runs into one folder write what one run writes.
#[test]
fn runs_into_one_folder_give_what_one_gives() {
    let dir = TempDir::new().unwrap();
    let (once, often) = (dir.path().join("once"), dir.path().join("often"));
    let into = |folder: &Path| {
        let mut command = program();
        command.args(["convert", "-q", "--to", "gltf", "-o"]).arg(folder).arg(testdata().join("tso"));
        command.stderr(Stdio::null());
        command.spawn().unwrap()
    };
    fs::create_dir(&once).unwrap();
    fs::create_dir(&often).unwrap();
    into(&once).wait().unwrap();
    let children: Vec<_> = (0..3).map(|_| into(&often)).collect();
    for mut child in children {
        child.wait().unwrap();
    }
    let (once, often) = (tree(&once), tree(&often));
    assert!(once.len() > 5);
    assert!(once.keys().eq(often.keys()), "{:?}", often.keys());
    assert!(once == often);
}

#[test]
fn links_inside_an_output_folder_lead_nowhere() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    for folder in ["in", "in/sub", "out", "outside"] {
        fs::create_dir(at(folder)).unwrap();
    }
    for model in ["in/file.dpm", "in/dangling.dpm", "in/pipe.dpm", "in/sub/deep.dpm", "in/plain.dpm"] {
        fs::copy(demo(), at(model)).unwrap();
    }
    fs::write(at("outside/victim"), b"precious").unwrap();
    symlink("../outside/victim", at("out/file.glb")).unwrap();
    symlink(at("outside/born"), at("out/dangling.glb")).unwrap();
    symlink("../outside", at("out/sub")).unwrap();
    assert!(Command::new("mkfifo").arg(at("out/pipe.glb")).status().unwrap().success());
    let output = run([OsStr::new("convert"), at("in").as_ref(), OsStr::new("-o"), at("out/").as_ref()]);
    assert_eq!(code(&output), 3);
    assert_eq!(stderr(&output).matches("error[cannot-write]").count(), 4, "{}", stderr(&output));
    assert_eq!(tree(&at("outside")), [("victim".into(), b"precious".to_vec())].into());
    assert_eq!(names(&at("out")), ["dangling.glb", "file.glb", "pipe.glb", "plain.glb", "sub"]);
    // Companions of a named output do not follow links either; the named output itself does.
    symlink("../outside/victim", at("out/n.mtl")).unwrap();
    let output = convert(&at("out"), "n.obj", &demo()).output().unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let output = convert(&at("out"), "file.glb", &demo()).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(fs::read(at("outside/victim")).unwrap().starts_with(b"glTF"));
    assert_eq!(names(&at("outside")), ["victim"]);
}

#[test]
fn a_hard_link_keeps_the_old_content() {
    let dir = TempDir::new().unwrap();
    let (out, kept) = (dir.path().join("out.glb"), dir.path().join("kept"));
    fs::write(&out, b"old").unwrap();
    fs::hard_link(&out, &kept).unwrap();
    assert!(convert(dir.path(), "out.glb", &demo()).status().unwrap().success());
    assert_eq!(fs::read(&kept).unwrap(), b"old");
    assert_ne!(fs::metadata(&out).unwrap().ino(), fs::metadata(&kept).unwrap().ino());
}

#[test]
fn no_way_to_an_input_makes_it_an_output() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    fs::copy(demo(), at("m.dpm")).unwrap();
    fs::copy(demo().with_file_name("hopper.ok.dpm.framegroups"), at("m.dpm.framegroups")).unwrap();
    symlink("m.dpm", at("link.glb")).unwrap();
    symlink("link.glb", at("twice.glb")).unwrap();
    symlink("folder/../m.dpm", at("round.json")).unwrap();
    fs::hard_link(at("m.dpm"), at("hard.glb")).unwrap();
    let before = tree(dir.path());
    for out in ["link.glb", "twice.glb", "hard.glb", "folder/../m.dpm", "./m.dpm"] {
        let mut command = convert(dir.path(), out, Path::new("m.dpm"));
        assert_eq!(code(&command.args(["--to", "glb"]).output().unwrap()), 2, "{out}");
    }
    // The companion is an input too, without being named.
    for out in ["round.json", "m.dpm.framegroups", "hard.glb"] {
        let mut command = program();
        let output = command.current_dir(dir.path()).args(["dump", "m.dpm", "-o", out]).output().unwrap();
        assert_eq!(code(&output), 2, "{out}: {}", stderr(&output));
    }
    // Files of a named folder are inputs too.
    fs::copy(demo(), at("folder/a.dpm")).unwrap();
    symlink("a.dpm", at("folder/a.glb")).unwrap();
    let output = run([OsStr::new("convert"), at("folder").as_ref(), OsStr::new("-o"), at("folder").as_ref()]);
    assert_ne!(code(&output), 0);
    fs::remove_file(at("folder/a.glb")).unwrap();
    fs::hard_link(at("folder/a.dpm"), at("folder/a.glb")).unwrap();
    let output = run([OsStr::new("convert"), at("folder").as_ref(), OsStr::new("-o"), at("folder").as_ref()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for (path, content) in before {
        assert_eq!(fs::read(at("").join(&path)).unwrap(), content, "{path}");
    }
    for input in ["folder/a.dpm", "folder/a.glb"] {
        assert_eq!(fs::read(at(input)).unwrap(), fs::read(demo()).unwrap());
    }
}

#[test]
fn a_rewrite_may_take_the_place_of_its_own_input() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("m.dpm");
    fs::copy(demo(), &model).unwrap();
    assert!(convert(dir.path(), "m.dpm", &model).status().unwrap().success());
    assert_eq!(fs::read(&model).unwrap(), fs::read(demo()).unwrap());
    assert_eq!(names(dir.path()), ["m.dpm"]);
}

#[test]
fn names_inside_a_model_are_no_paths() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("in")).unwrap();
    let mut model = Dpm::parse(&fs::read(demo()).unwrap()).unwrap();
    let outside = at("secret").to_str().unwrap().to_owned();
    let hostile = ["../secret", "..\\secret", &outside, "C:\\secret", "nul", "a\u{1b}[2J", "..", "con.png"];
    let mesh = model.meshes[0].clone();
    for name in hostile {
        let mut mesh = mesh.clone();
        mesh.shader = Name::truncated(name.as_bytes());
        model.meshes.push(mesh);
    }
    fs::write(at("in/m.dpm"), model.to_bytes().unwrap()).unwrap();
    fs::write(at("secret.png"), b"\x89PNG\r\n\x1a\n secret").unwrap();
    let before = tree(dir.path());
    for to in ["glb", "gltf", "obj"] {
        let out = at("out/");
        let words = [OsStr::new("convert"), OsStr::new("--textures"), OsStr::new("--to"), to.as_ref()];
        let output = program().args(words).arg("-o").arg(&out).arg(at("in/m.dpm")).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(!(stdout(&output) + &stderr(&output)).contains('\u{1b}'));
        for (path, content) in tree(&out) {
            assert!(!path.contains('/') && path.starts_with("m."));
            assert!(!content.windows(6).any(|w| w == b"secret" && content.starts_with(b"\x89PNG")));
            assert!(!content.windows(8).any(|w| w == b"\x89PNG\r\n\x1a\n"), "{to}: an image from outside");
        }
        fs::remove_dir_all(&out).unwrap();
    }
    assert_eq!(tree(dir.path()), before);
}

#[test]
fn a_closed_pipe_ends_a_conversion_quietly() {
    for words in [args(&["convert", "-q", "--to=glb", "-o-"]), args(&["dump", "-q"])] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = program();
        command.args(&words).arg(demo()).stdout(writer).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (3, String::new()), "{words:?}");
    }
}

#[test]
fn a_pipe_among_the_textures_keeps_nobody_waiting() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("m.dpm");
    let mut parsed = Dpm::parse(&fs::read(demo()).unwrap()).unwrap();
    parsed.meshes[0].shader = Name::truncated(b"skin");
    fs::write(&model, parsed.to_bytes().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(dir.path().join("skin.png")).status().unwrap().success());
    let mut command = program();
    command.current_dir(dir.path()).args(["convert", "m.dpm", "-o", "out.glb", "--textures"]);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut child = KilledOnDrop(child);
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "the run waits for a writer of the pipe");
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut said = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(status.success() && said.contains("[texture-not-found]"), "{said}");
}
