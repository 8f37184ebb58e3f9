//! Tests edited scenes that are merged into their original models.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use meshwright_core::ReadOptions;
use meshwright_core::math::{Affine64, Trs64};
use meshwright_edit::apply::ClipList;
use meshwright_edit::{Absent, Options, Original, Patch, Snap};
use meshwright_iqm::{ArrayFormat, ArrayKind, Iqm, MergedIqm, strategy};
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{Budget, Converted, FromSceneOptions, Limits, Scene, SceneOptions};
use meshwright_testkit::edits::{Edit, Near, check, check_posed, extent, find_lost_edits};
use meshwright_testkit::{proptest, sound};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The accuracy of edited values: weights are bytes, channels have 65536 steps.
const NEAR: Near = Near { place: 1e-4, normal: 2e-3, uv: 1e-6, weight: 0.005, axes: 1e-4 };

fn models() -> Vec<(String, Vec<u8>, Iqm)> {
    let read = |bytes: &[u8]| Iqm::parse_with(bytes, &ReadOptions::lenient()).ok().map(|read| read.model);
    let all = sound("iqm", "iqm").into_iter();
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

/// Returns the patch from a scene to an edited one.
fn patch(native: &Scene, edited: &Scene) -> Patch {
    let original = Original { native, exported: native };
    Patch::find(
        edited,
        &original,
        &Options::new(Snap::Default, Absent::Gone),
        &Budget::new(Limits::default()),
    )
    .unwrap()
}

fn merged(model: &Iqm, native: &Scene, patch: &Patch) -> Result<Converted<MergedIqm>, String> {
    model.merge(native, patch, ClipList::Model, &FromSceneOptions::default()).map_err(|e| e.to_string())
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

/// An edited event has the scene's value, and the events of other anims stay.
#[test]
fn edited_events_are_those_of_the_scene() {
    use meshwright_scene::Extra;
    let options = SceneOptions::default().with_extras(true);
    let mut seen = 0;
    for (name, _, model) in models() {
        let Ok(scene) = model.to_scene(&options) else { continue };
        let native = scene.value;
        for c in 0..native.clips.len() {
            let mut edited = native.clone();
            let Some(Extra::Map(fields)) = &mut edited.clips[c].extras else { continue };
            let Some((_, Extra::List(events))) = fields.iter_mut().find(|(key, _)| key == "events") else {
                continue;
            };
            let Some(Extra::Map(event)) = events.last_mut() else { panic!("{name}: {events:?}") };
            for (key, value) in event {
                match (key.as_str(), value) {
                    ("code", Extra::Int(code)) => *code += 1,
                    ("text", Extra::Text(text)) => text.push_str(" twice"),
                    _ => {}
                }
            }
            let made = merged(&model, &native, &patch(&native, &edited)).unwrap();
            let back = Iqm::parse(&made.value.model.to_bytes().unwrap()).unwrap();
            let back = back.to_scene(&options).unwrap().value;
            for (is, wanted) in back.clips.iter().zip(&edited.clips) {
                assert_eq!(is.extras, wanted.extras, "{name}: {}", wanted.name);
            }
            assert_eq!(back.clips.len(), edited.clips.len());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn what_was_not_edited_is_the_file() {
    let (mut seen, mut failures) = (0, Failures::default());
    for (name, bytes, model) in models() {
        for options in forms() {
            let Ok(scene) = model.to_scene(&options) else { continue };
            let held = merged(&model, &scene.value, &patch(&scene.value, &scene.value)).and_then(|made| {
                let again = made.value.model.to_bytes().map_err(|e| e.to_string())?;
                if made.losses.is_empty() && made.value.model == model && again == bytes {
                    return Ok(());
                }
                let other = differences(&model, &made.value.model);
                Err(format!("losses {:?}; {other:?}", made.losses))
            });
            failures.note(name.clone(), "nothing", held);
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

/// Returns the records of two models that differ, as list, index and field.
fn differences(a: &Iqm, b: &Iqm) -> BTreeSet<(&'static str, usize, String)> {
    let mut all = BTreeSet::new();
    let mut note = |differs: bool, list: &'static str, number: usize, field: &str| {
        if differs {
            all.insert((list, number, field.to_owned()));
        }
    };
    note(!b.text.starts_with(&a.text), "text", 0, "");
    note((a.version, a.flags) != (b.version, b.flags), "header", 0, "");
    note(a.comment != b.comment, "comment", 0, "");
    note(a.extensions != b.extensions, "extensions", 0, "");
    let counts = |m: &Iqm| {
        [m.meshes.len(), m.arrays.len(), m.triangles.len(), m.joints.len(), m.poses.len(), m.anims.len()]
            .map(|n| u32::try_from(n).unwrap())
            .into_iter()
            .chain([m.vertex_count, m.frame_count])
            .collect::<Vec<_>>()
    };
    note(counts(a) != counts(b), "counts", 0, &format!("{:?} {:?}", counts(a), counts(b)));
    note(a.adjacency != b.adjacency, "adjacency", 0, "");
    for (i, (a, b)) in a.meshes.iter().zip(&b.meshes).enumerate() {
        note(a.name != b.name, "meshes", i, "name");
        note(a.material != b.material, "meshes", i, "material");
        let ranges = |m: &meshwright_iqm::IqmMesh| {
            (m.first_vertex, m.vertex_count, m.first_triangle, m.triangle_count)
        };
        note(ranges(a) != ranges(b), "meshes", i, "ranges");
    }
    for (i, (a, b)) in a.arrays.iter().zip(&b.arrays).enumerate() {
        let head = |a: &meshwright_iqm::VertexArray| (a.kind, a.flags, a.format, a.components);
        note(head(a) != head(b), "arrays", i, "head");
        let size = (a.format.width().unwrap_or(1) * a.components) as usize;
        for (v, (x, y)) in a.data.chunks(size).zip(b.data.chunks(size)).enumerate() {
            note(x != y, kind(a.kind), v, "");
        }
    }
    for (i, (a, b)) in a.triangles.iter().zip(&b.triangles).enumerate() {
        note(a != b, "triangles", i, "");
    }
    for (i, (a, b)) in a.joints.iter().zip(&b.joints).enumerate() {
        note(a.name != b.name, "joints", i, "name");
        note(a.parent != b.parent, "joints", i, "parent");
        note((a.translate, a.rotate, a.scale) != (b.translate, b.rotate, b.scale), "joints", i, "place");
    }
    for (i, (a, b)) in a.poses.iter().zip(&b.poses).enumerate() {
        note(a != b, "poses", i, "");
    }
    for (i, (a, b)) in a.anims.iter().zip(&b.anims).enumerate() {
        note(a.name != b.name, "anims", i, "name");
        let rest = |a: &meshwright_iqm::IqmAnim| (a.first_frame, a.frame_count, a.framerate, a.flags);
        note(rest(a) != rest(b), "anims", i, "range");
    }
    for frame in 0..a.frame_count.min(b.frame_count) {
        let pair = a.frame_transforms(frame).unwrap().into_iter().zip(b.frame_transforms(frame).unwrap());
        for (joint, (a, b)) in pair.enumerate() {
            note(a != b, "frames", frame as usize, &joint.to_string());
        }
        let box_of = |m: &Iqm| m.bounds.as_ref().map(|b| b[frame as usize]);
        note(box_of(a) != box_of(b), "bounds", frame as usize, "");
    }
    all
}

fn kind(kind: ArrayKind) -> &'static str {
    match kind {
        ArrayKind::POSITION => "position",
        ArrayKind::TEXCOORD => "texcoord",
        ArrayKind::NORMAL => "normal",
        ArrayKind::TANGENT => "tangent",
        ArrayKind::BLEND_INDEXES => "indexes",
        ArrayKind::BLEND_WEIGHTS => "weights",
        ArrayKind::COLOR => "color",
        _ => "custom",
    }
}

const MANY: usize = usize::MAX;

/// Returns the lists in which an edit may change something, and the number of records in each; `None` if records are
/// added or removed.
fn touched(edit: Edit) -> Option<&'static [(&'static str, usize)]> {
    Some(match edit {
        // Data that follows from positions: the boxes, and the corners that have the same position.
        Edit::Position => &[("position", 1), ("bounds", MANY), ("adjacency", 1)],
        Edit::Normal => &[("normal", 1)],
        Edit::Uv => &[("texcoord", 1)],
        Edit::Weight => &[("indexes", 1), ("weights", 1), ("bounds", MANY)],
        Edit::MaterialName => &[("meshes", MANY)],
        Edit::MeshName => &[("meshes", 1)],
        Edit::JointName => &[("joints", 1)],
        Edit::ClipName => &[("anims", 1)],
        Edit::Key => &[("frames", 1), ("poses", 1), ("bounds", 1)],
        // With the events of the clip that it was made of.
        Edit::ClipNew => &[("counts", 1), ("poses", 1), ("extensions", 1)],
        _ => return None,
    })
}

/// Checks that an edit changed nothing else.
fn is_alone(edit: Edit, native: &Iqm, made: &Converted<MergedIqm>) -> Result<(), String> {
    let Some(allowed) = touched(edit) else { return Ok(()) };
    let mut other = differences(native, &made.value.model);
    // The format has one offset and one step of a channel for all frames: where they have no room for a new value, the
    // others of that joint move by less than a step.
    let again: BTreeSet<usize> = other.iter().filter(|d| d.0 == "poses").map(|d| d.1).collect();
    let rescaled = made.losses.iter().any(|l| l.code == "channels-rescaled");
    other.retain(|(list, _, joint)| {
        let own = joint.parse().is_ok_and(|joint: usize| again.contains(&joint));
        let forced = rescaled && *list == "frames" && own;
        !forced && (*list != "text" || !native.text.is_empty())
    });
    // Frames that two clips share are separated. Poses without joints get joints if the rest pose now differs from
    // the first frame, or if joints have names. Meshes that share vertices get their own.
    let parted = made.value.model.frame_count != native.frame_count
        || native.joints.is_empty() && !made.value.model.joints.is_empty();
    let shared = made.value.model.vertex_count != native.vertex_count;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (list, ..) in &other {
        *counts.entry(list).or_default() += 1;
    }
    for (list, count) in counts {
        let most = allowed.iter().find(|(l, _)| *l == list).map_or(0, |(_, most)| *most);
        let forced = parted && matches!(list, "counts" | "anims" | "joints")
            || shared && matches!(list, "counts" | "meshes");
        if count > most && !forced {
            let all: Vec<_> = other.iter().take(12).collect();
            return Err(format!("{count} {list} are other: {all:?} of {}, {:?}", other.len(), made.losses));
        }
    }
    Ok(())
}

fn is_static(options: &SceneOptions) -> bool {
    options.static_meshes
}

/// Returns true if the model can store an edit: if its weights do not sum to 1, it cannot store new vertices.
fn is_held(model: &Iqm, edit: Edit) -> bool {
    let whole = |v: usize| (model.influences(v).iter().map(|i| i.1).sum::<f64>() - 1.0).abs() < 1e-3;
    edit != Edit::MeshNew || model.joints.is_empty() || (0..model.vertex_count as usize).all(whole)
}

/// Returns true if a transform is not a translation, a rotation and a scale.
fn is_sheared(m: &Affine64) -> bool {
    Trs64::from_affine(m).misfit(m) > 1e-5
}

fn edited(
    model: &Iqm,
    options: &SceneOptions,
    native: &Scene,
    edit: Edit,
    patch: &Patch,
) -> Result<(), String> {
    let made = merged(model, native, patch)?;
    let bytes = made.value.model.to_bytes().map_err(|e| e.to_string())?;
    let before: BTreeSet<&str> = model.validate().iter().map(|f| f.rule.code).collect();
    let again = Iqm::parse_with(&bytes, &ReadOptions::lenient()).map_err(|e| e.to_string())?;
    if let Some(new) = again.model.validate().iter().find(|f| !before.contains(f.rule.code)) {
        return Err(format!("{new}"));
    }
    let back = again.model.to_scene(options).map_err(|e| e.to_string())?.value;
    if is_static(options) && native.skeletons.is_empty() != back.skeletons.is_empty() {
        return Ok(());
    }
    // If channels had to be stored again, all values are as accurate as edited ones.
    let mut base = native.clone();
    if made.losses.iter().any(|l| l.code == "channels-rescaled") {
        base.clips.clear();
    }
    let mut shown = patch.scene.clone();
    // New weights are rounded to bytes, which moves vertices.
    let rounded = model.array(ArrayKind::BLEND_WEIGHTS).is_none_or(|a| a.format != ArrayFormat::FLOAT);
    let weighs = rounded && matches!(edit, Edit::Weight | Edit::JointGone | Edit::MeshNew);
    let near = NEAR.place + if weighs { NEAR.weight } else { 0.0 };
    let weight = if rounded { NEAR.weight } else { 1e-6 };
    let far = near * f64::from(extent(&shown));
    if shown.skeletons.iter().flat_map(|s| &s.joints).any(|j| is_sheared(&j.rest.to_affine64())) {
        // The format has no shear: vertices are exact at rest, where they are bound.
        shown.clips.clear();
        check_posed(&shown, &back, far)?;
    } else {
        check(&base, &shown, &back, Near { weight, ..NEAR })?;
        check_posed(&shown, &back, far)?;
    }
    is_alone(edit, model, &made)
}

#[test]
fn what_was_edited_is_all_that_is() {
    let mut seen: BTreeMap<Edit, usize> = BTreeMap::new();
    let mut failures = Failures::default();
    for (name, _, model) in models() {
        for options in forms() {
            let Ok(native) = model.to_scene(&options) else { continue };
            let native = native.value;
            for (edit, seed) in edits().flat_map(|e| [(e, 0), (e, 5)]) {
                let Some(patch) = edit.find_patch(&native, seed).filter(|_| is_held(&model, edit)) else {
                    continue;
                };
                let held = edited(&model, &options, &native, edit, &patch);
                failures.note(format!("{edit:?} {name}"), &format!("{seed}"), held);
                *seen.entry(edit).or_insert(0) += 1;
            }
        }
    }
    drop(failures);
    for edit in edits() {
        assert!(seen.get(&edit).is_some_and(|n| *n > 3), "{edit:?}: {seen:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_model_stays_where_it_was_not_edited(model in strategy::iqm(), seed in 0_usize..1000) {
        for options in forms() {
            let Ok(scene) = model.to_scene(&options) else { continue };
            let scene = scene.value;
            if model.to_bytes().is_err() || Iqm::from_scene(&scene, &FromSceneOptions::default()).is_err() { continue }
            let made = merged(&model, &scene, &patch(&scene, &scene)).unwrap();
            prop_assert_eq!(&made.value.model, &model);
            for edit in edits() {
                let Some(edited) = edit.find_patch(&scene, seed) else { continue };
                let Ok(made) = merged(&model, &scene, &edited) else { continue };
                prop_assert!(made.value.model.to_bytes().is_ok());
            }
        }
    }
}

/// Returns the edits of a model of a scene that the file does not show.
fn find_lost(scene: &Scene, seed: usize) -> Vec<String> {
    let Ok(made) = Iqm::from_scene(scene, &FromSceneOptions::default()) else { return Vec::new() };
    let model = made.value;
    let mut lost = Vec::new();
    for options in &forms()[..3] {
        let Ok(native) = model.to_scene(options) else { continue };
        let native = native.value;
        lost.extend(find_lost_edits(&native, seed, NEAR.place, |patch| {
            let made = merged(&model, &native, patch).ok()?.value.model;
            Some(Iqm::parse(&made.to_bytes().unwrap()).unwrap().to_scene(options).unwrap().value)
        }));
    }
    lost
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_any_scene_are_in_the_file(scene in clean_scene(), seed in 0_usize..1000) {
        prop_assert_eq!(find_lost(&scene, seed), Vec::<String>::new());
    }
}
