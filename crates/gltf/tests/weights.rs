//! Compares weights that are read in blocks with weights that are read one by one.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics; tests use small numbers"
)]

use meshwright_gltf::GltfFile;
use serde_json::json;

const VERTICES: usize = 1100;
const JOINTS: usize = 5;

struct Random(u32);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % n
    }
}

/// Returns vertices with four joints and weights: sorted in the first block, with zeros between in the second, then
/// with other sums than 1, then partly without weights, then sorted again.
fn vertices(sets: usize) -> Vec<Vec<(u8, f32)>> {
    let mut random = Random(7);
    let make = |v: usize| {
        let kind = v / 256;
        let used = 1 + random.below(4 * sets as u32) as usize;
        let used = if kind == 3 && v.is_multiple_of(5) { 0 } else { used };
        let sum = if kind == 2 { 2.0 } else { 1.0 };
        let mut four: Vec<_> = (0..4 * sets)
            .map(|i| (random.below(JOINTS as u32) as u8, if i < used { sum / used as f32 } else { 0.0 }))
            .collect();
        if kind == 1 {
            four.rotate_right(random.below(4) as usize);
        }
        four
    };
    (0..VERTICES).map(make).collect()
}

fn file(vertices: &[Vec<(u8, f32)>], sets: usize) -> Vec<u8> {
    let mut bin = vec![0; VERTICES * 12];
    let (mut views, mut accessors) = (vec![json!({"buffer": 0, "byteLength": bin.len()})], vec![]);
    accessors.push(json!({"bufferView": 0, "componentType": 5126, "count": VERTICES, "type": "VEC3"}));
    let mut attributes = json!({"POSITION": 0});
    for s in 0..sets {
        let of = vertices.iter().flat_map(|v| &v[4 * s..4 * s + 4]);
        let joints: Vec<u8> = of.clone().map(|(joint, _)| *joint).collect();
        let weights: Vec<u8> = of.flat_map(|(_, weight)| weight.to_le_bytes()).collect();
        for (bytes, component, name) in [(joints, 5121, "JOINTS"), (weights, 5126, "WEIGHTS")] {
            attributes[format!("{name}_{s}")] = accessors.len().into();
            let view = views.len();
            views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
            accessors.push(json!({
                "bufferView": view, "componentType": component, "count": VERTICES, "type": "VEC4",
            }));
            bin.extend(bytes);
        }
    }
    let mut nodes: Vec<_> = (0..JOINTS).map(|j| json!({"name": format!("j{j}")})).collect();
    nodes.push(json!({"mesh": 0, "skin": 1}));
    let order: Vec<_> = (0..JOINTS).collect();
    let turned: Vec<_> = (0..JOINTS).rev().collect();
    let json = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": bin.len()}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "nodes": nodes,
        "skins": [{"joints": order}, {"joints": turned}],
    });
    let mut json = serde_json::to_vec(&json).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend((20 + json.len() as u32 + 8 + bin.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &bin)] {
        glb.extend((chunk.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    glb
}

#[test]
fn blocks_hold_what_their_vertices_do() {
    for sets in [1, 2] {
        let vertices = vertices(sets);
        let (made, report) = GltfFile::parse(&file(&vertices, sets)).unwrap().import("", None).unwrap();
        let scene = made.value.scene;
        let joints = &scene.skeletons[0].joints;
        let skin = scene.meshes[0].skin.as_ref().unwrap();
        assert_eq!(skin.starts.len(), VERTICES + 1);
        let (mut scaled, mut unbound) = (0, 0);
        for (v, influences) in vertices.iter().enumerate() {
            let sum: f64 = influences.iter().map(|(_, w)| f64::from(*w)).sum();
            (scaled, unbound) = (scaled + usize::from(sum > 1.5), unbound + usize::from(sum == 0.0));
            let scale = if sum > 1.5 { 1.0 / sum } else { 1.0 };
            // The second skin names joints backwards.
            let name = |j: u8| format!("j{}", JOINTS - 1 - usize::from(j));
            let expected = influences.iter().filter(|(_, w)| *w != 0.0);
            let expected: Vec<_> =
                expected.map(|(j, w)| (name(*j), (f64::from(*w) * scale) as f32)).collect();
            let found = skin.influences(v).iter().map(|i| (joints[i.joint as usize].name.clone(), i.weight));
            assert_eq!(found.collect::<Vec<_>>(), expected, "{v}");
        }
        assert!(unbound > 10 && scaled > 250);
        let said: Vec<_> = report.totals().map(|t| t.0).collect();
        assert!(said.contains(&"vertices-unbound"), "{said:?}");
        let note = made.losses.iter().find(|loss| loss.code == "weights-normalized").unwrap();
        assert_eq!(note.count, scaled as u64);
    }
}

#[test]
fn the_first_fault_of_any_block_is_found() {
    let mut wrong = vertices(1);
    wrong[600][0].1 = f32::NAN;
    let error = GltfFile::parse(&file(&wrong, 1)).unwrap_err();
    assert!(error.path().to_string().ends_with("WEIGHTS[600]"), "{error}");
    wrong[300][0] = (JOINTS as u8, 1.0);
    let error = GltfFile::parse(&file(&wrong, 1)).unwrap_err();
    assert!(error.path().to_string().ends_with("WEIGHTS[300]"), "{error}");
}
