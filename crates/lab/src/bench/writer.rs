//! The peer of our export: a GLB writer on gltf-json.

use gltf_json as json;
use json::validation::{Checked, USize64};
use json::{Index, accessor, buffer, mesh};
use meshwright::scene::Mesh;

/// Attributes of one mesh.
pub(crate) struct Plain {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

impl Plain {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        Self {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            uvs: mesh.uvs.clone(),
            indices: mesh.triangles.as_flattened().to_vec(),
        }
    }

    /// Returns a document of one mesh, float by float.
    pub(crate) fn to_glb(&self) -> Vec<u8> {
        let mut root = json::Root { asset: json::Asset::default(), ..json::Root::default() };
        let mut bin = Vec::new();
        let (low, high) = bounds(&self.positions);
        let extent = Some((low, high));
        let positions = floats(&mut root, &mut bin, &self.positions, accessor::Type::Vec3, extent);
        let normals = floats(&mut root, &mut bin, &self.normals, accessor::Type::Vec3, None);
        let uvs = floats(&mut root, &mut bin, &self.uvs, accessor::Type::Vec2, None);
        let start = bin.len();
        for index in &self.indices {
            bin.extend_from_slice(&index.to_le_bytes());
        }
        let kind = (accessor::ComponentType::U32, accessor::Type::Scalar);
        let indices = describe(&mut root, (start, bin.len()), self.indices.len(), kind, None);
        let attributes = [
            (mesh::Semantic::Positions, positions),
            (mesh::Semantic::Normals, normals),
            (mesh::Semantic::TexCoords(0), uvs),
        ];
        root.meshes.push(json::Mesh {
            extensions: None,
            extras: None,
            name: None,
            primitives: vec![mesh::Primitive {
                attributes: attributes.into_iter().map(|(s, a)| (Checked::Valid(s), a)).collect(),
                extensions: None,
                extras: None,
                indices: Some(indices),
                material: None,
                mode: Checked::Valid(mesh::Mode::Triangles),
                targets: None,
            }],
            weights: None,
        });
        root.nodes.push(json::Node { mesh: Some(Index::new(0)), ..json::Node::default() });
        root.scenes.push(json::Scene {
            extensions: None,
            extras: None,
            name: None,
            nodes: vec![Index::new(0)],
        });
        root.scene = Some(Index::new(0));
        root.buffers.push(json::Buffer {
            byte_length: USize64::from(bin.len()),
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        });
        let mut text = json::serialize::to_vec(&root).unwrap_or_default();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut glb = Vec::new();
        glb.extend_from_slice(b"glTF");
        let total = 12 + 8 + text.len() + 8 + bin.len();
        for word in [2, total as u32, text.len() as u32, u32::from_le_bytes(*b"JSON")] {
            glb.extend_from_slice(&word.to_le_bytes());
        }
        glb.extend_from_slice(&text);
        for word in [bin.len() as u32, u32::from_le_bytes(*b"BIN\0")] {
            glb.extend_from_slice(&word.to_le_bytes());
        }
        glb.extend_from_slice(&bin);
        glb
    }
}

fn bounds(points: &[[f32; 3]]) -> (json::Value, json::Value) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in points {
        for i in 0..3 {
            low[i] = low[i].min(p[i]);
            high[i] = high[i].max(p[i]);
        }
    }
    (json::Value::from(low.to_vec()), json::Value::from(high.to_vec()))
}

type Extent = Option<(json::Value, json::Value)>;

fn floats<const N: usize>(
    root: &mut json::Root,
    bin: &mut Vec<u8>,
    values: &[[f32; N]],
    kind: accessor::Type,
    extent: Extent,
) -> Index<json::Accessor> {
    let start = bin.len();
    for value in values.as_flattened() {
        bin.extend_from_slice(&value.to_le_bytes());
    }
    describe(root, (start, bin.len()), values.len(), (accessor::ComponentType::F32, kind), extent)
}

fn describe(
    root: &mut json::Root,
    (start, end): (usize, usize),
    count: usize,
    (component, kind): (accessor::ComponentType, accessor::Type),
    extent: Extent,
) -> Index<json::Accessor> {
    let (min, max) = extent.unzip();
    let view = root.push(buffer::View {
        buffer: Index::new(0),
        byte_length: USize64::from(end - start),
        byte_offset: Some(USize64::from(start)),
        byte_stride: None,
        name: None,
        target: None,
        extensions: None,
        extras: None,
    });
    root.push(json::Accessor {
        buffer_view: Some(view),
        byte_offset: None,
        count: USize64::from(count),
        component_type: Checked::Valid(accessor::GenericComponentType(component)),
        extensions: None,
        extras: None,
        type_: Checked::Valid(kind),
        min,
        max,
        name: None,
        normalized: false,
        sparse: None,
    })
}
