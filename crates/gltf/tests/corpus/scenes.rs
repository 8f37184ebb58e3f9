//! Tests files of other tools and broken ones, of the corpus next to the project.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics, and says what it could not do"
)]

use meshwright_core::ReadError;
use meshwright_gltf::document::{Document, ElementType, Options, Semantic};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Extensions that an importer reads in addition to those of the document layer.
const KNOWN: [&str; 5] = [
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_specular",
];

/// Reads a document and all of its accessors, and calls `look` with the document and the codes of ignored faults.
fn with_document<T>(
    file: &Path,
    look: impl FnOnce(&Document<'_>) -> T,
) -> Result<(T, Vec<&'static str>), ReadError> {
    let bytes = fs::read(file).unwrap();
    let folder = file.parent().unwrap().to_owned();
    let files = move |name: &str| fs::read(folder.join(name)).ok().map(Cow::Owned);
    let options = Options::default().with_extensions(&KNOWN);
    let document = if file.extension().is_some_and(|e| e == "glb") {
        Document::from_glb(&bytes, &files, &options)
    } else {
        Document::from_json(&bytes, &files, &options)
    }?;
    for (a, accessor) in document.accessors().iter().enumerate() {
        let count = match accessor.element {
            ElementType::Scalar => document.read_f32::<1>(a)?.len(),
            ElementType::Vec2 => document.read_f32::<2>(a)?.len(),
            ElementType::Vec3 => document.read_f32::<3>(a)?.len(),
            ElementType::Vec4 | ElementType::Mat2 => document.read_f32::<4>(a)?.len(),
            ElementType::Mat3 => document.read_f32::<9>(a)?.len(),
            ElementType::Mat4 => document.read_f32::<16>(a)?.len(),
        };
        assert_eq!(count, accessor.count);
    }
    let codes = document.report().findings().iter().map(|f| f.rule.code).collect();
    Ok((look(&document), codes))
}

/// Checks that attributes and indices equal those that the `gltf` crate reads.
fn same_as_gltf(file: &Path, document: &Document<'_>) -> usize {
    let Ok(gltf::Gltf { document: other, .. }) = gltf::Gltf::open(file) else { return 0 };
    let views: Vec<_> = (0..document.views().len()).map(|v| document.view_bytes(v)).collect();
    if views.iter().any(Result::is_err) {
        return 0;
    }
    let buffers: Vec<Vec<u8>> = (0..document.buffers().len())
        .map(|b| {
            let mut bytes = vec![0; usize::try_from(document.buffers()[b].length).unwrap()];
            for (view, part) in document.views().iter().zip(&views).filter(|(view, _)| view.buffer == b) {
                let start = usize::try_from(view.offset).unwrap();
                let part = part.as_ref().unwrap();
                bytes[start..start + part.len()].copy_from_slice(part);
            }
            bytes
        })
        .collect();
    let data = |b: gltf::Buffer<'_>| buffers.get(b.index()).map(Vec::as_slice);
    let mut compared = 0;
    for (mesh, own) in other.meshes().zip(document.meshes()) {
        for (primitive, own) in mesh.primitives().zip(&own.primitives) {
            let reader = primitive.reader(data);
            let is = |semantic: Semantic<'_>, float: bool| {
                own.get(&semantic).filter(|a| {
                    let accessor = &document.accessors()[*a];
                    // The peer does not read quantized ones.
                    !float || accessor.component == meshwright_gltf::document::ComponentType::F32
                })
            };
            if let (Some(a), Some(theirs)) = (is(Semantic::Position, true), reader.read_positions()) {
                assert_eq!(document.read_f32::<3>(a).unwrap(), theirs.collect::<Vec<_>>());
                compared += 1;
            }
            if let (Some(a), Some(theirs)) = (is(Semantic::Normal, true), reader.read_normals()) {
                assert_eq!(document.read_f32::<3>(a).unwrap(), theirs.collect::<Vec<_>>());
            }
            if let (Some(a), Some(theirs)) = (is(Semantic::Joints(0), false), reader.read_joints(0)) {
                let theirs: Vec<_> = theirs.into_u16().map(|j| j.map(u32::from)).collect();
                assert_eq!(document.read_u32::<4>(a).unwrap(), theirs);
            }
            if let (Some(a), Some(theirs)) = (is(Semantic::Weights(0), false), reader.read_weights(0)) {
                // The peer multiplies by the reciprocal.
                let near = |a: &f32, b: &f32| (a - b).abs() < 1e-7;
                let ours = document.read_f32::<4>(a).unwrap();
                let theirs: Vec<_> = theirs.into_f32().collect();
                let mut pairs = ours.as_flattened().iter().zip(theirs.as_flattened());
                assert!(ours.len() == theirs.len() && pairs.all(|(a, b)| near(a, b)));
            }
            if let (Some(a), Some(theirs)) = (own.indices, reader.read_indices()) {
                assert_eq!(document.read_indices(a).unwrap(), theirs.into_u32().collect::<Vec<_>>());
            }
        }
    }
    compared
}

