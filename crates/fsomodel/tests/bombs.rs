//! Files whose checks could cost far more than their size suggests.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "tests")]

use meshwright_core::{Limits, ReadOptions};
use meshwright_fsomodel::{
    ChunkId, Dialect, FsoModel, FsoOptions, FsoSceneOptions, MeshEntry, Metadata, Vertex, write_scene,
};
use meshwright_scene::{
    ConvertError, FromSceneOptions, Mesh, MeshId, Node, NodeId, Scene, SceneOptions, Space,
};
use meshwright_testkit::heap;

/// Returns the result of `f`, its peak memory and the milliseconds it took.
fn measured<T>(f: impl FnOnce() -> T) -> (T, usize, u128) {
    let (answer, cost) = heap::measured(f);
    (answer, cost.peak, cost.time.as_millis())
}

fn file(meshes: &[MeshEntry], indices: u32) -> Vec<u8> {
    let mut model = FsoModel::new(Dialect::Seed44);
    let normal = [0.0, 0.0, 1.0].map(Into::into);
    model.set_vertices(&[Vertex { normal, ..Vertex::default() }; 300]);
    let all: Vec<u32> = (0..indices).map(|i| i % 300).collect();
    model.set_indices(&all).unwrap();
    model.set_meshes(meshes);
    model.to_bytes().unwrap()
}

/// Tests entries that all draw mostly the same indices, but no two the same range.
#[test]
fn sixty_thousand_meshes_over_the_same_indices() {
    let n = 300_000_u32;
    let same = vec![MeshEntry { count: n, max_index: 299, ..MeshEntry::default() }; 60_000];
    let shifted: Vec<_> = (0..60_000_u32)
        .map(|i| MeshEntry {
            offset: u64::from(4 * 3 * (i % 1000)),
            count: n - 3000 - 3 * (i / 1000),
            max_index: 299,
            ..MeshEntry::default()
        })
        .collect();
    for meshes in [same, shifted] {
        let bytes = file(&meshes, n);
        let (answer, memory, ms) = measured(|| {
            let model = FsoModel::parse(&bytes).unwrap();
            assert!(!model.validate().has_errors());
            model.to_bytes().unwrap() == bytes
        });
        assert!(answer);
        assert!(ms < 5000, "{ms} ms");
        assert!(memory < 4 * bytes.len() + (8 << 20), "{memory} bytes");
        // A scene would repeat the vertices for every mesh, so the conversion is rejected first.
        let model = FsoModel::parse(&bytes).unwrap();
        let (answer, memory, _) =
            measured(|| model.to_scene(&SceneOptions::default().with_memory(64 << 20)).map(drop));
        assert!(matches!(answer, Err(ConvertError::Limit { .. })));
        assert!(memory < 80 << 20, "{memory} bytes");
    }
}

#[test]
fn sixty_thousand_meshes_with_the_same_fault() {
    let n = 300_000_u32;
    let mesh = |i: u64| MeshEntry { offset: i % 5 * 12, count: n - 12, ..MeshEntry::default() };
    let meshes: Vec<_> =
        (0..60_000).map(|i| MeshEntry { count: n - 3 * (i as u32 % 5), ..mesh(i) }).collect();
    let mut bytes = file(&meshes, n);
    // The last index is invalid; every mesh would search for it.
    let last = 12 + 12 + 300 * 44 + 12 + 4 * (n as usize - 1);
    bytes[last..last + 4].copy_from_slice(&300_u32.to_le_bytes());
    let (answer, _, ms) = measured(|| FsoModel::parse(&bytes).map(drop));
    assert_eq!(answer.unwrap_err().code(), "index-range");
    assert!(ms < 2000, "{ms} ms");
    let (answer, _, ms) =
        measured(|| FsoModel::parse_with(&bytes, &ReadOptions::lenient().into()).unwrap().forgiven);
    assert_eq!(answer.count_of(meshwright_core::Severity::Error), 60_000);
    assert!(ms < 5000, "{ms} ms");
}

#[test]
fn three_hundred_thousand_empty_chunks() {
    let mut bytes = FsoModel::new(Dialect::Seed44).to_bytes().unwrap();
    for _ in 0..300_000 {
        bytes.extend(b"none\0\0\0\0\0\0\0\0");
    }
    let (answer, memory, ms) = measured(|| {
        let model = FsoModel::parse(&bytes).unwrap();
        assert!(model.validate().is_empty());
        model.into_owned().to_bytes().unwrap() == bytes
    });
    assert!(answer);
    assert!(ms < 5000, "{ms} ms");
    assert!(memory < 32 * bytes.len() + (8 << 20), "{memory} bytes");
    let limits = Limits::default().with_memory(1 << 20);
    let options = ReadOptions::default().with_limits(limits).into();
    let (answer, memory, _) = measured(|| FsoModel::parse_with(&bytes, &options).map(drop));
    assert_eq!(answer.unwrap_err().code(), "limit-exceeded");
    assert!(memory < 2 << 20, "{memory} bytes");
}

