//! Tests the reader of documents: literal bytes of every kind of accessor, faults with their codes and paths, random
//! bytes, and the corpus next to the project.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "tests compare exact numbers, and fail by a panic"
)]

use meshwright_core::{Limits, ReadError};
use meshwright_gltf::document::{Document, ElementType, Options, RULES, no_files};
use meshwright_testkit::proptest;
use proptest::prelude::*;
use serde_json::{Value, json};

pub(super) fn base64(bytes: &[u8]) -> String {
    let digit = |n: u32| {
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[n as usize & 63])
    };
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |i: usize| three.get(i).map_or(0, |b| u32::from(*b));
        let n = (at(0) << 16) | (at(1) << 8) | at(2);
        let four = [digit(n >> 18), digit(n >> 12), digit(n >> 6), digit(n)];
        text.extend(four.iter().take(three.len() + 1));
        text.extend(std::iter::repeat_n('=', 3 - three.len()));
    }
    text
}

/// Returns a document with one buffer of these bytes, and one view of the whole buffer.
fn with_bytes(bytes: &[u8]) -> Value {
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{
            "byteLength": bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", base64(bytes)),
        }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
    })
}

fn with_accessor(bytes: &[u8], accessor: Value) -> Value {
    let mut document = with_bytes(bytes);
    document["accessors"] = json!([accessor]);
    document
}

/// Reads the elements of the first accessor.
fn floats<const N: usize>(document: &Value) -> Result<Vec<[f32; N]>, ReadError> {
    let text = document.to_string();
    Document::from_slice(text.as_bytes(), &no_files, &Options::default())?.read_f32(0)
}

fn integers<const N: usize>(document: &Value) -> Result<Vec<[u32; N]>, ReadError> {
    let text = document.to_string();
    Document::from_slice(text.as_bytes(), &no_files, &Options::default())?.read_u32(0)
}

/// Returns the code and path of the fault.
fn fault(document: &Value) -> (&'static str, String) {
    let e = floats::<1>(document).unwrap_err();
    (e.code(), e.path().to_string())
}

#[test]
fn every_type_of_component_is_read() {
    let read = |component: u32, normalized: bool, bytes: &[u8], count: usize| {
        let accessor = json!({
            "bufferView": 0, "componentType": component, "normalized": normalized, "count": count, "type": "SCALAR",
        });
        floats::<1>(&with_accessor(bytes, accessor)).map(Vec::into_flattened)
    };
    let signed = [0x80, 0x81, 0xff, 0, 1, 0x7f];
    let unsigned = [0, 1, 0x80, 0xff];
    assert_eq!(read(5120, false, &signed, 6).unwrap(), [-128.0, -127.0, -1.0, 0.0, 1.0, 127.0]);
    assert_eq!(read(5120, true, &signed, 6).unwrap(), [-1.0, -1.0, -1.0 / 127.0, 0.0, 1.0 / 127.0, 1.0]);
    assert_eq!(read(5121, false, &unsigned, 4).unwrap(), [0.0, 1.0, 128.0, 255.0]);
    assert_eq!(read(5121, true, &unsigned, 4).unwrap(), [0.0, 1.0 / 255.0, 128.0 / 255.0, 1.0]);
    let signed: Vec<u8> = [-32768_i16, -32767, -1, 0, 32767].iter().flat_map(|v| v.to_le_bytes()).collect();
    let unsigned: Vec<u8> = [0_u16, 1, 0x1234, 65535].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(read(5122, false, &signed, 5).unwrap(), [-32768.0, -32767.0, -1.0, 0.0, 32767.0]);
    assert_eq!(read(5122, true, &signed, 5).unwrap(), [-1.0, -1.0, -1.0 / 32767.0, 0.0, 1.0]);
    assert_eq!(read(5123, false, &unsigned, 4).unwrap(), [0.0, 1.0, 4660.0, 65535.0]);
    assert_eq!(read(5123, true, &unsigned, 4).unwrap(), [0.0, 1.0 / 65535.0, 4660.0 / 65535.0, 1.0]);
    let whole: Vec<u8> = [0_u32, 1 << 24, u32::MAX].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(read(5125, false, &whole, 3).unwrap(), [0.0, 16_777_216.0, 4_294_967_296.0]);
    assert_eq!(read(5125, true, &whole, 3).unwrap_err().code(), "accessor-type");
    let real: Vec<u8> = [0.0_f32, -1.5, f32::MAX].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(read(5126, false, &real, 3).unwrap(), [0.0, -1.5, f32::MAX]);
    assert!(read(5124, false, &real, 3).is_err());
}

