//! The C example, compiled and run over the fixtures, held against the library itself.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod common;

use common::{files_below, members, program, testdata};
use facade::rig::Evaluator;
use facade::scene::{Affine, Scene};
use facade::{Model, Opener, Target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// All files in testdata and in its packs.
fn fixtures() -> Vec<PathBuf> {
    let found: Vec<_> = files_below(&testdata()).into_iter().chain(members()).collect();
    assert!(found.len() > 100);
    found
}

/// The lines that the example prints of a pose.
fn line(name: &str, frame: f64, scene: &Scene, evaluator: &Evaluator<&Scene>) -> (String, [f64; 3]) {
    let meshes = evaluator.meshes().unwrap();
    let vertices: usize = scene.meshes.iter().map(|m| m.positions.len()).sum();
    let drawn = scene.drawn_meshes().unwrap();
    let mut sum = [0.0; 3];
    for (m, mesh) in meshes.iter().enumerate() {
        let matrix = drawn.iter().find(|(_, mesh, _)| mesh.0 == m).map_or(Affine::IDENTITY, |drawn| drawn.2);
        for position in &mesh.positions {
            let position = matrix.point(*position);
            (0..3).for_each(|c| sum[c] += f64::from(position[c]));
        }
    }
    (format!("{name} at {frame}: {vertices} vertices, sum "), sum)
}

fn expected(asset: &Model) -> Option<Vec<(String, [f64; 3])>> {
    let scene = asset.scene().ok()?.value;
    let mut evaluator = Evaluator::new(&scene).unwrap();
    let mut lines = vec![line("rest", 0.0, &scene, &evaluator)];
    for (c, clip) in scene.clips.iter().enumerate() {
        let frame = f64::from(clip.frames / 2);
        evaluator.pose(Some((c, frame))).unwrap();
        lines.push(line(&clip.name, frame, &scene, &evaluator));
    }
    Some(lines)
}

fn run(program: &Path, file: &Path, glb: &Path) -> Output {
    let out =
        Command::new(program).arg(file).arg(glb).env("ASAN_OPTIONS", "detect_leaks=1").output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!said.contains("Sanitizer") && !said.contains("runtime error"), "{}: {said}", file.display());
    out
}

#[test]
fn the_example_says_what_the_library_knows() {
    let program = program("pose");
    let glb = Path::new(env!("CARGO_TARGET_TMPDIR")).join("out.glb");
    let (mut posed, mut refused) = (0, 0);
    for file in fixtures() {
        let _ = fs::remove_file(&glb);
        let out = run(&program, &file, &glb);
        let options = Opener::new().textures(true);
        let asset = options.open(&file);
        let Some((asset, lines)) = asset.ok().and_then(|a| expected(&a).map(|lines| (a, lines))) else {
            refused += 1;
            assert_eq!(out.status.code(), Some(1), "{}", file.display());
            assert!(out.stderr.starts_with(b"["), "{}", String::from_utf8_lossy(&out.stderr));
            continue;
        };
        posed += 1;
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        let said: Vec<&str> = said.lines().skip(1).collect();
        assert_eq!(said.len(), lines.len(), "{}: {said:?}", file.display());
        for (said, (start, sum)) in said.iter().zip(&lines) {
            let rest = said.strip_prefix(start.as_str()).unwrap_or_else(|| panic!("{said:?} {start:?}"));
            for (said, wanted) in rest.split(' ').zip(sum) {
                let near = match said.parse::<f64>() {
                    Ok(said) => (said - wanted).abs() <= 1e-5 * wanted.abs().max(1.0),
                    Err(_) => false,
                };
                assert!(near || !wanted.is_finite(), "{}: {said} {wanted}", file.display());
            }
        }
        if let Ok(files) = asset.convert(Target::Glb) {
            let wanted = files.into_files().into_iter().next().unwrap().bytes;
            assert!(fs::read(&glb).unwrap() == wanted, "{}", file.display());
        }
    }
    println!("{posed} posed, {refused} refused");
    assert!(posed > 80 && refused > 80, "{posed} {refused}");
}
