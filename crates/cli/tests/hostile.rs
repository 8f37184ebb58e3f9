//! Runs the program with hostile files, names and file systems.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, program, run, stderr, stdout};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// Returns the one JSON document that a run printed.
fn document(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {:?} {}", stdout(output), stderr(output)))
}

#[test]
fn every_failure_has_a_code_a_line_and_a_json_document() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("junk.bin"), b"no model at all").unwrap();
    fs::write(at("empty.dpm"), b"").unwrap();
    fs::write(at("empty.bin"), b"").unwrap();
    fs::create_dir(at("folder")).unwrap();
    fs::copy(testdata().join("dpm/parent.reject.dpm"), at("bad.dpm")).unwrap();
    let out = at("out.bin");
    let commands: [&[&str]; 5] =
        [&["info"], &["check"], &["dump"], &["convert", "--to", "glb", "-o"], &["optimize", "-o"]];
    for command in commands {
        for (file, status, error) in [
            ("none.dpm", 3, "cannot-read"),
            ("junk.bin", 3, "unknown-format"),
            ("empty.dpm", 1, "empty-file"),
            ("empty.bin", 3, "empty-file"),
            ("bad.dpm", 1, "bad-parent"),
            ("folder", 3, if matches!(command[0], "dump" | "optimize") { "cannot-read" } else { "no-model" }),
        ] {
            let mut words = args(command);
            if words.last().unwrap() == "-o" {
                words.push(out.clone().into());
            }
            words.push(at(file).into());
            let text = run(&words);
            words.push("--format=json".into());
            let json = run(&words);
            assert_eq!((code(&text), code(&json)), (status, status), "{words:?}: {}", stderr(&text));
            let said = stdout(&text) + &stderr(&text);
            assert!(said.contains(&format!("error[{error}]")), "{words:?}: {said}");
            assert!(said.lines().all(|line| line.len() < 4096));
            let json = document(&json);
            assert!(error == "no-model" || json.to_string().contains(&format!("\"{error}\"")), "{json}");
            assert!(!out.exists(), "{words:?}");
        }
    }
    assert_eq!(names(dir.path()), ["bad.dpm", "empty.bin", "empty.dpm", "folder", "junk.bin"]);
}

#[test]
fn wrong_arguments_are_a_document_too() {
    for words in [
        args(&["info", "--format", "json"]),
        args(&["info", "--format=json", "--as", "nonsense", "x"]),
        args(&["convert", "--format=json", "x.dpm", "-o", "x.nonsense"]),
        args(&["check", "--format=json", "--max-memory", "1T", "x"]),
    ] {
        let output = run(&words);
        assert_eq!(code(&output), 2, "{words:?}");
        let json = document(&output);
        assert_eq!(json["error"]["code"], "usage", "{json}");
        assert_eq!(json["files"].as_array().unwrap().len(), 0);
    }
}

#[test]
fn a_conversion_that_cannot_be_written_is_not_reported_as_done() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("a.glb");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("b.glb"), b"").unwrap();
    let target = out.join("b.glb/c.glb");
    let mut words = args(&["convert", "--format=json", "-o"]);
    words.extend([target.into(), demo().into()]);
    let output = run(&words);
    assert_eq!(code(&output), 3);
    let json = document(&output);
    assert_eq!(json["files"][0]["error"]["code"], "cannot-write", "{json}");
    // The name of a temporary file is not printed.
    assert!(!json.to_string().contains(".meshwright-"), "{json}");
    assert!(json["files"][0].get("losses").is_none());
}

