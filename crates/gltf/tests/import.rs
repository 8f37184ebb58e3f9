//! Tests the conversion of documents to scenes, with literal values of small documents.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics"
)]

mod skins;

use meshwright_core::{ReadError, Report, Severity};
use meshwright_gltf::GltfFile;
use meshwright_gltf::document::{Document, Options, no_files};
use meshwright_gltf::import::{EXTENSIONS, Import, ImportOptions, import};
use meshwright_rig::Evaluator;
use meshwright_scene::{Converted, Local, MeshId, Motion};
use serde_json::{Value, json};

/// A document under construction: arrays become views of one embedded buffer.
struct Made {
    root: Value,
    bytes: Vec<u8>,
}

impl Made {
    fn new(root: Value) -> Self {
        let mut root = root;
        root["asset"] = json!({ "version": "2.0" });
        for table in ["accessors", "bufferViews"] {
            root[table] = json!([]);
        }
        Self { root, bytes: Vec::new() }
    }

    fn push(&mut self, component: u32, kind: &str, count: usize, normalized: bool, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = self.root["bufferViews"].as_array().unwrap().len();
        let entry = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.root["bufferViews"].as_array_mut().unwrap().push(entry);
        self.bytes.extend_from_slice(bytes);
        let accessors = self.root["accessors"].as_array_mut().unwrap();
        accessors.push(json!({
            "bufferView": view, "componentType": component, "type": kind, "count": count, "normalized": normalized,
        }));
        accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, kind: &str, values: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect();
        self.push(5126, kind, values.len(), false, &bytes)
    }

    fn text(&self) -> Vec<u8> {
        let mut root = self.root.clone();
        root["buffers"] = json!([{ "byteLength": self.bytes.len(), "uri": data(&self.bytes) }]);
        serde_json::to_vec(&root).unwrap()
    }

    fn read(self) -> Result<(Converted<Import>, Report), ReadError> {
        let (text, options) = (self.text(), Options::default().with_extensions(EXTENSIONS));
        let document = Document::from_slice(&text, &no_files, &options)?;
        let made = import(&document, &ImportOptions::named("made"))?;
        made.value.scene.validate().unwrap();
        Ok((made, document.report()))
    }
}

fn data(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold("data:,".to_owned(), |mut uri, b| {
        write!(uri, "%{b:02x}").unwrap();
        uri
    })
}

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];

fn posed(import: &Import, clip: usize, seconds: f64) -> Vec<[f32; 3]> {
    let mut evaluator = Evaluator::new(&import.scene).unwrap();
    evaluator.pose_seconds(clip, seconds).unwrap();
    evaluator.mesh(MeshId(0)).unwrap().positions
}

fn is_near(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

#[test]
fn strips_and_fans_are_triangles() {
    for (mode, triangles) in
        [(4, vec![[0, 1, 2]]), (5, vec![[0, 1, 2], [1, 3, 2]]), (6, vec![[1, 2, 0], [2, 3, 0]])]
    {
        let mut made =
            Made::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }], "scene": 0 }));
        let positions = made.floats("VEC3", &CORNERS);
        made.root["meshes"] = json!([{ "name": "quad", "primitives": [{ "attributes": { "POSITION": positions }, "mode": mode }] }]);
        let (made, report) = made.read().unwrap();
        let scene = made.value.scene;
        assert_eq!(scene.meshes[0].triangles, triangles, "mode {mode}");
        assert_eq!(scene.meshes[0].positions, CORNERS);
        assert_eq!((scene.meshes[0].name.as_str(), scene.nodes.len()), ("quad", 1));
        assert_eq!(report.totals().any(|t| t.0 == "index-count"), mode == 4);
    }
}

