//! Skinning, against plain glam and against a copy of the same bytes.

use super::measure::{Contender, Effort, Samples, keep, measure};
use super::meshes::{Vertices, palette, skeleton, vertices};
use super::peers::{Plain, Weighted, skin_weighted};
use meshwright::rig::glam::{Affine3A, Vec3A};
use meshwright::rig::{Output, Rig, SkinPlan, Workspace};
use meshwright::scene::{LocalVertex, Mesh, SkeletonId, Skin};

/// The number of joints of the characters.
pub(crate) const JOINTS: u32 = 64;

/// A mesh ready to be skinned.
pub(crate) struct Case {
    pub(crate) plan: SkinPlan,
    pub(crate) palette: Vec<Affine3A>,
    plain: Plain,
    weighted: Vec<Weighted>,
    starts: Vec<u32>,
}

fn mesh(v: &Vertices, local: Vec<LocalVertex>) -> Mesh {
    let mut skin = Skin::new(SkeletonId(0));
    skin.starts.clone_from(&v.starts);
    skin.influences.clone_from(&v.influences);
    skin.local = local;
    Mesh::default().with_positions(v.positions.clone()).with_normals(v.normals.clone()).with_skin(skin)
}

impl Case {
    pub(crate) fn new(n: usize, width: u32, share: usize) -> Result<Self, String> {
        Self::from_vertices(&vertices(n, JOINTS, width, share), false)
    }

    /// Creates a contender, with vertices in the spaces of joints that are all at the origin if `local`.
    pub(crate) fn from_vertices(v: &Vertices, local: bool) -> Result<Self, String> {
        let rig = Rig::new(&skeleton(JOINTS as usize)).map_err(|e| e.to_string())?;
        let first = |k: usize, v: usize, o: &Vertices| {
            let range = o.starts[v] as usize..o.starts[v + 1] as usize;
            o.influences[range].get(k).map_or((0, 0.0), |i| (i.joint as u16, i.weight))
        };
        let n = v.positions.len();
        let plain = Plain {
            positions: v.positions.iter().map(|p| Vec3A::from(*p)).collect(),
            normals: v.normals.iter().map(|p| Vec3A::from(*p)).collect(),
            joints: (0..n).map(|i| [0, 1, 2, 3].map(|k| first(k, i, v).0)).collect(),
            weights: (0..n).map(|i| [0, 1, 2, 3].map(|k| first(k, i, v).1)).collect(),
        };
        let mut weighted = Vec::new();
        for i in 0..n {
            for influence in &v.influences[v.starts[i] as usize..v.starts[i + 1] as usize] {
                weighted.push(Weighted {
                    joint: influence.joint,
                    weight: influence.weight,
                    position: plain.positions[i] * influence.weight,
                    normal: plain.normals[i] * influence.weight,
                });
            }
        }
        let to_local = |w: &Weighted| LocalVertex { position: w.position.into(), normal: w.normal.into() };
        let locals = weighted.iter().filter(|_| local).map(to_local).collect();
        let plan = SkinPlan::new(&mesh(v, locals), &rig).map_err(|e| e.to_string())?;
        Ok(Self { plan, palette: palette(JOINTS), plain, weighted, starts: v.starts.clone() })
    }

    /// Measures the works in turn.
    pub(crate) fn measure(&self, effort: Effort, works: &[Work]) -> Samples {
        measure(effort, &mut works.iter().map(|work| self.contender(*work)).collect::<Vec<_>>())
    }

    pub(crate) fn contender(&self, work: Work) -> Contender<'_> {
        let n = self.plan.vertex_count();
        let (mut op, mut on) = (vec![Vec3A::ZERO; n], vec![Vec3A::ZERO; n]);
        match work {
            Work::Skin | Work::AllThreads => {
                let mut space = Workspace::new();
                let (mut p, mut q) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
                Contender::new(move || {
                    let out = Output::positions(&mut p).with_normals(&mut q);
                    let done = match work {
                        Work::AllThreads => self.plan.skin_parallel_with(&self.palette, &mut space, out),
                        _ => self.plan.skin_with(&self.palette, &mut space, out),
                    };
                    if done.is_ok() {
                        keep(&mut p);
                        keep(&mut q);
                    }
                })
            }
            Work::Copy => {
                let (from, mut to) = (vec![1.0_f32; 6 * n], vec![0.0_f32; 6 * n]);
                Contender::new(move || {
                    to.copy_from_slice(&from);
                    keep(&mut to);
                })
            }
            Work::Four => Contender::new(move || {
                self.plain.skin4(&self.palette, &mut op, &mut on);
                keep(&mut op);
                keep(&mut on);
            }),
            Work::Weighted => Contender::new(move || {
                skin_weighted(&self.palette, &self.starts, &self.weighted, &mut op, &mut on);
                keep(&mut op);
                keep(&mut on);
            }),
        }
    }
}

/// A measurement on a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Skinning by the library, on one thread.
    Skin,
    AllThreads,
    /// A copy of as many bytes.
    Copy,
    /// A loop on plain glam over four influences.
    Four,
    /// A loop on plain glam over weighted positions.
    Weighted,
}
