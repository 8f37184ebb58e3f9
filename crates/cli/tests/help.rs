//! Help, examples, completions, manual pages, and suggestions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, names, program, run, stderr, stdout};
use meshwright::scene::Engine;
use meshwright::{Format, Target};
use meshwright_testkit::testdata;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Returns the commands that the program lists.
fn commands() -> Vec<String> {
    let help = stdout(&run(["--help"]));
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("    ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

/// Returns a folder with the files that the examples name.
fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("models")).unwrap();
    fs::create_dir_all(dir.path().join("game/models")).unwrap();
    for (from, to) in [
        ("dpm/hopper.ok.dpm", "hopper.dpm"),
        ("dpm/hopper.ok.dpm.framegroups", "hopper.dpm.framegroups"),
        ("dpm/hopper.ok.dpm", "models/hopper.dpm"),
        ("dpm/hopper.ok.dpm.framegroups", "models/hopper.dpm.framegroups"),
        ("dpm/hopper.ok.dpm", "game/models/hopper.dpm"),
        ("bmd/windmill.ok.bmd", "windmill.bmd"),
        ("iqm/tube.ok.iqm", "tube.iqm"),
        ("tso/flower.ok.mesh", "flower.mesh"),
        ("tso/flower.ok.skel", "flower.skel"),
        ("tso/sway.ok.anim", "sway.anim"),
    ] {
        fs::copy(testdata().join(from), dir.path().join(to)).unwrap();
    }
    for words in [&["pack", "game/", "-o", "data.pk3"], &["convert", "hopper.dpm", "-o", "hopper.glb"]] {
        assert_eq!(code(&program().current_dir(dir.path()).args(words).output().unwrap()), 0);
    }
    dir
}

#[test]
fn every_example_of_the_help_works() {
    let dir = folder();
    let own = Path::new(env!("CARGO_BIN_EXE_meshwright")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut count = 0;
    for command in commands() {
        let output = run([command.as_str(), "--help"]);
        let help = stdout(&output);
        let examples: Vec<_> = help
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|l| l.starts_with("meshwright "))
            .collect();
        assert!(!examples.is_empty(), "{command} has no examples:\n{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{command}:\n{help}");
        // A page is served until it is ended.
        for example in examples.iter().filter(|_| command != "view" && cfg!(unix)) {
            let mut shell = Command::new("sh");
            let output =
                shell.args(["-euc", example]).env("PATH", &path).current_dir(dir.path()).output().unwrap();
            assert_eq!(code(&output), 0, "{example}: {}{}", stdout(&output), stderr(&output));
            count += 1;
        }
    }
    assert!(count > 20 || cfg!(not(unix)), "{count} examples");
    let missing: Vec<_> =
        ["hopper.png", "hop.png", "sheet.png", "small.bmd", "flower.glb", "man1/meshwright-convert.1"]
            .into_iter()
            .filter(|name| cfg!(unix) && !dir.path().join(name).exists())
            .collect();
    assert!(missing.is_empty(), "{missing:?}");
    // Nothing is written by what only looks.
    assert!(!dir.path().join("planned.dpm").exists());
}

#[test]
fn completions_know_commands_formats_and_engines() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(["completions", shell]);
        assert_eq!(code(&output), 0, "{shell}");
        let script = stdout(&output);
        for word in ["convert", "lenient", "darkplaces", "gl3_60", "iqm"] {
            // Two of them complete no values.
            let is_value = !matches!(word, "convert" | "lenient");
            let known = script.contains(word) || is_value && matches!(shell, "elvish" | "powershell");
            assert!(known, "{shell} does not know {word}");
        }
    }
    assert_eq!(code(&run(["completions", "tcsh"])), 2);
    if Command::new("bash").arg("--version").output().is_ok_and(|o| o.status.success()) {
        let ask = format!(
            "source <('{}' completions bash); COMP_WORDS=(meshwright convert --to d); COMP_CWORD=3; \
             _meshwright meshwright d --to; echo \"${{COMPREPLY[@]}}\"",
            env!("CARGO_BIN_EXE_meshwright")
        );
        let output = Command::new("bash").args(["-c", &ask]).output().unwrap();
        assert_eq!(stdout(&output).trim(), "dpm", "{}", stderr(&output));
    }
}