/// Returns a bar of two joints below a node that turns a quarter about X, doubles and moves; the second joint turns.
fn armature(channel: &Value, interpolation: &str, times: &[[f32; 1]], values: &[[f32; 4]]) -> Made {
    let mut made = Made::new(json!({
        "scenes": [{ "nodes": [0, 3] }], "scene": 0,
        "nodes": [
            { "name": "armature", "children": [1], "rotation": [0.70710677, 0, 0, 0.70710677], "scale": [2, 2, 2],
              "translation": [0, 0, 5] },
            { "name": "root", "children": [2] },
            { "name": "tip", "translation": [0, 1, 0] },
            { "name": "bar", "mesh": 0, "skin": 0, "translation": [9, 9, 9] },
        ],
    }));
    let positions = made.floats("VEC3", &[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    let joints = made.push(5121, "VEC4", 3, false, &[0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    let weights = made.push(5121, "VEC4", 3, true, &[255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]);
    let unit = |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
    let bind = made.floats("MAT4", &[unit(0.0), unit(-1.0)]);
    let input = made.floats("SCALAR", times);
    let output = made.floats("VEC4", values);
    made.root["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": bind }]);
    made.root["meshes"] = json!([{ "primitives": [{
        "attributes": { "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights } }] }]);
    made.root["animations"] = json!([{ "name": "turn", "channels": [{ "sampler": 0, "target": channel }],
        "samplers": [{ "input": input, "output": output, "interpolation": interpolation }] }]);
    made
}

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
const STILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// A quarter about Z.
const QUARTER: [f32; 4] = [0.0, 0.0, HALF, HALF];

#[test]
fn what_lies_above_a_skeleton_is_folded_into_it() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let (made, _) = armature(&channel, "LINEAR", &[[0.0], [0.5]], &[STILL, QUARTER]).read().unwrap();
    let scene = &made.value.scene;
    let skeleton = &scene.skeletons[0];
    assert_eq!(skeleton.joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["root", "tip"]);
    assert_eq!(skeleton.joints[1].parent, Some(0));
    let Local::Trs(root) = skeleton.joints[0].rest else { panic!("parts stay parts") };
    assert_eq!((root.translation, root.scale), ([0.0, 0.0, 5.0], [2.0; 3]));
    let clip = &scene.clips[0];
    assert_eq!((clip.rate, clip.frames, clip.looping, clip.name.as_str()), (10.0, 6, false, "turn"));
    // Y up becomes Z, doubled; the mesh node's own place does not count.
    let at = posed(&made.value, 0, 0.0);
    assert!(is_near(at[1], [0.0, 0.0, 7.0]) && is_near(at[2], [2.0, 0.0, 7.0]), "{at:?}");
    let at = posed(&made.value, 0, 0.5);
    assert!(is_near(at[1], [0.0, 0.0, 7.0]) && is_near(at[2], [0.0, 0.0, 9.0]), "{at:?}");
    let at = posed(&made.value, 0, 0.25);
    let part = 2.0_f32.sqrt();
    assert!(is_near(at[2], [part, 0.0, 7.0 + part]), "{at:?}");
}

#[test]
fn a_first_joint_that_moves_stays_below_what_was_folded() {
    let channel = json!({ "node": 1, "path": "rotation" });
    let (made, _) = armature(&channel, "LINEAR", &[[0.0], [1.0]], &[STILL, QUARTER]).read().unwrap();
    // The quarter about Z of the node's space turns its Y to -X.
    let at = posed(&made.value, 0, 1.0);
    assert!(is_near(at[1], [-2.0, 0.0, 5.0]), "{at:?}");
}

#[test]
fn steps_hold_until_the_next_key() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let (made, _) = armature(&channel, "STEP", &[[0.0], [0.5]], &[STILL, QUARTER]).read().unwrap();
    for (time, z) in [(0.0, 7.0), (0.3, 7.0), (0.4999, 7.0), (0.5, 9.0)] {
        let at = posed(&made.value, 0, time);
        assert!(is_near(at[2], [if z > 8.0 { 0.0 } else { 2.0 }, 0.0, z]), "{time}: {at:?}");
    }
}

#[test]
fn two_keys_at_one_frame_are_a_step() {
    let channel = json!({ "node": 2, "path": "rotation" });
    // Exporters without steps put a key just before the next one. Rounding to frames puts both at frame 5.
    for early in [0.499_999_94, 0.499_9] {
        let (times, values) = ([[0.0], [early], [0.5], [1.0]], [STILL, STILL, QUARTER, QUARTER]);
        let (made, _) = armature(&channel, "LINEAR", &times, &values).read().unwrap();
        for (time, z) in [(0.0, 7.0), (0.3, 7.0), (0.4999, 7.0), (0.5, 9.0), (0.7, 9.0)] {
            let at = posed(&made.value, 0, time);
            assert!(is_near(at[2], [if z > 8.0 { 0.0 } else { 2.0 }, 0.0, z]), "{early}, {time}: {at:?}");
        }
    }
}

#[test]
fn splines_keep_their_curve() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let none = [0.0; 4];
    let values = [none, STILL, [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, -1.0, 0.0], QUARTER, none];
    let (made, _) = armature(&channel, "CUBICSPLINE", &[[0.0], [0.5]], &values).read().unwrap();
    for time in [0.1_f64, 0.23, 0.4, 0.5] {
        // Hermite, with tangents by second over half a second.
        let t = time / 0.5;
        let (t2, t3) = (t * t, t * t * t);
        let by = [2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2];
        let half = f64::from(HALF);
        let z = by[1] * 2.0 * 0.5 + by[2] * half + by[3] * -0.5;
        let w = by[0] + by[2] * half;
        let angle = 2.0 * z.atan2(w);
        let wanted = [2.0 * angle.cos() as f32, 0.0, 7.0 + 2.0 * angle.sin() as f32];
        let at = posed(&made.value, 0, time);
        assert!(is_near(at[2], wanted), "{time}: {at:?}, not {wanted:?}");
    }
}

#[test]
fn keys_before_the_start_are_cut_and_equal_ones_replaced() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let eighth = [0.0, 0.0, 0.382_683_43, 0.923_879_5];
    let (made, report) =
        armature(&channel, "LINEAR", &[[-0.5], [0.5], [0.5]], &[STILL, STILL, QUARTER]).read().unwrap();
    assert!(report.totals().any(|t| t.0 == "key-times"));
    let Motion::Tracks(tracks) = &made.value.scene.clips[0].motion else { panic!("keys") };
    assert_eq!(tracks[0].rotation.frames, [0.0, 5.0]);
    let first = tracks[0].rotation.values[0];
    assert!(first.iter().zip(eighth).all(|(a, b)| (a - b).abs() < 1e-6), "{first:?}");
    let fall = armature(&channel, "LINEAR", &[[0.5], [0.2]], &[STILL, QUARTER]).read();
    assert_eq!(fall.unwrap_err().code(), "key-times");
}

#[test]
fn compressed_views_are_decoded() {
    // Three vertices of four bytes: the first byte stored whole, the second in four bits, the third in two with one
    // whole byte after it, the fourth not at all.
    let mut stream = vec![0xa0];
    stream.push(3);
    stream.extend([20, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    stream.push(2);
    stream.extend([0x2f, 0x40, 0, 0, 0, 0, 0, 0, 40]);
    stream.push(1);
    stream.extend([0b0111_1000, 0, 0, 0, 9]);
    stream.push(0);
    let mut tail = [0; 32];
    tail[28..].copy_from_slice(&[5, 6, 7, 8]);
    stream.extend(tail);
    let vertices = decoded(&stream, 4, 3, "ATTRIBUTES", "NONE").unwrap();
    // 20 is +10, 1 is -1, 2 is +1; 2, 40 and 4 are +1, +20 and +2; 1, 9 and 2 are -1, -5 and +1.
    assert_eq!(vertices, [15, 7, 6, 8, 14, 27, 1, 8, 15, 29, 2, 8]);
    for cut in 0..stream.len() {
        assert_eq!(decoded(&stream[..cut], 4, 3, "ATTRIBUTES", "NONE"), None, "{cut} bytes");
    }
    let table = [0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0, 0];
    let stream = [&[0xe1, 0xf0, 0x10, 0xfe, 0x1f, 0x3d, 0x00, 0x0a], &table[..]].concat();
    let corners = decoded(&stream, 2, 15, "TRIANGLES", "NONE").unwrap();
    let corners: Vec<_> = corners.as_chunks::<2>().0.iter().map(|c| u16::from_le_bytes(*c)).collect();
    assert_eq!(corners, [0, 1, 2, 2, 1, 3, 0, 1, 2, 2, 1, 5, 2, 1, 4]);
    let stream = [0xd1, 0x00, 0x04, 0xcd, 0x01, 0x04, 0x07, 0x98, 0x1f, 0, 0, 0, 0];
    let order = decoded(&stream, 4, 6, "INDICES", "NONE").unwrap();
    let order: Vec<_> = order.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect();
    assert_eq!(order, [0, 1, 51, 2, 49, 1000]);
}

/// Returns the bytes of a compressed view.
fn decoded(stream: &[u8], stride: usize, count: usize, mode: &str, filter: &str) -> Option<Vec<u8>> {
    let root = json!({
        "asset": { "version": "2.0" },
        "buffers": [
            { "byteLength": stream.len(), "uri": data(stream) },
            { "byteLength": stride * count, "extensions": { "EXT_meshopt_compression": { "fallback": true } } },
        ],
        "bufferViews": [{ "buffer": 1, "byteLength": stride * count, "extensions": { "EXT_meshopt_compression": {
            "buffer": 0, "byteLength": stream.len(), "byteStride": stride, "count": count, "mode": mode,
            "filter": filter } } }],
    });
    let text = serde_json::to_vec(&root).unwrap();
    let document =
        Document::from_slice(&text, &no_files, &Options::default().with_extensions(EXTENSIONS)).ok()?;
    Some(document.view_bytes(0).unwrap().to_vec())
}

/// Returns uncompressed attributes, to test a filter.
fn filtered(element: &[u8], filter: &str) -> Vec<u8> {
    let mut stream = vec![0xa0];
    stream.resize(1 + element.len() + 32usize.saturating_sub(element.len()), 0);
    stream.extend(element);
    decoded(&stream, element.len(), 1, "ATTRIBUTES", filter).unwrap()
}

#[test]
fn filters_undo_what_made_values_small() {
    // Straight along the axes, and folded over below.
    assert_eq!(filtered(&[127, 0, 127, 5], "OCTAHEDRAL"), [127, 0, 0, 5]);
    assert_eq!(filtered(&[0, 0, 127, 0], "OCTAHEDRAL"), [0, 0, 127, 0]);
    assert_eq!(filtered(&[127, 127, 127, 0], "OCTAHEDRAL"), [0, 0, 0x81, 0]);
    // No turn: w is the largest part and left out; its number is in the low bits next to the scale.
    let shorts = |v: [i16; 4]| v.into_iter().flat_map(i16::to_le_bytes).collect::<Vec<u8>>();
    assert_eq!(filtered(&shorts([0, 0, 0, 0x7fff]), "QUATERNION"), shorts([0, 0, 0, 32767]));
    assert_eq!(filtered(&shorts([0, 0, 0, 0x7ffc]), "QUATERNION"), shorts([32767, 0, 0, 0]));
    // 3 * 2^-1 and -1 * 2^4.
    assert_eq!(filtered(&[3, 0, 0, 0xff], "EXPONENTIAL"), 1.5_f32.to_le_bytes());
    assert_eq!(filtered(&[0xff, 0xff, 0xff, 4], "EXPONENTIAL"), (-16.0_f32).to_le_bytes());
}

#[test]
fn texture_coordinates_are_moved_as_the_material_says() {
    let mut made = Made::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }], "scene": 0,
        "materials": [{ "name": "m", "doubleSided": true, "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.25, 1, 1],
            "baseColorTexture": { "index": 0, "texCoord": 1, "extensions": { "KHR_texture_transform": {
                "offset": [0.5, 0], "scale": [2, 1] } } } } }] }));
    let positions = made.floats("VEC3", &CORNERS);
    let first = made.floats("VEC2", &[[9.0, 9.0]; 4]);
    let second = made.push(
        5123,
        "VEC2",
        4,
        true,
        &[0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    );
    let colors = made.push(5121, "VEC4", 4, true, &[255, 128, 0, 255, 1, 2, 3, 4, 0, 0, 0, 0, 9, 9, 9, 9]);
    made.root["meshes"] = json!([{ "primitives": [{ "material": 0, "mode": 5, "attributes": {
        "POSITION": positions, "TEXCOORD_0": first, "TEXCOORD_1": second, "COLOR_0": colors } }] }]);
    let (made, _) = made.read().unwrap();
    let mesh = &made.value.scene.meshes[0];
    assert_eq!(mesh.uvs, [[0.5, 0.0], [2.5, 0.0], [0.5, 1.0], [2.5, 1.0]]);
    let material = &made.value.scene.materials[0];
    assert_eq!((material.base_color, material.double_sided), ([0.5, 0.25, 1.0, 1.0], true));
    assert!(made.losses.iter().any(|l| l.code == "more-texture-sets"));
}

#[test]
fn older_materials_keep_their_textures() {
    let mut made = Made::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }], "scene": 0 }));
    let positions = made.floats("VEC3", &CORNERS);
    let primitive =
        |material: usize| json!({ "attributes": { "POSITION": positions }, "mode": 5, "material": material });
    made.root["meshes"] = json!([{ "primitives": [primitive(0), primitive(1)] }]);
    let older = json!({ "KHR_materials_pbrSpecularGlossiness": {
        "diffuseFactor": [1, 0.5, 0, 1], "diffuseTexture": { "index": 0 }, "specularGlossinessTexture": { "index": 1 },
    } });
    made.root["materials"] = json!([
        { "extensions": older },
        { "extensions": older, "pbrMetallicRoughness": { "baseColorTexture": { "index": 1 } } },
    ]);
    made.root["textures"] = json!([
        { "source": 0 },
        { "source": 1 },
        { "extensions": { "KHR_texture_basisu": { "source": 1 } } },
        { "source": 0, "extensions": { "EXT_texture_webp": { "source": 1 } } },
    ]);
    let png = |byte: u8| [b"\x89PNG\r\n\x1a\n", &[byte][..]].concat();
    let uri = |byte: u8| data(&png(byte)).replacen("data:", "data:image/png", 1);
    made.root["images"] = json!([{ "uri": uri(1) }, { "uri": uri(2) }]);
    let (made, _) = made.read().unwrap();
    let materials = &made.value.scene.materials;
    let texture = |m: usize| materials[m].image.as_ref().unwrap().bytes.to_vec();
    assert_eq!((texture(0), texture(1)), (png(1), png(2)));
    assert_eq!(materials[0].base_color, [1.0, 0.5, 0.0, 1.0]);
    assert_eq!(materials[0].layers[0].image.bytes.to_vec(), png(2));
    assert_eq!((materials[1].base_color, materials[1].layers.len()), ([1.0; 4], 0));
    let lost: Vec<_> = made.losses.iter().map(|loss| (loss.code, loss.path.as_str())).collect();
    assert_eq!(lost, [("image-dropped", "textures[2]")]);
}

