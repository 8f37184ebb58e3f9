//! Applies the checks of `tests/sims.rs` to the files of the corpus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::tso::{Gesture, Tone};
use meshwright::{Finder, Model, Opener, Role};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn open(folder: &Path, path: &str) -> Model {
    let tree = Tree::open(folder).unwrap();
    Opener::new().open_in(tree, path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn skeleton(asset: &Model) -> Option<String> {
    let file = asset.companions().files.iter().find(|file| file.role == Role::Skeleton)?;
    Some(file.name.clone())
}

/// Returns the number and type in the name of a file.
fn tag(name: &str) -> String {
    let tag = name.split('.').find(|part| part.len() == 16 && part.bytes().all(|b| b.is_ascii_hexdigit()));
    tag.unwrap_or_else(|| panic!("{name} has no number")).to_ascii_lowercase()
}

#[test]
fn outfits_are_put_together_as_in_the_reference() {
    let dir = corpus!();
    let assembly: Value =
        serde_json::from_slice(&fs::read(dir.join("expected/archives/assembly.json")).unwrap()).unwrap();
    let loose = Tree::layered([
        Tree::open(dir.join("tso")).unwrap(),
        Tree::open(dir.join("archives/outfits")).unwrap(),
    ]);
    let archive = Tree::file(dir.join("archives/avatardata.dat")).unwrap();
    for finder in [Finder::new(loose), Finder::new(archive)] {
        for want in assembly["outfits"].as_array().unwrap() {
            let word = |v: &Value| v.as_str().unwrap().to_owned();
            let gesture = |side: &str| word(&want["gestures"][side]).parse::<Gesture>().unwrap();
            let tone: Tone = word(&want["tone"]).parse().unwrap();
            let options = Opener::new().look(tone, [gesture("right"), gesture("left")]);
            let name = word(&want["outfit"]);
            let asset = options.open_in(&finder, &*name).unwrap_or_else(|e| panic!("{name}: {e}"));
            let parts = asset.companions().files.iter().filter(|file| file.role == Role::Part);
            let found: Vec<_> = parts.map(|p| (tag(&p.name), p.texture.as_deref().map(tag))).collect();
            let wanted: Vec<_> = want["parts"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|p| p["mesh"].is_string())
                .map(|p| (tag(&word(&p["mesh"])), p["texture"].as_str().map(tag)))
                .collect();
            assert_eq!(found, wanted, "{name} {tone}");
            let missing: BTreeSet<_> =
                asset.companions().missing.iter().map(|(_, name)| name.clone()).collect();
            let lost: BTreeSet<_> = want["missing"]
                .as_array()
                .unwrap()
                .iter()
                .map(|m| {
                    let number = |key: &str| m[key].as_u64().unwrap();
                    let (role, kind) = (word(&m["role"]), number("type_id"));
                    let what = if kind == 12 { format!("{role} appearance") } else { role };
                    format!("{what} {:08x}{kind:08x}", number("file_id"))
                })
                .collect();
            assert_eq!(missing, lost, "{name}");
            let scene = asset.scene();
            if wanted.is_empty() {
                assert!(scene.unwrap_err().to_string().contains("--root"), "{name} {tone}");
                continue;
            }
            let scene = scene.unwrap();
            scene.value.validate().unwrap();
            assert_eq!(scene.value.meshes.len(), wanted.len());
        }
        // A body and a head are one character, an appearance is its part.
        let open = |name: &str| Opener::new().open_in(&finder, name).unwrap();
        let (body, head) = (open("made-body.720000010000000d.oft"), open("made-head.720000020000000d.oft"));
        let parts = |asset: &Model| asset.companions().files.iter().filter(|f| f.role == Role::Part).count();
        let both = parts(&body) + parts(&head);
        let figure = Model::figure(vec![body, head]).unwrap();
        assert_eq!(figure.scene().unwrap().value.meshes.len(), both);
        let look = open("body_lgt.410000100000000c.apr");
        assert_eq!(look.scene().unwrap().value.meshes.len(), 2);
    }
}

#[test]
fn bodies_find_their_skeletons_and_skills_their_keys() {
    let dir = corpus!();
    let folder = dir.join("ts1");
    for (file, wanted) in [
        ("xskin-b001fafit_01-PELVIS-BODY.skn", "adult"),
        ("xskin-b002ucchd_01-PELVIS-BODY.skn", "child"),
        ("xskin-hulc-L_HAND-FISTCL.skn", "adult"),
        ("xskin-hulc-L_HAND-FISTCL.bmf", "adult"),
        ("B001FAFit_01.cmx", "adult"),
        ("B002UCChd_01.cmx", "child"),
        ("adult-idle2.cmx", "adult"),
    ] {
        let asset = open(&folder, file);
        assert_eq!(skeleton(&asset).as_deref(), Some(wanted), "{file}");
        let scene = asset.scene().unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(scene.value.skeletons[0].joints.len(), 29, "{file}");
        assert!(!scene.losses.iter().any(|l| l.code == "skeleton-missing"), "{file}");
    }
    let suit = open(&folder, "B001FAFit_01.cmx");
    let scene = suit.scene().unwrap().value;
    assert_eq!((scene.meshes.len(), &*scene.meshes[0].name), (1, "xskin-b001fafit_01-PELVIS-BODY"));
    assert_eq!(scene.materials[0].name, "B001FAFitlgt_Shannon01");
    let hand = open(&folder, "xskin-hulc-L_HAND-FISTCL.skn").scene().unwrap().value;
    assert_eq!(hand.materials[0].name, "HUAClgt");
    let skills = open(&folder, "ross-walking-loop.cmx").scene().unwrap();
    assert_eq!(skills.value.clips.len(), 2);
    assert!(skills.losses.iter().any(|l| l.code == "companion-missing"), "{:?}", skills.losses);
    let finder = Finder::new(Tree::open(&folder).unwrap());
    let motions = Opener::new().open_in(&finder, "adult-idle2.cmx").unwrap().into_motions();
    assert_eq!((motions.len(), &*motions[0].name), (1, "a2o-idle2"));
    let options = motions.into_iter().fold(Opener::new(), Opener::named);
    let body = options.open_in(&finder, "xskin-b001fafit_01-PELVIS-BODY.skn").unwrap();
    let scene = body.scene().unwrap().value;
    assert_eq!((scene.clips.len(), scene.clips[0].frames), (1, 60));
}

/// The layout of the installed game: archives in several folders form one tree.
#[test]
fn what_archives_in_folders_hold_is_one_wardrobe() {
    use meshwright::files::{PackBuilder, PackKind};
    let dir = corpus!();
    let game = tempfile::tempdir().unwrap();
    for (folder, extensions) in [
        ("outfits", &["oft", "po"][..]),
        ("appearances", &["apr"]),
        ("hands", &["hag"]),
        ("bindings", &["bnd"]),
        ("meshes", &["mesh"]),
        ("textures", &["png"]),
    ] {
        let mut builder = PackBuilder::new(PackKind::Far).unwrap();
        for from in ["archives/outfits", "tso"] {
            for entry in fs::read_dir(dir.join(from)).unwrap() {
                let path = entry.unwrap().path();
                let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
                if extensions.contains(&&*extension) && (from != "tso" || extension == "mesh") {
                    let (name, bytes) =
                        (path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap());
                    let content = Box::new(move || Ok(bytes.clone()));
                    builder.add(name.parse().unwrap(), content).unwrap();
                }
            }
        }
        let mut bytes = Vec::new();
        builder.write(&mut bytes).unwrap();
        fs::create_dir_all(game.path().join(folder)).unwrap();
        fs::write(game.path().join(folder).join("all.dat"), bytes).unwrap();
    }
    let outfit = "outfits/all.dat/made-body.720000010000000d.oft";
    let asset = open(game.path(), outfit);
    let parts = asset.companions().files.iter().filter(|file| file.role == Role::Part);
    assert!(parts.clone().count() == 4 && parts.clone().all(|p| p.texture.is_some()), "{:?}", asset.parts());
    assert!(asset.companions().missing.is_empty());
    let options = Opener::new().textures(true);
    let asset = options.open_in(Tree::open(game.path()).unwrap(), outfit).unwrap();
    let scene = asset.scene().unwrap();
    assert!(scene.value.materials.iter().all(|m| m.image.is_some()), "{:?}", scene.losses);
    // Parts on many bones and no skeleton anywhere: that is said, and how to name one.
    let said = scene.losses.iter().find(|l| l.code == "skeleton-missing").unwrap();
    assert!(said.message.contains("--skeleton") && said.message.contains("--root"), "{said:?}");
}