#[test]
fn every_command_has_a_page_for_man() {
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("man1");
    assert_eq!(code(&run([Path::new("man").as_os_str(), folder.as_os_str()])), 0);
    let mut expected: BTreeSet<String> = commands().iter().map(|c| format!("meshwright-{c}.1")).collect();
    expected.insert("meshwright.1".into());
    assert_eq!(names(&folder).into_iter().collect::<BTreeSet<_>>(), expected);
    for name in &expected {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.contains(".TH ") && text.contains(".SH SYNOPSIS"), "{name}");
    }
    let convert = fs::read_to_string(folder.join("meshwright-convert.1")).unwrap();
    assert!(convert.contains("meshwright\\-convert") && convert.contains(".SH EXAMPLES\n"), "{convert}");
    // An output that cannot be written is an error with a reason.
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    let output = run([Path::new("man").as_os_str(), file.as_os_str()]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot-write"), "{}", stderr(&output));
}

#[test]
fn values_are_listed_as_they_are_known() {
    let listed = |option: &str| -> BTreeSet<String> {
        let help = stdout(&run(["convert", "--help"])).replace('\n', " ");
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let rest =
            help.split(&format!("{option} <")).nth(1).unwrap_or_else(|| panic!("no {option} in {help}"));
        let values = rest.split("[possible values: ").nth(1).unwrap().split(']').next().unwrap();
        values.split(", ").map(str::to_owned).collect()
    };
    let owned = |ids: &mut dyn Iterator<Item = &'static str>| ids.map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(listed("--as"), owned(&mut Format::ALL.iter().map(|f| f.id())));
    assert_eq!(listed("--to"), owned(&mut Target::all_named().map(Target::id)));
    assert_eq!(listed("--for"), owned(&mut Engine::ALL.into_iter().map(Engine::id).chain(["blender"])));
    assert!(listed("--dialect").contains("gl3_60"));
}

#[test]
fn the_short_help_is_for_one_screen_and_the_long_one_is_whole() {
    let long = stdout(&run(["convert", "--help"]));
    let short = stdout(&run(["convert", "-h"]));
    assert!(short.lines().count() <= 24, "{short}");
    assert!(short.lines().all(|line| line.chars().count() <= 80), "{short}");
    let groups = ["Output:", "Blender round trip:", "Batch:", "The Sims:", "Advanced:"];
    let places: Vec<_> = groups.iter().map(|group| long.find(&format!("\n{group}\n"))).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
    for option in ["--keep-native", "--tso-id", "--max-memory"] {
        assert!(long.contains(option) && !short.contains(&format!("  {option}")), "{option}");
    }
    assert!(short.contains("convert --help"), "{short}");
    let help = stdout(&run(["-h"]));
    let places: Vec<_> = ["Look", "Convert", "Check", "Expert", "Desktop"]
        .map(|group| help.find(&format!("\n  {group}\n")))
        .into();
    assert!(places.is_sorted() && places[0].is_some(), "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}

#[test]
fn a_file_without_a_command_is_answered_with_commands() {
    let hopper = testdata().join("dpm/hopper.ok.dpm");
    let output = run([&hopper]);
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    for command in ["info", "view", "convert"] {
        assert!(said.contains(&format!("meshwright {command} {}", hopper.display())), "{said}");
    }
}

#[test]
fn what_was_meant_is_said() {
    let hopper = testdata().join("dpm/hopper.ok.dpm");
    let hopper = hopper.to_str().unwrap();
    for (words, tip) in [
        (vec!["info", "--as", "framegroup", "x"], "similar value exists: 'framegroups'"),
        (vec!["convert", "x", "-o", "y", "--to", "gltff"], "'gltf'"),
        (vec!["convert", "x", "-o", "y", "--for", "darkplace"], "'darkplaces'"),
        (vec!["info", "--dialect", "seed4", "x"], "'seed44'"),
        (vec!["chekc", "x"], "'check'"),
    ] {
        let output = run(&words);
        assert_eq!(code(&output), 2, "{words:?}");
        assert!(stderr(&output).contains(tip), "{words:?}: {}", stderr(&output));
    }
    // Letters of either case, as before.
    assert_eq!(code(&run(["info", "--as", "DPM", hopper])), 0);
}
