//! Tests edited scenes that are merged into their original models.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_bmd::{Bmd, Mesh as BmdMesh, strategy};
use meshwright_core::ReadOptions;
use meshwright_edit::{Absent, Options, Original, Patch, Snap};
use meshwright_scene::posed::{self, triangles};
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{Budget, Converted, FromSceneOptions, Limits, Scene, SceneOptions, Skin};
use meshwright_testkit::edits::{Edit, Near, check, check_posed, extent, find_lost_edits};
use meshwright_testkit::{proptest, sound};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The accuracy of edited values. Vertex fields have eight bits and a common exponent; angles of keys err by
/// at most a degree.
const NEAR: Near = Near { place: 0.01, normal: 0.3, uv: 0.01, weight: 1e-6, axes: 0.05 };

fn models() -> Vec<(String, Vec<u8>, Bmd)> {
    let read = |bytes: &[u8]| Bmd::parse_with(bytes, &ReadOptions::lenient()).ok().map(|read| read.model);
    let all = sound("bmd", "bmd").into_iter();
    all.filter_map(|(name, bytes)| read(&bytes).map(|model| (name, bytes, model))).collect()
}

fn forms() -> [SceneOptions; 4] {
    let plain = SceneOptions::default();
    [
        plain.clone(),
        plain.clone().with_extras(true),
        plain.clone().with_bind_only(true),
        plain.with_static_meshes(true),
    ]
}

/// Returns the scene with numbers as the names of its meshes, because meshes have no names in the format.
fn numbered(scene: &Scene) -> Scene {
    let mut known = scene.clone();
    let named = known.meshes.iter_mut().enumerate().filter(|(_, mesh)| mesh.name.is_empty());
    named.for_each(|(m, mesh)| mesh.name = format!("#mesh_{m}"));
    known
}

fn unnumbered(mut patch: Patch) -> Patch {
    patch.scene.meshes.iter_mut().filter(|m| m.name.starts_with("#mesh_")).for_each(|m| m.name.clear());
    patch
}

/// Returns the patch between a scene and its edited version.
fn patch(native: &Scene, edited: &Scene) -> Patch {
    let native = &numbered(native);
    let (original, budget) = (Original { native, exported: native }, Budget::new(Limits::default()));
    let options = Options::new(Snap::Default, Absent::Gone);
    unnumbered(Patch::find(&numbered(edited), &original, &options, &budget).unwrap())
}

/// Merges a patch without the meshes of the native scene, which merges must not need.
fn merged(model: &Bmd, native: &Scene, patch: &Patch) -> Result<Converted<Bmd>, String> {
    model.merge(&native.without_meshes(), patch, &FromSceneOptions::default()).map_err(|e| e.to_string())
}

/// The edits to test.
fn edits() -> impl Iterator<Item = Edit> {
    Edit::ALL.iter().chain(Edit::WHOLE).copied()
}

/// The failures, the first of each kind.
#[derive(Default)]
struct Failures(BTreeMap<String, String>);

impl Failures {
    fn note(&mut self, kind: String, name: &str, held: Result<(), String>) {
        if let Err(e) = held {
            self.0.entry(kind).or_insert_with(|| format!("{name}: {e}"));
        }
    }
}

impl Drop for Failures {
    fn drop(&mut self) {
        let all: Vec<String> = self.0.iter().map(|(kind, e)| format!("{kind}: {e}")).collect();
        assert!(all.is_empty() || std::thread::panicking(), "{}", all.join("\n"));
    }
}