#[test]
fn integers_are_read_unless_they_have_signs() {
    let bytes = [1, 0, 0xff, 0xff, 2, 0, 0, 0x80];
    let read = |component: u32, count: usize| {
        let accessor = json!({ "bufferView": 0, "componentType": component, "count": count, "type": "VEC2" });
        integers::<2>(&with_accessor(&bytes, accessor))
    };
    assert_eq!(read(5121, 2).unwrap(), [[1, 0], [255, 255]]);
    assert_eq!(read(5123, 2).unwrap(), [[1, 0xffff], [2, 0x8000]]);
    assert_eq!(read(5125, 1).unwrap(), [[0xffff_0001, 0x8000_0002]]);
    for signed in [5120, 5122] {
        assert_eq!(read(signed, 2).unwrap_err().code(), "accessor-type");
    }
    assert_eq!(read(5126, 1).unwrap_err().code(), "accessor-type");
}

#[test]
fn strides_are_stepped_over() {
    let mut document = with_bytes(&(0..40).collect::<Vec<u8>>());
    document["bufferViews"][0]["byteStride"] = json!(12);
    document["accessors"] = json!([
        { "bufferView": 0, "byteOffset": 4, "componentType": 5121, "count": 3, "type": "VEC3" },
        // The last element is not followed by a whole stride.
        { "bufferView": 0, "byteOffset": 8, "componentType": 5123, "count": 3, "type": "VEC4" },
    ]);
    let text = document.to_string();
    let read = Document::from_slice(text.as_bytes(), &no_files, &Options::default()).unwrap();
    assert_eq!(read.read_f32::<3>(0).unwrap(), [[4.0, 5.0, 6.0], [16.0, 17.0, 18.0], [28.0, 29.0, 30.0]]);
    let row = |n: u32| [0, 2, 4, 6].map(|i| n + i + 256 * (n + i + 1));
    assert_eq!(read.read_u32::<4>(1).unwrap(), [row(8), row(20), row(32)]);
    document["accessors"][1]["byteOffset"] = json!(9);
    assert_eq!(fault(&document), ("accessor-range", "accessors[1].count".into()));
}

#[test]
fn columns_of_small_matrices_are_padded() {
    let read = |component: u32, kind: &str, count: usize| {
        let bytes: Vec<u8> = (1..=48).collect();
        with_accessor(
            &bytes,
            json!({ "bufferView": 0, "componentType": component, "count": count, "type": kind }),
        )
    };
    assert_eq!(floats::<4>(&read(5121, "MAT2", 2)).unwrap(), [[1.0, 2.0, 5.0, 6.0], [9.0, 10.0, 13.0, 14.0]]);
    assert_eq!(
        floats::<9>(&read(5120, "MAT3", 2)).unwrap(),
        [
            [1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 9.0, 10.0, 11.0],
            [13.0, 14.0, 15.0, 17.0, 18.0, 19.0, 21.0, 22.0, 23.0]
        ]
    );
    let word = |n: u32| n + 256 * (n + 1);
    assert_eq!(
        integers::<9>(&read(5123, "MAT3", 2)).unwrap(),
        [[1, 3, 5, 9, 11, 13, 17, 19, 21].map(word), [25, 27, 29, 33, 35, 37, 41, 43, 45].map(word)]
    );
    assert_eq!(integers::<4>(&read(5123, "MAT2", 1)).unwrap(), [[1, 3, 5, 7].map(word)]);
    assert_eq!(integers::<16>(&read(5121, "MAT4", 1)).unwrap()[0].to_vec(), (1..=16).collect::<Vec<u32>>());
    // The padding after the last column may be missing.
    let bytes: Vec<u8> = (1..=7).collect();
    let cut = json!({ "bufferView": 0, "componentType": 5120, "count": 1, "type": "MAT2" });
    assert_eq!(floats::<4>(&with_accessor(&bytes, cut)).unwrap(), [[1.0, 2.0, 5.0, 6.0]]);
    assert_eq!(fault(&read(5121, "MAT2", 7)).0, "accessor-range");
    assert_eq!(fault(&read(5121, "MAT2", 1)), ("accessor-type", "accessors[0]".into()));
}

