//! Reading and writing whole files, against the least that any program must do with their bytes.

use super::measure::{Contender, Effort, measure};
use super::native;
use super::report::Report;
use meshwright::crucible::{Attribute, Chunk, Dialect as CrucibleDialect};
use meshwright::dpm::{Dpm, Mesh, PoseId};
use meshwright::fsomodel::{Dialect as FsoDialect, FsoModel, MeshEntry, Vertex};
use meshwright_core::{F32, bulk, f32s, num::F8A};
use std::hint::black_box;
use std::sync::Arc;

/// Vertices of a sheet along one side: a million in all.
const SIDE: u32 = 1000;
/// The sides of sheets of several sizes.
const SIDES: [u32; 3] = [100, 316, SIDE];

pub(crate) fn measure_all(report: &mut Report, effort: Effort) -> Result<(), String> {
    numbers(report, effort);
    native::vertices(report, effort)?;
    dpm(report, effort)?;
    for side in SIDES {
        crucible(report, effort, side)?;
        fsomodel(report, effort, side)?;
    }
    Ok(())
}

/// Ours, then the others, each run for what it returns.
macro_rules! contest {
    ($effort:expr, $($run:expr),+ $(,)?) => {
        measure($effort, &mut [$(Contender::new(|| _ = black_box($run))),+])
    };
}

pub(crate) use contest;

/// Arrays in memory that is used again.
fn numbers(report: &mut Report, effort: Effort) {
    for (kib, target) in [(16, 0.9), (256, 0.85)] {
        let n = kib * 256;
        let bytes: Vec<u8> = (0..n).flat_map(|i| ((i as f32 * 0.37).sin() * 50.0).to_be_bytes()).collect();
        let (mut floats, mut copy) = (vec![F32::default(); n], vec![0; bytes.len()]);
        let s = contest!(
            effort,
            bulk::fill_be_f32(black_box(&bytes), black_box(&mut floats)),
            black_box(&mut copy).copy_from_slice(black_box(&bytes)),
        );
        report.add(("big-endian floats, seen to be finite", "copy", target), n, &s, [0, 1], None);
    }
    let table: [f32; 256] = std::array::from_fn(|i| F8A::from_bits(i as u8).decode());
    for n in [1024, 4096, 16_384, 65_536] {
        let codes: Vec<u8> = (0..n).map(|i| (i * 37 / 4) as u8).collect();
        let (mut ours, mut theirs) = (vec![0.0; n], vec![0.0; n]);
        let s = contest!(effort, bulk::fill_f8a(black_box(&codes), black_box(&mut ours)), {
            let to = black_box(&mut theirs).iter_mut();
            to.zip(black_box(&codes)).for_each(|(to, code)| *to = table[usize::from(*code)]);
        });
        report.add(("F8A", "table", 2.5), n, &s, [0, 1], None);
    }
}

fn dpm(report: &mut Report, effort: Effort) -> Result<(), String> {
    let text = |e: meshwright::ReadError| e.to_string();
    let demo = include_bytes!("../../../../testdata/dpm/hopper.ok.dpm");
    let demo = Dpm::parse(demo).map_err(text)?;
    // Beyond the cache.
    let file = scaled(&demo, 4000, 4000).to_bytes().map_err(|e| e.to_string())?;
    let s =
        contest!(effort, Dpm::parse(black_box(&file)).map(|m| (m.validate(), m)), black_box(&file).clone(),);
    let what = "DPM, beyond the cache: read, all findings";
    report.add((what, "copy", 0.5), file.len(), &s, [0, 1], None);
    Ok(())
}

/// Returns the demo with `vertices` times its vertices and `frames` times its frames.
fn scaled(demo: &Dpm, vertices: usize, frames: usize) -> Dpm {
    let mut big = demo.clone();
    for mesh in &mut big.meshes {
        let n = mesh.vertices.len() as u32;
        let mut all = (*mesh.vertices).clone();
        all.counts = all.counts.repeat(vertices);
        all.influences = all.influences.repeat(vertices);
        let copies = 0..vertices as u32;
        let triangles = copies.flat_map(|c| mesh.triangles.iter().map(move |t| t.map(|v| v + c * n)));
        *mesh = Mesh {
            shader: mesh.shader,
            triangles: Arc::new(triangles.collect()),
            texcoords: Arc::new(mesh.texcoords.repeat(vertices)),
            groupids: Arc::new(mesh.groupids.repeat(vertices)),
            vertices: Arc::new(all),
        };
    }
    big.poses = demo.poses.repeat(frames);
    big.frames = demo.frames.repeat(frames);
    for (frame, i) in big.frames.iter_mut().zip(0..) {
        frame.pose = PoseId(i);
    }
    big
}