#[test]
fn an_output_never_takes_the_place_of_its_input() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("m.dpm");
    fs::copy(demo(), &model).unwrap();
    let link = dir.path().join("link.glb");
    fs::hard_link(&model, &link).unwrap();
    let before = fs::read(&model).unwrap();
    for (command, out) in [("convert", &model), ("convert", &link), ("dump", &model)] {
        let mut words = args(&[command]);
        words.extend([model.clone().into(), "-o".into(), out.into()]);
        if command == "convert" {
            words.extend(args(&["--to", "glb"]));
        }
        let output = run(&words);
        assert_eq!(code(&output), 2, "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("would replace"), "{}", stderr(&output));
    }
    // Made smaller it is another file.
    let bmd = dir.path().join("m.bmd");
    fs::copy(testdata().join("bmd/windmill.ok.bmd"), &bmd).unwrap();
    let mut words = args(&["optimize", "-o"]);
    words.extend([bmd.clone().into(), bmd.clone().into()]);
    assert_eq!(code(&run(&words)), 2);
    assert_eq!(fs::read(&bmd).unwrap(), fs::read(testdata().join("bmd/windmill.ok.bmd")).unwrap());
    fs::remove_file(bmd).unwrap();
    // The materials of an .obj, and the skeleton that was named.
    let mtl = dir.path().join("m.mtl");
    fs::copy(demo(), &mtl).unwrap();
    let mut words = args(&["convert", "-o"]);
    words.extend([dir.path().join("m.obj").into(), mtl.clone().into()]);
    assert_eq!(code(&run(&words)), 2);
    let skeleton = dir.path().join("s.glb");
    fs::copy(testdata().join("tso/flower.ok.skel"), &skeleton).unwrap();
    let mut words = args(&["convert", "--skeleton"]);
    words.extend([skeleton.clone().into(), testdata().join("tso/flower.ok.mesh").into()]);
    words.extend(["-o".into(), skeleton.into()]);
    assert_eq!(code(&run(&words)), 2);
    assert_eq!(fs::read(&model).unwrap(), before);
    assert_eq!(fs::read(&mtl).unwrap(), before);
    assert_eq!(names(dir.path()), ["link.glb", "m.dpm", "m.mtl", "s.glb"]);
}

#[test]
fn what_was_found_beside_a_model_is_an_input_too() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::copy(demo(), at("m.dpm")).unwrap();
    fs::write(at("skin.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let binding = fs::read(testdata().join("tso/flower.ok.bnd")).unwrap();
    let mesh = meshwright::tso::Bnd::parse(&binding).unwrap().mesh.unwrap();
    fs::write(at("any.bnd"), &binding).unwrap();
    let mesh = at(&format!("body.{}.mesh", mesh.tag()));
    fs::copy(testdata().join("tso/flower.ok.mesh"), &mesh).unwrap();
    for (model, out) in [(at("m.dpm"), at("skin.png")), (mesh, at("any.bnd"))] {
        let before = fs::read(&out).unwrap();
        let mut words = args(&["convert", "--textures", "--to=glb", "-o"]);
        words.extend([out.clone().into(), model.into()]);
        let output = run(&words);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("would replace an input"), "{}", stderr(&output));
        assert_eq!(fs::read(out).unwrap(), before);
    }
}

#[test]
fn names_cannot_drive_a_terminal_and_reach_json_whole() {
    let dir = TempDir::new().unwrap();
    let name = if cfg!(windows) { "a\u{202e}b.dpm" } else { "a\u{1b}[31m\u{202e}b\n.dpm" };
    let path = dir.path().join(name);
    fs::copy(demo(), &path).unwrap();
    let mut words = args(&["info"]);
    words.push(path.clone().into());
    let text = run(&words);
    assert_eq!(stdout(&text).lines().filter(|line| line.contains("dpm: ")).count(), 1);
    assert!(!stdout(&text).chars().any(|c| c == '\u{1b}' || c == '\u{202e}'));
    words.push("--format=json".into());
    assert_eq!(document(&run(&words))["files"][0]["file"], path.to_str().unwrap());
    let output = run(args(&["info", "--as", "x\u{1b}[31m", "y"]));
    assert!(!stderr(&output).contains('\u{1b}'));
}

/// Bones of a DPM file whose names are a C1 control, DEL and a mark of direction as bytes, and a file with such a name.
#[test]
fn json_of_hostile_names_is_exact_and_does_not_act_on_a_terminal() {
    let dir = TempDir::new().unwrap();
    let mut bytes = fs::read(demo()).unwrap();
    let bones = u32::from_be_bytes(bytes[68..72].try_into().unwrap()) as usize;
    bytes[bones..bones + 4].copy_from_slice(b"\x9b\x7f\x85\0");
    let path = dir.path().join("a\u{61c}\u{200f}\u{2029}.dpm");
    fs::write(&path, bytes).unwrap();
    let of = |words: &[&str]| {
        let mut words = args(words);
        words.push(path.clone().into());
        let output = run(&words);
        let acts = |c: &char| *c != '\n' && meshwright::acts_on_terminal(*c);
        assert_eq!((stdout(&output) + &stderr(&output)).chars().find(acts), None, "{words:?}");
        output
    };
    let json = document(&of(&["dump"]));
    assert_eq!(json["bones"][0]["name"], "\u{9b}\u{7f}\u{85}");
    assert!(json["source"].as_str().unwrap().contains("a\u{61c}\u{200f}\u{2029}.dpm"));
    for command in ["info", "check"] {
        of(&[command]);
        let json = document(&of(&[command, "--format=json"]));
        assert_eq!(json["files"][0]["file"], path.to_str().unwrap());
    }
}

