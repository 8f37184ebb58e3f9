//! The crate `gltf` reads exported scenes, and the same attributes and indices from documents of other tools.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failing test panics, and says what it could not do"
)]

use crate::documents::{documents_of_other_tools, with_document};
use meshwright_gltf::document::{ComponentType, Document, Semantic};
use meshwright_gltf::{ExportOptions, export};
use meshwright_scene::strategy::wild_scene;
use meshwright_testkit::{corpus, proptest};
use proptest::prelude::*;
use std::path::Path;

/// Checks that attributes and indices equal those that the `gltf` crate reads.
fn same_as_gltf(file: &Path, document: &Document<'_>) -> usize {
    let Ok(::gltf::Gltf { document: other, .. }) = ::gltf::Gltf::open(file) else { return 0 };
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
    let data = |b: ::gltf::Buffer<'_>| buffers.get(b.index()).map(Vec::as_slice);
    let mut compared = 0;
    for (mesh, own) in other.meshes().zip(document.meshes()) {
        for (primitive, own) in mesh.primitives().zip(&own.primitives) {
            let reader = primitive.reader(data);
            let is = |semantic: Semantic<'_>, float: bool| {
                own.get(&semantic).filter(|a| {
                    let accessor = &document.accessors()[*a];
                    // The peer does not read quantized ones.
                    !float || accessor.component == ComponentType::F32
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
fn documents_of_other_tools_are_read_alike() {
    let (mut read, mut compared) = (0, 0);
    for file in documents_of_other_tools(&corpus!()) {
        // The corpus tests of meshwright-gltf know which documents are rejected.
        if let Ok((n, _)) = with_document(&file, |document| same_as_gltf(&file, document)) {
            read += 1;
            compared += n;
        }
    }
    assert!(read > 90 && compared > 50, "{read} read, {compared} compared");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn any_valid_scene_is_read_by_gltf(scene in wild_scene()) {
        let gltf = export(&scene, &ExportOptions::default()).unwrap().value;
        let document = ::gltf::Gltf::from_slice(&gltf.to_glb()).unwrap();
        prop_assert_eq!(document.animations().len(), gltf.clip_sources().len());
    }
}