#[test]
fn a_lying_length_costs_nothing() {
    for id in [b"VDAT", b"INDX", b"odd "] {
        for length in [u64::MAX, u64::MAX - 11, 1 << 63, 1 << 40, 1 << 31, 1] {
            let mut bytes = b"FSOMODEL\x01\0\0\0".to_vec();
            bytes.extend(id);
            bytes.extend(length.to_le_bytes());
            let (answer, memory, _) = measured(|| FsoModel::parse(&bytes).map(drop));
            assert_eq!(answer.unwrap_err().code(), "truncated");
            assert!(memory < 1 << 20, "{memory} bytes");
        }
    }
}

#[test]
fn a_companion_of_small_things_stays_in_proportion() {
    let node = "{\"transform\":[[1.0,0.0,0.0,0.0],[0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0],[0.0,0.0,0.0,1.0]]}";
    let nodes = vec![node; 20_000].join(",");
    let text = format!(
        "{{\"meshes\":[],\"root_node\":{},\"children\":[{nodes}]}},\"x\":[{}0]}}",
        &node[..node.len() - 1],
        "0,".repeat(1_000_000)
    );
    let names = format!("{{\"meshes\":[],\"materials\":[{}{{}}]}}", "{},".repeat(1_000_000));
    for text in [text, names] {
        let (answer, memory, ms) =
            measured(|| Metadata::parse(text.as_bytes()).map(|m| m.nodes.len() + m.materials.len()));
        assert!(answer.unwrap() > 20_000);
        assert!(ms < 5000, "{ms} ms");
        assert!(memory < 32 * text.len() + (8 << 20), "{memory} bytes of {}", text.len());
    }
    let budget = ReadOptions::default().with_limits(Limits::default().with_memory(1000));
    let text = format!("{{\"meshes\":[],\"materials\":[{{\"name\":\"{}\"}}]}}", "x".repeat(600));
    assert_eq!(Metadata::parse_with(text.as_bytes(), &budget).unwrap_err().code(), "limit-exceeded");
}

/// Tests that the dialect is detected from a sample, and that ambiguity does not copy the file.
#[test]
fn detection_is_linear() {
    let mut model = FsoModel::new(Dialect::Gl3);
    model.set_chunk(ChunkId::VDAT, vec![0; 44 * 56 * 60 * 100]);
    model.set_indices(&vec![0; 3_000_000]).unwrap();
    let bytes = model.to_bytes().unwrap();
    let (answer, memory, ms) = measured(|| {
        let model = FsoModel::parse_with(&bytes, &FsoOptions::default()).unwrap().model;
        model.validate().has("ambiguous-dialect")
    });
    assert!(answer);
    assert!(ms < 2000 && memory < 8 << 20, "{ms} ms, {memory} bytes");
}

/// Tests small scenes that become large files: a mesh that many nodes draw, and nodes so deep that their
/// text is mostly indentation.
#[test]
fn scenes_that_multiply_end_at_the_limit() {
    let corners = |n: u32| (0..n).map(|i| [i as f32, (i % 3) as f32, 0.0]).collect();
    let triangles = (0..3000).step_by(3).map(|i| [i, i + 1, i + 2]).collect();
    let mut scene = Scene::new("many").in_space(Space::File);
    scene.meshes = vec![Mesh::new("m", corners(3000), triangles), Mesh::new("one", corners(1), Vec::new())];
    scene.nodes.push(Node { meshes: vec![MeshId(1); 20_000], ..Node::default() });
    for i in 0..400 {
        scene.nodes.push(Node { parent: Some(NodeId(i)), ..Node::of_mesh("n", MeshId(0)) });
    }
    for dialect in Dialect::ALL {
        let mut done = 0;
        for power in 12..31 {
            let options =
                FromSceneOptions::for_format(FsoSceneOptions::with_dialect(dialect)).with_memory(1 << power);
            let (answer, memory, _) = measured(|| write_scene(&scene, "x", &options).map(drop));
            match answer {
                Ok(()) => done += 1,
                Err(ConvertError::Unsupported { .. }) => assert_eq!(dialect, Dialect::Doc56),
                Err(e) => assert!(matches!(e, ConvertError::Limit(_)), "{e}"),
            }
            // A growing list is in memory twice, and the second copy has twice the capacity.
            assert!(memory < (3 << power) + (1 << 20), "{dialect}: {memory} bytes of 2^{power}");
            // The limit is large enough, so larger ones need no test.
            if done > 0 {
                break;
            }
        }
        assert_eq!(done, usize::from(dialect != Dialect::Doc56), "{dialect}");
    }
}