/// If a material does not use the colours of vertices, Blender writes white first; the first colours of other tools
/// are real.
#[test]
fn colours_that_a_material_does_not_use_are_behind_white() {
    let colors = |first: u8, generator: &str| {
        let mut made =
            Made::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }], "scene": 0 }));
        made.root["asset"] = json!({ "version": "2.0", "generator": generator });
        let positions = made.floats("VEC3", &CORNERS);
        let white = made.push(5121, "VEC4", 4, true, &[first; 16]);
        let behind = made.floats("VEC3", &[[1.0, 0.0, 0.0]; 4]);
        made.root["meshes"] = json!([{ "primitives": [{ "mode": 5, "attributes": {
            "POSITION": positions, "COLOR_0": white, "COLOR_1": behind } }] }]);
        made.read().unwrap().0.value.scene.meshes[0].colors[0]
    };
    let blender = "Khronos glTF Blender I/O v5.0.21";
    assert_eq!(colors(255, blender), [255, 0, 0, 255]);
    assert_eq!(colors(255, "meshwright"), [255; 4]);
    assert_eq!(
        colors(255, "Khronos glTF Blender I/O v3.4.50"),
        [255; 4],
        "older versions write the real colours first"
    );
    assert_eq!(colors(0, blender), [0; 4]);
}

