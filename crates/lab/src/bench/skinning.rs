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

    /// Ours, a copy of the same bytes, and plain glam.
    pub(crate) fn measure(&self, effort: Effort, peer: Peer) -> Samples {
        let mut work = Workspace::new();
        let n = self.plan.vertex_count();
        let (mut p, mut q) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        let (mut op, mut on) = (vec![Vec3A::ZERO; n], vec![Vec3A::ZERO; n]);
        let (from, mut to) = (vec![1.0_f32; 6 * n], vec![0.0_f32; 6 * n]);
        let mut contenders = [
            Contender::new(|| self.skin(&mut work, &mut p, &mut q)),
            Contender::new(|| {
                to.copy_from_slice(&from);
                keep(&mut to);
            }),
            Contender::new(|| {
                match peer {
                    Peer::Four => self.plain.skin4(&self.palette, &mut op, &mut on),
                    Peer::Weighted => {
                        skin_weighted(&self.palette, &self.starts, &self.weighted, &mut op, &mut on);
                    }
                }
                keep(&mut op);
                keep(&mut on);
            }),
        ];
        measure(effort, &mut contenders)
    }

    /// Fills the slices.
    fn skin(&self, work: &mut Workspace, p: &mut Vec<[f32; 3]>, q: &mut Vec<[f32; 3]>) {
        let out = Output::positions(p).with_normals(q);
        if self.plan.skin_with(&self.palette, work, out).is_ok() {
            keep(p);
            keep(q);
        }
    }

    /// Returns all threads, and one.
    pub(crate) fn threads(&self, effort: Effort) -> Samples {
        let n = self.plan.vertex_count();
        let (mut one, mut two) = (Workspace::new(), Workspace::new());
        let (mut p, mut q) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        let (mut r, mut s) = (p.clone(), q.clone());
        let mut contenders = [
            Contender::new(|| {
                let out = Output::positions(&mut p).with_normals(&mut q);
                if self.plan.skin_parallel_with(&self.palette, &mut one, out).is_ok() {
                    keep(&mut p);
                }
            }),
            Contender::new(|| self.skin(&mut two, &mut r, &mut s)),
        ];
        measure(effort, &mut contenders)
    }
}

/// Which loop on plain glam does the same.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Peer {
    Four,
    Weighted,
}

/// Work of every size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Series {
    Skin { width: u32, share: usize, local: bool },
    Sorted,
    Glam,
    Copy,
}

/// The sizes of a series.
pub(crate) const SIZES: [usize; 7] = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];

impl Series {
    /// One column per size.
    pub(crate) fn measure(self, effort: Effort) -> Result<Samples, String> {
        let case = |n: usize| match self {
            Self::Skin { width, share, local } => {
                Case::from_vertices(&vertices(n, JOINTS, width, share), local)
            }
            Self::Sorted => Case::new(n, 1, n / 64),
            Self::Glam | Self::Copy => Case::new(n, 4, 1),
        };
        let cases = SIZES.iter().map(|&n| case(n)).collect::<Result<Vec<_>, _>>()?;
        let mut contenders: Vec<Contender<'_>> = cases
            .iter()
            .map(|case| {
                let n = case.plan.vertex_count();
                let mut work = Workspace::new();
                let (mut p, mut q) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
                let (mut op, mut on) = (vec![Vec3A::ZERO; n], vec![Vec3A::ZERO; n]);
                let (from, mut to) = (vec![1.0_f32; 6 * n], vec![0.0_f32; 6 * n]);
                Contender::new(move || match self {
                    Self::Glam => {
                        case.plain.skin4(&case.palette, &mut op, &mut on);
                        keep(&mut op);
                    }
                    Self::Copy => {
                        to.copy_from_slice(&from);
                        keep(&mut to);
                    }
                    _ => case.skin(&mut work, &mut p, &mut q),
                })
            })
            .collect();
        Ok(measure(effort, &mut contenders))
    }
}