fn sparse(indices: &[u8], base: Option<usize>) -> Value {
    // Three values, two replacements, and their indices.
    let bytes = [&[10, 20, 30, 0, 77, 88, 0, 0], indices].concat();
    let mut document = with_accessor(
        &bytes,
        json!({
            "componentType": 5121, "count": 3, "type": "SCALAR",
            "sparse": {
                "count": indices.len(),
                "indices": { "bufferView": 0, "byteOffset": 8, "componentType": 5121 },
                "values": { "bufferView": 0, "byteOffset": 4 },
            },
        }),
    );
    if let Some(view) = base {
        document["accessors"][0]["bufferView"] = json!(view);
    }
    document
}

#[test]
fn sparse_elements_replace_others() {
    assert_eq!(integers::<1>(&sparse(&[0, 2], Some(0))).unwrap(), [[77], [20], [88]]);
    assert_eq!(integers::<1>(&sparse(&[1, 2], None)).unwrap(), [[0], [77], [88]]);
    assert_eq!(integers::<1>(&sparse(&[], Some(0))).unwrap(), [[10], [20], [30]]);
    let path = |i: usize| format!("accessors[0].sparse.indices[{i}]");
    assert_eq!(fault(&sparse(&[1, 1], None)), ("sparse-order", path(1)));
    assert_eq!(fault(&sparse(&[2, 0], None)), ("sparse-order", path(1)));
    assert_eq!(fault(&sparse(&[0, 3], None)), ("sparse-range", path(1)));
    assert_eq!(fault(&sparse(&[0, 1, 2, 3], None)), ("sparse-range", "accessors[0].sparse.count".into()));
    let mut beyond = sparse(&[0, 2], None);
    beyond["accessors"][0]["sparse"]["indices"]["byteOffset"] = json!(9);
    assert_eq!(fault(&beyond), ("accessor-range", "accessors[0].sparse.indices.count".into()));
    let mut signed = sparse(&[0, 2], None);
    signed["accessors"][0]["sparse"]["indices"]["componentType"] = json!(5120);
    assert_eq!(fault(&signed), ("accessor-type", "accessors[0].sparse.indices.componentType".into()));
}

#[test]
fn accessors_without_a_view_are_zeros_within_the_limit() {
    let zeros = |count: u64| {
        json!({
            "asset": { "version": "2.0" },
            "accessors": [{ "componentType": 5126, "count": count, "type": "VEC4" }],
        })
    };
    assert_eq!(floats::<4>(&zeros(2)).unwrap(), [[0.0; 4]; 2]);
    for count in [1 << 40, u64::MAX] {
        assert_eq!(floats::<4>(&zeros(count)).unwrap_err().code(), "limit");
    }
}