/// A wavy sheet.
pub(crate) struct Sheet {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) uvs: Vec<[f32; 2]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Returns a sheet with this many vertices along each side.
pub(crate) fn sheet(side: u32) -> Sheet {
    let (mut positions, mut normals, mut uvs, mut triangles) = (vec![], vec![], vec![], vec![]);
    for y in 0..side {
        for x in 0..side {
            let (u, v) = (x as f32 / side as f32, y as f32 / side as f32);
            let ((s, ds), (dc, c)) = ((u * 40.0).sin_cos(), (v * 30.0).sin_cos());
            let (dx, dz) = (ds * c * 0.4, -s * dc * 0.3);
            let l = (dx * dx + 1.0 + dz * dz).sqrt();
            positions.push([u * 100.0, s * c, v * 100.0]);
            normals.push([-dx / l, 1.0 / l, -dz / l]);
            uvs.push([u, v]);
        }
    }
    for y in 0..side - 1 {
        for x in 0..side - 1 {
            let a = y * side + x;
            triangles.extend([[a, a + side, a + 1], [a + 1, a + side, a + side + 1]]);
        }
    }
    Sheet { positions, normals, uvs, triangles }
}

fn crucible(report: &mut Report, effort: Effort, side: u32) -> Result<(), String> {
    let sheet = sheet(side);
    let mut chunk = Chunk::new(CrucibleDialect::Seed);
    chunk.set_indices(sheet.triangles.as_flattened());
    chunk.set_floats(Attribute::Position3, &sheet.positions).map_err(|e| e.to_string())?;
    chunk.set_floats(Attribute::Normal, &sheet.normals).map_err(|e| e.to_string())?;
    chunk.set_floats(Attribute::Uv, &sheet.uvs).map_err(|e| e.to_string())?;
    let file = chunk.to_bytes().map_err(|e| e.to_string())?;
    let read = Chunk::parse(&file).map_err(|e| e.to_string())?;
    let streams = [&read.indices].into_iter().chain(read.streams.iter().map(|s| &s.stream));
    let blocks: Vec<_> = streams.filter_map(|s| Some((s.packed()?.to_vec(), s.data().len()))).collect();
    let size = blocks.iter().map(|b| b.1).sum();
    let s = contest!(
        effort,
        Chunk::parse(black_box(&file)),
        blocks.iter().map(|(b, n)| lz4_flex::block::decompress(black_box(b), *n)).collect::<Vec<_>>(),
    );
    report.add(("Crucible chunk: read", "its blocks alone", 0.95), size, &s, [0, 1], None);
    Ok(())
}

fn fsomodel(report: &mut Report, effort: Effort, side: u32) -> Result<(), String> {
    let sheet = sheet(side);
    let vertices =
        sheet.positions.iter().zip(&sheet.normals).zip(&sheet.uvs).map(|((p, n), [u, v])| Vertex {
            position: f32s(*p),
            uv: f32s([*u, *v, 0.0]),
            normal: f32s(*n),
            tangent: f32s([1.0, 0.0, 0.0]),
            ..Vertex::default()
        });
    let indices = sheet.triangles.as_flattened();
    let part = indices.len() / 10 / 3 * 3;
    let entries = indices.chunks(part).zip(0..).map(|(i, k)| MeshEntry {
        offset: k * part as u64 * 4,
        count: i.len() as u32,
        ..MeshEntry::default()
    });
    let mut model = FsoModel::new(FsoDialect::Seed44);
    model.set_vertices(&vertices.collect::<Vec<_>>());
    assert!(model.set_indices(indices).is_ok());
    model.set_meshes(&entries.collect::<Vec<_>>());
    model.fix_extents();
    let file = model.to_bytes().map_err(|e| e.to_string())?;
    let sum = |file: &[u8]| file.as_chunks::<8>().0.iter().fold(0, |a, b| a ^ u64::from_le_bytes(*b));
    let s = contest!(effort, FsoModel::parse(black_box(&file)).map(|m| m.validate()), sum(black_box(&file)),);
    let what = "FSOMODEL: read, all findings";
    report.add((what, "its bytes read once", 0.5), file.len(), &s, [0, 1], None);
    Ok(())
}
