//! Compares the findings of `check` with recorded answers of the Khronos validator, and tests containers.

use meshwright_core::Severity;
use meshwright_gltf::GltfFile;
use serde_json::Value;

/// Two documents, changes to them, and the errors of the validator for each. Name, version and date of the validator are in
/// the file.
const RECORDED: &str = include_str!("../../../xtask/fixtures/validator.json");

/// Returns the errors of a check.
fn errors(bytes: &[u8]) -> Vec<String> {
    match GltfFile::parse(bytes) {
        Err(e) => vec![format!("{} {e}", e.code())],
        Ok(file) => {
            let report = file.conformance();
            let errors = report.iter().filter(|finding| finding.severity == Severity::Error);
            errors.map(|finding| format!("{} {finding}", finding.rule.code)).collect()
        }
    }
}

/// Returns the document of a case.
fn changed(recorded: &Value, case: &Value) -> Value {
    let mut document = recorded["bases"][case["base"].as_str().unwrap()].clone();
    if let Some(bytes) = case.get("bytes") {
        let uri = document["buffers"][0]["uri"].as_str().unwrap();
        let (kind, text) = uri.split_once(',').unwrap();
        let (mut data, _) = meshwright_gltf::document::base64_decoded(text.as_bytes()).unwrap();
        let new = meshwright_testkit::from_hex(bytes["hex"].as_str().unwrap());
        let at = usize::try_from(bytes["at"].as_u64().unwrap()).unwrap();
        data[at..at + new.len()].copy_from_slice(&new);
        document["buffers"][0]["uri"] = format!("{kind},{}", super::document::base64(&data)).into();
    }
    for change in case["changes"].as_array().into_iter().flatten() {
        let (parent, key) = change["path"].as_str().unwrap().rsplit_once('/').unwrap();
        let place = document.pointer_mut(parent).unwrap();
        match (place, change.get("value")) {
            (Value::Object(fields), Some(value)) => _ = fields.insert(key.into(), value.clone()),
            (Value::Object(fields), None) => _ = fields.remove(key).unwrap(),
            (Value::Array(items), Some(value)) => items[key.parse::<usize>().unwrap()] = value.clone(),
            (place, _) => panic!("{change}: {place}"),
        }
    }
    document
}