/// Returns a document with most tables, and a buffer of 1024 zeros.
fn figure() -> Value {
    let mut document = with_bytes(&[0; 1024]);
    let more = json!({
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 0, "componentType": 5123, "count": 3, "type": "SCALAR" },
            { "bufferView": 0, "componentType": 5121, "count": 3, "type": "VEC4" },
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC4" },
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "MAT4" },
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR" },
        ],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3 }, "indices": 1, "material": 0,
        }] }],
        "materials": [{}],
        "nodes": [{ "children": [1] }, {}, { "mesh": 0, "skin": 0 }],
        "scenes": [{ "nodes": [0, 2] }],
        "scene": 0,
        "skins": [{ "joints": [0, 1], "inverseBindMatrices": 4 }],
        "animations": [{
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
            "samplers": [{ "input": 5, "output": 3 }],
        }],
        "images": [{ "uri": "a.png" }],
    });
    for (name, table) in more.as_object().unwrap() {
        document[name] = table.clone();
    }
    document
}

#[test]
fn tables_refer_to_what_is_there() {
    let text = figure().to_string();
    let read = Document::from_slice(text.as_bytes(), &no_files, &Options::default()).unwrap();
    assert!(read.report().is_empty(), "{:?}", read.report());
    assert_eq!((read.nodes()[1].parent, read.default_scene()), (Some(0), Some(0)));
    assert_eq!(read.node_order(), [0, 2, 1]);
    assert_eq!(read.skins()[0].joints, [0, 1]);
    assert_eq!(read.json().get("materials").unwrap().items().count(), 1);
    let faults = [
        ("/accessors/0/bufferView", json!(1), "index", "accessors[0].bufferView"),
        ("/accessors/0/byteOffset", json!(1025), "accessor-range", "accessors[0].byteOffset"),
        ("/accessors/0/byteOffset", json!(u64::MAX), "accessor-range", "accessors[0].byteOffset"),
        ("/accessors/0/byteOffset", json!(-1), "json-number", "accessors[0].byteOffset"),
        ("/accessors/0/byteOffset", json!(1.5), "json-number", "accessors[0].byteOffset"),
        ("/accessors/0/byteOffset", json!("1"), "json-shape", "accessors[0].byteOffset"),
        ("/accessors/0/count", json!(0), "accessor-count", "accessors[0].count"),
        ("/accessors/0/count", json!(u64::MAX), "accessor-range", "accessors[0].count"),
        ("/accessors/0/componentType", json!(5124), "accessor-type", "accessors[0].componentType"),
        ("/accessors/0/type", json!("VEC5"), "accessor-type", "accessors[0].type"),
        ("/accessors/0", json!(7), "json-shape", "accessors[0]"),
        ("/bufferViews/0/buffer", json!(1), "index", "bufferViews[0].buffer"),
        ("/bufferViews/0/byteLength", json!(1025), "view-range", "bufferViews[0]"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "view-range", "bufferViews[0]"),
        ("/bufferViews/0/byteStride", json!(0), "view-stride", "bufferViews[0].byteStride"),
        ("/bufferViews/0/byteStride", json!(6), "view-stride", "bufferViews[0].byteStride"),
        ("/bufferViews/0/byteStride", json!(256), "view-stride", "bufferViews[0].byteStride"),
        ("/bufferViews/0/byteStride", json!(8), "view-stride", "accessors[0]"),
        ("/buffers/0/byteLength", json!(1025), "buffer-short", "buffers[0].byteLength"),
        ("/buffers/0/uri", json!("a.bin"), "buffer-missing", "buffers[0].uri"),
        ("/buffers/0/uri", json!("../a.bin"), "uri-path", "buffers[0].uri"),
        ("/buffers/0/uri", json!("http://x"), "uri-scheme", "buffers[0].uri"),
        ("/buffers/0/uri", json!("data:;base64,A"), "uri-data", "buffers[0].uri"),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(6),
            "index",
            "meshes[0].primitives[0].attributes",
        ),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(5),
            "accessor-type",
            "meshes[0].primitives[0].attributes.POSITION",
        ),
        (
            "/meshes/0/primitives/0/attributes/JOINTS_0",
            json!(3),
            "accessor-type",
            "meshes[0].primitives[0].attributes.JOINTS",
        ),
        ("/accessors/3/count", json!(2), "attribute-count", "meshes[0].primitives[0].attributes.WEIGHTS"),
        ("/meshes/0/primitives/0/indices", json!(0), "accessor-type", "meshes[0].primitives[0].indices"),
        ("/meshes/0/primitives/0/material", json!(1), "index", "meshes[0].primitives[0].material"),
        ("/meshes/0/primitives/0/mode", json!(7), "mode", "meshes[0].primitives[0].mode"),
        (
            "/meshes/0/primitives/0/targets",
            json!([{ "POSITION": 9 }]),
            "index",
            "meshes[0].primitives[0].targets[0]",
        ),
        ("/meshes/0/primitives", json!([]), "json-shape", "meshes[0]"),
        ("/nodes/0/children", json!([0]), "node-cycle", "nodes[0].children"),
        ("/nodes/1/children", json!([0]), "node-cycle", "nodes[1].children"),
        ("/nodes/0/children", json!([1, 1]), "node-parents", "nodes[0].children"),
        ("/nodes/0/children", json!([3]), "index", "nodes[0].children[0]"),
        ("/nodes/0/matrix", json!([1]), "json-shape", "nodes[0].matrix"),
        ("/nodes/0/translation", json!([0, 1e39, 0]), "not-finite", "nodes[0].translation[1]"),
        ("/nodes/2/mesh", json!(1), "index", "nodes[2].mesh"),
        ("/nodes/2/skin", json!(u64::MAX), "index", "nodes[2].skin"),
        ("/scene", json!(1), "index", "scene"),
        ("/scenes/0/nodes", json!([3]), "index", "scenes[0].nodes[0]"),
        ("/skins/0/joints", json!([]), "skin-joints", "skins[0].joints"),
        ("/skins/0/joints", json!([1, 1]), "skin-joints", "skins[0].joints"),
        ("/accessors/4/count", json!(1), "skin-ibm", "skins[0].inverseBindMatrices"),
        ("/skins/0/inverseBindMatrices", json!(0), "accessor-type", "skins[0].inverseBindMatrices"),
        ("/animations/0/channels/0/sampler", json!(1), "index", "animations[0].channels[0].sampler"),
        (
            "/animations/0/channels/0/target/path",
            json!("x"),
            "channel-target",
            "animations[0].channels[0].target.path",
        ),
        (
            "/animations/0/channels/0/target/path",
            json!("scale"),
            "accessor-type",
            "animations[0].samplers[0].output",
        ),
        (
            "/animations/0/samplers/0/interpolation",
            json!("x"),
            "sampler-interpolation",
            "animations[0].samplers[0].interpolation",
        ),
        (
            "/animations/0/samplers/0/interpolation",
            json!("CUBICSPLINE"),
            "sampler-count",
            "animations[0].samplers[0].output",
        ),
        ("/accessors/5/count", json!(2), "sampler-count", "animations[0].samplers[0].output"),
        ("/animations/0/samplers/0/input", json!(1), "accessor-type", "animations[0].samplers[0].input"),
        ("/asset/version", json!("1.0"), "asset-version", "asset"),
        ("/asset/minVersion", json!("2.1"), "asset-version", "asset"),
        ("/extensionsRequired", json!(["X"]), "extension-required", "extensionsRequired[0]"),
    ];
    for (pointer, value, code, path) in faults {
        let mut broken = figure();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        match broken.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[name.parse::<usize>().unwrap()] = value.clone(),
            object => object[name] = value.clone(),
        }
        assert_eq!(fault(&broken), (code, path.into()), "{pointer} = {value}");
        assert!(RULES.iter().any(|rule| rule.code == code));
    }
}

