//! Tests packs as inputs of every command, and `pack`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{Watched, code, ok, program, run_in as run, stderr, tree, write_alike};
use meshwright_testkit::packs::{Method, pak, zip};
use meshwright_testkit::{patience, testdata};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

fn names(top: &Path) -> Vec<String> {
    tree(top).into_keys().collect()
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join(name)).unwrap()
}

/// Returns a game: a base pack, a pack that hides some of its files, a mod with another model, and files that are not models.
fn game() -> TempDir {
    let dir = TempDir::new().unwrap();
    let (hopper, groups) = (fixture("dpm/hopper.ok.dpm"), fixture("dpm/hopper.ok.dpm.framegroups"));
    let (quad, pair) = (fixture("dpm/quad.ok.dpm"), fixture("dpm/pair.ok.zym"));
    let base: &[(&str, &[u8])] = &[
        ("models/hopper.dpm", &hopper),
        ("models/hopper.dpm.framegroups", &groups),
        ("models/quad.dpm", b"hidden by the next pack"),
        ("models/old.md3", b"IDP3 and so on"),
        ("sound/a.ogg", b"OggS"),
    ];
    fs::create_dir_all(dir.path().join("game/data")).unwrap();
    fs::create_dir_all(dir.path().join("game/mod")).unwrap();
    let at = |name: &str| dir.path().join("game").join(name);
    fs::write(at("data/pak0.pak"), pak(base)).unwrap();
    fs::write(at("data/z.pk3"), zip(&[("Models/Quad.dpm", &quad)], Method::Deflated)).unwrap();
    fs::write(at("mod/m.pk3"), zip(&[("models/pair.zym", &pair)], Method::Stored)).unwrap();
    dir
}

#[test]
fn a_pack_is_a_folder() {
    let dir = game();
    let said = ok(dir.path(), &["info", "game/data/pak0.pak/models/hopper.dpm"]);
    assert!(said.contains("pak0.pak/models/hopper.dpm: ") && said.contains("2 clips"), "{said}");
    let said = ok(dir.path(), &["convert", "game/data/z.pk3", "-o", "one/"]);
    assert!(said.contains("1 converted"), "{said}");
    assert_eq!(names(&dir.path().join("one")), ["Models/Quad.glb"]);
    ok(dir.path(), &["convert", "game/data/pak0.pak/models/hopper.dpm", "-o", "h.glb"]);
    let said = ok(dir.path(), &["check", "-v", "game/data/z.pk3"]);
    assert!(said.contains("zip archive: ok"), "{said}");
    assert_eq!(code(&run(dir.path(), &["info", "game/data/z.pk3/none.dpm"])), 3);
    // Its own format, byte for byte, with what belongs to it.
    ok(dir.path(), &["convert", "game/data/pak0.pak/models/hopper.dpm", "-o", "back.dpm"]);
    assert_eq!(fs::read(dir.path().join("back.dpm")).unwrap(), fixture("dpm/hopper.ok.dpm"));
    assert!(dir.path().join("back.dpm.framegroups").exists());
}

#[test]
fn a_whole_game_is_what_its_engine_sees() {
    let dir = game();
    let said = ok(dir.path(), &["convert", "game", "-o", "out"]);
    assert!(said.contains("3 converted") && said.contains("1 file is hidden by another"), "{said}");
    assert!(said.contains("1 .md3: MD3 models are not supported; Noesis"), "{said}");
    assert_eq!(
        names(&dir.path().join("out")),
        ["data/Models/Quad.glb", "data/models/hopper.glb", "mod/models/pair.glb"]
    );
    let out = tree(&dir.path().join("out"));
    for jobs in ["1", "3"] {
        ok(dir.path(), &["convert", "game", "-o", "again", "-j", jobs, "--quiet"]);
        assert!(tree(&dir.path().join("again")) == out, "the same for any number of workers");
    }
    let said = ok(dir.path(), &["list", "game/data"]);
    assert!(said.contains("Models/Quad.dpm  (") && said.contains("z.pk3)"), "{said}");
    assert!(said.contains("1 file is hidden by another"), "{said}");
}

