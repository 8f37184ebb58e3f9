//! Tests `thumbnail` by the convention of file managers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, run, stderr, stdout};
use meshwright::Format;
use meshwright_testkit::testdata;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Returns the width, the height, and the number of pixels that are not transparent.
fn measure_png(path: &Path) -> (u32, u32, usize) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(fs::read(path).unwrap()));
    decoder.set_transformations(png::Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let count = pixels.chunks(4).filter(|p| p[3] > 0).count();
    (reader.info().width, reader.info().height, count)
}

fn packaging(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Returns the value of a key in a desktop file.
fn value(text: &str, key: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {key}")).to_owned()
}

#[test]
fn every_model_of_the_fixtures_has_a_thumbnail() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("x.png");
    for name in
        ["bmd/windmill.ok.bmd", "dpm/hopper.ok.dpm", "iqm/tube.ok.iqm", "tso/flag.ok.mesh", "gltf/arm.ok.glb"]
    {
        for size in ["32", "512"] {
            let model = testdata().join(name);
            let done = run([Path::new("thumbnail"), &model, &out, Path::new("--size"), Path::new(size)]);
            assert_eq!((code(&done), stdout(&done).as_str(), stderr(&done).as_str()), (0, "", ""), "{name}");
            let (width, height, count) = measure_png(&out);
            assert_eq!((width.to_string().as_str(), height), (size, width));
            assert!(count > width as usize, "{name}: {count} pixels");
        }
    }
}

#[test]
fn a_model_that_the_engine_does_not_draw_is_shown_by_its_bones() {
    let dir = TempDir::new().unwrap();
    let (model, out) = (dir.path().join("m.dpm"), dir.path().join("m.png"));
    let mut bytes = fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    for shader in [&b"models/hopper/skin"[..], b"models/hopper/eye"] {
        let at = bytes.windows(shader.len()).position(|part| part == shader).unwrap();
        bytes[at..at + shader.len()].fill(0);
        bytes[at..at + 13].copy_from_slice(b"common/nodraw");
    }
    fs::write(&model, bytes).unwrap();
    assert_eq!(code(&run([Path::new("thumbnail"), &model, &out])), 0);
    let count = measure_png(&out).2;
    assert!((20..3000).contains(&count), "{count} pixels");
}

#[test]
fn an_idle_clip_is_preferred_to_the_rest_pose() {
    let dir = TempDir::new().unwrap();
    let picture = |framegroups: &str, name: &str| {
        let model = dir.path().join("m.dpm");
        fs::copy(testdata().join("dpm/hopper.ok.dpm"), &model).unwrap();
        fs::write(dir.path().join("m.dpm.framegroups"), framegroups).unwrap();
        let out = dir.path().join(name);
        assert_eq!(code(&run([Path::new("thumbnail"), &model, &out])), 0);
        fs::read(out).unwrap()
    };
    let rest = picture("0 4 10 1 // die\n", "die.png");
    assert_eq!(picture("3 2 10 1 // walk\n", "walk.png"), rest);
    assert_ne!(picture("0 4 10 1 die1\n10 3 10 1 idle\n", "idle.png"), rest);
}

#[test]
fn a_file_that_is_no_picture_is_not_replaced() {
    let dir = TempDir::new().unwrap();
    let model = testdata().join("dpm/quad.ok.dpm");
    let out = dir.path().join("thumbnailer.XXXX");
    let drawn = || run([Path::new("thumbnail"), &model, &out]);
    for (before, status) in [(&b""[..], 0), (b"\x89PNG\r\n\x1a\nold", 0), (b"a letter", 2)] {
        fs::write(&out, before).unwrap();
        assert_eq!(code(&drawn()), status);
    }
    assert_eq!(fs::read(&out).unwrap(), b"a letter");
    // A program that created the empty file and keeps it open, such as tumbler, reads the picture from it.
    fs::write(&out, "").unwrap();
    let mut opened = fs::File::open(&out).unwrap();
    assert_eq!(code(&drawn()), 0);
    let mut head = [0; 4];
    std::io::Read::read_exact(&mut opened, &mut head).unwrap();
    assert_eq!(&head, b"\x89PNG");
    // Nor is the model itself.
    let own = dir.path().join("own.png");
    fs::copy(testdata().join("dpm/quad.ok.dpm"), &own).unwrap();
    assert_eq!(code(&run([Path::new("thumbnail"), &own, &own])), 2);
    // A file that cannot be read gives no picture.
    let none = dir.path().join("none.png");
    let broken = testdata().join("dpm/parent.reject.dpm");
    assert_eq!(code(&run([Path::new("thumbnail"), &broken, &none])), 1);
    assert!(!none.exists());
    for size in ["31", "513"] {
        assert_eq!(
            code(&run([Path::new("thumbnail"), &model, &none, Path::new("--size"), Path::new(size)])),
            2
        );
    }
}

#[test]
fn the_desktop_files_name_every_format_of_models() {
    let models = Format::ALL.iter().filter(|f| f.holds_model());
    let expected: BTreeSet<String> = models.map(|f| f.media_type()).collect();
    for file in ["meshwright.thumbnailer", "meshwright.desktop"] {
        let listed = value(&packaging(file), "MimeType");
        let listed: BTreeSet<String> =
            listed.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        // The other form of glTF.
        let ours: BTreeSet<String> = listed.into_iter().filter(|name| name != "model/gltf+json").collect();
        let missing: Vec<_> = expected.iter().filter(|name| !ours.contains(*name)).collect();
        assert!(
            missing.is_empty(),
            "{file}: add {}",
            missing.iter().map(|m| format!("{m};")).collect::<String>()
        );
        let extra: Vec<_> = ours.difference(&expected).collect();
        assert!(extra.is_empty(), "{file}: remove {extra:?}");
    }
}

/// Calls the thumbnailer like the desktop: it replaces `%i`, `%o` and `%s`, and lets the command write into a folder
/// that has only an empty file of an odd name.
#[test]
fn the_thumbnailer_entry_draws() {
    let exec = value(&packaging("meshwright.thumbnailer"), "Exec");
    let dir = TempDir::new().unwrap();
    let (out, model) = (dir.path().join("out.dat"), dir.path().join("-odd name ; $x.dpm"));
    fs::write(&out, "").unwrap();
    fs::copy(testdata().join("dpm/hopper.ok.dpm"), &model).unwrap();
    let words: Vec<String> = exec
        .split(' ')
        .map(|word| match word {
            "%i" => model.to_str().unwrap().to_owned(),
            "%o" => out.to_str().unwrap().to_owned(),
            "%s" => "128".to_owned(),
            word => word.to_owned(),
        })
        .collect();
    assert_eq!(words[0], "meshwright");
    let done = Command::new(env!("CARGO_BIN_EXE_meshwright")).args(&words[1..]).output().unwrap();
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    assert!(measure_png(&out).2 > 128);
}