#[test]
fn colour_is_for_terminals() {
    let bad = testdata().join("dpm/parent.reject.dpm");
    for command in ["info", "check"] {
        let output = program().arg(command).arg(&bad).env("TERM", "xterm").output().unwrap();
        assert!(!(stdout(&output) + &stderr(&output)).contains('\u{1b}'));
    }
}

#[test]
fn what_a_lenient_look_passes_over_is_said() {
    let bad = testdata().join("bmd/lod-range.reject.bmd");
    for (command, out) in
        [("info", None), ("dump", None), ("convert", Some("--to=glb")), ("optimize", Some("-q"))]
    {
        let mut words = args(&[command, "--lenient"]);
        words.push(bad.clone().into());
        words.extend(out.iter().flat_map(|word| ["-o-", word]).map(Into::into));
        let output = run(&words);
        let warned = stderr(&output).contains("warning[");
        assert_eq!(warned, out != Some("-q"), "{words:?}: {}", stderr(&output));
    }
}

/// Findings that are only counted are ignored too.
#[test]
fn a_flood_that_a_lenient_look_passes_over_is_no_error() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("m.dpm");
    let mut bytes = fs::read(demo()).unwrap();
    let word = |bytes: &[u8], at: usize| {
        usize::try_from(u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())).unwrap()
    };
    let (bones, frames, table) = (word(&bytes, 56), word(&bytes, 64), word(&bytes, 76));
    for frame in 0..frames {
        let poses = word(&bytes, table + 68 * frame + 64);
        for bone in 0..bones {
            bytes[poses + 48 * bone..][..4].copy_from_slice(&f32::NAN.to_be_bytes());
        }
    }
    fs::write(&model, bytes).unwrap();
    let check = |flags: &[&str]| {
        let mut words = args(flags);
        words.push(model.clone().into());
        run(&words)
    };
    let lenient = check(&["check", "--lenient", "--all"]);
    assert_eq!(code(&lenient), 0, "{}", stdout(&lenient));
    assert!(stdout(&lenient).contains("warning[non-finite] 43 more of these"), "{}", stdout(&lenient));
    let strict = check(&["check", "--all"]);
    assert_eq!(code(&strict), 1);
    assert!(stdout(&strict).contains("error[non-finite] 43 more of these"), "{}", stdout(&strict));
    let first = check(&["check"]);
    let more = "error[non-finite] 72 more of these; --all shows them";
    assert!(stdout(&first).contains(more), "{}", stdout(&first));
}

#[test]
fn poses_are_named_as_the_file_names_them() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("m.dpm");
    fs::copy(demo(), &model).unwrap();
    fs::write(dir.path().join("m.dpm.framegroups"), "1 4 10 1 run:fast\n5 4 10 1 0\n").unwrap();
    let dump = |pose: &str| {
        let mut words = args(&["dump", "-q", "--pose", pose]);
        words.push(model.clone().into());
        run(&words)
    };
    let found = dump("run:fast:2");
    assert_eq!(code(&found), 0, "{}", stderr(&found));
    assert_eq!(document(&found)["meshes"][0]["poses"][1]["clip"], 0);
    // A name goes before a number.
    assert_eq!(document(&dump("0:2"))["meshes"][0]["poses"][1]["clip"], 1);
    for wrong in ["run:fast", "walk:1", "1:99", ":99", "1:-1"] {
        let output = dump(wrong);
        assert_eq!(code(&output), 2, "{wrong}");
        assert!(stderr(&output).contains("error[usage]"), "{}", stderr(&output));
    }
}

#[test]
fn companions_are_found_named_or_left() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("tree.fom");
    fs::copy(testdata().join("fsomodel/gl3.warn.fom"), &model).unwrap();
    fs::write(dir.path().join("tree.json"), b"{ not json").unwrap();
    let mut words = args(&["check"]);
    words.push(model.clone().into());
    let broken = run(&words);
    assert_eq!(code(&broken), 1, "{}", stdout(&broken));
    words.push("--no-companions".into());
    assert_eq!(code(&run(&words)), 0);
    // One that the model needs must be readable.
    fs::write(dir.path().join("tree.json"), " ".repeat(9000)).unwrap();
    let mut large = args(&["info", "--max-memory=8K", "--format=json"]);
    large.push(model.clone().into());
    let large = run(&large);
    assert_eq!(code(&large), 3, "{}", stderr(&large));
    let json = dir.path().join("tree.json");
    assert_eq!(document(&large)["files"][0]["error"]["companion"], json.to_str().unwrap());
    let mut named = args(&["info", "--metadata", "no/such.json", "--format=json"]);
    named.push(model.into());
    let missing = run(&named);
    assert_eq!(code(&missing), 3);
    assert_eq!(document(&missing)["files"][0]["error"]["companion"], "no/such.json");
}

