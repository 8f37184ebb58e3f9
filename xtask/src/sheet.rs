//! A model of any size, the same on every machine, which commands are measured with.

use serde_json::{Value, json};

const JOINTS: u16 = 24;

/// A wavy sheet on a chain of 24 joints, two to each vertex, that bend in 24 frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sheet {
    /// The number of vertices along each side.
    pub side: u16,
    /// All vertices but the first are at one point.
    pub is_coincident: bool,
    /// Vertices and triangles are in the opposite order.
    pub is_reversed: bool,
}

impl Sheet {
    /// Returns the column and row of each vertex, in the order of the file.
    fn vertices(self) -> Vec<(u16, u16)> {
        let side = self.side;
        let mut vertices: Vec<_> = (0..side).flat_map(|y| (0..side).map(move |x| (x, y))).collect();
        if self.is_reversed {
            vertices.reverse();
        }
        vertices
    }

    fn position(self, (x, y): (u16, u16)) -> [f32; 3] {
        if self.is_coincident {
            return if (x, y) == (0, 0) { [1.0, 0.0, 0.0] } else { [0.0; 3] };
        }
        let (x, y) = (f32::from(x), f32::from(y));
        // Multiples of 1/64, so that every machine has the same bits.
        [x, y, ((x % 16.0 - 8.0).abs() + (y % 8.0 - 4.0).abs()) / 64.0]
    }

    /// Returns the corners of all triangles.
    fn corners(self) -> Vec<u32> {
        let side = u32::from(self.side);
        let last = side * side - 1;
        let corner = |x: u32, y: u32| y * side + x;
        let cells = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| (x, y)));
        let mut corners: Vec<u32> = cells
            .flat_map(|(x, y)| {
                let [a, b] = [corner(x + 1, y), corner(x, y + 1)];
                [corner(x, y), a, b, b, a, corner(x + 1, y + 1)]
            })
            .collect();
        if self.is_reversed {
            // Twice turned around: the order of the corners, and the numbers of the vertices.
            corners.reverse();
            corners.chunks_exact_mut(3).for_each(<[u32]>::reverse);
            corners.iter_mut().for_each(|corner| *corner = last - *corner);
        }
        corners
    }

    /// Returns the sheet as a GLB.
    #[must_use]
    pub fn glb(self) -> Vec<u8> {
        let (vertices, mut file) = (self.vertices(), File::default());
        let (n, last) = (vertices.len(), f32::from(self.side - 1));
        let most = if self.is_coincident { json!([1, 0, 0]) } else { json!([last, last, 12.0 / 64.0]) };
        let bounds = json!({ "min": [0, 0, 0], "max": most });
        let none = json!({});
        let positions: Vec<_> = vertices.iter().flat_map(|v| self.position(*v)).collect();
        let positions = file.floats(&positions, "VEC3", &bounds);
        let normals = file.floats(&[0.0, 0.0, 1.0].repeat(n), "VEC3", &none);
        let uvs = vertices.iter().flat_map(|(x, y)| [f32::from(*x) / last, f32::from(*y) / last]);
        let uvs = file.floats(&uvs.collect::<Vec<_>>(), "VEC2", &none);
        let joints = vertices.iter().flat_map(|(x, _)| {
            let joint = u32::from(*x) * u32::from(JOINTS - 1) / u32::from(self.side);
            let joint = u8::try_from(joint).unwrap_or(0);
            [joint, joint + 1, 0, 0]
        });
        let joints = file.add(joints.collect(), 5121, "VEC4", n, &none);
        let weights = file.floats(&[0.75, 0.25, 0.0, 0.0].repeat(n), "VEC4", &none);
        let corners = self.corners();
        let (width, component) = if n <= 1 << 16 { (2, 5123) } else { (4, 5125) };
        let bytes = corners.iter().flat_map(|corner| corner.to_le_bytes().into_iter().take(width)).collect();
        let indices = file.add(bytes, component, "SCALAR", corners.len(), &none);
        let step = last / f32::from(JOINTS);
        let bind = (0..JOINTS).flat_map(|j| {
            let x = -f32::from(j) * step;
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, 0.0, 0.0, 1.0]
        });
        let inverse: Vec<_> = bind.flat_map(f32::to_le_bytes).collect();
        let inverse = file.add(inverse, 5126, "MAT4", JOINTS.into(), &none);
        let frames: Vec<f32> = (0..24_u8).map(|f| f32::from(f) / 16.0).collect();
        let end = frames.last().copied().unwrap_or(0.0);
        let extent = json!({ "min": [0], "max": [end] });
        let times = file.floats(&frames, "SCALAR", &extent);
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for joint in 0..JOINTS {
            let bend = frames.iter().flat_map(|t| {
                let half = t / 32.0 * if joint % 2 == 0 { 1.0 } else { -1.0 };
                [0.0, half, 0.0, (1.0 - half * half).sqrt()]
            });
            let turns = file.floats(&bend.collect::<Vec<_>>(), "VEC4", &none);
            channels.push(json!({ "sampler": joint, "target": { "node": joint, "path": "rotation" } }));
            samplers.push(json!({ "input": times, "output": turns }));
        }
        let node = |j: u16| {
            let place = [if j == 0 { 0.0 } else { step }, 0.0, 0.0];
            let mut node = json!({ "name": format!("joint{j}"), "translation": place });
            if j + 1 < JOINTS {
                node["children"] = json!([j + 1]);
            }
            node
        };
        let mut nodes: Vec<_> = (0..JOINTS).map(node).collect();
        nodes.push(json!({ "name": "grid", "mesh": 0, "skin": 0 }));
        let attributes = json!({ "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs, "JOINTS_0": joints, "WEIGHTS_0": weights });
        let document = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, JOINTS] }], "nodes": nodes,
            "skins": [{ "joints": (0..JOINTS).collect::<Vec<_>>(), "inverseBindMatrices": inverse }],
            "materials": [{ "name": "textures/grid" }],
            "meshes": [{ "name": "grid", "primitives": [{ "attributes": attributes, "indices": indices, "material": 0 }] }],
            "animations": [{ "name": "bend", "samplers": samplers, "channels": channels }],
        });
        file.into_glb(document)
    }
}