#[test]
fn what_is_passed_over_is_reported() {
    let warned = [
        ("/scenes/0/nodes", json!([0, 1]), "scene-root"),
        ("/scenes/0/nodes", json!([0, 0]), "scene-root"),
        ("/nodes/0/matrix", json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), "node-transform"),
        ("/nodes/0/name", json!("x".repeat(2000)), "name-long"),
        ("/extensionsUsed", json!(["X"]), "extension-ignored"),
        ("/accessors/0/byteOffset", json!(2), "accessor-alignment"),
        ("/accessors/0/componentType", json!(5123), "accessor-type"),
        ("/images/0/uri", json!("../a.png"), "uri-path"),
    ];
    for (pointer, value, code) in warned {
        let mut odd = figure();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        odd.pointer_mut(parent).unwrap()[name] = value;
        let text = odd.to_string();
        let read = Document::from_slice(text.as_bytes(), &no_files, &Options::default()).unwrap();
        assert!(read.report().has(code), "{code}: {:?}", read.report());
        assert!(read.nodes()[0].name.len() <= 1024);
    }
}

#[test]
fn files_and_images_are_found_beside_the_document() {
    let mut document = figure();
    document["buffers"][0]["uri"] = json!("a%20b/c.bin");
    document["images"] =
        json!([{ "uri": "a.png" }, { "bufferView": 0 }, { "uri": "data:,x" }, {}, { "uri": "/x" }]);
    let text = document.to_string();
    let files = |name: &str| match name {
        "a b/c.bin" => Some(vec![0; 1024].into()),
        "a.png" => Some(vec![1, 2].into()),
        _ => None,
    };
    let read = Document::from_slice(text.as_bytes(), &files, &Options::default()).unwrap();
    let image = |i: usize| read.image_bytes(i, &files).map(|bytes| bytes.map(|b| b.len()));
    assert_eq!([0, 1, 2, 3].map(|i| image(i).unwrap()), [Some(2), Some(1024), Some(1), None]);
    assert_eq!(image(4).unwrap_err().code(), "uri-path");
    assert_eq!(image(5).unwrap_err().code(), "index");
    let little = Options::default().with_limits(Limits::default().with_memory(20_000));
    let large = |_: &str| Some(vec![0; 20_000].into());
    assert_eq!(Document::from_slice(text.as_bytes(), &large, &little).unwrap_err().code(), "limit");
}

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], kind, body].concat()
}

