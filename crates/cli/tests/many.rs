//! Tests runs over many files: selection, order and interruptions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, program, run, stderr, stdout, write_alike};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use tempfile::TempDir;

/// Returns a folder with three models in two folders, and one that is broken.
fn models() -> TempDir {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("in/sub")).unwrap();
    for name in ["in/a.dpm", "in/b.dpm", "in/sub/c.dpm"] {
        fs::copy(demo(), at(name)).unwrap();
    }
    fs::copy(testdata().join("dpm/parent.reject.dpm"), at("in/aa.dpm")).unwrap();
    dir
}

fn files(output: &std::process::Output) -> Vec<String> {
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |file: &Value| file["file"].as_str().unwrap().replace('\\', "/");
    document["files"].as_array().unwrap().iter().map(name).collect()
}

fn listed(dir: &TempDir, words: &[&str]) -> Vec<String> {
    let mut command = program();
    command.current_dir(dir.path()).args(["check", "--format=json"]).args(words);
    files(&command.output().unwrap())
}

#[test]
fn patterns_exclusions_and_lists_choose_files() {
    let dir = models();
    assert_eq!(listed(&dir, &["in"]), ["in/a.dpm", "in/aa.dpm", "in/b.dpm", "in/sub/c.dpm"]);
    assert_eq!(listed(&dir, &["in/a*.dpm"]), ["in/a.dpm", "in/aa.dpm"]);
    assert_eq!(listed(&dir, &["**/?.dpm"]), ["in/a.dpm", "in/b.dpm", "in/sub/c.dpm"]);
    assert_eq!(listed(&dir, &["in", "--exclude", "sub", "--exclude", "aa.*"]), ["in/a.dpm", "in/b.dpm"]);
    assert_eq!(listed(&dir, &["in", "--exclude", "sub/*"]).len(), 3);
    assert_eq!(listed(&dir, &["in/*.dpm", "--exclude", "aa.dpm"]), ["in/a.dpm", "in/b.dpm"]);
    fs::write(dir.path().join("list"), "\u{feff}in/b.dpm\r\n\nin/a.dpm\n").unwrap();
    assert_eq!(listed(&dir, &["--files-from", "list"]), ["in/b.dpm", "in/a.dpm"]);
    assert_eq!(listed(&dir, &["in/sub", "--files-from=list"]), ["in/sub/c.dpm", "in/b.dpm", "in/a.dpm"]);
    let mut child = program()
        .current_dir(dir.path())
        .args(["check", "--format=json", "--files-from", "-", "-0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"in/b.dpm\0in/a.dpm\0").unwrap();
    assert_eq!(files(&child.wait_with_output().unwrap()), ["in/b.dpm", "in/a.dpm"]);
    for wrong in
        [&["none/*.dpm"][..], &["--files-from", "none"], &["in", "-0"], &["in", "--exclude", "["], &[]]
    {
        let output = program().current_dir(dir.path()).arg("check").args(wrong).output().unwrap();
        assert_eq!(code(&output), 2, "{wrong:?}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn links_inside_folders_are_followed_on_request() {
    let dir = models();
    std::os::unix::fs::symlink("sub", dir.path().join("in/link")).unwrap();
    std::os::unix::fs::symlink("..", dir.path().join("in/sub/up")).unwrap();
    std::os::unix::fs::symlink("/", dir.path().join("in/out")).unwrap();
    assert_eq!(listed(&dir, &["in"]).len(), 4);
    let followed = listed(&dir, &["in", "--follow"]);
    assert_eq!(followed.len(), 5, "{followed:?}");
    assert!(followed.contains(&"in/link/c.dpm".to_owned()), "{followed:?}");
}

#[test]
fn the_first_failure_ends_a_run_on_request() {
    let dir = models();
    for jobs in ["1", "4"] {
        let output = program()
            .current_dir(dir.path())
            .args(["convert", "in", "-o", "out", "--fail-fast", "-j", jobs])
            .output()
            .unwrap();
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        let out = dir.path().join("out");
        assert!(out.join("a.glb").exists(), "-j {jobs}");
        assert!(!out.join("b.glb").exists() && !out.join("sub/c.glb").exists(), "-j {jobs}");
        let said = stderr(&output);
        assert!(said.contains("1 converted, 1 failed, 2 not processed after that"), "{said}");
        fs::remove_dir_all(dir.path().join("out")).unwrap();
    }
}

#[test]
fn outputs_that_are_there_are_kept_on_request() {
    let dir = models();
    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("a.glb"), b"mine").unwrap();
    let convert = |more: &[&str]| {
        let mut command = program();
        command
            .current_dir(dir.path())
            .args(["convert", "in", "-o", "out", "--exclude", "aa.dpm"])
            .args(more);
        command.output().unwrap()
    };
    let output = convert(&["--no-clobber"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("2 converted, 1 kept because their outputs exist"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read(out.join("a.glb")).unwrap(), b"mine");
    assert!(out.join("b.glb").exists() && out.join("sub/c.glb").exists());
    // Without it whole files are replaced.
    assert_eq!(code(&convert(&[])), 0);
    assert_ne!(fs::read(out.join("a.glb")).unwrap(), b"mine");
    // If one of several files that belong together exists, none is written.
    let one = dir.path().join("one");
    fs::create_dir(&one).unwrap();
    fs::write(one.join("m.mtl"), b"mine").unwrap();
    let output = program()
        .args(["convert", "--no-clobber", "--no-companions", "-o"])
        .args([one.join("m.obj"), demo()])
        .output()
        .unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("--no-clobber keeps it"), "{}", stderr(&output));
    assert_eq!(names(&one), ["m.mtl"]);
}

#[test]
fn colours_are_as_they_are_asked_for() {
    let bad = testdata().join("dpm/parent.reject.dpm");
    let colored = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = program();
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.arg("check").arg(&bad).args(words).envs(variables.iter().copied());
        stdout(&command.output().unwrap()).contains('\u{1b}')
    };
    assert!(!colored(&[], &[]) && colored(&["--color", "always"], &[]));
    assert!(!colored(&["--color=never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]) && !colored(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(colored(&["--color=always"], &[("NO_COLOR", "1")]));
    let info = run([&args(&["info", "--color=always"])[..], &[demo().into()]].concat());
    assert!(stdout(&info).contains("\u{1b}[1m"), "{}", stdout(&info));
}

/// An interrupted run leaves only complete files and reports its progress.
#[cfg(unix)]
#[test]
fn an_interrupted_run_says_where_it_was() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("in")).unwrap();
    let inputs: Vec<_> = (0..8).map(|i| format!("in/{i}.dpm")).collect();
    for input in &inputs {
        fs::copy(demo(), dir.path().join(input)).unwrap();
    }
    // Nobody writes into the pipe: there the run waits.
    let pipe = dir.path().join(&inputs[5]);
    fs::remove_file(&pipe).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = program()
        .current_dir(dir.path())
        .args(["convert", "-o", "out/", "-q", "-j1"])
        .args(&inputs)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !dir.path().join("out/4.glb").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it does not wait");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let interrupt = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), None, "the signal ends it");
    let said = stderr(&output);
    assert!(
        said.contains("interrupted: ") && said.contains(" of 8 files were finished, the last in/"),
        "{said}"
    );
    assert_eq!(names(&dir.path().join("out")), ["0.glb", "1.glb", "2.glb", "3.glb", "4.glb"]);
    for name in names(&dir.path().join("out")) {
        let bytes = fs::read(dir.path().join("out").join(&name)).unwrap();
        let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
        assert_eq!(u64::from(length), bytes.len() as u64, "{name} is whole");
    }
}

#[cfg(unix)]
#[test]
fn places_that_take_nothing_are_told() {
    // A full disk.
    if std::path::Path::new("/dev/full").exists() {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = program().arg("info").arg(demo()).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(code(&output), 3);
        assert!(stderr(&output).contains("error[cannot-write]"), "{}", stderr(&output));
        let output = run([args(&["repair", "-o", "/dev/full"]), vec![demo().into()]].concat());
        assert_eq!(code(&output), 3, "{}", stderr(&output));
    }
    // A closed pipe.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    for command in ["info", "check", "explain"] {
        let mut words = vec![command];
        let demo = demo();
        if command != "explain" {
            words.push(demo.to_str().unwrap());
        }
        let status =
            program().args(&words).stdout(writer.try_clone().unwrap()).stderr(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(3), "{command}");
    }
}

/// One run processes ten thousand files, most of which are not models.
#[test]
fn ten_thousand_files_are_one_run() {
    let dir = TempDir::new().unwrap();
    let small = fs::read(testdata().join("bmd/empty.ok.bmd")).unwrap();
    for folder in 0..100 {
        let path = dir.path().join(format!("{folder:02}"));
        fs::create_dir(&path).unwrap();
        let (models, texts): (Vec<_>, Vec<_>) = (0..100).partition(|file| file % 10 == 0);
        write_alike(models.into_iter().map(|file| path.join(format!("{file:02}.bmd"))), &small);
        write_alike(texts.into_iter().map(|file| path.join(format!("{file:02}.txt"))), b"text");
    }
    let output = run([args(&["info"]), vec![dir.path().into()]].concat());
    assert_eq!(code(&output), 0);
    assert_eq!(stdout(&output).lines().count(), 1000);
    let said = stderr(&output);
    assert!(said.contains("1000 read, 9000 files are not models (9000 .txt)"), "{said}");
    // Losses that many files share are printed once.
    let models = TempDir::new().unwrap();
    for number in 0..120 {
        fs::copy(demo(), models.path().join(format!("{number:03}.dpm"))).unwrap();
    }
    let convert = |more: &[&str]| {
        let out: std::ffi::OsString = models.path().join("out/").into();
        let words = [args(&["convert"]), args(more), vec![models.path().into(), "-o".into(), out]].concat();
        stderr(&run(words))
    };
    let said = convert(&[]);
    for kind in ["note[loop-period]", "lost[bone-flags]"] {
        let lines: Vec<_> = said.lines().filter(|line| line.starts_with(kind)).collect();
        assert!(
            matches!(*lines, [line] if line.contains("in 120 files: ") && line.contains("--verbose")),
            "{said}"
        );
    }
    assert!(said.contains("\nwrote 120 files (") && said.ends_with("\n120 converted\n"), "{said}");
    assert!(said.lines().count() < 10, "{said}");
    let all = convert(&["--verbose"]);
    assert!(all.matches("note[loop-period]").count() >= 120 && all.matches("\nwrote ").count() >= 120);
}

/// Returns the output on a terminal with this many columns, through `script` of util-linux; `None` if that is
/// missing.
#[cfg(target_os = "linux")]
fn on_terminal(dir: &std::path::Path, columns: u32, line: &str) -> Option<String> {
    let command = format!("stty cols {columns} rows 40; {} {line}", env!("CARGO_BIN_EXE_meshwright"));
    let mut script = std::process::Command::new("script");
    script.current_dir(dir).args(["-qec", &command, "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
    let output = script.stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_colours_a_bar_and_no_binary_files() {
    let dir = models();
    let of = |columns, line: &str| on_terminal(dir.path(), columns, line);
    let Some(said) = of(100, "convert in/a.dpm --to glb -o -") else { return };
    assert!(said.contains("is a terminal, and the output is binary"), "{said:?}");
    assert!(!said.contains("glTF\u{2}"), "{said:?}");
    let said = of(40, "info in/a.dpm").unwrap();
    let plain = |line: &str| line.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "").trim_end().to_owned();
    let widest = said.lines().map(|line| plain(line).chars().count()).max().unwrap();
    assert!(said.contains("\u{1b}[1m") && (30..=40).contains(&widest), "{widest}: {said}");
    let shown = |line: &str| of(100, line).unwrap().contains("/4 ");
    assert!(shown("check in") && !shown("check in -q"));
    // A pipe gets neither.
    let piped = of(100, "check in 2>&1 | cat").unwrap();
    assert!(!piped.contains('\u{1b}') && !piped.contains("/4 "), "{piped:?}");
}
