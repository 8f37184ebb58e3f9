//! Tests every field of every file, byte-identical rewriting, and meshes without a skeleton.

use super::data::{adult, extent, files, float, floats, int, json, largest, meshes, name, table, triangles};
use meshwright_core::math::{dot, face_normal, facing, wide};
use meshwright_core::{Confidence, F32, Report};
use meshwright_scene::{SceneOptions, Space};
use meshwright_testkit::{corpus, hex_diff};
use meshwright_tso::{Anim, Assembly, Bnd, Mesh, Owners, Part, PropertyList, Skel, Total};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

fn assert_issues(name: &str, report: &Report, dump: &Value) {
    // Rules that the dumps do not check.
    let ours = ["W_NORMAL_FACES"];
    let found: BTreeSet<_> =
        report.findings().iter().map(|f| f.rule.native).filter(|name| !ours.contains(name)).collect();
    let wanted: BTreeSet<_> = dump.as_array().unwrap().iter().map(|i| i[1].as_str().unwrap()).collect();
    assert_eq!(found, wanted, "{name}");
    assert!(!report.has_errors(), "{name}");
}

#[test]
fn meshes_are_read_and_written_as_they_are() {
    let dir = corpus!();
    for path in files(&dir.join("tso"), "mesh") {
        let (name, bytes) = (name(&path), fs::read(&path).unwrap());
        let mesh = Mesh::parse(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(Mesh::sniff(&bytes), Confidence::Likely, "{name}");
        let written = mesh.to_bytes().unwrap();
        assert!(written == bytes, "{name}\n{}", hex_diff(&bytes, &written));

        let dump = json(&dir.join(format!("expected/tso/{name}.json")));
        let (native, expected, g) = (&dump["native"], &dump["meshes"][0], &mesh.geometry);
        assert_issues(&name, &mesh.validate(), &native["issues"]);
        let bones: Vec<_> = g.bones.iter().map(|b| Value::from(b.text())).collect();
        assert_eq!(Value::from(bones), native["bone_names"], "{name}");
        assert_eq!(g.faces, triangles(&expected["triangles"]), "{name}");
        assert_eq!(g.bindings.len(), native["bindings"].as_array().unwrap().len());
        for (b, want) in g.bindings.iter().zip(native["bindings"].as_array().unwrap()) {
            assert_eq!(
                (b.bone, b.first_real, b.real_count),
                (int(&want["bone"]), int(&want["first_real"]), int(&want["real_count"]))
            );
            assert_eq!(
                (b.first_blend, b.blend_count),
                (int(&want["first_blend"]), int(&want["blend_count"]))
            );
        }
        let blends = native["blends"].as_array().unwrap();
        assert_eq!(
            (g.real.len(), g.blends.len()),
            (int(&native["real_vertex_count"]) as usize, blends.len())
        );
        for (b, want) in g.blends.iter().zip(blends) {
            assert_eq!((b.weight.to_bits(), b.target), (int(&want["weight"]), int(&want["other_vertex"])));
        }
        let total = int(&native["total_vertex_count"]) as usize;
        let counted = if g.total == Total::RealOnly { g.real.len() } else { g.real.len() + g.blends.len() };
        assert_eq!(total, counted);
        let values = |v: Vec<[F32; 3]>| v.into_iter().map(|v| v.map(F32::get)).collect::<Vec<_>>();
        assert_eq!(values(g.real.iter().map(|v| v.position).collect()), table(&native["real_positions"]));
        assert_eq!(values(g.real.iter().map(|v| v.normal).collect()), table(&native["real_normals"]));
        assert_eq!(values(g.blends.iter().map(|v| v.position).collect()), table(&native["blend_positions"]));
        assert_eq!(values(g.blends.iter().map(|v| v.normal).collect()), table(&native["blend_normals"]));
        let uvs: Vec<_> = g.real.iter().map(|v| v.uv.map(F32::get)).collect();
        assert_eq!(uvs, table::<2>(&expected["uvs"]));

        let rest = &expected["poses"][0];
        let (positions, normals) = (table(&rest["positions"]), table(&rest["normals"]));
        let posed = g.pose(&[]);
        let size = extent(&positions);
        assert!(largest(&posed.positions, &positions) <= 1e-5 * size, "{name}");
        assert!(largest(&posed.normals, &normals) <= 1e-5, "{name}");
        let scene = mesh.to_scene(&SceneOptions::in_space(Space::File), None, &[]).unwrap().value;
        scene.validate().unwrap();
        let drawn = &scene.meshes[0];
        assert!(largest(&drawn.positions, &positions) <= 1e-5 * size, "{name}");
        assert!(largest(&drawn.normals, &normals) <= 1e-5, "{name}");
        assert_eq!((&drawn.uvs, &drawn.triangles), (&uvs, &g.faces));
        let joints: Vec<_> = scene.skeletons[0].joints.iter().map(|j| Value::from(j.name.clone())).collect();
        assert_eq!(Value::from(joints), native["bone_names"]);
    }
}

fn assert_list(list: &PropertyList, want: &Value) {
    let pairs: Vec<_> = list.0.iter().map(|(k, v)| Value::from(vec![k.text(), v.text()])).collect();
    assert_eq!(Value::from(pairs), *want);
}

#[test]
fn animations_are_read_and_written_as_they_are() {
    let dir = corpus!();
    for path in files(&dir.join("tso"), "anim") {
        let (name, bytes) = (name(&path), fs::read(&path).unwrap());
        let anim = Anim::parse(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(Anim::sniff(&bytes), Confidence::Likely, "{name}");
        assert!(anim.to_bytes().unwrap() == bytes, "{name}");
        let dump = json(&dir.join(format!("expected/tso/{name}.json")));
        let native = &dump["native"];
        assert_issues(&name, &anim.validate(), &native["issues"]);
        assert_eq!(anim.name.text(), native["name"].as_str().unwrap());
        assert_eq!(anim.duration.get(), float(&native["duration"]));
        assert_eq!(anim.frames(), int(&native["frames"]));
        assert_eq!(
            anim.translations,
            table::<3>(&native["translations"]).into_iter().map(|v| v.map(F32::new)).collect::<Vec<_>>()
        );
        assert_eq!(
            anim.rotations,
            table::<4>(&native["rotations"]).into_iter().map(|v| v.map(F32::new)).collect::<Vec<_>>()
        );
        let motions = native["motions"].as_array().unwrap();
        assert_eq!(anim.motions.len(), motions.len());
        for (m, want) in anim.motions.iter().zip(motions) {
            assert_eq!(m.bone.text(), want["bone"].as_str().unwrap());
            assert_eq!((m.unknown, m.frames), (int(&want["unknown"]), int(&want["frames"])));
            assert_eq!(m.duration.get(), float(&want["duration"]));
            assert_eq!(u32::from(m.has_translation.0), int(&want["has_translation"]));
            assert_eq!(u32::from(m.has_rotation.0), int(&want["has_rotation"]));
            assert_eq!(
                (m.first_translation, m.first_rotation),
                (int(&want["first_translation"]), int(&want["first_rotation"]))
            );
            assert_eq!(u32::from(m.has_properties.0), int(&want["has_properties"]));
            assert!(m.properties.is_empty() && want["properties"].as_array().unwrap().is_empty());
            let lists = want["time_properties"].as_array().unwrap();
            assert_eq!(m.time_properties.len(), lists.len());
            for (list, want) in m.time_properties.iter().zip(lists) {
                assert_eq!(list.len(), want.as_array().unwrap().len());
                for (event, want) in list.iter().zip(want.as_array().unwrap()) {
                    assert_eq!(event.time, int(&want["time_ms"]));
                    assert_eq!(event.lists.len(), want["lists"].as_array().unwrap().len());
                    for (list, want) in event.lists.iter().zip(want["lists"].as_array().unwrap()) {
                        assert_list(list, want);
                    }
                }
            }
        }
    }
}

#[test]
fn the_skeleton_is_read_and_written_as_it_is() {
    let dir = corpus!();
    let bytes = fs::read(dir.join("tso/adult_reconstructed.skel")).unwrap();
    let skel = adult(&dir);
    assert_eq!(Skel::sniff(&bytes), Confidence::Likely);
    assert!(skel.to_bytes().unwrap() == bytes);
    assert!(skel.validate().is_empty());
    let dump = json(&dir.join("tso/adult_reconstructed.json"));
    let bones = dump["native"]["bones"].as_array().unwrap();
    let parents: Vec<_> = dump["bones"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| usize::try_from(b["parent"].as_i64().unwrap()).ok())
        .collect();
    assert_eq!(skel.parents(), parents);
    let world = skel.world(&skel.rest());
    assert_eq!(skel.bones.len(), bones.len());
    for ((bone, want), world) in skel.bones.iter().zip(bones).zip(&world) {
        assert_eq!(
            (bone.name.text(), bone.parent.text()),
            (want["name"].as_str().unwrap().into(), want["parent_name"].as_str().unwrap().into())
        );
        assert_eq!(bone.translation.map(F32::get), floats(&want["translation"]));
        assert_eq!(bone.rotation.map(F32::get), floats(&want["rotation_xyzw"]));
        for (row, want) in world.to_rows().iter().zip(table::<4>(&want["world_rest_rows"])) {
            let row = row.map(|c| c as f32);
            assert!(largest(&[row], &[want]) < 1e-5, "{}: {row:?} {want:?}", bone.name);
        }
    }
    // The built-in hierarchy is this one.
    for ((name, parent), bone) in meshwright_tso::ADULT_BONES.iter().zip(&skel.bones) {
        assert_eq!(
            (bone.name.text().as_str(), bone.parent_name().map(meshwright_tso::Name::text).as_deref()),
            (*name, *parent)
        );
    }
}

/// The files whose normals an importer left unturned, by their beginnings, as the description lists them.
const UNTURNED: [&str; 6] = ["au-", "fso-heart-mark", "fso-wings-", "fso-winter-", "pride-", "suit-gumball"];

#[test]
fn unturned_normals_are_told_and_computing_them_makes_no_file_worse() {
    let dir = corpus!();
    let skel = adult(&dir);
    for (name, mesh) in meshes(&dir) {
        let stored = mesh.geometry.facing();
        let wrong = UNTURNED.iter().any(|u| name.starts_with(u));
        assert_eq!(stored.disagrees(), wrong, "{name}: {stored}");
        let told = mesh.validate().findings().iter().any(|f| f.rule.code == "normals-against-faces");
        assert_eq!(told, wrong, "{name}");
        for skeleton in [None, Some(&skel)] {
            let figure = |recompute| {
                let part = Part::new("x", &mesh.geometry);
                let figure = Assembly::new("x").with_part(part).with_skeleton(skeleton);
                figure.with_recomputed_normals(recompute).to_scene(&SceneOptions::default()).unwrap()
            };
            let told = figure(false).losses.iter().any(|l| l.code == "normals-askew");
            assert_eq!(told, wrong, "{name}");
            let measured =
                |recompute| corners_askew(&figure(recompute).value.meshes[0], &mesh.geometry.owners());
            let (before, after) = (measured(false), measured(true));
            assert!(after.0 <= before.0 && after.1 <= before.1, "{name}: {before:?} became {after:?}");
            // Without a skeleton blends mix places in the spaces of several bones.
            assert!(skeleton.is_none() || after.0 == 0, "{name}: {after:?}");
        }
    }
}

/// Counts the faces on one bone that are more than 75 degrees off their normals, and the corners whose normal points
/// away from their face.
fn corners_askew(mesh: &meshwright_scene::Mesh, owners: &Owners) -> (usize, usize) {
    let (mut faces, mut corners) = (0, 0);
    for t in &mesh.triangles {
        let at = t.map(|v| v as usize);
        if at.iter().any(|v| owners.real[*v] != owners.real[at[0]]) {
            continue;
        }
        let (positions, normals) = (at.map(|v| wide(mesh.positions[v])), at.map(|v| wide(mesh.normals[v])));
        let Some(face) = face_normal(positions) else { continue };
        faces += usize::from(facing(positions, normals).is_some_and(|c| c < 0.2588));
        corners += normals.iter().filter(|n| dot(**n, face) < 0.0).count();
    }
    (faces, corners)
}

#[test]
fn records_of_outfits_are_no_skeletons() {
    let dir = corpus!();
    let folder = dir.join("archives/outfits");
    for extension in ["apr", "oft", "hag", "po", "col"] {
        for path in files(&folder, extension) {
            let bytes = fs::read(&path).unwrap();
            for sniff in [Skel::sniff, Anim::sniff, Mesh::sniff, Bnd::sniff] {
                assert_eq!(sniff(&bytes), Confidence::No, "{}", path.display());
            }
        }
    }
}