#[test]
fn what_was_not_edited_is_the_file() {
    let (mut seen, mut failures) = (0, Failures::default());
    for (name, bytes, model) in models() {
        for options in forms() {
            let Ok(scene) = model.to_scene(&options) else { continue };
            let held = merged(&model, &scene.value, &patch(&scene.value, &scene.value)).and_then(|made| {
                let again = made.value.to_bytes().map_err(|e| e.to_string())?;
                if made.losses.is_empty() && made.value == model && again == bytes {
                    return Ok(());
                }
                Err(format!("losses {:?}; {:?}", made.losses, differences(&model, &made.value)))
            });
            failures.note(name.clone(), "nothing", held);
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
}

/// Returns the patch for an edit. Meshes have no names in the format, so numbers identify them.
fn with_edit(native: &Scene, edit: Edit, seed: usize) -> Option<Patch> {
    if edit == Edit::MeshName {
        return None;
    }
    edit.find_patch(&numbered(native), seed).map(unnumbered)
}

/// Returns true if the format can store an edit. A pseudo-bone has no motion of its own.
fn is_held(model: &Bmd, native: &Scene, edit: Edit, seed: usize) -> bool {
    let later =
        model.bones.iter().enumerate().any(|(i, b)| i > 0 && !b.is_pseudo() && usize::from(b.parent) >= i);
    let joints = native.skeletons.first().map_or(0, |s| s.joints.len());
    let helper = joints > 0 && seed % joints >= model.normal_bones();
    match edit {
        Edit::JointNew => !later,
        Edit::Key | Edit::ClipNew => !helper,
        _ => true,
    }
}

/// Returns the records that differ between two models: the list, the number, the field.
fn differences(a: &Bmd, b: &Bmd) -> BTreeSet<(&'static str, usize, String)> {
    let mut all = BTreeSet::new();
    let mut note = |differs: bool, list: &'static str, number: usize, field: &str| {
        if differs {
            all.insert((list, number, field.to_owned()));
        }
    };
    let counts = |m: &Bmd| [m.meshes.len(), m.lods.len(), m.bones.len(), m.clips.len()];
    note(counts(a) != counts(b), "counts", 0, &format!("{:?} {:?}", counts(a), counts(b)));
    note(a.reserved != b.reserved, "header", 0, "");
    for (i, (a, b)) in a.meshes.iter().zip(&b.meshes).enumerate() {
        note(a.material != b.material, "materials", i, "");
        note((a.flags, a.reserved, a.quad_count) != (b.flags, b.reserved, b.quad_count), "flags", i, "");
        note(a.vertices.len() != b.vertices.len(), "counts", i, "vertices");
        for (v, (a, b)) in a.vertices.iter().zip(b.vertices.iter()).enumerate() {
            note(a != b, "vertices", i, &v.to_string());
        }
        note(a.primitives.len() != b.primitives.len(), "counts", i, "primitives");
        for (p, (a, b)) in a.primitives.iter().zip(b.primitives.iter()).enumerate() {
            note(a != b, "primitives", i, &p.to_string());
        }
    }
    for (i, (a, b)) in a.lods.iter().zip(&b.lods).enumerate() {
        note(a != b, "lods", i, "");
    }
    for (i, (a, b)) in a.bones.iter().zip(&b.bones).enumerate() {
        note(a.name != b.name, "bones", i, "name");
        note(a.transform != b.transform, "bones", i, "transform");
        note((a.parent, a.solid, a.reserved) != (b.parent, b.solid, b.reserved), "bones", i, "rest");
    }
    for (i, (a, b)) in a.clips.iter().zip(&b.clips).enumerate() {
        note(a.name != b.name, "clips", i, "name");
        let rest = |c: &meshwright_bmd::Clip| (c.frames, c.rate, c.reserved);
        note(rest(a) != rest(b), "clips", i, "rest");
        for bone in 0..a.stream.bone_count().max(b.stream.bone_count()) {
            note(a.stream.bone(bone) != b.stream.bone(bone), "keys", i, &bone.to_string());
        }
        note(a.stream.bone_count() != b.stream.bone_count(), "counts", i, "streams");
    }
    all
}

/// Returns the lists that an edit may change, and the number of records in each. `None` if records are added
/// or removed.
fn touched(edit: Edit) -> Option<&'static [(&'static str, usize)]> {
    Some(match edit {
        // If the kind of a vertex has no room for the edit, the vertex gets another kind, which the flags
        // must allow.
        Edit::Position | Edit::Normal | Edit::Uv | Edit::Weight => &[("vertices", 1), ("flags", 1)],
        Edit::MaterialName => &[("materials", usize::MAX)],
        Edit::JointName => &[("bones", 1)],
        Edit::ClipName => &[("clips", 1)],
        Edit::Key => &[("keys", 1)],
        _ => return None,
    })
}