#[test]
fn what_the_validator_calls_an_error_is_one_and_nothing_else_is() {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap();
    let cases = recorded["cases"].as_array().unwrap();
    assert!(cases.len() > 200);
    let mut wrong = Vec::new();
    for case in cases {
        let found = errors(changed(&recorded, case).to_string().as_bytes());
        if found.is_empty() != case["errors"].as_array().unwrap().is_empty() {
            wrong.push(format!("{case}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The type of a chunk and its bytes.
type Chunk<'a> = (&'a [u8; 4], &'a [u8]);

/// Returns a GLB of these chunks.
fn glb(chunks: &[Chunk<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, bytes) in chunks {
        body.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
        body.extend(*kind);
        body.extend(*bytes);
    }
    let length = u32::try_from(12 + body.len()).unwrap();
    [&b"glTF\x02\0\0\0"[..], &length.to_le_bytes(), &body].concat()
}

#[test]
fn chunks_have_their_order_and_their_length() {
    let text = br#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4}]}"#;
    let padded = [&text[..], &b"    "[..(4 - text.len() % 4) % 4]].concat();
    let (json, bin): (Chunk<'_>, Chunk<'_>) = ((b"JSON", &padded), (b"BIN\0", &[1; 4]));
    let codes = |chunks: &[Chunk<'_>]| errors(&glb(chunks)).join(" ");
    assert_eq!(codes(&[json, bin]), "");
    assert_eq!(codes(&[json, bin, (b"more", &[0; 4])]), "");
    assert!(codes(&[json, bin, bin]).starts_with("glb-chunk"));
    assert!(codes(&[json, bin, json]).starts_with("glb-chunk"));
    assert!(codes(&[json, (b"more", &[0; 4]), bin]).starts_with("glb-chunk"));
    assert!(codes(&[json, (b"BIN\0", &[1; 5])]).starts_with("glb-alignment"));
    assert!(codes(&[json]).starts_with("buffer-missing"));
    let marked = [b"\xef\xbb\xbf ", &padded[..]].concat();
    assert!(codes(&[(b"JSON", &marked), bin]).starts_with("json-bom"));
}

/// A buffer without bytes is a warning of a check and an error of a conversion.
#[test]
fn a_buffer_without_bytes_is_no_error() {
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]}"#;
    let file = GltfFile::parse(text.as_bytes()).unwrap();
    assert_eq!(errors(text.as_bytes()), Vec::<String>::new());
    assert!(file.conformance().has("buffer-missing"));
    assert_eq!(file.import("", None).unwrap_err().code(), "buffer-missing");

    let named = text.replace("{\"byteLength\":36}]", "{\"byteLength\":36,\"uri\":\"a.bin\"}]");
    let mut file = GltfFile::parse(named.as_bytes()).unwrap();
    for report in [file.validate(), file.conformance()] {
        assert!(report.has("buffer-missing") && !report.has_errors(), "{report:?}");
    }
    assert_eq!(file.complete().unwrap_err().code(), "buffer-missing");
    file.supply("a.bin", [0; 35]);
    assert!(file.validate().has_errors());
}

/// A required extension of surfaces is a loss of a conversion. One that may concern vertices is an error.
#[test]
fn extensions_of_surfaces_may_be_required() {
    let text = |name: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["{name}"],"extensionsRequired":["{name}"],"nodes":[{{}}],"scenes":[{{"nodes":[0]}}]}}"#
        )
    };
    for name in ["KHR_materials_sheen", "KHR_texture_basisu", "MSFT_texture_dds", "KHR_xmp_json_ld"] {
        let file = GltfFile::parse(text(name).as_bytes()).unwrap();
        let losses = file.import("", None).unwrap().0.losses;
        assert!(
            losses.iter().any(|loss| loss.code == "extension-unread" && loss.message.contains(name)),
            "{name}"
        );
        assert_eq!(errors(text(name).as_bytes()), Vec::<String>::new());
    }
    for name in ["KHR_draco_mesh_compression", "VENDOR_geometry"] {
        assert_eq!(GltfFile::parse(text(name).as_bytes()).unwrap_err().code(), "extension-required");
    }
}

/// Truncated images are found.
#[test]
fn images_are_looked_into() {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap();
    let image = |bytes: &[u8]| {
        let mut document = recorded["bases"]["simple"].clone();
        let uri = format!("data:image/png;base64,{}", super::document::base64(bytes));
        document["images"][0] = serde_json::json!({ "uri": uri });
        let file = GltfFile::parse(document.to_string().as_bytes()).unwrap();
        let report = file.conformance();
        report.iter().map(|f| (f.rule.code, f.severity)).find(|(code, _)| code.starts_with("image"))
    };
    let uri = recorded["bases"]["rich"]["images"][1]["uri"].as_str().unwrap();
    let (png, _) =
        meshwright_gltf::document::base64_decoded(uri.split_once(',').unwrap().1.as_bytes()).unwrap();
    assert_eq!(image(&png), None);
    assert_eq!(image(&png[..png.len() - 12]), Some(("image-data", Severity::Warning)));
    assert_eq!(image(&png[..30]), Some(("image-data", Severity::Error)));
    assert_eq!(image(b"a text, not an image"), Some(("image-type", Severity::Error)));
    // A texture without an image, unless an extension names one.
    for (texture, code) in [
        (serde_json::json!({}), Some(("texture-empty", Severity::Warning))),
        (serde_json::json!({ "extensions": { "KHR_texture_basisu": { "source": 0 } } }), None),
    ] {
        let mut document = recorded["bases"]["simple"].clone();
        document["textures"][0] = texture;
        document["extensionsUsed"] = serde_json::json!(["KHR_texture_basisu"]);
        let report = GltfFile::parse(document.to_string().as_bytes()).unwrap().conformance();
        assert_eq!(report.iter().map(|f| (f.rule.code, f.severity)).find(|f| f.0 == "texture-empty"), code);
    }
}