#[test]
fn each_mesh_of_a_figure_has_its_own_texture() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let mesh = fs::read(testdata().join("tso/flower.ok.mesh")).unwrap();
    let binding = fs::read(testdata().join("tso/flower.ok.bnd")).unwrap();
    let model = meshwright::tso::Bnd::parse(&binding).unwrap();
    let (mesh_id, texture_id) = (model.mesh.unwrap(), model.texture.unwrap());
    fs::write(at("head.mesh"), &mesh).unwrap();
    fs::write(at(&format!("body.{}.mesh", mesh_id.tag())), &mesh).unwrap();
    fs::write(at("body.bnd"), &binding).unwrap();
    // One pixel.
    let (head, width, bits) = ([58_u32, 0, 54, 40], [1_u32, 1], [1_u16, 24]);
    let mut bmp = b"BM".to_vec();
    bmp.extend(head.into_iter().chain(width).flat_map(u32::to_le_bytes));
    bmp.extend(bits.into_iter().flat_map(u16::to_le_bytes));
    bmp.extend([0, 4, 0, 0, 0, 0, 0xff00_00ff].into_iter().flat_map(u32::to_le_bytes));
    fs::write(at(&format!("skin.{}.bmp", texture_id.tag())), &bmp).unwrap();
    let mut words = args(&["convert", "--textures", "-o"]);
    words.extend([at("out.glb").into(), at("head.mesh").into()]);
    words.push(at(&format!("body.{}.mesh", mesh_id.tag())).into());
    let output = run(&words);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let glb = fs::read(at("out.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    assert_eq!(json["meshes"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(json["images"].as_array().unwrap().len(), 1, "{json}");
    assert!(json["materials"].to_string().contains("skin."), "{json}");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::common::ordinary;
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    fn fifo(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// Returns whether child processes ignore a signal, like processes that a shell starts in the background.
    fn ignored(signal: u32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1)
    }

    #[test]
    fn a_signal_leaves_no_temporary_file() {
        for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
            if ignored(number) {
                eprintln!("SIG{signal} is ignored here: not tried");
                continue;
            }
            let dir = TempDir::new().unwrap();
            // The .mtl is finished first; the .obj has no reader.
            let out = dir.path().join("out.obj");
            fifo(&out);
            fs::write(dir.path().join("out.mtl"), b"old").unwrap();
            let mut words = args(&["convert", "-q", "-o"]);
            words.extend([out.into(), demo().into()]);
            let mut child = program().args(&words).spawn().unwrap();
            let start = Instant::now();
            while names(dir.path()).len() < 3 {
                assert!(start.elapsed() < Duration::from_secs(30), "no temporary file appeared");
                std::thread::sleep(Duration::from_millis(5));
            }
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
            let status = child.wait().unwrap();
            assert!(status.signal().is_some(), "{signal}: {status}");
            assert_eq!(names(dir.path()), ["out.mtl", "out.obj"], "{signal}");
            assert_eq!(fs::read(dir.path().join("out.mtl")).unwrap(), b"old");
        }
    }

    #[test]
    fn standard_output_has_other_names() {
        for name in ["/dev/stdout", "/dev/fd/1"] {
            let mut words = args(&["convert", "--to", "dpm", "-o", name]);
            words.push(demo().into());
            let output = run(&words);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert_eq!(output.stdout, fs::read(demo()).unwrap());
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        for words in [
            args(&["convert", "-q", "--to", "glb", "-o", "/dev/full"]),
            args(&["dump", "-q", "-o", "/dev/full"]),
        ] {
            let output = program().args(&words).arg(demo()).output().unwrap();
            assert_eq!(code(&output), 3, "{words:?}");
            assert!(stderr(&output).contains("error[cannot-write]") && stderr(&output).lines().count() == 1);
        }
        for words in
            [args(&["info"]), args(&["check"]), args(&["dump"]), args(&["convert", "--to=glb", "-o-"])]
        {
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            let output = program().args(&words).arg(demo()).stdout(full).output().unwrap();
            assert_eq!(code(&output), 3, "{words:?}");
        }
    }

    #[test]
    fn a_pipe_is_written_to_and_read_from() {
        let dir = TempDir::new().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fifo(&from);
        fifo(&to);
        let mut words = args(&["convert", "--to", "dpm", "-o"]);
        words.extend([to.clone().into(), from.clone().into()]);
        let mut child = program().args(&words).spawn().unwrap();
        fs::write(&from, fs::read(demo()).unwrap()).unwrap();
        assert_eq!(fs::read(&to).unwrap(), fs::read(demo()).unwrap());
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn results_lost_on_a_closed_pipe_are_no_success_and_help_is_no_result() {
        for (words, status) in
            [(args(&["--help"]), 0), (args(&["info", "--format=json"]), 3), (args(&["check"]), 3)]
        {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let mut command = program();
            command.args(&words).stdout(writer);
            if words[0] != "--help" {
                command.arg(demo());
            }
            assert_eq!(command.status().unwrap().code(), Some(status), "{words:?}");
        }
    }

    #[test]
    fn names_need_not_be_text() {
        let dir = TempDir::new().unwrap();
        let model = dir.path().join(OsStr::from_bytes(b"n\xff.dpm"));
        if fs::copy(demo(), &model).is_err() {
            return; // A file system that wants text.
        }
        for words in [args(&["info"]), args(&["check", "--format=json"]), args(&["dump"])] {
            assert_eq!(code(&program().args(&words).arg(&model).output().unwrap()), 0);
        }
        let out = dir.path().join("out/");
        let output = program().args(["convert", "-o"]).args([&out, &model]).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(names(&out).len(), 1);
        // A companion has the same bytes in its name.
        fs::write(dir.path().join(OsStr::from_bytes(b"n\xff.dpm.framegroups")), "1 4 10 1 run\n").unwrap();
        let dump = program().args(["dump", "-q", "--pose=run:2"]).arg(&model).output().unwrap();
        assert_eq!(code(&dump), 0, "{}", stderr(&dump));
        let option = program().args(["info", "--as"]).arg(OsStr::from_bytes(b"\xff")).output().unwrap();
        assert_eq!(code(&option), 2);
    }

    #[test]
    fn standard_input_may_have_a_name_that_no_output_takes() {
        let dir = TempDir::new().unwrap();
        let model = dir.path().join("m.dpm");
        fs::copy(demo(), &model).unwrap();
        let stdin = fs::File::open(&model).unwrap();
        let mut command = program();
        command.args(["convert", "--to=glb", "-", "-o"]).arg(&model).stdin(stdin);
        assert_eq!(code(&command.output().unwrap()), 2);
        assert_eq!(fs::read(&model).unwrap(), fs::read(demo()).unwrap());
    }

    /// If the system refuses further threads, one thread does the work.
    #[cfg(target_os = "linux")]
    #[test]
    fn threads_need_not_be_available() {
        let Some((own, program)) = ordinary() else {
            meshwright_testkit::skipped("threads_need_not_be_available", "no other user to be");
            return;
        };
        let (path, words) = program.split_last().unwrap();
        fs::copy(demo(), own.path().join("h.dpm")).unwrap();
        fs::set_permissions(own.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let run = |args: &[&str]| {
            let words =
                words.iter().cloned().chain(["prlimit", "--nproc=1"].map(Into::into)).chain([path.clone()]);
            let words: Vec<OsString> = words.chain(args.iter().map(Into::into)).collect();
            Command::new(&words[0]).args(&words[1..]).current_dir(own.path()).output().unwrap()
        };
        for args in [
            &["render", "h.dpm", "-o", "h.png"][..],
            &["diff", "h.dpm", "h.dpm", "--picture", "d.png"],
            &["convert", "h.dpm", "-o", "h.glb"],
            &["check", ".", "--jobs", "3"],
        ] {
            let output = run(args);
            assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
        }
        assert!(own.path().join("h.png").exists() && own.path().join("d.png").exists());
    }

    #[test]
    fn a_write_protected_file_stays_as_it_is() {
        let dir = TempDir::new().unwrap();
        let out = dir.path().join("out.glb");
        fs::write(&out, b"old").unwrap();
        fs::set_permissions(&out, fs::Permissions::from_mode(0o444)).unwrap();
        let output = program().args(["convert", "-o"]).args([&out, &demo()]).output().unwrap();
        assert_eq!(code(&output), 3);
        assert_eq!(fs::read(&out).unwrap(), b"old");
    }

    #[test]
    fn errors_on_a_closed_standard_error_do_not_end_the_run() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let bad = testdata().join("dpm/parent.reject.dpm");
        let mut command = program();
        command.arg("info").args([&bad, &demo()]).stderr(writer).stdout(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(code(&output), 1);
        assert!(stdout(&output).contains("DarkPlaces DPM"));
    }
}