/// Checks that nothing except the edit changed.
fn is_alone(edit: Edit, native: &Bmd, made: &Converted<Bmd>, split: bool) -> Result<(), String> {
    let Some(allowed) = touched(edit) else { return Ok(()) };
    let mut other = differences(native, &made.value);
    if moves_base(native, &made.value) {
        // A new bone after the first one changes the numbers of all later bones.
        other.retain(|(list, ..)| matches!(*list, "primitives" | "materials" | "lods" | "header"));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (list, ..) in &other {
        *counts.entry(list).or_default() += 1;
    }
    for (list, count) in counts {
        let recoded = edit == Edit::MaterialName && native.meshes.iter().any(|m| m.flat_color().is_some());
        if split && matches!(list, "counts" | "primitives" | "vertices")
            || recoded && matches!(list, "vertices" | "flags")
        {
            continue;
        }
        let most = allowed.iter().find(|(l, _)| *l == list).map_or(0, |(_, most)| *most);
        if count > most {
            let all: Vec<_> = other.iter().take(12).collect();
            return Err(format!("{count} {list} are other: {all:?} of {}, {:?}", other.len(), made.losses));
        }
    }
    Ok(())
}

/// Checks that the keys of all frames but one are unchanged.
fn kept_keys(native: &Bmd, made: &Bmd) -> Result<(), String> {
    for (c, (old, new)) in native.clips.iter().zip(&made.clips).enumerate() {
        let mut frames = BTreeSet::new();
        for bone in 0..old.stream.bone_count() {
            let (old, new) = (old.stream.keys(bone), new.stream.keys(bone));
            frames.extend(old.rotation.iter().filter(|k| !new.rotation.contains(k)).map(|k| k.0));
            frames.extend(old.translation.iter().filter(|k| !new.translation.contains(k)).map(|k| k.0));
            frames.extend(old.scale.iter().filter(|k| !new.scale.contains(k)).map(|k| k.0));
        }
        if frames.len() > 1 {
            return Err(format!("clips[{c}]: keys of frames {frames:?} are other"));
        }
    }
    Ok(())
}

/// Returns true if the edit moved the joint of the first bone, which cannot move: another bone moves instead.
fn moves_base(native: &Bmd, made: &Bmd) -> bool {
    let name = |m: &Bmd, bone: usize| m.bones.get(bone).map(|b| b.name.clone());
    native.bones.len() + 1 == made.bones.len() && name(made, 1) == name(native, 0)
}

fn edited(
    model: &Bmd,
    options: &SceneOptions,
    native: &Scene,
    edit: Edit,
    patch: &Patch,
) -> Result<(), String> {
    let scene = &patch.scene;
    let made = merged(model, native, patch)?;
    let bytes = made.value.to_bytes().map_err(|e| e.to_string())?;
    let before: BTreeSet<&str> = model.validate().iter().map(|f| f.rule.code).collect();
    let again = Bmd::parse_with(&bytes, &ReadOptions::lenient()).map_err(|e| e.to_string())?;
    // A name with # is a colour, and other names are not; far from the origin, rounding makes triangles degenerate.
    let known = |code: &str| {
        before.contains(code)
            || edit == Edit::MaterialName && code == "material-name"
            || edit == Edit::MeshNew && code == "degenerate-triangle"
    };
    if let Some(new) = again.model.validate().iter().find(|f| !known(f.rule.code)) {
        return Err(format!("{new}"));
    }
    let back = again.model.to_scene(options).map_err(|e| e.to_string())?.value;
    // Helpers of pseudo-bones have the names of the bones that they follow, and come after all bones.
    let named = matches!(edit, Edit::JointName | Edit::JointNew) && model.normal_bones() < model.bones.len();
    if edit == Edit::MeshNew {
        // New vertices at the positions of existing ones may be identified with those.
        if native.meshes.iter().zip(&scene.meshes).any(|(n, e)| n.positions != e.positions) {
            return Ok(());
        }
        let mut own = made.value.meshes.iter();
        let all = model.meshes.iter().all(|mesh| own.any(|o| o == mesh));
        let count = made.value.meshes.len();
        let other = || {
            format!(
                "{count} meshes: {:?}",
                differences(model, &made.value).iter().take(9).collect::<Vec<_>>()
            )
        };
        return if all && count > model.meshes.len() { Ok(()) } else { Err(other()) };
    }
    let has_pseudo = model.normal_bones() < model.bones.len();
    let mut shown = scene.clone();
    // A vertex has one position for all bones that move it. If a helper is removed, its vertices follow a bone with another
    // bind pose, which one position shows only at rest.
    let kept: BTreeSet<_> = patch.joints.iter().flatten().filter_map(|joint| joint.original).collect();
    let joints = native.skeletons.first().map_or(0, |s| s.joints.len());
    if has_pseudo && (model.normal_bones()..joints).any(|helper| !kept.contains(&helper)) {
        shown.clips.clear();
    }
    let rest = triangles(scene, None, &Budget::new(Limits::default())).map_err(|e| e.to_string())?;
    let size = if has_pseudo { posed::extent(&rest) } else { extent(scene).into() };
    check_posed(&shown, &back, NEAR.place * size)?;
    // Edited helpers become bones, and get helpers.
    let moved = has_pseudo && matches!(edit, Edit::Weight | Edit::JointPlace | Edit::JointGone | Edit::Scale);
    if !moved && !named && !moves_base(model, &made.value) {
        // The frames before and after an edited frame get keys, as precise as the format allows.
        let mut base = native.clone();
        if edit == Edit::Key {
            kept_keys(model, &made.value)?;
            base.clips.clear();
        }
        check(&base, scene, &back, NEAR)?;
    }
    // An edited vertex is no longer merged with vertices that were equal to it.
    let vertices = |scene: &Scene| scene.meshes.iter().map(|m| m.positions.len()).sum::<usize>();
    is_alone(edit, model, &made, vertices(native) != vertices(scene))
}

#[test]
fn what_was_edited_is_all_that_is() {
    let mut seen: BTreeMap<Edit, usize> = BTreeMap::new();
    let mut failures = Failures::default();
    for (name, _, model) in models() {
        for options in forms() {
            let Ok(native) = model.to_scene(&options) else { continue };
            let native = native.value;
            for (edit, seed) in edits().flat_map(|e| [(e, 0), (e, 5), (e, 7)]) {
                let found = with_edit(&native, edit, seed);
                let Some(patch) = found.filter(|_| is_held(&model, &native, edit, seed)) else {
                    continue;
                };
                let held = edited(&model, &options, &native, edit, &patch);
                failures.note(format!("{edit:?} {name}"), &format!("{seed}"), held);
                *seen.entry(edit).or_insert(0) += 1;
            }
        }
    }
    drop(failures);
    // Meshes of the format have no names.
    for edit in edits().filter(|e| *e != Edit::MeshName) {
        assert!(seen.get(&edit).is_some_and(|n| *n > 9), "{edit:?}: {seen:?}");
    }
}

/// Returns the scene with a vertex of its first mesh that follows the same joints as another one.
fn following(native: &Scene, vertex: usize, other: usize) -> Scene {
    let mut scene = native.clone();
    let skin = scene.meshes.first_mut().and_then(|m| m.skin.as_mut()).unwrap();
    let was = std::mem::replace(skin, Skin::new(skin.skeleton));
    for v in 0..was.vertex_count() {
        skin.influences.extend(was.influences(if v == vertex { other } else { v }));
        skin.end_vertex();
    }
    scene
}

#[test]
fn weights_arrive_beside_pseudo_bones() {
    let mut seen = 0;
    let with = |model: &Bmd| model.normal_bones() < model.bones.len();
    for (name, _, model) in models().into_iter().filter(|(.., model)| with(model)) {
        for options in forms() {
            let native = model.to_scene(&options).unwrap().value;
            for seed in 0..100 {
                let Some(patch) = with_edit(&native, Edit::Weight, seed) else { continue };
                edited(&model, &options, &native, Edit::Weight, &patch)
                    .unwrap_or_else(|e| panic!("{name}, {options:?}, {seed}: {e}"));
                seen += 1;
            }
            // The vertex follows everything that the pseudo-bone follows, and then nothing of it.
            let bones: Vec<u8> = model.meshes.iter().take(1).flat_map(BmdMesh::bones).collect();
            let first = |bone: &u8| bones.iter().position(|b| b == bone);
            let all: BTreeSet<u8> = bones.iter().copied().collect();
            for (from, to) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let (vertex, other) = first(from).zip(first(to)).unwrap();
                let scene = following(&native, vertex, other);
                let made = merged(&model, &native, &patch(&native, &scene)).unwrap().value;
                let bone = made.meshes.first().and_then(|m| m.bones().nth(vertex));
                assert_eq!(bone, Some(*to), "{name}, {options:?}: vertex {vertex}");
                let rest = triangles(&scene, None, &Budget::new(Limits::default())).unwrap();
                let far = NEAR.place * posed::extent(&rest);
                check_posed(&scene, &made.to_scene(&options).unwrap().value, far)
                    .unwrap_or_else(|e| panic!("{name}, {options:?}: {from} on {to}: {e}"));
                seen += 1;
            }
        }
    }
    assert!(seen > 300, "{seen}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_model_stays_where_it_was_not_edited(model in strategy::model(), seed in 0_usize..1000) {
        for options in forms() {
            let Ok(scene) = model.to_scene(&options) else { continue };
            let scene = scene.value;
            if model.to_bytes().is_err() || Bmd::from_scene(&scene, &FromSceneOptions::default()).is_err() { continue }
            let made = merged(&model, &scene, &Patch::unedited(scene.clone())).unwrap();
            prop_assert_eq!(&made.value, &model);
            for edit in edits() {
                let Some(edited) = with_edit(&scene, edit, seed) else { continue };
                let Ok(made) = merged(&model, &scene, &edited) else { continue };
                prop_assert!(made.value.to_bytes().is_ok());
            }
        }
    }
}

/// Returns the edits of a model of a scene that the file does not show. New keys err by an angle.
fn find_lost(scene: &Scene, seed: usize) -> Vec<String> {
    let Ok(made) = Bmd::from_scene(scene, &FromSceneOptions::default()) else { return Vec::new() };
    let model = made.value;
    let mut lost = Vec::new();
    for options in &forms()[..3] {
        let Ok(native) = model.to_scene(options) else { continue };
        let native = numbered(&native.value);
        lost.extend(find_lost_edits(&native, seed, NEAR.axes, |patch| {
            let patch = unnumbered(patch.clone());
            let made = merged(&model, &native, &patch).ok()?.value;
            Some(Bmd::parse(&made.to_bytes().unwrap()).unwrap().to_scene(options).unwrap().value)
        }));
    }
    lost
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_any_scene_are_in_the_file(scene in clean_scene(), seed in 0_usize..1000) {
        prop_assert_eq!(find_lost(&scene, seed), Vec::<String>::new());
    }
}