#[test]
fn a_pack_is_unpacked_edited_and_packed() {
    let dir = game();
    ok(dir.path(), &["unpack", "game/data/pak0.pak", "-o", "files"]);
    let all = [
        "models/hopper.dpm",
        "models/hopper.dpm.framegroups",
        "models/old.md3",
        "models/quad.dpm",
        "sound/a.ogg",
    ];
    assert_eq!(names(&dir.path().join("files")), all);
    let original = fs::read(dir.path().join("game/data/pak0.pak")).unwrap();
    ok(dir.path(), &["pack", "files", "--onto", "game/data/pak0.pak", "-o", "same.pak"]);
    assert!(fs::read(dir.path().join("same.pak")).unwrap() == original, "nothing was edited");
    fs::write(dir.path().join("files/models/quad.dpm"), fixture("dpm/quad.ok.dpm")).unwrap();
    let said = ok(dir.path(), &["pack", "files", "--onto", "game/data/pak0.pak", "-o", "edited.pak"]);
    assert!(said.contains("5 files, 4 untouched, 1 replaced"), "{said}");
    ok(dir.path(), &["info", "edited.pak/models/quad.dpm"]);
    for _ in 0..2 {
        ok(dir.path(), &["pack", "files", "-o", "new.pk3"]);
        let bytes = fs::read(dir.path().join("new.pk3")).unwrap();
        ok(dir.path(), &["pack", "new.pk3", "-o", "turn.pk3"]);
        assert!(fs::read(dir.path().join("turn.pk3")).unwrap() == bytes, "the same bytes every time");
    }
    for quiet in
        [&["unpack", "new.pk3/models", "-o", "part", "-q"][..], &["pack", "files", "-o", "q.pk3", "--quiet"]]
    {
        let out = run(dir.path(), quiet);
        assert!(code(&out) == 0 && out.stdout.is_empty() && out.stderr.is_empty(), "{}", stderr(&out));
    }
    assert_eq!(names(&dir.path().join("part"))[0], "hopper.dpm");
    assert_eq!(code(&run(dir.path(), &["pack", "files", "-o", "new.vp"])), 1);
    assert_eq!(code(&run(dir.path(), &["pack", "files", "-o", "new.glb"])), 2);
    let refused = run(dir.path(), &["unpack", "files", "-o", "x", "--quiet"]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("is not a pack"), "{}", stderr(&refused));
}

#[test]
fn nothing_is_written_outside_of_the_output() {
    let dir = TempDir::new().unwrap();
    let names_in = ["../out.txt", "/abs.txt", "a/../../up.txt", "..\\back.txt", "C:\\drive.txt", "good.txt"];
    let files: Vec<(&str, &[u8])> = names_in.iter().map(|name| (*name, &b"x"[..])).collect();
    fs::create_dir(dir.path().join("in")).unwrap();
    for (name, bytes) in [("in/x.pk3", zip(&files, Method::Stored)), ("in/x.pak", pak(&files))] {
        fs::write(dir.path().join(name), bytes).unwrap();
        let output = run(dir.path(), &["unpack", name, "-o", "deep/out", "--force"]);
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        assert_eq!(stderr(&output).matches("unsafe-name").count(), 5, "{}", stderr(&output));
    }
    assert_eq!(names(dir.path()), ["deep/out/good.txt", "in/x.pak", "in/x.pk3"]);
    // A link in the output leads out of it.
    #[cfg(unix)]
    {
        fs::create_dir(dir.path().join("linked")).unwrap();
        std::os::unix::fs::symlink("..", dir.path().join("linked/a")).unwrap();
        fs::write(dir.path().join("in/y.pk3"), zip(&[("a/escaped.txt", b"x")], Method::Stored)).unwrap();
        assert_eq!(code(&run(dir.path(), &["unpack", "in/y.pk3", "-o", "linked"])), 3);
        assert!(!dir.path().join("escaped.txt").exists());
    }
}

/// Writes a pack with a model and a large member of zeros, without holding it in memory.
fn with_zeros(path: &Path, zeros: u32) {
    use std::io::{Seek as _, SeekFrom, Write as _};
    let small = zip(&[("models/quad.dpm", &fixture("dpm/quad.ok.dpm"))], Method::Deflated);
    let end = small.len() - 22;
    let directory = end - 46 - "models/quad.dpm".len();
    let name = b"zeros.bin";
    let word = |n: u32| n.to_le_bytes();
    let fields =
        [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &word(0), &word(zeros), &word(zeros), &[9, 0, 0, 0]].concat();
    let head = [&small[..directory], b"PK\x03\x04", &fields, name].concat();
    let at = u32::try_from(head.len()).unwrap() + zeros;
    let start = u32::try_from(directory).unwrap();
    let entry = [b"PK\x01\x02\x14\x00", &fields[..], &[0; 10], &word(start), name].concat();
    let size = u32::try_from(end - directory + entry.len()).unwrap();
    let tail = [b"PK\x05\x06\0\0\0\0\x02\0\x02\0", &word(size)[..], &word(at), &[0, 0]].concat();
    let mut file = fs::File::create(path).unwrap();
    file.write_all(&head).unwrap();
    file.seek(SeekFrom::Start(at.into())).unwrap();
    file.write_all(&[&small[directory..end], &entry, &tail].concat()).unwrap();
}

