//! The ends of runs: exit codes, signals, pipes, limits, and files that no run may change.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, program, run, stderr, stdout};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[test]
fn a_model_that_is_called_like_a_temporary_file_stays() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let model = at(".meshwright-abcdef.tmp");
    fs::copy(demo(), &model).unwrap();
    for words in [&["--as", "dpm", "-o", "out.glb"][..], &["--as", "dpm", "-o", "folder/"]] {
        let mut command = program();
        command.current_dir(dir.path()).args(["convert", ".meshwright-abcdef.tmp"]).args(words);
        let output = command.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(fs::read(&model).unwrap(), fs::read(demo()).unwrap());
    }
    // In a folder it is a model as any other.
    let listed = program().arg("info").arg("--format=json").arg(dir.path()).output().unwrap();
    assert!(stdout(&listed).contains(".meshwright-abcdef.tmp"), "{}", stdout(&listed));
    // A folder with the name of a temporary file is not removed.
    let folder = at(".meshwright-ghijkl.tmp");
    fs::create_dir(&folder).unwrap();
    fs::copy(demo(), folder.join("1-2")).unwrap();
    let mut command = program();
    command.current_dir(dir.path()).args(["convert", ".meshwright-ghijkl.tmp/1-2", "-o", "other.glb"]);
    assert_eq!(code(&command.output().unwrap()), 0);
    assert_eq!(names(&folder), ["1-2"]);
}

#[test]
fn one_missing_file_decides_whoever_reads_the_rest() {
    let dir = TempDir::new().unwrap();
    let missing = dir.path().join("missing.dpm");
    let status = |stdout: Stdio| {
        let mut command = program();
        command.arg("info").arg(&missing).arg(demo()).stderr(Stdio::null()).stdout(stdout);
        command.status().unwrap().code()
    };
    assert_eq!(status(Stdio::null()), Some(3));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(status(writer.into()), Some(3));
}

/// Runs a shell script in a folder; `$1` is the program and `$2` a model.
fn shell(folder: &Path, script: &str) -> std::process::Output {
    let words = ["-c", script, "sh", env!("CARGO_BIN_EXE_meshwright")];
    Command::new("sh").current_dir(folder).args(words).arg(demo()).output().unwrap()
}

#[test]
fn a_limit_on_the_size_of_standard_output_is_an_error() {
    let dir = TempDir::new().unwrap();
    for words in ["dump -q", "convert -q --to glb -o -"] {
        let output = shell(dir.path(), &format!("ulimit -f 1; exec \"$1\" {words} \"$2\" > out"));
        assert_eq!((output.status.code(), output.status.signal()), (Some(3), None), "{words}");
        assert!(stderr(&output).contains("error[cannot-write]"), "{}", stderr(&output));
    }
}