/// Returns the rate of a clip with keys at these times, its number of frames, and the reported codes.
fn rate_of(times: &[f64]) -> (f32, u32, Vec<&'static str>) {
    let channel = json!({ "node": 2, "path": "rotation" });
    #[allow(clippy::cast_possible_truncation, reason = "times are stored in 32 bits")]
    let times: Vec<[f32; 1]> = times.iter().map(|t| [*t as f32]).collect();
    let values: Vec<_> = (0..times.len()).map(|k| if k % 2 == 0 { STILL } else { QUARTER }).collect();
    let (made, _) = armature(&channel, "LINEAR", &times, &values).read().unwrap();
    let clip = &made.value.scene.clips[0];
    (clip.rate, clip.frames, made.losses.iter().map(|loss| loss.code).collect())
}

#[test]
fn a_rate_is_found_or_given() {
    let channel = json!({ "node": 2, "path": "rotation" });
    // Few keys say little: they get a rate that can be blended.
    for (times, rate, frames) in
        [([0.0, 1.0 / 24.0], 24.0, 2), ([0.0, 2.0 / 60.0], 30.0, 2), ([0.0, 1.0], 10.0, 11)]
    {
        assert_eq!(rate_of(&times), (rate, frames, vec![]), "{times:?}");
    }
    let at = |rate: f64| (0..9).map(|k| f64::from(k) / rate).collect::<Vec<_>>();
    for twice in 2..=480_u16 {
        let rate = f32::from(twice) / 2.0;
        assert_eq!(rate_of(&at(rate.into())), (rate, 9, vec![]), "{rate}");
    }
    let (rate, frames, said) = rate_of(&at(30_000.0 / 1001.0));
    assert!((rate - 29.97).abs() < 1e-3 && frames == 9 && said.is_empty(), "{rate}");
    // Rounded to milliseconds: keys are at their frames.
    let rounded: Vec<_> = at(30.0).iter().map(|t| (t * 1000.0).round() / 1000.0).collect();
    assert_eq!(rate_of(&rounded), (30.0, 9, vec![]));
    let odd = [0.0, 0.1, 0.237, 0.5, 0.777_7, 1.234_5, 1.618, 2.719_1];
    assert_eq!(rate_of(&odd), (30.0, 83, vec!["no-rate", "clip-lengthened"]));
    let mut made = armature(&channel, "LINEAR", &[[0.0], [1.45]], &[STILL, QUARTER]);
    made.root["animations"][0]["extras"] = json!({ "rate": 20, "loop": true, "frames": 30 });
    let (made, _) = made.read().unwrap();
    let clip = &made.value.scene.clips[0];
    assert_eq!((clip.rate, clip.frames, clip.looping), (20.0, 30, true));
}