#[test]
fn files_of_other_tools_are_read() {
    let root = corpus!().join("gltf");
    let (mut read, mut compared) = (0, 0);
    let mut compressed = Vec::new();
    for folder in ["samples", "features", "tools", "edits"] {
        let mut files: Vec<_> = fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "glb" || e == "gltf")) {
            match with_document(file, |document| same_as_gltf(file, document)) {
                Ok((n, _)) => {
                    read += 1;
                    compared += n;
                }
                Err(e) => {
                    assert_eq!(e.code(), "extension-required", "{}: {e}", file.display());
                    compressed.push(file.file_stem().unwrap().to_string_lossy().into_owned());
                }
            }
        }
    }
    assert!(read > 90 && compared > 50, "{read} read, {compared} compared; left out {compressed:?}");
    let known = ["meshopt", "Draco", "draco", "Meshopt", "gpcc", "gt_opt"];
    assert!(compressed.iter().all(|name| known.iter().any(|k| name.contains(k))), "{compressed:?}");
}

/// All codes of faults that the document layer finds.
const CODES: [&str; 40] = [
    "accessor-alignment",
    "accessor-count",
    "accessor-range",
    "accessor-type",
    "asset-version",
    "attribute-count",
    "buffer-missing",
    "buffer-short",
    "extension-ignored",
    "extension-required",
    "glb-alignment",
    "glb-chunk",
    "glb-header",
    "glb-length",
    "glb-trailing",
    "glb-version",
    "index",
    "json-bom",
    "json-depth",
    "json-duplicate",
    "json-encoding",
    "json-number",
    "json-shape",
    "json-syntax",
    "mode",
    "name-long",
    "node-cycle",
    "node-parents",
    "node-transform",
    "sampler-count",
    "sampler-interpolation",
    "scene-root",
    "skin-ibm",
    "sparse-order",
    "sparse-range",
    "uri-data",
    "uri-path",
    "uri-scheme",
    "view-range",
    "view-stride",
];

/// Files of other codes that belong to it as well.
const FILES: [&str; 6] = [
    "accessor_without_view_huge.glb",
    "anim_bad_path.glb",
    "matrix_huge.glb",
    "skin_joint_twice.glb",
    "skin_no_joints.glb",
    "draco_required.glb",
];

#[test]
fn broken_files_have_the_codes_of_the_description() {
    let root = corpus!().join("malformed");
    let cases: Value = serde_json::from_slice(&fs::read(root.join("cases.json")).unwrap()).unwrap();
    let cases: Vec<_> = cases.as_array().unwrap().iter().filter(|c| c["format"] == "gltf").collect();
    assert!(cases.len() > 170);
    let (mut wrong, mut seen) = (Vec::new(), BTreeMap::new());
    for case in cases {
        let file = root.parent().unwrap().join(case["file"].as_str().unwrap());
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let (expect, code) = (case["expect"].as_str().unwrap(), case["code"].as_str().unwrap());
        let ours = CODES.contains(&code) || FILES.contains(&name.as_str());
        let found = with_document(&file, |_| ());
        let sound = match (&found, ours, expect) {
            (Err(e), true, "reject") => e.code() == code,
            (Ok((_, codes)), true, "warn") => codes.contains(&code),
            (Err(e), false, _) => e.code() == "extension-required" && name.starts_with("meshopt"),
            (Ok(_), false, _) => true,
            _ => false,
        };
        if ours {
            *seen.entry(code.to_owned()).or_insert(0) += 1;
        }
        if !sound {
            wrong.push(format!(
                "{name}: {expect} {code}, found {:?}",
                found.map(|f| f.1).map_err(|e| e.to_string() + " " + e.code())
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(CODES.iter().all(|code| seen.contains_key(*code)), "{seen:?}");
}