fn glb(chunks: &[Vec<u8>]) -> Vec<u8> {
    let body = chunks.concat();
    let length = u32::try_from(12 + body.len()).unwrap().to_le_bytes();
    [&b"glTF\x02\0\0\0"[..], &length, &body].concat()
}

#[test]
fn chunks_of_a_glb() {
    let text = br#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":3}]}"#;
    let (json, bin) = (chunk(b"JSON", text), chunk(b"BIN\0", &[1, 2, 3, 0]));
    let read = |file: &[u8]| {
        let read = Document::from_glb(file, &no_files, &Options::default());
        read.map(|d| d.report().findings().iter().map(|f| f.rule.code).collect::<Vec<_>>())
            .map_err(|e| (e.code(), e.offset()))
    };
    let other = chunk(b"NEW!", &[0; 8]);
    let sound = glb(&[json.clone(), bin.clone()]);
    assert_eq!(read(&sound), Ok(vec![]));
    assert_eq!(read(&glb(&[json.clone(), other.clone(), bin.clone(), other.clone()])), Ok(vec![]));
    assert_eq!(read(&[&sound[..], &[0]].concat()), Ok(vec!["glb-trailing"]));
    assert_eq!(read(&glb(&[json.clone(), bin.clone(), bin.clone()])), Ok(vec!["glb-chunk"]));
    assert_eq!(read(&glb(&[json.clone(), bin.clone(), json.clone()])), Ok(vec!["glb-chunk"]));
    assert_eq!(read(&glb(&[json.clone(), chunk(b"BIN\0", &[1, 2, 3])])), Ok(vec!["glb-alignment"]));
    assert_eq!(
        read(&glb(&[chunk(b"JSON", br#"{"asset":{"version":"2.0"}}"#), bin.clone()])),
        Ok(vec!["glb-alignment", "glb-chunk"])
    );
    assert_eq!(read(&glb(&[json.clone(), chunk(b"BIN\0", &[1])])), Err(("buffer-short", 58)));
    assert_eq!(read(&glb(std::slice::from_ref(&json))), Err(("buffer-missing", 58)));
    assert_eq!(read(&glb(&[other, json.clone()])), Err(("glb-chunk", 12)));
    assert_eq!(read(&glb(&[json.clone(), vec![0; 7]])), Err(("glb-chunk", 76)));
    assert_eq!(read(b"glTF\x02\0\0\0"), Err(("glb-header", 0)));
    assert_eq!(read(text), Err(("glb-header", 0)));
    for (at, byte, expected) in [
        (0, b'G', ("glb-header", 0)),
        (4, 1, ("glb-version", 4)),
        (8, 0xff, ("glb-length", 8)),
        (8, 77, ("glb-length", 76)),
        (76, 5, ("glb-chunk", 76)),
        (79, 0xff, ("glb-chunk", 76)),
    ] {
        let mut broken = sound.clone();
        broken[at] = byte;
        assert_eq!(read(&broken), Err(expected), "{at} = {byte}");
    }
    assert!((0..sound.len()).all(|cut| read(&sound[..cut]).is_err()));
}

/// Reads all accessors of a document.
fn read_all(document: &Document<'_>) -> Result<usize, ReadError> {
    let mut numbers = 0;
    for (a, accessor) in document.accessors().iter().enumerate() {
        numbers += match accessor.element {
            ElementType::Scalar => document.read_f32::<1>(a)?.as_flattened().len(),
            ElementType::Vec2 => document.read_f32::<2>(a)?.as_flattened().len(),
            ElementType::Vec3 => document.read_f32::<3>(a)?.as_flattened().len(),
            ElementType::Vec4 | ElementType::Mat2 => document.read_f32::<4>(a)?.as_flattened().len(),
            ElementType::Mat3 => document.read_f32::<9>(a)?.as_flattened().len(),
            ElementType::Mat4 => document.read_f32::<16>(a)?.as_flattened().len(),
        };
        let _ = document.read_indices(a);
    }
    Ok(numbers)
}

fn try_all(bytes: &[u8]) {
    let options = Options::default().with_limits(Limits::default().with_memory(1 << 22));
    let one = |_: &str| Some(vec![7; 100].into());
    for read in [Document::from_slice(bytes, &one, &options), Document::from_json(bytes, &no_files, &options)]
    {
        match read {
            Ok(document) => {
                let _ = read_all(&document);
                (0..4).for_each(|i| drop(document.image_bytes(i, &one)));
            }
            Err(e) => assert!(!e.code().is_empty() && e.to_string().len() < 4096),
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), head in any::<bool>()) {
        try_all(&if head { glb(&[chunk(b"JSON", &bytes)]) } else { bytes });
    }

    #[test]
    fn no_changed_byte_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        for text in [figure(), sparse(&[0, 2], Some(0))] {
            let mut text = text.to_string().into_bytes();
            let at = at.index(text.len());
            text[at] = byte;
            try_all(&text);
            let end = cut.index(text.len());
            try_all(&text[..end]);
        }
    }
}

#[test]
fn every_number_of_a_document_may_be_any_other() {
    fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        match value {
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, v)| pointers(v, &format!("{at}/{i}"), out));
            }
            Value::Object(fields) => fields.iter().for_each(|(k, v)| pointers(v, &format!("{at}/{k}"), out)),
            _ => {}
        }
    }
    let values = [
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(1 << 31),
        json!(u64::MAX),
        json!(1e300),
        json!([]),
        json!(null),
    ];
    for document in [figure(), sparse(&[0, 2], Some(0))] {
        let mut all = Vec::new();
        pointers(&document, "", &mut all);
        for (pointer, value) in all.iter().flat_map(|p| values.iter().map(move |v| (p, v))) {
            let mut broken = document.clone();
            *broken.pointer_mut(pointer).unwrap() = value.clone();
            try_all(broken.to_string().as_bytes());
        }
    }
}
