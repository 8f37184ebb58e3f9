//! Tests models of game folders and their materials by the engine's rules, with the corpus next to the project.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::scene::AlphaMode;
use meshwright::{Finder, Opener, SurfaceStatus};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[test]
fn surfaces_are_those_of_the_engine() {
    let root = corpus!();
    let all: Value = serde_json::from_slice(&fs::read(root.join("packs/materials.json")).unwrap()).unwrap();
    let (mut rows, options) = (0, Opener::new());
    for (set, expected) in all.as_object().unwrap() {
        let sources = expected["sources"].as_array().unwrap();
        let tree = |source: &Value| {
            let path = root.join("packs").join(source.as_str().unwrap());
            if path.is_dir() { Tree::open(path).unwrap() } else { Tree::file(path).unwrap() }
        };
        let finder = Finder::new(Tree::layered(sources.iter().map(tree)));
        for (model, expected) in expected["models"].as_object().unwrap() {
            let asset = options.open_in(&finder, &**model).unwrap();
            let skins = expected["skins"].as_array().unwrap();
            let files: Vec<_> = skins.iter().filter_map(|skin| text(&skin["file"])).collect();
            let own: Vec<_> = asset.skin_files().iter().map(ToString::to_string).collect();
            assert_eq!(own, files, "{set}: {model}");
            for (n, skin) in skins.iter().enumerate() {
                let found = asset.surfaces(u32::try_from(n).unwrap()).unwrap();
                let unused: Vec<_> =
                    skin["unused"].as_array().into_iter().flatten().filter_map(text).collect();
                assert_eq!(found.unused, unused);
                let meshes = skin["meshes"].as_array().unwrap();
                assert_eq!(found.surfaces.len(), meshes.len());
                for (surface, mesh) in found.surfaces.iter().zip(meshes) {
                    let at = format!("{set}: {model} skin {n}: {mesh}\n{surface:?}");
                    row(surface, mesh, &at);
                    rows += 1;
                }
            }
        }
    }
    assert_eq!(rows, 100, "all rows were compared");
}

fn row(surface: &meshwright::Surface, mesh: &Value, at: &str) {
    assert_eq!(Some(surface.mesh.clone()), text(&mesh["mesh"]), "{at}");
    assert_eq!(surface.name, text(&mesh["name"]).unwrap_or_default(), "{at}");
    let status = match surface.status {
        SurfaceStatus::Found => "found",
        SurfaceStatus::Missing => "missing",
        SurfaceStatus::NotDrawn => "nodraw",
        SurfaceStatus::Untextured => "untextured",
        SurfaceStatus::Sky => "sky",
        _ => "builtin",
    };
    assert_eq!(status, mesh["status"].as_str().unwrap(), "{at}");
    let path = |path: &meshwright::files::TreePath| path.to_string();
    assert_eq!(surface.image.as_ref().map(path), text(&mesh["image"]), "{at}");
    let companions: BTreeMap<String, String> =
        surface.companions.iter().map(|(kind, p)| ((*kind).to_owned(), path(p))).collect();
    let expected: BTreeMap<String, String> = mesh["companions"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(kind, p)| (kind.clone(), text(p).unwrap()))
        .collect();
    assert_eq!(companions, expected, "{at}");
    let shader = surface.shader.as_ref().map(|(_, file)| path(file));
    assert_eq!(shader, text(&mesh["shader"]["file"]), "{at}");
    let Some((shader, stage)) = surface.shader.as_ref().map(|(s, _)| s).zip(surface.stage) else {
        assert!(mesh["layer"].is_null(), "{at}");
        return;
    };
    assert_eq!(Some(stage as u64), mesh["layer"].as_u64(), "{at}");
    let stage = &shader.stages[stage];
    let blend: Vec<String> = stage.blend.iter().map(|b| b.name().into()).collect();
    assert_eq!(
        blend,
        mesh["blend"].as_array().unwrap().iter().filter_map(text).collect::<Vec<String>>(),
        "{at}"
    );
    assert_eq!(Some(shader.stages[0].alpha_test), mesh["alphatest"].as_bool(), "{at}");
    assert_eq!(shader.two_sided, mesh["cull"] == "none", "{at}");
    assert_eq!(String::from_utf8_lossy(stage.map()), mesh["map"].as_str().unwrap(), "{at}");
    let frames: Vec<_> = mesh["frames"].as_array().into_iter().flatten().map(text).collect();
    assert_eq!(surface.frames.iter().map(|f| f.as_ref().map(path)).collect::<Vec<_>>(), frames, "{at}");
}

#[test]
fn materials_are_dressed_as_the_engine_does_it() {
    let root = corpus!();
    let finder = Finder::new(Tree::file(root.join("packs/small.pk3")).unwrap());
    let scene = |skin: u32| {
        let options = Opener::new().textures(true).skin(skin);
        let asset = options.open_in(&finder, "models/test/tube.dpm").unwrap();
        asset.scene().unwrap()
    };
    let source = |image: &Option<meshwright::scene::Image>| image.as_ref().and_then(|i| i.source.clone());
    let first = scene(0);
    let [body, glass, hidden, extra] = first.value.materials.as_slice() else { panic!("{first:?}") };
    assert_eq!(
        (body.name.as_str(), source(&body.image).unwrap().as_str()),
        ("body", "models/test/body_red.tga")
    );
    assert_eq!(source(&body.normal).unwrap(), "models/test/body_red_norm.tga");
    assert_eq!(source(&body.emissive).unwrap(), "models/test/body_red_glow.jpg");
    assert!(glass.double_sided && glass.alpha == AlphaMode::Blend && glass.image.is_some());
    for undrawn in [hidden, extra] {
        assert_eq!((undrawn.alpha, undrawn.base_color[3]), (AlphaMode::Mask(0.5), 0.0));
        assert!(undrawn.image.is_none());
    }
    let codes: Vec<_> = first.losses.iter().map(|loss| loss.code).collect();
    for code in ["skins", "not-drawn"] {
        assert!(codes.contains(&code), "{codes:?}");
    }
    let second = scene(1);
    assert_eq!(source(&second.value.materials[0].image).unwrap(), "models/test/body_blue.jpg");
    assert!(second.losses.iter().any(|l| l.code == "skin-unused" && l.message.contains("nobody")));
    let all = Opener::new().textures(true).open_in(&finder, "models/test/tube.dpm").unwrap();
    let all = all.scene().unwrap().value;
    assert_eq!(
        all.variants.iter().map(|v| (v.name.as_str(), v.materials.len())).collect::<Vec<_>>(),
        [("skin 0", 4), ("skin 1", 4)]
    );
    let worn = |variant: usize| {
        let (mesh, material) = all.variants[variant].materials.iter().min_by_key(|m| m.0.0).unwrap();
        assert_eq!(mesh.0, 0);
        source(&all.materials[material.0].image).unwrap()
    };
    assert_eq!([worn(0), worn(1)], ["models/test/body_red.tga", "models/test/body_blue.jpg"]);
    assert!(scene(7).losses.iter().any(|l| l.code == "skin-not-found"));
}
