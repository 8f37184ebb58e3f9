//! Measures the cost of files: heap in proportion to the input or within the limits, time within seconds, little
//! stack.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failing test panics"
)]

#[path = "support/bombs.rs"]
mod bombs;
use crate::exercise;
use bombs::Bomb;
use meshwright::gltf::{self, ExportOptions, playback::Player};
use meshwright::rig::Evaluator;
use meshwright::scene::{ConvertError, Scene, SceneOptions, obj};
use meshwright::{
    AnyModel, CompanionFile, Companions, ErrorClass, Format, Limits, Parsed, ReadError, ReadOptions,
    ReadSettings, Role, Severity, detect,
};
use meshwright_testkit::heap::{self, peak_of};
use meshwright_testkit::{Deadline, laws, patience};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn settings(memory: u64, metadata: Option<&Arc<[u8]>>) -> ReadSettings {
    let read = ReadOptions::default().with_limits(Limits::default().with_memory(memory));
    let settings = ReadSettings::from(read);
    match metadata {
        Some(text) => settings.with_companion(Role::Metadata, Arc::clone(text)),
        None => settings,
    }
}

fn open(
    bytes: &[u8],
    format: Format,
    limits: Limits,
    metadata: Option<&Arc<[u8]>>,
) -> Result<Parsed<AnyModel>, ReadError> {
    AnyModel::parse_with(bytes, format, &settings(limits.memory, metadata))
}

/// Checks that the limit holds, apart from a small allowance.
fn within<T>(name: &str, size: usize, memory: u64, open: impl Fn(Limits) -> Result<T, ReadError>) {
    let (_, peak) = peak_of(|| open(Limits::default().with_memory(memory)).map(drop));
    let allowed = usize::try_from(memory).unwrap() + size + laws::FIXED;
    assert!(peak <= allowed, "{name}: {peak} bytes for {size}, the limit being {memory}");
}

const MIB: usize = 1 << 20;

#[test]
fn opening_takes_memory_in_proportion_to_the_file() {
    let mut subjects = exercise::subjects(&meshwright_testkit::testdata());
    subjects.extend(meshwright_testkit::given_corpus().iter().flat_map(|dir| exercise::subjects(dir)));
    let mut most = (0.0, String::new());
    for s in &subjects {
        let metadata = s.companions.iter().find(|c| c.0 == Role::Metadata).map(|c| &c.1);
        let size = s.bytes.len() + metadata.map_or(0, |text| text.len());
        let (model, peak) = peak_of(|| {
            let _ = detect(&s.bytes, Some(&s.name));
            AnyModel::parse_with(&s.bytes, s.format, &settings(256 << 20, metadata)).map(|p| p.model)
        });
        assert!(peak <= 32 * size + 8 * MIB, "{}: {peak} bytes for {size}", s.name);
        let ratio = peak as f64 / size as f64;
        // Crucible streams are compressed.
        let packed =
            matches!(s.format, Format::CrucibleMesh | Format::CrucibleModel | Format::CrucibleSkeleton);
        if size > 30_000 && !packed && ratio > most.0 {
            most = (ratio, s.name.clone());
        }
        drop(model);
        for memory in [0, 1000, 100_000] {
            within(&s.name, size, memory, |limits| open(&s.bytes, s.format, limits, metadata));
        }
        drop(laws::charged(size, |limits| open(&s.bytes, s.format, limits, metadata)));
    }
    println!("at most {:.2} bytes per byte of a file of more than 30 kB: {}", most.0, most.1);
}

/// Runs every operation on a bomb, each within its limit. Returns whether it opens.
fn defused(bomb: &Bomb) -> bool {
    let Bomb { name, format, bytes, metadata } = bomb;
    let (start, soon, late) = (Instant::now(), Deadline::seconds(5), Deadline::seconds(20));
    let log = |step: &str, peak: usize| {
        println!("{name}: {step} {:.2} MiB, {:?} since the start", peak as f64 / MIB as f64, start.elapsed());
    };
    let size = bytes.len() + metadata.as_ref().map_or(0, |text| text.len());
    let limit = 256 * MIB;
    let ((), peak) = peak_of(|| assert!(detect(bytes, None).is_none_or(|d| d.format == *format)));
    assert!(peak <= 4 * size + MIB, "{name}: {peak} bytes to detect it");
    let (opened, peak) =
        peak_of(|| AnyModel::parse_with(bytes, *format, &settings(limit as u64, metadata.as_ref())));
    log("open", peak);
    assert!(peak <= 32 * size + 8 * MIB, "{name}: {peak} bytes to open {size}");
    let model = match opened {
        Ok(parsed) => parsed.model,
        Err(e) => {
            assert!(e.to_string().len() < 4096);
            println!("{name}: {e}");
            soon.met(name);
            within(name, size, 1 << 20, |limits| open(bytes, *format, limits, metadata.as_ref()));
            return false;
        }
    };
    drop(laws::charged(size, |limits| open(bytes, *format, limits, metadata.as_ref())));
    let (report, peak) = peak_of(|| model.validate());
    log("validate", peak);
    assert!(report.findings().iter().all(|f| f.severity < Severity::Error), "{name}");
    assert!(peak <= 32 * size + 8 * MIB, "{name}: {peak} bytes to validate {size}");
    soon.met(name);
    let written = model.to_bytes().unwrap();
    assert!(written == *bytes, "{name}: not the same bytes");
    log("write", 0);
    drop(written);
    for memory in [8 * MIB, 64 * MIB] {
        scene(bomb, &model, memory, &log);
    }
    late.met(name);
    true
}