/// The arrays of a GLB.
#[derive(Debug, Default)]
pub struct File {
    /// The bytes.
    pub bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    /// Adds an array and returns the number of its accessor.
    fn add(&mut self, bytes: Vec<u8>, component: u32, kind: &str, count: usize, more: &Value) -> usize {
        let start = self.bin.len();
        self.bin.extend(bytes);
        self.describe(start, component, kind, count, more)
    }

    /// Adds floats one by one, and returns the number of their accessor.
    pub fn floats(&mut self, floats: &[f32], kind: &str, more: &Value) -> usize {
        let (start, width) = (self.bin.len(), kind.trim_start_matches("VEC").parse().unwrap_or(1));
        floats.iter().for_each(|float| self.bin.extend_from_slice(&float.to_le_bytes()));
        self.describe(start, 5126, kind, floats.len() / width, more)
    }

    /// Adds an accessor for the bytes from `start` on, with more members, and returns its number.
    pub fn describe(
        &mut self,
        start: usize,
        component: u32,
        kind: &str,
        count: usize,
        more: &Value,
    ) -> usize {
        let mut accessor = json!({ "bufferView": self.views.len(), "componentType": component, "count": count, "type": kind });
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bin.len() - start }));
        let more = more.as_object().cloned().unwrap_or_default();
        accessor.as_object_mut().into_iter().for_each(|accessor| accessor.extend(more.clone()));
        self.accessors.push(accessor);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.accessors.len() - 1
    }

    /// Returns the document with these arrays as a GLB.
    #[must_use]
    pub fn into_glb(self, mut document: Value) -> Vec<u8> {
        document["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        (document["bufferViews"], document["accessors"]) = (self.views.into(), self.accessors.into());
        let mut json = document.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let word = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
        let size = word(28 + json.len() + self.bin.len());
        let head = [b"glTF".as_slice(), &word(2), &size, &word(json.len()), b"JSON"].concat();
        [&head, &json, &word(self.bin.len())[..], b"BIN\0", &self.bin].concat()
    }
}