#[test]
fn of_a_large_pack_the_model_is_read() {
    let dir = TempDir::new().unwrap();
    for zeros in [1 << 30, 500 << 20] {
        with_zeros(&dir.path().join("large.pk3"), zeros);
        let words = ["convert", "large.pk3", "-o", "out", "--max-memory", "32M"];
        let watched = Watched::run(dir.path(), &words);
        let said = stderr(&watched.output);
        assert_eq!(code(&watched.output), 0, "{said}");
        assert!(said.contains("1 converted") && said.contains("1 .bin"), "{said}");
        assert!(watched.peak.is_none_or(|kib| kib < 32 << 10), "{:?} KiB", watched.peak);
        assert!(watched.worked < Duration::from_secs(1) * patience(), "{:?}", watched.worked);
    }
}

#[test]
fn a_run_goes_on_where_the_last_one_ended() {
    let dir = game();
    let words = ["convert", "game", "-o", "out", "--manifest", "out.json", "--resume"];
    let said = ok(dir.path(), &words);
    assert!(said.contains("3 converted"), "{said}");
    let text = fs::read_to_string(dir.path().join("out.json")).unwrap();
    for part in [
        "\"input\": \"data/models/hopper.dpm\"",
        "\"pack\": \"pak0.pak\"",
        "\"member\": \"models/hopper.dpm.framegroups\"",
        "\"path\": \"data/models/hopper.glb\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let first = tree(&dir.path().join("out"));
    let said = ok(dir.path(), &words);
    assert!(said.contains("0 converted, 3 unchanged"), "{said}");
    assert_eq!(fs::read_to_string(dir.path().join("out.json")).unwrap(), text);
    // An output that is gone, and a part that is another, are made again.
    fs::remove_file(dir.path().join("out/mod/models/pair.glb")).unwrap();
    let loose = dir.path().join("game/data/models");
    fs::create_dir_all(&loose).unwrap();
    fs::write(loose.join("hopper.dpm.framegroups"), "0 2 10 1 other\n").unwrap();
    let said = ok(dir.path(), &words);
    assert!(said.contains("2 converted, 1 unchanged"), "{said}");
    fs::remove_file(loose.join("hopper.dpm.framegroups")).unwrap();
    ok(dir.path(), &words);
    assert!(tree(&dir.path().join("out")) == first);
    // Other options are another run.
    let other = [&words[..], &["--extras"]].concat();
    assert!(ok(dir.path(), &other).contains("3 converted"));
    // Parts are the whole.
    for part in ["1/2", "2/2"] {
        ok(dir.path(), &["convert", "game", "-o", "parts", "--shard", part]);
    }
    assert!(tree(&dir.path().join("parts")) == first);
    assert_eq!(code(&run(dir.path(), &["convert", "game", "-o", "parts", "--shard", "3/2"])), 2);
}

/// A killed run leaves a manifest, with which the next run continues.
#[test]
fn a_killed_run_is_resumed() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("in")).unwrap();
    let model = fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    write_alike((0..2000).map(|n| dir.join(format!("in/m{n}.dpm"))), &model);
    let words = ["convert", "in", "-o", "out", "--manifest", "m.json", "--jobs", "1", "--quiet"];
    let mut child = program().current_dir(dir).args(words).spawn().unwrap();
    while !dir.join("m.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the manifest is only written at the end");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(dir.join("m.json")).unwrap()).unwrap();
    let known = manifest["files"].as_array().unwrap().len();
    assert!((1..2000).contains(&known), "{known}");
    let said = ok(dir, &["convert", "in", "-o", "out", "--manifest", "m.json", "--resume"]);
    assert!(said.contains(&format!("{} converted, {known} unchanged", 2000 - known)), "{said}");
}