/// Keys after the frames of a loop are its end; if they have another pose, they are a frame.
#[test]
fn a_loop_may_be_longer_by_a_frame() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let times = [[0.0], [0.1], [0.2], [0.3]];
    let turn =
        |degrees: f32| [0.0, 0.0, (degrees.to_radians() / 2.0).sin(), (degrees.to_radians() / 2.0).cos()];
    let minus = |q: [f32; 4]| q.map(|c| -c);
    for (end, frames) in
        [(turn(0.0), 3), (minus(turn(0.05)), 3), (turn(20.0), 3), (turn(30.0), 4), (turn(0.5), 4)]
    {
        let mut made = armature(&channel, "LINEAR", &times, &[STILL, turn(10.0), turn(20.0), end]);
        made.root["animations"][0]["extras"] = json!({ "rate": 10, "loop": true, "frames": 3 });
        let (made, _) = made.read().unwrap();
        let clip = &made.value.scene.clips[0];
        assert_eq!((clip.frames, clip.looping), (frames, true), "{end:?}");
    }
}

/// Normalised weights, and keys between the frames of a clip, are reported.
#[test]
fn what_is_made_of_weights_and_keys_is_said() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let mut made = armature(&channel, "LINEAR", &[[0.0], [0.25]], &[STILL, QUARTER]);
    made.root["animations"][0]["extras"] = json!({ "rate": 10 });
    let weights = made.floats("VEC4", &[[1.0, 0.0, 0.0, 0.0], [0.5, 0.25, 0.0, 0.0], [2.0, -1.0, 0.0, 0.0]]);
    made.root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    let file = GltfFile::parse(&made.text()).unwrap();
    let (made, _) = made.read().unwrap();
    let said: Vec<_> = made.losses.iter().map(|l| (l.code, l.is_note(), l.count, l.amount)).collect();
    let wanted = [
        ("weights-normalized", true, 2, Some(1.0)),
        ("weights-negative", false, 1, None),
        ("clip-lengthened", true, 1, Some(0.05)),
    ];
    assert_eq!(said.len(), wanted.len(), "{said:?}");
    for (said, wanted) in said.iter().zip(wanted) {
        assert_eq!((said.0, said.1, said.2), (wanted.0, wanted.1, wanted.2));
        let off = said.3.unwrap_or(0.0) - wanted.3.unwrap_or(0.0);
        assert!(off.abs() < 1e-6, "{said:?}");
    }
    // The check reports each fault once, and as glTF ranks it: a sum in vertex 1, a negative weight in vertex 2.
    let report = file.conformance();
    let weights = report.iter().filter(|finding| finding.rule.code.starts_with("weights-"));
    let weights: Vec<_> = weights.map(|f| (f.rule.code, f.severity, f.path.to_string())).collect();
    let path = |vertex: usize| format!("meshes[0].primitives[0].attributes[{vertex}]");
    let wanted =
        [("weights-normalized", Severity::Error, path(1)), ("weights-negative", Severity::Error, path(2))];
    assert_eq!(weights, wanted);
    assert_eq!(made.value.scene.clips[0].frames, 4);
}
