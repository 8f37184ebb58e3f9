//! Peers in plain C, built when they are measured by the machine's compiler.

use super::measure::{Contender, Effort, measure};
use super::report::Report;
use meshwright::bmd::{Extra96, Mesh, St96, Vertex};
use meshwright_core::num::{F8A, Se32, St11, St12, St14Form};
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use xtask::sh;

/// Numbers of vertices of a mesh. A mesh has at most 65,535.
const SIZES: [usize; 3] = [1_000, 10_000, 60_000];

/// The compiler flags of the peer.
const FLAGS: [&str; 3] = ["-O3", "-march=native", "-fno-strict-aliasing"];

/// The peer at work; it ends when its input does.
struct Peer {
    child: Child,
}

impl Peer {
    /// Runs the program on what it works on.
    fn new(program: &Path, input: &[u8]) -> Result<Self, String> {
        let mut command = Command::new(program);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().and_then(|mut child| {
            child.stdin.as_mut().map_or(Ok(()), |to| to.write_all(input))?;
            Ok(child)
        });
        Ok(Self { child: child.map_err(sh::error_at(program))? })
    }

    /// Runs it this many times. Returns the seconds and the last vertex.
    fn run(&mut self, calls: u32) -> Option<(f64, [f32; 8])> {
        let to = self.child.stdin.as_mut()?;
        to.write_all(&calls.to_le_bytes()).and_then(|()| to.flush()).ok()?;
        let mut answer = [0; 40];
        self.child.stdout.as_mut()?.read_exact(&mut answer).ok()?;
        let (took, last) = answer.split_first_chunk()?;
        let mut last = last.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b));
        Some((u64::from_le_bytes(*took) as f64 * 1e-9, std::array::from_fn(|_| last.next().unwrap_or(0.0))))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// BMD vertices to positions, normals and texture coordinates.
pub(crate) fn vertices(report: &mut Report, effort: Effort) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("meshwright-peer-{}", std::process::id()));
    let (source, program) = (folder.join("peer.c"), folder.join("peer"));
    sh::write(&source, include_str!("peer.c"))?;
    let built = Command::new("cc").args(FLAGS).arg("-o").args([&program, &source]).status();
    let result = match built {
        Ok(status) if status.success() => against(&program, report, effort),
        _ => {
            println!("skipped: plain C, cc not found");
            Ok(())
        }
    };
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn against(program: &Path, report: &mut Report, effort: Effort) -> Result<(), String> {
    for n in SIZES {
        let mesh = mesh(n);
        let mut input: Vec<u8> =
            (0..=u8::MAX).flat_map(|code| F8A::from_bits(code).decode().to_le_bytes()).collect();
        input.extend(((n * 12) as u32).to_le_bytes());
        input.extend((n as u32).to_le_bytes());
        for vertex in mesh.vertices.iter() {
            let [first, second] = vertex.words();
            input.extend(first.to_le_bytes());
            input.extend((second as u32).to_le_bytes());
        }
        let mut peer = Peer::new(program, &input)?;
        let (mut positions, mut normals) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        let mut uvs = vec![[0.0; 2]; n];
        let mut ours = || {
            let mesh = black_box(&mesh);
            mesh.fill_vertices(St14Form::Excess, &mut positions, &mut normals, &mut uvs);
            black_box((&mut positions, &mut normals, &mut uvs));
        };
        ours();
        let (_, last) = peer.run(1).ok_or("plain C: no answer")?;
        let s = measure(
            effort,
            &mut [
                Contender::new(&mut ours),
                Contender::timed(|calls| peer.run(calls).map_or(f64::NAN, |(took, _)| took)),
            ],
        );
        let own = positions.last().into_iter().chain(normals.last()).flatten();
        if !own.chain(uvs.last().into_iter().flatten()).zip(last).all(|(a, b)| *a == b) {
            return Err("plain C decodes other vertices".into());
        }
        report.add(("BMD vertices decoded", "plain C, another process", 1.0), n, &s, [0, 1], None);
    }
    Ok(())
}

/// Vertices of 96 bits in both forms, as files have them.
fn mesh(n: usize) -> Mesh {
    let vertex = |i: usize| {
        let t = i as f32 * 0.01;
        let st = match i / 64 % 2 {
            0 => St96::Fine(St12::encode([t.fract(), 0.5])),
            _ => St96::Wide(St11::encode([t.fract() * 3.0, 0.5])),
        };
        let normal = [t.sin(), t.cos(), 0.25].map(F8A::encode);
        Vertex::bits96(Se32::encode([t, t.sin(), 3.0]), st, normal, Extra96::Bone((i / 100 % 60) as u8))
    };
    Mesh { vertices: Arc::new((0..n).map(vertex).collect()), ..Mesh::default() }
}
