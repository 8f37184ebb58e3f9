//! Reading with all checks, and skinning every frame, against copying the same bytes.
//!
//! `cargo bench -p meshwright-dpm`. The corpus is measured where it lies beside the project.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use meshwright_dpm::{Dpm, FrameGroups, Mesh, PoseId, Surface, Zym, skin};
use meshwright_testkit::{corpus, testdata};
use std::sync::{Arc, LazyLock};
use std::{fmt, fs};

fn main() {
    divan::main();
}

/// A file with a name for the table.
struct Input {
    name: String,
    bytes: Vec<u8>,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} kB)", self.name, self.bytes.len() / 1000)
    }
}

/// The demo creature with `verts` times its vertices and `frames` times its frames.
fn scaled(verts: usize, frames: usize) -> Vec<u8> {
    let model = Dpm::parse(&fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap()).unwrap();
    let mut big = model.clone();
    for mesh in &mut big.meshes {
        let n = u32::try_from(mesh.vertices.len()).unwrap();
        let mut vertices = (*mesh.vertices).clone();
        vertices.counts = vertices.counts.repeat(verts);
        vertices.influences = vertices.influences.repeat(verts);
        let copies = 0..u32::try_from(verts).unwrap();
        let triangles = copies.flat_map(|c| mesh.triangles.iter().map(move |t| t.map(|v| v + c * n)));
        *mesh = Mesh {
            shader: mesh.shader,
            triangles: Arc::new(triangles.collect()),
            texcoords: Arc::new(mesh.texcoords.repeat(verts)),
            groupids: Arc::new(mesh.groupids.repeat(verts)),
            vertices: Arc::new(vertices),
        };
    }
    big.poses = model.poses.repeat(frames);
    big.frames = model.frames.repeat(frames);
    for (frame, i) in big.frames.iter_mut().zip(0..) {
        frame.pose = PoseId(i);
    }
    big.to_bytes().unwrap()
}

static INPUTS: LazyLock<Vec<Input>> = LazyLock::new(|| {
    let mut inputs = vec![
        Input { name: "hopper x40 verts".into(), bytes: scaled(40, 4) },
        Input { name: "hopper x120 frames".into(), bytes: scaled(1, 120) },
        Input { name: "hopper x4000 x4000".into(), bytes: scaled(4000, 4000) },
    ];
    if let Some(root) = corpus() {
        for name in
            ["dpm/spiderbot.dpm", "dpm/h_nex.dpm", "dpm/pad.dpm", "zym/marine_lod2.zym", "zym/w_gl.zym"]
        {
            inputs.push(Input { name: name.into(), bytes: fs::read(root.join(name)).unwrap() });
        }
    }
    inputs
});

fn all() -> impl Iterator<Item = &'static Input> {
    INPUTS.iter()
}

fn is_zym(input: &Input) -> bool {
    input.bytes.starts_with(b"ZYM")
}

/// The peer: a copy of the bytes into fresh memory, which is what a parse fills.
#[divan::bench(args = all())]
fn copy(bencher: Bencher<'_, '_>, input: &Input) {
    bencher.counter(BytesCount::of_slice(&input.bytes)).bench(|| black_box(&input.bytes).to_vec());
}

/// Strict reading: decoding and every rule whose breach is an error.
#[divan::bench(args = all())]
fn parse(bencher: Bencher<'_, '_>, input: &Input) {
    let bencher = bencher.counter(BytesCount::of_slice(&input.bytes));
    if is_zym(input) {
        bencher.bench(|| Zym::parse(black_box(&input.bytes)).unwrap());
    } else {
        bencher.bench(|| Dpm::parse(black_box(&input.bytes)).unwrap());
    }
}

/// Reading, and then the full report with all warnings.
#[divan::bench(args = all())]
fn parse_and_validate(bencher: Bencher<'_, '_>, input: &Input) {
    let bencher = bencher.counter(BytesCount::of_slice(&input.bytes));
    if is_zym(input) {
        bencher.bench(|| {
            let model = Zym::parse(black_box(&input.bytes)).unwrap();
            let report = model.validate();
            (model, report)
        });
    } else {
        bencher.bench(|| {
            let model = Dpm::parse(black_box(&input.bytes)).unwrap();
            let report = model.validate();
            (model, report)
        });
    }
}

#[divan::bench(args = all())]
fn write(bencher: Bencher<'_, '_>, input: &Input) {
    let bencher = bencher.counter(BytesCount::of_slice(&input.bytes));
    if is_zym(input) {
        let model = Zym::parse(&input.bytes).unwrap();
        bencher.bench(|| black_box(&model).to_bytes().unwrap());
    } else {
        let model = Dpm::parse(&input.bytes).unwrap();
        bencher.bench(|| black_box(&model).to_bytes().unwrap());
    }
}

/// Every mesh in every frame, in 64 bits; items are influences.
#[divan::bench(args = all().filter(|i| !is_zym(i) && i.bytes.len() < 1_000_000))]
fn skin_every_frame(bencher: Bencher<'_, '_>, input: &Input) {
    let model = Dpm::parse(&input.bytes).unwrap();
    let influences: usize = model.meshes.iter().map(|m| m.vertices.influences.len()).sum();
    let (mut matrices, mut surface) = (Vec::new(), Surface::default());
    bencher.counter(ItemsCount::new(influences * model.frames.len())).bench_local(|| {
        for frame in &model.frames {
            model.model_matrices_into(frame.pose, &mut matrices);
            for mesh in &model.meshes {
                skin(&mesh.vertices, &matrices, &mut surface);
                black_box(&surface);
            }
        }
    });
}

#[divan::bench]
fn framegroups(bencher: Bencher<'_, '_>) {
    let text = b"1 8 20 0 // fire\n9 5 20 0 \"fire 2\"\n15 200 20 1 idle\n".repeat(200);
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench(|| FrameGroups::parse(black_box(&text)).unwrap().resolve(254));
}