fn scene(bomb: &Bomb, model: &AnyModel, memory: usize, log: &impl Fn(&str, usize)) {
    let name = bomb.name;
    let size = bomb.bytes.len() + bomb.metadata.as_ref().map_or(0, |text| text.len());
    let mut companions = Companions::default();
    if bomb.format == Format::TsoAnimation {
        companions.files.push(CompanionFile::new(Role::Skeleton, "many", bombs::many_bones()));
    }
    let options = SceneOptions::default().with_extras(true).with_memory(memory as u64);
    let (scene, peak) = peak_of(|| model.to_scene("bomb", &companions, &options).map(|s| s.value));
    log(if scene.is_ok() { "to_scene" } else { "no scene" }, peak);
    assert!(peak <= 2 * memory + 16 * size, "{name}: {peak} bytes for a scene within {memory}");
    let scene = match scene {
        Ok(scene) => scene,
        Err(e) => {
            let limit = matches!(e, ConvertError::Limit { .. } | ConvertError::Unsupported { .. });
            assert!(limit, "{name}: {e}");
            return;
        }
    };
    scene.validate().unwrap();
    let made = parts(&scene);
    export(name, &scene, memory, made, log);
}

/// Returns the memory of a scene's objects, which is not charged.
fn parts(scene: &Scene) -> usize {
    let joints: usize = scene.skeletons.iter().map(|s| s.joints.len()).sum();
    1000 * (joints + scene.nodes.len() + scene.meshes.len() + scene.clips.len())
}

fn export(name: &str, scene: &Scene, memory: usize, made: usize, log: &impl Fn(&str, usize)) {
    let options = ExportOptions::default().with_memory(memory as u64);
    let (exported, peak) = peak_of(|| gltf::export(scene, &options).map(|e| e.value));
    log(if exported.is_ok() { "export" } else { "no export" }, peak);
    assert!(peak <= 2 * memory + made, "{name}: {peak} bytes for glTF within {memory}");
    match exported {
        Ok(exported) => {
            let glb = exported.to_glb();
            let player = Player::with_memory(&glb, 1 << 30).unwrap();
            let _ = player.evaluate(None, 0.0);
            log("played", 0);
        }
        Err(e) => {
            let refused = matches!(e, ConvertError::Limit { .. } | ConvertError::Unsupported { .. });
            assert!(refused, "{name}: {e}");
        }
    }
    let mut options = obj::ObjOptions::default();
    options.memory = memory as u64;
    let (written, peak) = peak_of(|| obj::write(scene, None, &options).map(drop));
    log("obj", peak);
    assert!(peak <= 2 * memory + made, "{name}: {peak} bytes for OBJ within {memory}");
    assert!(matches!(written, Ok(()) | Err(ConvertError::Limit { .. })), "{name}: {written:?}");
    let mut evaluator = Evaluator::new(scene).unwrap();
    let at = scene.clips.first().map(|_| (0, 0.5));
    evaluator.pose(at).unwrap();
    let _ = evaluator.meshes().unwrap();
    log("posed", 0);
}

#[test]
fn bombs_stay_within_limits_on_a_small_stack() {
    let mut refused = 0;
    for bomb in bombs::all() {
        let name = bomb.name;
        // Everything on a stack that no recursion on the depth of a file would fit.
        let thread = std::thread::Builder::new().stack_size(256 << 10);
        let done = thread.spawn(move || defused(&bomb)).unwrap().join();
        let Ok(opens) = done else { panic!("{name}: see above") };
        refused += usize::from(!opens);
    }
    // Three trees that are too deep, three wrong LZ4 sizes, bones in a circle. All others are well-formed.
    assert_eq!(refused, 7);
}

#[test]
fn a_limit_error_says_what_was_wanted() {
    let bomb = bombs::all().into_iter().find(|b| b.name.starts_with("LZ4")).unwrap();
    let e = AnyModel::parse(&bomb.bytes, bomb.format, &ReadOptions::default()).unwrap_err();
    assert!(matches!(e.class(), ErrorClass::Limit { wanted: 754_974_720, .. }), "{e}");
}

/// Sets any four bytes of the start of every fixture to ones.
#[test]
fn counts_of_ffffffff_in_a_hundred_bytes() {
    for s in exercise::subjects(&meshwright_testkit::testdata()) {
        let start = &s.bytes[..s.bytes.len().min(100)];
        for at in 0..start.len().saturating_sub(3) {
            let mut bytes = start.to_vec();
            bytes[at..at + 4].fill(0xff);
            let ((), cost) = heap::measured(|| drop(open(&bytes, s.format, Limits::default(), None)));
            // Three bytes of keys make 65536 numbers.
            let runs = if s.format == Format::Cfp { start.len().div_ceil(3) << 18 } else { 0 };
            assert!(cost.peak <= (16 << 10) + runs, "{} at {at}: {} bytes", s.name, cost.peak);
            assert!(
                cost.time < Duration::from_millis(500) * patience(),
                "{} at {at}: {:?}",
                s.name,
                cost.time
            );
        }
    }
}