#[test]
fn results_are_not_written_into_what_is_read() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let groups = "1 4 10 1 run\n";
    fs::write(at("m.dpm.framegroups"), groups).unwrap();
    for command in ["dump m.dpm", "info .", "check m.dpm", "convert m.dpm --to glb -o -", "dump - < m.dpm"] {
        for into in ["m.dpm", "m.dpm.framegroups"] {
            if command.ends_with("< m.dpm") && into != "m.dpm" {
                continue;
            }
            fs::copy(demo(), at("m.dpm")).unwrap();
            let output = shell(dir.path(), &format!("exec \"$1\" {command} >> {into}"));
            assert_ne!(output.status.code(), Some(0), "{command} >> {into}");
            assert!(stderr(&output).contains("would be written into"), "{command}: {}", stderr(&output));
            assert_eq!(fs::read(at("m.dpm")).unwrap(), fs::read(demo()).unwrap(), "{command}");
            assert_eq!(fs::read_to_string(at("m.dpm.framegroups")).unwrap(), groups, "{command}");
        }
    }
    // A log among the models is not an input.
    fs::write(at("log.txt"), "before\n").unwrap();
    let output = shell(dir.path(), "exec \"$1\" info . >> log.txt");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(fs::read_to_string(at("log.txt")).unwrap().starts_with("before\n./m.dpm: "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_of_a_file_without_a_name_is_refused() {
    let dir = TempDir::new().unwrap();
    let script = "exec 3> gone.glb; rm gone.glb; exec \"$1\" convert -q --to glb -o /dev/fd/3 \"$2\"";
    let output = shell(dir.path(), script);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("no name any more"), "{}", stderr(&output));
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    let script = "exec 3> there.glb; exec \"$1\" convert -q --to glb -o /dev/fd/3 \"$2\"";
    assert_eq!(shell(dir.path(), script).status.code(), Some(0));
    assert!(fs::read(dir.path().join("there.glb")).unwrap().starts_with(b"glTF"));
}

#[test]
fn names_may_be_as_long_as_a_system_allows() {
    let dir = TempDir::new().unwrap();
    let stem = "n".repeat(246);
    let model = dir.path().join(format!("{stem}.dpm"));
    fs::copy(demo(), &model).unwrap();
    for to in ["glb", "gltf", "obj", "bmd", "zym", "fso", "cmodel"] {
        let folder = dir.path().join(format!("{to}/"));
        let output = program().args(["convert", "-q", "--to", to, "-o"]).args([&folder, &model]).output();
        let output = output.unwrap();
        assert_eq!(code(&output), 0, "{to}: {}", stderr(&output));
        let named = dir.path().join(format!("{stem}.{to}"));
        let output = program().args(["convert", "-q", "--to", to, "-o"]).args([&named, &model]).output();
        let output = output.unwrap();
        assert_eq!(code(&output), 0, "{to}: {}", stderr(&output));
        assert!(named.is_file());
    }
}

#[test]
fn no_error_is_longer_than_4_kib() {
    let long = "x".repeat(60_000);
    for words in [
        args(&["info", "--as", &long, "y"]),
        args(&["info", &format!("--{long}")]),
        args(&[&long]),
        args(&["info", &long]),
        args(&["convert", "y", "-o", &format!("a.{long}")]),
        args(&["convert", "-q", demo().to_str().unwrap(), "-o-", "--to=obj", &format!("--pose={long}:1")]),
    ] {
        let output = run(&words);
        assert!(matches!(code(&output), 2 | 3), "{:?}", words[0]);
        assert!((10..=4096).contains(&output.stderr.len()), "{:?} {}", words[0], output.stderr.len());
        let json = run(words.into_iter().chain(args(&["--format=json"])));
        let document: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap_or_default();
        let error = [&document["error"], &document["files"][0]["error"]].map(ToString::to_string);
        assert!(error.iter().all(|e| e.len() <= 4096), "{}", error[0].len());
    }
    // Messages of clap repeat words of the command line.
    let output = run(["\u{1b}[31m\u{9b}2J\u{202e}"]);
    assert_eq!(stderr(&output).chars().find(|c| *c != '\n' && meshwright::acts_on_terminal(*c)), None);
}

/// A signal ends a run that waits for a reader of its pipe, even if the parent process had set the signal to be
/// ignored.
#[test]
fn signals_end_a_run_that_waits_for_a_reader() {
    for out in ["out.glb", "out.obj"] {
        for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
            for ignored in ["", "trap '' INT HUP QUIT TERM; "] {
                let dir = TempDir::new().unwrap();
                assert!(Command::new("mkfifo").arg(dir.path().join(out)).status().unwrap().success());
                let script = format!("{ignored}exec \"$1\" convert -q \"$2\" -o {out}");
                let words = ["-c", &script, "sh", env!("CARGO_BIN_EXE_meshwright")];
                let mut child =
                    Command::new("sh").current_dir(dir.path()).args(words).arg(demo()).spawn().unwrap();
                let start = Instant::now();
                let id = child.id().to_string();
                // A signal that arrives before the run waits may be ignored, as the parent process asked.
                let status = loop {
                    assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
                    std::thread::sleep(Duration::from_millis(20));
                    if let Some(status) = child.try_wait().unwrap() {
                        break status;
                    }
                    if start.elapsed() > Duration::from_secs(20) {
                        child.kill().unwrap();
                        child.wait().unwrap();
                        panic!("SIG{signal} does not end it: {out} {ignored}");
                    }
                };
                assert_eq!(status.signal(), Some(number), "{out} {ignored}");
                assert_eq!(names(dir.path()), [out], "SIG{signal} {ignored}");
            }
        }
    }
}
