//! Reads documents of the corpus.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_core::ReadError;
use meshwright_gltf::document::{Document, ElementType, Options};
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

/// Extensions that an importer reads in addition to those of the document layer.
const KNOWN: [&str; 5] = [
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_specular",
];

/// Reads a document and all of its accessors, and calls `look` with the document and the codes of ignored faults.
pub(crate) fn with_document<T>(
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

/// Returns the documents of other tools in the corpus.
pub(crate) fn documents_of_other_tools(corpus: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in ["samples", "features", "tools", "edits"] {
        let folder = corpus.join("gltf").join(folder);
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        all.extend(files.into_iter().filter(|f| f.extension().is_some_and(|e| e == "glb" || e == "gltf")));
    }
    all
}
